/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/mesh/mesh_map.h"

#include <math.h>

#define MAX_CELLS ((size_t)1 << 20)

double ttp_out_mesh_map_value(const struct ttp_mesh_view *view,
                              const struct ttp_mesh_device *device)
{
    const struct ttp_mesh_window *w = &view->mesh->window;
    const struct ttp_mesh_device *d = &w->device[device - view->mesh->device];
    const double of[] = {
        [TTP_MAP_EXCESS] = d->excess_us,   [TTP_MAP_WAIT] = d->wait_us,
        [TTP_MAP_BUSY] = d->busy_us,       [TTP_MAP_IDLE] = d->gap_us,
        [TTP_MAP_EXPOSED] = d->exposed_us,
    };
    const double each = of[view->map] / (double)w->iterations;
    return fabs(each) < 0.05 ? 0 : each; /* shown with one digit: no "-0.0" */
}

const char *ttp_out_mesh_map_name(enum ttp_mesh_map map)
{
    static const char *const names[] = {[TTP_MAP_EXCESS] = "compute time above the median of all",
                                        [TTP_MAP_WAIT] = "waiting in collectives",
                                        [TTP_MAP_BUSY] = "compute",
                                        [TTP_MAP_IDLE] =
                                            "idle time beyond the median, by collective",
                                        [TTP_MAP_EXPOSED] = "communication not hidden by compute"};
    return names[map];
}

/* Coordinates are those in the mesh of a chip: meshes lie below each other, by their ids. */
static int64_t mesh_above(const struct ttp_mesh *mesh, const struct ttp_mesh_device *d)
{
    int64_t above = 0, before = -1;

    for (bool found = true; found;) {
        int64_t next = INT64_MAX;
        for (size_t i = 0; i < mesh->parts; i++)
            if (mesh->rank[i].devices && mesh->rank[i].mesh_id > before &&
                mesh->rank[i].mesh_id < next)
                next = mesh->rank[i].mesh_id;
        found = next < mesh->rank[d->part].mesh_id;
        above += found;
        before = next;
    }
    return above;
}

/* Row on the map. Places that come from the order of the host number all devices already. */
static int64_t row_of(const struct ttp_mesh *mesh, const struct ttp_mesh_device *d)
{
    return d->placed ? d->row + mesh_above(mesh, d) * mesh->mesh_rows : d->row;
}

bool ttp_out_mesh_other_host(const struct ttp_mesh_device *a, const struct ttp_mesh_device *b)
{
    return a && b && a->host && b->host && strcmp(a->host, b->host) != 0;
}

const uint32_t *ttp_out_mesh_grid(const struct ttp_mesh *mesh, size_t *rows, size_t *columns,
                                  struct ttp_arena *arena)
{
    int64_t height = 0, width = 0;

    for (size_t d = 0; d < mesh->devices; d++) {
        if (!mesh->device[d].has_place)
            return NULL;
        if (row_of(mesh, &mesh->device[d]) >= height)
            height = row_of(mesh, &mesh->device[d]) + 1;
        if (mesh->device[d].column >= width)
            width = mesh->device[d].column + 1;
    }
    if (height <= 0 || width <= 0 || (size_t)height > MAX_CELLS / (size_t)width)
        return NULL;
    *rows = (size_t)height;
    *columns = (size_t)width;
    uint32_t *grid = TTP_NEW(arena, uint32_t, *rows * *columns);
    for (uint32_t d = 0; d < mesh->devices; d++)
        grid[(size_t)row_of(mesh, &mesh->device[d]) * *columns + (size_t)mesh->device[d].column] =
            d + 1;
    return grid;
}
