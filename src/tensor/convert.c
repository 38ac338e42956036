/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/convert.h"

#include <math.h>

bool ttp_tensor_dtype_is_whole(enum ttp_dtype t)
{
    return t >= TTP_DTYPE_I8 && t <= TTP_DTYPE_BOOL;
}

static uint32_t bits_of(float v)
{
    uint32_t b;

    memcpy(&b, &v, sizeof(b));
    return b;
}

static float float_of(uint32_t b)
{
    float v;

    memcpy(&v, &b, sizeof(v));
    return v;
}

/* --- narrow floats --- */

static float from_f16(uint16_t h)
{
    /* as if its exponent were f32's, then moved there by a power of two, which also normalises
     * subnormal numbers; only infinity and NaN need another exponent */
    const uint32_t low = (uint32_t)(h & 0x7fff) << 13;
    const uint32_t value = bits_of(float_of(low) * 0x1p112f);
    const uint32_t magnitude = (h & 0x7c00) == 0x7c00 ? low | 0x7f800000 : value;

    return float_of(magnitude | (uint32_t)(h & 0x8000) << 16);
}

static float from_e4m3(unsigned char b)
{
    const unsigned e = b >> 3 & 15, m = b & 7;
    const float magnitude = (b & 0x7f) == 0x7f ? NAN
                            : e == 0           ? (float)m * 0x1p-9f
                                               : float_of((e + 120) << 23 | m << 20);

    return b & 0x80 ? -magnitude : magnitude;
}

static float round_bf16(float v)
{
    const uint32_t b = bits_of(v);

    if ((b & 0x7fffffff) > 0x7f800000)
        return float_of((b | 0x400000) & 0xffff0000);
    return float_of((b + 0x7fff + (b >> 16 & 1)) & 0xffff0000);
}

float ttp_tensor_round_f16(float v)
{
    const uint32_t sign = bits_of(v) & 0x80000000, a = bits_of(v) & 0x7fffffff;
    const uint32_t normal = (a + 0xfff + (a >> 13 & 1)) & 0xffffe000;
    /* below 2^-14 the step is 2^-24, which is f32's at 0.5 */
    const uint32_t small = bits_of((float_of(a) + 0.5f) - 0.5f);
    const uint32_t finite = a < 0x38800000 ? small : normal;
    /* 65520 and more do not fit */
    const uint32_t fitting = a < 0x477ff000 ? finite : 0x7f800000;

    return float_of((a > 0x7f800000 ? a : fitting) | sign);
}

/* fp8: a step of 2^-(bits) of the power of two below, at least that of `low`. */
static float round_f8(float v, int bits, int low, float max, float beyond)
{
    if (!isfinite(v))
        return isnan(v) ? v : copysignf(beyond, v);
    int e;
    (void)frexpf(v, &e); /* v = f * 2^e, f in [0.5, 1) */
    const int power = (v == 0 || e - 1 < low ? low : e - 1) - bits;
    const float r = ldexpf(rintf(ldexpf(v, -power)), power);

    return fabsf(r) > max ? copysignf(beyond, v) : r;
}

float ttp_tensor_round_one(float v, enum ttp_dtype t)
{
    switch (t) {
    case TTP_DTYPE_F16:
        return ttp_tensor_round_f16(v);
    case TTP_DTYPE_BF16:
        return round_bf16(v);
    case TTP_DTYPE_F8_E4M3:
        return round_f8(v, 3, -6, 448, NAN); /* e4m3fn has no infinity */
    case TTP_DTYPE_F8_E5M2:
        return round_f8(v, 2, -14, 57344, INFINITY);
    default:
        return v;
    }
}

void ttp_tensor_round_f32(float *v, size_t n, enum ttp_dtype t)
{
    if (t == TTP_DTYPE_BF16)
        for (size_t i = 0; i < n; i++)
            v[i] = round_bf16(v[i]);
    else if (t == TTP_DTYPE_F16)
        for (size_t i = 0; i < n; i++)
            v[i] = ttp_tensor_round_f16(v[i]);
    else if (t == TTP_DTYPE_F8_E4M3 || t == TTP_DTYPE_F8_E5M2)
        for (size_t i = 0; i < n; i++)
            v[i] = ttp_tensor_round_one(v[i], t);
}

/* --- whole numbers --- */

static int64_t wrap(int64_t v, enum ttp_dtype t)
{
    switch (t) {
    case TTP_DTYPE_I8:
        return (int8_t)v;
    case TTP_DTYPE_I16:
        return (int16_t)v;
    case TTP_DTYPE_I32:
        return (int32_t)v;
    case TTP_DTYPE_U8:
        return (uint8_t)v;
    case TTP_DTYPE_U16:
        return (uint16_t)v;
    case TTP_DTYPE_U32:
        return (uint32_t)v;
    case TTP_DTYPE_BOOL:
        return v != 0;
    default:
        return v;
    }
}

