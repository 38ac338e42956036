/* SPDX-License-Identifier: Apache-2.0 */
/* noc_outputs.h - the part of the door that is about the NoC; include outputs.h. */
#ifndef TTP_OUTPUTS_NOC_OUTPUTS_H
#define TTP_OUTPUTS_NOC_OUTPUTS_H

#include "base/json_write.h"
#include "base/sink.h"
#include "noc/noc.h"
#include "outputs/show/show.h"

extern const struct ttp_document_spec ttp_noc_document;

/* A row for each program. `details`: in text all of each: figures, maps, balances, histograms;
 * their traces were kept. */
TTP_NODISCARD ttp_code ttp_out_noc(const struct ttp_show *show, const struct ttp_noc_view *view,
                                   size_t count, bool details, struct ttp_err *err);

/* The grid of each chip that moved anything, links and cores coloured by what they carried. */
void ttp_out_noc_svg(struct ttp_sink *out, const struct ttp_noc_view *view,
                     struct ttp_arena *arena);

#endif
