/* SPDX-License-Identifier: Apache-2.0 */
/* bench_fields.h - what a measurement shows, declared. Private to outputs/bench. */
#ifndef TTP_OUTPUTS_BENCH_BENCH_FIELDS_H
#define TTP_OUTPUTS_BENCH_BENCH_FIELDS_H

#include "outputs/outputs.h"

/* One metric of one variant. */
struct ttp_bench_row {
    size_t variant_at, metric_at;
    ttp_str label;
    const char *variant, *metric, *unit;
    const double *value; /* those that count */
    struct ttp_sample sample;
    double half_pct; /* the wider side of the median's interval */
    struct ttp_drift drift;
    bool compared; /* with the first variant */
    struct ttp_versus versus;
    const char *verdict;
};

struct ttp_bench_variant {
    ttp_str label;
    const char *name;
    const char *const *argv;
    size_t words;
    struct ttp_words env;
    const struct ttp_bench_rates *rates;
    struct ttp_records results; /* of its metrics */
};

/* What a run and a point of a sweep have in common; also the context of all that is below. */
struct ttp_bench_run {
    struct ttp_bench bench;
    struct ttp_bench_variant *variant;
    size_t variants;
};

struct ttp_bench_point {
    struct ttp_bench_set {
        ttp_str name, value;
    } * set;
    size_t sets;
    ttp_str name; /* "BATCH=8 SEQ=128" */
    size_t runs;
    double latency_s, half_pct, throughput, gain, roof_pct;
    const char *time_unit, *rate_unit, *failure, *result;
    bool pareto, best;
    struct ttp_bench_run *run;
};

struct ttp_bench_sweep {
    size_t planned;
    const char *stopped, *rate_unit;
    struct ttp_records points;
};

/* A value of one metric in one trial. */
struct ttp_bench_value {
    size_t number;
    const char *variant, *metric, *unit, *failure, *taint;
    ttp_str point;
    int64_t start_ns;
    bool warm_up;
    double value;
};

enum {
    TTP_BENCH_PART_VIEW,
    TTP_BENCH_PART_RUN,
    TTP_BENCH_PART_SWEEP,
    TTP_BENCH_PART_RESULTS,
    TTP_BENCH_PART_POINTS,
    TTP_BENCH_PART_VALUES,
};
extern const struct ttp_fields ttp_bench_row_fields, ttp_bench_point_fields;
extern const struct ttp_page ttp_bench_page; /* its arg is the view */

#endif
