/* SPDX-License-Identifier: Apache-2.0 */
/* tune_page.c - a session for human readers. */
#include <math.h>

#include "outputs/bench/bench_words.h"
#include "outputs/show/paint.h"
#include "outputs/tune/tune_fields.h"
#include "outputs/tune/tune_words.h"

/* Advice beyond this is for `tt-perf advise`. */
#define BOTTLENECKS 5
#define POINTS      20
#define ADVICE      10

struct page {
    const struct ttp_show *show;
    struct ttp_sink *out;
    const struct ttp_tune_view *view;
    struct ttp_arena *arena;
};

#define ROW_COLUMN 12

static void put_row(const struct page *p, const char *label, ttp_str text)
{
    if (text.len == 0)
        return;
    ttp_sink_printf(p->out, "  %-10s", label);
    ttp_paint_wrapped(p->out, text, p->show->width, ROW_COLUMN, ROW_COLUMN);
}

static TTP_PRINTF(3, 4) void put_words(const struct page *p, const char *label, const char *text,
                                       ...)
{
    va_list args;

    va_start(args, text);
    const ttp_str line = ttp_sink_vformat(p->arena, text, args);
    va_end(args);
    put_row(p, label, line);
}

/* A sentence on lines of its own. */
static void put_sentence(const struct page *p, ttp_str text)
{
    ttp_sink_own(p->out, "  ");
    ttp_paint_wrapped(p->out, text, p->show->width, 2, 2);
}

static void put_colored(const struct page *p, enum ttp_color color, const char *text)
{
    ttp_paint_themed(p->out, p->show->color ? color : TTP_PLAIN, ttp_str_from(text));
}

static enum ttp_color outcome_color(enum ttp_tune_outcome o)
{
    if (o == TTP_TUNE_KEPT)
        return TTP_GREEN;
    return o == TTP_TUNE_UNDECIDED || o == TTP_TUNE_PENDING ? TTP_YELLOW : TTP_RED;
}

/* ---- where it stands ---- */

/* Of wall time first, whatever decides. */
static void put_gain(const struct page *p)
{
    const struct ttp_tune_session *s = p->view->session;

    for (size_t i = s->at_start.count; i > 0; i--) {
        const struct ttp_tune_figures *f = &s->at_start.of[i - 1];

        put_row(p, f->metric,
                ttp_tune_gain_text(ttp_tune_start_value(s, i - 1), ttp_tune_best_value(s, i - 1), f,
                                   p->arena));
    }
    put_row(p, "goal", ttp_tune_goal_text(s, p->arena));
}

static void put_noise(const struct page *p)
{
    const struct ttp_tune_session *s = p->view->session;
    const struct ttp_tune_figures *f = &s->at_start.of[0];

    put_words(p, "noise",
              "baseline versus itself: %+.2f %%; single runs vary by %.2g %%; changes count from "
              "%.2g %%",
              f->change * 100, f->side[0].scatter * 100, s->setup.min_effect * 100);
}

static void put_taint(const struct page *p, const struct ttp_tune_measured *m)
{
    if (m->tainted)
        put_words(p, "machine", "%zu run%s doubtful: %s", m->tainted,
                  m->tainted == 1 ? " is" : "s are", m->taint ? m->taint : "");
}

/* ---- one change ---- */

static void put_points(const struct page *p, const struct ttp_tune_change *c)
{
    const struct ttp_tune_figures *f = &p->view->session->at_start.of[0];

    for (size_t i = 0; i < c->npoints && i < POINTS; i++) {
        const struct ttp_tune_point *point = &c->point[i];

        ttp_sink_put(p->out, i == c->sweep_best ? TTP_STR("    > ") : TTP_STR("      "));
        for (size_t k = 0; k < point->set.count; k++)
            ttp_sink_printf(p->out, "%s ", point->set.word[k]);
        if (point->pass)
            ttp_sink_put(p->out, ttp_out_measure_text(point->value, f->unit, p->arena));
        else
            ttp_sink_printf(p->out, "not counted: %s", point->reason);
        ttp_sink_char(p->out, '\n');
    }
    if (c->npoints > POINTS)
        ttp_sink_printf(p->out, "      ... and %zu more\n", c->npoints - POINTS);
}

