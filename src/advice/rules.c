/* SPDX-License-Identifier: Apache-2.0 */
#include "advice/plan_rules.h"
#include "base/sink.h"
#include "base/vec.h"

/* Half of L1, so much of every core, is a cautious guess of what is free. */
#define FREE_L1_BYTES 0x1p19

bool ttp_advice_fits_l1(const struct ttp_report *report, double bytes)
{
    return bytes <= FREE_L1_BYTES * (double)report->worker_cores;
}

/* The matmul of an op, read when the first rule asks. */
struct ttp_judged_matmul {
    bool asked, known;
    bool modelled; /* the cost model knows its config */
    struct ttp_config_op op;
};

/* NULL: it is none, or its sizes are unknown. */
static const struct ttp_judged_matmul *matmul_of(const struct ttp_judged *j)
{
    struct ttp_judged_matmul *m = j->matmul;
    struct ttp_config_row row;

    if (!m || !j->report->ops)
        return NULL;
    if (!m->asked) {
        m->asked = true;
        m->known = ttp_advice_matmul(&m->op, j->report, (size_t)(j->op - j->report->op));
        if (m->known && m->op.has_config && !m->op.problem.sparse) {
            ttp_config_judge(&row, TTP_ORIGIN_USED, &m->op.problem, &m->op.config);
            m->modelled = row.has_time;
        }
    }
    return m->known ? m : NULL;
}

/* Of such a matmul a plan weighs all configs; figures of the row that are below a threshold say
 * nothing of what that would bring. */
static bool is_modelled(const struct ttp_judged *j)
{
    const struct ttp_judged_matmul *m = matmul_of(j);

    return m && m->modelled;
}

static bool say(struct ttp_sink *text, const char *sentence)
{
    ttp_sink_put(text, ttp_str_from(sentence));
    return true;
}

static bool has_all(const struct ttp_op *op, uint32_t bits)
{
    return (op->has & bits) == bits;
}

bool ttp_advice_say_host_ops(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    (void)arena;
    return j->op->kind == TTP_OP_HOST && say(text, "Move this op to the device");
}

bool ttp_advice_say_trace(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    (void)arena;
    if (!(j->op->has & TTP_HAS_GAP) || !(j->op->gap_us > TTP_GAP_FLAGGED_US))
        return false;
    j->gain_us = j->op->gap_us -
                 ttp_board_op_constants(ttp_advice_board(j->report))[TTP_OPC_TRACED_GAP].value;
    return say(text, "Capture a trace: the device waits for the host before this op");
}

static bool dram_bound(const struct ttp_op *op)
{
    return op->bound == TTP_BOUND_DRAM || op->bound == TTP_BOUND_BOTH;
}

static bool is_sparse(const struct ttp_judged *j)
{
    return ttp_analysis_family(j->report, j->op->raw_code).traits & TTP_IS_SPARSE;
}

/* A DRAM-sharded matmul has one row of tiles. */
static bool has_tile_rows(const struct ttp_judged *j)
{
    const struct ttp_judged_matmul *m = matmul_of(j);

    return m && (m->op.problem.m > m->op.problem.tile_h ||
                 (m->op.problem.batch > 1 && m->op.problem.batch_b == 1));
}

bool ttp_advice_say_dram_sharding(struct ttp_judged *j, struct ttp_sink *text,
                                  struct ttp_arena *arena)
{
    (void)arena;
    if (!dram_bound(j->op) || (j->op->has & TTP_DRAM_SHARDED) || is_sparse(j) || is_modelled(j) ||
        has_tile_rows(j))
        return false;
    return say(text, "Try a DRAM-sharded config "
                     "(MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig)");
}

bool ttp_advice_say_few_cores(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    const struct ttp_op *op = j->op;
    double cores;

    (void)arena;
    if (op->bound != TTP_BOUND_FLOP || !ttp_cell_f64(op->cores, &cores))
        return false;
    if ((op->has & TTP_DRAM_SHARDED) || !(op->has & TTP_HAS_AVAILABLE) ||
        !(cores < (double)op->available_cores))
        return false;
    ttp_sink_printf(text, "Use more cores: %.0f of %lld are in use", cores,
                    (long long)op->available_cores);
    return true;
}

