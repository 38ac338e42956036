/* SPDX-License-Identifier: Apache-2.0 */
/* picture_summary.c - the summary as stacked bars: one, or one per device, on a common axis.
 *
 * A bar is stacked from the bottom by category, inside it by time. Segments of at least 2 % carry
 * their name, shortened to what fits; the rest of a category is pale, and counted. */
#include <math.h>

#include "outputs/picture/picture.h"
#include "outputs/picture/picture_bars.h"

#define PAGE_HEIGHT   576.0 /* 8 in */
#define PAGE_WIDTH    432.0 /* 6 in, at least */
#define DEVICE_WIDTH  144.0 /* 2 in */
#define PLOT_TOP      46.0
#define PLOT_BOTTOM   536.0
#define PLOT_HEIGHT   (PLOT_BOTTOM - PLOT_TOP)
#define MARGIN        12.0
#define CATEGORY_ROOM 44.0 /* left of a bar */
#define MAX_BAR       330.0
#define BAR_GAP       3.0 /* right of it */
#define TICKS         8

static const uint32_t black = 0x1a1a1a, grey = 0x6b6b6b, rule = 0xe4e4e4;

static ttp_str microseconds(double us, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_fixed(&out, us, us < 10 ? 2 : 1, true);
    ttp_sink_put(&out, TTP_STR(" \xce\xbcs"));
    return ttp_sink_text(&out);
}

static ttp_str join(struct ttp_arena *arena, ttp_str a, ttp_str b, ttp_str c)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, a);
    ttp_sink_put(&out, b);
    ttp_sink_put(&out, c);
    return ttp_sink_text(&out);
}

static ttp_str percent(double pct, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_fixed(&out, pct, 1, false);
    ttp_sink_put(&out, TTP_STR(" %"));
    return ttp_sink_text(&out);
}

/* ---- the axis ---- */

/* 1, 2 or 5 times a power of ten: the smallest that cuts `most` into at most TICKS parts. */
static double tick_step(double most, int *digits)
{
    static const double round[] = {1, 2, 5};
    double power = 1;

    *digits = 0;
    while (power * 10 <= most / TICKS)
        power *= 10;
    while (power > most / TICKS) {
        power /= 10;
        ++*digits;
    }
    for (size_t i = 0; i < TTP_COUNT(round); i++)
        if (most / (power * round[i]) <= TICKS)
            return power * round[i];
    *digits -= *digits > 0;
    return power * 10;
}

static ttp_str tick_text(double value, int digits, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (digits > 9 || value >= 1e15)
        ttp_sink_f64(&out, value, TTP_NUM_JSON);
    else
        ttp_sink_fixed(&out, value, digits, true);
    return ttp_sink_text(&out);
}

/* Returns the position of the axis. */
static double draw_axis(struct ttp_picture *p, double most)
{
    const struct ttp_font label = {
        .size = 8, .upward = true, .anchor = TTP_ANCHOR_MIDDLE, .rgb = black};
    const struct ttp_font tick = {.size = 7, .anchor = TTP_ANCHOR_END, .rgb = black};
    double step = 0, left = 0;
    int digits = 0, count = 0;
    ttp_str text[TICKS + 2];

    if (most > 0) {
        step = tick_step(most, &digits);
        for (; count <= TICKS && count * step <= most * (1 + 1e-9); count++) {
            text[count] = tick_text(count * step, digits, p->arena);
            left = fmax(left, ttp_picture_measure(text[count], &tick));
        }
    }
    const double axis = 24 + left + 6;
    for (int i = 0; i < count; i++) {
        const double y = PLOT_BOTTOM - i * step / most * PLOT_HEIGHT;
        ttp_picture_line(p, (struct ttp_box){axis, y, p->width - MARGIN - BAR_GAP - axis, 0}, rule,
                         0.5);
        ttp_picture_line(p, (struct ttp_box){axis - 3, y, 3, 0}, black, 0.75);
        ttp_picture_text(p, axis - 5, y + 0.36 * tick.size, text[i], &tick);
    }
    ttp_picture_line(p, (struct ttp_box){axis, PLOT_TOP, 0, PLOT_HEIGHT}, black, 0.75);
    ttp_picture_text(p, 18, (PLOT_TOP + PLOT_BOTTOM) / 2, TTP_STR("Device Time [\xce\xbcs]"),
                     &label);
    return axis;
}

/* ---- segments ---- */

/* From one line of a label to the next. */
static double line_height(const struct ttp_font *font)
{
    return 1.17 * font->size;
}

struct text_lines {
    const ttp_str *line;
    int count;
};

