/* SPDX-License-Identifier: Apache-2.0 */
/* num_internal.h - what the num_*.c files share; not for others. */
#ifndef TTP_BASE_NUM_INTERNAL_H
#define TTP_BASE_NUM_INTERNAL_H

#include "base/num.h"

typedef unsigned __int128 ttp_u128;

/* A double's bits, low to high: 52 of the fraction, 11 of the exponent, the sign. */
#define TTP_NUM_HIDDEN_BIT (UINT64_C(1) << 52)
#define TTP_NUM_INF_BITS   (UINT64_C(0x7ff) << 52)
#define TTP_NUM_SIGN_BIT   (UINT64_C(1) << 63)

static inline uint64_t ttp_num_bits(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

static inline double ttp_num_from_bits(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* The leading 128 bits of 10^e, cut off, not rounded: with g = hi * 2^64 + lo,
 * g <= 10^e / 2^(floor(log2(10^e)) - 127) < g + 1, and equal if ttp_num_pow10_is_exact(e). */
struct ttp_num_pow10 {
    uint64_t hi, lo;
};

/* From 10^-343 down even 19 digits make 0; 10^324 scales the smallest double to one digit. */
#define TTP_NUM_POW10_MIN (-342)
#define TTP_NUM_POW10_MAX 324
extern const struct ttp_num_pow10 ttp_num_pow10[TTP_NUM_POW10_MAX - TTP_NUM_POW10_MIN + 1];

static inline bool ttp_num_pow10_is_exact(int e)
{
    return e >= 0 && e <= 55; /* 5^55 is the last that fits 128 bits */
}

/* floor(log2(10^e)) for all e of the table; cmake/gen_num_powers.py checks it. */
static inline int ttp_num_log2_pow10(int e)
{
    return (e * 1741647) >> 19;
}

/* How many decimal digits v has; 1 for 0. */
unsigned ttp_num_count_digits(uint64_t v);
/* Writes exactly n > 0 digits, zeros in front; v < 10^n. */
void ttp_num_put_digits(char *out, uint64_t v, unsigned n);
/* "inf" or "nan", without sign; returns 3. */
size_t ttp_num_put_special(char *out, uint64_t bits);

/* A whole number of up to 3072 bits, lowest limb first, no leading zero limbs. The largest we meet
 * has 2600: two decimals of 769 digits, or 5^1093 times 54 bits, compared in num_parse.c. */
#define TTP_NUM_BIG_LIMBS 96
struct ttp_num_big {
    unsigned count;
    uint32_t limb[TTP_NUM_BIG_LIMBS];
};

void ttp_num_big_set(struct ttp_num_big *b, uint64_t v);
void ttp_num_big_mul_add(struct ttp_num_big *b, uint32_t mul, uint32_t add);
void ttp_num_big_mul_pow5(struct ttp_num_big *b, unsigned n);
void ttp_num_big_shift_left(struct ttp_num_big *b, unsigned bits);
/* Leaves the quotient in b, returns the remainder. */
uint32_t ttp_num_big_divide(struct ttp_num_big *b, uint32_t by);
int ttp_num_big_cmp(const struct ttp_num_big *x, const struct ttp_num_big *y);

#endif
