/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "tensor/tile_stats.h"

typedef __m256 vf;
typedef __m256i vi;
typedef struct {
    __m256d low, high;
} vd;

TTP_INLINE vf vf_load(const float *p)
{
    return _mm256_loadu_ps(p);
}
TTP_INLINE vf vf_load_bf16(const char *p)
{
    __m128i half;

    memcpy(&half, p, sizeof(half));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
}
TTP_INLINE void vf_store(float *p, vf a)
{
    _mm256_storeu_ps(p, a);
}
TTP_INLINE vf vf_set(float x)
{
    return _mm256_set1_ps(x);
}
TTP_INLINE vf vf_add(vf a, vf b)
{
    return _mm256_add_ps(a, b);
}
TTP_INLINE vf vf_sub(vf a, vf b)
{
    return _mm256_sub_ps(a, b);
}
TTP_INLINE vf vf_mul(vf a, vf b)
{
    return _mm256_mul_ps(a, b);
}
TTP_INLINE vf vf_div(vf a, vf b)
{
    return _mm256_div_ps(a, b);
}
TTP_INLINE vf vf_abs(vf a)
{
    return _mm256_and_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff)));
}
TTP_INLINE vf vf_max(vf a, vf b)
{
    return _mm256_max_ps(a, b); /* the second where one is NaN */
}
TTP_INLINE vf vf_step(vf a, int32_t half, int32_t low, int32_t high)
{
    const vi bits = _mm256_add_epi32(_mm256_castps_si256(a), _mm256_set1_epi32(half));
    const vi e = _mm256_and_si256(bits, _mm256_set1_epi32(0x7f800000));

    return _mm256_castsi256_ps(
        _mm256_min_epi32(_mm256_max_epi32(e, _mm256_set1_epi32(low)), _mm256_set1_epi32(high)));
}
TTP_INLINE vf vf_inverse(vf p)
{
    return _mm256_castsi256_ps(
        _mm256_sub_epi32(_mm256_set1_epi32(0x7f800000), _mm256_castps_si256(p)));
}
TTP_INLINE vd vd_zero(void)
{
    return (vd){_mm256_setzero_pd(), _mm256_setzero_pd()};
}
TTP_INLINE vd widen(vf a)
{
    return (vd){_mm256_cvtps_pd(_mm256_castps256_ps128(a)),
                _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1))};
}
TTP_INLINE vd vd_add(vd s, vf a)
{
    const vd w = widen(a);

    return (vd){_mm256_add_pd(s.low, w.low), _mm256_add_pd(s.high, w.high)};
}
TTP_INLINE void vd_store(double *p, vd a)
{
    _mm256_storeu_pd(p, a.low);
    _mm256_storeu_pd(p + 4, a.high);
}
TTP_INLINE vi vi_zero(void)
{
    return _mm256_setzero_si256();
}
TTP_INLINE vi vi_max_bits(vi m, vf a)
{
    return _mm256_max_epi32(m, _mm256_castps_si256(a));
}
TTP_INLINE vi vi_count_above(vi n, vf a, vf b)
{
    return _mm256_sub_epi32(n, _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_GT_OQ)));
}
TTP_INLINE void vi_store(int32_t *p, vi a)
{
    _mm256_storeu_si256((__m256i *)(void *)p, a);
}

#include "tensor/tile_stats_kernel.h"

const struct ttp_tile_kernel ttp_tile_kernel_avx2 = {"avx2",   tile_stats,    tile_stats_bf16,
                                                     products, products_bf16, widen_bf16};
