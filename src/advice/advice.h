/* SPDX-License-Identifier: Apache-2.0 */
/* advice.h - door of the advice module: rules that turn analysed ops into findings.
 *
 * A rule is a row of one table, plan_rules.c: what it saves in a run, and what a report says about
 * a single row. */
#ifndef TTP_ADVICE_ADVICE_H
#define TTP_ADVICE_ADVICE_H

#include "analysis/analysis.h"
#include "base/sink.h"
#include "config/config.h"
#include "kernel/kernel.h"
#include "mesh/mesh.h"

/* Where reports print a finding. */
enum ttp_advice_section { TTP_ADVICE_FALLBACK, TTP_ADVICE_GAP, TTP_ADVICE_MATMUL };

struct ttp_finding {
    size_t op;        /* index in the report */
    const char *rule; /* stable id: "trace" */
    enum ttp_advice_section section;
    ttp_str text;
    double gain_us; /* what following it could save at most; 0: not estimated */
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

struct ttp_judged_matmul;

/* An op that rules judge. */
struct ttp_judged {
    const struct ttp_report *report;
    const struct ttp_op *op;
    struct ttp_judged_matmul *matmul; /* what our rules have read of it; NULL: nothing is kept */
    const char *id;                   /* of the finding: the rule's, unless it sets another */
    double gain_us;                   /* set by rules that can estimate it */
};

/* A rule: judge() writes the sentence and returns true where it applies. */
struct ttp_finding_rule {
    const char *id;
    enum ttp_advice_section section;
    bool (*judge)(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena);
};

/* In the order in which they are asked, those about matmuls last. */
struct ttp_finding_rules {
    const struct ttp_finding_rule *rule;
    size_t count;
    bool (*is_matmul)(const struct ttp_report *report, const struct ttp_op *op);
};

/* Findings of one op, in the order of the rules (NULL: ours); texts in the arena. Returns how many.
 * Any thread, each with its own arena. */
size_t ttp_advice_for_op(struct ttp_finding out[TTP_ADVICE_PER_OP], const struct ttp_report *report,
                         size_t op, const struct ttp_finding_rules *rules, struct ttp_arena *arena);

/* Positions in report->op. */
struct ttp_advice_rows {
    const size_t *row;
    size_t rows;
};
/* Findings of the ops at `row` (indexes in the report), in that order. */
void ttp_advice_run(struct ttp_findings *out, const struct ttp_report *report,
                    struct ttp_advice_rows of, const struct ttp_finding_rules *rules,
                    struct ttp_arena *arena);

/* What tracing could save over all flagged gaps, and its share of the whole run. */
void ttp_advice_gap_saving(const struct ttp_report *report, double *gain_us, double *saving_pct);

/* ---- other configs of a matmul ---- */

/* Changes of formats, as bits. */
enum ttp_format_change {
    TTP_FORMAT_FIDELITY = 1, /* the lowest math fidelity that the weights bear */
    TTP_FORMAT_BFP8 = 2,     /* bfloat8_b weights, at HiFi2 or lower */
    TTP_FORMAT_BFP4 = 4,     /* bfloat4_b weights, at LoFi; of bfloat16 ones the step from bfp8 */
    TTP_FORMAT_CHANGES = 8,
};

/* The least part of an op's time that another config must save to be proposed. */
#define TTP_CONFIG_LEAST_PART 0.02

struct ttp_op_configs {
    struct ttp_config_op op;           /* the problem, and the config in use */
    struct ttp_config_proposals found; /* that one, ttnn's default, and proposals */
    const struct ttp_config_row *best; /* of those that were asked for; may be the one in use */
    double gain_part;                  /* of the op's time that it would save; may be below 0 */
    double own_part;                   /* the same without what is due to other formats */
    double scale; /* predicted times are multiplied by it: measured over predicted; 0: none is */
};
/* Which of the proposals is asked for. */
enum ttp_config_family {
    TTP_FAMILY_ANY,
    TTP_FAMILY_USUAL, /* the type in use, or neither of the following */
    TTP_FAMILY_DRAM,
    TTP_FAMILY_MINIMAL,
};
struct ttp_op_configs_wanted {
    size_t op, top;   /* index in the report; proposals */
    bool folded;      /* with all batches folded into the rows: then there is no config in use */
    unsigned formats; /* enum ttp_format_change: with these changes of formats */
    enum ttp_config_family family;
};
/* False: not a matmul, its sizes are unknown, or nothing is proposed. */
bool ttp_advice_configs(struct ttp_op_configs *out, const struct ttp_report *report,
                        struct ttp_op_configs_wanted wanted, struct ttp_arena *arena);

/* ---- the plan: what to change in this run, largest gain first ---- */

/* The seven steps of optimising a TTNN model, then the three targets of a kernel. */
enum ttp_step {
    TTP_STEP_FORMATS,
    TTP_STEP_LAYOUTS,
    TTP_STEP_MEMORY,
    TTP_STEP_TRACE,
    TTP_STEP_QUEUES,
    TTP_STEP_CONV,
    TTP_STEP_DEVICES,
    TTP_MODEL_STEPS,
    TTP_TARGET_CORES = TTP_MODEL_STEPS,
    TTP_TARGET_DRAM,
    TTP_TARGET_BLOCKS,
    TTP_STEPS,
};
/* "data-formats", and "data formats" for human readers. */
const char *ttp_advice_step_id(enum ttp_step step);
const char *ttp_advice_step_title(enum ttp_step step);

/* Confidence of a gain: such advice was right with about the predicted gain, was right more often
 * than not, or lost as often as it won. */
enum ttp_plan_confidence { TTP_PLAN_HIGH, TTP_PLAN_MEDIUM, TTP_PLAN_TRY };
const char *ttp_plan_confidence_name(enum ttp_plan_confidence confidence); /* "high" */

/* Entries of a plan. */
#define TTP_PLAN_MOST 8

/* Where the figure of a gain comes from. */
enum ttp_plan_basis {
    TTP_BASIS_MEASURED, /* measured in this run: time that would disappear */
    TTP_BASIS_MODELLED, /* a cost model, or bytes, cores and peaks */
    TTP_BASIS_GUESSED,  /* what such changes gained elsewhere */
};
const char *ttp_plan_basis_name(enum ttp_plan_basis basis); /* "measured" */

/* Description of a rule. */
struct ttp_rule_info {
    const char *id; /* stable; also its page: tt-perf explain ID */
    enum ttp_step step;
    const char *title;    /* what to do, in a few words */
    const char *why;      /* what was seen */
    const char *verify;   /* evidence that it worked, */
    const char *shown_by; /* and the verb that shows it of the run AFTER, with its words; NULL: diff
                             of both runs */
    const char *factor;   /* of the formula: what the part of the time that is left is */
    const char *risk;     /* for accuracy above all */
    enum ttp_plan_basis basis;
    bool is_most;     /* the gain is an upper bound: it takes perfect scaling for granted */
    bool folds_batch; /* configs are those of the matmul with one batch */
};
/* The i-th rule, NULL after the last. */
const struct ttp_rule_info *ttp_rule_at(size_t i);

/* What tt-perf config proposes for a matmul of a plan. */
struct ttp_plan_config {
    bool known;                           /* there is a proposal */
    bool pays;                            /* it is faster by more than the error of the model */
    ttp_str config;                       /* as tt-perf config check reads it */
    size_t rank;                          /* among all proposals */
    double predicted_us, low_us, high_us; /* the measured time is this and gain_us */
    double gain_part, gain_us;            /* of the op's time */
    const char *confidence;               /* "high", "medium", "low" */
    bool try_it;                          /* such configs were hardly measured */
    bool moves_tensors;
    bool folded;          /* for the matmul with its batches folded into the rows */
    const char *weights;  /* for weights of this type; NULL: as they are */
    const char *fidelity; /* at this one; NULL: as it is */
};
/* Ops of an item that have one. */
#define TTP_PLAN_CONFIGS 5

/* A stale buffer that keeps an output out of L1. */
struct ttp_spill_buffer {
    int64_t address, bytes; /* per bank */
    int64_t tensor;         /* the last that lived in it; -1: unknown */
    uint32_t last_op;       /* in the capture: whose use was the last; 0: none in it */
    ttp_str last_name;
};
/* An op that writes to DRAM what L1 could take if stale buffers were freed. Bytes are per bank. */
struct ttp_plan_spill {
    uint32_t op_id; /* in the capture */
    int64_t needed_bytes, largest_free_bytes, without_stale_bytes, stale_bytes;
    double output_bytes;                   /* over all banks */
    const struct ttp_spill_buffer *buffer; /* what to free, by address; none: it fits already */
    size_t buffers;
};

/* What a rule found in a run. */
struct ttp_plan_item {
    const struct ttp_rule_info *rule;
    double gain_us;         /* if it is the only change; 0: cannot be estimated */
    double gain_pct;        /* of the whole run, gaps included (Amdahl) */
    double device_pct;      /* of the device time alone; 0 for rules about gaps */
    double further_us;      /* what is left of it after all items before it */
    double low_us, high_us; /* of that: what such advice brought in measured campaigns */
    enum ttp_plan_confidence confidence;
    int cure, roof; /* which rules are alternatives to it, what it makes of rooflines; private */
    const char *instead_of; /* the earlier rule that saves the same time; NULL: none */
    size_t *op;             /* indexes in the report, the largest gain first */
    double *op_gain_us;     /* of each */
    double *op_further_us;  /* of each, what the items before this one leave */
    bool *op_unsure;        /* of each: the rule is less sure there */
    size_t ops;
    ttp_str evidence; /* cells of the first of them, in words */
    ttp_str whom;     /* the device that it is about; empty: none in particular */
    ttp_str formula;  /* its gain, with numbers; empty: no estimate */
    struct ttp_plan_config config[TTP_PLAN_CONFIGS]; /* of the first of them */
};

enum ttp_model_kind {
    TTP_MODEL_UNKNOWN,
    TTP_MODEL_TRANSFORMER,
    TTP_MODEL_CNN,
    TTP_MODEL_KERNELS, /* the user's own kernels take most of the time */
};
enum ttp_step_state {
    TTP_STEP_NOT_APPLICABLE,
    TTP_STEP_OPEN,   /* a rule of it applies and pays */
    TTP_STEP_PARTLY, /* seen in some rows, open in others */
    TTP_STEP_DONE,   /* seen in the rows */
};

struct ttp_plan_step {
    enum ttp_step_state state;
    ttp_str seen; /* in which rows */
};

struct ttp_plan {
    struct ttp_plan_item *item; /* by gain, those without an estimate last */
    size_t count;
    double total_us;   /* of an iteration as the window says it: device time and gaps */
    double gap_us;     /* the gaps inside */
    double between_us; /* of it, the wait between two iterations; 0: negligible */
    enum ttp_model_kind model;
    bool memory_bound, host_bound;
    struct ttp_plan_step
        step[TTP_STEPS]; /* targets of kernels are not applicable if there are none */
    const struct ttp_plan_spill *const *spill; /* by op of the report: NULL if there is none */
};

/* A rule of the user's; see docs/formats/rules.md. */
struct ttp_user_rule {
    struct ttp_rule_info info;
    struct ttp_filter *when;
    double gain_part, gain_us; /* of the op's time, and in addition */
};
struct ttp_user_rules {
    struct ttp_user_rule *item;
    size_t count;
};
/* Parse the text of such a file; `path` is named in errors. TTP_EPARSE: with the line. */
TTP_NODISCARD ttp_code ttp_advice_user_rules_parse(struct ttp_user_rules *out, ttp_str text,
                                                   const char *path, struct ttp_arena *arena,
                                                   struct ttp_err *err);

/* Is it a kernel of the user's own? */
bool ttp_advice_is_own(const struct ttp_report *report, const struct ttp_op *op);
/* Straggler, by device: its compute takes so much longer than the median of all. */
bool ttp_mesh_is_straggler(const struct ttp_mesh *mesh, uint32_t device);
/* Does the run have the user's own kernels, whose zones would give more detail? */
bool ttp_plan_wants_kernels(const struct ttp_report *report);
/* Other data of a run; all may be NULL, and so may the whole. */
struct ttp_plan_sources {
    const struct ttp_user_rules *user;
    const struct ttp_kernel_report *kernels; /* zones of its kernels */
    const struct ttp_mesh *mesh;             /* its devices on one clock, */
    const uint32_t *line;                    /* and by cell of that the line of the op's row */
};
void ttp_plan_make(struct ttp_plan *out, const struct ttp_report *measured,
                   const struct ttp_plan_sources *sources, struct ttp_arena *arena);
/* Is enough left of an item after those before it to be worth a line? */
bool ttp_plan_is_shown(const struct ttp_plan_item *item);
/* What is left of it, in percent of the device time, or of the run for gaps; 0: not estimated. */
double ttp_plan_further_pct(const struct ttp_plan_item *item);
/* Configs for what following an item makes of a matmul, without the op; false: there is no matmul
 * any more, or another op. */
bool ttp_plan_configs_wanted(struct ttp_op_configs_wanted *out, const struct ttp_plan_item *item);
/* Add what tt-perf config proposes for the matmuls that the plan names first. */
void ttp_plan_add_configs(struct ttp_plan *plan, const struct ttp_report *report,
                          struct ttp_arena *arena);

/* ---- what if ---- */

/* Other settings of some ops; 0 or false: as they are. */
struct ttp_what_if {
    enum ttp_tile_type weights, in0, out;
    bool has_fidelity, best_config, remove;
    enum ttp_fidelity fidelity;
    uint32_t block_w, subblock_h, subblock_w, per_core_m, per_core_n;
    ttp_str where; /* which ops change, see ttp_filter_parse(); empty: all */
};
/* "weights=bfp4,fidelity=lofi". TTP_EUSAGE: an unknown setting or value, or nothing at all. */
TTP_NODISCARD ttp_code ttp_what_if_parse(struct ttp_what_if *out, ttp_str text,
                                         struct ttp_err *err);

struct ttp_what_if_row {
    size_t op; /* index in the report */
    double time_us, predicted_us, low_us, high_us;
    const char *basis; /* "modelled", "measured", "guessed"; NULL: unchanged */
    ttp_str note;
};
struct ttp_what_if_result {
    struct ttp_what_if_row *row; /* ops that it is about */
    size_t count, changed;       /* of those with a prediction */
    double now_us;               /* the iteration: device time and gaps */
    double predicted_us, low_us, high_us;
    double gap_us;
};
/* `where`: an expression on the fields of ops, and m, k and n of matmuls; empty: all ops.
 * TTP_EUSAGE: invalid. */
TTP_NODISCARD ttp_code ttp_what_if(struct ttp_what_if_result *out, const struct ttp_what_if *w,
                                   const struct ttp_report *report, struct ttp_arena *arena,
                                   struct ttp_err *err);

#endif