static bool is_tree_change(const struct ttp_tune_change *c)
{
    return c->side.commit &&
           (c->kind == TTP_TUNE_EDIT || c->kind == TTP_TUNE_PATCH || c->kind == TTP_TUNE_GIT);
}

/* What became of the files, and how to get them back. */
static void put_tree(const struct page *p, const struct ttp_tune_change *c)
{
    if (!is_tree_change(c))
        return;
    if (*c->tree)
        put_row(p, "files", ttp_str_from(c->tree));
    else if (c->outcome == TTP_TUNE_KEPT && c->kind != TTP_TUNE_EDIT)
        put_row(p, "files", TTP_STR("the change is in the working tree, not committed"));
    else if (c->outcome != TTP_TUNE_KEPT && c->outcome != TTP_TUNE_PENDING &&
             (c->kind == TTP_TUNE_EDIT || c->outcome == TTP_TUNE_UNDONE) && !c->keep_edit)
        put_words(p, "files",
                  "the working tree is back at the best; the change remains as commit %.12s",
                  c->side.commit);
}

static void put_change_head(const struct page *p, const struct ttp_tune_change *c)
{
    put_colored(p, outcome_color(c->outcome), ttp_tune_outcome_name(c->outcome));
    ttp_sink_printf(p->out, ": change %llu, %s\n", (unsigned long long)c->number, c->title);
}

static void put_change(const struct page *p, const struct ttp_tune_change *c)
{
    put_change_head(p, c);
    put_row(p, ttp_tune_kind_name(c->kind), ttp_str_from(*c->detail ? c->detail : c->stat));
    put_points(p, c);
    if (c->gate.ran)
        put_row(p, "gate", ttp_tune_gate_text(&c->gate, p->arena));
    for (size_t i = c->measured.count; i > 0; i--)
        put_row(p, c->measured.of[i - 1].metric,
                ttp_tune_effect_text(&c->measured.of[i - 1], p->arena));
    put_taint(p, &c->measured);
    put_row(p, c->outcome == TTP_TUNE_UNDONE ? "was kept" : "why", ttp_str_from(c->reason));
    put_tree(p, c);
}

/* ---- status ---- */

static void put_steps(const struct page *p)
{
    static const char *const box[] = {"[-]", "[ ]", "[~]", "[x]"};
    struct ttp_tune_step_view step[TTP_STEPS];
    const size_t n = ttp_tune_steps(step, p->view, p->arena);

    ttp_sink_own(p->out, "checklist ([x] done, [~] partly or tried, [ ] open, [-] does not "
                         "apply)\n");
    for (size_t i = 0; i < n; i++)
        if (step[i].seen.len) {
            enum { COLUMN = 35 };
            ttp_sink_printf(p->out, "  %s %zu %-27s", box[step[i].state], i + 1,
                            ttp_step_title(step[i].step));
            ttp_paint_wrapped(p->out, step[i].seen, p->show->width, COLUMN, COLUMN);
        } else {
            ttp_sink_printf(p->out, "  %s %zu %s\n", box[step[i].state], i + 1,
                            ttp_step_title(step[i].step));
        }
}

static void put_bottlenecks(const struct page *p, size_t most)
{
    const struct ttp_plan *plan = p->view->plan;

    for (size_t i = 0; i < plan->count && i < most; i++) {
        const struct ttp_plan_item *item = &plan->item[i];

        struct ttp_sink text;

        ttp_sink_to_arena(&text, p->arena);
        ttp_sink_printf(&text, "%s (tt-perf explain %s)", item->rule->title, item->rule->id);
        if (item->gain_us > 0)
            ttp_sink_printf(p->out, "  %6.1f %%  ", item->gain_pct);
        else
            ttp_sink_own(p->out, "  unknown   ");
        ttp_paint_wrapped(p->out, ttp_sink_text(&text), p->show->width, 12, 12);
    }
}

