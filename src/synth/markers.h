/* SPDX-License-Identifier: Apache-2.0 */
/* markers.h - markers of a RISC between the start and the end of its kernel. */
#ifndef TTP_SYNTH_MARKERS_H
#define TTP_SYNTH_MARKERS_H

#include "synth/run_plan.h"

enum ttp_synth_marker_type { SYNTH_ZONE_START, SYNTH_ZONE_END, SYNTH_ZONE_TOTAL, SYNTH_TS_DATA };

/* Ids of markers that are not zones. */
enum { SYNTH_ID_COUNTER = 9090, SYNTH_ID_NOC = 12345 };

struct ttp_synth_marker {
    uint64_t time, data;
    const struct ttp_synth_zone *zone; /* NULL: TS_DATA */
    const char *counter;               /* name, of a hardware counter */
    uint16_t id;
    enum ttp_synth_marker_type type;
};

/* Room that any one RISC needs in one execution. */
enum { TTP_SYNTH_MAX_MARKERS = 512 };

/* A RISC of a core. */
struct ttp_synth_thread {
    const struct ttp_synth_core *core;
    enum ttp_synth_risc risc;
};
/* In order of time; the number of them. */
size_t ttp_synth_inner_markers(struct ttp_synth_marker out[TTP_SYNTH_MAX_MARKERS],
                               const struct ttp_synth_plan *p,
                               const struct ttp_synth_device_exec *d,
                               struct ttp_synth_thread thread, const struct ttp_synth_span *span);

/* A NoC event, packed into the marker's data as tt-metal of 2026 does. */
enum ttp_synth_noc_type {
    SYNTH_NOC_READ = 1,
    SYNTH_NOC_READ_BARRIER_START = 6,
    SYNTH_NOC_READ_BARRIER_END = 7,
    SYNTH_NOC_WRITE = 11,
    SYNTH_NOC_WRITE_MULTICAST = 15,
    SYNTH_NOC_WRITE_BARRIER_START = 20,
    SYNTH_NOC_WRITE_BARRIER_END = 21,
};
struct ttp_synth_noc {
    enum ttp_synth_noc_type type;
    struct ttp_synth_xy to, end; /* of a multicast: its corners */
    bool has_to;
    uint32_t noc;   /* 0 or 1 */
    uint32_t bytes; /* a multiple of 32, at most 8160 */
};
struct ttp_synth_marker ttp_synth_noc_pack(const struct ttp_synth_noc *event, uint64_t time);
struct ttp_synth_noc ttp_synth_noc_unpack(uint64_t data);

/* The hardware counters of one core; names as tt-metal's. Appended to out[n]. */
size_t ttp_synth_add_counters(struct ttp_synth_marker *out, size_t n,
                              const struct ttp_synth_plan *p, const struct ttp_synth_device_exec *d,
                              const struct ttp_synth_core *core, const struct ttp_synth_span *span);

#endif
