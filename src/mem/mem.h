/* SPDX-License-Identifier: Apache-2.0 */
/* mem.h - memory use of a run on its devices: readers of graph captures, their
 * databases, the memory reporter's files, the inspector's log of buffers, shared memory of the
 * allocator and messages of failures; and their analysis.
 *
 * Bytes are per bank unless a name says otherwise: a block is taken in every bank at once, so one
 * bank represents all. Results live in the arena that is passed in. */
#ifndef TTP_MEM_MEM_H
#define TTP_MEM_MEM_H

#include "base/arena.h"
#include "base/err.h"
#include "base/field.h"

#define TTP_MEM_NONE UINT32_MAX /* no such counter, op, buffer or device */

/* As tt-metal numbers them. */
enum ttp_mem_pool {
    TTP_MEM_DRAM,
    TTP_MEM_L1,
    TTP_MEM_SYSTEM,
    TTP_MEM_L1_SMALL,
    TTP_MEM_TRACE,
    TTP_MEM_POOLS
};
const char *ttp_mem_pool_name(enum ttp_mem_pool pool);

/* What a buffer is to an op: see docs/mem.md. */
enum ttp_mem_class {
    TTP_MEM_INPUT,
    TTP_MEM_INTERMEDIATE,
    TTP_MEM_OUTPUT,
    TTP_MEM_STALE,
    TTP_MEM_WAITING,
    TTP_MEM_CLASSES
};
const char *ttp_mem_class_name(enum ttp_mem_class c);

/* Free space of an address range. */
struct ttp_mem_gaps {
    bool known;
    uint64_t free, largest, segments;
};

/* At one instant. */
struct ttp_mem_peak {
    bool any;
    uint32_t at; /* counter */
    uint64_t l1, cb, part[TTP_MEM_CLASSES];
};

struct ttp_mem_device {
    int64_t id;
    int64_t l1_banks, dram_banks, l1_bank_bytes, l1_base, worker_l1_bytes,
        dram_bank_bytes;    /* 0: unknown */
    int64_t grid_x, grid_y; /* of compute cores; 0: unknown */
    char arch[24];          /* of a capture: "WORMHOLE_B0"; empty: unknown */
    struct ttp_mem_peak peak;
    uint64_t peak_inferred; /* with circular buffers that are taken from earlier launches */
    uint32_t peak_op;       /* position among ops, or TTP_MEM_NONE */
    uint64_t dram_peak, dram_peak_total;
    uint32_t dram_peak_op;
    bool dram_any;
};

/* One allocation. */
struct ttp_mem_buffer {
    uint32_t node;            /* counter of its buffer node, or of the allocation */
    uint32_t alloc, freed;    /* counters; TTP_MEM_NONE: before the capture, never */
    uint32_t device;          /* position */
    uint32_t use, uses;       /* in `use_at` of the capture */
    uint32_t tensor, tensors; /* in `tensor_at` */
    uint32_t before;          /* an earlier allocation of the same node */
    uint8_t pool;             /* enum ttp_mem_pool; TTP_MEM_POOLS: unknown */
    bool has_address, estimated;
    int64_t address;
    uint64_t bytes, size; /* per bank, over all banks */
};

/* A buffer at the peak of an op. */
struct ttp_mem_placed {
    uint32_t buffer;
    uint8_t is; /* enum ttp_mem_class */
};

#define TTP_MEM_LARGEST 3

/* What one op did to one device. */
struct ttp_mem_use {
    struct ttp_mem_peak peak;
    uint64_t peak_inferred, cb_inferred;            /* with circular buffers of earlier launches */
    struct ttp_mem_placed largest[TTP_MEM_LARGEST]; /* buffers at the peak */
    uint8_t nlargest;
    bool has_headroom, has_largest_free;
    int64_t headroom_min;
    uint64_t largest_free_min;
    uint64_t end_l1, end_dram, end_small;
    struct ttp_mem_gaps end;
};

struct ttp_mem_op {
    uint32_t id, start, end; /* counters; end is TTP_MEM_NONE if it never ended */
    ttp_str name;
    uint64_t duration_ns;
    bool finished;
    bool frees;                       /* it only gives memory back */
    uint32_t cb_inferred, cb_unknown; /* launches whose circular buffers are not in the capture */
};

