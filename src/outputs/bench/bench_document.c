/* SPDX-License-Identifier: Apache-2.0 */
/* bench_document.c - from measurements to rows. */
#include <math.h>

#include "outputs/bench/bench_words.h"

static struct ttp_bench_row make_row(const struct ttp_bench *b, size_t variant, size_t metric,
                                     struct ttp_arena *arena)
{
    const struct ttp_metric *m = &b->metric[metric];
    struct ttp_bench_row row = {.variant_at = variant,
                                .metric_at = metric,
                                .label = ttp_out_bench_label(variant, arena),
                                .variant = b->variant[variant].name,
                                .metric = m->name,
                                .unit = m->unit,
                                .compared = variant > 0};
    size_t n;

    row.value = ttp_measure_bench_values(&n, b, variant, metric, arena);
    row.sample = ttp_stats_sample(row.value, n, b->confidence, arena);
    row.half_pct = ttp_out_bench_half_pct(&row.sample);
    row.drift = ttp_stats_drift(row.value, n, arena);
    if (row.compared) {
        row.versus = ttp_measure_bench_versus(b, variant, metric, arena);
        row.verdict = ttp_measure_verdict_word(row.versus.verdict, m->better);
    }
    return row;
}

/* All metrics of the first variant, then of the next. */
static struct ttp_records make_rows(const struct ttp_bench *b, struct ttp_arena *arena)
{
    struct ttp_bench_row *row = TTP_NEW(arena, struct ttp_bench_row, b->nvariants * b->nmetrics);

    for (size_t i = 0; i < b->nvariants * b->nmetrics; i++)
        row[i] = make_row(b, i / b->nmetrics, i % b->nmetrics, arena);
    return (struct ttp_records){&ttp_bench_row_fields, NULL, row, sizeof(*row),
                                b->nvariants * b->nmetrics};
}

/* Those of `rows` that are of one variant. */
static struct ttp_records rows_of(const struct ttp_records *rows, size_t variant,
                                  struct ttp_arena *arena)
{
    struct ttp_bench_row *row = TTP_NEW(arena, struct ttp_bench_row, rows->count);
    struct ttp_records out = *rows;

    out.first = row;
    out.count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct ttp_bench_row *r = ttp_records_at(rows, i);

        if (r->variant_at == variant)
            row[out.count++] = *r;
    }
    return out;
}

static struct ttp_bench_run *make_run(const struct ttp_bench *b, const struct ttp_records *rows,
                                      const struct ttp_bench_rates *rates, struct ttp_arena *arena)
{
    struct ttp_bench_run *run = TTP_NEW(arena, struct ttp_bench_run, 1);

    *run = (struct ttp_bench_run){*b, TTP_NEW(arena, struct ttp_bench_variant, b->nvariants),
                                  b->nvariants};
    for (size_t i = 0; i < b->nvariants; i++) {
        struct ttp_bench_variant *v = &run->variant[i];

        *v = (struct ttp_bench_variant){.label = ttp_out_bench_label(i, arena),
                                        .name = b->variant[i].name,
                                        .argv = b->variant[i].argv,
                                        .env = b->variant[i].env,
                                        .rates = rates ? &rates[i] : NULL,
                                        .results = rows_of(rows, i, arena)};
        while (v->argv && v->argv[v->words])
            v->words++;
    }
    return run;
}

static struct ttp_bench_point make_point(const struct ttp_bench_view *view, size_t i,
                                         struct ttp_arena *arena)
{
    const struct ttp_sweep_result *r = view->sweep;
    const struct ttp_sweep_point *p = &r->point[i];
    const size_t metric = r->latency_metric == TTP_NPOS ? 0 : r->latency_metric;
    const struct ttp_records rows = make_rows(&p->bench, arena);
    const struct ttp_bench_rates *rates = view->rates ? &view->rates[i] : NULL;
    const struct ttp_bench_row *row = rows.count ? ttp_records_at(&rows, metric) : NULL;
    struct ttp_bench_point out = {
        .set = TTP_NEW(arena, struct ttp_bench_set, p->set.count),
        .sets = p->set.count,
        .name = ttp_out_bench_point_name(p, arena),
        .runs = row ? row->sample.n : 0,
        .latency_s = p->latency_s,
        .half_pct = row && !p->failure ? row->half_pct : NAN,
        .throughput = p->throughput,
        .gain = p->gain,
        .roof_pct = rates && !p->failure ? rates->roof_pct : NAN,
        .time_unit = "s",
        .rate_unit = r->rate_unit,
        .failure = p->failure,
        .pareto = p->pareto,
        .best = i == r->best,
        .run = make_run(&p->bench, &rows, rates, arena),
    };

    for (size_t k = 0; k < p->set.count; k++) {
        const ttp_str word = ttp_str_from(p->set.word[k]);
        const size_t sign = ttp_str_find_char(word, '=');

        out.set[k] = (struct ttp_bench_set){ttp_str_slice(word, 0, sign),
                                            ttp_str_slice(word, sign + 1, word.len)};
    }
    if (p->failure)
        out.result = ttp_str_starts(ttp_str_from(p->failure), TTP_STR("out of memory"))
                         ? "out of memory"
                         : "failed";
    else if (out.best)
        out.result = "best";
    return out;
}

