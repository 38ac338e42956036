/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h - door of the kernel module: what one program did on the device, line by line and thread
 * by thread, the buffers between its threads, and its bottleneck.
 *
 * Results live in the arena the caller passes; nothing in them points into files. */
#ifndef TTP_KERNEL_KERNEL_H
#define TTP_KERNEL_KERNEL_H

#include "base/map.h"
#include "diagnosis/diagnosis.h"
#include "logs/logs.h"

/* ---- names of zones ---- */

/* What TT-Lang's compiler says in a zone's name: "<kernel>_L<line>[_[implicit_]<op>]". */
struct ttp_line_name {
    ttp_str kernel;
    int64_t line;  /* of the Python file; 0: not such a name */
    ttp_str op;    /* "cb_wait", ...; empty: the whole line */
    bool implicit; /* done where a `with` block ends */
};

/* Is it such a name? */
bool ttp_kernel_is_line(ttp_str zone);
/* The rest after the first "_L<digits>_" of a zone's name; false: none. */
bool ttp_kernel_leftmost_op(ttp_str zone, ttp_str *op, bool *implicit);

/* ---- cb_flow_graph.json: dataflow buffers and who uses them ---- */

struct ttp_flow_op {
    ttp_str kernel, thread, op, direction; /* empty: not given */
    int64_t line;                          /* -1: unknown */
};

enum ttp_flow_list {
    TTP_FLOW_PRODUCERS,
    TTP_FLOW_CONSUMERS,
    TTP_FLOW_DMA,
    TTP_FLOW_WAITS,
    TTP_FLOW_LISTS,
};

struct ttp_flow_buffer {
    int64_t index;  /* of the circular buffer; -1: not given */
    int64_t dfb_id; /* -1: a version without it */
    struct ttp_flow_op *op[TTP_FLOW_LISTS];
    size_t nops[TTP_FLOW_LISTS];
};

struct ttp_flow_graph {
    struct ttp_flow_buffer *buffer; /* in the order of the file */
    size_t nbuffers;
    ttp_str json; /* the file as it is */
};

/* Any version: keys that are unknown are passed over, those that are missing are not given.
 * TTP_EPARSE: not JSON, or no list of buffers in it. */
TTP_NODISCARD ttp_code ttp_kernel_read_flow(struct ttp_flow_graph *out, const char *path,
                                            struct ttp_arena *arena, struct ttp_err *err);

/* The target of a wait for a buffer. */
struct ttp_wait_source {
    ttp_str kernel; /* whose wait it is, and where */
    int64_t line;
    ttp_str from_kernel;
    int64_t from_line;
    int64_t buffer; /* index */
    bool dma;       /* for a transfer; else for compute */
};
/* Where a kernel waits for its own transfers. */
struct ttp_dma_barrier {
    ttp_str kernel;
    int64_t line, buffer;
    bool write;
};
struct ttp_flow_waits {
    struct ttp_wait_source *source;
    size_t nsources;
    struct ttp_dma_barrier *barrier;
    size_t nbarriers;
};

/* `reads_only`: only what a read from memory fills is waited for. The last buffer of a line wins,
 * only the first barrier of a buffer counts, and only barriers of reads into buffers 0 to 7. */
void ttp_kernel_flow_waits(struct ttp_flow_waits *out, const struct ttp_flow_graph *graph,
                           bool reads_only, struct ttp_arena *arena);
/* NULL: none. Several may represent one line; `nth` counts from 0. */
const struct ttp_wait_source *ttp_kernel_find_source(const struct ttp_flow_waits *waits,
                                                     ttp_str kernel, int64_t line, size_t nth);
const struct ttp_dma_barrier *ttp_kernel_find_barrier(const struct ttp_flow_waits *waits,
                                                      ttp_str kernel, int64_t line);

/* ---- pipe graph: who sends to whom on the grid ---- */

