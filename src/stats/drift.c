/* SPDX-License-Identifier: Apache-2.0 */
/* drift.c - does a series rise or fall with time? Mann-Kendall and Theil-Sen. */
#include <math.h>

#include "stats/stats_internal.h"

#define EXACT_MAX 50
/* Slopes between all pairs of longer series would take too much memory. */
#define ALL_SLOPES_MAX 2000

/* Number of inversions of a random order of the values: take the groups of equal values one by
 * one; those between a group of t and the m values before it are distributed as U of m and t. */
static double exact_p(const double *sorted, size_t n, double s, struct ttp_arena *scratch)
{
    const size_t most = n * (n - 1) / 2;
    double *ways = TTP_NEW(scratch, double, most + 1), *next = TTP_NEW(scratch, double, most + 1);
    size_t top = 0, t;

    ways[0] = 1;
    for (size_t m = 0; m < n; m += t) {
        const struct ttp_mark mark = ttp_arena_mark(scratch);

        t = ttp_stats_tie_run(sorted, n, m);
        const double *u = ttp_stats_u_ways(m, t, scratch);
        memset(next, 0, (most + 1) * sizeof(*next));
        for (size_t i = 0; i <= top; i++)
            for (size_t j = 0; j <= m * t; j++)
                next[i + j] += ways[i] * u[j];
        top += m * t;
        double *swap = ways;
        ways = next;
        next = swap;
        ttp_arena_rewind(scratch, mark);
    }
    double far = 0, all = 0;
    for (size_t i = 0; i <= top; i++) {
        all += ways[i];
        if (fabs((double)top - 2 * (double)i) >= fabs(s))
            far += ways[i];
    }
    return fmin(1, far / all);
}

static double normal_p(const double *sorted, size_t n, double s)
{
    const double d = (double)n;
    double variance = d * (d - 1) * (2 * d + 5);
    size_t t;

    for (size_t i = 0; i < n; i += t) {
        t = ttp_stats_tie_run(sorted, n, i);
        variance -= (double)t * (double)(t - 1) * (2 * (double)t + 5);
    }
    return ttp_stats_normal_p(fabs(s), 1, sqrt(variance / 18)); /* S moves in steps of 2 */
}

static double median_slope(const double *v, size_t n, struct ttp_arena *scratch)
{
    const bool all = n <= ALL_SLOPES_MAX;
    const size_t apart = all ? 1 : n / 2;
    double *slope = TTP_NEW(scratch, double, all ? n *(n - 1) / 2 : n - apart);
    size_t count = 0;

    for (size_t i = 0; i + apart < n; i++)
        for (size_t j = i + apart; j < (all ? n : i + apart + 1); j++)
            slope[count++] = (v[j] - v[i]) / (double)(j - i);
    return ttp_stats_quantile(ttp_stats_sorted(slope, count, scratch), count, 0.5);
}

struct ttp_drift ttp_stats_drift(const double *v, size_t n, struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    struct ttp_drift out = {.p = 1, .exact = n <= EXACT_MAX};

    if (n < 2)
        return out;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            out.s += (double)((v[j] > v[i]) - (v[j] < v[i]));
    const double *sorted = ttp_stats_sorted(v, n, scratch);
    if (n > 2)
        out.p = out.exact ? exact_p(sorted, n, out.s, scratch) : normal_p(sorted, n, out.s);
    out.slope = median_slope(v, n, scratch);
    ttp_arena_rewind(scratch, mark);
    return out;
}
