/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_load.h - rectangles of a tensor as numbers, whatever its type, strides or tiles. Private
 * to tensor. */
#ifndef TTP_TENSOR_TENSOR_LOAD_H
#define TTP_TENSOR_TENSOR_LOAD_H

#include "tensor/tensor.h"

/* Every tensor is seen as planes of rows and columns: its last two dimensions, and the product of
 * the others; missing ones are 1. */
struct ttp_extent {
    uint64_t planes, rows, cols;
};
struct ttp_extent ttp_tensor_extent(const struct ttp_tensor *t);

/* Part of one plane. The first column is a multiple of 16 (faces, and exponents to share). */
struct ttp_rect {
    uint64_t plane, row, col;
    size_t rows, cols;
};

/* Most values of a rectangle that the functions below take at once. */
#define TTP_RECT_ROWS 32
#define TTP_RECT_COLS 1024
#define TTP_RECT_MAX  ((size_t)TTP_RECT_ROWS * TTP_RECT_COLS)

/* r->rows * r->cols values, row by row. `as`: rounded or cut to what that type holds. */
void ttp_tensor_load_f32(float *out, const struct ttp_tensor *t, const struct ttp_rect *r,
                         enum ttp_dtype as);
void ttp_tensor_load_f64(double *out, const struct ttp_tensor *t, const struct ttp_rect *r);
void ttp_tensor_load_i64(int64_t *out, const struct ttp_tensor *t, const struct ttp_rect *r,
                         enum ttp_dtype as);

/* Where a rectangle's first element is stored, if its rows are stored as they are (no tiles, no
 * gaps between columns, our byte order, not squeezed); NULL: they are not. *stride: from row to
 * row, in elements. */
const char *ttp_tensor_rows(const struct ttp_tensor *t, const struct ttp_rect *r, size_t *stride);

/* Are all elements next to one another, row-major? */
bool ttp_tensor_is_contiguous(const struct ttp_tensor *t);
/* The pages of these rows, all columns, will not be read soon. */
void ttp_tensor_forget(const struct ttp_tensor *t, uint64_t plane, uint64_t row, uint64_t rows);

/* Index in every dimension of an element of a plane. */
void ttp_tensor_index(uint64_t *index, const struct ttp_tensor *t, uint64_t plane, uint64_t row,
                      uint64_t col);

/* A tensor file's bytes, of any kind we know; the first bytes say which. With a shape the bytes are
 * raw. `options` may be NULL. TTP_EPARSE: broken, or a kind we do not read. TTP_ELIMIT: larger than
 * we accept. TTP_EUSAGE: raw data, and options lack its dtype or shape. */
TTP_NODISCARD ttp_code ttp_tensor_read(struct ttp_tensors *out, ttp_str bytes,
                                       const struct ttp_tensor_options *options,
                                       struct ttp_arena *arena, struct ttp_err *err);

bool ttp_tensor_same_shape(const struct ttp_tensor *a, const struct ttp_tensor *b);

#endif
