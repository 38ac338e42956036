/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/trial_options.h"

#define RUNS_MAX    1000000
#define FIELD(name) offsetof(struct trial_opts, name)
static const struct ttp_opt trials[] = {
    TTP_OPTION(INT, "runs", FIELD(runs), "exactly N runs per side", .metavar = "N", .min = 1,
               .max = RUNS_MAX),
    TTP_OPTION(INT, "min-runs", FIELD(min_runs), "at least N (default 5)", .metavar = "N", .min = 1,
               .max = RUNS_MAX),
    TTP_OPTION(INT, "max-runs", FIELD(max_runs),
               "at most N (default 40); fewer once the answer is clear", .metavar = "N", .min = 1,
               .max = RUNS_MAX),
    TTP_OPTION(FLOAT, "max-time", FIELD(max_time_s),
               "stop after S seconds, once there are enough runs to judge (default 300; 0: no "
               "limit)",
               .metavar = "S"),
    TTP_OPTION(INT, "warmup", FIELD(warm_ups), "warm-up runs per side (default 1)", .metavar = "N",
               .max = RUNS_MAX),
    TTP_OPTION(FLOAT, "timeout", FIELD(timeout_s),
               "kill a run after S seconds and count it as failed (default: none)", .metavar = "S"),
    TTP_OPTION(FLOAT, "confidence", FIELD(confidence),
               "confidence of verdicts and intervals (default 0.95)", .metavar = "P"),
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
    TTP_OPTION(FLAG, "show-output", FIELD(show), "copy the output of commands to standard error"),
    TTP_OPTION(FLAG, "no-guard", FIELD(no_guard), "do not watch the machine"),
    TTP_OPTION(STR, "root", FIELD(root), "read sys and proc from this folder", .metavar = "DIR",
               .hidden = true),
};

const struct ttp_opt_table trial_place_options = {place, TTP_COUNT(place)};
