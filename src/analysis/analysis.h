/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.h - door of the analysis module: from the operations table to what a report shows.
 *
 * Results live in the arena the caller passes; names are symbols of the operations table. */
#ifndef TTP_ANALYSIS_ANALYSIS_H
#define TTP_ANALYSIS_ANALYSIS_H

#include "base/field.h"
#include "device/device.h"
#include "diagnosis/diagnosis.h"
#include "ops/ops.h"

/* Messages of the analysis, in order. */
enum ttp_note_level { TTP_NOTE_STATUS, TTP_NOTE_WARNING };
struct ttp_note {
    enum ttp_note_level level;
    ttp_str text;
};
struct ttp_notes {
    struct ttp_arena *arena;
    struct ttp_note *item;
    size_t count;
};

enum ttp_op_kind { TTP_OP_DEVICE, TTP_OP_HOST, TTP_OP_SIGNPOST };
enum ttp_bound {
    TTP_BOUND_NONE,
    TTP_BOUND_DRAM,
    TTP_BOUND_FLOP,
    TTP_BOUND_BOTH,
    TTP_BOUND_SLOW,
    TTP_BOUND_HOST
};
/* How much of the roofline is known for this kind of op. */
enum ttp_bound_analysis {
    TTP_ANALYSED_NONE,
    TTP_ANALYSED_FLOPS,
    TTP_ANALYSED_FULL,
    TTP_ANALYSED_BYTES, /* its traffic, from shapes and datatypes */
};
/* Whether the math fidelity suits the datatypes, and why: the text is ttp_analysis_fidelity_text().
 */
enum ttp_fidelity_verdict {
    TTP_FIDELITY_UNKNOWN,
    TTP_FIDELITY_SUFFICIENT,
    TTP_FIDELITY_HIGH,
    TTP_FIDELITY_LOW
};
/* The reason, named after what would suffice. */
enum ttp_fidelity_reason {
    TTP_REASON_NONE,
    TTP_REASON_INTEGER,
    TTP_REASON_UNKNOWN_IN0,
    TTP_REASON_UNKNOWN_IN1,
    TTP_REASON_UNKNOWN_OUT,
    TTP_REASON_HIFI2_MAY_DO,
    TTP_REASON_HIFI4_FOR_BF16,
    TTP_REASON_HIFI_FOR_BF16,
    TTP_REASON_HIFI2_FOR_BFP4_OUT,
    TTP_REASON_HIFI2_NOT_HIFI3_FOR_BFP4_OUT,
    TTP_REASON_LOFI_MAY_DO,
    TTP_REASON_HIFI2_FOR_LARGE,
    TTP_REASON_HIFI2_FOR_BFP8,
    TTP_REASON_HIFI2_NOT_HIFI3_FOR_BFP8,
    TTP_REASON_HIFI2_FOR_WEIGHTS,
    TTP_REASON_HIFI2_FOR_LARGE_BFP4_OUT,
    TTP_REASON_LOFI_FOR_BFP4,
};

/* Which figures of an op are present. */
enum ttp_has {
    TTP_HAS_DEVICE = 1 << 0,
    TTP_HAS_TIME = 1 << 1,
    TTP_HAS_GAP = 1 << 2,
    TTP_HAS_DRAM = 1 << 3,
    TTP_HAS_DRAM_PCT = 1 << 4,
    TTP_HAS_FLOPS = 1 << 5,
    TTP_HAS_FLOPS_PCT = 1 << 6,
    TTP_HAS_TOTAL = 1 << 7,
    TTP_HAS_BLOCK_W = 1 << 8,
    TTP_HAS_SUBBLOCK_H = 1 << 9,
    TTP_HAS_SUBBLOCK_W = 1 << 10,
    TTP_HAS_AVAILABLE = 1 << 11,
    TTP_HAS_OVERLAP = 1 << 12,
    TTP_TIME_IS_INT = 1 << 13,      /* a missing duration is the integer 0: plain_times */
    TTP_DURATION_INVALID = 1 << 14, /* set aside: impossible, or not measured */
    TTP_DRAM_SHARDED = 1 << 15,
    TTP_HAS_FILL = 1 << 16,
    TTP_HAS_LINK = 1 << 17,
    TTP_ONLY_CAPTURED = 1 << 18, /* a call that went into a trace: its replays ran, it did not */
    TTP_HAS_SPREAD = 1 << 19,    /* its time is a mean of several iterations */
    TTP_HAS_WAIT = 1 << 20,
    TTP_HAS_SKEW = 1 << 21,
};

