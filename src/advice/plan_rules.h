/* SPDX-License-Identifier: Apache-2.0 */
/* plan_rules.h - the rules of a plan: when they apply to an op, and what following them saves.
 * Private to advice. */
#ifndef TTP_ADVICE_PLAN_RULES_H
#define TTP_ADVICE_PLAN_RULES_H

#include "advice/advice.h"

struct ttp_matmul_look;
struct ttp_mesh_look;

/* Properties of an op that are computed before the rules run, because most rules do not apply to
 * most ops: enum ttp_op_trait by its name, and these by its row. */
enum ttp_plan_bits {
    TTP_IS_DEVICE = 1 << TTP_OP_TRAITS,
    TTP_IS_HOST = 2 << TTP_OP_TRAITS,
    TTP_IS_MODELLED = 4 << TTP_OP_TRAITS, /* work and traffic are known, and its time */
    TTP_IS_LIMITED = 8 << TTP_OP_TRAITS,  /* by cores, imbalance, padding, a link or the NoC */
    TTP_IS_LATE = 16 << TTP_OP_TRAITS,    /* a long gap is before it */
    TTP_IS_COLD = 32 << TTP_OP_TRAITS,    /* its program was compiled just before it */
    TTP_IN0_BLOCKS = 64 << TTP_OP_TRAITS, /* input 0 is in a block format */
    TTP_IN1_BLOCKS = 128 << TTP_OP_TRAITS,
    TTP_IN0_SHARDED = 256 << TTP_OP_TRAITS,
};

/* A run with data that several rules use. */
struct ttp_plan_run {
    const struct ttp_report *report;
    const uint32_t *is;       /* by op: enum ttp_op_trait, ttp_plan_bits */
    bool traced;              /* some op is part of a trace */
    bool gaps_at_starts;      /* long gaps are only where an iteration begins */
    const uint32_t *chain;    /* by op: ops of the element-wise chain it begins, 0: none */
    const uint32_t *attended; /* by op: ops of the attention it begins, 0: none */
    /* by op: what its kernels did, as their zones tell it; NULL if that is unknown */
    const struct ttp_kernel_program *const *kernel;
    const struct ttp_matmul_look *const *matmul; /* by op: NULL where nothing is known */
    const struct ttp_cost_value *constant;       /* TTP_OP_CONSTANTS */
    const struct ttp_plan_spill *const *spill;   /* by op: NULL if there is none */
    const struct ttp_mesh_look *const *mesh;     /* by op: NULL where nothing is known */
};

struct ttp_plan_run ttp_plan_look(const struct ttp_report *report,
                                  const struct ttp_plan_sources *from, struct ttp_arena *arena);

/* No: the rule says nothing about the op. */
#define TTP_RULE_NO (-1.0)

/* μs that following the rule saves at this op; 0: it applies, but the gain is unknown. */
typedef double ttp_gain_fn(const struct ttp_plan_run *run, size_t op);

/* Is the gain at this op less sure than the rule's usually are? */
typedef bool ttp_risk_fn(const struct ttp_plan_run *run, size_t op);

/* Write the sentence on one row; false: the rule does not apply to it. */
typedef bool ttp_say_fn(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena);

/* What was seen at this op, in words. */
typedef ttp_str ttp_tell_fn(const struct ttp_plan_run *run, size_t op, struct ttp_arena *arena);

/* Rules that cure the same time of an op are alternatives: the best of them counts. */
enum ttp_cure {
    TTP_CURE_OWN,      /* none other does what this rule does */
    TTP_CURE_GEOMETRY, /* how the op is split over cores */
    TTP_CURE_MOVES,    /* what of it only moves or pads data */
    TTP_CURE_LINKS,    /* how devices talk */
    TTP_CURES
};

/* What following a rule makes of the roofline of an op. */
enum ttp_roof_change {
    TTP_ROOF_KEEPS,    /* the op does and moves what it did */
    TTP_ROOF_GONE,     /* the op, or part of its work or traffic, no longer exists */
    TTP_ROOF_BFP8,     /* its weights are bfloat8_b */
    TTP_ROOF_BFP4,     /* its weights are bfloat4_b, at LoFi */
    TTP_ROOF_FIDELITY, /* it computes at LoFi */
};

