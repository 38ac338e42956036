/* SPDX-License-Identifier: Apache-2.0 */
/* export_tracy.h - a recording played to Tracy's own capture program. */
#ifndef TTP_CLI_EXPORT_TRACY_H
#define TTP_CLI_EXPORT_TRACY_H

#include "core/cmd.h"

struct ttp_export_tracy {
    const char *recording;
    const char *output; /* NULL: next to the recording */
    const char *tool;   /* NULL: looked for */
    uint16_t port;      /* not 0: only wait there */
};

/* *status may become TTP_EXIT_ENVIRONMENT. */
TTP_NODISCARD ttp_code ttp_export_tracy(int *status, const struct ttp_ctx *ctx,
                                        const struct ttp_export_tracy *export, struct ttp_err *err);

#endif
