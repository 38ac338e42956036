/* SPDX-License-Identifier: Apache-2.0 */
/* history_json.c - the history as JSON, schema tt-perf.history/1. */
#include <math.h>

#include "outputs/history_words.h"
#include "outputs/json_members.h"
#include "outputs/json_time.h"

static void begin(struct ttp_json_writer *w, const char *action,
                  const struct ttp_history_style *style)
{
    ttp_envelope_begin(w, "tt-perf.history/1", NULL);
    ttp_json_begin_object(w);
    ttp_member_text(w, "action", action);
    ttp_member_text(w, "store", style->store ? style->store : "");
}

static void end(struct ttp_json_writer *w, bool truncated)
{
    ttp_json_end_object(w);
    ttp_envelope_end(w, NULL, truncated);
}

/* The store keeps seconds; a document has the unit of report. To the nanosecond, which is what the
 * seconds were made from. */
static double us_of(double seconds)
{
    return rint(seconds * 1e9) / 1e3;
}

/* Without braces. */
static void put_run(struct ttp_json_writer *w, const struct ttp_history_run *r)
{
    ttp_member_i64(w, "id", r->id);
    ttp_member_time(w, "time", r->time_ns);
    ttp_member_time(w, "added_time", r->added_ns);
    ttp_member_str(w, "name", r->name);
    ttp_member_str(w, "kind", r->kind);
    ttp_member_str(w, "source", r->source);
    ttp_member_str_or_null(w, "project", r->project);
    ttp_member_str_or_null(w, "branch", r->branch);
    ttp_member_str_or_null(w, "commit", r->commit);
    ttp_member_str_or_null(w, "commit_time", r->commit_time);
    ttp_member_bool(w, "dirty", r->dirty);
    ttp_member_str_or_null(w, "host", r->host);
    ttp_member_str_or_null(w, "board", r->board);
    ttp_member_i64(w, "op_count", r->op_count);
    ttp_member_f64(w, "device_time_us", us_of(r->device_s));
    ttp_member_f64(w, "gap_us", us_of(r->gap_s));
    ttp_member_str(w, "document_sha256", r->digest);
}

void ttp_history_list_json(struct ttp_sink *out, const struct ttp_history_runs *runs,
                           const struct ttp_history_style *style)
{
    struct ttp_json_writer w = {.sink = out};

    begin(&w, "list", style);
    ttp_member_array(&w, "runs");
    for (size_t i = 0; i < runs->count; i++) {
        ttp_json_begin_object(&w);
        put_run(&w, &runs->run[i]);
        ttp_json_end_object(&w);
    }
    ttp_json_end_array(&w);
    end(&w, style->more);
}

