/* SPDX-License-Identifier: Apache-2.0 */
/* rules_matmul.c - rules about matmuls: formats, program configs, batches and experts.
 *
 * Gains come from the cost model where it knows the matmul, else from the part of the peak that the
 * op reaches. No gain is larger than what the op's own roofline leaves. */
#include "advice/matmul_look.h"
#include "advice/rule_parts.h"
#include "base/quantity.h"
#include "base/sink.h"

/* The model can rank configs that differ by more than this; closer ones are marked "try". */
#define SURE_PART 0.08
/* Matmuls of a layer that share their input follow each other closely. */
#define SIBLING_SPAN 3
/* From here on a matmul is of a prefill. */
#define PREFILL_ROWS 256

/* What the cost model says about the op; NULL: nothing. */
static const struct ttp_matmul_look *look_of(const struct ttp_plan_run *run, size_t i)
{
    return run->matmul[i];
}

static bool modelled(const struct ttp_plan_run *run, size_t i)
{
    return look_of(run, i) && look_of(run, i)->predicted;
}

/* Share of the other peak that an op reaches once its own limit is removed. */
static double next_pct(const struct ttp_plan_run *run, double reached_pct)
{
    return fmin(fmax(reached_pct, ttp_opc(run, TTP_OPC_FLOPS_TUNED)), 100);
}

/* The op's time is that part of what it was; plan_choose.c holds it to the op's roofline. */
static double gain_of(const struct ttp_plan_run *run, size_t i, double left)
{
    return left > 1 - TTP_CONFIG_LEAST_PART ? TTP_RULE_NO
                                            : ttp_rule_op(run, i)->time_us * (1 - left);
}

/* The second input of a batched matmul is an activation in attention, and a weight in experts. */
static bool has_weights(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_matmul *p = &look_of(run, i)->op.problem;

    return !p->in1.l1 &&
           (p->batch_b == 1 || (p->batch_b >= TTP_EXPERTS_MIN && p->k >= 256 && p->n >= 256));
}

/* ---- 1 data formats ---- */

/* bfloat8_b has the bits of HiFi2, bfloat4_b those of LoFi. */
static double fidelity_by_rate(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const bool bfp8 = ttp_rule_has_type(run, op->in1_datatype, TTP_STR("BFLOAT8"));
    const bool bfp4 = ttp_rule_has_type(run, op->in1_datatype, TTP_STR("BFLOAT4"));
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
    return ttp_rule_saved(op->time_us, fmax(op->time_us * rate[now] / rate[then],
                                            ttp_rule_dram_time(op, next_pct(run, op->flops_pct))));
}

/* Weights in a smaller format: the op takes as much less as it moves less, until the arithmetic, at
 * the fidelity that format needs, takes longer. */
static double smaller_weights(const struct ttp_plan_run *run, size_t i, ttp_str from, double part,
                              enum ttp_fidelity then)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const double *rate = run->report->arch->tflops_per_core;
    struct ttp_tensor_size weights;
    enum ttp_fidelity now;

    if (!ttp_rule_has_type(run, op->in1_datatype, from) ||
        (op->bound != TTP_BOUND_DRAM && op->bound != TTP_BOUND_BOTH) ||
        !ttp_analysis_tensor(&weights, run->report, op, TTP_TENSOR_IN1) || !weights.in_dram ||
        !(op->dram_bytes > 0))
        return TTP_RULE_NO;
    double compute = ttp_rule_flop_time(op, next_pct(run, op->dram_pct));
    if (ttp_device_find_fidelity(ttp_analysis_text(run->report, op, TTP_OPS_FIDELITY), &now) &&
        rate[then] > rate[now])
        compute *= rate[now] / rate[then];
    const double left = fmax(1 - weights.bytes * (1 - part) / op->dram_bytes, 0);
    return ttp_rule_saved(op->time_us, fmax(op->time_us * left, compute));
}

