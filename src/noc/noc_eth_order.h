/* SPDX-License-Identifier: Apache-2.0 */
/* noc_eth_order.h - private to noc: the order in which tt-npe adds up its ethernet cores. */
#ifndef TTP_NOC_NOC_ETH_ORDER_H
#define TTP_NOC_NOC_ETH_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct ttp_eth_core {
    uint16_t device;
    int16_t x, y;
};

/* core[] is in order of first use; order[i] is the position of the one that is added i-th. */
void ttp_noc_eth_order(uint32_t *order, const struct ttp_eth_core *core, size_t n,
                       struct ttp_arena *scratch);

#endif