struct ttp_pipe {
    int64_t src_x, src_y;                                   /* logical nodes */
    int64_t dst_start_x, dst_start_y, dst_end_x, dst_end_y; /* both ends belong to it */
    int64_t net, receiver;                                  /* -1: not given */
};
struct ttp_pipe_graph {
    struct ttp_pipe *pipe;
    size_t npipes;
    ttp_str json;
};
TTP_NODISCARD ttp_code ttp_kernel_read_pipes(struct ttp_pipe_graph *out, const char *path,
                                             struct ttp_arena *arena, struct ttp_err *err);

/* ---- NoC traffic ---- */

/* How often a size was transferred. */
struct ttp_size_count {
    uint64_t bytes, count;
};
/* By size. */
struct ttp_sizes {
    struct ttp_size_count *size;
    size_t count;
};

/* Cores, each once. */
struct ttp_core_set {
    uint32_t *core; /* x << 16 | y, both as 16 bits */
    size_t count;
    struct ttp_map known; /* private */
};
/* How many different columns and rows its cores are in. */
void ttp_kernel_core_grid(const struct ttp_core_set *set, size_t *cols, size_t *rows);
bool ttp_kernel_has_core(const struct ttp_core_set *set, int x, int y);
void ttp_kernel_add_core(struct ttp_core_set *set, int x, int y, struct ttp_arena *arena);
void ttp_kernel_add_size(struct ttp_sizes *sizes, uint64_t bytes, struct ttp_arena *arena);

/* Numbers of NoC 0, NoC 1, and of transfers that do not say. */
#define TTP_KERNEL_NOCS 3

/* ---- the zones of a log, per invocation ---- */

/* RISCs in the order in which a kernel is read: data in, data out, compute. */
enum ttp_kernel_risc {
    TTP_KERNEL_NCRISC,
    TTP_KERNEL_BRISC,
    TTP_KERNEL_TRISC_0,
    TTP_KERNEL_TRISC_1,
    TTP_KERNEL_TRISC_2,
    TTP_KERNEL_ERISC,
    TTP_KERNEL_OTHER, /* any other */
    TTP_KERNEL_RISCS,
};
const char *ttp_kernel_risc_name(enum ttp_kernel_risc risc);

/* All zones of one site on one RISC in one invocation. */
struct ttp_line_stat {
    uint32_t invocation, site;     /* site: in ttp_kernel_profile.log */
    uint8_t risc;                  /* enum ttp_kernel_risc */
    uint64_t count, sum, min, max; /* cycles, inner zones included */
    uint32_t next;                 /* of the same invocation: position + 1 */
};

/* One invocation's part on one core. Cycles are summed over a RISC's zones of the kind. */
struct ttp_kernel_core {
    uint32_t invocation, core;             /* core: in ttp_kernel_profile.log */
    uint64_t first_cycle, last_cycle;      /* of its kernels; of all its zones if it has none */
    uint64_t kernel[TTP_KERNEL_RISCS];     /* the kernels themselves */
    uint64_t wait[TTP_KERNEL_RISCS];       /* for data in a buffer */
    uint64_t reserve[TTP_KERNEL_RISCS];    /* for room in a buffer */
    uint64_t barrier[TTP_KERNEL_RISCS];    /* for its own transfers */
    uint64_t kernel_end[TTP_KERNEL_RISCS]; /* of the last one; 0: none */
    uint8_t pairs[TTP_KERNEL_RISCS];       /* zones next to firmware and kernel, up to the limit */
    bool has_kernel;
    uint32_t next; /* of the same invocation: position + 1 */
};

/* One execution of a program on a device. */
struct ttp_invocation {
    struct ttp_exec_key key;         /* device: its id */
    uint32_t cores, lines;           /* how many parts and line stats it has */
    uint32_t first_core, first_line; /* position + 1 */
    uint64_t full_buffers;           /* RISCs of cores that reached TTP_KERNEL_MAX_PAIRS */
};
/* 250 optional markers fit into the buffer of a RISC and launch; what comes later is lost. */
#define TTP_KERNEL_MAX_PAIRS 125

