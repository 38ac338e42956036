/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_text.c - the roofline on a grid of characters. Lines are drawn with the three heights a
 * character can have, ' - and . ; dots grow with the time of their ops, and the slowest carry a
 * letter that the table below explains. */
#include <math.h>
#include <stdio.h>

#include "outputs/report/report_parts.h"
#include "outputs/roofline/roofline_drawing.h"

#define PAGE     100 /* columns where the terminal does not say */
#define LEFT     7   /* of the labels on the left */
#define RIGHT    16  /* of the names on the right */
#define MIN_COLS 24
#define MAX_COLS 130
#define MIN_ROWS 12
#define MAX_ROWS 30
#define PER_ROW  3 /* columns for each row of the plot */

struct cell {
    char c; /* 0: empty */
    bool of_dot;
    enum ttp_color color;
};

struct plot {
    const struct ttp_report_view *view;
    struct ttp_roof_scale scale;
    size_t page, cols, rows;
    struct cell *cell;
    bool color;
    struct ttp_arena *arena;
};

/* Row 0 is the highest. */
static struct cell *at(const struct plot *p, size_t col, size_t row)
{
    return &p->cell[row * p->cols + col];
}

static size_t index_of(double part, size_t count)
{
    const size_t i = (size_t)(part * (double)count);

    return i < count ? i : count - 1;
}

/* One character of a line whose height there is y. */
static void draw_line_at(const struct plot *p, size_t col, double y)
{
    static const char heights[] = {'.', '-', '\''};
    const double height = y * (double)p->rows;
    const size_t row = index_of(y, p->rows);
    const double part = height - (double)row;
    struct cell *c = at(p, col, p->rows - 1 - row);

    if (!c->c)
        *c = (struct cell){heights[part >= 1 ? 2 : (size_t)(part * 3)], false, TTP_GREY};
}

static void draw_roofs(const struct plot *p)
{
    const struct ttp_roofline *r = p->view->roofline;
    struct ttp_roof_line line;

    for (size_t i = 0; i < r->roofs; i++) {
        if (!ttp_roof_line(&line, r, &p->scale, i, false))
            continue;
        for (size_t col = 0; col < p->cols; col++) {
            const double x = ((double)col + 0.5) / (double)p->cols;
            if (x < line.x_from || x > line.x_to)
                continue;
            const double part =
                line.x_to > line.x_from ? (x - line.x_from) / (line.x_to - line.x_from) : 0;
            draw_line_at(p, col, line.y_from + part * (line.y_to - line.y_from));
        }
    }
}

static void draw_dots(const struct plot *p, const struct ttp_roof_dot *dot, size_t dots)
{
    static const char sizes[] = {'x', 'o', 'O', '@'};

    for (size_t i = 0; i < dots; i++) {
        const double share = ttp_out_roof_share(p->view, dot[i].time_us);
        const char size = sizes[(share >= 1) + (share >= 5) + (share >= 20)];
        const uint8_t limit = p->view->report->op[dot[i].longest->op].limit;
        struct cell *c =
            at(p, index_of(dot[i].x, p->cols), p->rows - 1 - index_of(dot[i].y, p->rows));
        *c = (struct cell){size, true,
                           ttp_roof_classes[ttp_out_roof_class_of((enum ttp_limit)limit)].color};
        if (dot[i].label)
            c->c = dot[i].label;
    }
}

static bool is_free(const struct plot *p, size_t col, size_t row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (col + i >= p->cols || at(p, col + i, row)->c)
            return false;
    return true;
}

static void write_word(const struct plot *p, size_t col, size_t row, const char *word)
{
    for (size_t i = 0; word[i]; i++)
        *at(p, col + i, row) = (struct cell){word[i], false, TTP_PLAIN};
}

/* Write it into that row, left of column `col`, else right of it, with blanks around it. */
static bool name_beside(const struct plot *p, size_t col, size_t row, const char *name)
{
    const size_t len = strlen(name);

    if (col >= len + 3 && is_free(p, col - len - 3, row, len + 2)) {
        write_word(p, col - len - 2, row, name);
        return true;
    }
    if (!is_free(p, col + 2, row, len + 2))
        return false;
    write_word(p, col + 3, row, name);
    return true;
}

/* Names of rising lines are next to them, as high up as there is room. */
static void name_memory(const struct plot *p, const char *name, const struct ttp_roof_line *line)
{
    for (size_t row = 1; row < p->rows; row++) {
        const double y = ((double)(p->rows - row) - 0.5) / (double)p->rows;
        const double part = (y - line->y_from) / (line->y_to - line->y_from);
        if (part >= 0 && part <= 1 &&
            name_beside(p, index_of(line->x_from + part * (line->x_to - line->x_from), p->cols),
                        row, name))
            return;
    }
}

