/* SPDX-License-Identifier: Apache-2.0 */
/* run_logs.h - the logs of a run: where they are, and reading what a report needs of them. */
#ifndef TTP_CLI_RUN_LOGS_H
#define TTP_CLI_RUN_LOGS_H

#include "cmd.h"
#include "ops/ops.h"

/* Paths in the arena, NULL: there is no such file. */
struct ttp_log_paths {
    const char *root;   /* the artifacts folder; reports go below it */
    const char *folder; /* `.logs`, or the folder itself */
    const char *device, *cpp, *zones, *messages, *tracy;
};

/* The artifacts folder where tt-metal puts it when no one says: TT_METAL_PROFILER_DIR, else below
 * TT_METAL_HOME, else here. */
const char *ttp_logs_default_dir(struct ttp_arena *arena);
/* `dir` is an artifacts folder or its `.logs`. TTP_ENOTFOUND: not a folder. */
TTP_NODISCARD ttp_code ttp_logs_find(struct ttp_log_paths *out, const char *dir,
                                     struct ttp_arena *arena, struct ttp_err *err);

/* The newest ops_perf_results CSV below the artifacts folder, NULL: none. */
TTP_NODISCARD ttp_code ttp_logs_find_report(const char **out, const struct ttp_log_paths *paths,
                                            struct ttp_arena *arena, struct ttp_err *err);

struct ttp_read_plan {
    bool compat, device_only, legacy; /* legacy: the device log even if there is a C++ report */
    bool progress;
    unsigned threads;
};

/* What is read; `logs` points into it. */
struct ttp_read_logs {
    struct ttp_host_log host;
    struct ttp_device_log device;
    struct ttp_cpp_report cpp;
    struct ttp_run_logs logs;
};

/* Read what a report of that plan is made of, and no more. TTP_ENOTFOUND: host ops, but nothing of
 * any device. */
TTP_NODISCARD ttp_code ttp_logs_read(struct ttp_read_logs *out, const struct ttp_log_paths *paths,
                                     const struct ttp_read_plan *plan, const struct ttp_ctx *ctx,
                                     struct ttp_err *err);

/* Make the operations CSV of the run in `dir` in memory: *csv is a name it can be read by, until
 * the process ends. Problems are told as warnings. TTP_ENOTFOUND: no logs there. */
TTP_NODISCARD ttp_code ttp_logs_make_csv(const char **csv, const char *dir, unsigned threads,
                                         const struct ttp_ctx *ctx, struct ttp_err *err);
/* What was missing or odd in the logs, a warning each. */
void ttp_logs_tell_problems(const struct ttp_ctx *ctx, const struct ttp_ops_report *report);

/* "dir/name" in the arena. */
const char *ttp_path_join(const char *dir, const char *name, struct ttp_arena *arena);

#endif
