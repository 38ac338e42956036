/* SPDX-License-Identifier: Apache-2.0 */
/* stages.h - the steps of ttp_analysis_run(), in order. Private to analysis. */
#ifndef TTP_ANALYSIS_STAGES_H
#define TTP_ANALYSIS_STAGES_H

#include "analysis/analysis.h"

/* Rows still in play: numbers of rows of the table, in the order reports show them. */
struct ttp_rows {
    uint32_t *row;
    size_t count;
    /* Where a row stands for a collective on several devices: what counts as its duration, by
     * position; NULL when no row does. `averaged` says which. */
    double *mean_ns;
    double *wait_ns; /* of those: what devices waited for others, mean; NULL: not known */
    bool *averaged;
};

struct ttp_stage {
    struct ttp_report *report;
    struct ttp_ops *ops;
    const struct ttp_report_options *options;
    struct ttp_arena *arena;
    struct ttp_notes *notes;
    /* Per symbol of the table as it was read: what an op code or type means. Made on first use. */
    const uint16_t *traits;
    size_t ntraits;
    bool *captured; /* by row of the table: a call that only went into a trace; NULL: none did */
};

/* Substrings that decide what a row is. */
enum ttp_trait {
    TTP_TRAIT_MATMUL = 1 << 0,
    TTP_TRAIT_CONV = 1 << 1,
    TTP_TRAIT_HALO = 1 << 2,
    TTP_TRAIT_TORCH = 1 << 3,
    TTP_TRAIT_SIGNPOST = 1 << 4,   /* contains "signpost" */
    TTP_TRAIT_COLLECTIVE = 1 << 5, /* AllGather, ReduceScatter, AllReduce */
    TTP_TRAIT_IS_SIGNPOST = 1 << 6,
    TTP_TRAIT_IS_DEVICE = 1 << 7,      /* exactly tt_dnn_device */
    TTP_TRAIT_OPTIMIZED_CONV = 1 << 8, /* OptimizedConvNew */
    TTP_TRAIT_ALL_WAIT = 1 << 9,       /* ours: a collective at which each waits for all */
};

static inline unsigned ttp_stage_traits(const struct ttp_stage *s, ttp_sym sym)
{
    return sym < s->ntraits ? s->traits[sym] : 0;
}

/* Each returns TTP_EPARSE with a clear text for what the original answers with a traceback. */
TTP_NODISCARD ttp_code ttp_stage_architecture(struct ttp_stage *s, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_stage_order(struct ttp_stage *s, struct ttp_rows *rows,
                                       struct ttp_err *err);
/* Keep the rows of the rank and the device that were asked for. TTP_ENOTFOUND: there are none. */
TTP_NODISCARD ttp_code ttp_stage_select(struct ttp_stage *s, struct ttp_rows *rows,
                                        struct ttp_err *err);
/* Rows by time of the host: each replay of a trace becomes one piece. Fills s->captured. */
void ttp_stage_replays(struct ttp_stage *s, struct ttp_rows *rows);
TTP_NODISCARD ttp_code ttp_stage_window(struct ttp_stage *s, struct ttp_rows *rows,
                                        struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_stage_devices(struct ttp_stage *s, struct ttp_rows *rows,
                                         struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_stage_measure(struct ttp_stage *s, const struct ttp_rows *rows,
                                         struct ttp_err *err);
/* Traffic of ops that have no model of their own; not in the compatible mode. */
void ttp_stage_traffic(struct ttp_stage *s);
void ttp_stage_bounds(struct ttp_stage *s);
/* What holds each op up; not in the compatible mode. */
void ttp_stage_limits(struct ttp_stage *s);
TTP_NODISCARD ttp_code ttp_stage_filter(struct ttp_stage *s, struct ttp_err *err);
void ttp_stage_totals(struct ttp_stage *s);

/* Kernel duration of a row in ns, and whether it can be true: a traced run may report a duration of
 * seconds with the same negative gap (tt-metal#48043). */
bool ttp_stage_valid_duration(const struct ttp_ops *ops, uint32_t row, double *ns);
/* Overlap of each row of the table with earlier ones on its device; NULL if the file cannot tell.
 */
const double *ttp_stage_overlap_ns(const struct ttp_stage *s, const struct ttp_rows *rows);

/* Fill verdict and verdict_text of a matmul or convolution. */
void ttp_stage_fidelity(struct ttp_op *op, const struct ttp_symtab *syms, ttp_str fidelity,
                        bool compat);
enum ttp_category ttp_stage_category(ttp_str code, bool compat, bool *known);

/* Text of an error for a column the report needs and no file has. */
ttp_code ttp_stage_missing(const char *column, struct ttp_err *err);

const char *ttp_analysis_analysed_name(enum ttp_bound_analysis analysed);

/* "DRAM 288 GB/s, 71 % reached: peak of the board's DRAM"; empty if there is none. */
ttp_str ttp_analysis_ceiling_text(const struct ttp_ceiling *ceiling, struct ttp_arena *arena);

void ttp_note_add(struct ttp_notes *notes, enum ttp_note_level level, const char *fmt, ...)
    TTP_PRINTF(3, 4);

#endif
