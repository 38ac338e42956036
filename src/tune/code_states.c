/* SPDX-License-Identifier: Apache-2.0 */
/* code_states.c - states of the working tree as hidden commits, and how to restore one.
 *
 * A state is taken with an index of our own, a copy of the user's: neither their index nor their
 * files change. Going from one state to another touches only files that are known to be in the
 * first. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/order.h"
#include "base/outsink.h"
#include "base/quantity.h"
#include "tune/tuner.h"

/* Untracked files beyond this are data, not code. */
#define UNTRACKED_MAX ((uint64_t)256 << 20)

/* With its time: git looks into files that are as new as the index, since their size and time may
 * be the same after an edit. A newer index would hide them. */
static ttp_code copy_index(const char *from, const char *to, struct ttp_err *err)
{
    struct stat st;

    if (stat(from, &st) < 0)
        return ttp_fail_errno(err, "cannot read '%.150s'", from);
    TTP_TRY(ttp_file_copy(to, from, err));
    const struct timespec times[2] = {st.st_mtim, st.st_mtim};
    if (utimensat(AT_FDCWD, to, times, 0) < 0)
        return ttp_fail_errno(err, "cannot set the time of '%.150s'", to);
    return TTP_OK;
}

/* A state folder that was put into the working tree is not part of it; NULL: it is elsewhere. */
static const char *not_ours(const struct ttp_tune *t)
{
    const ttp_str top = ttp_str_from(t->place.top), state = ttp_str_from(t->place.state);

    if (!ttp_str_starts(state, top) || state.len <= top.len || state.ptr[top.len] != '/')
        return NULL;
    return ttp_tuner_text(t->arena, ":(top,literal,exclude)%s", t->place.state + top.len + 1);
}

/* What the user's git does not know, ignored files apart, in git's order. */
static ttp_code list_untracked(struct ttp_words *out, const struct ttp_tune *t, struct ttp_err *err)
{
    const struct ttp_git git = ttp_tuner_git(t);

    return ttp_git_names(out, &git, err, "ls-files", "-z", "--others", "--exclude-standard", NULL);
}

/* They would all become objects of the repository. */
static ttp_code check_untracked(const struct ttp_tune *t, struct ttp_err *err)
{
    const char *largest = NULL;
    uint64_t total = 0, most = 0;
    struct ttp_words list;

    TTP_TRY(list_untracked(&list, t, err));
    for (size_t i = 0; i < list.count; i++) {
        const char *name = list.word[i];
        const uint64_t size = ttp_file_size(ttp_file_join(t->place.top, name, t->arena));

        total += size;
        if (size > most) {
            most = size;
            largest = name;
        }
    }
    if (total <= UNTRACKED_MAX)
        return TTP_OK;
    ttp_fail(err, TTP_EUSAGE, "%.*s of untracked files, the largest is '%.100s'",
             TTP_FMT(ttp_bytes_text((double)total, t->arena)), largest);
    ttp_err_hint(err, "list data in .gitignore, and share it between both sides with 'tune init "
                      "--link PATH'");
    return TTP_EUSAGE;
}

/* The commit a submodule is at is part of a state, edits inside it cannot be. */
static ttp_code check_submodules(const struct ttp_tune *t, struct ttp_err *err)
{
    const struct ttp_git git = ttp_tuner_git(t);
    struct ttp_words list;

    if (!ttp_file_exists(ttp_file_join(t->place.top, ".gitmodules", t->arena)))
        return TTP_OK;
    TTP_TRY(ttp_git_submodules(&list, &git, err));
    for (size_t i = 0; i < list.count; i++) {
        struct ttp_git inside = git;
        const char *edited;

        inside.dir = ttp_file_join(t->place.top, list.word[i], t->arena);
        if (!ttp_tuner_there(ttp_file_join(inside.dir, ".git", t->arena)))
            continue;
        TTP_TRY(ttp_git_edited(&edited, &inside, true, err));
        if (!edited)
            continue;
        ttp_fail(err, TTP_EUSAGE, "a submodule has uncommitted edits: '%.100s' in '%.100s'", edited,
                 list.word[i]);
        ttp_err_hint(err, "commit them inside the submodule first");
        return TTP_EUSAGE;
    }
    return TTP_OK;
}

