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
        DECODE(SYNTH_L1_WIDTH, SYNTH_BFP8, CONFIG_DRAM_SHARDED, 8, 1, 1, TTP_FIDELITY_HIFI2, 80),
    weights_bfp8_lofi =
        DECODE(SYNTH_L1_WIDTH, SYNTH_BFP8, CONFIG_DRAM_SHARDED, 8, 1, 1, TTP_FIDELITY_LOFI, 86),
    weights_bfp4 =
        DECODE(SYNTH_L1_WIDTH, SYNTH_BFP4, CONFIG_DRAM_SHARDED, 8, 1, 1, TTP_FIDELITY_LOFI, 80),
    /* with the exponents, which these shares leave out, 68 and 84 % of the DRAM peak */
    interleaved_weights =
        DECODE(SYNTH_L1_WIDTH, SYNTH_BFP8, CONFIG_1D, 8, 1, 4, TTP_FIDELITY_LOFI, 64),
    sharded_weights =
        DECODE(SYNTH_L1_WIDTH, SYNTH_BFP8, CONFIG_DRAM_SHARDED, 8, 1, 1, TTP_FIDELITY_LOFI, 79),
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
    unary_spilled = OP("UnaryDeviceOperation", WIDE(SYNTH_L1_BLOCK), WIDE(SYNTH_DRAM)),
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
        1, 32, 32, 1 << 15, 1, SYNTH_BF16, SYNTH_L1_WIDTH, NULL                                    \
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

/* ---- ops as tuned models had them before and after a change ---- */

#define MATMUL_OP(op_code, config, in0, in1, out_is)                                               \
    {                                                                                              \
        .code = (op_code),                                                                         \
        .attributes = "{'compute_kernel_config': 'ComputeKernelConfig(math_fidelity=LoFi;"         \
                      "math_approx_mode=0;fp32_dest_acc_en=0;packer_l1_acc=1)'; 'program_config'"  \
                      ": '" config "'; 'transpose_b': 'false'}",                                   \
        .compute_kernel = "matmul/device/kernels/compute/bmm_large_block_zm",                      \
        .data_kernel = "matmul/device/kernels/dataflow/reader_bmm_tile_layout_in0_sender_padding", \
        .in = {in0, in1}, .out = out_is, /* NOLINT(bugprone-macro-parentheses): an initialiser */  \
            .cores = 64                                                                            \
    }
#define ONE_D(block, subblock, per_core, fused)                                                    \
    "MatmulMultiCoreReuseMultiCast1DProgramConfig(compute_with_storage_grid_size=8-8;in0_block_"   \
    "w=" block ";out_subblock_h=1;out_subblock_w=" subblock ";out_block_h=1;out_block_w=" per_core \
    ";per_core_M=1;per_core_N=" per_core ";fuse_batch=" fused                                      \
    ";fused_activation=std::nullopt;mcast_in0=1;gather_in0=0;hop_cores={};"                        \
    "num_global_cb_receivers=1;untilize_out=0)"
#define TWO_D(block, h, v)                                                                         \
    "MatmulMultiCoreReuseMultiCastProgramConfig(compute_with_storage_grid_size=8-8;in0_block_"     \
    "w=" block ";out_subblock_h=" h ";out_subblock_w=" v                                           \
    ";out_block_h=8;out_block_w=16;per_core_M=8;"                                                  \
    "per_core_N=16;transpose_mcast=0;fused_activation=std::nullopt;fuse_batch=1)"
#define BANKED(block, per_core)                                                                    \
    "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=" block                     \
    ";per_core_M=1;per_core_N=" per_core ";fused_activation=std::nullopt)"
#define ONE_OF_32(z, x, memory)                                                                    \
    {                                                                                              \
        1, z, 32, x, 1, SYNTH_BF16, memory, NULL                                                   \
    }
#define ROWS(y, x, memory) TENSOR(1, y, x, SYNTH_BF16, memory)

