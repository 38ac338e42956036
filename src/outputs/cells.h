/* SPDX-License-Identifier: Apache-2.0 */
/* cells.h - small tables of text, laid out for a terminal or as Markdown. Private to outputs. */
#ifndef TTP_OUTPUTS_CELLS_H
#define TTP_OUTPUTS_CELLS_H

#include "base/sink.h"
#include "outputs/paint.h"

struct ttp_cell_column {
    const char *title;
    bool left; /* aligned; numbers are right */
    int drop;  /* where there is no room the highest goes first; 0: never */
};

/* Cells live in the arena. */
struct ttp_cells {
    const struct ttp_cell_column *column;
    size_t columns;
    ttp_str *cell;         /* row by row */
    enum ttp_color *color; /* of each cell */
    size_t rows, cap;
    const char *const *unit; /* below the titles, one for each column; NULL: none */
    size_t name, name_least; /* the column whose cells are shortened, down to this width, before
                                others go; 0: none is */
    size_t indent;           /* blanks before each line of text */
    struct ttp_arena *arena;
};

void ttp_cells_init(struct ttp_cells *c, const struct ttp_cell_column *column, size_t columns,
                    struct ttp_arena *arena);
/* A new last row of empty cells. */
void ttp_cells_add_row(struct ttp_cells *c);
/* A cell of the last row. */
void ttp_cells_set(struct ttp_cells *c, size_t column, ttp_str text);
/* And its colour as text, of the terminal's own. */
void ttp_cells_paint(struct ttp_cells *c, size_t column, enum ttp_color color);

/* Two blanks between columns; columns whose cells are all empty are left out, and so are those that
 * have no room, which a line below says, grey if there is `color`. `width` 0: no limit. */
void ttp_cells_text(struct ttp_sink *out, const struct ttp_cells *c, int width, bool color);
void ttp_cells_markdown(struct ttp_sink *out, const struct ttp_cells *c);

#endif
