/* SPDX-License-Identifier: Apache-2.0 */
/* boards.c - the table of boards. Every figure names its source; an unpublished figure is omitted
 * rather than guessed, and values that a device reports always take precedence over this table. */
#include "base/num.h"
#include "device/device.h"
#include "device/facts.h"

const struct ttp_fact_spec ttp_fact_specs[TTP_FACTS] = {
    [TTP_FACT_CHIPS] = {"chips", "chips on the board", "", TTP_FACT_NUMBER},
    [TTP_FACT_TENSIX_CORES] = {"tensix_cores", "Tensix cores", "", TTP_FACT_NUMBER},
    [TTP_FACT_GRID_X] = {"grid_x", "compute grid, columns", "", TTP_FACT_NUMBER},
    [TTP_FACT_GRID_Y] = {"grid_y", "compute grid, rows", "", TTP_FACT_NUMBER},
    [TTP_FACT_ETH_GRID_X] = {"eth_grid_x", "columns, dispatch on Ethernet", "", TTP_FACT_NUMBER},
    [TTP_FACT_ETH_GRID_Y] = {"eth_grid_y", "rows, dispatch on Ethernet", "", TTP_FACT_NUMBER},
    [TTP_FACT_AICLK_IDLE_MHZ] = {"aiclk_idle_mhz", "AI clock, idle", "MHz", TTP_FACT_NUMBER},
    [TTP_FACT_AICLK_MAX_MHZ] = {"aiclk_max_mhz", "AI clock, highest", "MHz", TTP_FACT_NUMBER},
    [TTP_FACT_L1_BYTES] = {"l1_bytes", "L1 per core", "bytes", TTP_FACT_NUMBER},
    [TTP_FACT_L1_RESERVED_BYTES] = {"l1_reserved_bytes", "L1 reserved per core", "bytes",
                                    TTP_FACT_NUMBER},
    [TTP_FACT_FLOP_PER_CYCLE] = {"flop_per_cycle", "matmul, LoFi, per core and cycle", "FLOP",
                                 TTP_FACT_NUMBER},
    [TTP_FACT_DRAM_BYTES] = {"dram_bytes", "DRAM", "bytes", TTP_FACT_NUMBER},
    [TTP_FACT_DRAM_CHANNELS] = {"dram_channels", "DRAM channels", "", TTP_FACT_NUMBER},
    [TTP_FACT_DRAM_BANKS] = {"dram_banks", "DRAM banks", "", TTP_FACT_NUMBER},
    [TTP_FACT_DRAM_GBS] = {"dram_gbs", "DRAM bandwidth", "GB/s", TTP_FACT_NUMBER},
    [TTP_FACT_DRAM_MTS] = {"dram_mts", "DRAM speed", "MT/s", TTP_FACT_NUMBER},
    [TTP_FACT_LINK_GBS] = {"link_gbs", "Ethernet link, one direction", "GB/s", TTP_FACT_NUMBER},
    [TTP_FACT_HOP_NS] = {"hop_ns", "Ethernet, chip to chip", "ns", TTP_FACT_NUMBER},
    [TTP_FACT_PCIE_GEN] = {"pcie_gen", "PCIe generation", "", TTP_FACT_NUMBER},
    [TTP_FACT_PCIE_WIDTH] = {"pcie_width", "PCIe lanes", "", TTP_FACT_NUMBER},
    [TTP_FACT_PCIE_WIDTH_OTHER] = {"pcie_width_other", "PCIe lanes, other chips of a tray", "",
                                   TTP_FACT_NUMBER},
    [TTP_FACT_BOARD_POWER_W] = {"board_power_w", "power of the board", "W", TTP_FACT_NUMBER},
    [TTP_FACT_TDP_W] = {"tdp_w", "core power limit", "W", TTP_FACT_NUMBER},
    [TTP_FACT_FAST_TDC_A] = {"fast_tdc_a", "current limit", "A", TTP_FACT_NUMBER},
    [TTP_FACT_THROTTLE_C] = {"throttle_c", "throttles at", "C", TTP_FACT_NUMBER},
    [TTP_FACT_SHUTDOWN_C] = {"shutdown_c", "shuts down at", "C", TTP_FACT_NUMBER},
    [TTP_FACT_GDDR_MAX_C] = {"gddr_max_c", "GDDR throttles at", "C", TTP_FACT_NUMBER},
    [TTP_FACT_PSU_W] = {"psu_w", "power supply of the machine", "W", TTP_FACT_NUMBER},
    [TTP_FACT_HUGEPAGES] = {"hugepages", "1 GiB pages per PCIe function", "", TTP_FACT_NUMBER},
    [TTP_FACT_FW_MIN] = {"fw_min", "oldest supported firmware", "", TTP_FACT_VERSION},
    [TTP_FACT_FW_ADVISED] = {"fw_advised", "recommended firmware", "", TTP_FACT_VERSION},
    [TTP_FACT_FW_TESTED] = {"fw_tested", "newest firmware tested", "", TTP_FACT_VERSION},
    [TTP_FACT_KMD_MIN] = {"kmd_min", "oldest supported driver", "", TTP_FACT_VERSION},
    [TTP_FACT_KMD_ADVISED] = {"kmd_advised", "recommended driver", "", TTP_FACT_VERSION},
    [TTP_FACT_KMD_LAST] = {"kmd_last", "last supporting driver", "", TTP_FACT_VERSION},
    [TTP_FACT_H2D_GBS] = {"h2d_gbs", "host to device", "GB/s", TTP_FACT_NUMBER},
    [TTP_FACT_D2H_GBS] = {"d2h_gbs", "device to host", "GB/s", TTP_FACT_NUMBER},
    [TTP_FACT_STATELESS_GBS_MIN] = {"stateless_gbs_min", "stateless, low", "GB/s", TTP_FACT_NUMBER},
    [TTP_FACT_STATELESS_GBS] = {"stateless_gbs", "stateless, typical", "GB/s", TTP_FACT_NUMBER},
    [TTP_FACT_STATELESS_GBS_MAX] = {"stateless_gbs_max", "stateless, high", "GB/s",
                                    TTP_FACT_NUMBER},
    [TTP_FACT_STATEFUL_GBS_MIN] = {"stateful_gbs_min", "stateful, low", "GB/s", TTP_FACT_NUMBER},
    [TTP_FACT_STATEFUL_GBS] = {"stateful_gbs", "stateful, typical", "GB/s", TTP_FACT_NUMBER},
    [TTP_FACT_STATEFUL_GBS_MAX] = {"stateful_gbs_max", "stateful, high", "GB/s", TTP_FACT_NUMBER},
};

