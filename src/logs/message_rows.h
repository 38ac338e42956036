/* SPDX-License-Identifier: Apache-2.0 */
/* message_rows.h - private to logs: rows of tracy_ops_data.csv: separator ';', quote '`'. */
#ifndef TTP_LOGS_MESSAGE_ROWS_H
#define TTP_LOGS_MESSAGE_ROWS_H

#include "base/arena.h"
#include "base/err.h"

struct ttp_message_row {
    ttp_str name; /* the message, quotes undone */
    ttp_str time; /* the field after it */
    ttp_str tail; /* all of the row after the first separator, as is */
    size_t nfields;
    size_t longest; /* bytes of its longest field */
    uint64_t lines; /* line ends it takes */
    bool open;      /* the closing quote is missing */
    bool timed;     /* of a recording: ns says when, not `time` */
    int64_t ns;
};

/* The row at the start of `text`: its bytes, line end included, or 0 if it is not complete and more
 * text follows (!last). A quoted message may hold anything. Tracy cuts messages at 64 KiB and then
 * loses the closing quote: with `recover`, the message ends before a line that begins a new quoted
 * one; otherwise that line is swallowed, as by Python's csv module. Texts live in `scratch` where
 * they cannot point into `text`. */
size_t ttp_logs_message_next(struct ttp_message_row *out, ttp_str text, bool last, bool recover,
                             struct ttp_arena *scratch);
/* A message of a recording, which may be in quotes. */
void ttp_logs_message_of(struct ttp_message_row *out, ttp_str text, int64_t ns,
                         struct ttp_arena *scratch);
/* How many leading bytes of `text` are whole rows, where more text follows. `scratch` is rewound.
 */
size_t ttp_logs_message_whole_rows(ttp_str text, bool recover, struct ttp_arena *scratch);

#endif
