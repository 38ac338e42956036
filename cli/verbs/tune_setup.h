/* SPDX-License-Identifier: Apache-2.0 */
/* tune_setup.h - from the options of `tt-perf tune`, and answers on a terminal, to the setup of a
 * session.
 */
#ifndef TTP_CLI_TUNE_SETUP_H
#define TTP_CLI_TUNE_SETUP_H

#include "core/cmd.h"
#include "tune/tune.h"
#include "verbs/trial_options.h"

/* Positions in tune_actions. */
enum tune_action {
    TUNE_INIT,
    TUNE_TRY,
    TUNE_STATUS,
    TUNE_REPORT,
    TUNE_UNDO,
    TUNE_SWEEP,
    TUNE_CLEAN,
    TUNE_ACTIONS,
};
extern const char *const tune_actions[];
/* Modes of --profile, of which the first lets us choose. */
extern const char *const tune_profile_modes[];

struct tune_opts {
    struct ttp_common_opts common;
    const char *command, *build, *check, *metric, *golden, *outputs, *goal;
    const char *data, *board, *run, *step, *patch, *env, *git, *svg, *state, *window;
    int kind, profile;
    struct ttp_words links, sets, envs;
    double pcc, frobenius;
    double min_effect; /* as a part */
    struct trial_opts trials;
    struct trial_place place;
    int64_t chips, advice, id;
    bool keep_edit, force, start_over, rerun, configs;
};

#define TUNE_OPTIONS 35
extern const struct ttp_opt tune_options[TUNE_OPTIONS];
extern const struct tune_opts tune_defaults;

/* TTP_EUSAGE: an option that this action does not know. */
ttp_code tune_check_options(const struct tune_opts *o, enum tune_action action,
                            struct ttp_arena *arena, struct ttp_err *err);
/* The setup of a new session. `argv`: the command after "--", NULL at the end, or NULL. What is
 * missing is asked for if standard input and error are terminals. Paths are from the root. */
ttp_code tune_make_setup(struct ttp_tune_setup *out, const struct tune_opts *o,
                         const char *const *argv, const struct ttp_ctx *ctx, struct ttp_err *err);

#endif
