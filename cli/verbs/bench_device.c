/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/bench_device.h"

#include <limits.h>
#include <unistd.h>

#include "base/temp_dir.h"

static bool is_wanted(const struct ttp_bench *b)
{
    for (size_t i = 0; i < b->nmetrics; i++)
        if (ttp_measure_metric_is_recorded(&b->metric[i]))
            return true;
    return false;
}

ttp_code bench_device_open(struct bench_device *out, struct ttp_bench *b, const char *window,
                           const struct ttp_ctx *ctx, struct ttp_err *err)
{
    char self[PATH_MAX];

    *out = (struct bench_device){
        .recording = {.mode = "ops", .window = window, .boards = ctx->boards}};
    if (!is_wanted(b))
        return TTP_OK;
    if (!ttp_cmd_find("record"))
        return ttp_fail(err, TTP_EUSAGE,
                        "device-time requires 'tt-perf record', which this build lacks");
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n < 0)
        return ttp_fail_errno(err, "cannot find this program");
    TTP_TRY(ttp_temp_dir_make(&out->recording.dir, ctx->arena, err));
    out->recording.program = ttp_arena_zstr(ctx->arena, (ttp_str){self, (size_t)n});
    for (size_t i = 0; i < b->nvariants; i++)
        b->variant[i].argv =
            ttp_tune_recorded_argv(b->variant[i].argv, &out->recording, ctx->arena);
    return TTP_OK;
}

void bench_device_begin(struct bench_device *d)
{
    if (d->recording.dir)
        ttp_temp_dir_remove(d->recording.dir, false);
}

ttp_code bench_device_value(double *out, struct bench_device *d, const struct ttp_metric *metric,
                            struct ttp_signals *signals, struct ttp_err *err)
{
    d->recording.signals = signals;
    return ttp_tune_recorded_value(out, metric, &d->recording, err);
}

void bench_device_close(struct bench_device *d)
{
    if (d->recording.dir)
        ttp_temp_dir_end(d->recording.dir);
    d->recording.dir = NULL;
}
