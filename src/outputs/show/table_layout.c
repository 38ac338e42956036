/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/show/table_layout.h"

#include <math.h>

#include "base/gate.h"
#include "base/quantity.h"
#include "outputs/show/measure_text.h"

#define BETWEEN    2
#define NAME_MIN   28 /* a name is shortened to this before columns go */
#define NAME_LEAST 8  /* and to this when none is left to go */

static size_t count_rows(const struct ttp_table *t)
{
    return t->index ? t->count : t->rows->count;
}

static struct ttp_value value_of(const struct ttp_table *t, const struct ttp_field *f,
                                 const void *row)
{
    struct ttp_value v;

    return t->value && t->value(&v, t->arg, f, row) ? v : ttp_field_value(f, t->rows->context, row);
}

static bool has_value(const struct ttp_table *t, const struct ttp_field *f)
{
    for (size_t i = 0; i < count_rows(t); i++)
        if (value_of(t, f, ttp_layout_row(t, i)).kind != TTP_VALUE_NONE)
            return true;
    return false;
}

static void choose_columns(struct ttp_table_layout *l, struct ttp_arena *arena)
{
    const struct ttp_table *t = l->table;
    const struct ttp_fields *all = t->rows->fields;
    const size_t count = t->columns ? t->columns : all->count;

    l->asked = t->columns > 0 && !t->may_drop;
    l->column = TTP_NEW(arena, struct ttp_layout_column, count);
    for (size_t i = 0; i < count; i++) {
        const struct ttp_field *f = t->columns ? t->column[i] : &all->field[i];

        if (!t->columns && (!f->in_table || ttp_field_is_nested(f)))
            continue;
        if (l->asked || f->drop == 0 || has_value(t, f))
            l->column[l->columns++].field = f;
    }
}

static double size_of(struct ttp_value v)
{
    const double x = v.kind == TTP_VALUE_REAL ? v.v.f : v.kind == TTP_VALUE_INT ? (double)v.v.i : 0;

    return isfinite(x) ? fabs(x) : 0;
}

/* Of the rows and the feet. */
static double largest(const struct ttp_table *t, const struct ttp_field *f, struct ttp_arena *arena)
{
    double most = 0;

    for (size_t i = 0; i < count_rows(t); i++)
        most = fmax(most, size_of(value_of(t, f, ttp_layout_row(t, i))));
    for (size_t i = 0; i < t->feet; i++)
        most = fmax(most, size_of(t->foot(t->arg, i, f, arena)));
    return most;
}

/* Digits of microseconds that a column has room for. */
#define MOST_US 9999999.5
/* What is smaller than this in the unit of a column loses its digits. */
#define LEAST 0.1

/* The unit that suits the largest time, or microseconds if a small one would be lost in it. */
static const char *time_unit_of(const struct ttp_table *t, const struct ttp_field *f,
                                struct ttp_arena *arena)
{
    const double us = ttp_quantity_us_per(f->unit), most = largest(t, f, arena) * us;
    const struct ttp_time_unit unit = ttp_quantity_time_unit(most);

    for (size_t i = 0; unit.per_us < 1 && most < MOST_US && i < count_rows(t); i++) {
        const double size = size_of(value_of(t, f, ttp_layout_row(t, i))) * us;
        if (size > 0 && size * unit.per_us < LEAST)
            return ttp_quantity_time_unit(0).name;
    }
    return unit.name;
}

/* "Time μs": the title, and the unit in which the column is shown. */
static void set_title(struct ttp_layout_column *c, const struct ttp_table *t,
                      struct ttp_arena *arena)
{
    const struct ttp_field *f = c->field;
    const double us = ttp_quantity_us_per(f->unit);
    const bool sized = ttp_str_eq(ttp_str_from(f->unit), TTP_STR("bytes"));
    struct ttp_sink title;

    if (us > 0)
        c->unit = time_unit_of(t, f, arena);
    ttp_sink_to_arena(&title, arena);
    ttp_sink_put(&title, ttp_field_title(f));
    const char *unit = c->unit ? c->unit : f->unit;
    if (unit && *unit && !sized && !ttp_str_ends(ttp_field_title(f), ttp_str_from(unit)))
        ttp_sink_printf(&title, " %s", unit);
    c->name = ttp_field_title(f);
    c->title = ttp_sink_text(&title);
}

static ttp_str cell_text(const struct ttp_table_layout *l, size_t row, size_t column,
                         struct ttp_arena *arena)
{
    const struct ttp_table *t = l->table;
    const struct ttp_layout_column *c = &l->column[column];
    const char *unit = c->unit ? c->unit : "";
    ttp_str text;

    if (row >= l->rows)
        return ttp_show_cell(c->field, t->foot(t->arg, row - l->rows, c->field, arena), unit,
                             arena);
    const void *record = ttp_layout_row(t, row);
    if (t->cell && t->cell(&text, t->arg, c->field, record, arena))
        return text;
    const struct ttp_value v = value_of(t, c->field, record);
    if (c->field->unit_at && v.kind != TTP_VALUE_NONE) {
        const char *own;

        memcpy(&own, (const char *)record + c->field->unit_at - 1, sizeof(own));
        return ttp_out_measure_text(ttp_value_number(v), own, arena);
    }
    return ttp_show_cell(c->field, v, unit, arena);
}

