/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h - door of the serve module: pages for a browser, over HTTP or as a file.
 *
 * A server listens on the loopback address only, and answers only requests with its token: the
 * first part of every path, random for each server. It runs on a thread of its own until it is
 * closed. */
#ifndef TTP_SERVE_SERVE_H
#define TTP_SERVE_SERVE_H

#include "base/err.h"
#include "base/sink.h"

/* The only port from which Perfetto's page may load a trace automatically. */
#define TTP_PERFETTO_PORT 9001

struct ttp_serve_options {
    int fd;           /* of the trace: read at any place, the caller's */
    const char *name; /* of the file, for human readers; borrowed until the server is closed */
    bool json;        /* Chrome's JSON instead of Perfetto's format: no built-in timeline */
    bool offline;     /* the first page is the built-in timeline */
    uint16_t port;    /* 0: TTP_PERFETTO_PORT, or any where that is taken */
    bool open_paths;  /* no token: the trace is /trace.json, and every other path is the page, which
                         is  for that trace alone; any port that is free unless `port` says which */
};

struct ttp_server;

/* False: this build has no HTTP. */
bool ttp_serve_supported(void);

/* TTP_EMISSING: this build or this machine has no HTTP. TTP_EIO: the port is taken, or nothing may
 * listen. */
TTP_NODISCARD ttp_code ttp_server_open(struct ttp_server **out,
                                       const struct ttp_serve_options *options,
                                       struct ttp_err *err);
/* "http://127.0.0.1:9001/<token>/" */
const char *ttp_server_url(const struct ttp_server *s);
uint16_t ttp_server_port(const struct ttp_server *s);
/* NULL is fine. */
void ttp_server_close(struct ttp_server *s);

/* The built-in timeline with a trace inside, as one file that needs nothing else. The trace is
 * compressed where the build has zlib. TTP_EIO: it cannot be read. */
TTP_NODISCARD ttp_code ttp_serve_put_timeline(struct ttp_sink *out, int fd, const char *name,
                                              bool progress, struct ttp_err *err);

#endif
