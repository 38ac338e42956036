/* SPDX-License-Identifier: Apache-2.0 */
#include "record/proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/procs.h"

enum { LANE_BYTES = 1 << 18, GREETING_BYTES = 12, RETRY_NS = 20000000 };
enum { STATUS_WELCOME = 1 };

/* Bytes on their way in one direction. */
struct lane {
    char *buf;
    size_t from, to;
    bool ended; /* its source has no more */
};

struct ttp_proxy {
    struct ttp_arena arena;
    pid_t pid; /* of the tool, or of what starts it */
    int listener, tool, client;
    struct lane up, down; /* client to tool, tool to client */
    uint64_t tried_ns;
    size_t greeted; /* bytes of the tool's greeting kept back */
    char greeting[GREETING_BYTES];
    bool joined, welcomed, refused, fed_end, tool_gone, said_goodbye;
};

static int loopback_socket(int type)
{
    return socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static struct sockaddr_in loopback(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static pid_t start_tool(const char *tool, const char *tracy_file, uint16_t port)
{
    char number[16];

    snprintf(number, sizeof(number), "%u", port);
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    const int null = open("/dev/null", O_RDWR);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0); /* what the terminal tells the command is not for it */
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(null, STDOUT_FILENO);
    (void)dup2(null, STDERR_FILENO);
    execl(tool, tool, "-o", tracy_file, "-f", "-a", "127.0.0.1", "-p", number, (char *)NULL);
    _exit(127);
}

ttp_code ttp_record_proxy_open(struct ttp_proxy **out, pid_t *pid, const char *tool,
                               const char *tracy_file, struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct ttp_proxy *p = TTP_NEW(&arena, struct ttp_proxy, 1);
    struct sockaddr_in at = loopback(0);
    socklen_t len = sizeof(at);

    p->up.buf = ttp_arena_bytes(&arena, LANE_BYTES);
    p->down.buf = ttp_arena_bytes(&arena, LANE_BYTES);
    p->tool = p->client = -1;
    p->arena = arena;
    p->listener = loopback_socket(SOCK_STREAM);
    *out = p;
    *pid = -1;
    if (p->listener >= 0 && bind(p->listener, (const struct sockaddr *)&at, len) == 0 &&
        listen(p->listener, 1) == 0 && getsockname(p->listener, (struct sockaddr *)&at, &len) == 0)
        *pid = start_tool(tool, tracy_file, ntohs(at.sin_port));
    p->pid = *pid;
    if (*pid > 0)
        return TTP_OK;
    ttp_fail_errno(err, "cannot start '%s'", tool);
    ttp_record_proxy_close(p);
    *out = NULL;
    return TTP_EIO;
}

void ttp_record_proxy_wants(const struct ttp_proxy *p, struct pollfd *fd)
{
    for (int i = 0; i < TTP_PROXY_FDS; i++)
        fd[i] = (struct pollfd){-1, 0, 0};
    if (p->tool < 0 && !p->tool_gone)
        fd[0] = (struct pollfd){p->listener, POLLIN, 0};
    if (!p->joined)
        return;
    if (p->tool >= 0)
        fd[1] = (struct pollfd){
            p->tool,
            (short)((p->down.to < LANE_BYTES ? POLLIN : 0) | (p->up.from < p->up.to ? POLLOUT : 0)),
            0};
    if (p->client >= 0)
        fd[2] = (struct pollfd){p->client,
                                (short)((p->up.to < LANE_BYTES ? POLLIN : 0) |
                                        (p->down.from < p->down.to ? POLLOUT : 0)),
                                0};
}

/* --- coming together --- */

/* Our port is open to everybody on this machine: is this the tool that we started? */
static bool is_tool(const struct ttp_proxy *p, const struct sockaddr_in *from)
{
    struct sockaddr_in here = {0};
    socklen_t len = sizeof(here);
    struct ttp_arena scratch = {0};
    struct ttp_family family;
    struct ttp_listener far;

    if (getsockname(p->listener, (struct sockaddr *)&here, &len) < 0 ||
        !ttp_record_procs_far_end(&far, ntohs(from->sin_port), ntohs(here.sin_port)))
        return false;
    ttp_record_procs_family(&family, p->pid, &scratch);
    const bool is = far.inode && ttp_record_family_holder(&family, &far);
    ttp_arena_free(&scratch);
    return is;
}

static void accept_tool(struct ttp_proxy *p)
{
    struct sockaddr_in from = {0};
    socklen_t len = sizeof(from);
    const int fd =
        accept4(p->listener, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd >= 0 && is_tool(p, &from))
        p->tool = fd;
    else if (fd >= 0)
        close(fd);
}

static void try_to_join(struct ttp_proxy *p, uint16_t port)
{
    const struct sockaddr_in at = loopback(port);
    const uint64_t now = ttp_clock_ns();

    if (p->tool < 0)
        accept_tool(p);
    if (p->tool < 0 || now - p->tried_ns < RETRY_NS)
        return;
    p->tried_ns = now;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    /* on loopback this answers immediately */
    if (connect(fd, (const struct sockaddr *)&at, sizeof(at)) < 0) {
        close(fd);
        return;
    }
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    p->client = fd;
    p->joined = true;
}

/* --- moving --- */

static size_t pull(int fd, struct lane *lane)
{
    if (lane->from == lane->to)
        lane->from = lane->to = 0;
    if (fd < 0 || lane->ended || lane->to == LANE_BYTES)
        return 0;
    const ssize_t n = recv(fd, lane->buf + lane->to, LANE_BYTES - lane->to, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        lane->ended = true;
    if (n <= 0)
        return 0;
    lane->to += (size_t)n;
    return (size_t)n;
}

/* False: the receiving end has closed. */
static bool push(int fd, struct lane *lane)
{
    while (fd >= 0 && lane->from < lane->to) {
        const ssize_t n = send(fd, lane->buf + lane->from, lane->to - lane->from, MSG_NOSIGNAL);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        if (n < 0)
            return false;
        lane->from += (size_t)n;
    }
    return fd >= 0;
}

static void lose_tool(struct ttp_proxy *p)
{
    if (p->tool >= 0)
        close(p->tool);
    p->tool = -1;
    p->tool_gone = true;
}

/* The tool's first bytes are kept until the client has accepted or rejected that number. */
static ttp_str keep_greeting(struct ttp_proxy *p, ttp_str bytes)
{
    const size_t room = GREETING_BYTES - p->greeted, n = bytes.len < room ? bytes.len : room;

    memcpy(p->greeting + p->greeted, bytes.ptr, n);
    p->greeted += n;
    return ttp_str_slice(bytes, n, bytes.len);
}

static void move_down(struct ttp_proxy *p, struct ttp_receiver *r)
{
    const size_t n = pull(p->tool, &p->down);
    const ttp_str fresh = keep_greeting(p, (ttp_str){p->down.buf + (p->down.to - n), n});

    if (fresh.len)
        ttp_receiver_feed_server(r, fresh);
    if (!push(p->client, &p->down))
        p->down.from = p->down.to; /* closed; its data can still be read */
    if (p->down.ended)
        lose_tool(p);
}

static void move_up(struct ttp_proxy *p, struct ttp_receiver *r)
{
    const size_t n = pull(p->client, &p->up);
    const ttp_str fresh = {p->up.buf + (p->up.to - n), n};

    if (n && !p->welcomed) {
        if (fresh.ptr[0] != STATUS_WELCOME) {
            p->refused = true;
            return;
        }
        p->welcomed = true;
        ttp_receiver_feed_server(r, (ttp_str){p->greeting, p->greeted});
    }
    if (n)
        ttp_receiver_feed_client(r, fresh);
    if (p->tool < 0)
        p->up.from = p->up.to; /* no receiver; the client must not notice */
    else if (!push(p->tool, &p->up))
        lose_tool(p);
}

/* Without the tool, it is for us to let the client go. */
static void say_goodbye(struct ttp_proxy *p, const struct ttp_receiver *r)
{
    static const char terminate[13];
    struct ttp_receiver_stats stats;

    if (!p->tool_gone || p->said_goodbye || p->client < 0)
        return;
    ttp_receiver_get_stats(&stats, r);
    if (stats.state != TTP_RECEIVER_ENDING && stats.state != TTP_RECEIVER_DONE)
        return;
    p->said_goodbye = true;
    (void)send(p->client, terminate, sizeof(terminate), MSG_NOSIGNAL);
}

void ttp_record_proxy_step(struct ttp_proxy *p, struct ttp_receiver *r, uint16_t port)
{
    if (p->refused || p->fed_end)
        return;
    if (!p->joined) {
        try_to_join(p, port);
        return;
    }
    move_down(p, r);
    move_up(p, r);
    say_goodbye(p, r);
    if (p->up.ended && p->up.from == p->up.to) {
        p->fed_end = true;
        ttp_receiver_feed_end(r);
    }
}

bool ttp_record_proxy_was_refused(const struct ttp_proxy *p)
{
    return p->refused;
}

bool ttp_record_proxy_is_joined(const struct ttp_proxy *p)
{
    return p->joined;
}

uint16_t ttp_record_proxy_local_port(const struct ttp_proxy *p)
{
    struct sockaddr_in here = {0};
    socklen_t n = sizeof(here);

    return p->client >= 0 && getsockname(p->client, (struct sockaddr *)&here, &n) == 0
               ? ntohs(here.sin_port)
               : 0;
}

void ttp_record_proxy_close(struct ttp_proxy *p)
{
    if (!p)
        return;
    if (p->tool >= 0)
        close(p->tool);
    if (p->client >= 0)
        close(p->client);
    if (p->listener >= 0)
        close(p->listener);
    struct ttp_arena arena = p->arena;
    ttp_arena_free(&arena);
}
