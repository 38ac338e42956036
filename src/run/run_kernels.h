/* SPDX-License-Identifier: Apache-2.0 */
/* run_kernels.h - programs of a device and the ops they are. Private to run. */
#ifndef TTP_RUN_RUN_KERNELS_H
#define TTP_RUN_RUN_KERNELS_H

#include "run/run.h"

/* Find the op of each program in the report of the run: its name, ID, bytes and what is known of
 * it. Keep the programs of the window. A run without ops is as it is, unless a window was asked
 * for. */
TTP_NODISCARD ttp_code ttp_run_join_kernels(struct ttp_kernel_input *in,
                                            const struct ttp_kernel_request *request,
                                            struct ttp_arena *arena, struct ttp_err *err);

/* An execution among those of a report of kernels. */
struct ttp_run_execution {
    int64_t device;
    uint64_t cycle;
    size_t at;
};

/* Executions of each device as they ran, which is the order of the rows of a run of which only the
 * device's side is known: the report of kernels has replays of one program together. */
struct ttp_run_execution *ttp_run_in_order(const struct ttp_kernel_report *r,
                                           struct ttp_arena *arena);
/* The ID that such a row has in every verb. `whole`: all programs of the run, or `out` itself. */
void ttp_run_number_programs(struct ttp_kernel_report *out, const struct ttp_kernel_report *whole,
                             struct ttp_arena *arena);

#endif
