/* SPDX-License-Identifier: Apache-2.0 */
/* lz4_blocks.h - LZ4 blocks that refer to the ones before them, as Tracy packs what it sends and
 * what it stores. The only place that knows the library. */
#ifndef TTP_CAPTURE_LZ4_BLOCKS_H
#define TTP_CAPTURE_LZ4_BLOCKS_H

#include "base/arena.h"
#include "base/err.h"

/* A block on the wire holds at most this many bytes decompressed, and packed. */
#define TTP_WIRE_PLAIN_MAX  ((size_t)256 << 10)
#define TTP_WIRE_PACKED_MAX (TTP_WIRE_PLAIN_MAX + TTP_WIRE_PLAIN_MAX / 255 + 16)

struct ttp_unpacker;

/* For blocks of at most `plain_max` bytes decompressed. In the arena; there is nothing to close. */
struct ttp_unpacker *ttp_capture_unpacker_new(size_t plain_max, struct ttp_arena *arena);
/* Unpack the next block; *out is valid until the one after the next. False: it is none, and
 * nothing that follows can be decompressed either; or a build without LZ4. */
bool ttp_capture_unpacker_run(struct ttp_unpacker *u, ttp_str packed, ttp_str *out);
/* Ready for the first block of another stream. */
void ttp_capture_unpacker_reset(struct ttp_unpacker *u);

struct ttp_packer;

struct ttp_packer *ttp_capture_packer_new(size_t plain_max, struct ttp_arena *arena);
/* Pack the next block of at most plain_max bytes. *out is valid until the next call. */
bool ttp_capture_packer_run(struct ttp_packer *p, ttp_str plain, ttp_str *out);

#endif
