/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - all rules over all ops, sorted by what they bring; and what is in place already. */
#include <math.h>
#include <stdlib.h>

#include "advice/plan_rules.h"
#include "base/sink.h"

/* Rules that bring less than this, in percent of the run, are not worth a change of their own. */
#define MIN_GAIN_PCT 0.1
/* Of the time that long gaps take, at the starts of iterations: then nothing else is wrong. */
#define AT_STARTS 0.8
/* The device waited for a compiler: at least so long, and so many times longer than later. */
#define COMPILING_US    50.0
#define COMPILING_TIMES 10.0
/* Ops from one matmul to the next in attention by hand: scale, mask, softmax, dropout. */
#define ATTENTION_SPAN 6

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

const char *ttp_step_id(enum ttp_step step)
{
    return steps[step].id;
}

const char *ttp_step_title(enum ttp_step step)
{
    return steps[step].title;
}

/* ---- what several rules ask ---- */

static bool same_output(const struct ttp_report *r, const struct ttp_op *a, const struct ttp_op *b)
{
    struct ttp_tensor_size x, y;

    return ttp_analysis_tensor(&x, r, a, TTP_TENSOR_OUT) &&
           ttp_analysis_tensor(&y, r, b, TTP_TENSOR_OUT) && x.padded == y.padded;
}

static bool is_eltwise(const struct ttp_report *r, size_t i)
{
    return r->op[i].kind == TTP_OP_DEVICE && ttp_code_starts(r, &r->op[i], ttp_codes_eltwise);
}

/* Element-wise ops one after the other on tensors of one size. */
static const uint32_t *find_chains(const struct ttp_report *r, struct ttp_arena *arena)
{
    uint32_t *chain = TTP_NEW(arena, uint32_t, r->count);

    for (size_t i = 0; i < r->count;) {
        size_t end = i + 1;
        while (is_eltwise(r, i) && end < r->count && is_eltwise(r, end) &&
               same_output(r, &r->op[i], &r->op[end]))
            end++;
        if (end - i > 1)
            chain[i] = (uint32_t)(end - i);
        i = end;
    }
    return chain;
}

static size_t next_of(const struct ttp_report *r, size_t from, size_t to, const char *const *names)
{
    for (size_t i = from; i < to && i < r->count; i++)
        if (r->op[i].kind == TTP_OP_DEVICE && ttp_code_starts(r, &r->op[i], names))
            return i;
    return r->count;
}

/* Matmul, softmax, matmul with little in between. */
static const uint32_t *find_attention(const struct ttp_report *r, struct ttp_arena *arena)
{
    static const char *const softmax[] = {"Softmax", NULL};
    uint32_t *attended = TTP_NEW(arena, uint32_t, r->count);

    for (size_t i = 0; i < r->count; i++) {
        const size_t from = next_of(r, i, r->count, ttp_codes_matmul);
        if (from == r->count)
            break;
        const size_t middle = next_of(r, from + 1, from + ATTENTION_SPAN, softmax);
        const size_t again = next_of(r, from + 1, middle, ttp_codes_matmul);
        const size_t end = next_of(r, middle + 1, middle + ATTENTION_SPAN, ttp_codes_matmul);
        i = from;
        if (middle < r->count && again >= middle && end < r->count) {
            attended[from] = (uint32_t)(end - from + 1);
            i = end;
        }
    }
    return attended;
}

/* Is the time of long gaps spent before ops that are what the run begins with? */
static bool gaps_at_starts(const struct ttp_report *r)
{
    const struct ttp_op *first = NULL;
    double all = 0, starts = 0;
    size_t found = 0;

    for (size_t i = 0; i < r->count; i++) {
        const struct ttp_op *op = &r->op[i];
        if (op->kind != TTP_OP_DEVICE)
            continue;
        if (!first)
            first = op;
        if (!(op->has & TTP_HAS_GAP) || !(op->gap_us > TTP_GAP_FLAGGED_US))
            continue;
        all += op->gap_us;
        if (op->code == first->code) {
            starts += op->gap_us;
            found++;
        }
    }
    return found > 1 && starts >= AT_STARTS * all;
}

