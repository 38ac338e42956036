/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - door of the run module: from operands (a CSV, a folder of logs, a recording) to the
 * operations of a run.
 *
 * Results live in the arena the caller passes. */
#ifndef TTP_RUN_RUN_H
#define TTP_RUN_RUN_H

#include "analysis/analysis.h"
#include "kernel/kernel.h"
#include "mesh/mesh.h"
#include "ops/ops.h"

/* ---- a folder of logs ---- */

/* Where the times of devices come from. */
enum ttp_run_times {
    TTP_TIMES_ANY,              /* the C++ report, else the device log */
    TTP_TIMES_DEVICE_LOG_FIRST, /* the device log, which alone has zones, else the C++ report */
    TTP_TIMES_DEVICE_LOG,
};

/* Where the files of a report go. */
struct ttp_report_place {
    const char *folder; /* NULL: a new one below `reports` of the run, with the date */
    const char *name;   /* "_NAME" is part of their names; NULL: none */
    bool date;          /* so is the date, also where the folder is given */
};
struct ttp_noc_rules;

struct ttp_run_plan {
    struct ttp_logs_options reading;
    struct ttp_join_options join;
    enum ttp_run_times times;
    bool host_alone;                 /* logs of the host are enough: there are no rows then */
    bool texts;                      /* needed as CSV: what is made of logs is text as well */
    bool rows;                       /* private: ranks are going to be merged */
    bool mesh;                       /* of ranks: keep how they relate, in ttp_run_sources.mesh */
    const struct ttp_boards *boards; /* whose link rates count for that; NULL: built in */
    bool noc; /* estimate the programs that have NoC traces, for the columns of the report; strict
                 reading needs a topology.json for it */
    const struct ttp_noc_rules *noc_rules; /* NULL: ours */
    struct ttp_report_place place;         /* of ttp_run_make_report() */
    bool host_ops;   /* a run without ops of the host has none: TTP_ENOTFOUND */
    bool one_device; /* of ttp_run_make_report(): only rows of `device`, in every rank */
    int64_t device;
};

/* The run of a folder, one stage after the other. Parts refer to each other: do not copy it. */
struct ttp_run {
    struct ttp_log_paths paths;
    struct ttp_run_logs logs;
    struct ttp_run_facts facts; /* of the logs, as far as they are known */
    bool empty;                 /* there is no log at all */
    struct ttp_ops_report report;
    struct ttp_words problems; /* of the join and of NoC traces, a line for human readers each */
    size_t noc_problems;       /* how many of them are the latter: these come first */
};

/* Find the logs of `dir`, an artifacts folder, its `.logs` or a recording, and read what a report
 * is made of, and no more: host logs, and device data as the plan says. TTP_ENOTFOUND: there is no
 * such folder, or nothing of any device in it. */
TTP_NODISCARD ttp_code ttp_run_read_logs(struct ttp_run *out, const char *dir,
                                         const struct ttp_run_plan *plan, struct ttp_arena *arena,
                                         struct ttp_err *err);
/* Join them to the report. Failures are those of ttp_ops_join(). */
TTP_NODISCARD ttp_code ttp_run_join(struct ttp_run *run, const struct ttp_run_plan *plan,
                                    struct ttp_arena *arena, struct ttp_err *err);

/* ---- a run that was recorded in several passes ---- */

/* The run's own folder has the first pass: its ops, times and NoC events. The others add lines and
 * counters; they lie below `.logs/passes`, each as an artifacts folder, and below `.logs/unmerged`
 * until they were compared with the first. docs/formats/passes.md */
#define TTP_PASSES_MERGED   "passes"
#define TTP_PASSES_UNMERGED "unmerged"

/* The folder of that pass of the run in *dir; "noc" is the first, which is the run itself.
 * TTP_EUSAGE: it has no such pass; the hint lists those it has. */
TTP_NODISCARD ttp_code ttp_run_choose_pass(const char **dir, const char *pass,
                                           struct ttp_arena *arena, struct ttp_err *err);
/* Where a further pass of the run in `root` is recorded. */
const char *ttp_run_new_pass(const char *root, const char *name, struct ttp_arena *arena);

