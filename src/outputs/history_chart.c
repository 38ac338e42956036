/* SPDX-License-Identifier: Apache-2.0 */
/* history_chart.c - lines of runs as charts for a terminal, tables and CSV. */
#include <math.h>

#include "base/gate.h"
#include "base/iso_time.h"
#include "outputs/bench/bench_words.h"
#include "outputs/cells.h"
#include "outputs/columns_text.h"
#include "outputs/history_words.h"
#include "outputs/paint.h"

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

static void put_chart(struct ttp_sink *out, const struct ttp_trend *t, int width, bool color,
                      struct ttp_arena *arena)
{
    struct chart c = {.columns = CHART_COLUMNS};

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
        put_row(out, &c, t, row, color);
    }
    const ttp_str first = ttp_history_time(t->point[0].time_ns, true, arena);
    const ttp_str last = ttp_history_time(t->point[t->count - 1].time_ns, true, arena);
    ttp_sink_repeat(out, ' ', LABEL_MAX + 3);
    ttp_put_left(out, first, c.columns > 2 * last.len ? c.columns - last.len : first.len + 2);
    ttp_sink_put(out, last);
    ttp_sink_char(out, '\n');
}

static void put_changes(struct ttp_sink *out, const struct ttp_trend *t,
                        const struct ttp_history_style *style, struct ttp_arena *arena)
{
    static const struct ttp_cell_column columns[] = {
        {"CHANGED AT RUN", false, 0}, {"TIME (UTC)", true, 2}, {"COMMIT", true, 0},
        {"BEFORE IT", true, 3},       {"FROM", false, 1},      {"TO", false, 1},
        {"CHANGE", false, 0},         {"", true, 0},           {"P", false, 4}};
    struct ttp_cells c;

    ttp_cells_init(&c, columns, TTP_COUNT(columns), arena);
    for (size_t i = 0; i < t->changes; i++) {
        const struct ttp_trend_change *change = &t->change[i];
        const struct ttp_series_point *p = &t->point[change->at];
        struct ttp_sink number;

        ttp_cells_add_row(&c);
        ttp_sink_to_arena(&number, arena);
        ttp_sink_i64(&number, p->run);
        ttp_cells_set(&c, 0, ttp_sink_text(&number));
        ttp_cells_set(&c, 1, ttp_history_time(p->time_ns, false, arena));
        ttp_cells_set(&c, 2,
                      p->commit.len ? ttp_history_commit(p->commit, false, arena) : TTP_STR("-"));
        ttp_cells_set(&c, 3, ttp_history_commit(p[-1].commit, false, arena));
        ttp_cells_set(&c, 4, measure(change->before, &t->series, arena));
        ttp_cells_set(&c, 5, measure(change->after, &t->series, arena));
        ttp_cells_set(&c, 6, ttp_history_change(change->change, arena));
        ttp_cells_set(&c, 7, change->worse ? TTP_STR("worse") : TTP_STR("better"));
        ttp_sink_to_arena(&number, arena);
        ttp_sink_fixed(&number, change->p, 3, false);
        ttp_cells_set(&c, 8, ttp_sink_text(&number));
    }
    ttp_cells_text(out, &c, style->width, style->color);
}

static void put_trend_text(struct ttp_sink *out, const struct ttp_trend *t,
                           const struct ttp_history_style *style, struct ttp_arena *arena)
{
    ttp_sink_printf(out, "%.*s (%s is better), %zu run%s\n",
                    TTP_FMT(ttp_history_title(&t->series, arena)),
                    ttp_better_word(t->series.better), t->count, t->count == 1 ? "" : "s");
    if (t->series.machine_key.len)
        ttp_sink_printf(
            out, "%.*s\n",
            TTP_FMT(ttp_paint_shorten(ttp_history_machine(t->series.machine_key, arena),
                                      style->width > 0 ? (size_t)style->width : 200, arena)));
    ttp_sink_char(out, '\n');
    put_chart(out, t, style->width, style->color, arena);
    ttp_sink_char(out, '\n');
    if (t->changes)
        put_changes(out, t, style, arena);
    else
        ttp_sink_own(out, "no change found\n");
}

