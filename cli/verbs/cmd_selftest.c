/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_selftest.c - `tt-perf selftest`: checks this installation and the card. */
#include <limits.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/temp_dir.h"
#include "base/vec.h"
#include "outputs/outputs.h"
#include "verbs/selftest.h"

struct selftest_opts {
    struct ttp_common_opts common;
    const char *root;
    bool device;
    double max_minutes;
};

#define FIELD(name) offsetof(struct selftest_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(FLAG, "device", FIELD(device),
               "also check the card and tt-metal: capture, markers, post-processing, "
               "predictions, bandwidths",
               .group = "Checks"),
    TTP_OPTION(FLOAT, "minutes", FIELD(max_minutes),
               "stop after this time and list what was not checked (default 10)", .metavar = "N"),
    TTP_OPTION(STR, "root", FIELD(root),
               "with --device: read the boards from the sys, proc and dev of this folder instead "
               "of this machine",
               .metavar = "DIR"),
};

#define MINUTES 10
static const struct selftest_opts defaults = {.max_minutes = MINUTES};

/* --- what the parts share --- */

struct ttp_check *selftest_add(struct selftest *t, const struct ttp_check_spec *spec,
                               enum ttp_verdict_level level, ttp_str value)
{
    struct ttp_diagnosis *d = &t->diagnosis;
    struct ttp_check *k = TTP_PUSH(t->ctx->arena, d->check, d->count);

    *k = (struct ttp_check){.spec = spec, .level = level, .value = value};
    if (t->ctx->verbose)
        ttp_ctx_say(t->ctx, "%s %s", ttp_check_words[level], spec->id);
    return k;
}

double selftest_time_left(const struct selftest *t, double most)
{
    const uint64_t now = ttp_clock_ns();
    const double left = now < t->end_ns ? (double)(t->end_ns - now) / 1e9 : 0;

    return left < most ? left : most;
}

/* Of one command; a verb on a synthetic run takes seconds even under a sanitizer. */
#define COMMAND_S 300

static ttp_code run_in(const char *dir, struct ttp_child *out, struct selftest *t,
                       const char *const *argv, const struct ttp_words *set, struct ttp_err *err)
{
    struct ttp_arena *arena = t->ctx->arena;
    const char **env = ttp_child_environment(set, arena);
    struct ttp_child_options o = {
        .argv = argv,
        .env = env,
        .dir = dir,
        .timeout_s = selftest_time_left(t, COMMAND_S),
        .show = t->ctx->verbose,
    };

    *out = (struct ttp_child){.end = TTP_CHILD_TIMED_OUT};
    if (!(o.timeout_s > 0))
        return TTP_OK;
    TTP_TRY(ttp_child_find(&o.path, argv[0], env, arena, err));
    TTP_TRY(ttp_child_run(out, &o, &t->signals, arena, err));
    if (t->signals.caught)
        return ttp_fail(err, TTP_EIO, "interrupted by signal %d", t->signals.caught);
    return TTP_OK;
}

ttp_code selftest_run(struct ttp_child *out, struct selftest *t, const char *const *argv,
                      const struct ttp_words *set, struct ttp_err *err)
{
    return run_in(t->scratch, out, t, argv, set, err);
}

ttp_code selftest_run_here(struct ttp_child *out, struct selftest *t, const char *const *argv,
                           struct ttp_err *err)
{
    return run_in(NULL, out, t, argv, &(struct ttp_words){0}, err);
}

ttp_code selftest_run_own(struct ttp_child *out, struct selftest *t, const char *const *words,
                          struct ttp_err *err)
{
    struct ttp_arena *arena = t->ctx->arena;
    struct ttp_words set = {0};
    size_t n = 0;

    while (words[n])
        n++;
    const char **argv = TTP_NEW(arena, const char *, n + 2);
    argv[0] = t->program;
    for (size_t i = 0; i < n; i++)
        argv[i + 1] = words[i];
    /* nothing of the user's is read or written */
    ttp_words_add(&set,
                  ttp_arena_zstr(arena, ttp_sink_format(arena, "XDG_STATE_HOME=%s", t->scratch)),
                  arena);
    return selftest_run(out, t, argv, &set, err);
}

ttp_str selftest_failure(const struct selftest *t, const struct ttp_child *child)
{
    struct ttp_arena *arena = t->ctx->arena;
    ttp_str rest = child->errors, line = {0};

    if (child->end == TTP_CHILD_TIMED_OUT)
        return TTP_STR("no time left, or not finished in time");
    while (ttp_str_next_line(&rest, &line) && ttp_str_trim(line).len == 0)
        ;
    return ttp_sink_format(arena, "%s %d%s%.*s",
                           child->end == TTP_CHILD_SIGNALED ? "signal" : "exit status", child->code,
                           line.len ? ": " : "", TTP_FMT(ttp_str_slice(line, 0, 200)));
}

