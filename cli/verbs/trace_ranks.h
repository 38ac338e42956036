/* SPDX-License-Identifier: Apache-2.0 */
/* trace_ranks.h - input of `trace` for a folder of ranks. */
#ifndef TTP_CLI_TRACE_RANKS_H
#define TTP_CLI_TRACE_RANKS_H

#include "core/verbs.h"
#include "outputs/outputs.h"

/* The ranks below the operands on one time line, or the ops of a report whose logs are gone; *out
 * stays as it is if there are logs of one process. TTP_EUSAGE: an option that is about such
 * logs, or an operand too many. */
TTP_NODISCARD ttp_code ttp_trace_read_ranks(struct ttp_mesh_trace *out, const struct ttp_ctx *ctx,
                                            const struct ttp_trace_verb *o,
                                            const struct ttp_words *operands, struct ttp_err *err);

#endif
