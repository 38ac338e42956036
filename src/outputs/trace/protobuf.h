/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf.h - private to outputs: messages in protobuf's wire format, field by field. Lengths are
 * filled in when a message is closed; numbers are the caller's. */
#ifndef TTP_OUTPUTS_PROTOBUF_H
#define TTP_OUTPUTS_PROTOBUF_H

#include "base/arena.h"

/* Set `arena`, the rest zero. Set `len` to 0 to begin again. */
struct ttp_pb {
    char *buf;
    size_t len, cap;
    struct ttp_arena *arena;
};

enum { TTP_PB_VARINT_MAX = 10 };

TTP_INLINE char *ttp_pb_room(struct ttp_pb *b, size_t n)
{
    if (TTP_UNLIKELY(b->cap - b->len < n)) {
        size_t cap = b->cap ? b->cap * 2 : 512;

        while (cap - b->len < n)
            cap *= 2;
        b->buf = ttp_arena_resize(b->arena, b->buf, cap);
        b->cap = cap;
    }
    return b->buf + b->len;
}

/* Bytes written: at most TTP_PB_VARINT_MAX. */
TTP_INLINE size_t ttp_pb_put_varint(char *out, uint64_t v)
{
    size_t n = 0;

    for (; v >= 0x80; v >>= 7)
        out[n++] = (char)(v | 0x80);
    out[n++] = (char)v;
    return n;
}

TTP_INLINE void ttp_pb_varint(struct ttp_pb *b, uint64_t v)
{
    b->len += ttp_pb_put_varint(ttp_pb_room(b, TTP_PB_VARINT_MAX), v);
}

enum { TTP_PB_WIRE_VARINT = 0, TTP_PB_WIRE_64 = 1, TTP_PB_WIRE_BYTES = 2 };

/* Negative numbers are written as their 64-bit two's complement, as int64 fields want them. */
TTP_INLINE void ttp_pb_uint(struct ttp_pb *b, uint32_t field, uint64_t v)
{
    char *at = ttp_pb_room(b, (size_t)2 * TTP_PB_VARINT_MAX);
    const size_t tag = ttp_pb_put_varint(at, (uint64_t)field << 3 | TTP_PB_WIRE_VARINT);

    b->len += tag + ttp_pb_put_varint(at + tag, v);
}

static inline void ttp_pb_fixed64(struct ttp_pb *b, uint32_t field, uint64_t v)
{
    ttp_pb_varint(b, (uint64_t)field << 3 | TTP_PB_WIRE_64);
    char *at = ttp_pb_room(b, 8);
    for (int i = 0; i < 8; i++)
        at[i] = (char)(v >> 8 * i);
    b->len += 8;
}

static inline void ttp_pb_double(struct ttp_pb *b, uint32_t field, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    ttp_pb_fixed64(b, field, bits);
}

static inline void ttp_pb_str(struct ttp_pb *b, uint32_t field, ttp_str s)
{
    ttp_pb_varint(b, (uint64_t)field << 3 | TTP_PB_WIRE_BYTES);
    ttp_pb_varint(b, s.len);
    if (s.len)
        memcpy(ttp_pb_room(b, s.len), s.ptr, s.len);
    b->len += s.len;
}

/* A message inside; give the result to ttp_pb_close(). */
TTP_INLINE size_t ttp_pb_open(struct ttp_pb *b, uint32_t field)
{
    ttp_pb_varint(b, (uint64_t)field << 3 | TTP_PB_WIRE_BYTES);
    *ttp_pb_room(b, 1) = 0;
    return ++b->len;
}

/* Most messages are shorter than 128 bytes: their length fits the byte kept free for it. */
TTP_INLINE void ttp_pb_close(struct ttp_pb *b, size_t start)
{
    const size_t len = b->len - start;
    char size[TTP_PB_VARINT_MAX];

    if (TTP_LIKELY(len < 0x80)) {
        b->buf[start - 1] = (char)len;
        return;
    }
    const size_t more = ttp_pb_put_varint(size, len) - 1;
    (void)ttp_pb_room(b, more);
    memmove(b->buf + start + more, b->buf + start, len);
    memcpy(b->buf + start - 1, size, more + 1);
    b->len += more;
}

#endif
