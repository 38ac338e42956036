/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/tensor_sweep.h"

#include <math.h>

#include "base/par.h"
#include "tensor/block_float.h"
#include "tensor/convert.h"
#include "tensor/strip_values.h"

/* Values of a block, and at most that many strips or tiles. */
#define BLOCK_VALUES ((uint64_t)1 << 20)
#define BLOCK_STRIPS 1024

enum pass { TOTALS, PRODUCTS, OUTSIDE };

/* A sum that loses nothing to rounding but in its last bit (Neumaier). */
struct exact {
    double sum, rest;
};

struct pass_run {
    const struct ttp_tensor_sweep *sweep;
    enum pass pass;
    double mean[2];
    enum ttp_dtype centred, product;

    uint64_t strips_across, bands; /* strips in a row of them; rows of strips in a plane */
    uint64_t strips, per_block, next;

    struct ttp_totals *totals;
    uint64_t outside;
    struct exact sum_g, sum_c, sum_d2, sum_g2, gc, gg, cc;
};

struct block {
    uint64_t first, count; /* strips */
    struct ttp_tile_stats all;
    struct ttp_peak error, ulp, moved, worst;
    struct ttp_products products;
    float rms[BLOCK_STRIPS]; /* of tiles in order */
    size_t tiles;
};

static void add_exact(struct exact *e, double v)
{
    const double t = e->sum + v;

    if (isfinite(t))
        e->rest += fabs(e->sum) >= fabs(v) ? (e->sum - t) + v : (v - t) + e->sum;
    e->sum = t;
}

static double value_of(const struct exact *e)
{
    return e->sum + e->rest;
}

void ttp_tensor_sweep_init(struct ttp_tensor_sweep *s, const struct ttp_tensor *golden,
                           const struct ttp_tensor *actual, unsigned threads)
{
    *s = (struct ttp_tensor_sweep){.golden = golden,
                                   .actual = actual,
                                   .extent = ttp_tensor_extent(golden),
                                   .threads = threads};
    ttp_tensor_tile_rule_ulp(&s->rule, golden->dtype,
                             actual->squeeze ? actual->squeeze : actual->dtype);
}

/* --- first pass --- */

static struct ttp_rect strip_rect(const struct pass_run *p, uint64_t strip)
{
    const struct ttp_extent *e = &p->sweep->extent;
    const uint64_t band = strip / p->strips_across;
    struct ttp_rect r = {.plane = band / p->bands,
                         .row = band % p->bands * TTP_RECT_ROWS,
                         .col = strip % p->strips_across * TTP_RECT_COLS};

    r.rows = e->rows - r.row < TTP_RECT_ROWS ? e->rows - r.row : TTP_RECT_ROWS;
    r.cols = e->cols - r.col < TTP_RECT_COLS ? e->cols - r.col : TTP_RECT_COLS;
    return r;
}

static void raise(struct ttp_peak *to, const struct ttp_peak *from)
{
    if (from->value > to->value)
        *to = *from;
}

/* Where the tile's largest value is; tiles that hold a new one are few. */
struct search {
    const struct ttp_tensor_sweep *sweep;
    const double *g, *c;
    struct ttp_rect rect; /* of the tile */
    size_t stride;
};

static void find_peak(struct ttp_peak *peak, double value, const struct search *in,
                      double (*measure)(double, double, const struct ttp_tile_rule *))
{
    if (value <= peak->value)
        return;
    for (size_t y = 0; y < in->rect.rows; y++)
        for (size_t x = 0; x < in->rect.cols; x++) {
            const double g = in->g[y * in->stride + x], c = in->c[y * in->stride + x];

            if (measure(g, c, &in->sweep->rule) < value)
                continue;
            *peak =
                (struct ttp_peak){value, in->rect.plane, in->rect.row + y, in->rect.col + x, g, c};
            return;
        }
}

static bool differ_in_kind(double g, double c)
{
    return isnan(g) != isnan(c) || (!isnan(g) && (isinf(g) || isinf(c)) && g != c);
}

static void find_moved(struct ttp_peak *peak, const struct search *in)
{
    const struct ttp_extent *e = &in->sweep->extent;

    for (size_t y = 0; y < in->rect.rows; y++)
        for (size_t x = 0; x < in->rect.cols; x++) {
            const double g = in->g[y * in->stride + x], c = in->c[y * in->stride + x];
            const uint64_t row = in->rect.row + y, col = in->rect.col + x;
            /* minus 1 - position: above -2^63, where peaks begin, and below every real number */
            const struct ttp_peak here = {
                -1 - (double)((in->rect.plane * e->rows + row) * e->cols + col),
                in->rect.plane,
                row,
                col,
                g,
                c};

            if (differ_in_kind(g, c))
                raise(peak, &here);
        }
}

