/* SPDX-License-Identifier: Apache-2.0 */
/* plan_rules.c - one function and one row a rule. Gains are what the op would not take any more,
 * from what the row itself shows; figures that come from elsewhere name their source. */
#include "advice/plan_rules.h"

#include <math.h>

/* Where tuned ops end up, as parts of the peak (tt-metal's matmul and LLM tech reports): a
 * DRAM-sharded matmul reaches 240 of 288 GB/s, an interleaved one 190. */
#define DRAM_SHARDED_PCT 83.0
#define DRAM_TUNED_PCT   66.0
#define FLOPS_TUNED_PCT  65.0
/* Scaled dot product attention in one op is at least so many times faster than by hand (tt-metal's
 * FlashAttention tech report: 9 to 44 times). */
#define ATTENTION_FACTOR 9.0
/* Bytes of a tile in each format. */
#define TILE_BF16 2048.0
#define TILE_BFP8 1088.0
#define TILE_BFP4 576.0

/* What names of ops begin with. */
static const struct {
    const char *name;
    uint32_t bits;
} codes[] = {
    {"Matmul", TTP_IS_MATMUL},
    {"MinimalMatmul", TTP_IS_MATMUL},
    {"SparseMatmul", TTP_IS_MATMUL},
    {"Tilize", TTP_IS_LAYOUT},
    {"Untilize", TTP_IS_LAYOUT},
    {"ToLayout", TTP_IS_LAYOUT},
    {"Typecast", TTP_IS_LAYOUT},
    {"Reshape", TTP_IS_LAYOUT},
    {"Permute", TTP_IS_LAYOUT},
    {"Transpose", TTP_IS_LAYOUT},
    {"InterleavedToSharded", TTP_IS_RESHARD},
    {"ShardedToInterleaved", TTP_IS_RESHARD},
    {"Reshard", TTP_IS_RESHARD},
    {"Binary", TTP_IS_ELTWISE},
    {"Unary", TTP_IS_ELTWISE},
    {"Eltwise", TTP_IS_ELTWISE},
    {"Ternary", TTP_IS_ELTWISE},
    {"Conv2d", TTP_IS_CONV},
    {"OptimizedConv", TTP_IS_CONV},
    {"Conv3d", TTP_IS_CONV},
    {"ScaledDotProductAttention", TTP_IS_ATTENTION},
    {"SDPA", TTP_IS_ATTENTION},
    {"Sdpa", TTP_IS_ATTENTION},
    {"RotaryEmbedding", TTP_IS_ATTENTION},
    {"NlpCreateHeads", TTP_IS_ATTENTION},
    {"NLPCreate", TTP_IS_ATTENTION},
    {"PagedUpdateCache", TTP_IS_ATTENTION},
    {"Softmax", TTP_IS_ATTENTION | TTP_IS_SOFTMAX},
    {"LayerNorm", TTP_IS_NORM},
    {"RMSNorm", TTP_IS_NORM},
    {"RmsNorm", TTP_IS_NORM},
    {"AllGather", TTP_IS_COLLECTIVE},
    {"ReduceScatter", TTP_IS_COLLECTIVE},
    {"AllReduce", TTP_IS_COLLECTIVE},
    {"GenericOp", TTP_IS_OWN},
    {"BatchNorm", TTP_IS_BATCH_NORM},
    {"Move", TTP_IS_MOVE},
};

uint32_t ttp_plan_bits_of_code(ttp_str code)
{
    uint32_t bits = 0;

    for (size_t at = ttp_str_find(code, TTP_STR("::")); at != TTP_NPOS;
         at = ttp_str_find(code, TTP_STR("::")))
        code = ttp_str_slice(code, at + 2, code.len);
    for (size_t i = 0; i < TTP_COUNT(codes); i++)
        if (ttp_str_starts(code, ttp_str_from(codes[i].name)))
            bits |= codes[i].bits;
    return bits;
}

static const struct ttp_op *op_at(const struct ttp_plan_run *run, size_t op)
{
    return &run->report->op[op];
}

