/* SPDX-License-Identifier: Apache-2.0 */
/* tune_document.c - a session as one document, in any form. */
#include <math.h>

#include "outputs/tune/tune_fields.h"
#include "outputs/tune/tune_words.h"

/* Advice beyond this is for `tt-perf advise`. */
#define ADVICE 10

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
        .trial = s->trial.rule ? &s->trial : NULL,
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
    ttp_document_set(doc, part, NULL, (struct ttp_document_rows){m, sizeof(*m), m->count ? 1 : 0});
}

/* What is left to do: JSON has more of it than people read. */
static void fill_rest(struct ttp_document *doc, const struct ttp_tune_view *view,
                      struct ttp_arena *arena)
{
    const struct ttp_plan *plan = view->plan;
    struct ttp_tune_step_view *step = TTP_NEW(arena, struct ttp_tune_step_view, TTP_TUNE_STEPS);
    const size_t count = plan ? plan->count < ADVICE ? plan->count : ADVICE : 0;
    struct ttp_tune_advice *advice = TTP_NEW(arena, struct ttp_tune_advice, count);

    for (size_t i = 0; i < count; i++) {
        const struct ttp_plan_item *item = &plan->item[i];

        advice[i] = (struct ttp_tune_advice){
            item->rule->id,     ttp_advice_step_id(item->rule->step),     item->rule->title,
            item->rule->verify, item->gain_us > 0 ? item->gain_pct : NAN, item->evidence};
    }
    ttp_document_rows(doc, TTP_TUNE_PART_STEPS, NULL, step, ttp_out_tune_steps(step, view, arena));
    ttp_document_rows(doc, TTP_TUNE_PART_PLAN, NULL, advice, count);
    struct ttp_tune_figure *figure;
    const size_t figures = ttp_out_tune_figure_rows(&figure, view->session, arena);
    ttp_document_rows(doc, TTP_TUNE_PART_FIGURES, NULL, figure, figures);
    const struct ttp_tune_gate *check = ttp_tune_last_check(view->session);
    ttp_document_set(doc, TTP_TUNE_PART_CHECK, NULL,
                     (struct ttp_document_rows){check, sizeof(*check), check->ran ? 1 : 0});
}

static const struct ttp_chart charts[] = {{.kind = "bars",
                                           .part = "changes",
                                           .title = "Changes",
                                           .label = "title",
                                           .y = "change_percent",
                                           .color = "outcome"}};
static const struct ttp_html html = {
    .title = "Tuning session", .chart = charts, .charts = TTP_COUNT(charts)};

ttp_code ttp_out_tune(const struct ttp_show *show, const struct ttp_tune_view *view,
                      struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .body = ttp_out_tune_put_body, .html = &html};
    const struct ttp_tune_session *s = view->session;
    const struct ttp_tune_head head = make_head(view);
    const size_t first = ttp_out_tune_first_shown(view);
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_tune_document, show->arena);
    ttp_document_object(&doc, TTP_TUNE_PART_HEAD, NULL, &head);
    if (!view->change) {
        ttp_document_object(&doc, TTP_TUNE_PART_SETUP, NULL, s);
        fill_measured(&doc, TTP_TUNE_PART_BASELINE, &s->at_start);
        fill_measured(&doc, TTP_TUNE_PART_FINAL, &s->at_end);
        fill_rest(&doc, view, show->arena);
        if (view->production)
            ttp_document_object(&doc, TTP_TUNE_PART_PRODUCTION, NULL, view->production);
        doc.more = first > 0;
    }
    if (!view->change || show->form == TTP_FORM_MARKDOWN)
        ttp_document_rows(&doc, TTP_TUNE_PART_CHANGES, NULL, s->count ? &s->change[first] : NULL,
                          s->count - first);
    else if (show->form != TTP_FORM_JSON)
        ttp_document_rows(&doc, TTP_TUNE_PART_CHANGES, NULL, view->change, 1);
    return ttp_show_document(show, &doc, &page, err);
}
