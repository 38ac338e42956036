/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_token.h"

#include "base/json_scan.h"

ttp_code ttp_json_refuse(struct ttp_json_reader *r, ttp_code code, size_t offset, const char *why,
                         struct ttp_err *err)
{
    r->state = TTP_JSON_FAILED;
    r->skipping = false;
    r->code = code;
    r->code_offset = offset;
    r->why = why;
    return ttp_fail_at(err, code, offset, "%s", why);
}

ttp_code ttp_json_refuse_at(struct ttp_json_reader *r, const char *p, const char *why,
                            struct ttp_err *err)
{
    return ttp_json_refuse(r, TTP_EPARSE, ttp_json_offset(r, p), why, err);
}

ttp_code ttp_json_check_token(struct ttp_json_reader *r, size_t n, struct ttp_err *err)
{
    if (n <= r->max_token - r->len)
        return TTP_OK;
    return ttp_json_refuse(r, TTP_ELIMIT, r->offset, "string or number is too long", err);
}

ttp_code ttp_json_append(struct ttp_json_reader *r, const char *p, size_t n, struct ttp_err *err)
{
    TTP_TRY(ttp_json_check_token(r, n, err));
    if (n == 0)
        return TTP_OK;
    if (n > r->cap - r->len) {
        size_t cap = r->cap ? r->cap * 2 : 256;

        while (cap - r->len < n)
            cap *= 2;
        char *buf = TTP_NEW(&r->arena, char, cap);
        if (r->len)
            memcpy(buf, r->buf, r->len);
        r->buf = buf;
        r->cap = cap;
    }
    memcpy(r->buf + r->len, p, n);
    r->len += n;
    return TTP_OK;
}

static ttp_code append_code_point(struct ttp_json_reader *r, uint32_t c, struct ttp_err *err)
{
    char s[4];
    size_t n;

    if (c < 0x80) {
        s[0] = (char)c;
        n = 1;
    } else if (c < 0x800) {
        s[0] = (char)(0xC0 | c >> 6);
        n = 2;
    } else if (c < 0x10000) {
        s[0] = (char)(0xE0 | c >> 12);
        n = 3;
    } else {
        s[0] = (char)(0xF0 | c >> 18);
        n = 4;
    }
    for (size_t i = 1; i < n; i++)
        s[i] = (char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3F));
    return ttp_json_append(r, s, n, err);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Length of the escape that n > 0 bytes at p begin with, its UTF-16 unit in *unit; 0 if they are
 * the beginning of one, -1 if no escape begins like this. */
static int escape(const char *p, size_t n, uint32_t *unit)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";

    if (n < 2)
        return 0;
    if (p[1] != 'u') {
        const char *hit = memchr(from, p[1], sizeof(from) - 1);

        if (!hit)
            return -1;
        *unit = (unsigned char)to[hit - from];
        return 2;
    }
    *unit = 0;
    for (size_t i = 2; i < 6; i++) {
        if (i == n)
            return 0;
        const int digit = hex_digit(p[i]);
        if (digit < 0)
            return -1;
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return 6;
}

static ttp_code lone_surrogate(struct ttp_json_reader *r, size_t offset, struct ttp_err *err)
{
    if (!r->replace_surrogate)
        return ttp_json_refuse(r, TTP_EPARSE, offset, "half of a surrogate pair", err);
    return append_code_point(r, 0xFFFD, err);
}

/* Something else than a second half follows. */
static ttp_code settle_surrogate(struct ttp_json_reader *r, struct ttp_err *err)
{
    if (!r->high)
        return TTP_OK;
    r->high = 0;
    return lone_surrogate(r, r->high_offset, err);
}

static ttp_code append_unit(struct ttp_json_reader *r, uint32_t unit, size_t offset,
                            struct ttp_err *err)
{
    const bool low = unit >= 0xDC00 && unit <= 0xDFFF;

    if (low && r->high) {
        const uint32_t c = 0x10000 + ((r->high - 0xD800) << 10) + (unit - 0xDC00);

        r->high = 0;
        return append_code_point(r, c, err);
    }
    TTP_TRY(settle_surrogate(r, err));
    if (low)
        return lone_surrogate(r, offset, err);
    if (unit >= 0xD800 && unit <= 0xDBFF) {
        r->high = unit;
        r->high_offset = offset;
        return TTP_OK;
    }
    return append_code_point(r, unit, err);
}

/* Append what the escape or UTF-8 sequence at p means; *used bytes of it, 0: it is cut. */
static ttp_code append_special(struct ttp_json_reader *r, const char *p, size_t n, size_t offset,
                               size_t *used, struct ttp_err *err)
{
    const bool escaped = *p == '\\';
    uint32_t unit = 0;
    const int len = escaped ? escape(p, n, &unit) : ttp_json_utf8(p, n);

    if (len < 0)
        return ttp_json_refuse(r, TTP_EPARSE, offset, escaped ? "malformed escape" : "not UTF-8",
                               err);
    *used = (size_t)len;
    if (len == 0)
        return TTP_OK;
    return escaped ? append_unit(r, unit, offset, err) : ttp_json_append(r, p, (size_t)len, err);
}

/* Complete the escape or sequence that a piece's end cut, a byte at a time. */
static ttp_code finish_part(struct ttp_json_reader *r, struct ttp_err *err)
{
    while (r->nparts && r->at < r->end) {
        size_t used = 0;

        r->part[r->nparts++] = *r->at++;
        TTP_TRY(append_special(r, r->part, r->nparts, r->part_offset, &used, err));
        if (used)
            r->nparts = 0;
    }
    return TTP_OK;
}

/* One step after plain text: r->at is at something else. *closed: it was the closing quote. */
static ttp_code string_step(struct ttp_json_reader *r, bool *closed, struct ttp_err *err)
{
    const char *p = r->at;
    const size_t left = (size_t)(r->end - p);
    size_t used = 0;

    if (*p != '\\')
        TTP_TRY(settle_surrogate(r, err));
    if (*p == '"') {
        r->at++;
        *closed = true;
        return TTP_OK;
    }
    if ((unsigned char)*p < 0x20)
        return ttp_json_refuse_at(r, p, "control character in a string", err);
    TTP_TRY(append_special(r, p, left, ttp_json_offset(r, p), &used, err));
    if (used == 0) {
        memcpy(r->part, p, left);
        r->nparts = left;
        r->part_offset = ttp_json_offset(r, p);
        used = left;
    }
    r->at += used;
    return TTP_OK;
}

/* The plain text at r->at, if any. */
static ttp_code append_plain(struct ttp_json_reader *r, struct ttp_err *err)
{
    const char *start = r->at;

    r->at = ttp_json_plain_end(start, r->end);
    if (r->at == start)
        return TTP_OK;
    TTP_TRY(settle_surrogate(r, err));
    return ttp_json_append(r, start, (size_t)(r->at - start), err);
}

ttp_code ttp_json_copy_string(struct ttp_json_reader *r, bool *closed, struct ttp_err *err)
{
    *closed = false;
    TTP_TRY(finish_part(r, err));
    while (r->at < r->end && !*closed) {
        TTP_TRY(append_plain(r, err));
        if (r->at < r->end)
            TTP_TRY(string_step(r, closed, err));
    }
    return TTP_OK;
}