/* Text of a row's PROGRAM CACHE HIT: 1 yes, 0 no, -1 not there. */
static int cache_hit(const struct ttp_report *r, const struct ttp_op *op)
{
    const ttp_str hit = ttp_analysis_text(r, op, TTP_OPS_CACHE_HIT);

    if (ttp_str_eq_any_case(hit, TTP_STR("true")) || ttp_str_eq(hit, TTP_STR("1")))
        return 1;
    return ttp_str_eq_any_case(hit, TTP_STR("false")) || ttp_str_eq(hit, TTP_STR("0")) ? 0 : -1;
}

/* When an op of a name was seen first, and the shortest gap before those that came later. */
struct first_call {
    size_t op;
    double later_us;
    bool again;
};

/* tt-metal writes False into every row, so that the column says something only where there is a
 * True. Else an op was compiled if the device waited much longer for it the first time. */
static const bool *find_cold(const struct ttp_report *r, struct ttp_arena *arena)
{
    bool *cold = TTP_NEW(arena, bool, r->count), says = false;
    struct first_call *first = TTP_NEW(arena, struct first_call, r->syms->count);

    for (size_t i = 0; i < r->count && !says; i++)
        says = r->op[i].kind == TTP_OP_DEVICE && cache_hit(r, &r->op[i]) == 1;
    for (size_t i = 0; i < r->count; i++) {
        const struct ttp_op *op = &r->op[i];
        if (op->kind != TTP_OP_DEVICE || op->code >= r->syms->count)
            continue;
        struct first_call *f = &first[op->code];
        if (says)
            cold[i] = cache_hit(r, op) == 0;
        else if (f->op == 0)
            *f = (struct first_call){i + 1, 0, false};
        else if (op->has & TTP_HAS_GAP && (!f->again || op->gap_us < f->later_us))
            *f = (struct first_call){f->op, op->gap_us, true};
    }
    for (size_t k = 0; k < r->syms->count && !says; k++)
        if (first[k].again) {
            const struct ttp_op *op = &r->op[first[k].op - 1];
            cold[first[k].op - 1] = (op->has & TTP_HAS_GAP) && op->gap_us > COMPILING_US &&
                                    op->gap_us > COMPILING_TIMES * first[k].later_us;
        }
    return cold;
}

/* The program of each op, by its id and device; the first replay of a traced one. */
static const struct ttp_kernel_program *const *find_kernels(const struct ttp_report *r,
                                                            const struct ttp_kernel_report *kernels,
                                                            struct ttp_arena *arena)
{
    const struct ttp_kernel_program **out =
        TTP_NEW(arena, const struct ttp_kernel_program *, r->count);
    double id;

    for (size_t i = 0; kernels && i < r->count; i++) {
        const struct ttp_op *op = &r->op[i];
        if (op->kind != TTP_OP_DEVICE || !ttp_code_starts(r, op, ttp_codes_own) ||
            !ttp_cell_f64(op->calls, &id))
            continue;
        for (size_t k = 0; k < kernels->nprograms && !out[i]; k++)
            if ((double)kernels->program[k].run_id == id &&
                (!(op->has & TTP_HAS_DEVICE) || kernels->program[k].device == op->device))
                out[i] = &kernels->program[k];
    }
    return out;
}

bool ttp_plan_wants_kernels(const struct ttp_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->op[i].kind == TTP_OP_DEVICE &&
            ttp_code_starts(report, &report->op[i], ttp_codes_own))
            return true;
    return false;
}

static struct ttp_plan_run look_at(const struct ttp_report *r,
                                   const struct ttp_kernel_report *kernels, struct ttp_arena *arena)
{
    struct ttp_plan_run run = {.report = r,
                               .gaps_at_starts = gaps_at_starts(r),
                               .chain = find_chains(r, arena),
                               .attended = find_attention(r, arena),
                               .cold = find_cold(r, arena),
                               .kernel = find_kernels(r, kernels, arena),
                               .total_us = r->busy_us + r->gap_us};
    double id;

    for (size_t i = 0; i < r->count && !run.traced; i++)
        run.traced = ttp_analysis_cell(r, &r->op[i], TTP_OPS_TRACE_ID, &id);
    return run;
}

/* ---- items ---- */

static bool saves_gaps(const struct ttp_rule_info *rule)
{
    return rule->step == TTP_STEP_TRACE || rule->step == TTP_STEP_QUEUES;
}

struct gain {
    size_t op;
    double us;
};

