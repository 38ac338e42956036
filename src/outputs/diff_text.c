/* SPDX-License-Identifier: Apache-2.0 */
/* diff_text.c - a diff for people: the verdict first, then where it comes from, then op by op. */
#include <math.h>
#include <stdio.h>

#include "outputs/diff_rows.h"
#include "outputs/paint.h"

#define PAGE       100 /* columns where the terminal does not say */
#define MIN_BAR    10
#define MAX_BAR    40
#define NUMBERS    46           /* columns of the numbers before an op's name */
#define STEP_TEXTS 24           /* columns of a step's numbers */
#define INDENT     ((size_t)12) /* of what changed */

/* So much more gaps than device time means that the host was waited for. */
#define HOST_GAPS 2.0

struct printing {
    struct ttp_sink *out;
    const struct ttp_diff_view *view;
    struct ttp_arena *arena;
    size_t page;
};

static void put_colored(const struct printing *p, enum ttp_color color, ttp_str text)
{
    if (p->view->color)
        ttp_paint_themed(p->out, color, text);
    else
        ttp_sink_put(p->out, text);
}

/* Less time is green; the sign says it without colour. */
static enum ttp_color color_of(double delta_us)
{
    return delta_us < 0 ? TTP_GREEN : delta_us > 0 ? TTP_RED : TTP_PLAIN;
}

static void put_side(const struct printing *p, const char *label, ttp_str name,
                     const struct ttp_diff_side *side, double time_us, double gap_us)
{
    const struct ttp_report *first = side->run[0].report;
    struct ttp_sink line;

    ttp_sink_to_arena(&line, p->arena);
    ttp_sink_printf(&line, "%-6s", label);
    ttp_sink_fixed(&line, time_us + gap_us, 1, true);
    ttp_sink_printf(&line, " μs in %zu op%s", first->count, first->count == 1 ? "" : "s");
    if (gap_us > 0) {
        ttp_sink_put(&line, TTP_STR(", "));
        ttp_sink_fixed(&line, gap_us, 1, true);
        ttp_sink_put(&line, TTP_STR(" μs of it gaps"));
    }
    if (side->runs > 1)
        ttp_sink_printf(&line, ", mean of %zu runs", side->runs);
    ttp_sink_printf(&line, "  %.*s", TTP_FMT(name));
    ttp_paint_wrapped(p->out, ttp_sink_text(&line), (int)p->page, 0, 6);
}

static void put_head(const struct printing *p)
{
    const struct ttp_diff *d = p->view->diff;
    struct ttp_sink verdict;

    put_side(p, "base", p->view->base_name, &d->base, d->iteration.base_us,
             d->iteration.base_gap_us);
    put_side(p, "other", p->view->other_name, &d->other, d->iteration.other_us,
             d->iteration.other_gap_us);
    ttp_sink_char(p->out, '\n');
    ttp_sink_beside(&verdict, p->out, p->arena);
    ttp_paint_wrapped(&verdict, ttp_diff_verdict(d, p->arena), (int)p->page, 0, 2);
    verdict.len--; /* the colour ends before the line does */
    const enum ttp_color color =
        d->test.done && !d->test.significant ? TTP_YELLOW : color_of(ttp_diff_device_pct(d));
    ttp_paint_themed_part(p->out, p->view->color ? color : TTP_PLAIN, &verdict);
    ttp_sink_char(p->out, '\n');
    ttp_paint_wrapped(p->out, ttp_diff_evidence(d, p->arena), (int)p->page, 0, 2);
    ttp_sink_printf(p->out, "%.*s\n", TTP_FMT(ttp_diff_counts(d, p->arena)));
    if (d->times.base_gap_us > d->times.base_us * HOST_GAPS)
        ttp_paint_wrapped(p->out,
                          TTP_STR("most of the base's time is gaps, as without a trace: --no-gaps "
                                  "compares what the device did"),
                          (int)p->page, 0, 2);
    if (d->unlike_runs)
        ttp_sink_printf(p->out,
                        "%zu of the repeated runs do not have the same ops as the first of their "
                        "side; those they lack are left out of their means\n",
                        d->unlike_runs);
}

/* ---- the waterfall ---- */

struct scale {
    double low, high;
    size_t width;
};

static struct scale scale_of(const struct ttp_diff_steps *steps, size_t width)
{
    struct scale s = {INFINITY, -INFINITY, width};

    for (size_t i = 0; i < steps->count; i++) {
        s.low = fmin(s.low, fmin(steps->item[i].from_us, steps->item[i].to_us));
        s.high = fmax(s.high, fmax(steps->item[i].from_us, steps->item[i].to_us));
    }
    return s;
}

static size_t column_of(const struct scale *s, double us)
{
    return s->high > s->low ? (size_t)lround((us - s->low) / (s->high - s->low) * (double)s->width)
                            : 0;
}

static void put_bar(const struct printing *p, const struct scale *s,
                    const struct ttp_diff_step *step)
{
    size_t from = column_of(s, fmin(step->from_us, step->to_us));
    size_t to = column_of(s, fmax(step->from_us, step->to_us));
    struct ttp_sink bar;

    if (from == s->width)
        from--;
    if (to == from)
        to++;
    ttp_sink_to_arena(&bar, p->arena);
    for (size_t i = from; i < to; i++)
        ttp_sink_put(&bar, TTP_STR("█"));
    ttp_sink_repeat(p->out, ' ', from);
    put_colored(p, color_of(step->delta_us), ttp_sink_text(&bar));
    ttp_sink_repeat(p->out, ' ', s->width - to);
}

