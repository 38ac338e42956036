/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/bench/bench_words.h"

#include <math.h>
#include <stdio.h>

ttp_str ttp_out_bench_percent(double part, struct ttp_arena *arena)
{
    struct ttp_sink out;
    const double pct = part * 100;

    ttp_sink_to_arena(&out, arena);
    if (!isfinite(pct))
        ttp_sink_put(&out, TTP_STR("-"));
    else
        ttp_sink_printf(&out, "%+.*f %%", fabs(pct) < 9.995 ? 2 : fabs(pct) < 99.95 ? 1 : 0, pct);
    return ttp_sink_text(&out);
}

ttp_str ttp_out_bench_label(size_t variant, struct ttp_arena *arena)
{
    char text[24];

    if (variant < 26)
        snprintf(text, sizeof(text), "%c", (char)('A' + (int)variant));
    else
        snprintf(text, sizeof(text), "%zu", variant + 1);
    return ttp_arena_copy(arena, ttp_str_from(text));
}

bool ttp_out_bench_is_better(enum ttp_verdict v, const struct ttp_metric *m)
{
    return (v == TTP_VERDICT_LESS) == (m->better == TTP_BETTER_LOWER);
}

/* Of LESS and MORE. */
static const char *verdict_word(enum ttp_verdict v, const struct ttp_metric *m)
{
    const ttp_str unit = ttp_str_from(m->unit);
    const bool speed = isfinite(ttp_measure_metric_unit_seconds(unit)) ||
                       ttp_measure_metric_unit_better(unit) == TTP_BETTER_HIGHER;

    if (ttp_out_bench_is_better(v, m))
        return speed ? "faster" : "better";
    return speed ? "slower" : "worse";
}

double ttp_out_bench_half_pct(const struct ttp_sample *s)
{
    const struct ttp_interval *i = &s->median_interval;
    const double part = fmax(i->high - s->median, s->median - i->low) / fabs(s->median);

    return isfinite(part) && s->n > 1 ? part * 100 : NAN;
}

ttp_str ttp_out_bench_sentence(const struct ttp_bench *b, const struct ttp_bench_row *row,
                               struct ttp_arena *arena)
{
    const struct ttp_versus v = row->versus;
    const struct ttp_interval *i = &v.change.interval;
    const ttp_str label = row->label;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    switch (v.verdict) {
    case TTP_VERDICT_UNDECIDED:
        ttp_sink_printf(&out, "%.*s versus A: undecided", TTP_FMT(label));
        break;
    case TTP_VERDICT_SAME:
        ttp_sink_printf(&out, "%.*s is the same as A within %g %%", TTP_FMT(label),
                        b->min_effect * 100);
        break;
    default:
        ttp_sink_printf(&out, "%.*s is %s than A", TTP_FMT(label),
                        verdict_word(v.verdict, &b->metric[row->metric_at]));
    }
    if (isfinite(v.change.estimate))
        ttp_sink_printf(&out, ": %.*s (between %.*s and %.*s)",
                        TTP_FMT(ttp_out_bench_percent(v.change.estimate, arena)),
                        TTP_FMT(ttp_out_bench_percent(i->low, arena)),
                        TTP_FMT(ttp_out_bench_percent(i->high, arena)));
    ttp_sink_printf(&out, ", p = %.2g", v.test.p);
    if (v.more_runs >= 1000000)
        ttp_sink_printf(&out, "; no number of runs can resolve %g %%", b->min_effect * 100);
    else if (v.more_runs)
        ttp_sink_printf(&out, "; about %zu more runs of each are needed to resolve %g %%",
                        v.more_runs, fmax(b->min_effect, 0.01) * 100);
    return ttp_sink_text(&out);
}

/* ---- sweeps ---- */

ttp_str ttp_out_bench_point_name(const struct ttp_sweep_point *p, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < p->set.count; i++)
        ttp_sink_printf(&out, "%s%s", i ? " " : "", p->set.word[i]);
    return ttp_sink_text(&out);
}

ttp_str ttp_out_bench_sweep_sentence(const struct ttp_bench_view *view, struct ttp_arena *arena)
{
    const struct ttp_sweep_result *r = view->sweep;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (r->best == TTP_NPOS) {
        ttp_sink_put(&out, TTP_STR("no point was measured"));
    } else {
        const struct ttp_sweep_point *p = &r->point[r->best];

        ttp_sink_printf(&out, "best: %.*s", TTP_FMT(ttp_out_bench_point_name(p, arena)));
        if (isfinite(p->throughput))
            ttp_sink_printf(&out, ", %.*s at",
                            TTP_FMT(ttp_out_measure_text(p->throughput, r->rate_unit, arena)));
        else
            ttp_sink_char(&out, ',');
        ttp_sink_printf(&out, " %.*s", TTP_FMT(ttp_out_measure_text(p->latency_s, "s", arena)));
    }
    if (r->stopped)
        ttp_sink_printf(&out, "; stopped after %zu of %zu points: %s", r->npoints, r->planned,
                        r->stopped);
    return ttp_sink_text(&out);
}
