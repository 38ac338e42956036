/* SPDX-License-Identifier: Apache-2.0 */
/* diff_page.c - a diff for human readers: the verdict, its causes, then op by op. */
#include <math.h>
#include <stdio.h>

#include "base/quantity.h"
#include "outputs/diff/diff_fields.h"
#include "outputs/show/measure_text.h"
#include "outputs/show/paint.h"

#define PAGE       100 /* columns where the terminal does not say */
#define MIN_BAR    10
#define MAX_BAR    40
#define STEP_TEXTS 25           /* columns of a step's numbers */
#define INDENT     ((size_t)12) /* of what changed */
/* Groups that only took another time are listed from here on, in percent of their own. */
#define MIN_CHANGE_PCT 1.0
/* So much more gaps than device time means that the host was waited for. */
#define HOST_GAPS 2.0

/* ---- texts ---- */

/* With enough digits to see a difference of `step`. */
static ttp_str time_text(double us, double step, struct ttp_arena *arena)
{
    return ttp_out_bench_measure_text(us, fabs(step), "us", arena);
}

/* ---- the head ---- */

static size_t page_of(const struct ttp_show *show)
{
    return show->width > 0 ? (size_t)show->width : (size_t)PAGE;
}

static void put_colored(const struct ttp_show *show, enum ttp_color color, ttp_str text)
{
    ttp_paint_themed(show->out, show->color ? color : TTP_PLAIN, text);
}

/* Less time is green; the sign says it without colour. */
static enum ttp_color color_of(double change_us)
{
    return change_us < 0 ? TTP_GREEN : change_us > 0 ? TTP_RED : TTP_PLAIN;
}

static void put_side(const struct ttp_show *show, const char *label, ttp_str name,
                     const struct ttp_diff_side *side, const double us[2])
{
    const double time_us = us[0], gap_us = us[1];
    const struct ttp_report *first = side->run[0].report;
    struct ttp_sink line;

    ttp_sink_to_arena(&line, show->arena);
    ttp_sink_printf(&line, "%-6s%.*s in %zu op%s", label,
                    TTP_FMT(time_text(time_us + gap_us, 0, show->arena)), first->count,
                    first->count == 1 ? "" : "s");
    if (gap_us > 0)
        ttp_sink_printf(&line, ", %.*s of it gaps", TTP_FMT(time_text(gap_us, 0, show->arena)));
    if (side->runs > 1)
        ttp_sink_printf(&line, ", mean of %zu runs", side->runs);
    ttp_sink_printf(&line, "  %.*s", TTP_FMT(name));
    ttp_paint_wrapped(show->out, ttp_sink_text(&line), (int)page_of(show), 0, 6);
}

/* One reason not to trust the comparison: a list item in Markdown. */
static void put_reason(const struct ttp_show *show, ttp_str text)
{
    if (show->form == TTP_FORM_MARKDOWN) {
        ttp_sink_own(show->out, "- ");
        ttp_sink_printf(show->out, "%.*s\n", TTP_FMT(text));
        return;
    }
    ttp_paint_wrapped(show->out, text, (int)page_of(show), 0, 6);
}

/* Sides with figures that are wrong, and why, and other doubts: before what is concluded
 * from them. */
static void put_reasons(const struct ttp_show *show, const struct ttp_diff *d)
{
    static const char *const names[] = {"base", "other"};
    const struct ttp_diff_side *const side[] = {&d->base, &d->other};
    const struct ttp_words doubts = ttp_diff_doubts(d, show->arena);
    size_t bad = 0;

    for (size_t i = 0; i < TTP_COUNT(side); i++) {
        const struct ttp_quality *q = ttp_diff_quality(side[i]);
        for (size_t c = 0; c < TTP_CHECKS; c++) {
            if (q->item[c].level != TTP_QUALITY_BAD)
                continue;
            put_reason(show, ttp_sink_format(show->arena, "bad   %s: %.*s", names[i],
                                             TTP_FMT(q->item[c].text)));
            bad++;
        }
    }
    for (size_t i = 0; i < doubts.count; i++)
        put_reason(show, ttp_sink_format(show->arena, "warn  %s", doubts.word[i]));
    if (show->form == TTP_FORM_MARKDOWN && bad + doubts.count)
        ttp_sink_char(show->out, '\n');
}

