/* SPDX-License-Identifier: Apache-2.0 */
/* compat.h - door of the compat module: other tools byte for byte, their faults included.
 *
 * A sub-folder for each original: report (tt-perf-report 1.2.4), metal (tt-metal's
 * post-processing), npe (tt-npe), ttlang (TT-Lang's reports and servers), csvexport (Tracy's), and
 * python for what several of them get from their language. Other modules have rules that say what
 * they do differently; this one sets them. docs/differences.md lists the faults.
 *
 * A build with TTP_COMPAT=OFF lacks the module. */
#ifndef TTP_COMPAT_COMPAT_H
#define TTP_COMPAT_COMPAT_H

#include "advice/advice.h"
#include "analysis/analysis.h"
#include "capture/capture.h"
#include "kernel/kernel.h"
#include "noc/noc.h"
#include "outputs/outputs.h"

/* ---- report: tt-perf-report 1.2.4 ---- */

extern const struct ttp_ops_rules ttp_compat_reading;
extern const struct ttp_analysis_rules ttp_compat_analysis;
extern const struct ttp_finding_rules ttp_compat_advice;
/* All three. TTP_EMISSING: a build without the module, which has this function alone. */
struct ttp_compat_report {
    const struct ttp_ops_rules *reading;
    const struct ttp_analysis_rules *analysis;
    const struct ttp_finding_rules *advice;
};
TTP_NODISCARD ttp_code ttp_compat_report(struct ttp_compat_report *out, struct ttp_err *err);

struct ttp_original_style {
    bool color;
    bool no_advice, raw_op_codes;
    double min_percentage; /* rows below are grey */
    unsigned threads;
};

/* Status lines and warnings, a line each. */
void ttp_out_original_notes(struct ttp_sink *out, const struct ttp_notes *notes, bool color);
void ttp_out_original_line(struct ttp_sink *out, enum ttp_note_level level, bool color,
                           const char *fmt, ...) TTP_PRINTF(4, 5);
void ttp_out_original_error(struct ttp_sink *out, bool color, const char *fmt, ...)
    TTP_PRINTF(3, 4);
/* Title, table, totals and, unless switched off, the advice. The report has at least one row. */
TTP_NODISCARD ttp_code ttp_out_original_report(struct ttp_sink *out,
                                               const struct ttp_report *report,
                                               const struct ttp_original_style *style,
                                               struct ttp_arena *arena, struct ttp_err *err);
void ttp_out_original_csv(struct ttp_sink *out, const struct ttp_report *report,
                          const struct ttp_original_style *style);
/* Title and rows of the stacked report; *complete is false where the original stops after the
 * title. */
void ttp_out_original_summary(struct ttp_sink *out, const struct ttp_summary *summary, bool color,
                              bool *complete, struct ttp_arena *arena);

/* ---- metal: process_ops_logs.py and process_device_log.py of tt-metal ---- */

/* Logs are to be read strictly for them. */
extern const struct ttp_join_rules ttp_compat_joining;

/* ---- npe: tt-npe ---- */

/* The rules of tt-npe 1021603. */
extern const struct ttp_noc_rules ttp_compat_noc;

/* Its statistics under its names and with its digits; several programs are a list "programs". */
void ttp_npe_put_statistics(struct ttp_json_writer *w, const struct ttp_noc_view *view,
                            size_t count);
/* Its timeline, as ttnn-visualizer reads it: to `path`, compressed if it ends in .zst. The view has
 * its trace. `version` 0 or 1. `topology` may be NULL, but not for more than one chip by its rules.
 */
TTP_NODISCARD ttp_code ttp_npe_write_timeline(const char *path, const struct ttp_noc_view *view,
                                              const struct ttp_topology *topology, int version,
                                              struct ttp_err *err);

/* ---- ttlang: TT-Lang ---- */

/* Zones of one name on one RISC: starts and ends are paired by RISC and name alone, over all cores,
 * programs and devices, and an end uses the newest start. */
struct ttp_original_zone {
    ttp_str thread, name;
    uint64_t count;
    int64_t sum, min, max; /* cycles; negative where a marker was lost */
    uint64_t first;        /* zones that ended before the first of these */
};
struct ttp_original_zones {
    struct ttp_original_zone *zone; /* in order of the first end */
    size_t count;
};
/* Rows as auto_profile and signpost_profile read them. */
TTP_NODISCARD ttp_code ttp_original_kernel_read(struct ttp_original_zones *out, const char *path,
                                                const struct ttp_logs_options *options,
                                                struct ttp_arena *arena, struct ttp_err *err);

/* Durations of the kernel zones of one run id on one RISC, in order of their ends. */
struct ttp_original_kernel {
    int64_t run_id;
    ttp_str thread;
    int64_t *cycles;
    size_t count;
};
struct ttp_original_kernels {
    struct ttp_original_kernel *kernel;
    size_t count;
};
/* Rows as perf_summary reads them. */
TTP_NODISCARD ttp_code ttp_original_kernel_read_durations(struct ttp_original_kernels *out,
                                                          const char *path,
                                                          const struct ttp_logs_options *options,
                                                          struct ttp_arena *arena,
                                                          struct ttp_err *err);

