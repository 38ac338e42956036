/* SPDX-License-Identifier: Apache-2.0 */
/* report_handle.c - ttperf_report_*(): a run analysed, its values, notes and findings. */
#include "advice/advice.h"
#include "device/device.h"
#include "library/handles.h"

static const char *given(const char *text)
{
    return text && text[0] ? text : NULL;
}

static ttp_code set_options(struct ttperf_report *r, const struct ttperf_analysis_options *wanted,
                            struct ttp_err *err)
{
    struct ttperf_analysis_options o = TTPERF_ANALYSIS_OPTIONS_INIT;

    TTP_TRY(ttp_library_take_options(&o, sizeof(o), wanted, "TTPERF_ANALYSIS_OPTIONS_INIT", err));
    TTP_TRY(ttp_library_check_flags(o.flags,
                                    TTPERF_IGNORE_SIGNPOSTS | TTPERF_KEEP_SIGNPOSTS |
                                        TTPERF_NO_HOST_OPS | TTPERF_NO_MERGE_DEVICES |
                                        TTPERF_TRACING_MODE,
                                    err));
    const struct ttp_boards *boards;
    TTP_TRY(ttp_boards_read_file(&boards, given(o.boards), &r->arena, err));
    r->options = (struct ttp_report_options){
        .rules = r->run->rules.analysis,
        .boards = boards,
        .start_signpost = given(o.start_signpost),
        .end_signpost = given(o.end_signpost),
        .ignore_signposts = o.flags & TTPERF_IGNORE_SIGNPOSTS,
        .print_signposts = o.flags & TTPERF_KEEP_SIGNPOSTS,
        .has_id_range = o.first_id || o.last_id,
        .has_id_from = o.first_id != 0,
        .has_id_to = o.last_id != 0,
        .id_from = o.first_id,
        .id_to = o.last_id,
        .arch = given(o.arch),
        .tracing_mode = o.flags & TTPERF_TRACING_MODE,
        .no_host_ops = o.flags & TTPERF_NO_HOST_OPS,
        .no_merge_devices = o.flags & TTPERF_NO_MERGE_DEVICES,
        .active_experts = o.active_experts,
    };
    return TTP_OK;
}

/* What the analysis found, as the user sees it. */
static void list_columns(struct ttperf_report *r)
{
    const struct ttp_field *all = ttp_op_fields.field;

    r->columns = ttp_op_fields.count;
    r->column = TTP_NEW(&r->arena, struct ttperf_column, r->columns);
    for (size_t i = 0; i < r->columns; i++)
        r->column[i] = (struct ttperf_column){.id = all[i].id,
                                              .title = all[i].title,
                                              .unit = all[i].unit,
                                              .help = all[i].help,
                                              .type = ttp_library_type(all[i].type)};
}

static void list_notes(struct ttperf_report *r)
{
    const struct ttp_notes *notes = &r->report.notes;

    r->note = TTP_NEW(&r->arena, struct ttperf_note, notes->count);
    for (size_t i = 0; i < notes->count; i++)
        r->note[i] = (struct ttperf_note){
            notes->item[i].level == TTP_NOTE_WARNING ? TTPERF_NOTE_WARNING : TTPERF_NOTE_STATUS,
            ttp_arena_zstr(&r->arena, notes->item[i].text)};
}

static void set_totals(struct ttperf_report *r)
{
    const struct ttp_report *report = &r->report;

    r->totals = (struct ttperf_totals){.csv_format = ttp_ops_format_name(report->format),
                                       .arch = report->arch->name,
                                       .worker_cores = report->worker_cores,
                                       .peak_dram_gbs = report->arch->dram_gbs,
                                       .devices_merged = report->merged,
                                       .partitioned = report->partitioned,
                                       .device_ops = report->device_ops,
                                       .host_ops = report->host_ops,
                                       .signposts = report->signposts,
                                       .invalid_durations = report->invalid_durations,
                                       .device_time_us = report->time_us,
                                       .gap_us = report->gap_us,
                                       .busy_us = report->busy_us,
                                       .has_dram = report->has_roofline,
                                       .dram_gbs = report->roofline_gbs,
                                       .dram_pct = report->roofline_pct};
}

static ttp_code analyse(struct ttperf_report *r, const struct ttperf_analysis_options *options,
                        struct ttp_err *err)
{
    TTP_TRY(set_options(r, options, err));
    TTP_TRY(ttp_analysis_run(&r->report, &r->run->ops, &r->options, &r->arena, err));
    /* names of the caller: the analysis is done with them */
    r->options.start_signpost = r->options.end_signpost = r->options.arch = NULL;
    list_columns(r);
    list_notes(r);
    set_totals(r);
    return TTP_OK;
}

struct analysing {
    struct ttperf_report *report;
    struct ttperf_run *run;
    const struct ttperf_analysis_options *options;
};

