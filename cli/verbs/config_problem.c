/* SPDX-License-Identifier: Apache-2.0 */
/* config_problem.c - the matmul of `tt-perf config`: as typed, of a capture or of a run. */
#include "verbs/config_problem.h"
#include "verbs/capture_room.h"
#include "verbs/config_capture.h"

ttp_code ttp_config_board(const struct ttp_board **out, const struct ttp_config_job *j,
                          const char *name)
{
    *out = ttp_board_of(j->ctx->boards, ttp_str_from(name));
    if (*out)
        return TTP_OK;
    struct ttp_sink known;
    (void)ttp_fail(j->err, TTP_EUSAGE, "unknown board or chip '%s'", name);
    ttp_sink_to_arena(&known, j->ctx->arena);
    for (size_t i = 0; i < j->ctx->boards->count; i++)
        ttp_sink_printf(&known, "%s%s", i ? " " : "", j->ctx->boards->board[i].name);
    ttp_err_hint(j->err, "known: %.*s", TTP_FMT(ttp_sink_text(&known)));
    return TTP_EUSAGE;
}

static ttp_code fold_batch(struct ttp_config_job *j)
{
    if (j->op.problem.batch_b != 1)
        return ttp_fail(j->err, TTP_EUSAGE,
                        "--fold-batch requires the same weights for all batches, not %llu",
                        (unsigned long long)j->op.problem.batch_b);
    ttp_config_fold_batch(&j->op.problem);
    j->op.has_config = false; /* of another shape */
    return TTP_OK;
}

/* Another matmul than that of the run? */
static bool asks_other(const struct ttp_config_args *o)
{
    return o->batch || o->batch_b || o->fold_batch || o->set.count;
}

ttp_code ttp_config_set_all(struct ttp_config_job *j)
{
    const struct ttp_config_args *o = j->o;
    struct ttp_matmul *p = &j->op.problem;
    bool other = asks_other(o);
    const struct {
        const char *name, *value;
    } given[] = {
        {"a", o->in0},
        {"b", o->weights},
        {"o", o->out},
        {"bias", o->bias},
        {"am", o->in0_memory},
        {"bm", o->weights_memory},
        {"om", o->out_memory},
        {"fid", o->fidelity},
        {"act", o->activation},
        {"fp32", o->fp32 ? "" : NULL},
        {"no-l1acc", o->no_l1acc ? "" : NULL},
        {"full-sync", o->full_sync ? "" : NULL},
    };

    for (size_t i = 0; i < TTP_COUNT(given); i++) {
        other = other || given[i].value;
        if (given[i].value)
            TTP_TRY(ttp_config_matmul_set(p, given[i].name, ttp_str_from(given[i].value), j->err));
    }
    if (o->batch)
        p->batch = (uint64_t)o->batch;
    if (o->batch_b)
        p->batch_b = (uint64_t)o->batch_b;
    for (size_t i = 0; i < o->set.count; i++) {
        const ttp_str word = ttp_str_from(o->set.word[i]);
        const size_t sign = ttp_str_find_char(word, '=');
        const char *name = ttp_arena_zstr(j->ctx->arena, ttp_str_slice(word, 0, sign));

        TTP_TRY(ttp_config_matmul_set(
            p, name, sign == TTP_NPOS ? (ttp_str){0} : ttp_str_slice(word, sign + 1, word.len),
            j->err));
    }
    if (other)
        j->op.measured_ns = 0;
    return o->fold_batch ? fold_batch(j) : TTP_OK;
}

static bool starts_with_number(const struct ttp_words *operands)
{
    return operands->count && operands->word[0][0] >= '0' && operands->word[0][0] <= '9';
}

/* M K N at the start of the operands. */
static ttp_code read_sizes(struct ttp_config_job *j)
{
    uint64_t *const size[3] = {&j->op.problem.m, &j->op.problem.k, &j->op.problem.n};

    if (j->rest.count < 3 || (j->o->mem && !starts_with_number(&j->rest))) {
        if (j->o->mem)
            return ttp_fail(j->err, TTP_EUSAGE,
                            "the capture has no shapes of a matmul at op %lld: give M K N",
                            (long long)j->o->op);
        (void)ttp_fail(j->err, TTP_EUSAGE, "missing matmul: give M K N, or --run RUN --id N");
        ttp_err_hint(j->err, "for example: tt-perf config 32 4096 14336 --weights bfp4");
        return TTP_EUSAGE;
    }
    for (size_t i = 0; i < 3; i++)
        if (!ttp_str_to_u64(ttp_str_from(j->rest.word[i]), size[i]) || *size[i] < 1 ||
            *size[i] > UINT32_C(1) << 21)
            return ttp_fail(j->err, TTP_EUSAGE, "invalid size '%s': must be 1 to 2097152",
                            j->rest.word[i]);
    j->rest.word += 3;
    j->rest.count -= 3;
    return TTP_OK;
}

static ttp_code set_chip(struct ttp_config_job *j, const struct ttp_board *board)
{
    struct ttp_cost_chip chip;

    if (!ttp_cost_chip_of(&chip, board))
        return ttp_fail(j->err, TTP_ENOTFOUND, "the grid, banks or L1 of '%s' are unknown",
                        board->name);
    ttp_cost_matmul_init(&j->op.problem, &chip);
    return TTP_OK;
}

