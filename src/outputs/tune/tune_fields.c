/* SPDX-License-Identifier: Apache-2.0 */
/* tune_fields.c - what a session of tuning shows, declared. */
#include "outputs/tune/tune_fields.h"

#include <math.h>

#include "outputs/tune/tune_words.h"

static const char *const better_words[] = {
    [TTP_BETTER_LOWER] = "lower", [TTP_BETTER_HIGHER] = "higher"};

/* ---- sides ---- */

#define SIDE struct ttp_tune_side
static const struct ttp_field side_fields[] = {
    TTP_WORDS("commit", TTP_FIGURE(SIDE, commit)),
    TTP_WORDS("command", TTP_FIGURE(SIDE, command)),
    {.id = "environment", TTP_ROWS_AT(SIDE, env.word, env.count, ttp_bare_cstr)},
};
static const struct ttp_fields side = {TTP_FIELDS(side_fields)};

#define STAT struct ttp_tune_stat
static const struct ttp_field stat_fields[] = {
    TTP_INT("runs", "", TTP_FIGURE(STAT, n)),
    TTP_REAL("min", "", 0, TTP_FIGURE(STAT, min)),
    TTP_REAL("median", "", 0, TTP_FIGURE(STAT, median)),
    TTP_REAL("mean", "", 0, TTP_FIGURE(STAT, mean)),
    TTP_REAL("std", "", 0, TTP_FIGURE(STAT, sd)),
    TTP_REAL("p95", "", 0, TTP_FIGURE(STAT, p95)),
    TTP_REAL("scatter_percent", "%", 0, TTP_FIGURE(STAT, scatter), .scale = 100,
             .help = "of single runs: 1.4826 MAD"),
};
static const struct ttp_fields stat = {TTP_FIELDS(stat_fields)};

TTP_GET(get_verdict, void, struct ttp_tune_figures,
        ttp_value_text(ttp_str_from(ttp_measure_verdict_word(r->verdict, r->better))))

