/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/history/history_fields.h"

#include <math.h>

#include "outputs/host/host_fields.h"

static const char hint[] = "tt-perf history --columns help lists them";

#define ABOUT struct ttp_history_about
static const struct ttp_field about_fields[] = {
    TTP_WORDS("action", TTP_FIGURE(ABOUT, action)),
    TTP_WORDS("store", TTP_FIGURE(ABOUT, store), .help = "without a password"),
};
static const struct ttp_fields about = {TTP_FIELDS(about_fields)};
#define ABOUT_PART                                                                                 \
    [TTP_HISTORY_PART_ABOUT] = {.kind = TTP_PART_DATA, .fields = &about, .json_only = true}

static const char *const better_words[] = {
    [TTP_BETTER_LOWER] = "lower", [TTP_BETTER_HIGHER] = "higher"};

/* ---- runs ---- */

/* The store keeps seconds. To the nanosecond, which is what they were made from. */
static struct ttp_value us_of(double seconds)
{
    return ttp_value_f64(rint(seconds * 1e9) / 1e3);
}

TTP_GET(get_device_us, void, struct ttp_history_run, us_of(r->device_s))
TTP_GET(get_gap_us, void, struct ttp_history_run, us_of(r->gap_s))
TTP_GET(get_ops, void, struct ttp_history_run,
        r->op_count ? ttp_value_i64(r->op_count) : (struct ttp_value){0})

#define RUN struct ttp_history_run
#define RUN_FIELDS                                                                                 \
    TTP_INT_COLUMN("id", "ID", "", 0, TTP_FIGURE(RUN, id)),                                        \
        TTP_WHEN("time", TTP_FIGURE(RUN, time_ns), TTP_SHOWN("Time (UTC)"), .drop = 1,             \
                 .help = "when it ran"),                                                           \
        TTP_WHEN("added_time", TTP_FIGURE(RUN, added_ns), .help = "when it was added"),            \
        TTP_WORDS_COLUMN("name", "Name", 0, TTP_FIGURE(RUN, name)),                                \
        TTP_WORDS_COLUMN(                                                                          \
            "kind", "Kind", 4, TTP_FIGURE(RUN, kind),                                              \
            .help = "ops, bench, benchmark-run, google-benchmark, hyperfine, device-perf, "        \
                    "tune, ..."),                                                                  \
        TTP_WORDS("source", TTP_FIGURE(RUN, source), .help = "where it was read from"),            \
        TTP_WORDS("project", TTP_FIGURE(RUN, project)),                                            \
        TTP_WORDS_COLUMN("branch", "Branch", 3, TTP_FIGURE(RUN, branch)),                          \
        TTP_WORDS_COLUMN("commit", "Commit", 2, TTP_FIGURE(RUN, commit)),                          \
        TTP_WORDS("commit_time", TTP_FIGURE(RUN, commit_time)),                                    \
        TTP_FLAG("dirty", TTP_FIGURE(RUN, dirty),                                                  \
                 .help = "tracked files differed from the commit"),                                \
        TTP_WORDS_COLUMN("host", "Host", 6, TTP_FIGURE(RUN, host)),                                \
        TTP_WORDS_COLUMN("board", "Board", 5, TTP_FIGURE(RUN, board)),                             \
        TTP_INT_COLUMN("op_count", "Ops", "", 7, .get = get_ops),                                  \
        TTP_REAL_COLUMN("device_us", "Device time", "us", 3, 1, .get = get_device_us),             \
        TTP_REAL("gap_us", "us", 3, .get = get_gap_us),                                            \
        TTP_WORDS("document_sha256", TTP_FIGURE(RUN, digest))

static const struct ttp_field run_fields[] = {RUN_FIELDS};
static const struct ttp_fields runs = {TTP_FIELDS(run_fields), .hint = hint};

static const struct ttp_part_spec list_parts[] = {
    ABOUT_PART, [TTP_HISTORY_PART_MAIN] = {.id = "runs", .fields = &runs}};
