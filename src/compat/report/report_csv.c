/* SPDX-License-Identifier: Apache-2.0 */
/* report_csv.c - the per-op CSV of tt-perf-report 1.2.4: raw values in Python's notation, CRLF.
 */
#include "base/gate.h"
#include "compat/compat.h"

static const char header[] =
    "ID,Total %,Bound,OP Code,Device,Device Time,Op-to-Op Gap,Cores,DRAM,DRAM %,FLOPs,FLOPs %,Math "
    "Fidelity,Output Datatype,Input 0 Datatype,Input 1 Datatype,DRAM Sharded,Input 0 Memory,Inner "
    "Dim "
    "Block Size,Output Subblock H,Output Subblock W,Global Call Count";

/* A comma and the number, or a comma alone. */
static void put_number(struct ttp_sink *out, bool there, double v)
{
    ttp_sink_char(out, ',');
    if (there)
        ttp_sink_f64(out, v, TTP_NUM_PYTHON);
}

static void put_whole(struct ttp_sink *out, bool there, int64_t v)
{
    ttp_sink_char(out, ',');
    if (there)
        ttp_sink_i64(out, v);
}

static void put_size(struct ttp_sink *out, const struct ttp_report *r, bool there, int64_t v,
                     ttp_sym digits)
{
    put_whole(out, there && digits == TTP_SYM_MISSING, v);
    ttp_sink_put(out, ttp_sym_name(r->syms, digits));
}

static void put_text(struct ttp_sink *out, ttp_str text)
{
    ttp_sink_char(out, ',');
    ttp_gate_put_csv_exact(out, text);
}

static void put_cell(struct ttp_sink *out, const struct ttp_report *r, struct ttp_cell c,
                     ttp_str missing)
{
    ttp_sink_char(out, ',');
    if (c.kind == TTP_CELL_INT)
        ttp_sink_i64(out, c.v.i);
    else if (c.kind == TTP_CELL_FLOAT)
        ttp_sink_f64(out, c.v.f, TTP_NUM_PYTHON);
    else if (c.kind == TTP_CELL_TEXT)
        ttp_gate_put_csv_exact(out, ttp_sym_name(r->syms, c.v.text));
    else if (c.kind == TTP_CELL_BIG)
        ttp_sink_u64(out, (uint64_t)c.v.i);
    else if (c.kind == TTP_CELL_BOOL)
        ttp_sink_put(out, c.v.i ? TTP_STR("True") : TTP_STR("False"));
    else
        ttp_sink_put(out, missing);
}

/* A matmul's cores are a number as the file has it, those of other ops are whole. */
static void put_cores(struct ttp_sink *out, const struct ttp_report *r, const struct ttp_op *op)
{
    if (op->cores.kind == TTP_CELL_FLOAT && op->analysed != TTP_ANALYSED_FULL) {
        ttp_sink_char(out, ',');
        ttp_sink_fixed(out, op->cores.v.f, 0, false);
    } else {
        put_cell(out, r, op->cores, TTP_STR(""));
    }
}

/* A missing datatype is "nan" if the file has the column at all. */
static void put_type(struct ttp_sink *out, const struct ttp_report *r, ttp_sym type,
                     bool has_column)
{
    put_text(out, type != TTP_SYM_MISSING ? ttp_sym_name(r->syms, type)
                  : has_column            ? TTP_STR("nan")
                                          : TTP_STR(""));
}

static void put_advice(struct ttp_sink *out, const struct ttp_report *r, size_t i,
                       struct ttp_arena *arena)
{
    struct ttp_finding found[TTP_ADVICE_PER_OP];
    const struct ttp_mark mark = ttp_arena_mark(arena);
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    const size_t n = ttp_advice_for_op(found, r, i, &ttp_compat_advice, arena);
    for (size_t k = 0; k < n; k++) {
        if (found[k].section != TTP_ADVICE_MATMUL)
            continue;
        if (text.len)
            ttp_sink_put(&text, TTP_STR(" • "));
        ttp_sink_put(&text, found[k].text);
    }
    put_text(out, ttp_sink_text(&text));
    ttp_arena_rewind(arena, mark);
}

static void put_row(struct ttp_sink *out, const struct ttp_report *r, size_t i)
{
    const struct ttp_op *op = &r->op[i];

    ttp_sink_u64(out, (uint64_t)op->row + 2);
    put_number(out, op->has & TTP_HAS_TOTAL, op->total_pct);
    put_text(out, ttp_str_from(ttp_analysis_bound_name((enum ttp_bound)op->bound)));
    put_text(out, ttp_sym_name(r->syms, op->code));
    put_whole(out, op->has & TTP_HAS_DEVICE, op->device);
    if (op->has & TTP_TIME_IS_INT)
        put_whole(out, true, 0);
    else
        put_number(out, op->has & TTP_HAS_TIME, op->time_us);
    put_number(out, op->has & TTP_HAS_GAP, op->gap_us);
    put_cores(out, r, op);
    put_number(out, op->has & TTP_HAS_DRAM, op->dram_gbs);
    put_number(out, op->has & TTP_HAS_DRAM_PCT, op->dram_pct);
    put_number(out, op->has & TTP_HAS_FLOPS, op->tflops);
    put_number(out, op->has & TTP_HAS_FLOPS_PCT, op->flops_pct);
    put_text(out, ttp_sym_name(r->syms, op->fidelity_text));
    put_type(out, r, op->out_datatype, r->has_out_datatype);
    put_type(out, r, op->in0_datatype, r->has_in0_datatype);
    put_type(out, r, op->in1_datatype, r->has_in1_datatype);
    put_text(out, op->has & TTP_DRAM_SHARDED ? TTP_STR("True") : TTP_STR("False"));
    put_text(out, ttp_sym_name(r->syms, op->in0_memory));
    put_size(out, r, op->has & TTP_HAS_BLOCK_W, op->block_w, op->block_w_digits);
    put_size(out, r, op->has & TTP_HAS_SUBBLOCK_H, op->subblock_h, op->subblock_h_digits);
    put_size(out, r, op->has & TTP_HAS_SUBBLOCK_W, op->subblock_w, op->subblock_w_digits);
    put_cell(out, r, op->calls, TTP_STR("nan"));
}

void ttp_out_original_csv(struct ttp_sink *out, const struct ttp_report *report,
                          const struct ttp_original_style *style)
{
    struct ttp_arena scratch = {0}; /* of its own: rewound while the sink may grow in its arena */

    ttp_sink_put(out, TTP_STR(header));
    if (!style->no_advice)
        ttp_sink_put(out, TTP_STR(",Advice"));
    if (style->raw_op_codes)
        ttp_sink_put(out, TTP_STR(",Raw OP Code"));
    ttp_sink_own(out, "\r\n");
    for (size_t i = 0; i < report->count; i++) {
        put_row(out, report, i);
        if (!style->no_advice)
            put_advice(out, report, i, &scratch);
        if (style->raw_op_codes)
            put_text(out, ttp_sym_name(report->syms, report->op[i].raw_code));
        ttp_sink_own(out, "\r\n");
    }
    ttp_arena_free(&scratch);
}
