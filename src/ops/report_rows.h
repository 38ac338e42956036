/* SPDX-License-Identifier: Apache-2.0 */
/* report_rows.h - private to ops: the cells of one line of the report. */
#ifndef TTP_OPS_REPORT_ROWS_H
#define TTP_OPS_REPORT_ROWS_H

#include "ops/counters.h"
#include "ops/report_columns.h"

/* What rows before this one say about a device; gaps are made of it. */
struct ttp_device_past {
    int64_t device;
    double ns_per_cycle; /* 0: not yet known */
    bool has_kernel_end, has_dm_end, has_quasar_end[2];
    int64_t kernel_end, dm_end, quasar_end[2];
};

struct ttp_rendering {
    const struct ttp_ops_report *report;
    struct ttp_device_past *past;
    size_t npast;
    int *cpp_column;         /* of each column of the C++ report: field, -1: not shown */
    struct ttp_arena *arena; /* of the above */

    /* Of the current row; texts live in `scratch` or in the logs. */
    struct ttp_arena *scratch;
    ttp_str cell[FIELDS];             /* ptr NULL: the row says nothing, which prints as empty */
    struct ttp_counter_row *counters; /* of the run, then of other passes; NULL: none */
};

void ttp_ops_rendering_init(struct ttp_rendering *r, const struct ttp_ops_report *report,
                            struct ttp_arena *arena, struct ttp_arena *scratch);
/* Fill r->cell. Rows must come in order. TTP_EPARSE: strict, and a span is zero
 * cycles long or has no column. */
TTP_NODISCARD ttp_code ttp_ops_render_row(struct ttp_rendering *r, const struct ttp_report_row *row,
                                          struct ttp_err *err);

#endif
