/* SPDX-License-Identifier: Apache-2.0 */
/* startup.h - where the seconds before the first steady iteration went: the logs of tt-metal's
 * inspector, which nearly every run leaves.
 *
 * Times are nanoseconds; those of events are since the start of the process as the inspector saw
 * it. Results live in the arena that is passed in. */
#ifndef TTP_STARTUP_STARTUP_H
#define TTP_STARTUP_STARTUP_H

#include "base/arena.h"
#include "base/err.h"
#include "base/field.h"

#define TTP_STARTUP_NONE INT64_MIN /* no such time */

struct ttp_startup_program {
    uint64_t id;
    int64_t start_ns, end_ns; /* of its compilation */
    uint32_t kernels, built;
    ttp_str label; /* empty: it has no kernel */
};

/* Programs of one label. */
struct ttp_startup_operation {
    ttp_str label;
    uint64_t programs, built, compile_ns;
};

enum ttp_startup_phase_kind {
    TTP_STARTUP_BEFORE_DEVICE,
    TTP_STARTUP_OPEN_DEVICE,
    TTP_STARTUP_WARM_UP,
    TTP_STARTUP_PHASES
};
const char *ttp_startup_phase_name(enum ttp_startup_phase_kind phase);
struct ttp_startup_phase {
    enum ttp_startup_phase_kind kind;
    int64_t wall_ns, compile_ns, build_ns, other_ns;
};

/* A stretch without a record and without a compilation. */
struct ttp_startup_gap {
    int64_t from_ns, length_ns;
};

struct ttp_startup_name {
    ttp_str name;
    uint64_t count;
};

/* What a text log of the run says about kernels. */
struct ttp_startup_kernel {
    ttp_str name;
    uint64_t ms;
};
struct ttp_startup_log {
    bool has_cache;
    uint64_t hits, total, cached, dedup, merged_artifacts, merged_genfiles;
    double percent;
    struct ttp_startup_kernel *kernel; /* compiled, the slowest first */
    size_t kernels;
    uint64_t sum_ms;
};

struct ttp_startup {
    const char *path;
    ttp_str rank;   /* empty: a run of one process */
    uint64_t t0_ns; /* since the epoch */
    bool has_startup_file;
    uint64_t programs, programs_compiled, kernels, kernels_built, kernels_cached, kernels_repeated;
    uint64_t workloads, launches, launches_after_steady, runtime_entries, traced_entries;
    uint64_t runtime_ids[2]; /* of runtime entries: first and last */
    uint64_t incomplete, unknown_kinds;
    int64_t compile_sum_ns, compile_wall_ns, build_wall_ns;
    int64_t first_launch_ns, last_compile_ns, steady_ns; /* TTP_STARTUP_NONE: none */
    int64_t startup_ns, wall_ns;
    int64_t startup_compile_ns, startup_build_ns; /* of startup_ns, in which some program was */
    uint64_t late_compiles;
    int64_t late_compile_ns;
    struct ttp_startup_phase phase[TTP_STARTUP_PHASES];
    size_t phases;
    struct ttp_startup_gap *gap; /* the longest first */
    size_t gaps;
    int64_t gaps_ns;
    struct ttp_startup_program *program; /* those that were compiled, the slowest first */
    size_t compiled;
    uint64_t *unfinished; /* ids */
    size_t unfinisheds;
    struct ttp_startup_operation *operation; /* the longest first */
    size_t operations;
    struct ttp_words devices;      /* of each mesh, as the log has them: "[0, 1]" */
    struct ttp_startup_name *name; /* of runtime entries, by name */
    size_t names;
    ttp_str cache_root; /* folder of built kernels; empty: unknown */
    struct ttp_startup_log log;
};

/* A folder of inspector logs, or one with a folder per rank below it; text logs next to them are
 * read too. *count is 1 without ranks. TTP_EIO: there is no such folder. TTP_EPARSE:
 * programs_log.yaml is not one. TTP_ENOTFOUND: a folder without programs_log.yaml. */
TTP_NODISCARD ttp_code ttp_startup_read(struct ttp_startup **out, size_t *count, const char *dir,
                                        struct ttp_arena *arena, struct ttp_err *err);
