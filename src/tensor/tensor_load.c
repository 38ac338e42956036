/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/tensor_load.h"

#include "tensor/block_float.h"
#include "tensor/convert.h"
#include "tensor/tile_stats.h"

/* Elements gathered at a time where they are not next to one another. */
#define GATHER 256

struct ttp_extent ttp_tensor_extent(const struct ttp_tensor *t)
{
    struct ttp_extent e = {1, t->ndim > 1 ? t->shape[t->ndim - 2] : 1,
                           t->ndim > 0 ? t->shape[t->ndim - 1] : 1};

    for (uint32_t d = 0; d + 2 < t->ndim; d++)
        e.planes *= t->shape[d];
    return e;
}

void ttp_tensor_index(uint64_t *index, const struct ttp_tensor *t, uint64_t plane, uint64_t row,
                      uint64_t col)
{
    if (t->ndim > 0)
        index[t->ndim - 1] = col;
    if (t->ndim > 1)
        index[t->ndim - 2] = row;
    for (uint32_t d = t->ndim > 2 ? t->ndim - 2 : 0; d-- > 0;) {
        index[d] = plane % t->shape[d];
        plane /= t->shape[d];
    }
}

/* Position of a plane's first element: in elements, or, of a tiled tensor, in rows. */
static uint64_t plane_start(const struct ttp_tensor *t, uint64_t plane)
{
    uint64_t at = 0;

    for (uint32_t d = t->ndim > 2 ? t->ndim - 2 : 0; d-- > 0;) {
        at += plane % t->shape[d] * t->stride[d];
        plane /= t->shape[d];
    }
    return at;
}

static uint64_t row_stride(const struct ttp_tensor *t)
{
    return t->ndim > 1 ? t->stride[t->ndim - 2] : 0;
}

bool ttp_tensor_is_contiguous(const struct ttp_tensor *t)
{
    uint64_t step = 1;

    if (t->tile_h)
        return false;
    for (uint32_t d = t->ndim; d-- > 0;) {
        if (t->shape[d] != 1 && t->stride[d] != step)
            return false;
        step *= t->shape[d];
    }
    return true;
}

/* --- where runs are: each of them goes to `put`, in order --- */

struct target {
    void *out; /* of `width` bytes a value */
    size_t width;
    enum ttp_dtype type;
    void (*put)(void *out, const char *from, size_t n, enum ttp_dtype t);
};

static void put_f32(void *out, const char *from, size_t n, enum ttp_dtype t)
{
    if (t == TTP_DTYPE_BF16)
        ttp_tensor_widen_bf16(out, from, n);
    else
        ttp_tensor_convert_f32(out, from, n, t);
}
static void put_f64(void *out, const char *from, size_t n, enum ttp_dtype t)
{
    ttp_tensor_convert_f64(out, from, n, t);
}
static void put_i64(void *out, const char *from, size_t n, enum ttp_dtype t)
{
    ttp_tensor_convert_i64(out, from, n, t);
}

static void *advance(struct target *to, size_t n)
{
    void *here = to->out;

    to->out = (char *)to->out + n * to->width;
    return here;
}

static void gather(struct target *to, const struct ttp_tensor *t, uint64_t at, uint64_t step,
                   size_t n)
{
    const size_t size = ttp_tensor_dtype_size(t->dtype);
    char buf[GATHER * 8];

    while (n) {
        const size_t part = n < GATHER ? n : GATHER;

        for (size_t i = 0; i < part; i++, at += step)
            for (size_t b = 0; b < size; b++)
                buf[i * size + b] = t->data.ptr[at * size + (t->big_endian ? size - 1 - b : b)];
        to->put(advance(to, part), buf, part, t->dtype);
        n -= part;
    }
}

static void load_strided(struct target *to, const struct ttp_tensor *t, const struct ttp_rect *r)
{
    const uint64_t down = row_stride(t), right = t->ndim > 0 ? t->stride[t->ndim - 1] : 1;
    const uint64_t start = plane_start(t, r->plane) + r->row * down + r->col * right;
    const size_t size = ttp_tensor_dtype_size(t->dtype);
    const bool plain = (right == 1 || r->cols == 1) && !t->big_endian;

    if (plain && (down == r->cols || r->rows == 1)) {
        to->put(advance(to, r->rows * r->cols), t->data.ptr + start * size, r->rows * r->cols,
                t->dtype);
        return;
    }
    for (size_t i = 0; i < r->rows; i++) {
        const uint64_t at = start + i * down;

        if (plain)
            to->put(advance(to, r->cols), t->data.ptr + at * size, r->cols, t->dtype);
        else
            gather(to, t, at, right, r->cols);
    }
}

