/* SPDX-License-Identifier: Apache-2.0 */
/* bench_files.c - reads earlier results, of tt-perf and other tools: docs/formats/benchmarks.md. */
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/json_tree.h"
#include "base/sink.h"
#include "base/vec.h"
#include "measure/measure.h"

/* Beyond this it is a log, not a result. */
#define TRIALS_MAX 50000

/* The trials of one variant, and how many of them have a value of each metric. */
struct column_fill {
    uint32_t *trial;
    size_t count;
    uint32_t filled[TTP_FILE_METRICS_MAX];
};

/* A bench that grows while a file is read. */
struct filling {
    struct ttp_bench *b;
    struct ttp_arena *arena;
    struct column_fill *fill; /* of each variant */
    struct ttp_err *err;
};

static const char *zstr(const struct filling *f, ttp_str s)
{
    return ttp_arena_zstr(f->arena, s);
}

static ttp_code fail_shape(const struct filling *f, const struct ttp_node *n, const char *what)
{
    return ttp_fail_at(f->err, TTP_EPARSE, n ? n->offset : 0, "%s", what);
}

static ttp_code metric_index(size_t *out, struct filling *f, const char *name, const char *unit,
                             enum ttp_better better)
{
    struct ttp_bench *b = f->b;

    for (size_t i = 0; i < b->nmetrics; i++)
        if (strcmp(b->metric[i].name, name) == 0) {
            *out = i;
            return TTP_OK;
        }
    if (b->nmetrics == TTP_FILE_METRICS_MAX)
        return ttp_fail(f->err, TTP_ELIMIT, "more than %d metrics", TTP_FILE_METRICS_MAX);
    *out = b->nmetrics;
    b->metric[b->nmetrics++] =
        (struct ttp_metric){.kind = TTP_METRIC_OTHER, .name = name, .unit = unit, .better = better};
    return TTP_OK;
}

static size_t add_variant(struct filling *f, const char *name)
{
    struct ttp_bench *b = f->b;

    TTP_ROOM(f->arena, b->variant, b->nvariants);
    TTP_ROOM(f->arena, f->fill, b->nvariants);
    b->variant[b->nvariants] = (struct ttp_variant){.name = name};
    return b->nvariants++;
}

static ttp_code add_trial(struct ttp_trial **out, struct filling *f, size_t variant)
{
    struct column_fill *c = &f->fill[variant];

    if (f->b->ntrials == TRIALS_MAX)
        return ttp_fail(f->err, TTP_ELIMIT, "more than %d runs", TRIALS_MAX);
    *TTP_PUSH(f->arena, c->trial, c->count) = (uint32_t)f->b->ntrials;
    *out = ttp_measure_bench_add_trial(f->b, variant, TTP_FILE_METRICS_MAX, f->arena);
    return TTP_OK;
}

/* The n-th value of a metric belongs to the n-th trial of its variant. */
static ttp_code add_value(struct filling *f, size_t variant, size_t metric, double v)
{
    struct column_fill *c = &f->fill[variant];
    const uint32_t nth = c->filled[metric]++;
    struct ttp_trial *t = NULL;

    if (nth < c->count)
        t = &f->b->trial[c->trial[nth]];
    else
        TTP_TRY(add_trial(&t, f, variant));
    assert(t);
    t->value[metric] = v;
    return TTP_OK;
}

/* ---- our own ---- */

static ttp_code own_trials(struct filling *f, const struct ttp_node *run, size_t first,
                           const size_t *metric, size_t nmetrics)
{
    for (const struct ttp_node *n = ttp_node_first_of(run, "trials"); n; n = n->next) {
        const double variant = ttp_node_f64_of(n, "variant");
        const ttp_str failure = ttp_node_str_of(n, "failure");
        const ttp_str taint = ttp_node_str_of(n, "taint");
        size_t k = 0;

        if (!(variant >= 0 && variant < (double)(f->b->nvariants - first)))
            return fail_shape(f, n, "a trial of an unknown variant");
        struct ttp_trial *t = NULL;
        TTP_TRY(add_trial(&t, f, first + (size_t)variant));
        assert(t);
        t->warm_up = ttp_node_true_of(n, "warm_up");
        t->failure = failure.len ? zstr(f, failure) : NULL;
        t->taint = taint.len ? zstr(f, taint) : NULL;
        for (const struct ttp_node *v = ttp_node_first_of(n, "values"); v && k < nmetrics;
             v = v->next)
            t->value[metric[k++]] = ttp_node_f64(v);
    }
    return TTP_OK;
}

