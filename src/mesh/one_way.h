/* SPDX-License-Identifier: Apache-2.0 */
/* one_way.h - traffic from one device to another. Private to mesh. */
#ifndef TTP_MESH_ONE_WAY_H
#define TTP_MESH_ONE_WAY_H

#include "mesh/mesh.h"

/* Cells of an op, or of a send and its receive. */
struct ttp_mesh_link {
    uint32_t op; /* of the receiver */
    uint32_t sender, receiver;
};
struct ttp_mesh_links {
    struct ttp_mesh_link *link;
    size_t count;
};
/* All of a run whose ends are known: by the coordinates in the attributes of an op, and of sends
 * and receives if one rank only sends, another only receives, and they do so equally often. */
void ttp_mesh_links_find(struct ttp_mesh_links *out, const struct ttp_mesh *mesh,
                         struct ttp_arena *arena);

#endif
