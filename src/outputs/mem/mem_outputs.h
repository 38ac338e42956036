/* SPDX-License-Identifier: Apache-2.0 */
/* mem_outputs.h - memory use of a run on its devices. Part of outputs.h. */
#ifndef TTP_OUTPUTS_MEM_MEM_OUTPUTS_H
#define TTP_OUTPUTS_MEM_MEM_OUTPUTS_H

#include "mem/mem.h"
#include "outputs/show/show.h"

struct ttp_mem_view {
    const struct ttp_mem_run *run;
    const struct ttp_mem_difference *difference; /* of its two captures; NULL: none was asked for */
    struct ttp_arena *arena;
};

extern const struct ttp_document_spec ttp_mem_document, ttp_mem_difference_document;
/* In a form of tables, or as a picture of the one capture: a stacked area over ops, lifetimes by
 * address, and with a map of one op its addresses. */
TTP_NODISCARD ttp_code ttp_out_mem(const struct ttp_show *show, const struct ttp_mem_view *view,
                                   struct ttp_err *err);

#endif