static void name_roofs(const struct plot *p)
{
    const struct ttp_roofline *r = p->view->roofline;
    struct ttp_roof_line line;

    for (size_t i = 0; i < r->roofs; i++)
        if (r->roof[i].of_memory && ttp_roof_line(&line, r, &p->scale, i, false))
            name_memory(p, r->roof[i].name, &line);
}

/* "100", "0.01", "1e-5" */
static void put_decade(char text[static 16], int decade)
{
    if (decade >= -3 && decade <= 4)
        snprintf(text, 16, "%g", pow(10, decade));
    else
        snprintf(text, 16, "1e%d", decade);
}

static void put_colored(struct ttp_sink *out, const struct plot *p, enum ttp_color color,
                        ttp_str text)
{
    ttp_paint_themed(out, p->color ? color : TTP_PLAIN, text);
}

/* Names of level roofs in this row, with their peaks; the list of roofs below has those that do not
 * fit. */
static void put_names(struct ttp_sink *out, const struct plot *p, size_t row, size_t used)
{
    const struct ttp_roofline *r = p->view->roofline;
    struct ttp_roof_line line;
    bool any = false;

    for (size_t i = 0; i < r->roofs; i++) {
        if (r->roof[i].of_memory || !ttp_roof_line(&line, r, &p->scale, i, false) ||
            p->rows - 1 - index_of(line.y_from, p->rows) != row)
            continue;
        const ttp_str name = ttp_sink_format(p->arena, "%s%s %.0f", any ? ", " : " ",
                                             r->roof[i].name, r->roof[i].peak);
        used += name.len;
        if (used > p->page)
            return;
        ttp_sink_put(out, name);
        any = true;
    }
}

static void put_row(struct ttp_sink *out, const struct plot *p, size_t row)
{
    size_t last = p->cols;
    char label[16] = "";

    for (int d = p->scale.y_low; d <= p->scale.y_high; d++) {
        const double y = (double)(d - p->scale.y_low) / (p->scale.y_high - p->scale.y_low);
        if (p->rows - 1 - index_of(y, p->rows) == row)
            put_decade(label, d);
    }
    ttp_sink_printf(out, "%*s %s", LEFT - 2, label, label[0] ? "┤" : "│");
    while (last > 0 && !at(p, last - 1, row)->c)
        last--;
    for (size_t col = 0; col < last; col++) {
        const struct cell *c = at(p, col, row);
        if (c->c)
            put_colored(out, p, c->color, (ttp_str){&c->c, 1});
        else
            ttp_sink_char(out, ' ');
    }
    put_names(out, p, row, LEFT + last);
    ttp_sink_char(out, '\n');
}

static void put_x_axis(struct ttp_sink *out, const struct plot *p)
{
    const int decades = p->scale.x_high - p->scale.x_low;
    size_t used = 0;

    ttp_sink_repeat(out, ' ', LEFT - 1);
    ttp_sink_put(out, TTP_STR("└"));
    for (size_t col = 0, next = 0; col < p->cols; col++) {
        const bool tick = (int)next <= decades && col == index_of((double)next / decades, p->cols);
        next += tick;
        ttp_sink_put(out, tick ? TTP_STR("┴") : TTP_STR("─"));
    }
    ttp_sink_char(out, '\n');
    for (int d = 0; d <= decades; d++) {
        const size_t col = LEFT + index_of((double)d / decades, p->cols);
        char label[16];
        put_decade(label, p->scale.x_low + d);
        const size_t len = strlen(label), from = col > len / 2 ? col - len / 2 : 0;
        if (from < used + (used > 0))
            continue;
        ttp_sink_repeat(out, ' ', from - used);
        ttp_sink_put(out, ttp_str_from(label));
        used = from + len;
    }
    ttp_sink_own(out, "  FLOP/byte\n");
}

static void put_line(struct ttp_sink *out, const struct plot *p, const char *head, ttp_str text)
{
    struct ttp_sink line;

    ttp_sink_to_arena(&line, p->arena);
    ttp_sink_put(&line, ttp_str_from(head));
    ttp_sink_put(&line, text);
    ttp_paint_wrapped(out, ttp_sink_text(&line), (int)p->page, 0, 2);
}

static void put_missing(struct ttp_sink *out, const struct plot *p)
{
    const ttp_str missing = ttp_out_roof_missing(p->view, p->arena);

    if (missing.len)
        put_line(out, p, "not drawn: ", missing);
}

