/* SPDX-License-Identifier: Apache-2.0 */
/* stock_capture.c - represents Tracy's own capture tool after record's proxy: the same arguments,
 * and a server of its own; what it writes is our capture file, not a .tracy. With a protocol in
 * STOCK_PROTOCOL it speaks only that, as the real one does. */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/capture.h"

int main(int argc, char **argv)
{
    struct ttp_receiver_options options = {.zones = TTP_ZONES_ALL, .protocol = 66};
    const char *own = getenv("STOCK_PROTOCOL"), *path = NULL;
    struct ttp_receiver_stats stats = {0};
    struct ttp_receiver *r;
    struct ttp_err err = {0};
    uint64_t port = 0, protocol;

    for (int c; (c = getopt(argc, argv, "o:fa:p:")) != -1;) {
        if (c == 'o')
            path = optarg;
        if (c == 'p' && !ttp_str_to_u64(ttp_str_from(optarg), &port))
            return 2;
    }
    if (!path || !port || port > UINT16_MAX)
        return 2;
    if (own && ttp_str_to_u64(ttp_str_from(own), &protocol))
        options.protocol = (unsigned)protocol;
    if (ttp_receiver_open(&r, path, &options, &err) != TTP_OK)
        return 1;
    ttp_receiver_connect(r, (uint16_t)port);
    while (stats.state != TTP_RECEIVER_DONE) {
        struct pollfd fd;
        const int ms = ttp_receiver_wants(r, &fd);

        (void)poll(&fd, 1, ms < 0 || ms > 100 ? 100 : ms);
        ttp_receiver_step(r);
        ttp_receiver_get_stats(&stats, r);
        if (own && stats.protocol && stats.protocol != options.protocol) {
            (void)unlink(path);
            return 1;
        }
    }
    return ttp_receiver_close(r, &err) == TTP_OK ? 0 : 1;
}