/* One operation as reports show it. */
struct ttp_op {
    uint32_t row; /* of the table, from 0; users see the number + 2, its line in the file */
    uint32_t has; /* enum ttp_has */
    ttp_sym raw_code, code, fidelity_text;
    ttp_sym name; /* what users see in every verb: "Matmul 32 x 4096 x 32064" */
    ttp_sym in0_datatype, in1_datatype, out_datatype;
    ttp_sym in0_memory, sub_device;
    /* by the rules: the digits of such a size from INT64_MAX on, otherwise missing */
    ttp_sym block_w_digits, subblock_h_digits, subblock_w_digits;
    int64_t device;
    struct ttp_cell cores, calls;
    int64_t available_cores;
    double time_us, gap_us, overlap_us;
    double min_us, max_us; /* of its time in the iterations */
    double wait_us; /* of a collective: what devices waited for others, mean; not in time_us */
    double skew_us; /* too: last arrival minus first, of the group with the most */
    ttp_sym last;   /* too: the device that arrived last; missing: unknown */
    uint32_t devices, among; /* of several ranks: how many ran it, of how many; 0: unknown */
    double dram_gbs, dram_pct, tflops, flops_pct, total_pct;
    double dram_bytes;
    double link_gbs; /* sent to other chips */
    double fill_pct; /* elements of its tensors that are not padding */
    int64_t block_w, subblock_h, subblock_w;
    uint8_t kind, bound, category, analysed, limit; /* limit: enum ttp_limit */
    uint8_t verdict, verdict_reason; /* enum ttp_fidelity_verdict, ttp_fidelity_reason */
};

enum ttp_group_by {
    TTP_GROUP_MEMORY,
    TTP_GROUP_OP,
    TTP_GROUP_CATEGORY,
    TTP_GROUP_LOCATION, /* what follows is of tt-mlir; ops without are a group of their own */
    TTP_GROUP_CONST_EVAL,
    TTP_GROUP_PROGRAM,
};

/* ---- phases: which part of a run counts ---- */

/* A range between two signposts. */
struct ttp_range {
    ttp_str name;    /* of the signpost that opens it */
    uint32_t number; /* of ranges of that name, from 0 */
    uint32_t parent; /* counted from 1; 0: none */
    uint32_t before; /* the range of that name before it, counted from 1; 0: none */
    uint32_t depth;
    uint32_t first_row, last_row; /* rows of the table [first, last) */
    bool has_rank;                /* they are those of `rank`; else of all devices there */
    int64_t rank;
    /* Hosts of one run mark the same ranges: that of the first host, which represents all of them,
     * and the next host's; counted from 1, 0: none. */
    uint32_t first_of, next;
    bool open;              /* one signpost alone: to the end of the run */
    size_t devices;         /* that ran ops in it */
    size_t ops;             /* of one of them: the median */
    size_t replays;         /* of traces */
    double time_us, gap_us; /* device time and gaps: the median over its devices */
    double share_pct;       /* of the device time of the run, both of all devices */
};
struct ttp_ranges {
    struct ttp_range *item; /* parents before what is in them; those of other hosts among them */
    size_t count;
    size_t posts; /* signposts of the run */
};

enum ttp_window_kind {
    TTP_WINDOW_WHOLE,
    TTP_WINDOW_REPLAY,     /* replays of a trace */
    TTP_WINDOW_SIGNPOSTS,  /* a range between signposts */
    TTP_WINDOW_REPETITION, /* ops that repeat one another */
};
/* What the rows of the run are. */
enum ttp_phase {
    TTP_PHASE_SETUP,     /* ops that no iteration has */
    TTP_PHASE_COLD,      /* first run of a program that iterations have */
    TTP_PHASE_CAPTURE,   /* recorded into a trace; what ran are its replays */
    TTP_PHASE_WARMUP,    /* ran before, and is not counted */
    TTP_PHASE_ITERATION, /* in the window */
    TTP_PHASE_AFTER,
    TTP_PHASES,
};
struct ttp_phase_total {
    size_t ops;
    double time_us; /* of all devices */
};

/* The part of a run that a report is about, and its measures. Times are device kernel time of one
 * iteration, collectives with their waits included; with several devices the median over those
 * that have ops in the window. */
