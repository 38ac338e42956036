/* SPDX-License-Identifier: Apache-2.0 */
/* tune_chart.c - the steps of a session as a chart: in text, and as a picture. The line is the best
 * so far; a mark is what a change had, kept or not. */
#include <math.h>
#include <stdio.h>

#include "outputs/bench/bench_words.h"
#include "outputs/picture/picture.h"
#include "outputs/show/columns_text.h"
#include "outputs/show/paint.h"
#include "outputs/tune/tune_words.h"

/* ---- text ---- */

#define ROWS        12
#define STEP        5  /* columns for each change */
#define CHART_WIDTH 72 /* where the terminal does not say */
#define LABEL       12

enum cell {
    CELL_NONE,
    CELL_FLAT,
    CELL_UP,
    CELL_END_HIGH, /* the level before ends, the way goes down */
    CELL_END_LOW,  /* the same, up */
    CELL_NEW_LOW,
    CELL_NEW_HIGH,
    CELL_GOAL,
    CELL_KEPT,
    CELL_REVERTED,
    CELL_UNDECIDED,
};

static const struct {
    const char *text;
    enum ttp_color color;
} cells[] = {
    [CELL_NONE] = {" ", TTP_PLAIN},       [CELL_FLAT] = {"─", TTP_BLUE},
    [CELL_UP] = {"│", TTP_BLUE},          [CELL_END_HIGH] = {"┐", TTP_BLUE},
    [CELL_END_LOW] = {"┘", TTP_BLUE},     [CELL_NEW_LOW] = {"└", TTP_BLUE},
    [CELL_NEW_HIGH] = {"┌", TTP_BLUE},    [CELL_GOAL] = {"┄", TTP_GREY},
    [CELL_KEPT] = {"●", TTP_GREEN},       [CELL_REVERTED] = {"×", TTP_RED},
    [CELL_UNDECIDED] = {"?", TTP_YELLOW},
};

static enum cell mark_of(enum ttp_tune_outcome o)
{
    switch (o) {
    case TTP_TUNE_KEPT:
        return CELL_KEPT;
    case TTP_TUNE_UNDECIDED:
    case TTP_TUNE_PENDING:
        return CELL_UNDECIDED;
    case TTP_TUNE_REVERTED:
    case TTP_TUNE_DROPPED:
    case TTP_TUNE_UNDONE:
        break;
    }
    return CELL_REVERTED;
}

static size_t row_of(const struct ttp_out_tune_stairs *s, double v)
{
    const double part = (s->high - v) / (s->high - s->low);

    return (size_t)(fmin(fmax(part, 0), 1) * (ROWS - 1) + 0.5);
}

static void draw_riser(enum cell *column, size_t columns, size_t from, size_t to)
{
    const bool down = to > from;

    for (size_t y = (down ? from : to) + 1; y < (down ? to : from); y++)
        column[y * columns] = CELL_UP;
    column[from * columns] = down ? CELL_END_HIGH : CELL_END_LOW;
    column[to * columns] = down ? CELL_NEW_LOW : CELL_NEW_HIGH;
}

static void draw(enum cell *grid, size_t columns, const struct ttp_out_tune_stairs *s)
{
    for (size_t x = 0; isfinite(s->goal) && x < columns; x++)
        grid[row_of(s, s->goal) * columns + x] = CELL_GOAL;
    for (size_t i = 0; i < s->count; i++) {
        const struct ttp_tune_stair *at = &s->at[i];
        const size_t row = row_of(s, at->best);
        const size_t before = i ? row_of(s, s->at[i - 1].best) : row;

        for (size_t x = i * STEP; x < (i + 1) * STEP; x++)
            grid[row * columns + x] = CELL_FLAT;
        if (before != row)
            draw_riser(grid + i * STEP, columns, before, row);
    }
    for (size_t i = 0; i < s->count; i++)
        if (isfinite(s->at[i].tried))
            grid[row_of(s, s->at[i].tried) * columns + i * STEP + STEP / 2] =
                mark_of(s->at[i].outcome);
}

static void put_label(struct ttp_sink *out, const struct ttp_out_tune_stairs *s, size_t row,
                      struct ttp_arena *arena)
{
    ttp_str text = {0};

    if (isfinite(s->goal) && row == row_of(s, s->goal))
        text = TTP_STR("goal");
    else if (row == 0 || row == ROWS - 1 || row == (ROWS - 1) / 2)
        text = ttp_out_measure_text(s->high - (s->high - s->low) * (double)row / (ROWS - 1),
                                    s->unit, arena);
    ttp_put_right(out, text, LABEL);
    ttp_sink_put(out, TTP_STR(" │"));
}

/* The number of a change; what was not even measured has its mark here. */
static void label_of(char *out, size_t size, const struct ttp_tune_stair *at)
{
    snprintf(out, size, "%llu%s", (unsigned long long)at->number,
             isfinite(at->tried) ? "" : cells[mark_of(at->outcome)].text);
}

