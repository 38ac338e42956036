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

#endif
