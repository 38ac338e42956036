/* SPDX-License-Identifier: Apache-2.0 */
/* noc_grids.c - where the cores of a chip sit on its NoC.
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
    const int port = find_core(g->dram, g->dram_channels * g->dram_ports, x, y);

    return port < 0 ? -1 : port / g->dram_ports;
}

int ttp_device_eth_channel(const struct ttp_noc_grid *g, int x, int y)
{
    return find_core(g->eth, g->eth_channels, x, y);
}

/* The i-th coordinate along one axis at which there are workers. */
static int worker_at(const struct ttp_noc_grid *g, bool column, int i)
{
    const int n = column ? g->cols : g->rows;

    for (int at = 0; at < n; at++) {
        bool worker = false;
        for (int k = 0; k < (column ? g->rows : g->cols) && !worker; k++)
            worker = g->map[column ? k : at][column ? at : k] == 'W';
        if (worker && i-- == 0)
            return at;
    }
    return -1;
}

/* The place of the i-th one that is not harvested. */
static int skip_harvested(uint32_t harvested, int i, int n)
{
    for (int at = 0; at < n; at++)
        if (!(harvested & 1U << at) && i-- == 0)
            return at;
    return -1;
}

/* Workers and ethernet have a range of their own from (18, 16); the rest stays where it is. */
static bool wormhole_translated(const struct ttp_noc_grid *g, uint32_t harvested, int *x, int *y)
{
    const int column = *x - 18, row = *y - 18;

    if (column < 0 || column >= g->worker_cols || row < -2 || row >= g->worker_rows)
        return false;
    const int at = row < 0 ? 0 : skip_harvested(harvested, row, g->worker_rows);
    if (at < 0)
        return false;
    *x = worker_at(g, true, column);
    if (row < 0)
        *y = row == -2 ? 0 : 6;
    else
        *y = worker_at(g, false, at);
    return true;
}

/* DRAM from (17, 12), ethernet from (20, 25), PCIe at (19, 24); workers close ranks to the left. */
static bool blackhole_translated(const struct ttp_noc_grid *g, uint32_t harvested, int *x, int *y)
{
    const int half = g->dram_channels / 2 * g->dram_ports;

    if ((*x == 17 || *x == 18) && *y >= 12 && *y < 12 + half) {
        const uint8_t *core = g->dram[(*x - 17) * half + *y - 12];
        *x = core[0];
        *y = core[1];
        return true;
    }
    if (*y == 25 && *x >= 20 && *x < 20 + g->eth_channels) {
        const uint8_t *core = g->eth[*x - 20];
        *x = core[0];
        *y = core[1];
        return true;
    }
    if (ttp_device_core_kind(g, *x, *y) != TTP_CORE_WORKER)
        return false;
    for (int i = 0; i < g->worker_cols; i++)
        if (worker_at(g, true, i) == *x) {
            const int at = skip_harvested(harvested, i, g->worker_cols);
            if (at >= 0)
                *x = worker_at(g, true, at);
            return at >= 0;
        }
    return false;
}

bool ttp_device_to_noc0(const struct ttp_noc_grid *g, enum ttp_coords from, uint32_t harvested,
                        int *x, int *y)
{
    const bool inside = *x >= 0 && *y >= 0 && *x < g->cols && *y < g->rows;

    switch (from) {
    case TTP_COORDS_NOC0:
        return inside;
    case TTP_COORDS_NOC1:
        if (inside) {
            *x = g->cols - 1 - *x;
            *y = g->rows - 1 - *y;
        }
        return inside;
    case TTP_COORDS_TRANSLATED:
        if (g == &ttp_noc_grid_wormhole && wormhole_translated(g, harvested, x, y))
            return true;
        if (g != &ttp_noc_grid_wormhole && blackhole_translated(g, harvested, x, y))
            return true;
        /* not translated: DRAM and PCIe of Wormhole, ARC of both */
        return inside && ttp_device_core_kind(g, *x, *y) != TTP_CORE_WORKER;
    }
    return false;
}
