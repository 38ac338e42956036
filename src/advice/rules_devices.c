/* SPDX-License-Identifier: Apache-2.0 */
/* rules_devices.c - rules about norms, attention, element-wise ops on shards, and collectives. */
#include "advice/rule_parts.h"

/* A context is long when attention takes that many times its floor. */
#define LONG_CONTEXT 8.0
/* Ops on shards gain what more shards take of their time above the floor (13.0 to 4.7 us, 51 to
 * 12).
 */
#define SHARDS_LEAST 0.5 /* of the cores, to be few */
/* Below this size a collective's time is dominated by steps, not by bytes. */
#define SMALL_PAYLOAD (1 << 20)
#define LARGE_PAYLOAD (4 << 20)
/* Ops between two that belong together. */
#define NEAR 4

static bool attributes_have(const struct ttp_plan_run *run, size_t i, ttp_str what)
{
    return ttp_str_has(ttp_analysis_text(run->report, ttp_rule_op(run, i), TTP_OPS_ATTRIBUTES),
                       what);
}

static bool has_mark(const struct ttp_plan_run *run, size_t i, enum ttp_op_mark mark)
{
    return ttp_analysis_family(run->report, ttp_rule_op(run, i)->raw_code).marks & mark;
}

static double elements(const struct ttp_plan_run *run, size_t i, enum ttp_which_tensor which)
{
    struct ttp_tensor_size size;

    return ttp_analysis_tensor(&size, run->report, ttp_rule_op(run, i), which) ? size.padded : 0;
}

static double bytes(const struct ttp_plan_run *run, size_t i, enum ttp_which_tensor which)
{
    struct ttp_tensor_size size;

    return ttp_analysis_tensor(&size, run->report, ttp_rule_op(run, i), which) ? size.bytes : 0;
}

/* ---- norms ---- */

/* An interleaved norm has one core for each row of tiles: few rows, few cores. */
double ttp_gain_sharded_norm(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    double cores;

    if ((run->is[i] & TTP_IN0_SHARDED) || !ttp_cell_f64(op->cores, &cores) || cores < 1 ||
        !(op->has & TTP_HAS_AVAILABLE) || cores * 8 > (double)op->available_cores)
        return TTP_RULE_NO;
    const double tiles = elements(run, i, TTP_TENSOR_IN0) / 1024 / cores;
    const double then = ttp_opc(run, TTP_OPC_FLOOR_NORM) + ttp_opc(run, TTP_OPC_NORM_TILE) * tiles;
    return tiles >= 8 && !ttp_rule_near_floor(run, op->time_us, then) ? op->time_us - then
                                                                      : TTP_RULE_NO;
}

/* A norm of a gathered tensor: every device does the same work. */
double ttp_gain_fractured_norm(const struct ttp_plan_run *run, size_t i)
{
    const double whole = elements(run, i, TTP_TENSOR_IN0),
                 time = ttp_rule_time(ttp_rule_op(run, i));

    if (time < TTP_LARGE_OP_US)
        return TTP_RULE_NO;
    for (size_t k = i; k > 0 && k + 2 > i; k--) {
        if (!(run->is[k - 1] & TTP_IS_ALL_GATHER))
            continue;
        const double part = elements(run, k - 1, TTP_TENSOR_IN0),
                     out = elements(run, k - 1, TTP_TENSOR_OUT);
        return part > 0 && out == whole && part < out ? time * (1 - part / out) : TTP_RULE_NO;
    }
    return TTP_RULE_NO;
}

/* ---- attention ---- */

static bool is_decode(const struct ttp_plan_run *run, size_t i)
{
    return has_mark(run, i, TTP_OP_DECODE);
}

double ttp_gain_sdpa_config(const struct ttp_plan_run *run, size_t i)
{
    const double time = ttp_rule_time(ttp_rule_op(run, i));

    if (!attributes_have(run, i, TTP_STR("'program_config': 'std::nullopt'")) ||
        ttp_rule_near_floor(run, time, ttp_opc(run, TTP_OPC_FLOOR_ATTENTION)))
        return TTP_RULE_NO;
    return is_decode(run, i)
               ? (time - ttp_opc(run, TTP_OPC_FLOOR_ATTENTION)) * ttp_opc(run, TTP_OPC_SDPA_DECODE)
               : time * ttp_opc(run, TTP_OPC_SDPA_PREFILL);
}

bool ttp_risk_sdpa(const struct ttp_plan_run *run, size_t i)
{
    return is_decode(run, i);
}

double ttp_gain_kv_bfp8(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const double time = ttp_rule_time(op);

    if (!is_decode(run, i) || !ttp_rule_has_type(run, op->in1_datatype, TTP_STR("BFLOAT16")) ||
        time < LONG_CONTEXT * ttp_opc(run, TTP_OPC_FLOOR_ATTENTION))
        return TTP_RULE_NO;
    return (time - ttp_opc(run, TTP_OPC_FLOOR_ATTENTION)) *
           (1 - TTP_TILE_BFP8_BYTES / TTP_TILE_BF16_BYTES);
}

/* ---- element-wise ops ---- */

