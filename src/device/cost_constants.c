/* SPDX-License-Identifier: Apache-2.0 */
/* cost_constants.c - the constants of the cost model, the one table of them.
 *
 * Fitted on real rows: the smallest mean |log2(predicted / measured)|, plus 0.002 for each factor
 * of two away from a starting guess, by coordinate search. A group is the median of rows with the
 * same model, problem and config; 5368 rows of 17 models made 407 groups. */
#include "device/device.h"

#define FITTED_ON "fit on public runs of tt-metal branches"
static const struct ttp_source blackhole = {FITTED_ON " (Blackhole)", "2026-08-22"};
static const struct ttp_source wormhole = {FITTED_ON " (Wormhole, 2 models)", "2026-08-22"};
#define BLACKHOLE_GROUPS 327
#define WORMHOLE_GROUPS  80

const struct ttp_cost_spec ttp_cost_specs[TTP_COSTS] = {
    [TTP_COST_T0] = {"cost_t0", "fixed cost of an operation", "ns"},
    [TTP_COST_DT0] = {"cost_dt0", "fixed cost, DRAM-sharded matmul", "ns"},
    [TTP_COST_LAT] = {"cost_lat", "handshake of a broadcast, per step", "ns"},
    [TTP_COST_LATC] = {"cost_latc", "handshake, per receiving core", "ns"},
    [TTP_COST_RD] = {"cost_rd", "issue of one interleaved tile read from DRAM", "ns"},
    [TTP_COST_RBW] = {"cost_rbw", "rate of one reader", "GB/s"},
    [TTP_COST_RDL1] = {"cost_rdl1", "issue of one interleaved tile read from L1", "ns"},
    [TTP_COST_SHBW] = {"cost_shbw", "rate from a DRAM shard", "GB/s"},
    [TTP_COST_MBW] = {"cost_mbw", "rate of a broadcast", "GB/s"},
    [TTP_COST_OWN] = {"cost_own", "latency of a core's own reads, per step", "ns"},
    [TTP_COST_DBW] = {"cost_dbw", "DRAM total for input 1", "GB/s"},
    [TTP_COST_DB0] = {"cost_db0", "DRAM total for input 0", "GB/s"},
    [TTP_COST_DWR] = {"cost_dwr", "writes to DRAM", "GB/s"},
    [TTP_COST_LWR] = {"cost_lwr", "writes to interleaved L1", "GB/s"},
    [TTP_COST_DPG] = {"cost_dpg", "DRAM, per page", "ns"},
    [TTP_COST_WRT] = {"cost_wrt", "write of one tile", "ns"},
    [TTP_COST_BANK] = {"cost_bank", "one DRAM bank, DRAM-sharded matmul", "GB/s"},
    [TTP_COST_DLAT] = {"cost_dlat", "input 0 of a step, DRAM-sharded matmul", "ns"},
    [TTP_COST_ALPHA] = {"cost_alpha", "factor on the cycles of the math engine", ""},
    [TTP_COST_U0] = {"cost_u0", "unpack, per tile", "cycles"},
    [TTP_COST_U1] = {"cost_u1", "unpack, per 64 bytes", "cycles"},
    [TTP_COST_O] = {"cost_o", "per subblock and k", "cycles"},
    [TTP_COST_S] = {"cost_s", "per subblock and step", "cycles"},
    [TTP_COST_P] = {"cost_p", "pack, per tile and step", "cycles"},
    [TTP_COST_SILU] = {"cost_silu", "fused SILU, per output tile", "cycles"},
    [TTP_COST_GELU] = {"cost_gelu", "fused GELU, per output tile", "cycles"},
    [TTP_COST_MEFF] = {"cost_meff", "factor of minimal_matmul", ""},
    [TTP_COST_BOV] = {"cost_bov", "per batch or out block", "ns"},
    [TTP_COST_MBC] = {"cost_mbc", "slowdown of a broadcast per receiving core", ""},
    [TTP_COST_DRB] = {"cost_drb", "DRAM total for input 1, batched without broadcast", "GB/s"},
    [TTP_COST_Q] = {"cost_q", "exponent of the norm that combines overlapping parts", ""},
};

