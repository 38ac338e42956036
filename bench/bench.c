/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

volatile size_t bench_sink;

/* Processor seconds, which other work on the machine moves less than the time that passes. */
static double timed(bench_fn *fn, void *arg)
{
    struct timespec a, b;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    fn(arg);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
}

static int by_value(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;

    return (a > b) - (a < b);
}

struct bench_pair bench_versus(bench_fn *subject, bench_fn *baseline, void *arg, int rounds)
{
    struct bench_pair r = {.subject_s = 1e30};
    double ratio[64];

    for (int i = 0; i < rounds; i++) {
        double s = timed(subject, arg);

        ratio[i] = s / timed(baseline, arg);
        if (s < r.subject_s)
            r.subject_s = s;
    }
    qsort(ratio, (size_t)rounds, sizeof(ratio[0]), by_value);
    r.ratio = ratio[rounds / 2];
    return r;
}
