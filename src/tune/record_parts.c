/* SPDX-License-Identifier: Apache-2.0 */
/* record_parts.c - parts of records that are written and read as one: profiles, checks,
 * promises and configs. */
#include <math.h>

#include "tune/ledger.h"
#include "tune/tuner.h"

/* ---- profiles ---- */

#define AT(name)                                                                                   \
    {                                                                                              \
#name, offsetof(struct ttp_tune_profile, name)                                             \
    }
static const struct {
    const char *key;
    size_t offset;
} figures[] = {
    AT(device_us),       AT(gap_us),     AT(cycles),      AT(clock_mhz),   AT(dram_gbs),
    AT(dram_peak_gbs),   AT(dram_bytes), AT(roofline_us), AT(ideal_bytes), AT(cores),
    AT(cores_available), AT(noc_pct),    AT(noc_bytes),   AT(barrier_pct), AT(l1_bytes),
    AT(l1_limit),        AT(bound_pct),
};

void ttp_ledger_profile(struct ttp_ledger_record *r, const struct ttp_tune_profile *p)
{
    if (!p->name)
        return;
    ttp_ledger_begin_part(r, "profile");
    ttp_ledger_text(r, "name", p->name);
    ttp_ledger_text(r, "mode", p->mode);
    ttp_ledger_text(r, "bound", p->bound);
    ttp_ledger_u64(r, "ops", p->ops);
    ttp_ledger_u64(r, "iterations", p->iterations);
    for (size_t i = 0; i < TTP_COUNT(figures); i++) {
        double v;

        memcpy(&v, (const char *)p + figures[i].offset, sizeof(v));
        ttp_ledger_known(r, figures[i].key, v);
    }
    ttp_ledger_end_part(r);
}

static const char *text_of(const struct ttp_node *n, const char *key, struct ttp_arena *arena)
{
    return ttp_arena_zstr(arena, ttp_node_str_of(n, key));
}

static uint64_t count_of(const struct ttp_node *n, const char *key)
{
    const struct ttp_node *v = ttp_node_get(n, key);
    uint64_t count = 0;

    return v && v->kind == TTP_JSON_NUMBER && ttp_json_to_u64(v->text, &count) ? count : 0;
}

void ttp_ledger_read_profile(struct ttp_tune_profile *out, const struct ttp_node *record,
                             struct ttp_arena *arena)
{
    const struct ttp_node *n = ttp_node_get(record, "profile");
    const ttp_str name = ttp_node_str_of(n, "name");

    ttp_tune_profile_init(out);
    /* it becomes part of a path */
    if (name.len == 0 || name.ptr[0] == '.' || ttp_str_find_char(name, '/') != TTP_NPOS)
        return;
    out->name = ttp_arena_zstr(arena, name);
    out->mode = text_of(n, "mode", arena);
    out->bound = text_of(n, "bound", arena);
    out->ops = count_of(n, "ops");
    out->iterations = count_of(n, "iterations");
    for (size_t i = 0; i < TTP_COUNT(figures); i++) {
        const double v = ttp_node_f64_of(n, figures[i].key);

        memcpy((char *)out + figures[i].offset, &v, sizeof(v));
    }
}

/* ---- checks ---- */

void ttp_ledger_gate(struct ttp_ledger_record *r, const struct ttp_tune_gate *g)
{
    if (!g->ran)
        return;
    ttp_ledger_begin_part(r, "gate");
    ttp_ledger_bool(r, "pass", g->pass);
    ttp_ledger_u64(r, "tensors", g->tensors);
    ttp_ledger_f64(r, "worst_pcc", g->worst_pcc);
    ttp_ledger_text(r, "worst", g->worst);
    ttp_ledger_text(r, "tile", g->tile);
    ttp_ledger_told(r, "reason", g->reason);
    ttp_ledger_end_part(r);
}

void ttp_ledger_read_gate(struct ttp_tune_gate *out, const struct ttp_node *record,
                          struct ttp_arena *arena)
{
    const struct ttp_node *n = ttp_node_get(record, "gate");

    *out = (struct ttp_tune_gate){.worst_pcc = NAN, .worst = "", .tile = "", .reason = ""};
    if (!n)
        return;
    *out = (struct ttp_tune_gate){.ran = true,
                                  .pass = ttp_node_true_of(n, "pass"),
                                  .tensors = (size_t)count_of(n, "tensors"),
                                  .worst_pcc = ttp_node_f64_of(n, "worst_pcc"),
                                  .worst = text_of(n, "worst", arena),
                                  .tile = text_of(n, "tile", arena),
                                  .reason = text_of(n, "reason", arena)};
}

/* ---- configs and promises ---- */

static void put_config(struct ttp_ledger_record *r, const struct ttp_tune_config *c)
{
    ttp_json_begin_object(&r->writer);
    ttp_ledger_text(r, "config", c->config);
    ttp_ledger_text(r, "python", c->python);
    ttp_ledger_f64(r, "predicted_us", c->predicted_us);
    ttp_ledger_f64(r, "low_us", c->low_us);
    ttp_ledger_f64(r, "high_us", c->high_us);
    ttp_json_end_object(&r->writer);
}

