/* SPDX-License-Identifier: Apache-2.0 */
/* symptoms.c - data of the operations table about an op, for the diagnosis. */
#include <math.h>

#include "analysis/stages.h"

ttp_str ttp_analysis_text(const struct ttp_report *report, const struct ttp_op *op,
                          enum ttp_ops_text column)
{
    return ttp_sym_name(report->syms, ttp_ops_sym(report->ops, column, op->row));
}

bool ttp_analysis_cell(const struct ttp_report *report, const struct ttp_op *op,
                       enum ttp_ops_number column, double *out)
{
    return ttp_cell_f64(ttp_ops_cell(report->ops, column, op->row), out) && isfinite(*out);
}

/* A number of the row, 0: unknown. */
static double cell(const struct ttp_report *report, const struct ttp_op *op,
                   enum ttp_ops_number column)
{
    double v;

    return ttp_analysis_cell(report, op, column, &v) ? v : 0;
}

/* As a part of the kernel time of the same row, which the op's may be a mean with others; 0: not
 * known. */
static double part_of_time(const struct ttp_report *report, const struct ttp_op *op,
                           enum ttp_ops_number column)
{
    const double own = cell(report, op, TTP_OPS_KERNEL_NS);

    return cell(report, op, column) / (own > 0 ? own : op->time_us * 1e3);
}

/* Waits of compute are sums over the cores of the op. */
static void see_waits(struct ttp_symptoms *s, const struct ttp_report *report,
                      const struct ttp_op *op)
{
    struct ttp_actor_time *compute = &s->actor[TTP_ACTOR_COMPUTE];
    const double in = part_of_time(report, op, TTP_OPS_CB_WAIT_NS);
    const double out = part_of_time(report, op, TTP_OPS_CB_RESERVE_NS);

    if (!(in + out > 0) || !(s->cores > 0))
        return;
    compute->says_waits = true;
    compute->wait_in = fmin(in / s->cores, 1);
    compute->wait_out = fmin(out / s->cores, 1);
}

static void see_threads(struct ttp_symptoms *s, const struct ttp_report *report,
                        const struct ttp_op *op)
{
    static const enum ttp_ops_number column[TTP_ACTORS] = {
        [TTP_ACTOR_NCRISC] = TTP_OPS_NCRISC_NS,
        [TTP_ACTOR_BRISC] = TTP_OPS_BRISC_NS,
        [TTP_ACTOR_COMPUTE] = TTP_OPS_TRISC1_NS,
    };

    for (size_t i = 0; i < TTP_ACTORS; i++)
        s->actor[i].time = fmin(part_of_time(report, op, column[i]), 1);
    see_waits(s, report, op);
}

/* Of a device log alone: a library's program may use few cores on purpose, for example one per DRAM
 * bank. */
static bool is_nameless(const struct ttp_report *report, const struct ttp_op *op)
{
    return op->raw_code != TTP_SYM_MISSING &&
           ttp_str_starts(ttp_sym_name(report->syms, op->raw_code), TTP_STR(TTP_PROGRAM_OP " on "));
}

static struct ttp_roles roles_of(const struct ttp_report *report, const struct ttp_op *op)
{
    const struct ttp_role_evidence e = {
        .op = ttp_sym_name(report->syms, op->raw_code),
        .sources = ttp_analysis_text(report, op, TTP_OPS_DM_SOURCE),
    };

    return ttp_diagnose_roles(&e);
}

/* Is the op one of which more than its kind is known? */
static bool has_symptoms(const struct ttp_op *op)
{
    return op->kind == TTP_OP_DEVICE && (op->has & TTP_HAS_TIME) && op->time_us > 0;
}