static const struct ttp_synth_plain
    unfolded =
        MATMUL_OP("MatmulDeviceOperation", ONE_D("2", "2", "2", "0"),
                  ONE_OF_32(32, 4096, SYNTH_DRAM), TENSOR(1, 4096, 4096, SYNTH_BFP8, SYNTH_DRAM),
                  ONE_OF_32(32, 4096, SYNTH_DRAM)),
    folded =
        MATMUL_OP("MatmulDeviceOperation", ONE_D("2", "2", "2", "1"), ROWS(32, 4096, SYNTH_DRAM),
                  TENSOR(1, 4096, 4096, SYNTH_BFP8, SYNTH_DRAM), ROWS(32, 4096, SYNTH_DRAM)),
    dense = MATMUL_OP(
        "MatmulDeviceOperation", ONE_D("2", "1", "1", "0"), ONE_OF_32(128, 2048, SYNTH_DRAM),
        TENSOR(128, 2048, 768, SYNTH_BFP8, SYNTH_DRAM), ONE_OF_32(128, 768, SYNTH_DRAM)),
    sparse = MATMUL_OP(
        "SparseMatmulDeviceOperation", ONE_D("2", "1", "1", "0"), ONE_OF_32(1, 2048, SYNTH_DRAM),
        TENSOR(128, 2048, 768, SYNTH_BFP8, SYNTH_DRAM), ONE_OF_32(128, 768, SYNTH_DRAM)),
    one_tile_steps =
        MATMUL_OP("MatmulDeviceOperation", ONE_D("1", "1", "2", "1"), ROWS(32, 4096, SYNTH_L1),
                  TENSOR(1, 4096, 4096, SYNTH_BFP4, SYNTH_DRAM), ROWS(32, 4096, SYNTH_L1)),
    wide_steps =
        MATMUL_OP("MatmulDeviceOperation", ONE_D("8", "2", "2", "1"), ROWS(32, 4096, SYNTH_L1),
                  TENSOR(1, 4096, 4096, SYNTH_BFP4, SYNTH_DRAM), ROWS(32, 4096, SYNTH_L1)),
    prefill_2d =
        MATMUL_OP("MatmulDeviceOperation", TWO_D("1", "1", "1"), ROWS(2048, 4096, SYNTH_DRAM),
                  TENSOR(1, 4096, 4096, SYNTH_BF16, SYNTH_DRAM), ROWS(2048, 4096, SYNTH_DRAM)),
    prefill_minimal =
        MATMUL_OP("MinimalMatmulDeviceOperation", "std::nullopt'; 'config': 'std::nullopt",
                  ROWS(2048, 4096, SYNTH_DRAM), TENSOR(1, 4096, 4096, SYNTH_BF16, SYNTH_DRAM),
                  ROWS(2048, 4096, SYNTH_DRAM)),
    gate = MATMUL_OP("MatmulDeviceOperation", BANKED("4", "8"), ROWS(32, 512, SYNTH_L1_WIDTH),
                     TENSOR(1, 512, 1024, SYNTH_BFP4, SYNTH_DRAM_SHARDED),
                     ROWS(32, 1024, SYNTH_L1_WIDTH)),
    gate_and_up = MATMUL_OP(
        "MatmulDeviceOperation", BANKED("4", "16"), ROWS(32, 512, SYNTH_L1_WIDTH),
        TENSOR(1, 512, 2048, SYNTH_BFP4, SYNTH_DRAM_SHARDED), ROWS(32, 2048, SYNTH_L1_WIDTH)),
    then_scattered =
        MATMUL_OP("MatmulDeviceOperation", TWO_D("4", "1", "8"), ROWS(2048, 4096, SYNTH_DRAM),
                  TENSOR(1, 4096, 4096, SYNTH_BFP8, SYNTH_DRAM), ROWS(2048, 4096, SYNTH_DRAM));

#define OTHER_OP(op_code, attributes_are, cores_are, in0, in1, out_is)                             \
    {                                                                                              \
        .code = (op_code), .attributes = (attributes_are),                                         \
        .compute_kernel = "eltwise/unary/compute/eltwise",                                         \
        .data_kernel = "eltwise/unary/dataflow/reader_unary", .in = {in0, in1},                    \
        .out = out_is, /* NOLINT(bugprone-macro-parentheses): an initialiser takes none */         \
            .cores = (cores_are)                                                                   \
    }
#define SHARDS(width)                                                                              \
    "{'memory_config': 'MemoryConfig(memory_layout=TensorMemoryLayout::WIDTH_SHARDED;"             \
    "shard_spec=ShardSpec{shape=[32; " width "]})'}"
