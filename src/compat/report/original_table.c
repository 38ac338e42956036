/* SPDX-License-Identifier: Apache-2.0 */
#include "compat/report/original_table.h"

#include <math.h>

#include "base/python_text.h"
#include "compat/report/report_rules.h"

/* Blanks and numbers are copied this many bytes at a time; what is too much is overwritten. */
#define STEP 32

/* What a cell may need besides its column's width and its text: a number, colour codes around each
 * of two parts, the blanks before it, and what STEP writes too much. */
#define ROOM_PER_CELL (TTP_NUM_FIXED_MAX + 2 * TTP_PAINT_MAX + 2 * STEP)

/* A unit is a blank after its number; padded, so that its bytes are copied all at once. */
struct unit {
    char text[8];
    uint8_t bytes, width;
};
static const struct unit percent = {"%", 1, 1}, microseconds = {"μs", 3, 2},
                         gigabytes = {"GB/s", 4, 4}, teraflops = {"TFLOPs", 6, 6};

/* Numbers that are doubles of struct ttp_op have their offset there. */
#define DOUBLE(field) offsetof(struct ttp_op, field)
#define NO_DOUBLE     SIZE_MAX

static const struct column {
    const char *title;
    const struct unit *unit;
    int digits;
    uint32_t has; /* bit of struct ttp_op that says whether there is a number */
    size_t offset;
} columns[COLS] = {
    [COL_ID] = {"ID", NULL, 0, 0, NO_DOUBLE},
    [COL_TOTAL] = {"Total %", &percent, 1, TTP_HAS_TOTAL, DOUBLE(total_pct)},
    [COL_BOUND] = {"Bound", NULL, 0, 0, NO_DOUBLE},
    [COL_CODE] = {"OP Code", NULL, 0, 0, NO_DOUBLE},
    [COL_DEVICE] = {"Device", NULL, 0, 0, NO_DOUBLE},
    [COL_TIME] = {"Device Time", &microseconds, 0, TTP_HAS_TIME, DOUBLE(time_us)},
    [COL_GAP] = {"Op-to-Op Gap", &microseconds, 0, TTP_HAS_GAP, DOUBLE(gap_us)},
    [COL_CORES] = {"Cores", NULL, 0, 0, NO_DOUBLE},
    [COL_DRAM] = {"DRAM", &gigabytes, 0, TTP_HAS_DRAM, DOUBLE(dram_gbs)},
    [COL_DRAM_PCT] = {"DRAM %", &percent, 1, TTP_HAS_DRAM_PCT, DOUBLE(dram_pct)},
    [COL_FLOPS] = {"FLOPs", &teraflops, 1, TTP_HAS_FLOPS, DOUBLE(tflops)},
    [COL_FLOPS_PCT] = {"FLOPs %", &percent, 1, TTP_HAS_FLOPS_PCT, DOUBLE(flops_pct)},
    [COL_FIDELITY] = {"Math Fidelity", NULL, 0, 0, NO_DOUBLE},
};

/* One cell: a number, or up to two pieces of text with a blank between them. Number, unit and
 * pieces each get the cell's colour. */
struct cell {
    size_t width;
    size_t number_len; /* 0: text */
    const struct unit *unit;
    ttp_str piece[2];
    size_t pieces;
    char number[TTP_NUM_FIXED_MAX];
};

