/* SPDX-License-Identifier: Apache-2.0 */
/* window_fields.h - the part of a run that a document is about, and whether it can be trusted.
 * Private to outputs. */
#ifndef TTP_OUTPUTS_REPORT_WINDOW_FIELDS_H
#define TTP_OUTPUTS_REPORT_WINDOW_FIELDS_H

#include "analysis/analysis.h"

extern const struct ttp_fields ttp_window_fields;      /* of struct ttp_window */
extern const struct ttp_fields ttp_quality_fields;     /* of struct ttp_quality */
extern const struct ttp_fields ttp_machine_use_fields; /* of struct ttp_machine_use */
extern const struct ttp_fields ttp_range_fields;       /* of struct ttp_range */

/* Members "quality" and "window" of a record that holds a report at `report`. */
#define TTP_WINDOW_HELP  "part of the run that is reported; times are per iteration"
#define TTP_QUALITY_HELP "whether the run can be trusted"

/* Ranges to show, by index: those of the first host represent all. In the arena. */
const size_t *ttp_out_ranges_shown(size_t *count, const struct ttp_ranges *ranges,
                                   struct ttp_arena *arena);

#endif
