/* SPDX-License-Identifier: Apache-2.0 */
/* startup_json.h - the start of a run as JSON. Private to outputs/startup. */
#ifndef TTP_OUTPUTS_STARTUP_STARTUP_JSON_H
#define TTP_OUTPUTS_STARTUP_STARTUP_JSON_H

#include "outputs/startup/startup_outputs.h"

/* The value of "data". */
void ttp_startup_json(struct ttp_json_writer *w, const struct ttp_startup_view *view);

#endif
