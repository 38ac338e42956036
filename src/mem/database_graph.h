/* SPDX-License-Identifier: Apache-2.0 */
/* database_graph.h - one op of a database. Private to mem. */
#ifndef TTP_MEM_DATABASE_GRAPH_H
#define TTP_MEM_DATABASE_GRAPH_H

#include "mem/capture_nodes.h"

struct ttp_mem_op_input {
    const struct ttp_mem_device *device; /* what is known of them */
    size_t devices;
    const struct ttp_mem_snapshot_row *before, *after; /* live buffers, those after in order */
    size_t befores, afters;
    ttp_str graph; /* JSON; empty: none */
    struct ttp_arena *arena, *scratch;
};

/* Fill in what the row says of each device that has buffers after the op. */
TTP_NODISCARD ttp_code ttp_mem_op_replay(struct ttp_mem_row *row,
                                         const struct ttp_mem_op_input *input, struct ttp_err *err);

#endif
