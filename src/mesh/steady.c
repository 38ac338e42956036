/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/steady.h"

#include <math.h>

/* As much may be rounding of cycles. */
#define SLACK_NS 2.0

/* sign * (middle + slope * at) <= most */
struct limit {
    double sign, at, most;
};

static double beyond(const struct limit *l, const struct ttp_steady_line *line)
{
    return l->sign * (line->middle + line->slope * l->at) - l->most;
}

/* The part of a convex polygon that keeps to the limit. `to` has room for one corner more. */
static size_t clip(struct ttp_steady_line *to, const struct ttp_steady_line *from, size_t n,
                   const struct limit *l)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        const struct ttp_steady_line *a = &from[i], *b = &from[(i + 1) % n];
        const double over_a = beyond(l, a), over_b = beyond(l, b);
        if (over_a <= 0)
            to[kept++] = *a;
        if ((over_a <= 0) == (over_b <= 0))
            continue;
        const double part = over_a / (over_a - over_b);
        to[kept++] = (struct ttp_steady_line){a->middle + part * (b->middle - a->middle),
                                              a->slope + part * (b->slope - a->slope)};
    }
    return kept;
}

static void span(struct ttp_steady *s, const struct ttp_steady_points *in, double *highest)
{
    double first = INFINITY, last = -INFINITY;

    for (size_t k = 0; k < in->roofs + in->floors; k++) {
        const struct ttp_roof_point_at *p =
            k < in->roofs ? &in->roof[k] : &in->floor[k - in->roofs];
        first = fmin(first, p->x);
        last = fmax(last, p->x);
        *highest = fmax(*highest, fabs(p->y));
    }
    s->middle = (first + last) / 2;
    s->half = fmax((last - first) / 2, 1);
}

void ttp_mesh_steady_make(struct ttp_steady *out, const struct ttp_steady_points *in,
                          struct ttp_arena *arena)
{
    const size_t room = in->roofs + in->floors + 5;
    struct ttp_steady_line *now = TTP_NEW(arena, struct ttp_steady_line, room),
                           *next = TTP_NEW(arena, struct ttp_steady_line, room);
    double highest = 0;

    *out = (struct ttp_steady){.corners = 0};
    if (in->roofs == 0 || in->floors == 0)
        return;
    span(out, in, &highest);
    const double steep = in->rate * out->half, far = highest + steep + 1;
    size_t n = 0;
    now[n++] = (struct ttp_steady_line){-far, -steep};
    now[n++] = (struct ttp_steady_line){far, -steep};
    now[n++] = (struct ttp_steady_line){far, steep};
    now[n++] = (struct ttp_steady_line){-far, steep};
    for (size_t k = 0; k < in->roofs + in->floors && n; k++) {
        const bool roof = k < in->roofs;
        const struct ttp_roof_point_at *p = roof ? &in->roof[k] : &in->floor[k - in->roofs];
        const struct limit l = {roof ? 1 : -1, (p->x - out->middle) / out->half, p->y + SLACK_NS};
        n = clip(next, now, n, &l);
        struct ttp_steady_line *spare = now;
        now = next;
        next = spare;
    }
    out->corner = now;
    out->corners = n;
}

void ttp_mesh_steady_bounds(const struct ttp_steady *s, double x, double *low, double *high)
{
    const double at = (x - s->middle) / s->half;

    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < s->corners; i++) {
        const double v = s->corner[i].middle + s->corner[i].slope * at;
        *low = fmin(*low, v);
        *high = fmax(*high, v);
    }
}
