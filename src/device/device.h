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

#endif
