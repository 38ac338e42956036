/* SPDX-License-Identifier: Apache-2.0 */
#include "record/announce.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANNOUNCE_PORT = 8086 };

static uint32_t u32_at(ttp_str s, size_t at)
{
    uint32_t v;

    memcpy(&v, s.ptr + at, sizeof(v));
    return v;
}

static uint16_t u16_at(ttp_str s, size_t at)
{
    uint16_t v;

    memcpy(&v, s.ptr + at, sizeof(v));
    return v;
}

/* Where things are in each version; 0: not there, as no version has any at the start. */
static const struct layout {
    uint8_t version_bytes, port, port_bytes, protocol, pid, active, name;
} layouts[] = {
    {4, 0, 0, 4, 0, 8, 12},
    {4, 8, 4, 4, 0, 12, 16},
    {2, 2, 2, 4, 0, 8, 12},
    {2, 2, 2, 4, 8, 16, 20},
};

bool ttp_record_announce_parse(struct ttp_announcement *out, ttp_str bytes)
{
    if (bytes.len < 12)
        return false;
    const uint32_t version = u16_at(bytes, 0);
    if (version >= TTP_COUNT(layouts))
        return false;
    const struct layout *l = &layouts[version];
    if (bytes.len <= l->name || (l->version_bytes == 4 && u32_at(bytes, 0) != version))
        return false;
    const uint32_t port = l->port_bytes == 4   ? u32_at(bytes, l->port)
                          : l->port_bytes == 2 ? u16_at(bytes, l->port)
                                               : ANNOUNCE_PORT; /* the only one, in the first */
    *out = (struct ttp_announcement){
        .port = (uint16_t)port,
        .protocol = u32_at(bytes, l->protocol),
        .leaving = (int32_t)u32_at(bytes, l->active) < 0,
        .program = ttp_str_slice(bytes, l->name, bytes.len),
    };
    if (l->pid)
        memcpy(&out->pid, bytes.ptr + l->pid, sizeof(out->pid));
    const size_t end = ttp_str_find_char(out->program, '\0');
    out->program.len = end == TTP_NPOS ? out->program.len : end;
    return port > 0 && port <= UINT16_MAX;
}

int ttp_record_announce_open(void)
{
    const struct sockaddr_in any = {.sin_family = AF_INET,
                                    .sin_port = htons(ANNOUNCE_PORT),
                                    .sin_addr.s_addr = htonl(INADDR_ANY)};
    const int yes = 1;
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &yes, sizeof(yes));
    if (bind(fd, (const struct sockaddr *)&any, sizeof(any)) == 0)
        return fd;
    close(fd);
    return -1;
}

static bool is_ours(struct in_addr a)
{
    struct ifaddrs *all;
    bool found = ntohl(a.s_addr) >> 24 == 127;

    if (found || getifaddrs(&all) < 0)
        return found;
    for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
        struct sockaddr_in in;

        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET)
            continue;
        memcpy(&in, i->ifa_addr, sizeof(in));
        found = in.sin_addr.s_addr == a.s_addr;
    }
    freeifaddrs(all);
    return found;
}

enum ttp_announce_kind ttp_record_announce_next(struct ttp_announcement *out, int fd, char *buf,
                                                size_t size)
{
    struct sockaddr_in from = {0};
    socklen_t len = sizeof(from);
    const ssize_t n = recvfrom(fd, buf, size, MSG_DONTWAIT, (struct sockaddr *)&from, &len);

    if (n < 0)
        return TTP_ANNOUNCE_NONE;
    return from.sin_family == AF_INET &&
                   ttp_record_announce_parse(out, (ttp_str){buf, (size_t)n}) &&
                   is_ours(from.sin_addr)
               ? TTP_ANNOUNCE_CLIENT
               : TTP_ANNOUNCE_OTHER;
}