static int by_gain(const void *pa, const void *pb)
{
    const struct gain *a = pa, *b = pb;

    if (a->us != b->us)
        return a->us < b->us ? 1 : -1;
    return (a->op > b->op) - (a->op < b->op);
}

static ttp_str evidence_of(const struct ttp_plan_run *run, size_t at, struct ttp_arena *arena)
{
    const struct ttp_report *r = run->report;
    const struct ttp_op *op = &r->op[at];
    struct ttp_ceiling ceiling;
    struct ttp_sink out;
    const ttp_str limit = ttp_analysis_limit_text(&ceiling, r, op, arena);
    double cores;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "ID %u", op->row + 2);
    if (op->has & TTP_HAS_TIME)
        ttp_sink_printf(&out, ", %.1f μs", op->time_us);
    if (op->has & TTP_HAS_GAP && op->gap_us > TTP_GAP_FLAGGED_US)
        ttp_sink_printf(&out, ", gap %.1f μs", op->gap_us);
    if (ttp_cell_f64(op->cores, &cores))
        ttp_sink_printf(&out, ", %.0f cores", cores);
    if (op->fidelity_text != TTP_SYM_MISSING)
        ttp_sink_printf(&out, ", %.*s", TTP_FMT(ttp_sym_name(r->syms, op->fidelity_text)));
    if (run->kernel[at])
        ttp_sink_printf(&out, "; %.*s", TTP_FMT(ttp_kernel_sentence(run->kernel[at], arena)));
    else if (limit.len)
        ttp_sink_printf(&out, "; %.*s", TTP_FMT(limit));
    return ttp_sink_text(&out);
}

static void add_item(struct ttp_plan *plan, const struct ttp_rule_info *rule, struct gain *gain,
                     size_t count, const struct ttp_plan_run *run, struct ttp_arena *arena)
{
    const struct ttp_report *r = run->report;
    struct ttp_plan_item *item = &plan->item[plan->count];
    struct ttp_sum sum = {0};

    for (size_t i = 0; i < count; i++)
        ttp_sum_add(&sum, gain[i].us);
    const double us = ttp_sum_value(&sum), whole = saves_gaps(rule) ? plan->total_us : r->time_us;
    if (count == 0 || (us > 0 && us < whole * MIN_GAIN_PCT / 100))
        return;
    qsort(gain, count, sizeof(*gain), by_gain);
    *item = (struct ttp_plan_item){.rule = rule,
                                   .gain_us = us,
                                   .gain_pct = plan->total_us > 0 ? us / plan->total_us * 100 : 0,
                                   .device_pct =
                                       saves_gaps(rule) || !(whole > 0) ? 0 : us / whole * 100,
                                   .op = TTP_NEW(arena, size_t, count),
                                   .op_gain_us = TTP_NEW(arena, double, count),
                                   .ops = count,
                                   .evidence = evidence_of(run, gain[0].op, arena)};
    for (size_t i = 0; i < count; i++) {
        item->op[i] = gain[i].op;
        item->op_gain_us[i] = gain[i].us;
    }
    plan->count++;
}

static double user_gain(const struct ttp_user_rule *rule, const struct ttp_report *r,
                        const struct ttp_op *op)
{
    if (!ttp_analysis_filter_keeps(rule->when, r, op))
        return TTP_RULE_NO;
    const double time = op->has & TTP_HAS_TIME ? op->time_us : 0;
    return fmin(time * rule->gain_part + rule->gain_us, time);
}

static int by_worth(const void *pa, const void *pb)
{
    const struct ttp_plan_item *a = pa, *b = pb;

    if (a->gain_us != b->gain_us)
        return a->gain_us < b->gain_us ? 1 : -1;
    return ttp_str_cmp(ttp_str_from(a->rule->id), ttp_str_from(b->rule->id));
}

