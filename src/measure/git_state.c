/* SPDX-License-Identifier: Apache-2.0 */
/* git_state.c - which state of the code was measured; git itself knows best. */
#include "measure/measure.h"

#define GIT_TIMEOUT_S 20

/* What git prints, its last line end removed; ptr NULL: it failed. */
static ttp_str ask(const char *const *argv, struct ttp_signals *signals, struct ttp_arena *arena)
{
    const struct ttp_words none = {0};
    const char **env = ttp_child_environment(&none, arena);
    struct ttp_child_options o = {.argv = argv, .env = env, .timeout_s = GIT_TIMEOUT_S};
    struct ttp_child c;

    if (ttp_child_find(&o.path, argv[0], env, arena, NULL) != TTP_OK ||
        ttp_child_run(&c, &o, signals, arena, NULL) != TTP_OK || c.end != TTP_CHILD_EXITED ||
        c.code != 0)
        return (ttp_str){0};
    return c.printed.len ? ttp_str_trim(c.printed) : TTP_STR("");
}

void ttp_git_state(struct ttp_git_state *out, struct ttp_signals *signals, struct ttp_arena *arena)
{
    static const char *const head[] = {"git", "log", "-1", "--format=%H%n%cI", NULL};
    static const char *const branch[] = {"git", "symbolic-ref", "-q", "--short", "HEAD", NULL};
    static const char *const top[] = {"git", "rev-parse", "--show-toplevel", NULL};
    static const char *const status[] = {"git",         "--no-optional-locks",  "status",
                                         "--porcelain", "--untracked-files=no", NULL};

    *out = (struct ttp_git_state){0};
    ttp_str rest = ask(head, signals, arena);
    if (!ttp_str_next_line(&rest, &out->commit) || !ttp_str_next_line(&rest, &out->commit_time))
        return;
    out->known = true;
    out->branch = ask(branch, signals, arena);
    const ttp_str folder = ask(top, signals, arena);
    size_t slash = folder.len;
    while (slash > 0 && folder.ptr[slash - 1] != '/')
        slash--;
    out->repository = ttp_str_slice(folder, slash, folder.len);
    out->dirty = ask(status, signals, arena).len > 0;
}
