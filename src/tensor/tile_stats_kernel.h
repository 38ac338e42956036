/* SPDX-License-Identifier: Apache-2.0 */
/* tile_stats_kernel.h - the fast way over a tile, on the primitives its includer defines:
 *
 *     vf            eight f32; vf_load, vf_set, vf_add, vf_sub, vf_mul, vf_div, vf_abs, vf_store,
 *                   vf_load_bf16
 *     vf_max(x, m)  the larger; m where x is NaN
 *     vd            eight f64; vd_zero, vd_add(sum, vf), vd_add_square(sum, vf), vd_store
 *     vi            eight i32; vi_zero, vi_max_bits(m, vf), vi_count_above(n, vf, vf), vi_store
 *     vf_step(|g|, half, low, high)  the power of two below, clamped between two powers
 */

struct sums {
    vd g, c, d2, g2;
    vf max_rel, max_ulp, max_g, max_c;
    vi max_d, outside;
};

struct limits {
    vf rtol, atol, step_scale;
    int32_t half, low, high;
};

TTP_INLINE void add_pair(struct sums *s, vf g, vf c, const struct limits *l)
{
    const vf d = vf_sub(c, g), error = vf_abs(d), size_g = vf_abs(g), size_c = vf_abs(c);
    const vf step = vf_mul(vf_step(size_g, l->half, l->low, l->high), l->step_scale);

    s->g = vd_add(s->g, g);
    s->c = vd_add(s->c, c);
    s->d2 = vd_add_square(s->d2, d);
    s->g2 = vd_add_square(s->g2, g);
    s->max_d = vi_max_bits(s->max_d, error);
    s->max_g = vf_max(size_g, s->max_g);
    s->max_c = vf_max(size_c, s->max_c);
    s->max_rel = vf_max(vf_div(error, size_c), s->max_rel);
    s->max_ulp = vf_max(vf_div(error, step), s->max_ulp);
    s->outside = vi_count_above(s->outside, error, vf_add(l->atol, vf_mul(l->rtol, size_c)));
}

/* The rest of a row, with pairs that change nothing behind it. */
TTP_INLINE vf load_rest(const float *from, size_t n, float filler)
{
    float v[TTP_LANES];

    for (size_t i = 0; i < TTP_LANES; i++)
        v[i] = i < n ? from[i] : filler;
    return vf_load(v);
}

TTP_INLINE double total(vd sum)
{
    double v[TTP_LANES], t = 0;

    vd_store(v, sum);
    for (int i = 0; i < TTP_LANES; i++)
        t += v[i];
    return t;
}

TTP_INLINE double largest(vf max)
{
    float v[TTP_LANES], m = 0;

    vf_store(v, max);
    for (int i = 0; i < TTP_LANES; i++)
        m = v[i] > m ? v[i] : m;
    return m;
}

static bool finish(struct ttp_tile_stats *out, const struct sums *s, bool ulp)
{
    int32_t d[TTP_LANES], outside[TTP_LANES], max_bits = 0;
    float max_d;

    vi_store(d, s->max_d);
    vi_store(outside, s->outside);
    *out = (struct ttp_tile_stats){
        .sum_g = total(s->g),
        .sum_c = total(s->c),
        .sum_d2 = total(s->d2),
        .sum_g2 = total(s->g2),
        .max_rel = largest(s->max_rel),
        .max_ulp = ulp ? largest(s->max_ulp) : 0,
        .max_g = largest(s->max_g),
        .max_c = largest(s->max_c),
    };
    for (int i = 0; i < TTP_LANES; i++) {
        max_bits = d[i] > max_bits ? d[i] : max_bits;
        out->outside += (uint64_t)outside[i];
    }
    memcpy(&max_d, &max_bits, sizeof(max_d));
    out->max_d = max_d;
    out->equal = max_bits == 0;
    return max_bits < 0x7f800000; /* where g or c is not finite, neither is their difference */
}

static bool tile_stats(struct ttp_tile_stats *out, const float *g, const float *c,
                       const struct ttp_tile *tile, const struct ttp_tile_rule *rule)
{
    const struct limits l = {
        .rtol = vf_set((float)rule->rtol),
        .atol = vf_set((float)rule->atol),
        .step_scale = vf_set(1.0f / (float)((int64_t)1 << rule->ulp_bits)),
        .half = rule->ulp_bits < 23 ? 1 << (22 - rule->ulp_bits) : 0,
        .low = (rule->ulp_low + 127) << 23,
        .high = (rule->ulp_high + 127) << 23,
    };
    struct sums s = {vd_zero(), vd_zero(), vd_zero(), vd_zero(), vf_set(0),
                     vf_set(0), vf_set(0), vf_set(0), vi_zero(), vi_zero()};

    for (size_t y = 0; y < tile->rows; y++) {
        const float *gy = g + y * tile->stride, *cy = c + y * tile->stride;
        size_t x = 0;

        for (; x + TTP_LANES <= tile->cols; x += TTP_LANES)
            add_pair(&s, vf_load(gy + x), vf_load(cy + x), &l);
        if (x < tile->cols)
            add_pair(&s, load_rest(gy + x, tile->cols - x, 0), load_rest(cy + x, tile->cols - x, 0),
                     &l);
    }
    return finish(out, &s, rule->ulp != TTP_DTYPE_NONE);
}

struct product_sums {
    vd gc, gg, cc;
};

TTP_INLINE void add_products(struct product_sums *s, vf g, vf c, vf mean_g, vf mean_c)
{
    const vf x = vf_sub(g, mean_g), y = vf_sub(c, mean_c);

    s->gc = vd_add(s->gc, vf_mul(x, y));
    s->gg = vd_add(s->gg, vf_mul(x, x));
    s->cc = vd_add(s->cc, vf_mul(y, y));
}

static void products(struct ttp_products *out, const float *g, const float *c, size_t n,
                     float mean_g, float mean_c)
{
    const vf mg = vf_set(mean_g), mc = vf_set(mean_c);
    struct product_sums s = {vd_zero(), vd_zero(), vd_zero()};
    size_t i = 0;

    for (; i + TTP_LANES <= n; i += TTP_LANES)
        add_products(&s, vf_load(g + i), vf_load(c + i), mg, mc);
    if (i < n)
        add_products(&s, load_rest(g + i, n - i, mean_g), load_rest(c + i, n - i, mean_c), mg, mc);
    *out = (struct ttp_products){total(s.gc), total(s.gg), total(s.cc)};
}

static void widen_bf16(float *out, const char *from, size_t n)
{
    size_t i = 0;

    for (; i + TTP_LANES <= n; i += TTP_LANES)
        vf_store(out + i, vf_load_bf16(from + 2 * i));
    for (; i < n; i++) {
        uint16_t half;
        uint32_t bits;

        memcpy(&half, from + 2 * i, sizeof(half));
        bits = (uint32_t)half << 16;
        memcpy(&out[i], &bits, sizeof(bits));
    }
}