/* Lines of text in the middle of a box, in the ink its ground asks for. */
static void draw_lines(struct ttp_picture *p, const struct ttp_box *box, uint32_t ground,
                       const struct ttp_font *font, struct text_lines text)
{
    const struct ttp_font ink = {
        .size = font->size, .anchor = TTP_ANCHOR_MIDDLE, .rgb = ttp_picture_ink(ground)};
    const double middle = box->y + box->h / 2 + 0.36 * font->size;

    for (int i = 0; i < text.count; i++)
        ttp_picture_text(p, box->x + box->w / 2,
                         middle + (i - (text.count - 1) / 2.0) * line_height(font), text.line[i],
                         &ink);
}

/* What a label is made for. */
struct label {
    const struct ttp_segment *segment;
    const struct ttp_font *font;
    double width;
    int room; /* lines */
    struct ttp_arena *arena;
};

static ttp_str fit(const struct label *l, ttp_str text)
{
    return ttp_picture_fit(text, l->font, l->width, l->arena);
}

/* The key, shortened to that width; rather without its memory than with a scrap of it. */
static ttp_str fit_name(const struct label *l, double width)
{
    const ttp_str key = l->segment->key, memory = TTP_STR(" (in0:"), dots = TTP_STR(TTP_ELLIPSIS);
    const size_t name = ttp_str_find(key, memory);
    const ttp_str shown = ttp_picture_fit(key, l->font, width, l->arena);

    if (shown.len == 0 || name == TTP_NPOS || ttp_str_eq(shown, key))
        return shown;
    const size_t kept = shown.len - dots.len;
    if (kept <= name || kept > name + memory.len)
        return shown;
    return join(l->arena, ttp_str_slice(key, 0, name), dots, (ttp_str){0});
}

/* The key gives way first, then what follows it. */
static ttp_str fit_line(const struct label *l, ttp_str before, ttp_str after)
{
    const double head = ttp_picture_measure(before, l->font);
    const double room = l->width - head - ttp_picture_measure(after, l->font);
    const ttp_str name = fit_name(l, room);

    if (name.len == 0 || (!ttp_str_eq(name, l->segment->key) && room < 8 * l->font->size))
        return join(l->arena, before, fit_name(l, l->width - head), (ttp_str){0});
    return join(l->arena, before, name, after);
}

static ttp_str utilisation(const struct ttp_group *g, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, TTP_STR("Util ["));
    ttp_sink_fixed(&out, g->flops_min, 1, false);
    ttp_sink_put(&out, TTP_STR(" - "));
    ttp_sink_fixed(&out, g->flops_max, 1, false);
    ttp_sink_char(&out, ']');
    if (g->has_weighted) {
        ttp_sink_put(&out, TTP_STR(" weighted_mean="));
        ttp_sink_fixed(&out, g->flops_weighted, 1, false);
        ttp_sink_char(&out, '%');
    }
    ttp_sink_put(&out, TTP_STR(" (mean="));
    ttp_sink_fixed(&out, g->flops_mean, 1, false);
    if (g->has_std) {
        ttp_sink_put(&out, TTP_STR(" \xc2\xb1 "));
        ttp_sink_fixed(&out, g->flops_std, 1, false);
    }
    ttp_sink_put(&out, TTP_STR("%)"));
    return ttp_sink_text(&out);
}

/* "(12.3 %) KEY total=45.6 μs; 7 ops" and, if there is room, how well it used the chip. */
static int describe(ttp_str *line, const struct label *l)
{
    const struct ttp_segment *s = l->segment;
    struct ttp_sink after;

    ttp_sink_to_arena(&after, l->arena);
    ttp_sink_put(&after, TTP_STR(" total="));
    ttp_sink_put(&after, microseconds(s->time_us, l->arena));
    ttp_sink_printf(&after, "; %zu op%s", s->group->count, s->group->count == 1 ? "" : "s");
    line[0] = fit_line(l, join(l->arena, TTP_STR("("), percent(s->pct, l->arena), TTP_STR(") ")),
                       ttp_sink_text(&after));
    if (l->room < 2 || !s->group->has_flops)
        return 1;
    line[1] = fit(l, utilisation(s->group, l->arena));
    return 2;
}