/* Elements of a shard of the output, as the attributes have it; 0: none. */
static double shard_elements(ttp_str attributes)
{
    const size_t at = ttp_str_find(attributes, TTP_STR("shape=["));
    ttp_str part[3];
    uint64_t size[2];

    if (at == TTP_NPOS)
        return 0;
    const ttp_str rest = ttp_str_slice(attributes, at + 7, attributes.len);
    const size_t end = ttp_str_find(rest, TTP_STR("]"));
    if (end == TTP_NPOS || end > 64 ||
        ttp_str_split(ttp_str_slice(rest, 0, end), ';', part, 3) != 2 ||
        !ttp_str_to_u64(ttp_str_trim(part[0]), &size[0]) ||
        !ttp_str_to_u64(ttp_str_trim(part[1]), &size[1]))
        return 0;
    return (double)size[0] * (double)size[1];
}

/* CORE COUNT is the whole grid, but only cores with a shard work. */
double ttp_gain_shard_grid(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const double whole = elements(run, i, TTP_TENSOR_OUT), time = ttp_rule_time(op);
    const double cores = (double)op->available_cores;

    if (!(op->has & TTP_HAS_AVAILABLE) || !(run->is[i] & TTP_IN0_SHARDED) ||
        ttp_rule_near_floor(run, time, ttp_opc(run, TTP_OPC_FLOOR_ELTWISE)))
        return TTP_RULE_NO;
    const double shard = shard_elements(ttp_analysis_text(run->report, op, TTP_OPS_ATTRIBUTES));
    const double shards = shard > 0 ? ceil(whole / shard) : 0;
    /* as many shards as there are tiles, or as cores: whole tiles only */
    const double most = fmin(cores, whole / 1024);
    if (shards < 1 || shards >= most * SHARDS_LEAST)
        return TTP_RULE_NO;
    const double then = ceil(whole / 1024 / most) / (shard / 1024);
    return ttp_rule_saved(time,
                          fmax(time * fmin(then, 1), ttp_opc(run, TTP_OPC_NEAR_FLOOR) *
                                                         ttp_opc(run, TTP_OPC_FLOOR_ELTWISE)));
}

/* ---- collectives ---- */

/* The all-gather of what op i has scattered, if nothing but moves is in between; 0: none. */
static size_t gathered_by(const struct ttp_plan_run *run, size_t i)
{
    for (size_t k = i + 1; k <= i + NEAR && k < run->report->count; k++) {
        if (run->is[k] & TTP_IS_ALL_GATHER)
            return elements(run, k, TTP_TENSOR_OUT) == elements(run, i, TTP_TENSOR_IN0) ? k : 0;
        if (!(run->is[k] & (TTP_IS_RESHARD | TTP_IS_MOVE)))
            return 0;
    }
    return 0;
}

double ttp_gain_all_reduce(const struct ttp_plan_run *run, size_t i)
{
    const size_t gather = run->is[i] & TTP_IS_REDUCE_SCATTER ? gathered_by(run, i) : 0;

    if (gather == 0 || bytes(run, i, TTP_TENSOR_IN0) > SMALL_PAYLOAD)
        return TTP_RULE_NO;
    double time = 0;
    for (size_t k = i; k <= gather; k++)
        time += ttp_rule_time(ttp_rule_op(run, k));
    /* small tensors take the time of their hops, of which one all-reduce has as many as the gather
     */
    return ttp_rule_saved(time, fmax(ttp_rule_time(ttp_rule_op(run, gather)),
                                     ttp_opc(run, TTP_OPC_FLOOR_COLLECTIVE)));
}

size_t ttp_plan_all_reduce_span(const struct ttp_plan_run *run, size_t i)
{
    const size_t gather = gathered_by(run, i);

    return gather ? gather - i + 1 : 1;
}

double ttp_gain_collective_config(const struct ttp_plan_run *run, size_t i)
{
    const double time = ttp_rule_time(ttp_rule_op(run, i));

    if (has_mark(run, i, TTP_OP_ASYNC) || bytes(run, i, TTP_TENSOR_IN0) < LARGE_PAYLOAD)
        return TTP_RULE_NO;
    return time > 0 ? time * ttp_opc(run, TTP_OPC_ASYNC_WORKERS) : TTP_RULE_NO;
}

double ttp_gain_collective_links(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const double peak = run->report->arch->link_gbs * ttp_opc(run, TTP_OPC_DRAM_TUNED) / 100;

    if (op->limit != TTP_LIMIT_LINK || !(peak > 0) || op->link_gbs >= peak ||
        bytes(run, i, TTP_TENSOR_IN0) < SMALL_PAYLOAD)
        return TTP_RULE_NO;
    return op->time_us * (1 - op->link_gbs / peak);
}

double ttp_gain_collective_payload(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const double time = ttp_rule_time(op) - ttp_opc(run, TTP_OPC_FLOOR_COLLECTIVE);

    if (!ttp_rule_has_type(run, op->in0_datatype, TTP_STR("BFLOAT16")) || time <= 0 ||
        bytes(run, i, TTP_TENSOR_IN0) < SMALL_PAYLOAD)
        return TTP_RULE_NO;
    return time * (1 - TTP_TILE_BFP8_BYTES / TTP_TILE_BF16_BYTES);
}
