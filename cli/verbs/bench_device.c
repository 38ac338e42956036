/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/bench_device.h"

#include <limits.h>
#include <unistd.h>

#include "base/temp_dir.h"
#include "core/run_input.h"

static bool is_wanted(const struct ttp_bench *b)
{
    for (size_t i = 0; i < b->nmetrics; i++)
        if (b->metric[i].kind == TTP_METRIC_DEVICE)
            return true;
    return false;
}

/* record -q -o DIR -- the command */
static const char *const *recorded(const char *const *argv, const char *self, const char *dir,
                                   struct ttp_arena *arena)
{
    const char *const front[] = {self, "record", "-q", "-o", dir, "--"};
    size_t n = 0;

    while (argv[n])
        n++;
    const char **all = TTP_NEW(arena, const char *, TTP_COUNT(front) + n + 1);
    memcpy(all, front, sizeof(front));
    memcpy(all + TTP_COUNT(front), argv, n * sizeof(*argv));
    return all;
}

ttp_code bench_device_open(struct bench_device *out, struct ttp_bench *b, const char *window,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    char self[PATH_MAX];

    *out = (struct bench_device){.window = window};
    if (!is_wanted(b))
        return TTP_OK;
    if (!ttp_cmd_find("record"))
        return ttp_fail(err, TTP_EUSAGE,
                        "device-time requires 'tt-perf record', which this build lacks");
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n < 0)
        return ttp_fail_errno(err, "cannot find this program");
    TTP_TRY(ttp_temp_dir_make(&out->dir, arena, err));
    const char *program = ttp_arena_zstr(arena, (ttp_str){self, (size_t)n});
    for (size_t i = 0; i < b->nvariants; i++)
        b->variant[i].argv = recorded(b->variant[i].argv, program, out->dir, arena);
    return TTP_OK;
}

ttp_code bench_device_value(double *out, const struct bench_device *d, const struct ttp_ctx *ctx,
                            struct ttp_err *err)
{
    const struct ttp_report_options steady = {.window = d->window};
    struct ttp_arena arena = {0};
    struct ttp_ctx quiet = *ctx;
    struct ttp_words warnings = {0};
    struct ttp_run_input run;

    quiet.arena = &arena;
    quiet.quiet = true;
    const struct ttp_run_wanted wanted = {d->dir, &steady, 1, &warnings};
    const ttp_code rc = ttp_run_input_read(&run, &wanted, &quiet, err);
    if (rc == TTP_OK) {
        *out = run.report.window.device_us / 1e6;
    } else if (rc == TTP_ENOTFOUND || rc == TTP_EPARSE) { /* the folder is nobody's business */
        ttp_fail(err, rc, "no device time: the profiler saw no ops of the command");
        ttp_err_hint(err, "check with 'tt-perf record -- COMMAND', or use --metric wall");
    }
    ttp_arena_free(&arena);
    ttp_temp_dir_remove(d->dir, false);
    return rc;
}

void bench_device_close(struct bench_device *d)
{
    if (d->dir)
        ttp_temp_dir_remove(d->dir, true);
    d->dir = NULL;
}
