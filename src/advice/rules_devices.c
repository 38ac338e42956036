/* SPDX-License-Identifier: Apache-2.0 */
/* rules_devices.c - rules about norms, attention, element-wise ops on shards, and collectives. */
#include "advice/rule_parts.h"

/* A norm on shards takes so long, and so much more for each tile of its row (measured: 10.0 us at
 * 4096 on 32 cores of n150, 12.7 us at 6656 on 8 cores of Blackhole, 8.5 us on 22). */
#define NORM_TILE_US 0.03
/* SDPA with its chunk sizes chosen takes so much less (11.66 to 7.10 and 11.84 to 7.60 ms); decode
 * gained a third of what is above its floor on one model, and lost on two. */
#define SDPA_PREFILL_PART 0.37
#define SDPA_DECODE_PART  0.35
/* A context is long when attention takes that many times its floor. */
#define LONG_CONTEXT 8.0
/* Ops on shards gain what more shards take of their time above the floor (13.0 to 4.7 us, 51 to
 * 12).
 */
#define SHARDS_LEAST 0.5 /* of the cores, to be few */
/* Below this size a collective's time is dominated by steps, not by bytes. */
#define SMALL_PAYLOAD (1 << 20)
#define LARGE_PAYLOAD (4 << 20)
/* One all-reduce takes so much of the time of a reduce-scatter and an all-gather (75.2 to 28.9 us).
 */
#define ALL_REDUCE_PART 0.4
/* Asynchronous collectives with more workers take so much less (845 of 3974, 517 of 3960 us). */
#define WORKERS_PART 0.2
/* Ops between two that belong together. */
#define NEAR 4

static bool text_has(const struct ttp_plan_run *run, size_t i, enum ttp_ops_text column,
                     ttp_str what)
{
    return ttp_str_has(ttp_analysis_text(run->report, ttp_rule_op(run, i), column), what);
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
    const double then = TTP_FLOOR_NORM_US + NORM_TILE_US * tiles;
    return tiles >= 8 && op->time_us > TTP_NEAR_FLOOR * then ? op->time_us - then : TTP_RULE_NO;
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
    return text_has(run, i, TTP_OPS_CODE, TTP_STR("Decode"));
}

double ttp_gain_sdpa_config(const struct ttp_plan_run *run, size_t i)
{
    const double time = ttp_rule_time(ttp_rule_op(run, i));

    if (!text_has(run, i, TTP_OPS_ATTRIBUTES, TTP_STR("'program_config': 'std::nullopt'")) ||
        time < TTP_NEAR_FLOOR * TTP_FLOOR_ATTENTION_US)
        return TTP_RULE_NO;
    return is_decode(run, i) ? (time - TTP_FLOOR_ATTENTION_US) * SDPA_DECODE_PART
                             : time * SDPA_PREFILL_PART;
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
        time < LONG_CONTEXT * TTP_FLOOR_ATTENTION_US)
        return TTP_RULE_NO;
    return (time - TTP_FLOOR_ATTENTION_US) * (1 - TTP_TILE_BFP8_BYTES / TTP_TILE_BF16_BYTES);
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
        time < TTP_NEAR_FLOOR * TTP_FLOOR_ELTWISE_US)
        return TTP_RULE_NO;
    const double shard = shard_elements(ttp_analysis_text(run->report, op, TTP_OPS_ATTRIBUTES));
    const double shards = shard > 0 ? ceil(whole / shard) : 0;
    /* as many shards as there are tiles, or as cores: whole tiles only */
    const double most = fmin(cores, whole / 1024);
    if (shards < 1 || shards >= most * SHARDS_LEAST)
        return TTP_RULE_NO;
    const double then = ceil(whole / 1024 / most) / (shard / 1024);
    return ttp_rule_saved(time, fmax(time * fmin(then, 1), TTP_NEAR_FLOOR * TTP_FLOOR_ELTWISE_US));
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
    return ttp_rule_saved(time, fmax(time * ALL_REDUCE_PART, TTP_FLOOR_COLLECTIVE_US));
}

size_t ttp_plan_all_reduce_span(const struct ttp_plan_run *run, size_t i)
{
    const size_t gather = gathered_by(run, i);

    return gather ? gather - i + 1 : 1;
}

double ttp_gain_collective_config(const struct ttp_plan_run *run, size_t i)
{
    const double time = ttp_rule_time(ttp_rule_op(run, i));

    if (text_has(run, i, TTP_OPS_CODE, TTP_STR("Async")) ||
        bytes(run, i, TTP_TENSOR_IN0) < LARGE_PAYLOAD)
        return TTP_RULE_NO;
    return time > 0 ? time * WORKERS_PART : TTP_RULE_NO;
}

double ttp_gain_collective_links(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const double peak = run->report->arch->link_gbs * TTP_DRAM_TUNED_PCT / 100;

    if (op->limit != TTP_LIMIT_LINK || !(peak > 0) || op->link_gbs >= peak ||
        bytes(run, i, TTP_TENSOR_IN0) < SMALL_PAYLOAD)
        return TTP_RULE_NO;
    return op->time_us * (1 - op->link_gbs / peak);
}

double ttp_gain_collective_payload(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const double time = ttp_rule_time(op) - TTP_FLOOR_COLLECTIVE_US;

    if (!ttp_rule_has_type(run, op->in0_datatype, TTP_STR("BFLOAT16")) || time <= 0 ||
        bytes(run, i, TTP_TENSOR_IN0) < SMALL_PAYLOAD)
        return TTP_RULE_NO;
    return time * (1 - TTP_TILE_BFP8_BYTES / TTP_TILE_BF16_BYTES);
}
