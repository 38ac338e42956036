/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.h - constraints of collectives on the clocks of two devices. Private to mesh. */
#ifndef TTP_MESH_PAIRS_H
#define TTP_MESH_PAIRS_H

#include "mesh/build.h"
#include "mesh/envelope.h"
#include "mesh/steady.h"

#define TTP_RATES         6
#define TTP_RATE_PPM(i)   (250.0 * (double)(1 << (i)))
#define TTP_RATE_WORST    8000.0
#define TTP_RATE_GROUPS   2000.0
#define TTP_RATE_SLACK_NS 2.0

/* One collective that both took part in, or traffic one way, which has only one of both: floor <=
 * theta_j - theta_i at floor_at of j's time, and theta_j - theta_i <= roof at roof_at. */
struct ttp_witness {
    double floor, floor_at, roof, roof_at;
    double ends; /* end of i less end of j: about theta_j - theta_i where ends coincide */
    uint32_t op;
    uint32_t cell[2]; /* of i and of j */
    bool unfused;
    bool out; /* set aside */
};

struct ttp_mesh_pair {
    uint32_t i, j; /* devices, i < j */
    struct ttp_witness *witness;
    size_t witnesses, used;
    bool two_sided; /* bounded from both sides */
    size_t against; /* set aside for this pair alone */
    int rate;       /* index of the lowest that fits; TTP_RATES: none */
    double slope;   /* in use: nanoseconds for each nanosecond */
    int roof_depth, floor_depth;
    struct ttp_envelope roof, floor; /* the floor with its sign turned */
    struct ttp_steady line;          /* bounds as well, if clocks keep their rates */
    /* Unfused witnesses by time, for the estimate. */
    double *ends_at, *ends;
    size_t nends;
};

struct ttp_mesh_pairs {
    struct ttp_mesh_pair *pair; /* by i, then j */
    size_t count;
    struct ttp_arena *arena;
    const struct ttp_mesh *mesh;
};

/* Which collectives to use, and which devices run them together. */
struct ttp_mesh_grouping {
    const struct ttp_mesh_group *group;
    size_t groups;
    uint32_t axis; /* only ops of this one; TTP_MESH_NONE: of all that are not refused */
};
void ttp_mesh_pairs_make(struct ttp_mesh_pairs *out, const struct ttp_mesh *mesh,
                         const struct ttp_mesh_grouping *grouping, struct ttp_arena *arena);
struct ttp_mesh_pair *ttp_mesh_pairs_find(const struct ttp_mesh_pairs *pairs, uint32_t i,
                                          uint32_t j);

/* Set aside rows that contradict others at `ppm`, the one in most contradictions first, until none
 * is left or `limit` are: aside[n] are their cells, in that order. Returns how many. */
size_t ttp_mesh_pairs_set_aside(struct ttp_mesh_pairs *pairs, double ppm, size_t limit,
                                uint32_t *aside);
/* The lowest rate that fits each pair, and what must be set aside for it. */
void ttp_mesh_pairs_find_rates(struct ttp_mesh_pairs *pairs);
/* The op that contradicts most others of the pair at half the worst rate. */
uint32_t ttp_mesh_pair_worst_op(const struct ttp_mesh_pair *p, struct ttp_arena *scratch);
/* Envelopes and ends, for the functions below. `steady`: clocks keep their rates. Returns the
 * number of pairs whose clocks do not. */
size_t ttp_mesh_pairs_settle(struct ttp_mesh_pairs *pairs, bool steady);

/* Bounds of theta_j - theta_i at x of j's time. */
void ttp_mesh_pair_bounds(const struct ttp_mesh_pair *p, double x, double *low, double *high);
/* Estimate and statistical error; false: no usable end. */
bool ttp_mesh_pair_estimate(const struct ttp_mesh_pair *p, double x, double *value, double *error);

#endif
