/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_advise.c - `tt-perf advise`: the plan for a run. */
#include "base/file.h"
#include "base/shell_lines.h"
#include "core/cmd.h"
#include "core/run_input.h"
#include "outputs/outputs.h"
#include "run/run.h"
#include "store/store.h"

struct advise_opts {
    struct ttp_common_opts common;
    struct ttp_report_options analysis;
    const char *rules, *mem, *what_if, *store;
    int64_t top;
    bool full, history;
};

#define FIELD(name) offsetof(struct advise_opts, name)
static const struct ttp_opt options[] = {
    {.table = &ttp_analysis_options, .offset = FIELD(analysis), .group = "Selection"},
    TTP_OPTION(STR, "rules", FIELD(rules),
               "add your own rules: 'rule NAME', 'when EXPRESSION', 'say TEXT', 'gain 30%' or "
               "'gain 5us', 'step NAME', one per line; expressions as in report --where",
               .metavar = "FILE", .group = "Advice"),
    TTP_OPTION(
        STR, "mem", FIELD(mem),
        "a graph capture of the same run, or a folder with one: find outputs that stale buffers "
        "keep out of L1, and name what to free (default: the capture in the folder of the run)",
        .of_run = true, .metavar = "FILE"),
    TTP_OPTION(
        STR, "what-if", FIELD(what_if),
        "predict the iteration with other settings in place of a plan: weights, in0, out (bf16, "
        "bfp8, bfp4), fidelity, in0_block_w, out_subblock_h, out_subblock_w, per_core_M, "
        "per_core_N, config=best, remove=yes, with commas between them; --where chooses the ops, "
        "by the columns of report and by m, k and n of matmuls",
        .metavar = "CHANGES"),
    TTP_OPTION(FLAG, "history", FIELD(history),
               "first name ops that a run of the team's history did faster with other settings, "
               "and the settings to copy"),
    TTP_OPTION(STR, "store", FIELD(store),
               "the history to look in, a SQLite file or postgresql://USER@HOST/DATABASE; implies "
               "--history (default: as 'tt-perf history')",
               .metavar = "STORE"),
    TTP_OPTION(INT, "top", FIELD(top),
               "name at most N ops per change (default 5; csv and json: all)", .min = 1,
               .max = INT32_MAX, .metavar = "N"),
    TTP_OPTION(FLAG, "full", FIELD(full),
               "in text: show ops, formula, risk and the verifying command for every change, not "
               "only for the first"),
};

static const struct advise_opts defaults = {.top = 5};
static const struct ttp_document_spec *const documents[] = {&ttp_advise_document,
                                                            &ttp_what_if_document, NULL};

static ttp_code read_rules(struct ttp_user_rules *out, const char *path, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    struct ttp_file file;

    if (!path)
        return TTP_OK;
    TTP_TRY(ttp_file_map(&file, path, err));
    const ttp_code rc =
        ttp_advice_user_rules_parse(out, ttp_arena_copy(arena, file.text), path, arena, err);
    ttp_file_close(&file);
    return rc;
}

/* The settings are read before the run, which may be large. */
static ttp_code show_what_if(int *status, const struct advise_opts *o, const struct ttp_what_if *w,
                             const struct ttp_run_input *in, const struct ttp_show *as,
                             struct ttp_err *err)
{
    struct ttp_show show = *as;
    struct ttp_what_if_result result;

    TTP_TRY(ttp_what_if(&result, w, &in->report, show.arena, err));
    if (result.count == 0) {
        (void)ttp_fail(err, TTP_EUSAGE, "no op of the iteration matches '%.*s'", TTP_FMT(w->where));
        ttp_err_hint(err, "tt-perf report --rows lists them; --window all takes the whole run");
        return TTP_EUSAGE;
    }
    show.selection.where = NULL; /* it has chosen the ops */
    const struct ttp_what_if_view view = {.result = &result,
                                          .report = &in->report,
                                          .name = ttp_str_from(in->name),
                                          .change = ttp_str_from(o->what_if),
                                          .where = w->where};
    *status = result.changed ? *status : TTP_EXIT_UNDECIDED;
    return ttp_out_what_if(&show, &view, err);
}

