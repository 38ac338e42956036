/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h - door of the mesh module: the operations of many ranks and devices as one run.
 *
 * Ranks come with one operations table each. The module finds which rows are one op, which devices
 * run a collective together, how the clocks of the devices relate, and which device waits for
 * which.
 *
 * Times are nanoseconds. A device's own time counts from its base cycle; common time is own time
 * plus theta, and theta of the reference is 0. Bounds hold as long as the clocks keep to the stated
 * rate; estimates carry a statistical error and no guarantee. Results live in the arena. */
#ifndef TTP_MESH_MESH_H
#define TTP_MESH_MESH_H

#include "base/field.h"
#include "device/device.h"
#include "ops/ops.h"

#define TTP_MESH_NONE     UINT32_MAX
#define TTP_MESH_MAX_RANK 1048575

/* What an op must do with other devices. */
enum ttp_mesh_kind {
    TTP_MESH_COMPUTE = TTP_WAITS_NOT,
    TTP_MESH_ALL_WAIT = TTP_WAITS_FOR_ALL,
    TTP_MESH_ONE_WAY = TTP_WAITS_FOR_SENDER,
    TTP_MESH_UNPROVEN = TTP_WAITS_UNPROVEN,
};

/* ---- what goes in ---- */

struct ttp_mesh_place { /* of a device, if a mapping file has it */
    int64_t device;     /* as the ops table has it */
    int64_t row, column;
};

/* Two clocks of a rank at one moment, as a synchronisation measured them. */
struct ttp_mesh_sync {
    int64_t root, device; /* ids */
    int64_t root_cycle, cycle;
};

struct ttp_mesh_reduced;

/* How the clock of a rank's host relates to those of others. HOST START TS of its table is ns since
 * a moment of its own. Ranks of one machine share a counter that never steps; host time is
 * REALTIME, which the first rank of a machine gives for all of them. */
struct ttp_mesh_host_clock {
    bool known;
    ttp_str machine;
    int64_t counter_at_0_ns; /* of the machine, when HOST START TS is 0 */
    int64_t realtime_ns;     /* REALTIME minus the counter */
    double rate;             /* ns of the counter for each ns of HOST START TS */
    double error_ns;         /* against other ranks of the machine */
    int64_t end_ns;          /* counter when the process had ended; 0: unknown */
};

struct ttp_mesh_nominal { /* clock of a device, as its rank noted it */
    int64_t device;       /* as the ops table has it */
    double ghz;
};

struct ttp_mesh_part { /* one rank */
    int64_t rank;
    int64_t mesh_id;     /* -1: unknown */
    const char *host;    /* NULL: unknown */
    ttp_str job;         /* ranks of different jobs are no run; empty: unknown */
    const char *name;    /* what to call its file in messages */
    struct ttp_ops *ops; /* of several ranks (ops->devices): only rows of this one count */
    const struct ttp_mesh_place *place;
    size_t places;
    const struct ttp_mesh_sync *sync;
    size_t syncs;
    const struct ttp_mesh_nominal *nominal; /* for devices whose rows do not tell */
    size_t nominals;
    struct ttp_mesh_host_clock clock;
    const struct ttp_mesh_reduced *table; /* instead of ops and places; NULL: those */
};

struct ttp_mesh_shift { /* given by the user: the first op of `rank` is op `steps` of the run
                         */
    int64_t rank, steps;
};

struct ttp_mesh_options {
    int64_t ranks; /* number of ranks; 0: taken from the highest number */
    const struct ttp_mesh_shift *shift;
    size_t shifts;
    const struct ttp_boards *boards; /* source of link rates; NULL: built in */
    double host_error_ns;            /* between clocks of different machines; 0: as NTP does */
    bool steady;                     /* clocks keep their rates over the run */
    bool link_model;                 /* a transfer takes at least what its links allow */
};
#define TTP_MESH_HOST_ERROR_NS 5e6 /* NTP: specification of the mesh, 4.2 */

/* ---- results ---- */