static void put_number(struct ttp_sink *out, double v)
{
    ttp_sink_char(out, ',');
    if (isfinite(v))
        ttp_sink_f64(out, v, TTP_NUM_JSON);
}

static void put_text(struct ttp_sink *out, ttp_str s)
{
    ttp_sink_char(out, ',');
    ttp_gate_put_csv(out, s);
}

/* Name, metric, variant, unit, machine. */
static void put_series(struct ttp_sink *out, const struct ttp_series *s)
{
    ttp_gate_put_csv(out, s->name);
    put_text(out, s->metric);
    put_text(out, s->variant);
    put_text(out, s->unit);
    put_text(out, s->machine_key);
}

static void put_point(struct ttp_sink *out, const struct ttp_series_point *p)
{
    char time[TTP_ISO_TIME_MAX];

    ttp_sink_char(out, ',');
    ttp_sink_i64(out, p->run);
    put_text(out, (ttp_str){time, ttp_iso_time(time, p->time_ns > 0 ? p->time_ns : 0)});
    put_text(out, p->commit);
    put_text(out, p->branch);
    put_text(out, p->host);
}

/* `level`: the median of the level a point belongs to; a change begins where `changed` is not
 * empty. */
static void trend_csv(struct ttp_sink *out, const struct ttp_trend *trend, size_t count)
{
    ttp_sink_own(out, "name,metric,variant,unit,machine,run,time,commit,branch,host,median,"
                      "min,max,samples,change_pct,p\n");
    for (size_t i = 0; i < count; i++) {
        const struct ttp_trend *t = &trend[i];
        size_t next = 0;

        for (size_t k = 0; k < t->count; k++) {
            const bool changed = next < t->changes && t->change[next].at == k;

            put_series(out, &t->series);
            put_point(out, &t->point[k]);
            put_number(out, t->point[k].median);
            put_number(out, t->point[k].low);
            put_number(out, t->point[k].high);
            put_number(out, (double)t->point[k].count);
            put_number(out, changed ? t->change[next].change * 100 : NAN);
            put_number(out, changed ? t->change[next].p : NAN);
            ttp_sink_char(out, '\n');
            next += changed;
        }
    }
}

void ttp_out_history_trend(struct ttp_sink *out, const struct ttp_trend *trend, size_t count,
                           const struct ttp_history_style *style, struct ttp_arena *arena)
{
    switch (style->form) {
    case TTP_HISTORY_JSON:
        ttp_history_trend_json(out, trend, count, style);
        break;
    case TTP_HISTORY_CSV:
        trend_csv(out, trend, count);
        break;
    case TTP_HISTORY_SVG:
        ttp_history_trend_svg(out, trend, count, arena);
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            if (i)
                ttp_sink_own(out, "\n\n");
            put_trend_text(out, &trend[i], style, arena);
        }
        if (style->more)
            ttp_sink_own(out, "\nnot all runs or lines are shown: --limit N shows N of "
                              "them, 0 all\n");
    }
}

/* ---- regressions ---- */

