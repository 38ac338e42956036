/* SPDX-License-Identifier: Apache-2.0 */
/* diff_doubts.c - reasons to doubt a comparison although it can be made. */
#include <math.h>

#include "base/sink.h"
#include "diff/diff_doubts.h"

/* Clocks farther apart than this, in percent, explain a difference by themselves. */
#define CLOCK_APART_PCT 1.0
/* Device time of the base that is gone and that nothing replaces, in percent, from which the other
 * run may have done less work. Fused ops are replaced by others. */
#define MISSING_WORK_PCT 25.0

static void doubt(struct ttp_words *out, struct ttp_arena *arena, ttp_str text)
{
    ttp_words_add(out, ttp_arena_zstr(arena, text), arena);
}

/* A replay and an eager pass of one program are not the same work. */
static void doubt_windows(struct ttp_words *out, const struct ttp_diff *d, struct ttp_arena *arena)
{
    const struct ttp_report *odd = ttp_diff_odd_window(d);

    if (odd)
        doubt(out, arena,
              ttp_sink_format(
                  arena,
                  "the windows differ in kind (%s and %s) and may not cover the same work; choose "
                  "one with --window",
                  ttp_analysis_window_kind_name(d->base.run[0].report->window.kind),
                  ttp_analysis_window_kind_name(odd->window.kind)));
}

static void doubt_clocks(struct ttp_words *out, const struct ttp_diff *d, struct ttp_arena *arena)
{
    const double base = ttp_diff_clock_mhz(&d->base), other = ttp_diff_clock_mhz(&d->other);

    if (base > 0 && other > 0 && fabs(other - base) * 100 > CLOCK_APART_PCT * base)
        doubt(out, arena,
              ttp_sink_format(arena,
                              "the sides ran at different clocks: AICLK was %.0f MHz and %.0f MHz "
                              "on average, %.1f %% apart",
                              base, other, fabs(other - base) / base * 100));
}

/* A run that stopped early has the first ops of the base, and is fast. */
static void doubt_work(struct ttp_words *out, const struct ttp_diff *d, struct ttp_arena *arena)
{
    double gone = 0, came = 0;

    for (size_t i = 0; i < d->count; i++) {
        gone += d->op[i].kind == TTP_DIFF_REMOVED ? d->op[i].times.base_us : 0;
        came += d->op[i].kind == TTP_DIFF_ADDED ? d->op[i].times.other_us : 0;
    }
    const size_t ops = d->kinds[TTP_DIFF_REMOVED];
    if ((gone - came) * 100 > MISSING_WORK_PCT * d->times.base_us)
        doubt(out, arena,
              ttp_sink_format(arena,
                              "%zu op%s of the base, %.0f %% of its device time, without "
                              "counterpart in the other run: check that both did the same work",
                              ops, ops == 1 ? "" : "s", gone / d->times.base_us * 100));
}

struct ttp_words ttp_diff_doubts(const struct ttp_diff *diff, struct ttp_arena *arena)
{
    struct ttp_words out = {0};

    doubt_windows(&out, diff, arena);
    doubt_clocks(&out, diff, arena);
    if (ttp_diff_mixes_archs(diff))
        doubt(&out, arena,
              ttp_sink_format(arena,
                              "the sides ran on different architectures, %s and %s: --fail-over "
                              "cannot judge them",
                              diff->base.run[0].report->arch->name,
                              diff->other.run[0].report->arch->name));
    if (!ttp_diff_incomparable(diff))
        doubt_work(&out, diff, arena);
    return out;
}
