/* SPDX-License-Identifier: Apache-2.0 */
/* diff_describe.c - changes in words. */
#include <math.h>

#include "base/sink.h"
#include "diff/identity.h"
#include "diff/settings.h"

#define MAX_SHOWN  4  /* settings that differ */
#define MAX_LISTED 64 /* of those, from which they are taken */
#define MAX_VALUE  40 /* characters */

static const char *const kind_names[TTP_DIFF_KINDS] = {
    [TTP_DIFF_SAME] = "same",   [TTP_DIFF_CHANGED] = "changed",
    [TTP_DIFF_MOVED] = "moved", [TTP_DIFF_REPLACED] = "replaced",
    [TTP_DIFF_ADDED] = "added", [TTP_DIFF_REMOVED] = "removed",
};

const char *ttp_diff_kind_name(enum ttp_diff_kind kind)
{
    return kind_names[kind];
}

const char *ttp_diff_change_name(size_t bit)
{
    static const char *const names[TTP_CHANGES] = {
        "name", "shape", "datatypes", "layout", "memory", "fidelity", "cores", "program",
    };

    return names[bit];
}

static const struct ttp_op *shown_op(const struct ttp_diff *diff, const struct ttp_diff_op *op)
{
    return op->other == TTP_DIFF_NONE ? &diff->base.run[0].report->op[op->base]
                                      : &diff->other.run[0].report->op[op->other];
}

ttp_str ttp_diff_op_name(const struct ttp_diff *diff, const struct ttp_diff_op *op)
{
    const struct ttp_diff_side *side = op->other == TTP_DIFF_NONE ? &diff->base : &diff->other;

    return ttp_sym_name(side->run[0].report->syms, shown_op(diff, op)->name);
}

ttp_str ttp_diff_base_code(const struct ttp_diff *diff, const struct ttp_diff_op *op)
{
    const struct ttp_report *r = diff->base.run[0].report;

    return op->base == TTP_DIFF_NONE
               ? (ttp_str){0}
               : ttp_diff_bare_code(ttp_sym_name(r->syms, r->op[op->base].raw_code));
}

/* Quotes around names in it are left out. */
static void put_value(struct ttp_sink *out, ttp_str value)
{
    size_t from = 0, left = MAX_VALUE;

    if (value.len == 0) {
        ttp_sink_put(out, TTP_STR("none"));
        return;
    }
    while (from < value.len && left) {
        const ttp_str rest = ttp_str_slice(value, from, value.len);
        const size_t quote = ttp_str_find_char(rest, '"');
        const ttp_str part = ttp_str_slice(rest, 0, quote < left ? quote : left);

        ttp_sink_put(out, part);
        left -= part.len;
        from += part.len + (quote == part.len);
    }
    if (from < value.len)
        ttp_sink_put(out, TTP_STR("..."));
}

/* Of values that are too long to show, the part from where they differ. */
static ttp_str from_difference(ttp_str value, ttp_str other)
{
    size_t same = 0, start = 0;

    if (value.len <= MAX_VALUE && other.len <= MAX_VALUE)
        return value;
    for (; same < value.len && same < other.len && value.ptr[same] == other.ptr[same]; same++)
        if (strchr(";,{([", value.ptr[same]))
            start = same + 1; /* a whole part of it */
    return same < MAX_VALUE / 2 ? value : ttp_str_slice(value, start, value.len);
}

static void put_change(struct ttp_sink *out, ttp_str what, ttp_str from, ttp_str to)
{
    if (out->len)
        ttp_sink_put(out, TTP_STR(", "));
    ttp_sink_put(out, what);
    ttp_sink_char(out, ' ');
    put_value(out, from_difference(from, to));
    ttp_sink_put(out, TTP_STR(" to "));
    put_value(out, from_difference(to, from));
}

