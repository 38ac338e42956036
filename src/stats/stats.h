/* SPDX-License-Identifier: Apache-2.0 */
/* stats.h - door of the stats module: conclusions from small samples.
 *
 * Nothing here assumes a normal distribution unless stated, and nothing is ever dropped. All
 * values must be finite. Functions are pure; scratch memory is released before they return.
 * Where a figure does not exist (the deviation of one value) it is NAN. */
#ifndef TTP_STATS_STATS_H
#define TTP_STATS_STATS_H

#include "base/arena.h"

/* ---- one sample ---- */

/* Ascending copy, in the arena. */
double *ttp_stats_sorted(const double *v, size_t n, struct ttp_arena *arena);

/* q from 0 to 1, linear between the two values around it (numpy's default, R's type 7). NAN for
 * n == 0. */
double ttp_stats_quantile(const double *sorted, size_t n, double q);

/* Median absolute deviation from the median, not scaled; 1.4826 times it estimates the deviation of
 * normal data. */
double ttp_stats_mad(const double *sorted, size_t n, struct ttp_arena *scratch);

struct ttp_interval {
    double low, high;
    double confidence; /* what it really covers; below what was asked for if n is too small */
};

/* Tukey's fences, 1.5 and 3 times the distance of the quartiles beyond them. */
struct ttp_fences {
    double low, high, far_low, far_high;
};

/* What one sample is, at a glance. */
struct ttp_sample {
    size_t n;
    double mean, sd, rsd; /* rsd: sd / |mean| */
    double min, max, median, p25, p75, p95;
    struct ttp_interval median_interval;
    struct ttp_fences fences;
    size_t outliers, far_outliers; /* beyond the fences; the far ones are among the others */
};
/* n may be 0: everything is then NAN or 0. */
struct ttp_sample ttp_stats_sample(const double *v, size_t n, double confidence,
                                   struct ttp_arena *scratch);

/* Does it rise or fall with time (the order of v)? Mann-Kendall, two-sided: exact for n up to 50,
 * ties included; a normal approximation with corrections for ties and continuity above. */
struct ttp_drift {
    double s;     /* pairs that rise minus pairs that fall */
    double p;     /* 1 for n < 3 */
    double slope; /* median of all slopes, per step (Theil-Sen); 0 for n < 2 */
    bool exact;
};
struct ttp_drift ttp_stats_drift(const double *v, size_t n, struct ttp_arena *scratch);

/* ---- two samples ---- */

struct ttp_numbers {
    const double *v;
    size_t n;
};

/* Mann-Whitney U, two-sided. Exact if na * nb is at most TTP_STATS_EXACT_PAIRS: of all ways to
 * deal the values out to the two samples, ties and all, the share in which U is at least as far
 * from its mean. Above, the normal approximation with corrections for ties and continuity. */
#define TTP_STATS_EXACT_PAIRS 2500
struct ttp_rank_test {
    double u; /* pairs in which b is the larger, ties count half */
    double p; /* 1 if a sample is empty */
    bool exact;
};
struct ttp_rank_test ttp_stats_rank_test(const double *a, size_t na, const double *b, size_t nb,
                                         struct ttp_arena *scratch);
/* The smallest p two samples of these sizes can have. */
double ttp_stats_least_p(size_t na, size_t nb);

/* Hodges-Lehmann: the median of all differences b - a, with the interval that belongs to the rank
 * test. Both samples have at least one value. */
struct ttp_shift {
    double estimate;
    struct ttp_interval interval;
};
struct ttp_shift ttp_stats_shift(struct ttp_numbers a, struct ttp_numbers b, double confidence,
                                 struct ttp_arena *scratch);

/* How b compares with a. */
enum ttp_verdict {
    TTP_VERDICT_UNDECIDED, /* the evidence allows more than one of the others */
    TTP_VERDICT_SAME,      /* the whole interval is inside +-min_effect */
    TTP_VERDICT_LESS,      /* b is below a: significant, and at least min_effect */
    TTP_VERDICT_MORE,
};
struct ttp_versus_options {
    double confidence; /* 0: 0.95 */
    double min_effect; /* smallest change of interest, as a part of a: 0.01 is 1 % */
};
struct ttp_versus {
    enum ttp_verdict verdict;
    struct ttp_rank_test test;
    struct ttp_shift shift;  /* b - a, in their unit */
    struct ttp_shift change; /* b / a - 1; NAN if it is invalid: the median of a is 0 */
    size_t more_runs; /* runs of each side, approximately, until min_effect can be resolved; 0
                         unless undecided */
};
/* Changes are ratios if all values are above 0, otherwise shifts as a part of a's median. */
struct ttp_versus ttp_stats_versus(struct ttp_numbers a, struct ttp_numbers b,
                                   const struct ttp_versus_options *options,
                                   struct ttp_arena *scratch);

/* ---- a line of values: where did it change? ---- */

struct ttp_change_point {
    size_t at; /* the first value of the new level */
    double q;  /* energy distance of the two sides, scaled by their sizes */
    double p;  /* share of random orders of the same values that can be cut as well */
};
struct ttp_change_options {
    size_t min_segment;  /* values between two changes, at least 2; usually 5 */
    size_t permutations; /* random orders tried, more of short spans; limits how small p can be */
    double significance; /* greatest p of a change */
    uint64_t seed;       /* same seed, same answer */
};
/* E-divisive: cut where the two sides differ most, test by permutation, continue in both parts. Not
 * only levels count: a change of spread is one too. Returns how many; *out, in the arena, in order
 * of their places. Costs permutations * n log n for each change, but of a line of more than 2048
 * values n counts as 2048: its longer spans are first reduced to medians of groups. */
size_t ttp_stats_change_points(struct ttp_change_point **out, const double *v, size_t n,
                               const struct ttp_change_options *options, struct ttp_arena *arena);

/* ---- planning ---- */

/* Runs until the interval of the median is about as narrow as +-`within`. */
size_t ttp_stats_runs_for_median(double within, double sd, double confidence);

/* ---- many tests at once ---- */

/* Adjusted in place, so that p[i] <= alpha means: found, where the share of false ones among the
 * findings is at most alpha. */
void ttp_stats_benjamini_hochberg(double *p, size_t n, struct ttp_arena *scratch);

#endif
