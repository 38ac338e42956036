/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - a rank, reduced to the data that other ranks need. Private to mesh. */
#ifndef TTP_MESH_TABLE_H
#define TTP_MESH_TABLE_H

#include "mesh/build.h"

/* What a rank sends for the alignment of clocks, at most. */
#define TTP_TABLE_COLLECTIVES 512
#define TTP_TABLE_BYTES       400000
#define TTP_TABLE_CELL_BYTES  20
#define TTP_TABLE_NO_HOST     INT64_MIN

struct ttp_table_device {
    int64_t id;
    double ghz;
    bool placed;
    int64_t row, column;
    ttp_str arch;
    uint32_t rows, untimed;
};
struct ttp_table_step {
    uint32_t kind, cell, cells;
};
struct ttp_table_cell {
    uint32_t device;
    int32_t sub_device;
    int64_t start, end; /* cycles */
};

struct ttp_mesh_reduced {
    int64_t rank, size; /* size 0: unknown */
    int64_t mesh_id;    /* -1: unknown */
    ttp_str host, job;  /* empty: unknown */
    struct ttp_mesh_host_clock clock;
    struct ttp_table_device *device;
    size_t devices;
    uint32_t *order;          /* devices as the host enqueues ops for them */
    struct ttp_mesh_op *kind; /* different ops; cells and what is found out are empty */
    size_t kinds;
    struct ttp_table_step *step;
    size_t steps;
    int64_t *host_ns; /* HOST START TS by step, of its first device; NULL: the clock is unknown */
    struct ttp_table_cell *cell; /* only those with times */
    size_t cells;
};

/* Its collectives, only as many as keep the file within the limits, spread evenly over the
 * run: ranks with the same programs choose the same ones. All its programs, but without times. */
void ttp_mesh_table_thin(struct ttp_mesh_reduced *out, const struct ttp_mesh_reduced *whole,
                         struct ttp_arena *arena);

#endif
