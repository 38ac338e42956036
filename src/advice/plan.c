/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - all rules over all ops, sorted by gain; and the steps already done. */
#include <math.h>

#include "advice/plan_rules.h"
#include "base/order.h"
#include "base/sink.h"
#include "base/vec.h"

/* Rules with a smaller gain, in percent of the run, are omitted. */
#define MIN_GAIN_PCT 0.1
/* Waits between replays below this part of a replay are what a replay costs. */
#define LONG_WAIT_PART 0.01

static const struct {
    const char *id, *title;
} steps[TTP_STEPS] = {
    [TTP_STEP_FORMATS] = {"data-formats", "data formats"},
    [TTP_STEP_LAYOUTS] = {"layouts", "layouts"},
    [TTP_STEP_MEMORY] = {"memory-sharding", "memory and sharding"},
    [TTP_STEP_TRACE] = {"metal-trace", "Metal Trace"},
    [TTP_STEP_QUEUES] = {"command-queues", "two command queues"},
    [TTP_STEP_CONV] = {"conv2d", "conv2d"},
    [TTP_STEP_DEVICES] = {"multi-device", "several devices"},
    [TTP_TARGET_CORES] = {"kernel-cores", "cores of the kernel"},
    [TTP_TARGET_DRAM] = {"kernel-dram", "DRAM traffic of the kernel"},
    [TTP_TARGET_BLOCKS] = {"kernel-blocks", "block size of the kernel"},
};

const char *ttp_advice_step_id(enum ttp_step step)
{
    return steps[step].id;
}

const char *ttp_advice_step_title(enum ttp_step step)
{
    return steps[step].title;
}

const char *ttp_plan_confidence_name(enum ttp_plan_confidence confidence)
{
    static const char *const names[] = {"high", "medium", "try"};

    return names[confidence];
}

/* ---- items ---- */

struct gain {
    size_t op;
    double us;
};

TTP_ORDER(by_gain, struct gain, TTP_DOWN(us), TTP_UP(op))

/* That of the rule, unless most of the gain is at ops where it is less sure. A guess is never of
 * high confidence: the figure comes from other runs. */
static enum ttp_plan_confidence confidence_of(const struct ttp_plan_rule *rule,
                                              const struct gain *gain, size_t count,
                                              const struct ttp_plan_run *run)
{
    double all = 0, risky = 0;

    for (size_t i = 0; rule->risk && i < count; i++) {
        all += gain[i].us;
        risky += rule->risk(run, gain[i].op) ? gain[i].us : 0;
    }
    if (all > 0 && risky > all / 2)
        return TTP_PLAN_TRY;
    return rule->info.basis == TTP_BASIS_GUESSED && rule->confidence == TTP_PLAN_HIGH
               ? TTP_PLAN_MEDIUM
               : rule->confidence;
}

/* Of an iteration, as a report states it: with waits in collectives, of several devices the median.
 */
static double device_time(const struct ttp_plan *plan)
{
    return plan->total_us - plan->gap_us - plan->between_us;
}

