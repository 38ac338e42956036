/* SPDX-License-Identifier: Apache-2.0 */
/* run_check.c - every matmul of a run. Layers repeat, so most rows are alike: what their cells say
 * decides, and cells are symbols. */
#include "base/map.h"
#include "base/vec.h"
#include "config/config_parts.h"

const struct ttp_flag_spec ttp_flag_specs[TTP_FLAGS] = {
    [TTP_FLAG_TINY_SUBBLOCK] = {"tiny-subblock", "1x1 subblocks from prime block sizes",
                                "choose per_core sizes that 4 or 8 divide; padding is legal"},
    [TTP_FLAG_UNFUSED_BATCH] = {"unfused-batch", "weights are reread for each batch",
                                "set fuse_batch=True, or fold the batch into the rows"},
    [TTP_FLAG_SHORT_STEPS] = {"short-steps", "2-tile steps on BFP4 weights", "raise in0_block_w"},
    [TTP_FLAG_DRAM_ACTIVATION] = {"dram-activation", "activation fused into a DRAM-sharded matmul",
                                  "run the activation as a separate op on all cores"},
};

/* No subblock larger than one tile divides the block. */
static bool is_tiny(const struct ttp_config_op *op)
{
    const struct ttp_matmul_config *c = &op->config;

    return (c->type == TTP_MATMUL_1D || c->type == TTP_MATMUL_2D) && c->subblock_h == 1 &&
           c->subblock_w == 1 && (uint64_t)c->out_block_h * c->out_block_w > 1;
}

unsigned ttp_config_flags(const struct ttp_config_op *op)
{
    const struct ttp_matmul *p = &op->problem;
    const struct ttp_matmul_config *c = &op->config;
    unsigned flags = 0;

    if (!op->has_config || p->sparse)
        return 0;
    if (is_tiny(op))
        flags |= 1U << TTP_FLAG_TINY_SUBBLOCK;
    if ((c->type == TTP_MATMUL_1D || c->type == TTP_MATMUL_2D) && !c->fuse_batch && p->batch > 1 &&
        p->batch_b == 1)
        flags |= 1U << TTP_FLAG_UNFUSED_BATCH;
    if (c->type == TTP_MATMUL_1D && c->mcast_in0 && p->b == TTP_TILE_BFP4 && c->block_w <= 2 &&
        p->k > 64)
        flags |= 1U << TTP_FLAG_SHORT_STEPS;
    if (c->type == TTP_MATMUL_DRAM && c->activation != TTP_ACT_NONE)
        flags |= 1U << TTP_FLAG_DRAM_ACTIVATION;
    return flags;
}

/* ---- rows that are alike ---- */

struct kind {
    size_t row; /* one of them, the first */
    bool used, known;
    struct ttp_config_op op;
    struct ttp_config_row judged;
    unsigned flags;
};

struct kinds {
    struct kind **kind;
    size_t count;
    struct ttp_map known;
    const struct ttp_ops *ops;
    struct ttp_arena *arena;
};

/* What ttp_config_of_row() reads of a row. */
static const enum ttp_ops_text texts[] = {
    TTP_OPS_CODE,         TTP_OPS_ATTRIBUTES,   TTP_OPS_FIDELITY,   TTP_OPS_IN0_DATATYPE,
    TTP_OPS_IN1_DATATYPE, TTP_OPS_OUT_DATATYPE, TTP_OPS_IN0_MEMORY, TTP_OPS_IN1_MEMORY,
    TTP_OPS_OUT_MEMORY,   TTP_OPS_IN0_LAYOUT,   TTP_OPS_IN1_LAYOUT, TTP_OPS_IN2_DATATYPE,
};
#define TEXTS (TTP_COUNT(texts) + 8) /* and the sizes of both inputs */

static ttp_sym sym_at(const struct kinds *k, size_t i, size_t row)
{
    const size_t dims = k->ops->format == TTP_FORMAT_V1 ? TTP_OPS_LEGACY_DIMS : TTP_OPS_DIMS;
    const size_t column = i < TTP_COUNT(texts) ? texts[i] : dims + (i - TTP_COUNT(texts));

    return ttp_ops_sym(k->ops, (enum ttp_ops_text)column, row);
}

