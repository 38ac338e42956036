/* SPDX-License-Identifier: Apache-2.0 */
/* noc_models.c - rates and latencies that estimates of NoC transfers assume.
 *
 * A constant is a row here, never a number in the estimator: tt-npe changes some (its change 124
 * raises Wormhole's DRAM rate), and a new version is then a new row with its source. */
#include "device/noc_grids.h"

#define NPE "tt-npe 1021603 (2026-06-26)"
/* Clusters that tt-npe has no model for: as many of its chips. */
#define OWN "tt-perf 1, rates of tt-npe 1021603"

static const struct ttp_noc_bandwidth wormhole_bandwidth[] = {
    {0, 0.0F}, {128, 5.5F}, {256, 10.1F}, {512, 18.0F}, {1024, 27.4F}, {2048, 30.0F}, {8192, 30.0F},
};
static const struct ttp_noc_bandwidth blackhole_bandwidth[] = {
    {0, 0.0F},     {128, 6.0F},   {256, 12.1F},  {512, 24.2F},   {1024, 48.0F},
    {2048, 57.7F}, {4096, 58.7F}, {8192, 60.4F}, {16384, 60.9F},
};

/* In order of enum ttp_core_kind: other, worker, DRAM, ethernet. tt-npe knows no rate of other
 * cores and takes the worker's. */
#define WORMHOLE(label, count, from)                                                               \
    {                                                                                              \
        .name = (label), .source = (from), .grid = &ttp_noc_grid_wormhole, .chips = (count),       \
        .dram_controllers = 6, .link = 30.0F, .peak = 30.0F,                                       \
        .inject = {28.1F, 28.1F, 23.2F, 28.1F}, .absorb = {28.1F, 28.1F, 24.0F, 24.0F},            \
        .dram_controller = (23.2F + 24.0F) / 2, .dram_chip = 6 * ((23.2F + 24.0F) / 2),            \
        .eth_link = 12.5F, .bandwidth = wormhole_bandwidth,                                        \
        .nbandwidth = TTP_COUNT(wormhole_bandwidth), .read_same_core = 70,                         \
        .read_same_column = 154, .read_same_row = 170, .read_other = 270, .write_base = 40,        \
        .write_hop = 10, .eth_hop = 600, .eth_hop_byte = 0.1055F,                                  \
    }

/* DRAM: 54 GB/s at the 1.35 GHz that tt-npe assumes. It has no ethernet hop for this chip; the one
 * of Wormhole is taken. */
#define BLACKHOLE_DRAM (54.0F / 1.35F)
#define BLACKHOLE(label, count, controllers, from)                                                 \
    {                                                                                              \
        .name = (label), .source = (from), .grid = &ttp_noc_grid_blackhole, .chips = (count),      \
        .dram_controllers = (controllers), .link = 60.9F, .peak = 60.9F,                           \
        .inject = {60.9F, 60.9F, BLACKHOLE_DRAM, 999.9F},                                          \
        .absorb = {60.9F, 60.9F, BLACKHOLE_DRAM, 999.9F},                                          \
        .dram_controller = (BLACKHOLE_DRAM + BLACKHOLE_DRAM) / 2,                                  \
        .dram_chip = (controllers) * ((BLACKHOLE_DRAM + BLACKHOLE_DRAM) / 2), .eth_link = 50.0F,   \
        .bandwidth = blackhole_bandwidth, .nbandwidth = TTP_COUNT(blackhole_bandwidth),            \
        .read_same_core = 65, .read_same_column = 177, .read_same_row = 217, .read_other = 329,    \
        .write_base = 40, .write_hop = 11, .eth_hop = 600, .eth_hop_byte = 0.1055F,                \
    }

static const struct ttp_noc_model models[] = {
    WORMHOLE("wormhole_b0", 1, NPE), WORMHOLE("N150", 1, NPE),
    WORMHOLE("N300", 2, NPE),        WORMHOLE("T3K", 8, NPE),
    WORMHOLE("GALAXY", 32, NPE),     WORMHOLE("TG", 36, NPE),
    WORMHOLE("N300_2x2", 4, OWN),    BLACKHOLE("blackhole", 1, 7, NPE),
    BLACKHOLE("P100", 1, 7, NPE),    BLACKHOLE("P150", 1, 8, NPE),
    BLACKHOLE("P300", 2, 8, NPE),    BLACKHOLE("P150_X8", 8, 8, NPE),
    BLACKHOLE("P150_X2", 2, 8, OWN), BLACKHOLE("P150_X4", 4, 8, OWN),
    BLACKHOLE("P300_X2", 4, 8, OWN), BLACKHOLE("BLACKHOLE_GALAXY", 32, 8, NPE),
};

const struct ttp_noc_model *ttp_device_noc_model(ttp_str name)
{
    for (size_t i = 0; i < TTP_COUNT(models); i++)
        if (ttp_str_eq_any_case(name, ttp_str_from(models[i].name)))
            return &models[i];
    return NULL;
}

const struct ttp_noc_model *ttp_device_noc_model_at(size_t i)
{
    return i < TTP_COUNT(models) ? &models[i] : NULL;
}

static const struct ttp_arch *arch_of(const struct ttp_noc_model *model)
{
    const struct ttp_arch *arch = ttp_device_find_arch(ttp_str_from(model->name), true);

    return arch ? arch : ttp_device_find_arch(ttp_str_from(model->grid->arch), true);
}

double ttp_device_noc_model_dram_gbs(const struct ttp_noc_model *model)
{
    return arch_of(model)->dram_gbs;
}

double ttp_device_noc_model_ghz(const struct ttp_noc_model *model)
{
    /* a core computes 4096 FLOPs per clock in one pass */
    return arch_of(model)->tflops_per_core[TTP_FIDELITY_LOFI] * 1000 / 4096;
}
