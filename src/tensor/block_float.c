/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/block_float.h"

#include <math.h>

/* Exponents of a small tile are padded to the alignment of L1, 16 bytes on Wormhole and Blackhole.
 */
#define L1_ALIGNMENT 16

unsigned ttp_tensor_block_bits(enum ttp_dtype t)
{
    switch (t) {
    case TTP_DTYPE_BFP8_B:
        return 7;
    case TTP_DTYPE_BFP4_B:
        return 3;
    case TTP_DTYPE_BFP2_B:
        return 1;
    default:
        return 0;
    }
}

/* 2^(e - 127), also where that is subnormal or beyond: exponents may be anything in a file. */
static float power(int e)
{
    return (float)ldexp(1, e - 127);
}

/* A mantissa whose leading one is not in front is normalised by tt-metal with its exponent lowered;
 * the value is the same. Below the smallest normal number tt-metal's bits would wrap; the value
 * does not. */
void ttp_tensor_block_decode(float *out, const unsigned char *packed, unsigned exponent,
                             unsigned bits)
{
    const unsigned width = bits + 1, per_byte = 8 / width, mask = (1u << bits) - 1;
    const float unit = power((int)exponent - (int)bits + 1);

    for (unsigned i = 0; i < TTP_FACE; i++) {
        const unsigned v = packed[i / per_byte] >> (i % per_byte * width);
        const float m = (float)(v & mask) * unit;

        out[i] = v >> bits & 1 && v & mask ? -m : m;
    }
}

static uint32_t bits_of(float v)
{
    uint32_t b;

    memcpy(&b, &v, sizeof(b));
    return b;
}

/* The magnitude of one value; the caller adds sign and exponent. */
static unsigned encode(uint32_t b, unsigned exponent, unsigned bits)
{
    const unsigned e = b >> 23 & 0xff, drop = 24 - bits;
    const unsigned max = (1u << bits) - 1;

    if (e == 0)
        return 0;
    uint32_t m = (b & 0x7fffff) | 1u << 23;
    m = exponent - e > 31 ? 0 : m >> (exponent - e); /* what is shifted out here is lost */
    const uint32_t rest = m & ((1u << drop) - 1), half = 1u << (drop - 1);
    m >>= drop;
    if (rest > half || (rest == half && m & 1))
        m++;
    return m > max ? max : m;
}

unsigned ttp_tensor_block_squeeze(float *v, size_t n, unsigned bits)
{
    unsigned exponent = 0, flushed = 0;

    for (size_t i = 0; i < n; i++) {
        const unsigned e = bits_of(v[i]) >> 23 & 0xff;
        exponent = e > exponent ? e : exponent;
    }
    const float unit = power((int)exponent - (int)bits + 1);
    for (size_t i = 0; i < n; i++) {
        const uint32_t b = bits_of(v[i]);
        const unsigned m = encode(b, exponent, bits);
        const float magnitude = (float)m * unit;

        flushed += m == 0 && v[i] != 0;
        v[i] = b >> 31 && m ? -magnitude : magnitude;
    }
    return flushed;
}

/* --- tiles --- */

static bool round_up(uint64_t *v, uint32_t to)
{
    uint64_t sum;

    if (to <= 1)
        return true;
    if (__builtin_add_overflow(*v, (uint64_t)to - 1, &sum))
        return false;
    *v = sum / to * to;
    return true;
}

/* As TensorLayout::compute_physical_shape: the last dimension is the width, all others multiply to
 * the height, and each is rounded up when it has been multiplied in. */
static bool pad(struct ttp_tensor *t, const uint32_t *align, uint32_t n, uint64_t *height,
                uint64_t *width)
{
    const uint32_t rank = t->ndim > n ? t->ndim : n;

    *height = *width = 1;
    for (uint32_t i = 1; i <= rank; i++) {
        uint64_t *size = i == 1 ? width : height;

        if (i <= t->ndim) {
            t->stride[t->ndim - i] = i == 1 ? 1 : *size;
            if (__builtin_mul_overflow(*size, t->shape[t->ndim - i], size))
                return false;
        }
        if (i <= n && !round_up(size, align[n - i]))
            return false;
    }
    return true;
}

ttp_code ttp_tensor_set_tiles(struct ttp_tensor *t, const uint32_t tile[2], const uint32_t *align,
                              uint32_t n, struct ttp_err *err)
{
    uint64_t height, width, all;

    if (!pad(t, align, n, &height, &width) || __builtin_mul_overflow(height, width, &all) ||
        all > (uint64_t)1 << 56)
        return ttp_fail(err, TTP_ELIMIT, "the padded tensor is too large");
    t->tile_h = tile[0];
    t->tile_w = tile[1];
    t->plane_h = height;
    t->plane_w = width;
    if (tile[0] == 0) {
        for (uint32_t d = 0; d + 1 < t->ndim; d++)
            t->stride[d] *= width;
        return TTP_OK;
    }
    const bool faces = tile[1] % TTP_FACE == 0 && tile[1] <= TTP_TILE && tile[0] <= TTP_TILE &&
                       (tile[0] < TTP_FACE || tile[0] % TTP_FACE == 0);
    if (!faces || tile[1] == 0)
        return ttp_fail(err, TTP_EPARSE, "unsupported tile size %ux%u", tile[0], tile[1]);
    if (height % tile[0] || width % tile[1])
        return ttp_fail(err, TTP_EPARSE, "the padded tensor does not consist of whole tiles");
    return TTP_OK;
}

uint64_t ttp_tensor_tile_exponents(const struct ttp_tensor *t)
{
    const uint64_t rows = (uint64_t)t->tile_h * t->tile_w / TTP_FACE;

    return rows < L1_ALIGNMENT ? L1_ALIGNMENT : rows;
}

uint64_t ttp_tensor_tile_bytes(const struct ttp_tensor *t)
{
    const uint64_t values = (uint64_t)t->tile_h * t->tile_w;
    const unsigned bits = ttp_tensor_block_bits(t->dtype);

    if (bits)
        return ttp_tensor_tile_exponents(t) + values * (bits + 1) / 8;
    return values * ttp_tensor_dtype_size(t->dtype);
}

uint64_t ttp_tensor_plane_bytes(const struct ttp_tensor *t)
{
    return t->plane_h / t->tile_h * (t->plane_w / t->tile_w) * ttp_tensor_tile_bytes(t);
}