/* Did passes run the same programs, in the same order, for as long? */
struct ttp_pass_check {
    size_t passes, executions;    /* executions of programs in each */
    double worst_pct;             /* largest difference of kernel cycles between two of them */
    struct ttp_words differences; /* a line for human readers each; some: nothing was merged */
};
/* Merge what was recorded below `.logs/unmerged` with the run's own pass, which is called "noc".
 * TTP_EPARSE: a pass has no device log. */
TTP_NODISCARD ttp_code ttp_run_merge_passes(struct ttp_pass_check *out, const char *root,
                                            unsigned threads, struct ttp_arena *arena,
                                            struct ttp_err *err);
struct ttp_pass_join {
    const struct ttp_words *dirs; /* the recordings */
    const char *to;               /* folder of the run */
    unsigned threads;
};
/* Make one run of recordings that exist; files are linked, or copied to another disk. TTP_EUSAGE:
 * one of them adds nothing, or `to` has logs. TTP_ENOTFOUND: one is not a recording of a device. */
TTP_NODISCARD ttp_code ttp_run_join_passes(struct ttp_pass_check *out,
                                           const struct ttp_pass_join *how, struct ttp_arena *arena,
                                           struct ttp_err *err);

/* ---- the report of a folder, as files ---- */

struct ttp_run_made {
    struct ttp_run run;        /* unless it has `ranks` */
    bool ranks;                /* the folder has several, which were merged */
    struct ttp_words files;    /* ops_perf_results.csv, and what comes with it */
    struct ttp_words problems; /* a line for human readers each */
    size_t unreadable;         /* ranks that are left out */
};
/* Read the logs of `dir`, or of all its ranks unless they are read strictly, and write the report.
 * out->run has what was found, also after a failure. TTP_EUSAGE: the name. */
TTP_NODISCARD ttp_code ttp_run_make_report(struct ttp_run_made *out, const char *dir,
                                           const struct ttp_run_plan *plan, struct ttp_arena *arena,
                                           struct ttp_err *err);

/* ---- what users name: a CSV, a folder, a recording ---- */

/* The artifacts folder where tt-metal puts it by default: TT_METAL_PROFILER_DIR, else below
 * TT_METAL_HOME, else here. */
const char *ttp_run_default_dir(struct ttp_arena *arena);
/* What was given, or, if nothing was, the run in that folder. TTP_EUSAGE: nothing was, and it has
 * none. */
TTP_NODISCARD ttp_code ttp_run_operands(struct ttp_words *out, const struct ttp_words *given,
                                        struct ttp_arena *arena, struct ttp_err *err);
/* The same for a verb that has looked itself: if it found nothing (`rc` is TTP_ENOTFOUND), nothing
 * was given, and that folder has no run, this is TTP_EUSAGE. Otherwise `rc` and *err stay. */
TTP_NODISCARD ttp_code ttp_run_looked(ttp_code rc, const struct ttp_words *given,
                                      struct ttp_arena *arena, struct ttp_err *err);

/* What --rank N and --device [R:]D choose. NULL: not given. */
struct ttp_run_choice {
    const char *rank, *device;
    int64_t id;       /* of the device; -1: none was asked for */
    const char *note; /* which rank was taken though none was asked for, in words; NULL */
};
/* The folder of the rank that was asked for, below *dir; without one it stays. Sets choice->id.
 * TTP_EUSAGE: not a number, or no folder of ranks. TTP_ENOTFOUND: it has no such rank. */
TTP_NODISCARD ttp_code ttp_run_choose_rank(const char **dir, struct ttp_run_choice *choice,
                                           struct ttp_arena *arena, struct ttp_err *err);
/* The same for a verb that shows one process: of several ranks the first, unless one was requested.
 */
TTP_NODISCARD ttp_code ttp_run_choose_process(const char **dir, struct ttp_run_choice *choice,
                                              struct ttp_arena *arena, struct ttp_err *err);
/* Folders of ranks below `path`, whatever is in them; none: it is one run. */
TTP_NODISCARD ttp_code ttp_run_list_ranks(struct ttp_words *out, const char *path,
                                          struct ttp_arena *arena, struct ttp_err *err);
/* TTP_EPARSE: such folders belong to different jobs, or two are of one rank. Folders whose
 * rank.json is damaged do not count. */
