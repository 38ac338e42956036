/* SPDX-License-Identifier: Apache-2.0 */
/* A state machine between tokens, and one small machine per kind of token for those that the end of
 * a piece cuts. A token that lies in one piece, which is nearly every one, never meets the latter:
 * its text is a slice of the piece. Checks are made in the order of the bytes, so that a cut cannot
 * change which fault is found first. */
#include "base/json_read.h"

#include <assert.h>

#include "base/json_scan.h"
#include "base/json_token.h"

/* The piece is used up inside what `cut` names. */
static ttp_code run_dry(enum ttp_json_event *out, struct ttp_json_reader *r, const char *cut,
                        struct ttp_err *err)
{
    r->at = r->end;
    if (r->last)
        return ttp_json_refuse(r, TTP_EPARSE, r->fed, cut, err);
    *out = TTP_JSON_MORE;
    return TTP_OK;
}

/* A value ends before p. The comma is taken along: it spares the next call a round. */
TTP_INLINE ttp_code complete(enum ttp_json_event *out, struct ttp_json_reader *r, const char *p,
                             enum ttp_json_event event)
{
    if (TTP_LIKELY(p < r->end && *p == ',' && r->closer)) {
        r->state = r->closer == '}' ? TTP_JSON_AT_KEY : TTP_JSON_AT_VALUE;
        p++;
    } else {
        r->state = r->closer ? TTP_JSON_AT_COMMA : TTP_JSON_AT_DONE;
    }
    r->at = p;
    *out = event;
    return TTP_OK;
}

/* A key ends before p. The colon is taken along as well. */
TTP_INLINE ttp_code complete_key(enum ttp_json_event *out, struct ttp_json_reader *r, const char *p)
{
    const bool colon = p < r->end && *p == ':';

    r->state = colon ? TTP_JSON_AT_VALUE : TTP_JSON_AT_COLON;
    r->at = p + colon;
    *out = TTP_JSON_KEY;
    return TTP_OK;
}

/* Past the UTF-8 sequences and plain text at p, to something that is neither. */
static const char *utf8_end(const char *p, const char *end)
{
    while (p < end && (unsigned char)*p >= 0x80) {
        const int n = ttp_json_utf8(p, (size_t)(end - p));

        if (n <= 0)
            break;
        p = ttp_json_plain_end(p + n, end);
    }
    return p;
}

/* Of the string or key between quotes in the piece. */
TTP_INLINE ttp_code complete_slice(enum ttp_json_event *out, struct ttp_json_reader *r,
                                   const char *start, const char *quote, bool key)
{
    r->text = (ttp_str){start, (size_t)(quote - start)};
    return key ? complete_key(out, r, quote + 1) : complete(out, r, quote + 1, TTP_JSON_STRING);
}

/* A string, or the rest of it, that must be copied. */
static ttp_code match_string(enum ttp_json_event *out, struct ttp_json_reader *r,
                             struct ttp_err *err)
{
    bool closed;

    TTP_TRY(ttp_json_copy_string(r, &closed, err));
    if (!closed)
        return run_dry(out, r, "input ends inside a string", err);
    r->text = (ttp_str){r->buf, r->len};
    if (r->state == TTP_JSON_IN_KEY)
        return complete_key(out, r, r->at);
    return complete(out, r, r->at, TTP_JSON_STRING);
}

/* A string that is plain up to p only. */
TTP_NOINLINE static ttp_code open_string(enum ttp_json_event *out, struct ttp_json_reader *r,
                                         const char *p, bool key, struct ttp_err *err)
{
    const char *start = r->at;

    p = utf8_end(p, r->end);
    if (p < r->end && *p == '"' && (size_t)(p - start) <= r->max_token)
        return complete_slice(out, r, start, p, key);
    r->state = key ? TTP_JSON_IN_KEY : TTP_JSON_IN_STRING;
    r->len = r->nparts = 0;
    r->high = 0;
    return match_string(out, r, err);
}

TTP_INLINE ttp_code read_string(enum ttp_json_event *out, struct ttp_json_reader *r,
                                const char *quote, bool key, struct ttp_err *err)
{
    const char *start = quote + 1, *p = ttp_json_plain_end(start, r->end);

    r->offset = ttp_json_offset(r, quote);
    if (TTP_LIKELY(p < r->end && *p == '"' && (size_t)(p - start) <= r->max_token))
        return complete_slice(out, r, start, p, key);
    r->at = start;
    return open_string(out, r, p, key, err);
}

