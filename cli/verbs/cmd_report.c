/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_report.c - `tt-perf report`: the operations of a run, with advice and a summary. */
#include "base/file.h"
#include "base/outsink.h"
#include "base/shell_lines.h"
#include "core/cmd.h"
#include "core/run_input.h"
#include "core/verbs.h"
#include "outputs/outputs.h"
#include "run/run.h"
#include "store/store.h"

/* The first three are tt-perf-report's. */
static const char *const group_words[] = {"op",         "memory",  "category", "location",
                                          "const-eval", "program", NULL};

#define FIELD(name) offsetof(struct ttp_report_verb, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(FLAG, "print-signposts", FIELD(as.analysis.print_signposts),
               "show signposts as rows", .group = "Selection"),
    TTP_OPTION(STR, "id-range", FIELD(as.id_range),
               "show only rows in a range of IDs, such as 5-10, 31- or -12", .metavar = "RANGE"),
    TTP_OPTION(FLOAT, "min-percentage", FIELD(as.min_percentage),
               "hide rows below this percentage of the run in text and Markdown (default 0.5)",
               .metavar = "PERCENT"),
    TTP_OPTION(FLAG, "host-ops", FIELD(host_ops),
               "show each host op as a row in text and Markdown; the default is one line for all"),
    TTP_OPTION(FLAG, "no-host-ops", FIELD(as.analysis.no_host_ops), "omit host ops"),
    TTP_OPTION(FLAG, "no-merge-devices", FIELD(as.analysis.no_merge_devices),
               "show devices separately instead of merging them"),
    TTP_OPTION(FLAG, "by-rank", FIELD(as.analysis.by_rank),
               "one row per op and rank: merge only the devices of each rank"),
    {.table = &ttp_analysis_options, .offset = FIELD(as.analysis)},
    TTP_OPTION(INT, "top", FIELD(top),
               "show only the first N groups (default 20, 0 means all), or with --rows, --where or "
               "--sort the first N rows",
               .min = 0, .max = INT32_MAX, .metavar = "N"),
    TTP_OPTION(FLAG, "rows", FIELD(rows),
               "show one row per op in the order of execution, with advice and a summary; implied "
               "by --where, --sort, --columns and --fold"),
    TTP_OPTION(
        INT, "op", FIELD(op),
        "show one op in detail: its limit, the evidence for it, its ceiling, and for a matmul "
        "other program configs with predicted times",
        .min = 2, .max = INT32_MAX, .metavar = "ID"),
    TTP_OPTION(FLOAT, "tokens", FIELD(tokens), "tokens per iteration; adds tokens per second",
               .metavar = "N"),
    TTP_OPTION(FLOAT, "users", FIELD(users), "number of users that share them", .metavar = "N"),
    TTP_OPTION(FLAG, "fold", FIELD(fold), "show repeated layers once, with their count and spread",
               .group = "Output"),
    TTP_OPTION(FLAG, "ranges", FIELD(ranges),
               "print the ranges between signposts as a tree instead of the table, with their "
               "time, gaps, ops and share; --window range=NAME selects one"),
    TTP_OPTION(
        STR, "mem", FIELD(mem),
        "add the L1 use of each op from a graph capture of the same run, or a folder with one "
        "(default: the capture in the folder of the run)",
        .of_run = true, .metavar = "FILE"),
    TTP_OPTION(
        STR, "unprofiled", FIELD(unprofiled),
        "take the overhead of the profiler from the newest run NAME of the history that was "
        "measured without it: the time of one iteration, or tokens/s with --tokens (default: "
        "an estimate from the markers)",
        .metavar = "NAME"),
    TTP_OPTION(STR, "store", FIELD(store),
               "the history to look in, a SQLite file or postgresql://USER@HOST/DATABASE (default: "
               "as 'tt-perf history')",
               .metavar = "STORE"),
    TTP_OPTION(
        FLAG, "roofline", FIELD(roofline),
        "draw a roofline instead of the table: TFLOPs over FLOP per byte, with larger dots "
        "for longer ops and names for the slowest; --format svg or png, or -o FILE.svg, makes a "
        "picture, csv lists the points, json adds them to the report"),
    TTP_OPTION(CHOICE, "group-by", FIELD(as.group_by),
               "group the summary by op, by op and input memory, or by category (default memory); "
               "for a tt-mlir run also by source location, const-eval or program",
               .choices = group_words),
    TTP_OPTION(FLAG, "no-advice", FIELD(as.no_advice), "omit the advice"),
    TTP_OPTION(FLAG, "no-summary", FIELD(as.no_summary), "omit the summary"),
    {.name = "no-stacked-report", .alias_of = "no-summary", .hidden = true},
    TTP_OPTION(FLAG, "raw-op-codes", FIELD(as.raw_op_codes),
               "add the unmodified op code as a column to CSV"),
    TTP_OPTION(STR, "csv", FIELD(as.csv),
               "write the table as CSV to FILE instead of printing it, and the summary next to it",
               .metavar = "FILE", .group = "Files"),
    TTP_OPTION(STR, "summary-file", FIELD(as.summary_file),
               "write the summary as BASE.csv, BASE.svg and BASE.png", .metavar = "BASE"),
    {.name = "stacked-csv", .alias_of = "summary-file", .hidden = true},
    TTP_OPTION(FLAG, "classic-colors", FIELD(as.classic_colors),
               "use a fixed sequence of colours in the picture instead of categories"),
};

