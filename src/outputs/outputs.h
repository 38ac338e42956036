/* SPDX-License-Identifier: Apache-2.0 */
/* outputs.h - door of the outputs module: results as text, CSV, JSON, Markdown and pictures.
 *
 * Writers put bytes into the sink they are given and never fail themselves: the sink keeps the
 * first failure. Output is the same for any number of threads. */
#ifndef TTP_OUTPUTS_OUTPUTS_H
#define TTP_OUTPUTS_OUTPUTS_H

#include "advice/advice.h"
#include "analysis/analysis.h"
#include "base/json_write.h"
#include "base/sink.h"
#include "diff/diff.h"
#include "fit/fit.h"
#include "host/host.h"
#include "kernel/kernel.h"
#include "measure/measure.h"
#include "outputs/config_outputs.h"
#include "outputs/history_outputs.h"
#include "outputs/noc_outputs.h"
#include "outputs/tune_outputs.h"
#include "tensor/tensor.h"

/* ---- the object around all JSON ---- */

/* Everything up to the value of "data": the caller writes that one value next. `schema` is
 * "tt-perf.<verb>/<major>"; `inputs` NULL: none. */
void ttp_envelope_begin(struct ttp_json_writer *w, const char *schema,
                        const struct ttp_words *inputs);
/* The rest, with a line end. `warnings` NULL: none; `truncated`: data lacks rows the input has. */
void ttp_envelope_end(struct ttp_json_writer *w, const struct ttp_words *warnings, bool truncated);

/* ---- tt-perf-report 1.2.4, byte for byte ---- */

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
void ttp_out_original_summary_csv(struct ttp_sink *out, const struct ttp_summary *summary);

/* ---- the report verb ---- */

/* A choice of rows and columns, made by whoever asks for output. */
struct ttp_report_view {
    const struct ttp_report *report;
    const struct ttp_summary *summary;   /* NULL: left out */
    const struct ttp_findings *findings; /* of these rows, in their order; NULL: left out */
    const struct ttp_folds *folds;       /* NULL: rows are not folded */
    const struct ttp_roofline *roofline; /* of these rows; NULL: not asked for */
    const size_t *row;                   /* ops to show, by index, in this order */
    size_t rows;
    const struct ttp_field *const *column; /* NULL: the usual ones */
    size_t columns;
    bool all_rows;         /* nothing was filtered, cut or reordered */
    double min_percentage; /* rows below are left out of text and Markdown */
    bool raw_op_codes;
    bool color;
    int width; /* of the terminal; 0: no limit */
    unsigned threads;
};

/* What is asked of a view; all zero is everything. */
struct ttp_view_options {
    struct ttp_selection selection;
    const char *columns; /* names with ',' between them; NULL: the usual ones */
    enum ttp_group_by group_by;
    bool no_advice, no_summary, fold, roofline;
    double min_percentage; /* not held against rows that `selection` asked for */
    bool raw_op_codes;
    bool color;
    int width;
    unsigned threads;
};

/* `analysis`: the options the report was made with. TTP_EUSAGE: an unknown column or a bad
 * expression. What the view points to is in the arena. */
TTP_NODISCARD ttp_code ttp_out_make_view(struct ttp_report_view *out,
                                         const struct ttp_report *report,
                                         const struct ttp_report_options *analysis,
                                         const struct ttp_view_options *options,
                                         struct ttp_arena *arena, struct ttp_err *err);

enum ttp_report_form {
    TTP_REPORT_TEXT,
    TTP_REPORT_CSV,
    TTP_REPORT_JSON,
    TTP_REPORT_MARKDOWN,
    TTP_REPORT_SVG, /* of a roofline only */
};
/* The view in one of the forms below. `inputs`: the files it was made from, named in JSON. */
void ttp_out_report(struct ttp_sink *out, enum ttp_report_form form,
                    const struct ttp_report_view *view, const struct ttp_words *inputs,
                    struct ttp_arena *arena);

