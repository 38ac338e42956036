/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/roofline/roofline_drawing.h"

#include <math.h>

#include "base/order.h"

/* Part of the time that may appear on the edges. */
#define OUTSIDE 0.005
/* Fewest and most decades of an axis. */
#define FEWEST 2
#define MOST   9

const struct ttp_roof_class ttp_roof_classes[TTP_ROOF_CLASSES] = {
    {"bound by memory, NoC or links", TTP_BLUE, 0x0072b2},
    {"bound by arithmetic", TTP_GREEN, 0x009e73},
    {"few cores, imbalance, padding", TTP_YELLOW, 0xe69f00},
    {"waits for reader or writer", TTP_MAGENTA, 0xcc79a7},
    {"waits for dispatch", TTP_CYAN, 0x56b4e9},
    {"far from its roofs", TTP_RED, 0xd55e00},
};

unsigned ttp_out_roof_class_of(enum ttp_limit limit)
{
    static const uint8_t classes[TTP_LIMITS] = {
        [TTP_LIMIT_NONE] = 5,    [TTP_LIMIT_HOST] = 4,   [TTP_LIMIT_DRAM] = 0,
        [TTP_LIMIT_FLOP] = 1,    [TTP_LIMIT_BOTH] = 1,   [TTP_LIMIT_LINK] = 0,
        [TTP_LIMIT_NOC] = 0,     [TTP_LIMIT_CORES] = 2,  [TTP_LIMIT_IMBALANCE] = 2,
        [TTP_LIMIT_PADDING] = 2, [TTP_LIMIT_READER] = 3, [TTP_LIMIT_WRITER] = 3,
        [TTP_LIMIT_COMPUTE] = 1, [TTP_LIMIT_GAP] = 4,    [TTP_LIMIT_SLOW] = 5,
    };

    return classes[limit];
}

/* ---- the scale ---- */

struct weighted {
    double at, time_us;
};

TTP_ORDER(by_place, struct weighted, TTP_UP(at))

/* The range that holds all of the time except a share OUTSIDE; w is sorted. */
static void trim(double *low, double *high, struct weighted *w, size_t count, double time_us)
{
    const double most = time_us * OUTSIDE / 2;
    double sum = 0;

    TTP_SORT(w, count, by_place);
    for (size_t i = 0; i < count && (sum += w[i].time_us) <= most; i++)
        *low = w[i + 1 < count ? i + 1 : i].at;
    if (count && w[0].time_us > most)
        *low = w[0].at;
    sum = 0;
    for (size_t i = count; i > 0 && (sum += w[i - 1].time_us) <= most; i--)
        *high = w[i > 1 ? i - 2 : 0].at;
    if (count && w[count - 1].time_us > most)
        *high = w[count - 1].at;
}

static void set_decades(int *from, int *to, double low, double high, bool keep_high)
{
    *from = (int)floor(low);
    *to = (int)ceil(high + 0.02);
    while (*to - *from < FEWEST)
        --*from;
    if (*to - *from > MOST) {
        if (keep_high)
            *from = *to - MOST;
        else
            *to = *from + MOST;
    }
}

static bool is_drawn(const struct ttp_roofline *r, size_t roof, bool all)
{
    return all || r->points == 0 || r->roof[roof].ops > 0;
}

/* Highest peak of the roofs that are drawn. */
static double highest(const struct ttp_roofline *r, bool of_memory, bool all)
{
    double peak = 0;

    for (size_t i = 0; i < r->roofs; i++)
        if (r->roof[i].of_memory == of_memory && is_drawn(r, i, all))
            peak = fmax(peak, r->roof[i].peak);
    return peak;
}

struct ttp_roof_scale ttp_out_roof_scale_of(const struct ttp_report_view *view,
                                            struct ttp_arena *arena)
{
    const struct ttp_roofline *r = view->roofline;
    struct ttp_roof_scale s;
    struct weighted *x = TTP_NEW(arena, struct weighted, r->points);
    struct weighted *y = TTP_NEW(arena, struct weighted, r->points);
    const double compute = highest(r, false, true);
    double bend = INFINITY, x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, unused = 0;

