/* SPDX-License-Identifier: Apache-2.0 */
/* report_view.c - from a report and display options to a view, and the view in any format. */
#include "outputs/report/first_screen.h"
#include "outputs/report/report_parts.h"
#include "outputs/report/window_fields.h"
#include "outputs/roofline/roofline_drawing.h"

/* The advice on a matmul, in the arena of the notes. */
static ttp_str advise(const struct ttp_report *report, const struct ttp_op *op)
{
    struct ttp_finding found[TTP_ADVICE_PER_OP];
    struct ttp_arena *arena = report->notes.arena;
    const size_t n =
        ttp_advice_for_op(found, report, (size_t)(op - report->op), report->advice, arena);
    const ttp_str dot = TTP_STR(" • ");
    size_t len = 0;

    for (size_t i = 0; i < n; i++)
        len += found[i].section == TTP_ADVICE_MATMUL ? found[i].text.len + dot.len : 0;
    if (len == 0)
        return (ttp_str){0};
    struct ttp_sink text = {
        .arena = arena, .fd = -1, .buf = ttp_arena_bytes(arena, len), .cap = len};
    for (size_t i = 0; i < n; i++) {
        if (found[i].section != TTP_ADVICE_MATMUL)
            continue;
        ttp_sink_put(&text, text.len ? dot : (ttp_str){0});
        ttp_sink_put(&text, found[i].text);
    }
    return ttp_sink_text(&text);
}

