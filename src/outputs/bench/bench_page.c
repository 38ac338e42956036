/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements for human readers: figures, what is odd about them, their shape, the verdict last.
 */
#include <math.h>

#include "outputs/bench/bench_fields.h"
#include "outputs/bench/bench_words.h"
#include "outputs/show/paint.h"

#define BAR_COLUMNS  40
#define BINS_MAX     12
#define OUTLIERS_MAX 5
/* Below this a run of values in order is worth a word. */
#define DRIFT_P 0.01

struct page {
    const struct ttp_show *show;
    struct ttp_sink *out;
    const struct ttp_bench_view *view;
    struct ttp_arena *arena;
};

static struct page page_of(const struct ttp_show *show, const struct ttp_bench_view *view)
{
    return (struct page){show, show->out, view, show->arena};
}

static void paint(const struct page *p, enum ttp_color color, ttp_str text)
{
    ttp_paint_themed(p->out, p->show->color ? color : TTP_PLAIN, text);
}

static void put_measure(const struct page *p, double v, const struct ttp_metric *m)
{
    ttp_sink_put(p->out, ttp_out_measure_text(v, m->unit, p->arena));
}

/* ---- one sample ---- */

static void put_figures(const struct page *p, const struct ttp_sample *s,
                        const struct ttp_metric *m)
{
    const struct ttp_interval *i = &s->median_interval;

    ttp_sink_own(p->out, "  median    ");
    put_measure(p, s->median, m);
    if (s->n > 1) {
        ttp_sink_own(p->out, ", between ");
        put_measure(p, i->low, m);
        ttp_sink_own(p->out, " and ");
        put_measure(p, i->high, m);
        ttp_sink_printf(p->out, " (%.3g %% confidence)", i->confidence * 100);
    }
    ttp_sink_own(p->out, "\n  mean      ");
    put_measure(p, s->mean, m);
    if (s->n > 1) {
        ttp_sink_own(p->out, " ± ");
        put_measure(p, s->sd, m);
        if (isfinite(s->rsd))
            ttp_sink_printf(p->out, " (%.3g %%)", s->rsd * 100);
    }
    ttp_sink_own(p->out, "\n  range     min ");
    put_measure(p, s->min, m);
    ttp_sink_own(p->out, ", p95 ");
    put_measure(p, s->p95, m);
    ttp_sink_own(p->out, ", max ");
    put_measure(p, s->max, m);
    ttp_sink_char(p->out, '\n');
}

/* Which runs, counted from 1 among those that count. */
static void put_outliers(const struct page *p, const double *v, const struct ttp_sample *s,
                         const struct ttp_metric *m)
{
    size_t shown = 0;

    if (s->outliers == 0)
        return;
    ttp_sink_printf(p->out, "  outliers  %zu of %zu, kept:", s->outliers, s->n);
    for (size_t i = 0; i < s->n && shown < OUTLIERS_MAX; i++) {
        const struct ttp_fences *f = &s->fences;

        if (v[i] >= f->low && v[i] <= f->high)
            continue;
        ttp_sink_printf(p->out, "%s run %zu ", shown ? "," : "", i + 1);
        put_measure(p, v[i], m);
        if (v[i] < f->far_low || v[i] > f->far_high)
            ttp_sink_own(p->out, " (far)");
        shown++;
    }
    ttp_sink_printf(p->out, "%s\n", s->outliers > shown ? ", ..." : "");
}

static void put_drift(const struct page *p, const struct ttp_bench_row *row,
                      const struct ttp_metric *m)
{
    const struct ttp_drift d = row->drift;

    if (row->sample.n < 4)
        return;
    ttp_sink_own(p->out, "  drift     ");
    if (d.p > DRIFT_P) {
        ttp_sink_printf(p->out, "none (p = %.2g)\n", d.p);
        return;
    }
    paint(p, TTP_YELLOW, d.s > 0 ? TTP_STR("rising") : TTP_STR("falling"));
    ttp_sink_own(p->out, ", about ");
    put_measure(p, fabs(d.slope), m);
    ttp_sink_printf(p->out,
                    " per run (p = %.2g): use more warm-ups, or check for a busy or hot machine\n",
                    d.p);
}