ttp_code ttp_tune_code_tree(const char **out, struct ttp_tune *t, struct ttp_err *err)
{
    struct ttp_git git = ttp_tuner_git_writes(t, t->place.top);
    ttp_str text;

    TTP_TRY(check_untracked(t, err));
    TTP_TRY(check_submodules(t, err));
    TTP_TRY(ttp_git_ask(&text, &git, err, "rev-parse", "--path-format=absolute", "--git-path",
                        "index", NULL));
    const char *theirs = ttp_arena_zstr(t->arena, text);
    git.index = ttp_file_join(t->place.state, "index", t->arena);
    (void)unlink(git.index);
    (void)unlink(ttp_file_join(t->place.state, "index.lock", t->arena));
    if (ttp_file_exists(theirs))
        TTP_TRY(copy_index(theirs, git.index, err));
    TTP_TRY(ttp_git_do(&git, err, "add", "--all", "--", ".", not_ours(t), NULL));
    TTP_TRY(ttp_git_ask(&text, &git, err, "write-tree", NULL));
    *out = ttp_arena_zstr(t->arena, text);
    return TTP_OK;
}

ttp_code ttp_tune_code_commit(const char **out, struct ttp_tune *t, struct ttp_code_change change,
                              struct ttp_err *err)
{
    const struct ttp_git git = ttp_tuner_git(t);
    ttp_str text;

    if (change.parent)
        TTP_TRY(ttp_git_ask(&text, &git, err, "commit-tree", change.tree, "-p", change.parent, "-m",
                            change.message, NULL));
    else
        TTP_TRY(
            ttp_git_ask(&text, &git, err, "commit-tree", change.tree, "-m", change.message, NULL));
    *out = ttp_arena_zstr(t->arena, text);
    return ttp_git_do(&git, err, "update-ref",
                      ttp_tuner_text(t->arena, "refs/worktree/tt-perf/%s-%.12s", change.ref, *out),
                      *out, NULL);
}

ttp_code ttp_tune_code_tree_of(const char **out, struct ttp_tune *t, const char *commit,
                               struct ttp_err *err)
{
    const struct ttp_git git = ttp_tuner_git(t);
    ttp_str text;

    TTP_TRY(ttp_git_ask(&text, &git, err, "rev-parse", "--verify",
                        ttp_tuner_text(t->arena, "%s^{tree}", commit), NULL));
    *out = ttp_arena_zstr(t->arena, text);
    return TTP_OK;
}

/* ---- from one state to another ---- */

/* Two states of the code, as git calls them. */
struct states {
    const char *from, *to;
};

/* Files that differ between the two, of the kinds that `filter` lets through. */
static ttp_code differing(struct ttp_words *out, const struct ttp_tune *t, struct states of,
                          const char *filter, struct ttp_err *err)
{
    const struct ttp_git git = ttp_tuner_git(t);

    return ttp_git_names(out, &git, err, "diff-tree", "-r", "-z", "--name-only", "--no-renames",
                         filter, of.from, of.to, NULL);
}

/* Both lists are in git's order, that of bytes. */
static bool has_word(const struct ttp_words *list, const char *word)
{
    size_t at = 0;

    TTP_BISECT(at, list->count, mid, strcmp(list->word[mid], word) < 0);
    return at < list->count && strcmp(list->word[at], word) == 0;
}

ttp_code ttp_tune_code_edited(struct ttp_code_edit *out, struct ttp_tune *t, const char *commit,
                              struct ttp_err *err)
{
    const struct ttp_git git = ttp_tuner_git(t);
    struct ttp_words list, untracked, tracked;

