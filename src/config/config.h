/* SPDX-License-Identifier: Apache-2.0 */
/* config.h - door of the config module: program configs of matmuls and a few other ops.
 *
 * Reads them in every written form, checks whether tt-metal accepts them and how much L1 of a core
 * they need, what ttnn picks without one, and which legal ones the cost model expects to be
 * fastest. The rules are those of tt-metal e4f9f0bb8de (2026-08-22); names of rules are ours.
 * Results live in the arena the caller passes. */
#ifndef TTP_CONFIG_CONFIG_H
#define TTP_CONFIG_CONFIG_H

#include "base/field.h"
#include "cost/cost.h"
#include "ops/ops.h"

/* ---- text ---- */

/* A program config in one of these forms, with or without surrounding text:
 *   dram in0_block_w=4 per_core_M=1 per_core_N=14
 *   ttnn.MatmulMultiCoreReuseProgramConfig(compute_with_storage_grid_size=(8, 8), ...)
 *   MatmulMultiCoreReuseMultiCast1DProgramConfig(compute_with_storage_grid_size=11-10;...)
 *   {'program_config': 'Matmul...'; ...}, the ATTRIBUTES of an ops CSV
 *   1D(grid 11x10, in0_block_w=2, subblock 1x2, out_block 1x2, per_core 1x2, mcast_in0)
 * TTP_ENOTFOUND: attributes without a config. TTP_EUSAGE: not a config; err->offset is the place.
 */
TTP_NODISCARD ttp_code ttp_config_parse(struct ttp_matmul_config *out, ttp_str text,
                                        struct ttp_err *err);

/* The program config in the ATTRIBUTES of an op: of a matmul in the short form below, of another op
 * as it is written. Empty: none. */
ttp_str ttp_config_of_attributes(ttp_str attributes, struct ttp_arena *arena);

/* The short form, which ttp_config_parse() reads: "1d grid=11x9 in0_block_w=2 ...". */
ttp_str ttp_config_text(const struct ttp_matmul_config *c, struct ttp_arena *arena);
/* "32 x 4096 x 14336, bf16 x bfp8 -> bf16, HiFi2". */
ttp_str ttp_config_matmul_line(const struct ttp_matmul *p, struct ttp_arena *arena);
/* "ws:32x128:32" and the like. */
ttp_str ttp_config_placement_text(const struct ttp_placement *at, struct ttp_arena *arena);
/* Python to paste: the program config, the compute kernel config, memory configs and shard specs of
 * the tensors, and how the weights get into DRAM shards. */
ttp_str ttp_config_python(const struct ttp_matmul *p, const struct ttp_matmul_config *c,
                          struct ttp_arena *arena);

/* One fact of a matmul by its short name: a, b, o, bias (types), am, bm, om (memories), batch,
 * batch-b, fid, fp32, no-l1acc, full-sync, act, untilize, ta, tb, th, tw, bias_h, core_grid,
 * other_l1 ... An empty value of a switch is true. TTP_EUSAGE. */
TTP_NODISCARD ttp_code ttp_config_matmul_set(struct ttp_matmul *p, const char *name, ttp_str value,
                                             struct ttp_err *err);

/* What other tensors leave of a core's L1, by a graph capture: the bytes below all tensors, and
 * below those of others. Shards of the op's own are part of what a config takes; interleaved ones
 * are not. */
void ttp_config_matmul_leave_room(struct ttp_matmul *p, uint64_t below_tensors,
                                  uint64_t below_others);

/* ---- check ---- */

enum ttp_config_verdict { TTP_CONFIG_LEGAL, TTP_CONFIG_BROKEN, TTP_CONFIG_UNDECIDED };
const char *ttp_config_verdict_name(enum ttp_config_verdict verdict); /* "legal" */

struct ttp_config_check {
    enum ttp_config_verdict verdict;
    const char *rule; /* first that is broken: "B-K"; NULL: none */
    char reason[224]; /* with its numbers; empty without a rule */
    bool has_l1;
    uint64_t l1_bytes;   /* of a core: circular buffers and shards */
    uint64_t l1_limit;   /* what there is for them */
    uint32_t cores;      /* that compute; 0: unknown */
    bool assumed_shard;  /* legal if input 0 has shards of: */
    uint32_t shard_w;    /* tiles */
    const char *open[4]; /* what could not be checked; none for a broken rule */
    size_t nopen;
};
void ttp_config_check(struct ttp_config_check *out, const struct ttp_matmul *p,
                      const struct ttp_matmul_config *c);
static inline double ttp_config_l1_pct(const struct ttp_config_check *check)
{
    return check->l1_limit ? 100.0 * (double)check->l1_bytes / (double)check->l1_limit : 0;
}