/* Bins of equal width over the whole range: an outlier shows as a bar far from the others. */
static void put_histogram(const struct page *p, const double *v, const struct ttp_sample *s,
                          const struct ttp_metric *m)
{
    size_t bin[BINS_MAX] = {0}, most = 0;
    const double width = s->max - s->min;

    if (s->n < 5 || !(width > 0))
        return;
    const double root = ceil(sqrt((double)s->n)) + 2;
    const size_t bins = root < BINS_MAX ? (size_t)root : BINS_MAX;
    for (size_t i = 0; i < s->n; i++) {
        const size_t at = (size_t)((v[i] - s->min) / width * (double)bins);
        size_t *count = &bin[at < bins ? at : bins - 1];

        most = ++*count > most ? *count : most;
    }
    for (size_t i = 0; i < bins; i++) {
        const double step = width / (double)bins;
        const ttp_str edge =
            ttp_out_bench_measure_text(s->min + step * (double)i, step, m->unit, p->arena);

        ttp_sink_repeat(p->out, ' ', edge.len < 14 ? 14 - ttp_str_code_points(edge) : 0);
        ttp_sink_printf(p->out, "%.*s ", TTP_FMT(edge));
        struct ttp_sink bar;
        ttp_sink_to_arena(&bar, p->arena);
        ttp_paint_bar(&bar, (double)bin[i] / (double)most * BAR_COLUMNS);
        paint(p, TTP_BLUE, ttp_sink_text(&bar));
        ttp_sink_printf(p->out, "%s%zu\n", bin[i] ? " " : "", bin[i]);
    }
}

/* The counterpart of "cannot tell" if there is nothing to compare with. */
static void put_missing_runs(const struct page *p, const struct ttp_sample *s)
{
    const struct ttp_bench *b = p->view->bench;
    const struct ttp_interval *i = &s->median_interval;
    const double within = b->min_effect * fabs(s->median);

    if (!(within > 0) || s->n < 2 ||
        (i->confidence >= b->confidence && fmax(i->high - s->median, s->median - i->low) <= within))
        return;
    /* quartiles, so that one wild run does not ask for thousands */
    const double sd = s->p75 > s->p25 ? (s->p75 - s->p25) / 1.349 : s->sd;
    const size_t needed = ttp_stats_runs_for_median(within, sd, b->confidence);
    ttp_sink_printf(p->out, "  about %zu more runs are needed to know the median within %g %%\n",
                    needed > s->n ? needed - s->n : s->n, b->min_effect * 100);
}

static void put_sample(const struct page *p, const struct ttp_bench_row *row)
{
    const struct ttp_bench *b = p->view->bench;
    const struct ttp_metric *m = &b->metric[row->metric_at];

    if (row->sample.n == 0) {
        ttp_sink_own(p->out, "  nothing was measured\n");
        return;
    }
    if (b->nvariants == 1) {
        put_figures(p, &row->sample, m);
        put_missing_runs(p, &row->sample);
    }
    put_outliers(p, row->value, &row->sample, m);
    put_drift(p, row, m);
    put_histogram(p, row->value, &row->sample, m);
}

/* ---- throughput ---- */

static void put_rates(const struct page *p, size_t variant)
{
    const struct ttp_bench_rates *r = p->view->rates ? &p->view->rates[variant] : NULL;
    const char *between = "";

    if (!r ||
        !(isfinite(r->rates.bytes_s) || isfinite(r->rates.flops_s) || isfinite(r->rates.items_s)))
        return;
    ttp_sink_own(p->out, "  work      ");
    if (isfinite(r->rates.bytes_s)) {
        ttp_sink_printf(p->out, "%.4g GB/s in and out", r->rates.bytes_s / 1e9);
        between = ", ";
    }
    if (isfinite(r->rates.flops_s)) {
        ttp_sink_printf(p->out, "%s%.4g GFLOP/s", between, r->rates.flops_s / 1e9);
        between = ", ";
    }
    if (isfinite(r->rates.items_s))
        ttp_sink_printf(p->out, "%s%.4g items/s", between, r->rates.items_s);
    if (isfinite(r->roof_pct))
        ttp_sink_printf(p->out, ", %.3g %% of the roofline (%s)", r->roof_pct, p->view->roof);
    ttp_sink_char(p->out, '\n');
}

