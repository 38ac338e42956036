/* SPDX-License-Identifier: Apache-2.0 */
/* report_fields.c - the figures of a report besides those of its ops (analysis/columns.c). */
#include "outputs/report/report_parts.h"
#include "outputs/report/window_fields.h"
#include "outputs/roofline/roofline_drawing.h"

/* --- the run --- */

TTP_GET(get_csv_format, void, struct ttp_report, ttp_value_word(ttp_ops_format_name(r->format)))
TTP_GET(get_arch, void, struct ttp_report, ttp_value_word(r->arch->name))
TTP_GET(get_peak, void, struct ttp_report, ttp_value_f64(r->arch->dram_gbs))

#define RUN(member) TTP_FIGURE(struct ttp_report, member)
#define RUN_DRAM    TTP_KNOWN_IF(struct ttp_report, has_roofline)
static const struct ttp_field run_fields[] = {
    TTP_WORDS("csv_format", .get = get_csv_format, .help = "generation of the file"),
    TTP_WORDS("arch", .get = get_arch, .help = "architecture"),
    TTP_INT("worker_cores", "", RUN(worker_cores),
            .help = "of the chip, or the largest number that an op could use"),
    TTP_REAL("peak_dram_gbs", "GB/s", 0, .get = get_peak, .help = "of the board"),
    TTP_FLAG("devices_merged", RUN(merged),
             .help = "one row represents the same op on all devices"),
    TTP_FLAG("partitioned", RUN(partitioned), .help = "ops ran on parts of the grid"),
    TTP_INT("device_ops", "", RUN(device_ops)),
    TTP_INT("host_ops", "", RUN(host_ops)),
    TTP_INT("signposts", "", RUN(signposts)),
    TTP_INT("invalid_durations", "", RUN(invalid_durations)),
    TTP_INT("captured_ops", "", RUN(captured_ops),
            .help = "device ops that were captured into a trace, not run"),
    TTP_REAL("device_us", "us", 0, RUN(time_us), .help = "sum of the ops"),
    TTP_REAL("gap_us", "us", 0, RUN(gap_us), .help = "sum of the gaps"),
    TTP_REAL("busy_us", "us", 0, RUN(busy_us),
             .help = "device time with overlapping ops counted once"),
    TTP_REAL("wait_us", "us", 0, RUN(wait_us),
             .help = "mean waits of devices for others in collectives; not in the times of ops"),
    TTP_REAL("dram_gbs", "GB/s", 0, RUN(roofline_gbs), RUN_DRAM,
             .help = "DRAM traffic over the busy time"),
    TTP_REAL("dram_percent", "%", 0, RUN(roofline_pct), RUN_DRAM,
             .help = "share of the board's DRAM bandwidth"),
};
const struct ttp_fields ttp_run_fields = {TTP_FIELDS(run_fields)};

/* --- advice --- */

TTP_GET(get_op_id, struct ttp_report, struct ttp_finding,
        ttp_value_i64((int64_t)c->op[r->op].row + 2))

static const struct ttp_field finding_fields[] = {
    TTP_INT("id", "", .get = get_op_id, .help = "id of the op"),
    TTP_WORDS("rule", TTP_FIGURE(struct ttp_finding, rule)),
    TTP_WORDS("text", TTP_FIGURE(struct ttp_finding, text)),
    TTP_REAL("gain_us", "us", 0, TTP_FIGURE(struct ttp_finding, gain_us), .above_0 = true,
             .help = "upper bound of the saving"),
};
static const struct ttp_fields findings = {TTP_FIELDS(finding_fields)};

/* --- repeated layers --- */

TTP_GET(get_first_id, struct ttp_report, struct ttp_fold,
        ttp_value_i64((int64_t)c->op[r->first].row + 2))

TTP_GET(get_fold_kind, void, struct ttp_fold, ttp_value_word(ttp_analysis_fold_name(r->kind)))

#define FOLD(member) TTP_FIGURE(struct ttp_fold, member)
static const struct ttp_field fold_fields[] = {
    TTP_INT("first_id", "", .get = get_first_id, .help = "id of the first op"),
    TTP_WORDS("kind", .get = get_fold_kind, .help = "replay, layer or ops"),
    TTP_INT("op_count", "", FOLD(rows), .help = "ops of one repetition"),
    TTP_INT("repeats", "", FOLD(repeats)),
    TTP_REAL("device_us", "us", 0, FOLD(time_us), .help = "of all"),
    TTP_REAL("share_percent", "%", 0, FOLD(time_pct), .help = "of the run"),
    TTP_REAL("min_us", "us", 0, FOLD(min_us), .help = "of one repetition"),
    TTP_REAL("max_us", "us", 0, FOLD(max_us), .help = "of one repetition"),
};
static const struct ttp_fields folds = {TTP_FIELDS(fold_fields)};

/* --- the summary --- */

TTP_GET(get_device, struct ttp_summary, struct ttp_group,
        c->per_device ? ttp_value_i64(r->device) : (struct ttp_value){0})
TTP_GET(get_category, struct ttp_summary, struct ttp_group,
        ttp_value_word(ttp_device_category_name(r->category)))