static ttp_code typed_problem(struct ttp_config_job *j)
{
    const struct ttp_board *board;

    TTP_TRY(ttp_config_board(&board, j, j->o->shared.board ? j->o->shared.board : "p150"));
    TTP_TRY(set_chip(j, board));
    TTP_TRY(read_sizes(j));
    return ttp_config_set_all(j);
}

/* Of the op of a capture. Other sizes than its own are those of another matmul, of which only the
 * chip and the room are known. */
static ttp_code captured_problem(struct ttp_config_job *j)
{
    struct ttp_matmul *p = &j->op.problem;
    const struct ttp_board *board = NULL;
    struct ttp_mem_op_tensors tensors = {0};
    struct ttp_capture_room at;

    if (j->o->shared.board)
        TTP_TRY(ttp_config_board(&board, j, j->o->shared.board));
    TTP_TRY(ttp_capture_room_read(&at, j->o->mem, j->o->op, j->ctx, j->err));
    TTP_TRY(ttp_capture_room_board(&board, &at, j->ctx, j->err));
    TTP_TRY(set_chip(j, board));
    ttp_config_chip_of_capture(&p->chip, &at.device);
    struct ttp_matmul captured = *p;
    const bool known =
        ttp_mem_read_op_tensors(&tensors, at.path, &at.op, j->ctx->arena, NULL) == TTP_OK &&
        ttp_config_matmul_of_capture(&captured, &tensors, j->ctx->arena);
    if (!known || starts_with_number(&j->rest))
        TTP_TRY(read_sizes(j));
    if (known && (p->m == 0 || (p->m == captured.m && p->k == captured.k && p->n == captured.n)))
        *p = captured;
    ttp_config_matmul_leave_room(p, at.room.below_tensors, at.room.below_others);
    return ttp_config_set_all(j);
}

ttp_code ttp_config_read_run(struct ttp_config_job *j)
{
    struct ttp_report_options analysis = j->o->analysis;
    const struct ttp_run_wanted wanted = {
        .operand = j->o->run,
        .analysis = &analysis,
        .warnings = j->ctx->show.form == TTP_FORM_JSON ? &j->warnings : NULL};

    analysis.arch = j->o->shared.board;
    analysis.boards = j->ctx->boards;
    TTP_TRY(ttp_run_input_read(&j->in, &wanted, j->ctx, j->err));
    return ttp_run_input_join_memory(&j->in.ops, j->o->mem, j->o->run, j->ctx, j->err);
}

const struct ttp_board *ttp_config_board_of_run(const struct ttp_config_job *j)
{
    const char *name = j->o->shared.board ? j->o->shared.board : j->in.report.arch->board;

    return name ? ttp_board_of(j->ctx->boards, ttp_str_from(name)) : NULL;
}

/* Of the part of the run that is analysed a row is the mean over its iterations, as `report` shows
 * it. */
static void set_measured(struct ttp_config_op *op, const struct ttp_report *r, size_t row)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->op[i].row == row && r->op[i].has & TTP_HAS_TIME && r->op[i].time_us > 0)
            op->measured_ns = r->op[i].time_us * 1e3;
}

/* A run whose log does not have the whole config, or one of a kind that we do not know, still has
 * the matmul: proposals need no more. */
static ttp_code accept_unread_config(struct ttp_config_job *j)
{
    if (j->action == CONFIG_CHECK && j->rest.count == 0)
        return TTP_EPARSE;
    const char *text = ttp_arena_zstr(
        j->ctx->arena, ttp_sink_format(j->ctx->arena, "the config of ID %lld cannot be read: %s",
                                       (long long)j->o->id, j->err->text));
    *j->err = (struct ttp_err){0};
    j->op.has_config = false;
    ttp_ctx_warn(j->ctx, "%s", text);
    ttp_words_add(&j->warnings, text, j->ctx->arena);
    return TTP_OK;
}

static ttp_code problem_of_run(struct ttp_config_job *j)
{
    TTP_TRY(ttp_config_read_run(j));
    const size_t row = (size_t)j->o->id - 2;
    if (row >= j->in.ops.rows)
        return ttp_fail(j->err, TTP_ENOTFOUND, "no op with ID %lld: the run has IDs 2 to %zu",
                        (long long)j->o->id, j->in.ops.rows + 1);
    ttp_code rc = ttp_config_of_row(&j->op, &j->in.ops, row, ttp_config_board_of_run(j), j->err);
    if (rc == TTP_EPARSE)
        rc = accept_unread_config(j);
    if (rc == TTP_ENOTFOUND)
        ttp_err_hint(j->err, "tt-perf config check --run %.150s lists the matmuls", j->o->run);
    TTP_TRY(rc);
    set_measured(&j->op, &j->in.report, row);
    j->scale = ttp_config_scale(&j->op);
    j->model_us = j->scale > 0 ? j->op.measured_ns / 1e3 / j->scale : 0;
    j->op_name = ttp_sym_name(&j->in.ops.syms, ttp_ops_sym(&j->in.ops, TTP_OPS_CODE, row));
    return ttp_config_set_all(j);
}

ttp_code ttp_config_read_problem(struct ttp_config_job *j)
{
    if (j->o->run)
        return problem_of_run(j);
    return j->o->mem ? captured_problem(j) : typed_problem(j);
}
