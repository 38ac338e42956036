/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/report/advice_groups.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/quantity.h"
#include "base/vec.h"

struct maker {
    const struct ttp_report_view *view;
    struct ttp_arena *arena;
    struct ttp_symtab keys; /* name and sentences of a matmul, joined */
    struct ttp_advice_group *group;
    size_t count;
};

static struct ttp_advice_group *new_group(struct maker *m)
{
    TTP_ROOM(m->arena, m->group, m->count);
    m->group[m->count] = (struct ttp_advice_group){0};
    return &m->group[m->count++];
}

static void add_op(struct maker *m, struct ttp_advice_group *g, size_t op)
{
    const struct ttp_op *o = &m->view->report->op[op];

    *TTP_PUSH(m->arena, g->op, g->count) = op;
    g->time_pct += o->has & TTP_HAS_TOTAL ? o->total_pct : 0;
    g->weight = g->time_pct;
}

/* All findings of a section as one group with one sentence, about that share of the run. */
static void make_section(struct maker *m, enum ttp_advice_section section, const char *title,
                         ttp_str sentence, double weight)
{
    const struct ttp_findings *f = m->view->findings;
    struct ttp_advice_group *g = NULL;

    for (size_t i = 0; i < f->count; i++) {
        if (f->item[i].section != section)
            continue;
        if (!g) {
            g = new_group(m);
            g->title = ttp_str_from(title);
            g->color = TTP_RED;
            g->line = TTP_NEW(m->arena, ttp_str, 1);
            g->line[0] = sentence;
            g->lines = 1;
        }
        add_op(m, g, f->item[i].op);
        g->time_pct = 0; /* the ops are not what takes the time: see the sentence */
        g->weight = weight;
    }
}

/* A matmul and its advice: equal texts form one group. */
static ttp_str key_of(struct maker *m, size_t from, size_t to)
{
    const struct ttp_findings *f = m->view->findings;
    const struct ttp_op *op = &m->view->report->op[f->item[from].op];
    struct ttp_sink key;

    ttp_sink_to_arena(&key, m->arena);
    ttp_sink_printf(&key, "%u %u %u ", op->name, op->fidelity_text, ttp_analysis_limit(op));
    for (size_t i = from; i < to; i++)
        ttp_sink_put(&key, f->item[i].text);
    return ttp_sink_text(&key);
}

static void start_matmul(struct maker *m, struct ttp_advice_group *g, size_t from, size_t to)
{
    const struct ttp_findings *f = m->view->findings;
    const struct ttp_report *r = m->view->report;
    const struct ttp_op *op = &r->op[f->item[from].op];

    const char *bound = ttp_diagnosis_limit_name(ttp_analysis_limit(op));
    g->title = ttp_sink_format(
        m->arena, "%.*s (%s, %.*s)", TTP_FMT(ttp_sym_name(r->syms, op->name)),
        *bound ? bound : "no bound", TTP_FMT(ttp_sym_name(r->syms, op->fidelity_text)));
    g->color = TTP_MAGENTA;
    g->line = TTP_NEW(m->arena, ttp_str, to - from);
    for (size_t i = from; i < to; i++)
        g->line[g->lines++] = f->item[i].text;
}

TTP_ORDER(by_weight, struct ttp_advice_group, TTP_DOWN(weight), TTP_COMPARE(x->op[0], y->op[0]))

static void make_matmuls(struct maker *m)
{
    const struct ttp_findings *f = m->view->findings;
    const size_t first_group = m->count;

    for (size_t from = 0, to; from < f->count; from = to) {
        to = from + 1;
        if (f->item[from].section != TTP_ADVICE_MATMUL)
            continue;
        while (to < f->count && f->item[to].op == f->item[from].op)
            to++;
        const uint32_t known = m->keys.count;
        const ttp_sym key = ttp_sym_intern(&m->keys, key_of(m, from, to));
        if (m->keys.count > known)
            start_matmul(m, new_group(m), from, to);
        add_op(m, &m->group[first_group + key], f->item[from].op);
    }
}

static bool any_gap(const struct ttp_findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->item[i].section == TTP_ADVICE_GAP)
            return true;
    return false;
}

/* What the plan promises, so that a report and a plan cannot differ, and the share of the run. */
static ttp_str about_gaps(const struct ttp_report_view *view, struct ttp_arena *arena, double *pct)
{
    struct ttp_plan plan = {0};
    struct ttp_sink out;
    size_t i = 0;

    ttp_sink_to_arena(&out, arena);
    if (any_gap(view->findings))
        ttp_plan_make(&plan, view->report, &view->plan, arena);
    while (i < plan.count && strcmp(plan.item[i].rule->id, "trace") != 0)
        i++;
    if (i < plan.count) {
        ttp_sink_put(&out, TTP_STR("A trace could save up to "));
        ttp_put_time_us(&out, plan.item[i].gain_us);
        ttp_sink_printf(&out, " (%.1f %% of the run); otherwise make", plan.item[i].gain_pct);
        *pct = plan.item[i].gain_pct;
    } else {
        ttp_sink_put(&out, TTP_STR("Make"));
    }
    ttp_sink_put(&out, TTP_STR(" sure that the device does not wait for the host"));
    return ttp_sink_text(&out);
}

void ttp_out_advice_groups_make(struct ttp_advice_groups *out, const struct ttp_report_view *view,
                                struct ttp_arena *arena)
{
    struct maker m = {.view = view, .arena = arena, .keys = {.arena = arena}};

    double gaps_pct = 0;
    const ttp_str gaps = about_gaps(view, arena, &gaps_pct);

    make_matmuls(&m); /* first: its keys count groups */
    make_section(&m, TTP_ADVICE_GAP, "Long gaps before ops", gaps, gaps_pct);
    make_section(&m, TTP_ADVICE_FALLBACK, "Host fallback",
                 TTP_STR("These ops run on the host: move them to the device"), INFINITY);
    if (m.count)
        qsort(m.group, m.count, sizeof(*m.group), by_weight);
    *out = (struct ttp_advice_groups){m.group, m.count};
}
