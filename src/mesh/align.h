/* SPDX-License-Identifier: Apache-2.0 */
/* align.h - the clocks at one time, for measuring collectives. Private to mesh. */
#ifndef TTP_MESH_ALIGN_H
#define TTP_MESH_ALIGN_H

#include "mesh/closure.h"

struct ttp_aligner {
    struct ttp_mesh_build *b;
    struct ttp_mesh_pairs pairs;
    struct ttp_closure closure;
    uint32_t *reference; /* by component */
    size_t *size;        /* devices, by component */
    double *offset;      /* by device: the last estimate of theta */
    double *x;           /* own time of the moment, by device */
    double *row[2];      /* scratch by device */
    uint32_t *queue;
    uint32_t *steps;
};

/* Estimate of theta_j - theta_i and its statistical error at the moment, where both took part in
 * collectives whose ends coincide. */
bool ttp_mesh_aligner_between(const struct ttp_aligner *a, uint32_t i, uint32_t j, double *value,
                              double *error);
/* Measure the collectives of an op while the closure is at it. */
void ttp_mesh_measure(struct ttp_aligner *a, uint32_t op);
/* Every collective, still without its measures. */
void ttp_mesh_list_collectives(struct ttp_mesh_build *b);

#endif
