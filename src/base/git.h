/* SPDX-License-Identifier: Apache-2.0 */
/* git.h - queries and commands for git, under the contract of child.h.
 *
 * git works on the repository of the folder it runs in, whatever the environment says: the
 * variables of `git rev-parse --local-env-vars`, which a hook has, do not reach it. It never runs
 * hooks, a file system monitor or a pager. A query also runs no filters of the repository's
 * configuration, verifies no signatures and fetches nothing. The user's safe.directory applies. */
#ifndef TTP_BASE_GIT_H
#define TTP_BASE_GIT_H

#include "base/child.h"

/* Seconds that a question may take by default. */
#define TTP_GIT_TIMEOUT_S 20

struct ttp_git {
    const char *dir;             /* it runs there; NULL: where we are */
    const char *index;           /* this index file; NULL: its own */
    const char *input;           /* this file is its standard input; NULL: none */
    const struct ttp_words *set; /* variables besides; NULL: none */
    bool writes;                 /* files are checked in or out: the user's filters run */
    double timeout_s;            /* 0: TTP_GIT_TIMEOUT_S */
    struct ttp_signals *signals;
    struct ttp_arena *arena;
};

/* What git prints, in the arena, the last line end removed. TTP_EPARSE: git failed; the text is its
 * message. TTP_EIO: a system error of git, such as a full disk, or we were interrupted.
 * TTP_ENOTFOUND: no git. TTP_ETIMEOUT. TTP_ELIMIT: more than TTP_CHILD_LIMIT. */
TTP_NODISCARD ttp_code ttp_git_ask(ttp_str *out, const struct ttp_git *git, struct ttp_err *err,
                                   ...); /* words of its command line, NULL at the end */
TTP_NODISCARD ttp_code ttp_git_do(const struct ttp_git *git, struct ttp_err *err, ...);
/* The names that git prints with "-z". TTP_EPARSE also: the last one has no end, or one would lead
 * out of the tree. */
TTP_NODISCARD ttp_code ttp_git_names(struct ttp_words *out, const struct ttp_git *git,
                                     struct ttp_err *err, ...);

/* The folders of submodules that the index of a working tree has, from its top, where it runs. */
TTP_NODISCARD ttp_code ttp_git_submodules(struct ttp_words *out, const struct ttp_git *git,
                                          struct ttp_err *err);
/* A file that differs from the last commit; *out is NULL if none does. Those of submodules are not
 * looked at. A file with a filter, whose time or size is not what git remembers, counts as
 * edited: only running the filter could tell. */
TTP_NODISCARD ttp_code ttp_git_edited(const char **out, const struct ttp_git *git, bool untracked,
                                      struct ttp_err *err);

struct ttp_git_state {
    bool known;
    ttp_str commit, branch; /* branch empty: detached */
    ttp_str commit_time;    /* ISO 8601 */
    ttp_str repository;     /* name of its folder */
    bool dirty;             /* tracked files differ from the commit */
};
/* What git reports about the current folder; unknown without git or a repository. */
void ttp_git_state(struct ttp_git_state *out, struct ttp_signals *signals, struct ttp_arena *arena);
/* The commit that git calls `ref`: its hash and its time as `format`, "--format=%H%n" and how the
 * time is written, has them. False: none. */
bool ttp_git_commit(ttp_str *commit, ttp_str *time, const struct ttp_git *git, const char *ref,
                    const char *format);

/* Is it one of the variables that bind git to a repository? For user commands that run in another
 * one. */
bool ttp_git_is_local_variable(ttp_str name);

#endif
