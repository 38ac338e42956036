/* SPDX-License-Identifier: Apache-2.0 */
/* tune_try.c - one change, from the request to the decision and to the working tree that follows
 * it.
 *
 * Written down are: that it began, with everything it takes to continue (so that nothing of the
 * request is needed again), what was decided and why, and that the working tree has followed. */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "tune/tuner.h"

static ttp_code is_here(const struct ttp_tune *t, struct ttp_err *err)
{
    if (t->place.git == (t->session.baseline.commit != NULL))
        return TTP_OK;
    return ttp_fail(err, TTP_EUSAGE, "this session was started %s a git repository",
                    t->place.git ? "without" : "in");
}

ttp_code ttp_tuner_may_try(struct ttp_tune *t, bool force, struct ttp_err *err)
{
    const char *machine;

    TTP_TRY(is_here(t, err));
    if (t->session.secrets_missing) {
        ttp_fail(err, TTP_EUSAGE, "'%.150s' lacks a secret of this session's commands",
                 t->secrets.path);
        ttp_err_hint(err, "the ledger masks secrets: start over with 'tt-perf tune init --new'");
        return TTP_EUSAGE;
    }
    TTP_TRY(ttp_tune_gate_check_golden(t, err));
    if (force || !*t->session.machine)
        return TTP_OK;
    TTP_TRY(ttp_tuner_machine(&machine, t, err));
    if (!*machine || strcmp(machine, t->session.machine) == 0)
        return TTP_OK;
    ttp_fail(err, TTP_EUSAGE,
             "the session belongs to a different machine: this is '%.90s', not '%.90s'", machine,
             t->session.machine);
    ttp_err_hint(err, "its baseline is not comparable; use --force to continue anyway");
    return TTP_EUSAGE;
}

/* ---- the candidate ---- */

struct trying {
    struct ttp_tune *tune;
    const struct ttp_tune_change_request *request;
    enum ttp_tune_kind kind;
    struct ttp_tune_side side;
    const char *detail;
    const char *number; /* of the change, as text */
};

static ttp_code same_as_best(const struct trying *r, struct ttp_err *err)
{
    if (r->kind == TTP_TUNE_EDIT) {
        ttp_fail(err, TTP_EUSAGE, "nothing has changed: the working tree equals the best so far");
        ttp_err_hint(err, "edit something, or use --patch, --env, --git or --cmd");
    } else {
        ttp_fail(err, TTP_EUSAGE, "nothing would change: the best so far already has this");
    }
    return TTP_EUSAGE;
}

static ttp_code commit_candidate(struct trying *r, const char *tree, struct ttp_err *err)
{
    struct ttp_tune *t = r->tune;
    const char *best = ttp_tune_best(&t->session)->commit, *before;

    TTP_TRY(ttp_tune_code_tree_of(&before, t, best, err));
    if (strcmp(tree, before) == 0)
        return same_as_best(r, err);
    return ttp_tune_code_commit(
        &r->side.commit, t,
        (struct ttp_code_change){tree, best, r->request->title,
                                 ttp_tuner_text(t->arena, "tune-%s", r->number)},
        err);
}

/* In the worktree of the candidate, which is ours, at the best so far. */
static ttp_code open_worktree(struct ttp_git *out, const struct trying *r, struct ttp_err *err)
{
    const char *top;

    TTP_TRY(ttp_tune_side_checkout(&top, r->tune, ttp_tune_best(&r->tune->session)->commit,
                                   TTP_TREE_CANDIDATE, err));
    *out = ttp_tuner_git_writes(r->tune, top);
    return TTP_OK;
}

static ttp_code take_worktree(struct trying *r, const struct ttp_git *git, struct ttp_err *err)
{
    ttp_str tree;

    TTP_TRY(ttp_git_ask(&tree, git, err, "write-tree", NULL));
    return commit_candidate(r, ttp_arena_zstr(r->tune->arena, tree), err);
}

