/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_history.c - `tt-perf history`: stored runs, trends and regressions. */
#include "core/run_input.h"
#include "verbs/history_job.h"

#include <stdio.h>

#define FIELD(member) offsetof(struct history_opts, member)
static const struct ttp_opt options[] = {
    TTP_OPTION(
        STR, "store", FIELD(store),
        "a SQLite file, or postgresql://USER@HOST/DATABASE for a team (default: TT_PERF_STORE, "
        "else history.db in $XDG_STATE_HOME/tt-perf or ~/.local/state/tt-perf)",
        .metavar = "STORE", .group = "Store"),
    TTP_OPTION(STR, "name", FIELD(name),
               "name of the workload: runs with the same name form a line (default when adding: "
               "the model or command in the document, else the project, else the file or folder)",
               .metavar = "NAME", .group = "Select runs, or describe an added one"),
    TTP_OPTION(STR, "branch", FIELD(branch),
               "branch (default when adding: from the document, else from git)",
               .metavar = "BRANCH"),
    TTP_OPTION(STR, "commit", FIELD(commit), "commit; for list a prefix is enough",
               .metavar = "COMMIT"),
    TTP_OPTION(STR, "host", FIELD(host), "host name", .metavar = "HOST"),
    TTP_OPTION(STR, "kind", FIELD(kind),
               "list: ops, bench, benchmark-run, google-benchmark, hyperfine, device-perf, tune",
               .metavar = "KIND"),
    TTP_OPTION(STR, "since", FIELD(since),
               "only runs after this one: a run, a commit, a date, or a git revision",
               .metavar = "REF"),
    TTP_OPTION(STR, "until", FIELD(until), "only runs up to this one", .metavar = "REF"),
    TTP_OPTION(STR, "variant", FIELD(variant),
               "trend, regressions: only lines whose variant contains this text",
               .metavar = "TEXT"),
    TTP_OPTION(STR, "metric", FIELD(metric), "regressions: only this metric", .metavar = "METRIC"),
    TTP_OPTION(
        STR, "op", FIELD(op),
        "best: only ops whose name is NAME or begins with it, such as 'Matmul 32 x 4096 x 14336'",
        .metavar = "NAME"),
    TTP_OPTION(FLAG, "any-machine", FIELD(any_machine),
               "trend, regressions: combine runs on different classes of machines into one line"),
    TTP_OPTION(FLAG, "ops", FIELD(ops),
               "show: include ops; export: one row per op instead of one per sample; regressions: "
               "include the time of each op code"),
    TTP_OPTION(
        INT, "limit", FIELD(limit),
        "at most N runs, points, ops or lines; 0 means all (default in text and Markdown: list, "
        "show and best 20, regressions 100; trend 200 in every format)",
        .letter = 'n', .min = 0, .max = INT32_MAX, .metavar = "N"),
    TTP_OPTION(FLAG, "all", FIELD(all),
               "export: every run, or those that --name, --since and such select: one line of JSON "
               "each, for import into another store; with csv, json or parquet one table of all "
               "samples"),
    TTP_OPTION(LIST, "note", FIELD(notes), "attach this note; may be repeated", .metavar = "TEXT",
               .group = "Adding runs"),
    TTP_OPTION(STR, "project", FIELD(project),
               "project (default: from the document, else the repository's name)",
               .metavar = "NAME"),
    TTP_OPTION(STR, "time", FIELD(time),
               "time of the run, such as 2026-11-15T23:47 in UTC (default: from the document, else "
               "the file's)",
               .metavar = "TIME"),
    TTP_OPTION(FLAG, "again", FIELD(again),
               "add it even if the history already has the same document with the same name and "
               "commit"),
    TTP_OPTION(FLAG, "no-git", FIELD(no_git), "do not ask git if the document names no commit"),
    TTP_OPTION(FLAG, "no-machine", FIELD(no_machine),
               "do not inspect this machine if the document names none"),
    TTP_OPTION(STR, "root", FIELD(root),
               "use the machine recorded in this folder or archive instead of this one",
               .metavar = "DIR"),
    {.table = &ttp_analysis_options,
     .offset = FIELD(analysis),
     .group = "Rows of an added ops CSV"},
    TTP_OPTION(PERCENT, "min-effect", FIELD(min_effect),
               "regressions: ignore changes up to this (default 2%)", .metavar = "PERCENT",
               .group = "Change detection"),
    TTP_OPTION(FLOAT, "confidence", FIELD(confidence),
               "regressions: confidence of the rank test, over all lines (default 0.95)",
               .metavar = "PART"),
    TTP_OPTION(INT, "baseline-runs", FIELD(baseline_runs),
               "regressions: compare with at most N earlier runs (default 30); here --window N "
               "means the same",
               .min = 1, .max = 100000, .metavar = "N"),
    TTP_OPTION(FLOAT, "significance", FIELD(significance),
               "largest p-value of a change point (default 0.01)", .metavar = "P"),
    TTP_OPTION(INT, "permutations", FIELD(permutations),
               "number of permutations per change point test (default 199)", .min = 19,
               .max = 1000000, .metavar = "N"),
    TTP_OPTION(INT, "seed", FIELD(seed),
               "seed of the permutations: the same seed gives the same answer (default 1)",
               .metavar = "N"),
    TTP_OPTION(INT, "min-segment", FIELD(min_segment),
               "at least N runs between two change points (default 5)", .min = 2, .max = 1000,
               .metavar = "N"),
};

