/* SPDX-License-Identifier: Apache-2.0 */
/* history_show.c - `tt-perf history list`, `show`, `trend`, `regressions` and `export`. */
#include "base/json_tree.h"
#include "base/order.h"
#include "verbs/history_job.h"

#define LIST_LIMIT   20
#define BEST_LIMIT   20
#define OPS_LIMIT    20
#define POINTS_LIMIT 200
#define LINES_LIMIT  100

static ttp_str text_or_any(const char *s)
{
    return ttp_str_from(s ? s : "");
}

/* The runs that the options select, the newest first; `limit` 0: all. */
static ttp_code list_runs(struct ttp_history_runs *out, const struct history_job *j, size_t limit,
                          struct ttp_err *err)
{
    const struct history_opts *o = j->options;
    struct ttp_store_filter filter = {
        .name = text_or_any(o->name),
        .branch = text_or_any(o->branch),
        .host = text_or_any(o->host),
        .kind = text_or_any(o->kind),
        .commit = text_or_any(o->commit),
        .limit = limit,
    };
    struct ttp_store_moment moment;

    if (o->since) {
        TTP_TRY(ttp_store_find_moment(&moment, j->store, o->since, j->ctx->arena, err));
        filter.after_ns = moment.time_ns;
    }
    if (o->until) {
        TTP_TRY(ttp_store_find_moment(&moment, j->store, o->until, j->ctx->arena, err));
        filter.before_ns = moment.time_ns + 1;
    }
    return ttp_store_list(out, j->store, &filter, j->ctx->arena, err);
}

ttp_code history_list(int *status, struct history_job *j, struct ttp_err *err)
{
    struct ttp_history_runs runs;

    (void)status;
    TTP_TRY(list_runs(&runs, j, history_row_limit(j, LIST_LIMIT), err));
    const struct ttp_show show = history_how(j, 0);
    const struct ttp_history_about about = history_about(j, "list", runs.more);
    return ttp_out_history_list(&show, &about, &runs, err);
}

ttp_code history_show(int *status, struct history_job *j, struct ttp_err *err)
{
    const bool flat = ttp_form_flat(j->ctx->show.form) != NULL;
    const struct ttp_history_about about = history_about(j, "show", false);
    struct ttp_history_run run;
    int64_t id = 0;

    (void)status;
    TTP_TRY(ttp_store_find_run(&id, j->store, j->operands.word[0], j->ctx->arena, err));
    TTP_TRY(ttp_store_read(&run, j->store, id,
                           TTP_PART_MEASURES | (j->options->ops || flat ? TTP_PART_OPS : 0),
                           j->ctx->arena, err));
    const struct ttp_show show = history_how(j, run.ops ? history_row_limit(j, OPS_LIMIT) : 0);
    return ttp_out_history_run(&show, &about, &run, err);
}

ttp_code history_best(int *status, struct history_job *j, struct ttp_err *err)
{
    const struct ttp_history_about about = history_about(j, "best", false);
    struct ttp_arena *arena = j->ctx->arena;
    struct ttp_best_ops best;
    size_t unnamed = 0;

    (void)status;
    TTP_TRY(ttp_store_best(&best, j->store, text_or_any(j->options->op), arena, err));
    TTP_TRY(ttp_store_unnamed(&unnamed, j->store, arena, err));
    if (unnamed)
        ttp_ctx_say(
            j->ctx,
            "%zu run%s added by an older tt-perf, without settings of ops: 'tt-perf history "
            "import %s --store NEW' reads their documents again",
            unnamed, unnamed == 1 ? " was" : "s were", j->name);
    if (best.count == 0) {
        ttp_fail(err, TTP_ENOTFOUND, "no op '%.100s' in the history",
                 j->options->op ? j->options->op : "");
        ttp_err_hint(err, "names are those of tt-perf report --rows, or how they begin; 'tt-perf "
                          "history best' lists all");
        return TTP_ENOTFOUND;
    }
    const struct ttp_show show = history_how(j, history_row_limit(j, BEST_LIMIT));
    return ttp_out_history_best(&show, &about, &best, err);
}

/* ---- lines of runs ---- */

static struct ttp_line_query line_query(const struct history_opts *o)
{
    return (struct ttp_line_query){
        .name = o->name,
        .metric = o->metric,
        .variant = o->variant,
        .branch = o->branch,
        .host = o->host,
        .since = o->since,
        .until = o->until,
        .any_machine = o->any_machine,
        .ops = o->ops,
    };
}

static struct ttp_change_options change_options(const struct history_opts *o)
{
    return (struct ttp_change_options){
        .min_segment = (size_t)o->min_segment,
        .permutations = (size_t)o->permutations,
        .significance = o->significance,
        .seed = (uint64_t)o->seed,
    };
}

