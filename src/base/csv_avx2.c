/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv_internal.h"

#include <immintrin.h>

static __m256i load32(const char *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

static uint64_t top_bits(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

static uint64_t match64(const char *p, char byte)
{
    const __m256i want = _mm256_set1_epi8(byte);
    return top_bits(_mm256_cmpeq_epi8(load32(p), want), _mm256_cmpeq_epi8(load32(p + 32), want));
}

static bool high64(const char *p)
{
    return _mm256_movemask_epi8(_mm256_or_si256(load32(p), load32(p + 32))) != 0;
}

/* Top bit of each byte that is CR, a quote or above 127. CR and the quote differ in their low four
 * bits, by which the shuffle picks the only one that a byte could be equal to. The 1 represents
 * bytes like NUL, which would be equal to an empty entry. */
static __m256i special(__m256i v)
{
    const __m256i by_nibble =
        _mm256_setr_epi8(1, 0, '"', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '\r', 0, 0, /* lane 0 */
                         1, 0, '"', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '\r', 0, 0);
    return _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(by_nibble, v), v), v);
}

static bool plain64(const char *p, char sep, uint64_t *seps, uint64_t *lf)
{
    const __m256i odd = _mm256_or_si256(special(load32(p)), special(load32(p + 32)));

    *seps = match64(p, sep);
    *lf = match64(p, '\n');
    return _mm256_testz_si256(odd, _mm256_set1_epi8(INT8_MIN));
}

static uint32_t low_bit(uint64_t mask)
{
    return (uint32_t)_tzcnt_u64(mask);
}

/* Rows k of v are lanes k of the result: four 4 x 4 matrices of 32 bits, two at a time. */
static void transpose4(__m256i v[4])
{
    const __m256i a = _mm256_unpacklo_epi32(v[0], v[1]), b = _mm256_unpackhi_epi32(v[0], v[1]);
    const __m256i c = _mm256_unpacklo_epi32(v[2], v[3]), d = _mm256_unpackhi_epi32(v[2], v[3]);

    v[0] = _mm256_unpacklo_epi64(a, c);
    v[1] = _mm256_unpackhi_epi64(a, c);
    v[2] = _mm256_unpacklo_epi64(b, d);
    v[3] = _mm256_unpackhi_epi64(b, d);
}

/* Write eight positions and continue after those that count. */
static uint32_t *write_half(uint32_t *end, __m256i v, uint64_t half)
{
    _mm256_storeu_si256((__m256i *)(void *)end, v);
    return end + __builtin_popcount((uint32_t)half);
}

/* Takes up to eight ends from each 32 bytes, all eight halves in step: the lowest bit of each lane,
 * made a float, has its number in the exponent. Twice as fast as bit by bit where counting trailing
 * zeros takes two operations (Zen 3). */
static bool write_sparse(uint32_t *end, size_t at, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    const __m256i first = _mm256_setr_epi32(0, 32, 64, 96, 128, 160, 192, 224);
    const __m256i base = _mm256_add_epi32(_mm256_set1_epi32((int)(uint32_t)at - 127), first);
    const __m256i byte = _mm256_set1_epi32(255), zero = _mm256_setzero_si256();
    __m256i left = _mm256_set_epi64x((int64_t)d, (int64_t)c, (int64_t)b, (int64_t)a);
    __m256i v[8];

    for (int i = 0; i < 8; i++) {
        const __m256i low = _mm256_and_si256(left, _mm256_sub_epi32(zero, left));
        const __m256i bits = _mm256_castps_si256(_mm256_cvtepi32_ps(low));
        const __m256i exponent = _mm256_and_si256(_mm256_srli_epi32(bits, 23), byte);

        v[i] = _mm256_add_epi32(exponent, base); /* 127 too much, as `base` knows */
        left = _mm256_xor_si256(left, low);
    }
    if (!_mm256_testz_si256(left, left))
        return false;
    transpose4(v);
    transpose4(v + 4);
    end = write_half(end, _mm256_permute2x128_si256(v[0], v[4], 0x20), a);
    end = write_half(end, _mm256_permute2x128_si256(v[1], v[5], 0x20), a >> 32);
    end = write_half(end, _mm256_permute2x128_si256(v[2], v[6], 0x20), b);
    end = write_half(end, _mm256_permute2x128_si256(v[3], v[7], 0x20), b >> 32);
    end = write_half(end, _mm256_permute2x128_si256(v[0], v[4], 0x31), c);
    end = write_half(end, _mm256_permute2x128_si256(v[1], v[5], 0x31), c >> 32);
    end = write_half(end, _mm256_permute2x128_si256(v[2], v[6], 0x31), d);
    write_half(end, _mm256_permute2x128_si256(v[3], v[7], 0x31), d >> 32);
    return true;
}

#define KERNEL        ttp_csv_avx2
#define KERNEL_NAME   "avx2"
#define KERNEL_SPARSE 1
#include "base/csv_kernel.h"
