/* SPDX-License-Identifier: Apache-2.0 */
/* plan_choose.c - the findings of a plan, their order, and their promised gains.
 *
 * A plan never promises more than is there: of an op not more than its roofline after the changes
 * leaves, of the run not more than its device time and its gaps. */
#include <math.h>

#include "advice/matmul_look.h"
#include "advice/rule_parts.h"

/* Items of which less is left are not shown. */
#define SHOWN_PCT 0.05

/* Weight of each confidence for sorting, and the range of the gain. Of 44 changes that engineers
 * made, nine of ten gained 0.75 to 1.75 of the prediction (docs/advice.md); less certain advice may
 * gain half of that, or nothing. */
static const struct {
    double worth, low, high;
} sureness[] = {
    [TTP_PLAN_HIGH] = {1.0, 0.75, 1.75},
    [TTP_PLAN_MEDIUM] = {0.8, 0.5, 1.75},
    [TTP_PLAN_TRY] = {0.35, 0.0, 1.75},
};

bool ttp_plan_saves_gaps(const struct ttp_rule_info *rule)
{
    return rule->step == TTP_STEP_TRACE || rule->step == TTP_STEP_QUEUES;
}

bool ttp_plan_saves_waits(const struct ttp_rule_info *rule)
{
    return ttp_str_eq(ttp_str_from(rule->id), TTP_STR("late-start"));
}

/* Ops on the host take their time while the device waits. */
bool ttp_plan_is_beside_device(const struct ttp_plan_run *run, const struct ttp_rule_info *rule,
                               size_t op)
{
    return ttp_plan_saves_gaps(rule) || ttp_plan_saves_waits(rule) ||
           (op < run->report->count && run->is[op] & TTP_IS_HOST);
}

/* Device time of an iteration: overlapping ops count once, and of several devices, of which rows
 * have the slowest, it is the median. */
double ttp_plan_room(const struct ttp_report *r, bool beside_device)
{
    if (beside_device)
        return fmax(r->window.devices > 0 ? fmin(r->gap_us, r->window.gap_us) : r->gap_us, 0);
    return r->window.device_us > 0 ? fmin(r->busy_us, r->window.device_us) : r->busy_us;
}

/* Of n devices one does not wait, so that the last came later than the mean wait: by n / (n - 1)
 * of it, twice at most. */
double ttp_plan_wait_room(const struct ttp_report *r)
{
    double sum = 0;

    for (size_t i = 0; i < r->count; i++)
        sum += r->op[i].has & TTP_HAS_WAIT && r->op[i].wait_us > 0 ? 2 * r->op[i].wait_us : 0;
    return sum;
}

double ttp_plan_further_pct(const struct ttp_plan_item *item)
{
    const double alone = item->device_pct > 0 ? item->device_pct : item->gain_pct;

    return item->gain_us > 0 ? alone * item->further_us / item->gain_us : 0;
}

bool ttp_plan_is_shown(const struct ttp_plan_item *item)
{
    return !(item->gain_us > 0) || ttp_plan_further_pct(item) >= SHOWN_PCT;
}

/* ---- rooflines ---- */

static const struct ttp_plan_work as_it_is = {.fidelity = TTP_FIDELITY_HIFI4};

static void change(struct ttp_plan_work *work, enum ttp_roof_change roof)
{
    work->gone = work->gone || roof == TTP_ROOF_GONE;
    if (roof == TTP_ROOF_BFP8 && work->weights == TTP_TILE_NONE)
        work->weights = TTP_TILE_BFP8;
    if (roof == TTP_ROOF_BFP4)
        work->weights = TTP_TILE_BFP4;
    if (roof == TTP_ROOF_BFP8 && work->fidelity > TTP_FIDELITY_HIFI2)
        work->fidelity = TTP_FIDELITY_HIFI2;
    if (roof == TTP_ROOF_BFP4 || roof == TTP_ROOF_FIDELITY)
        work->fidelity = TTP_FIDELITY_LOFI;
}

/* Part of the op's DRAM traffic that is left with weights of that type. */
static double traffic_left(const struct ttp_plan_run *run, const struct ttp_op *op,
                           enum ttp_tile_type type)
{
    struct ttp_tensor_size weights;

    if (type == TTP_TILE_NONE || !(op->dram_bytes > 0) ||
        !ttp_analysis_tensor(&weights, run->report, op, TTP_TENSOR_IN1) || !weights.in_dram ||
        !(weights.padded > 0))
        return 1;
    const double part =
        (double)ttp_cost_tile_bytes(type, 32, 32) * weights.padded / 1024 / weights.bytes;
    return fmax(1 - weights.bytes * (1 - fmin(part, 1)) / op->dram_bytes, 0);
}