/* Ops that the history knows faster. It may not be there yet: that is an error, it was asked for.
 */
static ttp_code look_in_history(struct ttp_plan_view *view, const struct advise_opts *o,
                                const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_known_ops *known = TTP_NEW(ctx->arena, struct ttp_known_ops, 1);
    const char *where = ttp_store_where(o->store, ctx->arena);
    struct ttp_store *store = NULL;

    if (!o->history && !o->store)
        return TTP_OK;
    if (!where) {
        (void)ttp_fail(err, TTP_EMISSING, "no home folder for the history");
        ttp_err_hint(err, "give a file with --store or TT_PERF_STORE, or set HOME");
        return TTP_EMISSING;
    }
    ttp_code rc = ttp_store_open(&store, where, TTP_STORE_READ, err);
    if (rc == TTP_OK)
        rc = ttp_store_known(known, store, view->report, ctx->arena, err);
    ttp_store_close(store);
    view->known = known;
    view->store = ttp_store_name(where, ctx->arena);
    return rc;
}

/* 0: all. */
static size_t ops_named(const struct advise_opts *o, enum ttp_form form)
{
    const bool people = form != TTP_FORM_JSON && !ttp_form_flat(form);

    if (o->top)
        return (size_t)o->top;
    return people ? (size_t)defaults.top : 0;
}

static ttp_code read_what_if(struct ttp_what_if *out, const struct advise_opts *o,
                             struct ttp_err *err)
{
    *out = (struct ttp_what_if){0};
    if (o->what_if)
        TTP_TRY(ttp_what_if_parse(out, ttp_str_from(o->what_if), err));
    out->where = ttp_str_from(o->common.where ? o->common.where : "");
    return TTP_OK;
}

/* Gains are parts of device times: if ops on a device lack them, every plan would be empty or
 * wrong. */
static ttp_code check_times(const struct ttp_run_input *in, struct ttp_err *err)
{
    if (in->report.busy_us > 0 || in->report.window.device_us > 0 ||
        in->report.window.devices == 0 || /* a run of the host alone: rules for its ops */
        in->report.quality.item[TTP_CHECK_TIMES].level != TTP_QUALITY_BAD)
        return TTP_OK;
    (void)ttp_fail(err, TTP_EPARSE, "'%s' has no device time: there is no plan without it",
                   in->name);
    ttp_err_hint(err, "profile it with device times ('tt-perf record'), or choose ops with "
                      "--window");
    return TTP_EPARSE;
}

/* What is typed to read the run again; standard input cannot be read twice. */
static ttp_str name_run(const struct ttp_words *runs, struct ttp_arena *arena)
{
    if (runs->count == 1 && strcmp(runs->word[0], "-") == 0)
        return TTP_STR("RUN");
    return ttp_shell_words(runs, arena);
}

static ttp_str spell_memory(const char *capture, struct ttp_arena *arena)
{
    const struct ttp_words words = {.word = &capture, .count = 1};

    return capture ? ttp_sink_format(arena, " --mem %.*s", TTP_FMT(ttp_shell_words(&words, arena)))
                   : (ttp_str){0};
}

/* What a plan needs beyond the ops. */
static ttp_code complete_input(struct ttp_run_input *in, const struct advise_opts *o,
                               const char *run, const struct ttp_ctx *ctx, struct ttp_err *err)
{
    TTP_TRY(check_times(in, err));
    return ttp_run_input_join_memory(&in->ops, o->mem, run, ctx, err);
}

/* All that a plan is made from. */
struct advice_input {
    struct ttp_user_rules rules;
    struct ttp_words runs, warnings;
    struct ttp_run_wanted wanted;
    struct ttp_run_input run;
    struct ttp_kernel_input kernels;
    bool has_kernels;
};

