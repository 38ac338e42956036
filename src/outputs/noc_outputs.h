/* SPDX-License-Identifier: Apache-2.0 */
/* noc_outputs.h - the part of the door that is about the NoC; include outputs.h. */
#ifndef TTP_OUTPUTS_NOC_OUTPUTS_H
#define TTP_OUTPUTS_NOC_OUTPUTS_H

#include "base/json_write.h"
#include "base/sink.h"
#include "noc/noc.h"

/* A row for each program. Columns are dropped and lines broken to fit `width`, 0: any. */
void ttp_out_noc_table(struct ttp_sink *out, const struct ttp_noc_view *view, size_t count,
                       bool color, int width, struct ttp_arena *arena);
void ttp_out_noc_csv(struct ttp_sink *out, const struct ttp_noc_view *view, size_t count);
/* All of one program: figures, maps, balances, histograms. */
void ttp_out_noc_detail(struct ttp_sink *out, const struct ttp_noc_view *view, bool color,
                        int width, struct ttp_arena *arena);
/* The value of "data". */
void ttp_out_noc_json(struct ttp_json_writer *w, const struct ttp_noc_view *view, size_t count);
/* The grid of each chip that moved anything, links and cores coloured by what they carried. */
void ttp_out_noc_svg(struct ttp_sink *out, const struct ttp_noc_view *view,
                     struct ttp_arena *arena);

/* "(4,1) NOC0_EAST", with "dev 3 " before it if there are several chips. */
void ttp_out_noc_link(struct ttp_sink *out, const struct ttp_noc_model *m, uint32_t link);

#endif
