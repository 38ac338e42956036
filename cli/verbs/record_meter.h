/* SPDX-License-Identifier: Apache-2.0 */
/* record_meter.h - samples the boards while a command is recorded. */
#ifndef TTP_CLI_RECORD_METER_H
#define TTP_CLI_RECORD_METER_H

#include "host/host.h"
#include "verbs/record_job.h"

/* Start, with the log in `logs`. NULL: no board, or not wanted. A failure is reported, no more: the
 * recording does not need it. */
struct ttp_meter *ttp_record_start_meter(const struct ttp_record_job *job, const char *logs,
                                         const struct ttp_ctx *ctx);
/* The end; samples that were taken much less often than wanted are reported. */
void ttp_record_stop_meter(struct ttp_meter *meter, const struct ttp_record_job *job,
                           const struct ttp_ctx *ctx);
/* The samples of the recording, which are in `from`, with the times of the client's own clock in
 * `logs`. */
void ttp_record_place_samples(const char *from, const char *logs,
                              const struct ttp_record_client *client, const struct ttp_ctx *ctx);

#endif
