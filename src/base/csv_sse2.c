/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv_internal.h"

#include <emmintrin.h>

static __m128i load16(const char *p, size_t i)
{
    return _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
}

static uint64_t top_bits(__m128i v)
{
    return (uint32_t)_mm_movemask_epi8(v);
}

static uint64_t match64(const char *p, char byte)
{
    const __m128i want = _mm_set1_epi8(byte);
    uint64_t mask = 0;

    for (size_t i = 0; i < 4; i++)
        mask |= top_bits(_mm_cmpeq_epi8(load16(p, i), want)) << (16 * i);
    return mask;
}

static bool high64(const char *p)
{
    return top_bits(_mm_or_si128(_mm_or_si128(load16(p, 0), load16(p, 1)),
                                 _mm_or_si128(load16(p, 2), load16(p, 3)))) != 0;
}

/* Top bit of each byte that is CR, a quote or above 127. */
static __m128i special(__m128i v)
{
    const __m128i cr = _mm_set1_epi8('\r'), quote = _mm_set1_epi8('"');
    return _mm_or_si128(v, _mm_or_si128(_mm_cmpeq_epi8(v, cr), _mm_cmpeq_epi8(v, quote)));
}

static bool plain64(const char *p, char sep, uint64_t *seps, uint64_t *lf)
{
    const __m128i low = _mm_or_si128(special(load16(p, 0)), special(load16(p, 1)));
    const __m128i high = _mm_or_si128(special(load16(p, 2)), special(load16(p, 3)));

    *seps = match64(p, sep);
    *lf = match64(p, '\n');
    return top_bits(_mm_or_si128(low, high)) == 0;
}

static uint32_t low_bit(uint64_t mask)
{
    return (uint32_t)__builtin_ctzll(mask | (uint64_t)1 << 63);
}

#define KERNEL      ttp_csv_sse2
#define KERNEL_NAME "sse2"
#include "base/csv_kernel.h"
