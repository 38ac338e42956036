/* SPDX-License-Identifier: Apache-2.0 */
/* Holding a port for a client that is still to be started.
 *
 * Bound without SO_REUSEADDR the port is ours alone, or the call fails because it is in use;
 * connections that ended within the last minute look in use too, and are distinguished. With the
 * option set afterwards, a socket that has it too may bind next to ours as long as ours does not
 * listen: Tracy's client does set it, and programs that look for a free port do not. */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "record/procs.h"
#include "record/record.h"

static int open_socket(int family, bool reuse)
{
    const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

    if (fd >= 0 && reuse)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    return fd;
}

static int bind_any(uint16_t port, bool reuse)
{
    const struct sockaddr_in6 six = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_any};
    const struct sockaddr_in four = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_ANY)};
    const int no = 0;
    int fd = open_socket(AF_INET6, reuse);

    if (fd >= 0) {
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
        if (bind(fd, (const struct sockaddr *)&six, sizeof(six)) == 0)
            return fd;
        const int why = errno;
        close(fd);
        errno = why;
        if (why != EADDRNOTAVAIL && why != EAFNOSUPPORT)
            return -1;
    }
    fd = open_socket(AF_INET, reuse);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&four, sizeof(four)) == 0)
        return fd;
    const int why = errno;
    close(fd);
    errno = why;
    return -1;
}

static ttp_code fail_taken(uint16_t port, struct ttp_err *err)
{
    char name[64];

    if (errno != EADDRINUSE)
        return ttp_fail_errno(err, "cannot use port %u", port);
    const pid_t owner = ttp_record_procs_port_owner(port, name, sizeof(name));
    if (owner)
        ttp_fail(err, TTP_EIO, "port %u is in use by process %d (%s)", port, (int)owner, name);
    else
        ttp_fail(err, TTP_EIO,
                 "port %u is in use by a process of another user, or by one that just ended", port);
    ttp_err_hint(err, "give another port, or none to choose a free one");
    return TTP_EIO;
}

ttp_code ttp_record_port_hold(struct ttp_port *out, uint16_t wanted, struct ttp_err *err)
{
    struct sockaddr_in6 at = {0};
    socklen_t len = sizeof(at);
    const int yes = 1;

    *out = (struct ttp_port){.fd = bind_any(wanted, false)};
    if (out->fd < 0 && errno == EADDRINUSE && ttp_record_procs_port_lingers(wanted))
        out->fd = bind_any(wanted, true);
    if (out->fd < 0)
        return fail_taken(wanted, err);
    if (getsockname(out->fd, (struct sockaddr *)&at, &len) < 0 ||
        setsockopt(out->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0) {
        const ttp_code rc = ttp_fail_errno(err, "cannot reserve a port");
        ttp_record_port_release(out);
        return rc;
    }
    out->number = ntohs(at.sin6_port); /* at the same place for both families */
    return TTP_OK;
}

ttp_code ttp_record_port_hold_first(struct ttp_port *out, struct ttp_err *err)
{
    for (int port = TTP_PORT_FIRST; port <= TTP_PORT_LAST; port++)
        if (ttp_record_port_hold(out, (uint16_t)port, NULL) == TTP_OK) {
            out->number = 0;
            return TTP_OK;
        }
    ttp_fail(err, TTP_EIO, "all ports that Tracy clients try, %d to %d, are in use", TTP_PORT_FIRST,
             TTP_PORT_LAST);
    ttp_err_hint(err, "give a free one with -p");
    return TTP_EIO;
}

void ttp_record_port_release(struct ttp_port *p)
{
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
}

uint16_t ttp_record_tracy_port(int64_t pid)
{
    struct ttp_arena arena = {0};
    struct ttp_listener l[TTP_PORT_LAST - TTP_PORT_FIRST + 1];
    char name[64];
    uint16_t found = 0;
    uint64_t given;

    const char *variable = ttp_record_procs_variable((pid_t)pid, "TRACY_PORT", &arena);
    if (variable && ttp_str_to_u64(ttp_str_from(variable), &given) && given > 0 &&
        given <= UINT16_MAX &&
        ttp_record_procs_port_owner((uint16_t)given, name, sizeof(name)) == pid)
        found = (uint16_t)given;
    ttp_arena_free(&arena);
    const size_t n = ttp_record_procs_listeners(l, TTP_COUNT(l), TTP_PORT_FIRST, TTP_PORT_LAST);
    for (size_t i = 0; i < n && found == 0; i++)
        if (ttp_record_procs_socket_owner(&l[i], name, sizeof(name)) == pid)
            found = l[i].port;
    return found;
}
