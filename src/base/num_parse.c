/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal to double in three steps, each exact or handing on.
 * 1. Up to 2^53 times or over a power of ten below 10^23: both are doubles, so one operation rounds
 *    once (William Clinger, "How to read floating point numbers accurately", 1990).
 * 2. The first 19 digits times a 128-bit power of ten, after Daniel Lemire, "Number parsing at a
 *    gigabyte per second" (2021). We bound the error of the product; unless a halfway point lies
 *    within that bound, the product alone decides.
 * 3. Otherwise the decimal is compared with that halfway point as whole numbers. */
#include <math.h>

#include "base/num_internal.h"

/* A halfway point between doubles has at most 767 significant digits; of what follows the first
 * 768 it matters only whether all of it is zero. */
#define DIGITS_MAX 768

#define EXPONENT_LIMIT INT64_C(100000000000000000) /* ten times it plus any length fits */

struct decimal {
    const char *text; /* `count` digits; a point is before number `whole`, if there is one */
    size_t whole, count;
    uint64_t w; /* the first 19 significant digits; value is w * 10^exponent */
    int64_t exponent;
    bool more; /* the digits beyond w are not all zero: the value is above w, below w + 1 */
};

static unsigned digit_of(char c)
{
    return (unsigned)(unsigned char)c - '0';
}

/* Returns the first byte that is not a digit. */
static const char *scan_digits(uint64_t *w, const char *p, const char *end)
{
    uint64_t sum = *w; /* wraps beyond 19 digits; then collect() does it again */

    for (; p < end && digit_of(*p) <= 9; p++)
        sum = sum * 10 + digit_of(*p);
    *w = sum;
    return p;
}

/* What follows the 'e'. Saturates far beyond any double. */
static bool scan_exponent(int64_t *out, const char *p, const char *end)
{
    const bool negative = p < end && *p == '-';
    int64_t e = 0;

    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end)
        return false;
    for (; p < end; p++) {
        if (digit_of(*p) > 9)
            return false;
        if (e < EXPONENT_LIMIT)
            e = e * 10 + digit_of(*p);
    }
    *out = negative ? -e : e;
    return true;
}

static char digit_at(const struct decimal *d, size_t i)
{
    return d->text[i + (i >= d->whole)];
}

/* The first 19 significant digits of more than 19, many of which may be zeros in front. */
static void collect(struct decimal *d)
{
    size_t at = 0;

    while (at < d->count && digit_at(d, at) == '0')
        at++;
    d->w = 0;
    for (const size_t first = at; at < d->count && at - first < 19; at++)
        d->w = d->w * 10 + digit_of(digit_at(d, at));
    d->exponent += (int64_t)(d->count - at);
    for (; at < d->count && !d->more; at++)
        d->more = digit_at(d, at) != '0';
}

static bool scan(struct decimal *d, const char *p, const char *end)
{
    *d = (struct decimal){.text = p};
    p = scan_digits(&d->w, p, end);
    d->whole = d->count = (size_t)(p - d->text);
    if (p < end && *p == '.') {
        const char *after = p + 1;

        p = scan_digits(&d->w, after, end);
        d->count += (size_t)(p - after);
    }
    if (d->count == 0)
        return false;
    if (p < end && ((*p | 0x20) != 'e' || !scan_exponent(&d->exponent, p + 1, end)))
        return false;
    d->exponent -= (int64_t)(d->count - d->whole);
    if (d->count > 19)
        collect(d);
    return true;
}

static bool from_one_operation(double *out, const struct decimal *d)
{
    static const double pow10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    if (d->more || d->w > UINT64_C(1) << 53 || d->exponent < -22 || d->exponent > 22)
        return false;
    if (d->exponent < 0)
        *out = (double)d->w / pow10[-d->exponent];
    else
        *out = (double)d->w * pow10[d->exponent];
    return true;
}

