/* SPDX-License-Identifier: Apache-2.0 */
/* csv_text.h - cells of CSV files we write. Private to outputs. */
#ifndef TTP_OUTPUTS_CSV_TEXT_H
#define TTP_OUTPUTS_CSV_TEXT_H

#include "base/sink.h"

/* Quoted only where needed: separator, quote or line end inside. */
static inline void ttp_csv_put(struct ttp_sink *out, ttp_str text)
{
    bool quote = false;

    for (size_t i = 0; i < text.len && !quote; i++)
        quote = memchr(",\"\r\n", text.ptr[i], 4) != NULL;
    if (!quote) {
        ttp_sink_put(out, text);
        return;
    }
    ttp_sink_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"')
            ttp_sink_char(out, '"');
        ttp_sink_char(out, text.ptr[i]);
    }
    ttp_sink_char(out, '"');
}

#endif