/* All but the roles, which are found in names. */
static void symptoms_but_roles(struct ttp_symptoms *out, const struct ttp_report *report,
                               const struct ttp_op *op)
{
    const struct ttp_arch *arch = report->arch;
    const double average = cell(report, op, TTP_OPS_CORE_AVG_NS);
    double cores;

    *out = (struct ttp_symptoms){.on_host = op->kind == TTP_OP_HOST};
    if (!has_symptoms(op) || !arch) /* of a chip that nothing names no peak is known */
        return;
    out->time_us = op->time_us;
    out->gap_us = op->has & TTP_HAS_GAP ? op->gap_us : 0;
    if (op->has & TTP_HAS_DRAM_PCT) {
        out->dram_gbs = op->dram_gbs;
        out->dram_pct = op->dram_pct;
    } else {
        out->dram_pct = cell(report, op, TTP_OPS_DRAM_UTIL);
    }
    out->dram_peak_gbs = arch->dram_gbs;
    out->one_noc_part = arch->one_noc_part;
    if (op->has & TTP_HAS_FLOPS_PCT) {
        out->flops_pct = op->flops_pct;
        out->flops_peak = op->flops_pct > 0 ? op->tflops / op->flops_pct * 100 : 0;
    }
    out->link_gbs = op->has & TTP_HAS_LINK ? op->link_gbs : 0;
    out->link_peak_gbs = arch->link_gbs;
    out->has_noc = ttp_analysis_cell(report, op, TTP_OPS_NOC_UTIL, &out->noc_pct);
    out->congestion_pct = cell(report, op, TTP_OPS_CONGESTION);
    out->hot_link = ttp_analysis_text(report, op, TTP_OPS_HOT_LINK);
    out->cores = ttp_cell_f64(op->cores, &cores) ? cores : 0;
    out->available_cores =
        op->has & TTP_HAS_AVAILABLE && !is_nameless(report, op) ? (double)op->available_cores : 0;
    out->one_core_a_bank = op->has & TTP_DRAM_SHARDED;
    out->imbalance = average > 0 ? cell(report, op, TTP_OPS_CORE_MAX_NS) / average : 0;
    out->has_fill = op->has & TTP_HAS_FILL;
    out->fill_pct = op->fill_pct;
    see_threads(out, report, op);
}

void ttp_analysis_symptoms(struct ttp_symptoms *out, const struct ttp_report *report,
                           const struct ttp_op *op)
{
    symptoms_but_roles(out, report, op);
    if (has_symptoms(op))
        out->roles = roles_of(report, op);
}

/* The roles of an op of that name whose kernels have those sources. */
struct known_roles {
    bool known;
    ttp_sym code;
    struct ttp_roles roles;
};

/* `known`, by symbol of the sources, holds those of the op that had them last. */
static struct ttp_roles roles_once(struct known_roles *known, const struct ttp_report *report,
                                   const struct ttp_op *op)
{
    const ttp_sym sources = ttp_ops_sym(report->ops, TTP_OPS_DM_SOURCE, op->row);

    if (sources >= report->syms->count)
        return roles_of(report, op);
    struct known_roles *k = &known[sources];
    if (!k->known || k->code != op->raw_code)
        *k = (struct known_roles){true, op->raw_code, roles_of(report, op)};
    return k->roles;
}

void ttp_analysis_stage_limits(struct ttp_stage *s)
{
    struct known_roles *known = TTP_NEW(s->arena, struct known_roles, s->report->syms->count);

    for (size_t i = 0; i < s->report->count; i++) {
        const struct ttp_op *op = &s->report->op[i];
        struct ttp_symptoms symptoms;
        struct ttp_op_verdict d;

        symptoms_but_roles(&symptoms, s->report, op);
        if (has_symptoms(op))
            symptoms.roles = roles_once(known, s->report, op);
        ttp_diagnose(&d, &symptoms);
        s->report->op[i].limit = (uint8_t)d.limit;
    }
}

ttp_str ttp_analysis_limit_text(const struct ttp_report *report, const struct ttp_op *op,
                                struct ttp_arena *arena)
{
    struct ttp_symptoms symptoms;

    symptoms_but_roles(&symptoms, report, op);
    return ttp_diagnosis_limit_evidence(&symptoms, (enum ttp_limit)op->limit, arena);
}

struct ttp_ceiling ttp_analysis_ceiling(const struct ttp_report *report, const struct ttp_op *op)
{
    struct ttp_symptoms symptoms;

    ttp_analysis_symptoms(&symptoms, report, op);
    return ttp_diagnosis_ceiling(&symptoms, (enum ttp_limit)op->limit);
}