static void read_config(struct ttp_tune_config *out, const struct ttp_node *n,
                        struct ttp_arena *arena)
{
    *out = (struct ttp_tune_config){.config = text_of(n, "config", arena),
                                    .python = text_of(n, "python", arena),
                                    .predicted_us = ttp_node_f64_of(n, "predicted_us"),
                                    .low_us = ttp_node_f64_of(n, "low_us"),
                                    .high_us = ttp_node_f64_of(n, "high_us")};
}

void ttp_ledger_promise(struct ttp_ledger_record *r, const struct ttp_tune_promise *p)
{
    if (!p || !p->rule)
        return;
    ttp_ledger_begin_part(r, "promise");
    ttp_ledger_text(r, "rule", p->rule);
    ttp_ledger_u64(r, "number", p->number);
    ttp_ledger_text(r, "title", p->title);
    ttp_ledger_text(r, "step", p->step);
    ttp_ledger_text(r, "evidence", p->evidence);
    ttp_ledger_f64(r, "gain_us", p->gain_us);
    ttp_ledger_f64(r, "gain_pct", p->gain_pct);
    ttp_ledger_f64(r, "device_pct", p->device_pct);
    ttp_ledger_f64(r, "low_part", p->low_part);
    ttp_ledger_f64(r, "high_part", p->high_part);
    ttp_ledger_u64(r, "op_id", p->op_id);
    ttp_ledger_text(r, "op", p->op);
    ttp_ledger_f64(r, "op_us", p->op_us);
    ttp_ledger_bool(r, "pays", p->pays);
    if (p->best.config) {
        ttp_json_put_key(&r->writer, TTP_STR("best"));
        put_config(r, &p->best);
    }
    ttp_ledger_end_part(r);
}

void ttp_ledger_read_promise(struct ttp_tune_promise *out, const struct ttp_node *record,
                             struct ttp_arena *arena)
{
    const struct ttp_node *n = ttp_node_get(record, "promise");

    *out = (struct ttp_tune_promise){0};
    if (ttp_node_str_of(n, "rule").len == 0)
        return;
    *out = (struct ttp_tune_promise){.rule = text_of(n, "rule", arena),
                                     .number = count_of(n, "number"),
                                     .title = text_of(n, "title", arena),
                                     .step = text_of(n, "step", arena),
                                     .evidence = text_of(n, "evidence", arena),
                                     .gain_us = ttp_node_f64_of(n, "gain_us"),
                                     .gain_pct = ttp_node_f64_of(n, "gain_pct"),
                                     .device_pct = ttp_node_f64_of(n, "device_pct"),
                                     .low_part = ttp_node_f64_of(n, "low_part"),
                                     .high_part = ttp_node_f64_of(n, "high_part"),
                                     .op_id = count_of(n, "op_id"),
                                     .op = text_of(n, "op", arena),
                                     .op_us = ttp_node_f64_of(n, "op_us"),
                                     .pays = ttp_node_true_of(n, "pays")};
    if (ttp_node_get(n, "best"))
        read_config(&out->best, ttp_node_get(n, "best"), arena);
}

void ttp_ledger_space(struct ttp_ledger_record *r, const struct ttp_tune_space *s)
{
    if (s->configs == 0)
        return;
    ttp_ledger_begin_part(r, "space");
    ttp_ledger_text(r, "op", s->op);
    ttp_ledger_u64(r, "op_id", s->op_id);
    ttp_ledger_u64(r, "op_ops", s->op_ops);
    ttp_ledger_f64(r, "op_us", s->op_us);
    ttp_json_put_key(&r->writer, TTP_STR("configs"));
    ttp_json_begin_array(&r->writer);
    for (size_t i = 0; i < s->configs; i++)
        put_config(r, &s->config[i]);
    ttp_json_end_array(&r->writer);
    ttp_ledger_end_part(r);
}

void ttp_ledger_read_space(struct ttp_tune_space *out, const struct ttp_node *record,
                           struct ttp_arena *arena)
{
    const struct ttp_node *n = ttp_node_get(record, "space");

    *out = (struct ttp_tune_space){.op = text_of(n, "op", arena),
                                   .op_id = count_of(n, "op_id"),
                                   .op_ops = count_of(n, "op_ops"),
                                   .op_us = ttp_node_f64_of(n, "op_us")};
    const struct ttp_node *first = ttp_node_first_of(n, "configs");
    for (const struct ttp_node *c = first; c; c = c->next)
        out->configs++;
    out->config = TTP_NEW(arena, struct ttp_tune_config, out->configs);
    size_t i = 0;
    for (const struct ttp_node *c = first; c; c = c->next)
        read_config(&out->config[i++], c, arena);
}