static ttp_code open_report(void *arg, struct ttp_err *err)
{
    struct analysing *a = arg;
    struct ttp_arena arena = {0};
    struct ttperf_report *r = TTP_NEW(&arena, struct ttperf_report, 1);

    r->arena = arena;
    r->run = a->run;
    const ttp_code rc = analyse(r, a->options, err);
    if (rc == TTP_OK) {
        a->report = r;
    } else {
        arena = r->arena;
        ttp_arena_free(&arena);
    }
    return rc;
}

enum ttperf_code ttperf_report_open(struct ttperf_report **out, struct ttperf_run *run,
                                    const struct ttperf_analysis_options *options,
                                    struct ttperf_error *error)
{
    struct analysing a = {.run = run, .options = options};
    struct ttp_arena *const kept[] = {&run->arena, NULL}; /* new names may have been added there */

    *out = NULL;
    const enum ttperf_code rc = ttp_library_call(run->budget, open_report, &a, kept, error);
    if (rc == TTPERF_OK) {
        run->users++;
        *out = a.report;
    }
    return rc;
}

void ttperf_report_close(struct ttperf_report *report)
{
    if (!report)
        return;
    struct ttp_arena arena = report->arena; /* the report lies in it */
    struct ttperf_run *run = report->run;
    ttp_arena_free(&report->text);
    ttp_arena_free(&arena);
    ttp_library_release_run(run); /* last: it has the budget */
}

size_t ttperf_report_rows(const struct ttperf_report *report)
{
    return report->report.count;
}

size_t ttperf_report_columns(const struct ttperf_report *report)
{
    return report->columns;
}

const struct ttperf_column *ttperf_report_column(const struct ttperf_report *report, size_t i)
{
    return i < report->columns ? &report->column[i] : NULL;
}

size_t ttperf_report_find_column(const struct ttperf_report *report, const char *id)
{
    const struct ttp_field *found = ttp_fields_find(&ttp_op_fields, ttp_str_from(id));

    (void)report;
    return found ? (size_t)(found - ttp_op_fields.field) : TTPERF_NONE;
}

struct ttperf_value ttperf_report_value(const struct ttperf_report *report, size_t row,
                                        size_t column)
{
    const struct ttp_report *r = &report->report;

    if (row >= r->count || column >= ttp_op_fields.count)
        return (struct ttperf_value){.type = TTPERF_TYPE_MISSING};
    const struct ttp_value v = ttp_op_fields.field[column].get(r, &r->op[row]);
    switch (v.kind) {
    case TTP_VALUE_INT:
        return (struct ttperf_value){TTPERF_TYPE_INT, {.i = v.v.i}};
    case TTP_VALUE_REAL:
        return (struct ttperf_value){TTPERF_TYPE_REAL, {.f = v.v.f}};
    case TTP_VALUE_TEXT:
    case TTP_VALUE_BOOL:
        return ttp_library_text(v.v.text);
    default:
        return (struct ttperf_value){.type = TTPERF_TYPE_MISSING};
    }
}

const struct ttperf_totals *ttperf_report_totals(const struct ttperf_report *report)
{
    return &report->totals;
}

size_t ttperf_report_notes(const struct ttperf_report *report)
{
    return report->report.notes.count;
}

const struct ttperf_note *ttperf_report_note(const struct ttperf_report *report, size_t i)
{
    return i < report->report.notes.count ? &report->note[i] : NULL;
}

static ttp_code advise(void *arg, struct ttp_err *err)
{
    struct ttperf_report *r = arg;
    const size_t rows = r->report.count;
    size_t *row = TTP_NEW(&r->arena, size_t, rows);
    struct ttp_findings found;

    for (size_t i = 0; i < rows; i++)
        row[i] = i;
    ttp_advice_run(&found, &r->report, (struct ttp_advice_rows){row, rows}, r->run->rules.advice,
                   &r->arena);
    struct ttperf_finding *finding = TTP_NEW(&r->arena, struct ttperf_finding, found.count);
    for (size_t i = 0; i < found.count; i++) {
        const struct ttp_finding *f = &found.item[i];
        finding[i] =
            (struct ttperf_finding){f->op, f->rule, ttp_arena_zstr(&r->arena, f->text), f->gain_us};
    }
    (void)err;
    r->finding = finding;
    r->findings = found.count;
    return TTP_OK;
}

enum ttperf_code ttperf_report_advise(struct ttperf_report *report, struct ttperf_error *error)
{
    struct ttp_arena *const kept[] = {&report->run->arena, &report->arena, NULL};

    if (report->finding)
        return TTPERF_OK;
    return ttp_library_call(report->run->budget, advise, report, kept, error);
}

size_t ttperf_report_findings(struct ttperf_report *report)
{
    return ttperf_report_advise(report, NULL) == TTPERF_OK ? report->findings : 0;
}

const struct ttperf_finding *ttperf_report_finding(const struct ttperf_report *report, size_t i)
{
    return i < report->findings ? &report->finding[i] : NULL;
}
