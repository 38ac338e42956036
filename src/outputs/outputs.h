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
#include "host/host.h"
#include "kernel/kernel.h"
#include "outputs/advise/advise_outputs.h"
#include "outputs/bench/bench_outputs.h"
#include "outputs/bundle/bundle_outputs.h"
#include "outputs/config/config_outputs.h"
#include "outputs/diff/diff_outputs.h"
#include "outputs/doctor/doctor_outputs.h"
#include "outputs/fit/fit_outputs.h"
#include "outputs/history/history_outputs.h"
#include "outputs/kernel/kernel_outputs.h"
#include "outputs/mem/mem_outputs.h"
#include "outputs/merge/merge_outputs.h"
#include "outputs/mesh/mesh_outputs.h"
#include "outputs/noc/noc_outputs.h"
#include "outputs/report/report_outputs.h"
#include "outputs/report/summary_cells.h"
#include "outputs/show/columns_text.h"
#include "outputs/show/paint.h"
#include "outputs/show/show.h"
#include "outputs/startup/startup_outputs.h"
#include "outputs/top/top_outputs.h"
#include "outputs/tune/tune_outputs.h"
#include "tensor/tensor.h"

/* ---- the object around all JSON ---- */

/* Everything up to the value of "data": the caller writes that one value next. `schema` is
 * "tt-perf.<verb>/<major>"; `inputs` NULL: none. */
void ttp_envelope_begin(struct ttp_json_writer *w, const char *schema,
                        const struct ttp_words *inputs);
/* The rest, with a line end. `warnings` NULL: none; `truncated`: data lacks rows the input has. */
void ttp_envelope_end(struct ttp_json_writer *w, const struct ttp_words *warnings, bool truncated);

/* ---- the summary ---- */

/* A row for each group, the columns of outputs/report/summary_cells.h. Names are escaped as the
 * sink's gate asks for; without one they are as they are. */
void ttp_out_summary_csv(struct ttp_sink *out, const struct ttp_summary *summary);

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

enum ttp_trace_format {
    TTP_TRACE_PERFETTO,
    TTP_TRACE_CHROME,
    TTP_TRACE_FOLDED,     /* a line for each stack: flamegraph.pl and its kin */
    TTP_TRACE_SPEEDSCOPE, /* the same stacks */
};

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
TTP_NODISCARD ttp_code ttp_out_trace_parse_devices(struct ttp_trace_filter *filter,
                                                   const char *text, struct ttp_arena *arena,
                                                   struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_out_trace_parse_core(struct ttp_trace_filter *filter, const char *text,
                                                struct ttp_arena *arena, struct ttp_err *err);
void ttp_out_trace_parse_zones(struct ttp_trace_filter *filter, const char *text,
                               struct ttp_arena *arena);
TTP_NODISCARD ttp_code ttp_out_trace_parse_ops(struct ttp_trace_filter *filter, const char *text,
                                               struct ttp_err *err);

/* What an analysis knows about a row of the report. */
struct ttp_trace_fact {
    ttp_str name; /* as `report` prints it; empty: unknown */
    bool has_dram, has_dram_pct, has_flops_pct;
    double dram_gbs, dram_pct, flops_pct;
    const char *bound; /* NULL: unknown */
};

/* The available data of a run. */
struct ttp_trace_run {
    const struct ttp_ops_report *report;
    const struct ttp_trace_fact *fact; /* for each of its rows; NULL: none */
    const char *device_log;            /* paths; NULL: no such file */
    const char *host_zones, *messages;
    const struct ttp_noc_folder *noc;      /* NoC traces; NULL: none */
    const struct ttp_machine_log *machine; /* samples of the boards; NULL: none */
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
uint64_t ttp_out_trace_estimate(const struct ttp_trace_run *run,
                                const struct ttp_trace_options *options, struct ttp_arena *arena);

/* The run in that format. Device logs are read again, in one pass; memory
 * grows with operations, tracks and different names, never with slices. TTP_EUSAGE: a signpost that
 * is missing. TTP_ENOTFOUND: nothing to show. Others: of the readers. */
TTP_NODISCARD ttp_code ttp_out_trace(struct ttp_trace_counts *counts, struct ttp_sink *out,
                                     const struct ttp_trace_run *run,
                                     const struct ttp_trace_options *options,
                                     struct ttp_arena *arena, struct ttp_err *err);

/* The ops of all ranks on one time line. */
struct ttp_mesh_trace {
    const struct ttp_mesh *mesh;
    const uint32_t *line; /* by cell: its row's line in the CSV */
    const bool *wanted;   /* by device; NULL: all */
    size_t unreadable;    /* ranks that are not in the mesh */
    bool has_lines;
    struct ttp_trace_range lines; /* only ops with a row there */
};
/* TTP_ENOTFOUND: nothing to show. */
TTP_NODISCARD ttp_code ttp_out_mesh_trace(struct ttp_trace_counts *counts, struct ttp_sink *out,
                                          const struct ttp_mesh_trace *view,
                                          enum ttp_trace_format format, struct ttp_arena *arena,
                                          struct ttp_err *err);

/* ---- the pcc verb ---- */

/* Two tensors that were compared. */
struct ttp_pcc_pair {
    ttp_str name; /* golden's; empty: it has none */
    const struct ttp_tensor *golden, *actual;
    struct ttp_compare result;
    size_t failures;
    const char *failed[4]; /* names of the checks that failed, by ttp_out_pcc_judge() */
};

/* Fills in `failed` from the result. */
void ttp_out_pcc_judge(struct ttp_pcc_pair *pair);

struct ttp_pcc_view {
    double gate;         /* least PCC */
    bool pcc_only;       /* PCC alone decides, as in tt-metal */
    const char *version; /* what PCC means */
    size_t count;
    const struct ttp_pcc_pair *pair;
    size_t golden_only, actual_only; /* tensors without a partner, by name */
    const ttp_str *golden_name, *actual_name;
    bool all_details; /* of pairs that pass, too, however many there are */
};

/* Do all pairs pass? */
bool ttp_out_pcc_passes(const struct ttp_pcc_view *view);

extern const struct ttp_document_spec ttp_pcc_document, ttp_loss_document;

TTP_NODISCARD ttp_code ttp_out_pcc(const struct ttp_show *show, const struct ttp_pcc_view *view,
                                   struct ttp_err *err);

/* What formats would lose of one tensor. */
struct ttp_loss_view {
    ttp_str name;
    const struct ttp_tensor *tensor;
    const struct ttp_exponents *spread;
    size_t count;
    const struct ttp_loss *loss;
    double gate;
};

TTP_NODISCARD ttp_code ttp_out_loss(const struct ttp_show *show, const struct ttp_loss_view *view,
                                    struct ttp_err *err);

#endif