struct ttp_window {
    enum ttp_window_kind kind;
    ttp_str name;      /* of the trace or range; empty: none */
    size_t iterations; /* at least 1 */
    size_t warmups;    /* iterations in front that are left out */
    double device_us;  /* mean of the iterations */
    double min_us, max_us;
    double min_total_us, max_total_us; /* of the same iterations with the gaps inside */
    double gap_us;                     /* inside an iteration */
    double between_us;                 /* median wait between two iterations; NaN: too few */
    size_t ops;                        /* of an iteration */
    size_t devices;
    uint32_t first_row, last_row; /* of all iterations */
    double share_pct;             /* of the device time of the run */
    double cold_s;                /* waited for programs that ran for the first time */
    size_t compiled_programs;
    struct ttp_phase_total phase[TTP_PHASES];
};
/* One iteration of the window on one device: the mean of its time, waits in collectives included.
 */
struct ttp_device_time {
    int64_t device; /* number in the table of ops */
    size_t ops;
    double time_us, gap_us;
};
const char *ttp_analysis_window_kind_name(enum ttp_window_kind kind);

/* ---- quality: can the numbers be trusted? ---- */

enum ttp_quality_level {
    TTP_QUALITY_GOOD,
    TTP_QUALITY_UNKNOWN, /* the file does not say */
    TTP_QUALITY_CAUTION, /* valid with reservations */
    TTP_QUALITY_BAD,     /* numbers are wrong or missing */
};
enum ttp_quality_check {
    TTP_CHECK_LOGS,       /* markers that were dropped, logs that are not complete */
    TTP_CHECK_TIMES,      /* ops without device time */
    TTP_CHECK_COUNTERS,   /* cycle counters that went backwards */
    TTP_CHECK_CLOCK,      /* the clock changed */
    TTP_CHECK_OVERHEAD,   /* what the profiler adds */
    TTP_CHECK_ITERATIONS, /* too few, or uneven */
    TTP_CHECK_WINDOW,     /* iterations or devices that did different things */
    TTP_CHECKS,
};
struct ttp_quality_item {
    enum ttp_quality_level level;
    ttp_str text;
    const char *to_do; /* NULL: nothing */
};
struct ttp_quality {
    enum ttp_quality_level level; /* of the worst item that is known */
    struct ttp_quality_item item[TTP_CHECKS];
};
const char *ttp_analysis_quality_name(enum ttp_quality_level level);
const char *ttp_analysis_check_name(enum ttp_quality_check check);
/* What the checks say to do names the run: `name`, as a shell takes it, in place of RUN. */
void ttp_analysis_name_run(struct ttp_quality *quality, ttp_str name, struct ttp_arena *arena);
/* The first check that makes the verdict; NULL: nothing is wrong. */
const struct ttp_quality_item *ttp_analysis_worst_check(const struct ttp_quality *quality);

/* An iteration of the same work without the profiler, as a benchmark measured it. */
struct ttp_unprofiled {
    double iteration_us;
    ttp_str source; /* "run 12 of the history, metric 'decode'" */
};
struct ttp_report;
/* The overhead of the profiler by that, in place of the estimate. */
void ttp_analysis_set_unprofiled(struct ttp_report *report, const struct ttp_unprofiled *without);

/* ---- the machine during the window ---- */

/* Of the chip that lost most. NaN: unknown. */
struct ttp_machine_use {
    bool known;   /* the run has a machine log, and the window was observed */
    ttp_str chip; /* its bus address */
    double full_mhz, mean_mhz;
    double low_mhz;  /* the least, if it was below the full clock; else 0 */
    double low_pct;  /* share of the time that it was */
    double loss_pct; /* what the window takes longer for it, at most: only what waits for DRAM,
                        links or the host does not follow the clock */
    double power_w, power_max_w, power_limit_w;
    double temperature_max_c, heat_limit_c;
    int64_t trips;              /* thermal shutdowns in the window */
    enum ttp_throttle throttle; /* the limit it was at most of that time */
};

/* The device whose iterations take the median time; of an even number of devices two of them. */
struct ttp_middle {
    int64_t device[2];
    size_t devices; /* 0: rows are not those of one device */
};

struct ttp_report_options;

struct ttp_stage;
struct ttp_rows;

/* Messages in other words than ours. */
struct ttp_analysis_talk {
    const char *warning; /* prefix of each warning about devices; all of them are printed */
    void (*order)(struct ttp_notes *notes, bool sorted);
    void (*devices)(struct ttp_notes *notes, size_t devices, bool apart);
    void (*range)(struct ttp_notes *notes, const struct ttp_report_options *options);
    void (*unclassified)(struct ttp_notes *notes, ttp_str word);
};