/* `point`: the name of its only variant, if it is one of a sweep. */
static ttp_code own_run(struct filling *f, const struct ttp_node *run, const char *point)
{
    size_t metric[TTP_FILE_METRICS_MAX], n = 0;
    const size_t first = f->b->nvariants;

    for (const struct ttp_node *m = ttp_node_first_of(run, "metrics"); m; m = m->next) {
        if (n == TTP_FILE_METRICS_MAX)
            return fail_shape(f, m, "too many metrics");
        TTP_TRY(metric_index(&metric[n++], f, zstr(f, ttp_node_str_of(m, "name")),
                             zstr(f, ttp_node_str_of(m, "unit")),
                             ttp_measure_better_of(ttp_node_str_of(m, "better"))));
    }
    for (const struct ttp_node *v = ttp_node_first_of(run, "variants"); v; v = v->next)
        add_variant(f, point ? point : zstr(f, ttp_node_str_of(v, "name")));
    if (n == 0 || f->b->nvariants == first)
        return fail_shape(f, run, "a run without metrics or variants");
    return own_trials(f, run, first, metric, n);
}

static const char *own_point_name(const struct filling *f, const struct ttp_node *point)
{
    struct ttp_sink name;

    ttp_sink_to_arena(&name, f->arena);
    for (const struct ttp_node *s = ttp_node_first_of(point, "set"); s; s = s->next)
        ttp_sink_printf(&name, "%s%.*s=%.*s", name.len ? " " : "",
                        TTP_FMT(ttp_node_str_of(s, "name")), TTP_FMT(ttp_node_str_of(s, "value")));
    return zstr(f, ttp_sink_text(&name));
}

static ttp_code read_own(struct filling *f, const struct ttp_node *doc)
{
    const struct ttp_node *data = ttp_node_get(doc, "data");
    const struct ttp_node *sweep = ttp_node_get(data, "sweep");

    f->b->machine_key = zstr(f, ttp_node_str_of(ttp_node_get(data, "machine"), "key"));
    if (!sweep)
        return own_run(f, ttp_node_get(data, "run"), NULL);
    for (const struct ttp_node *p = ttp_node_first_of(sweep, "points"); p; p = p->next)
        TTP_TRY(own_run(f, ttp_node_get(p, "run"), own_point_name(f, p)));
    return TTP_OK;
}

/* ---- tt-metal's CompleteBenchmarkRun ---- */

/* It has no units: some are in the names, some are known. */
static enum ttp_better better_by_name(ttp_str name)
{
    static const char *const higher[] = {"per_sec",     "/s",    "tokens_s",  "throughput", "fps",
                                         "t/s",         "tok_s", "accuracy",  "top1",       "top5",
                                         "pearson",     "pcc",   "samples_s", "bandwidth",  "flops",
                                         "_per_second", "t_s_u", "qps"};

    for (size_t i = 0; i < TTP_COUNT(higher); i++)
        if (ttp_str_has(name, ttp_str_from(higher[i])))
            return TTP_BETTER_HIGHER;
    return TTP_BETTER_LOWER;
}

/* The variant of that name, a new one if there is none. */
static size_t named_variant(struct filling *f, ttp_str name)
{
    for (size_t i = 0; i < f->b->nvariants; i++)
        if (ttp_str_eq(ttp_str_from(f->b->variant[i].name), name))
            return i;
    return add_variant(f, zstr(f, name));
}

/* `model`: whose measurements they are; in what we wrote ourselves steps are the variants. */
static ttp_code complete_measurement(struct filling *f, const struct ttp_node *doc,
                                     const struct ttp_node *m, ttp_str model)
{
    const struct ttp_node *config = ttp_node_get(doc, "config_params");
    const bool ours = ttp_str_eq(ttp_node_str_of(config, "tool"), TTP_STR("tt-perf bench"));
    const ttp_str name = ttp_node_str_of(m, "name");
    const ttp_str step = ttp_node_str_of(m, "step_name");
    const double value = ttp_node_f64_of(m, "value");
    const struct ttp_node *units = ttp_node_get(config, "units");
    struct ttp_sink full;
    size_t metric;

    if (name.len == 0 || !isfinite(value))
        return fail_shape(f, m, "a measurement without a name or a finite value");
    ttp_sink_to_arena(&full, f->arena);
    if (step.len && !ours)
        ttp_sink_printf(&full, "%.*s: ", TTP_FMT(step));
    ttp_sink_put(&full, name);
    const char *unit = zstr(f, ttp_node_str_of(units, zstr(f, name)));
    TTP_TRY(metric_index(&metric, f, zstr(f, ttp_sink_text(&full)), unit,
                         *unit ? ttp_measure_metric_unit_better(ttp_str_from(unit))
                               : better_by_name(name)));
    return add_value(f, named_variant(f, ours ? step : model), metric, value);
}

