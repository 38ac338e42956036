/* SPDX-License-Identifier: Apache-2.0 */
/* flow_graph.h - the files of the data-flow graph. Private to kernel. */
#ifndef TTP_KERNEL_FLOW_GRAPH_H
#define TTP_KERNEL_FLOW_GRAPH_H

#include "kernel/kernel.h"

/* The bytes of what ttp_kernel_read_flow() and ttp_kernel_read_pipes() read. */
TTP_NODISCARD ttp_code ttp_kernel_parse_flow(struct ttp_flow_graph *out, ttp_str json,
                                             struct ttp_arena *arena, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_kernel_parse_pipes(struct ttp_pipe_graph *out, ttp_str json,
                                              struct ttp_arena *arena, struct ttp_err *err);

#endif