/* Share, key and time in as many lines as there are; a long key is broken before its memory. */
static int describe_narrow(ttp_str *line, const struct label *l)
{
    const struct ttp_segment *s = l->segment;
    const ttp_str share = percent(s->pct, l->arena), time = microseconds(s->time_us, l->arena);
    const size_t blank = ttp_str_find(s->key, TTP_STR(" (in0:"));
    const bool wide = ttp_picture_measure(s->key, l->font) > l->width;
    int n = 0;

    if (l->room < 2) {
        line[n++] = fit_line(l, join(l->arena, share, TTP_STR(" "), (ttp_str){0}), (ttp_str){0});
        return n;
    }
    line[n++] = l->room == 2 ? fit(l, join(l->arena, share, TTP_STR(", "), time)) : share;
    if (l->room >= 4 && blank != TTP_NPOS && wide) {
        line[n++] = fit(l, ttp_str_slice(s->key, 0, blank));
        line[n++] = fit(l, ttp_str_slice(s->key, blank + 1, s->key.len));
    } else {
        line[n++] = fit_name(l, l->width);
    }
    if (l->room > 2)
        line[n++] = fit(l, time);
    return n;
}

static ttp_str hover_text(const struct ttp_segment *s, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, s->key);
    ttp_sink_put(&out, TTP_STR(": "));
    ttp_sink_put(&out, microseconds(s->time_us, arena));
    ttp_sink_put(&out, TTP_STR(", "));
    ttp_sink_put(&out, percent(s->pct, arena));
    ttp_sink_printf(&out, ", %zu op%s", s->group->count, s->group->count == 1 ? "" : "s");
    if (s->group->has_flops) {
        ttp_sink_put(&out, TTP_STR(", "));
        ttp_sink_put(&out, utilisation(s->group, arena));
    }
    return ttp_sink_text(&out);
}

/* Segments without a label of their own. */
struct rest {
    size_t count, small; /* small: those below 2 % */
    bool more;           /* others have one */
    double from_us, time_us, pct;
};

static void add_rest(struct rest *rest, const struct ttp_segment *s)
{
    rest->count++;
    rest->small += !s->large;
    rest->time_us += s->time_us;
    rest->pct += s->pct;
}

/* "5 more below 2 %: 4.3 %", without the reason where that is too wide: numbers are not cut. */
static ttp_str rest_text(const struct rest *rest, ttp_str before_pct, const struct ttp_font *font,
                         double width, struct ttp_arena *arena)
{
    const ttp_str reason = rest->small == rest->count ? TTP_STR(" below 2 %") : (ttp_str){0};
    const ttp_str pct = percent(rest->pct, arena);
    struct ttp_sink count;

    ttp_sink_to_arena(&count, arena);
    ttp_sink_u64(&count, rest->count);
    ttp_sink_put(&count, rest->more ? TTP_STR(" more") : (ttp_str){0});
    const ttp_str start = ttp_sink_text(&count);
    const ttp_str whole = join(arena, start, reason, join(arena, before_pct, pct, (ttp_str){0}));
    if (ttp_picture_measure(whole, font) <= width)
        return whole;
    return ttp_picture_fit(join(arena, start, TTP_STR(": "), pct), font, width, arena);
}

/* ---- bars ---- */

struct place {
    double x, w;
    double us_to_pt;
    struct ttp_font font; /* of labels */
    bool classic, per_device;
};

static struct ttp_box box_of(const struct place *at, double from_us, double us)
{
    const double h = us * at->us_to_pt;

    return (struct ttp_box){at->x, PLOT_BOTTOM - from_us * at->us_to_pt - h, at->w, h};
}

/* Whether there is a line's height for its name. */
static bool has_label(const struct ttp_segment *s, const struct place *at)
{
    return s->large && s->time_us * at->us_to_pt >= line_height(&at->font) + 0.5;
}

static void draw_segments(struct ttp_picture *p, const struct ttp_bar *bar, const struct place *at)
{
    double from = 0;

    for (size_t i = 0; i < bar->count; i++) {
        const struct ttp_segment *s = &bar->segment[i], *next = s + 1;
        const struct ttp_box box = box_of(at, from, s->time_us);
        ttp_picture_rect(p, box, s->rgb, hover_text(s, p->arena));
        if (i + 1 < bar->count && box.h > 2 && s->large &&
            (next->category == s->category || at->classic))
            ttp_picture_line(p, (struct ttp_box){box.x, box.y, box.w, 0}, 0xffffff, 0.5);
        from += s->time_us;
    }
}

static void label_segment(struct ttp_picture *p, const struct ttp_segment *s,
                          const struct ttp_box *box, const struct place *at)
{
    const struct label label = {.segment = s,
                                .font = &at->font,
                                .width = box->w - 6,
                                .room = (int)((box->h - 3.5) / line_height(&at->font)),
                                .arena = p->arena};
    ttp_str line[4];

    const int count = at->per_device ? describe_narrow(line, &label) : describe(line, &label);
    draw_lines(p, box, s->rgb, &at->font, (struct text_lines){line, count});
}