static void put_text_head(const struct ttp_show *show, const struct ttp_diff_view *view)
{
    const struct ttp_diff *d = view->diff;
    const int page = (int)page_of(show);
    struct ttp_sink verdict;

    put_side(show, "base", view->base_name, &d->base,
             (const double[]){d->iteration.base_us, d->iteration.base_gap_us});
    put_side(show, "other", view->other_name, &d->other,
             (const double[]){d->iteration.other_us, d->iteration.other_gap_us});
    put_reasons(show, d);
    ttp_sink_char(show->out, '\n');
    ttp_sink_beside(&verdict, show->out, show->arena);
    ttp_paint_wrapped(&verdict, ttp_out_diff_verdict(d, show->arena), page, 0, 2);
    verdict.len--; /* the colour ends before the line does */
    const enum ttp_color color =
        d->test.done && !d->test.significant ? TTP_YELLOW : color_of(ttp_diff_total_pct(d));
    ttp_paint_themed_part(show->out, show->color ? color : TTP_PLAIN, &verdict);
    ttp_sink_char(show->out, '\n');
    if (d->outcome != TTP_DIFF_NO_LIMIT)
        ttp_sink_printf(show->out, "%.*s\n", TTP_FMT(ttp_out_diff_outcome(d, show->arena)));
    const ttp_str devices = ttp_out_diff_devices(d, show->arena);
    if (devices.len)
        ttp_paint_wrapped(show->out, devices, page, 0, 2);
    ttp_paint_wrapped(show->out, ttp_out_diff_evidence(d, show->arena), page, 0, 2);
    ttp_sink_printf(show->out, "%.*s\n", TTP_FMT(ttp_out_diff_counts(d, show->arena)));
    if (d->times.base_gap_us > d->times.base_us * HOST_GAPS)
        ttp_paint_wrapped(show->out,
                          TTP_STR("most of the base's time is gaps, as without a trace: use "
                                  "--no-gaps to compare device time only"),
                          page, 0, 2);
    if (d->unlike_runs)
        ttp_sink_printf(show->out,
                        "%zu of the repeated runs lack%s ops of the first run of %s side; means "
                        "exclude these ops\n",
                        d->unlike_runs, d->unlike_runs == 1 ? "s" : "",
                        d->unlike_runs == 1 ? "its" : "their");
}

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_diff_view *view = arg;

    if (show->form == TTP_FORM_TEXT) {
        put_text_head(show, view);
        return;
    }
    ttp_sink_printf(show->out, "## %.*s versus %.*s\n\n", TTP_FMT(view->other_name),
                    TTP_FMT(view->base_name));
    put_reasons(show, view->diff);
    ttp_sink_printf(show->out, "**%.*s**\n\n",
                    TTP_FMT(ttp_out_diff_verdict(view->diff, show->arena)));
    if (view->diff->outcome != TTP_DIFF_NO_LIMIT)
        ttp_sink_printf(show->out, "**%.*s**\n\n",
                        TTP_FMT(ttp_out_diff_outcome(view->diff, show->arena)));
    ttp_sink_printf(show->out, "%.*s. Ops: %.*s.\n",
                    TTP_FMT(ttp_out_diff_evidence(view->diff, show->arena)),
                    TTP_FMT(ttp_out_diff_counts(view->diff, show->arena)));
}

/* ---- the waterfall ---- */

struct scale {
    double low, high;
    size_t width;
};

static struct scale scale_of(const struct ttp_table *steps, size_t width)
{
    struct scale s = {INFINITY, -INFINITY, width};

