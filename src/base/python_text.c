/* SPDX-License-Identifier: Apache-2.0 */
#include "base/python_text.h"

#include "base/num.h"

/* Zeros of the decimal digits of every script; nine more follow each. Unicode 14 and later,
 * category Nd. */
static const uint32_t zeros[] = {
    0x0030,  0x0660,  0x06F0,  0x07C0,  0x0966,  0x09E6,  0x0A66,  0x0AE6,  0x0B66,  0x0BE6,
    0x0C66,  0x0CE6,  0x0D66,  0x0DE6,  0x0E50,  0x0ED0,  0x0F20,  0x1040,  0x1090,  0x17E0,
    0x1810,  0x1946,  0x19D0,  0x1A80,  0x1A90,  0x1B50,  0x1BB0,  0x1C40,  0x1C50,  0xA620,
    0xA8D0,  0xA900,  0xA9D0,  0xA9F0,  0xAA50,  0xABF0,  0xFF10,  0x104A0, 0x10D30, 0x11066,
    0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0,
    0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2,
    0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
};

/* The code point at the start of s and how many bytes it takes; a malformed byte is self-contained.
 */
static uint32_t decode(ttp_str s, size_t *bytes)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    const size_t want = p[0] < 0xC0 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    static const unsigned char lead[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t c = p[0];

    *bytes = 1;
    if (want == 1 || s.len < want)
        return c;
    c = p[0] & lead[want];
    for (size_t i = 1; i < want; i++)
        c = c << 6 | (p[i] & 0x3F);
    *bytes = want;
    return c;
}

static bool is_blank(uint32_t c)
{
    return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F) || c == 0x85 ||
           c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

/* Value of a decimal digit, -1: none. */
static int digit_value(uint32_t c)
{
    if (c < 0x80)
        return c >= '0' && c <= '9' ? (int)(c - '0') : -1;
    for (size_t i = 0; i < TTP_COUNT(zeros); i++)
        if (c >= zeros[i] && c <= zeros[i] + 9)
            return (int)(c - zeros[i]);
    return -1;
}

/* Bytes of the blank that ends s, 0: it does not end with one. */
static size_t trailing_blank(ttp_str s)
{
    for (size_t n = 1; n <= 3 && n <= s.len; n++) {
        size_t bytes;
        const ttp_str tail = ttp_str_slice(s, s.len - n, s.len);
        if (((unsigned char)tail.ptr[0] & 0xC0) != 0x80)
            return is_blank(decode(tail, &bytes)) && bytes == n ? n : 0;
    }
    return 0;
}

ttp_str ttp_python_strip(ttp_str s)
{
    size_t n;

    while (s.len && is_blank(decode(s, &n)))
        s = ttp_str_slice(s, n, s.len);
    while ((n = trailing_blank(s)) != 0)
        s.len -= n;
    return s;
}

ttp_str ttp_python_first_word(ttp_str s)
{
    size_t at = 0, n;

    s = ttp_python_strip(s);
    while (at < s.len && !is_blank(decode(ttp_str_slice(s, at, s.len), &n)))
        at += n;
    return ttp_str_slice(s, 0, at);
}

size_t ttp_python_digits(ttp_str s, int64_t *value)
{
    size_t at = 0, n = 0;

    *value = 0;
    while (at < s.len) {
        const int d = digit_value(decode(ttp_str_slice(s, at, s.len), &n));
        if (d < 0)
            break;
        if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, d, value))
            *value = INT64_MAX;
        at += n;
    }
    return at;
}

/* ASCII digits for those of other scripts, '_' between digits left out. False: not of that form, or
 * longer than `max`. */
static bool plain(ttp_str s, char *out, size_t max, size_t *len)
{
    bool after_digit = false, underscore = false;
    size_t n;

    *len = 0;
    for (; s.len; s = ttp_str_slice(s, n, s.len)) {
        const uint32_t c = decode(s, &n);
        const int d = digit_value(c);

        if (underscore && d < 0)
            return false;
        if (c == '_') {
            if (!after_digit)
                return false;
            underscore = true;
            after_digit = false;
            continue;
        }
        if (*len == max || (d < 0 && c >= 0x80))
            return false;
        underscore = false;
        after_digit = d >= 0;
        out[(*len)++] = (char)(d >= 0 ? '0' + d : (int)c);
    }
    return !underscore && *len > 0;
}

bool ttp_python_int(ttp_str s, int64_t *out)
{
    char text[256];
    uint64_t whole;
    size_t len;

    if (ttp_str_to_u64(s, &whole) && whole <= INT64_MAX) {
        *out = (int64_t)whole; /* nearly all are plain */
        return true;
    }
    if (!plain(ttp_python_strip(s), text, sizeof(text), &len))
        return false;
    const ttp_str number = {text, len};
    const bool negative = text[0] == '-', sign = negative || text[0] == '+';
    const ttp_str digits = ttp_str_slice(number, sign, len);
    int64_t ignored;
    if (digits.len == 0 || ttp_python_digits(digits, &ignored) != digits.len)
        return false;
    if (!ttp_str_to_i64(number, out))
        *out = negative ? INT64_MIN : INT64_MAX;
    return true;
}

