/* SPDX-License-Identifier: Apache-2.0 */
/* markdown_text.h - cells of Markdown tables. Private to outputs. */
#ifndef TTP_OUTPUTS_MARKDOWN_TEXT_H
#define TTP_OUTPUTS_MARKDOWN_TEXT_H

#include "base/sink.h"

/* '|' would end the cell, a line end the row. */
static inline void ttp_markdown_put_cell(struct ttp_sink *out, ttp_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '|' || text.ptr[i] == '\\')
            ttp_sink_char(out, '\\');
        if (text.ptr[i] == '\n' || text.ptr[i] == '\r')
            ttp_sink_char(out, ' ');
        else
            ttp_sink_char(out, text.ptr[i]);
    }
}

#endif
