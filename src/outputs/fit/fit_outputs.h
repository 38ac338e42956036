/* SPDX-License-Identifier: Apache-2.0 */
/* fit_outputs.h - the part of the door that is about what fits; include outputs.h. */
#ifndef TTP_OUTPUTS_FIT_FIT_OUTPUTS_H
#define TTP_OUTPUTS_FIT_FIT_OUTPUTS_H

#include "fit/fit.h"
#include "outputs/show/show.h"

struct ttp_fit_view {
    const struct ttp_fit_core *core;
    const struct ttp_fit_plan *plan; /* NULL: no buffers were given */
    const struct ttp_fit_buffer *buffer;
    size_t buffers;
    const uint64_t *tensor;            /* of the sweep, in elements */
    const struct ttp_fit_table *table; /* NULL: none */
    const struct ttp_ops *ops;         /* NULL: no run */
    const struct ttp_fit_op *op;
    size_t nops;
    const struct ttp_fit_kernel *kernel; /* NULL: no flow graph */
};

/* One kind of document; its table is that of operations, or that of buffers. */
extern const struct ttp_document_spec ttp_fit_document, ttp_fit_buffers_document;
extern const struct ttp_document_spec ttp_ranges_document;

TTP_NODISCARD ttp_code ttp_out_fit(const struct ttp_show *show, const struct ttp_fit_view *view,
                                   struct ttp_err *err);
/* Everything the table has about a board, with sources, and the rates that follow. */
TTP_NODISCARD ttp_code ttp_out_ranges(const struct ttp_show *show, const struct ttp_board *board,
                                      struct ttp_err *err);

#endif
