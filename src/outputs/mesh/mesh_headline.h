/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_headline.h - a run of many devices in one line. Private to outputs. */
#ifndef TTP_OUTPUTS_MESH_MESH_HEADLINE_H
#define TTP_OUTPUTS_MESH_MESH_HEADLINE_H

#include "base/sink.h"
#include "mesh/mesh.h"

/* "4 ranks (1 missing: 2), 3 hosts, 96 devices, aligned: ...", without a line end. */
void ttp_out_mesh_put_headline(struct ttp_sink *out, const struct ttp_mesh *mesh,
                               struct ttp_arena *arena);

#endif