/* Outputs that are not ignored get in this way, unseen. */
static ttp_code tell_new_files(const struct trying *r, struct ttp_err *err)
{
    const struct ttp_git git = ttp_tuner_git(r->tune);
    const char *best = ttp_tune_best(&r->tune->session)->commit;
    struct ttp_words list;

    TTP_TRY(ttp_git_names(&list, &git, err, "diff-tree", "-r", "-z", "--name-only", "--no-renames",
                          "--diff-filter=A", best, r->side.commit, NULL));
    if (list.count)
        ttp_tuner_say(r->tune, "new files are part of this change: '%s'%s", list.word[0],
                      list.count > 1 ? " and more" : "");
    return TTP_OK;
}

/* Files that git does not track are part of an edit of others, but no edit on their own: most are
 * output. */
static ttp_code apply_edit(struct trying *r, struct ttp_err *err)
{
    struct ttp_code_edit edit;

    TTP_TRY(ttp_tune_code_edited(&edit, r->tune, ttp_tune_best(&r->tune->session)->commit, err));
    if (!edit.edited && edit.untracked) {
        ttp_fail(err, TTP_EUSAGE, "nothing has changed but files that git does not track: '%.150s'",
                 edit.untracked);
        ttp_err_hint(err, "if they are the change, tell git with 'git add -N FILE'");
        return TTP_EUSAGE;
    }
    TTP_TRY(commit_candidate(r, edit.tree, err));
    return tell_new_files(r, err);
}

static ttp_code apply_patch(struct trying *r, struct ttp_err *err)
{
    struct ttp_arena *arena = r->tune->arena;
    struct ttp_git git;
    struct ttp_file file;
    char here[PATH_MAX];

    TTP_TRY(ttp_file_map(&file, r->request->patch, err));
    ttp_file_close(&file);
    if (!getcwd(here, sizeof(here)))
        return ttp_fail_errno(err, "cannot determine the current folder");
    const char *full =
        r->request->patch[0] == '/'
            ? r->request->patch
            : ttp_file_join(ttp_arena_zstr(arena, ttp_str_from(here)), r->request->patch, arena);
    TTP_TRY(open_worktree(&git, r, err));
    const ttp_code rc =
        ttp_git_do(&git, err, "apply", "--index", "--whitespace=nowarn", full, NULL);
    if (rc == TTP_EPARSE) {
        ttp_err_where(err, r->request->patch, 0);
        ttp_err_hint(err, "it must apply to the best so far; make it with 'git diff' from there");
        return rc;
    }
    TTP_TRY(rc);
    return take_worktree(r, &git, err);
}

static ttp_code apply_git(struct trying *r, struct ttp_err *err)
{
    struct ttp_git git, home = ttp_tuner_git(r->tune);
    ttp_str commit;
    const ttp_code known =
        ttp_git_ask(&commit, &home, err, "rev-parse", "--verify", "--quiet", "--end-of-options",
                    ttp_tuner_text(r->tune->arena, "%s^{commit}", r->request->git), NULL);

    if (known == TTP_EPARSE) {
        ttp_fail(err, TTP_EUSAGE, "no commit or branch '%.100s'", r->request->git);
        ttp_err_hint(err, "'git log --oneline --all' lists commits");
        return TTP_EUSAGE;
    }
    TTP_TRY(known);
    TTP_TRY(open_worktree(&git, r, err));
    const ttp_code rc = ttp_git_do(&git, err, "merge", "--quiet", "--squash", "--no-commit",
                                   ttp_arena_zstr(r->tune->arena, commit), NULL);
    if (rc == TTP_EPARSE) {
        ttp_fail(err, TTP_EPARSE, "'%.100s' conflicts with the best so far", r->request->git);
        ttp_err_hint(err, "rebase it on the best so far: %.12s",
                     ttp_tune_best(&r->tune->session)->commit);
        return rc;
    }
    TTP_TRY(rc);
    return take_worktree(r, &git, err);
}

static bool same_variable(const char *a, const char *b)
{
    const size_t n = ttp_str_find_char(ttp_str_from(a), '=');

    return strncmp(a, b, n + 1) == 0;
}