static void add_stats(struct ttp_tile_stats *to, const struct ttp_tile_stats *from)
{
    to->max_d = fmax(to->max_d, from->max_d);
    to->max_rel = fmax(to->max_rel, from->max_rel);
    to->max_ulp = fmax(to->max_ulp, from->max_ulp);
    to->max_g = fmax(to->max_g, from->max_g);
    to->max_c = fmax(to->max_c, from->max_c);
    to->outside += from->outside;
    to->equal = to->equal && from->equal;
    to->moved += from->moved;
    to->nonfinite_g.nan += from->nonfinite_g.nan;
    to->nonfinite_g.inf += from->nonfinite_g.inf;
    to->nonfinite_g.neg_inf += from->nonfinite_g.neg_inf;
    to->nonfinite_c.nan += from->nonfinite_c.nan;
    to->nonfinite_c.inf += from->nonfinite_c.inf;
    to->nonfinite_c.neg_inf += from->nonfinite_c.neg_inf;
}

static void add_sums(struct ttp_tile_stats *to, const struct ttp_tile_stats *from)
{
    to->sum_g += from->sum_g;
    to->sum_c += from->sum_c;
    to->sum_d2 += from->sum_d2;
    to->sum_g2 += from->sum_g2;
}

static void add_tile(struct block *b, const struct ttp_tile_stats *t, const struct search *in)
{
    const double mean = t->sum_d2 / (double)(in->rect.rows * in->rect.cols);
    const struct ttp_peak worst = {mean, in->rect.plane, in->rect.row, in->rect.col, 0, 0};

    add_sums(&b->all, t);
    add_stats(&b->all, t);
    raise(&b->worst, &worst);
    b->rms[b->tiles++] = (float)sqrt(mean);
}

/* Values of one tile in f64, wherever they are. */
struct tile_values {
    double g[TTP_TILE * TTP_TILE], c[TTP_TILE * TTP_TILE];
};

static void widen_tile(struct tile_values *out, const float *g, const float *c,
                       const struct ttp_tile *tile)
{
    for (size_t y = 0; y < tile->rows; y++) {
        ttp_tensor_widen_f32(out->g + y * tile->cols, g + y * tile->stride, tile->cols);
        ttp_tensor_widen_f32(out->c + y * tile->cols, c + y * tile->stride, tile->cols);
    }
}

static void look_closer(struct block *b, const struct ttp_tile_stats *t, const struct search *in)
{
    find_peak(&b->error, t->max_d, in, ttp_tensor_pair_error);
    if (in->sweep->rule.ulp)
        find_peak(&b->ulp, t->max_ulp, in, ttp_tensor_pair_ulp);
    if (t->moved)
        find_moved(&b->moved, in);
}

static void narrow_tile(struct block *b, const struct ttp_tensor_sweep *s, const float *g,
                        const float *c, const struct ttp_rect *rect, size_t stride)
{
    const struct ttp_tile tile = {rect->rows, rect->cols, stride};
    struct ttp_tile_stats stats;
    const bool fast = ttp_tensor_tile_stats_f32(&stats, g, c, &tile, &s->rule);
    struct tile_values wide;
    const struct search in = {s, wide.g, wide.c, *rect, rect->cols};

    if (!fast || stats.max_d > b->error.value || stats.max_ulp > b->ulp.value) {
        const struct ttp_tile packed = {rect->rows, rect->cols, rect->cols};

        widen_tile(&wide, g, c, &tile);
        if (!fast)
            ttp_tensor_tile_stats_f64(&stats, wide.g, wide.c, &packed, &s->rule);
        look_closer(b, &stats, &in);
    }
    add_tile(b, &stats, &in);
}

static void stored_tile(struct block *b, const struct ttp_tensor_sweep *s,
                        const struct ttp_stored_values *at, size_t x, const struct ttp_rect *rect)
{
    const struct ttp_tile tile = {rect->rows, rect->cols, at->stride};
    const struct search in = {s, NULL, NULL, *rect, rect->cols};
    struct ttp_tile_stats stats;

    if (ttp_tensor_tile_stats_bf16(&stats, at->g + 2 * x, at->c + 2 * x, &tile, &s->rule) &&
        stats.max_d <= b->error.value && stats.max_ulp <= b->ulp.value) {
        add_tile(b, &stats, &in);
        return;
    }
    /* needs a closer check, which is rare */
    float g[TTP_TILE * TTP_TILE], c[TTP_TILE * TTP_TILE];
    ttp_tensor_strip_f32(g, c, s, rect);
    narrow_tile(b, s, g, c, rect, rect->cols);
}

