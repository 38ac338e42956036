/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/original_table.h"

#include <math.h>

#include "base/python_text.h"

static const struct column {
    const char *title;
    uint32_t has; /* bit of struct ttp_op that says whether there is a number */
    int digits;
    const char *unit;
} columns[COLS] = {
    [COL_ID] = {"ID", 0, 0, NULL},
    [COL_TOTAL] = {"Total %", TTP_HAS_TOTAL, 1, "%"},
    [COL_BOUND] = {"Bound", 0, 0, NULL},
    [COL_CODE] = {"OP Code", 0, 0, NULL},
    [COL_DEVICE] = {"Device", TTP_HAS_DEVICE, 0, NULL},
    [COL_TIME] = {"Device Time", TTP_HAS_TIME, 0, "μs"},
    [COL_GAP] = {"Op-to-Op Gap", TTP_HAS_GAP, 0, "μs"},
    [COL_CORES] = {"Cores", 0, 0, NULL},
    [COL_DRAM] = {"DRAM", TTP_HAS_DRAM, 0, "GB/s"},
    [COL_DRAM_PCT] = {"DRAM %", TTP_HAS_DRAM_PCT, 1, "%"},
    [COL_FLOPS] = {"FLOPs", TTP_HAS_FLOPS, 1, "TFLOPs"},
    [COL_FLOPS_PCT] = {"FLOPs %", TTP_HAS_FLOPS_PCT, 1, "%"},
    [COL_FIDELITY] = {"Math Fidelity", 0, 0, NULL},
};

/* One cell: up to three pieces with a blank between them, each in the cell's colour. */
struct cell {
    ttp_str piece[3];
    size_t pieces;
    size_t width;
    char number[TTP_NUM_FIXED_MAX];
};

static double number_of(const struct ttp_op *op, int column)
{
    switch (column) {
    case COL_TOTAL:
        return op->total_pct;
    case COL_DEVICE:
        return (double)op->device;
    case COL_TIME:
        return op->time_us;
    case COL_GAP:
        return op->gap_us;
    case COL_DRAM:
        return op->dram_gbs;
    case COL_DRAM_PCT:
        return op->dram_pct;
    case COL_FLOPS:
        return op->tflops;
    default:
        return op->flops_pct;
    }
}

static bool prints_in_two_parts(ttp_str text)
{
    return ttp_str_has(text, TTP_STR("Matmul")) || ttp_str_has(text, TTP_STR("OptimizedConvNew")) ||
           ttp_str_has(text, TTP_STR("Conv2dDeviceOperation")) ||
           ttp_str_has(text, TTP_STR("HaloDeviceOperation"));
}

static void split_text(struct ttp_shown_text *s, ttp_str text)
{
    size_t at = ttp_str_find_char(text, ' ');

    s->is_split = at != TTP_NPOS;
    if (!s->is_split)
        return;
    s->split_at = (uint32_t)at;
    while (at < text.len && text.ptr[at] == ' ')
        at++;
    s->rest_at = (uint32_t)at;
}

static void learn_text(struct ttp_original_table *t, ttp_sym sym)
{
    struct ttp_shown_text *s = &t->shown[sym];
    const ttp_str text = ttp_sym_name(t->report->syms, sym);

    if (s->known)
        return;
    s->known = true;
    s->color = (uint8_t)ttp_paint_op_color(text);
    if (prints_in_two_parts(text))
        split_text(s, text);
    else
        s->is_number = ttp_python_float(text, &s->number);
    s->width = (uint32_t)ttp_python_visible(text);
    if (s->is_split) /* one blank where there may have been several */
        s->width -= s->rest_at - s->split_at - 1;
}

static void fill_number(struct cell *c, double v, int digits, const char *unit)
{
    if (isnan(v)) {
        *c = (struct cell){.pieces = 0};
        return;
    }
    const size_t n = ttp_num_fixed(c->number, v, digits, true);
    c->piece[0] = (ttp_str){c->number, n};
    c->pieces = 1;
    c->width = n;
    if (unit) {
        c->piece[1] = ttp_str_from(unit);
        c->pieces = 2;
        c->width += 1 + ttp_str_code_points(c->piece[1]);
    }
}

static void fill_text(struct cell *c, const struct ttp_original_table *t, ttp_sym sym)
{
    const struct ttp_shown_text *s = &t->shown[sym];
    const ttp_str text = ttp_sym_name(t->report->syms, sym);

    if (s->is_number) {
        if (isnan(s->number)) {
            c->piece[0] = TTP_STR("nan");
            c->pieces = 1;
            c->width = 3;
            return;
        }
        fill_number(c, s->number, 0, NULL);
        return;
    }
    c->width = s->width;
    c->pieces = s->is_split ? 2 : 1;
    c->piece[0] = s->is_split ? ttp_str_slice(text, 0, s->split_at) : text;
    c->piece[1] = ttp_str_slice(text, s->rest_at, text.len);
}