/* ---- the page ---- */

static void count_trials(size_t *warm_ups, size_t *failed, size_t *tainted,
                         const struct ttp_bench *b)
{
    *warm_ups = *failed = *tainted = 0;
    for (size_t i = 0; i < b->ntrials; i++) {
        *warm_ups += b->trial[i].warm_up;
        *failed += b->trial[i].failure != NULL;
        *tainted += b->trial[i].taint != NULL && !b->trial[i].warm_up;
    }
}

/* The same problem in several runs is reported once. */
static void put_taints(const struct page *p)
{
    const struct ttp_bench *b = p->view->bench;
    const char *said[OUTLIERS_MAX];
    size_t shown = 0;

    for (size_t i = 0; i < b->ntrials; i++) {
        const char *taint = b->trial[i].warm_up ? NULL : b->trial[i].taint;
        size_t k = 0, times = 0;

        while (taint && k < shown && strcmp(said[k], taint) != 0)
            k++;
        if (!taint || k < shown)
            continue;
        if (shown == OUTLIERS_MAX) {
            ttp_sink_own(p->out, "  ...\n");
            return;
        }
        said[shown++] = taint;
        for (k = i; k < b->ntrials; k++)
            times +=
                b->trial[k].taint && !b->trial[k].warm_up && strcmp(b->trial[k].taint, taint) == 0;
        ttp_sink_printf(p->out, "  %zu: %s\n", times, taint);
    }
}

static void put_conditions(const struct page *p)
{
    const struct ttp_bench *b = p->view->bench;
    size_t warm_ups, failed, tainted;

    count_trials(&warm_ups, &failed, &tainted, b);
    ttp_sink_printf(p->out, "%zu run%s%s, plus %zu warm-up%s", b->ntrials - warm_ups,
                    b->ntrials - warm_ups == 1 ? "" : "s",
                    b->nvariants > 1 && !b->format ? " alternating" : "", warm_ups,
                    warm_ups == 1 ? "" : "s");
    if (b->stopped)
        ttp_sink_printf(p->out, "; stopped: %s", b->stopped);
    if (b->format)
        ttp_sink_printf(p->out, "; read from %s", b->format);
    ttp_sink_char(p->out, '\n');
    if (failed) {
        paint(p, TTP_RED, TTP_STR("failed"));
        ttp_sink_printf(p->out, ": %zu, their values are ignored\n", failed);
    }
    if (tainted) {
        paint(p, TTP_YELLOW, TTP_STR("tainted"));
        ttp_sink_printf(p->out, ": %zu of %zu runs\n", tainted, b->ntrials - warm_ups);
    }
    put_taints(p);
}

/* A table of the rows of one metric, without its name. */
static void put_metric_table(const struct page *p, const struct ttp_table *all, size_t metric)
{
    struct ttp_table table = *all;
    struct ttp_records rows = *all->rows;
    struct ttp_fields but_first = *rows.fields;
    size_t *index = TTP_NEW(p->arena, size_t, all->count);

    table.count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct ttp_bench_row *row = ttp_records_at(&rows, all->index[i]);

        if (row->metric_at == metric)
            index[table.count++] = all->index[i];
    }
    but_first.field++;
    but_first.count--;
    rows.fields = &but_first;
    table.rows = &rows;
    table.index = index;
    ttp_show_table(p->show, &table);
}