static void wide_tile(struct block *b, const struct ttp_tensor_sweep *s, const double *g,
                      const double *c, const struct ttp_rect *rect, size_t stride)
{
    const struct ttp_tile tile = {rect->rows, rect->cols, stride};
    const struct search in = {s, g, c, *rect, stride};
    struct ttp_tile_stats stats;

    ttp_tensor_tile_stats_f64(&stats, g, c, &tile, &s->rule);
    look_closer(b, &stats, &in);
    add_tile(b, &stats, &in);
}

/* A tile takes one cache line of each row, which no processor foresees: while tile number `tile` is
 * counted, row number `tile` of the strip to the right, or below, is on its way. */
static void prefetch_row(const struct ttp_tensor_sweep *s, const struct ttp_stored_values *at,
                         const struct ttp_rect *r, size_t tile)
{
    const bool right = r->col + TTP_RECT_COLS < s->extent.cols;
    const size_t row = right ? tile : TTP_RECT_ROWS + tile;
    const size_t line = 64, size = 2;

    if (r->row + row >= s->extent.rows || at->stride < s->extent.cols)
        return;
    const size_t from = row * at->stride + (right ? TTP_RECT_COLS : 0) - (right ? 0 : r->col);
    const size_t left = s->extent.cols - (right ? r->col + TTP_RECT_COLS : 0);
    const size_t len = (left < TTP_RECT_COLS ? left : TTP_RECT_COLS) * size;
    for (size_t i = 0; i < len; i += line) {
        __builtin_prefetch(at->g + from * size + i, 0, 2);
        __builtin_prefetch(at->c + from * size + i, 0, 2);
    }
}

static void strip_totals(struct block *b, const struct ttp_tensor_sweep *s,
                         const struct ttp_strip *v, const struct ttp_rect *r)
{
    const struct ttp_stored_values at = ttp_tensor_strip_stored(s, r);

    if (ttp_tensor_strip_is_wide(s))
        ttp_tensor_strip_f64(v->wide_g, v->wide_c, s, r, &b->all.equal);
    else if (!at.g)
        ttp_tensor_strip_f32(v->g, v->c, s, r);
    for (size_t x = 0; x < r->cols; x += TTP_TILE) {
        const struct ttp_rect tile = {r->plane, r->row, r->col + x, r->rows,
                                      r->cols - x < TTP_TILE ? r->cols - x : TTP_TILE};

        if (ttp_tensor_strip_is_wide(s)) {
            wide_tile(b, s, v->wide_g + x, v->wide_c + x, &tile, r->cols);
        } else if (at.g) {
            prefetch_row(s, &at, r, x / TTP_TILE);
            stored_tile(b, s, &at, x, &tile);
        } else {
            narrow_tile(b, s, v->g + x, v->c + x, &tile, r->cols);
        }
    }
}

/* --- later passes --- */

/* Products in f32, which the kernels do. */
static bool is_fast(const struct pass_run *p)
{
    return p->pass == PRODUCTS && !ttp_tensor_strip_is_wide(p->sweep) &&
           p->centred == TTP_DTYPE_F32 && p->product == TTP_DTYPE_F32;
}

static void strip_products(struct block *b, const struct pass_run *p, const struct ttp_strip *v,
                           const struct ttp_rect *r)
{
    const size_t n = r->rows * r->cols;
    const struct ttp_stored_values at = ttp_tensor_strip_stored(p->sweep, r);
    const float mean[2] = {(float)p->mean[0], (float)p->mean[1]};
    struct ttp_products sums;

    if (is_fast(p) && at.g && !p->sweep->zero_nonfinite) {
        const struct ttp_tile rows = {r->rows, r->cols, at.stride};

        ttp_tensor_products_bf16(&sums, at.g, at.c, &rows, mean);
    } else if (is_fast(p)) {
        const struct ttp_tile rows = {r->rows, r->cols, r->cols};

        ttp_tensor_strip_f32(v->g, v->c, p->sweep, r);
        if (p->sweep->zero_nonfinite) {
            ttp_tensor_zero_nonfinite_f32(v->g, n);
            ttp_tensor_zero_nonfinite_f32(v->c, n);
        }
        ttp_tensor_products_f32(&sums, v->g, v->c, &rows, mean);
    } else {
        ttp_tensor_strip_wide(v, p->sweep, r);
        if (p->sweep->zero_nonfinite) {
            ttp_tensor_zero_nonfinite_f64(v->wide_g, n);
            ttp_tensor_zero_nonfinite_f64(v->wide_c, n);
        }
        if (ttp_tensor_dtype_is_whole(p->sweep->golden->dtype) && p->centred == TTP_DTYPE_F32)
            for (size_t i = 0; i < n; i++) {
                v->wide_g[i] = (float)v->wide_g[i];
                v->wide_c[i] = (float)v->wide_c[i];
            }
        ttp_tensor_products_f64(&sums, v->wide_g, v->wide_c, n, p->mean, p->centred, p->product);
    }
    b->products.gc += sums.gc;
    b->products.gg += sums.gg;
    b->products.cc += sums.cc;
}

