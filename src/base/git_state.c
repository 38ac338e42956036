/* SPDX-License-Identifier: Apache-2.0 */
/* git_state.c - the state of the code that was measured, from git. */
#include "base/file.h"
#include "base/git.h"

/* Far more than anyone has. */
#define SUBMODULES_MAX 1000

/* Does a tracked file of the working tree differ from its commit, or one of its submodules'? Those
 * found are searched in turn. */
static bool is_edited(const struct ttp_git *git, const char *top)
{
    struct ttp_words folders = {0};

    ttp_words_add(&folders, top, git->arena);
    for (size_t i = 0; i < folders.count && i < SUBMODULES_MAX; i++) {
        struct ttp_git inside = *git;
        struct ttp_words found;
        const char *edited;

        inside.dir = folders.word[i];
        if (ttp_git_edited(&edited, &inside, false, NULL) == TTP_OK && edited)
            return true;
        if (!ttp_file_exists(ttp_file_join(inside.dir, ".gitmodules", git->arena)) ||
            ttp_git_submodules(&found, &inside, NULL) != TTP_OK)
            continue;
        for (size_t k = 0; k < found.count; k++) {
            const char *folder = ttp_file_join(inside.dir, found.word[k], git->arena);
            const char *own = ttp_file_join(folder, ".git", git->arena);

            if (ttp_file_exists(own) || ttp_file_is_dir(own))
                ttp_words_add(&folders, folder, git->arena);
        }
    }
    return false;
}

bool ttp_git_commit(ttp_str *commit, ttp_str *time, const struct ttp_git *git, const char *ref,
                    const char *format)
{
    ttp_str rest, line;

    /* not `log`, which may be set to verify signatures; its first line is "commit HASH" */
    return ttp_git_ask(&rest, git, NULL, "rev-list", "--max-count=1", format, "--end-of-options",
                       ref, "--", NULL) == TTP_OK &&
           ttp_str_next_line(&rest, &line) && ttp_str_next_line(&rest, commit) &&
           ttp_str_next_line(&rest, time);
}

void ttp_git_state(struct ttp_git_state *out, struct ttp_signals *signals, struct ttp_arena *arena)
{
    const struct ttp_git git = {.signals = signals, .arena = arena};
    ttp_str folder;

    *out = (struct ttp_git_state){0};
    if (!ttp_git_commit(&out->commit, &out->commit_time, &git, "HEAD", "--format=%H%n%cI"))
        return;
    out->known = true;
    if (ttp_git_ask(&out->branch, &git, NULL, "symbolic-ref", "-q", "--short", "HEAD", NULL) !=
        TTP_OK)
        out->branch = (ttp_str){0};
    if (ttp_git_ask(&folder, &git, NULL, "rev-parse", "--show-toplevel", NULL) != TTP_OK)
        return; /* a repository without a working tree */
    size_t slash = folder.len;
    while (slash > 0 && folder.ptr[slash - 1] != '/')
        slash--;
    out->repository = ttp_str_slice(folder, slash, folder.len);
    out->dirty = is_edited(&git, ttp_arena_zstr(arena, folder));
}
