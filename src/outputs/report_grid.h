/* SPDX-License-Identifier: Apache-2.0 */
/* report_grid.h - the report's table as cells: which columns, how wide, in which colour. Private to
 * outputs; text and Markdown draw it. */
#ifndef TTP_OUTPUTS_REPORT_GRID_H
#define TTP_OUTPUTS_REPORT_GRID_H

#include "outputs/outputs.h"
#include "outputs/paint.h"

/* One line of the table. */
struct ttp_grid_row {
    enum { TTP_GRID_OP, TTP_GRID_FOLD_HEAD, TTP_GRID_FOLD_END } kind;
    const struct ttp_op *op;     /* of TTP_GRID_OP: the first of its repetitions */
    const struct ttp_fold *fold; /* NULL: not repeated */
};

/* Times of one folded row over its repetitions. */
struct ttp_spread {
    double time_pct, mean_us, min_us, max_us, mean_gap_us;
    bool has_time, has_gap;
};

struct ttp_grid {
    const struct ttp_report_view *view;
    const struct ttp_field **column;
    size_t *width;
    size_t columns;
    const struct ttp_field **dropped; /* for want of room, in their usual order */
    size_t ndropped;
    struct ttp_grid_row *row;
    size_t rows;
    size_t hidden; /* rows below the smallest share */
    double hidden_pct;
    bool shows_part; /* the view has not all ops of the run */
};

/* Of the ops in the view, or of all of the run. */
enum ttp_grid_total { TTP_TOTAL_SHOWN, TTP_TOTAL_RUN };

void ttp_grid_init(struct ttp_grid *g, const struct ttp_report_view *view, struct ttp_arena *arena);
/* Drop columns and shorten names until the table is at most `width` wide (0: any). */
void ttp_grid_fit(struct ttp_grid *g, size_t width);

/* Text of a cell, not padded; names are shortened to the column's width. */
ttp_str ttp_grid_cell(const struct ttp_grid *g, const struct ttp_grid_row *row, size_t column,
                      struct ttp_arena *arena);
enum ttp_color ttp_grid_color(const struct ttp_grid *g, const struct ttp_grid_row *row,
                              size_t column);
/* Cells of a line of totals. */
ttp_str ttp_grid_total(const struct ttp_grid *g, size_t column, enum ttp_grid_total which,
                       struct ttp_arena *arena);
/* "x32: 14 ops repeated, ..." */
ttp_str ttp_grid_fold_text(const struct ttp_fold *fold, struct ttp_arena *arena);

#endif
