/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_config.c - what tt-perf config would propose for the matmuls of a report. */
#include "advice/plan_rules.h"

/* Problems that a plan looks at; others of it go without a proposal. */
#define PROBLEMS_MAX 16
/* Less than that is within what the model cannot tell apart. */
#define LEAST_PART 0.05

static const struct ttp_board *board_of(const struct ttp_report *report)
{
    const struct ttp_boards *boards = report->boards ? report->boards : ttp_boards_builtin();

    return report->arch->board ? ttp_board_find(boards, ttp_str_from(report->arch->board)) : NULL;
}

bool ttp_advice_matmul(struct ttp_config_op *out, const struct ttp_report *report, size_t op)
{
    const struct ttp_op *o = &report->op[op];

    return report->ops && report->arch && o->kind == TTP_OP_DEVICE &&
           (o->analysed == TTP_ANALYSED_FULL ||
            ttp_str_has(ttp_sym_name(report->syms, o->raw_code), TTP_STR("SparseMatmul"))) &&
           ttp_config_of_row(out, report->ops, o->row, board_of(report), NULL) == TTP_OK;
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

static bool same_place(const struct ttp_placement *a, const struct ttp_placement *b)
{
    return a->layout == b->layout && a->l1 == b->l1 && a->has_shard == b->has_shard &&
           a->nd == b->nd && a->col_major == b->col_major && a->height == b->height &&
           a->width == b->width && a->cores == b->cores && a->grid_x == b->grid_x &&
           a->grid_y == b->grid_y;
}

static bool same_sizes(const struct ttp_matmul *a, const struct ttp_matmul *b)
{
    return a->m == b->m && a->k == b->k && a->n == b->n && a->k1 == b->k1 && a->batch == b->batch &&
           a->batch_b == b->batch_b && a->tile_h == b->tile_h && a->tile_w == b->tile_w &&
           a->bias_h == b->bias_h && a->user_x == b->user_x && a->user_y == b->user_y &&
           a->other_l1_bytes == b->other_l1_bytes && a->chip.board == b->chip.board &&
           a->chip.grid_x == b->chip.grid_x && a->chip.grid_y == b->chip.grid_y;
}

static bool same_options(const struct ttp_matmul *a, const struct ttp_matmul *b)
{
    return a->a == b->a && a->b == b->b && a->out == b->out && a->bias == b->bias &&
           a->fidelity == b->fidelity && a->activation == b->activation &&
           a->fp32_acc == b->fp32_acc && a->l1_acc == b->l1_acc && a->full_sync == b->full_sync &&
           a->transpose_a == b->transpose_a && a->transpose_b == b->transpose_b &&
           a->untilize == b->untilize && a->not_tiled == b->not_tiled && a->sparse == b->sparse &&
           a->swiglu == b->swiglu && a->global_cb == b->global_cb;
}

static bool same_config(const struct ttp_matmul_config *a, const struct ttp_matmul_config *b)
{
    return a->type == b->type && a->grid_x == b->grid_x && a->grid_y == b->grid_y &&
           a->block_w == b->block_w && a->subblock_h == b->subblock_h &&
           a->subblock_w == b->subblock_w && a->out_block_h == b->out_block_h &&
           a->out_block_w == b->out_block_w && a->per_core_m == b->per_core_m &&
           a->per_core_n == b->per_core_n && a->activation == b->activation &&
           a->transpose_mcast == b->transpose_mcast && a->fuse_batch == b->fuse_batch &&
           a->mcast_in0 == b->mcast_in0 && a->gather_in0 == b->gather_in0 &&
           a->untilize_out == b->untilize_out && a->stream_in1 == b->stream_in1 &&
           a->has_hop_cores == b->has_hop_cores && a->receivers == b->receivers;
}

bool ttp_advice_same_matmul(const struct ttp_config_op *a, const struct ttp_config_op *b)
{
    return same_sizes(&a->problem, &b->problem) && same_options(&a->problem, &b->problem) &&
           same_place(&a->problem.in0, &b->problem.in0) &&
           same_place(&a->problem.in1, &b->problem.in1) &&
           same_place(&a->problem.out_at, &b->problem.out_at) && a->has_config == b->has_config &&
           same_config(&a->config, &b->config);
}

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
        .confidence = ttp_confidence_name(best->time.confidence),
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
            while (at < count && !ttp_advice_same_matmul(&known[at].op, &op))
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