/* How ops are analysed; all zero: unknown or impossible values are omitted and reported. */
struct ttp_analysis_rules {
    bool strict;      /* a column or cell that a figure needs and that is invalid is TTP_EPARSE */
    bool by_name;     /* host ops, "(torch)", and signposts, "signpost", are known by name only */
    bool plain_times; /* durations and gaps as they are written: none is impossible, figures of a
                         missing one are NaN, and ops that overlap are not looked for */
    bool any_cores; /* any number may count cores; convolutions are compared with all of the chip */
    bool endless_sizes; /* sizes beyond 64 bits are kept as digits */
    bool zero_unbound;  /* an op at 0 % of a peak has no bound */
    bool signed_gaps;   /* negative gaps reduce the total */
    bool gap_shares;    /* the share of an op has its gap, and is one of all times and gaps */
    bool file_order;    /* rows of merged devices in the order of the file, none of them if there is
                           not a device op; replays are not merged */
    bool counts_all;    /* ops are counted before they are filtered */
    bool no_models;     /* traffic, limits and roofline are not computed */
    bool no_hifi3;      /* that fidelity has no peak */
    bool no_exponents;  /* block formats count without their exponents */
    bool layouts_only;  /* memory without '_' in its name is in no group of the summary */
    bool over_peak;     /* shares above 100 % decide bounds, too */
    bool plain_shapes;  /* transposed inputs count as they are written */
    bool may_be_empty;  /* a report without operations is valid */
    int dram_workers;   /* cores of a DRAM-sharded matmul; 0: as the chip has */
    enum ttp_category (*category)(ttp_str code);                        /* NULL: ours */
    ttp_code (*architecture)(struct ttp_stage *s, struct ttp_err *err); /* stage; NULL: ours */
    ttp_code (*window)(struct ttp_stage *s, struct ttp_rows *rows,
                       struct ttp_err *err); /* stage; NULL: ours */
    const struct ttp_analysis_talk *talk;    /* NULL: ours */
};

struct ttp_report_options {
    const struct ttp_analysis_rules *rules; /* NULL: ours */
    /* auto, all, cold, capture, iteration=N, range=NAME or trace=N; NULL: auto, or whatever the
     * signposts and ids below choose */
    const char *window;
    const char *start_signpost, *end_signpost;
    bool ignore_signposts, print_signposts;
    bool has_id_range, has_id_from, has_id_to;
    int64_t id_from, id_to;
    ttp_str id_from_text, id_to_text; /* as they are printed */
    const char *arch;                 /* NULL: from the file */
    const struct ttp_boards *boards;  /* source of the figures; NULL: built in */
    bool tracing_mode, no_host_ops, no_merge_devices;
    bool by_rank;       /* merge the devices of each rank only */
    bool median_device; /* rows of the device with the median time, which add up to that of the
                           window, instead of one row for all devices */
    bool check;         /* for the front end: a run that cannot be trusted is a finding */
    const char *rank, *device; /* only these: "1"; "1:3", or "3" of every rank; NULL: all */
    int64_t
        active_experts; /* experts that a sparse matmul runs per input group; 0: as the file says */
};

struct ttp_report {
    const struct ttp_ops *ops; /* the table it was made of */
    struct ttp_symtab *syms;
    const struct ttp_arch *arch;
    const struct ttp_boards *boards; /* the table that arch is from; NULL: built in */
    int64_t worker_cores;            /* of the chip, or the largest budget seen */
    enum ttp_ops_format format;
    bool merged; /* one row represents the same op on all devices */
    struct ttp_middle middle;
    /* What ttp_analysis_tensor() found: in a text, by symbol of `ops`; by program, or NULL. */
    struct ttp_size_word *size_word;
    size_t nsize_words;
    struct ttp_program_tensors *tensors;
    const struct ttp_known_family *family; /* by symbol of `ops`; see ttp_analysis_family() */
    size_t nfamilies;
    bool has_in0_datatype, has_in1_datatype, has_out_datatype; /* does the file have the columns? */

    struct ttp_window window; /* all zero if the rules choose the rows */
    /* By row of the table, NULL too if the rules choose them: in an iteration of the window; the
     * first run of a program; a call that only went into a trace (NULL: none did); the program, 0:
     * it did not run on a device. Rows of a program have equal texts about the op and its tensors.
     */
    const bool *in_window, *first_run, *captured;
    const uint32_t *program_of;
    uint32_t programs;                         /* they are below this number */
    const struct ttp_device_time *device_time; /* too: devices with ops in the window */
    size_t device_times;
    struct ttp_ranges ranges;   /* too */
    struct ttp_quality quality; /* too */
    struct ttp_machine_use machine;

