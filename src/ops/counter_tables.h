/* SPDX-License-Identifier: Apache-2.0 */
/* counter_tables.h - private to the counter files of ops. */
#ifndef TTP_OPS_COUNTER_TABLES_H
#define TTP_OPS_COUNTER_TABLES_H

#include "ops/counters.h"

#define NO_COUNTER UINT32_MAX

/* The three whose average is shown by the whole chip instead. */
#define FULL_GRID 3

struct device_facts {
    bool any;
    bool *present;   /* by counter */
    double *sum;     /* of values, by counter */
    uint64_t *order; /* in which executions and cores report it, as a hash, by counter */
    bool has[TTP_METRICS];
    bool in_time_order[TTP_METRICS];
};

struct counter_column {
    size_t metric;
    int stat;
    ttp_str name;
};

struct ttp_counter_tables {
    const struct ttp_device_log *log;
    bool zero_missing; /* counters that the run lacks are 0 */
    uint32_t ncounters;
    ttp_sym counter[TTP_METRICS][TTP_METRIC_COUNTERS]; /* NO_COUNTER: not in the run */
    uint32_t *sample; /* positions in log->sample, by execution, cores together */
    uint32_t *first;  /* of each execution */
    struct device_facts *device;
    struct counter_column *column;
    size_t ncolumns;
};

/* Counters of one core. */
struct core_values {
    const struct ttp_counter_tables *tables;
    const struct device_facts *device;
    double *value, *reference; /* NaN: not sampled */
    uint64_t *cycle;
};

/* Was the metric's i-th counter captured on the device; and did it ever count? */
bool ttp_ops_counter_captured(const struct ttp_counter_tables *t, const struct device_facts *d,
                              size_t metric, size_t i);
bool ttp_ops_counter_counted(const struct ttp_counter_tables *t, const struct device_facts *d,
                             size_t metric, size_t i);
/* A metric of one core, NaN or infinite if it has none; `before` holds those before it. */
double ttp_ops_counter_evaluate(const struct core_values *v, size_t metric, const double *before);
/* Sorts v; n > 0. */
double ttp_ops_counter_median(double *v, size_t n);
/* After the last of the samples, from `from` on, that are of the same core and execution. */
size_t ttp_ops_counter_core_end(const struct ttp_counter_tables *t, size_t from, size_t end);

#endif