static ttp_code apply_env(struct trying *r, struct ttp_err *err)
{
    const struct ttp_words *old = &ttp_tune_best(&r->tune->session)->env;
    const char *set = r->request->env;
    struct ttp_words env = {0};

    if (!strchr(set, '=') || set[0] == '=') {
        ttp_fail(err, TTP_EUSAGE, "--env '%.80s' is not NAME=VALUE", set);
        return TTP_EUSAGE;
    }
    for (size_t i = 0; i < old->count; i++) {
        if (strcmp(old->word[i], set) == 0)
            return same_as_best(r, err);
        if (!same_variable(set, old->word[i]))
            ttp_words_add(&env, old->word[i], r->tune->arena);
    }
    ttp_words_add(&env, set, r->tune->arena);
    r->side.env = env;
    return TTP_OK;
}

static ttp_code apply_command(struct trying *r, struct ttp_err *err)
{
    const char **argv;

    TTP_TRY(ttp_measure_command_split(&argv, r->request->command, r->tune->arena, err));
    if (strcmp(r->request->command, r->side.command) == 0)
        return same_as_best(r, err);
    r->side.command = r->request->command;
    return TTP_OK;
}

static ttp_code choose_kind(struct trying *r, struct ttp_err *err)
{
    static const struct {
        enum ttp_tune_kind kind;
        size_t offset;
    } ways[] = {
        {TTP_TUNE_PATCH, offsetof(struct ttp_tune_change_request, patch)},
        {TTP_TUNE_ENV, offsetof(struct ttp_tune_change_request, env)},
        {TTP_TUNE_GIT, offsetof(struct ttp_tune_change_request, git)},
        {TTP_TUNE_COMMAND, offsetof(struct ttp_tune_change_request, command)},
    };
    size_t given = 0;

    r->kind = TTP_TUNE_EDIT;
    r->detail = "";
    for (size_t i = 0; i < TTP_COUNT(ways); i++) {
        const char *word;

        memcpy(&word, (const char *)r->request + ways[i].offset, sizeof(word));
        if (!word)
            continue;
        given++;
        r->kind = ways[i].kind;
        r->detail = word;
    }
    if (given > 1) {
        ttp_fail(err, TTP_EUSAGE, "use only one of --patch, --env, --git and --cmd");
        ttp_err_hint(err,
                     "the effects of two changes cannot be separated; try one after the other");
        return TTP_EUSAGE;
    }
    if (r->tune->place.git ||
        (r->kind != TTP_TUNE_EDIT && r->kind != TTP_TUNE_PATCH && r->kind != TTP_TUNE_GIT))
        return TTP_OK;
    ttp_fail(err, TTP_EUSAGE, "not a git repository: only --env and --cmd can be tried");
    ttp_err_hint(err, "create one with 'git init' to try and revert edits");
    return TTP_EUSAGE;
}

static ttp_code make_candidate(struct trying *r, struct ttp_err *err)
{
    r->side = *ttp_tune_best(&r->tune->session);
    switch (r->kind) {
    case TTP_TUNE_EDIT:
        return apply_edit(r, err);
    case TTP_TUNE_PATCH:
        return apply_patch(r, err);
    case TTP_TUNE_GIT:
        return apply_git(r, err);
    case TTP_TUNE_ENV:
        return apply_env(r, err);
    case TTP_TUNE_COMMAND:
        return apply_command(r, err);
    case TTP_TUNE_SWEEP:
        break;
    }
    return TTP_OK;
}

static ttp_code describe_change(const char **out, const struct trying *r, struct ttp_err *err)
{
    const struct ttp_git git = ttp_tuner_git(r->tune);
    const char *best = ttp_tune_best(&r->tune->session)->commit;
    ttp_str stat;

    *out = "";
    if (!best || strcmp(best, r->side.commit) == 0)
        return TTP_OK;
    TTP_TRY(ttp_git_ask(&stat, &git, err, "diff-tree", "--no-ext-diff", "--shortstat", best,
                        r->side.commit, NULL));
    *out = ttp_arena_zstr(r->tune->arena, ttp_str_trim(stat));
    return TTP_OK;
}

