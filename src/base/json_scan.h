/* SPDX-License-Identifier: Apache-2.0 */
/* json_scan.h - byte searches of the JSON reader and writer; private to them. */
#ifndef TTP_BASE_JSON_SCAN_H
#define TTP_BASE_JSON_SCAN_H

#include "base/str.h"

/* One byte value in all eight lanes of a word. */
#define TTP_JSON_LANES(byte) (0x0101010101010101u * (uint64_t)(byte))

/* May appear unescaped in a JSON string and needs no check: ASCII, neither control, '"' nor '\'. */
TTP_INLINE bool ttp_json_is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/* The first byte of [p, end) that is not plain, or end. Eight bytes a step: a lane that borrows is
 * itself a hit, so the lowest hit is exact (lanes above it may be wrong). */
TTP_INLINE const char *ttp_json_plain_end(const char *p, const char *end)
{
    while (end - p >= 8) {
        uint64_t w;

        memcpy(&w, p, sizeof(w));
        const uint64_t quote = (w ^ TTP_JSON_LANES('"')) - TTP_JSON_LANES(1);
        const uint64_t slash = (w ^ TTP_JSON_LANES('\\')) - TTP_JSON_LANES(1);
        const uint64_t control = w - TTP_JSON_LANES(0x20);
        const uint64_t hits = (quote | slash | control | w) & TTP_JSON_LANES(0x80);
        if (hits)
            return p + (__builtin_ctzll(hits) >> 3); /* little-endian: lowest lane first */
        p += 8;
    }
    while (p < end && ttp_json_is_plain(*p))
        p++;
    return p;
}

TTP_INLINE bool ttp_json_is_digit(char c)
{
    return (unsigned)(unsigned char)c - '0' <= 9;
}

/* The first byte of [p, end) that is not a digit, or end. As above, the lowest hit is exact. */
TTP_INLINE const char *ttp_json_digits_end(const char *p, const char *end)
{
    while (end - p >= 8) {
        uint64_t w;

        memcpy(&w, p, sizeof(w));
        w ^= TTP_JSON_LANES('0'); /* digits are now 0 to 9 */
        const uint64_t hits = (w | (w + TTP_JSON_LANES(0x80 - 10))) & TTP_JSON_LANES(0x80);
        if (hits)
            return p + (__builtin_ctzll(hits) >> 3);
        p += 8;
    }
    while (p < end && ttp_json_is_digit(*p))
        p++;
    return p;
}

/* What a block of 64 bytes holds; bit i is byte i. */
struct ttp_json_block {
    uint64_t quotes;
    uint64_t
        brackets; /* also '_', 'y', 'Y' and DEL: one comparison less, and rare where it counts */
    bool escape;  /* a '\' somewhere */
};

/* 0x80 in each lane that is zero, exactly. */
TTP_INLINE uint64_t ttp_json_zero_lanes(uint64_t w)
{
    const uint64_t low = TTP_JSON_LANES(0x7F);
    return ~(((w & low) + low) | w | low);
}

TTP_INLINE void ttp_json_classify(struct ttp_json_block *out, const char *p)
{
    const uint64_t gather = 0x0102040810204080u; /* brings bit 8 i to bit 56 + i */
    uint64_t slashes = 0;

    *out = (struct ttp_json_block){0};
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t w;

        memcpy(&w, p + i, sizeof(w));
        const uint64_t quotes = ttp_json_zero_lanes(w ^ TTP_JSON_LANES('"'));
        const uint64_t brackets =
            ttp_json_zero_lanes((w | TTP_JSON_LANES(0x26)) ^ TTP_JSON_LANES(0x7F));
        slashes |= ttp_json_zero_lanes(w ^ TTP_JSON_LANES('\\'));
        out->quotes |= (quotes >> 7) * gather >> 56 << i;
        out->brackets |= (brackets >> 7) * gather >> 56 << i;
    }
    out->escape = slashes != 0;
}

/* Bit i is the parity of bits 0 to i. */
TTP_INLINE uint64_t ttp_json_parity(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

/* Length of the UTF-8 sequence that n > 0 bytes at s begin with; 0 if they are the beginning of
 * one, -1 if no sequence begins like this. Table 3-7 of the Unicode standard. */
static inline int ttp_json_utf8(const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;
    const unsigned char c = p[0];
    unsigned char low = 0x80, high = 0xBF;

    if (c < 0x80)
        return 1;
    if (c < 0xC2 || c > 0xF4)
        return -1;
    if (c == 0xE0)
        low = 0xA0;
    else if (c == 0xF0)
        low = 0x90;
    else if (c == 0xED)
        high = 0x9F;
    else if (c == 0xF4)
        high = 0x8F;
    const size_t want = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    for (size_t i = 1; i < want; i++, low = 0x80, high = 0xBF) {
        if (i == n)
            return 0;
        if (p[i] < low || p[i] > high)
            return -1;
    }
    return (int)want;
}

#endif