static const struct history_opts defaults = {
    .limit = HISTORY_LIMIT_UNSET,
    .min_effect = 0.02,
    .confidence = 0.95,
    .significance = 0.01,
    .permutations = 199,
    .seed = 1,
    .min_segment = 5,
    .baseline_runs = 30,
};

/* In the order of enum history_form. */
static const char *const formats[] = {"text",     "csv",           "md",         "json", "svg",
                                      "original", "benchmark-run", "ndjson",     "html", "github",
                                      "junit",    "parquet",       "prometheus", "png",  NULL};
static const struct ttp_document_spec *const documents[] = {&ttp_history_list_document,
                                                            &ttp_history_show_document,
                                                            &ttp_history_ops_document,
                                                            &ttp_history_values_document,
                                                            &ttp_history_trend_document,
                                                            &ttp_history_regressions_document,
                                                            &ttp_history_added_document,
                                                            &ttp_history_best_document,
                                                            &ttp_history_export_document,
                                                            &ttp_history_export_ops_document,
                                                            NULL};

#define FORM(f) (1u << (f))
#define TABLES  (FORM(HISTORY_CSV) | FORM(HISTORY_MD) | FORM(HISTORY_JSON) | FORM(HISTORY_HTML))

static const struct action {
    const char *word;
    int min, max;      /* operands after the word; max -1: any number */
    const char *usage; /* when there are too many or too few */
    unsigned forms;    /* besides text */
    enum ttp_store_mode mode;
    ttp_code (*run)(int *status, struct history_job *j, struct ttp_err *err);
} actions[] = {
    {"add", 1, -1, "add RUN...", TABLES, TTP_STORE_WRITE, history_add},
    {"list", 0, 0, "list", TABLES, TTP_STORE_READ, history_list},
    {"show", 1, 1, "show ID", TABLES, TTP_STORE_READ, history_show},
    {"note", 2, 2, "note ID TEXT", 0, TTP_STORE_WRITE, history_note},
    {"trend", 1, 1, "trend METRIC", TABLES | FORM(HISTORY_SVG) | FORM(HISTORY_PNG), TTP_STORE_READ,
     history_trend},
    {"regressions", 0, 0, "regressions --since REF",
     TABLES | FORM(HISTORY_GITHUB) | FORM(HISTORY_JUNIT), TTP_STORE_READ, history_regressions},
    {"best", 0, 0, "best --op NAME", TABLES, TTP_STORE_READ, history_best},
    {"export", 0, 1, "export ID, or export --all",
     FORM(HISTORY_CSV) | FORM(HISTORY_JSON) | FORM(HISTORY_ORIGINAL) | FORM(HISTORY_BENCHMARK_RUN) |
         FORM(HISTORY_NDJSON) | FORM(HISTORY_PARQUET) | FORM(HISTORY_PROMETHEUS),
     TTP_STORE_READ, history_export},
    {"import", 1, -1, "import FILE...", TABLES, TTP_STORE_WRITE, history_import},
};

