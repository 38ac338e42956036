/* SPDX-License-Identifier: Apache-2.0 */
/* envelope.h - the lowest upper bound over a line, given points and a maximum slope. Private to
 * mesh.
 */
#ifndef TTP_MESH_ENVELOPE_H
#define TTP_MESH_ENVELOPE_H

#include "base/arena.h"

struct ttp_roof_point_at {
    double x, y;
    uint32_t witness; /* index, for whoever put it there */
};

/* For each point the two lowest of those up to it and from it on. */
struct ttp_envelope {
    const struct ttp_roof_point_at *point; /* by x */
    size_t points;
    double slope;
    double (*left)[2], (*right)[2];
};

/* Points must be in order of x. */
void ttp_mesh_envelope_make(struct ttp_envelope *e, const struct ttp_roof_point_at *point,
                            size_t points, double slope, struct ttp_arena *arena);
/* The depth-th lowest (1 or 2) of y + slope * |x - x_k|; INFINITY: there are not that many. */
double ttp_mesh_envelope_at(const struct ttp_envelope *e, double x, int depth);

#endif
