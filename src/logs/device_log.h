/* SPDX-License-Identifier: Apache-2.0 */
/* device_log.h - private to logs: how a device log is read.
 *
 * The file is a long sequence of runs: rows of one RISC of one core that belong to one execution.
 * Workers reduce each run of their block to one record, the merge folds records into executions in
 * file order. So what is kept grows with executions times cores, never with markers. */
#ifndef TTP_LOGS_DEVICE_LOG_H
#define TTP_LOGS_DEVICE_LOG_H

#include "logs/logs.h"

#define TTP_DEVICE_MAX_COLUMNS 64

struct ttp_device_header {
    size_t at[TTP_DEVICE_COLUMNS]; /* position in a row; TTP_NPOS: this version lacks it */
    size_t columns;
    size_t lines;        /* before the rows */
    bool timers_only;    /* no zone names: timer ids 1 to 4 are the zones */
    bool split_firmware; /* a run also ends where firmware starts again: no trace columns */
    bool strict;         /* only logs of today, see ttp_logs_options */
    size_t bytes;        /* where the rows begin */
    bool split_kernel;   /* or where the kernel does: firmware writes no markers */
};

/* Read preamble and column names from the start of the file, as out->strict asks. Fills what they
 * say about the log. */
TTP_NODISCARD ttp_code ttp_logs_device_log_read_header(struct ttp_device_log *log,
                                                       struct ttp_device_header *out, ttp_str text,
                                                       struct ttp_arena *arena,
                                                       struct ttp_err *err);

struct ttp_block_core {
    int64_t device;
    int32_t x, y;
};

/* Rows of one RISC of one core for one execution, reduced. */
struct ttp_marker_run {
    uint32_t core; /* in the block's list */
    uint8_t risc;
    bool data_movement, own; /* of its kernel zone; valid if kernel.count */
    bool has_fw, has_brisc_fw_start;
    bool begins; /* with the start of its RISC's firmware zone */
    bool sub_device_conflict;
    uint64_t line;            /* of its first row, in the block, from 1 */
    uint64_t sub_device_line; /* of the conflict, in the block, from 1 */
    uint64_t repeated_line;   /* of the second start of a firmware zone, in the block, from 1 */
    uint64_t run_id;
    int64_t trace_id, replay, sub_device;
    uint64_t first_cycle, last_cycle;
    uint64_t fw_starts, fw_ends, fw_start_cycle, fw_end_cycle;
    uint64_t cb_wait_cycles, cb_reserve_cycles;
    uint64_t dm_start_cycle, kernel_end_cycle;
    struct ttp_span fw, kernel, kernel_starts, trace_fw, trace_kernel;
};

/* A row of a dispatch core, in file order. */
struct ttp_dispatch_row {
    uint32_t core; /* in the block's list */
    bool zone;     /* of a zone that only dispatch cores have */
    bool subordinate, zone_end, command, go;
    bool has_worker, has_command;
    bool command_is_dispatch, command_is_go, command_notifies;
    uint64_t worker, cycle;
    uint64_t line; /* in the block, from 1 */
};

struct ttp_block_sample {
    uint32_t run;
    ttp_sym counter;
    uint32_t value, reference;
    uint64_t cycle;
};

/* What a worker makes of a block, all in the arena. */
struct ttp_device_block {
    struct ttp_arena *arena; /* set by the caller */
    struct ttp_block_core *core;
    size_t ncores;
    struct ttp_marker_run *run;
    size_t nruns, run_cap;
    struct ttp_dispatch_row *dispatch;
    size_t ndispatch;
    struct ttp_block_sample *sample;
    size_t nsamples;
    struct ttp_symtab counters;
    uint64_t rows, lines;
    struct ttp_fault bad; /* its line counts from 0 in the block */
    char why[80];         /* of the first */
    bool odd;             /* some row is not what it should be, though it can be read */
};

void ttp_logs_device_log_read_rows(struct ttp_device_block *b, ttp_str text,
                                   const struct ttp_device_header *header);
/* The same, but only rows whose meta data names a sub-device are read. */
void ttp_logs_device_log_read_sub_devices(struct ttp_device_block *b, ttp_str text,
                                          const struct ttp_device_header *header);

/* Sets b->odd if pandas splits some row into another number of fields than `columns`, or its meta
 * data is not an object. */
void ttp_logs_device_log_check_rows(struct ttp_device_block *b, ttp_str text, size_t columns);

/* Separate the ops of a log without op ids by time, like the Python scripts of that time: an op
 * begins where firmware starts while it runs on no core, and lasts until the next begins. `core` of
 * each run is a position in log->core; run_id becomes the number of its op on its device, 0: before
 * the first. The runs are left in order of time. */
void ttp_logs_device_log_tell_ops(struct ttp_marker_run *run, size_t nruns,
                                  const struct ttp_device_log *log, struct ttp_arena *scratch);

/* Follows the dispatch cores of a log; zero-initialise it. */
struct ttp_dispatch_state {
    struct ttp_dispatch_core *core;
    size_t ncores;
};
/* Rows of a core must come in the order of the file. */
void ttp_logs_dispatch_add(struct ttp_dispatch_state *s, uint32_t core,
                           const struct ttp_dispatch_row *r, struct ttp_arena *arena);
/* Fills log->dispatch. */
void ttp_logs_dispatch_finish(struct ttp_device_log *log, const struct ttp_dispatch_state *s,
                              struct ttp_arena *arena);

#endif
