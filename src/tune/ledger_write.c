/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_write.c - records as lines of JSON, each with its number and a checksum. */
#include <math.h>
#include <stdio.h>

#include "base/append_log.h"
#include "base/secrets.h"
#include "tune/ledger.h"

static void put_key(struct ttp_ledger_record *r, const char *key)
{
    ttp_json_put_key(&r->writer, ttp_str_from(key));
}

void ttp_ledger_begin(struct ttp_ledger_record *r, uint64_t n, const char *event, int64_t time_ns,
                      struct ttp_arena *arena)
{
    *r = (struct ttp_ledger_record){.arena = arena};
    ttp_sink_to_arena(&r->sink, arena);
    r->writer.sink = &r->sink;
    ttp_json_begin_object(&r->writer);
    ttp_ledger_u64(r, "n", n);
    ttp_ledger_text(r, "event", event);
    put_key(r, "time_ns");
    ttp_json_put_i64(&r->writer, time_ns);
}

ttp_str ttp_ledger_end(struct ttp_ledger_record *r)
{
    char seal[TTP_LEDGER_SEAL + 1];

    /* the seal is the last member: what the checksum covers ends where it begins */
    snprintf(seal, sizeof(seal), ",\"crc\":\"%08x\"}", ttp_crc32(ttp_sink_text(&r->sink)));
    ttp_sink_put(&r->sink, ttp_str_from(seal));
    ttp_sink_char(&r->sink, '\n');
    return ttp_sink_text(&r->sink);
}

void ttp_ledger_text(struct ttp_ledger_record *r, const char *key, const char *v)
{
    if (!v)
        return;
    put_key(r, key);
    ttp_json_put_str(&r->writer, ttp_str_from(v));
}

static const char *hide(struct ttp_ledger_record *r, const char *exact, const char *masked)
{
    /* one that has a mask of its own is self-contained */
    if (!r->secrets || (masked == exact && !strstr(exact, TTP_SECRET_MASK)))
        return masked;
    return ttp_tune_secrets_hide(r->secrets, exact, masked);
}

void ttp_ledger_command(struct ttp_ledger_record *r, const char *key, const char *v)
{
    ttp_ledger_text(r, key, v ? hide(r, v, ttp_secrets_mask_string(v, r->arena)) : NULL);
}

void ttp_ledger_told(struct ttp_ledger_record *r, const char *key, const char *v)
{
    ttp_ledger_text(r, key, ttp_secrets_mask_string(v, r->arena));
}

void ttp_ledger_settings(struct ttp_ledger_record *r, const char *key, const struct ttp_words *v)
{
    struct ttp_words shown = {0};

    for (size_t i = 0; i < v->count; i++)
        ttp_words_add(&shown, hide(r, v->word[i], ttp_secrets_mask_setting(v->word[i], r->arena)),
                      r->arena);
    ttp_ledger_words(r, key, &shown);
}

void ttp_ledger_u64(struct ttp_ledger_record *r, const char *key, uint64_t v)
{
    put_key(r, key);
    ttp_json_put_u64(&r->writer, v);
}

void ttp_ledger_f64(struct ttp_ledger_record *r, const char *key, double v)
{
    put_key(r, key);
    ttp_json_put_f64(&r->writer, v);
}

void ttp_ledger_bool(struct ttp_ledger_record *r, const char *key, bool v)
{
    put_key(r, key);
    ttp_json_put_bool(&r->writer, v);
}

void ttp_ledger_words(struct ttp_ledger_record *r, const char *key, const struct ttp_words *v)
{
    if (v->count == 0)
        return;
    put_key(r, key);
    ttp_json_begin_array(&r->writer);
    for (size_t i = 0; i < v->count; i++)
        ttp_json_put_str(&r->writer, ttp_str_from(v->word[i]));
    ttp_json_end_array(&r->writer);
}

void ttp_ledger_begin_part(struct ttp_ledger_record *r, const char *key)
{
    put_key(r, key);
    ttp_json_begin_object(&r->writer);
}

void ttp_ledger_end_part(struct ttp_ledger_record *r)
{
    ttp_json_end_object(&r->writer);
}

void ttp_ledger_known(struct ttp_ledger_record *r, const char *key, double v)
{
    if (isfinite(v))
        ttp_ledger_f64(r, key, v);
}

void ttp_ledger_side(struct ttp_ledger_record *r, const struct ttp_tune_side *side)
{
    ttp_ledger_begin_part(r, "side");
    ttp_ledger_text(r, "commit", side->commit);
    ttp_ledger_command(r, "command", side->command);
    ttp_ledger_settings(r, "env", &side->env);
    ttp_ledger_end_part(r);
}

