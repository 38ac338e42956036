/* SPDX-License-Identifier: Apache-2.0 */
/* report_fields.c - the figures of a report besides those of its ops (analysis/columns.c). */
#include "outputs/report/report_parts.h"
#include "outputs/roofline/roofline.h"

#define GET(name, row_type, context_type, expression)                                              \
    static struct ttp_value get_##name(const void *context, const void *row)                       \
    {                                                                                              \
        const context_type *c = context;                                                           \
        const row_type *r = row;                                                                   \
        (void)c;                                                                                   \
        return expression;                                                                         \
    }

static struct ttp_value whole(int64_t v)
{
    return (struct ttp_value){TTP_VALUE_INT, {.i = v}};
}

static struct ttp_value word(const char *text)
{
    return (struct ttp_value){TTP_VALUE_TEXT, {.text = ttp_str_from(text)}};
}

static struct ttp_value positive(double v)
{
    return v > 0 ? (struct ttp_value){TTP_VALUE_REAL, {.f = v}} : (struct ttp_value){0};
}

/* --- the run --- */

GET(csv_format, struct ttp_report, void, word(ttp_ops_format_name(r->format)))
GET(arch, struct ttp_report, void, word(r->arch->name))
GET(peak, struct ttp_report, void, positive(r->arch->dram_gbs))

#define RUN(member) TTP_FIGURE(struct ttp_report, member)
#define RUN_DRAM    TTP_KNOWN_IF(struct ttp_report, has_roofline)
static const struct ttp_field run_fields[] = {
    TTP_MEMBER("csv_format", "", "", TTP_TEXT, 0, "generation of the file", .get = get_csv_format),
    TTP_MEMBER("arch", "", "", TTP_TEXT, 0, "architecture", .get = get_arch),
    TTP_MEMBER("worker_cores", "", "", TTP_I64, 0,
               "of the chip, or the largest number that an op could use", RUN(worker_cores)),
    TTP_MEMBER("peak_dram_gbs", "", "GB/s", TTP_F64, 0, "of the board", .get = get_peak),
    TTP_MEMBER("devices_merged", "", "", TTP_BOOL, 0,
               "one row stands for the same op on all devices", RUN(merged)),
    TTP_MEMBER("partitioned", "", "", TTP_BOOL, 0, "ops ran on parts of the grid",
               RUN(partitioned)),
    TTP_MEMBER("device_ops", "", "", TTP_I64, 0, NULL, RUN(device_ops)),
    TTP_MEMBER("host_ops", "", "", TTP_I64, 0, NULL, RUN(host_ops)),
    TTP_MEMBER("signposts", "", "", TTP_I64, 0, NULL, RUN(signposts)),
    TTP_MEMBER("invalid_durations", "", "", TTP_I64, 0, NULL, RUN(invalid_durations)),
    TTP_MEMBER("captured_ops", "", "", TTP_I64, 0,
               "device ops that were captured into a trace, not run", RUN(captured_ops)),
    TTP_MEMBER("device_time_us", "", "us", TTP_F64, 0, "sum of the ops", RUN(time_us)),
    TTP_MEMBER("gap_us", "", "us", TTP_F64, 0, "sum of the gaps", RUN(gap_us)),
    TTP_MEMBER("busy_us", "", "us", TTP_F64, 0, "device time with overlapping ops counted once",
               RUN(busy_us)),
    TTP_MEMBER("dram_gbs", "", "GB/s", TTP_F64, 0, "DRAM traffic over the busy time",
               RUN(roofline_gbs), RUN_DRAM),
    TTP_MEMBER("dram_pct", "", "%", TTP_F64, 0, "share of the board's DRAM bandwidth",
               RUN(roofline_pct), RUN_DRAM),
};
static const struct ttp_fields run = {TTP_FIELDS(run_fields)};

/* --- advice --- */

GET(op_id, struct ttp_finding, struct ttp_report, whole((int64_t)c->op[r->op].row + 2))
GET(gain, struct ttp_finding, struct ttp_report, positive(r->gain_us))

static const struct ttp_field finding_fields[] = {
    TTP_MEMBER("op_id", "", "", TTP_I64, 0, "id of the op", .get = get_op_id),
    TTP_MEMBER("rule", "", "", TTP_TEXT, 0, NULL, TTP_FIGURE(struct ttp_finding, rule)),
    TTP_MEMBER("text", "", "", TTP_TEXT, 0, NULL, TTP_FIGURE(struct ttp_finding, text)),
    TTP_MEMBER("gain_us", "", "us", TTP_F64, 0, "what following it could save at most",
               .get = get_gain),
};
static const struct ttp_fields findings = {TTP_FIELDS(finding_fields)};

/* --- repeated layers --- */

GET(first_id, struct ttp_fold, struct ttp_report, whole((int64_t)c->op[r->first].row + 2))

