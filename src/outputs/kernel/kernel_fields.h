/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_fields.h - figures of a program and its threads. Private to outputs. */
#ifndef TTP_OUTPUTS_KERNEL_KERNEL_FIELDS_H
#define TTP_OUTPUTS_KERNEL_KERNEL_FIELDS_H

#include "outputs/outputs.h"

struct ttp_kernel_thread_row {
    const char *thread;
    struct ttp_kernel_thread of;
    bool has_waits;                            /* the log says what was waited for */
    double wait_pct, reserve_pct, barrier_pct; /* of kernel_cycles.sum */
};

/* A zone that someone placed: neither a line nor a wait. */
struct ttp_kernel_zone_row {
    ttp_str name;
    const char *thread;
    uint32_t risc, site;
    struct ttp_cycle_count cycles;
    double mean_cycles;
};

struct ttp_kernel_core_row {
    int32_t x, y;
    uint64_t cycles;
};

struct ttp_kernel_role_row {
    const char *role, *thread;
    struct ttp_role_time of;
};

struct ttp_kernel_verdict_row {
    const char *bottleneck, *thread, *limit;
    struct ttp_kernel_verdict of;
    ttp_str sentence;
    struct ttp_kernel_role_row role[TTP_KERNEL_ROLES];
    size_t roles;
};

/* A program with its figures side by side; of sections that were not asked for, nothing. */
struct ttp_kernel_row {
    const struct ttp_kernel_program *program;
    struct ttp_kernel_program of;
    uint64_t number;
    double device_time_us;
    uint64_t full_buffers;
    size_t grid[2];
    struct ttp_kernel_core_row *core, *slowest; /* slowest: NULL, there are none */
    const struct ttp_kernel_row *perf;          /* itself */
    const struct ttp_targets *targets;
    struct ttp_kernel_verdict_row verdict, *bottleneck;
    struct ttp_kernel_thread_row *thread;
    size_t threads;
    struct ttp_kernel_zone_row *zone;
    size_t zones;
};

struct ttp_flow_op_row {
    struct ttp_flow_op of;
    bool waits;
    uint64_t wait_cycles;
    double wait_pct;
};

struct ttp_flow_row {
    int64_t index, dfb_id;
    struct ttp_flow_op_row *op[TTP_FLOW_LISTS];
    size_t nops[TTP_FLOW_LISTS];
};

void ttp_out_kernel_make_row(struct ttp_kernel_row *row, const struct ttp_kernel_view *view,
                             const struct ttp_kernel_program *m, struct ttp_arena *arena);

/* As many as the graph has buffers. */
struct ttp_flow_row *ttp_out_kernel_flow_rows(const struct ttp_kernel_report *report,
                                              struct ttp_arena *arena);

extern const struct ttp_fields ttp_kernel_fields;        /* of struct ttp_kernel_row */
extern const struct ttp_fields ttp_kernel_thread_fields; /* of struct ttp_kernel_thread_row */
extern const struct ttp_fields ttp_kernel_zone_fields;   /* of struct ttp_kernel_zone_row */
extern const struct ttp_fields ttp_flow_fields;          /* of struct ttp_flow_row */
extern const struct ttp_fields ttp_pipe_fields;          /* of struct ttp_pipe */

#endif