struct ttp_plan_rule {
    struct ttp_rule_info info;
    ttp_gain_fn *gain;
    ttp_risk_fn *risk; /* NULL: the same at every op */
    ttp_tell_fn *tell; /* NULL: cells of its row say enough */
    ttp_tell_fn *whom; /* what of the machine it is about; NULL: the ops say it */
    uint32_t of;       /* asked only about ops that have one of these bits */
    enum ttp_plan_confidence confidence;
    enum ttp_cure cure;
    enum ttp_roof_change roof;
    ttp_say_fn *says; /* what a report says about a single row; NULL: nothing */
};
/* The i-th; all of them are ttp_plan_rules(). */
const struct ttp_plan_rule *ttp_plan_rule_at(size_t i);
size_t ttp_plan_rules(void);
/* plan_rules_kernel.c and plan_rules_mesh.c: custom kernels and meshes, which come last. */
extern const struct ttp_plan_rule ttp_plan_kernel_rules[];
extern const size_t ttp_plan_kernel_rules_count;
extern const struct ttp_plan_rule ttp_plan_mesh_rules[];
extern const size_t ttp_plan_mesh_rules_count;

/* plan_words.c; the second is of the first op of an item, once the plan is in order. */
ttp_str ttp_plan_evidence(const struct ttp_plan_run *run, const struct ttp_plan_rule *rule,
                          size_t at, struct ttp_arena *arena);
ttp_str ttp_plan_formula(const struct ttp_plan_run *run, const struct ttp_plan_item *item,
                         struct ttp_arena *arena);
/* plan.c: device time and gaps of an iteration, of several devices the median, as a report has it,
 * not the sum of the slowest. */
double ttp_plan_iteration(const struct ttp_report *measured, double *gap_us);
/* plan_choose.c */
bool ttp_plan_saves_gaps(const struct ttp_rule_info *rule);
/* Is it time that devices wait for each other in collectives? Rows do not count it. */
bool ttp_plan_saves_waits(const struct ttp_rule_info *rule);
/* Is it time of the device that the rule saves at such an op, or time that the device waits? */
bool ttp_plan_is_beside_device(const struct ttp_plan_run *run, const struct ttp_rule_info *rule,
                               size_t op);
/* The most that a plan can save of either, and of waits. */
double ttp_plan_room(const struct ttp_report *report, bool beside_device);
double ttp_plan_wait_room(const struct ttp_report *report);
/* Ops that a finding covers, from the one it is about on. */
size_t ttp_plan_span(const struct ttp_plan_run *run, const struct ttp_rule_info *rule, size_t op);
/* What changes have made of an op's work. */
struct ttp_plan_work {
    enum ttp_tile_type weights; /* TTP_TILE_NONE: as they are */
    enum ttp_fidelity fidelity; /* of the arithmetic, if lower than that of the row */
    bool gone;                  /* the op, or part of what it does: no roofline is known any more */
};
/* What the op takes at least with that work; 0: unknown. */
double ttp_plan_roofline_with(const struct ttp_plan_run *run, size_t op,
                              const struct ttp_plan_work *work);
/* The same after a change. */
double ttp_plan_roofline(const struct ttp_plan_run *run, size_t op, enum ttp_roof_change roof);
/* The gain, compared with that roofline; TTP_RULE_NO: the op is there already. */
double ttp_plan_hold(const struct ttp_plan_run *run, size_t op, enum ttp_roof_change roof,
                     double gain_us);
/* Put the first TTP_PLAN_MOST items in order, each by what those before it leave. */
void ttp_plan_choose(struct ttp_plan *plan, const struct ttp_plan_run *run,
                     struct ttp_arena *arena);

/* rules.c */
ttp_say_fn ttp_advice_say_host_ops, ttp_advice_say_trace, ttp_advice_say_dram_sharding,
    ttp_advice_say_few_cores, ttp_advice_say_input_sharding, ttp_advice_say_block_width,
    ttp_advice_say_subblock, ttp_advice_say_fidelity, ttp_advice_say_matmul_config;
