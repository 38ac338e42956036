/* SPDX-License-Identifier: Apache-2.0 */
/* The loss of a narrower format: the tensor is compared with itself after conversion. */
#include <math.h>

#include "base/par.h"
#include "tensor/block_float.h"
#include "tensor/tensor_load.h"

#define BLOCK_BANDS 32 /* of 32 rows */

struct spread_run {
    const struct ttp_tensor *t;
    struct ttp_extent e;
    unsigned bits; /* of the block format to try; 0: none */
    uint64_t strips, strips_across, bands, next;
    struct ttp_exponents *spread;
    uint64_t flushed;
};

struct spread_block {
    uint64_t first, count;
    struct ttp_exponents spread;
    uint64_t flushed;
};

static void add_row(struct ttp_exponents *s, const float *v, size_t n)
{
    int low = 0, high = 0;
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        uint32_t b;

        memcpy(&b, &v[i], sizeof(b));
        const int e = (int)(b >> 23 & 0xff);
        if (e == 0)
            continue;
        low = !any || e < low ? e : low;
        high = !any || e > high ? e : high;
        any = true;
        s->values++;
    }
    if (!any)
        return;
    s->rows++;
    s->count[high - low < TTP_SPREAD_MAX ? high - low : TTP_SPREAD_MAX]++;
}

static ttp_code produce(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct spread_run *p = ctx;
    struct spread_block *b = item;

    (void)err;
    *more = p->next < p->strips;
    b->first = p->next;
    b->count = p->strips - p->next < BLOCK_BANDS ? p->strips - p->next : BLOCK_BANDS;
    p->next += b->count;
    return TTP_OK;
}

static void add_strip(const struct spread_run *p, struct spread_block *b, uint64_t strip)
{
    const uint64_t band = strip / p->strips_across;
    struct ttp_rect r = {.plane = band / p->bands,
                         .row = band % p->bands * TTP_RECT_ROWS,
                         .col = strip % p->strips_across * TTP_RECT_COLS,
                         .rows = 1};
    const uint64_t end = p->e.rows - r.row < TTP_RECT_ROWS ? p->e.rows : r.row + TTP_RECT_ROWS;

    r.cols = p->e.cols - r.col < TTP_RECT_COLS ? p->e.cols - r.col : TTP_RECT_COLS;
    for (; r.row < end; r.row++) {
        float v[TTP_RECT_COLS];

        ttp_tensor_load_f32(v, p->t, &r, TTP_DTYPE_F32);
        for (size_t x = 0; x < r.cols; x += TTP_FACE) {
            const size_t n = r.cols - x < TTP_FACE ? r.cols - x : TTP_FACE;

            add_row(&b->spread, v + x, n);
            if (p->bits)
                b->flushed += ttp_tensor_block_squeeze(v + x, n, p->bits);
        }
    }
}

static ttp_code work(void *ctx, void *item, struct ttp_err *err)
{
    struct spread_block *b = item;

    (void)err;
    for (uint64_t i = b->first; i < b->first + b->count; i++)
        add_strip(ctx, b, i);
    return TTP_OK;
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    struct spread_run *p = ctx;
    const struct spread_block *b = item;

    (void)err;
    p->spread->rows += b->spread.rows;
    p->spread->values += b->spread.values;
    for (size_t i = 0; i <= TTP_SPREAD_MAX; i++)
        p->spread->count[i] += b->spread.count[i];
    p->flushed += b->flushed;
    return TTP_OK;
}

static ttp_code run(struct spread_run *p, unsigned threads, struct ttp_err *err)
{
    const struct ttp_pipeline pipeline = {sizeof(struct spread_block), produce, work, merge, NULL};

    if (p->t->unreadable)
        return ttp_fail(err, TTP_EPARSE, "tensor '%.*s' cannot be read: %s", TTP_FMT(p->t->name),
                        p->t->unreadable);
    *p->spread = (struct ttp_exponents){0};
    if (p->t->count == 0)
        return TTP_OK;
    p->e = ttp_tensor_extent(p->t);
    p->strips_across = (p->e.cols + TTP_RECT_COLS - 1) / TTP_RECT_COLS;
    p->bands = (p->e.rows + TTP_RECT_ROWS - 1) / TTP_RECT_ROWS;
    p->strips = p->e.planes * p->bands * p->strips_across;
    return ttp_par_pipeline(&pipeline, p, threads, err);
}

ttp_code ttp_tensor_spread(struct ttp_exponents *out, const struct ttp_tensor *t, unsigned threads,
                           struct ttp_err *err)
{
    struct spread_run p = {.t = t, .spread = out};

    return run(&p, threads, err);
}

ttp_code ttp_tensor_loss(struct ttp_loss *out, const struct ttp_tensor *t, enum ttp_dtype format,
                         const struct ttp_compare_options *options, struct ttp_err *err)
{
    struct ttp_tensor squeezed = *t;
    struct ttp_exponents ignored;
    struct spread_run p = {.t = t, .bits = ttp_tensor_block_bits(format), .spread = &ignored};

    *out = (struct ttp_loss){.format = format};
    squeezed.squeeze = format;
    TTP_TRY(run(&p, options->threads, err));
    out->flushed = p.flushed;
    return ttp_tensor_compare(&out->compare, t, &squeezed, options, err);
}
