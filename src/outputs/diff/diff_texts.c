/* SPDX-License-Identifier: Apache-2.0 */
/* diff_texts.c - a comparison in sentences: what it concludes, and from what. */
#include <math.h>

#include "outputs/diff/diff_fields.h"
#include "outputs/show/measure_text.h"

/* Device time and that with gaps contradict each other if both changed by as much, in percent. */
#define CONTRARY_PCT 0.5

/* With enough digits to see a difference of `step`. */
static ttp_str time_text(double us, double step, struct ttp_arena *arena)
{
    return ttp_out_bench_measure_text(us, fabs(step), "us", arena);
}

/* From here on a ratio says more than a percentage: 98 % less time is 60 times as fast. */
#define MIN_RATIO 1.1

/* "50.74 % less time (2.03x faster)"; `speed` is base by other. */
static void put_change(struct ttp_sink *out, double pct, double speed)
{
    const double ratio = speed < 1 ? 1 / speed : speed;

    ttp_sink_printf(out, "%.2f %% %s time", fabs(pct), pct < 0 ? "less" : "more");
    if (ratio >= MIN_RATIO && isfinite(ratio))
        ttp_sink_printf(out, " (%.*fx %s)", ratio < 10 ? 2 : 1, ratio,
                        pct < 0 ? "faster" : "slower");
}

/* Were there several runs, but too few for a test to show anything? */
static bool is_untested(const struct ttp_diff *diff)
{
    return diff->test.done && !diff->test.significant && ttp_diff_has_too_few_runs(diff);
}

ttp_str ttp_out_diff_verdict(const struct ttp_diff *diff, struct ttp_arena *arena)
{
    const struct ttp_diff_times *t = &diff->iteration;
    const double base = t->base_us, other = t->other_us, pct = ttp_diff_device_pct(diff);
    const double total = ttp_diff_total_pct(diff);
    const bool whole = diff->base.run[0].report->window.kind == TTP_WINDOW_WHOLE;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (ttp_diff_incomparable(diff))
        ttp_sink_printf(&out, "%s", ttp_diff_incomparable(diff));
    else if (is_untested(diff) && !ttp_diff_sides_apart(diff))
        ttp_sink_printf(&out, "%+.2f %%, within the spread of %zu and %zu runs", pct,
                        diff->base.runs, diff->other.runs);
    else if (diff->test.done && !diff->test.significant && !is_untested(diff))
        ttp_sink_put(&out, TTP_STR("no significant difference"));
    else if (other == base)
        ttp_sink_put(&out, TTP_STR("the same"));
    else if (pct * total < 0 && fmin(fabs(pct), fabs(total)) >= CONTRARY_PCT)
        ttp_sink_printf(&out, "device time %.2f %% %s, but with gaps %.2f %% %s", fabs(pct),
                        pct < 0 ? "less" : "more", fabs(total), total < 0 ? "less" : "more");
    else
        put_change(&out, pct, base / other);
    ttp_sink_printf(&out, ": %s %.*s to %.*s", whole ? "device time" : "one iteration",
                    TTP_FMT(time_text(base, other - base, arena)),
                    TTP_FMT(time_text(other, other - base, arena)));
    const double base_all = ttp_diff_base_total(t), other_all = ttp_diff_other_total(t);
    if (t->base_gap_us + t->other_gap_us > 0)
        ttp_sink_printf(&out, "%s; with gaps %.*s to %.*s", whole ? "" : " (device)",
                        TTP_FMT(time_text(base_all, other_all - base_all, arena)),
                        TTP_FMT(time_text(other_all, other_all - base_all, arena)));
    if (t->base_gap_us + t->other_gap_us > 0 && !ttp_diff_incomparable(diff))
        ttp_sink_printf(&out, " (%+.2f %%)", ttp_diff_total_pct(diff));
    return ttp_sink_text(&out);
}

