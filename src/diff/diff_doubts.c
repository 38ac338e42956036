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
/* Time of ops that is known on one side only, in percent of the larger side, from which the totals
 * say nothing. */
#define UNTIMED_PCT 1.0

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

/* Device time of the base that is gone, less what came, in percent. */
static double missing_work_pct(const struct ttp_diff *d, double *gone_us)
{
    double came = 0;

    *gone_us = 0;
    for (size_t i = 0; i < d->count; i++) {
        *gone_us += d->op[i].kind == TTP_DIFF_REMOVED ? d->op[i].times.base_us : 0;
        came += d->op[i].kind == TTP_DIFF_ADDED ? d->op[i].times.other_us : 0;
    }
    return d->times.base_us > 0 ? (*gone_us - came) / d->times.base_us * 100 : 0;
}

bool ttp_diff_lacks_work(const struct ttp_diff *diff)
{
    double gone;

    return missing_work_pct(diff, &gone) > MISSING_WORK_PCT;
}

bool ttp_diff_lacks_times(const struct ttp_diff *diff)
{
    return diff->untimed_us * 100 > UNTIMED_PCT * fmax(diff->times.base_us, diff->times.other_us);
}

/* A run that stopped early has the first ops of the base, and is fast. */
static void doubt_work(struct ttp_words *out, const struct ttp_diff *d, struct ttp_arena *arena)
{
    const size_t ops = d->kinds[TTP_DIFF_REMOVED];
    double gone;

    if (missing_work_pct(d, &gone) > MISSING_WORK_PCT)
        doubt(out, arena,
              ttp_sink_format(arena,
                              "%zu op%s of the base, %.0f %% of its device time, without "
                              "counterpart in the other run: check that both did the same work",
                              ops, ops == 1 ? "" : "s", gone / d->times.base_us * 100));
}

/* ---- devices ---- */

/* The rank of that device, if the ops of its run name ranks; -1: they do not. */
static int64_t rank_at(const struct ttp_ops *ops, size_t at)
{
    return at < ops->devices ? ops->device[at].rank : -1;
}

static bool has_rank(const struct ttp_ops *ops, int64_t rank)
{
    for (size_t i = 0; i < ops->devices; i++)
        if (ops->device[i].rank == rank)
            return true;
    return false;
}

/* Ranks that run `a` has and run `b` lacks: "rank 1", "ranks 1, 2". */
static ttp_str lacking_ranks(const struct ttp_ops *a, const struct ttp_ops *b,
                             struct ttp_arena *arena)
{
    struct ttp_sink list;
    size_t count = 0;

    ttp_sink_to_arena(&list, arena);
    for (size_t i = 0; i < a->devices && b->devices; i++) {
        const int64_t rank = rank_at(a, i);
        bool told = false;

        for (size_t k = 0; k < i && !told; k++)
            told = rank_at(a, k) == rank;
        if (!told && !has_rank(b, rank))
            ttp_sink_printf(&list, "%s%lld", count++ ? ", " : "", (long long)rank);
    }
    return count ? ttp_sink_format(arena, "rank%s %.*s", count == 1 ? "" : "s",
                                   TTP_FMT(ttp_sink_text(&list)))
                 : TTP_STR("");
}

static void doubt_devices(struct ttp_words *out, const struct ttp_diff *d, struct ttp_arena *arena)
{
    const struct ttp_report *first = d->base.run[0].report, *odd = ttp_diff_odd_devices(d);

    if (!odd)
        return;
    const ttp_str other = lacking_ranks(first->ops, odd->ops, arena);
    const ttp_str base = lacking_ranks(odd->ops, first->ops, arena);
    doubt(out, arena,
          ttp_sink_format(arena,
                          "the runs have different numbers of devices, %zu and %zu%s%.*s%s%.*s: "
                          "--fail-over cannot judge them",
                          first->window.devices, odd->window.devices,
                          other.len ? "; the other run lacks " : "", TTP_FMT(other),
                          base.len ? "; the base lacks " : "", TTP_FMT(base)));
}

static void doubt_times(struct ttp_words *out, const struct ttp_diff *d, struct ttp_arena *arena)
{
    size_t ops = 0;

    for (size_t i = 0; i < d->count; i++)
        ops += d->op[i].base_untimed != d->op[i].other_untimed;
    if (ttp_diff_lacks_times(d))
        doubt(out, arena,
              ttp_sink_format(arena,
                              "%zu op%s no device time on one side, %.0f %% of the device time of "
                              "the other",
                              ops, ops == 1 ? " has" : "s have",
                              d->untimed_us / fmax(d->times.base_us, d->times.other_us) * 100));
}

struct ttp_words ttp_diff_doubts(const struct ttp_diff *diff, struct ttp_arena *arena)
{
    struct ttp_words out = {0};

    doubt_windows(&out, diff, arena);
    doubt_clocks(&out, diff, arena);
    const struct ttp_report *arch = ttp_diff_odd_arch(diff);
    if (arch)
        doubt(&out, arena,
              ttp_sink_format(arena,
                              "the sides ran on different architectures, %s and %s: --fail-over "
                              "cannot judge them",
                              diff->base.run[0].report->arch->name, arch->arch->name));
    doubt_devices(&out, diff, arena);
    if (ttp_diff_incomparable(diff))
        return out;
    doubt_work(&out, diff, arena);
    doubt_times(&out, diff, arena);
    return out;
}