    for (size_t i = 0; i < steps->count; i++) {
        const struct ttp_diff_step *step = ttp_records_at(steps->rows, i);

        s.low = fmin(s.low, fmin(step->from_us, step->to_us));
        s.high = fmax(s.high, fmax(step->from_us, step->to_us));
    }
    return s;
}

static size_t column_of(const struct scale *s, double us)
{
    return s->high > s->low ? (size_t)lround((us - s->low) / (s->high - s->low) * (double)s->width)
                            : 0;
}

static void put_bar(const struct ttp_show *show, const struct scale *s,
                    const struct ttp_diff_step *step)
{
    size_t from = column_of(s, fmin(step->from_us, step->to_us));
    size_t to = column_of(s, fmax(step->from_us, step->to_us));
    struct ttp_sink bar;

    if (from == s->width)
        from--;
    if (to == from)
        to++;
    ttp_sink_to_arena(&bar, show->arena);
    for (size_t i = from; i < to; i++)
        ttp_sink_put(&bar, TTP_STR("█"));
    ttp_sink_repeat(show->out, ' ', from);
    put_colored(show, color_of(step->change_us), ttp_sink_text(&bar));
    ttp_sink_repeat(show->out, ' ', s->width - to);
}

static void put_steps(const struct ttp_show *show, const struct ttp_table *steps)
{
    const size_t page = page_of(show), third = page / 3;
    const struct scale s = scale_of(steps, third < MIN_BAR   ? MIN_BAR
                                           : third > MAX_BAR ? MAX_BAR
                                                             : third);
    const size_t used = STEP_TEXTS + s.width + 2;
    const size_t room = page > used + 12 ? page - used : 12;
    double largest = 0;

    for (size_t i = 0; i < steps->count; i++)
        largest =
            fmax(largest,
                 fabs(((const struct ttp_diff_step *)ttp_records_at(steps->rows, i))->change_us));
    const struct ttp_time_unit unit = ttp_quantity_time_unit(largest);
    for (size_t i = 0; i < steps->count; i++) {
        const struct ttp_diff_step *step = ttp_records_at(steps->rows, i);
        char text[64];

        snprintf(text, sizeof(text), "%+8.2f %% %+10.1f %s ", step->pct,
                 step->change_us * unit.per_us, unit.name);
        put_colored(show, color_of(step->change_us), ttp_str_from(text));
        put_bar(show, &s, step);
        ttp_sink_printf(show->out, "  %.*s\n",
                        TTP_FMT(ttp_paint_shorten(step->label, room, show->arena)));
    }
}

/* ---- op by op ---- */

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

/* What changed, below the op. */
static void put_what(const struct ttp_show *show, const void *arg, const void *row)
{
    const size_t page = page_of(show), room = page > 2 * INDENT ? page - INDENT : INDENT;
    ttp_str list = ((const struct ttp_diff_line *)row)->what;

    (void)arg;
    while (list.len) {
        const size_t fit = parts_that_fit(list, room);

        ttp_sink_repeat(show->out, ' ', INDENT);
        ttp_paint_wrapped(show->out, ttp_str_slice(list, 0, fit), (int)page, INDENT, INDENT + 2);
        list = ttp_str_slice(list, fit + 2, list.len);
    }
}

/* In text what changed, the last of the fields, has lines of its own. */
static void put_lines(const struct ttp_show *show, const struct ttp_table *chosen)
{
    struct ttp_table table = *chosen;
    struct ttp_records rows =
        show->form == TTP_FORM_TEXT ? ttp_out_diff_fold(chosen, show->arena) : *chosen->rows;
    struct ttp_fields but_last = *rows.fields;

    if (show->form == TTP_FORM_TEXT && !show->columns) {
        but_last.count--;
        rows.fields = &but_last;
        table.rows = &rows;
        table.below = put_what;
    }
    ttp_show_table(show, &table);
    if (table.count == rows.count || show->selection.where)
        return;
    if (show->form == TTP_FORM_TEXT)
        ttp_sink_own(show->out, "... and ");
    else
        ttp_sink_char(show->out, '\n');
    ttp_sink_printf(show->out, "%zu more with smaller changes (--top 0 shows all)\n",
                    rows.count - table.count);
}