/* Settings that repeat what a column, or another setting, says. */
static const struct repeat {
    const char *name;
    unsigned column;     /* enum ttp_diff_change */
    const char *setting; /* NULL: none */
} repeats[] = {
    {"math_fidelity", TTP_CHANGED_FIDELITY, NULL},
    {"memory_layout", TTP_CHANGED_MEMORY, NULL},
    {"buffer_type", TTP_CHANGED_MEMORY, NULL},
    {"output_dtype", TTP_CHANGED_TYPES, NULL},
    {"nd_shard_spec", 0, "shard_spec"},
    {"created_with_nd_shard_spec", 0, "nd_shard_spec"},
};

static bool has_setting(const struct ttp_setting_change *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (ttp_str_eq(list[i].name, ttp_str_from(name)))
            return true;
    return false;
}

/* Is change `at` of the list one that was told already? */
static bool is_told(const struct ttp_setting_change *list, size_t count, size_t at,
                    unsigned changed)
{
    const struct ttp_setting_change *c = &list[at];

    for (size_t i = 0; i < TTP_COUNT(repeats); i++)
        if (ttp_str_eq(c->name, ttp_str_from(repeats[i].name)) &&
            ((changed & repeats[i].column) ||
             (repeats[i].setting && has_setting(list, count, repeats[i].setting))))
            return true;
    for (size_t i = 0; i < at; i++)
        if (ttp_str_eq(list[i].name, c->name) && ttp_str_eq(list[i].from, c->from) &&
            ttp_str_eq(list[i].to, c->to))
            return true;
    return false;
}

/* Each setting once; `changed`: what the columns said of the op. */
static void put_settings(struct ttp_sink *out, ttp_str before, ttp_str after, unsigned changed,
                         struct ttp_arena *arena)
{
    struct ttp_setting_change change[MAX_LISTED];
    const size_t found = ttp_diff_settings_compare(change, MAX_LISTED, before, after, arena);
    const size_t count = found < MAX_LISTED ? found : MAX_LISTED;
    size_t shown = 0, more = found - count;

    for (size_t i = 0; i < count; i++) {
        if (is_told(change, count, i, changed))
            continue;
        if (shown < MAX_SHOWN)
            put_change(out, change[i].name, change[i].from, change[i].to);
        else
            more++;
        shown++;
    }
    if (more)
        ttp_sink_printf(out, ", %zu more setting%s", more, more == 1 ? "" : "s");
}

struct pair {
    const struct ttp_diff_run *base, *other;
    const struct ttp_op *a, *b;
};

static ttp_str cell(const struct ttp_diff_run *run, const struct ttp_op *op,
                    enum ttp_ops_text column)
{
    return ttp_sym_name(&run->ops->syms, ttp_ops_sym(run->ops, column, op->row));
}

static const char *const tensors[] = {"input 0", "input 1", "output"};

/* "input 1 BFLOAT16 to BFLOAT8_B" for each tensor that changed. */
static void put_tensors(struct ttp_sink *out, const struct pair *p, enum ttp_ops_text first)
{
    for (unsigned t = 0; t < TTP_COUNT(tensors); t++) {
        const ttp_str from = cell(p->base, p->a, first + t), to = cell(p->other, p->b, first + t);
        if (!ttp_str_eq(from, to))
            put_change(out, ttp_str_from(tensors[t]), from, to);
    }
}

/* "19" of "19[19]", but "32[19]" as it is. */
static ttp_str brief_dim(ttp_str dim)
{
    const size_t at = ttp_str_find_char(dim, '[');

    if (at == TTP_NPOS || !ttp_str_ends(dim, TTP_STR("]")) ||
        !ttp_str_eq(ttp_str_slice(dim, 0, at), ttp_str_slice(dim, at + 1, dim.len - 1)))
        return dim;
    return ttp_str_slice(dim, 0, at);
}

static void put_dims(struct ttp_sink *out, const struct ttp_diff_run *run, const struct ttp_op *op,
                     unsigned tensor)
{
    const enum ttp_ops_text first =
        run->ops->format == TTP_FORMAT_V1 ? TTP_OPS_LEGACY_DIMS : TTP_OPS_DIMS;

    for (unsigned d = 0; d < 4; d++) {
        if (d)
            ttp_sink_char(out, 'x');
        ttp_sink_put(out, brief_dim(cell(run, op, first + tensor * 4 + d)));
    }
}

