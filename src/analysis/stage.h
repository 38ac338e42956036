/* SPDX-License-Identifier: Apache-2.0 */
/* stage.h - part of the door of analysis: the state of a stage of ttp_analysis_run(), for stages
 * that rules replace. */
#ifndef TTP_ANALYSIS_STAGE_H
#define TTP_ANALYSIS_STAGE_H

#include "analysis/analysis.h"

/* What a row of a run of several ranks says about all devices that it represents. */
struct ttp_row_mesh {
    double skew_ns;          /* of a collective; NAN: unknown */
    ttp_sym last;            /* the device that arrived last; TTP_SYM_MISSING: unknown */
    uint32_t devices, among; /* how many ran the op, of how many */
};

/* Rows still in play: numbers of rows of the table, in the order reports show them. */
struct ttp_rows {
    uint32_t *row;
    size_t count;
    /* Where a row represents a collective on several devices: its mean duration, by position; NULL
     * when no row does. `averaged` says which. */
    double *mean_ns;
    double *wait_ns; /* of those: what devices waited for others, mean; NULL: unknown */
    bool *averaged;
    bool waits_inside;         /* waits are part of the durations: those of devices in the middle */
    struct ttp_row_mesh *mesh; /* by position; NULL: not of several ranks */
};

/* What an op of the last iteration took in all of them, by row of the table. */
struct ttp_spread {
    double ns, min_ns, max_ns; /* sum, least and most of `count` */
    double gap_ns;             /* sum of `gaps` */
    double wait_ns;            /* of a collective: sum of `waits` */
    double skew_ns;            /* too: sum of `skews` */
    ttp_sym last;              /* too: the device that was last in more than half of them */
    uint32_t count, gaps, waits, skews;
};

struct ttp_stage {
    struct ttp_report *report;
    struct ttp_ops *ops;
    const struct ttp_report_options *options;
    const struct ttp_analysis_rules *rules; /* of the options, or ours */
    struct ttp_arena *arena;
    struct ttp_notes *notes;
    /* Per symbol of the table as it was read: what an op code or type means. Made on first use. */
    const uint32_t *traits;
    size_t ntraits;
    bool *captured; /* by row of the table: a call that only went into a trace; NULL: none did */
    size_t lost_replays;       /* calls of a captured trace that none of its replays has */
    struct ttp_spread *spread; /* by row of the table; NULL: there is one iteration */
    /* By row of the table: the mean of the two devices in the middle, NaN: the row's own time
     * counts. NULL: rows are not those of a device in the middle, or there is one of them. */
    const double *middle_ns;
    /* Too: what devices in the middle waited in a collective, part of its time; NaN: unknown. NULL:
     * rows are not those of such a device. */
    const double *middle_wait_ns;
};

/* What the texts of a row decide, next to enum ttp_op_trait. */
enum ttp_trait {
    TTP_TRAIT_TORCH = 1 << TTP_OP_TRAITS,
    TTP_TRAIT_SIGNPOST = 2 << TTP_OP_TRAITS, /* contains "signpost" */
    TTP_TRAIT_IS_SIGNPOST = 4 << TTP_OP_TRAITS,
    TTP_TRAIT_IS_DEVICE = 8 << TTP_OP_TRAITS, /* exactly tt_dnn_device */
    TTP_TRAIT_ALL_WAIT = 16 << TTP_OP_TRAITS, /* a collective at which each waits for all */
    TTP_TRAIT_AVERAGED = 32 << TTP_OP_TRAITS, /* by ttp_analysis_rules.plain_times */
};

static inline unsigned ttp_stage_traits(const struct ttp_stage *s, ttp_sym sym)
{
    return sym < s->ntraits ? s->traits[sym] : 0;
}

static inline bool ttp_stage_is_post(const struct ttp_stage *s, uint32_t row)
{
    return ttp_stage_traits(s, ttp_ops_sym(s->ops, TTP_OPS_TYPE, row)) & TTP_TRAIT_IS_SIGNPOST;
}

/* Positions of signposts in the order of the rows. */
struct ttp_posts {
    size_t *at;
    size_t count;
};
void ttp_analysis_stage_find_posts(struct ttp_posts *out, const struct ttp_stage *s,
                                   const struct ttp_rows *rows);

/* Usable values of AVAILABLE WORKER CORE COUNT that differ, in order of appearance. */
struct ttp_budgets {
    struct ttp_cell *item;
    size_t count;
};
void ttp_analysis_stage_budgets(struct ttp_budgets *out, const struct ttp_stage *s);

/* Text of an error for a column the report needs and no file has. */
ttp_code ttp_analysis_stage_missing(const char *column, struct ttp_err *err);
void ttp_analysis_note_add(struct ttp_notes *notes, enum ttp_note_level level, const char *fmt, ...)
    TTP_PRINTF(3, 4);

#endif
