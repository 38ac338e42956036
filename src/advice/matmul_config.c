/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_config.c - the proposals of tt-perf config for the matmuls of a report. */
#include "advice/matmul_look.h"
#include "advice/plan_rules.h"

/* Matmuls of a plan that get a proposal; the others get none. */
#define PROBLEMS_MAX 16

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
            (ttp_analysis_family(report, o->raw_code).traits & TTP_IS_SPARSE)) &&
           ttp_config_of_row(out, report->ops, o->row, ttp_advice_board(report), NULL) == TTP_OK;
}

static void change_problem(struct ttp_matmul *p, const struct ttp_op_configs_wanted *wanted)
{
    const struct ttp_formats f = ttp_advice_formats_after(p, wanted->formats);

    if (wanted->folded)
        ttp_config_fold_batch(p);
    p->b = f.weights;
    p->fidelity = f.fidelity;
}

/* The fastest of a family, of those that the model knows as well as the one in use. */
static const struct ttp_config_row *best_of_family(const struct ttp_op_configs *c,
                                                   enum ttp_config_family family,
                                                   enum ttp_confidence known)
{
    const struct ttp_config_row *best = NULL;

    for (size_t i = 0; i < c->found.count; i++) {
        const struct ttp_config_row *row = &c->found.row[i];

        if (row->origin == TTP_ORIGIN_PROPOSED && row->has_time && row->time.confidence >= known &&
            ttp_advice_is_of_family(row->config.type, c->op.config.type, family) &&
            (!best || row->time.ns < best->time.ns))
            best = row;
    }
    return best;
}

bool ttp_advice_configs(struct ttp_op_configs *out, const struct ttp_report *report,
                        struct ttp_op_configs_wanted wanted, struct ttp_arena *arena)
{
    struct ttp_config_request request = {.top = wanted.top};
    const struct ttp_config_row *used = NULL;

    *out = (struct ttp_op_configs){0};
    if (!ttp_advice_matmul(&out->op, report, wanted.op) || out->op.problem.sparse)
        return false;
    request.measured_us = report->op[wanted.op].time_us;
    out->op.measured_ns = request.measured_us * 1e3;
    request.scale = out->scale = ttp_config_scale(&out->op); /* whatever is changed */
    change_problem(&out->op.problem, &wanted);
    if (wanted.folded)
        out->op.has_config = false; /* it is of another matmul */
    if (out->op.has_config)
        request.used = &out->op.config;
    if (wanted.family != TTP_FAMILY_ANY)
        request.top = TTP_PROPOSALS;
    ttp_config_propose(&out->found, &out->op.problem, &request, arena);
    if (request.used && out->found.row[0].has_time)
        used = &out->found.row[0];
    out->best = ttp_config_best(&out->found);
    if (wanted.family != TTP_FAMILY_ANY) {
        const struct ttp_config_row *best =
            best_of_family(out, wanted.family, used ? used->time.confidence : TTP_CONFIDENCE_NONE);
        out->best = best ? best : out->best;
    }
    if (!out->best)
        return false;
    out->gain_part =
        request.measured_us > 0 ? 1 - out->best->time.ns / 1e3 / request.measured_us : 0;
    out->own_part = used ? 1 - out->best->time.ns / used->time.ns : out->gain_part;
    return true;
}

/* ---- for a plan ---- */

struct known {
    struct ttp_config_op op;
    struct ttp_op_configs_wanted wanted; /* of its first op */
    struct ttp_plan_config config;
    bool scaled; /* to the measured time */
};

static void describe(struct ttp_plan_config *out, const struct ttp_op_configs *found,
                     struct ttp_arena *arena)
{
    const struct ttp_config_row *best = found->best;

    *out = (struct ttp_plan_config){
        .known = true,
        .pays = found->own_part >= TTP_CONFIG_LEAST_PART,
        .config = ttp_config_text(&best->config, arena),
        .predicted_us = best->time.ns / 1e3,
        .low_us = best->time.low_ns / 1e3,
        .high_us = best->time.high_ns / 1e3,
        .gain_part = found->gain_part,
        .rank = best->rank,
        .confidence = ttp_config_confidence_name(best),
        .try_it = best->try_it,
        .moves_tensors = best->moves_tensors,
    };
}

static enum ttp_config_family family_of(const struct ttp_rule_info *rule)
{
    const ttp_str id = ttp_str_from(rule->id);

