/* SPDX-License-Identifier: Apache-2.0 */
/* picture_svg.c - a picture as one SVG file that needs nothing else. */
#include "base/gate.h"
#include "outputs/picture/picture.h"

/* Hundredths of a point, without zeros that say nothing. */
static void put_number(struct ttp_sink *out, double v)
{
    char digits[TTP_NUM_FIXED_MAX];
    size_t n = ttp_num_fixed(digits, v, 2, false);

    while (digits[n - 1] == '0')
        n--;
    if (digits[n - 1] == '.')
        n--;
    ttp_sink_put(out, n == 2 && digits[0] == '-' && digits[1] == '0' ? TTP_STR("0")
                                                                     : (ttp_str){digits, n});
}

static void put_attribute(struct ttp_sink *out, const char *name, double v)
{
    ttp_sink_printf(out, " %s=\"", name);
    put_number(out, v);
    ttp_sink_char(out, '"');
}

static void put_char(struct ttp_sink *out, char c)
{
    switch (c) {
    case '&':
        ttp_sink_put(out, TTP_STR("&amp;"));
        break;
    case '<':
        ttp_sink_put(out, TTP_STR("&lt;"));
        break;
    case '>':
        ttp_sink_put(out, TTP_STR("&gt;"));
        break;
    case '"':
        ttp_sink_put(out, TTP_STR("&quot;"));
        break;
    default:
        ttp_sink_char(out, c);
    }
}

/* XML has no control characters but line ends, which tips have. */
static void put_escaped(struct ttp_sink *out, ttp_str text)
{
    struct ttp_arena arena = {0};

    for (size_t at = 0; at < text.len; at++) {
        const ttp_str rest = ttp_str_slice(text, at, text.len);
        const ttp_str line = ttp_str_slice(rest, 0, ttp_str_find_char(rest, '\n'));
        const ttp_str shown = ttp_gate_text(&arena, line);

        for (size_t i = 0; i < shown.len; i++)
            put_char(out, shown.ptr[i]);
        if (line.len < rest.len)
            ttp_sink_char(out, '\n');
        at += line.len;
    }
    ttp_arena_free(&arena);
}

static void put_box(struct ttp_sink *out, const struct ttp_box *box)
{
    put_attribute(out, "x", box->x);
    put_attribute(out, "y", box->y);
    put_attribute(out, "width", box->w);
    put_attribute(out, "height", box->h);
}

/* Ends an element that may say something when pointed at. */
static void put_tip(struct ttp_sink *out, const char *element, ttp_str tip)
{
    if (tip.len == 0) {
        ttp_sink_own(out, "/>\n");
        return;
    }
    ttp_sink_put(out, TTP_STR("><title>"));
    put_escaped(out, tip);
    ttp_sink_printf(out, "</title></%s>\n", element);
}

static void put_rect(struct ttp_sink *out, const struct ttp_shape *s)
{
    ttp_sink_put(out, TTP_STR("<rect"));
    put_box(out, &s->box);
    ttp_sink_printf(out, " fill=\"#%06x\"", (unsigned)s->rgb);
    put_tip(out, "rect", s->text);
}

static void put_disc(struct ttp_sink *out, const struct ttp_shape *s)
{
    ttp_sink_put(out, TTP_STR("<circle"));
    put_attribute(out, "cx", s->box.x);
    put_attribute(out, "cy", s->box.y);
    put_attribute(out, "r", s->box.w / 2);
    ttp_sink_printf(out, " fill=\"#%06x\" fill-opacity=\"0.7\" stroke=\"#%06x\"", (unsigned)s->rgb,
                    (unsigned)ttp_picture_mix(s->rgb, 0, 0.4));
    put_attribute(out, "stroke-width", 0.5);
    put_tip(out, "circle", s->text);
}

static void put_stroke(struct ttp_sink *out, const struct ttp_shape *s)
{
    ttp_sink_printf(out, " stroke=\"#%06x\"", (unsigned)s->rgb);
    put_attribute(out, "stroke-width", s->stroke);
    ttp_sink_own(out, "/>\n");
}

