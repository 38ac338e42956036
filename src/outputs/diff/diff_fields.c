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

#define TEST struct ttp_diff_test
static const struct ttp_field test_fields[] = {
    TTP_REAL("p", "", 0, TTP_FIGURE(TEST, p)),
    TTP_REAL("corrected_p", "", 0, TTP_FIGURE(TEST, corrected_p), .help = "Benjamini-Hochberg"),
    TTP_FLAG("significant", TTP_FIGURE(TEST, significant), .help = "corrected_p is at most 0.05"),
    TTP_REAL("shift_us", "us", 2, TTP_FIGURE(TEST, shift_us), .help = "Hodges-Lehmann"),
    TTP_REAL("low_us", "us", 2, TTP_FIGURE(TEST, low_us)),
    TTP_REAL("high_us", "us", 2, TTP_FIGURE(TEST, high_us)),
};
static const struct ttp_fields test_figures = {TTP_FIELDS(test_fields)};

#define LINE   struct ttp_diff_line
#define TESTED TTP_KNOWN_IF(LINE, test.done)
#define LINE_FIELDS                                                                                \
    TTP_WORDS("base", TTP_FIGURE(LINE, base), .table_only = true),                                 \
        TTP_WORDS("other", TTP_FIGURE(LINE, other), .table_only = true),                           \
        TTP_REAL_COLUMN("change_us", "Change", "us", 2, 0, TTP_FIGURE(LINE, change.us),            \
                        .plus = true, .tone = line_tone),                                          \
        TTP_REAL_COLUMN("change_percent", "Change", "%", 1, 0, TTP_FIGURE(LINE, change.pct),       \
                        .plus = true, .tone = line_tone,                                           \
                        .help = "relative to the base; null if it has no time"),                   \
        TTP_REAL_COLUMN("base_us", "Base", "us", 2, 0, TTP_FIGURE(LINE, times.base_us),            \
                        .help = "device time without overlap with earlier ops; mean of the runs"), \
        TTP_REAL_COLUMN("other_us", "Other", "us", 2, 0, TTP_FIGURE(LINE, times.other_us)),        \
        TTP_REAL("base_gap_us", "us", 2, TTP_FIGURE(LINE, times.base_gap_us),                      \
                 .help = "idle time before it"),                                                   \
        TTP_REAL("other_gap_us", "us", 2, TTP_FIGURE(LINE, times.other_gap_us)),                   \
        TTP_REAL_COLUMN("base_wait_us", "Base wait", "us", 2, 5, TTP_FIGURE(LINE, base_wait_us),   \
                        .optional = true,                                                          \
                        .help = "of a collective: wait for other devices, part of its "            \
                                "time; null: unknown"),                                            \
        TTP_REAL_COLUMN("other_wait_us", "Other wait", "us", 2, 5,                                 \
                        TTP_FIGURE(LINE, other_wait_us), .optional = true),                        \
        TTP_WORDS_COLUMN("kind", "Kind", 0, TTP_FIGURE(LINE, kind),                                \
                         .help = "same, changed, moved, replaced, added or removed"),              \
        TTP_WORDS_COLUMN("op", "Op", 0, TTP_FIGURE(LINE, name)),                                   \
        TTP_INT("base_id", "", TTP_FIGURE(LINE, base_id), TTP_KNOWN_IF(LINE, in_base),             \
                .help = "line of the op in its file; null if the side lacks it"),                  \
        TTP_INT("other_id", "", TTP_FIGURE(LINE, other_id), TTP_KNOWN_IF(LINE, in_other)),         \
        {.id = "changed",                                                                          \
         TTP_ROWS_HERE(LINE, changed, changes, ttp_bare_cstr),                                     \
         .help = "name, shape, datatypes, layout, memory, fidelity, cores, program"},              \
        TTP_WORDS("location", TTP_FIGURE(LINE, location), .optional = true,                        \
                  .help = "location in the model's source, from tt-mlir"),                         \
        TTP_WORDS("const_eval", TTP_FIGURE(LINE, const_eval), .optional = true,                    \
                  .help = "true: tt-mlir computes a constant with it, once"),                      \
        TTP_INT("group", "", TTP_FIGURE(LINE, group),                                              \
                .help = "the same number for ops of a group")
/* Last: in text it has lines of its own. */
#define WHAT(...) TTP_WORDS("what", TTP_FIGURE(LINE, what), TTP_SHOWN("What changed"), __VA_ARGS__)

