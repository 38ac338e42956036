/* SPDX-License-Identifier: Apache-2.0 */
#include "base/temp_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- removing, without memory: a signal handler and a process without memory do it, too ---- */

/* What getdents64(2) writes. */
struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

#define DEPTH_MAX 64 /* ours are not deeper; a stack has room for it */

static void remove_below(int folder, int depth);

/* NOLINTNEXTLINE(misc-no-recursion): as deep as DEPTH_MAX */
static void remove_one(int folder, const char *name, int depth)
{
    if (unlinkat(folder, name, 0) == 0 || depth == DEPTH_MAX)
        return;
    const int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    remove_below(fd, depth + 1);
    close(fd);
    (void)unlinkat(folder, name, AT_REMOVEDIR);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as DEPTH_MAX */
static void remove_below(int folder, int depth)
{
    _Alignas(struct entry) char part[1024];
    long n;

    while ((n = syscall(SYS_getdents64, folder, part, sizeof(part))) > 0)
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(const void *)(part + at);

            if (strcmp(e->name, ".") != 0 && strcmp(e->name, "..") != 0)
                remove_one(folder, e->name, depth);
            at += e->length;
        }
}

void ttp_temp_dir_remove(const char *path, bool itself)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0) {
        remove_below(fd, 0);
        close(fd);
    }
    if (itself)
        (void)rmdir(path);
}

/* ---- folders that have no end yet ---- */

#define MAX_WATCHED 16

static struct {
    atomic_bool taken, ready;
    char path[PATH_MAX];
} watched[MAX_WATCHED];

static void watch(const char *path)
{
    for (size_t i = 0; i < MAX_WATCHED; i++)
        if (!atomic_exchange(&watched[i].taken, true)) {
            snprintf(watched[i].path, sizeof(watched[i].path), "%s", path);
            atomic_store(&watched[i].ready, true);
            return;
        }
}

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
    watch(path);
    *out = path;
    return TTP_OK;
}

void ttp_temp_dir_end(const char *path)
{
    ttp_temp_dir_remove(path, true);
    for (size_t i = 0; i < MAX_WATCHED; i++)
        if (atomic_load(&watched[i].ready) && strcmp(watched[i].path, path) == 0) {
            atomic_store(&watched[i].ready, false);
            atomic_store(&watched[i].taken, false);
        }
}

void ttp_temp_dir_tidy(void)
{
    for (size_t i = 0; i < MAX_WATCHED; i++)
        if (atomic_load(&watched[i].ready))
            ttp_temp_dir_remove(watched[i].path, true);
}