struct ttp_mesh_device {
    uint32_t part; /* index of its rank's part */
    int64_t rank, id;
    ttp_str name;  /* "1:3": rank and id */
    ttp_str place; /* "[0,3]": row and column; empty: unknown */
    const char *host;
    ttp_str arch;
    double ghz;
    int64_t base_cycle;
    bool placed; /* by a mapping file */
    bool has_place;
    int64_t row, column;
    uint32_t component; /* devices whose clocks relate to each other */
    size_t rows, rows_without_times, rows_aside;
    double rate_ppm; /* estimated, against the reference, over the run */

    double busy_us;               /* compute */
    double wait_us;               /* in collectives, for others */
    double transfer_us;           /* in collectives, once all are there */
    double exposed_us, hidden_us; /* collectives: not covered by compute of another sub-device */
    size_t stretches;
    double excess_us; /* straggler score: compute beyond the median of all devices */
    double gap_us;    /* the same of idle time: host and dispatch */
    ttp_str op;       /* with the largest excess */
    double op_us;
    double op_pct;     /* longer than the median in these ops; NAN */
    uint32_t since_op; /* from which op on it is slow; 0: from the start */
    double since_us;   /* when that began, since its own first op */
    size_t last;       /* collectives at which it was last beyond the statistical error */
    size_t certain;    /* and beyond the bound */
    size_t clear;      /* and beyond twice the bound */
    double cost_us;    /* mean wait at the collectives at which it was last */

    double path_excess_us; /* compute beyond the median on the critical path: a faster device saves
                              no more */

    double excess_each_us, excess_pct; /* per iteration of the window; NAN: no compute in it */
};

/* theta of a device at a moment. */
struct ttp_mesh_theta {
    double low, high, estimate, error; /* -INFINITY, INFINITY: not bounded; error: statistical */
};

enum ttp_mesh_origin {                      /* of groups */
                       TTP_MESH_FROM_ALL,   /* the ring has all devices */
                       TTP_MESH_FROM_FILES, /* coordinates of mapping files */
                       TTP_MESH_FROM_ORDER, /* coordinates from the order in which the host enqueues
                                             */
                       TTP_MESH_FROM_DATA,  /* clustered by when collectives end */
};

/* Devices that run collectives of one axis and size. */
struct ttp_mesh_axis {
    int64_t axis; /* -1: none, all devices */
    size_t size;  /* of its rings */
    enum ttp_mesh_origin origin;
    bool proven; /* another grouping would contradict the data */
    bool same_from_data;
    bool refused;              /* too many rows contradict: no clock rests on it */
    size_t rows, rows_against; /* at 2,000 ppm */
    uint32_t first_group, groups;
};
struct ttp_mesh_group {
    uint32_t axis; /* index */
    uint32_t *member;
    size_t members, missing;
};

/* A row of an ops table in its place. */
struct ttp_mesh_cell {
    uint32_t device;
    uint32_t row; /* of its part's table */
    int64_t start_cycle, end_cycle;
    double start, end; /* own time */
    double kernel_ns;  /* 0: unknown */
    int32_t sub_device;
    bool timed; /* it has both cycles, and the end is after the start */
    bool aside; /* contradicts the others: not used for clocks and skew */
};

/* What the op took, as reports count it. From its start to its end is more: firmware, which runs
 * while the op before it still computes. */
static inline double ttp_mesh_took_ns(const struct ttp_mesh_cell *cell)
{
    const double whole = cell->end - cell->start;

    return cell->kernel_ns > 0 && cell->kernel_ns < whole ? cell->kernel_ns : whole;
}

struct ttp_mesh_coordinate {
    bool known;
    int64_t row, column;
};
/* Of an op with traffic one way. */
struct ttp_mesh_ends {
    struct ttp_mesh_coordinate sender, receiver; /* one of them unknown: all other devices */
};

/* One op of the run. */
struct ttp_mesh_op {
    ttp_str code; /* in the arena */
    uint64_t signature;
    enum ttp_mesh_kind kind;
    bool fused;    /* it computes as well: its ends do not coincide */
    int64_t axis;  /* cluster axis; -1: none given */
    int64_t ring;  /* ring size; 0: none given */
    int64_t links; /* 0: none given */
    struct ttp_mesh_ends ends;
    bool ring_topology;
    double in_bytes, out_bytes;   /* of input 0 and output 0 of one device; 0: unknown */
    double in_volume, out_volume; /* elements */
    ttp_str shape;                /* of input 0, "1x1x32x1024" */
    uint32_t cells_at;            /* index of the first */
    uint32_t cells;
    uint32_t axis_at; /* index in axes; TTP_MESH_NONE: not a collective of a known group */
    double least_ns;  /* from a start to the end of another device, by the link model; else 0 */
    bool distrusted;  /* too many of its kind contradict: not used for clocks */
    double min_us, median_us, max_us;
    double hidden_us; /* of communication: mean over devices */
    uint32_t slowest; /* device */
};

