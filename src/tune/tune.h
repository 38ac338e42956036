/* SPDX-License-Identifier: Apache-2.0 */
/* tune.h - door of the tune module: one change at a time, checked against golden outputs, measured
 * in turn with the best so far, kept or reverted, and written down.
 *
 * Everything that is known is in the ledger, a file that only grows; a session is what reading it
 * gives. So whatever ends a command, also in the middle of a step, the next one continues from
 * there. Results live in the arena passed in. One thread. */
#ifndef TTP_TUNE_TUNE_H
#define TTP_TUNE_TUNE_H

#include "measure/measure.h"

/* ---- runs that are recorded ---- */

/* A recording below `dir`, made by a verb of this program. */
struct ttp_recording {
    const char *program;             /* this one; NULL: it cannot record */
    const char *dir;                 /* of the artifacts */
    const char *mode;                /* as of `tt-perf record --mode` */
    const char *window;              /* as --window; NULL: one steady iteration */
    const struct ttp_boards *boards; /* NULL: built in */
    struct ttp_signals *signals;
};
/* A command that runs below the profiler and leaves only its logs. In the arena. */
const char **ttp_tune_recorded_argv(const char *const *argv, const struct ttp_recording *r,
                                    struct ttp_arena *arena);
/* The value of a metric that needs a recording. TTP_ENOTFOUND, TTP_EPARSE: the run does not have
 * it. */
TTP_NODISCARD ttp_code ttp_tune_recorded_value(double *out, const struct ttp_metric *m,
                                               const struct ttp_recording *r, struct ttp_err *err);

/* What the profile of a side says about one steady iteration. NAN: unknown. */
struct ttp_tune_profile {
    const char *name; /* of its folder; NULL: there is none */
    const char *mode; /* of `tt-perf record` */
    double device_us, gap_us;
    double cycles, clock_mhz; /* of the user's own kernels, of all if there are none */
    double dram_gbs, dram_peak_gbs, dram_bytes;
    double roofline_us; /* these bytes at the peak */
    double ideal_bytes; /* of a kernel: every tensor once */
    double cores, cores_available;
    double noc_pct, noc_bytes; /* busiest use of links by the estimate; moved by kernels */
    double barrier_pct;        /* of the kernels that move data: waits for their own transfers */
    double l1_bytes, l1_limit; /* of a core: the most that an op or kernel keeps there */
    const char *bound;         /* what limits most of the time; "" */
    double bound_pct;          /* so much of it */
    uint64_t ops, iterations;
};

/* ---- what advice promises ---- */

struct ttp_plan;
struct ttp_report;

/* A program config of an op, and the device time that the cost model predicts for it. */
struct ttp_tune_config {
    const char *config; /* as `tt-perf config check` reads it */
    const char *python; /* to paste */
    double predicted_us, low_us, high_us;
};

/* What advice of a plan says that a change brings. */
struct ttp_tune_promise {
    const char *rule; /* NULL: no advice is tested */
    uint64_t number;  /* in the plan, from 1 */
    const char *title, *step, *evidence;
    double gain_us, gain_pct;    /* of an iteration, gaps included; 0: not estimated */
    double device_pct;           /* of its device time; 0: it is about gaps */
    double low_part, high_part;  /* of that gain: the range */
    uint64_t op_id;              /* of the first op it is about; 0: none */
    const char *op;              /* its name; "" */
    double op_us;                /* its time now */
    struct ttp_tune_config best; /* what `tt-perf config` proposes for it; config NULL: nothing */
    bool pays;                   /* it is faster by more than the error of the model */
};
/* The profile that advice is about. */
struct ttp_tune_advised {
    const struct ttp_plan *plan;
    const struct ttp_report *report;
};
/* Item `number` of a plan. TTP_EUSAGE: it has no such item. Texts are in the arena. */
TTP_NODISCARD ttp_code ttp_tune_promise_of(struct ttp_tune_promise *out, struct ttp_tune_advised by,
                                           uint64_t number, struct ttp_arena *arena,
                                           struct ttp_err *err);
/* What is promised, and what a decided change saved, in percent of the same time: of the device if
 * the metric is recorded and the advice about it, else of the iteration. NAN: unknown. */
