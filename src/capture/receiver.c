/* SPDX-License-Identifier: Apache-2.0 */
/* A client listens, we connect; numbers are tried one after the other, each on a connection of its
 * own, until it says welcome. From then on its bytes are decoded as they come, questions go out as
 * they are owed, and everything is in the file before the next wait. */
#include "capture/receiver.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/bytes.h"

/* Maximum work per step; then the caller serves other clients. */
#define STEP_BYTES ((size_t)1 << 20)
#define STEP_PLAIN ((uint64_t)16 << 20) /* decompressed, of what packs well */
#define READ_BYTES ((size_t)256 << 10)

#define MUTE_MAX       3               /* listeners that say nothing, before we give up */
#define HANGUPS_MAX    200             /* listeners that hang up, before we give up */
#define ANSWER_NS      (2000 * TTP_MS) /* for the answers owed when a client is done */
#define GOODBYE_NS     (500 * TTP_MS)  /* for a client to go once it may */
#define KEEP_ALIVE_NS  (4000 * TTP_MS) /* clients do so after some five seconds of silence */
#define SILENCE_NS     (7000 * TTP_MS) /* a client that lives is never silent for that long */
#define STATE_EVERY_NS (100 * TTP_MS)

/* ---- the file ---- */

static void write_block(void *ctx, ttp_str block)
{
    struct ttp_receiver *r = ctx;
    size_t done = 0;

    while (done < block.len) {
        const ssize_t n = write(r->file, block.ptr + done, block.len - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            r->disk_full = true;
            /* an incomplete block is useless; if it stays, readers skip it */
            if (done && ftruncate(r->file, (off_t)r->file_bytes) != 0)
                r->file_bytes += done;
            return;
        }
        done += (size_t)n;
    }
    r->file_bytes += block.len;
}

static void write_state(struct ttp_receiver *r, uint64_t now)
{
    if (!r->stream.started || now - r->last_state < STATE_EVERY_NS)
        return;
    r->last_state = now;
    ttp_wire_write_state(&r->stream.wire, r->stream.inconsistent);
}

/* ---- receiving ---- */

static void measure_lag(struct ttp_receiver *r, uint64_t now)
{
    const struct ttp_wire *w = &r->stream.wire;

    if (!r->stream.ncandidates || !r->stream.welcomed)
        return;
    const int64_t lag = ttp_wrap_sub((int64_t)now, ttp_wire_ns(w, w->last_tick));
    if (!r->has_lag || lag < r->least_lag)
        r->least_lag = lag;
    r->has_lag = true;
    r->lag = ttp_wrap_sub(lag, r->least_lag);
}

static void take_bytes(struct ttp_receiver *r, ttp_str bytes, uint64_t now)
{
    struct ttp_stream *s = &r->stream;
    const uint64_t blocks = s->blocks, before = r->last_data;

    ttp_wire_stream_feed(s, bytes);
    r->last_data = now;
    if (s->wire.answers != r->answers_seen) {
        r->answers_seen = s->wire.answers;
        r->last_answer = now;
    }
    /* of an unknown dialect a single byte is the last word or a sign of life; see is_last_word() */
    if (s->blocks != blocks)
        r->single_since = s->last_single < 0 ? 0 : now - before < KEEP_ALIVE_NS ? 1 : now;
}

/* Does the client have nothing more to say? Known from its own item, or, where items cannot be
 * read, from a block of one byte that no sign of life follows. */
static bool is_last_word(const struct ttp_receiver *r, uint64_t now)
{
    const struct ttp_stream *s = &r->stream;

    if (s->wire.terminated)
        return true;
    if (s->state == TTP_STREAM_LOST)
        return now - r->last_data > ANSWER_NS;
    if (s->ncandidates && !s->inconsistent)
        return false;
    if (s->ncandidates && s->last_single == s->wire.dialect->terminate)
        return true;
    if (s->last_single < 0 || s->ncandidates)
        return false;
    /* silent before it: perhaps only a sign of life, and then another will follow */
    return now - r->last_data > (r->single_since == 1 ? GOODBYE_NS : SILENCE_NS);
}

static void say_bye(struct ttp_receiver *r, uint64_t now)
{
    if (r->out_len + TTP_QUERY_BYTES > sizeof(r->out)) {
        ttp_receiver_fall_silent(r);
        ttp_receiver_flush_out(r);
    }
    if (r->out_len + TTP_QUERY_BYTES <= sizeof(r->out))
        ttp_receiver_put_query(r, TTP_QUERY_TERMINATE, 0);
    r->told_bye = true;
    r->phase = TTP_PHASE_LEAVING;
    r->deadline = now + GOODBYE_NS;
    ttp_receiver_flush_out(r);
}

