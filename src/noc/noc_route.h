/* SPDX-License-Identifier: Apache-2.0 */
/* noc_route.h - private to noc: routes as stretches of adjacent links.
 *
 * Links of one direction are kept line by line along the direction of travel, so that a unicast is
 * at most four stretches of memory (each of its two legs may go around the torus once). A device
 * has four planes of cols * rows links: east (row by row), south and north (column by column),
 * west (row by row). */
#ifndef TTP_NOC_NOC_ROUTE_H
#define TTP_NOC_NOC_ROUTE_H

#include "noc/noc.h"

struct ttp_noc_stretch {
    uint32_t at, count;
};

/* A multicast: a trunk and a branch for each line of the rectangle, each in at most two parts. */
#define TTP_NOC_MAX_STRETCHES 64

/* All links of the route, none of them twice; 0: both ends are the same core. */
size_t ttp_noc_stretches(struct ttp_noc_stretch *out, const struct ttp_noc_grid *g,
                         const struct ttp_noc_transfer *t);
/* The same along the way that packets really take: a multicast on NoC 1 goes on to the far side of
 * its rectangle, where tt-npe stops at the near one. */
size_t ttp_noc_true_stretches(struct ttp_noc_stretch *out, const struct ttp_noc_grid *g,
                              const struct ttp_noc_transfer *t);

/* Position in the planes of link k at (x, y) of a device. */
uint32_t ttp_noc_link_at(const struct ttp_noc_grid *g, uint32_t device, int x, int y,
                         enum ttp_noc_link k);
/* Hops of a unicast; coordinates may be anything. */
int64_t ttp_noc_hops(const struct ttp_noc_grid *g, int64_t sx, int64_t sy, int64_t dx, int64_t dy,
                     unsigned noc);

/* What decides which transfers of a core wait for each other: the direction in which it leaves. */
#define TTP_NOC_LOCAL    4
#define TTP_NOC_LEAVINGS 5
/* The first link in tt-npe's order: an enum ttp_noc_link, or TTP_NOC_LOCAL. */
unsigned ttp_noc_leaving(const struct ttp_noc_grid *g, const struct ttp_noc_transfer *t);

#endif