#define CHUNKS           "{'program_config': 'SDPAProgramConfig(q_chunk_size=256;k_chunk_size=256)'}"
#define LONG_CACHE(type) TENSOR(8, 65536, 128, type, SYNTH_DRAM)
#define QUERY            TENSOR(32, 32, 128, SYNTH_BF16, SYNTH_L1_HEIGHT)
static const struct ttp_synth_plain
    router = OTHER_OP("TopKDeviceOperation", "{}", ALL_CORES, ROWS(32, 1024, SYNTH_DRAM),
                      ROWS(32, 1024, SYNTH_DRAM), ROWS(32, 32, SYNTH_DRAM)),
    norm_on_one = OTHER_OP("LayerNormDeviceOperation", "{}", 1, ROWS(32, 4096, SYNTH_DRAM),
                           ROWS(32, 4096, SYNTH_DRAM), ROWS(32, 4096, SYNTH_DRAM)),
    norm_on_32 = OTHER_OP("LayerNormDeviceOperation", "{}", 32, ROWS(32, 4096, SYNTH_L1_WIDTH),
                          ROWS(32, 4096, SYNTH_DRAM), ROWS(32, 4096, SYNTH_L1_WIDTH)),
    on_8_shards = OTHER_OP("BinaryNgDeviceOperation", SHARDS("448"), ALL_CORES,
                           ROWS(32, 3584, SYNTH_L1_WIDTH), ROWS(32, 3584, SYNTH_L1_WIDTH),
                           ROWS(32, 3584, SYNTH_L1_WIDTH)),
    on_56_shards =
        OTHER_OP("BinaryNgDeviceOperation", SHARDS("64"), ALL_CORES, ROWS(32, 3584, SYNTH_L1_WIDTH),
                 ROWS(32, 3584, SYNTH_L1_WIDTH), ROWS(32, 3584, SYNTH_L1_WIDTH)),
    default_chunks = OTHER_OP("SDPAOperation", "{'program_config': 'std::nullopt'}", ALL_CORES,
                              HEADS(SYNTH_DRAM), HEADS(SYNTH_DRAM), HEADS(SYNTH_DRAM)),
    large_chunks = OTHER_OP("SDPAOperation", CHUNKS, ALL_CORES, HEADS(SYNTH_DRAM),
                            HEADS(SYNTH_DRAM), HEADS(SYNTH_DRAM)),
    cache_bf16 = OTHER_OP("SdpaDecodeDeviceOperation", CHUNKS, ALL_CORES, QUERY,
                          LONG_CACHE(SYNTH_BF16), QUERY),
    cache_bfp8 = OTHER_OP("SdpaDecodeDeviceOperation", CHUNKS, ALL_CORES, QUERY,
                          LONG_CACHE(SYNTH_BFP8), QUERY),
    whole_norm = OTHER_OP("LayerNormDeviceOperation", "{}", ALL_CORES, ROWS(2048, 8192, SYNTH_DRAM),
                          ROWS(32, 8192, SYNTH_DRAM), ROWS(2048, 8192, SYNTH_DRAM)),
    part_norm = OTHER_OP("LayerNormPostAllGatherDeviceOperation", "{}", ALL_CORES,
                         ROWS(2048, 4096, SYNTH_DRAM), ROWS(32, 4096, SYNTH_DRAM),
                         ROWS(2048, 4096, SYNTH_DRAM));

#define AMONG(op_code, in_is, out_is)                                                              \
    {                                                                                              \
        .code = (op_code), .attributes = "{'dim': '3'; 'num_links': '1'}",                         \
        .data_kernel = "experimental/ccl/dataflow/line_reader", .in = {in_is},                     \
        .out = out_is, /* NOLINT(bugprone-macro-parentheses): an initialiser takes none */         \
            .cores = 16                                                                            \
    }
static const struct ttp_synth_plain
    small_scatter = AMONG("ReduceScatterMinimalAsyncDeviceOperation", ROWS(32, 4096, SYNTH_L1),
                          ROWS(32, 2048, SYNTH_L1)),
    small_gather =
        AMONG("AllGatherAsyncDeviceOperation", ROWS(32, 2048, SYNTH_L1), ROWS(32, 4096, SYNTH_L1)),
    small_reduce =
        AMONG("AllReduceAsyncDeviceOperation", ROWS(32, 4096, SYNTH_L1), ROWS(32, 4096, SYNTH_L1)),
    plain_scatter =
        AMONG("ReduceScatterDeviceOperation", TENSOR(1, 2048, 4096, SYNTH_BFP8, SYNTH_DRAM),
              TENSOR(1, 2048, 2048, SYNTH_BFP8, SYNTH_DRAM)),
    async_scatter = AMONG("ReduceScatterMinimalAsyncDeviceOperation",
                          TENSOR(1, 2048, 4096, SYNTH_BFP8, SYNTH_DRAM),
                          TENSOR(1, 2048, 2048, SYNTH_BFP8, SYNTH_DRAM)),
    large_gather = AMONG("AllGatherAsyncDeviceOperation", ROWS(2048, 4096, SYNTH_DRAM),
                         ROWS(2048, 8192, SYNTH_DRAM)),
    fused_scatter = AMONG("MatmulReduceScatterAsyncDeviceOperation", ROWS(2048, 4096, SYNTH_DRAM),
                          ROWS(2048, 2048, SYNTH_DRAM));

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
STEPS(step_spilled, {.plain = &unary_spilled});
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

