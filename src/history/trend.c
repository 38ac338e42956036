/* SPDX-License-Identifier: Apache-2.0 */
/* trend.c - levels of a line of runs, and how the current one compares with an earlier one.
 */
#include <math.h>

#include "history/history.h"

/* A deviation of normal data from its median absolute deviation. */
#define MAD_TO_SD 1.4826
/* Runs before that say something about noise. */
#define NOISE_RUNS 3

static double median_of(const double *v, size_t n, struct ttp_arena *scratch)
{
    return ttp_stats_quantile(ttp_stats_sorted(v, n, scratch), n, 0.5);
}

static double *medians_of(const struct ttp_series_point *point, size_t n, struct ttp_arena *arena)
{
    double *v = TTP_NEW(arena, double, n);

    for (size_t i = 0; i < n; i++)
        v[i] = point[i].median;
    return v;
}

/* NAN: both are 0; infinite: only the first is. */
static double change_of(double before, double after)
{
    if (before == 0)
        return after == 0 ? NAN : copysign(INFINITY, after);
    return (after - before) / fabs(before);
}

static bool is_worse(double change, enum ttp_better better)
{
    return better == TTP_BETTER_LOWER ? change > 0 : change < 0;
}

void ttp_history_trend_make(struct ttp_trend *out, const struct ttp_series *series,
                            struct ttp_series_points points,
                            const struct ttp_change_options *options, struct ttp_arena *arena)
{
    const double *v = medians_of(points.point, points.count, arena);
    struct ttp_change_point *found;

    *out = (struct ttp_trend){.series = *series, .point = points.point, .count = points.count};
    out->changes = ttp_stats_change_points(&found, v, points.count, options, arena);
    out->change = TTP_NEW(arena, struct ttp_trend_change, out->changes);
    for (size_t i = 0; i < out->changes; i++) {
        const size_t from = i ? found[i - 1].at : 0, at = found[i].at;
        const size_t to = i + 1 < out->changes ? found[i + 1].at : points.count;
        const double before = median_of(v + from, at - from, arena);
        const double after = median_of(v + at, to - at, arena);
        const double change = change_of(before, after);

        out->change[i] = (struct ttp_trend_change){
            .at = at,
            .before = before,
            .after = after,
            .change = change,
            .p = found[i].p,
            .worse = is_worse(change, series->better),
        };
    }
}

/* ---- before and after ---- */

/* Deviation of runs at one level, as a part of their median: of the runs themselves if there are
 * some, else of the samples within them. NAN: unknown. */
static double noise_of(const struct ttp_series_point *point, const double *v, size_t n,
                       struct ttp_arena *arena)
{
    const double *sorted = ttp_stats_sorted(v, n, arena);
    const double median = ttp_stats_quantile(sorted, n, 0.5);
    double *range = TTP_NEW(arena, double, n);
    size_t ranges = 0;

    if (median == 0)
        return NAN;
    if (n >= NOISE_RUNS)
        return MAD_TO_SD * ttp_stats_mad(sorted, n, arena) / fabs(median);
    for (size_t i = 0; i < n; i++)
        if (point[i].count >= NOISE_RUNS)
            range[ranges++] = (point[i].high - point[i].low) / 2;
    return ranges ? median_of(range, ranges, arena) / fabs(median) : NAN;
}

struct level_runs {
    size_t before, after;
};

struct level_means {
    size_t *from, *now;
};

/* Do the last `k` of n values all lie beyond the others, on one side, by more than noise and
 * min_effect? Of all orders of the values only two such end that way, so that the exact p is
 * 2 / C(n, k). */
static bool ends_apart(const double *v, size_t n, size_t k, const struct ttp_line_options *options,
                       struct ttp_arena *arena)
{
    const double *old = ttp_stats_sorted(v, n - k, arena);
    const double *young = ttp_stats_sorted(v + n - k, k, arena);
    const double was = ttp_stats_quantile(old, n - k, 0.5);
    const double shift = fabs(ttp_stats_quantile(young, k, 0.5) - was);
    double p = 2;

    for (size_t i = 0; i < k; i++)
        p *= (double)(i + 1) / (double)(n - i);
    return p <= options->changes.significance &&
           (young[0] > old[n - k - 1] || young[k - 1] < old[0]) &&
           shift > options->min_effect * fabs(was) &&
           shift > 2 * MAD_TO_SD * ttp_stats_mad(old, n - k, arena);
}

struct level_span {
    size_t from, to; /* values of one level, as far as change points tell */
    size_t least;    /* where the last level begins otherwise, and at least */
};

/* Where the last level begins. Change points leave min_segment values on either side; a level that
 * is younger than that would vanish in the median of the others. */
static size_t last_level(const double *v, struct level_span s,
                         const struct ttp_line_options *options, struct ttp_arena *arena)
{
    for (size_t k = options->changes.min_segment - 1; k >= NOISE_RUNS; k--)
        if (s.to - s.least >= k && s.to - s.from > k &&
            ends_apart(v + s.from, s.to - s.from, k, options, arena))
            return s.to - k;
    return s.least;
}

