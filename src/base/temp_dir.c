/* SPDX-License-Identifier: Apache-2.0 */
#include "base/temp_dir.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

ttp_code ttp_temp_dir_make(const char **out, struct ttp_arena *arena, struct ttp_err *err)
{
    static const char name[] = "/tt-perf-XXXXXX";
    const char *set = getenv("TMPDIR");
    const ttp_str where = ttp_str_from(set && *set ? set : "/tmp");
    char *path = ttp_arena_bytes(arena, where.len + sizeof(name));

    memcpy(path, where.ptr, where.len);
    memcpy(path + where.len, name, sizeof(name));
    if (!mkdtemp(path))
        return ttp_fail_errno(err, "cannot make a folder in '%.200s'", where.ptr);
    *out = path;
    return TTP_OK;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    if (at->level > 0)
        (void)remove(path);
    return 0;
}

void ttp_temp_dir_remove(const char *path, bool itself)
{
    (void)nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    if (itself)
        (void)rmdir(path);
}
