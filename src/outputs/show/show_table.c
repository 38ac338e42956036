/* SPDX-License-Identifier: Apache-2.0 */
/* show_table.c - a table as text or Markdown. */
#include <math.h>

#include "base/gate.h"
#include "base/iso_time.h"
#include "base/quantity.h"
#include "outputs/show/paint.h"
#include "outputs/show/table_layout.h"

#define BETWEEN 2

static enum ttp_color color_of(enum ttp_tone tone)
{
    static const enum ttp_color colors[] = {
        [TTP_TONE_PLAIN] = TTP_PLAIN,     [TTP_TONE_FAINT] = TTP_GREY,  [TTP_TONE_BAD] = TTP_RED,
        [TTP_TONE_GOOD] = TTP_GREEN,      [TTP_TONE_WARN] = TTP_YELLOW, [TTP_TONE_BLUE] = TTP_BLUE,
        [TTP_TONE_MAGENTA] = TTP_MAGENTA, [TTP_TONE_CYAN] = TTP_CYAN,
    };
    return colors[tone];
}

/* What rounds to 0 has no sign. */
static void put_fixed(struct ttp_sink *out, double v, int digits)
{
    const bool zero = v < 0 && v > -1 && -v < 0.5 * pow(10, -digits);

    ttp_sink_fixed(out, zero ? 0 : v, digits, true);
}

static ttp_str number_text(const struct ttp_field *field, double v, const char *unit,
                           struct ttp_arena *arena)
{
    const double us = ttp_quantity_us_per(field->unit);
    const bool is_time = us > 0;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (field->plus && v >= 0)
        ttp_sink_char(&out, '+');
    if (is_time && !unit) {
        ttp_put_time_us(&out, v * us);
    } else if (is_time && unit && *unit) {
        const struct ttp_time_unit shown = ttp_quantity_time_unit(0);
        const double per = ttp_str_eq(ttp_str_from(unit), ttp_str_from(shown.name))
                               ? shown.per_us
                               : 1 / ttp_quantity_us_per(unit);
        const bool finer = per < 1 / us; /* of a coarser unit: digits are worth keeping */
        put_fixed(&out, v * us * per, finer && field->digits < 2 ? 2 : field->digits);
    } else if (ttp_str_eq(ttp_str_from(field->unit), TTP_STR("bytes"))) {
        ttp_put_bytes(&out, v);
    } else if (field->digits < 0 && fabs(v) >= pow(10, -field->digits) && fabs(v) < 1e9) {
        ttp_sink_fixed(&out, v, 0, true); /* no exponent where people read digits as well */
    } else if (field->digits < 0) {
        ttp_sink_printf(&out, "%.*g", -field->digits, v);
    } else {
        put_fixed(&out, v, field->digits);
    }
    return ttp_sink_text(&out);
}

ttp_str ttp_show_cell(const struct ttp_field *field, struct ttp_value value, const char *unit,
                      struct ttp_arena *arena)
{
    char time[TTP_ISO_TIME_MAX];
    struct ttp_sink out;

    switch (value.kind) {
    case TTP_VALUE_TEXT:
        return value.v.text;
    case TTP_VALUE_BOOL:
        return ttp_str_eq(value.v.text, TTP_STR("True")) ? TTP_STR("yes") : TTP_STR("no");
    case TTP_VALUE_REAL:
        return number_text(field, value.v.f, unit, arena);
    case TTP_VALUE_INT:
        if (field->type == TTP_F64 || ttp_quantity_us_per(field->unit) > 0 ||
            ttp_str_eq(ttp_str_from(field->unit), TTP_STR("bytes")))
            return number_text(field, (double)value.v.i, unit, arena);
        ttp_sink_to_arena(&out, arena);
        if (field->unit && *field->unit) /* a quantity, not a name */
            ttp_sink_fixed(&out, (double)value.v.i, 0, true);
        else
            ttp_sink_i64(&out, value.v.i);
        return ttp_sink_text(&out);
    case TTP_VALUE_MOMENT: /* to the minute */
        (void)ttp_iso_time(time, value.v.i);
        time[10] = ' ';
        return ttp_arena_copy(arena, (ttp_str){time, 16});
    default:
        return (ttp_str){0};
    }
}

static enum ttp_tone tone_of(const struct ttp_table_layout *l, size_t row, size_t column)
{
    const struct ttp_field *f = l->column[column].field;
    const struct ttp_table *t = l->table;

    if (row >= l->rows)
        return TTP_TONE_FAINT;
    if (t->tone)
        return t->tone(t->arg, f, ttp_layout_row(t, row));
    return f->tone ? f->tone(t->rows->context, ttp_layout_row(t, row)) : TTP_TONE_PLAIN;
}