const struct ttp_document_spec ttp_history_list_document = {
    .schema = "tt-perf.history-list/1",
    .help = "Runs of the history",
    TTP_PARTS(list_parts),
    .main = TTP_HISTORY_PART_MAIN,
};

/* ---- one run ---- */

#define MEASURE    struct ttp_history_measure
#define IN_UNIT(t) TTP_UNIT_IN(t, unit)
static const struct ttp_field measure_fields[] = {
    TTP_WORDS_COLUMN("metric", "Metric", 0, TTP_FIGURE(MEASURE, metric)),
    TTP_WORDS("unit", TTP_FIGURE(MEASURE, unit)),
    TTP_WORDS_COLUMN("variant", "Variant", 1, TTP_FIGURE(MEASURE, variant)),
    TTP_INT_COLUMN("runs", "Runs", "", 2, TTP_FIGURE(MEASURE, samples)),
    TTP_REAL_COLUMN("median", "Median", "", 0, 0, TTP_FIGURE(MEASURE, median), IN_UNIT(MEASURE)),
    TTP_REAL_COLUMN("min", "Min", "", 0, 3, TTP_FIGURE(MEASURE, min), IN_UNIT(MEASURE)),
    TTP_REAL_COLUMN("max", "Max", "", 0, 3, TTP_FIGURE(MEASURE, max), IN_UNIT(MEASURE)),
    TTP_REAL_COLUMN("target", "Target", "", 0, 2, TTP_FIGURE(MEASURE, target), IN_UNIT(MEASURE)),
    {.id = "better",
     TTP_SHOWN("Better"),
     .drop = 4,
     .left = true,
     TTP_WORD(MEASURE, better, better_words)},
    {.id = "samples", TTP_ROWS_AT(MEASURE, sample, samples, ttp_bare_f64)},
};
static const struct ttp_fields measures = {TTP_FIELDS(measure_fields), .hint = hint};

#define VALUE struct ttp_history_value
#define VALUE_FIELDS                                                                               \
    TTP_WORDS("metric", TTP_FIGURE(VALUE, metric)), TTP_WORDS("unit", TTP_FIGURE(VALUE, unit)),    \
        TTP_WORDS("variant", TTP_FIGURE(VALUE, variant)),                                          \
        {.id = "better", .left = true, TTP_WORD(VALUE, better, better_words)},                     \
        TTP_INT("iteration", "", TTP_FIGURE(VALUE, iteration), .help = "from 0"),                  \
        TTP_REAL("value", "", 0, TTP_FIGURE(VALUE, value))

static const struct ttp_field value_fields[] = {VALUE_FIELDS};
static const struct ttp_fields values = {TTP_FIELDS(value_fields), .hint = hint};

#define OP struct ttp_history_op
TTP_GET(get_op, void, OP, ttp_value_text(r->op.name.len ? r->op.name : r->op.code))

#define OP_FIELDS                                                                                  \
    TTP_INT_COLUMN("index", "#", "", 0, TTP_FIGURE(OP, index),                                     \
                   .help = "from 0, in the order they ran"),                                       \
        TTP_WORDS_COLUMN("op", "Op", 0, .get = get_op,                                             \
                         .help = "op and size, as reports print them"),                            \
        TTP_INT_COLUMN("device", "Device", "", 5, TTP_FIGURE(OP, op.device),                       \
                       TTP_KNOWN_IF(OP, on_device)),                                               \
        TTP_INT_COLUMN("cores", "Cores", "", 4, TTP_FIGURE(OP, op.cores),                          \
                       TTP_KNOWN_IF(OP, on_cores)),                                                \
        TTP_REAL_COLUMN("device_us", "Device time", "us", 3, 0, TTP_FIGURE(OP, op.time_ns),        \
                        .scale = 1e-3),                                                            \
        TTP_REAL_COLUMN("gap_us", "Gap", "us", 3, 1, TTP_FIGURE(OP, op.gap_ns), .scale = 1e-3),    \
        TTP_WORDS_COLUMN("datatypes", "Datatypes", 3, TTP_FIGURE(OP, op.datatypes)),               \
        TTP_WORDS_COLUMN("shapes", "Shapes", 6, TTP_FIGURE(OP, op.shapes)),                        \
        TTP_WORDS("memory", TTP_FIGURE(OP, op.memory)),                                            \
        TTP_WORDS("fidelity", TTP_FIGURE(OP, op.fidelity)),                                        \
        TTP_WORDS("code", TTP_FIGURE(OP, op.code)),                                                \
        TTP_WORDS("program_config", TTP_FIGURE(OP, op.config)),                                    \
        TTP_WORDS("chip", TTP_FIGURE(OP, op.chip), .help = "of a collective with its devices")