static void put_steps(const struct printing *p)
{
    const double base = ttp_diff_base_total(&p->view->diff->times);
    struct ttp_diff_steps steps;

    ttp_diff_steps_make(&steps, p->view, p->arena);
    if (steps.count == 0)
        return;
    const size_t third = p->page / 3;
    const struct scale s = scale_of(&steps, third < MIN_BAR   ? MIN_BAR
                                            : third > MAX_BAR ? MAX_BAR
                                                              : third);
    const size_t used = STEP_TEXTS + s.width + 2;
    const size_t room = p->page > used + 12 ? p->page - used : 12;
    ttp_sink_own(p->out, "\nWhere it comes from\n");
    for (size_t i = 0; i < steps.count; i++) {
        const struct ttp_diff_step *step = &steps.item[i];
        char text[64];
        snprintf(text, sizeof(text), "%+8.2f %% %+10.1f μs ",
                 base > 0 ? step->delta_us / base * 100 : 0, step->delta_us);
        put_colored(p, color_of(step->delta_us), ttp_str_from(text));
        put_bar(p, &s, step);
        ttp_sink_printf(p->out, "  %.*s\n",
                        TTP_FMT(ttp_paint_shorten(step->label, room, p->arena)));
    }
}

/* ---- op by op ---- */

struct line {
    const struct ttp_diff_op *op;
    const struct ttp_diff_times *times;
    ttp_str label;
    const struct ttp_diff_test *test;
};

/* Length of the parts of a list, with ", " between them, that fit into `room`: at least one. */
static size_t parts_that_fit(ttp_str list, size_t room)
{
    size_t fit = 0;

    while (fit < list.len) {
        const size_t from = fit ? fit + 2 : 0;
        const size_t part = ttp_str_find(ttp_str_slice(list, from, list.len), TTP_STR(", "));
        const size_t end = part == TTP_NPOS ? list.len : from + part;
        if (fit && end > room)
            break;
        fit = end;
    }
    return fit;
}

static void put_wrapped(const struct printing *p, ttp_str list)
{
    const size_t room = p->page > 2 * INDENT ? p->page - INDENT : INDENT;

    while (list.len) {
        const size_t fit = parts_that_fit(list, room);
        ttp_sink_repeat(p->out, ' ', INDENT);
        ttp_sink_put(p->out, ttp_str_slice(list, 0, fit));
        ttp_sink_char(p->out, '\n');
        list = ttp_str_slice(list, fit + 2, list.len);
    }
}

static void put_line(const struct printing *p, const struct line *l)
{
    const double delta = l->times->other_us - l->times->base_us;
    const ttp_str pct = ttp_diff_pct_text(l->times->base_us, l->times->other_us, p->arena);
    const ttp_str what = ttp_diff_describe(p->view->diff, l->op, p->arena);
    const size_t room = p->page > NUMBERS + 16 ? p->page - NUMBERS : 16;
    const bool bare = l->op->kind == TTP_DIFF_SAME || l->op->kind == TTP_DIFF_CHANGED;
    char text[64];

    snprintf(text, sizeof(text), "%+11.2f %9.*s", delta, TTP_FMT(pct));
    put_colored(p, color_of(delta), ttp_str_from(text));
    ttp_sink_printf(p->out, " %11.2f %11.2f  ", l->times->base_us, l->times->other_us);
    if (!bare)
        ttp_sink_printf(p->out, "%s: ", ttp_diff_kind_name((enum ttp_diff_kind)l->op->kind));
    ttp_sink_put(p->out, ttp_paint_shorten(l->label, room - (bare ? 0 : 9), p->arena));
    if (l->test && l->test->done)
        ttp_sink_printf(p->out, "  p = %.3g%s", l->test->corrected_p,
                        l->test->significant ? "" : " (not shown)");
    ttp_sink_char(p->out, '\n');
    put_wrapped(p, what);
}

static void put_line_titles(const struct printing *p, const char *title)
{
    ttp_sink_printf(p->out, "\n%s\n", title);
    ttp_sink_own(p->out, "  change μs    change     base μs    other μs  op\n");
}

static void put_groups(const struct printing *p)
{
    const struct ttp_diff *d = p->view->diff;
    size_t count, left;
    const size_t *list = ttp_diff_listed_groups(&count, &left, p->view, p->arena);

    if (count == 0)
        return;
    put_line_titles(p, "Ops that differ, equal ones together");
    for (size_t i = 0; i < count; i++) {
        const struct ttp_diff_group *g = &d->group[list[i]];
        const struct line l = {&d->op[g->first], &g->times,
                               ttp_diff_group_label(p->view, g, p->arena), &g->test};
        put_line(p, &l);
    }
    if (left)
        ttp_sink_printf(p->out, "... and %zu more with smaller changes (--top 0 shows all)\n",
                        left);
}

static void put_ops(const struct printing *p)
{
    const struct ttp_diff *d = p->view->diff;

    put_line_titles(p, "Every op, in the order of the other run");
    for (size_t i = 0; i < d->count; i++) {
        const ttp_str name = ttp_diff_op_name(d, &d->op[i]);
        const struct line l = {&d->op[i], &d->op[i].times, ttp_paint_brief_name(name, p->arena),
                               NULL};
        put_line(p, &l);
    }
}

void ttp_out_diff_text(struct ttp_sink *out, const struct ttp_diff_view *view,
                       struct ttp_arena *arena)
{
    const struct printing p = {out, view, arena,
                               view->width > 0 ? (size_t)view->width : (size_t)PAGE};

    put_head(&p);
    put_steps(&p);
    if (view->all_ops)
        put_ops(&p);
    else
        put_groups(&p);
}
