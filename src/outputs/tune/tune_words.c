/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/tune/tune_words.h"

#include <inttypes.h>
#include <math.h>

#include "outputs/bench/bench_words.h"

size_t ttp_out_tune_first_shown(const struct ttp_tune_view *view)
{
    const size_t count = view->session->count;

    return view->top && view->top < count ? count - view->top : 0;
}

/* ---- sentences ---- */

ttp_str ttp_out_tune_gain_text(double from, double to, const struct ttp_tune_figures *f,
                               struct ttp_arena *arena)
{
    const bool lower = f->better == TTP_BETTER_LOWER;
    const double times = lower ? from / to : to / from;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, ttp_out_measure_text(from, f->unit, arena));
    if (from == to) {
        ttp_sink_put(&out, TTP_STR(", no gain yet"));
        return ttp_sink_text(&out);
    }
    ttp_sink_put(&out, TTP_STR(" to "));
    ttp_sink_put(&out, ttp_out_measure_text(to, f->unit, arena));
    if (isfinite(times) && times > 0) {
        ttp_sink_printf(&out, ": %.3g times as %s (", times,
                        isfinite(ttp_measure_metric_unit_seconds(ttp_str_from(f->unit))) ||
                                !lower || strcmp(f->unit, "cycles") == 0
                            ? "fast"
                            : "good");
        ttp_sink_put(&out, ttp_out_bench_percent(to / from - 1, arena));
        ttp_sink_char(&out, ')');
    }
    return ttp_sink_text(&out);
}

/* A factor below this is given in percent: 1.001 would be "a factor of 1". */
#define CLOSE 1.1

ttp_str ttp_out_tune_goal_text(const struct ttp_tune_session *s, struct ttp_arena *arena)
{
    const struct ttp_tune_figures *f = &s->at_start.of[0];
    const double best = ttp_tune_best_value(s, 0), goal = s->setup.goal_value;
    const bool lower = f->better == TTP_BETTER_LOWER;
    struct ttp_sink out;

    if (!s->setup.goal)
        return (ttp_str){0};
    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, ttp_out_measure_text(goal, f->unit, arena));
    if (lower ? best <= goal : best >= goal)
        ttp_sink_put(&out, TTP_STR(": reached"));
    else if ((lower ? best / goal : goal / best) < CLOSE)
        ttp_sink_printf(&out, ": %.2g %% to go", ((lower ? best / goal : goal / best) - 1) * 100);
    else
        ttp_sink_printf(&out, ": a factor of %.3g to go", lower ? best / goal : goal / best);
    return ttp_sink_text(&out);
}

ttp_str ttp_out_tune_effect_text(const struct ttp_tune_figures *f, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, ttp_out_bench_percent(f->change, arena));
    if (isfinite(f->low)) {
        ttp_sink_put(&out, TTP_STR(" (between "));
        ttp_sink_put(&out, ttp_out_bench_percent(f->low, arena));
        ttp_sink_put(&out, TTP_STR(" and "));
        ttp_sink_put(&out, ttp_out_bench_percent(f->high, arena));
        ttp_sink_printf(&out, ", p = %.2g, %zu + %zu runs)", f->p, f->side[0].n, f->side[1].n);
    }
    return ttp_sink_text(&out);
}

ttp_str ttp_out_tune_counts_text(const struct ttp_tune_session *s, struct ttp_arena *arena)
{
    size_t of[TTP_TUNE_UNDONE + 1] = {0};
    const char *between = ": ";
    struct ttp_sink out;

    for (size_t i = 0; i < s->count; i++)
        of[s->change[i].outcome]++;
    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%zu tried", s->count);
    for (size_t i = TTP_TUNE_KEPT; i <= TTP_TUNE_UNDONE; i++) {
        if (of[i] == 0)
            continue;
        ttp_sink_printf(&out, "%s%zu %s", between, of[i],
                        ttp_tune_outcome_name((enum ttp_tune_outcome)i));
        between = ", ";
    }
    if (of[TTP_TUNE_PENDING])
        ttp_sink_printf(&out, "%s%zu pending", between, of[TTP_TUNE_PENDING]);
    return ttp_sink_text(&out);
}

ttp_str ttp_out_tune_gate_text(const struct ttp_tune_gate *g, struct ttp_arena *arena)
{
    struct ttp_sink out;

    if (!g->ran)
        return TTP_STR("not reached");
    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, g->pass ? TTP_STR("pass") : TTP_STR("FAIL"));
    if (g->tensors)
        ttp_sink_printf(&out, ", %zu tensor%s", g->tensors, g->tensors == 1 ? "" : "s");
    if (isfinite(g->worst_pcc))
        ttp_sink_printf(&out, ", %sPCC %.6g", g->tensors > 1 ? "worst " : "", g->worst_pcc);
    if (g->tensors > 1 && g->worst && *g->worst)
        ttp_sink_printf(&out, " of %s", g->worst);
    if (g->tile && *g->tile)
        ttp_sink_printf(&out, ", worst tile at %s", g->tile);
    return ttp_sink_text(&out);
}

