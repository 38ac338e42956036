/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - door of the device module: properties of chips and boards. Constant data, safe from
 * any thread. */
#ifndef TTP_DEVICE_DEVICE_H
#define TTP_DEVICE_DEVICE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum ttp_fidelity { TTP_FIDELITY_LOFI, TTP_FIDELITY_HIFI2, TTP_FIDELITY_HIFI3, TTP_FIDELITY_HIFI4 };
#define TTP_FIDELITIES 4

/* One architecture as reports see it. Peak rates are per core, because ops use parts of the grid.
 */
struct ttp_arch {
    const char *name;
    const char *board; /* the board it represents, where only its name is known; or NULL */
    int worker_cores;  /* of a whole chip, when the file does not say */
    int dram_workers;  /* cores that a DRAM-sharded matmul uses: one per DRAM bank */
    double dram_gbs;
    double tflops_per_core[TTP_FIDELITIES];
    double link_gbs;     /* of one Ethernet link, one direction; 0: it has none */
    double hop_ns;       /* least time of a packet from chip to chip; 0: unknown */
    double one_noc_part; /* of the DRAM peak that one NoC can reach with scattered readers; 0: not
                            known to matter */
};

/* The architecture of that name in any case; "wormhole_b0" is "wormhole". NULL: unknown. `boards`:
 * names of boards are fine too, such as p150a. */
const struct ttp_arch *ttp_device_find_arch(ttp_str name, bool boards);
struct ttp_boards;
/* The same with the figures of that table, whose new boards have a name too. NULL: built in. */
const struct ttp_arch *ttp_boards_find_arch(const struct ttp_boards *table, ttp_str name,
                                            bool boards);
/* The i-th architecture, NULL after the last: for messages that list them. */
const struct ttp_arch *ttp_device_arch_at(size_t i);
/* "LoFi", "HiFi2", "HiFi3", "HiFi4"; false for anything else. */
bool ttp_device_find_fidelity(ttp_str name, enum ttp_fidelity *out);

/* ---- NoC grids ---- */

enum ttp_core_kind { TTP_CORE_OTHER, TTP_CORE_WORKER, TTP_CORE_DRAM, TTP_CORE_ETH };
#define TTP_CORE_KINDS 4

/* The NoC of one chip: a torus of routers, cols wide and rows high. */
struct ttp_noc_grid {
    const char *arch; /* "wormhole_b0" or "blackhole" */
    uint8_t cols, rows;
    uint8_t dram_channels, dram_ports; /* controllers, and the routers each one answers on */
    uint8_t eth_channels;
    uint8_t worker_cols, worker_rows; /* of a chip on which nothing is harvested */
    const char *const *map;           /* a line for each row: D dram, E eth, W worker, U other */
    const uint8_t (*dram)[2];         /* x, y of port p of channel c at [c * dram_ports + p] */
    const uint8_t (*eth)[2];          /* x, y by channel */
};

/* By name of an architecture or board, in any case. NULL: unknown. */
const struct ttp_noc_grid *ttp_device_noc_grid(ttp_str name);
/* x and y in NoC 0 coordinates; outside the grid it is TTP_CORE_OTHER. */
enum ttp_core_kind ttp_device_core_kind(const struct ttp_noc_grid *g, int x, int y);
/* "worker", "dram", "eth", "other" */
const char *ttp_device_core_kind_name(enum ttp_core_kind kind);
/* Channel of a DRAM core in NoC 0 coordinates, -1: none. */
int ttp_device_dram_channel(const struct ttp_noc_grid *g, int x, int y);

/* Cores for ops on a chip whose grid of Tensix cores has `all`. Where those are more than the
 * architecture's workers, a row (Wormhole) or column (Blackhole) of them is for dispatch. */
int64_t ttp_device_worker_cores(const struct ttp_arch *arch, const struct ttp_noc_grid *g,
                                int64_t all);

/* ---- NoC models ---- */

struct ttp_noc_bandwidth {
    uint32_t packet_bytes;
    float bytes_per_cycle;
};

