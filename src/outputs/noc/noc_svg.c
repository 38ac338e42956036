/* SPDX-License-Identifier: Apache-2.0 */
/* noc_svg.c - the NoC of each busy chip as a map: routers as squares coloured by what their core
 * moved, links between them coloured and widened by how busy they were. NoC 0 lies to the right and
 * below of a line between two routers, NoC 1 to the left and above. Links around the torus leave
 * the map as stubs. Chips that Ethernet connects lie next to each other, with a line from core to
 * core for each direction of a link that carried data. */
#include <stdio.h>

#include "outputs/noc/noc_ethernet.h"
#include "outputs/noc/noc_fields.h"
#include "outputs/picture/picture.h"

#define MARGIN 60.0
#define TOP    86.0
#define LEGEND 112.0

/* Sizes of the map of one chip: several are drawn smaller. */
struct scale {
    double pitch, core, apart, font; /* apart: of the two NoCs' links */
};
static const struct scale alone = {54, 22, 5, 10}, among_others = {36, 17, 3.5, 8};

/* Two scales, two palettes: links from blue to red, cores from white to violet. */
#define IDLE      0xe8e8e8
#define COLD      0x4575b4
#define WARM      0xfee08b
#define HOT       0xd73027
#define CORE_IDLE 0xffffff
#define CORE_COLD 0xf2f0f7
#define CORE_HOT  0x54278f
#define ETHERNET  0x008577
#define INK       0x333333

struct map {
    struct ttp_picture *picture;
    const struct ttp_noc_view *view;
    unsigned device;
    double x, y;   /* of the upper left router's centre */
    uint64_t most; /* bytes of the busiest core of all chips */
    const struct scale *scale;
    struct ttp_arena *arena;
};

static uint32_t heat(double part)
{
    part = part > 1 ? 1 : part;
    return part < 0.5 ? ttp_picture_mix(COLD, WARM, part * 2)
                      : ttp_picture_mix(WARM, HOT, part * 2 - 1);
}

static uint32_t core_heat(double part)
{
    return ttp_picture_mix(CORE_COLD, CORE_HOT, part > 1 ? 1 : part);
}

static ttp_str say(struct ttp_arena *arena, const char *text)
{
    return ttp_arena_copy(arena, ttp_str_from(text));
}

static void draw_link(const struct map *m, int x, int y, enum ttp_noc_link k)
{
    const struct ttp_noc_model *model = m->view->load->model;
    const struct ttp_noc_grid *g = model->grid;
    const size_t core = ((size_t)m->device * g->rows + (size_t)y) * g->cols + (size_t)x;
    const uint64_t bytes = m->view->profile->link_bytes[core * 4 + k];
    const double most = (double)model->link * (double)m->view->profile->span_cycles;
    const double part = most > 0 ? (double)bytes / most : 0;
    const double cx = m->x + x * m->scale->pitch, cy = m->y + y * m->scale->pitch;
    const double width = bytes ? 1.5 + 3.5 * (part > 1 ? 1 : part) : 0.6;
    const bool flat = k == TTP_LINK_NOC0_EAST || k == TTP_LINK_NOC1_WEST;
    const double step = k == TTP_LINK_NOC0_EAST || k == TTP_LINK_NOC0_SOUTH ? 1 : -1;
    const bool wraps =
        (k == TTP_LINK_NOC0_EAST && x == g->cols - 1) || (k == TTP_LINK_NOC1_WEST && x == 0) ||
        (k == TTP_LINK_NOC0_SOUTH && y == g->rows - 1) || (k == TTP_LINK_NOC1_NORTH && y == 0);
    const double length = (wraps ? 0.35 : 1) * (m->scale->pitch - m->scale->core);
    const double aside = step * m->scale->apart;
    char tip[96];

    snprintf(tip, sizeof(tip), "(%d,%d) %s: %.1f %%, %llu bytes", x, y, ttp_noc_link_names[k],
             100 * part, (unsigned long long)bytes);
    /* a rectangle, not a line: it can say what it is when pointed at */
    struct ttp_box box;
    if (flat)
        box =
            (struct ttp_box){step > 0 ? cx + m->scale->core / 2 : cx - m->scale->core / 2 - length,
                             cy + aside - width / 2, length, width};
    else
        box = (struct ttp_box){
            cx + aside - width / 2,
            step > 0 ? cy + m->scale->core / 2 : cy - m->scale->core / 2 - length, width, length};
    ttp_picture_rect(m->picture, box, bytes ? heat(part) : IDLE, say(m->arena, tip));
}

