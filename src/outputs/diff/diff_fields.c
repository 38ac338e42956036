/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/diff/diff_fields.h"

static enum ttp_tone tone_of(double change_us)
{
    return change_us < 0 ? TTP_TONE_GOOD : change_us > 0 ? TTP_TONE_BAD : TTP_TONE_PLAIN;
}

static enum ttp_tone line_tone(const void *context, const void *row)
{
    (void)context;
    return tone_of(((const struct ttp_diff_line *)row)->change.us);
}

#define TEST(member) TTP_FIGURE(struct ttp_diff_test, member)
static const struct ttp_field test_fields[] = {
    {.id = "p", .type = TTP_F64, TEST(p)},
    {.id = "corrected_p", .type = TTP_F64, TEST(corrected_p), .help = "Benjamini-Hochberg"},
    {.id = "significant",
     .type = TTP_BOOL,
     TEST(significant),
     .help = "corrected_p is at most 0.05"},
    {.id = "shift_us", .type = TTP_F64, .unit = "us", TEST(shift_us), .help = "Hodges-Lehmann"},
    {.id = "low_us", .type = TTP_F64, .unit = "us", TEST(low_us)},
    {.id = "high_us", .type = TTP_F64, .unit = "us", TEST(high_us)},
};
static const struct ttp_fields test_figures = {TTP_FIELDS(test_fields)};

#define LINE(member) TTP_FIGURE(struct ttp_diff_line, member)
#define TESTED       TTP_KNOWN_IF(struct ttp_diff_line, test.done)
#define LINE_FIELDS                                                                                \
    {.id = "base", .type = TTP_TEXT, .left = true, .table_only = true, LINE(base)},                \
        {.id = "other", .type = TTP_TEXT, .left = true, .table_only = true, LINE(other)},          \
        {.id = "change_us",                                                                        \
         .title = "Change",                                                                        \
         .unit = "us",                                                                             \
         .type = TTP_F64,                                                                          \
         .digits = 2,                                                                              \
         .plus = true,                                                                             \
         .in_table = true,                                                                         \
         LINE(change.us),                                                                          \
         .tone = line_tone},                                                                       \
        {.id = "change_pct",                                                                       \
         .title = "Change",                                                                        \
         .unit = "%",                                                                              \
         .type = TTP_F64,                                                                          \
         .digits = 1,                                                                              \
         .plus = true,                                                                             \
         .in_table = true,                                                                         \
         LINE(change.pct),                                                                         \
         .tone = line_tone,                                                                        \
         .help = "of the base; none where it has no time"},                                        \
        {.id = "base_us",                                                                          \
         .title = "Base",                                                                          \
         .unit = "us",                                                                             \
         .type = TTP_F64,                                                                          \
         .digits = 2,                                                                              \
         .in_table = true,                                                                         \
         LINE(times.base_us),                                                                      \
         .help = "device time, overlap with earlier ops not counted; mean of the runs"},           \
        {.id = "other_us",                                                                         \
         .title = "Other",                                                                         \
         .unit = "us",                                                                             \
         .type = TTP_F64,                                                                          \
         .digits = 2,                                                                              \
         .in_table = true,                                                                         \
         LINE(times.other_us)},                                                                    \
        {.id = "base_gap_us",                                                                      \
         .unit = "us",                                                                             \
         .type = TTP_F64,                                                                          \
         .digits = 2,                                                                              \
         LINE(times.base_gap_us),                                                                  \
         .help = "idle time before it"},                                                           \
        {.id = "other_gap_us",                                                                     \
         .unit = "us",                                                                             \
         .type = TTP_F64,                                                                          \
         .digits = 2,                                                                              \
         LINE(times.other_gap_us)},                                                                \
        {.id = "kind",                                                                             \
         .title = "Kind",                                                                          \
         .type = TTP_TEXT,                                                                         \
         .left = true,                                                                             \
         .in_table = true,                                                                         \
         LINE(kind),                                                                               \
         .help = "same, changed, moved, added or removed"},                                        \
        {.id = "op", .title = "Op", .type = TTP_TEXT, .left = true, .in_table = true, LINE(name)}, \
        {.id = "base_id",                                                                          \
         .type = TTP_I64,                                                                          \
         LINE(base_id),                                                                            \
         TTP_KNOWN_IF(struct ttp_diff_line, in_base),                                              \
         .help = "line of the op in its file; none: the side does not have it"},                   \
        {.id = "other_id",                                                                         \
         .type = TTP_I64,                                                                          \
         LINE(other_id),                                                                           \
         TTP_KNOWN_IF(struct ttp_diff_line, in_other)},                                            \
        {.id = "changed",                                                                          \
         TTP_ROWS_HERE(struct ttp_diff_line, changed, changes, ttp_bare_cstr),                     \
         .help = "name, shape, datatypes, layout, memory, fidelity, cores, program"},              \
    {                                                                                              \
        .id = "group", .type = TTP_I64, LINE(group), .help = "the same number for ops of a group"  \
    }