enum ttp_mem_cb_source { TTP_MEM_CB_GIVEN, TTP_MEM_CB_INFERRED, TTP_MEM_CB_UNKNOWN };
const char *ttp_mem_cb_source_name(enum ttp_mem_cb_source s);

/* A function that launched programs. */
struct ttp_mem_launch {
    uint32_t counter, op, cbs, count; /* op: position */
    uint32_t first;                   /* of its counts by device */
    ttp_str name;
    uint64_t signature;
    enum ttp_mem_cb_source source;
};
struct ttp_mem_launches {
    bool has_device;
    int64_t device;
    uint32_t count, next;
};

/* A stale buffer: still allocated while later ops ran without using it. */
struct ttp_mem_stale {
    uint32_t buffer, ops;
    uint32_t last_op; /* position, or TTP_MEM_NONE */
    uint64_t byte_ops;
};

struct ttp_mem_bin {
    uint8_t pool;
    uint64_t from; /* up to twice that */
    uint64_t count;
};

/* What a capture or the table `errors` of a database tells of an op that failed. */
struct ttp_mem_error {
    int64_t op;
    ttp_str operation, type, message;
};

struct ttp_mem_capture {
    const char *path;
    bool has_rank, partial;
    int64_t rank, version;
    const char *cut; /* of a partial one: why it ends there */
    size_t cut_offset;
    struct ttp_mem_device *device;
    size_t devices;
    struct ttp_mem_op *op;
    size_t ops;
    struct ttp_mem_use *use; /* op by op, device by device */
    struct ttp_mem_buffer *buffer;
    size_t buffers; /* of all pools; those that are unknown are not counted below */
    size_t total, estimated, never_freed, older;
    uint32_t *use_at;            /* counters, in order, buffer by buffer */
    uint32_t *tensor_at;         /* counters of tensor nodes */
    const uint32_t *tensor_node; /* counters of all tensor nodes, in order */
    const int64_t *tensor_id;
    size_t tensor_nodes;
    struct ttp_mem_launch *launch;
    size_t launches;
    const struct ttp_mem_launches *launched;
    struct ttp_mem_stale *stale;
    size_t stales;
    struct ttp_mem_bin *bin;
    size_t bins;
    uint32_t *live; /* buffers that were live at the end */
    size_t lives;
    struct ttp_mem_error *error;
    size_t errors;
    size_t snapshots, reconciled; /* lists of buffers after ops, and how many entries differed */
    struct ttp_mem_placed *map;   /* of the op that was asked for, by address */
    size_t maps;
    uint32_t map_op, map_device;
    uint64_t map_cb_end; /* where circular buffers end; 0: there are none */
};

struct ttp_mem_options {
    bool partial;    /* use the readable part of a truncated capture */
    uint32_t map_op; /* id of an op whose buffers are kept; 0: none */
    bool one_device; /* only buffers on `device`; a capture may have none of it */
    int64_t device;
};

/* TTP_EPARSE: no capture, or truncated; err->offset is the place. */
TTP_NODISCARD ttp_code ttp_mem_read_capture(struct ttp_mem_capture *out, const char *path,
                                            const struct ttp_mem_options *options,
                                            struct ttp_arena *arena, struct ttp_err *err);
/* Ids of the tensors that lived in a buffer, in order, each once; *ids is in the arena. */
size_t ttp_mem_tensor_ids(const int64_t **ids, const struct ttp_mem_capture *c,
                          const struct ttp_mem_buffer *b, struct ttp_arena *arena);

/* --- the tensors of an op --- */

struct ttp_mem_op_tensor {
    uint64_t shape[8];
    size_t dims;    /* 0: unknown */
    ttp_str type;   /* "BFLOAT16"; empty: unknown */
    ttp_str memory; /* "L1_HEIGHT_SHARDED"; empty: unknown, or on the host */
    bool row_major, shard_col_major;
    uint64_t shard_h, shard_w, shard_cores; /* elements; 0: unknown */
};
struct ttp_mem_op_tensors {
    ttp_str function; /* that takes them; empty: none was found */
    struct ttp_mem_op_tensor input[4], output;
    size_t inputs;
};
/* Of the first function of an op that takes two tensors or more. Without an output in the capture,
 * as of an op that failed, it has at most the memory. */
