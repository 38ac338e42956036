/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sink.h"

ttp_code ttp_file_map(struct ttp_file *out, const char *path, struct ttp_err *err)
{
    ttp_code rc = TTP_OK;
    struct stat st;
    void *map;

    *out = (struct ttp_file){0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ttp_fail_errno(err, "cannot open '%s'", path);
    if (fstat(fd, &st) < 0) {
        rc = ttp_fail_errno(err, "cannot stat '%s'", path);
        goto out;
    }
    if (st.st_size == 0) /* mmap() refuses this; an empty slice is a fine answer */
        goto out;
    map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        rc = ttp_fail_errno(err, "cannot map '%s'", path);
    else
        *out = (struct ttp_file){{map, (size_t)st.st_size}, map};
out:
    close(fd); /* the mapping outlives the descriptor */
    return rc;
}

void ttp_file_close(struct ttp_file *f)
{
    if (f->text.len)
        munmap(f->map, f->text.len);
    *f = (struct ttp_file){0};
}

void ttp_file_forget(const struct ttp_file *f, ttp_str part)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t at = (size_t)(part.ptr - f->text.ptr);
    const size_t from = (at + page - 1) / page * page, to = (at + part.len) / page * page;

    if (from < to)
        (void)madvise((char *)f->map + from, to - from, MADV_DONTNEED);
}

/* --- writing --- */

static ttp_code fail_write(const char *path, struct ttp_err *err)
{
    return ttp_fail_errno(err, "cannot write '%s'", path);
}

static char *copy_path(const char *path)
{
    char *copy = strdup(path);

    if (!copy)
        ttp_arena_oom();
    return copy;
}

/* Bytes of `path` up to and including the last slash: its folder, or "". */
static int folder_len(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (int)(slash + 1 - path) : 0;
}

/* Follow the last part of *path while it is a link, also to something that is not there yet.
 * False, and errno: it goes in circles, or is too long. */
static bool follow_links(char **path)
{
    char target[PATH_MAX], *joined;

    for (int i = 0; i < 40; i++) { /* as often as the kernel would */
        const ssize_t n = readlink(*path, target, sizeof(target) - 1);

        if (n < 0)
            return true; /* not a link; whatever else is wrong shows when it is opened */
        target[n] = '\0';
        if (asprintf(&joined, "%.*s%s", target[0] == '/' ? 0 : folder_len(*path), *path, target) <
            0)
            ttp_arena_oom();
        free(*path);
        *path = joined;
    }
    errno = ELOOP;
    return false;
}

/* A name of its own length: appended to a long one it might not fit. */
static int create_beside(char **temp, const char *path)
{
    for (unsigned i = 0; i < 1000; i++) {
        if (asprintf(temp, "%.*s.tt-perf-%ld-%u.tmp", folder_len(path), path, (long)getpid(), i) <
            0)
            ttp_arena_oom();
        const int fd = open(*temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0)
            return fd;
        const int why = errno;
        free(*temp);
        *temp = NULL;
        errno = why;
        if (why != EEXIST)
            break;
    }
    return -1;
}