static const struct ttp_field group_fields[] = {
    LINE_FIELDS,
    TTP_INT_COLUMN("op_count", "Ops", "", 2, TTP_FIGURE(LINE, ops)),
    TTP_REAL_COLUMN(
        "p", "p", "", -3, 1, TTP_FIGURE(LINE, test.corrected_p), TESTED, .table_only = true,
        .help = "probability of the test, corrected for the number of groups; with several runs "
                "per side"),
    {.id = "significant",
     .title = "Significant",
     .type = TTP_BOOL,
     .drop = 3,
     .in_table = true,
     TTP_FIGURE(LINE, test.significant),
     TESTED,
     .table_only = true,
     .help = "whether the change is significant at 5 %"},
    TTP_REAL("min_change_us", "us", 2, TTP_FIGURE(LINE, min_change_us), .plus = true,
             .help = "the smallest change of one of its ops"),
    TTP_REAL("max_change_us", "us", 2, TTP_FIGURE(LINE, max_change_us), .plus = true),
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
    TTP_REAL_COLUMN("change_percent", "Change", "%", 2, 0, TTP_FIGURE(STEP, pct), .plus = true,
                    .tone = step_tone, .help = "of the base's device time"),
    TTP_REAL_COLUMN("change_us", "Change", "us", 1, 0, TTP_FIGURE(STEP, change_us), .plus = true,
                    .tone = step_tone),
    TTP_WORDS_COLUMN("label", "Where", 0, TTP_FIGURE(STEP, label)),
};
const struct ttp_fields ttp_diff_step_fields = {TTP_FIELDS(step_fields)};

/* ---- origins ---- */

static double origin_change(const struct ttp_diff_origin *o)
{
    return o->times.other_us - o->times.base_us;
}

static enum ttp_tone origin_tone(const void *context, const void *row)
{
    (void)context;
    return tone_of(origin_change(row));
}

#define ORIGIN struct ttp_diff_origin
TTP_GET(get_origin_change, void, ORIGIN, ttp_value_f64(origin_change(r)))
static const struct ttp_field origin_fields[] = {
    TTP_REAL_COLUMN("change_us", "Change", "us", 2, 0, .get = get_origin_change, .plus = true,
                    .tone = origin_tone),
    TTP_REAL_COLUMN("base_us", "Base", "us", 2, 0, TTP_FIGURE(ORIGIN, times.base_us)),
    TTP_REAL_COLUMN("other_us", "Other", "us", 2, 0, TTP_FIGURE(ORIGIN, times.other_us)),
    TTP_REAL_COLUMN("base_share_percent", "Base", "%", 1, 0, TTP_FIGURE(ORIGIN, base_pct),
                    .help = "of the device time of that side"),
    TTP_REAL_COLUMN("other_share_percent", "Other", "%", 1, 0, TTP_FIGURE(ORIGIN, other_pct)),
    TTP_INT_COLUMN("base_ops", "Base ops", "", 1, TTP_FIGURE(ORIGIN, base_ops)),
    TTP_INT_COLUMN("other_ops", "Other ops", "", 1, TTP_FIGURE(ORIGIN, other_ops)),
    TTP_WORDS_COLUMN("name", "Where", 0, TTP_FIGURE(ORIGIN, name)),
};
static const struct ttp_fields origin_figures = {TTP_FIELDS(origin_fields)};

void ttp_out_diff_add_origins(struct ttp_document *doc, const struct ttp_diff *diff,
                              struct ttp_arena *arena)
{
    static const struct {
        size_t part;
        enum ttp_ops_text column;
    } kinds[] = {{TTP_DIFF_PART_LOCATIONS, TTP_OPS_LOCATION},
                 {TTP_DIFF_PART_CONST_EVAL, TTP_OPS_CONST_EVAL}};

    for (size_t i = 0; i < TTP_COUNT(kinds); i++) {
        struct ttp_diff_origin *origin;
        const size_t count = ttp_diff_origins(&origin, diff, kinds[i].column, arena);

        if (count)
            ttp_document_rows(doc, kinds[i].part, NULL, origin, count);
    }
}

/* ---- the whole ---- */

#define DIFF struct ttp_diff
static const struct ttp_field count_fields[] = {
    TTP_INT("same", "", TTP_FIGURE(DIFF, kinds[TTP_DIFF_SAME])),
    TTP_INT("changed", "", TTP_FIGURE(DIFF, kinds[TTP_DIFF_CHANGED])),
    TTP_INT("moved", "", TTP_FIGURE(DIFF, kinds[TTP_DIFF_MOVED])),
    TTP_INT("replaced", "", TTP_FIGURE(DIFF, kinds[TTP_DIFF_REPLACED]),
            .help = "by another op of the family with the same shapes, in the same place"),
    TTP_INT("added", "", TTP_FIGURE(DIFF, kinds[TTP_DIFF_ADDED])),
    TTP_INT("removed", "", TTP_FIGURE(DIFF, kinds[TTP_DIFF_REMOVED])),
};
static const struct ttp_fields count_figures = {TTP_FIELDS(count_fields)};

