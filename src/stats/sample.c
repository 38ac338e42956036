/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c - figures of one sample. */
#include <assert.h>
#include <math.h>

#include "base/order.h"

#include "stats/stats_internal.h"

double *ttp_stats_sorted(const double *v, size_t n, struct ttp_arena *arena)
{
    double *sorted = TTP_NEW(arena, double, n);

    if (n) {
        memcpy(sorted, v, n * sizeof(*v));
        TTP_SORT(sorted, n, ttp_by_f64);
    }
    return sorted;
}

/* Neumaier's: what each addition rounds away is kept and added at the end. */
double ttp_stats_sum(const double *v, size_t n)
{
    double sum = 0, lost = 0;

    for (size_t i = 0; i < n; i++) {
        const double next = sum + v[i];

        lost += fabs(sum) >= fabs(v[i]) ? (sum - next) + v[i] : (v[i] - next) + sum;
        sum = next;
    }
    return sum + lost;
}

double ttp_stats_mean(const double *v, size_t n)
{
    return n ? ttp_stats_sum(v, n) / (double)n : NAN;
}

/* Two passes; the second term is 0 but for the rounding of the mean. */
double ttp_stats_sd(const double *v, size_t n)
{
    const double mean = ttp_stats_mean(v, n);
    double squares = 0, rest = 0;

    if (n < 2)
        return NAN;
    for (size_t i = 0; i < n; i++) {
        squares += (v[i] - mean) * (v[i] - mean);
        rest += v[i] - mean;
    }
    return sqrt(fmax(0, squares - rest * rest / (double)n) / (double)(n - 1));
}

double ttp_stats_quantile(const double *sorted, size_t n, double q)
{
    assert(q >= 0 && q <= 1);
    if (n == 0)
        return NAN;
    const double at = q * (double)(n - 1);
    const size_t below = (size_t)at;
    if (below + 1 >= n)
        return sorted[n - 1];
    const double part = at - (double)below;
    return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

double ttp_stats_mad(const double *sorted, size_t n, struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    const double median = ttp_stats_quantile(sorted, n, 0.5);
    double *distance = TTP_NEW(scratch, double, n);

    for (size_t i = 0; i < n; i++)
        distance[i] = fabs(sorted[i] - median);
    TTP_SORT(distance, n, ttp_by_f64);
    const double mad = ttp_stats_quantile(distance, n, 0.5);
    ttp_arena_rewind(scratch, mark);
    return mad;
}

/* The median lies outside the r-th smallest and r-th largest value if fewer than r of n coins show
 * the same side: twice the lower tail of the binomial distribution with p = 1/2. */
struct ttp_interval ttp_stats_median_interval(const double *sorted, size_t n, double confidence)
{
    double log_term = -(double)n * log(2); /* of P(0 heads) */
    double tail = 0, covered = 0;
    size_t best = 0;

    assert(n > 0);
    for (size_t r = 1; 2 * r <= n + 1; r++) { /* values r and n + 1 - r, from 1 */
        tail += exp(log_term);
        if (r > 1 && 1 - 2 * tail < confidence)
            break;
        best = r;
        covered = fmax(0, 1 - 2 * tail);
        log_term += log((double)(n - r + 1) / (double)r);
    }
    return (struct ttp_interval){sorted[best - 1], sorted[n - best], covered};
}

static struct ttp_fences find_fences(const double *sorted, size_t n)
{
    const double low = ttp_stats_quantile(sorted, n, 0.25);
    const double high = ttp_stats_quantile(sorted, n, 0.75);
    const double width = high - low;

    return (struct ttp_fences){low - 1.5 * width, high + 1.5 * width, low - 3 * width,
                               high + 3 * width};
}

struct ttp_sample ttp_stats_sample(const double *v, size_t n, double confidence,
                                   struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    const double *sorted = ttp_stats_sorted(v, n, scratch);
    struct ttp_sample s = {.n = n,
                           .mean = ttp_stats_mean(v, n),
                           .sd = ttp_stats_sd(v, n),
                           .min = n ? sorted[0] : NAN,
                           .max = n ? sorted[n - 1] : NAN,
                           .median = ttp_stats_quantile(sorted, n, 0.5),
                           .p25 = ttp_stats_quantile(sorted, n, 0.25),
                           .p75 = ttp_stats_quantile(sorted, n, 0.75),
                           .p95 = ttp_stats_quantile(sorted, n, 0.95),
                           .median_interval = {NAN, NAN, 0},
                           .fences = find_fences(sorted, n)};

    s.rsd = s.mean != 0 ? s.sd / fabs(s.mean) : NAN;
    if (n)
        s.median_interval = ttp_stats_median_interval(sorted, n, confidence);
    for (size_t i = 0; i < n; i++) {
        s.outliers += v[i] < s.fences.low || v[i] > s.fences.high;
        s.far_outliers += v[i] < s.fences.far_low || v[i] > s.fences.far_high;
    }
    ttp_arena_rewind(scratch, mark);
    return s;
}
