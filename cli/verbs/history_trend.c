/* SPDX-License-Identifier: Apache-2.0 */
/* history_trend.c - `tt-perf history trend` and `regressions`. */
#include <stdlib.h>

#include "verbs/history_job.h"

#define POINTS_LIMIT 200
#define LINES_LIMIT  100
#define CHARTS_MAX   12
/* Names offered when there is no such metric. */
#define OFFERED 12

static struct ttp_change_options change_options(const struct history_opts *o)
{
    return (struct ttp_change_options){
        .min_segment = (size_t)o->min_segment,
        .permutations = (size_t)o->permutations,
        .significance = o->significance,
        .seed = (uint64_t)o->seed,
    };
}

static bool wanted(const struct history_job *j, const struct ttp_series *s)
{
    return !j->o->variant || ttp_str_has(s->variant, ttp_str_from(j->o->variant));
}

/* Is it the same line except for the machine? */
static bool same_line(const struct ttp_series *a, const struct ttp_series *b)
{
    return ttp_str_eq(a->name, b->name) && ttp_str_eq(a->metric, b->metric) &&
           ttp_str_eq(a->variant, b->variant) && ttp_str_eq(a->unit, b->unit) &&
           a->better == b->better;
}

static int by_time(const void *a, const void *b)
{
    const struct ttp_series_point *x = a, *y = b;

    return x->time_ns != y->time_ns ? (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns)
                                    : (x->run > y->run) - (x->run < y->run);
}

/* Points of `lines` series that are one line, in order of time, the last `span->limit` of them. */
static ttp_code read_points(struct ttp_series_point **out, size_t *count,
                            const struct history_job *j, const struct ttp_series *series,
                            size_t lines, const struct ttp_store_span *span, struct ttp_err *err)
{
    struct ttp_arena *arena = j->ctx->arena;

    TTP_TRY(ttp_store_points(out, count, j->store, series[0].id, span, arena, err));
    for (size_t i = 1; i < lines; i++) {
        struct ttp_series_point *more;
        size_t n;

        TTP_TRY(ttp_store_points(&more, &n, j->store, series[i].id, span, arena, err));
        struct ttp_series_point *all = TTP_NEW(arena, struct ttp_series_point, *count + n);
        if (*count)
            memcpy(all, *out, *count * sizeof(*all));
        if (n)
            memcpy(all + *count, more, n * sizeof(*all));
        *out = all;
        *count += n;
    }
    if (lines > 1)
        qsort(*out, *count, sizeof(**out), by_time);
    if (span->limit && *count > span->limit) {
        *out += *count - span->limit;
        *count = span->limit;
    }
    return TTP_OK;
}

/* How many of the series from `i` on make one line. They are in order of their names, machines
 * last. */
static size_t line_length(const struct history_job *j, const struct ttp_series *series,
                          size_t count, size_t i)
{
    size_t n = 1;

    while (j->o->any_machine && i + n < count && same_line(&series[i], &series[i + n]))
        n++;
    return n;
}

static ttp_code fail_metric(const struct history_job *j, const char *metric, struct ttp_err *err)
{
    struct ttp_series *series;
    struct ttp_sink names;
    size_t count, offered = 0;

    TTP_TRY(ttp_store_series(&series, &count, j->store, TTP_STR(""),
                             ttp_str_from(j->o->name ? j->o->name : ""), j->ctx->arena, err));
    ttp_sink_to_arena(&names, j->ctx->arena);
    for (size_t i = 0; i < count && offered < OFFERED; i++) {
        bool said = ttp_str_starts(series[i].metric, TTP_STR("op/"));

        for (size_t k = 0; k < i && !said; k++)
            said = ttp_str_eq(series[k].metric, series[i].metric);
        if (!said)
            ttp_sink_printf(&names, "%s%.*s", offered++ ? ", " : "", TTP_FMT(series[i].metric));
    }
    ttp_fail(err, TTP_ENOTFOUND, "no metric '%.100s'%s%s in the history", metric,
             j->o->name ? " of " : "", j->o->name ? j->o->name : "");
    if (names.len)
        ttp_err_hint(err, "known metrics: %.*s",
                     TTP_FMT(ttp_str_slice(ttp_sink_text(&names), 0, 230)));
    return TTP_ENOTFOUND;
}