static void put_next(const struct page *p)
{
    const struct ttp_tune_session *s = p->view->session;
    const struct ttp_tune_change *pending = ttp_tune_pending(s);

    ttp_sink_own(p->out, "next\n");
    if (pending) {
        struct ttp_sink line;
        ttp_sink_to_arena(&line, p->arena);
        ttp_sink_printf(&line,
                        "change %llu is pending, %s: 'tt-perf tune %s' resumes it, 'tt-perf tune "
                        "undo' drops it",
                        (unsigned long long)pending->number, pending->title,
                        pending->kind == TTP_TUNE_SWEEP ? "sweep" : "try");
        put_sentence(p, ttp_sink_text(&line));
    } else if (!p->view->plan) {
        put_sentence(p, TTP_STR("no profile of the best: make one with 'tt-perf record -o DIR -- "
                                "CMD', and add its advice with 'tt-perf tune status --run DIR'"));
    } else if (p->view->plan->count == 0) {
        ttp_sink_own(p->out, "  no rule finds a further gain in the profile\n");
    } else {
        const struct ttp_plan_item *item = &p->view->plan->item[0];

        put_bottlenecks(p, 1);
        put_row(p, "because", ttp_str_from(item->rule->why));
        put_row(p, "evidence", item->evidence);
        put_row(p, "verify", ttp_str_from(item->rule->verify));
    }
}

static void put_busy(const struct page *p)
{
    if (p->view->busy > 0)
        ttp_sink_printf(p->out, "  %-10sprocess %lld is running\n", "now",
                        (long long)p->view->busy);
    if (p->view->session->torn_bytes)
        ttp_sink_printf(p->out, "  %-10sits last record was truncated (%zu bytes) and is ignored\n",
                        "ledger", p->view->session->torn_bytes);
}

static void put_status(const struct page *p)
{
    const struct ttp_tune_session *s = p->view->session;
    const struct ttp_tune_change *kept = ttp_tune_last_kept(s);

    ttp_sink_printf(p->out, "%s\n", s->setup.command);
    put_row(p, "facts", ttp_tune_facts_text(s, p->arena));
    put_gain(p);
    put_noise(p);
    put_row(p, "changes", ttp_tune_counts_text(s, p->arena));
    if (kept)
        ttp_sink_printf(p->out, "  %-10schange %llu, %s\n", "best",
                        (unsigned long long)kept->number, kept->title);
    put_busy(p);
    put_steps(p);
    put_next(p);
}

/* ---- report ---- */

static void put_listed(const struct page *p, const struct ttp_tune_change *c)
{
    enum { COLUMN = 6 };
    const bool kept = c->outcome == TTP_TUNE_KEPT;
    const char *outcome = ttp_tune_outcome_name(c->outcome);
    struct ttp_sink line;

    ttp_sink_to_arena(&line, p->arena);
    ttp_sink_put(&line, ttp_str_from(c->title));
    if (kept && c->measured.count)
        ttp_sink_printf(&line, ": %.*s",
                        TTP_FMT(ttp_tune_effect_text(&c->measured.of[0], p->arena)));
    else if (*c->reason)
        ttp_sink_printf(&line, ": %s", c->reason);
    ttp_sink_printf(p->out, "  %3llu ", (unsigned long long)c->number);
    if (!kept) {
        put_colored(p, outcome_color(c->outcome), outcome);
        ttp_sink_char(p->out, ' ');
    }
    ttp_paint_wrapped(p->out, ttp_sink_text(&line), p->show->width,
                      COLUMN + (kept ? 0 : strlen(outcome) + 1), COLUMN);
}

static void put_list(const struct page *p, const char *heading, bool kept)
{
    const struct ttp_tune_session *s = p->view->session;
    bool any = false;

    for (size_t i = ttp_tune_first_shown(p->view); i < s->count; i++) {
        const struct ttp_tune_change *c = &s->change[i];

        if ((c->outcome == TTP_TUNE_KEPT) != kept)
            continue;
        if (!any)
            ttp_sink_printf(p->out, "\n%s\n", heading);
        any = true;
        put_listed(p, c);
    }
}

static const char *source_of(const struct ttp_tune_session *s)
{
    return s->at_end.count ? "baseline and best were measured alternately at the end"
                           : "relative to the previous one; --rerun compares it directly with "
                             "the baseline";
}

