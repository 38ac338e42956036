/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates: tt-npe's core maps (DRAM, workers), tt-metal's topology.json of an N150 (Ethernet
 * channels) and the same zigzag for Blackhole. Clocks and grids: n150 and p150a as their vendor
 * lists them, workers without the dispatch row or column. */
#include "synth/chips.h"

#include "base/num.h"
#include "base/order.h"
#include "synth/synth.h"

static const uint8_t wormhole_columns[] = {1, 2, 3, 4, 6, 7, 8, 9};
static const uint8_t wormhole_rows[] = {1, 2, 3, 4, 5, 7, 8, 9};
static const struct ttp_synth_xy wormhole_eth[] = {
    {9, 0}, {1, 0}, {8, 0}, {2, 0}, {7, 0}, {3, 0}, {6, 0}, {4, 0},
    {9, 6}, {1, 6}, {8, 6}, {2, 6}, {7, 6}, {3, 6}, {6, 6}, {4, 6},
};
static const struct ttp_synth_xy wormhole_dram[] = {
    {0, 0}, {0, 5}, {5, 0}, {5, 2}, {5, 3}, {5, 5}, {0, 11}, {0, 7}, {5, 1}, {5, 9}, {5, 8}, {5, 7},
};

static const uint8_t blackhole_columns[] = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13};
static const uint8_t blackhole_rows[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const struct ttp_synth_xy blackhole_eth[] = {
    {1, 1},  {16, 1}, {2, 1},  {15, 1}, {3, 1},  {14, 1}, {4, 1},
    {13, 1}, {5, 1},  {12, 1}, {6, 1},  {11, 1}, {7, 1},  {10, 1},
};
static const struct ttp_synth_xy blackhole_dram[] = {
    {0, 0}, {0, 2}, {0, 4}, {0, 5}, {9, 0}, {9, 2}, {9, 4}, {9, 5},
};

const char *const ttp_synth_arch_names[] = {"wormhole_b0", "blackhole", NULL};

static const struct ttp_synth_chip chips[] = {
    {.name = "wormhole_b0",
     .mhz = 1000,
     .max_cores = 72,
     .column = wormhole_columns,
     .row = wormhole_rows,
     .eth = wormhole_eth,
     .dram = wormhole_dram,
     .neth = TTP_COUNT(wormhole_eth),
     .ndram = TTP_COUNT(wormhole_dram),
     .dispatch = {9, 10},
     .board = {"N150", "N300", "N300_2x2", "T3K", "CUSTOM", "GALAXY"},
     .peaks = {.grid_x = TTP_COUNT(wormhole_columns),
               .grid_y = TTP_COUNT(wormhole_rows),
               /* 89 % of the peak: what kernels reach, and what recorded runs were made with */
               .flop_per_ns = {3638, 2055, 1370, 1027}}},
    {.name = "blackhole",
     .mhz = 1350,
     .max_cores = 120,
     .column = blackhole_columns,
     .row = blackhole_rows,
     .eth = blackhole_eth,
     .dram = blackhole_dram,
     .neth = TTP_COUNT(blackhole_eth),
     .ndram = TTP_COUNT(blackhole_dram),
     .dispatch = {14, 2},
     .board = {"P150", "P300", "P150_X4", "P150_X8", "CUSTOM", "BLACKHOLE_GALAXY"},
     .peaks = {.grid_x = TTP_COUNT(blackhole_columns), .grid_y = TTP_COUNT(blackhole_rows)}},
};

struct ttp_synth_chip ttp_synth_chip_at(int arch)
{
    struct ttp_synth_chip chip = chips[arch];
    const struct ttp_arch *facts = ttp_device_find_arch(ttp_str_from(chip.name), false);

    chip.peaks.cores = chip.peaks.grid_x * chip.peaks.grid_y;
    chip.peaks.dram_cores = (uint32_t)facts->dram_workers;
    chip.peaks.dram_bytes_per_ns = (uint32_t)facts->dram_gbs;
    for (size_t i = 0; i < TTP_FIDELITIES; i++) /* 1 TFLOP/s is 1000 per ns */
        if (!chip.peaks.flop_per_ns[i])
            chip.peaks.flop_per_ns[i] = (uint32_t)(facts->tflops_per_core[i] * 1000);
    return chip;
}

static int by_place(const void *pa, const void *pb)
{
    const struct ttp_synth_xy a = ((const struct ttp_synth_core *)pa)->at,
                              b = ((const struct ttp_synth_core *)pb)->at;
    return a.x != b.x ? (a.x > b.x) - (a.x < b.x) : (a.y > b.y) - (a.y < b.y);
}

const struct ttp_synth_core *ttp_synth_cores(size_t *count, const struct ttp_synth_chip *chip,
                                             uint32_t workers, bool eth, struct ttp_arena *arena)
{
    struct ttp_synth_core *core = TTP_NEW(arena, struct ttp_synth_core, workers + TTP_SYNTH_LINKS);
    size_t n = 0;

    for (uint32_t rank = 0; rank < workers; rank++)
        core[n++] = (struct ttp_synth_core){
            .at = {chip->column[rank % chip->peaks.grid_x], chip->row[rank / chip->peaks.grid_x]},
            .rank = (uint16_t)rank};
    for (uint32_t channel = 0; eth && channel < TTP_SYNTH_LINKS; channel++)
        core[n++] = (struct ttp_synth_core){
            .at = chip->eth[channel], .eth = true, .rank = (uint16_t)channel};
    TTP_SORT(core, n, by_place);
    *count = n;
    return core;
}

const char *const ttp_synth_risc_names[SYNTH_RISCS] = {"BRISC",   "NCRISC",  "TRISC_0",
                                                       "TRISC_1", "TRISC_2", "ERISC"};

/* FNV-1a of 32 bits, folded to 16, as the kernel profiler does it. */
static uint32_t add_text(uint32_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

uint16_t ttp_synth_zone_id(const struct ttp_synth_zone *zone)
{
    char line[TTP_NUM_MAX];
    uint32_t hash = add_text(2166136261u, zone->name);

    line[ttp_num_u64(line, zone->line)] = '\0';
    hash = add_text(add_text(hash, ","), zone->file);
    hash = add_text(add_text(hash, ","), line);
    hash = add_text(hash, ",KERNEL_PROFILER");
    return (uint16_t)((hash & 0xffff) ^ (hash >> 16));
}

/* Lines as of tt-metal e4f9f0bb8de. */
#define FIRMWARE "/opt/tt-metal/tt_metal/hw/firmware/src/tt-1xx/"
#define TRISC_FW                                                                                   \
    {                                                                                              \
        "TRISC-FW", FIRMWARE "trisc.cc", 150                                                       \
    }
#define TRISC_KERNEL                                                                               \
    {                                                                                              \
        "TRISC-KERNEL", FIRMWARE "trisck.cc", 86                                                   \
    }

const struct ttp_synth_zone ttp_synth_fw_zones[SYNTH_RISCS] = {
    {"BRISC-FW", FIRMWARE "brisc.cc", 433},
    {"NCRISC-FW", FIRMWARE "ncrisc.cc", 129},
    TRISC_FW,
    TRISC_FW,
    TRISC_FW,
    {"ERISC-FW", FIRMWARE "active_erisc.cc", 294},
};

const struct ttp_synth_zone ttp_synth_kernel_zones[SYNTH_RISCS] = {
    {"BRISC-KERNEL", FIRMWARE "brisck.cc", 78},
    {"NCRISC-KERNEL", FIRMWARE "ncrisck.cc", 70},
    TRISC_KERNEL,
    TRISC_KERNEL,
    TRISC_KERNEL,
    {"ERISC-KERNEL", FIRMWARE "active_erisck.cc", 39},
};
