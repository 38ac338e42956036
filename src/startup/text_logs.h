/* SPDX-License-Identifier: Apache-2.0 */
/* text_logs.h - the folders of a run, and what its text logs say about kernels. Private to startup.
 */
#ifndef TTP_STARTUP_TEXT_LOGS_H
#define TTP_STARTUP_TEXT_LOGS_H

#include "startup/startup.h"

/* Times of day end in 2200 here, so that differences cannot overflow. */
#define TTP_STARTUP_LATEST UINT64_C(7258118400000000000)

/* Of startup.yaml; *known stays what it is without a time. */
TTP_NODISCARD ttp_code ttp_startup_read_start(int64_t *time, bool *known, const char *path,
                                              struct ttp_err *err);
/* Those of the text logs in a folder. */
TTP_NODISCARD ttp_code ttp_startup_read_logs(struct ttp_startup_log *out, const char *dir,
                                             struct ttp_arena *arena, struct ttp_err *err);
/* One line of such a log. */
void ttp_startup_take_line(struct ttp_startup_log *out, ttp_str line, struct ttp_arena *arena);
/* The logs of one process. */
TTP_NODISCARD ttp_code ttp_startup_read_one(struct ttp_startup *out, const char *dir,
                                            struct ttp_arena *arena, struct ttp_err *err);

#endif