struct ttp_kernel_profile {
    struct ttp_zone_log log;           /* what the positions above mean, and what was lost */
    struct ttp_invocation *invocation; /* in order of first appearance */
    size_t ninvocations;
    struct ttp_kernel_core *core;
    size_t ncores;
    struct ttp_line_stat *line;
    size_t nlines;
    struct ttp_line_name *name; /* of each site */
    bool has_waits;             /* some zone or total says how long a buffer was waited for */
    uint64_t repeated;          /* zones and totals that the log has again: omitted */
};

struct ttp_profile_options {
    const struct ttp_flow_waits *waits; /* NULL: barriers are unknown */
    const int32_t (*core)[2];           /* only these x, y; NULL: all */
    size_t ncores;
    struct ttp_logs_options logs;
};
/* Read a device log in one pass. What is kept grows with invocations times cores and lines, not
 * with zones. */
TTP_NODISCARD ttp_code ttp_kernel_read_profile(struct ttp_kernel_profile *out, const char *path,
                                               const struct ttp_profile_options *options,
                                               struct ttp_arena *arena, struct ttp_err *err);

/* ---- NoC traffic of one invocation ---- */

/* Reads or writes, multicasts apart. */
struct ttp_transfers {
    uint64_t count, bytes;
    uint64_t saturated; /* transfers of 8160 bytes or more: the trace cannot say how many */
};

enum ttp_traffic_end { TTP_END_DRAM, TTP_END_L1, TTP_END_ETH, TTP_END_OTHER, TTP_TRAFFIC_ENDS };

struct ttp_traffic {
    struct ttp_transfers read[TTP_TRAFFIC_ENDS], write[TTP_TRAFFIC_ENDS];
    struct ttp_transfers multicast; /* counted once */
    uint64_t multicast_received;    /* bytes that arrived, over all receivers */
    struct ttp_transfers fabric;
    struct ttp_sizes sizes;
    struct ttp_core_set sources, l1_targets;
    uint64_t read_barriers, write_barriers;
    uint64_t read_barrier_cycles, write_barrier_cycles; /* from start to end, over all cores */
    uint64_t risc_barrier_cycles[TTP_KERNEL_RISCS];
    uint64_t risc_read_bytes[TTP_KERNEL_RISCS], risc_written_bytes[TTP_KERNEL_RISCS];
    uint64_t semaphores;
    uint64_t noc_reads[TTP_KERNEL_NOCS], noc_writes[TTP_KERNEL_NOCS];
    uint32_t dram_channels; /* bits */
    uint64_t with_state;    /* transfers whose target was set before */
    uint64_t lost_state;    /* of which it was set before the trace began: counted as "other" */
    uint64_t first_cycle, last_cycle;
};
#define TTP_KERNEL_SATURATED 8160

/* `grid`: the chip's; NULL: DRAM is what has no zone. */
void ttp_kernel_traffic(struct ttp_traffic *out, const struct ttp_noc_trace *trace,
                        const struct ttp_noc_grid *grid, struct ttp_arena *arena);
/* The chip of these coordinates, guessed from their range if nothing names it. */
const struct ttp_noc_grid *ttp_kernel_guess_grid(const struct ttp_noc_trace *trace);

/* ---- programs: what is known about an invocation, and its bottleneck ---- */

/* Over cores. */
struct ttp_cycle_spread {
    size_t count;                   /* 0: none ran; of a printed sum whose cores are unknown, 1 */
    uint64_t min, median, max, sum; /* median 0: only the sum is known, or the extremes */
};

/* A printed sum whose cores are unknown? */
static inline bool ttp_kernel_is_sum(const struct ttp_cycle_spread *s)
{
    return s->count == 1 && s->median == 0;
}

