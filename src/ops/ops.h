/* SPDX-License-Identifier: Apache-2.0 */
/* ops.h - door of the ops module: the operations table of a run, as an ops_perf_results CSV holds
 * it.
 *
 * Results live in the arena the caller passes. Nothing in them points into the files. */
#ifndef TTP_OPS_OPS_H
#define TTP_OPS_OPS_H

#include "base/err.h"
#include "base/json_write.h"
#include "base/progress.h"
#include "base/sink.h"
#include "base/sym.h"
#include "logs/logs.h"

/* Columns that reports read; all others are only counted. */
enum ttp_ops_text {
    TTP_OPS_CODE,
    TTP_OPS_TYPE,
    TTP_OPS_ARCH,
    TTP_OPS_ATTRIBUTES,
    TTP_OPS_FIDELITY,
    TTP_OPS_IN0_DATATYPE,
    TTP_OPS_IN1_DATATYPE,
    TTP_OPS_OUT_DATATYPE,
    TTP_OPS_IN0_MEMORY,
    TTP_OPS_IN1_MEMORY,
    TTP_OPS_OUT_MEMORY,
    TTP_OPS_IN0_LAYOUT,
    TTP_OPS_IN1_LAYOUT,
    TTP_OPS_OUT_LAYOUT,
    TTP_OPS_CACHE_HIT,
    TTP_OPS_HOT_LINK,     /* ours: where the NoC carried most, and how busy that was */
    TTP_OPS_IN2_DATATYPE, /* the bias of a matmul */
    TTP_OPS_DM_SOURCE,    /* files of the kernels that move data */
    TTP_OPS_LOCATION,     /* these four of tt-mlir: where in the model's source the op is from */
    TTP_OPS_CONST_EVAL,   /* "true": it computes a constant, once */
    TTP_OPS_INPUT_LAYOUT, /* "true": it brings an input into its layout */
    TTP_OPS_PROGRAM,      /* which program of the binary, and which loop */
    TTP_OPS_LAST,         /* ours: of a collective, the device that arrived last, "1:3" */
    TTP_OPS_DIMS,         /* in0 W Z Y X, in1 W Z Y X, out W Z Y X, padded[logical] */
    TTP_OPS_LEGACY_DIMS = TTP_OPS_DIMS + 12, /* the same twelve under their first names */
    TTP_OPS_TEXTS = TTP_OPS_LEGACY_DIMS + 12,
};
enum ttp_ops_dim { TTP_DIM_W, TTP_DIM_Z, TTP_DIM_Y, TTP_DIM_X };

enum ttp_ops_number {
    TTP_OPS_DEVICE,
    TTP_OPS_CORES,
    TTP_OPS_AVAILABLE_CORES,
    TTP_OPS_KERNEL_NS,
    TTP_OPS_GAP_NS,
    TTP_OPS_HOST_START,
    TTP_OPS_CALL_COUNT,
    TTP_OPS_SUB_DEVICE,
    TTP_OPS_FW_START_CYCLE,
    TTP_OPS_FW_END_CYCLE,
    TTP_OPS_FW_NS,
    TTP_OPS_BRISC_NS,
    TTP_OPS_NCRISC_NS,
    TTP_OPS_TRISC0_NS,
    TTP_OPS_TRISC1_NS,
    TTP_OPS_TRISC2_NS,
    TTP_OPS_ERISC_NS,
    TTP_OPS_CORE_MAX_NS,
    TTP_OPS_CORE_AVG_NS,
    TTP_OPS_CB_WAIT_NS,    /* compute waits for input */
    TTP_OPS_CB_RESERVE_NS, /* compute waits for room for output */
    TTP_OPS_HOST_NS,
    TTP_OPS_TRACE_ID,
    TTP_OPS_REPLAY, /* session of the trace */
    TTP_OPS_NOC_UTIL,
    TTP_OPS_CONGESTION,
    TTP_OPS_DRAM_UTIL,
    TTP_OPS_RANK,    /* ours: of the process, where a file has the rows of several */
    TTP_OPS_WAIT_NS, /* ours: of a collective, what its device waited for others */
    TTP_OPS_SKEW_NS, /* ours: of a collective, how long after the first the last arrived */
    TTP_OPS_NUMBERS,
};

