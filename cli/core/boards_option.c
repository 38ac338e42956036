/* SPDX-License-Identifier: Apache-2.0 */
#include "core/boards_option.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

static const char *default_path(struct ttp_arena *arena)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = ttp_file_home(arena);
    char path[PATH_MAX];
    int n = 0;

    if (config && config[0] == '/')
        n = snprintf(path, sizeof(path), "%s/tt-perf/boards.conf", config);
    else if (home)
        n = snprintf(path, sizeof(path), "%s/.config/tt-perf/boards.conf", home);
    if (n <= 0 || (size_t)n >= sizeof(path) || !ttp_file_exists(path))
        return NULL;
    return ttp_arena_zstr(arena, ttp_str_from(path));
}

ttp_code ttp_boards_load(const struct ttp_boards **out, const char *option, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    const char *named = option ? option : getenv("TT_PERF_BOARDS");
    const char *path = named && named[0] ? named : default_path(arena);

    return ttp_boards_read_file(out, path, arena, err);
}
