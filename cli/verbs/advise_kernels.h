/* SPDX-License-Identifier: Apache-2.0 */
/* advise_kernels.h - own kernels of a run, for `advise`: what their zones and NoC traces say. */
#ifndef TTP_CLI_ADVISE_KERNELS_H
#define TTP_CLI_ADVISE_KERNELS_H

#include "core/run_input.h"
#include "verbs/kernel_input.h"

/* Does this folder or device log show only the device's side of a run, as after a profiled TT-Lang
 * program? Then there are no ops to read, and its programs represent them. */
bool ttp_advise_is_device_only(const char *operand, struct ttp_arena *arena);

/* Kernels of a folder with logs. False: there are none, which is not a failure. */
bool ttp_advise_read_kernels(struct ttp_kernel_input *out, const char *operand, unsigned threads,
                             const struct ttp_ctx *ctx);

/* A run whose ops are the programs of the device log. */
TTP_NODISCARD ttp_code ttp_advise_read_programs(struct ttp_run_input *out,
                                                struct ttp_kernel_input *kernels,
                                                const char *operand,
                                                const struct ttp_report_options *analysis,
                                                unsigned threads, struct ttp_words *warnings,
                                                const struct ttp_ctx *ctx, struct ttp_err *err);

#endif
