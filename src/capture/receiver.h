/* SPDX-License-Identifier: Apache-2.0 */
/* receiver.h - the parts of a receiver: connecting, asking, receiving. */
#ifndef TTP_CAPTURE_RECEIVER_H
#define TTP_CAPTURE_RECEIVER_H

#include "base/clock.h"
#include "capture/wire_stream.h"

#define TTP_MS ((uint64_t)1000000) /* in ns */

/* Maximum number of pending questions: what fits any socket's buffer. */
#define TTP_QUERIES_MAX ((size_t)1000)
/* As long as a client waits for each part of a handshake. */
#define TTP_HANDSHAKE_NS (2000 * TTP_MS)
/* Between attempts to connect. */
#define TTP_RETRY_NS (10 * TTP_MS)

enum ttp_receiver_phase {
    TTP_PHASE_IDLE,    /* fed by a proxy, or not started */
    TTP_PHASE_WAITING, /* until `deadline`, then connect */
    TTP_PHASE_CONNECTING,
    TTP_PHASE_SHAKING, /* our number is sent */
    TTP_PHASE_STREAMING,
    TTP_PHASE_LEAVING, /* the last query is out */
    TTP_PHASE_OVER,
};

struct ttp_question {
    uint64_t what;
    uint8_t query;
};

struct ttp_receiver {
    struct ttp_arena arena;
    struct ttp_receiver_options options;
    int file, socket;
    struct ttp_journal journal;
    struct ttp_stream stream;
    enum ttp_receiver_phase phase;
    enum ttp_capture_end end;
    uint16_t port;
    size_t attempt; /* which number */
    unsigned protocol;
    unsigned mute, hangups;
    uint64_t deadline, last_data, last_answer, last_state, single_since;
    uint64_t answers_seen, file_bytes;
    int64_t least_lag;
    bool fed, accepted, stopping, told_bye, disk_full, has_lag;
    int64_t lag;
    char *in;
    struct ttp_question *question; /* a queue */
    size_t first_question, nquestions, cap_questions;
    uint64_t sent;
    char out[TTP_QUERIES_MAX * TTP_QUERY_BYTES];
    size_t out_len, out_at;
    unsigned char server[TTP_QUERY_BYTES]; /* of another server: a query that is not whole yet */
    size_t server_len;
    bool server_shook;
};

/* ---- receiver_connect.c ---- */

void ttp_receiver_hang_up(struct ttp_receiver *r);
/* Nothing more will come. */
void ttp_receiver_finish(struct ttp_receiver *r, enum ttp_capture_end end);
/* Try again after a while. */
void ttp_receiver_wait_for(struct ttp_receiver *r, uint64_t ns);
void ttp_receiver_connect_now(struct ttp_receiver *r);
/* Our end of the connection; 0: none. */
uint16_t ttp_receiver_local_port(const struct ttp_receiver *r);
/* Has the connection been made? */
void ttp_receiver_check_connect(struct ttp_receiver *r);
/* Ready to take the bytes of a client that speaks this number. */
void ttp_receiver_start_stream(struct ttp_receiver *r, unsigned protocol);

/* ---- receiver_questions.c ---- */

/* Put a question into the queue; `ctx` is the receiver. */
void ttp_receiver_ask_later(void *ctx, enum ttp_query query, uint64_t what);
/* Put a query after those that go out next; there is room. */
void ttp_receiver_put_query(struct ttp_receiver *r, uint8_t query, uint64_t what);
/* Send what can be sent without waiting. */
void ttp_receiver_flush_out(struct ttp_receiver *r);
/* Drop all questions but what has begun to go out. */
void ttp_receiver_fall_silent(struct ttp_receiver *r);
/* Send as many questions as may be on their way. */
void ttp_receiver_send_questions(struct ttp_receiver *r);

#endif