struct ttp_tune_kept_promise {
    double promised_pct, low_pct, high_pct, real_pct;
    bool of_device;
};

/* Configs to run, the best prediction first. */
struct ttp_tune_space {
    const char *op;         /* name of the op */
    uint64_t op_id, op_ops; /* and how many like it an iteration has */
    double op_us;           /* their time now, together */
    struct ttp_tune_config *config;
    size_t configs; /* 0: it is not a sweep of configs */
};
/* Which matmul: by its id, or the first with a proposal of that item of the plan; 0: not given. */
struct ttp_tune_which {
    uint64_t id, advice;
};
/* TTP_EUSAGE: there is no such matmul, or no proposal. */
TTP_NODISCARD ttp_code ttp_tune_find_space(struct ttp_tune_space *out, struct ttp_tune_advised by,
                                           struct ttp_tune_which which, struct ttp_arena *arena,
                                           struct ttp_err *err);
/* The variables that a command reads a config from. */
#define TTP_TUNE_CONFIG_NAME   "TT_PERF_CONFIG"
#define TTP_TUNE_CONFIG_PYTHON "TT_PERF_CONFIG_PYTHON"

/* ---- what a session is ---- */

/* Something that can be run: a state of the code, a command, an environment. */
struct ttp_tune_side {
    const char *commit;   /* NULL: there is no git repository */
    const char *command;  /* as ttp_measure_command_split() takes it */
    struct ttp_words env; /* "NAME=VALUE" */
};

enum ttp_tune_kind {
    TTP_TUNE_EDIT, /* what the user changed in the working tree */
    TTP_TUNE_PATCH,
    TTP_TUNE_ENV,
    TTP_TUNE_GIT, /* what a commit or branch has more */
    TTP_TUNE_COMMAND,
    TTP_TUNE_SWEEP, /* the best point of a sweep */
};
enum ttp_tune_outcome {
    TTP_TUNE_PENDING, /* begun, not decided: its command was cut off */
    TTP_TUNE_KEPT,
    TTP_TUNE_REVERTED,
    TTP_TUNE_UNDECIDED, /* not enough evidence: reverted too */
    TTP_TUNE_DROPPED,   /* given up before it was decided */
    TTP_TUNE_UNDONE,    /* had been kept */
};
/* Stable words: "edit", "kept". */
const char *ttp_tune_kind_name(enum ttp_tune_kind k);
const char *ttp_tune_outcome_name(enum ttp_tune_outcome o);

/* The runs of one side that count. */
struct ttp_tune_stat {
    size_t n;
    double min, median, mean, sd, p95;
    double scatter; /* of single runs, as a part of the median: 1.4826 MAD */
};

/* One metric of both sides: the best so far, then the candidate. */
struct ttp_tune_figures {
    const char *metric, *unit;
    enum ttp_better better;
    struct ttp_tune_stat side[2];
    double change;    /* of the medians, candidate / best - 1; NAN: is invalid */
    double low, high; /* interval of the Hodges-Lehmann estimate of it */
    double p;         /* rank test */
    enum ttp_verdict verdict;
    size_t more_runs; /* of each, about, to tell; 0: enough */
};
/* The metric that decides, and wall time if that is another. */
#define TTP_TUNE_METRICS 2
struct ttp_tune_measured {
    struct ttp_tune_figures of[TTP_TUNE_METRICS];
    size_t count;   /* 0: not measured */
    double noise;   /* of the difference of medians, as a part, from A/A runs */
    size_t tainted; /* runs that others on the machine may have spoilt */
    const char *taint;
};

/* How outputs compare with the golden ones. */
struct ttp_tune_gate {
    bool ran, pass;
    size_t tensors;     /* compared */
    double worst_pcc;   /* NAN: no tensors */
    const char *worst;  /* the tensor that has it; "" */
    const char *tile;   /* its worst tile, in words; "": all values are equal */
    const char *reason; /* why it failed; "" if it passed */
};

struct ttp_tune_point {
    struct ttp_words set; /* "NAME=VALUE" */
    bool pass;
    double value;       /* median of the metric that decides; NAN: none */
    const char *reason; /* why it does not count; "" */
};

