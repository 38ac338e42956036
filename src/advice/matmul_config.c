/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_config.c - what tt-perf config would propose for the matmuls of a report. */
#include "advice/plan_rules.h"

/* Problems that a plan looks at; others of it go without a proposal. */
#define PROBLEMS_MAX 16
/* Less than that is within what the model cannot tell apart. */
#define LEAST_PART 0.05

const struct ttp_board *ttp_advice_board(const struct ttp_report *report)
{
    const struct ttp_boards *boards = report->boards ? report->boards : ttp_boards_builtin();

    return report->arch->board ? ttp_board_find(boards, ttp_str_from(report->arch->board)) : NULL;
}

bool ttp_advice_matmul(struct ttp_config_op *out, const struct ttp_report *report, size_t op)
{
    const struct ttp_op *o = &report->op[op];

    return report->ops && report->arch && o->kind == TTP_OP_DEVICE &&
           (o->analysed == TTP_ANALYSED_FULL ||
            (ttp_op_family_of(ttp_sym_name(report->syms, o->raw_code)).traits & TTP_IS_SPARSE)) &&
           ttp_config_of_row(out, report->ops, o->row, ttp_advice_board(report), NULL) == TTP_OK;
}

bool ttp_advice_configs(struct ttp_op_configs *out, const struct ttp_report *report, size_t op,
                        size_t top, struct ttp_arena *arena)
{
    struct ttp_config_request request = {.top = top};
    const struct ttp_config_row *used = NULL;

    *out = (struct ttp_op_configs){0};
    if (!ttp_advice_matmul(&out->op, report, op) || out->op.problem.sparse)
        return false;
    if (out->op.has_config)
        request.used = &out->op.config;
    request.measured_us = report->op[op].time_us;
    ttp_config_propose(&out->found, &out->op.problem, &request, arena);
    for (size_t i = 0; i < out->found.count; i++) {
        const struct ttp_config_row *row = &out->found.row[i];

        if (row->origin == TTP_ORIGIN_USED && row->has_time)
            used = row;
        if (row->origin == TTP_ORIGIN_PROPOSED && !out->best)
            out->best = row;
    }
    if (!out->best)
        return false;
    /* the model errs alike on both configs of one problem: their ratio is surer than a difference
     */
    out->gain_part = used                      ? 1 - out->best->time.ns / used->time.ns
                     : request.measured_us > 0 ? 1 - out->best->time.ns / 1e3 / request.measured_us
                                               : 0;
    return true;
}

/* ---- for a plan ---- */

struct known {
    struct ttp_config_op op;
    struct ttp_plan_config config;
};

static void describe(struct ttp_plan_config *out, const struct ttp_op_configs *found,
                     struct ttp_arena *arena)
{
    const struct ttp_config_row *best = found->best;

    *out = (struct ttp_plan_config){
        .known = true,
        .pays = found->gain_part >= LEAST_PART,
        .config = ttp_config_text(&best->config, arena),
        .predicted_us = best->time.ns / 1e3,
        .low_us = best->time.low_ns / 1e3,
        .high_us = best->time.high_ns / 1e3,
        .gain_part = found->gain_part,
        .confidence = ttp_cost_confidence_name(best->time.confidence),
        .try_it = best->try_it,
        .moves_tensors = best->moves_tensors,
    };
}

void ttp_plan_add_configs(struct ttp_plan *plan, const struct ttp_report *report,
                          struct ttp_arena *arena)
{
    struct known *known = TTP_NEW(arena, struct known, PROBLEMS_MAX);
    size_t count = 0;

    for (size_t i = 0; i < plan->count; i++) {
        struct ttp_plan_item *item = &plan->item[i];
        /* rules about gaps name ops for what is before them */
        const size_t most = item->device_pct > 0 ? TTP_PLAN_CONFIGS : 0;
        const size_t n = item->ops < most ? item->ops : most;

        for (size_t k = 0; k < n; k++) {
            struct ttp_op_configs found;
            struct ttp_config_op op;
            size_t at = 0;

            if (!ttp_advice_matmul(&op, report, item->op[k]))
                continue;
            while (at < count && !ttp_config_op_same(&known[at].op, &op))
                at++;
            if (at == PROBLEMS_MAX)
                continue;
            if (at == count) {
                known[count++].op = op;
                if (ttp_advice_configs(&found, report, item->op[k], 1, arena))
                    describe(&known[at].config, &found, arena);
            }
            item->config[k] = known[at].config;
            item->config[k].gain_us = known[at].config.gain_part * report->op[item->op[k]].time_us;
        }
    }
}
