/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_fields.h - lists in JSON that several tables have. Private to mesh. */
#ifndef TTP_MESH_MESH_FIELDS_H
#define TTP_MESH_MESH_FIELDS_H

#include "mesh/mesh.h"

/* [rank, id], or none. */
struct ttp_records ttp_mesh_device_record(const struct ttp_mesh *mesh, uint32_t device);
extern const struct ttp_fields ttp_mesh_bare_device; /* of a struct ttp_mesh_device */
extern const struct ttp_fields ttp_mesh_bare_index;  /* of its index, uint32_t */

/* Two numbers. */
struct ttp_mesh_two {
    double v[2];
};
extern const struct ttp_fields ttp_mesh_bare_pair;

#endif