#define TOP_UNSET (-1)
static const struct ttp_report_verb defaults = {
    .top = TOP_UNSET,
    .as = {.min_percentage = 0.5, .group_by = TTP_WORD_MEMORY},
};

/* All that one run makes on its way to the output. */
struct report_run {
    const struct ttp_ctx *ctx;
    const struct ttp_report_verb *o;
    struct ttp_run_sources from;
    struct ttp_ops ops;
    struct ttp_report report;
    struct ttp_report_options analysis;
    struct ttp_report_view view;
    const char *folder;                      /* of the only operand; NULL: there is none */
    ttp_str operands;                        /* as a shell takes them */
    const struct ttp_kernel_report *kernels; /* NULL: not needed, or none */
};

static const char *given(const char *text)
{
    return text && text[0] ? text : NULL;
}

/* JSON has files and warnings in it, and stderr then is for the error object alone. */
static bool is_json(const struct report_run *r)
{
    return r->ctx->show.form == TTP_FORM_JSON;
}

static ttp_code find_files(struct report_run *r, const struct ttp_words *operands,
                           struct ttp_err *err)
{
    const struct ttp_report_opening opening = {
        .noc = true, .quiet = is_json(r), .mesh = true, .threads = (unsigned)r->o->common.threads};

    return ttp_report_open(&r->from, r->ctx, operands, &opening, err);
}

static ttp_code set_analysis(struct report_run *r, struct ttp_err *err)
{
    const struct ttp_report_dropin *as = &r->o->as;

    r->analysis = as->analysis;
    r->analysis.boards = r->ctx->boards;
    r->analysis.arch = given(as->analysis.arch);
    if (!ttp_report_parse_id_range(&r->analysis, given(as->id_range), r->ctx->arena) ||
        (r->analysis.has_id_range && !r->analysis.has_id_from && !r->analysis.has_id_to)) {
        const ttp_code rc = ttp_fail(err, TTP_EUSAGE, "invalid range of IDs '%s'", as->id_range);
        ttp_err_hint(err, "use a form like 5-10, 31- or -12");
        return rc;
    }
    return TTP_OK;
}

static void tell_notes(const struct report_run *r)
{
    const struct ttp_notes *notes = &r->report.notes;

    for (size_t i = 0; i < notes->count && !is_json(r); i++) {
        const struct ttp_note *n = &notes->item[i];
        if (n->level == TTP_NOTE_WARNING)
            ttp_ctx_warn(r->ctx, "%.*s", TTP_FMT(n->text));
        else
            ttp_ctx_say(r->ctx, "%.*s", TTP_FMT(n->text));
    }
}