/* A member of a collective. */
struct ttp_mesh_member {
    uint32_t device;
    uint32_t cell;
    double arrival, end; /* common time of the group, by estimate */
    double wait_us;      /* by clocks */
    double wait_own_us;  /* from durations alone */
    double shown_us;     /* the better of the two: by duration where ends coincide */
    double idle_us;      /* idle before it, beyond the median of the devices; host and dispatch */
};

/* One collective: an op on one group. */
struct ttp_mesh_collective {
    uint32_t op, group;
    struct ttp_mesh_member *member; /* those with usable times */
    size_t members, missing;
    bool aligned; /* clocks of all members are related; otherwise skew, last and transfer are
                     invalid */
    double skew_us, error_us; /* the bound */
    double spread_us;         /* statistical error */
    uint32_t last;            /* device; TTP_MESH_NONE: too close to call */
    double lead_us;           /* of the latest over the one before it */
    bool certain;             /* that is beyond the bound */
    uint32_t latest;          /* argmax, whatever the error */
    double transfer_us;
    double mean_wait_us;
    double second_us;  /* total gain if the last had arrived with the one before */
    double late_us;    /* how much earlier the last would have arrived without idle devices; NAN */
    double link_share; /* NAN: unknown */
};

struct ttp_mesh_moment {
    double at;                    /* common time */
    struct ttp_mesh_theta *theta; /* by device */
};

/* Devices whose clocks relate to each other. Only clocks of hosts relate them to the reference: add
 * `offset_us` to their common time to get the reference's. */
struct ttp_mesh_timeline {
    uint32_t first; /* device; its clock is that of the time line */
    size_t devices;
    bool related;                      /* what follows is known; the reference's is 0 */
    double offset_us, low_us, high_us; /* estimate, and bounds, maybe infinite */
};

struct ttp_mesh_rank {
    int64_t rank;
    int64_t mesh_id; /* -1: unknown */
    const char *host;
    size_t devices, ops;
    size_t unmatched;  /* ops without a partner in another rank */
    int64_t shift;     /* of its sequence against the longest one */
    int64_t *possible; /* shifts; INT64_MIN: pairs that are no shift */
    size_t possibles;
    size_t shifts; /* possible ones: more than one is in doubt */
    bool told;     /* by the user */
    bool by_host;  /* clocks of hosts decided between several */
    bool doubtful;
};

struct ttp_mesh_class_row { /* collectives of one code, axis and shape */
    ttp_str code, shape;
    int64_t axis;
    size_t ring, count, aligned;
    double skew_median_us, skew_p95_us;
    double wait_us;     /* mean over members, sum over the collectives */
    double transfer_us; /* sum, by the critical device */
    double transfer_median_us;
    double link_share; /* median; NAN */
    uint32_t last;     /* most often */
    size_t last_count;
};

struct ttp_mesh_worth { /* of an op code on the critical path */
    ttp_str code;
    size_t count;
    double compute_us, transfer_us;
    double share_pct;
};

struct ttp_mesh_path {
    double length_us; /* = span of the path */
    double compute_us, idle_us, transfer_us;
    struct ttp_mesh_worth *worth; /* the largest first */
    size_t worths;
    size_t turns; /* how often it goes to another device */
};

/* The iterations that figures per iteration are about. */
struct ttp_mesh_window {
    size_t iterations;                           /* at least 1 */
    size_t ops;                                  /* of all of them */
    const bool *inside;                          /* by op; NULL: all */
    const struct ttp_mesh_device *device;        /* by device, with the sums over these ops alone */
    double span_us, imbalance_us, ideal_gain_us; /* of all of them */
    double last_wait_us; /* of the imbalance, what the last cost beyond the one before it */
    double path_us, path_idle_us;
};