/* What the estimate of transfers assumes of a device; rates in bytes per cycle. */
struct ttp_noc_model {
    const char *name;   /* as tt-npe and topology.json's cluster_type call it */
    const char *source; /* where the constants are from */
    const struct ttp_noc_grid *grid;
    uint8_t chips;
    uint8_t dram_controllers; /* of a chip */
    float link;               /* capacity of a link, one direction */
    float peak;               /* of a transfer's first packet */
    float inject[TTP_CORE_KINDS], absorb[TTP_CORE_KINDS];
    float dram_controller, dram_chip;
    float eth_link; /* one direction */
    const struct ttp_noc_bandwidth *bandwidth;
    uint8_t nbandwidth;
    uint16_t read_same_core, read_same_column, read_same_row, read_other; /* cycles */
    uint16_t write_base, write_hop;                                       /* cycles */
    uint16_t eth_hop;                                                     /* cycles */
    float eth_hop_byte;                                                   /* cycles per byte */
};

/* In any case. NULL: unknown. */
const struct ttp_noc_model *ttp_device_noc_model(ttp_str name);
/* Of a chip of the board that a model is of: peak of its DRAM, and clock. */
double ttp_device_noc_model_dram_gbs(const struct ttp_noc_model *model);
double ttp_device_noc_model_ghz(const struct ttp_noc_model *model);
/* ---- boards ---- */

/* What is known about a board. Per chip unless it says board. */
enum ttp_fact {
    TTP_FACT_CHIPS, /* on the board */
    TTP_FACT_TENSIX_CORES,
    TTP_FACT_GRID_X, /* cores that ops can use when dispatch takes a row or column of them */
    TTP_FACT_GRID_Y,
    TTP_FACT_ETH_GRID_X, /* the same when dispatch runs on Ethernet cores */
    TTP_FACT_ETH_GRID_Y,
    TTP_FACT_AICLK_IDLE_MHZ,
    TTP_FACT_AICLK_MAX_MHZ,
    TTP_FACT_L1_BYTES,          /* per core */
    TTP_FACT_L1_RESERVED_BYTES, /* of those, taken by firmware and kernels before any buffer */
    TTP_FACT_FLOP_PER_CYCLE,    /* per core, at LoFi */
    TTP_FACT_DRAM_BYTES,
    TTP_FACT_DRAM_CHANNELS,
    TTP_FACT_DRAM_BANKS,
    TTP_FACT_DRAM_GBS,
    TTP_FACT_DRAM_MTS, /* transfers per second and pin, in millions */
    TTP_FACT_LINK_GBS, /* of one Ethernet link, one direction */
    TTP_FACT_HOP_NS,   /* of a packet over one such link */
    TTP_FACT_PCIE_GEN,
    TTP_FACT_PCIE_WIDTH,
    TTP_FACT_PCIE_WIDTH_OTHER, /* of chips that are not their tray's host chip */
    TTP_FACT_BOARD_POWER_W,    /* board: what the supply must deliver */
    TTP_FACT_TDP_W,            /* core power the firmware allows */
    TTP_FACT_FAST_TDC_A,
    TTP_FACT_THROTTLE_C,
    TTP_FACT_SHUTDOWN_C,
    TTP_FACT_GDDR_MAX_C,
    TTP_FACT_PSU_W,      /* of the machine, as the old tuning guide asks for */
    TTP_FACT_HUGEPAGES,  /* of 1 GiB, per PCIe function, without an IOMMU */
    TTP_FACT_FW_MIN,     /* versions: a.b.c.d, a byte each; older firmware does not work */
    TTP_FACT_FW_ADVISED, /* what the vendor's install page asks for */
    TTP_FACT_FW_TESTED,  /* newest that the user-mode driver was tested with */
    TTP_FACT_KMD_MIN,    /* kernel driver: older is refused by the user-mode driver */
    TTP_FACT_KMD_ADVISED,
    TTP_FACT_KMD_LAST, /* the driver dropped the board after this version */
    TTP_FACT_H2D_GBS,  /* host to device, as the vendor's own run of its benchmark had it */
    TTP_FACT_D2H_GBS,
    TTP_FACT_STATELESS_GBS_MIN, /* ranges of the old tuning guide's own pipeline */
    TTP_FACT_STATELESS_GBS,
    TTP_FACT_STATELESS_GBS_MAX,
    TTP_FACT_STATEFUL_GBS_MIN,
    TTP_FACT_STATEFUL_GBS,
    TTP_FACT_STATEFUL_GBS_MAX,
    TTP_FACTS
};

enum ttp_fact_kind { TTP_FACT_NUMBER, TTP_FACT_VERSION };
struct ttp_fact_spec {
    const char *id;    /* stable: key in the user's file and in JSON */
    const char *title; /* for human readers */
    const char *unit;  /* "MHz", "bytes", ... or "" */
    enum ttp_fact_kind kind;
};
extern const struct ttp_fact_spec ttp_fact_specs[TTP_FACTS];

