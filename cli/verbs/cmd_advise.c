/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_advise.c - `tt-perf advise`: the plan for a run. */
#include "base/file.h"
#include "core/cmd.h"
#include "core/run_input.h"
#include "outputs/outputs.h"
#include "run/run.h"

struct advise_opts {
    struct ttp_common_opts common;
    struct ttp_report_options analysis;
    const char *rules, *mem, *what_if;
    int64_t top;
    bool full;
};

#define FIELD(name) offsetof(struct advise_opts, name)
static const struct ttp_opt options[] = {
    {.table = &ttp_analysis_options, .offset = FIELD(analysis), .group = "Which rows"},
    TTP_OPTION(STR, "rules", FIELD(rules),
               "add your own rules: 'rule NAME', 'when EXPRESSION', 'say TEXT', 'gain 30%' or "
               "'gain 5us', 'step NAME', one per line; expressions as in report --where",
               .metavar = "FILE", .group = "Advice"),
    {.name = "mem",
     .offset = FIELD(mem),
     .type = TTP_OPT_STR,
     .metavar = "FILE",
     .help =
         "a graph capture of the same run, or a folder with one: find outputs that stale buffers "
         "keep out of L1, and name what to free"},
    {.name = "what-if",
     .offset = FIELD(what_if),
     .type = TTP_OPT_STR,
     .metavar = "CHANGES",
     .help =
         "predict the iteration with other settings in place of a plan: weights, in0, out (bf16, "
         "bfp8, bfp4), fidelity, in0_block_w, out_subblock_h, out_subblock_w, per_core_M, "
         "per_core_N, config=best, remove=yes, with commas between them; --where chooses the ops, "
         "by the columns of report and by m, k and n of matmuls"},
    TTP_OPTION(INT, "top", FIELD(top),
               "name at most N ops per change (default 5; csv and json: all)", .min = 1,
               .max = INT32_MAX, .metavar = "N"),
    TTP_OPTION(FLAG, "full", FIELD(full),
               "in text: show ops, formula, risk and the verifying command for every change, not "
               "only for the first"),
};

static const struct advise_opts defaults = {.top = 5};
static const char *const formats[] = {"text", "json", "md", "csv", "html", NULL};
static const struct ttp_document_spec *const documents[] = {&ttp_advise_document,
                                                            &ttp_what_if_document, NULL};

static ttp_code read_rules(struct ttp_user_rules *out, const char *path, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    struct ttp_file file;

    TTP_TRY(ttp_file_map(&file, path, err));
    const ttp_code rc =
        ttp_user_rules_parse(out, ttp_arena_copy(arena, file.text), path, arena, err);
    ttp_file_close(&file);
    return rc;
}

/* Kernels of a folder with logs. False: there are none, which is not a failure. */
static bool read_kernels(struct ttp_kernel_input *out, const struct ttp_run_wanted *wanted,
                         const struct ttp_ctx *ctx)
{
    const struct ttp_kernel_request request = {
        .dir = wanted->operand, .traces = true, .host = true, .threads = wanted->threads};
    struct ttp_err err = {0};

    if (!ttp_file_is_dir(wanted->operand))
        return false;
    const ttp_code rc = ttp_run_input_kernels(out, request, ctx, &err);
    if (rc != TTP_OK && rc != TTP_ENOTFOUND)
        ttp_ctx_warn(ctx, "no advice about the kernels themselves: %s", err.text);
    return rc == TTP_OK && out->has_log;
}

/* The rows of a run, and its kernels where it has some of its own. */
static ttp_code read_run(struct ttp_run_input *in, struct ttp_kernel_input *kernels,
                         bool *has_kernels, const struct ttp_run_wanted *wanted,
                         const struct ttp_ctx *ctx, struct ttp_err *err)
{
    *has_kernels = ttp_run_is_device_only(wanted->operand, ctx->arena);
    if (*has_kernels)
        return ttp_run_input_programs(in, kernels, wanted, ctx, err);
    TTP_TRY(ttp_run_input_read(in, wanted, ctx, err));
    *has_kernels = ttp_plan_wants_kernels(&in->report) && read_kernels(kernels, wanted, ctx);
    return TTP_OK;
}

/* The settings are read before the run, which may be large. */
static ttp_code show_what_if(int *status, const struct advise_opts *o, const struct ttp_what_if *w,
                             const struct ttp_run_input *in, const struct ttp_show *as,
                             struct ttp_err *err)
{
    const ttp_str where = ttp_str_from(o->common.where ? o->common.where : "");
    struct ttp_show show = *as;
    struct ttp_what_if_result result;

