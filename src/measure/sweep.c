/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.c - one measurement per value of a parameter, until larger values gain nothing. */
#include <math.h>

#include "base/num.h"
#include "measure/measure.h"
#include "measure/measure_internal.h"

/* Two in a row: one may be noise. */
#define WEAK_GAINS 2

double ttp_measure_metric_unit_seconds(ttp_str unit)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1},     {"sec", 1},   {"seconds", 1}, {"ms", 1e-3}, {"us", 1e-6},
                 {"μs", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9},   {"min", 60},  {"h", 3600}};

    for (size_t i = 0; i < TTP_COUNT(units); i++)
        if (ttp_str_eq(ttp_str_trim(unit), ttp_str_from(units[i].unit)))
            return units[i].seconds;
    return NAN;
}

static ttp_code factor(double *out, const char *text, const struct ttp_words *set,
                       struct ttp_err *err)
{
    *out = 1;
    return text ? ttp_measure_sweep_product(out, text, set, err) : TTP_OK;
}

ttp_code ttp_measure_work_rates(struct ttp_rates *out, const struct ttp_work *work,
                                const struct ttp_words *set, double seconds, struct ttp_err *err)
{
    double in, back, times, flops, items;

    TTP_TRY(factor(&in, work->bytes_in, set, err));
    TTP_TRY(factor(&back, work->bytes_out, set, err));
    TTP_TRY(factor(&times, work->iterations, set, err));
    TTP_TRY(factor(&flops, work->flops, set, err));
    TTP_TRY(factor(&items, work->items, set, err));
    const double bytes = (work->bytes_in ? in : 0) + (work->bytes_out ? back : 0);
    const bool any = seconds > 0;
    out->bytes_s = any && (work->bytes_in || work->bytes_out) ? bytes * times / seconds : NAN;
    out->flops_s = any && work->flops ? flops * times / seconds : NAN;
    out->items_s = any && work->items ? items * times / seconds : NAN;
    return TTP_OK;
}

/* ---- one point ---- */

struct sweeping {
    struct ttp_sweep_result *out;
    const struct ttp_sweep_options *options;
    struct ttp_signals *signals;
    struct ttp_arena *arena;
    struct ttp_err *err;
    size_t rate_metric; /* TTP_NPOS: none */
    const char *items;  /* what one run does, if nothing better is known: "{BATCH}" */
};

static double median_of(const struct ttp_bench *b, size_t metric, struct ttp_arena *arena)
{
    const struct ttp_mark mark = ttp_arena_mark(arena);
    size_t n;
    const double *v = ttp_measure_bench_values(&n, b, 0, metric, arena);
    const double median = ttp_stats_quantile(ttp_stats_sorted(v, n, arena), n, 0.5);

    ttp_arena_rewind(arena, mark);
    return median;
}

/* After a run: only then the units of printed values may be known. */
static void choose_metrics(struct sweeping *s)
{
    const struct ttp_sweep_options *o = s->options;
    struct ttp_sweep_result *r = s->out;
    double v;

    r->latency_metric = s->rate_metric = TTP_NPOS;
    for (size_t i = o->nmetrics; i > 0; i--) {
        const struct ttp_metric *m = &o->metric[i - 1];

        if (m->better == TTP_BETTER_HIGHER)
            s->rate_metric = i - 1;
        else if (isfinite(ttp_measure_metric_unit_seconds(ttp_str_from(m->unit))))
            r->latency_metric = i - 1;
    }
    s->items = o->work.items;
    if (s->rate_metric != TTP_NPOS) {
        r->rate = TTP_RATE_METRIC;
        r->rate_unit = o->metric[s->rate_metric].unit;
    } else if (o->work.items) {
        r->rate = TTP_RATE_ITEMS;
        r->rate_unit = "items/s";
    } else if (o->work.bytes_in || o->work.bytes_out) {
        r->rate = TTP_RATE_BYTES;
        r->rate_unit = "GB/s";
    } else if (o->work.flops) {
        r->rate = TTP_RATE_FLOPS;
        r->rate_unit = "GFLOP/s";
    } else if (ttp_str_to_f64(ttp_str_from(r->sweep[0].value[0]), &v)) {
        const size_t n = strlen(r->sweep[0].name);
        char *items = ttp_arena_bytes(s->arena, n + 3);

        items[0] = '{';
        memcpy(items + 1, r->sweep[0].name, n);
        memcpy(items + 1 + n, "}", 2);
        s->items = items;
        r->rate = TTP_RATE_ITEMS;
        r->rate_unit = "items/s";
    }
}

static ttp_code judge_point(struct sweeping *s, struct ttp_sweep_point *p)
{
    const struct ttp_bench *b = &p->bench;
    struct ttp_work work = s->options->work;
    struct ttp_rates rates;

    choose_metrics(s);
    if (s->out->latency_metric != TTP_NPOS)
        p->latency_s =
            median_of(b, s->out->latency_metric, s->arena) *
            ttp_measure_metric_unit_seconds(ttp_str_from(b->metric[s->out->latency_metric].unit));
    work.items = s->items;
    TTP_TRY(ttp_measure_work_rates(&rates, &work, &p->set, p->latency_s, s->err));
    switch (s->out->rate) {
    case TTP_RATE_METRIC:
        p->throughput = median_of(b, s->rate_metric, s->arena);
        break;
    case TTP_RATE_BYTES:
        p->throughput = rates.bytes_s / 1e9;
        break;
    case TTP_RATE_FLOPS:
        p->throughput = rates.flops_s / 1e9;
        break;
    case TTP_RATE_ITEMS:
        p->throughput = rates.items_s;
        break;
    case TTP_RATE_NONE:
        break;
    }
    return TTP_OK;
}

