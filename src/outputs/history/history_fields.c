/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/history/history_fields.h"

#include <math.h>

#include "outputs/host/host_fields.h"

static const char hint[] = "tt-perf history --columns help lists them";

#define ABOUT struct ttp_history_about
static const struct ttp_field about_fields[] = {
    TTP_A_TEXT("action", ABOUT, action),
    TTP_A_TEXT("store", ABOUT, store, .help = "without a password"),
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

TTP_GETTER(get_device_us, struct ttp_history_run, us_of(r->device_s))
TTP_GETTER(get_gap_us, struct ttp_history_run, us_of(r->gap_s))
TTP_GETTER(get_ops, struct ttp_history_run,
           r->op_count ? ttp_value_i64(r->op_count) : (struct ttp_value){0})

#define RUN struct ttp_history_run
#define RUN_FIELDS                                                                                 \
    TTP_A_WHOLE("id", RUN, id, TTP_SHOWN("ID")),                                                   \
        TTP_A_MOMENT("time", RUN, time_ns, TTP_SHOWN("Time (UTC)"), .drop = 1,                     \
                     .help = "when it ran"),                                                       \
        TTP_A_MOMENT("added_time", RUN, added_ns, .help = "when it was added"),                    \
        TTP_A_TEXT("name", RUN, name, TTP_SHOWN("Name")),                                          \
        TTP_A_TEXT("kind", RUN, kind, TTP_SHOWN("Kind"), .drop = 4,                                \
                   .help = "ops, bench, benchmark-run, google-benchmark, hyperfine, device-perf, " \
                           "tune, ..."),                                                           \
        TTP_A_TEXT("source", RUN, source, .help = "where it was read from"),                       \
        TTP_A_TEXT("project", RUN, project),                                                       \
        TTP_A_TEXT("branch", RUN, branch, TTP_SHOWN("Branch"), .drop = 3),                         \
        TTP_A_TEXT("commit", RUN, commit, TTP_SHOWN("Commit"), .drop = 2),                         \
        TTP_A_TEXT("commit_time", RUN, commit_time),                                               \
        TTP_A_BOOL("dirty", RUN, dirty, .help = "tracked files differed from the commit"),         \
        TTP_A_TEXT("host", RUN, host, TTP_SHOWN("Host"), .drop = 6),                               \
        TTP_A_TEXT("board", RUN, board, TTP_SHOWN("Board"), .drop = 5),                            \
        TTP_A_GOT("op_count", TTP_I64, get_ops, TTP_SHOWN("Ops"), .drop = 7),                      \
        TTP_A_GOT("device_time_us", TTP_F64, get_device_us, TTP_SHOWN("Device time"),              \
                  .unit = "us", .digits = 3, .drop = 1),                                           \
        TTP_A_GOT("gap_us", TTP_F64, get_gap_us, .unit = "us", .digits = 3),                       \
        TTP_A_TEXT("document_sha256", RUN, digest)

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
    TTP_A_TEXT("metric", MEASURE, metric, TTP_SHOWN("Metric")),
    TTP_A_TEXT("unit", MEASURE, unit),
    TTP_A_TEXT("variant", MEASURE, variant, TTP_SHOWN("Variant"), .drop = 1),
    TTP_A_WHOLE("runs", MEASURE, samples, TTP_SHOWN("Runs"), .drop = 2),
    TTP_A_REAL("median", MEASURE, median, TTP_SHOWN("Median"), IN_UNIT(MEASURE)),
    TTP_A_REAL("min", MEASURE, min, TTP_SHOWN("Min"), IN_UNIT(MEASURE), .drop = 3),
    TTP_A_REAL("max", MEASURE, max, TTP_SHOWN("Max"), IN_UNIT(MEASURE), .drop = 3),
    TTP_A_REAL("target", MEASURE, target, TTP_SHOWN("Target"), IN_UNIT(MEASURE), .drop = 2),
    {.id = "better",
     TTP_SHOWN("Better"),
     .drop = 4,
     .left = true,
     TTP_WORD(MEASURE, better, better_words)},
    {.id = "samples", TTP_ROWS_AT(MEASURE, sample, samples, ttp_bare_f64)},
};
static const struct ttp_fields measures = {TTP_FIELDS(measure_fields), .hint = hint};