static void add_item(struct ttp_plan *plan, const struct ttp_plan_rule *from, struct gain *gain,
                     size_t count, const struct ttp_plan_run *run, struct ttp_arena *arena)
{
    const struct ttp_rule_info *rule = &from->info;
    struct ttp_plan_item *item = &plan->item[plan->count];
    struct ttp_sum sum = {0};

    for (size_t i = 0; i < count; i++)
        ttp_analysis_sum_add(&sum, gain[i].us);
    const bool beside = ttp_plan_is_beside_device(run, rule, count ? gain[0].op : 0);
    const double room = ttp_plan_saves_waits(rule) ? ttp_plan_wait_room(run->report)
                                                   : ttp_plan_room(run->report, beside);
    const double us = fmin(ttp_analysis_sum_value(&sum), room),
                 whole = beside ? plan->total_us : device_time(plan);
    if (count == 0 || (us > 0 && us < whole * MIN_GAIN_PCT / 100))
        return;
    TTP_SORT(gain, count, by_gain);
    *item = (struct ttp_plan_item){.rule = rule,
                                   .gain_us = us,
                                   .gain_pct = plan->total_us > 0 ? us / plan->total_us * 100 : 0,
                                   .device_pct = beside || !(whole > 0) ? 0 : us / whole * 100,
                                   .op = TTP_NEW(arena, size_t, count),
                                   .op_gain_us = TTP_NEW(arena, double, count),
                                   .op_further_us = TTP_NEW(arena, double, count),
                                   .op_unsure = TTP_NEW(arena, bool, count),
                                   .ops = count,
                                   .confidence = confidence_of(from, gain, count, run),
                                   .cure = from->cure,
                                   .roof = from->roof,
                                   .evidence = ttp_plan_evidence(run, from, gain[0].op, arena)};
    if (from->whom)
        item->whom = from->whom(run, gain[0].op, arena);
    for (size_t i = 0; i < count; i++) {
        item->op[i] = gain[i].op;
        item->op_gain_us[i] = gain[i].us;
        item->op_unsure[i] = from->risk && from->risk(run, gain[i].op);
    }
    plan->count++;
}

static double user_gain(const struct ttp_user_rule *rule, const struct ttp_report *r,
                        const struct ttp_op *op)
{
    if (!ttp_filter_keeps(rule->when, r, op))
        return TTP_RULE_NO;
    const double time = op->has & TTP_HAS_TIME ? op->time_us : 0;
    return fmin(time * rule->gain_part + rule->gain_us, time);
}

/* ---- what the run is, and what is in place ---- */

static void set_kind(struct ttp_plan *plan, const struct ttp_plan_run *run)
{
    const struct ttp_report *r = run->report;
    double conv = 0, dram = 0, matmul = 0, own = 0;
    size_t of_transformers = 0;

    for (size_t i = 0; i < r->count; i++) {
        const struct ttp_op *op = &r->op[i];
        const double time = op->has & TTP_HAS_TIME ? op->time_us : 0;
        conv += run->is[i] & TTP_IS_CONV ? time : 0;
        matmul += run->is[i] & TTP_IS_MATMUL ? time : 0;
        own += run->is[i] & TTP_IS_OWN ? time : 0;
        of_transformers += (run->is[i] & (TTP_IS_ATTENTION | TTP_IS_NORM)) != 0;
        dram += op->limit == TTP_LIMIT_DRAM || op->limit == TTP_LIMIT_BOTH ? time : 0;
    }
    plan->model = own > r->time_us / 2                ? TTP_MODEL_KERNELS
                  : conv > 0 && conv >= matmul        ? TTP_MODEL_CNN
                  : of_transformers > 1 && matmul > 0 ? TTP_MODEL_TRANSFORMER
                                                      : TTP_MODEL_UNKNOWN;
    plan->memory_bound = dram > r->time_us / 2;
    plan->host_bound = r->gap_us > r->busy_us;
}

/* Rows that show a step done, of those it concerns. */
struct seen {
    size_t concerned, done;
    size_t unknown; /* it may concern these */
    const char *what;
    bool of_others; /* `what` is true of the ops that are not done */
};

static void see_op(struct seen seen[TTP_STEPS], const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_report *r = run->report;
    const struct ttp_op *op = &r->op[i];
    const uint32_t is = run->is[i];
    double id;

    if (!(is & TTP_IS_DEVICE))
        return;
    const bool nameless = ttp_kernel_is_nameless(run, i); /* it may be anything */
    seen[TTP_STEP_LAYOUTS].concerned += !nameless;
    seen[TTP_STEP_LAYOUTS].unknown += nameless;
    seen[TTP_STEP_LAYOUTS].done += !nameless && !(is & TTP_IS_LAYOUT);
    seen[TTP_STEP_TRACE].concerned++;
    seen[TTP_STEP_TRACE].done += run->traced && ttp_analysis_cell(r, op, TTP_OPS_TRACE_ID, &id);
    if (op->analysed == TTP_ANALYSED_FULL) {
        seen[TTP_STEP_FORMATS].concerned += op->in1_datatype != TTP_SYM_MISSING;
        seen[TTP_STEP_FORMATS].done += (is & TTP_IN1_BLOCKS) != 0;
        seen[TTP_STEP_MEMORY].concerned++;
        seen[TTP_STEP_MEMORY].done +=
            (op->has & TTP_DRAM_SHARDED) != 0 || (is & TTP_IN0_SHARDED) != 0;
    }
    if (is & TTP_IS_CONV) {
        seen[TTP_STEP_CONV].concerned++;
        seen[TTP_STEP_CONV].done += (op->has & TTP_HAS_FLOPS_PCT) && op->flops_pct >= 40;
    }
    if (is & TTP_IS_COLLECTIVE) {
        seen[TTP_STEP_DEVICES].concerned++;
        seen[TTP_STEP_DEVICES].done += (is & TTP_IN0_BLOCKS) != 0;
    }
}

