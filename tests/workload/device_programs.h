/* SPDX-License-Identifier: Apache-2.0 */
/* device_programs.h - programs that ran on chips, as the real-time profiler of tt-metal tells them
 * to Tracy: items of protocol 66 of the fork. */
#ifndef TTP_TESTS_DEVICE_PROGRAMS_H
#define TTP_TESTS_DEVICE_PROGRAMS_H

#include "tracy_client.h"

/* What is told of `chips` chips for that long, a record of 10 ms every 20 ms on each: all of them
 * are busy half of the time. */
void device_programs_send(struct tc_client *c, uint16_t chips, int64_t ms);

#endif
