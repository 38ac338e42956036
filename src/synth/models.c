/* SPDX-License-Identifier: Apache-2.0 */
/* Models other than the language model of llm_ops.c, and the list of all.
 *
 * The image network has blocks of four kinds, one for each of ResNet-50's stages, for 16 images of
 * 224 x 224; sizes are rows of pixels by channels. The matmuls are squares of three sizes and a
 * tall one, at every fidelity, with efficiencies from hopeless to good. */
#include "synth/models.h"

const char *const ttp_synth_model_names[] = {"llm-decode", "llm-prefill",    "resnet",
                                             "matmul",     "tt-lang-kernel", NULL};

#define SHARDED(y, x)                                                                              \
    {                                                                                              \
        1, 1, y, x, 0, SYNTH_BFP8, SYNTH_L1_HEIGHT, NULL                                           \
    }
#define BLOCKED(y, x)                                                                              \
    {                                                                                              \
        1, 1, y, x, 0, SYNTH_BFP8, SYNTH_L1_BLOCK, NULL                                            \
    }
#define ROWS(y, x)                                                                                 \
    {                                                                                              \
        1, 1, y, x, 0, SYNTH_BF16, SYNTH_L1_HEIGHT, "ROW_MAJOR"                                    \
    }
#define WEIGHTS(y, x)                                                                              \
    {                                                                                              \
        1, 1, y, x, 0, SYNTH_BFP8, SYNTH_DRAM, NULL                                                \
    }

#define CONV_KERNELS                                                                               \
    .compute_kernel = "conv/conv2d/device/kernels/conv_bmm_tilize",                                \
    .data_kernel = "conv/conv2d/device/kernels/reader_conv_activations_padded_with_halo_3x3"
#define HALO                                                                                       \
    .code = "HaloDeviceOperation",                                                                 \
    .attributes = "{'config_': 'SlidingWindowConfig(batch_size=16; window_hw=(3;3); "              \
                  "stride_hw=(1;1); padding=((1;1);(1;1)); dilation_hw=(1;1); num_cores_nhw=64; "  \
                  "num_cores_c=1)'; 'remote_read_': 'false'; 'transpose_mcast_': 'true'}",         \
    .data_kernel = "sliding_window/halo/device/kernels/dataflow/halo_gather", .cores = 64
#define ADD                                                                                        \
    .code = "BinaryNgDeviceOperation",                                                             \
    .attributes = "{'binary_op_type': 'BinaryOpType::ADD'; 'post_activations': "                   \
                  "'{UnaryOpType::RELU}'}",                                                        \
    .compute_kernel = "eltwise/binary_ng/device/kernels/compute/eltwise_binary_no_bcast",          \
    .data_kernel = "eltwise/binary_ng/device/kernels/dataflow/reader_no_bcast", .cores = 64

static const struct ttp_synth_plain conv_first = {
    .code = "Conv2dDeviceOperation",
    .attributes = "{'activation': 'relu'; 'output_channels': '64'; 'sliding_window_config': "
                  "'SlidingWindowConfig(batch_size=16; window_hw=(4;4); stride_hw=(1;1); "
                  "dilation_hw=(1;1))'}",
    CONV_KERNELS,
    .in = {ROWS(200704, 16), WEIGHTS(256, 64)},
    .out = SHARDED(200704, 64),
    .cores = 64,
    .ns = 154000,
};
static const struct ttp_synth_plain max_pool = {
    .code = "Pool2D",
    .attributes = "{'pool_type': 'Pool2DType::MAX_POOL2D'; 'sliding_window_config': '3;3;2;2'}",
    .compute_kernel = "pool/generic/device/kernels/compute/compute_pool_2d",
    .data_kernel = "pool/generic/device/kernels/dataflow/reader_pool_2d",
    .in = {ROWS(200704, 64)},
    .out = SHARDED(50176, 64),
    .cores = 64,
    .ns = 87000,
};