static void compare_text(struct ttp_sink *out, const struct ttp_line_comparison *c, size_t count,
                         const struct ttp_history_since *since,
                         const struct ttp_history_style *style, struct ttp_arena *arena)
{
    static const struct ttp_cell_column columns[] = {
        {"", true, 0},           {"WHAT", true, 0},   {"BEFORE", false, 1}, {"NOW", false, 1},
        {"CHANGE", false, 0},    {"LIMIT", false, 5}, {"RUNS", false, 3},   {"P", false, 4},
        {"SINCE RUN", false, 2}, {"COMMIT", true, 2}};
    size_t standing[TTP_STANDS_UNSURE + 1] = {0}, shown = 0, wanted = 0;
    struct ttp_cells cells;
    struct ttp_sink text;

    ttp_cells_init(&cells, columns, TTP_COUNT(columns), arena);
    for (size_t i = 0; i < count; i++) {
        const struct ttp_line_comparison *k = &c[i];

        standing[k->standing]++;
        wanted += k->standing != TTP_STANDS_SAME;
        if (k->standing == TTP_STANDS_SAME || (style->limit && shown == style->limit))
            continue;
        shown++;
        ttp_cells_add_row(&cells);
        ttp_cells_set(&cells, 0, ttp_str_from(ttp_standing_words[k->standing]));
        ttp_cells_set(&cells, 1,
                      ttp_paint_shorten(ttp_history_title(&k->series, arena), 60, arena));
        ttp_cells_set(&cells, 2, measure(k->before, &k->series, arena));
        ttp_cells_set(&cells, 3, measure(k->after, &k->series, arena));
        ttp_cells_set(&cells, 4, ttp_history_change(k->change, arena));
        ttp_cells_set(&cells, 5, ttp_history_change(k->limit, arena));
        ttp_sink_to_arena(&text, arena);
        ttp_sink_printf(&text, "%zu/%zu", k->runs_before, k->runs_after);
        ttp_cells_set(&cells, 6, ttp_sink_text(&text));
        ttp_sink_to_arena(&text, arena);
        if (isfinite(k->p) && k->p < 0.0001)
            ttp_sink_put(&text, TTP_STR("<0.0001"));
        else if (isfinite(k->p))
            ttp_sink_fixed(&text, k->p, 4, false);
        ttp_cells_set(&cells, 7, ttp_sink_text(&text));
        ttp_sink_to_arena(&text, arena);
        ttp_sink_i64(&text, k->first.run);
        ttp_cells_set(&cells, 8, ttp_sink_text(&text));
        ttp_cells_set(&cells, 9, ttp_history_commit(k->first.commit, false, arena));
    }
    if (shown) {
        ttp_cells_text(out, &cells, style->width, style->color);
        ttp_sink_char(out, '\n');
    }
    if (shown < wanted)
        ttp_sink_printf(out, "%zu more: --limit N shows N of them, 0 all\n", wanted - shown);
    struct ttp_sink line;
    ttp_sink_to_arena(&line, arena);
    ttp_sink_printf(&line, "since %s: %zu worse, %zu better, %zu undecided, %zu same", since->words,
                    standing[TTP_STANDS_WORSE], standing[TTP_STANDS_BETTER],
                    standing[TTP_STANDS_UNSURE], standing[TTP_STANDS_SAME]);
    if (since->without_before || since->without_after)
        ttp_sink_printf(&line, "; not compared: %zu without a run before, %zu without one since",
                        since->without_before, since->without_after);
    ttp_paint_wrapped(out, ttp_sink_text(&line), style->width, 0, 2);
}

static void compare_csv(struct ttp_sink *out, const struct ttp_line_comparison *c, size_t count)
{
    ttp_sink_own(out, "name,metric,variant,unit,machine,run,time,commit,branch,host,"
                      "standing,before,after,change_pct,limit_pct,noise_pct,p,runs_before,"
                      "runs_after\n");
    for (size_t i = 0; i < count; i++) {
        put_series(out, &c[i].series);
        put_point(out, &c[i].first);
        put_text(out, ttp_str_from(ttp_standing_words[c[i].standing]));
        put_number(out, c[i].before);
        put_number(out, c[i].after);
        put_number(out, c[i].change * 100);
        put_number(out, c[i].limit * 100);
        put_number(out, c[i].noise * 100);
        put_number(out, c[i].p);
        put_number(out, (double)c[i].runs_before);
        put_number(out, (double)c[i].runs_after);
        ttp_sink_char(out, '\n');
    }
}

void ttp_out_history_compare(struct ttp_sink *out, const struct ttp_line_comparison *c,
                             size_t count, const struct ttp_history_since *since,
                             const struct ttp_history_style *style, struct ttp_arena *arena)
{
    if (style->form == TTP_HISTORY_JSON)
        ttp_history_compare_json(out, c, count, since, style);
    else if (style->form == TTP_HISTORY_CSV)
        compare_csv(out, c, count);
    else
        compare_text(out, c, count, since, style, arena);
}
