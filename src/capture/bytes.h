/* SPDX-License-Identifier: Apache-2.0 */
/* bytes.h - little-endian numbers and numbers of variable length in bytes. */
#ifndef TTP_CAPTURE_BYTES_H
#define TTP_CAPTURE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t ttp_get16(const void *p)
{
    const unsigned char *b = p;
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t ttp_get32(const void *p)
{
    const unsigned char *b = p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t ttp_get64(const void *p)
{
    return ttp_get32(p) | (uint64_t)ttp_get32((const char *)p + 4) << 32;
}

static inline float ttp_get_float(const void *p)
{
    const uint32_t bits = ttp_get32(p);
    float v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

static inline int64_t ttp_get_i64(const void *p)
{
    return (int64_t)ttp_get64(p);
}

static inline double ttp_get_f64(const void *p)
{
    const uint64_t bits = ttp_get64(p);
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

static inline void ttp_set16(void *p, uint16_t v)
{
    unsigned char *b = p;
    b[0] = (unsigned char)v;
    b[1] = (unsigned char)(v >> 8);
}

static inline void ttp_set32(void *p, uint32_t v)
{
    unsigned char *b = p;
    for (int i = 0; i < 4; i++)
        b[i] = (unsigned char)(v >> (8 * i));
}

static inline void ttp_set64(void *p, uint64_t v)
{
    ttp_set32(p, (uint32_t)v);
    ttp_set32((char *)p + 4, (uint32_t)(v >> 32));
}

/* Seven bits a byte, the low ones first; at most 10 bytes. */
static inline size_t ttp_put_varint(char *out, uint64_t v)
{
    size_t n = 0;

    for (; v >= 0x80; v >>= 7)
        out[n++] = (char)(v | 0x80);
    out[n++] = (char)v;
    return n;
}

/* Small for small numbers of either sign. */
static inline uint64_t ttp_zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t ttp_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

/* Differences of ticks wrap around as Tracy's do. */
static inline int64_t ttp_wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t ttp_wrap_sub(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

#endif