static double whole_time(const struct ttp_op *op)
{
    return op->has & TTP_HAS_TIME ? op->time_us : 0;
}

/* What the op takes if its DRAM traffic ran at that part of the peak; 0: not known. */
static double dram_time(const struct ttp_op *op, double pct)
{
    return op->has & TTP_HAS_DRAM_PCT ? op->time_us * op->dram_pct / pct : 0;
}

static double flop_time(const struct ttp_op *op, double pct)
{
    return op->has & TTP_HAS_FLOPS_PCT ? op->time_us * op->flops_pct / pct : 0;
}

/* Part of the other peak that an op reaches once its own does not hold it any more. */
static double next_pct(double reached_pct)
{
    return fmin(fmax(reached_pct, FLOPS_TUNED_PCT), 100);
}

/* From now to `then`, if that is less. */
static double saved(double now, double then)
{
    return then < now ? now - then : TTP_RULE_NO;
}

static bool has_type(const struct ttp_plan_run *run, ttp_sym type, ttp_str name)
{
    return ttp_str_has(ttp_sym_name(run->report->syms, type), name);
}

/* ---- 1 data formats ---- */

/* bfloat8_b has the bits of HiFi2, bfloat4_b those of LoFi. */
static double lower_fidelity(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);
    const bool bfp8 = has_type(run, op->in1_datatype, TTP_STR("BFLOAT8"));
    const bool bfp4 = has_type(run, op->in1_datatype, TTP_STR("BFLOAT4"));
    const enum ttp_fidelity then = bfp4 ? TTP_FIDELITY_LOFI : TTP_FIDELITY_HIFI2;
    const double *rate = run->report->arch->tflops_per_core;
    enum ttp_fidelity now;

    if ((!bfp8 && !bfp4) ||
        !ttp_device_find_fidelity(ttp_analysis_text(run->report, op, TTP_OPS_FIDELITY), &now) ||
        rate[then] <= rate[now])
        return TTP_RULE_NO;
    if (op->bound != TTP_BOUND_FLOP && op->bound != TTP_BOUND_BOTH &&
        op->limit != TTP_LIMIT_COMPUTE)
        return TTP_RULE_NO;
    return saved(op->time_us, fmax(op->time_us * rate[now] / rate[then],
                                   dram_time(op, next_pct(op->flops_pct))));
}

/* Weights in a smaller format: the op takes as much less as it moves less, until the arithmetic, at
 * the fidelity that format needs, takes longer. */
static double smaller_weights(const struct ttp_plan_run *run, size_t i, ttp_str from, double part,
                              enum ttp_fidelity then)
{
    const struct ttp_op *op = op_at(run, i);
    const double *rate = run->report->arch->tflops_per_core;
    struct ttp_tensor_size weights;
    enum ttp_fidelity now;

    if (!has_type(run, op->in1_datatype, from) ||
        (op->bound != TTP_BOUND_DRAM && op->bound != TTP_BOUND_BOTH) ||
        !ttp_analysis_tensor(&weights, run->report, op, TTP_TENSOR_IN1) || !weights.in_dram ||
        !(op->dram_bytes > 0))
        return TTP_RULE_NO;
    double compute = flop_time(op, next_pct(op->dram_pct));
    if (ttp_device_find_fidelity(ttp_analysis_text(run->report, op, TTP_OPS_FIDELITY), &now) &&
        rate[then] > rate[now])
        compute *= rate[now] / rate[then];
    const double left = fmax(1 - weights.bytes * (1 - part) / op->dram_bytes, 0);
    return saved(op->time_us, fmax(op->time_us * left, compute));
}

static double weights_bfp8(const struct ttp_plan_run *run, size_t i)
{
    return smaller_weights(run, i, TTP_STR("BFLOAT16"), TILE_BFP8 / TILE_BF16, TTP_FIDELITY_HIFI2);
}

