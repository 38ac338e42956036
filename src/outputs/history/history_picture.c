/* SPDX-License-Identifier: Apache-2.0 */
/* history_picture.c - lines of runs as one picture: a panel each, levels and changes marked. */
#include <math.h>

#include "outputs/history/history_words.h"
#include "outputs/picture/picture.h"
#include "outputs/show/measure_text.h"

#define PAGE_WIDTH   760.0
#define PANEL_HEIGHT 260.0
#define LEFT         92.0
#define RIGHT        24.0
#define TOP          44.0
#define BOTTOM       56.0
#define DOT          3.6
#define TICKS        4

#define RGB_INK    0x222222u
#define RGB_FAINT  0x707070u
#define RGB_GRID   0xe4e4e4u
#define RGB_POINT  0x4878a8u
#define RGB_LEVEL  0x1c3c5cu
#define RGB_WORSE  0xb02020u
#define RGB_BETTER 0x1f7a33u

struct panel {
    struct ttp_picture *picture;
    const struct ttp_trend *trend;
    struct ttp_box area;
    double low, high;
    struct ttp_arena *arena;
};

static double x_of(const struct panel *n, size_t i)
{
    const double part = n->trend->count > 1 ? (double)i / (double)(n->trend->count - 1) : 0.5;
    return n->area.x + part * n->area.w;
}

static double y_of(const struct panel *n, double v)
{
    return n->area.y + (n->high - v) / (n->high - n->low) * n->area.h;
}

static ttp_str measure(const struct panel *n, double v)
{
    return ttp_picture_clean(
        ttp_out_measure_text(v, ttp_arena_zstr(n->arena, n->trend->series.unit), n->arena),
        n->arena);
}

/* "10 ms", not "10.00 ms": ticks are round. */
static ttp_str tick_text(const struct panel *n, double v)
{
    const ttp_str text = measure(n, v);
    const size_t blank = ttp_str_find_char(text, ' ');
    const ttp_str number = ttp_str_slice(text, 0, blank == TTP_NPOS ? text.len : blank);
    size_t end = number.len;
    struct ttp_sink out;

    if (ttp_str_find_char(number, '.') == TTP_NPOS || ttp_str_find_char(number, 'e') != TTP_NPOS)
        return text;
    while (number.ptr[end - 1] == '0')
        end--;
    end -= number.ptr[end - 1] == '.';
    ttp_sink_to_arena(&out, n->arena);
    ttp_sink_put(&out, ttp_str_slice(number, 0, end));
    ttp_sink_put(&out, ttp_str_slice(text, number.len, text.len));
    return ttp_sink_text(&out);
}

static void find_range(struct panel *n)
{
    n->low = INFINITY;
    n->high = -INFINITY;
    for (size_t i = 0; i < n->trend->count; i++) {
        n->low = fmin(n->low, n->trend->point[i].median);
        n->high = fmax(n->high, n->trend->point[i].median);
    }
    const double span = n->high - n->low;
    const double room = span > 0 ? span * 0.08 : n->low == 0 ? 1 : fabs(n->low) / 10;
    n->low -= room;
    n->high += room;
}

/* 1, 2 or 5 times a power of ten, so that ticks are round numbers in the unit they are shown in. */
static double tick_step(double span)
{
    const double power = pow(10, floor(log10(span / TICKS)));
    const double part = span / TICKS / power;

    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void draw_axes(const struct panel *n)
{
    const struct ttp_font label = {.size = 9, .anchor = TTP_ANCHOR_END, .rgb = RGB_FAINT};
    const struct ttp_font left = {.size = 9, .rgb = RGB_FAINT};
    const double base = n->area.y + n->area.h;

    const double step = tick_step(n->high - n->low);
    const double first = ceil(n->low / step) * step;
    for (int i = 0; first + i * step <= n->high; i++) {
        const double v = first + i * step, y = y_of(n, v);

        ttp_picture_line(n->picture, (struct ttp_box){n->area.x, y, n->area.w, 0}, RGB_GRID, 0.6);
        ttp_picture_text(n->picture, n->area.x - 6, y + 3, tick_text(n, v), &label);
    }
    ttp_picture_text(n->picture, n->area.x, base + 26,
                     ttp_out_history_time(n->trend->point[0].time_ns, true, n->arena), &left);
    if (n->trend->count > 1)
        ttp_picture_text(
            n->picture, n->area.x + n->area.w, base + 26,
            ttp_out_history_time(n->trend->point[n->trend->count - 1].time_ns, true, n->arena),
            &label);
}

static ttp_str tip_of(const struct panel *n, const struct ttp_series_point *p)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, n->arena);
    ttp_sink_printf(&out, "run %lld, %.*s: %.*s", (long long)p->run,
                    TTP_FMT(ttp_out_history_time(p->time_ns, false, n->arena)),
                    TTP_FMT(measure(n, p->median)));
    if (p->commit.len)
        ttp_sink_printf(&out, ", %.*s",
                        TTP_FMT(ttp_out_history_commit(p->commit, false, n->arena)));
    return ttp_picture_clean(ttp_sink_text(&out), n->arena);
}