/* A measured difference of two clocks: theta_j - theta_i at a moment of j's time. */
struct ttp_mesh_measured {
    uint32_t i, j;
    double difference, at;
};

struct ttp_mesh {
    struct ttp_arena *arena; /* has all of it */
    size_t parts;
    struct ttp_mesh_rank *rank;
    int64_t *missing_rank;
    size_t missing_ranks;
    struct ttp_mesh_device *device;
    size_t devices;
    int64_t mesh_rows, mesh_columns; /* 0: no shape known */
    uint32_t *order; /* devices in row-major order, TTP_MESH_NONE for a missing one */
    size_t orders;
    struct ttp_mesh_axis *axis;
    size_t axes;
    struct ttp_mesh_group *group;
    size_t groups;
    struct ttp_mesh_op *op;
    size_t ops;
    struct ttp_mesh_cell *cell;
    size_t cells;
    struct ttp_mesh_collective *collective; /* by op, then group */
    size_t collectives;
    struct ttp_mesh_measured *measured; /* by synchronisations */
    size_t measures;
    struct ttp_mesh_class_row *class_row;
    size_t class_rows;

    uint32_t reference; /* device; TTP_MESH_NONE: no clock relates to another */
    size_t components;
    struct ttp_mesh_timeline *timeline; /* by component */
    struct ttp_mesh_moment *moment;     /* one for each op */
    uint32_t **op_of_step;              /* by part: the op that each of its programs is */
    struct ttp_mesh_moment grid[9];
    size_t grids;
    double inconsistency_ns;
    double rate_bound_ppm; /* the largest in use */
    size_t pairs, pair_rows, pair_rows_against;
    size_t pairs_by_rate[6]; /* 250, 500, 1000, 2000, 4000, 8000 ppm, before doubling */
    size_t collective_rows, rows_aside, rows_without_times;
    bool in_doubt;                 /* a shift is */
    struct ttp_mesh_window window; /* what follows and the devices are of the whole run */
    double span_us;
    double imbalance_us; /* sum of mean waits */
    double ideal_gain_us;
    double last_wait_us;
    double bound_us, estimate_us; /* typical half width and statistical error at collectives */
    size_t waits, waits_differ;   /* rows at which both ways to count the wait differ by more */
    struct ttp_mesh_path path;
    struct ttp_words notes; /* for human readers */
};

struct ttp_mesh_parts {
    const struct ttp_mesh_part *part;
    size_t parts;
};
/* Put the ranks together. TTP_EPARSE: two parts of one rank, or no op with device times. */
TTP_NODISCARD ttp_code ttp_mesh_make(struct ttp_mesh *out, struct ttp_mesh_parts in,
                                     const struct ttp_mesh_options *options,
                                     struct ttp_arena *arena, struct ttp_err *err);

/* The iterations of the run, in place of all of it as one: whether each op is inside them, which
 * the mesh keeps. */
void ttp_mesh_set_window(struct ttp_mesh *mesh, const bool *inside, size_t iterations);

static inline bool ttp_mesh_in_window(const struct ttp_mesh *mesh, uint32_t op)
{
    return !mesh->window.inside || mesh->window.inside[op];
}

/* theta of a cell's device when the cell starts, which is a cell of op `op`. */
struct ttp_mesh_theta ttp_mesh_theta_at(const struct ttp_mesh *mesh, uint32_t op,
                                        const struct ttp_mesh_cell *cell);
/* May it be shown in the time of the reference? *offset_ns: what to add for that; *error_ns: how
 * far that may be off. False: nothing relates the clocks. */
bool ttp_mesh_related(const struct ttp_mesh *mesh, uint32_t device, double *offset_ns,
                      double *error_ns);
/* How far a time with theta's estimate may be off. */
double ttp_mesh_theta_error(const struct ttp_mesh_theta *theta);

/* ---- a run in a few figures, to compare it with others ---- */

/* Compute, waits and transfers of a device over the run. */
double ttp_mesh_device_time(const struct ttp_mesh_device *device);
/* How many devices compute longer than the median of all by more than this part of their time? */
#define TTP_MESH_STRAGGLER_PART 0.02
size_t ttp_mesh_slow_devices(const struct ttp_mesh *mesh);
/* Is it one of these, and are they few? */
bool ttp_mesh_is_straggler(const struct ttp_mesh *mesh, uint32_t device);

