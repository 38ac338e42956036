/* SPDX-License-Identifier: Apache-2.0 */
/* plan_json.c - a plan for programs: docs/schemas/tt-perf.advise-1.json describes it. */
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

static void put_real(struct ttp_json_writer *w, const char *key, bool known, double v)
{
    put_key(w, key);
    if (known)
        ttp_json_put_f64(w, v);
    else
        ttp_json_put_null(w);
}

static void put_item(struct ttp_json_writer *w, const struct ttp_plan_view *view,
                     const struct ttp_plan_item *item)
{
    const struct ttp_report *r = view->report;
    const bool known = item->gain_us > 0;

    ttp_json_begin_object(w);
    put_text(w, "rule", item->rule->id);
    put_text(w, "step", ttp_step_id(item->rule->step));
    put_text(w, "title", item->rule->title);
    put_text(w, "why", item->rule->why);
    put_text(w, "verify", item->rule->verify);
    put_real(w, "gain_us", known, item->gain_us);
    put_real(w, "gain_pct", known, item->gain_pct);
    put_real(w, "device_pct", item->device_pct > 0, item->device_pct);
    put_real(w, "further_us", known, item->further_us);
    put_key(w, "evidence");
    ttp_json_put_str(w, item->evidence);
    put_key(w, "op_count");
    ttp_json_put_u64(w, item->ops);
    put_key(w, "ops");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < item->ops && i < view->top; i++) {
        const struct ttp_op *op = &r->op[item->op[i]];
        ttp_json_begin_object(w);
        put_key(w, "id");
        ttp_json_put_u64(w, (uint64_t)op->row + 2);
        put_key(w, "op");
        ttp_json_put_str(w, ttp_sym_name(r->syms, op->code));
        put_text(w, "limit", ttp_analysis_limit_name((enum ttp_limit)op->limit));
        put_real(w, "gain_us", known, item->op_gain_us[i]);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

void ttp_out_plan_json(struct ttp_json_writer *w, const struct ttp_plan_view *view)
{
    static const char *const models[] = {"unknown", "transformer", "cnn"};
    static const char *const states[] = {"not_applicable", "open", "partly", "done"};
    const struct ttp_plan *plan = view->plan;

    ttp_json_begin_object(w);
    put_key(w, "run");
    ttp_json_put_str(w, view->name);
    put_text(w, "arch", view->report->arch->name);
    put_text(w, "model", models[plan->model]);
    put_key(w, "memory_bound");
    ttp_json_put_bool(w, plan->memory_bound);
    put_key(w, "host_bound");
    ttp_json_put_bool(w, plan->host_bound);
    put_real(w, "total_us", true, plan->total_us);
    put_real(w, "gap_us", true, view->report->gap_us);
    put_key(w, "next");
    if (plan->count)
        ttp_json_put_str(w, ttp_str_from(plan->item[0].rule->id));
    else
        ttp_json_put_null(w);
    put_key(w, "plan");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < plan->count; i++)
        put_item(w, view, &plan->item[i]);
    ttp_json_end_array(w);
    put_key(w, "steps");
    ttp_json_begin_array(w);
    for (size_t s = 0; s < TTP_MODEL_STEPS; s++) {
        ttp_json_begin_object(w);
        put_text(w, "step", ttp_step_id((enum ttp_step)s));
        put_text(w, "state", states[plan->step[s].state]);
        put_key(w, "seen");
        ttp_json_put_str(w, plan->step[s].seen);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}