    struct ttp_op *op;
    size_t count;
    size_t device_ops, host_ops, signposts; /* of the rows shown; see `counts_all` */
    size_t invalid_durations;
    size_t captured_ops;    /* of device_ops, those with TTP_ONLY_CAPTURED */
    double time_us, gap_us; /* sums over the rows shown */
    double wait_us;    /* too: what devices wait for each other in collectives; not in time_us */
    bool waits_inside; /* the waits of ops are part of their times, and wait_us is 0 */
    double busy_us;    /* time_us with overlapping ops counted once */
    bool partitioned;  /* ops ran on parts of the grid */
    bool has_sub_devices;
    bool has_roofline;
    double roofline_gbs, roofline_pct; /* DRAM traffic of modelled ops over the busy time */
    struct ttp_notes notes;
    /* Advice for the column of an op; NULL: none. */
    ttp_str (*advise)(const struct ttp_report *report, const struct ttp_op *op);
    const struct ttp_finding_rules *advice; /* of whoever advises; NULL: its own */
};

/* The part of the run that a report with these options is about, and nothing else: `window` and
 * what is known by row of the table. */
TTP_NODISCARD ttp_code ttp_analysis_find_window(struct ttp_report *out, struct ttp_ops *ops,
                                                const struct ttp_report_options *options,
                                                struct ttp_arena *arena, struct ttp_err *err);

/* Run the whole pipeline: architecture, order, signpost window, devices, numbers, bounds, filters.
 * `ops` is not changed except for new symbols. On failure out->notes holds what was found until
 * then. TTP_EPARSE: a column or cell that the report needs is missing or invalid. */
TTP_NODISCARD ttp_code ttp_analysis_run(struct ttp_report *out, struct ttp_ops *ops,
                                        const struct ttp_report_options *options,
                                        struct ttp_arena *arena, struct ttp_err *err);

/* Did the device wait for this op's program because it ran for the first time: for its compilation
 * or its binaries, and not for the host's next call? */
bool ttp_analysis_is_cold(const struct ttp_report *report, const struct ttp_op *op);

/* The sentence of a verdict, empty if there is none. */
ttp_str ttp_analysis_fidelity_text(const struct ttp_report *report, const struct ttp_op *op,
                                   struct ttp_arena *arena);

/* Names as people say them: "Matmul 32 x 64 x 32", not "MatmulDeviceOperation 32 x 64 x 32". */
ttp_str ttp_analysis_brief_name(ttp_str name, struct ttp_arena *arena);

const char *ttp_analysis_bound_name(enum ttp_bound bound); /* "" for none */
/* What limits the op, on every screen and in every format: what the diagnosis found, else the peak
 * that it reaches. */
enum ttp_limit ttp_analysis_limit(const struct ttp_op *op);
/* What is known of an op, as the diagnosis asks for it. */
void ttp_analysis_symptoms(struct ttp_symptoms *out, const struct ttp_report *report,
                           const struct ttp_op *op);
/* The evidence for an op's limit in one sentence, in the arena. */
ttp_str ttp_analysis_limit_text(const struct ttp_report *report, const struct ttp_op *op,
                                struct ttp_arena *arena);
/* Input 0, input 1, output 0. */
enum ttp_which_tensor { TTP_TENSOR_IN0, TTP_TENSOR_IN1, TTP_TENSOR_OUT, TTP_WHICH_TENSORS };
struct ttp_tensor_size {
    double padded, logical; /* elements */
    double bytes;           /* of the padded ones, exponents of block formats included */
    bool in_dram;
};
/* False: the file does not have its shape or datatype. */
bool ttp_analysis_tensor(struct ttp_tensor_size *out, const struct ttp_report *report,
                         const struct ttp_op *op, enum ttp_which_tensor tensor);
/* What the name of an op says, found once per name. */
struct ttp_known_family {
    bool known;
    struct ttp_op_family is;
};
struct ttp_op_family ttp_analysis_family(const struct ttp_report *report, ttp_sym code);
/* A text of the row of an op; empty: it is missing. */
ttp_str ttp_analysis_text(const struct ttp_report *report, const struct ttp_op *op,
                          enum ttp_ops_text column);
