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

/* A spreadsheet takes some texts for formulas; a quote in front keeps them texts. */
static inline void ttp_csv_put_safe(struct ttp_sink *out, ttp_str text)
{
    struct ttp_arena arena = {0};
    struct ttp_sink guarded;

    if (text.len == 0 || !memchr("=+-@\t\r", text.ptr[0], 6)) {
        ttp_csv_put(out, text);
        return;
    }
    ttp_sink_to_arena(&guarded, &arena);
    ttp_sink_char(&guarded, '\'');
    ttp_sink_put(&guarded, text);
    ttp_csv_put(out, ttp_sink_text(&guarded));
    ttp_arena_free(&arena);
}

#endif