TTP_NODISCARD ttp_code ttp_mem_read_op_tensors(struct ttp_mem_op_tensors *out, const char *path,
                                               const struct ttp_mem_op *op, struct ttp_arena *arena,
                                               struct ttp_err *err);

/* --- failures --- */

enum ttp_mem_failure_kind { TTP_MEM_OUT_OF_MEMORY, TTP_MEM_CB_CLASH, TTP_MEM_CB_TOO_LARGE };
enum ttp_mem_verdict {
    TTP_MEM_LARGER_THAN_BANK,
    TTP_MEM_FULL,
    TTP_MEM_FRAGMENTED,
    TTP_MEM_VERDICT_CLASH,
    TTP_MEM_VERDICT_TOO_LARGE,
    TTP_MEM_VERDICT_UNKNOWN,
};
const char *ttp_mem_failure_name(enum ttp_mem_failure_kind kind);
const char *ttp_mem_verdict_name(enum ttp_mem_verdict verdict);

struct ttp_mem_failure {
    enum ttp_mem_failure_kind kind;
    enum ttp_mem_verdict verdict;
    const char *path; /* where it was reported, and on which line */
    uint64_t line;
    bool has_bank, has_short;
    uint64_t bytes, banks, bytes_per_bank;  /* out of memory */
    uint64_t bank_bytes;                    /* 0: unknown */
    uint64_t allocated, free, largest_free; /* if has_bank */
    ttp_str pool;
    uint64_t program, lowest_l1, region_end, max_l1; /* circular buffers */
    ttp_str cores, what;
    ttp_str op;     /* that failed; empty: unknown */
    uint32_t op_id; /* in the capture that explains it; 0: unknown */
    uint64_t short_by;
    bool from_capture; /* the verdict follows from the free list of a capture */
};
struct ttp_mem_failures {
    struct ttp_mem_failure *item;
    size_t count;
};
/* Add those of a text log. Lines of any length; the message may appear anywhere in one. */
TTP_NODISCARD ttp_code ttp_mem_read_log(struct ttp_mem_failures *out, const char *path,
                                        struct ttp_arena *arena, struct ttp_err *err);
/* What to do about a failure of its kind, the most effective first; the end is NULL. */
const char *const *ttp_mem_remedies(const struct ttp_mem_failure *f);
/* The op that allocated a buffer; NULL: it is older than the capture, or no op did. */
const struct ttp_mem_op *ttp_mem_maker(const struct ttp_mem_capture *c,
                                       const struct ttp_mem_buffer *b);
/* Do two messages report one failure? The runtime logs it, and its exception is printed again. */
bool ttp_mem_same_failure(const struct ttp_mem_failure *a, const struct ttp_mem_failure *b);

/* The smallest run of neighbours to free for an allocation to fit, or for the circular buffers of
 * the op that failed. */
struct ttp_mem_to_free {
    bool any;
    size_t capture;         /* of the run, by which the failure is explained */
    const uint32_t *buffer; /* by address */
    size_t count;
    uint64_t bytes, hole;
};

/* --- databases of ttnn-visualizer --- */

struct ttp_mem_row_device {
    int64_t device;
    uint64_t l1_peak, cb_at_peak, tensors_at_peak, l1_end, dram_end, small_end;
    struct ttp_mem_gaps end;
};
struct ttp_mem_row {
    int64_t id;
    ttp_str name;
    double duration_s;
    bool has_duration;
    const int64_t *input, *output; /* tensor ids */
    size_t inputs, outputs;
    const struct ttp_mem_row_device *device;
    size_t devices;
};
struct ttp_mem_rank {
    int64_t rank;
    const struct ttp_mem_device *device;
    size_t devices;
    struct ttp_mem_row *row;
    size_t rows;
    struct ttp_mem_error *error;
    size_t errors;
};
struct ttp_mem_database {
    const char *path;
    ttp_str version; /* empty: older than that key */
    bool rank_column, lifetime, chunks;
    size_t error_columns;
    struct ttp_mem_rank *rank;
    size_t ranks;
    struct ttp_mem_error *error; /* of ranks without an op that ended */
    size_t errors;
};
TTP_NODISCARD ttp_code ttp_mem_read_database(struct ttp_mem_database *out, const char *path,
                                             struct ttp_arena *arena, struct ttp_err *err);