/* --- where figures come from --- */

static const struct ttp_source product = {"tenstorrent.github.io 05e6d45, product pages",
                                          "2026-11-15"};
static const struct ttp_source firmware = {"tt-system-firmware 37359d86, board tables",
                                           "2026-11-15"};
static const struct ttp_source metal = {"tt-metal e4f9f0bb8de", "2026-08-22"};
static const struct ttp_source mlir = {"tt-mlir 19c86fca45, system descriptions", "2026-11-15"};
static const struct ttp_source kmd = {"tt-kmd 4af7192 (2.10.1-pre)", "2026-11-15"};
static const struct ttp_source umd = {"tt-umd 3ed9cb6d0", "2026-11-15"};
static const struct ttp_source tools = {"tt-system-tools d0da83e, hugepages script", "2026-11-15"};
static const struct ttp_source smi = {"tt-smi issue 67: a link seen on such a board", "2026-11-15"};
static const struct ttp_source derived = {"computed from other figures of this table",
                                          "2026-11-15"};
/* MEM_MAP_END of the two memory maps, plus 69 KiB for kernels, rounded up to the alignment. */
static const struct ttp_source memory_map = {
    "tt-metal dev_mem_map.h 009581c (Wormhole), 0079e94 (Blackhole), and 69 KiB of kernel config",
    "2026-11-15"};
