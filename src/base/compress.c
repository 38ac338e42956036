/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that knows zlib and zstd. What a decoder answers does not depend on how much room
 * the caller offers: see STEP. */
#include "base/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/budget.h"

#ifndef TTP_HAVE_ZLIB
#define TTP_HAVE_ZLIB 0
#endif
#ifndef TTP_HAVE_ZSTD
#define TTP_HAVE_ZSTD 0
#endif

#if TTP_HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif
#if TTP_HAVE_ZSTD
#include <zstd.h>
#endif

/* zstd decodes a frame in one go, with other checks, if all of it fits the room it is given. Room
 * of one constant size keeps results equal for all windows; it holds any zstd block (128 KiB). */
#define STEP ((size_t)128 << 10)

struct ttp_decoder {
    struct ttp_held held; /* first */
    enum ttp_compression kind;
    bool inside; /* a member or frame has begun and not ended */
#if TTP_HAVE_ZLIB
    z_stream gzip;
#endif
#if TTP_HAVE_ZSTD
    ZSTD_DStream *zstd;
    char *spare; /* STEP bytes, for callers with less room */
    size_t spare_from, spare_to;
#endif
};

enum ttp_compression ttp_compress_detect(ttp_str head)
{
    const unsigned char *p = (const unsigned char *)head.ptr;

    if (head.len >= 2 && p[0] == 0x1f && p[1] == 0x8b)
        return TTP_COMPRESS_GZIP;
    if (head.len >= 4 && p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd)
        return TTP_COMPRESS_ZSTD;
    /* a skippable frame: pzstd begins with one */
    if (head.len >= 4 && (p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18)
        return TTP_COMPRESS_ZSTD;
    return TTP_COMPRESS_NONE;
}

const char *ttp_compress_library(enum ttp_compression kind)
{
    return kind == TTP_COMPRESS_GZIP ? "zlib" : kind == TTP_COMPRESS_ZSTD ? "zstd" : "";
}

bool ttp_compress_supports(enum ttp_compression kind)
{
    return (kind == TTP_COMPRESS_GZIP && TTP_HAVE_ZLIB) ||
           (kind == TTP_COMPRESS_ZSTD && TTP_HAVE_ZSTD);
}

#if TTP_HAVE_ZLIB
static void gzip_open(struct ttp_decoder *d)
{
    /* 15: any window; 16: a gzip header, nothing else. Memory is all that can fail. */
    if (inflateInit2(&d->gzip, 15 + 16) != Z_OK)
        ttp_arena_oom();
}

static ttp_code gzip_run(struct ttp_decoder *d, ttp_str *in, struct ttp_decoded *out,
                         struct ttp_err *err)
{
    z_stream *z = &d->gzip;