struct ttp_tune_change {
    uint64_t number; /* from 1 */
    const char *title;
    enum ttp_tune_kind kind;
    const char *detail; /* file, ref, variable or command of the change; "" */
    const char *step;   /* id of the step it belongs to (advice.h); "" */
    const char *stat;   /* "1 file changed, 2 insertions(+)"; "" */
    bool keep_edit;     /* an edit stays in the working tree, kept or not */
    struct ttp_tune_side side;
    enum ttp_tune_outcome outcome;
    const char *reason;
    struct ttp_tune_gate gate;
    struct ttp_tune_measured measured;
    struct ttp_tune_profile profile; /* of a change that was kept */
    struct ttp_tune_point *point;    /* of a sweep */
    size_t npoints;
    size_t sweep_best;               /* its point; TTP_NPOS: none */
    struct ttp_words sweeps;         /* "NAME=VALUES" */
    struct ttp_tune_space space;     /* of a sweep of configs */
    struct ttp_tune_promise promise; /* that the change tests */
    bool settled;                    /* the working tree is as decided */
    const char *tree;                /* what became of the working tree; "" */
    int64_t start_ns, end_ns;
};

/* Settings that the user gave at the start. */
struct ttp_tune_setup {
    const char *command, *build, *check;
    const char *metric;       /* as ttp_measure_metric_parse() takes it */
    const char *golden;       /* folder, from the root; NULL: none */
    const char *outputs;      /* where the command writes the same names, below where it runs */
    struct ttp_words links;   /* paths of the user's tree that both sides share */
    double pcc, frobenius;    /* as in ttp_compare_options */
    const char *goal;         /* as given; NULL: none */
    double goal_value;        /* in the metric's unit */
    const char *data, *board; /* of production; NULL: not given */
    uint64_t chips;           /* of it; 0: not given */
    bool kernel;              /* a kernel: three targets; otherwise a model: seven steps */
    const char *run;          /* where a profile of the command is; NULL: none */
    const char *window;       /* of recorded runs, as --window; NULL: one steady iteration */
    const char *profile;      /* mode in which baseline and best are recorded; NULL: they are not */
    double min_effect,
        confidence; /* smallest change of interest, as a part; how sure verdicts are */
    uint64_t min_runs, max_runs, warm_ups;
    double max_time_s, timeout_s;
};

struct ttp_tune_golden {
    const char *name;
    uint64_t bytes;
    uint32_t crc;
};

struct ttp_tune_session {
    struct ttp_tune_setup setup;
    struct ttp_tune_golden *golden;
    size_t ngolden;
    const char *machine; /* key of its fingerprint; "": not watched */
    const char *branch;  /* "": detached, or no repository */
    const char *prefix;  /* folder below the top of the repository where the command runs; "" */
    struct ttp_tune_side baseline;
    bool measured;                     /* the baseline is */
    struct ttp_tune_measured at_start; /* A/A: both sides are the baseline */
    struct ttp_tune_gate gate_at_start;
    struct ttp_tune_profile profile; /* of the baseline */
    struct ttp_tune_change *change;
    size_t count;
    struct ttp_tune_promise trial;   /* begun: the next change tests it; rule NULL: none */
    struct ttp_tune_measured at_end; /* baseline and best, in turn; count 0: not since the last */
    struct ttp_tune_gate gate_at_end;
    uint64_t records;
    int64_t start_ns, last_ns;
    size_t torn_bytes;    /* cut off at the end of the ledger */
    size_t good_bytes;    /* before them */
    unsigned torn_before; /* truncated earlier, and reported then */
    bool secrets_missing; /* a masked value is unknown: it can be shown, not run */
};

/* The session without secrets (base/secrets.h), for whoever shows it. */
const struct ttp_tune_session *ttp_tune_shown(const struct ttp_tune_session *s,
                                              struct ttp_arena *arena);

#define TTP_TUNE_LEDGER_MAX ((size_t)256 << 20)

/* The change that is begun and not decided; NULL: none. */
struct ttp_tune_change *ttp_tune_pending(const struct ttp_tune_session *s);
/* What is best now, and the change that made it; NULL: the baseline. */
const struct ttp_tune_side *ttp_tune_best(const struct ttp_tune_session *s);
const struct ttp_tune_change *ttp_tune_last_kept(const struct ttp_tune_session *s);
/* Medians of a metric at the start and of the best: in turn at the end, else when it was kept; NAN:
 * not known. Name and unit of metric i are those of at_start. */
