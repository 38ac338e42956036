/* SPDX-License-Identifier: Apache-2.0 */
#include "tracy_client.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "lz4_block.h"
#include "tracy_numbers.h"

enum { BLOCK_MAX = 262144, FIRST_PORT = 8086, PORTS = 20, ANNOUNCE_PORT = 8086 };
/* Where our clock begins, in ticks: anything but 0. */
#define FIRST_TICK INT64_C(5000000000)

/* What the server may ask about, and whether it has. */
struct known {
    const void *what; /* NULL: a thread, by its number */
    uint64_t key;
    uint8_t type;
    bool asked;
};

struct tc_client {
    const struct tc_numbers *n;
    struct tc_manner manner;
    char program[64];
    int listener, sock, udp;
    uint16_t port;
    uint32_t thread; /* of the last ThreadContext */
    int64_t clock;   /* of that thread, in ticks */
    unsigned bad;
    bool ended; /* the server said Terminate, or is gone */
    uint64_t sent, blocks, messages;
    int sent_fd;
    struct known *known;
    size_t nknown, cap;
    unsigned char buf[BLOCK_MAX];
    size_t len;
    struct lz4_block lz4;
    unsigned char packed[4 + LZ4_BLOCK_BOUND(BLOCK_MAX)];
};

enum { ASK_STRING = 1, ASK_THREAD, ASK_SOURCE, ASK_PLOT };

static void learn_key(struct tc_client *c, uint8_t type, uint64_t key, const void *what)
{
    for (size_t i = c->nknown; i-- > 0;)
        if (c->known[i].key == key && c->known[i].type == type)
            return;
    if (c->nknown == c->cap) {
        c->cap = c->cap ? c->cap * 2 : 64;
        c->known = realloc(c->known, c->cap * sizeof(*c->known));
        if (!c->known)
            ttp_arena_oom();
    }
    c->known[c->nknown++] = (struct known){what, key, type, false};
}

static void learn(struct tc_client *c, uint8_t type, const void *what)
{
    if (what)
        learn_key(c, type, (uint64_t)(uintptr_t)what, what);
}

/* --- coming together --- */

static int listen_on(uint16_t port)
{
    const int yes = 1, no = 0;
    const struct sockaddr_in6 any = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_any};
    const struct sockaddr_in any4 = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_ANY)};
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool six = fd >= 0;

    if (!six)
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (six)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(fd, six ? (const void *)&any : (const void *)&any4, six ? sizeof(any) : sizeof(any4)) <
            0 ||
        listen(fd, 4) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

struct tc_client *tc_open(enum tc_dialect dialect, const struct tc_manner *manner,
                          const char *program)
{
    const char *wish = getenv("TRACY_PORT");
    uint64_t given = 0;
    struct tc_client *c = calloc(1, sizeof(*c));

    if (!c)
        ttp_arena_oom();
    c->n = &tc_numbers[dialect];
    c->manner = *manner;
    (void)prctl(PR_SET_NAME, "Tracy Profiler", 0L, 0L, 0L); /* as its thread is called */
    c->sock = c->listener = -1;
    c->sent_fd = manner->sent ? open(manner->sent, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    snprintf(c->program, sizeof(c->program), "%s", program);
    if (wish && ttp_str_to_u64(ttp_str_from(wish), &given) && given) {
        c->port = (uint16_t)given;
        c->listener = listen_on(c->port);
    }
    for (int i = 0; !given && c->listener < 0 && i < PORTS; i++) {
        c->port = (uint16_t)(FIRST_PORT + i);
        c->listener = listen_on(c->port);
    }
    if (c->listener < 0) {
        free(c);
        return NULL;
    }
    const int yes = 1;
    c->udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    setsockopt(c->udp, SOL_SOCKET, SO_BROADCAST, &yes, sizeof(yes));
    return c;
}

uint16_t tc_port(const struct tc_client *c)
{
    return c->port;
}

static uint64_t claimed_pid(const struct tc_client *c)
{
    return c->manner.claim ? c->manner.claim : (uint64_t)getpid();
}

static void announce(const struct tc_client *c, int32_t active_s)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(ANNOUNCE_PORT),
                                   .sin_addr.s_addr = htonl(0x7fffffff)};
    const uint16_t version = 3;
    const uint64_t pid = claimed_pid(c);
    char text[20 + sizeof(c->program)];

    memcpy(text, &version, 2);
    memcpy(text + 2, &c->port, 2);
    memcpy(text + 4, &c->n->protocol, 4);
    memcpy(text + 8, &pid, 8);
    memcpy(text + 16, &active_s, 4);
    memcpy(text + 20, c->program, strlen(c->program) + 1);
    (void)sendto(c->udp, text, 20 + strlen(c->program) + 1, MSG_DONTWAIT, (const void *)&to,
                 sizeof(to));
}

