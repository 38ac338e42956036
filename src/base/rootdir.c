/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rootdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/order.h"
#include "base/vec.h"

#define LINKS_MAX 40 /* as the kernel */

/* --- opening below the root --- */

static int open_in_root(int fd, const char *path, int flags)
{
    const struct open_how how = {.flags = (uint64_t)flags | O_CLOEXEC,
                                 .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

    return (int)syscall(SYS_openat2, fd, path, &how, sizeof(how));
}

ttp_code ttp_rootdir_open(struct ttp_rootdir *out, const char *path, struct ttp_err *err)
{
    path = path ? path : "/";
    *out = (struct ttp_rootdir){.confined = strcmp(path, "/") != 0};
    out->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out->fd < 0)
        return ttp_fail_errno(err, "cannot open '%s' as a root folder", path);
    if (out->confined) {
        const int probe = open_in_root(out->fd, "/", O_PATH);

        out->walk = probe < 0;
        if (probe >= 0)
            close(probe);
    }
    return TTP_OK;
}

void ttp_rootdir_close(struct ttp_rootdir *root)
{
    if (root->fd >= 0)
        close(root->fd);
    root->fd = -1;
}

/* A path on its way to one without links, for kernels without openat2(). */
struct walk {
    char done[PATH_MAX]; /* relative to the root, no links in it */
    size_t len;
    char rest[PATH_MAX]; /* still to be walked */
    int links;
};

/* Take the first part off `rest`; false: none. */
static bool next_part(struct walk *w, char *part)
{
    const char *at = w->rest + strspn(w->rest, "/");
    const size_t n = strcspn(at, "/");

    if (n == 0 || n > NAME_MAX)
        return false;
    memcpy(part, at, n);
    part[n] = '\0';
    memmove(w->rest, at + n, strlen(at + n) + 1);
    return true;
}

static void step_up(struct walk *w)
{
    while (w->len && w->done[--w->len] != '/') /* at the root it stays there */
        ;
    w->done[w->len] = '\0';
}

/* Go into `part`; if it is a link, what it says is walked next. */
static int step_into(struct walk *w, const struct ttp_rootdir *root, const char *part, bool follow)
{
    const size_t before = w->len, tail = strlen(w->rest);
    char target[PATH_MAX];

    if (w->len + strlen(part) + 2 > sizeof(w->done))
        return -ENAMETOOLONG;
    w->len += (size_t)snprintf(w->done + w->len, sizeof(w->done) - w->len, "%s%s",
                               w->len ? "/" : "", part);
    if (!follow && w->rest[strspn(w->rest, "/")] == '\0')
        return 0;
    const ssize_t got = readlinkat(root->fd, w->done, target, sizeof(target) - 1);
    if (got < 0)
        return 0; /* not a link, or not there: the open will tell */
    if (++w->links > LINKS_MAX)
        return -ELOOP;
    if ((size_t)got + 1 + tail + 1 > sizeof(w->rest))
        return -ENAMETOOLONG;
    w->len = target[0] == '/' ? 0 : before;
    w->done[w->len] = '\0';
    memmove(w->rest + got + 1, w->rest, tail + 1);
    memcpy(w->rest, target, (size_t)got);
    w->rest[got] = '/';
    return 0;
}

static int walk_path(struct walk *w, const struct ttp_rootdir *root, const char *path, bool follow)
{
    char part[NAME_MAX + 1];
    int rc = 0;

    *w = (struct walk){0};
    if ((size_t)snprintf(w->rest, sizeof(w->rest), "%s", path) >= sizeof(w->rest))
        return -ENAMETOOLONG;
    while (rc == 0 && next_part(w, part)) {
        if (strcmp(part, "..") == 0)
            step_up(w);
        else if (strcmp(part, ".") != 0)
            rc = step_into(w, root, part, follow);
    }
    return rc;
}

static int open_below(const struct ttp_rootdir *root, const char *path, int flags)
{
    struct walk w;
    int fd;

    if (!root->confined) {
        fd = open(path, flags | O_CLOEXEC);
    } else if (!root->walk) {
        fd = open_in_root(root->fd, path, flags);
    } else {
        const int rc = walk_path(&w, root, path, !(flags & O_NOFOLLOW));
        if (rc < 0)
            return rc;
        fd = openat(root->fd, w.len ? w.done : ".", flags | O_NOFOLLOW | O_CLOEXEC);
    }
    return fd < 0 ? -errno : fd;
}

/* --- reading --- */

