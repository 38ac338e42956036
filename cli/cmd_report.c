/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_report.c - `tt-perf report`: the operations of a run, with advice and a summary. */
#include <sys/stat.h>

#include "base/file.h"
#include "cmd.h"
#include "report_dropin.h"

struct report_opts {
    struct ttp_common_opts common;
    struct ttp_report_dropin as; /* options that the original has too */
    bool compat;
    int64_t active_experts;
};

#define FIELD(name) offsetof(struct report_opts, name)
static const struct ttp_opt options[] = {
    {.name = "start-signpost",
     .offset = FIELD(as.start_signpost),
     .type = TTP_OPT_STR,
     .metavar = "NAME",
     .group = "Which rows",
     .help = "show what follows the first signpost of that name"},
    {.name = "signpost", .alias_of = "start-signpost"},
    {.name = "end-signpost",
     .offset = FIELD(as.end_signpost),
     .type = TTP_OPT_STR,
     .metavar = "NAME",
     .help = "stop at the first signpost of that name behind the start"},
    {.name = "ignore-signposts",
     .offset = FIELD(as.ignore_signposts),
     .type = TTP_OPT_FLAG,
     .help = "show the whole file"},
    {.name = "print-signposts",
     .offset = FIELD(as.print_signposts),
     .type = TTP_OPT_FLAG,
     .help = "keep signposts as rows of their own"},
    {.name = "id-range",
     .offset = FIELD(as.id_range),
     .type = TTP_OPT_STR,
     .metavar = "RANGE",
     .help = "show rows with an ID in 5-10, 31- or -12"},
    {.name = "min-percentage",
     .offset = FIELD(as.min_percentage),
     .type = TTP_OPT_FLOAT,
     .metavar = "PERCENT",
     .help = "hide rows below this share of the run in text and Markdown (default 0.5)"},
    {.name = "no-host-ops",
     .offset = FIELD(as.no_host_ops),
     .type = TTP_OPT_FLAG,
     .help = "leave out what ran on the host"},
    {.name = "no-merge-devices",
     .offset = FIELD(as.no_merge_devices),
     .type = TTP_OPT_FLAG,
     .help = "show each device's row instead of one for all of them"},
    {.name = "tracing-mode",
     .offset = FIELD(as.tracing_mode),
     .type = TTP_OPT_FLAG,
     .help = "keep the order of the file: replayed ops carry the host time of their capture"},
    {.name = "arch",
     .offset = FIELD(as.arch),
     .type = TTP_OPT_STR,
     .metavar = "NAME",
     .group = "What they are held to",
     .help =
         "architecture or board: wormhole, blackhole, p100, p150, bh20, n1 (default: as the file "
         "says)"},
    {.name = "active-experts",
     .offset = FIELD(active_experts),
     .type = TTP_OPT_INT,
     .min = 1,
     .max = 1 << 20,
     .metavar = "K",
     .help = "experts that a sparse matmul runs per input group, where the file does not say"},
    {.name = "group-by",
     .offset = FIELD(as.group_by),
     .type = TTP_OPT_CHOICE,
     .choices = ttp_report_group_words,
     .group = "What is shown",
     .help = "group the summary by op, by op and input memory, or by category (default memory)"},
    {.name = "no-advice",
     .offset = FIELD(as.no_advice),
     .type = TTP_OPT_FLAG,
     .help = "leave out the advice"},
    {.name = "no-summary",
     .offset = FIELD(as.no_summary),
     .type = TTP_OPT_FLAG,
     .help = "leave out the summary"},
    {.name = "no-stacked-report", .alias_of = "no-summary", .hidden = true},
    {.name = "raw-op-codes",
     .offset = FIELD(as.raw_op_codes),
     .type = TTP_OPT_FLAG,
     .help = "add the unmodified op code as a column to CSV"},
    {.name = "csv",
     .offset = FIELD(as.csv),
     .type = TTP_OPT_STR,
     .metavar = "FILE",
     .group = "Files",
     .help = "write the table as CSV to FILE instead of printing it"},
    {.name = "summary-file",
     .offset = FIELD(as.summary_file),
     .type = TTP_OPT_STR,
     .metavar = "BASE",
     .help = "write the summary as BASE.csv, BASE.svg and BASE.png"},
    {.name = "stacked-csv", .alias_of = "summary-file", .hidden = true},
    {.name = "classic-colors",
     .offset = FIELD(as.classic_colors),
     .type = TTP_OPT_FLAG,
     .help = "one colour after the other in the picture, without categories"},
    {.name = "compat",
     .offset = FIELD(compat),
     .type = TTP_OPT_FLAG,
     .help = "behave as tt-perf-report 1.2.4, output bytes and faults included"},
};

static const struct report_opts defaults = {
    .as = {.min_percentage = 0.5, .group_by = TTP_WORD_MEMORY},
};

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct report_opts *o = opts;

    if (o->compat) {
        struct ttp_report_dropin as = o->as;
        as.color = ctx->color;
        as.no_color = !ctx->color;
        *status =
            ttp_report_run_as_original(&as, operands, (unsigned)o->common.threads, ctx->arena);
        return TTP_OK;
    }
    return ttp_fail(err, TTP_EUSAGE, "only --compat");
}

static const char *const formats[] = {"text", "csv", "json", "md", NULL};

const struct ttp_cmd cmd_report = {
    .name = "report",
    .args = "FILE|DIR...",
    .summary = "print the operations of a run, with advice",
    .description = "Reads the ops_perf_results CSV of a profiled run and prints one line per "
                   "operation: its share of "
                   "the run, device time, gap since the operation before, cores, DRAM and FLOP "
                   "rates with their share "
                   "of the peak, and what bounds it; then what to do about it, and a summary.",
    .opt = options,
    .nopt = TTP_COUNT(options),
    .opts_size = sizeof(struct report_opts),
    .defaults = &defaults,
    .takes =
        TTP_TAKES_FORMAT | TTP_TAKES_COLOR | TTP_TAKES_OUTPUT | TTP_TAKES_TALK | TTP_TAKES_THREADS,
    .formats = formats,
    .operand = TTP_OPERAND_FILE,
    .min_operands = 1,
    .max_operands = -1,
    .run = run,
};
