/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/diff/diff_fields.h"
#include "outputs/report/window_fields.h"

static enum ttp_tone tone_of(double change_us)
{
    return change_us < 0 ? TTP_TONE_GOOD : change_us > 0 ? TTP_TONE_BAD : TTP_TONE_PLAIN;
}

static enum ttp_tone line_tone(const void *context, const void *row)
{
    (void)context;
    return tone_of(((const struct ttp_diff_line *)row)->change.us);
}

#define US      .unit = "us", .digits = 2
#define PERCENT .unit = "%", .plus = true

#define TEST struct ttp_diff_test
static const struct ttp_field test_fields[] = {
    TTP_A_REAL("p", TEST, p),
    TTP_A_REAL("corrected_p", TEST, corrected_p, .help = "Benjamini-Hochberg"),
    TTP_A_BOOL("significant", TEST, significant, .help = "corrected_p is at most 0.05"),
    TTP_A_REAL("shift_us", TEST, shift_us, US, .help = "Hodges-Lehmann"),
    TTP_A_REAL("low_us", TEST, low_us, US),
    TTP_A_REAL("high_us", TEST, high_us, US),
};
static const struct ttp_fields test_figures = {TTP_FIELDS(test_fields)};

#define LINE   struct ttp_diff_line
#define TESTED TTP_KNOWN_IF(LINE, test.done)
#define LINE_FIELDS                                                                                \
    TTP_A_TEXT("base", LINE, base, .table_only = true),                                            \
        TTP_A_TEXT("other", LINE, other, .table_only = true),                                      \
        TTP_A_REAL("change_us", LINE, change.us, TTP_SHOWN("Change"), US, .plus = true,            \
                   .tone = line_tone),                                                             \
        TTP_A_REAL("change_pct", LINE, change.pct, TTP_SHOWN("Change"), PERCENT, .digits = 1,      \
                   .tone = line_tone, .help = "relative to the base; null if it has no time"),     \
        TTP_A_REAL("base_us", LINE, times.base_us, TTP_SHOWN("Base"), US,                          \
                   .help = "device time without overlap with earlier ops; mean of the runs"),      \
        TTP_A_REAL("other_us", LINE, times.other_us, TTP_SHOWN("Other"), US),                      \
        TTP_A_REAL("base_gap_us", LINE, times.base_gap_us, US, .help = "idle time before it"),     \
        TTP_A_REAL("other_gap_us", LINE, times.other_gap_us, US),                                  \
        TTP_A_TEXT("kind", LINE, kind, TTP_SHOWN("Kind"),                                          \
                   .help = "same, changed, moved, added or removed"),                              \
        TTP_A_TEXT("op", LINE, name, TTP_SHOWN("Op")),                                             \
        TTP_A_WHOLE("base_id", LINE, base_id, TTP_KNOWN_IF(LINE, in_base),                         \
                    .help = "line of the op in its file; null if the side lacks it"),              \
        TTP_A_WHOLE("other_id", LINE, other_id, TTP_KNOWN_IF(LINE, in_other)),                     \
        {.id = "changed",                                                                          \
         TTP_ROWS_HERE(LINE, changed, changes, ttp_bare_cstr),                                     \
         .help = "name, shape, datatypes, layout, memory, fidelity, cores, program"},              \
        TTP_A_WHOLE("group", LINE, group, .help = "the same number for ops of a group")
/* Last: in text it has lines of its own. */
#define WHAT(...) TTP_A_TEXT("what", LINE, what, TTP_SHOWN("What changed"), __VA_ARGS__)

static const struct ttp_field group_fields[] = {
    LINE_FIELDS,
    TTP_A_WHOLE("ops", LINE, ops, TTP_SHOWN("Ops"), .drop = 2),
    TTP_A_REAL("p", LINE, test.corrected_p, TTP_SHOWN("p"), TESTED, .digits = -3, .drop = 1,
               .table_only = true,
               .help = "probability of the test, corrected for the number of groups; with "
                       "several runs per side"),
    TTP_A_BOOL("significant", LINE, test.significant, TTP_SHOWN("Significant"), TESTED, .drop = 3,
               .table_only = true, .help = "whether the change is significant at 5 %"),
    TTP_A_REAL("min_change_us", LINE, min_change_us, US, .plus = true,
               .help = "the smallest change of one of its ops"),
    TTP_A_REAL("max_change_us", LINE, max_change_us, US, .plus = true),
    {.id = "test",
     TTP_OBJECT_HERE(LINE, test, test_figures),
     TESTED,
     .help = "Mann-Whitney U over repeated runs; null if there are too few"},
    WHAT(),
};
static const char hint[] = "tt-perf diff --columns help lists them";
const struct ttp_fields ttp_diff_group_fields = {TTP_FIELDS(group_fields), .hint = hint};

static const struct ttp_field op_fields[] = {LINE_FIELDS, WHAT(.table_only = true)};
const struct ttp_fields ttp_diff_op_fields = {TTP_FIELDS(op_fields), .hint = hint};

/* ---- steps ---- */

static enum ttp_tone step_tone(const void *context, const void *row)
{
    (void)context;
    return tone_of(((const struct ttp_diff_step *)row)->change_us);
}

