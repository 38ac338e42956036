/* SPDX-License-Identifier: Apache-2.0 */
/* tile_bytes.h - sizes of tiles. Private to fit. */
#ifndef TTP_FIT_TILE_BYTES_H
#define TTP_FIT_TILE_BYTES_H

#include "fit/fit.h"

/* Bytes of one tile, as tt-metal packs it: block formats have one exponent byte for 16 values of a
 * row, padded to the alignment of L1, then the mantissas. 0: not a format that tiles have. */
uint64_t ttp_fit_tile_bytes(enum ttp_dtype type, struct ttp_fit_tile tile);

#endif