STEPS(step_unfolded, {.plain = &unfolded, .ns = 2600000});
STEPS(step_folded, {.plain = &folded, .ns = 82000});
STEPS(step_dense, {.plain = &router}, {.plain = &dense, .ns = 3000000});
STEPS(step_sparse, {.plain = &router}, {.plain = &sparse, .ns = 125000});
STEPS(step_one_tile, {.plain = &one_tile_steps, .ns = 150000});
STEPS(step_wide, {.plain = &wide_steps, .ns = 45000});
STEPS(step_prefill_2d, {.plain = &prefill_2d, .ns = 4000000});
STEPS(step_minimal, {.plain = &prefill_minimal, .ns = 1500000});
STEPS(step_gate_up, {.plain = &gate, .ns = 20000}, {.plain = &gate, .ns = 20000});
STEPS(step_packed, {.plain = &gate_and_up, .ns = 27000});
STEPS(step_norm, {.plain = &norm_on_one, .ns = 100000});
STEPS(step_sharded_norm, {.plain = &norm_on_32, .ns = 10000});
STEPS(step_8_shards, {.plain = &on_8_shards, .ns = 51000});
STEPS(step_56_shards, {.plain = &on_56_shards, .ns = 8000});
STEPS(step_default_chunks, {.plain = &default_chunks, .ns = 1000000});
STEPS(step_chunks, {.plain = &large_chunks, .ns = 630000});
STEPS(step_cache_bf16, {.plain = &cache_bf16, .ns = 500000});
STEPS(step_cache_bfp8, {.plain = &cache_bfp8, .ns = 270000});
STEPS(step_scatter_gather, {.plain = &small_scatter, .among_devices = true, .ns = 46000},
      {.plain = &small_gather, .among_devices = true, .ns = 29000});
STEPS(step_all_reduce, {.plain = &small_reduce, .among_devices = true, .ns = 29000});
STEPS(step_plain_scatter, {.plain = &plain_scatter, .among_devices = true, .ns = 1000000});
STEPS(step_async_scatter, {.plain = &async_scatter, .among_devices = true, .ns = 800000});
STEPS(step_gather_norm, {.plain = &large_gather, .among_devices = true, .ns = 1500000},
      {.plain = &whole_norm, .ns = 800000});
STEPS(step_norm_gather, {.plain = &part_norm, .ns = 400000},
      {.plain = &large_gather, .among_devices = true, .ns = 1500000});
STEPS(step_then_scattered, {.plain = &then_scattered, .ns = 1000000},
      {.plain = &async_scatter, .among_devices = true, .ns = 800000});
STEPS(step_fused, {.plain = &fused_scatter, .among_devices = true, .ns = 1560000});

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
    {"stale-l1",
     {1,
      {.part = PART(step_spilled), .capture = true, .stale = true},
      {.part = PART(step_unary_l1), .capture = true}}},
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
    PLANT("fold-batch", step_unfolded, step_folded),
    PLANT("sparse-experts", step_dense, step_sparse),
    PLANT("matmul-config", step_one_tile, step_wide),
    PLANT("minimal-matmul", step_prefill_2d, step_minimal),
    PLANT("pack-weights", step_gate_up, step_packed),
    PLANT("sharded-norm", step_norm, step_sharded_norm),
    PLANT("shard-grid", step_8_shards, step_56_shards),
    PLANT("sdpa-config", step_default_chunks, step_chunks),
    PLANT("kv-bfp8", step_cache_bf16, step_cache_bfp8),
    {"all-reduce", {2, {.part = PART(step_scatter_gather)}, {.part = PART(step_all_reduce)}}},
    {"collective-config",
     {2, {.part = PART(step_plain_scatter)}, {.part = PART(step_async_scatter)}}},
    {"fractured-norm", {2, {.part = PART(step_gather_norm)}, {.part = PART(step_norm_gather)}}},
    {"fused-matmul-rs", {2, {.part = PART(step_then_scattered)}, {.part = PART(step_fused)}}},
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
    return i < TTP_COUNT(plantings) ? plantings[i].rule
                                    : ttp_synth_mesh_plant_name(i - TTP_COUNT(plantings));
}

const struct ttp_synth_planting *ttp_synth_find_planting(const char *rule)
{
    for (size_t i = 0; i < TTP_COUNT(plantings); i++)
        if (strcmp(plantings[i].rule, rule) == 0)
            return &plantings[i].is;
    return NULL;
}
