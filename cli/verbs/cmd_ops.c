/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ops.c - `tt-perf ops`: from the profiler's logs to ops_perf_results.csv. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/outsink.h"
#include "core/run_logs.h"
#include "core/verbs.h"
#include "outputs/outputs.h"

#define FIELD(name) offsetof(struct ttp_ops_verb, name)
static const struct ttp_opt options[] = {
    {.name = "output",
     .letter = 'o',
     .offset = FIELD(output),
     .type = TTP_OPT_STR,
     .metavar = "DIR",
     .group = "Output",
     .help =
         "write the report into this folder (default: a new one below 'reports', next to '.logs')"},
    {.name = "name",
     .letter = 'n',
     .offset = FIELD(name),
     .type = TTP_OPT_STR,
     .metavar = "NAME",
     .help = "add _NAME to the file names"},
    {.name = "name-append", .alias_of = "name", .hidden = true},
    {.name = "date",
     .offset = FIELD(date),
     .type = TTP_OPT_FLAG,
     .help = "add the date to the file names (always without --output)"},
    {.name = "analysis",
     .letter = 'a',
     .offset = FIELD(analysis),
     .type = TTP_OPT_LIST,
     .metavar = "NAME",
     .group = "Input",
     .help = "only this analysis of the device log; may be repeated"},
    {.name = "device-analysis-types", .alias_of = "analysis", .hidden = true},
    {.name = "device-only",
     .offset = FIELD(device_only),
     .type = TTP_OPT_FLAG,
     .help = "use only the device log, and write times between ops per core"},
    {.name = "force-legacy-device-logs",
     .offset = FIELD(legacy),
     .type = TTP_OPT_FLAG,
     .help = "use the device log even if there is a C++ report"},
    {.name = "strict",
     .offset = FIELD(strict),
     .type = TTP_OPT_FLAG,
     .group = "Errors",
     .help = "exit with 1 if data is missing or damaged"},
};

static const char *const formats[] = {"csv", "json", NULL};

#define DATE_MAX 32

/* File names of one report. */
struct names {
    const char *folder;
    char suffix[256]; /* "_NAME_DATE" */
};

static ttp_code choose_names(struct names *out, const struct ttp_ops_verb *o,
                             const struct ttp_log_paths *paths, const struct ttp_ctx *ctx,
                             struct ttp_err *err)
{
    const bool dated = o->date || !o->output;
    char date[DATE_MAX] = "";
    struct tm tm;
    const time_t now = time(NULL);

    if (dated &&
        (!localtime_r(&now, &tm) || strftime(date, sizeof(date), "%Y_%m_%d_%H_%M_%S", &tm) == 0))
        return ttp_fail(err, TTP_EIO, "cannot read the clock");
    if (o->name && strlen(o->name) > sizeof(out->suffix) - DATE_MAX - 3)
        return ttp_fail(err, TTP_EUSAGE, "option '--name': longer than 200 bytes");
    if (o->name && strchr(o->name, '/'))
        return ttp_fail(err, TTP_EUSAGE, "option '--name': '%s' contains a '/'", o->name);
    snprintf(out->suffix, sizeof(out->suffix), "%s%s%s%s", o->name ? "_" : "",
             o->name ? o->name : "", dated ? "_" : "", date);
    out->folder = o->output;
    if (out->folder)
        return ttp_file_make_dirs(out->folder, err);
    out->folder = ttp_file_join(paths->root, "reports", ctx->arena);
    if (o->name)
        out->folder = ttp_file_join(out->folder, o->name, ctx->arena);
    out->folder = ttp_file_join(out->folder, date, ctx->arena);
    return ttp_file_make_new_dir(&out->folder, out->folder, ctx->arena, err);
}

/* The files of a report. */
enum part {
    PART_OPS,
    PART_PER_CORE,
    PART_NO_CONST_EVAL,
    PART_NO_INPUT_LAYOUT,
    PART_NEITHER,
    PARTS
};
static const struct {
    const char *name, *tail;
    unsigned without;
} report_files[] = {
    [PART_OPS] = {"ops_perf_results", "", 0},
    [PART_PER_CORE] = {"per_core_op_to_op_times", "", 0},
    /* what 'ttrt perf' writes next to it */
    [PART_NO_CONST_EVAL] = {"ops_perf_results", "_minus_const_eval", TTP_WITHOUT_CONST_EVAL},
    [PART_NO_INPUT_LAYOUT] = {"ops_perf_results", "_minus_input_layout_conversions",
                              TTP_WITHOUT_INPUT_LAYOUT},
    [PART_NEITHER] = {"ops_perf_results", "_minus_const_eval_and_input_layout_conversions",
                      TTP_WITHOUT_CONST_EVAL | TTP_WITHOUT_INPUT_LAYOUT},
};

