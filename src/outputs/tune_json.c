/* SPDX-License-Identifier: Apache-2.0 */
/* tune_json.c - a session for programs: docs/schemas/tt-perf.tune-1.json describes it. */
#include <math.h>

#include "outputs/json_members.h"
#include "outputs/json_time.h"
#include "outputs/tune_words.h"

/* Points of a sweep in one document. */
#define POINTS_MAX 64

static void put_words(struct ttp_json_writer *w, const char *key, const struct ttp_words *words)
{
    ttp_member_array(w, key);
    for (size_t i = 0; i < words->count; i++)
        ttp_json_put_str(w, ttp_str_from(words->word[i]));
    ttp_json_end_array(w);
}

static void put_text_or_null(struct ttp_json_writer *w, const char *key, const char *text)
{
    ttp_member_str_or_null(w, key, ttp_str_from(text));
}

static void put_side(struct ttp_json_writer *w, const char *key, const struct ttp_tune_side *side)
{
    ttp_member_object(w, key);
    put_text_or_null(w, "commit", side->commit);
    put_text_or_null(w, "command", side->command);
    put_words(w, "environment", &side->env);
    ttp_json_end_object(w);
}

static void put_stat(struct ttp_json_writer *w, const char *key, const struct ttp_tune_stat *s)
{
    ttp_member_object(w, key);
    ttp_member_u64(w, "runs", s->n);
    ttp_member_f64(w, "min", s->min);
    ttp_member_f64(w, "median", s->median);
    ttp_member_f64(w, "mean", s->mean);
    ttp_member_f64(w, "std", s->sd);
    ttp_member_f64(w, "p95", s->p95);
    ttp_member_f64(w, "scatter_pct", s->scatter * 100);
    ttp_json_end_object(w);
}

static void put_figures(struct ttp_json_writer *w, const struct ttp_tune_figures *f,
                        const char *first, const char *second)
{
    ttp_json_begin_object(w);
    ttp_member_text(w, "name", f->metric);
    ttp_member_text(w, "unit", f->unit);
    ttp_member_text(w, "better", ttp_better_word(f->better));
    put_stat(w, first, &f->side[0]);
    put_stat(w, second, &f->side[1]);
    ttp_member_f64(w, "change_pct", f->change * 100);
    ttp_member_f64(w, "change_low_pct", f->low * 100);
    ttp_member_f64(w, "change_high_pct", f->high * 100);
    ttp_member_f64(w, "p", f->p);
    ttp_member_text(w, "verdict", ttp_verdict_word(f->verdict, f->better));
    ttp_member_u64(w, "more_runs", f->more_runs);
    ttp_json_end_object(w);
}

