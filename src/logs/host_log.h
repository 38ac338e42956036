/* SPDX-License-Identifier: Apache-2.0 */
/* host_log.h - part of the door of logs: the host's data about its ops, from tracy_ops_data.csv and
 * tracy_ops_times.csv. */
#ifndef TTP_LOGS_HOST_LOG_H
#define TTP_LOGS_HOST_LOG_H

#include "base/map.h"
#include "logs/log_options.h"

/* A member of an op's description, as Python's str() shows its value. */
struct ttp_op_field {
    ttp_str key, text;
};

enum {
    TTP_TENSOR_W,
    TTP_TENSOR_Z,
    TTP_TENSOR_Y,
    TTP_TENSOR_X,
    TTP_TENSOR_LAYOUT,
    TTP_TENSOR_DTYPE,
    TTP_TENSOR_MEMORY,
    TTP_TENSOR_CELLS
};
struct ttp_op_tensor {
    ttp_str cell[TTP_TENSOR_CELLS];
};

/* What a message says about an op; calls with the same program share it. */
struct ttp_op_info {
    struct ttp_op_field *field; /* all members that have no place of their own below */
    size_t nfields;
    bool has_id, has_device, has_hash;
    uint64_t id; /* of the call that was described in full */
    int64_t device;
    ttp_str hash;
    bool has_inputs;
    struct ttp_op_tensor *input; /* the optional ones last */
    size_t ninputs;
    struct ttp_op_tensor *output;
    size_t noutputs;
    bool has_kernels;
    ttp_str fidelity;                                         /* of the last compute kernel */
    ttp_str compute_source, compute_hash, dm_source, dm_hash; /* lists as Python shows them */
    struct ttp_op_field *kernel_size;
    size_t nkernel_sizes;
    bool has_model;
    ttp_str ideal_ns, compute_ns, bandwidth_ns, input_bws, output_bws;
    const char *fault; /* what is missing or of a wrong kind, or NULL */
};

struct ttp_child_call {
    ttp_sym name;
    int64_t ns;
};

struct ttp_host_op {
    uint64_t id;
    const struct ttp_op_info *info;
    int64_t trace_id;   /* TTP_NO_ID: not captured in a trace */
    int64_t message_ns; /* when its message was sent */
    ttp_str cache_hit;  /* "True", "False", or empty: as in the description */
    bool has_time;
    int64_t start_ns, duration_ns;
    struct ttp_child_call *child; /* zones that ran inside it, by name */
    size_t nchildren;
    ttp_sym location, const_eval, input_layout, program; /* of tt-mlir; TTP_SYM_NONE: not given */
    uint64_t line; /* of its message; 0: the log is a recording */
};
#define TTP_SYM_NONE UINT32_MAX

struct ttp_signpost {
    ttp_str text;
    int64_t ns;
};

/* Replays of one trace on one device, in order. */
struct ttp_trace_replays {
    int64_t device, trace_id;
    size_t count;
    int64_t *ns;
};

struct ttp_host_log {
    struct ttp_host_op *op; /* in order of the first message of each id */
    size_t nops;
    struct ttp_signpost *signpost;
    size_t nsignposts;
    struct ttp_trace_replays *replays;
    size_t nreplays;
    struct ttp_symtab names; /* of child zones and tt-mlir values */
    bool has_mlir;           /* some message of tt-mlir was there */
    uint64_t messages, zones;
    uint64_t op_zones, child_zones;  /* of the zones those of ops, and those inside ops */
    bool has_cache_hits;             /* calls say whether their program was cached: since 2026-03 */
    bool has_zone_values;            /* the zones have a column 'value': since 2025-08 */
    struct ttp_fault cut_messages;   /* op descriptions that are not JSON */
    struct ttp_fault unknown_cached; /* calls of a program that was never described */
    struct ttp_fault bad_messages;   /* op and trace messages of another form */
    struct ttp_fault zones_without_op;
    struct ttp_fault bad_zones;     /* rows that name an op but have no number where one belongs */
    uint64_t first_zone_without_op; /* the op id that the zone names */