/* Options that are about rows ask for them. */
static bool wants_rows(const struct report_run *r)
{
    const struct ttp_report_verb *o = r->o;

    return o->rows || o->host_ops || o->fold || given(o->common.where) || given(o->common.sort) ||
           o->common.columns || given(o->as.id_range) || o->as.analysis.print_signposts ||
           o->as.analysis.no_merge_devices || o->as.analysis.by_rank || o->as.raw_op_codes ||
           o->as.group_by != TTP_WORD_MEMORY ||
           o->as.min_percentage != defaults.as.min_percentage || r->ctx->show.form != TTP_FORM_TEXT;
}

/* What to do about the check that the first line is about. */
static void tell_quality(const struct report_run *r)
{
    const struct ttp_quality *q = &r->report.quality;

    if (wants_rows(r) || r->o->op || r->o->ranges || r->o->roofline)
        return;
    for (size_t c = 0; c < TTP_CHECKS; c++)
        if (q->level >= TTP_QUALITY_CAUTION && q->item[c].level == q->level && q->item[c].to_do) {
            ttp_ctx_say(r->ctx, "to trust the run: %s (--check lists all checks)",
                        q->item[c].to_do);
            return;
        }
}

/* The op of --op; the number of ops: not in the report. */
static size_t find_op(const struct report_run *r)
{
    size_t i = 0;

    while (i < r->report.count && (int64_t)r->report.op[i].row + 2 != r->o->op)
        i++;
    return i;
}

/* Why the op of --op is not in the report. */
static ttp_code explain_absence(const struct report_run *r, struct ttp_err *err)
{
    const long long id = r->o->op;
    const ttp_sym type = id >= 2 && (size_t)id - 2 < r->ops.rows
                             ? ttp_ops_sym(&r->ops, TTP_OPS_TYPE, (size_t)id - 2)
                             : TTP_SYM_MISSING;

    if (id < 2 || (size_t)id - 2 >= r->ops.rows) {
        (void)ttp_fail(err, TTP_EUSAGE, "no op with ID %lld: the run has IDs 2 to %zu", id,
                       r->ops.rows + 1);
        ttp_err_hint(err, "list IDs with --rows");
    } else if (type != TTP_SYM_MISSING &&
               ttp_str_eq(ttp_sym_name(&r->ops.syms, type), TTP_STR("signpost"))) {
        (void)ttp_fail(err, TTP_EUSAGE, "ID %lld is a signpost, not an op", id);
        ttp_err_hint(err, "list IDs with --rows");
    } else {
        (void)ttp_fail(err, TTP_EUSAGE, "no op with ID %lld in the window", id);
        ttp_err_hint(err, "list IDs with --rows; use --window all for the whole run");
    }
    return TTP_EUSAGE;
}

static ttp_code show_op(struct report_run *r, struct ttp_err *err)
{
    struct ttp_show as = r->ctx->show;
    const size_t found = find_op(r);

    as.inputs = &r->from.name;
    if (found < r->report.count)
        return ttp_out_one_op(&as, &r->view, found, err);
    return explain_absence(r, err);
}

/* Devices on one clock: those of the ranks, or of one process. A plan and the map of a page need
 * them. */
static struct ttp_run_mesh find_mesh(struct report_run *r)
{
    const enum ttp_form form = r->ctx->show.form;
    const bool one = r->from.name.count == 1;
    const struct ttp_run_mesh_request request = {.path = one ? r->from.name.word[0] : NULL,
                                                 .ops = &r->ops,
                                                 .report = &r->report,
                                                 .known = r->from.mesh && one ? r->from.mesh : NULL,
                                                 .boards = r->ctx->boards,
                                                 .threads = (unsigned)r->o->common.threads};
    struct ttp_err ignored = {0};
    struct ttp_run_mesh found = {0};

    if ((form != TTP_FORM_HTML && form != TTP_FORM_TEXT && form != TTP_FORM_MARKDOWN) || !one ||
        r->report.window.devices < 2 || r->analysis.rank || r->analysis.device ||
        ttp_run_open_mesh(&found, &request, r->ctx->arena, &ignored) != TTP_OK)
        return (struct ttp_run_mesh){0};
    return found;
}

