/* SPDX-License-Identifier: Apache-2.0 */
/* build.h - a mesh under construction. Private to mesh. */
#ifndef TTP_MESH_BUILD_H
#define TTP_MESH_BUILD_H

#include <math.h>

#include "mesh/mesh.h"

/* One program of a rank: an op on some of its devices. */
struct ttp_mesh_step {
    uint64_t signature;
    uint32_t row; /* of the first device */
    uint32_t cell, cells;
    bool collective; /* of kind ALL_WAIT */
};

/* The programs of one rank in order. */
struct ttp_mesh_sequence {
    uint32_t part;
    struct ttp_mesh_step *step;
    size_t steps;
};

struct ttp_mesh_build {
    struct ttp_mesh *mesh;
    const struct ttp_mesh_part *part; /* by rank */
    size_t parts;
    const struct ttp_mesh_options *options;
    struct ttp_arena *arena;
    struct ttp_mesh_sequence *sequence;
    size_t sequences;
    struct ttp_mesh_cell *cell; /* of all sequences; device is the index in the mesh */
    size_t cells;
    size_t absent;        /* devices that no rank has, although its rings need them */
    bool absent_unplaced; /* and where they belong is not known */
};

/* Fill devices, cells and sequences. */
TTP_NODISCARD ttp_code ttp_mesh_read_parts(struct ttp_mesh_build *b, struct ttp_err *err);
/* Did the user say how its sequence is shifted? */
bool ttp_mesh_told_shift(const struct ttp_mesh_build *b, int64_t rank, int64_t *shift);
/* From sequences to the ops of the run. */
TTP_NODISCARD ttp_code ttp_mesh_match(struct ttp_mesh_build *b, struct ttp_err *err);
/* Say how it was matched, where that is not as usual. */
void ttp_mesh_note_rank(struct ttp_mesh_build *b, const struct ttp_mesh_rank *rank);
/* By rank: ops that no other has. step[op * sequences + sequence], TTP_MESH_NONE: not there. */
void ttp_mesh_count_unmatched(struct ttp_mesh_build *b, const uint32_t *step, size_t ops);
/* Axes and groups. */
void ttp_mesh_find_groups(struct ttp_mesh_build *b);
/* Say what cannot be relied on. */
void ttp_mesh_note_groups(struct ttp_mesh_build *b);
/* Base cycles, and own times by them. */
void ttp_mesh_set_bases(struct ttp_mesh_build *b);
static inline void ttp_mesh_set_times(struct ttp_mesh_cell *c, const struct ttp_mesh_device *d)
{
    c->start = (double)(c->start_cycle - d->base_cycle) / d->ghz;
    c->end = (double)(c->end_cycle - d->base_cycle) / d->ghz;
}
/* Clocks: pairs, bounds, moments. */
void ttp_mesh_align(struct ttp_mesh_build *b);
/* Collectives, devices, path. */
void ttp_mesh_explain(struct ttp_mesh_build *b);

void ttp_mesh_note(struct ttp_mesh_build *b, const char *fmt, ...) TTP_PRINTF(2, 3);

/* The cell of a device in an op, or NULL. */
static inline struct ttp_mesh_cell *ttp_mesh_cell_of(const struct ttp_mesh *m,
                                                     const struct ttp_mesh_op *op, uint32_t device)
{
    struct ttp_mesh_cell *cell = m->cell + op->cells_at;
    size_t low = 0, high = op->cells;

    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (cell[mid].device < device)
            low = mid + 1;
        else
            high = mid;
    }
    return low < op->cells && cell[low].device == device ? &cell[low] : NULL;
}

/* Median; sorts v. NAN for none. */
double ttp_mesh_median(double *v, size_t n);
int ttp_mesh_by_double(const void *a, const void *b);

/* "all", "files", "order", "data" */
const char *ttp_mesh_origin_name(enum ttp_mesh_origin origin);

#endif