/* Colours of the kinds of limits that occur. */
static void put_colors(struct ttp_sink *out, const struct plot *p, const struct ttp_roof_dot *dot,
                       size_t dots)
{
    size_t column = 0;

    for (size_t k = 0; k < TTP_ROOF_CLASSES && p->color; k++) {
        const struct ttp_roof_class *class = &ttp_roof_classes[k];
        bool seen = false;
        for (size_t i = 0; i < dots && !seen; i++)
            seen = ttp_out_roof_class_of(
                       (enum ttp_limit)p->view->report->op[dot[i].longest->op].limit) == k;
        if (!seen)
            continue;
        const size_t len = strlen(class->name);
        if (column) {
            ttp_sink_char(out, ',');
            ttp_sink_char(out, column + len + 2 > p->page ? '\n' : ' ');
        }
        column = column + len + 2 > p->page ? len : column + len + 2;
        put_colored(out, p, class->color, ttp_str_from(class->name));
    }
    if (column)
        ttp_sink_char(out, '\n');
}

static void put_marked(struct ttp_sink *out, const struct plot *p, const struct ttp_roof_dot *dot,
                       size_t dots)
{
    for (size_t i = 0; i < dots && dot[i].label; i++)
        if (dot[i].longest->reached_pct > 100) {
            put_line(out, p, "", TTP_STR(TTP_REPORT_OVER_PEAK));
            return;
        }
}

static void put_dots(const struct ttp_show *show, const struct ttp_report_view *view,
                     const struct ttp_roof_dot *dot, size_t dots)
{
    struct ttp_records rows = {&ttp_roof_dot_fields, view, dot, sizeof(*dot), 0};

    while (rows.count < dots && dot[rows.count].label)
        rows.count++;
    ttp_show_table(show, &(struct ttp_table){.rows = &rows, .aside = true});
}

static void put_text(const struct ttp_show *show, const struct ttp_report_view *view)
{
    const size_t page = show->width > 0 ? (size_t)show->width : PAGE;
    const size_t room = page > LEFT + RIGHT + MIN_COLS ? page - LEFT - RIGHT : MIN_COLS;
    struct ttp_sink *out = show->out;
    struct plot p = {.view = view,
                     .scale = ttp_out_roof_scale_of(view, show->arena),
                     .page = page,
                     .cols = room < MAX_COLS ? room : MAX_COLS,
                     .color = show->color,
                     .arena = show->arena};
    struct ttp_roof_dot *dot;

    if (view->roofline->points == 0) {
        ttp_sink_own(out, "no op to draw: no op has both known work and bytes\n");
        put_missing(out, &p);
        return;
    }
    p.rows = p.cols / PER_ROW;
    p.rows = p.rows < MIN_ROWS ? MIN_ROWS : p.rows > MAX_ROWS ? MAX_ROWS : p.rows;
    p.cell = TTP_NEW(p.arena, struct cell, p.cols * p.rows);
    const size_t dots = ttp_out_roof_dots(&dot, view, &p.scale,
                                          (struct ttp_roof_grid){p.cols, p.rows, false}, p.arena);
    draw_roofs(&p);
    draw_dots(&p, dot, dots);
    name_roofs(&p);
    ttp_sink_own(out, "TFLOPs\n");
    for (size_t row = 0; row < p.rows; row++)
        put_row(out, &p, row);
    put_x_axis(out, &p);
    ttp_sink_char(out, '\n');
    put_line(out, &p, "",
             TTP_STR("A-J the slowest; others by their share of the device time: x below 1 %, o, O "
                     "from 5 %, @ from 20 %"));
    put_colors(out, &p, dot, dots);
    put_line(out, &p, "roofs: ", ttp_out_roof_peaks(view->roofline, p.arena));
    put_missing(out, &p);
    ttp_sink_char(out, '\n');
    put_dots(show, view, dot, dots);
    put_marked(out, &p, dot, dots);
}

/* A drawing keeps its columns within a fence. */
static void put_fenced(const struct ttp_show *show, const struct ttp_report_view *view)
{
    const enum ttp_gate gate = show->out->gate;
    struct ttp_show plain = *show;

    plain.form = TTP_FORM_TEXT;
    plain.color = false;
    plain.width = 0;
    ttp_sink_own(show->out, "```text\n");
    show->out->gate = TTP_GATE_TEXT; /* no markup in here */
    put_text(&plain, view);
    show->out->gate = gate;
    ttp_sink_own(show->out, "```\n");
}

static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    (void)part;
    if (show->columns)
        ttp_show_table(show, table);
    else if (show->form == TTP_FORM_MARKDOWN)
        put_fenced(show, arg);
    else
        put_text(show, arg);
}

ttp_code ttp_out_roofline(const struct ttp_show *show, const struct ttp_report_view *view,
                          struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .body = put_body};
    struct ttp_show all = *show;
    struct ttp_document doc;

    all.selection = (struct ttp_selection){0}; /* that of the ops */
    ttp_document_init(&doc, &ttp_roofline_document, show->arena);
    ttp_document_rows(&doc, 0, view, view->roofline->point, view->roofline->points);
    return ttp_show_document(&all, &doc, &page, err);
}
