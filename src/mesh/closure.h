/* SPDX-License-Identifier: Apache-2.0 */
/* closure.h - bounds of all clocks against each other at one moment, from those of pairs. Private
 * to mesh. */
#ifndef TTP_MESH_CLOSURE_H
#define TTP_MESH_CLOSURE_H

#include "mesh/pairs.h"

struct ttp_closure {
    const struct ttp_mesh_pairs *pairs;
    size_t devices;
    double *edge;    /* two for each pair: j - i at most, i - j at most */
    double *all;     /* [a * devices + b]: theta_b - theta_a is at most this; NULL: too many */
    double worst_ns; /* the largest inconsistency met */
};

void ttp_mesh_closure_open(struct ttp_closure *c, const struct ttp_mesh_pairs *pairs,
                           size_t devices, struct ttp_arena *arena);
/* Bounds at own times `x`, by device. */
void ttp_mesh_closure_set(struct ttp_closure *c, const double *x);
/* out[b]: theta_b - theta_from is at most this; `to`: theta_from - theta_b instead. */
void ttp_mesh_closure_row(struct ttp_closure *c, uint32_t from, bool to, double *out);

#endif
