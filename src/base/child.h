/* SPDX-License-Identifier: Apache-2.0 */
/* child.h - run a command, wait for it, keep what it prints.
 *
 * The contract for every command:
 * - it gets its argument vector unchanged, its own process group, standard input from /dev/null or
 * a file, and none of our descriptors except its two pipes;
 * - all its output is kept, or the call fails (TTP_ELIMIT), unless the caller asks only for the end
 * of it;
 * - at its deadline, or when a signal ends us, its whole group gets SIGTERM (or that signal), and
 *   SIGKILL two seconds later, also if the command itself has ended by then.
 * One thread at a time. */
#ifndef TTP_BASE_CHILD_H
#define TTP_BASE_CHILD_H

#include <signal.h>

#include "base/arena.h"
#include "base/err.h"

/* The signals that would end us (INT, TERM, HUP, QUIT) are blocked between open and close: they end
 * the running command instead, and are then in `caught`. */
struct ttp_signals {
    int fd;
    int caught; /* the first one; 0: none */
    sigset_t before;
};
TTP_NODISCARD ttp_code ttp_signals_open(struct ttp_signals *out, struct ttp_err *err);
/* Has one come while no command ran? Updates `caught`. */
int ttp_signals_check(struct ttp_signals *s);
void ttp_signals_close(struct ttp_signals *s);

/* Our own process id: commands are its children. */
int32_t ttp_child_own_pid(void);

/* Where execvp would find `name`, with the PATH of `env` (NULL at the end): in the arena, or as it
 * is if it has a '/'. TTP_ENOTFOUND: nowhere. TTP_EIO: there, but may not be executed. */
TTP_NODISCARD ttp_code ttp_child_find(const char **out, const char *name, const char *const *env,
                                      struct ttp_arena *arena, struct ttp_err *err);
/* Our environment with these "NAME=VALUE" replacing variables of those names; the last of a name
 * counts. NULL at the end, in the arena. */
const char **ttp_child_environment(const struct ttp_words *set, struct ttp_arena *arena);
/* The same without the variables of ours that `leave_out` picks by name. */
const char **ttp_child_environment_without(bool (*leave_out)(ttp_str name),
                                           const struct ttp_words *set, struct ttp_arena *arena);

enum ttp_child_end {
    TTP_CHILD_EXITED,   /* `code`: its exit status */
    TTP_CHILD_SIGNALED, /* `code`: the signal that ended it */
    TTP_CHILD_TIMED_OUT,
    TTP_CHILD_INTERRUPTED, /* `code`: the signal that we got and passed on */
};

/* What each stream may print by default. */
#define TTP_CHILD_LIMIT ((size_t)512 << 20)
/* At least this much of the end of each stream is kept if only the end is wanted. */
#define TTP_CHILD_TAIL ((size_t)64 << 10)

struct ttp_child {
    enum ttp_child_end end;
    int code;
    int64_t start_ns;            /* since 1970, UTC */
    uint64_t wall_ns;            /* from before it is made until its end is known */
    uint64_t user_ns, system_ns; /* of itself and what it waited for */
    uint64_t max_rss_kb;
    bool not_executable;     /* with TTP_EIO: the reason, unless the system failed */
    ttp_str printed, errors; /* standard output and error, in the arena */
    bool cut;                /* only the end was wanted, and they were longer */
};

struct ttp_child_options {
    const char *path;                     /* from ttp_child_find() */
    const char *const *argv, *const *env; /* NULL at the end */
    const char *dir;                      /* it runs there; NULL: where we are */
    const char *input;                    /* this file is its standard input; NULL: /dev/null */
    double timeout_s;                     /* its deadline; 0: none */
    size_t limit;                         /* bytes of each stream; 0: TTP_CHILD_LIMIT */
    bool tail;               /* only the end of each stream is wanted: there is no limit */
    bool show;               /* what it prints goes to our standard error too */
    void (*tick)(void *arg); /* called about every `tick_ns` while it runs; NULL: not */
    void *tick_arg;
    uint64_t tick_ns;
};

/* TTP_EIO: it could not be started. TTP_ELIMIT: it printed more than the limit, and was ended.
 * Any other end is TTP_OK. */
TTP_NODISCARD ttp_code ttp_child_run(struct ttp_child *out, const struct ttp_child_options *options,
                                     struct ttp_signals *signals, struct ttp_arena *arena,
                                     struct ttp_err *err);

#endif
