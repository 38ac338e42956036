/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/file_kind.h"
#include "base/map_guard.h"
#include "base/order.h"
#include "base/sink.h"
#include "base/vec.h"

static ttp_code refuse_odd(const char *path, mode_t mode, struct ttp_err *err)
{
    return ttp_fail(err, TTP_EIO, "cannot read '%s': it is %s, not a regular file", path,
                    ttp_file_kind_odd(mode));
}

ttp_code ttp_file_map(struct ttp_file *out, const char *path, struct ttp_err *err)
{
    ttp_code rc = TTP_OK;
    struct stat st;
    void *map;

    *out = (struct ttp_file){0};
    ttp_budget_reading(path);
    /* A FIFO cannot be mapped, and its writer would see a reader come and go. Should one take the
     * file's place now, it is not waited for. */
    if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode)) {
        (void)ttp_file_kind_accept(path, st.st_mode);
        return refuse_odd(path, st.st_mode, err);
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return ttp_fail_errno(err, "cannot open '%s'", path);
    if (fstat(fd, &st) < 0) {
        rc = ttp_fail_errno(err, "cannot stat '%s'", path);
        goto out;
    }
    if (!ttp_file_kind_accept(path, st.st_mode) || S_ISFIFO(st.st_mode)) {
        rc = refuse_odd(path, st.st_mode, err);
        goto out;
    }
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR; /* mmap() would say that there is no such device */
        rc = ttp_fail_errno(err, "cannot read '%s'", path);
        goto out;
    }
    if (st.st_size == 0) /* mmap() refuses this; an empty slice is a fine answer */
        goto out;
    map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        rc = ttp_fail_errno(err, "cannot map '%s'", path);
    else
        *out = (struct ttp_file){{map, (size_t)st.st_size}, map};
    ttp_budget_read(out->text.len);
    if (out->map)
        ttp_map_guard_add(out->map, out->text.len, path);
out:
    close(fd); /* the mapping outlives the descriptor */
    return rc;
}

