/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - the folder of a session. */
#include <limits.h>
#include <unistd.h>

#include "base/file.h"
#include "tune/tuner.h"

/* Is there a .git here or above? Then git must work. */
static const char *find_above(const char *from, const char *name, struct ttp_arena *arena)
{
    char *dir = ttp_arena_zstr(arena, ttp_str_from(from));

    for (;;) {
        const char *path = ttp_file_join(*dir ? dir : "/", name, arena);

        if (ttp_tuner_there(path))
            return *dir ? dir : "/";
        char *slash = strrchr(dir, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
    }
}

/* `found`: the folder that has the .git. */
static ttp_code find_in_git(struct ttp_tune_place *out, const struct ttp_git *git,
                            const char *found, struct ttp_err *err)
{
    struct ttp_arena *arena = git->arena;
    ttp_str text;

    TTP_TRY(ttp_git_ask(&text, git, err, "rev-parse", "--show-toplevel", NULL));
    out->top = ttp_arena_zstr(arena, text);
    if (!ttp_file_is_same(out->top, found))
        return ttp_fail(err, TTP_EPARSE, "the working tree of '%.100s' is elsewhere: '%.100s'",
                        found, out->top);
    TTP_TRY(ttp_git_ask(&text, git, err, "rev-parse", "--show-prefix", NULL));
    out->prefix = ttp_arena_zstr(arena, text);
    TTP_TRY(ttp_git_ask(&text, git, err, "rev-parse", "--absolute-git-dir", NULL));
    out->state = ttp_file_join(ttp_arena_zstr(arena, text), "tt-perf/tune", arena);
    out->git = true;
    return TTP_OK;
}

ttp_code ttp_tune_find(struct ttp_tune_place *out, const char *state, struct ttp_signals *signals,
                       struct ttp_arena *arena, struct ttp_err *err)
{
    char here[PATH_MAX];

    *out = (struct ttp_tune_place){.prefix = ""};
    if (!getcwd(here, sizeof(here)))
        return ttp_fail_errno(err, "cannot determine the current folder");
    const char *found = find_above(here, ".git", arena);
    if (found) {
        const struct ttp_git git = {.dir = here, .signals = signals, .arena = arena};
        const ttp_code rc = find_in_git(out, &git, found, err);

        if (rc == TTP_EPARSE || rc == TTP_ENOTFOUND) {
            ttp_err_hint(err, "cannot use the .git in '%.100s': run 'git status' there", found);
            return TTP_ENOTFOUND;
        }
        TTP_TRY(rc);
    } else {
        const char *above = find_above(here, ".tt-perf/tune", arena);

        out->top = above ? above : ttp_arena_zstr(arena, ttp_str_from(here));
        out->state = ttp_file_join(out->top, ".tt-perf/tune", arena);
    }
    if (state) {
        out->state = state[0] == '/'
                         ? state
                         : ttp_file_join(ttp_arena_zstr(arena, ttp_str_from(here)), state, arena);
    }
    return TTP_OK;
}

const char *ttp_tune_best_folder(const struct ttp_tune_place *place,
                                 const struct ttp_tune_session *s, struct ttp_arena *arena)
{
    if (!place->git)
        return place->top;
    return ttp_file_join(ttp_file_join(place->state, "trees/best", arena), s->prefix, arena);
}