#define WHAT                                                                                       \
    .id = "what", .title = "What changed", .type = TTP_TEXT, .left = true, .in_table = true,       \
    LINE(what)

static const struct ttp_field group_fields[] = {
    LINE_FIELDS,
    {.id = "ops", .title = "Ops", .type = TTP_I64, .in_table = true, .drop = 2, LINE(ops)},
    {.id = "p",
     .title = "p",
     .type = TTP_F64,
     .digits = -3,
     .in_table = true,
     .drop = 1,
     .table_only = true,
     LINE(test.corrected_p),
     TESTED,
     .help = "of the test, corrected for the number of groups; with several runs of each side"},
    {.id = "significant",
     .title = "Significant",
     .type = TTP_BOOL,
     .in_table = true,
     .drop = 3,
     .table_only = true,
     LINE(test.significant),
     TESTED,
     .help = "whether the runs show the change, at 5 %"},
    {.id = "min_change_us",
     .unit = "us",
     .type = TTP_F64,
     .digits = 2,
     .plus = true,
     LINE(min_change_us),
     .help = "the least change of one of its ops"},
    {.id = "max_change_us",
     .unit = "us",
     .type = TTP_F64,
     .digits = 2,
     .plus = true,
     LINE(max_change_us)},
    {.id = "test",
     TTP_OBJECT_HERE(struct ttp_diff_line, test, test_figures),
     TESTED,
     .help = "Mann-Whitney U over repeated runs; null: not enough of them"},
    {WHAT},
};
const struct ttp_fields ttp_diff_group_fields = {TTP_FIELDS(group_fields),
                                                 .hint = "tt-perf diff --columns help lists them"};

static const struct ttp_field op_fields[] = {LINE_FIELDS, {WHAT, .table_only = true}};
const struct ttp_fields ttp_diff_op_fields = {TTP_FIELDS(op_fields),
                                              .hint = "tt-perf diff --columns help lists them"};

/* ---- steps ---- */

static enum ttp_tone step_tone(const void *context, const void *row)
{
    (void)context;
    return tone_of(((const struct ttp_diff_step *)row)->change_us);
}

#define STEP(member) TTP_FIGURE(struct ttp_diff_step, member)
static const struct ttp_field step_fields[] = {
    {.id = "change_pct",
     .title = "Change",
     .unit = "%",
     .type = TTP_F64,
     .digits = 2,
     .plus = true,
     .in_table = true,
     STEP(pct),
     .tone = step_tone,
     .help = "of the base's total"},
    {.id = "change_us",
     .title = "Change",
     .unit = "us",
     .type = TTP_F64,
     .digits = 1,
     .plus = true,
     .in_table = true,
     STEP(change_us),
     .tone = step_tone},
    {.id = "label",
     .title = "Where",
     .type = TTP_TEXT,
     .left = true,
     .in_table = true,
     STEP(label)},
};
const struct ttp_fields ttp_diff_step_fields = {TTP_FIELDS(step_fields)};

/* ---- the whole ---- */

#define WHOLE(member) TTP_FIGURE(struct ttp_diff_whole, member)
#define DIFF(member)  TTP_FIGURE(struct ttp_diff, member)