void ttp_layout_init(struct ttp_table_layout *l, const struct ttp_table *table,
                     struct ttp_arena *arena)
{
    struct ttp_arena scratch = {0}; /* cells take more room while they are made */

    *l = (struct ttp_table_layout){.table = table, .rows = count_rows(table)};
    choose_columns(l, arena);
    const size_t lines = l->rows + table->feet;
    l->cell = TTP_NEW(arena, ttp_str, lines * l->columns);
    for (size_t c = 0; c < l->columns; c++) {
        set_title(&l->column[c], table, arena);
        l->column[c].width = ttp_str_code_points(l->column[c].title);
    }
    for (size_t r = 0; r < lines; r++) {
        const struct ttp_mark mark = ttp_arena_mark(&scratch);

        for (size_t c = 0; c < l->columns; c++) {
            const ttp_str text = cell_text(l, r, c, &scratch);

            if (text.len == 0)
                continue;
            const ttp_str shown = ttp_arena_copy(arena, ttp_gate_text(&scratch, text));
            const size_t n = ttp_str_code_points(shown);
            l->cell[r * l->columns + c] = shown;
            l->column[c].width = n > l->column[c].width ? n : l->column[c].width;
        }
        ttp_arena_rewind(&scratch, mark);
    }
    ttp_arena_free(&scratch);
}

size_t ttp_layout_width(const struct ttp_table_layout *l)
{
    size_t width = l->table->indent, shown = 0;

    for (size_t c = 0; c < l->columns; c++) {
        width += l->column[c].width;
        shown += l->column[c].width > 0;
    }
    return width + (shown ? BETWEEN * (shown - 1) : 0);
}

size_t ttp_layout_widest_name(const struct ttp_table_layout *l)
{
    size_t best = l->columns;

    for (size_t c = 0; c < l->columns; c++)
        if (l->column[c].field->left && l->column[c].width &&
            (best == l->columns || l->column[c].width > l->column[best].width))
            best = c;
    return best;
}

static bool drop_one(struct ttp_table_layout *l)
{
    size_t worst = l->columns;

    for (size_t c = 0; c < l->columns && !l->asked; c++)
        if (l->column[c].width && l->column[c].field->drop &&
            (worst == l->columns || l->column[c].field->drop >= l->column[worst].field->drop))
            worst = c;
    if (worst == l->columns)
        return false;
    l->column[worst].width = 0;
    return true;
}

/* Units go below the titles if that makes the table narrower. */
static void stack_titles(struct ttp_table_layout *l)
{
    for (size_t c = 0; c < l->columns; c++) {
        struct ttp_layout_column *column = &l->column[c];
        if (!column->width)
            continue;
        const ttp_str unit = ttp_str_slice(column->title, column->name.len, column->title.len);
        size_t width = ttp_str_code_points(column->name);

        column->below = ttp_str_trim(unit);
        column->title = column->name;
        l->stacked |= column->below.len > 0;
        for (size_t r = 0; r < l->rows + l->table->feet; r++) {
            const size_t n = ttp_str_code_points(l->cell[r * l->columns + c]);
            width = n > width ? n : width;
        }
        const size_t n = ttp_str_code_points(column->below);
        column->width = n > width ? n : width;
    }
}

/* Of columns that are left. */
static bool any_unit_below(const struct ttp_table_layout *l)
{
    for (size_t c = 0; c < l->columns; c++)
        if (l->column[c].width && l->column[c].below.len)
            return true;
    return false;
}

/* What decorates goes first. Then units make room, then names down to a readable length, then
 * columns by their order, then names again. */
static void fit_columns(struct ttp_table_layout *l, size_t width)
{
    size_t least = NAME_MIN;

    for (size_t c = 0; c < l->columns && ttp_layout_width(l) > width; c++)
        if (l->column[c].field->drop == TTP_DROP_FIRST)
            l->column[c].width = 0;
    if (ttp_layout_width(l) > width)
        stack_titles(l);
    while (ttp_layout_width(l) > width) {
        const size_t name = ttp_layout_widest_name(l), excess = ttp_layout_width(l) - width;
        const size_t spare =
            name < l->columns && l->column[name].width > least ? l->column[name].width - least : 0;

        if (spare >= excess || least == NAME_LEAST) {
            if (spare)
                l->column[name].width -= spare < excess ? spare : excess;
            if (spare < excess) /* as narrow as it gets */
                return;
        } else if (!drop_one(l)) {
            least = NAME_LEAST;
        }
    }
}

void ttp_layout_fit(struct ttp_table_layout *l, size_t width)
{
    fit_columns(l, width);
    l->stacked = l->stacked && any_unit_below(l);
}