static ttp_code begin_change(struct ttp_tune *t, const struct ttp_tune_change_request *q,
                             struct ttp_err *err)
{
    struct trying r = {.tune = t, .request = q};
    struct ttp_ledger_record record;
    const char *stat;

    r.number = ttp_tuner_text(t->arena, "%zu", t->session.count + 1);
    TTP_TRY(choose_kind(&r, err));
    TTP_TRY(make_candidate(&r, err));
    TTP_TRY(describe_change(&stat, &r, err));
    ttp_tuner_step(t);
    ttp_tuner_record(&record, t, "try");
    ttp_ledger_told(&record, "title", q->title);
    ttp_ledger_text(&record, "kind", ttp_tune_kind_name(r.kind));
    ttp_ledger_command(&record, "detail", r.detail);
    ttp_ledger_text(&record, "step", q->step);
    ttp_ledger_promise(&record, q->promise);
    ttp_ledger_text(&record, "stat", stat);
    ttp_ledger_bool(&record, "keep_edit", q->keep_edit);
    ttp_ledger_side(&record, &r.side);
    return ttp_tuner_append(t, &record, err);
}

/* ---- the decision ---- */

struct deciding {
    enum ttp_tune_outcome outcome;
    const char *reason;
    struct ttp_tune_gate gate;
    struct ttp_tune_measured measured;
    struct ttp_tune_profile profile;
    struct ttp_bench bench;
};

/* A candidate that fails while it is measured is a result; the best must not. */
static ttp_code measure_sides(struct deciding *d, struct ttp_tune *t, const struct ttp_ready *best,
                              const struct ttp_ready *candidate, struct ttp_err *err)
{
    const struct ttp_tune_setup *setup = &t->session.setup;
    const struct ttp_measuring m = {.side = {best, candidate},
                                    .name = {"best", "candidate"},
                                    .min_runs = setup->min_runs,
                                    .max_runs = setup->max_runs,
                                    .scatter = t->session.at_start.of[0].side[0].scatter};
    struct ttp_tune_gate after;

    ttp_tuner_say(t, "measuring best and candidate alternately");
    const ttp_code rc = ttp_tuner_measure(&d->measured, &d->bench, t, &m, err);
    if (rc == TTP_EPARSE && d->bench.ntrials && d->bench.trial[d->bench.ntrials - 1].variant == 1) {
        d->outcome = TTP_TUNE_REVERTED;
        d->reason = ttp_tuner_text(t->arena, "failed during measurement: %s", err->text);
        *err = (struct ttp_err){0};
        return TTP_OK;
    }
    TTP_TRY(rc);
    ttp_tuner_step(t);
    d->outcome = ttp_tune_decide(&d->reason, &d->measured, setup->min_effect, t->arena);
    if (!candidate->dir || strcmp(candidate->dir, best->dir) == 0)
        return TTP_OK; /* both write to one place: who wrote last is unknown */
    TTP_TRY(ttp_tune_gate_look(&after, t, candidate, err));
    if (!after.pass) {
        d->gate = after;
        d->outcome = TTP_TUNE_REVERTED;
        d->reason = ttp_tuner_text(t->arena, "not always correct: %s", after.reason);
    }
    return TTP_OK;
}

static ttp_code judge(struct deciding *d, struct ttp_tune *t, const struct ttp_tune_change *c,
                      struct ttp_err *err)
{
    struct ttp_ready best, candidate;

