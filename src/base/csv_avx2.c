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

/* Top bit of each byte that is LF, CR, a quote or above 127. Those three differ in their low four
 * bits, by which the shuffle picks the only one that a byte could be equal to. The 1 stands for
 * bytes like NUL, which would be equal to an empty entry. */
static __m256i special(__m256i v)
{
    const __m256i by_nibble =
        _mm256_setr_epi8(1, 0, '"', 0, 0, 0, 0, 0, 0, 0, '\n', 0, 0, '\r', 0, 0, /* lane 0 */
                         1, 0, '"', 0, 0, 0, 0, 0, 0, 0, '\n', 0, 0, '\r', 0, 0);
    return _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(by_nibble, v), v), v);
}

static uint64_t special64(const char *p)
{
    return top_bits(special(load32(p)), special(load32(p + 32)));
}

static bool plain64(const char *p, char sep, uint64_t *seps)
{
    const __m256i a = load32(p), b = load32(p + 32), want = _mm256_set1_epi8(sep);
    const __m256i top = _mm256_set1_epi8(INT8_MIN);

    *seps = top_bits(_mm256_cmpeq_epi8(a, want), _mm256_cmpeq_epi8(b, want));
    return _mm256_testz_si256(_mm256_or_si256(special(a), special(b)), top);
}

static uint32_t low_bit(uint64_t mask)
{
    return (uint32_t)_tzcnt_u64(mask);
}

#define KERNEL      ttp_csv_avx2
#define KERNEL_NAME "avx2"
#include "base/csv_kernel.h"
