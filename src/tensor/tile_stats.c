/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/tile_stats.h"

#include <math.h>

#include "tensor/convert.h"

static const struct ttp_tile_kernel *kernel(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return &ttp_tile_kernel_avx2;
#endif
    return &ttp_tile_kernel_scalar;
}

bool ttp_tensor_tile_stats_f32(struct ttp_tile_stats *out, const float *g, const float *c,
                               const struct ttp_tile *tile, const struct ttp_tile_rule *rule)
{
    return kernel()->stats(out, g, c, tile, rule);
}

void ttp_tensor_products_f32(struct ttp_products *out, const float *g, const float *c,
                             const struct ttp_tile *rows, const float mean[2])
{
    kernel()->products(out, g, c, rows, mean);
}

bool ttp_tensor_tile_stats_bf16(struct ttp_tile_stats *out, const char *g, const char *c,
                                const struct ttp_tile *tile, const struct ttp_tile_rule *rule)
{
    return kernel()->stats_bf16(out, g, c, tile, rule);
}

void ttp_tensor_products_bf16(struct ttp_products *out, const char *g, const char *c,
                              const struct ttp_tile *rows, const float mean[2])
{
    kernel()->products_bf16(out, g, c, rows, mean);
}

void ttp_tensor_widen_bf16(float *out, const char *from, size_t n)
{
    kernel()->widen(out, from, n);
}

/* --- steps of a type --- */

static const struct {
    int bits, low, high;
} steps[TTP_DTYPE_COUNT] = {
    [TTP_DTYPE_F64] = {52, -1022, 1023}, [TTP_DTYPE_F32] = {23, -126, 127},
    [TTP_DTYPE_F16] = {10, -14, 15},     [TTP_DTYPE_BF16] = {7, -126, 127},
    [TTP_DTYPE_F8_E4M3] = {3, -6, 8},    [TTP_DTYPE_F8_E5M2] = {2, -14, 15},
    [TTP_DTYPE_BFP8_B] = {7, -126, 127}, [TTP_DTYPE_BFP4_B] = {7, -126, 127},
    [TTP_DTYPE_BFP2_B] = {7, -126, 127},
};

/* The coarser of the two: comp_ulp takes the type of the actual tensor and wants golden to be at
 * least as fine. */
void ttp_tensor_tile_rule_ulp(struct ttp_tile_rule *rule, enum ttp_dtype golden,
                              enum ttp_dtype actual)
{
    rule->golden = golden;
    if (steps[golden].bits == 0 || steps[actual].bits == 0)
        return;
    const enum ttp_dtype t = steps[golden].bits < steps[actual].bits ? golden : actual;
    rule->ulp = t;
    rule->ulp_bits = steps[t].bits;
    rule->ulp_low = steps[t].low;
    rule->ulp_high = steps[t].high;
}

static bool is_wide(const struct ttp_tile_rule *rule)
{
    return rule->golden == TTP_DTYPE_F64 || ttp_tensor_dtype_is_whole(rule->golden);
}

/* |c - g| in the type tensors are subtracted in. */
static double error_of(double g, double c, const struct ttp_tile_rule *rule)
{
    return is_wide(rule) ? fabs(c - g) : (double)fabsf((float)c - (float)g);
}

double ttp_tensor_pair_error(double g, double c, const struct ttp_tile_rule *rule)
{
    return isfinite(g) && isfinite(c) ? error_of(g, c, rule) : -1;
}

/* Where rounding to few bits ends at a power of two, half a step more is already beyond it: the
 * kernels add that half, here it is the same on the exponent. */
static double step_of(double g, const struct ttp_tile_rule *rule)
{
    int e;

    if (g == 0)
        return ldexp(1, rule->ulp_low - rule->ulp_bits);
    const double f = frexp(fabs(g), &e); /* f in [0.5, 1) */
    if (rule->ulp_bits < 52 && f + ldexp(0.5, -rule->ulp_bits - 1) >= 1)
        e++;
    e = e - 1 < rule->ulp_low ? rule->ulp_low : e - 1;
    return ldexp(1, (e > rule->ulp_high ? rule->ulp_high : e) - rule->ulp_bits);
}

double ttp_tensor_pair_ulp(double g, double c, const struct ttp_tile_rule *rule)
{
    if (!isfinite(g) || !isfinite(c) || rule->ulp == TTP_DTYPE_NONE)
        return -1;
    const double error = error_of(g, c, rule), step = step_of(g, rule);
    return is_wide(rule) ? error / step : (double)((float)error / (float)step);
}

/* --- the slow way --- */

enum kind { FINITE, NOT_A_NUMBER, INF, NEG_INF };