static const struct ttp_field op_fields[] = {OP_FIELDS};
static const struct ttp_fields ops = {TTP_FIELDS(op_fields), .hint = hint};

/* ---- all rows of runs ---- */

#define EXPORTED            struct ttp_history_exported
#define OF_RUN(name, value) TTP_GET(name, void, EXPORTED, value)
OF_RUN(get_run_id, ttp_value_i64(r->run->id))
OF_RUN(get_run_time, ttp_value_moment(r->run->time_ns))
OF_RUN(get_run_name, ttp_value_text(r->run->name))
OF_RUN(get_run_kind, ttp_value_text(r->run->kind))
OF_RUN(get_run_project, ttp_value_text(r->run->project))
OF_RUN(get_run_branch, ttp_value_text(r->run->branch))
OF_RUN(get_run_commit, ttp_value_text(r->run->commit))
OF_RUN(get_run_dirty, ttp_value_bool(r->run->dirty))
OF_RUN(get_run_host, ttp_value_text(r->run->host))
OF_RUN(get_run_board, ttp_value_text(r->run->board))
OF_RUN(get_run_machine, ttp_value_text(r->run->machine_key))

#define RUN_COLUMNS                                                                                \
    TTP_INT("run", "", .get = get_run_id, .help = "ID of the run"),                                \
        TTP_WHEN("time", .get = get_run_time, .help = "when it ran"),                              \
        TTP_WORDS("name", .get = get_run_name), TTP_WORDS("kind", .get = get_run_kind),            \
        TTP_WORDS("project", .get = get_run_project), TTP_WORDS("branch", .get = get_run_branch),  \
        TTP_WORDS("commit", .get = get_run_commit),                                                \
        TTP_FLAG("dirty", .get = get_run_dirty, .help = "tracked files differed from the commit"), \
        TTP_WORDS("host", .get = get_run_host), TTP_WORDS("board", .get = get_run_board),          \
        TTP_WORDS("machine_key", .get = get_run_machine,                                           \
                  .help = "equal for machines of the same class")

static const struct ttp_field exported_value_fields[] = {RUN_COLUMNS, VALUE_FIELDS};
static const struct ttp_fields exported_values = {TTP_FIELDS(exported_value_fields), .hint = hint};
static const struct ttp_field exported_op_fields[] = {RUN_COLUMNS, OP_FIELDS};
static const struct ttp_fields exported_ops = {TTP_FIELDS(exported_op_fields), .hint = hint};

static const struct ttp_part_spec export_parts[] = {
    ABOUT_PART,
    [TTP_EXPORT_PART_VALUES] = {.id = "values",
                                .fields = &exported_values,
                                .optional = true,
                                .help = "every sample of every metric of every run"},
    [TTP_EXPORT_PART_OPS] = {.id = "ops",
                             .fields = &exported_ops,
                             .optional = true,
                             .help = "with --ops: every op of every run"},
};
#define EXPORT_DOCUMENT(text, part)                                                                \
    .schema = "tt-perf.history-export/1", .help = (text), TTP_PARTS(export_parts), .main = (part)
const struct ttp_document_spec ttp_history_export_document = {
    EXPORT_DOCUMENT("Samples of several runs", TTP_EXPORT_PART_VALUES)};
const struct ttp_document_spec ttp_history_export_ops_document = {
    EXPORT_DOCUMENT("Ops of several runs", TTP_EXPORT_PART_OPS)};

#define NOTE struct ttp_run_note
static const struct ttp_field note_fields[] = {TTP_WHEN("time", TTP_FIGURE(NOTE, time_ns)),
                                               TTP_WORDS("text", TTP_FIGURE(NOTE, text))};
