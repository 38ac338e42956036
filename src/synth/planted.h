/* SPDX-License-Identifier: Apache-2.0 */
/* planted.h - runs with one problem that a rule of advice finds, and the same runs without it. */
#ifndef TTP_SYNTH_PLANTED_H
#define TTP_SYNTH_PLANTED_H

#include "synth/synth.h"
#include "synth/workload.h"

/* A run; all zero is a pass to warm up and one that is measured. */
struct ttp_synth_side {
    struct ttp_synth_part part;
    uint32_t gap_ns;                 /* the host is so late for every op; 0: as usual */
    uint32_t replays, replay_gap_ns; /* of a trace; and how late it is for each */
    bool noc;                        /* with NoC traces */
    bool capture;                    /* with a graph capture */
    bool stale;                      /* in which tensors stay in L1 that nothing uses */
    bool cold;                       /* what is measured was not run before */
    const char *host_op;             /* done after the first op, while the device waits */
    uint32_t kernel_part,
        kernel_blocks; /* a tt-lang kernel on one of that many cores, blocks each */
    enum ttp_synth_bottleneck bottleneck; /* of that kernel */
};

struct ttp_synth_planting {
    uint32_t devices;
    struct ttp_synth_side problem, mended;
};

/* NULL: none of that name. */
const struct ttp_synth_planting *ttp_synth_find_planting(const char *rule);

/* The same of runs on a mesh. */
const char *ttp_synth_mesh_plant_name(size_t i);
const struct ttp_synth_mesh *ttp_synth_find_mesh_planting(const char *rule, bool mended);

#endif
