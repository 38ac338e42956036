/* SPDX-License-Identifier: Apache-2.0 */
/* source_roots.h - the folders that are searched for the source of a run's kernels. */
#ifndef TTP_CLI_SOURCE_ROOTS_H
#define TTP_CLI_SOURCE_ROOTS_H

#include "core/cmd.h"
#include "kernel/kernel.h"
#include "logs/logs.h"

/* For `record`: write the folders of this run, the current one and TT_METAL_HOME, next to its logs.
 */
TTP_NODISCARD ttp_code ttp_source_roots_write(const char *logs, struct ttp_arena *arena,
                                              struct ttp_err *err);

/* Those given, if any. Else those that `record` wrote and the run's own folder; without the former
 * also, by the names that logs have, the current folder and TT_METAL_HOME. TTP_EIO: one that was
 * given is not a folder. In the arena. */
TTP_NODISCARD ttp_code ttp_source_roots_choose(struct ttp_source_options *out,
                                               const struct ttp_words *given,
                                               const struct ttp_log_paths *run,
                                               struct ttp_arena *arena, struct ttp_err *err);

#endif
