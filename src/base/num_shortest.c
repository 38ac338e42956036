/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest decimal that reads back, after Raffaello Giulietti, "The Schubfach way to render
 * doubles" (2020): scale the double and the ends of its rounding interval by one power of ten, so
 * that the interval holds at least one whole number but at most one multiple of ten; what is wanted
 * is that multiple of ten if there is one, else the nearest whole number. */
#include <assert.h>

#include "base/num_internal.h"

struct decimal {
    uint64_t digits; /* value is digits * 10^exponent */
    int exponent;
};

/* floor(cp * g / 2^128), the last bit set if anything was cut off ("round to odd"): enough to
 * compare with even numbers. One in the middle word may come from g being rounded up. */
static uint64_t scale_to_odd(struct ttp_num_pow10 g, uint64_t cp)
{
    const ttp_u128 low = (ttp_u128)g.lo * cp;
    const ttp_u128 sum = (ttp_u128)g.hi * cp + (uint64_t)(low >> 64);

    return (uint64_t)(sum >> 64) | ((uint64_t)sum > 1);
}

/* 10^e rounded up to 128 bits, as the proof wants it. */
static struct ttp_num_pow10 power_above(int e)
{
    struct ttp_num_pow10 g = ttp_num_pow10[e - TTP_NUM_POW10_MIN];

    if (!ttp_num_pow10_is_exact(e)) {
        g.lo++;
        g.hi += g.lo == 0;
    }
    return g;
}

/* floor(log10(width of the rounding interval)), width 2^q, or 3/4 of it above a power of two, where
 * the neighbour below is nearer; cmake/gen_num_powers.py checks the constants. */
static int decimal_exponent(int q, bool narrow)
{
    return (q * 1262611 - (narrow ? 524031 : 0)) >> 22;
}

/* Of a finite double that is not zero. */
static struct decimal shortest(uint64_t fraction, int exponent)
{
    const uint64_t c = exponent ? fraction | TTP_NUM_HIDDEN_BIT : fraction;
    const int q = (exponent ? exponent : 1) - 1075; /* |v| = c * 2^q */
    const bool narrow = fraction == 0 && exponent > 1;
    const int k = decimal_exponent(q, narrow);
    const struct ttp_num_pow10 g = power_above(-k);
    const int h = q + ttp_num_log2_pow10(-k) + 1;
    /* quarters: v, and half way to its neighbours; an even c owns the ends of its interval */
    const uint64_t at = scale_to_odd(g, 4 * c << h);
    const uint64_t low = scale_to_odd(g, (4 * c - (narrow ? 1 : 2)) << h) + (c & 1);
    const uint64_t high = scale_to_odd(g, (4 * c + 2) << h) - (c & 1);
    const uint64_t s = at / 4;

    if (s >= 10) {
        const uint64_t ten = s / 10;
        const bool below = low <= 40 * ten, above = 40 * ten + 40 <= high;

        if (below != above)
            return (struct decimal){ten + above, k + 1};
    }
    const bool below = low <= 4 * s, above = 4 * s + 4 <= high;
    if (below != above)
        return (struct decimal){s + above, k};
    const uint64_t middle = 4 * s + 2;
    return (struct decimal){s + (at > middle || (at == middle && (s & 1))), k};
}

static void strip_zeros(struct decimal *d)
{
    if (d->digits % 100000000 == 0) {
        d->digits /= 100000000;
        d->exponent += 8;
    }
    while (d->digits % 10 == 0) {
        d->digits /= 10;
        d->exponent++;
    }
}

/* d.ddde+xx: Python wants two digits in the exponent, JavaScript one. */
static size_t put_scientific(char *out, const char *digits, size_t count, int exponent,
                             unsigned width)
{
    const unsigned e = (unsigned)(exponent < 0 ? -exponent : exponent);
    const unsigned e_digits = ttp_num_count_digits(e), pad = e_digits < width ? width : e_digits;
    size_t n = 0;

    out[n++] = digits[0];
    if (count > 1) {
        out[n++] = '.';
        memcpy(out + n, digits + 1, count - 1);
        n += count - 1;
    }
    out[n++] = 'e';
    out[n++] = exponent < 0 ? '-' : '+';
    ttp_num_put_digits(out + n, e, pad);
    return n + pad;
}

/* `point` digits are before the decimal point; it may be negative or beyond the last digit. */
static size_t put_plain(char *out, const char *digits, size_t count, int point)
{
    if (point <= 0) {
        const size_t zeros = (size_t)-point;

        memset(out, '0', 2 + zeros);
        out[1] = '.';
        memcpy(out + 2 + zeros, digits, count);
        return 2 + zeros + count;
    }
    const size_t whole = (size_t)point;
    if (whole >= count) {
        memcpy(out, digits, count);
        memset(out + count, '0', whole - count);
        return whole;
    }
    memcpy(out, digits, whole);
    out[whole] = '.';
    memcpy(out + whole + 1, digits + whole, count - whole);
    return count + 1;
}

static size_t put_decimal(char *out, struct decimal d, enum ttp_num_style style)
{
    const bool python = style == TTP_NUM_PYTHON;
    char digits[20];

    strip_zeros(&d);
    const size_t count = ttp_num_u64(digits, d.digits);
    const int point = (int)count + d.exponent;
    /* repr() of Python, Number::toString of ECMA-262 */
    if (python ? point < -3 || point > 16 : point < -5 || point > 21)
        return put_scientific(out, digits, count, point - 1, python ? 2 : 1);
    return put_plain(out, digits, count, point);
}

static size_t put_finite(char *out, uint64_t bits, enum ttp_num_style style)
{
    const double size = ttp_num_from_bits(bits & ~TTP_NUM_SIGN_BIT);
    bool is_whole = size >= 0x1p53 && size < 1e16;
    size_t n;

    /* neighbours of a whole number below 2^53 are at most 1 away: its digits are the shortest */
    if (size < 0x1p53 && (double)(uint64_t)size == size) {
        n = ttp_num_u64(out, (uint64_t)size);
        is_whole = true;
    } else {
        const int exponent = (int)(bits >> 52 & 0x7ff);
        n = put_decimal(out, shortest(bits & (TTP_NUM_HIDDEN_BIT - 1), exponent), style);
    }
    if (!is_whole || style != TTP_NUM_PYTHON)
        return n;
    out[n] = '.';
    out[n + 1] = '0';
    return n + 2;
}

size_t ttp_num_f64(char *out, double v, enum ttp_num_style style)
{
    const uint64_t bits = ttp_num_bits(v), size = bits & ~TTP_NUM_SIGN_BIT;
    const bool python = style == TTP_NUM_PYTHON;
    /* JavaScript prints -0 as 0, Python has no -nan */
    const size_t sign = v < 0 || (size == 0 && bits && python);

    assert(python || size < TTP_NUM_INF_BITS);
    if (sign)
        *out = '-';
    if (size < TTP_NUM_INF_BITS)
        return sign + put_finite(out + sign, bits, style);
    return sign + ttp_num_put_special(out + sign, bits);
}