/* Numbers of changes below their marks. */
static void put_axis(struct ttp_sink *out, const struct ttp_out_tune_stairs *s)
{
    size_t blanks = 0;

    ttp_sink_repeat(out, ' ', LABEL + 1);
    ttp_sink_put(out, TTP_STR("└"));
    for (size_t i = 0; i < s->count; i++) {
        char text[24] = "start";
        const size_t before = i ? STEP / 2 : 0;

        if (s->at[i].number && i == 0)
            snprintf(text, sizeof(text), "...");
        else if (i)
            label_of(text, sizeof(text), &s->at[i]);
        ttp_sink_repeat(out, ' ', blanks + before);
        ttp_sink_put(out, ttp_str_from(text));
        const size_t used = before + ttp_str_code_points(ttp_str_from(text));
        blanks = used < STEP ? STEP - used : 0;
    }
    ttp_sink_char(out, '\n');
}

void ttp_out_tune_chart_text(const struct ttp_show *show, const struct ttp_tune_view *view)
{
    const int width = show->width > 0 ? show->width : CHART_WIDTH + LABEL + 2;
    struct ttp_arena *arena = show->arena;
    struct ttp_sink *out = show->out;
    const size_t fit = width > LABEL + 2 + 2 * STEP ? (size_t)(width - LABEL - 2) / STEP : 2;
    struct ttp_tune_view narrow = *view;
    struct ttp_out_tune_stairs s;

    if (narrow.top == 0 || narrow.top > fit - 1)
        narrow.top = fit - 1;
    ttp_out_tune_stairs(&s, &narrow, arena);
    const size_t columns = s.count * STEP;
    enum cell *grid = TTP_NEW(arena, enum cell, ROWS * columns);
    draw(grid, columns, &s);
    for (size_t row = 0; row < ROWS; row++) {
        size_t end = columns;

        put_label(out, &s, row, arena);
        while (end > 0 && grid[row * columns + end - 1] == CELL_NONE)
            end--;
        for (size_t x = 0; x < end; x++) {
            const enum cell c = grid[row * columns + x];

            if (show->color && c != CELL_NONE)
                ttp_paint_themed(out, cells[c].color, ttp_str_from(cells[c].text));
            else
                ttp_sink_put(out, ttp_str_from(cells[c].text));
        }
        ttp_sink_char(out, '\n');
    }
    put_axis(out, &s);
    ttp_sink_printf(out, "%*s  ● kept  × reverted  ? undecided%s\n", LABEL, "",
                    isfinite(s.goal) ? "  ┄ goal" : "");
}

/* ---- picture ---- */

#define LEFT   88.0
#define RIGHT  24.0
#define TOP    76.0
#define HIGH   260.0
#define BOTTOM 74.0
#define PITCH  56.0
#define PAGE   640.0

#define LINE_RGB 0x2b6cb0
#define KEPT_RGB 0x2f855a
#define BAD_RGB  0xc53030
#define MAYBE    0xb7791f
#define INK      0x333333
#define FAINT    0xdddddd
#define GREY     0x777777

struct drawing {
    struct ttp_picture picture;
    const struct ttp_tune_view *view;
    const struct ttp_out_tune_stairs *stairs;
    double pitch;
    struct ttp_arena *arena;
};

static double y_of(const struct drawing *d, double v)
{
    return TOP + (d->stairs->high - v) / (d->stairs->high - d->stairs->low) * HIGH;
}

static void draw_grid(struct drawing *d)
{
    const struct ttp_font font = {.size = 11, .anchor = TTP_ANCHOR_END, .rgb = GREY};
    const double wide = d->pitch * (double)d->stairs->count;

    for (int i = 0; i <= 4; i++) {
        const double v = d->stairs->high - (d->stairs->high - d->stairs->low) * i / 4,
                     y = y_of(d, v);

        ttp_picture_line(&d->picture, (struct ttp_box){LEFT, y, wide, 0}, FAINT, 0.75);
        ttp_picture_text(&d->picture, LEFT - 8, y + 4,
                         ttp_out_measure_text(v, d->stairs->unit, d->arena), &font);
    }
    if (!isfinite(d->stairs->goal))
        return;
    const struct ttp_font goal = {.size = 11, .anchor = TTP_ANCHOR_START, .rgb = KEPT_RGB};
    for (int i = 0; i < (int)(wide / 9); i++)
        ttp_picture_line(&d->picture,
                         (struct ttp_box){LEFT + 9 * i, y_of(d, d->stairs->goal), 5, 0}, KEPT_RGB,
                         1);
    ttp_picture_text(&d->picture, LEFT + 4, y_of(d, d->stairs->goal) - 5, TTP_STR("goal"), &goal);
}

