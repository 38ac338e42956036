/* SPDX-License-Identifier: Apache-2.0 */
/* many_tests.c - p values of many tests, so that chance findings stay rare. */
#include <math.h>

#include "base/order.h"

#include "stats/stats_internal.h"

struct ranked {
    double p;
    size_t at;
};

TTP_ORDER(by_p, struct ranked, TTP_UP(p), TTP_UP(at))

static struct ranked *rank(const double *p, size_t n, struct ttp_arena *scratch)
{
    struct ranked *r = TTP_NEW(scratch, struct ranked, n);

    for (size_t i = 0; i < n; i++)
        r[i] = (struct ranked){p[i], i};
    TTP_SORT(r, n, by_p);
    return r;
}

void ttp_stats_benjamini_hochberg(double *p, size_t n, struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    const struct ranked *r = rank(p, n, scratch);
    double ceiling = 1;

    for (size_t i = n; i > 0; i--) {
        ceiling = fmin(ceiling, r[i - 1].p * (double)n / (double)i);
        p[r[i - 1].at] = ceiling;
    }
    ttp_arena_rewind(scratch, mark);
}
