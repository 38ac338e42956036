/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schemas/tt-perf.bench-1.json describes what is written here. */
#include <math.h>
#include <stdio.h>

#include "outputs/bench_words.h"
#include "outputs/host/host_fields.h"
#include "outputs/json_members.h"
#include "outputs/json_time.h"

static const char *const end_words[] = {[TTP_CHILD_EXITED] = "exited",
                                        [TTP_CHILD_SIGNALED] = "signaled",
                                        [TTP_CHILD_TIMED_OUT] = "timed_out",
                                        [TTP_CHILD_INTERRUPTED] = "interrupted"};
static const char *const kind_words[] = {[TTP_METRIC_WALL] = "wall",
                                         [TTP_METRIC_PRINTED] = "printed",
                                         [TTP_METRIC_DEVICE] = "device",
                                         [TTP_METRIC_OTHER] = "other"};

static void put_git(struct ttp_json_writer *w, const struct ttp_git_state *g)
{
    ttp_json_put_key(w, TTP_STR("git"));
    if (!g || !g->known) {
        ttp_json_put_null(w);
        return;
    }
    ttp_json_begin_object(w);
    ttp_member_str(w, "repository", g->repository);
    ttp_member_str(w, "commit", g->commit);
    ttp_member_str(w, "commit_time", g->commit_time);
    ttp_member_str_or_null(w, "branch", g->branch);
    ttp_member_bool(w, "dirty", g->dirty);
    ttp_json_end_object(w);
}

static void put_words(struct ttp_json_writer *w, const char *key, const char *const *word,
                      size_t count)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        ttp_json_put_str(w, ttp_str_from(word[i]));
    ttp_json_end_array(w);
}

