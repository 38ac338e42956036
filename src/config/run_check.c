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

bool ttp_config_has_larger_subblock(const struct ttp_config_op *op)
{
    struct ttp_matmul_config c = op->config;

    for (size_t i = 0; op->has_config && i < TTP_SUBBLOCKS; i++) {
        struct ttp_config_check check;

        c.subblock_h = ttp_subblocks[i].h;
        c.subblock_w = ttp_subblocks[i].w;
        if ((uint64_t)c.subblock_h * c.subblock_w <=
            (uint64_t)op->config.subblock_h * op->config.subblock_w)
            continue;
        ttp_config_check(&check, &op->problem, &c);
        if (check.verdict != TTP_CONFIG_BROKEN)
            return true;
    }
    return false;
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

/* What ttp_config_of_row() reads of a row. */
static const enum ttp_ops_text texts[] = {
    TTP_OPS_CODE,         TTP_OPS_ATTRIBUTES,   TTP_OPS_FIDELITY,   TTP_OPS_IN0_DATATYPE,
    TTP_OPS_IN1_DATATYPE, TTP_OPS_OUT_DATATYPE, TTP_OPS_IN0_MEMORY, TTP_OPS_IN1_MEMORY,
    TTP_OPS_OUT_MEMORY,   TTP_OPS_IN0_LAYOUT,   TTP_OPS_IN1_LAYOUT, TTP_OPS_IN2_DATATYPE,
};
#define DIMS  8 /* the sizes of both inputs */
#define TEXTS (TTP_COUNT(texts) + DIMS)

struct key {
    ttp_sym text[TEXTS];
    double cores;
};

struct kind {
    struct key key; /* all rows of the kind have it */
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

static struct key key_of(const struct ttp_ops *ops, size_t row)
{
    const size_t dims = ops->format == TTP_FORMAT_V1 ? TTP_OPS_LEGACY_DIMS : TTP_OPS_DIMS;
    struct key key = {.cores = 0};

    for (size_t i = 0; i < TTP_COUNT(texts); i++)
        key.text[i] = ttp_ops_sym(ops, texts[i], row);
    for (size_t i = 0; i < DIMS; i++)
        key.text[TTP_COUNT(texts) + i] = ttp_ops_sym(ops, (enum ttp_ops_text)(dims + i), row);
    (void)ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_AVAILABLE_CORES, row), &key.cores);
    return key;
}

static uint64_t hash_key(const struct key *key)
{
    uint64_t h = (uint64_t)key->cores + 1;

    for (size_t i = 0; i < TEXTS; i++)
        h = ttp_hash_u64(h, key->text[i]);
    return h;
}

static bool same_key(const struct key *a, const struct key *b)
{
    return memcmp(a->text, b->text, sizeof(a->text)) == 0 && a->cores == b->cores;
}

static struct kind *kind_of(struct kinds *k, size_t row, const struct ttp_board *board)
{
    const struct key key = key_of(k->ops, row);
    const uint64_t hash = hash_key(&key);
    uint32_t at;

    TTP_MAP_EACH (at, &k->known, hash)
        if (same_key(&k->kind[at]->key, &key))
            return k->kind[at];
    ttp_map_add(&k->known, hash, (uint32_t)k->count);
    struct kind *kind = TTP_NEW(k->arena, struct kind, 1);
    /* a list of pointers: NOLINTNEXTLINE(bugprone-sizeof-expression) */
    *TTP_PUSH(k->arena, k->kind, k->count) = kind;
    kind->key = key;
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
    enum asked { NOT_YET, IS_MATMUL, IS_OTHER };
    uint8_t *asked = TTP_NEW(arena, uint8_t, ops->syms.count + 1); /* by symbol of an op code */

    *out = (struct ttp_config_run){0};
    for (size_t i = 0; i < ops->rows; i++) {
        const ttp_sym code = ttp_ops_sym(ops, TTP_OPS_CODE, i);
        double ns;

        if (code >= ops->syms.count)
            continue;
        if (asked[code] == NOT_YET)
            asked[code] =
                ttp_config_is_matmul(ttp_sym_name(&ops->syms, code)) ? IS_MATMUL : IS_OTHER;
        if (asked[code] != IS_MATMUL)
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

#define ROW struct ttp_config_op_row

static struct ttp_value known(bool is_known, struct ttp_value v)
{
    return is_known ? v : (struct ttp_value){0};
}

static struct ttp_value broken(const ROW *r, const char *words)
{
    return known(r->known && r->judged->check.rule, ttp_value_word(words));
}

#define GET(name, value) TTP_GET(name, struct ttp_config_context, ROW, value)
GET(id, ttp_value_i64((int64_t)r->row + 2))
GET(problem,
    known(r->op->problem.m, ttp_value_text(ttp_config_matmul_line(&r->op->problem, c->arena))))
GET(line, known(r->known, ttp_value_text(ttp_config_line(&r->op->config, c->arena))))
GET(config, known(r->known, ttp_value_text(ttp_config_text(&r->op->config, c->arena))))
GET(verdict,
    ttp_value_word(r->known ? ttp_config_verdict_name(r->judged->check.verdict) : "unknown"))
GET(rule, broken(r, r->judged->check.rule))
GET(reason, broken(r, r->judged->check.reason))
GET(l1,
    known(r->known && r->judged->check.has_l1, ttp_value_f64(ttp_config_l1_pct(&r->judged->check))))
GET(predicted, known(r->known && r->judged->has_time, ttp_value_f64(r->judged->time.ns / 1e3)))

static ttp_str flags_text(const ROW *r, struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    for (size_t i = 0; i < TTP_FLAGS; i++)
        if (r->flags & 1U << i)
            ttp_sink_printf(&s, "%s%s", s.len ? " " : "", ttp_flag_specs[i].id);
    return ttp_sink_text(&s);
}
GET(flags, ttp_value_text(flags_text(r, c->arena)))

static const struct ttp_field fields[] = {
    TTP_INT_COLUMN("id", "ID", "", 0, .get = id, .help = "line of the op in the file"),
    TTP_WORDS_COLUMN("problem", "Problem", 0, .get = problem, .help = "sizes and datatypes"),
    TTP_WORDS_COLUMN("line", "Config", 4, .get = line, .help = "the config in short"),
    TTP_WORDS_COLUMN("verdict", "Verdict", 0, .get = verdict,
                     .help = "legal, broken, undecided or unknown"),
    TTP_WORDS_COLUMN("rule", "Rule", 1, .get = rule, .help = "first rule that is broken"),
    TTP_WORDS("reason", .title = "Reason", .get = reason, .help = "the reason, with its numbers"),
    TTP_REAL_COLUMN("l1_percent", "L1", "%", 1, 3, .get = l1,
                    .help = "share of a core's free L1 that it uses"),
    TTP_REAL_COLUMN("device_us", "Measured", "us", 1, 0, TTP_FIGURE(ROW, measured_us),
                    .above_0 = true, .help = "device time"),
    TTP_REAL_COLUMN("predicted_us", "Predicted", "us", 1, 2, .get = predicted,
                    .help = "device time predicted by the cost model alone, not scaled"),
    TTP_WORDS_COLUMN(
        "flags", "Flags", 5, .get = flags,
        .help = "avoidable cost: tiny-subblock, unfused-batch, short-steps, dram-activation"),
    TTP_WORDS("config", .title = "Text", .get = config,
              .help = "the config in the form that tt-perf config check reads"),
};

const struct ttp_fields ttp_config_op_fields = {TTP_FIELDS(fields), .hint = "see docs/config.md"};