/* The symbol of a missing cell in every text column. */
#define TTP_SYM_MISSING ((ttp_sym)0)

/* What a cell of a number column turned out to be. Reports show the difference between 64 and 64.0:
 * a column is whole only if every cell of it is. */
enum ttp_cell_kind {
    TTP_CELL_MISSING,
    TTP_CELL_INT,
    TTP_CELL_FLOAT,
    TTP_CELL_TEXT,
    /* of a data frame only: */
    TTP_CELL_BOOL, /* True or False; the value is 1 or 0 */
    TTP_CELL_BIG,  /* beyond 63 bits: the value holds an unsigned number */
};

struct ttp_text_column {
    ttp_sym *sym;  /* NULL: no file has the column */
    bool *numeric; /* by file, NULL: in none: every cell is a number (or True, False) or missing,
                      and one is there; then sym is its plain text */
};

union ttp_cell_value {
    int64_t i;
    double f;
    ttp_sym text;
};

struct ttp_number_column {
    uint8_t *kind; /* enum ttp_cell_kind; NULL: no file has the column */
    union ttp_cell_value *value;
    bool text; /* some cell is neither a number nor missing, nor is the column True and False */
};

/* One cell of a number column, copied out. */
struct ttp_cell {
    enum ttp_cell_kind kind;
    union ttp_cell_value v;
};

enum ttp_ops_format { TTP_FORMAT_V1, TTP_FORMAT_V2, TTP_FORMAT_V21 };

/* Why a file was refused, where a front end words it itself. */
enum ttp_ops_refusal {
    TTP_REFUSED_OTHER,        /* see the error text */
    TTP_REFUSED_NO_DEVICE_ID, /* no 'DEVICE ID' column */
    TTP_REFUSED_DEVICE_COUNT, /* hosts with different device counts: same_devices */
};

/* L1 of the op that a row belongs to, per bank, as a graph capture has it. */
struct ttp_mem_capture;
struct ttp_op_memory {
    bool has, has_bank, has_free, has_headroom;
    bool estimated; /* circular buffers are taken from another launch, or not known */
    uint32_t op_id; /* in the capture */
    int64_t peak_bytes, bank_bytes, cb_bytes, stale_bytes, largest_free_bytes, headroom_bytes;
    bool has_room; /* all addresses are known: */
    int64_t banks;
    int64_t block_bytes;                   /* largest free block above the circular buffers */
    int64_t block_unstale_bytes;           /* the same without stale buffers */
    int64_t below_tensors_bytes;           /* from the start of L1 to the lowest tensor */
    int64_t below_others_bytes;            /* the same without the op's own tensors */
    const struct ttp_mem_capture *capture; /* where it is from */
    uint32_t op, device;                   /* positions in it */
};

/* A device of a file with the rows of several ranks. */
struct ttp_ops_device {
    int64_t rank, id;
    ttp_sym name; /* "1:3" */
};

/* How the command of a recorded run ended. */
enum ttp_run_ending {
    TTP_RUN_COMPLETE,    /* it ran to its end, or that is unknown */
    TTP_RUN_INTERRUPTED, /* the user stopped it */
    TTP_RUN_FAILED,      /* it ended with an exit status above 0 */
    TTP_RUN_BROKEN,      /* it was killed or crashed: what it did not reach is missing */
};
struct ttp_run_end {
    enum ttp_run_ending how;
    const char *text; /* NULL: complete */
};

