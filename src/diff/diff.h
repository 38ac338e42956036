/* SPDX-License-Identifier: Apache-2.0 */
/* diff.h - door of the diff module: what changed from one run to another, op by op.
 *
 * Ops are paired by what they are and where they are in the stream, not by their number, so that
 * inserted, removed and moved ops do not disturb what follows. Results live in the arena. */
#ifndef TTP_DIFF_DIFF_H
#define TTP_DIFF_DIFF_H

#include "analysis/analysis.h"
#include "mesh/mesh.h"

/* One run. All live as long as the diff. */
struct ttp_diff_run {
    const struct ttp_ops *ops;
    const struct ttp_report *report;
    const struct ttp_mesh *mesh; /* how its devices relate; NULL: it has one, or they do not */
};
/* Runs of the same program; the first one gives names and numbers of ops. */
struct ttp_diff_side {
    const struct ttp_diff_run *run;
    size_t runs;
};

#define TTP_DIFF_NONE UINT32_MAX

enum ttp_diff_kind {
    TTP_DIFF_SAME,
    TTP_DIFF_CHANGED,
    TTP_DIFF_MOVED,    /* the same op elsewhere */
    TTP_DIFF_REPLACED, /* another op of its kind with its shapes, in its place */
    TTP_DIFF_ADDED,
    TTP_DIFF_REMOVED,
    TTP_DIFF_KINDS,
};
/* Properties of a pair that differ. */
enum ttp_diff_change {
    TTP_CHANGED_NAME = 1 << 0, /* renamed by another version of tt-metal, or replaced */
    TTP_CHANGED_SHAPE = 1 << 1,
    TTP_CHANGED_TYPES = 1 << 2,
    TTP_CHANGED_LAYOUT = 1 << 3,
    TTP_CHANGED_MEMORY = 1 << 4,
    TTP_CHANGED_FIDELITY = 1 << 5,
    TTP_CHANGED_CORES = 1 << 6,
    TTP_CHANGED_PROGRAM = 1 << 7, /* attributes, the program config among them */
};
#define TTP_CHANGES 8

/* Times are means over the runs of a side. An op's time is what it adds to the run: overlap with
 * earlier ops is not in it. A gap is the idle time before it. */
struct ttp_diff_times {
    double base_us, other_us;
    double base_gap_us, other_gap_us;
};

/* One op of either side, or a pair. */
struct ttp_diff_op {
    uint32_t base, other; /* indexes in the reports; TTP_DIFF_NONE: only on the other side */
    uint32_t group;
    uint16_t changed;                 /* enum ttp_diff_change */
    uint8_t kind;                     /* enum ttp_diff_kind */
    bool base_untimed, other_untimed; /* the side has the op, but no device time of it */
    struct ttp_diff_times times;      /* 0 of a side that has no time */
};

/* A comparison of repeated runs. */
struct ttp_diff_test {
    bool done;        /* both sides had enough runs */
    bool significant; /* at 5 %, after correction for the number of groups */
    double p;         /* two-sided, exact where possible, not corrected */
    double corrected_p;
    double shift_us, low_us, high_us; /* of other against base, with its 95 % interval */
};

/* Ops that are the same and changed in the same way: one op of all layers, say. */
struct ttp_diff_group {
    uint32_t first; /* the first of them, in ttp_diff.op */
    uint32_t count;
    struct ttp_diff_times times; /* sums */
    double min_delta_us, max_delta_us;
    struct ttp_diff_test test;
};

/* What a limit says about the other side. */
enum ttp_diff_outcome {
    TTP_DIFF_NO_LIMIT,
    TTP_DIFF_PASS,
    TTP_DIFF_FAIL,      /* it is slower by more than the limit */
    TTP_DIFF_UNDECIDED, /* it looks slower, but the runs do not prove it; or the sides cannot be
                           compared */
};

struct ttp_diff {
    struct ttp_diff_side base, other;
    bool with_gaps;
    struct ttp_diff_op *op; /* in the order of the other side, removed ones where they stood */
    size_t count;
    struct ttp_diff_group *group; /* by the size of the change, the largest first */
    size_t groups;
    size_t kinds[TTP_DIFF_KINDS]; /* how many ops of each */
    struct ttp_diff_times times;  /* sums over the ops */
    /* Of one iteration, as the windows of the runs say it. Ops that overlap, or iterations and
     * devices that ran other ops, make the difference to the sums. */
    struct ttp_diff_times iteration;
    struct ttp_diff_test test; /* of the whole run */
    double limit_pct;          /* of ttp_diff_judge(); INFINITY: none */
    bool windows_chosen;       /* by the user, set by the caller before ttp_diff_judge() */
    enum ttp_diff_outcome outcome;
    double untimed_us;  /* time of ops that have none on the other side */
    size_t unlike_runs; /* runs that do not have the ops of their side's first one */
};

/* Each side has at least one run. Without gaps only device time counts: in an untraced run the gaps
 * depend on the host. */
void ttp_diff_make(struct ttp_diff *out, const struct ttp_diff_side *base,
                   const struct ttp_diff_side *other, bool with_gaps, struct ttp_arena *arena);

static inline double ttp_diff_base_total(const struct ttp_diff_times *t)
{
    return t->base_us + t->base_gap_us;
}
static inline double ttp_diff_other_total(const struct ttp_diff_times *t)
{
    return t->other_us + t->other_gap_us;
}
/* How much more an iteration of the other side takes, gaps included where they count, in percent of
 * the base; 0 if the base has none. */
