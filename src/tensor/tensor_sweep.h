/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_sweep.h - passes over two tensors, strip by strip, on many threads. Private to tensor.
 *
 * A strip is 32 rows and at most 1024 columns: a row of tiles that fits the cache. Blocks are fixed
 * runs of strips, their results are added in order with compensated sums, so that every number is
 * the same for any number of threads. */
#ifndef TTP_TENSOR_TENSOR_SWEEP_H
#define TTP_TENSOR_TENSOR_SWEEP_H

#include "tensor/tensor_load.h"
#include "tensor/tile_stats.h"

/* The largest of something, and where. */
struct ttp_peak {
    double value; /* negative: none yet */
    uint64_t plane, row, col;
    double golden, actual;
};

struct ttp_tensor_sweep {
    const struct ttp_tensor *golden, *actual; /* of the same shape */
    struct ttp_extent extent;
    struct ttp_tile_rule rule;
    unsigned threads;
    bool zero_nonfinite; /* for the later passes: NaN and infinity count as 0 */
};

/* What the first pass finds out. */
struct ttp_totals {
    struct ttp_tile_stats all;
    struct ttp_peak error, ulp;
    struct ttp_peak moved; /* its value is minus the flat position: the first is the largest */
    uint64_t tile_rows, tile_cols;
    struct ttp_peak worst; /* mean square error of a tile; row and col of its first element */
    uint32_t heat_rows, heat_cols;
    float heat[TTP_HEAT_ROWS * TTP_HEAT_COLS];
};

void ttp_tensor_sweep_init(struct ttp_tensor_sweep *s, const struct ttp_tensor *golden,
                           const struct ttp_tensor *actual, unsigned threads);
TTP_NODISCARD ttp_code ttp_tensor_sweep_totals(struct ttp_totals *out,
                                               const struct ttp_tensor_sweep *s,
                                               struct ttp_err *err);
/* Types of the values less their mean, and of their products. */
struct ttp_product_types {
    enum ttp_dtype centred, product;
};
/* See ttp_tensor_products_f64() for the types. */
TTP_NODISCARD ttp_code ttp_tensor_sweep_products(struct ttp_products *out,
                                                 const struct ttp_tensor_sweep *s,
                                                 const double mean[2],
                                                 struct ttp_product_types types,
                                                 struct ttp_err *err);
/* How many pairs are beyond the tolerance of s->rule. */
TTP_NODISCARD ttp_code ttp_tensor_sweep_outside(uint64_t *out, const struct ttp_tensor_sweep *s,
                                                struct ttp_err *err);

/* Both tensors' values in f64, golden's type; n values each. */
void ttp_tensor_sweep_load(double *g, double *c, const struct ttp_tensor_sweep *s,
                           const struct ttp_rect *r);

#endif