static void put_measured(struct ttp_json_writer *w, const char *key,
                         const struct ttp_tune_measured *m, const char *first, const char *second)
{
    if (m->count == 0) {
        ttp_member_null(w, key);
        return;
    }
    ttp_member_object(w, key);
    ttp_member_f64(w, "noise_pct", m->noise * 100);
    ttp_member_u64(w, "doubtful_runs", m->tainted);
    put_text_or_null(w, "doubt", m->taint);
    ttp_member_array(w, "metrics");
    for (size_t i = 0; i < m->count; i++)
        put_figures(w, &m->of[i], first, second);
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

static bool put_points(struct ttp_json_writer *w, const struct ttp_tune_change *c)
{
    ttp_member_array(w, "points");
    for (size_t i = 0; i < c->npoints && i < POINTS_MAX; i++) {
        const struct ttp_tune_point *p = &c->point[i];

        ttp_json_begin_object(w);
        put_words(w, "set", &p->set);
        ttp_member_bool(w, "pass", p->pass);
        ttp_member_f64(w, "value", p->value);
        ttp_member_text(w, "reason", p->reason);
        ttp_member_bool(w, "chosen", i == c->sweep_best);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    return c->npoints > POINTS_MAX;
}

static bool put_change(struct ttp_json_writer *w, const struct ttp_tune_change *c)
{
    bool cut = false;

    ttp_json_begin_object(w);
    ttp_member_u64(w, "number", c->number);
    ttp_member_text(w, "title", c->title);
    ttp_member_text(w, "kind", ttp_tune_kind_name(c->kind));
    ttp_member_text(w, "detail", c->detail);
    put_text_or_null(w, "step", c->step);
    ttp_member_text(w, "stat", c->stat);
    ttp_member_text(w, "outcome", ttp_tune_outcome_name(c->outcome));
    ttp_member_text(w, "reason", c->reason);
    if (c->gate.ran) {
        ttp_member_object(w, "gate");
        ttp_member_bool(w, "pass", c->gate.pass);
        ttp_member_u64(w, "tensor_count", c->gate.tensors);
        ttp_member_f64(w, "worst_pcc", c->gate.worst_pcc);
        ttp_member_text(w, "reason", c->gate.reason);
        ttp_json_end_object(w);
    } else {
        ttp_member_null(w, "gate");
    }
    put_measured(w, "measured", &c->measured, "best", "candidate");
    if (c->side.command)
        put_side(w, "side", &c->side);
    else
        ttp_member_null(w, "side");
    if (c->kind == TTP_TUNE_SWEEP)
        cut = put_points(w, c);
    put_text_or_null(w, "working_tree", c->tree);
    ttp_member_time(w, "start_time", c->start_ns);
    ttp_member_time(w, "end_time", c->end_ns);
    ttp_json_end_object(w);
    return cut;
}

static void put_setup(struct ttp_json_writer *w, const struct ttp_tune_session *s)
{
    const struct ttp_tune_setup *u = &s->setup;

    ttp_member_object(w, "setup");
    ttp_member_text(w, "command", u->command);
    put_text_or_null(w, "build", u->build);
    put_text_or_null(w, "check", u->check);
    ttp_member_text(w, "metric", u->metric);
    put_text_or_null(w, "golden", u->golden);
    ttp_member_u64(w, "golden_files", s->ngolden);
    put_text_or_null(w, "outputs", u->outputs);
    ttp_member_f64(w, "pcc_gate", u->pcc);
    put_text_or_null(w, "data", u->data);
    put_text_or_null(w, "board", u->board);
    if (u->chips)
        ttp_member_u64(w, "chips", u->chips);
    else
        ttp_member_null(w, "chips");
    ttp_member_text(w, "kind", u->kernel ? "kernel" : "model");
    ttp_member_f64(w, "min_effect_pct", u->min_effect * 100);
    ttp_member_f64(w, "confidence_pct", u->confidence * 100);
    put_text_or_null(w, "branch", s->branch);
    put_text_or_null(w, "machine_key", s->machine);
    ttp_json_end_object(w);
}

static void put_gain(struct ttp_json_writer *w, const struct ttp_tune_session *s)
{
    ttp_member_array(w, "gain");
    for (size_t i = s->at_start.count; i > 0; i--) {
        const struct ttp_tune_figures *f = &s->at_start.of[i - 1];
        const double from = ttp_tune_start_value(s, i - 1), to = ttp_tune_best_value(s, i - 1);

        ttp_json_begin_object(w);
        ttp_member_text(w, "metric", f->metric);
        ttp_member_text(w, "unit", f->unit);
        ttp_member_text(w, "better", ttp_better_word(f->better));
        ttp_member_bool(w, "decides", i == 1);
        ttp_member_f64(w, "baseline", from);
        ttp_member_f64(w, "best", to);
        ttp_member_f64(w, "change_pct", (to / from - 1) * 100);
        ttp_member_f64(w, "times", f->better == TTP_BETTER_LOWER ? from / to : to / from);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_goal(struct ttp_json_writer *w, const struct ttp_tune_session *s)
{
    const bool lower = s->at_start.of[0].better == TTP_BETTER_LOWER;
    const double best = ttp_tune_best_value(s, 0), goal = s->setup.goal_value;

    if (!s->setup.goal) {
        ttp_member_null(w, "goal");
        return;
    }
    ttp_member_object(w, "goal");
    ttp_member_text(w, "text", s->setup.goal);
    ttp_member_f64(w, "value", goal);
    ttp_member_bool(w, "reached", lower ? best <= goal : best >= goal);
    ttp_member_f64(w, "times_to_go", lower ? best / goal : goal / best);
    ttp_json_end_object(w);
}

static void put_steps(struct ttp_json_writer *w, const struct ttp_tune_view *view,
                      struct ttp_arena *arena)
{
    static const char *const states[] = {"not_applicable", "open", "partly", "done"};
    struct ttp_tune_step_view step[TTP_STEPS];
    const size_t n = ttp_tune_steps(step, view, arena);

    ttp_member_array(w, "steps");
    for (size_t i = 0; i < n; i++) {
        ttp_json_begin_object(w);
        ttp_member_text(w, "step", ttp_step_id(step[i].step));
        ttp_member_text(w, "state", step[i].known ? states[step[i].state] : "unknown");
        ttp_member_str(w, "seen", step[i].seen);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_advice(struct ttp_json_writer *w, const struct ttp_tune_view *view)
{
    put_text_or_null(w, "run", view->run);
    ttp_member_array(w, "plan");
    for (size_t i = 0; view->plan && i < view->plan->count && i < 10; i++) {
        const struct ttp_plan_item *item = &view->plan->item[i];

        ttp_json_begin_object(w);
        ttp_member_text(w, "rule", item->rule->id);
        ttp_member_text(w, "step", ttp_step_id(item->rule->step));
        ttp_member_text(w, "title", item->rule->title);
        ttp_member_known(w, "gain_pct", item->gain_us > 0, item->gain_pct);
        ttp_member_str(w, "evidence", item->evidence);
        ttp_member_text(w, "verify", item->rule->verify);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

bool ttp_out_tune_json(struct ttp_json_writer *w, const struct ttp_tune_view *view,
                       struct ttp_arena *arena)
{
    const struct ttp_tune_session *s = view->session;
    const struct ttp_tune_change *pending = ttp_tune_pending(s);
    const size_t first = ttp_tune_first_shown(view);
    bool cut = !view->change && first > 0;

    ttp_json_begin_object(w);
    ttp_member_text(w, "action", view->action);
    put_gain(w, s);
    put_goal(w, s);
    if (view->change) {
        ttp_member_key(w, "change");
        cut |= put_change(w, view->change);
    }
    ttp_member_u64(w, "change_count", s->count);
    if (pending)
        ttp_member_u64(w, "pending", pending->number);
    else
        ttp_member_null(w, "pending");
    put_side(w, "best", ttp_tune_best(s));
    ttp_member_u64(w, "ledger_records", s->records);
    ttp_member_u64(w, "ledger_torn_bytes", s->torn_bytes);
    if (!view->change) {
        put_setup(w, s);
        put_measured(w, "baseline", &s->at_start, "first", "again");
        put_measured(w, "final", &s->at_end, "baseline", "best");
        ttp_member_array(w, "changes");
        for (size_t i = first; i < s->count; i++)
            cut |= put_change(w, &s->change[i]);
        ttp_json_end_array(w);
        put_steps(w, view, arena);
        put_advice(w, view);
    }
    ttp_json_end_object(w);
    return cut;
}