const char *ttp_tensor_rows(const struct ttp_tensor *t, const struct ttp_rect *r, size_t *stride)
{
    const uint64_t down = row_stride(t);
    const size_t size = ttp_tensor_dtype_size(t->dtype);

    if (t->tile_h || t->big_endian || t->squeeze || size == 0 ||
        (t->ndim > 0 && t->stride[t->ndim - 1] != 1))
        return NULL;
    *stride = (size_t)down;
    return t->data.ptr + (plane_start(t, r->plane) + r->row * down + r->col) * size;
}

/* A row of one face: up to 16 values next to one another. */
struct face_row {
    const char *tile;
    uint64_t number; /* of the row, in the order of faces */
};

static struct face_row find_face_row(const struct ttp_tensor *t, uint64_t row, uint64_t col)
{
    const uint64_t across = t->plane_w / t->tile_w;
    const uint64_t tile = row / t->tile_h * across + col / t->tile_w;
    const uint64_t face_h = t->tile_h < TTP_FACE ? t->tile_h : TTP_FACE;
    const uint64_t y = row % t->tile_h, x = col % t->tile_w;
    const uint64_t face = y / face_h * (t->tile_w / TTP_FACE) + x / TTP_FACE;

    return (struct face_row){t->data.ptr + tile * ttp_tensor_tile_bytes(t),
                             face * face_h + y % face_h};
}

/* Of transposed tiles: the place of one value, row and column of its 16 x 16 face swapped, and so
 * the faces' if there are several both ways. *column: which of that row. */
static struct face_row find_transposed(const struct ttp_tensor *t, uint64_t row, uint64_t col,
                                       size_t *column)
{
    const uint64_t across = t->plane_w / t->tile_w;
    const uint64_t tile = row / t->tile_h * across + col / t->tile_w;
    const uint64_t down = row % t->tile_h / TTP_FACE, right = col % t->tile_w / TTP_FACE;
    const uint64_t rows = t->tile_h / TTP_FACE, cols = t->tile_w / TTP_FACE;
    const uint64_t face = rows > 1 && cols > 1 ? right * cols + down : down * cols + right;

    *column = row % TTP_FACE;
    return (struct face_row){t->data.ptr + tile * ttp_tensor_tile_bytes(t),
                             face * TTP_FACE + col % TTP_FACE};
}

static void load_transposed(struct target *to, const struct ttp_tensor *t, const struct ttp_rect *r)
{
    const uint64_t top = plane_start(t, r->plane) + r->row;
    const size_t size = ttp_tensor_dtype_size(t->dtype);
    size_t column;

    for (size_t y = 0; y < r->rows; y++)
        for (size_t x = 0; x < r->cols; x++) {
            const struct face_row f = find_transposed(t, top + y, r->col + x, &column);

            to->put(advance(to, 1), f.tile + (f.number * TTP_FACE + column) * size, 1, t->dtype);
        }
}

static void load_tiled(struct target *to, const struct ttp_tensor *t, const struct ttp_rect *r)
{
    const uint64_t top = plane_start(t, r->plane) + r->row;
    const size_t size = ttp_tensor_dtype_size(t->dtype);

    if (t->tile_transposed) {
        load_transposed(to, t, r);
        return;
    }
    for (size_t y = 0; y < r->rows; y++)
        for (size_t x = 0; x < r->cols; x += TTP_FACE) {
            const struct face_row f = find_face_row(t, top + y, r->col + x);
            const size_t n = r->cols - x < TTP_FACE ? r->cols - x : TTP_FACE;

            to->put(advance(to, n), f.tile + f.number * TTP_FACE * size, n, t->dtype);
        }
}

static void decode_row(float *values, const struct ttp_tensor *t, const struct face_row *f)
{
    const unsigned bits = ttp_tensor_block_bits(t->dtype);
    const size_t row_bytes = (size_t)TTP_FACE * (bits + 1) / 8;
    const unsigned char *tile = (const unsigned char *)f->tile;

    ttp_tensor_block_decode(values, tile + ttp_tensor_tile_exponents(t) + f->number * row_bytes,
                            tile[f->number], bits);
}

/* Exponents are shared by what is stored side by side: a column of the tensor. */
static void load_transposed_blocks(float *out, const struct ttp_tensor *t, const struct ttp_rect *r)
{
    const uint64_t top = plane_start(t, r->plane) + r->row;
    float values[TTP_FACE];
    size_t column;

    for (size_t y = 0; y < r->rows; y++)
        for (size_t x = 0; x < r->cols; x++) {
            const struct face_row f = find_transposed(t, top + y, r->col + x, &column);

            decode_row(values, t, &f);
            *out++ = values[column];
        }
}