static void check_end(struct ttp_receiver *r, uint64_t now)
{
    if (r->phase == TTP_PHASE_LEAVING) {
        if (now > r->deadline)
            ttp_receiver_finish(r, r->stopping ? TTP_END_STOPPED : TTP_END_NORMAL);
        return;
    }
    if (r->phase != TTP_PHASE_STREAMING)
        return;
    if (is_last_word(r, now)) {
        const bool owed = !r->stream.wire.quiet && ttp_wire_owed(&r->stream.wire) > 0;
        const uint64_t since = r->last_answer > r->last_data ? r->last_answer : r->last_data;

        if (!owed || now - since > ANSWER_NS)
            say_bye(r, now);
    } else if (r->stopping && now > r->deadline) {
        say_bye(r, now);
    }
}

/* The connection is at its end. */
static void cut(struct ttp_receiver *r)
{
    const bool done = r->stream.wire.terminated || r->told_bye;

    if (r->phase == TTP_PHASE_STREAMING || r->phase == TTP_PHASE_LEAVING) {
        ttp_receiver_finish(r, r->stopping ? TTP_END_STOPPED : done ? TTP_END_NORMAL : TTP_END_CUT);
        return;
    }
    if (++r->hangups > HANGUPS_MAX)
        ttp_receiver_finish(r, TTP_END_NOT_TRACY);
    else
        ttp_receiver_wait_for(r, TTP_RETRY_NS);
}

/* The first byte decides about a connection. */
static void take_status(struct ttp_receiver *r, unsigned char status)
{
    switch (status) {
    case TTP_STATUS_WELCOME:
        ttp_receiver_start_stream(r, r->protocol);
        r->phase = TTP_PHASE_STREAMING;
        r->accepted = true;
        r->last_data = ttp_clock_ns();
        if (r->stopping)
            r->deadline = r->last_data + ANSWER_NS;
        break;
    case TTP_STATUS_MISMATCH:
        r->attempt++;
        ttp_receiver_connect_now(r);
        break;
    case TTP_STATUS_NOT_AVAILABLE:
        ttp_receiver_finish(r, TTP_END_REFUSED);
        break;
    default:
        ttp_receiver_finish(r, TTP_END_NOT_TRACY);
        break;
    }
}

static void receive(struct ttp_receiver *r)
{
    const uint64_t plain = r->stream.plain_bytes;
    const bool accepted = r->accepted;
    size_t total = 0;

    while (total < STEP_BYTES && r->accepted == accepted &&
           r->stream.plain_bytes - plain < STEP_PLAIN &&
           (r->phase == TTP_PHASE_SHAKING || r->phase == TTP_PHASE_STREAMING ||
            r->phase == TTP_PHASE_LEAVING)) {
        const size_t room = r->phase == TTP_PHASE_SHAKING ? 1 : READ_BYTES;
        const ssize_t n = recv(r->socket, r->in, room, MSG_DONTWAIT);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (n <= 0) {
            cut(r);
            break;
        }
        if (r->phase == TTP_PHASE_SHAKING)
            take_status(r, (unsigned char)r->in[0]);
        if (r->phase == TTP_PHASE_STREAMING || r->phase == TTP_PHASE_LEAVING)
            take_bytes(r, (ttp_str){r->in, (size_t)n}, ttp_clock_ns());
        total += (size_t)n;
        if (r->phase == TTP_PHASE_STREAMING)
            ttp_receiver_send_questions(r); /* answers travel between the rest */
    }
}

static void step_before(struct ttp_receiver *r)
{
    const uint64_t now = ttp_clock_ns();

    if (r->phase == TTP_PHASE_WAITING && now >= r->deadline)
        ttp_receiver_connect_now(r);
    if (r->phase == TTP_PHASE_CONNECTING)
        ttp_receiver_check_connect(r);
    if (r->phase == TTP_PHASE_SHAKING)
        ttp_receiver_flush_out(r);
    if (r->phase == TTP_PHASE_SHAKING && now > r->deadline) {
        if (++r->mute >= MUTE_MAX)
            ttp_receiver_finish(r, TTP_END_NOT_TRACY);
        else
            ttp_receiver_wait_for(r, TTP_RETRY_NS);
    }
}

