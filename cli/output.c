/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* "DIR/.NAME.XXXXXX": in the same folder, since a rename cannot cross file systems. */
static char *temporary_name(const char *path, struct ttp_arena *arena)
{
    const char *slash = strrchr(path, '/');
    const size_t dir = slash ? (size_t)(slash - path) + 1 : 0;
    const size_t room = strlen(path) + sizeof("..XXXXXX");
    char *name = TTP_NEW(arena, char, room);

    snprintf(name, room, "%.*s.%s.XXXXXX", (int)dir, path, path + dir);
    return name;
}

/* mkostemp() makes files for the owner only; a result has the rights any new file has. */
static mode_t usual_mode(void)
{
    const mode_t mask = umask(S_IWGRP | S_IWOTH);
    umask(mask);
    return 0666 & ~mask;
}

ttp_code ttp_output_open(struct ttp_output *out, const char *path, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    char real[PATH_MAX];
    struct stat st;

    *out = (struct ttp_output){.fd = STDOUT_FILENO};
    if (!path || strcmp(path, "-") == 0)
        return TTP_OK;
    const bool exists = stat(path, &st) == 0;
    const char *target = exists && realpath(path, real) ? real : path;
    /* with its NUL */
    out->path = ttp_arena_copy(arena, (ttp_str){target, strlen(target) + 1}).ptr;

    if (exists && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return ttp_fail_errno(err, "cannot write '%s'", path);
    }
    if (exists && !S_ISREG(st.st_mode)) {
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
        return out->fd >= 0 ? TTP_OK : ttp_fail_errno(err, "cannot open '%s'", path);
    }
    out->temporary = temporary_name(out->path, arena);
    out->fd = mkostemp(out->temporary, O_CLOEXEC);
    if (out->fd < 0)
        return ttp_fail_errno(err, "cannot create '%s'", path);
    /* without the rights of a file that was there before the result is still whole */
    (void)fchmod(out->fd, exists ? st.st_mode & 0777 : usual_mode());
    return TTP_OK;
}

ttp_code ttp_output_close(struct ttp_output *out, bool keep, struct ttp_err *err)
{
    ttp_code rc = TTP_OK;

    if (!out->path)
        return TTP_OK;
    if (close(out->fd) < 0)
        rc = ttp_fail_errno(err, "cannot write '%s'", out->path);
    if (out->temporary && keep && rc == TTP_OK && rename(out->temporary, out->path) < 0)
        rc = ttp_fail_errno(err, "cannot replace '%s'", out->path);
    if (out->temporary && (!keep || rc != TTP_OK))
        unlink(out->temporary);
    return rc;
}