static const struct ttp_fields notes = {TTP_FIELDS(note_fields)};

#define SAMPLE struct ttp_run_sample
static const struct ttp_field sample_fields[] = {
    TTP_WHEN("time", TTP_FIGURE(SAMPLE, time_ns)),
    TTP_REAL("aiclk_min_mhz", "MHz", 0, TTP_FIGURE(SAMPLE, aiclk_min_mhz)),
    TTP_REAL("aiclk_max_mhz", "MHz", 0, TTP_FIGURE(SAMPLE, aiclk_max_mhz)),
    TTP_REAL("temperature_c", "C", 0, TTP_FIGURE(SAMPLE, temperature_c)),
    TTP_REAL("power_w", "W", 0, TTP_FIGURE(SAMPLE, power_w)),
    TTP_REAL("load", "", 0, TTP_FIGURE(SAMPLE, load)),
};
static const struct ttp_fields samples = {TTP_FIELDS(sample_fields)};

static struct ttp_records list_measures(const void *context, const void *row)
{
    (void)context;
    return ((const struct ttp_history_whole *)row)->measures;
}

static struct ttp_records list_ops(const void *context, const void *row)
{
    (void)context;
    return ((const struct ttp_history_whole *)row)->ops;
}

/* The run is the first member, so that its fields hold. */
static const struct ttp_field whole_fields[] = {
    RUN_FIELDS,
    TTP_WORDS("machine_key", TTP_FIGURE(RUN, machine_key),
              .help = "equal for machines of the same class"),
    {.id = "machine",
     .type = TTP_JSON,
     TTP_FIGURE(RUN, machine_facts),
     .sub = &ttp_machine_fields,
     .help = "properties of the machine class; unknown ones are omitted"},
    {.id = "notes", TTP_ROWS_AT(RUN, note, notes, notes)},
    TTP_LISTED("measurements", TTP_ROWS, list_measures, measures),
    {.id = "machine_samples", TTP_ROWS_AT(RUN, sample, samples, samples)},
    TTP_LISTED("ops", TTP_ROWS, list_ops, ops, .help = "with --ops"),
};
static const struct ttp_fields whole = {TTP_FIELDS(whole_fields)};

static const struct ttp_part_spec show_parts[] = {
    ABOUT_PART,
    [TTP_SHOW_PART_RUN] = {.id = "run", .kind = TTP_PART_OBJECT, .fields = &whole},
    [TTP_SHOW_PART_MEASURES] = {.fields = &measures, .table_only = true},
    [TTP_SHOW_PART_OPS] = {.fields = &ops, .table_only = true},
    [TTP_SHOW_PART_VALUES] = {.fields = &values, .table_only = true},
};
#define SHOW_DOCUMENT(text, part)                                                                  \
    .schema = "tt-perf.history-show/1", .help = (text), TTP_PARTS(show_parts), .main = (part)
const struct ttp_document_spec ttp_history_show_document = {
    SHOW_DOCUMENT("Measurements of a run", TTP_SHOW_PART_MEASURES)};
const struct ttp_document_spec ttp_history_ops_document = {
    SHOW_DOCUMENT("Ops of a run", TTP_SHOW_PART_OPS)};
const struct ttp_document_spec ttp_history_values_document = {
    SHOW_DOCUMENT("Samples of a run without ops, in CSV", TTP_SHOW_PART_VALUES)};

/* ---- lines ---- */

#define SERIES_FIELDS(type, of, ...)                                                               \
    TTP_WORDS("name", TTP_FIGURE(type, of name), __VA_ARGS__),                                     \
        TTP_WORDS("metric", TTP_FIGURE(type, of metric), __VA_ARGS__),                             \
        TTP_WORDS("unit", TTP_FIGURE(type, of unit), __VA_ARGS__),                                 \
        TTP_WORDS("variant", TTP_FIGURE(type, of variant), __VA_ARGS__),                           \
        TTP_WORDS("machine_key", TTP_FIGURE(type, of machine_key), __VA_ARGS__),                   \
    {                                                                                              \
        .id = "better", .left = true, TTP_WORD(type, of better, better_words), __VA_ARGS__         \
    }
