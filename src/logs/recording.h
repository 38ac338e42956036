/* SPDX-License-Identifier: Apache-2.0 */
/* recording.h - a recording in the place of the CSVs that csvexport makes of it. */
#ifndef TTP_LOGS_RECORDING_H
#define TTP_LOGS_RECORDING_H

#include "base/err.h"
#include "logs/log_options.h"

enum ttp_csv_part { TTP_CSV_MESSAGES, TTP_CSV_ZONES };

struct ttp_csv_view {
    const char *path; /* what to read: the file itself, or the CSV in memory */
    int fd;           /* private; -1: the file itself */
    struct ttp_arena arena;
};

/* If `path` is a recording, make its CSV in memory. Close it if this succeeds. */
TTP_NODISCARD ttp_code ttp_csv_view_open(struct ttp_csv_view *out, const char *path,
                                         enum ttp_csv_part part,
                                         const struct ttp_logs_options *options,
                                         struct ttp_err *err);
/* `rc` is how reading went: a failure then names the recording, not the CSV. Returns it. */
ttp_code ttp_csv_view_close(struct ttp_csv_view *view, const char *path, ttp_code rc,
                            struct ttp_err *err);

#endif