/* --- the memory reporter --- */

struct ttp_mem_pool_state {
    uint64_t bank, allocated, free, largest_free;
};
/* A line of a summary, three pools of a program. */
struct ttp_mem_summary {
    bool has_program;
    uint64_t program;
    struct ttp_mem_pool_state pool[3]; /* DRAM, L1, L1_SMALL */
};
struct ttp_mem_blocks {
    bool has_program;
    uint64_t program;
    ttp_str pool;
    uint64_t blocks, allocated_blocks, free_blocks, allocated, free, largest_free;
};
enum ttp_mem_report_kind { TTP_MEM_REPORT_SUMMARY, TTP_MEM_REPORT_L1, TTP_MEM_REPORT_DETAILED };
struct ttp_mem_report {
    const char *path;
    enum ttp_mem_report_kind kind;
    struct ttp_mem_summary *summary; /* also of the L1 summary: largest_free and free of L1 */
    size_t summaries;
    struct ttp_mem_blocks *block;
    size_t blocks;
};
TTP_NODISCARD ttp_code ttp_mem_read_report(struct ttp_mem_report *out, const char *path,
                                           struct ttp_arena *arena, struct ttp_err *err);

/* --- the inspector's log of buffers --- */

struct ttp_mem_log_pool {
    ttp_str name;
    uint64_t bytes, peak_bytes, peak_ns;
    ttp_str peak_op; /* of a recording: zone of the host at the peak; empty: none */
};
struct ttp_mem_buffer_log {
    const char *path;
    bool recording; /* of Tracy: times since its start, bytes over all banks */
    uint64_t allocations, live_at_end, unpaired_frees, incomplete;
    struct ttp_mem_log_pool *pool;
    size_t pools;
};
TTP_NODISCARD ttp_code ttp_mem_read_buffer_log(struct ttp_mem_buffer_log *out, const char *path,
                                               struct ttp_arena *arena, struct ttp_err *err);

/* --- shared memory of the allocator --- */

#define TTP_MEM_SHM_CHIPS     16
#define TTP_MEM_SHM_PROCESSES 64

struct ttp_mem_counts {
    uint64_t dram, l1, l1_small, trace, cb; /* over all banks */
};
struct ttp_mem_shm_chip {
    uint32_t chip, remote;
    struct ttp_mem_counts bytes;
};
struct ttp_mem_shm_process {
    int32_t pid;
    char name[65];
    uint64_t updated_ns;
    struct ttp_mem_counts bytes;
};
struct ttp_mem_shm {
    uint32_t version, counted, attached, device;
    uint64_t updated_ns, asic;
    struct ttp_mem_counts bytes;
    struct ttp_mem_shm_chip chip[TTP_MEM_SHM_CHIPS];
    struct ttp_mem_shm_process process[TTP_MEM_SHM_PROCESSES];
    size_t chips, processes;
};
/* TTP_EPARSE: too short, or of a version that we do not know (see out->version). */
TTP_NODISCARD ttp_code ttp_mem_read_shm(struct ttp_mem_shm *out, const char *path,
                                        struct ttp_err *err);

/* --- all memory data of a run --- */

enum ttp_mem_file_kind {
    TTP_MEM_FILE_OTHER,
    TTP_MEM_FILE_CAPTURE,
    TTP_MEM_FILE_DATABASE,
    TTP_MEM_FILE_REPORT,
    TTP_MEM_FILE_BUFFER_LOG,
    TTP_MEM_FILE_SHM,
    TTP_MEM_FILE_LOG,
};
/* By its name and how it begins. */
enum ttp_mem_file_kind ttp_mem_file_kind(const char *path);

struct ttp_mem_shm_file {
    const char *path;
    ttp_code code; /* of a file that cannot be read: why */
    struct ttp_mem_shm shm;
};

/* Those of a folder such as /dev/shm, by name; *out is in the arena. */
size_t ttp_mem_list_shm(struct ttp_mem_shm_file **out, const char *dir, struct ttp_arena *arena);

/* An op that failed, for another reason than a failed allocation. */
struct ttp_mem_failed_op {
    const char *path;
    const struct ttp_mem_error *error;
    bool unfinished; /* no error was reported: the op only never ended */
};

