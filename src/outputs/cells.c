/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/cells.h"

#include "base/gate.h"

#define COLUMNS_MAX 32
#define BETWEEN     2

void ttp_cells_init(struct ttp_cells *c, const struct ttp_cell_column *column, size_t columns,
                    struct ttp_arena *arena)
{
    *c = (struct ttp_cells){
        .column = column, .columns = columns < COLUMNS_MAX ? columns : COLUMNS_MAX, .arena = arena};
}

void ttp_cells_add_row(struct ttp_cells *c)
{
    if (c->rows == c->cap) {
        c->cap = c->cap ? c->cap * 2 : 16;
        ttp_str *cell = TTP_NEW(c->arena, ttp_str, c->cap * c->columns);
        enum ttp_color *color = TTP_NEW(c->arena, enum ttp_color, c->cap * c->columns);
        if (c->rows) {
            memcpy(cell, c->cell, c->rows * c->columns * sizeof(*cell));
            memcpy(color, c->color, c->rows * c->columns * sizeof(*color));
        }
        c->cell = cell;
        c->color = color;
    }
    c->rows++;
}

void ttp_cells_set(struct ttp_cells *c, size_t column, ttp_str text)
{
    c->cell[(c->rows - 1) * c->columns + column] =
        ttp_arena_copy(c->arena, ttp_gate_text(c->arena, text));
}

void ttp_cells_paint(struct ttp_cells *c, size_t column, enum ttp_color color)
{
    c->color[(c->rows - 1) * c->columns + column] = color;
}

/* Code points a column needs; 0: it is left out. */
static void measure(size_t *width, const struct ttp_cells *c)
{
    for (size_t i = 0; i < c->columns; i++) {
        width[i] = 0;
        for (size_t r = 0; r < c->rows; r++) {
            const size_t n = ttp_str_code_points(c->cell[r * c->columns + i]);
            width[i] = n > width[i] ? n : width[i];
        }
        const size_t title = ttp_str_code_points(ttp_str_from(c->column[i].title));
        if (width[i] && title > width[i])
            width[i] = title;
        const size_t unit = c->unit ? ttp_str_code_points(ttp_str_from(c->unit[i])) : 0;
        if (width[i] && unit > width[i])
            width[i] = unit;
    }
}

static size_t total(const size_t *width, size_t columns)
{
    size_t sum = 0;

    for (size_t i = 0; i < columns; i++)
        sum += width[i] ? width[i] + BETWEEN : 0;
    return sum;
}

/* The name's width with which a line is as long as `room`, or the least it may have. */
static size_t narrow_name(const size_t *width, const struct ttp_cells *c, size_t room)
{
    const size_t name = width[c->name], sum = total(width, c->columns);

    if (c->name_least == 0 || sum <= room || name <= c->name_least)
        return name;
    return name > c->name_least + (sum - room) ? name - (sum - room) : c->name_least;
}

static void fit(size_t *width, const struct ttp_cells *c, size_t room)
{
    for (;;) {
        const size_t name = width[c->name];
        size_t drop = c->columns;

        width[c->name] = narrow_name(width, c, room + BETWEEN);
        for (size_t i = 0; i < c->columns; i++)
            if (width[i] && c->column[i].drop &&
                (drop == c->columns || c->column[i].drop > c->column[drop].drop))
                drop = i;
        if (total(width, c->columns) <= room + BETWEEN || drop == c->columns)
            return;
        width[c->name] = name;
        width[drop] = 0;
    }
}

static void put_line(struct ttp_sink *out, const struct ttp_cells *c, const size_t *width,
                     const ttp_str *cell, const enum ttp_color *color)
{
    size_t owed = c->indent; /* blanks that are written only if something follows */

    for (size_t i = 0; i < c->columns; i++) {
        if (!width[i])
            continue;
        const ttp_str text = ttp_paint_shorten(cell[i], width[i], c->arena);
        const size_t pad = width[i] - ttp_str_code_points(text);
        const bool left = c->column[i].left;

        owed += left ? 0 : pad;
        if (text.len) {
            ttp_sink_repeat(out, ' ', owed);
            ttp_paint_themed(out, color ? color[i] : TTP_PLAIN, text);
            owed = 0;
        }
        owed += (left ? pad : 0) + BETWEEN;
    }
    ttp_sink_char(out, '\n');
}

static void put_heads(struct ttp_sink *out, const struct ttp_cells *c, const size_t *width)
{
    ttp_str title[COLUMNS_MAX], unit[COLUMNS_MAX];

    for (size_t i = 0; i < c->columns; i++) {
        title[i] = ttp_str_from(c->column[i].title);
        unit[i] = ttp_str_from(c->unit ? c->unit[i] : NULL);
    }
    put_line(out, c, width, title, NULL);
    if (c->unit)
        put_line(out, c, width, unit, NULL);
}

/* Which columns have something to show but no room. */
static void put_dropped(struct ttp_sink *out, const struct ttp_cells *c, const size_t *shown,
                        int width, bool color)
{
    size_t wanted[COLUMNS_MAX];
    struct ttp_sink titles;

    measure(wanted, c);
    ttp_sink_to_arena(&titles, c->arena);
    for (size_t i = 0; i < c->columns; i++)
        if (wanted[i] && !shown[i])
            ttp_sink_printf(&titles, "%s%s", titles.len ? ", " : "", c->column[i].title);
    if (titles.len)
        ttp_paint_no_room(out, ttp_sink_text(&titles), "", width, c->indent, color, c->arena);
}

void ttp_cells_text(struct ttp_sink *out, const struct ttp_cells *c, int width, bool color)
{
    size_t w[COLUMNS_MAX];

    measure(w, c);
    if (width > 0)
        fit(w, c, (size_t)width > c->indent ? (size_t)width - c->indent : 0);
    put_heads(out, c, w);
    for (size_t r = 0; r < c->rows; r++)
        put_line(out, c, w, &c->cell[r * c->columns], &c->color[r * c->columns]);
    put_dropped(out, c, w, width, color);
}

void ttp_cells_markdown(struct ttp_sink *out, const struct ttp_cells *c)
{
    size_t w[COLUMNS_MAX];

    measure(w, c);
    for (size_t i = 0; i < c->columns; i++)
        if (w[i])
            ttp_sink_printf(out, "| %s ", c->column[i].title);
    ttp_sink_own(out, "|\n");
    for (size_t i = 0; i < c->columns; i++)
        if (w[i])
            ttp_sink_printf(out, "|--%c", c->column[i].left ? '-' : ':');
    ttp_sink_own(out, "|\n");
    for (size_t r = 0; r < c->rows; r++) {
        for (size_t i = 0; i < c->columns; i++) {
            if (!w[i])
                continue;
            ttp_sink_own(out, "| ");
            ttp_gate_put_markdown(out, c->cell[r * c->columns + i]);
            ttp_sink_char(out, ' ');
        }
        ttp_sink_own(out, "|\n");
    }
}
