/* SPDX-License-Identifier: Apache-2.0 */
/* outfile.c - files that are written beside their place and renamed into it.
 *
 * Where the file system can, they have no name until they are whole, and a kill leaves nothing.
 * Elsewhere a signal that ends the program would leave the one beside it. So their names are in a
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
    /* the lock stays: what is made from now on would be left behind */
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
        ttp_err_hint(err, "its folder does not exist: make it with 'mkdir -p', or name another");
    if (is_folder)
        ttp_err_hint(err, "name a file in it");
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
    char *folder;

    if (asprintf(&folder, "%.*s.", folder_len(path), path) < 0)
        ttp_arena_oom();
    int fd = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    free(folder);
    if (fd >= 0 && faccessat(AT_FDCWD, path_of(fd).text, F_OK, 0) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Make *temp, a name beside `path`: of its own length, appended to a long one it might not fit. It
 * names `unnamed`, which is returned, or if that is -1 a new file. -1, and errno: cannot be. */
static int create_beside(char **temp, const char *path, int unnamed)
{
    for (unsigned i = 0; i < 1000; i++) {
        if (asprintf(temp, "%.*s.tt-perf-%ld-%u.tmp", folder_len(path), path, (long)getpid(), i) <
            0)
            ttp_arena_oom();
        watch(*temp); /* before it exists: the name has our number, so nobody else makes it */
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

    const bool named = !f->unnamed || create_beside(&f->temp, f->path, f->fd) >= 0;
    if (!named || !close_fd(f) || (f->temp && rename(f->temp, f->path) < 0)) {
        rc = fail_write(f->path, err);
    } else {
        forget(f->temp); /* it is the file now */
        free(f->temp);
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
    if (f->temp) {
        unlink(f->temp);
        forget(f->temp);
    }
    free(f->temp);
    free(f->path);
    *f = (struct ttp_outfile){.fd = -1};
}
