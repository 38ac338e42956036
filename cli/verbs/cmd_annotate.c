/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_annotate.c - `tt-perf annotate`: cycles next to the lines that took them. */
#include "core/run_input.h"
#include "core/source_roots.h"
#include "core/verbs.h"
#include "outputs/outputs.h"
#include "run/run.h"

#define FIELD(name) offsetof(struct ttp_annotate_verb, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(STR, "source", FIELD(source), "source file of the kernel, .py or .cpp",
               .metavar = "FILE", .group = "Source"),
    TTP_OPTION(LIST, "src-root", FIELD(roots),
               "search for other source files only below DIR; may be repeated (default: in the "
               "run's own folder first, then below the folders that 'record' noted for it)",
               .metavar = "DIR"),
    TTP_OPTION(STR, "program", FIELD(program),
               "select an invocation by the ID that report has for its op, run host ID, program "
               "number or name, 'last' (the default), or 'all' for the sum of all",
               .metavar = "WHICH", .group = "Selection"),
    TTP_OPTION(STR, "rank", FIELD(rank),
               "rank N of a folder with several ranks (default the first)", .metavar = "N"),
    TTP_OPTION(STR, "device", FIELD(device), "only device D (of rank R, if given)",
               .metavar = "[R:]D"),
    TTP_OPTION(LIST, "core", FIELD(cores), "only this core; may be repeated (default: all cores)",
               .metavar = "X,Y"),
    TTP_OPTION(STR, "vs", FIELD(vs), "compare with the baseline run in DIR", .metavar = "DIR",
               .of_run = true),
    TTP_OPTION(STR, "flow-graph", FIELD(flow),
               "dataflow buffers of the kernel (default: cb_flow_graph.json next to the log)",
               .metavar = "FILE"),
};

/* A list of "X,Y" words. */
static ttp_code parse_cores(const int32_t (**out)[2], const struct ttp_words *words,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    int32_t(*core)[2] = ttp_arena_alloc(arena, words->count, sizeof(*core), alignof(int32_t));

    for (size_t i = 0; i < words->count; i++) {
        ttp_str part[2];
        int64_t v[2];
        if (ttp_str_split(ttp_str_from(words->word[i]), ',', part, 2) != 2 ||
            !ttp_str_to_i64(ttp_str_trim(part[0]), &v[0]) ||
            !ttp_str_to_i64(ttp_str_trim(part[1]), &v[1]) || v[0] != (int32_t)v[0] ||
            v[1] != (int32_t)v[1])
            return ttp_fail(err, TTP_EUSAGE, "--core '%s' is not X,Y", words->word[i]);
        core[i][0] = (int32_t)v[0];
        core[i][1] = (int32_t)v[1];
    }
    *out = (const int32_t(*)[2])core;
    return TTP_OK;
}

static ttp_code read_run(struct ttp_kernel_input *in, const char *dir,
                         const struct ttp_annotate_verb *o, const struct ttp_ctx *ctx,
                         struct ttp_err *err)
{
    struct ttp_kernel_request request = {.dir = dir,
                                         .program = o->program ? o->program : "last",
                                         .flow = o->flow,
                                         .ncores = o->cores.count,
                                         .host = o->program != NULL,
                                         .threads = (unsigned)o->common.threads};

    TTP_TRY(parse_cores(&request.core, &o->cores, ctx->arena, err));
    TTP_TRY(ttp_run_input_kernels(in, request, ctx, err));
    if (!in->has_log) {
        ttp_fail(err, TTP_ENOTFOUND, "no profile_log_device.csv in '%s'", dir);
        ttp_err_hint(err, "record the run with 'tt-perf record --mode kernel'");
        return TTP_ENOTFOUND;
    }
    return TTP_OK;
}

static ttp_code no_lines(const char *dir, struct ttp_err *err)
{
    ttp_fail(err, TTP_ENOTFOUND, "the log has only firmware and kernel zones");
    ttp_err_hint(err, "record a TT-Lang kernel with 'tt-perf record --mode kernel'; in C++ kernels "
                      "add DeviceZoneScopedN(\"name\")");
    ttp_err_where(err, dir, 0);
    return TTP_ENOTFOUND;
}

#define CORES_SHOWN 24

/* The cores of the invocation, where those that were asked for are not among them. */
static ttp_code no_such_cores(const char *dir, const struct ttp_annotate_verb *o,
                              const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_annotate_verb every = *o;
    struct ttp_kernel_input in;
    struct ttp_annotation all;
    struct ttp_sink list;
    size_t shown = 0;

    every.cores = (struct ttp_words){0};
    TTP_TRY(read_run(&in, dir, &every, ctx, err));
    ttp_kernel_annotate(&all, &in.report, ctx->arena);
    if (all.nthreads == 0)
        return no_lines(dir, err);
    ttp_sink_to_arena(&list, ctx->arena);
    const struct ttp_core *at = in.report.profile->log.core;
    for (size_t i = 0; i < in.report.nprograms; i++)
        for (size_t k = 0; k < in.report.program[i].ncores && shown < CORES_SHOWN; k++) {
            const struct ttp_core *c = &at[in.report.program[i].core[k]->core];

            ttp_sink_printf(&list, "%s%d,%d", shown++ ? " " : "", c->x, c->y);
        }
    ttp_fail(err, TTP_ENOTFOUND, "no line zones on these cores");
    ttp_err_hint(err, "it ran on %.*s%s", TTP_FMT(ttp_sink_text(&list)),
                 shown == CORES_SHOWN ? " ..." : "");
    ttp_err_where(err, dir, 0);
    return TTP_ENOTFOUND;
}

