/* SPDX-License-Identifier: Apache-2.0 */
/* fault_inject.c - preloaded into tt-perf by tests/faults.sh: counts its system calls and its
 * allocations, and lets one of them fail.
 *
 * TTP_FAULT_KIND   "calls" or "memory": which of the two is counted
 * TTP_FAULT_AT     the number of the one that fails, from 1; 0: none
 * TTP_FAULT_TURN   which of its errors: each call has several in turn
 * TTP_FAULT_LOG    a file that gets "fault NUMBER NAME ERROR", and "count NUMBER" at the end
 *
 * Counted is what is called between main() and the end, in whichever thread or forked child, by the
 * program or by a library; programs that it starts are left alone. The call is not made, except for
 * close(), which closes and reports a late failure of a write. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS, MEMORY };
enum { SHORT = -1 }; /* in place of an error: less than was asked for */

static atomic_ulong *count; /* shared with forked children: one fault in all */
static unsigned long fail_at;
static unsigned turn;
static int kind;
static char log_path[4096];
static volatile bool counting;

static void put_log(const char *text)
{
    const int saved = errno;
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, log_path,
                                O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    if (fd >= 0) {
        (void)!syscall(SYS_write, fd, text, strlen(text));
        syscall(SYS_close, fd);
    }
    errno = saved;
}

/* Is it the one? Then errno is set. `errors` ends with 0; SHORT is returned as it is. */
static int fails(int of, const char *name, const int *errors)
{
    char line[128];
    unsigned n = 0;

    if (!counting || of != kind)
        return 0;
    const unsigned long number = atomic_fetch_add(count, 1) + 1;
    if (number != fail_at)
        return 0;
    while (errors[n])
        n++;
    const int error = errors[turn % n];
    snprintf(line, sizeof(line), "fault %lu %s %s\n", number, name,
             error == SHORT ? "short" : strerrorname_np(error));
    put_log(line);
    if (error != SHORT)
        errno = error;
    return error;
}
#define FAILS(of, name, ...) fails(of, name, (const int[]){__VA_ARGS__, 0})

/* The function of that name after this library. */
#define NEXT(name)                                                                                 \
    static __typeof__(name) *next;                                                                 \
    if (!next)                                                                                     \
    next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define WRAP(type, name, params, args, failure, ...)                                               \
    type name params                                                                               \
    {                                                                                              \
        NEXT(name);                                                                                \
        return FAILS(CALLS, #name, __VA_ARGS__) ? failure : next args;                             \
    }

static void report(void)
{
    char line[64];

    if (!counting)
        return;
    counting = false;
    snprintf(line, sizeof(line), "count %lu\n", atomic_load(count));
    put_log(line);
}

static int (*program_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **env)
{
    atexit(report);
    counting = true;
    return program_main(argc, argv, env);
}

static unsigned long number_of(const char *name)
{
    const char *text = getenv(name);

    return text ? strtoul(text, NULL, 10) : 0;
}

int __libc_start_main(int (*main_fn)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *stack);
int __libc_start_main(int (*main_fn)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *stack)
{
    NEXT(__libc_start_main);
    const char *path = getenv("TTP_FAULT_LOG"), *of = getenv("TTP_FAULT_KIND");

    unsetenv("LD_PRELOAD");
    program_main = main_fn;
    if (!path || !of)
        return next(main_fn, argc, argv, init, fini, rtld_fini, stack);
    snprintf(log_path, sizeof(log_path), "%s", path);
    kind = strcmp(of, "memory") == 0 ? MEMORY : CALLS;
    fail_at = number_of("TTP_FAULT_AT");
    turn = (unsigned)number_of("TTP_FAULT_TURN");
    count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return next(counted_main, argc, argv, init, fini, rtld_fini, stack);
}

/* Files by name. */
static mode_t mode_of(int flags, va_list ap)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

#define WRAP_OPEN(name)                                                                            \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list ap;                                                                                \
        va_start(ap, flags);                                                                       \
        const mode_t mode = mode_of(flags, ap);                                                    \
        va_end(ap);                                                                                \
        NEXT(name);                                                                                \
        return FAILS(CALLS, #name, EMFILE, EIO, EACCES, EINTR) ? -1 : next(path, flags, mode);     \
    }
#define WRAP_OPENAT(name)                                                                          \
    int name(int at, const char *path, int flags, ...)                                             \
    {                                                                                              \
        va_list ap;                                                                                \
        va_start(ap, flags);                                                                       \
        const mode_t mode = mode_of(flags, ap);                                                    \
        va_end(ap);                                                                                \
        NEXT(name);                                                                                \
        return FAILS(CALLS, #name, EMFILE, EIO, EACCES, EINTR) ? -1 : next(at, path, flags, mode); \
    }
WRAP_OPEN(open)
WRAP_OPEN(open64)
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE, EIO)
WRAP(DIR *, opendir, (const char *path), (path), NULL, EMFILE, EACCES)
WRAP(DIR *, fdopendir, (int fd), (fd), NULL, EMFILE, EIO)
WRAP(struct dirent *, readdir, (DIR * dir), (dir), NULL, EIO)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, ENOSPC, EACCES)
WRAP(int, rmdir, (const char *path), (path), -1, EACCES, EIO)
WRAP(int, unlink, (const char *path), (path), -1, EIO, EACCES)
WRAP(int, remove, (const char *path), (path), -1, EIO)
WRAP(int, rename, (const char *from, const char *to), (from, to), -1, ENOSPC, EIO, EACCES)
WRAP(int, link, (const char *from, const char *to), (from, to), -1, ENOSPC, EIO)
WRAP(int, linkat, (int from_at, const char *from, int to_at, const char *to, int flags),
     (from_at, from, to_at, to, flags), -1, ENOSPC, EIO, ENOENT)
