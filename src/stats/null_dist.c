/* SPDX-License-Identifier: Apache-2.0 */
/* null_dist.c - the distribution of rank statistics under the null hypothesis. */
#include <math.h>

#include "stats/stats_internal.h"

/* Take away the largest of all values: if it is one of the m, U counts it above all n others;
 * if it is one of the n, U does not change. So W(n, m, u) = W(n, m - 1, u - n) + W(n - 1, m, u).
 * Row by row over n; ways[j] holds W(i - 1, j, .) until it becomes W(i, j, .). Only sums of
 * positive numbers, so nothing cancels. */
double *ttp_stats_u_ways(size_t n, size_t m, struct ttp_arena *arena)
{
    /* U has the same distribution either way; a table of few rows is smaller */
    const size_t few = n < m ? n : m, many = n < m ? m : n, stride = n * m + 1;
    double *out = TTP_NEW(arena, double, stride);
    const struct ttp_mark mark = ttp_arena_mark(arena);
    double *ways = TTP_NEW(arena, double, (few + 1) * stride);

    for (size_t j = 0; j <= few; j++)
        ways[j * stride] = 1;
    for (size_t i = 1; i <= many; i++)
        for (size_t j = 1; j <= few; j++) {
            double *row = ways + j * stride;
            const double *shorter = row - stride;

            for (size_t u = i; u <= i * j; u++)
                row[u] += shorter[u - i];
        }
    memcpy(out, ways + few * stride, stride * sizeof(*out));
    ttp_arena_rewind(arena, mark);
    return out;
}

double ttp_stats_normal_p(double distance, double half_step, double sd)
{
    const double z = (distance - half_step) / sd;

    return sd > 0 && z > 0 ? fmin(1, erfc(z / sqrt(2))) : 1;
}

size_t ttp_stats_tie_run(const double *sorted, size_t n, size_t from)
{
    size_t to = from + 1;

    while (to < n && sorted[to] == sorted[from])
        to++;
    return to - from;
}

double ttp_stats_tie_sum(const double *sorted, size_t n)
{
    double sum = 0;
    size_t t;

    for (size_t i = 0; i < n; i += t) {
        t = ttp_stats_tie_run(sorted, n, i);
        sum += (double)t * ((double)t * (double)t - 1);
    }
    return sum;
}