double ttp_gain_lower_fidelity(const struct ttp_plan_run *run, size_t i)
{
    if (!modelled(run, i))
        return fidelity_by_rate(run, i);
    const struct ttp_matmul *p = &look_of(run, i)->op.problem;
    if (p->b == TTP_TILE_BF16 && p->fidelity == TTP_FIDELITY_HIFI2 &&
        ttp_rule_op(run, i)->bound != TTP_BOUND_FLOP)
        return TTP_RULE_NO; /* below the bits of the weights only where arithmetic holds the op */
    return gain_of(run, i, look_of(run, i)->left.format[TTP_FORMAT_FIDELITY]);
}

double ttp_gain_weights_bfp8(const struct ttp_plan_run *run, size_t i)
{
    const double part = TTP_TILE_BFP8_BYTES / TTP_TILE_BF16_BYTES;

    if (modelled(run, i))
        return look_of(run, i)->op.problem.b == TTP_TILE_BF16 && has_weights(run, i)
                   ? gain_of(run, i, look_of(run, i)->left.format[TTP_FORMAT_BFP8])
                   : TTP_RULE_NO;
    return smaller_weights(run, i, TTP_STR("BFLOAT16"), part, TTP_FIDELITY_HIFI2);
}

/* From bfloat8_b; from bfloat16 as well what it brings beyond bfloat8_b, but not for projections of
 * attention, where it failed most. */
double ttp_gain_weights_bfp4(const struct ttp_plan_run *run, size_t i)
{
    const double part = TTP_TILE_BFP4_BYTES / TTP_TILE_BFP8_BYTES;

    if (!modelled(run, i))
        return smaller_weights(run, i, TTP_STR("BFLOAT8"), part, TTP_FIDELITY_LOFI);
    const enum ttp_tile_type now = look_of(run, i)->op.problem.b;
    if (!has_weights(run, i) || (now != TTP_TILE_BFP8 && now != TTP_TILE_BF16) ||
        (now == TTP_TILE_BF16 && ttp_risk_attention_weights(run, i)))
        return TTP_RULE_NO;
    return gain_of(run, i, look_of(run, i)->left.format[TTP_FORMAT_BFP4]);
}

/* Projections into and out of attention lost too much accuracy in bfloat4_b on four of seven
 * models.
 */
bool ttp_risk_attention_weights(const struct ttp_plan_run *run, size_t i)
{
    return ttp_rule_follows(run, i, SIBLING_SPAN, TTP_IS_HEADS, TTP_IS_MATMUL) ||
           ttp_rule_precedes(run, i, SIBLING_SPAN, TTP_IS_HEADS, TTP_IS_MATMUL);
}

ttp_str ttp_advice_tell_weights(const struct ttp_plan_run *run, size_t op, struct ttp_arena *arena)
{
    const struct ttp_report *r = run->report;
    const struct ttp_op *o = ttp_rule_op(run, op);
    const ttp_str memory = ttp_analysis_text(r, o, TTP_OPS_IN1_MEMORY);
    struct ttp_tensor_size size;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "weights %.*s", TTP_FMT(ttp_sym_name(r->syms, o->in1_datatype)));
    if (ttp_analysis_tensor(&size, r, o, TTP_TENSOR_IN1))
        ttp_sink_printf(&out, ", %.*s", TTP_FMT(ttp_bytes_text(size.bytes, arena)));
    if (memory.len)
        ttp_sink_printf(&out, ", %.*s", TTP_FMT(memory));
    return ttp_sink_text(&out);
}

ttp_str ttp_advice_tell_fidelity(const struct ttp_plan_run *run, size_t op, struct ttp_arena *arena)
{
    const struct ttp_matmul *p = modelled(run, op) ? &look_of(run, op)->op.problem : NULL;

    (void)arena;
    return p && p->b == TTP_TILE_BF16 && p->fidelity == TTP_FIDELITY_HIFI2
               ? TTP_STR("LoFi requires its weights in bfloat8_b, which is part of the gain")
               : (ttp_str){0};
}