/* A number of the row of an op, in the file's unit; false: it is missing. */
bool ttp_analysis_cell(const struct ttp_report *report, const struct ttp_op *op,
                       enum ttp_ops_number column, double *out);

/* Compensated sum (Neumaier), as Python's sum() since 3.12: rows add up to the same last digit. */
struct ttp_sum {
    double sum, error;
};
void ttp_analysis_sum_add(struct ttp_sum *s, double x);
double ttp_analysis_sum_value(const struct ttp_sum *s);

/* ---- columns: every number and text of an op by name ---- */

/* Fields of a struct ttp_op in the context of its struct ttp_report. */
extern const struct ttp_fields ttp_op_fields;
/* The ops of a report, to be selected from. */
struct ttp_records ttp_analysis_records(const struct ttp_report *report);

/* ---- the roofline: work per byte moved, relative to the chip's peaks ---- */

/* A ceiling of the whole chip. */
struct ttp_roof {
    const char *name; /* "HiFi2", "DRAM" */
    bool of_memory;   /* its peak is in GB/s and rises with the work for each byte; else TFLOPs */
    double peak;
    const char *cause; /* why it is where it is */
    size_t ops;        /* that are below it: of its fidelity, or of its memory */
};
#define TTP_ROOFS_MAX 8

/* An op that computes and moves data. */
struct ttp_roof_point {
    size_t op;               /* index in the report */
    double intensity;        /* FLOP for each byte */
    double tflops, gbs;      /* what it reached */
    uint8_t compute, memory; /* its roofs */
    uint8_t held_by;         /* the lower of the two at its intensity */
    double roof_tflops;      /* there */
    double reached_pct;      /* of that */
};

struct ttp_roofline {
    struct ttp_roof roof[TTP_ROOFS_MAX];
    size_t roofs;
    struct ttp_roof_point *point; /* in the order of the rows */
    size_t points;
    double time_us; /* of these */
    /* rows that have no place there: they compute nothing, or their sizes are unknown */
    size_t moving, unknown;
    double moving_us, unknown_us;
};
/* Of the ops at `row`. Bytes are those of the memory that takes longer to move them, DRAM or L1. */
void ttp_analysis_roofline(struct ttp_roofline *out, const struct ttp_report *report,
                           const size_t *row, size_t rows, struct ttp_arena *arena);

/* ---- repeated replays and layers ---- */

enum ttp_fold_kind {
    TTP_FOLD_OPS, /* a few ops that follow each other */
    TTP_FOLD_LAYER,
    TTP_FOLD_REPLAY,
};
const char *ttp_analysis_fold_name(enum ttp_fold_kind kind);

/* `repeats` times the same `rows` ops one after the other, from op `first` on. */
struct ttp_fold {
    enum ttp_fold_kind kind;
    size_t first, rows, repeats;
    double time_us, time_pct; /* of all of them */
    double min_us, max_us;    /* of one repetition */
};
struct ttp_folds {
    struct ttp_fold *item; /* in op order, without overlap */
    size_t count;
    /* In the first repetition of those that are replays: its layers. Times are those of all
     * replays. */
    struct ttp_fold *inner;
    size_t inners;
};
/* Replays of a trace by their sessions first, then layers in them and in the rest. */
void ttp_analysis_fold(struct ttp_folds *out, const struct ttp_report *report,
                       struct ttp_arena *arena);

/* ---- the summary: ops grouped by name, memory or category ---- */

struct ttp_group {
    ttp_str key;
    int64_t device; /* when grouped per device */
    double time_us, time_pct;
    size_t count;
    enum ttp_category category;
    bool time_is_int; /* no duration at all in any group */
    bool has_flops, has_std, has_weighted;
    double flops_min, flops_max, flops_mean, flops_std, flops_weighted;
};

struct ttp_summary {
    struct ttp_group *group; /* by time, the longest first; equal times by key */
    size_t count;
    bool per_device;
    bool empty; /* no op takes part */
    double time_us;
    enum ttp_group_by by;
    struct ttp_notes notes;
};

/* TTP_EPARSE: strict rules, and an op has no name, or none has a layout to group by. */
TTP_NODISCARD ttp_code ttp_analysis_summarise(struct ttp_summary *out,
                                              const struct ttp_report *report, enum ttp_group_by by,
                                              const struct ttp_report_options *options,
                                              struct ttp_arena *arena, struct ttp_err *err);

#include "analysis/stage.h"

#endif
