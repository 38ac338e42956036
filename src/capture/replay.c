/* SPDX-License-Identifier: Apache-2.0 */
/* A recording listens as its client did. Blocks go out as they were, less the answers, which are
 * given when the server asks; at the end it stays until the server says goodbye. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "capture/bytes.h"
#include "capture/replay_answers.h"
#include "capture/trace_readers.h"
#include "capture/wire_stream.h"

#define LINGER_NS ((uint64_t)2000000000) /* for a server that says nothing at the end */

enum phase { LISTENING, SHAKING, SENDING, ENDED };

struct ttp_replay {
    struct ttp_arena arena, out_arena;
    struct ttp_file file;
    ttp_str recording; /* the bytes of the client */
    size_t welcome_end, at;
    const struct ttp_dialect *dialect; /* NULL: unknown, sent as it is */
    struct ttp_answers answers;
    struct ttp_unpacker *unpacker;
    struct ttp_packer *packer;
    char *plain;
    int listener, socket;
    enum phase phase;
    bool said_end, disconnect;
    uint64_t moved;
    struct ttp_sink pending; /* items of answers */
    char *out;
    size_t out_len, out_at, cap_out;
    unsigned char query[TTP_QUERY_BYTES];
    size_t query_len;
};

struct gathering {
    char *bytes;
    size_t len, cap;
    struct ttp_arena *arena;
};

static void gather(void *ctx, ttp_str bytes)
{
    struct gathering *g = ctx;

    if (g->len + bytes.len > g->cap) {
        g->cap = (g->len + bytes.len) * 2;
        g->bytes = ttp_arena_resize(g->arena, g->bytes, g->cap);
    }
    memcpy(g->bytes + g->len, bytes.ptr, bytes.len);
    g->len += bytes.len;
}

static ttp_code no_raw_stream(struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "the capture does not contain the raw stream");
    ttp_err_hint(err, "omit --capture-tool and --port: then tt-perf writes what the capture "
                      "has; or record with --raw");
    return TTP_EPARSE;
}

static ttp_code find_stream(struct ttp_replay *r, struct ttp_err *err)
{
    const enum ttp_trace_kind kind = ttp_capture_trace_detect(ttp_str_slice(r->file.text, 0, 16));
    struct gathering g = {.arena = &r->arena};
    struct ttp_entry_start start = {0};
    size_t welcome;

    if (!ttp_capture_supports("lz4"))
        return ttp_fail_unbuilt(err, "LZ4, which Tracy uses to compress its stream", "liblz4-dev",
                                NULL);
    r->recording = r->file.text;
    if (kind == TTP_TRACE_CAPTURE) {
        if (!ttp_capture_each_raw(r->file.text, gather, &g, &start))
            return no_raw_stream(err);
        r->recording = (ttp_str){g.bytes, g.len};
    } else if (kind == TTP_TRACE_TRACY) {
        return ttp_fail_at(err, TTP_EPARSE, 0, "this is already a .tracy file: open it in Tracy");
    } else if (kind != TTP_TRACE_WIRE) {
        return ttp_fail_at(err, TTP_EPARSE, 0, "neither a capture file nor a wire recording");
    }
    r->dialect = ttp_wire_stream_guess(r->recording, &welcome);
    if (welcome == 0)
        return ttp_fail_at(err, TTP_EPARSE, 0, "not a recording of Tracy's wire protocol");
    if (start.known) { /* the number is written down: of those that fit, that one */
        const struct ttp_dialect *own[TTP_STREAM_CANDIDATES];
        const size_t n = ttp_capture_dialect_find(own, TTP_STREAM_CANDIDATES, start.protocol);

        for (size_t i = 0; i < n; i++)
            if (own[i]->wide == start.fork)
                r->dialect = own[i];
    } else if (kind == TTP_TRACE_CAPTURE) {
        r->dialect = NULL;
    }
    struct ttp_welcome said;
    ttp_capture_welcome_read(&said, ttp_str_slice(r->recording, 1, 1 + welcome));
    r->welcome_end = 1 + welcome + (said.on_demand ? 16 : 0);
    return TTP_OK;
}

/* Learn all answers before the first question. */
static void learn(struct ttp_replay *r)
{
    size_t at = r->welcome_end;
    ttp_str plain;

    while (r->recording.len - at >= 4) {
        const size_t n = ttp_get32(r->recording.ptr + at);
        unsigned staged = TTP_STAGED_ANY;
        uint64_t items = 0;

        if (n > r->recording.len - at - 4 ||
            !ttp_capture_unpacker_run(r->unpacker, ttp_str_slice(r->recording, at + 4, at + 4 + n),
                                      &plain))
            break;
        if (ttp_capture_dialect_walk(r->dialect, plain, (struct ttp_dialect_seen){&staged, &items},
                                     NULL, NULL))
            ttp_capture_replay_answers_learn(&r->answers, plain);
        at += 4 + n;
    }
    ttp_capture_unpacker_reset(r->unpacker);
}