static int open_target(struct ttp_outfile *out)
{
    struct stat st;

    if (!follow_links(&out->path))
        return -1;
    const bool exists = stat(out->path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (exists && !S_ISREG(st.st_mode))
        return open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (exists && faccessat(AT_FDCWD, out->path, W_OK, AT_EACCESS) < 0)
        return -1;
    if (out->path[folder_len(out->path)] == '\0') { /* nothing that could be a file's name */
        errno = out->path[0] ? EISDIR : ENOENT;
        return -1;
    }
    const int fd = create_beside(&out->temp, out->path);
    if (fd >= 0 && exists)
        (void)fchmod(fd, st.st_mode & 0777); /* not ours to change on some file systems */
    return fd;
}

ttp_code ttp_outfile_open(struct ttp_outfile *out, const char *path, struct ttp_err *err)
{
    *out = (struct ttp_outfile){.fd = STDOUT_FILENO, .path = copy_path(path)};
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return TTP_OK;
    out->fd = open_target(out);
    if (out->fd < 0) {
        const ttp_code rc = fail_write(path, err);
        ttp_outfile_abort(out);
        return rc;
    }
    return TTP_OK;
}

/* False, and errno: a write that seemed to work did not. */
static bool close_fd(struct ttp_outfile *f)
{
    const int fd = f->fd;

    f->fd = -1;
    return fd < 0 || fd == STDOUT_FILENO || close(fd) == 0;
}

ttp_code ttp_outfile_commit(struct ttp_outfile *f, struct ttp_err *err)
{
    ttp_code rc = TTP_OK;

    if (!close_fd(f) || (f->temp && rename(f->temp, f->path) < 0)) {
        rc = fail_write(f->path, err);
    } else {
        free(f->temp); /* it is the file now */
        f->temp = NULL;
    }
    ttp_outfile_abort(f);
    return rc;
}

void ttp_outfile_abort(struct ttp_outfile *f)
{
    if (!f->path)
        return;
    (void)close_fd(f);
    if (f->temp)
        unlink(f->temp);
    free(f->temp);
    free(f->path);
    *f = (struct ttp_outfile){.fd = -1};
}

/* --- finding --- */

#define MAX_DEPTH 16

/* The folders from `dir` down to the one being read. */
struct walk {
    DIR *folder[MAX_DEPTH];
    size_t len[MAX_DEPTH]; /* of path, for that folder, its slash included */
    int depth;             /* folders open */
    char path[PATH_MAX];
};

/* Go into the folder that w->path names, which is open at fd. Too deep or unreadable: do not. */
static void enter(struct walk *w, int fd)
{
    size_t len = strlen(w->path);
    DIR *folder =
        fd < 0 || w->depth == MAX_DEPTH || len + 2 > sizeof(w->path) ? NULL : fdopendir(fd);

    if (!folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    if (len && w->path[len - 1] != '/')
        w->path[len++] = '/';
    w->folder[w->depth] = folder;
    w->len[w->depth++] = len;
}

/* The next entry that is not a folder: its name, *st filled, w->path its path; NULL: none left. */
static const char *next_file(struct walk *w, struct stat *st)
{
    while (w->depth > 0) {
        DIR *folder = w->folder[w->depth - 1];
        const size_t len = w->len[w->depth - 1];
        const struct dirent *e = readdir(folder);

        if (!e) {
            closedir(folder);
            w->depth--;
            continue;
        }
        const size_t n = strlen(e->d_name);
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            n >= sizeof(w->path) - len)
            continue;
        memcpy(w->path + len, e->d_name, n + 1);
        if (fstatat(dirfd(folder), e->d_name, st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (S_ISDIR(st->st_mode))
            enter(w, openat(dirfd(folder), e->d_name,
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        else if (!S_ISLNK(st->st_mode) || fstatat(dirfd(folder), e->d_name, st, 0) == 0)
            return w->path + len;
    }
    return NULL;
}

static bool is_newer(const struct timespec *a, const char *path, const struct timespec *b,
                     const char *other)
{
    if (a->tv_sec != b->tv_sec)
        return a->tv_sec > b->tv_sec;
    if (a->tv_nsec != b->tv_nsec)
        return a->tv_nsec > b->tv_nsec;
    return strcmp(path, other) > 0;
}

ttp_code ttp_file_find_newest(const char **out, const char *dir, ttp_file_match_fn *match,
                              void *arg, struct ttp_arena *arena, struct ttp_err *err)
{
    struct walk w = {.depth = 0};
    struct timespec best_time = {0};
    char best[PATH_MAX] = "";
    const char *name;
    struct stat st;

    *out = NULL;
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return ttp_fail_errno(err, "cannot open '%s'", dir);
    snprintf(w.path, sizeof(w.path), "%s", dir); /* open() has refused longer ones */
    enter(&w, fd);
    while ((name = next_file(&w, &st)) != NULL) {
        if (!S_ISREG(st.st_mode) || !match(w.path, name, arg))
            continue;
        if (!best[0] || is_newer(&st.st_mtim, w.path, &best_time, best)) {
            best_time = st.st_mtim;
            memcpy(best, w.path, strlen(w.path) + 1);
        }
    }
    if (!best[0])
        return ttp_fail(err, TTP_ENOTFOUND, "no such file below '%s'", dir);
    *out = ttp_arena_copy(arena, (ttp_str){best, strlen(best) + 1}).ptr;
    return TTP_OK;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

ttp_code ttp_file_list(struct ttp_words *out, const char *dir, struct ttp_arena *arena,
                       struct ttp_err *err)
{
    const struct dirent *e;
    struct stat st;
    size_t cap = 0;

    *out = (struct ttp_words){0};
    DIR *folder = opendir(dir);
    if (!folder)
        return ttp_fail_errno(err, "cannot open '%s'", dir);
    while ((e = readdir(folder)) != NULL) {
        if (fstatat(dirfd(folder), e->d_name, &st, 0) < 0 || S_ISDIR(st.st_mode))
            continue;
        if (out->count == cap) {
            cap = cap ? 2 * cap : 64;
            out->word = ttp_arena_resize(arena, out->word, cap * sizeof(*out->word));
        }
        out->word[out->count++] = ttp_arena_zstr(arena, ttp_str_from(e->d_name));
    }
    closedir(folder);
    if (out->count)
        qsort(out->word, out->count, sizeof(*out->word), by_bytes);
    return TTP_OK;
}

ttp_code ttp_file_in_memory(int *fd, const char **path, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    char name[64];

    *fd = memfd_create("tt-perf", MFD_CLOEXEC);
    if (*fd < 0)
        return ttp_fail_errno(err, "cannot make a file in memory");
    snprintf(name, sizeof(name), "/proc/self/fd/%d", *fd);
    *path = ttp_arena_zstr(arena, ttp_str_from(name));
    return TTP_OK;
}

const char *ttp_file_join(const char *dir, const char *name, struct ttp_arena *arena)
{
    struct ttp_sink path;

    ttp_sink_to_arena(&path, arena);
    ttp_sink_put(&path, ttp_str_from(dir));
    if (path.len && path.buf[path.len - 1] != '/')
        ttp_sink_char(&path, '/');
    ttp_sink_put(&path, ttp_str_from(name));
    return ttp_arena_zstr(arena, ttp_sink_text(&path));
}

bool ttp_file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

bool ttp_file_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

ttp_code ttp_file_make_dirs(const char *path, struct ttp_err *err)
{
    char part[PATH_MAX];
    const size_t n = strlen(path);

    if (n >= sizeof(part))
        return ttp_fail(err, TTP_ELIMIT, "the path of a folder has %zu bytes", n);
    for (size_t i = 1; i <= n; i++) {
        if (i < n && path[i] != '/')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) < 0 && errno != EEXIST && !ttp_file_is_dir(part))
            return ttp_fail_errno(err, "cannot make the folder '%s'", part);
    }
    if (!ttp_file_is_dir(path))
        return ttp_fail(err, TTP_EIO, "'%s' is not a folder", path);
    return TTP_OK;
}