TTP_NODISCARD ttp_code ttp_run_check_ranks(const struct ttp_words *dirs, struct ttp_arena *arena,
                                           struct ttp_err *err);
/* "1 of 4 ranks missing: 2", if `dir` is a folder of ranks without some of them; else NULL. */
const char *ttp_run_missing_ranks(const char *dir, struct ttp_arena *arena);

/* The file that `path` represents: itself, or, if it is a folder, the newest ops_perf_results*.csv
 * (or .csv.gz, .csv.zst) below it. *out is `path`, or in the arena. TTP_ENOTFOUND: the folder has
 * none. TTP_EIO: the folder cannot be read. */
TTP_NODISCARD ttp_code ttp_run_find_csv(const char **out, const char *path, struct ttp_arena *arena,
                                        struct ttp_err *err);

/* How the ranks and devices of a run relate. */
struct ttp_run_mesh {
    struct ttp_mesh *mesh;
    const uint32_t *line; /* by cell: the line of its row in the table */
};

/* One entry for each operand. */
struct ttp_run_sources {
    struct ttp_words csv;  /* the file, maybe in memory; made of logs and no texts: the folder */
    struct ttp_words name; /* what to call it: the CSV, or the folder whose logs it is made of */
    struct ttp_words problems;  /* of such logs, in words */
    bool truncated;             /* one of them ends in the middle of a row */
    const char *damage;         /* as of struct ttp_ops: of rows that are not in `csv` */
    size_t unreadable;          /* as of struct ttp_ops */
    struct ttp_run_end end;     /* of the one that ended worst */
    double core_markers;        /* in those of the last: per op and core; 0: unknown */
    bool *made;                 /* of logs, in memory */
    bool *ranks;                /* of the ranks of a folder, in memory */
    struct ttp_run_mesh *mesh;  /* of these, if the plan asks for it; all zero: none */
    int *fd;                    /* private */
    struct ttp_ops_rows **rows; /* private: NULL: the CSV has them */
};

/* A folder with ranks represents all of them, in one CSV (ttp_run_merge_parts()). Another folder
 * represents the newest report below it; without one, for what its logs give, joined in
 * memory as `plan` says. So does a recording, with the logs next to it. Everything else is
 * self-contained. On success close it when its CSVs have been read. TTP_ENOTFOUND: a folder with
 * neither.
 */
TTP_NODISCARD ttp_code ttp_run_open_sources(struct ttp_run_sources *out, struct ttp_paths paths,
                                            const struct ttp_run_plan *plan,
                                            struct ttp_arena *arena, struct ttp_err *err);
/* What the i-th represents, where that is not what the user named as `path`: in words, or NULL. */
const char *ttp_run_source_note(const struct ttp_run_sources *from, size_t i, const char *path,
                                struct ttp_arena *arena);
/* ttp_ops_read_csv() of them, with their problems; a refusal names what the user named. */
TTP_NODISCARD ttp_code ttp_run_read_ops(struct ttp_ops *out, const struct ttp_run_sources *from,
                                        const struct ttp_ops_read_options *options,
                                        struct ttp_arena *arena, struct ttp_err *err);
void ttp_run_close_sources(struct ttp_run_sources *sources);

/* ---- one run, analysed ---- */

struct ttp_run_request {
    const char *path; /* as of ttp_run_open_sources() */
    struct ttp_report_options analysis;
    unsigned threads;
    bool progress;
    bool mesh; /* of ranks: how they relate too */
    /* Of what the file was made of: a line for human readers each, NULL: none; does it end in the
     * middle of a row? */
    const struct ttp_words *problems;
    bool truncated;
    struct ttp_run_end end; /* of that command */
};
struct ttp_run_input {
    struct ttp_run_mesh mesh; /* if it was asked for and the run has ranks */
    const char *name;         /* the CSV, or the folder whose logs it was made of */
    const char *note;         /* ttp_run_source_note(), also after a failure */
    struct ttp_ops ops;
    struct ttp_report report;
};
/* Read and analyse a run. The notes of out->report count also after a failure. */
TTP_NODISCARD ttp_code ttp_run_analyse(struct ttp_run_input *out,
                                       const struct ttp_run_request *request,
                                       struct ttp_arena *arena, struct ttp_err *err);

