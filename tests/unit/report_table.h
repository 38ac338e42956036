/* SPDX-License-Identifier: Apache-2.0 */
/* report_table.h - options of a real argparse program, for tests of the grammar: names, value names
 * and help of tt-perf-report 1.2.4 (its interface, see its --help). */
#ifndef TTP_TEST_REPORT_TABLE_H
#define TTP_TEST_REPORT_TABLE_H

#include "dropin/argparse.h"

struct report_values {
    const char *start, *end, *id_range, *arch, *csv, *summary_file, *stacked_csv;
    bool ignore, print, color, no_color, no_advice, tracing, raw, no_host, no_summary, classic;
    bool no_stacked, no_stack_by_in0, no_merge;
    double min_percentage;
    int group_by;
};

static const char *const report_groups[] = {"op", "memory", "category", NULL};

#define VALUE(long_name, field, text, meta)                                                        \
    {                                                                                              \
        .name = (long_name), .type = TTP_OPT_STR, .offset = offsetof(struct report_values, field), \
        .help = (text), .metavar = (meta)                                                          \
    }
#define FLAG(long_name, field, text)                                                               \
    {                                                                                              \
        .name = (long_name), .type = TTP_OPT_FLAG,                                                 \
        .offset = offsetof(struct report_values, field), .help = (text)                            \
    }

static const struct ttp_opt report_options[] = {
    VALUE("start-signpost", start,
          "Specify a signpost to delimit the starting range of the data. The first instance of the "
          "matching signpost will be used as the start of the data range.",
          NULL),
    VALUE("end-signpost", end,
          "Specify a signpost to delimit the ending range of the data. The first instance of the "
          "matching signpost will be used as the end of the data range. If the same value is "
          "provided for both start and end, the end range will be the second instance of the "
          "signpost.",
          NULL),
    FLAG("ignore-signposts", ignore, "Ignore all signposts and use the entire file for analysis"),
    FLAG("print-signposts", print, "Print signposts between any defined start/end signposts"),
    {.name = "min-percentage",
     .type = TTP_OPT_FLOAT,
     .offset = offsetof(struct report_values, min_percentage),
     .help = "Minimum percentage for coloring (default: 0.5)"},
    VALUE("id-range", id_range,
          "Show only rows with IDs in the specified range (e.g., '5-10', '31-', or '-12')", NULL),
    VALUE("arch", arch,
          "Specify architecture (wormhole, blackhole, bh20, N1); auto-detected on new op perf "
          "reports.",
          NULL),
    FLAG("color", color, "Force colored output even when output is redirected"),
    FLAG("no-color", no_color, "Force output without color"),
    VALUE("csv", csv, "Output filename for CSV format", "OUTPUT_FILE"),
    FLAG("no-advice", no_advice, "Only show the table section of the report"),
    FLAG("tracing-mode", tracing, "Do not sort when in tracing mode"),
    FLAG("raw-op-codes", raw, "Include raw op codes in output"),
    FLAG("no-host-ops", no_host, "Do not include host ops in output"),
    FLAG("no-summary", no_summary, "Skip generating the operation summary report"),
    {.name = "group-by",
     .type = TTP_OPT_CHOICE,
     .offset = offsetof(struct report_values, group_by),
     .choices = report_groups,
     .help = "Group summary by: 'op' (operation name), 'memory' (input0 layout), 'category' "
             "(compute/data/tensor)"},
    FLAG("classic-colors", classic, "Use classic tab20 colors instead of category-themed colors"),
    VALUE("summary-file", summary_file, "Output file for summary report (CSV and PNG)", "FILE"),
    FLAG("no-stacked-report", no_stacked,
         "Do not generate a stacked report (deprecated, use --no-summary)"),
    FLAG(
        "no-stack-by-in0", no_stack_by_in0,
        "Do not group the stacked report by the layout of Input 0 (deprecated, use --group-by=op)"),
    VALUE("stacked-csv", stacked_csv,
          "Output filename for the stacked report CSV (deprecated, use --summary-file)",
          "STACKED_FILE"),
    FLAG("no-merge-devices", no_merge, "Don't merge rows from multiple devices"),
    {.name = "signpost", .alias_of = "start-signpost", .hidden = true},
};

static const struct ttp_argparse report_parser = {
    .prog = "tt-perf-report",
    .description = "User-friendly Performance Report Analysis Tool",
    .opt = report_options,
    .nopt = TTP_COUNT(report_options),
    .positional = "csv_files",
    .positional_help = "Paths to one or more performance report CSV files",
};

#endif