static ttp_code run_point(struct sweeping *s, struct ttp_sweep_point *p, size_t number)
{
    const struct ttp_sweep_options *o = s->options;
    struct ttp_variant *v = TTP_NEW(s->arena, struct ttp_variant, 1);
    size_t rest = number;

    p->set.word = TTP_NEW(s->arena, const char *, s->out->nsweeps);
    p->set.count = s->out->nsweeps;
    for (size_t i = s->out->nsweeps; i > 0; i--) { /* the last parameter moves fastest */
        const struct ttp_sweep *one = &s->out->sweep[i - 1];
        const char *value = one->value[rest % one->count];
        const size_t name = strlen(one->name), len = strlen(value);
        char *word = ttp_arena_bytes(s->arena, name + len + 2);

        memcpy(word, one->name, name);
        word[name] = '=';
        memcpy(word + name + 1, value, len + 1);
        p->set.word[i - 1] = word;
        rest /= one->count;
    }
    *v = *o->variant;
    v->argv = ttp_measure_sweep_fill(o->variant->argv, &p->set, s->arena);
    v->env.count = o->variant->env.count + p->set.count;
    v->env.word = TTP_NEW(s->arena, const char *, v->env.count);
    for (size_t i = 0; i < v->env.count; i++)
        v->env.word[i] = i < o->variant->env.count ? o->variant->env.word[i]
                                                   : p->set.word[i - o->variant->env.count];
    p->bench = (struct ttp_bench){
        .metric = o->metric, .nmetrics = o->nmetrics, .variant = v, .nvariants = 1};
    p->latency_s = p->throughput = p->gain = NAN;
    const ttp_code rc = ttp_measure_run(&p->bench, o->measure, s->signals, s->arena, s->err);
    if (rc == TTP_EPARSE && p->bench.ntrials) {
        const struct ttp_trial *last = &p->bench.trial[p->bench.ntrials - 1];

        p->failure =
            last->failure ? last->failure : ttp_arena_zstr(s->arena, ttp_str_from(s->err->text));
        *s->err = (struct ttp_err){0};
        return TTP_OK;
    }
    TTP_TRY(rc);
    return judge_point(s, p);
}

/* ---- all of them ---- */

static void mark_pareto(struct ttp_sweep_result *r)
{
    for (size_t i = 0; i < r->npoints; i++) {
        struct ttp_sweep_point *p = &r->point[i];

        p->pareto = !p->failure && isfinite(p->latency_s) && isfinite(p->throughput);
        for (size_t j = 0; p->pareto && j < r->npoints; j++) {
            const struct ttp_sweep_point *q = &r->point[j];
            const bool as_good =
                !q->failure && q->latency_s <= p->latency_s && q->throughput >= p->throughput;

            if (as_good && (q->latency_s < p->latency_s || q->throughput > p->throughput))
                p->pareto = false;
        }
    }
}

static void find_best(struct ttp_sweep_result *r, double cap_s)
{
    r->best = TTP_NPOS;
    for (size_t i = 0; i < r->npoints; i++) {
        const struct ttp_sweep_point *p = &r->point[i];
        const struct ttp_sweep_point *best = r->best == TTP_NPOS ? NULL : &r->point[r->best];

        if (p->failure || !isfinite(p->latency_s) || (cap_s > 0 && p->latency_s > cap_s))
            continue;
        if (!best || (isfinite(p->throughput) ? p->throughput > best->throughput
                                              : p->latency_s < best->latency_s))
            r->best = i;
    }
}

/* Why no further point should be run; NULL: continue. */
static const char *why_stop(const struct sweeping *s, const struct ttp_sweep_point *p, size_t *weak)
{
    if (p->bench.interrupted)
        return "interrupted";
    if (s->options->exhaustive || s->out->nsweeps > 1)
        return NULL;
    if (p->failure)
        return "the command failed";
    if (s->options->latency_cap_s > 0 && p->latency_s > s->options->latency_cap_s)
        return "slower than the latency cap";
    if (isfinite(p->gain))
        *weak = p->gain < s->options->min_gain ? *weak + 1 : 0;
    return *weak >= WEAK_GAINS ? "two gains in a row were too small" : NULL;
}

ttp_code ttp_measure_sweep(struct ttp_sweep_result *out, const struct ttp_sweep *sweep,
                           size_t nsweeps, const struct ttp_sweep_options *o,
                           struct ttp_signals *signals, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    struct ttp_err own = {0};
    struct sweeping s = {
        .out = out, .options = o, .signals = signals, .arena = arena, .err = err ? err : &own};
    size_t weak = 0;

    *out = (struct ttp_sweep_result){.sweep = sweep,
                                     .nsweeps = nsweeps,
                                     .planned = 1,
                                     .rate_unit = "",
                                     .best = TTP_NPOS,
                                     .latency_metric = TTP_NPOS};
    for (size_t i = 0; i < nsweeps; i++) {
        if (sweep[i].count > TTP_SWEEP_VALUES_MAX / out->planned)
            return ttp_fail(err, TTP_ELIMIT, "more than %d combinations", TTP_SWEEP_VALUES_MAX);
        out->planned *= sweep[i].count;
    }
    out->point = TTP_NEW(arena, struct ttp_sweep_point, out->planned);
    while (out->npoints < out->planned && !out->stopped) {
        struct ttp_sweep_point *p = &out->point[out->npoints];

        TTP_TRY(run_point(&s, p, out->npoints));
        if (out->npoints && !p->failure && p[-1].throughput > 0)
            p->gain = p->throughput / p[-1].throughput - 1;
        out->npoints++;
        out->interrupted = p->bench.interrupted;
        out->stopped = why_stop(&s, p, &weak);
    }
    mark_pareto(out);
    find_best(out, o->latency_cap_s);
    return TTP_OK;
}