/* Times are of one iteration; those of collectives are means over the devices. */
struct ttp_mesh_summary {
    uint32_t critical; /* device that computes longest; TTP_MESH_NONE: there is none */
    double compute_us; /* of that device */
    double wait_us, transfer_us, exposed_us, hidden_us;
    double imbalance_us, ideal_gain_us;
    double span_us, path_us;            /* from the first start to the last end; critical path */
    bool aligned;                       /* there is a collective whose members have one clock: */
    double skew_median_us, skew_p95_us; /* of a collective; NAN */
    uint32_t straggler;                 /* the slowest of them; TTP_MESH_NONE: there is none */
    double straggler_us;                /* its excess */
};
void ttp_mesh_summarise(struct ttp_mesh_summary *out, const struct ttp_mesh *mesh);

/* Kinds of these collectives of the mesh: how many there are. */
size_t ttp_mesh_list_classes(struct ttp_mesh_class_row **out, const struct ttp_mesh *mesh,
                             const struct ttp_mesh_collective *collective, size_t collectives,
                             struct ttp_arena *arena);

/* ---- a rank, reduced to what others need of it: docs/formats/ttpart.md ---- */

/* Of a run of that many ranks, 0: unknown. *out NULL: no op of the rank ran on a device. */
TTP_NODISCARD ttp_code ttp_mesh_reduce(struct ttp_mesh_reduced **out,
                                       const struct ttp_mesh_part *part, int64_t ranks,
                                       struct ttp_arena *arena, struct ttp_err *err);
int64_t ttp_mesh_rank_of(const struct ttp_mesh_reduced *table);
void ttp_mesh_write_reduced(struct ttp_sink *out, const struct ttp_mesh_reduced *table);
/* TTP_EPARSE: another kind of file, or damaged. */
TTP_NODISCARD ttp_code ttp_mesh_read_reduced(struct ttp_mesh_reduced **out, ttp_str text,
                                             struct ttp_arena *arena, struct ttp_err *err);

/* ---- ranks merged by their tables alone, maybe in several processes ---- */

/* Rows are sums, least and most of whole numbers: in which order they are added makes no
 * difference. They travel as they are; texts are cut and end with 0. */
struct ttp_merge_key {
    uint32_t line; /* ranks of one mesh, which relate their clocks */
    uint32_t ordinal;
    uint32_t group; /* of a collective, from 1 */
    uint32_t count; /* devices */
};
struct ttp_merge_op {
    struct ttp_merge_key key;
    int64_t min_ns, max_ns, total_ns, median_ns;
    int64_t rank, device; /* the slowest */
    int64_t axis;
    uint32_t kind, ring;
    char code[64], shape[32];
};
struct ttp_merge_meeting {
    struct ttp_merge_key key;
    int64_t first_ns, last_ns, second_ns; /* arrivals in common time */
    int64_t end_ns;                       /* the last */
    int64_t shortest_ns, total_ns;        /* durations */
    int64_t rank, device;                 /* the last to arrive */
    uint32_t aligned, fused;              /* members whose clock relates to the others' */
};
struct ttp_merge_device {
    int64_t rank, id, row, column; /* -1: no place */
    double ghz;
    int64_t rows, untimed;
    int64_t compute_ns, idle_ns, wait_ns, excess_ns, op_ns;
    int64_t last, certain; /* collectives at which it was last; by the root */
    double bound_us, error_us;
    char op[64], arch[32];
};
struct ttp_merge_rank {
    int64_t rank, size, mesh_id, shift;
    uint32_t devices, ops, unmatched, shifts;
    uint32_t sent_bytes; /* for the alignment of clocks */
    uint32_t missing, doubtful;
    char host[64], error[160];
};

/* Add row `from` to row `into`, which has the same key. */
struct ttp_merge_sum {
    size_t size;
    void (*add)(void *into, const void *from);
};
/* Two tables, each by key, as one. */
ttp_str ttp_mesh_merge_add(ttp_str a, ttp_str b, const struct ttp_merge_sum *how,
                           struct ttp_arena *arena);

