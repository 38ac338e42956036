/* SPDX-License-Identifier: Apache-2.0 */
/* noc_route.h - private to noc: routes as legs along the lines of the torus. */
#ifndef TTP_NOC_NOC_ROUTE_H
#define TTP_NOC_NOC_ROUTE_H

#include "noc/noc.h"

/* Adjacent links of one direction in one line: a row for east and west, a column for south and
 * north. `from` is the first place in the line, in order of coordinates, not of travel; after the
 * last place the leg continues at 0. */
struct ttp_noc_leg {
    uint8_t link; /* enum ttp_noc_link */
    uint8_t line, from, count;
};

/* A unicast has two; a multicast a trunk and a branch for each line of its rectangle. */
#define TTP_NOC_MAX_LEGS 32

/* All links of the route, none of them twice; 0: both ends are the same core. */
size_t ttp_noc_legs(struct ttp_noc_leg *out, const struct ttp_noc_grid *g,
                    const struct ttp_noc_transfer *t);
/* The same along the way that packets really take: a multicast on NoC 1 continues to the far side
 * of its rectangle, where tt-npe stops at the near one. */
size_t ttp_noc_true_legs(struct ttp_noc_leg *out, const struct ttp_noc_grid *g,
                         const struct ttp_noc_transfer *t);

/* Whether the lines of such links are rows. */
static inline bool ttp_noc_along_rows(unsigned link)
{
    return link == TTP_LINK_NOC0_EAST || link == TTP_LINK_NOC1_WEST;
}

/* Hops of a unicast; coordinates may be anything. */
int64_t ttp_noc_hops(const struct ttp_noc_grid *g, int64_t sx, int64_t sy, int64_t dx, int64_t dy,
                     unsigned noc);

/* What decides which transfers of a core wait for each other: the direction in which it leaves. */
#define TTP_NOC_LOCAL    4
#define TTP_NOC_LEAVINGS 5
/* The first link in tt-npe's order: an enum ttp_noc_link, or TTP_NOC_LOCAL. */
unsigned ttp_noc_leaving(const struct ttp_noc_grid *g, const struct ttp_noc_transfer *t);

#endif