/* true, false, null and the words of Python. */

static const struct {
    const char *text;
    enum ttp_json_event event;
    bool python;
} literals[] = {
    {"true", TTP_JSON_TRUE, false},      {"false", TTP_JSON_FALSE, false},
    {"null", TTP_JSON_NULL, false},      {"NaN", TTP_JSON_NUMBER, true},
    {"Infinity", TTP_JSON_NUMBER, true}, {"-Infinity", TTP_JSON_NUMBER, true},
};
enum { MINUS_INFINITY = 5 };

static ttp_code refuse_word(struct ttp_json_reader *r, const char *p, struct ttp_err *err)
{
    return ttp_json_refuse_at(
        r, p, r->depth ? "expected a value" : "this is not JSON: expected a value", err);
}

static ttp_code match_literal(enum ttp_json_event *out, struct ttp_json_reader *r,
                              struct ttp_err *err)
{
    const char *text = literals[r->literal].text;

    for (; text[r->matched]; r->matched++, r->at++) {
        if (r->at == r->end)
            return run_dry(out, r, "input ends inside a word", err);
        if (*r->at != text[r->matched])
            return refuse_word(r, r->at, err);
    }
    r->text = ttp_str_from(text);
    return complete(out, r, r->at, literals[r->literal].event);
}

TTP_NOINLINE static ttp_code read_literal(enum ttp_json_event *out, struct ttp_json_reader *r,
                                          const char *p, struct ttp_err *err)
{
    for (size_t i = 0; i < MINUS_INFINITY; i++)
        if (literals[i].text[0] == *p && (r->python || !literals[i].python)) {
            r->offset = ttp_json_offset(r, p);
            r->state = TTP_JSON_IN_LITERAL;
            r->literal = (unsigned char)i;
            r->matched = 0;
            r->at = p;
            return match_literal(out, r, err);
        }
    return refuse_word(r, p, err);
}

/* Numbers. */

enum { NUM_START, NUM_MINUS, NUM_ZERO, NUM_INT, NUM_POINT, NUM_FRAC, NUM_E, NUM_SIGN, NUM_EXP };
enum { CLASS_ZERO, CLASS_DIGIT, CLASS_POINT, CLASS_E, CLASS_PLUS, CLASS_MINUS, CLASS_OTHER };

/* The state after a character; NUM_START: the number does not continue like this. */
static const unsigned char number_next[][CLASS_OTHER + 1] = {
    [NUM_START] = {NUM_ZERO, NUM_INT, 0, 0, 0, NUM_MINUS, 0},
    [NUM_MINUS] = {NUM_ZERO, NUM_INT, 0, 0, 0, 0, 0},
    [NUM_ZERO] = {0, 0, NUM_POINT, NUM_E, 0, 0, 0},
    [NUM_INT] = {NUM_INT, NUM_INT, NUM_POINT, NUM_E, 0, 0, 0},
    [NUM_POINT] = {NUM_FRAC, NUM_FRAC, 0, 0, 0, 0, 0},
    [NUM_FRAC] = {NUM_FRAC, NUM_FRAC, 0, NUM_E, 0, 0, 0},
    [NUM_E] = {NUM_EXP, NUM_EXP, 0, 0, NUM_SIGN, NUM_SIGN, 0},
    [NUM_SIGN] = {NUM_EXP, NUM_EXP, 0, 0, 0, 0, 0},
    [NUM_EXP] = {NUM_EXP, NUM_EXP, 0, 0, 0, 0, 0},
};

static bool number_may_end(unsigned state)
{
    return state == NUM_ZERO || state == NUM_INT || state == NUM_FRAC || state == NUM_EXP;
}

static unsigned class_of(char c)
{
    if (ttp_json_is_digit(c))
        return c == '0' ? CLASS_ZERO : CLASS_DIGIT;
    switch (c) {
    case '.':
        return CLASS_POINT;
    case 'e':
    case 'E':
        return CLASS_E;
    case '+':
        return CLASS_PLUS;
    case '-':
        return CLASS_MINUS;
    default:
        return CLASS_OTHER;
    }
}

/* The number, or the rest of it, at r->at. */
static ttp_code match_number(enum ttp_json_event *out, struct ttp_json_reader *r,
                             struct ttp_err *err)
{
    const char *start = r->at, *p = start;

