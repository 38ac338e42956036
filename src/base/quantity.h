/* SPDX-License-Identifier: Apache-2.0 */
/* quantity.h - times and sizes for human readers, in a suitable unit. */
#ifndef TTP_BASE_QUANTITY_H
#define TTP_BASE_QUANTITY_H

#include "base/sink.h"

/* A unit of time for a column whose figures are in another. */
struct ttp_time_unit {
    const char *name; /* "ns", "μs", "ms", "s" */
    double per_us;    /* that many of it are a microsecond */
};
/* The unit in which the largest of them has one to five digits before the point. */
struct ttp_time_unit ttp_quantity_time_unit(double largest_us);
/* Microseconds in one of "ns", "us", "ms" and "s"; 0: not a unit of time. */
double ttp_quantity_us_per(const char *unit);

/* "1.35 s", "94.9 ms", "23 μs", "640 ns": three digits, whole below a microsecond. */
void ttp_put_time_us(struct ttp_sink *out, double us);
ttp_str ttp_time_us_text(double us, struct ttp_arena *arena);
/* "1.5 MiB", "117 KiB", "512 B": three digits. */
void ttp_put_bytes(struct ttp_sink *out, double bytes);
ttp_str ttp_bytes_text(double bytes, struct ttp_arena *arena);

#endif
