/* SPDX-License-Identifier: Apache-2.0 */
/* picture_png.c - a picture as PNG, drawn by cairo. The library is opened when a picture is drawn:
 * linking it would cost every run more start-up time than a whole report takes. */
#include "outputs/picture/picture.h"

#ifdef TTP_HAVE_CAIRO
#include <cairo.h>
#include <math.h>

#include "base/shared_library.h"

/* fontconfig keeps what it owns by offset, not by address, which LeakSanitizer takes for lost. */
#ifdef __SANITIZE_ADDRESS__
#define TTP_LSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TTP_LSAN 1
#endif
#endif
#ifdef TTP_LSAN
#include <sanitizer/lsan_interface.h>
#define LEAKS_OFF() __lsan_disable()
#define LEAKS_ON()  __lsan_enable()
#else
#define LEAKS_OFF() ((void)0)
#define LEAKS_ON()  ((void)0)
#endif

#define DOTS_PER_INCH   300.0
#define POINTS_PER_INCH 72.0
#define MAX_DOTS        32767.0 /* cairo's widest image */

/* What we use of it, with the types of its header. */
#define CAIRO_FUNCTIONS(USE)                                                                       \
    USE(image_surface_create)                                                                      \
    USE(surface_write_to_png_stream)                                                               \
    USE(surface_status)                                                                            \
    USE(surface_destroy)                                                                           \
    USE(create)                                                                                    \
    USE(destroy)                                                                                   \
    USE(status)                                                                                    \
    USE(status_to_string)                                                                          \
    USE(save)                                                                                      \
    USE(restore)                                                                                   \
    USE(scale)                                                                                     \
    USE(rotate)                                                                                    \
    USE(translate)                                                                                 \
    USE(set_source_rgb)                                                                            \
    USE(set_source_rgba)                                                                           \
    USE(arc)                                                                                       \
    USE(set_line_width)                                                                            \
    USE(rectangle)                                                                                 \
    USE(move_to)                                                                                   \
    USE(line_to)                                                                                   \
    USE(fill)                                                                                      \
    USE(stroke)                                                                                    \
    USE(select_font_face)                                                                          \
    USE(set_font_size)                                                                             \
    USE(set_font_options)                                                                          \
    USE(font_options_create)                                                                       \
    USE(font_options_destroy)                                                                      \
    USE(font_options_set_antialias)                                                                \
    USE(font_options_set_hint_style)                                                               \
    USE(font_options_set_hint_metrics)                                                             \
    USE(text_extents)                                                                              \
    USE(show_text)

struct cairo {
#define FIELD(name) __typeof__(cairo_##name) *(name);
    CAIRO_FUNCTIONS(FIELD)
#undef FIELD
};

static ttp_code load(struct cairo *out, const char *library, struct ttp_err *err)
{
    static const struct ttp_library_entry functions[] = {
#define ENTRY(name) {"cairo_" #name, offsetof(struct cairo, name)},
        CAIRO_FUNCTIONS(ENTRY)
#undef ENTRY
    };
    return ttp_shared_library_load(out, library,
                                   (struct ttp_library_entries){functions, TTP_COUNT(functions)},
                                   "install libcairo2 with PNG support (on Fedora: cairo)", err);
}

struct canvas {
    struct cairo api;
    cairo_t *cr;
    struct ttp_arena *arena;
};

static void draw_rect(const struct canvas *c, const struct ttp_shape *s)
{
    c->api.rectangle(c->cr, s->box.x, s->box.y, s->box.w, s->box.h);
    c->api.fill(c->cr);
}

static void draw_frame(const struct canvas *c, const struct ttp_shape *s)
{
    c->api.set_line_width(c->cr, s->stroke);
    c->api.rectangle(c->cr, s->box.x, s->box.y, s->box.w, s->box.h);
    c->api.stroke(c->cr);
}

static void draw_line(const struct canvas *c, const struct ttp_shape *s)
{
    c->api.set_line_width(c->cr, s->stroke);
    c->api.move_to(c->cr, s->box.x, s->box.y);
    c->api.line_to(c->cr, s->box.x + s->box.w, s->box.y + s->box.h);
    c->api.stroke(c->cr);
}

static void draw_disc(const struct canvas *c, const struct ttp_shape *s)
{
    c->api.set_source_rgba(c->cr, (s->rgb >> 16 & 0xff) / 255.0, (s->rgb >> 8 & 0xff) / 255.0,
                           (s->rgb & 0xff) / 255.0, 0.7);
    c->api.arc(c->cr, s->box.x, s->box.y, s->box.w / 2, 0, 2 * acos(-1));
    c->api.fill(c->cr);
}