static double weights_bfp4(const struct ttp_plan_run *run, size_t i)
{
    return smaller_weights(run, i, TTP_STR("BFLOAT8"), TILE_BFP4 / TILE_BFP8, TTP_FIDELITY_LOFI);
}

/* ---- 2 layouts ---- */

/* An op that would not be there any more. */
static double whole_op(const struct ttp_plan_run *run, size_t i)
{
    return whole_time(op_at(run, i)) > 0 ? whole_time(op_at(run, i)) : TTP_RULE_NO;
}

static double padding(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);

    return op->limit == TTP_LIMIT_PADDING ? op->time_us * (1 - op->fill_pct / 100) : TTP_RULE_NO;
}

static double host_ops(const struct ttp_plan_run *run, size_t i)
{
    double ns;

    return ttp_analysis_cell(run->report, op_at(run, i), TTP_OPS_HOST_NS, &ns) && ns > 0 ? ns / 1e3
                                                                                         : 0;
}

/* ---- 3 memory and sharding ---- */

static double input_sharding(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);
    const ttp_str memory = ttp_sym_name(run->report->syms, op->in0_memory);

    if (op->bound != TTP_BOUND_SLOW || !ttp_str_has(memory, TTP_STR("DRAM_INTERLEAVED")) ||
        op->limit == TTP_LIMIT_CORES)
        return TTP_RULE_NO;
    return saved(op->time_us, fmax(dram_time(op, DRAM_TUNED_PCT), flop_time(op, FLOPS_TUNED_PCT)));
}

static double few_cores(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);
    double cores;

    if (op->limit != TTP_LIMIT_CORES || !ttp_cell_f64(op->cores, &cores))
        return TTP_RULE_NO;
    return saved(op->time_us, fmax(op->time_us * cores / (double)op->available_cores,
                                   dram_time(op, DRAM_TUNED_PCT)));
}

static double imbalance(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);
    double max, avg;

    if (op->limit != TTP_LIMIT_IMBALANCE ||
        !ttp_analysis_cell(run->report, op, TTP_OPS_CORE_MAX_NS, &max) ||
        !ttp_analysis_cell(run->report, op, TTP_OPS_CORE_AVG_NS, &avg))
        return TTP_RULE_NO;
    return op->time_us * (1 - avg / max);
}

/* DRAM-sharded matmuls have one core for each bank, and that must be enough for the arithmetic. */
static double dram_sharding(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);
    const double workers = run->report->arch->dram_workers;
    double cores;

    if ((op->has & TTP_DRAM_SHARDED) ||
        (op->bound != TTP_BOUND_DRAM && op->bound != TTP_BOUND_BOTH))
        return TTP_RULE_NO;
    const double compute = ttp_cell_f64(op->cores, &cores) && workers > 0
                               ? flop_time(op, DRAM_SHARDED_PCT) * cores / workers
                               : 0;
    return saved(op->time_us, fmax(dram_time(op, DRAM_SHARDED_PCT), compute));
}

static bool slow_matmul(const struct ttp_plan_run *run, size_t i)
{
    return op_at(run, i)->bound == TTP_BOUND_SLOW;
}

/* What a slow matmul takes less if it reaches what tuned ones do; 0: its sizes are not known. */
static double when_tuned(const struct ttp_op *op)
{
    const double then = fmax(dram_time(op, DRAM_TUNED_PCT), flop_time(op, FLOPS_TUNED_PCT));

    return then > 0 && then < op->time_us ? op->time_us - then : 0;
}

static double block_width(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);

    return slow_matmul(run, i) && (op->has & TTP_HAS_BLOCK_W) && op->block_w < 2 ? when_tuned(op)
                                                                                 : TTP_RULE_NO;
}

static double subblock(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);
    const uint32_t both = TTP_HAS_SUBBLOCK_H | TTP_HAS_SUBBLOCK_W;

    return slow_matmul(run, i) && (op->has & both) == both && !(op->has & TTP_DRAM_SHARDED) &&
                   (double)op->subblock_h * (double)op->subblock_w < 2
               ? when_tuned(op)
               : TTP_RULE_NO;
}

