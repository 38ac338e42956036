/* SPDX-License-Identifier: Apache-2.0 */
/* trace_noc_load.h - private to outputs: how busy the links of one chip were over time. */
#ifndef TTP_OUTPUTS_TRACE_NOC_LOAD_H
#define TTP_OUTPUTS_TRACE_NOC_LOAD_H

#include "noc/noc.h"

/* By stretches of `bucket_cycles`, the first of which begins with the first record. */
struct ttp_noc_levels {
    uint64_t bucket_cycles;
    size_t count;
    double *util_pct;     /* of all links, as tt-npe estimates it */
    double *hot_pct;      /* of the link that carried most */
    uint32_t hot_link;    /* its number */
    double hot_whole_pct; /* its load over the whole program */
};

/* Of the records of one device, whose number becomes 0. False: nothing moved, or no estimate can be
 * made. */
bool ttp_out_noc_levels_of(struct ttp_noc_levels *out, struct ttp_noc_trace *trace,
                           const struct ttp_noc_model *model, struct ttp_arena *arena);

#endif