static const char *const words[] = {"add",         "list", "show",   "note",   "trend",
                                    "regressions", "best", "export", "import", NULL};

static ttp_code wrong_operands(size_t given, const struct action *a, struct ttp_err *err)
{
    char count[32] = "no";

    if (a->min)
        snprintf(count, sizeof(count), "%s%d", a->max == a->min ? "" : "at least ", a->min);
    else if (a->max)
        snprintf(count, sizeof(count), "at most %d", a->max);
    ttp_fail(err, TTP_EUSAGE, "'%s' takes %s operand%s, got %zu", a->word, count,
             a->min == 1 || a->max == 1 ? "" : "s", given);
    ttp_err_hint(err, "usage: tt-perf history %s", a->usage);
    return TTP_EUSAGE;
}

static ttp_code check_action(const struct history_job *j, const struct action *a,
                             struct ttp_err *err)
{
    if ((int)j->operands.count < a->min || (a->max >= 0 && (int)j->operands.count > a->max))
        return wrong_operands(j->operands.count, a, err);
    if (j->options->common.format != HISTORY_TEXT && !(a->forms & FORM(j->options->common.format)))
        return ttp_fail(err, TTP_EUSAGE, "'%s' does not support --format %s", a->word,
                        formats[j->options->common.format]);
    if (a->run == history_regressions && !j->options->since) {
        ttp_fail(err, TTP_EUSAGE, "--since REF is required");
        ttp_err_hint(err, "REF is a run, a commit, a date, or a git revision");
        return TTP_EUSAGE;
    }
    if (a->run == history_export && j->options->all != (j->operands.count == 0)) {
        ttp_fail(err, TTP_EUSAGE, "give one run ID or --all");
        ttp_err_hint(err, "tt-perf history export ID -o FILE, or tt-perf history export --all");
        return TTP_EUSAGE;
    }
    return TTP_OK;
}

static ttp_code check_numbers(const struct history_opts *o, struct ttp_err *err)
{
    if (!(o->confidence > 0 && o->confidence < 1))
        return ttp_fail(err, TTP_EUSAGE, "--confidence must be between 0 and 1");
    if (!(o->significance > 0 && o->significance < 1))
        return ttp_fail(err, TTP_EUSAGE, "--significance must be between 0 and 1");
    return TTP_OK;
}

size_t history_limit(const struct history_job *j, size_t usual)
{
    return j->options->limit == HISTORY_LIMIT_UNSET ? usual : (size_t)j->options->limit;
}

size_t history_row_limit(const struct history_job *j, size_t usual)
{
    const struct ttp_show *show = &j->ctx->show;
    const bool people = show->form == TTP_FORM_TEXT || show->form == TTP_FORM_MARKDOWN;
    const bool chosen = show->selection.where || show->selection.sort || show->selection.top;

    return history_limit(j, people && !chosen ? usual : 0);
}

struct ttp_show history_how(const struct history_job *j, size_t rows)
{
    struct ttp_show show = j->ctx->show;

    show.inputs = NULL; /* what is read is the store */
    if (show.selection.top == 0)
        show.selection.top = rows;
    return show;
}

struct ttp_history_about history_about(const struct history_job *j, const char *action, bool more)
{
    return (struct ttp_history_about){action, j->name, more};
}

/* Runs have command lines: the file is not for everybody. One that was named may be shared on
 * purpose; the usual one never is. */
static void close_to_others(const struct history_job *j)
{
    const char *usual = ttp_store_where_usual(j->ctx->arena);
    const bool named = !usual || strcmp(j->where, usual) != 0;

    if (ttp_store_is_open_to_others(j->where, !named))
        ttp_ctx_warn(j->ctx, "other users can read '%s': run 'chmod 600' on it", j->name);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    struct history_job j = {
        .ctx = ctx, .options = opts, .operands = {operands->word + 1, operands->count - 1}};
    const int at = ttp_opts_choice(words, ttp_str_from(operands->word[0]));

    const struct action *action = &actions[at];
    TTP_TRY(check_action(&j, action, err));
    TTP_TRY(check_numbers(j.options, err));
    j.where = ttp_store_where(j.options->store, ctx->arena);
    if (!j.where) {
        ttp_fail(err, TTP_EMISSING, "no home folder for the history");
        ttp_err_hint(err, "give a file with --store or TT_PERF_STORE, or set HOME");
        return TTP_EMISSING;
    }
    j.name = ttp_store_name(j.where, ctx->arena);
    ttp_code rc = ttp_store_open(&j.store, j.where, action->mode, err);
    if (rc == TTP_OK)
        rc = action->run(status, &j, err);
    if (rc == TTP_OK && action->mode == TTP_STORE_WRITE)
        close_to_others(&j);
    ttp_store_close(j.store);
    return rc;
}

