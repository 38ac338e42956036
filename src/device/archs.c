/* SPDX-License-Identifier: Apache-2.0 */
#include "device/device.h"
#include "device/facts.h"

/* 4096 FLOPs per clock and core in one pass: Wormhole at 1.0 GHz, Blackhole at 1.35, N1 at 0.65.
 * HiFi2, HiFi3 and HiFi4 take two, three and four passes. */
#define WORMHOLE_PASS  (4096 * 1.0 / 1000)
#define BLACKHOLE_PASS (4096 * 1.35 / 1000)
#define N1_PASS        (4096 * 0.65 / 1000)
#define PASS_RATES(p)                                                                              \
    {                                                                                              \
        (p), (p) / 2, (p) / 3, (p) / 4                                                             \
    }

/* One NoC: tt-metal#30780, read 2026-11-15. */
#define BLACKHOLE_ONE_NOC 0.70

/* Sources: tt-perf-report 1.2.4 (rates) and 1.3.0 (p100, default grids,
 * DRAM workers), read 2026-11-15. Blackhole boards have 110 to 140 usable cores; 110 is the
 * smallest grid. */
static const struct ttp_arch archs[] = {
    {"wormhole", "n150", 64, WORMHOLE_DRAM_BANKS, WORMHOLE_DRAM_GBS, PASS_RATES(WORMHOLE_PASS),
     WORMHOLE_LINK_GBS, WORMHOLE_HOP_NS, 0},
    {"blackhole", "p150a", 110, BLACKHOLE_DRAM_BANKS, BLACKHOLE_DRAM_GBS,
     PASS_RATES(BLACKHOLE_PASS), BLACKHOLE_LINK_GBS, BLACKHOLE_HOP_NS, BLACKHOLE_ONE_NOC},
    {"blackhole_p100", "p100a", 110, P100_DRAM_BANKS, P100_DRAM_GBS, PASS_RATES(BLACKHOLE_PASS), 0,
     0, BLACKHOLE_ONE_NOC},
    {"bh20", NULL, 20, BLACKHOLE_DRAM_BANKS, BLACKHOLE_DRAM_GBS, PASS_RATES(BLACKHOLE_PASS),
     BLACKHOLE_LINK_GBS, BLACKHOLE_HOP_NS, BLACKHOLE_ONE_NOC},
    {"n1", NULL, 20, 8, 120, PASS_RATES(N1_PASS), 0, 0, 0},
};

const struct ttp_arch *ttp_boards_find_arch(const struct ttp_boards *table, ttp_str name,
                                            bool boards)
{
    const struct ttp_boards *all = table ? table : ttp_boards_builtin();
    const struct ttp_board *board = boards ? ttp_board_find(all, name) : NULL;

    if (board && all->board_arch && all->board_arch[board - all->board])
        return all->board_arch[board - all->board];
    if (board && !board->report_arch)
        return NULL;
    if (board)
        name = ttp_str_from(board->report_arch);
    if (ttp_str_eq_any_case(name, TTP_STR("wormhole_b0")))
        name = TTP_STR("wormhole");
    for (size_t i = 0; i < TTP_COUNT(archs); i++)
        if (ttp_str_eq_any_case(name, ttp_str_from(archs[i].name)))
            return all->arch && !board ? &all->arch[i] : &archs[i];
    return NULL;
}

const struct ttp_arch *ttp_device_find_arch(ttp_str name, bool boards)
{
    return ttp_boards_find_arch(NULL, name, boards);
}

const struct ttp_arch *ttp_device_arch_at(size_t i)
{
    return i < TTP_COUNT(archs) ? &archs[i] : NULL;
}

bool ttp_device_find_fidelity(ttp_str name, enum ttp_fidelity *out)
{
    static const char *const names[TTP_FIDELITIES] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};

    for (size_t i = 0; i < TTP_FIDELITIES; i++)
        if (ttp_str_eq(name, ttp_str_from(names[i]))) {
            *out = (enum ttp_fidelity)i;
            return true;
        }
    return false;
}
