/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_input.h - what `kernel` and `annotate` read of a folder, before either shows it. */
#ifndef TTP_CLI_KERNEL_INPUT_H
#define TTP_CLI_KERNEL_INPUT_H

#include "core/cmd.h"
#include "kernel/kernel.h"

struct ttp_kernel_request {
    const char *dir;          /* artifacts folder, its .logs, or a device log */
    const char *program;      /* NULL: all */
    const char *arch;         /* NULL: as the log says */
    const char *flow, *pipes; /* graphs elsewhere than next to the log; NULL: there */
    const char *names;        /* of programs in order, ',' between them */
    const int32_t (*core)[2]; /* only these; NULL: all */
    size_t ncores;
    bool traces;          /* NoC traces too */
    bool host;            /* names and tensors from the host's messages too */
    uint64_t ideal_bytes; /* 0: from the host's messages */
    unsigned threads;
};

/* Warnings about the input, for human readers and for JSON. */
struct ttp_kernel_input {
    struct ttp_kernel_report report;
    struct ttp_kernel_profile profile;
    struct ttp_flow_graph flow;
    struct ttp_flow_waits waits;
    struct ttp_pipe_graph pipes;
    struct ttp_log_paths paths;
    bool has_log, has_traces;
    size_t invocations; /* before the choice */
    struct ttp_words warnings;
};

TTP_NODISCARD ttp_code ttp_kernel_input_read(struct ttp_kernel_input *out,
                                             const struct ttp_kernel_request *request,
                                             const struct ttp_ctx *ctx, struct ttp_err *err);

/* The same of the text that a run of TT-Lang printed, which is `dir` then. */
TTP_NODISCARD ttp_code ttp_kernel_input_read_text(struct ttp_kernel_input *out,
                                                  const struct ttp_kernel_request *request,
                                                  const struct ttp_ctx *ctx, struct ttp_err *err);

/* Does the run have the flow graph of a TT-Lang kernel? */
bool ttp_kernel_input_has_flow(const char *dir, struct ttp_arena *arena);

/* A list of "X,Y" words. */
TTP_NODISCARD ttp_code ttp_kernel_parse_cores(const int32_t (**out)[2],
                                              const struct ttp_words *words,
                                              struct ttp_arena *arena, struct ttp_err *err);

#endif