static ttp_code make_view(struct report_run *r, struct ttp_err *err)
{
    static const enum ttp_group_by by[] = {TTP_GROUP_OP,         TTP_GROUP_MEMORY,
                                           TTP_GROUP_CATEGORY,   TTP_GROUP_LOCATION,
                                           TTP_GROUP_CONST_EVAL, TTP_GROUP_PROGRAM};
    const struct ttp_view_options wanted = {
        .selection = {given(r->o->common.where), given(r->o->common.sort),
                      wants_rows(r) && r->o->top > 0 ? (size_t)r->o->top : 0},
        .group_by = by[r->o->as.group_by],
        .no_advice = r->o->as.no_advice,
        .no_summary = r->o->as.no_summary,
        .fold = r->o->fold,
        .roofline = r->o->roofline,
        .min_percentage = r->o->as.min_percentage,
        .host_ops = r->o->host_ops,
        .raw_op_codes = r->o->as.raw_op_codes,
    };

    TTP_TRY(ttp_out_make_view(&r->view, &r->report, &r->analysis, &wanted, r->ctx->arena, err));
    r->view.mesh = r->from.mesh && r->from.name.count == 1 ? r->from.mesh[0].mesh : NULL;
    if (r->view.mesh)
        ttp_run_set_window(&r->from.mesh[0], &r->report);
    const struct ttp_run_mesh mesh = find_mesh(r);
    r->view.places = r->view.mesh ? NULL : mesh.mesh;
    r->view.plan =
        (struct ttp_plan_sources){.kernels = r->kernels, .mesh = mesh.mesh, .line = mesh.line};
    r->view.operands = r->operands;
    r->view.rows_in_order = wants_rows(r);
    r->view.tokens = r->o->tokens;
    r->view.users = r->o->users;
    r->view.top = r->o->top > 0 ? (size_t)r->o->top : 0;
    r->view.all_groups = r->o->top == 0;
    r->view.checks = r->analysis.check;
    return TTP_OK;
}

/* --csv replaces what is printed, and brings the summary's files along, as under the other name. */
static ttp_code write_files(const struct report_run *r, struct ttp_err *err)
{
    const struct ttp_picture_style style = {.classic_colors = r->o->as.classic_colors};
    const char *csv = given(r->o->as.csv), *base = given(r->o->as.summary_file);
    struct ttp_arena *arena = r->ctx->arena;
    const char *missing;

    if (csv) {
        struct ttp_show show = r->ctx->show;
        struct ttp_outsink out;
        TTP_TRY(ttp_outsink_open(&out, csv, err));
        show.out = &out.sink;
        show.form = TTP_FORM_CSV;
        const ttp_code rc = ttp_out_report(&show, &r->view, err);
        TTP_TRY(ttp_outsink_close(&out, rc, err));
        ttp_ctx_say(r->ctx, "wrote %s", csv);
        if (!base && r->view.summary)
            base = ttp_report_stacked_base(csv, arena);
    }
    if (!base || !r->view.summary || r->view.summary->empty)
        return TTP_OK;
    TTP_TRY(ttp_report_write_summary_csv(base, r->view.summary, TTP_GATE_TEXT, arena, err));
    TTP_TRY(ttp_report_write_pictures(&missing, base, r->view.summary, &style, arena, err));
    if (missing)
        ttp_ctx_warn(r->ctx, "%s", missing);
    ttp_ctx_say(r->ctx, "wrote %s.csv and its picture as .svg%s", base, missing ? "" : " and .png");
    return TTP_OK;
}

static ttp_code check_drawing(const struct report_run *r, struct ttp_err *err)
{
    if (r->o->roofline || !ttp_form_is_picture(r->ctx->show.form))
        return TTP_OK;
    (void)ttp_fail(err, TTP_EUSAGE, "--format %s requires --roofline", r->ctx->format);
    ttp_err_hint(err, "add --roofline, or draw the summary with --summary-file");
    return TTP_EUSAGE;
}

