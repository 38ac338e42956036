/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_picture.c - devices as squares where they are in the mesh, coloured by one figure of theirs;
 * a thick line runs between squares of different hosts, a thin one between ranks of one host; if
 * hosts are unknown, ranks have the thick one. Without coordinates they are in a row. */
#include <math.h>

#include "outputs/mesh/mesh_map.h"

#define CELL   86.0
#define MARGIN 28.0
#define TOP    64.0
#define FOOT   36.0

#define IDLE 0xf2f2f2
#define COLD 0x4575b4
#define WARM 0xfee08b
#define HOT  0xd73027
#define INK  0x333333

struct map {
    struct ttp_picture *picture;
    const struct ttp_mesh_view *view;
    const uint32_t *grid;
    size_t rows, columns;
    double low, high;
    struct ttp_arena *arena;
};

static uint32_t heat(double part)
{
    return part < 0.5 ? ttp_picture_mix(COLD, WARM, part * 2)
                      : ttp_picture_mix(WARM, HOT, part * 2 - 1);
}

static const struct ttp_mesh_device *device_at(const struct map *m, size_t r, size_t c)
{
    const uint32_t d = m->grid[r * m->columns + c];
    return d ? &m->view->mesh->device[d - 1] : NULL;
}

static void draw_cell(struct map *m, size_t r, size_t c)
{
    const struct ttp_mesh_device *d = device_at(m, r, c);
    const struct ttp_box box = {MARGIN + (double)c * CELL + 1, TOP + (double)r * CELL + 1, CELL - 2,
                                CELL - 2};

    if (!d) {
        ttp_picture_rect(m->picture, box, IDLE, TTP_STR("missing"));
        return;
    }
    const struct ttp_mesh_window *w = &m->view->mesh->window;
    const struct ttp_mesh_device *in_window = &w->device[d - m->view->mesh->device];
    const double v = ttp_out_mesh_map_value(m->view, d);
    const uint32_t ground = heat(m->high > m->low ? (v - m->low) / (m->high - m->low) : 0);
    const struct ttp_font name = {.size = 10,
                                  .anchor = TTP_ANCHOR_MIDDLE,
                                  .rgb = ttp_picture_ink(ground)},
                          value = {.size = 13,
                                   .bold = true,
                                   .anchor = TTP_ANCHOR_MIDDLE,
                                   .rgb = ttp_picture_ink(ground)};
    ttp_picture_rect(
        m->picture, box, ground,
        ttp_sink_format(m->arena, "%.*s %.*s %s: excess %.1f \xce\xbcs%s%.*s; wait %.1f \xce\xbcs",
                        TTP_FMT(d->name), TTP_FMT(d->place), d->host ? d->host : "",
                        d->excess_each_us, in_window->op.len ? ", " : "", TTP_FMT(in_window->op),
                        in_window->wait_us / (double)w->iterations));
    ttp_picture_text(m->picture, box.x + box.w / 2, box.y + 22,
                     ttp_picture_clean(d->name, m->arena), &name);
    ttp_picture_text(m->picture, box.x + box.w / 2, box.y + 50,
                     ttp_sink_format(m->arena, "%.1f", v), &value);
}

/* Width of the line between two squares; 0: none. */
static double border(const struct ttp_mesh_device *a, const struct ttp_mesh_device *b)
{
    if (!a || !b || a->rank == b->rank)
        return 0;
    return !a->host || !b->host || ttp_out_mesh_other_host(a, b) ? 3 : 1;
}

static void draw_border(struct map *m, struct ttp_box box, double width)
{
    if (width > 0)
        ttp_picture_line(m->picture, box, INK, width);
}

static void draw_borders(struct map *m)
{
    for (size_t r = 0; r < m->rows; r++)
        for (size_t c = 0; c < m->columns; c++) {
            const struct ttp_mesh_device *d = device_at(m, r, c);
            const double x = MARGIN + (double)c * CELL, y = TOP + (double)r * CELL;
            if (c + 1 < m->columns)
                draw_border(m, (struct ttp_box){x + CELL, y, 0, CELL},
                            border(d, device_at(m, r, c + 1)));
            if (r + 1 < m->rows)
                draw_border(m, (struct ttp_box){x, y + CELL, CELL, 0},
                            border(d, device_at(m, r + 1, c)));
        }
}

void ttp_out_mesh_picture(struct ttp_picture *out, const struct ttp_mesh_view *view,
                          struct ttp_arena *arena)
{
    const struct ttp_mesh *mesh = view->mesh;
    const struct ttp_font title = {.size = 14,
                                   .bold = true,
                                   .anchor = TTP_ANCHOR_START,
                                   .rgb = INK},
                          small = {.size = 10, .anchor = TTP_ANCHOR_START, .rgb = INK};
    struct map m = {
        .picture = out, .view = view, .low = INFINITY, .high = -INFINITY, .arena = arena};

    m.grid = ttp_out_mesh_grid(mesh, &m.rows, &m.columns, arena);
    if (!m.grid) {
        uint32_t *row = TTP_NEW(arena, uint32_t, mesh->devices);
        for (uint32_t d = 0; d < mesh->devices; d++)
            row[d] = d + 1;
        m.grid = row;
        m.rows = 1;
        m.columns = mesh->devices;
    }
    for (size_t d = 0; d < mesh->devices; d++) {
        const double v = ttp_out_mesh_map_value(view, &mesh->device[d]);
        m.low = v < m.low ? v : m.low;
        m.high = v > m.high ? v : m.high;
    }
    const double wide = (double)m.columns * CELL + 2 * MARGIN;
    ttp_picture_begin(m.picture, wide < 480 ? 480 : wide, TOP + (double)m.rows * CELL + FOOT,
                      arena);
    m.picture->title =
        ttp_sink_format(arena, "%zu devices: %s", mesh->devices, ttp_out_mesh_map_name(view->map));
    m.picture->description = ttp_sink_format(arena, "from %.1f to %.1f \xce\xbcs", m.low, m.high);
    ttp_picture_text(m.picture, MARGIN, 28, m.picture->title, &title);
    ttp_picture_text(m.picture, MARGIN, 46,
                     ttp_sink_format(arena,
                                     "%.1f to %.1f \xce\xbcs per iteration; rank:id in each square",
                                     m.low, m.high),
                     &small);
    for (size_t r = 0; r < m.rows; r++)
        for (size_t c = 0; c < m.columns; c++)
            draw_cell(&m, r, c);
    draw_borders(&m);
}
