/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what a client sends, in three ways that the first byte chooses: handed over by a
 * proxy, in pieces, with a server's bytes between them; over a real connection on loopback; and the
 * latter left in the middle. No crash, no leak; the capture file that remains can be read. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "capture/bytes.h"
#include "capture/capture.h"
#include "fuzz.h"
#include "memfile.h"

enum { LIVE = 1, LEAVE = 2, RAW = 4, ALL_ZONES = 8, SMALL = 16 };

/* The next part, after its length in two bytes; the last may be shorter. */
static ttp_str take_part(ttp_str *rest)
{
    const size_t n = rest->len < 2 ? 0 : ttp_get16(rest->ptr);
    const ttp_str part = ttp_str_slice(*rest, 2, 2 + n);

    *rest = ttp_str_slice(*rest, 2 + n, rest->len);
    return part;
}

/* One listener for all inputs; nothing else connects to it. */
static int listener(uint16_t *port)
{
    static int fd = -1;
    static struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t n = sizeof(at);

    if (fd < 0) {
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        must(fd >= 0 && bind(fd, (struct sockaddr *)&at, n) == 0 && listen(fd, 64) == 0 &&
             getsockname(fd, (struct sockaddr *)&at, &n) == 0);
    }
    *port = ntohs(at.sin_port);
    return fd;
}

/* Each part is what the client says to one attempt to talk to it. */
static void talk(struct ttp_receiver *r, ttp_str rest, bool leave)
{
    struct ttp_receiver_stats stats;
    uint16_t port;
    const int fd = listener(&port);
    int client = -1;
    ttp_str part = {0};
    size_t sent = 0;

    ttp_receiver_connect(r, port);
    for (int turn = 0; turn < 64; turn++) {
        ttp_receiver_step(r);
        ttp_receiver_get_stats(&stats, r);
        if (stats.state == TTP_RECEIVER_DONE || (leave && turn == 8))
            break;
        const int next = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (next >= 0) {
            if (client >= 0)
                close(client);
            client = next;
            part = take_part(&rest);
            sent = 0;
        }
        if (client < 0)
            continue;
        char asked[4096];
        while (recv(client, asked, sizeof(asked), MSG_DONTWAIT) > 0)
            continue;
        const ssize_t n =
            sent == part.len ? 0 : send(client, part.ptr + sent, part.len - sent, MSG_NOSIGNAL);
        sent += n > 0 ? (size_t)n : 0;
        if (sent == part.len && turn > 48) { /* it hangs up */
            close(client);
            client = -1;
        }
    }
    ttp_receiver_stop(r);
    ttp_receiver_step(r);
    if (client >= 0)
        close(client);
    for (int next; (next = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;)
        close(next);
}

/* Parts in turn: of the server, of the client. */
static void hand_over(struct ttp_receiver *r, ttp_str rest, size_t piece)
{
    for (bool server = true; rest.len; server = !server) {
        ttp_str part = take_part(&rest);

        while (part.len) {
            const ttp_str some = ttp_str_slice(part, 0, piece);
            if (server)
                ttp_receiver_feed_server(r, some);
            else
                ttp_receiver_feed_client(r, some);
            part = ttp_str_slice(part, some.len, part.len);
        }
    }
    ttp_receiver_feed_end(r);
}

static void read_back(const char *path)
{
    const struct ttp_trace_reading how = {.zones = TTP_ZONES_ALL};
    struct ttp_arena arena = {0};
    struct ttp_err err = {0};
    struct ttp_trace trace;

    if (ttp_capture_trace_read(&trace, path, &how, &arena, &err) != TTP_OK)
        must(err.code != TTP_OK && err.text[0]);
    ttp_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *names[] = {"child"};
    struct ttp_receiver *r;
    struct memfile file;

    if (size < 2)
        return 0;
    const unsigned flags = data[0];
    const ttp_str rest = {(const char *)data + 1, size - 1};
    const struct ttp_receiver_options options = {.zones = flags & ALL_ZONES ? TTP_ZONES_ALL
                                                                            : TTP_ZONES_OPS,
                                                 .raw = flags & RAW,
                                                 .children = {names, TTP_COUNT(names)}};
    memfile_open(&file, NULL, 0);
    must(ttp_receiver_open(&r, file.path, &options, NULL) == TTP_OK);
    if (flags & LIVE)
        talk(r, rest, flags & LEAVE);
    else
        hand_over(r, rest, flags & SMALL ? 7 : 1 << 16);
    must(ttp_receiver_close(r, NULL) == TTP_OK);
    read_back(file.path);
    close(file.fd);
    return 0;
}
