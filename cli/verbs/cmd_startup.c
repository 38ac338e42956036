/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_startup.c - `tt-perf startup`: start-up time before the steady state. */
#include <stdlib.h>

#include "base/file.h"
#include "core/cmd.h"
#include "outputs/outputs.h"
#include "run/run.h"

struct startup_opts {
    struct ttp_common_opts common;
    const char *rank, *device;
    bool check;
    int from;
};

enum { FROM_BEST, FROM_INSPECTOR, FROM_ZONES, FROM_OPS };
static const char *const sources[] = {"best", "inspector", "zones", "ops", NULL};

#define FIELD(name) offsetof(struct startup_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(CHOICE, "from", FIELD(from),
               "source of the times: the inspector's logs, zones of the host, or gaps between ops "
               "(default best: the first that the run has)",
               .choices = sources),
    TTP_OPTION(
        STR, "rank", FIELD(rank),
        "rank N of a folder with several ranks (default the first; the inspector's logs: all)",
        .metavar = "N"),
    TTP_OPTION(STR, "device", FIELD(device),
               "what device D (of rank R, if given) waited for, from its ops (default: the one "
               "that waited longest)",
               .metavar = "[R:]D"),
    TTP_OPTION(FLAG, "check", FIELD(check),
               "exit with 1 if there is a finding, such as a kernel cache that is not reused"),
};

/* Where the runtime writes by default. */
static const char *usual_folder(struct ttp_arena *arena)
{
    const char *logs = getenv("TT_METAL_LOGS_PATH");

    return ttp_file_join(logs && *logs ? logs : ".", "generated/inspector", arena);
}

/* One run, or two that are compared. */
struct starts {
    struct ttp_words inputs;
    const char *rank[2], *device[2]; /* of their ops; NULL: all */
};

static struct ttp_start_request request_of(const struct starts *of, size_t i,
                                           const enum ttp_start_source *source)
{
    return (struct ttp_start_request){
        .path = of->inputs.word[i], .source = source, .rank = of->rank[i], .device = of->device[i]};
}

static ttp_code show_start(const struct ttp_ctx *ctx, const struct starts *of, int from,
                           struct ttp_err *err)
{
    const enum ttp_start_source ops = TTP_START_OPS,
                                chosen = from == FROM_OPS ? ops : TTP_START_ZONES;
    const enum ttp_start_source *source = from == FROM_BEST ? NULL : &chosen;
    const size_t count = of->inputs.count;
    struct ttp_start start[2];
    struct ttp_show show = ctx->show;

    for (size_t i = 0; i < count; i++) {
        const struct ttp_start_request request = request_of(of, i, source);
        TTP_TRY(ttp_run_read_start(&start[i], &request, ctx->arena, err));
    }
    /* if only one has zones, or ops, both are shown by what both have */
    for (size_t i = 0; i < 2 && count > 1 && start[0].source != start[1].source; i++) {
        const struct ttp_start_request request = request_of(of, i, i ? &start[0].source : &ops);
        TTP_TRY(ttp_run_read_start(&start[i], &request, ctx->arena, err));
    }
    show.inputs = &of->inputs;
    return ttp_out_start(&show, &start[0], count > 1 ? &start[1] : NULL, err);
}

/* Is there anything else than the inspector's logs to read? */
static bool has_other_source(const struct ttp_words *inputs, struct ttp_arena *arena)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (!ttp_startup_has_logs(inputs->word[i]) && ttp_run_has_start(inputs->word[i], arena))
            return true;
    return false;
}

/* Of a folder of ranks one; the inspector's logs have those of all. A CSV of all ranks is cut by
 * its rows. */
