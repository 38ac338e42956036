/* SPDX-License-Identifier: Apache-2.0 */
/* noc_merge.h - private to noc. */
#ifndef TTP_NOC_NOC_MERGE_H
#define TTP_NOC_NOC_MERGE_H

#include "noc/noc.h"

/* Give a fabric event its path. Why there is none, or NULL. */
const char *ttp_noc_find_path(struct ttp_noc_trace *trace, size_t event,
                              const struct ttp_topology *topology, bool compat,
                              struct ttp_arena *arena);

#endif