/* Is it such a folder? */
bool ttp_startup_has_logs(const char *dir);
/* How long the start-up in such a folder took, of its first rank, and how much of it was compiling.
 * False: another kind of folder, or it does not say. */
bool ttp_startup_took(int64_t *startup_ns, int64_t *compile_ns, const char *dir,
                      struct ttp_arena *arena);

/* What the user could improve. */
enum ttp_startup_finding_kind {
    TTP_STARTUP_CACHE_NOT_KEPT,
    TTP_STARTUP_LATE_COMPILES,
    TTP_STARTUP_ONE_GAP,
    TTP_STARTUP_RANKS_DIFFER,
    TTP_STARTUP_UNFINISHED,
};
struct ttp_startup_finding {
    enum ttp_startup_finding_kind kind;
    const char *id, *text;
};
/* *out is in the arena. */
size_t ttp_startup_findings(struct ttp_startup_finding **out, const struct ttp_startup *run,
                            size_t ranks, struct ttp_arena *arena);

/* What is in one of the logs. */
struct ttp_startup_counts {
    uint64_t records, programs, compilations, launches, entries, unknown;
};
TTP_NODISCARD ttp_code ttp_startup_count(struct ttp_startup_counts *out, const char *path,
                                         struct ttp_err *err);

/* Label of a kernel by its source: a part of `source`, or words of ours. */
ttp_str ttp_startup_label(ttp_str source);

/* --- records of the real-time profiler --- */

struct ttp_realtime_op {
    ttp_str name; /* of the op, or of its kernels in brackets */
    uint64_t count, cycles;
};
struct ttp_realtime_chip {
    uint64_t chip;
    uint64_t window_cycles, busy_cycles; /* first start to last end; sum over ops */
    uint64_t union_cycles;               /* in which some program ran */
    double ghz;
    struct ttp_realtime_op *op; /* the most cycles first */
    size_t ops;
};
struct ttp_realtime {
    const char *path;
    uint64_t records, reversed,
        unnamed;                    /* reversed: they end before they start, and are left out */
    struct ttp_realtime_chip *chip; /* by id */
    size_t chips;
};
/* realtime_profiler_records.csv; names of ops come from mesh_workloads_log.yaml in a folder
 * `inspector` next to it. TTP_EPARSE: err->line tells where. */
TTP_NODISCARD ttp_code ttp_startup_realtime_read(struct ttp_realtime *out, const char *path,
                                                 struct ttp_arena *arena, struct ttp_err *err);
/* By its first bytes: is it one? */
bool ttp_startup_realtime_is(const char *path);

/* --- what processes do right now --- */

enum ttp_activity_kind {
    TTP_ACTIVITY_UNKNOWN, /* no log of the inspector that we may read */
    TTP_ACTIVITY_COMPILING,
    TTP_ACTIVITY_LAUNCHING,
    TTP_ACTIVITY_QUIET, /* idle, replaying a trace, or stuck: the logs do not tell */
};
const char *ttp_startup_activity_name(enum ttp_activity_kind kind);
#define TTP_ACTIVITY_SHARES 3
struct ttp_activity {
    enum ttp_activity_kind kind;
    ttp_str what; /* is compiled: a label, or "program N" */
    double compiling_s, launches_per_s;
    struct ttp_startup_name share[TTP_ACTIVITY_SHARES]; /* launches of the last second, by label */
    size_t shares;
    uint64_t launches;      /* of the last second */
    uint64_t late_compiles; /* since we watch */
};

/* Follows the logs that processes hold open; nothing is opened but these and procfs. */
struct ttp_activity_watch;
/* `root` NULL: this machine. In the arena; close it. */
struct ttp_activity_watch *ttp_startup_activity_open(const char *root, struct ttp_arena *arena);
void ttp_startup_activity_close(struct ttp_activity_watch *w);
/* Texts of *out live in the arena. `now_ns` is since the epoch. */
void ttp_startup_activity_look(struct ttp_activity *out, struct ttp_activity_watch *w, int32_t pid,
                               int64_t now_ns, struct ttp_arena *arena);

#endif