    for (; p < r->end; p++) {
        const unsigned char next = number_next[r->number][class_of(*p)];

        if (next == NUM_START)
            break;
        r->number = next;
    }
    const size_t n = (size_t)(p - start);
    TTP_TRY(ttp_json_check_token(r, n, err));
    if (p == r->end && !r->last) {
        TTP_TRY(ttp_json_append(r, start, n, err));
        return run_dry(out, r, NULL, err);
    }
    if (p < r->end && *p == 'I' && r->number == NUM_MINUS && r->python) {
        r->state = TTP_JSON_IN_LITERAL;
        r->literal = MINUS_INFINITY;
        r->matched = 1;
        r->at = p;
        return match_literal(out, r, err);
    }
    if (!number_may_end(r->number))
        return ttp_json_refuse_at(r, p, "malformed number", err);
    r->text = (ttp_str){start, n};
    if (r->len) {
        TTP_TRY(ttp_json_append(r, start, n, err));
        r->text = (ttp_str){r->buf, r->len};
    }
    return complete(out, r, p, TTP_JSON_NUMBER);
}

TTP_NOINLINE static ttp_code open_number(enum ttp_json_event *out, struct ttp_json_reader *r,
                                         const char *start, struct ttp_err *err)
{
    r->offset = ttp_json_offset(r, start);
    r->state = TTP_JSON_IN_NUMBER;
    r->number = NUM_START;
    r->len = 0;
    r->at = start;
    return match_number(out, r, err);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Most numbers are a few digits before a comma, bracket or blank. */
TTP_INLINE ttp_code read_number(enum ttp_json_event *out, struct ttp_json_reader *r,
                                const char *start, struct ttp_err *err)
{
    const char *p = ttp_json_digits_end(start, r->end);
    const size_t n = (size_t)(p - start);

    if (TTP_UNLIKELY(p == r->end || (*p != ',' && *p != r->closer && !is_blank(*p)) ||
                     n > r->max_token || (*start == '0' && n != 1)))
        return open_number(out, r, start, err);
    r->offset = ttp_json_offset(r, start);
    r->text = (ttp_str){start, n};
    return complete(out, r, p, TTP_JSON_NUMBER);
}

/* Arrays and objects. */

static ttp_code push(struct ttp_json_reader *r, const char *p, struct ttp_err *err)
{
    const bool object = *p == '{';
    const uint64_t bit = (uint64_t)1 << (r->depth & 63);
    uint64_t *word = &r->objects[r->depth >> 6];

    r->offset = ttp_json_offset(r, p);
    if (r->depth == r->max_depth)
        return ttp_json_refuse(r, TTP_ELIMIT, r->offset, "arrays and objects are nested too deeply",
                               err);
    *word = object ? *word | bit : *word & ~bit;
    r->depth++;
    r->closer = object ? '}' : ']';
    return TTP_OK;
}

static void pop(struct ttp_json_reader *r, const char *p)
{
    const uint32_t d = --r->depth - 1; /* of what is now the innermost, if there is one */

    r->offset = ttp_json_offset(r, p);
    if (r->depth)
        r->closer = r->objects[d >> 6] >> (d & 63) & 1 ? '}' : ']';
    else
        r->closer = '\0';
}

TTP_NOINLINE static ttp_code begin(enum ttp_json_event *out, struct ttp_json_reader *r,
                                   const char *p, struct ttp_err *err)
{
    TTP_TRY(push(r, p, err));
    r->at = p + 1;
    r->state = *p == '{' ? TTP_JSON_AT_KEY_0 : TTP_JSON_AT_ITEM_0;
    *out = *p == '{' ? TTP_JSON_OBJECT_BEGIN : TTP_JSON_ARRAY_BEGIN;
    return TTP_OK;
}

TTP_NOINLINE static ttp_code end(enum ttp_json_event *out, struct ttp_json_reader *r, const char *p)
{
    pop(r, p);
    return complete(out, r, p + 1, *p == '}' ? TTP_JSON_OBJECT_END : TTP_JSON_ARRAY_END);
}

TTP_INLINE ttp_code read_value(enum ttp_json_event *out, struct ttp_json_reader *r, const char *p,
                               struct ttp_err *err)
{
    if (*p == '"')
        return read_string(out, r, p, false, err);
    if (ttp_json_is_digit(*p))
        return read_number(out, r, p, err);
    if (*p == '-')
        return open_number(out, r, p, err);
    if (*p == '{' || *p == '[')
        return begin(out, r, p, err);
    return read_literal(out, r, p, err);
}

static ttp_code read_key(enum ttp_json_event *out, struct ttp_json_reader *r, const char *p,
                         struct ttp_err *err)
{
    if (*p == '"')
        return read_string(out, r, p, true, err);
    if (*p == '}' && r->state == TTP_JSON_AT_KEY_0)
        return end(out, r, p);
    return ttp_json_refuse_at(r, p, "expected a key", err);
}

/* Between tokens. */

TTP_INLINE const char *blanks_end(const char *p, const char *end)
{
    while (p < end && TTP_UNLIKELY(is_blank(*p))) {
        uint64_t w = 0;

        p++;
        while (w == 0 && end - p >= 8) { /* indentation */
            memcpy(&w, p, sizeof(w));
            w ^= TTP_JSON_LANES(' ');
            p += w ? __builtin_ctzll(w) / 8 : 8;
        }
    }
    return p;
}

/* No token begins in this piece any more. */
static ttp_code between_pieces(enum ttp_json_event *out, struct ttp_json_reader *r,
                               struct ttp_err *err)
{
    if (r->last && (r->state == TTP_JSON_AT_DONE || (r->state == TTP_JSON_AT_TOP && r->many))) {
        r->offset = r->fed;
        *out = TTP_JSON_END;
        return TTP_OK;
    }
    return run_dry(out, r,
                   r->state == TTP_JSON_AT_TOP ? "empty: no JSON value"
                                               : "input ends before its value is complete",
                   err);
}

static ttp_code resume(enum ttp_json_event *out, struct ttp_json_reader *r, struct ttp_err *err)
{
    switch (r->state) {
    case TTP_JSON_IN_STRING:
    case TTP_JSON_IN_KEY:
        return match_string(out, r, err);
    case TTP_JSON_IN_NUMBER:
        return match_number(out, r, err);
    case TTP_JSON_IN_LITERAL:
        return match_literal(out, r, err);
    default:
        return ttp_fail_at(err, r->code, r->code_offset, "%s", r->why);
    }
}

static ttp_code refuse_after_value(struct ttp_json_reader *r, const char *p, struct ttp_err *err)
{
    if (r->state == TTP_JSON_AT_DONE)
        return ttp_json_refuse_at(
            r, p, r->many ? "expected a blank between values" : "text after the value", err);
    return ttp_json_refuse_at(
        r, p, r->closer == '}' ? "expected ',' or '}'" : "expected ',' or ']'", err);
}

void ttp_json_feed(struct ttp_json_reader *r, ttp_str piece, bool last)
{
    assert(r->at == r->end && !r->last && r->max_depth <= TTP_JSON_DEPTH_MAX);
    r->at = r->end = piece.ptr;
    if (piece.len) /* else it may be NULL */
        r->end += piece.len;
    r->fed += piece.len;
    r->last = last;
    if (r->max_depth == 0)
        r->max_depth = TTP_JSON_DEPTH_DEFAULT;
    if (r->max_token == 0)
        r->max_token = TTP_JSON_TOKEN_DEFAULT;
}

/* Between tokens, what is not part of one. */
static ttp_code take_punctuation(struct ttp_json_reader *r, const char *p, struct ttp_err *err)
{
    if (r->state == TTP_JSON_AT_COLON) {
        if (*p != ':')
            return ttp_json_refuse_at(r, p, "expected ':'", err);
    } else if (r->state == TTP_JSON_AT_DONE || *p != ',') {
        return refuse_after_value(r, p, err);
    }
    r->state =
        r->state == TTP_JSON_AT_COMMA && r->closer == '}' ? TTP_JSON_AT_KEY : TTP_JSON_AT_VALUE;
    return TTP_OK;
}

/* The next event in all generality. */
TTP_NOINLINE static ttp_code next_event(enum ttp_json_event *out, struct ttp_json_reader *r,
                                        struct ttp_err *err)
{
    if (r->state >= TTP_JSON_IN_STRING)
        return resume(out, r, err);
    for (;; r->at++) {
        const char *p = blanks_end(r->at, r->end);

        if (r->state == TTP_JSON_AT_DONE && r->many && p != r->at)
            r->state = TTP_JSON_AT_TOP;
        r->at = p;
        if (p == r->end)
            return between_pieces(out, r, err);
        switch (r->state) {
        case TTP_JSON_AT_KEY_0:
        case TTP_JSON_AT_KEY:
            return read_key(out, r, p, err);
        case TTP_JSON_AT_DONE:
        case TTP_JSON_AT_COLON:
        case TTP_JSON_AT_COMMA:
            if (*p == r->closer && r->state == TTP_JSON_AT_COMMA)
                return end(out, r, p);
            TTP_TRY(take_punctuation(r, p, err));
            break;
        default:
            if (*p == ']' && r->state == TTP_JSON_AT_ITEM_0)
                return end(out, r, p);
            return read_value(out, r, p, err);
        }
    }
}

ttp_code ttp_json_next(enum ttp_json_event *out, struct ttp_json_reader *r, struct ttp_err *err)
{
    assert(!r->skipping);
    const char *p = blanks_end(r->at, r->end);
    if (TTP_LIKELY(p < r->end)) { /* what most calls find */
        if (r->state == TTP_JSON_AT_KEY && *p == '"')
            return read_string(out, r, p, true, err);
        if (r->state == TTP_JSON_AT_VALUE && *p == '"')
            return read_string(out, r, p, false, err);
        if (r->state == TTP_JSON_AT_VALUE && ttp_json_is_digit(*p))
            return read_number(out, r, p, err);
    }
    return next_event(out, r, err);
}

/* Skipping. */

/* *ended: this closes the value. */
static ttp_code skip_bracket(struct ttp_json_reader *r, const char *p, bool *ended,
                             struct ttp_err *err)
{
    const int kind = *p | 0x20; /* '[' is now '{', and ']' '}' */

    if (kind == '{')
        return push(r, p, err);
    if (kind != '}')
        return TTP_OK;
    if (*p != r->closer)
        return refuse_after_value(r, p, err);
    pop(r, p);
    *ended = r->depth == r->skip_floor;
    return TTP_OK;
}

static ttp_code skip_bytes(struct ttp_json_reader *r, size_t n, bool *ended, struct ttp_err *err)
{
    const char *const stop = r->at + n;

    while (r->at < stop && !*ended) {
        const char *p = r->at++;

        if (r->skip_escape) {
            r->skip_escape = false;
        } else if (r->skip_string) {
            r->skip_escape = *p == '\\';
            r->skip_string = *p != '"';
        } else if (*p == '"') {
            r->skip_string = true;
        } else {
            TTP_TRY(skip_bracket(r, p, ended, err));
        }
    }
    return TTP_OK;
}

static ttp_code skip_block(struct ttp_json_reader *r, bool *ended, struct ttp_err *err)
{
    const char *p = r->at;
    struct ttp_json_block block;

    ttp_json_classify(&block, p);
    if (block.escape || r->skip_escape)
        return skip_bytes(r, 64, ended, err);
    /* From an opening quote to before the closing one. */
    const uint64_t strings = ttp_json_parity(block.quotes) ^ (0 - (uint64_t)r->skip_string);
    for (uint64_t left = block.brackets & ~strings; left; left &= left - 1) {
        const char *bracket = p + __builtin_ctzll(left);

        TTP_TRY(skip_bracket(r, bracket, ended, err));
        if (*ended) {
            r->at = bracket + 1;
            r->skip_string = false;
            return TTP_OK;
        }
    }
    r->skip_string = strings >> 63;
    r->at = p + 64;
    return TTP_OK;
}

ttp_code ttp_json_skip(enum ttp_json_event *out, struct ttp_json_reader *r, struct ttp_err *err)
{
    bool ended = false;

    if (!r->skipping) {
        TTP_TRY(ttp_json_next(out, r, err));
        if (*out != TTP_JSON_OBJECT_BEGIN && *out != TTP_JSON_ARRAY_BEGIN)
            return TTP_OK;
        r->skip_floor = r->depth - 1;
        r->skipping = true;
    }
    while (!ended && r->end - r->at >= 64)
        TTP_TRY(skip_block(r, &ended, err));
    if (!ended)
        TTP_TRY(skip_bytes(r, (size_t)(r->end - r->at), &ended, err));
    if (!ended)
        return run_dry(out, r, "input ends inside an array or object", err);
    r->skipping = false;
    const bool object = r->at[-1] == '}';
    return complete(out, r, r->at, object ? TTP_JSON_OBJECT_END : TTP_JSON_ARRAY_END);
}

void ttp_json_clear(struct ttp_json_reader *r)
{
    ttp_arena_free(&r->arena);
    *r = (struct ttp_json_reader){0};
}
