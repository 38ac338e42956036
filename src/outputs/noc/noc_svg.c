/* SPDX-License-Identifier: Apache-2.0 */
/* noc_svg.c - the NoC of each busy chip as a map: routers as squares coloured by what their core
 * moved, links between them coloured and widened by how busy they were. NoC 0 lies to the right and
 * below of a line between two routers, NoC 1 to the left and above. Links around the torus leave
 * the map as stubs. */
#include <stdio.h>

#include "outputs/noc/noc_fields.h"
#include "outputs/picture/picture.h"

#define PITCH  54.0
#define CORE   22.0
#define APART  5.0 /* of the two NoCs' links */
#define MARGIN 60.0
#define TOP    86.0
#define LEGEND 70.0

#define IDLE 0xe8e8e8
#define COLD 0x4575b4
#define WARM 0xfee08b
#define HOT  0xd73027
#define INK  0x333333

struct map {
    struct ttp_picture *p;
    const struct ttp_noc_view *v;
    unsigned device;
    double x, y;   /* of the upper left router's centre */
    uint64_t most; /* bytes of the busiest core */
    struct ttp_arena *arena;
};

static uint32_t heat(double part)
{
    part = part > 1 ? 1 : part;
    return part < 0.5 ? ttp_picture_mix(COLD, WARM, part * 2)
                      : ttp_picture_mix(WARM, HOT, part * 2 - 1);
}

static ttp_str say(struct ttp_arena *arena, const char *text)
{
    return ttp_arena_copy(arena, ttp_str_from(text));
}

static void draw_link(const struct map *m, int x, int y, enum ttp_noc_link k)
{
    const struct ttp_noc_model *model = m->v->load->model;
    const struct ttp_noc_grid *g = model->grid;
    const size_t core = ((size_t)m->device * g->rows + (size_t)y) * g->cols + (size_t)x;
    const uint64_t bytes = m->v->profile->link_bytes[core * 4 + k];
    const double most = (double)model->link * (double)m->v->profile->span_cycles;
    const double part = most > 0 ? (double)bytes / most : 0;
    const double cx = m->x + x * PITCH, cy = m->y + y * PITCH;
    const double width = bytes ? 1.5 + 3.5 * (part > 1 ? 1 : part) : 0.6;
    const bool flat = k == TTP_LINK_NOC0_EAST || k == TTP_LINK_NOC1_WEST;
    const double step = k == TTP_LINK_NOC0_EAST || k == TTP_LINK_NOC0_SOUTH ? 1 : -1;
    const bool wraps =
        (k == TTP_LINK_NOC0_EAST && x == g->cols - 1) || (k == TTP_LINK_NOC1_WEST && x == 0) ||
        (k == TTP_LINK_NOC0_SOUTH && y == g->rows - 1) || (k == TTP_LINK_NOC1_NORTH && y == 0);
    const double length = (wraps ? 0.35 : 1) * (PITCH - CORE);
    const double aside = step * APART;
    char tip[96];

    snprintf(tip, sizeof(tip), "(%d,%d) %s: %.1f %%, %llu bytes", x, y, ttp_noc_link_names[k],
             100 * part, (unsigned long long)bytes);
    /* a rectangle, not a line: it can say what it is when pointed at */
    struct ttp_box box;
    if (flat)
        box = (struct ttp_box){step > 0 ? cx + CORE / 2 : cx - CORE / 2 - length,
                               cy + aside - width / 2, length, width};
    else
        box = (struct ttp_box){cx + aside - width / 2,
                               step > 0 ? cy + CORE / 2 : cy - CORE / 2 - length, width, length};
    ttp_picture_rect(m->p, box, bytes ? heat(part) : IDLE, say(m->arena, tip));
}

static void draw_core(const struct map *m, int x, int y)
{
    const struct ttp_noc_grid *g = m->v->load->model->grid;
    const size_t core = ((size_t)m->device * g->rows + (size_t)y) * g->cols + (size_t)x;
    const uint64_t in = m->v->profile->in_bytes[core], out = m->v->profile->out_bytes[core];
    const struct ttp_box box = {m->x + x * PITCH - CORE / 2, m->y + y * PITCH - CORE / 2, CORE,
                                CORE};
    const uint32_t fill =
        in + out ? heat(m->most ? (double)(in + out) / (double)m->most : 0) : 0xffffff;
    const struct ttp_font font = {
        .size = 10, .anchor = TTP_ANCHOR_MIDDLE, .rgb = ttp_picture_ink(fill)};
    const char kind[2] = {g->map[y][x], '\0'};
    char tip[96];

    snprintf(tip, sizeof(tip), "(%d,%d) %s: %llu bytes out, %llu in", x, y,
             ttp_device_core_kind_name(ttp_device_core_kind(g, x, y)), (unsigned long long)out,
             (unsigned long long)in);
    ttp_picture_rect(m->p, box, fill, say(m->arena, tip));
    ttp_picture_frame(m->p, box, 0x888888, 0.75);
    if (kind[0] != 'U')
        ttp_picture_text(m->p, box.x + CORE / 2, box.y + CORE / 2 + 3.5, say(m->arena, kind),
                         &font);
}