static void put_metrics(struct ttp_json_writer *w, const struct ttp_bench *b)
{
    ttp_json_put_key(w, TTP_STR("metrics"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < b->nmetrics; i++) {
        const struct ttp_metric *m = &b->metric[i];

        ttp_json_begin_object(w);
        ttp_member_str(w, "name", ttp_str_from(m->name));
        ttp_member_str(w, "unit", ttp_str_from(m->unit));
        ttp_member_text(w, "better", ttp_better_word(m->better));
        ttp_member_str(w, "kind", ttp_str_from(kind_words[m->kind]));
        ttp_member_str_or_null(w, "regex", ttp_str_from(m->regex));
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_versus(struct ttp_json_writer *w, const struct ttp_versus *v,
                       const struct ttp_metric *m)
{
    ttp_json_begin_object(w);
    ttp_member_text(w, "verdict", ttp_verdict_word(v->verdict, m->better));
    ttp_member_f64(w, "p", v->test.p);
    ttp_member_f64(w, "u", v->test.u);
    ttp_member_bool(w, "exact", v->test.exact);
    ttp_member_f64(w, "change_pct", v->change.estimate * 100);
    ttp_member_f64(w, "change_low_pct", v->change.interval.low * 100);
    ttp_member_f64(w, "change_high_pct", v->change.interval.high * 100);
    ttp_member_f64(w, "confidence_pct", v->change.interval.confidence * 100);
    ttp_member_f64(w, "shift", v->shift.estimate);
    ttp_member_u64(w, "more_runs", v->more_runs);
    ttp_json_end_object(w);
}

static void put_sample(struct ttp_json_writer *w, const struct ttp_bench *b, size_t variant,
                       size_t metric, struct ttp_arena *arena)
{
    size_t n;
    const double *v = ttp_bench_values(&n, b, variant, metric, arena);
    const struct ttp_sample s = ttp_stats_sample(v, n, b->confidence, arena);
    const struct ttp_drift d = ttp_stats_drift(v, n, arena);

    ttp_json_begin_object(w);
    ttp_member_str(w, "name", ttp_str_from(b->metric[metric].name));
    ttp_member_u64(w, "runs", n);
    ttp_member_f64(w, "median", s.median);
    ttp_member_f64(w, "median_low", s.median_interval.low);
    ttp_member_f64(w, "median_high", s.median_interval.high);
    ttp_member_f64(w, "median_confidence_pct", s.median_interval.confidence * 100);
    ttp_member_f64(w, "mean", s.mean);
    ttp_member_f64(w, "std", s.sd);
    ttp_member_f64(w, "rsd_pct", s.rsd * 100);
    ttp_member_f64(w, "min", s.min);
    ttp_member_f64(w, "p25", s.p25);
    ttp_member_f64(w, "p75", s.p75);
    ttp_member_f64(w, "p95", s.p95);
    ttp_member_f64(w, "max", s.max);
    ttp_member_u64(w, "outliers", s.outliers);
    ttp_member_u64(w, "far_outliers", s.far_outliers);
    ttp_member_f64(w, "drift_p", d.p);
    ttp_member_f64(w, "drift_per_run", d.slope);
    ttp_json_put_key(w, TTP_STR("versus_first"));
    if (variant == 0) {
        ttp_json_put_null(w);
    } else {
        const struct ttp_versus versus = ttp_bench_versus(b, variant, metric, arena);
        put_versus(w, &versus, &b->metric[metric]);
    }
    ttp_json_end_object(w);
}

static void put_rates(struct ttp_json_writer *w, const struct ttp_bench_rates *r)
{
    ttp_json_put_key(w, TTP_STR("rates"));
    if (!r) {
        ttp_json_put_null(w);
        return;
    }
    ttp_json_begin_object(w);
    ttp_member_f64(w, "bytes_per_s", r->rates.bytes_s);
    ttp_member_f64(w, "flops_per_s", r->rates.flops_s);
    ttp_member_f64(w, "items_per_s", r->rates.items_s);
    ttp_member_f64(w, "roofline_pct", r->roof_pct);
    ttp_json_end_object(w);
}

static void put_variants(struct ttp_json_writer *w, const struct ttp_bench *b,
                         const struct ttp_bench_rates *rates, struct ttp_arena *arena)
{
    ttp_json_put_key(w, TTP_STR("variants"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < b->nvariants; i++) {
        const struct ttp_variant *v = &b->variant[i];
        size_t words = 0;

        while (v->argv && v->argv[words])
            words++;
        ttp_json_begin_object(w);
        ttp_member_str(w, "label", ttp_bench_label(i, arena));
        ttp_member_str(w, "name", ttp_str_from(v->name));
        put_words(w, "command", v->argv, words);
        put_words(w, "environment", v->env.word, v->env.count);
        put_rates(w, rates ? &rates[i] : NULL);
        ttp_json_put_key(w, TTP_STR("metrics"));
        ttp_json_begin_array(w);
        for (size_t k = 0; k < b->nmetrics; k++)
            put_sample(w, b, i, k, arena);
        ttp_json_end_array(w);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_trial(struct ttp_json_writer *w, const struct ttp_bench *b,
                      const struct ttp_trial *t)
{
    ttp_json_begin_object(w);
    ttp_member_u64(w, "variant", t->variant);
    ttp_member_bool(w, "warm_up", t->warm_up);
    ttp_member_time(w, "start_time", t->start_ns);
    ttp_member_f64(w, "wall_s", (double)t->wall_ns / 1e9);
    ttp_member_f64(w, "user_s", (double)t->user_ns / 1e9);
    ttp_member_f64(w, "system_s", (double)t->system_ns / 1e9);
    ttp_member_u64(w, "max_rss_bytes", t->max_rss_kb * 1024);
    ttp_member_str(w, "ended", ttp_str_from(end_words[t->end]));
    ttp_member_u64(w, "code", (uint64_t)t->code);
    ttp_member_str_or_null(w, "failure", ttp_str_from(t->failure));
    ttp_member_str_or_null(w, "taint", ttp_str_from(t->taint));
    ttp_member_f64(w, "aiclk_min_mhz", t->machine.aiclk_min_mhz);
    ttp_member_f64(w, "aiclk_max_mhz", t->machine.aiclk_max_mhz);
    ttp_member_f64(w, "temperature_max_c", t->machine.temperature_max_c);
    ttp_member_f64(w, "power_w", t->machine.power_w);
    ttp_member_f64(w, "load", t->machine.load);
    ttp_json_put_key(w, TTP_STR("values"));
    ttp_json_begin_array(w);
    for (size_t k = 0; k < b->nmetrics; k++)
        ttp_json_put_f64(w, t->value[k]);
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

/* What a run and a point of a sweep have in common. */
static void put_bench(struct ttp_json_writer *w, const struct ttp_bench *b,
                      const struct ttp_bench_rates *rates, struct ttp_arena *arena)
{
    ttp_member_time(w, "start_time", b->start_ns);
    ttp_member_time(w, "end_time", b->end_ns);
    ttp_member_f64(w, "confidence_pct", b->confidence * 100);
    ttp_member_f64(w, "look_confidence_pct", b->look_confidence * 100);
    ttp_member_u64(w, "looks_planned", b->looks_planned);
    ttp_member_f64(w, "min_effect_pct", b->min_effect * 100);
    ttp_member_str_or_null(w, "stopped", ttp_str_from(b->stopped));
    ttp_member_u64(w, "interrupted_by", (uint64_t)b->interrupted);
    put_metrics(w, b);
    put_variants(w, b, rates, arena);
    ttp_json_put_key(w, TTP_STR("trials"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < b->ntrials; i++)
        put_trial(w, b, &b->trial[i]);
    ttp_json_end_array(w);
}

static void put_point(struct ttp_json_writer *w, const struct ttp_bench_view *view, size_t i,
                      struct ttp_arena *arena)
{
    const struct ttp_sweep_point *p = &view->sweep->point[i];

    ttp_json_begin_object(w);
    ttp_json_put_key(w, TTP_STR("set"));
    ttp_json_begin_array(w);
    for (size_t k = 0; k < p->set.count; k++) {
        const ttp_str word = ttp_str_from(p->set.word[k]);
        const size_t sign = ttp_str_find_char(word, '=');

        ttp_json_begin_object(w);
        ttp_member_str(w, "name", ttp_str_slice(word, 0, sign));
        ttp_member_str(w, "value", ttp_str_slice(word, sign + 1, word.len));
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_member_str_or_null(w, "failure", ttp_str_from(p->failure));
    ttp_member_f64(w, "latency_s", p->latency_s);
    ttp_member_f64(w, "throughput", p->throughput);
    ttp_member_f64(w, "gain_pct", p->gain * 100);
    ttp_member_bool(w, "pareto", p->pareto);
    ttp_member_bool(w, "best", i == view->sweep->best);
    ttp_json_put_key(w, TTP_STR("run"));
    ttp_json_begin_object(w);
    put_bench(w, &p->bench, view->rates ? &view->rates[i] : NULL, arena);
    ttp_json_end_object(w);
    ttp_json_end_object(w);
}

void ttp_out_bench_json(struct ttp_json_writer *w, const struct ttp_bench_view *view,
                        struct ttp_arena *arena)
{
    const struct ttp_sweep_result *r = view->sweep;

    ttp_json_begin_object(w);
    put_git(w, view->git);
    ttp_member_machine(w, view->machine);
    ttp_member_str_or_null(w, "roof", ttp_str_from(view->roof));
    if (!r) {
        ttp_json_put_key(w, TTP_STR("run"));
        ttp_json_begin_object(w);
        put_bench(w, view->bench, view->rates, arena);
        ttp_json_end_object(w);
        ttp_json_end_object(w);
        return;
    }
    ttp_json_put_key(w, TTP_STR("sweep"));
    ttp_json_begin_object(w);
    ttp_member_u64(w, "points_planned", r->planned);
    ttp_member_str_or_null(w, "stopped", ttp_str_from(r->stopped));
    ttp_member_str(w, "throughput_unit", ttp_str_from(r->rate_unit));
    ttp_json_put_key(w, TTP_STR("points"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < r->npoints; i++)
        put_point(w, view, i, arena);
    ttp_json_end_array(w);
    ttp_json_end_object(w);
    ttp_json_end_object(w);
}