struct ttp_ops {
    size_t rows;
    size_t files;
    size_t *first_row; /* of each file, and `rows` after the last */
    struct ttp_text_column text[TTP_OPS_TEXTS];
    struct ttp_number_column number[TTP_OPS_NUMBERS];
    struct ttp_symtab syms;
    const struct ttp_ops_device *device; /* by number in TTP_OPS_DEVICE, if there are ranks */
    size_t devices;                      /* 0: numbers are ids */
    size_t bad_utf8_cells;               /* repaired with U+FFFD */
    struct ttp_words problems; /* in words: a file that is truncated or lacks cells; of the logs it
                                  was made of, set by whoever knows them */
    bool truncated;            /* a file, or a log it was made of, ends in the middle of a row */
    const char *damage;     /* the first row before the last that lacks cells, in words; or NULL */
    size_t unreadable;      /* ranks that are left out, set by whoever knows it */
    struct ttp_run_end end; /* of what was recorded, set by whoever knows it */
    const struct ttp_op_memory *memory; /* of each row, set by whoever has a capture; NULL: none */
    const struct ttp_machine_log *machine; /* the chips during the run, set likewise; NULL: none */
    double core_markers; /* of the profiler, per op and core, mean, set likewise; 0: unknown */

    enum ttp_ops_format format;
    enum ttp_ops_refusal refusal; /* set when reading failed */
    size_t refused_file;
    int64_t refused_max_device, expected_max_device;
};

/* How a CSV is read; all zero: damaged data leaves only its own cells empty. */
struct ttp_ops_rules {
    /* Cells as pandas 1.5 makes a data frame of them: a column has one type, a first row that is
     * longer than the header has row labels in front, texts end at a NUL, and bytes that are not
     * UTF-8 are TTP_EPARSE. A column that is needed is missed when it is needed. */
    bool data_frame;
    bool few_columns;  /* leave out sub-devices, layouts and what is listed after them */
    bool same_devices; /* TTP_EPARSE: files whose largest device ids differ, or infinite ones */
};

struct ttp_ops_rows;

struct ttp_ops_read_options {
    unsigned threads; /* 0: one per processor */
    struct ttp_ops_rules rules;
    bool progress; /* show progress on a terminal */
    /* By file, NULL: none. One that is not NULL is read instead of the file, which then only has a
     * name. The rules must not ask for a data frame. */
    struct ttp_ops_rows *const *rows;
    /* Of a single file: its rows before their columns got types, for ttp_ops_merge_rows(). Drop
     * them after that. NULL: not needed. */
    struct ttp_ops_rows **kept;
};

/* Read CSVs of one run, one file per host, in host order: '-', .gz and .zst are fine. Device ids of
 * a later file follow those of the files before it. TTP_EPARSE: another kind of CSV (err says what
 * it looks like); *out then holds the refusal. */
TTP_NODISCARD ttp_code ttp_ops_read_csv(struct ttp_ops *out, struct ttp_paths paths,
                                        const struct ttp_ops_read_options *options,
                                        struct ttp_arena *arena, struct ttp_err *err);

/* What --rank N and --device [R:]D choose; -1: all. */
struct ttp_device_choice {
    int64_t rank, id;
};
/* Of their texts, NULL: not given. TTP_EUSAGE: not numbers, or they conflict. */
TTP_NODISCARD ttp_code ttp_ops_parse_choice(struct ttp_device_choice *out, const char *rank,
                                            const char *device, struct ttp_err *err);
/* Is the row one of them? Rows of the host go with their rank. */
bool ttp_ops_is_chosen(const struct ttp_ops *ops, const struct ttp_device_choice *choice,
                       size_t row);

static inline ttp_sym ttp_ops_sym(const struct ttp_ops *ops, enum ttp_ops_text column, size_t row)
{
    return ops->text[column].sym ? ops->text[column].sym[row] : TTP_SYM_MISSING;
}

/* Was the cell read as a number? */
static inline bool ttp_ops_is_numeric(const struct ttp_ops *ops, enum ttp_ops_text column,
                                      size_t row)
{
    size_t file = 0;

    if (!ops->text[column].numeric)
        return false;
    while (file + 1 < ops->files && row >= ops->first_row[file + 1])
        file++;
    return ops->text[column].numeric[file];
}

