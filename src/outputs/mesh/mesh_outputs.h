/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_outputs.h - the part of the door that is about many devices; include outputs.h. */
#ifndef TTP_OUTPUTS_MESH_MESH_OUTPUTS_H
#define TTP_OUTPUTS_MESH_MESH_OUTPUTS_H

#include "mesh/mesh.h"
#include "outputs/show/show.h"

/* What a cell of the map of devices shows. */
enum ttp_mesh_map {
    TTP_MAP_EXCESS,
    TTP_MAP_WAIT,
    TTP_MAP_BUSY,
    TTP_MAP_IDLE,
    TTP_MAP_EXPOSED,
};
/* The table that CSV has and that --columns, --sort and --where are about. */
enum ttp_mesh_table {
    TTP_MESH_TABLE_USUAL, /* collectives; text has those that tell most, without them */
    TTP_MESH_TABLE_COLLECTIVES,
    TTP_MESH_TABLE_CLASSES,
    TTP_MESH_TABLE_DEVICES,
    TTP_MESH_TABLE_GROUPS,
    TTP_MESH_TABLE_PATH,
    TTP_MESH_TABLE_RANKS,
};
struct ttp_mesh_view {
    const struct ttp_mesh *mesh;
    enum ttp_mesh_map map;
    enum ttp_mesh_table table;
    size_t top;                   /* rows of each table in text and Markdown; 0: all */
    size_t first_device, devices; /* only these, and collectives with one of them */
};
/* Also as a picture: the map of devices. */
TTP_NODISCARD ttp_code ttp_out_mesh(const struct ttp_show *show, const struct ttp_mesh_view *view,
                                    struct ttp_err *err);

extern const struct ttp_document_spec ttp_mesh_document;
/* Its part that has the rows of this table. */
size_t ttp_out_mesh_part(enum ttp_mesh_table table);

#endif
