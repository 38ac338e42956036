/* SPDX-License-Identifier: Apache-2.0 */
/* chips.h - where a chip's cores are and what its firmware calls its zones. */
#ifndef TTP_SYNTH_CHIPS_H
#define TTP_SYNTH_CHIPS_H

#include "synth/workload.h"

struct ttp_synth_xy {
    uint8_t x, y; /* on NoC 0 */
};

/* A core that ops run on. */
struct ttp_synth_core {
    struct ttp_synth_xy at;
    bool eth;
    uint16_t rank; /* of a worker: row by row on the logical grid; of an Ethernet core: channel */
};

struct ttp_synth_chip {
    const char *name; /* as in the first line of the device log */
    uint32_t mhz;
    uint32_t max_cores;          /* "Max Compute Cores": the grid with its dispatch column or row */
    const uint8_t *column, *row; /* of the worker grid; peaks say how many */
    const struct ttp_synth_xy *eth, *dram;
    uint32_t neth, ndram;
    struct ttp_synth_xy dispatch; /* a core of the row or column that workers leave to it */
    const char *board[6];         /* cluster type of 1, 2, 4, 8, 16 and 32 chips */
    struct ttp_synth_peaks peaks;
};

/* Position as in ttp_synth_arch_names. Peaks are filled in from the device module. */
struct ttp_synth_chip ttp_synth_chip_at(int arch);

/* Ethernet cores that a collective uses on each device, from channel 0. */
enum { TTP_SYNTH_LINKS = 2 };

/* The first `workers` cores of the grid and, if asked, those Ethernet cores, ordered by x, then y,
 * as the device log lists them. In the arena. */
const struct ttp_synth_core *ttp_synth_cores(size_t *count, const struct ttp_synth_chip *chip,
                                             uint32_t workers, bool eth, struct ttp_arena *arena);

enum ttp_synth_risc {
    SYNTH_BRISC,
    SYNTH_NCRISC,
    SYNTH_TRISC_0,
    SYNTH_TRISC_1,
    SYNTH_TRISC_2,
    SYNTH_ERISC,
    SYNTH_RISCS
};
extern const char *const ttp_synth_risc_names[SYNTH_RISCS];

/* A zone in some source file; "name,file,line,KERNEL_PROFILER" makes its id. */
struct ttp_synth_zone {
    const char *name, *file;
    uint32_t line;
};
uint16_t ttp_synth_zone_id(const struct ttp_synth_zone *zone);

/* The firmware's zone around everything, and the one around the kernel; TRISCs share theirs. */
extern const struct ttp_synth_zone ttp_synth_fw_zones[SYNTH_RISCS],
    ttp_synth_kernel_zones[SYNTH_RISCS];

#endif
