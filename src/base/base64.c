/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

static void put_group(struct ttp_sink *out, const unsigned char *in, size_t n)
{
    const uint32_t bits =
        (uint32_t)in[0] << 16 | (n > 1 ? (uint32_t)in[1] << 8 : 0) | (n > 2 ? (uint32_t)in[2] : 0);
    char *at = ttp_sink_room(out, 4);

    at[0] = digits[bits >> 18];
    at[1] = digits[bits >> 12 & 63];
    at[2] = digits[n > 1 ? bits >> 6 & 63 : 64];
    at[3] = digits[n > 2 ? bits & 63 : 64];
    out->len += 4;
}

void ttp_base64_put(void *arg, ttp_str bytes)
{
    struct ttp_base64 *b = arg;

    for (size_t i = 0; i < bytes.len; i++) {
        b->left[b->nleft++] = (unsigned char)bytes.ptr[i];
        if (b->nleft == 3) {
            put_group(b->out, b->left, 3);
            b->nleft = 0;
        }
    }
}

void ttp_base64_end(struct ttp_base64 *b)
{
    if (b->nleft)
        put_group(b->out, b->left, b->nleft);
    b->nleft = 0;
}

static int value_of(char c)
{
    const char *at = c ? strchr(digits, c) : NULL;
    return at && *at != '=' ? (int)(at - digits) : -1;
}

bool ttp_base64_decode(ttp_str *out, ttp_str text, struct ttp_arena *arena)
{
    if (text.len % 4)
        return false;
    char *bytes = ttp_arena_bytes(arena, text.len / 4 * 3 + 1);
    size_t n = 0;

    for (size_t i = 0; i < text.len; i += 4) {
        const bool last = i + 4 == text.len;
        const size_t pad = !last || text.ptr[i + 3] != '=' ? 0 : text.ptr[i + 2] != '=' ? 1 : 2;
        uint32_t bits = 0;

        for (size_t k = 0; k < 4; k++) {
            const int v = k < 4 - pad ? value_of(text.ptr[i + k]) : 0;
            if (v < 0)
                return false;
            bits = bits << 6 | (uint32_t)v;
        }
        for (size_t k = 0; k < 3 - pad; k++)
            bytes[n++] = (char)(bits >> (16 - 8 * k));
    }
    *out = (ttp_str){bytes, n};
    return true;
}