static ttp_code show(struct report_run *r, struct ttp_err *err)
{
    struct ttp_show as = r->ctx->show;

    as.inputs = &r->from.name;
    if (r->o->ranges)
        return ttp_out_signpost_ranges(&as, &r->report.ranges, err);
    TTP_TRY(make_view(r, err));
    if (r->o->op)
        return show_op(r, err);
    TTP_TRY(write_files(r, err));
    return given(r->o->as.csv) ? TTP_OK : ttp_out_report(&as, &r->view, err);
}

/* The overhead of the profiler, as a run without it tells. */
static ttp_code compare_unprofiled(struct report_run *r, struct ttp_err *err)
{
    const struct ttp_unprofiled_query query = {r->o->unprofiled, &r->report.window, r->o->tokens};
    struct ttp_arena *arena = r->ctx->arena;
    struct ttp_unprofiled found;
    struct ttp_store *store = NULL;

    if (!given(r->o->unprofiled))
        return TTP_OK;
    const char *where = ttp_store_where(given(r->o->store), arena);
    if (!where) {
        (void)ttp_fail(err, TTP_EMISSING, "no home folder for the history");
        ttp_err_hint(err, "give a file with --store or TT_PERF_STORE, or set HOME");
        return TTP_EMISSING;
    }
    ttp_code rc = ttp_store_open(&store, where, TTP_STORE_READ, err);
    if (rc == TTP_OK)
        rc = ttp_store_unprofiled(&found, store, &query, arena, err);
    ttp_store_close(store);
    if (rc == TTP_OK)
        ttp_analysis_set_unprofiled(&r->report, &found);
    return rc;
}

/* What the run spent before it was steady, if the inspector's logs were kept next to it. */
static void tell_startup(const struct ttp_ctx *ctx, const struct ttp_words *operands)
{
    int64_t startup_ns, compile_ns;

    if (ctx->quiet || ctx->show.form != TTP_FORM_TEXT || operands->count != 1 ||
        !ttp_startup_took(&startup_ns, &compile_ns, operands->word[0], ctx->arena))
        return;
    ttp_ctx_say(ctx, "start-up took %.1f s, %.0f %% of it compiling; see 'tt-perf startup %s'",
                (double)startup_ns / 1e9, 100.0 * (double)compile_ns / (double)startup_ns,
                operands->word[0]);
}

/* Records of the real-time profiler are not a table of ops: they are summed up by name. */
static ttp_code run_realtime(const struct ttp_ctx *ctx, const struct ttp_report_verb *o,
                             const struct ttp_words *operands, struct ttp_err *err)
{
    struct ttp_realtime records;
    const bool about_ops = o->roofline || o->fold || o->ranges || o->rows || o->op ||
                           o->as.analysis.window || given(o->as.id_range) ||
                           given(o->as.analysis.start_signpost) ||
                           given(o->as.analysis.end_signpost);

    if (ttp_form_is_picture(ctx->show.form) || about_ops) {
        (void)ttp_fail(err, TTP_EUSAGE, "'%s' has times by program, not a table of ops",
                       operands->word[0]);
        ttp_err_hint(err, "omit options that select or draw ops");
        return TTP_EUSAGE;
    }
    TTP_TRY(ttp_startup_realtime_read(&records, operands->word[0], ctx->arena, err));
    return ttp_out_realtime(&ctx->show, &records, err);
}

/* A device log without the host's side of the run: its programs are the ops. */
static ttp_code analyse_programs(struct report_run *r, const char *operand, struct ttp_err *err)
{
    const struct ttp_run_request request = {.path = operand,
                                            .analysis = r->analysis,
                                            .threads = (unsigned)r->o->common.threads,
                                            .progress = !r->ctx->quiet};
    struct ttp_run_input *in = TTP_NEW(r->ctx->arena, struct ttp_run_input, 1);
    struct ttp_kernel_input kernels;

    if (!is_json(r))
        ttp_ctx_say(
            r->ctx,
            "%s: a device log alone: programs have no names and no tensors; pass the folder "
            "that has the host's logs, or see their threads with 'tt-perf kernel'",
            operand);
    const ttp_code rc = ttp_run_analyse_programs(in, &kernels, &request, r->ctx->arena, err);
    ttp_words_add(&r->from.name, operand, r->ctx->arena);
    r->ops = in->ops;
    r->report = in->report;
    return rc;
}