void ttp_tensor_wrap_i64(int64_t *v, size_t n, enum ttp_dtype t)
{
    for (size_t i = 0; i < n; i++)
        v[i] = wrap(v[i], t);
}

int64_t ttp_tensor_cut_f64(double v, enum ttp_dtype t)
{
    static const struct {
        double min, max;
    } range[TTP_DTYPE_COUNT] = {
        [TTP_DTYPE_I8] = {-0x1p7, 0x1p7 - 1},    [TTP_DTYPE_I16] = {-0x1p15, 0x1p15 - 1},
        [TTP_DTYPE_I32] = {-0x1p31, 0x1p31 - 1}, [TTP_DTYPE_U8] = {0, 0x1p8 - 1},
        [TTP_DTYPE_U16] = {0, 0x1p16 - 1},       [TTP_DTYPE_U32] = {0, 0x1p32 - 1},
    };

    if (t == TTP_DTYPE_BOOL)
        return v != 0;
    if (isnan(v))
        return 0;
    if (t == TTP_DTYPE_I64)
        return v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (int64_t)v;
    if (t == TTP_DTYPE_U64)
        return v >= 0x1p64 ? -1 : v < 0 ? 0 : (int64_t)(uint64_t)v;
    return (int64_t)fmin(fmax(v, range[t].min), range[t].max);
}

/* --- runs --- */

/* One loop per stored type; memcpy because files align nothing. */
#define RUN(out_type, stored, expression)                                                          \
    for (size_t i = 0; i < n; i++) {                                                               \
        stored v;                                                                                  \
        memcpy(&v, from + i * sizeof(v), sizeof(v));                                               \
        out[i] = (out_type)(expression);                                                           \
    }                                                                                              \
    return

/* Cases every target type shares. */
#define RUNS_OF_WHOLE(out_type)                                                                    \
    case TTP_DTYPE_I8:                                                                             \
        RUN(out_type, int8_t, v);                                                                  \
    case TTP_DTYPE_I16:                                                                            \
        RUN(out_type, int16_t, v);                                                                 \
    case TTP_DTYPE_I32:                                                                            \
        RUN(out_type, int32_t, v);                                                                 \
    case TTP_DTYPE_I64:                                                                            \
        RUN(out_type, int64_t, v);                                                                 \
    case TTP_DTYPE_U8:                                                                             \
        RUN(out_type, uint8_t, v);                                                                 \
    case TTP_DTYPE_U16:                                                                            \
        RUN(out_type, uint16_t, v);                                                                \
    case TTP_DTYPE_U32:                                                                            \
        RUN(out_type, uint32_t, v);                                                                \
    case TTP_DTYPE_U64:                                                                            \
        RUN(out_type, uint64_t, v);                                                                \
    case TTP_DTYPE_BOOL:                                                                           \
        RUN(out_type, uint8_t, v != 0)

#define RUNS_OF_NARROW(out_type)                                                                   \
    case TTP_DTYPE_F16:                                                                            \
        RUN(out_type, uint16_t, from_f16(v));                                                      \
    case TTP_DTYPE_BF16:                                                                           \
        RUN(out_type, uint16_t, float_of((uint32_t)v << 16));                                      \
    case TTP_DTYPE_F8_E4M3:                                                                        \
        RUN(out_type, uint8_t, from_e4m3(v));                                                      \
    case TTP_DTYPE_F8_E5M2:                                                                        \
        RUN(out_type, uint8_t, from_f16((uint16_t)(v << 8)))

static void whole_to_f32(float *out, const char *from, size_t n, enum ttp_dtype t)
{
    switch (t) {
        RUNS_OF_WHOLE(float);
    default:
        return;
    }
}

static void whole_to_f64(double *out, const char *from, size_t n, enum ttp_dtype t)
{
    switch (t) {
        RUNS_OF_WHOLE(double);
    default:
        return;
    }
}

void ttp_tensor_convert_f32(float *out, const char *from, size_t n, enum ttp_dtype t)
{
    switch (t) {
    case TTP_DTYPE_F64:
        RUN(float, double, v);
    case TTP_DTYPE_F32:
        memcpy(out, from, n * sizeof(*out));
        return;
        RUNS_OF_NARROW(float);
    default:
        whole_to_f32(out, from, n, t);
        return;
    }
}

void ttp_tensor_convert_f64(double *out, const char *from, size_t n, enum ttp_dtype t)
{
    switch (t) {
    case TTP_DTYPE_F64:
        memcpy(out, from, n * sizeof(*out));
        return;
    case TTP_DTYPE_F32:
        RUN(double, float, v);
        RUNS_OF_NARROW(double);
    default:
        whole_to_f64(out, from, n, t);
        return;
    }
}

void ttp_tensor_convert_i64(int64_t *out, const char *from, size_t n, enum ttp_dtype t)
{
    switch (t) {
        RUNS_OF_WHOLE(int64_t);
    default:
        return;
    }
}
