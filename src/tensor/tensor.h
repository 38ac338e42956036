/* SPDX-License-Identifier: Apache-2.0 */
/* tensor.h - door of the tensor module: tensor files in, numbers on how far two tensors are apart
 * out.
 *
 * Readers copy no data: a tensor's bytes stay in the mapped file (members of a compressed .npz are
 * inflated into the arena). Descriptions live in the arena passed in. All of it may be read by many
 * threads at once. */
#ifndef TTP_TENSOR_TENSOR_H
#define TTP_TENSOR_TENSOR_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/sym.h"

enum ttp_dtype {
    TTP_DTYPE_NONE,
    TTP_DTYPE_F64,
    TTP_DTYPE_F32,
    TTP_DTYPE_F16,
    TTP_DTYPE_BF16,
    TTP_DTYPE_F8_E4M3, /* torch's e4m3fn: no infinity */
    TTP_DTYPE_F8_E5M2,
    TTP_DTYPE_I8,
    TTP_DTYPE_I16,
    TTP_DTYPE_I32,
    TTP_DTYPE_I64,
    TTP_DTYPE_U8,
    TTP_DTYPE_U16,
    TTP_DTYPE_U32,
    TTP_DTYPE_U64,
    TTP_DTYPE_BOOL,
    TTP_DTYPE_BFP8_B, /* the block formats exist in tiles only */
    TTP_DTYPE_BFP4_B,
    TTP_DTYPE_BFP2_B,
    TTP_DTYPE_COUNT,
};

/* "f32", "bf16", "bfloat8_b". */
const char *ttp_tensor_dtype_name(enum ttp_dtype t);
/* By that name or by one that torch, numpy or ttnn use: "float32", "bfloat16", "bfp8_b". */
enum ttp_dtype ttp_tensor_dtype_find(ttp_str name);
/* Bytes of one element; 0 for block formats. */
size_t ttp_tensor_dtype_size(enum ttp_dtype t);

/* As numpy allows; torch stays below it. */
#define TTP_TENSOR_DIMS_MAX 32

/* One tensor. The readers have made sure that every element lies inside `data`. */
struct ttp_tensor {
    ttp_str name; /* empty where the format has none (.npy, .tensorbin) */
    enum ttp_dtype dtype;
    const char *unreadable; /* why its data cannot be used; NULL: it can */
    uint32_t ndim;
    uint64_t shape[TTP_TENSOR_DIMS_MAX];
    uint64_t stride[TTP_TENSOR_DIMS_MAX]; /* in elements; if tiled in rows, the last unused */
    uint64_t count;                       /* product of shape */
    ttp_str data;                         /* from the first element to the end of the last */
    bool big_endian;
    const struct ttp_file *file; /* data is part of its mapping; NULL: of other memory */

    /* Tiles of tile_h x tile_w, row-major over a plane of all rows; tile_h 0: not tiled. */
    uint32_t tile_h, tile_w;
    bool tile_transposed;      /* each face, and the order of faces where both ways have several */
    uint64_t plane_h, plane_w; /* in elements, padded; only if tiled */

    enum ttp_dtype squeeze; /* each value as if it had been stored in this format; NONE: as it is */
};

struct ttp_tensors {
    const char *format; /* "npy", "npz", "safetensors", "torch", "tensorbin", "raw" */
    size_t count;
    struct ttp_tensor *item;
    struct ttp_symtab names;
    const struct ttp_tensor **named; /* by symbol of `names`: the first of that name */
};

struct ttp_tensor_options {
    enum ttp_dtype dtype; /* of raw data, and of 16-bit data in .npy; NONE: not given */
    uint32_t ndim;        /* of raw data; used with has_shape */
    uint64_t shape[TTP_TENSOR_DIMS_MAX];
    bool has_shape;
};

/* The same from a file, whose name is added to failures. *file must stay where it is, and open, for
 * as long as the tensors' data is used; on failure it is closed. */
TTP_NODISCARD ttp_code ttp_tensor_open(struct ttp_tensors *out, struct ttp_file *file,
                                       const char *path, const struct ttp_tensor_options *options,
                                       struct ttp_arena *arena, struct ttp_err *err);

/* NULL: none of that name. */
const struct ttp_tensor *ttp_tensor_find(const struct ttp_tensors *list, ttp_str name);

/* "[2, 3]", in the arena. */
ttp_str ttp_tensor_shape_text(const uint64_t *shape, uint32_t ndim, struct ttp_arena *arena);

/* --- comparison --- */

/* What tt-metal's comp_pcc (models/common/utility_functions.py) has meant over time. Logs from
 * before a change are comparable only with that meaning. */
enum ttp_pcc_version {
    TTP_PCC_CURRENT, /* since 6d287fa3e4e (2026-07-22): undefined falls back to allclose */
    TTP_PCC_2026_06, /* since 02c9d310760 (2026-06-25): undefined passes with 1.0, one side all zero
                        fails, products stay in the tensor's type */
    TTP_PCC_NUMPY,   /* before: numpy's masked corrcoef in f64; undefined passes, all zero fails */
};