    return ttp_str_eq(id, TTP_STR("matmul-config"))    ? TTP_FAMILY_USUAL
           : ttp_str_eq(id, TTP_STR("dram-sharding"))  ? TTP_FAMILY_DRAM
           : ttp_str_eq(id, TTP_STR("minimal-matmul")) ? TTP_FAMILY_MINIMAL
                                                       : TTP_FAMILY_ANY;
}

bool ttp_plan_configs_wanted(struct ttp_op_configs_wanted *out, const struct ttp_plan_item *item)
{
    *out = (struct ttp_op_configs_wanted){
        .top = 1, .folded = item->rule->folds_batch, .family = family_of(item->rule)};
    switch ((enum ttp_roof_change)item->roof) {
    case TTP_ROOF_BFP8:
        out->formats = TTP_FORMAT_BFP8;
        return true;
    case TTP_ROOF_BFP4: /* of bfloat16 weights both steps */
        out->formats = TTP_FORMAT_BFP8 | TTP_FORMAT_BFP4;
        return true;
    case TTP_ROOF_FIDELITY:
        out->formats = TTP_FORMAT_FIDELITY;
        return true;
    case TTP_ROOF_GONE:
        return out->folded;
    default:
        return true;
    }
}

/* What is known of problems that were seen, each asked for once. */
struct known_list {
    struct known *item;
    size_t count;
};

static void learn(struct known *out, const struct ttp_op_configs_wanted *wanted,
                  const struct ttp_report *report, struct ttp_arena *arena)
{
    static const char *const names[TTP_FIDELITIES] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};
    const struct ttp_matmul *now = &out->op.problem;
    const struct ttp_formats then = ttp_advice_formats_after(now, wanted->formats);
    struct ttp_op_configs found;

    if (ttp_advice_configs(&found, report, *wanted, arena)) {
        describe(&out->config, &found, arena);
        out->scaled = found.scale > 0;
    }
    out->config.folded = wanted->folded;
    if (then.weights != now->b)
        out->config.weights = ttp_cost_tile_type_name(then.weights);
    if (then.fidelity != now->fidelity)
        out->config.fidelity = names[then.fidelity];
}

/* For an op that takes another time than the first of its kind. */
static struct ttp_plan_config config_at(const struct known *known, double time_us)
{
    struct ttp_plan_config c = known->config;

    if (known->scaled) {
        const double then = time_us * (1 - c.gain_part);

        c.low_us *= then / c.predicted_us;
        c.high_us *= then / c.predicted_us;
        c.predicted_us = then;
    } else {
        c.gain_part = time_us > 0 ? 1 - c.predicted_us / time_us : 0;
    }
    c.gain_us = time_us - c.predicted_us;
    return c;
}

static bool wants_same(const struct ttp_op_configs_wanted *a, const struct ttp_op_configs_wanted *b)
{
    return a->folded == b->folded && a->formats == b->formats && a->family == b->family;
}

/* What is wanted of an op; NULL: it is not a matmul, or there are too many. */
static const struct known *look_up(struct known_list *list,
                                   const struct ttp_op_configs_wanted *wanted,
                                   const struct ttp_report *report, struct ttp_arena *arena)
{
    struct ttp_config_op op;
    size_t at = 0;

    if (!ttp_advice_matmul(&op, report, wanted->op))
        return NULL;
    while (at < list->count && (!wants_same(&list->item[at].wanted, wanted) ||
                                !ttp_config_op_same(&list->item[at].op, &op)))
        at++;
    if (at == PROBLEMS_MAX)
        return NULL;
    if (at == list->count) {
        list->item[list->count++] = (struct known){.op = op, .wanted = *wanted};
        learn(&list->item[at], wanted, report, arena);
    }
    return &list->item[at];
}

void ttp_plan_add_configs(struct ttp_plan *plan, const struct ttp_report *report,
                          struct ttp_arena *arena)
{
    struct known_list list = {TTP_NEW(arena, struct known, PROBLEMS_MAX), 0};

    for (size_t i = 0; i < plan->count; i++) {
        struct ttp_plan_item *item = &plan->item[i];
        /* rules about gaps name ops for what is before them */
        const size_t most = item->device_pct > 0 ? TTP_PLAN_CONFIGS : 0;
        const size_t n = item->ops < most ? item->ops : most;
        struct ttp_op_configs_wanted wanted;

        if (!ttp_plan_configs_wanted(&wanted, item))
            continue;
        for (size_t k = 0; k < n; k++) {
            wanted.op = item->op[k];
            const struct known *known = look_up(&list, &wanted, report, arena);
            if (known && known->config.known)
                item->config[k] = config_at(known, report->op[item->op[k]].time_us);
        }
    }
}
