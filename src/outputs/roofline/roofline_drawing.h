/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_drawing.h - code shared by the drawings of a roofline: positions, and the list of dots.
 * Private to outputs. */
#ifndef TTP_OUTPUTS_ROOFLINE_ROOFLINE_DRAWING_H
#define TTP_OUTPUTS_ROOFLINE_ROOFLINE_DRAWING_H

#include "outputs/outputs.h"
#include "outputs/picture/picture.h"
#include "outputs/show/paint.h"

/* Decades at the edges: logarithms of FLOP per byte, and of TFLOPs. */
struct ttp_roof_scale {
    int x_low, x_high, y_low, y_high;
};
/* Covers all ops but those that together take a two-hundredth of the time, and the corner where
 * the lowest roof that is drawn bends. */
struct ttp_roof_scale ttp_out_roof_scale_of(const struct ttp_report_view *view,
                                            struct ttp_arena *arena);
/* The part of a roof that is drawn; false: none. `all`: also roofs no op is below. */
struct ttp_roof_line {
    double x_from, x_to, y_from, y_to; /* as above */
};
bool ttp_roof_line(struct ttp_roof_line *out, const struct ttp_roofline *r,
                   const struct ttp_roof_scale *s, size_t roof, bool all);

/* Kinds of limits, for colours. */
struct ttp_roof_class {
    const char *name;
    enum ttp_color color;
    uint32_t rgb;
};
#define TTP_ROOF_CLASSES 6
extern const struct ttp_roof_class ttp_roof_classes[TTP_ROOF_CLASSES];
unsigned ttp_out_roof_class_of(enum ttp_limit limit);

struct ttp_roof_grid {
    size_t cols, rows;
    bool by_name; /* ops of different names do not share a dot */
};

/* Ops at one place. */
struct ttp_roof_dot {
    const struct ttp_roof_point *longest; /* represents all */
    size_t ops;
    bool mixed; /* not all are the same op */
    double time_us;
    double x, y;
    char label; /* 'A' for the slowest, 0 for most */
};
/* Ops in one of cols x rows cells are one dot; `by_name`: only if they are the same op. The slowest
 * first. Returns how many. */
size_t ttp_out_roof_dots(struct ttp_roof_dot **out, const struct ttp_report_view *view,
                         const struct ttp_roof_scale *s, struct ttp_roof_grid grid,
                         struct ttp_arena *arena);
#define TTP_ROOF_LABELS 10

/* Figures of a dot, in the context of its view. */
extern const struct ttp_fields ttp_roof_dot_fields;
/* Roofs and points, in the same context. */
extern const struct ttp_fields ttp_roof_fields, ttp_roof_point_fields;
/* Of the whole roofline, in the same context. */
extern const struct ttp_fields ttp_roofline_fields;
/* "MatmulDeviceOperation 32 x 64" and more as people say it. */
ttp_str ttp_out_roof_name(const struct ttp_report_view *view, const struct ttp_roof_dot *dot,
                          struct ttp_arena *arena);
/* Share of the device time, in percent. */
double ttp_out_roof_share(const struct ttp_report_view *view, double time_us);
/* All roofs with their peaks, in one sentence; and what is not drawn, empty if all is. */
ttp_str ttp_out_roof_peaks(const struct ttp_roofline *r, struct ttp_arena *arena);
ttp_str ttp_out_roof_missing(const struct ttp_report_view *view, struct ttp_arena *arena);

/* The roofline of a view that has one: as a picture, and in place of the table of ops. */
void ttp_out_roofline_picture(struct ttp_picture *out, const struct ttp_report_view *view,
                              struct ttp_arena *arena);
TTP_NODISCARD ttp_code ttp_out_roofline(const struct ttp_show *show,
                                        const struct ttp_report_view *view, struct ttp_err *err);

#endif
