/* SPDX-License-Identifier: Apache-2.0 */
/* plan_look.c - data that several rules use, found in one pass over the ops. */
#include "advice/matmul_look.h"
#include "advice/mesh_look.h"
#include "advice/plan_rules.h"

/* Of the time that long gaps take, at the starts of iterations: then nothing else is wrong. */
#define AT_STARTS 0.8
/* The device waited for a compiler: at least so long, and that many times longer than later. */
#define COMPILING_US    50.0
#define COMPILING_TIMES 10.0
#define COLD_AND_LATE   (TTP_IS_COLD | TTP_IS_LATE)
/* Ops from one matmul to the next in attention by hand: scale, mask, softmax, dropout. */
#define ATTENTION_SPAN 6

static bool same_output(const struct ttp_report *r, const struct ttp_op *a, const struct ttp_op *b)
{
    struct ttp_tensor_size x, y;

    return ttp_analysis_tensor(&x, r, a, TTP_TENSOR_OUT) &&
           ttp_analysis_tensor(&y, r, b, TTP_TENSOR_OUT) && x.padded == y.padded;
}

/* Element-wise ops one after the other on tensors of one size. */
static const uint32_t *find_chains(const struct ttp_report *r, const uint32_t *is,
                                   struct ttp_arena *arena)
{
    uint32_t *chain = TTP_NEW(arena, uint32_t, r->count);

    for (size_t i = 0; i < r->count;) {
        size_t end = i + 1;
        while ((is[i] & TTP_IS_ELTWISE) && end < r->count && (is[end] & TTP_IS_ELTWISE) &&
               same_output(r, &r->op[i], &r->op[end]))
            end++;
        if (end - i > 1)
            chain[i] = (uint32_t)(end - i);
        i = end;
    }
    return chain;
}

static size_t next_of(const uint32_t *is, size_t from, size_t to, size_t count, uint32_t bits)
{
    for (size_t i = from; i < to && i < count; i++)
        if (is[i] & bits)
            return i;
    return count;
}

/* Matmul, softmax, matmul with little in between. */
static const uint32_t *find_attention(const uint32_t *is, size_t count, struct ttp_arena *arena)
{
    uint32_t *attended = TTP_NEW(arena, uint32_t, count);

    for (size_t i = 0; i < count; i++) {
        const size_t from = next_of(is, i, count, count, TTP_IS_MATMUL);
        if (from == count)
            break;
        const size_t middle = next_of(is, from + 1, from + ATTENTION_SPAN, count, TTP_IS_SOFTMAX);
        const size_t again = next_of(is, from + 1, middle, count, TTP_IS_MATMUL);
        const size_t end = next_of(is, middle + 1, middle + ATTENTION_SPAN, count, TTP_IS_MATMUL);
        i = from;
        if (middle < count && again >= middle && end < count) {
            attended[from] = (uint32_t)(end - from + 1);
            i = end;
        }
    }
    return attended;
}

/* Text of a row's PROGRAM CACHE HIT: 1 yes, 0 no, -1 not there. */
static int cache_hit(ttp_str hit)
{
    if (ttp_str_eq_any_case(hit, TTP_STR("true")) || ttp_str_eq(hit, TTP_STR("1")))
        return 1;
    return ttp_str_eq_any_case(hit, TTP_STR("false")) || ttp_str_eq(hit, TTP_STR("0")) ? 0 : -1;
}

/* What is asked of the names that symbols represent, once for each. */
struct word {
    bool known, blocks, sharded;
    int8_t hit;
    uint32_t bits;
    /* when an op of that name was seen first, from 1, and the shortest gap of those after it */
    size_t first;
    double later_us;
    bool again;
};

struct looking {
    const struct ttp_report *report;
    struct word *word; /* by symbol */
    uint32_t *is;
    bool traced, says_hit;
    ttp_sym first_code; /* of the first op on the device */
    double gaps_us, start_gaps_us;
    size_t starts;
};

static struct word *word_of(struct looking *l, ttp_sym sym)
{
    struct word *w = &l->word[sym];

    if (!w->known) {
        const ttp_str name = ttp_sym_name(l->report->syms, sym);
        *w = (struct word){.known = true,
                           .blocks = ttp_str_has(name, TTP_STR("_B")),
                           .sharded = ttp_str_has(name, TTP_STR("SHARDED")),
                           .hit = (int8_t)cache_hit(name),
                           .bits = ttp_analysis_family(l->report, sym).traits};
    }
    return w;
}

