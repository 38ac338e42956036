/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/envelope.h"

#include <math.h>

#include "base/order.h"

/* Keep the two lowest. */
static void lower(double best[2], double v)
{
    if (v < best[0]) {
        best[1] = best[0];
        best[0] = v;
    } else if (v < best[1]) {
        best[1] = v;
    }
}

void ttp_mesh_envelope_make(struct ttp_envelope *e, const struct ttp_roof_point_at *point,
                            size_t points, double slope, struct ttp_arena *arena)
{
    double best[2] = {INFINITY, INFINITY};

    *e = (struct ttp_envelope){.point = point, .points = points, .slope = slope};
    e->left = ttp_arena_raw(arena, points, sizeof(*e->left), alignof(double));
    e->right = ttp_arena_raw(arena, points, sizeof(*e->right), alignof(double));
    for (size_t i = 0; i < points; i++) {
        lower(best, point[i].y - slope * point[i].x);
        e->left[i][0] = best[0];
        e->left[i][1] = best[1];
    }
    best[0] = best[1] = INFINITY;
    for (size_t i = points; i-- > 0;) {
        lower(best, point[i].y + slope * point[i].x);
        e->right[i][0] = best[0];
        e->right[i][1] = best[1];
    }
}

double ttp_mesh_envelope_at(const struct ttp_envelope *e, double x, int depth)
{
    size_t low = 0;
    double best[2] = {INFINITY, INFINITY};

    TTP_BISECT(low, e->points, mid, e->point[mid].x <= x);
    for (int k = 0; k < 2; k++) {
        if (low > 0)
            lower(best, e->left[low - 1][k] + e->slope * x);
        if (low < e->points)
            lower(best, e->right[low][k] - e->slope * x);
    }
    return best[depth - 1];
}