struct ttp_noc_results;
/* Where and how the report of the same run is read. */
struct ttp_program_names {
    const char *dir;
    const struct ttp_boards *boards;
    unsigned threads;
};
/* Call programs by the names and ids that a report of the folder has for them; those it does not
 * have stay as they are. */
void ttp_run_name_programs(struct ttp_noc_results *programs, const struct ttp_program_names *names,
                           struct ttp_arena *arena);

/* ---- kernels ---- */

struct ttp_kernel_request {
    const char *dir;          /* artifacts folder, its .logs, or a device log */
    bool printed;             /* `dir` is the text that a run of TT-Lang printed instead */
    const char *program;      /* NULL: all */
    const char *window;       /* as --window, of a run with ops; NULL: all */
    bool window_asked;        /* a run without ops is then a failure */
    const char *arch;         /* NULL: as the log says */
    const char *flow, *pipes; /* graphs elsewhere than next to the log; NULL: there */
    const char *names;        /* of programs in order, ',' between them */
    const int32_t (*core)[2]; /* only these; NULL: all */
    size_t ncores;
    bool one_device; /* only executions on `device` */
    int64_t device;
    bool traces;                              /* NoC traces too */
    bool host;                                /* names and tensors from the host's messages too */
    uint64_t ideal_bytes;                     /* 0: from the host's messages */
    const struct ttp_source_options *sources; /* where names of kernels may be; NULL: nowhere */
    const struct ttp_boards *boards;
    unsigned threads;
    bool progress;
};

struct ttp_kernel_input {
    struct ttp_kernel_report report;
    struct ttp_kernel_profile profile;
    struct ttp_kernel_profile lines; /* of another pass, if the run has one for them */
    struct ttp_flow_graph flow;
    struct ttp_flow_waits waits;
    struct ttp_pipe_graph pipes;
    struct ttp_log_paths paths;
    bool has_log, has_traces;
    size_t invocations;        /* before the choice */
    const char *window;        /* the part of the run that was chosen, in words; NULL: all of it */
    struct ttp_words warnings; /* also after a failure */
};

/* TTP_ENOTFOUND: nothing of a kernel there. */
TTP_NODISCARD ttp_code ttp_run_read_kernels(struct ttp_kernel_input *out,
                                            const struct ttp_kernel_request *request,
                                            struct ttp_arena *arena, struct ttp_err *err);

/* Ops that are programs of `kernels` have the limits of threads found there: what they waited for
 * says more than the columns of a row. */
void ttp_run_take_limits(struct ttp_report *report, const struct ttp_kernel_report *kernels,
                         struct ttp_arena *arena);

/* Does the run, or one of its passes, have the flow graph of a TT-Lang kernel? */
bool ttp_run_has_flow(const char *dir, struct ttp_arena *arena);

/* Does this folder or device log show only the device's side of a run, as after a profiled TT-Lang
 * program? Then there are no ops to read, and its programs represent them. */
bool ttp_run_is_device_only(const char *path, struct ttp_arena *arena);
/* Such a run. */
TTP_NODISCARD ttp_code ttp_run_analyse_programs(struct ttp_run_input *out,
                                                struct ttp_kernel_input *kernels,
                                                const struct ttp_run_request *request,
                                                struct ttp_arena *arena, struct ttp_err *err);

/* ---- time and memory in one table ---- */

struct ttp_memory_join {
    size_t rows, launches, matched; /* rows of one device, launches of the capture */
    bool joined;                    /* false: fewer than 80 % match, and nothing was joined */
};
/* Set ops->memory from a graph capture, or a folder that has one. TTP_EUSAGE: no graph capture in
 * it. */
TTP_NODISCARD ttp_code ttp_run_join_memory(struct ttp_memory_join *out, struct ttp_ops *ops,
                                           const char *capture, struct ttp_arena *arena,
                                           struct ttp_err *err);

/* ---- where the time before the first steady iteration went ---- */

