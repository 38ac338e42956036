/* SPDX-License-Identifier: Apache-2.0 */
/* tile_stats_kernel.h - the fast way over a tile, on the primitives its includer defines:
 *
 *     vf            eight f32; vf_load, vf_set, vf_add, vf_sub, vf_mul, vf_div, vf_abs, vf_store,
 *                   vf_load_bf16
 *     vf_max(x, m)  the larger; m where x is NaN
 *     vd            eight f64; vd_zero, vd_add(sum, vf), vd_store
 *     vi            eight i32; vi_zero, vi_max_bits(m, vf), vi_count_above(n, vf, vf), vi_store
 *     vf_step(|g|, half, low, high)  the power of two below, clamped between two powers
 *     vf_inverse(p)  of a power of two, twice its inverse, which is always a normal number
 *
 * Values are f32, or bf16 that is widened on the way: a struct form is a constant wherever it is
 * passed.
 * Squares of a tile's row, four to each sum, are added up in f32 before they are added in f64,
 * since widening is what costs most. Sums that go into the PCC are all f64. */

#define GROUP ((size_t)4 * TTP_LANES)

/* Squares of numbers in between can be added up in f32: none overflows, and what underflows is
 * nothing next to the largest. */
#define LEAST_F32_SQUARES 0x1p-50
#define MOST_F32_SQUARES  0x1p60

struct group {
    vf g, c, d2, g2;
};

struct sums {
    vd g, c, d2, g2;
    vf max_rel, max_ulp, max_g, max_c;
    vi max_d, outside;
};

struct limits {
    vf rtol, atol;
    int32_t half, low, high;
};

struct form {
    bool bf16;         /* as stored */
    bool short_values; /* few bits: their sums fit f32 */
};

/* Values of the two tensors, from the same place on. */
struct values {
    const char *g, *c;
};

TTP_INLINE void add_pair(struct sums *s, struct group *k, vf g, vf c, const struct limits *l,
                         bool short_values)
{
    const vf d = vf_sub(c, g), error = vf_abs(d), size_g = vf_abs(g), size_c = vf_abs(c);
    const vf per_power = vf_inverse(vf_step(size_g, l->half, l->low, l->high));

    if (short_values) {
        k->g = vf_add(k->g, g);
        k->c = vf_add(k->c, c);
    } else {
        s->g = vd_add(s->g, g);
        s->c = vd_add(s->c, c);
    }
    k->d2 = vf_add(k->d2, vf_mul(d, d));
    k->g2 = vf_add(k->g2, vf_mul(g, g));
    s->max_d = vi_max_bits(s->max_d, error);
    s->max_g = vf_max(size_g, s->max_g);
    s->max_c = vf_max(size_c, s->max_c);
    s->max_rel = vf_max(vf_div(error, size_c), s->max_rel);
    /* a quotient by a power of two is an exact product, and much cheaper; finish() does the rest */
    s->max_ulp = vf_max(vf_mul(error, per_power), s->max_ulp);
    s->outside = vi_count_above(s->outside, error, vf_add(l->atol, vf_mul(l->rtol, size_c)));
}

/* Eight values from number i on. */
TTP_INLINE vf load_at(const char *from, size_t i, bool bf16)
{
    return bf16 ? vf_load_bf16(from + 2 * i) : vf_load((const float *)(const void *)from + i);
}

/* The rest of a row, with pairs that change nothing after it. */
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

static bool fits_f32_squares(double max)
{
    return max == 0 || (max >= LEAST_F32_SQUARES && max < MOST_F32_SQUARES);
}

static bool finish(struct ttp_tile_stats *out, const struct sums *s,
                   const struct ttp_tile_rule *rule)
{
    /* half the steps between two powers of two */
    const float half_steps = (float)((int64_t)1 << rule->ulp_bits) / 2;
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
        .max_ulp = rule->ulp ? (float)largest(s->max_ulp) * half_steps : 0,
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
    /* where g or c is not finite, neither is their difference */
    return max_bits < 0x7f800000 && fits_f32_squares(max_d) && fits_f32_squares(out->max_g) &&
           out->max_c < MOST_F32_SQUARES;
}

/* A row of a tile, or of n values in all; `n` is a constant for whole tiles. */
TTP_INLINE void add_row(struct sums *s, struct values v, size_t n, const struct limits *l,
                        struct form form)
{
    const vf none = vf_set(0);
    const size_t rest = n % TTP_LANES, whole = n - rest;
    struct group k = {none, none, none, none};