#define POINT_FIELDS(type, of, ...)                                                                \
    TTP_INT_COLUMN("run", "Run", "", 0, TTP_FIGURE(type, of run), __VA_ARGS__),                    \
        TTP_WHEN("time", .title = "Time (UTC)", .drop = 2, .in_table = true,                       \
                 TTP_FIGURE(type, of time_ns), __VA_ARGS__),                                       \
        TTP_WORDS_COLUMN("commit", "Commit", 1, TTP_FIGURE(type, of commit), __VA_ARGS__),         \
        TTP_WORDS("branch", TTP_FIGURE(type, of branch), __VA_ARGS__),                             \
        TTP_WORDS("host", TTP_FIGURE(type, of host), __VA_ARGS__)

#define POINT      struct ttp_history_point
#define TABLE_ONLY .table_only = true
static const struct ttp_field point_fields[] = {
    SERIES_FIELDS(POINT, series., TABLE_ONLY),
    POINT_FIELDS(POINT, point.),
    TTP_REAL_COLUMN("median", "Median", "", 0, 0, TTP_FIGURE(POINT, point.median), IN_UNIT(POINT)),
    TTP_REAL_COLUMN("min", "Min", "", 0, 4, TTP_FIGURE(POINT, point.low), IN_UNIT(POINT)),
    TTP_REAL_COLUMN("max", "Max", "", 0, 4, TTP_FIGURE(POINT, point.high), IN_UNIT(POINT)),
    TTP_INT_COLUMN("samples", "Samples", "", 5, TTP_FIGURE(POINT, point.count)),
    TTP_REAL_COLUMN("change_percent", "Change", "%", 1, 3, TTP_FIGURE(POINT, change), TABLE_ONLY,
                    .scale = 100, .plus = true,
                    .help = "change of the level, if a new one begins here"),
    TTP_REAL_COLUMN("p", "p", "", 3, 6, TTP_FIGURE(POINT, p), TABLE_ONLY),
};
static const struct ttp_fields points = {TTP_FIELDS(point_fields), .hint = hint};

#define CHANGE struct ttp_out_history_change
static enum ttp_tone change_tone(const void *context, const void *row)
{
    (void)context;
    return ((const CHANGE *)row)->change.worse ? TTP_TONE_BAD : TTP_TONE_GOOD;
}

static const struct ttp_field change_fields[] = {
    TTP_INT("point", "", TTP_FIGURE(CHANGE, change.at), .help = "position in points"),
    TTP_INT_COLUMN("run", "Changed at run", "", 0, TTP_FIGURE(CHANGE, run)),
    TTP_WHEN("time", .title = "Time (UTC)", .drop = 2, .in_table = true,
             TTP_FIGURE(CHANGE, time_ns)),
    TTP_WORDS_COLUMN("commit", "Commit", 1, TTP_FIGURE(CHANGE, commit)),
    TTP_WORDS_COLUMN("commit_before", "Before it", 3, TTP_FIGURE(CHANGE, commit_before)),
    TTP_REAL_COLUMN("before", "From", "", 0, 1, TTP_FIGURE(CHANGE, change.before), IN_UNIT(CHANGE)),
    TTP_REAL_COLUMN("after", "To", "", 0, 1, TTP_FIGURE(CHANGE, change.after), IN_UNIT(CHANGE)),
    TTP_REAL_COLUMN("change_percent", "Change", "%", 1, 0, TTP_FIGURE(CHANGE, change.change),
                    .scale = 100, .plus = true, .tone = change_tone),
    TTP_WORDS_COLUMN("verdict", "", 0, TTP_FIGURE(CHANGE, verdict), TABLE_ONLY,
                     .tone = change_tone),
    TTP_REAL_COLUMN("p", "p", "", 3, 4, TTP_FIGURE(CHANGE, change.p)),
    TTP_FLAG("worse", TTP_FIGURE(CHANGE, change.worse)),
};
static const struct ttp_fields changes = {TTP_FIELDS(change_fields)};

