/* SPDX-License-Identifier: Apache-2.0 */
/* plan_rules.h - the rules of a plan: when they apply to an op, and what following them saves.
 * Private to advice. */
#ifndef TTP_ADVICE_PLAN_RULES_H
#define TTP_ADVICE_PLAN_RULES_H

#include "advice/advice.h"

/* A run with what several rules ask of it. */
struct ttp_plan_run {
    const struct ttp_report *report;
    bool traced;              /* some op is part of a trace */
    bool gaps_at_starts;      /* long gaps are only where an iteration begins */
    const uint32_t *chain;    /* by op: ops of the element-wise chain it begins, 0: none */
    const uint32_t *attended; /* by op: ops of the attention it begins, 0: none */
    const bool *cold;         /* by op: its program was compiled just before it */
    /* by op: what its kernels did, as their zones tell it; NULL where that is not known */
    const struct ttp_kernel_program *const *kernel;
    double total_us;
};

/* No: the rule says nothing about the op. */
#define TTP_RULE_NO (-1.0)

/* μs that following the rule saves at this op; 0: it applies, but by how much cannot be said. */
typedef double ttp_gain_fn(const struct ttp_plan_run *run, size_t op);

struct ttp_plan_rule {
    struct ttp_rule_info info;
    ttp_gain_fn *gain;
    bool of_gaps; /* it saves time before the op, not in it */
};
extern const struct ttp_plan_rule ttp_plan_rules[];
extern const size_t ttp_plan_rules_count;

/* Of own kernels: rules_kernel.c. */
ttp_gain_fn ttp_gain_kernel_cores, ttp_gain_kernel_traffic, ttp_gain_kernel_blocks;

/* What rules and checklist look for in names of ops. */
bool ttp_code_starts(const struct ttp_report *report, const struct ttp_op *op,
                     const char *const *names);
extern const char *const ttp_codes_matmul[],
    *const ttp_codes_layout[],
        *const ttp_codes_reshard[],
            *const ttp_codes_eltwise[],
                *const ttp_codes_conv[], *const ttp_codes_attention[],
                                             *const ttp_codes_norm[], *const ttp_codes_collective[],
                                                                          *const ttp_codes_own[];

#endif
