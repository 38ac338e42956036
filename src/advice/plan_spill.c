/* SPDX-License-Identifier: Apache-2.0 */
/* plan_spill.c - ops that write to DRAM while stale buffers fill L1, from a graph capture. */
#include "advice/matmul_look.h"
#include "advice/rule_parts.h"
#include "mem/mem.h"

/* Of the time that DRAM takes, what is left when L1 takes the output: see ttp_gain_placement(). */
#define MOST_PCT 90.0

static const struct ttp_op_memory *memory_of(const struct ttp_report *r, const struct ttp_op *op)
{
    return r->ops && r->ops->memory && op->kind == TTP_OP_DEVICE && r->ops->memory[op->row].has
               ? &r->ops->memory[op->row]
               : NULL;
}

/* The op whose last use of a buffer it was; NULL: before the capture. */
static const struct ttp_mem_op *last_user(const struct ttp_mem_capture *c, uint32_t buffer)
{
    for (size_t i = 0; i < c->stales; i++)
        if (c->stale[i].buffer == buffer)
            return c->stale[i].last_op == TTP_MEM_NONE ? NULL : &c->op[c->stale[i].last_op];
    return NULL;
}

static void list_buffers(struct ttp_plan_spill *out, const struct ttp_mem_capture *c,
                         const struct ttp_mem_to_free *from, struct ttp_arena *arena)
{
    struct ttp_spill_buffer *list = TTP_NEW(arena, struct ttp_spill_buffer, from->count);

    for (size_t i = 0; i < from->count; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[from->buffer[i]];
        const struct ttp_mem_op *op = last_user(c, from->buffer[i]);
        const int64_t *id;
        const size_t ids = ttp_mem_tensor_ids(&id, c, b, arena);

        list[i] = (struct ttp_spill_buffer){.address = b->address,
                                            .bytes = (int64_t)b->bytes,
                                            .tensor = ids ? id[ids - 1] : -1,
                                            .last_op = op ? op->id : 0,
                                            .last_name = op ? op->name : (ttp_str){0}};
    }
    out->buffer = list;
    out->buffers = from->count;
}

/* In L1 the next op would have found it. An output that is placed there already is not a spill. */
static bool writes_to_dram(const struct ttp_report *r, const struct ttp_op *op,
                           struct ttp_tensor_size *out)
{
    struct ttp_tensor_size in;

    if (!ttp_analysis_tensor(out, r, op, TTP_TENSOR_OUT) || !out->in_dram || !(out->bytes > 0))
        return false;
    return op->limit == TTP_LIMIT_DRAM ||
           (ttp_analysis_tensor(&in, r, op, TTP_TENSOR_IN0) && !in.in_dram);
}

const struct ttp_plan_spill *ttp_advice_spill(const struct ttp_report *r, size_t i,
                                              struct ttp_arena *arena)
{
    const struct ttp_op *op = &r->op[i];
    const struct ttp_op_memory *m = memory_of(r, op);
    struct ttp_tensor_size written;
    struct ttp_mem_to_free to_free;

    if (!m || m->stale_bytes <= 0 || !m->has_room || m->banks <= 0 ||
        !writes_to_dram(r, op, &written))
        return NULL;
    const double need = ceil(written.bytes / (double)m->banks);
    if (need > (double)m->block_unstale_bytes)
        return NULL; /* L1 is full of what is needed */
    struct ttp_plan_spill *out = TTP_NEW(arena, struct ttp_plan_spill, 1);
    *out = (struct ttp_plan_spill){.op_id = m->op_id,
                                   .needed_bytes = (int64_t)need,
                                   .largest_free_bytes = m->block_bytes,
                                   .without_stale_bytes = m->block_unstale_bytes,
                                   .stale_bytes = m->stale_bytes,
                                   .output_bytes = written.bytes};
    if (out->needed_bytes <= m->block_bytes)
        return out;
    const struct ttp_mem_line at = {m->op, m->device};
    ttp_mem_make_room(&to_free, m->capture, at, (uint64_t)out->needed_bytes, arena);
    list_buffers(out, m->capture, &to_free, arena);
    return out;
}

/* The matmul with its output in L1, by the cost model; 0: there is no model for it. */
static double matmul_left(const struct ttp_matmul_look *look)
{
    struct ttp_matmul_time now, then;
    struct ttp_matmul p;

    if (!look || !look->predicted || look->op.problem.sparse)
        return 0;
    p = look->op.problem;
    p.out_at = (struct ttp_placement){.l1 = true};
    if (!ttp_cost_matmul(&now, &look->op.problem, &look->op.config) ||
        !ttp_cost_matmul(&then, &p, &look->op.config) || !(now.ns > 0))
        return 0;
    return fmin(then.ns / now.ns, 1);
}

double ttp_gain_stale_l1(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const struct ttp_plan_spill *spill = run->spill[i];
    double dram = 0;

    if (!spill)
        return TTP_RULE_NO;
    const double left = matmul_left(run->matmul[i]);
    if (left > 0)
        return ttp_rule_time(op) * (1 - left);
    for (unsigned t = 0; t < TTP_WHICH_TENSORS; t++) {
        struct ttp_tensor_size size;
        if (ttp_analysis_tensor(&size, run->report, op, (enum ttp_which_tensor)t) && size.in_dram)
            dram += size.bytes;
    }
    if (!(op->has & TTP_HAS_DRAM_PCT) || !(dram > 0))
        return 0;
    return ttp_rule_time(op) * fmin(op->dram_pct, MOST_PCT) / 100 * spill->output_bytes / dram;
}

bool ttp_risk_stale_l1(const struct ttp_plan_run *run, size_t i)
{
    return run->spill[i]->buffers == 0; /* it would fit as things are */
}

ttp_str ttp_advice_spill_text(const struct ttp_plan_spill *spill, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out,
                    "the output takes %lld B of a bank, the largest free block of op %u in the "
                    "capture is %lld B, and %lld B without stale buffers",
                    (long long)spill->needed_bytes, spill->op_id,
                    (long long)spill->largest_free_bytes, (long long)spill->without_stale_bytes);
    for (size_t i = 0; i < spill->buffers; i++) {
        const struct ttp_spill_buffer *b = &spill->buffer[i];

        ttp_sink_put(&out, i ? TTP_STR(", ") : TTP_STR("; free "));
        if (b->tensor >= 0)
            ttp_sink_printf(&out, "tensor %lld", (long long)b->tensor);
        else
            ttp_sink_printf(&out, "the buffer at %lld", (long long)b->address);
        ttp_sink_printf(&out, " (%lld B", (long long)b->bytes);
        if (b->last_op)
            ttp_sink_printf(&out, ", unused since op %u %.*s", b->last_op, TTP_FMT(b->last_name));
        ttp_sink_char(&out, ')');
    }
    if (spill->buffers == 0)
        ttp_sink_put(&out, TTP_STR("; it would already fit"));
    return ttp_sink_text(&out);
}