void ttp_ledger_setup(struct ttp_ledger_record *r, const struct ttp_tune_setup *s)
{
    ttp_ledger_begin_part(r, "setup");
    ttp_ledger_command(r, "command", s->command);
    ttp_ledger_command(r, "build", s->build);
    ttp_ledger_command(r, "check", s->check);
    ttp_ledger_text(r, "metric", s->metric);
    ttp_ledger_text(r, "golden", s->golden);
    ttp_ledger_text(r, "outputs", s->outputs);
    ttp_ledger_words(r, "links", &s->links);
    ttp_ledger_f64(r, "pcc", s->pcc);
    ttp_ledger_f64(r, "frobenius", s->frobenius);
    ttp_ledger_text(r, "goal", s->goal);
    if (s->goal)
        ttp_ledger_f64(r, "goal_value", s->goal_value);
    ttp_ledger_text(r, "data", s->data);
    ttp_ledger_text(r, "board", s->board);
    if (s->chips)
        ttp_ledger_u64(r, "chips", s->chips);
    ttp_ledger_bool(r, "kernel", s->kernel);
    ttp_ledger_text(r, "run", s->run);
    ttp_ledger_text(r, "window", s->window);
    ttp_ledger_text(r, "profile", s->profile);
    ttp_ledger_f64(r, "min_effect", s->min_effect);
    ttp_ledger_f64(r, "confidence", s->confidence);
    ttp_ledger_u64(r, "min_runs", s->min_runs);
    ttp_ledger_u64(r, "max_runs", s->max_runs);
    ttp_ledger_u64(r, "warm_ups", s->warm_ups);
    ttp_ledger_f64(r, "max_time_s", s->max_time_s);
    ttp_ledger_f64(r, "timeout_s", s->timeout_s);
    ttp_ledger_end_part(r);
}

static void put_stat(struct ttp_ledger_record *r, const struct ttp_tune_stat *s)
{
    ttp_json_begin_object(&r->writer);
    ttp_ledger_u64(r, "n", s->n);
    ttp_ledger_f64(r, "min", s->min);
    ttp_ledger_f64(r, "median", s->median);
    ttp_ledger_f64(r, "mean", s->mean);
    ttp_ledger_f64(r, "sd", s->sd);
    ttp_ledger_f64(r, "p95", s->p95);
    ttp_ledger_f64(r, "scatter", s->scatter);
    ttp_json_end_object(&r->writer);
}

static void put_figures(struct ttp_ledger_record *r, const struct ttp_tune_figures *f)
{
    static const char *const verdicts[] = {"undecided", "same", "less", "more"};

    ttp_json_begin_object(&r->writer);
    ttp_ledger_text(r, "metric", f->metric);
    ttp_ledger_text(r, "unit", f->unit);
    ttp_ledger_text(r, "better", ttp_measure_better_word(f->better));
    put_key(r, "sides");
    ttp_json_begin_array(&r->writer);
    put_stat(r, &f->side[0]);
    put_stat(r, &f->side[1]);
    ttp_json_end_array(&r->writer);
    ttp_ledger_f64(r, "change", f->change);
    ttp_ledger_f64(r, "low", f->low);
    ttp_ledger_f64(r, "high", f->high);
    ttp_ledger_f64(r, "p", f->p);
    ttp_ledger_text(r, "verdict", verdicts[f->verdict]);
    ttp_ledger_u64(r, "more_runs", f->more_runs);
    ttp_json_end_object(&r->writer);
}

static void put_trial(struct ttp_ledger_record *r, const struct ttp_trial *t, size_t metrics)
{
    ttp_json_begin_object(&r->writer);
    ttp_ledger_u64(r, "side", t->variant);
    if (t->warm_up)
        ttp_ledger_bool(r, "warm_up", true);
    put_key(r, "values");
    ttp_json_begin_array(&r->writer);
    for (size_t i = 0; i < metrics; i++)
        ttp_json_put_f64(&r->writer, t->value[i]);
    ttp_json_end_array(&r->writer);
    put_key(r, "start_ns");
    ttp_json_put_i64(&r->writer, t->start_ns);
    ttp_ledger_u64(r, "wall_ns", t->wall_ns);
    ttp_ledger_known(r, "aiclk_min_mhz", t->machine.aiclk_min_mhz);
    ttp_ledger_known(r, "aiclk_max_mhz", t->machine.aiclk_max_mhz);
    ttp_ledger_known(r, "temperature_max_c", t->machine.temperature_max_c);
    ttp_ledger_known(r, "power_w", t->machine.power_w);
    ttp_ledger_known(r, "load", t->machine.load);
    ttp_ledger_told(r, "failure", t->failure);
    ttp_ledger_text(r, "taint", t->taint);
    ttp_json_end_object(&r->writer);
}

void ttp_ledger_measured(struct ttp_ledger_record *r, const struct ttp_tune_measured *m,
                         const struct ttp_bench *bench)
{
    if (m->count == 0)
        return;
    ttp_ledger_begin_part(r, "measured");
    ttp_ledger_f64(r, "noise", m->noise);
    ttp_ledger_u64(r, "tainted", m->tainted);
    ttp_ledger_text(r, "taint", m->taint);
    put_key(r, "figures");
    ttp_json_begin_array(&r->writer);
    for (size_t i = 0; i < m->count; i++)
        put_figures(r, &m->of[i]);
    ttp_json_end_array(&r->writer);
    put_key(r, "runs");
    ttp_json_begin_array(&r->writer);
    for (size_t i = 0; bench && i < bench->ntrials; i++)
        put_trial(r, &bench->trial[i], bench->nmetrics);
    ttp_json_end_array(&r->writer);
    ttp_ledger_end_part(r);
}

void ttp_ledger_point(struct ttp_ledger_record *r, const struct ttp_tune_point *p)
{
    ttp_ledger_settings(r, "set", &p->set);
    ttp_ledger_bool(r, "pass", p->pass);
    ttp_ledger_f64(r, "value", p->value);
    ttp_ledger_told(r, "reason", p->reason);
}
