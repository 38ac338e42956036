/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_map_text.c - devices as figures where they are in the mesh, in text and Markdown. */
#include <math.h>
#include <stdio.h>

#include "outputs/mesh/mesh_map.h"

struct map {
    const struct ttp_mesh *mesh;
    const uint32_t *grid;
    size_t rows, columns;
    int cell; /* width of a figure */
};

static const struct ttp_mesh_device *device_at(const struct map *map, size_t row, size_t column)
{
    const bool inside = row < map->rows && column < map->columns;
    const uint32_t d = inside ? map->grid[row * map->columns + column] : 0;

    return d ? &map->mesh->device[d - 1] : NULL;
}

/* A line below the row if the one below it is of other hosts. */
static void put_border(struct ttp_sink *out, const struct map *map, size_t row)
{
    size_t last = 0;

    for (size_t c = 0; c < map->columns; c++)
        if (ttp_out_mesh_other_host(device_at(map, row, c), device_at(map, row + 1, c)))
            last = c + 1;
    for (size_t c = 0; c < last; c++) {
        const bool border =
            ttp_out_mesh_other_host(device_at(map, row, c), device_at(map, row + 1, c));
        ttp_sink_own(out, "  ");
        ttp_sink_repeat(out, border ? '-' : ' ', (size_t)map->cell + 1);
    }
    if (last)
        ttp_sink_own(out, "\n");
}

void ttp_out_mesh_put_map(const struct ttp_show *show, const struct ttp_mesh_view *view)
{
    const struct ttp_mesh *mesh = view->mesh;
    struct ttp_sink *out = show->out;
    const bool markdown = show->form == TTP_FORM_MARKDOWN;
    static const char *const shade[] = {" ", "░", "▒", "▓", "█"};
    size_t rows, columns;
    const uint32_t *grid = ttp_out_mesh_grid(mesh, &rows, &columns, show->arena);
    double low = INFINITY, high = -INFINITY;

    if (!grid || columns > 64)
        return;
    for (size_t d = 0; d < mesh->devices; d++) {
        const double v = ttp_out_mesh_map_value(view, &mesh->device[d]);
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    ttp_show_heading(show, "Map");
    ttp_sink_printf(out, "%s%s, μs per iteration; ░▒▓█ low to high\n", markdown ? "" : "  ",
                    ttp_out_mesh_map_name(view->map));
    if (markdown)
        ttp_sink_own(out, "\n```\n");
    /* as wide as its longest figure */
    const int width = snprintf(NULL, 0, "%.1f", high), least = snprintf(NULL, 0, "%.1f", low);
    const int cell = width > least ? width : least;
    const struct map map = {mesh, grid, rows, columns, cell};
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < columns; c++) {
            const uint32_t d = grid[r * columns + c];
            if (d == 0) {
                ttp_sink_printf(out, "  %*s", cell + 1, "-");
                continue;
            }
            const bool border =
                c > 0 && ttp_out_mesh_other_host(device_at(&map, r, c - 1), device_at(&map, r, c));
            const double v = ttp_out_mesh_map_value(view, &mesh->device[d - 1]);
            const double part = high > low ? (v - low) / (high - low) : 0;
            ttp_sink_char(out, border ? '|' : ' ');
            const size_t darkest = TTP_COUNT(shade) - 1;
            ttp_sink_put(out, ttp_str_from(shade[(size_t)(part * (double)darkest + 0.5)]));
            ttp_sink_printf(out, " %*.1f", cell, v);
        }
        ttp_sink_own(out, "\n");
        put_border(out, &map, r);
    }
    if (markdown)
        ttp_sink_own(out, "```\n");
}