static void draw_text(const struct canvas *c, const struct ttp_shape *s)
{
    static const double before[] = {
        [TTP_ANCHOR_START] = 0, [TTP_ANCHOR_MIDDLE] = 0.5, [TTP_ANCHOR_END] = 1};
    const struct ttp_mark mark = ttp_arena_mark(c->arena);
    const char *text = ttp_arena_zstr(c->arena, s->text);
    cairo_text_extents_t extent;

    c->api.select_font_face(c->cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                            s->font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    c->api.set_font_size(c->cr, s->font.size);
    c->api.text_extents(c->cr, text, &extent);
    c->api.save(c->cr);
    c->api.translate(c->cr, s->box.x, s->box.y);
    if (s->font.upward)
        c->api.rotate(c->cr, -acos(0));
    if (extent.x_advance > s->box.w) /* another typeface: squeeze it into what we measured */
        c->api.scale(c->cr, s->box.w / extent.x_advance, 1);
    c->api.move_to(c->cr, -before[s->font.anchor] * extent.x_advance, 0);
    c->api.show_text(c->cr, text);
    c->api.restore(c->cr);
    ttp_arena_rewind(c->arena, mark);
}

static void draw(const struct canvas *c, const struct ttp_picture *p)
{
    static void (*const shapes[])(const struct canvas *, const struct ttp_shape *) = {
        [TTP_SHAPE_RECT] = draw_rect, [TTP_SHAPE_FRAME] = draw_frame, [TTP_SHAPE_LINE] = draw_line,
        [TTP_SHAPE_TEXT] = draw_text, [TTP_SHAPE_DISC] = draw_disc,
    };
    cairo_font_options_t *options = c->api.font_options_create();

    /* Neither the screen's colour fringes nor its grid: the same dots on every machine. */
    c->api.font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    c->api.font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    c->api.font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    c->api.set_font_options(c->cr, options);
    c->api.font_options_destroy(options);
    /* the last dots too, of which the page covers a part */
    c->api.set_source_rgb(c->cr, 1, 1, 1);
    c->api.rectangle(c->cr, 0, 0, p->width + 1, p->height + 1);
    c->api.fill(c->cr);
    for (size_t i = 0; i < p->count; i++) {
        const uint32_t rgb = p->shape[i].rgb;
        c->api.set_source_rgb(c->cr, (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0,
                              (rgb & 0xff) / 255.0);
        shapes[p->shape[i].kind](c, &p->shape[i]);
    }
}

static cairo_status_t write_bytes(void *sink, const unsigned char *data, unsigned length)
{
    ttp_sink_put(sink, (ttp_str){(const char *)data, length});
    return CAIRO_STATUS_SUCCESS;
}

ttp_code ttp_picture_png(struct ttp_sink *out, const struct ttp_picture *p, const char *library,
                         struct ttp_err *err)
{
    const double scale =
        fmin(DOTS_PER_INCH / POINTS_PER_INCH, MAX_DOTS / fmax(p->width, p->height));
    struct canvas c = {.arena = p->arena};
    ttp_code rc = TTP_OK;

    TTP_TRY(load(&c.api, library, err));
    cairo_surface_t *surface = c.api.image_surface_create(
        CAIRO_FORMAT_RGB24, (int)lround(p->width * scale), (int)lround(p->height * scale));
    cairo_status_t status = c.api.surface_status(surface);
    if (status == CAIRO_STATUS_SUCCESS) {
        c.cr = c.api.create(surface);
        c.api.scale(c.cr, scale, scale);
        LEAKS_OFF();
        draw(&c, p);
        LEAKS_ON();
        status = c.api.status(c.cr);
        c.api.destroy(c.cr);
    }
    if (status == CAIRO_STATUS_SUCCESS)
        status = c.api.surface_write_to_png_stream(surface, write_bytes, out);
    if (status != CAIRO_STATUS_SUCCESS)
        rc = ttp_fail(err, TTP_EIO, "cairo cannot draw the picture: %s",
                      c.api.status_to_string(status));
    c.api.surface_destroy(surface);
    return rc;
}

#else

ttp_code ttp_picture_png(struct ttp_sink *out, const struct ttp_picture *p, const char *library,
                         struct ttp_err *err)
{
    (void)out, (void)p, (void)library;
    return ttp_fail_unbuilt(err, "cairo", "libcairo2-dev", NULL);
}

#endif

ttp_code ttp_picture_show(const struct ttp_show *show, const struct ttp_picture *p,
                          struct ttp_err *err)
{
    if (show->form == TTP_FORM_PNG)
        return ttp_picture_png(show->out, p, TTP_CAIRO_LIBRARY, err);
    ttp_picture_svg(show->out, p);
    return TTP_OK;
}

ttp_code ttp_out_summary_png(struct ttp_sink *out, const struct ttp_summary *summary,
                             const struct ttp_picture_style *style, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_picture picture;

    ttp_picture_summary(&picture, summary, style, arena);
    return ttp_picture_png(out, &picture, TTP_CAIRO_LIBRARY, err);
}
