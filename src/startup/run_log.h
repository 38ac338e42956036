/* SPDX-License-Identifier: Apache-2.0 */
/* run_log.h - the folders of a run, and what its text logs say of kernels. Private to startup. */
#ifndef TTP_STARTUP_RUN_LOG_H
#define TTP_STARTUP_RUN_LOG_H

#include "startup/startup.h"

/* Those of the text logs in a folder. */
TTP_NODISCARD ttp_code ttp_startup_read_logs(struct ttp_startup_log *out, const char *dir,
                                             struct ttp_arena *arena, struct ttp_err *err);
/* One line of such a log. */
void ttp_startup_take_line(struct ttp_startup_log *out, ttp_str line, struct ttp_arena *arena);
/* The logs of one process. */
TTP_NODISCARD ttp_code ttp_startup_read_one(struct ttp_startup *out, const char *dir,
                                            struct ttp_arena *arena, struct ttp_err *err);

#endif
