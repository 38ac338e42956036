/* SPDX-License-Identifier: Apache-2.0 */
/* rule_parts.h - what the functions of several rules share. Private to advice. */
#ifndef TTP_ADVICE_RULE_PARTS_H
#define TTP_ADVICE_RULE_PARTS_H

#include <math.h>

#include "advice/plan_rules.h"

/* Bytes of a tile in each format. */
#define TTP_TILE_BF16_BYTES 2048.0
#define TTP_TILE_BFP8_BYTES 1088.0
#define TTP_TILE_BFP4_BYTES 576.0

/* Ops that take less are bound by their start and not by their size. */
#define TTP_LARGE_OP_US 50.0

static inline const struct ttp_op *ttp_rule_op(const struct ttp_plan_run *run, size_t op)
{
    return &run->report->op[op];
}

/* A figure of the table in device/op_constants.c, or the user's. */
static inline double ttp_opc(const struct ttp_plan_run *run, enum ttp_op_constant which)
{
    return run->constant[which].value;
}

/* Is there hardly anything to gain by tuning an op of a kind with that floor? */
static inline bool ttp_rule_near_floor(const struct ttp_plan_run *run, double time_us,
                                       double floor_us)
{
    return time_us < ttp_opc(run, TTP_OPC_NEAR_FLOOR) * floor_us;
}

static inline double ttp_rule_time(const struct ttp_op *op)
{
    return op->has & TTP_HAS_TIME ? op->time_us : 0;
}

/* Time of the op if its DRAM traffic ran at that share of the peak; 0: unknown. */
static inline double ttp_rule_dram_time(const struct ttp_op *op, double pct)
{
    return op->has & TTP_HAS_DRAM_PCT ? op->time_us * op->dram_pct / pct : 0;
}

/* The same of its arithmetic, on the cores it has. */
static inline double ttp_rule_flop_time(const struct ttp_op *op, double pct)
{
    return op->has & TTP_HAS_FLOPS_PCT ? op->time_us * op->flops_pct / pct : 0;
}

/* Batches of input 0, and rows of one of them with their padding; false: unknown. */
bool ttp_rule_rows(const struct ttp_plan_run *run, size_t op, double *batches, double *rows);

/* From now to `then`, if that is less. */
static inline double ttp_rule_saved(double now, double then)
{
    return then < now ? now - then : TTP_RULE_NO;
}

static inline bool ttp_rule_has_type(const struct ttp_plan_run *run, ttp_sym type, ttp_str name)
{
    return ttp_str_has(ttp_sym_name(run->report->syms, type), name);
}

/* Does an op with one of these bits come within that many ops, before any with one of the others?
 */
static inline bool ttp_rule_follows(const struct ttp_plan_run *run, size_t op, size_t within,
                                    uint32_t wanted, uint32_t others)
{
    for (size_t i = op + 1; i <= op + within && i < run->report->count; i++) {
        if (run->is[i] & wanted)
            return true;
        if (run->is[i] & others)
            return false;
    }
    return false;
}

static inline bool ttp_rule_precedes(const struct ttp_plan_run *run, size_t op, size_t within,
                                     uint32_t wanted, uint32_t others)
{
    for (size_t i = op; i > 0 && i + within > op; i--) {
        if (run->is[i - 1] & wanted)
            return true;
        if (run->is[i - 1] & others)
            return false;
    }
    return false;
}

#endif