/* More documents of one model are more runs of it. */
static ttp_code read_complete(struct filling *f, const struct ttp_node *doc)
{
    const ttp_str model = ttp_node_str_of(doc, "ml_model_name");
    const ttp_str host = ttp_node_str_of(doc, "device_hostname");
    const struct ttp_node *m = ttp_node_first_of(doc, "measurements");

    f->b->machine_key = ttp_str_eq(host, TTP_STR("unknown")) ? "" : zstr(f, host);
    for (; m; m = m->next)
        TTP_TRY(complete_measurement(f, doc, m, model));
    return TTP_OK;
}

/* ---- Google Benchmark ---- */

static ttp_code google_value(struct filling *f, const struct ttp_node *entry, const char *name,
                             const char *member, const char *unit)
{
    const double v = ttp_node_f64_of(entry, member);
    size_t metric;

    if (!isfinite(v))
        return TTP_OK;
    TTP_TRY(
        metric_index(&metric, f, name, unit, ttp_measure_metric_unit_better(ttp_str_from(unit))));
    return add_value(f, 0, metric, v);
}

static const char *joined(const struct filling *f, ttp_str a, const char *b)
{
    return zstr(f, ttp_sink_format(f->arena, "%.*s %s", TTP_FMT(a), b));
}

/* Single runs if there are some; files that keep only aggregates have their means. */
static bool google_counts(const struct ttp_node *entry, bool any_single)
{
    const bool aggregate = ttp_str_eq(ttp_node_str_of(entry, "run_type"), TTP_STR("aggregate"));

    if (ttp_node_true_of(entry, "error_occurred"))
        return false;
    return any_single ? !aggregate
                      : ttp_str_eq(ttp_node_str_of(entry, "aggregate_name"), TTP_STR("mean"));
}

static ttp_code google_entry(struct filling *f, const struct ttp_node *e)
{
    const ttp_str run = ttp_node_str_of(e, "run_name");
    const ttp_str name = run.len ? run : ttp_node_str_of(e, "name");
    const ttp_str unit = ttp_node_str_of(e, "time_unit");

    if (name.len == 0)
        return fail_shape(f, e, "a benchmark without a name");
    TTP_TRY(google_value(f, e, zstr(f, name), "real_time", unit.len ? zstr(f, unit) : "ns"));
    TTP_TRY(google_value(f, e, joined(f, name, "bytes"), "bytes_per_second", "bytes/s"));
    return google_value(f, e, joined(f, name, "items"), "items_per_second", "items/s");
}

static ttp_code read_google(struct filling *f, const struct ttp_node *doc)
{
    const struct ttp_node *first = ttp_node_first_of(doc, "benchmarks");
    const struct ttp_node *context = ttp_node_get(doc, "context");
    const ttp_str program = ttp_node_str_of(context, "executable");
    bool any_single = false;

    add_variant(f, program.len ? zstr(f, program) : "benchmarks");
    f->b->machine_key = zstr(f, ttp_node_str_of(context, "host_name"));
    for (const struct ttp_node *e = first; e; e = e->next)
        any_single = any_single || google_counts(e, true);
    for (const struct ttp_node *e = first; e; e = e->next)
        if (google_counts(e, any_single))
            TTP_TRY(google_entry(f, e));
    return TTP_OK;
}

/* ---- hyperfine ---- */

static ttp_code read_hyperfine(struct filling *f, const struct ttp_node *doc)
{
    size_t metric;

    TTP_TRY(metric_index(&metric, f, "wall", "s", TTP_BETTER_LOWER));
    for (const struct ttp_node *r = ttp_node_first_of(doc, "results"); r; r = r->next) {
        const size_t v = add_variant(f, zstr(f, ttp_node_str_of(r, "command")));
        const struct ttp_node *code = ttp_node_first_of(r, "exit_codes");

        for (const struct ttp_node *t = ttp_node_first_of(r, "times"); t; t = t->next) {
            struct ttp_trial *trial = NULL;

            TTP_TRY(add_trial(&trial, f, v));
            assert(trial);
            trial->value[metric] = ttp_node_f64(t);
            if (code && code->kind == TTP_JSON_NUMBER && ttp_node_f64(code) != 0)
                trial->failure = "exit status other than 0";
            code = code ? code->next : NULL;
        }
    }
    return TTP_OK;
}

/* ---- tt-perf doctor ---- */

