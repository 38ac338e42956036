/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/tracy_out.h"

#include "capture/capture.h"
#include "capture/tracy_file.h"

static void flush_block(struct ttp_tracy_out *out)
{
    char head[4];
    ttp_str packed;

    if (out->len == 0 || out->failed)
        return;
    if (!ttp_capture_packer_run(out->packer, (ttp_str){out->plain, out->len}, &packed)) {
        out->failed = true;
        return;
    }
    ttp_set32(head, (uint32_t)packed.len);
    ttp_sink_put(&out->file.sink, (ttp_str){head, sizeof(head)});
    ttp_sink_put(&out->file.sink, packed);
    out->len = 0;
}

void ttp_tracy_put_far(struct ttp_tracy_out *out, const void *bytes, size_t n)
{
    const char *p = bytes;

    while (n && !out->failed) {
        const size_t room = TTP_TRACY_PLAIN - out->len, part = n < room ? n : room;

        memcpy(out->plain + out->len, p, part);
        out->len += part;
        p += part;
        n -= part;
        if (out->len == TTP_TRACY_PLAIN)
            flush_block(out);
    }
}

ttp_code ttp_tracy_out_open(struct ttp_tracy_out *out, const char *path, unsigned version,
                            struct ttp_err *err)
{
    const bool old = version < TTP_TRACY_VERSION(0, 11, 0);
    const unsigned char mark[8] = {'t',
                                   'r',
                                   'a',
                                   'c',
                                   'y',
                                   (unsigned char)(version >> 16),
                                   (unsigned char)(version >> 8),
                                   (unsigned char)version};

    *out = (struct ttp_tracy_out){0};
    if (!ttp_capture_supports("lz4"))
        return ttp_fail_unbuilt(err, "LZ4, which compresses .tracy files", "liblz4-dev", NULL);
    TTP_TRY(ttp_outsink_open(&out->file, path, err));
    out->packer = ttp_capture_packer_new(TTP_TRACY_PLAIN, &out->file.arena);
    out->plain = ttp_arena_bytes(&out->file.arena, TTP_TRACY_PLAIN);
    /* then: LZ4, one stream */
    ttp_sink_put(&out->file.sink, old ? TTP_STR("tlZ\x04") : TTP_STR("tr\xFDP\0\x01"));
    ttp_tracy_put(out, mark, sizeof(mark));
    return TTP_OK;
}

ttp_code ttp_tracy_out_close(struct ttp_tracy_out *out, ttp_code rc, struct ttp_err *err)
{
    flush_block(out);
    if (rc == TTP_OK && out->failed)
        rc = ttp_fail(err, TTP_EIO, "LZ4 could not compress a block");
    return ttp_outsink_close(&out->file, rc, err);
}
