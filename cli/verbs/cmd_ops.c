/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ops.c - `tt-perf ops`: from the profiler's logs to ops_perf_results.csv. */
#include "base/csv.h"
#include "core/verbs.h"
#include "outputs/outputs.h"
#include "run/run.h"

#define FIELD(name) offsetof(struct ttp_ops_verb, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(
        STR, "output", FIELD(output),
        "write the report into this folder (default: a new one below 'reports', next to '.logs')",
        .letter = 'o', .metavar = "DIR", .group = "Output"),
    TTP_OPTION(STR, "name", FIELD(name), "add _NAME to the file names", .letter = 'n',
               .metavar = "NAME"),
    {.name = "name-append", .alias_of = "name", .hidden = true},
    TTP_OPTION(FLAG, "date", FIELD(date),
               "add the date to the file names (always without --output)"),
    TTP_OPTION(STR, "rank", FIELD(rank), "only rank N of a folder with several ranks",
               .metavar = "N"),
    TTP_OPTION(STR, "device", FIELD(device), "only device D (of rank R, if given)",
               .metavar = "[R:]D"),
    TTP_OPTION(LIST, "analysis", FIELD(analysis),
               "only this analysis of the device log; may be repeated", .letter = 'a',
               .metavar = "NAME", .group = "Input"),
    {.name = "device-analysis-types", .alias_of = "analysis", .hidden = true},
    TTP_OPTION(FLAG, "device-only", FIELD(device_only),
               "use only the device log, and write times between ops per core"),
    TTP_OPTION(FLAG, "force-legacy-device-logs", FIELD(legacy),
               "use the device log even if there is a C++ report"),
    TTP_OPTION(FLAG, "strict", FIELD(strict), "exit with 1 if data is missing or damaged",
               .group = "Errors"),
};

static const char *const formats[] = {"csv", "json", NULL};

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
    [PART_FILES] = {.id = "files", .fields = &file_figures, .help = "CSVs that were written"},
    [PART_PROBLEMS] = {.id = "problems",
                       .fields = &problem_figures,
                       .help = "missing or damaged data, one entry per kind"},
    [PART_ROWS] = {.id = "rows",
                   .kind = TTP_PART_OTHER,
                   .help = "the report, by column name; empty cells are omitted"},
};
static const struct ttp_document_spec document = {
    .schema = "tt-perf.ops/1",
    .help = "Result of tt-perf ops",
    TTP_PARTS(parts_of_json),
    .no_table = true,
};

struct writing {
    const struct ttp_ops_report *report;
    ttp_str csv; /* of all ranks, instead of a report */
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

#define MAX_COLUMNS 4096

static void put_cell(struct ttp_json_writer *w, ttp_str text)
{
    int64_t whole;
    double real;

    if (ttp_str_to_i64(text, &whole))
        ttp_json_put_i64(w, whole);
    else if (ttp_str_to_f64(text, &real))
        ttp_json_put_f64(w, real);
    else
        ttp_json_put_str(w, text);
}

/* Rows of a CSV, by the names of its columns. */
static void put_csv_rows(struct ttp_json_writer *w, void *arg)
{
    const struct writing *writing = arg;
    struct ttp_arena scratch = {0};
    struct ttp_csv csv = {.text = writing->csv, .sep = ','};
    struct ttp_csv_row row = {.end = TTP_NEW(&scratch, uint32_t, MAX_COLUMNS + TTP_CSV_AHEAD),
                              .max = MAX_COLUMNS};
    ttp_str *name = TTP_NEW(&scratch, ttp_str, MAX_COLUMNS);
    size_t names = 0;

    if (ttp_csv_next(&csv, &row))
        for (; names < row.nfields && names < MAX_COLUMNS; names++)
            name[names] = ttp_arena_copy(&scratch, ttp_csv_field(&csv, &row, names, &scratch));
    ttp_json_begin_array(w);
    while (ttp_csv_next(&csv, &row)) {
        const struct ttp_mark mark = ttp_arena_mark(&scratch);
        ttp_json_begin_object(w);
        for (size_t i = 0; i < names && i < row.nfields; i++) {
            const ttp_str text = ttp_csv_field(&csv, &row, i, &scratch);
            if (text.len == 0)
                continue;
            ttp_json_put_key(w, name[i]);
            put_cell(w, text);
        }
        ttp_json_end_object(w);
        ttp_arena_rewind(&scratch, mark);
    }
    ttp_json_end_array(w);
    ttp_arena_free(&scratch);
}

/* "warnings" of the envelope say the same as the problems, for human readers. */
static ttp_code put_json(const struct ttp_ctx *ctx, const struct ttp_run_made *made,
                         struct ttp_err *err)
{
    const struct ttp_ops_report *report = &made->run.report;
    struct writing writing = {.report = report, .err = err};
    struct problem problem[TTP_PROBLEMS];
    struct ttp_show show = ctx->show;
    struct ttp_document doc;
    size_t n = 0;

