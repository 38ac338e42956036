/* SPDX-License-Identifier: Apache-2.0 */
/* store_lines.c - results over lines of a store: trends, and regressions since a moment.
 */
#include "base/order.h"

#include "store/store_internal.h"

/* Names offered when there is no such metric. */
#define OFFERED 12

static ttp_str text_or_any(const char *s)
{
    return ttp_str_from(s ? s : "");
}

/* A question, and the series that could answer it, by name, machines last. */
struct asking {
    struct ttp_store *store;
    const struct ttp_line_query *query;
    struct ttp_arena *arena;
    struct ttp_store_moment since;
    struct ttp_store_span span;
    struct ttp_series_list all;
    size_t next;
};

/* One line: series that are combined. */
struct line {
    struct ttp_series *series; /* the first of them represents all */
    size_t count;
};

/* Is it the same line except for the machine? */
static bool same_line(const struct ttp_series *a, const struct ttp_series *b)
{
    return ttp_str_eq(a->name, b->name) && ttp_str_eq(a->metric, b->metric) &&
           ttp_str_eq(a->variant, b->variant) && ttp_str_eq(a->unit, b->unit) &&
           a->better == b->better;
}

TTP_ORDER(by_time, struct ttp_series_point, TTP_UP(time_ns), TTP_UP(run))

static ttp_code fail_metric(const struct asking *a, struct ttp_err *err)
{
    const struct ttp_series_key of_name = {.name = text_or_any(a->query->name)};
    struct ttp_series_list all;
    struct ttp_sink names;
    size_t offered = 0;

    TTP_TRY(ttp_store_series(&all, a->store, &of_name, a->arena, err));
    ttp_sink_to_arena(&names, a->arena);
    for (size_t i = 0; i < all.count && offered < OFFERED; i++) {
        const ttp_str metric = all.series[i].metric;
        bool listed = ttp_str_starts(metric, TTP_STR("op/"));

        for (size_t k = 0; k < i && !listed; k++)
            listed = ttp_str_eq(all.series[k].metric, metric);
        if (!listed)
            ttp_sink_printf(&names, "%s%.*s", offered++ ? ", " : "", TTP_FMT(metric));
    }
    ttp_fail(err, TTP_ENOTFOUND, "no metric '%.100s'%s%s in the history", a->query->metric,
             a->query->name ? " of " : "", a->query->name ? a->query->name : "");
    if (names.len)
        ttp_err_hint(err, "known metrics: %.*s",
                     TTP_FMT(ttp_str_slice(ttp_sink_text(&names), 0, 230)));
    return TTP_ENOTFOUND;
}

static ttp_code ask(struct asking *a, struct ttp_err *err)
{
    const struct ttp_line_query *q = a->query;
    struct ttp_store_moment until = {0};

    if (q->since)
        TTP_TRY(ttp_store_find_moment(&a->since, a->store, q->since, a->arena, err));
    if (q->until)
        TTP_TRY(ttp_store_find_moment(&until, a->store, q->until, a->arena, err));
    a->span = (struct ttp_store_span){.after_ns = a->since.time_ns,
                                      .until_ns = until.time_ns,
                                      .branch = text_or_any(q->branch),
                                      .host = text_or_any(q->host)};
    const struct ttp_series_key key = {text_or_any(q->metric), text_or_any(q->name)};
    TTP_TRY(ttp_store_series(&a->all, a->store, &key, a->arena, err));
    return a->all.count == 0 && q->metric ? fail_metric(a, err) : TTP_OK;
}

/* The next line that the query asks for. */
static bool next_line(struct line *out, struct asking *a)
{
    const struct ttp_line_query *q = a->query;

    while (a->next < a->all.count) {
        struct ttp_series *first = &a->all.series[a->next++];

        *out = (struct line){first, 1};
        while (q->any_machine && a->next < a->all.count &&
               same_line(first, &a->all.series[a->next])) {
            out->count++;
            a->next++;
        }
        if ((!q->variant || ttp_str_has(first->variant, ttp_str_from(q->variant))) &&
            (q->metric || q->ops || !ttp_str_starts(first->metric, TTP_STR("op/"))))
            return true;
    }
    return false;
}