/* 64 MiB buffers in DRAM, best page size, not pinned: one machine each, a guide and no promise. */
static const struct ttp_source n300_transfers = {
    "tt-metal e4f9f0bb8de, benchmark_rw_buffer on an n300 with an IOMMU", "2026-08-22"};
static const struct ttp_source p150_transfers = {
    "tt-metal e4f9f0bb8de, benchmark_rw_buffer on a p150", "2026-08-22"};
/* Not Tenstorrent's: author unknown, one pipeline of the TT-Buda years. */
static const struct ttp_source guide = {"Grayskull tuning guide (third party, one pipeline)",
                                        "2026-11-15"};

#define FACT(name, v, from)       [TTP_FACT_##name] = {(v), &(from)}
#define VERSION(a, b, c, d)       ((double)((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d)))
#define GIB(n)                    ((double)(n)*1073741824)
#define KIB(n)                    ((double)(n)*1024)
#define GRID(x, y, from)          FACT(GRID_X, x, from), FACT(GRID_Y, y, from)
#define ETH_GRID(x, y, from)      FACT(ETH_GRID_X, x, from), FACT(ETH_GRID_Y, y, from)
#define CORES(chips, tensix)      FACT(CHIPS, chips, product), FACT(TENSIX_CORES, tensix, product)
#define LINK(gen, lanes)          FACT(PCIE_GEN, gen, product), FACT(PCIE_WIDTH, lanes, product)
#define TRANSFERS(to, back, from) FACT(H2D_GBS, to, from), FACT(D2H_GBS, back, from)
#define ETHERNET(gbs, ns)         FACT(LINK_GBS, gbs, metal), FACT(HOP_NS, ns, metal)
#define CLOCKS(idle, highest)     FACT(AICLK_IDLE_MHZ, idle, umd), FACT(AICLK_MAX_MHZ, highest, product)

#define GRAYSKULL                                                                                  \
    FACT(L1_BYTES, KIB(1024), product), FACT(DRAM_BYTES, GIB(8), product),                         \
        FACT(DRAM_CHANNELS, 8, product), FACT(DRAM_BANKS, 8, product), LINK(4, 16),                \
        FACT(THROTTLE_C, 75, product), FACT(HUGEPAGES, 1, tools),                                  \
        FACT(KMD_LAST, VERSION(1, 31, 0, 0), kmd), FACT(FW_TESTED, VERSION(80, 14, 0, 0), product)
/* Both have dispatch that the kernel driver and the user-mode driver treat alike. */
#define LIVING                                                                                     \
    FACT(FLOP_PER_CYCLE, 4096, metal), FACT(HUGEPAGES, 4, tools),                                  \
        FACT(KMD_MIN, VERSION(2, 0, 0, 0), umd), FACT(KMD_ADVISED, VERSION(2, 8, 0, 0), metal),    \
        FACT(FW_TESTED, VERSION(19, 7, 1, 0), umd)
#define WORMHOLE                                                                                   \
    LIVING, CLOCKS(500, 1000), FACT(L1_BYTES, KIB(1464), metal),                                   \
        FACT(L1_RESERVED_BYTES, 103424, memory_map), FACT(DRAM_BYTES, GIB(12), product),           \
        FACT(DRAM_CHANNELS, 6, product), FACT(DRAM_BANKS, WORMHOLE_DRAM_BANKS, metal),             \
        ETHERNET(WORMHOLE_LINK_GBS, WORMHOLE_HOP_NS), FACT(THROTTLE_C, 75, product),               \
        FACT(FW_MIN, VERSION(18, 3, 0, 0), umd)
#define WORMHOLE_12G                                                                               \
    WORMHOLE, FACT(DRAM_GBS, WORMHOLE_DRAM_GBS, product), FACT(DRAM_MTS, 12000, product)
