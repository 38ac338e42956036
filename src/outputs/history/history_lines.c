/* SPDX-License-Identifier: Apache-2.0 */
/* history_lines.c - lines of runs as charts for a terminal and tables. */
#include <math.h>

#include "outputs/history/history_words.h"
#include "outputs/show/columns_text.h"
#include "outputs/show/measure_text.h"
#include "outputs/show/paint.h"

/* Of the chart, without its labels. */
#define CHART_ROWS    14
#define CHART_COLUMNS 72
#define LABEL_MAX     14

/* What is in a cell, in the order they cover each other. */
enum mark { MARK_NONE, MARK_CHANGE, MARK_LEVEL, MARK_POINT };
static const char *const mark_text[] = {" ", "┊", "─", "•"};

struct chart {
    unsigned char cell[CHART_ROWS][CHART_COLUMNS];
    size_t columns;
    double low, high;
};

static size_t column_of(const struct chart *c, size_t i, size_t count)
{
    return count > 1 ? i * (c->columns - 1) / (count - 1) : 0;
}

static size_t row_of(const struct chart *c, double v)
{
    const double part = (c->high - v) / (c->high - c->low);

    return (size_t)lround(fmin(fmax(part, 0), 1) * (CHART_ROWS - 1));
}

static void mark(struct chart *c, size_t row, size_t column, enum mark m)
{
    if (m > c->cell[row][column])
        c->cell[row][column] = (unsigned char)m;
}

static void draw(struct chart *c, const struct ttp_trend *t)
{
    double level;

    for (size_t i = 0; i <= t->changes; i++) {
        const size_t from = i ? t->change[i - 1].at : 0;
        const size_t to = i < t->changes ? t->change[i].at - 1 : t->count - 1;

        if (t->changes == 0)
            break;
        level = i ? t->change[i - 1].after : t->change[0].before;
        for (size_t x = column_of(c, from, t->count); x <= column_of(c, to, t->count); x++)
            mark(c, row_of(c, level), x, MARK_LEVEL);
        for (size_t y = 0; i && y < CHART_ROWS; y++)
            mark(c, y, column_of(c, from, t->count), MARK_CHANGE);
    }
    for (size_t i = 0; i < t->count; i++)
        mark(c, row_of(c, t->point[i].median), column_of(c, i, t->count), MARK_POINT);
}

static void find_range(struct chart *c, const struct ttp_trend *t)
{
    c->low = INFINITY;
    c->high = -INFINITY;
    for (size_t i = 0; i < t->count; i++) {
        c->low = fmin(c->low, t->point[i].median);
        c->high = fmax(c->high, t->point[i].median);
    }
    if (c->low == c->high) { /* one value: in the middle */
        const double room = c->low == 0 ? 1 : fabs(c->low) / 10;
        c->low -= room;
        c->high += room;
    }
}

/* The colour of a column: that of the change which led to its level. */
static enum ttp_color color_of(const struct chart *c, const struct ttp_trend *t, size_t column)
{
    enum ttp_color color = TTP_PLAIN;

    for (size_t i = 0; i < t->changes; i++)
        if (column >= column_of(c, t->change[i].at, t->count))
            color = t->change[i].worse ? TTP_RED : TTP_GREEN;
    return color;
}

static void put_row(struct ttp_sink *out, const struct chart *c, const struct ttp_trend *t,
                    size_t row, bool color)
{
    size_t end = c->columns;

    while (end > 0 && c->cell[row][end - 1] == MARK_NONE)
        end--;
    for (size_t x = 0; x < end; x++) {
        const enum mark m = (enum mark)c->cell[row][x];
        const enum ttp_color paint = !color || m == MARK_NONE ? TTP_PLAIN
                                     : m == MARK_CHANGE       ? TTP_GREY
                                                              : color_of(c, t, x);

        ttp_paint_themed(out, paint, ttp_str_from(mark_text[m]));
    }
    ttp_sink_char(out, '\n');
}

static ttp_str measure(double v, const struct ttp_series *s, struct ttp_arena *arena)
{
    return ttp_out_measure_text(v, ttp_arena_zstr(arena, s->unit), arena);
}

