/* SPDX-License-Identifier: Apache-2.0 */
/* noc_grids.c - positions of the cores of a chip on its NoC.
 *
 * Sources: core coordinates and translation from tt-umd 3ed9cb6d0 (wormhole_implementation.hpp,
 * blackhole_implementation.hpp and the coordinate managers); which cores count as worker, DRAM and
 * ethernet from tt-npe 1021603, whose maps agree. Read 2026-11-15. */
#include "device/noc_grids.h"

static const char *const wormhole_map[] = {
    "DEEEEDEEEE", "DWWWWDWWWW", "UWWWWDWWWW", "UWWWWDWWWW", "UWWWWDWWWW", "DWWWWDWWWW",
    "DEEEEDEEEE", "DWWWWDWWWW", "UWWWWDWWWW", "UWWWWDWWWW", "UWWWWDWWWW", "DWWWWDWWWW",
};
static const uint8_t wormhole_dram[][2] = {
    {0, 0}, {0, 1}, {0, 11}, {0, 5}, {0, 6}, {0, 7}, {5, 0}, {5, 1}, {5, 11},
    {5, 2}, {5, 9}, {5, 10}, {5, 3}, {5, 4}, {5, 8}, {5, 5}, {5, 6}, {5, 7},
};
static const uint8_t wormhole_eth[][2] = {
    {9, 0}, {1, 0}, {8, 0}, {2, 0}, {7, 0}, {3, 0}, {6, 0}, {4, 0},
    {9, 6}, {1, 6}, {8, 6}, {2, 6}, {7, 6}, {3, 6}, {6, 6}, {4, 6},
};

#define BLACKHOLE_WORKERS "DWWWWWWWUDWWWWWWW"
static const char *const blackhole_map[] = {
    "DUUUUUUUUDUUUUUUU", "DEEEEEEEUDEEEEEEE", BLACKHOLE_WORKERS, BLACKHOLE_WORKERS,
    BLACKHOLE_WORKERS,   BLACKHOLE_WORKERS,   BLACKHOLE_WORKERS, BLACKHOLE_WORKERS,
    BLACKHOLE_WORKERS,   BLACKHOLE_WORKERS,   BLACKHOLE_WORKERS, BLACKHOLE_WORKERS,
};
static const uint8_t blackhole_dram[][2] = {
    {0, 0},  {0, 1}, {0, 11}, {0, 2}, {0, 10}, {0, 3}, {0, 9},  {0, 4},
    {0, 8},  {0, 5}, {0, 7},  {0, 6}, {9, 0},  {9, 1}, {9, 11}, {9, 2},
    {9, 10}, {9, 3}, {9, 9},  {9, 4}, {9, 8},  {9, 5}, {9, 7},  {9, 6},
};
static const uint8_t blackhole_eth[][2] = {
    {1, 1},  {16, 1}, {2, 1},  {15, 1}, {3, 1},  {14, 1}, {4, 1},
    {13, 1}, {5, 1},  {12, 1}, {6, 1},  {11, 1}, {7, 1},  {10, 1},
};

const struct ttp_noc_grid ttp_noc_grid_wormhole = {
    .arch = "wormhole_b0",
    .cols = 10,
    .rows = 12,
    .dram_channels = 6,
    .dram_ports = 3,
    .eth_channels = 16,
    .worker_cols = 8,
    .worker_rows = 10,
    .map = wormhole_map,
    .dram = wormhole_dram,
    .eth = wormhole_eth,
};
const struct ttp_noc_grid ttp_noc_grid_blackhole = {
    .arch = "blackhole",
    .cols = 17,
    .rows = 12,
    .dram_channels = 8,
    .dram_ports = 3,
    .eth_channels = 14,
    .worker_cols = 14,
    .worker_rows = 10,
    .map = blackhole_map,
    .dram = blackhole_dram,
    .eth = blackhole_eth,
};

const struct ttp_noc_grid *ttp_device_noc_grid(ttp_str name)
{
    const struct ttp_noc_model *model = ttp_device_noc_model(name);

    if (model)
        return model->grid;
    const struct ttp_arch *arch = ttp_device_find_arch(name, true);
    if (!arch)
        return NULL;
    const ttp_str family = ttp_str_from(arch->name);
    if (ttp_str_starts(family, TTP_STR("wormhole")))
        return &ttp_noc_grid_wormhole;
    return ttp_str_starts(family, TTP_STR("blackhole")) ? &ttp_noc_grid_blackhole : NULL;
}

enum ttp_core_kind ttp_device_core_kind(const struct ttp_noc_grid *g, int x, int y)
{
    if (x < 0 || y < 0 || x >= g->cols || y >= g->rows)
        return TTP_CORE_OTHER;
    switch (g->map[y][x]) {
    case 'W':
        return TTP_CORE_WORKER;
    case 'D':
        return TTP_CORE_DRAM;
    case 'E':
        return TTP_CORE_ETH;
    default:
        return TTP_CORE_OTHER;
    }
}

const char *ttp_device_core_kind_name(enum ttp_core_kind kind)
{
    static const char *const names[TTP_CORE_KINDS] = {"other", "worker", "dram", "eth"};

    return names[kind];
}

static int find_core(const uint8_t (*core)[2], int count, int x, int y)
{
    for (int i = 0; i < count; i++)
        if (core[i][0] == x && core[i][1] == y)
            return i;
    return -1;
}

int ttp_device_dram_channel(const struct ttp_noc_grid *g, int x, int y)
{
    if (ttp_device_core_kind(g, x, y) != TTP_CORE_DRAM)
        return -1; /* of most cores, without a search */
    const int port = find_core(g->dram, g->dram_channels * g->dram_ports, x, y);

    return port < 0 ? -1 : port / g->dram_ports;
}

int64_t ttp_device_worker_cores(const struct ttp_arch *arch, const struct ttp_noc_grid *g,
                                int64_t all)
{
    const int line = g == &ttp_noc_grid_wormhole ? g->worker_cols : g->worker_rows;

    return all > arch->worker_cores ? all - line : all;
}