static const struct ttp_example examples[] = {
    {"tt-perf history add run.json --note 'new kernel'",
     "add the result that 'tt-perf bench -o' wrote"},
    {"tt-perf history add generated/profiler/reports --name llama-3.1-8b",
     "add the newest ops of a run under that name"},
    {"tt-perf history list --name llama-3.1-8b", "its last runs"},
    {"tt-perf history trend device-time --format svg -o trend.svg",
     "a chart over time, with the commits where it changed"},
    {"tt-perf history regressions --since v1.2", "exit with 1 if anything became worse since then"},
    {"tt-perf history regressions --since v1.2 --format junit -o regressions.xml",
     "the same as test results of a build server"},
    {"tt-perf history best --op 'Matmul 32 x 4096 x 14336'",
     "which settings of this matmul were fastest, and in which run"},
    {"tt-perf history export 12 -o run.json", "the document of run 12, byte for byte"},
    {"tt-perf history export --all -o samples.parquet",
     "every sample of every metric, for pandas or DuckDB"},
    {"tt-perf history export --all --format prometheus -o runs.prom",
     "the newest value of every metric, for the textfile collector of node_exporter"},
    {"tt-perf history export --all -o all.ndjson && tt-perf history import all.ndjson --store "
     "postgresql://ci@db/perf",
     "move a history to a team database"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_history = {
    .name = "history",
    .args = "add|list|show|note|trend|regressions|best|export|import [ARG...]",
    .summary = "keep runs and see how they change over time",
    .description =
        "'add RUN...' stores runs: an ops CSV, a run folder, a capture, JSON of 'tt-perf bench', "
        "tt-metal's CompleteBenchmarkRun, Google Benchmark or hyperfine, or tt-metal's "
        "device_perf CSV. It stores the ops, every sample of every metric, the machine and "
        "commit if known, and the document itself, compressed.\n\n"
        "'list' and 'show ID' show them, 'note ID TEXT' adds a note to one. 'trend METRIC' draws "
        "a metric over time and finds where it changed (E-divisive, with a seeded permutation "
        "test). 'regressions --since REF' compares every metric now with its value at REF. "
        "Runs are compared only if name, metric, variant and machine class are the same.\n\n"
        "'best --op NAME' lists the settings with which an op ran (program config, cores, "
        "fidelity, memory) and the fastest run with each of them; 'tt-perf advise --history' looks "
        "there for the ops of a run.\n\n"
        "'export ID' returns the document byte for byte, or with --format benchmark-run a "
        "CompleteBenchmarkRun; 'export --all' writes all runs. --format parquet writes one row per "
        "sample of a metric, or with --ops per op, and --format prometheus the newest median of "
        "each metric. 'import FILE...' adds the runs in "
        "such files, or those of another history (a SQLite file, even a damaged one), without "
        "asking git or the machine. A run is an ID, 'last', or a prefix of its commit.",
    TTP_CMD_OPTIONS(options, struct history_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_REPORT | TTP_TAKES_THREADS | TTP_TAKES_BOARDS,
    .formats = formats,
    .documents = documents,
    .operand = TTP_OPERAND_ACTION,
    .words = words,
    .min_operands = 1,
    .max_operands = -1,
    .examples = examples,
    .exit_notes = "regressions: 1 if a metric became worse, 7 if one looks worse but the runs do "
                  "not prove it, or if there is nothing to compare. 3 if the history is damaged "
                  "or from a newer tt-perf, 5 if it cannot be read or written, 6 if it does not "
                  "answer.",
    .run = run,
};