    for (size_t i = 0; i < r->points; i++) {
        const double time = view->report->op[r->point[i].op].time_us;
        x[i] = (struct weighted){log10(r->point[i].intensity), time};
        y[i] = (struct weighted){log10(r->point[i].tflops), time};
    }
    trim(&x_low, &x_high, x, r->points, r->time_us);
    trim(&y_low, &unused, y, r->points, r->time_us);
    for (size_t i = 0; i < r->roofs; i++)
        if (r->roof[i].of_memory && is_drawn(r, i, false))
            bend = fmin(bend, r->roof[i].peak);
    bend = isfinite(bend) && compute > 0 ? log10(compute * 1e3 / bend) : 0;
    const double top = compute > 0 ? log10(compute) : 0;
    set_decades(&s.x_low, &s.x_high, fmin(x_low, bend - 1), fmax(x_high, bend + 0.5), false);
    set_decades(&s.y_low, &s.y_high, fmin(y_low, top - 1), top, true);
    return s;
}

static double clamp(double at)
{
    return at < 0 ? 0 : at > 1 ? 1 : at;
}

/* 0 at the left and lower edge, 1 at the others; what lies outside is on the edge. */
static double x_of(const struct ttp_roof_scale *s, double intensity)
{
    return clamp((log10(intensity) - s->x_low) / (s->x_high - s->x_low));
}

static double y_of(const struct ttp_roof_scale *s, double tflops)
{
    return clamp((log10(tflops) - s->y_low) / (s->y_high - s->y_low));
}

bool ttp_roof_line(struct ttp_roof_line *out, const struct ttp_roofline *r,
                   const struct ttp_roof_scale *s, size_t roof, bool all)
{
    const double compute = highest(r, false, all), memory = highest(r, true, all);
    const struct ttp_roof *at = &r->roof[roof];

    if (!is_drawn(r, roof, all))
        return false;
    if (at->of_memory) {
        /* from where it enters the page to the highest roof */
        const double x = fmax(pow(10, s->x_low), pow(10, s->y_low) * 1e3 / at->peak);
        const double bend = compute > 0 ? compute * 1e3 / at->peak : pow(10, s->x_high);
        *out = (struct ttp_roof_line){x_of(s, x), x_of(s, bend), y_of(s, x * at->peak / 1e3),
                                      y_of(s, bend * at->peak / 1e3)};
        return bend > x && bend < pow(10, s->x_high) * 1.0001;
    }
    const double y = y_of(s, at->peak);
    *out = (struct ttp_roof_line){memory > 0 ? x_of(s, at->peak * 1e3 / memory) : 0, 1, y, y};
    return out->x_from < 1;
}

/* ---- dots ---- */

struct placed {
    uint64_t cell;
    ttp_sym name;
    uint8_t roofs;
    double time_us;
    const struct ttp_roof_point *point;
};

TTP_ORDER(by_cell, struct placed, TTP_UP(cell), TTP_UP(roofs), TTP_UP(name), TTP_DOWN(time_us),
          TTP_UP(point))

TTP_ORDER(by_time, struct ttp_roof_dot, TTP_DOWN(time_us), TTP_UP(longest))

static size_t cell_of(double at, size_t cells)
{
    const size_t cell = (size_t)(at * (double)cells);

    return cell < cells ? cell : cells - 1;
}

size_t ttp_out_roof_dots(struct ttp_roof_dot **out, const struct ttp_report_view *view,
                         const struct ttp_roof_scale *s, struct ttp_roof_grid grid,
                         struct ttp_arena *arena)
{
    const struct ttp_roofline *r = view->roofline;
    struct placed *placed = TTP_NEW(arena, struct placed, r->points);
    struct ttp_roof_dot *dot = TTP_NEW(arena, struct ttp_roof_dot, r->points);
    size_t count = 0;

