/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_read.h"
#include "base/num.h"

struct decimal {
    bool negative;
    uint64_t digits;  /* without trailing zeros */
    int64_t exponent; /* the value is digits * 10^exponent */
};

/* Beyond any exponent that a number of accepted length can make up for with zeros. */
#define EXPONENT_CAP ((int64_t)1 << 50)

static bool is_digit(ttp_str s, size_t i)
{
    return i < s.len && (unsigned)(unsigned char)s.ptr[i] - '0' <= 9;
}

/* The exponent from its sign on, to the end of the text. */
static bool read_exponent(ttp_str s, size_t i, int64_t *out)
{
    const bool negative = i < s.len && s.ptr[i] == '-';
    int64_t v = 0;

    if (i < s.len && (s.ptr[i] == '-' || s.ptr[i] == '+'))
        i++;
    if (!is_digit(s, i))
        return false;
    for (; is_digit(s, i); i++)
        if (v < EXPONENT_CAP)
            v = v * 10 + (s.ptr[i] - '0');
    *out = negative ? -v : v;
    return i == s.len;
}

/* Add a digit that follows `zeros` zeros after the last one that was not zero. */
static bool add_digit(uint64_t *v, size_t zeros, unsigned digit)
{
    if (*v == 0)
        zeros = 0;
    for (size_t i = 0; i <= zeros; i++)
        if (__builtin_mul_overflow(*v, 10, v))
            return false;
    return !__builtin_add_overflow(*v, digit, v);
}

/* False also if the digits, from the first to the last that is not zero, exceed 64 bits: the value
 * is then either out of range or not whole. */
static bool read_decimal(ttp_str s, struct decimal *out)
{
    struct decimal d = {.negative = s.len && s.ptr[0] == '-'};
    size_t i = d.negative, zeros = 0;
    bool point = false;

    if (!is_digit(s, i) || (s.ptr[i] == '0' && is_digit(s, i + 1)))
        return false;
    for (;; i++) {
        if (!point && i < s.len && s.ptr[i] == '.' && is_digit(s, i + 1)) {
            point = true;
            continue;
        }
        if (!is_digit(s, i))
            break;
        const unsigned digit = (unsigned)(s.ptr[i] - '0');
        d.exponent -= point;
        if (digit == 0) {
            zeros++;
        } else {
            if (!add_digit(&d.digits, zeros, digit))
                return false;
            zeros = 0;
        }
    }
    d.exponent += (int64_t)zeros;
    if (i < s.len) {
        int64_t e;

        if ((s.ptr[i] | 0x20) != 'e' || !read_exponent(s, i + 1, &e))
            return false;
        d.exponent += e;
    }
    *out = d;
    return true;
}

/* Digits only, and too few to overflow. */
static bool few_digits(ttp_str s, uint64_t *out)
{
    uint64_t v = 0;

    if (s.len == 0 || s.len > 19 || (s.ptr[0] == '0' && s.len > 1))
        return false;
    for (size_t i = 0; i < s.len; i++) {
        const unsigned digit = (unsigned)(unsigned char)s.ptr[i] - '0';

        if (digit > 9)
            return false;
        v = v * 10 + digit;
    }
    *out = v;
    return true;
}

static bool read_whole(ttp_str s, bool *negative, uint64_t *magnitude)
{
    struct decimal d;

    if (few_digits(s, magnitude)) { /* nearly always */
        *negative = false;
        return true;
    }
    if (!read_decimal(s, &d))
        return false;
    if (d.digits != 0) {
        if (d.exponent < 0)
            return false;
        for (; d.exponent > 0; d.exponent--) /* overflows after 20 rounds at most */
            if (__builtin_mul_overflow(d.digits, 10, &d.digits))
                return false;
    }
    *negative = d.negative && d.digits != 0;
    *magnitude = d.digits;
    return true;
}

bool ttp_json_to_u64(ttp_str text, uint64_t *out)
{
    bool negative;
    uint64_t v;

    if (!read_whole(text, &negative, &v) || negative)
        return false;
    *out = v;
    return true;
}

bool ttp_json_to_i64(ttp_str text, int64_t *out)
{
    bool negative;
    uint64_t v;

    if (!read_whole(text, &negative, &v) || v > (uint64_t)INT64_MAX + negative)
        return false;
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

bool ttp_json_to_f64(ttp_str text, double *out)
{
    return ttp_str_to_f64(text, out);
}
