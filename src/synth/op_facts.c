/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from an op's description: its sizes, its time at the peaks, its hash. */
#include <inttypes.h>
#include <stdio.h>

#include "synth/workload.h"

static const struct {
    const char *name;
    uint32_t half_bytes;
} dtypes[] = {
    [SYNTH_BF16] = {"BFLOAT16", 4},  [SYNTH_BFP8] = {"BFLOAT8_B", 2},
    [SYNTH_BFP4] = {"BFLOAT4_B", 1}, [SYNTH_FP32] = {"FLOAT32", 8},
    [SYNTH_UINT32] = {"UINT32", 8},  [SYNTH_INT32] = {"INT32", 8},
};

static const char *const fidelity_names[TTP_FIDELITIES] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};

uint64_t ttp_synth_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t ttp_synth_tensor_bytes(const struct ttp_synth_tensor *t)
{
    return (uint64_t)t->w * t->z * t->y * t->x * dtypes[t->dtype].half_bytes / 2;
}

const char *ttp_synth_dtype_name(enum ttp_synth_dtype dtype)
{
    return dtypes[dtype].name;
}

uint64_t ttp_synth_hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_op(const struct ttp_synth_op *op)
{
    const struct ttp_synth_tensor *const t[] = {&op->in[0], &op->in[1], &op->out};
    uint64_t hash = ttp_synth_hash_text(0xcbf29ce484222325u, op->code);

    hash = ttp_synth_hash_text(hash, op->attributes);
    for (size_t i = 0; i < TTP_COUNT(t); i++)
        hash = (hash ^ ((uint64_t)t[i]->y << 32 | t[i]->x)) * 0x100000001b3u;
    return hash;
}

void ttp_synth_kernel_bytes(uint32_t bytes[TTP_SYNTH_KERNELS], const struct ttp_synth_op *op)
{
    static const uint32_t least[] = {700, 600, 1500, 1400, 1600},
                          reach[] = {500, 500, 400, 400, 400};
    uint64_t random = op->hash;

    for (size_t i = 0; i < TTP_SYNTH_KERNELS; i++)
        bytes[i] = i < 2 || op->compute_kernel
                       ? least[i] + (uint32_t)(ttp_synth_random(&random) % reach[i]) * 4
                       : 0;
}

static ttp_str config_text(const struct ttp_synth_matmul *m, const struct ttp_synth_peaks *peaks,
                           char *out, size_t size)
{
    static const char *const names[] = {
        [CONFIG_1D] = "MatmulMultiCoreReuseMultiCast1DProgramConfig",
        [CONFIG_2D] = "MatmulMultiCoreReuseMultiCastProgramConfig",
        [CONFIG_DRAM_SHARDED] = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig",
    };
    int n;

    if (m->program.kind == NO_CONFIG)
        n = snprintf(out, size, "std::nullopt");
    else if (m->program.kind == CONFIG_DRAM_SHARDED)
        n = snprintf(out, size, "%s(in0_block_w=%u;per_core_M=1;per_core_N=%u)",
                     names[m->program.kind], m->program.block_w,
                     m->size.n / 32 / peaks->dram_cores);
    else
        n = snprintf(out, size,
                     "%s(compute_with_storage_grid_size=(x=%u;y=%u);in0_block_w=%u;"
                     "out_subblock_h=%u;out_subblock_w=%u)",
                     names[m->program.kind], peaks->grid_x, peaks->grid_y, m->program.block_w,
                     m->program.sub_h, m->program.sub_w);
    return (ttp_str){out, (size_t)n};
}

/* What DRAM must move and what the cores must multiply, at peak rates. */
static void matmul_ideal(struct ttp_synth_op *op, const struct ttp_synth_matmul *m,
                         enum ttp_fidelity fidelity, const struct ttp_synth_peaks *peaks)
{
    const struct ttp_synth_tensor *const t[] = {&op->in[0], &op->in[1], &op->out};
    const uint64_t flop = (uint64_t)2 * m->size.z * op->in[0].y * op->in[0].x * op->in[1].x;
    uint64_t bytes = 0;