/* Two changes to one op or one gap do not add up: each takes its part of what the others left. */
static void find_further(struct ttp_plan *plan, const struct ttp_report *r, struct ttp_arena *arena)
{
    double *time_gone = TTP_NEW(arena, double, r->count); /* parts of the whole */
    double *gap_gone = TTP_NEW(arena, double, r->count);

    for (size_t k = 0; k < plan->count; k++) {
        struct ttp_plan_item *item = &plan->item[k];
        const bool gaps = saves_gaps(item->rule);
        for (size_t i = 0; i < item->ops; i++) {
            const struct ttp_op *op = &r->op[item->op[i]];
            double *gone = gaps ? &gap_gone[item->op[i]] : &time_gone[item->op[i]];
            const double whole = gaps ? op->gap_us : op->has & TTP_HAS_TIME ? op->time_us : 0;
            if (!(whole > 0)) {
                item->further_us += item->op_gain_us[i];
                continue;
            }
            const double now = item->op_gain_us[i] * (1 - *gone);
            item->further_us += now;
            *gone += fmin(now / whole, 1 - *gone);
        }
    }
}

/* ---- what the run is, and what is in place ---- */

static void set_kind(struct ttp_plan *plan, const struct ttp_report *r)
{
    double conv = 0, attention = 0, norm = 0, dram = 0, matmul = 0, own = 0;

    for (size_t i = 0; i < r->count; i++) {
        const struct ttp_op *op = &r->op[i];
        const double time = op->has & TTP_HAS_TIME ? op->time_us : 0;
        conv += ttp_code_starts(r, op, ttp_codes_conv) ? time : 0;
        attention += ttp_code_starts(r, op, ttp_codes_attention);
        norm += ttp_code_starts(r, op, ttp_codes_norm);
        matmul += ttp_code_starts(r, op, ttp_codes_matmul) ? time : 0;
        own += ttp_code_starts(r, op, ttp_codes_own) ? time : 0;
        dram += op->limit == TTP_LIMIT_DRAM || op->limit == TTP_LIMIT_BOTH ? time : 0;
    }
    plan->model = own > r->time_us / 2                 ? TTP_MODEL_KERNELS
                  : conv > 0 && conv >= matmul         ? TTP_MODEL_CNN
                  : attention + norm > 1 && matmul > 0 ? TTP_MODEL_TRANSFORMER
                                                       : TTP_MODEL_UNKNOWN;
    plan->memory_bound = dram > r->time_us / 2;
    plan->host_bound = r->gap_us > r->busy_us;
}

/* Rows that show a step done, of those it concerns. */
struct seen {
    size_t concerned, done;
    const char *what;
};

static void see_op(struct seen seen[TTP_STEPS], const struct ttp_report *r, const struct ttp_op *op)
{
    const bool weights = op->in1_datatype != TTP_SYM_MISSING && op->analysed == TTP_ANALYSED_FULL;
    const ttp_str type = ttp_sym_name(r->syms, op->in1_datatype);
    const ttp_str memory = ttp_sym_name(r->syms, op->in0_memory);
    double id;

    if (op->kind != TTP_OP_DEVICE)
        return;
    seen[TTP_STEP_FORMATS].concerned += weights;
    seen[TTP_STEP_FORMATS].done += weights && ttp_str_has(type, TTP_STR("_B"));
    seen[TTP_STEP_LAYOUTS].concerned++;
    seen[TTP_STEP_LAYOUTS].done += !ttp_code_starts(r, op, ttp_codes_layout);
    seen[TTP_STEP_MEMORY].concerned += op->analysed == TTP_ANALYSED_FULL;
    seen[TTP_STEP_MEMORY].done +=
        op->analysed == TTP_ANALYSED_FULL &&
        ((op->has & TTP_DRAM_SHARDED) || ttp_str_has(memory, TTP_STR("SHARDED")));
    seen[TTP_STEP_TRACE].concerned++;
    seen[TTP_STEP_TRACE].done += ttp_analysis_cell(r, op, TTP_OPS_TRACE_ID, &id);
    seen[TTP_STEP_CONV].concerned += ttp_code_starts(r, op, ttp_codes_conv);
    seen[TTP_STEP_CONV].done += ttp_code_starts(r, op, ttp_codes_conv) &&
                                (op->has & TTP_HAS_FLOPS_PCT) && op->flops_pct >= 40;
    seen[TTP_STEP_DEVICES].concerned += ttp_code_starts(r, op, ttp_codes_collective);
    seen[TTP_STEP_DEVICES].done +=
        ttp_code_starts(r, op, ttp_codes_collective) &&
        ttp_str_has(ttp_sym_name(r->syms, op->in0_datatype), TTP_STR("_B"));
}