    if (!d->inside) {
        /* tapes and some downloads pad with zeros */
        while (in->len && *in->ptr == '\0')
            *in = ttp_str_slice(*in, 1, in->len);
        if (in->len == 0)
            return TTP_OK;
        (void)inflateReset(z); /* fails only on a stream that is not ours */
        d->inside = true;
    }
    const size_t take = in->len < STEP ? in->len : STEP; /* zlib counts in 32 bits */
    z->next_in = (const Bytef *)in->ptr;
    z->avail_in = (uInt)take;
    z->next_out = (Bytef *)out->to;
    z->avail_out = (uInt)(out->room < STEP ? out->room : STEP);
    const uInt room_before = z->avail_out;
    const int rc = inflate(z, Z_NO_FLUSH);
    *in = ttp_str_slice(*in, take - z->avail_in, in->len);
    out->got = room_before - z->avail_out;
    if (rc == Z_MEM_ERROR)
        ttp_arena_oom();
    if (rc == Z_STREAM_END)
        d->inside = false;
    else if (rc != Z_OK && rc != Z_BUF_ERROR) /* the latter: nothing to take, nothing to give */
        return ttp_fail(err, TTP_EPARSE, "corrupt gzip data: %s",
                        z->msg ? z->msg : "needs a dictionary");
    return TTP_OK;
}
#endif

#if TTP_HAVE_ZSTD
static void zstd_open(struct ttp_decoder *d)
{
    d->zstd = ZSTD_createDStream();
    d->spare = malloc(STEP);
    if (!d->zstd || !d->spare)
        ttp_arena_oom();
}

static ttp_code zstd_run(struct ttp_decoder *d, ttp_str *in, struct ttp_decoded *out,
                         struct ttp_err *err)
{
    if (d->spare_from == d->spare_to) {
        if (in->len == 0 && !d->inside)
            return TTP_OK; /* asked for a frame that is missing, zstd would begin one */
        ZSTD_inBuffer src = {in->ptr, in->len, 0};
        ZSTD_outBuffer dst = {out->room < STEP ? d->spare : out->to, STEP, 0};
        const size_t rc = ZSTD_decompressStream(d->zstd, &dst, &src);

        if (ZSTD_isError(rc))
            return ttp_fail(err, TTP_EPARSE, "corrupt zstd data: %s", ZSTD_getErrorName(rc));
        d->inside = rc != 0;
        *in = ttp_str_slice(*in, src.pos, in->len);
        if (out->room >= STEP) {
            out->got = dst.pos;
            return TTP_OK;
        }
        d->spare_from = 0;
        d->spare_to = dst.pos;
    }
    const size_t left = d->spare_to - d->spare_from, n = left < out->room ? left : out->room;
    memcpy(out->to, d->spare + d->spare_from, n);
    d->spare_from += n;
    out->got = n;
    return TTP_OK;
}
#endif

void ttp_decoder_close(struct ttp_decoder *d)
{
    if (!d)
        return;
#if TTP_HAVE_ZLIB
    if (d->kind == TTP_COMPRESS_GZIP)
        inflateEnd(&d->gzip);
#endif
#if TTP_HAVE_ZSTD
    if (d->kind == TTP_COMPRESS_ZSTD) {
        ZSTD_freeDStream(d->zstd);
        free(d->spare);
    }
#endif
    ttp_held_drop(&d->held);
    free(d);
}

static void abandon(struct ttp_held *held)
{
    ttp_decoder_close((struct ttp_decoder *)(void *)held);
}

ttp_code ttp_decoder_open(struct ttp_decoder **out, enum ttp_compression kind, struct ttp_err *err)
{
    *out = NULL;
    if (!ttp_compress_supports(kind))
        return ttp_fail_unbuilt(err, ttp_compress_library(kind),
                                kind == TTP_COMPRESS_GZIP ? "zlib1g-dev" : "libzstd-dev",
                                "decompress the file first");
    struct ttp_decoder *d = calloc(1, sizeof(*d));
    if (!d)
        ttp_arena_oom();
    d->kind = kind;
    ttp_held_add(&d->held, 0, abandon);
#if TTP_HAVE_ZLIB
    if (kind == TTP_COMPRESS_GZIP)
        gzip_open(d);
#endif
#if TTP_HAVE_ZSTD
    if (kind == TTP_COMPRESS_ZSTD)
        zstd_open(d);
#endif
    *out = d;
    return TTP_OK;
}

static ttp_code run_once(struct ttp_decoder *d, ttp_str *in, struct ttp_decoded *out,
                         struct ttp_err *err)
{
#if TTP_HAVE_ZLIB
    if (d->kind == TTP_COMPRESS_GZIP)
        return gzip_run(d, in, out, err);
#endif
#if TTP_HAVE_ZSTD
    if (d->kind == TTP_COMPRESS_ZSTD)
        return zstd_run(d, in, out, err);
#endif
    (void)d, (void)in, (void)out;
    return ttp_fail(err, TTP_EUSAGE, "no decoder");
}

ttp_code ttp_decoder_run(struct ttp_decoder *d, ttp_str *in, struct ttp_decoded *out,
                         struct ttp_err *err)
{
    out->got = 0;
    for (;;) {
        const size_t before = in->len;
        const bool was_inside = d->inside;

        TTP_TRY(run_once(d, in, out, err));
        if (out->got || in->len < before)
            TTP_TRY(ttp_budget_inflated(before - in->len, out->got, err));
        if (out->got || in->len == 0)
            return TTP_OK;
        if (in->len == before && d->inside == was_inside)
            return ttp_fail(err, TTP_EPARSE, "corrupt compressed data: no progress");
    }
}

ttp_code ttp_decoder_finish(const struct ttp_decoder *d, struct ttp_err *err)
{
    if (!d->inside)
        return TTP_OK;
    (void)ttp_fail(err, TTP_EPARSE, "truncated %s data",
                   d->kind == TTP_COMPRESS_GZIP ? "gzip" : "zstd");
    ttp_err_hint(err, "the file is truncated; copy it again");
    return TTP_EPARSE;
}

#if TTP_HAVE_ZLIB
static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* zlib counts in 32 bits, so the stream gets both sides in pieces. */
static int inflate_all(z_stream *z, char *out, size_t size, ttp_str in)
{
    const size_t piece = (size_t)1 << 30;
    size_t taken = 0, given = 0;
    int rc = Z_OK;

    while (rc == Z_OK) {
        const uInt in_len = (uInt)min_size(in.len - taken, piece);
        const uInt out_len = (uInt)min_size(size - given, piece);

        z->next_in = (const Bytef *)in.ptr + taken;
        z->avail_in = in_len;
        z->next_out = (Bytef *)out + given;
        z->avail_out = out_len;
        rc = inflate(z, Z_NO_FLUSH);
        taken += in_len - z->avail_in;
        given += out_len - z->avail_out;
    }
    return rc == Z_STREAM_END && given != size ? Z_BUF_ERROR : rc;
}

static uint32_t crc_of(const char *p, size_t len)
{
    return (uint32_t)crc32_z(0, (const Bytef *)p, len);
}

ttp_code ttp_inflate(char *out, size_t size, ttp_str in, uint32_t crc, struct ttp_err *err)
{
    z_stream z = {0};

    if (inflateInit2(&z, -15) != Z_OK) /* any window, no header; memory is all that can fail */
        ttp_arena_oom();
    const int rc = inflate_all(&z, out, size, in);
    inflateEnd(&z);
    if (rc == Z_MEM_ERROR)
        ttp_arena_oom();
    if (rc != Z_STREAM_END)
        return ttp_fail(err, TTP_EPARSE, "corrupt deflate data: %s",
                        rc == Z_BUF_ERROR ? "wrong length" : "invalid code");
    if (crc_of(out, size) != crc)
        return ttp_fail(err, TTP_EPARSE, "corrupt deflate data: its checksum is wrong");
    return TTP_OK;
}
#else
ttp_code ttp_inflate(char *out, size_t size, ttp_str in, uint32_t crc, struct ttp_err *err)
{
    (void)out, (void)size, (void)in, (void)crc;
    return ttp_fail_unbuilt(err, "zlib", "zlib1g-dev", NULL);
}
#endif

/* ---- encoder ---- */

/* zstd's own default: a timeline shrinks to a tenth at the speed it is made. */
#define LEVEL 3

struct ttp_encoder {
    int fd;
    struct ttp_arena arena;
#if TTP_HAVE_ZSTD
    ZSTD_CStream *zstd;
    char *room;
    size_t size;
#endif
};

ttp_code ttp_encoder_open(struct ttp_encoder **out, int fd, struct ttp_err *err)
{
    *out = NULL;
#if TTP_HAVE_ZSTD
    struct ttp_encoder *e = calloc(1, sizeof(*e));
    ZSTD_CStream *zstd = ZSTD_createCStream();

    (void)err;
    if (!e || !zstd)
        ttp_arena_oom();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
    *e = (struct ttp_encoder){.fd = fd, .zstd = zstd, .size = ZSTD_CStreamOutSize()};
    e->room = ttp_arena_bytes(&e->arena, e->size);
    *out = e;
    return TTP_OK;
#else
    (void)fd;
    return ttp_fail_unbuilt(err, "zstd", "libzstd-dev", "choose a name without .zst");
#endif
}

#if TTP_HAVE_ZSTD
static ttp_code write_all(int fd, const char *bytes, size_t n, struct ttp_err *err)
{
    ttp_budget_write(n);
    while (n > 0) {
        const ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return ttp_fail_errno(err, "cannot write");
        bytes += done;
        n -= (size_t)done;
    }
    return TTP_OK;
}
#endif

ttp_code ttp_encoder_put(struct ttp_encoder *e, ttp_str text, bool last, struct ttp_err *err)
{
#if TTP_HAVE_ZSTD
    ZSTD_inBuffer in = {text.ptr, text.len, 0};
    size_t left;

    do {
        ZSTD_outBuffer out = {e->room, e->size, 0};
        left = ZSTD_compressStream2(e->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return ttp_fail(err, TTP_EIO, "zstd: %s", ZSTD_getErrorName(left));
        TTP_TRY(write_all(e->fd, e->room, out.pos, err));
    } while (last ? left > 0 : in.pos < in.size);
    return TTP_OK;
#else
    (void)e, (void)text, (void)last;
    return ttp_fail_unbuilt(err, "zstd", "libzstd-dev", NULL);
#endif
}

void ttp_encoder_close(struct ttp_encoder *e)
{
    if (!e)
        return;
#if TTP_HAVE_ZSTD
    ZSTD_freeCStream(e->zstd);
#endif
    ttp_arena_free(&e->arena);
    free(e);
}

ttp_code ttp_zstd_pack(ttp_str *out, ttp_str text, struct ttp_arena *arena, struct ttp_err *err)
{
#if TTP_HAVE_ZSTD
    const size_t room = ZSTD_compressBound(text.len);
    char *packed = ttp_arena_bytes(arena, room);
    const size_t n = ZSTD_compress(packed, room, text.ptr, text.len, LEVEL);

    if (ZSTD_isError(n))
        return ttp_fail(err, TTP_EIO, "zstd: %s", ZSTD_getErrorName(n));
    *out = (ttp_str){packed, n};
    return TTP_OK;
#else
    (void)out, (void)text, (void)arena;
    return ttp_fail_unbuilt(err, "zstd", "libzstd-dev", NULL);
#endif
}

ttp_code ttp_zstd_unpack(ttp_str *out, ttp_str packed, size_t size, struct ttp_arena *arena,
                         struct ttp_err *err)
{
#if TTP_HAVE_ZSTD
    TTP_TRY(ttp_budget_inflated(packed.len, size, err));
    char *bytes = ttp_arena_bytes(arena, size + 1); /* one more shows what is too long */
    const size_t n = ZSTD_decompress(bytes, size + 1, packed.ptr, packed.len);

    if (ZSTD_isError(n))
        return ttp_fail(err, TTP_EPARSE, "corrupt zstd data: %s", ZSTD_getErrorName(n));
    if (n != size)
        return ttp_fail(err, TTP_EPARSE, "corrupt zstd data: %zu bytes, not %zu", n, size);
    *out = (ttp_str){bytes, n};
    return TTP_OK;
#else
    (void)out, (void)packed, (void)size, (void)arena;
    return ttp_fail_unbuilt(err, "zstd", "libzstd-dev", NULL);
#endif
}
