/* SPDX-License-Identifier: Apache-2.0 */
/* Integers and fixed point. A double below 2^53 is m / 2^s, so its fraction times 10^9 fits 128
 * bits and rounding looks at the exact remainder; larger doubles are whole numbers. */
#include <assert.h>

#include "base/num_internal.h"

static const uint64_t pow10_u64[] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000),
};

unsigned ttp_num_count_digits(uint64_t v)
{
    /* 1233 / 4096 is log10(2), a little up: the guess is right or one too high */
    const unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1), guess = bits * 1233 >> 12;

    return guess + 1 - (guess > 0 && v < pow10_u64[guess]);
}

/* Eight digits as text, the first in the lowest byte: halves, then quarters, then eighths of the
 * word are split by multiplying with 1/100 and 1/10, rounded up far enough to be exact there. */
TTP_INLINE uint64_t text_of_8(uint32_t v)
{
    const uint64_t fours = v / 10000 | (uint64_t)(v % 10000) << 32;
    const uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007f0000007f;
    const uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    const uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000f;

    return (tens | (twos - tens * 10) << 8) | 0x3030303030303030;
}

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "put_up_to_8() stores words");

/* The n digits of v, 1 <= n <= 8. Two stores that overlap take the place of a loop, whose end the
 * processor would guess wrong for numbers of mixed length. */
TTP_INLINE void put_up_to_8(char *out, uint32_t v, unsigned n)
{
    const uint64_t text = text_of_8(v) >> 8 * (8 - n);

    if (n >= 4) {
        const uint32_t first = (uint32_t)text, last = (uint32_t)(text >> 8 * (n - 4));

        memcpy(out, &first, 4);
        memcpy(out + n - 4, &last, 4);
    } else {
        out[0] = (char)text;
        out[n / 2] = (char)(text >> 8 * (n / 2)); /* the middle of three */
        out[n - 1] = (char)(text >> 8 * (n - 1));
    }
}

void ttp_num_put_digits(char *out, uint64_t v, unsigned n)
{
    while (n > 8) {
        n -= 8;
        put_up_to_8(out + n, (uint32_t)(v % 100000000), 8);
        v /= 100000000;
    }
    put_up_to_8(out, (uint32_t)v, n);
}

size_t ttp_num_u64(char *out, uint64_t v)
{
    const unsigned n = ttp_num_count_digits(v);

    ttp_num_put_digits(out, v, n);
    return n;
}

/* |v|, also for INT64_MIN. */
static uint64_t magnitude(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

size_t ttp_num_i64(char *out, int64_t v)
{
    const size_t sign = v < 0;

    if (sign)
        *out = '-';
    return sign + ttp_num_u64(out + sign, magnitude(v));
}

static size_t put_grouped(char *out, uint64_t v)
{
    if (v < 10) { /* what reports print most */
        *out = (char)('0' + v);
        return 1;
    }
    const unsigned digits = ttp_num_count_digits(v), n = digits + (digits - 1) / 3;
    char *p = out + n;

    while (v >= 1000) {
        p -= 4;
        p[0] = ',';
        put_up_to_8(p + 1, (uint32_t)(v % 1000), 3);
        v /= 1000;
    }
    put_up_to_8(out, (uint32_t)v, (unsigned)(p - out));
    return n;
}

size_t ttp_num_i64_grouped(char *out, int64_t v)
{
    const size_t sign = v < 0;

    if (sign)
        *out = '-';
    return sign + put_grouped(out + sign, magnitude(v));
}

/* m * 2^shift, up to 309 digits. */
static size_t put_big(char *out, uint64_t m, unsigned shift, bool grouped)
{
    char text[35 * 9];
    size_t at = sizeof(text), n = 0;
    struct ttp_num_big b;

    ttp_num_big_set(&b, m);
    ttp_num_big_shift_left(&b, shift);
    do {
        at -= 9;
        ttp_num_put_digits(text + at, ttp_num_big_divide(&b, 1000000000), 9);
    } while (b.count);
    while (text[at] == '0')
        at++;
    for (const size_t first = at; at < sizeof(text); at++) {
        if (grouped && at > first && (sizeof(text) - at) % 3 == 0)
            out[n++] = ',';
        out[n++] = text[at];
    }
    return n;
}

size_t ttp_num_put_special(char *out, uint64_t bits)
{
    const bool nan = (bits & ~TTP_NUM_SIGN_BIT) > TTP_NUM_INF_BITS;

    out[0] = nan ? 'n' : 'i';
    out[1] = nan ? 'a' : 'n';
    out[2] = nan ? 'n' : 'f';
    return 3;
}

static size_t put_whole(char *out, uint64_t v, bool grouped)
{
    return grouped ? put_grouped(out, v) : ttp_num_u64(out, v);
}

/* rest / 2^shift, below 1, in units of 1 / scale, half to even; `odd` if the digit before is the
 * last one printed and is odd. For shift < 63 and up to three digits, all that most reports print.
 */
static uint64_t round_fraction(uint64_t rest, int shift, uint64_t scale, bool odd)
{
    const uint64_t product = rest * scale, half = UINT64_C(1) << (shift - 1);
    const uint64_t quotient = product >> shift, below = product & (2 * half - 1);

    return quotient + (below + ((quotient & 1) | odd) > half);
}

/* The same for shift < 127 and up to nine digits. */
static uint64_t round_fraction_wide(uint64_t rest, int shift, uint64_t scale, bool odd)
{
    const ttp_u128 product = (ttp_u128)rest * scale, half = (ttp_u128)1 << (shift - 1);
    const ttp_u128 below = product & (2 * half - 1);
    const uint64_t quotient = (uint64_t)(product >> shift);

    return quotient + (below + ((quotient & 1) | odd) > half);
}

size_t ttp_num_fixed(char *out, double v, int digits, bool grouped)
{
    const uint64_t bits = ttp_num_bits(v), fraction = bits & (TTP_NUM_HIDDEN_BIT - 1);
    const int exponent = (int)(bits >> 52 & 0x7ff);
    const uint64_t m = exponent ? fraction | TTP_NUM_HIDDEN_BIT : fraction;
    const int shift = 1075 - (exponent ? exponent : 1); /* |v| = m / 2^shift */
    uint64_t whole = 0, decimals = 0;
    size_t n = 0;

    assert(digits >= 0 && digits <= 9);
    const uint64_t scale = pow10_u64[digits];
    if (bits >> 63)
        out[n++] = '-';
    if (exponent == 0x7ff)
        return n + ttp_num_put_special(out + n, bits);
    if (shift > 0 && shift < 63) {
        whole = m >> shift;
        const uint64_t rest = m & ((UINT64_C(1) << shift) - 1);
        const bool odd = digits == 0 && (whole & 1);
        decimals = digits <= 3 ? round_fraction(rest, shift, scale, odd)
                               : round_fraction_wide(rest, shift, scale, odd);
    } else if (shift > 0 && shift < 100) { /* from 100 on it is below half of 10^-9: zero */
        decimals = round_fraction_wide(m, shift, scale, false);
    }
    if (decimals == scale) {
        decimals = 0;
        whole++;
    }
    if (shift < -11)
        n += put_big(out + n, m, (unsigned)-shift, grouped);
    else
        n += put_whole(out + n, shift > 0 ? whole : m << -shift, grouped);
    if (digits == 0)
        return n;
    out[n++] = '.';
    if (digits == 1) /* what reports print most */
        out[n] = (char)('0' + decimals);
    else
        ttp_num_put_digits(out + n, decimals, (unsigned)digits);
    return n + (size_t)digits;
}
