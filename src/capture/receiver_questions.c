/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/receiver.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/vec.h"
#include "capture/bytes.h"

void ttp_receiver_ask_later(void *ctx, enum ttp_query query, uint64_t what)
{
    struct ttp_receiver *r = ctx;

    if (r->first_question + r->nquestions == r->cap_questions &&
        r->first_question > r->cap_questions / 2) {
        memmove(r->question, r->question + r->first_question, r->nquestions * sizeof(*r->question));
        r->first_question = 0;
    }
    TTP_RESERVE(&r->arena, r->question, r->first_question + r->nquestions + 1, r->cap_questions);
    r->question[r->first_question + r->nquestions++] = (struct ttp_question){what, (uint8_t)query};
}

void ttp_receiver_put_query(struct ttp_receiver *r, uint8_t query, uint64_t what)
{
    char *to = r->out + r->out_len;

    to[0] = (char)query;
    ttp_set64(to + 1, what);
    ttp_set32(to + 9, 0);
    r->out_len += TTP_QUERY_BYTES;
}

void ttp_receiver_flush_out(struct ttp_receiver *r)
{
    while (r->out_at < r->out_len) {
        const ssize_t n = send(r->socket, r->out + r->out_at, r->out_len - r->out_at,
                               MSG_DONTWAIT | MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* later; a broken connection shows when reading */
        r->out_at += (size_t)n;
    }
    r->out_at = r->out_len = 0;
}

/* Once something is odd only what has begun to go out is finished: half a query would make nonsense
 * of all that follow. */
void ttp_receiver_fall_silent(struct ttp_receiver *r)
{
    const size_t begun = (r->out_at + TTP_QUERY_BYTES - 1) / TTP_QUERY_BYTES * TTP_QUERY_BYTES;

    r->nquestions = r->first_question = 0;
    if (!r->told_bye && r->out_len > begun)
        r->out_len = begun;
}

void ttp_receiver_send_questions(struct ttp_receiver *r)
{
    if (r->stream.wire.quiet)
        ttp_receiver_fall_silent(r);
    while (r->nquestions && r->out_len + 2 * TTP_QUERY_BYTES <= sizeof(r->out) &&
           r->sent < r->stream.wire.answers + TTP_QUERIES_MAX) {
        const struct ttp_question *q = &r->question[r->first_question++];

        ttp_receiver_put_query(r, q->query, q->what);
        r->sent++;
        if (--r->nquestions == 0)
            r->first_question = 0;
    }
    ttp_receiver_flush_out(r);
}
