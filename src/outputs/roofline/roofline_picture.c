/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_picture.c - the roofline as a picture: roofs as lines with their names, discs whose area
 * is the time of their ops, letters at the slowest, and a table of those below. Ops of one name
 * that would lie on each other are one disc: layers repeat. */
#include <math.h>
#include <stdio.h>

#include "base/quantity.h"
#include "outputs/picture/picture.h"
#include "outputs/roofline/roofline_drawing.h"

#define WIDTH  880.0
#define LEFT   64.0
#define TOP    66.0
#define PLOT_W 640.0
#define PLOT_H 420.0
#define ROW    15.0 /* of the table */
#define CELL   4.0  /* points apart that are one place */

#define LARGEST  20.0 /* radius of an op that takes all the time */
#define SMALLEST 1.6
#define INSIDE   7.0 /* letters fit into discs from this radius on */

#define INK   0x333333
#define FAINT 0x777777
#define GRID  0xe4e4e4
#define USED  0x555555
#define IDLE  0xb8b8b8 /* roofs that no op of this run is below */

#define PLACES 40 /* along a roof, for its name */

#define MAX_TAKEN 64

struct drawing {
    struct ttp_picture *picture;
    const struct ttp_report_view *view;
    struct ttp_roof_scale scale;
    struct ttp_roof_dot *dot;
    size_t dots;
    struct ttp_box taken[MAX_TAKEN]; /* by texts */
    size_t ntaken;
    struct ttp_arena *arena;
};

static double page_x(double part)
{
    return LEFT + part * PLOT_W;
}

static double page_y(double part)
{
    return TOP + (1 - part) * PLOT_H;
}

static double radius(const struct drawing *d, const struct ttp_roof_dot *dot)
{
    const double share = ttp_out_roof_share(d->view, dot->time_us) / 100;

    return fmax(LARGEST * sqrt(fmin(share, 1)), SMALLEST);
}