/* A value of every metric of every trial, at `to`. */
static size_t add_values(struct ttp_bench_value *to, const struct ttp_bench *b, ttp_str point)
{
    for (size_t i = 0; i < b->ntrials * b->nmetrics; i++) {
        const struct ttp_trial *t = &b->trial[i / b->nmetrics];
        const struct ttp_metric *m = &b->metric[i % b->nmetrics];

        to[i] = (struct ttp_bench_value){.number = i / b->nmetrics + 1,
                                         .variant = b->variant[t->variant].name,
                                         .point = point,
                                         .warm_up = t->warm_up,
                                         .start_ns = t->start_ns,
                                         .metric = m->name,
                                         .unit = m->unit,
                                         .value = t->value[i % b->nmetrics],
                                         .failure = t->failure,
                                         .taint = t->taint};
    }
    return b->ntrials * b->nmetrics;
}

static void fill_values(struct ttp_document *doc, const struct ttp_bench_view *view,
                        struct ttp_arena *arena)
{
    const struct ttp_sweep_result *r = view->sweep;
    size_t room = r ? 0 : view->bench->ntrials * view->bench->nmetrics, count = 0;

    for (size_t i = 0; r && i < r->npoints; i++)
        room += r->point[i].bench.ntrials * r->point[i].bench.nmetrics;
    struct ttp_bench_value *value = TTP_NEW(arena, struct ttp_bench_value, room);
    if (!r)
        count = add_values(value, view->bench, TTP_STR(""));
    for (size_t i = 0; r && i < r->npoints; i++)
        count += add_values(value + count, &r->point[i].bench,
                            ttp_out_bench_point_name(&r->point[i], arena));
    ttp_document_rows(doc, TTP_BENCH_PART_VALUES, NULL, value, count);
}

static ttp_code fill_run(struct ttp_document *doc, const struct ttp_show *show,
                         const struct ttp_bench_view *view, struct ttp_err *err)
{
    const struct ttp_records rows = make_rows(view->bench, show->arena);
    struct ttp_records chosen;

    doc->part[TTP_BENCH_PART_RESULTS] = (struct ttp_part){.filled = true, .rows = rows};
    TTP_TRY(ttp_show_choose(&chosen, show, &rows, err));
    const struct ttp_bench_run *run = make_run(view->bench, &chosen, view->rates, show->arena);
    ttp_document_object(doc, TTP_BENCH_PART_RUN, run, run);
    return TTP_OK;
}

static ttp_code fill_sweep(struct ttp_document *doc, const struct ttp_show *show,
                           const struct ttp_bench_view *view, struct ttp_err *err)
{
    const struct ttp_sweep_result *r = view->sweep;
    struct ttp_bench_point *point = TTP_NEW(show->arena, struct ttp_bench_point, r->npoints);
    struct ttp_bench_sweep *sweep = TTP_NEW(show->arena, struct ttp_bench_sweep, 1);

    for (size_t i = 0; i < r->npoints; i++)
        point[i] = make_point(view, i, show->arena);
    ttp_document_rows(doc, TTP_BENCH_PART_POINTS, NULL, point, r->npoints);
    *sweep = (struct ttp_bench_sweep){r->planned, r->stopped, r->rate_unit, {0}};
    TTP_TRY(ttp_show_choose(&sweep->points, show, &doc->part[TTP_BENCH_PART_POINTS].rows, err));
    ttp_document_object(doc, TTP_BENCH_PART_SWEEP, NULL, sweep);
    return TTP_OK;
}

static const struct ttp_chart medians = {.kind = "bars",
                                         .part = "results",
                                         .title = "Results",
                                         .label = "variant",
                                         .y = "median",
                                         .color = "verdict",
                                         .help = "Median of each variant."};
static const struct ttp_html html = {.title = "Benchmark"};
static const struct ttp_html html_of_variants = {
    .title = "Benchmark", .chart = &medians, .charts = 1};

/* Bars compare variants by one metric: others have other units. */
static bool has_bars(const struct ttp_bench_view *view)
{
    return view->bench && !view->sweep && view->bench->nmetrics == 1 && view->bench->nvariants > 1;
}

ttp_code ttp_out_bench(const struct ttp_show *show, const struct ttp_bench_view *view,
                       struct ttp_err *err)
{
    struct ttp_page page = ttp_bench_page;
    struct ttp_bench_view known = *view;
    struct ttp_document doc;

    page.arg = view;
    page.html = has_bars(view) ? &html_of_variants : &html;
    if (known.git && !known.git->known)
        known.git = NULL;
    ttp_document_init(&doc,
                      ttp_form_flat(show->form) ? &ttp_bench_values_document
                      : view->sweep             ? &ttp_sweep_document
                                                : &ttp_bench_document,
                      show->arena);
    ttp_document_object(&doc, TTP_BENCH_PART_VIEW, NULL, &known);
    if (ttp_form_flat(show->form))
        fill_values(&doc, view, show->arena);
    else
        TTP_TRY(view->sweep ? fill_sweep(&doc, show, view, err) : fill_run(&doc, show, view, err));
    return ttp_show_document(show, &doc, &page, err);
}
