/* SPDX-License-Identifier: Apache-2.0 */
/* Width 4096, 32 heads of 128 of which 8 for keys and values, inner width 14336, 32 users,
 * vocabulary 128256 in four pieces. Sizes of tensors are W, Z, Y, X and, where it differs, the
 * logical Y.
 *
 * A prompt has 512 tokens. Efficiencies are chosen, not measured: over 65 % of a peak a report
 * calls the op bound by it, below that slow (tt-perf-report's limit). */
#include "synth/workload.h"

static const struct ttp_synth_matmul decode_qkv = {
    .size = {1, 32, 4096, 6144},
    .in0 = {SYNTH_BF16, SYNTH_L1_WIDTH},
    .weights = {SYNTH_BFP8, SYNTH_DRAM_SHARDED},
    .out = {SYNTH_BF16, SYNTH_L1_WIDTH},
    .program = {CONFIG_DRAM_SHARDED, 8, 1, 1},
    .fidelity = TTP_FIDELITY_HIFI2,
    .efficiency_pct = 86,
    .split = SPLIT_N,
};

static const struct ttp_synth_matmul decode_wo = {
    .size = {1, 32, 4096, 4096},
    .in0 = {SYNTH_BFP8, SYNTH_L1},
    .weights = {SYNTH_BFP8, SYNTH_DRAM},
    .out = {SYNTH_BF16, SYNTH_L1},
    .program = {CONFIG_1D, 4, 1, 2},
    .fidelity = TTP_FIDELITY_HIFI2,
    .cores = 32,
    .efficiency_pct = 58,
    .split = SPLIT_K,
};

static const struct ttp_synth_matmul decode_wo_plain = {
    .size = {1, 32, 4096, 4096},
    .in0 = {SYNTH_BF16, SYNTH_DRAM},
    .weights = {SYNTH_BFP8, SYNTH_DRAM},
    .out = {SYNTH_BF16, SYNTH_DRAM},
    .fidelity = TTP_FIDELITY_HIFI4,
    .efficiency_pct = 34,
    .split = SPLIT_K,
};

static const struct ttp_synth_matmul decode_ff1 = {
    .size = {1, 32, 4096, 14336},
    .in0 = {SYNTH_BF16, SYNTH_L1_WIDTH},
    .weights = {SYNTH_BFP4, SYNTH_DRAM_SHARDED},
    .out = {SYNTH_BFP8, SYNTH_L1_WIDTH},
    .program = {CONFIG_DRAM_SHARDED, 4, 1, 4},
    .fidelity = TTP_FIDELITY_LOFI,
    .efficiency_pct = 88,
    .split = SPLIT_N,
};

static const struct ttp_synth_matmul decode_ff3 = {
    .size = {1, 32, 4096, 14336},
    .in0 = {SYNTH_BF16, SYNTH_L1_WIDTH},
    .weights = {SYNTH_BFP8, SYNTH_DRAM},
    .out = {SYNTH_BFP8, SYNTH_L1_WIDTH},
    .program = {CONFIG_1D, 2, 1, 4},
    .fidelity = TTP_FIDELITY_HIFI2,
    .efficiency_pct = 74,
    .split = SPLIT_N,
};

static const struct ttp_synth_matmul decode_ff3_small = {
    .size = {1, 32, 4096, 14336},
    .in0 = {SYNTH_BF16, SYNTH_DRAM},
    .weights = {SYNTH_BFP8, SYNTH_DRAM},
    .out = {SYNTH_BFP8, SYNTH_DRAM},
    .program = {CONFIG_1D, 1, 1, 1},
    .fidelity = TTP_FIDELITY_HIFI2,
    .cores = 56,
    .efficiency_pct = 47,
    .split = SPLIT_N,
};

