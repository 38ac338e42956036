/* SPDX-License-Identifier: Apache-2.0 */
/* side_trees.c - a folder for each side: worktrees of git next to the user's own, which is never
 * built in or run in. Without git both sides run where the user is. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temp_dir.h"
#include "tune/tuner.h"

/* Far more than anyone has. */
#define SUBMODULES_MAX 1000

static const char *const tree_names[] = {"trees/best", "trees/candidate"};

/* Is `dir` a worktree of this repository? In a copy of a repository they are those of the original.
 */
static bool is_ours(const struct ttp_git *inside, const struct ttp_git *origin)
{
    struct ttp_err ignored = {0};
    ttp_str a, b;

    return ttp_git_ask(&a, inside, &ignored, "rev-parse", "--path-format=absolute",
                       "--git-common-dir", NULL) == TTP_OK &&
           ttp_git_ask(&b, origin, &ignored, "rev-parse", "--path-format=absolute",
                       "--git-common-dir", NULL) == TTP_OK &&
           ttp_str_eq(a, b);
}

/* Make `dir` a worktree at `commit` of the repository that `from` belongs to. */
static ttp_code place_worktree(const struct ttp_tune *t, const char *from, const char *dir,
                               const char *commit, struct ttp_err *err)
{
    const struct ttp_git inside = ttp_tuner_git_writes(t, dir),
                         origin = ttp_tuner_git_writes(t, from);

    if (ttp_tuner_there(ttp_file_join(dir, ".git", t->arena)) && is_ours(&inside, &origin) &&
        ttp_git_do(&inside, err, "checkout", "--quiet", "--force", "--detach", commit, NULL) ==
            TTP_OK &&
        ttp_git_do(&inside, err, "clean", "-ffdq", NULL) == TTP_OK)
        return TTP_OK;
    TTP_TRY(ttp_tuner_check_signal(t, err));
    /* not there, or left half done: from the beginning */
    ttp_temp_dir_remove(dir, true);
    return ttp_git_do(&origin, err, "worktree", "add", "--quiet", "--force", "--force", "--detach",
                      dir, commit, NULL);
}

/* Those of `list` that the user has, submodules of the repository `path`. */
static ttp_code place_listed(const struct ttp_tune *t, const struct ttp_git *git, const char *path,
                             const struct ttp_words *list, struct ttp_words *found,
                             struct ttp_err *err)
{
    const char *from = ttp_file_join(t->place.top, path, t->arena);

    for (size_t k = 0; k < list->count; k++) {
        const char *name = list->word[k], *source = ttp_file_join(from, name, t->arena);
        ttp_str commit;

        if (!ttp_tuner_there(ttp_file_join(source, ".git", t->arena)))
            continue;
        TTP_TRY(ttp_git_ask(&commit, git, err, "rev-parse", "--verify",
                            ttp_tuner_text(t->arena, ":0:%s", name), NULL));
        TTP_TRY(place_worktree(t, source, ttp_file_join(git->dir, name, t->arena),
                               ttp_arena_zstr(t->arena, commit), err));
        ttp_words_add(found, ttp_file_join(path, name, t->arena), t->arena);
    }
    return TTP_OK;
}

/* Submodules the user has; from their own clones, so that nothing is downloaded. Those found are
 * looked at in their turn. */
static ttp_code place_submodules(const struct ttp_tune *t, const char *top, struct ttp_err *err)
{
    struct ttp_words found = {0};

    ttp_words_add(&found, "", t->arena);
    for (size_t i = 0; i < found.count && i < SUBMODULES_MAX; i++) {
        const struct ttp_git git =
            ttp_tuner_git_writes(t, ttp_file_join(top, found.word[i], t->arena));
        struct ttp_words list;

        if (!ttp_file_exists(ttp_file_join(git.dir, ".gitmodules", t->arena)))
            continue;
        TTP_TRY(ttp_git_submodules(&list, &git, err));
        TTP_TRY(place_listed(t, &git, found.word[i], &list, &found, err));
    }
    return TTP_OK;
}

