/* SPDX-License-Identifier: Apache-2.0 */
/* metal_markers.h - what process_device_log.py makes of a device log, marker by marker. It is
 * needed where the log is damaged, or has dispatch cores: there the short way by executions
 * (ops/device_ops.h) gives something else. */
#ifndef TTP_COMPAT_METAL_MARKERS_H
#define TTP_COMPAT_METAL_MARKERS_H

#include "compat/metal/marker_table.h"
#include "ops/ops.h"

struct ttp_original {
    struct ttp_device_look look; /* what a report sees of it; the first member */
    struct ttp_marker_table table;
    uint32_t wanted;              /* analyses */
    struct ttp_device_log log;    /* what the rest of a report needs: clock, counters, dispatch */
    struct ttp_device_ops *found; /* of each device */
    /* executions of log.exec that have counters: value of the run id, by execution */
    uint32_t *exec_run;
    uint32_t *by_core;   /* rows, by core and time */
    uint32_t *core_from; /* where the rows of a core begin; one more than there are cores */
};

/* Does the log must be read again, marker by marker? */
bool ttp_original_needed(const struct ttp_device_log *log, struct ttp_arena *arena);
/* Read and analyse it where it is needed, as ttp_join_rules.look. TTP_EPARSE: where the original
 * fails. */
TTP_NODISCARD ttp_code ttp_original_look(const struct ttp_device_look **out,
                                         const struct ttp_run_logs *logs, uint32_t wanted,
                                         bool alone, struct ttp_arena *arena, struct ttp_err *err);
/* Names of zones that dispatch cores' commands give them, and log.dispatch. */
TTP_NODISCARD ttp_code ttp_original_dispatch(struct ttp_original *o, struct ttp_arena *arena,
                                             struct ttp_err *err);
/* Executions and samples of log; `order` is that of rows in time. */
TTP_NODISCARD ttp_code ttp_original_find_samples(struct ttp_original *o, const uint32_t *order,
                                                 struct ttp_arena *arena, struct ttp_err *err);
/* A run id or device as a number; what is text gets one that no number has. */
uint64_t ttp_original_id(const struct ttp_marker_table *t, uint32_t value);
/* TTP_EPARSE at that row. */
ttp_code ttp_original_fail(const struct ttp_table_row *row, const char *why, struct ttp_err *err);
/* The execution whose counters those of an op are; NULL: none. */
const struct ttp_exec *ttp_original_counters(const struct ttp_original *o, uint32_t device,
                                             uint32_t run, int64_t replay);
/* TTP_EPARSE: no firmware zone began before the first op ended on some core. */
TTP_NODISCARD ttp_code ttp_original_check_cores(const struct ttp_original *o, struct ttp_err *err);
/* As ttp_ops_write_per_core(). */
void ttp_original_write_per_core(struct ttp_sink *out, const struct ttp_original *o,
                                 struct ttp_arena *scratch);

static inline const struct ttp_zone *ttp_original_zone(const struct ttp_original *o,
                                                       const struct ttp_table_row *row)
{
    return &o->table.zone[row->zone];
}

#endif