static bool slow(const struct ttp_judged *j)
{
    return j->op->bound == TTP_BOUND_SLOW;
}

bool ttp_advice_say_input_sharding(struct ttp_judged *j, struct ttp_sink *text,
                                   struct ttp_arena *arena)
{
    const ttp_str memory = ttp_sym_name(j->report->syms, j->op->in0_memory);
    struct ttp_tensor_size input;

    (void)arena;
    if (!slow(j) || memory.len == 0 || ttp_str_has(memory, TTP_STR("L1")) || is_modelled(j) ||
        (ttp_analysis_tensor(&input, j->report, j->op, TTP_TENSOR_IN0) &&
         !ttp_advice_fits_l1(j->report, input.bytes)))
        return false;
    ttp_sink_put(text, TTP_STR("Keep input 0 in L1, not in "));
    ttp_sink_put(text, memory);
    return true;
}

static bool has_blocks(const struct ttp_op *op)
{
    return op->has & (TTP_HAS_BLOCK_W | TTP_HAS_SUBBLOCK_H | TTP_HAS_SUBBLOCK_W);
}

/* A DRAM-sharded config has per-core sizes in place of blocks: only the width says something there.
 */
static bool judges_subblocks(const struct ttp_judged *j)
{
    return slow(j) && has_blocks(j->op) && !(j->op->has & TTP_DRAM_SHARDED);
}

static void put_subblock(struct ttp_sink *text, const struct ttp_judged *j)
{
    ttp_sink_i64(text, j->op->subblock_h);
    ttp_sink_char(text, 'x');
    ttp_sink_i64(text, j->op->subblock_w);
}

bool ttp_advice_say_block_width(struct ttp_judged *j, struct ttp_sink *text,
                                struct ttp_arena *arena)
{
    (void)arena;
    if (!slow(j) || !has_blocks(j->op) || is_modelled(j))
        return false;
    if (!(j->op->has & TTP_HAS_BLOCK_W))
        return say(text, "in0_block_w is missing in the row");
    const struct ttp_judged_matmul *m = matmul_of(j);
    if (j->op->block_w >= 2 || (m && m->op.problem.k <= 32))
        return false;
    ttp_sink_printf(text, "Raise in0_block_w to 2 or more (it is %lld)", (long long)j->op->block_w);
    return true;
}

/* A row that does not have the sizes of its blocks cannot say that there is none. */
bool ttp_advice_has_larger_subblock(const struct ttp_report *report, size_t op)
{
    struct ttp_config_op matmul;

    return !report->ops || !ttp_advice_matmul(&matmul, report, op) || !matmul.has_config ||
           ttp_config_has_larger_subblock(&matmul);
}

bool ttp_advice_say_subblock(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    const struct ttp_op *op = j->op;

    (void)arena;
    if (!judges_subblocks(j) || is_modelled(j))
        return false;
    if (!has_all(op, TTP_HAS_SUBBLOCK_H | TTP_HAS_SUBBLOCK_W))
        return say(text, "out_subblock_h and out_subblock_w are missing in the row");
    if ((double)op->subblock_h * (double)op->subblock_w >= 2 ||
        !ttp_advice_has_larger_subblock(j->report, (size_t)(op - j->report->op)))
        return false;
    ttp_sink_put(text, TTP_STR("Enlarge the output subblock to 2 tiles or more (it is "));
    put_subblock(text, j);
    return say(text, ")");
}

/* Below this share of the peak a DRAM-bound matmul has time for a higher fidelity (tt-perf-report).
 */
#define SPARE_FLOPS_PCT 40.0

/* Is the fidelity below what a plan advises for such weights? HiFi2 does for bfloat16 ones, LoFi
 * for block formats (matmul_look.c): what is less accurate than it could be is then meant. */
static bool is_below_plan(const struct ttp_judged *j)
{
    const ttp_str name = ttp_sym_name(j->report->syms, j->op->in1_datatype);
    enum ttp_tile_type weights;
    enum ttp_fidelity now;

    return ttp_device_find_fidelity(ttp_analysis_text(j->report, j->op, TTP_OPS_FIDELITY), &now) &&
           now == TTP_FIDELITY_LOFI && ttp_cost_tile_type_find(&weights, name) &&
           weights != TTP_TILE_BFP8 && weights != TTP_TILE_BFP4;
}

