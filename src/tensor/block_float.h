/* SPDX-License-Identifier: Apache-2.0 */
/* block_float.h - formats that share one exponent among 16 values, and tiles. Private to tensor.
 *
 * As tt_metal/impl/data_format/blockfloat_common.cpp (tt-metal e4f9f0bb8de) packs them. */
#ifndef TTP_TENSOR_BLOCK_FLOAT_H
#define TTP_TENSOR_BLOCK_FLOAT_H

#include "tensor/tensor.h"

#define TTP_TILE 32 /* rows and columns of the usual tile */
#define TTP_FACE 16 /* of a face, the quarter of a tile; also the values that share an exponent */

/* Mantissa bits, the leading one included; 0: not a block format. */
unsigned ttp_tensor_block_bits(enum ttp_dtype t);

/* 16 values: their exponent (bias 127) and their packed signs and mantissas. */
void ttp_tensor_block_decode(float *out, const unsigned char *packed, unsigned exponent,
                             unsigned bits);
/* n <= 16 values as they would come back from the format; the missing ones count as 0. Returns how
 * many that were not 0 became 0. */
unsigned ttp_tensor_block_squeeze(float *v, size_t n, unsigned bits);

/* Lay out t->shape in tiles of tile[0] x tile[1], dimensions padded to `align` (the last n of
 * them); tile[0] 0: in padded rows instead. Fills stride, tile_*, plane_*. */
TTP_NODISCARD ttp_code ttp_tensor_set_tiles(struct ttp_tensor *t, const uint32_t tile[2],
                                            const uint32_t *align, uint32_t n, struct ttp_err *err);
/* Bytes of one tile, and of all of them. */
uint64_t ttp_tensor_tile_bytes(const struct ttp_tensor *t);
uint64_t ttp_tensor_plane_bytes(const struct ttp_tensor *t);
/* Bytes of exponents at the start of a tile of a block format. */
uint64_t ttp_tensor_tile_exponents(const struct ttp_tensor *t);

#endif