#define VALUE struct ttp_history_value
static const struct ttp_field value_fields[] = {
    TTP_A_TEXT("metric", VALUE, metric),
    TTP_A_TEXT("unit", VALUE, unit),
    TTP_A_TEXT("variant", VALUE, variant),
    {.id = "better", .left = true, TTP_WORD(VALUE, better, better_words)},
    TTP_A_WHOLE("iteration", VALUE, iteration, .help = "from 0"),
    TTP_A_REAL("value", VALUE, value),
};
static const struct ttp_fields values = {TTP_FIELDS(value_fields), .hint = hint};

#define OP struct ttp_history_op
static const struct ttp_field op_fields[] = {
    TTP_A_WHOLE("index", OP, index, TTP_SHOWN("#"), .help = "from 0, in the order they ran"),
    TTP_A_TEXT("op", OP, op.code, TTP_SHOWN("Op")),
    TTP_A_WHOLE("device", OP, op.device, TTP_SHOWN("Device"), .drop = 5,
                TTP_KNOWN_IF(OP, on_device)),
    TTP_A_WHOLE("cores", OP, op.cores, TTP_SHOWN("Cores"), .drop = 4, TTP_KNOWN_IF(OP, on_cores)),
    TTP_A_REAL("device_time_us", OP, op.time_ns, TTP_SHOWN("Device time"), .scale = 1e-3,
               .unit = "us", .digits = 3),
    TTP_A_REAL("gap_us", OP, op.gap_ns, TTP_SHOWN("Gap"), .scale = 1e-3, .unit = "us", .digits = 3,
               .drop = 1),
    TTP_A_TEXT("datatypes", OP, op.datatypes, TTP_SHOWN("Datatypes"), .drop = 3),
    TTP_A_TEXT("shapes", OP, op.shapes, TTP_SHOWN("Shapes"), .drop = 6),
    TTP_A_TEXT("memory", OP, op.memory),
    TTP_A_TEXT("fidelity", OP, op.fidelity),
};
static const struct ttp_fields ops = {TTP_FIELDS(op_fields), .hint = hint};

#define NOTE struct ttp_run_note
static const struct ttp_field note_fields[] = {TTP_A_MOMENT("time", NOTE, time_ns),
                                               TTP_A_TEXT("text", NOTE, text)};
static const struct ttp_fields notes = {TTP_FIELDS(note_fields)};