static void label_rest(struct ttp_picture *p, const struct rest *rest, uint32_t ground,
                       const struct place *at)
{
    const struct ttp_box box = box_of(at, rest->from_us, rest->time_us);
    const ttp_str text = rest_text(rest, TTP_STR(": "), &at->font, box.w - 6, p->arena);

    if (rest->count && box.h > line_height(&at->font) + 1)
        draw_lines(p, &box, ground, &at->font, (struct text_lines){&text, 1});
}

/* Names of the large ones; the small ones of a category, which lie together and look alike, share
 * a line. */
static void label_segments(struct ttp_picture *p, const struct ttp_bar *bar, const struct place *at)
{
    struct rest rest = {0};
    double from = 0;

    for (size_t i = 0; i < bar->count; i++) {
        const struct ttp_segment *s = &bar->segment[i];
        const struct ttp_box box = box_of(at, from, s->time_us);
        if (has_label(s, at)) {
            label_segment(p, s, &box, at);
            rest.more = true;
        }
        if (!s->large && s->time_us > 0) {
            rest.from_us = rest.count ? rest.from_us : from;
            add_rest(&rest, s);
        }
        from += s->time_us;
        if (i + 1 == bar->count || s[1].category != s->category) {
            if (!at->classic)
                label_rest(p, &rest, s->rgb, at);
            rest = (struct rest){0};
        }
    }
}

/* Below the bar: its device, and what it does not name. */
static void draw_caption(struct ttp_picture *p, const struct ttp_bar *bar, const struct place *at)
{
    const struct ttp_font name = {
        .size = 8, .bold = true, .anchor = TTP_ANCHOR_MIDDLE, .rgb = black};
    const struct ttp_font note = {.size = 6.5, .anchor = TTP_ANCHOR_MIDDLE, .rgb = grey};
    const double middle = at->x + at->w / 2, room = at->w + 2 * BAR_GAP;
    double y = PLOT_BOTTOM + 12;
    struct rest rest = {0};

    for (size_t i = 0; i < bar->count; i++) {
        if (has_label(&bar->segment[i], at))
            rest.more = true;
        else if (bar->segment[i].time_us > 0)
            add_rest(&rest, &bar->segment[i]);
    }
    if (at->per_device) {
        ttp_picture_text(p, middle, y,
                         ttp_sink_format(p->arena, "Dev %lld", (long long)bar->device), &name);
        ttp_picture_text(p, middle, y + 9, microseconds(bar->time_us, p->arena), &note);
        y += 18;
    }
    if (rest.count) {
        const ttp_str before_pct = at->per_device ? TTP_STR(": ") : TTP_STR(", together ");
        ttp_picture_text(p, middle, y, rest_text(&rest, before_pct, &note, room, p->arena), &note);
    }
}

/* Centres of labels of that height, bottom up, moved as little as keeps them apart and inside. */
static void spread(double *centre, size_t count, double height)
{
    double least = height / 2, most = PLOT_HEIGHT - height / 2;

    for (size_t i = 0; i < count; i++) {
        centre[i] = fmax(centre[i], least);
        least = centre[i] + height;
    }
    for (size_t i = count; i-- > 0;) {
        centre[i] = fmin(centre[i], most);
        most = centre[i] - height;
    }
}

/* Outline each category and name it on the left, with a line to its place where the name is not
 * next to it. */
static void draw_categories(struct ttp_picture *p, const struct ttp_bar *bar,
                            const struct place *at)
{
    const struct ttp_font name = {
        .size = 6.5, .bold = true, .anchor = TTP_ANCHOR_END, .rgb = black};
    const struct ttp_font share = {.size = 6.5, .anchor = TTP_ANCHOR_END, .rgb = black};
    double from = 0, middle[TTP_CATEGORIES], centre[TTP_CATEGORIES];
    enum ttp_category category[TTP_CATEGORIES];
    size_t count = 0;

    for (int c = 0; c < TTP_CATEGORIES; c++) {
        const struct ttp_box box = box_of(at, from, bar->category_us[c]);
        from += bar->category_us[c];
        if (!(bar->category_us[c] > 0))
            continue;
        ttp_picture_frame(p, box, 0x000000, fmax(0.5, fmin(2, box.h / 2)));
        category[count] = (enum ttp_category)c;
        middle[count] = centre[count] = PLOT_BOTTOM - (box.y + box.h / 2);
        count++;
    }
    spread(centre, count, 17);
    for (size_t i = 0; i < count; i++) {
        const double y = PLOT_BOTTOM - centre[i], right = at->x - 7.5;
        const double pct = bar->category_us[category[i]] / bar->time_us * 100;
        ttp_picture_line(p, (struct ttp_box){right + 1, y, 5.5, centre[i] - middle[i]}, grey, 0.5);
        ttp_picture_text(p, right, y - 1, ttp_str_from(ttp_device_category_name(category[i])),
                         &name);
        ttp_picture_text(p, right, y + 6.5, percent(pct, p->arena), &share);
    }
}

