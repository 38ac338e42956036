/* SPDX-License-Identifier: Apache-2.0 */
/* outfile.c - files that are written next to their place and renamed into it.
 *
 * Where the file system can, they have no name until they are whole, and a kill leaves nothing.
 * Elsewhere a signal that ends the program would leave the one next to it. So their names are in a
 * table that a handler can walk: the only thing here that changes and is not passed. Whoever
 * changes the table holds its lock with signals off, so the handler waits for another thread at
 * most. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temp_dir.h"

enum { MAX_WATCHED = 64 };
static const char *watched[MAX_WATCHED]; /* borrowed; NULL: free */
static atomic_flag table_lock = ATOMIC_FLAG_INIT;

/* Put `to` where `from` is; a full table watches no more. */
static void change_table(const char *from, const char *to)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (atomic_flag_test_and_set(&table_lock))
        continue;
    for (size_t i = 0; i < MAX_WATCHED; i++)
        if (watched[i] == from) {
            watched[i] = to;
            break;
        }
    atomic_flag_clear(&table_lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void watch(const char *temp)
{
    change_table(NULL, temp);
}

static void forget(const char *temp)
{
    change_table(temp, NULL);
}

void ttp_outfile_tidy(void)
{
    while (atomic_flag_test_and_set(&table_lock))
        continue;
    for (size_t i = 0; i < MAX_WATCHED; i++)
        if (watched[i])
            unlink(watched[i]);
    ttp_temp_dir_tidy();
    /* the lock stays: files created from now on would not be removed */
}

static void tidy(int number)
{
    ttp_outfile_tidy();
    (void)raise(number); /* for good: the handler has been reset */
}

/* Not ignored: that would be handed down to programs we start. */
static void fail_the_write(int number)
{
    (void)number;
}

void ttp_outfile_tidy_on_signals(void)
{
    static const int ending[] = {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM};
    const struct sigaction act = {.sa_handler = tidy, .sa_flags = SA_RESETHAND | SA_NODEFER};
    struct sigaction old;

    for (size_t i = 0; i < TTP_COUNT(ending); i++)
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(ending[i], &act, NULL);
    const struct sigaction no_end = {.sa_handler = fail_the_write, .sa_flags = SA_RESTART};
    if (sigaction(SIGXFSZ, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &no_end, NULL);
}

static ttp_code fail_write(const char *path, struct ttp_err *err)
{
    const bool no_folder = errno == ENOENT && strchr(path, '/'), is_folder = errno == EISDIR;
    const ttp_code rc = ttp_fail_errno(err, "cannot write '%s'", path);

    if (no_folder)
        ttp_err_hint(err, "its folder does not exist: make it with 'mkdir -p', or choose another");
    if (is_folder)
        ttp_err_hint(err, "give a file in it");
    return rc;
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

/* The folder of `path`, as a name to open. */
static char *folder_of(const char *path)
{
    char *folder;

    if (asprintf(&folder, "%.*s.", folder_len(path), path) < 0)
        ttp_arena_oom();
    return folder;
}

/* May the link at `path` be followed? In a folder where everybody may make names, such as /tmp,
 * only links of ours, or of the folder's owner: the kernel's rule, which holds for what it follows
 * itself. */
static bool may_follow(const char *path, const struct stat *link)
{
    char *folder = folder_of(path);
    struct stat st;

    const bool shared = stat(folder, &st) == 0 && (st.st_mode & S_ISVTX) && (st.st_mode & S_IWOTH);
    free(folder);
    return !shared || link->st_uid == geteuid() || link->st_uid == st.st_uid;
}

/* What the link at `path` says; 0: it is not a link; -1, and errno: it must not be followed. */
static ssize_t read_link(const char *path, char *target, size_t room)
{
    const int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    ssize_t n = 0;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISLNK(st.st_mode)) {
        n = readlinkat(fd, "", target, room); /* of this link, not of one put in its place */
        if (!may_follow(path, &st)) {
            errno = EACCES;
            n = -1;
        } else if (n == (ssize_t)room) {
            errno = ENAMETOOLONG;
            n = -1;
        }
    }
    if (fd >= 0) {
        const int why = errno;
        close(fd);
        errno = why;
    }
    return n;
}

/* Follow the last part of *path while it is a link, also to something that is missing yet.
 * False, and errno: it goes in circles, is too long, or someone else's trap. */
static bool follow_links(char **path)
{
    char target[PATH_MAX], *joined;

    for (int i = 0; i < 40; i++) { /* as often as the kernel would */
        const ssize_t n = read_link(*path, target, sizeof(target) - 1);

        if (n < 0)
            return false;
        if (n == 0)
            return true; /* whatever else is wrong shows when it is opened */
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

/* Where an open file without a name can be found to give it one. */
struct fd_path {
    char text[32];
};

static struct fd_path path_of(int fd)
{
    struct fd_path p;

    (void)snprintf(p.text, sizeof(p.text), "/proc/self/fd/%d", fd);
    return p;
}

/* A file without a name in the folder of `path`; -1: this file system has none, or there is no
 * /proc to give it one. */
static int create_unnamed(const char *path)
{
    char *folder = folder_of(path);

    int fd = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    free(folder);
    if (fd >= 0 && faccessat(AT_FDCWD, path_of(fd).text, F_OK, 0) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Make *temp, a name next to `path`: of its own length, appended to a long one it might not fit. It
 * names `unnamed`, which is returned, or if that is -1 a new file. -1, and errno: cannot be. */
static int create_beside(char **temp, const char *path, int unnamed)
{
    for (unsigned i = 0; i < 1000; i++) {
        if (asprintf(temp, "%.*s.tt-perf-%ld-%u.tmp", folder_len(path), path, (long)getpid(), i) <
            0)
            ttp_arena_oom();
        watch(*temp); /* before it exists: the name has our process id, so no other process makes it
                       */
        int fd = unnamed;
        if (unnamed < 0)
            fd = open(*temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        else if (linkat(AT_FDCWD, path_of(fd).text, AT_FDCWD, *temp, AT_SYMLINK_FOLLOW) < 0)
            fd = -1;
        if (fd >= 0)
            return fd;
        const int why = errno;
        forget(*temp);
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

    /* a pipe, a terminal, what /dev/fd has: the kernel knows where its links lead */
    if (stat(out->path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (!follow_links(&out->path))
        return -1;
    const bool exists = stat(out->path, &st) == 0;
    if (exists && !S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EACCES; /* the latter: only now */
        return -1;
    }
    if (exists && faccessat(AT_FDCWD, out->path, W_OK, AT_EACCESS) < 0)
        return -1;
    if (out->path[folder_len(out->path)] == '\0') { /* nothing that could be a file's name */
        errno = out->path[0] ? EISDIR : ENOENT;
        return -1;
    }
    int fd = create_unnamed(out->path);
    out->unnamed = fd >= 0;
    if (fd < 0)
        fd = create_beside(&out->temp, out->path, -1);
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

/* On the disk, as far as there is one: some file systems have nothing to sync. */
static bool sync_fd(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

/* So that after a power failure there is the old file or the whole new one, and the name too. */
static bool sync_folder(const char *path)
{
    char *folder = folder_of(path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    free(folder);
    if (fd < 0)
        return true; /* we may write there, but not look */
    const bool done = sync_fd(fd);
    const int why = errno;
    close(fd);
    errno = why;
    return done;
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

    const bool ours = f->unnamed || f->temp; /* not stdout or a device */
    const bool whole = !ours || sync_fd(f->fd);
    const bool named = whole && (!f->unnamed || create_beside(&f->temp, f->path, f->fd) >= 0);
    if (!named || !close_fd(f) || (f->temp && rename(f->temp, f->path) < 0)) {
        rc = fail_write(f->path, err);
    } else {
        forget(f->temp); /* it is the file now */
        free(f->temp);
        f->temp = NULL;
        if (ours && !sync_folder(f->path))
            rc = fail_write(f->path, err);
    }
    ttp_outfile_abort(f);
    return rc;
}

void ttp_outfile_abort(struct ttp_outfile *f)
{
    if (!f->path)
        return;
    (void)close_fd(f);
    if (f->temp) {
        unlink(f->temp);
        forget(f->temp);
    }
    free(f->temp);
    free(f->path);
    *f = (struct ttp_outfile){.fd = -1};
}
