/* SPDX-License-Identifier: Apache-2.0 */
/* bench.h - timing shared by the benchmarks. */
#ifndef TTP_BENCH_H
#define TTP_BENCH_H

#include <stddef.h>

#include "base/str.h"

typedef void bench_fn(void *arg);

extern volatile size_t bench_sink; /* a result stored here cannot be optimised away */

struct bench_pair {
    double subject_s; /* best round */
    double ratio;     /* median over rounds of subject / baseline */
};

/* Run subject and baseline turn by turn, so that both meet the same noise. */
struct bench_pair bench_versus(bench_fn *subject, bench_fn *baseline, void *arg, int rounds);

#endif