/* The tree of ranges between signposts, as text, CSV or Markdown, and as a member of JSON. */
void ttp_out_signposts(struct ttp_sink *out, enum ttp_report_form form,
                       const struct ttp_ranges *ranges);
void ttp_out_signposts_json(struct ttp_json_writer *w, const struct ttp_ranges *ranges);

/* All columns under tt-perf-report's names; numbers unrounded. */
void ttp_out_report_csv(struct ttp_sink *out, const struct ttp_report_view *view);

/* ---- the summary as a picture: stacked bars of device time ---- */

struct ttp_picture_style {
    bool classic_colors; /* a cycle of 20 colours in the order of time, no categories */
};

/* One bar on a page of 6 x 8 in, or a bar per device, 2 in each, on a page at least as wide. The
 * bytes depend on the summary and the style only. */
void ttp_out_summary_svg(struct ttp_sink *out, const struct ttp_summary *summary,
                         const struct ttp_picture_style *style, struct ttp_arena *arena);
/* The same at 300 dots per inch (fewer where a page would be wider than 32767 dots), drawn by
 * cairo, which is loaded here. TTP_EMISSING: it is not on this machine or not in this build, and
 * nothing has been written. TTP_EIO: cairo failed. */
TTP_NODISCARD ttp_code ttp_out_summary_png(struct ttp_sink *out, const struct ttp_summary *summary,
                                           const struct ttp_picture_style *style,
                                           struct ttp_arena *arena, struct ttp_err *err);

/* ---- the trace verb: a run on a timeline ---- */

enum ttp_trace_format { TTP_TRACE_PERFETTO, TTP_TRACE_CHROME };

struct ttp_trace_range {
    int64_t from, to; /* both included */
};
struct ttp_trace_core_range {
    struct ttp_trace_range x, y;
};

/* What part of a run to show. All zero: everything. */
struct ttp_trace_filter {
    struct ttp_trace_range *device;
    size_t ndevices;
    struct ttp_trace_core_range *core;
    size_t ncores;
    ttp_str *zone; /* patterns with '*' and '?', of which one must fit */
    size_t nzones;
    bool has_ops;
    struct ttp_trace_range ops;                /* IDs as `report` shows them */
    const char *start_signpost, *end_signpost; /* NULL: none */
};

/* Add to a filter: "0,2-3"; "1,1" or "1-4,*"; "A,B*"; "12-40", "12-", "-40". TTP_EUSAGE: something
 * else. */
