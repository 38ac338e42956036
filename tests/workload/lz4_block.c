/* SPDX-License-Identifier: Apache-2.0 */
#include "lz4_block.h"

#include <string.h>

/* Of the format: the last five bytes are literals, and no match begins in the last twelve. */
enum { LAST_LITERALS = 5, NO_MATCH_TAIL = 12, MIN_MATCH = 4 };

static uint32_t word_at(const unsigned char *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static unsigned char *put_length(unsigned char *out, size_t n)
{
    for (; n >= 255; n -= 255)
        *out++ = 255;
    *out++ = (unsigned char)n;
    return out;
}

/* Literals, then a match unless it is 0 bytes long. */
static unsigned char *put_sequence(unsigned char *out, const unsigned char *literals, size_t n,
                                   size_t offset, size_t match)
{
    const size_t more = match ? match - MIN_MATCH : 0;
    const size_t high = n < 15 ? n : 15, low = more < 15 ? more : 15;

    *out++ = (unsigned char)(high << 4 | low);
    if (high == 15)
        out = put_length(out, n - 15);
    memcpy(out, literals, n);
    out += n;
    if (match) {
        *out++ = (unsigned char)offset;
        *out++ = (unsigned char)(offset >> 8);
        if (low == 15)
            out = put_length(out, more - 15);
    }
    return out;
}

/* Keep the last 64 KiB in front of the n bytes that come. */
static void make_room(struct lz4_block *z, size_t n)
{
    if (z->len + n <= sizeof(z->past))
        return;
    const size_t keep = z->len < LZ4_HISTORY ? z->len : LZ4_HISTORY;
    memmove(z->past, z->past + z->len - keep, keep);
    z->len = keep;
    memset(z->place, 0, sizeof(z->place));
}

size_t lz4_block_pack(struct lz4_block *z, unsigned char *out, const unsigned char *src, size_t n)
{
    unsigned char *to = out;

    make_room(z, n);
    memcpy(z->past + z->len, src, n);
    const unsigned char *text = z->past;
    size_t at = z->len, literals = z->len;
    const size_t end = z->len + n;

    while (n > NO_MATCH_TAIL && at + NO_MATCH_TAIL < end) {
        const uint32_t hash = word_at(text + at) * 2654435761u >> 20;
        const size_t seen = z->place[hash];

        z->place[hash] = (uint32_t)at + 1;
        if (!seen || at - (seen - 1) >= LZ4_HISTORY ||
            word_at(text + seen - 1) != word_at(text + at)) {
            at++;
            continue;
        }
        size_t len = MIN_MATCH;
        while (at + len + LAST_LITERALS < end && text[seen - 1 + len] == text[at + len])
            len++;
        to = put_sequence(to, text + literals, at - literals, at - (seen - 1), len);
        at += len;
        literals = at;
    }
    to = put_sequence(to, text + literals, end - literals, 0, 0);
    z->len = end;
    return (size_t)(to - out);
}
