/* SPDX-License-Identifier: Apache-2.0 */
/* run_logs.h - what verbs that read the logs of a run have in common. */
#ifndef TTP_CLI_RUN_LOGS_H
#define TTP_CLI_RUN_LOGS_H

#include "core/cmd.h"

/* The artifacts folder where tt-metal puts it when no one says: TT_METAL_PROFILER_DIR, else below
 * TT_METAL_HOME, else here. */
const char *ttp_logs_default_dir(struct ttp_arena *arena);

/* What was given, or, if nothing was, the run in that folder. TTP_EUSAGE: nothing was, and it has
 * none. */
TTP_NODISCARD ttp_code ttp_run_operands(struct ttp_words *out, const struct ttp_words *given,
                                        struct ttp_arena *arena, struct ttp_err *err);

/* The same for a verb that has looked itself: if it found nothing (`rc` is TTP_ENOTFOUND), nothing
 * was given, and that folder has no run, this is TTP_EUSAGE. Otherwise `rc` and *err stay. */
TTP_NODISCARD ttp_code ttp_run_looked(ttp_code rc, const struct ttp_words *given,
                                      struct ttp_arena *arena, struct ttp_err *err);

/* The folder of the rank that was asked for, below *dir; with NULL it stays. TTP_EUSAGE: not a
 * number, or no folder of ranks. TTP_ENOTFOUND: it has no such rank. */
TTP_NODISCARD ttp_code ttp_run_choose_rank(const char **dir, const char *rank,
                                           struct ttp_arena *arena, struct ttp_err *err);

#endif