TTP_NODISCARD ttp_code ttp_trace_parse_devices(struct ttp_trace_filter *filter, const char *text,
                                               struct ttp_arena *arena, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_trace_parse_core(struct ttp_trace_filter *filter, const char *text,
                                            struct ttp_arena *arena, struct ttp_err *err);
void ttp_trace_parse_zones(struct ttp_trace_filter *filter, const char *text,
                           struct ttp_arena *arena);
TTP_NODISCARD ttp_code ttp_trace_parse_ops(struct ttp_trace_filter *filter, const char *text,
                                           struct ttp_err *err);

/* What an analysis knows of a row of the report. */
struct ttp_trace_fact {
    bool has_dram, has_dram_pct, has_flops_pct;
    double dram_gbs, dram_pct, flops_pct;
    const char *bound; /* NULL: not known */
};

/* What there is of a run. */
struct ttp_trace_run {
    const struct ttp_ops_report *report;
    const struct ttp_trace_fact *fact; /* for each of its rows; NULL: none */
    const char *device_log;            /* paths; NULL: no such file */
    const char *host_zones, *messages;
    const struct ttp_noc_folder *noc; /* NoC traces; NULL: none */
};

struct ttp_trace_options {
    enum ttp_trace_format format;
    struct ttp_trace_filter filter;
    bool op_zones_only; /* of the host: only zones of ops */
    bool noc_transfers; /* every NoC event, not only their sums */
    unsigned threads;
    bool progress;
};

struct ttp_trace_counts {
    uint64_t packets, tracks, slices, instants, samples, flows;
    uint64_t lost_zones;    /* half of their markers was not there, or they overlap */
    uint64_t unknown_zones; /* that could not be read */
};

/* About how many bytes it will be, from the sizes of the logs and the share of ops that is shown.
 */
uint64_t ttp_trace_estimate(const struct ttp_trace_run *run,
                            const struct ttp_trace_options *options, struct ttp_arena *arena);

/* The run as Perfetto's protobuf or Chrome's JSON. Device logs are read again, in one pass; memory
 * grows with operations, tracks and different names, never with slices. TTP_EUSAGE: a signpost that
 * is not there. TTP_ENOTFOUND: nothing to show. Others: of the readers. */
TTP_NODISCARD ttp_code ttp_out_trace(struct ttp_trace_counts *counts, struct ttp_sink *out,
                                     const struct ttp_trace_run *run,
                                     const struct ttp_trace_options *options,
                                     struct ttp_arena *arena, struct ttp_err *err);

/* What TT-Lang's Perfetto server makes of a device log, byte for byte, without a line end; nothing
 * at all if there are no events. Two passes. */
TTP_NODISCARD ttp_code ttp_out_original_trace(uint64_t *events, struct ttp_sink *out,
                                              const char *path, struct ttp_err *err);

/* ---- TT-Lang's reports, byte for byte ---- */

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

/* ---- the kernel verb ---- */

enum ttp_kernel_section {
    TTP_SECTION_PERF,
    TTP_SECTION_THREADS,
    TTP_SECTION_SIGNPOSTS,
    TTP_SECTION_FLOW,
    TTP_SECTION_PIPES,
    TTP_SECTION_BOTTLENECK,
    TTP_SECTION_TARGETS,
    TTP_SECTION_REPEAT,
    TTP_SECTIONS,
};

struct ttp_kernel_view {
    const struct ttp_kernel_report *report;
    unsigned sections;       /* bits 1 << enum ttp_kernel_section */
    bool asked;              /* for these sections: say so where there is nothing to show */
    size_t shown;            /* programs to show in text, the longest; 0: all */
    size_t invocations;      /* in the log, before any choice */
    const char *repeat_perf; /* commands that make such a profile again */
    const char *repeat_lines;
    bool color;
    int width; /* of the terminal; 0: no limit */
};

/* Sections in order, each with its marker word at the start of a line. */
void ttp_out_kernel_text(struct ttp_sink *out, const struct ttp_kernel_view *view,
                         struct ttp_arena *arena);
/* The value of "data" in the JSON envelope. */
void ttp_out_kernel_json(struct ttp_json_writer *w, const struct ttp_kernel_view *view,
                         struct ttp_arena *arena);

/* ---- the annotate verb ---- */

struct ttp_annotate_view {
    const struct ttp_annotation *run, *other; /* other: what run is compared with; NULL: nothing */
    const struct ttp_flow_waits *waits;
    uint64_t clock_mhz;
    size_t invocations; /* in the log */
    bool color;
    int width;
};

void ttp_out_annotate_text(struct ttp_sink *out, const struct ttp_annotate_view *view,
                           struct ttp_arena *arena);
/* The value of "data" in the JSON envelope. */
void ttp_out_annotate_json(struct ttp_json_writer *w, const struct ttp_annotate_view *view);

/* ---- the pcc verb ---- */

/* Two tensors that were compared. */
struct ttp_pcc_pair {
    ttp_str name; /* golden's; empty: it has none */
    const struct ttp_tensor *golden, *actual;
    struct ttp_compare result;
};

struct ttp_pcc_view {
    const struct ttp_compare_options *options;
    bool pcc_only;       /* PCC alone decides, as in tt-metal */
    const char *version; /* word of --compat-version */
    size_t count;
    const struct ttp_pcc_pair *pair;
    size_t golden_only, actual_only; /* tensors without a partner, by name */
    const ttp_str *golden_name, *actual_name;
    bool all_details; /* of pairs that pass, too, however many there are */
    bool color;
    int width; /* columns; 0: any */
};

/* Do all pairs pass? */
bool ttp_pcc_passes(const struct ttp_pcc_view *view);

void ttp_out_pcc_text(struct ttp_sink *out, const struct ttp_pcc_view *view,
                      struct ttp_arena *arena);
void ttp_out_pcc_json(struct ttp_json_writer *w, const struct ttp_pcc_view *view);

/* What formats would lose of one tensor. */
struct ttp_loss_view {
    const struct ttp_tensor *tensor;
    const struct ttp_exponents *spread;
    size_t count;
    const struct ttp_loss *loss;
    double gate;
};

void ttp_out_loss_text(struct ttp_sink *out, const struct ttp_loss_view *view,
                       struct ttp_arena *arena);
void ttp_out_loss_json(struct ttp_json_writer *w, const struct ttp_loss_view *view);

/* ---- the diff verb ---- */

struct ttp_diff_view {
    const struct ttp_diff *diff;
    ttp_str base_name, other_name;
    size_t top;   /* groups listed in text and Markdown; 0: all */
    bool all_ops; /* a line per op instead of one per group */
    bool color;
    int width; /* of the terminal; 0: no limit */
};

void ttp_out_diff_text(struct ttp_sink *out, const struct ttp_diff_view *view,
                       struct ttp_arena *arena);
/* For a comment on a pull request. */
void ttp_out_diff_markdown(struct ttp_sink *out, const struct ttp_diff_view *view,
                           struct ttp_arena *arena);
/* Every op, a line each; `header`: with the names of the columns. */
void ttp_out_diff_csv(struct ttp_sink *out, const struct ttp_diff_view *view, bool header);
/* One element of "comparisons" in the JSON envelope; the limit of the view holds for ops and groups
 * if it was asked for. */
void ttp_out_diff_json(struct ttp_json_writer *w, const struct ttp_diff_view *view);

/* ---- the doctor verb ---- */

struct ttp_doctor_view {
    const struct ttp_host *host;
    const struct ttp_host_sample *sample;
    const struct ttp_diagnosis *diagnosis;
    const struct ttp_smi *smi; /* NULL: none */
    const struct ttp_why *why; /* NULL: no question was asked */
    bool guide;                /* the checklist instead of the checks */
    bool quick;                /* one sample only */
    bool details;              /* also of what passed */
    bool color;
    int width; /* 0: no limit */
};

void ttp_out_doctor_text(struct ttp_sink *out, const struct ttp_doctor_view *view,
                         struct ttp_arena *arena);
/* The value of "data" in the JSON envelope. */
void ttp_out_doctor_json(struct ttp_json_writer *w, const struct ttp_doctor_view *view);
/* Metrics in Prometheus' text format, under the names of the vendor's exporter where it has one. */
void ttp_out_doctor_prometheus(struct ttp_sink *out, const struct ttp_doctor_view *view);

/* ---- the bench verb ---- */

/* What one run's work comes to per second, by the median of the first metric that is a time. */
struct ttp_bench_rates {
    struct ttp_rates rates; /* NAN: not known */
    double roof_pct;        /* of the roofline; NAN: not known */
};

struct ttp_bench_view {
    const struct ttp_bench *bench;         /* NULL: a sweep */
    const struct ttp_sweep_result *sweep;  /* NULL: no sweep */
    const struct ttp_bench_rates *rates;   /* of each variant or point; NULL: none */
    const char *roof;                      /* what roof_pct is held to; NULL: none */
    const struct ttp_git_state *git;       /* NULL: not known */
    const struct ttp_fingerprint *machine; /* NULL: not known */
    const struct ttp_words *warnings;
    bool color;
    int width; /* 0: no limit */
};

void ttp_out_bench_text(struct ttp_sink *out, const struct ttp_bench_view *view,
                        struct ttp_arena *arena);
void ttp_out_bench_markdown(struct ttp_sink *out, const struct ttp_bench_view *view,
                            struct ttp_arena *arena);
/* A row per trial and metric. */
void ttp_out_bench_csv(struct ttp_sink *out, const struct ttp_bench_view *view,
                       struct ttp_arena *arena);
/* tt-metal's CompleteBenchmarkRun, the form its benchmarks are collected in. The view has at least
 * one point or bench; iterations that failed are left out. */
struct ttp_complete_run {
    const char *model, *run_type;
};
void ttp_out_complete_run(struct ttp_sink *out, const struct ttp_bench_view *view,
                          const struct ttp_complete_run *about, struct ttp_arena *arena);
/* The value of "data" in the JSON envelope. */
void ttp_out_bench_json(struct ttp_json_writer *w, const struct ttp_bench_view *view,
                        struct ttp_arena *arena);
/* ---- the top verb ---- */

struct ttp_top_view {
    const struct ttp_host *host;
    const struct ttp_host_sample *first;  /* has the limits */
    const struct ttp_host_sample *before; /* NULL: none yet */
    const struct ttp_host_sample *now;
    uint64_t unix_ns; /* when `now` was taken */
    bool color;
    int width; /* of the table; 0: any */
};

/* A table of all chips and a line about the host. */
void ttp_out_top_text(struct ttp_sink *out, const struct ttp_top_view *view,
                      struct ttp_arena *arena);
/* One object on one line. */
void ttp_out_top_json(struct ttp_sink *out, const struct ttp_top_view *view);
/* A rate for people, "1.2 GB/s"; "-" for NAN. Room: 16 bytes. */
#define TTP_RATE_MAX 16
void ttp_out_rate(char *out, double bytes_s);
/* "500/1000", "41.5/75", "500", "-". Room: 24 bytes. */
#define TTP_OF_MAX 24
void ttp_out_of(char *out, double now, double limit, int digits);

/* ---- the fit verb ---- */

struct ttp_fit_view {
    const struct ttp_fit_core *core;
    const struct ttp_fit_plan *plan; /* NULL: no buffers were given */
    const struct ttp_fit_buffer *buffer;
    size_t buffers;
    const uint64_t *tensor;            /* of the sweep, in elements */
    const struct ttp_fit_table *table; /* NULL: none */
    const struct ttp_ops *ops;         /* NULL: no run */
    const struct ttp_fit_op *op;
    size_t nops;
    const struct ttp_fit_kernel *kernel; /* NULL: no flow graph */
    bool color;
    int width;
};

void ttp_out_fit_text(struct ttp_sink *out, const struct ttp_fit_view *view,
                      struct ttp_arena *arena);
void ttp_out_fit_json(struct ttp_json_writer *w, const struct ttp_fit_view *view);
/* Everything the table has about a board, with sources, and the rates that follow. */
void ttp_out_ranges_text(struct ttp_sink *out, const struct ttp_board *board, int width,
                         struct ttp_arena *arena);
void ttp_out_ranges_json(struct ttp_json_writer *w, const struct ttp_board *board);

/* ---- the advise verb ---- */

struct ttp_plan_view {
    const struct ttp_plan *plan;
    const struct ttp_report *report;
    ttp_str name; /* of the run */
    size_t top;   /* ops named for each item */
    bool color;
    int width;
};

void ttp_out_plan_text(struct ttp_sink *out, const struct ttp_plan_view *view,
                       struct ttp_arena *arena);
void ttp_out_plan_markdown(struct ttp_sink *out, const struct ttp_plan_view *view);
/* The value of "data" in the JSON envelope. */
/* The member "quality" of an object: whether the run can be trusted. */
void ttp_out_quality_json(struct ttp_json_writer *w, const struct ttp_quality *quality);
/* The member "window" of an object: what part of a run it is about. */
void ttp_out_window_json(struct ttp_json_writer *w, const struct ttp_window *window);
/* The same as a value. */
void ttp_out_window_object(struct ttp_json_writer *w, const struct ttp_window *window);
void ttp_out_plan_json(struct ttp_json_writer *w, const struct ttp_plan_view *view);

#endif