static bool is_wanted(const struct ttp_ops_report *report, int part)
{
    return part == PART_OPS || (part == PART_PER_CORE ? report->device_only : report->mlir);
}

/* One file, put in place only if all of it could be written. */
static ttp_code write_part(const char *path, const struct ttp_ops_report *report, int part,
                           struct ttp_err *err)
{
    struct ttp_outsink out;
    ttp_code rc = TTP_OK;

    TTP_TRY(ttp_outsink_open(&out, path, err));
    if (part == PART_PER_CORE)
        ttp_ops_write_per_core(&out.sink, report, &out.arena);
    else
        rc = ttp_ops_write_csv(&out.sink, report, report_files[part].without, &out.arena, err);
    return ttp_outsink_close(&out, rc, err);
}

static ttp_code write_report(struct ttp_words *files, const struct ttp_ops_report *report,
                             const struct names *names, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    for (int i = 0; i < PARTS; i++) {
        char name[400];

        if (!is_wanted(report, i))
            continue;
        snprintf(name, sizeof(name), "%s%s%s.csv", report_files[i].name, names->suffix,
                 report_files[i].tail);
        const char *path = ttp_file_join(names->folder, name, arena);
        TTP_TRY(write_part(path, report, i, err));
        ttp_words_add(files, path, arena);
    }
    return TTP_OK;
}

/* --- the result as JSON --- */

struct problem {
    const char *kind, *what, *first, *hint;
    uint64_t count;
};

static const struct ttp_field file_fields[] = {TTP_WORDS("path", .stored = TTP_STORED_CSTR)};
static const struct ttp_fields file_figures = {TTP_FIELDS(file_fields)};

#define PROBLEM(member) TTP_FIGURE(struct problem, member)
static const struct ttp_field problem_fields[] = {
    TTP_WORDS("kind", PROBLEM(kind), .help = "stable name"),
    TTP_INT("count", "", PROBLEM(count)),
    TTP_WORDS("what", PROBLEM(what)),
    TTP_WORDS("first", PROBLEM(first), .help = "op, device, file and line of the first one"),
    TTP_WORDS("hint", PROBLEM(hint), .help = "what to do about it"),
};
static const struct ttp_fields problem_figures = {TTP_FIELDS(problem_fields)};

enum { PART_FILES, PART_PROBLEMS, PART_ROWS };
static const struct ttp_part_spec parts_of_json[] = {
    [PART_FILES] = {.id = "files", .fields = &file_figures, .help = "the CSVs written"},
    [PART_PROBLEMS] = {.id = "problems",
                       .fields = &problem_figures,
                       .help = "missing or damaged data, one entry per kind"},
    [PART_ROWS] = {.id = "rows",
                   .kind = TTP_PART_OTHER,
                   .help = "the report, by column name; empty cells are omitted"},
};
static const struct ttp_document_spec document = {
    .schema = "tt-perf.ops/1",
    .help = "What tt-perf ops wrote",
    TTP_PARTS(parts_of_json),
    .no_table = true,
};

struct writing {
    const struct ttp_ops_report *report;
    struct ttp_err *err;
    ttp_code rc;
};

static void put_rows(struct ttp_json_writer *w, void *arg)
{
    struct writing *writing = arg;
    struct ttp_arena scratch = {0};

    writing->rc = ttp_ops_write_json(w, writing->report, &scratch, writing->err);
    ttp_arena_free(&scratch);
}

/* "warnings" of the envelope say the same as the problems, for human readers. */
static ttp_code put_json(const struct ttp_ctx *ctx, const struct ttp_ops_report *report,
                         const struct ttp_words *files, const struct ttp_words *warnings,
                         struct ttp_err *err)
{
    struct writing writing = {.report = report, .err = err};
    struct problem problem[TTP_PROBLEMS];
    struct ttp_show show = ctx->show;
    struct ttp_document doc;
    size_t n = 0;