static uint32_t bits_of_row(const struct ttp_op *op)
{
    const bool limited = op->limit == TTP_LIMIT_CORES || op->limit == TTP_LIMIT_IMBALANCE ||
                         op->limit == TTP_LIMIT_PADDING || op->limit == TTP_LIMIT_LINK ||
                         op->limit == TTP_LIMIT_NOC;
    const bool timed = (op->has & TTP_HAS_TIME) && op->time_us > 0;
    const bool late = (op->has & TTP_HAS_GAP) && op->gap_us > TTP_GAP_FLAGGED_US;

    return TTP_IS_DEVICE | (limited ? TTP_IS_LIMITED : 0) | (late ? TTP_IS_LATE : 0) |
           (timed && op->analysed == TTP_ANALYSED_FULL ? TTP_IS_MODELLED : 0);
}

/* Gaps before ops that are what the run begins with, and when each op came first. */
static void look_at_gap(struct looking *l, size_t i)
{
    const struct ttp_op *op = &l->report->op[i];
    struct word *w = word_of(l, op->code);

    if (w->first == 0)
        w->first = i + 1;
    else if ((op->has & TTP_HAS_GAP) && (!w->again || op->gap_us < w->later_us)) {
        w->later_us = op->gap_us;
        w->again = true;
    }
    if (!(l->is[i] & TTP_IS_LATE))
        return;
    l->gaps_us += op->gap_us;
    if (op->code == l->first_code) {
        l->start_gaps_us += op->gap_us;
        l->starts++;
    }
}

static void look_at_op(struct looking *l, size_t i)
{
    const struct ttp_op *op = &l->report->op[i];
    double id;

    if (op->kind == TTP_OP_HOST)
        l->is[i] = TTP_IS_HOST;
    if (op->kind != TTP_OP_DEVICE)
        return;
    if (l->first_code == TTP_SYM_MISSING)
        l->first_code = op->code;
    l->is[i] = bits_of_row(op);
    if (op->raw_code != TTP_SYM_MISSING)
        l->is[i] |= word_of(l, op->raw_code)->bits;
    if (op->in0_datatype != TTP_SYM_MISSING && word_of(l, op->in0_datatype)->blocks)
        l->is[i] |= TTP_IN0_BLOCKS;
    if (op->in1_datatype != TTP_SYM_MISSING && word_of(l, op->in1_datatype)->blocks)
        l->is[i] |= TTP_IN1_BLOCKS;
    if (op->in0_memory != TTP_SYM_MISSING && word_of(l, op->in0_memory)->sharded)
        l->is[i] |= TTP_IN0_SHARDED;
    if (op->code != TTP_SYM_MISSING)
        look_at_gap(l, i);
    const ttp_sym hit = ttp_ops_sym(l->report->ops, TTP_OPS_CACHE_HIT, op->row);
    l->says_hit |= hit != TTP_SYM_MISSING && word_of(l, hit)->hit == 1;
    l->traced = l->traced || ttp_analysis_cell(l->report, op, TTP_OPS_TRACE_ID, &id);
}

/* tt-metal writes False into every row, so that PROGRAM CACHE HIT says something only if there is a
 * True. Else an op was compiled if the device waited much longer for it the first time. */
static void mark_cold(struct looking *l)
{
    const struct ttp_report *r = l->report;

    for (size_t i = 0; i < r->count; i++)
        if ((l->is[i] & TTP_IS_DEVICE) && ttp_analysis_is_cold(r, &r->op[i]))
            l->is[i] |= TTP_IS_COLD;
    for (size_t i = 0; l->says_hit && i < r->count; i++) {
        const ttp_sym hit = ttp_ops_sym(r->ops, TTP_OPS_CACHE_HIT, r->op[i].row);
        if ((l->is[i] & TTP_IS_DEVICE) && hit != TTP_SYM_MISSING && word_of(l, hit)->hit == 0)
            l->is[i] |= TTP_IS_COLD;
    }
    for (size_t k = 0; !l->says_hit && k < r->syms->count; k++)
        if (l->word[k].again) {
            const size_t i = l->word[k].first - 1;
            const struct ttp_op *op = &r->op[i];
            if ((op->has & TTP_HAS_GAP) && op->gap_us > COMPILING_US &&
                op->gap_us > COMPILING_TIMES * l->word[k].later_us)
                l->is[i] |= TTP_IS_COLD;
        }
}