enum ttp_start_source {
    TTP_START_ZONES, /* of the host: tracy_ops_times.csv, or a recording */
    TTP_START_OPS,   /* gaps between the ops of a device */
};
/* Each moment counts for the first of these that it belongs to. */
enum ttp_start_part {
    TTP_START_OPEN,    /* opening devices, and building their firmware */
    TTP_START_COMPILE, /* of ops: waiting for a program that runs for the first time */
    TTP_START_UPLOAD,  /* writing buffers: weights, inputs */
    TTP_START_CAPTURE, /* recording a trace */
    TTP_START_RUN,     /* calls of ops; of ops: their kernels */
    TTP_START_OTHER,   /* no zone, or a gap: Python, reading weights, tokenizers */
    TTP_START_PARTS,
};
/* What a part is called; of ops it may have another name than of zones. */
const char *ttp_run_start_part_name(enum ttp_start_part part, enum ttp_start_source source);

struct ttp_start_program {
    ttp_str op;     /* code, or the name of the zone */
    uint32_t id;    /* of ops: line in the file; 0: none */
    double at_us;   /* since the start */
    double wait_us; /* compiling; of ops: the gap before its first run */
    double host_us; /* its call on the host; NaN: unknown */
    bool kernel;    /* one kernel of a program; part of that one's time */
    bool late;      /* after the first steady iteration had begun */
    ttp_str cached; /* "yes", "no", or empty: the run does not say */
};
struct ttp_start_gap {
    double at_us, us;
    ttp_str next; /* op that came after it */
};
struct ttp_start {
    const char *path;
    enum ttp_start_source source;
    bool steady;    /* false: no steady state was found, and everything counts */
    int64_t device; /* of ops: the one that waited longest, or was asked for */
    int64_t rank;   /* of that device, if the table has several; -1 */
    size_t devices; /* of ops */
    double total_us;
    double part_us[TTP_START_PARTS]; /* they add up to it */
    uint64_t count[TTP_START_PARTS]; /* of zones or ops */
    uint64_t hits, misses;           /* of the program cache, as far as ops say */
    uint64_t late;                   /* programs that ran first after that */
    double late_us;
    struct ttp_start_program *program; /* the longest wait first */
    size_t programs, kernels;          /* kernels: how many of them are of one kernel */
    struct ttp_start_gap *gap;         /* half a second or more, the longest first */
    size_t gaps;
};
/* Does it look like such a run? */
bool ttp_run_has_start(const char *path, struct ttp_arena *arena);
struct ttp_start_request {
    const char *path;                    /* a folder of logs, a recording, or an ops CSV */
    const enum ttp_start_source *source; /* NULL: zones of the host if there are any, else ops */
    const char *rank, *device;           /* of ops: only these, as of struct ttp_report_options */
};
/* TTP_ENOTFOUND: the run has nothing of the kind. */
TTP_NODISCARD ttp_code ttp_run_read_start(struct ttp_start *out,
                                          const struct ttp_start_request *request,
                                          struct ttp_arena *arena, struct ttp_err *err);

/* ---- many ranks ---- */

/* Clocks of a host, read back to back; width_ns: how long that took. 0: unknown. */
struct ttp_rank_clock {
    int64_t realtime_ns, monotonic_raw_ns, tsc, width_ns;
};

/* How the log of the host counts: ns since a tick of the machine's counter. 0: unknown. */
struct ttp_rank_ticks {
    int64_t tick_at_0;
    double ns_per_tick;
};

/* Of the file rank.json: docs/formats/rank_json.md. */
#define TTP_RANK_FILE "rank.json"
struct ttp_rank_facts {
    int64_t rank, size; /* size 0: unknown */
    int64_t local_rank; /* -1: unknown */
    int64_t mesh_id;    /* -1: unknown */
    ttp_str host, boot_id, job;
    struct ttp_mesh_nominal *nominal; /* clocks by device */
    size_t nominals;
    struct ttp_rank_clock start, end;
    struct ttp_rank_ticks host_log;
};

struct ttp_run_rank {
    int64_t rank;
    const char *dir; /* .../rank<N>; a CSV where the user named one */
    bool has_facts;
    struct ttp_rank_facts facts;
    struct ttp_mesh_place *place;
    size_t places;
    struct ttp_mesh_sync *sync; /* of sync_device_info.csv */
    size_t syncs;
    struct ttp_err why; /* its files are damaged; code 0: they are not */
};