double ttp_tune_start_value(const struct ttp_tune_session *s, size_t metric);
double ttp_tune_best_value(const struct ttp_tune_session *s, size_t metric);
/* Of a change that was measured. */
struct ttp_tune_kept_promise ttp_tune_kept_promise(const struct ttp_tune_session *s,
                                                   const struct ttp_tune_change *c);
/* The last check of what is best now; not ran: an older ledger does not have it. */
const struct ttp_tune_gate *ttp_tune_last_check(const struct ttp_tune_session *s);
/* The profile of the best; its name is NULL: there is none. */
const struct ttp_tune_profile *ttp_tune_best_profile(const struct ttp_tune_session *s);

/* ---- sizes in production ---- */

/* "batch 1 -> 32": a size of the test, and in production. */
struct ttp_tune_size {
    const char *name;
    uint64_t from, to;
};
/* A tensor of production, "100000 x 512 bf16": where it can be. */
struct ttp_tune_tensor {
    const char *text;
    uint64_t bytes, cores_needed, cores; /* needed to hold it in L1; 0: more than there are */
    const char *place;                   /* "one core", "L1 of the grid", "DRAM" or "nowhere" */
    bool fits_l1;
};
/* An op of the profile with the sizes of production; alike ones are one row. */
struct ttp_tune_scaled {
    uint64_t id, ops; /* of the first, and how many are like it */
    const char *op;
    double l1_now, l1_then, l1_limit; /* bytes of a core; NAN: not in L1 */
    bool fits;
    const char *config;          /* in use; "" */
    const char *verdict;         /* of it then: "legal", "broken", "undecided"; "" */
    const char *reason;          /* the rule that it breaks; "" */
    struct ttp_tune_config best; /* proposed for production; config NULL: nothing */
};
struct ttp_tune_production {
    struct ttp_tune_size *size;
    size_t sizes;
    struct ttp_tune_tensor *tensor;
    size_t tensors;
    struct ttp_tune_scaled *op; /* those that do not fit or have another best config */
    size_t ops;
    size_t checked, over_l1, broken; /* ops looked at, and of them */
    const char *note;                /* why nothing was compared; "" */
};
/* The sizes and tensors that --data names. It is free text: other text in it is ignored. */
void ttp_tune_parse_data(struct ttp_tune_production *out, const char *data,
                         struct ttp_arena *arena);
/* The ops of a profile with these sizes: what does not fit, which configs are not legal, and which
 * are proposed. `board`: of production; NULL: the profile's. */
void ttp_tune_scale(struct ttp_tune_production *out, const struct ttp_report *report,
                    const struct ttp_board *board, struct ttp_arena *arena);

/* ---- where a session is ---- */

struct ttp_tune_place {
    const char *top;   /* of the working tree, or the folder that has the state */
    const char *state; /* folder of the ledger */
    bool git;
    const char *prefix; /* from top to where we are, with a '/' at the end; "" */
};
/* In a git repository the state is in its .git folder, of this worktree; elsewhere it is
 * .tt-perf/tune here or in a folder above, here if there is none. `state`: this folder instead;
 * NULL: as described. TTP_ENOTFOUND: git is there but does not work (`err` says why). */
TTP_NODISCARD ttp_code ttp_tune_find(struct ttp_tune_place *out, const char *state,
                                     struct ttp_signals *signals, struct ttp_arena *arena,
                                     struct ttp_err *err);

/* ---- work ---- */

/* What the caller wants to hear while it takes time; all may be NULL. */
struct ttp_tune_hooks {
    void (*say)(void *arg, const char *text); /* what begins now: "building the candidate" */
    void (*warn)(void *arg, const char *text);
    void (*progress)(void *arg, const struct ttp_measure_progress *p);
    void (*tick)(void *arg); /* about every 0.2 s while a command runs */
    void *arg;
};