bool ttp_plan_is_bfp4_step(const struct ttp_plan_run *run, size_t i, double *before, double *after)
{
    if (!modelled(run, i) || look_of(run, i)->op.problem.b != TTP_TILE_BF16)
        return false;
    *before = look_of(run, i)->left.format[TTP_FORMAT_BFP8];
    *after = look_of(run, i)->left.format[TTP_FORMAT_BFP8 | TTP_FORMAT_BFP4];
    return true;
}

double ttp_gain_input_sharding(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const ttp_str memory = ttp_sym_name(run->report->syms, op->in0_memory);
    struct ttp_tensor_size input;
    double batches, rows;

    if (op->bound != TTP_BOUND_SLOW || !ttp_str_has(memory, TTP_STR("DRAM_INTERLEAVED")) ||
        op->limit == TTP_LIMIT_CORES || modelled(run, i) ||
        (ttp_rule_rows(run, i, &batches, &rows) && batches * rows >= PREFILL_ROWS) ||
        (ttp_analysis_tensor(&input, run->report, op, TTP_TENSOR_IN0) &&
         !ttp_advice_fits_l1(run->report, input.bytes)))
        return TTP_RULE_NO;
    return ttp_rule_saved(op->time_us,
                          fmax(ttp_rule_dram_time(op, ttp_opc(run, TTP_OPC_DRAM_TUNED)),
                               ttp_rule_flop_time(op, ttp_opc(run, TTP_OPC_FLOPS_TUNED))));
}

/* DRAM-sharded matmuls have one core for each bank, and that must be enough for the arithmetic. */
double ttp_gain_dram_sharding(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const double workers = run->report->arch->dram_workers;
    double cores;

    if (modelled(run, i))
        return look_of(run, i)->left.fold < 1 || look_of(run, i)->op.problem.m > 32
                   ? TTP_RULE_NO
                   : gain_of(run, i, look_of(run, i)->left.dram);
    if ((op->has & TTP_DRAM_SHARDED) ||
        (op->bound != TTP_BOUND_DRAM && op->bound != TTP_BOUND_BOTH))
        return TTP_RULE_NO;
    const double compute =
        ttp_cell_f64(op->cores, &cores) && workers > 0
            ? ttp_rule_flop_time(op, ttp_opc(run, TTP_OPC_DRAM_SHARDED)) * cores / workers
            : 0;
    return ttp_rule_saved(
        op->time_us, fmax(ttp_rule_dram_time(op, ttp_opc(run, TTP_OPC_DRAM_SHARDED)), compute));
}

/* The model does not know the config, so that it can only be judged by its sizes. */
static bool slow_matmul(const struct ttp_plan_run *run, size_t i)
{
    return !modelled(run, i) && ttp_rule_op(run, i)->bound == TTP_BOUND_SLOW;
}

/* Time that a slow matmul saves if it reaches the rate of tuned ones; 0: its sizes are unknown. */
static double when_tuned(const struct ttp_plan_run *run, const struct ttp_op *op)
{
    const double then = fmax(ttp_rule_dram_time(op, ttp_opc(run, TTP_OPC_DRAM_TUNED)),
                             ttp_rule_flop_time(op, ttp_opc(run, TTP_OPC_FLOPS_TUNED)));

    return then > 0 && then < op->time_us ? op->time_us - then : 0;
}

double ttp_gain_block_width(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);

    return slow_matmul(run, i) && (op->has & TTP_HAS_BLOCK_W) && op->block_w < 2
               ? when_tuned(run, op)
               : TTP_RULE_NO;
}