    for (size_t i = 0; i < TTP_COUNT(t); i++)
        if (strncmp(t[i]->memory, "DRAM", 4) == 0)
            bytes += ttp_synth_tensor_bytes(t[i]);
    op->pm_bandwidth_ns = bytes / peaks->dram_bytes_per_ns;
    op->pm_compute_ns = flop / ((uint64_t)peaks->flop_per_ns[fidelity] * op->cores);
    const uint64_t ideal =
        op->pm_compute_ns > op->pm_bandwidth_ns ? op->pm_compute_ns : op->pm_bandwidth_ns;
    op->ns = ideal * 100 / m->efficiency_pct + 1;
}

static uint32_t matmul_cores(const struct ttp_synth_matmul *m, const struct ttp_synth_peaks *peaks,
                             uint32_t available)
{
    const uint32_t wanted = m->program.kind == CONFIG_DRAM_SHARDED ? peaks->dram_cores : m->cores;
    return wanted && wanted < available ? wanted : available;
}

struct ttp_synth_op ttp_synth_describe_matmul(const struct ttp_synth_matmul *m,
                                              const struct ttp_synth_peaks *peaks, uint32_t devices,
                                              uint32_t available_cores, bool hifi3,
                                              struct ttp_arena *arena)
{
    const enum ttp_fidelity fidelity =
        hifi3 && m->fidelity == TTP_FIDELITY_HIFI4 ? TTP_FIDELITY_HIFI3 : m->fidelity;
    const uint32_t z = m->size.z, rows = m->size.m;
    const uint32_t k = m->split == SPLIT_K ? m->size.k / devices : m->size.k;
    const uint32_t n = m->split == SPLIT_N ? m->size.n / devices : m->size.n;
    char config[256], attributes[640];

    const ttp_str config_is = config_text(m, peaks, config, sizeof(config));
    const int len = snprintf(
        attributes, sizeof(attributes),
        "{'bcast_batch': '%s'; 'compute_kernel_config': 'WormholeComputeKernelConfig("
        "math_fidelity=%s;math_approx_mode=0;fp32_dest_acc_en=0;packer_l1_acc=1)'; "
        "'output_dtype': 'DataType::%s'; 'program_config': '%.*s'; 'transpose_b': 'false'}",
        z > 1 ? "false" : "true", fidelity_names[fidelity], dtypes[m->out.dtype].name,
        TTP_FMT(config_is));
    struct ttp_synth_op op = {
        .code = "MatmulDeviceOperation",
        .attributes = ttp_arena_zstr(arena, (ttp_str){attributes, (size_t)len}),
        .math_fidelity = fidelity_names[fidelity],
        .compute_kernel = "matmul/device/kernels/compute/bmm_large_block_zm_fused_bias_activation",
        .data_kernel = "matmul/device/kernels/dataflow/reader_bmm_tile_layout_in0_sender_padding",
        .in = {{1, z, rows, k, 0, m->in0.dtype, m->in0.memory, NULL},
               {1, z, k, n, 0, m->weights.dtype, m->weights.memory, NULL}},
        .out = {1, z, rows, n, 0, m->out.dtype, m->out.memory, NULL},
        .cores = matmul_cores(m, peaks, available_cores),
        .device_spread = 15,
    };
    matmul_ideal(&op, m, fidelity, peaks);
    op.hash = hash_op(&op);
    return op;
}

struct ttp_synth_op ttp_synth_describe_plain(const struct ttp_synth_plain *p,
                                             uint32_t available_cores)
{
    struct ttp_synth_op op = {
        .code = p->code,
        .attributes = p->attributes,
        .math_fidelity = p->compute_kernel ? "HiFi4" : "",
        .compute_kernel = p->compute_kernel,
        .data_kernel = p->data_kernel,
        .out = p->out,
        .cores = p->cores < available_cores ? p->cores : available_cores,
        .ns = p->ns,
        .device_spread = p->device_spread ? p->device_spread : 10,
    };
    memcpy(op.in, p->in, sizeof(op.in));
    op.hash = hash_op(&op);
    return op;
}