#define BLACKHOLE                                                                                  \
    LIVING, CLOCKS(800, 1350), FACT(L1_BYTES, KIB(1536), metal),                                   \
        FACT(L1_RESERVED_BYTES, 111360, memory_map), FACT(THROTTLE_C, 90, firmware),               \
        FACT(SHUTDOWN_C, 110, firmware), FACT(GDDR_MAX_C, 89, firmware),                           \
        FACT(FW_MIN, VERSION(18, 5, 0, 0), umd), FACT(FW_ADVISED, VERSION(19, 8, 1, 0), metal)
#define BLACKHOLE_32G                                                                              \
    BLACKHOLE, FACT(DRAM_BYTES, GIB(32), product), FACT(DRAM_CHANNELS, 8, product),                \
        FACT(DRAM_BANKS, BLACKHOLE_DRAM_BANKS, metal),                                             \
        ETHERNET(BLACKHOLE_LINK_GBS, BLACKHOLE_HOP_NS),                                            \
        FACT(DRAM_GBS, BLACKHOLE_DRAM_GBS, product), FACT(DRAM_MTS, 16000, product)
#define LIMITS(tdp, tdc) FACT(TDP_W, tdp, firmware), FACT(FAST_TDC_A, tdc, firmware)

static const struct ttp_board table[] = {
    {"e75",
     "grayskull",
     NULL,
     0xfaca,
     0x7,
     {CORES(1, 96), GRAYSKULL, FACT(AICLK_MAX_MHZ, 1000, product), FACT(DRAM_GBS, 102, product),
      FACT(BOARD_POWER_W, 75, product), FACT(PSU_W, 750, guide), FACT(STATELESS_GBS_MIN, 6, guide),
      FACT(STATELESS_GBS, 8, guide), FACT(STATELESS_GBS_MAX, 10, guide),
      FACT(STATEFUL_GBS_MIN, 3, guide), FACT(STATEFUL_GBS, 4.5, guide),
      FACT(STATEFUL_GBS_MAX, 6, guide)},
     NULL,
     NULL},
    {"e150",
     "grayskull",
     NULL,
     0xfaca,
     0x3,
     {CORES(1, 120), GRAYSKULL, FACT(AICLK_MAX_MHZ, 1200, product), FACT(DRAM_GBS, 118, product),
      FACT(BOARD_POWER_W, 200, product), FACT(PSU_W, 1000, guide),
      FACT(STATELESS_GBS_MIN, 10, guide), FACT(STATELESS_GBS, 12, guide),
      FACT(STATELESS_GBS_MAX, 14, guide), FACT(STATEFUL_GBS_MIN, 5, guide),
      FACT(STATEFUL_GBS, 7, guide), FACT(STATEFUL_GBS_MAX, 9, guide)},
     NULL,
     NULL},
    {"e300",
     "grayskull",
     NULL,
     0xfaca,
     0xa,
     {FACT(CHIPS, 1, product), FACT(L1_BYTES, KIB(1024), product), FACT(HUGEPAGES, 1, tools),
      FACT(KMD_LAST, VERSION(1, 31, 0, 0), kmd)},
     NULL,
     NULL},
    {"n150",
     "wormhole",
     "wormhole",
     0x401e,
     0x18,
     {CORES(1, 72), WORMHOLE_12G, GRID(8, 8, metal), ETH_GRID(8, 9, metal), LINK(4, 16),
      FACT(BOARD_POWER_W, 160, product)},
     NULL,
     NULL},
    {"n300",
     "wormhole",
     "wormhole",
     0x401e,
     0x14,
     {CORES(2, 64), WORMHOLE_12G, GRID(8, 7, metal), ETH_GRID(8, 8, metal), LINK(4, 16),
      FACT(BOARD_POWER_W, 300, product), TRANSFERS(12.2, 10.0, n300_transfers)},
     NULL,
     NULL},
    {"galaxy-wormhole",
     "wormhole",
     NULL,
     0x401e,
     0x35,
     {CORES(32, 80), WORMHOLE, GRID(8, 9, metal), ETH_GRID(8, 10, metal), FACT(DRAM_GBS, 336, mlir),
      FACT(DRAM_MTS, 14000, mlir), FACT(PCIE_WIDTH, 8, umd), FACT(PCIE_WIDTH_OTHER, 1, umd),
      FACT(FW_ADVISED, VERSION(19, 8, 1, 0), metal)},
     NULL,
     NULL},
    {"p150a",
     "blackhole",
     "blackhole",
     0xb140,
     0x40,
     {CORES(1, 120), BLACKHOLE_32G, GRID(11, 10, metal), LINK(5, 16),
      FACT(BOARD_POWER_W, 300, product), LIMITS(150, 220), TRANSFERS(21.5, 14.6, p150_transfers)},
     NULL,
     NULL},
    {"p150b",
     "blackhole",
     "blackhole",
     0xb140,
     0x41,
     {CORES(1, 120), BLACKHOLE_32G, GRID(11, 10, metal), LINK(5, 16),
      FACT(BOARD_POWER_W, 300, product), LIMITS(150, 220), TRANSFERS(21.5, 14.6, p150_transfers)},
     NULL,
     NULL},
    {"p150c",
     "blackhole",
     "blackhole",
     0xb140,
     0x42,
     {CORES(1, 120), BLACKHOLE_32G, GRID(11, 10, metal), LINK(5, 16),
      FACT(BOARD_POWER_W, 450, firmware), LIMITS(500, 400), TRANSFERS(21.5, 14.6, p150_transfers)},
     NULL,
     NULL},
    {"p100",
     "blackhole",
     "blackhole_p100",
     0xb140,
     0x36,
     {FACT(CHIPS, 1, product), BLACKHOLE, FACT(PCIE_GEN, 5, smi), FACT(PCIE_WIDTH, 16, smi),
      LIMITS(150, 220)},
     NULL,
     NULL},
    {"p100a",
     "blackhole",
     "blackhole_p100",
     0xb140,
     0x43,
     {CORES(1, 120), BLACKHOLE, GRID(11, 10, metal), FACT(DRAM_BYTES, GIB(28), product),
      FACT(DRAM_CHANNELS, 7, product), FACT(DRAM_BANKS, P100_DRAM_BANKS, metal),
      FACT(DRAM_GBS, P100_DRAM_GBS, product), FACT(DRAM_MTS, 16000, derived), LINK(5, 16),
      FACT(BOARD_POWER_W, 300, product), LIMITS(150, 220)},
     NULL,
     NULL},
    {"p300a",
     "blackhole",
     "blackhole",
     0xb140,
     0x45,
     {CORES(2, 120), BLACKHOLE_32G, GRID(11, 10, metal), FACT(PCIE_GEN, 5, product),
      FACT(PCIE_WIDTH, 8, derived), FACT(BOARD_POWER_W, 450, firmware), LIMITS(86, 320)},
     NULL,
     NULL},
    {"p300b",
     "blackhole",
     "blackhole",
     0xb140,
     0x44,
     {CORES(2, 120), BLACKHOLE_32G, GRID(11, 10, metal), FACT(PCIE_GEN, 5, product),
      FACT(PCIE_WIDTH, 8, derived), FACT(BOARD_POWER_W, 450, firmware), LIMITS(94, 320)},
     NULL,
     NULL},
    {"p300c",
     "blackhole",
     "blackhole",
     0xb140,
     0x46,
     {CORES(2, 120), BLACKHOLE_32G, GRID(11, 10, metal), FACT(PCIE_GEN, 5, product),
      FACT(PCIE_WIDTH, 8, derived), FACT(BOARD_POWER_W, 550, firmware), LIMITS(125, 320)},
     NULL,
     NULL},
    {"galaxy-blackhole",
     "blackhole",
     "blackhole",
     0xb140,
     0x47,
     {CORES(32, 130), BLACKHOLE_32G, GRID(12, 10, metal), FACT(PCIE_GEN, 4, product),
      FACT(PCIE_WIDTH, 8, product), FACT(PCIE_WIDTH_OTHER, 1, product), LIMITS(130, 400)},
     NULL,
     NULL},
};

