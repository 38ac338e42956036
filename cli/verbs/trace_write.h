/* SPDX-License-Identifier: Apache-2.0 */
/* trace_write.h - writes what `trace` read. */
#ifndef TTP_CLI_TRACE_WRITE_H
#define TTP_CLI_TRACE_WRITE_H

#include "outputs/outputs.h"

struct ttp_trace_job {
    struct ttp_arena *arena;
    struct ttp_trace_run run;
    struct ttp_mesh_trace ranks; /* of a folder of ranks: this instead */
    struct ttp_trace_options options;
    struct ttp_trace_counts counts; /* of what was written last */
    const char *name;               /* of the trace, for human readers */
    bool progress;
};

/* To `path`, which is replaced only when complete; "-" is standard output. `page`: with the
 * built-in timeline around it. */
TTP_NODISCARD ttp_code ttp_trace_write(struct ttp_trace_job *job, const char *path, bool page,
                                       struct ttp_err *err);

/* To a file without a name, which the caller closes unless *fd is negative. */
TTP_NODISCARD ttp_code ttp_trace_write_aside(struct ttp_trace_job *job, int *fd,
                                             struct ttp_err *err);

/* Replace the trace of all ranks, *path, by a file for each rank, all on one clock, and an index,
 * which *path is then: browsers fail at one large file. */
TTP_NODISCARD ttp_code ttp_trace_split(struct ttp_trace_job *job, const char **path,
                                       struct ttp_err *err);

#endif