static void put_report(const struct page *p)
{
    const struct ttp_tune_view *view = p->view;
    const struct ttp_tune_session *s = view->session;
    const size_t hidden = ttp_tune_first_shown(view);

    ttp_sink_printf(p->out, "%s\n", s->setup.command);
    put_gain(p);
    put_row(p, "measured", ttp_str_from(source_of(s)));
    put_row(p, "facts", ttp_tune_facts_text(s, p->arena));
    put_noise(p);
    put_row(p, "changes", ttp_tune_counts_text(s, p->arena));
    put_busy(p);
    ttp_sink_char(p->out, '\n');
    ttp_tune_chart_text(p->show, view);
    if (hidden)
        ttp_sink_printf(p->out, "\nthe first %zu change%s not listed: --top\n", hidden,
                        hidden == 1 ? " is" : "s are");
    put_list(p, "kept", true);
    put_list(p, "not kept", false);
    ttp_sink_own(p->out, "\nremaining bottlenecks\n");
    if (view->plan && view->plan->count)
        put_bottlenecks(p, BOTTLENECKS);
    else if (view->plan)
        ttp_sink_own(p->out, "  no rule finds a further gain in the profile\n");
    else
        ttp_sink_own(p->out, "  unknown: no profile of the best; see --run\n");
}

/* ---- Markdown ---- */

static void put_item(const struct page *p, const char *label, ttp_str text)
{
    if (text.len)
        ttp_sink_printf(p->out, "- %s: %.*s\n", label, TTP_FMT(text));
}

static void put_markdown_head(const struct page *p)
{
    const struct ttp_tune_session *s = p->view->session;
    struct ttp_show plain = *p->show;

    ttp_sink_printf(p->out, "# Tuning %s\n\n", s->setup.command);
    for (size_t i = s->at_start.count; i > 0; i--)
        put_item(p, s->at_start.of[i - 1].metric,
                 ttp_tune_gain_text(ttp_tune_start_value(s, i - 1), ttp_tune_best_value(s, i - 1),
                                    &s->at_start.of[i - 1], p->arena));
    put_item(p, "goal", ttp_tune_goal_text(s, p->arena));
    put_item(p, "measured", ttp_str_from(source_of(s)));
    put_item(p, "facts", ttp_tune_facts_text(s, p->arena));
    put_item(p, "changes", ttp_tune_counts_text(s, p->arena));
    const enum ttp_gate gate = p->out->gate;
    ttp_sink_own(p->out, "\n```\n");
    p->out->gate = TTP_GATE_TEXT; /* no markup in here */
    plain.color = false;
    ttp_tune_chart_text(&plain, p->view);
    p->out->gate = gate;
    ttp_sink_own(p->out, "```\n\n## Changes\n\n");
}

static void put_markdown_foot(const struct page *p)
{
    const struct ttp_plan *plan = p->view->plan;
    struct ttp_tune_step_view step[TTP_STEPS];
    const size_t n = ttp_tune_steps(step, p->view, p->arena);

    ttp_sink_own(p->out, "\n## Checklist\n\n");
    for (size_t i = 0; i < n; i++)
        ttp_sink_printf(p->out, "- [%s] %s%s%.*s\n", step[i].state == TTP_STEP_DONE ? "x" : " ",
                        ttp_step_title(step[i].step), step[i].seen.len ? ": " : "",
                        TTP_FMT(step[i].seen));
    ttp_sink_own(p->out, "\n## Remaining bottlenecks\n\n");
    for (size_t i = 0; plan && i < plan->count && i < BOTTLENECKS; i++)
        ttp_sink_printf(p->out, "- %s (%s)\n", plan->item[i].rule->title, plan->item[i].rule->id);
    if (!plan)
        ttp_sink_own(p->out, "Unknown: there is no profile of the best.\n");
}

/* ---- the page ---- */

/* Whoever chooses rows or columns wants the table alone. */
static bool is_chosen(const struct ttp_show *show)
{
    return show->columns || show->selection.where || show->selection.sort;
}

static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct page p = {show, show->out, arg, show->arena};

    (void)part;
    if (is_chosen(show)) {
        ttp_show_table(show, table);
    } else if (show->form == TTP_FORM_MARKDOWN) {
        put_markdown_head(&p);
        if (table->count)
            ttp_show_table(show, table);
        else
            ttp_sink_own(p.out, "None yet.\n");
        put_markdown_foot(&p);
    } else if (p.view->change) {
        put_change(&p, p.view->change);
        ttp_sink_own(p.out, "so far\n");
        put_gain(&p);
    } else if (p.view->story) {
        put_report(&p);
    } else {
        put_status(&p);
    }
}

