/* SPDX-License-Identifier: Apache-2.0 */
/* tune_page.c - a session for human readers. */
#include <math.h>

#include "base/quantity.h"
#include "outputs/advise/checklist.h"
#include "outputs/bench/bench_words.h"
#include "outputs/show/paint.h"
#include "outputs/tune/tune_fields.h"
#include "outputs/tune/tune_words.h"

/* Advice beyond this is for `tt-perf advise`. */
#define BOTTLENECKS 5
#define POINTS      20

struct page {
    const struct ttp_show *show;
    struct ttp_sink *out;
    const struct ttp_tune_view *view;
    struct ttp_arena *arena;
};

/* Texts of rows begin here, or after the name of a metric. */
enum { ROW_COLUMN = 12, ROW_COLUMN_MOST = 24 };

static size_t row_column(const struct page *p)
{
    const struct ttp_tune_measured *m = &p->view->session->at_start;
    size_t column = ROW_COLUMN;

    for (size_t i = 0; i < m->count; i++)
        if (strlen(m->of[i].metric) + 3 > column)
            column = strlen(m->of[i].metric) + 3;
    return column < ROW_COLUMN_MOST ? column : ROW_COLUMN_MOST;
}

static void put_row(const struct page *p, const char *label, ttp_str text)
{
    const size_t column = row_column(p);

    if (text.len == 0)
        return;
    ttp_sink_printf(p->out, "  %-*s%s", (int)column - 2, label,
                    strlen(label) + 2 >= column ? " " : "");
    ttp_paint_wrapped(p->out, text, p->show->width, column, column);
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
                ttp_out_tune_gain_text(ttp_tune_start_value(s, i - 1),
                                       ttp_tune_best_value(s, i - 1), f, p->arena));
    }
    put_row(p, "goal", ttp_out_tune_goal_text(s, p->arena));
}

#define RECORDED "every run was recorded: wall time includes the profiler"