/* What one RISC did in an invocation, over all cores. */
struct ttp_kernel_thread {
    ttp_str kernel;                        /* TT-Lang's function; empty: unknown */
    struct ttp_cycle_spread kernel_cycles; /* count 0: it did not run */
    uint64_t wait, reserve, barrier;       /* summed over cores */
    uint64_t zones, line_cycles;           /* of its lines and user zones, and their sum */
    uint64_t pass_cycles; /* kernel cycles, over all cores, of the pass that measured waits and
                             lines; 0: they are of the same run */
};
/* What waits and lines of a thread are a part of. */
static inline uint64_t ttp_kernel_cycles_of_lines(const struct ttp_kernel_thread *t)
{
    return t->pass_cycles ? t->pass_cycles : t->kernel_cycles.sum;
}

enum ttp_kernel_role { TTP_ROLE_READER, TTP_ROLE_COMPUTE, TTP_ROLE_WRITER, TTP_KERNEL_ROLES };

/* A limit in the words of kernels: "reader", "few-cores"; "balanced" for SLOW, "unknown" for NONE.
 */
const char *ttp_kernel_bottleneck_name(enum ttp_limit limit);
const char *ttp_kernel_role_name(enum ttp_kernel_role role);

/* How a role spent its time, as parts of its kernels' cycles. */
struct ttp_role_time {
    bool known;
    enum ttp_kernel_risc risc; /* of compute: TRISC_0 or TRISC_2, what takes longer */
    uint64_t cycles, waited;   /* of its kernels, and of those for data or room; over all cores */
    double busy;               /* neither waiting for data nor for room */
    double wait_in, wait_out;  /* for data; for room */
    double barrier;            /* waiting for its own transfers: part of busy */
};

struct ttp_kernel_verdict {
    enum ttp_limit bottleneck; /* NONE: the log does not say; SLOW: balanced */
    enum ttp_limit thread;     /* among reader, compute and writer */
    enum ttp_actor actor;      /* of it */
    double gain;               /* at most this many times faster without it */
    bool from_waits;           /* else from barriers, or from how long kernels ran */
    bool all_wait;             /* no thread works half of the time: none is the bottleneck */
    struct ttp_symptoms evidence;
    struct ttp_role_time role[TTP_KERNEL_ROLES];
};

/* The three things to aim at, in order. Zero if it is unknown. */
struct ttp_targets {
    uint64_t cores_used, cores_available;
    uint64_t dram_bytes, ideal_bytes; /* moved, and what must be moved: every tensor once */
    bool dram_at_least;               /* some transfers are larger than the trace can say */
    double dram_gbs, peak_gbs;
    uint64_t block_bytes;     /* one block of all buffers of a core */
    uint64_t blocks;          /* that a core reads into one buffer */
    uint64_t buffers;         /* of two blocks each */
    uint64_t l1_bytes;        /* of a core */
    uint64_t buffer_l1_bytes; /* of these for buffers */
};
/* How many times as large blocks can be: two of each buffer fit into L1, and a core still has two
 * to read one while it computes on the other. 0: unknown. */
uint64_t ttp_kernel_block_growth(const struct ttp_targets *targets);

struct ttp_kernel_program {
    struct ttp_exec_key key;                 /* device: its id */
    ttp_str name;                            /* of its op; empty: unknown */
    ttp_str kernel;                          /* what its author calls it; empty: unknown */
    ttp_str tensors;                         /* their shapes and types; empty: unknown */
    ttp_str sources;                         /* of its data movement kernels; empty: unknown */
    uint32_t op_id;                          /* of its op in a report; 0: it has none */
    const struct ttp_symptoms *op;           /* what the report knows about that; NULL: nothing */
    uint64_t op_bytes;                       /* to and from DRAM, by its tensors; 0: unknown */
    const struct ttp_invocation *invocation; /* NULL: only its NoC trace is there */
    const struct ttp_invocation *lines;      /* whose lines are known: the same, or that of another
                                                pass; NULL: none */
    struct ttp_traffic *traffic;             /* NULL: no NoC trace */
    uint64_t first_cycle, duration_cycles;   /* duration 0: unknown */
    double payload_gbs; /* as a printed report has it, where it has no duration; 0: it does not */
    const struct ttp_kernel_core **core; /* by row, then column */
    size_t ncores;
    size_t grid_cols, grid_rows;
    struct ttp_cycle_spread core_cycles;
    const struct ttp_kernel_core *slowest; /* NULL: no cores */
    struct ttp_kernel_thread thread[TTP_KERNEL_RISCS];
    struct ttp_kernel_verdict verdict;
    struct ttp_targets targets;
};