static double cores_at(const struct kinds *k, size_t row)
{
    double v = 0;

    (void)ttp_cell_f64(ttp_ops_cell(k->ops, TTP_OPS_AVAILABLE_CORES, row), &v);
    return v;
}

static uint64_t hash_row(const struct kinds *k, size_t row)
{
    uint64_t h = (uint64_t)cores_at(k, row) + 1;

    for (size_t i = 0; i < TEXTS; i++)
        h = ttp_hash_u64(h, sym_at(k, i, row));
    return h;
}

static bool same_row(const struct kinds *k, size_t a, size_t b)
{
    for (size_t i = 0; i < TEXTS; i++)
        if (sym_at(k, i, a) != sym_at(k, i, b))
            return false;
    return cores_at(k, a) == cores_at(k, b);
}

static struct kind *kind_of(struct kinds *k, size_t row, const struct ttp_board *board)
{
    const uint64_t hash = hash_row(k, row);
    uint32_t at;

    TTP_MAP_EACH (at, &k->known, hash)
        if (same_row(k, k->kind[at]->row, row))
            return k->kind[at];
    ttp_map_add(&k->known, hash, (uint32_t)k->count);
    struct kind *kind = TTP_NEW(k->arena, struct kind, 1);
    /* a list of pointers: NOLINTNEXTLINE(bugprone-sizeof-expression) */
    *TTP_PUSH(k->arena, k->kind, k->count) = kind;
    kind->row = row;
    kind->known = ttp_config_of_row(&kind->op, k->ops, row, board, NULL) == TTP_OK;
    if (kind->known && kind->op.has_config) {
        ttp_config_judge(&kind->judged, TTP_ORIGIN_USED, &kind->op.problem, &kind->op.config);
        kind->flags = ttp_config_flags(&kind->op);
    }
    return kind;
}

static void count(struct ttp_config_run *out, const struct kind *kind)
{
    if (!kind->known || !kind->op.has_config)
        out->unknown++;
    else if (kind->judged.check.verdict == TTP_CONFIG_LEGAL)
        out->legal++;
    else if (kind->judged.check.verdict == TTP_CONFIG_BROKEN)
        out->broken++;
    else
        out->undecided++;
}

void ttp_config_check_run(struct ttp_config_run *out, const struct ttp_ops *ops,
                          const struct ttp_board *board, struct ttp_arena *arena)
{
    struct kinds k = {.known.arena = arena, .ops = ops, .arena = arena};
    ttp_sym last = TTP_SYM_MISSING;
    bool matmul = false;

    *out = (struct ttp_config_run){0};
    for (size_t i = 0; i < ops->rows; i++) {
        const ttp_sym code = ttp_ops_sym(ops, TTP_OPS_CODE, i);
        double ns;

        if (code != last) {
            matmul =
                code != TTP_SYM_MISSING && ttp_config_is_matmul(ttp_sym_name(&ops->syms, code));
            last = code;
        }
        if (!matmul)
            continue;
        const struct kind *kind = kind_of(&k, i, board);
        struct ttp_config_op_row *row = TTP_PUSH(arena, out->op, out->count);
        *row = (struct ttp_config_op_row){
            .row = i, .known = kind->known && kind->op.has_config, .flags = kind->flags};
        row->op = &kind->op;
        row->judged = &kind->judged;
        if (ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_KERNEL_NS, i), &ns) && ns > 0)
            row->measured_us = ns / 1e3;
        count(out, kind);
    }
}

/* ---- fields ---- */

#define ROW  const struct ttp_config_op_row *r = row
#define NONE ((struct ttp_value){.kind = TTP_VALUE_NONE})

static struct ttp_value text(ttp_str v)
{
    return (struct ttp_value){TTP_VALUE_TEXT, {.text = v}};
}

static struct ttp_value real(bool known, double v)
{
    return known ? (struct ttp_value){TTP_VALUE_REAL, {.f = v}} : NONE;
}

