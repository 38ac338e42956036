/* SPDX-License-Identifier: Apache-2.0 */
/* synth.h - door of the synth module: the artifacts folder of a synthetic run.
 *
 * Files have the form tt-metal gives them (2026-08: 15 columns in the device log, Quasar columns in
 * the C++ report) and agree with each other: what the C++ report says about an op can be computed
 * from its markers. Times follow from the ops' sizes and the chip's peak rates.
 *
 * The same options give the same bytes with any compiler, on any machine. Nothing is kept between
 * calls; one thread per call. */
#ifndef TTP_SYNTH_SYNTH_H
#define TTP_SYNTH_SYNTH_H

#include "base/err.h"
#include "base/progress.h"
#include "base/sink.h"

enum ttp_synth_model {
    TTP_SYNTH_LLM_DECODE,
    TTP_SYNTH_LLM_PREFILL,
    TTP_SYNTH_RESNET,
    TTP_SYNTH_MATMUL,
    TTP_SYNTH_TT_LANG_KERNEL,
};

/* What goes wrong; combined with |. Each is placed by the seed. */
enum ttp_synth_fault {
    TTP_SYNTH_LOST_MARKERS = 1 << 0,    /* full buffers: now and then a core's zones never end */
    TTP_SYNTH_MISSING_OP = 1 << 1,      /* now and then an op left nothing on a device */
    TTP_SYNTH_TRUNCATED = 1 << 2,       /* the device log and the messages end within a row */
    TTP_SYNTH_CUT_MESSAGE = 1 << 3,     /* one op's message exceeded Tracy's 64 KiB */
    TTP_SYNTH_DUPLICATE_START = 1 << 4, /* one core reports a firmware start twice */
    TTP_SYNTH_MISSING_DEVICE = 1 << 5,  /* the last device is in the host's files only */
    TTP_SYNTH_NEVER_REPLAYED = 1 << 6,  /* a trace was captured and then not used */
    TTP_SYNTH_NO_MESSAGES = 1 << 7,     /* the host's messages are missing, its zones are present */
    TTP_SYNTH_ZONE_WITHOUT_OP = 1 << 8, /* one op's message was lost, its zone is there */
    TTP_SYNTH_OLD_COLUMNS = 1 << 9,     /* the device log has the 13 columns of 2025-04 */
    TTP_SYNTH_EQUAL_STARTS = 1 << 10,   /* one op's kernels all start in one cycle */
    TTP_SYNTH_BAD_PREAMBLE = 1 << 11,   /* the first line of the device log says nothing */
    TTP_SYNTH_OLD_PREAMBLE = 1 << 12,   /* it lacks the number of cores, as before 2025-11 */
    TTP_SYNTH_EMPTY_LOG = 1 << 13,      /* the device log has no rows */
    TTP_SYNTH_OPEN_MESSAGE = 1 << 14,   /* as a cut message, and its closing quote is lost, too */
    TTP_SYNTH_LOST_ZONE = 1 << 15,      /* one op's zone is lost, its message is there */
};

/* Of TTP_SYNTH_TT_LANG_KERNEL: what delays the kernel. */
enum ttp_synth_bottleneck {
    TTP_SYNTH_BALANCED,
    TTP_SYNTH_READER,
    TTP_SYNTH_COMPUTE,
    TTP_SYNTH_WRITER,
    TTP_SYNTH_IMBALANCE, /* one core has three times the work of the others */
    TTP_SYNTH_FEW_CORES,
};

/* The files; each can be written alone. NoC traces, one for each execution, cannot. */
enum ttp_synth_file {
    TTP_SYNTH_ALL_FILES,
    TTP_SYNTH_DEVICE_LOG,   /* profile_log_device.csv */
    TTP_SYNTH_CPP_REPORT,   /* cpp_device_perf_report.csv */
    TTP_SYNTH_OPS_TIMES,    /* tracy_ops_times.csv */
    TTP_SYNTH_OPS_DATA,     /* tracy_ops_data.csv */
    TTP_SYNTH_ZONE_SOURCES, /* zone_src_locations.log */
    TTP_SYNTH_TOPOLOGY,     /* topology.json */
    TTP_SYNTH_COORDINATES,  /* cluster_coordinates.json */
    TTP_SYNTH_FLOW_GRAPH,   /* cb_flow_graph.json, of a tt-lang kernel only */
    TTP_SYNTH_SOURCE,       /* the tt-lang kernel itself */
    TTP_SYNTH_SYNC,         /* sync_device_info.csv, with `sync` only */
    TTP_SYNTH_CAPTURE,      /* graph_capture.json, of a planted run about memory only */
};

/* Words on the command line, NULL at the end; the position is the value of the enum, for faults the
 * number of the bit. */
extern const char *const ttp_synth_model_names[];
extern const char *const ttp_synth_fault_names[];
extern const char *const ttp_synth_bottleneck_names[];
extern const char *const ttp_synth_file_names[];
extern const char *const ttp_synth_arch_names[];