/* ---- what ttnn picks ---- */

struct ttp_config_auto {
    struct ttp_matmul_config config;
    const char *why[6]; /* the steps that led there */
    size_t nwhy;
    bool depends_on_l1; /* another amount of free L1 would have given another config */
};
/* Without a program config. `older`: builds before all-DRAM problems went to 2D. False: ttnn would
 * refuse it, or its choice needs a shard shape that is unknown. */
bool ttp_config_auto(struct ttp_config_auto *out, const struct ttp_matmul *p, bool older);

/* ---- propose ---- */

enum ttp_config_origin {
    TTP_ORIGIN_PROPOSED,
    TTP_ORIGIN_USED,    /* what the run has */
    TTP_ORIGIN_DEFAULT, /* what ttnn picks */
    TTP_ORIGIN_GIVEN,   /* what is to be checked */
};

struct ttp_config_row {
    enum ttp_config_origin origin;
    struct ttp_matmul problem; /* with the placements that this config needs */
    struct ttp_matmul_config config;
    struct ttp_config_check check;
    bool has_time;
    struct ttp_matmul_time time;
    double scale;       /* that its times were multiplied by; 0: as the model has them */
    double measured_us; /* of the config in use; 0: unknown */
    size_t rank;        /* from 1, ties within 2 % share it; 0: not ranked */
    size_t ties;        /* other configs within 2 % that are not listed */
    bool moves_tensors; /* input, weights or output must be placed again */
    bool pads, folds;   /* N or M is padded; the batch is folded into M */
    bool unsure_move;   /* it moves tensors, for less than the error of the model */
    bool try_it;        /* no such config was among the measured ones, or an unsure move */
};

struct ttp_config_request {
    const struct ttp_matmul_config *used; /* NULL: none */
    double measured_us;                   /* of it; 0: unknown */
    double scale;                         /* multiplies predicted times; 0: none does */
    size_t top;                           /* proposals; 0: 5 */
    bool keep_placement;                  /* only configs for tensors where they are */
};
struct ttp_config_proposals {
    /* The one in use and ttnn's own first, then the best of the others. A config that moves tensors
     * for less than the model's error comes after the best of those that do not. */
    struct ttp_config_row *row;
    size_t count;
    size_t tried, legal; /* configs looked at, and of those accepted */
};
/* Ranked legal configs of a matmul. */
void ttp_config_propose(struct ttp_config_proposals *out, const struct ttp_matmul *p,
                        const struct ttp_config_request *request, struct ttp_arena *arena);
/* The best of the proposals, or the config in use if it is ranked before all of them; NULL: none.
 */
const struct ttp_config_row *ttp_config_best(const struct ttp_config_proposals *found);
/* Multiply the times of a row; by 0: leave them. */
void ttp_config_row_scale(struct ttp_config_row *row, double scale);
/* "high", "medium", "low"; of an unsure move one less. */
const char *ttp_config_confidence_name(const struct ttp_config_row *row);
/* Sharded tensors of a run whose shard shape is unknown have one that the config in use accepts:
 * does another config need, or perhaps need, another shape? */
bool ttp_config_needs_other_shards(const struct ttp_matmul *p, const struct ttp_matmul_config *used,
                                   const struct ttp_matmul_config *c);
/* One config of a problem, checked and predicted. */
void ttp_config_judge(struct ttp_config_row *out, enum ttp_config_origin origin,
                      const struct ttp_matmul *p, const struct ttp_matmul_config *c);

/* Fields of a struct ttp_config_row in such a context. */
struct ttp_config_context {
    struct ttp_arena *arena; /* for texts */
};
extern const struct ttp_fields ttp_config_fields;

/* ---- ops of a run ---- */

struct ttp_config_op {
    struct ttp_matmul problem;
    bool has_config; /* the row names one */
    bool by_ttnn;    /* and ttnn chose it: the caller gave none */
    struct ttp_matmul_config config;
    double measured_ns; /* 0: no time */
};
/* The matmul of a row. `board`: provides the figures; its grid is replaced by the row's number of
 * cores where that is known. TTP_ENOTFOUND: not a matmul, or shape or datatype is missing;
 * TTP_EPARSE: its config cannot be read, the rest of *out is set. */
TTP_NODISCARD ttp_code ttp_config_of_row(struct ttp_config_op *out, const struct ttp_ops *ops,
                                         size_t row, const struct ttp_board *board,
                                         struct ttp_err *err);

/* What the measured time of an op is of the time predicted for its config: the model errs alike on
 * two variants of one matmul, so that times multiplied by it are surer. 0: unknown. */
