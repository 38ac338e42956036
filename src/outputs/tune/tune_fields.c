/* SPDX-License-Identifier: Apache-2.0 */
/* tune_fields.c - what a session of tuning shows, declared. */
#include "outputs/tune/tune_fields.h"

#include <math.h>

#include "outputs/tune/tune_words.h"

static const char *const better_words[] = {
    [TTP_BETTER_LOWER] = "lower", [TTP_BETTER_HIGHER] = "higher"};
#define PERCENT .scale = 100, .unit = "%"

/* ---- sides ---- */

#define SIDE struct ttp_tune_side
static const struct ttp_field side_fields[] = {
    TTP_A_TEXT("commit", SIDE, commit),
    TTP_A_TEXT("command", SIDE, command),
    {.id = "environment", TTP_ROWS_AT(SIDE, env.word, env.count, ttp_bare_cstr)},
};
static const struct ttp_fields side = {TTP_FIELDS(side_fields)};

#define STAT struct ttp_tune_stat
static const struct ttp_field stat_fields[] = {
    TTP_A_WHOLE("runs", STAT, n),
    TTP_A_REAL("min", STAT, min),
    TTP_A_REAL("median", STAT, median),
    TTP_A_REAL("mean", STAT, mean),
    TTP_A_REAL("std", STAT, sd),
    TTP_A_REAL("p95", STAT, p95),
    TTP_A_REAL("scatter_pct", STAT, scatter, PERCENT, .help = "of single runs: 1.4826 MAD"),
};
static const struct ttp_fields stat = {TTP_FIELDS(stat_fields)};

TTP_GETTER(get_verdict, struct ttp_tune_figures,
           ttp_value_text(ttp_str_from(ttp_verdict_word(r->verdict, r->better))))