    struct ttp_map by_id; /* private: position in op */
};

TTP_NODISCARD ttp_code ttp_logs_read_messages(struct ttp_host_log *out, const char *path,
                                              const struct ttp_logs_options *options,
                                              struct ttp_arena *arena, struct ttp_err *err);
/* Add host times and child zones to the ops of `log`. */
TTP_NODISCARD ttp_code ttp_logs_read_zones(struct ttp_host_log *log, const char *path,
                                           const struct ttp_logs_options *options,
                                           struct ttp_arena *arena, struct ttp_err *err);
/* How often the run did the same: replays of the trace that was replayed most, or else how often
 * the ops of its first device end on the same sequence of programs, which must make up half of
 * them; 1: nothing repeats. */
uint64_t ttp_logs_count_iterations(const struct ttp_host_log *log, struct ttp_arena *scratch);
/* NULL: no op of that id. */
struct ttp_host_op *ttp_logs_find_op(const struct ttp_host_log *log, uint64_t id);
/* NULL: that trace was never replayed on that device. */
const struct ttp_trace_replays *ttp_logs_find_replays(const struct ttp_host_log *log,
                                                      int64_t device, int64_t trace_id);

/* Does a message, or the name of a zone, tell of an op? */
static inline bool ttp_logs_names_op(ttp_str text)
{
    return ttp_str_has(text, TTP_STR("TT_DNN")) || ttp_str_has(text, TTP_STR("TT_METAL"));
}

/* ---- every zone and message of the host, in the order of the files ---- */

/* A zone of a CPU thread. */
struct ttp_host_zone {
    ttp_sym name;
    uint32_t thread; /* Tracy's number for it */
    int64_t start_ns, end_ns;
    uint64_t op_id; /* of the op that this zone is; has_op */
    bool has_op;
};
struct ttp_host_zone_batch {
    const struct ttp_symtab *names; /* grows from batch to batch, symbols do not change */
    const struct ttp_host_zone *zone;
    size_t nzones;
    uint64_t bad; /* rows without time or thread, left out */
};
/* Called on one thread at a time, not always the same. A failure ends the reading. */
typedef ttp_code ttp_host_zone_fn(void *arg, const struct ttp_host_zone_batch *batch,
                                  struct ttp_err *err);
struct ttp_host_zone_request {
    bool ops_only;
    ttp_host_zone_fn *take;
    void *arg;
};
/* All of tracy_ops_times.csv, or of a recording; `ops_only`: only zones that are ops. Names live in
 * the arena. */
TTP_NODISCARD ttp_code ttp_logs_stream_host_zones(const char *path,
                                                  struct ttp_host_zone_request request,
                                                  const struct ttp_logs_options *options,
                                                  struct ttp_arena *arena, struct ttp_err *err);

/* Memory of a device, over all banks. */
struct ttp_host_memory {
    ttp_str pool; /* "Device 0 L1" */
    int64_t ns;
    uint64_t address, bytes; /* bytes: of an allocation */
    bool freed;
};
typedef ttp_code ttp_host_memory_fn(void *arg, const struct ttp_host_memory *m,
                                    struct ttp_err *err);
/* Of a recording with TT_METAL_MEM_PROFILER=1; other files have none. */
TTP_NODISCARD ttp_code ttp_logs_stream_memory(const char *path, ttp_host_memory_fn *take, void *arg,
                                              struct ttp_err *err);

typedef ttp_code ttp_message_fn(void *arg, ttp_str text, int64_t ns, struct ttp_err *err);
/* All of tracy_ops_data.csv, or of a recording. What has no time is passed over. */
TTP_NODISCARD ttp_code ttp_logs_stream_messages(const char *path, ttp_message_fn *take, void *arg,
                                                struct ttp_err *err);

#endif
