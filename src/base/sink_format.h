/* SPDX-License-Identifier: Apache-2.0 */
/* sink_format.h - printf() into a sink with a gate. Private to the sink. */
#ifndef TTP_BASE_SINK_FORMAT_H
#define TTP_BASE_SINK_FORMAT_H

#include "base/sink.h"

/* The format as it is, texts and characters through the gate. Widths count bytes, as in printf().
 */
void ttp_sink_put_gated(struct ttp_sink *s, const char *fmt, va_list given) TTP_PRINTF(2, 0);

#endif