/* A 3 x 3 convolution of a stage, the halo before it and the sum after its block. */
#define STAGE(number, layout, rows, channels, conv_ns, halo_ns, add_ns)                            \
    static const struct ttp_synth_plain halo_##number = {                                          \
        HALO,                                                                                      \
        .in = {layout(rows, channels)},                                                            \
        .out = ROWS(rows, channels),                                                               \
        .ns = (halo_ns),                                                                           \
    };                                                                                             \
    static const struct ttp_synth_plain conv_##number = {                                          \
        .code = "Conv2dDeviceOperation",                                                           \
        .attributes = "{'activation': 'relu'; 'output_channels': '" #channels                      \
                      "'; 'sliding_window_config': 'SlidingWindowConfig(batch_size=16; "           \
                      "window_hw=(3;3); stride_hw=(1;1); dilation_hw=(1;1))'}",                    \
        CONV_KERNELS,                                                                              \
        .in = {ROWS(rows, channels), WEIGHTS(9 * (channels), channels)},                           \
        .out = layout(rows, channels),                                                             \
        .cores = 64,                                                                               \
        .ns = (conv_ns),                                                                           \
    };                                                                                             \
    static const struct ttp_synth_plain add_##number = {                                           \
        ADD,                                                                                       \
        .in = {layout(rows, 4 * (channels)), layout(rows, 4 * (channels))},                        \
        .out = layout(rows, 4 * (channels)),                                                       \
        .ns = (add_ns),                                                                            \
    };                                                                                             \
    static const struct ttp_synth_matmul reduce_##number = {                                       \
        .size = {1, rows, 4 * (channels), channels},                                               \
        .in0 = {SYNTH_BFP8, SYNTH_L1_HEIGHT},                                                      \
        .weights = {SYNTH_BFP8, SYNTH_DRAM},                                                       \
        .out = {SYNTH_BFP8, SYNTH_L1_HEIGHT},                                                      \
        .program = {CONFIG_1D, 2, 2, 4},                                                           \
        .fidelity = TTP_FIDELITY_LOFI,                                                             \
        .efficiency_pct = 41 + 6 * (number),                                                       \
    };                                                                                             \
    static const struct ttp_synth_matmul expand_##number = {                                       \
        .size = {1, rows, channels, 4 * (channels)},                                               \
        .in0 = {SYNTH_BFP8, SYNTH_L1_HEIGHT},                                                      \
        .weights = {SYNTH_BFP8, SYNTH_DRAM},                                                       \
        .out = {SYNTH_BFP8, SYNTH_L1_HEIGHT},                                                      \
        .program = {CONFIG_2D, 2, 2, 4},                                                           \
        .fidelity = TTP_FIDELITY_LOFI,                                                             \
        .efficiency_pct = 46 + 7 * (number),                                                       \
    }

STAGE(1, SHARDED, 50176, 64, 59000, 18500, 31000);
STAGE(2, SHARDED, 12544, 128, 47000, 9400, 15800);
STAGE(3, BLOCKED, 3136, 256, 44500, 6900, 8700);
STAGE(4, BLOCKED, 1024, 512, 52000, 5600, 5900);