/* Where a figure comes from and when it was read there. */
struct ttp_source {
    const char *name;
    const char *date; /* YYYY-MM-DD; empty: the user's file */
};
struct ttp_fact_value {
    double value;                    /* versions: the four bytes as one number */
    const struct ttp_source *source; /* NULL: unknown */
};

/* ---- constants of the cost model ---- */

/* Of src/cost: rates, latencies and cycles that were fitted to measured ops. Times in ns, rates in
 * GB/s. */
enum ttp_cost_constant {
    TTP_COST_T0,    /* fixed cost of an op */
    TTP_COST_DT0,   /* the same, DRAM-sharded matmul */
    TTP_COST_LAT,   /* handshake of a broadcast, per step */
    TTP_COST_LATC,  /* of it per receiving core */
    TTP_COST_RD,    /* issue of one interleaved tile read from DRAM */
    TTP_COST_RBW,   /* rate of one reader */
    TTP_COST_RDL1,  /* issue of one interleaved tile read from L1 */
    TTP_COST_SHBW,  /* rate from a DRAM shard */
    TTP_COST_MBW,   /* rate of a broadcast */
    TTP_COST_OWN,   /* latency of a core's own reads, per step */
    TTP_COST_DBW,   /* DRAM total for input 1 */
    TTP_COST_DB0,   /* DRAM total for input 0 */
    TTP_COST_DWR,   /* writes to DRAM */
    TTP_COST_LWR,   /* writes to interleaved L1 */
    TTP_COST_DPG,   /* DRAM, per page */
    TTP_COST_WRT,   /* write of one tile */
    TTP_COST_BANK,  /* one DRAM bank, DRAM-sharded matmul */
    TTP_COST_DLAT,  /* input 0 of a step, DRAM-sharded matmul */
    TTP_COST_ALPHA, /* factor on the cycles of the math engine */
    TTP_COST_U0,    /* unpack, cycles per tile */
    TTP_COST_U1,    /* unpack, cycles per 64 bytes */
    TTP_COST_O,     /* cycles per subblock and k */
    TTP_COST_S,     /* cycles per subblock and step */
    TTP_COST_P,     /* pack, cycles per tile and step */
    TTP_COST_SILU,  /* cycles per output tile */
    TTP_COST_GELU,
    TTP_COST_MEFF, /* factor of minimal_matmul */
    TTP_COST_BOV,  /* per batch or out block */
    TTP_COST_MBC,  /* slowdown of a broadcast per receiving core */
    TTP_COST_DRB,  /* DRAM total for input 1 of a batched matmul without broadcast */
    TTP_COST_Q,    /* exponent of the norm that joins what overlaps */
    TTP_COSTS
};

struct ttp_cost_spec {
    const char *id;    /* stable: "cost_lat" in the boards file */
    const char *title; /* for human readers */
    const char *unit;
};
extern const struct ttp_cost_spec ttp_cost_specs[TTP_COSTS];

struct ttp_cost_value {
    double value;
    double low, high; /* over fits that leave one model out; both 0: the data did not determine it,
                         the value is the initial guess of the fit */
    const struct ttp_source *source;
    uint32_t groups; /* number of measured groups of ops; 0: the user's file does not say */
};

/* What rules of the advice count with, of ops that have no model of their own. Times in us. */
enum ttp_op_constant {
    TTP_OPC_FLOOR_ELTWISE,    /* shortest time of an op of a kind */
    TTP_OPC_FLOOR_NORM,       /* on shards */
    TTP_OPC_FLOOR_ATTENTION,  /* SDPA decode */
    TTP_OPC_FLOOR_COLLECTIVE, /* all-gather, reduce-scatter, all-reduce */
    TTP_OPC_NEAR_FLOOR,       /* an op below so many floors is not worth tuning */
    TTP_OPC_TRACED_GAP,       /* between two ops of a trace */
    TTP_OPC_NORM_TILE,        /* a norm on shards, per tile of a row */
    TTP_OPC_DRAM_SHARDED,     /* share of the DRAM peak: DRAM-sharded matmul */
    TTP_OPC_DRAM_TUNED,       /* the same, interleaved */
    TTP_OPC_FLOPS_TUNED,      /* share of the FLOP peak of tuned ops */
    TTP_OPC_ATTENTION_FACTOR, /* attention by hand over SDPA */
    TTP_OPC_SDPA_PREFILL,     /* part that chunk sizes save */
    TTP_OPC_SDPA_DECODE,      /* of what is above the floor */
    TTP_OPC_HIDDEN,        /* part of the shorter op that a fused matmul and reduce-scatter hides */
    TTP_OPC_ASYNC_WORKERS, /* part that asynchronous collectives with more workers save */
    TTP_OP_CONSTANTS
};
extern const struct ttp_cost_spec ttp_op_constant_specs[TTP_OP_CONSTANTS];