static void put_frame(struct ttp_sink *out, const struct ttp_shape *s)
{
    /* Pointing at what it frames must reach the rectangles below. */
    ttp_sink_put(out, TTP_STR("<rect pointer-events=\"none\" fill=\"none\""));
    put_box(out, &s->box);
    put_stroke(out, s);
}

static void put_line(struct ttp_sink *out, const struct ttp_shape *s)
{
    ttp_sink_put(out, TTP_STR("<line"));
    put_attribute(out, "x1", s->box.x);
    put_attribute(out, "y1", s->box.y);
    put_attribute(out, "x2", s->box.x + s->box.w);
    put_attribute(out, "y2", s->box.y + s->box.h);
    put_stroke(out, s);
}

static void put_text(struct ttp_sink *out, const struct ttp_shape *s)
{
    static const char *const anchors[] = {
        [TTP_ANCHOR_START] = "start", [TTP_ANCHOR_MIDDLE] = "middle", [TTP_ANCHOR_END] = "end"};

    ttp_sink_put(out, TTP_STR("<text pointer-events=\"none\""));
    put_attribute(out, "x", s->box.x);
    put_attribute(out, "y", s->box.y);
    put_attribute(out, "font-size", s->font.size);
    if (s->font.bold)
        ttp_sink_put(out, TTP_STR(" font-weight=\"bold\""));
    if (s->font.anchor != TTP_ANCHOR_START)
        ttp_sink_printf(out, " text-anchor=\"%s\"", anchors[s->font.anchor]);
    if (s->font.upward) {
        ttp_sink_put(out, TTP_STR(" transform=\"rotate(-90 "));
        put_number(out, s->box.x);
        ttp_sink_char(out, ' ');
        put_number(out, s->box.y);
        ttp_sink_put(out, TTP_STR(")\""));
    }
    ttp_sink_printf(out, " fill=\"#%06x\">", (unsigned)s->rgb);
    put_escaped(out, s->text);
    ttp_sink_own(out, "</text>\n");
}

void ttp_picture_svg(struct ttp_sink *out, const struct ttp_picture *p)
{
    static void (*const put[])(struct ttp_sink *, const struct ttp_shape *) = {
        [TTP_SHAPE_RECT] = put_rect, [TTP_SHAPE_FRAME] = put_frame, [TTP_SHAPE_LINE] = put_line,
        [TTP_SHAPE_TEXT] = put_text, [TTP_SHAPE_DISC] = put_disc,
    };

    ttp_sink_own(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
    put_number(out, p->width);
    ttp_sink_put(out, TTP_STR("pt\" height=\""));
    put_number(out, p->height);
    ttp_sink_put(out, TTP_STR("pt\" viewBox=\"0 0 "));
    put_number(out, p->width);
    ttp_sink_char(out, ' ');
    put_number(out, p->height);
    ttp_sink_own(out, "\" role=\"img\" aria-labelledby=\"title desc\"\n"
                      "     font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, "
                      "'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\">\n"
                      "<title id=\"title\">");
    put_escaped(out, p->title);
    ttp_sink_own(out, "</title>\n<desc id=\"desc\">");
    put_escaped(out, p->description);
    /* colours keep their hue and change their lightness on a dark ground */
    ttp_sink_own(out, "</desc>\n<style>@media (prefers-color-scheme: dark) "
                      "{ svg { filter: invert(0.92) hue-rotate(180deg); } }</style>\n");
    for (size_t i = 0; i < p->count; i++)
        put[p->shape[i].kind](out, &p->shape[i]);
    ttp_sink_own(out, "</svg>\n");
}

void ttp_out_summary_svg(struct ttp_sink *out, const struct ttp_summary *summary,
                         const struct ttp_picture_style *style, struct ttp_arena *arena)
{
    struct ttp_picture picture;

    ttp_picture_summary(&picture, summary, style, arena);
    ttp_picture_svg(out, &picture);
}
