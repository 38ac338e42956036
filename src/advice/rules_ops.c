/* SPDX-License-Identifier: Apache-2.0 */
/* rules_ops.c - rules about single ops, from the data of their row; other figures name their
 * source. */
#include "advice/matmul_look.h"
#include "advice/rule_parts.h"

/* A program is not compiled in less. */
#define COMPILER_US 1000.0
/* Matmuls with more than so much data in their rows are not mostly padding. */
#define PADDED_PART 0.5

/* ---- 2 layouts ---- */

/* An op that would not be there any more. */
double ttp_gain_whole_op(const struct ttp_plan_run *run, size_t i)
{
    return ttp_rule_time(ttp_rule_op(run, i)) > 0 ? ttp_rule_time(ttp_rule_op(run, i))
                                                  : TTP_RULE_NO;
}

bool ttp_rule_rows(const struct ttp_plan_run *run, size_t i, double *batches, double *rows)
{
    const struct ttp_report *r = run->report;
    const size_t first = r->ops->format == TTP_FORMAT_V1 ? TTP_OPS_LEGACY_DIMS : TTP_OPS_DIMS;
    double size[3];

    for (size_t d = 0; d < TTP_COUNT(size); d++) {
        const ttp_str text =
            ttp_analysis_text(r, ttp_rule_op(run, i), (enum ttp_ops_text)(first + d));
        const size_t end = ttp_str_find_char(text, '[');
        /* as a float: a column with gaps has "32.0" */
        if (!ttp_str_to_f64(ttp_str_slice(text, 0, end == TTP_NPOS ? text.len : end), &size[d]) ||
            !(size[d] >= 0))
            return false;
    }
    *batches = size[0] * size[1];
    *rows = size[2];
    return true;
}

/* A matmul of few rows in each of many batches computes mostly padding, also where its config folds
 * the batches: folded before they are tiled, they take as many tiles as there are rows. The weights
 * are read all the same. */
static double padded_matmul(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const struct ttp_matmul *p = &run->matmul[i]->op.problem;
    const double now = ceil((double)p->m / 32) * (double)p->batch;
    const double then = ceil((double)p->m * (double)p->batch / 32);

    if (p->batch_b != 1 || p->sparse || !(then < now * PADDED_PART) ||
        ttp_gain_fold_batch(run, i) >= 0)
        return TTP_RULE_NO;
    return ttp_rule_saved(
        op->time_us,
        fmax(op->time_us * then / now, ttp_rule_dram_time(op, ttp_opc(run, TTP_OPC_DRAM_TUNED))));
}

/* One tile of rows is the minimum: a decode step of one user is always padded.
 */
double ttp_gain_padding(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    double batches, rows;

    if (run->matmul[i])
        return padded_matmul(run, i);
    if (op->limit != TTP_LIMIT_PADDING || (run->is[i] & (TTP_IS_RESHARD | TTP_IS_LAYOUT)) ||
        (ttp_rule_rows(run, i, &batches, &rows) && batches == 1 && rows <= 32))
        return TTP_RULE_NO;
    return op->time_us * (1 - op->fill_pct / 100);
}

double ttp_gain_host_ops(const struct ttp_plan_run *run, size_t i)
{
    double ns;

    return ttp_analysis_cell(run->report, ttp_rule_op(run, i), TTP_OPS_HOST_NS, &ns) && ns > 0
               ? ns / 1e3
               : 0;
}

/* ---- 3 memory and sharding ---- */

/* An op that talks to other chips has as many cores as it has links. */
static bool communicates(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);

    return op->category == TTP_CATEGORY_CCL ||
           ttp_analysis_family(run->report, op->raw_code).waits != 0;
}

/* Cores that an op can use: one for each tile, or, where rows are reduced, for each row of tiles.
 * 0: its sizes are unknown. */