static bool read_all(int fd, void *to, size_t n, int timeout_ms)
{
    for (size_t got = 0; got < n;) {
        struct pollfd p = {fd, POLLIN, 0};

        if (poll(&p, 1, timeout_ms) <= 0)
            return false;
        const ssize_t r = recv(fd, (char *)to + got, n - got, 0);
        if (r <= 0)
            return false;
        got += (size_t)r;
    }
    return true;
}

static bool send_all(int fd, const void *from, size_t n)
{
    for (size_t done = 0; done < n;) {
        const ssize_t r = send(fd, (const char *)from + done, n - done, MSG_NOSIGNAL);

        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            return false;
        done += (size_t)r;
    }
    return true;
}

static void put_at(unsigned char *to, size_t at, const void *from, size_t n)
{
    memcpy(to + at, from, n);
}

static bool send_welcome(struct tc_client *c)
{
    unsigned char w[1 + 1178] = {1};
    const int64_t begin = FIRST_TICK, later = FIRST_TICK + 1000;
    const uint64_t one = 1, epoch = 1760000000, pid = claimed_pid(c);
    const size_t gap = c->n->delay_in_welcome ? 8 : 0; /* `delay` went in 76 */

    put_at(w, 1, &c->n->ns_per_tick, 8);
    put_at(w, 9, &begin, 8);
    put_at(w, 17, &later, 8);
    put_at(w, 25 + gap, &one, 8); /* resolution */
    put_at(w, 33 + gap, &epoch, 8);
    put_at(w, 49 + gap, &pid, 8);
    w[66 + gap] = 2; /* x64 */
    put_at(w, 67 + gap, "synthesized!", 12);
    put_at(w, 83 + gap, c->program, strlen(c->program));
    put_at(w, 147 + gap, "OS: none", 8);
    return send_all(c->sock, w, 1 + c->n->welcome_bytes);
}

/* One caller: a server that speaks our number stays, others are reported and sent away. */
static bool shake_hands(struct tc_client *c)
{
    char word[8];
    uint32_t number;
    const uint8_t mismatch = 2;

    if (read_all(c->sock, word, 8, 2000) && memcmp(word, "TracyPrf", 8) == 0 &&
        read_all(c->sock, &number, 4, 2000)) {
        if (number == c->n->protocol && send_welcome(c))
            return true;
        if (number != c->n->protocol)
            (void)send_all(c->sock, &mismatch, 1);
    }
    close(c->sock);
    c->sock = -1;
    return false;
}

bool tc_wait(struct tc_client *c, int timeout_ms)
{
    const uint64_t start = ttp_clock_ns();
    uint64_t told = 0;

    for (;;) {
        const uint64_t now = ttp_clock_ns();
        struct pollfd p = {c->listener, POLLIN, 0};

        if (now - start > (uint64_t)timeout_ms * 1000000)
            return false;
        if (!told || now - told > UINT64_C(3000000000)) {
            announce(c, (int32_t)((now - start) / 1000000000));
            told = now;
        }
        if (poll(&p, 1, 10) <= 0)
            continue;
        c->sock = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC);
        if (c->sock >= 0) {
            const int yes = 1; /* so that what is sent has arrived when we are killed */

            setsockopt(c->sock, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
            announce(c, -1);
            if (shake_hands(c))
                return true;
        }
    }
}

/* --- blocks --- */

static bool send_pieces(struct tc_client *c, const unsigned char *from, size_t n)
{
    const size_t piece = c->manner.piece_bytes ? c->manner.piece_bytes : n;

    for (size_t at = 0; at < n; at += piece) {
        const size_t part = n - at < piece ? n - at : piece;
        const uint64_t kill_after = c->manner.kill_after;

        if (kill_after && c->sent + part >= kill_after) {
            (void)send_all(c->sock, from + at, (size_t)(kill_after - c->sent));
            raise(SIGKILL);
        }
        if (!send_all(c->sock, from + at, part))
            return false;
        c->sent += part;
        if (c->manner.pause_us)
            usleep(c->manner.pause_us);
    }
    return true;
}

static bool commit(struct tc_client *c)
{
    if (!c->len || c->ended)
        return !c->ended;
    const uint32_t n = (uint32_t)lz4_block_pack(&c->lz4, c->packed + 4, c->buf, c->len);
    memcpy(c->packed, &n, 4);
    c->len = 0;
    if (!send_pieces(c, c->packed, 4 + (size_t)n)) {
        c->ended = true;
        return false;
    }
    if (c->sent_fd >= 0) {
        char text[24];
        const int len = snprintf(text, sizeof(text), "%llu\n", (unsigned long long)c->messages);

        (void)!pwrite(c->sent_fd, text, (size_t)len, 0);
    }
    if (c->manner.burst_blocks && ++c->blocks % c->manner.burst_blocks == 0)
        usleep(50000);
    return true;
}