static ttp_code analyse_once(struct report_run *r, const struct ttp_words *operands,
                             struct ttp_err *err)
{
    const struct ttp_ops_read_options reading = {.threads = (unsigned)r->o->common.threads,
                                                 .progress = !r->ctx->quiet};
    struct ttp_words runs;

    TTP_TRY(ttp_run_operands(&runs, operands, r->ctx->arena, err));
    r->operands = ttp_shell_words(&runs, r->ctx->arena);
    if (runs.count == 1 && ttp_run_is_device_only(runs.word[0], r->ctx->arena))
        return analyse_programs(r, runs.word[0], err);
    if (runs.count == 1 && ttp_file_is_dir(runs.word[0]))
        r->folder = runs.word[0];
    TTP_TRY(find_files(r, operands, err));
    const ttp_code rc = ttp_run_read_ops(&r->ops, &r->from, &reading, r->ctx->arena, err);
    ttp_run_close_sources(&r->from);
    TTP_TRY(rc);
    TTP_TRY(ttp_run_input_join_memory(&r->ops, given(r->o->mem),
                                      runs.count == 1 ? runs.word[0] : NULL, r->ctx, err));
    const ttp_code made = ttp_analysis_run(&r->report, &r->ops, &r->analysis, r->ctx->arena, err);
    if (made == TTP_EPARSE && r->from.name.count == 1)
        ttp_err_where(err, r->from.name.word[0], 0);
    return made;
}

/* A kernel of TT-Lang has the limit that `kernel` finds in its logs. */
static void judge_kernels(struct report_run *r)
{
    const struct ttp_kernel_request request = {.dir = r->folder,
                                               .traces = true,
                                               .host = true,
                                               .boards = r->analysis.boards,
                                               .threads = (unsigned)r->o->common.threads};
    struct ttp_kernel_input *kernels;
    struct ttp_err ignored = {0};

    if (!r->folder || !ttp_plan_wants_kernels(&r->report) ||
        !ttp_run_has_flow(r->folder, r->ctx->arena))
        return;
    kernels = TTP_NEW(r->ctx->arena, struct ttp_kernel_input, 1);
    if (ttp_run_read_kernels(kernels, &request, r->ctx->arena, &ignored) != TTP_OK)
        return;
    ttp_run_take_limits(&r->report, &kernels->report, r->ctx->arena);
    r->kernels = &kernels->report;
}

/* --op finds any op of the run. One of the window has the figures that the window shows. */
static ttp_code analyse(struct report_run *r, const struct ttp_words *operands, struct ttp_err *err)
{
    TTP_TRY(analyse_once(r, operands, err));
    if (!r->o->op || r->analysis.window || find_op(r) < r->report.count)
        return TTP_OK;
    r->analysis.window = "all";
    r->analysis.no_merge_devices = true;
    TTP_TRY(ttp_analysis_run(&r->report, &r->ops, &r->analysis, r->ctx->arena, err));
    if (find_op(r) < r->report.count && !is_json(r))
        ttp_ctx_say(r->ctx, "ID %lld is not in the window: its share is of the whole run",
                    (long long)r->o->op);
    return TTP_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    struct report_run r = {.ctx = ctx, .o = opts};

    if (operands->count == 1 && ttp_startup_realtime_is(operands->word[0]))
        return run_realtime(ctx, r.o, operands, err);
    TTP_TRY(check_drawing(&r, err));
    TTP_TRY(set_analysis(&r, err));
    const ttp_code rc = analyse(&r, operands, err);
    tell_notes(&r);
    if (rc != TTP_OK)
        return rc;
    if (r.from.name.count == 1)
        ttp_analysis_name_run(&r.report.quality, r.operands, ctx->arena);
    judge_kernels(&r);
    TTP_TRY(compare_unprofiled(&r, err));
    tell_quality(&r);
    if ((r.analysis.check && r.report.quality.level == TTP_QUALITY_BAD) || r.ops.unreadable)
        *status = TTP_EXIT_FINDING;
    TTP_TRY(show(&r, err));
    tell_startup(ctx, operands);
    return TTP_OK;
}