static inline struct ttp_cell ttp_ops_cell(const struct ttp_ops *ops, enum ttp_ops_number column,
                                           size_t row)
{
    const struct ttp_number_column *c = &ops->number[column];
    if (!c->kind)
        return (struct ttp_cell){.kind = TTP_CELL_MISSING};
    return (struct ttp_cell){.kind = (enum ttp_cell_kind)c->kind[row], c->value[row]};
}

/* The cell as a number; false if it is missing or text. */
static inline bool ttp_cell_f64(struct ttp_cell cell, double *out)
{
    if (cell.kind == TTP_CELL_MISSING || cell.kind == TTP_CELL_TEXT)
        return false;
    *out = cell.kind == TTP_CELL_FLOAT ? cell.v.f
           : cell.kind == TTP_CELL_BIG ? (double)(uint64_t)cell.v.i
                                       : (double)cell.v.i;
    return true;
}

/* "v1", "v2", "v2.1": generations of the CSV, as reports name them. */
const char *ttp_ops_format_name(enum ttp_ops_format format);
/* Name of a column in the file. */
const char *ttp_ops_text_name(enum ttp_ops_text column);
const char *ttp_ops_number_name(enum ttp_ops_number column);

/* ---- From logs to that CSV ---- */

/* Problems that a join tolerates: they leave only the affected cells empty. */
enum ttp_problem_kind {
    TTP_PROBLEM_OP_WITHOUT_DEVICE_DATA,
    TTP_PROBLEM_TRACE_NEVER_REPLAYED,
    TTP_PROBLEM_DEVICE_MISSING,
    TTP_PROBLEM_DEVICE_OP_WITHOUT_HOST,
    TTP_PROBLEM_OP_WITHOUT_HOST_TIME,
    TTP_PROBLEM_ZONE_WITHOUT_OP,
    TTP_PROBLEM_CUT_MESSAGE,
    TTP_PROBLEM_CACHED_WITHOUT_OP,
    TTP_PROBLEM_BAD_MESSAGE,
    TTP_PROBLEM_BAD_ZONE,
    TTP_PROBLEM_BAD_DEVICE_ROW,
    TTP_PROBLEM_BAD_REPORT_ROW,
    TTP_PROBLEM_INCOMPLETE_OP,
    TTP_PROBLEM_LOST_FW_END,
    TTP_PROBLEM_LOST_FW_START,
    TTP_PROBLEM_REPEATED_FW,
    TTP_PROBLEM_ZERO_LENGTH,
    TTP_PROBLEM_REPLAY_WITHOUT_MESSAGE,
    TTP_PROBLEM_SUB_DEVICE_CONFLICT,
    TTP_PROBLEM_DISPATCH_UNMATCHED,
    TTP_PROBLEM_NO_SUB_DEVICES,
    TTP_PROBLEM_NO_OP_IDS,
    TTP_PROBLEM_NO_MESSAGES,
    TTP_PROBLEMS,
};
struct ttp_problem {
    uint64_t count;
    char first[128]; /* which op, device, file and line the first of them was, or empty */
};
/* "ops without device data"; and what to do about it. */
const char *ttp_ops_problem_name(enum ttp_problem_kind kind);
const char *ttp_ops_problem_hint(enum ttp_problem_kind kind);
/* Stable, for programs: "op-without-device-data". */
const char *ttp_ops_problem_id(enum ttp_problem_kind kind);

/* Files of a run; NULL: missing. */
struct ttp_run_logs {
    const struct ttp_host_log *host;
    const struct ttp_device_log *device;
    const struct ttp_cpp_report *cpp;
    const char *no_sub_devices; /* why the device log could not say them next to a C++ report */
    bool no_messages; /* there are zones of the host, but nothing says what its ops were */
    const struct ttp_log_paths *paths; /* for errors; NULL: files are called by their usual names */
    uint64_t elapsed_us;               /* how long the run took by the host's clock; 0: unknown */
};

struct ttp_device_look;

/* How the records of the host and of devices are joined; all zero: by id, gaps between kernels as
 * the device ran them, and what does not match is counted. */
