/* SPDX-License-Identifier: Apache-2.0 */
#include "base/python_repr.h"

#include "base/json_read.h"

static void put_escape(struct ttp_sink *out, uint32_t c)
{
    if (c == '\n')
        ttp_sink_put(out, TTP_STR("\\n"));
    else if (c == '\r')
        ttp_sink_put(out, TTP_STR("\\r"));
    else if (c == '\t')
        ttp_sink_put(out, TTP_STR("\\t"));
    else if (c < 0x100)
        ttp_sink_printf(out, "\\x%02x", c);
    else if (c < 0x10000)
        ttp_sink_printf(out, "\\u%04x", c);
    else
        ttp_sink_printf(out, "\\U%08x", c);
}

/* A well-formed sequence of two to four bytes. */
static uint32_t decode(const unsigned char *p, size_t n)
{
    uint32_t c = p[0] & (0xFFu >> (n + 1));

    for (size_t i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3F);
    return c;
}

/* One code point above ASCII at the start of s: shown or escaped. A byte that is not UTF-8 counts
 * as the code point that many after `odd`. Returns its bytes. */
static size_t put_high(struct ttp_sink *out, ttp_str s, uint32_t odd)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    const size_t n = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    const ttp_str one = ttp_str_slice(s, 0, n);

    if (one.len < n || ttp_str_valid_utf8(one) != n) {
        put_escape(out, odd + p[0]);
        return 1;
    }
    const uint32_t c = decode(p, n);
    if (ttp_python_printable(c))
        ttp_sink_put(out, one);
    else
        put_escape(out, c);
    return n;
}

static void put_repr(struct ttp_sink *out, ttp_str s, uint32_t odd)
{
    const bool single = ttp_str_find_char(s, '\'') != TTP_NPOS;
    const char quote = single && ttp_str_find_char(s, '"') == TTP_NPOS ? '"' : '\'';

    ttp_sink_char(out, quote);
    for (size_t i = 0; i < s.len;) {
        const unsigned char c = (unsigned char)s.ptr[i];

        if (c >= 0x80) {
            i += put_high(out, ttp_str_slice(s, i, s.len), odd);
            continue;
        }
        if (c == (unsigned char)quote || c == '\\')
            ttp_sink_char(out, '\\');
        if (ttp_python_printable(c))
            ttp_sink_char(out, (char)c);
        else
            put_escape(out, c);
        i++;
    }
    ttp_sink_char(out, quote);
}

void ttp_python_repr(struct ttp_sink *out, ttp_str s)
{
    put_repr(out, s, 0);
}

void ttp_python_repr_argument(struct ttp_sink *out, ttp_str s)
{
    put_repr(out, s, 0xDC00); /* "surrogateescape" */
}

void ttp_python_number(struct ttp_sink *out, ttp_str json)
{
    double value;
    bool whole = true;

    for (size_t i = 0; i < json.len; i++)
        whole &= json.ptr[i] == '-' || (json.ptr[i] >= '0' && json.ptr[i] <= '9');
    if (!whole && ttp_json_to_f64(json, &value))
        ttp_sink_f64(out, value, TTP_NUM_PYTHON);
    else
        ttp_sink_put(out, ttp_str_eq(json, TTP_STR("-0")) ? TTP_STR("0") : json);
}
