/* SPDX-License-Identifier: Apache-2.0 */
/* outputs.h - door of the outputs module: results as text, CSV, JSON, Markdown and pictures.
 *
 * Writers put bytes into the sink they are given and never fail themselves: the sink keeps the
 * first failure. Output is the same for any number of threads. */
#ifndef TTP_OUTPUTS_OUTPUTS_H
#define TTP_OUTPUTS_OUTPUTS_H

#include "advice/advice.h"
#include "analysis/analysis.h"
#include "base/sink.h"

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
                          const struct ttp_original_style *style, struct ttp_arena *arena);
/* Title and rows of the stacked report; *complete is false where the original stops after the
 * title. */
void ttp_out_original_summary(struct ttp_sink *out, const struct ttp_summary *summary, bool color,
                              bool *complete, struct ttp_arena *arena);
void ttp_out_original_summary_csv(struct ttp_sink *out, const struct ttp_summary *summary);

#endif