static const struct ttp_synth_matmul decode_ff2 = {
    .size = {1, 32, 14336, 4096},
    .in0 = {SYNTH_BFP8, SYNTH_L1_WIDTH},
    .weights = {SYNTH_BFP8, SYNTH_DRAM_SHARDED},
    .out = {SYNTH_BF16, SYNTH_L1_WIDTH},
    .program = {CONFIG_DRAM_SHARDED, 14, 1, 1},
    .fidelity = TTP_FIDELITY_HIFI2,
    .efficiency_pct = 83,
    .split = SPLIT_K,
};

static const struct ttp_synth_matmul prefill_qkv = {
    .size = {1, 512, 4096, 6144},
    .in0 = {SYNTH_BF16, SYNTH_DRAM},
    .weights = {SYNTH_BFP8, SYNTH_DRAM},
    .out = {SYNTH_BF16, SYNTH_DRAM},
    .program = {CONFIG_2D, 4, 2, 4},
    .fidelity = TTP_FIDELITY_HIFI2,
    .efficiency_pct = 71,
    .split = SPLIT_N,
};

static const struct ttp_synth_matmul prefill_scores = {
    .size = {32, 512, 128, 512},
    .in0 = {SYNTH_BF16, SYNTH_L1},
    .weights = {SYNTH_BF16, SYNTH_L1},
    .out = {SYNTH_BF16, SYNTH_L1},
    .program = {CONFIG_2D, 4, 4, 2},
    .fidelity = TTP_FIDELITY_HIFI4,
    .efficiency_pct = 52,
};

static const struct ttp_synth_matmul prefill_wo = {
    .size = {1, 512, 4096, 4096},
    .in0 = {SYNTH_BF16, SYNTH_DRAM},
    .weights = {SYNTH_BFP8, SYNTH_DRAM},
    .out = {SYNTH_BF16, SYNTH_DRAM},
    .program = {CONFIG_2D, 1, 1, 1},
    .fidelity = TTP_FIDELITY_HIFI4,
    .efficiency_pct = 44,
    .split = SPLIT_K,
};

static const struct ttp_synth_matmul prefill_ff1 = {
    .size = {1, 512, 4096, 14336},
    .in0 = {SYNTH_BFP8, SYNTH_DRAM},
    .weights = {SYNTH_BFP4, SYNTH_DRAM},
    .out = {SYNTH_BFP8, SYNTH_DRAM},
    .program = {CONFIG_2D, 8, 2, 4},
    .fidelity = TTP_FIDELITY_LOFI,
    .efficiency_pct = 68,
    .split = SPLIT_N,
};

static const struct ttp_synth_matmul prefill_ff2 = {
    .size = {1, 512, 14336, 4096},
    .in0 = {SYNTH_BFP8, SYNTH_DRAM},
    .weights = {SYNTH_BFP8, SYNTH_DRAM},
    .out = {SYNTH_BF16, SYNTH_DRAM},
    .program = {CONFIG_2D, 8, 2, 2},
    .fidelity = TTP_FIDELITY_HIFI2,
    .cores = 56,
    .efficiency_pct = 79,
    .split = SPLIT_K,
};

static const struct ttp_synth_matmul lm_head = {
    .size = {1, 32, 4096, 32064},
    .in0 = {SYNTH_BF16, SYNTH_L1_WIDTH},
    .weights = {SYNTH_BFP8, SYNTH_DRAM},
    .out = {SYNTH_BFP8, SYNTH_DRAM},
    .program = {CONFIG_1D, 2, 1, 4},
    .fidelity = TTP_FIDELITY_HIFI2,
    .cores = 48,
    .efficiency_pct = 78,
    .split = SPLIT_N,
};

/* W is 1, nothing is cut off. */
#define TILE(z, y, x, dtype, memory)                                                               \
    {                                                                                              \
        1, z, y, x, 0, dtype, memory, NULL                                                         \
    }
#define PLAIN(y, x, dtype, memory)                                                                 \
    {                                                                                              \
        1, 1, y, x, 0, dtype, memory, "ROW_MAJOR"                                                  \
    }
