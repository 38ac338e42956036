/* SPDX-License-Identifier: Apache-2.0 */
/* picture.h - a page as a list of shapes, laid out once and drawn by any back end. Private to
 * outputs.
 *
 * Lengths are points (1/72 in), y grows downwards. A picture and all it holds live in the arena it
 * was begun with. */
#ifndef TTP_OUTPUTS_PICTURE_H
#define TTP_OUTPUTS_PICTURE_H

#include "outputs/outputs.h"

enum ttp_shape_kind {
    TTP_SHAPE_RECT,
    TTP_SHAPE_FRAME,
    TTP_SHAPE_LINE,
    TTP_SHAPE_TEXT,
    TTP_SHAPE_DISC
};
enum ttp_anchor { TTP_ANCHOR_START, TTP_ANCHOR_MIDDLE, TTP_ANCHOR_END };

struct ttp_box {
    double x, y, w, h; /* upper left corner, width, height */
};

struct ttp_font {
    double size;
    bool bold, upward; /* upward: turned by 90 degrees, read from bottom to top */
    enum ttp_anchor anchor;
    uint32_t rgb;
};

struct ttp_shape {
    enum ttp_shape_kind kind;
    struct ttp_box box; /* a line goes from x,y to x+w,y+h; a text hangs on x,y of its baseline and
                           is w wide as we measure it; a disc is centred on x,y and w wide */
    uint32_t rgb;
    double stroke; /* width of lines and frames, which lie on both sides of the edge */
    struct ttp_font font;
    ttp_str text; /* of a text; of a rectangle or disc: its tooltip, or empty */
};

struct ttp_picture {
    double width, height;
    ttp_str title, description; /* for those who cannot see it */
    struct ttp_shape *shape;    /* drawn in this order */
    size_t count;
    struct ttp_arena *arena;
};

/* An empty white page. */
void ttp_picture_begin(struct ttp_picture *out, double width, double height,
                       struct ttp_arena *arena);
/* Nothing is drawn for empty texts and rectangles without area. Texts must be clean, see below. */
void ttp_picture_rect(struct ttp_picture *p, struct ttp_box box, uint32_t rgb, ttp_str tip);
void ttp_picture_frame(struct ttp_picture *p, struct ttp_box box, uint32_t rgb, double stroke);
void ttp_picture_line(struct ttp_picture *p, struct ttp_box way, uint32_t rgb, double stroke);
void ttp_picture_text(struct ttp_picture *p, double x, double y, ttp_str text,
                      const struct ttp_font *font);
struct ttp_circle {
    double x, y, radius;
};
/* Discs let what lies below shine through. */
void ttp_picture_disc(struct ttp_picture *p, struct ttp_circle at, uint32_t rgb, ttp_str tip);

/* Well-formed UTF-8 without control characters: what is not becomes U+FFFD. */
ttp_str ttp_picture_clean(ttp_str text, struct ttp_arena *arena);
/* Width of a clean text, from built-in tables of a wide typeface: what a viewer draws with another
 * one is rarely wider. The layout is thus the same on every machine. */
double ttp_picture_measure(ttp_str text, const struct ttp_font *font);
#define TTP_ELLIPSIS "\xe2\x80\xa6"
/* The text, or as much of it as fits with an ellipsis after it; empty if nothing does. */
ttp_str ttp_picture_fit(ttp_str text, const struct ttp_font *font, double width,
                        struct ttp_arena *arena);
/* The page a text covers: from above its capitals to below its descenders. */
struct ttp_box ttp_picture_extent(const struct ttp_shape *text);

/* Black or white, whichever is easier to read on that ground. */
uint32_t ttp_picture_ink(uint32_t ground);
/* From a (0) to b (1). */
uint32_t ttp_picture_mix(uint32_t a, uint32_t b, double at);

void ttp_picture_summary(struct ttp_picture *out, const struct ttp_summary *summary,
                         const struct ttp_picture_style *style, struct ttp_arena *arena);

/* ---- back ends ---- */

void ttp_picture_svg(struct ttp_sink *out, const struct ttp_picture *p);
/* As SVG or PNG, whichever the user asked for. */
TTP_NODISCARD ttp_code ttp_picture_show(const struct ttp_show *show, const struct ttp_picture *p,
                                        struct ttp_err *err);

#define TTP_CAIRO_LIBRARY "libcairo.so.2"
/* With the library of that name. TTP_EMISSING: not on this machine, or not in this build. TTP_EIO:
 * it failed to draw; what `out` has got by then is useless. */
TTP_NODISCARD ttp_code ttp_picture_png(struct ttp_sink *out, const struct ttp_picture *p,
                                       const char *library, struct ttp_err *err);

#endif
