/* SPDX-License-Identifier: Apache-2.0 */
/* measure_text.h - a measured value in a unit that is only known at run time. Private to outputs.
 */
#ifndef TTP_OUTPUTS_SHOW_MEASURE_TEXT_H
#define TTP_OUTPUTS_SHOW_MEASURE_TEXT_H

#include "base/arena.h"
#include "base/str.h"

/* "1.235 ms", "42.1 tokens/s": times in the unit that suits them. */
ttp_str ttp_out_measure_text(double v, const char *unit, struct ttp_arena *arena);
/* The same with enough digits to see differences of `step`. */
ttp_str ttp_out_bench_measure_text(double v, double step, const char *unit,
                                   struct ttp_arena *arena);

#endif
