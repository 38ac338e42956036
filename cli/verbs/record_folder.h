/* SPDX-License-Identifier: Apache-2.0 */
/* record_folder.h - the folders of a recording: each is locked, or new; logs of an earlier run are
 * moved aside; a file next to the logs identifies their run. */
#ifndef TTP_CLI_RECORD_FOLDER_H
#define TTP_CLI_RECORD_FOLDER_H

#include <time.h>

#include "logs/logs.h"
#include "verbs/record_job.h"

/* The artifacts folder, absolute, made and held. One that another recording has is refused if the
 * user named it, or if `fixed`; else it is a new one below. */
TTP_NODISCARD ttp_code ttp_record_take_folder(const char **root, struct ttp_holds *holds,
                                              const struct ttp_record_job *job, bool fixed,
                                              const struct ttp_ctx *ctx, struct ttp_err *err);
/* Hold job->report_file, or, if the user did not name it, another next to it. */
TTP_NODISCARD ttp_code ttp_record_take_report(struct ttp_record_job *job, struct ttp_holds *holds,
                                              const struct ttp_ctx *ctx, struct ttp_err *err);
/* Hold a folder that exists; if it is the `.logs` of another, that one. */
TTP_NODISCARD ttp_code ttp_record_hold_folder(struct ttp_holds *holds, const char *dir,
                                              const struct ttp_ctx *ctx, struct ttp_err *err);

/* Put `.logs` of an earlier run aside, under its date, and make a new one. Nothing is deleted. */
TTP_NODISCARD ttp_code ttp_record_fresh_logs(const char **logs, const char *root,
                                             const struct ttp_ctx *ctx, struct ttp_err *err);
/* The same for files that were not changed since then; ROOT/.logs itself stays. */
TTP_NODISCARD ttp_code ttp_record_put_old_aside(const char *root, struct timespec since,
                                                const struct ttp_ctx *ctx, struct ttp_err *err);
/* Let a further folder see the device logs of this one. */
void ttp_record_share_device_logs(const char *logs, const char *other, struct ttp_arena *arena);

/* What is known of a run that begins now. *since: the clock of the folder's file system. */
void ttp_record_begin_facts(struct ttp_run_facts *facts, struct timespec *since, const char *root,
                            struct ttp_arena *arena);

#endif