bool ttp_advice_say_fidelity(struct ttp_judged *j, struct ttp_sink *text, struct ttp_arena *arena)
{
    const struct ttp_op *op = j->op;
    bool applies = false;

    if (dram_bound(op))
        applies = op->verdict == TTP_FIDELITY_HIGH ||
                  (op->verdict == TTP_FIDELITY_LOW && op->flops_pct < SPARE_FLOPS_PCT);
    else if (op->bound == TTP_BOUND_FLOP)
        applies = op->verdict == TTP_FIDELITY_HIGH;
    else if (slow(j))
        applies = has_blocks(op) || (op->has & TTP_DRAM_SHARDED);
    if (op->verdict == TTP_FIDELITY_LOW && !is_below_plan(j))
        return false;
    const ttp_str sentence =
        applies ? ttp_analysis_fidelity_text(j->report, op, arena) : (ttp_str){0};
    ttp_sink_put(text, sentence);
    if (op->verdict != TTP_FIDELITY_HIGH) /* it is about accuracy, not time */
        j->id = "fidelity";
    return sentence.len != 0;
}

/* Cheap signs that config_flags() then checks; most matmuls have none. */
static bool may_have_flags(const struct ttp_judged *j)
{
    const struct ttp_op *op = j->op;
    const ttp_str attributes = ttp_analysis_text(j->report, op, TTP_OPS_ATTRIBUTES);

    if ((op->has & TTP_HAS_BLOCK_W) && op->block_w <= 2)
        return true;
    if (has_all(op, TTP_HAS_SUBBLOCK_H | TTP_HAS_SUBBLOCK_W) && op->subblock_h == 1 &&
        op->subblock_w == 1)
        return true;
    return ttp_str_has(attributes, TTP_STR("fuse_batch=0")) ||
           ((op->has & TTP_DRAM_SHARDED) &&
            ttp_str_has(attributes, TTP_STR("fused_activation=Unary")));
}

/* What a program config costs for no reason. */
static bool config_flags(const struct ttp_judged *j, struct ttp_sink *text)
{
    const struct ttp_judged_matmul *m = j->report->ops && may_have_flags(j) ? matmul_of(j) : NULL;

    if (!m)
        return false;
    unsigned flags = ttp_config_flags(&m->op);
    if (judges_subblocks(j) && !m->modelled &&
        ttp_config_has_larger_subblock(&m->op)) /* another rule reports it */
        flags &= ~(1U << TTP_FLAG_TINY_SUBBLOCK);
    for (size_t i = 0; i < TTP_FLAGS; i++)
        if (flags & 1U << i)
            ttp_sink_printf(text, "%s%s: %s", text->len ? "; " : "", ttp_flag_specs[i].title,
                            ttp_flag_specs[i].remedy);
    return text->len > 0;
}

bool ttp_advice_say_matmul_config(struct ttp_judged *j, struct ttp_sink *text,
                                  struct ttp_arena *arena)
{
    (void)arena;
    if (slow(j) && !has_blocks(j->op) && !(j->op->has & TTP_DRAM_SHARDED) && !is_modelled(j))
        return say(text, "Try a program_config with in0_block_w and out_subblock_h/w");
    if (config_flags(j, text))
        return true;
    const bool slow_from_dram = dram_bound(j->op) && !(j->op->has & TTP_DRAM_SHARDED);

    return (slow(j) || slow_from_dram) && is_modelled(j) &&
           say(text, "Compare program configs: tt-perf config --run RUN --id ID");
}

static bool is_matmul(const struct ttp_report *report, const struct ttp_op *op)
{
    (void)report;
    return op->analysed == TTP_ANALYSED_FULL;
}

/* An op that rules are asked about. */
struct asking {
    const struct ttp_report *report;
    size_t op;
    struct ttp_arena *arena;
    struct ttp_judged_matmul *matmul;
};