static void put_metric(const struct page *p, const struct ttp_table *table, size_t metric)
{
    const struct ttp_bench *b = p->view->bench;
    const struct ttp_metric *m = &b->metric[metric];

    ttp_sink_printf(p->out, "\n%s", m->name);
    ttp_sink_printf(p->out, "%s\n",
                    m->better == TTP_BETTER_HIGHER ? " (higher is better)" : " (lower is better)");
    if (b->nvariants > 1)
        put_metric_table(p, table, metric);
    for (size_t i = 0; i < table->rows->count; i++) {
        const struct ttp_bench_row *row = ttp_records_at(table->rows, i);

        if (row->metric_at != metric)
            continue;
        if (b->nvariants > 1)
            ttp_sink_printf(p->out, "%.*s\n", TTP_FMT(row->label));
        put_sample(p, row);
        if (metric == 0)
            put_rates(p, row->variant_at);
    }
}

static void put_certainty(const struct page *p)
{
    const struct ttp_bench *b = p->view->bench;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, p->arena);
    ttp_sink_printf(
        &text, "(%g %% confidence overall%s; change: median of all pairs)", b->confidence * 100,
        b->looks_planned > 1 || b->nvariants > 2 ? ", including all interim looks" : "");
    ttp_paint_wrapped(p->out, ttp_sink_text(&text), p->show->width, 0, 1);
}

/* A verdict in its colour, which continues over the lines it takes. */
static void put_sentence(const struct page *p, const char *metric, enum ttp_color color,
                         ttp_str text)
{
    struct ttp_sink lines;

    ttp_sink_beside(&lines, p->out, p->arena);
    if (metric)
        ttp_sink_printf(p->out, "%s: ", metric);
    ttp_paint_wrapped(&lines, text, p->show->width, metric ? strlen(metric) + 2 : 0, 2);
    lines.len--; /* the colour ends before the line does */
    ttp_paint_themed_part(p->out, p->show->color ? color : TTP_PLAIN, &lines);
    ttp_sink_char(p->out, '\n');
}

static void put_verdicts(const struct page *p, const struct ttp_records *rows)
{
    const struct ttp_bench *b = p->view->bench;

    for (size_t k = 0; k < b->nmetrics; k++)
        for (size_t i = 1; i < b->nvariants; i++) {
            const struct ttp_bench_row *row = ttp_records_at(rows, i * b->nmetrics + k);
            const enum ttp_verdict verdict = row->versus.verdict;
            if (isnan(row->versus.shift.estimate))
                continue; /* one of them was not measured in this way */
            const bool told = verdict == TTP_VERDICT_LESS || verdict == TTP_VERDICT_MORE;
            const bool better = told && ttp_out_bench_is_better(verdict, &b->metric[k]);

            ttp_sink_char(p->out, '\n');
            put_sentence(p, b->nmetrics > 1 ? b->metric[k].name : NULL,
                         !told    ? TTP_PLAIN
                         : better ? TTP_GREEN
                                  : TTP_RED,
                         ttp_out_bench_sentence(b, row, p->arena));
        }
    if (b->nvariants > 1)
        put_certainty(p);
}

static void put_bench(const struct page *p, const struct ttp_table *table)
{
    const struct ttp_bench *b = p->view->bench;

    for (size_t i = 0; i < b->nvariants; i++) {
        const struct ttp_variant *v = &b->variant[i];

        if (b->nvariants > 1)
            ttp_sink_printf(p->out, "%.*s  ", TTP_FMT(ttp_out_bench_label(i, p->arena)));
        ttp_sink_put(p->out, ttp_str_from(v->name));
        if (v->argv && v->env.count)
            for (size_t k = 0; k < v->env.count; k++)
                ttp_sink_printf(p->out, "%s%s", k ? " " : "  with ", v->env.word[k]);
        ttp_sink_char(p->out, '\n');
    }
    put_conditions(p);
    for (size_t k = 0; k < b->nmetrics; k++)
        put_metric(p, table, k);
    put_verdicts(p, table->rows);
}

static void put_bench_markdown(const struct page *p, const struct ttp_table *table)
{
    const struct ttp_bench *b = p->view->bench;

    for (size_t k = 0; k < b->nmetrics; k++) {
        ttp_sink_printf(p->out, "%s**%s**\n\n", k ? "\n" : "", b->metric[k].name);
        put_metric_table(p, table, k);
        for (size_t i = 1; i < b->nvariants; i++)
            ttp_sink_printf(p->out, "\n%.*s\n",
                            TTP_FMT(ttp_out_bench_sentence(
                                b, ttp_records_at(table->rows, i * b->nmetrics + k), p->arena)));
    }
}