    for (size_t k = 0; k < TTP_PROBLEMS; k++) {
        const enum ttp_problem_kind kind = (enum ttp_problem_kind)k;

        if (report->problem[k].count)
            problem[n++] = (struct problem){ttp_ops_problem_id(kind), ttp_ops_problem_name(kind),
                                            report->problem[k].first, ttp_ops_problem_hint(kind),
                                            report->problem[k].count};
    }
    show.warnings = &made->problems;
    ttp_document_init(&doc, &document, ctx->arena);
    ttp_document_rows(&doc, PART_FILES, NULL, made->files.word, made->files.count);
    ttp_document_rows(&doc, PART_PROBLEMS, NULL, problem, n);
    doc.part[PART_ROWS].put = put_rows;
    doc.part[PART_ROWS].arg = &writing;
    TTP_TRY(ttp_show_document(&show, &doc, NULL, err));
    return writing.rc;
}

static void put_text_result(const struct ttp_ctx *ctx, const struct ttp_run_made *made, bool terse)
{
    const size_t problems = terse ? made->run.noc_problems : made->problems.count;
    struct ttp_arena scratch = {0};

    for (size_t i = 0; i < problems; i++)
        ttp_ctx_warn(ctx, "%s", made->problems.word[i]);
    for (size_t i = 0; i < made->files.count && !terse; i++)
        ttp_sink_printf(ctx->out, "%s\n", made->files.word[i]);
    if (terse)
        ttp_ctx_exact(ctx);
    if (!made->ranks)
        ttp_ops_write_counters(ctx->out, &made->run.report, &scratch);
    ttp_arena_free(&scratch);
}

void ttp_ops_warn_of_analyses(const struct ttp_ctx *ctx, const struct ttp_words *analysis,
                              const struct ttp_run *run)
{
    if (run->logs.cpp && analysis->count)
        ttp_ctx_warn(ctx, "--analysis is ignored: the times come from the C++ report; see "
                          "--force-legacy-device-logs");
}

static struct ttp_run_plan make_plan(const struct ttp_ctx *ctx, const struct ttp_ops_verb *o,
                                     const struct ttp_ops_manner *manner)
{
    return (struct ttp_run_plan){
        .reading = {.threads = (unsigned)o->common.threads,
                    .strict = manner->strict,
                    .progress = !ctx->quiet},
        .join = {.rules = manner->rules,
                 .device_only = o->device_only,
                 .analysis = o->analysis.word,
                 .nanalyses = o->analysis.count},
        .times = o->legacy ? TTP_TIMES_DEVICE_LOG : TTP_TIMES_ANY,
        .noc = manner->noc,
        .noc_rules = manner->noc_rules,
        .place = {.folder = o->output, .name = o->name, .date = o->date},
    };
}

/* Of all ranks: the rows of the CSV that was written. */
static ttp_code put_json_of_ranks(const struct ttp_ctx *ctx, const struct ttp_run_made *made,
                                  struct ttp_err *err)
{
    struct ttp_show show = ctx->show;
    struct ttp_document doc;
    struct ttp_file csv;

    TTP_TRY(ttp_file_map(&csv, made->files.word[0], err));
    struct writing writing = {.csv = csv.text, .err = err};
    show.warnings = &made->problems;
    ttp_document_init(&doc, &document, ctx->arena);
    ttp_document_rows(&doc, PART_FILES, NULL, made->files.word, made->files.count);
    ttp_document_rows(&doc, PART_PROBLEMS, NULL, NULL, 0);
    doc.part[PART_ROWS].put = put_csv_rows;
    doc.part[PART_ROWS].arg = &writing;
    const ttp_code rc = ttp_show_document(&show, &doc, NULL, err);
    ttp_file_close(&csv);
    return rc;
}

ttp_code ttp_ops_make(int *status, const struct ttp_ctx *ctx, const struct ttp_ops_verb *o,
                      const struct ttp_words *operands, const struct ttp_ops_manner *manner,
                      struct ttp_err *err)
{
    const char *dir = operands->count ? operands->word[0] : ttp_run_default_dir(ctx->arena);
    struct ttp_run_choice choice = {.rank = o->rank, .device = o->device};
    struct ttp_run_plan plan = make_plan(ctx, o, manner);
    struct ttp_run_made made;

    TTP_TRY(ttp_run_choose_rank(&dir, &choice, ctx->arena, err));
    plan.one_device = choice.id >= 0;
    plan.device = choice.id;
    const ttp_code rc = ttp_run_make_report(&made, dir, &plan, ctx->arena, err);
    if (made.run.empty && manner->terse) {
        ttp_ctx_warn(ctx, "no device logs found in '%s'", made.run.paths.folder);
        return TTP_OK;
    }
    ttp_ops_warn_of_analyses(ctx, &o->analysis, &made.run);
    TTP_TRY(ttp_run_looked(rc, operands, ctx->arena, err));
    if (ctx->show.form == TTP_FORM_JSON)
        TTP_TRY(made.ranks ? put_json_of_ranks(ctx, &made, err) : put_json(ctx, &made, err));
    else
        put_text_result(ctx, &made, manner->terse);
    if ((o->strict && made.problems.count) || made.unreadable)
        *status = TTP_EXIT_FINDING;
    return TTP_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    static const struct ttp_ops_manner manner = {.noc = true};

    return ttp_ops_make(status, ctx, opts, operands, &manner, err);
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
    TTP_CMD_OPTIONS(options, struct ttp_ops_verb),
    .takes =
        TTP_TAKES_FORMAT | TTP_TAKES_TALK | TTP_TAKES_THREADS | TTP_TAKES_LIMITS | TTP_TAKES_TIME,
    .formats = formats,
    .documents = documents,
    .operand = TTP_OPERAND_DIR,
    .max_operands = 1,
    .examples = examples,
    .exit_notes = "1 if a rank of several cannot be read, and with --strict if data is missing or "
                  "damaged.",
    .run = run,
};