#define STAGE_STEPS(number)                                                                        \
    {.matmul = &reduce_##number, .every = 4, .phase = (number)-1},                                 \
        {.plain = &halo_##number, .every = 4, .phase = (number)-1},                                \
        {.plain = &conv_##number, .every = 4, .phase = (number)-1},                                \
        {.matmul = &expand_##number, .every = 4, .phase = (number)-1},                             \
    {                                                                                              \
        .plain = &add_##number, .every = 4, .phase = (number)-1                                    \
    }

static const struct ttp_synth_plain average_pool = {
    .code = "Pool2D",
    .attributes = "{'pool_type': 'Pool2DType::AVG_POOL2D'; 'sliding_window_config': '7;7;1;1'}",
    .compute_kernel = "pool/generic/device/kernels/compute/compute_pool_2d",
    .data_kernel = "pool/generic/device/kernels/dataflow/reader_pool_2d",
    .in = {ROWS(784, 2048)},
    .out = BLOCKED(32, 2048),
    .cores = 64,
    .ns = 13900,
};
static const struct ttp_synth_matmul classes = {
    .size = {1, 32, 2048, 1024},
    .in0 = {SYNTH_BFP8, SYNTH_L1_WIDTH},
    .weights = {SYNTH_BFP8, SYNTH_DRAM},
    .out = {SYNTH_BF16, SYNTH_L1_WIDTH},
    .program = {CONFIG_1D, 2, 1, 1},
    .fidelity = TTP_FIDELITY_LOFI,
    .cores = 32,
    .efficiency_pct = 49,
};

static const struct ttp_synth_step image_steps[] = {{.plain = &conv_first}, {.plain = &max_pool}};
static const struct ttp_synth_step block_steps[] = {STAGE_STEPS(1), STAGE_STEPS(2), STAGE_STEPS(3),
                                                    STAGE_STEPS(4)};
static const struct ttp_synth_step class_steps[] = {{.plain = &average_pool}, {.matmul = &classes}};
static const struct ttp_synth_part image = {image_steps, TTP_COUNT(image_steps)};
static const struct ttp_synth_part block = {block_steps, TTP_COUNT(block_steps)};
static const struct ttp_synth_part class_part = {class_steps, TTP_COUNT(class_steps)};

#define SQUARE(name, n, fidelity_is, weights_are, config_is, efficiency)                           \
    static const struct ttp_synth_matmul name = {                                                  \
        .size = {1, n, n, n},                                                                      \
        .in0 = {SYNTH_BF16, SYNTH_DRAM},                                                           \
        .weights = {weights_are, SYNTH_DRAM},                                                      \
        .out = {SYNTH_BF16, SYNTH_DRAM},                                                           \
        .program = {config_is, 4, 2, 4},                                                           \
        .fidelity = (fidelity_is),                                                                 \
        .efficiency_pct = (efficiency),                                                            \
    }

SQUARE(small_lofi, 512, TTP_FIDELITY_LOFI, SYNTH_BFP4, NO_CONFIG, 9);
SQUARE(small_hifi4, 512, TTP_FIDELITY_HIFI4, SYNTH_BF16, NO_CONFIG, 21);
SQUARE(middle_lofi, 1024, TTP_FIDELITY_LOFI, SYNTH_BFP4, CONFIG_2D, 34);
SQUARE(middle_hifi2, 1024, TTP_FIDELITY_HIFI2, SYNTH_BFP8, CONFIG_2D, 55);
SQUARE(large_lofi, 2048, TTP_FIDELITY_LOFI, SYNTH_BFP4, CONFIG_2D, 62);
SQUARE(large_hifi2, 2048, TTP_FIDELITY_HIFI2, SYNTH_BFP8, CONFIG_2D, 74);
SQUARE(large_hifi4, 2048, TTP_FIDELITY_HIFI4, SYNTH_BF16, CONFIG_2D, 82);
static const struct ttp_synth_matmul tall = {
    .size = {1, 32, 4096, 8192},
    .in0 = {SYNTH_BF16, SYNTH_L1_WIDTH},
    .weights = {SYNTH_BFP8, SYNTH_DRAM_SHARDED},
    .out = {SYNTH_BF16, SYNTH_L1_WIDTH},
    .program = {CONFIG_DRAM_SHARDED, 8, 1, 1},
    .fidelity = TTP_FIDELITY_HIFI2,
    .efficiency_pct = 91,
};

static const struct ttp_synth_step matmul_steps[] = {
    {.matmul = &small_lofi},   {.matmul = &small_hifi4}, {.matmul = &middle_lofi},
    {.matmul = &middle_hifi2}, {.matmul = &large_lofi},  {.matmul = &large_hifi2},
    {.matmul = &large_hifi4},  {.matmul = &tall},
};
static const struct ttp_synth_part matmuls = {matmul_steps, TTP_COUNT(matmul_steps)};

static const struct ttp_synth_step untilize = {.plain = &ttp_synth_untilize};

const struct ttp_synth_model_parts *ttp_synth_model_at(enum ttp_synth_model model)
{
    static const struct ttp_synth_model_parts models[] = {
        [TTP_SYNTH_LLM_DECODE] = {.layer = &ttp_synth_llm_decode,
                                  .after = &ttp_synth_llm_head,
                                  .last = &untilize,
                                  .host_op = "(torch) aten::argmax",
                                  .layers = 4,
                                  .prefetch = true},
        [TTP_SYNTH_LLM_PREFILL] = {.layer = &ttp_synth_llm_prefill,
                                   .after = &ttp_synth_llm_head,
                                   .host_op = "(torch) aten::argmax",
                                   .layers = 4},
        [TTP_SYNTH_RESNET] = {.before = &image,
                              .layer = &block,
                              .after = &class_part,
                              .host_op = "(torch) aten::softmax",
                              .layers = 16},
        [TTP_SYNTH_MATMUL] = {.layer = &matmuls, .layers = 2},
    };
    return model < TTP_COUNT(models) ? &models[model] : NULL;
}
