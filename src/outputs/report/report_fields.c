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
static const struct ttp_field run_fields[] = {
    {.id = "csv_format", .type = TTP_TEXT, .get = get_csv_format},
    {.id = "arch", .type = TTP_TEXT, .get = get_arch},
    {.id = "worker_cores",
     .type = TTP_I64,
     RUN(worker_cores),
     .help = "of the chip, or the largest number that an op could use"},
    {.id = "peak_dram_gbs", .unit = "GB/s", .type = TTP_F64, .get = get_peak},
    {.id = "devices_merged",
     .type = TTP_BOOL,
     RUN(merged),
     .help = "one row stands for the same op on all devices"},
    {.id = "partitioned",
     .type = TTP_BOOL,
     RUN(partitioned),
     .help = "ops ran on parts of the grid"},
    {.id = "device_ops", .type = TTP_I64, RUN(device_ops)},
    {.id = "host_ops", .type = TTP_I64, RUN(host_ops)},
    {.id = "signposts", .type = TTP_I64, RUN(signposts)},
    {.id = "invalid_durations", .type = TTP_I64, RUN(invalid_durations)},
    {.id = "captured_ops",
     .type = TTP_I64,
     RUN(captured_ops),
     .help = "device ops that were captured into a trace, not run"},
    {.id = "device_time_us", .unit = "us", .type = TTP_F64, RUN(time_us), .help = "sum of the ops"},
    {.id = "gap_us", .unit = "us", .type = TTP_F64, RUN(gap_us), .help = "sum of the gaps"},
    {.id = "busy_us",
     .unit = "us",
     .type = TTP_F64,
     RUN(busy_us),
     .help = "device time with overlapping ops counted once"},
    {.id = "dram_gbs",
     .unit = "GB/s",
     .type = TTP_F64,
     RUN(roofline_gbs),
     TTP_KNOWN_IF(struct ttp_report, has_roofline),
     .help = "DRAM traffic over the busy time"},
    {.id = "dram_pct",
     .unit = "%",
     .type = TTP_F64,
     RUN(roofline_pct),
     TTP_KNOWN_IF(struct ttp_report, has_roofline)},
};
static const struct ttp_fields run = {TTP_FIELDS(run_fields)};

/* --- advice --- */

GET(op_id, struct ttp_finding, struct ttp_report, whole((int64_t)c->op[r->op].row + 2))
GET(gain, struct ttp_finding, struct ttp_report, positive(r->gain_us))

static const struct ttp_field finding_fields[] = {
    {.id = "op_id", .type = TTP_I64, .get = get_op_id, .help = "id of the op"},
    {.id = "rule", .type = TTP_TEXT, TTP_FIGURE(struct ttp_finding, rule)},
    {.id = "text", .type = TTP_TEXT, TTP_FIGURE(struct ttp_finding, text)},
    {.id = "gain_us",
     .unit = "us",
     .type = TTP_F64,
     .get = get_gain,
     .help = "what following it could save at most"},
};
static const struct ttp_fields findings = {TTP_FIELDS(finding_fields)};

/* --- repeated layers --- */

GET(first_id, struct ttp_fold, struct ttp_report, whole((int64_t)c->op[r->first].row + 2))

#define FOLD(member) TTP_FIGURE(struct ttp_fold, member)
static const struct ttp_field fold_fields[] = {
    {.id = "first_id", .type = TTP_I64, .get = get_first_id, .help = "id of the first op"},
    {.id = "ops", .type = TTP_I64, FOLD(rows), .help = "ops of one repetition"},
    {.id = "repeats", .type = TTP_I64, FOLD(repeats)},
    {.id = "device_time_us", .unit = "us", .type = TTP_F64, FOLD(time_us), .help = "of all"},
    {.id = "total_pct", .unit = "%", .type = TTP_F64, FOLD(time_pct)},
    {.id = "min_us", .unit = "us", .type = TTP_F64, FOLD(min_us), .help = "of one repetition"},
    {.id = "max_us", .unit = "us", .type = TTP_F64, FOLD(max_us), .help = "of one repetition"},
};
static const struct ttp_fields folds = {TTP_FIELDS(fold_fields)};

/* --- the summary --- */

GET(device, struct ttp_group, struct ttp_summary,
    c->per_device ? whole(r->device) : (struct ttp_value){0})
GET(category, struct ttp_group, struct ttp_summary, word(ttp_analysis_category_name(r->category)))

#define GROUP(member)       TTP_FIGURE(struct ttp_group, member)
#define GROUP_KNOWN(member) TTP_KNOWN_IF(struct ttp_group, member)
static const struct ttp_field group_fields[] = {
    {.id = "total_pct",
     .title = "Total",
     .unit = "%",
     .type = TTP_F64,
     .digits = 1,
     .in_table = true,
     GROUP(time_pct),
     .help = "share of the device time"},
    {.id = "key", .title = "Group", .type = TTP_TEXT, .in_table = true, .left = true, GROUP(key)},
    {.id = "device",
     .title = "Device",
     .type = TTP_I64,
     .drop = 1,
     .in_table = true,
     .get = get_device,
     .help = "where devices are told apart"},
    {.id = "device_time_us",
     .title = "Time",
     .unit = "us",
     .type = TTP_F64,
     .in_table = true,
     GROUP(time_us)},
    {.id = "count", .title = "Count", .type = TTP_I64, .in_table = true, GROUP(count)},
    {.id = "category",
     .title = "Category",
     .type = TTP_TEXT,
     .drop = 2,
     .in_table = true,
     .left = true,
     .get = get_category},
    {.id = "flops_pct_min", .unit = "%", .type = TTP_F64, GROUP(flops_min), GROUP_KNOWN(has_flops)},
    {.id = "flops_pct_max", .unit = "%", .type = TTP_F64, GROUP(flops_max), GROUP_KNOWN(has_flops)},
    {.id = "flops_pct_mean",
     .unit = "%",
     .type = TTP_F64,
     GROUP(flops_mean),
     GROUP_KNOWN(has_flops)},
    {.id = "flops_pct_std", .unit = "%", .type = TTP_F64, GROUP(flops_std), GROUP_KNOWN(has_std)},
    {.id = "flops_pct_weighted",
     .title = "FLOPs",
     .unit = "%",
     .type = TTP_F64,
     .digits = 1,
     .drop = 3,
     .in_table = true,
     GROUP(flops_weighted),
     GROUP_KNOWN(has_weighted),
     .help = "share of the peak, weighted with the time of the ops"},
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
