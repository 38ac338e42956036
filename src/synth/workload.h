/* SPDX-License-Identifier: Apache-2.0 */
/* workload.h - what a run computes, as data: tensors, matmuls and other ops, in the order of a
 * model. Also used by bench/gen_ops_csv, which writes reports from the same ops.
 *
 * Times are whole nanoseconds and every computation is on integers, so that a file is the same on
 * every machine and compiler. All tables are constant. */
#ifndef TTP_SYNTH_WORKLOAD_H
#define TTP_SYNTH_WORKLOAD_H

#include "base/arena.h"
#include "device/device.h"

enum ttp_synth_dtype { SYNTH_BF16, SYNTH_BFP8, SYNTH_BFP4, SYNTH_FP32, SYNTH_UINT32, SYNTH_INT32 };
enum ttp_synth_config { NO_CONFIG, CONFIG_1D, CONFIG_2D, CONFIG_DRAM_SHARDED };
/* Which side of the weights the devices share out. */
enum ttp_synth_split { WHOLE, SPLIT_K, SPLIT_N };

enum { TTP_SYNTH_MAX_INPUTS = 3 };

/* Memory of a tensor, without the device. */
#define SYNTH_DRAM         "DRAM_INTERLEAVED"
#define SYNTH_DRAM_SHARDED "DRAM_WIDTH_SHARDED"
#define SYNTH_L1           "L1_INTERLEAVED"
#define SYNTH_L1_WIDTH     "L1_WIDTH_SHARDED"
#define SYNTH_L1_HEIGHT    "L1_HEIGHT_SHARDED"
#define SYNTH_L1_BLOCK     "L1_BLOCK_SHARDED"

struct ttp_synth_tensor {
    uint32_t w, z, y, x; /* padded; w == 0: there is no such tensor */
    uint32_t logical_y;  /* 0: same as y */
    enum ttp_synth_dtype dtype;
    const char *memory;
    const char *layout; /* NULL: TILE */
};

/* A chip as the workload sees it; see chips.h for where its cores are. */
struct ttp_synth_peaks {
    uint32_t cores, grid_x, grid_y;
    uint32_t dram_cores;                  /* used by a DRAM-sharded matmul */
    uint32_t dram_bytes_per_ns;           /* peak */
    uint32_t flop_per_ns[TTP_FIDELITIES]; /* peak of one core */
};

struct ttp_synth_operand {
    enum ttp_synth_dtype dtype;
    const char *memory;
};

/* Its time follows from its sizes: see ttp_synth_describe_matmul(). */
struct ttp_synth_matmul {
    struct {
        uint32_t z, m, k, n;
    } size;
    struct ttp_synth_operand in0, weights, out;
    struct {
        enum ttp_synth_config kind;
        uint32_t block_w, sub_h, sub_w;
    } program;
    enum ttp_fidelity fidelity;
    uint32_t cores;          /* 0: all of the chip, or the DRAM-sharded few */
    uint32_t efficiency_pct; /* of the peak that binds it */
    enum ttp_synth_split split;
};

/* An op whose time is stated, for a Wormhole; ttp_synth_time_plain() gives that of any chip.
 * Kernels are paths below ttnn/cpp/ttnn/operations, or NULL. Attributes are written as reports show
 * them: {'a': '1'; 'b': 'f(x=1;y=2)'}. */
struct ttp_synth_plain {
    const char *code, *attributes, *compute_kernel, *data_kernel;
    struct ttp_synth_tensor in[TTP_SYNTH_MAX_INPUTS], out;
    uint32_t cores, ns, device_spread;
};

struct ttp_synth_step {
    const struct ttp_synth_matmul *matmul;
    const struct ttp_synth_plain *plain; /* exactly one of the two is set */
    bool among_devices;                  /* left out when there is only one */
    bool uneven;                         /* one core has four times the work of the others */
    bool crowded;                        /* all cores read from the first one, at the same time */
    uint32_t every, phase; /* in layers with layer % every == phase; every 0: in all */
    uint32_t time_pct;     /* of what the op takes otherwise; 0: 100 */
    uint32_t ns;           /* what it takes on every chip; 0: as follows from the op */
};

struct ttp_synth_part {
    const struct ttp_synth_step *step;
    size_t count;
};

/* A language model; see llm_ops.c for its sizes. */
extern const struct ttp_synth_part ttp_synth_llm_warmup, ttp_synth_llm_prefill,
    ttp_synth_llm_decode, ttp_synth_llm_head, ttp_synth_llm_tail;
extern const struct ttp_synth_plain ttp_synth_prefetcher, ttp_synth_untilize;

/* What one call of an op is, whichever of the two kinds it came from. */
struct ttp_synth_op {
    const char *code, *attributes;
    const char *math_fidelity; /* "" for an op without a compute kernel */
    const char *compute_kernel, *data_kernel;
    struct ttp_synth_tensor in[TTP_SYNTH_MAX_INPUTS], out;
    uint32_t cores;
    uint64_t ns; /* of its kernels, before noise */
    uint32_t
        device_spread;    /* per mille: how much devices differ; collectives wait for each other */
    bool uneven, crowded; /* as of its step */
    uint64_t pm_compute_ns, pm_bandwidth_ns; /* at the peaks; 0: not modelled */
    uint64_t hash; /* of what it is: the same program has the same wherever it appears */
};

/* Of the part that one of `devices` computes, on at most `available_cores`. hifi3: in place of
 * HiFi4. Its attributes are in the arena. */
struct ttp_synth_op ttp_synth_describe_matmul(const struct ttp_synth_matmul *m,
                                              const struct ttp_synth_peaks *peaks, uint32_t devices,
                                              uint32_t available_cores, bool hifi3,
                                              struct ttp_arena *arena);
struct ttp_synth_op ttp_synth_describe_plain(const struct ttp_synth_plain *p,
                                             uint32_t available_cores);

/* Its time on a chip of that clock, from its sizes and the peaks; devices: that take part in it, 1
 * unless it is a collective. */
void ttp_synth_time_plain(struct ttp_synth_op *op, const struct ttp_synth_peaks *peaks,
                          uint32_t mhz, uint32_t devices);

/* Sizes as tt-perf-report counts them: BFLOAT8_B is one byte, its exponents are left out. */
uint64_t ttp_synth_tensor_bytes(const struct ttp_synth_tensor *t);
const char *ttp_synth_dtype_name(enum ttp_synth_dtype dtype);

/* FNV-1a, to continue with. */
uint64_t ttp_synth_hash_text(uint64_t hash, const char *text);

/* splitmix64 (Vigna): any seed is a good seed. */
uint64_t ttp_synth_random(uint64_t *state);

/* Sizes in bytes of the compiled kernels: two for data movement, three for compute (0 without). */
enum { TTP_SYNTH_KERNELS = 5 };
void ttp_synth_kernel_bytes(uint32_t bytes[TTP_SYNTH_KERNELS], const struct ttp_synth_op *op);

#endif
