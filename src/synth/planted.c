/* SPDX-License-Identifier: Apache-2.0 */
/* Problems to plant, by the id of the rule of `tt-perf advise` that finds them. Efficiencies and
 * sizes are chosen so that the problem costs something; times follow from them as everywhere. */
#include "synth/planted.h"

enum { ALL_CORES = 1024 }; /* as many as there are */

#define TENSOR(z, y, x, dtype, memory)                                                             \
    {                                                                                              \
        1, z, y, x, 0, dtype, memory, NULL                                                         \
    }
#define WIDE(memory)  TENSOR(1, 4096, 1024, SYNTH_BF16, memory)
#define HEADS(memory) TENSOR(32, 512, 128, SYNTH_BF16, memory)

/* What a run has besides, and no rule has anything to say about. */
static const struct ttp_synth_plain rest = {
    .code = "ScaledDotProductAttentionDecode",
    .attributes = "{'is_causal': 'true'; 'k_chunk_size': '256'}",
    .compute_kernel = "transformer/sdpa_decode/device/kernels/compute/sdpa_flash_decode",
    .data_kernel = "transformer/sdpa_decode/device/kernels/dataflow/reader_decode_all",
    .in = {TENSOR(32, 32, 128, SYNTH_BF16, SYNTH_L1_HEIGHT),
           TENSOR(8, 32768, 128, SYNTH_BFP8, SYNTH_DRAM),
           TENSOR(8, 32768, 128, SYNTH_BFP8, SYNTH_DRAM)},
    .out = TENSOR(32, 32, 128, SYNTH_BF16, SYNTH_L1_HEIGHT),
    .cores = ALL_CORES,
};

/* ---- matmuls ---- */

/* A token's worth of rows: bound by the weights in DRAM. */
#define DECODE(in0_memory, weights_type, config, w, h, v, fidelity_is, efficiency)                 \
    {                                                                                              \
        .size = {1, 32, 4096, 4096}, .in0 = {SYNTH_BF16, in0_memory},                              \
        .weights = {weights_type,                                                                  \
                    (config) == CONFIG_DRAM_SHARDED ? SYNTH_DRAM_SHARDED : SYNTH_DRAM},            \
        .out = {SYNTH_BF16, SYNTH_L1_WIDTH}, .program = {config, w, h, v},                         \
        .fidelity = (fidelity_is), .efficiency_pct = (efficiency)                                  \
    }

static const struct ttp_synth_matmul
    weights_bf16 =
        DECODE(SYNTH_L1_WIDTH, SYNTH_BF16, CONFIG_DRAM_SHARDED, 8, 1, 1, TTP_FIDELITY_HIFI2, 86),
    weights_bfp8 =
        DECODE(SYNTH_L1_WIDTH, SYNTH_BFP8, CONFIG_DRAM_SHARDED, 8, 1, 1, TTP_FIDELITY_HIFI2, 86),
    weights_bfp8_lofi =
        DECODE(SYNTH_L1_WIDTH, SYNTH_BFP8, CONFIG_DRAM_SHARDED, 8, 1, 1, TTP_FIDELITY_LOFI, 86),
    weights_bfp4 =
        DECODE(SYNTH_L1_WIDTH, SYNTH_BFP4, CONFIG_DRAM_SHARDED, 8, 1, 1, TTP_FIDELITY_LOFI, 86),
    interleaved_weights =
        DECODE(SYNTH_L1_WIDTH, SYNTH_BFP8, CONFIG_1D, 8, 1, 4, TTP_FIDELITY_LOFI, 68),
    sharded_weights =
        DECODE(SYNTH_L1_WIDTH, SYNTH_BFP8, CONFIG_DRAM_SHARDED, 8, 1, 1, TTP_FIDELITY_LOFI, 84),
    from_dram = DECODE(SYNTH_DRAM, SYNTH_BFP8, CONFIG_1D, 8, 1, 4, TTP_FIDELITY_HIFI2, 30),
    from_l1 = DECODE(SYNTH_L1_WIDTH, SYNTH_BFP8, CONFIG_1D, 8, 1, 4, TTP_FIDELITY_HIFI2, 67),
    narrow_block = DECODE(SYNTH_L1_WIDTH, SYNTH_BFP8, CONFIG_1D, 1, 1, 4, TTP_FIDELITY_HIFI2, 34),
    small_subblock = DECODE(SYNTH_L1_WIDTH, SYNTH_BFP8, CONFIG_1D, 8, 1, 1, TTP_FIDELITY_HIFI2, 34);