#define PADDED(z, y, x, logical_y, dtype, memory)                                                  \
    {                                                                                              \
        1, z, y, x, logical_y, dtype, memory, NULL                                                 \
    }
#define CACHE                                                                                      \
    {                                                                                              \
        1024, 8, 32, 128, 0, SYNTH_BFP8, SYNTH_DRAM, NULL                                          \
    }
#define ROW_32  TILE(1, 32, 4096, SYNTH_BF16, SYNTH_L1_WIDTH)
#define ROW_ALL TILE(1, 512, 4096, SYNTH_BF16, SYNTH_DRAM)
#define HEADS   TILE(32, 32, 128, SYNTH_BF16, SYNTH_L1_HEIGHT)
#define KV      PADDED(32, 32, 128, 8, SYNTH_BF16, SYNTH_L1_HEIGHT)
#define ANGLES  PADDED(32, 32, 128, 1, SYNTH_BF16, SYNTH_L1_HEIGHT)
#define NORM_W  PLAIN(128, 32, SYNTH_BF16, SYNTH_DRAM)

static const struct ttp_synth_plain embedding = {
    .code = "EmbeddingsDeviceOperation",
    .attributes = "{'embeddings_type': 'EmbeddingsType::GENERIC'; 'tilized': 'true'}",
    .data_kernel = "embedding/device/kernels/dataflow/embeddings",
    .in = {PLAIN(1, 32, SYNTH_UINT32, SYNTH_DRAM), PLAIN(128256, 4096, SYNTH_BF16, SYNTH_DRAM)},
    .out = ROW_32,
    .cores = 32,
    .ns = 11800,
};

static const struct ttp_synth_plain norm = {
    .code = "LayerNormDeviceOperation",
    .attributes = "{'eps': '1e-05'; 'norm_type': 'LayerNormType::RMSNORM'; 'program_config': "
                  "'LayerNormShardedMultiCoreProgramConfig(block_h=1;block_w=4;inplace=0)'}",
    .compute_kernel = "normalization/layernorm/device/kernels/compute/layernorm_sharded",
    .data_kernel = "normalization/layernorm/device/kernels/dataflow/reader_mcast_sender",
    .in = {ROW_32, NORM_W},
    .out = ROW_32,
    .cores = 32,
    .ns = 7600,
};

static const struct ttp_synth_plain prefill_norm = {
    .code = "LayerNormDeviceOperation",
    .attributes = "{'eps': '1e-05'; 'norm_type': 'LayerNormType::RMSNORM'; 'program_config': "
                  "'LayerNormDefaultProgramConfig()'}",
    .compute_kernel = "normalization/layernorm/device/kernels/compute/layernorm",
    .data_kernel = "normalization/layernorm/device/kernels/dataflow/reader_unary_interleaved_ln",
    .in = {ROW_ALL, NORM_W},
    .out = ROW_ALL,
    .cores = 64,
    .ns = 39000,
};

static const struct ttp_synth_plain to_interleaved = {
    .code = "ShardedToInterleavedDeviceOperation",
    .attributes = "{'num_slices': '1'; 'slice_index': '0'}",
    .data_kernel = "data_movement/sharded/device/kernels/dataflow/writer_unary_sharded",
    .in = {TILE(1, 32, 6144, SYNTH_BF16, SYNTH_L1_WIDTH)},
    .out = TILE(1, 32, 6144, SYNTH_BF16, SYNTH_L1),
    .cores = 48,
    .ns = 2300,
};

static const struct ttp_synth_plain create_heads_decode = {
    .code = "NLPCreateQKVHeadsDecodeDeviceOperation",
    .attributes = "{'head_dim': '128'; 'num_kv_heads': '8'; 'num_q_heads': '32'}",
    .data_kernel = "experimental/transformer/nlp_create_qkv_heads_decode/device/kernels/reader_tm",
    .in = {TILE(1, 32, 6144, SYNTH_BF16, SYNTH_L1)},
    .out = HEADS,
    .cores = 32,
    .ns = 4900,
};