/* Where the level at the moment began, and where the present one does. */
static void find_levels(struct level_means out, const double *v, struct level_runs runs,
                        const struct ttp_line_options *options, struct ttp_arena *arena)
{
    struct ttp_change_point *found;
    const size_t count =
        ttp_stats_change_points(&found, v, runs.before + runs.after, &options->changes, arena);

    *out.from = 0;
    *out.now = runs.before;
    for (size_t i = 0; i < count; i++)
        if (found[i].at < runs.before)
            *out.from = found[i].at;
        else
            *out.now = found[i].at;
    const size_t last = *out.now > runs.before ? *out.now : *out.from;
    /* a median of two levels is none of either, so that less evidence must do */
    struct ttp_line_options lenient = *options;
    lenient.changes.significance = fmax(options->changes.significance, 1 - options->confidence);
    *out.from =
        last_level(v, (struct level_span){*out.from, runs.before, *out.from}, &lenient, arena);
    *out.now = last_level(v, (struct level_span){last, runs.before + runs.after, *out.now}, options,
                          arena);
}

/* Runs of the commit at the moment are the base if they differ from the earlier ones, however few
 * these are. */
static size_t own_level(struct ttp_line_sides sides, const double *v, size_t from,
                        const struct ttp_line_options *options, struct ttp_arena *arena)
{
    const ttp_str commit = sides.point[sides.before - 1].commit;
    struct ttp_line_options any = *options;
    size_t own = 0;

    while (commit.len && own < sides.before - from &&
           ttp_str_eq(sides.point[sides.before - 1 - own].commit, commit))
        own++;
    any.changes.significance = 1;
    return own >= 2 && own < sides.before - from &&
                   ends_apart(v + from, sides.before - from, own, &any, arena)
               ? sides.before - own
               : from;
}

/* Where runs are too few for a test: beyond `times` the noise. */
static void judge_by_noise(struct ttp_line_comparison *c, double times)
{
    c->p = NAN;
    c->limit = fmax(c->limit, isfinite(c->noise) ? times * c->noise : TTP_BLIND_LIMIT);
}

/* A test that finds all it can, every run of one side beyond every run of the other, and still
 * nothing after the correction for their number is blind: more runs before must not make a step
 * less certain than one run does. Noise of that many lines decides (a bound of the normal tail). */
static void drop_blind_tests(struct ttp_line_comparison *c, size_t count, double alpha)
{
    size_t tested = 0;

    for (size_t i = 0; i < count; i++)
        tested += isfinite(c[i].p);
    for (size_t i = 0; i < count; i++) {
        const double least = ttp_stats_least_p(c[i].runs_before, c[i].runs_after);

        if (isfinite(c[i].p) && c[i].p <= least * (1 + 1e-9) && least * (double)tested > alpha)
            judge_by_noise(&c[i], sqrt(2 * log((double)tested / alpha)));
    }
}

void ttp_history_line_compare(struct ttp_line_comparison *out, const struct ttp_series *series,
                              struct ttp_line_sides sides, const struct ttp_line_options *options,
                              struct ttp_arena *arena)
{
    const struct ttp_series_point *point = sides.point;
    const size_t before = sides.before, after = sides.after;
    const double *v = medians_of(point, before + after, arena);
    const double alpha = 1 - options->confidence;
    size_t from, now;

    find_levels((struct level_means){&from, &now}, v, (struct level_runs){before, after}, options,
                arena);
    from = own_level(sides, v, from, options, arena);
    const size_t na = before - from, nb = before + after - now;
    *out = (struct ttp_line_comparison){
        .series = *series,
        .before = median_of(v + from, na, arena),
        .after = median_of(v + now, nb, arena),
        /* where the level at the moment is young, that of the present one must do */
        .noise = na < NOISE_RUNS && nb >= NOISE_RUNS ? noise_of(point + now, v + now, nb, arena)
                                                     : noise_of(point + from, v + from, na, arena),
        .p = NAN,
        .runs_before = na,
        .runs_after = nb,
        .first = point[now],
        .last_good = point[now - 1],
    };
    out->change = change_of(out->before, out->after);
    out->limit = options->min_effect;
    if (ttp_stats_least_p(na, nb) <= alpha)
        out->p = ttp_stats_rank_test(v + from, na, v + now, nb, arena).p;
    else
        judge_by_noise(out, 2);
}

void ttp_history_line_settle(struct ttp_line_comparison *c, size_t count,
                             const struct ttp_line_options *options, struct ttp_arena *arena)
{
    double *p = TTP_NEW(arena, double, count);
    size_t tested = 0;

    drop_blind_tests(c, count, 1 - options->confidence);
    for (size_t i = 0; i < count; i++)
        if (isfinite(c[i].p))
            p[tested++] = c[i].p;
    ttp_stats_benjamini_hochberg(p, tested, arena);
    tested = 0;
    for (size_t i = 0; i < count; i++) {
        const bool worse = is_worse(c[i].change, c[i].series.better);
        const bool large = fabs(c[i].change) > c[i].limit; /* false for NAN */

        if (isfinite(c[i].p))
            c[i].p = p[tested++];
        if (!large)
            c[i].standing = TTP_STANDS_SAME;
        else if (isfinite(c[i].p) && c[i].p > 1 - options->confidence)
            c[i].standing =
                worse && fabs(c[i].change) > 2 * c[i].noise ? TTP_STANDS_UNSURE : TTP_STANDS_SAME;
        else
            c[i].standing = worse ? TTP_STANDS_WORSE : TTP_STANDS_BETTER;
    }
}
