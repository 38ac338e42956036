/* SPDX-License-Identifier: Apache-2.0 */
/* proxy.h - Tracy's own capture tool between us and a client: it connects to us, we to the client;
 * bytes go through unchanged and a receiver of ours reads along. */
#ifndef TTP_RECORD_PROXY_H
#define TTP_RECORD_PROXY_H

#include <sys/types.h>

#include "record/record.h"

struct ttp_proxy;

enum { TTP_PROXY_FDS = 3 };

/* Start the tool, which will look for its client at a port of ours. *pid is its process. TTP_EIO:
 * it, or the port, is not available. */
TTP_NODISCARD ttp_code ttp_record_proxy_open(struct ttp_proxy **out, pid_t *pid, const char *tool,
                                             const char *tracy_file, struct ttp_err *err);
/* Fills fd[TTP_PROXY_FDS]; unused ones are -1. */
void ttp_record_proxy_wants(const struct ttp_proxy *p, struct pollfd *fd);
/* Move what can be moved, and feed it to `r`. `port` is where the client is expected. */
void ttp_record_proxy_step(struct ttp_proxy *p, struct ttp_receiver *r, uint16_t port);
/* The client refused the tool's protocol: nothing has been fed, a receiver may try on its own. */
bool ttp_record_proxy_was_refused(const struct ttp_proxy *p);
/* Client and tool have been brought together. */
bool ttp_record_proxy_is_joined(const struct ttp_proxy *p);
/* Our end of the connection to the client; 0: none. */
uint16_t ttp_record_proxy_local_port(const struct ttp_proxy *p);
/* Let go of client and tool, which then saves its file. NULL is fine. */
void ttp_record_proxy_close(struct ttp_proxy *p);

#endif
