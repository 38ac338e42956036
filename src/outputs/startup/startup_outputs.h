/* SPDX-License-Identifier: Apache-2.0 */
/* startup_outputs.h - the start of a run, and records of the real-time profiler. Part of
 * outputs.h. */
#ifndef TTP_OUTPUTS_STARTUP_STARTUP_OUTPUTS_H
#define TTP_OUTPUTS_STARTUP_STARTUP_OUTPUTS_H

#include "outputs/show/show.h"
#include "run/run.h"
#include "startup/startup.h"

struct ttp_startup_view {
    const struct ttp_startup *run; /* a process each */
    size_t ranks;
    const struct ttp_startup *other; /* of the second folder: the first of its processes */
    size_t others;
    const struct ttp_startup_finding *finding;
    size_t findings;
};

extern const struct ttp_document_spec ttp_startup_document;
/* The table is of programs that were compiled, the slowest first, of all processes. */
TTP_NODISCARD ttp_code ttp_out_startup(const struct ttp_show *show,
                                       const struct ttp_startup_view *view, struct ttp_err *err);

extern const struct ttp_document_spec ttp_start_document;
/* `other` NULL: one run. The table is of programs, the longest wait first. */
TTP_NODISCARD ttp_code ttp_out_start(const struct ttp_show *show, const struct ttp_start *run,
                                     const struct ttp_start *other, struct ttp_err *err);

extern const struct ttp_document_spec ttp_realtime_document;
/* The table is of ops, chip by chip. */
TTP_NODISCARD ttp_code ttp_out_realtime(const struct ttp_show *show, const struct ttp_realtime *r,
                                        struct ttp_err *err);

#endif
