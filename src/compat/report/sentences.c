/* SPDX-License-Identifier: Apache-2.0 */
/* sentences.c - what tt-perf-report 1.2.4 says about an op, in its words. */
#include "compat/compat.h"

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
    return ttp_str_has(ttp_sym_name(j->report->syms, j->op->code), TTP_STR("(torch)")) &&
           say(text, "This op should be moved to run on device");
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

static bool dram_sharding(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    (void)arena;
    if (!dram_bound(j->op) || (j->op->has & TTP_DRAM_SHARDED))
        return false;
    return say(text,
               "Try a DRAM-sharded program config "
               "(MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig) to improve throughput "
               "further");
}

static void put_cell(struct ttp_sink *text, struct ttp_cell c)
{
    if (c.kind == TTP_CELL_INT)
        ttp_sink_i64(text, c.v.i);
    else if (c.kind == TTP_CELL_BOOL)
        ttp_sink_put(text, c.v.i ? TTP_STR("True") : TTP_STR("False"));
    else
        ttp_sink_f64(text, c.v.f, TTP_NUM_PYTHON);
}

static bool grid_size(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    const struct ttp_op *op = j->op;
    double cores;

    (void)arena;
    if (op->bound != TTP_BOUND_FLOP || !ttp_cell_f64(op->cores, &cores))
        return false;
    if (!(cores < 64))
        return false;
    ttp_sink_put(text, TTP_STR("Increase grid size (currently using "));
    put_cell(text, op->cores);
    ttp_sink_char(text, ')');
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

static bool judges_subblocks(const struct ttp_judged *j)
{
    return slow(j) && has_blocks(j->op);
}

static bool program_config(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    (void)arena;
    if (!slow(j) || has_blocks(j->op))
        return false;
    return say(text, "No program_config specified, try using one to override in0_block_w and "
                     "out_subblock_h/w");
}

static void put_size(struct ttp_sink *text, const struct ttp_judged *j, int64_t size,
                     ttp_sym digits)
{
    if (digits == TTP_SYM_MISSING)
        ttp_sink_i64(text, size);
    else
        ttp_sink_put(text, ttp_sym_name(j->report->syms, digits));
}

static void put_subblock(struct ttp_sink *text, const struct ttp_judged *j)
{
    put_size(text, j, j->op->subblock_h, j->op->subblock_h_digits);
    ttp_sink_char(text, 'x');
    put_size(text, j, j->op->subblock_w, j->op->subblock_w_digits);
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
    if (!has_all(op, TTP_HAS_SUBBLOCK_H | TTP_HAS_SUBBLOCK_W) ||
        (double)op->subblock_h * (double)op->subblock_w < 2)
        return false;
    ttp_sink_put(text, TTP_STR("in0_block_w="));
    put_size(text, j, op->block_w, op->block_w_digits);
    ttp_sink_put(text, TTP_STR(" and output subblock "));
    put_subblock(text, j);
    return say(text, " look good 🤷");
}

/* By enum ttp_fidelity_reason. */
static const char *const on_fidelity[] = {
    [TTP_REASON_INTEGER] =
        "Fidelity evaluation is not applicable for integer datatypes (UINT8, UINT16, "
        "INT32, UINT32).",
    [TTP_REASON_HIFI2_MAY_DO] =
        "HiFi2 may also work, it discards the lowest bit of the activations and has 2x the "
        "throughput of HiFi4",
    [TTP_REASON_HIFI4_FOR_BF16] =
        "If your matmuls are not FLOP-bound use HiFi4 with BF16 activations for full accuracy",
    [TTP_REASON_HIFI_FOR_BF16] = "Use HiFi2 or HiFi4 with BF16 activations for improved accuracy",
    [TTP_REASON_HIFI2_FOR_BFP4_OUT] =
        "HiFi2 is very likely to work for BFP8 output; it discards the lowest bit of the "
        "activations and has 2x the throughput of HiFi4",
    [TTP_REASON_HIFI2_NOT_HIFI3_FOR_BFP4_OUT] =
        "HiFi2 is very likely to work for BFP4 output and is faster than HiFi3",
    [TTP_REASON_LOFI_MAY_DO] =
        "LoFi might also be sufficient with BFP4 output and has almost 2x the throughput of "
        "HiFi2",
    [TTP_REASON_HIFI2_FOR_LARGE] =
        "HiFi2 may give better accuracy for large matmuls with many intermediate accumulations",
    [TTP_REASON_HIFI2_FOR_BFP8] =
        "HiFi2 is sufficient for BFP8 multiplication and has 2x the throughput of HiFi4",
    [TTP_REASON_HIFI2_NOT_HIFI3_FOR_BFP8] =
        "HiFi2 is sufficient for BFP8 multiplication and is faster than HiFi3",
    [TTP_REASON_HIFI2_FOR_WEIGHTS] =
        "HiFi2 is recommended for accuracy; LoFi discards the lowest 2 bits of the weights",
    [TTP_REASON_HIFI2_FOR_LARGE_BFP4_OUT] =
        "HiFi2 may give slightly better accuracy for large matmuls with many intermediate "
        "accumulations",
    [TTP_REASON_LOFI_FOR_BFP4] =
        "LoFi is sufficient with BFP4 weights, use it for much higher throughput",
};

static ttp_str fidelity_text(const struct ttp_report *report, const struct ttp_op *op,
                             struct ttp_arena *arena)
{
    const ttp_sym type[3] = {op->in0_datatype, op->in1_datatype, op->out_datatype};

    if (op->verdict_reason < TTP_REASON_UNKNOWN_IN0 || op->verdict_reason > TTP_REASON_UNKNOWN_OUT)
        return ttp_str_from(on_fidelity[op->verdict_reason]);
    const ttp_sym sym = type[op->verdict_reason - TTP_REASON_UNKNOWN_IN0];
    return ttp_sink_format(
        arena, "Datatype %.*s is not supported for fidelity evaluation.",
        TTP_FMT(sym == TTP_SYM_MISSING ? TTP_STR("nan") : ttp_sym_name(report->syms, sym)));
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
        applies = has_blocks(op);
    const ttp_str sentence = applies ? fidelity_text(j->report, op, arena) : (ttp_str){0};
    ttp_sink_put(text, sentence);
    return sentence.len != 0;
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
};

static bool is_matmul(const struct ttp_report *report, const struct ttp_op *op)
{
    return ttp_str_has(ttp_sym_name(report->syms, op->code), TTP_STR("Matmul"));
}

const struct ttp_finding_rules ttp_compat_advice = {table, TTP_COUNT(table), is_matmul};