static ttp_code start_listening(struct ttp_replay *r, uint16_t *port, struct ttp_err *err)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(*port)};
    socklen_t n = sizeof(at);
    const int one = 1;

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    r->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (r->listener < 0)
        return ttp_fail_errno(err, "cannot open a socket");
    setsockopt(r->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (bind(r->listener, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(r->listener, 4) != 0 ||
        getsockname(r->listener, (struct sockaddr *)&at, &n) != 0)
        return ttp_fail_errno(err, "cannot listen on port %u", *port);
    *port = ntohs(at.sin_port);
    return TTP_OK;
}

ttp_code ttp_capture_replay_open(struct ttp_replay **out, const char *path, uint16_t *port,
                                 struct ttp_err *err)
{
    struct ttp_arena arena = {0};

    *out = NULL;
    struct ttp_replay *r = TTP_NEW(&arena, struct ttp_replay, 1);
    r->arena = arena;
    r->listener = r->socket = -1;
    ttp_code rc = ttp_file_map(&r->file, path, err);
    if (rc == TTP_OK) {
        rc = find_stream(r, err);
        if (rc != TTP_OK)
            ttp_err_where(err, path, 0);
    }
    if (rc == TTP_OK)
        rc = start_listening(r, port, err);
    if (rc != TTP_OK) {
        ttp_capture_replay_close(r);
        return rc;
    }
    r->unpacker = ttp_capture_unpacker_new(TTP_WIRE_PLAIN_MAX, &r->arena);
    r->packer = ttp_capture_packer_new(TTP_WIRE_PLAIN_MAX, &r->arena);
    r->plain = ttp_arena_bytes(&r->arena, TTP_WIRE_PLAIN_MAX);
    r->cap_out = 4 * TTP_WIRE_PACKED_MAX;
    r->out = ttp_arena_bytes(&r->arena, r->cap_out);
    ttp_sink_to_arena(&r->pending, &r->out_arena);
    if (r->dialect) {
        r->answers = (struct ttp_answers){.dialect = r->dialect, .arena = &r->arena};
        ttp_capture_replay_answers_init(&r->answers);
        learn(r);
    }
    *out = r;
    return TTP_OK;
}

unsigned ttp_capture_replay_protocol(const struct ttp_replay *r)
{
    return r->dialect ? r->dialect->info.protocol : 0;
}

void ttp_capture_replay_close(struct ttp_replay *r)
{
    if (!r)
        return;
    if (r->listener >= 0)
        close(r->listener);
    if (r->socket >= 0)
        close(r->socket);
    ttp_file_close(&r->file);
    ttp_arena_free(&r->out_arena);
    struct ttp_arena arena = r->arena;
    ttp_arena_free(&arena);
}

/* ---- sending ---- */

static size_t room(const struct ttp_replay *r)
{
    return r->cap_out - r->out_len;
}

static void put(struct ttp_replay *r, ttp_str bytes)
{
    memcpy(r->out + r->out_len, bytes.ptr, bytes.len);
    r->out_len += bytes.len;
}

static void put_block(struct ttp_replay *r, ttp_str plain)
{
    unsigned char length[4];
    ttp_str packed;

    if (plain.len == 0 || !ttp_capture_packer_run(r->packer, plain, &packed))
        return;
    ttp_set32(length, (uint32_t)packed.len);
    put(r, (ttp_str){(const char *)length, 4});
    put(r, packed);
}

/* Answers are small: as many as fit a block. */
static void put_answers(struct ttp_replay *r)
{
    const ttp_str all = ttp_sink_text(&r->pending);
    const unsigned char *p = (const unsigned char *)all.ptr, *end = p + all.len, *start = p;

    if (all.len == 0)
        return;
    while (p < end && room(r) > 2 * TTP_WIRE_PACKED_MAX) {
        ttp_str text;
        const size_t n = ttp_capture_dialect_item(r->dialect, p, end, &text);

        if ((size_t)(p - start) + n > TTP_WIRE_PLAIN_MAX || n == 0)
            break;
        p += n;
    }
    put_block(r, (ttp_str){(const char *)start, (size_t)(p - start)});
    const size_t left = (size_t)(end - p);
    memmove(r->pending.buf, p, left);
    r->pending.len = left;
}

/* The next block of the recording; false: none. */
static bool put_next(struct ttp_replay *r)
{
    ttp_str plain;
    unsigned staged = TTP_STAGED_ANY;
    uint64_t items = 0;

    if (r->disconnect || r->recording.len - r->at < 4)
        return false;
    const size_t n = ttp_get32(r->recording.ptr + r->at);
    if (n > r->recording.len - r->at - 4)
        return false;
    const ttp_str packed = ttp_str_slice(r->recording, r->at + 4, r->at + 4 + n);
    r->at += 4 + n;
    if (!ttp_capture_unpacker_run(r->unpacker, packed, &plain))
        return false;
    if (!ttp_capture_dialect_walk(r->dialect, plain, (struct ttp_dialect_seen){&staged, &items},
                                  NULL, NULL))
        return true; /* damaged: left out */
    const size_t kept = ttp_capture_replay_answers_strip(r->dialect, plain, r->plain);
    put_block(r, (ttp_str){r->plain, kept});
    return true;
}

static void fill(struct ttp_replay *r)
{
    if (!r->dialect) {
        const ttp_str part = ttp_str_slice(r->recording, r->at, r->at + room(r));

        put(r, part);
        r->at += part.len;
        r->said_end = r->at == r->recording.len;
        return;
    }
    put_answers(r);
    while (room(r) > 2 * TTP_WIRE_PACKED_MAX && r->pending.len == 0 && !r->said_end)
        if (!put_next(r)) {
            put_block(r, (ttp_str){(const char *)&r->dialect->terminate, 1});
            r->said_end = true;
        }
}

/* ---- the server ---- */

static void drop_server(struct ttp_replay *r)
{
    close(r->socket);
    r->socket = -1;
    r->query_len = 0;
    r->phase = LISTENING;
}

static void shake(struct ttp_replay *r)
{
    const unsigned number = ttp_get32(r->query + 8);
    static const char mismatch = TTP_STATUS_MISMATCH;

    if (memcmp(r->query, "TracyPrf", 8) != 0 ||
        (r->dialect && number != r->dialect->info.protocol)) {
        (void)send(r->socket, &mismatch, 1, MSG_NOSIGNAL);
        drop_server(r);
        return;
    }
    r->phase = SENDING;
    put(r, ttp_str_slice(r->recording, 0, r->welcome_end));
    r->at = r->welcome_end;
}

static void take_query(struct ttp_replay *r)
{
    if (r->phase == SHAKING) {
        shake(r);
        return;
    }
    if (r->query[0] == TTP_QUERY_TERMINATE)
        r->phase = ENDED;
    else if (r->query[0] == TTP_QUERY_DISCONNECT)
        r->disconnect = true;
    else if (r->dialect)
        ttp_capture_replay_answers_put(&r->pending, &r->answers, r->query);
}

static void receive(struct ttp_replay *r)
{
    while (r->phase == SHAKING || r->phase == SENDING) {
        const size_t whole = r->phase == SHAKING ? 12 : TTP_QUERY_BYTES;
        const ssize_t n =
            recv(r->socket, r->query + r->query_len, whole - r->query_len, MSG_DONTWAIT);

        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
            return;
        if (n <= 0) {
            if (r->phase == SHAKING)
                drop_server(r);
            else
                r->phase = ENDED;
            return;
        }
        r->moved = ttp_clock_ns();
        r->query_len += (size_t)n;
        if (r->query_len == whole) {
            r->query_len = 0;
            take_query(r);
        }
    }
}

static void send_out(struct ttp_replay *r)
{
    while (r->phase == SENDING && r->out_at < r->out_len) {
        const ssize_t n = send(r->socket, r->out + r->out_at, r->out_len - r->out_at,
                               MSG_DONTWAIT | MSG_NOSIGNAL);

        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
            return;
        if (n < 0) {
            r->phase = ENDED;
            return;
        }
        r->out_at += (size_t)n;
        r->moved = ttp_clock_ns();
    }
    if (r->out_at == r->out_len)
        r->out_at = r->out_len = 0;
}

int ttp_capture_replay_wants(const struct ttp_replay *r, struct pollfd *out)
{
    const bool more = r->phase == SENDING && (r->out_at < r->out_len || !r->said_end);

    *out = (struct pollfd){.fd = r->phase == LISTENING ? r->listener : r->socket,
                           .events = (short)(POLLIN | (more ? POLLOUT : 0))};
    return 100;
}

ttp_code ttp_capture_replay_step(struct ttp_replay *r, bool *done, struct ttp_err *err)
{
    if (r->phase == LISTENING) {
        r->socket = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (r->socket >= 0)
            r->phase = SHAKING;
        else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ECONNABORTED)
            return ttp_fail_errno(err, "cannot accept a connection");
    }
    receive(r);
    if (r->phase == SENDING) {
        if (r->out_at == r->out_len)
            fill(r);
        send_out(r);
        /* a stream we cannot read has no answers: a server may wait for them forever */
        if (!r->dialect && r->said_end && r->out_at == r->out_len &&
            ttp_clock_ns() - r->moved > LINGER_NS)
            r->phase = ENDED;
    }
    *done = r->phase == ENDED;
    return TTP_OK;
}
