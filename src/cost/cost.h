/* SPDX-License-Identifier: Apache-2.0 */
/* cost.h - door of the cost module: the predicted device time of an operation, from what it
 * computes, where its tensors are, how it is split over the cores, and the board.
 *
 * Pure functions of their arguments, safe from any thread. Sizes are in tiles unless a name or a
 * comment says elements or bytes. */
#ifndef TTP_COST_COST_H
#define TTP_COST_COST_H

#include "base/field.h"
#include "device/device.h"

/* ---- tiles ---- */

enum ttp_tile_type {
    TTP_TILE_NONE, /* there is no such tensor, or its type is unknown */
    TTP_TILE_F32,
    TTP_TILE_BF16,
    TTP_TILE_FP8,
    TTP_TILE_BFP8,
    TTP_TILE_BFP4,
    TTP_TILE_BFP2,
    TTP_TILE_INTEGER, /* known, and not a type for a matmul */
    TTP_TILE_TYPES
};
/* "bf16", "BFLOAT16", "bfp8", "BFLOAT8_B", "DataType::..." in any case; false: unknown. */
bool ttp_cost_tile_type_find(enum ttp_tile_type *out, ttp_str name);
const char *ttp_cost_tile_type_name(enum ttp_tile_type type);      /* "bfp8" */
const char *ttp_cost_tile_type_ttnn_name(enum ttp_tile_type type); /* "bfloat8_b" */
/* Of a tile of height x width elements, exponents of block formats included. */
uint64_t ttp_cost_tile_bytes(enum ttp_tile_type type, uint32_t height, uint32_t width);

/* ---- matmuls ---- */

enum ttp_layout { TTP_LAYOUT_INTERLEAVED, TTP_LAYOUT_WIDTH, TTP_LAYOUT_HEIGHT, TTP_LAYOUT_BLOCK };

/* Where a tensor is. */
struct ttp_placement {
    enum ttp_layout layout;
    bool l1;         /* else DRAM */
    bool has_shard;  /* the shape below is known */
    bool nd;         /* sharded along other dimensions: rules of layouts do not apply */
    bool col_major;  /* shards go down the columns of cores */
    uint32_t height; /* of a shard, elements */
    uint32_t width;
    uint32_t cores;          /* that hold a shard; 0: unknown */
    uint32_t grid_x, grid_y; /* of those; 0: unknown */
};

/* What of a board matters to a program: facts with the user's figures on top. */
struct ttp_cost_chip {
    const struct ttp_board *board;
    const struct ttp_cost_value *cost; /* TTP_COSTS; NULL: not measured */
    uint32_t grid_x, grid_y;
    uint32_t banks;
    uint64_t l1_bytes, reserved_bytes; /* of a core */
    double ghz;
    uint32_t alignment; /* of pages in DRAM, bytes */
};
/* False: the board's grid, banks, L1 or clock is unknown. */
bool ttp_cost_chip_of(struct ttp_cost_chip *out, const struct ttp_board *board);

enum ttp_matmul_type {
    TTP_MATMUL_MULTICORE,
    TTP_MATMUL_REUSE,
    TTP_MATMUL_2D,
    TTP_MATMUL_1D,
    TTP_MATMUL_DRAM,    /* weights sharded over DRAM banks */
    TTP_MATMUL_BATCHED, /* batches sharded over DRAM banks */
    TTP_MATMUL_MINIMAL, /* ttnn.experimental.minimal_matmul */
    TTP_MATMUL_TYPES
};

/* Fused activations that a matmul can have. */
enum ttp_activation {
    TTP_ACT_NONE,
    TTP_ACT_RELU,
    TTP_ACT_GELU,
    TTP_ACT_GELU_TANH,
    TTP_ACT_TANH,
    TTP_ACT_SILU,
    TTP_ACT_RELU6,
    TTP_ACT_SIGMOID,
    TTP_ACT_HARDSIGMOID,
    TTP_ACT_HARDTANH,
    TTP_ACT_SELU,
    TTP_ACT_SOFTPLUS,
    TTP_ACT_OTHER, /* one that cannot be fused */
    TTP_ACTS
};