    for (size_t x = 0; x < whole; x += TTP_LANES)
        add_pair(s, &k, load_at(v.g, x, form.bf16), load_at(v.c, x, form.bf16), l,
                 form.short_values);
    if (rest)
        add_pair(s, &k, load_rest(v.g, whole, rest, 0, form.bf16),
                 load_rest(v.c, whole, rest, 0, form.bf16), l, form.short_values);
    if (form.short_values) {
        s->g = vd_add(s->g, k.g);
        s->c = vd_add(s->c, k.c);
    }
    s->d2 = vd_add(s->d2, k.d2);
    s->g2 = vd_add(s->g2, k.g2);
}

TTP_INLINE bool stats_of(struct ttp_tile_stats *out, struct values v, const struct ttp_tile *tile,
                         const struct ttp_tile_rule *rule, struct form form)
{
    const size_t size = form.bf16 ? 2 : sizeof(float);
    const struct limits l = {
        .rtol = vf_set((float)rule->rtol),
        .atol = vf_set((float)rule->atol),
        .half = rule->ulp_bits < 23 ? 1 << (22 - rule->ulp_bits) : 0,
        .low = (rule->ulp_low + 127) << 23,
        .high = (rule->ulp_high + 127) << 23,
    };
    struct sums s = {vd_zero(), vd_zero(), vd_zero(), vd_zero(), vf_set(0),
                     vf_set(0), vf_set(0), vf_set(0), vi_zero(), vi_zero()};

    for (size_t y = 0; y < tile->rows; y++) {
        const size_t at = y * tile->stride * size;
        const struct values row = {v.g + at, v.c + at};

        /* the next tile's row, see prefetch_row() */
        __builtin_prefetch(row.g + GROUP * size);
        __builtin_prefetch(row.c + GROUP * size);
        if (tile->cols == GROUP)
            add_row(&s, row, GROUP, &l, form);
        else
            add_row(&s, row, tile->cols, &l, form);
    }
    return finish(out, &s, rule);
}

static bool tile_stats(struct ttp_tile_stats *out, const float *g, const float *c,
                       const struct ttp_tile *tile, const struct ttp_tile_rule *rule)
{
    const struct values v = {(const char *)g, (const char *)c};

    if (rule->golden == TTP_DTYPE_BF16)
        return stats_of(out, v, tile, rule, (struct form){.short_values = true});
    return stats_of(out, v, tile, rule, (struct form){0});
}

static bool tile_stats_bf16(struct ttp_tile_stats *out, const char *g, const char *c,
                            const struct ttp_tile *tile, const struct ttp_tile_rule *rule)
{
    return stats_of(out, (struct values){g, c}, tile, rule, (struct form){true, true});
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

TTP_INLINE void products_of(struct ttp_products *out, struct values v, const struct ttp_tile *rows,
                            const float mean[2], bool bf16)
{
    const vf mg = vf_set(mean[0]), mc = vf_set(mean[1]);
    const size_t size = bf16 ? 2 : sizeof(float);
    const size_t rest = rows->cols % TTP_LANES, whole = rows->cols - rest;
    struct product_sums s = {vd_zero(), vd_zero(), vd_zero()};

    for (size_t y = 0; y < rows->rows; y++) {
        const char *gy = v.g + y * rows->stride * size, *cy = v.c + y * rows->stride * size;

        for (size_t x = 0; x < whole; x += TTP_LANES) {
            /* the same place one row below: rows are short next to the way between them */
            __builtin_prefetch(gy + (rows->stride + x) * size);
            __builtin_prefetch(cy + (rows->stride + x) * size);
            add_products(&s, load_at(gy, x, bf16), load_at(cy, x, bf16), mg, mc);
        }
        if (rest)
            add_products(&s, load_rest(gy, whole, rest, mean[0], bf16),
                         load_rest(cy, whole, rest, mean[1], bf16), mg, mc);
    }
    *out = (struct ttp_products){total(s.gc), total(s.gg), total(s.cc)};
}

static void products(struct ttp_products *out, const float *g, const float *c,
                     const struct ttp_tile *rows, const float mean[2])
{
    products_of(out, (struct values){(const char *)g, (const char *)c}, rows, mean, false);
}

static void products_bf16(struct ttp_products *out, const char *g, const char *c,
                          const struct ttp_tile *rows, const float mean[2])
{
    products_of(out, (struct values){g, c}, rows, mean, true);
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