struct ttp_join_rules {
    bool strict; /* lost, truncated or unpaired records are TTP_EPARSE */
    /* Ops of a device and of the host, both sorted by id, are the same list. An execution whose
     * firmware did not end on every core is one op with the next. */
    bool by_position;
    bool gaps_by_row;   /* between the rows of a device as the report has them */
    bool rates_by_core; /* kernel times of cores by the cycles and ns of the op's earliest core */
    bool stock_columns; /* no column, metric or file but those that tt-metal's script writes */
    bool any_analysis;  /* names of analyses do not matter where the C++ report has the times */
    /* Read a device log in another way, NULL: never. `wanted`: bits of analyses; `alone`: the host
     * says nothing. *out NULL: the log is fine as it is. */
    ttp_code (*look)(const struct ttp_device_look **out, const struct ttp_run_logs *logs,
                     uint32_t wanted, bool alone, struct ttp_arena *arena, struct ttp_err *err);
};

struct ttp_join_options {
    struct ttp_join_rules rules;
    bool device_only;            /* rows of the device log alone */
    const char *const *analysis; /* names of those wanted; none: all */
    size_t nanalyses;
};

/* What an estimate of its NoC traffic says about one execution on one device; see tt-perf noc. */
struct ttp_op_noc {
    uint64_t run_id;   /* op id << 10 | device */
    int64_t trace_key; /* trace id << 32 | replay; TTP_NO_ID: not of a metal trace */
    double util_pct, multicast_pct, dram_pct, impact_pct;
    ttp_str dram_per_ctrl, eth_per_core; /* as they are shown */
    ttp_str hot_link;                    /* "4-1 NOC0_EAST 98.0%", or empty */
};

/* A report that can be written. Borrows from the logs it was made of. */
struct ttp_ops_report {
    struct ttp_report_row *row; /* private */
    size_t nrows;
    bool device_only, quasar, mlir;
    bool broken;                 /* the command was killed or crashed, set by whoever knows it */
    struct ttp_join_rules rules; /* it was made by */
    struct ttp_run_logs logs;
    struct ttp_counter_tables *counters; /* private; NULL: none were captured */
    struct ttp_counted *counted;         /* private: counters of other passes of the same run */
    size_t ncounted;
    const struct ttp_device_look *look; /* private; NULL: the log as it is */
    uint32_t analyses;                  /* private: those asked for */
    const struct ttp_op_noc *noc;       /* set by whoever has estimates: by run id, then trace */
    size_t nnocs;
    struct ttp_problem problem[TTP_PROBLEMS];
    bool one_device; /* write only rows of `device`, and those of the host */
    int64_t device;
};

/* Join. TTP_EUSAGE: no analysis of that name. TTP_EPARSE: what strict rules refuse; the logs are
 * not of one run. err names op, device and remedy. Device data comes from logs->cpp if there, else
 * from logs->device. */
TTP_NODISCARD ttp_code ttp_ops_join(struct ttp_ops_report *out, const struct ttp_run_logs *logs,
                                    const struct ttp_join_options *options, struct ttp_arena *arena,
                                    struct ttp_err *err);

/* Hardware counters that another pass of the same run captured: its ops are found by id and replay.
 * What `report` has itself, or from an earlier pass, stays. Borrows from `pass`. */
void ttp_ops_take_counters(struct ttp_ops_report *report, const struct ttp_ops_report *pass,
                           struct ttp_arena *arena);

/* Its problems, a line for human readers each: how many, of what, which is the first, what to do.
 * In the arena; none if all is well. */
struct ttp_words ttp_ops_tell_problems(const struct ttp_ops_report *report,
                                       struct ttp_arena *arena);
/* The sources of a row of a report; NULL: it has no such part. */
struct ttp_row_parts {
    int64_t time_ns; /* of the host: rows are in this order */
    const struct ttp_signpost *signpost;
    const struct ttp_host_op *op;
    const struct ttp_exec *exec;
    const struct ttp_cpp_row *cpp;
    double mhz;  /* clock of its device; 0: unknown */
    bool replay; /* of a trace */
    int64_t trace_id, session;
};
void ttp_ops_row_parts(struct ttp_row_parts *out, const struct ttp_ops_report *report, size_t row);