/* Tensors in DRAM at the peak, of an op whose traffic is not modelled; 0: it takes less than that,
 * because it does not touch all of them, or they are unknown. A kernel of the user's own may do
 * anything with its tensors. */
static double tensor_time(const struct ttp_plan_run *run, const struct ttp_op *op)
{
    const double peak = run->report->arch ? run->report->arch->dram_gbs : 0;
    double bytes = 0;

    if (run->is[op - run->report->op] & TTP_IS_OWN)
        return 0;
    for (unsigned t = 0; t < TTP_WHICH_TENSORS; t++) {
        struct ttp_tensor_size size;
        if (ttp_analysis_tensor(&size, run->report, op, (enum ttp_which_tensor)t) && size.in_dram)
            bytes += size.bytes;
    }
    const double us = peak > 0 ? bytes / peak / 1e3 : 0;
    return us < ttp_rule_time(op) ? us : 0;
}

/* What the op takes at least: its DRAM traffic at the peak, its arithmetic on all cores at the
 * peak of the fidelity; 0: neither is known. */
static double roofline(const struct ttp_plan_run *run, const struct ttp_op *op,
                       const struct ttp_plan_work *work)
{
    const double *rate = run->report->arch ? run->report->arch->tflops_per_core : NULL;
    double cores, flop = ttp_rule_flop_time(op, 100);
    enum ttp_fidelity now;

    if (work->gone)
        return 0;
    if (ttp_cell_f64(op->cores, &cores) && (op->has & TTP_HAS_AVAILABLE) &&
        cores < (double)op->available_cores)
        flop *= cores / (double)op->available_cores;
    if (rate && flop > 0 &&
        ttp_device_find_fidelity(ttp_analysis_text(run->report, op, TTP_OPS_FIDELITY), &now) &&
        rate[work->fidelity] > rate[now])
        flop *= rate[now] / rate[work->fidelity];
    const double dram =
        op->has & TTP_HAS_DRAM_PCT ? ttp_rule_dram_time(op, 100) : tensor_time(run, op);
    return fmax(flop, dram * traffic_left(run, op, work->weights));
}

double ttp_plan_roofline_with(const struct ttp_plan_run *run, size_t op,
                              const struct ttp_plan_work *work)
{
    return roofline(run, &run->report->op[op], work);
}

double ttp_plan_roofline(const struct ttp_plan_run *run, size_t op, enum ttp_roof_change roof)
{
    struct ttp_plan_work work = as_it_is;

    change(&work, roof);
    return roofline(run, &run->report->op[op], &work);
}

double ttp_plan_hold(const struct ttp_plan_run *run, size_t op, enum ttp_roof_change roof,
                     double gain_us)
{
    const double time = ttp_rule_time(&run->report->op[op]);

    if (!(gain_us > 0) || roof == TTP_ROOF_GONE || !(time > 0))
        return gain_us;
    const double most = time - ttp_plan_roofline(run, op, roof);
    return most > 0 ? fmin(gain_us, most) : TTP_RULE_NO;
}

/* ---- what is left ---- */

/* Which ops after its own a finding covers. */
enum span {
    SPAN_ONE,
    SPAN_ATTENTION,
    SPAN_CHAIN,
    SPAN_TWO,
    SPAN_PACK,
    SPAN_ALL_REDUCE,
};

static enum span span_kind(const struct ttp_rule_info *rule)
{
    static const struct {
        const char *id;
        enum span span;
    } spans[] = {{"attention", SPAN_ATTENTION},
                 {"fusion", SPAN_CHAIN},
                 {"kernel-traffic", SPAN_TWO},
                 {"pack-weights", SPAN_PACK},
                 {"all-reduce", SPAN_ALL_REDUCE}};

    for (size_t i = 0; i < TTP_COUNT(spans); i++)
        if (ttp_str_eq(ttp_str_from(rule->id), ttp_str_from(spans[i].id)))
            return spans[i].span;
    return SPAN_ONE;
}

static size_t span_at(const struct ttp_plan_run *run, enum span kind, size_t op)
{
    const size_t span = kind == SPAN_ONE         ? 1
                        : kind == SPAN_ATTENTION ? run->attended[op]
                        : kind == SPAN_CHAIN     ? run->chain[op]
                        : kind == SPAN_TWO       ? 2
                        : kind == SPAN_PACK      ? ttp_plan_pack_span(run, op)
                                                 : ttp_plan_all_reduce_span(run, op);

    return span == 0 ? 1 : op + span <= run->report->count ? span : run->report->count - op;
}

size_t ttp_plan_span(const struct ttp_plan_run *run, const struct ttp_rule_info *rule, size_t op)
{
    return span_at(run, span_kind(rule), op);
}

/* What the items so far leave of each op's time and of the gap before it. */
struct left {
    double part[TTP_CURES]; /* of the time, that a cure of each kind takes */
    double time, gap;       /* parts that are left of both */
    unsigned formats;       /* enum ttp_format_change that were taken */
    struct ttp_plan_work work;
};

