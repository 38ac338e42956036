/* SPDX-License-Identifier: Apache-2.0 */
/* ring.h - the ring of a collective, from its attributes. Private to mesh. */
#ifndef TTP_MESH_RING_H
#define TTP_MESH_RING_H

#include "mesh/mesh.h"

struct ttp_mesh_ring {
    int64_t axis;        /* -1: none */
    int64_t size, links; /* 0: none */
    bool closed;         /* a ring, not a line */
    struct ttp_mesh_ends ends;
};
/* Of an ATTRIBUTES text. */
struct ttp_mesh_ring ttp_mesh_ring_of(ttp_str attributes);

#endif
