/* SPDX-License-Identifier: Apache-2.0 */
/* diff_json.c - a diff for programs: docs/schemas/tt-perf.diff-1.json describes it; and as CSV. */
#include "base/gate.h"
#include "outputs/json_members.h"
#include "outputs/outputs.h"
#include "outputs/report_writers.h"

static void put_times(struct ttp_json_writer *w, const struct ttp_diff_times *t)
{
    ttp_member_f64(w, "base_us", t->base_us);
    ttp_member_f64(w, "other_us", t->other_us);
    ttp_member_f64(w, "change_us", t->other_us - t->base_us);
    ttp_member_key(w, "change_pct");
    if (t->base_us > 0)
        ttp_json_put_f64(w, (t->other_us - t->base_us) / t->base_us * 100);
    else
        ttp_json_put_null(w);
    ttp_member_f64(w, "base_gap_us", t->base_gap_us);
    ttp_member_f64(w, "other_gap_us", t->other_gap_us);
}

static void put_test(struct ttp_json_writer *w, const struct ttp_diff_test *t)
{
    ttp_member_key(w, "test");
    if (!t->done) {
        ttp_json_put_null(w);
        return;
    }
    ttp_json_begin_object(w);
    ttp_member_f64(w, "p", t->p);
    ttp_member_f64(w, "corrected_p", t->corrected_p);
    ttp_member_key(w, "significant");
    ttp_json_put_bool(w, t->significant);
    ttp_member_f64(w, "shift_us", t->shift_us);
    ttp_member_f64(w, "low_us", t->low_us);
    ttp_member_f64(w, "high_us", t->high_us);
    ttp_json_end_object(w);
}

/* The number of the op's line in its file. */
static void put_id(struct ttp_json_writer *w, const char *key, const struct ttp_diff_side *side,
                   uint32_t op)
{
    ttp_member_key(w, key);
    if (op == TTP_DIFF_NONE)
        ttp_json_put_null(w);
    else
        ttp_json_put_u64(w, (uint64_t)side->run[0].report->op[op].row + 2);
}

static void put_op_head(struct ttp_json_writer *w, const struct ttp_diff *d,
                        const struct ttp_diff_op *op)
{
    ttp_member_str(w, "kind", ttp_str_from(ttp_diff_kind_name((enum ttp_diff_kind)op->kind)));
    ttp_member_str(w, "op", ttp_diff_op_name(d, op));
    put_id(w, "base_id", &d->base, op->base);
    put_id(w, "other_id", &d->other, op->other);
    ttp_member_key(w, "changed");
    ttp_json_begin_array(w);
    for (size_t b = 0; b < TTP_CHANGES; b++)
        if (op->changed & 1U << b)
            ttp_json_put_str(w, ttp_str_from(ttp_diff_change_name(b)));
    ttp_json_end_array(w);
}

static void put_groups(struct ttp_json_writer *w, const struct ttp_diff_view *view)
{
    const struct ttp_diff *d = view->diff;
    const size_t count = view->top && view->top < d->groups ? view->top : d->groups;
    struct ttp_arena scratch = {0}; /* of its own: the sink may grow in the caller's */

    ttp_member_key(w, "groups");
    ttp_json_begin_array(w);
    for (size_t g = 0; g < count; g++) {
        const struct ttp_diff_group *group = &d->group[g];
        ttp_json_begin_object(w);
        put_op_head(w, d, &d->op[group->first]);
        ttp_member_str(w, "what", ttp_diff_describe(d, &d->op[group->first], &scratch));
        ttp_member_u64(w, "ops", group->count);
        put_times(w, &group->times);
        ttp_member_f64(w, "min_change_us", group->min_delta_us);
        ttp_member_f64(w, "max_change_us", group->max_delta_us);
        put_test(w, &group->test);
        ttp_json_end_object(w);
        ttp_arena_reset(&scratch);
    }
    ttp_json_end_array(w);
    ttp_arena_free(&scratch);
}

