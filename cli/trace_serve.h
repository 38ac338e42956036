/* SPDX-License-Identifier: Apache-2.0 */
/* trace_serve.h - showing a trace in a browser until someone has seen enough. */
#ifndef TTP_CLI_TRACE_SERVE_H
#define TTP_CLI_TRACE_SERVE_H

#include "cmd.h"
#include "serve/serve.h"

/* Serve, say where, and wait for Ctrl-C, SIGTERM, or Enter on a terminal; compatible with TT-Lang's
 * server also for Enter or the end of standard input. `events`: how many there are, for people. */
TTP_NODISCARD ttp_code ttp_trace_serve(const struct ttp_ctx *ctx,
                                       const struct ttp_serve_options *options, uint64_t events,
                                       struct ttp_err *err);

#endif