static struct ttp_arena *arena_of(const void *context)
{
    return ((const struct ttp_config_context *)context)->arena;
}

#define GET(name, value)                                                                           \
    static struct ttp_value name(const void *context, const void *row)                             \
    {                                                                                              \
        ROW;                                                                                       \
        (void)context;                                                                             \
        return value;                                                                              \
    }

GET(id, ((struct ttp_value){TTP_VALUE_INT, {.i = (int64_t)r->row + 2}}))
GET(problem, r->op->problem.m ? text(ttp_matmul_line(&r->op->problem, arena_of(context))) : NONE)
GET(line, r->known ? text(ttp_config_line(&r->op->config, arena_of(context))) : NONE)
GET(config, r->known ? text(ttp_config_text(&r->op->config, arena_of(context))) : NONE)
GET(verdict, text(r->known ? ttp_str_from(ttp_config_verdict_name(r->judged->check.verdict))
                           : TTP_STR("unknown")))
GET(rule, r->known && r->judged->check.rule ? text(ttp_str_from(r->judged->check.rule)) : NONE)
GET(reason, r->known && r->judged->check.rule ? text(ttp_str_from(r->judged->check.reason)) : NONE)
GET(l1, real(r->known && r->judged->check.has_l1, ttp_config_l1_pct(&r->judged->check)))
GET(predicted, real(r->known && r->judged->has_time, r->judged->time.ns / 1e3))
GET(measured, real(r->measured_us > 0, r->measured_us))

static struct ttp_value flags(const void *context, const void *row)
{
    ROW;
    struct ttp_sink s;

    if (!r->flags)
        return NONE;
    ttp_sink_to_arena(&s, arena_of(context));
    for (size_t i = 0; i < TTP_FLAGS; i++)
        if (r->flags & 1U << i)
            ttp_sink_printf(&s, "%s%s", s.len ? " " : "", ttp_flag_specs[i].id);
    return text(ttp_sink_text(&s));
}

#define FIELD(id_, title_, unit_, type_, digits_, drop_, in_table_, left_, get_, help_)            \
    {                                                                                              \
        .id = (id_), .title = (title_), .unit = (unit_), .type = (type_), .digits = (digits_),     \
        .drop = (drop_), .in_table = (in_table_), .left = (left_), .get = (get_), .help = (help_)  \
    }
static const struct ttp_field fields[] = {
    FIELD("id", "ID", "", TTP_I64, 0, 0, true, false, id, "line of the op in the file"),
    FIELD("problem", "Problem", "", TTP_TEXT, 0, 0, true, true, problem, "sizes and datatypes"),
    FIELD("line", "Config", "", TTP_TEXT, 0, 4, true, true, line, "the config in short"),
    FIELD("verdict", "Verdict", "", TTP_TEXT, 0, 0, true, true, verdict,
          "legal, broken, undecided or unknown"),
    FIELD("rule", "Rule", "", TTP_TEXT, 0, 1, true, true, rule, "first rule that is broken"),
    FIELD("reason", "Reason", "", TTP_TEXT, 0, 0, false, true, reason,
          "the reason, with its numbers"),
    FIELD("l1_pct", "L1", "%", TTP_F64, 1, 3, true, false, l1,
          "share of a core's free L1 that it uses"),
    FIELD("measured_us", "Measured", "us", TTP_F64, 1, 0, true, false, measured, "device time"),
    FIELD("predicted_us", "Predicted", "us", TTP_F64, 1, 2, true, false, predicted,
          "device time predicted by the cost model"),
    FIELD("flags", "Flags", "", TTP_TEXT, 0, 5, true, true, flags,
          "avoidable cost: tiny-subblock, unfused-batch, short-steps, dram-activation"),
    FIELD("config", "Text", "", TTP_TEXT, 0, 0, false, true, config,
          "the config in the form that tt-perf config check reads"),
};

const struct ttp_fields ttp_config_op_fields = {
    .field = fields,
    .count = TTP_COUNT(fields),
    .hint = "see docs/config.md",
};