static double most_cores(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    double tiles = 0, batches, rows;

    for (unsigned t = 0; t < TTP_WHICH_TENSORS; t++) {
        struct ttp_tensor_size size;
        if (t != TTP_TENSOR_IN1 &&
            ttp_analysis_tensor(&size, run->report, op, (enum ttp_which_tensor)t))
            tiles = fmax(tiles, ceil(size.padded / 1024));
    }
    if ((run->is[i] & (TTP_IS_NORM | TTP_IS_SOFTMAX | TTP_IS_ROUTER)) &&
        ttp_rule_rows(run, i, &batches, &rows))
        tiles = fmin(tiles, batches * ceil(rows / 32));
    return fmin(tiles, (double)op->available_cores);
}

double ttp_gain_few_cores(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const double least = ttp_opc(run, run->is[i] & TTP_IS_NORM   ? TTP_OPC_FLOOR_NORM
                                      : run->is[i] & TTP_IS_SDPA ? TTP_OPC_FLOOR_ATTENTION
                                                                 : TTP_OPC_FLOOR_ELTWISE);
    double cores;

    if (op->limit != TTP_LIMIT_CORES || !ttp_cell_f64(op->cores, &cores) ||
        ttp_rule_near_floor(run, op->time_us, least) || communicates(run, i) ||
        (run->is[i] & (TTP_IS_RESHARD | TTP_IS_LAYOUT | TTP_IS_HEADS)) ||
        (run->is[i] & TTP_IS_NORM &&
         (run->is[i] & TTP_IN0_SHARDED || ttp_gain_sharded_norm(run, i) >= 0)) ||
        (run->matmul[i] && run->matmul[i]->predicted))
        return TTP_RULE_NO;
    const double most = most_cores(run, i);
    if (most == 0)
        return 0;
    if (most <= cores)
        return TTP_RULE_NO;
    return ttp_rule_saved(
        op->time_us,
        fmax(op->time_us * cores / most, ttp_rule_dram_time(op, ttp_opc(run, TTP_OPC_DRAM_TUNED))) +
            least);
}

double ttp_gain_imbalance(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const struct ttp_kernel_program *kernel = run->kernel[i];
    double max, avg;

    /* what tt-perf kernel finds in the zones of an own kernel */
    if (kernel && kernel->verdict.bottleneck == TTP_LIMIT_IMBALANCE && kernel->core_cycles.count &&
        kernel->core_cycles.max)
        return ttp_rule_time(op) *
               (1 - (double)kernel->core_cycles.sum / (double)kernel->core_cycles.count /
                        (double)kernel->core_cycles.max);
    if (op->limit != TTP_LIMIT_IMBALANCE ||
        !ttp_analysis_cell(run->report, op, TTP_OPS_CORE_MAX_NS, &max) ||
        !ttp_analysis_cell(run->report, op, TTP_OPS_CORE_AVG_NS, &avg))
        return TTP_RULE_NO;
    return op->time_us * (1 - avg / max);
}

double ttp_gain_attention(const struct ttp_plan_run *run, size_t i)
{
    double sum = 0;

    if (run->attended[i] == 0)
        return TTP_RULE_NO;
    for (size_t k = 0; k < run->attended[i]; k++)
        sum += ttp_rule_time(ttp_rule_op(run, i + k));
    return ttp_rule_saved(sum, fmax(sum / ttp_opc(run, TTP_OPC_ATTENTION_FACTOR),
                                    ttp_opc(run, TTP_OPC_FLOOR_ATTENTION)));
}

/* A chain of element-wise ops as one: what is written by one and read by the next is not moved. */
double ttp_gain_fusion(const struct ttp_plan_run *run, size_t i)
{
    double time = 0, bytes = 0, between = 0;

    if (run->chain[i] == 0)
        return TTP_RULE_NO;
    for (size_t k = 0; k < run->chain[i]; k++) {
        time += ttp_rule_time(ttp_rule_op(run, i + k));
        for (unsigned t = 0; t < TTP_WHICH_TENSORS; t++) {
            struct ttp_tensor_size size;
            if (!ttp_analysis_tensor(&size, run->report, ttp_rule_op(run, i + k),
                                     (enum ttp_which_tensor)t))
                continue;
            bytes += size.bytes;
            if (t == TTP_TENSOR_OUT && k + 1 < run->chain[i])
                between += 2 * size.bytes;
        }
    }
    return bytes > 0 ? time * between / bytes : TTP_RULE_NO;
}

