/* SPDX-License-Identifier: Apache-2.0 */
/* stages.h - the steps of ttp_analysis_run(), in order. Private to analysis. */
#ifndef TTP_ANALYSIS_STAGES_H
#define TTP_ANALYSIS_STAGES_H

#include <math.h>

#include "analysis/analysis.h"
#include "base/sink.h"

/* The rules of options that name none. */
extern const struct ttp_analysis_rules ttp_our_rules;

/* Each returns TTP_EPARSE with a clear text for what it cannot do without. */
TTP_NODISCARD ttp_code ttp_analysis_stage_architecture(struct ttp_stage *s, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_analysis_stage_order(struct ttp_stage *s, struct ttp_rows *rows,
                                                struct ttp_err *err);
/* Keep the rows of the rank and the device that were asked for. TTP_ENOTFOUND: none. */
TTP_NODISCARD ttp_code ttp_analysis_stage_select(struct ttp_stage *s, struct ttp_rows *rows,
                                                 struct ttp_err *err);
/* Rows by time of the host: each replay of a trace becomes one piece. Fills s->captured. */
void ttp_analysis_stage_replays(struct ttp_stage *s, struct ttp_rows *rows);
TTP_NODISCARD ttp_code ttp_analysis_stage_window(struct ttp_stage *s, struct ttp_rows *rows,
                                                 struct ttp_err *err);
/* What the device waited for others in that collective, in all iterations if there are several.
 * False: unknown. */
bool ttp_analysis_mean_wait(const struct ttp_stage *s, uint32_t row, double *ns);
/* Rows of one process, which its own signposts mark: those of a file, or of a rank in a file that
 * has the rows of several. */
struct ttp_host_rows {
    uint32_t *row; /* NULL: `count` rows from `from` on */
    uint32_t from;
    size_t count;
    bool has_rank;
    int64_t rank;
};
struct ttp_hosts {
    struct ttp_host_rows *host;
    size_t count;
};
void ttp_analysis_list_hosts(struct ttp_hosts *out, const struct ttp_stage *s);
static inline uint32_t ttp_host_row(const struct ttp_host_rows *host, size_t at)
{
    return host->row ? host->row[at] : host->from + (uint32_t)at;
}

/* Find the phases, choose the window and keep the rows of one iteration of it. */
TTP_NODISCARD ttp_code ttp_analysis_stage_phases(struct ttp_stage *s, struct ttp_rows *rows,
                                                 struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_analysis_stage_devices(struct ttp_stage *s, struct ttp_rows *rows,
                                                  struct ttp_err *err);
/* Keep the rows of the device with the median time, collectives with their waits. */
void ttp_analysis_keep_middle(const struct ttp_stage *s, struct ttp_rows *rows);
TTP_NODISCARD ttp_code ttp_analysis_stage_measure(struct ttp_stage *s, const struct ttp_rows *rows,
                                                  struct ttp_err *err);
/* Traffic of ops that have no model of their own. */
void ttp_analysis_stage_traffic(struct ttp_stage *s);
void ttp_analysis_stage_bounds(struct ttp_stage *s);
/* Sets aside the time of ops that would need many times the peak of the chip. */
void ttp_analysis_stage_peaks(struct ttp_stage *s);
/* The bottleneck of each op. */
void ttp_analysis_stage_limits(struct ttp_stage *s);
TTP_NODISCARD ttp_code ttp_analysis_stage_filter(struct ttp_stage *s, struct ttp_err *err);
void ttp_analysis_stage_totals(struct ttp_stage *s);

/* Kernel duration of a row in ns, and whether it can be true: a traced run may report a duration of
 * seconds with the same negative gap (tt-metal#48043); 0 is not a time; others of the row, such as
 * that of its firmware, may contradict it. */
bool ttp_analysis_stage_valid_duration(const struct ttp_ops *ops, uint32_t row, double *ns);
/* The gap before a row in ns; NaN: unknown. */
static inline double ttp_stage_gap_ns(const struct ttp_ops *ops, uint32_t row)
{
    double gap;

    return ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_GAP_NS, row), &gap) && isfinite(gap)
               ? gap
               : (double)NAN;
}
/* The same of a row whose gap is known already: its duration, or NaN. A gap that far below zero
 * cannot be, and a duration it belongs to neither. */
#define TTP_IMPOSSIBLE_GAP_NS (-1e6)
double ttp_analysis_stage_duration_ns(const struct ttp_ops *ops, uint32_t row, double gap);
/* Has the cell of the duration something that the profiler does not write: text, less than zero, or
 * what other durations of the row contradict? */
bool ttp_analysis_stage_odd_duration(const struct ttp_ops *ops, uint32_t row);
/* What it has: "'abc'", "-5 ns", "1 ns while its RISCs ran 253853 ns". */
ttp_str ttp_analysis_stage_odd_text(const struct ttp_ops *ops, uint32_t row,
                                    struct ttp_arena *arena);
/* The same, as the mean of the iterations if there are several. */
bool ttp_analysis_stage_mean_duration(const struct ttp_stage *s, uint32_t row, double *ns);
/* Overlap of each row of the table with earlier ones on its device; NULL if the file cannot tell.
 */
const double *ttp_analysis_stage_overlap_ns(const struct ttp_stage *s, const struct ttp_rows *rows);

/* Fill verdict and verdict_reason of a matmul or convolution. */
void ttp_analysis_stage_fidelity(struct ttp_op *op, const struct ttp_symtab *syms,
                                 ttp_str fidelity);

const char *ttp_analysis_analysed_name(enum ttp_bound_analysis analysed);

/* What the name of an op depends on. */
struct ttp_name_key {
    ttp_sym code, dim[4];
};
struct ttp_name_key ttp_analysis_stage_name_key(const struct ttp_ops *ops, const struct ttp_op *op);
void ttp_analysis_stage_put_name(struct ttp_sink *out, const struct ttp_ops *ops,
                                 const struct ttp_op *op);

/* A check that later stages found to be bad. */
void ttp_analysis_spoil(struct ttp_quality *quality, enum ttp_quality_check check, ttp_str text,
                        const char *to_do);

/* symptoms.c */
struct ttp_ceiling ttp_analysis_ceiling(const struct ttp_report *report, const struct ttp_op *op);

#endif
