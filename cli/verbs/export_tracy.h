/* SPDX-License-Identifier: Apache-2.0 */
/* export_tracy.h - a recording as a .tracy file: written here, or by Tracy's own capture program,
 * to which its stream is played. */
#ifndef TTP_CLI_EXPORT_TRACY_H
#define TTP_CLI_EXPORT_TRACY_H

#include "capture/capture.h"
#include "core/cmd.h"

struct ttp_export_tracy {
    const char *recording;
    const char *output; /* NULL: next to the recording */
    const char *tool;   /* of Tracy, "auto": looked for; NULL: none is wanted */
    uint16_t port;      /* not 0: only wait there for one */
    enum ttp_tracy_form form;
};

/* Tell what was written, and what of it a .tracy file has no room for. */
void ttp_export_tell(const struct ttp_ctx *ctx, const char *recording,
                     const struct ttp_tracy_written *written);
/* *status may become TTP_EXIT_ENVIRONMENT. */
TTP_NODISCARD ttp_code ttp_export_tracy(int *status, const struct ttp_ctx *ctx,
                                        const struct ttp_export_tracy *export, struct ttp_err *err);

#endif