static ttp_code span_of(struct ttp_store_span *out, const struct history_job *j,
                        struct ttp_err *err)
{
    const struct history_opts *o = j->o;
    struct history_moment moment;

    *out = (struct ttp_store_span){
        .branch = ttp_str_from(o->branch ? o->branch : ""),
        .host = ttp_str_from(o->host ? o->host : ""),
    };
    if (o->since) {
        TTP_TRY(history_find_moment(&moment, j, o->since, err));
        out->after_ns = moment.time_ns;
    }
    if (o->until) {
        TTP_TRY(history_find_moment(&moment, j, o->until, err));
        out->until_ns = moment.time_ns;
    }
    return TTP_OK;
}

/* What is shown of one line; *more: not all of it. */
static ttp_code make_trend(struct ttp_trend *out, bool *more, const struct history_job *j,
                           struct ttp_series *series, size_t lines, struct ttp_store_span span,
                           struct ttp_err *err)
{
    const struct ttp_change_options changes = change_options(j->o);
    const size_t limit = span.limit;
    struct ttp_series_point *point;
    size_t n;

    span.limit = limit ? limit + 1 : 0; /* one more says whether there are more */
    TTP_TRY(read_points(&point, &n, j, series, lines, &span, err));
    if (limit && n > limit) {
        *more = true;
        point += n - limit;
        n = limit;
    }
    if (lines > 1)
        series[0].machine_key = (ttp_str){0};
    *out = (struct ttp_trend){0};
    if (n)
        ttp_trend_make(out, series, point, n, &changes, j->ctx->arena);
    return TTP_OK;
}

ttp_code history_trend(int *status, struct history_job *j, struct ttp_err *err)
{
    const char *metric = j->operands.word[0];
    struct ttp_arena *arena = j->ctx->arena;
    struct ttp_series *series;
    struct ttp_store_span span;
    size_t count, shown = 0;
    bool more = false;

    (void)status;
    TTP_TRY(span_of(&span, j, err));
    TTP_TRY(ttp_store_series(&series, &count, j->store, ttp_str_from(metric),
                             ttp_str_from(j->o->name ? j->o->name : ""), arena, err));
    if (count == 0)
        return fail_metric(j, metric, err);
    struct ttp_trend *trend = TTP_NEW(arena, struct ttp_trend, count);
    span.limit = history_limit(j, POINTS_LIMIT);
    for (size_t i = 0, lines; i < count; i += lines) {
        lines = line_length(j, series, count, i);
        if (!wanted(j, &series[i]))
            continue;
        if (span.limit && shown == CHARTS_MAX) {
            more = true;
            break;
        }
        TTP_TRY(make_trend(&trend[shown], &more, j, &series[i], lines, span, err));
        shown += trend[shown].count > 0;
    }
    if (shown == 0)
        return ttp_fail(err, TTP_ENOTFOUND, "no run with metric '%.100s' matches the filters",
                        metric);
    const struct ttp_show show = history_how(j, 0);
    const struct ttp_history_about about = history_about(j, "trend", more);
    return ttp_out_history_trend(&show, &about, trend, shown, err);
}

/* ---- regressions ---- */

struct judging {
    struct history_job *j;
    struct ttp_line_options options;
    struct ttp_store_span before, after;
    struct ttp_history_since since;
    struct ttp_line_comparison *found;
    size_t count;
};

static ttp_code judge_line(struct judging *g, struct ttp_series *series, size_t lines,
                           struct ttp_err *err)
{
    struct ttp_arena *arena = g->j->ctx->arena;
    struct ttp_series_point *before, *after;
    size_t nb, na;

