/* SPDX-License-Identifier: Apache-2.0 */
/* diff_align.h - pairing two sequences in order. Private to diff. */
#ifndef TTP_DIFF_DIFF_ALIGN_H
#define TTP_DIFF_DIFF_ALIGN_H

#include "base/sym.h"

/* Equal numbers may be paired. Level 0 is the strictest; pairs found there are never given up for
 * those of a later one, which only fill what is left between them. */
#define TTP_ALIGN_LEVELS 3

struct ttp_sequence {
    const ttp_sym *key[TTP_ALIGN_LEVELS];
    size_t count;
};

/* partner[i]: the position in `b` that position i of `a` is paired with, or UINT32_MAX. Pairs do
 * not cross. Keys are below `keys[level]`. */
void ttp_diff_align(uint32_t *partner, const struct ttp_sequence *a, const struct ttp_sequence *b,
                    const uint32_t keys[TTP_ALIGN_LEVELS], struct ttp_arena *arena);

#endif
