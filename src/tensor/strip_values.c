/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/strip_values.h"

#include <math.h>

#include "tensor/convert.h"

bool ttp_tensor_strip_is_wide(const struct ttp_tensor_sweep *s)
{
    return s->golden->dtype == TTP_DTYPE_F64 || ttp_tensor_dtype_is_whole(s->golden->dtype);
}

static void widen_whole(double *out, const int64_t *v, size_t n, enum ttp_dtype t)
{
    for (size_t i = 0; i < n; i++)
        out[i] = t == TTP_DTYPE_U64 ? (double)(uint64_t)v[i] : (double)v[i];
}

/* Whole numbers of both sides; *equal becomes false where they differ, beyond 2^53 too. */
static void load_whole(double *g, double *c, const struct ttp_tensor_sweep *s,
                       const struct ttp_rect *r, bool *equal)
{
    const enum ttp_dtype t = s->golden->dtype;

    for (size_t y = 0; y < r->rows; y++) {
        const struct ttp_rect row = {r->plane, r->row + y, r->col, 1, r->cols};
        int64_t whole_g[TTP_RECT_COLS], whole_c[TTP_RECT_COLS];

        ttp_tensor_load_i64(whole_g, s->golden, &row, t);
        ttp_tensor_load_i64(whole_c, s->actual, &row, t);
        if (memcmp(whole_g, whole_c, r->cols * sizeof(whole_g[0])) != 0)
            *equal = false;
        widen_whole(g + y * r->cols, whole_g, r->cols, t);
        widen_whole(c + y * r->cols, whole_c, r->cols, t);
    }
}

void ttp_tensor_strip_f64(double *g, double *c, const struct ttp_tensor_sweep *s,
                          const struct ttp_rect *r, bool *equal)
{
    if (ttp_tensor_dtype_is_whole(s->golden->dtype)) {
        load_whole(g, c, s, r, equal);
        return;
    }
    ttp_tensor_load_f64(g, s->golden, r);
    ttp_tensor_load_f64(c, s->actual, r);
}

void ttp_tensor_strip_f32(float *g, float *c, const struct ttp_tensor_sweep *s,
                          const struct ttp_rect *r)
{
    ttp_tensor_load_f32(g, s->golden, r, s->golden->dtype);
    ttp_tensor_load_f32(c, s->actual, r, s->golden->dtype);
}

void ttp_tensor_widen_f32(double *out, const float *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = v[i];
}

void ttp_tensor_strip_wide(const struct ttp_strip *v, const struct ttp_tensor_sweep *s,
                           const struct ttp_rect *r)
{
    bool ignored;

    if (ttp_tensor_strip_is_wide(s)) {
        ttp_tensor_strip_f64(v->wide_g, v->wide_c, s, r, &ignored);
        return;
    }
    ttp_tensor_strip_f32(v->g, v->c, s, r);
    ttp_tensor_widen_f32(v->wide_g, v->g, r->rows * r->cols);
    ttp_tensor_widen_f32(v->wide_c, v->c, r->rows * r->cols);
}

void ttp_tensor_sweep_load(double *g, double *c, const struct ttp_tensor_sweep *s,
                           const struct ttp_rect *r)
{
    bool ignored;

    if (ttp_tensor_strip_is_wide(s)) {
        ttp_tensor_strip_f64(g, c, s, r, &ignored);
        return;
    }
    for (size_t y = 0; y < r->rows; y++) {
        const struct ttp_rect row = {r->plane, r->row + y, r->col, 1, r->cols};
        float narrow_g[TTP_RECT_COLS], narrow_c[TTP_RECT_COLS];

        ttp_tensor_strip_f32(narrow_g, narrow_c, s, &row);
        ttp_tensor_widen_f32(g + y * r->cols, narrow_g, r->cols);
        ttp_tensor_widen_f32(c + y * r->cols, narrow_c, r->cols);
    }
}

void ttp_tensor_zero_nonfinite_f32(float *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = isfinite(v[i]) ? v[i] : 0;
}

void ttp_tensor_zero_nonfinite_f64(double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = isfinite(v[i]) ? v[i] : 0;
}

struct ttp_stored_values ttp_tensor_strip_stored(const struct ttp_tensor_sweep *s,
                                                 const struct ttp_rect *r)
{
    const struct ttp_stored_values none = {0};
    size_t stride;

    if (s->golden->dtype != TTP_DTYPE_BF16 || s->actual->dtype != TTP_DTYPE_BF16)
        return none;
    struct ttp_stored_values at = {.g = ttp_tensor_rows(s->golden, r, &at.stride),
                                   .c = ttp_tensor_rows(s->actual, r, &stride)};
    return at.g && at.c && (at.stride == stride || r->rows == 1) ? at : none;
}
