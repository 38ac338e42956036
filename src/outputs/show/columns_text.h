/* SPDX-License-Identifier: Apache-2.0 */
/* columns_text.h - text and numbers in columns, as Python's format() pads them: by code points, and
 * never cut. Private to outputs. */
#ifndef TTP_OUTPUTS_COLUMNS_TEXT_H
#define TTP_OUTPUTS_COLUMNS_TEXT_H

#include "base/sink.h"

static inline void ttp_put_left(struct ttp_sink *out, ttp_str s, size_t width)
{
    const size_t n = ttp_sink_columns(out, s);

    ttp_sink_put(out, s);
    ttp_sink_repeat(out, ' ', n < width ? width - n : 0);
}

static inline void ttp_put_right(struct ttp_sink *out, ttp_str s, size_t width)
{
    const size_t n = ttp_sink_columns(out, s);

    ttp_sink_repeat(out, ' ', n < width ? width - n : 0);
    ttp_sink_put(out, s);
}

/* A number with ',' between groups of three digits; the text lives in `buf`. */
static inline ttp_str ttp_grouped(char buf[TTP_NUM_MAX], int64_t v)
{
    return (ttp_str){buf, ttp_num_i64_grouped(buf, v)};
}

static inline void ttp_put_grouped(struct ttp_sink *out, int64_t v)
{
    char buf[TTP_NUM_MAX];
    ttp_sink_put(out, ttp_grouped(buf, v));
}

static inline void ttp_put_grouped_right(struct ttp_sink *out, int64_t v, size_t width)
{
    char buf[TTP_NUM_MAX];
    ttp_put_right(out, ttp_grouped(buf, v), width);
}

static inline void ttp_put_fixed_right(struct ttp_sink *out, double v, int digits, size_t width)
{
    char buf[TTP_NUM_FIXED_MAX];
    ttp_put_right(out, (ttp_str){buf, ttp_num_fixed(buf, v, digits, false)}, width);
}

#endif