double ttp_diff_total_pct(const struct ttp_diff *diff);
/* The same of the device time alone: what a comparison says first. */
double ttp_diff_device_pct(const struct ttp_diff *diff);
/* Set limit and outcome. Sides that cannot be compared or trusted are undecided; else neither
 * device time nor that with gaps may be longer than the base's by more than `limit_pct`. INFINITY:
 * any may. It is proven by one run per side, by a significant test, or, if there are too few runs
 * for one, if every run exceeds every run of the base by as much. */
void ttp_diff_judge(struct ttp_diff *diff, double limit_pct);
/* Why the outcome is TTP_DIFF_UNDECIDED. */
const char *ttp_diff_why_undecided(const struct ttp_diff *diff);
/* Has that run the operations of another one: is it the same run, given twice? */
bool ttp_diff_is_same_run(const struct ttp_diff_run *a, const struct ttp_diff_run *b);
/* Is the device time of every run of one side longer than that of every run of the other? */
bool ttp_diff_sides_apart(const struct ttp_diff *diff);
/* Reasons to doubt a comparison that can be made: windows, clocks, architectures, missing work. One
 * sentence each. */
struct ttp_words ttp_diff_doubts(const struct ttp_diff *diff, struct ttp_arena *arena);
/* "pass", "fail" or "undecided"; empty: no limit. */
const char *ttp_diff_outcome_name(enum ttp_diff_outcome outcome);
/* Why the sides cannot be compared: one is truncated or damaged, was killed, has no device time, or
 * no op in common with the other. NULL: they can. */
const char *ttp_diff_incomparable(const struct ttp_diff *diff);
/* Can so few runs never show a significant difference? */
bool ttp_diff_has_too_few_runs(const struct ttp_diff *diff);
/* Of the run of a side that can be trusted least. */
const struct ttp_quality *ttp_diff_quality(const struct ttp_diff_side *side);

const char *ttp_diff_kind_name(enum ttp_diff_kind kind);
/* "cores", "memory": for JSON. */
const char *ttp_diff_change_name(size_t bit);
ttp_str ttp_diff_op_name(const struct ttp_diff *diff, const struct ttp_diff_op *op);
/* "Matmul", without name space and suffix: the code that an op of the base has; empty: none. */
ttp_str ttp_diff_base_code(const struct ttp_diff *diff, const struct ttp_diff_op *op);
/* "cores 32 to 64, in0_block_w 1 to 8", in the arena; empty if nothing changed. */
ttp_str ttp_diff_describe(const struct ttp_diff *diff, const struct ttp_diff_op *op,
                          struct ttp_arena *arena);

/* Times of the ops that tt-mlir says are of one place or kind. */
struct ttp_diff_origin {
    ttp_str name;
    uint32_t base_ops, other_ops;
    struct ttp_diff_times times; /* sums */
    double base_pct, other_pct;  /* of the device time of the ops of a side */
};
/* One for each text of that column, by the longest time of either side first; ops without a text
 * are "(not given)". Returns how many; 0: no op has one. */
size_t ttp_diff_origins(struct ttp_diff_origin **out, const struct ttp_diff *diff,
                        enum ttp_ops_text column, struct ttp_arena *arena);
/* ---- how devices relate ---- */

/* Times are of one iteration; means over the runs of a side. */
struct ttp_diff_mesh_figure {
    const char *name, *help;
    double base_us, other_us; /* NAN: unknown */
};
struct ttp_diff_mesh_times {
    double compute_us, excess_us, idle_us, wait_us, transfer_us; /* NAN: the side lacks it */
    double last;  /* collectives at which it was last, per iteration */
    size_t count; /* runs that have the device, or devices of the rank */
};
/* A device, or a rank: the most compute of its devices, and the mean of the rest. */
struct ttp_diff_mesh_device {
    int64_t rank, id; /* id -1: of a rank */
    ttp_str name, place;
    const char *host; /* NULL: unknown */
    struct ttp_diff_mesh_times base, other;
};
enum ttp_diff_straggler {
    TTP_STRAGGLER_NONE, /* neither side has one */
    TTP_STRAGGLER_SAME,
    TTP_STRAGGLER_MOVED, /* another device is it now */
    TTP_STRAGGLER_NEW,
    TTP_STRAGGLER_GONE,
};
struct ttp_diff_mesh_side {
    size_t ranks, missing, devices, iterations; /* of its first run, as what follows */
    ttp_str critical;                           /* device that computes longest */
    ttp_str straggler, op;                      /* empty: there is none */
    double straggler_us, op_us;                 /* excess of the device, and of that op */
};
#define TTP_DIFF_MESH_FIGURES 10
struct ttp_diff_mesh {
    bool known; /* both sides have a mesh of what their windows show */
    struct ttp_diff_mesh_side base, other;
    enum ttp_diff_straggler straggler;
    struct ttp_diff_mesh_figure figure[TTP_DIFF_MESH_FIGURES];
    size_t figures;
    struct ttp_diff_mesh_device *device; /* by rank and id */
    size_t devices;
    struct ttp_diff_mesh_device *rank;
    size_t ranks;
};
void ttp_diff_compare_meshes(struct ttp_diff_mesh *out, const struct ttp_diff_side *base,
                             const struct ttp_diff_side *other, struct ttp_arena *arena);
const char *ttp_diff_straggler_name(enum ttp_diff_straggler straggler);

/* Was any op of the run replayed from a trace? */
bool ttp_diff_is_traced(const struct ttp_report *report);

#endif
