/* SPDX-License-Identifier: Apache-2.0 */
/* summary_cells.h - columns of the summary and what is in them. Part of the door of outputs. */
#ifndef TTP_OUTPUTS_SUMMARY_CELLS_H
#define TTP_OUTPUTS_SUMMARY_CELLS_H

#include "analysis/analysis.h"
#include "base/sink.h"

enum ttp_summary_column {
    TTP_SUM_PCT,
    TTP_SUM_KEY,
    TTP_SUM_DEVICE,
    TTP_SUM_TIME,
    TTP_SUM_COUNT,
    TTP_SUM_CATEGORY,
    TTP_SUM_MIN,
    TTP_SUM_MAX,
    TTP_SUM_MEAN,
    TTP_SUM_STD,
    TTP_SUM_WEIGHTED,
    TTP_SUMS
};

struct ttp_summary_title {
    const char *title, *unit; /* unit NULL: none */
};
extern const struct ttp_summary_title ttp_summary_columns[TTP_SUMS];

bool ttp_out_summary_shows(const struct ttp_summary *s, int column);
/* The number of a column, if it is one and is there; infinite rates may leave no mean. */
bool ttp_out_summary_number(const struct ttp_group *g, int column, double *out);
/* Why it is not a number; false: it is one. */
bool ttp_out_summary_put_plain(struct ttp_sink *out, const struct ttp_group *g, int column);

#endif
