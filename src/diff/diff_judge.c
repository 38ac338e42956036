/* SPDX-License-Identifier: Apache-2.0 */
/* diff_judge.c - what a comparison may conclude: whether the sides can be compared at all, and
 * whether the other one is too slow. */
#include <math.h>

#include "diff/diff_doubts.h"

/* Of a two-sided test. */
#define SIGNIFICANT 0.05

const char *ttp_diff_outcome_name(enum ttp_diff_outcome outcome)
{
    static const char *const names[] = {[TTP_DIFF_NO_LIMIT] = "",
                                        [TTP_DIFF_PASS] = "pass",
                                        [TTP_DIFF_FAIL] = "fail",
                                        [TTP_DIFF_UNDECIDED] = "undecided"};
    return names[outcome];
}

static bool has_time(const struct ttp_diff_side *side)
{
    for (size_t r = 0; r < side->runs; r++)
        if (!(side->run[r].report->window.device_us > 0))
            return false;
    return true;
}

static bool is_truncated(const struct ttp_diff_side *side)
{
    for (size_t r = 0; r < side->runs; r++)
        if (side->run[r].ops->truncated)
            return true;
    return false;
}

static bool is_damaged(const struct ttp_diff_side *side)
{
    for (size_t r = 0; r < side->runs; r++)
        if (side->run[r].ops->damage)
            return true;
    return false;
}

static bool is_broken(const struct ttp_diff_side *side)
{
    for (size_t r = 0; r < side->runs; r++)
        if (side->run[r].ops->end.how == TTP_RUN_BROKEN)
            return true;
    return false;
}

const char *ttp_diff_incomparable(const struct ttp_diff *diff)
{
    if (is_truncated(&diff->base))
        return "a file of the base is truncated";
    if (is_truncated(&diff->other))
        return "a file of the other run is truncated";
    if (is_damaged(&diff->base))
        return "a file of the base is damaged: rows lack cells";
    if (is_damaged(&diff->other))
        return "a file of the other run is damaged: rows lack cells";
    if (is_broken(&diff->base))
        return "the command of the base was killed or crashed";
    if (is_broken(&diff->other))
        return "the command of the other run was killed or crashed";
    if (!has_time(&diff->base))
        return "the base has no device time to compare";
    if (!has_time(&diff->other))
        return "the other run has no device time to compare";
    if (diff->kinds[TTP_DIFF_SAME] + diff->kinds[TTP_DIFF_CHANGED] + diff->kinds[TTP_DIFF_MOVED])
        return NULL;
    return "the runs have no op in common";
}

bool ttp_diff_has_too_few_runs(const struct ttp_diff *diff)
{
    const size_t n = diff->base.runs, all = n + diff->other.runs;
    double orders = 1; /* all in which the runs of the sides may come */

    for (size_t i = 1; i <= n; i++)
        orders = orders * (double)(all - n + i) / (double)i;
    return 2 / orders > SIGNIFICANT;
}

const struct ttp_quality *ttp_diff_quality(const struct ttp_diff_side *side)
{
    const struct ttp_quality *worst = &side->run[0].report->quality;

    for (size_t r = 1; r < side->runs; r++)
        if (side->run[r].report->quality.level > worst->level)
            worst = &side->run[r].report->quality;
    return worst;
}

/* The least and the greatest time of the runs of a side. */
struct range {
    double least, most;
};

static struct range range_of(const struct ttp_diff_side *side, bool gaps)
{
    struct range r = {INFINITY, 0};

    for (size_t i = 0; i < side->runs; i++) {
        const struct ttp_window *w = &side->run[i].report->window;
        const double us = w->device_us + (gaps ? w->gap_us : 0);

        r.least = fmin(r.least, us);
        r.most = fmax(r.most, us);
    }
    return r;
}

bool ttp_diff_sides_apart(const struct ttp_diff *diff)
{
    const struct range base = range_of(&diff->base, false), other = range_of(&diff->other, false);

    return other.least > base.most || other.most < base.least;
}

static bool exceeds(const struct ttp_diff *diff, bool gaps)
{
    return range_of(&diff->other, gaps).least >
           range_of(&diff->base, gaps).most * (1 + diff->limit_pct / 100);
}

/* More runs never prove less than one. */
static bool is_proven(const struct ttp_diff *diff)
{
    if (!diff->test.done || diff->test.significant)
        return true;
    return ttp_diff_has_too_few_runs(diff) &&
           (exceeds(diff, false) || (diff->with_gaps && exceeds(diff, true)));
}

static bool is_bad(const struct ttp_diff_side *side)
{
    return ttp_diff_quality(side)->level == TTP_QUALITY_BAD;
}

static bool has_other_windows(const struct ttp_diff *diff)
{
    return !diff->windows_chosen && ttp_diff_odd_window(diff);
}

/* gaps may hide a slower device, and a faster device longer gaps */
static bool is_over(const struct ttp_diff *diff)
{
    return fmax(ttp_diff_total_pct(diff), ttp_diff_device_pct(diff)) > diff->limit_pct;
}

/* Why the sides may not have done the same, or are not known to; NULL: they did. */
static const char *why_unlike(const struct ttp_diff *diff)
{
    if (ttp_diff_odd_arch(diff))
        return "the sides ran on different architectures";
    if (ttp_diff_odd_devices(diff))
        return "the sides ran on different numbers of devices";
    if (has_other_windows(diff))
        return "the windows differ in kind";
    if (is_bad(&diff->base))
        return "the base cannot be trusted";
    if (is_bad(&diff->other))
        return "the other run cannot be trusted";
    if (ttp_diff_lacks_times(diff))
        return "ops of one side have no device time";
    return NULL;
}

/* A gain that may be work that is missing. */
static bool is_missing_work(const struct ttp_diff *diff)
{
    return !diff->windows_chosen && ttp_diff_lacks_work(diff);
}

const char *ttp_diff_why_undecided(const struct ttp_diff *diff)
{
    const char *why = ttp_diff_incomparable(diff);

    if (!why)
        why = why_unlike(diff);
    if (why)
        return why;
    if (!is_over(diff))
        return "the other run lacks work of the base";
    return ttp_diff_has_too_few_runs(diff) ? "too few runs to be sure" : "the runs do not prove it";
}

void ttp_diff_judge(struct ttp_diff *diff, double limit_pct)
{
    diff->limit_pct = limit_pct;
    if (!isfinite(limit_pct))
        diff->outcome = TTP_DIFF_NO_LIMIT;
    else if (ttp_diff_incomparable(diff) || why_unlike(diff))
        diff->outcome = TTP_DIFF_UNDECIDED;
    else if (is_over(diff))
        diff->outcome = is_proven(diff) ? TTP_DIFF_FAIL : TTP_DIFF_UNDECIDED;
    else
        diff->outcome = is_missing_work(diff) ? TTP_DIFF_UNDECIDED : TTP_DIFF_PASS;
}
