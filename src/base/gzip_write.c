/* SPDX-License-Identifier: Apache-2.0 */
#include "base/gzip_write.h"

#include <stdlib.h>

#include "base/arena.h"

#ifndef TTP_HAVE_ZLIB
#define TTP_HAVE_ZLIB 0
#endif

#if TTP_HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>

struct ttp_gzip {
    z_stream z;
    ttp_gzip_fn *put;
    void *arg;
};

ttp_code ttp_gzip_open(struct ttp_gzip **out, ttp_gzip_fn *put, void *arg, struct ttp_err *err)
{
    struct ttp_gzip *g = calloc(1, sizeof(*g));

    (void)err;
    /* 15: the largest window; 16: a gzip header. Memory is all that can fail. */
    if (!g || deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                           Z_DEFAULT_STRATEGY) != Z_OK)
        ttp_arena_oom();
    g->put = put;
    g->arg = arg;
    *out = g;
    return TTP_OK;
}

static void run(struct ttp_gzip *g, int flush)
{
    char room[16384];

    do {
        g->z.next_out = (Bytef *)room;
        g->z.avail_out = sizeof(room);
        (void)deflate(&g->z, flush); /* fails only on a stream that is not ours */
        g->put(g->arg, (ttp_str){room, sizeof(room) - g->z.avail_out});
    } while (g->z.avail_out == 0);
}

void ttp_gzip_add(struct ttp_gzip *g, ttp_str bytes)
{
    const size_t most = (size_t)1 << 30; /* zlib counts in 32 bits */

    while (bytes.len) {
        const size_t n = bytes.len < most ? bytes.len : most;

        g->z.next_in = (const Bytef *)bytes.ptr;
        g->z.avail_in = (uInt)n;
        run(g, Z_NO_FLUSH);
        bytes = ttp_str_slice(bytes, n, bytes.len);
    }
}

void ttp_gzip_finish(struct ttp_gzip *g)
{
    g->z.avail_in = 0;
    run(g, Z_FINISH);
}

void ttp_gzip_close(struct ttp_gzip *g)
{
    if (!g)
        return;
    deflateEnd(&g->z);
    free(g);
}

#else

ttp_code ttp_gzip_open(struct ttp_gzip **out, ttp_gzip_fn *put, void *arg, struct ttp_err *err)
{
    (void)put, (void)arg;
    *out = NULL;
    return ttp_fail_unbuilt(err, "zlib", "zlib1g-dev", NULL);
}

void ttp_gzip_add(struct ttp_gzip *g, ttp_str bytes)
{
    (void)g, (void)bytes;
}

void ttp_gzip_finish(struct ttp_gzip *g)
{
    (void)g;
}

void ttp_gzip_close(struct ttp_gzip *g)
{
    (void)g;
}
#endif