ttp_code ttp_tune_side_checkout(const char **top, struct ttp_tune *t, const char *commit,
                                enum ttp_tune_tree where, struct ttp_err *err)
{
    const char *dir = ttp_file_join(t->place.state, tree_names[where], t->arena);

    TTP_TRY(ttp_file_make_dirs(ttp_file_join(t->place.state, "trees", t->arena), err));
    ttp_tuner_step(t);
    TTP_TRY(place_worktree(t, t->place.top, dir, commit, err));
    TTP_TRY(place_submodules(t, dir, err));
    ttp_tuner_step(t);
    *top = dir;
    return TTP_OK;
}

/* What git does not have: data, weights, an environment. */
static ttp_code link_shared(const struct ttp_tune *t, const char *dir, struct ttp_err *err)
{
    const struct ttp_words *links = &t->session.setup.links;

    for (size_t i = 0; i < links->count; i++) {
        const char *from = ttp_file_join(t->place.top, links->word[i], t->arena);
        const char *to = ttp_file_join(dir, links->word[i], t->arena);
        char *above = ttp_arena_zstr(t->arena, ttp_str_from(to));
        struct stat st;

        if (lstat(to, &st) == 0)
            continue;
        *strrchr(above, '/') = '\0';
        TTP_TRY(ttp_file_make_dirs(above, err));
        if (symlink(from, to) < 0)
            return ttp_fail_errno(err, "cannot link '%.150s'", links->word[i]);
    }
    return TTP_OK;
}

static ttp_code build(struct ttp_ready *side, struct ttp_tune *t, struct ttp_err *err)
{
    struct ttp_child c;

    if (!t->session.setup.build)
        return TTP_OK;
    TTP_TRY(
        ttp_tune_side_run(&c, t, side, (struct ttp_side_command){t->session.setup.build, 0}, err));
    side->built = ttp_tune_side_ended_well(&c);
    return side->built ? TTP_OK
                       : ttp_fail(err, TTP_EPARSE, "%.240s",
                                  ttp_tune_side_failure(t, "build failed: the command", &c));
}

ttp_code ttp_tune_side_prepare(struct ttp_ready *out, struct ttp_tune *t,
                               const struct ttp_tune_side *side, enum ttp_tune_tree where,
                               struct ttp_err *err)
{
    static const char *const names[] = {"best", "candidate"};
    const char *top;

    *out = (struct ttp_ready){.dir = t->place.top, .env = side->env, .built = true};
    TTP_TRY(ttp_measure_command_split(&out->argv, side->command, t->arena, err));
    if (side->commit) {
        ttp_tuner_say(t, "checking out the %s", names[where]);
        TTP_TRY(ttp_tune_side_checkout(&top, t, side->commit, where, err));
        TTP_TRY(link_shared(t, top, err));
        out->dir = *t->session.prefix ? ttp_file_join(top, t->session.prefix, t->arena) : top;
    }
    if (t->session.setup.build)
        ttp_tuner_say(t, "building the %s", names[where]);
    TTP_TRY(build(out, t, err));
    ttp_tuner_step(t);
    return TTP_OK;
}

/* A submodule's clone need not forget a removed worktree: git detects it. */
void ttp_tune_side_remove_trees(struct ttp_tune *t)
{
    const struct ttp_git git = ttp_tuner_git_writes(t, t->place.top);

    for (size_t i = 0; i < TTP_COUNT(tree_names); i++) {
        const char *dir = ttp_file_join(t->place.state, tree_names[i], t->arena);
        struct ttp_err ignored = {0};

        if (ttp_git_do(&git, &ignored, "worktree", "remove", "--force", "--force", dir, NULL) !=
            TTP_OK)
            ttp_temp_dir_remove(dir, true);
    }
}
