/* SPDX-License-Identifier: Apache-2.0 */
/* history_export.c - stored runs for other programs: as one table, and as metrics. */
#include "base/order.h"
#include "outputs/history/history_fields.h"
#include "outputs/show/prometheus.h"

/* ---- the table ---- */

static size_t samples_of(const struct ttp_history_run *r)
{
    size_t count = 0;

    for (size_t m = 0; m < r->measures; m++)
        count += r->measure[m].count;
    return count;
}

static struct ttp_history_exported *add_values(struct ttp_history_exported *to,
                                               const struct ttp_history_run *run,
                                               struct ttp_arena *arena)
{
    for (size_t i = 0; i < run->measures; i++) {
        const struct ttp_run_measure *m = &run->measure[i];
        const char *unit = ttp_arena_zstr(arena, m->unit);

        for (size_t k = 0; k < m->count; k++)
            *to++ = (struct ttp_history_exported){
                .of.value = {m->metric, m->variant, unit, m->better, k, m->sample[k]}, .run = run};
    }
    return to;
}

static struct ttp_history_exported *add_ops(struct ttp_history_exported *to,
                                            const struct ttp_history_run *run)
{
    for (size_t i = 0; i < run->ops; i++)
        *to++ = (struct ttp_history_exported){
            .of.op = {i, run->op[i].device >= 0, run->op[i].cores >= 0, run->op[i]}, .run = run};
    return to;
}

ttp_code ttp_out_history_export(const struct ttp_show *show, const struct ttp_history_about *about,
                                const struct ttp_history_runs *runs, bool ops, struct ttp_err *err)
{
    const size_t part = ops ? TTP_EXPORT_PART_OPS : TTP_EXPORT_PART_VALUES;
    struct ttp_document doc;
    size_t count = 0;

    for (size_t i = 0; i < runs->count; i++)
        count += ops ? runs->run[i].ops : samples_of(&runs->run[i]);
    struct ttp_history_exported *row = TTP_NEW(show->arena, struct ttp_history_exported, count);
    struct ttp_history_exported *to = row;
    for (size_t i = 0; i < runs->count; i++)
        to = ops ? add_ops(to, &runs->run[i]) : add_values(to, &runs->run[i], show->arena);
    ttp_document_init(&doc, ops ? &ttp_history_export_ops_document : &ttp_history_export_document,
                      show->arena);
    ttp_document_object(&doc, TTP_HISTORY_PART_ABOUT, NULL, about);
    ttp_document_rows(&doc, part, NULL, row, count);
    return ttp_show_document(show, &doc, NULL, err);
}

/* ---- metrics ---- */

/* A series: texts that look alike are one. */
struct series {
    struct ttp_sink labels;
    const struct ttp_history_run *run;
    double value;
    size_t samples;
};

/* The newest of equal labels first. */
TTP_ORDER(by_labels, struct series,
          ttp_str_cmp(ttp_sink_text(&x->labels), ttp_sink_text(&y->labels)), TTP_DOWN(run->time_ns),
          TTP_DOWN(run->id))

/* `m` NULL: those of the run. */
static struct ttp_sink labels_of(const struct ttp_history_run *r, const struct ttp_run_measure *m,
                                 const struct ttp_sink *out, struct ttp_arena *arena)
{
    const struct ttp_prom_label label[] = {
        {"name", r->name},
        {"branch", r->branch},
        {"host", r->host},
        {"machine", r->machine_key},
        {"metric", m ? m->metric : TTP_STR("")},
        {"variant", m ? m->variant : TTP_STR("")},
        {"unit", m ? m->unit : TTP_STR("")},
        {"better", m && m->better == TTP_BETTER_HIGHER ? TTP_STR("higher") : TTP_STR("lower")},
    };
    enum { OF_RUN = 4 };
    struct ttp_sink text;

    ttp_sink_beside(&text, out, arena);
    ttp_prom_labels(&text, label, m ? TTP_COUNT(label) : OF_RUN);
    return text;
}

/* Of each series the newest. */
static size_t newest(struct series *s, size_t count)
{
    size_t kept = 0;

    TTP_SORT(s, count, by_labels);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 ||
            !ttp_str_eq(ttp_sink_text(&s[kept - 1].labels), ttp_sink_text(&s[i].labels)))
            s[kept++] = s[i];
    return kept;
}

static void put_median(struct ttp_sink *out, const struct series *s)
{
    ttp_prom_real(out, s->value);
}

static void put_samples(struct ttp_sink *out, const struct series *s)
{
    ttp_prom_int(out, (int64_t)s->samples);
}

static void put_time(struct ttp_sink *out, const struct series *s)
{
    ttp_prom_seconds(out, (uint64_t)s->run->time_ns);
}

static void put_id(struct ttp_sink *out, const struct series *s)
{
    ttp_prom_int(out, s->run->id);
}

struct metric {
    const char *name, *help;
    void (*put)(struct ttp_sink *out, const struct series *s);
};

/* Numbers and commits change with each run: they are not labels, so that series continue. */
static const struct metric of_runs[] = {
    {"tt_perf_run_time_seconds", "when the newest run ran, since 1970", put_time},
    {"tt_perf_run_id", "ID of the newest run in the history", put_id},
};

static const struct metric of_values[] = {
    {"tt_perf_run_value", "median of the newest run that has the metric", put_median},
    {"tt_perf_run_samples", "samples of that median", put_samples},
    {"tt_perf_run_value_time_seconds", "when the run of that median ran, since 1970", put_time},
};

static void put_metrics(struct ttp_sink *out, const struct metric *metric, size_t metrics,
                        const struct series *s, size_t count)
{
    for (size_t m = 0; m < metrics && count; m++) {
        ttp_prom_head(out, metric[m].name, metric[m].help, TTP_PROM_GAUGE);
        for (size_t i = 0; i < count; i++) {
            ttp_sink_put(out, ttp_str_from(metric[m].name));
            ttp_sink_join(out, &s[i].labels);
            metric[m].put(out, &s[i]);
        }
    }
}

void ttp_out_history_metrics(struct ttp_sink *out, const struct ttp_history_runs *runs,
                             struct ttp_arena *arena)
{
    struct series *run = TTP_NEW(arena, struct series, runs->count), *value;
    size_t count = 0, n = 0;

    for (size_t i = 0; i < runs->count; i++) {
        run[i] = (struct series){.labels = labels_of(&runs->run[i], NULL, out, arena),
                                 .run = &runs->run[i]};
        count += runs->run[i].measures;
    }
    value = TTP_NEW(arena, struct series, count);
    for (size_t i = 0; i < runs->count; i++)
        for (size_t k = 0; k < runs->run[i].measures; k++) {
            const struct ttp_run_measure *m = &runs->run[i].measure[k];

            if (m->count == 0)
                continue;
            value[n++] = (struct series){labels_of(&runs->run[i], m, out, arena), &runs->run[i],
                                         ttp_stats_sample(m->sample, m->count, 0.95, arena).median,
                                         m->count};
        }
    put_metrics(out, of_runs, TTP_COUNT(of_runs), run, newest(run, runs->count));
    put_metrics(out, of_values, TTP_COUNT(of_values), value, newest(value, n));
}
