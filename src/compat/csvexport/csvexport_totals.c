/* SPDX-License-Identifier: Apache-2.0 */
/* What csvexport writes without -u: one row a source location. */
#include <math.h>

#include "base/order.h"

#include "compat/compat.h"

struct totals {
    int64_t total, least, most;
    double squares;
    int64_t own_total, own_least, own_most;
    size_t count;
};

static struct totals add_up(const struct ttp_trace_zones *z, const uint32_t *zone, size_t n,
                            const int64_t *child_ns)
{
    struct totals t = {.least = INT64_MAX,
                       .own_least = INT64_MAX,
                       .most = INT64_MIN,
                       .own_most = INT64_MIN,
                       .count = n};

    for (size_t i = 0; i < n; i++) {
        const int64_t ns = ttp_trace_csv_span(z, zone[i]);
        const int64_t own = ttp_wrap_sub(ns, child_ns[zone[i]]);

        t.total = ttp_wrap_add(t.total, ns);
        t.squares += (double)ns * (double)ns;
        t.least = ns < t.least ? ns : t.least;
        t.most = ns > t.most ? ns : t.most;
        t.own_total = ttp_wrap_add(t.own_total, own);
        t.own_least = own < t.own_least ? own : t.own_least;
        t.own_most = own > t.own_most ? own : t.own_most;
    }
    return t;
}

/* Around a mean cut to whole ns, of all the time even for --self, as the original computes it: its
 * product of whole numbers wraps around after some seconds. */
static double spread(const struct totals *t, int64_t mean)
{
    const double square = (double)((uint64_t)mean * (uint64_t)mean * t->count);

    if (t->count < 2)
        return 0;
    const double ss = t->squares - 2. * (double)t->total * (double)mean + square;
    return sqrt(ss / (double)(t->count - 1));
}

static void put_spread(struct ttp_sink *out, double v)
{
    if (isnan(v))
        ttp_sink_put(out, TTP_STR("-nan")); /* as printf has the root of a negative number */
    else
        ttp_sink_fixed(out, v, 6, false);
}

/* The percentile, between its two neighbours, and the mean of what is not longer. */
static void put_truncated(const struct ttp_csv_rows *w, const uint32_t *zone, size_t n,
                          const int64_t *child_ns, struct ttp_arena *scratch)
{
    int64_t *ns = TTP_NEW(scratch, int64_t, n), sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        ns[i] = ttp_trace_csv_span(&w->trace->zone, zone[i]);
        if (w->options->self_time)
            ns[i] = ttp_wrap_sub(ns[i], child_ns[zone[i]]);
    }
    TTP_SORT(ns, n, ttp_by_i64);
    const double at = (double)w->options->percentile / 100. * ((double)n - 1.);
    const size_t low = (size_t)at, high = low + 1 < n ? low + 1 : n - 1;
    const double limit =
        (double)ns[low] + ((double)ns[high] - (double)ns[low]) * (at - (double)low);
    for (; count < n && (double)ns[count] <= limit; count++)
        sum = ttp_wrap_add(sum, ns[count]);
    ttp_sink_put(w->out, w->sep);
    ttp_sink_i64(w->out, llround(limit));
    ttp_sink_put(w->out, w->sep);
    ttp_sink_i64(w->out, count ? sum / (int64_t)count : 0);
}

static int64_t last_time(const struct ttp_trace *trace)
{
    int64_t last = trace->last_ns;

    for (size_t i = 0; i < trace->zone.count; i++)
        if (trace->zone.end_ns[i] != TTP_ZONE_OPEN && trace->zone.end_ns[i] > last)
            last = trace->zone.end_ns[i];
    for (size_t i = 0; i < trace->nmessages; i++)
        last = trace->message[i].ns > last ? trace->message[i].ns : last;
    return last;
}

static void put_totals(const struct ttp_csv_rows *w, const struct totals *t, int64_t last)
{
    const bool own = w->options->self_time;
    const int64_t time = own ? t->own_total : t->total;
    const int64_t mean = time / (int64_t)t->count;
    struct ttp_sink *out = w->out;

    ttp_sink_put(out, w->head);
    ttp_sink_i64(out, time);
    ttp_sink_put(out, w->sep);
    ttp_sink_fixed(out, 100. * (double)time / (double)last, 6, false);
    ttp_sink_put(out, w->sep);
    ttp_sink_u64(out, t->count);
    ttp_sink_put(out, w->sep);
    ttp_sink_i64(out, mean);
    ttp_sink_put(out, w->sep);
    ttp_sink_i64(out, own ? t->own_least : t->least);
    ttp_sink_put(out, w->sep);
    ttp_sink_i64(out, own ? t->own_most : t->most);
    ttp_sink_put(out, w->sep);
    put_spread(out, spread(t, mean));
}

void ttp_original_trace_write_statistics(struct ttp_sink *out, const struct ttp_trace *trace,
                                         const struct ttp_csv_options *options,
                                         struct ttp_arena *scratch)
{
    static const char *const columns[] = {
        "name",   "src_file", "src_line", "total_ns",      "total_perc",        "counts", "mean_ns",
        "min_ns", "max_ns",   "std_ns",   "percentile_ns", "truncated_mean_ns", NULL};
    const char *header[TTP_COUNT(columns)];
    struct ttp_csv_rows w = ttp_capture_trace_csv_begin(out, trace, options);
    const struct ttp_csv_groups g = ttp_capture_trace_csv_group(trace, scratch);
    struct ttp_arena own = {0}; /* `out` may live in `scratch` */
    const int64_t *child_ns = ttp_capture_trace_csv_child_times(&trace->zone, scratch);
    const int64_t last = last_time(trace);

    memcpy(header, columns, sizeof(columns));
    if (!options->percentile)
        header[TTP_COUNT(columns) - 3] = NULL;
    ttp_capture_trace_csv_put_header(&w, header);
    for (uint32_t source = 0; source < trace->nsources; source++) {
        const size_t n = g.first[source + 1] - g.first[source];

        if (n == 0 || !ttp_capture_trace_csv_is_selected(&w, source))
            continue;
        const struct totals t = add_up(&trace->zone, &g.zone[g.first[source]], n, child_ns);
        ttp_capture_trace_csv_put_head(&w, source, &own);
        put_totals(&w, &t, last);
        if (options->percentile)
            put_truncated(&w, &g.zone[g.first[source]], n, child_ns, &own);
        ttp_sink_char(out, '\n');
        ttp_arena_reset(&own);
    }
    ttp_arena_free(&own);
}
