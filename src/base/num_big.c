/* SPDX-License-Identifier: Apache-2.0 */
/* Schoolbook arithmetic for the few numbers that need more than 128 bits to be exact. */
#include <assert.h>

#include "base/num_internal.h"

void ttp_num_big_set(struct ttp_num_big *b, uint64_t v)
{
    b->limb[0] = (uint32_t)v;
    b->limb[1] = (uint32_t)(v >> 32);
    b->count = v >> 32 ? 2 : v != 0;
}

static void append_limb(struct ttp_num_big *b, uint32_t limb)
{
    assert(b->count < TTP_NUM_BIG_LIMBS);
    b->limb[b->count++] = limb;
}

void ttp_num_big_mul_add(struct ttp_num_big *b, uint32_t mul, uint32_t add)
{
    uint64_t carry = add;

    for (unsigned i = 0; i < b->count; i++) {
        carry += (uint64_t)b->limb[i] * mul;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        append_limb(b, (uint32_t)carry);
}

void ttp_num_big_mul_pow5(struct ttp_num_big *b, unsigned n)
{
    static const uint32_t pow5[] = {1,     5,      25,      125,     625,      3125,     15625,
                                    78125, 390625, 1953125, 9765625, 48828125, 244140625};

    for (; n >= 13; n -= 13)
        ttp_num_big_mul_add(b, 1220703125, 0); /* 5^13, the last below 2^32 */
    ttp_num_big_mul_add(b, pow5[n], 0);
}

void ttp_num_big_shift_left(struct ttp_num_big *b, unsigned bits)
{
    const unsigned limbs = bits / 32;

    if (b->count == 0)
        return;
    ttp_num_big_mul_add(b, UINT32_C(1) << bits % 32, 0);
    assert(b->count + limbs <= TTP_NUM_BIG_LIMBS);
    memmove(b->limb + limbs, b->limb, b->count * sizeof(b->limb[0]));
    memset(b->limb, 0, limbs * sizeof(b->limb[0]));
    b->count += limbs;
}

uint32_t ttp_num_big_divide(struct ttp_num_big *b, uint32_t by)
{
    uint64_t rest = 0;

    for (unsigned i = b->count; i-- > 0;) {
        rest = rest << 32 | b->limb[i];
        b->limb[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    while (b->count && b->limb[b->count - 1] == 0)
        b->count--;
    return (uint32_t)rest;
}

int ttp_num_big_cmp(const struct ttp_num_big *x, const struct ttp_num_big *y)
{
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    for (unsigned i = x->count; i-- > 0;)
        if (x->limb[i] != y->limb[i])
            return x->limb[i] < y->limb[i] ? -1 : 1;
    return 0;
}
