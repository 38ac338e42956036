/* SPDX-License-Identifier: Apache-2.0 */
/* op_kind.h - what the name and the attributes of an op say about its collective. Private to mesh.
 */
#ifndef TTP_MESH_OP_KIND_H
#define TTP_MESH_OP_KIND_H

#include "mesh/mesh.h"

struct ttp_mesh_traits {
    enum ttp_mesh_kind kind;
    bool fused;
};
struct ttp_mesh_traits ttp_mesh_traits_of(ttp_str code);

/* What moves how many bytes over a link. */
enum ttp_mesh_motion { TTP_MOTION_OTHER, TTP_MOTION_GATHER, TTP_MOTION_SCATTER, TTP_MOTION_REDUCE };
enum ttp_mesh_motion ttp_mesh_motion_of(ttp_str code);

struct ttp_mesh_ring {
    int64_t axis;        /* -1: none */
    int64_t size, links; /* 0: none */
    bool closed;         /* a ring, not a line */
};
/* Of an ATTRIBUTES text. */
struct ttp_mesh_ring ttp_mesh_ring_of(ttp_str attributes);

#endif
