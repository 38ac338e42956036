/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_table.h - rows of declared figures as text, Markdown, CSV and JSON. Private to outputs. */
#ifndef TTP_OUTPUTS_MESH_TABLE_H
#define TTP_OUTPUTS_MESH_TABLE_H

#include "outputs/outputs.h"

/* The rows of a table of the mesh. */
struct ttp_records ttp_mesh_records(const struct ttp_mesh *mesh, enum ttp_mesh_table table);

/* The first `top` rows (0: all) of `index`, or as they are if it is NULL. */
void ttp_mesh_put_table(struct ttp_sink *out, const struct ttp_mesh_view *view,
                        const struct ttp_records *rows, const size_t *index, size_t count,
                        struct ttp_arena *scratch);
void ttp_mesh_put_csv(struct ttp_sink *out, const struct ttp_records *rows);
/* The members of a row, without the object around them. */
void ttp_mesh_put_members(struct ttp_json_writer *w, const struct ttp_records *rows, size_t i);

/* What a cell of the map shows, and its name. */
double ttp_mesh_map_value(const struct ttp_mesh_view *view, const struct ttp_mesh_device *device);
const char *ttp_mesh_map_name(enum ttp_mesh_map map);
/* By row and column: index of the device + 1, 0: none. Rows and columns are set; NULL: there are no
 * coordinates, or more than fit. */
const uint32_t *ttp_mesh_grid(const struct ttp_mesh *mesh, size_t *rows, size_t *columns,
                              struct ttp_arena *arena);

#endif