/* Targets of kernels: a rule of the target has nothing to say about the op. */
static void see_kernels(struct seen seen[TTP_STEPS], const struct ttp_plan_run *run, size_t op)
{
    const struct ttp_op *at = &run->report->op[op];

    if (at->kind != TTP_OP_DEVICE || !ttp_code_starts(run->report, at, ttp_codes_own))
        return;
    for (unsigned s = TTP_MODEL_STEPS; s < TTP_STEPS; s++)
        seen[s].concerned++;
    seen[TTP_TARGET_CORES].done += ttp_gain_kernel_cores(run, op) < 0;
    seen[TTP_TARGET_DRAM].done += ttp_gain_kernel_traffic(run, op) < 0;
    seen[TTP_TARGET_BLOCKS].done += ttp_gain_kernel_blocks(run, op) < 0;
}

static bool step_pays(const struct ttp_plan *plan, enum ttp_step step)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->item[i].rule->step == step && plan->item[i].gain_us > 0)
            return true;
    return false;
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
        [TTP_STEP_LAYOUTS] = {.what = "ops are no layout conversions"},
        [TTP_STEP_MEMORY] = {.what = "matmuls have sharded activations or weights"},
        [TTP_STEP_TRACE] = {.what = "ops were replayed from a trace"},
        [TTP_STEP_QUEUES] = {.what = ""},
        [TTP_STEP_CONV] = {.what = "convolutions reach 40 % of their cores' peak"},
        [TTP_STEP_DEVICES] = {.what = "collectives send a block format"},
        [TTP_TARGET_CORES] = {.what = "own kernels use the whole grid"},
        [TTP_TARGET_DRAM] = {.what = "own kernels move no more than they must, as far as is known"},
        [TTP_TARGET_BLOCKS] = {.what = "own kernels do not wait for small blocks"},
    };

    for (size_t i = 0; i < r->count; i++)
        see_op(seen, r, &r->op[i]);
    for (size_t i = 0; i < r->count; i++)
        see_kernels(seen, run, i);
    for (size_t s = 0; s < TTP_STEPS; s++) {
        const bool pays = step_pays(plan, (enum ttp_step)s);
        struct ttp_sink out;
        ttp_sink_to_arena(&out, arena);
        if (seen[s].concerned)
            ttp_sink_printf(&out, "%zu of %zu %s", seen[s].done, seen[s].concerned, seen[s].what);
        else if (s == TTP_STEP_QUEUES)
            ttp_sink_put(&out, run->gaps_at_starts
                                   ? TTP_STR("the device waits where iterations begin")
                                   : TTP_STR("no gaps between iterations to be seen"));
        plan->step[s].seen = ttp_sink_text(&out);
        plan->step[s].state = state_of(&seen[s], pays);
    }
}

void ttp_plan_make(struct ttp_plan *out, const struct ttp_report *report,
                   const struct ttp_user_rules *user, struct ttp_arena *arena)
{
    ttp_plan_make_with(out, report, user, NULL, arena);
}

void ttp_plan_make_with(struct ttp_plan *out, const struct ttp_report *report,
                        const struct ttp_user_rules *user, const struct ttp_kernel_report *kernels,
                        struct ttp_arena *arena)
{
    const struct ttp_plan_run run = look_at(report, kernels, arena);
    const size_t own = user ? user->count : 0, rules = ttp_plan_rules_count + own;
    struct gain *gain = TTP_NEW(arena, struct gain, report->count);

    *out = (struct ttp_plan){.item = TTP_NEW(arena, struct ttp_plan_item, rules),
                             .total_us = run.total_us};
    for (size_t k = 0; k < rules; k++) {
        const struct ttp_user_rule *mine =
            k < ttp_plan_rules_count ? NULL : &user->item[k - ttp_plan_rules_count];
        size_t count = 0;
        for (size_t i = 0; i < report->count; i++) {
            const double us =
                mine ? user_gain(mine, report, &report->op[i]) : ttp_plan_rules[k].gain(&run, i);
            if (us >= 0)
                gain[count++] = (struct gain){i, us};
        }
        add_item(out, mine ? &mine->info : &ttp_plan_rules[k].info, gain, count, &run, arena);
    }
    if (out->count)
        qsort(out->item, out->count, sizeof(*out->item), by_worth);
    find_further(out, report, arena);
    set_kind(out, report);
    set_steps(out, &run, arena);
}