ttp_code history_trend(int *status, struct history_job *j, struct ttp_err *err)
{
    const struct ttp_line_options options = {.changes = change_options(j->options)};
    struct ttp_line_query query = line_query(j->options);
    struct ttp_trends found;

    (void)status;
    query.metric = j->operands.word[0];
    query.limit = history_limit(j, POINTS_LIMIT);
    query.options = &options;
    TTP_TRY(ttp_store_trends(&found, j->store, &query, j->ctx->arena, err));
    if (found.count == 0)
        return ttp_fail(err, TTP_ENOTFOUND, "no run with metric '%.100s' matches the filters",
                        query.metric);
    const struct ttp_show show = history_how(j, 0);
    const struct ttp_history_about about = history_about(j, "trend", found.more);
    return ttp_out_history_trend(&show, &about, found.trend, found.count, err);
}

/* --window was the name of --baseline-runs before runs had windows of their own. */
static ttp_code runs_before(size_t *out, const struct history_opts *o, struct ttp_err *err)
{
    int64_t runs = o->baseline_runs;

    if (o->analysis.window &&
        (!ttp_str_to_i64(ttp_str_from(o->analysis.window), &runs) || runs < 1 || runs > 100000)) {
        (void)ttp_fail(err, TTP_EUSAGE, "invalid number of runs '%s': must be 1 to 100000",
                       o->analysis.window);
        ttp_err_hint(err, "choose the part of a run when you add it");
        return TTP_EUSAGE;
    }
    *out = (size_t)runs;
    return TTP_OK;
}

static int status_of(const struct ttp_regressions *found)
{
    int status = found->count ? TTP_EXIT_OK : TTP_EXIT_UNDECIDED;

    for (size_t i = 0; i < found->count; i++) {
        if (found->line[i].standing == TTP_STANDS_WORSE)
            return TTP_EXIT_FINDING;
        if (found->line[i].standing == TTP_STANDS_UNSURE)
            status = TTP_EXIT_UNDECIDED;
    }
    return status;
}

ttp_code history_regressions(int *status, struct history_job *j, struct ttp_err *err)
{
    const struct ttp_line_options options = {.changes = change_options(j->options),
                                             .min_effect = j->options->min_effect,
                                             .confidence = j->options->confidence};
    struct ttp_line_query query = line_query(j->options);
    struct ttp_regressions found;

    query.options = &options;
    TTP_TRY(runs_before(&query.limit, j->options, err));
    TTP_TRY(ttp_store_regressions(&found, j->store, &query, j->ctx->arena, err));
    *status = status_of(&found);
    const struct ttp_show show = history_how(j, history_row_limit(j, LINES_LIMIT));
    const struct ttp_history_about about = history_about(j, "regressions", false);
    return ttp_out_history_compare(&show, &about, &found, err);
}

/* ---- export ---- */

TTP_ORDER(by_id, struct ttp_history_run, TTP_UP(id))

/* One line of JSON for each run, in the order in which they were added. */
static ttp_code export_lines(struct history_job *j, const struct ttp_history_runs *runs,
                             struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    ttp_code rc = TTP_OK;

    for (size_t i = 0; rc == TTP_OK && i < runs->count; i++) {
        struct ttp_history_run run;

        rc = ttp_store_read(&run, j->store, runs->run[i].id, TTP_PARTS_ALL, &arena, err);
        if (rc == TTP_OK)
            ttp_history_run_write_json(j->ctx->out, &run, &arena);
        ttp_arena_reset(&arena);
    }
    ttp_arena_free(&arena);
    return rc;
}

/* What the machine's facts say, for those who write them again. */
static void machine_of(struct ttp_fingerprint *out, const struct ttp_history_run *run,
                       struct ttp_arena *arena)
{
    struct ttp_node *facts = NULL;

    *out = (struct ttp_fingerprint){.hostname = run->host, .key = run->machine_key};
    if (ttp_json_tree(&facts, run->machine_facts, arena, NULL) != TTP_OK)
        facts = NULL;
    out->driver = ttp_node_str_of(facts, "driver");
    if (run->board.len == 0)
        return;
    const struct ttp_node *board = ttp_node_first_of(facts, "boards");
    out->board = TTP_NEW(arena, struct ttp_board_print, 1);
    out->nboards = 1;
    out->board[0] = (struct ttp_board_print){
        .card = run->board,
        .chip = ttp_arena_zstr(arena, ttp_node_str_of(board, "arch")),
        .firmware = ttp_node_str_of(board, "firmware"),
    };
}