void ttp_receiver_step(struct ttp_receiver *r)
{
    if (r->phase == TTP_PHASE_IDLE || r->phase == TTP_PHASE_OVER)
        return;
    step_before(r);
    receive(r);
    if (r->phase == TTP_PHASE_STREAMING)
        ttp_receiver_send_questions(r);
    else if (r->phase == TTP_PHASE_LEAVING)
        ttp_receiver_flush_out(r);
    const uint64_t now = ttp_clock_ns();
    check_end(r, now);
    measure_lag(r, now);
    write_state(r, now);
    ttp_capture_journal_flush(&r->journal);
}

int ttp_receiver_wants(const struct ttp_receiver *r, struct pollfd *out)
{
    const uint64_t now = ttp_clock_ns();

    *out = (struct pollfd){.fd = r->socket};
    switch (r->phase) {
    case TTP_PHASE_IDLE:
    case TTP_PHASE_OVER:
        out->fd = -1;
        return -1;
    case TTP_PHASE_WAITING:
        out->fd = -1;
        return r->deadline > now ? (int)((r->deadline - now) / TTP_MS) + 1 : 0;
    case TTP_PHASE_CONNECTING:
        out->events = POLLOUT;
        return 50;
    case TTP_PHASE_SHAKING:
    case TTP_PHASE_STREAMING:
    case TTP_PHASE_LEAVING:
        out->events = (short)(POLLIN | (r->out_at < r->out_len ? POLLOUT : 0));
        return r->phase == TTP_PHASE_STREAMING && !r->stream.wire.terminated && !r->stopping ? 500
                                                                                             : 50;
    }
    return -1;
}

void ttp_receiver_stop(struct ttp_receiver *r)
{
    if (r->stopping || r->phase == TTP_PHASE_OVER)
        return;
    r->stopping = true;
    if (r->phase != TTP_PHASE_STREAMING) {
        if (r->phase != TTP_PHASE_LEAVING)
            ttp_receiver_finish(r, TTP_END_STOPPED);
        return;
    }
    if (r->out_len + 2 * TTP_QUERY_BYTES > sizeof(r->out))
        ttp_receiver_flush_out(r);
    if (r->out_len + 2 * TTP_QUERY_BYTES <= sizeof(r->out))
        ttp_receiver_put_query(r, TTP_QUERY_DISCONNECT, 0);
    r->deadline = ttp_clock_ns() + ANSWER_NS;
    ttp_receiver_flush_out(r);
}

/* ---- fed by a proxy ---- */

void ttp_receiver_feed_server(struct ttp_receiver *r, ttp_str bytes)
{
    r->fed = true;
    while (bytes.len) {
        const size_t whole = r->server_shook ? TTP_QUERY_BYTES : 12;
        const size_t n = whole - r->server_len < bytes.len ? whole - r->server_len : bytes.len;

        memcpy(r->server + r->server_len, bytes.ptr, n);
        r->server_len += n;
        bytes = ttp_str_slice(bytes, n, bytes.len);
        if (r->server_len < whole)
            return;
        r->server_len = 0;
        if (!r->server_shook) {
            r->server_shook = true;
            ttp_receiver_start_stream(r, ttp_get32(r->server + 8));
            continue;
        }
        ttp_wire_asked(&r->stream.wire, (enum ttp_query)r->server[0], ttp_get64(r->server + 1));
    }
}

void ttp_receiver_feed_client(struct ttp_receiver *r, ttp_str bytes)
{
    if (!r->server_shook) /* should not be: take it for a dialect without a number */
        ttp_receiver_start_stream(r, 0);
    r->fed = r->server_shook = true;
    ttp_wire_stream_feed(&r->stream, bytes);
    const uint64_t now = ttp_clock_ns();
    r->last_data = now;
    measure_lag(r, now);
    write_state(r, now);
    ttp_capture_journal_flush(&r->journal);
}

void ttp_receiver_feed_end(struct ttp_receiver *r)
{
    if (r->phase != TTP_PHASE_OVER)
        ttp_receiver_finish(r, r->stream.state == TTP_STREAM_REFUSED ? TTP_END_REFUSED
                               : r->stream.wire.terminated           ? TTP_END_NORMAL
                                                                     : TTP_END_CUT);
}

/* ---- life ---- */

