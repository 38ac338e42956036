/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_run.h - a tt-lang kernel running on one core: a reader, a compute and a writer thread that
 * hand blocks to each other through buffers of two blocks. */
#ifndef TTP_SYNTH_KERNEL_RUN_H
#define TTP_SYNTH_KERNEL_RUN_H

#include "synth/markers.h"

struct ttp_synth_kernel {
    uint32_t cores;                                     /* that have work */
    uint32_t blocks, heavy_blocks;                      /* of each core, and of the one with most */
    uint32_t heavy_core;                                /* its rank */
    uint32_t read_cycles, compute_cycles, write_cycles; /* for a block */
    bool noc, lines, signposts;
};

const struct ttp_synth_kernel *ttp_synth_kernel_new(const struct ttp_synth_plan *p,
                                                    struct ttp_arena *arena);
/* As the host records it, with tensors of as many blocks as its cores move. */
const struct ttp_synth_plain *ttp_synth_kernel_op(const struct ttp_synth_kernel *k,
                                                  struct ttp_arena *arena);
uint32_t ttp_synth_kernel_cores(const struct ttp_synth_kernel *k);
/* Of the slowest core. */
uint64_t ttp_synth_kernel_cycles(const struct ttp_synth_kernel *k);
/* When a RISC's kernel ends, in cycles since the writer's began. */
uint64_t ttp_synth_kernel_end(const struct ttp_synth_kernel *k, const struct ttp_synth_core *core,
                              enum ttp_synth_risc risc);
/* Zones and NoC events of a RISC, from `start`. */
size_t ttp_synth_kernel_markers(struct ttp_synth_marker out[TTP_SYNTH_MAX_MARKERS],
                                const struct ttp_synth_kernel *k, const struct ttp_synth_plan *p,
                                struct ttp_synth_thread thread, uint64_t start);

/* All zones of its lines. */
const struct ttp_synth_zone *ttp_synth_kernel_zones_of_lines(size_t *count);
/* Its Python source; lines are those that the zones' names state. */
ttp_str ttp_synth_kernel_source(void);
/* cb_flow_graph.json as tt-lang's compiler writes it. */
ttp_str ttp_synth_kernel_flow_graph(void);

#endif
