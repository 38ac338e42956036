/* SPDX-License-Identifier: Apache-2.0 */
/* tuner.h - an open session and the steps it takes. Private to tune. */
#ifndef TTP_TUNE_TUNER_H
#define TTP_TUNE_TUNER_H

#include "base/append_log.h"
#include "base/git.h"
#include "tune/ledger.h"

struct ttp_tune {
    struct ttp_tune_place place;
    struct ttp_tune_open_options options;
    struct ttp_arena *arena;
    const char *ledger;
    struct ttp_lock lock;
    struct ttp_tune_session session;
    struct ttp_tune_secrets secrets;
    uint64_t step, die_at; /* for tests: the process kills itself at this step; 0: never */
};

void ttp_tuner_say(const struct ttp_tune *t, const char *fmt, ...) TTP_PRINTF(2, 3);
void ttp_tuner_warn(const struct ttp_tune *t, const char *fmt, ...) TTP_PRINTF(2, 3);
/* A moment at which we may be ended: tests end us at each of them, see docs/tune.md. */
void ttp_tuner_step(struct ttp_tune *t);

/* Write it to the disk, then let it change the session. */
TTP_NODISCARD ttp_code ttp_tuner_append(struct ttp_tune *t, struct ttp_ledger_record *r,
                                        struct ttp_err *err);
/* Begin the next record. */
void ttp_tuner_record(struct ttp_ledger_record *r, struct ttp_tune *t, const char *event);

/* ---- git ---- */

/* For questions in the working tree; ttp_tuner_git_writes() for what checks files out or takes them
 * in. Our commits carry a fixed author, not the user. */
struct ttp_git ttp_tuner_git(const struct ttp_tune *t);
struct ttp_git ttp_tuner_git_writes(const struct ttp_tune *t, const char *dir);

/* ---- states of the code ---- */

/* The tree of the working tree as it is, untracked files too, ignored ones not. Neither the index
 * nor a file of the user is touched. */
TTP_NODISCARD ttp_code ttp_tune_code_tree(const char **out, struct ttp_tune *t,
                                          struct ttp_err *err);
struct ttp_code_change {
    const char *tree, *parent, *message, *ref;
};
/* A commit of a tree, kept for good by a ref whose name begins so; `parent` NULL: none. */
TTP_NODISCARD ttp_code ttp_tune_code_commit(const char **out, struct ttp_tune *t,
                                            struct ttp_code_change change, struct ttp_err *err);
/* The tree of a commit. */
TTP_NODISCARD ttp_code ttp_tune_code_tree_of(const char **out, struct ttp_tune *t,
                                             const char *commit, struct ttp_err *err);
/* The working tree as an edit of a commit. */
struct ttp_code_edit {
    const char *tree;
    bool edited;           /* a file that git tracks differs */
    const char *untracked; /* a file that differs and that git does not track; NULL: none */
};
TTP_NODISCARD ttp_code ttp_tune_code_edited(struct ttp_code_edit *out, struct ttp_tune *t,
                                            const char *commit, struct ttp_err *err);
struct ttp_code_move {
    const char *from, *to;
    bool spare_untracked; /* files that the user's git does not track stay as they are */
};
/* The working tree goes from one state to another, where it is in the first one or already in the
 * second; if the user has edited one of those files, nothing is touched. *said: what was not done.
 */
TTP_NODISCARD ttp_code ttp_tune_code_move(const char **said, struct ttp_tune *t,
                                          struct ttp_code_move move, struct ttp_err *err);

/* ---- where sides run ---- */

enum ttp_tune_tree { TTP_TREE_BEST, TTP_TREE_CANDIDATE };
/* A side, ready to run. */
struct ttp_ready {
    const char *dir; /* NULL: where we are */
    const char **argv;
    struct ttp_words env;
    bool built;
};
/* Check it out, link what is shared, build. TTP_EPARSE: it does not build; out->built is false. */
TTP_NODISCARD ttp_code ttp_tune_side_prepare(struct ttp_ready *out, struct ttp_tune *t,
                                             const struct ttp_tune_side *side,
                                             enum ttp_tune_tree where, struct ttp_err *err);
/* The worktree alone: its top folder. */
TTP_NODISCARD ttp_code ttp_tune_side_checkout(const char **top, struct ttp_tune *t,
                                              const char *commit, enum ttp_tune_tree where,
                                              struct ttp_err *err);
struct ttp_side_command {
    const char *command;
    double timeout_s;
};
/* Run a command where the side runs, with its environment; NULL: its own command. TTP_ENOTFOUND,
 * TTP_EIO: it cannot be started; out->not_executable: because of what it is. TTP_EIO with
 * signals->caught: interrupted. */
TTP_NODISCARD ttp_code ttp_tune_side_run(struct ttp_child *out, struct ttp_tune *t,
                                         const struct ttp_ready *side, struct ttp_side_command run,
                                         struct ttp_err *err);