ttp_str ttp_out_diff_outcome(const struct ttp_diff *diff, struct ttp_arena *arena)
{
    const double device = ttp_diff_device_pct(diff), total = ttp_diff_total_pct(diff);
    struct ttp_sink out;

    if (diff->outcome == TTP_DIFF_NO_LIMIT)
        return TTP_STR("");
    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%s: ", ttp_diff_outcome_name(diff->outcome));
    if (diff->outcome == TTP_DIFF_FAIL)
        ttp_sink_printf(&out, "%s %+.2f %%, ", device >= total ? "device time" : "with gaps",
                        fmax(device, total));
    if (diff->outcome == TTP_DIFF_UNDECIDED)
        ttp_sink_printf(&out, "%s; ", ttp_diff_why_undecided(diff));
    ttp_sink_printf(&out, "the limit is %+.4g %%", diff->limit_pct);
    return ttp_sink_text(&out);
}

ttp_str ttp_out_diff_evidence(const struct ttp_diff *diff, struct ttp_arena *arena)
{
    const struct ttp_diff_test *t = &diff->test;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (!t->done) {
        ttp_sink_put(&out,
                     TTP_STR("one run per side cannot separate change from noise: give five per "
                             "side, as A1,A2,A3,A4,A5 B1,B2,B3,B4,B5"));
        return ttp_sink_text(&out);
    }
    ttp_sink_printf(
        &out, "%zu and %zu runs, p = %.3g, shift %.*s (95 %%: %.*s to %.*s)", diff->base.runs,
        diff->other.runs, t->p, TTP_FMT(time_text(t->shift_us, 0, arena)),
        TTP_FMT(time_text(t->low_us, 0, arena)), TTP_FMT(time_text(t->high_us, 0, arena)));
    if (is_untested(diff))
        ttp_sink_put(&out, TTP_STR("; so few can never be significant: give five per side"));
    return ttp_sink_text(&out);
}

ttp_str ttp_out_diff_counts(const struct ttp_diff *diff, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (unsigned k = 0; k < TTP_DIFF_KINDS; k++)
        if (diff->kinds[k])
            ttp_sink_printf(&out, "%s%zu %s", out.len ? ", " : "", diff->kinds[k],
                            ttp_diff_kind_name((enum ttp_diff_kind)k));
    const bool before = ttp_diff_is_traced(diff->base.run[0].report);
    const bool after = ttp_diff_is_traced(diff->other.run[0].report);
    if (before != after)
        ttp_sink_put(&out, after ? TTP_STR("; replayed from a trace now")
                                 : TTP_STR("; no longer replayed from a trace"));
    return ttp_sink_text(&out);
}

/* "3", of several ranks "1:3" */
static void put_device(struct ttp_sink *out, const struct ttp_report *report, int64_t device)
{
    const struct ttp_ops *ops = report->ops;

    if (device >= 0 && (size_t)device < ops->devices)
        ttp_sink_put(out, ttp_sym_name(&ops->syms, ops->device[device].name));
    else
        ttp_sink_printf(out, "%lld", (long long)device);
}

/* "device 3 of 8", "devices 1:1 and 1:3 of 4" */
static void put_middle(struct ttp_sink *out, const struct ttp_report *report)
{
    const struct ttp_middle *m = &report->middle;
    const size_t low = m->device[0] > m->device[1];

    ttp_sink_put(out, m->devices == 2 ? TTP_STR("devices ") : TTP_STR("device "));
    put_device(out, report, m->device[m->devices == 2 ? low : 0]);
    if (m->devices == 2) {
        ttp_sink_put(out, TTP_STR(" and "));
        put_device(out, report, m->device[!low]);
    }
    ttp_sink_printf(out, " of %zu", report->window.devices);
}

ttp_str ttp_out_diff_devices(const struct ttp_diff *d, struct ttp_arena *arena)
{
    const struct ttp_report *base = d->base.run[0].report, *other = d->other.run[0].report;
    struct ttp_sink text;

    if (!base->middle.devices && !other->middle.devices)
        return TTP_STR("");
    ttp_sink_to_arena(&text, arena);
    ttp_sink_put(&text, TTP_STR("times are the median over devices: "));
    if (base->middle.devices) {
        put_middle(&text, base);
        ttp_sink_put(&text, TTP_STR(" in the base"));
    }
    if (other->middle.devices) {
        ttp_sink_put(&text, base->middle.devices ? TTP_STR(", ") : TTP_STR(""));
        put_middle(&text, other);
        ttp_sink_put(&text, TTP_STR(" in the other run"));
    }
    return ttp_sink_text(&text);
}