ttp_str ttp_out_tune_advice_text(const struct ttp_tune_promise *p, struct ttp_arena *arena)
{
    if (!p->rule)
        return (ttp_str){0};
    return ttp_sink_format(arena, "%s, step %s: %s", p->rule, p->step, p->title);
}

static void put_promised(struct ttp_sink *out, const struct ttp_tune_kept_promise *kept)
{
    if (!isfinite(kept->promised_pct)) {
        ttp_sink_put(out, TTP_STR("a gain that cannot be estimated"));
        return;
    }
    ttp_sink_printf(out, "%.1f %% less %s", kept->promised_pct,
                    kept->of_device ? "device time" : "time per iteration");
    if (isfinite(kept->low_pct) && isfinite(kept->high_pct))
        ttp_sink_printf(out, " (%.1f to %.1f %%)", kept->low_pct, kept->high_pct);
}

ttp_str ttp_out_tune_promise_text(const struct ttp_tune_session *s, const struct ttp_tune_change *c,
                                  struct ttp_arena *arena)
{
    const struct ttp_tune_kept_promise kept = ttp_tune_kept_promise(s, c);
    struct ttp_sink out;

    if (!c->promise.rule)
        return (ttp_str){0};
    ttp_sink_to_arena(&out, arena);
    put_promised(&out, &kept);
    if (!isfinite(kept.real_pct))
        ttp_sink_put(&out, TTP_STR("; not measured"));
    else
        ttp_sink_printf(&out, "; measured: %s %s %.1f %%%s", s->at_start.of[0].metric,
                        kept.real_pct < 0 ? "lost" : "gained", fabs(kept.real_pct),
                        !isfinite(kept.low_pct)         ? ""
                        : kept.real_pct < kept.low_pct  ? ", less than promised"
                        : kept.real_pct > kept.high_pct ? ", more than promised"
                                                        : ", as promised");
    return ttp_sink_text(&out);
}

ttp_str ttp_out_tune_trial_text(const struct ttp_tune_session *s, struct ttp_arena *arena)
{
    const struct ttp_tune_change as_if = {.promise = s->trial};
    const struct ttp_tune_kept_promise kept = ttp_tune_kept_promise(s, &as_if);
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    put_promised(&out, &kept);
    return ttp_sink_text(&out);
}

static void add_fact(struct ttp_sink *out, const char *label, const char *value)
{
    if (value)
        ttp_sink_printf(out, "%s%s%s", out->len ? ", " : "", label, value);
}

ttp_str ttp_out_tune_facts_text(const struct ttp_tune_session *s, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    add_fact(&out, "", s->setup.kernel ? "a kernel" : "a model");
    add_fact(&out, "in production: ", s->setup.data);
    add_fact(&out, "on ", s->setup.board);
    if (s->setup.chips)
        ttp_sink_printf(&out, ", chips: %" PRIu64, s->setup.chips);
    return ttp_sink_text(&out);
}

/* ---- the checklist ---- */

/* Without a profile, what the changes say they were about. */
static void step_of_changes(struct ttp_tune_step_view *v, const struct ttp_tune_view *view,
                            struct ttp_arena *arena)
{
    const struct ttp_tune_session *s = view->session;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < s->count; i++) {
        const struct ttp_tune_change *c = &s->change[i];

        if (strcmp(c->step, v->id) != 0)
            continue;
        v->known = true;
        if (c->outcome == TTP_TUNE_KEPT)
            v->state = TTP_STEP_DONE;
        else if (v->state != TTP_STEP_DONE)
            v->state = TTP_STEP_PARTLY;
        ttp_sink_printf(&out, "%schange %llu %s", out.len ? ", " : "",
                        (unsigned long long)c->number, ttp_tune_outcome_name(c->outcome));
    }
    v->seen = ttp_sink_text(&out);
}

/* What a profile shows counts more than what changes say. */
static void add_profile(struct ttp_tune_step_view *v, const struct ttp_plan_step *step,
                        struct ttp_arena *arena)
{
    v->known = true;
    v->state = step->state;
    v->seen = ttp_sink_format(arena, "%.*s%s%.*s", TTP_FMT(step->seen),
                              v->seen.len && step->seen.len ? "; " : "", TTP_FMT(v->seen));
}

