/* SPDX-License-Identifier: Apache-2.0 */
/* run_ranks.h - the ranks of a run as one CSV. Private to run. */
#ifndef TTP_RUN_RUN_RANKS_H
#define TTP_RUN_RUN_RANKS_H

#include "run/run.h"

/* All parts as one table. */
struct ttp_run_merged {
    struct ttp_ops_rows *rows; /* NULL: there is text instead */
    int fd;                    /* the CSV in memory: ttp_file_close_memory(); -1: none */
    const char *path;
    struct ttp_run_mesh mesh; /* if the plan asks for it */
};
/* As the plan says: text, or rows without it. What the mesh must say is added to the parts'
 * problems. */
TTP_NODISCARD ttp_code ttp_run_merge_parts(struct ttp_run_merged *out, struct ttp_run_parts *parts,
                                           const struct ttp_run_plan *plan, struct ttp_arena *arena,
                                           struct ttp_err *err);
/* Write that CSV, of one device of each rank (-1: all); the parts were opened with their texts. */
TTP_NODISCARD ttp_code ttp_run_write_parts(struct ttp_sink *out, struct ttp_run_parts *parts,
                                           int64_t device, struct ttp_arena *arena,
                                           struct ttp_err *err);
/* A CSV with the rows of several ranks, the only part so far, is a part for each. */
void ttp_run_split_part(struct ttp_run_parts *out, struct ttp_arena *arena);

/* Ranks by number: TTP_EPARSE if one is there twice, or if they are of several jobs. Sets the size
 * of the job. */
TTP_NODISCARD ttp_code ttp_run_check_jobs(struct ttp_run_ranks *ranks, struct ttp_err *err);

#endif