WRAP(int, symlink, (const char *target, const char *path), (target, path), -1, ENOSPC, EIO)
WRAP(char *, mkdtemp, (char *path), (path), NULL, ENOSPC, EACCES)
WRAP(int, mkostemp, (char *path, int flags), (path, flags), -1, EMFILE, ENOSPC)
WRAP(char *, realpath, (const char *path, char *out), (path, out), NULL, EIO, EACCES)
WRAP(char *, getcwd, (char *buf, size_t size), (buf, size), NULL, ENOENT, EACCES)
WRAP(ssize_t, readlink, (const char *path, char *buf, size_t size), (path, buf, size), -1, EIO,
     EACCES)
WRAP(int, stat, (const char *path, struct stat *st), (path, st), -1, EIO, EACCES)
WRAP(int, lstat, (const char *path, struct stat *st), (path, st), -1, EIO, EACCES)
WRAP(int, access, (const char *path, int mode), (path, mode), -1, EIO, EACCES)
WRAP(int, faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags), -1,
     EIO, EACCES)

/* Files that are open. */
WRAP(int, fstat, (int fd, struct stat *st), (fd, st), -1, EIO)
WRAP(int, fstatat, (int at, const char *path, struct stat *st, int flags), (at, path, st, flags),
     -1, EIO, EACCES)
WRAP(int, fsync, (int fd), (fd), -1, EIO, ENOSPC)
WRAP(int, fdatasync, (int fd), (fd), -1, EIO, ENOSPC)
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), -1, ENOSPC, EIO, EINTR)
WRAP(int, ftruncate64, (int fd, off64_t size), (fd, size), -1, ENOSPC, EIO)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), -1, EPERM)
WRAP(off_t, lseek, (int fd, off_t at, int whence), (fd, at, whence), -1, EIO)
WRAP(int, flock, (int fd, int how), (fd, how), -1, ENOLCK, EINTR)
WRAP(int, dup, (int fd), (fd), -1, EMFILE)
WRAP(int, dup2, (int fd, int to), (fd, to), -1, EMFILE, EINTR)
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, EMFILE, ENOMEM)

int close(int fd)
{
    NEXT(close);
    const int rc = next(fd);

    return FAILS(CALLS, "close", EIO, EINTR) ? -1 : rc;
}

#define WRAP_BYTES(name, params, args, size, ...)                                                  \
    ssize_t name params                                                                            \
    {                                                                                              \
        NEXT(name);                                                                                \
        const int error = FAILS(CALLS, #name, __VA_ARGS__);                                        \
        if (error == SHORT && size > 1)                                                            \
            size /= 2;                                                                             \
        return error && error != SHORT ? -1 : next args;                                           \
    }
WRAP_BYTES(read, (int fd, void *buf, size_t size), (fd, buf, size), size, EIO, SHORT, EINTR)
WRAP_BYTES(pread, (int fd, void *buf, size_t size, off_t at), (fd, buf, size, at), size, EIO, SHORT,
           EINTR)
WRAP_BYTES(pread64, (int fd, void *buf, size_t size, off64_t at), (fd, buf, size, at), size, EIO,
           SHORT, EINTR)
WRAP_BYTES(write, (int fd, const void *buf, size_t size), (fd, buf, size), size, ENOSPC, SHORT,
           EINTR, EIO)
WRAP_BYTES(pwrite, (int fd, const void *buf, size_t size, off_t at), (fd, buf, size, at), size,
           ENOSPC, SHORT, EINTR, EIO)
WRAP_BYTES(pwrite64, (int fd, const void *buf, size_t size, off64_t at), (fd, buf, size, at), size,
           ENOSPC, SHORT, EINTR, EIO)
WRAP_BYTES(recv, (int fd, void *buf, size_t size, int flags), (fd, buf, size, flags), size,
           ECONNRESET, SHORT, EINTR)
WRAP_BYTES(recvfrom,
           (int fd, void *buf, size_t size, int flags, struct sockaddr *from, socklen_t *len),
           (fd, buf, size, flags, from, len), size, ECONNREFUSED, EINTR)
WRAP_BYTES(send, (int fd, const void *buf, size_t size, int flags), (fd, buf, size, flags), size,
           EPIPE, SHORT, EINTR)

int fcntl(int fd, int what, ...)
{
    va_list ap;
    va_start(ap, what);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    NEXT(fcntl);
    return FAILS(CALLS, "fcntl", EMFILE, ENOLCK, EINTR) ? -1 : next(fd, what, arg);
}

int fcntl64(int fd, int what, ...)
{
    va_list ap;
    va_start(ap, what);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    NEXT(fcntl64);
    return FAILS(CALLS, "fcntl64", EMFILE, ENOLCK, EINTR) ? -1 : next(fd, what, arg);
}

/* Processes, threads and waiting. */
WRAP(pid_t, fork, (void), (), -1, EAGAIN, ENOMEM)
WRAP(int, execvp, (const char *file, char *const *argv), (file, argv), -1, EACCES, ENOMEM)
WRAP(int, execvpe, (const char *file, char *const *argv, char *const *env), (file, argv, env), -1,
     EACCES, ENOMEM)
WRAP(int, pipe2, (int fd[2], int flags), (fd, flags), -1, EMFILE, ENFILE)
WRAP(int, poll, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms), -1, EINTR, ENOMEM)
WRAP(int, ppoll, (struct pollfd * fds, nfds_t n, const struct timespec *t, const sigset_t *mask),
     (fds, n, t, mask), -1, EINTR, ENOMEM)