/* An element-wise op that moves its tensors through DRAM though they would fit into L1. */
double ttp_gain_placement(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    double bytes = 0;

    if (op->analysed != TTP_ANALYSED_BYTES || op->limit != TTP_LIMIT_DRAM ||
        (run->spill[i] && run->spill[i]->buffers))
        return TTP_RULE_NO; /* what must be freed first is another rule's */
    for (unsigned t = 0; t < TTP_WHICH_TENSORS; t++) {
        struct ttp_tensor_size size;
        if (ttp_analysis_tensor(&size, run->report, op, (enum ttp_which_tensor)t))
            bytes += size.bytes;
    }
    if (!ttp_advice_fits_l1(run->report, bytes))
        return TTP_RULE_NO;
    return op->time_us * fmin(op->dram_pct, 90) / 100; /* L1 takes some time as well */
}

/* ---- 4 Metal Trace, 5 command queues ---- */

/* The part of a long gap that is saved if `left` remains. */
static double long_gap(const struct ttp_plan_run *run, size_t i, double left_us)
{
    const struct ttp_op *op = ttp_rule_op(run, i);

    return run->is[i] & TTP_IS_LATE ? fmax(op->gap_us - left_us, 0) : TTP_RULE_NO;
}

/* Is the gap that of a first run? No later one has it, with or without a trace. */
static bool is_compiled(const struct ttp_plan_run *run, size_t i)
{
    return run->is[i] & TTP_IS_COLD;
}

double ttp_gain_metal_trace(const struct ttp_plan_run *run, size_t i)
{
    return run->traced || run->gaps_at_starts || is_compiled(run, i)
               ? TTP_RULE_NO
               : long_gap(run, i, ttp_opc(run, TTP_OPC_TRACED_GAP));
}

/* Programs of a device log alone have no names: nothing tells whether this one ran before, so that
 * a long wait may be for the compiler, or for what the host does between programs. */
bool ttp_risk_first_run(const struct ttp_plan_run *run, size_t i)
{
    return ttp_kernel_is_nameless(run, i) && ttp_rule_op(run, i)->gap_us > COMPILER_US;
}

double ttp_gain_two_queues(const struct ttp_plan_run *run, size_t i)
{
    return run->gaps_at_starts && !is_compiled(run, i) ? long_gap(run, i, TTP_GAP_EXPECTED_US)
                                                       : TTP_RULE_NO;
}

double ttp_gain_cold_programs(const struct ttp_plan_run *run, size_t i)
{
    return fmax(long_gap(run, i, TTP_GAP_EXPECTED_US),
                0); /* 0: where the gap is short, or is missing */
}

/* ---- 6 convolutions ---- */

double ttp_gain_conv_config(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);

    if (!(op->has & TTP_HAS_FLOPS_PCT) || !(op->time_us > 0) ||
        op->flops_pct >= ttp_opc(run, TTP_OPC_FLOPS_TUNED))
        return TTP_RULE_NO;
    return ttp_rule_saved(op->time_us, ttp_rule_flop_time(op, ttp_opc(run, TTP_OPC_FLOPS_TUNED)));
}

/* ---- the NoC ---- */

/* Estimated cost of congestion; a merely busy NoC gives no figure. */
double ttp_gain_noc_traffic(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    double impact;

    if (op->limit != TTP_LIMIT_NOC)
        return TTP_RULE_NO;
    return ttp_analysis_cell(run->report, op, TTP_OPS_CONGESTION, &impact) && impact > 0
               ? ttp_rule_time(op) * (impact < 100 ? impact : 100) / 100
               : 0;
}