int ttp_rootdir_open_file(const struct ttp_rootdir *root, const char *path)
{
    /* not waiting: in a synthetic tree it may be a FIFO */
    const int fd = open_below(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    struct stat st;

    if (fd >= 0 && root->confined && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        return -EINVAL;
    }
    return fd;
}

ssize_t ttp_rootdir_read(const struct ttp_rootdir *root, const char *path, char *buf, size_t cap,
                         bool small)
{
    const int fd = ttp_rootdir_open_file(root, path);
    size_t len = 0;
    ssize_t got = 0;

    if (fd < 0)
        return fd;
    do {
        got = read(fd, buf + len, cap - len);
        if (got > 0)
            len += (size_t)got;
    } while ((got > 0 && !small && len < cap) || (got < 0 && errno == EINTR));
    const int why = errno;
    close(fd);
    if (got < 0)
        return -why;
    if (root->seen)
        root->seen(TTP_ROOTDIR_FILE, path, (ttp_str){buf, len}, root->seen_arg);
    return (ssize_t)len;
}

ttp_code ttp_rootdir_read_all(ttp_str *out, const struct ttp_rootdir *root, const char *path,
                              size_t max, struct ttp_arena *arena, struct ttp_err *err)
{
    const int fd = open_below(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    ttp_code rc = TTP_OK;
    struct stat st;

    *out = (ttp_str){0};
    if (fd < 0) {
        errno = -fd;
        return ttp_fail_errno(err, "cannot open '%s'", path);
    }
    if (fstat(fd, &st) < 0)
        rc = ttp_fail_errno(err, "cannot stat '%s'", path);
    else if (!S_ISREG(st.st_mode))
        rc = ttp_fail(err, TTP_EIO, "cannot read '%s': not a regular file", path);
    else if ((uint64_t)st.st_size > max)
        rc = ttp_fail(err, TTP_ELIMIT, "'%s' has more than %zu bytes", path, max);
    if (rc == TTP_OK && st.st_size) {
        const size_t size = (size_t)st.st_size;
        char *text = ttp_arena_bytes(arena, size);
        size_t len = 0;
        ssize_t got = 1;

        while (len < size && got != 0) {
            got = read(fd, text + len, size - len);
            if (got < 0 && errno != EINTR) {
                rc = ttp_fail_errno(err, "cannot read '%s'", path);
                break;
            }
            len += got > 0 ? (size_t)got : 0;
        }
        *out = (ttp_str){text, rc == TTP_OK ? len : 0};
    }
    close(fd);
    return rc;
}

ssize_t ttp_rootdir_readlink(const struct ttp_rootdir *root, const char *path, char *buf,
                             size_t cap)
{
    const int fd = open_below(root, path, O_PATH | O_NOFOLLOW);
    ssize_t got;

    if (fd < 0)
        return fd;
    got = readlinkat(fd, "", buf, cap - 1);
    const int why = errno;
    close(fd);
    if (got < 0)
        return why == ENOENT ? -EINVAL : -why; /* ENOENT: it is there, but no link */
    buf[got] = '\0';
    if (root->seen)
        root->seen(TTP_ROOTDIR_LINK, path, (ttp_str){buf, (size_t)got}, root->seen_arg);
    return got;
}

static int by_length(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    const size_t n = strlen(x), m = strlen(y);

    return n != m ? (n > m) - (n < m) : strcmp(x, y);
}

ssize_t ttp_rootdir_list(const struct ttp_rootdir *root, const char *path, const char ***names,
                         size_t max, struct ttp_arena *arena)
{
    const int fd = open_below(root, path, O_RDONLY | O_DIRECTORY);
    const struct dirent *entry;
    size_t count = 0;

    *names = NULL;
    if (fd < 0)
        return fd;
    DIR *dir = fdopendir(fd);
    if (!dir) {
        const int why = errno;
        close(fd);
        return -why;
    }
    while (count < max && (entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        *TTP_PUSH(arena, *names, count) = ttp_arena_zstr(arena, ttp_str_from(entry->d_name));
    }
    closedir(dir);
    TTP_SORT(*names, count, by_length);
    return (ssize_t)count;
}

int ttp_rootdir_stat(struct ttp_rootdir_stat *out, const struct ttp_rootdir *root, const char *path)
{
    const char *name = strrchr(path, '/');
    char folder[PATH_MAX];
    struct stat st;
    struct statfs fs;
    int rc = 0;

    *out = (struct ttp_rootdir_stat){.uid = -1};
    if (!name || (size_t)(name - path) >= sizeof(folder))
        return -EINVAL;
    snprintf(folder, sizeof(folder), "%.*s", name == path ? 1 : (int)(name - path), path);
    /* only the folder is opened: a device node must not be, not even as a name */
    const int fd = open_below(root, folder, O_PATH | O_DIRECTORY);
    if (fd < 0)
        return fd;
    name++;
    if (fstatat(fd, name, &st, root->confined ? AT_SYMLINK_NOFOLLOW : 0) < 0) {
        rc = -errno;
        goto out;
    }
    out->is_dir = S_ISDIR(st.st_mode);
    out->is_device = S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode);
    out->readable = faccessat(fd, name, R_OK, 0) == 0;
    out->writable = faccessat(fd, name, W_OK, 0) == 0;
    out->major = major(st.st_rdev);
    out->minor = minor(st.st_rdev);
    out->uid = (int64_t)st.st_uid;
    if (fstatfs(fd, &fs) == 0)
        out->fs_type = (uint32_t)fs.f_type;
out:
    close(fd);
    return rc;
}
