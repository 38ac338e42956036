/* SPDX-License-Identifier: Apache-2.0 */
/* config_other.c - `tt-perf config` of ops that are not matmuls. */
#include "verbs/config_job.h"
#include "verbs/config_problem.h"

static bool other_kind(enum ttp_other_kind *out, const char *word)
{
    for (size_t i = 0; i < TTP_OTHERS; i++)
        if (strcmp(word, ttp_config_other_name((enum ttp_other_kind)i)) == 0) {
            *out = (enum ttp_other_kind)i;
            return true;
        }
    return false;
}

static ttp_code read_other(struct ttp_other *p, struct ttp_config_job *j)
{
    size_t n;
    const char *names = ttp_config_other_sizes(p->kind, &n);

    if (j->rest.count < n + 1) {
        (void)ttp_fail(j->err, TTP_EUSAGE, "%s needs %s", ttp_config_other_name(p->kind), names);
        return TTP_EUSAGE;
    }
    for (size_t i = 0; i < n; i++)
        if (!ttp_str_to_u64(ttp_str_from(j->rest.word[i + 1]), &p->size[i]) || p->size[i] < 1 ||
            p->size[i] > UINT32_C(1) << 21)
            return ttp_fail(j->err, TTP_EUSAGE, "invalid size '%s': must be 1 to 2097152",
                            j->rest.word[i + 1]);
    j->rest.word += n + 1;
    j->rest.count -= n + 1;
    return TTP_OK;
}

bool ttp_config_is_other(const struct ttp_config_job *j)
{
    enum ttp_other_kind kind;

    return j->rest.count && other_kind(&kind, j->rest.word[0]);
}

static ttp_code set_up(struct ttp_other *p, struct ttp_config_job *j)
{
    const char *name = j->o->shared.board ? j->o->shared.board : "p150";
    const struct ttp_board *board;

    TTP_TRY(ttp_config_board(&board, j, name));
    if (!ttp_cost_chip_of(&p->chip, board))
        return ttp_fail(j->err, TTP_ENOTFOUND, "the grid, banks or L1 of '%s' are unknown",
                        board->name);
    ttp_cost_matmul_init(&j->op.problem, &p->chip);
    TTP_TRY(ttp_config_set_all(j));
    p->type = j->op.problem.a;
    p->fp32_acc = j->op.problem.fp32_acc;
    p->in0 = j->op.problem.in0;
    p->out_at = j->op.problem.out_at;
    return TTP_OK;
}

/* The config that the operands spell, or proposals; returns how many rows there are. */
static ttp_code make_rows(size_t *rows, struct ttp_other_row *row, size_t most,
                          const struct ttp_other *p, const struct ttp_config_job *j)
{
    struct ttp_other_config config;
    struct ttp_sink text;

    if (j->action != CONFIG_CHECK) {
        *rows =
            ttp_config_other_propose(row, (size_t)j->o->top < most ? (size_t)j->o->top : most, p);
        return TTP_OK;
    }
    ttp_sink_to_arena(&text, j->ctx->arena);
    for (size_t i = 0; i < j->rest.count; i++)
        ttp_sink_printf(&text, "%s%s", i ? " " : "", j->rest.word[i]);
    TTP_TRY(ttp_config_other_parse(&config, p->kind, ttp_sink_text(&text), j->err));
    ttp_config_other_check(&row[0], p, &config);
    *rows = 1;
    return TTP_OK;
}

/* check and propose of a sharded norm, attention or a convolution. */
ttp_code ttp_config_run_other(int *status, struct ttp_config_job *j)
{
    struct ttp_config_context context = {j->ctx->arena};
    enum ttp_other_kind kind = TTP_OTHER_LAYERNORM;
    struct ttp_other p = {.type = TTP_TILE_BF16};
    struct ttp_other_row row[20];
    struct ttp_sink s;
    size_t rows;

    (void)other_kind(&kind, j->rest.word[0]);
    p.kind = kind;
    TTP_TRY(set_up(&p, j));
    TTP_TRY(read_other(&p, j));
    if (j->action == CONFIG_AUTO)
        return ttp_fail(j->err, TTP_EUSAGE, "auto supports only matmuls");
    TTP_TRY(make_rows(&rows, row, TTP_COUNT(row), &p, j));
    ttp_sink_to_arena(&s, j->ctx->arena);
    ttp_sink_printf(&s, "%s on %s; rules and L1 of %s only, without calibration",
                    ttp_config_other_name(kind), p.chip.board->name,
                    ttp_config_other_counted(kind));
    const struct ttp_config_list_view v = {.spec = &ttp_config_other_document,
                                           .action =
                                               j->action == CONFIG_CHECK ? "check" : "propose",
                                           .title = ttp_sink_text(&s),
                                           .context = &context,
                                           .row = row,
                                           .row_size = sizeof(*row),
                                           .rows = rows};
    TTP_TRY(ttp_config_show_list(j->ctx, &v, &(struct ttp_words){0}, &j->warnings, j->err));
    if (rows == 0 || (j->action == CONFIG_CHECK && row[0].verdict == TTP_CONFIG_UNDECIDED))
        *status = TTP_EXIT_UNDECIDED;
    else if (row[0].verdict == TTP_CONFIG_BROKEN)
        *status = TTP_EXIT_FINDING;
    return TTP_OK;
}
