/* SPDX-License-Identifier: Apache-2.0 */
/* child.h - run a command, wait for it, keep what it prints.
 *
 * The command gets its argument vector untouched, a process group of its own and no standard input.
 * One thread at a time. */
#ifndef TTP_BASE_CHILD_H
#define TTP_BASE_CHILD_H

#include <signal.h>

#include "base/arena.h"
#include "base/err.h"

/* The signals that would end us (INT, TERM, HUP, QUIT) are held back between open and close: they
 * end the command that runs instead, and are then in `caught`. */
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
/* Our environment with these "NAME=VALUE" in place of what it has of those names; the last of a
 * name counts. NULL at the end, in the arena. */
const char **ttp_child_environment(const struct ttp_words *set, struct ttp_arena *arena);

enum ttp_child_end {
    TTP_CHILD_EXITED,   /* `code`: its exit status */
    TTP_CHILD_SIGNALED, /* `code`: the signal that ended it */
    TTP_CHILD_TIMED_OUT,
    TTP_CHILD_INTERRUPTED, /* `code`: the signal that we got, and ended it for */
};

/* Of each stream the last this many bytes are kept. */
#define TTP_CHILD_KEPT ((size_t)16 << 20)

struct ttp_child {
    enum ttp_child_end end;
    int code;
    int64_t start_ns;            /* since 1970, UTC */
    uint64_t wall_ns;            /* from before it is made until its end is known */
    uint64_t user_ns, system_ns; /* of itself and what it waited for */
    uint64_t max_rss_kb;
    ttp_str printed, errors; /* standard output and error, in the arena */
    bool cut;                /* they were longer */
};

struct ttp_child_options {
    const char *path;                     /* from ttp_child_find() */
    const char *const *argv, *const *env; /* NULL at the end */
    const char *dir;                      /* it runs there; NULL: where we are */
    double timeout_s;        /* then SIGTERM, two seconds later SIGKILL, to its group; 0: never */
    bool show;               /* what it prints goes to our standard error too */
    void (*tick)(void *arg); /* called about every `tick_ns` while it runs; NULL: not */
    void *tick_arg;
    uint64_t tick_ns;
};

/* TTP_EIO: it could not be started. However it ended is TTP_OK. */
TTP_NODISCARD ttp_code ttp_child_run(struct ttp_child *out, const struct ttp_child_options *options,
                                     struct ttp_signals *signals, struct ttp_arena *arena,
                                     struct ttp_err *err);

#endif
