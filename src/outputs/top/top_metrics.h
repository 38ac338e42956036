/* SPDX-License-Identifier: Apache-2.0 */
/* top_metrics.h - the state of the boards as metrics for Prometheus. Private to outputs/top. */
#ifndef TTP_OUTPUTS_TOP_TOP_METRICS_H
#define TTP_OUTPUTS_TOP_TOP_METRICS_H

#include "outputs/top/top_outputs.h"

void ttp_top_metrics_put(struct ttp_sink *out, const struct ttp_top_view *view,
                         struct ttp_arena *arena);

#endif