/* Room for an item that must not be cut, in this block or a new one. */
unsigned char *tc_item(struct tc_client *c, size_t n)
{
    const size_t limit = c->manner.block_bytes ? c->manner.block_bytes : 65536;

    if (c->len && (c->len + n > limit || c->len + n > BLOCK_MAX))
        (void)commit(c); /* questions wait: an answer may not come between a text and its user */
    unsigned char *at = c->buf + c->len;
    c->len += n;
    return at;
}

static void put_byte(struct tc_client *c, uint8_t type)
{
    *tc_item(c, 1) = type;
}

/* SingleStringData and its kin. */
static void put_single(struct tc_client *c, ttp_str text)
{
    const uint16_t n = (uint16_t)(text.len < 65535 ? text.len : 65535);
    unsigned char *at = tc_item(c, 3 + (size_t)n);

    at[0] = c->n->single_string;
    memcpy(at + 1, &n, 2);
    memcpy(at + 3, text.ptr, n);
}

static void put_keyed(struct tc_client *c, uint8_t type, uint64_t key, ttp_str text)
{
    const uint16_t n = (uint16_t)(text.len < 65535 ? text.len : 65535);
    unsigned char *at = tc_item(c, 11 + (size_t)n);

    at[0] = type;
    memcpy(at + 1, &key, 8);
    memcpy(at + 9, &n, 2);
    memcpy(at + 11, text.ptr, n);
}

/* --- answers --- */

static void answer_source(struct tc_client *c, const struct tc_source *s)
{
    unsigned char *at = tc_item(c, 32);

    memset(at, 0, 32);
    at[0] = c->n->source_location;
    memcpy(at + 1, &s->name, 8);
    memcpy(at + 9, &s->function, 8);
    memcpy(at + 17, &s->file, 8);
    memcpy(at + 25, &s->line, 4);
    learn(c, ASK_STRING, s->name);
    learn(c, ASK_STRING, s->function);
    learn(c, ASK_STRING, s->file);
}

/* What a question is about; NULL: nothing that we ever sent. */
static const struct known *look_up(struct tc_client *c, uint8_t type, uint64_t key)
{
    for (size_t i = 0; i < c->nknown; i++)
        if (c->known[i].key == key && c->known[i].type == type) {
            if (c->known[i].asked)
                c->bad++;
            c->known[i].asked = true;
            return &c->known[i];
        }
    c->bad++;
    return NULL;
}

static void answer_text(struct tc_client *c, uint8_t with, uint8_t type, uint64_t key)
{
    const struct known *k = look_up(c, type, key);
    char name[32];

    if (!k)
        return;
    snprintf(name, sizeof(name), key == 1 ? "Main thread" : "worker %u", (unsigned)key);
    put_keyed(c, with, key, ttp_str_from(k->what ? k->what : name));
}

/* Stock servers also ask for what we have no answer to; those that can be are answered with "no".
 */
static void answer(struct tc_client *c, uint8_t type, uint64_t key)
{
    const uint32_t id = (uint32_t)key;
    const struct known *source;

    switch (type) {
    case 0:
        c->ended = true;
        break;
    case ASK_STRING:
        answer_text(c, c->n->string, type, key);
        break;
    case ASK_THREAD:
        answer_text(c, c->n->thread_name, type, key);
        break;
    case ASK_SOURCE:
        source = look_up(c, type, key);
        if (source)
            answer_source(c, source->what);
        break;
    case ASK_PLOT:
        answer_text(c, c->n->plot_name, type, key);
        break;
    case 9: /* Disconnect */
        put_byte(c, c->n->terminate);
        break;
    case 12:
        put_byte(c, c->n->no_symbol_code);
        break;
    case 13: {
        unsigned char *at = tc_item(c, 5);
        at[0] = c->n->no_source_code;
        memcpy(at + 1, &id, 4);
        break;
    }
    case 6:
    case 14:
    case 15:
        put_byte(c, c->n->ack);
        break;
    default:
        break;
    }
}