/* Other names in use: product variants, tt-smi, tt-mlir, tt-perf-report, plain families. */
static const struct {
    const char *name, *board;
} aliases[] = {
    {"n150d", "n150"},
    {"n150s", "n150"},
    {"n300d", "n300"},
    {"n300s", "n300"},
    {"n300 L", "n300"},
    {"n300 R", "n300"},
    {"galaxy", "galaxy-wormhole"},
    {"galaxy-wh", "galaxy-wormhole"},
    {"tt-galaxy-wh", "galaxy-wormhole"},
    {"galaxy_bh", "galaxy-blackhole"},
    {"galaxy-bh", "galaxy-blackhole"},
    {"tt-galaxy-bh", "galaxy-blackhole"},
    {"bh-scrappy", "p100"},
    {"blackhole_p100a", "p100a"},
    {"p150", "p150a"},
    {"blackhole_p150", "p150a"},
    {"p300", "p300a"},
};

const struct ttp_boards *ttp_boards_builtin(void)
{
    static const struct ttp_boards all = {.board = table, .count = TTP_COUNT(table)};

    return &all;
}

static const struct ttp_board *by_name(const struct ttp_boards *boards, ttp_str name)
{
    for (size_t i = 0; i < boards->count; i++)
        if (ttp_str_eq_any_case(name, ttp_str_from(boards->board[i].name)))
            return &boards->board[i];
    return NULL;
}