/* Measurements of two sides, under the names that they have there. */
#define FIGURES  struct ttp_tune_figures
#define MEASURED struct ttp_tune_measured
#define DECLARE_MEASURED(name, one, two)                                                           \
    static const struct ttp_field name##_metric_fields[] = {                                       \
        TTP_A_TEXT("name", FIGURES, metric),                                                       \
        TTP_A_TEXT("unit", FIGURES, unit),                                                         \
        {.id = "better", TTP_WORD(FIGURES, better, better_words)},                                 \
        {.id = (one), TTP_OBJECT_HERE(FIGURES, side[0], stat)},                                    \
        {.id = (two), TTP_OBJECT_HERE(FIGURES, side[1], stat)},                                    \
        TTP_A_REAL("change_pct", FIGURES, change, PERCENT),                                        \
        TTP_A_REAL("change_low_pct", FIGURES, low, PERCENT),                                       \
        TTP_A_REAL("change_high_pct", FIGURES, high, PERCENT),                                     \
        TTP_A_REAL("p", FIGURES, p),                                                               \
        {.id = "verdict", .type = TTP_TEXT, .get = get_verdict},                                   \
        TTP_A_WHOLE("more_runs", FIGURES, more_runs),                                              \
    };                                                                                             \
    static const struct ttp_fields name##_metrics = {TTP_FIELDS(name##_metric_fields)};            \
    static const struct ttp_field name##_fields[] = {                                              \
        TTP_A_REAL("noise_pct", MEASURED, noise, PERCENT),                                         \
        TTP_A_WHOLE("doubtful_runs", MEASURED, tainted),                                           \
        TTP_A_TEXT("doubt", MEASURED, taint),                                                      \
        {.id = "metrics", TTP_ROWS_HERE(MEASURED, of, count, name##_metrics)},                     \
    };                                                                                             \
    static const struct ttp_fields name = {TTP_FIELDS(name##_fields)};
DECLARE_MEASURED(candidate, "best", "candidate")
DECLARE_MEASURED(baseline, "first", "again")
DECLARE_MEASURED(final, "baseline", "best")

/* ---- changes ---- */

#define CHANGE struct ttp_tune_change
TTP_GETTER(get_kind, CHANGE, ttp_value_text(ttp_str_from(ttp_tune_kind_name(r->kind))))
TTP_GETTER(get_outcome, CHANGE, ttp_value_text(ttp_str_from(ttp_tune_outcome_name(r->outcome))))
TTP_GETTER(get_change, CHANGE,
           ttp_value_f64(r->measured.count ? r->measured.of[0].change * 100 : NAN))
TTP_GETTER(get_value, CHANGE,
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
    TTP_A_BOOL("pass", GATE, pass),
    TTP_A_WHOLE("tensor_count", GATE, tensors),
    TTP_A_REAL("worst_pcc", GATE, worst_pcc),
    TTP_A_TEXT("reason", GATE, reason),
};
static const struct ttp_fields gate = {TTP_FIELDS(gate_fields)};

#define POINT struct ttp_tune_point
/* The context is the change. */
static struct ttp_value get_chosen(const void *context, const void *row)
{
    const CHANGE *c = context;

    return ttp_value_bool((size_t)((const POINT *)row - c->point) == c->sweep_best);
}

static const struct ttp_field point_fields[] = {
    {.id = "set", TTP_ROWS_AT(POINT, set.word, set.count, ttp_bare_cstr)},
    TTP_A_BOOL("pass", POINT, pass),
    TTP_A_REAL("value", POINT, value),
    TTP_A_TEXT("reason", POINT, reason),
    TTP_A_GOT("chosen", TTP_BOOL, get_chosen),
};
static const struct ttp_fields points = {TTP_FIELDS(point_fields)};

TTP_LISTER(list_points, CHANGE, points, r, r->kind == TTP_TUNE_SWEEP ? r->point : NULL, r->npoints)

static const struct ttp_field change_fields[] = {
    TTP_A_WHOLE("number", CHANGE, number, TTP_SHOWN("#")),
    TTP_A_GOT("outcome", TTP_TEXT, get_outcome, TTP_SHOWN("Outcome"), .tone = outcome_tone,
              .help = "pending, kept, reverted, undecided, dropped or undone"),
    TTP_A_GOT("change_pct", TTP_F64, get_change, TTP_SHOWN("Effect"), .unit = "%", .digits = 1,
              .plus = true, .table_only = true,
              .help = "change of the deciding metric relative to the previous best"),
    TTP_A_GOT("value", TTP_F64, get_value, TTP_SHOWN("Value"), .drop = 3,
              TTP_UNIT_IN(CHANGE, measured.of[0].unit), .table_only = true,
              .help = "value of the deciding metric"),
    TTP_A_TEXT("title", CHANGE, title, TTP_SHOWN("Change")),
    TTP_A_GOT("kind", TTP_TEXT, get_kind, .help = "edit, patch, env, git, command or sweep"),
    TTP_A_TEXT("detail", CHANGE, detail, .help = "file, ref, variable or command of the change"),
    TTP_A_TEXT("step", CHANGE, step),
    TTP_A_TEXT("stat", CHANGE, stat),
    TTP_A_TEXT("reason", CHANGE, reason, TTP_SHOWN("Why"), .drop = 2),
    {.id = "gate", TTP_OBJECT_HERE(CHANGE, gate, gate), TTP_KNOWN_IF(CHANGE, gate.ran)},
    TTP_A_LIST("measured", TTP_OBJECT, list_measured, candidate),
    TTP_A_LIST("side", TTP_OBJECT, list_side, side),
    TTP_A_LIST("points", TTP_ROWS, list_points, points, .optional = true, .help = "of a sweep"),
    TTP_A_TEXT("working_tree", CHANGE, tree, .help = "outcome"),
    TTP_A_MOMENT("start_time", CHANGE, start_ns),
    TTP_A_MOMENT("end_time", CHANGE, end_ns),
};
static const struct ttp_fields changes = {TTP_FIELDS(change_fields),
                                          .hint = "tt-perf tune --columns help lists them"};

/* ---- the session ---- */

#define GAIN struct ttp_tune_gain
static const struct ttp_field gain_fields[] = {
    TTP_A_TEXT("metric", GAIN, metric),
    TTP_A_TEXT("unit", GAIN, unit),
    {.id = "better", TTP_WORD(GAIN, better, better_words)},
    TTP_A_BOOL("decides", GAIN, decides),
    TTP_A_REAL("baseline", GAIN, baseline),
    TTP_A_REAL("best", GAIN, best),
    TTP_A_REAL("change_pct", GAIN, change, PERCENT),
    TTP_A_REAL("speedup", GAIN, speedup, .help = "improvement factor"),
};
static const struct ttp_fields gains = {TTP_FIELDS(gain_fields)};

#define GOAL struct ttp_tune_goal
static const struct ttp_field goal_fields[] = {
    TTP_A_TEXT("text", GOAL, text),
    TTP_A_REAL("value", GOAL, value),
    TTP_A_BOOL("reached", GOAL, reached),
    TTP_A_REAL("speedup_needed", GOAL, speedup_needed, .help = "from the best to the goal"),
};
static const struct ttp_fields goal = {TTP_FIELDS(goal_fields)};

#define HEAD struct ttp_tune_head
static const struct ttp_field head_fields[] = {
    TTP_A_TEXT("action", HEAD, action),
    {.id = "gain", TTP_ROWS_HERE(HEAD, gain, gains, gains)},
    {.id = "goal", TTP_OBJECT_HERE(HEAD, goal, goal), TTP_KNOWN_IF(HEAD, has_goal)},
    {.id = "change",
     .optional = true,
     TTP_OBJECT_AT(HEAD, change, changes),
     .help = "the change of the action"},
    TTP_A_WHOLE("change_count", HEAD, changes),
    TTP_A_WHOLE("pending", HEAD, pending, TTP_KNOWN_IF(HEAD, has_pending)),
    {.id = "best", TTP_OBJECT_AT(HEAD, best, side)},
    TTP_A_WHOLE("ledger_records", HEAD, records),
    TTP_A_WHOLE("ledger_torn_bytes", HEAD, torn_bytes),
    TTP_A_TEXT("run", HEAD, run, .help = "profile of the best"),
};
static const struct ttp_fields head = {TTP_FIELDS(head_fields)};

TTP_GETTER(get_chips, struct ttp_tune_session,
           r->setup.chips ? ttp_value_i64((int64_t)r->setup.chips) : (struct ttp_value){0})
TTP_GETTER(get_subject, struct ttp_tune_session,
           ttp_value_text(r->setup.kernel ? TTP_STR("kernel") : TTP_STR("model")))

#define SESSION struct ttp_tune_session
static const struct ttp_field setup_fields[] = {
    TTP_A_TEXT("command", SESSION, setup.command),
    TTP_A_TEXT("build", SESSION, setup.build),
    TTP_A_TEXT("check", SESSION, setup.check),
    TTP_A_TEXT("metric", SESSION, setup.metric),
    TTP_A_TEXT("golden", SESSION, setup.golden),
    TTP_A_WHOLE("golden_files", SESSION, ngolden),
    TTP_A_TEXT("outputs", SESSION, setup.outputs),
    TTP_A_REAL("pcc_gate", SESSION, setup.pcc),
    TTP_A_TEXT("data", SESSION, setup.data),
    TTP_A_TEXT("board", SESSION, setup.board),
    TTP_A_GOT("chips", TTP_I64, get_chips),
    TTP_A_GOT("kind", TTP_TEXT, get_subject, .help = "model or kernel"),
    TTP_A_REAL("min_effect_pct", SESSION, setup.min_effect, PERCENT),
    TTP_A_REAL("confidence_pct", SESSION, setup.confidence, PERCENT),
    TTP_A_TEXT("branch", SESSION, branch),
    TTP_A_TEXT("machine_key", SESSION, machine),
};
static const struct ttp_fields setup = {TTP_FIELDS(setup_fields)};

/* ---- what is left ---- */

#define STEP struct ttp_tune_step_view
TTP_GETTER(get_step, STEP, ttp_value_text(ttp_str_from(ttp_step_id(r->step))))

static struct ttp_value get_state(const void *context, const void *row)
{
    static const char *const states[] = {"not_applicable", "open", "partly", "done"};
    const STEP *s = row;

    (void)context;
    return ttp_value_text(ttp_str_from(s->known ? states[s->state] : "unknown"));
}

static const struct ttp_field step_fields[] = {
    TTP_A_GOT("step", TTP_TEXT, get_step),
    TTP_A_GOT("state", TTP_TEXT, get_state,
              .help = "not_applicable, open, partly, done or unknown"),
    TTP_A_TEXT("seen", STEP, seen),
};
static const struct ttp_fields steps = {TTP_FIELDS(step_fields)};

#define ITEM struct ttp_tune_advice
static const struct ttp_field plan_fields[] = {
    TTP_A_TEXT("rule", ITEM, rule),         TTP_A_TEXT("step", ITEM, step),
    TTP_A_TEXT("title", ITEM, title),       TTP_A_REAL("gain_pct", ITEM, gain_pct, .unit = "%"),
    TTP_A_TEXT("evidence", ITEM, evidence), TTP_A_TEXT("verify", ITEM, verify),
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
};
const struct ttp_document_spec ttp_tune_document = {
    .schema = "tt-perf.tune/2",
    .help = "A tuning session and its changes",
    TTP_PARTS(parts),
    .main = TTP_TUNE_PART_CHANGES,
};