static void fill(struct cell *c, const struct ttp_original_table *t, const struct ttp_op *op,
                 int column)
{
    const struct column *spec = &columns[column];
    double v;

    c->pieces = 0;
    c->width = 0;
    switch (column) {
    case COL_ID:
        fill_number(c, (double)op->row + 2, 0, NULL);
        return;
    case COL_BOUND:
        c->piece[0] = ttp_str_from(ttp_analysis_bound_name((enum ttp_bound)op->bound));
        c->pieces = 1;
        c->width = c->piece[0].len;
        return;
    case COL_CODE:
        fill_text(c, t, op->code);
        return;
    case COL_FIDELITY:
        fill_text(c, t, op->fidelity_text);
        return;
    case COL_CORES:
        if (ttp_cell_f64(op->cores, &v))
            fill_number(c, v, 0, NULL);
        return;
    default:
        if (op->has & spec->has)
            fill_number(c, number_of(op, column), spec->digits, spec->unit);
    }
}

void ttp_original_table_init(struct ttp_original_table *t, const struct ttp_report *report,
                             const struct ttp_original_style *style, struct ttp_arena *arena)
{
    *t = (struct ttp_original_table){
        report, style, {0}, TTP_NEW(arena, struct ttp_shown_text, report->syms->count)};
    for (int c = 0; c < COLS; c++)
        t->width[c] = strlen(columns[c].title);
    t->width[COL_DEVICE] = 7;
    for (size_t i = 0; i < report->count; i++) {
        struct cell cell;

        learn_text(t, report->op[i].code);
        learn_text(t, report->op[i].fidelity_text);
        for (int c = 0; c < COLS; c++) {
            fill(&cell, t, &report->op[i], c);
            if (cell.width > t->width[c])
                t->width[c] = cell.width;
        }
    }
}

bool ttp_original_is_grey(const struct ttp_original_table *t, const struct ttp_op *op)
{
    return (op->has & TTP_HAS_TOTAL) && op->total_pct < t->style->min_percentage &&
           !ttp_str_has(ttp_sym_name(t->report->syms, op->code), TTP_STR("(torch)"));
}

static enum ttp_color verdict_color(const struct ttp_original_table *t, const struct ttp_op *op)
{
    const ttp_str code = ttp_sym_name(t->report->syms, op->code);

    if (ttp_sym_name(t->report->syms, op->fidelity_text).len == 0 ||
        (!ttp_str_has(code, TTP_STR("Matmul")) && !ttp_str_has(code, TTP_STR("OptimizedConvNew"))))
        return TTP_PLAIN;
    return op->verdict == TTP_VERDICT_SUFFICIENT ? TTP_GREEN
           : op->verdict == TTP_VERDICT_HIGH     ? TTP_RED
           : op->verdict == TTP_VERDICT_LOW      ? TTP_CYAN
                                                 : TTP_WHITE;
}

static void color_by_bound(enum ttp_color color[COLS], const struct ttp_op *op)
{
    switch ((enum ttp_bound)op->bound) {
    case TTP_BOUND_DRAM:
        color[COL_BOUND] = color[COL_DRAM] = color[COL_DRAM_PCT] = TTP_GREEN;
        break;
    case TTP_BOUND_FLOP:
        color[COL_BOUND] = color[COL_FLOPS] = color[COL_FLOPS_PCT] = TTP_GREEN;
        break;
    case TTP_BOUND_SLOW:
        color[COL_BOUND] = TTP_YELLOW;
        if (op->dram_pct > op->flops_pct)
            color[COL_DRAM] = color[COL_DRAM_PCT] = TTP_YELLOW;
        else
            color[COL_FLOPS] = color[COL_FLOPS_PCT] = TTP_YELLOW;
        break;
    case TTP_BOUND_HOST:
        color[COL_BOUND] = TTP_RED;
        break;
    default:
        break;
    }
}

static void choose_colors(enum ttp_color color[COLS], const struct ttp_original_table *t,
                          const struct ttp_op *op)
{
    const bool grey = ttp_original_is_grey(t, op);
    double cores;

    for (int c = 0; c < COLS; c++)
        color[c] = grey ? TTP_GREY : TTP_PLAIN;
    if (grey)
        return;
    color[COL_CODE] = (enum ttp_color)t->shown[op->code].color;
    if (ttp_cell_f64(op->cores, &cores))
        color[COL_CORES] = cores < 10 ? TTP_RED : cores == 64 ? TTP_GREEN : TTP_PLAIN;
    color_by_bound(color, op);
    if ((op->has & TTP_HAS_GAP) && op->gap_us > TTP_GAP_FLAGGED_US)
        color[COL_GAP] = TTP_RED;
    color[COL_FIDELITY] = verdict_color(t, op);
}

static void put_pieces(struct ttp_sink *out, const struct cell *c, enum ttp_color color)
{
    for (size_t i = 0; i < c->pieces; i++) {
        if (i)
            ttp_sink_char(out, ' ');
        ttp_paint(out, color, c->piece[i]);
    }
}

