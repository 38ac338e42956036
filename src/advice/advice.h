/* SPDX-License-Identifier: Apache-2.0 */
/* advice.h - door of the advice module: rules that turn analysed ops into findings.
 *
 * A rule is a row of the table in rules.c; adding advice is one function and one row. */
#ifndef TTP_ADVICE_ADVICE_H
#define TTP_ADVICE_ADVICE_H

#include "analysis/analysis.h"

/* Where reports print a finding. */
enum ttp_advice_section { TTP_ADVICE_FALLBACK, TTP_ADVICE_GAP, TTP_ADVICE_MATMUL };

struct ttp_finding {
    size_t op;        /* index in the report */
    const char *rule; /* stable id: "op-gap" */
    enum ttp_advice_section section;
    ttp_str text;
    double saving_us; /* what following it could save at most; 0: not estimated */
};

struct ttp_findings {
    struct ttp_finding *item;
    size_t count;
};

/* Most findings one op can have. */
#define TTP_ADVICE_PER_OP 8

/* Gaps above the first are flagged, and what exceeds the second counts as lost (tt-perf-report). */
#define TTP_GAP_FLAGGED_US  6.5
#define TTP_GAP_EXPECTED_US 6.0

struct ttp_advice_options {
    bool compat; /* the sentences of tt-perf-report 1.2.4 */
};

/* Findings of one op, in the order of the rules; texts in the arena. Returns how many. Any thread,
 * each with its own arena. */
size_t ttp_advice_for_op(struct ttp_finding out[TTP_ADVICE_PER_OP], const struct ttp_report *report,
                         size_t op, const struct ttp_advice_options *options,
                         struct ttp_arena *arena);

/* Findings of the ops at `row` (indexes in the report), in that order. */
void ttp_advice_run(struct ttp_findings *out, const struct ttp_report *report, const size_t *row,
                    size_t rows, const struct ttp_advice_options *options, struct ttp_arena *arena);

/* What tracing could save over all flagged gaps, and its share of the whole run. */
void ttp_advice_gap_saving(const struct ttp_report *report, double *saving_us, double *saving_pct);

/* Does a report list this op among its matmuls? */
bool ttp_advice_is_matmul(const struct ttp_report *report, const struct ttp_op *op, bool compat);

#endif
