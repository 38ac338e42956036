/* SPDX-License-Identifier: Apache-2.0 */
/* config_job.h - what the parts of `tt-perf config` share. */
#ifndef TTP_CLI_CONFIG_JOB_H
#define TTP_CLI_CONFIG_JOB_H

#include "config/config.h"
#include "core/run_input.h"
#include "verbs/config_calibrate.h"

struct ttp_config_args {
    struct ttp_config_opts shared;
    const char *in0, *weights, *out, *bias, *in0_memory, *weights_memory, *out_memory;
    const char *fidelity, *activation, *run, *mem;
    struct ttp_report_options analysis; /* part of the run of --run */
    struct ttp_words set;
    int64_t batch, batch_b, id, op, top, paste;
    bool fp32, no_l1acc, full_sync, fold_batch, keep;
};

enum ttp_config_action { CONFIG_CHECK, CONFIG_AUTO, CONFIG_PROPOSE, CONFIG_CALIBRATE };

struct ttp_config_job {
    const struct ttp_ctx *ctx;
    const struct ttp_config_args *o;
    enum ttp_config_action action;
    struct ttp_words rest; /* operands after the action */
    struct ttp_run_input in;
    struct ttp_words warnings;
    struct ttp_config_op op; /* the problem, and the config that a run has */
    double scale,
        model_us; /* measured over predicted time of that config, 0: unknown; the latter */
    ttp_str op_name;
    struct ttp_err *err;
};

/* Is the first operand another op than a matmul? */
bool ttp_config_is_other(const struct ttp_config_job *j);
TTP_NODISCARD ttp_code ttp_config_run_other(int *status, struct ttp_config_job *j);

#endif