static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct ttp_diff_view *view = arg;
    const bool ops = part == TTP_DIFF_PART_OPS;
    static const char *const titles[] = {
        [TTP_DIFF_PART_STEPS] = TTP_DIFF_STEPS_TITLE,
        [TTP_DIFF_PART_LOCATIONS] = "Time by source location",
        [TTP_DIFF_PART_CONST_EVAL] = "Const-eval share",
        [TTP_DIFF_PART_GROUPS] = "Ops that differ, equal ones grouped",
        [TTP_DIFF_PART_OPS] = "Every op, in the order of the other run",
    };

    if (table->count == 0 || ttp_out_diff_put_mesh(show, view->mesh, part, table))
        return;
    if (part >= TTP_DIFF_PART_GROUPS && ops != view->all_ops)
        return;
    if (show->form == TTP_FORM_MARKDOWN)
        ttp_sink_printf(show->out, "\n### %s\n\n", titles[part]);
    else
        ttp_sink_printf(show->out, "\n%s\n", titles[part]);
    if (part >= TTP_DIFF_PART_GROUPS)
        put_lines(show, table);
    else if (show->form == TTP_FORM_MARKDOWN || part != TTP_DIFF_PART_STEPS)
        ttp_show_table(show, table);
    else
        put_steps(show, table);
}

/* ---- the document ---- */

struct building {
    const struct ttp_show *show;
    const struct ttp_diff_view *view;
    struct ttp_arena *arena;
};

static struct ttp_diff_change_of change_of(const struct ttp_diff_times *t)
{
    const double us = t->other_us - t->base_us;

    return (struct ttp_diff_change_of){us, t->base_us > 0 ? us / t->base_us * 100 : NAN};
}

/* The number of the op's line in its file. */
static uint64_t id_of(const struct ttp_diff_side *side, uint32_t op)
{
    return op == TTP_DIFF_NONE ? 0 : (uint64_t)side->run[0].report->op[op].row + 2;
}

/* Of a collective on several devices, in the first run of its side; NAN: unknown. */
static double wait_of(const struct ttp_diff_side *side, uint32_t op)
{
    const struct ttp_op *of = op == TTP_DIFF_NONE ? NULL : &side->run[0].report->op[op];

    return of && (of->has & TTP_HAS_WAIT) ? of->wait_us : NAN;
}

/* A text of tt-mlir, of the newer side if it has the op. */
static ttp_str origin_of(const struct ttp_diff *d, const struct ttp_diff_op *op,
                         enum ttp_ops_text column)
{
    const bool other = op->other != TTP_DIFF_NONE;
    const struct ttp_report *r = (other ? &d->other : &d->base)->run[0].report;

    return ttp_analysis_text(r, &r->op[other ? op->other : op->base], column);
}

/* A time that is unknown is NAN, not 0. */
static struct ttp_diff_times known_times(const struct ttp_diff_op *op,
                                         const struct ttp_diff_times *times)
{
    struct ttp_diff_times t = *times;

    if (op->base_untimed)
        t.base_us = NAN;
    if (op->other_untimed)
        t.other_us = NAN;
    return t;
}

static struct ttp_diff_line make_line(const struct building *b, const struct ttp_diff_op *op,
                                      const struct ttp_diff_times *times)
{
    const struct ttp_diff *d = b->view->diff;
    struct ttp_diff_line l = {
        .op = op,
        .base = b->view->base_name,
        .other = b->view->other_name,
        .times = known_times(op, times),
        .kind = ttp_diff_kind_name((enum ttp_diff_kind)op->kind),
        .name = ttp_diff_op_name(d, op),
        .in_base = op->base != TTP_DIFF_NONE,
        .in_other = op->other != TTP_DIFF_NONE,
        .base_id = id_of(&d->base, op->base),
        .other_id = id_of(&d->other, op->other),
        .group = op->group,
        .ops = 1,
        .base_wait_us = wait_of(&d->base, op->base),
        .other_wait_us = wait_of(&d->other, op->other),
    };

    l.change = change_of(&l.times);
    l.location = origin_of(d, op, TTP_OPS_LOCATION);
    l.const_eval = origin_of(d, op, TTP_OPS_CONST_EVAL);
    for (size_t k = 0; k < TTP_CHANGES; k++)
        if (op->changed & 1U << k)
            l.changed[l.changes++] = ttp_diff_change_name(k);
    return l;
}

