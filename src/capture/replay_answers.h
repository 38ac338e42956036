/* SPDX-License-Identifier: Apache-2.0 */
/* replay_answers.h - answers of a recorded client, and answers derived from them for another
 * server. */
#ifndef TTP_CAPTURE_REPLAY_ANSWERS_H
#define TTP_CAPTURE_REPLAY_ANSWERS_H

#include "capture/wire_items.h"

enum {
    TTP_ANSWER_STRING,
    TTP_ANSWER_THREAD,
    TTP_ANSWER_PLOT,
    TTP_ANSWER_FRAME,
    TTP_ANSWER_FIBER,
    TTP_ANSWER_KINDS
};

struct ttp_answers {
    const struct ttp_dialect *dialect;
    struct ttp_arena *arena;

    /* Private. */
    struct ttp_map text_at[TTP_ANSWER_KINDS], source_at, recorded;
    ttp_str *text;
    size_t ntexts, cap_texts;
    struct ttp_recorded_source {
        unsigned char bytes[31];
        bool known;
    } * source;
    size_t nsources, cap_sources;
    uint32_t *fifo;
    size_t fifo_at, nfifo, cap_fifo;
};

/* dialect and arena are set, the rest zero. */
void ttp_capture_replay_answers_init(struct ttp_answers *a);
/* Learn from a block of whole items. */
void ttp_capture_replay_answers_learn(struct ttp_answers *a, ttp_str block);
/* Copy its items except for the answers that ttp_capture_replay_answers_put() makes, and except for
 * the end of the session, to `rest`, which has room for all of it. Returns their length. */
size_t ttp_capture_replay_answers_strip(const struct ttp_dialect *d, ttp_str block, char *rest);
/* Put the items that answer a query. */
void ttp_capture_replay_answers_put(struct ttp_sink *out, const struct ttp_answers *a,
                                    const unsigned char *query);

#endif
