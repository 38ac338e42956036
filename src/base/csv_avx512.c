/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv_internal.h"

#include <immintrin.h>

static __m512i load64(const char *p)
{
    return _mm512_loadu_si512(p);
}

static uint64_t match64(const char *p, char byte)
{
    return _mm512_cmpeq_epi8_mask(load64(p), _mm512_set1_epi8(byte));
}

static bool high64(const char *p)
{
    return _mm512_movepi8_mask(load64(p)) != 0;
}

/* Zero where a byte is CR or a quote, negative where it is above 127, else positive. CR and the
 * quote differ in their low four bits, by which the shuffle picks the only one that a byte could be
 * equal to; it picks 0 for bytes above 127. The 1 represents bytes like NUL, which would be equal
 * to an empty entry. */
static __m512i special(__m512i v)
{
    const __m512i by_nibble =
        _mm512_broadcast_i32x4(_mm_setr_epi8(1, 0, '"', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '\r', 0, 0));
    return _mm512_xor_si512(_mm512_shuffle_epi8(by_nibble, v), v);
}

static bool plain64(const char *p, char sep, uint64_t *seps, uint64_t *lf)
{
    *seps = match64(p, sep);
    *lf = match64(p, '\n');
    return _mm512_cmple_epi8_mask(special(load64(p)), _mm512_setzero_si512()) == 0;
}

static uint32_t low_bit(uint64_t mask)
{
    return (uint32_t)_tzcnt_u64(mask);
}

TTP_INLINE bool plain256(const char *p, char sep, uint64_t seps[4], uint64_t lf[4])
{
    const __m512i low = _mm512_min_epi8(special(load64(p)), special(load64(p + 64)));
    const __m512i high = _mm512_min_epi8(special(load64(p + 128)), special(load64(p + 192)));

    for (size_t i = 0; i < 4; i++) {
        seps[i] = match64(p + 64 * i, sep);
        lf[i] = match64(p + 64 * i, '\n');
    }
    return _mm512_cmple_epi8_mask(_mm512_min_epi8(low, high), _mm512_setzero_si512()) == 0;
}

/* Up to 16 positions of a block, from the numbers of its marked bytes. */
static void write16(uint32_t *end, __m512i base, __m128i numbers)
{
    _mm512_storeu_si512(end, _mm512_add_epi32(_mm512_cvtepu8_epi32(numbers), base));
}

/* Write the ends of a block and continue after those that count. */
static uint32_t *write_block(uint32_t *end, size_t at, uint64_t mask)
{
    static const char number[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, /* bytes of a block */
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, /* ... */
        32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, /* ... */
        48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i marked = _mm512_maskz_compress_epi8(mask, load64(number));
    const __m512i base = _mm512_set1_epi32((int)(uint32_t)at);
    const size_t count = (size_t)_mm_popcnt_u64(mask);

    write16(end, base, _mm512_castsi512_si128(marked));
    if (TTP_UNLIKELY(count > 16)) {
        write16(end + 16, base, _mm512_extracti32x4_epi32(marked, 1));
        write16(end + 32, base, _mm512_extracti32x4_epi32(marked, 2));
        write16(end + 48, base, _mm512_extracti32x4_epi32(marked, 3));
    }
    return end + count;
}

static bool write_sparse(uint32_t *end, size_t at, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    end = write_block(end, at, a);
    end = write_block(end, at + 64, b);
    end = write_block(end, at + 128, c);
    write_block(end, at + 192, d);
    return true;
}

#define KERNEL        ttp_csv_avx512
#define KERNEL_NAME   "avx512"
#define KERNEL_GROUP  1
#define KERNEL_SPARSE 1
#include "base/csv_kernel.h"