/* --- the verb --- */

static ttp_code check_all(struct selftest *t, bool device, struct ttp_err *err)
{
    TTP_TRY(selftest_installation(t, err));
    if (device)
        TTP_TRY(selftest_device(t, err));
    for (size_t i = 0; i < t->diagnosis.count; i++)
        t->diagnosis.level[t->diagnosis.check[i].level]++;
    t->view.diagnosis = &t->diagnosis;
    t->view.details = t->ctx->verbose;
    return ttp_out_selftest(&t->ctx->show, &t->view, err);
}

static ttp_code open_boards(struct selftest *t, const struct selftest_opts *o, struct ttp_err *err)
{
    TTP_TRY(ttp_host_open(&t->host, o->root, t->ctx->boards, t->ctx->arena, err));
    if (t->host.nchips)
        return TTP_OK;
    ttp_host_close(&t->host);
    ttp_fail(err, TTP_EMISSING, "no Tenstorrent card found%s%s", o->root ? " in " : "",
             o->root ? o->root : "");
    ttp_err_hint(err, "omit --device to check only the installation; 'tt-perf doctor' explains why "
                      "a card is not found");
    return TTP_EMISSING;
}

static ttp_code check_options(const struct selftest_opts *o, const struct ttp_words *operands,
                              struct ttp_err *err)
{
    if (!o->device && (o->root || operands->count)) {
        ttp_fail(err, TTP_EUSAGE, "%s requires --device", o->root ? "--root" : "a command");
        return TTP_EUSAGE;
    }
    if (!(o->max_minutes > 0))
        return ttp_fail(err, TTP_EUSAGE, "--minutes must be above 0");
    return TTP_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct selftest_opts *o = opts;
    struct selftest t = {.ctx = ctx, .root = o->root, .command = operands};
    char self[PATH_MAX];

    TTP_TRY(check_options(o, operands, err));
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n < 0)
        return ttp_fail_errno(err, "cannot find this program");
    t.program = ttp_arena_zstr(ctx->arena, (ttp_str){self, (size_t)n});
    t.end_ns = ttp_clock_ns() + (uint64_t)(o->max_minutes * 60e9);
    if (o->device)
        TTP_TRY(open_boards(&t, o, err));
    ttp_code rc = ttp_temp_dir_make(&t.scratch, ctx->arena, err);
    if (rc == TTP_OK)
        rc = ttp_signals_open(&t.signals, err);
    if (rc == TTP_OK) {
        rc = check_all(&t, o->device, err);
        ttp_signals_close(&t.signals);
    }
    if (t.scratch)
        ttp_temp_dir_end(t.scratch);
    if (o->device)
        ttp_host_close(&t.host);
    if (rc == TTP_OK && t.diagnosis.level[TTP_CHECK_FAIL])
        *status = TTP_EXIT_FINDING;
    return rc;
}

static const struct ttp_document_spec *const documents[] = {&ttp_selftest_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf selftest", "check this installation"},
    {"tt-perf selftest --device -o selftest.html", "first contact with a card: one page"},
    {"tt-perf selftest --device -o selftest.json -- pytest test_model.py",
     "the same with a workload of your own"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_selftest = {
    .name = "selftest",
    .args = "[-- COMMAND [ARGUMENT...]]",
    .summary = "check this installation, with --device also the card and tt-metal",
    .description =
        "Without --device: which optional libraries this build has, and a synthetic run through "
        "the verbs. It checks every file that a verb must write.\n\nWith --device, it takes up to "
        "ten minutes on a machine with a card and tt-metal. It checks the doctor's findings and "
        "records COMMAND, or three matmuls with ttnn. Then it checks that every op has its "
        "markers; the ops CSV equals that of tt-metal's own post-processing on the same logs, "
        "cell by cell; predicted and measured times of matmuls; bandwidths of host memory, PCIe "
        "and DRAM. Each check reports PASS, WARN, FAIL, or SKIP with the reason if it could not be "
        "made, and the last line counts them.\n\nIt writes only the report: runs and logs go to a "
        "temporary folder, which it removes.",
    TTP_CMD_OPTIONS(options, struct selftest_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_COLOR | TTP_TAKES_PAGER | TTP_TAKES_OUTPUT |
             TTP_TAKES_TALK | TTP_TAKES_BOARDS | TTP_TAKES_TABLE | TTP_TAKES_NO_INPUT,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_COMMAND,
    .max_operands = -1,
    .examples = examples,
    .exit_notes = "1 if a check failed; 4 if --device finds no card.",
    .run = run,
};