struct choosing {
    struct ttp_plan *plan;
    const struct ttp_plan_run *run;
    struct left *left;                 /* by op */
    double device_us, gap_us, wait_us; /* what is left of the run's */
};

/* An item with what its rule is, which is found by names, once for all its ops. */
struct saving {
    const struct ttp_plan_item *item;
    bool gaps, waits;
    enum span span;
};

static struct saving saving_of(const struct ttp_plan_item *item)
{
    return (struct saving){item, ttp_plan_saves_gaps(item->rule), ttp_plan_saves_waits(item->rule),
                           span_kind(item->rule)};
}

static double time_at(const struct choosing *c, const struct saving *s, size_t op)
{
    const struct ttp_op *at = &c->run->report->op[op];
    const double us = s->gaps                  ? at->gap_us
                      : s->waits               ? 0 /* no other rule saves them */
                      : at->has & TTP_HAS_TIME ? at->time_us
                                               : 0;

    return us > 0 ? us : 0;
}

/* Formats that a rule changes at a matmul that the cost model knows; 0: none. */
static unsigned format_of(const struct choosing *c, const struct ttp_plan_item *item, size_t op)
{
    const struct ttp_matmul_look *look = c->run->matmul[op];

    if (!look || !look->predicted)
        return 0;
    switch ((enum ttp_roof_change)item->roof) {
    case TTP_ROOF_BFP8:
        return TTP_FORMAT_BFP8;
    case TTP_ROOF_BFP4:
        return TTP_FORMAT_BFP4;
    case TTP_ROOF_FIDELITY:
        return TTP_FORMAT_FIDELITY;
    default:
        return 0;
    }
}

/* Part of what is left of an op that an item saves, which saves `part` of the whole if it is the
 * only one. Changes of formats contain each other: bfloat4_b weights are at LoFi. */
static double more_of(const struct choosing *c, const struct ttp_plan_item *item, size_t op,
                      double part)
{
    const struct left *left = &c->left[op];
    const unsigned format = format_of(c, item, op);
    const double before = item->cure == TTP_CURE_OWN ? 0 : left->part[item->cure];

    if (format) {
        const double *of = c->run->matmul[op]->left.format;

        return fmax(1 - of[left->formats | format] / of[left->formats], 0);
    }
    return part > before && before < 1 ? (part - before) / (1 - before) : 0;
}

/* Remaining gain of a finding after earlier items; `take`: subtract it too. Two changes to one op
 * do not add up: each saves its share of what the others left, and of two that save the same time
 * only the larger counts. */
static double further_at(const struct choosing *c, const struct saving *s, size_t k, bool take)
{
    const struct ttp_plan_item *item = s->item;
    const size_t op = item->op[k], span = span_at(c->run, s->span, op);
    double whole = 0, further = 0;

    for (size_t i = op; i < op + span; i++)
        whole += time_at(c, s, i);
    if (!(whole > 0))
        return item->op_gain_us[k];
    const double part = fmin(item->op_gain_us[k] / whole, 1);
    for (size_t i = op; i < op + span; i++) {
        struct left *left = &c->left[i];
        const double us = time_at(c, s, i);
        if (s->gaps) {
            further += us * left->gap * part;
            left->gap *= take ? 1 - part : 1;
            continue;
        }
        const double more = more_of(c, item, i, part);
        if (!(more > 0))
            continue;
        struct ttp_plan_work work = left->work;
        change(&work, (enum ttp_roof_change)item->roof);
        const double least = us > 0 ? roofline(c->run, &c->run->report->op[i], &work) / us : 0;
        const double then = fmin(fmax(left->time * (1 - more), least), left->time);
        further += us * (left->time - then);
        if (take) {
            left->time = then;
            left->part[item->cure] = part;
            left->formats |= format_of(c, item, i);
            left->work = work;
        }
    }
    return further;
}

static bool is_beside(const struct choosing *c, const struct ttp_plan_item *item)
{
    return ttp_plan_is_beside_device(c->run, item->rule, item->op[0]);
}

/* What is left of the time that an item saves. */
static double *room_of(struct choosing *c, const struct ttp_plan_item *item)
{
    if (ttp_plan_saves_waits(item->rule))
        return &c->wait_us;
    return is_beside(c, item) ? &c->gap_us : &c->device_us;
}

/* What an item saves after the changes before it. */
struct further {
    double us;
    enum ttp_plan_confidence
        confidence; /* low if most of it is at ops where the rule is not sure */
};

static struct further further_of(struct choosing *c, const struct ttp_plan_item *item, bool take)
{
    const double room = *room_of(c, item);
    const struct saving saving = saving_of(item);
    struct ttp_sum sum = {0};
    double unsure = 0;

