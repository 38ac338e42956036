/* SPDX-License-Identifier: Apache-2.0 */
/* rank_test.c - Mann-Whitney U. */
#include <math.h>

#include "stats/stats_internal.h"

static double count_above(const double *a, size_t na, const double *b, size_t nb)
{
    size_t below = 0, upto = 0; /* of a: less than b[j], less or equal */
    double u = 0;

    for (size_t j = 0; j < nb; j++) {
        while (below < na && a[below] < b[j])
            below++;
        while (upto < na && a[upto] <= b[j])
            upto++;
        u += (double)below + (double)(upto - below) / 2;
    }
    return u;
}

/* Share of the ways to a sum (0 to `top`) that is at least `distance` from the mean. */
static double tails(const double *ways, size_t top, double mean, double distance)
{
    double far = 0, all = 0;

    for (size_t s = 0; s <= top; s++) {
        all += ways[s];
        if (fabs((double)s - mean) >= distance)
            far += ways[s];
    }
    return fmin(1, far / all);
}

/* ways[k * stride + s]: choices of k values whose doubled ranks, less those of the k lowest
 * places, sum up to s. A group of t equal values shares its middle rank, and gives j of them in
 * C(t, j) ways. */
static void add_tie_group(double *ways, size_t stride, size_t few, size_t t, size_t rank2)
{
    for (size_t k = few; k > 0; k--) {
        double choices = 1;

        for (size_t j = 1; j <= t && j <= k; j++) {
            const double *from = ways + (k - j) * stride;
            double *to = ways + k * stride;

            choices = choices * (double)(t - j + 1) / (double)j;
            for (size_t s = j * rank2; s < stride; s++)
                to[s] += choices * from[s - j * rank2];
        }
    }
}

/* Exact p with ties: the permutation distribution of the doubled rank sum of the smaller sample. */
static double exact_tied(const double *all, size_t few, size_t many, double distance,
                         struct ttp_arena *scratch)
{
    const size_t n = few + many;
    const size_t top = 2 * few * n; /* no sum of `few` doubled ranks, counted from 0, is larger */
    const size_t stride = top + 1;
    double *ways = TTP_NEW(scratch, double, (few + 1) * stride);
    size_t t;

    ways[0] = 1;
    for (size_t i = 0; i < n; i += t) {
        t = ttp_stats_tie_run(all, n, i);
        add_tie_group(ways, stride, few, t, 2 * i + t - 1);
    }
    /* ranks from 0 have the mean (n - 1) / 2, doubled n - 1 */
    return tails(ways + few * stride, top, (double)few * (double)(n - 1), 2 * distance);
}

struct ttp_rank_test ttp_stats_rank_test(const double *a, size_t na, const double *b, size_t nb,
                                         struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    const size_t n = na + nb;
    struct ttp_rank_test out = {.p = 1};

    if (na == 0 || nb == 0)
        return out;
    double *all = TTP_NEW(scratch, double, n);
    memcpy(all, a, na * sizeof(*a));
    memcpy(all + na, b, nb * sizeof(*b));
    all = ttp_stats_sorted(all, n, scratch);
    const double ties = ttp_stats_tie_sum(all, n);
    const double pairs = (double)na * (double)nb;

    out.u = count_above(ttp_stats_sorted(a, na, scratch), na, ttp_stats_sorted(b, nb, scratch), nb);
    out.exact = pairs <= TTP_STATS_EXACT_PAIRS;
    const double distance = fabs(out.u - pairs / 2);
    if (out.exact && ties == 0)
        out.p = tails(ttp_stats_u_ways(na, nb, scratch), na * nb, pairs / 2, distance);
    else if (out.exact)
        out.p = exact_tied(all, na < nb ? na : nb, na < nb ? nb : na, distance, scratch);
    else
        out.p = ttp_stats_normal_p(
            distance, 0.5,
            sqrt(pairs / 12 * ((double)(n + 1) - ties / ((double)n * (double)(n - 1)))));
    ttp_arena_rewind(scratch, mark);
    return out;
}

/* All of one sample below all of the other: one way in C(na + nb, na), either way round. */
double ttp_stats_least_p(size_t na, size_t nb)
{
    if (na == 0 || nb == 0)
        return 1;
    const double ways =
        lgamma((double)(na + nb + 1)) - lgamma((double)(na + 1)) - lgamma((double)(nb + 1));
    return fmin(1, 2 * exp(-ways));
}