/* The waits of all ops of a group; those of one are known alike. */
static void add_waits(struct ttp_diff_line *line, const struct ttp_diff *d, uint32_t group)
{
    line->base_wait_us = isnan(line->base_wait_us) ? NAN : 0;
    line->other_wait_us = isnan(line->other_wait_us) ? NAN : 0;
    for (size_t i = 0; i < d->count; i++) {
        if (d->op[i].group != group)
            continue;
        line->base_wait_us += wait_of(&d->base, d->op[i].base);
        line->other_wait_us += wait_of(&d->other, d->op[i].other);
    }
}

static bool worth_a_line(const struct ttp_diff *d, const struct ttp_diff_group *g)
{
    const double change = fabs(g->times.other_us - g->times.base_us);

    if (d->op[g->first].kind != TTP_DIFF_SAME)
        return true;
    if (g->test.done)
        return g->test.significant;
    return change > 0 && change >= g->times.base_us * MIN_CHANGE_PCT / 100;
}

/* Every group, in text and Markdown only those worth a line. */
static void add_groups(struct ttp_document *doc, const struct building *b)
{
    const struct ttp_diff *d = b->view->diff;
    const bool all = b->show->form == TTP_FORM_JSON || b->show->selection.where;
    struct ttp_diff_line *line = TTP_NEW(b->arena, struct ttp_diff_line, d->groups);
    size_t count = 0;

    for (size_t i = 0; i < d->groups; i++) {
        const struct ttp_diff_group *g = &d->group[i];

        if (!all && !worth_a_line(d, g))
            continue;
        line[count] = make_line(b, &d->op[g->first], &g->times);
        line[count].what = ttp_diff_describe(d, &d->op[g->first], b->arena);
        if (!isnan(line[count].base_wait_us) || !isnan(line[count].other_wait_us))
            add_waits(&line[count], d, (uint32_t)i);
        line[count].test = g->test;
        line[count].ops = g->count;
        line[count].min_change_us = g->min_delta_us;
        line[count++].max_change_us = g->max_delta_us;
    }
    ttp_document_rows(doc, TTP_DIFF_PART_GROUPS, NULL, line, count);
}

/* Ops of the groups that are shown; JSON says what changed once for the group. */
static ttp_code add_ops(struct ttp_document *doc, const struct building *b, struct ttp_err *err)
{
    const struct ttp_diff *d = b->view->diff;
    const bool json = b->show->form == TTP_FORM_JSON;
    struct ttp_diff_line *line = TTP_NEW(b->arena, struct ttp_diff_line, d->count);
    bool *shown = TTP_NEW(b->arena, bool, d->groups);
    const struct ttp_records *groups = &doc->part[TTP_DIFF_PART_GROUPS].rows;
    size_t *index, chosen = d->groups, count = 0;

    memset(shown, b->view->all_ops, d->groups);
    if (!b->view->all_ops)
        TTP_TRY(ttp_records_select(&index, &chosen, groups, &b->show->selection, b->arena, err));
    for (size_t i = 0; !b->view->all_ops && i < chosen; i++)
        shown[((const struct ttp_diff_line *)ttp_records_at(groups, index[i]))->group] = true;
    for (size_t i = 0; i < d->count; i++) {
        if (!shown[d->op[i].group])
            continue;
        line[count] = make_line(b, &d->op[i], &d->op[i].times);
        if (!json)
            line[count].what = ttp_diff_describe(d, &d->op[i], b->arena);
        count++;
    }
    ttp_document_rows(doc, TTP_DIFF_PART_OPS, NULL, line, count);
    return TTP_OK;
}