/* Many rows: bound by the arithmetic. */
#define PREFILL(fidelity_is)                                                                       \
    {                                                                                              \
        .size = {1, 2048, 4096, 4096}, .in0 = {SYNTH_BF16, SYNTH_L1_BLOCK},                        \
        .weights = {SYNTH_BFP8, SYNTH_DRAM}, .out = {SYNTH_BF16, SYNTH_L1_BLOCK},                  \
        .program = {CONFIG_2D, 8, 2, 4}, .fidelity = (fidelity_is), .efficiency_pct = 76           \
    }
static const struct ttp_synth_matmul prefill_hifi4 = PREFILL(TTP_FIDELITY_HIFI4),
                                     prefill_hifi2 = PREFILL(TTP_FIDELITY_HIFI2);

#define ATTENTION_MATMUL(k_is, n_is)                                                               \
    {                                                                                              \
        .size = {32, 512, k_is, n_is}, .in0 = {SYNTH_BF16, SYNTH_L1},                              \
        .weights = {SYNTH_BF16, SYNTH_L1}, .out = {SYNTH_BF16, SYNTH_L1},                          \
        .program = {CONFIG_2D, 4, 2, 4}, .fidelity = TTP_FIDELITY_HIFI4, .efficiency_pct = 52      \
    }
static const struct ttp_synth_matmul scores = ATTENTION_MATMUL(128, 512),
                                     values = ATTENTION_MATMUL(512, 128);

/* ---- other ops ---- */

#define OP(op_code, in_is, out_is)                                                                 \
    {                                                                                              \
        .code = (op_code), .attributes = "{}", .compute_kernel = "eltwise/unary/compute/eltwise",  \
        .data_kernel = "eltwise/unary/dataflow/reader_unary", .in = {in_is},                       \
        .out = out_is, /* NOLINT(bugprone-macro-parentheses): an initialiser takes none */         \
            .cores = ALL_CORES                                                                     \
    }

static const struct ttp_synth_plain
    softmax = OP("SoftmaxDeviceOperation", TENSOR(32, 512, 512, SYNTH_BF16, SYNTH_L1),
                 TENSOR(32, 512, 512, SYNTH_BF16, SYNTH_L1)),
    attention = {
        .code = "ScaledDotProductAttention",
        .attributes = "{'is_causal': 'true'}",
        .compute_kernel = "transformer/sdpa/device/kernels/compute/sdpa",
        .data_kernel = "transformer/sdpa/device/kernels/dataflow/reader_interleaved",
        .in = {HEADS(SYNTH_L1), HEADS(SYNTH_L1), HEADS(SYNTH_L1)},
        .out = HEADS(SYNTH_L1),
        .cores = ALL_CORES,
};
static const struct ttp_synth_plain
    unary_dram = OP("UnaryDeviceOperation", WIDE(SYNTH_DRAM), WIDE(SYNTH_DRAM)),
    unary_l1 = OP("UnaryDeviceOperation", WIDE(SYNTH_L1_BLOCK), WIDE(SYNTH_L1_BLOCK)),
    other_l1 = OP("TopKDeviceOperation", WIDE(SYNTH_L1_BLOCK), WIDE(SYNTH_L1_BLOCK)),
    tilize = OP("TilizeDeviceOperation", WIDE(SYNTH_DRAM), WIDE(SYNTH_DRAM)),
    reshard = OP("InterleavedToShardedDeviceOperation", WIDE(SYNTH_DRAM), WIDE(SYNTH_L1_BLOCK)),
    batch_norm = OP("BatchNormOperation", WIDE(SYNTH_DRAM), WIDE(SYNTH_DRAM)),
    move = OP("MoveDeviceOperation", WIDE(SYNTH_DRAM), WIDE(SYNTH_L1_BLOCK)),
    own_kernel = OP("GenericOpDeviceOperation", WIDE(SYNTH_DRAM), WIDE(SYNTH_DRAM));

static const struct ttp_synth_plain few_cores = {
    .code = "UnaryDeviceOperation",
    .attributes = "{}",
    .compute_kernel = "eltwise/unary/compute/eltwise",
    .data_kernel = "eltwise/unary/dataflow/reader_unary",
    .in = {WIDE(SYNTH_L1_BLOCK)},
    .out = WIDE(SYNTH_L1_BLOCK),
    .cores = 8,
};

/* One row in each tile, and the same elements in whole tiles. */
#define ONE_ROW                                                                                    \
    {                                                                                              \
        1, 1, 32, 1 << 20, 1, SYNTH_BF16, SYNTH_L1_WIDTH, NULL                                     \
    }