#define STEP struct ttp_diff_step
static const struct ttp_field step_fields[] = {
    TTP_A_REAL("change_pct", STEP, pct, TTP_SHOWN("Change"), PERCENT, .digits = 2,
               .tone = step_tone, .help = "of the base's total"),
    TTP_A_REAL("change_us", STEP, change_us, TTP_SHOWN("Change"), .unit = "us", .digits = 1,
               .plus = true, .tone = step_tone),
    TTP_A_TEXT("label", STEP, label, TTP_SHOWN("Where")),
};
const struct ttp_fields ttp_diff_step_fields = {TTP_FIELDS(step_fields)};

/* ---- the whole ---- */

#define DIFF struct ttp_diff
static const struct ttp_field count_fields[] = {
    TTP_A_WHOLE("same", DIFF, kinds[TTP_DIFF_SAME]),
    TTP_A_WHOLE("changed", DIFF, kinds[TTP_DIFF_CHANGED]),
    TTP_A_WHOLE("moved", DIFF, kinds[TTP_DIFF_MOVED]),
    TTP_A_WHOLE("added", DIFF, kinds[TTP_DIFF_ADDED]),
    TTP_A_WHOLE("removed", DIFF, kinds[TTP_DIFF_REMOVED]),
};
static const struct ttp_fields count_figures = {TTP_FIELDS(count_fields)};

#define WHOLE struct ttp_diff_whole
static const struct ttp_field total_fields[] = {
    TTP_A_REAL("base_us", WHOLE, times.base_us, US,
               .help = "device time, overlap counted once; mean of the runs"),
    TTP_A_REAL("other_us", WHOLE, times.other_us, US),
    TTP_A_REAL("change_us", WHOLE, change.us, US),
    TTP_A_REAL("change_pct", WHOLE, change.pct, PERCENT),
    TTP_A_REAL("base_gap_us", WHOLE, times.base_gap_us, US),
    TTP_A_REAL("other_gap_us", WHOLE, times.other_gap_us, US),
    TTP_A_REAL("base_total_us", WHOLE, base_total_us, US, .help = "device time and gaps"),
    TTP_A_REAL("other_total_us", WHOLE, other_total_us, US),
    TTP_A_REAL("total_change_pct", WHOLE, total_pct, PERCENT),
    {.id = "test", TTP_OBJECT_HERE(WHOLE, test, test_figures), TTP_KNOWN_IF(WHOLE, test.done)},
};
static const struct ttp_fields total_figures = {TTP_FIELDS(total_fields)};

static const struct ttp_field whole_fields[] = {
    TTP_A_TEXT("base", WHOLE, base),
    TTP_A_TEXT("other", WHOLE, other),
    TTP_A_WHOLE("base_runs", WHOLE, base_runs),
    TTP_A_WHOLE("other_runs", WHOLE, other_runs),
    TTP_A_WHOLE("unlike_runs", WHOLE, unlike_runs,
                .help = "repeated runs whose ops differ from the first run of their side"),
    {.id = "base_window", TTP_OBJECT_AT(WHOLE, base_window, ttp_window_fields)},
    {.id = "other_window", TTP_OBJECT_AT(WHOLE, other_window, ttp_window_fields)},
    {.id = "total", .type = TTP_OBJECT, .stored = TTP_STORED_HERE, .sub = &total_figures},
    {.id = "counts", TTP_OBJECT_AT(WHOLE, diff, count_figures), .help = "ops of each kind"},
};
static const struct ttp_fields whole_figures = {TTP_FIELDS(whole_fields)};

static const struct ttp_field shared_fields[] = {
    {.id = "quality",
     TTP_OBJECT_AT(WHOLE, quality, ttp_quality_fields),
     .help = "quality of the least trustworthy run"},
    {.id = "window", TTP_OBJECT_AT(WHOLE, base_window, ttp_window_fields), .help = "of the base"},
};
static const struct ttp_fields shared_figures = {TTP_FIELDS(shared_fields)};

static const struct ttp_part_spec parts[] = {
    [TTP_DIFF_PART_SHARED] = {.kind = TTP_PART_DATA,
                              .fields = &shared_figures,
                              .json_only = true,
                              .shared = true},
    [TTP_DIFF_PART_VIEW] = {.kind = TTP_PART_DATA, .fields = &whole_figures, .json_only = true},
    [TTP_DIFF_PART_STEPS] = {.id = "steps",
                             .title = "Contributions",
                             .fields = &ttp_diff_step_fields,
                             .help = "largest changes, gaps and the rest; their sum is the "
                                     "change of the total"},
    [TTP_DIFF_PART_GROUPS] = {.id = "groups",
                              .fields = &ttp_diff_group_fields,
                              .help = "equal ops that changed alike, largest change first"},
    [TTP_DIFF_PART_OPS] = {.id = "ops",
                           .fields = &ttp_diff_op_fields,
                           .help = "in the order of the other run"},
};
#define DOCUMENT(part)                                                                             \
    {                                                                                              \
        .schema = "tt-perf.diff/2", .help = "Changes from the first run to each other run",        \
        TTP_PARTS(parts), .main = (part), .each = "comparisons"                                    \
    }
const struct ttp_document_spec ttp_diff_document = DOCUMENT(TTP_DIFF_PART_GROUPS);
const struct ttp_document_spec ttp_diff_ops_document = DOCUMENT(TTP_DIFF_PART_OPS);
