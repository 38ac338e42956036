/* SPDX-License-Identifier: Apache-2.0 */
/* tune_fields.h - records that a session of tuning is shown from. Private to outputs/tune. */
#ifndef TTP_OUTPUTS_TUNE_TUNE_FIELDS_H
#define TTP_OUTPUTS_TUNE_TUNE_FIELDS_H

#include "outputs/outputs.h"

/* A metric from the baseline to the best. */
struct ttp_tune_gain {
    const char *metric, *unit;
    enum ttp_better better;
    bool decides;
    double baseline, best, change, speedup;
};

struct ttp_tune_goal {
    const char *text;
    double value, speedup_needed;
    bool reached;
};

struct ttp_tune_head {
    const char *action, *run;
    struct ttp_tune_gain gain[TTP_TUNE_METRICS];
    size_t gains, changes, torn_bytes;
    struct ttp_tune_goal goal;
    bool has_goal, has_pending;
    uint64_t pending, records;
    const struct ttp_tune_change *change;
    const struct ttp_tune_side *best;
    const struct ttp_tune_promise *trial;
};

/* A figure of the profiles of baseline and best; NAN, empty: unknown. */
struct ttp_tune_figure {
    const char *id, *title, *unit;
    double before, after, change;
    ttp_str before_text, after_text;
};
extern const struct ttp_fields ttp_tune_figure_fields;
/* Of a struct ttp_tune_config. */
extern const struct ttp_fields ttp_tune_config_fields;

struct ttp_tune_advice {
    const char *rule, *step, *title, *verify;
    double gain_pct; /* NAN: cannot be estimated */
    ttp_str evidence;
};

enum {
    TTP_TUNE_PART_HEAD,
    TTP_TUNE_PART_SETUP,
    TTP_TUNE_PART_BASELINE,
    TTP_TUNE_PART_FINAL,
    TTP_TUNE_PART_CHANGES,
    TTP_TUNE_PART_STEPS,
    TTP_TUNE_PART_PLAN,
    TTP_TUNE_PART_FIGURES,
    TTP_TUNE_PART_CHECK,
    TTP_TUNE_PART_PRODUCTION,
};

#endif
