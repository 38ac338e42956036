/* SPDX-License-Identifier: Apache-2.0 */
/* stats_internal.h - shared inside the stats module. */
#ifndef TTP_STATS_STATS_INTERNAL_H
#define TTP_STATS_STATS_INTERNAL_H

#include "stats/stats.h"

/* In how many of the ways to put n and m different values in order U is u; u from 0 to n * m. Whole
 * numbers, exact below 2^53. In the arena. */
double *ttp_stats_u_ways(size_t n, size_t m, struct ttp_arena *arena);

double ttp_stats_sum(const double *v, size_t n);

/* Two-sided p of a normal deviate whose distance from the mean is `distance` in steps of 1 (half of
 * one is taken off, for continuity) or of 2. */
double ttp_stats_normal_p(double distance, double half_step, double sd);

/* Sum of t^3 - t over groups of t equal values. */
double ttp_stats_tie_sum(const double *sorted, size_t n);
/* Length of the group of equal values that begins at `from`. */
size_t ttp_stats_tie_run(const double *sorted, size_t n, size_t from);

/* The k-th (from 1) smallest of all differences b - a, both ascending, without making them. */
double ttp_stats_kth_difference(const double *a, size_t na, const double *b, size_t nb, uint64_t k);

/* NAN for n == 0. Sums are compensated: a million values lose no digits. */
double ttp_stats_mean(const double *v, size_t n);

/* Of the sample, n - 1 below; NAN for n < 2. */
double ttp_stats_sd(const double *v, size_t n);

/* Of the median, from order statistics: the narrowest pair of them, equally far from both ends,
 * that covers at least `confidence`; minimum and maximum if none does. n > 0. */
struct ttp_interval ttp_stats_median_interval(const double *sorted, size_t n, double confidence);

double ttp_stats_normal_cdf(double z);

/* The z below which a part p of the normal distribution lies; infinite at 0 and 1. */
double ttp_stats_normal_quantile(double p);

/* As ttp_stats_shift(), for ratios b / a. False, and *out untouched, if a value is not above 0. */
bool ttp_stats_ratio(struct ttp_shift *out, struct ttp_numbers a, struct ttp_numbers b,
                     double confidence, struct ttp_arena *scratch);

/* Runs of each of two samples until the rank test finds a shift of `shift` (above 0) with
 * probability `power`, when single runs deviate by `sd` (Noether 1987, for normal data), and at
 * least as many as can be significant at all. */
size_t ttp_stats_runs_to_tell(double shift, double sd, double confidence, double power);

#endif
