/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_data.c - the roofline for programs: JSON within the report, and its points as CSV. */
#include "base/gate.h"
#include "outputs/json_members.h"
#include "outputs/outputs.h"
#include "outputs/roofline.h"

static void put_roof(struct ttp_json_writer *w, const struct ttp_roof *roof)
{
    ttp_json_begin_object(w);
    ttp_member_text(w, "name", roof->name);
    ttp_member_text(w, "of", roof->of_memory ? "memory" : "compute");
    ttp_member_known(w, "peak_tflops", !roof->of_memory, roof->peak);
    ttp_member_known(w, "peak_gbs", roof->of_memory, roof->peak);
    ttp_member_text(w, "cause", roof->cause);
    ttp_member_u64(w, "ops", roof->ops);
    ttp_json_end_object(w);
}

static void put_point(struct ttp_json_writer *w, const struct ttp_report_view *view,
                      const struct ttp_roof_point *p)
{
    const struct ttp_op *op = &view->report->op[p->op];
    const struct ttp_roofline *r = view->roofline;

    ttp_json_begin_object(w);
    ttp_member_u64(w, "op_id", (uint64_t)op->row + 2);
    ttp_member_str(w, "op", ttp_sym_name(view->report->syms, op->code));
    ttp_member_f64(w, "device_time_us", op->time_us);
    ttp_member_f64(w, "flop_per_byte", p->intensity);
    ttp_member_f64(w, "tflops", p->tflops);
    ttp_member_f64(w, "gbs", p->gbs);
    ttp_member_text(w, "compute_roof", r->roof[p->compute].name);
    ttp_member_text(w, "memory_roof", r->roof[p->memory].name);
    ttp_member_text(w, "held_by", r->roof[p->held_by].name);
    ttp_member_f64(w, "roof_tflops", p->roof_tflops);
    ttp_member_f64(w, "reached_pct", p->reached_pct);
    ttp_member_text(w, "limit", ttp_analysis_limit_name((enum ttp_limit)op->limit));
    ttp_json_end_object(w);
}

void ttp_out_roofline_json(struct ttp_json_writer *w, const struct ttp_report_view *view)
{
    const struct ttp_roofline *r = view->roofline;

    ttp_json_begin_object(w);
    ttp_member_array(w, "roofs");
    for (size_t i = 0; i < r->roofs; i++)
        put_roof(w, &r->roof[i]);
    ttp_json_end_array(w);
    ttp_member_array(w, "points");
    for (size_t i = 0; i < r->points; i++)
        put_point(w, view, &r->point[i]);
    ttp_json_end_array(w);
    ttp_member_f64(w, "device_time_us", r->time_us);
    ttp_member_object(w, "not_drawn");
    ttp_member_u64(w, "moving_ops", r->moving);
    ttp_member_f64(w, "moving_us", r->moving_us);
    ttp_member_u64(w, "unknown_ops", r->unknown);
    ttp_member_f64(w, "unknown_us", r->unknown_us);
    ttp_json_end_object(w);
    ttp_json_end_object(w);
}

void ttp_out_roofline_csv(struct ttp_sink *out, const struct ttp_report_view *view)
{
    const struct ttp_roofline *r = view->roofline;

    ttp_sink_own(out, "ID,OP Code,Device Time,FLOP/byte,TFLOPs,GB/s,Compute Roof,Memory "
                      "Roof,Held By,Roof TFLOPs,Reached %,Limit\r\n");
    for (size_t i = 0; i < r->points; i++) {
        const struct ttp_roof_point *p = &r->point[i];
        const struct ttp_op *op = &view->report->op[p->op];
        const double number[] = {op->time_us, p->intensity, p->tflops, p->gbs};
        ttp_sink_u64(out, (uint64_t)op->row + 2);
        ttp_sink_char(out, ',');
        ttp_gate_put_csv(out, ttp_sym_name(view->report->syms, op->code));
        for (size_t k = 0; k < TTP_COUNT(number); k++) {
            ttp_sink_char(out, ',');
            ttp_sink_f64(out, number[k], TTP_NUM_PYTHON);
        }
        const size_t roof[] = {p->compute, p->memory, p->held_by};
        for (size_t k = 0; k < TTP_COUNT(roof); k++) {
            ttp_sink_char(out, ',');
            ttp_gate_put_csv(out, ttp_str_from(r->roof[roof[k]].name));
        }
        ttp_sink_char(out, ',');
        ttp_sink_f64(out, p->roof_tflops, TTP_NUM_PYTHON);
        ttp_sink_char(out, ',');
        ttp_sink_f64(out, p->reached_pct, TTP_NUM_PYTHON);
        ttp_sink_printf(out, ",%s\r\n", ttp_analysis_limit_name((enum ttp_limit)op->limit));
    }
}