static const struct ttp_synth_plain create_heads = {
    .code = "NlpCreateHeadsDeviceOperation",
    .attributes = "{'head_dim': '128'; 'num_kv_heads': '8'; 'num_q_heads': '32'; "
                  "'transpose_k_heads': 'false'}",
    .data_kernel = "experimental/transformer/nlp_create_qkv_heads/device/kernels/reader_tm",
    .in = {TILE(1, 512, 6144, SYNTH_BF16, SYNTH_DRAM)},
    .out = TILE(32, 512, 128, SYNTH_BF16, SYNTH_DRAM),
    .cores = 64,
    .ns = 36500,
};

static const struct ttp_synth_plain rotary_q = {
    .code = "RotaryEmbeddingLlamaDeviceOperation",
    .attributes = "{'is_decode_mode': 'true'}",
    .compute_kernel =
        "experimental/transformer/rotary_embedding_llama/device/kernels/compute/rotary_sharded",
    .in = {HEADS, ANGLES, ANGLES},
    .out = HEADS,
    .cores = 32,
    .ns = 4100,
};

static const struct ttp_synth_plain rotary_k = {
    .code = "RotaryEmbeddingLlamaDeviceOperation",
    .attributes = "{'is_decode_mode': 'true'}",
    .compute_kernel =
        "experimental/transformer/rotary_embedding_llama/device/kernels/compute/rotary_sharded",
    .in = {KV, ANGLES, ANGLES},
    .out = KV,
    .cores = 32,
    .ns = 3950,
};

static const struct ttp_synth_plain update_cache = {
    .code = "PagedUpdateCacheDeviceOperation",
    .attributes = "{'batch_offset': '0'; 'share_cache': 'false'}",
    .compute_kernel = "experimental/paged_cache/device/kernels/compute/update_cache",
    .data_kernel = "experimental/paged_cache/device/kernels/dataflow/reader_update",
    .in = {CACHE, KV, PLAIN(1, 32, SYNTH_INT32, SYNTH_DRAM)},
    .out = CACHE,
    .cores = 32,
    .ns = 8800,
};

static const struct ttp_synth_plain fill_cache = {
    .code = "PagedFillCacheDeviceOperation",
    .attributes = "{'batch_idx_fallback': '0'}",
    .data_kernel = "experimental/paged_cache/device/kernels/dataflow/writer_fill",
    .in = {CACHE, TILE(8, 512, 128, SYNTH_BFP8, SYNTH_DRAM)},
    .out = CACHE,
    .cores = 64,
    .ns = 9800,
};

static const struct ttp_synth_plain attention_decode = {
    .code = "ScaledDotProductAttentionDecode",
    .attributes = "{'is_causal': 'true'; 'k_chunk_size': '256'; 'scale': '0.0883883'}",
    .compute_kernel = "transformer/sdpa_decode/device/kernels/compute/sdpa_flash_decode",
    .data_kernel = "transformer/sdpa_decode/device/kernels/dataflow/reader_decode_all",
    .in = {HEADS, CACHE, CACHE},
    .out = HEADS,
    .cores = 64,
    .ns = 46500,
};

static const struct ttp_synth_plain softmax = {
    .code = "SoftmaxDeviceOperation",
    .attributes = "{'inplace': 'true'; 'is_causal_mask': 'true'}",
    .compute_kernel = "normalization/softmax/device/kernels/compute/softmax",
    .data_kernel = "normalization/softmax/device/kernels/dataflow/reader_unary_sm",
    .in = {TILE(32, 512, 512, SYNTH_BF16, SYNTH_L1)},
    .out = TILE(32, 512, 512, SYNTH_BF16, SYNTH_L1),
    .cores = 64,
    .ns = 88000,
};

static const struct ttp_synth_plain concat_heads_decode = {
    .code = "NLPConcatHeadsDecodeDeviceOperation",
    .attributes = "{'num_heads': '32'}",
    .data_kernel = "experimental/transformer/nlp_concat_heads_decode/device/kernels/reader_tm",
    .in = {HEADS},
    .out = ROW_32,
    .cores = 32,
    .ns = 5200,
};