/* What the device waits for a compiler does not say how an iteration begins. */
static void omit_cold_gaps(struct looking *l)
{
    for (size_t i = 0; i < l->report->count; i++) {
        const struct ttp_op *op = &l->report->op[i];

        if (op->code == TTP_SYM_MISSING || (l->is[i] & COLD_AND_LATE) != COLD_AND_LATE)
            continue;
        l->gaps_us -= op->gap_us;
        l->start_gaps_us -= op->code == l->first_code ? op->gap_us : 0;
        l->starts -= op->code == l->first_code;
    }
}

/* The program of each op, by its id and device; the first replay of a traced one. */
static const struct ttp_kernel_program *const *find_kernels(const struct ttp_report *r,
                                                            const uint32_t *is,
                                                            const struct ttp_kernel_report *kernels,
                                                            struct ttp_arena *arena)
{
    const struct ttp_kernel_program **out =
        TTP_NEW(arena, const struct ttp_kernel_program *, r->count);
    double id;

    for (size_t i = 0; kernels && i < r->count; i++) {
        const struct ttp_op *op = &r->op[i];
        if (!(is[i] & TTP_IS_OWN) || !ttp_cell_f64(op->calls, &id))
            continue;
        for (size_t k = 0; k < kernels->nprograms && !out[i]; k++)
            if ((double)kernels->program[k].key.run_id == id &&
                (!(op->has & TTP_HAS_DEVICE) || kernels->program[k].key.device == op->device))
                out[i] = &kernels->program[k];
    }
    return out;
}

bool ttp_advice_is_own(const struct ttp_report *report, const struct ttp_op *op)
{
    return op->kind == TTP_OP_DEVICE &&
           (ttp_analysis_family(report, op->raw_code).traits & TTP_IS_OWN);
}

bool ttp_plan_wants_kernels(const struct ttp_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (ttp_advice_is_own(report, &report->op[i]))
            return true;
    return false;
}

/* Is any row of the file part of a trace, also outside the selected part? */
static bool has_traces(const struct ttp_ops *ops)
{
    double id;

    for (size_t row = 0; ops && row < ops->rows; row++)
        if (ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_TRACE_ID, row), &id))
            return true;
    return false;
}

static const struct ttp_plan_spill *const *find_spills(const struct ttp_report *r,
                                                       struct ttp_arena *arena)
{
    const struct ttp_plan_spill **out = TTP_NEW(arena, const struct ttp_plan_spill *, r->count);

    for (size_t i = 0; r->ops && r->ops->memory && i < r->count; i++)
        out[i] = ttp_advice_spill(r, i, arena);
    return out;
}

/* Does the device wait at the start of iterations, and hardly anywhere else? One pass that is not
 * of a trace has no start that repeats: an op that comes again is not one. */
static bool has_gaps_at_starts(const struct looking *l)
{
    const struct ttp_window *w = &l->report->window;

    return (w->iterations > 1 || l->traced) &&
           (l->starts > 1 || (l->starts && w->between_us > 0)) &&
           l->start_gaps_us >= AT_STARTS * l->gaps_us;
}

struct ttp_plan_run ttp_plan_look(const struct ttp_report *r, const struct ttp_plan_sources *from,
                                  struct ttp_arena *arena)
{
    struct looking l = {.report = r,
                        .word = TTP_NEW(arena, struct word, r->syms->count),
                        .is = TTP_NEW(arena, uint32_t, r->count),
                        .first_code = TTP_SYM_MISSING};

    for (size_t i = 0; i < r->count; i++)
        look_at_op(&l, i);
    mark_cold(&l);
    omit_cold_gaps(&l);
    const struct ttp_router router = ttp_advice_router_find(r, l.is);
    return (struct ttp_plan_run){.report = r,
                                 .is = l.is,
                                 .traced = l.traced || has_traces(r->ops),
                                 .gaps_at_starts = has_gaps_at_starts(&l),
                                 .chain = find_chains(r, l.is, arena),
                                 .attended = find_attention(l.is, r->count, arena),
                                 .kernel = find_kernels(r, l.is, from->kernels, arena),
                                 .matmul = ttp_advice_matmuls_look(r, &router, arena),
                                 .constant = ttp_board_op_constants(ttp_advice_board(r)),
                                 .spill = find_spills(r, arena),
                                 .mesh = ttp_advice_mesh_look_at(r, from->mesh, from->line, arena)};
}
