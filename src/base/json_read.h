/* SPDX-License-Identifier: Apache-2.0 */
/* json_read.h - JSON (RFC 8259) pulled event by event from text that arrives in pieces.
 *
 * No tree is built: memory is one token that straddles pieces, whatever the size of the input.
 * How the input is cut into pieces changes neither events nor failures. One thread per reader.
 *
 *     struct ttp_json_reader r = {0};
 *     ttp_json_feed(&r, piece, last);
 *     while ((rc = ttp_json_next(&event, &r, err)) == TTP_OK && event != TTP_JSON_END)
 *         if (event == TTP_JSON_MORE)
 *             ttp_json_feed(&r, next_piece, last);
 *         else
 *             ...
 *     ttp_json_clear(&r);
 */
#ifndef TTP_BASE_JSON_READ_H
#define TTP_BASE_JSON_READ_H

#include "base/arena.h"
#include "base/err.h"

enum ttp_json_event {
    TTP_JSON_MORE, /* the piece is consumed: feed the next one and call again */
    TTP_JSON_OBJECT_BEGIN,
    TTP_JSON_OBJECT_END,
    TTP_JSON_ARRAY_BEGIN,
    TTP_JSON_ARRAY_END,
    TTP_JSON_KEY, /* its value comes next; repeated keys are handed on as they come */
    TTP_JSON_STRING,
    TTP_JSON_NUMBER,
    TTP_JSON_TRUE,
    TTP_JSON_FALSE,
    TTP_JSON_NULL,
    TTP_JSON_END, /* of the input; again on every later call */
};

#define TTP_JSON_DEPTH_DEFAULT 256
#define TTP_JSON_DEPTH_MAX     1024
#define TTP_JSON_TOKEN_DEFAULT ((size_t)16 << 20)

/* Zero-initialised it is strict and ready for the first piece. */
struct ttp_json_reader {
    /* Set by the caller before the first piece. */
    bool python;            /* NaN, Infinity and -Infinity are numbers, as Python's json writes */
    bool replace_surrogate; /* half of a surrogate pair in \u escapes is U+FFFD, not a failure */
    bool many;              /* any number of values, even none, with blanks between (ndjson) */
    uint32_t max_depth;     /* open arrays and objects, at most TTP_JSON_DEPTH_MAX; 0: default */
    size_t max_token;       /* bytes of a string, escapes undone, or of a number; 0: default */

    /* The event. */
    ttp_str text;   /* KEY, STRING: escapes undone. NUMBER: as written. Gone with the next call */
    size_t offset;  /* of its first byte, the opening quote of strings, in the whole input */
    uint32_t depth; /* arrays and objects open after it; 0: a top-level value is complete */

    /* Private. */
    const char *at, *end; /* the piece from the byte that comes next */
    size_t fed;           /* bytes in all pieces so far */
    bool last;
    unsigned char state, number, literal, matched;
    char closer;                               /* of the innermost array or object; NUL: none */
    uint64_t objects[TTP_JSON_DEPTH_MAX / 64]; /* bit d: level d is an object */
    char part[8]; /* an escape or UTF-8 sequence cut by the end of a piece */
    size_t nparts;
    size_t part_offset, high_offset;
    uint32_t high; /* first half of a surrogate pair whose second half must follow; 0: none */
    char *buf;     /* a token that had to be copied */
    size_t len, cap;
    struct ttp_arena arena;
    uint32_t skip_floor;
    bool skipping, skip_string, skip_escape;
    ttp_code code; /* of the failure, which repeats on every later call */
    size_t code_offset;
    const char *why;
};

/* The next bytes of the input; `last`: nothing follows. For the first piece and after
 * TTP_JSON_MORE. The piece is the caller's and must stay until the next TTP_JSON_MORE. Pieces may
 * be empty, and cut anywhere. */
void ttp_json_feed(struct ttp_json_reader *r, ttp_str piece, bool last);

/* The next event. TTP_EPARSE: not JSON; err->offset is the first byte that cannot be part of it,
 * the first of the escape or UTF-8 sequence if one is malformed, or the size of the input if it
 * ended too early. TTP_ELIMIT: max_depth or max_token; err->offset is the first byte of the bracket
 * or token. */
TTP_NODISCARD ttp_code ttp_json_next(enum ttp_json_event *out, struct ttp_json_reader *r,
                                     struct ttp_err *err);

/* As ttp_json_next(), but an array or object counts as one: *out is the event of its end (r->depth
 * is then what it was before). After TTP_JSON_MORE continue with this function. Fast, since inside
 * a skipped array or object only strings and brackets are checked: other faults there go
 * unnoticed.
 */
TTP_NODISCARD ttp_code ttp_json_skip(enum ttp_json_event *out, struct ttp_json_reader *r,
                                     struct ttp_err *err);

/* Frees what the reader holds; for a new input set it up again. */
void ttp_json_clear(struct ttp_json_reader *r);

/* The exact value of a number, or of a string that holds one (integers beyond 2^53 are written so).
 * False, and *out untouched, if it is not a number, not whole (1.0 and 1e3 are) or out of range. */
bool ttp_json_to_i64(ttp_str text, int64_t *out);
bool ttp_json_to_u64(ttp_str text, uint64_t *out);
/* Correctly rounded; beyond the range of double it is infinity. False if it is not a number. */
bool ttp_json_to_f64(ttp_str text, double *out);

#endif
