/* SPDX-License-Identifier: Apache-2.0 */
/* tile_stats.h - sums over one tile of two tensors. Private to tensor.
 *
 * Two ways: kernels for tiles of f32 without NaN and infinity (almost all), and a plain loop in f64
 * for the rest. Each keeps eight sums, value i of a row in sum i % 8, and adds them up in order:
 * results do not depend on the instruction set. Only sums differ between the two, in their last
 * digits. */
#ifndef TTP_TENSOR_TILE_STATS_H
#define TTP_TENSOR_TILE_STATS_H

#include "tensor/tensor.h"

#define TTP_LANES 8

/* How a tile is judged. */
struct ttp_tile_rule {
    double rtol, atol;
    enum ttp_dtype golden; /* type that the values of both sides have */
    enum ttp_dtype ulp;    /* type whose steps are counted; NONE: none */
    int ulp_bits;          /* its fraction bits */
    int ulp_low, ulp_high; /* its smallest and largest exponent */
};

/* Fills the ulp_ fields; `actual` is the type the actual tensor is stored in. */
void ttp_tensor_tile_rule_ulp(struct ttp_tile_rule *rule, enum ttp_dtype golden,
                              enum ttp_dtype actual);

struct ttp_tile_stats {
    double sum_g, sum_c; /* non-finite values count as 0 */
    double sum_d2;       /* (c - g)^2; this and all below: of pairs that are both finite */
    double sum_g2;
    double max_d, max_rel, max_ulp;
    double max_g, max_c; /* magnitudes */
    uint64_t outside; /* pairs beyond the tolerance; NaN against NaN and equal infinities are in */
    bool equal;       /* all pairs, non-finite values counted as 0 */
    uint64_t moved;   /* pairs that differ in kind: finite, NaN, inf, -inf */
    struct ttp_nonfinite nonfinite_g, nonfinite_c;
};

/* A tile inside rows of `stride` values. */
struct ttp_tile {
    size_t rows, cols, stride;
};

/* False: something is not finite, or too large or small to be squared in f32; *out says nothing. */
bool ttp_tensor_tile_stats_f32(struct ttp_tile_stats *out, const float *g, const float *c,
                               const struct ttp_tile *tile, const struct ttp_tile_rule *rule);
/* The same of bf16 as it is stored, not aligned. */
bool ttp_tensor_tile_stats_bf16(struct ttp_tile_stats *out, const char *g, const char *c,
                                const struct ttp_tile *tile, const struct ttp_tile_rule *rule);
void ttp_tensor_tile_stats_f64(struct ttp_tile_stats *out, const double *g, const double *c,
                               const struct ttp_tile *tile, const struct ttp_tile_rule *rule);

/* Sums of products of what is left without the means. */
struct ttp_products {
    double gc, gg, cc;
};
/* Rows inside tensors; all in f32 but the sums. */
void ttp_tensor_products_f32(struct ttp_products *out, const float *g, const float *c,
                             const struct ttp_tile *rows, const float mean[2]);
/* The same sums of bf16 as it is stored. */
void ttp_tensor_products_bf16(struct ttp_products *out, const char *g, const char *c,
                              const struct ttp_tile *rows, const float mean[2]);
/* In which type differences and products are rounded; F64: not at all. */
void ttp_tensor_products_f64(struct ttp_products *out, const double *g, const double *c, size_t n,
                             const double mean[2], enum ttp_dtype centred, enum ttp_dtype product);

/* One pair, as the tile functions see it: |c - g|, and that in steps of the type; -1 where one is
 * not finite. */
double ttp_tensor_pair_error(double g, double c, const struct ttp_tile_rule *rule);
double ttp_tensor_pair_ulp(double g, double c, const struct ttp_tile_rule *rule);

void ttp_tensor_widen_bf16(float *out, const char *from, size_t n);

/* The kernels. */
struct ttp_tile_kernel {
    const char *name;
    bool (*stats)(struct ttp_tile_stats *out, const float *g, const float *c,
                  const struct ttp_tile *tile, const struct ttp_tile_rule *rule);
    bool (*stats_bf16)(struct ttp_tile_stats *out, const char *g, const char *c,
                       const struct ttp_tile *tile, const struct ttp_tile_rule *rule);
    void (*products)(struct ttp_products *out, const float *g, const float *c,
                     const struct ttp_tile *rows, const float mean[2]);
    void (*products_bf16)(struct ttp_products *out, const char *g, const char *c,
                          const struct ttp_tile *rows, const float mean[2]);
    /* n bf16 values as f32 */
    void (*widen)(float *out, const char *from, size_t n);
};
extern const struct ttp_tile_kernel ttp_tile_kernel_scalar;
#if defined(__x86_64__)
extern const struct ttp_tile_kernel ttp_tile_kernel_avx2;
#endif

#endif