    const ttp_code rc = ttp_tune_side_prepare(&candidate, t, &c->side, TTP_TREE_CANDIDATE, err);
    if (rc == TTP_EPARSE && !candidate.built) {
        d->outcome = TTP_TUNE_REVERTED;
        d->reason = ttp_tuner_text(t->arena, "%s", err->text);
        *err = (struct ttp_err){0};
        return TTP_OK;
    }
    TTP_TRY(rc);
    ttp_tuner_say(t, "checking the candidate");
    TTP_TRY(ttp_tune_gate_run(&d->gate, t, &candidate, err));
    ttp_tuner_step(t);
    if (!d->gate.pass) {
        d->outcome = TTP_TUNE_REVERTED;
        d->reason = d->gate.reason;
        return TTP_OK;
    }
    TTP_TRY(ttp_tune_side_prepare(&best, t, ttp_tune_best(&t->session), TTP_TREE_BEST, err));
    TTP_TRY(measure_sides(d, t, &best, &candidate, err));
    if (d->outcome != TTP_TUNE_KEPT)
        return TTP_OK;
    return ttp_tune_profile_side(
        &d->profile, t, &candidate,
        ttp_tuner_text(t->arena, "change-%llu", (unsigned long long)c->number), err);
}

ttp_code ttp_tuner_decide(struct ttp_tune *t, struct ttp_err *err)
{
    const struct ttp_tune_change *c = ttp_tune_pending(&t->session);
    struct deciding d = {.outcome = TTP_TUNE_UNDECIDED, .reason = ""};
    struct ttp_ledger_record r;

    ttp_tune_profile_init(&d.profile);
    TTP_TRY(judge(&d, t, c, err));
    ttp_tuner_record(&r, t, "decision");
    ttp_ledger_u64(&r, "change", c->number);
    ttp_ledger_text(&r, "outcome", ttp_tune_outcome_name(d.outcome));
    ttp_ledger_told(&r, "reason", d.reason);
    ttp_ledger_gate(&r, &d.gate);
    ttp_ledger_measured(&r, &d.measured, &d.bench);
    ttp_ledger_profile(&r, &d.profile);
    TTP_TRY(ttp_tuner_append(t, &r, err));
    return ttp_tuner_settle(t, err);
}

/* ---- the working tree follows ---- */

/* What was best before a change was begun. */
static const struct ttp_tune_side *side_before(const struct ttp_tune_session *s,
                                               const struct ttp_tune_change *c)
{
    for (size_t i = (size_t)c->number - 1; i > 0; i--)
        if (s->change[i - 1].outcome == TTP_TUNE_KEPT)
            return &s->change[i - 1].side;
    return &s->baseline;
}

static ttp_code follow(const char **said, struct ttp_tune *t, const struct ttp_tune_change *c,
                       struct ttp_err *err)
{
    const char *before = side_before(&t->session, c)->commit, *with = c->side.commit;
    const bool edit = c->kind == TTP_TUNE_EDIT;

    *said = "";
    if (!with || !before || strcmp(before, with) == 0)
        return TTP_OK;
    if (c->outcome == TTP_TUNE_KEPT)
        return edit ? TTP_OK
                    : ttp_tune_code_move(said, t, (struct ttp_code_move){before, with, false}, err);
    if (c->outcome == TTP_TUNE_UNDONE || (edit && !c->keep_edit))
        return ttp_tune_code_move(said, t, (struct ttp_code_move){with, before, edit}, err);
    return TTP_OK;
}

ttp_code ttp_tuner_settle(struct ttp_tune *t, struct ttp_err *err)
{
    for (size_t i = 0; i < t->session.count; i++) {
        const struct ttp_tune_change *c = &t->session.change[i];
        struct ttp_ledger_record r;
        const char *said;

        if (c->settled || c->outcome == TTP_TUNE_PENDING)
            continue;
        ttp_tuner_step(t);
        TTP_TRY(follow(&said, t, c, err));
        ttp_tuner_record(&r, t, "settled");
        ttp_ledger_u64(&r, "change", c->number);
        ttp_ledger_text(&r, "tree", said);
        TTP_TRY(ttp_tuner_append(t, &r, err));
    }
    return TTP_OK;
}

/* ---- the verbs ---- */

