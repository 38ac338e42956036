/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/trial_options.h"

#define RUNS_MAX    1000000
#define FIELD(name) offsetof(struct trial_opts, name)
static const struct ttp_opt trials[] = {
    {.name = "runs",
     .offset = FIELD(runs),
     .type = TTP_OPT_INT,
     .metavar = "N",
     .min = 1,
     .max = RUNS_MAX,
     .help = "exactly N runs per side"},
    {.name = "min-runs",
     .offset = FIELD(min_runs),
     .type = TTP_OPT_INT,
     .metavar = "N",
     .min = 1,
     .max = RUNS_MAX,
     .help = "at least N (default 5)"},
    {.name = "max-runs",
     .offset = FIELD(max_runs),
     .type = TTP_OPT_INT,
     .metavar = "N",
     .min = 1,
     .max = RUNS_MAX,
     .help = "at most N (default 40); fewer once the answer is clear"},
    {.name = "max-time",
     .offset = FIELD(max_time_s),
     .type = TTP_OPT_FLOAT,
     .metavar = "S",
     .help = "stop after S seconds, once there are enough runs to judge (default 300; 0: no "
             "limit)"},
    {.name = "warmup",
     .offset = FIELD(warm_ups),
     .type = TTP_OPT_INT,
     .metavar = "N",
     .max = RUNS_MAX,
     .help = "warm-up runs per side (default 1)"},
    {.name = "timeout",
     .offset = FIELD(timeout_s),
     .type = TTP_OPT_FLOAT,
     .metavar = "S",
     .help = "kill a run after S seconds and count it as failed (default: none)"},
    {.name = "confidence",
     .offset = FIELD(confidence),
     .type = TTP_OPT_FLOAT,
     .metavar = "P",
     .help = "confidence of verdicts and intervals (default 0.95)"},
};

const struct ttp_opt_table trial_options = {trials, TTP_COUNT(trials)};

/* More seconds than anybody waits. */
#define TIME_MAX_S 1e8

ttp_code trial_settle(struct trial_opts *out, const struct trial_opts *given, struct ttp_err *err)
{
    *out = *given;
    if (out->runs)
        out->min_runs = out->max_runs = out->runs;
    if (out->max_runs < out->min_runs)
        out->max_runs = out->min_runs;
    if (!(out->confidence >= 0.5 && out->confidence < 1))
        return ttp_fail(err, TTP_EUSAGE, "--confidence must be at least 0.5 and less than 1");
    if (!(out->timeout_s >= 0 && out->timeout_s <= TIME_MAX_S) ||
        !(out->max_time_s >= 0 && out->max_time_s <= TIME_MAX_S))
        return ttp_fail(err, TTP_EUSAGE, "times must be 0 or more seconds");
    return TTP_OK;
}

#undef FIELD
#define FIELD(name) offsetof(struct trial_place, name)
static const struct ttp_opt place[] = {
    {.name = "show-output",
     .offset = FIELD(show),
     .type = TTP_OPT_FLAG,
     .help = "copy the output of commands to standard error"},
    {.name = "no-guard",
     .offset = FIELD(no_guard),
     .type = TTP_OPT_FLAG,
     .help = "do not watch the machine"},
    {.name = "root",
     .offset = FIELD(root),
     .type = TTP_OPT_STR,
     .metavar = "DIR",
     .hidden = true,
     .help = "read sys and proc from this folder"},
};

const struct ttp_opt_table trial_place_options = {place, TTP_COUNT(place)};
