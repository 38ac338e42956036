/* SPDX-License-Identifier: Apache-2.0 */
#include "advice/plan_rules.h"
#include "base/sink.h"
#include "base/vec.h"

static bool say(struct ttp_sink *text, const char *sentence)
{
    ttp_sink_put(text, ttp_str_from(sentence));
    return true;
}

static bool has_all(const struct ttp_op *op, uint32_t bits)
{
    return (op->has & bits) == bits;
}

static bool host_fallback(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    (void)arena;
    return j->op->kind == TTP_OP_HOST && say(text, "This op should be moved to run on device");
}

static bool op_gap(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    (void)arena;
    if (!(j->op->has & TTP_HAS_GAP) || !(j->op->gap_us > TTP_GAP_FLAGGED_US))
        return false;
    j->gain_us = j->op->gap_us - TTP_GAP_EXPECTED_US;
    return say(text, "Run with tracing to hide the host time before this op");
}

static bool dram_bound(const struct ttp_op *op)
{
    return op->bound == TTP_BOUND_DRAM || op->bound == TTP_BOUND_BOTH;
}

static bool is_sparse(const struct ttp_judged *j)
{
    return ttp_str_has(ttp_sym_name(j->report->syms, j->op->raw_code), TTP_STR("SparseMatmul"));
}

static bool dram_sharding(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    (void)arena;
    if (!dram_bound(j->op) || (j->op->has & TTP_DRAM_SHARDED) || is_sparse(j))
        return false;
    return say(text,
               "Try a DRAM-sharded program config "
               "(MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig) to improve throughput "
               "further");
}

static bool grid_size(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    const struct ttp_op *op = j->op;
    double cores;

    (void)arena;
    if (op->bound != TTP_BOUND_FLOP || !ttp_cell_f64(op->cores, &cores))
        return false;
    if ((op->has & TTP_DRAM_SHARDED) || !(op->has & TTP_HAS_AVAILABLE) ||
        !(cores < (double)op->available_cores))
        return false;
    ttp_sink_printf(text, "Increase grid size (currently using %.0f of %lld)", cores,
                    (long long)op->available_cores);
    return true;
}

static bool slow(const struct ttp_judged *j)
{
    return j->op->bound == TTP_BOUND_SLOW;
}

static bool input_in_l1(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    const ttp_str memory = ttp_sym_name(j->report->syms, j->op->in0_memory);

    (void)arena;
    if (!slow(j) || memory.len == 0 || ttp_str_has(memory, TTP_STR("L1")))
        return false;
    ttp_sink_put(text, TTP_STR("If possible place input 0 in L1 (currently in "));
    ttp_sink_put(text, memory);
    ttp_sink_char(text, ')');
    return true;
}

static bool has_blocks(const struct ttp_op *op)
{
    return op->has & (TTP_HAS_BLOCK_W | TTP_HAS_SUBBLOCK_H | TTP_HAS_SUBBLOCK_W);
}

/* A DRAM-sharded config has per-core sizes in place of blocks: only the width says something there.
 */
static bool judges_subblocks(const struct ttp_judged *j)
{
    return slow(j) && has_blocks(j->op) && !(j->op->has & TTP_DRAM_SHARDED);
}

static bool program_config(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    (void)arena;
    if (!slow(j) || has_blocks(j->op) || (j->op->has & TTP_DRAM_SHARDED))
        return false;
    return say(text, "No program_config specified, try using one to override in0_block_w and "
                     "out_subblock_h/w");
}

static void put_subblock(struct ttp_sink *text, const struct ttp_judged *j)
{
    ttp_sink_i64(text, j->op->subblock_h);
    ttp_sink_char(text, 'x');
    ttp_sink_i64(text, j->op->subblock_w);
}