    TTP_TRY(read_points(&after, &na, g->j, series, lines, &g->after, err));
    if (na == 0) {
        g->since.without_after++;
        return TTP_OK;
    }
    TTP_TRY(read_points(&before, &nb, g->j, series, lines, &g->before, err));
    if (nb == 0) {
        g->since.without_before++;
        return TTP_OK;
    }
    struct ttp_series_point *all = TTP_NEW(arena, struct ttp_series_point, nb + na);
    memcpy(all, before, nb * sizeof(*all));
    memcpy(all + nb, after, na * sizeof(*all));
    if (lines > 1)
        series[0].machine_key = (ttp_str){0};
    ttp_line_compare(&g->found[g->count++], &series[0], all, nb, na, &g->options, arena);
    return TTP_OK;
}

static ttp_code judge_lines(struct judging *g, struct ttp_err *err)
{
    const struct history_opts *o = g->j->o;
    struct ttp_series *series;
    size_t count;

    TTP_TRY(ttp_store_series(&series, &count, g->j->store, ttp_str_from(o->metric ? o->metric : ""),
                             ttp_str_from(o->name ? o->name : ""), g->j->ctx->arena, err));
    if (count == 0 && o->metric)
        return fail_metric(g->j, o->metric, err);
    g->found = TTP_NEW(g->j->ctx->arena, struct ttp_line_comparison, count);
    for (size_t i = 0, lines; i < count; i += lines) {
        const bool of_op = ttp_str_starts(series[i].metric, TTP_STR("op/"));

        lines = line_length(g->j, series, count, i);
        if (wanted(g->j, &series[i]) && (!of_op || o->ops || o->metric))
            TTP_TRY(judge_line(g, &series[i], lines, err));
    }
    return TTP_OK;
}

/* The worst first; those that stand alike by how much they changed. */
static int by_gravity(const void *a, const void *b)
{
    static const int rank[] = {[TTP_STANDS_WORSE] = 0,
                               [TTP_STANDS_UNSURE] = 1,
                               [TTP_STANDS_BETTER] = 2,
                               [TTP_STANDS_SAME] = 3};
    const struct ttp_line_comparison *x = a, *y = b;
    const double cx = x->change < 0 ? -x->change : x->change;
    const double cy = y->change < 0 ? -y->change : y->change;

    if (rank[x->standing] != rank[y->standing])
        return rank[x->standing] - rank[y->standing];
    if (cx != cy)
        return (cx < cy) - (cx > cy);
    return (x->series.id > y->series.id) - (x->series.id < y->series.id);
}

static int status_of(const struct judging *g)
{
    int status = g->count ? TTP_EXIT_OK : TTP_EXIT_UNDECIDED;

    for (size_t i = 0; i < g->count; i++) {
        if (g->found[i].standing == TTP_STANDS_WORSE)
            return TTP_EXIT_FINDING;
        if (g->found[i].standing == TTP_STANDS_UNSURE)
            status = TTP_EXIT_UNDECIDED;
    }
    return status;
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

ttp_code history_regressions(int *status, struct history_job *j, struct ttp_err *err)
{
    struct judging g = {.j = j};
    struct history_moment moment = {0};

    g.options = (struct ttp_line_options){.changes = change_options(j->o),
                                          .min_effect = j->o->min_effect,
                                          .confidence = j->o->confidence};
    TTP_TRY(history_find_moment(&moment, j, j->o->since, err));
    TTP_TRY(span_of(&g.after, j, err));
    g.before = g.after;
    g.before.after_ns = 0;
    g.before.until_ns = moment.time_ns;
    TTP_TRY(runs_before(&g.before.limit, j->o, err));
    g.since.words = moment.words;
    g.since.time_ns = moment.time_ns;
    TTP_TRY(judge_lines(&g, err));
    ttp_line_settle(g.found, g.count, &g.options, j->ctx->arena);
    if (g.count)
        qsort(g.found, g.count, sizeof(*g.found), by_gravity);
    const struct ttp_show show = history_how(j, history_row_limit(j, LINES_LIMIT));
    const struct ttp_history_about about = history_about(j, "regressions", false);
    *status = status_of(&g);
    return ttp_out_history_compare(&show, &about, g.found, g.count, &g.since, err);
}