static struct ttp_tune_head make_head(const struct ttp_tune_view *view)
{
    const struct ttp_tune_session *s = view->session;
    const struct ttp_tune_change *pending = ttp_tune_pending(s);
    const double best = ttp_tune_best_value(s, 0), goal = s->setup.goal_value;
    const bool lower = s->at_start.of[0].better == TTP_BETTER_LOWER;
    struct ttp_tune_head head = {
        .action = view->action,
        .run = view->run,
        .goal = {s->setup.goal, goal, lower ? best / goal : goal / best,
                 lower ? best <= goal : best >= goal},
        .has_goal = s->setup.goal != NULL,
        .change = view->change,
        .changes = s->count,
        .has_pending = pending != NULL,
        .pending = pending ? pending->number : 0,
        .best = ttp_tune_best(s),
        .records = s->records,
        .torn_bytes = s->torn_bytes,
    };

    size_t gains = 0;
    for (size_t i = s->at_start.count; i > 0; i--) {
        const struct ttp_tune_figures *f = &s->at_start.of[i - 1];
        const double from = ttp_tune_start_value(s, i - 1), to = ttp_tune_best_value(s, i - 1);

        head.gain[gains++] = (struct ttp_tune_gain){
            f->metric,     f->unit,
            f->better,     i == 1,
            from,          to,
            to / from - 1, f->better == TTP_BETTER_LOWER ? from / to : to / from};
    }
    head.gains = gains;
    return head;
}

static void fill_measured(struct ttp_document *doc, size_t part, const struct ttp_tune_measured *m)
{
    ttp_document_set(doc, part, NULL, m, sizeof(*m), m->count ? 1 : 0);
}

/* What is left to do: JSON has more of it than people read. */
static void fill_rest(struct ttp_document *doc, const struct ttp_tune_view *view,
                      struct ttp_arena *arena)
{
    const struct ttp_plan *plan = view->plan;
    struct ttp_tune_step_view *step = TTP_NEW(arena, struct ttp_tune_step_view, TTP_STEPS);
    const size_t count = plan ? plan->count < ADVICE ? plan->count : ADVICE : 0;
    struct ttp_tune_advice *advice = TTP_NEW(arena, struct ttp_tune_advice, count);

    for (size_t i = 0; i < count; i++) {
        const struct ttp_plan_item *item = &plan->item[i];

        advice[i] = (struct ttp_tune_advice){item->rule->id,
                                             ttp_step_id(item->rule->step),
                                             item->rule->title,
                                             item->rule->verify,
                                             item->gain_us > 0 ? item->gain_pct : NAN,
                                             item->evidence};
    }
    ttp_document_rows(doc, TTP_TUNE_PART_STEPS, NULL, step, ttp_tune_steps(step, view, arena));
    ttp_document_rows(doc, TTP_TUNE_PART_PLAN, NULL, advice, count);
}

static const struct ttp_chart charts[] = {{.kind = "bars",
                                           .part = "changes",
                                           .title = "Changes",
                                           .label = "title",
                                           .y = "change_pct",
                                           .color = "outcome"}};
static const struct ttp_html html = {
    .title = "Tuning session", .chart = charts, .charts = TTP_COUNT(charts)};

ttp_code ttp_out_tune(const struct ttp_show *show, const struct ttp_tune_view *view,
                      struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .body = put_body, .html = &html};
    const struct ttp_tune_session *s = view->session;
    const struct ttp_tune_head head = make_head(view);
    const size_t first = ttp_tune_first_shown(view);
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_tune_document, show->arena);
    ttp_document_object(&doc, TTP_TUNE_PART_HEAD, NULL, &head);
    if (!view->change) {
        ttp_document_object(&doc, TTP_TUNE_PART_SETUP, NULL, s);
        fill_measured(&doc, TTP_TUNE_PART_BASELINE, &s->at_start);
        fill_measured(&doc, TTP_TUNE_PART_FINAL, &s->at_end);
        fill_rest(&doc, view, show->arena);
        doc.more = first > 0;
    }
    if (!view->change || show->form == TTP_FORM_MARKDOWN)
        ttp_document_rows(&doc, TTP_TUNE_PART_CHANGES, NULL, s->change + first, s->count - first);
    else if (show->form != TTP_FORM_JSON)
        ttp_document_rows(&doc, TTP_TUNE_PART_CHANGES, NULL, view->change, 1);
    return ttp_show_document(show, &doc, &page, err);
}
