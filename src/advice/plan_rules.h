/* SPDX-License-Identifier: Apache-2.0 */
/* plan_rules.h - the rules of a plan: when they apply to an op, and what following them saves.
 * Private to advice. */
#ifndef TTP_ADVICE_PLAN_RULES_H
#define TTP_ADVICE_PLAN_RULES_H

#include "advice/advice.h"

/* What is known of an op before any rule looks at it: most have nothing to say about most ops. */
enum ttp_plan_bits {
    /* by its name */
    TTP_IS_MATMUL = 1 << 0,
    TTP_IS_LAYOUT = 1 << 1,
    TTP_IS_RESHARD = 1 << 2,
    TTP_IS_ELTWISE = 1 << 3,
    TTP_IS_CONV = 1 << 4,
    TTP_IS_ATTENTION = 1 << 5,
    TTP_IS_NORM = 1 << 6,
    TTP_IS_COLLECTIVE = 1 << 7,
    TTP_IS_OWN = 1 << 8, /* kernel */
    TTP_IS_SOFTMAX = 1 << 9,
    TTP_IS_BATCH_NORM = 1 << 10,
    TTP_IS_MOVE = 1 << 11,
    /* by its row */
    TTP_IS_DEVICE = 1 << 12,
    TTP_IS_HOST = 1 << 13,
    TTP_IS_MODELLED = 1 << 14, /* work and traffic are known, and its time */
    TTP_IS_LIMITED = 1 << 15,  /* by cores, imbalance, padding, a link or the NoC */
    TTP_IS_LATE = 1 << 16,     /* a long gap is before it */
    TTP_IS_COLD = 1 << 17,     /* its program was compiled just before it */
    TTP_IN0_BLOCKS = 1 << 18,  /* input 0 is in a block format */
    TTP_IN1_BLOCKS = 1 << 19,
    TTP_IN0_SHARDED = 1 << 20,
};

/* A run with what several rules ask of it. */
struct ttp_plan_run {
    const struct ttp_report *report;
    const uint32_t *is;       /* by op: enum ttp_plan_bits */
    bool traced;              /* some op is part of a trace */
    bool gaps_at_starts;      /* long gaps are only where an iteration begins */
    const uint32_t *chain;    /* by op: ops of the element-wise chain it begins, 0: none */
    const uint32_t *attended; /* by op: ops of the attention it begins, 0: none */
    /* by op: what its kernels did, as their zones tell it; NULL where that is not known */
    const struct ttp_kernel_program *const *kernel;
    double total_us;
};

/* `kernels` may be NULL. */
struct ttp_plan_run ttp_plan_look(const struct ttp_report *report,
                                  const struct ttp_kernel_report *kernels, struct ttp_arena *arena);

/* No: the rule says nothing about the op. */
#define TTP_RULE_NO (-1.0)

/* μs that following the rule saves at this op; 0: it applies, but by how much cannot be said. */
typedef double ttp_gain_fn(const struct ttp_plan_run *run, size_t op);

struct ttp_plan_rule {
    struct ttp_rule_info info;
    ttp_gain_fn *gain;
    uint32_t of; /* asked only about ops that have one of these bits */
};
extern const struct ttp_plan_rule ttp_plan_rules[];
extern const size_t ttp_plan_rules_count;

/* Of own kernels: rules_kernel.c. */
ttp_gain_fn ttp_gain_kernel_cores, ttp_gain_kernel_traffic, ttp_gain_kernel_blocks;

/* Alternatives to the config of an op. */
struct ttp_op_configs {
    struct ttp_config_op op;           /* the problem, and the config in use */
    struct ttp_config_proposals found; /* that one, ttnn's default, and proposals */
    const struct ttp_config_row *best; /* first proposal */
    double gain_part;                  /* of the op's time that it would save; may be below 0 */
};
/* False: not a matmul, its sizes are not known, or nothing is proposed. `top`: proposals. */
bool ttp_advice_configs(struct ttp_op_configs *out, const struct ttp_report *report, size_t op,
                        size_t top, struct ttp_arena *arena);

/* The matmul behind an op; false: it is none, or its sizes are not known. */
bool ttp_advice_matmul(struct ttp_config_op *out, const struct ttp_report *report, size_t op);

/* The first of those bits. */
uint32_t ttp_plan_bits_of_code(ttp_str code);

#endif