static void strip_outside(struct block *b, const struct pass_run *p, const struct ttp_strip *v,
                          const struct ttp_rect *r)
{
    const struct ttp_tile tile = {r->rows, r->cols, r->cols};
    struct ttp_tile_stats stats;

    ttp_tensor_strip_wide(v, p->sweep, r);
    ttp_tensor_zero_nonfinite_f64(v->wide_g, r->rows * r->cols);
    ttp_tensor_zero_nonfinite_f64(v->wide_c, r->rows * r->cols);
    ttp_tensor_tile_stats_f64(&stats, v->wide_g, v->wide_c, &tile, &p->sweep->rule);
    b->all.outside += stats.outside;
}

/* --- blocks --- */

static ttp_code produce(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct pass_run *p = ctx;
    struct block *b = item;

    (void)err;
    *more = p->next < p->strips;
    b->first = p->next;
    b->count = p->strips - p->next < p->per_block ? p->strips - p->next : p->per_block;
    p->next += b->count;
    b->all.equal = true;
    b->error.value = b->ulp.value = b->worst.value = -1;
    b->moved.value = -INFINITY;
    return TTP_OK;
}

/* Rows of strips that end in this block have been read to their end, or nearly: another thread that
 * still reads there gets its pages back. */
static void forget(const struct pass_run *p, const struct block *b)
{
    const uint64_t end = (b->first + b->count) / p->strips_across;

    for (uint64_t band = b->first / p->strips_across; band < end;) {
        const uint64_t plane = band / p->bands, first = band % p->bands;
        const uint64_t left = p->bands - first;
        const uint64_t bands = end - band < left ? end - band : left;
        const uint64_t row = first * TTP_RECT_ROWS, rows = bands * TTP_RECT_ROWS;
        const uint64_t limit = p->sweep->extent.rows - row;

        ttp_tensor_forget(p->sweep->golden, plane, row, rows < limit ? rows : limit);
        ttp_tensor_forget(p->sweep->actual, plane, row, rows < limit ? rows : limit);
        band += bands;
    }
}

static ttp_code work(void *ctx, void *item, struct ttp_err *err)
{
    const struct pass_run *p = ctx;
    struct block *b = item;
    struct ttp_arena arena = {0};
    /* what a pass does not touch costs nothing */
    const struct ttp_strip v = {
        ttp_arena_resize(&arena, NULL, TTP_RECT_MAX * sizeof(float)),
        ttp_arena_resize(&arena, NULL, TTP_RECT_MAX * sizeof(float)),
        ttp_arena_resize(&arena, NULL, TTP_RECT_MAX * sizeof(double)),
        ttp_arena_resize(&arena, NULL, TTP_RECT_MAX * sizeof(double)),
    };

    (void)err;
    for (uint64_t i = b->first; i < b->first + b->count; i++) {
        const struct ttp_rect r = strip_rect(p, i);

        if (p->pass == TOTALS)
            strip_totals(b, p->sweep, &v, &r);
        else if (p->pass == PRODUCTS)
            strip_products(b, p, &v, &r);
        else
            strip_outside(b, p, &v, &r);
    }
    ttp_arena_free(&arena);
    forget(p, b);
    return TTP_OK;
}

static void merge_heat(struct pass_run *p, const struct block *b)
{
    struct ttp_totals *t = p->totals;
    size_t tile = 0;

    for (uint64_t i = b->first; i < b->first + b->count; i++) {
        const struct ttp_rect r = strip_rect(p, i);
        const uint64_t row = i / p->strips_across * t->heat_rows / t->tile_rows;

        for (uint64_t x = r.col / TTP_TILE; x * TTP_TILE < r.col + r.cols; x++) {
            const uint64_t col = x * t->heat_cols / t->tile_cols;
            float *cell = &t->heat[row * t->heat_cols + col];

            *cell = fmaxf(*cell, b->rms[tile++]);
        }
    }
}