ttp_code ttp_receiver_open(struct ttp_receiver **out, const char *path,
                           const struct ttp_receiver_options *options, struct ttp_err *err)
{
    struct ttp_arena arena = {0};

    *out = NULL;
    if (!ttp_capture_supports("lz4"))
        return ttp_fail_unbuilt(err, "LZ4, which Tracy uses to compress its stream", "liblz4-dev",
                                NULL);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0666);
    if (fd < 0)
        return ttp_fail_errno(err, "cannot write '%s'", path);
    struct ttp_receiver *r = TTP_NEW(&arena, struct ttp_receiver, 1);
    r->arena = arena;
    r->options = *options;
    r->file = fd;
    r->socket = -1;
    r->phase = TTP_PHASE_IDLE;
    r->in = ttp_arena_bytes(&r->arena, READ_BYTES);
    ttp_capture_journal_init(&r->journal, write_block, r, &r->arena);
    write_block(r, TTP_STR(TTP_JOURNAL_MAGIC));
    if (r->disk_full) {
        const ttp_code rc = ttp_fail_errno(err, "cannot write '%s'", path);
        arena = r->arena;
        close(fd);
        ttp_arena_free(&arena);
        return rc;
    }
    *out = r;
    return TTP_OK;
}

void ttp_receiver_connect(struct ttp_receiver *r, uint16_t port)
{
    r->port = port;
    r->phase = TTP_PHASE_WAITING;
    r->deadline = 0;
}

static enum ttp_receiver_state state_of(const struct ttp_receiver *r)
{
    if (r->phase == TTP_PHASE_OVER)
        return TTP_RECEIVER_DONE;
    if (r->phase == TTP_PHASE_LEAVING || r->stream.wire.terminated)
        return TTP_RECEIVER_ENDING;
    return r->stream.welcomed ? TTP_RECEIVER_RECEIVING : TTP_RECEIVER_CONNECTING;
}

void ttp_receiver_get_stats(struct ttp_receiver_stats *out, const struct ttp_receiver *r)
{
    const struct ttp_stream *s = &r->stream;
    const struct ttp_wire *w = &s->wire;
    int waiting = 0;

    *out = (struct ttp_receiver_stats){
        .state = state_of(r),
        .end = r->end,
        .known = s->ncandidates > 0,
        .consistent = !s->inconsistent,
        .crashed = w->crashed,
        .disk_full = r->disk_full,
        .limit = w->limit,
        .local_port = ttp_receiver_local_port(r),
        .accepted = r->accepted,
        .file_bytes = r->file_bytes,
    };
    if (!s->welcomed)
        return;
    out->protocol = s->protocol;
    out->items = w->items;
    out->zones = w->zones_seen;
    out->messages = w->messages;
    out->ops = w->ops;
    out->zones_kept = w->zones_kept;
    out->wire_bytes = s->wire_bytes;
    out->plain_bytes = s->plain_bytes;
    out->queries = r->fed ? 0 : w->asked;
    out->owed = r->fed ? 0 : ttp_wire_owed(w);
    out->bad_blocks = s->bad_blocks;
    out->lag_ns = r->lag;
    out->has_clock = r->has_lag;
    out->clock_offset_ns = r->least_lag;
    out->pid = w->welcome.pid;
    out->tick_at_0 = w->welcome.init_begin;
    out->ns_per_tick = w->welcome.timer_mul;
    memcpy(out->program, w->welcome.program.ptr, w->welcome.program.len);
    if (r->socket >= 0 && ioctl(r->socket, FIONREAD, &waiting) == 0 && waiting > 0)
        out->backlog_bytes = (uint64_t)waiting;
}

ttp_code ttp_receiver_close(struct ttp_receiver *r, struct ttp_err *err)
{
    struct ttp_entry e = {.kind = TTP_ENTRY_END};

    if (!r)
        return TTP_OK;
    if (r->phase != TTP_PHASE_OVER && r->stream.welcomed)
        ttp_receiver_finish(r, r->stream.wire.terminated ? TTP_END_NORMAL : TTP_END_STOPPED);
    ttp_receiver_hang_up(r);
    if (r->stream.arena)
        ttp_wire_stream_finish(&r->stream);
    e.u.end = r->end;
    ttp_capture_journal_add(&r->journal, &e);
    ttp_capture_journal_flush(&r->journal);
    const bool failed = close(r->file) != 0 || r->disk_full;
    if (r->stream.arena)
        ttp_wire_stream_free(&r->stream);
    struct ttp_arena arena = r->arena;
    ttp_arena_free(&arena);
    if (failed)
        return ttp_fail(err, TTP_EIO, "the capture file is incomplete, but usable");
    return TTP_OK;
}