/* The number in that column of an op, false if there is none. */
TTP_INLINE bool number_of(const struct ttp_op *op, int column, double *out)
{
    const size_t offset = columns[column].offset;

    if (offset != NO_DOUBLE) {
        *out = *(const double *)(const void *)((const char *)op + offset);
        return op->has & columns[column].has;
    }
    switch (column) {
    case COL_ID:
        *out = (double)op->row + 2;
        return true;
    case COL_DEVICE:
        *out = (double)op->device;
        return op->has & TTP_HAS_DEVICE;
    case COL_CORES:
        return ttp_cell_f64(op->cores, out);
    default:
        return false;
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

static void fill_number(struct cell *c, double v, int digits, const struct unit *unit)
{
    if (isnan(v))
        return;
    c->number_len = ttp_num_fixed(c->number, v, digits, true);
    c->width = c->number_len;
    c->unit = unit;
    if (unit)
        c->width += 1 + unit->width;
}

static void fill_text(struct cell *c, const struct ttp_original_table *t, ttp_sym sym)
{
    const struct ttp_shown_text *s = &t->shown[sym];
    const ttp_str text = ttp_sym_name(t->report->syms, sym);

    if (s->is_number && !isnan(s->number)) {
        fill_number(c, s->number, 0, NULL);
        return;
    }
    c->width = s->width;
    c->pieces = 1;
    c->piece[0] = s->is_number ? TTP_STR("nan") : text;
    if (s->is_split) {
        c->pieces = 2;
        c->piece[0].len = s->split_at;
        c->piece[1] = (ttp_str){text.ptr + s->rest_at, text.len - s->rest_at};
    }
}

static void fill(struct cell *c, const struct ttp_original_table *t, const struct ttp_op *op,
                 int column)
{
    double v;

    c->width = c->number_len = c->pieces = 0;
    switch (column) {
    case COL_ID: /* without ',', unlike its width */
        c->number_len = c->width = ttp_num_u64(c->number, (uint64_t)op->row + 2);
        c->unit = NULL;
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
    default:
        if (number_of(op, column, &v))
            fill_number(c, v, columns[column].digits, columns[column].unit);
    }
}

static void widen(struct ttp_original_table *t, int column, size_t width)
{
    if (width > t->width[column])
        t->width[column] = width;
}

static void learn_text(struct ttp_shown_text *s, ttp_str text)
{
    s->known = true;
    s->is_torch = ttp_str_has(text, TTP_STR("(torch)"));
    s->is_matmul = ttp_str_has(text, TTP_STR("Matmul"));
    s->color = (uint8_t)ttp_compat_op_color(text);
    if (prints_in_two_parts(text))
        split_text(s, text);
    else
        s->is_number = ttp_python_float(text, &s->number);
    s->is_marked = ttp_str_has(text, TTP_STR("(signpost)"));
    s->width = s->is_number ? 3 : (uint32_t)ttp_python_visible(text); /* 3: nan */
    if (s->is_split) /* one blank where there may have been several */
        s->width -= s->rest_at - s->split_at - 1;
}

/* The first op of a text makes it known, and its column as wide as it needs. */
static void show_text(struct ttp_original_table *t, const struct ttp_op *op, int column,
                      ttp_sym sym)
{
    struct ttp_shown_text *s = &t->shown[sym];
    const uint32_t bit = 1u << column;
    struct cell c;

    if (s->columns & bit)
        return;
    s->columns |= bit;
    if (!s->known)
        learn_text(s, ttp_sym_name(t->report->syms, sym));
    fill(&c, t, op, column);
    widen(t, column, c.width);
}

/* The largest number of a column by its sign: no other is wider. */
struct extremes {
    double most[2];
};

static void widen_by_number(struct ttp_original_table *t, int column, double v)
{
    struct cell c = {.width = 0};

    fill_number(&c, v, columns[column].digits, columns[column].unit);
    widen(t, column, c.width);
}

TTP_INLINE void note_numbers(struct ttp_original_table *t, struct extremes *x,
                             const struct ttp_op *op)
{
    for (int c = 0; c < COLS; c++) {
        double v;
        if (!number_of(op, c, &v))
            continue;
        double *most = &x[c].most[signbit(v) != 0];
        if (!(fabs(v) > *most)) /* NaN prints nothing */
            continue;
        if (isinf(v)) /* short, whatever it represents */
            widen_by_number(t, c, v);
        else
            *most = fabs(v);
    }
}

static void find_widths(struct ttp_original_table *t)
{
    struct extremes x[COLS];

    for (int c = 0; c < COLS; c++)
        x[c] = (struct extremes){{-1, -1}};
    for (size_t i = 0; i < t->report->count; i++) {
        const struct ttp_op *op = &t->report->op[i];
        show_text(t, op, COL_CODE, op->code);
        show_text(t, op, COL_FIDELITY, op->fidelity_text);
        note_numbers(t, x, op);
    }
    for (int c = 0; c < COLS; c++) {
        if (x[c].most[0] >= 0)
            widen_by_number(t, c, x[c].most[0]);
        if (x[c].most[1] >= 0)
            widen_by_number(t, c, -x[c].most[1]);
    }
}

static size_t row_width(const struct ttp_original_table *t)
{
    size_t width = (size_t)2 * (COLS - 1);

    for (int i = 0; i < COLS; i++)
        width += t->width[i];
    return width;
}

void ttp_original_table_init(struct ttp_original_table *t, const struct ttp_report *report,
                             const struct ttp_original_style *style, struct ttp_arena *arena)
{
    *t = (struct ttp_original_table){
        .report = report,
        .style = style,
        .shown = TTP_NEW(arena, struct ttp_shown_text, report->syms->count)};
    for (int c = 0; c < COLS; c++)
        t->width[c] = strlen(columns[c].title);
    t->width[COL_DEVICE] = 7;
    find_widths(t);
    for (int c = 0; c < COLS; c++)
        t->room += t->width[c] + ROOM_PER_CELL;
    t->usual_row = row_width(t) + 16; /* two-byte characters */
}

bool ttp_original_is_grey(const struct ttp_original_table *t, const struct ttp_op *op)
{
    return (op->has & TTP_HAS_TOTAL) && op->total_pct < t->style->min_percentage &&
           !t->shown[op->code].is_torch;
}

static enum ttp_color verdict_color(const struct ttp_original_table *t, const struct ttp_op *op)
{
    const ttp_str code = ttp_sym_name(t->report->syms, op->code);

    if (ttp_sym_name(t->report->syms, op->fidelity_text).len == 0 ||
        (!ttp_str_has(code, TTP_STR("Matmul")) && !ttp_str_has(code, TTP_STR("OptimizedConvNew"))))
        return TTP_PLAIN;
    return op->verdict == TTP_FIDELITY_SUFFICIENT ? TTP_GREEN
           : op->verdict == TTP_FIDELITY_HIGH     ? TTP_RED
           : op->verdict == TTP_FIDELITY_LOW      ? TTP_CYAN
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

/* ---- rows: room for a whole row is asked for once, then bytes are copied without looking ---- */

static char *put_blanks(char *p, size_t n)
{
    if (TTP_LIKELY(n <= STEP))
        memset(p, ' ', STEP); /* a store or two: its length is known */
    else
        memset(p, ' ', n);
    return p + n;
}

static char *put_text(char *p, ttp_str text)
{
    if (text.len)
        memcpy(p, text.ptr, text.len);
    return p + text.len;
}

static char *put_painted(char *p, ttp_str text, enum ttp_color color)
{
    if (color == TTP_PLAIN)
        return put_text(p, text);
    return put_text(put_text(put_text(p, ttp_paint_code(color)), text), TTP_PAINT_END);
}

static char *put_number(char *p, const struct cell *c, enum ttp_color color)
{
    if (color == TTP_PLAIN && c->number_len <= STEP) {
        memcpy(p, c->number, STEP);
        p += c->number_len;
    } else {
        p = put_painted(p, (ttp_str){c->number, c->number_len}, color);
    }
    if (!c->unit)
        return p;
    *p++ = ' ';
    if (color != TTP_PLAIN)
        return put_painted(p, (ttp_str){c->unit->text, c->unit->bytes}, color);
    memcpy(p, c->unit->text, sizeof(c->unit->text));
    return p + c->unit->bytes;
}

static char *put_cell(char *p, const struct cell *c, enum ttp_color color)
{
    if (c->number_len)
        return put_number(p, c, color);
    for (size_t i = 0; i < c->pieces; i++) {
        if (i)
            *p++ = ' ';
        p = put_painted(p, c->piece[i], color);
    }
    return p;
}

/* The cell from `from` to `p` as "🪧 name" in place of "name (signpost)"; in colour a blank stays
 * before the code that ends it. */
static char *mark_signpost(char *from, char *p, size_t *width)
{
    const ttp_str mark = TTP_STR("(signpost)"), sign = TTP_STR("🪧 ");
    ttp_str rest = {from, (size_t)(p - from)};
    char *kept = from;

    for (size_t at = ttp_str_find(rest, mark); at != TTP_NPOS; at = ttp_str_find(rest, mark)) {
        memmove(kept, rest.ptr, at);
        kept += at;
        rest = ttp_str_slice(rest, at + mark.len, rest.len);
    }
    memmove(kept, rest.ptr, rest.len);
    kept += rest.len;
    const ttp_str name = ttp_python_strip((ttp_str){from, (size_t)(kept - from)});
    *width = 2 + ttp_python_visible(name);
    memmove(from + sign.len, name.ptr, name.len);
    memcpy(from, sign.ptr, sign.len);
    return from + sign.len + name.len;
}

static char *put_code(char *p, const struct ttp_original_table *t, const struct ttp_op *op,
                      const struct cell *c, enum ttp_color color)
{
    char *const from = p;
    size_t width = c->width;

    p = put_cell(p, c, color);
    if (t->shown[op->code].is_marked)
        p = mark_signpost(from, p, &width);
    return width < t->width[COL_CODE] ? put_blanks(p, t->width[COL_CODE] - width) : p;
}

void ttp_original_table_row(struct ttp_sink *out, const struct ttp_original_table *t,
                            const struct ttp_op *op)
{
    const struct ttp_symtab *syms = t->report->syms;
    enum ttp_color color[COLS] = {0};
    char *const row = ttp_sink_room(out, t->room + ttp_sym_name(syms, op->code).len +
                                             ttp_sym_name(syms, op->fidelity_text).len);
    char *p = row;
    struct cell c;

    if (t->style->color)
        choose_colors(color, t, op);
    for (int i = 0; i < COLS; i++) {
        if (i)
            p = put_blanks(p, 2);
        fill(&c, t, op, i);
        if (i == COL_CODE) {
            p = put_code(p, t, op, &c, color[i]);
            continue;
        }
        if (c.width < t->width[i])
            p = put_blanks(p, t->width[i] - c.width);
        p = put_cell(p, &c, color[i]);
    }
    *p++ = '\n';
    out->len += (size_t)(p - row);
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
    ttp_sink_repeat(out, '-', row_width(t));
    ttp_sink_char(out, '\n');
}

void ttp_original_table_totals(struct ttp_sink *out, const struct ttp_original_table *t)
{
    const struct ttp_report *r = t->report;
    const enum ttp_color color = t->style->color ? TTP_GREY : TTP_PLAIN;
    char counts[128];
    struct ttp_sink text = {.buf = counts, .cap = sizeof(counts), .fd = -1};
    char *const row = ttp_sink_room(out, t->room + sizeof(counts));
    char *p = row;

    ttp_sink_printf(&text, "%zu device ops, %zu host ops, %zu signposts", r->device_ops,
                    r->host_ops, r->signposts);
    for (int i = 0; i < COLS; i++) {
        struct cell c = {.width = 0};
        if (i)
            p = put_blanks(p, 2);
        if (i == COL_TOTAL) {
            fill_number(&c, 100, 1, &percent);
        } else if (i == COL_TIME) {
            fill_number(&c, r->time_us, 0, &microseconds);
        } else if (i == COL_GAP) {
            fill_number(&c, r->gap_us, 0, &microseconds);
        } else {
            c.piece[0] = i == COL_CODE ? ttp_sink_text(&text) : TTP_STR("");
            c.pieces = 1;
            c.width = c.piece[0].len;
        }
        const size_t pad = c.width < t->width[i] ? t->width[i] - c.width : 0;
        p = put_blanks(p, i == COL_CODE ? 0 : pad);
        p = put_cell(p, &c, color);
        p = put_blanks(p, i == COL_CODE ? pad : 0);
    }
    *p++ = '\n';
    out->len += (size_t)(p - row);
}
