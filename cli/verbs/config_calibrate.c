/* SPDX-License-Identifier: Apache-2.0 */
/* config_calibrate.c - fits the constants of the cost model to runs of the user. */
#include "verbs/config_calibrate.h"

#include "base/order.h"
#include "base/outsink.h"
#include "base/vec.h"
#include "config/config.h"
#include "core/run_input.h"

#define RUNS_MAX 1000

struct calibrating {
    const struct ttp_ctx *ctx;
    const struct ttp_config_opts *o;
    struct ttp_words warnings;
    const struct ttp_board *board; /* of the first run */
    struct ttp_cost_sample *sample;
    size_t count;
    struct ttp_err *err;
};

ttp_code ttp_config_show_list(const struct ttp_ctx *ctx, const struct ttp_config_list_view *view,
                              const struct ttp_words *inputs, const struct ttp_words *warnings,
                              struct ttp_err *err)
{
    struct ttp_show show = ctx->show;

    show.inputs = inputs;
    show.warnings = warnings;
    return ttp_out_config_list(&show, view, err);
}

static void add(struct calibrating *c, const struct ttp_config_op *op, double ns, uint32_t source)
{
    *TTP_PUSH(c->ctx->arena, c->sample, c->count) =
        (struct ttp_cost_sample){op->problem, op->config, ns, source};
}

/* One sample for all calls of a run that are alike: their median. */
static void take_run(struct calibrating *c, const struct ttp_config_run *run, uint32_t source)
{
    double *time = TTP_NEW(c->ctx->arena, double, run->count);
    bool *taken = TTP_NEW(c->ctx->arena, bool, run->count);

    for (size_t i = 0; i < run->count; i++) {
        const struct ttp_config_op_row *first = &run->op[i];
        size_t n = 0;

        if (taken[i] || !first->known || first->op->problem.sparse)
            continue;
        for (size_t j = i; j < run->count; j++)
            if (run->op[j].op == first->op) {
                taken[j] = true;
                if (run->op[j].measured_us > 0)
                    time[n++] = run->op[j].measured_us * 1e3;
            }
        if (n == 0)
            continue;
        TTP_SORT(time, n, ttp_by_f64);
        add(c, first->op, time[n / 2], source);
    }
}

static ttp_code read_run(struct calibrating *c, const char *path, uint32_t source)
{
    const struct ttp_report_options analysis = {.arch = c->o->board, .boards = c->ctx->boards};
    struct ttp_words *kept = c->ctx->show.form == TTP_FORM_JSON ? &c->warnings : NULL;
    struct ttp_run_input *in = TTP_NEW(c->ctx->arena, struct ttp_run_input, 1);
    struct ttp_config_run run;

    const struct ttp_run_wanted wanted = {path, &analysis, 0, kept, false};
    TTP_TRY(ttp_run_input_read(in, &wanted, c->ctx, c->err));
    const char *name = c->o->board ? c->o->board : in->report.arch->board;
    const struct ttp_board *board = name ? ttp_board_of(c->ctx->boards, ttp_str_from(name)) : NULL;
    if (!board || !ttp_board_costs(board))
        return ttp_fail(c->err, TTP_ENOTFOUND, "'%.150s': no cost model for this chip", path);
    if (c->board && strcmp(c->board->chip, board->chip) != 0)
        return ttp_fail(c->err, TTP_EUSAGE, "'%.120s' ran on %s, the previous runs on %s", path,
                        board->chip, c->board->chip);
    if (!c->board)
        c->board = board;
    ttp_config_check_run(&run, &in->ops, board, c->ctx->arena);
    take_run(c, &run, source);
    return TTP_OK;
}

/* A boards file with the constants that changed. */
static ttp_code write_boards(const struct calibrating *c, const struct ttp_cost_fit *fit)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, c->o->write, c->err));
    ttp_sink_printf(&out.sink,
                    "# constants of the cost model, fitted by tt-perf config calibrate on %zu "
                    "matmuls\n# |log2(predicted/measured)|: median %.3f, held out %.3f\n[%s]\n",
                    fit->samples, fit->after.median, fit->held_out.median, c->board->name);
    for (size_t i = 0; i < TTP_COSTS; i++)
        if (fit->value[i].value != fit->old_value[i]) {
            ttp_sink_printf(&out.sink, "%s = ", ttp_cost_specs[i].id);
            ttp_sink_f64(&out.sink, fit->value[i].value, TTP_NUM_JSON);
            ttp_sink_own(&out.sink, "\n");
        }
    return ttp_outsink_close(&out, TTP_OK, c->err);
}

ttp_code ttp_config_calibrate(int *status, const struct ttp_ctx *ctx,
                              const struct ttp_config_opts *o, const struct ttp_words *runs,
                              struct ttp_err *err)
{
    struct calibrating c = {.ctx = ctx, .o = o, .err = err};
    struct ttp_cost_row row[TTP_COSTS];
    struct ttp_cost_fit fit;
    struct ttp_sink title;

    if (runs->count == 0 || runs->count > RUNS_MAX)
        return ttp_fail(err, TTP_EUSAGE, "calibrate takes 1 to %d runs", RUNS_MAX);
    for (size_t i = 0; i < runs->count; i++)
        TTP_TRY(read_run(&c, runs->word[i], (uint32_t)i));
    const ttp_code rc = ttp_cost_calibrate(&fit, c.sample, c.count, ctx->arena, err);
    if (rc == TTP_ENOTFOUND) {
        ttp_ctx_warn(ctx, "not enough data to fit: %s", err ? err->text : "");
        *status = TTP_EXIT_UNDECIDED;
        return TTP_OK;
    }
    TTP_TRY(rc);
    for (size_t i = 0; i < TTP_COSTS; i++)
        row[i] = (struct ttp_cost_row){&fit, (enum ttp_cost_constant)i};
    ttp_sink_to_arena(&title, ctx->arena);
    ttp_sink_printf(&title,
                    "%zu different matmuls on %s: |log2(predicted/measured)| median %.3f p90 %.3f "
                    "before, %.3f %.3f after; held out in %zu parts %.3f %.3f",
                    fit.samples, c.board->name, fit.before.median, fit.before.p90, fit.after.median,
                    fit.after.p90, fit.parts, fit.held_out.median, fit.held_out.p90);
    const struct ttp_config_list_view v = {.spec = &ttp_config_constants_document,
                                           .action = "calibrate",
                                           .title = ttp_sink_text(&title),
                                           .row = row,
                                           .row_size = sizeof(*row),
                                           .rows = TTP_COSTS};
    TTP_TRY(ttp_config_show_list(ctx, &v, runs, &c.warnings, c.err));
    if (fit.held_out.median > fit.before.median)
        ttp_ctx_warn(ctx, "the new constants are not better on held-out data: keep the current "
                          "ones");
    return o->write ? write_boards(&c, &fit) : TTP_OK;
}
