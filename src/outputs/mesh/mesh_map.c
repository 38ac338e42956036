/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/mesh/mesh_map.h"

#define MAX_CELLS ((size_t)1 << 20)

double ttp_out_mesh_map_value(const struct ttp_mesh_view *view,
                              const struct ttp_mesh_device *device)
{
    switch (view->map) {
    case TTP_MAP_WAIT:
        return device->wait_us;
    case TTP_MAP_BUSY:
        return device->busy_us;
    case TTP_MAP_IDLE:
        return device->gap_us;
    case TTP_MAP_EXPOSED:
        return device->exposed_us;
    default:
        return device->excess_us;
    }
}

const char *ttp_out_mesh_map_name(enum ttp_mesh_map map)
{
    static const char *const names[] = {
        [TTP_MAP_EXCESS] = "compute time above the median of all devices",
        [TTP_MAP_WAIT] = "waiting in collectives",
        [TTP_MAP_BUSY] = "compute",
        [TTP_MAP_IDLE] = "idle time above the median of all devices",
        [TTP_MAP_EXPOSED] = "communication not hidden by compute"};
    return names[map];
}

const uint32_t *ttp_out_mesh_grid(const struct ttp_mesh *mesh, size_t *rows, size_t *columns,
                                  struct ttp_arena *arena)
{
    int64_t height = 0, width = 0;

    for (size_t d = 0; d < mesh->devices; d++) {
        if (!mesh->device[d].has_place)
            return NULL;
        if (mesh->device[d].row >= height)
            height = mesh->device[d].row + 1;
        if (mesh->device[d].column >= width)
            width = mesh->device[d].column + 1;
    }
    if (height <= 0 || width <= 0 || (size_t)height > MAX_CELLS / (size_t)width)
        return NULL;
    *rows = (size_t)height;
    *columns = (size_t)width;
    uint32_t *grid = TTP_NEW(arena, uint32_t, *rows * *columns);
    for (uint32_t d = 0; d < mesh->devices; d++)
        grid[(size_t)mesh->device[d].row * *columns + (size_t)mesh->device[d].column] = d + 1;
    return grid;
}