static void draw_points(const struct panel *n)
{
    for (size_t i = 0; i < n->trend->count; i++) {
        const struct ttp_series_point *p = &n->trend->point[i];

        ttp_picture_rect(
            n->picture,
            (struct ttp_box){x_of(n, i) - DOT / 2, y_of(n, p->median) - DOT / 2, DOT, DOT},
            RGB_POINT, tip_of(n, p));
    }
}

static void draw_levels(const struct panel *n)
{
    const struct ttp_trend *t = n->trend;

    for (size_t i = 0; t->changes && i <= t->changes; i++) {
        const double level = i ? t->change[i - 1].after : t->change[0].before;
        const double from = x_of(n, i ? t->change[i - 1].at : 0);
        const double to = x_of(n, i < t->changes ? t->change[i].at - 1 : t->count - 1);

        ttp_picture_line(n->picture, (struct ttp_box){from, y_of(n, level), to - from, 0},
                         RGB_LEVEL, 1.6);
    }
}

/* A line at each change; what it was and the commit above, where labels do not meet. */
static void draw_changes(const struct panel *n)
{
    double free_from[2] = {0, 0}; /* two rows of labels */

    for (size_t i = 0; i < n->trend->changes; i++) {
        const struct ttp_trend_change *c = &n->trend->change[i];
        const struct ttp_series_point *at = &n->trend->point[c->at];
        const struct ttp_font font = {
            .size = 9, .bold = true, .rgb = c->worse ? RGB_WORSE : RGB_BETTER};
        const double x = (x_of(n, c->at) + x_of(n, c->at - 1)) / 2;
        struct ttp_sink text;

        ttp_picture_line(n->picture, (struct ttp_box){x, n->area.y, 0, n->area.h}, font.rgb, 0.9);
        ttp_sink_to_arena(&text, n->arena);
        ttp_sink_printf(&text, "%.*s %s", TTP_FMT(ttp_out_history_change(c->change, n->arena)),
                        c->worse ? "worse" : "better");
        if (at->commit.len)
            ttp_sink_printf(&text, ", %.*s",
                            TTP_FMT(ttp_out_history_commit(at->commit, false, n->arena)));
        const ttp_str label = ttp_picture_clean(ttp_sink_text(&text), n->arena);
        const double width = ttp_picture_measure(label, &font);
        const double start = fmin(x, n->area.x + n->area.w - width);
        const int row = start >= free_from[0] ? 0 : start >= free_from[1] ? 1 : -1;
        if (row < 0)
            continue;
        free_from[row] = start + width + 8;
        ttp_picture_text(n->picture, start, n->area.y + n->area.h + 38 + 11 * row, label, &font);
    }
}

static void draw_panel(struct ttp_picture *p, const struct ttp_trend *t, double top,
                       struct ttp_arena *arena)
{
    const struct ttp_font title = {.size = 12, .bold = true, .rgb = RGB_INK};
    const struct ttp_font small = {.size = 9, .rgb = RGB_FAINT};
    const double width = PAGE_WIDTH - LEFT - RIGHT;
    struct panel n = {
        .picture = p,
        .trend = t,
        .area = {LEFT, top + TOP, width, PANEL_HEIGHT - TOP - BOTTOM},
        .arena = arena,
    };

    find_range(&n);
    ttp_picture_text(
        p, LEFT, top + 20,
        ttp_picture_fit(ttp_picture_clean(ttp_out_history_title(&t->series, arena), arena), &title,
                        width, arena),
        &title);
    ttp_picture_text(
        p, LEFT, top + 34,
        ttp_picture_fit(ttp_picture_clean(ttp_sink_format(arena, "%s is better, %zu run%s%s%.*s",
                                                          ttp_measure_better_word(t->series.better),
                                                          t->count, t->count == 1 ? "" : "s",
                                                          t->series.machine_key.len ? ", " : "",
                                                          TTP_FMT(t->series.machine_key)),
                                          arena),
                        &small, width, arena),
        &small);
    draw_axes(&n);
    draw_changes(&n);
    draw_levels(&n);
    draw_points(&n);
}

void ttp_out_history_trend_picture(struct ttp_picture *out, const struct ttp_trend *trend,
                                   size_t count, struct ttp_arena *arena)
{
    ttp_picture_begin(out, PAGE_WIDTH, PANEL_HEIGHT * (double)(count ? count : 1) + 12, arena);
    out->title = TTP_STR("Measurements over time");
    out->description =
        TTP_STR("One panel for each line of runs; a vertical line marks each change.");
    for (size_t i = 0; i < count; i++)
        draw_panel(out, &trend[i], PANEL_HEIGHT * (double)i, arena);
}
