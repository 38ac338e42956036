/* SPDX-License-Identifier: Apache-2.0 */
/* report_view.c - from a report and what is asked of it to the view, and the view in any form. */
#include "outputs/outputs.h"
#include "outputs/report_writers.h"
#include "outputs/roofline.h"

ttp_code ttp_out_make_view(struct ttp_report_view *out, const struct ttp_report *report,
                           const struct ttp_report_options *analysis,
                           const struct ttp_view_options *options, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    const struct ttp_selection *selection = &options->selection;
    const struct ttp_advice_options advice = {.compat = analysis->compat};
    const bool fewer = selection->where || selection->top;
    const struct ttp_records ops = ttp_analysis_records(report);
    size_t *row;

    *out = (struct ttp_report_view){.report = report,
                                    /* who asks for rows gets them */
                                    .min_percentage = fewer ? 0 : options->min_percentage,
                                    .rows_in_order = true,
                                    .all_rows = !fewer && !selection->sort,
                                    .raw_op_codes = options->raw_op_codes,
                                    .color = options->color,
                                    .width = options->width,
                                    .threads = options->threads};
    if (options->columns)
        TTP_TRY(ttp_fields_choose(&out->column, &out->columns, &ttp_op_fields, options->columns,
                                  arena, err));
    TTP_TRY(ttp_records_select(&row, &out->rows, &ops, selection, arena, err));
    out->row = row;
    if (!options->no_advice) {
        struct ttp_findings *findings = TTP_NEW(arena, struct ttp_findings, 1);
        ttp_advice_run(findings, report, row, out->rows, &advice, arena);
        out->findings = findings;
    }
    if (options->fold) {
        struct ttp_folds *folds = TTP_NEW(arena, struct ttp_folds, 1);
        ttp_analysis_fold(folds, report, arena);
        out->folds = folds;
    }
    if (options->roofline) {
        struct ttp_roofline *roofline = TTP_NEW(arena, struct ttp_roofline, 1);
        ttp_analysis_roofline(roofline, report, row, out->rows, arena);
        out->roofline = roofline;
    }
    if (!options->no_summary) {
        struct ttp_summary *summary = TTP_NEW(arena, struct ttp_summary, 1);
        TTP_TRY(ttp_analysis_summarise(summary, report, options->group_by, analysis, arena, err));
        out->summary = summary;
    }
    return TTP_OK;
}

static void put_json(struct ttp_sink *out, const struct ttp_report_view *view,
                     const struct ttp_words *inputs, struct ttp_arena *arena)
{
    const struct ttp_notes *notes = &view->report->notes;
    struct ttp_json_writer w = {.sink = out};
    struct ttp_words warnings = {.word = TTP_NEW(arena, const char *, notes->count)};

    for (size_t i = 0; i < notes->count; i++)
        if (notes->item[i].level == TTP_NOTE_WARNING)
            warnings.word[warnings.count++] = ttp_arena_zstr(arena, notes->item[i].text);
    ttp_envelope_begin(&w, "tt-perf.report/1", inputs);
    ttp_out_report_json(&w, view);
    ttp_envelope_end(&w, &warnings, view->rows < view->report->count);
}

/* A drawing keeps its columns within a fence. */
static void put_markdown(struct ttp_sink *out, const struct ttp_report_view *view,
                         struct ttp_arena *arena)
{
    struct ttp_report_view plain = *view;

    if (!view->roofline) {
        ttp_out_report_markdown(out, view, arena);
        return;
    }
    plain.color = false;
    plain.width = 0;
    const enum ttp_gate gate = out->gate;
    ttp_sink_own(out, "```text\n");
    out->gate = TTP_GATE_TEXT; /* no markup in here */
    ttp_out_roofline_text(out, &plain, arena);
    out->gate = gate;
    ttp_sink_own(out, "```\n");
}

void ttp_out_report(struct ttp_sink *out, enum ttp_report_form form,
                    const struct ttp_report_view *view, const struct ttp_words *inputs,
                    struct ttp_arena *arena)
{
    switch (form) {
    case TTP_REPORT_TEXT:
        if (view->roofline)
            ttp_out_roofline_text(out, view, arena);
        else if (view->rows_in_order)
            ttp_out_report_text(out, view);
        else
            ttp_out_first_screen(out, view, arena);
        break;
    case TTP_REPORT_CSV:
        if (view->roofline)
            ttp_out_roofline_csv(out, view);
        else
            ttp_out_report_csv(out, view);
        break;
    case TTP_REPORT_JSON:
        put_json(out, view, inputs, arena);
        break;
    case TTP_REPORT_MARKDOWN:
        put_markdown(out, view, arena);
        break;
    case TTP_REPORT_SVG:
        ttp_out_roofline_svg(out, view, arena);
        break;
    }
}
