/* SPDX-License-Identifier: Apache-2.0 */
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "tracy_client.h"

void tc_flood(int64_t ms)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(8086), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const uint64_t start = ttp_clock_ns();
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    /* version 3, port, protocol 66, process 1, active for a second, a name */
    char text[] = "\3\0\0\0\102\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0flood";

    for (uint16_t port = 1024; (ttp_clock_ns() - start) / 1000000 < (uint64_t)ms; port++) {
        memcpy(text + 2, &port, sizeof(port));
        (void)sendto(fd, text, sizeof(text), MSG_DONTWAIT, (const void *)&to, sizeof(to));
    }
    close(fd);
}
