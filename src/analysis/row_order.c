/* SPDX-License-Identifier: Apache-2.0 */
/* row_order.c - rows in the order the host issued them. */
#include "base/order.h"

#include "analysis/stages.h"

struct key {
    union {
        int64_t i;
        double f;
        ttp_str text;
    } v;
    uint32_t row;
    bool missing;
};

/* Missing last; ties in file order. */
static int by_presence(const struct key *a, const struct key *b)
{
    if (a->missing != b->missing)
        return a->missing ? 1 : -1;
    return a->missing ? (a->row > b->row) - (a->row < b->row) : 0;
}

#define COMPARE(name, expression)                                                                  \
    static int name(const void *pa, const void *pb)                                                \
    {                                                                                              \
        const struct key *a = pa, *b = pb;                                                         \
        int order = by_presence(a, b);                                                             \
        if (!order && !a->missing)                                                                 \
            order = (expression);                                                                  \
        return order ? order : (a->row > b->row) - (a->row < b->row);                              \
    }
COMPARE(by_int, (a->v.i > b->v.i) - (a->v.i < b->v.i))
COMPARE(by_float, (a->v.f > b->v.f) - (a->v.f < b->v.f))
COMPARE(by_text, ttp_str_cmp(a->v.text, b->v.text))

static void sort_rows(struct ttp_stage *s, struct ttp_rows *rows, enum ttp_cell_kind kind)
{
    const struct ttp_ops *ops = s->ops;
    int (*compare)(const void *, const void *) = kind == TTP_CELL_INT    ? by_int
                                                 : kind == TTP_CELL_TEXT ? by_text
                                                                         : by_float;
    const struct ttp_mark mark = ttp_arena_mark(s->arena);
    struct key *key = TTP_NEW(s->arena, struct key, rows->count);
    bool sorted = true;

    for (size_t i = 0; i < rows->count; i++) {
        const struct ttp_cell c = ttp_ops_cell(ops, TTP_OPS_HOST_START, i);
        key[i].row = (uint32_t)i;
        key[i].missing = c.kind == TTP_CELL_MISSING;
        if (c.kind == TTP_CELL_TEXT)
            key[i].v.text = ttp_sym_name(&ops->syms, c.v.text);
        else
            key[i].v.i = c.v.i; /* the same bytes for a double */
        sorted &= i == 0 || compare(&key[i - 1], &key[i]) < 0;
    }
    if (!sorted)
        TTP_SORT(key, rows->count, compare);
    for (size_t i = 0; i < rows->count; i++)
        rows->row[i] = key[i].row;
    ttp_arena_rewind(s->arena, mark);
}

/* The one kind of every cell that is there; false if text and numbers are mixed. */
static bool one_kind(const struct ttp_ops *ops, enum ttp_cell_kind *out)
{
    const struct ttp_number_column *n = &ops->number[TTP_OPS_HOST_START];

    *out = TTP_CELL_MISSING;
    for (size_t r = 0; r < ops->rows; r++) {
        const enum ttp_cell_kind k = (enum ttp_cell_kind)n->kind[r];
        if (k == TTP_CELL_MISSING || k == *out)
            continue;
        if (*out != TTP_CELL_MISSING)
            return false;
        *out = k;
    }
    return true;
}

/* The order of the file was asked for; what was only captured is seen by time. */
static void find_captured(struct ttp_stage *s, size_t count)
{
    struct ttp_rows by_time = {.row = TTP_NEW(s->arena, uint32_t, count), .count = count};
    enum ttp_cell_kind kind;

    if (!one_kind(s->ops, &kind))
        return;
    sort_rows(s, &by_time, kind);
    ttp_analysis_stage_replays(s, &by_time);
}

ttp_code ttp_analysis_stage_order(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    const struct ttp_analysis_rules *rules = s->rules;
    enum ttp_cell_kind kind;

    *rows =
        (struct ttp_rows){.row = TTP_NEW(s->arena, uint32_t, s->ops->rows), .count = s->ops->rows};
    for (size_t i = 0; i < rows->count; i++)
        rows->row[i] = (uint32_t)i;
    if (s->ops->devices) { /* hosts have clocks of their own: the file is in the order of ops */
        if (s->ops->number[TTP_OPS_HOST_START].kind)
            find_captured(s, rows->count);
        return TTP_OK;
    }
    if (s->options->tracing_mode || !s->ops->number[TTP_OPS_HOST_START].kind) {
        if (rules->talk)
            rules->talk->order(s->notes, false);
        else if (!s->options->tracing_mode)
            ttp_analysis_note_add(s->notes, TTP_NOTE_WARNING,
                                  "no 'HOST START TS' column: rows stay in file order");
        else if (s->ops->number[TTP_OPS_HOST_START].kind)
            find_captured(s, rows->count);
        return TTP_OK;
    }
    if (rules->talk)
        rules->talk->order(s->notes, true);
    if (one_kind(s->ops, &kind)) {
        sort_rows(s, rows, kind);
        if (!rules->file_order)
            ttp_analysis_stage_replays(s, rows);
        return TTP_OK;
    }
    if (rules->strict)
        return ttp_fail(err, TTP_EPARSE, "'HOST START TS' mixes text and numbers");
    ttp_analysis_note_add(s->notes, TTP_NOTE_WARNING,
                          "'HOST START TS' mixes text and numbers: rows stay in file order");
    return TTP_OK;
}