static struct ttp_tune_step_view step_of_baseline(const struct ttp_tune_session *s,
                                                  struct ttp_arena *arena)
{
    const struct ttp_tune_figures *f = &s->at_start.of[0];

    return (struct ttp_tune_step_view){
        .id = "baseline",
        .title = "baseline measured",
        .state = TTP_STEP_DONE,
        .known = true,
        .seen = ttp_sink_format(arena, "%s %.*s", f->metric,
                                TTP_FMT(ttp_out_measure_text(f->side[0].median, f->unit, arena)))};
}

static struct ttp_tune_step_view step_of_check(const struct ttp_tune_session *s,
                                               struct ttp_arena *arena)
{
    const struct ttp_tune_gate *g = ttp_tune_last_check(s);

    return (struct ttp_tune_step_view){.id = "final-check",
                                       .title = "final check",
                                       .state = g->ran && g->pass ? TTP_STEP_DONE : TTP_STEP_OPEN,
                                       .known = g->ran,
                                       .seen = g->ran ? ttp_out_tune_gate_text(g, arena)
                                                      : TTP_STR("tt-perf tune report --rerun")};
}

size_t ttp_out_tune_steps(struct ttp_tune_step_view out[TTP_TUNE_STEPS],
                          const struct ttp_tune_view *view, struct ttp_arena *arena)
{
    const bool kernel = view->session->setup.kernel;
    const size_t from = kernel ? TTP_MODEL_STEPS : 0, to = kernel ? TTP_STEPS : TTP_MODEL_STEPS;
    size_t n = 0;

    out[n++] = step_of_baseline(view->session, arena);
    for (size_t i = from; i < to; i++) {
        struct ttp_tune_step_view *v = &out[n++];
        const enum ttp_step step = (enum ttp_step)i;

        *v = (struct ttp_tune_step_view){.id = ttp_advice_step_id(step),
                                         .title = ttp_advice_step_title(step),
                                         .state = TTP_STEP_OPEN};
        step_of_changes(v, view, arena);
        if (view->plan)
            add_profile(v, &view->plan->step[step], arena);
    }
    out[n++] = step_of_check(view->session, arena);
    return n;
}

/* ---- stairs ---- */

static void widen(struct ttp_out_tune_stairs *s, double v)
{
    if (!isfinite(v))
        return;
    s->low = isfinite(s->low) ? fmin(s->low, v) : v;
    s->high = isfinite(s->high) ? fmax(s->high, v) : v;
}

void ttp_out_tune_stairs(struct ttp_out_tune_stairs *out, const struct ttp_tune_view *view,
                         struct ttp_arena *arena)
{
    const struct ttp_tune_session *s = view->session;
    const struct ttp_tune_figures *f = &s->at_start.of[0];
    const size_t first = ttp_out_tune_first_shown(view);
    double best = s->at_start.of[0].side[0].median;

    *out = (struct ttp_out_tune_stairs){
        .at = TTP_NEW(arena, struct ttp_tune_stair, s->count - first + 1),
        .low = NAN,
        .high = NAN,
        .metric = f->metric,
        .unit = f->unit,
        .lower_is_better = f->better == TTP_BETTER_LOWER,
        .goal = NAN};
    for (size_t i = 0; i < s->count; i++) {
        const struct ttp_tune_change *c = &s->change[i];
        const double tried = c->measured.count ? c->measured.of[0].side[1].median : NAN;

        if (i == first)
            out->at[out->count++] = (struct ttp_tune_stair){
                .number = first, .best = best, .tried = NAN, .outcome = TTP_TUNE_KEPT};
        if (c->outcome == TTP_TUNE_KEPT && isfinite(tried))
            best = tried;
        if (i >= first)
            out->at[out->count++] = (struct ttp_tune_stair){c->number, best, tried, c->outcome};
    }
    if (s->count == 0)
        out->at[out->count++] =
            (struct ttp_tune_stair){.best = best, .tried = NAN, .outcome = TTP_TUNE_KEPT};
    for (size_t i = 0; i < out->count; i++) {
        widen(out, out->at[i].best);
        widen(out, out->at[i].tried);
    }
    /* a goal that is very far away would flatten everything else */
    if (s->setup.goal && s->setup.goal_value > out->low - 2 * (out->high - out->low) &&
        s->setup.goal_value < out->high + 2 * (out->high - out->low)) {
        out->goal = s->setup.goal_value;
        widen(out, out->goal);
    }
    if (!isfinite(out->low))
        out->low = out->high = 0;
    if (out->high - out->low < fabs(out->high) * 0.01) {
        const double room = out->high != 0 ? fabs(out->high) * 0.05 : 1;

        out->low -= room;
        out->high += room;
    }
}
