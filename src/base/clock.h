/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the current time. Thread safe. */
#ifndef TTP_BASE_CLOCK_H
#define TTP_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds since some moment in the past (CLOCK_MONOTONIC): for differences only. */
uint64_t ttp_clock_ns(void);
/* Wait at least that long; signals do not shorten it. */
void ttp_clock_sleep_ns(uint64_t ns);

/* Nanoseconds since 1970, UTC: for dates. It may be set back. */
int64_t ttp_clock_unix_ns(void);

#endif
