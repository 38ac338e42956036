/* SPDX-License-Identifier: Apache-2.0 */
/* promise.c - the promised gain of advice, and the measured one. */
#include <math.h>

#include "advice/advice.h"
#include "tune/tuner.h"

struct ttp_tune_config ttp_tune_config_of(const struct ttp_config_row *row, struct ttp_arena *arena)
{
    return (struct ttp_tune_config){
        .config = ttp_arena_zstr(arena, ttp_config_text(&row->config, arena)),
        .python = ttp_arena_zstr(arena, ttp_config_python(&row->problem, &row->config, arena)),
        .predicted_us = row->time.ns / 1e3,
        .low_us = row->time.low_ns / 1e3,
        .high_us = row->time.high_ns / 1e3};
}

/* The first of an item's ops whose config pays, else the first with a config. TTP_NPOS: none. */
static size_t op_with_config(const struct ttp_plan_item *item)
{
    size_t known = TTP_NPOS;

    for (size_t i = 0; i < item->ops && i < TTP_PLAN_CONFIGS; i++) {
        if (item->config[i].known && item->config[i].pays)
            return i;
        if (item->config[i].known && known == TTP_NPOS)
            known = i;
    }
    return known;
}

static void add_op(struct ttp_tune_promise *out, const struct ttp_plan_item *item,
                   const struct ttp_report *report, struct ttp_arena *arena)
{
    const size_t with = op_with_config(item), first = with == TTP_NPOS ? 0 : with;
    struct ttp_op_configs configs;

    if (item->ops == 0)
        return;
    const struct ttp_op *op = &report->op[item->op[first]];
    out->op_id = (uint64_t)op->row + 2;
    out->op = ttp_arena_zstr(arena, ttp_sym_name(report->syms, op->name));
    out->op_us = op->has & TTP_HAS_TIME ? op->time_us : NAN;
    struct ttp_op_configs_wanted wanted;
    if (with == TTP_NPOS || !ttp_plan_configs_wanted(&wanted, item))
        return;
    wanted.op = item->op[first];
    if (!ttp_advice_configs(&configs, report, wanted, arena))
        return;
    out->best = ttp_tune_config_of(configs.best, arena);
    out->pays = item->config[first].pays;
}

ttp_code ttp_tune_promise_of(struct ttp_tune_promise *out, struct ttp_tune_advised by,
                             uint64_t number, struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_plan *plan = by.plan;

    if (number == 0 || number > plan->count) {
        ttp_fail(err, TTP_EUSAGE, "no advice %llu: the plan of the best has %zu",
                 (unsigned long long)number, plan->count);
        ttp_err_hint(err, "'tt-perf tune status' and 'tt-perf advise' list them, the largest gain "
                          "first");
        return TTP_EUSAGE;
    }
    const struct ttp_plan_item *item = &plan->item[number - 1];
    const bool ranged = item->further_us > 0;
    *out = (struct ttp_tune_promise){.rule = item->rule->id,
                                     .number = number,
                                     .title = item->rule->title,
                                     .step = ttp_advice_step_id(item->rule->step),
                                     .evidence = ttp_arena_zstr(arena, item->evidence),
                                     .gain_us = item->gain_us,
                                     .gain_pct = item->gain_us > 0 ? item->gain_pct : 0,
                                     .device_pct = item->gain_us > 0 ? item->device_pct : 0,
                                     .low_part = ranged ? item->low_us / item->further_us : NAN,
                                     .high_part = ranged ? item->high_us / item->further_us : NAN,
                                     .op = "",
                                     .op_us = NAN};
    add_op(out, item, by.report, arena);
    return TTP_OK;
}

struct ttp_tune_kept_promise ttp_tune_kept_promise(const struct ttp_tune_session *s,
                                                   const struct ttp_tune_change *c)
{
    const struct ttp_tune_promise *p = &c->promise;
    struct ttp_tune_kept_promise kept = {NAN, NAN, NAN, NAN, false};

    if (!p->rule)
        return kept;
    kept.of_device = p->device_pct > 0 && s->setup.profile != NULL &&
                     strcmp(s->at_start.of[0].metric, "wall") != 0;
    const double promised = kept.of_device ? p->device_pct : p->gain_pct;
    if (promised > 0) {
        kept.promised_pct = promised;
        kept.low_pct = promised * p->low_part;
        kept.high_pct = promised * p->high_part;
    }
    if (c->measured.count == 0)
        return kept;
    const struct ttp_tune_figures *f = &c->measured.of[0];
    kept.real_pct = 100 * (f->better == TTP_BETTER_LOWER ? -f->change : 1 - 1 / (1 + f->change));
    return kept;
}

