/* SPDX-License-Identifier: Apache-2.0 */
/* diff_markdown.c - a diff for a comment on a pull request. */
#include "base/gate.h"
#include "outputs/diff_rows.h"

static void put_steps(struct ttp_sink *out, const struct ttp_diff_view *view,
                      struct ttp_arena *arena)
{
    const double base = ttp_diff_base_total(&view->diff->times);
    struct ttp_diff_steps steps;

    ttp_diff_steps_make(&steps, view, arena);
    if (steps.count == 0)
        return;
    ttp_sink_own(out, "\n### Where it comes from\n\n| % of base | μs | |\n|--:|--:|---|\n");
    for (size_t i = 0; i < steps.count; i++) {
        const struct ttp_diff_step *s = &steps.item[i];
        ttp_sink_printf(out, "| %+.2f | %+.1f | ", base > 0 ? s->delta_us / base * 100 : 0,
                        s->delta_us);
        ttp_gate_put_markdown(out, s->label);
        ttp_sink_own(out, " |\n");
    }
}

static void put_groups(struct ttp_sink *out, const struct ttp_diff_view *view,
                       struct ttp_arena *arena)
{
    const struct ttp_diff *d = view->diff;
    size_t count, left;
    const size_t *list = ttp_diff_listed_groups(&count, &left, view, arena);

    if (count == 0)
        return;
    ttp_sink_own(out, "\n### Ops that differ\n\n| Change μs | Change | Base μs | Other μs | "
                      "Op | What changed |\n|--:|--:|--:|--:|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        const struct ttp_diff_group *g = &d->group[list[i]];
        const struct ttp_diff_op *op = &d->op[g->first];
        ttp_sink_printf(out, "| %+.2f | %.*s | %.2f | %.2f | ",
                        g->times.other_us - g->times.base_us,
                        TTP_FMT(ttp_diff_pct_text(g->times.base_us, g->times.other_us, arena)),
                        g->times.base_us, g->times.other_us);
        ttp_gate_put_markdown(out, ttp_diff_group_label(view, g, arena));
        ttp_sink_own(out, " | ");
        if (op->kind != TTP_DIFF_SAME && op->kind != TTP_DIFF_CHANGED)
            ttp_sink_put(out, ttp_str_from(ttp_diff_kind_name((enum ttp_diff_kind)op->kind)));
        ttp_gate_put_markdown(out, ttp_diff_describe(d, op, arena));
        if (g->test.done && !g->test.significant)
            ttp_sink_printf(out, " (not shown, p = %.3g)", g->test.corrected_p);
        ttp_sink_own(out, " |\n");
    }
    if (left)
        ttp_sink_printf(out, "\n%zu more with smaller changes.\n", left);
}

void ttp_out_diff_markdown(struct ttp_sink *out, const struct ttp_diff_view *view,
                           struct ttp_arena *arena)
{
    const struct ttp_diff *d = view->diff;

    ttp_sink_printf(out, "## %.*s against %.*s\n\n", TTP_FMT(view->other_name),
                    TTP_FMT(view->base_name));
    ttp_sink_printf(out, "**%.*s**\n\n", TTP_FMT(ttp_diff_verdict(d, arena)));
    ttp_sink_printf(out, "%.*s. Ops: %.*s.\n", TTP_FMT(ttp_diff_evidence(d, arena)),
                    TTP_FMT(ttp_diff_counts(d, arena)));
    put_steps(out, view, arena);
    put_groups(out, view, arena);
}