/* How processes exchange; all call the same in the same order. */
struct ttp_merge_net {
    void *arg;
    /* What each member has, to every member. */
    ttp_code (*all)(void *arg, bool member, ttp_str mine, ttp_str **out, size_t *count,
                    struct ttp_arena *arena, struct ttp_err *err);
    /* The sum of all tables, to everybody. */
    ttp_code (*sum)(void *arg, ttp_str *table, const struct ttp_merge_sum *how,
                    struct ttp_arena *arena, struct ttp_err *err);
    /* What each has, to the root; *count is 0 elsewhere. */
    ttp_code (*root)(void *arg, ttp_str mine, ttp_str **out, size_t *count, struct ttp_arena *arena,
                     struct ttp_err *err);
    bool is_root;
};

struct ttp_merge {
    struct ttp_arena *arena; /* has all of it */
    struct ttp_merge_rank *rank;
    size_t ranks, missing, failed, doubtful;
    struct ttp_merge_device *device;
    size_t devices;
    struct ttp_merge_op *op;
    size_t ops;
    struct ttp_merge_meeting *meeting;
    size_t meetings;
    /* Of the worst clocks, in the middle of the run: a device is last beyond twice the statistical
     * error, certainly beyond twice the bound. */
    double bound_us, error_us;
    struct ttp_words notes;
};

/* Tables of ranks, and ranks that could not be read. `net` NULL: all are here. Elsewhere than at
 * the root the result is empty. */
TTP_NODISCARD ttp_code ttp_mesh_merge_tables(struct ttp_merge *out,
                                             struct ttp_mesh_reduced *const *table, size_t tables,
                                             const struct ttp_merge_rank *failed, size_t nfailed,
                                             const struct ttp_mesh_options *options,
                                             const struct ttp_merge_net *net,
                                             struct ttp_arena *arena, struct ttp_err *err);
/* What to call a rank that cannot be read. */
struct ttp_merge_rank ttp_mesh_merge_failed(int64_t rank, const char *why);

/* ---- one CSV of all ranks ---- */

/* Op by op, its rows on all devices; before its op what only the host did. The columns are RANK,
 * HOST, MESH ID and MESH COORD, then those of the ranks' own CSVs, text[i] of part i by rank, then
 * OP ORDINAL, the aligned times with their error, and waits. TTP_EPARSE: a text is not the one that
 * its part was made of. */
struct ttp_mesh_texts {
    const ttp_str *text; /* by part */
    int64_t device;      /* only rows of this one in each rank, and those of the host; -1: all */
};
TTP_NODISCARD ttp_code ttp_mesh_write_csv(struct ttp_sink *out, const struct ttp_mesh *mesh,
                                          struct ttp_mesh_texts texts, struct ttp_arena *arena,
                                          struct ttp_err *err);

/* The same table in memory: from[i] has the rows of part i, rows[i] how many these are. Drop it
 * after reading. */
TTP_NODISCARD struct ttp_ops_rows *ttp_mesh_merge_rows(const struct ttp_mesh *mesh,
                                                       struct ttp_ops_rows *const *from,
                                                       const size_t *rows, struct ttp_arena *arena);

/* Index of the first collective of an op; those of one op follow one another. */
size_t ttp_mesh_first_collective(const struct ttp_mesh *m, uint32_t op);

/* By cell: the line of its row in that CSV. rows[p]: how many the CSV of part p has. */
const uint32_t *ttp_mesh_lines(const struct ttp_mesh *mesh, const size_t *rows,
                               struct ttp_arena *arena);

/* ---- figures: declared once, shown in every format ---- */

/* Rows of the struct that the name says, in the context of a struct ttp_mesh. */
extern const struct ttp_fields ttp_mesh_device_fields;
extern const struct ttp_fields ttp_mesh_straggler_fields; /* of devices */
extern const struct ttp_fields ttp_mesh_class_fields;
extern const struct ttp_fields ttp_mesh_collective_fields;
extern const struct ttp_fields ttp_mesh_axis_fields;
extern const struct ttp_fields ttp_mesh_worth_fields;
extern const struct ttp_fields ttp_mesh_rank_fields;
extern const struct ttp_fields ttp_mesh_run_fields; /* of the struct ttp_mesh itself */

#endif
