/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - door of the run module: from what users name - a CSV, a folder of logs, a recording - to
 * the operations of a run.
 *
 * Results live in the arena the caller passes. */
#ifndef TTP_RUN_RUN_H
#define TTP_RUN_RUN_H

#include "mesh/mesh.h"
#include "ops/ops.h"

/* ---- a folder of logs ---- */

/* Where the times of devices come from. */
enum ttp_run_times {
    TTP_TIMES_ANY,              /* the C++ report, else the device log */
    TTP_TIMES_DEVICE_LOG_FIRST, /* the device log, which alone has zones, else the C++ report */
    TTP_TIMES_DEVICE_LOG,
};

struct ttp_noc_rules;

struct ttp_run_plan {
    struct ttp_logs_options reading;
    struct ttp_join_options join;
    enum ttp_run_times times;
    bool texts; /* of ttp_run_open_parts(): keep the texts of the CSVs */
    bool noc;   /* estimate the programs that have NoC traces, for the columns of the report; strict
                   reading needs a topology.json for it */
    const struct ttp_noc_rules *noc_rules; /* NULL: ours */
};

/* The run of a folder, one stage after the other. Parts refer to each other: do not copy it. */
struct ttp_run {
    struct ttp_log_paths paths;
    struct ttp_run_logs logs;
    bool empty; /* there is no log at all */
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

/* ---- what users name: a CSV, a folder, a recording ---- */

/* The file that `path` represents: itself, or, if it is a folder, the newest ops_perf_results*.csv
 * (or .csv.gz, .csv.zst) below it. *out is `path`, or in the arena. TTP_ENOTFOUND: the folder has
 * none. TTP_EIO: the folder cannot be read. */
TTP_NODISCARD ttp_code ttp_run_find_csv(const char **out, const char *path, struct ttp_arena *arena,
                                        struct ttp_err *err);

/* One entry for each operand. */
struct ttp_run_sources {
    struct ttp_words csv;  /* the file, maybe in memory */
    struct ttp_words name; /* what to call it: the CSV, or the folder whose logs it is made of */
    struct ttp_words problems; /* of such logs, in words */
    bool *made;                /* of logs, in memory */
    bool *ranks;               /* of the ranks of a folder, in memory */
    int *fd;                   /* private */
};

/* A folder with ranks represents all of them, in one CSV (ttp_run_merge_parts()). Another folder
 * represents the newest report below it; without one, for what its logs give, joined in
 * memory as `plan` says. So does a recording, with the logs next to it. Everything else is
 * self-contained. On success close it when its CSVs have been read. TTP_ENOTFOUND: a folder with
 * neither.
 */
TTP_NODISCARD ttp_code ttp_run_open_sources(struct ttp_run_sources *out, const char *const *path,
                                            size_t npaths, const struct ttp_run_plan *plan,
                                            struct ttp_arena *arena, struct ttp_err *err);
/* What the i-th represents, where that is not what the user named as `path`: in words, or NULL. */
const char *ttp_run_source_note(const struct ttp_run_sources *from, size_t i, const char *path,
                                struct ttp_arena *arena);
/* ttp_ops_read_csv() of them, with their problems; a refusal names what the user named. */
TTP_NODISCARD ttp_code ttp_run_read_ops(struct ttp_ops *out, const struct ttp_run_sources *from,
                                        const struct ttp_ops_read_options *options,
                                        struct ttp_arena *arena, struct ttp_err *err);
void ttp_run_close_sources(struct ttp_run_sources *sources);

/* ---- time and memory in one table ---- */

struct ttp_memory_join {
    size_t rows, launches, matched; /* rows of one device, launches of the capture */
    bool joined;                    /* false: fewer than 80 % match, and nothing was joined */
};
/* Set ops->memory from a graph capture, or a folder that has one. TTP_EUSAGE: it has none. */
TTP_NODISCARD ttp_code ttp_run_join_memory(struct ttp_memory_join *out, struct ttp_ops *ops,
                                           const char *capture, struct ttp_arena *arena,
                                           struct ttp_err *err);

/* ---- many ranks ---- */

/* Clocks of a host, read back to back; width_ns: how long that took. 0: not known. */
struct ttp_rank_clock {
    int64_t realtime_ns, monotonic_raw_ns, tsc, width_ns;
};

/* Of the file rank.json: docs/formats/rank_json.md. */
#define TTP_RANK_FILE "rank.json"
struct ttp_rank_facts {
    int64_t rank, size; /* size 0: not known */
    int64_t local_rank; /* -1: not known */
    int64_t mesh_id;    /* -1: not known */
    ttp_str host, boot_id, job;
    struct ttp_rank_clock start, end;
};

struct ttp_run_rank {
    int64_t rank;
    const char *dir; /* .../rank<N>; a CSV where the user named one */
    bool has_facts;
    struct ttp_rank_facts facts;
    struct ttp_mesh_place *place;
    size_t places;
};

struct ttp_run_ranks {
    struct ttp_run_rank *rank; /* by number */
    size_t count;              /* 0: the operands are not of ranks */
    int64_t size;              /* how many there were, as far as rank.json says; 0: not known */
    struct ttp_words problems;
};

/* The folders rank<N> with logs or reports that lie below the operands, which may be copied from
 * several hosts. None if the newest report below an operand is not of a rank. TTP_EPARSE: two of
 * one number, of different jobs, or a rank.json that cannot be read. */
TTP_NODISCARD ttp_code ttp_run_find_ranks(struct ttp_run_ranks *out, const char *const *path,
                                          size_t npaths, struct ttp_arena *arena,
                                          struct ttp_err *err);

/* The operations of all ranks, ready to be merged. */
struct ttp_run_parts {
    struct ttp_run_ranks ranks;
    struct ttp_mesh_part *part;
    size_t count;
    ttp_str *text;             /* of their CSVs, if they were asked for */
    struct ttp_words problems; /* a line for human readers each */
};
/* Ranks below the operands; else each operand is one, numbered in their order. Ranks
 * without ops on a device are left out and told. */
TTP_NODISCARD ttp_code ttp_run_open_parts(struct ttp_run_parts *out, const char *const *path,
                                          size_t npaths, const struct ttp_run_plan *plan,
                                          struct ttp_arena *arena, struct ttp_err *err);
/* One CSV of all of them, in memory: ttp_file_close_memory(). What the mesh must say is added to
 * their problems. */
TTP_NODISCARD ttp_code ttp_run_merge_parts(int *fd, const char **path, struct ttp_run_parts *parts,
                                           struct ttp_arena *arena, struct ttp_err *err);

#endif
