/* SPDX-License-Identifier: Apache-2.0 */
/* advice_groups.h - equal findings about the same op, merged. Private to report. */
#ifndef TTP_OUTPUTS_REPORT_ADVICE_GROUPS_H
#define TTP_OUTPUTS_REPORT_ADVICE_GROUPS_H

#include "outputs/outputs.h"
#include "outputs/show/paint.h"

struct ttp_advice_group {
    ttp_str title;
    enum ttp_color color;
    ttp_str *line;
    size_t lines;
    size_t *op; /* indexes in the report, in order */
    size_t count;
    double time_pct; /* of these ops together; 0: says nothing here */
    double weight;   /* share of the run that it is about */
};
struct ttp_advice_groups {
    struct ttp_advice_group *item;
    size_t count;
};

/* Host ops, then matmuls and long gaps by the time they take. */
void ttp_out_advice_groups_make(struct ttp_advice_groups *out, const struct ttp_report_view *view,
                                struct ttp_arena *arena);

#endif
