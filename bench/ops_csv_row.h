/* SPDX-License-Identifier: Apache-2.0 */
/* ops_csv_row.h - rows of an ops_perf_results CSV, for the generator and nothing else.
 *
 * Times are whole nanoseconds and every computation is on integers, so that a file is the same on
 * every machine and compiler. */
#ifndef TTP_BENCH_OPS_CSV_ROW_H
#define TTP_BENCH_OPS_CSV_ROW_H

#include "base/sink.h"

enum gen_format { GEN_V1 = 1, GEN_V2 = 2, GEN_V21 = 4 };
enum gen_fidelity { GEN_LOFI, GEN_HIFI2, GEN_HIFI3, GEN_HIFI4 };
enum gen_dtype { GEN_BF16, GEN_BFP8, GEN_BFP4, GEN_FP32, GEN_UINT32, GEN_INT32 };

enum { GEN_MAX_INPUTS = 3, GEN_MAX_DEVICES = 32 };

struct gen_chip {
    const char *name; /* as in DEVICE ARCH */
    uint32_t cores, grid_x, grid_y;
    uint32_t dram_cores;        /* used by a DRAM-sharded matmul */
    uint32_t dram_bytes_per_ns; /* peak */
    uint32_t flop_per_ns[4];    /* peak of one core, by gen_fidelity */
    uint32_t mhz;
};

struct gen_tensor {
    uint32_t w, z, y, x; /* padded; w == 0: there is no such tensor */
    uint32_t logical_y;  /* 0: same as y */
    enum gen_dtype dtype;
    const char *memory; /* "L1_WIDTH_SHARDED", "DRAM_INTERLEAVED": without the device */
    const char *layout; /* NULL: TILE */
};

struct gen_op {
    const char *code, *attributes;
    const char *math_fidelity;                /* "" for an op without a compute kernel */
    const char *compute_kernel, *data_kernel; /* below ttnn/cpp/ttnn/operations; NULL: none */
    struct gen_tensor in[GEN_MAX_INPUTS], out;
    uint32_t cores, available_cores;
    int sub_device;  /* -1: the run has none at this point */
    bool beside;     /* runs while the ops after it run: the device's clock does not move */
    uint64_t ns;     /* before noise */
    uint64_t gap_ns; /* since the end of the op before, before noise */
    uint32_t
        device_spread; /* per mille: how much devices differ; collectives wait for each other */
    uint64_t pm_compute_ns, pm_bandwidth_ns;
};

/* One file being written. Set the first block, the rest is the writer's. */
struct gen_file {
    struct ttp_sink *sink;
    const struct gen_chip *chip;
    enum gen_format format;
    uint32_t devices;
    uint64_t random; /* the seed, then the state of the generator */
    bool cached;     /* programs are compiled: PROGRAM CACHE HIT */

    bool in_line;
    uint64_t runtime_id, host_ns;
    uint64_t clock_ns[GEN_MAX_DEVICES]; /* end of the last op of each device */
};

/* Uniform in [0, below), below > 0. */
uint64_t gen_random(struct gen_file *f, uint64_t below);
/* Sizes as tt-perf-report counts them: BFLOAT8_B is one byte, its exponents are left out. */
uint64_t gen_tensor_bytes(const struct gen_tensor *t);
const char *gen_dtype_name(enum gen_dtype dtype);

void gen_write_header(struct gen_file *f);
/* A row per device. */
void gen_write_op(struct gen_file *f, const struct gen_op *op);
/* The host did this itself, for host_ns; the device waits. */
void gen_write_host_op(struct gen_file *f, const char *code, uint64_t host_ns);
void gen_write_signpost(struct gen_file *f, const char *name);

#endif
