/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "diff/significance.h"
#include "stats/stats.h"

#define MIN_RUNS   2
#define CONFIDENCE 0.95

static void compare(struct ttp_diff_test *out, struct ttp_numbers a, struct ttp_numbers b,
                    struct ttp_arena *arena)
{
    const struct ttp_rank_test rank = ttp_stats_rank_test(a.v, a.n, b.v, b.n, arena);
    const struct ttp_shift shift = ttp_stats_shift(a, b, CONFIDENCE, arena);

    *out = (struct ttp_diff_test){
        .done = true,
        .p = rank.p,
        .corrected_p = rank.p,
        .significant = rank.p <= 1 - CONFIDENCE,
        .shift_us = shift.estimate,
        .low_us = shift.interval.low,
        .high_us = shift.interval.high,
    };
}

/* Sums of one run each; the runs that lack one of the ops are left out. Returns how many are left.
 */
static size_t complete_runs(double *sum, size_t runs)
{
    size_t n = 0;

    for (size_t r = 0; r < runs; r++)
        if (!isnan(sum[r]))
            sum[n++] = sum[r];
    return n;
}

/* Sums over the ops of each group: [group * runs + run]. */
static double *sum_groups(const struct ttp_diff *d, const struct ttp_diff_samples *s, bool other,
                          struct ttp_arena *arena)
{
    double *sum = TTP_NEW(arena, double, d->groups * s->runs);

    for (size_t i = 0; i < d->count; i++) {
        const struct ttp_diff_op *op = &d->op[i];
        const uint32_t at = other ? op->other : op->base;
        for (size_t r = 0; at != TTP_DIFF_NONE && r < s->runs; r++)
            sum[op->group * s->runs + r] += s->time[at * s->runs + r];
    }
    return sum;
}

/* Correct the tests of one family. Which groups changed is known before their times are compared,
 * so that those and the others are families of their own. */
static void correct(struct ttp_diff *d, bool changed, struct ttp_arena *arena)
{
    double *p = TTP_NEW(arena, double, d->groups);
    size_t *group = TTP_NEW(arena, size_t, d->groups);
    size_t tested = 0;

    for (size_t g = 0; g < d->groups; g++) {
        const bool is_changed = d->op[d->group[g].first].kind != TTP_DIFF_SAME;
        if (!d->group[g].test.done || is_changed != changed)
            continue;
        group[tested] = g;
        p[tested++] = d->group[g].test.p;
    }
    ttp_stats_benjamini_hochberg(p, tested, arena);
    for (size_t i = 0; i < tested; i++) {
        struct ttp_diff_test *t = &d->group[group[i]].test;
        t->corrected_p = p[i];
        t->significant = t->corrected_p <= 1 - CONFIDENCE;
    }
}

static void test_groups(struct ttp_diff *d, const struct ttp_diff_samples side[2],
                        struct ttp_arena *arena)
{
    double *a = sum_groups(d, &side[0], false, arena), *b = sum_groups(d, &side[1], true, arena);

    for (size_t g = 0; g < d->groups; g++) {
        const struct ttp_diff_op *op = &d->op[d->group[g].first];
        double *ga = a + g * side[0].runs, *gb = b + g * side[1].runs;
        if (op->base == TTP_DIFF_NONE || op->other == TTP_DIFF_NONE)
            continue;
        const size_t na = complete_runs(ga, side[0].runs), nb = complete_runs(gb, side[1].runs);
        if (na >= MIN_RUNS && nb >= MIN_RUNS)
            compare(&d->group[g].test, (struct ttp_numbers){ga, na}, (struct ttp_numbers){gb, nb},
                    arena);
    }
    correct(d, false, arena);
    correct(d, true, arena);
}

static size_t run_totals(double *out, const struct ttp_diff_side *side, bool gaps)
{
    for (size_t r = 0; r < side->runs; r++)
        out[r] = side->run[r].report->busy_us + (gaps ? side->run[r].report->gap_us : 0);
    return side->runs;
}

void ttp_diff_test(struct ttp_diff *diff, const struct ttp_diff_samples side[2],
                   struct ttp_arena *arena)
{
    double *a = TTP_NEW(arena, double, side[0].runs), *b = TTP_NEW(arena, double, side[1].runs);

    if (side[0].runs < MIN_RUNS || side[1].runs < MIN_RUNS)
        return;
    test_groups(diff, side, arena);
    const size_t na = run_totals(a, &diff->base, diff->with_gaps);
    const size_t nb = run_totals(b, &diff->other, diff->with_gaps);
    compare(&diff->test, (struct ttp_numbers){a, na}, (struct ttp_numbers){b, nb}, arena);
}