WRAP(pid_t, waitpid, (pid_t pid, int *status, int how), (pid, status, how), -1, EINTR)
WRAP(pid_t, wait4, (pid_t pid, int *status, int how, struct rusage *use), (pid, status, how, use),
     -1, EINTR)
WRAP(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int how), (type, id, info, how), -1,
     EINTR)
WRAP(int, signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags), -1, EMFILE)

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attr, char *const *argv, char *const *env)
{
    NEXT(posix_spawn);
    const int error = FAILS(CALLS, "posix_spawn", EAGAIN, ENOMEM);

    return error ? error : next(pid, path, actions, attr, argv, env);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    NEXT(pthread_create);
    const int error = FAILS(CALLS, "pthread_create", EAGAIN);

    return error ? error : next(thread, attr, run, arg);
}

/* Sockets. */
WRAP(int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1, EMFILE,
     EACCES)
WRAP(int, bind, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n), -1, EADDRINUSE, EACCES)
WRAP(int, listen, (int fd, int n), (fd, n), -1, EADDRINUSE)
WRAP(int, connect, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n), -1, ECONNREFUSED,
     ENETUNREACH, EINTR)
WRAP(int, accept4, (int fd, struct sockaddr *a, socklen_t *n, int flags), (fd, a, n, flags), -1,
     EMFILE, ECONNABORTED, EINTR)
WRAP(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t n),
     (fd, level, name, value, n), -1, ENOMEM)
WRAP(int, getsockname, (int fd, struct sockaddr *a, socklen_t *n), (fd, a, n), -1, ENOBUFS)

/* Memory. A mapping of a file is a system call, any other an allocation. */
#define WRAP_MEMORY(name, params, args)                                                            \
    void *name params                                                                              \
    {                                                                                              \
        NEXT(name);                                                                                \
        return FAILS(MEMORY, #name, ENOMEM) ? NULL : next args;                                    \
    }
WRAP_MEMORY(malloc, (size_t size), (size))
WRAP_MEMORY(realloc, (void *old, size_t size), (old, size))
WRAP_MEMORY(aligned_alloc, (size_t align, size_t size), (align, size))

/* dlsym() itself may ask for memory before it has found the function. */
void *calloc(size_t n, size_t size)
{
    static _Alignas(64) char first[4096];
    static size_t used;
    static bool looking;
    static __typeof__(calloc) *next;

    if (looking) {
        void *p = first + used;
        used += (n * size + 63) & ~(size_t)63;
        return used <= sizeof(first) ? p : NULL;
    }
    if (!next) {
        looking = true;
        next = (__typeof__(calloc) *)dlsym(RTLD_NEXT, "calloc");
        looking = false;
    }
    return FAILS(MEMORY, "calloc", ENOMEM) ? NULL : next(n, size);
}

#define WRAP_MMAP(name)                                                                            \
    void *name(void *addr, size_t size, int prot, int flags, int fd, off_t at)                     \
    {                                                                                              \
        NEXT(name);                                                                                \
        return FAILS(flags & MAP_ANONYMOUS ? MEMORY : CALLS, #name, ENOMEM)                        \
                   ? MAP_FAILED                                                                    \
                   : next(addr, size, prot, flags, fd, at);                                        \
    }
WRAP_MMAP(mmap)
WRAP_MMAP(mmap64)
WRAP(int, munmap, (void *addr, size_t size), (addr, size), -1, ENOMEM)

void *mremap(void *old, size_t from, size_t to, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    void *at = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
    va_end(ap);
    NEXT(mremap);
    return FAILS(MEMORY, "mremap", ENOMEM) ? MAP_FAILED : next(old, from, to, flags, at);
}
