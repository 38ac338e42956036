/* SPDX-License-Identifier: Apache-2.0 */
/* planning.c - the normal distribution, and the number of runs that a test needs. */
#include <assert.h>
#include <math.h>

#include "stats/stats_internal.h"

/* More than anybody will wait for. */
#define RUNS_MAX 1e9

double ttp_stats_normal_cdf(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

/* Newton on the tail nearer to p, which the error function gives to full precision, and on its
 * logarithm: that is concave, so that from a start above the root it comes down without leaping
 * over it. */
double ttp_stats_normal_quantile(double p)
{
    assert(p >= 0 && p <= 1);
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    if (p == 0.5)
        return 0;
    const double tail = p < 0.5 ? p : 1 - p;
    double z = fmin(sqrt(-2 * log(tail)), 37); /* beyond 38 the tail is no longer a double */

    for (int i = 0; i < 100; i++) {
        const double q = erfc(z / sqrt(2)) / 2;
        const double density = exp(-z * z / 2) / sqrt(2 * 3.14159265358979323846);
        const double step = q * log(q / tail) / density;

        z += step;
        if (fabs(step) <= 1e-16 * (1 + z))
            break;
    }
    return p < 0.5 ? -z : z;
}

/* Smallest n for which n against n can be significant. */
static size_t fewest(double confidence)
{
    size_t n = 1;

    while (ttp_stats_least_p(n, n) > 1 - confidence && n < 1000)
        n++;
    return n;
}

static size_t as_runs(double n, size_t least)
{
    if (!(n < RUNS_MAX))
        return (size_t)RUNS_MAX;
    return n > (double)least ? (size_t)ceil(n) : least;
}

size_t ttp_stats_runs_to_tell(double shift, double sd, double confidence, double power)
{
    const double z =
        ttp_stats_normal_quantile(1 - (1 - confidence) / 2) + ttp_stats_normal_quantile(power);
    /* chance that a run of the one is above a run of the other, less the 1/2 of no shift */
    const double beyond = sd > 0 ? ttp_stats_normal_cdf(shift / (sd * sqrt(2))) - 0.5 : 0.5;

    assert(shift > 0);
    return as_runs(z * z / (6 * beyond * beyond), fewest(confidence));
}

size_t ttp_stats_runs_for_median(double within, double sd, double confidence)
{
    const double z = ttp_stats_normal_quantile(1 - (1 - confidence) / 2);
    /* the median of normal data deviates sqrt(pi / 2) times as far as the mean */
    const double root = z * 1.2533141373155001 * sd / within;
    size_t least = 1;

    while (1 - ldexp(2, -(int)least) < confidence && least < 1000)
        least++;
    return as_runs(root * root, least);
}