static void put_ops(struct ttp_json_writer *w, const struct ttp_diff_view *view)
{
    const struct ttp_diff *d = view->diff;

    ttp_member_key(w, "ops");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < d->count; i++) {
        const struct ttp_diff_op *op = &d->op[i];
        if (view->top && op->group >= view->top)
            continue;
        ttp_json_begin_object(w);
        put_op_head(w, d, op);
        ttp_member_u64(w, "group", op->group);
        put_times(w, &op->times);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_window(struct ttp_json_writer *w, const char *key, const struct ttp_diff_side *side)
{
    ttp_member_key(w, key);
    ttp_out_window_object(w, &side->run[0].report->window);
}

void ttp_out_diff_json(struct ttp_json_writer *w, const struct ttp_diff_view *view)
{
    const struct ttp_diff *d = view->diff;

    ttp_json_begin_object(w);
    ttp_member_str(w, "base", view->base_name);
    ttp_member_str(w, "other", view->other_name);
    ttp_member_u64(w, "base_runs", d->base.runs);
    ttp_member_u64(w, "other_runs", d->other.runs);
    ttp_member_u64(w, "unlike_runs", d->unlike_runs);
    put_window(w, "base_window", &d->base);
    put_window(w, "other_window", &d->other);
    ttp_member_key(w, "total");
    ttp_json_begin_object(w);
    put_times(w, &d->iteration);
    ttp_member_f64(w, "base_total_us", ttp_diff_base_total(&d->iteration));
    ttp_member_f64(w, "other_total_us", ttp_diff_other_total(&d->iteration));
    ttp_member_f64(w, "total_change_pct", ttp_diff_total_pct(d));
    put_test(w, &d->test);
    ttp_json_end_object(w);
    ttp_member_key(w, "counts");
    ttp_json_begin_object(w);
    for (unsigned k = 0; k < TTP_DIFF_KINDS; k++)
        ttp_member_u64(w, ttp_diff_kind_name((enum ttp_diff_kind)k), d->kinds[k]);
    ttp_json_end_object(w);
    put_groups(w, view);
    put_ops(w, view);
    ttp_json_end_object(w);
}

static void put_cell(struct ttp_sink *out, double v)
{
    ttp_sink_char(out, ',');
    ttp_sink_f64(out, v, TTP_NUM_PYTHON);
}

static void put_csv_id(struct ttp_sink *out, const struct ttp_diff_side *side, uint32_t op)
{
    ttp_sink_char(out, ',');
    if (op != TTP_DIFF_NONE)
        ttp_sink_u64(out, (uint64_t)side->run[0].report->op[op].row + 2);
}

void ttp_out_diff_csv(struct ttp_sink *out, const struct ttp_diff_view *view, bool header)
{
    const struct ttp_diff *d = view->diff;
    struct ttp_arena scratch = {0};

    if (header)
        ttp_sink_own(out, "base,other,kind,base_id,other_id,op,base_us,other_us,change_us,"
                          "base_gap_us,other_gap_us,what\n");
    for (size_t i = 0; i < d->count; i++) {
        const struct ttp_diff_op *op = &d->op[i];
        if (view->top && op->group >= view->top)
            continue;
        ttp_gate_put_csv(out, view->base_name);
        ttp_sink_char(out, ',');
        ttp_gate_put_csv(out, view->other_name);
        ttp_sink_printf(out, ",%s", ttp_diff_kind_name((enum ttp_diff_kind)op->kind));
        put_csv_id(out, &d->base, op->base);
        put_csv_id(out, &d->other, op->other);
        ttp_sink_char(out, ',');
        ttp_gate_put_csv(out, ttp_diff_op_name(d, op));
        put_cell(out, op->times.base_us);
        put_cell(out, op->times.other_us);
        put_cell(out, op->times.other_us - op->times.base_us);
        put_cell(out, op->times.base_gap_us);
        put_cell(out, op->times.other_gap_us);
        ttp_sink_char(out, ',');
        ttp_gate_put_csv(out, ttp_diff_describe(d, op, &scratch));
        ttp_sink_char(out, '\n');
        ttp_arena_reset(&scratch);
    }
    ttp_arena_free(&scratch);
}