double ttp_gain_subblock(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const uint32_t both = TTP_HAS_SUBBLOCK_H | TTP_HAS_SUBBLOCK_W;

    return slow_matmul(run, i) && (op->has & both) == both && !(op->has & TTP_DRAM_SHARDED) &&
                   (double)op->subblock_h * (double)op->subblock_w < 2 &&
                   ttp_advice_has_larger_subblock(run->report, i)
               ? when_tuned(run, op)
               : TTP_RULE_NO;
}

/* ---- what the cost model knows ---- */

double ttp_gain_matmul_config(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_matmul_look *look = look_of(run, i);

    return look && (look->predicted || ttp_rule_op(run, i)->bound == TTP_BOUND_SLOW)
               ? gain_of(run, i, look->left.config)
               : TTP_RULE_NO;
}

/* The gain is less than the model's error for such configs, or the one in use is unknown. */
bool ttp_risk_config(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_matmul_look *look = look_of(run, i);

    return look && (look->most.config >= 1 || !look->predicted);
}

bool ttp_risk_dram_sharding(const struct ttp_plan_run *run, size_t i)
{
    return modelled(run, i) && look_of(run, i)->most.dram >= 1;
}

/* Errors of another type do not cancel those of the one in use. */
bool ttp_risk_minimal_matmul(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_matmul_look *look = look_of(run, i);

    return look && (look->most.minimal >= 1 || !look->minimal_known);
}

double ttp_gain_minimal_matmul(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_matmul_look *look = look_of(run, i);

    return look && look->predicted && look->op.problem.m * look->op.problem.batch >= PREFILL_ROWS &&
                   look->left.minimal < look->left.config * (1 - SURE_PART)
               ? gain_of(run, i, look->left.minimal)
               : TTP_RULE_NO;
}

double ttp_gain_fold_batch(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_matmul_look *look = look_of(run, i);

    if (!look || look->left.fold > 1 - SURE_PART)
        return TTP_RULE_NO;
    /* the roofline of the row counts what is read again and again: what is left is by the model */
    return ttp_rule_op(run, i)->time_us * (1 - look->left.fold);
}

/* Experts that no token chose are computed all the same. */
double ttp_gain_sparse_experts(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_matmul_look *look = look_of(run, i);

    return look && look->left.sparse < 1 - SURE_PART
               ? ttp_rule_op(run, i)->time_us * (1 - look->left.sparse)
               : TTP_RULE_NO;
}

/* A matmul of the same input and sizes, soon after this one; 0: none. */
static size_t sibling_of(const struct ttp_plan_run *run, size_t i)
{
    for (size_t k = i + 1; k <= i + SIBLING_SPAN && k < run->report->count; k++)
        if (look_of(run, k) == look_of(run, i))
            return k;
    return 0;
}

double ttp_gain_pack_weights(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_matmul_look *look = look_of(run, i);

    if (!look || !look->predicted || look->op.problem.m * look->op.problem.batch > 32 ||
        look->left.pack > 1 - TTP_CONFIG_LEAST_PART)
        return TTP_RULE_NO;
    const size_t k = sibling_of(run, i);
    return k ? (ttp_rule_op(run, i)->time_us + ttp_rule_op(run, k)->time_us) * (1 - look->left.pack)
             : TTP_RULE_NO;
}

size_t ttp_plan_pack_span(const struct ttp_plan_run *run, size_t i)
{
    return sibling_of(run, i) == i + 1 ? 2 : 1;
}

/* A matmul of a prefill whose result is reduced over devices right after it. */
double ttp_gain_fused_matmul_rs(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_matmul_look *look = look_of(run, i);

    if (!look || look->op.problem.m < PREFILL_ROWS || i + 1 >= run->report->count ||
        !(run->is[i + 1] & TTP_IS_REDUCE_SCATTER))
        return TTP_RULE_NO;
    return ttp_opc(run, TTP_OPC_HIDDEN) *
           fmin(ttp_rule_op(run, i)->time_us, ttp_rule_time(ttp_rule_op(run, i + 1)));
}