/* How the number came about. */
enum ttp_pcc_how {
    TTP_PCC_CORRELATED,
    TTP_PCC_EQUAL,            /* all values equal, non-finite ones counted as 0: 1.0 */
    TTP_PCC_BOTH_NAN,         /* nothing but NaN on both sides, or nothing at all: 1.0 */
    TTP_PCC_ONE_NAN,          /* nothing but NaN on one side: 0.0 */
    TTP_PCC_ONE_ZERO,         /* nothing but 0 on one side: allclose decides, or fails */
    TTP_PCC_UNDEFINED,        /* no variance: allclose decides */
    TTP_PCC_UNDEFINED_PASSED, /* no variance, which older versions let pass with 1.0 */
};

struct ttp_compare_options {
    double gate; /* PCC must reach it */
    double
        frobenius; /* relative Frobenius error must not exceed it; negative: sqrt(2 (1 - gate)) */
    double rtol, atol;                   /* allclose; NAN: 1e-5 and 1e-8 */
    double fallback_rtol, fallback_atol; /* where PCC is undefined; NAN: 1e-5 and 1e-4 */
    enum ttp_pcc_version version;
    unsigned threads; /* 0: all; the result does not depend on it */
};

/* Where a value is: its index in every dimension. */
struct ttp_spot {
    bool found; /* false: there is no such place */
    size_t ndim;
    uint64_t index[TTP_TENSOR_DIMS_MAX];
    double golden, actual; /* the latter in golden's type */
};

struct ttp_nonfinite {
    uint64_t nan, inf, neg_inf;
};

/* Largest error map: cells of a grid laid over the tiles, rows of all planes below one another. */
#define TTP_HEAT_ROWS 32
#define TTP_HEAT_COLS 64

struct ttp_compare {
    bool same_shape;
    bool compared;  /* false: nothing below is known; see ttp_tensor_compare() */
    uint64_t count; /* elements */

    double pcc;
    enum ttp_pcc_how how;
    bool pcc_ok;

    bool allclose;
    uint64_t outside;        /* elements beyond allclose's tolerance */
    double max_abs, max_rel; /* of pairs that are both finite; max_rel divides by |actual| */
    struct ttp_spot max_abs_at;

    bool has_ulp;   /* false: whole numbers */
    double max_ulp; /* in the type of the actual tensor; block formats count as bf16 */
    struct ttp_spot max_ulp_at;

    double golden_norm, error_norm; /* Frobenius, over pairs that are both finite */
    double frobenius;               /* error_norm / golden_norm; error_norm if that is 0 */
    double frobenius_limit;
    bool frobenius_ok;

    struct ttp_nonfinite golden_nonfinite, actual_nonfinite;
    uint64_t nonfinite_moved;     /* positions where they differ in kind */
    struct ttp_spot nonfinite_at; /* the first of them */

    /* The 32 x 32 tile with the largest mean square error. */
    uint64_t tile_rows, tile_cols; /* of the grid, all planes together */
    uint64_t worst_tile_row, worst_tile_col;
    size_t ndim;
    uint64_t worst_origin[TTP_TENSOR_DIMS_MAX]; /* index of its first element */
    uint64_t worst_height, worst_width;
    double worst_rms, worst_frobenius, worst_pcc; /* PCC in f64; NAN where undefined */

    uint32_t heat_rows, heat_cols;
    size_t heat_cells;
    float heat[TTP_HEAT_ROWS * TTP_HEAT_COLS]; /* largest tile RMS error below the cell */

    bool pass; /* same shape, nothing non-finite moved, pcc_ok, frobenius_ok */
};

/* Compare. Tensors of different shape but equal size are compared in their flat order if `actual`
 * is contiguous; `pass` is false all the same. TTP_EPARSE: a tensor that is unreadable. */
TTP_NODISCARD ttp_code ttp_tensor_compare(struct ttp_compare *out, const struct ttp_tensor *golden,
                                          const struct ttp_tensor *actual,
                                          const struct ttp_compare_options *options,
                                          struct ttp_err *err);

/* --- what a block format would lose --- */

/* Of rows of 16 values that would share an exponent, how far apart the exponents are. */
#define TTP_SPREAD_MAX 32
struct ttp_exponents {
    uint64_t rows;                      /* with at least one value that is not 0 */
    uint64_t count[TTP_SPREAD_MAX + 1]; /* by largest minus smallest exponent; the last: or more */
    uint64_t values;                    /* not 0, not subnormal in f32 */
};

struct ttp_loss {
    enum ttp_dtype format;
    uint64_t flushed;           /* values that are not 0 and would become 0 */
    struct ttp_compare compare; /* the tensor against itself in that format */
};

/* Exponent spread of a tensor as the block formats see it: as f32, along the last dimension. */
TTP_NODISCARD ttp_code ttp_tensor_spread(struct ttp_exponents *out, const struct ttp_tensor *t,
                                         unsigned threads, struct ttp_err *err);
/* The loss of one format: a block format, or BF16, F16, an fp8 type. */
TTP_NODISCARD ttp_code ttp_tensor_loss(struct ttp_loss *out, const struct ttp_tensor *t,
                                       enum ttp_dtype format,
                                       const struct ttp_compare_options *options,
                                       struct ttp_err *err);

#endif