#define WHOLE struct ttp_diff_whole
static const struct ttp_field total_fields[] = {
    TTP_REAL("base_us", "us", 2, TTP_FIGURE(WHOLE, times.base_us),
             .help = "device time, overlap counted once; mean of the runs"),
    TTP_REAL("other_us", "us", 2, TTP_FIGURE(WHOLE, times.other_us)),
    TTP_REAL("change_us", "us", 2, TTP_FIGURE(WHOLE, change.us)),
    TTP_REAL("change_percent", "%", 0, TTP_FIGURE(WHOLE, change.pct), .plus = true),
    TTP_REAL("base_gap_us", "us", 2, TTP_FIGURE(WHOLE, times.base_gap_us)),
    TTP_REAL("other_gap_us", "us", 2, TTP_FIGURE(WHOLE, times.other_gap_us)),
    TTP_REAL("base_total_us", "us", 2, TTP_FIGURE(WHOLE, base_total_us),
             .help = "device time and gaps"),
    TTP_REAL("other_total_us", "us", 2, TTP_FIGURE(WHOLE, other_total_us)),
    TTP_REAL("total_change_percent", "%", 0, TTP_FIGURE(WHOLE, total_pct), .plus = true),
    {.id = "test", TTP_OBJECT_HERE(WHOLE, test, test_figures), TTP_KNOWN_IF(WHOLE, test.done)},
};
const struct ttp_fields ttp_diff_total_fields = {TTP_FIELDS(total_fields)};

static const struct ttp_field whole_fields[] = {
    TTP_WORDS("base", TTP_FIGURE(WHOLE, base)),
    TTP_WORDS("other", TTP_FIGURE(WHOLE, other)),
    TTP_INT("base_runs", "", TTP_FIGURE(WHOLE, base_runs)),
    TTP_INT("other_runs", "", TTP_FIGURE(WHOLE, other_runs)),
    TTP_INT("unlike_runs", "", TTP_FIGURE(WHOLE, unlike_runs),
            .help = "repeated runs whose ops differ from the first run of their side"),
    TTP_WORDS("outcome", TTP_FIGURE(WHOLE, outcome),
              .help = "of --fail-over: pass, fail or undecided; null: not given"),
    TTP_REAL("limit_percent", "%", 0, TTP_FIGURE(WHOLE, limit_pct), .help = "of --fail-over"),
    {.id = "base_quality", TTP_OBJECT_AT(WHOLE, base_quality, ttp_quality_fields)},
    {.id = "other_quality", TTP_OBJECT_AT(WHOLE, other_quality, ttp_quality_fields)},
    {.id = "base_window", TTP_OBJECT_AT(WHOLE, base_window, ttp_window_fields)},
    {.id = "other_window", TTP_OBJECT_AT(WHOLE, other_window, ttp_window_fields)},
    {.id = "total", .type = TTP_OBJECT, .stored = TTP_STORED_HERE, .sub = &ttp_diff_total_fields},
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
                             .title = TTP_DIFF_STEPS_TITLE,
                             .fields = &ttp_diff_step_fields,
                             .help = "largest changes and the rest, whose sum is the change of the "
                                     "device time; gaps are last, in percent of the same time"},
    [TTP_DIFF_PART_LOCATIONS] = {.id = "locations",
                                 .title = "Time by source location",
                                 .fields = &origin_figures,
                                 .optional = true,
                                 .help = "only of runs that tt-mlir compiled"},
    [TTP_DIFF_PART_CONST_EVAL] = {.id = "const_eval",
                                  .title = "Const-eval share",
                                  .fields = &origin_figures,
                                  .optional = true,
                                  .help = "only of runs that tt-mlir compiled"},
    [TTP_DIFF_PART_MESH] = {.id = "mesh",
                            .kind = TTP_PART_OBJECT,
                            .fields = &ttp_diff_mesh_fields,
                            .optional = true,
                            .json_only = true,
                            .help = "of runs on several devices: who computes longest, and whether "
                                    "one of them is slower than the others"},
    [TTP_DIFF_PART_MESH_FIGURES] = {.id = "mesh_figures",
                                    .title = "Devices, per iteration",
                                    .fields = &ttp_diff_mesh_figure_fields,
                                    .optional = true,
                                    .help = "compute, wait, transfer, skew and imbalance"},
    [TTP_DIFF_PART_MESH_RANKS] = {.id = "mesh_ranks",
                                  .title = "Ranks, per iteration",
                                  .fields = &ttp_diff_mesh_rank_fields,
                                  .optional = true,
                                  .help = "by number"},
    [TTP_DIFF_PART_MESH_DEVICES] = {.id = "mesh_devices",
                                    .title = "Devices that changed most, per iteration",
                                    .fields = &ttp_diff_mesh_device_fields,
                                    .optional = true,
                                    .help = "by rank and id"},
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