/* Is it known that cores of the device do nothing? The rule is silent about programs without names.
 */
static bool leaves_cores(const struct ttp_op *op)
{
    double cores;

    return ttp_cell_f64(op->cores, &cores) && (op->has & TTP_HAS_AVAILABLE) &&
           cores < (double)op->available_cores;
}

/* Targets of kernels: a rule of the target has nothing to say about the op. */
static void see_kernels(struct seen seen[TTP_STEPS], const struct ttp_plan_run *run, size_t op)
{
    if (!(run->is[op] & TTP_IS_OWN))
        return;
    /* nothing tells what a program without a name moves, unless its transfers were recorded */
    const bool moves =
        !ttp_kernel_is_nameless(run, op) || (run->kernel[op] && run->kernel[op]->traffic);
    for (unsigned s = TTP_MODEL_STEPS; s < TTP_STEPS; s++) {
        const bool of_transfers = s == TTP_TARGET_DRAM || s == TTP_TARGET_BLOCKS;

        seen[s].concerned += moves || !of_transfers;
        seen[s].unknown += !moves && of_transfers;
    }
    seen[TTP_TARGET_CORES].done +=
        ttp_gain_kernel_cores(run, op) < 0 && !leaves_cores(&run->report->op[op]);
    seen[TTP_TARGET_DRAM].done += moves && ttp_gain_kernel_traffic(run, op) < 0;
    seen[TTP_TARGET_BLOCKS].done += moves && ttp_gain_kernel_blocks(run, op) < 0;
}

static bool step_pays(const struct ttp_plan *plan, enum ttp_step step)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->item[i].rule->step == step && plan->item[i].gain_us > 0)
            return true;
    return false;
}

/* How a plan treats what a rule found. */
enum place { PLACE_LISTED, PLACE_COVERED, PLACE_SMALL };

static enum place place_of(const struct ttp_plan *plan, size_t i)
{
    return i >= TTP_PLAN_MOST                  ? PLACE_SMALL
           : ttp_plan_is_shown(&plan->item[i]) ? PLACE_LISTED
                                               : PLACE_COVERED;
}

/* Why a step is not done although the rows look so: rules that still find a gain, and those of
 * which the plan does not show any. */
static void put_open(struct ttp_sink *out, const struct ttp_plan *plan, enum ttp_step step)
{
    static const char *const words[] = {
        [PLACE_LISTED] = "open", [PLACE_COVERED] = "covered by others", [PLACE_SMALL] = "smaller"};

    for (unsigned place = PLACE_LISTED; place <= PLACE_SMALL; place++) {
        bool first = true;

        for (size_t i = 0; i < plan->count; i++) {
            const struct ttp_plan_item *item = &plan->item[i];

            if (item->rule->step != step || !(item->gain_us > 0) || place_of(plan, i) != place)
                continue;
            if (first)
                ttp_sink_printf(out, "%s%s: ", out->len ? "; " : "", words[place]);
            ttp_sink_printf(out, "%s%s", first ? "" : ", ", item->rule->id);
            first = false;
        }
    }
}