static void put_chart(const struct ttp_show *show, const struct ttp_trend *t)
{
    struct chart c = {.columns = CHART_COLUMNS};
    struct ttp_arena *arena = show->arena;
    struct ttp_sink *out = show->out;
    const int width = show->width;

    if (width > 0 && (size_t)width < CHART_COLUMNS + LABEL_MAX + 3)
        c.columns = width > LABEL_MAX + 23 ? (size_t)width - LABEL_MAX - 3 : 20;
    find_range(&c, t);
    draw(&c, t);
    for (size_t row = 0; row < CHART_ROWS; row++) {
        const bool labelled = row == 0 || row == CHART_ROWS - 1 || row == CHART_ROWS / 2;
        const double v = c.high - (c.high - c.low) * (double)row / (CHART_ROWS - 1);

        ttp_put_right(out,
                      labelled ? ttp_paint_shorten(measure(v, &t->series, arena), LABEL_MAX, arena)
                               : TTP_STR(""),
                      LABEL_MAX);
        ttp_sink_put(out, labelled ? TTP_STR(" ┤ ") : TTP_STR(" │ "));
        put_row(out, &c, t, row, show->color);
    }
    const ttp_str first = ttp_out_history_time(t->point[0].time_ns, true, arena);
    const ttp_str last = ttp_out_history_time(t->point[t->count - 1].time_ns, true, arena);
    ttp_sink_repeat(out, ' ', LABEL_MAX + 3);
    ttp_put_left(out, first, c.columns > 2 * last.len ? c.columns - last.len : first.len + 2);
    ttp_sink_put(out, last);
    ttp_sink_char(out, '\n');
}

/* Commits are short in tables. */
static bool short_commit(ttp_str *text, const void *arg, const struct ttp_field *field,
                         const void *row, struct ttp_arena *arena)
{
    (void)arg;
    if (!ttp_str_starts(ttp_str_from(field->id), TTP_STR("commit")))
        return false;
    *text = ttp_out_history_commit(ttp_field_value(field, NULL, row).v.text, false, arena);
    return true;
}

static void put_table(const struct ttp_show *show, const struct ttp_table *chosen)
{
    struct ttp_table table = *chosen;

    table.cell = show->columns ? NULL : short_commit;
    ttp_show_table(show, &table);
}

/* ---- trend ---- */

/* The last of several says whether there is more. */
struct line_page {
    const struct ttp_trend *trend;
    bool more;
};

static void put_trend_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_trend *t = ((const struct line_page *)arg)->trend;
    const bool markdown = show->form == TTP_FORM_MARKDOWN;

    ttp_sink_printf(show->out, "%s%.*s (%s is better), %zu run%s\n", markdown ? "## " : "",
                    TTP_FMT(ttp_out_history_title(&t->series, show->arena)),
                    ttp_measure_better_word(t->series.better), t->count, t->count == 1 ? "" : "s");
    if (t->series.machine_key.len)
        ttp_sink_printf(
            show->out, "%s%.*s\n", markdown ? "\n" : "",
            TTP_FMT(ttp_paint_shorten(ttp_out_history_machine(t->series.machine_key, show->arena),
                                      show->width > 0 ? (size_t)show->width : 200, show->arena)));
    ttp_sink_char(show->out, '\n');
}

/* Text has a chart in place of the points, unless rows or columns are asked for. */
static void put_trend(const struct ttp_show *show, const void *arg, size_t part,
                      const struct ttp_table *table)
{
    const struct ttp_trend *t = ((const struct line_page *)arg)->trend;
    const struct ttp_selection *s = &show->selection;
    const bool chosen = show->columns || s->where || s->sort || s->top;

    if (part == TTP_TREND_PART_POINTS && (chosen || show->form == TTP_FORM_MARKDOWN)) {
        put_table(show, table);
    } else if (part == TTP_TREND_PART_CHANGES && !chosen) {
        if (show->form == TTP_FORM_TEXT) {
            put_chart(show, t);
            ttp_sink_char(show->out, '\n');
        }
        if (t->changes)
            put_table(show, table);
        else
            ttp_sink_own(show->out, "no change found\n");
        if (show->form == TTP_FORM_MARKDOWN)
            ttp_sink_char(show->out, '\n');
    }
}

static void put_trend_foot(const struct ttp_show *show, const void *arg)
{
    if (((const struct line_page *)arg)->more)
        ttp_sink_own(show->out,
                     "\nsome runs or lines are hidden: --limit N shows N, 0 shows all\n");
}

static void fill_trend(struct ttp_document *doc, const struct ttp_trend *t, struct ttp_arena *arena)
{
    struct ttp_history_point *point = TTP_NEW(arena, struct ttp_history_point, t->count);
    struct ttp_out_history_change *change =
        TTP_NEW(arena, struct ttp_out_history_change, t->changes);
    const char *unit = ttp_arena_zstr(arena, t->series.unit);

    for (size_t i = 0; i < t->count; i++)
        point[i] = (struct ttp_history_point){t->series, unit, t->point[i], NAN, NAN};
    for (size_t i = 0; i < t->changes; i++) {
        const struct ttp_trend_change *c = &t->change[i];
        const struct ttp_series_point *at = &t->point[c->at];

        point[c->at].change = c->change;
        point[c->at].p = c->p;
        change[i] = (struct ttp_out_history_change){*c,
                                                    at->run,
                                                    at->time_ns,
                                                    at->commit,
                                                    at[-1].commit,
                                                    unit,
                                                    c->worse ? "worse" : "better"};
    }
    ttp_document_object(doc, TTP_TREND_PART_LINE, NULL, t);
    ttp_document_rows(doc, TTP_TREND_PART_CHANGES, NULL, change, t->changes);
    ttp_document_rows(doc, TTP_TREND_PART_POINTS, NULL, point, t->count);
}