struct ttp_board {
    const char *name;        /* as the kernel driver spells it: n150, p150a, galaxy-blackhole */
    const char *chip;        /* grayskull, wormhole, blackhole */
    const char *report_arch; /* its struct ttp_arch; NULL: none */
    uint16_t pci_device;     /* id under vendor 0x1e52 */
    uint16_t upi;            /* product number in the board id */
    struct ttp_fact_value fact[TTP_FACTS];
    const struct ttp_cost_value *cost;        /* TTP_COSTS of the user's; NULL: those of the chip */
    const struct ttp_cost_value *op_constant; /* TTP_OP_CONSTANTS; as above */
};

struct ttp_boards {
    const struct ttp_board *board;
    size_t count;
    /* With the user's figures, if there are any; else NULL: */
    const struct ttp_arch *arch;              /* as ttp_device_arch_at() */
    const struct ttp_arch *const *board_arch; /* of each board; NULL: none there */
};

#define TTP_PCI_VENDOR 0x1e52

/* What this program was built with. */
const struct ttp_boards *ttp_boards_builtin(void);
/* The same with the figures of a user's file on top (docs/formats/boards.md); `path` NULL: without.
 * Boards that are new there are added. TTP_EIO: it cannot be read. TTP_EPARSE: err->offset is the
 * first byte of the line. TTP_ELIMIT: too large. *out lives in the arena. */
TTP_NODISCARD ttp_code ttp_boards_read_file(const struct ttp_boards **out, const char *path,
                                            struct ttp_arena *arena, struct ttp_err *err);
/* By its name in any case, or one of the other names in use ("n300 L", "p150", "n150d",
 * "tt-galaxy-wh"). NULL: unknown. */
const struct ttp_board *ttp_board_find(const struct ttp_boards *boards, ttp_str name);
/* The same, or by the name of a chip or architecture, which represents one of its boards. */
const struct ttp_board *ttp_board_of(const struct ttp_boards *boards, ttp_str name);
/* By product number; by PCI device id alone it is the first board with such a chip. NULL: none. */
const struct ttp_board *ttp_board_by_upi(const struct ttp_boards *boards, uint32_t upi);
const struct ttp_board *ttp_board_by_pci(const struct ttp_boards *boards, uint16_t pci_device);
/* The product number in a board id (tt_serial). */
static inline uint32_t ttp_board_id_upi(uint64_t board_id)
{
    return (uint32_t)(board_id >> 36) & 0xfffff;
}

/* TTP_COSTS constants of the cost model; NULL: nothing was measured on such a chip. */
const struct ttp_cost_value *ttp_board_costs(const struct ttp_board *b);
/* TTP_OP_CONSTANTS; `b` NULL or of another chip: those of Blackhole, where most was measured. */
const struct ttp_cost_value *ttp_board_op_constants(const struct ttp_board *b);

/* False: unknown, *out untouched. */
static inline bool ttp_board_fact(const struct ttp_board *b, enum ttp_fact fact, double *out)
{
    if (!b || !b->fact[fact].source)
        return false;
    *out = b->fact[fact].value;
    return true;
}

/* ---- op families: what the name of an op says about it ---- */

enum ttp_category {
    TTP_CATEGORY_COMPUTE,
    TTP_CATEGORY_CCL,
    TTP_CATEGORY_TM,
    TTP_CATEGORY_DM,
    TTP_CATEGORY_HOST,
    TTP_CATEGORY_OTHER,
    TTP_CATEGORIES
};
/* "Compute", "CCL", "TM", "DM", "Host", "Other" */
const char *ttp_device_category_name(enum ttp_category category);

/* How the name of an op begins that is a program of a device log without names. */
#define TTP_PROGRAM_OP "Program"

