/* SPDX-License-Identifier: Apache-2.0 */
/* plan_json.c - a plan for programs: docs/schemas/tt-perf.advise-1.json describes it. */
#include "outputs/json_members.h"
#include "outputs/outputs.h"

static void put_config(struct ttp_json_writer *w, const struct ttp_plan_config *c)
{
    ttp_member_object(w, "proposed_config");
    ttp_member_str(w, "config", c->config);
    ttp_member_fixed(w, "predicted_us", c->predicted_us, 3);
    ttp_member_fixed(w, "low_us", c->low_us, 3);
    ttp_member_fixed(w, "high_us", c->high_us, 3);
    ttp_member_fixed(w, "gain_us", c->gain_us, 3);
    ttp_member_bool(w, "pays", c->pays);
    ttp_member_text(w, "confidence", c->confidence);
    ttp_member_bool(w, "try", c->try_it);
    ttp_member_bool(w, "moves_tensors", c->moves_tensors);
    ttp_json_end_object(w);
}

static void put_item(struct ttp_json_writer *w, const struct ttp_plan_view *view,
                     const struct ttp_plan_item *item)
{
    const struct ttp_report *r = view->report;
    const bool known = item->gain_us > 0;

    ttp_json_begin_object(w);
    ttp_member_text(w, "rule", item->rule->id);
    ttp_member_text(w, "step", ttp_step_id(item->rule->step));
    ttp_member_text(w, "title", item->rule->title);
    ttp_member_text(w, "why", item->rule->why);
    ttp_member_text(w, "verify", item->rule->verify);
    ttp_member_known(w, "gain_us", known, item->gain_us);
    ttp_member_known(w, "gain_pct", known, item->gain_pct);
    ttp_member_known(w, "device_pct", item->device_pct > 0, item->device_pct);
    ttp_member_known(w, "further_us", known, item->further_us);
    ttp_member_known(w, "low_us", known, item->low_us);
    ttp_member_known(w, "high_us", known, item->high_us);
    ttp_member_text(w, "confidence", ttp_plan_confidence_name(item->confidence));
    if (item->instead_of)
        ttp_member_text(w, "instead_of", item->instead_of);
    ttp_member_key(w, "evidence");
    ttp_json_put_str(w, item->evidence);
    ttp_member_key(w, "op_count");
    ttp_json_put_u64(w, item->ops);
    ttp_member_key(w, "ops");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < item->ops && i < view->top; i++) {
        const struct ttp_op *op = &r->op[item->op[i]];
        ttp_json_begin_object(w);
        ttp_member_key(w, "id");
        ttp_json_put_u64(w, (uint64_t)op->row + 2);
        ttp_member_key(w, "op");
        ttp_json_put_str(w, ttp_sym_name(r->syms, op->code));
        ttp_member_text(w, "limit", ttp_analysis_limit_name((enum ttp_limit)op->limit));
        ttp_member_known(w, "gain_us", known, item->op_gain_us[i]);
        if (i < TTP_PLAN_CONFIGS && item->config[i].known)
            put_config(w, &item->config[i]);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

void ttp_out_plan_json(struct ttp_json_writer *w, const struct ttp_plan_view *view)
{
    static const char *const models[] = {"unknown", "transformer", "cnn", "kernels"};
    static const char *const states[] = {"not_applicable", "open", "partly", "done"};
    const struct ttp_plan *plan = view->plan;

    ttp_json_begin_object(w);
    ttp_member_key(w, "run");
    ttp_json_put_str(w, view->name);
    ttp_member_text(w, "arch", view->report->arch->name);
    ttp_out_quality_json(w, &view->report->quality);
    ttp_out_window_json(w, &view->report->window);
    ttp_member_text(w, "model", models[plan->model]);
    ttp_member_key(w, "memory_bound");
    ttp_json_put_bool(w, plan->memory_bound);
    ttp_member_key(w, "host_bound");
    ttp_json_put_bool(w, plan->host_bound);
    ttp_member_known(w, "total_us", true, plan->total_us);
    ttp_member_known(w, "gap_us", true, view->report->gap_us);
    ttp_member_key(w, "next");
    if (plan->count)
        ttp_json_put_str(w, ttp_str_from(plan->item[0].rule->id));
    else
        ttp_json_put_null(w);
    ttp_member_key(w, "plan");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < plan->count; i++)
        put_item(w, view, &plan->item[i]);
    ttp_json_end_array(w);
    ttp_member_key(w, "steps");
    ttp_json_begin_array(w);
    for (size_t s = 0; s < TTP_STEPS; s++) {
        ttp_json_begin_object(w);
        ttp_member_text(w, "step", ttp_step_id((enum ttp_step)s));
        ttp_member_text(w, "state", states[plan->step[s].state]);
        ttp_member_key(w, "seen");
        ttp_json_put_str(w, plan->step[s].seen);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}