#define GROUP(member)       TTP_FIGURE(struct ttp_group, member)
#define GROUP_KNOWN(member) TTP_KNOWN_IF(struct ttp_group, member)
static const struct ttp_field group_fields[] = {
    TTP_REAL_COLUMN("share_percent", "Total", "%", 1, 0, GROUP(time_pct),
                    .help = "share of the device time"),
    TTP_WORDS_COLUMN("key", "Group", 0, GROUP(key), .help = "common property of the ops"),
    TTP_INT_COLUMN("device", "Device", "", 1, .get = get_device, .help = "if devices are separate"),
    TTP_REAL_COLUMN("device_us", "Time", "us", 0, 0, GROUP(time_us), .help = "sum of the ops"),
    TTP_INT_COLUMN("op_count", "Count", "", 0, GROUP(count), .help = "number of ops"),
    TTP_WORDS_COLUMN("category", "Category", 2, .get = get_category,
                     .help = "Compute, CCL, TM, DM, Host or Other"),
    TTP_REAL("flops_min_percent", "%", 1, GROUP(flops_min), GROUP_KNOWN(has_flops), .title = "Min",
             .help = "share of the peak"),
    TTP_REAL("flops_max_percent", "%", 1, GROUP(flops_max), GROUP_KNOWN(has_flops), .title = "Max",
             .help = "share of the peak"),
    TTP_REAL("flops_mean_percent", "%", 1, GROUP(flops_mean), GROUP_KNOWN(has_flops),
             .title = "Mean", .help = "share of the peak"),
    TTP_REAL("flops_std_percent", "%", 1, GROUP(flops_std), GROUP_KNOWN(has_std), .title = "Std",
             .help = "standard deviation"),
    TTP_REAL_COLUMN("flops_percent", "FLOPs", "%", 1, 3, GROUP(flops_weighted),
                    GROUP_KNOWN(has_weighted), .help = "share of the peak, weighted by op time"),
};
const struct ttp_fields ttp_group_fields = {TTP_FIELDS(group_fields)};

static const char *const group_words[] = {"memory",   "op",         "category",
                                          "location", "const-eval", "program"};
static const struct ttp_field summary_fields[] = {
    {.id = "group_by", TTP_WORD(struct ttp_summary, by, group_words)},
    {.id = "groups", TTP_ROWS_AT(struct ttp_summary, group, count, ttp_group_fields)},
};
static const struct ttp_fields summary = {TTP_FIELDS(summary_fields)};

/* --- all --- */

static const struct ttp_part_spec parts[] = {
    [TTP_REPORT_RUN] = {.id = "run",
                        .kind = TTP_PART_OBJECT,
                        .fields = &ttp_run_fields,
                        .json_only = true},
    [TTP_REPORT_QUALITY] = {.id = "quality",
                            .kind = TTP_PART_OBJECT,
                            .fields = &ttp_quality_fields,
                            .json_only = true,
                            .help = TTP_QUALITY_HELP},
    [TTP_REPORT_MACHINE] = {.id = "machine",
                            .kind = TTP_PART_OBJECT,
                            .fields = &ttp_machine_use_fields,
                            .optional = true,
                            .json_only = true,
                            .help = "board during the window: the one that lost most time; absent "
                                    "if the run has no samples of its boards"},
    [TTP_REPORT_MESH] = {.id = "mesh",
                         .kind = TTP_PART_OBJECT,
                         .fields = &ttp_mesh_run_fields,
                         .optional = true,
                         .json_only = true,
                         .help = "how the ranks relate, as in tt-perf.mesh; absent if the run is "
                                 "not a folder of ranks"},
    [TTP_REPORT_WINDOW] = {.id = "window",
                           .kind = TTP_PART_OBJECT,
                           .fields = &ttp_window_fields,
                           .json_only = true,
                           .help = TTP_WINDOW_HELP},
    [TTP_REPORT_RANGES] = {.id = "ranges",
                           .fields = &ttp_range_fields,
                           .json_only = true,
                           .help = "ranges between signposts, as a tree in order"},
    [TTP_REPORT_OPS] = {.id = "ops",
                        .fields = &ttp_op_fields,
                        .help = "in order of execution or of --sort; filtered by --where and "
                                "--top"},
    [TTP_REPORT_ADVICE] = {.id = "advice",
                           .fields = &findings,
                           .optional = true,
                           .json_only = true,
                           .help = "findings for these ops, in order; absent with --no-advice"},
    [TTP_REPORT_FOLDS] = {.id = "folds",
                          .fields = &folds,
                          .optional = true,
                          .json_only = true,
                          .help = "repeated layers; only with --fold"},
    [TTP_REPORT_ROOFLINE] = {.id = "roofline",
                             .kind = TTP_PART_OBJECT,
                             .fields = &ttp_roofline_fields,
                             .optional = true,
                             .json_only = true,
                             .help = "ops with work and bytes, relative to the peaks of the "
                                     "chip; only with --roofline"},
    [TTP_REPORT_SUMMARY] = {.id = "summary",
                            .kind = TTP_PART_OBJECT,
                            .fields = &summary,
                            .optional = true,
                            .json_only = true,
                            .help = "of the whole run; absent with --no-summary"},
};
const struct ttp_document_spec ttp_report_document = {
    .schema = "tt-perf.report/2",
    .help = "Ops of a run",
    TTP_PARTS(parts),
    .main = TTP_REPORT_OPS,
};