/* Its points in order of time, the last `span.limit` of them. */
static ttp_code read_points(struct ttp_series_points *out, const struct asking *a,
                            const struct line *line, struct ttp_store_span span,
                            struct ttp_err *err)
{
    struct ttp_series_point *all = NULL;

    *out = (struct ttp_series_points){0};
    for (size_t i = 0; i < line->count; i++) {
        struct ttp_series_points more;

        span.series = line->series[i].id;
        TTP_TRY(ttp_store_points(&more, a->store, &span, a->arena, err));
        all = TTP_NEW(a->arena, struct ttp_series_point, out->count + more.count);
        if (out->count)
            memcpy(all, out->point, out->count * sizeof(*all));
        if (more.count)
            memcpy(all + out->count, more.point, more.count * sizeof(*all));
        *out = (struct ttp_series_points){all, out->count + more.count};
    }
    if (line->count > 1) {
        TTP_SORT(all, out->count, by_time);
        line->series->machine_key = (ttp_str){0};
    }
    if (span.limit && out->count > span.limit) {
        out->point += out->count - span.limit;
        out->count = span.limit;
    }
    return TTP_OK;
}

ttp_code ttp_store_trends(struct ttp_trends *out, struct ttp_store *s,
                          const struct ttp_line_query *query, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct asking a = {.store = s, .query = query, .arena = arena};
    struct line line;

    TTP_TRY(ask(&a, err));
    *out = (struct ttp_trends){.trend = TTP_NEW(arena, struct ttp_trend, a.all.count)};
    a.span.limit = query->limit ? query->limit + 1 : 0; /* one more says whether there are more */
    while (next_line(&line, &a)) {
        struct ttp_series_points points;

        if (query->limit && out->count == TTP_TRENDS_MAX) {
            out->more = true;
            break;
        }
        TTP_TRY(read_points(&points, &a, &line, a.span, err));
        if (query->limit && points.count > query->limit) {
            out->more = true;
            points.point += points.count - query->limit;
            points.count = query->limit;
        }
        if (points.count)
            ttp_history_trend_make(&out->trend[out->count++], line.series, points,
                                   &query->options->changes, arena);
    }
    return TTP_OK;
}

/* ---- regressions ---- */

static ttp_code judge_line(struct ttp_regressions *out, const struct asking *a,
                           const struct line *line, struct ttp_err *err)
{
    struct ttp_store_span earlier = a->span;
    struct ttp_series_points before, after;

    TTP_TRY(read_points(&after, a, line, a->span, err));
    if (after.count == 0) {
        out->without_after++;
        return TTP_OK;
    }
    earlier.after_ns = 0;
    earlier.until_ns = a->since.time_ns;
    earlier.limit = a->query->limit;
    TTP_TRY(read_points(&before, a, line, earlier, err));
    if (before.count == 0) {
        out->without_before++;
        return TTP_OK;
    }
    struct ttp_series_point *all =
        TTP_NEW(a->arena, struct ttp_series_point, before.count + after.count);
    memcpy(all, before.point, before.count * sizeof(*all));
    memcpy(all + before.count, after.point, after.count * sizeof(*all));
    ttp_history_line_compare(&out->line[out->count++], line->series,
                             (struct ttp_line_sides){all, before.count, after.count},
                             a->query->options, a->arena);
    return TTP_OK;
}

/* The worst first; lines with the same verdict by how much they changed. */
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

ttp_code ttp_store_regressions(struct ttp_regressions *out, struct ttp_store *s,
                               const struct ttp_line_query *query, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    struct asking a = {.store = s, .query = query, .arena = arena};
    struct line line;

    TTP_TRY(ask(&a, err));
    *out = (struct ttp_regressions){
        .since = a.since.words,
        .since_ns = a.since.time_ns,
        .line = TTP_NEW(arena, struct ttp_line_comparison, a.all.count),
    };
    while (next_line(&line, &a))
        TTP_TRY(judge_line(out, &a, &line, err));
    ttp_history_line_settle(out->line, out->count, query->options, arena);
    TTP_SORT(out->line, out->count, by_gravity);
    return TTP_OK;
}
