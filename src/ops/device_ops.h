/* SPDX-License-Identifier: Apache-2.0 */
/* device_ops.h - part of the door of ops: which ops ran on a device, from its log alone. */
#ifndef TTP_OPS_DEVICE_OPS_H
#define TTP_OPS_DEVICE_OPS_H

#include "ops/ops.h"

/* What is measured of an op, under the names that --analysis takes. */
enum ttp_analysis {
    TTP_AN_FW,
    TTP_AN_KERNEL,
    TTP_AN_KERNEL_DM_START,
    TTP_AN_FIRST_TO_LAST_START,
    TTP_AN_BRISC,
    TTP_AN_NCRISC,
    TTP_AN_TRISC0,
    TTP_AN_TRISC1,
    TTP_AN_TRISC2,
    TTP_AN_ERISC,
    TTP_AN_TRACE_FW,
    TTP_AN_TRACE_KERNEL,
    TTP_AN_CB_WAIT,
    TTP_AN_CB_RESERVE,
    TTP_AN_DISPATCH_COMMAND,
    TTP_AN_DISPATCH_GO,
    TTP_AN_SPANS, /* those above are one number of cycles for each op */
    TTP_AN_PER_CORE = TTP_AN_SPANS,
    TTP_AN_OP_TO_OP,
    TTP_AN_COUNTERS,
    TTP_AN_TRACE_TO_TRACE_FW, /* accepted, and not part of any report */
    TTP_AN_TRACE_TO_TRACE_KERNEL,
    TTP_ANALYSES,
};
const char *ttp_ops_analysis_name(enum ttp_analysis a);
/* Bit a of *wanted: analysis a was asked for. TTP_EUSAGE: no such name. */
TTP_NODISCARD ttp_code ttp_ops_analysis_choose(uint32_t *wanted,
                                               const struct ttp_join_options *options,
                                               struct ttp_err *err);

struct ttp_measure {
    bool valid;
    int64_t start_cycle, end_cycle, cycles;
};

/* An op as the device saw it. */
struct ttp_device_op {
    const struct ttp_exec *exec; /* the first of those it is made of */
    uint64_t first_id, last_id;  /* run ids of its first and last marker */
    uint64_t first_cycle;
    ttp_str id_text;   /* of its last marker, as it is printed; ptr NULL: as the number */
    uint32_t last_run; /* the same as a value of the marker table */
    uint32_t device;
    uint32_t cores; /* that ran firmware for it */
    struct ttp_measure span[TTP_AN_SPANS];
    bool has_per_core;
    int64_t core_min, core_max, core_first; /* kernel cycles; core_first: of its earliest core */
    double core_mean;
};

/* Is any of the analyses there? */
static inline bool ttp_device_op_has_any(const struct ttp_device_op *op, uint32_t wanted)
{
    bool any = op->has_per_core && (wanted >> TTP_AN_PER_CORE & 1);

    for (unsigned a = 0; a < TTP_AN_SPANS; a++)
        any |= op->span[a].valid && (wanted >> a & 1);
    return any;
}

struct ttp_device_ops {
    struct ttp_device_op *op; /* in the order they were found in */
    size_t nops;
};

/* A device log that was read in another way: what a report needs of it. */
struct ttp_device_look {
    const struct ttp_device_log *log; /* in place of the log; NULL: the log stays, a C++ report has
                                         the times */
    const struct ttp_device_ops *found; /* of each device of `log` */
    bool float_cycles;                  /* cycles are shown with a decimal */
    /* TTP_NO_ID: not given. */
    int64_t (*sub_device)(const struct ttp_device_look *look, const struct ttp_exec_key *key);
    int64_t (*op_sub_device)(const struct ttp_device_look *look, uint32_t device,
                             const struct ttp_device_op *op);
    /* The execution whose counters are those of an op; NULL: none. */
    const struct ttp_exec *(*counters)(const struct ttp_device_look *look, uint32_t device,
                                       const struct ttp_device_op *op, int64_t replay);
    /* As ttp_ops_write_per_core(). */
    void (*write_per_core)(struct ttp_sink *out, const struct ttp_device_look *look,
                           struct ttp_arena *scratch);
};

/* The parts of each execution, side by side. */
struct ttp_part_index {
    uint32_t *part;  /* positions in log->part, by execution */
    uint32_t *first; /* of execution e: part[first[e]] .. part[first[e + 1] - 1] */
};
void ttp_ops_part_index_build(struct ttp_part_index *out, const struct ttp_device_log *log,
                              struct ttp_arena *arena);

/* Where ops are looked for; `swallow`: see by_position of ttp_join_rules. */
struct ttp_device_search {
    const struct ttp_device_log *log;
    const struct ttp_part_index *parts;
    uint32_t device;
    bool swallow;
    struct ttp_problem *problem;
};
/* The ops of one device (position in log->device): each execution is an op, and damage is counted.
 * `swallow`: an execution whose firmware did not end on every core swallows the next; a firmware
 * zone that starts or ends twice is TTP_EPARSE. */
TTP_NODISCARD ttp_code ttp_ops_device_find(struct ttp_device_ops *out,
                                           const struct ttp_device_search *in,
                                           struct ttp_arena *arena, struct ttp_err *err);

/* Drop the analyses that were not asked for. */
void ttp_ops_device_mask(struct ttp_device_ops *ops, uint32_t wanted);

/* Count a problem; the first one's description is kept, and where it was met (line 0: unknown).
 */
void ttp_ops_problem_add(struct ttp_problem *p, const char *file, uint64_t line, const char *fmt,
                         ...) TTP_PRINTF(4, 5);
/* The same for what a reader counted in a file. */
void ttp_ops_problem_add_fault(struct ttp_problem *p, const struct ttp_fault *fault,
                               const char *file);

#endif
