/* SPDX-License-Identifier: Apache-2.0 */
/* ops_model.h - the ops of a small language model, as data for the generator. */
#ifndef TTP_BENCH_OPS_MODEL_H
#define TTP_BENCH_OPS_MODEL_H

#include "ops_csv_row.h"

enum gen_config { NO_CONFIG, CONFIG_1D, CONFIG_2D, CONFIG_DRAM_SHARDED };
enum gen_split { WHOLE, SPLIT_K, SPLIT_N }; /* which side of the weights the devices share out */

struct gen_operand {
    enum gen_dtype dtype;
    const char *memory;
};

/* Its time follows from its sizes: see matmul_ns() in gen_ops_csv.c. */
struct gen_matmul {
    struct {
        uint32_t z, m, k, n;
    } size;
    struct gen_operand in0, weights, out;
    struct {
        enum gen_config kind;
        uint32_t block_w, sub_h, sub_w;
    } program;
    enum gen_fidelity fidelity;
    uint32_t cores;          /* 0: all of the chip, or the DRAM-sharded few */
    uint32_t efficiency_pct; /* of the peak that binds it */
    enum gen_split split;
};

/* An op whose time is stated. Kernels are paths below ttnn/cpp/ttnn/operations, or NULL. */
struct gen_plain {
    const char *code, *attributes, *compute_kernel, *data_kernel;
    struct gen_tensor in[GEN_MAX_INPUTS], out;
    uint32_t cores, ns, device_spread;
};

struct gen_step {
    const struct gen_matmul *matmul;
    const struct gen_plain *plain; /* exactly one of the two is set */
    bool among_devices;            /* left out when there is only one */
    uint32_t every, phase;         /* in layers with layer % every == phase; every 0: in all */
};

struct gen_part {
    const struct gen_step *step;
    size_t count;
};

extern const struct gen_part gen_warmup, gen_prefill, gen_decode, gen_head, gen_tail;
extern const struct gen_plain gen_prefetcher, gen_untilize;

#endif
