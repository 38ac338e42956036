/* SPDX-License-Identifier: Apache-2.0 */
/* run_input.h - from operands to analysed runs, for verbs that compare or judge them. */
#ifndef TTP_CLI_RUN_INPUT_H
#define TTP_CLI_RUN_INPUT_H

#include "analysis/analysis.h"
#include "core/cmd.h"
#include "run/run.h"

/* Print which file a folder means. */
void ttp_run_input_tell(const struct ttp_ctx *ctx, const struct ttp_run_sources *from,
                        const struct ttp_words *operands);

/* Over a struct ttp_report_options: which part of a run is looked at, and for which chip. */
extern const struct ttp_opt_table ttp_analysis_options;

struct ttp_run_input {
    const char *name; /* the CSV, or the folder whose logs it was made of */
    struct ttp_ops ops;
    struct ttp_report report;
};

/* Read and analyse one run: a CSV, or a folder that has one or is made of logs. Warnings of the
 * analysis are reported, or, if `warnings` is given, kept there with the run's name. */
TTP_NODISCARD ttp_code ttp_run_input_read(struct ttp_run_input *out, const char *operand,
                                          const struct ttp_report_options *analysis,
                                          unsigned threads, struct ttp_words *warnings,
                                          const struct ttp_ctx *ctx, struct ttp_err *err);

/* Add the L1 of each op from a graph capture (NULL: none). A capture of another run is a warning,
 * and adds nothing. */
TTP_NODISCARD ttp_code ttp_run_input_join_memory(struct ttp_ops *ops, const char *capture,
                                                 const struct ttp_ctx *ctx, struct ttp_err *err);

#endif