/* Which rows to leave out, of a run of tt-mlir (report.mlir). */
enum ttp_ops_without {
    TTP_WITHOUT_CONST_EVAL = 1 << 0,   /* ops that compute constants once */
    TTP_WITHOUT_INPUT_LAYOUT = 1 << 1, /* ops that bring inputs into their layout */
};

/* Write ops_perf_results.csv, without the rows of `without` (enum ttp_ops_without). `scratch` is
 * rewound. */
TTP_NODISCARD ttp_code ttp_ops_write_csv(struct ttp_sink *out, const struct ttp_ops_report *report,
                                         unsigned without, struct ttp_arena *scratch,
                                         struct ttp_err *err);
/* What reading that CSV would give, without writing it: for ttp_ops_read_options. Drop it after
 * that. */
TTP_NODISCARD ttp_code ttp_ops_make_rows(struct ttp_ops_rows **out,
                                         const struct ttp_ops_report *report,
                                         struct ttp_arena *arena, struct ttp_err *err);
void ttp_ops_drop_rows(struct ttp_ops_rows *rows);

/* A row of a table that is merged from several. */
struct ttp_ops_place {
    uint32_t part, row; /* which table, and which row of it */
    int64_t rank;
    ttp_str wait, skew, last; /* as their columns have them; empty: the row has none */
};
struct ttp_ops_places {
    const struct ttp_ops_place *at;
    size_t count;
};
/* What reading the CSV of these rows would give, without writing it: from[part] has the rows. */
TTP_NODISCARD struct ttp_ops_rows *ttp_ops_merge_rows(struct ttp_ops_rows *const *from,
                                                      size_t parts, struct ttp_ops_places places,
                                                      struct ttp_arena *arena);
/* The CSV as a file in memory, see ttp_file_in_memory(). */
TTP_NODISCARD ttp_code ttp_ops_csv_in_memory(int *fd, const char **path,
                                             const struct ttp_ops_report *report,
                                             struct ttp_arena *arena, struct ttp_err *err);
/* The rows as an array of objects, a member for each cell that is not empty. */
TTP_NODISCARD ttp_code ttp_ops_write_json(struct ttp_json_writer *out,
                                          const struct ttp_ops_report *report,
                                          struct ttp_arena *scratch, struct ttp_err *err);
/* Tables of the hardware performance counters, for human readers: raw values and metrics of each
 * device. Nothing if none were captured. */
void ttp_ops_write_counters(struct ttp_sink *out, const struct ttp_ops_report *report,
                            struct ttp_arena *scratch);
/* Write per_core_op_to_op_times.csv of a device-only report: cycles between the end of one op and
 * the start of the next on each core, less what the profiler adds. */
void ttp_ops_write_per_core(struct ttp_sink *out, const struct ttp_ops_report *report,
                            struct ttp_arena *scratch);

#include "ops/device_ops.h"

/* ---- two reports of the same logs ---- */

struct ttp_report_texts {
    ttp_str first, second; /* whole ops CSVs */
    const char *first_name, *second_name;
};
struct ttp_report_difference {
    size_t first_rows, second_rows, first_columns, second_columns;
    size_t columns; /* that both have */
    uint64_t cells, different;
    /* The first different cell, if there is one: */
    ttp_str column;
    uint64_t call; /* GLOBAL CALL COUNT of its row */
    ttp_str first, second;
};
/* Cell by cell: columns by their names, rows in the order of call count and host start; "", "nan"
 * and "none" are the same. Texts of *out are those of `texts`, or in the arena. TTP_EPARSE: not an
 * ops CSV. */
TTP_NODISCARD ttp_code ttp_ops_compare_reports(struct ttp_report_difference *out,
                                               struct ttp_report_texts texts,
                                               struct ttp_arena *arena, struct ttp_err *err);

#endif