static const struct ttp_synth_plain concat_heads = {
    .code = "NLPConcatHeadsDeviceOperation",
    .attributes = "{'num_heads': '32'}",
    .data_kernel = "experimental/transformer/nlp_concat_heads/device/kernels/reader_tm",
    .in = {TILE(32, 512, 128, SYNTH_BF16, SYNTH_DRAM)},
    .out = ROW_ALL,
    .cores = 64,
    .ns = 24300,
};

static const struct ttp_synth_plain residual = {
    .code = "BinaryNgDeviceOperation",
    .attributes = "{'binary_op_type': 'BinaryOpType::ADD'; 'dtype': 'DataType::BFLOAT16'}",
    .compute_kernel = "eltwise/binary_ng/device/kernels/compute/eltwise_binary_no_bcast",
    .data_kernel = "eltwise/binary_ng/device/kernels/dataflow/reader_no_bcast",
    .in = {ROW_32, ROW_32},
    .out = ROW_32,
    .cores = 32,
    .ns = 2750,
};

static const struct ttp_synth_plain gate = {
    .code = "BinaryNgDeviceOperation",
    .attributes =
        "{'binary_op_type': 'BinaryOpType::MUL'; 'lhs_activations': '{UnaryOpType::SILU}'}",
    .compute_kernel = "eltwise/binary_ng/device/kernels/compute/eltwise_binary_sfpu_no_bcast",
    .data_kernel = "eltwise/binary_ng/device/kernels/dataflow/reader_no_bcast",
    .in = {TILE(1, 32, 14336, SYNTH_BFP8, SYNTH_L1_WIDTH),
           TILE(1, 32, 14336, SYNTH_BFP8, SYNTH_L1_WIDTH)},
    .out = TILE(1, 32, 14336, SYNTH_BFP8, SYNTH_L1_WIDTH),
    .cores = 64,
    .ns = 6100,
};

static const struct ttp_synth_plain prefill_residual = {
    .code = "BinaryNgDeviceOperation",
    .attributes = "{'binary_op_type': 'BinaryOpType::ADD'; 'dtype': 'DataType::BFLOAT16'}",
    .compute_kernel = "eltwise/binary_ng/device/kernels/compute/eltwise_binary_no_bcast",
    .data_kernel = "eltwise/binary_ng/device/kernels/dataflow/reader_no_bcast",
    .in = {ROW_ALL, ROW_ALL},
    .out = ROW_ALL,
    .cores = 64,
    .ns = 47800,
};

static const struct ttp_synth_plain reduce_scatter = {
    .code = "ReduceScatterMinimalAsyncDeviceOperation",
    .attributes = "{'dim': '3'; 'num_links': '1'; 'topology': 'Topology::Linear'}",
    .compute_kernel = "experimental/ccl/reduce_scatter_minimal_async/device/kernels/reduction",
    .data_kernel = "experimental/ccl/reduce_scatter_minimal_async/device/kernels/line_reader",
    .in = {ROW_32},
    .out = TILE(1, 32, 2048, SYNTH_BF16, SYNTH_L1_WIDTH),
    .cores = 12,
    .ns = 23500,
    .device_spread = 90,
};

static const struct ttp_synth_plain all_gather = {
    .code = "AllGatherAsyncDeviceOperation",
    .attributes = "{'dim': '3'; 'num_links': '1'; 'topology': 'Topology::Linear'}",
    .data_kernel = "experimental/ccl/all_gather_async/device/kernels/minimal_default_reader",
    .in = {TILE(1, 32, 2048, SYNTH_BF16, SYNTH_L1_WIDTH)},
    .out = ROW_32,
    .cores = 8,
    .ns = 17200,
    .device_spread = 120,
};

