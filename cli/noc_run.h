/* SPDX-License-Identifier: Apache-2.0 */
/* noc_run.h - NoC traces of a run: found, read, estimated. */
#ifndef TTP_CLI_NOC_RUN_H
#define TTP_CLI_NOC_RUN_H

#include "cmd.h"
#include "outputs/outputs.h"

struct ttp_noc_plan {
    struct ttp_noc_options options;
    const char *device;   /* name of a model; NULL: as the topology or the traces say */
    const char *topology; /* path; NULL: beside the traces */
    bool by_name;         /* only programs named in `op_id` or `op` */
    uint64_t op_id;
    const char *op;
    bool keep;  /* traces and transfers, for maps and timelines */
    size_t top; /* links to list */
    unsigned threads;
};

struct ttp_noc_results {
    struct ttp_noc_view *view; /* of those that worked, in order */
    size_t count;
    size_t found, failed;
    struct ttp_err first;                /* failure */
    const struct ttp_topology *topology; /* of the last input that has one, or NULL */
    struct ttp_arena *kept;              /* private */
    size_t nkept;
};

/* Estimate every program of files and folders. One program that fails is a failure if it is the
 * only one; else it is told as a warning. TTP_ENOTFOUND: no traces. */
TTP_NODISCARD ttp_code ttp_noc_run(struct ttp_noc_results *out, const struct ttp_words *inputs,
                                   const struct ttp_noc_plan *plan, const struct ttp_ctx *ctx,
                                   struct ttp_err *err);
void ttp_noc_results_clear(struct ttp_noc_results *r);

#endif
