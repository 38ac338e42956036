/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_advise.c - `tt-perf advise`: the plan for a run. */
#include "base/file.h"
#include "core/cmd.h"
#include "core/run_input.h"
#include "core/run_logs.h"
#include "outputs/outputs.h"
#include "verbs/advise_kernels.h"

struct advise_opts {
    struct ttp_common_opts common;
    struct ttp_report_options analysis;
    const char *rules;
    int64_t top;
};

#define FIELD(name) offsetof(struct advise_opts, name)
static const struct ttp_opt options[] = {
    {.table = &ttp_analysis_options, .offset = FIELD(analysis), .group = "Which rows"},
    {.name = "rules",
     .offset = FIELD(rules),
     .type = TTP_OPT_STR,
     .metavar = "FILE",
     .group = "Advice",
     .help = "rules of your own besides: 'rule NAME', 'when EXPRESSION', 'say TEXT', 'gain 30%' or "
             "'gain 5us', 'step NAME', a line each; expressions as in report --where"},
    {.name = "top",
     .offset = FIELD(top),
     .type = TTP_OPT_INT,
     .min = 1,
     .max = INT32_MAX,
     .metavar = "N",
     .help = "name at most N ops for each change (default 5; csv and json: all)"},
};

static const char *const formats[] = {"text", "json", "md", "csv", NULL};
static const struct ttp_document_spec *const documents[] = {&ttp_advise_document, NULL};

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

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct advise_opts *o = opts;
    struct ttp_user_rules rules = {0};
    struct ttp_words warnings = {0};
    struct ttp_words *kept = ctx->show.form == TTP_FORM_JSON ? &warnings : NULL;
    struct ttp_show show = ctx->show;
    struct ttp_kernel_input kernels;
    struct ttp_run_input in;
    struct ttp_plan plan;
    const unsigned threads = (unsigned)o->common.threads;
    struct ttp_words runs;

    TTP_TRY(ttp_run_operands(&runs, operands, ctx->arena, err));
    const char *operand = runs.word[0];
    if (o->rules)
        TTP_TRY(read_rules(&rules, o->rules, ctx->arena, err));
    bool has_kernels = ttp_advise_is_device_only(operand, ctx->arena);
    if (has_kernels) {
        TTP_TRY(ttp_advise_read_programs(&in, &kernels, operand, &o->analysis, threads, kept, ctx,
                                         err));
    } else {
        TTP_TRY(ttp_run_input_read(&in, operand, &o->analysis, threads, kept, ctx, err));
        has_kernels = ttp_plan_wants_kernels(&in.report) &&
                      ttp_advise_read_kernels(&kernels, operand, threads, ctx);
    }
    ttp_plan_make_with(&plan, &in.report, &rules, has_kernels ? &kernels.report : NULL, ctx->arena);
    ttp_plan_add_configs(&plan, &in.report, ctx->arena);
    const struct ttp_plan_view view = {
        .plan = &plan, .report = &in.report, .name = ttp_str_from(in.name), .top = (size_t)o->top};
    if (o->analysis.check && in.report.quality.level == TTP_QUALITY_BAD)
        *status = TTP_EXIT_FINDING;
    show.inputs = &runs;
    show.warnings = &warnings;
    return ttp_out_advise(&show, &view, err);
}

static const struct ttp_example examples[] = {
    {"tt-perf advise run/", "the next change, its expected gain, and what is in place already"},
    {"tt-perf advise --format json ops.csv", "the same for a program"},
    {"tt-perf advise --rules team.rules ops.csv", "with rules of your own"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_advise = {
    .name = "advise",
    .args = "[RUN]",
    .summary = "say what to change next, and what it would bring",
    .description =
        "Looks at every op of a run with a table of rules and sorts what they find by the time it "
        "would save. Names the next ONE change with its evidence and how to verify it, then the "
        "others (of each what is left when those before it are done), then the checklist of the "
        "seven steps with what is seen in the rows, not in a config.\n\n"
        "A run is an ops_perf_results CSV, a folder that has one, or a folder of profiler logs; by "
        "default the last run of tt-metal in this environment. Of "
        "kernels of your own (TT-Lang, generic ops) the folder's device log and NoC traces say "
        "more: "
        "which of reader, compute and writer waits for which, and what is moved besides the "
        "tensors. "
        "Where there is nothing but a device log, its programs are the ops.",
    .opt = options,
    .nopt = TTP_COUNT(options),
    .opts_size = sizeof(struct advise_opts),
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_COLOR | TTP_TAKES_PAGER | TTP_TAKES_OUTPUT |
             TTP_TAKES_TALK | TTP_TAKES_THREADS | TTP_TAKES_BOARDS | TTP_TAKES_LIMITS |
             TTP_TAKES_TIME | TTP_TAKES_TABLE,
    .formats = formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .min_operands = 0,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};