double ttp_config_scale(const struct ttp_config_op *op);
/* Is there a legal config with a larger output subblock, and else the same? */
bool ttp_config_has_larger_subblock(const struct ttp_config_op *op);

/* All rows in one batch, if all batches have the same weights. */
void ttp_config_fold_batch(struct ttp_matmul *p);

/* The same problem with the same config? */
bool ttp_config_op_same(const struct ttp_config_op *a, const struct ttp_config_op *b);

/* Avoidable costs of a config in use; the measurements for each are in
 * docs/config.md. */
enum ttp_config_flag {
    TTP_FLAG_TINY_SUBBLOCK,   /* 1x1 subblocks, because the block sizes are prime */
    TTP_FLAG_UNFUSED_BATCH,   /* weights are read once per batch */
    TTP_FLAG_SHORT_STEPS,     /* 2-tile steps on BFP4 weights of a 1D matmul */
    TTP_FLAG_DRAM_ACTIVATION, /* activation fused into a DRAM-sharded matmul */
    TTP_FLAGS
};
struct ttp_flag_spec {
    const char *id, *title, *remedy;
};
extern const struct ttp_flag_spec ttp_flag_specs[TTP_FLAGS];
/* Bits 1 << enum ttp_config_flag. */
unsigned ttp_config_flags(const struct ttp_config_op *op);

/* A matmul of a run. */
struct ttp_config_op_row {
    size_t row;                     /* of the table; users see the number + 2 */
    bool known;                     /* its shape and types are there */
    const struct ttp_config_op *op; /* shared by rows that are alike */
    const struct ttp_config_row *judged;
    double measured_us; /* 0: no time */
    unsigned flags;
};
struct ttp_config_run {
    struct ttp_config_op_row *op; /* in the order of the table */
    size_t count;
    size_t legal, broken, undecided, unknown; /* unknown: without a config that can be read */
};
/* Check every matmul of a run. Rows with the same problem and config are judged once. */
void ttp_config_check_run(struct ttp_config_run *out, const struct ttp_ops *ops,
                          const struct ttp_board *board, struct ttp_arena *arena);
/* Fields of a struct ttp_config_op_row in the context of ttp_config_context. */
extern const struct ttp_fields ttp_config_op_fields;

/* ---- configs of other ops: rules and L1, not calibrated ---- */

enum ttp_other_kind {
    TTP_OTHER_LAYERNORM, /* LayerNormShardedMultiCoreProgramConfig */
    TTP_OTHER_SDPA,      /* SDPAProgramConfig */
    TTP_OTHER_CONV2D,    /* act_block_h_override */
    TTP_OTHERS
};
const char *ttp_config_other_name(enum ttp_other_kind kind); /* "layernorm" */
/* What its L1 is of: "an RMSNorm without weights". */
const char *ttp_config_other_counted(enum ttp_other_kind kind);
/* Names of its sizes, and how many there are: "M K". */
const char *ttp_config_other_sizes(enum ttp_other_kind kind, size_t *count);

struct ttp_other {
    enum ttp_other_kind kind;
    uint64_t size[5]; /* as ttp_config_other_sizes() names them, each above 0 */
    enum ttp_tile_type type;
    bool fp32_acc;
    struct ttp_placement in0, out_at;
    struct ttp_cost_chip chip;
};
struct ttp_other_config {
    uint32_t a, b, c; /* block_h, block_w, subblock_w; q and k chunk; act_block_h_override */
};
struct ttp_other_row {
    enum ttp_other_kind kind;
    struct ttp_other_config config;
    enum ttp_config_verdict verdict;
    const char *rule; /* NULL: no rule is broken */
    char reason[160];
    const char *open; /* what could not be checked; NULL: nothing */
    char note[160];
    uint32_t cores;
    bool has_l1, l1_at_least;
    uint64_t l1_bytes, l1_limit;
};
/* TTP_EUSAGE: a parameter is missing. */
TTP_NODISCARD ttp_code ttp_config_other_parse(struct ttp_other_config *out,
                                              enum ttp_other_kind kind, ttp_str text,
                                              struct ttp_err *err);
void ttp_config_other_check(struct ttp_other_row *out, const struct ttp_other *p,
                            const struct ttp_other_config *c);
/* Legal ones, those with the largest blocks first; at most `max`. Returns how many. */
size_t ttp_config_other_propose(struct ttp_other_row *rows, size_t max, const struct ttp_other *p);
/* Fields of a struct ttp_other_row in the context of ttp_config_context. */
extern const struct ttp_fields ttp_other_fields;

#endif