static void paint(const struct ttp_show *show, enum ttp_tone tone, ttp_str text)
{
    ttp_paint_themed(show->out, show->color ? color_of(tone) : TTP_PLAIN, text);
}

enum { TITLES = -1, UNITS = -2 }; /* instead of a row */

static ttp_str text_of(const struct ttp_table_layout *l, ptrdiff_t row, size_t column)
{
    return row == TITLES  ? l->column[column].title
           : row == UNITS ? l->column[column].below
                          : l->cell[(size_t)row * l->columns + column];
}

/* Blanks are written only if something follows them. */
static void put_line(const struct ttp_show *show, const struct ttp_table_layout *l, ptrdiff_t row)
{
    size_t owed = l->table->indent;

    for (size_t c = 0; c < l->columns; c++) {
        const struct ttp_layout_column *column = &l->column[c];
        ttp_str text = text_of(l, row, c);
        size_t used = ttp_str_code_points(text);

        if (!column->width)
            continue;
        if (used > column->width) {
            text = ttp_paint_shorten(text, column->width, show->arena);
            used = column->width;
        }
        const size_t pad = column->width - used;
        owed += column->field->left ? 0 : pad;
        if (text.len) {
            ttp_sink_repeat(show->out, ' ', owed);
            paint(show, row < 0 || !show->color ? TTP_TONE_PLAIN : tone_of(l, (size_t)row, c),
                  text);
            owed = 0;
        }
        owed += (column->field->left ? pad : 0) + BETWEEN;
    }
    ttp_sink_char(show->out, '\n');
}

/* Words that run over the page continue below, set in by three. */
static void put_above(const struct ttp_show *show, const struct ttp_table *t, size_t row)
{
    ttp_str lines = t->above ? t->above(t->arg, row, show->arena) : (ttp_str){0};

    for (ttp_str line; ttp_str_next_line(&lines, &line);) {
        struct ttp_sink wrapped;

        ttp_sink_to_arena(&wrapped, show->arena);
        ttp_paint_wrapped(&wrapped, line, show->width, t->indent, t->indent + 3);
        ttp_str rest = ttp_sink_text(&wrapped);
        for (size_t indent = t->indent; ttp_str_next_line(&rest, &line); indent = 0) {
            const ttp_str words = ttp_str_trim(line);
            ttp_sink_repeat(show->out, ' ', indent + line.len - words.len);
            paint(show, t->above_tone, words);
            ttp_sink_char(show->out, '\n');
        }
    }
}

static void put_rule(const struct ttp_show *show, const struct ttp_table_layout *l)
{
    if (!l->table->ruled)
        return;
    ttp_sink_repeat(show->out, ' ', l->table->indent);
    for (size_t i = l->table->indent; i < ttp_layout_width(l); i++)
        ttp_sink_put(show->out, TTP_STR("─"));
    ttp_sink_char(show->out, '\n');
}

static bool is_empty(const struct ttp_table_layout *l, size_t line)
{
    for (size_t c = 0; c < l->columns; c++)
        if (l->column[c].width && l->cell[line * l->columns + c].len)
            return false;
    return true;
}

/* Which columns have something to show but no room. */
static void put_dropped(const struct ttp_show *show, const struct ttp_table_layout *l)
{
    struct ttp_sink titles;

    ttp_sink_to_arena(&titles, show->arena);
    for (size_t c = 0; c < l->columns; c++)
        if (!l->column[c].width && l->column[c].title.len)
            ttp_sink_printf(&titles, "%s%.*s%s%.*s", titles.len ? ", " : "",
                            TTP_FMT(l->column[c].title), l->column[c].below.len ? " " : "",
                            TTP_FMT(l->column[c].below));
    if (titles.len && !show->about) /* a page has all columns in its own table */
        ttp_paint_no_room(
            show->out, ttp_sink_text(&titles), l->table->aside ? "" : ", or choose with --columns",
            (struct ttp_paint_page){show->width, l->table->indent, show->color}, show->arena);
}

static void put_text(const struct ttp_show *show, struct ttp_table_layout *l)
{
    if (show->width > 0)
        ttp_layout_fit(l, (size_t)show->width);
    put_line(show, l, TITLES);
    if (l->stacked)
        put_line(show, l, UNITS);
    put_rule(show, l);
    for (size_t r = 0; r < l->rows; r++) {
        put_above(show, l->table, r);
        put_line(show, l, (ptrdiff_t)r);
        if (l->table->below)
            l->table->below(show, l->table->arg, ttp_layout_row(l->table, r));
    }
    put_above(show, l->table, l->rows);
    put_rule(show, l);
    for (size_t r = l->rows; r < l->rows + l->table->feet; r++)
        if (!is_empty(l, r))
            put_line(show, l, (ptrdiff_t)r);
    put_dropped(show, l);
}

