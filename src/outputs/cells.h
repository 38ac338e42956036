/* SPDX-License-Identifier: Apache-2.0 */
/* cells.h - small tables of text, laid out for a terminal or as Markdown. Private to outputs. */
#ifndef TTP_OUTPUTS_CELLS_H
#define TTP_OUTPUTS_CELLS_H

#include "base/sink.h"

struct ttp_cell_column {
    const char *title;
    bool left; /* aligned; numbers are right */
    int drop;  /* where there is no room the highest goes first; 0: never */
};

/* Cells live in the arena. */
struct ttp_cells {
    const struct ttp_cell_column *column;
    size_t columns;
    ttp_str *cell; /* row by row */
    size_t rows, cap;
    struct ttp_arena *arena;
};

void ttp_cells_init(struct ttp_cells *c, const struct ttp_cell_column *column, size_t columns,
                    struct ttp_arena *arena);
/* A new last row of empty cells. */
void ttp_cells_add_row(struct ttp_cells *c);
/* A cell of the last row. */
void ttp_cells_set(struct ttp_cells *c, size_t column, ttp_str text);

/* Two blanks between columns; columns whose cells are all empty are left out. `width` 0: no limit.
 */
void ttp_cells_text(struct ttp_sink *out, const struct ttp_cells *c, int width);
void ttp_cells_markdown(struct ttp_sink *out, const struct ttp_cells *c);

#endif