static const struct ttp_field series_fields[] = {SERIES_FIELDS(struct ttp_trend, series.)};
static const struct ttp_fields series = {TTP_FIELDS(series_fields)};

static const struct ttp_part_spec trend_parts[] = {
    [TTP_HISTORY_PART_ABOUT] = {.kind = TTP_PART_DATA,
                                .fields = &about,
                                .json_only = true,
                                .shared = true},
    [TTP_TREND_PART_LINE] = {.kind = TTP_PART_DATA, .fields = &series, .json_only = true},
    [TTP_TREND_PART_CHANGES] = {.id = "changes", .fields = &changes},
    [TTP_TREND_PART_POINTS] = {.id = "points", .fields = &points},
};
const struct ttp_document_spec ttp_history_trend_document = {
    .schema = "tt-perf.history-trend/1",
    .help = "A metric over time",
    TTP_PARTS(trend_parts),
    .main = TTP_TREND_PART_POINTS,
    .each = "lines",
};

/* ---- regressions ---- */

static const char *const standing_words[] = {[TTP_STANDS_SAME] = "same",
                                             [TTP_STANDS_WORSE] = "worse",
                                             [TTP_STANDS_BETTER] = "better",
                                             [TTP_STANDS_UNSURE] = "undecided"};

#define AT struct ttp_series_point
static const struct ttp_field at_fields[] = {
    POINT_FIELDS(AT, ),
    TTP_REAL("median", "", 0, TTP_FIGURE(AT, median)),
    TTP_REAL("min", "", 0, TTP_FIGURE(AT, low)),
    TTP_REAL("max", "", 0, TTP_FIGURE(AT, high)),
    TTP_INT("samples", "", TTP_FIGURE(AT, count)),
};
static const struct ttp_fields at = {TTP_FIELDS(at_fields)};

#define LINE struct ttp_history_line
static enum ttp_tone line_tone(const void *context, const void *row)
{
    static const enum ttp_tone tones[] = {[TTP_STANDS_SAME] = TTP_TONE_PLAIN,
                                          [TTP_STANDS_WORSE] = TTP_TONE_BAD,
                                          [TTP_STANDS_BETTER] = TTP_TONE_GOOD,
                                          [TTP_STANDS_UNSURE] = TTP_TONE_WARN};

    (void)context;
    return tones[((const LINE *)row)->line.standing];
}

static const struct ttp_field line_fields[] = {
    {.id = "verdict",
     TTP_SHOWN("Verdict"),
     .left = true,
     .tone = line_tone,
     TTP_WORD(LINE, line.standing, standing_words)},
    TTP_WORDS_COLUMN("what", "What", 0, TTP_FIGURE(LINE, what), TABLE_ONLY,
                     .help = "name, metric, variant"),
    SERIES_FIELDS(LINE, line.series.),
    TTP_REAL_COLUMN("before", "Before", "", 0, 1, TTP_FIGURE(LINE, line.before), IN_UNIT(LINE)),
    TTP_REAL_COLUMN("after", "Now", "", 0, 1, TTP_FIGURE(LINE, line.after), IN_UNIT(LINE)),
    TTP_REAL_COLUMN("change_percent", "Change", "%", 1, 0, TTP_FIGURE(LINE, line.change),
                    .scale = 100, .plus = true, .tone = line_tone),
    TTP_REAL_COLUMN("limit_percent", "Limit", "%", 1, 5, TTP_FIGURE(LINE, line.limit), .scale = 100,
                    .help = "threshold of a change"),
    TTP_REAL("noise_percent", "%", 1, TTP_FIGURE(LINE, line.noise), .scale = 100,
             .help = "of runs before"),
    TTP_WORDS_COLUMN("runs", "Runs", 3, TTP_FIGURE(LINE, runs), TABLE_ONLY,
                     .help = "number of runs compared, before and after"),
    TTP_INT("runs_before", "", TTP_FIGURE(LINE, line.runs_before)),
    TTP_INT("runs_after", "", TTP_FIGURE(LINE, line.runs_after)),
    TTP_REAL_COLUMN("p", "p", "", -2, 4, TTP_FIGURE(LINE, line.p),
                    .help = "probability of the rank test, adjusted for the number of lines"),
    TTP_INT_COLUMN("run", "Since run", "", 2, TTP_FIGURE(LINE, line.first.run), TABLE_ONLY,
                   .help = "first run of the current level"),
    TTP_WHEN("time", TTP_FIGURE(LINE, line.first.time_ns), TABLE_ONLY),
    TTP_WORDS_COLUMN("commit", "Commit", 2, TTP_FIGURE(LINE, line.first.commit), TABLE_ONLY),
    TTP_WORDS("branch", TTP_FIGURE(LINE, line.first.branch), TABLE_ONLY),
    TTP_WORDS("host", TTP_FIGURE(LINE, line.first.host), TABLE_ONLY),
    {.id = "first",
     TTP_OBJECT_HERE(LINE, line.first, at),
     .help = "first run of the current level"},
    {.id = "last_good", TTP_OBJECT_HERE(LINE, line.last_good, at), .help = "the run before it"},
};
const struct ttp_fields ttp_history_line_fields = {TTP_FIELDS(line_fields), .hint = hint};

