/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_synth.h - a run of many ranks as it was, before clocks looked at it. Private to synth. */
#ifndef TTP_SYNTH_MESH_SYNTH_H
#define TTP_SYNTH_MESH_SYNTH_H

#include "base/arena.h"
#include "synth/synth.h"

enum { TTP_MESH_SYNTH_ALONE = -1 };
struct ttp_mesh_synth_kind {
    const char *code;
    double ns;
    int axis;         /* of a collective, else TTP_MESH_SYNTH_ALONE */
    uint32_t in, out; /* last dimension of input and output */
    bool matmul;
};

struct ttp_mesh_synth_chip {
    uint32_t rank, id, row, column;
    double ghz, ppm;
    int64_t cycles_at_0;
    double (*clock)[2]; /* true time, and what it shows besides */
    size_t clocks;
    double now; /* true time at which it is free */
};

/* One op on all chips: true times. */
struct ttp_mesh_synth_step {
    const struct ttp_mesh_synth_kind *kind;
    double *start, *end;
};

struct ttp_mesh_synth_rank;

struct ttp_mesh_synth {
    const struct ttp_synth_mesh *m;
    struct ttp_mesh_synth_chip *chip;
    size_t chips;
    struct ttp_mesh_synth_step *step;
    size_t steps;
    uint64_t chance;
    double *noise; /* of an even run: by place in the iteration and chip */
    struct ttp_mesh_synth_rank *rank;
    double until; /* the last end */
    struct ttp_arena *arena;
};

/* Where a rank runs. Times are true ones, nanoseconds. */
struct ttp_mesh_synth_rank {
    uint32_t host;
    double process_start; /* at which the log of its host counts from 0 */
    double *enqueue;      /* by step: when its host begins to enqueue it */
};

/* truth.json */
TTP_NODISCARD ttp_code ttp_mesh_synth_write_truth(const struct ttp_mesh_synth *r, const char *dir,
                                                  struct ttp_err *err);
/* rank<N>/.logs/rank.json, as record leaves it on several hosts. */
TTP_NODISCARD ttp_code ttp_mesh_synth_write_rank(const struct ttp_mesh_synth *r, uint32_t rank,
                                                 const char *dir, struct ttp_err *err);

#endif
