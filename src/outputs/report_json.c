/* SPDX-License-Identifier: Apache-2.0 */
/* report_json.c - the report for programs: docs/schemas/tt-perf.report-1.json describes it. */
#include "outputs/outputs.h"

static void put_key(struct ttp_json_writer *w, const char *key)
{
    ttp_json_put_key(w, ttp_str_from(key));
}

static void put_text(struct ttp_json_writer *w, const char *key, const char *text)
{
    put_key(w, key);
    ttp_json_put_str(w, ttp_str_from(text));
}

static void put_count(struct ttp_json_writer *w, const char *key, size_t n)
{
    put_key(w, key);
    ttp_json_put_u64(w, n);
}

static void put_real(struct ttp_json_writer *w, const char *key, bool there, double v)
{
    put_key(w, key);
    if (there)
        ttp_json_put_f64(w, v);
    else
        ttp_json_put_null(w);
}

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
    default:
        ttp_json_put_null(w);
    }
}

static void put_run(struct ttp_json_writer *w, const struct ttp_report *r)
{
    put_key(w, "run");
    ttp_json_begin_object(w);
    put_text(w, "csv_format", ttp_ops_format_name(r->format));
    put_text(w, "arch", r->arch->name);
    put_key(w, "worker_cores");
    ttp_json_put_i64(w, r->worker_cores);
    put_real(w, "peak_dram_gbs", true, r->arch->dram_gbs);
    put_key(w, "devices_merged");
    ttp_json_put_bool(w, r->merged);
    put_key(w, "partitioned");
    ttp_json_put_bool(w, r->partitioned);
    put_count(w, "device_ops", r->device_ops);
    put_count(w, "host_ops", r->host_ops);
    put_count(w, "signposts", r->signposts);
    put_count(w, "invalid_durations", r->invalid_durations);
    put_real(w, "device_time_us", true, r->time_us);
    put_real(w, "gap_us", true, r->gap_us);
    put_real(w, "busy_us", true, r->busy_us);
    put_real(w, "dram_gbs", r->has_roofline, r->roofline_gbs);
    put_real(w, "dram_pct", r->has_roofline, r->roofline_pct);
    ttp_json_end_object(w);
}

static void put_ops(struct ttp_json_writer *w, const struct ttp_report_view *view)
{
    size_t count;
    const struct ttp_op_column *all = ttp_analysis_columns(&count);

    put_key(w, "ops");
    ttp_json_begin_array(w);
    for (size_t r = 0; r < view->rows; r++) {
        const struct ttp_op *op = &view->report->op[view->row[r]];
        ttp_json_begin_object(w);
        for (size_t c = 0; c < (view->column ? view->columns : count); c++) {
            const struct ttp_op_column *column = view->column ? view->column[c] : &all[c];
            put_key(w, column->spec.id);
            put_value(w, column->get(view->report, op));
        }
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_findings(struct ttp_json_writer *w, const struct ttp_report_view *view)
{
    put_key(w, "advice");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < view->findings->count; i++) {
        const struct ttp_finding *f = &view->findings->item[i];
        ttp_json_begin_object(w);
        put_key(w, "op_id");
        ttp_json_put_u64(w, (uint64_t)view->report->op[f->op].row + 2);
        put_text(w, "rule", f->rule);
        put_key(w, "text");
        ttp_json_put_str(w, f->text);
        put_real(w, "saving_us", f->saving_us > 0, f->saving_us);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_folds(struct ttp_json_writer *w, const struct ttp_report_view *view)
{
    put_key(w, "folds");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < view->folds->count; i++) {
        const struct ttp_fold *f = &view->folds->item[i];
        ttp_json_begin_object(w);
        put_key(w, "first_id");
        ttp_json_put_u64(w, (uint64_t)view->report->op[f->first].row + 2);
        put_count(w, "ops", f->rows);
        put_count(w, "repeats", f->repeats);
        put_real(w, "device_time_us", true, f->time_us);
        put_real(w, "total_pct", true, f->time_pct);
        put_real(w, "min_us", true, f->min_us);
        put_real(w, "max_us", true, f->max_us);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_summary(struct ttp_json_writer *w, const struct ttp_summary *s)
{
    static const char *const by[] = {"memory", "op", "category"};

    put_key(w, "summary");
    ttp_json_begin_object(w);
    put_text(w, "group_by", by[s->by]);
    put_key(w, "groups");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < s->count; i++) {
        const struct ttp_group *g = &s->group[i];
        ttp_json_begin_object(w);
        put_key(w, "key");
        ttp_json_put_str(w, g->key);
        put_key(w, "device");
        if (s->per_device)
            ttp_json_put_i64(w, g->device);
        else
            ttp_json_put_null(w);
        put_text(w, "category", ttp_analysis_category_name(g->category));
        put_count(w, "count", g->count);
        put_real(w, "device_time_us", true, g->time_us);
        put_real(w, "total_pct", true, g->time_pct);
        put_real(w, "flops_pct_min", g->has_flops, g->flops_min);
        put_real(w, "flops_pct_max", g->has_flops, g->flops_max);
        put_real(w, "flops_pct_mean", g->has_flops, g->flops_mean);
        put_real(w, "flops_pct_std", g->has_std, g->flops_std);
        put_real(w, "flops_pct_weighted", g->has_weighted, g->flops_weighted);
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
    if (view->summary)
        put_summary(w, view->summary);
    ttp_json_end_object(w);
}