#define SAMPLE struct ttp_run_sample
static const struct ttp_field sample_fields[] = {
    TTP_A_MOMENT("time", SAMPLE, time_ns),
    TTP_A_REAL("aiclk_min_mhz", SAMPLE, aiclk_min_mhz),
    TTP_A_REAL("aiclk_max_mhz", SAMPLE, aiclk_max_mhz),
    TTP_A_REAL("temperature_c", SAMPLE, temperature_c),
    TTP_A_REAL("power_w", SAMPLE, power_w),
    TTP_A_REAL("load", SAMPLE, load),
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
    TTP_A_TEXT("machine_key", RUN, machine_key, .help = "equal for machines of the same class"),
    {.id = "machine",
     .type = TTP_JSON,
     TTP_FIGURE(RUN, machine_facts),
     .sub = &ttp_machine_fields,
     .help = "properties of the machine class; unknown ones are omitted"},
    {.id = "notes", TTP_ROWS_AT(RUN, note, notes, notes)},
    TTP_A_LIST("measurements", TTP_ROWS, list_measures, measures),
    {.id = "machine_samples", TTP_ROWS_AT(RUN, sample, samples, samples)},
    TTP_A_LIST("ops", TTP_ROWS, list_ops, ops, .help = "with --ops"),
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
    TTP_A_TEXT("name", type, of name, __VA_ARGS__),                                                \
        TTP_A_TEXT("metric", type, of metric, __VA_ARGS__),                                        \
        TTP_A_TEXT("unit", type, of unit, __VA_ARGS__),                                            \
        TTP_A_TEXT("variant", type, of variant, __VA_ARGS__),                                      \
        TTP_A_TEXT("machine_key", type, of machine_key, __VA_ARGS__),                              \
    {                                                                                              \
        .id = "better", .left = true, TTP_WORD(type, of better, better_words), __VA_ARGS__         \
    }
#define POINT_FIELDS(type, of, ...)                                                                \
    TTP_A_WHOLE("run", type, of run, TTP_SHOWN("Run"), __VA_ARGS__),                               \
        TTP_A_MOMENT("time", type, of time_ns, TTP_SHOWN("Time (UTC)"), .drop = 2, __VA_ARGS__),   \
        TTP_A_TEXT("commit", type, of commit, TTP_SHOWN("Commit"), .drop = 1, __VA_ARGS__),        \
        TTP_A_TEXT("branch", type, of branch, __VA_ARGS__),                                        \
        TTP_A_TEXT("host", type, of host, __VA_ARGS__)

#define POINT      struct ttp_history_point
#define TABLE_ONLY .table_only = true
static const struct ttp_field point_fields[] = {
    SERIES_FIELDS(POINT, series., TABLE_ONLY),
    POINT_FIELDS(POINT, point.),
    TTP_A_REAL("median", POINT, point.median, TTP_SHOWN("Median"), IN_UNIT(POINT)),
    TTP_A_REAL("min", POINT, point.low, TTP_SHOWN("Min"), IN_UNIT(POINT), .drop = 4),
    TTP_A_REAL("max", POINT, point.high, TTP_SHOWN("Max"), IN_UNIT(POINT), .drop = 4),
    TTP_A_WHOLE("samples", POINT, point.count, TTP_SHOWN("Samples"), .drop = 5),
    TTP_A_REAL("change_pct", POINT, change, TTP_SHOWN("Change"), TABLE_ONLY, .scale = 100,
               .unit = "%", .digits = 1, .plus = true, .drop = 3,
               .help = "change of the level, if a new one begins here"),
    TTP_A_REAL("p", POINT, p, TTP_SHOWN("p"), TABLE_ONLY, .digits = 3, .drop = 6),
};
static const struct ttp_fields points = {TTP_FIELDS(point_fields), .hint = hint};

#define CHANGE struct ttp_history_change
static enum ttp_tone change_tone(const void *context, const void *row)
{
    (void)context;
    return ((const CHANGE *)row)->change.worse ? TTP_TONE_BAD : TTP_TONE_GOOD;
}

static const struct ttp_field change_fields[] = {
    TTP_A_WHOLE("point", CHANGE, change.at, .help = "position in points"),
    TTP_A_WHOLE("run", CHANGE, run, TTP_SHOWN("Changed at run")),
    TTP_A_MOMENT("time", CHANGE, time_ns, TTP_SHOWN("Time (UTC)"), .drop = 2),
    TTP_A_TEXT("commit", CHANGE, commit, TTP_SHOWN("Commit"), .drop = 1),
    TTP_A_TEXT("commit_before", CHANGE, commit_before, TTP_SHOWN("Before it"), .drop = 3),
    TTP_A_REAL("before", CHANGE, change.before, TTP_SHOWN("From"), IN_UNIT(CHANGE), .drop = 1),
    TTP_A_REAL("after", CHANGE, change.after, TTP_SHOWN("To"), IN_UNIT(CHANGE), .drop = 1),
    TTP_A_REAL("change_pct", CHANGE, change.change, TTP_SHOWN("Change"), .scale = 100, .unit = "%",
               .digits = 1, .plus = true, .tone = change_tone),
    TTP_A_TEXT("verdict", CHANGE, verdict, TTP_SHOWN(""), TABLE_ONLY, .tone = change_tone),
    TTP_A_REAL("p", CHANGE, change.p, TTP_SHOWN("p"), .digits = 3, .drop = 4),
    TTP_A_BOOL("worse", CHANGE, change.worse),
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
    POINT_FIELDS(AT, ),          TTP_A_REAL("median", AT, median),  TTP_A_REAL("min", AT, low),
    TTP_A_REAL("max", AT, high), TTP_A_WHOLE("samples", AT, count),
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
    TTP_A_TEXT("what", LINE, what, TTP_SHOWN("What"), TABLE_ONLY, .help = "name, metric, variant"),
    SERIES_FIELDS(LINE, line.series.),
    TTP_A_REAL("before", LINE, line.before, TTP_SHOWN("Before"), IN_UNIT(LINE), .drop = 1),
    TTP_A_REAL("after", LINE, line.after, TTP_SHOWN("Now"), IN_UNIT(LINE), .drop = 1),
    TTP_A_REAL("change_pct", LINE, line.change, TTP_SHOWN("Change"), .scale = 100, .unit = "%",
               .digits = 1, .plus = true, .tone = line_tone),
    TTP_A_REAL("limit_pct", LINE, line.limit, TTP_SHOWN("Limit"), .scale = 100, .unit = "%",
               .digits = 1, .drop = 5, .help = "threshold of a change"),
    TTP_A_REAL("noise_pct", LINE, line.noise, .scale = 100, .unit = "%", .digits = 1,
               .help = "of runs before"),
    TTP_A_TEXT("runs", LINE, runs, TTP_SHOWN("Runs"), TABLE_ONLY, .drop = 3,
               .help = "number of runs compared, before and after"),
    TTP_A_WHOLE("runs_before", LINE, line.runs_before),
    TTP_A_WHOLE("runs_after", LINE, line.runs_after),
    TTP_A_REAL("p", LINE, line.p, TTP_SHOWN("p"), .digits = -2, .drop = 4,
               .help = "probability of the rank test, adjusted for the number of lines"),
    TTP_A_WHOLE("run", LINE, line.first.run, TTP_SHOWN("Since run"), .drop = 2, TABLE_ONLY,
                .help = "first run of the current level"),
    TTP_A_MOMENT("time", LINE, line.first.time_ns, TABLE_ONLY),
    TTP_A_TEXT("commit", LINE, line.first.commit, TTP_SHOWN("Commit"), .drop = 2, TABLE_ONLY),
    TTP_A_TEXT("branch", LINE, line.first.branch, TABLE_ONLY),
    TTP_A_TEXT("host", LINE, line.first.host, TABLE_ONLY),
    {.id = "first",
     TTP_OBJECT_HERE(LINE, line.first, at),
     .help = "first run of the current level"},
    {.id = "last_good", TTP_OBJECT_HERE(LINE, line.last_good, at), .help = "the run before it"},
};
static const struct ttp_fields lines = {TTP_FIELDS(line_fields), .hint = hint};

#define VERDICT struct ttp_history_verdict
static const struct ttp_field verdict_fields[] = {
    TTP_A_TEXT("action", VERDICT, about.action),
    TTP_A_TEXT("store", VERDICT, about.store),
    TTP_A_TEXT("since", VERDICT, found.since),
    TTP_A_MOMENT("since_time", VERDICT, found.since_ns),
    TTP_A_WHOLE("compared", VERDICT, found.count),
    TTP_A_WHOLE("without_before", VERDICT, found.without_before,
                .help = "lines without an earlier run"),
    TTP_A_WHOLE("without_after", VERDICT, found.without_after),
    TTP_A_WHOLE("same", VERDICT, standing[TTP_STANDS_SAME]),
    TTP_A_WHOLE("worse", VERDICT, standing[TTP_STANDS_WORSE]),
    TTP_A_WHOLE("better", VERDICT, standing[TTP_STANDS_BETTER]),
    TTP_A_WHOLE("undecided", VERDICT, standing[TTP_STANDS_UNSURE]),
};
static const struct ttp_fields verdict = {TTP_FIELDS(verdict_fields)};

static const struct ttp_part_spec regression_parts[] = {
    [TTP_HISTORY_PART_ABOUT] = {.kind = TTP_PART_DATA, .fields = &verdict, .json_only = true},
    [TTP_HISTORY_PART_MAIN] = {.id = "lines", .fields = &lines},
};
const struct ttp_document_spec ttp_history_regressions_document = {
    .schema = "tt-perf.history-regressions/1",
    .help = "Metrics now and before a reference",
    TTP_PARTS(regression_parts),
    .main = TTP_HISTORY_PART_MAIN,
};

/* ---- additions ---- */

#define ADDED struct ttp_history_added
static const struct ttp_field added_fields[] = {
    TTP_A_WHOLE("id", ADDED, id, TTP_SHOWN("ID")),
    TTP_A_TEXT("name", ADDED, name, TTP_SHOWN("Name")),
    TTP_A_BOOL("known", ADDED, known, TTP_SHOWN("Already there")),
};
static const struct ttp_fields added = {TTP_FIELDS(added_fields), .hint = hint};

#define ADDITIONS struct ttp_history_additions
static const struct ttp_field addition_fields[] = {TTP_A_WHOLE(
    "lost", ADDITIONS, lost, .help = "runs of a damaged history that could not be read")};
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
