/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/tracy_container.h"

#include "capture/bytes.h"
#include "capture/capture.h"

/* No packed block is larger: 64 KiB that did not shrink, and a little. */
#define PACKED_MAX  ((size_t)1 << 20)
#define FORGET_STEP ((size_t)8 << 20)

static ttp_code open_streams(struct ttp_tracy_in *in, struct ttp_err *err)
{
    if (!in->zstd && !ttp_capture_supports("lz4"))
        return ttp_fail_unbuilt(err, "LZ4, which compresses the file", "liblz4-dev", NULL);
    if (in->zstd) {
        in->decoder = TTP_NEW(in->arena, struct ttp_decoder *, in->streams);
        in->plain = ttp_arena_bytes(in->arena, TTP_TRACY_PLAIN);
    } else {
        in->lz4 = TTP_NEW(in->arena, struct ttp_unpacker *, in->streams);
    }
    for (unsigned i = 0; i < in->streams; i++) {
        if (in->zstd)
            TTP_TRY(ttp_decoder_open(&in->decoder[i], TTP_COMPRESS_ZSTD, err));
        else
            in->lz4[i] = ttp_capture_unpacker_new(TTP_TRACY_PLAIN, in->arena);
    }
    return TTP_OK;
}

ttp_code ttp_tracy_open(struct ttp_tracy_in *in, const struct ttp_file *file,
                        struct ttp_arena *arena, struct ttp_err *err)
{
    const ttp_str text = file->text;

    *in = (struct ttp_tracy_in){.file = file, .arena = arena, .streams = 1, .at = 4};
    if (ttp_str_starts(text, TTP_STR("tZst"))) {
        in->zstd = true;
    } else if (ttp_str_starts(text, TTP_STR("tr\xFDP")) && text.len >= 6) {
        in->zstd = text.ptr[4] == 1;
        in->streams = (unsigned char)text.ptr[5];
        in->at = 6;
        if ((unsigned char)text.ptr[4] > 1)
            return ttp_fail_at(err, TTP_EPARSE, 4, "unknown compression (%u)",
                               (unsigned char)text.ptr[4]);
        if (in->streams == 0)
            return ttp_fail_at(err, TTP_EPARSE, 5, "no streams");
    } else if (!ttp_str_starts(text, TTP_STR("tlZ\x04"))) {
        return ttp_fail_at(err, TTP_EPARSE, 0, "not a .tracy file");
    }
    return open_streams(in, err);
}

void ttp_tracy_close(struct ttp_tracy_in *in)
{
    for (unsigned i = 0; in->decoder && i < in->streams; i++)
        ttp_decoder_close(in->decoder[i]);
    in->decoder = NULL;
}

static bool end(struct ttp_tracy_in *in, const char *why)
{
    in->over = true;
    in->why = why;
    return false;
}

static bool unpack_zstd(struct ttp_tracy_in *in, ttp_str packed, ttp_str *plain)
{
    struct ttp_decoded out;
    size_t len = 0;

    do {
        out = (struct ttp_decoded){in->plain + len, TTP_TRACY_PLAIN - len, 0};
        if (ttp_decoder_run(in->decoder[in->turn], &packed, &out, NULL) != TTP_OK)
            return false;
        len += out.got;
    } while (out.got && len < TTP_TRACY_PLAIN);
    *plain = (ttp_str){in->plain, len};
    return packed.len == 0;
}

static bool next_block(struct ttp_tracy_in *in)
{
    const ttp_str text = in->file->text;
    ttp_str plain = {0};

    if (in->over)
        return false;
    if (text.len - in->at < 4)
        return end(in, "the file ends too early");
    const size_t n = ttp_get32(text.ptr + in->at);
    if (n > PACKED_MAX)
        return end(in, "a block is too long");
    if (n > text.len - in->at - 4)
        return end(in, "the file ends too early");
    const ttp_str packed = ttp_str_slice(text, in->at + 4, in->at + 4 + n);
    const bool good = in->zstd ? unpack_zstd(in, packed, &plain)
                               : ttp_capture_unpacker_run(in->lz4[in->turn], packed, &plain);
    if (!good || plain.len == 0)
        return end(in, "a block cannot be decompressed");
    in->turn = (in->turn + 1) % in->streams;
    in->at += 4 + n;
    in->p = plain.ptr;
    in->end = plain.ptr + plain.len;
    in->given += plain.len;
    if (in->given > TTP_UNPACKED_FREE && in->given / TTP_UNPACKED_RATIO > text.len) {
        in->limit = TTP_LIMIT_PACKED;
        return end(in, in->limit);
    }
    if (in->at - in->forgotten > FORGET_STEP) {
        ttp_file_forget(in->file, ttp_str_slice(text, in->forgotten, in->at));
        in->forgotten = in->at;
    }
    return true;
}

bool ttp_tracy_get_far(struct ttp_tracy_in *in, void *out, size_t n)
{
    char *to = out;

    while (n) {
        const size_t left = (size_t)(in->end - in->p), part = left < n ? left : n;

        if (part) { /* none, and no pointer, before the first block */
            memcpy(to, in->p, part);
            in->p += part;
            to += part;
            n -= part;
        }
        if (n && !next_block(in))
            return false;
    }
    return true;
}

bool ttp_tracy_skip(struct ttp_tracy_in *in, uint64_t n)
{
    while (n) {
        const size_t left = (size_t)(in->end - in->p), part = left < n ? left : (size_t)n;

        if (part) {
            in->p += part;
            n -= part;
        }
        if (n && !next_block(in))
            return false;
    }
    return true;
}
