/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h - parts of the explanation. Private to mesh. */
#ifndef TTP_MESH_EXPLAIN_H
#define TTP_MESH_EXPLAIN_H

#include "mesh/build.h"

struct ttp_mesh_code_sum {
    ttp_str code;
    double ns, inner_ns;
    double median_ns; /* of all devices in the same ops */
};

/* Collectives by code, axis and shape. */
void ttp_mesh_sum_classes(struct ttp_mesh_build *b);
/* Those without times, and those of collectives. */
void ttp_mesh_count_rows(struct ttp_mesh *m);
/* The critical path through the ops that are inside (NULL: all). */
void ttp_mesh_find_path(struct ttp_mesh_build *b, const bool *inside);

#endif