static bool overlap(const struct ttp_box *a, const struct ttp_box *b)
{
    return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

static bool is_taken(const struct drawing *d, const struct ttp_box *box)
{
    for (size_t i = 0; i < d->ntaken; i++)
        if (overlap(box, &d->taken[i]))
            return true;
    return false;
}

static void take(struct drawing *d, const struct ttp_box *box)
{
    if (d->ntaken < MAX_TAKEN)
        d->taken[d->ntaken++] = *box;
}

static struct ttp_box extent_of(double x, double y, ttp_str text, const struct ttp_font *font)
{
    const struct ttp_shape shape = {
        .box = {x, y, ttp_picture_measure(text, font), 0}, .font = *font, .text = text};

    return ttp_picture_extent(&shape);
}

static bool hits_dot(const struct drawing *d, const struct ttp_box *box)
{
    for (size_t i = 0; i < d->dots; i++) {
        const double r = radius(d, &d->dot[i]);
        const struct ttp_box dot = {page_x(d->dot[i].x) - r, page_y(d->dot[i].y) - r, 2 * r, 2 * r};
        if (overlap(box, &dot))
            return true;
    }
    return false;
}

/* ---- axes ---- */

static ttp_str decade(int exponent, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (exponent >= -3 && exponent <= 4)
        ttp_sink_printf(&out, "%g", pow(10, exponent));
    else
        ttp_sink_printf(&out, "1e%d", exponent);
    return ttp_sink_text(&out);
}

static void draw_axes(const struct drawing *d)
{
    const struct ttp_roof_scale *s = &d->scale;
    const struct ttp_font x = {.size = 10, .anchor = TTP_ANCHOR_MIDDLE, .rgb = FAINT};
    const struct ttp_font y = {.size = 10, .anchor = TTP_ANCHOR_END, .rgb = FAINT};
    const struct ttp_font up = {
        .size = 11, .anchor = TTP_ANCHOR_MIDDLE, .upward = true, .rgb = INK};
    const struct ttp_font title = {.size = 11, .anchor = TTP_ANCHOR_MIDDLE, .rgb = INK};

    for (int e = s->x_low; e <= s->x_high; e++) {
        const double at = page_x((double)(e - s->x_low) / (s->x_high - s->x_low));
        ttp_picture_line(d->picture, (struct ttp_box){at, TOP, 0, PLOT_H}, GRID, 0.75);
        ttp_picture_text(d->picture, at, TOP + PLOT_H + 14, decade(e, d->arena), &x);
    }
    for (int e = s->y_low; e <= s->y_high; e++) {
        const double at = page_y((double)(e - s->y_low) / (s->y_high - s->y_low));
        ttp_picture_line(d->picture, (struct ttp_box){LEFT, at, PLOT_W, 0}, GRID, 0.75);
        ttp_picture_text(d->picture, LEFT - 6, at + 3.5, decade(e, d->arena), &y);
    }
    ttp_picture_text(d->picture, LEFT + PLOT_W / 2, TOP + PLOT_H + 30,
                     TTP_STR("FLOP per byte moved"), &title);
    ttp_picture_text(d->picture, 20, TOP + PLOT_H / 2, TTP_STR("TFLOPs"), &up);
}

/* ---- roofs ---- */

static ttp_str roof_text(const struct ttp_roof *roof, struct ttp_arena *arena)
{
    return ttp_sink_format(arena, "%s, %.*f %s", roof->name, roof->peak < 100 ? 1 : 0, roof->peak,
                           roof->of_memory ? "GB/s" : "TFLOPs");
}

/* Next to a level roof; pushed down where the one above leaves no room. */
static void name_compute(struct drawing *d, const struct ttp_roof *roof, double y, uint32_t rgb)
{
    const struct ttp_font font = {.size = 10, .anchor = TTP_ANCHOR_START, .rgb = rgb};
    const ttp_str text = roof_text(roof, d->arena);
    const double x = LEFT + PLOT_W + 6;
    double at = y + 3.5;
    struct ttp_box box = extent_of(x, at, text, &font);

    while (is_taken(d, &box)) {
        at += 1;
        box = extent_of(x, at, text, &font);
    }
    take(d, &box);
    ttp_picture_text(d->picture, x, at, text, &font);
}

/* Does a rising roof pass through the box? */
static bool crosses_roof(const struct drawing *d, const struct ttp_box *box)
{
    const struct ttp_roofline *r = d->view->roofline;
    struct ttp_roof_line line;

    for (size_t i = 0; i < r->roofs; i++) {
        if (!r->roof[i].of_memory || !ttp_roof_line(&line, r, &d->scale, i, true))
            continue;
        const double x1 = page_x(line.x_from), x2 = page_x(line.x_to);
        const double y1 = page_y(line.y_from), y2 = page_y(line.y_to);
        const double from = fmax(box->x, x1), to = fmin(box->x + box->w, x2);
        if (from < to && y1 + (to - x1) / (x2 - x1) * (y2 - y1) < box->y + box->h &&
            y1 + (from - x1) / (x2 - x1) * (y2 - y1) > box->y)
            return true;
    }
    return false;
}

/* Next to a rising roof, where nothing else is: to its left, else to its right; at worst across
 * another roof, never over a disc. */
static void name_memory(struct drawing *d, const struct ttp_roof *roof,
                        const struct ttp_roof_line *line, uint32_t rgb)
{
    const ttp_str text = roof_text(roof, d->arena);

    for (int pass = 0; pass < 4; pass++)
        for (int i = PLACES - 1; i > 0; i--) {
            const bool right = pass & 1;
            const struct ttp_font font = {
                .size = 10, .anchor = right ? TTP_ANCHOR_START : TTP_ANCHOR_END, .rgb = rgb};
            const double part = (double)i / PLACES;
            const double x = page_x(line->x_from + part * (line->x_to - line->x_from));
            const double y = page_y(line->y_from + part * (line->y_to - line->y_from));
            const double tx = right ? x + 6 : x - 6, ty = right ? y + 10 : y - 2;
            const struct ttp_box box = extent_of(tx, ty, text, &font);
            if (box.x < LEFT + 2 || box.x + box.w > LEFT + PLOT_W - 2 || is_taken(d, &box) ||
                hits_dot(d, &box) || (pass < 2 && crosses_roof(d, &box)))
                continue;
            take(d, &box);
            ttp_picture_text(d->picture, tx, ty, text, &font);
            return;
        }
}

static void draw_roofs(struct drawing *d)
{
    const struct ttp_roofline *r = d->view->roofline;
    struct ttp_roof_line line;

    for (size_t i = 0; i < r->roofs; i++) {
        const struct ttp_roof *roof = &r->roof[i];
        const uint32_t rgb = roof->ops ? USED : IDLE;
        if (!ttp_roof_line(&line, r, &d->scale, i, true))
            continue;
        ttp_picture_line(d->picture,
                         (struct ttp_box){page_x(line.x_from), page_y(line.y_from),
                                          (line.x_to - line.x_from) * PLOT_W,
                                          (line.y_from - line.y_to) * PLOT_H},
                         rgb, roof->ops ? 1.5 : 1);
        if (roof->of_memory) {
            name_memory(d, roof, &line, roof->ops ? INK : FAINT);
            continue;
        }
        /* texts keep off the line */
        const double y = page_y(line.y_from), x = page_x(line.x_from);
        take(d, &(struct ttp_box){x, y - 1, page_x(line.x_to) - x, 2});
        name_compute(d, roof, y, roof->ops ? INK : FAINT);
    }
}

/* ---- dots ---- */

static ttp_str tip_of(const struct drawing *d, const struct ttp_roof_dot *dot)
{
    const struct ttp_roof_point *p = dot->longest;
    const struct ttp_op *op = &d->view->report->op[p->op];
    struct ttp_sink out;

    ttp_sink_to_arena(&out, d->arena);
    if (dot->ops > 1)
        ttp_sink_printf(&out, "%zu x ", dot->ops);
    ttp_sink_put(&out, ttp_picture_clean(ttp_out_roof_name(d->view, dot, d->arena), d->arena));
    ttp_sink_printf(&out,
                    "%s ID %u: %.*s, %.1f %% of the device time; %.3g FLOP/byte, %.3g TFLOPs, "
                    "%.0f GB/s; %.0f%s %% of %s; %s",
                    dot->ops > 1 ? ", longest" : ",", op->row + 2,
                    TTP_FMT(ttp_time_us_text(dot->time_us, d->arena)),
                    ttp_out_roof_share(d->view, dot->time_us), p->intensity, p->tflops, p->gbs,
                    p->reached_pct, p->reached_pct > 100 ? "!" : "",
                    d->view->roofline->roof[p->held_by].name,
                    ttp_diagnosis_limit_name((enum ttp_limit)op->limit));
    return ttp_sink_text(&out);
}

static const struct ttp_roof_class *class_of(const struct drawing *d,
                                             const struct ttp_roof_dot *dot)
{
    const struct ttp_op *op = &d->view->report->op[dot->longest->op];

    return &ttp_roof_classes[ttp_out_roof_class_of((enum ttp_limit)op->limit)];
}

static void draw_dots(const struct drawing *d)
{
    /* the largest first: they come by time */
    for (size_t i = 0; i < d->dots; i++)
        ttp_picture_disc(
            d->picture,
            (struct ttp_circle){page_x(d->dot[i].x), page_y(d->dot[i].y), radius(d, &d->dot[i])},
            class_of(d, &d->dot[i])->rgb, tip_of(d, &d->dot[i]));
}

/* Around the dot, nearer places first; farther ones with a line to it. */
static void draw_label(struct drawing *d, const struct ttp_roof_dot *dot)
{
    const double x = page_x(dot->x), y = page_y(dot->y), r = radius(d, dot);
    const bool fits_inside = r >= INSIDE;
    const struct ttp_font font = {
        .size = 11, .bold = true, .anchor = TTP_ANCHOR_MIDDLE, .rgb = 0x111111};
    const ttp_str text = {&dot->label, 1};
    struct ttp_box box = extent_of(x, y + 4, text, &font);

    if (fits_inside && !is_taken(d, &box)) {
        take(d, &box);
        ttp_picture_text(d->picture, x, y + 4, text, &font);
        return;
    }
    for (int ring = 0; ring < 6; ring++)
        for (int turn = 0; turn < 12; turn++) {
            const double far = r + 7 + ring * 12, angle = turn * acos(-1) / 6;
            const double tx = x + far * cos(angle), ty = y + 4 - far * sin(angle);
            box = extent_of(tx, ty, text, &font);
            if (box.x < LEFT || box.x + box.w > LEFT + PLOT_W || box.y < TOP - 10 ||
                box.y + box.h > TOP + PLOT_H || is_taken(d, &box))
                continue;
            if (ring > 0)
                ttp_picture_line(d->picture, (struct ttp_box){x, y, tx - x, ty - 4 - y}, FAINT,
                                 0.5);
            take(d, &box);
            ttp_picture_text(d->picture, tx, ty, text, &font);
            return;
        }
}

/* ---- words ---- */

static void draw_titles(struct drawing *d)
{
    const struct ttp_font title = {.size = 16, .bold = true, .rgb = INK};
    const struct ttp_font small = {.size = 11, .rgb = FAINT};
    const struct ttp_report *r = d->view->report;
    const ttp_str missing = ttp_out_roof_missing(d->view, d->arena);
    struct ttp_sink text, more;

    ttp_sink_to_arena(&text, d->arena);
    ttp_sink_printf(&text, "Roofline: %s, %lld cores", r->arch->name, (long long)r->worker_cores);
    d->picture->title = ttp_sink_text(&text);
    ttp_sink_to_arena(&more, d->arena);
    ttp_sink_printf(&more, "%zu %s as %zu disc%s, their area is time: %.1f %% of ",
                    d->view->roofline->points, d->view->roofline->points == 1 ? "op" : "ops",
                    d->dots, d->dots == 1 ? "" : "s",
                    ttp_out_roof_share(d->view, d->view->roofline->time_us));
    ttp_put_time_us(&more, r->time_us);
    ttp_sink_put(&more, TTP_STR(" on the device"));
    d->picture->description = ttp_sink_text(&more);
    ttp_picture_text(d->picture, 20, 26, d->picture->title, &title);
    ttp_picture_text(d->picture, 20, 42,
                     ttp_picture_fit(ttp_sink_text(&more), &small, WIDTH - 40, d->arena), &small);
    if (missing.len == 0)
        return;
    ttp_sink_to_arena(&text, d->arena);
    ttp_sink_printf(&text, "not drawn: %.*s", TTP_FMT(missing));
    ttp_picture_text(d->picture, 20, 56,
                     ttp_picture_fit(ttp_sink_text(&text), &small, WIDTH - 40, d->arena), &small);
}

/* Colours of the kinds of limits that occur. Returns the height of the lines that they take beyond
 * the first. */
static double draw_key(const struct drawing *d, double y)
{
    const double top = y;
    const struct ttp_font font = {.size = 10, .rgb = INK};
    double x = LEFT;

    for (size_t k = 0; k < TTP_ROOF_CLASSES; k++) {
        bool seen = false;
        for (size_t i = 0; i < d->dots && !seen; i++)
            seen = class_of(d, &d->dot[i]) == &ttp_roof_classes[k];
        if (!seen)
            continue;
        const ttp_str name = ttp_str_from(ttp_roof_classes[k].name);
        const double width = ttp_picture_measure(name, &font) + 28;
        if (x > LEFT && x + width > WIDTH - 20) {
            x = LEFT;
            y += ROW;
        }
        ttp_picture_disc(d->picture, (struct ttp_circle){x + 5, y - 3.5, 5},
                         ttp_roof_classes[k].rgb, (ttp_str){0});
        ttp_picture_text(d->picture, x + 14, y, name, &font);
        x += width;
    }
    return y - top;
}

static ttp_str cell_text(const struct drawing *d, const struct ttp_field *f, size_t row)
{
    if (row > 0)
        return ttp_show_cell(f, ttp_field_value(f, d->view, &d->dot[row - 1]), NULL, d->arena);
    return ttp_sink_format(d->arena, "%s%s%s", f->title, f->unit ? " " : "",
                           f->unit ? f->unit : "");
}

static void draw_table(const struct drawing *d, size_t rows, double y)
{
    static const double at[] = {LEFT, 120, 160, 220, 280, 296, 440, 520};

    for (size_t row = 0; row <= rows; row++)
        for (size_t c = 0; c < TTP_COUNT(at); c++) {
            const struct ttp_field *f = &ttp_roof_dot_fields.field[c];
            const struct ttp_font font = {.size = 10,
                                          .bold = c == 0,
                                          .anchor = f->left ? TTP_ANCHOR_START : TTP_ANCHOR_END,
                                          .rgb = row == 0 ? FAINT : INK};
            const double room = c + 1 == TTP_COUNT(at) ? WIDTH - 20 - at[c] : 200;
            const ttp_str text = ttp_picture_clean(cell_text(d, f, row), d->arena);

            ttp_picture_text(d->picture, at[c], y + (double)row * ROW,
                             ttp_picture_fit(text, &font, room, d->arena), &font);
        }
}

void ttp_out_roofline_picture(struct ttp_picture *out, const struct ttp_report_view *view,
                              struct ttp_arena *arena)
{
    struct drawing d = {.picture = out, .view = view, .arena = arena};
    struct ttp_roof_dot *dot;

    d.scale = ttp_out_roof_scale_of(view, arena);
    d.dots = ttp_out_roof_dots(
        &dot, view, &d.scale,
        (struct ttp_roof_grid){(size_t)(PLOT_W / CELL), (size_t)(PLOT_H / CELL), true}, arena);
    d.dot = dot;
    const size_t labels = d.dots < TTP_ROOF_LABELS ? d.dots : TTP_ROOF_LABELS;
    ttp_picture_begin(out, WIDTH, TOP + PLOT_H + 90 + (double)labels * ROW, arena);
    draw_titles(&d);
    draw_axes(&d);
    draw_roofs(&d);
    draw_dots(&d);
    for (size_t i = 0; i < labels; i++)
        draw_label(&d, &d.dot[i]);
    const double more = draw_key(&d, TOP + PLOT_H + 52);
    out->height += more;
    out->shape[0].box.h = out->height; /* the ground */
    if (labels)
        draw_table(&d, labels, TOP + PLOT_H + 76 + more);
}