static bool is_recorded(const struct ttp_tune_session *s)
{
    const char *metric = s->at_start.count ? s->at_start.of[0].metric : "";

    return s->setup.profile && strcmp(metric, "wall") != 0 &&
           (strcmp(metric, "device-time") == 0 || strcmp(metric, "kernel-cycles") == 0 ||
            ttp_str_starts(ttp_str_from(s->setup.metric), TTP_STR("json:")));
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

/* The profiler takes time, which is not the workload's. */
static void put_recorded(const struct page *p)
{
    if (is_recorded(p->view->session))
        put_row(p, "recorded", TTP_STR(RECORDED));
}

static void put_check(const struct page *p)
{
    const struct ttp_tune_gate *g = ttp_tune_last_check(p->view->session);

    if (g->ran)
        put_row(p, "check", ttp_out_tune_gate_text(g, p->arena));
}

static void put_taint(const struct page *p, const struct ttp_tune_measured *m)
{
    if (m->tainted)
        put_words(p, "machine", "%zu run%s doubtful: %s", m->tainted,
                  m->tainted == 1 ? " is" : "s are", m->taint ? m->taint : "");
}

/* ---- one change ---- */

static void put_point(const struct page *p, const struct ttp_tune_change *c, size_t i)
{
    const struct ttp_tune_figures *f = &p->view->session->at_start.of[0];
    const struct ttp_tune_point *point = &c->point[i];

    ttp_sink_put(p->out, i == c->sweep_best ? TTP_STR("    > ") : TTP_STR("      "));
    for (size_t k = 0; k < point->set.count; k++)
        ttp_sink_printf(p->out, "%s ", point->set.word[k]);
    if (point->pass)
        ttp_sink_put(p->out, ttp_out_measure_text(point->value, f->unit, p->arena));
    else
        ttp_sink_printf(p->out, "not counted: %s", point->reason);
    if (point->pass && i < c->space.configs)
        ttp_sink_printf(p->out, "; %.*s predicted for the op (%.*s to %.*s)",
                        TTP_FMT(ttp_time_us_text(c->space.config[i].predicted_us, p->arena)),
                        TTP_FMT(ttp_time_us_text(c->space.config[i].low_us, p->arena)),
                        TTP_FMT(ttp_time_us_text(c->space.config[i].high_us, p->arena)));
    ttp_sink_char(p->out, '\n');
}

static void put_points(const struct page *p, const struct ttp_tune_change *c)
{
    const char *why = NULL;
    size_t shown = 0, not_run = 0;

    for (size_t i = 0; i < c->npoints; i++) {
        if (strncmp(c->point[i].reason, "not run", strlen("not run")) == 0) {
            why = not_run++ ? why : c->point[i].reason;
            continue;
        }
        if (shown++ < POINTS)
            put_point(p, c, i);
    }
    if (shown > POINTS)
        ttp_sink_printf(p->out, "      ... and %zu more\n", shown - POINTS);
    if (why)
        ttp_sink_printf(p->out, "      %zu config%s cannot win; the first: %s\n", not_run,
                        not_run == 1 ? "" : "s", why);
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
    put_row(p, "advice", ttp_out_tune_advice_text(&c->promise, p->arena));
    put_points(p, c);
    if (c->gate.ran)
        put_row(p, "gate", ttp_out_tune_gate_text(&c->gate, p->arena));
    for (size_t i = c->measured.count; i > 0; i--)
        put_row(p, c->measured.of[i - 1].metric,
                ttp_out_tune_effect_text(&c->measured.of[i - 1], p->arena));
    put_row(p, "promised", ttp_out_tune_promise_text(p->view->session, c, p->arena));
    put_taint(p, &c->measured);
    put_row(p, c->outcome == TTP_TUNE_UNDONE ? "was kept" : "why", ttp_str_from(c->reason));
    put_tree(p, c);
}

/* ---- status ---- */

static void put_steps(const struct page *p)
{
    struct ttp_tune_step_view step[TTP_TUNE_STEPS];
    const size_t n = ttp_out_tune_steps(step, p->view, p->arena);

    if (p->show->form == TTP_FORM_MARKDOWN)
        ttp_sink_own(p->out, "\n## Checklist\n\n");
    else
        ttp_sink_own(p->out, "checklist " TTP_CHECKLIST_LEGEND "\n");
    for (size_t i = 0; i < n; i++)
        if (step[i].state != TTP_STEP_NOT_APPLICABLE || p->show->form != TTP_FORM_MARKDOWN)
            ttp_out_checklist_put(p->show, step[i].state, step[i].title, step[i].seen);
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
    } else if (s->trial.rule) {
        put_sentence(p, ttp_sink_format(p->arena,
                                        "a trial of advice %llu waits for its change, %s: 'tt-perf "
                                        "tune try' measures it, 'tt-perf tune undo' drops it",
                                        (unsigned long long)s->trial.number, s->trial.title));
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

/* Advice that was taken: what to change, and how to go on. */
static void put_trial(const struct page *p)
{
    const struct ttp_tune_promise *t = &p->view->session->trial;

    ttp_sink_printf(p->out, "trial of advice %llu: %s\n", (unsigned long long)t->number, t->title);
    put_row(p, "advice", ttp_out_tune_advice_text(t, p->arena));
    put_row(p, "promised", ttp_out_tune_trial_text(p->view->session, p->arena));
    put_row(p, "evidence", ttp_str_from(t->evidence));
    if (t->op_id)
        put_words(p, "op", "ID %llu, %s", (unsigned long long)t->op_id, t->op);
    if (t->best.config) {
        put_words(p, "config", "%s; predicted %.*s (%.*s to %.*s)%s", t->best.config,
                  TTP_FMT(ttp_time_us_text(t->best.predicted_us, p->arena)),
                  TTP_FMT(ttp_time_us_text(t->best.low_us, p->arena)),
                  TTP_FMT(ttp_time_us_text(t->best.high_us, p->arena)),
                  t->pays ? "" : ", not faster by more than the error of the model");
        ttp_sink_own(p->out, "  python\n");
        ttp_str rest = ttp_str_from(t->best.python), line;
        while (ttp_str_next_line(&rest, &line))
            ttp_sink_printf(p->out, "    %.*s\n", TTP_FMT(line));
    } else {
        put_row(p, "config", TTP_STR("'tt-perf config' has none for this advice"));
    }
    put_words(p, "next",
              "make this one change, then 'tt-perf tune try' measures it and compares it with the "
              "promise; 'tt-perf tune undo' drops the trial; 'tt-perf explain %s' explains it",
              t->rule);
}

static void put_busy(const struct page *p)
{
    if (p->view->busy > 0)
        put_words(p, "now", "process %lld is running", (long long)p->view->busy);
    if (p->view->session->torn_bytes)
        put_words(p, "ledger", "its last record was truncated (%zu bytes) and is ignored",
                  p->view->session->torn_bytes);
}

static void put_status(const struct page *p)
{
    const struct ttp_tune_session *s = p->view->session;
    const struct ttp_tune_change *kept = ttp_tune_last_kept(s);

    ttp_sink_printf(p->out, "%s\n", s->setup.command);
    put_row(p, "facts", ttp_out_tune_facts_text(s, p->arena));
    put_gain(p);
    put_recorded(p);
    put_check(p);
    put_noise(p);
    put_row(p, "changes", ttp_out_tune_counts_text(s, p->arena));
    if (kept)
        put_words(p, "best", "change %llu, %s", (unsigned long long)kept->number, kept->title);
    put_busy(p);
    put_steps(p);
    ttp_out_tune_put_production(p->show, p->view->production);
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
                        TTP_FMT(ttp_out_tune_effect_text(&c->measured.of[0], p->arena)));
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

    for (size_t i = ttp_out_tune_first_shown(p->view); i < s->count; i++) {
        const struct ttp_tune_change *c = &s->change[i];

        if ((c->outcome == TTP_TUNE_KEPT) != kept)
            continue;
        if (!any)
            ttp_sink_printf(p->out, "\n%s\n", heading);
        any = true;
        put_listed(p, c);
    }
}

static void put_heading(const struct page *p, const char *text, const char *markdown)
{
    if (p->show->form == TTP_FORM_MARKDOWN)
        ttp_sink_printf(p->out, "\n## %s\n\n", markdown);
    else
        ttp_sink_printf(p->out, "\n%s\n", text);
}

static void put_promise(const struct page *p, const struct ttp_tune_change *c, ttp_str text)
{
    const ttp_str line =
        ttp_sink_format(p->arena, "%s, %s: %.*s", c->promise.rule, c->title, TTP_FMT(text));

    if (p->show->form == TTP_FORM_MARKDOWN) {
        ttp_sink_printf(p->out, "- %llu %.*s\n", (unsigned long long)c->number, TTP_FMT(line));
        return;
    }
    ttp_sink_printf(p->out, "  %3llu ", (unsigned long long)c->number);
    ttp_paint_wrapped(p->out, line, p->show->width, 6, 6);
}

static void put_promises(const struct page *p)
{
    const struct ttp_tune_session *s = p->view->session;
    bool any = false;

    for (size_t i = ttp_out_tune_first_shown(p->view); i < s->count; i++) {
        const ttp_str text = ttp_out_tune_promise_text(s, &s->change[i], p->arena);

        if (text.len == 0)
            continue;
        if (!any)
            put_heading(p, "promised and real", "Promised and real");
        any = true;
        put_promise(p, &s->change[i], text);
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
    const size_t hidden = ttp_out_tune_first_shown(view);

    ttp_sink_printf(p->out, "%s\n", s->setup.command);
    put_gain(p);
    put_row(p, "measured", ttp_str_from(source_of(s)));
    put_recorded(p);
    put_check(p);
    put_row(p, "facts", ttp_out_tune_facts_text(s, p->arena));
    put_noise(p);
    put_row(p, "changes", ttp_out_tune_counts_text(s, p->arena));
    put_busy(p);
    ttp_sink_char(p->out, '\n');
    ttp_out_tune_chart_text(p->show, view);
    if (hidden)
        ttp_sink_printf(p->out, "\nthe first %zu change%s not listed: --top\n", hidden,
                        hidden == 1 ? " is" : "s are");
    ttp_out_tune_put_figures(p->show, s);
    put_list(p, "kept", true);
    put_list(p, "not kept", false);
    put_promises(p);
    ttp_sink_char(p->out, '\n');
    put_steps(p);
    if (view->production)
        ttp_sink_char(p->out, '\n');
    ttp_out_tune_put_production(p->show, view->production);
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
                 ttp_out_tune_gain_text(ttp_tune_start_value(s, i - 1),
                                        ttp_tune_best_value(s, i - 1), &s->at_start.of[i - 1],
                                        p->arena));
    put_item(p, "goal", ttp_out_tune_goal_text(s, p->arena));
    put_item(p, "measured", ttp_str_from(source_of(s)));
    if (is_recorded(s))
        put_item(p, "recorded", TTP_STR(RECORDED));
    if (ttp_tune_last_check(s)->ran)
        put_item(p, "final check", ttp_out_tune_gate_text(ttp_tune_last_check(s), p->arena));
    put_item(p, "facts", ttp_out_tune_facts_text(s, p->arena));
    put_item(p, "changes", ttp_out_tune_counts_text(s, p->arena));
    const enum ttp_gate gate = p->out->gate;
    ttp_sink_own(p->out, "\n```\n");
    p->out->gate = TTP_GATE_TEXT; /* no markup in here */
    plain.color = false;
    ttp_out_tune_chart_text(&plain, p->view);
    p->out->gate = gate;
    ttp_sink_own(p->out, "```\n\n## Changes\n\n");
}

static void put_markdown_foot(const struct page *p)
{
    const struct ttp_plan *plan = p->view->plan;

    ttp_out_tune_put_figures(p->show, p->view->session);
    put_promises(p);
    put_steps(p);
    ttp_out_tune_put_production(p->show, p->view->production);
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

void ttp_out_tune_put_body(const struct ttp_show *show, const void *arg, size_t part,
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
    } else if (p.view->trial && p.view->session->trial.rule) {
        put_trial(&p);
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