/* One rate, in bytes per second; "host-to-device 0" is of device 0. */
static ttp_code doctor_rate(struct filling *f, const struct ttp_node *r)
{
    const ttp_str name = ttp_node_str_of(r, "name");
    const double device = ttp_node_f64_of(r, "device");
    const bool former = ttp_node_get(r, "median_bytes_s"); /* before rates were in GB/s */
    const double scale = former ? 1 : 1e9;
    const double median = scale * ttp_node_f64_of(r, former ? "median_bytes_s" : "median_gbs");
    const struct ttp_node *sample =
        ttp_node_first_of(r, former ? "samples_bytes_s" : "samples_gbs");
    char number[16] = "";
    size_t metric;

    if (name.len == 0 || !isfinite(median)) /* it was not measured */
        return TTP_OK;
    if (device >= 0 && device < 1e6)
        snprintf(number, sizeof(number), "%.0f", device);
    TTP_TRY(metric_index(&metric, f, number[0] ? joined(f, name, number) : zstr(f, name), "bytes/s",
                         TTP_BETTER_HIGHER));
    if (!sample)
        return add_value(f, 0, metric, median);
    for (; sample; sample = sample->next)
        TTP_TRY(add_value(f, 0, metric, scale * ttp_node_f64(sample)));
    return TTP_OK;
}

static ttp_code read_doctor(struct filling *f, const struct ttp_node *doc)
{
    const struct ttp_node *rates =
        ttp_node_get(ttp_node_get(ttp_node_get(doc, "data"), "bandwidth"), "rates");

    if (!rates)
        return fail_shape(f, doc, "no bandwidths: it was made without 'doctor --bandwidth'");
    add_variant(f, "bandwidth");
    for (const struct ttp_node *r = ttp_node_first(rates); r; r = r->next)
        TTP_TRY(doctor_rate(f, r));
    return TTP_OK;
}

/* ---- which is it? ---- */

static const struct {
    const char *name;
    const char *has[3]; /* members that tell it from the others */
    ttp_code (*read)(struct filling *f, const struct ttp_node *doc);
} readers[] = {
    {"tt-perf bench", {"schema", "data", "tool"}, read_own},
    {"CompleteBenchmarkRun", {"measurements", "ml_model_name", "run_start_ts"}, read_complete},
    {"Google Benchmark", {"benchmarks", "context", NULL}, read_google},
    {"hyperfine", {"results", NULL, NULL}, read_hyperfine},
};

static void say_what_is_read(struct ttp_err *err)
{
    ttp_err_hint(err, "supported: JSON of tt-perf bench and doctor --bandwidth, tt-metal's "
                      "CompleteBenchmarkRun, Google "
                      "Benchmark and hyperfine");
}

static ttp_code read_document(struct filling *f, const struct ttp_node *doc)
{
    const ttp_str schema = ttp_node_str_of(doc, "schema");

    if (ttp_str_starts(schema, TTP_STR("tt-perf.doctor/"))) {
        f->b->format = "tt-perf doctor";
        return read_doctor(f, doc);
    }
    /* what 0.1 wrote, and what is written now */
    if (schema.len && !ttp_str_eq(schema, TTP_STR("tt-perf.bench/1")) &&
        !ttp_str_eq(schema, TTP_STR("tt-perf.bench/2")))
        return ttp_fail_at(f->err, TTP_EPARSE, doc->offset, "'%.*s' is not a bench result",
                           TTP_FMT(ttp_str_slice(schema, 0, 60)));
    for (size_t i = 0; i < TTP_COUNT(readers); i++) {
        bool all = true;

        for (size_t k = 0; k < TTP_COUNT(readers[i].has) && readers[i].has[k]; k++)
            all = all && ttp_node_get(doc, readers[i].has[k]);
        if (!all)
            continue;
        f->b->format = readers[i].name;
        return readers[i].read(f, doc);
    }
    ttp_fail_at(f->err, TTP_EPARSE, doc->offset, "not a benchmark result");
    say_what_is_read(f->err);
    return TTP_EPARSE;
}

ttp_code ttp_measure_bench_read(struct ttp_bench *out, ttp_str text, struct ttp_arena *arena,
                                struct ttp_err *err)
{
    struct filling f = {.b = out, .arena = arena, .err = err};
    struct ttp_node *docs;

    *out = (struct ttp_bench){.machine_key = ""};
    out->metric = TTP_NEW(arena, struct ttp_metric, TTP_FILE_METRICS_MAX);
    const ttp_code rc = ttp_json_tree(&docs, text, arena, err);
    if (rc != TTP_OK) {
        say_what_is_read(err);
        return rc;
    }
    if (!docs)
        return ttp_fail_at(err, TTP_EPARSE, 0, "an empty file");
    /* a list of documents is as good as one after the other */
    const struct ttp_node *first =
        docs->kind == TTP_JSON_ARRAY_BEGIN && !docs->next ? docs->child : docs;
    for (const struct ttp_node *d = first; d; d = d->next)
        TTP_TRY(read_document(&f, d));
    if (out->nmetrics == 0 || out->ntrials == 0)
        return ttp_fail_at(err, TTP_EPARSE, 0, "no measurements in the file");
    return TTP_OK;
}
