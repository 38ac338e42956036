/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/bench_words.h"

#include <math.h>
#include <stdio.h>

#include "outputs/cells.h"

ttp_str ttp_bench_percent(double part, struct ttp_arena *arena)
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

ttp_str ttp_bench_label(size_t variant, struct ttp_arena *arena)
{
    char text[24];

    if (variant < 26)
        snprintf(text, sizeof(text), "%c", (char)('A' + (int)variant));
    else
        snprintf(text, sizeof(text), "%zu", variant + 1);
    return ttp_arena_copy(arena, ttp_str_from(text));
}

bool ttp_bench_is_better(enum ttp_verdict v, const struct ttp_metric *m)
{
    return (v == TTP_VERDICT_LESS) == (m->better == TTP_BETTER_LOWER);
}

static ttp_str verdict_words(const struct ttp_versus *v, const struct ttp_metric *m,
                             double min_effect, struct ttp_arena *arena)
{
    const ttp_str unit = ttp_str_from(m->unit);
    const bool speed = isfinite(ttp_metric_unit_seconds(unit)) ||
                       ttp_metric_unit_better(unit) == TTP_BETTER_HIGHER;
    char text[48];

    if (v->verdict == TTP_VERDICT_UNDECIDED)
        return TTP_STR("cannot tell");
    if (v->verdict == TTP_VERDICT_SAME) {
        if (min_effect > 0)
            snprintf(text, sizeof(text), "same within %g %%", min_effect * 100);
        else
            snprintf(text, sizeof(text), "same");
        return ttp_arena_copy(arena, ttp_str_from(text));
    }
    if (ttp_bench_is_better(v->verdict, m))
        return speed ? TTP_STR("faster") : TTP_STR("better");
    return speed ? TTP_STR("slower") : TTP_STR("worse");
}

/* ---- tables ---- */

enum {
    COL_LABEL,
    COL_NAME,
    COL_RUNS,
    COL_MEDIAN,
    COL_INTERVAL,
    COL_MEAN,
    COL_SD,
    COL_MIN,
    COL_P95,
    COL_MAX,
    COL_CHANGE,
    COL_VERDICT
};
static const struct ttp_cell_column variant_columns[] = {
    [COL_LABEL] = {"", true, 0},         [COL_NAME] = {"variant", true, 0},
    [COL_RUNS] = {"runs", false, 0},     [COL_MEDIAN] = {"median", false, 0},
    [COL_INTERVAL] = {"±", false, 1},    [COL_MEAN] = {"mean", false, 3},
    [COL_SD] = {"std", false, 3},        [COL_MIN] = {"min", false, 4},
    [COL_P95] = {"p95", false, 6},       [COL_MAX] = {"max", false, 5},
    [COL_CHANGE] = {"change", false, 0}, [COL_VERDICT] = {"verdict", true, 2},
};
#define NAME_MAX_SHOWN 32

/* The wider side of the interval, as a part of the median. */
static ttp_str half_width(const struct ttp_sample *s, struct ttp_arena *arena)
{
    const struct ttp_interval *i = &s->median_interval;
    const double part = fmax(i->high - s->median, s->median - i->low) / fabs(s->median);
    char text[32];

    if (!isfinite(part) || s->n < 2)
        return (ttp_str){0};
    snprintf(text, sizeof(text), "%.*f %%", part < 0.1 ? 2 : 1, part * 100);
    return ttp_arena_copy(arena, ttp_str_from(text));
}

static ttp_str short_name(const char *name, struct ttp_arena *arena)
{
    const ttp_str text = ttp_str_from(name);

    if (ttp_str_code_points(text) <= NAME_MAX_SHOWN)
        return text;
    struct ttp_sink out;
    ttp_sink_to_arena(&out, arena);
    size_t n = NAME_MAX_SHOWN - 1;
    while (n > 0 && ((unsigned char)text.ptr[n] & 0xc0) == 0x80)
        n--;
    ttp_sink_put(&out, ttp_str_slice(text, 0, n));
    ttp_sink_put(&out, TTP_STR("…"));
    return ttp_sink_text(&out);
}

void ttp_bench_variant_cells(struct ttp_cells *c, const struct ttp_bench_view *view, size_t metric,
                             struct ttp_arena *arena)
{
    const struct ttp_bench *b = view->bench;
    const struct ttp_metric *m = &b->metric[metric];

    ttp_cells_init(c, variant_columns, TTP_COUNT(variant_columns), arena);
    for (size_t i = 0; i < b->nvariants; i++) {
        size_t n;
        const double *v = ttp_bench_values(&n, b, i, metric, arena);
        const struct ttp_sample s = ttp_stats_sample(v, n, b->confidence, arena);
        char runs[24];

        ttp_cells_add_row(c);
        snprintf(runs, sizeof(runs), "%zu", n);
        ttp_cells_set(c, COL_LABEL, ttp_bench_label(i, arena));
        ttp_cells_set(c, COL_NAME, short_name(b->variant[i].name, arena));
        ttp_cells_set(c, COL_RUNS, ttp_str_from(runs));
        ttp_cells_set(c, COL_MEDIAN, ttp_out_measure_text(s.median, m->unit, arena));
        ttp_cells_set(c, COL_INTERVAL, half_width(&s, arena));
        ttp_cells_set(c, COL_MEAN, ttp_out_measure_text(s.mean, m->unit, arena));
        ttp_cells_set(c, COL_SD, ttp_out_measure_text(s.sd, m->unit, arena));
        ttp_cells_set(c, COL_MIN, ttp_out_measure_text(s.min, m->unit, arena));
        ttp_cells_set(c, COL_P95, ttp_out_measure_text(s.p95, m->unit, arena));
        ttp_cells_set(c, COL_MAX, ttp_out_measure_text(s.max, m->unit, arena));
        if (i == 0)
            continue;
        const struct ttp_versus versus = ttp_bench_versus(b, i, metric, arena);
        ttp_cells_set(c, COL_CHANGE, ttp_bench_percent(versus.change.estimate, arena));
        ttp_cells_set(c, COL_VERDICT, verdict_words(&versus, m, b->min_effect, arena));
    }
}