/* What is to be computed. */
struct ttp_matmul {
    uint64_t m, k, n;         /* elements, logical, after transposes */
    uint64_t k1;              /* rows of input 1 where they are known to differ from k; else 0 */
    uint64_t batch, batch_b;  /* of input 0 and input 1 */
    enum ttp_tile_type a, b;  /* inputs */
    enum ttp_tile_type out;   /* output */
    enum ttp_tile_type bias;  /* TTP_TILE_NONE: no bias */
    struct ttp_placement in0; /* where they are */
    struct ttp_placement in1;
    struct ttp_placement out_at;
    struct ttp_cost_chip chip;
    enum ttp_fidelity fidelity;
    enum ttp_activation activation; /* asked of the op; the config may have one too */
    bool fp32_acc, l1_acc, full_sync;
    bool transpose_a, transpose_b, untilize;
    bool not_tiled;          /* an input in row-major layout */
    bool sparse;             /* sparse_matmul */
    bool swiglu;             /* minimal_matmul with fuse_swiglu */
    bool global_cb;          /* weights come from a global circular buffer */
    uint32_t tile_h, tile_w; /* of input 0's height and input 1's width; 32 */
    uint32_t bias_h;         /* padded height of the bias, elements; 0: one tile */
    uint32_t user_x, user_y; /* core_grid that the caller asked for; 0: none */
    uint64_t other_l1_bytes; /* of a core, taken by other tensors */
};
/* The usual options: BF16 x BFP8, all in DRAM, HiFi2. */
void ttp_cost_matmul_init(struct ttp_matmul *p, const struct ttp_cost_chip *chip);

/* How it is split over the cores. Unused parameters of a type are 0. */
struct ttp_matmul_config {
    enum ttp_matmul_type type;
    uint32_t grid_x, grid_y;
    uint32_t block_w; /* in0_block_w; minimal: K_block_size */
    uint32_t subblock_h, subblock_w;
    uint32_t out_block_h, out_block_w; /* minimal: M_block_size, N_block_size */
    uint32_t per_core_m, per_core_n;
    enum ttp_activation activation;
    bool transpose_mcast, fuse_batch, mcast_in0, gather_in0;
    bool untilize_out, stream_in1;
    bool has_hop_cores;
    uint32_t receivers; /* num_global_cb_receivers */
};

/* Sizes in tiles. */
struct ttp_matmul_tiles {
    uint64_t m, k, n;
    uint64_t mf;                  /* rows with the batch folded in, if the config does that */
    uint64_t in0, in1, out, bias; /* bytes of one tile */
};
void ttp_cost_matmul_measure(struct ttp_matmul_tiles *out, const struct ttp_matmul *p,
                             const struct ttp_matmul_config *c);
/* Set `mf`, all that differs between the configs of one matmul. */
void ttp_cost_matmul_fold(struct ttp_matmul_tiles *tiles, const struct ttp_matmul *p,
                          const struct ttp_matmul_config *c);

/* Rounded up; 0 of nothing. */
static inline uint64_t ttp_ceil_div(uint64_t a, uint64_t b)
{
    return b ? a / b + (a % b != 0) : 0;
}

/* Subblocks as ttnn tries them, the first that divides the block wins. */
struct ttp_subblock {
    uint8_t h, w;
};
#define TTP_SUBBLOCKS 20
extern const struct ttp_subblock ttp_subblocks[TTP_SUBBLOCKS];

/* How a DRAM-sharded matmul spreads the columns of the weights over its workers. */
struct ttp_dram_split {
    uint32_t workers; /* cores that compute, at most one per bank */
    uint64_t n;       /* columns of a worker */
    uint64_t n_wide;  /* with the last subblock widened */
    uint32_t subblock_w;
};
void ttp_cost_matmul_dram_split(struct ttp_dram_split *out, uint64_t nt, uint32_t banks,
                                bool fp32_acc);

