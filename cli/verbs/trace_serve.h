/* SPDX-License-Identifier: Apache-2.0 */
/* trace_serve.h - serves a trace to a browser until the user stops it. */
#ifndef TTP_CLI_TRACE_SERVE_H
#define TTP_CLI_TRACE_SERVE_H

#include "core/cmd.h"
#include "serve/serve.h"

/* Text printed first instead of ours, and whether Enter or the end of standard input ends it.
 */
struct ttp_trace_greeting {
    void (*put)(struct ttp_sink *out, const struct ttp_server *server, uint64_t events);
    bool any_input;
};

/* Serve, say where, and wait for Ctrl-C, SIGTERM, or Enter on a terminal. `greeting` may be NULL.
 * `events`: how many there are, for human readers. */
TTP_NODISCARD ttp_code ttp_trace_serve(const struct ttp_ctx *ctx,
                                       const struct ttp_serve_options *options,
                                       const struct ttp_trace_greeting *greeting, uint64_t events,
                                       struct ttp_err *err);

#endif