static double attention(const struct ttp_plan_run *run, size_t i)
{
    double sum = 0;

    if (run->attended[i] == 0)
        return TTP_RULE_NO;
    for (size_t k = 0; k < run->attended[i]; k++)
        sum += whole_time(op_at(run, i + k));
    return sum * (1 - 1 / ATTENTION_FACTOR);
}

/* A chain of element-wise ops as one: what is written by one and read by the next is not moved. */
static double fusion(const struct ttp_plan_run *run, size_t i)
{
    double time = 0, bytes = 0, between = 0;

    if (run->chain[i] == 0)
        return TTP_RULE_NO;
    for (size_t k = 0; k < run->chain[i]; k++) {
        time += whole_time(op_at(run, i + k));
        for (unsigned t = 0; t < TTP_WHICH_TENSORS; t++) {
            struct ttp_tensor_size size;
            if (!ttp_analysis_tensor(&size, run->report, op_at(run, i + k),
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
static double placement(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);
    double bytes = 0;

    if (op->analysed != TTP_ANALYSED_BYTES || op->limit != TTP_LIMIT_DRAM)
        return TTP_RULE_NO;
    for (unsigned t = 0; t < TTP_WHICH_TENSORS; t++) {
        struct ttp_tensor_size size;
        if (ttp_analysis_tensor(&size, run->report, op, (enum ttp_which_tensor)t))
            bytes += size.bytes;
    }
    /* half of L1, 1 MiB of every core, is a cautious guess of what is free */
    if (bytes > 0x1p19 * (double)run->report->worker_cores)
        return TTP_RULE_NO;
    return op->time_us * fmin(op->dram_pct, 90) / 100; /* L1 takes some time as well */
}

/* ---- 4 Metal Trace, 5 command queues ---- */

static double long_gap(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);

    return run->is[i] & TTP_IS_LATE ? op->gap_us - TTP_GAP_EXPECTED_US : TTP_RULE_NO;
}

static double metal_trace(const struct ttp_plan_run *run, size_t i)
{
    return run->traced || run->gaps_at_starts ? TTP_RULE_NO : long_gap(run, i);
}

static double two_queues(const struct ttp_plan_run *run, size_t i)
{
    return run->gaps_at_starts ? long_gap(run, i) : TTP_RULE_NO;
}

static double cold_programs(const struct ttp_plan_run *run, size_t i)
{
    return fmax(long_gap(run, i), 0); /* 0: where the gap is short, or is not there */
}

/* ---- 6 convolutions ---- */

static double conv_config(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);

    if (!(op->has & TTP_HAS_FLOPS_PCT) || !(op->time_us > 0) || op->flops_pct >= FLOPS_TUNED_PCT)
        return TTP_RULE_NO;
    return saved(op->time_us, flop_time(op, FLOPS_TUNED_PCT));
}

/* ---- 7 several devices ---- */

static double collective_links(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);
    const double peak = run->report->arch->link_gbs;

    if (op->limit != TTP_LIMIT_LINK || !(peak > 0) || op->link_gbs >= peak * DRAM_TUNED_PCT / 100)
        return TTP_RULE_NO;
    return op->time_us * (1 - op->link_gbs / (peak * DRAM_TUNED_PCT / 100));
}

static double collective_payload(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);

    return has_type(run, op->in0_datatype, TTP_STR("BFLOAT16")) && whole_time(op) > 0
               ? whole_time(op) * (1 - TILE_BFP8 / TILE_BF16)
               : TTP_RULE_NO;
}

/* ---- the NoC ---- */

/* What congestion costs by the estimate; a NoC that is merely busy says no figure. */
static double noc_traffic(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = op_at(run, i);
    double impact;

    if (op->limit != TTP_LIMIT_NOC)
        return TTP_RULE_NO;
    return ttp_analysis_cell(run->report, op, TTP_OPS_CONGESTION, &impact) && impact > 0
               ? whole_time(op) * (impact < 100 ? impact : 100) / 100
               : 0;
}

