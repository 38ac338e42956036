/* SPDX-License-Identifier: Apache-2.0 */
/* steady.h - bounds of a pair of clocks that keep their rates: the lines that no collective
 * contradicts. Private to mesh. */
#ifndef TTP_MESH_STEADY_H
#define TTP_MESH_STEADY_H

#include "mesh/envelope.h"

struct ttp_steady_line {
    double middle, slope; /* at the middle of the run, and from there to its end */
};

/* All lines that fit lie between these. */
struct ttp_steady {
    struct ttp_steady_line *corner;
    size_t corners; /* 0: no line fits */
    double middle, half;
};

/* Points as for envelopes: roofs, and floors with their sign turned. */
struct ttp_steady_points {
    const struct ttp_roof_point_at *roof, *floor;
    size_t roofs, floors;
    double rate; /* the most that the difference of the clocks may change in a nanosecond */
};
void ttp_mesh_steady_make(struct ttp_steady *out, const struct ttp_steady_points *in,
                          struct ttp_arena *arena);
void ttp_mesh_steady_bounds(const struct ttp_steady *s, double x, double *low, double *high);

#endif
