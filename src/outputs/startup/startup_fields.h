/* SPDX-License-Identifier: Apache-2.0 */
/* startup_fields.h - the start of a run as JSON has it. Private to outputs/startup. */
#ifndef TTP_OUTPUTS_STARTUP_STARTUP_FIELDS_H
#define TTP_OUTPUTS_STARTUP_STARTUP_FIELDS_H

#include "outputs/startup/startup_outputs.h"

/* Rows: struct ttp_startup, one process. */
extern const struct ttp_fields ttp_startup_fields;
/* Rows: struct ttp_startup_view; what is next to the figures of a single process. */
extern const struct ttp_fields ttp_startup_view_fields;

/* Are there ranks to tell apart? */
bool ttp_out_startup_has_ranks(const struct ttp_startup_view *view);

#endif
