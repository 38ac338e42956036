/* SPDX-License-Identifier: Apache-2.0 */
/* comp_pcc of tt-metal, step by step (models/common/utility_functions.py at e4f9f0bb8de), and the
 * verdict. The order of the steps is part of the meaning. */
#include <math.h>

#include "tensor/block_float.h"
#include "tensor/convert.h"
#include "tensor/tensor_load.h"
#include "tensor/tensor_readers.h"
#include "tensor/tensor_sweep.h"

/* comp_pcc's and comp_allclose's defaults. */
#define FALLBACK_RTOL 1e-5
#define FALLBACK_ATOL 1e-4
#define CLOSE_RTOL    1e-5
#define CLOSE_ATOL    1e-8

struct comparison {
    struct ttp_compare *out;
    struct ttp_tensor_sweep sweep;
    struct ttp_totals totals;
    const struct ttp_compare_options *options;
    struct ttp_err *err;
};

static double or_default(double v, double otherwise)
{
    return isnan(v) ? otherwise : v;
}

static void decide(struct comparison *k, enum ttp_pcc_how how, double pcc, bool ok)
{
    k->out->how = how;
    k->out->pcc = pcc;
    k->out->pcc_ok = ok;
}

static uint64_t nonfinite_count(const struct ttp_nonfinite *n)
{
    return n->nan + n->inf + n->neg_inf;
}

/* Step 2: nothing but NaN. */
static bool decide_nan(struct comparison *k)
{
    const struct ttp_tile_stats *t = &k->totals.all;
    const bool all_g = t->nonfinite_g.nan == k->out->count;
    const bool all_c = t->nonfinite_c.nan == k->out->count;

    if (all_g && all_c)
        decide(k, TTP_PCC_BOTH_NAN, 1, true);
    else if (all_g || all_c)
        decide(k, TTP_PCC_ONE_NAN, 0, false);
    return all_g || all_c;
}

/* torch.allclose() of zeros against values up to `max`: the largest decides, as long as it is done
 * in the arithmetic of the type. */
static bool zeros_close(const struct comparison *k, double max, bool zero_golden)
{
    const enum ttp_dtype type = k->sweep.golden->dtype;
    const double rtol = or_default(k->options->fallback_rtol, FALLBACK_RTOL);
    const double atol = or_default(k->options->fallback_atol, FALLBACK_ATOL);

    if (type == TTP_DTYPE_F64)
        return max <= atol + (zero_golden ? rtol * max : 0);
    const float relative = ttp_tensor_round_one((float)rtol * (float)max, type);
    const float allowed = ttp_tensor_round_one((float)atol + (zero_golden ? relative : 0), type);
    return (float)max <= allowed;
}

/* Step 3: nothing but 0 on exactly one side; NaN and infinity are not 0. */
static bool decide_zero(struct comparison *k)
{
    const struct ttp_tile_stats *t = &k->totals.all;
    const uint64_t odd_g = nonfinite_count(&t->nonfinite_g),
                   odd_c = nonfinite_count(&t->nonfinite_c);
    const bool any_g = t->max_g > 0 || odd_g, any_c = t->max_c > 0 || odd_c;

    if (any_g == any_c)
        return false;
    const bool close = k->options->version == TTP_PCC_CURRENT && odd_g + odd_c == 0 &&
                       zeros_close(k, any_g ? t->max_g : t->max_c, any_c);
    decide(k, TTP_PCC_ONE_ZERO, close ? 1 : 0, close);
    return true;
}

/* In which type the tensors are correlated. */
static enum ttp_dtype work_type(const struct comparison *k)
{
    const enum ttp_dtype t = k->sweep.golden->dtype;

    if (k->options->version == TTP_PCC_NUMPY)
        return TTP_DTYPE_F64;
    return t == TTP_DTYPE_F64 || t == TTP_DTYPE_F16 ? t : TTP_DTYPE_F32;
}

static double mean_of(double sum, uint64_t n, enum ttp_dtype t)
{
    const double mean = sum / (double)n;

    if (t == TTP_DTYPE_F64)
        return mean;
    return t == TTP_DTYPE_F16 ? (double)ttp_tensor_round_f16((float)mean) : (double)(float)mean;
}

static double divide(const struct ttp_products *p, bool *finite)
{
    const double denominator = sqrt(p->gg * p->cc);

    *finite = isfinite(denominator) && isfinite(p->gc);
    return p->gc / denominator;
}