#define VERDICT struct ttp_history_verdict
static const struct ttp_field verdict_fields[] = {
    TTP_WORDS("action", TTP_FIGURE(VERDICT, about.action)),
    TTP_WORDS("store", TTP_FIGURE(VERDICT, about.store)),
    TTP_WORDS("since", TTP_FIGURE(VERDICT, found.since)),
    TTP_WHEN("since_time", TTP_FIGURE(VERDICT, found.since_ns)),
    TTP_INT("compared", "", TTP_FIGURE(VERDICT, found.count)),
    TTP_INT("without_before", "", TTP_FIGURE(VERDICT, found.without_before),
            .help = "lines without an earlier run"),
    TTP_INT("without_after", "", TTP_FIGURE(VERDICT, found.without_after)),
    TTP_INT("same", "", TTP_FIGURE(VERDICT, standing[TTP_STANDS_SAME])),
    TTP_INT("worse", "", TTP_FIGURE(VERDICT, standing[TTP_STANDS_WORSE])),
    TTP_INT("better", "", TTP_FIGURE(VERDICT, standing[TTP_STANDS_BETTER])),
    TTP_INT("undecided", "", TTP_FIGURE(VERDICT, standing[TTP_STANDS_UNSURE])),
};
static const struct ttp_fields verdict = {TTP_FIELDS(verdict_fields)};

static const struct ttp_part_spec regression_parts[] = {
    [TTP_HISTORY_PART_ABOUT] = {.kind = TTP_PART_DATA, .fields = &verdict, .json_only = true},
    [TTP_HISTORY_PART_MAIN] = {.id = "lines", .fields = &ttp_history_line_fields},
};
const struct ttp_document_spec ttp_history_regressions_document = {
    .schema = "tt-perf.history-regressions/1",
    .help = "Metrics now and before a reference",
    TTP_PARTS(regression_parts),
    .main = TTP_HISTORY_PART_MAIN,
};

/* ---- settings of ops ---- */

#define BEST struct ttp_best_op
TTP_GET(get_best_cores, void, BEST,
        r->op.cores >= 0 ? ttp_value_i64(r->op.cores) : (struct ttp_value){0})