static void put_samples(struct ttp_json_writer *w, const struct ttp_history_run *r)
{
    ttp_member_array(w, "machine_samples");
    for (size_t i = 0; i < r->samples; i++) {
        ttp_json_begin_object(w);
        ttp_member_time(w, "time", r->sample[i].time_ns);
        ttp_run_put_readings(w, &r->sample[i]);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_ops(struct ttp_json_writer *w, const struct ttp_history_run *r, size_t shown)
{
    ttp_member_array(w, "ops");
    for (size_t i = 0; i < shown; i++) {
        const struct ttp_run_op *o = &r->op[i];

        ttp_json_begin_object(w);
        ttp_member_str(w, "op", o->code);
        ttp_member_known(w, "device", o->device >= 0, (double)o->device);
        ttp_member_known(w, "cores", o->cores >= 0, (double)o->cores);
        ttp_member_f64(w, "device_time_us", o->time_ns / 1e3);
        ttp_member_f64(w, "gap_us", o->gap_ns / 1e3);
        ttp_member_str_or_null(w, "shapes", o->shapes);
        ttp_member_str_or_null(w, "datatypes", o->datatypes);
        ttp_member_str_or_null(w, "memory", o->memory);
        ttp_member_str_or_null(w, "fidelity", o->fidelity);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

void ttp_history_run_json(struct ttp_sink *out, const struct ttp_history_run *r,
                          const struct ttp_history_style *style)
{
    const size_t shown = style->limit && style->limit < r->ops ? style->limit : r->ops;
    struct ttp_json_writer w = {.sink = out};

    begin(&w, "show", style);
    ttp_member_object(&w, "run");
    put_run(&w, r);
    ttp_member_str_or_null(&w, "machine_key", r->machine_key);
    ttp_member_key(&w, "machine");
    if (r->machine_facts.len)
        ttp_json_put_raw(&w, r->machine_facts);
    else
        ttp_json_put_null(&w);
    ttp_member_array(&w, "notes");
    for (size_t i = 0; i < r->notes; i++) {
        ttp_json_begin_object(&w);
        ttp_member_time(&w, "time", r->note[i].time_ns);
        ttp_member_str(&w, "text", r->note[i].text);
        ttp_json_end_object(&w);
    }
    ttp_json_end_array(&w);
    ttp_run_put_measures(&w, r);
    put_samples(&w, r);
    put_ops(&w, r, shown);
    ttp_json_end_object(&w);
    end(&w, shown < r->ops);
}

/* ---- lines ---- */

static void put_series(struct ttp_json_writer *w, const struct ttp_series *s)
{
    ttp_member_str(w, "name", s->name);
    ttp_member_str(w, "metric", s->metric);
    ttp_member_str(w, "unit", s->unit);
    ttp_member_str_or_null(w, "variant", s->variant);
    ttp_member_str_or_null(w, "machine_key", s->machine_key);
    ttp_member_text(w, "better", ttp_better_word(s->better));
}

static void put_point(struct ttp_json_writer *w, const struct ttp_series_point *p)
{
    ttp_json_begin_object(w);
    ttp_member_i64(w, "run", p->run);
    ttp_member_time(w, "time", p->time_ns);
    ttp_member_f64(w, "median", p->median);
    ttp_member_f64(w, "min", p->low);
    ttp_member_f64(w, "max", p->high);
    ttp_member_i64(w, "samples", p->count);
    ttp_member_str_or_null(w, "commit", p->commit);
    ttp_member_str_or_null(w, "branch", p->branch);
    ttp_member_str_or_null(w, "host", p->host);
    ttp_json_end_object(w);
}

static void put_change(struct ttp_json_writer *w, const struct ttp_trend *t, size_t i)
{
    const struct ttp_trend_change *c = &t->change[i];

    ttp_json_begin_object(w);
    ttp_member_u64(w, "point", c->at);
    ttp_member_i64(w, "run", t->point[c->at].run);
    ttp_member_time(w, "time", t->point[c->at].time_ns);
    ttp_member_str_or_null(w, "commit", t->point[c->at].commit);
    ttp_member_str_or_null(w, "commit_before", t->point[c->at - 1].commit);
    ttp_member_f64(w, "before", c->before);
    ttp_member_f64(w, "after", c->after);
    ttp_member_f64(w, "change_pct", c->change * 100);
    ttp_member_f64(w, "p", c->p);
    ttp_member_bool(w, "worse", c->worse);
    ttp_json_end_object(w);
}

void ttp_history_trend_json(struct ttp_sink *out, const struct ttp_trend *trend, size_t count,
                            const struct ttp_history_style *style)
{
    struct ttp_json_writer w = {.sink = out};

    begin(&w, "trend", style);
    ttp_member_array(&w, "lines");
    for (size_t i = 0; i < count; i++) {
        const struct ttp_trend *t = &trend[i];

        ttp_json_begin_object(&w);
        put_series(&w, &t->series);
        ttp_member_array(&w, "changes");
        for (size_t k = 0; k < t->changes; k++)
            put_change(&w, t, k);
        ttp_json_end_array(&w);
        ttp_member_array(&w, "points");
        for (size_t k = 0; k < t->count; k++)
            put_point(&w, &t->point[k]);
        ttp_json_end_array(&w);
        ttp_json_end_object(&w);
    }
    ttp_json_end_array(&w);
    end(&w, style->more);
}

static void put_comparison(struct ttp_json_writer *w, const struct ttp_line_comparison *c)
{
    ttp_json_begin_object(w);
    put_series(w, &c->series);
    ttp_member_text(w, "verdict", ttp_standing_words[c->standing]);
    ttp_member_f64(w, "before", c->before);
    ttp_member_f64(w, "after", c->after);
    ttp_member_f64(w, "change_pct", c->change * 100);
    ttp_member_f64(w, "limit_pct", c->limit * 100);
    ttp_member_f64(w, "noise_pct", c->noise * 100);
    ttp_member_f64(w, "p", c->p);
    ttp_member_u64(w, "runs_before", c->runs_before);
    ttp_member_u64(w, "runs_after", c->runs_after);
    ttp_member_key(w, "first");
    put_point(w, &c->first);
    ttp_member_key(w, "last_good");
    put_point(w, &c->last_good);
    ttp_json_end_object(w);
}

void ttp_history_compare_json(struct ttp_sink *out, const struct ttp_line_comparison *c,
                              size_t count, const struct ttp_history_since *since,
                              const struct ttp_history_style *style)
{
    const size_t shown = style->limit && style->limit < count ? style->limit : count;
    struct ttp_json_writer w = {.sink = out};
    size_t standing[TTP_STANDS_UNSURE + 1] = {0};

    for (size_t i = 0; i < count; i++)
        standing[c[i].standing]++;
    begin(&w, "regressions", style);
    ttp_member_text(&w, "since", since->words);
    ttp_member_time(&w, "since_time", since->time_ns);
    ttp_member_u64(&w, "compared", count);
    ttp_member_u64(&w, "without_before", since->without_before);
    ttp_member_u64(&w, "without_after", since->without_after);
    for (size_t i = 0; i < TTP_COUNT(standing); i++)
        ttp_member_u64(&w, ttp_standing_words[i], standing[i]);
    ttp_member_array(&w, "lines");
    for (size_t i = 0; i < shown; i++)
        put_comparison(&w, &c[i]);
    ttp_json_end_array(&w);
    end(&w, shown < count);
}