#define TTP_SYNTH_MAX_DEVICES 32
/* Ids have 21 bits for the program; half of them for ops, the rest for what the host does alone. */
#define TTP_SYNTH_MAX_OPS 1000000

struct ttp_synth_options {
    uint64_t seed;
    enum ttp_synth_model model;
    int arch;         /* position in ttp_synth_arch_names */
    uint32_t ops;     /* calls on each device; 0: as many as the model has in one pass */
    uint32_t layers;  /* 0: the model's default */
    uint32_t devices; /* at least 1 */
    uint32_t cores;   /* workers that ops may use; 0: all of the chip's */
    uint32_t replays; /* of a trace of one pass; 0: no trace */
    uint32_t dumps;   /* blocks of each device in the device log, as mid-run dumps make; 0: one */
    uint32_t host_zones; /* for each op, next to its own: what makes tracy_ops_times.csv large */
    bool counters;       /* hardware counters; then there is no C++ report, as with tt-metal */
    bool noc;            /* NoC events: in the device log, and a trace file for each execution */
    bool no_lines;       /* of a tt-lang kernel: compiled without zones for its lines */
    bool signposts;      /* of a tt-lang kernel: zones that its author placed */
    bool sums;           /* ZONE_TOTAL rows of time spent waiting for buffers */
    bool dispatch;       /* profile a dispatch core of each device; then no C++ report either */
    bool sync;           /* clocks of host and devices were compared */
    bool sub_devices;    /* a prefetcher next to the ops of language models */
    bool mended;         /* what is planted, without its problem */
    unsigned faults;     /* enum ttp_synth_fault */
    enum ttp_synth_bottleneck bottleneck;
    const char *plant;             /* a rule of the advice: a small run that it finds; NULL: none */
    struct ttp_progress *progress; /* is advanced by bytes of the device log; may be NULL */
};
/* The i-th rule there is such a run for, NULL after the last. */
const char *ttp_synth_plant_name(size_t i);

/* What was made, for a summary. */
struct ttp_synth_totals {
    uint64_t ops;        /* calls on device 0 */
    uint64_t executions; /* on all devices, replays included */
    uint64_t markers;    /* rows of the device log */
    uint64_t bytes;      /* of all files */
    uint64_t files;
};

/* Write the whole folder: DIR/.logs/... and, of a tt-lang kernel, its source. Folders are made as
 * needed, files of an earlier run are replaced, others left alone. TTP_EUSAGE: options that
 * contradict each other. */
TTP_NODISCARD ttp_code ttp_synth_write_folder(struct ttp_synth_totals *totals, const char *dir,
                                              const struct ttp_synth_options *opt,
                                              struct ttp_err *err);

/* Write one of the files. TTP_EUSAGE also: these options do not make that file. */
TTP_NODISCARD ttp_code ttp_synth_write_file(struct ttp_synth_totals *totals, struct ttp_sink *out,
                                            enum ttp_synth_file file,
                                            const struct ttp_synth_options *opt,
                                            struct ttp_err *err);

/* ---- many ranks ---- */

/* A run of a mesh of chips, as tt-run leaves it: DIR/rank<N>/reports/..., and DIR/truth.json with
 * the clocks as they were. */
struct ttp_synth_mesh {
    uint64_t seed;
    int arch;               /* position in ttp_synth_arch_names */
    uint32_t ranks;         /* that share the chips out, row by row */
    uint32_t rows, columns; /* of the mesh */
    uint32_t hosts;         /* that the ranks run on, with a rank.json each; 0: none is left */
    uint32_t iterations, layers;
    double skew_us;     /* hosts are late by up to that, before a collective now and then */
    bool has_straggler; /* one chip is slow: */
    uint32_t straggler_rank, straggler_id;
    double slow;       /* its matmuls take so much longer: 0.15 */
    double offset_s;   /* clocks are apart by up to that */
    double drift_ppm;  /* and run faster or slower by up to that */
    double wander_ppm; /* and change their rate by up to that every 0.3 to 3 ms */
    bool even;         /* every iteration takes as long as the others, to the nanosecond */
    double uneven;     /* matmuls of every second chip have so much more to do, 0.4 */
    double more;       /* and those of all chips */
    double link_share; /* transfers take as long as at this part of a link's peak; 0: 20 to 30 us,
                          or longer where links are too slow for that */
    double side_ns;    /* after each all-gather an op that does not depend on it; 0: none */
    bool overlap;      /* which runs at the same time, on another sub-device */
};
#define TTP_SYNTH_MAX_MESH 1024 /* chips */
/* TTP_EUSAGE: chips cannot be distributed evenly, or there is no such straggler. */
TTP_NODISCARD ttp_code ttp_synth_write_mesh(struct ttp_synth_totals *totals, const char *dir,
                                            const struct ttp_synth_mesh *mesh, struct ttp_err *err);

#endif