/* The bits of the double; false if only comparing can tell it from the next above. For w > 0. */
static bool from_product(uint64_t *bits, const struct decimal *d)
{
    if (d->exponent < TTP_NUM_POW10_MIN || d->exponent > 308) {
        *bits = d->exponent < 0 ? 0 : TTP_NUM_INF_BITS;
        return true;
    }
    const int e = (int)d->exponent, lead = __builtin_clzll(d->w);
    const struct ttp_num_pow10 g = ttp_num_pow10[e - TTP_NUM_POW10_MIN];
    const ttp_u128 low = (ttp_u128)g.lo * (d->w << lead);
    const ttp_u128 product = (ttp_u128)g.hi * (d->w << lead) + (uint64_t)(low >> 64);
    const int top = 127 - (product >> 127 == 0);                  /* highest bit of the product */
    const int exponent = ttp_num_log2_pow10(e) - lead + top - 63; /* value is 1.xxx * 2^exponent */

    if (exponent > 1023 || exponent < -1076) { /* half the smallest double is 2^-1075 */
        *bits = exponent < 0 ? 0 : TTP_NUM_INF_BITS;
        return true;
    }
    /* Two bits less, so that the last place of a subnormal still has a bit to appear on. Cutting
     * off these, the low word and the rest of g costs less than 2 units; digits beyond w cost less
     * than 2^lead times g, with lead <= 4, far less than the half below. */
    const ttp_u128 p = product >> 2;
    const ttp_u128 error = 2 + (d->more ? (ttp_u128)1 << (lead + 63) : 0);
    const bool exact =
        !d->more && ttp_num_pow10_is_exact(e) && (uint64_t)low == 0 && !(product & 3);
    const int subnormal = exponent < -1022 ? -1022 - exponent : 0;
    const int cut = top - 2 - 52 + subnormal;
    const ttp_u128 half = (ttp_u128)1 << (cut - 1), below = p & (2 * half - 1);
    uint64_t m = (uint64_t)(p >> cut);

    m += below > half || (below == half && exact && (m & 1));
    /* the hidden bit adds one to the exponent, and so does a carry out of the fraction */
    *bits = m + (subnormal ? 0 : (uint64_t)(exponent + 1022) << 52);
    return exact || below > half || below + error <= half;
}

/* Digits of d as one whole number; returns the power of ten that belongs to it. */
static int big_from_digits(struct ttp_num_big *out, const struct decimal *d)
{
    size_t at = 0, taken = 0;
    int64_t exponent = d->exponent; /* of the 19th digit if there are more, else of the last */

    ttp_num_big_set(out, 0);
    while (at < d->count && digit_at(d, at) == '0')
        at++;
    for (; at < d->count && taken < DIGITS_MAX; at++, taken++)
        ttp_num_big_mul_add(out, 10, digit_of(digit_at(d, at)));
    if (taken > 19)
        exponent -= (int64_t)taken - 19;
    while (at < d->count && digit_at(d, at) == '0')
        at++;
    if (at < d->count) { /* a last digit 1 represents all that was left out */
        ttp_num_big_mul_add(out, 10, 1);
        exponent--;
    }
    return (int)exponent;
}

/* Whether d lies below, on or above the middle between the double `bits` and the next. */
static int compare_to_halfway(const struct decimal *d, uint64_t bits)
{
    const uint64_t fraction = bits & (TTP_NUM_HIDDEN_BIT - 1);
    const int biased = (int)(bits >> 52);
    const uint64_t m = biased ? fraction | TTP_NUM_HIDDEN_BIT : fraction;
    const int q = (biased ? biased : 1) - 1076; /* halfway is (2 m + 1) * 2^q */
    struct ttp_num_big value, halfway;
    const int e = big_from_digits(&value, d);

    /* digits * 5^e * 2^e against (2 m + 1) * 2^q: negative powers change sides */
    ttp_num_big_set(&halfway, 2 * m + 1);
    if (e < 0)
        ttp_num_big_mul_pow5(&halfway, (unsigned)-e);
    else
        ttp_num_big_mul_pow5(&value, (unsigned)e);
    if (e < q)
        ttp_num_big_shift_left(&halfway, (unsigned)(q - e));
    else
        ttp_num_big_shift_left(&value, (unsigned)(e - q));
    return ttp_num_big_cmp(&value, &halfway);
}

static double from_decimal(const struct decimal *d)
{
    double v;
    uint64_t bits;

    if (from_one_operation(&v, d))
        return v;
    if (d->w == 0)
        return 0;
    if (!from_product(&bits, d)) {
        const int order = compare_to_halfway(d, bits);

        bits += order > 0 || (order == 0 && (bits & 1));
    }
    return ttp_num_from_bits(bits);
}

/* ASCII letters only: strncasecmp() asks the locale. */
static bool is_word(const char *p, size_t n, ttp_str word)
{
    if (n != word.len)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((p[i] | 0x20) != word.ptr[i])
            return false;
    return true;
}

bool ttp_str_to_f64(ttp_str s, double *out)
{
    const bool negative = s.len && s.ptr[0] == '-';
    const size_t sign = s.len && (negative || s.ptr[0] == '+');
    const size_t n = s.len - sign;
    struct decimal d;
    double v;

    if (n == 0)
        return false;
    const char *p = s.ptr + sign;
    if (scan(&d, p, p + n))
        v = from_decimal(&d);
    else if (is_word(p, n, TTP_STR("inf")) || is_word(p, n, TTP_STR("infinity")))
        v = INFINITY;
    else if (is_word(p, n, TTP_STR("nan")))
        v = NAN;
    else
        return false;
    *out = negative ? -v : v;
    return true;
}