static const char *const formats[] = {TTP_TABLE_FORMATS, "svg", "png", "parquet", NULL};
static const struct ttp_document_spec *const documents[] = {
    &ttp_report_document,          &ttp_report_op_document, &ttp_roofline_document,
    &ttp_signpost_ranges_document, &ttp_realtime_document,  NULL};

static const struct ttp_example examples[] = {
    {"tt-perf report ops_perf_results.csv", "one iteration of a run, found automatically"},
    {"tt-perf report run.csv --ranges", "the ranges between its signposts"},
    {"tt-perf report run.csv --window range=start", "one iteration of one of them"},
    {"tt-perf report generated/profiler --start-signpost warmup --end-signpost start",
     "the newest report below a folder, between two signposts"},
    {"tt-perf report run.csv --sort time --top 10", "the ten longest ops"},
    {"tt-perf report run.csv -o run.html", "a page to share, in one file"},
    {"tt-perf report run.csv --where 'op~matmul and flops_percent<20' --columns id,op,time,cores",
     "slow matmuls, four columns"},
    {"tt-perf report run.csv --op 42",
     "one op: what bounds it, and configs that are predicted to be faster"},
    {"tt-perf report run.csv --fold", "repeated layers once, with their spread"},
    {"tt-perf report run.csv --roofline -o roofline.svg", "the roofline of its ops, as a picture"},
    {"tt-perf report run.csv --unprofiled llama --tokens 32",
     "the profiler's overhead, by a benchmark of the history"},
    {"tt-perf report run.csv --mem graph_capture.json", "time and L1 in one table"},
    {"tt-perf report host0.csv host1.csv --no-merge-devices", "two hosts, every device separately"},
    {"tt-perf report run.csv -o ops.parquet", "all ops with all columns, for pandas or DuckDB"},
    {"tt-perf report run.csv --format json -o report.json",
     "for programs; 'tt-perf schema tt-perf.report-2' describes it"},
    {0},
};

const struct ttp_cmd cmd_report = {
    .name = "report",
    .args = "[FILE|DIR...]",
    .summary = "print the ops of a run: time, gaps, what bounds them, and advice",
    .description =
        "Reads the ops_perf_results CSV that tt-metal's profiler writes for a run and prints one "
        "line per operation: its share of the run, device time, gap since the previous "
        "operation, cores, DRAM and FLOP rates with their share of the peak, and what bounds it. "
        "Advice and a summary by kind of operation follow.\n\n"
        "FILE may be compressed (.gz, .zst) or '-' for standard input. DIR means the newest "
        "ops_perf_results*.csv below it; if there is none, the report is made from the profiler "
        "logs in DIR. Several files are the hosts of one run, in order. The default is the last "
        "run of tt-metal in this environment: below TT_METAL_PROFILER_DIR, generated/profiler of "
        "TT_METAL_HOME, or the current folder.\n\n"
        "The report shows one iteration, because set-up, compilation, capture and warm-up "
        "precede the interesting part: the replays of the trace with the most device time; else "
        "the last range between signposts (X_START and X_END, NAME and NAME_END, start and stop, "
        "or the same name twice); else the ops that repeat; else the whole run. Times are means "
        "over the iterations. --window selects another part. The same op on several devices is "
        "one row: the slowest, or the mean for collectives. Rows below half a percent of the run "
        "are hidden in text and Markdown, and a line gives their number; CSV and JSON have all "
        "rows.",
    TTP_CMD_OPTIONS(options, struct ttp_report_verb),
    .defaults = &defaults,
    .takes = TTP_TAKES_REPORT | TTP_TAKES_THREADS | TTP_TAKES_BOARDS,
    .formats = formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .min_operands = 0,
    .max_operands = -1,
    .examples = examples,
    .exit_notes =
        "0 if the report was made, with or without advice; 1 with --check if the run cannot be "
        "trusted, and if a rank of several cannot be read; 2 for wrong usage (an unknown column, "
        "signpost or architecture, an invalid "
        "expression); 3 if the input is not an ops report, is damaged, or has no operation in "
        "the window; 5 if a file cannot be read or written.",
    .run = run,
};