static void merge_totals(struct pass_run *p, const struct block *b)
{
    add_exact(&p->sum_g, b->all.sum_g);
    add_exact(&p->sum_c, b->all.sum_c);
    add_exact(&p->sum_d2, b->all.sum_d2);
    add_exact(&p->sum_g2, b->all.sum_g2);
    add_stats(&p->totals->all, &b->all);
    raise(&p->totals->error, &b->error);
    raise(&p->totals->ulp, &b->ulp);
    raise(&p->totals->moved, &b->moved);
    raise(&p->totals->worst, &b->worst);
    merge_heat(p, b);
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    struct pass_run *p = ctx;
    const struct block *b = item;

    (void)err;
    if (p->pass == TOTALS) {
        merge_totals(p, b);
    } else if (p->pass == PRODUCTS) {
        add_exact(&p->gc, b->products.gc);
        add_exact(&p->gg, b->products.gg);
        add_exact(&p->cc, b->products.cc);
    } else {
        p->outside += b->all.outside;
    }
    return TTP_OK;
}

static ttp_code run_pass(struct pass_run *p, struct ttp_err *err)
{
    const struct ttp_pipeline pipeline = {sizeof(struct block), produce, work, merge, NULL};
    const struct ttp_extent *e = &p->sweep->extent;

    if (p->sweep->golden->count == 0)
        return TTP_OK;
    p->strips_across = (e->cols + TTP_RECT_COLS - 1) / TTP_RECT_COLS;
    p->bands = (e->rows + TTP_RECT_ROWS - 1) / TTP_RECT_ROWS;
    p->strips = e->planes * p->bands * p->strips_across;
    const uint64_t rows = e->rows < TTP_RECT_ROWS ? e->rows : TTP_RECT_ROWS;
    const uint64_t cols = e->cols < TTP_RECT_COLS ? e->cols : TTP_RECT_COLS;
    const uint64_t fit = BLOCK_VALUES / (rows * cols);
    const uint64_t tiles = (cols + TTP_TILE - 1) / TTP_TILE;
    p->per_block = fit < BLOCK_STRIPS / tiles ? fit : BLOCK_STRIPS / tiles;
    return ttp_par_pipeline(&pipeline, p, p->sweep->threads, err);
}

ttp_code ttp_tensor_sweep_totals(struct ttp_totals *out, const struct ttp_tensor_sweep *s,
                                 struct ttp_err *err)
{
    struct pass_run p = {.sweep = s, .pass = TOTALS, .totals = out};
    const struct ttp_extent *e = &s->extent;

    *out = (struct ttp_totals){.all.equal = true};
    out->error.value = out->ulp.value = out->worst.value = -1;
    out->moved.value = -INFINITY;
    out->tile_rows = e->planes * ((e->rows + TTP_TILE - 1) / TTP_TILE);
    out->tile_cols = (e->cols + TTP_TILE - 1) / TTP_TILE;
    out->heat_rows = out->tile_rows < TTP_HEAT_ROWS ? (uint32_t)out->tile_rows : TTP_HEAT_ROWS;
    out->heat_cols = out->tile_cols < TTP_HEAT_COLS ? (uint32_t)out->tile_cols : TTP_HEAT_COLS;
    TTP_TRY(run_pass(&p, err));
    out->all.sum_g = value_of(&p.sum_g);
    out->all.sum_c = value_of(&p.sum_c);
    out->all.sum_d2 = value_of(&p.sum_d2);
    out->all.sum_g2 = value_of(&p.sum_g2);
    return TTP_OK;
}

ttp_code ttp_tensor_sweep_products(struct ttp_products *out, const struct ttp_tensor_sweep *s,
                                   const double mean[2], struct ttp_product_types types,
                                   struct ttp_err *err)
{
    struct pass_run p = {.sweep = s,
                         .pass = PRODUCTS,
                         .mean = {mean[0], mean[1]},
                         .centred = types.centred,
                         .product = types.product};

    TTP_TRY(run_pass(&p, err));
    *out = (struct ttp_products){value_of(&p.gc), value_of(&p.gg), value_of(&p.cc)};
    return TTP_OK;
}

ttp_code ttp_tensor_sweep_outside(uint64_t *out, const struct ttp_tensor_sweep *s,
                                  struct ttp_err *err)
{
    struct pass_run p = {.sweep = s, .pass = OUTSIDE};

    TTP_TRY(run_pass(&p, err));
    *out = p.outside;
    return TTP_OK;
}