static ttp_code read_input(struct advice_input *in, const struct advise_opts *o,
                           const struct ttp_words *operands, const struct ttp_ctx *ctx,
                           struct ttp_err *err)
{
    *in = (struct advice_input){0};
    TTP_TRY(ttp_run_operands(&in->runs, operands, ctx->arena, err));
    in->wanted =
        (struct ttp_run_wanted){.operand = in->runs.word[0],
                                .analysis = &o->analysis,
                                .threads = (unsigned)o->common.threads,
                                .warnings = ctx->show.form == TTP_FORM_JSON ? &in->warnings : NULL,
                                .mesh = true};
    TTP_TRY(read_rules(&in->rules, o->rules, ctx->arena, err));
    TTP_TRY(ttp_run_input_whole(&in->run, &in->kernels, &in->has_kernels, &in->wanted, ctx, err));
    return complete_input(&in->run, o, in->runs.word[0], ctx, err);
}

static void make_plan(struct ttp_plan *plan, struct advice_input *in, const struct ttp_ctx *ctx)
{
    struct ttp_run_mesh mesh;

    ttp_run_input_mesh(&mesh, &in->run, &in->wanted,
                       "advice about devices that wait for each other", ctx);
    const struct ttp_plan_sources from = {.user = &in->rules,
                                          .kernels = in->has_kernels ? &in->kernels.report : NULL,
                                          .mesh = mesh.mesh,
                                          .line = mesh.line};
    ttp_plan_make(plan, &in->run.report, &from, ctx->arena);
    ttp_plan_add_configs(plan, &in->run.report, ctx->arena);
}

static ttp_code show_plan(struct advice_input *in, const struct advise_opts *o,
                          const struct ttp_show *show, const struct ttp_ctx *ctx,
                          struct ttp_err *err)
{
    struct ttp_plan plan;

    make_plan(&plan, in, ctx);
    /* without NoC events nothing tells what the threads of a kernel move and wait for */
    const bool has_kernel_detail = in->has_kernels && in->kernels.has_traces;
    struct ttp_plan_view view = {
        .plan = &plan,
        .report = &in->run.report,
        .name = ttp_str_from(in->run.name),
        .operands = name_run(&in->runs, ctx->arena),
        .options = ttp_run_input_options(&o->analysis, o->common.boards, ctx->arena),
        .memory = spell_memory(o->mem, ctx->arena),
        .top = ops_named(o, show->form),
        .kernels_unknown = plan.model == TTP_MODEL_KERNELS && !has_kernel_detail,
        .kernels = in->has_kernels ? &in->kernels.report : NULL,
        .full = o->full};
    TTP_TRY(look_in_history(&view, o, ctx, err));
    return ttp_out_advise(show, &view, err);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct advise_opts *o = opts;
    struct ttp_show show = ctx->show;
    struct advice_input in;
    struct ttp_what_if what_if;

    TTP_TRY(read_what_if(&what_if, o, err));
    TTP_TRY(read_input(&in, o, operands, ctx, err));
    show.inputs = &in.runs;
    show.warnings = &in.warnings;
    if ((o->analysis.check && in.run.report.quality.level == TTP_QUALITY_BAD) ||
        in.run.ops.unreadable)
        *status = TTP_EXIT_FINDING;
    return o->what_if ? show_what_if(status, o, &what_if, &in.run, &show, err)
                      : show_plan(&in, o, &show, ctx, err);
}

static const struct ttp_example examples[] = {
    {"tt-perf advise run/", "the next change, its expected gain, and what is already done"},
    {"tt-perf advise --format json ops.csv", "the same for a program"},
    {"tt-perf advise ops.csv --mem graph_capture.json", "and which stale tensors to free"},
    {"tt-perf advise run/ --what-if 'weights=bfp4,fidelity=lofi' --where 'op~Matmul and k=4096'",
     "the iteration with other formats, predicted"},
    {"tt-perf advise run/ --history", "and which of its ops the team has run faster, and how"},
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
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .min_operands = 0,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};