/* Can the output subblock of a matmul be larger? */
bool ttp_advice_has_larger_subblock(const struct ttp_report *report, size_t op);
/* Would so many bytes fit into what is cautiously taken for the free L1 of all cores? */
bool ttp_advice_fits_l1(const struct ttp_report *report, double bytes);
/* rules_ops.c */
ttp_gain_fn ttp_gain_whole_op, ttp_gain_padding, ttp_gain_host_ops, ttp_gain_few_cores,
    ttp_gain_imbalance, ttp_gain_attention, ttp_gain_fusion, ttp_gain_placement,
    ttp_gain_metal_trace, ttp_gain_two_queues, ttp_gain_cold_programs, ttp_gain_conv_config,
    ttp_gain_noc_traffic;
/* rules_matmul.c */
ttp_gain_fn ttp_gain_lower_fidelity, ttp_gain_weights_bfp8, ttp_gain_weights_bfp4,
    ttp_gain_input_sharding, ttp_gain_dram_sharding, ttp_gain_block_width, ttp_gain_subblock,
    ttp_gain_matmul_config, ttp_gain_minimal_matmul, ttp_gain_fold_batch, ttp_gain_sparse_experts,
    ttp_gain_pack_weights, ttp_gain_fused_matmul_rs;
ttp_risk_fn ttp_risk_first_run;
ttp_risk_fn ttp_risk_attention_weights, ttp_risk_config, ttp_risk_dram_sharding,
    ttp_risk_minimal_matmul;
/* "weights BFLOAT8_B, 62.4 MB, DEV_0_DRAM_INTERLEAVED"; and what LoFi requires. */
ttp_tell_fn ttp_advice_tell_weights, ttp_advice_tell_fidelity;
/* Is the gain of the rule at this op the step from bfloat8_b to bfloat4_b, after another rule? Sets
 * the shares of the time that are left before and after it. */
bool ttp_plan_is_bfp4_step(const struct ttp_plan_run *run, size_t op, double *before,
                           double *after);
/* Ops of a pair that pack-weights joins, if nothing is between them. */
size_t ttp_plan_pack_span(const struct ttp_plan_run *run, size_t i);
/* rules_devices.c */
ttp_gain_fn ttp_gain_sharded_norm, ttp_gain_fractured_norm, ttp_gain_sdpa_config, ttp_gain_kv_bfp8,
    ttp_gain_shard_grid, ttp_gain_all_reduce, ttp_gain_collective_config, ttp_gain_collective_links,
    ttp_gain_collective_payload;
ttp_risk_fn ttp_risk_sdpa;
/* Ops from a reduce-scatter to the all-gather of its result. */
size_t ttp_plan_all_reduce_span(const struct ttp_plan_run *run, size_t i);

/* plan_spill.c: what stale buffers keep out of L1. */
ttp_gain_fn ttp_gain_stale_l1;
ttp_risk_fn ttp_risk_stale_l1;
/* NULL: the op is none of them, or the run has no graph capture. */
const struct ttp_plan_spill *ttp_advice_spill(const struct ttp_report *r, size_t i,
                                              struct ttp_arena *arena);
ttp_str ttp_advice_spill_text(const struct ttp_plan_spill *spill, struct ttp_arena *arena);

/* Of own kernels: rules_kernel.c. */
/* Is the op a program of a device log alone, of which nothing but its cores is known? */
bool ttp_kernel_is_nameless(const struct ttp_plan_run *run, size_t op);
ttp_gain_fn ttp_gain_kernel_cores, ttp_gain_kernel_traffic, ttp_gain_kernel_blocks;

/* rules_mesh.c */
ttp_gain_fn ttp_gain_straggler, ttp_gain_device_imbalance, ttp_gain_late_start,
    ttp_gain_slow_transfer, ttp_gain_overlap;
ttp_tell_fn ttp_advice_tell_straggler, ttp_advice_tell_device_imbalance, ttp_advice_tell_late_start,
    ttp_advice_tell_slow_transfer, ttp_advice_tell_overlap, ttp_advice_slow_device,
    ttp_advice_loaded_device;

/* The board whose figures count; NULL: none is known. */
const struct ttp_board *ttp_advice_board(const struct ttp_report *report);
/* The matmul of an op; false: it is none, or its sizes are unknown. */
bool ttp_advice_matmul(struct ttp_config_op *out, const struct ttp_report *report, size_t op);

#endif