    TTP_TRY(ttp_what_if(&result, w, where, &in->report, show.arena, err));
    if (result.count == 0) {
        (void)ttp_fail(err, TTP_EUSAGE, "no op of the iteration matches '%.*s'", TTP_FMT(where));
        ttp_err_hint(err, "tt-perf report --rows lists them; --window all takes the whole run");
        return TTP_EUSAGE;
    }
    show.selection.where = NULL; /* it has chosen the ops */
    const struct ttp_what_if_view view = {.result = &result,
                                          .report = &in->report,
                                          .name = ttp_str_from(in->name),
                                          .change = ttp_str_from(o->what_if),
                                          .where = where};
    *status = result.changed ? *status : TTP_EXIT_UNDECIDED;
    return ttp_out_what_if(&show, &view, err);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct advise_opts *o = opts;
    struct ttp_user_rules rules = {0};
    struct ttp_words warnings = {0};
    struct ttp_show show = ctx->show;
    struct ttp_kernel_input kernels;
    struct ttp_run_input in;
    struct ttp_plan plan;
    struct ttp_what_if what_if;
    struct ttp_words runs;

    if (o->what_if)
        TTP_TRY(ttp_what_if_parse(&what_if, ttp_str_from(o->what_if), err));
    TTP_TRY(ttp_run_operands(&runs, operands, ctx->arena, err));
    const struct ttp_run_wanted wanted = {runs.word[0], &o->analysis, (unsigned)o->common.threads,
                                          ctx->show.form == TTP_FORM_JSON ? &warnings : NULL};
    if (o->rules)
        TTP_TRY(read_rules(&rules, o->rules, ctx->arena, err));
    bool has_kernels = false;
    TTP_TRY(read_run(&in, &kernels, &has_kernels, &wanted, ctx, err));
    TTP_TRY(ttp_run_input_join_memory(&in.ops, o->mem, ctx, err));
    show.inputs = &runs;
    show.warnings = &warnings;
    if (o->analysis.check && in.report.quality.level == TTP_QUALITY_BAD)
        *status = TTP_EXIT_FINDING;
    if (o->what_if)
        return show_what_if(status, o, &what_if, &in, &show, err);
    ttp_plan_make_with(&plan, &in.report, &rules, has_kernels ? &kernels.report : NULL, ctx->arena);
    ttp_plan_add_configs(&plan, &in.report, ctx->arena);
    const bool people = show.form != TTP_FORM_JSON && show.form != TTP_FORM_CSV;
    const struct ttp_plan_view view = {.plan = &plan,
                                       .report = &in.report,
                                       .name = ttp_str_from(in.name),
                                       .top = (size_t)(o->top   ? o->top
                                                       : people ? defaults.top
                                                                : 0),
                                       .full = o->full};
    return ttp_out_advise(&show, &view, err);
}

static const struct ttp_example examples[] = {
    {"tt-perf advise run/", "the next change, its expected gain, and what is already done"},
    {"tt-perf advise --format json ops.csv", "the same for a program"},
    {"tt-perf advise ops.csv --mem graph_capture.json", "and which stale tensors to free"},
    {"tt-perf advise run/ --what-if 'weights=bfp4,fidelity=lofi' --where 'op~Matmul and k=4096'",
     "the iteration with other formats, predicted"},
    {"tt-perf advise --rules team.rules ops.csv", "with rules of your own"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_advise = {
    .name = "advise",
    .args = "[RUN]",
    .summary = "recommend the next change and estimate its gain",
    .description =
        "Checks every op of a run against a table of rules and sorts the findings by the time "
        "they would save. Names the ONE next change with its evidence and how to verify it, then "
        "the others (each gain excludes what earlier changes already save), then the checklist "
        "of the seven steps, judged by the rows, not by a config.\n\n"
        "A run is an ops_perf_results CSV, a folder that contains one, or a folder of profiler "
        "logs; by default the last run of tt-metal in this environment. For your own kernels "
        "(TT-Lang, generic ops) the device log and NoC traces in the folder add detail: which of "
        "reader, compute and writer waits for which, and what is moved besides the tensors. If "
        "there is only a device log, its programs are the ops.",
    TTP_CMD_OPTIONS(options, struct advise_opts),
    .takes = TTP_TAKES_REPORT | TTP_TAKES_THREADS | TTP_TAKES_BOARDS,
    .formats = formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .min_operands = 0,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};