const struct ttp_board *ttp_board_find(const struct ttp_boards *boards, ttp_str name)
{
    const struct ttp_board *found = by_name(boards, name);

    for (size_t i = 0; !found && i < TTP_COUNT(aliases); i++)
        if (ttp_str_eq_any_case(name, ttp_str_from(aliases[i].name)))
            found = by_name(boards, ttp_str_from(aliases[i].board));
    return found;
}

const struct ttp_board *ttp_board_of(const struct ttp_boards *boards, ttp_str name)
{
    const struct ttp_board *found = ttp_board_find(boards, name);
    const struct ttp_arch *arch = found ? NULL : ttp_device_find_arch(name, false);

    if (arch && arch->board)
        return ttp_board_find(boards, ttp_str_from(arch->board));
    return !found && ttp_str_eq_any_case(name, TTP_STR("grayskull"))
               ? ttp_board_find(boards, TTP_STR("e150"))
               : found;
}

const struct ttp_board *ttp_board_by_upi(const struct ttp_boards *boards, uint32_t upi)
{
    for (size_t i = 0; upi && i < boards->count; i++)
        if (boards->board[i].upi == upi)
            return &boards->board[i];
    return NULL;
}

const struct ttp_board *ttp_board_by_pci(const struct ttp_boards *boards, uint16_t pci_device)
{
    for (size_t i = 0; i < boards->count; i++)
        if (boards->board[i].pci_device == pci_device)
            return &boards->board[i];
    return NULL;
}

/* --- versions --- */

bool ttp_device_version_parse(uint32_t *out, ttp_str text)
{
    ttp_str part[5];
    uint64_t byte;
    uint32_t version = 0;
    size_t end = 0;

    text = ttp_str_trim(text);
    while (end < text.len && text.ptr[end] != '-' && text.ptr[end] != '+')
        end++;
    const size_t parts = ttp_str_split(ttp_str_slice(text, 0, end), '.', part, TTP_COUNT(part));
    if (parts < 2 || parts > 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        byte = 0;
        if (i < parts && (!ttp_str_to_u64(part[i], &byte) || byte > 255))
            return false;
        version = version << 8 | (uint32_t)byte;
    }
    *out = version;
    return true;
}

ttp_str ttp_device_version_text(char *out, uint32_t version)
{
    size_t len = 0;
    const int parts = version & 0xff ? 4 : 3;

    for (int i = 0; i < parts; i++) {
        if (i)
            out[len++] = '.';
        len += ttp_num_u64(out + len, version >> (24 - 8 * i) & 0xff);
    }
    return (ttp_str){out, len};
}