static enum kind kind_of(double v, struct ttp_nonfinite *count)
{
    if (isfinite(v))
        return FINITE;
    if (isnan(v)) {
        count->nan++;
        return NOT_A_NUMBER;
    }
    if (v > 0) {
        count->inf++;
        return INF;
    }
    count->neg_inf++;
    return NEG_INF;
}

static double larger(double a, double b)
{
    return a > b ? a : b; /* b where a is NaN */
}

static bool is_outside(double error, double c, const struct ttp_tile_rule *rule)
{
    if (is_wide(rule))
        return error > rule->atol + rule->rtol * fabs(c);
    return (float)error > (float)rule->atol + (float)rule->rtol * fabsf((float)c);
}

static void add_finite(struct ttp_tile_stats *s, double *d2, double *g2, double g, double c,
                       const struct ttp_tile_rule *rule)
{
    const double error = error_of(g, c, rule);
    /* what overflowed f32 did not in f64 */
    const double d = isfinite(error) ? error : fabs(c - g);

    *d2 += d * d;
    *g2 += g * g;
    s->max_d = larger(error, s->max_d);
    s->max_rel = larger(is_wide(rule) ? error / fabs(c) : (double)((float)error / fabsf((float)c)),
                        s->max_rel);
    s->outside += is_outside(error, c, rule);
    if (rule->ulp)
        s->max_ulp = larger(ttp_tensor_pair_ulp(g, c, rule), s->max_ulp);
}

struct lanes {
    double g[TTP_LANES], c[TTP_LANES], d2[TTP_LANES], g2[TTP_LANES];
};

static void add_pair(struct ttp_tile_stats *s, struct lanes *l, size_t lane, double g, double c,
                     const struct ttp_tile_rule *rule)
{
    const enum kind kind_g = kind_of(g, &s->nonfinite_g), kind_c = kind_of(c, &s->nonfinite_c);
    const double known_g = kind_g == FINITE ? g : 0, known_c = kind_c == FINITE ? c : 0;
    const bool whole = ttp_tensor_dtype_is_whole(rule->golden);

    /* whole numbers are correlated, and so averaged, as f32 */
    l->g[lane] += whole ? (double)(float)known_g : known_g;
    l->c[lane] += whole ? (double)(float)known_c : known_c;
    s->max_g = larger(fabs(known_g), s->max_g);
    s->max_c = larger(fabs(known_c), s->max_c);
    s->equal = s->equal && known_g == known_c;
    s->moved += kind_g != kind_c;
    if (kind_g == FINITE && kind_c == FINITE)
        add_finite(s, &l->d2[lane], &l->g2[lane], g, c, rule);
    else
        s->outside += kind_g != kind_c;
}

static double total(const double *lane)
{
    double t = 0;

    for (int i = 0; i < TTP_LANES; i++)
        t += lane[i];
    return t;
}

void ttp_tensor_tile_stats_f64(struct ttp_tile_stats *out, const double *g, const double *c,
                               const struct ttp_tile *tile, const struct ttp_tile_rule *rule)
{
    struct lanes l = {.g = {0}};

    *out = (struct ttp_tile_stats){.equal = true};
    for (size_t y = 0; y < tile->rows; y++)
        for (size_t x = 0; x < tile->cols; x++)
            add_pair(out, &l, x % TTP_LANES, g[y * tile->stride + x], c[y * tile->stride + x],
                     rule);
    out->sum_g = total(l.g);
    out->sum_c = total(l.c);
    out->sum_d2 = total(l.d2);
    out->sum_g2 = total(l.g2);
}

/* In the arithmetic of a type; f32 products of f16 values are exact enough to round once more. */
static double rounded(double v, enum ttp_dtype t)
{
    if (t == TTP_DTYPE_F64)
        return v;
    return t == TTP_DTYPE_F16 ? (double)ttp_tensor_round_f16((float)v) : (double)(float)v;
}

void ttp_tensor_products_f64(struct ttp_products *out, const double *g, const double *c, size_t n,
                             const double mean[2], enum ttp_dtype centred, enum ttp_dtype product)
{
    double gc[TTP_LANES] = {0}, gg[TTP_LANES] = {0}, cc[TTP_LANES] = {0};

    for (size_t i = 0; i < n; i++) {
        const double x = rounded(g[i] - mean[0], centred), y = rounded(c[i] - mean[1], centred);

        gc[i % TTP_LANES] += rounded(x * y, product);
        gg[i % TTP_LANES] += rounded(x * x, product);
        cc[i % TTP_LANES] += rounded(y * y, product);
    }
    *out = (struct ttp_products){total(gc), total(gg), total(cc)};
}
