/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_write.h - private to capture: the sections of a .tracy file, see
 * docs/formats/tracy_file.md. */
#ifndef TTP_CAPTURE_TRACY_WRITE_H
#define TTP_CAPTURE_TRACY_WRITE_H

#include "capture/tracy_file.h"
#include "capture/tracy_out.h"
#include "capture/tracy_plan.h"

/* A file being written. */
struct ttp_tracy_file {
    struct ttp_tracy_out *out;
    struct ttp_tracy_plan *plan;
    unsigned version;
};

/* All of it; `version` as of TTP_TRACY_VERSION. */
TTP_NODISCARD ttp_code ttp_tracy_write_file(struct ttp_tracy_plan *plan, const char *path,
                                            unsigned version, struct ttp_err *err);

/* Sections 21 and 22: zones of the host and of devices. */
void ttp_tracy_write_threads(struct ttp_tracy_file *f);
void ttp_tracy_write_devices(struct ttp_tracy_file *f);
/* Sections 23 and 24. */
void ttp_tracy_write_plots(struct ttp_tracy_file *f);
void ttp_tracy_write_memory(struct ttp_tracy_file *f);

#endif
