/* SPDX-License-Identifier: Apache-2.0 */
/* run_ranks.h - the ranks of a run as one CSV. Private to run. */
#ifndef TTP_RUN_RUN_RANKS_H
#define TTP_RUN_RUN_RANKS_H

#include "run/run.h"

/* One CSV of all parts, in memory: ttp_file_close_memory(). What the mesh must say is added to
 * their problems. */
TTP_NODISCARD ttp_code ttp_run_merge_parts(int *fd, const char **path, struct ttp_run_parts *parts,
                                           struct ttp_arena *arena, struct ttp_err *err);

/* A CSV with the rows of several ranks, the only part so far, is a part for each. */
void ttp_run_split_part(struct ttp_run_parts *out, struct ttp_arena *arena);

#endif