static void draw_core(const struct map *m, int x, int y)
{
    const struct ttp_noc_grid *g = m->view->load->model->grid;
    const size_t core = ((size_t)m->device * g->rows + (size_t)y) * g->cols + (size_t)x;
    const uint64_t in = m->view->profile->in_bytes[core], out = m->view->profile->out_bytes[core];
    const struct ttp_box box = {m->x + x * m->scale->pitch - m->scale->core / 2,
                                m->y + y * m->scale->pitch - m->scale->core / 2, m->scale->core,
                                m->scale->core};
    const uint32_t fill =
        in + out ? core_heat(m->most ? (double)(in + out) / (double)m->most : 0) : CORE_IDLE;
    const struct ttp_font font = {
        .size = m->scale->font, .anchor = TTP_ANCHOR_MIDDLE, .rgb = ttp_picture_ink(fill)};
    const char kind[2] = {g->map[y][x], '\0'};
    char tip[96];

    snprintf(tip, sizeof(tip), "(%d,%d) %s: %llu bytes out, %llu in", x, y,
             ttp_device_core_kind_name(ttp_device_core_kind(g, x, y)), (unsigned long long)out,
             (unsigned long long)in);
    ttp_picture_rect(m->picture, box, fill, say(m->arena, tip));
    ttp_picture_frame(m->picture, box, 0x888888, 0.75);
    if (kind[0] != 'U')
        ttp_picture_text(m->picture, box.x + m->scale->core / 2, box.y + m->scale->core / 2 + 3.5,
                         say(m->arena, kind), &font);
}

static void draw_axes(const struct map *m)
{
    const struct ttp_noc_grid *g = m->view->load->model->grid;
    const struct ttp_font font = {
        .size = m->scale->font - 1, .anchor = TTP_ANCHOR_MIDDLE, .rgb = 0x777777};
    char text[16];

    for (int x = 0; x < g->cols; x++) {
        snprintf(text, sizeof(text), "%d", x);
        ttp_picture_text(m->picture, m->x + x * m->scale->pitch, m->y - m->scale->pitch / 2 - 6,
                         say(m->arena, text), &font);
    }
    for (int y = 0; y < g->rows; y++) {
        snprintf(text, sizeof(text), "%d", y);
        ttp_picture_text(m->picture, m->x - m->scale->pitch / 2 - 12,
                         m->y + y * m->scale->pitch + 3, say(m->arena, text), &font);
    }
}

static void draw_links(const struct map *m)
{
    const struct ttp_noc_grid *g = m->view->load->model->grid;

    draw_axes(m);
    for (int y = 0; y < g->rows; y++)
        for (int x = 0; x < g->cols; x++)
            for (unsigned k = 0; k < 4; k++)
                draw_link(m, x, y, (enum ttp_noc_link)k);
}

static void draw_cores(const struct map *m)
{
    const struct ttp_noc_grid *g = m->view->load->model->grid;

    for (int y = 0; y < g->rows; y++)
        for (int x = 0; x < g->cols; x++)
            draw_core(m, x, y);
}

/* ---- Ethernet ---- */

static struct ttp_circle centre_of(const struct map *m, struct ttp_noc_place at)
{
    return (struct ttp_circle){m->x + at.x * m->scale->pitch, m->y + at.y * m->scale->pitch, 0};
}

/* Lines lie below the cores, dots at the corner of the core where data arrives above them.
 * `map` is by device, `any` one that is drawn. */