#define FOLD(member) TTP_FIGURE(struct ttp_fold, member)
static const struct ttp_field fold_fields[] = {
    TTP_MEMBER("first_id", "", "", TTP_I64, 0, "id of the first op", .get = get_first_id),
    TTP_MEMBER("ops", "", "", TTP_I64, 0, "ops of one repetition", FOLD(rows)),
    TTP_MEMBER("repeats", "", "", TTP_I64, 0, NULL, FOLD(repeats)),
    TTP_MEMBER("device_time_us", "", "us", TTP_F64, 0, "of all", FOLD(time_us)),
    TTP_MEMBER("total_pct", "", "%", TTP_F64, 0, "of the run", FOLD(time_pct)),
    TTP_MEMBER("min_us", "", "us", TTP_F64, 0, "of one repetition", FOLD(min_us)),
    TTP_MEMBER("max_us", "", "us", TTP_F64, 0, "of one repetition", FOLD(max_us)),
};
static const struct ttp_fields folds = {TTP_FIELDS(fold_fields)};

/* --- the summary --- */

GET(device, struct ttp_group, struct ttp_summary,
    c->per_device ? whole(r->device) : (struct ttp_value){0})
GET(category, struct ttp_group, struct ttp_summary, word(ttp_analysis_category_name(r->category)))

#define GROUP(member)       TTP_FIGURE(struct ttp_group, member)
#define GROUP_KNOWN(member) TTP_KNOWN_IF(struct ttp_group, member)
static const struct ttp_field group_fields[] = {
    TTP_COLUMN("total_pct", "Total", "%", TTP_F64, 1, 0, "share of the device time",
               GROUP(time_pct)),
    TTP_COLUMN("key", "Group", "", TTP_TEXT, 0, 0, "what the ops have in common", GROUP(key)),
    TTP_COLUMN("device", "Device", "", TTP_I64, 0, 1, "where devices are told apart",
               .get = get_device),
    TTP_COLUMN("device_time_us", "Time", "us", TTP_F64, 0, 0, "sum of the ops", GROUP(time_us)),
    TTP_COLUMN("count", "Count", "", TTP_I64, 0, 0, "number of ops", GROUP(count)),
    TTP_COLUMN("category", "Category", "", TTP_TEXT, 0, 2, "Compute, CCL, TM, DM, Host or Other",
               .get = get_category),
    TTP_MEMBER("flops_pct_min", "Min", "%", TTP_F64, 1, "share of the peak", GROUP(flops_min),
               GROUP_KNOWN(has_flops)),
    TTP_MEMBER("flops_pct_max", "Max", "%", TTP_F64, 1, "share of the peak", GROUP(flops_max),
               GROUP_KNOWN(has_flops)),
    TTP_MEMBER("flops_pct_mean", "Mean", "%", TTP_F64, 1, "share of the peak", GROUP(flops_mean),
               GROUP_KNOWN(has_flops)),
    TTP_MEMBER("flops_pct_std", "Std", "%", TTP_F64, 1, "standard deviation", GROUP(flops_std),
               GROUP_KNOWN(has_std)),
    TTP_COLUMN("flops_pct_weighted", "FLOPs", "%", TTP_F64, 1, 3,
               "share of the peak, weighted with the time of the ops", GROUP(flops_weighted),
               GROUP_KNOWN(has_weighted)),
};
const struct ttp_fields ttp_group_fields = {TTP_FIELDS(group_fields)};

static const char *const group_words[] = {"memory", "op", "category"};
static const struct ttp_field summary_fields[] = {
    {.id = "group_by", TTP_WORD(struct ttp_summary, by, group_words)},
    {.id = "groups", TTP_ROWS_AT(struct ttp_summary, group, count, ttp_group_fields)},
};
static const struct ttp_fields summary = {TTP_FIELDS(summary_fields)};

/* --- all --- */

static const struct ttp_part_spec parts[] = {
    [TTP_REPORT_RUN] = {.id = "run", .kind = TTP_PART_OBJECT, .fields = &run, .json_only = true},
    [TTP_REPORT_OPS] = {.id = "ops",
                        .fields = &ttp_op_fields,
                        .help = "as they ran, or as --sort says; --where and --top make them "
                                "fewer"},
    [TTP_REPORT_ADVICE] = {.id = "advice",
                           .fields = &findings,
                           .optional = true,
                           .json_only = true,
                           .help = "findings of these ops, in their order; not with --no-advice"},
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
                             .help = "ops that compute and move data, below the peaks of the chip; "
                                     "only with --roofline"},
    [TTP_REPORT_SUMMARY] = {.id = "summary",
                            .kind = TTP_PART_OBJECT,
                            .fields = &summary,
                            .optional = true,
                            .json_only = true,
                            .help = "of the whole run; not with --no-summary"},
};
const struct ttp_document_spec ttp_report_document = {
    .schema = "tt-perf.report/1",
    .help = "Ops of a run",
    TTP_PARTS(parts),
    .main = TTP_REPORT_OPS,
};