ttp_str ttp_python_int_text(ttp_str s, char out[TTP_PYTHON_INT_MAX])
{
    size_t len;

    if (!plain(ttp_python_strip(s), out, TTP_PYTHON_INT_MAX, &len))
        return (ttp_str){0};
    const bool negative = out[0] == '-';
    size_t first = negative || out[0] == '+';
    for (size_t i = first; i < len; i++)
        if (out[i] < '0' || out[i] > '9')
            return (ttp_str){0};
    if (first == len)
        return (ttp_str){0};
    while (first + 1 < len && out[first] == '0')
        first++;
    if (negative && out[first] != '0')
        out[--first] = '-';
    return (ttp_str){out + first, len - first};
}

/* Capitals from `first` to `last`, every one or every second, and how far their small letters are.
 */
static const struct {
    uint16_t first, last;
    int8_t step, distance;
} capitals[] = {
    {'A', 'Z', 1, 32},       {0x00C0, 0x00D6, 1, 32},   {0x00D8, 0x00DE, 1, 32},
    {0x0100, 0x012E, 2, 1},  {0x0132, 0x0136, 2, 1},    {0x0139, 0x0147, 2, 1},
    {0x014A, 0x0176, 2, 1},  {0x0178, 0x0178, 1, -121}, {0x0179, 0x017D, 2, 1},
    {0x0386, 0x0386, 1, 38}, {0x0388, 0x038A, 1, 37},   {0x038C, 0x038C, 1, 64},
    {0x038E, 0x038F, 1, 63}, {0x0391, 0x03A1, 1, 32},   {0x03A3, 0x03AB, 1, 32},
    {0x0400, 0x040F, 1, 80}, {0x0410, 0x042F, 1, 32},   {0x0460, 0x0480, 2, 1},
    {0x048A, 0x04BE, 2, 1},
};

static uint32_t small_letter(uint32_t c)
{
    for (size_t i = 0; i < TTP_COUNT(capitals); i++)
        if (c >= capitals[i].first && c <= capitals[i].last)
            return (c - capitals[i].first) % (uint32_t)capitals[i].step
                       ? c
                       : (uint32_t)((int32_t)c + capitals[i].distance);
    return c;
}

void ttp_python_put_lower(struct ttp_sink *out, ttp_str s)
{
    size_t n;

    for (; s.len; s = ttp_str_slice(s, n, s.len)) {
        const uint32_t c = decode(s, &n), lower = small_letter(c);

        if (c == 0x130) { /* I with a dot: i, and the dot */
            ttp_sink_put(out, TTP_STR("i\xCC\x87"));
        } else if (lower == c || (n == 1 && c >= 0x80)) { /* small, or a stray byte */
            ttp_sink_put(out, ttp_str_slice(s, 0, n));
        } else if (lower < 0x80) {
            ttp_sink_char(out, (char)lower);
        } else {
            ttp_sink_char(out, (char)(0xC0 | lower >> 6));
            ttp_sink_char(out, (char)(0x80 | (lower & 0x3F)));
        }
    }
}

bool ttp_python_float(ttp_str s, double *out)
{
    char text[4096];
    size_t len;

    s = ttp_python_strip(s);
    /* names begin with letters: most answers are known from the first byte */
    if (s.len == 0 ||
        ((unsigned char)s.ptr[0] < 0x80 && !memchr("+-.0123456789iInN", s.ptr[0], 17)))
        return false;
    return plain(s, text, sizeof(text), &len) && ttp_str_to_f64((ttp_str){text, len}, out);
}

/* Length of the escape sequence that s begins with, 0: none. ESC and one of @..Z \\ ] ^ _, or ESC [
 * parameters (0..?), intermediates (blank../) and a final byte (@..~). */
static size_t escape_sequence(ttp_str s)
{
    size_t n = 2;

    if (s.len < 2)
        return 0;
    const unsigned char c = (unsigned char)s.ptr[1];
    if (c != '[')
        return c >= '@' && c <= '_' ? 2 : 0;
    while (n < s.len && s.ptr[n] >= '0' && s.ptr[n] <= '?')
        n++;
    while (n < s.len && s.ptr[n] >= ' ' && s.ptr[n] <= '/')
        n++;
    return n < s.len && s.ptr[n] >= '@' && s.ptr[n] <= '~' ? n + 1 : 0;
}

size_t ttp_python_visible(ttp_str s)
{
    size_t width = ttp_str_code_points(s), at;

    while ((at = ttp_str_find_char(s, '\x1b')) != TTP_NPOS) {
        s = ttp_str_slice(s, at, s.len);
        const size_t n = escape_sequence(s);
        width -= n;
        s = ttp_str_slice(s, n ? n : 1, s.len);
    }
    return width;
}