static bool block_width(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    (void)arena;
    if (!slow(j) || !has_blocks(j->op))
        return false;
    if (!(j->op->has & TTP_HAS_BLOCK_W))
        return say(text, "No inner dim block size found");
    if (j->op->block_w >= 2)
        return false;
    ttp_sink_printf(text, "in0_block_w=%lld is small, try in0_block_w=2 or above",
                    (long long)j->op->block_w);
    return true;
}

static bool subblock(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    const struct ttp_op *op = j->op;

    (void)arena;
    if (!judges_subblocks(j))
        return false;
    if (!has_all(op, TTP_HAS_SUBBLOCK_H | TTP_HAS_SUBBLOCK_W))
        return say(text, "No output subblock size found");
    if ((double)op->subblock_h * (double)op->subblock_w >= 2)
        return false;
    ttp_sink_put(text, TTP_STR("Output subblock "));
    put_subblock(text, j);
    return say(text, " is small, try out_subblock_h * out_subblock_w >= 2 if possible");
}

static bool blocks_look_good(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    const struct ttp_op *op = j->op;

    (void)arena;
    if (!slow(j) || !(op->has & TTP_HAS_BLOCK_W) || op->block_w < 2)
        return false;
    if (!judges_subblocks(j)) {
        ttp_sink_printf(text, "in0_block_w=%lld looks good 🤷", (long long)op->block_w);
        return true;
    }
    if (!has_all(op, TTP_HAS_SUBBLOCK_H | TTP_HAS_SUBBLOCK_W) ||
        (double)op->subblock_h * (double)op->subblock_w < 2)
        return false;
    ttp_sink_put(text, TTP_STR("in0_block_w="));
    ttp_sink_i64(text, op->block_w);
    ttp_sink_put(text, TTP_STR(" and output subblock "));
    put_subblock(text, j);
    return say(text, " look good 🤷");
}

/* Below this share of the peak a DRAM-bound matmul has time for a higher fidelity (tt-perf-report).
 */
#define SPARE_FLOPS_PCT 40.0

static bool fidelity(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    const struct ttp_op *op = j->op;
    bool applies = false;

    if (dram_bound(op))
        applies = op->verdict == TTP_FIDELITY_HIGH ||
                  (op->verdict == TTP_FIDELITY_LOW && op->flops_pct < SPARE_FLOPS_PCT);
    else if (op->bound == TTP_BOUND_FLOP)
        applies = op->verdict == TTP_FIDELITY_HIGH;
    else if (slow(j))
        applies = has_blocks(op) || (op->has & TTP_DRAM_SHARDED);
    const ttp_str sentence =
        applies ? ttp_analysis_fidelity_text(j->report, op, arena) : (ttp_str){0};
    ttp_sink_put(text, sentence);
    return sentence.len != 0;
}

/* Cheap signs of what config_flags() then looks at closely; most matmuls have none. */
static bool may_have_flags(const struct ttp_judged *j)
{
    const struct ttp_op *op = j->op;
    const ttp_str attributes = ttp_analysis_text(j->report, op, TTP_OPS_ATTRIBUTES);

    if ((op->has & TTP_HAS_BLOCK_W) && op->block_w <= 2)
        return true;
    if (has_all(op, TTP_HAS_SUBBLOCK_H | TTP_HAS_SUBBLOCK_W) && op->subblock_h == 1 &&
        op->subblock_w == 1)
        return true;
    return ttp_str_has(attributes, TTP_STR("fuse_batch=0")) ||
           ((op->has & TTP_DRAM_SHARDED) &&
            ttp_str_has(attributes, TTP_STR("fused_activation=Unary")));
}

