/* SPDX-License-Identifier: Apache-2.0 */
/* The primitives in plain C. */
#include <math.h>

#include "tensor/tile_stats.h"

typedef struct {
    float v[TTP_LANES];
} vf;
typedef struct {
    double v[TTP_LANES];
} vd;
typedef struct {
    int32_t v[TTP_LANES];
} vi;

#define EACH for (int i = 0; i < TTP_LANES; i++)

TTP_INLINE vf vf_load(const float *p)
{
    vf r;
    memcpy(&r, p, sizeof(r));
    return r;
}
TTP_INLINE vf vf_load_bf16(const char *p)
{
    uint16_t half[TTP_LANES];
    vi b;
    vf r;

    memcpy(half, p, sizeof(half));
    EACH b.v[i] = (int32_t)((uint32_t)half[i] << 16);
    memcpy(&r, &b, sizeof(r));
    return r;
}
TTP_INLINE void vf_store(float *p, vf a)
{
    memcpy(p, &a, sizeof(a));
}
TTP_INLINE vf vf_set(float x)
{
    vf r = {0};
    EACH r.v[i] = x;
    return r;
}
TTP_INLINE vf vf_add(vf a, vf b)
{
    EACH a.v[i] += b.v[i];
    return a;
}
TTP_INLINE vf vf_sub(vf a, vf b)
{
    EACH a.v[i] -= b.v[i];
    return a;
}
TTP_INLINE vf vf_mul(vf a, vf b)
{
    EACH a.v[i] *= b.v[i];
    return a;
}
TTP_INLINE vf vf_div(vf a, vf b)
{
    EACH a.v[i] /= b.v[i];
    return a;
}
TTP_INLINE vf vf_abs(vf a)
{
    EACH a.v[i] = fabsf(a.v[i]);
    return a;
}
TTP_INLINE vf vf_max(vf a, vf b)
{
    EACH a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
    return a;
}
TTP_INLINE vf vf_step(vf a, int32_t half, int32_t low, int32_t high)
{
    vi b;
    vf r;

    memcpy(&b, &a, sizeof(b));
    EACH
    {
        const int32_t e = (b.v[i] + half) & 0x7f800000, up = e < low ? low : e;
        b.v[i] = up > high ? high : up;
    }
    memcpy(&r, &b, sizeof(r));
    return r;
}
TTP_INLINE vf vf_inverse(vf p)
{
    vi b;

    memcpy(&b, &p, sizeof(b));
    EACH b.v[i] = 0x7f800000 - b.v[i];
    memcpy(&p, &b, sizeof(p));
    return p;
}
TTP_INLINE vd vd_zero(void)
{
    return (vd){{0}};
}
TTP_INLINE vd vd_add(vd s, vf a)
{
    EACH s.v[i] += (double)a.v[i];
    return s;
}
TTP_INLINE void vd_store(double *p, vd a)
{
    memcpy(p, &a, sizeof(a));
}
TTP_INLINE vi vi_zero(void)
{
    return (vi){{0}};
}
TTP_INLINE vi vi_max_bits(vi m, vf a)
{
    vi b;

    memcpy(&b, &a, sizeof(b));
    EACH m.v[i] = b.v[i] > m.v[i] ? b.v[i] : m.v[i];
    return m;
}
TTP_INLINE vi vi_count_above(vi n, vf a, vf b)
{
    EACH n.v[i] += a.v[i] > b.v[i];
    return n;
}
TTP_INLINE void vi_store(int32_t *p, vi a)
{
    memcpy(p, &a, sizeof(a));
}

#include "tensor/tile_stats_kernel.h"

const struct ttp_tile_kernel ttp_tile_kernel_scalar = {"scalar", tile_stats,    tile_stats_bf16,
                                                       products, products_bf16, widen_bf16};
