/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers are compared for equality by the client, which hangs up when they differ and continues
 * listening: so one is tried after the other, each on a connection of its own. */
#include "capture/receiver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/bytes.h"

/* Numbers of unknown dialects that are tried when none of ours is spoken. */
#define NUMBER_FIRST 40
#define NUMBER_LAST  160

static unsigned number_to_try(const struct ttp_receiver *r)
{
    const unsigned *known = ttp_capture_dialect_numbers();
    size_t n = r->attempt;

    if (r->options.protocol && n-- == 0)
        return r->options.protocol;
    for (; *known && n; known++)
        n--;
    if (*known)
        return *known;
    return NUMBER_FIRST + n <= NUMBER_LAST ? NUMBER_FIRST + (unsigned)n : 0;
}

void ttp_receiver_hang_up(struct ttp_receiver *r)
{
    if (r->socket >= 0)
        close(r->socket);
    r->socket = -1;
    r->out_at = r->out_len = 0;
}

void ttp_receiver_finish(struct ttp_receiver *r, enum ttp_capture_end end)
{
    ttp_receiver_hang_up(r);
    r->phase = TTP_PHASE_OVER;
    r->end = end;
}

void ttp_receiver_wait_for(struct ttp_receiver *r, uint64_t ns)
{
    ttp_receiver_hang_up(r);
    r->phase = TTP_PHASE_WAITING;
    r->deadline = ttp_clock_ns() + ns;
}

void ttp_receiver_start_stream(struct ttp_receiver *r, unsigned protocol)
{
    struct ttp_stream *s = &r->stream;

    *s = (struct ttp_stream){.protocol = protocol, .arena = &r->arena};
    s->ncandidates = ttp_capture_dialect_find(s->candidate, TTP_STREAM_CANDIDATES, protocol);
    s->raw = r->options.raw || s->ncandidates == 0;
    s->wire.journal = &r->journal;
    s->wire.zones = r->options.zones;
    s->wire.gpu.use = r->options.device_zone;
    s->wire.gpu.arg = r->options.device_zone_arg;
    s->wire.gpu.arena = &r->arena;
    s->wire.children = &r->options.children;
    s->wire.ask = r->fed ? NULL : ttp_receiver_ask_later;
    s->wire.ask_ctx = r;
    s->wire.told_order = r->fed;
    s->wire.asks_all = r->options.raw && !r->fed;
    ttp_wire_stream_init(s);
    r->protocol = protocol;
}

static void greet(struct ttp_receiver *r)
{
    const unsigned number = number_to_try(r);

    if (number == 0) {
        ttp_receiver_finish(r, TTP_END_NOT_TRACY);
        return;
    }
    memcpy(r->out, "TracyPrf", 8);
    ttp_set32(r->out + 8, number);
    r->out_len = 12;
    r->out_at = 0;
    r->protocol = number;
    r->phase = TTP_PHASE_SHAKING;
    r->deadline = ttp_clock_ns() + TTP_HANDSHAKE_NS;
    ttp_receiver_flush_out(r);
}

/* Without a listener on a port of the range that connections come from, the system may connect
 * a socket to itself. */
static bool talks_to_itself(int fd)
{
    struct sockaddr_in here = {0}, there = {0};
    socklen_t n = sizeof(here), m = sizeof(there);

    return getsockname(fd, (struct sockaddr *)&here, &n) == 0 &&
           getpeername(fd, (struct sockaddr *)&there, &m) == 0 && here.sin_port == there.sin_port &&
           here.sin_addr.s_addr == there.sin_addr.s_addr;
}

uint16_t ttp_receiver_local_port(const struct ttp_receiver *r)
{
    struct sockaddr_in here = {0};
    socklen_t n = sizeof(here);

    return r->socket >= 0 && getsockname(r->socket, (struct sockaddr *)&here, &n) == 0
               ? ntohs(here.sin_port)
               : 0;
}

static void connected(struct ttp_receiver *r)
{
    const int one = 1;

    if (talks_to_itself(r->socket)) {
        ttp_receiver_wait_for(r, TTP_RETRY_NS);
        return;
    }
    setsockopt(r->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    greet(r);
}

void ttp_receiver_connect_now(struct ttp_receiver *r)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(r->port)};

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ttp_receiver_hang_up(r);
    if (r->options.may_connect && !r->options.may_connect(r->port)) {
        ttp_receiver_wait_for(r, TTP_RETRY_NS);
        return;
    }
    r->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int rc = r->socket < 0 ? -1 : connect(r->socket, (struct sockaddr *)&to, sizeof(to));
    if (rc == 0) {
        connected(r);
    } else if (r->socket >= 0 && errno == EINPROGRESS) {
        r->phase = TTP_PHASE_CONNECTING;
        r->deadline = ttp_clock_ns() + TTP_HANDSHAKE_NS;
    } else {
        ttp_receiver_wait_for(r, TTP_RETRY_NS);
    }
}

void ttp_receiver_check_connect(struct ttp_receiver *r)
{
    struct pollfd p = {.fd = r->socket, .events = POLLOUT};
    int error = 0;
    socklen_t n = sizeof(error);

    if (poll(&p, 1, 0) <= 0) {
        if (ttp_clock_ns() > r->deadline)
            ttp_receiver_wait_for(r, TTP_RETRY_NS);
        return;
    }
    if (getsockopt(r->socket, SOL_SOCKET, SO_ERROR, &error, &n) != 0 || error)
        ttp_receiver_wait_for(r, TTP_RETRY_NS);
    else
        connected(r);
}