struct ttp_tune; /* an open session that may be changed */
struct ttp_tune_open_options {
    struct ttp_tune_hooks hooks;
    const char *root; /* of sysfs and procfs, as in ttp_host_open(); NULL: the machine's */
    const struct ttp_boards *boards; /* whose limits the guard watches; NULL: built in */
    bool no_guard;                   /* do not watch the machine */
    bool create;                     /* a session is to be begun: its folder is made */
    bool start_over;                 /* ignore an earlier session, even if its ledger is damaged */
    bool show;                       /* what commands print */
    const char *program;             /* as of struct ttp_recording */
    unsigned threads;
    struct ttp_signals *signals;
};

/* Take the lock, read the ledger, finish what a command that was cut off had decided. TTP_EUSAGE:
 * no session was begun. TTP_ENOTFOUND: another process has the lock; the text names it. */
TTP_NODISCARD ttp_code ttp_tune_open(struct ttp_tune **out, const struct ttp_tune_place *place,
                                     const struct ttp_tune_open_options *o, struct ttp_arena *arena,
                                     struct ttp_err *err);
void ttp_tune_close(struct ttp_tune *t);
/* Only read it: no lock, nothing is finished. TTP_EUSAGE: no session was begun. */
TTP_NODISCARD ttp_code ttp_tune_look(struct ttp_tune_session *out,
                                     const struct ttp_tune_place *place, struct ttp_arena *arena,
                                     struct ttp_err *err);
/* Valid until the next call that changes it. */
const struct ttp_tune_session *ttp_tune_session(const struct ttp_tune *t);

/* All below: TTP_EUSAGE: the request is invalid in this state. TTP_EPARSE: a command failed where
 * it must not, or outputs cannot be read. Interrupted: signals->caught is set, the change is
 * pending.
 */

/* Begin: save the state of the code, build, check, measure the baseline twice in turn. Nothing is
 * written down before that has succeeded. A session of before is refused, unless opened `again`:
 * its ledger is then put aside. */
TTP_NODISCARD ttp_code ttp_tune_init(struct ttp_tune *t, const struct ttp_tune_setup *setup,
                                     struct ttp_err *err);

struct ttp_tune_change_request {
    const char *title;                       /* NULL: continue with the pending one */
    const char *patch, *env, *git, *command; /* at most one; none: the edit in the working tree */
    const char *step;
    const struct ttp_tune_promise
        *promise; /* that the change tests; NULL: what the session began */
    bool keep_edit;
    bool force; /* on another machine too */
};
/* One change, to its decision. *out is part of the session; NULL: nothing has changed yet, and the
 * promise is now what the next change tests. */
TTP_NODISCARD ttp_code ttp_tune_try(const struct ttp_tune_change **out, struct ttp_tune *t,
                                    const struct ttp_tune_change_request *request,
                                    struct ttp_err *err);

struct ttp_tune_sweep_request {
    const char *title;           /* NULL: continue with the pending one */
    struct ttp_words sweeps;     /* "NAME=VALUES" */
    const char *command;         /* with {NAME} in it; NULL: the best one */
    struct ttp_tune_space space; /* configs in place of parameters */
    const struct ttp_tune_promise *promise;
    bool force;
};
/* Every point is checked and measured; the best of those that pass is then tried as one change. */
TTP_NODISCARD ttp_code ttp_tune_sweep(const struct ttp_tune_change **out, struct ttp_tune *t,
                                      const struct ttp_tune_sweep_request *request,
                                      struct ttp_err *err);

/* Drop the pending change, or take back the last one that was kept. */
TTP_NODISCARD ttp_code ttp_tune_undo(const struct ttp_tune_change **out, struct ttp_tune *t,
                                     struct ttp_err *err);
/* Measure baseline and best in turn, for the report. */
TTP_NODISCARD ttp_code ttp_tune_remeasure(struct ttp_tune *t, struct ttp_err *err);
/* Remove the worktrees that changes were measured in; they come back when needed. */
TTP_NODISCARD ttp_code ttp_tune_clean(struct ttp_tune *t, struct ttp_err *err);

/* The folder of a profile, in the arena. */
const char *ttp_tune_profile_folder(const struct ttp_tune_place *place,
                                    const struct ttp_tune_profile *profile,
                                    struct ttp_arena *arena);
/* The folder where the best is measured, in the arena; it may not exist. */
const char *ttp_tune_best_folder(const struct ttp_tune_place *place,
                                 const struct ttp_tune_session *s, struct ttp_arena *arena);

#endif
