/* SPDX-License-Identifier: Apache-2.0 */
/* describe.h - the op of a row of an operations table. Private to mesh. */
#ifndef TTP_MESH_DESCRIBE_H
#define TTP_MESH_DESCRIBE_H

#include "mesh/mesh.h"

/* Code, kind and ring; returns the signature: equal for the same op on all ranks. */
uint64_t ttp_mesh_describe(struct ttp_mesh_op *op, const struct ttp_ops *ops, size_t row);
/* Sizes of its tensors. */
void ttp_mesh_describe_tensors(struct ttp_mesh_op *op, const struct ttp_ops *ops, size_t row,
                               struct ttp_arena *arena);

#endif