#define WHOLE_TILES TENSOR(1, 32, 1 << 15, SYNTH_BF16, SYNTH_L1_WIDTH)
static const struct ttp_synth_plain padded = OP("UnaryDeviceOperation", ONE_ROW, ONE_ROW),
                                    filled = OP("UnaryDeviceOperation", WHOLE_TILES, WHOLE_TILES);

static const struct ttp_synth_plain conv = {
    .code = "Conv2dDeviceOperation",
    .attributes = "{'sliding_window_config': 'SlidingWindowConfig(window_hw=(1;1); stride_hw=(1;1))"
                  "'; 'output_channels': '256'}",
    .compute_kernel = "conv/conv2d/device/kernels/conv_bmm_tilize",
    .data_kernel = "conv/conv2d/device/kernels/reader_conv_activations",
    .in = {TENSOR(1, 16384, 1024, SYNTH_BFP8, SYNTH_L1_HEIGHT),
           TENSOR(1, 1024, 256, SYNTH_BFP8, SYNTH_DRAM)},
    .out = TENSOR(1, 16384, 256, SYNTH_BFP8, SYNTH_L1_HEIGHT),
    .cores = ALL_CORES,
};

#define COLLECTIVE(op_code, dtype, in_x, out_x)                                                    \
    {                                                                                              \
        .code = (op_code),                                                                         \
        .attributes = "{'dim': '3'; 'num_links': '1'; 'topology': 'Topology::Linear'}",            \
        .data_kernel = "experimental/ccl/dataflow/line_reader",                                    \
        .in = {TENSOR(1, 512, in_x, dtype, SYNTH_DRAM)},                                           \
        .out = TENSOR(1, 512, out_x, dtype, SYNTH_DRAM), .cores = 16, .device_spread = 20          \
    }
static const struct ttp_synth_plain
    gather = COLLECTIVE("AllGatherAsyncDeviceOperation", SYNTH_BFP8, 4096, 8192),
    scatter_bf16 = COLLECTIVE("ReduceScatterMinimalAsyncDeviceOperation", SYNTH_BF16, 8192, 4096),
    scatter_bfp8 = COLLECTIVE("ReduceScatterMinimalAsyncDeviceOperation", SYNTH_BFP8, 8192, 4096);

/* ---- the runs ---- */

#define REST                                                                                       \
    {                                                                                              \
        .plain = &rest                                                                             \
    }
#define STEPS(name, ...) static const struct ttp_synth_step name[] = {REST, __VA_ARGS__}
#define PART(name)                                                                                 \
    {                                                                                              \
        name, TTP_COUNT(name)                                                                      \
    }

static const struct ttp_synth_step only_rest[] = {REST};
STEPS(step_bf16, {.matmul = &weights_bf16});
STEPS(step_bfp8, {.matmul = &weights_bfp8});
STEPS(step_bfp8_lofi, {.matmul = &weights_bfp8_lofi});
STEPS(step_bfp4, {.matmul = &weights_bfp4});
STEPS(step_interleaved, {.matmul = &interleaved_weights});
STEPS(step_dram_sharded, {.matmul = &sharded_weights});
STEPS(step_from_dram, {.matmul = &from_dram});
STEPS(step_from_l1, {.matmul = &from_l1});
STEPS(step_narrow, {.matmul = &narrow_block});
STEPS(step_subblock, {.matmul = &small_subblock});
STEPS(step_hifi4, {.matmul = &prefill_hifi4});
STEPS(step_hifi2, {.matmul = &prefill_hifi2});
STEPS(step_by_hand, {.matmul = &scores}, {.plain = &softmax}, {.matmul = &values});
STEPS(step_attention, {.plain = &attention});
STEPS(step_chain, {.plain = &unary_dram}, {.plain = &unary_dram}, {.plain = &unary_dram});
STEPS(step_unary_dram, {.plain = &unary_dram});
STEPS(step_unary_l1, {.plain = &unary_l1});
STEPS(step_tilize, {.plain = &tilize});
STEPS(step_reshard, {.plain = &reshard});
STEPS(step_batch_norm, {.plain = &batch_norm});
STEPS(step_move, {.plain = &move});
STEPS(step_few_cores, {.plain = &few_cores});
STEPS(step_uneven, {.plain = &unary_l1, .time_pct = 400, .uneven = true});
STEPS(step_crowded, {.plain = &other_l1, .time_pct = 200, .crowded = true});
STEPS(step_spread, {.plain = &other_l1});
STEPS(step_padded, {.plain = &padded});
STEPS(step_filled, {.plain = &filled});
STEPS(step_slow_conv, {.plain = &conv, .time_pct = 225});
STEPS(step_conv, {.plain = &conv, .time_pct = 65});
STEPS(step_one_link, {.plain = &gather, .among_devices = true, .time_pct = 900});
STEPS(step_links, {.plain = &gather, .among_devices = true, .time_pct = 55});
STEPS(step_scatter_bf16, {.plain = &scatter_bf16, .among_devices = true});
STEPS(step_scatter_bfp8, {.plain = &scatter_bfp8, .among_devices = true});
STEPS(step_two_kernels, {.plain = &own_kernel}, {.plain = &own_kernel});
STEPS(step_one_kernel, {.plain = &own_kernel});
STEPS(step_several, {.plain = &unary_l1}, {.plain = &other_l1}, {.plain = &unary_l1},
      {.plain = &other_l1}, {.plain = &unary_l1}, {.plain = &other_l1});

