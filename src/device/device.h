/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - door of the device module: facts about chips. Constant data, safe from any thread. */
#ifndef TTP_DEVICE_DEVICE_H
#define TTP_DEVICE_DEVICE_H

#include "base/str.h"

enum ttp_fidelity { TTP_FIDELITY_LOFI, TTP_FIDELITY_HIFI2, TTP_FIDELITY_HIFI3, TTP_FIDELITY_HIFI4 };
#define TTP_FIDELITIES 4

/* One architecture as reports see it. Peak rates are per core, because ops use parts of the grid.
 */
struct ttp_arch {
    const char *name;
    int worker_cores;        /* of a whole chip, when the file does not say */
    int compat_worker_cores; /* what tt-perf-report 1.2.4 assumes instead; 0: it does not know the
                                name */
    double dram_gbs;
    int dram_workers; /* cores that a DRAM-sharded matmul uses: one per DRAM bank */
    double tflops_per_core[TTP_FIDELITIES];
};

/* The architecture of that name in any case; "wormhole_b0" is "wormhole". NULL: unknown. `boards`:
 * names of boards are fine too, such as p150a. */
const struct ttp_arch *ttp_device_find_arch(ttp_str name, bool boards);
/* The i-th architecture, NULL behind the last: for messages that list them. */
const struct ttp_arch *ttp_device_arch_at(size_t i);
/* "LoFi", "HiFi2", "HiFi3", "HiFi4"; false for anything else. */
bool ttp_device_find_fidelity(ttp_str name, enum ttp_fidelity *out);

/* ---- NoC grids ---- */

enum ttp_core_kind { TTP_CORE_OTHER, TTP_CORE_WORKER, TTP_CORE_DRAM, TTP_CORE_ETH };
#define TTP_CORE_KINDS 4

/* In which of a chip's coordinate systems x and y are meant. */
enum ttp_coords {
    TTP_COORDS_NOC0,       /* physical, as NoC traces have them */
    TTP_COORDS_NOC1,       /* physical, counted from the opposite corner */
    TTP_COORDS_TRANSLATED, /* what kernels see when the NoC translates */
};

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
/* x and y in NoC 0 coordinates; outside of the grid it is TTP_CORE_OTHER. */
enum ttp_core_kind ttp_device_core_kind(const struct ttp_noc_grid *g, int x, int y);
/* "worker", "dram", "eth", "other" */
const char *ttp_device_core_kind_name(enum ttp_core_kind kind);
/* Channel of a DRAM or ethernet core in NoC 0 coordinates, -1: none. */
int ttp_device_dram_channel(const struct ttp_noc_grid *g, int x, int y);
int ttp_device_eth_channel(const struct ttp_noc_grid *g, int x, int y);
/* Turn *x and *y into NoC 0 coordinates; false, and both untouched, if there is no such core.
 * `harvested`: bit i is set when the i-th row (Wormhole) or column (Blackhole) of workers is off;
 * only translated coordinates depend on it. A Blackhole with a harvested DRAM channel translates in
 * an order of its own, which is not covered. */
bool ttp_device_to_noc0(const struct ttp_noc_grid *g, enum ttp_coords from, uint32_t harvested,
                        int *x, int *y);

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
/* Whether tt-npe has it, or it is ours for a cluster that tt-npe refuses. */
bool ttp_device_noc_model_is_original(const struct ttp_noc_model *model);
/* The i-th model, NULL behind the last: for messages that list them. */
const struct ttp_noc_model *ttp_device_noc_model_at(size_t i);

#endif
