/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_container.h - a .tracy file as one sequence of plain bytes.
 *
 * Blocks of at most 64 KiB, packed as LZ4 or zstd, dealt to one or several streams in turn. Only
 * a block of each stream is in memory. */
#ifndef TTP_CAPTURE_TRACY_CONTAINER_H
#define TTP_CAPTURE_TRACY_CONTAINER_H

#include "base/compress.h"
#include "base/file.h"
#include "capture/capture_limits.h"
#include "capture/lz4_blocks.h"

#define TTP_TRACY_PLAIN ((size_t)64 << 10)

struct ttp_tracy_in {
    const struct ttp_file *file;
    struct ttp_arena *arena;
    size_t at, forgotten;
    bool zstd;
    unsigned streams, turn;
    struct ttp_unpacker **lz4;
    struct ttp_decoder **decoder;
    char *plain;         /* of zstd */
    const char *p, *end; /* what is left of the current block */
    uint64_t given;      /* plain bytes handed out by earlier blocks */
    bool over;           /* the file ended or is damaged: see `why` */
    const char *why;
    const char *limit; /* which of limits.h was reached; NULL: none */
};

/* TTP_EPARSE: not a container. TTP_EMISSING: no library for it. Close it whatever is returned. */
TTP_NODISCARD ttp_code ttp_tracy_open(struct ttp_tracy_in *in, const struct ttp_file *file,
                                      struct ttp_arena *arena, struct ttp_err *err);
void ttp_tracy_close(struct ttp_tracy_in *in);

/* False: there are not as many bytes. */
bool ttp_tracy_get_far(struct ttp_tracy_in *in, void *out, size_t n);
bool ttp_tracy_skip(struct ttp_tracy_in *in, uint64_t n);

static inline bool ttp_tracy_get(struct ttp_tracy_in *in, void *out, size_t n)
{
    if ((size_t)(in->end - in->p) < n)
        return ttp_tracy_get_far(in, out, n);
    memcpy(out, in->p, n);
    in->p += n;
    return true;
}

#endif