    for (size_t i = 0; i < r->points; i++) {
        const struct ttp_roof_point *p = &r->point[i];
        const struct ttp_op *op = &view->report->op[p->op];
        placed[i] = (struct placed){
            .cell = cell_of(y_of(s, p->tflops), grid.rows) * grid.cols +
                    cell_of(x_of(s, p->intensity), grid.cols),
            .name = op->name,
            .roofs = grid.by_name ? (uint8_t)(p->compute * TTP_ROOFS_MAX + p->memory) : 0,
            .time_us = op->time_us,
            .point = p};
    }
    TTP_SORT(placed, r->points, by_cell);
    for (size_t i = 0; i < r->points; i++) {
        const struct placed *at = &placed[i], *before = i ? at - 1 : NULL;
        const bool same = before && before->name == at->name;
        if (!before || before->cell != at->cell || before->roofs != at->roofs ||
            (grid.by_name && !same)) {
            dot[count++] = (struct ttp_roof_dot){.longest = at->point};
        } else {
            dot[count - 1].mixed |= !same;
        }
        struct ttp_roof_dot *d = &dot[count - 1];
        if (at->time_us > view->report->op[d->longest->op].time_us)
            d->longest = at->point;
        d->ops++;
        d->time_us += at->time_us;
        d->x = x_of(s, d->longest->intensity);
        d->y = y_of(s, d->longest->tflops);
    }
    TTP_SORT(dot, count, by_time);
    for (size_t i = 0; i < count && i < TTP_ROOF_LABELS; i++)
        dot[i].label = (char)('A' + i);
    *out = dot;
    return count;
}

/* ---- words ---- */

ttp_str ttp_out_roof_name(const struct ttp_report_view *view, const struct ttp_roof_dot *dot,
                          struct ttp_arena *arena)
{
    const ttp_sym code = view->report->op[dot->longest->op].name;
    const ttp_str name = ttp_sym_name(view->report->syms, code);

    if (!dot->mixed)
        return name;
    return ttp_sink_format(arena, "%.*s and others", TTP_FMT(name));
}

double ttp_out_roof_share(const struct ttp_report_view *view, double time_us)
{
    return view->report->time_us > 0 ? time_us / view->report->time_us * 100 : 0;
}

/* Three digits that say something. */
static ttp_str short_number(double v, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_fixed(&out, v, v >= 100 ? 0 : v >= 10 ? 1 : v >= 0.01 ? 2 : 4, true);
    return ttp_sink_text(&out);
}

ttp_str ttp_out_roof_peaks(const struct ttp_roofline *r, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < r->roofs; i++) {
        const bool last = i + 1 == r->roofs || r->roof[i + 1].of_memory != r->roof[i].of_memory;
        ttp_sink_printf(&out, "%s %.*s", r->roof[i].name,
                        TTP_FMT(short_number(r->roof[i].peak, arena)));
        ttp_sink_put(&out, !last                  ? TTP_STR(", ")
                           : r->roof[i].of_memory ? TTP_STR(" GB/s")
                           : i + 1 < r->roofs     ? TTP_STR(" TFLOPs; ")
                                                  : TTP_STR(" TFLOPs"));
    }
    return ttp_sink_text(&out);
}

ttp_str ttp_out_roof_missing(const struct ttp_report_view *view, struct ttp_arena *arena)
{
    const struct ttp_roofline *r = view->roofline;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (r->moving)
        ttp_sink_printf(&out, "%zu %s, %.1f %% of the device time, only %s data", r->moving,
                        r->moving == 1 ? "op" : "ops", ttp_out_roof_share(view, r->moving_us),
                        r->moving == 1 ? "moves" : "move");
    if (r->unknown)
        ttp_sink_printf(&out, "%sof %zu %s, %.1f %%, work or bytes are unknown",
                        r->moving ? "; " : "", r->unknown, r->unknown == 1 ? "op" : "ops",
                        ttp_out_roof_share(view, r->unknown_us));
    return ttp_sink_text(&out);
}