static void load_blocks(float *out, const struct ttp_tensor *t, const struct ttp_rect *r)
{
    const uint64_t top = plane_start(t, r->plane) + r->row;

    if (t->tile_transposed) {
        load_transposed_blocks(out, t, r);
        return;
    }
    for (size_t y = 0; y < r->rows; y++)
        for (size_t x = 0; x < r->cols; x += TTP_FACE) {
            const struct face_row f = find_face_row(t, top + y, r->col + x);
            const size_t n = r->cols - x < TTP_FACE ? r->cols - x : TTP_FACE;
            float values[TTP_FACE];

            decode_row(values, t, &f);
            memcpy(out, values, n * sizeof(*out));
            out += n;
        }
}

static void load(struct target *to, const struct ttp_tensor *t, const struct ttp_rect *r)
{
    if (t->tile_h)
        load_tiled(to, t, r);
    else
        load_strided(to, t, r);
}

static void squeeze(float *v, const struct ttp_rect *r, enum ttp_dtype format)
{
    const unsigned bits = ttp_tensor_block_bits(format);

    if (!bits) {
        ttp_tensor_round_f32(v, r->rows * r->cols, format);
        return;
    }
    for (size_t y = 0; y < r->rows; y++)
        for (size_t x = 0; x < r->cols; x += TTP_FACE)
            (void)ttp_tensor_block_squeeze(v + y * r->cols + x,
                                           r->cols - x < TTP_FACE ? r->cols - x : TTP_FACE, bits);
}

void ttp_tensor_load_f32(float *out, const struct ttp_tensor *t, const struct ttp_rect *r,
                         enum ttp_dtype as)
{
    struct target to = {out, sizeof(*out), t->dtype, put_f32};

    if (ttp_tensor_block_bits(t->dtype))
        load_blocks(out, t, r);
    else
        load(&to, t, r);
    if (t->squeeze)
        squeeze(out, r, t->squeeze);
    if (as != t->dtype || t->squeeze)
        ttp_tensor_round_f32(out, r->rows * r->cols, as);
}

void ttp_tensor_load_f64(double *out, const struct ttp_tensor *t, const struct ttp_rect *r)
{
    struct target to = {out, sizeof(*out), t->dtype, put_f64};

    if (!ttp_tensor_block_bits(t->dtype) && !t->squeeze) {
        load(&to, t, r);
        return;
    }
    for (size_t y = 0; y < r->rows; y++) { /* row by row: a row fits the stack */
        struct ttp_rect row = *r;
        float values[TTP_RECT_COLS];

        row.row += y;
        row.rows = 1;
        ttp_tensor_load_f32(values, t, &row, TTP_DTYPE_F32);
        for (size_t i = 0; i < r->cols; i++)
            out[y * r->cols + i] = values[i];
    }
}

void ttp_tensor_load_i64(int64_t *out, const struct ttp_tensor *t, const struct ttp_rect *r,
                         enum ttp_dtype as)
{
    const size_t n = r->rows * r->cols;
    struct target to = {out, sizeof(*out), t->dtype, put_i64};

    if (ttp_tensor_dtype_is_whole(t->dtype)) {
        load(&to, t, r);
        ttp_tensor_wrap_i64(out, n, as);
        return;
    }
    for (size_t y = 0; y < r->rows; y++) {
        struct ttp_rect row = *r;
        double values[TTP_RECT_COLS] = {0};

        row.row += y;
        row.rows = 1;
        ttp_tensor_load_f64(values, t, &row);
        for (size_t i = 0; i < r->cols; i++)
            out[y * r->cols + i] = ttp_tensor_cut_f64(values[i], as);
    }
}

void ttp_tensor_forget(const struct ttp_tensor *t, uint64_t plane, uint64_t row, uint64_t rows)
{
    const struct ttp_extent e = ttp_tensor_extent(t);
    uint64_t from, to;

    if (!t->file)
        return;
    if (t->tile_h) {
        const uint64_t top = plane_start(t, plane) + row;
        const uint64_t line = t->plane_w / t->tile_w * ttp_tensor_tile_bytes(t);

        from = top / t->tile_h * line;
        to = (top + rows) / t->tile_h * line;
    } else if (ttp_tensor_is_contiguous(t)) {
        from = (plane * e.rows + row) * e.cols * ttp_tensor_dtype_size(t->dtype);
        to = from + rows * e.cols * ttp_tensor_dtype_size(t->dtype);
    } else {
        return;
    }
    ttp_file_forget(t->file, ttp_str_slice(t->data, from, to));
}