static void put_shapes(struct ttp_sink *out, const struct pair *p, struct ttp_arena *arena)
{
    for (unsigned t = 0; t < TTP_COUNT(tensors); t++) {
        struct ttp_sink from, to;

        ttp_sink_to_arena(&from, arena);
        ttp_sink_to_arena(&to, arena);
        put_dims(&from, p->base, p->a, t);
        put_dims(&to, p->other, p->b, t);
        if (!ttp_str_eq(ttp_sink_text(&from), ttp_sink_text(&to)))
            put_change(out, ttp_str_from(tensors[t]), ttp_sink_text(&from), ttp_sink_text(&to));
    }
}

static void put_cores(struct ttp_sink *out, const struct pair *p)
{
    double from = 0, to = 0;

    if (ttp_cell_f64(p->a->cores, &from) && ttp_cell_f64(p->b->cores, &to))
        ttp_sink_printf(out, "%scores %.0f to %.0f", out->len ? ", " : "", from, to);
}

/* Congestion that changed by as many points is worth a word. */
#define CONGESTION_POINTS 10.0

static double congestion_of(const struct ttp_diff_run *run, const struct ttp_op *op)
{
    double v;

    return ttp_analysis_cell(run->report, op, TTP_OPS_CONGESTION, &v) ? v : NAN;
}

/* What the NoC must do with it, where both sides have NoC traces. */
static void put_noc(struct ttp_sink *out, const struct pair *p)
{
    const double from = congestion_of(p->base, p->a), to = congestion_of(p->other, p->b);

    if (!(fabs(to - from) >= CONGESTION_POINTS))
        return;
    ttp_sink_printf(out, "%sNoC congestion %.0f %% to %.0f %%", out->len ? ", " : "", from, to);
    put_change(out, TTP_STR("hottest link"), cell(p->base, p->a, TTP_OPS_HOT_LINK),
               cell(p->other, p->b, TTP_OPS_HOT_LINK));
}

ttp_str ttp_diff_describe(const struct ttp_diff *diff, const struct ttp_diff_op *op,
                          struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (op->base == TTP_DIFF_NONE || op->other == TTP_DIFF_NONE)
        return ttp_sink_text(&out);
    const struct pair p = {&diff->base.run[0], &diff->other.run[0],
                           &diff->base.run[0].report->op[op->base],
                           &diff->other.run[0].report->op[op->other]};
    if (op->kind == TTP_DIFF_REPLACED)
        put_change(&out, TTP_STR("op"), ttp_diff_base_code(diff, op),
                   ttp_diff_bare_code(ttp_sym_name(p.other->report->syms, p.b->raw_code)));
    else if (op->changed & TTP_CHANGED_NAME)
        put_change(&out, TTP_STR("name"), ttp_sym_name(p.base->report->syms, p.a->raw_code),
                   ttp_sym_name(p.other->report->syms, p.b->raw_code));
    if (op->changed & TTP_CHANGED_CORES)
        put_cores(&out, &p);
    if (op->changed & TTP_CHANGED_FIDELITY)
        put_change(&out, TTP_STR("fidelity"), cell(p.base, p.a, TTP_OPS_FIDELITY),
                   cell(p.other, p.b, TTP_OPS_FIDELITY));
    if (op->changed & TTP_CHANGED_TYPES)
        put_tensors(&out, &p, TTP_OPS_IN0_DATATYPE);
    if (op->changed & TTP_CHANGED_MEMORY)
        put_tensors(&out, &p, TTP_OPS_IN0_MEMORY);
    if (op->changed & TTP_CHANGED_LAYOUT)
        put_tensors(&out, &p, TTP_OPS_IN0_LAYOUT);
    if (op->changed & TTP_CHANGED_SHAPE)
        put_shapes(&out, &p, arena);
    if (op->changed & TTP_CHANGED_PROGRAM)
        put_settings(&out, cell(p.base, p.a, TTP_OPS_ATTRIBUTES),
                     cell(p.other, p.b, TTP_OPS_ATTRIBUTES), op->changed, arena);
    put_noc(&out, &p);
    return ttp_sink_text(&out);
}
