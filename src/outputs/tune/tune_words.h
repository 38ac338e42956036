/* SPDX-License-Identifier: Apache-2.0 */
/* tune_words.h - wording of a session in text, Markdown and pictures. Private to outputs.
 */
#ifndef TTP_OUTPUTS_TUNE_TUNE_WORDS_H
#define TTP_OUTPUTS_TUNE_TUNE_WORDS_H

#include "outputs/outputs.h"

/* Where the value is after each change. */
struct ttp_tune_stairs {
    size_t count; /* steps: the baseline, then every change that is shown */
    struct ttp_tune_stair {
        uint64_t number; /* of the change; 0: the baseline */
        double best;     /* after it */
        double tried;    /* what the change itself had; NAN: not measured */
        enum ttp_tune_outcome outcome;
    } * at;
    double low, high; /* of all that is drawn */
    const char *metric, *unit;
    bool lower_is_better;
    double goal; /* NAN: none, or too far away to draw */
};
void ttp_tune_stairs(struct ttp_tune_stairs *out, const struct ttp_tune_view *view,
                     struct ttp_arena *arena);

/* "62.0 ms to 43.9 ms: 1.41 times as fast (-29.2 %)". */
ttp_str ttp_tune_gain_text(double from, double to, const struct ttp_tune_figures *f,
                           struct ttp_arena *arena);
/* How far the goal is; empty: there is none. */
ttp_str ttp_tune_goal_text(const struct ttp_tune_session *s, struct ttp_arena *arena);
/* "-12.4 % (between -13.1 % and -11.8 %, p = 0.008, 5 + 5 runs)". */
ttp_str ttp_tune_effect_text(const struct ttp_tune_figures *f, struct ttp_arena *arena);
/* "5 tried: 2 kept, 2 reverted, 1 undecided". */
ttp_str ttp_tune_counts_text(const struct ttp_tune_session *s, struct ttp_arena *arena);
/* "pass, 2 tensors, worst PCC 0.99998". */
ttp_str ttp_tune_gate_text(const struct ttp_tune_gate *g, struct ttp_arena *arena);
/* What production looks like; empty: nothing was said. */
ttp_str ttp_tune_facts_text(const struct ttp_tune_session *s, struct ttp_arena *arena);

/* Steps of this session's kind. */
struct ttp_tune_step_view {
    enum ttp_step step;
    enum ttp_step_state state;
    bool known; /* by a profile, or by a change that names the step */
    ttp_str seen;
};
size_t ttp_tune_steps(struct ttp_tune_step_view out[TTP_STEPS], const struct ttp_tune_view *view,
                      struct ttp_arena *arena);

/* The changes to list: from this one on. */
size_t ttp_tune_first_shown(const struct ttp_tune_view *view);

/* The stairs as lines of text. */
void ttp_tune_chart_text(const struct ttp_show *show, const struct ttp_tune_view *view);

#endif