static bool ask(struct ttp_finding *out, const struct ttp_finding_rule *rule,
                const struct asking *a)
{
    struct ttp_judged j = {a->report, &a->report->op[a->op], a->matmul, rule->id, 0};
    struct ttp_sink text;

    ttp_sink_to_arena(&text, a->arena);
    if (!rule->judge(&j, &text, a->arena))
        return false;
    *out = (struct ttp_finding){a->op, j.id, rule->section, ttp_sink_text(&text), j.gain_us};
    return true;
}

static enum ttp_advice_section section_of(const struct ttp_plan_rule *rule)
{
    return rule->of & TTP_IS_HOST   ? TTP_ADVICE_FALLBACK
           : rule->of & TTP_IS_LATE ? TTP_ADVICE_GAP
                                    : TTP_ADVICE_MATMUL;
}

/* Our own: rules of the plan that speak of rows. */
static size_t ask_plan(struct ttp_finding out[TTP_ADVICE_PER_OP], const struct asking *a,
                       bool matmul)
{
    const size_t rules = ttp_plan_rules();
    size_t n = 0, first = 0, remarks = 0; /* those about matmuls come last */

    for (size_t r = 0; r < rules && n < TTP_ADVICE_PER_OP; r++) {
        const struct ttp_plan_rule *rule = ttp_plan_rule_at(r);
        struct ttp_finding found;

        if (!rule->says || (!matmul && section_of(rule) == TTP_ADVICE_MATMUL))
            continue;
        if (!ask(&found, &(struct ttp_finding_rule){rule->info.id, section_of(rule), rule->says},
                 a))
            continue;
        /* remarks on accuracy come after advice on speed */
        const bool remark = found.section == TTP_ADVICE_MATMUL && found.rule != rule->info.id;
        const size_t at = found.section != TTP_ADVICE_MATMUL ? first++ : remark ? n : n - remarks;
        memmove(&out[at + 1], &out[at], (n - at) * sizeof(*out));
        out[at] = found;
        remarks += remark;
        n++;
    }
    return n;
}

size_t ttp_advice_for_op(struct ttp_finding out[TTP_ADVICE_PER_OP], const struct ttp_report *report,
                         size_t op, const struct ttp_finding_rules *rules, struct ttp_arena *arena)
{
    struct ttp_judged_matmul known = {0};
    const struct asking a = {report, op, arena, &known};
    const bool matmul = (rules ? rules->is_matmul : is_matmul)(report, &report->op[op]);
    size_t n = 0;

    if (!rules)
        return ask_plan(out, &a, matmul);
    for (size_t r = 0; r < rules->count && n < TTP_ADVICE_PER_OP; r++) {
        if (rules->rule[r].section == TTP_ADVICE_MATMUL && !matmul)
            break;
        n += ask(&out[n], &rules->rule[r], &a);
    }
    return n;
}

void ttp_advice_run(struct ttp_findings *out, const struct ttp_report *report,
                    struct ttp_advice_rows of, const struct ttp_finding_rules *rules,
                    struct ttp_arena *arena)
{
    struct ttp_finding found[TTP_ADVICE_PER_OP];
    size_t cap = 0;

    *out = (struct ttp_findings){0};
    for (size_t i = 0; i < of.rows; i++) {
        const size_t n = ttp_advice_for_op(found, report, of.row[i], rules, arena);

        TTP_RESERVE(arena, out->item, out->count + n, cap);
        if (n)
            memcpy(out->item + out->count, found, n * sizeof(*found));
        out->count += n;
    }
}

void ttp_advice_gap_saving(const struct ttp_report *report, double *gain_us, double *saving_pct)
{
    struct ttp_sum saving = {0};
    const double total = report->busy_us + report->gap_us;

    for (size_t i = 0; i < report->count; i++) {
        const struct ttp_op *op = &report->op[i];
        if ((op->has & TTP_HAS_GAP) && op->gap_us > TTP_GAP_FLAGGED_US)
            ttp_analysis_sum_add(&saving, op->gap_us - TTP_GAP_EXPECTED_US);
    }
    *gain_us = ttp_analysis_sum_value(&saving);
    *saving_pct = *gain_us / total * 100;
}
