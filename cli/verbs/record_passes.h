/* SPDX-License-Identifier: Apache-2.0 */
/* record_passes.h - a recording that runs the command once for each pass of a kernel profile. */
#ifndef TTP_CLI_RECORD_PASSES_H
#define TTP_CLI_RECORD_PASSES_H

#include "verbs/record_job.h"

/* As ttp_record_job_run(), with several passes that become one run. The report is made when they
 * agree. TTP_EPARSE: they do not; what was recorded stays where it is. */
TTP_NODISCARD ttp_code ttp_record_passes_run(int *status, const struct ttp_record_job *job,
                                             const struct ttp_record_passes *passes,
                                             const struct ttp_ctx *ctx, struct ttp_err *err);

#endif