static void draw_mark(struct drawing *d, const struct ttp_tune_stair *at, double x)
{
    const enum cell mark = mark_of(at->outcome);
    const uint32_t rgb = mark == CELL_KEPT ? KEPT_RGB : mark == CELL_REVERTED ? BAD_RGB : MAYBE;
    const struct ttp_tune_change *c = &d->view->session->change[at->number - 1];
    const double y = y_of(d, at->tried);
    struct ttp_sink tip;

    ttp_sink_to_arena(&tip, d->arena);
    ttp_sink_printf(&tip, "%llu %s: %s: ", (unsigned long long)at->number,
                    ttp_tune_outcome_name(at->outcome), c->title);
    ttp_sink_put(&tip, ttp_out_measure_text(at->tried, d->stairs->unit, d->arena));
    ttp_picture_rect(&d->picture, (struct ttp_box){x - 5, y - 5, 10, 10}, rgb,
                     ttp_picture_clean(ttp_sink_text(&tip), d->arena));
    if (mark == CELL_KEPT)
        return;
    /* not colour alone: what was not kept is hollow */
    ttp_picture_rect(&d->picture, (struct ttp_box){x - 3, y - 3, 6, 6}, 0xffffff,
                     ttp_picture_clean(ttp_sink_text(&tip), d->arena));
}

static void draw_step(struct drawing *d, size_t i)
{
    const struct ttp_tune_stair *at = &d->stairs->at[i];
    const double x = LEFT + d->pitch * (double)i, y = y_of(d, at->best);
    const struct ttp_font font = {.size = 11, .anchor = TTP_ANCHOR_MIDDLE, .rgb = INK};
    char number[24];

    /* ends overlap by half the width, so that no seam shows */
    ttp_picture_line(&d->picture, (struct ttp_box){x - 1, y, d->pitch + 2, 0}, LINE_RGB, 2);
    if (i && d->stairs->at[i - 1].best != at->best) {
        const double from = y_of(d, d->stairs->at[i - 1].best);

        ttp_picture_line(&d->picture, (struct ttp_box){x, from, 0, y - from}, LINE_RGB, 2);
    }
    label_of(number, sizeof(number), at);
    ttp_picture_text(&d->picture, x + d->pitch / 2, TOP + HIGH + 18,
                     at->number == 0 ? TTP_STR("start")
                     : i == 0        ? TTP_STR("...")
                                     : ttp_arena_copy(d->arena, ttp_str_from(number)),
                     &font);
    if (isfinite(at->tried))
        draw_mark(d, at, x + d->pitch / 2);
}

static void draw_legend(struct drawing *d)
{
    static const struct {
        const char *text;
        uint32_t rgb;
        bool hollow;
    } entry[] = {
        {"kept", KEPT_RGB, false}, {"reverted", BAD_RGB, true}, {"undecided", MAYBE, true}};
    const struct ttp_font font = {.size = 11, .anchor = TTP_ANCHOR_START, .rgb = INK};
    const double y = TOP + HIGH + 46;
    double x = LEFT;

    for (size_t i = 0; i < TTP_COUNT(entry); i++) {
        ttp_picture_rect(&d->picture, (struct ttp_box){x, y - 9, 10, 10}, entry[i].rgb,
                         (ttp_str){0});
        if (entry[i].hollow)
            ttp_picture_rect(&d->picture, (struct ttp_box){x + 2, y - 7, 6, 6}, 0xffffff,
                             (ttp_str){0});
        ttp_picture_text(&d->picture, x + 16, y, ttp_str_from(entry[i].text), &font);
        x += 40 + ttp_picture_measure(ttp_str_from(entry[i].text), &font);
    }
    ttp_picture_line(&d->picture, (struct ttp_box){x, y - 4, 18, 0}, LINE_RGB, 2);
    ttp_picture_text(&d->picture, x + 24, y, TTP_STR("best so far"), &font);
}

void ttp_out_tune_svg(struct ttp_sink *out, const struct ttp_tune_view *view,
                      struct ttp_arena *arena)
{
    const struct ttp_font title = {.size = 15, .bold = true, .rgb = INK};
    const struct ttp_font small = {.size = 11, .rgb = GREY};
    const struct ttp_tune_session *session = view->session;
    struct ttp_out_tune_stairs s;
    struct drawing d = {.view = view, .stairs = &s, .arena = arena};

    ttp_out_tune_stairs(&s, view, arena);
    const double room = (PAGE - LEFT - RIGHT) / (double)s.count;
    d.pitch = room > PITCH ? fmin(room, 2 * PITCH) : fmax(room, 20);
    ttp_picture_begin(&d.picture, fmax(PAGE, LEFT + RIGHT + d.pitch * (double)s.count),
                      TOP + HIGH + BOTTOM, arena);
    d.picture.title = TTP_STR("Tuning, change by change");
    d.picture.description =
        ttp_out_tune_gain_text(ttp_tune_start_value(session, 0), ttp_tune_best_value(session, 0),
                               &session->at_start.of[0], arena);
    ttp_picture_text(&d.picture, 20, 28,
                     ttp_picture_fit(ttp_picture_clean(ttp_str_from(session->setup.command), arena),
                                     &title, d.picture.width - 40, arena),
                     &title);
    ttp_picture_text(
        &d.picture, 20, 48,
        ttp_picture_clean(
            ttp_sink_format(arena, "%s: %.*s", s.metric, TTP_FMT(d.picture.description)), arena),
        &small);
    draw_grid(&d);
    for (size_t i = 0; i < s.count; i++)
        draw_step(&d, i);
    draw_legend(&d);
    ttp_picture_svg(out, &d.picture);
}
