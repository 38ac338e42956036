/* SPDX-License-Identifier: Apache-2.0 */
/* lz4_block.h - a small packer of linked LZ4 blocks, for tests, so that what unpacks them is not
 * tested against the library it uses itself. */
#ifndef TTP_TESTS_LZ4_BLOCK_H
#define TTP_TESTS_LZ4_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#define LZ4_HISTORY 65536

struct lz4_block {
    uint32_t place[4096]; /* position + 1 in `past` of the last sequence with that hash */
    size_t len;           /* of past */
    unsigned char past[LZ4_HISTORY + 262144];
};

/* Room that n plain bytes can need. */
#define LZ4_BLOCK_BOUND(n) ((n) + (n) / 255 + 16)

/* Pack src[0..n), n <= 256 KiB, referring up to 64 KiB back into earlier blocks. */
size_t lz4_block_pack(struct lz4_block *z, unsigned char *out, const unsigned char *src, size_t n);

#endif
