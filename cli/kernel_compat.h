/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_compat.h - `kernel` and `annotate` with --compat: TT-Lang's texts, messages and exit
 * codes.
 */
#ifndef TTP_CLI_KERNEL_COMPAT_H
#define TTP_CLI_KERNEL_COMPAT_H

#include "cmd.h"

struct ttp_kernel_compat {
    const char *dir;         /* NULL: below TT_METAL_HOME */
    const char *names;       /* of programs, ',' between them */
    const char *side_tables; /* of annotate */
    unsigned threads;
};

/* PERF SUMMARY, SIGNPOST PROFILE, the flow graph, AUTO-PROFILE REPORT. *status is the original's
 * exit code where it has one. */
TTP_NODISCARD ttp_code ttp_compat_perf(int *status, const struct ttp_ctx *ctx,
                                       const struct ttp_kernel_compat *o, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_compat_signposts(const struct ttp_ctx *ctx,
                                            const struct ttp_kernel_compat *o, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_compat_flow(const struct ttp_ctx *ctx, const struct ttp_kernel_compat *o,
                                       struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_compat_annotate(int *status, const struct ttp_ctx *ctx,
                                           const struct ttp_kernel_compat *o, struct ttp_err *err);

#endif
