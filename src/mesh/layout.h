/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - where devices are in the mesh. Private to mesh. */
#ifndef TTP_MESH_LAYOUT_H
#define TTP_MESH_LAYOUT_H

#include "mesh/build.h"

struct ttp_mesh_spot { /* of a device */
    int64_t block, row, column;
};

struct ttp_mesh_layout {
    size_t size[2]; /* of rings along axis 0 and 1; 0: unknown */
    size_t slots;   /* devices, missing ones included */
    bool from_files;
    struct ttp_mesh_spot *spot; /* by device */
    /* Devices of a rank of which some are absent, in the order in which the host enqueues, if ids
     * do not tell which; NULL: there is no such rank, or more than one. Its places in the mesh's
     * order.
     */
    uint32_t *open;
    size_t open_devices, open_from, open_places;
};

/* More cannot be placed by trying. */
#define TTP_MESH_MAX_ABSENT 2
/* The open devices in their places, without those of absent ones (ascending). */
void ttp_mesh_place_absent(struct ttp_mesh_layout *l, struct ttp_mesh *m, const size_t *absent,
                           size_t absents);

/* From coordinates if all devices have them, else from the order in which the host enqueues. */
void ttp_mesh_lay_out(struct ttp_mesh_layout *out, struct ttp_mesh_build *b);
/* How many take part in the op, from its shapes; 0: they do not say. */
size_t ttp_mesh_ring_by_shape(const struct ttp_mesh_op *op);

/* Devices of a part, `first` being its first one, as the host enqueues ops for them. */
void ttp_mesh_order_of_part(uint32_t *order, const struct ttp_mesh_build *b, uint32_t part,
                            uint32_t first, size_t devices);

#endif
