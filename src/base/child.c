/* SPDX-License-Identifier: Apache-2.0 */
/* One loop waits for everything: output, exit, signals, the time limit, the next tick. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define SECOND_NS 1000000000u
#define GRACE_NS  (2 * (uint64_t)SECOND_NS) /* from SIGTERM to SIGKILL */
#define LOOK_NS   10000000u                 /* between checks of a group that should end */
/* Reads in a row: one that prints without end must not keep us from the clock and from signals. */
#define READS_MAX 64
#define FIRST_FD  3 /* after input, output and errors */

/* ---- signals ---- */

ttp_code ttp_signals_open(struct ttp_signals *out, struct ttp_err *err)
{
    sigset_t set;

    *out = (struct ttp_signals){.fd = -1};
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &set, &out->before) < 0)
        return ttp_fail_errno(err, "cannot block signals");
    out->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (out->fd >= 0)
        return TTP_OK;
    const ttp_code rc = ttp_fail_errno(err, "cannot watch for signals");
    sigprocmask(SIG_SETMASK, &out->before, NULL);
    return rc;
}

/* The newest that is not about a child; 0: none. */
static int read_signals(struct ttp_signals *s)
{
    struct signalfd_siginfo info;
    int got = 0;

    while (read(s->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        if (info.ssi_signo != SIGCHLD)
            got = (int)info.ssi_signo;
    if (got && !s->caught)
        s->caught = got;
    return got;
}

int ttp_signals_check(struct ttp_signals *s)
{
    read_signals(s);
    return s->caught;
}

void ttp_signals_close(struct ttp_signals *s)
{
    if (s->fd < 0)
        return;
    close(s->fd);
    s->fd = -1;
    sigprocmask(SIG_SETMASK, &s->before, NULL);
}

/* ---- what to run ---- */

int32_t ttp_child_own_pid(void)
{
    return (int32_t)getpid();
}

static ttp_str value_of(const char *const *env, ttp_str name)
{
    for (; *env; env++) {
        const ttp_str one = ttp_str_from(*env);

        if (ttp_str_starts(one, name) && one.len > name.len && one.ptr[name.len] == '=')
            return ttp_str_slice(one, name.len + 1, one.len);
    }
    return (ttp_str){0};
}

static bool executable(const char *path, bool *there)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return false;
    *there = true;
    return S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

ttp_code ttp_child_find(const char **out, const char *name, const char *const *env,
                        struct ttp_arena *arena, struct ttp_err *err)
{
    ttp_str rest = value_of(env, TTP_STR("PATH"));
    const ttp_str word = ttp_str_from(name);
    bool there = false, more = true;

    if (ttp_str_find_char(word, '/') != TTP_NPOS) {
        *out = name;
        if (executable(name, &there))
            return TTP_OK;
        more = false;
    }
    if (!rest.ptr)
        rest = TTP_STR("/bin:/usr/bin");
    while (more && word.len) {
        const size_t colon = ttp_str_find_char(rest, ':');
        const ttp_str dir = ttp_str_slice(rest, 0, colon);
        char *path = ttp_arena_bytes(arena, dir.len + word.len + 3);

        memcpy(path, dir.len ? dir.ptr : ".", dir.len ? dir.len : 1);
        path[dir.len ? dir.len : 1] = '/';
        memcpy(path + (dir.len ? dir.len : 1) + 1, word.ptr, word.len + 1);
        *out = path;
        if (executable(path, &there))
            return TTP_OK;
        more = colon != TTP_NPOS;
        rest = ttp_str_slice(rest, colon + 1, rest.len);
    }
    if (there)
        return ttp_fail(err, TTP_EIO, "'%.200s' is not an executable file", name);
    return ttp_fail(err, TTP_ENOTFOUND, "command '%.200s' not found", name);
}

static bool same_name(const char *a, const char *b)
{
    const ttp_str x = ttp_str_from(a), y = ttp_str_from(b);
    const size_t end = ttp_str_find_char(x, '=');

    return end != TTP_NPOS && end == ttp_str_find_char(y, '=') &&
           ttp_str_eq(ttp_str_slice(x, 0, end), ttp_str_slice(y, 0, end));
}

const char **ttp_child_environment_without(bool (*leave_out)(ttp_str name),
                                           const struct ttp_words *set, struct ttp_arena *arena)
{
    size_t n = 0, ours = 0;

    while (environ[ours])
        ours++;
    const char **env = TTP_NEW(arena, const char *, ours + set->count + 1);
    for (size_t i = 0; i < ours; i++) {
        const ttp_str one = ttp_str_from(environ[i]);

        if (!leave_out || !leave_out(ttp_str_slice(one, 0, ttp_str_find_char(one, '='))))
            env[n++] = environ[i];
    }
    for (size_t i = 0; i < set->count; i++) {
        size_t at = 0;

        while (at < n && !same_name(env[at], set->word[i]))
            at++;
        env[at] = set->word[i];
        n += at == n;
    }
    return env;
}

const char **ttp_child_environment(const struct ttp_words *set, struct ttp_arena *arena)
{
    return ttp_child_environment_without(NULL, set, arena);
}

/* ---- output ---- */

struct stream {
    int fd;   /* -1: at its end */
    int lost; /* why the rest could not be read; 0: it was */
    char *buf;
    size_t len, cap;
    size_t limit; /* of all of it; with `tail`: of what is kept */
    bool tail;
    bool cut, over; /* by `tail`; by the limit */
};

/* Room for more; where only the end is wanted the older half goes. */
static void make_room(struct stream *s, struct ttp_arena *arena)
{
    if (s->len < s->cap)
        return;
    if (s->cap > s->limit && !s->tail) {
        s->over = true;
        s->len = 0; /* whoever gets none of it need not keep it */
        return;
    }
    if (s->cap >= s->limit && s->tail) {
        memmove(s->buf, s->buf + s->cap / 2, s->cap - s->cap / 2);
        s->len = s->cap - s->cap / 2;
        s->cut = true;
        return;
    }
    s->cap = s->cap ? s->cap * 2 : (size_t)4 << 10;
    if (s->cap > s->limit) /* the one more tells that there is more */
        s->cap = s->limit + !s->tail;
    s->buf = ttp_arena_resize(arena, s->buf, s->cap);
}

/* Until nothing is there for now, or there was much. True: perhaps there is more. */
static bool drain(struct stream *s, bool show, struct ttp_arena *arena)
{
    for (size_t i = 0; s->fd >= 0 && i < READS_MAX; i++) {
        make_room(s, arena);
        const ssize_t n = read(s->fd, s->buf + s->len, s->cap - s->len);

        if (n > 0) {
            if (show) {
                const ssize_t shown = write(STDERR_FILENO, s->buf + s->len, (size_t)n);
                (void)shown; /* for human readers's eyes only */
            }
            s->len += (size_t)n;
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            s->lost = n < 0 ? errno : 0;
            close(s->fd);
            s->fd = -1;
        } else if (errno == EAGAIN) {
            return false;
        }
    }
    return s->fd >= 0;
}

/* All that a command which has ended left in the pipe. A process that it started may continue
 * writing: at its end there was at most as much as a pipe holds. */
static void drain_rest(struct stream *s, bool show, struct ttp_arena *arena)
{
    const size_t most = (size_t)4 << 20; /* a pipe as large as the system ever makes one */
    size_t taken = 0, before;

    do {
        before = s->len;
        if (!drain(s, show, arena))
            return;
        taken += s->len > before ? s->len - before : 1;
    } while (taken < most && !s->over);
}

/* ---- the run ---- */

struct running {
    const struct ttp_child_options *options;
    struct ttp_signals *signals;
    struct ttp_arena *arena;
    pid_t pid;
    struct stream printed, errors;
    uint64_t start_ns, limit_ns, kill_ns, tick_ns; /* moments; UINT64_MAX: never */
    bool ended, timed_out, interrupted, over;
    int status;
    struct rusage usage;
    uint64_t end_ns;
};

static void stop(struct running *r, int signo)
{
    const bool again = r->kill_ns != UINT64_MAX;

    kill(-r->pid, again ? SIGKILL : signo);
    if (!again)
        r->kill_ns = ttp_clock_ns() + GRACE_NS;
}

static void reap(struct running *r)
{
    pid_t got;

    do /* the signal of its end will not come again */
        got = wait4(r->pid, &r->status, WNOHANG, &r->usage);
    while (got < 0 && errno == EINTR);
    if (got == r->pid || got < 0) {
        r->end_ns = ttp_clock_ns();
        r->ended = true;
    }
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void watch_clock(struct running *r)
{
    const uint64_t now = ttp_clock_ns();

    if (now >= r->limit_ns) {
        r->timed_out = true;
        r->limit_ns = UINT64_MAX;
        stop(r, SIGTERM);
    }
    if (now >= r->kill_ns) {
        kill(-r->pid, SIGKILL);
        r->kill_ns = now + GRACE_NS;
    }
    if (r->options->tick && now >= r->tick_ns) {
        r->options->tick(r->options->tick_arg);
        r->tick_ns = ttp_clock_ns() + r->options->tick_ns;
    }
}

static void wait_for_end(struct running *r)
{
    while (!r->ended) {
        struct pollfd fds[] = {{.fd = r->signals->fd, .events = POLLIN},
                               {.fd = r->printed.fd, .events = POLLIN},
                               {.fd = r->errors.fd, .events = POLLIN}};
        const uint64_t next = earliest(r->limit_ns, earliest(r->kill_ns, r->tick_ns));
        const uint64_t now = ttp_clock_ns(), left = next > now ? next - now : 0;
        const struct timespec pause = {(time_t)(left / SECOND_NS), (long)(left % SECOND_NS)};

        ppoll(fds, TTP_COUNT(fds), next == UINT64_MAX ? NULL : &pause, NULL);
        if (fds[0].revents) {
            const int signo = read_signals(r->signals);

            reap(r);
            if (signo && !r->ended) {
                r->interrupted = true;
                stop(r, signo);
            }
        }
        if (fds[1].revents)
            (void)drain(&r->printed, r->options->show, r->arena);
        if (fds[2].revents)
            (void)drain(&r->errors, r->options->show, r->arena);
        if (!r->ended && !r->over && (r->printed.over || r->errors.over)) {
            r->over = true;
            stop(r, SIGTERM);
        }
        if (!r->ended)
            watch_clock(r);
    }
}

/* Of a command that had to be ended, the rest of its group must end too. */
static void end_group(struct running *r)
{
    const struct timespec pause = {0, LOOK_NS};

    if (r->kill_ns == UINT64_MAX)
        return;
    while (kill(-r->pid, 0) == 0 && ttp_clock_ns() < r->kill_ns)
        nanosleep(&pause, NULL);
    kill(-r->pid, SIGKILL);
}

static ttp_code open_pipe(struct stream *s, int *theirs, struct ttp_err *err)
{
    int fd[2];

    if (pipe2(fd, O_CLOEXEC) < 0)
        return ttp_fail_errno(err, "cannot make a pipe");
    s->fd = fd[0];
    *theirs = fd[1];
    /* whoever started us may have closed a standard stream: the pipe must not take its number,
     * which the command's own stream will have */
    if (fd[1] < FIRST_FD) {
        *theirs = fcntl(fd[1], F_DUPFD_CLOEXEC, FIRST_FD);
        close(fd[1]);
    }
    if (*theirs < 0 || fcntl(s->fd, F_SETFL, O_NONBLOCK) < 0)
        return ttp_fail_errno(err, "cannot make a pipe");
    return TTP_OK;
}

/* The same pointers: posix_spawn() writes to nothing, its prototype is older than const. */
static char **without_const(const char *const *words, struct ttp_arena *arena)
{
    size_t n = 0;

    while (words[n])
        n++;
    char **same = TTP_NEW(arena, char *, n + 1);
    memcpy(same, words, n * sizeof(*same));
    return same;
}

/* The command in the form of posix_spawn(): it shares our memory until it executes, so that
 * making it takes as long from a large process as from a small one. */
static int spawn(struct running *r, const int theirs[2])
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t usual;
    char **argv = without_const(r->options->argv, r->arena),
         **env = without_const(r->options->env, r->arena);

    posix_spawn_file_actions_init(&files);
    /* each asks for memory; without one of them the command would write elsewhere */
    int rc = r->options->dir ? posix_spawn_file_actions_addchdir_np(&files, r->options->dir) : 0;
    if (rc == 0)
        rc = posix_spawn_file_actions_addopen(
            &files, STDIN_FILENO, r->options->input ? r->options->input : "/dev/null", O_RDONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&files, theirs[0], STDOUT_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&files, theirs[1], STDERR_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_addclosefrom_np(&files, FIRST_FD);
    posix_spawnattr_init(&how);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setsigmask(&how, &r->signals->before);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSIGDEF);

    r->start_ns = ttp_clock_ns();
    if (rc == 0)
        rc = posix_spawn(&r->pid, r->options->path, &files, &how, argv, env);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

static uint64_t as_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_usec * 1000;
}

static void fill(struct ttp_child *out, const struct running *r)
{
    out->end = TTP_CHILD_EXITED;
    out->code = WEXITSTATUS(r->status);
    if (r->interrupted) {
        out->end = TTP_CHILD_INTERRUPTED;
        out->code = r->signals->caught;
    } else if (r->timed_out) {
        out->end = TTP_CHILD_TIMED_OUT;
    } else if (WIFSIGNALED(r->status)) {
        out->end = TTP_CHILD_SIGNALED;
        out->code = WTERMSIG(r->status);
    }
    out->wall_ns = r->end_ns - r->start_ns;
    out->user_ns = as_ns(r->usage.ru_utime);
    out->system_ns = as_ns(r->usage.ru_stime);
    out->max_rss_kb = (uint64_t)r->usage.ru_maxrss;
    out->printed = (ttp_str){r->printed.buf, r->printed.len};
    out->errors = (ttp_str){r->errors.buf, r->errors.len};
    out->cut = r->printed.cut || r->errors.cut;
}

ttp_code ttp_child_run(struct ttp_child *out, const struct ttp_child_options *options,
                       struct ttp_signals *signals, struct ttp_arena *arena, struct ttp_err *err)
{
    const size_t limit = options->tail    ? 2 * TTP_CHILD_TAIL
                         : options->limit ? options->limit
                                          : TTP_CHILD_LIMIT;
    struct running r = {.options = options,
                        .signals = signals,
                        .arena = arena,
                        .printed = {.fd = -1, .limit = limit, .tail = options->tail},
                        .errors = {.fd = -1, .limit = limit, .tail = options->tail},
                        .limit_ns = UINT64_MAX,
                        .kill_ns = UINT64_MAX,
                        .tick_ns = UINT64_MAX};
    int theirs[2] = {-1, -1};

    *out = (struct ttp_child){.start_ns = ttp_clock_unix_ns()};
    ttp_code rc = open_pipe(&r.printed, &theirs[0], err);
    if (rc == TTP_OK)
        rc = open_pipe(&r.errors, &theirs[1], err);
    if (rc == TTP_OK) {
        errno = spawn(&r, theirs);
        out->not_executable = errno == ENOENT || errno == EACCES || errno == ENOEXEC ||
                              errno == ENOTDIR || errno == ELOOP || errno == EPERM ||
                              errno == ETXTBSY || errno == E2BIG;
        if (errno)
            rc = ttp_fail_errno(err, "cannot execute '%.200s'", options->path);
    }
    for (size_t i = 0; i < 2; i++)
        if (theirs[i] >= 0)
            close(theirs[i]);
    if (rc == TTP_OK) {
        if (options->timeout_s > 0)
            r.limit_ns = r.start_ns + (uint64_t)(options->timeout_s * 1e9);
        if (options->tick)
            r.tick_ns = r.start_ns + options->tick_ns;
        wait_for_end(&r);
        end_group(&r);
        /* remaining processes of its group may hold the pipes open: read the data that has arrived
         */
        drain_rest(&r.printed, options->show, arena);
        drain_rest(&r.errors, options->show, arena);
        fill(out, &r);
        if (r.printed.over || r.errors.over)
            rc = ttp_fail(err, TTP_ELIMIT, "'%.200s' printed more than %zu bytes", options->argv[0],
                          limit);
        errno = r.printed.lost ? r.printed.lost : r.errors.lost;
        if (errno)
            rc = ttp_fail_errno(err, "cannot read the output of '%.200s'", options->path);
    }
    if (r.printed.fd >= 0)
        close(r.printed.fd);
    if (r.errors.fd >= 0)
        close(r.errors.fd);
    return rc;
}
