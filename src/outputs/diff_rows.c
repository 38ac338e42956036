/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/diff_rows.h"

#include <math.h>

#include "outputs/paint.h"

#define MAX_STEPS 8
/* Smaller steps, in percent of the base, go into the rest. */
#define MIN_STEP_PCT 0.05
/* Groups that only took another time are listed from here on, in percent of their own. */
#define MIN_CHANGE_PCT 1.0

static double delta_of(const struct ttp_diff_times *t)
{
    return t->other_us - t->base_us;
}

ttp_str ttp_diff_group_label(const struct ttp_diff_view *view, const struct ttp_diff_group *group,
                             struct ttp_arena *arena)
{
    const struct ttp_diff_op *op = &view->diff->op[group->first];
    const ttp_str name = ttp_paint_brief_name(ttp_diff_op_name(view->diff, op), arena);
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, name);
    if (group->count > 1)
        ttp_sink_printf(&out, " (%u times)", group->count);
    return ttp_sink_text(&out);
}

ttp_str ttp_diff_pct_text(double base_us, double other_us, struct ttp_arena *arena)
{
    struct ttp_sink out;

    if (base_us <= 0)
        return other_us > 0 ? TTP_STR("new") : TTP_STR("");
    if (other_us <= 0)
        return TTP_STR("gone");
    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%+.1f %%", (other_us - base_us) / base_us * 100);
    return ttp_sink_text(&out);
}

static void put_us(struct ttp_sink *out, double us)
{
    ttp_sink_fixed(out, us, fabs(us) < 100 ? 2 : 1, true);
    ttp_sink_put(out, TTP_STR(" μs"));
}

ttp_str ttp_diff_verdict(const struct ttp_diff *diff, struct ttp_arena *arena)
{
    const struct ttp_diff_times *t = &diff->iteration;
    const double pct = ttp_diff_device_pct(diff);
    struct ttp_sink out;

    const bool whole = diff->base.run[0].report->window.kind == TTP_WINDOW_WHOLE;
    ttp_sink_to_arena(&out, arena);
    if (diff->test.done && !diff->test.significant)
        ttp_sink_put(&out, TTP_STR("no difference that these runs can show"));
    else if (t->base_us <= 0)
        ttp_sink_put(&out, TTP_STR("the base has no time to compare with"));
    else if (t->other_us == t->base_us)
        ttp_sink_put(&out, TTP_STR("the same"));
    else
        ttp_sink_printf(&out, "%.2f %% %s", fabs(pct), pct < 0 ? "faster" : "slower");
    ttp_sink_put(&out, whole ? TTP_STR(": device time ") : TTP_STR(": one iteration "));
    put_us(&out, t->base_us);
    ttp_sink_put(&out, TTP_STR(" to "));
    put_us(&out, t->other_us);
    if (t->base_gap_us + t->other_gap_us > 0) {
        ttp_sink_put(&out, whole ? TTP_STR(", gaps ") : TTP_STR(" (device), gaps "));
        put_us(&out, t->base_gap_us);
        ttp_sink_put(&out, TTP_STR(" to "));
        put_us(&out, t->other_gap_us);
        ttp_sink_printf(&out, " (with them %+.2f %%)", ttp_diff_total_pct(diff));
    }
    return ttp_sink_text(&out);
}

ttp_str ttp_diff_evidence(const struct ttp_diff *diff, struct ttp_arena *arena)
{
    const struct ttp_diff_test *t = &diff->test;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (!t->done) {
        ttp_sink_put(&out,
                     TTP_STR("one run of a side cannot tell noise: give several as A1,A2 B1,B2 "
                             "(five of each are enough)"));
        return ttp_sink_text(&out);
    }
    ttp_sink_printf(&out, "%zu and %zu runs, p = %.3g, shift ", diff->base.runs, diff->other.runs,
                    t->p);
    put_us(&out, t->shift_us);
    ttp_sink_put(&out, TTP_STR(" (95 %: "));
    put_us(&out, t->low_us);
    ttp_sink_put(&out, TTP_STR(" to "));
    put_us(&out, t->high_us);
    ttp_sink_char(&out, ')');
    return ttp_sink_text(&out);
}

ttp_str ttp_diff_counts(const struct ttp_diff *diff, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (unsigned k = 0; k < TTP_DIFF_KINDS; k++)
        if (diff->kinds[k])
            ttp_sink_printf(&out, "%s%zu %s", out.len ? ", " : "", diff->kinds[k],
                            ttp_diff_kind_name((enum ttp_diff_kind)k));
    const bool before = ttp_diff_is_traced(diff->base.run[0].report);
    const bool after = ttp_diff_is_traced(diff->other.run[0].report);
    if (before != after)
        ttp_sink_put(&out, after ? TTP_STR("; replayed from a trace now")
                                 : TTP_STR("; no longer replayed from a trace"));
    return ttp_sink_text(&out);
}

static void add_step(struct ttp_diff_steps *steps, ttp_str label, double delta, double *running,
                     const struct ttp_diff_group *group)
{
    steps->item[steps->count++] =
        (struct ttp_diff_step){label, delta, *running, *running + delta, group};
    *running += delta;
}

static ttp_str rest_label(size_t groups, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%zu other %s", groups, groups == 1 ? "group" : "groups");
    return ttp_sink_text(&out);
}

void ttp_diff_steps_make(struct ttp_diff_steps *out, const struct ttp_diff_view *view,
                         struct ttp_arena *arena)
{
    const struct ttp_diff *d = view->diff;
    const double base = ttp_diff_base_total(&d->times);
    double running = base, rest = 0;
    size_t rest_count = 0;

    *out = (struct ttp_diff_steps){.item = TTP_NEW(arena, struct ttp_diff_step, MAX_STEPS + 2)};
    for (size_t g = 0; g < d->groups; g++) {
        const double delta = delta_of(&d->group[g].times);
        if (g < MAX_STEPS && fabs(delta) >= base * MIN_STEP_PCT / 100 && delta != 0) {
            add_step(out, ttp_diff_group_label(view, &d->group[g], arena), delta, &running,
                     &d->group[g]);
        } else if (delta != 0) {
            rest += delta;
            rest_count++;
        }
    }
    const double gaps = d->times.other_gap_us - d->times.base_gap_us;
    if (gaps != 0)
        add_step(out, TTP_STR("gaps between ops"), gaps, &running, NULL);
    if (rest_count)
        add_step(out, rest_label(rest_count, arena), rest, &running, NULL);
}

static bool worth_a_line(const struct ttp_diff_view *view, const struct ttp_diff_group *g)
{
    const double delta = fabs(delta_of(&g->times));

    if (view->diff->op[g->first].kind != TTP_DIFF_SAME)
        return true;
    if (g->test.done)
        return g->test.significant;
    return delta > 0 && delta >= g->times.base_us * MIN_CHANGE_PCT / 100;
}

size_t *ttp_diff_listed_groups(size_t *count, size_t *left, const struct ttp_diff_view *view,
                               struct ttp_arena *arena)
{
    const struct ttp_diff *d = view->diff;
    size_t *list = TTP_NEW(arena, size_t, d->groups);

    *count = *left = 0;
    for (size_t g = 0; g < d->groups; g++) {
        if (!worth_a_line(view, &d->group[g]))
            continue;
        if (view->top == 0 || *count < view->top)
            list[(*count)++] = g;
        else
            (*left)++;
    }
    return list;
}