#define DIFF "tt-perf diff before after shows the ops faster; tt-perf pcc golden output >= 0.99"

const struct ttp_plan_rule ttp_plan_rules[] = {
    {{"lower-fidelity", TTP_STEP_FORMATS, "use the math fidelity the weights need",
      "compute-bound matmuls run at a higher math fidelity than their weights have bits for",
      "MATH FIDELITY in the new rows, and " DIFF},
     lower_fidelity,
     TTP_IS_MODELLED},
    {{"weights-bfp8", TTP_STEP_FORMATS, "keep weights in bfloat8_b",
      "DRAM-bound matmuls read their weights in bfloat16",
      "INPUT_1_DATATYPE in the new rows, and " DIFF},
     weights_bfp8,
     TTP_IS_MODELLED},
    {{"weights-bfp4", TTP_STEP_FORMATS, "try bfloat4_b for the weights that bear it",
      "DRAM-bound matmuls read their weights in bfloat8_b",
      "tt-perf pcc --loss bfp4_b on the weights first; then " DIFF},
     weights_bfp4,
     TTP_IS_MODELLED},
    {{"layout-conversions", TTP_STEP_LAYOUTS, "convert layouts once, at the edges",
      "tilize, untilize, typecast, reshape and transpose ops between the others take time",
      "these rows are gone, and " DIFF},
     whole_op,
     TTP_IS_LAYOUT},
    {{"padding", TTP_STEP_LAYOUTS, "choose shapes that fill their tiles",
      "most of what these ops work on is padding", "fill_pct in the new report, and " DIFF},
     padding,
     TTP_IS_LIMITED},
    {{"host-ops", TTP_STEP_LAYOUTS, "move host ops to the device",
      "ops run on the host in between, and the device waits",
      "no HOST rows in the new report, and " DIFF},
     host_ops,
     TTP_IS_HOST},
    {{"reshards", TTP_STEP_MEMORY, "keep one shard spec along the chain",
      "ops that only move tensors between shardings take time", "these rows are gone, and " DIFF},
     whole_op,
     TTP_IS_RESHARD},
    {{"input-sharding", TTP_STEP_MEMORY, "shard activations in L1 and give matmuls a config",
      "slow matmuls read interleaved activations from DRAM",
      "INPUT_0_MEMORY and program_config in the new rows, and " DIFF},
     input_sharding,
     TTP_IS_MODELLED},
    {{"few-cores", TTP_STEP_MEMORY, "use the whole grid",
      "ops run on less than half of the cores they could use",
      "CORE COUNT in the new rows, and " DIFF},
     few_cores,
     TTP_IS_LIMITED},
    {{"imbalance", TTP_STEP_MEMORY, "share the work out evenly",
      "the slowest core works much longer than the average",
      "PER CORE MAX and AVG in the new rows, and " DIFF},
     imbalance,
     TTP_IS_LIMITED},
    {{"dram-sharding", TTP_STEP_MEMORY, "use DRAM-sharded matmuls for decode",
      "DRAM-bound matmuls have interleaved weights", "dram_pct of the new rows, and " DIFF},
     dram_sharding,
     TTP_IS_MODELLED},
    {{"block-width", TTP_STEP_MEMORY, "raise in0_block_w",
      "slow matmuls take one tile of the inner dimension at a time",
      "in0_block_w in the new rows, and " DIFF},
     block_width,
     TTP_IS_MODELLED},
    {{"subblock", TTP_STEP_MEMORY, "raise out_subblock_h x out_subblock_w",
      "slow matmuls compute one output tile at a time", "out_subblock in the new rows, and " DIFF},
     subblock,
     TTP_IS_MODELLED},
    {{"noc-traffic", TTP_STEP_MEMORY, "spread transfers over links and both NoCs",
      "transfers wait for the same links of the NoC",
      "tt-perf noc --program on traces of the new run: congestion and the hottest link; and " DIFF},
     noc_traffic,
     TTP_IS_LIMITED},
    {{"attention", TTP_STEP_MEMORY, "use scaled dot product attention",
      "attention is made of matmul, softmax and matmul",
      "one ScaledDotProductAttention row in place of these, and " DIFF},
     attention,
     TTP_IS_MATMUL},
    {{"fusion", TTP_STEP_MEMORY, "fuse chains of element-wise ops",
      "element-wise ops hand whole tensors to each other through memory", "fewer rows, and " DIFF},
     fusion,
     TTP_IS_ELTWISE},
    {{"placement", TTP_STEP_MEMORY, "keep small tensors in L1",
      "DRAM-bound element-wise ops work on tensors that would fit into L1",
      "INPUT_0_MEMORY in the new rows, and " DIFF},
     placement,
     TTP_IS_ELTWISE},
    {{"trace", TTP_STEP_TRACE, "capture a Metal Trace and replay it",
      "the device waits for the host before ops",
      "gaps below 6 us and METAL TRACE ID in the new rows, and " DIFF},
     metal_trace,
     TTP_IS_LATE},
    {{"warm-up", TTP_STEP_TRACE, "measure warm runs",
      "programs were compiled within this run, and the device waited for that",
      "no op waits much longer the first time than later, and " DIFF},
     cold_programs,
     TTP_IS_COLD},
    {{"two-queues", TTP_STEP_QUEUES, "write inputs on a second command queue",
      "the device waits only where an iteration begins",
      "the gaps between iterations shrink, and " DIFF},
     two_queues,
     TTP_IS_LATE},
    {{"conv-config", TTP_STEP_CONV, "tune sharding and act_block_h of convolutions",
      "convolutions stay far below the peak of their cores",
      "flops_pct of the new rows, and " DIFF},
     conv_config,
     TTP_IS_CONV},
    {{"batch-norm", TTP_STEP_CONV, "fold batch norm into the convolution before it",
      "batch norm runs as an op of its own", "these rows are gone, and " DIFF},
     whole_op,
     TTP_IS_BATCH_NORM},
    {{"conv-moves", TTP_STEP_CONV, "let tensors stay where the next op wants them",
      "Move ops make room in L1 between convolutions", "these rows are gone, and " DIFF},
     whole_op,
     TTP_IS_MOVE},
    {{"collective-links", TTP_STEP_DEVICES, "use more links, a ring, and larger packets",
      "collectives send less than one link can carry", "link_gbs of the new rows, and " DIFF},
     collective_links,
     TTP_IS_LIMITED},
    {{"collective-payload", TTP_STEP_DEVICES, "send bfloat8_b", "collectives send bfloat16",
      "INPUT_0_DATATYPE in the new rows, and " DIFF},
     collective_payload,
     TTP_IS_COLLECTIVE},
    {{"kernel-cores", TTP_TARGET_CORES, "partition the kernel over the whole grid",
      "own kernels leave cores idle", "CORE COUNT in the new rows, and tt-perf kernel"},
     ttp_gain_kernel_cores,
     TTP_IS_OWN},
    {{"kernel-traffic", TTP_TARGET_DRAM, "fuse kernels that follow each other",
      "own kernels hand results to each other through DRAM",
      "DRAM bytes in tt-perf kernel's PERF SUMMARY"},
     ttp_gain_kernel_traffic,
     TTP_IS_OWN},
    {{"kernel-blocks", TTP_TARGET_BLOCKS, "raise the block size of the dataflow buffers",
      "own kernels wait for their data", "transfers and barriers in tt-perf kernel's PERF SUMMARY"},
     ttp_gain_kernel_blocks,
     TTP_IS_OWN},
};
const size_t ttp_plan_rules_count = TTP_COUNT(ttp_plan_rules);

const struct ttp_rule_info *ttp_rule_at(size_t i)
{
    return i < ttp_plan_rules_count ? &ttp_plan_rules[i].info : NULL;
}