/* "🪧 name" in place of "name (signpost)"; in colour a blank stays before the code that ends it.
 */
static size_t put_signpost(struct ttp_sink *out, const struct cell *c, enum ttp_color color)
{
    const ttp_str mark = TTP_STR("(signpost)");
    struct ttp_arena arena = {0};
    struct ttp_sink text, kept;

    ttp_sink_to_arena(&text, &arena);
    put_pieces(&text, c, color);
    ttp_str rest = ttp_sink_text(&text);
    ttp_sink_to_arena(&kept, &arena);
    for (size_t at = ttp_str_find(rest, mark); at != TTP_NPOS; at = ttp_str_find(rest, mark)) {
        ttp_sink_put(&kept, ttp_str_slice(rest, 0, at));
        rest = ttp_str_slice(rest, at + mark.len, rest.len);
    }
    ttp_sink_put(&kept, rest);
    const ttp_str name = ttp_python_strip(ttp_sink_text(&kept));
    const size_t width = 2 + ttp_python_visible(name);
    ttp_sink_put(out, TTP_STR("🪧 "));
    ttp_sink_put(out, name);
    ttp_arena_free(&arena);
    return width;
}

static void put_code(struct ttp_sink *out, const struct ttp_original_table *t,
                     const struct ttp_op *op, const struct cell *c, enum ttp_color color)
{
    const ttp_str text = ttp_sym_name(t->report->syms, op->code);
    size_t width = c->width;

    if (op->kind == TTP_OP_SIGNPOST && ttp_str_has(text, TTP_STR("(signpost)")))
        width = put_signpost(out, c, color);
    else
        put_pieces(out, c, color);
    if (width < t->width[COL_CODE])
        ttp_sink_repeat(out, ' ', t->width[COL_CODE] - width);
}

void ttp_original_table_row(struct ttp_sink *out, const struct ttp_original_table *t,
                            const struct ttp_op *op)
{
    enum ttp_color color[COLS] = {0};
    struct cell c;

    if (t->style->color)
        choose_colors(color, t, op);
    for (int i = 0; i < COLS; i++) {
        if (i)
            ttp_sink_put(out, TTP_STR("  "));
        fill(&c, t, op, i);
        if (i == COL_ID) {
            c.width = ttp_num_i64(c.number, (int64_t)op->row + 2);
            c.piece[0].len = c.width;
        }
        if (i == COL_CODE) {
            put_code(out, t, op, &c, color[i]);
            continue;
        }
        if (c.width < t->width[i])
            ttp_sink_repeat(out, ' ', t->width[i] - c.width);
        put_pieces(out, &c, color[i]);
    }
    ttp_sink_char(out, '\n');
}

void ttp_original_table_header(struct ttp_sink *out, const struct ttp_original_table *t)
{
    for (int i = 0; i < COLS; i++) {
        if (i)
            ttp_sink_put(out, TTP_STR("  "));
        ttp_sink_put(out, ttp_str_from(columns[i].title));
        ttp_sink_repeat(out, ' ', t->width[i] - strlen(columns[i].title));
    }
    ttp_sink_char(out, '\n');
}

void ttp_original_table_dashes(struct ttp_sink *out, const struct ttp_original_table *t)
{
    size_t width = (size_t)2 * (COLS - 1);

    for (int i = 0; i < COLS; i++)
        width += t->width[i];
    ttp_sink_repeat(out, '-', width);
    ttp_sink_char(out, '\n');
}

void ttp_original_table_totals(struct ttp_sink *out, const struct ttp_original_table *t)
{
    const struct ttp_report *r = t->report;
    const enum ttp_color color = t->style->color ? TTP_GREY : TTP_PLAIN;
    char counts[128];
    struct cell c;

    for (int i = 0; i < COLS; i++) {
        c = (struct cell){.piece = {{"", 0}}, .pieces = 1};
        if (i)
            ttp_sink_put(out, TTP_STR("  "));
        if (i == COL_TOTAL) {
            fill_number(&c, 100, 1, "%");
        } else if (i == COL_TIME) {
            fill_number(&c, r->time_us, 0, "μs");
        } else if (i == COL_GAP) {
            fill_number(&c, r->gap_us, 0, "μs");
        } else if (i == COL_CODE) {
            struct ttp_sink text = {.buf = counts, .cap = sizeof(counts), .fd = -1};
            ttp_sink_printf(&text, "%zu device ops, %zu host ops, %zu signposts", r->device_ops,
                            r->host_ops, r->signposts);
            c.piece[0] = ttp_sink_text(&text);
            c.width = c.piece[0].len;
        }
        const size_t pad = c.width < t->width[i] ? t->width[i] - c.width : 0;
        ttp_sink_repeat(out, ' ', i == COL_CODE ? 0 : pad);
        put_pieces(out, &c, color);
        ttp_sink_repeat(out, ' ', i == COL_CODE ? pad : 0);
    }
    ttp_sink_char(out, '\n');
}
