/* SPDX-License-Identifier: Apache-2.0 */
/* noc_ethernet.h - bytes from chip to chip, by sending and receiving cores. Private to
 * outputs. */
#ifndef TTP_OUTPUTS_NOC_NOC_ETHERNET_H
#define TTP_OUTPUTS_NOC_NOC_ETHERNET_H

#include "noc/noc.h"

struct ttp_noc_place {
    unsigned device;
    int x, y;
};
struct ttp_noc_hop_bytes {
    struct ttp_noc_place from, to;
    uint64_t bytes;
};
struct ttp_noc_ethernet {
    struct ttp_noc_hop_bytes *hop; /* one per direction of a link, by place */
    size_t count;
};

/* A packet of the fabric that continues on another chip went from the core where the stretch before
 * ended to the core where the next one begins. */
void ttp_out_noc_find_ethernet(struct ttp_noc_ethernet *out, const struct ttp_noc_load *load,
                               struct ttp_arena *arena);
/* Put chips that exchange data next to each other: along the line or ring that they form, from an
 * end of it. Those without a link keep their order. */
void ttp_out_noc_order_chips(unsigned *chip, size_t count, const struct ttp_noc_ethernet *ethernet);

#endif