static void draw_ethernet(const struct map *map, const struct map *any,
                          const struct ttp_noc_ethernet *e, bool dots)
{
    const struct ttp_noc_view *v = any->view;
    const double most =
        (double)v->load->model->eth_link * (double)v->profile->span_cycles; /* 0: unknown */

    for (size_t i = 0; i < e->count; i++) {
        const struct ttp_noc_hop_bytes *h = &e->hop[i];
        if (!map[h->from.device].picture || !map[h->to.device].picture)
            continue;
        const struct ttp_circle a = centre_of(&map[h->from.device], h->from),
                                b = centre_of(&map[h->to.device], h->to);
        const double part = most > 0 ? (double)h->bytes / most : 0;
        const double width = 1.2 + 3.0 * (part > 1 ? 1 : part);
        char tip[160];

        snprintf(tip, sizeof(tip),
                 "Ethernet from device %u (%d,%d) to device %u (%d,%d): %llu bytes", h->from.device,
                 h->from.x, h->from.y, h->to.device, h->to.x, h->to.y,
                 (unsigned long long)h->bytes);
        const double corner = any->scale->core / 2;
        if (dots)
            ttp_picture_disc(any->picture,
                             (struct ttp_circle){b.x + corner, b.y - corner, any->scale->core / 4},
                             ETHERNET, say(any->arena, tip));
        else
            ttp_picture_line(any->picture, (struct ttp_box){a.x, a.y, b.x - a.x, b.y - a.y},
                             ETHERNET, width);
    }
}

/* ---- legend ---- */

static void draw_scale(struct ttp_picture *p, struct ttp_box at, uint32_t (*colour)(double))
{
    for (int i = 0; i < 50; i++)
        ttp_picture_rect(p, (struct ttp_box){at.x + i * at.w / 50, at.y, at.w / 50 + 0.2, at.h},
                         colour(i / 49.0), TTP_STR(""));
}

static void draw_legend(struct ttp_picture *p, double y, bool ethernet, struct ttp_arena *arena)
{
    static const char *const text[] = {
        "links: bytes carried, of their capacity; right and lower lines are NoC 0, left and upper "
        "NoC 1",
        "cores: bytes in and out, of the busiest core",
        "D DRAM, E Ethernet, W worker, no letter: other cores; white: idle; stubs go around the "
        "torus",
        "Ethernet links that carried data, a dot where it arrives; wider: busier",
    };
    const struct ttp_font font = {.size = 10, .anchor = TTP_ANCHOR_START, .rgb = INK};
    const struct ttp_font end = {.size = 10, .anchor = TTP_ANCHOR_END, .rgb = INK};
    const double wide = 160, x = MARGIN + 24, beside = x + wide + 44;

    for (int i = 0; i < 2; i++) {
        ttp_picture_text(p, x - 4, y + 9 + 20 * i, say(arena, "0 %"), &end);
        draw_scale(p, (struct ttp_box){x, y + 20 * i, wide, 10}, i ? core_heat : heat);
        ttp_picture_text(p, x + wide + 4, y + 9 + 20 * i, say(arena, "100 %"), &font);
    }
    ttp_picture_line(p, (struct ttp_box){x, y + 65, ethernet ? wide : 0, 0}, ETHERNET,
                     ethernet ? 2 : 0);
    for (int i = 0; i < 3 + ethernet; i++)
        ttp_picture_text(
            p, beside, y + 9 + 20 * i,
            ttp_picture_fit(ttp_str_from(text[i]), &font, p->width - beside - 8, arena), &font);
}

static bool is_busy(const struct ttp_noc_view *v, unsigned d, uint64_t *most)
{
    const size_t chip = (size_t)v->load->model->grid->cols * v->load->model->grid->rows;

    uint64_t here = 0;
    for (size_t i = d * chip; i < (d + 1) * chip; i++) {
        const uint64_t bytes = v->profile->in_bytes[i] + v->profile->out_bytes[i];
        here = bytes > here ? bytes : here;
    }
    *most = here > *most ? here : *most;
    return here > 0;
}

