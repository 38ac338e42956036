/* SPDX-License-Identifier: Apache-2.0 */
/* table_layout.h - cells of a table as texts, before they are fitted to a page. Private to show. */
#ifndef TTP_OUTPUTS_SHOW_TABLE_LAYOUT_H
#define TTP_OUTPUTS_SHOW_TABLE_LAYOUT_H

#include "outputs/show/show.h"

struct ttp_layout_column {
    const struct ttp_field *field;
    ttp_str title;    /* with its unit, unless that is below it */
    ttp_str below;    /* second line of the title, where room is short */
    ttp_str name;     /* the title alone */
    const char *unit; /* of times: the one chosen for this column; NULL: the field's */
    size_t width;     /* code points; 0: dropped */
};

/* Cells row by row, then those of the feet. In the arena. */
struct ttp_table_layout {
    const struct ttp_table *table;
    struct ttp_layout_column *column;
    size_t columns, rows;
    ttp_str *cell;
    bool asked;   /* the user named the columns: none is dropped */
    bool stacked; /* units are below the titles */
};

void ttp_layout_init(struct ttp_table_layout *l, const struct ttp_table *table,
                     struct ttp_arena *arena);
/* Columns of a whole line. */
size_t ttp_layout_width(const struct ttp_table_layout *l);
/* The widest column of text; l->columns: none. */
size_t ttp_layout_widest_name(const struct ttp_table_layout *l);
/* Shortens names and drops columns until lines have at most `width` columns. */
void ttp_layout_fit(struct ttp_table_layout *l, size_t width);

static inline const void *ttp_layout_row(const struct ttp_table *table, size_t i)
{
    return ttp_records_at(table->rows, table->index ? table->index[i] : i);
}

#endif
