/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/order.h"
#include "outputs/report/first_screen.h"
#include "outputs/show/paint.h"

/* Groups by shape are shown if they cover this part of the time. */
#define ENOUGH 0.95

static double time_of(const struct ttp_op *op)
{
    return op->has & TTP_HAS_TIME ? op->time_us : 0;
}

static ttp_str name_of(const struct ttp_report *r, const struct ttp_op *op, bool shapes,
                       struct ttp_arena *arena)
{
    return shapes ? ttp_sym_name(r->syms, op->name)
                  : ttp_analysis_brief_name(ttp_sym_name(r->syms, op->code), arena);
}

static void add_op(struct ttp_screen_group *g, const struct ttp_op *op)
{
    const double us = time_of(op);
    double cores = 0;

    (void)ttp_cell_f64(op->cores, &cores);
    const int64_t used = cores >= 1 && cores < 1e6 ? (int64_t)cores : 0;
    g->cores = g->count == 0 || g->cores == used ? used : 0;
    g->min_us = g->count ? fmin(g->min_us, us) : us;
    g->max_us = fmax(g->max_us, us);
    g->count++;
    g->time_us += us;
    g->limit_us[ttp_analysis_limit(op)] += us;
    if (op->has & TTP_HAS_DRAM_PCT) {
        g->dram_pct += op->dram_pct * us;
        g->dram_us += us;
    }
    if (op->has & TTP_HAS_FLOPS_PCT) {
        g->flops_pct += op->flops_pct * us;
        g->flops_us += us;
    }
}

TTP_ORDER(by_time, struct ttp_screen_group, TTP_DOWN(time_us), TTP_UP(first))

static void group_by(struct ttp_screen_groups *out, const struct ttp_report *r, bool shapes,
                     struct ttp_arena *arena)
{
    struct ttp_symtab names = {.arena = arena};
    ttp_str *op_group = TTP_NEW(arena, ttp_str, r->count);

    *out = (struct ttp_screen_groups){.item = TTP_NEW(arena, struct ttp_screen_group, r->count),
                                      .wait_us = r->wait_us};
    for (size_t i = 0; i < r->count; i++) {
        const struct ttp_op *op = &r->op[i];
        if (op->kind != TTP_OP_DEVICE)
            continue;
        const ttp_sym sym = ttp_sym_intern(&names, name_of(r, op, shapes, arena));
        struct ttp_screen_group *g = &out->item[sym];
        if (sym == out->count) {
            g->name = ttp_sym_name(&names, sym);
            g->first = i;
            out->count++;
        }
        op_group[i] = g->name;
        add_op(g, op);
        out->time_us += time_of(op);
    }
    out->op_group = op_group;
    for (size_t i = 0; i < out->count; i++) {
        struct ttp_screen_group *g = &out->item[i];
        g->dram_pct = g->dram_us > 0 ? g->dram_pct / g->dram_us : 0;
        g->flops_pct = g->flops_us > 0 ? g->flops_pct / g->flops_us : 0;
    }
    TTP_SORT(out->item, out->count, by_time);
}

void ttp_out_screen_group_ops(struct ttp_screen_groups *out, const struct ttp_report *report,
                              size_t most, struct ttp_arena *arena)
{
    double shown = 0;

    group_by(out, report, true, arena);
    for (size_t i = 0; i < out->count && i < most; i++)
        shown += out->item[i].time_us;
    if (shown < ENOUGH * out->time_us)
        group_by(out, report, false, arena);
}