ttp_code ttp_out_make_view(struct ttp_report_view *out, const struct ttp_report *report,
                           const struct ttp_report_options *analysis,
                           const struct ttp_view_options *options, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    const struct ttp_selection *selection = &options->selection;
    const bool fewer = selection->where || selection->top;
    struct ttp_report *asked = TTP_NEW(arena, struct ttp_report, 1);
    size_t *row;

    *asked = *report;
    asked->notes.arena = arena;
    if (!options->no_advice)
        asked->advise = advise;
    asked->advice = options->advice;
    *out = (struct ttp_report_view){.report = asked,
                                    /* who asks for rows gets them */
                                    .min_percentage = fewer ? 0 : options->min_percentage,
                                    .host_ops = fewer || options->host_ops,
                                    .rows_in_order = true,
                                    .all_rows = !fewer && !selection->sort,
                                    .raw_op_codes = options->raw_op_codes};
    const struct ttp_records ops = ttp_analysis_records(asked);
    TTP_TRY(ttp_records_select(&row, &out->rows, &ops, selection, arena, err));
    out->row = row;
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

static const struct ttp_words *list_warnings(const struct ttp_notes *notes, struct ttp_arena *arena)
{
    struct ttp_words *warnings = TTP_NEW(arena, struct ttp_words, 1);

    for (size_t i = 0; i < notes->count; i++)
        if (notes->item[i].level == TTP_NOTE_WARNING)
            ttp_words_add(warnings, ttp_arena_zstr(arena, notes->item[i].text), arena);
    return warnings;
}

/* The order of tt-perf-report since 1.2.4: later columns come last, so that a column keeps its
 * position for readers that use positions. */
#define CSV_ORDER                                                                                  \
    "id,share_percent,bound,op,device,device_us,gap_us,cores,dram_gbs,dram_percent,tflops,flops_"  \
    "percent,"                                                                                     \
    "fidelity,out_datatype,in0_datatype,in1_datatype,dram_sharded,in0_memory,block_w,subblock_h,"  \
    "subblock_w,call_count,sub_device,available_cores,category,bound_analysis,overlap_us"

#define CSV_MEMORY                                                                                 \
    ",l1_peak_bytes,l1_mark,l1_percent,l1_cb_bytes,l1_stale_bytes,l1_free_bytes,l1_headroom_bytes"

#define CSV_WAIT  ",wait_us"
#define CSV_RANKS CSV_WAIT ",skew_us,last,devices"

#define CSV_MLIR ",location,const_eval,input_layout_conversion,program_metadata"

static const char *csv_columns(const struct ttp_report_view *view, struct ttp_arena *arena)
{
    return ttp_arena_zstr(
        arena, ttp_sink_format(arena, "%s%s%s%s%s%s", CSV_ORDER,
                               view->report->ops->devices  ? CSV_RANKS
                               : view->report->wait_us > 0 ? CSV_WAIT
                                                           : "",
                               view->report->ops->memory ? CSV_MEMORY : "",
                               view->report->ops->text[TTP_OPS_LOCATION].sym ? CSV_MLIR : "",
                               view->report->advise ? ",advice" : "",
                               view->raw_op_codes ? ",raw_op_code" : ""));
}

static void find_advice(struct ttp_report_view *view, struct ttp_arena *arena)
{
    struct ttp_findings *findings = TTP_NEW(arena, struct ttp_findings, 1);

    ttp_advice_run(findings, view->report, (struct ttp_advice_rows){view->row, view->rows},
                   view->report->advice, arena);
    view->findings = findings;
}

static ttp_code show_ops(const struct ttp_show *show, const struct ttp_report_view *view,
                         struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view,
                                  .head = ttp_out_report_page_head,
                                  .body = ttp_out_report_page_ops,
                                  .foot = ttp_out_report_page_foot,
                                  .csv_columns = csv_columns(view, show->arena)};
    struct ttp_report plain = *view->report;
    struct ttp_document doc;

    if (show->form == TTP_FORM_JSON && !show->columns) /* a list of its own says it */
        plain.advise = NULL;
    ttp_document_init(&doc, &ttp_report_document, show->arena);
    ttp_document_object(&doc, TTP_REPORT_RUN, NULL, view->report);
    ttp_document_object(&doc, TTP_REPORT_QUALITY, NULL, &view->report->quality);
    if (view->report->machine.known)
        ttp_document_object(&doc, TTP_REPORT_MACHINE, NULL, &view->report->machine);
    if (view->mesh)
        ttp_document_object(&doc, TTP_REPORT_MESH, view->mesh, view->mesh);
    ttp_document_object(&doc, TTP_REPORT_WINDOW, NULL, &view->report->window);
    size_t ranges;
    const size_t *range = ttp_out_ranges_shown(&ranges, &view->report->ranges, show->arena);
    ttp_document_rows(&doc, TTP_REPORT_RANGES, NULL, view->report->ranges.item,
                      view->report->ranges.count);
    ttp_document_choose(&doc, TTP_REPORT_RANGES, range, ranges);
    ttp_document_rows(&doc, TTP_REPORT_OPS, &plain, view->report->op, view->report->count);
    ttp_document_choose(&doc, TTP_REPORT_OPS, view->row, view->rows);
    if (view->findings)
        ttp_document_rows(&doc, TTP_REPORT_ADVICE, view->report, view->findings->item,
                          view->findings->count);
    if (view->folds)
        ttp_document_rows(&doc, TTP_REPORT_FOLDS, view->report, view->folds->item,
                          view->folds->count);
    if (view->roofline)
        ttp_document_object(&doc, TTP_REPORT_ROOFLINE, view, view->roofline);
    if (view->summary)
        ttp_document_object(&doc, TTP_REPORT_SUMMARY, view->summary, view->summary);
    return ttp_show_document(show, &doc, &page, err);
}

ttp_code ttp_out_report(const struct ttp_show *show, const struct ttp_report_view *view,
                        struct ttp_err *err)
{
    struct ttp_report_view found = *view;
    struct ttp_show told = *show;

    if (ttp_form_is_picture(show->form)) {
        struct ttp_picture roofline;
        ttp_out_roofline_picture(&roofline, view, show->arena);
        return ttp_picture_show(show, &roofline, err);
    }
    if (!told.warnings)
        told.warnings = list_warnings(&view->report->notes, show->arena);
    if (show->form == TTP_FORM_HTML && !view->roofline)
        return ttp_out_report_html(&told, view, err);
    if (view->roofline && show->form != TTP_FORM_JSON)
        return ttp_out_roofline(&told, view, err);
    if (show->form == TTP_FORM_TEXT && !view->rows_in_order) {
        ttp_out_first_screen(show, view);
        return TTP_OK;
    }
    if (view->report->advise && !ttp_form_flat(show->form)) /* a column has it there */
        find_advice(&found, show->arena);
    return show_ops(&told, &found, err);
}
