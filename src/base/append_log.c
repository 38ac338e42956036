/* SPDX-License-Identifier: Apache-2.0 */
#include "base/append_log.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/num.h"

#define OWNER_ONLY (S_IRUSR | S_IWUSR)

/* ---- the lock ---- */

static int64_t read_holder(int fd)
{
    char text[32];
    int64_t pid = 0;
    const ssize_t n = pread(fd, text, sizeof(text), 0);

    if (n > 0 && !ttp_str_to_i64(ttp_str_trim((ttp_str){text, (size_t)n}), &pid))
        pid = 0;
    return pid;
}

/* Has the file been removed by a holder that let go of it in the meantime? */
static bool is_gone(int fd, const char *path)
{
    struct stat held, named;

    return fstat(fd, &held) < 0 || stat(path, &named) < 0 || held.st_ino != named.st_ino ||
           held.st_dev != named.st_dev;
}

static ttp_code try_lock(struct ttp_lock *out, const char *path, int64_t *holder,
                         struct ttp_err *err)
{
    char text[TTP_NUM_MAX + 1];

    out->fd = -1;
    *holder = 0;
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, OWNER_ONLY);
    if (fd < 0)
        return ttp_fail_errno(err, "cannot open '%.150s'", path);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        const bool taken = errno == EWOULDBLOCK;
        const ttp_code rc = taken ? ttp_fail(err, TTP_ENOTFOUND, "'%.150s' is in use", path)
                                  : ttp_fail_errno(err, "cannot lock '%.150s'", path);

        *holder = taken ? read_holder(fd) : 0;
        close(fd);
        return rc;
    }
    if (is_gone(fd, path)) {
        close(fd);
        return TTP_OK;
    }
    size_t n = ttp_num_i64(text, (int64_t)getpid());
    text[n++] = '\n';
    /* only for messages of other processes: the lock works without it */
    if (ftruncate(fd, 0) == 0) {
        const ssize_t written = pwrite(fd, text, n, 0);
        (void)written;
    }
    out->fd = fd;
    return TTP_OK;
}

ttp_code ttp_lock_take(struct ttp_lock *out, const char *path, int64_t *holder, struct ttp_err *err)
{
    enum { TRIES = 100 };

    for (int i = 0; i < TRIES; i++) {
        TTP_TRY(try_lock(out, path, holder, err));
        if (out->fd >= 0)
            return TTP_OK;
    }
    return ttp_fail(err, TTP_EIO, "cannot lock '%.150s': other processes keep replacing it", path);
}

void ttp_lock_remove(struct ttp_lock *l, const char *path)
{
    if (l->fd >= 0)
        (void)unlink(path); /* while it is ours */
    ttp_lock_release(l);
}

void ttp_lock_release(struct ttp_lock *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}

/* ---- the log ---- */

ttp_code ttp_append_log_read(ttp_str *out, const char *path, size_t max, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_file file;

    *out = (ttp_str){"", 0};
    if (!ttp_file_exists(path))
        return TTP_OK;
    TTP_TRY(ttp_file_map(&file, path, err));
    ttp_code rc = TTP_OK;
    if (file.text.len > max)
        rc = ttp_fail(err, TTP_ELIMIT, "'%.150s' is larger than %zu bytes", path, max);
    else if (file.text.len)
        *out = ttp_arena_copy(arena, file.text);
    ttp_file_close(&file);
    return rc;
}

/* The name of a new file is in its folder, which must reach the disk too. */
static void sync_folder(const char *path)
{
    char copy[4096];

    if ((size_t)snprintf(copy, sizeof(copy), "%s", path) >= sizeof(copy))
        return;
    const int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

ttp_code ttp_append_log_add(const char *path, ttp_str text, struct ttp_err *err)
{
    struct stat before;
    size_t done = 0;
    ttp_code rc = TTP_OK;

    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, OWNER_ONLY);
    if (fd < 0)
        return ttp_fail_errno(err, "cannot write '%.150s'", path);
    if (fstat(fd, &before) < 0) {
        rc = ttp_fail_errno(err, "cannot write '%.150s'", path);
        close(fd);
        return rc;
    }
    /* one that an older version made for all to read */
    if (before.st_uid == geteuid() && (before.st_mode & 077))
        (void)fchmod(fd, OWNER_ONLY);
    while (done < text.len) {
        const ssize_t n = write(fd, text.ptr + done, text.len - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (done < text.len || fsync(fd) < 0) {
        rc = ttp_fail_errno(err, "cannot write '%.150s'", path);
        if (ftruncate(fd, before.st_size) < 0)
            ttp_err_hint(err, "its end may be damaged");
    } else if (before.st_size == 0) {
        sync_folder(path);
    }
    close(fd);
    return rc;
}

/* Four bits at a time: a table of sixteen is in the cache at once. */
uint32_t ttp_crc32(ttp_str bytes)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                       0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = 0xffffffffu;

    for (size_t i = 0; i < bytes.len; i++) {
        crc ^= (unsigned char)bytes.ptr[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}
