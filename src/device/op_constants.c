/* SPDX-License-Identifier: Apache-2.0 */
/* op_constants.c - constants of the rules of advice, in one table: floors of kinds of ops, and
 * measured gains of changes without a model. Each has its source, how many samples are after it and
 * the date; a boards file overrides them (docs/formats/boards.md).
 *
 * Floors: low quantiles of the rows of that kind in the states after a change of the campaigns in
 * tests/campaigns. Parts: what the pairs there brought; samples are pairs. Range: over these. */
#include "device/device.h"

#define ROWS  "rows of tuned runs, tests/campaigns"
#define PAIRS "pairs of runs, tests/campaigns"
static const struct ttp_source rows = {ROWS, "2026-08-22"};
static const struct ttp_source pairs = {PAIRS, "2026-08-22"};
static const struct ttp_source matmul_report = {
    "tt-metal tech_reports/LLMs, tech_reports/matrix_engine", "2026-08-22"};
static const struct ttp_source flash_report = {"tt-metal tech_reports/FlashAttention",
                                               "2026-08-22"};
static const struct ttp_source chosen = {"chosen: no row within it became faster", "2026-08-22"};

const struct ttp_cost_spec ttp_op_constant_specs[TTP_OP_CONSTANTS] = {
    [TTP_OPC_FLOOR_ELTWISE] = {"op_floor_eltwise", "shortest element-wise op", "us"},
    [TTP_OPC_FLOOR_NORM] = {"op_floor_norm", "shortest norm on shards", "us"},
    [TTP_OPC_FLOOR_ATTENTION] = {"op_floor_attention", "shortest SDPA decode", "us"},
    [TTP_OPC_FLOOR_COLLECTIVE] = {"op_floor_collective", "shortest collective", "us"},
    [TTP_OPC_NEAR_FLOOR] = {"op_near_floor", "floors below which an op is not tuned", ""},
    [TTP_OPC_TRACED_GAP] = {"op_traced_gap", "gap between two ops of a trace", "us"},
    [TTP_OPC_NORM_TILE] = {"op_norm_tile", "norm on shards, per tile of a row", "us"},
    [TTP_OPC_DRAM_SHARDED] = {"op_dram_sharded", "DRAM peak that a DRAM-sharded matmul reaches",
                              "%"},
    [TTP_OPC_DRAM_TUNED] = {"op_dram_tuned", "DRAM peak that a tuned interleaved op reaches", "%"},
    [TTP_OPC_FLOPS_TUNED] = {"op_flops_tuned", "FLOP peak that a tuned op reaches", "%"},
    [TTP_OPC_ATTENTION_FACTOR] = {"op_attention_factor", "attention by hand over SDPA", ""},
    [TTP_OPC_SDPA_PREFILL] = {"op_sdpa_prefill", "SDPA prefill: part that chunk sizes save", ""},
    [TTP_OPC_SDPA_DECODE] = {"op_sdpa_decode", "SDPA decode: the same, above the floor", ""},
    [TTP_OPC_HIDDEN] = {"op_hidden", "part of the shorter op hidden by matmul + reduce-scatter",
                        ""},
    [TTP_OPC_ASYNC_WORKERS] = {"op_async_workers", "part that asynchronous collectives save", ""},
};

/* Parts that were measured on one chip are taken for the other as well. */
#define OF_CHANGES                                                                                 \
    [TTP_OPC_NEAR_FLOOR] = {1.5, 0, 0, &chosen, 0},                                                \
    [TTP_OPC_NORM_TILE] = {0.03, 0.02, 0.04, &rows, 906},                                          \
    [TTP_OPC_DRAM_SHARDED] = {83, 0, 0, &matmul_report, 1},                                        \
    [TTP_OPC_DRAM_TUNED] = {66, 0, 0, &matmul_report, 1},                                          \
    [TTP_OPC_FLOPS_TUNED] = {65, 0, 0, &matmul_report, 1},                                         \
    [TTP_OPC_ATTENTION_FACTOR] = {9, 9, 44, &flash_report, 1},                                     \
    [TTP_OPC_SDPA_PREFILL] = {0.37, 0.36, 0.39, &pairs, 2},                                        \
    [TTP_OPC_SDPA_DECODE] = {0.35, 0, 0, &pairs, 1}, [TTP_OPC_HIDDEN] = {0.3, 0, 0.3, &pairs, 1},  \
    [TTP_OPC_ASYNC_WORKERS] = {0.2, 0.13, 0.21, &pairs, 2}

static const struct ttp_cost_value on_blackhole[TTP_OP_CONSTANTS] = {
    [TTP_OPC_FLOOR_ELTWISE] = {2, 1.3, 2, &rows, 1926},
    [TTP_OPC_FLOOR_NORM] = {6, 5, 9, &rows, 870},
    [TTP_OPC_FLOOR_ATTENTION] = {7.6, 5.4, 7.9, &rows, 402},
    [TTP_OPC_FLOOR_COLLECTIVE] = {8, 6.4, 11, &rows, 952},
    [TTP_OPC_TRACED_GAP] = {0.98, 0.54, 1.47, &rows, 9509},
    OF_CHANGES,
};

static const struct ttp_cost_value on_wormhole[TTP_OP_CONSTANTS] = {
    [TTP_OPC_FLOOR_ELTWISE] = {2, 0.8, 6.5, &rows, 160},
    [TTP_OPC_FLOOR_NORM] = {6, 5, 9, &rows, 36},
    [TTP_OPC_FLOOR_ATTENTION] = {7.6, 7.6, 11.5, &rows, 32},
    [TTP_OPC_FLOOR_COLLECTIVE] = {8, 6.4, 11, &rows, 0},
    [TTP_OPC_TRACED_GAP] = {0.77, 0.64, 0.85, &rows, 248},
    OF_CHANGES,
};

const struct ttp_cost_value *ttp_board_op_constants(const struct ttp_board *b)
{
    if (b && b->op_constant)
        return b->op_constant;
    return b && b->chip && strcmp(b->chip, "wormhole") == 0 ? on_wormhole : on_blackhole;
}
