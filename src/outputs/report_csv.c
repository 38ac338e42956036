/* SPDX-License-Identifier: Apache-2.0 */
/* report_csv.c - the report's rows as CSV: tt-perf-report's column names, unrounded numbers,
 * missing cells empty. */
#include "base/gate.h"
#include "outputs/outputs.h"

/* The order of tt-perf-report since 1.2.4: what came later stands behind, so that a column keeps
 * its place for those who read by place. */
static const char *const csv_order[] = {
    "id",       "total_pct",      "bound",        "op",           "device",       "device_time_us",
    "gap_us",   "cores",          "dram_gbs",     "dram_pct",     "tflops",       "flops_pct",
    "fidelity", "out_datatype",   "in0_datatype", "in1_datatype", "dram_sharded", "in0_memory",
    "block_w",  "subblock_h",     "subblock_w",   "call_count",   "sub_device",   "available_cores",
    "category", "bound_analysis", "overlap_us",
};

static void put_value(struct ttp_sink *out, struct ttp_value v)
{
    if (v.kind == TTP_VALUE_INT)
        ttp_sink_i64(out, v.v.i);
    else if (v.kind == TTP_VALUE_REAL)
        ttp_sink_f64(out, v.v.f, TTP_NUM_PYTHON);
    else if (ttp_value_is_text(v))
        ttp_gate_put_csv(out, v.v.text);
}

/* Findings come in the order of the rows; *next is the first not yet written. */
static void put_advice(struct ttp_sink *out, const struct ttp_findings *f, size_t op, size_t *next,
                       struct ttp_arena *arena)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    for (; *next < f->count && f->item[*next].op == op; (*next)++) {
        if (f->item[*next].section != TTP_ADVICE_MATMUL)
            continue;
        if (text.len)
            ttp_sink_put(&text, TTP_STR(" • "));
        ttp_sink_put(&text, f->item[*next].text);
    }
    ttp_gate_put_csv(out, ttp_sink_text(&text));
}

void ttp_out_report_csv(struct ttp_sink *out, const struct ttp_report_view *view)
{
    struct ttp_arena scratch = {0}; /* of its own: rewound while the sink may grow in its arena */
    const struct ttp_field *usual[TTP_COUNT(csv_order) + TTP_OP_MEMORY_FIELDS];
    const size_t memory = view->report->ops->memory ? TTP_OP_MEMORY_FIELDS : 0;
    const struct ttp_field *const *column = view->column ? view->column : usual;
    const struct ttp_field *raw = ttp_fields_find(&ttp_op_fields, TTP_STR("raw_op_code"));
    const size_t shown = view->column ? view->columns : TTP_COUNT(csv_order) + memory;
    const bool advice = view->findings && !view->column;
    const bool raw_codes = view->raw_op_codes && !view->column;
    size_t next = 0;

    for (size_t i = 0; i < TTP_COUNT(csv_order); i++)
        usual[i] = ttp_fields_find(&ttp_op_fields, ttp_str_from(csv_order[i]));
    for (size_t i = 0; i < TTP_OP_MEMORY_FIELDS; i++)
        usual[TTP_COUNT(csv_order) + i] =
            &ttp_op_fields.field[ttp_op_fields.count - TTP_OP_MEMORY_FIELDS + i];
    for (size_t c = 0; c < shown; c++)
        ttp_sink_printf(out, "%s%s", c ? "," : "", column[c]->csv_title);
    ttp_sink_put(out, advice ? TTP_STR(",Advice") : (ttp_str){0});
    if (raw_codes)
        ttp_sink_printf(out, ",%s", raw->csv_title);
    ttp_sink_own(out, "\r\n");
    for (size_t r = 0; r < view->rows; r++) {
        const struct ttp_op *op = &view->report->op[view->row[r]];
        const struct ttp_mark mark = ttp_arena_mark(&scratch);
        for (size_t c = 0; c < shown; c++) {
            if (c)
                ttp_sink_char(out, ',');
            put_value(out, column[c]->get(view->report, op));
        }
        if (advice) {
            ttp_sink_char(out, ',');
            put_advice(out, view->findings, view->row[r], &next, &scratch);
        }
        if (raw_codes) {
            ttp_sink_char(out, ',');
            put_value(out, raw->get(view->report, op));
        }
        ttp_sink_own(out, "\r\n");
        ttp_arena_rewind(&scratch, mark);
    }
    ttp_arena_free(&scratch);
}