/* value, range over the fits that leave one model out, source, groups */
static const struct ttp_cost_value on_blackhole[TTP_COSTS] = {
    [TTP_COST_T0] = {840, 533, 1090, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_DT0] = {3000, 3000, 3240, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_LAT] = {532, 508, 532, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_LATC] = {7.05, 7, 7.44, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_RD] = {26.7, 25.2, 27.5, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_RBW] = {128, 117, 154, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_RDL1] = {20, 0, 0, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_SHBW] = {40, 40, 41.3, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_MBW] = {130, 109, 128, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_OWN] = {300, 0, 0, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_DBW] = {450, 440, 463, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_DB0] = {300, 0, 0, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_DWR] = {328, 302, 344, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_LWR] = {600, 0, 0, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_DPG] = {0.5, 0.5, 0.617, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_WRT] = {20, 0, 0, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_BANK] = {67.8, 66.8, 68.3, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_DLAT] = {657, 638, 665, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_ALPHA] = {1, 1, 1.01, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_U0] = {6, 5.98, 6, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_U1] = {0.394, 0.376, 0.4, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_O] = {9.98, 9.97, 10, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_S] = {40.9, 39.4, 45.4, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_P] = {5.86, 4.57, 6.03, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_SILU] = {1300, 1200, 1300, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_GELU] = {115, 0, 0, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_MEFF] = {1.05, 1.05, 1.05, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_BOV] = {500, 0, 0, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_MBC] = {0.005, 0, 0, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_DRB] = {250, 0, 0, &blackhole, BLACKHOLE_GROUPS},
    [TTP_COST_Q] = {6, 5.99, 6.57, &blackhole, BLACKHOLE_GROUPS},
};

static const struct ttp_cost_value on_wormhole[TTP_COSTS] = {
    [TTP_COST_T0] = {2050, 2000, 2090, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_DT0] = {5000, 3500, 5010, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_LAT] = {448, 305, 465, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_LATC] = {8.9, 9.14, 9.71, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_RD] = {20.4, 23.5, 30, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_RBW] = {53.7, 40, 50, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_RDL1] = {40, 40, 41.2, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_SHBW] = {20, 0, 0, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_MBW] = {25, 25, 30.1, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_OWN] = {300, 0, 0, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_DBW] = {229, 103, 230, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_DB0] = {59.8, 59.5, 107, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_DWR] = {82.5, 65.3, 85.3, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_LWR] = {300, 0, 0, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_DPG] = {0.476, 0.5, 0.505, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_WRT] = {20, 0, 0, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_BANK] = {22.8, 20, 22.7, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_DLAT] = {914, 900, 1000, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_ALPHA] = {1, 1, 1, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_U0] = {6, 0, 0, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_U1] = {0.4, 0, 0, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_O] = {10, 9.95, 10, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_S] = {86.6, 49.9, 130, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_P] = {26.2, 20, 31, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_SILU] = {1300, 0, 0, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_GELU] = {115, 0, 0, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_MEFF] = {1.05, 0, 0, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_BOV] = {500, 0, 0, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_MBC] = {0.00893, 0.005, 0.01, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_DRB] = {120, 0, 0, &wormhole, WORMHOLE_GROUPS},
    [TTP_COST_Q] = {9.56, 8.07, 10.3, &wormhole, WORMHOLE_GROUPS},
};

const struct ttp_cost_value *ttp_board_costs(const struct ttp_board *b)
{
    if (!b)
        return NULL;
    if (b->cost)
        return b->cost;
    if (b->chip && strcmp(b->chip, "blackhole") == 0)
        return on_blackhole;
    return b->chip && strcmp(b->chip, "wormhole") == 0 ? on_wormhole : NULL;
}
