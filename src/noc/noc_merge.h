/* SPDX-License-Identifier: Apache-2.0 */
/* noc_merge.h - private to noc. */
#ifndef TTP_NOC_NOC_MERGE_H
#define TTP_NOC_NOC_MERGE_H

#include "noc/noc.h"

struct ttp_noc_merging {
    struct ttp_noc_timing *timing;
    const struct ttp_topology *topology;
    const struct ttp_noc_rules *rules;
};
/* Prepare a trace that holds records of one or more devices: sort them, find out whether their
 * clocks agree, close gaps that only clocks explain, and find the way of fabric events by the
 * topology (NULL: as far as the trace has it). TTP_EPARSE: strict, and a way cannot be found.
 */
TTP_NODISCARD ttp_code ttp_noc_merge(struct ttp_noc_trace *trace, struct ttp_noc_merging by,
                                     struct ttp_arena *arena, struct ttp_err *err);

/* Give a fabric event its path. Why there is none, or NULL. */
const char *ttp_noc_find_path(struct ttp_noc_trace *trace, size_t event,
                              const struct ttp_topology *topology, bool slips,
                              struct ttp_arena *arena);

#endif
