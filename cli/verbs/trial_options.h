/* SPDX-License-Identifier: Apache-2.0 */
/* trial_options.h - options of verbs that run a command repeatedly: number of runs, confidence. */
#ifndef TTP_CLI_TRIAL_OPTIONS_H
#define TTP_CLI_TRIAL_OPTIONS_H

#include "core/opts.h"

struct trial_opts {
    int64_t runs; /* 0: from min_runs to max_runs, as many as it takes */
    int64_t min_runs, max_runs, warm_ups;
    double max_time_s, timeout_s, confidence;
};
extern const struct ttp_opt_table trial_options;

#define TRIAL_DEFAULTS                                                                             \
    {                                                                                              \
        .min_runs = 5, .max_runs = 40, .warm_ups = 1, .max_time_s = 300, .confidence = 0.95        \
    }

/* The same with `runs` put into min_runs and max_runs. TTP_EUSAGE: a number out of its range. */
ttp_code trial_settle(struct trial_opts *out, const struct trial_opts *given, struct ttp_err *err);

/* What is around a run of the command. */
struct trial_place {
    bool show, no_guard;
    const char *root; /* whose sys and proc are watched; NULL: this machine's */
};
extern const struct ttp_opt_table trial_place_options;

#endif