struct ttp_kernel_report {
    ttp_str arch;
    const struct ttp_boards *boards;          /* source of the figures; NULL: built in */
    uint64_t clock_mhz;                       /* 0: unknown */
    int64_t compute_cores;                    /* of the chip, as the log says; 0: it does not */
    int64_t cores_available;                  /* of these for programs; 0: unknown */
    bool arch_asked;                          /* the user named the chip, whatever ops say */
    const struct ttp_kernel_profile *profile; /* NULL: no device log */
    const struct ttp_kernel_profile *lines;   /* what `lines` of its programs are part of */
    const struct ttp_flow_graph *flow;        /* NULL: none */
    const struct ttp_pipe_graph *pipes;       /* NULL: none */
    struct ttp_kernel_program *program;       /* by program, replay and device */
    size_t nprograms;
};

/* Programs of a profile; names and traffic are still missing. */
void ttp_kernel_list_programs(struct ttp_kernel_report *out,
                              const struct ttp_kernel_profile *profile, struct ttp_arena *arena);
/* Lines and waits of each program from another pass of the same run, where that has the program. */
void ttp_kernel_take_lines(struct ttp_kernel_report *report, const struct ttp_kernel_report *pass);
/* Add a program of which there is only a NoC trace; the list has room for `extra` more. */
void ttp_kernel_make_room(struct ttp_kernel_report *report, size_t extra, struct ttp_arena *arena);
struct ttp_kernel_program *ttp_kernel_find_program(const struct ttp_kernel_report *report,
                                                   const struct ttp_exec_key *key);
void ttp_kernel_sort_programs(struct ttp_kernel_report *report);

/* Keep those that `which` asks for: a run host ID, a program number (run host ID / 1024), a name or
 * part of it, "last" or "all". TTP_ENOTFOUND: none matches. */
TTP_NODISCARD ttp_code ttp_kernel_select(struct ttp_kernel_report *report, const char *which,
                                         struct ttp_err *err);

/* Verdict and targets of a program whose traffic and op, if any, are there. `ideal_bytes`: 0 if not
 * known. */
void ttp_kernel_judge(struct ttp_kernel_program *program, const struct ttp_kernel_report *report,
                      uint64_t ideal_bytes);
/* Bytes of the tensors an op reads and writes in DRAM, each once; 0: unknown. */
uint64_t ttp_kernel_ideal_bytes(const struct ttp_op_info *info);

/* One sentence that names the bottleneck and gives its numbers. */
ttp_str ttp_kernel_sentence(const struct ttp_kernel_program *program, struct ttp_arena *arena);

/* ---- lines of source with their cycles ---- */

struct ttp_cycle_count {
    uint64_t count, sum, min, max;
};

/* A buffer operation of a line, or a zone that someone placed there. */
struct ttp_line_part {
    ttp_str name;
    bool implicit;
    struct ttp_cycle_count cycles;
};

struct ttp_annotated_line {
    int64_t line;
    struct ttp_cycle_count all;   /* every zone of the line */
    struct ttp_cycle_count plain; /* those that represent the line itself */
    struct ttp_line_part *part;   /* explicit ones first, by name */
    size_t nparts;
};

/* Text of a file, by line. */
struct ttp_source_text {
    const char *path;
    bool changed; /* it was written after the run */
    ttp_str *line;
    size_t nlines;
};