static const struct ttp_field best_fields[] = {
    TTP_WORDS_COLUMN("op", "Op", 0, TTP_FIGURE(BEST, op.name), .help = "op and size"),
    TTP_REAL_COLUMN("device_us", "Time", "us", 1, 0, TTP_FIGURE(BEST, op.time_ns), .scale = 1e-3,
                    .help = "median over the ops of an iteration"),
    TTP_INT_COLUMN("cores", "Cores", "", 0, .get = get_best_cores),
    TTP_WORDS_COLUMN("program_config", "Program config", 0, TTP_FIGURE(BEST, op.config)),
    TTP_WORDS_COLUMN("fidelity", "Fidelity", 3, TTP_FIGURE(BEST, op.fidelity)),
    TTP_WORDS_COLUMN("datatypes", "Datatypes", 2, TTP_FIGURE(BEST, op.datatypes),
                     .help = "of input 0, input 1 and output"),
    TTP_WORDS_COLUMN("memory", "Memory", 6, TTP_FIGURE(BEST, op.memory)),
    TTP_WORDS_COLUMN("chip", "Chip", 5, TTP_FIGURE(BEST, op.chip),
                     .help = "of a collective with its devices"),
    TTP_INT_COLUMN("run", "Run", "", 0, TTP_FIGURE(BEST, run), .help = "the fastest with them"),
    TTP_WHEN("time", TTP_FIGURE(BEST, run_time_ns), TTP_SHOWN("Date"), .drop = 1,
             .help = "when it ran"),
    TTP_WORDS_COLUMN("run_name", "Name", 4, TTP_FIGURE(BEST, run_name)),
    TTP_WORDS("commit", TTP_FIGURE(BEST, commit)),
    TTP_INT("runs", "", TTP_FIGURE(BEST, runs), .title = "Runs", .help = "with these settings"),
    TTP_INT("op_count", "", TTP_FIGURE(BEST, ops), .title = "Ops", .help = "of that iteration"),
    TTP_WORDS("code", TTP_FIGURE(BEST, op.code)),
    TTP_WORDS("shapes", TTP_FIGURE(BEST, op.shapes), .help = "of input 0, input 1 and output"),
};
static const struct ttp_fields best = {TTP_FIELDS(best_fields), .hint = hint};

static const struct ttp_part_spec best_parts[] = {
    ABOUT_PART, [TTP_HISTORY_PART_MAIN] = {
                    .id = "settings", .fields = &best, .help = "by op, the fastest first"}};
const struct ttp_document_spec ttp_history_best_document = {
    .schema = "tt-perf.history-best/1",
    .help = "The fastest run of an op with each combination of its settings",
    TTP_PARTS(best_parts),
    .main = TTP_HISTORY_PART_MAIN,
};

/* ---- additions ---- */

#define ADDED struct ttp_history_added
static const struct ttp_field added_fields[] = {
    TTP_INT_COLUMN("id", "ID", "", 0, TTP_FIGURE(ADDED, id)),
    TTP_WORDS_COLUMN("name", "Name", 0, TTP_FIGURE(ADDED, name)),
    {.id = "known",
     .title = "Already there",
     .type = TTP_BOOL,
     .in_table = true,
     TTP_FIGURE(ADDED, known)},
};
static const struct ttp_fields added = {TTP_FIELDS(added_fields), .hint = hint};

#define ADDITIONS struct ttp_history_additions
static const struct ttp_field addition_fields[] = {
    TTP_INT("lost", "", TTP_FIGURE(ADDITIONS, lost),
            .help = "runs of a damaged history that could not be read")};
static const struct ttp_fields additions = {TTP_FIELDS(addition_fields)};

static const struct ttp_part_spec added_parts[] = {
    ABOUT_PART,
    [TTP_HISTORY_PART_MAIN] = {.id = "added", .fields = &added},
    {.kind = TTP_PART_DATA, .fields = &additions, .json_only = true},
};
const struct ttp_document_spec ttp_history_added_document = {
    .schema = "tt-perf.history-add/1",
    .help = "Runs that were added or imported",
    TTP_PARTS(added_parts),
    .main = TTP_HISTORY_PART_MAIN,
};

ttp_code ttp_out_history_added(const struct ttp_show *show, const struct ttp_history_about *where,
                               const struct ttp_history_additions *all, struct ttp_err *err)
{
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_history_added_document, show->arena);
    ttp_document_object(&doc, TTP_HISTORY_PART_ABOUT, NULL, where);
    ttp_document_rows(&doc, TTP_HISTORY_PART_MAIN, NULL, all->run, all->count);
    ttp_document_object(&doc, TTP_HISTORY_PART_MAIN + 1, NULL, all);
    return ttp_show_document(show, &doc, NULL, err);
}