/* The bottleneck of a predicted matmul. */
enum ttp_matmul_bound {
    TTP_MATMUL_COMPUTE, /* math, unpack and pack */
    TTP_MATMUL_IN0,     /* input 0 of a step: reads and broadcast */
    TTP_MATMUL_IN1,
    TTP_MATMUL_DRAM_RATE, /* DRAM as a whole */
    TTP_MATMUL_WRITE,
    TTP_MATMUL_BOUNDS
};
const char *ttp_cost_matmul_bound_name(enum ttp_matmul_bound bound);

enum ttp_confidence {
    TTP_CONFIDENCE_NONE,
    TTP_CONFIDENCE_LOW,
    TTP_CONFIDENCE_MEDIUM,
    TTP_CONFIDENCE_HIGH
};
const char *ttp_cost_confidence_name(enum ttp_confidence confidence); /* "high" */

struct ttp_matmul_time {
    double ns;
    double low_ns, high_ns; /* range that covers nine of ten measured groups of such configs */
    enum ttp_matmul_bound bound;
    enum ttp_confidence confidence;
    uint32_t cores; /* that compute */
};
/* False: there is no model for it (multicore, batched, a chip that was not measured, a type without
 * rate). The config must have passed the rules of config.h: divisors are not checked again. */
bool ttp_cost_matmul(struct ttp_matmul_time *out, const struct ttp_matmul *p,
                     const struct ttp_matmul_config *c);
/* Only `ns` of it, for a search through many configs: `tiles` are those of p and c. */
bool ttp_cost_matmul_ns(double *ns, const struct ttp_matmul *p, const struct ttp_matmul_config *c,
                        const struct ttp_matmul_tiles *tiles);
/* Only `confidence`, of a config that has a model. */
enum ttp_confidence ttp_cost_matmul_confidence(const struct ttp_matmul *p,
                                               const struct ttp_matmul_config *c);
/* sparse_matmul: the matmul of one expert after the other, each with that 1d config. An expert that
 * no token chose costs a handshake. `active` of `all` products are done; rows are those of one.
 * False: no model, or more than one row of tiles, which sparse_matmul does in turn. */
bool ttp_cost_sparse_matmul(struct ttp_matmul_time *out, const struct ttp_matmul *expert,
                            const struct ttp_matmul_config *c, double active, double all);
/* Cores that compute; 0: the config has none. */
uint32_t ttp_cost_matmul_cores(const struct ttp_matmul *p, const struct ttp_matmul_config *c);

/* ---- constants from runs of one's own ---- */

/* A measured matmul. */
struct ttp_cost_sample {
    struct ttp_matmul problem;
    struct ttp_matmul_config config;
    double ns;       /* the median, if there are several */
    uint32_t source; /* which run it is of */
};

struct ttp_cost_errors {
    double median, p90; /* of |log2(predicted / measured)| */
};

struct ttp_cost_fit {
    size_t samples;                  /* that have a prediction */
    struct ttp_cost_errors before;   /* with the constants that were there */
    struct ttp_cost_errors after;    /* with the new ones, on the same samples */
    struct ttp_cost_errors held_out; /* each part predicted by a fit on the others */
    size_t parts;                    /* of those: runs, or fifths of one run */
    struct ttp_cost_value value[TTP_COSTS];
    double old_value[TTP_COSTS];
};
/* Fit the constants of a chip to samples of it: the smallest mean |log2(predicted / measured)| plus
 * 0.002 for each factor of two away from the constants that were there (more if there are fewer
 * samples than those were fitted on), and never more than a factor of four. All samples must be of
 * one chip. TTP_ENOTFOUND: fewer than 10 have a prediction.
 */
TTP_NODISCARD ttp_code ttp_cost_calibrate(struct ttp_cost_fit *out,
                                          const struct ttp_cost_sample *sample, size_t samples,
                                          struct ttp_arena *arena, struct ttp_err *err);

/* A line of a struct ttp_cost_fit, and its fields. */
struct ttp_cost_row {
    const struct ttp_cost_fit *fit;
    enum ttp_cost_constant constant;
};
extern const struct ttp_fields ttp_cost_fields;

#endif
