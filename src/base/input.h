/* SPDX-License-Identifier: Apache-2.0 */
/* input.h - any input as a sequence of blocks: a file, '-' (standard input), a pipe, .gz, .zst.
 *
 * A plain file is mapped and its pages are released as blocks are released, so a large log costs
 * a few windows of memory; it is read up to the size it had when opened, and must not be truncated
 * while blocks are held (SIGBUS, see map_guard.h; noticed between blocks it is TTP_EIO). Everything
 * else goes through buffers of the same size. Compression is recognised by the first bytes, not by
 * the name.
 */
#ifndef TTP_BASE_INPUT_H
#define TTP_BASE_INPUT_H

#include "base/err.h"
#include "base/str.h"

struct ttp_arena;
struct ttp_input;

/* Consecutive bytes of the (decompressed) input. */
struct ttp_block {
    ttp_str text;
    uint64_t offset; /* of text.ptr[0] in the decompressed input */
    bool last;
    void *owner; /* private to the input */
};

/* How many leading bytes of `text` make a good block; 0 asks for more text. Called with more and
 * more text until it returns more than 0 or the input ends; the rest begins the next block (for a
 * stream it is copied, so take as much as possible). With `last` all is taken, whatever it returns.
 * NULL instead of a function: any cut is good. */
typedef size_t ttp_cut_fn(ttp_str text, bool last, void *arg);
/* Whole lines. */
size_t ttp_input_cut_lines(ttp_str text, bool last, void *arg);

/* TTP_EIO: cannot open or read. TTP_EPARSE: not what the compression promises (also from _next).
 * TTP_EMISSING: compressed, but this build has no library for it. `window` is the usual block size
 * in bytes (0: 4 MiB). A byte order mark at the start is skipped when `skip_bom`. */
TTP_NODISCARD ttp_code ttp_input_open(struct ttp_input **out, const char *path, size_t window,
                                      bool skip_bom, struct ttp_err *err);
/* The next block; *more is false, and *out empty, when nothing is left. An empty input has no
 * block. TTP_ELIMIT: `cut` wants more than 1 GiB at once. One thread calls this. */
TTP_NODISCARD ttp_code ttp_input_next(struct ttp_input *in, struct ttp_block *out, bool *more,
                                      ttp_cut_fn *cut, void *arg, struct ttp_err *err);
/* Release a block and its text. Any thread, in any order. */
void ttp_input_release(struct ttp_input *in, struct ttp_block *block);
/* Size on disk in bytes, 0 when unknown; and how much of it has been handed out, for progress. */
uint64_t ttp_input_size(const struct ttp_input *in);
uint64_t ttp_input_position(const struct ttp_input *in);
/* All blocks must have been released. NULL is fine. */
void ttp_input_close(struct ttp_input *in);

/* What is done with a block. */
typedef ttp_code ttp_block_fn(void *arg, ttp_str text, struct ttp_err *err);
/* A whole input on the calling thread: `use` gets one block after the other, with the same `arg` as
 * `cut`, until it fails. A byte order mark is skipped. Failures name `path`. */
TTP_NODISCARD ttp_code ttp_input_each(const char *path, ttp_cut_fn *cut, ttp_block_fn *use,
                                      void *arg, struct ttp_err *err);

/* Maximum size of an input, and the error text for a larger one. */
struct ttp_input_bound {
    size_t bytes;
    const char *fault;
};
/* All of an input, in the arena. TTP_ELIMIT: larger than `bound`, which may be NULL. */
TTP_NODISCARD ttp_code ttp_input_all(ttp_str *out, const char *path,
                                     const struct ttp_input_bound *bound, struct ttp_arena *arena,
                                     struct ttp_err *err);

/* "zlib" and "zstd": is it part of this build? */
bool ttp_input_supports(const char *library);

#endif