static ttp_code choose_ranks(struct starts *out, const struct ttp_words *given,
                             const struct startup_opts *o, const struct ttp_ctx *ctx,
                             struct ttp_err *err)
{
    out->inputs = (struct ttp_words){TTP_NEW(ctx->arena, const char *, given->count), given->count};
    for (size_t i = 0; i < given->count; i++) {
        struct ttp_run_choice choice = {.rank = o->rank, .device = o->device};
        const char *dir = given->word[i];

        out->inputs.word[i] = dir;
        if (!ttp_file_is_dir(dir)) {
            out->rank[i] = o->rank;
            out->device[i] = o->device;
            continue;
        }
        if (o->rank || o->device || !ttp_startup_has_logs(dir))
            TTP_TRY(ttp_run_choose_process(&dir, &choice, ctx->arena, err));
        if (choice.note)
            ttp_ctx_say(ctx, "%s", choice.note);
        out->inputs.word[i] = dir;
        if (o->device)
            out->device[i] = ttp_arena_zstr(
                ctx->arena, ttp_sink_format(ctx->arena, "%lld", (long long)choice.id));
    }
    return TTP_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct startup_opts *o = opts;
    const char *usual[] = {usual_folder(ctx->arena)};
    const struct ttp_words given = operands->count ? *operands : (struct ttp_words){usual, 1};
    struct starts of = {.inputs = given};
    const struct ttp_words *inputs = &of.inputs;
    struct ttp_startup *processes, *others = NULL;
    struct ttp_startup_finding *finding;
    struct ttp_startup_view view = {0};
    struct ttp_show show = ctx->show;

    if (o->device && (o->from == FROM_INSPECTOR || o->from == FROM_ZONES))
        return ttp_fail(err, TTP_EUSAGE,
                        "--device conflicts with --from %s: only ops have a device",
                        sources[o->from]);
    TTP_TRY(choose_ranks(&of, &given, o, ctx, err));
    if (o->device)
        return show_start(ctx, &of, FROM_OPS, err);
    if (o->from > FROM_INSPECTOR || (o->from == FROM_BEST && has_other_source(inputs, ctx->arena)))
        return show_start(ctx, &of, o->from, err);
    TTP_TRY(ttp_startup_read(&processes, &view.ranks, inputs->word[0], ctx->arena, err));
    view.run = processes;
    if (inputs->count > 1)
        TTP_TRY(ttp_startup_read(&others, &view.others, inputs->word[1], ctx->arena, err));
    view.other = others;
    view.findings = ttp_startup_findings(&finding, processes, view.ranks, ctx->arena);
    view.finding = finding;
    show.inputs = inputs;
    TTP_TRY(ttp_out_startup(&show, &view, err));
    if (o->check && view.findings)
        *status = TTP_EXIT_FINDING;
    return TTP_OK;
}

static const struct ttp_document_spec *const documents[] = {&ttp_startup_document,
                                                            &ttp_start_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf startup", "the last run in this folder"},
    {"tt-perf startup generated/inspector", "the same, given the folder of its logs"},
    {"tt-perf startup cold/inspector warm/inspector", "the gain from a warm kernel cache"},
    {"tt-perf startup ops_perf_results.csv", "what a device waited for before its iterations"},
    {"tt-perf startup --from zones run", "the same run, from zones of its host"},
    {"tt-perf startup --check logs/inspector", "fail if every run rebuilds its kernels"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_startup = {
    .name = "startup",
    .args = "[RUN [RUN]]",
    .summary = "show where start-up time goes before the steady state",
    .description =
        "Reads the logs of tt-metal's inspector, which every run writes unless "
        "TT_METAL_INSPECTOR=0: when devices were opened, which programs were compiled and for "
        "how long, which kernels were built and which came from the cache, and when launches "
        "became steady. The default is generated/inspector in TT_METAL_LOGS_PATH or in the "
        "current folder. The next tt-metal process deletes that folder; 'tt-perf record' keeps a "
        "copy.\n\n"
        "The steady state begins with the first launch after a compilation that is followed by "
        "50 launches before the next compilation. Text logs in the folder provide statistics of "
        "the kernel cache. A folder with one folder per rank gives a row per rank; two folders "
        "are compared.\n\n"
        "A run without these logs is read from zones of its host (a recording, or "
        "tracy_ops_times.csv) or from its ops: a folder, a recording or an ops_perf_results CSV. "
        "Zones show opening devices, compiling, writing buffers, capturing a trace and calls of "
        "ops; each moment counts once. Ops show what their device waited for: programs that ran "
        "for the first time, as in the cold start of 'tt-perf report', a capture, and other gaps.",
    TTP_CMD_OPTIONS(options, struct startup_opts),
    .takes = TTP_TAKES_REPORT,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .max_operands = 2,
    .examples = examples,
    .exit_notes = "1 with --check if there is a finding.",
    .run = run,
};