static ttp_code build(struct ttp_document *doc, const struct building *b, struct ttp_err *err)
{
    const struct ttp_diff *d = b->view->diff;
    struct ttp_diff_whole *whole = TTP_NEW(b->arena, struct ttp_diff_whole, 1);

    *whole = (struct ttp_diff_whole){
        .diff = d,
        .base = b->view->base_name,
        .other = b->view->other_name,
        .base_runs = d->base.runs,
        .other_runs = d->other.runs,
        .unlike_runs = d->unlike_runs,
        .times = d->iteration,
        .base_window = &d->base.run[0].report->window,
        .other_window = &d->other.run[0].report->window,
        .quality = b->view->quality,
        .base_quality = ttp_diff_quality(&d->base),
        .other_quality = ttp_diff_quality(&d->other),
        .limit_pct = isfinite(d->limit_pct) ? d->limit_pct : NAN,
        .outcome = ttp_str_from(ttp_diff_outcome_name(d->outcome)),
        .test = d->test,
        .change = change_of(&d->iteration),
        .base_total_us = ttp_diff_base_total(&d->iteration),
        .other_total_us = ttp_diff_other_total(&d->iteration),
        .total_pct = ttp_diff_total_pct(d),
    };
    ttp_document_init(doc, b->view->all_ops ? &ttp_diff_ops_document : &ttp_diff_document,
                      b->arena);
    ttp_document_object(doc, TTP_DIFF_PART_SHARED, NULL, whole);
    ttp_document_object(doc, TTP_DIFF_PART_VIEW, NULL, whole);
    ttp_out_diff_add_steps(doc, d, b->arena);
    ttp_out_diff_add_origins(doc, d, b->arena);
    if (b->view->mesh)
        ttp_out_diff_add_mesh(doc, b->view->mesh);
    add_groups(doc, b);
    return add_ops(doc, b, err);
}

static const struct ttp_chart charts[] = {{.kind = "bars",
                                           .part = "steps",
                                           .title = TTP_DIFF_STEPS_TITLE,
                                           .label = "label",
                                           .y = "change_us",
                                           .fold_table = true}};
static const struct ttp_html html = {
    .title = "Comparison of runs", .chart = charts, .charts = TTP_COUNT(charts)};

ttp_code ttp_out_diff(const struct ttp_show *show, const struct ttp_diff_view *view, size_t count,
                      struct ttp_err *err)
{
    struct ttp_document *doc = TTP_NEW(show->arena, struct ttp_document, count);
    struct ttp_page *page = TTP_NEW(show->arena, struct ttp_page, count);
    struct ttp_diff_view *shown = TTP_NEW(show->arena, struct ttp_diff_view, count);

    for (size_t i = 0; i < count; i++) {
        const struct building b = {show, &shown[i], show->arena};

        shown[i] = view[i];
        shown[i].all_ops = view[i].all_ops || ttp_form_flat(show->form);
        TTP_TRY(build(&doc[i], &b, err));
        page[i] = (struct ttp_page){
            .arg = &shown[i],
            .head = put_head,
            .body = put_body,
            .html = &html,
            .csv_columns = "base,other,kind,base_id,other_id,op,base_us,other_us,change_us,"
                           "base_gap_us,other_gap_us,what"};
    }
    if (ttp_ci_is_form(show->form)) {
        struct ttp_ci_suite *suite = TTP_NEW(show->arena, struct ttp_ci_suite, count);

        for (size_t i = 0; i < count; i++)
            TTP_TRY(ttp_out_diff_verdicts(&suite[i], show, &view[i], &doc[i], err));
        ttp_ci_put(show, suite, count);
        return TTP_OK;
    }
    return ttp_show_documents(show, doc, page, count, err);
}