static enum ttp_step_state state_of(const struct seen *seen, bool pays)
{
    if (pays || (seen->concerned && seen->done == 0))
        return seen->done ? TTP_STEP_PARTLY : TTP_STEP_OPEN;
    if (seen->concerned == 0)
        return TTP_STEP_NOT_APPLICABLE;
    return seen->done * 2 >= seen->concerned ? TTP_STEP_DONE : TTP_STEP_PARTLY;
}

static void set_steps(struct ttp_plan *plan, const struct ttp_plan_run *run,
                      struct ttp_arena *arena)
{
    const struct ttp_report *r = run->report;
    struct seen seen[TTP_STEPS] = {
        [TTP_STEP_FORMATS] = {.what = "matmuls have weights in a block format"},
        [TTP_STEP_LAYOUTS] = {.what = "ops are layout conversions", .of_others = true},
        [TTP_STEP_MEMORY] = {.what = "matmuls have sharded activations or weights"},
        [TTP_STEP_TRACE] = {.what = "ops were replayed from a trace"},
        [TTP_STEP_QUEUES] = {.what = ""},
        [TTP_STEP_CONV] = {.what = "convolutions reach 40 % of their cores' peak"},
        [TTP_STEP_DEVICES] = {.what = "collectives send a block format"},
        [TTP_TARGET_CORES] = {.what = "custom kernels use the whole grid"},
        [TTP_TARGET_DRAM] =
            {.what = "custom kernels move no more data than necessary, as far as it is known"},
        [TTP_TARGET_BLOCKS] = {.what = "custom kernels wait for small blocks", .of_others = true},
    };

    for (size_t i = 0; i < r->count; i++)
        see_op(seen, run, i);
    for (size_t i = 0; i < r->count; i++)
        see_kernels(seen, run, i);
    for (size_t s = 0; s < TTP_STEPS; s++) {
        const bool pays = step_pays(plan, (enum ttp_step)s);
        struct ttp_sink out;
        ttp_sink_to_arena(&out, arena);
        if (seen[s].concerned)
            ttp_sink_printf(&out, "%zu of %zu %s",
                            seen[s].of_others ? seen[s].concerned - seen[s].done : seen[s].done,
                            seen[s].concerned, seen[s].what);
        else if (seen[s].unknown)
            ttp_sink_put(&out, s < TTP_MODEL_STEPS
                                   ? TTP_STR("unknown: the programs have no names")
                                   : TTP_STR("unknown: no NoC trace says what the programs move"));
        else if (s == TTP_STEP_QUEUES)
            ttp_sink_put(&out, run->gaps_at_starts
                                   ? TTP_STR("the device waits at the start of iterations")
                                   : TTP_STR("no gaps between iterations"));
        if (pays)
            put_open(&out, plan, (enum ttp_step)s);
        plan->step[s].seen = ttp_sink_text(&out);
        plan->step[s].state = state_of(&seen[s], pays);
    }
}

/* What one rule found so far. */
struct found {
    struct gain *gain;
    size_t count;
};

static void add_gain(struct found *f, size_t op, double us, struct ttp_arena *arena)
{
    *TTP_PUSH(arena, f->gain, f->count) = (struct gain){op, us};
}

/* A rule, with the bits of ops that it is asked about. */
struct asked {
    uint32_t of;
    const struct ttp_plan_rule *rule;
};

struct judging {
    const struct ttp_plan_run *run;
    const struct ttp_user_rules *user;
    const struct asked *asked; /* ours, one after the other: every op looks at all of them */
    size_t count;
    struct found *found; /* ours, then the user's */
    struct ttp_arena *arena;
};

static const struct asked *list_rules(struct ttp_arena *arena)
{
    struct asked *out = TTP_NEW(arena, struct asked, ttp_plan_rules());

    for (size_t k = 0; k < ttp_plan_rules(); k++)
        out[k] = (struct asked){ttp_plan_rule_at(k)->of, ttp_plan_rule_at(k)};
    return out;
}

