/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

int ttp_str_cmp(ttp_str a, ttp_str b)
{
    const size_t n = a.len < b.len ? a.len : b.len;
    const int order = n ? memcmp(a.ptr, b.ptr, n) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool ttp_str_eq_any_case(ttp_str a, ttp_str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (ttp_char_lower(a.ptr[i]) != ttp_char_lower(b.ptr[i]))
            return false;
    return true;
}

/* memmem() first prepares what it looks for, which takes longer than to look through a name. */
#define SHORT_TEXT 96

static size_t find_in_short(ttp_str s, ttp_str what)
{
    const char *p = s.ptr, *const end = s.ptr + (s.len - what.len) + 1;

    while (p < end && (p = memchr(p, what.ptr[0], (size_t)(end - p)))) {
        if (memcmp(p, what.ptr, what.len) == 0)
            return (size_t)(p - s.ptr);
        p++;
    }
    return TTP_NPOS;
}

size_t ttp_str_find(ttp_str s, ttp_str what)
{
    if (what.len == 0)
        return 0;
    if (s.len < what.len)
        return TTP_NPOS;
    if (s.len <= SHORT_TEXT)
        return find_in_short(s, what);
    const char *hit = memmem(s.ptr, s.len, what.ptr, what.len);
    return hit ? (size_t)(hit - s.ptr) : TTP_NPOS;
}

size_t ttp_str_find_char(ttp_str s, char c)
{
    const char *hit = s.len ? memchr(s.ptr, c, s.len) : NULL;
    return hit ? (size_t)(hit - s.ptr) : TTP_NPOS;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

ttp_str ttp_str_trim_blanks(ttp_str s)
{
    while (s.len && is_blank(s.ptr[0])) {
        s.ptr++;
        s.len--;
    }
    while (s.len && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

/* Lines are short, so bytes are compared one and all, with sums that fit a byte. */
uint64_t ttp_str_count_lines(ttp_str s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s.len;) {
        const size_t end = s.len - i > 128 ? i + 128 : s.len;
        uint8_t some = 0;
        for (; i < end; i++)
            some = (uint8_t)(some + (s.ptr[i] == '\n'));
        n += some;
    }
    return n;
}

bool ttp_str_next_line(ttp_str *rest, ttp_str *line)
{
    if (rest->len == 0)
        return false;
    const char *nl = memchr(rest->ptr, '\n', rest->len);
    size_t n = nl ? (size_t)(nl - rest->ptr) : rest->len;
    *line = (ttp_str){rest->ptr, n};
    if (n && line->ptr[n - 1] == '\r')
        line->len--;
    n += nl != NULL;
    rest->ptr += n;
    rest->len -= n;
    return true;
}

size_t ttp_str_split(ttp_str s, char sep, ttp_str *field, size_t max)
{
    size_t n = 0;
    const char *p = s.ptr ? s.ptr : "", *end = p + s.len; /* no arithmetic on NULL */

    for (;;) {
        const char *q = p < end ? memchr(p, sep, (size_t)(end - p)) : NULL;

        if (n < max)
            field[n] = (ttp_str){p, (size_t)((q ? q : end) - p)};
        n++;
        if (!q)
            return n;
        p = q + 1;
    }
}

size_t ttp_str_code_points(ttp_str s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.len; i++)
        n += ((unsigned char)s.ptr[i] & 0xC0) != 0x80;
    return n;
}

/* Table 3-7 of the Unicode standard. */
size_t ttp_str_utf8_sequence(ttp_str s)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    const unsigned char c = p[0];
    unsigned char low = 0x80, high = 0xBF;
    size_t n;

    if (c < 0x80)
        return 1;
    if (c >= 0xC2 && c <= 0xDF) {
        n = 2;
    } else if (c >= 0xE0 && c <= 0xEF) {
        n = 3;
        low = c == 0xE0 ? 0xA0 : low;
        high = c == 0xED ? 0x9F : high;
    } else if (c >= 0xF0 && c <= 0xF4) {
        n = 4;
        low = c == 0xF0 ? 0x90 : low;
        high = c == 0xF4 ? 0x8F : high;
    } else {
        return 0;
    }
    if (s.len < n || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return n;
}

uint32_t ttp_str_code_point(ttp_str s)
{
    const unsigned char *p = (const unsigned char *)s.ptr;

    switch (ttp_str_utf8_sequence(s)) {
    case 2:
        return (uint32_t)(p[0] & 0x1F) << 6 | (p[1] & 0x3F);
    case 3:
        return (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
    case 4:
        return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3F) << 12 |
               (uint32_t)(p[2] & 0x3F) << 6 | (p[3] & 0x3F);
    default:
        return p[0];
    }
}

size_t ttp_str_valid_utf8(ttp_str s)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    size_t at = 0;

    while (at < s.len) {
        uint64_t word;

        if (s.len - at >= sizeof(word)) { /* eight ASCII bytes at a time */
            memcpy(&word, p + at, sizeof(word));
            if ((word & 0x8080808080808080u) == 0) {
                at += sizeof(word);
                continue;
            }
        }
        const size_t n = ttp_str_utf8_sequence(ttp_str_slice(s, at, s.len));
        if (n == 0)
            return at;
        at += n;
    }
    return at;
}

static uint64_t load(const char *p, size_t n)
{
    uint64_t word = 0;

    memcpy(&word, p, n);
    return word;
}

/* Eight characters, the first in the lowest byte; digits become 0 to 9. */
#define DIGITS 0x3030303030303030u

/* Are these bytes all 0 to 9? */
static bool are_digits(uint64_t bytes)
{
    return ((bytes | (bytes + 0x7676767676767676u)) & 0x8080808080808080u) == 0;
}

/* Neighbours are joined to pairs, to fours, to eight. */
static uint64_t eight_digits(uint64_t bytes)
{
    bytes = bytes * (10 << 8 | 1) >> 8;
    bytes = (bytes & 0x00FF00FF00FF00FFu) * (100 << 16 | 1) >> 16;
    return (bytes & 0x0000FFFF0000FFFFu) * ((uint64_t)10000 << 32 | 1) >> 32;
}

/* Four to eight digits: the first four except for those among the last four, after zeros. */
static bool short_to_u64(ttp_str s, uint64_t *out)
{
    const unsigned skip = (unsigned)(8 - s.len) * 8;
    const uint64_t head = (load(s.ptr, 4) ^ (uint32_t)DIGITS) << skip & UINT32_MAX;
    const uint64_t tail = load(s.ptr + s.len - 4, 4) ^ (uint32_t)DIGITS;
    const uint64_t bytes = head | tail << 32;

    if (!are_digits(bytes))
        return false;
    *out = eight_digits(bytes);
    return true;
}

/* Nine to sixteen digits: the first eight, and the last eight without those among the first. */
static bool long_to_u64(ttp_str s, uint64_t *out)
{
    static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const uint64_t head = load(s.ptr, 8) ^ DIGITS;
    const uint64_t tail = (load(s.ptr + s.len - 8, 8) ^ DIGITS) & UINT64_MAX << (16 - s.len) * 8;

    if (!are_digits(head) || !are_digits(tail))
        return false;
    *out = eight_digits(head) * power[s.len - 8] + eight_digits(tail);
    return true;
}

bool ttp_str_to_u64(ttp_str s, uint64_t *out)
{
    uint64_t v = 0;

    if (s.len == 0)
        return false;
    if (s.len >= 4 && s.len <= 8)
        return short_to_u64(s, out);
    if (s.len > 8 && s.len <= 16)
        return long_to_u64(s, out);
    for (size_t i = 0; i < s.len; i++) {
        const unsigned d = (unsigned)(unsigned char)s.ptr[i] - '0';

        if (d > 9 || __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, d, &v))
            return false;
    }
    *out = v;
    return true;
}

bool ttp_str_hex_to_u64(ttp_str s, uint64_t *out)
{
    uint64_t v = 0;

    if (s.len == 0 || s.len > 16)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        const char c = ttp_char_lower(s.ptr[i]);

        if (c >= '0' && c <= '9')
            v = v << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            v = v << 4 | (uint64_t)(c - 'a' + 10);
        else
            return false;
    }
    *out = v;
    return true;
}

bool ttp_str_to_i64(ttp_str s, int64_t *out)
{
    const bool negative = s.len && s.ptr[0] == '-';
    uint64_t v;

    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        s = ttp_str_slice(s, 1, s.len);
    if (!ttp_str_to_u64(s, &v) || v > (uint64_t)INT64_MAX + negative)
        return false;
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}
