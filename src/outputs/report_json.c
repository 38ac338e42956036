/* SPDX-License-Identifier: Apache-2.0 */
/* report_json.c - the report for programs: docs/schemas/tt-perf.report-1.json describes it. */
#include "outputs/json_members.h"
#include "outputs/outputs.h"
#include "outputs/report_writers.h"
#include "outputs/roofline.h"

static void put_value(struct ttp_json_writer *w, struct ttp_value v)
{
    switch (v.kind) {
    case TTP_VALUE_INT:
        ttp_json_put_i64(w, v.v.i);
        break;
    case TTP_VALUE_REAL:
        ttp_json_put_f64(w, v.v.f);
        break;
    case TTP_VALUE_TEXT:
        ttp_json_put_str(w, v.v.text);
        break;
    case TTP_VALUE_BOOL:
        ttp_json_put_bool(w, ttp_str_eq(v.v.text, TTP_STR("True")));
        break;
    case TTP_VALUE_NONE:
        ttp_json_put_null(w);
    }
}

static void put_run(struct ttp_json_writer *w, const struct ttp_report *r)
{
    ttp_member_key(w, "run");
    ttp_json_begin_object(w);
    ttp_member_text(w, "csv_format", ttp_ops_format_name(r->format));
    ttp_member_text(w, "arch", r->arch->name);
    ttp_member_key(w, "worker_cores");
    ttp_json_put_i64(w, r->worker_cores);
    ttp_member_known(w, "peak_dram_gbs", true, r->arch->dram_gbs);
    ttp_member_key(w, "devices_merged");
    ttp_json_put_bool(w, r->merged);
    ttp_member_key(w, "partitioned");
    ttp_json_put_bool(w, r->partitioned);
    ttp_member_u64(w, "device_ops", r->device_ops);
    ttp_member_u64(w, "host_ops", r->host_ops);
    ttp_member_u64(w, "signposts", r->signposts);
    ttp_member_u64(w, "invalid_durations", r->invalid_durations);
    ttp_member_u64(w, "captured_ops", r->captured_ops);
    ttp_member_known(w, "device_time_us", true, r->time_us);
    ttp_member_known(w, "gap_us", true, r->gap_us);
    ttp_member_known(w, "busy_us", true, r->busy_us);
    ttp_member_known(w, "dram_gbs", r->has_roofline, r->roofline_gbs);
    ttp_member_known(w, "dram_pct", r->has_roofline, r->roofline_pct);
    ttp_json_end_object(w);
}

static void put_ops(struct ttp_json_writer *w, const struct ttp_report_view *view)
{
    const struct ttp_field *all = ttp_op_fields.field;
    const size_t count =
        ttp_op_fields.count - (view->report->ops->memory ? 0 : TTP_OP_MEMORY_FIELDS);

    ttp_member_key(w, "ops");
    ttp_json_begin_array(w);
    for (size_t r = 0; r < view->rows; r++) {
        const struct ttp_op *op = &view->report->op[view->row[r]];
        ttp_json_begin_object(w);
        for (size_t c = 0; c < (view->column ? view->columns : count); c++) {
            const struct ttp_field *column = view->column ? view->column[c] : &all[c];
            ttp_member_key(w, column->id);
            put_value(w, column->get(view->report, op));
        }
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_findings(struct ttp_json_writer *w, const struct ttp_report_view *view)
{
    ttp_member_key(w, "advice");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < view->findings->count; i++) {
        const struct ttp_finding *f = &view->findings->item[i];
        ttp_json_begin_object(w);
        ttp_member_key(w, "op_id");
        ttp_json_put_u64(w, (uint64_t)view->report->op[f->op].row + 2);
        ttp_member_text(w, "rule", f->rule);
        ttp_member_key(w, "text");
        ttp_json_put_str(w, f->text);
        ttp_member_known(w, "gain_us", f->gain_us > 0, f->gain_us);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_folds(struct ttp_json_writer *w, const struct ttp_report_view *view)
{
    ttp_member_key(w, "folds");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < view->folds->count; i++) {
        const struct ttp_fold *f = &view->folds->item[i];
        ttp_json_begin_object(w);
        ttp_member_key(w, "first_id");
        ttp_json_put_u64(w, (uint64_t)view->report->op[f->first].row + 2);
        ttp_member_u64(w, "ops", f->rows);
        ttp_member_u64(w, "repeats", f->repeats);
        ttp_member_known(w, "device_time_us", true, f->time_us);
        ttp_member_known(w, "total_pct", true, f->time_pct);
        ttp_member_known(w, "min_us", true, f->min_us);
        ttp_member_known(w, "max_us", true, f->max_us);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_summary(struct ttp_json_writer *w, const struct ttp_summary *s)
{
    static const char *const by[] = {"memory", "op", "category"};

    ttp_member_key(w, "summary");
    ttp_json_begin_object(w);
    ttp_member_text(w, "group_by", by[s->by]);
    ttp_member_key(w, "groups");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < s->count; i++) {
        const struct ttp_group *g = &s->group[i];
        ttp_json_begin_object(w);
        ttp_member_key(w, "key");
        ttp_json_put_str(w, g->key);
        ttp_member_key(w, "device");
        if (s->per_device)
            ttp_json_put_i64(w, g->device);
        else
            ttp_json_put_null(w);
        ttp_member_text(w, "category", ttp_analysis_category_name(g->category));
        ttp_member_u64(w, "count", g->count);
        ttp_member_known(w, "device_time_us", true, g->time_us);
        ttp_member_known(w, "total_pct", true, g->time_pct);
        ttp_member_known(w, "flops_pct_min", g->has_flops, g->flops_min);
        ttp_member_known(w, "flops_pct_max", g->has_flops, g->flops_max);
        ttp_member_known(w, "flops_pct_mean", g->has_flops, g->flops_mean);
        ttp_member_known(w, "flops_pct_std", g->has_std, g->flops_std);
        ttp_member_known(w, "flops_pct_weighted", g->has_weighted, g->flops_weighted);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

void ttp_out_report_json(struct ttp_json_writer *w, const struct ttp_report_view *view)
{
    ttp_json_begin_object(w);
    put_run(w, view->report);
    put_ops(w, view);
    if (view->findings)
        put_findings(w, view);
    if (view->folds)
        put_folds(w, view);
    if (view->roofline) {
        ttp_member_key(w, "roofline");
        ttp_out_roofline_json(w, view);
    }
    if (view->summary)
        put_summary(w, view->summary);
    ttp_json_end_object(w);
}