/* Once per file. */
static void warn_of_sources(struct ttp_words *warnings, const struct ttp_annotation *a,
                            const struct ttp_ctx *ctx)
{
    const struct ttp_source_text *last = NULL;

    for (size_t i = 0; i < a->nthreads; i++) {
        const struct ttp_source_text *s = a->thread[i].source;

        if (!s || !s->changed || (last && strcmp(last->path, s->path) == 0))
            continue;
        last = s;
        ttp_words_add(warnings,
                      ttp_arena_zstr(ctx->arena,
                                     ttp_sink_format(ctx->arena,
                                                     "'%s' was changed after the run: its lines "
                                                     "may be others than those that ran; --source "
                                                     "names another file",
                                                     s->path)),
                      ctx->arena);
        ttp_ctx_warn(ctx, "%s", warnings->word[warnings->count - 1]);
    }
}

/* The run of --vs. */
static ttp_code read_baseline(struct ttp_annotation *was, struct ttp_kernel_input *before,
                              const struct ttp_annotate_verb *o, const struct ttp_ctx *ctx,
                              struct ttp_err *err)
{
    if (!o->vs)
        return TTP_OK;
    TTP_TRY(read_run(before, o->vs, o, ctx, err));
    ttp_kernel_annotate(was, &before->report, ctx->arena);
    return was->nthreads ? TTP_OK : no_lines(o->vs, err);
}

static const struct ttp_kernel_program *only_program(const struct ttp_kernel_report *r)
{
    return r->nprograms == 1 ? &r->program[0] : NULL;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct ttp_annotate_verb *o = opts;
    const char *dir = operands->count ? operands->word[0] : ttp_run_default_dir(ctx->arena);
    struct ttp_kernel_input in, before;
    struct ttp_annotation now = {0}, was = {0};

    (void)status;
    struct ttp_source_options source = {.source = o->source};
    struct ttp_run_choice choice = {.rank = o->rank, .device = o->device};
    TTP_TRY(ttp_run_choose_process(&dir, &choice, ctx->arena, err));
    if (choice.note)
        ttp_ctx_say(ctx, "%s", choice.note);
    TTP_TRY(ttp_run_looked(read_run(&in, dir, o, ctx, err), operands, ctx->arena, err));
    ttp_kernel_annotate(&now, &in.report, ctx->arena);
    if (now.nthreads == 0)
        return o->cores.count ? no_such_cores(dir, o, ctx, err) : no_lines(dir, err);
    TTP_TRY(read_baseline(&was, &before, o, ctx, err));
    TTP_TRY(ttp_source_roots_choose(&source, &o->roots, &in.paths, ctx->arena, err));
    TTP_TRY(ttp_kernel_find_sources(&now, &source, ctx->arena, err));
    warn_of_sources(&in.warnings, &now, ctx);
    const struct ttp_annotate_view view = {.run = &now,
                                           .other = o->vs ? &was : NULL,
                                           .waits = &in.waits,
                                           .program = only_program(&in.report),
                                           .base = o->vs ? only_program(&before.report) : NULL,
                                           .clock_mhz = in.report.clock_mhz,
                                           .base_clock_mhz = o->vs ? before.report.clock_mhz : 0,
                                           .invocations = in.invocations};
    struct ttp_show show = ctx->show;
    show.warnings = &in.warnings;
    return ttp_out_annotate(&show, &view, err);
}

static const struct ttp_document_spec *const documents[] = {&ttp_annotate_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf annotate", "the last invocation of the last run, line by line"},
    {"tt-perf annotate generated/profiler --source matmul.py --core 1,1", "a single core"},
    {"tt-perf annotate --sort total_cycles --top 10", "the ten lines that took most cycles"},
    {"tt-perf annotate new --vs old", "what changed, line by line"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_annotate = {
    .name = "annotate",
    .args = "[DIR]",
    .summary = "show the cycles of each source line of a kernel, thread by thread",
    .description =
        "Reads the zones of a device log (DIR is an artifacts folder, its .logs, or a device "
        "log) and shows them next to the source: for each thread and line its share of the time, "
        "cycles, executions, buffer operations, and what it waits for. The hottest lines are "
        "marked.\n\n"
        "Zones of TT-Lang name kernel and line of the Python file; zones of C++ kernels carry "
        "their file and line. If the source is not found, the lines are listed without it.",
    TTP_CMD_OPTIONS(options, struct ttp_annotate_verb),
    .takes = TTP_TAKES_REPORT | TTP_TAKES_THREADS,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_DIR,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};
