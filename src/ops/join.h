/* SPDX-License-Identifier: Apache-2.0 */
/* join.h - private to ops: how host and device records become rows. */
#ifndef TTP_OPS_JOIN_H
#define TTP_OPS_JOIN_H

#include "base/map.h"
#include "ops/ops.h"

/* What one line of the report is made of. */
struct ttp_report_row {
    int64_t time_ns; /* rows are in this order */
    uint64_t id;
    const struct ttp_signpost *signpost; /* NULL: an op */
    const struct ttp_host_op *op;        /* NULL in a device-only report */
    bool replay;                         /* of a trace: trace_id and session are shown */
    int64_t trace_id, session;
    const struct ttp_cpp_row *cpp;
    const struct ttp_device_op *device;
    int64_t sub_device;
    int64_t gap_cycles, dm_gap_cycles; /* exact mode only */
    bool has_gap, has_dm_gap;
    double mhz;                 /* clock of its device, for the gaps */
    const struct ttp_exec *key; /* whose counters are its own; NULL: none */
};

/* Counters of another pass, and for each row of the report the one that they belong to there. */
struct ttp_counted {
    const struct ttp_counter_tables *tables;
    const struct ttp_report_row **row; /* NULL: that pass has no such op */
};

/* Rows on their way: host ops first, then replays. */
struct ttp_joining {
    const struct ttp_run_logs *logs;
    const struct ttp_join_options *options;
    struct ttp_ops_report *report;
    struct ttp_arena *arena;
    uint32_t wanted;             /* analyses */
    struct ttp_report_row *host; /* one for each host op */
    struct ttp_report_row *replay;
    size_t nreplays;
    struct ttp_map replays;             /* by id and session: position in replay */
    struct ttp_map execs;               /* by key: position in logs->device->exec */
    const struct ttp_device_look *look; /* by the rules; NULL: the log as it is */
};

/* A device and its host ops. */
struct ttp_host_device {
    int64_t id;
    uint32_t *op; /* positions in host->op, by id */
    size_t nops;
};

TTP_NODISCARD ttp_code ttp_ops_join_cpp(struct ttp_joining *j, const struct ttp_host_device *device,
                                        size_t ndevices, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_ops_join_device(struct ttp_joining *j,
                                           const struct ttp_host_device *device, size_t ndevices,
                                           struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_ops_join_device_only(struct ttp_joining *j, struct ttp_err *err);

/* TTP_EPARSE: strict, and a dispatch core's zones cannot be paired. */
TTP_NODISCARD ttp_code ttp_ops_join_check_dispatch(const struct ttp_joining *j,
                                                   struct ttp_err *err);

/* TTP_EPARSE: the data of host and devices cannot belong to one run. Ops by position are not
 * checked. */
TTP_NODISCARD ttp_code ttp_ops_join_check_run(const struct ttp_joining *j, struct ttp_err *err);
/* TTP_EPARSE: strict, and an op has none of the analyses asked for. */
TTP_NODISCARD ttp_code ttp_ops_join_check_analyses(const struct ttp_joining *j,
                                                   const struct ttp_device_ops *found,
                                                   struct ttp_err *err);

/* Take the row of a replay; one of the same id and session replaces the earlier one. */
void ttp_ops_join_put_replay(struct ttp_joining *j, const struct ttp_report_row *row);

/* If `rc` is a failure that names a log by its usual name, name the file instead. Returns `rc`. */
ttp_code ttp_ops_name_run_file(const struct ttp_run_logs *logs, ttp_code rc, struct ttp_err *err);

/* `file` has no data about a device with host ops. TTP_EPARSE: strict. */
TTP_NODISCARD ttp_code ttp_ops_join_device_missing(struct ttp_joining *j,
                                                   const struct ttp_host_device *device,
                                                   const char *file, struct ttp_err *err);

/* Sub-device of an execution, TTP_NO_ID: not given. */
int64_t ttp_ops_join_sub_device(const struct ttp_joining *j, struct ttp_exec_key key);

/* Exact gaps between the kernels of a device, in order of its own time. */
void ttp_ops_join_gaps(struct ttp_joining *j);

#endif
