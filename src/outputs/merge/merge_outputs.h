/* SPDX-License-Identifier: Apache-2.0 */
/* merge_outputs.h - the part of the door that is about merged ranks; include outputs.h. */
#ifndef TTP_OUTPUTS_MERGE_MERGE_OUTPUTS_H
#define TTP_OUTPUTS_MERGE_MERGE_OUTPUTS_H

#include "mesh/mesh.h"
#include "outputs/show/show.h"

/* The table that CSV has and that --columns, --sort and --where are about. */
enum ttp_merge_table {
    TTP_MERGE_TABLE_USUAL, /* ops; text has the rest of them too, its first rows */
    TTP_MERGE_TABLE_OPS,
    TTP_MERGE_TABLE_COLLECTIVES,
    TTP_MERGE_TABLE_DEVICES,
    TTP_MERGE_TABLE_RANKS,
};
struct ttp_merge_view {
    const struct ttp_merge *merge;
    enum ttp_merge_table table;
    size_t top; /* rows of each table in text and Markdown; 0: all */
};
TTP_NODISCARD ttp_code ttp_out_merge(const struct ttp_show *show, const struct ttp_merge_view *view,
                                     struct ttp_err *err);

extern const struct ttp_document_spec ttp_merge_document;
/* Its part that has the rows of this table. */
size_t ttp_out_merge_part(enum ttp_merge_table table);

#endif