/* Everything that was asked so far; waits up to timeout_ms for the first. */
static bool hear(struct tc_client *c, int timeout_ms)
{
    struct pollfd p = {c->sock, POLLIN, 0};
    bool any = false;

    while (!c->ended && poll(&p, 1, any ? 0 : timeout_ms) > 0) {
        unsigned char q[13];
        uint64_t ptr;

        if (!read_all(c->sock, q, sizeof(q), 2000)) {
            c->ended = true;
            return false;
        }
        memcpy(&ptr, q + 1, 8);
        answer(c, q[0], ptr);
        any = true;
    }
    return any;
}

bool tc_flush(struct tc_client *c)
{
    if (!commit(c))
        return false;
    if (hear(c, 0))
        (void)commit(c);
    return !c->ended;
}

void tc_finish(struct tc_client *c)
{
    (void)tc_flush(c);
    put_byte(c, c->n->terminate);
    (void)commit(c);
    while (!c->ended)
        if (hear(c, 10))
            (void)commit(c);
}

/* --- items --- */

/* The thread's clock moves by what is returned; a new thread's begins at 0. */
static int64_t advance(struct tc_client *c, uint32_t thread, uint64_t ns)
{
    const int64_t tick = FIRST_TICK + (int64_t)((double)ns / c->n->ns_per_tick);

    if (thread != c->thread) {
        unsigned char *at = tc_item(c, 5);
        at[0] = c->n->thread_context;
        memcpy(at + 1, &thread, 4);
        c->thread = thread;
        c->clock = 0;
        learn_key(c, ASK_THREAD, thread, NULL);
    }
    const int64_t delta = tick - c->clock;
    c->clock = tick;
    return delta;
}

/* Type and time of a zone's begin or end: with 78 in as few bytes as it takes. */
static unsigned char *put_delta(struct tc_client *c, uint8_t type, int64_t delta, size_t more)
{
    const uint64_t wide = (uint64_t)delta;
    size_t bytes = 8;
    uint64_t v = wide;

    if (c->n->short_deltas) {
        const uint64_t far = (UINT64_C(1) << 32) + 65536;

        bytes = wide < 65536 ? 2 : wide < far ? 4 : 8;
        type = (uint8_t)(type + (bytes == 8 ? 0 : bytes == 4 ? 1 : 2));
        v = wide - (bytes == 8 ? far : bytes == 4 ? 65536 : 0);
    }
    unsigned char *at = tc_item(c, 1 + bytes + more);
    at[0] = type;
    memcpy(at + 1, &v, bytes);
    return at + 1 + bytes;
}

bool tc_zone_begin(struct tc_client *c, uint32_t thread, uint64_t ns, const struct tc_source *s)
{
    const int64_t delta = advance(c, thread, ns);

    memcpy(put_delta(c, c->n->zone_begin, delta, 8), &s, 8);
    learn(c, ASK_SOURCE, s);
    return !c->ended;
}

bool tc_zone_end(struct tc_client *c, uint32_t thread, uint64_t ns)
{
    const int64_t delta = advance(c, thread, ns);

    (void)put_delta(c, c->n->zone_end, delta, 0);
    return !c->ended;
}

bool tc_zone_text(struct tc_client *c, uint32_t thread, ttp_str text)
{
    if (thread != c->thread) /* begins directly before it */
        abort();
    put_single(c, text);
    put_byte(c, c->n->zone_text);
    return !c->ended;
}

bool tc_message(struct tc_client *c, uint32_t thread, uint64_t ns, ttp_str text, uint32_t color)
{
    const int64_t was = c->clock;
    const int64_t delta = advance(c, thread, ns);
    const int64_t tick = c->clock;
    const size_t meta = c->n->message_meta ? 1 : 0;

    c->clock = delta == tick ? 0 : was; /* messages carry their own time */
    put_single(c, text);
    unsigned char *at = tc_item(c, 9 + (color ? 3 : 0) + meta);
    at[0] = color ? c->n->message_color : c->n->message;
    memcpy(at + 1, &tick, 8);
    if (color)
        memcpy(at + 9, &color, 3);
    if (meta)
        at[9 + (color ? 3 : 0)] = 0;
    c->messages++;
    return !c->ended;
}

bool tc_plot(struct tc_client *c, uint32_t thread, uint64_t ns, const char *name, double value)
{
    const int64_t delta = advance(c, thread, ns);
    unsigned char *at = tc_item(c, 25);

    at[0] = c->n->plot_double;
    memcpy(at + 1, &name, 8);
    memcpy(at + 9, &delta, 8);
    memcpy(at + 17, &value, 8);
    learn(c, ASK_PLOT, name);
    return !c->ended;
}

unsigned tc_bad_queries(const struct tc_client *c)
{
    return c->bad;
}

void tc_close(struct tc_client *c)
{
    if (c->sock >= 0)
        close(c->sock);
    close(c->listener);
    close(c->udp);
    free(c->known);
    free(c);
}