static const struct ttp_chart charts[] = {
    {.kind = "line", .part = "points", .title = "Trend", .x = "time", .y = "median"}};
static const struct ttp_html html = {
    .title = "Trend of a metric", .chart = charts, .charts = TTP_COUNT(charts)};

ttp_code ttp_out_history_trend(const struct ttp_show *show, const struct ttp_history_about *about,
                               const struct ttp_trend *trend, size_t count, struct ttp_err *err)
{
    struct ttp_arena *arena = show->arena;
    struct ttp_document *doc = TTP_NEW(arena, struct ttp_document, count);
    struct ttp_page *page = TTP_NEW(arena, struct ttp_page, count);
    struct line_page *line = TTP_NEW(arena, struct line_page, count);

    if (ttp_form_is_picture(show->form)) {
        struct ttp_picture lines;
        ttp_out_history_trend_picture(&lines, trend, count, arena);
        return ttp_picture_show(show, &lines, err);
    }
    for (size_t i = 0; i < count; i++) {
        ttp_document_init(&doc[i], &ttp_history_trend_document, arena);
        doc[i].more = about->more;
        ttp_document_object(&doc[i], TTP_HISTORY_PART_ABOUT, NULL, about);
        fill_trend(&doc[i], &trend[i], arena);
        line[i] = (struct line_page){&trend[i], about->more && i + 1 == count};
        page[i] = (struct ttp_page){.arg = &line[i],
                                    .head = put_trend_head,
                                    .body = put_trend,
                                    .foot = put_trend_foot,
                                    .html = &html};
    }
    return ttp_show_documents(show, doc, page, count, err);
}

/* ---- regressions ---- */

static void put_lines(const struct ttp_show *show, const void *arg, size_t part,
                      const struct ttp_table *table)
{
    const struct ttp_history_verdict *v = arg;
    struct ttp_sink line;

    (void)part;
    if (table->count) {
        put_table(show, table);
        ttp_sink_char(show->out, '\n');
    }
    if (table->count < table->rows->count && !show->selection.where)
        ttp_sink_printf(show->out, "%zu more: --limit N shows N, 0 shows all\n",
                        table->rows->count - table->count);
    ttp_sink_to_arena(&line, show->arena);
    ttp_sink_printf(&line, "since %s: %zu worse, %zu better, %zu undecided, %zu same",
                    v->found.since, v->standing[TTP_STANDS_WORSE], v->standing[TTP_STANDS_BETTER],
                    v->standing[TTP_STANDS_UNSURE], v->standing[TTP_STANDS_SAME]);
    if (v->found.without_before || v->found.without_after)
        ttp_sink_printf(&line,
                        "; not compared: %zu without an earlier run, %zu without a later one",
                        v->found.without_before, v->found.without_after);
    ttp_paint_wrapped(show->out, ttp_sink_text(&line), show->width, 0, 2);
}

ttp_code ttp_out_history_compare(const struct ttp_show *show, const struct ttp_history_about *about,
                                 const struct ttp_regressions *found, struct ttp_err *err)
{
    const bool people = show->form == TTP_FORM_TEXT || show->form == TTP_FORM_MARKDOWN;
    const struct ttp_line_comparison *c = found->line;
    struct ttp_history_line *line = TTP_NEW(show->arena, struct ttp_history_line, found->count);
    struct ttp_history_verdict verdict = {*about, *found, {0}};
    const struct ttp_page page = {.arg = &verdict, .body = put_lines};
    struct ttp_document doc;
    size_t n = 0;

    for (size_t i = 0; i < found->count; i++) {
        verdict.standing[c[i].standing]++;
        if (c[i].standing == TTP_STANDS_SAME && people && !show->selection.where)
            continue;
        struct ttp_sink runs;
        ttp_sink_to_arena(&runs, show->arena);
        ttp_sink_printf(&runs, "%zu/%zu", c[i].runs_before, c[i].runs_after);
        line[n] = (struct ttp_history_line){c[i], ttp_out_history_title(&c[i].series, show->arena),
                                            ttp_sink_text(&runs),
                                            ttp_arena_zstr(show->arena, c[i].series.unit)};
        if (isinf(c[i].change)) /* there was nothing before */
            line[n].line.change = NAN;
        n++;
    }
    ttp_document_init(&doc, &ttp_history_regressions_document, show->arena);
    ttp_document_object(&doc, TTP_HISTORY_PART_ABOUT, NULL, &verdict);
    ttp_document_rows(&doc, TTP_HISTORY_PART_MAIN, NULL, line, n);
    if (ttp_ci_is_form(show->form))
        return ttp_out_history_verdicts(show, &verdict, &doc.part[TTP_HISTORY_PART_MAIN].rows, err);
    return ttp_show_document(show, &doc, &page, err);
}