struct ttp_run_ranks {
    struct ttp_run_rank *rank; /* by number */
    size_t count;              /* 0: the operands are not of ranks */
    int64_t size;              /* number of ranks according to rank.json; 0: unknown */
    struct ttp_words problems;
};

/* The folders rank<N> with logs or reports that lie below the operands, which may be copied from
 * several hosts. None if the newest report below an operand is not of a rank. TTP_EPARSE: two of
 * one number, of different jobs, or a rank.json that cannot be read if there is no other rank. */
TTP_NODISCARD ttp_code ttp_run_find_ranks(struct ttp_run_ranks *out, struct ttp_paths paths,
                                          struct ttp_arena *arena, struct ttp_err *err);

/* The operations of all ranks, ready to be merged. */
struct ttp_run_parts {
    struct ttp_run_ranks ranks;
    struct ttp_mesh_part *part;
    size_t count;
    ttp_str *text;              /* of their CSVs, if they were asked for */
    struct ttp_ops_rows **rows; /* private: of their tables, if they are to be merged */
    bool split;                 /* a single CSV has the rows of all of them */
    bool folders;               /* of ranks: what they give together is another CSV than theirs */
    struct ttp_words problems;  /* a line for human readers each */
    bool truncated;             /* a file of them ends in the middle of a row */
    const char *damage;         /* as of struct ttp_ops, of any part */
    size_t unreadable;          /* ranks that are there and damaged: they count as missing */
    struct ttp_run_end end;     /* of the rank that ended worst */
};
/* Ranks below the operands; else each operand is one, numbered in their order. Ranks
 * without ops on a device are left out and reported. */
TTP_NODISCARD ttp_code ttp_run_open_parts(struct ttp_run_parts *out, struct ttp_paths paths,
                                          const struct ttp_run_plan *plan, struct ttp_arena *arena,
                                          struct ttp_err *err);
/* By cell of the mesh made of them: the line of its row, which is the id of the operation. */
const uint32_t *ttp_run_lines(const struct ttp_run_parts *parts, const struct ttp_mesh *mesh,
                              struct ttp_arena *arena);
/* Add to their problems what readers of one table of all must know: first which ranks are missing.
 */
void ttp_run_tell_mesh(struct ttp_run_parts *parts, const struct ttp_mesh *mesh,
                       struct ttp_arena *arena);

/* The mesh of a run that was read already. */
struct ttp_run_mesh_request {
    const char *path;                 /* as the user named it */
    struct ttp_ops *ops;              /* what that gave */
    const struct ttp_report *report;  /* of these: its window is that of the mesh */
    const struct ttp_run_mesh *known; /* of its ranks, if they were kept; NULL: none were */
    const struct ttp_boards *boards;
    unsigned threads;
};
/* Failures are those of ttp_mesh_make(): a table without cycles, for example. */
TTP_NODISCARD ttp_code ttp_run_open_mesh(struct ttp_run_mesh *out,
                                         const struct ttp_run_mesh_request *request,
                                         struct ttp_arena *arena, struct ttp_err *err);

/* The window of a report on the same table is that of the mesh, so that all verbs count the same
 * iterations. */
void ttp_run_set_window(struct ttp_run_mesh *mesh, const struct ttp_report *report);
/* The same of parts that were opened with their rows, as if there were a report on all of them.
 * Without one the run is a single iteration, and the parts' problems have the reason. */
void ttp_run_find_window(struct ttp_mesh *mesh, struct ttp_run_parts *parts,
                         struct ttp_arena *arena);
/* Parts that were opened with their rows. */
void ttp_run_drop_parts(struct ttp_run_parts *parts);

/* ---- a rank, reduced to what others need of it ---- */

/* What it is called next to the logs. */
#define TTP_PART_FILE "rank.ttpart"
const char *ttp_run_part_file(const char *dir, struct ttp_arena *arena);
/* Of a rank's folder, a CSV, or a .ttpart; also of a folder in which only such a file is left. */
TTP_NODISCARD ttp_code ttp_run_reduce(struct ttp_mesh_reduced **out, const char *path,
                                      const struct ttp_run_plan *plan, struct ttp_arena *arena,
                                      struct ttp_err *err);

#endif