enum ttp_op_trait {
    TTP_IS_MATMUL = 1 << 0,
    TTP_IS_ANY_MATMUL = 1 << 1, /* also one fused with something else */
    TTP_IS_SPARSE = 1 << 2,     /* a sparse matmul */
    TTP_IS_CONV = 1 << 3,
    TTP_IS_CONV2D = 1 << 4, /* its work follows from two dimensions */
    TTP_IS_OPTIMIZED_CONV = 1 << 5,
    TTP_IS_HALO = 1 << 6,
    TTP_IS_LAYOUT = 1 << 7, /* changes layout, datatype or shape only */
    TTP_IS_RESHARD = 1 << 8,
    TTP_IS_ELTWISE = 1 << 9,
    TTP_IS_ATTENTION = 1 << 10,
    TTP_IS_SDPA = 1 << 11,
    TTP_IS_HEADS = 1 << 12, /* works on heads of attention or on their cache, few of them */
    TTP_IS_SOFTMAX = 1 << 13,
    TTP_IS_NORM = 1 << 14,
    TTP_IS_BATCH_NORM = 1 << 15,
    TTP_IS_ROUTER = 1 << 16, /* chooses experts */
    TTP_IS_MOVE = 1 << 17,
    TTP_IS_COLLECTIVE = 1 << 18,
    TTP_IS_ALL_GATHER = 1 << 19,
    TTP_IS_REDUCE_SCATTER = 1 << 20,
    TTP_IS_OWN = 1 << 21, /* a kernel of the user's own */
    TTP_OP_TRAITS = 22,   /* users may define bits of their own from here on */
};

/* How the traffic of an op follows from its tensors. */
enum ttp_op_moves {
    TTP_MOVES_UNKNOWN,
    TTP_MOVES_ALL,       /* reads its inputs and writes its output, once each */
    TTP_MOVES_PART,      /* reads as much of input 0 as it writes */
    TTP_MOVES_ROWS,      /* reads as much of input 1, a table, as it writes */
    TTP_MOVES_GATHERED,  /* a collective: what it gathers goes over links */
    TTP_MOVES_SCATTERED, /* a collective that sends what it reduces */
    TTP_MOVES_REDUCED,   /* a collective that does both */
};

/* What an op must do with other devices. */
enum ttp_op_waits {
    TTP_WAITS_NOT,
    TTP_WAITS_FOR_ALL,    /* no device ends before all have begun */
    TTP_WAITS_FOR_SENDER, /* a receiver ends after its sender began */
    TTP_WAITS_UNPROVEN,   /* communication of which that is unknown: all-to-all and the like */
};

/* Further properties of a name. */
enum ttp_op_mark {
    TTP_OP_ASYNC = 1 << 0,     /* an asynchronous collective */
    TTP_OP_DECODE = 1 << 1,    /* attention of one token per user */
    TTP_OP_BY_VALUES = 1 << 2, /* its time depends on the content of its tensors: a position, or
                                * the chosen experts; equal shapes are not equal work */
    TTP_OP_MINIMAL = 1 << 3,   /* minimal_matmul */
    TTP_OP_REDUCES = 1 << 4,   /* an all-gather, reduce-scatter or all-reduce is in it */
};

struct ttp_op_family {
    uint32_t traits;  /* enum ttp_op_trait */
    uint8_t category; /* enum ttp_category */
    uint8_t moves;    /* enum ttp_op_moves */
    uint8_t work;     /* operations per element of the output or of input 0; 0: none or unknown */
    uint8_t waits;    /* enum ttp_op_waits */
    uint8_t sends;    /* enum ttp_op_moves: of the collective in it; 0: none */
    uint8_t marks;    /* enum ttp_op_mark */
    bool fused;       /* a collective that computes as well: its ends do not coincide */
};
/* By an OP CODE, with or without name space and sizes. */
struct ttp_op_family ttp_op_family_of(ttp_str code);
/* The same as TTP_IS_ANY_MATMUL and fast; also for names of kernels, in lower case. */
bool ttp_op_has_matmul(ttp_str code);

/* "2.8.0", "19.8.1.0", "2.10.1-pre" and "80.14.0.0" as one number that compares; what follows '-'
 * or
 * '+' does not count. False: not two to four numbers up to 255 with points between. */
bool ttp_device_version_parse(uint32_t *out, ttp_str text);
/* With three parts, or four if the last is not 0. Room: 16 bytes. */
#define TTP_VERSION_MAX 16
ttp_str ttp_device_version_text(char *out, uint32_t version);

#endif