    for (size_t k = 0; k < TTP_PROBLEMS; k++) {
        const enum ttp_problem_kind kind = (enum ttp_problem_kind)k;

        if (report->problem[k].count)
            problem[n++] = (struct problem){ttp_problem_id(kind), ttp_problem_name(kind),
                                            report->problem[k].first, ttp_problem_hint(kind),
                                            report->problem[k].count};
    }
    show.warnings = warnings;
    ttp_document_init(&doc, &document, ctx->arena);
    ttp_document_rows(&doc, PART_FILES, NULL, files->word, files->count);
    ttp_document_rows(&doc, PART_PROBLEMS, NULL, problem, n);
    doc.part[PART_ROWS].put = put_rows;
    doc.part[PART_ROWS].arg = &writing;
    TTP_TRY(ttp_show_document(&show, &doc, NULL, err));
    return writing.rc;
}

static void put_text_result(const struct ttp_ctx *ctx, const struct ttp_run *run, bool terse,
                            const struct ttp_words *files)
{
    const size_t problems = terse ? run->noc_problems : run->problems.count;
    struct ttp_arena scratch = {0};

    for (size_t i = 0; i < problems; i++)
        ttp_ctx_warn(ctx, "%s", run->problems.word[i]);
    for (size_t i = 0; i < files->count && !terse; i++)
        ttp_sink_printf(ctx->out, "%s\n", files->word[i]);
    if (terse)
        ttp_ctx_exact(ctx);
    ttp_ops_write_counters(ctx->out, &run->report, &scratch);
    ttp_arena_free(&scratch);
}

static void warn_of_analyses(const struct ttp_ctx *ctx, const struct ttp_ops_verb *o,
                             const struct ttp_run_logs *logs)
{
    if (logs->cpp && o->analysis.count)
        ttp_ctx_warn(ctx, "--analysis is ignored: the times come from the C++ report; see "
                          "--force-legacy-device-logs");
}

static struct ttp_run_plan make_plan(const struct ttp_ctx *ctx, const struct ttp_ops_verb *o,
                                     const struct ttp_ops_manner *how)
{
    return (struct ttp_run_plan){
        .reading = {.threads = (unsigned)o->common.threads,
                    .strict = how->strict,
                    .progress = !ctx->quiet},
        .join = {.rules = how->rules,
                 .device_only = o->device_only,
                 .analysis = o->analysis.word,
                 .nanalyses = o->analysis.count},
        .times = o->legacy ? TTP_TIMES_DEVICE_LOG : TTP_TIMES_ANY,
        .noc = how->noc,
        .noc_rules = how->noc_rules,
    };
}

/* ---- a folder of ranks ---- */

/* The rows of all ranks, as the file of one report. */
static ttp_code copy_merged(const char *merged, const char *to, struct ttp_err *err)
{
    struct ttp_outsink out;
    struct ttp_file file;

    TTP_TRY(ttp_file_map(&file, merged, err));
    ttp_code rc = ttp_outsink_open(&out, to, err);
    if (rc == TTP_OK) {
        ttp_sink_put(&out.sink, file.text);
        rc = ttp_outsink_close(&out, TTP_OK, err);
    }
    ttp_file_close(&file);
    return rc;
}

static ttp_code write_merged(const char *dir, const struct ttp_ops_verb *o,
                             struct ttp_run_parts *parts, const struct ttp_ctx *ctx,
                             struct ttp_err *err)
{
    const struct ttp_log_paths paths = {.root = dir};
    const char *merged;
    struct names names;
    char name[400];
    int fd;

    TTP_TRY(ttp_run_merge_parts(&fd, &merged, parts, ctx->arena, err));
    ttp_code rc = choose_names(&names, o, &paths, ctx, err);
    if (rc == TTP_OK) {
        snprintf(name, sizeof(name), "%s%s.csv", report_files[PART_OPS].name, names.suffix);
        const char *path = ttp_file_join(names.folder, name, ctx->arena);
        rc = copy_merged(merged, path, err);
        if (rc == TTP_OK)
            ttp_sink_printf(ctx->out, "%s\n", path);
    }
    ttp_file_close_memory(merged);
    return rc;
}

/* *done: the folder has ranks, and they are written. */
static ttp_code merge_ranks(bool *done, int *status, const struct ttp_ctx *ctx,
                            const struct ttp_ops_verb *o, const struct ttp_ops_manner *how,
                            const char *dir, struct ttp_err *err)
{
    struct ttp_run_plan plan = make_plan(ctx, o, how);
    struct ttp_run_parts parts;

    *done = false;
    if (how->strict || !ttp_file_is_dir(dir))
        return TTP_OK;
    TTP_TRY(ttp_run_find_ranks(&parts.ranks, &dir, 1, ctx->arena, err));
    if (parts.ranks.count == 0)
        return TTP_OK;
    if (ctx->show.form == TTP_FORM_JSON)
        return ttp_fail(err, TTP_EUSAGE,
                        "'%s' has several ranks: use --format csv, or give one rank's folder", dir);
    *done = true;
    plan.texts = true;
    TTP_TRY(ttp_run_open_parts(&parts, &dir, 1, &plan, ctx->arena, err));
    TTP_TRY(write_merged(dir, o, &parts, ctx, err));
    for (size_t i = 0; i < parts.problems.count; i++)
        ttp_ctx_warn(ctx, "%s", parts.problems.word[i]);
    if (o->strict && parts.problems.count)
        *status = TTP_EXIT_FINDING;
    return TTP_OK;
}

