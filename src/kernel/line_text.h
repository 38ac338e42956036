/* SPDX-License-Identifier: Apache-2.0 */
/* line_text.h - private to kernel: words and numbers of a line, taken from its front. */
#ifndef TTP_KERNEL_LINE_TEXT_H
#define TTP_KERNEL_LINE_TEXT_H

#include "base/num.h"

static inline void ttp_take_blanks(ttp_str *s)
{
    while (s->len && (s->ptr[0] == ' ' || s->ptr[0] == '\t'))
        *s = ttp_str_slice(*s, 1, s->len);
}

/* How many of them a line of source begins with. */
static inline size_t ttp_indent_of(ttp_str line)
{
    ttp_str rest = line;

    ttp_take_blanks(&rest);
    return line.len - rest.len;
}

/* `word`, blanks in front or not. */
static inline bool ttp_take(ttp_str *s, const char *word)
{
    ttp_str rest = *s;

    ttp_take_blanks(&rest);
    if (!ttp_str_starts(rest, ttp_str_from(word)))
        return false;
    *s = ttp_str_slice(rest, strlen(word), rest.len);
    return true;
}

/* Up to the next blank. */
static inline ttp_str ttp_take_word(ttp_str *s)
{
    size_t n = 0;

    ttp_take_blanks(s);
    while (n < s->len && s->ptr[n] != ' ' && s->ptr[n] != '\t')
        n++;
    const ttp_str word = ttp_str_slice(*s, 0, n);
    *s = ttp_str_slice(*s, n, s->len);
    return word;
}

/* "1,234": digits with ',' between. */
static inline bool ttp_take_count(ttp_str *s, uint64_t *out)
{
    ttp_str rest = *s;
    uint64_t v = 0;
    size_t n = 0;

    ttp_take_blanks(&rest);
    for (; n < rest.len; n++) {
        const unsigned d = (unsigned)(unsigned char)rest.ptr[n] - '0';
        if (d > 9 && (rest.ptr[n] != ',' || n == 0))
            break;
        if (d <= 9 && (v > (UINT64_MAX >> 4) / 10))
            return false;
        v = d <= 9 ? v * 10 + d : v;
    }
    if (n == 0)
        return false;
    while (n > 1 && rest.ptr[n - 1] == ',') /* it belongs to what follows */
        n--;
    *out = v;
    *s = ttp_str_slice(rest, n, rest.len);
    return true;
}

/* "128.0 KB", in bytes. */
static inline bool ttp_take_volume(ttp_str *s, uint64_t *out)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"KB", 1024.0}, {"MB", 1048576.0}, {"GB", 1073741824.0}, {"B", 1.0}};
    ttp_str rest = *s;
    size_t n = 0;
    double v;

    ttp_take_blanks(&rest);
    while (n < rest.len && ((rest.ptr[n] >= '0' && rest.ptr[n] <= '9') || rest.ptr[n] == '.'))
        n++;
    if (!ttp_str_to_f64(ttp_str_slice(rest, 0, n), &v) || v < 0 || v > 1e15)
        return false;
    rest = ttp_str_slice(rest, n, rest.len);
    for (size_t i = 0; i < TTP_COUNT(units); i++)
        if (ttp_take(&rest, units[i].name)) {
            *out = (uint64_t)(v * units[i].bytes + 0.5);
            *s = rest;
            return true;
        }
    return false;
}

/* The last "_L<digits>" counts that ends the name or is before an op, so a kernel may be called
 * "my_L1_norm". Names of before 2026-03 ("line_52_cb_wait_before") have no kernel. */
struct ttp_line_name ttp_kernel_line_name(ttp_str zone);

#endif