static void judge_op(const struct judging *j, size_t op)
{
    const uint32_t is = j->run->is[op];

    for (size_t k = 0; k < j->count; k++) {
        if (!(is & j->asked[k].of))
            continue;
        const struct ttp_plan_rule *rule = j->asked[k].rule;
        const double us = ttp_plan_hold(j->run, op, rule->roof, rule->gain(j->run, op));
        if (us >= 0)
            add_gain(&j->found[k], op, us, j->arena);
    }
    for (size_t k = 0; j->user && k < j->user->count; k++) {
        const double us = user_gain(&j->user->item[k], j->run->report, &j->run->report->op[op]);
        if (us >= 0)
            add_gain(&j->found[j->count + k], op, us, j->arena);
    }
}

/* An iteration is measured without what the device waits before it. If that is worth a word, the
 * plan is about an iteration with the wait before its first op. */
static const struct ttp_report *with_wait(const struct ttp_report *r, struct ttp_arena *arena)
{
    const double wait = r->window.between_us;
    struct ttp_report *out = TTP_NEW(arena, struct ttp_report, 1);
    struct ttp_op *op;
    size_t first = 0;

    while (first < r->count && r->op[first].kind != TTP_OP_DEVICE)
        first++;
    if (!(wait > TTP_GAP_FLAGGED_US) || wait < LONG_WAIT_PART * r->busy_us || first == r->count ||
        r->op[first].has & TTP_HAS_GAP)
        return r;
    op = TTP_NEW(arena, struct ttp_op, r->count);
    memcpy(op, r->op, r->count * sizeof(*op));
    op[first].gap_us = wait;
    op[first].has |= TTP_HAS_GAP;
    *out = *r;
    out->op = op;
    out->gap_us += wait;
    out->window.gap_us += wait;
    return out;
}

double ttp_plan_iteration(const struct ttp_report *measured, double *gap_us)
{
    const struct ttp_window *w = &measured->window;
    const bool known = w->devices > 0;

    *gap_us = fmax(known ? w->gap_us : measured->gap_us, 0);
    return (known ? w->device_us : measured->busy_us) + *gap_us;
}

void ttp_plan_make(struct ttp_plan *out, const struct ttp_report *measured,
                   const struct ttp_plan_sources *sources, struct ttp_arena *arena)
{
    static const struct ttp_plan_sources none = {0};
    const struct ttp_plan_sources *from = sources ? sources : &none;
    const struct ttp_report *report = with_wait(measured, arena);
    const struct ttp_plan_run run = ttp_plan_look(report, from, arena);
    const struct ttp_user_rules *user = from->user;
    const size_t own = user ? user->count : 0, ours = ttp_plan_rules(), rules = ours + own;
    struct found *found = TTP_NEW(arena, struct found, rules);
    struct ttp_plan_rule *of_user = TTP_NEW(arena, struct ttp_plan_rule, own ? own : 1);

    for (size_t k = 0; k < own; k++)
        of_user[k] = (struct ttp_plan_rule){
            .info = user->item[k].info, .confidence = TTP_PLAN_HIGH, .roof = TTP_ROOF_GONE};
    *out = (struct ttp_plan){.item = TTP_NEW(arena, struct ttp_plan_item, rules),
                             .between_us = report->gap_us - measured->gap_us,
                             .spill = run.spill};
    out->total_us = ttp_plan_iteration(measured, &out->gap_us) + out->between_us;
    const struct judging judging = {&run, user, list_rules(arena), ours, found, arena};
    for (size_t i = 0; i < report->count; i++)
        judge_op(&judging, i);
    for (size_t k = 0; k < rules; k++)
        add_item(out, k < ours ? ttp_plan_rule_at(k) : &of_user[k - ours], found[k].gain,
                 found[k].count, &run, arena);
    set_kind(out, &run);
    ttp_plan_choose(out, &run, arena);
    set_steps(out, &run, arena); /* of all findings, including those that do not fit the plan */
    out->count = out->count < TTP_PLAN_MOST ? out->count : TTP_PLAN_MOST;
    for (size_t k = 0; k < out->count; k++)
        out->item[k].formula = ttp_plan_formula(&run, &out->item[k], arena);
}