static void draw_titles(struct ttp_picture *p, const struct ttp_noc_view *v,
                        struct ttp_arena *arena)
{
    const struct ttp_font title = {
        .size = 16, .bold = true, .anchor = TTP_ANCHOR_START, .rgb = INK};
    const struct ttp_font small = {.size = 11, .anchor = TTP_ANCHOR_START, .rgb = 0x666666};
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    if (v->op_id)
        ttp_sink_printf(&text, "program %llu  ", (unsigned long long)v->op_id);
    const char *slash = strrchr(v->input, '/');
    ttp_sink_put(&text, v->op.len ? v->op : ttp_str_from(slash ? slash + 1 : v->input));
    const ttp_str clean = ttp_picture_clean(ttp_sink_text(&text), arena);
    ttp_picture_text(p, MARGIN - 20, 28,
                     ttp_picture_fit(clean, &title, p->width - 2 * MARGIN, arena), &title);
    p->title = clean;
    ttp_sink_to_arena(&text, arena);
    ttp_sink_printf(&text,
                    "%s: carried %.1f %% of the NoC in %llu cycles; congestion impact %.1f %%",
                    v->load->model->name, v->profile->carried_pct,
                    (unsigned long long)v->profile->span_cycles, v->estimate->mesh.cong_impact);
    if (v->profile->ntop) {
        ttp_sink_put(&text, TTP_STR("; busiest link "));
        ttp_out_noc_put_link(&text, v->load->model, v->profile->top[0].link);
        ttp_sink_printf(&text, " %.0f %%", v->profile->top[0].busy_pct);
    }
    p->description = ttp_sink_text(&text);
    ttp_picture_text(p, MARGIN - 20, 46, p->description, &small);
}

/* ---- the page ---- */

/* Chips of a line or ring lie along a snake, so that neighbours stay neighbours. */
static void place(struct map *m, size_t at, size_t columns, struct ttp_box cell)
{
    const size_t row = at / columns, in_row = at % columns,
                 column = row % 2 ? columns - 1 - in_row : in_row;

    m->x = MARGIN + (double)column * cell.w + m->scale->pitch / 2;
    m->y = TOP + (double)row * cell.h + m->scale->pitch / 2;
}

static void draw_chips(struct ttp_picture *p, struct map *map, const unsigned *order, size_t count)
{
    const struct ttp_font font = {.size = 12, .bold = true, .anchor = TTP_ANCHOR_START, .rgb = INK};

    for (size_t i = 0; i < count; i++) {
        const struct map *m = &map[order[i]];
        char text[32];

        snprintf(text, sizeof(text), "device %u", m->device);
        if (m->view->load->model->chips > 1)
            ttp_picture_text(p, m->x - m->scale->pitch / 2 - 10, m->y - m->scale->pitch / 2 - 20,
                             say(m->arena, text), &font);
        draw_links(m);
    }
}

void ttp_out_noc_svg(struct ttp_sink *out, const struct ttp_noc_view *view, struct ttp_arena *arena)
{
    const struct ttp_noc_grid *g = view->load->model->grid;
    const unsigned chips = view->load->model->chips;
    unsigned *order = TTP_NEW(arena, unsigned, chips);
    struct map *map = TTP_NEW(arena, struct map, chips);
    struct ttp_noc_ethernet ethernet;
    struct ttp_picture p;
    uint64_t most = 0;
    size_t busy = 0;

    for (unsigned d = 0; d < chips; d++)
        if (is_busy(view, d, &most))
            order[busy++] = d;
    ttp_out_noc_find_ethernet(&ethernet, view->load, arena);
    ttp_out_noc_order_chips(order, busy, &ethernet);
    const struct scale *scale = busy > 1 ? &among_others : &alone;
    const size_t columns = busy > 4 ? (busy + 1) / 2 < 4 ? (busy + 1) / 2 : 4 : busy > 1 ? 2 : 1;
    const size_t rows = busy ? (busy + columns - 1) / columns : 1;
    const struct ttp_box cell = {0, 0, g->cols * scale->pitch + MARGIN,
                                 g->rows * scale->pitch + 56};
    const double wide = (double)columns * cell.w + MARGIN;

    ttp_picture_begin(&p, wide < 860 ? 860 : wide, TOP + (double)rows * cell.h + LEGEND, arena);
    draw_titles(&p, view, arena);
    for (size_t i = 0; i < busy; i++) {
        map[order[i]] = (struct map){&p, view, order[i], 0, 0, most, scale, arena};
        place(&map[order[i]], i, columns, cell);
    }
    draw_chips(&p, map, order, busy);
    if (busy > 1)
        draw_ethernet(map, &map[order[0]], &ethernet, false);
    for (size_t i = 0; i < busy; i++)
        draw_cores(&map[order[i]]);
    if (busy > 1)
        draw_ethernet(map, &map[order[0]], &ethernet, true);
    draw_legend(&p, TOP + (double)rows * cell.h + 4, ethernet.count > 0, arena);
    ttp_picture_svg(out, &p);
}
