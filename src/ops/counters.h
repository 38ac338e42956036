/* SPDX-License-Identifier: Apache-2.0 */
/* counters.h - private to ops: metrics made of hardware performance counters. */
#ifndef TTP_OPS_COUNTERS_H
#define TTP_OPS_COUNTERS_H

#include "ops/counter_metrics.h"
#include "ops/join.h"

enum { TTP_STAT_MIN, TTP_STAT_MEDIAN, TTP_STAT_MAX, TTP_STAT_AVG, TTP_STATS };

/* Of all metrics of one execution, over its cores; NaN: no core has it. */
struct ttp_counter_row {
    double stat[TTP_METRICS][TTP_STATS];
    double full_grid[3]; /* SFPU, FPU and MATH counts by all cores of the chip; NaN: not counted */
};

/* NULL if no counter was captured. */
struct ttp_counter_tables *ttp_ops_counters_build(const struct ttp_device_log *log,
                                                  bool device_only, bool stock,
                                                  struct ttp_arena *arena);
void ttp_ops_counters_row(struct ttp_counter_row *out, const struct ttp_counter_tables *t,
                          const struct ttp_exec *exec, struct ttp_arena *scratch);

/* How many columns the run's counters give, and their names, in the order of the file. NULL tables
 * have none. */
size_t ttp_ops_counter_columns(const struct ttp_counter_tables *t);
ttp_str ttp_ops_counter_column_name(const struct ttp_counter_tables *t, size_t column);
/* The cell of that column for an op. ptr NULL: empty. */
ttp_str ttp_ops_counter_cell(const struct ttp_counter_tables *t, size_t column,
                             const struct ttp_counter_row *row, const struct ttp_device_op *op,
                             struct ttp_arena *scratch);

#endif
