/* SPDX-License-Identifier: Apache-2.0 */
/* tune_words.h - wording of a session in text, Markdown and pictures. Private to outputs.
 */
#ifndef TTP_OUTPUTS_TUNE_TUNE_WORDS_H
#define TTP_OUTPUTS_TUNE_TUNE_WORDS_H

#include "outputs/outputs.h"
#include "outputs/tune/tune_fields.h"

/* Where the value is after each change. */
struct ttp_out_tune_stairs {
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
void ttp_out_tune_stairs(struct ttp_out_tune_stairs *out, const struct ttp_tune_view *view,
                         struct ttp_arena *arena);

/* "62.0 ms to 43.9 ms: 1.41 times as fast (-29.2 %)". */
ttp_str ttp_out_tune_gain_text(double from, double to, const struct ttp_tune_figures *f,
                               struct ttp_arena *arena);
/* How far the goal is; empty: none. */
ttp_str ttp_out_tune_goal_text(const struct ttp_tune_session *s, struct ttp_arena *arena);
/* "-12.4 % (between -13.1 % and -11.8 %, p = 0.008, 5 + 5 runs)". */
ttp_str ttp_out_tune_effect_text(const struct ttp_tune_figures *f, struct ttp_arena *arena);
/* "5 tried: 2 kept, 2 reverted, 1 undecided". */
ttp_str ttp_out_tune_counts_text(const struct ttp_tune_session *s, struct ttp_arena *arena);
/* "pass, 2 tensors, worst PCC 0.99998". */
ttp_str ttp_out_tune_gate_text(const struct ttp_tune_gate *g, struct ttp_arena *arena);
/* "dram-sharding, step memory-sharding: use DRAM-sharded matmuls"; empty: no advice. */
ttp_str ttp_out_tune_advice_text(const struct ttp_tune_promise *promise, struct ttp_arena *arena);
/* What the advice of a change promised, and what it saved; empty: it tests none. */
ttp_str ttp_out_tune_promise_text(const struct ttp_tune_session *s, const struct ttp_tune_change *c,
                                  struct ttp_arena *arena);
/* What the open trial promises. */
ttp_str ttp_out_tune_trial_text(const struct ttp_tune_session *s, struct ttp_arena *arena);
/* Sizes and board of production; empty: not given. */
ttp_str ttp_out_tune_facts_text(const struct ttp_tune_session *s, struct ttp_arena *arena);

/* The baseline, the steps of this session's kind as `advise` has them, and the final check. */
#define TTP_TUNE_STEPS (TTP_STEPS + 2)
struct ttp_tune_step_view {
    const char *id, *title;
    enum ttp_step_state state;
    bool known; /* by a profile, or by a change that names the step */
    ttp_str seen;
};
size_t ttp_out_tune_steps(struct ttp_tune_step_view out[TTP_TUNE_STEPS],
                          const struct ttp_tune_view *view, struct ttp_arena *arena);

/* Figures of the profiles that are known; 0: there is no profile. */
size_t ttp_out_tune_figure_rows(struct ttp_tune_figure **out, const struct ttp_tune_session *s,
                                struct ttp_arena *arena);
/* These as a table. */
void ttp_out_tune_put_figures(const struct ttp_show *show, const struct ttp_tune_session *s);

/* The changes to list: from this one on. */
size_t ttp_out_tune_first_shown(const struct ttp_tune_view *view);

/* What the sizes of production mean for the best; in text or Markdown. */
void ttp_out_tune_put_production(const struct ttp_show *show, const struct ttp_tune_production *p);
/* Fields of it. */
extern const struct ttp_fields ttp_tune_production_fields;
/* The session as text or Markdown; `arg` is a struct ttp_tune_view. */
void ttp_out_tune_put_body(const struct ttp_show *show, const void *arg, size_t part,
                           const struct ttp_table *table);
/* The stairs as lines of text. */
void ttp_out_tune_chart_text(const struct ttp_show *show, const struct ttp_tune_view *view);

#endif