static void export_benchmark_run(struct history_job *j, const struct ttp_history_run *run)
{
    struct ttp_arena *arena = j->ctx->arena;
    const struct ttp_git_state git = {
        .known = run->commit.len > 0,
        .commit = run->commit,
        .branch = run->branch,
        .commit_time = run->commit_time,
        .repository = run->project,
        .dirty = run->dirty,
    };
    const struct ttp_complete_run about = {ttp_arena_zstr(arena, run->name), "tt-perf-history"};
    struct ttp_fingerprint machine;
    struct ttp_bench bench;

    machine_of(&machine, run, arena);
    ttp_history_run_to_bench(&bench, run, arena);
    const struct ttp_bench_view view = {.bench = &bench, .git = &git, .machine = &machine};
    ttp_out_complete_run(j->ctx->out, &view, &about, arena);
}

/* The document as it was added, which --format or the suffix of -o may call JSON or CSV. */
static ttp_code export_original(struct history_job *j, const struct ttp_history_run *run,
                                struct ttp_err *err)
{
    const enum ttp_form form = j->ctx->show.form;
    const ttp_str begin = ttp_str_slice(ttp_str_trim(run->document), 0, 1);
    const bool json = ttp_str_eq(begin, TTP_STR("{")) || ttp_str_eq(begin, TTP_STR("["));

    if (run->document.len == 0) {
        ttp_fail(err, TTP_ENOTFOUND, "run %lld has no document", (long long)run->id);
        ttp_err_hint(err, "use --format benchmark-run or ndjson to write the stored values");
        return TTP_ENOTFOUND;
    }
    if ((form == TTP_FORM_JSON && !json) || (form == TTP_FORM_CSV && json)) {
        ttp_fail(err, TTP_EUSAGE, "the document of run %lld is %s", (long long)run->id,
                 json ? "JSON" : "not JSON");
        ttp_err_hint(err, "use --format original, or an output file without that suffix");
        return TTP_EUSAGE;
    }
    ttp_ctx_exact(j->ctx); /* as it was added */
    ttp_sink_put(j->ctx->out, run->document);
    return TTP_OK;
}

/* Rows of all these runs, or their metrics. */
static ttp_code export_rows(struct history_job *j, struct ttp_history_runs *runs,
                            struct ttp_err *err)
{
    const bool metrics = j->ctx->show.form == TTP_FORM_PROMETHEUS;
    const bool ops = j->options->ops && !metrics;
    const struct ttp_show show = history_how(j, 0);
    const struct ttp_history_about about = history_about(j, "export", false);

    for (size_t i = 0; i < runs->count; i++)
        TTP_TRY(ttp_store_read(&runs->run[i], j->store, runs->run[i].id,
                               ops ? TTP_PART_OPS : TTP_PART_MEASURES, j->ctx->arena, err));
    if (!metrics)
        return ttp_out_history_export(&show, &about, runs, ops, err);
    ttp_out_history_metrics(show.out, runs, show.arena);
    return TTP_OK;
}

static ttp_code export_all(struct history_job *j, int form, struct ttp_err *err)
{
    struct ttp_history_runs runs;

    if (form == HISTORY_ORIGINAL || form == HISTORY_BENCHMARK_RUN) {
        (void)ttp_fail(err, TTP_EUSAGE, "--format %s is of one run: --all conflicts with it",
                       j->ctx->format);
        ttp_err_hint(err, "use --format ndjson, csv, json, parquet or prometheus");
        return TTP_EUSAGE;
    }
    TTP_TRY(list_runs(&runs, j, 0, err));
    TTP_SORT(runs.run, runs.count, by_id);
    return form == HISTORY_TEXT || form == HISTORY_NDJSON ? export_lines(j, &runs, err)
                                                          : export_rows(j, &runs, err);
}

ttp_code history_export(int *status, struct history_job *j, struct ttp_err *err)
{
    const int form = j->options->common.format;
    struct ttp_history_run run;
    int64_t id = 0;

    (void)status;
    if (j->options->all)
        return export_all(j, form, err);
    TTP_TRY(ttp_store_find_run(&id, j->store, j->operands.word[0], j->ctx->arena, err));
    if (form == HISTORY_PARQUET || form == HISTORY_PROMETHEUS) {
        run = (struct ttp_history_run){.id = id};
        return export_rows(j, &(struct ttp_history_runs){.run = &run, .count = 1}, err);
    }
    TTP_TRY(ttp_store_read(&run, j->store, id, TTP_PARTS_ALL, j->ctx->arena, err));
    if (form == HISTORY_NDJSON) {
        ttp_history_run_write_json(j->ctx->out, &run, j->ctx->arena);
    } else if (form == HISTORY_BENCHMARK_RUN && !ttp_str_eq(run.kind, TTP_STR("benchmark-run"))) {
        export_benchmark_run(j, &run);
    } else {
        return export_original(j, &run, err);
    }
    return TTP_OK;
}