static void draw_bars(struct ttp_picture *p, const struct ttp_bars *bars, double axis,
                      const struct ttp_picture_style *style)
{
    const double slot = (p->width - MARGIN - axis) / (double)bars->count;
    const double left = style->classic_colors ? 8 : CATEGORY_ROOM;
    const double width = fmin(slot - left - BAR_GAP, MAX_BAR);

    for (size_t i = 0; i < bars->count; i++) {
        const double slot_x = axis + (double)i * slot;
        const struct place at = {.x = slot_x + left + (slot - left - BAR_GAP - width) / 2,
                                 .w = width,
                                 .font = {.size = bars->per_device ? 6 : 6.5},
                                 .us_to_pt = PLOT_HEIGHT / bars->most_us,
                                 .classic = style->classic_colors,
                                 .per_device = bars->per_device};
        draw_segments(p, &bars->bar[i], &at);
        if (!at.classic)
            draw_categories(p, &bars->bar[i], &at);
        label_segments(p, &bars->bar[i], &at);
        draw_caption(p, &bars->bar[i], &at);
    }
}

/* What the picture shows, in a sentence or two. */
static ttp_str narrate(const struct ttp_summary *summary, const struct ttp_bars *bars,
                       struct ttp_arena *arena)
{
    double category_us[TTP_CATEGORIES] = {0}, total = 0;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < bars->count; i++)
        for (int c = 0; c < TTP_CATEGORIES; c++) {
            category_us[c] += bars->bar[i].category_us[c];
            total += bars->bar[i].category_us[c];
        }
    if (!(bars->most_us > 0)) {
        ttp_sink_put(&out, TTP_STR("No device time."));
        return ttp_sink_text(&out);
    }
    ttp_sink_printf(&out, "%zu group%s of operations", summary->count,
                    summary->count == 1 ? "" : "s");
    if (bars->per_device)
        ttp_sink_printf(&out, " on %zu device%s", bars->count, bars->count == 1 ? "" : "s");
    ttp_sink_char(&out, '.');
    for (int c = 0; c < TTP_CATEGORIES; c++)
        if (category_us[c] > 0) {
            ttp_sink_printf(&out, " %s: ", ttp_device_category_name((enum ttp_category)c));
            ttp_sink_put(&out, percent(category_us[c] / total * 100, arena));
            ttp_sink_char(&out, '.');
        }
    return ttp_sink_text(&out);
}

void ttp_picture_summary(struct ttp_picture *out, const struct ttp_summary *summary,
                         const struct ttp_picture_style *style, struct ttp_arena *arena)
{
    const struct ttp_font title = {
        .size = 12, .bold = true, .anchor = TTP_ANCHOR_MIDDLE, .rgb = black};
    const struct ttp_font nothing = {.size = 10, .anchor = TTP_ANCHOR_MIDDLE, .rgb = grey};
    struct ttp_bars bars;

    ttp_out_bars_of_summary(&bars, summary, style, arena);
    const double width = bars.per_device ? DEVICE_WIDTH * (double)bars.count : 0;
    ttp_picture_begin(out, fmax(width, PAGE_WIDTH), PAGE_HEIGHT, arena);
    out->title = bars.per_device ? TTP_STR("Stacked Device Time per Device (100% per device)")
                                 : join(arena, TTP_STR("Stacked Device Time (Total: "),
                                        microseconds(summary->time_us, arena), TTP_STR(")"));
    out->description = narrate(summary, &bars, arena);
    ttp_picture_text(out, out->width / 2, 28,
                     ttp_picture_fit(out->title, &title, out->width - 2 * MARGIN, arena), &title);
    const double axis = draw_axis(out, bars.most_us);
    if (bars.most_us > 0)
        draw_bars(out, &bars, axis, style);
    else
        ttp_picture_text(out, (axis + out->width - MARGIN) / 2, (PLOT_TOP + PLOT_BOTTOM) / 2,
                         TTP_STR("no device time"), &nothing);
}