bool ttp_tune_side_ended_well(const struct ttp_child *c);
/* "the command failed (status 3): its last words". */
const char *ttp_tune_side_failure(const struct ttp_tune *t, const char *what,
                                  const struct ttp_child *c);
/* Remove both worktrees. */
void ttp_tune_side_remove_trees(struct ttp_tune *t);

/* ---- the gate ---- */

/* The files of the golden folder, as they are now. */
TTP_NODISCARD ttp_code ttp_tune_gate_list(struct ttp_tune_golden **out, size_t *count,
                                          const char *dir, struct ttp_arena *arena,
                                          struct ttp_err *err);
/* Are they still what they were? TTP_EPARSE: no. */
TTP_NODISCARD ttp_code ttp_tune_gate_check_golden(const struct ttp_tune *t, struct ttp_err *err);
/* Run the side once and check its output. A side that fails is a result. TTP_EPARSE: golden
 * files that are gone, changed or unreadable. */
TTP_NODISCARD ttp_code ttp_tune_gate_run(struct ttp_tune_gate *out, struct ttp_tune *t,
                                         const struct ttp_ready *side, struct ttp_err *err);
/* Only check the output of its last run. */
TTP_NODISCARD ttp_code ttp_tune_gate_look(struct ttp_tune_gate *out, struct ttp_tune *t,
                                          const struct ttp_ready *side, struct ttp_err *err);

/* ---- measuring ---- */

struct ttp_measuring {
    const struct ttp_ready *side[2]; /* the second NULL: one alone */
    const char *name[2];
    uint64_t min_runs, max_runs;
    double scatter; /* of A/A runs before; NAN: these are the first */
};
/* TTP_EPARSE: a command failed; *bench says which. */
TTP_NODISCARD ttp_code ttp_tuner_measure(struct ttp_tune_measured *out, struct ttp_bench *bench,
                                         struct ttp_tune *t, const struct ttp_measuring *m,
                                         struct ttp_err *err);
/* Key of the machine's fingerprint; "" if it is not watched. */
TTP_NODISCARD ttp_code ttp_tuner_machine(const char **out, const struct ttp_tune *t,
                                         struct ttp_err *err);

/* ---- profiles ---- */

/* Nothing is known. */
void ttp_tune_profile_init(struct ttp_tune_profile *p);
/* Record a side and keep it below that name, if the setup asks for profiles. TTP_EPARSE: the
 * command failed, or left nothing. */
TTP_NODISCARD ttp_code ttp_tune_profile_side(struct ttp_tune_profile *out, struct ttp_tune *t,
                                             const struct ttp_ready *side, const char *name,
                                             struct ttp_err *err);
/* Remove those of changes that are no longer the best. */
void ttp_tune_profile_clean(const struct ttp_tune *t);

/* ---- decisions ---- */

/* Refuse what cannot be compared: a session of elsewhere, golden files that changed, another
 * machine unless `force`. */
TTP_NODISCARD ttp_code ttp_tuner_may_try(struct ttp_tune *t, bool force, struct ttp_err *err);
/* One is pending: how to continue with it. */
ttp_code ttp_tuner_refuse_second(const struct ttp_tune_change *pending, struct ttp_err *err);
/* Build, check, measure and decide the pending change. */
TTP_NODISCARD ttp_code ttp_tuner_decide(struct ttp_tune *t, struct ttp_err *err);
/* The working tree follows what is decided; once for each change. */
TTP_NODISCARD ttp_code ttp_tuner_settle(struct ttp_tune *t, struct ttp_err *err);
/* Was a signal caught? Then TTP_EIO, "interrupted". */
TTP_NODISCARD ttp_code ttp_tuner_check_signal(const struct ttp_tune *t, struct ttp_err *err);

struct ttp_config_row;
/* A row of `tt-perf config`, in the arena. */
struct ttp_tune_config ttp_tune_config_of(const struct ttp_config_row *row,
                                          struct ttp_arena *arena);

/* A file or a folder. */
bool ttp_tuner_there(const char *path);
/* Formatted, in the arena. */
const char *ttp_tuner_text(struct ttp_arena *arena, const char *fmt, ...) TTP_PRINTF(2, 3);

/* Kept, reverted or undecided, by the figures of the metric that decides: kept, or reverted, if it
 * is better, or worse, by more than `min_effect` and twice the noise, and the rank test agrees;
 * reverted too if it is the same. *reason is in the arena. */
enum ttp_tune_outcome ttp_tune_decide(const char **reason, const struct ttp_tune_measured *m,
                                      double min_effect, struct ttp_arena *arena);

/* Noise of the difference of two medians of n runs each, as a part, when single runs scatter so
 * much. NAN: unknown. */
double ttp_tune_noise(const double scatter[2], const size_t n[2]);

#endif