/* What exists only inside a TT-Lang process: the text of each line, and which kernel a RISC ran. */
struct ttp_side_line {
    ttp_str zone;
    int64_t line;
    ttp_str source;
};
struct ttp_side_kernel {
    ttp_str name;
    ttp_str *line;
    size_t nlines;
    int64_t offset; /* file line of line[i] is offset + i + 1 */
};
struct ttp_side_thread {
    ttp_str thread, kernel;
};
struct ttp_side_tables {
    struct ttp_side_line *line;
    size_t nlines;
    struct ttp_side_kernel *kernel;
    size_t nkernels;
    struct ttp_side_thread *thread;
    size_t nthreads;
};
/* {"signposts": {zone: [line, text]}, "sources": {kernel: [text]}, "offsets": {kernel: line},
 * "thread_to_kernel": {RISC: kernel}} */
TTP_NODISCARD ttp_code ttp_original_kernel_read_side_tables(struct ttp_side_tables *out,
                                                            const char *path,
                                                            struct ttp_arena *arena,
                                                            struct ttp_err *err);

struct ttp_original_traffic {
    uint64_t program_id;
    struct ttp_core_set sources, l1_targets, dram_targets;
    uint64_t duration_cycles;
    uint64_t dram_read_bytes, dram_written_bytes, l1_read_bytes, l1_written_bytes, multicast_bytes;
    uint64_t dram_reads, dram_writes, l1_reads, l1_writes, multicasts;
    uint64_t read_barriers, write_barriers, semaphores;
    struct ttp_sizes sizes;
    uint64_t noc_reads[TTP_KERNEL_NOCS], noc_writes[TTP_KERNEL_NOCS];
    int64_t *brisc, *ncrisc; /* durations of their kernels */
    size_t nbrisc, nncrisc;
};
/* "DRAM" is every target that has no zone in this trace; see docs/differences.md. */
void ttp_original_kernel_traffic(struct ttp_original_traffic *out,
                                 const struct ttp_noc_trace *trace, struct ttp_arena *arena);

/* What TT-Lang's Perfetto server makes of a device log, byte for byte, without a line end; nothing
 * at all if there are no events. Two passes. */
TTP_NODISCARD ttp_code ttp_out_original_trace(uint64_t *events, struct ttp_sink *out,
                                              const char *path, struct ttp_err *err);

struct ttp_original_lines_view {
    const struct ttp_original_zones *zones;
    const struct ttp_side_tables *tables;
    const struct ttp_flow_waits *waits; /* by the original's rules */
    bool color;
};
/* The AUTO-PROFILE REPORT. False: here the original divides by zero, and ends. */
bool ttp_out_original_lines(struct ttp_sink *out, const struct ttp_original_lines_view *view,
                            struct ttp_arena *arena);
/* The SIGNPOST PROFILE. */
void ttp_out_original_signposts(struct ttp_sink *out, const struct ttp_original_zones *zones,
                                struct ttp_arena *arena);

#define TTP_ORIGINAL_THREADS 5 /* BRISC, NCRISC, TRISC_0, TRISC_1, TRISC_2 */

struct ttp_original_durations {
    const int64_t *cycles;
    size_t count;
};
struct ttp_original_program {
    const struct ttp_original_traffic *traffic;
    bool has_name;
    ttp_str name;
    struct ttp_original_durations thread[TTP_ORIGINAL_THREADS];
};
struct ttp_original_perf {
    ttp_str arch;
    uint64_t mhz;
    int64_t max_cores;
    struct ttp_original_program *program;
    size_t nprograms;
};
/* The PERF SUMMARY, as text and as JSON. */
void ttp_out_original_perf(struct ttp_sink *out, const struct ttp_original_perf *perf);
void ttp_out_original_perf_json(struct ttp_sink *out, const struct ttp_original_perf *perf);

/* ---- csvexport: Tracy's ---- */

/* csvexport -g: one row a zone of a device. Needs ttp_trace_reading.devices. */
void ttp_original_trace_write_device_zones(struct ttp_sink *out, const struct ttp_trace *trace,
                                           const struct ttp_csv_options *options,
                                           struct ttp_arena *scratch);
/* What csvexport -u -p adds to ttp_capture_trace_write_zones(): one row a point. Needs
 * ttp_trace_reading.plots. */
void ttp_original_trace_write_plots(struct ttp_sink *out, const struct ttp_trace *trace,
                                    const struct ttp_csv_options *options,
                                    struct ttp_arena *scratch);
/* csvexport without -u: one row a source location. */
void ttp_original_trace_write_statistics(struct ttp_sink *out, const struct ttp_trace *trace,
                                         const struct ttp_csv_options *options,
                                         struct ttp_arena *scratch);

#endif