void ttp_file_close(struct ttp_file *f)
{
    if (f->text.len) {
        ttp_map_guard_remove(f->map);
        munmap(f->map, f->text.len);
    }
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

/* --- finding --- */

#define MAX_DEPTH 16

/* NULL: none left and errno is 0, or errno says why the folder cannot be read. */
static const struct dirent *next_entry(DIR *folder)
{
    errno = 0;
    return readdir(folder);
}

/* The folders from `dir` down to the one being read. */
struct walk {
    struct ttp_held held; /* first */
    DIR *folder[MAX_DEPTH];
    size_t len[MAX_DEPTH]; /* of path, for that folder, its slash included */
    int depth;             /* folders open */
    int failed;            /* errno of the first entry that could not be read, at `where` */
    char path[PATH_MAX];
    char where[PATH_MAX];
};

static void note_failure(struct walk *w, int code)
{
    if (w->failed)
        return;
    w->failed = code;
    memcpy(w->where, w->path, strlen(w->path) + 1);
}

/* Go into the folder that w->path names, which is open at fd. Too deep or unreadable: do not. */
static void enter(struct walk *w, int fd)
{
    size_t len = strlen(w->path);
    const bool too_deep = w->depth == MAX_DEPTH || len + 2 > sizeof(w->path);
    DIR *folder = fd < 0 || too_deep ? NULL : fdopendir(fd);

    if (!folder) {
        note_failure(w, fd >= 0 && too_deep ? ENAMETOOLONG : errno);
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
        const struct dirent *e = next_entry(folder);

        if (!e) {
            w->path[len] = '\0';
            if (errno)
                note_failure(w, errno);
            closedir(folder);
            w->depth--;
            continue;
        }
        const size_t n = strlen(e->d_name);
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            n >= sizeof(w->path) - len)
            continue;
        memcpy(w->path + len, e->d_name, n + 1);
        if (fstatat(dirfd(folder), e->d_name, st, AT_SYMLINK_NOFOLLOW) < 0) {
            if (errno != ENOENT) /* removed since it was listed */
                note_failure(w, errno);
            continue;
        }
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

static ttp_code begin_walk(struct walk *w, const char *dir, struct ttp_err *err)
{
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    w->depth = 0;
    w->failed = 0;
    if (fd < 0)
        return ttp_fail_errno(err, "cannot open '%s'", dir);
    snprintf(w->path, sizeof(w->path), "%s", dir); /* open() has refused longer ones */
    enter(w, fd);
    return TTP_OK;
}

static void end_walk(struct ttp_held *held)
{
    struct walk *w = (struct walk *)(void *)held;

    while (w->depth > 0)
        closedir(w->folder[--w->depth]);
    ttp_held_drop(held);
}

ttp_code ttp_file_list_below(struct ttp_words *out, const char *dir, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct walk *w = TTP_NEW(arena, struct walk, 1);
    struct stat st;

    *out = (struct ttp_words){0};
    TTP_TRY(begin_walk(w, dir, err));
    ttp_held_add(&w->held, 0, end_walk); /* also when memory runs out for the paths */
    while (next_file(w, &st))
        if (ttp_file_kind_accept(w->path, st.st_mode) && S_ISREG(st.st_mode))
            ttp_words_add(out, ttp_arena_zstr(arena, ttp_str_from(w->path)), arena);
    end_walk(&w->held);
    if (w->failed) {
        errno = w->failed;
        return ttp_fail_errno(err, "cannot read '%s'", w->where);
    }
    TTP_SORT(out->word, out->count, ttp_by_text);
    return TTP_OK;
}

ttp_code ttp_file_find_newest(const char **out, const char *dir, struct ttp_file_matcher which,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    struct walk w;
    struct timespec best_time = {0};
    char best[PATH_MAX] = "";
    const char *name;
    struct stat st;

    *out = NULL;
    TTP_TRY(begin_walk(&w, dir, err));
    while ((name = next_file(&w, &st)) != NULL) {
        if (!ttp_file_kind_accept(w.path, st.st_mode) || !S_ISREG(st.st_mode) ||
            !which.match(w.path, name, which.arg))
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

/* Closed also when memory runs out for the names in it. */
struct held_folder {
    struct ttp_held held; /* first */
    DIR *folder;
};

static void close_folder(struct ttp_held *held)
{
    closedir(((struct held_folder *)(void *)held)->folder);
    ttp_held_drop(held);
}

ttp_code ttp_file_list(struct ttp_words *out, const char *dir, struct ttp_arena *arena,
                       struct ttp_err *err)
{
    struct held_folder *held = TTP_NEW(arena, struct held_folder, 1);
    const struct dirent *e;
    struct stat st;

    *out = (struct ttp_words){0};
    DIR *folder = opendir(dir);
    if (!folder)
        return ttp_fail_errno(err, "cannot open '%s'", dir);
    held->folder = folder;
    ttp_held_add(&held->held, 0, close_folder);
    while ((e = next_entry(folder)) != NULL) {
        if (fstatat(dirfd(folder), e->d_name, &st, 0) < 0 || S_ISDIR(st.st_mode))
            continue;
        const struct ttp_mark mark = ttp_arena_mark(arena);
        const bool good = S_ISREG(st.st_mode) ||
                          ttp_file_kind_accept(ttp_file_join(dir, e->d_name, arena), st.st_mode);
        ttp_arena_rewind(arena, mark);
        if (!good)
            continue;
        *TTP_PUSH(arena, out->word, out->count) = ttp_arena_zstr(arena, ttp_str_from(e->d_name));
    }
    const ttp_code rc = errno ? ttp_fail_errno(err, "cannot read '%s'", dir) : TTP_OK;
    close_folder(&held->held);
    TTP_SORT(out->word, out->count, ttp_by_text);
    return rc;
}

struct memory_file {
    struct ttp_held held; /* first */
    int fd;
    char path[32];
};

static void close_memory(struct ttp_held *held)
{
    const struct memory_file *m = (const struct memory_file *)(void *)held;

    close(m->fd);
    ttp_held_drop(held);
}

ttp_code ttp_file_in_memory(int *fd, const char **path, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct memory_file *m = TTP_NEW(arena, struct memory_file, 1);

    *path = NULL;
    *fd = memfd_create("tt-perf", MFD_CLOEXEC);
    if (*fd < 0)
        return ttp_fail_errno(err, "cannot make a file in memory");
    m->fd = *fd;
    ttp_held_add(&m->held, 0, close_memory);
    snprintf(m->path, sizeof(m->path), "/proc/self/fd/%d", *fd);
    *path = m->path;
    return TTP_OK;
}

void ttp_file_close_memory(const char *path)
{
    union {
        const char *read;
        char *write;
    } p = {.read = path};

    if (path)
        close_memory((struct ttp_held *)(void *)(p.write - offsetof(struct memory_file, path)));
}

const char *ttp_file_home(struct ttp_arena *arena)
{
    const char *home = getenv("HOME");
    struct passwd entry, *found = NULL;
    char room[4096];

    if (home && home[0] == '/')
        return ttp_arena_zstr(arena, ttp_str_from(home));
    if (getpwuid_r(getuid(), &entry, room, sizeof(room), &found) != 0 || !found || !found->pw_dir ||
        found->pw_dir[0] != '/' || !ttp_file_is_dir(found->pw_dir))
        return NULL;
    return ttp_arena_zstr(arena, ttp_str_from(found->pw_dir));
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

ttp_code ttp_file_temporary(int *fd, struct ttp_err *err)
{
    const char *dir = getenv("TMPDIR");
    char name[4096];

    dir = dir && dir[0] ? dir : "/tmp";
    *fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (*fd >= 0)
        return TTP_OK;
    /* a file system without O_TMPFILE */
    if (snprintf(name, sizeof(name), "%s/tt-perf.XXXXXX", dir) < (int)sizeof(name)) {
        *fd = mkostemp(name, O_CLOEXEC);
        if (*fd >= 0) {
            unlink(name);
            return TTP_OK;
        }
    }
    ttp_fail_errno(err, "cannot make a temporary file in '%s'", dir);
    ttp_err_hint(err, "set TMPDIR to a folder with free space");
    return TTP_EIO;
}

bool ttp_file_exists(const char *path)
{
    struct stat st;

    if (stat(path, &st) == 0)
        return !S_ISDIR(st.st_mode) && ttp_file_kind_accept(path, st.st_mode);
    /* what could not be looked at is not missing: whoever opens it says why */
    return errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG;
}

bool ttp_file_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

uint64_t ttp_file_size(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
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
        if (mkdir(part, 0777) == 0 || errno == EEXIST)
            continue;
        const int why = errno; /* of mkdir, not of the look that follows */
        if (ttp_file_is_dir(part))
            continue;
        errno = why;
        return ttp_fail_errno(err, "cannot make the folder '%s'", part);
    }
    if (!ttp_file_is_dir(path))
        return ttp_fail(err, TTP_EIO, "'%s' is not a folder", path);
    return TTP_OK;
}

ttp_code ttp_file_make_new_dir(const char **out, const char *path, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    const char *slash = strrchr(path, '/');
    char name[PATH_MAX];

    if (slash && slash > path)
        TTP_TRY(ttp_file_make_dirs(ttp_arena_zstr(arena, (ttp_str){path, (size_t)(slash - path)}),
                                   err));
    for (unsigned i = 1; i < 10000; i++) {
        const int n = i == 1 ? snprintf(name, sizeof(name), "%s", path)
                             : snprintf(name, sizeof(name), "%s_%u", path, i);

        if (n < 0 || (size_t)n >= sizeof(name))
            return ttp_fail(err, TTP_ELIMIT, "the path of a folder has %d bytes", n);
        if (mkdir(name, 0777) == 0) {
            *out = ttp_arena_zstr(arena, ttp_str_from(name));
            return TTP_OK;
        }
        if (errno != EEXIST)
            return ttp_fail_errno(err, "cannot make the folder '%s'", name);
    }
    return ttp_fail(err, TTP_EIO, "cannot make the folder '%s': 10000 of that name exist", path);
}

bool ttp_file_is_same(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}
