/* SPDX-License-Identifier: Apache-2.0 */
/* run_ranks.h - the ranks of a run as one CSV. Private to run. */
#ifndef TTP_RUN_RUN_RANKS_H
#define TTP_RUN_RUN_RANKS_H

#include "run/run.h"

/* One CSV of all parts, in memory: ttp_file_close_memory(). What the mesh must say is added to
 * their problems. */
TTP_NODISCARD ttp_code ttp_run_merge_parts(int *fd, const char **path, struct ttp_run_parts *parts,
                                           struct ttp_arena *arena, struct ttp_err *err);

#endif