static void put_markdown_line(const struct ttp_show *show, const struct ttp_table_layout *l,
                              size_t row)
{
    const bool bold = row >= l->rows;

    for (size_t c = 0; c < l->columns; c++) {
        const ttp_str text = l->cell[row * l->columns + c];

        ttp_sink_own(show->out, "| ");
        if (!text.len)
            continue;
        if (bold)
            ttp_sink_own(show->out, "**");
        ttp_gate_put_markdown(show->out, text);
        if (bold)
            ttp_sink_own(show->out, "**");
        ttp_sink_char(show->out, ' ');
    }
    ttp_sink_own(show->out, "|\n");
}

/* A line between rows becomes a row of its own, in the widest column of text. */
static void put_markdown_above(const struct ttp_show *show, const struct ttp_table_layout *l,
                               size_t row)
{
    const struct ttp_table *t = l->table;
    const ttp_str line = t->above ? t->above(t->arg, row, show->arena) : (ttp_str){0};
    const size_t at = ttp_layout_widest_name(l);

    if (!line.len)
        return;
    for (size_t c = 0; c < l->columns; c++) {
        ttp_sink_own(show->out, "| ");
        if (c != (at < l->columns ? at : 0))
            continue;
        ttp_sink_own(show->out, "**");
        ttp_gate_put_markdown(show->out, line);
        ttp_sink_own(show->out, "** ");
    }
    ttp_sink_own(show->out, "|\n");
}

static void put_markdown(const struct ttp_show *show, const struct ttp_table_layout *l)
{
    for (size_t c = 0; c < l->columns; c++) {
        ttp_sink_own(show->out, "| ");
        ttp_gate_put_markdown(show->out, l->column[c].title);
        ttp_sink_char(show->out, ' ');
    }
    ttp_sink_own(show->out, "|\n");
    for (size_t c = 0; c < l->columns; c++)
        ttp_sink_printf(show->out, "|--%c", l->column[c].field->left ? '-' : ':');
    ttp_sink_own(show->out, "|\n");
    for (size_t r = 0; r < l->rows + l->table->feet; r++) {
        if (r <= l->rows)
            put_markdown_above(show, l, r);
        if (r < l->rows || !is_empty(l, r))
            put_markdown_line(show, l, r);
    }
}

void ttp_show_table(const struct ttp_show *show, const struct ttp_table *table)
{
    struct ttp_table_layout l;

    ttp_layout_init(&l, table, show->arena);
    if (l.columns == 0)
        return;
    if (show->form == TTP_FORM_MARKDOWN)
        put_markdown(show, &l);
    else
        put_text(show, &l);
}

/* A value with its unit; bytes that are shown one by one also in a unit that suits them. */
static void put_fact(struct ttp_sink *out, const struct ttp_field *f, struct ttp_value value,
                     ttp_str text)
{
    const ttp_str unit = ttp_str_from(f->unit);

    ttp_sink_put(out, text);
    if (!unit.len || ttp_quantity_us_per(f->unit) > 0 || ttp_str_eq(unit, TTP_STR("bytes")))
        return;
    ttp_sink_printf(out, " %s", f->unit);
    if (!ttp_str_eq(unit, TTP_STR("B")) || !(ttp_value_number(value) >= 1024))
        return;
    ttp_sink_own(out, " (");
    ttp_put_bytes(out, ttp_value_number(value));
    ttp_sink_char(out, ')');
}

void ttp_show_facts(const struct ttp_show *show, const struct ttp_records *record)
{
    const struct ttp_fields *all = record->fields;
    const bool markdown = show->form == TTP_FORM_MARKDOWN;
    size_t label = 0;

    for (size_t i = 0; i < all->count; i++) {
        const size_t n =
            all->field[i].in_table ? ttp_str_code_points(ttp_field_title(&all->field[i])) : 0;
        label = n > label ? n : label;
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct ttp_field *f = &all->field[i];
        const ttp_str title = ttp_field_title(f);

        if (!f->in_table)
            continue;
        const ttp_str text =
            ttp_show_cell(f, ttp_field_value(f, record->context, record->first), NULL, show->arena);
        if (!text.len)
            continue;
        struct ttp_sink value;
        ttp_sink_to_arena(&value, show->arena);
        put_fact(&value, f, ttp_field_value(f, record->context, record->first), text);
        if (markdown) {
            ttp_sink_printf(show->out, "- %.*s: ", TTP_FMT(title));
            ttp_gate_put_markdown(show->out, ttp_sink_text(&value));
            ttp_sink_char(show->out, '\n');
        } else {
            ttp_sink_printf(show->out, "  %.*s", TTP_FMT(title));
            ttp_sink_repeat(show->out, ' ', label - ttp_str_code_points(title) + BETWEEN);
            ttp_paint_wrapped(show->out, ttp_sink_text(&value), show->width, label + 4, label + 4);
        }
    }
}