/* ---- a space of configs ---- */

#define CONFIGS_MOST 16

static ttp_code no_space(struct ttp_tune_which which, struct ttp_err *err)
{
    if (which.id)
        ttp_fail(err, TTP_EUSAGE, "no config is proposed for the op with ID %llu of the profile",
                 (unsigned long long)which.id);
    else
        ttp_fail(err, TTP_EUSAGE, "no config is proposed for a matmul of the %s",
                 which.advice ? "advice" : "plan");
    ttp_err_hint(err, "'tt-perf config check --run RUN' lists the matmuls of a profile; choose one "
                      "with --id");
    return TTP_EUSAGE;
}

/* The item whose proposal saves most, or the one that was asked for. */
static size_t op_of_plan(const struct ttp_plan *plan, uint64_t advice)
{
    double most = -1;
    size_t found = TTP_NPOS;

    for (size_t i = 0; i < plan->count; i++) {
        const struct ttp_plan_item *item = &plan->item[i];
        const size_t with = op_with_config(item);

        if (with == TTP_NPOS || (advice && i + 1 != advice) || item->config[with].gain_us <= most)
            continue;
        most = item->config[with].gain_us;
        found = item->op[with];
    }
    return found;
}

static size_t find_op(const struct ttp_plan *plan, const struct ttp_report *report,
                      struct ttp_tune_which which)
{
    if (!which.id)
        return op_of_plan(plan, which.advice);
    for (size_t i = 0; i < report->count; i++)
        if ((uint64_t)report->op[i].row + 2 == which.id)
            return i;
    return TTP_NPOS;
}

/* How many ops of the iteration are the same matmul, and their time. */
static void count_alike(struct ttp_tune_space *out, const struct ttp_report *report,
                        const struct ttp_config_op *chosen)
{
    const char *name = report->arch ? report->arch->board : NULL;
    const struct ttp_board *board = name ? ttp_board_of(report->boards, ttp_str_from(name)) : NULL;

    for (size_t i = 0; i < report->count; i++) {
        struct ttp_config_op op;
        struct ttp_err none = {0};

        if (!(report->op[i].has & TTP_HAS_TIME) ||
            ttp_config_of_row(&op, report->ops, report->op[i].row, board, &none) != TTP_OK ||
            !ttp_config_op_same(&op, chosen))
            continue;
        out->op_ops++;
        out->op_us += report->op[i].time_us;
    }
}

static bool is_before(const struct ttp_config_row *a, const struct ttp_config_row *b)
{
    return a->time.ns < b->time.ns;
}

ttp_code ttp_tune_find_space(struct ttp_tune_space *out, struct ttp_tune_advised by,
                             struct ttp_tune_which which, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    const struct ttp_report *report = by.report;
    const size_t op = find_op(by.plan, report, which);
    const struct ttp_config_row *row[CONFIGS_MOST];
    struct ttp_op_configs configs;
    size_t n = 0;

    *out = (struct ttp_tune_space){0};
    if (op == TTP_NPOS ||
        !ttp_advice_configs(&configs, report,
                            (struct ttp_op_configs_wanted){.op = op, .top = CONFIGS_MOST}, arena))
        return no_space(which, err);
    for (size_t i = 0; i < configs.found.count; i++) {
        const struct ttp_config_row *r = &configs.found.row[i];
        size_t at = n;

        if (r->origin != TTP_ORIGIN_PROPOSED || !r->has_time || n == CONFIGS_MOST)
            continue;
        for (; at > 0 && is_before(r, row[at - 1]); at--)
            row[at] = row[at - 1];
        row[at] = r;
        n++;
    }
    if (n == 0)
        return no_space(which, err);
    out->op_id = (uint64_t)report->op[op].row + 2;
    out->op = ttp_arena_zstr(arena, ttp_sym_name(report->syms, report->op[op].name));
    count_alike(out, report, &configs.op);
    if (out->op_ops == 0) {
        out->op_ops = 1;
        out->op_us = report->op[op].has & TTP_HAS_TIME ? report->op[op].time_us : NAN;
    }
    out->config = TTP_NEW(arena, struct ttp_tune_config, n);
    for (size_t i = 0; i < n; i++)
        out->config[i] = ttp_tune_config_of(row[i], arena);
    out->configs = n;
    return TTP_OK;
}
