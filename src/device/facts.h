/* SPDX-License-Identifier: Apache-2.0 */
/* facts.h - figures that rows of architectures and rows of boards share. Private to device. */
#ifndef TTP_DEVICE_FACTS_H
#define TTP_DEVICE_FACTS_H

/* Per chip. Boards: the vendor's product pages; architectures: tt-perf-report uses the same. */
#define WORMHOLE_DRAM_GBS    288 /* 6 channels of GDDR6 at 12 GT/s */
#define WORMHOLE_DRAM_BANKS  12
#define BLACKHOLE_DRAM_GBS   512 /* 8 channels at 16 GT/s */
#define BLACKHOLE_DRAM_BANKS 8
#define P100_DRAM_GBS        448 /* one channel fewer */
#define P100_DRAM_BANKS      7
/* Ethernet, one link and direction: 100 and 400 Gb/s. A hop in one dimension; in two it takes 874
 * and 619 ns. */
#define WORMHOLE_LINK_GBS  12.5
#define WORMHOLE_HOP_NS    711
#define BLACKHOLE_LINK_GBS 50
#define BLACKHOLE_HOP_NS   515

#endif
