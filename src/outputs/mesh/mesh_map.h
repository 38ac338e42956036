/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_map.h - positions of devices, and the figure that a map shows. Private to outputs. */
#ifndef TTP_OUTPUTS_MESH_MESH_MAP_H
#define TTP_OUTPUTS_MESH_MESH_MAP_H

#include "outputs/mesh/mesh_outputs.h"
#include "outputs/picture/picture.h"

/* What a cell of the map shows, and its name. */
double ttp_out_mesh_map_value(const struct ttp_mesh_view *view,
                              const struct ttp_mesh_device *device);
const char *ttp_out_mesh_map_name(enum ttp_mesh_map map);
/* By row and column: index of the device + 1, 0: none. Rows and columns are set; NULL: there are no
 * coordinates, or more than fit. */
const uint32_t *ttp_out_mesh_grid(const struct ttp_mesh *mesh, size_t *rows, size_t *columns,
                                  struct ttp_arena *arena);
/* Are both there, on hosts that are known and not the same? */
bool ttp_out_mesh_other_host(const struct ttp_mesh_device *a, const struct ttp_mesh_device *b);
/* The map of devices. */
void ttp_out_mesh_picture(struct ttp_picture *out, const struct ttp_mesh_view *view,
                          struct ttp_arena *arena);

/* Nothing where places are unknown or the mesh is too wide. */
void ttp_out_mesh_put_map(const struct ttp_show *show, const struct ttp_mesh_view *view);

#endif