    *out = (struct ttp_code_edit){0};
    TTP_TRY(ttp_tune_code_tree(&out->tree, t, err));
    TTP_TRY(differing(&list, t, (struct states){commit, out->tree}, "--diff-filter=ACDMRT", err));
    TTP_TRY(list_untracked(&untracked, t, err));
    TTP_TRY(ttp_git_names(&tracked, &git, err, "ls-files", "-z", "--cached", NULL));
    for (size_t i = 0; i < list.count; i++) {
        /* where git tracks nothing yet, no file is more the code than another */
        if (tracked.count == 0 || !has_word(&untracked, list.word[i]))
            out->edited = true;
        else
            out->untracked = out->untracked ? out->untracked : list.word[i];
    }
    return TTP_OK;
}

/* The folder of a file in the working tree, reached through folders only: a link in its place leads
 * elsewhere. -1: none. */
static int open_folder(const struct ttp_tune *t, ttp_str folder)
{
    int fd = open(t->place.top, O_PATH | O_DIRECTORY | O_CLOEXEC);

    while (fd >= 0 && folder.len) {
        const size_t slash = ttp_str_find_char(folder, '/');
        const char *part = ttp_arena_zstr(t->arena, ttp_str_slice(folder, 0, slash));
        const int inner = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        close(fd);
        fd = inner;
        folder = ttp_str_slice(folder, slash == TTP_NPOS ? folder.len : slash + 1, folder.len);
    }
    return fd;
}

/* What cannot be removed is found out when all is done. */
static void remove_file(const struct ttp_tune *t, const char *name)
{
    char *path = ttp_arena_zstr(t->arena, ttp_str_from(name));
    int flags = 0;

    /* folders that are empty now go too, as with git */
    for (;;) {
        char *slash = strrchr(path, '/');
        const size_t above = slash ? (size_t)(slash - path) : 0;
        const int fd = open_folder(t, (ttp_str){path, above});

        if (fd < 0)
            return;
        const int rc = unlinkat(fd, slash ? slash + 1 : path, flags);
        close(fd);
        if (rc < 0 || !slash)
            return;
        *slash = '\0';
        flags = AT_REMOVEDIR;
    }
}

/* The names in a file, each with a NUL after it, for git's standard input: a command line has no
 * room for them. */
static ttp_code write_names(const char *path, const struct ttp_words *names, struct ttp_err *err)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, path, err));
    for (size_t i = 0; i < names->count; i++)
        ttp_sink_put(&out.sink, (ttp_str){names->word[i], strlen(names->word[i]) + 1});
    return ttp_outsink_close(&out, TTP_OK, err);
}

static ttp_code write_files(struct ttp_tune *t, const struct ttp_words *names, const char *to,
                            struct ttp_err *err)
{
    struct ttp_git git = ttp_tuner_git_writes(t, t->place.top);

    if (names->count == 0)
        return TTP_OK;
    git.index = ttp_file_join(t->place.state, "index", t->arena);
    (void)unlink(git.index);
    TTP_TRY(ttp_git_do(&git, err, "read-tree", to, NULL));
    git.input = ttp_file_join(t->place.state, "names", t->arena);
    TTP_TRY(write_names(git.input, names, err));
    ttp_tuner_step(t);
    TTP_TRY(ttp_git_do(&git, err, "checkout-index", "--force", "-z", "--stdin", NULL));
    (void)unlink(git.input);
    ttp_tuner_step(t);
    return TTP_OK;
}

struct move {
    struct ttp_words write, remove; /* in the first state */
    struct ttp_words edited;        /* in neither */
    struct ttp_words untracked;     /* stay as they are */
};

struct both_missing {
    const struct ttp_words *not_from, *not_to;
};

/* Of the files in `list`: those to act on, and those that are in neither state. */
static void sort_out(struct ttp_words *act, struct ttp_words *edited, const struct ttp_words *list,
                     struct both_missing missing, struct ttp_arena *arena)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!has_word(missing.not_to, list->word[i]))
            continue; /* there already */
        ttp_words_add(has_word(missing.not_from, list->word[i]) ? edited : act, list->word[i],
                      arena);
    }
}

/* Take the files out of the list that git does not track: nothing but the commit of the change has
 * them, and they may be no part of it, such as output that was saved in the tree. */
