/* SPDX-License-Identifier: Apache-2.0 */
/* dropin_report.c - tt-perf-report 1.2.4's command line over our engine. Everything goes to stdout
 * as there; where the original ends in a traceback, one line on stderr says why, with the same exit
 * status. */
#include <string.h>
#include <unistd.h>

#include "base/outsink.h"
#include "compat/compat.h"
#include "core/message.h"
#include "dropin/argparse.h"
#include "dropin/tools.h"

#define FIELD(name) offsetof(struct ttp_report_dropin, name)
static const struct ttp_opt options[] = {
    {.name = "start-signpost",
     .type = TTP_OPT_STR,
     .offset = FIELD(analysis.start_signpost),
     .help =
         "Specify a signpost to delimit the starting range of the data. The first instance of the "
         "matching "
         "signpost will be used as the start of the data range."},
    {.name = "end-signpost",
     .type = TTP_OPT_STR,
     .offset = FIELD(analysis.end_signpost),
     .help =
         "Specify a signpost to delimit the ending range of the data. The first instance of the "
         "matching "
         "signpost will be used as the end of the data range. If the same value is provided for "
         "both "
         "start "
         "and end, the end range will be the second instance of the signpost."},
    TTP_OPTION(FLAG, "ignore-signposts", FIELD(analysis.ignore_signposts),
               "Ignore all signposts and use the entire file for analysis"),
    TTP_OPTION(FLAG, "print-signposts", FIELD(analysis.print_signposts),
               "Print signposts between any defined start/end signposts"),
    TTP_OPTION(FLOAT, "min-percentage", FIELD(min_percentage),
               "Minimum percentage for coloring (default: 0.5)"),
    TTP_OPTION(STR, "id-range", FIELD(id_range),
               "Show only rows with IDs in the specified range (e.g., '5-10', '31-', or '-12')"),
    TTP_OPTION(STR, "arch", FIELD(analysis.arch),
               "Specify architecture (wormhole, blackhole, bh20, N1); auto-detected on new op perf "
               "reports."),
    TTP_OPTION(FLAG, "color", FIELD(color), "Force colored output even when output is redirected"),
    TTP_OPTION(FLAG, "no-color", FIELD(no_color), "Force output without color"),
    TTP_OPTION(STR, "csv", FIELD(csv), "Output filename for CSV format", .metavar = "OUTPUT_FILE"),
    TTP_OPTION(FLAG, "no-advice", FIELD(no_advice), "Only show the table section of the report"),
    TTP_OPTION(FLAG, "tracing-mode", FIELD(analysis.tracing_mode),
               "Do not sort when in tracing mode"),
    TTP_OPTION(FLAG, "raw-op-codes", FIELD(raw_op_codes), "Include raw op codes in output"),
    TTP_OPTION(FLAG, "no-host-ops", FIELD(analysis.no_host_ops),
               "Do not include host ops in output"),
    TTP_OPTION(FLAG, "no-summary", FIELD(no_summary),
               "Skip generating the operation summary report"),
    TTP_OPTION(CHOICE, "group-by", FIELD(group_by),
               "Group summary by: 'op' (operation name), 'memory' (input0 layout), 'category' "
               "(compute/data/tensor)",
               .choices = ttp_report_group_words),
    TTP_OPTION(FLAG, "classic-colors", FIELD(classic_colors),
               "Use classic tab20 colors instead of category-themed colors"),
    TTP_OPTION(STR, "summary-file", FIELD(summary_file),
               "Output file for summary report (CSV and PNG)", .metavar = "FILE"),
    TTP_OPTION(FLAG, "no-stacked-report", FIELD(no_stacked_report),
               "Do not generate a stacked report (deprecated, use --no-summary)"),
    TTP_OPTION(FLAG, "no-stack-by-in0", FIELD(no_stack_by_in0),
               "Do not group the stacked report by the layout of Input 0 (deprecated, use "
               "--group-by=op)"),
    TTP_OPTION(STR, "stacked-csv", FIELD(stacked_csv),
               "Output filename for the stacked report CSV (deprecated, use --summary-file)",
               .metavar = "STACKED_FILE"),
    TTP_OPTION(FLAG, "no-merge-devices", FIELD(analysis.no_merge_devices),
               "Don't merge rows from multiple devices"),
    {.name = "signpost", .alias_of = "start-signpost", .hidden = true},
};

static const struct ttp_argparse grammar = {
    .prog = "tt-perf-report",
    .description = "User-friendly Performance Report Analysis Tool",
    .opt = options,
    .nopt = TTP_COUNT(options),
    .positional = "csv_files",
    .positional_help = "Paths to one or more performance report CSV files",
};