    for (size_t k = 0; k < item->ops; k++) {
        const double us = further_at(c, &saving, k, take);
        ttp_analysis_sum_add(&sum, us);
        unsure += item->op_unsure[k] ? us : 0;
        if (take)
            item->op_further_us[k] = us;
    }
    const double all = ttp_analysis_sum_value(&sum);
    for (size_t k = 0; take && all > room && k < item->ops; k++)
        item->op_further_us[k] *= room / all;
    return (struct further){fmin(all, room), unsure > all / 2 ? TTP_PLAN_TRY : item->confidence};
}

/* What the k-th finding of an item can save at most: down to the rooflines of its ops, and no more
 * than its gain where one has none, since then nothing says that it could. */
static double most_at(const struct choosing *c, const struct saving *s, size_t k)
{
    const struct ttp_plan_item *item = s->item;
    const size_t op = item->op[k], end = op + span_at(c->run, s->span, op);
    bool known = true;
    double most = 0;

    for (size_t i = op; i < end; i++) {
        struct ttp_plan_work work = c->left[i].work;
        change(&work, (enum ttp_roof_change)item->roof);
        const double least = roofline(c->run, &c->run->report->op[i], &work);
        most += fmax(time_at(c, s, i) * c->left[i].time - least, 0);
        known = known && least > 0;
    }
    return known ? most : fmin(most, item->op_gain_us[k]);
}

/* The upper end of a gain. What was measured in this run cannot be more, nor what takes for granted
 * that more cores share the work without a loss; any other prediction may fall short, up to the
 * rooflines of its ops. */
static double most_of(const struct choosing *c, const struct ttp_plan_item *item, double further)
{
    const double room = is_beside(c, item) ? c->gap_us : c->device_us;
    const struct saving saving = saving_of(item);
    struct ttp_sum sum = {0};

    if (item->rule->basis == TTP_BASIS_MEASURED || item->rule->is_most || !(further > 0))
        return further;
    if (item->roof == TTP_ROOF_GONE) /* no roofline is known */
        return fmax(further, fmin(further * sureness[item->confidence].high, item->gain_us));
    for (size_t k = 0; k < item->ops; k++)
        ttp_analysis_sum_add(&sum, most_at(c, &saving, k));
    return fmax(further, fmin(fmin(further * sureness[item->confidence].high, room),
                              ttp_analysis_sum_value(&sum)));
}

/* Is there an item among the first `count` that saves the same time of the same op? */
static const char *cured_by(const struct ttp_plan *plan, size_t count,
                            const struct ttp_plan_item *item)
{
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < plan->item[k].ops && item->cure != TTP_CURE_OWN; i++)
            if (plan->item[k].cure == item->cure && plan->item[k].op[i] == item->op[0])
                return plan->item[k].rule->id;
    return NULL;
}

/* The item from `first` on with the largest weighted remaining gain; those without an estimate come
 * last, by id. */
static size_t best_of(struct choosing *c, size_t first, struct further *further)
{
    double most = -1;
    size_t best = first;

    for (size_t k = first; k < c->plan->count; k++) {
        const struct ttp_plan_item *item = &c->plan->item[k];
        const struct further left = further_of(c, item, false);
        const double worth = left.us * sureness[left.confidence].worth;
        if (worth > most ||
            (worth == most && ttp_str_cmp(ttp_str_from(item->rule->id),
                                          ttp_str_from(c->plan->item[best].rule->id)) < 0)) {
            most = worth;
            best = k;
            *further = left;
        }
    }
    return best;
}

/* Sort the items by their remaining gain, the first TTP_PLAN_MOST of them. */
void ttp_plan_choose(struct ttp_plan *plan, const struct ttp_plan_run *run, struct ttp_arena *arena)
{
    struct choosing c = {plan,
                         run,
                         TTP_NEW(arena, struct left, run->report->count),
                         ttp_plan_room(run->report, false),
                         ttp_plan_room(run->report, true),
                         ttp_plan_wait_room(run->report)};

    for (size_t i = 0; i < run->report->count; i++)
        c.left[i] = (struct left){.time = 1, .gap = 1, .work = as_it_is};
    for (size_t k = 0; k < plan->count && k < TTP_PLAN_MOST; k++) {
        struct further further = {0};
        const size_t best = best_of(&c, k, &further);
        struct ttp_plan_item item = plan->item[best];

        memmove(&plan->item[k + 1], &plan->item[k], (best - k) * sizeof(item));
        item.confidence = further.confidence;
        item.further_us = further.us;
        item.low_us = further.us * sureness[item.confidence].low;
        item.high_us = most_of(&c, &item, further.us);
        plan->item[k] = item;
        plan->item[k].instead_of = cured_by(plan, k, &item);
        *room_of(&c, &item) -= further_of(&c, &item, true).us;
    }
}
