/* SPDX-License-Identifier: Apache-2.0 */
/* report_markdown.c - the report for merge requests and job summaries. */
#include "base/gate.h"
#include "outputs/advice_groups.h"
#include "outputs/report_grid.h"
#include "outputs/report_writers.h"

static void put_total(struct ttp_sink *out, const struct ttp_grid *g, enum ttp_grid_total which,
                      struct ttp_arena *arena)
{
    for (size_t c = 0; c < g->columns; c++) {
        const ttp_str total = ttp_grid_total(g, c, which, arena);
        ttp_sink_own(out, "| ");
        if (total.len)
            ttp_sink_printf(out, "**%.*s** ", TTP_FMT(total));
    }
    ttp_sink_own(out, "|\n");
}

static void put_table(struct ttp_sink *out, const struct ttp_report_view *view,
                      struct ttp_arena *arena)
{
    struct ttp_grid g;

    ttp_grid_init(&g, view, arena);
    for (size_t c = 0; c < g.columns; c++)
        ttp_sink_printf(out, "| %s ", g.column[c]->title);
    ttp_sink_own(out, "|\n");
    for (size_t c = 0; c < g.columns; c++)
        ttp_sink_printf(out, "|--%c", g.column[c]->left ? '-' : ':');
    ttp_sink_own(out, "|\n");
    for (size_t r = 0; r < g.rows; r++) {
        if (g.row[r].kind == TTP_GRID_FOLD_END)
            continue;
        if (g.row[r].kind == TTP_GRID_FOLD_HEAD) { /* a row of its own: tables cannot nest */
            for (size_t c = 0; c < g.columns; c++) {
                ttp_sink_own(out, "| ");
                if (ttp_str_eq(ttp_str_from(g.column[c]->id), TTP_STR("op")))
                    ttp_sink_printf(out, "**%.*s** ",
                                    TTP_FMT(ttp_grid_fold_text(g.row[r].fold, arena)));
            }
            ttp_sink_own(out, "|\n");
            continue;
        }
        for (size_t c = 0; c < g.columns; c++) {
            ttp_sink_own(out, "| ");
            ttp_gate_put_markdown(out, ttp_grid_cell(&g, &g.row[r], c, arena));
            ttp_sink_char(out, ' ');
        }
        ttp_sink_own(out, "|\n");
    }
    if (g.shows_part)
        put_total(out, &g, TTP_TOTAL_SHOWN, arena);
    put_total(out, &g, TTP_TOTAL_RUN, arena);
    if (g.hidden)
        ttp_sink_printf(out, "\nHidden: %zu %s below %g %%, together %.1f %%.\n", g.hidden,
                        g.hidden == 1 ? "row" : "rows", view->min_percentage, g.hidden_pct);
}

static void put_advice(struct ttp_sink *out, const struct ttp_report_view *view,
                       struct ttp_arena *arena)
{
    struct ttp_advice_groups groups;

    ttp_advice_groups_make(&groups, view, arena);
    if (groups.count == 0)
        return;
    ttp_sink_own(out, "\n## Advice\n\n");
    for (size_t i = 0; i < groups.count; i++) {
        const struct ttp_advice_group *g = &groups.item[i];
        ttp_sink_printf(out, "- **%.*s**: %zu %s", TTP_FMT(g->title), g->count,
                        g->count == 1 ? "op" : "ops");
        if (g->time_pct > 0)
            ttp_sink_printf(out, ", %.1f %%", g->time_pct);
        ttp_sink_char(out, '\n');
        for (size_t k = 0; k < g->lines; k++)
            ttp_sink_printf(out, "  - %.*s\n", TTP_FMT(g->line[k]));
    }
}

static void put_summary(struct ttp_sink *out, const struct ttp_summary *s, struct ttp_arena *arena)
{
    ttp_sink_own(out, "\n## Summary\n\n| Total % | Group | Time μs | Count | Category |\n"
                      "|--:|---|--:|--:|---|\n");
    for (size_t i = 0; i < s->count; i++) {
        const struct ttp_group *g = &s->group[i];
        ttp_sink_printf(out, "| %.1f | ", g->time_pct);
        ttp_gate_put_markdown(out, ttp_paint_brief_name(g->key, arena));
        if (s->per_device)
            ttp_sink_printf(out, " (device %lld)", (long long)g->device);
        ttp_sink_own(out, " | ");
        ttp_sink_fixed(out, g->time_us, 0, true);
        ttp_sink_printf(out, " | %zu | %s |\n", g->count, ttp_analysis_category_name(g->category));
    }
}

void ttp_out_report_markdown(struct ttp_sink *out, const struct ttp_report_view *view,
                             struct ttp_arena *arena)
{
    const struct ttp_report *r = view->report;

    ttp_sink_printf(out, "# Performance report\n\n%s, %lld cores, %g GB/s DRAM\n\n", r->arch->name,
                    (long long)r->worker_cores, r->arch->dram_gbs);
    if (view->rows == 0)
        ttp_sink_own(out, "No operations to show.\n");
    else
        put_table(out, view, arena);
    if (view->findings && view->rows)
        put_advice(out, view, arena);
    if (view->summary && !view->summary->empty)
        put_summary(out, view->summary, arena);
}
