/* SPDX-License-Identifier: Apache-2.0 */
/* sequence.h - which positions of two sequences are the same. Private to mesh. */
#ifndef TTP_MESH_SEQUENCE_H
#define TTP_MESH_SEQUENCE_H

#include "base/arena.h"

struct ttp_mesh_line {
    const uint64_t *sign;
    const bool *anchor; /* collectives: they are matched first, the rest between them */
    size_t count;
};

/* Longest common subsequence: match[k] is the place in `a` of b's k-th, TTP_NPOS: none. `late`: of
 * several as long the one that lies as far back as it can. False: too long to compare. */
bool ttp_mesh_sequence_common(size_t *match, const struct ttp_mesh_line *a,
                              const struct ttp_mesh_line *b, bool late, struct ttp_arena *scratch);

/* Shifts (place in a = place in b + shift) at which at least 98 % of the common stretch are equal
 * and it has at least half of the shorter one. Returns how many; at most `max` are stored. */
size_t ttp_mesh_sequence_shifts(int64_t *shift, size_t max, const struct ttp_mesh_line *a,
                                const struct ttp_mesh_line *b);

/* After how many the sequence begins again; its length if it does not. */
size_t ttp_mesh_sequence_period(const uint64_t *sign, size_t count);

#endif