static void draw_axes(const struct map *m)
{
    const struct ttp_noc_grid *g = m->v->load->model->grid;
    const struct ttp_font font = {.size = 9, .anchor = TTP_ANCHOR_MIDDLE, .rgb = 0x777777};
    char text[16];

    for (int x = 0; x < g->cols; x++) {
        snprintf(text, sizeof(text), "%d", x);
        ttp_picture_text(m->p, m->x + x * PITCH, m->y - PITCH / 2 - 6, say(m->arena, text), &font);
    }
    for (int y = 0; y < g->rows; y++) {
        snprintf(text, sizeof(text), "%d", y);
        ttp_picture_text(m->p, m->x - PITCH / 2 - 12, m->y + y * PITCH + 3, say(m->arena, text),
                         &font);
    }
}

static void draw_map(const struct map *m)
{
    const struct ttp_noc_grid *g = m->v->load->model->grid;

    draw_axes(m);
    for (int y = 0; y < g->rows; y++)
        for (int x = 0; x < g->cols; x++)
            for (unsigned k = 0; k < 4; k++)
                draw_link(m, x, y, (enum ttp_noc_link)k);
    for (int y = 0; y < g->rows; y++)
        for (int x = 0; x < g->cols; x++)
            draw_core(m, x, y);
}

static void draw_legend(struct ttp_picture *p, double y, struct ttp_arena *arena)
{
    const struct ttp_font font = {.size = 10, .anchor = TTP_ANCHOR_START, .rgb = INK};
    const double wide = 200;

    for (int i = 0; i < 50; i++)
        ttp_picture_rect(p, (struct ttp_box){MARGIN + i * wide / 50, y, wide / 50 + 0.2, 10},
                         heat(i / 49.0), TTP_STR(""));
    ttp_picture_text(p, MARGIN, y + 24, say(arena, "0 %"), &font);
    ttp_picture_text(p, MARGIN + wide - 24, y + 24, say(arena, "100 %"), &font);
    ttp_picture_text(p, MARGIN + wide + 16, y + 9,
                     say(arena, "links: bytes carried, relative to capacity; cores: relative to "
                                "the busiest"),
                     &font);
    ttp_picture_text(p, MARGIN + wide + 16, y + 24,
                     say(arena, "right and lower lines: NoC 0; left and upper: NoC 1; stubs go "
                                "around the torus"),
                     &font);
}

static bool is_busy(const struct ttp_noc_view *v, unsigned d, uint64_t *most)
{
    const size_t chip = (size_t)v->load->model->grid->cols * v->load->model->grid->rows;

    *most = 0;
    for (size_t i = d * chip; i < (d + 1) * chip; i++) {
        const uint64_t bytes = v->profile->in_bytes[i] + v->profile->out_bytes[i];
        *most = bytes > *most ? bytes : *most;
    }
    return *most > 0;
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
        ttp_noc_put_link(&text, v->load->model, v->profile->top[0].link);
        ttp_sink_printf(&text, " %.0f %%", v->profile->top[0].busy_pct);
    }
    p->description = ttp_sink_text(&text);
    ttp_picture_text(p, MARGIN - 20, 46, p->description, &small);
}

void ttp_out_noc_svg(struct ttp_sink *out, const struct ttp_noc_view *view, struct ttp_arena *arena)
{
    const struct ttp_noc_grid *g = view->load->model->grid;
    const double high = g->rows * PITCH + 40;
    const double grid_wide = g->cols * PITCH + 2 * MARGIN;
    const struct ttp_font font = {.size = 12, .bold = true, .anchor = TTP_ANCHOR_START, .rgb = INK};
    struct ttp_picture p;
    unsigned busy = 0;
    uint64_t most;

    for (unsigned d = 0; d < view->load->model->chips; d++)
        busy += is_busy(view, d, &most);
    ttp_picture_begin(&p, grid_wide < 760 ? 760 : grid_wide,
                      TOP + (busy ? busy : 1) * high + LEGEND, arena);
    draw_titles(&p, view, arena);
    busy = 0;
    for (unsigned d = 0; d < view->load->model->chips; d++) {
        struct map m = {&p, view, d, MARGIN + PITCH / 2, 0, 0, arena};
        char text[32];

        if (!is_busy(view, d, &m.most))
            continue;
        m.y = TOP + busy * high + PITCH / 2;
        if (view->load->model->chips > 1) {
            snprintf(text, sizeof(text), "device %u", d);
            ttp_picture_text(&p, 8, m.y - PITCH / 2 - 8, say(arena, text), &font);
        }
        draw_map(&m);
        busy++;
    }
    draw_legend(&p, TOP + (busy ? busy : 1) * high + 4, arena);
    ttp_picture_svg(out, &p);
}