#define PLANT(rule, problem_steps, mended_steps)                                                   \
    {                                                                                              \
        rule,                                                                                      \
        {                                                                                          \
            1, {.part = PART(problem_steps)},                                                      \
            {                                                                                      \
                .part = PART(mended_steps)                                                         \
            }                                                                                      \
        }                                                                                          \
    }

static const struct {
    const char *rule;
    struct ttp_synth_planting is;
} plantings[] = {
    PLANT("lower-fidelity", step_hifi4, step_hifi2),
    PLANT("weights-bfp8", step_bf16, step_bfp8),
    PLANT("weights-bfp4", step_bfp8_lofi, step_bfp4),
    PLANT("layout-conversions", step_tilize, only_rest),
    PLANT("padding", step_padded, step_filled),
    {"host-ops",
     {1,
      {.part = PART(step_unary_l1), .host_op = "(torch) aten::argmax"},
      {.part = PART(step_unary_l1)}}},
    PLANT("reshards", step_reshard, only_rest),
    PLANT("input-sharding", step_from_dram, step_from_l1),
    PLANT("few-cores", step_few_cores, step_unary_l1),
    PLANT("imbalance", step_uneven, step_unary_l1),
    PLANT("dram-sharding", step_interleaved, step_dram_sharded),
    PLANT("block-width", step_narrow, step_from_l1),
    PLANT("subblock", step_subblock, step_from_l1),
    {"noc-traffic",
     {1, {.part = PART(step_crowded), .noc = true}, {.part = PART(step_spread), .noc = true}}},
    PLANT("attention", step_by_hand, step_attention),
    PLANT("fusion", step_chain, step_unary_dram),
    PLANT("placement", step_unary_dram, step_unary_l1),
    {"trace",
     {1,
      {.part = PART(step_several), .gap_ns = 80000},
      {.part = PART(step_several), .replays = 1, .replay_gap_ns = 5000}}},
    {"warm-up", {1, {.part = PART(step_several), .cold = true}, {.part = PART(step_several)}}},
    {"two-queues",
     {1,
      {.part = PART(step_several), .replays = 4, .replay_gap_ns = 90000},
      {.part = PART(step_several), .replays = 4, .replay_gap_ns = 5000}}},
    PLANT("conv-config", step_slow_conv, step_conv),
    PLANT("batch-norm", step_batch_norm, only_rest),
    PLANT("conv-moves", step_move, only_rest),
    {"collective-links", {2, {.part = PART(step_one_link)}, {.part = PART(step_links)}}},
    {"collective-payload",
     {2, {.part = PART(step_scatter_bf16)}, {.part = PART(step_scatter_bfp8)}}},
    {"kernel-cores",
     {1, {.kernel_part = 4, .kernel_blocks = 12}, {.kernel_part = 1, .kernel_blocks = 3}}},
    PLANT("kernel-traffic", step_two_kernels, step_one_kernel),
    {"kernel-blocks",
     {1,
      {.kernel_part = 1, .kernel_blocks = 12, .bottleneck = TTP_SYNTH_READER},
      {.kernel_part = 1, .kernel_blocks = 12}}},
};

const char *ttp_synth_plant_name(size_t i)
{
    return i < TTP_COUNT(plantings) ? plantings[i].rule : NULL;
}

const struct ttp_synth_planting *ttp_synth_find_planting(const char *rule)
{
    for (size_t i = 0; i < TTP_COUNT(plantings); i++)
        if (strcmp(plantings[i].rule, rule) == 0)
            return &plantings[i].is;
    return NULL;
}
