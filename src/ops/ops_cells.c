/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/ops_cells.h"

#include <math.h>

#include "base/num.h"

/* pandas' default na_values, 2.x: exact and case sensitive. */
static const char *const na_words[] = {
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A",      "NA",  "NULL",    "NaN",      "None", "n/a",  "nan",    "null",
};

static bool is_missing(ttp_str s)
{
    if (s.len == 0)
        return true;
    if (s.len < 2 || s.len > 8 || !memchr("#-1<Nn", s.ptr[0], 6))
        return false;
    for (size_t i = 0; i < TTP_COUNT(na_words); i++)
        if (ttp_str_eq(s, ttp_str_from(na_words[i])))
            return true;
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Blanks around the number are allowed, as in pandas' own converters. */
static bool parse_whole(ttp_str s, int64_t *out)
{
    return ttp_str_to_i64(ttp_str_trim(s), out);
}

static bool parse_infinity(ttp_str s, double *out)
{
    const bool negative = s.len && s.ptr[0] == '-';

    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        s = ttp_str_slice(s, 1, s.len);
    if (!ttp_str_eq_any_case(s, TTP_STR("inf")) && !ttp_str_eq_any_case(s, TTP_STR("infinity")))
        return false;
    *out = negative ? -INFINITY : INFINITY;
    return true;
}

/* Digits gathered so far: at most MAX_DIGITS of them count, the rest only move the exponent. */
#define MAX_DIGITS 17

struct decimal {
    double number;
    int digits;
    long exponent;
};

static const char *whole_digits(struct decimal *d, const char *p, const char *end)
{
    for (; p < end && is_digit(*p); p++) {
        if (d->digits < MAX_DIGITS) {
            d->number = d->number * 10.0 + (*p - '0');
            d->digits++;
        } else {
            d->exponent++;
        }
    }
    return p;
}

static const char *fraction_digits(struct decimal *d, const char *p, const char *end)
{
    for (; p < end && is_digit(*p); p++) {
        if (d->digits < MAX_DIGITS) {
            d->number = d->number * 10.0 + (*p - '0');
            d->digits++;
            d->exponent--;
        }
    }
    return p;
}

static const char *exponent_digits(struct decimal *d, const char *p, const char *end)
{
    const bool negative = p < end && *p == '-';
    long n = 0;
    const char *first = p;

    if (p < end && (*p == '-' || *p == '+'))
        first = ++p;
    for (; p < end && is_digit(*p); p++)
        if (n < 100000)
            n = n * 10 + (*p - '0');
    if (p == first) /* an exponent without digits is junk */
        return NULL;
    d->exponent += negative ? -n : n;
    return p;
}

/* 10^n for 0 <= n <= 308; every entry is the nearest double, as in pandas' table. */
static double power_of_ten(long n)
{
    char text[8];
    double v = 1;
    size_t len = 0;

    text[len++] = '1';
    text[len++] = 'e';
    len += ttp_num_i64(text + len, n);
    return ttp_str_to_f64((ttp_str){text, len}, &v) ? v : 1;
}

bool ttp_ops_pandas_f64(ttp_str text, double *out)
{
    const char *p = text.ptr, *end = text.ptr + text.len;
    struct decimal d = {0};

    while (p < end && is_space(*p))
        p++;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    p = whole_digits(&d, p, end);
    if (p < end && *p == '.')
        p = fraction_digits(&d, p + 1, end);
    if (d.digits == 0)
        return parse_infinity(text, out);
    if (p < end && (*p == 'e' || *p == 'E')) {
        p = exponent_digits(&d, p + 1, end);
        if (!p)
            return false;
    }
    while (p < end && is_space(*p))
        p++;
    if (p != end || d.exponent > 308)
        return false;
    if (d.exponent > 0)
        d.number *= power_of_ten(d.exponent);
    else if (d.exponent < -308) /* below the smallest normal double: in two steps */
        d.number = d.exponent < -616 ? 0 : d.number / power_of_ten(-308 - d.exponent) / 1e308;
    else if (d.exponent < 0)
        d.number /= power_of_ten(-d.exponent);
    if (isinf(d.number))
        return false;
    *out = negative ? -d.number : d.number;
    return true;
}

double ttp_ops_pandas_f64_of_i64(int64_t v)
{
    char text[TTP_NUM_MAX];
    double out = (double)v;

    if (v > -((int64_t)1 << 53) && v < ((int64_t)1 << 53)) /* both ways agree */
        return out;
    const size_t n = ttp_num_i64(text, v);
    return ttp_ops_pandas_f64((ttp_str){text, n}, &out) ? out : (double)v;
}

bool ttp_ops_parse_u64(ttp_str text, uint64_t *out)
{
    text = ttp_str_trim(text);
    return ttp_str_to_u64(ttp_str_slice(text, text.len && text.ptr[0] == '+', text.len), out);
}

int ttp_ops_digits_overflow(ttp_str text)
{
    text = ttp_str_trim(text);
    const bool negative = text.len && text.ptr[0] == '-';
    const unsigned __int128 limit = (unsigned __int128)INT64_MAX + negative;
    unsigned __int128 v = 0;

    for (size_t i = text.len && (negative || text.ptr[0] == '+');
         i < text.len && is_digit(text.ptr[i]) && v <= UINT64_MAX; i++)
        v = v * 10 + (unsigned)(text.ptr[i] - '0');
    return (v > limit) + (v > UINT64_MAX);
}

/* A sign and digits, however many. */
static bool is_whole(ttp_str s)
{
    s = ttp_str_trim(s);
    size_t i = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+');
    const size_t first = i;

    while (i < s.len && is_digit(s.ptr[i]))
        i++;
    return i == s.len && i > first;
}

enum ttp_cell_kind ttp_ops_classify_cell(ttp_str text, union ttp_cell_value *value)
{
    if (is_missing(text))
        return TTP_CELL_MISSING;
    if (parse_whole(text, &value->i))
        return TTP_CELL_INT;
    if (is_whole(text))
        return TTP_CELL_BIG;
    if (ttp_str_eq_any_case(text, TTP_STR("true")) || ttp_str_eq_any_case(text, TTP_STR("false"))) {
        value->i = text.len == 4;
        return TTP_CELL_BOOL;
    }
    return ttp_ops_pandas_f64(text, &value->f) ? TTP_CELL_FLOAT : TTP_CELL_TEXT;
}