ttp_code ttp_tuner_refuse_second(const struct ttp_tune_change *pending, struct ttp_err *err)
{
    ttp_fail(err, TTP_EUSAGE, "change %llu is pending: '%.150s'",
             (unsigned long long)pending->number, pending->title);
    ttp_err_hint(err, "'tt-perf tune %s' resumes it, 'tt-perf tune undo' drops it",
                 pending->kind == TTP_TUNE_SWEEP ? "sweep" : "try");
    return TTP_EUSAGE;
}

/* The next change tests this advice; NULL: none any more. */
static ttp_code begin_trial(struct ttp_tune *t, const struct ttp_tune_promise *promise,
                            struct ttp_err *err)
{
    struct ttp_ledger_record r;

    ttp_tuner_step(t);
    ttp_tuner_record(&r, t, "advice");
    ttp_ledger_promise(&r, promise);
    return ttp_tuner_append(t, &r, err);
}

/* With the advice that the session began to test, unless another is asked for. */
static void take_trial(struct ttp_tune_change_request *q, const struct ttp_tune_promise *trial)
{
    if (!q->promise && trial->rule)
        q->promise = trial;
    if (!q->promise)
        return;
    q->title = q->title ? q->title : q->promise->title;
    q->step = q->step ? q->step : q->promise->step;
}

static ttp_code begin_or_wait(bool *waits, struct ttp_tune *t,
                              const struct ttp_tune_change_request *request, struct ttp_err *err)
{
    const struct ttp_tune_promise trial = t->session.trial;
    struct ttp_tune_change_request q = *request;

    /* whatever the working tree has: the change is made when the advice is known */
    *waits = q.promise && !(q.patch || q.env || q.git || q.command);
    if (*waits)
        return begin_trial(t, q.promise, err);
    take_trial(&q, &trial);
    if (q.title)
        return begin_change(t, &q, err);
    ttp_fail(err, TTP_EUSAGE, "missing title of the change");
    ttp_err_hint(err, "for example: tt-perf tune try \"larger blocks\"");
    return TTP_EUSAGE;
}

ttp_code ttp_tune_try(const struct ttp_tune_change **out, struct ttp_tune *t,
                      const struct ttp_tune_change_request *request, struct ttp_err *err)
{
    bool waits = false;

    *out = NULL;
    TTP_TRY(ttp_tuner_may_try(t, request->force, err));
    const struct ttp_tune_change *pending = ttp_tune_pending(&t->session);
    const bool same = pending && pending->kind != TTP_TUNE_SWEEP && !request->promise &&
                      (!request->title || strcmp(request->title, pending->title) == 0);

    if (pending && !same)
        return ttp_tuner_refuse_second(pending, err);
    if (!pending)
        TTP_TRY(begin_or_wait(&waits, t, request, err));
    if (waits)
        return TTP_OK;
    TTP_TRY(ttp_tuner_decide(t, err));
    *out = &t->session.change[t->session.count - 1];
    return TTP_OK;
}

ttp_code ttp_tune_undo(const struct ttp_tune_change **out, struct ttp_tune *t, struct ttp_err *err)
{
    const struct ttp_tune_change *pending, *kept;
    struct ttp_ledger_record r;

    TTP_TRY(is_here(t, err));
    *out = NULL;
    pending = ttp_tune_pending(&t->session);
    kept = ttp_tune_last_kept(&t->session);
    if (t->session.trial.rule)
        return begin_trial(t, NULL, err);
    if (!pending && !kept)
        return ttp_fail(err, TTP_EUSAGE, "nothing to undo: no change was kept");
    const size_t index = (size_t)(pending ? pending : kept)->number - 1;
    if (pending) {
        ttp_tuner_record(&r, t, "decision");
        ttp_ledger_text(&r, "outcome", ttp_tune_outcome_name(TTP_TUNE_DROPPED));
        ttp_ledger_text(&r, "reason", "dropped before a decision");
    } else {
        ttp_tuner_record(&r, t, "undo");
    }
    ttp_ledger_u64(&r, "change", index + 1);
    TTP_TRY(ttp_tuner_append(t, &r, err));
    TTP_TRY(ttp_tuner_settle(t, err));
    *out = &t->session.change[index];
    return TTP_OK;
}
