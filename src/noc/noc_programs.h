/* SPDX-License-Identifier: Apache-2.0 */
/* noc_programs.h - private to noc: the programs that files and folders hold. */
#ifndef TTP_NOC_NOC_PROGRAMS_H
#define TTP_NOC_NOC_PROGRAMS_H

#include "noc/noc.h"

/* A program to work on. */
struct ttp_noc_job {
    struct ttp_noc_program program; /* files; a single file has no op id */
    const struct ttp_topology *topology;
    bool workload, folder;
};

struct ttp_noc_jobs {
    const struct ttp_noc_plan *plan;
    struct ttp_arena *arena;
    struct ttp_noc_job *job;
    size_t njobs;
    size_t found;                        /* those that the plan does not want included */
    const struct ttp_topology *topology; /* of the last that has one */
    struct ttp_words warnings;
};

/* With `plan` and `arena` set. TTP_ENOTFOUND: none. */
TTP_NODISCARD ttp_code ttp_noc_find_jobs(struct ttp_noc_jobs *jobs, const struct ttp_words *inputs,
                                         struct ttp_err *err);

/* The device of the plan, of the topology, or the smallest that can have made these records; one of
 * `trace` and `workload` is NULL. TTP_EUSAGE, TTP_EPARSE: no such model. */
TTP_NODISCARD ttp_code ttp_noc_choose_model(const struct ttp_noc_model **out,
                                            const struct ttp_noc_job *job,
                                            const struct ttp_noc_plan *plan,
                                            const struct ttp_noc_trace *trace,
                                            const struct ttp_noc_workload *workload,
                                            struct ttp_err *err);

/* ttp_noc_from_trace() of a workload file of tt-npe. TTP_EPARSE: one is invalid, or there are
 * none; by strict rules also: no golden_result, more than one chip. */
TTP_NODISCARD ttp_code ttp_noc_from_workload(struct ttp_noc_load *out,
                                             const struct ttp_noc_model *model,
                                             const struct ttp_noc_workload *file,
                                             const struct ttp_noc_rules *rules,
                                             struct ttp_arena *arena, struct ttp_err *err);

/* From the first to the last record of a device's cores. A device without any keeps the extremes;
 * a mesh's window spans those of all, with `idle` also of such devices. */
void ttp_noc_find_windows(struct ttp_noc_load *out, const struct ttp_noc_trace *trace, bool idle);

/* Add a line for human readers. */
void ttp_noc_say(struct ttp_words *to, struct ttp_arena *arena, const char *fmt, ...)
    TTP_PRINTF(3, 4);

#endif
