/* SPDX-License-Identifier: Apache-2.0 */
/* tile_stats_kernel.h - the fast way over a tile, on the primitives its includer defines:
 *
 *     vf            eight f32; vf_load, vf_set, vf_add, vf_sub, vf_mul, vf_div, vf_abs, vf_store,
 *                   vf_load_bf16
 *     vf_max(x, m)  the larger; m where x is NaN
 *     vd            eight f64; vd_zero, vd_add(sum, vf), vd_add_square(sum, vf), vd_store
 *     vi            eight i32; vi_zero, vi_max_bits(m, vf), vi_count_above(n, vf, vf), vi_store
 *     vf_step(|g|, half, low, high)  the power of two below, clamped between two powers
 *     vf_inverse(p)  of a power of two, twice its inverse, which is always a normal number
 *
 * Values are f32, or bf16 that is widened on the way: `bf16` is a constant wherever it is passed.
 */

struct sums {
    vd g, c, d2, g2;
    vf max_rel, max_ulp, max_g, max_c;
    vi max_d, outside;
};

struct limits {
    vf rtol, atol, half_steps; /* half the steps between two powers of two */
    int32_t half, low, high;
};

TTP_INLINE void add_pair(struct sums *s, vf g, vf c, const struct limits *l)
{
    const vf d = vf_sub(c, g), error = vf_abs(d), size_g = vf_abs(g), size_c = vf_abs(c);
    const vf per_power = vf_inverse(vf_step(size_g, l->half, l->low, l->high));

    s->g = vd_add(s->g, g);
    s->c = vd_add(s->c, c);
    s->d2 = vd_add_square(s->d2, d);
    s->g2 = vd_add_square(s->g2, g);
    s->max_d = vi_max_bits(s->max_d, error);
    s->max_g = vf_max(size_g, s->max_g);
    s->max_c = vf_max(size_c, s->max_c);
    s->max_rel = vf_max(vf_div(error, size_c), s->max_rel);
    /* a quotient by a power of two: both products are exact, and much cheaper */
    s->max_ulp = vf_max(vf_mul(vf_mul(error, per_power), l->half_steps), s->max_ulp);
    s->outside = vi_count_above(s->outside, error, vf_add(l->atol, vf_mul(l->rtol, size_c)));
}

/* Eight values from number i on. */
TTP_INLINE vf load_at(const char *from, size_t i, bool bf16)
{
    return bf16 ? vf_load_bf16(from + 2 * i) : vf_load((const float *)(const void *)from + i);
}

/* The rest of a row, with pairs that change nothing behind it. */
TTP_INLINE vf load_rest(const char *from, size_t i, size_t n, float filler, bool bf16)
{
    const size_t size = bf16 ? 2 : sizeof(float);
    float v[TTP_LANES];
    char bytes[TTP_LANES * sizeof(float)] = {0};

    memcpy(bytes, from + i * size, n * size);
    vf_store(v, load_at(bytes, 0, bf16));
    for (size_t k = n; k < TTP_LANES; k++)
        v[k] = filler;
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

TTP_INLINE bool stats_of(struct ttp_tile_stats *out, const char *g, const char *c,
                         const struct ttp_tile *tile, const struct ttp_tile_rule *rule, bool bf16)
{
    const size_t size = bf16 ? 2 : sizeof(float);
    const struct limits l = {
        .rtol = vf_set((float)rule->rtol),
        .atol = vf_set((float)rule->atol),
        .half_steps = vf_set((float)((int64_t)1 << rule->ulp_bits) / 2),
        .half = rule->ulp_bits < 23 ? 1 << (22 - rule->ulp_bits) : 0,
        .low = (rule->ulp_low + 127) << 23,
        .high = (rule->ulp_high + 127) << 23,
    };
    struct sums s = {vd_zero(), vd_zero(), vd_zero(), vd_zero(), vf_set(0),
                     vf_set(0), vf_set(0), vf_set(0), vi_zero(), vi_zero()};

    for (size_t y = 0; y < tile->rows; y++) {
        const char *gy = g + y * tile->stride * size, *cy = c + y * tile->stride * size;
        const size_t rest = tile->cols % TTP_LANES, whole = tile->cols - rest;

        for (size_t x = 0; x < whole; x += TTP_LANES)
            add_pair(&s, load_at(gy, x, bf16), load_at(cy, x, bf16), &l);
        if (rest)
            add_pair(&s, load_rest(gy, whole, rest, 0, bf16), load_rest(cy, whole, rest, 0, bf16),
                     &l);
    }
    return finish(out, &s, rule->ulp != TTP_DTYPE_NONE);
}

static bool tile_stats(struct ttp_tile_stats *out, const float *g, const float *c,
                       const struct ttp_tile *tile, const struct ttp_tile_rule *rule)
{
    return stats_of(out, (const char *)g, (const char *)c, tile, rule, false);
}

static bool tile_stats_bf16(struct ttp_tile_stats *out, const char *g, const char *c,
                            const struct ttp_tile *tile, const struct ttp_tile_rule *rule)
{
    return stats_of(out, g, c, tile, rule, true);
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
    const char *from_g = (const char *)g, *from_c = (const char *)c;
    struct product_sums s = {vd_zero(), vd_zero(), vd_zero()};
    const size_t rest = n % TTP_LANES, whole = n - rest;

    for (size_t i = 0; i < whole; i += TTP_LANES)
        add_products(&s, vf_load(g + i), vf_load(c + i), mg, mc);
    if (rest)
        add_products(&s, load_rest(from_g, whole, rest, mean_g, false),
                     load_rest(from_c, whole, rest, mean_c, false), mg, mc);
    *out = (struct ttp_products){total(s.gc), total(s.gg), total(s.cc)};
}

/* The same sums: value number i of all rows together is in sum i % 8, since rows are whole eights.
 */
static void products_bf16(struct ttp_products *out, const char *g, const char *c,
                          const struct ttp_tile *rows, float mean_g, float mean_c)
{
    const vf mg = vf_set(mean_g), mc = vf_set(mean_c);
    struct product_sums s = {vd_zero(), vd_zero(), vd_zero()};

    for (size_t y = 0; y < rows->rows; y++)
        for (size_t x = 0; x < rows->cols; x += TTP_LANES) {
            const size_t at = y * rows->stride + x;

            add_products(&s, load_at(g, at, true), load_at(c, at, true), mg, mc);
        }
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