const struct ttp_synth_plain ttp_synth_prefetcher = {
    .code = "DramPrefetcherDeviceOperation",
    .attributes = "{'num_layers': '1'; 'sub_device_id': '0'}",
    .data_kernel = "prefetcher/prefetcher/device/kernels/reader_dram",
    .in = {TILE(1, 4096, 32064, SYNTH_BFP8, SYNTH_DRAM_SHARDED)},
    .out = TILE(1, 32, 32, SYNTH_BFP8, SYNTH_L1),
    .cores = 12,
    .ns = 930000,
};

const struct ttp_synth_plain ttp_synth_untilize = {
    .code = "UntilizeWithUnpaddingDeviceOperation",
    .attributes = "{'use_multicore': 'true'}",
    .compute_kernel = "data_movement/untilize/device/kernels/compute/untilize",
    .data_kernel = "data_movement/untilize_with_unpadding/device/kernels/dataflow/writer_unary",
    .in = {TILE(1, 32, 32064, SYNTH_BFP8, SYNTH_DRAM)},
    .out = PLAIN(32, 32064, SYNTH_BF16, SYNTH_DRAM),
    .cores = 60,
    .ns = 21700,
};

static const struct ttp_synth_step warmup_steps[] = {
    {.plain = &embedding}, {.plain = &norm}, {.matmul = &decode_qkv}};

static const struct ttp_synth_step prefill_steps[] = {
    {.plain = &prefill_norm},     {.matmul = &prefill_qkv},     {.plain = &create_heads},
    {.plain = &fill_cache},       {.plain = &fill_cache},       {.matmul = &prefill_scores},
    {.plain = &softmax},          {.plain = &concat_heads},     {.matmul = &prefill_wo},
    {.plain = &prefill_residual}, {.plain = &prefill_norm},     {.matmul = &prefill_ff1},
    {.matmul = &prefill_ff2},     {.plain = &prefill_residual},
};

static const struct ttp_synth_step decode_steps[] = {
    {.plain = &norm},
    {.matmul = &decode_qkv},
    {.plain = &to_interleaved},
    {.plain = &create_heads_decode},
    {.plain = &rotary_q},
    {.plain = &rotary_k},
    {.plain = &update_cache},
    {.plain = &update_cache},
    {.plain = &attention_decode},
    {.plain = &concat_heads_decode},
    {.matmul = &decode_wo, .every = 3, .phase = 0},
    {.matmul = &decode_wo, .every = 3, .phase = 1},
    {.matmul = &decode_wo_plain, .every = 3, .phase = 2},
    {.plain = &reduce_scatter, .among_devices = true},
    {.plain = &all_gather, .among_devices = true},
    {.plain = &residual},
    {.plain = &norm},
    {.matmul = &decode_ff1},
    {.matmul = &decode_ff3, .every = 2, .phase = 0},
    {.matmul = &decode_ff3_small, .every = 2, .phase = 1},
    {.plain = &gate},
    {.matmul = &decode_ff2},
    {.plain = &reduce_scatter, .among_devices = true},
    {.plain = &all_gather, .among_devices = true},
    {.plain = &residual},
};

static const struct ttp_synth_step head_steps[] = {
    {.plain = &norm}, {.matmul = &lm_head}, {.matmul = &lm_head}};
static const struct ttp_synth_step tail_steps[] = {
    {.plain = &embedding}, {.plain = &norm}, {.matmul = &decode_qkv}};

const struct ttp_synth_part ttp_synth_llm_warmup = {warmup_steps, TTP_COUNT(warmup_steps)};
const struct ttp_synth_part ttp_synth_llm_prefill = {prefill_steps, TTP_COUNT(prefill_steps)};
const struct ttp_synth_part ttp_synth_llm_decode = {decode_steps, TTP_COUNT(decode_steps)};
const struct ttp_synth_part ttp_synth_llm_head = {head_steps, TTP_COUNT(head_steps)};
const struct ttp_synth_part ttp_synth_llm_tail = {tail_steps, TTP_COUNT(tail_steps)};
