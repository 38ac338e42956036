/* SPDX-License-Identifier: Apache-2.0 */
/* diff_origins.c - both sides grouped by tt-mlir's data about their ops. An op whose place changed
 * counts at its own place on either side. */
#include <math.h>

#include "base/order.h"
#include "base/sym.h"
#include "base/vec.h"
#include "diff/diff.h"

struct summing {
    struct ttp_diff_origin *origin;
    size_t count;
    struct ttp_symtab names; /* the number of a name is that of its origin */
    struct ttp_arena *arena;
    bool any; /* an op has a text */
};

static double longer(const struct ttp_diff_origin *o)
{
    return fmax(o->times.base_us, o->times.other_us);
}
TTP_ORDER(by_time, struct ttp_diff_origin, TTP_COMPARE(longer(y), longer(x)),
          ttp_str_cmp(x->name, y->name))

static struct ttp_diff_origin *find(struct summing *s, ttp_str name)
{
    const ttp_sym number = ttp_sym_intern(&s->names, name);

    while (s->count <= number)
        *TTP_PUSH(s->arena, s->origin, s->count) = (struct ttp_diff_origin){0};
    s->origin[number].name = name;
    return &s->origin[number];
}

/* "true" and "false" of const-eval as words. */
static ttp_str name_of(struct summing *s, const struct ttp_diff_side *side, uint32_t op,
                       enum ttp_ops_text column)
{
    const struct ttp_report *r = side->run[0].report;
    const ttp_str text = ttp_analysis_text(r, &r->op[op], column);

    if (text.len == 0)
        return TTP_STR("(not given)");
    s->any = true;
    if (column != TTP_OPS_CONST_EVAL)
        return text;
    return ttp_str_eq_any_case(text, TTP_STR("true")) ? TTP_STR("const-eval") : TTP_STR("model");
}

static void add_op(struct summing *s, const struct ttp_diff *d, const struct ttp_diff_op *op,
                   enum ttp_ops_text column)
{
    if (op->base != TTP_DIFF_NONE) {
        struct ttp_diff_origin *o = find(s, name_of(s, &d->base, op->base, column));

        o->base_ops++;
        o->times.base_us += op->times.base_us;
        o->times.base_gap_us += op->times.base_gap_us;
    }
    if (op->other != TTP_DIFF_NONE) {
        struct ttp_diff_origin *o = find(s, name_of(s, &d->other, op->other, column));

        o->other_ops++;
        o->times.other_us += op->times.other_us;
        o->times.other_gap_us += op->times.other_gap_us;
    }
}

size_t ttp_diff_origins(struct ttp_diff_origin **out, const struct ttp_diff *diff,
                        enum ttp_ops_text column, struct ttp_arena *arena)
{
    struct summing s = {.names = {.arena = arena}, .arena = arena};
    double base_us = 0, other_us = 0;

    *out = NULL;
    for (size_t i = 0; i < diff->count; i++)
        add_op(&s, diff, &diff->op[i], column);
    if (!s.any)
        return 0;
    for (size_t i = 0; i < s.count; i++) {
        base_us += s.origin[i].times.base_us;
        other_us += s.origin[i].times.other_us;
    }
    for (size_t i = 0; i < s.count; i++) {
        struct ttp_diff_origin *o = &s.origin[i];

        o->base_pct = base_us > 0 ? 100 * o->times.base_us / base_us : 0;
        o->other_pct = other_us > 0 ? 100 * o->times.other_us / other_us : 0;
    }
    TTP_SORT(s.origin, s.count, by_time);
    *out = s.origin;
    return s.count;
}