static void spare(struct ttp_words *list, struct ttp_words *spared,
                  const struct ttp_words *untracked, struct ttp_arena *arena)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (has_word(untracked, list->word[i]))
            ttp_words_add(spared, list->word[i], arena);
        else
            list->word[kept++] = list->word[i];
    }
    list->count = kept;
}

static ttp_code plan_move(struct move *m, struct ttp_tune *t, struct ttp_code_move move,
                          struct ttp_err *err)
{
    const char *from = move.from, *to = move.to, *now;
    struct ttp_words list[2], not_from, not_to, untracked = {0};

    TTP_TRY(ttp_tune_code_tree(&now, t, err));
    TTP_TRY(differing(&list[0], t, (struct states){from, to}, "--diff-filter=ACMRT", err));
    TTP_TRY(differing(&list[1], t, (struct states){from, to}, "--diff-filter=D", err));
    TTP_TRY(differing(&not_from, t, (struct states){from, now}, "--diff-filter=ACDMRT", err));
    TTP_TRY(differing(&not_to, t, (struct states){to, now}, "--diff-filter=ACDMRT", err));
    if (move.spare_untracked)
        TTP_TRY(list_untracked(&untracked, t, err));
    sort_out(&m->write, &m->edited, &list[0], (struct both_missing){&not_from, &not_to}, t->arena);
    sort_out(&m->remove, &m->edited, &list[1], (struct both_missing){&not_from, &not_to}, t->arena);
    spare(&m->write, &m->untracked, &untracked, t->arena);
    spare(&m->remove, &m->untracked, &untracked, t->arena);
    spare(&m->edited, &m->untracked, &untracked, t->arena);
    return TTP_OK;
}

/* Are all files that had to change as they are in the second state? */
static ttp_code check_move(const struct move *m, struct ttp_tune *t, const char *to,
                           struct ttp_err *err)
{
    const struct ttp_words *const lists[] = {&m->write, &m->remove};
    struct ttp_words not_to;
    const char *now, *first = NULL;
    size_t wrong = 0;

    TTP_TRY(ttp_tune_code_tree(&now, t, err));
    TTP_TRY(differing(&not_to, t, (struct states){to, now}, "--diff-filter=ACDMRT", err));
    for (size_t l = 0; l < TTP_COUNT(lists); l++)
        for (size_t i = 0; i < lists[l]->count; i++)
            if (has_word(&not_to, lists[l]->word[i])) {
                first = first ? first : lists[l]->word[i];
                wrong++;
            }
    if (wrong == 0)
        return TTP_OK;
    ttp_fail(err, TTP_EIO,
             "cannot update the working tree: %zu files differ from the expected state, such as "
             "'%.100s'",
             wrong, first);
    ttp_err_hint(err, "'git diff %.12s' shows them; the next 'tt-perf tune' tries again", to);
    return TTP_EIO;
}

ttp_code ttp_tune_code_move(const char **said, struct ttp_tune *t, struct ttp_code_move move,
                            struct ttp_err *err)
{
    struct move m = {0};

    TTP_TRY(plan_move(&m, t, move, err));
    if (m.edited.count) {
        *said = ttp_tuner_text(t->arena,
                               "left unchanged: '%s'%s edited since; 'git diff %.12s %.12s' "
                               "shows what to apply",
                               m.edited.word[0], m.edited.count > 1 ? " and others were" : " was",
                               move.from, move.to);
        return TTP_OK;
    }
    ttp_tuner_step(t);
    TTP_TRY(write_files(t, &m.write, move.to, err));
    for (size_t i = 0; i < m.remove.count; i++)
        remove_file(t, m.remove.word[i]);
    *said = "";
    if (m.untracked.count)
        *said =
            ttp_tuner_text(t->arena,
                           "left unchanged: '%s'%s not tracked by git; 'git diff %.12s %.12s' "
                           "shows what the change did",
                           m.untracked.word[0], m.untracked.count > 1 ? " and others are" : " is",
                           move.to, move.from);
    return m.write.count + m.remove.count ? check_move(&m, t, move.to, err) : TTP_OK;
}
