/* SPDX-License-Identifier: Apache-2.0 */
/* record_process.h - makes logs, ops and report from a capture. */
#ifndef TTP_CLI_RECORD_PROCESS_H
#define TTP_CLI_RECORD_PROCESS_H

#include "verbs/record_job.h"

/* Write the two Tracy logs of `capture` into ROOT/.logs, which exists, or ROOT itself if that is
 * the folder of the logs. `pid`: as of ttp_record_export(). */
TTP_NODISCARD ttp_code ttp_record_write_logs(struct ttp_record_exported *out, const char *logs,
                                             const struct ttp_record_source *from,
                                             const struct ttp_record_job *job,
                                             const struct ttp_ctx *ctx, struct ttp_err *err);
/* The ops of one folder, or of several one after the other, as job->report_file. Where a folder's
 * have other columns they go to a numbered file next to it. */
TTP_NODISCARD ttp_code ttp_record_write_file(const struct ttp_words *roots,
                                             const struct ttp_record_job *job,
                                             const struct ttp_ctx *ctx, struct ttp_err *err);
/* Ops and report of the folder. TTP_ENOTFOUND: it has no device data; a warning, not a failure. */
TTP_NODISCARD ttp_code ttp_record_make_report(const char *root, const struct ttp_record_job *job,
                                              const struct ttp_ctx *ctx, struct ttp_err *err);

#endif