/* What a program config costs for no reason. */
static bool config_flags(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    struct ttp_config_op op;
    unsigned flags;

    (void)arena;
    if (!j->report->ops || !may_have_flags(j) ||
        !ttp_advice_matmul(&op, j->report, (size_t)(j->op - j->report->op)))
        return false;
    flags = ttp_config_flags(&op);
    if (judges_subblocks(j)) /* the rule on subblocks has said it */
        flags &= ~(1U << TTP_FLAG_TINY_SUBBLOCK);
    for (size_t i = 0; i < TTP_FLAGS; i++)
        if (flags & 1U << i)
            ttp_sink_printf(text, "%s%s: %s", text->len ? "; " : "", ttp_flag_specs[i].title,
                            ttp_flag_specs[i].remedy);
    return text->len > 0;
}

static const struct ttp_finding_rule table[] = {
    {"host-fallback", TTP_ADVICE_FALLBACK, host_fallback},
    {"op-gap", TTP_ADVICE_GAP, op_gap},
    {"dram-sharding", TTP_ADVICE_MATMUL, dram_sharding},
    {"grid-size", TTP_ADVICE_MATMUL, grid_size},
    {"input-in-l1", TTP_ADVICE_MATMUL, input_in_l1},
    {"program-config", TTP_ADVICE_MATMUL, program_config},
    {"block-width", TTP_ADVICE_MATMUL, block_width},
    {"subblock", TTP_ADVICE_MATMUL, subblock},
    {"blocks-look-good", TTP_ADVICE_MATMUL, blocks_look_good},
    {"fidelity", TTP_ADVICE_MATMUL, fidelity},
    {"config-flags", TTP_ADVICE_MATMUL, config_flags},
};

static bool is_matmul(const struct ttp_report *report, const struct ttp_op *op)
{
    (void)report;
    return op->analysed == TTP_ANALYSED_FULL;
}

static const struct ttp_finding_rules ours = {table, TTP_COUNT(table), is_matmul};

size_t ttp_advice_for_op(struct ttp_finding out[TTP_ADVICE_PER_OP], const struct ttp_report *report,
                         size_t op, const struct ttp_finding_rules *rules, struct ttp_arena *arena)
{
    const struct ttp_finding_rules *asked = rules ? rules : &ours;
    const bool matmul = asked->is_matmul(report, &report->op[op]);
    struct ttp_sink text;
    size_t n = 0;

    for (size_t r = 0; r < asked->count && n < TTP_ADVICE_PER_OP; r++) {
        const struct ttp_finding_rule *rule = &asked->rule[r];
        struct ttp_judged j = {report, &report->op[op], 0};

        if (rule->section == TTP_ADVICE_MATMUL && !matmul)
            break;
        ttp_sink_to_arena(&text, arena);
        if (rule->judge(&j, &text, arena))
            out[n++] =
                (struct ttp_finding){op, rule->id, rule->section, ttp_sink_text(&text), j.gain_us};
    }
    return n;
}

void ttp_advice_run(struct ttp_findings *out, const struct ttp_report *report, const size_t *row,
                    size_t rows, const struct ttp_finding_rules *rules, struct ttp_arena *arena)
{
    struct ttp_finding found[TTP_ADVICE_PER_OP];
    size_t cap = 0;

    *out = (struct ttp_findings){0};
    for (size_t i = 0; i < rows; i++) {
        const size_t n = ttp_advice_for_op(found, report, row[i], rules, arena);

        TTP_RESERVE(arena, out->item, out->count + n, cap);
        if (n)
            memcpy(out->item + out->count, found, n * sizeof(*found));
        out->count += n;
    }
}

void ttp_advice_gap_saving(const struct ttp_report *report, double *gain_us, double *saving_pct)
{
    struct ttp_sum saving = {0};
    const double total = report->busy_us + report->gap_us;

    for (size_t i = 0; i < report->count; i++) {
        const struct ttp_op *op = &report->op[i];
        if ((op->has & TTP_HAS_GAP) && op->gap_us > TTP_GAP_FLAGGED_US)
            ttp_sum_add(&saving, op->gap_us - TTP_GAP_EXPECTED_US);
    }
    *gain_us = ttp_sum_value(&saving);
    *saving_pct = *gain_us / total * 100;
}
