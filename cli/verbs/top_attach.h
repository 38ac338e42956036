/* SPDX-License-Identifier: Apache-2.0 */
/* top_attach.h - the programs that a process runs on its chips, through its Tracy client. */
#ifndef TTP_CLI_TOP_ATTACH_H
#define TTP_CLI_TOP_ATTACH_H

#include "core/cmd.h"
#include "outputs/outputs.h"

struct ttp_top_attach;

/* Connect to the client of a process. It takes one server in its life, and sends all since its
 * start first: more than `max_backlog` bytes of that are given up. *status is set when the reason
 * is the process. */
TTP_NODISCARD ttp_code ttp_top_attach_open(struct ttp_top_attach **out, int *status, int64_t pid,
                                           uint64_t max_backlog, struct ttp_arena *arena,
                                           struct ttp_err *err);
/* Take what comes until that time has passed; 0: what has arrived. TTP_ENOTFOUND: the client left,
 * or has sent too much. */
TTP_NODISCARD ttp_code ttp_top_attach_wait(struct ttp_top_attach *a, uint64_t ns,
                                           struct ttp_err *err);
/* What ran since the last look; in the arena. */
void ttp_top_attach_look(struct ttp_top_live *out, struct ttp_top_attach *a,
                         struct ttp_arena *arena);
/* Leave the process alone. NULL is fine. */
void ttp_top_attach_close(struct ttp_top_attach *a);

#endif
