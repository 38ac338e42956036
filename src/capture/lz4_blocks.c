/* SPDX-License-Identifier: Apache-2.0 */
/* A block may refer to the 64 KiB before it. Unpacked blocks are laid one after the other in a
 * ring of three, as the sender does: then what a block refers to is still where the library left
 * it. */
#include "capture/lz4_blocks.h"

#include "capture/capture.h"

#ifdef TTP_HAVE_LZ4

#include <lz4.h>

bool ttp_capture_supports(const char *library)
{
    return strcmp(library, "lz4") == 0;
}

struct ttp_unpacker {
    LZ4_streamDecode_t stream;
    size_t plain_max, at;
    char *ring;
};

struct ttp_unpacker *ttp_capture_unpacker_new(size_t plain_max, struct ttp_arena *arena)
{
    struct ttp_unpacker *u = TTP_NEW(arena, struct ttp_unpacker, 1);

    u->plain_max = plain_max;
    u->ring = ttp_arena_bytes(arena, plain_max * 3);
    ttp_capture_unpacker_reset(u);
    return u;
}

void ttp_capture_unpacker_reset(struct ttp_unpacker *u)
{
    LZ4_setStreamDecode(&u->stream, NULL, 0);
    u->at = 0;
}

bool ttp_capture_unpacker_run(struct ttp_unpacker *u, ttp_str packed, ttp_str *out)
{
    char *to = u->ring + u->at;

    if (packed.len > INT32_MAX)
        return false;
    const int n = LZ4_decompress_safe_continue(&u->stream, packed.ptr, to, (int)packed.len,
                                               (int)u->plain_max);
    if (n < 0)
        return false;
    *out = (ttp_str){to, (size_t)n};
    u->at += (size_t)n;
    if (u->at > u->plain_max * 2)
        u->at = 0;
    return true;
}

struct ttp_packer {
    LZ4_stream_t stream;
    size_t plain_max, at, packed_max;
    char *ring, *packed;
};

struct ttp_packer *ttp_capture_packer_new(size_t plain_max, struct ttp_arena *arena)
{
    struct ttp_packer *p = TTP_NEW(arena, struct ttp_packer, 1);

    LZ4_initStream(&p->stream, sizeof(p->stream));
    p->plain_max = plain_max;
    p->packed_max = (size_t)LZ4_compressBound((int)plain_max);
    p->ring = ttp_arena_bytes(arena, plain_max * 3);
    p->packed = ttp_arena_bytes(arena, p->packed_max);
    return p;
}

bool ttp_capture_packer_run(struct ttp_packer *p, ttp_str plain, ttp_str *out)
{
    char *from = p->ring + p->at;

    if (plain.len > p->plain_max)
        return false;
    if (plain.len)
        memcpy(from, plain.ptr, plain.len);
    const int n = LZ4_compress_fast_continue(&p->stream, from, p->packed, (int)plain.len,
                                             (int)p->packed_max, 1);
    if (n <= 0)
        return false;
    *out = (ttp_str){p->packed, (size_t)n};
    p->at += plain.len;
    if (p->at > p->plain_max * 2)
        p->at = 0;
    return true;
}

#else

bool ttp_capture_supports(const char *library)
{
    (void)library;
    return false;
}

struct ttp_unpacker {
    char unused;
};

struct ttp_unpacker *ttp_capture_unpacker_new(size_t plain_max, struct ttp_arena *arena)
{
    (void)plain_max;
    return TTP_NEW(arena, struct ttp_unpacker, 1);
}

void ttp_capture_unpacker_reset(struct ttp_unpacker *u)
{
    (void)u;
}

bool ttp_capture_unpacker_run(struct ttp_unpacker *u, ttp_str packed, ttp_str *out)
{
    (void)u, (void)packed, (void)out;
    return false;
}

struct ttp_packer {
    char unused;
};

struct ttp_packer *ttp_capture_packer_new(size_t plain_max, struct ttp_arena *arena)
{
    (void)plain_max;
    return TTP_NEW(arena, struct ttp_packer, 1);
}

bool ttp_capture_packer_run(struct ttp_packer *p, ttp_str plain, ttp_str *out)
{
    (void)p, (void)plain, (void)out;
    return false;
}

#endif
