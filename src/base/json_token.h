/* SPDX-License-Identifier: Apache-2.0 */
/* json_token.h - tokens that must be copied, and refusals; private to the JSON reader. */
#ifndef TTP_BASE_JSON_TOKEN_H
#define TTP_BASE_JSON_TOKEN_H

#include "base/json_read.h"

/* Values of ttp_json_reader.state: what may come next; from TTP_JSON_IN_STRING on, what the end of
 * a piece cut; the last, that nothing can come. */
enum {
    TTP_JSON_AT_TOP,    /* a value, or with `many` the end */
    TTP_JSON_AT_DONE,   /* the end, or with `many` blanks */
    TTP_JSON_AT_ITEM_0, /* a value or ']' */
    TTP_JSON_AT_KEY_0,  /* a key or '}' */
    TTP_JSON_AT_VALUE,  /* a value */
    TTP_JSON_AT_KEY,    /* a key */
    TTP_JSON_AT_COLON,  /* ':' */
    TTP_JSON_AT_COMMA,  /* ',' or the bracket that closes */
    TTP_JSON_IN_STRING,
    TTP_JSON_IN_KEY,
    TTP_JSON_IN_NUMBER,
    TTP_JSON_IN_LITERAL,
    TTP_JSON_FAILED,
};

/* Of a byte of the piece, in the whole input. */
TTP_INLINE size_t ttp_json_offset(const struct ttp_json_reader *r, const char *p)
{
    return r->fed - (size_t)(r->end - p);
}

/* Fail now and on every later call. `why` must stay. */
TTP_NODISCARD ttp_code ttp_json_refuse(struct ttp_json_reader *r, ttp_code code, size_t offset,
                                       const char *why, struct ttp_err *err);
/* At a byte of the piece, as TTP_EPARSE. */
TTP_NODISCARD ttp_code ttp_json_refuse_at(struct ttp_json_reader *r, const char *p, const char *why,
                                          struct ttp_err *err);
/* TTP_ELIMIT if n more bytes make the token too long. */
TTP_NODISCARD ttp_code ttp_json_check_token(struct ttp_json_reader *r, size_t n,
                                            struct ttp_err *err);
/* Add bytes to the copied token; checks its length. */
TTP_NODISCARD ttp_code ttp_json_append(struct ttp_json_reader *r, const char *p, size_t n,
                                       struct ttp_err *err);
/* Copy a string from r->at on, escapes undone. *closed: past its closing quote; else the piece is
 * used up and the next call continues. */
TTP_NODISCARD ttp_code ttp_json_copy_string(struct ttp_json_reader *r, bool *closed,
                                            struct ttp_err *err);

#endif