ttp_str ttp_bench_sentence(const struct ttp_bench_view *view, size_t variant, size_t metric,
                           struct ttp_arena *arena)
{
    const struct ttp_bench *b = view->bench;
    const struct ttp_versus v = ttp_bench_versus(b, variant, metric, arena);
    const struct ttp_interval *i = &v.change.interval;
    const ttp_str label = ttp_bench_label(variant, arena);
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    switch (v.verdict) {
    case TTP_VERDICT_UNDECIDED:
        ttp_sink_printf(&out, "%.*s against A: cannot tell", TTP_FMT(label));
        break;
    case TTP_VERDICT_SAME:
        ttp_sink_printf(&out, "%.*s is the same as A within %g %%", TTP_FMT(label),
                        b->min_effect * 100);
        break;
    default:
        ttp_sink_printf(&out, "%.*s is %.*s than A", TTP_FMT(label),
                        TTP_FMT(verdict_words(&v, &b->metric[metric], b->min_effect, arena)));
    }
    if (isfinite(v.change.estimate))
        ttp_sink_printf(&out, ": %.*s (between %.*s and %.*s)",
                        TTP_FMT(ttp_bench_percent(v.change.estimate, arena)),
                        TTP_FMT(ttp_bench_percent(i->low, arena)),
                        TTP_FMT(ttp_bench_percent(i->high, arena)));
    ttp_sink_printf(&out, ", p = %.2g", v.test.p);
    if (v.more_runs >= 1000000)
        ttp_sink_printf(&out, "; no number of runs will tell %g %%", b->min_effect * 100);
    else if (v.more_runs)
        ttp_sink_printf(&out, "; needs about %zu more runs of each to tell %g %%", v.more_runs,
                        fmax(b->min_effect, 0.01) * 100);
    return ttp_sink_text(&out);
}

/* ---- sweeps ---- */

static const struct ttp_cell_column sweep_columns[] = {
    {"", true, 0},         {"point", true, 0},     {"runs", false, 3},
    {"latency", false, 0}, {"±", false, 2},        {"throughput", false, 0},
    {"gain", false, 1},    {"roofline", false, 4}, {"", true, 0},
};

ttp_str ttp_bench_point_name(const struct ttp_sweep_point *p, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < p->set.count; i++)
        ttp_sink_printf(&out, "%s%s", i ? " " : "", p->set.word[i]);
    return ttp_sink_text(&out);
}

void ttp_bench_sweep_cells(struct ttp_cells *c, const struct ttp_bench_view *view,
                           struct ttp_arena *arena)
{
    const struct ttp_sweep_result *r = view->sweep;

    ttp_cells_init(c, sweep_columns, TTP_COUNT(sweep_columns), arena);
    for (size_t i = 0; i < r->npoints; i++) {
        const struct ttp_sweep_point *p = &r->point[i];
        char text[40];
        size_t n;

        ttp_cells_add_row(c);
        ttp_cells_set(c, 0, p->pareto ? TTP_STR("*") : (ttp_str){0});
        ttp_cells_set(c, 1, ttp_bench_point_name(p, arena));
        const double *v = ttp_bench_values(
            &n, &p->bench, 0, r->latency_metric == TTP_NPOS ? 0 : r->latency_metric, arena);
        const struct ttp_sample s = ttp_stats_sample(v, n, p->bench.confidence, arena);
        snprintf(text, sizeof(text), "%zu", n);
        ttp_cells_set(c, 2, ttp_str_from(text));
        if (p->failure) {
            const ttp_str why = ttp_str_from(p->failure);
            const bool memory = ttp_str_starts(why, TTP_STR("out of memory"));

            ttp_cells_set(c, 8, memory ? TTP_STR("out of memory") : TTP_STR("failed"));
            continue;
        }
        ttp_cells_set(c, 3, ttp_out_measure_text(p->latency_s, "s", arena));
        ttp_cells_set(c, 4, half_width(&s, arena));
        if (isfinite(p->throughput))
            ttp_cells_set(c, 5, ttp_out_measure_text(p->throughput, r->rate_unit, arena));
        if (isfinite(p->gain))
            ttp_cells_set(c, 6, ttp_bench_percent(p->gain, arena));
        if (view->rates && isfinite(view->rates[i].roof_pct)) {
            snprintf(text, sizeof(text), "%.1f %%", view->rates[i].roof_pct);
            ttp_cells_set(c, 7, ttp_str_from(text));
        }
        if (i == r->best)
            ttp_cells_set(c, 8, TTP_STR("<- best"));
    }
}

ttp_str ttp_bench_sweep_sentence(const struct ttp_bench_view *view, struct ttp_arena *arena)
{
    const struct ttp_sweep_result *r = view->sweep;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (r->best == TTP_NPOS) {
        ttp_sink_put(&out, TTP_STR("no point was measured"));
    } else {
        const struct ttp_sweep_point *p = &r->point[r->best];

        ttp_sink_printf(&out, "best: %.*s", TTP_FMT(ttp_bench_point_name(p, arena)));
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