/* Measurements of two sides, under the names that they have there. */
#define FIGURES  struct ttp_tune_figures
#define MEASURED struct ttp_tune_measured
#define DECLARE_MEASURED(name, one, two)                                                           \
    static const struct ttp_field name##_metric_fields[] = {                                       \
        TTP_WORDS("name", TTP_FIGURE(FIGURES, metric)),                                            \
        TTP_WORDS("unit", TTP_FIGURE(FIGURES, unit)),                                              \
        {.id = "better", TTP_WORD(FIGURES, better, better_words)},                                 \
        {.id = (one), TTP_OBJECT_HERE(FIGURES, side[0], stat)},                                    \
        {.id = (two), TTP_OBJECT_HERE(FIGURES, side[1], stat)},                                    \
        TTP_REAL("change_percent", "%", 0, TTP_FIGURE(FIGURES, change), .scale = 100),             \
        TTP_REAL("change_low_percent", "%", 0, TTP_FIGURE(FIGURES, low), .scale = 100),            \
        TTP_REAL("change_high_percent", "%", 0, TTP_FIGURE(FIGURES, high), .scale = 100),          \
        TTP_REAL("p", "", 0, TTP_FIGURE(FIGURES, p)),                                              \
        {.id = "verdict", .type = TTP_TEXT, .get = get_verdict},                                   \
        TTP_INT("more_runs", "", TTP_FIGURE(FIGURES, more_runs)),                                  \
    };                                                                                             \
    static const struct ttp_fields name##_metrics = {TTP_FIELDS(name##_metric_fields)};            \
    static const struct ttp_field name##_fields[] = {                                              \
        TTP_REAL("noise_percent", "%", 0, TTP_FIGURE(MEASURED, noise), .scale = 100),              \
        TTP_INT("doubtful_runs", "", TTP_FIGURE(MEASURED, tainted)),                               \
        TTP_WORDS("doubt", TTP_FIGURE(MEASURED, taint)),                                           \
        {.id = "metrics", TTP_ROWS_HERE(MEASURED, of, count, name##_metrics)},                     \
    };                                                                                             \
    static const struct ttp_fields name = {TTP_FIELDS(name##_fields)};
DECLARE_MEASURED(candidate, "best", "candidate")
DECLARE_MEASURED(baseline, "first", "again")
DECLARE_MEASURED(final, "baseline", "best")

/* ---- changes ---- */

#define CHANGE struct ttp_tune_change
TTP_GET(get_kind, void, CHANGE, ttp_value_text(ttp_str_from(ttp_tune_kind_name(r->kind))))
TTP_GET(get_outcome, void, CHANGE, ttp_value_text(ttp_str_from(ttp_tune_outcome_name(r->outcome))))
TTP_GET(get_change, void, CHANGE,
        ttp_value_f64(r->measured.count ? r->measured.of[0].change * 100 : NAN))
TTP_GET(get_value, void, CHANGE,
        ttp_value_f64(r->measured.count ? r->measured.of[0].side[1].median : NAN))

static enum ttp_tone outcome_tone(const void *context, const void *row)
{
    const enum ttp_tune_outcome o = ((const CHANGE *)row)->outcome;

    (void)context;
    return o == TTP_TUNE_KEPT                                 ? TTP_TONE_GOOD
           : o == TTP_TUNE_UNDECIDED || o == TTP_TUNE_PENDING ? TTP_TONE_WARN
                                                              : TTP_TONE_BAD;
}

TTP_LISTER(list_measured, CHANGE, candidate, context, &r->measured, r->measured.count ? 1 : 0)
TTP_LISTER(list_side, CHANGE, side, context, &r->side, r->side.command ? 1 : 0)

#define GATE struct ttp_tune_gate
static const struct ttp_field gate_fields[] = {
    TTP_FLAG("pass", TTP_FIGURE(GATE, pass)),
    TTP_INT("tensor_count", "", TTP_FIGURE(GATE, tensors)),
    TTP_REAL("worst_pcc", "", 0, TTP_FIGURE(GATE, worst_pcc)),
    TTP_WORDS("worst_tensor", TTP_FIGURE(GATE, worst)),
    TTP_WORDS("worst_tile", TTP_FIGURE(GATE, tile), .help = "index of its first element, error"),
    TTP_WORDS("reason", TTP_FIGURE(GATE, reason)),
};
static const struct ttp_fields gate = {TTP_FIELDS(gate_fields)};

#define CONFIG struct ttp_tune_config
static const struct ttp_field config_fields[] = {
    TTP_WORDS("config", TTP_FIGURE(CONFIG, config), .help = "as tt-perf config check reads it"),
    TTP_WORDS("python", TTP_FIGURE(CONFIG, python), .help = "to paste"),
    TTP_REAL("predicted_us", "us", 0, TTP_FIGURE(CONFIG, predicted_us)),
    TTP_REAL("low_us", "us", 0, TTP_FIGURE(CONFIG, low_us)),
    TTP_REAL("high_us", "us", 0, TTP_FIGURE(CONFIG, high_us)),
};
const struct ttp_fields ttp_tune_config_fields = {TTP_FIELDS(config_fields)};

#define PROMISE struct ttp_tune_promise
TTP_LISTER(list_config, PROMISE, ttp_tune_config_fields, context, &r->best, r->best.config ? 1 : 0)

static const struct ttp_field promise_fields[] = {
    TTP_WORDS("rule", TTP_FIGURE(PROMISE, rule)),
    TTP_INT("number", "", TTP_FIGURE(PROMISE, number), .help = "in the plan"),
    TTP_WORDS("title", TTP_FIGURE(PROMISE, title)),
    TTP_WORDS("step", TTP_FIGURE(PROMISE, step)),
    TTP_WORDS("evidence", TTP_FIGURE(PROMISE, evidence)),
    TTP_REAL("gain_us", "us", 0, TTP_FIGURE(PROMISE, gain_us), .help = "0: not estimated"),
    TTP_REAL("gain_percent", "%", 0, TTP_FIGURE(PROMISE, gain_pct), .help = "of the iteration"),
    TTP_REAL("device_percent", "%", 0, TTP_FIGURE(PROMISE, device_pct),
             .help = "of its device time"),
    TTP_REAL("low_percent", "%", 0, TTP_FIGURE(PROMISE, low_part), .scale = 100,
             .help = "lower bound of that gain"),
    TTP_REAL("high_percent", "%", 0, TTP_FIGURE(PROMISE, high_part), .scale = 100,
             .help = "upper bound of that gain"),
    TTP_INT("id", "", TTP_FIGURE(PROMISE, op_id)),
    TTP_WORDS("op", TTP_FIGURE(PROMISE, op)),
    TTP_REAL("device_us", "us", 0, TTP_FIGURE(PROMISE, op_us)),
    TTP_LISTED("config", TTP_OBJECT, list_config, ttp_tune_config_fields,
               .help = "that tt-perf config proposes for the op"),
    TTP_FLAG("pays", TTP_FIGURE(PROMISE, pays),
             .help = "it is faster by more than the error of the model"),
};
static const struct ttp_fields promise = {TTP_FIELDS(promise_fields)};

TTP_LISTER(list_promise, CHANGE, promise, context, &r->promise, r->promise.rule ? 1 : 0)
TTP_LISTER(list_configs, CHANGE, ttp_tune_config_fields, context, r->space.config, r->space.configs)

TTP_GET(get_real, void, CHANGE,
        ttp_value_f64(!r->promise.rule || r->measured.count == 0 ? NAN
                      : r->measured.of[0].better == TTP_BETTER_LOWER
                          ? -r->measured.of[0].change * 100
                          : 100 * (1 - 1 / (1 + r->measured.of[0].change))))

#define POINT struct ttp_tune_point
/* The context is the change. */
static struct ttp_value get_chosen(const void *context, const void *row)
{
    const CHANGE *c = context;

    return ttp_value_bool((size_t)((const POINT *)row - c->point) == c->sweep_best);
}

static const struct ttp_field point_fields[] = {
    {.id = "set", TTP_ROWS_AT(POINT, set.word, set.count, ttp_bare_cstr)},
    TTP_FLAG("pass", TTP_FIGURE(POINT, pass)),
    TTP_REAL("value", "", 0, TTP_FIGURE(POINT, value)),
    TTP_WORDS("reason", TTP_FIGURE(POINT, reason)),
    TTP_FLAG("chosen", .get = get_chosen),
};
static const struct ttp_fields points = {TTP_FIELDS(point_fields)};

TTP_LISTER(list_points, CHANGE, points, r, r->kind == TTP_TUNE_SWEEP ? r->point : NULL, r->npoints)

static const struct ttp_field change_fields[] = {
    TTP_INT_COLUMN("number", "#", "", 0, TTP_FIGURE(CHANGE, number)),
    TTP_WORDS_COLUMN("outcome", "Outcome", 0, .get = get_outcome, .tone = outcome_tone,
                     .help = "pending, kept, reverted, undecided, dropped or undone"),
    TTP_REAL_COLUMN("change_percent", "Effect", "%", 1, 0, .get = get_change, .plus = true,
                    .table_only = true,
                    .help = "change of the deciding metric relative to the previous best"),
    TTP_REAL_COLUMN("value", "Value", "", 0, 3, .get = get_value,
                    TTP_UNIT_IN(CHANGE, measured.of[0].unit), .table_only = true,
                    .help = "value of the deciding metric"),
    TTP_WORDS_COLUMN("title", "Change", 0, TTP_FIGURE(CHANGE, title)),
    TTP_WORDS("kind", .get = get_kind, .help = "edit, patch, env, git, command or sweep"),
    TTP_WORDS("detail", TTP_FIGURE(CHANGE, detail),
              .help = "file, ref, variable or command of the change"),
    TTP_WORDS("step", TTP_FIGURE(CHANGE, step)),
    TTP_WORDS("stat", TTP_FIGURE(CHANGE, stat)),
    TTP_WORDS_COLUMN("reason", "Why", 2, TTP_FIGURE(CHANGE, reason)),
    {.id = "gate", TTP_OBJECT_HERE(CHANGE, gate, gate), TTP_KNOWN_IF(CHANGE, gate.ran)},
    TTP_LISTED("measured", TTP_OBJECT, list_measured, candidate),
    TTP_LISTED("side", TTP_OBJECT, list_side, side),
    TTP_LISTED("points", TTP_ROWS, list_points, points, .optional = true, .help = "of a sweep"),
    TTP_LISTED("configs", TTP_ROWS, list_configs, ttp_tune_config_fields, .optional = true,
               .help = "of a sweep of configs, the best prediction first"),
    TTP_LISTED("promise", TTP_OBJECT, list_promise, promise,
               .help = "of the advice that the change tests"),
    TTP_REAL("real_gain_percent", "%", 0, .get = get_real,
             .help = "measured saving of the metric, compared with the promise"),
    TTP_WORDS("working_tree", TTP_FIGURE(CHANGE, tree), .help = "outcome"),
    TTP_WHEN("start_time", TTP_FIGURE(CHANGE, start_ns)),
    TTP_WHEN("end_time", TTP_FIGURE(CHANGE, end_ns)),
};
static const struct ttp_fields changes = {TTP_FIELDS(change_fields),
                                          .hint = "tt-perf tune --columns help lists them"};

/* ---- the session ---- */

#define GAIN struct ttp_tune_gain
static const struct ttp_field gain_fields[] = {
    TTP_WORDS("metric", TTP_FIGURE(GAIN, metric)),
    TTP_WORDS("unit", TTP_FIGURE(GAIN, unit)),
    {.id = "better", TTP_WORD(GAIN, better, better_words)},
    TTP_FLAG("decides", TTP_FIGURE(GAIN, decides)),
    TTP_REAL("baseline", "", 0, TTP_FIGURE(GAIN, baseline)),
    TTP_REAL("best", "", 0, TTP_FIGURE(GAIN, best)),
    TTP_REAL("change_percent", "%", 0, TTP_FIGURE(GAIN, change), .scale = 100),
    TTP_REAL("speedup", "", 0, TTP_FIGURE(GAIN, speedup), .help = "improvement factor"),
};
static const struct ttp_fields gains = {TTP_FIELDS(gain_fields)};

#define GOAL struct ttp_tune_goal
static const struct ttp_field goal_fields[] = {
    TTP_WORDS("text", TTP_FIGURE(GOAL, text)),
    TTP_REAL("value", "", 0, TTP_FIGURE(GOAL, value)),
    TTP_FLAG("reached", TTP_FIGURE(GOAL, reached)),
    TTP_REAL("speedup_needed", "", 0, TTP_FIGURE(GOAL, speedup_needed),
             .help = "from the best to the goal"),
};
static const struct ttp_fields goal = {TTP_FIELDS(goal_fields)};

#define HEAD struct ttp_tune_head
static const struct ttp_field head_fields[] = {
    TTP_WORDS("action", TTP_FIGURE(HEAD, action)),
    {.id = "gain", TTP_ROWS_HERE(HEAD, gain, gains, gains)},
    {.id = "goal", TTP_OBJECT_HERE(HEAD, goal, goal), TTP_KNOWN_IF(HEAD, has_goal)},
    {.id = "change",
     .optional = true,
     TTP_OBJECT_AT(HEAD, change, changes),
     .help = "the change of the action"},
    TTP_INT("change_count", "", TTP_FIGURE(HEAD, changes)),
    TTP_INT("pending", "", TTP_FIGURE(HEAD, pending), TTP_KNOWN_IF(HEAD, has_pending)),
    {.id = "best", TTP_OBJECT_AT(HEAD, best, side)},
    TTP_INT("ledger_records", "", TTP_FIGURE(HEAD, records)),
    TTP_INT("ledger_torn_bytes", "bytes", TTP_FIGURE(HEAD, torn_bytes)),
    TTP_WORDS("run", TTP_FIGURE(HEAD, run), .help = "profile of the best"),
    {.id = "trial",
     .optional = true,
     TTP_OBJECT_AT(HEAD, trial, promise),
     .help = "advice that the next change tests"},
};
static const struct ttp_fields head = {TTP_FIELDS(head_fields)};

TTP_GET(get_chips, void, struct ttp_tune_session,
        r->setup.chips ? ttp_value_i64((int64_t)r->setup.chips) : (struct ttp_value){0})
TTP_GET(get_subject, void, struct ttp_tune_session,
        ttp_value_text(r->setup.kernel ? TTP_STR("kernel") : TTP_STR("model")))

#define SESSION struct ttp_tune_session
static const struct ttp_field setup_fields[] = {
    TTP_WORDS("command", TTP_FIGURE(SESSION, setup.command)),
    TTP_WORDS("build", TTP_FIGURE(SESSION, setup.build)),
    TTP_WORDS("check", TTP_FIGURE(SESSION, setup.check)),
    TTP_WORDS("metric", TTP_FIGURE(SESSION, setup.metric)),
    TTP_WORDS("window", TTP_FIGURE(SESSION, setup.window), .help = "of recorded runs"),
    TTP_WORDS("profile", TTP_FIGURE(SESSION, setup.profile),
              .help = "how baseline and best are recorded; null: not recorded"),
    TTP_WORDS("golden", TTP_FIGURE(SESSION, setup.golden)),
    TTP_INT("golden_files", "", TTP_FIGURE(SESSION, ngolden)),
    TTP_WORDS("outputs", TTP_FIGURE(SESSION, setup.outputs)),
    TTP_REAL("pcc_gate", "", 0, TTP_FIGURE(SESSION, setup.pcc)),
    TTP_WORDS("data", TTP_FIGURE(SESSION, setup.data)),
    TTP_WORDS("board", TTP_FIGURE(SESSION, setup.board)),
    TTP_INT("chips", "", .get = get_chips),
    TTP_WORDS("kind", .get = get_subject, .help = "model or kernel"),
    TTP_REAL("min_effect_percent", "%", 0, TTP_FIGURE(SESSION, setup.min_effect), .scale = 100),
    TTP_REAL("confidence_percent", "%", 0, TTP_FIGURE(SESSION, setup.confidence), .scale = 100),
    TTP_WORDS("branch", TTP_FIGURE(SESSION, branch)),
    TTP_WORDS("machine_key", TTP_FIGURE(SESSION, machine)),
};
static const struct ttp_fields setup = {TTP_FIELDS(setup_fields)};

/* ---- what is left ---- */

#define STEP struct ttp_tune_step_view
static struct ttp_value get_state(const void *context, const void *row)
{
    static const char *const states[] = {"not_applicable", "open", "partly", "done"};
    const STEP *s = row;

    (void)context;
    return ttp_value_text(ttp_str_from(s->known ? states[s->state] : "unknown"));
}

static const struct ttp_field step_fields[] = {
    TTP_WORDS("step", TTP_FIGURE(STEP, id)),
    TTP_WORDS("state", .get = get_state, .help = "not_applicable, open, partly, done or unknown"),
    TTP_WORDS("seen", TTP_FIGURE(STEP, seen)),
};
static const struct ttp_fields steps = {TTP_FIELDS(step_fields)};

#define ITEM struct ttp_tune_advice
static const struct ttp_field plan_fields[] = {
    TTP_WORDS("rule", TTP_FIGURE(ITEM, rule)),
    TTP_WORDS("step", TTP_FIGURE(ITEM, step)),
    TTP_WORDS("title", TTP_FIGURE(ITEM, title)),
    TTP_REAL("gain_percent", "%", 0, TTP_FIGURE(ITEM, gain_pct)),
    TTP_WORDS("evidence", TTP_FIGURE(ITEM, evidence)),
    TTP_WORDS("verify", TTP_FIGURE(ITEM, verify)),
};
static const struct ttp_fields plan = {TTP_FIELDS(plan_fields)};

#define OBJECT(name, of)                                                                           \
    {                                                                                              \
        .id = (name), .kind = TTP_PART_OBJECT, .fields = &(of), .optional = true,                  \
        .json_only = true                                                                          \
    }
static const struct ttp_part_spec parts[] = {
    [TTP_TUNE_PART_HEAD] = {.kind = TTP_PART_DATA, .fields = &head, .json_only = true},
    [TTP_TUNE_PART_SETUP] = OBJECT("setup", setup),
    [TTP_TUNE_PART_BASELINE] = OBJECT("baseline", baseline),
    [TTP_TUNE_PART_FINAL] = OBJECT("final", final),
    [TTP_TUNE_PART_CHANGES] = {.id = "changes", .fields = &changes, .optional = true},
    [TTP_TUNE_PART_STEPS] = {.id = "steps", .fields = &steps, .optional = true, .json_only = true},
    [TTP_TUNE_PART_PLAN] = {.id = "plan", .fields = &plan, .optional = true, .json_only = true},
    [TTP_TUNE_PART_FIGURES] = {.id = "figures",
                               .title = "Before and after",
                               .fields = &ttp_tune_figure_fields,
                               .optional = true,
                               .json_only = true,
                               .help = "of the profiles of baseline and best"},
    [TTP_TUNE_PART_CHECK] = OBJECT("final_check", gate),
    [TTP_TUNE_PART_PRODUCTION] = OBJECT("production", ttp_tune_production_fields),
};
const struct ttp_document_spec ttp_tune_document = {
    .schema = "tt-perf.tune/2",
    .help = "A tuning session and its changes",
    TTP_PARTS(parts),
    .main = TTP_TUNE_PART_CHANGES,
};