/* Step 6. */
static ttp_code correlate(double *r, struct comparison *k)
{
    const enum ttp_dtype t = work_type(k);
    const double mean[2] = {mean_of(k->totals.all.sum_g, k->out->count, t),
                            mean_of(k->totals.all.sum_c, k->out->count, t)};
    struct ttp_products p;
    bool finite;

    TTP_TRY(
        ttp_tensor_sweep_products(&p, &k->sweep, mean, (struct ttp_product_types){t, t}, k->err));
    *r = divide(&p, &finite);
    if (finite || k->options->version != TTP_PCC_CURRENT)
        return TTP_OK;
    TTP_TRY(ttp_tensor_sweep_products(&p, &k->sweep, mean,
                                      (struct ttp_product_types){t, TTP_DTYPE_F64}, k->err));
    *r = divide(&p, &finite);
    return TTP_OK;
}

/* Step 7: no variance. */
static ttp_code decide_undefined(struct comparison *k)
{
    struct ttp_tensor_sweep sweep = k->sweep;
    uint64_t outside;

    if (k->options->version != TTP_PCC_CURRENT) {
        decide(k, TTP_PCC_UNDEFINED_PASSED, 1, true);
        return TTP_OK;
    }
    sweep.rule.rtol = or_default(k->options->fallback_rtol, FALLBACK_RTOL);
    sweep.rule.atol = or_default(k->options->fallback_atol, FALLBACK_ATOL);
    TTP_TRY(ttp_tensor_sweep_outside(&outside, &sweep, k->err));
    decide(k, TTP_PCC_UNDEFINED, outside == 0 ? 1 : 0, outside == 0);
    return TTP_OK;
}

static ttp_code find_pcc(struct comparison *k)
{
    const struct ttp_tile_stats *t = &k->totals.all;
    double r;

    if (decide_nan(k) || decide_zero(k))
        return TTP_OK;
    if (t->equal) { /* step 5 */
        decide(k, TTP_PCC_EQUAL, 1, true);
        return TTP_OK;
    }
    k->sweep.zero_nonfinite =
        nonfinite_count(&t->nonfinite_g) + nonfinite_count(&t->nonfinite_c) > 0;
    TTP_TRY(correlate(&r, k));
    if (isnan(r))
        return decide_undefined(k);
    decide(k, TTP_PCC_CORRELATED, r, r >= k->options->gate);
    return TTP_OK;
}

/* --- everything else --- */

static void set_spot(struct ttp_spot *out, const struct comparison *k, const struct ttp_peak *p,
                     bool found)
{
    if (k->out->count == 0 || !found)
        return;
    out->found = true;
    out->ndim = k->sweep.golden->ndim;
    ttp_tensor_index(out->index, k->sweep.golden, p->plane, p->row, p->col);
    out->golden = p->golden;
    out->actual = p->actual;
}

static void set_errors(struct comparison *k)
{
    const struct ttp_tile_stats *t = &k->totals.all;
    struct ttp_compare *out = k->out;

    out->outside = t->outside;
    out->allclose = t->outside == 0;
    out->max_abs = t->max_d;
    out->max_rel = t->max_rel;
    set_spot(&out->max_abs_at, k, &k->totals.error, t->max_d > 0);
    out->has_ulp = k->sweep.rule.ulp != TTP_DTYPE_NONE;
    out->max_ulp = t->max_ulp;
    set_spot(&out->max_ulp_at, k, &k->totals.ulp, out->has_ulp && t->max_ulp > 0);
    out->golden_nonfinite = t->nonfinite_g;
    out->actual_nonfinite = t->nonfinite_c;
    out->nonfinite_moved = t->moved;
    set_spot(&out->nonfinite_at, k, &k->totals.moved, t->moved > 0);
    out->golden_norm = sqrt(t->sum_g2);
    out->error_norm = sqrt(t->sum_d2);
    out->frobenius = out->golden_norm > 0 ? out->error_norm / out->golden_norm : out->error_norm;
    out->frobenius_ok = out->frobenius <= out->frobenius_limit;
}

