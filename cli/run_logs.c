/* SPDX-License-Identifier: Apache-2.0 */
#include "run_logs.h"

#include <stdlib.h>

#include "base/file.h"

const char *ttp_logs_default_dir(struct ttp_arena *arena)
{
    const char *dir = getenv("TT_METAL_PROFILER_DIR"), *home = getenv("TT_METAL_HOME");

    if (dir && dir[0])
        return dir;
    if (home && home[0])
        return ttp_file_join(home, "generated/profiler", arena);
    /* what was recorded here without either is there; inside of such a folder it is that */
    return !ttp_file_is_dir(".logs") && ttp_file_is_dir("generated/profiler") ? "generated/profiler"
                                                                              : ".";
}