struct ttp_mem_run {
    struct ttp_mem_capture *capture;
    struct ttp_mem_database *database;
    struct ttp_mem_report *report;
    struct ttp_mem_buffer_log *buffer_log;
    struct ttp_mem_shm_file *shm;
    size_t captures, databases, reports, buffer_logs, shms;
    struct ttp_mem_failures failures;
    struct ttp_mem_to_free *to_free; /* of each failure, with the capture that explains it */
    struct ttp_mem_failed_op *failed;
    size_t faileds;
    const char *beside; /* capture or database next to a log that was named; NULL: not read, none */
    struct ttp_words notes;
};

/* Files and folders. Of a folder all captures, databases, reports and logs of buffers are read,
 * those in its folders `inspector`, `reports`, `generated` and `shm` too, and failures of its text
 * logs. A file that is named may also be a text log, which "-" always is: standard input.
 * TTP_ENOTFOUND: a folder has none of them. */
TTP_NODISCARD ttp_code ttp_mem_load(struct ttp_mem_run *out, const struct ttp_words *paths,
                                    const struct ttp_mem_options *options, struct ttp_arena *arena,
                                    struct ttp_err *err);
/* Leave out other ranks than `rank` (-1: none), and of what was read other devices than that of
 * the options. Logs and counters of a process stay. TTP_EUSAGE: no such rank or device. */
TTP_NODISCARD ttp_code ttp_mem_choose(struct ttp_mem_run *run, int64_t rank,
                                      const struct ttp_mem_options *options, struct ttp_err *err);
/* Something that the user should act on: a failure, or circular buffers that reach into tensors. */
bool ttp_mem_has_finding(const struct ttp_mem_run *run);

/* One op on one device. */
struct ttp_mem_line {
    uint32_t op, device;
};
/* Of a capture; rows are lines, the context is the capture. */
extern const struct ttp_fields ttp_mem_fields;
/* All of them in order; *out is in the arena. */
size_t ttp_mem_lines(struct ttp_mem_line **out, const struct ttp_mem_capture *c,
                     struct ttp_arena *arena);
/* L1 at the peak of an op on a device, bytes per bank. */
struct ttp_mem_room {
    bool known;             /* all addresses and the size of a bank are */
    uint64_t banks;         /* 0: unknown */
    uint64_t largest_free;  /* block above the circular buffers */
    uint64_t without_stale; /* the same if no stale buffer were there */
    uint64_t below_tensors; /* from the start of L1 to the lowest tensor: for circular buffers */
    uint64_t below_others;  /* the same without the tensors of the op itself */
};
void ttp_mem_find_room(struct ttp_mem_room *out, const struct ttp_mem_capture *c,
                       struct ttp_mem_line at, struct ttp_arena *arena);
/* The neighbouring stale buffers with the fewest bytes whose end leaves `need` bytes in one block.
 */
void ttp_mem_make_room(struct ttp_mem_to_free *out, const struct ttp_mem_capture *c,
                       struct ttp_mem_line at, uint64_t need, struct ttp_arena *arena);

/* Gain from freeing a stale buffer: its bytes at the peak of the run, if it is live then. */
bool ttp_mem_is_live(const struct ttp_mem_buffer *b, uint32_t counter);

/* --- side by side --- */

struct ttp_mem_names {
    const ttp_str *name;
    size_t count;
};
/* match[i] is the position in `b` of the i-th of `a`, or TTP_MEM_NONE: the longest common
 * subsequence. Returns how many match. */
size_t ttp_mem_align(uint32_t *match, const struct ttp_mem_names *a, const struct ttp_mem_names *b);

/* An op whose peak or stale bytes differ. */
struct ttp_mem_change {
    uint32_t op_before, op_after; /* ids */
    ttp_str name;
    int64_t peak_before, peak_after, stale_before, stale_after;
};
struct ttp_mem_difference {
    struct ttp_mem_change *change; /* the largest first */
    size_t changes, matched, only_before, only_after;
};
void ttp_mem_compare(struct ttp_mem_difference *out, const struct ttp_mem_capture *a,
                     const struct ttp_mem_capture *b, struct ttp_arena *arena);
/* Rows are changes; there is no context. */
extern const struct ttp_fields ttp_mem_change_fields;

#endif