struct run {
    struct ttp_report_dropin o;
    struct ttp_words files;
    struct ttp_report_options analysis;
    struct ttp_original_style style;
    struct ttp_sink out;
    struct ttp_arena *arena;
    unsigned threads;
    struct ttp_ops ops;
    struct ttp_report report;
};

static const char *given(const char *text)
{
    return text && text[0] ? text : NULL;
}

/* One line for what is a traceback there; the place in the file where it is known. */
static int fail(struct run *r, const struct ttp_err *err)
{
    if (ttp_sink_finish(&r->out, NULL) != TTP_OK) /* said at the end */
        return 1;
    if (err->path[0] && err->line)
        ttp_message("tt-perf-report: error: %s:%llu: %s\n", err->path,
                    (unsigned long long)err->line, err->text);
    else if (err->path[0] && !strstr(err->text, err->path))
        ttp_message("tt-perf-report: error: %s: %s\n", err->path, err->text);
    else
        ttp_message("tt-perf-report: error: %s\n", err->text);
    if (err->hint[0])
        ttp_message("hint: %s\n", err->hint);
    return 1;
}

/* Refusals that the original words itself go to stdout, in red. */
static int refuse(struct run *r, const struct ttp_err *err)
{
    const char *path = r->files.word[r->ops.refused_file];

    if (r->ops.refusal == TTP_REFUSED_NO_DEVICE_ID)
        ttp_out_original_error(&r->out, r->style.color,
                               "CSV '%s' is missing the 'DEVICE ID' column.", path);
    else if (r->ops.refusal == TTP_REFUSED_DEVICE_COUNT)
        ttp_out_original_error(
            &r->out, r->style.color, "CSV '%s' reports max device ID %lld, expected %lld", path,
            (long long)r->ops.refused_max_device, (long long)r->ops.expected_max_device);
    else
        return fail(r, err);
    return 1;
}

static ttp_code write_csv(const struct run *r, const char *path, struct ttp_err *err)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, path, err));
    ttp_out_original_csv(&out.sink, &r->report, &r->style);
    return ttp_outsink_close(&out, TTP_OK, err);
}

static ttp_code write_summary_files(struct run *r, const struct ttp_summary *summary,
                                    const char *base, struct ttp_err *err)
{
    const struct ttp_picture_style style = {.classic_colors = r->o.classic_colors};
    const char *missing = NULL;

    ttp_out_original_line(&r->out, TTP_NOTE_STATUS, r->style.color,
                          "Writing CSV stacked report to %s.csv", base);
    TTP_TRY(ttp_report_write_summary_csv(base, summary, TTP_GATE_NONE, r->arena, err));
    ttp_out_original_line(&r->out, TTP_NOTE_STATUS, r->style.color,
                          "Plotting PNG stacked report to %s.png", base);
    TTP_TRY(ttp_report_write_pictures(&missing, base, summary, &style, r->arena, err));
    if (missing)
        ttp_message("tt-perf-report: %s\n", missing);
    return TTP_OK;
}

static int summarise(struct run *r)
{
    static const enum ttp_group_by by[] = {TTP_GROUP_OP, TTP_GROUP_MEMORY, TTP_GROUP_CATEGORY};
    const char *csv = given(r->o.csv);
    const char *base = given(r->o.summary_file) ? r->o.summary_file : given(r->o.stacked_csv);
    struct ttp_summary summary;
    struct ttp_err err = {0};
    bool complete = true;

    if (r->o.no_summary || r->o.no_stacked_report || r->report.count == 0)
        return 0;
    const ttp_code rc = ttp_analysis_summarise(&summary, &r->report, by[r->o.group_by],
                                               &r->analysis, r->arena, &err);
    ttp_out_original_notes(&r->out, &summary.notes, r->style.color);
    if (rc != TTP_OK)
        return fail(r, &err);
    if (summary.empty) {
        ttp_out_original_line(&r->out, TTP_NOTE_WARNING, r->style.color,
                              "No data available for stacked report generation.");
        return 0;
    }
    if (!csv)
        ttp_out_original_summary(&r->out, &summary, r->style.color, &complete, r->arena);
    if (!complete) {
        (void)ttp_fail(&err, TTP_EPARSE,
                       "a summary per device and category has no FLOPs columns to print");
        return fail(r, &err);
    }
    if (!base && csv)
        base = ttp_report_stacked_base(csv, r->arena);
    if (base && write_summary_files(r, &summary, base, &err) != TTP_OK)
        return fail(r, &err);
    return 0;
}

