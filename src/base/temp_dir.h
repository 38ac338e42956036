/* SPDX-License-Identifier: Apache-2.0 */
/* temp_dir.h - temporary folders. */
#ifndef TTP_BASE_TEMP_DIR_H
#define TTP_BASE_TEMP_DIR_H

#include "base/arena.h"
#include "base/err.h"

/* A new folder of ours below TMPDIR, or /tmp; its name is in the arena. TTP_EIO. */
TTP_NODISCARD ttp_code ttp_temp_dir_make(const char **out, struct ttp_arena *arena,
                                         struct ttp_err *err);
/* Remove it with its content. */
void ttp_temp_dir_end(const char *path);
/* Remove the content of any folder; links are removed, not followed. `itself`: also the folder.
 * What cannot be removed stays. */
void ttp_temp_dir_remove(const char *path, bool itself);
/* The process ends early: remove every folder that has no end yet. Safe in a signal handler. */
void ttp_temp_dir_tidy(void);

#endif