static const struct ttp_field count_fields[] = {
    {.id = "same", .type = TTP_I64, DIFF(kinds[TTP_DIFF_SAME])},
    {.id = "changed", .type = TTP_I64, DIFF(kinds[TTP_DIFF_CHANGED])},
    {.id = "moved", .type = TTP_I64, DIFF(kinds[TTP_DIFF_MOVED])},
    {.id = "added", .type = TTP_I64, DIFF(kinds[TTP_DIFF_ADDED])},
    {.id = "removed", .type = TTP_I64, DIFF(kinds[TTP_DIFF_REMOVED])},
};
static const struct ttp_fields count_figures = {TTP_FIELDS(count_fields)};

static const struct ttp_field total_fields[] = {
    {.id = "base_us",
     .unit = "us",
     .type = TTP_F64,
     WHOLE(times.base_us),
     .help = "device time, overlap counted once; mean of the runs"},
    {.id = "other_us", .unit = "us", .type = TTP_F64, WHOLE(times.other_us)},
    {.id = "change_us", .unit = "us", .type = TTP_F64, WHOLE(change.us)},
    {.id = "change_pct", .unit = "%", .type = TTP_F64, WHOLE(change.pct)},
    {.id = "base_gap_us", .unit = "us", .type = TTP_F64, WHOLE(times.base_gap_us)},
    {.id = "other_gap_us", .unit = "us", .type = TTP_F64, WHOLE(times.other_gap_us)},
    {.id = "base_total_us",
     .unit = "us",
     .type = TTP_F64,
     WHOLE(base_total_us),
     .help = "device time and gaps"},
    {.id = "other_total_us", .unit = "us", .type = TTP_F64, WHOLE(other_total_us)},
    {.id = "total_change_pct", .unit = "%", .type = TTP_F64, WHOLE(total_pct)},
    {.id = "test",
     TTP_OBJECT_HERE(struct ttp_diff_whole, test, test_figures),
     TTP_KNOWN_IF(struct ttp_diff_whole, test.done)},
};
static const struct ttp_fields total_figures = {TTP_FIELDS(total_fields)};

static const struct ttp_field whole_fields[] = {
    {.id = "base", .type = TTP_TEXT, WHOLE(base)},
    {.id = "other", .type = TTP_TEXT, WHOLE(other)},
    {.id = "base_runs", .type = TTP_I64, WHOLE(base_runs)},
    {.id = "other_runs", .type = TTP_I64, WHOLE(other_runs)},
    {.id = "unlike_runs",
     .type = TTP_I64,
     WHOLE(unlike_runs),
     .help = "repeated runs without the ops of their side's first one"},
    {.id = "total", .type = TTP_OBJECT, .stored = TTP_STORED_HERE, .sub = &total_figures},
    {.id = "counts",
     TTP_OBJECT_AT(struct ttp_diff_whole, diff, count_figures),
     .help = "ops of each kind"},
};
static const struct ttp_fields whole_figures = {TTP_FIELDS(whole_fields)};

static const struct ttp_part_spec parts[] = {
    [TTP_DIFF_PART_VIEW] = {.kind = TTP_PART_DATA, .fields = &whole_figures, .json_only = true},
    [TTP_DIFF_PART_STEPS] = {.id = "steps",
                             .title = "Where it comes from",
                             .fields = &ttp_diff_step_fields,
                             .help = "the largest changes, gaps and the rest; their sum is the "
                                     "change of the total"},
    [TTP_DIFF_PART_GROUPS] = {.id = "groups",
                              .fields = &ttp_diff_group_fields,
                              .help = "equal ops that changed alike, the largest change first"},
    [TTP_DIFF_PART_OPS] = {.id = "ops",
                           .fields = &ttp_diff_op_fields,
                           .help = "in the order of the other run"},
};
const struct ttp_document_spec ttp_diff_document = {
    .schema = "tt-perf.diff/2",
    .help = "What changed from the first run to each other one",
    TTP_PARTS(parts),
    .main = TTP_DIFF_PART_GROUPS,
    .each = "comparisons",
};
const struct ttp_document_spec ttp_diff_ops_document = {
    .schema = "tt-perf.diff/2",
    .help = "What changed from the first run to each other one",
    TTP_PARTS(parts),
    .main = TTP_DIFF_PART_OPS,
    .each = "comparisons",
};
