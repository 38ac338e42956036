/* SPDX-License-Identifier: Apache-2.0 */
/* bench_setup.h - from the options of `tt-perf bench` to the commands to run. */
#ifndef TTP_CLI_BENCH_SETUP_H
#define TTP_CLI_BENCH_SETUP_H

#include "core/cmd.h"
#include "measure/measure.h"
#include "verbs/trial_options.h"

struct bench_opts {
    struct ttp_common_opts common;
    struct trial_opts trials;
    struct trial_place place;
    double min_effect, min_gain; /* as parts */
    const char *prepare;
    bool go_on, check, exhaustive, strict, force;
    struct ttp_words metrics, compare, variants, sweeps;
    const char *bytes_in, *bytes_out, *iterations, *flops, *items, *arch;
    int fidelity;
    double latency_cap_s;
    const char *model, *run_type, *file, *window;
};

#define BENCH_OPTIONS 26
extern const struct ttp_opt bench_options[BENCH_OPTIONS];
extern const struct bench_opts bench_defaults;
extern const char *const bench_fidelities[];

/* Metrics and variants of *b, from the options and the command after "--" (`argv`, NULL at the
 * end, or NULL). The metrics are to be cleared by the caller, also after a failure. */
ttp_code bench_setup(struct ttp_bench *b, const struct bench_opts *o, const char *const *argv,
                     struct ttp_arena *arena, struct ttp_err *err);
ttp_code bench_sweeps(struct ttp_sweep **out, const struct bench_opts *o, struct ttp_arena *arena,
                      struct ttp_err *err);
ttp_code bench_measure_options(struct ttp_measure_options *out, const struct bench_opts *o,
                               struct ttp_err *err);

#endif