/* ---- sweeps ---- */

static double finite_or_0(double v)
{
    return isfinite(v) ? v : 0;
}

/* Bars of throughput, or of latency. */
static void put_chart(const struct page *p, bool latency)
{
    const struct ttp_sweep_result *r = p->view->sweep;
    size_t widest = 0;
    double most = 0;

    for (size_t i = 0; i < r->npoints; i++) {
        const struct ttp_sweep_point *q = &r->point[i];
        const size_t n = ttp_out_bench_point_name(q, p->arena).len;

        most = fmax(most, finite_or_0(latency ? q->latency_s : q->throughput));
        widest = n > widest ? n : widest;
    }
    if (!(most > 0))
        return;
    ttp_sink_printf(p->out, "\n%s\n", latency ? "latency" : "throughput");
    for (size_t i = 0; i < r->npoints; i++) {
        const struct ttp_sweep_point *q = &r->point[i];
        const double v = finite_or_0(latency ? q->latency_s : q->throughput);
        struct ttp_sink bar;

        ttp_sink_printf(p->out, "  %*.*s ", (int)widest,
                        TTP_FMT(ttp_out_bench_point_name(q, p->arena)));
        ttp_sink_to_arena(&bar, p->arena);
        ttp_paint_bar(&bar, v / most * BAR_COLUMNS);
        paint(p, latency ? TTP_CYAN : TTP_BLUE, ttp_sink_text(&bar));
        ttp_sink_printf(p->out, "%s%s\n", q->failure ? "failed" : "", q->pareto ? " *" : "");
    }
}

static void put_sweep(const struct page *p, const struct ttp_table *table)
{
    const struct ttp_sweep_result *r = p->view->sweep;

    ttp_sink_own(p->out, "sweep of");
    for (size_t i = 0; i < r->nsweeps; i++)
        ttp_sink_printf(p->out, "%s %s (%zu value%s)", i ? "," : "", r->sweep[i].name,
                        r->sweep[i].count, r->sweep[i].count == 1 ? "" : "s");
    ttp_sink_own(p->out, "\n\n");
    ttp_show_table(p->show, table);
    for (size_t i = 0; i < r->npoints; i++)
        if (r->point[i].failure)
            ttp_sink_printf(p->out, "%.*s: %s\n",
                            TTP_FMT(ttp_out_bench_point_name(&r->point[i], p->arena)),
                            r->point[i].failure);
    put_chart(p, false);
    put_chart(p, true);
    ttp_sink_own(p->out, "\n* no other point is both faster and higher in throughput\n");
    put_sentence(p, NULL, TTP_GREEN, ttp_out_bench_sweep_sentence(p->view, p->arena));
}

/* Whoever chooses rows or columns wants the table alone. */
static bool is_chosen(const struct ttp_show *show)
{
    return show->columns || show->selection.where || show->selection.sort || show->selection.top;
}

static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct page p = page_of(show, arg);

    (void)part;
    if (is_chosen(show))
        ttp_show_table(show, table);
    else if (p.view->sweep && show->form == TTP_FORM_TEXT)
        put_sweep(&p, table);
    else if (p.view->sweep) {
        ttp_show_table(show, table);
        ttp_sink_printf(show->out, "\n%.*s\n",
                        TTP_FMT(ttp_out_bench_sweep_sentence(p.view, show->arena)));
    } else if (show->form == TTP_FORM_TEXT)
        put_bench(&p, table);
    else
        put_bench_markdown(&p, table);
}

static void put_foot(const struct ttp_show *show, const void *arg)
{
    (void)arg;
    for (size_t i = 0; show->form == TTP_FORM_TEXT && show->warnings && i < show->warnings->count;
         i++)
        ttp_sink_printf(show->out, "note: %s\n", show->warnings->word[i]);
}

const struct ttp_page ttp_bench_page = {.body = put_body, .foot = put_foot};