/* The worst tile alone: PCC in f64, over pairs that are both finite. */
static void set_worst_tile(struct comparison *k)
{
    const struct ttp_peak *w = &k->totals.worst;
    const struct ttp_extent *e = &k->sweep.extent;
    struct ttp_compare *out = k->out;
    double g[TTP_TILE * TTP_TILE], c[TTP_TILE * TTP_TILE], mean[2] = {0}, g2 = 0, d2 = 0;
    size_t n = 0;
    struct ttp_products p;

    out->worst_height = e->rows - w->row < TTP_TILE ? e->rows - w->row : TTP_TILE;
    out->worst_width = e->cols - w->col < TTP_TILE ? e->cols - w->col : TTP_TILE;
    const struct ttp_rect r = {w->plane, w->row, w->col, out->worst_height, out->worst_width};
    ttp_tensor_sweep_load(g, c, &k->sweep, &r);
    for (size_t i = 0; i < r.rows * r.cols; i++) {
        if (!isfinite(g[i]) || !isfinite(c[i]))
            continue;
        g[n] = g[i];
        c[n] = c[i];
        mean[0] += g[n];
        mean[1] += c[n];
        g2 += g[n] * g[n];
        d2 += (c[n] - g[n]) * (c[n] - g[n]);
        n++;
    }
    mean[0] /= n ? (double)n : 1;
    mean[1] /= n ? (double)n : 1;
    ttp_tensor_products_f64(&p, g, c, n, mean, TTP_DTYPE_F64, TTP_DTYPE_F64);
    out->worst_pcc = p.gc / sqrt(p.gg * p.cc);
    out->worst_frobenius = g2 > 0 ? sqrt(d2 / g2) : sqrt(d2);
    out->worst_rms = sqrt(w->value);
    out->worst_tile_row = w->plane * ((e->rows + TTP_TILE - 1) / TTP_TILE) + w->row / TTP_TILE;
    out->worst_tile_col = w->col / TTP_TILE;
    out->ndim = k->sweep.golden->ndim;
    ttp_tensor_index(out->worst_origin, k->sweep.golden, w->plane, w->row, w->col);
}

static ttp_code compare_values(struct comparison *k)
{
    TTP_TRY(ttp_tensor_sweep_totals(&k->totals, &k->sweep, k->err));
    TTP_TRY(find_pcc(k));
    set_errors(k);
    k->out->tile_rows = k->totals.tile_rows;
    k->out->tile_cols = k->totals.tile_cols;
    k->out->heat_rows = k->totals.heat_rows;
    k->out->heat_cols = k->totals.heat_cols;
    k->out->heat_cells = (size_t)k->totals.heat_rows * k->totals.heat_cols;
    memcpy(k->out->heat, k->totals.heat, sizeof(k->out->heat));
    if (k->out->count)
        set_worst_tile(k);
    return TTP_OK;
}

static ttp_code refuse(const struct ttp_tensor *t, struct ttp_err *err)
{
    return ttp_fail(err, TTP_EPARSE, "tensor '%.*s' cannot be read: %s", TTP_FMT(t->name),
                    t->unreadable);
}

ttp_code ttp_tensor_compare(struct ttp_compare *out, const struct ttp_tensor *golden,
                            const struct ttp_tensor *actual,
                            const struct ttp_compare_options *options, struct ttp_err *err)
{
    struct comparison k = {.out = out, .options = options, .err = err};
    struct ttp_tensor reshaped = *actual;

    if (golden->unreadable || actual->unreadable)
        return refuse(golden->unreadable ? golden : actual, err);
    *out = (struct ttp_compare){.count = golden->count};
    out->same_shape = ttp_tensor_same_shape(golden, actual);
    out->frobenius_limit =
        options->frobenius >= 0 ? options->frobenius : sqrt(2 * (1 - options->gate));
    if (!out->same_shape) {
        if (golden->count != actual->count || !ttp_tensor_is_contiguous(actual))
            return TTP_OK;
        if (!ttp_tensor_set_shape(&reshaped, golden->shape, golden->ndim))
            return TTP_OK;
    }
    ttp_tensor_sweep_init(&k.sweep, golden, &reshaped, options->threads);
    k.sweep.rule.rtol = or_default(options->rtol, CLOSE_RTOL);
    k.sweep.rule.atol = or_default(options->atol, CLOSE_ATOL);
    TTP_TRY(compare_values(&k));
    out->compared = true;
    out->pass = out->same_shape && out->nonfinite_moved == 0 && out->pcc_ok && out->frobenius_ok;
    return TTP_OK;
}