ttp_code ttp_ops_make(int *status, const struct ttp_ctx *ctx, const struct ttp_ops_verb *o,
                      const struct ttp_words *operands, const struct ttp_ops_manner *how,
                      struct ttp_err *err)
{
    const char *dir = operands->count ? operands->word[0] : ttp_logs_default_dir(ctx->arena);
    const struct ttp_run_plan plan = make_plan(ctx, o, how);
    struct ttp_words files = {0};
    struct ttp_run run;
    struct names names;
    bool merged;

    TTP_TRY(merge_ranks(&merged, status, ctx, o, how, dir, err));
    if (merged)
        return TTP_OK;
    const ttp_code rc = ttp_run_read_logs(&run, dir, &plan, ctx->arena, err);
    if (run.empty && how->terse) {
        ttp_ctx_warn(ctx, "no device logs found in '%s'", run.paths.folder);
        return TTP_OK;
    }
    TTP_TRY(ttp_run_looked(rc, operands, ctx->arena, err));
    warn_of_analyses(ctx, o, &run.logs);
    TTP_TRY(ttp_run_join(&run, &plan, ctx->arena, err));
    TTP_TRY(choose_names(&names, o, &run.paths, ctx, err));
    TTP_TRY(write_report(&files, &run.report, &names, ctx->arena, err));
    if (ctx->show.form == TTP_FORM_JSON)
        TTP_TRY(put_json(ctx, &run.report, &files, &run.problems, err));
    else
        put_text_result(ctx, &run, how->terse, &files);
    if (o->strict && run.problems.count)
        *status = TTP_EXIT_FINDING;
    return TTP_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    static const struct ttp_ops_manner how = {.noc = true};

    return ttp_ops_make(status, ctx, opts, operands, &how, err);
}

static const struct ttp_example examples[] = {
    {"tt-perf ops", "the last run of tt-metal in this environment, written to a new report folder"},
    {"tt-perf ops generated/profiler -o out --strict", "the same into 'out'; exit 1 if data is "
                                                       "missing"},
    {"tt-perf ops generated/profiler --device-only", "only device data, without host logs"},
    {NULL, NULL},
};

static const struct ttp_document_spec *const documents[] = {&document, NULL};

const struct ttp_cmd cmd_ops = {
    .name = "ops",
    .args = "[DIR]",
    .summary = "make the ops CSV of a run from its profiler logs",
    .description =
        "Joins the device log (or the C++ report), Tracy's messages and Tracy's zones of a "
        "profiled run into ops_perf_results.csv, the table that 'tt-perf report' and other tools "
        "read: one row per operation, replay and signpost. DIR is the profiler's artifacts "
        "folder or its '.logs'; the default is the one tt-metal would use: "
        "TT_METAL_PROFILER_DIR, generated/profiler below TT_METAL_HOME or the current folder, or "
        "the current folder itself.\n\n"
        "Lost markers, operations missing on a device, traces that were never replayed and "
        "truncated messages leave only the affected cells empty; each kind is counted and "
        "reported at the end. Nothing is ever deleted.\n\n"
        "A folder with ranks (rank0, rank1, ...) gives one CSV: the rows of all devices op by "
        "op, with RANK, HOST, MESH ID and MESH COORD first, and last OP ORDINAL, start and end "
        "on one clock with their error, and the time each device waited in a collective.",
    .opt = options,
    .nopt = TTP_COUNT(options),
    .opts_size = sizeof(struct ttp_ops_verb),
    .takes =
        TTP_TAKES_FORMAT | TTP_TAKES_TALK | TTP_TAKES_THREADS | TTP_TAKES_LIMITS | TTP_TAKES_TIME,
    .formats = formats,
    .documents = documents,
    .operand = TTP_OPERAND_DIR,
    .max_operands = 1,
    .examples = examples,
    .exit_notes = "1 with --strict if data is missing or damaged.",
    .run = run,
};
