/* SPDX-License-Identifier: Apache-2.0 */
/* fit.h - door of the fit module: what fits the memory of a core.
 *
 * Plain arithmetic on sizes; every size that comes from the user is checked for overflow before. */
#ifndef TTP_FIT_FIT_H
#define TTP_FIT_FIT_H

#include "device/device.h"
#include "ops/ops.h"
#include "tensor/tensor.h"

struct ttp_fit_tile {
    uint32_t height, width; /* 32 x 32 unless tiny tiles are used */
};

/* A dataflow (circular) buffer: `count` blocks of rows x cols tiles. */
struct ttp_fit_buffer {
    ttp_str text; /* as the user wrote it */
    uint32_t rows, cols, count;
    enum ttp_dtype type;
    /* Found by ttp_fit_plan(). */
    uint64_t tile_bytes, block_bytes, bytes;
    /* The largest block with everything else as it is: any shape; more rows; more columns. 0: not
     * even one tile. */
    uint64_t max_tiles, max_rows, max_cols;
};
struct ttp_fit_buffers {
    struct ttp_fit_buffer *buffer;
    size_t count;
};

/* "4x4:bf16:2", "in0=4x4:bf16": rows x columns in tiles, type, blocks (2 by default). TTP_EUSAGE:
 * not such a text. */
TTP_NODISCARD ttp_code ttp_fit_parse_buffer(struct ttp_fit_buffer *out, const char *text,
                                            struct ttp_err *err);

/* Where a core's memory goes. */
struct ttp_fit_core {
    const struct ttp_board *board;
    struct ttp_fit_tile tile;
    uint64_t l1_bytes, reserved_bytes;
    const struct ttp_source *l1_source, *reserved_source; /* reserved NULL: given by the user */
    uint64_t other_bytes;                                 /* shards, l1_small: given by the user */
    const char *capture; /* of a graph capture: reserved and other bytes are of one of its ops */
};

struct ttp_fit_step { /* all buffers with blocks of edge x edge tiles */
    uint32_t edge;
    uint64_t bytes;
    uint64_t transfers; /* to move the tensor once, a block each */
    bool fits;
};
#define TTP_FIT_STEPS 8

struct ttp_fit_plan {
    uint64_t buffer_bytes, available_bytes; /* for buffers */
    bool fits;
    uint64_t left_bytes, over_bytes;
    uint64_t scale_all; /* all blocks times this still fit; 0: not even as they are */
    struct ttp_fit_step step[TTP_FIT_STEPS];
    size_t steps;
};

/* Judge the buffers, and fill in what is found about each. `tensor` is in elements. TTP_ELIMIT:
 * sizes beyond any memory. */
TTP_NODISCARD ttp_code ttp_fit_plan(struct ttp_fit_plan *out, const struct ttp_fit_core *core,
                                    struct ttp_fit_buffers buffers, const uint64_t tensor[2],
                                    struct ttp_err *err);

/* A table looked up by row. */
enum ttp_fit_place { TTP_FIT_ONE_CORE, TTP_FIT_GRID, TTP_FIT_DRAM, TTP_FIT_NOWHERE };
struct ttp_fit_table {
    uint64_t rows, cols;
    enum ttp_dtype type;
    uint64_t row_bytes, bytes; /* rows are padded to the alignment of L1 */
    uint64_t core_bytes;       /* free on a core */
    uint64_t cores;            /* of the grid */
    uint64_t grid_bytes;       /* free on all of them */
    uint64_t dram_bytes;       /* 0: unknown */
    uint64_t cores_needed;     /* as shards of whole rows; 0: more than there are */
    uint64_t rows_per_core;    /* then */
    uint64_t rows_in_grid;     /* that fit at most */
    uint64_t chips_needed;     /* to hold it in L1 */
    enum ttp_fit_place place;
};
/* "100000x512:fp32". TTP_EUSAGE: invalid text. */
TTP_NODISCARD ttp_code ttp_fit_parse_table(struct ttp_fit_table *out, const char *text,
                                           struct ttp_err *err);
/* Where it can be, on a board whose grid is known. TTP_ELIMIT: sizes beyond any memory.
 * TTP_ENOTFOUND: the grid of the board is unknown. */
TTP_NODISCARD ttp_code ttp_fit_table(struct ttp_fit_table *t, const struct ttp_fit_core *core,
                                     struct ttp_err *err);

/* What an operation of a profiled run keeps in L1. */
struct ttp_fit_op {
    size_t row;        /* of the table of operations */
    uint64_t bytes[3]; /* per core: input 0, input 1, output; 0: not in L1 */
    uint64_t total_bytes;
    uint64_t cores;
};
/* The operations with the most bytes per core first; in the arena. Tensors that are
 * sharded are divided by the op's cores, interleaved ones by the grid. */
size_t ttp_fit_ops(struct ttp_fit_op **out, const struct ttp_ops *ops,
                   const struct ttp_fit_core *core, struct ttp_arena *arena);

/* A dataflow buffer of a profiled kernel, as its flow graph has it. */
struct ttp_fit_dfb {
    int64_t index;              /* of the circular buffer; -1: not given */
    ttp_str producer, consumer; /* "kernel:line", or empty */
};
/* The dataflow buffers of a program that was profiled. The graph does not say how large they are;
 * what the program's transfers say is one block of all of them together. */
struct ttp_fit_kernel {
    ttp_str program; /* or empty */
    const struct ttp_fit_dfb *buffer;
    size_t buffers;
    uint64_t blocks_bytes; /* one block of each, together; 0: unknown */
    uint64_t blocks;       /* that a core reads into one buffer; 0: unknown */
    bool at_least;         /* some transfers were larger than a trace can say */
    /* Found by ttp_fit_kernel(). */
    uint64_t bytes; /* two blocks of each */
    uint64_t available_bytes;
    bool fits;
    uint64_t scale; /* blocks of this many times the size still fit, and a core has two of them; 0:
                       not even these fit */
};
void ttp_fit_kernel(struct ttp_fit_kernel *kernel, const struct ttp_fit_core *core);

/* What a board can do at most. NAN: unknown. */
struct ttp_fit_roofline {
    double tflops[TTP_FIDELITIES]; /* of a chip's grid */
    double cores;
    double dram_gbs, pcie_gbs; /* one direction, 128b/130b coding taken off */
    double l1_bytes;           /* of the grid */
    double balance_flop_byte;  /* LoFi FLOP per DRAM byte at which both limits meet */
};
void ttp_fit_roofline(struct ttp_fit_roofline *out, const struct ttp_board *board);

#endif