/* One RISC running one kernel (of TT-Lang) or one file (of C++). */
struct ttp_annotated_thread {
    enum ttp_kernel_risc risc;
    ttp_str kernel;         /* empty: C++ */
    ttp_str file;           /* as the log names it; of TT-Lang that is generated text */
    uint64_t cores;         /* times invocations */
    uint64_t invocations;   /* that have a line of it */
    uint64_t most_cores;    /* of one of them */
    uint64_t kernel_cycles; /* of the kernels on these; 0: unknown */
    uint64_t zone_cycles;   /* of the lines */
    uint64_t zones;
    struct ttp_annotated_line *line; /* by number */
    size_t nlines;
    uint64_t hottest, second;             /* sums of the two hottest lines */
    const struct ttp_source_text *source; /* NULL: not found */
    int64_t first_line, last_line;        /* of the kernel in it */
};

struct ttp_annotation {
    struct ttp_annotated_thread *thread; /* in the order of RISCs */
    size_t nthreads;
    size_t invocations;
};

/* Pool the lines of all programs of the report. */
void ttp_kernel_annotate(struct ttp_annotation *out, const struct ttp_kernel_report *report,
                         struct ttp_arena *arena);

/* A folder that has source. */
struct ttp_source_root {
    const char *path;
    bool searched; /* for a kernel whose file is not named; else only by the names that logs have */
    bool of_run;   /* what lies there is what ran, whatever its time */
};
struct ttp_source_options {
    const char *source; /* the file itself, whatever it is; NULL: look for it */
    const struct ttp_source_root *root;
    size_t nroots;
    uint64_t recorded_us; /* when the run ended, since 1970; 0: unknown */
};
/* Find the text of each thread and where its kernel is in it: the first root that has it, and there
 * the newest file; a copy that another run has only if there is no other. Logs come from anywhere:
 * what they name is read only below a root, links and '..' included, and only if it is a regular
 * file with the name of source text. TTP_EIO: `source` cannot be read; what is looked for and not
 * found is not a failure. */
TTP_NODISCARD ttp_code ttp_kernel_find_sources(struct ttp_annotation *a,
                                               const struct ttp_source_options *options,
                                               struct ttp_arena *arena, struct ttp_err *err);
/* NULL: that line was not measured. */
const struct ttp_annotated_line *ttp_kernel_find_line(const struct ttp_annotated_thread *t,
                                                      int64_t line);

/* What the author of a TT-Lang kernel calls it: the function around its threads where `a` has their
 * source, else the threads themselves; `a` and `info`, what the host says about its op, may be
 * NULL. Empty: it is not one. */
ttp_str ttp_kernel_own_name(const struct ttp_kernel_program *m, const struct ttp_annotation *a,
                            const struct ttp_op_info *info, struct ttp_arena *arena);
/* "4096x64 BFLOAT16, 64x64 BFLOAT8_B -> 4096x64 BFLOAT16", without padding. */
ttp_str ttp_kernel_tensors(const struct ttp_op_info *info, struct ttp_arena *arena);

/* ---- what a run of TT-Lang printed ---- */

struct ttp_run_log {
    size_t sections;                 /* found */
    struct ttp_kernel_report report; /* judged; points into this struct */
    struct ttp_kernel_profile profile;
    struct ttp_flow_graph flow;
    struct ttp_pipe_graph pipes;
    bool has_flow, has_pipes;
    int64_t max_compute_cores; /* of TT-Lang's own text, some may be for dispatch; 0: not given */
};
/* The reports in the text of a run: of each kind the last, of which the others are part. Zones of
 * the line profile and signposts, which are sums over programs, are programs of their own with run
 * id 0. TTP_ENOTFOUND: none. */
TTP_NODISCARD ttp_code ttp_kernel_read_run_log(struct ttp_run_log *out, const char *path,
                                               struct ttp_arena *arena, struct ttp_err *err);

#endif