static int show(struct run *r)
{
    struct ttp_err err = {0};
    const char *csv = given(r->o.csv);

    if (csv) {
        ttp_out_original_line(&r->out, TTP_NOTE_STATUS, r->style.color, "Writing CSV output to %s",
                              csv);
        if (write_csv(r, csv, &err) != TTP_OK)
            return fail(r, &err);
    } else if (r->report.count == 0) {
        ttp_out_original_line(&r->out, TTP_NOTE_WARNING, r->style.color,
                              "No operations to display after applying filters.");
        return 0;
    } else if (ttp_out_original_report(&r->out, &r->report, &r->style, r->arena, &err) != TTP_OK) {
        return fail(r, &err);
    }
    return summarise(r);
}

static void set_options(struct run *r)
{
    r->analysis = r->o.analysis; /* even an empty arch is "given" to the original */
    r->analysis.rules = &ttp_compat_analysis;
    r->analysis.boards = NULL;
    r->analysis.active_experts = 0;
    r->style = (struct ttp_original_style){
        .color = !r->o.no_color && (r->o.color || isatty(STDOUT_FILENO)),
        .no_advice = r->o.no_advice,
        .raw_op_codes = r->o.raw_op_codes,
        .min_percentage = r->o.min_percentage,
        .threads = r->threads,
    };
}

static int run_report(struct run *r)
{
    const struct ttp_ops_read_options reading = {.rules = ttp_compat_reading,
                                                 .threads = r->threads};
    struct ttp_err err = {0};

    set_options(r);
    if (!ttp_report_parse_id_range(&r->analysis, r->o.id_range, r->arena)) {
        ttp_out_original_error(&r->out, r->style.color,
                               "Invalid --id-range format. Please use 'START-END', 'START-', or "
                               "'-END'.");
        return 1;
    }
    if (ttp_ops_read_csv(&r->ops, (struct ttp_paths){r->files.word, r->files.count}, &reading,
                         r->arena, &err) != TTP_OK)
        return refuse(r, &err);
    const ttp_code rc = ttp_analysis_run(&r->report, &r->ops, &r->analysis, r->arena, &err);
    ttp_out_original_notes(&r->out, &r->report.notes, r->style.color);
    return rc == TTP_OK ? show(r) : fail(r, &err);
}

static int run_as_original(const struct ttp_report_dropin *choice, const struct ttp_words *files,
                           unsigned threads, struct ttp_arena *arena)
{
    struct run r = {.o = *choice, .files = *files, .arena = arena, .threads = threads};
    struct ttp_err err = {0};

    ttp_sink_to_fd(&r.out, STDOUT_FILENO, arena);
    const int status = run_report(&r);
    if (ttp_sink_finish(&r.out, &err) == TTP_OK)
        return status;
    ttp_message("tt-perf-report: error: %s\n", err.text);
    return 1;
}

int ttp_report_dropin_main(int argc, char **argv)
{
    struct ttp_arena arena = {0};
    struct ttp_report_dropin given_options = {.min_percentage = 0.5, .group_by = TTP_WORD_MEMORY};
    struct ttp_words files = {0};
    int status = 0;

    if (ttp_argparse_run(&status, &given_options, &files, &grammar, argc, argv, &arena))
        status = run_as_original(&given_options, &files, 0, &arena);
    ttp_arena_free(&arena);
    return status;
}

ttp_code ttp_dropin_report(int *status, const struct ttp_ctx *ctx, const void *opts,
                           const struct ttp_words *operands, struct ttp_err *err)
{
    const struct ttp_report_verb *o = opts;
    const struct ttp_report_opening opening = {.quiet = ctx->show.form == TTP_FORM_JSON,
                                               .texts = true,
                                               .threads = (unsigned)o->common.threads};
    struct ttp_report_dropin as = o->as;
    struct ttp_run_sources from;

    if (o->roofline || ttp_form_is_picture(ctx->show.form)) {
        (void)ttp_fail(err, TTP_EUSAGE, "--compat does not support --roofline");
        ttp_err_hint(err, "omit --roofline or --compat");
        return TTP_EUSAGE;
    }
    if (o->ranges || o->as.analysis.window) {
        (void)ttp_fail(err, TTP_EUSAGE, "--compat does not support windows or ranges");
        ttp_err_hint(err, "omit --compat or the other option");
        return TTP_EUSAGE;
    }
    if (operands->count == 0) /* the original knows no run but those it is given */
        return ttp_fail(err, TTP_EUSAGE, "--compat requires a file or folder");
    TTP_TRY(ttp_report_open(&from, ctx, operands, &opening, err));
    as.color = ctx->color;
    as.no_color = !ctx->color;
    *status = run_as_original(&as, &from.csv, (unsigned)o->common.threads, ctx->arena);
    return TTP_OK;
}
