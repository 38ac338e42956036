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

/* Over a struct ttp_report_options: which part of a run is analysed, and for which chip. */
extern const struct ttp_opt_table ttp_analysis_options;
/* Those of them that choose the part of the run. */
extern const struct ttp_opt_table ttp_window_options;
/* Those that choose ops and their chip as a shell takes them, with a blank before each: for
 * commands that shall see what this one sees. */
ttp_str ttp_run_input_options(const struct ttp_report_options *o, const char *boards,
                              struct ttp_arena *arena);

struct ttp_run_wanted {
    const char *operand;
    const struct ttp_report_options *analysis;
    unsigned threads;
    struct ttp_words *warnings; /* those of the analysis go here, with the run's name; NULL: they
                                   are reported */
    bool mesh;                  /* ttp_run_input_mesh() follows */
};
/* ttp_run_analyse(), and print its messages. */
TTP_NODISCARD ttp_code ttp_run_input_read(struct ttp_run_input *out,
                                          const struct ttp_run_wanted *wanted,
                                          const struct ttp_ctx *ctx, struct ttp_err *err);
/* How the devices of the run that was read relate; none if it has one, or if one rank or device was
 * asked for. `without`: what there is none of if they do not relate. */
void ttp_run_input_mesh(struct ttp_run_mesh *out, struct ttp_run_input *in,
                        const struct ttp_run_wanted *wanted, const char *without,
                        const struct ttp_ctx *ctx);
/* ttp_run_analyse_programs(), the same way. */
TTP_NODISCARD ttp_code ttp_run_input_programs(struct ttp_run_input *out,
                                              struct ttp_kernel_input *kernels,
                                              const struct ttp_run_wanted *wanted,
                                              const struct ttp_ctx *ctx, struct ttp_err *err);
/* ttp_run_read_kernels(), the same way. */
TTP_NODISCARD ttp_code ttp_run_input_kernels(struct ttp_kernel_input *out,
                                             struct ttp_kernel_request request,
                                             const struct ttp_ctx *ctx, struct ttp_err *err);

/* The rows of a run, and its kernels if it has some of its own, as advice needs them. */
TTP_NODISCARD ttp_code ttp_run_input_whole(struct ttp_run_input *in,
                                           struct ttp_kernel_input *kernels, bool *has_kernels,
                                           const struct ttp_run_wanted *wanted,
                                           const struct ttp_ctx *ctx, struct ttp_err *err);

/* Add the L1 of each op from a graph capture; NULL: from that in the folder of the run, if any. A
 * capture of another run is a warning, and adds nothing. */
TTP_NODISCARD ttp_code ttp_run_input_join_memory(struct ttp_ops *ops, const char *capture,
                                                 const char *run, const struct ttp_ctx *ctx,
                                                 struct ttp_err *err);

#endif
