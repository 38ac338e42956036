/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/bench/bench_fields.h"
#include "outputs/host/host_fields.h"

static const char hint[] = "tt-perf bench --columns help lists them";

/* ---- where it was measured ---- */

#define GIT struct ttp_git_state
static const struct ttp_field git_fields[] = {
    TTP_A_TEXT("repository", GIT, repository),
    TTP_A_TEXT("commit", GIT, commit),
    TTP_A_TEXT("commit_time", GIT, commit_time),
    TTP_A_TEXT("branch", GIT, branch, .help = "null: detached"),
    TTP_A_BOOL("dirty", GIT, dirty, .help = "tracked files differ from the commit"),
};
static const struct ttp_fields git = {TTP_FIELDS(git_fields)};

#define VIEW struct ttp_bench_view
static const struct ttp_field view_fields[] = {
    {.id = "git", TTP_OBJECT_AT(VIEW, git, git), .help = "null: not in a repository"},
    {.id = "machine",
     TTP_OBJECT_AT(VIEW, machine, ttp_machine_fields),
     .help = "null: not checked"},
    TTP_A_TEXT("roof", VIEW, roof, .help = "reference of roofline_pct"),
};
static const struct ttp_fields view_figures = {TTP_FIELDS(view_fields)};

/* ---- results ---- */

#define ROW     struct ttp_bench_row
#define IN_UNIT TTP_UNIT_IN(ROW, unit)
#define VERSUS  TTP_KNOWN_IF(ROW, compared)
static const struct ttp_field versus_fields[] = {
    TTP_A_TEXT("verdict", ROW, verdict, .help = "better, worse, same or undecided"),
    TTP_A_REAL("p", ROW, versus.test.p),
    TTP_A_REAL("u", ROW, versus.test.u),
    TTP_A_BOOL("exact", ROW, versus.test.exact),
    TTP_A_REAL("change_pct", ROW, versus.change.estimate, .scale = 100, .unit = "%"),
    TTP_A_REAL("change_low_pct", ROW, versus.change.interval.low, .scale = 100, .unit = "%"),
    TTP_A_REAL("change_high_pct", ROW, versus.change.interval.high, .scale = 100, .unit = "%"),
    TTP_A_REAL("confidence_pct", ROW, versus.change.interval.confidence, .scale = 100, .unit = "%"),
    TTP_A_REAL("shift", ROW, versus.shift.estimate, .help = "in the metric's unit"),
    TTP_A_WHOLE("more_runs", ROW, versus.more_runs,
                .help = "approximate number of runs per side to decide; 0 unless undecided"),
};
static const struct ttp_fields versus_figures = {TTP_FIELDS(versus_fields)};

static enum ttp_tone verdict_tone(const void *context, const void *row)
{
    const ttp_str verdict = ttp_str_from(((const ROW *)row)->verdict);

    (void)context;
    return ttp_str_eq(verdict, TTP_STR("better"))  ? TTP_TONE_GOOD
           : ttp_str_eq(verdict, TTP_STR("worse")) ? TTP_TONE_BAD
                                                   : TTP_TONE_PLAIN;
}

/* The metric first: tables of one metric leave it out. */
static const struct ttp_field row_fields[] = {
    TTP_A_TEXT("metric", ROW, metric, TTP_SHOWN("Metric"), .table_only = true),
    TTP_A_TEXT("label", ROW, label, .title = "", .in_table = true, .table_only = true,
               .help = "A, B, ... in the order of the command line"),
    TTP_A_TEXT("variant", ROW, variant, TTP_SHOWN("Variant"), .table_only = true),
    TTP_A_TEXT("unit", ROW, unit, .table_only = true),
    TTP_A_TEXT("name", ROW, metric, .help = "of the metric"),
    TTP_A_WHOLE("runs", ROW, sample.n, TTP_SHOWN("Runs")),
    TTP_A_REAL("median", ROW, sample.median, TTP_SHOWN("Median"), IN_UNIT),
    TTP_A_REAL("half_width_pct", ROW, half_pct, TTP_SHOWN("±"), .unit = "%", .digits = 2, .drop = 1,
               .table_only = true,
               .help = "wider half of the median's interval, relative to the median"),
    TTP_A_REAL("median_low", ROW, sample.median_interval.low, IN_UNIT),
    TTP_A_REAL("median_high", ROW, sample.median_interval.high, IN_UNIT),
    TTP_A_REAL("median_confidence_pct", ROW, sample.median_interval.confidence, .scale = 100,
               .unit = "%", .digits = 1),
    TTP_A_REAL("mean", ROW, sample.mean, TTP_SHOWN("Mean"), IN_UNIT, .drop = 3),
    TTP_A_REAL("std", ROW, sample.sd, TTP_SHOWN("Std"), IN_UNIT, .drop = 3),
    TTP_A_REAL("rsd_pct", ROW, sample.rsd, .scale = 100, .unit = "%", .digits = 2),
    TTP_A_REAL("min", ROW, sample.min, TTP_SHOWN("Min"), IN_UNIT, .drop = 4),
    TTP_A_REAL("p25", ROW, sample.p25, IN_UNIT),
    TTP_A_REAL("p75", ROW, sample.p75, IN_UNIT),
    TTP_A_REAL("p95", ROW, sample.p95, TTP_SHOWN("P95"), IN_UNIT, .drop = 6),
    TTP_A_REAL("max", ROW, sample.max, TTP_SHOWN("Max"), IN_UNIT, .drop = 5),
    TTP_A_WHOLE("outliers", ROW, sample.outliers),
    TTP_A_WHOLE("far_outliers", ROW, sample.far_outliers),
    TTP_A_REAL("drift_p", ROW, drift.p, .digits = -3),
    TTP_A_REAL("drift_per_run", ROW, drift.slope, IN_UNIT),
    TTP_A_REAL("change_pct", ROW, versus.change.estimate, TTP_SHOWN("Change"), VERSUS, .scale = 100,
               .unit = "%", .digits = 2, .plus = true, .drop = 1, .table_only = true,
               .tone = verdict_tone,
               .help = "change relative to the first variant: median of all pairs"),
    TTP_A_REAL("p", ROW, versus.test.p, VERSUS, .digits = -3, .table_only = true),
    TTP_A_TEXT("verdict", ROW, verdict, TTP_SHOWN("Verdict"), VERSUS, .drop = 2, .table_only = true,
               .tone = verdict_tone,
               .help = "relative to the first variant: better, worse, same or undecided"),
    {.id = "versus_first",
     .type = TTP_OBJECT,
     .stored = TTP_STORED_HERE,
     .sub = &versus_figures,
     VERSUS,
     .help = "null for the first"},
};
const struct ttp_fields ttp_bench_row_fields = {TTP_FIELDS(row_fields), .hint = hint};

/* ---- a run ---- */

static const char *const better_words[] = {
    [TTP_BETTER_LOWER] = "lower", [TTP_BETTER_HIGHER] = "higher"};
static const char *const kind_words[] = {[TTP_METRIC_WALL] = "wall",
                                         [TTP_METRIC_PRINTED] = "printed",
                                         [TTP_METRIC_DEVICE] = "device",
                                         [TTP_METRIC_OTHER] = "other"};
static const char *const end_words[] = {[TTP_CHILD_EXITED] = "exited",
                                        [TTP_CHILD_SIGNALED] = "signaled",
                                        [TTP_CHILD_TIMED_OUT] = "timed_out",
                                        [TTP_CHILD_INTERRUPTED] = "interrupted"};

#define METRIC struct ttp_metric
static const struct ttp_field metric_fields[] = {
    TTP_A_TEXT("name", METRIC, name),
    TTP_A_TEXT("unit", METRIC, unit),
    {.id = "better", TTP_WORD(METRIC, better, better_words)},
    {.id = "kind", TTP_WORD(METRIC, kind, kind_words)},
    TTP_A_TEXT("regex", METRIC, regex),
};
static const struct ttp_fields metrics = {TTP_FIELDS(metric_fields)};

#define RATES struct ttp_bench_rates
static const struct ttp_field rate_fields[] = {
    TTP_A_REAL("bytes_per_s", RATES, rates.bytes_s),
    TTP_A_REAL("flops_per_s", RATES, rates.flops_s),
    TTP_A_REAL("items_per_s", RATES, rates.items_s),
    TTP_A_REAL("roofline_pct", RATES, roof_pct, .unit = "%"),
};
static const struct ttp_fields rates = {TTP_FIELDS(rate_fields)};

static struct ttp_records list_results(const void *context, const void *row)
{
    (void)context;
    return ((const struct ttp_bench_variant *)row)->results;
}

#define VARIANT struct ttp_bench_variant
static const struct ttp_field variant_fields[] = {
    TTP_A_TEXT("label", VARIANT, label),
    TTP_A_TEXT("name", VARIANT, name),
    {.id = "command", TTP_ROWS_AT(VARIANT, argv, words, ttp_bare_cstr)},
    {.id = "environment", TTP_ROWS_AT(VARIANT, env.word, env.count, ttp_bare_cstr)},
    {.id = "rates",
     TTP_OBJECT_AT(VARIANT, rates, rates),
     .help = "from the median of the first metric that is a time; null: no work was given"},
    TTP_A_LIST("metrics", TTP_ROWS, list_results, ttp_bench_row_fields),
};
static const struct ttp_fields variants = {TTP_FIELDS(variant_fields)};

static struct ttp_records list_values(const void *context, const void *row)
{
    const struct ttp_bench_run *run = context;

    return (struct ttp_records){&ttp_bare_f64, NULL, ((const struct ttp_trial *)row)->value,
                                sizeof(double), run->bench.nmetrics};
}

#define TRIAL struct ttp_trial
static const struct ttp_field trial_fields[] = {
    TTP_A_WHOLE("variant", TRIAL, variant, .help = "position in variants"),
    TTP_A_BOOL("warm_up", TRIAL, warm_up),
    TTP_A_MOMENT("start_time", TRIAL, start_ns),
    TTP_A_REAL("wall_s", TRIAL, wall_ns, .scale = 1e-9, .unit = "s"),
    TTP_A_REAL("user_s", TRIAL, user_ns, .scale = 1e-9, .unit = "s"),
    TTP_A_REAL("system_s", TRIAL, system_ns, .scale = 1e-9, .unit = "s"),
    TTP_A_WHOLE("max_rss_bytes", TRIAL, max_rss_kb, .scale = 1024, .unit = "bytes",
                .help = "at least the memory of tt-perf itself at the start"),
    {.id = "ended", TTP_WORD(TRIAL, end, end_words)},
    TTP_A_WHOLE("code", TRIAL, code, .help = "exit status or signal"),
    TTP_A_TEXT("failure", TRIAL, failure, .help = "why the values are ignored"),
    TTP_A_TEXT("taint", TRIAL, taint, .help = "why the values are doubtful"),
    TTP_A_REAL("aiclk_min_mhz", TRIAL, machine.aiclk_min_mhz),
    TTP_A_REAL("aiclk_max_mhz", TRIAL, machine.aiclk_max_mhz),
    TTP_A_REAL("temperature_max_c", TRIAL, machine.temperature_max_c),
    TTP_A_REAL("power_w", TRIAL, machine.power_w),
    TTP_A_REAL("load", TRIAL, machine.load),
    TTP_A_LIST("values", TTP_ROWS, list_values, ttp_bare_f64, .help = "of each metric"),
};
static const struct ttp_fields trials = {TTP_FIELDS(trial_fields)};

#define RUN struct ttp_bench_run
static const struct ttp_field run_fields[] = {
    TTP_A_MOMENT("start_time", RUN, bench.start_ns),
    TTP_A_MOMENT("end_time", RUN, bench.end_ns),
    TTP_A_REAL("confidence_pct", RUN, bench.confidence, .scale = 100, .unit = "%",
               .help = "confidence of all verdicts together"),
    TTP_A_REAL("look_confidence_pct", RUN, bench.look_confidence, .scale = 100, .unit = "%",
               .help = "confidence of each test of a pair"),
    TTP_A_WHOLE("looks_planned", RUN, bench.looks_planned),
    TTP_A_REAL("min_effect_pct", RUN, bench.min_effect, .scale = 100, .unit = "%"),
    TTP_A_TEXT("stopped", RUN, bench.stopped),
    TTP_A_WHOLE("interrupted_by", RUN, bench.interrupted, .help = "signal; 0: none"),
    {.id = "metrics", TTP_ROWS_AT(RUN, bench.metric, bench.nmetrics, metrics)},
    {.id = "variants", TTP_ROWS_AT(RUN, variant, variants, variants)},
    {.id = "trials",
     TTP_ROWS_AT(RUN, bench.trial, bench.ntrials, trials),
     .help = "in the order they ran"},
};
static const struct ttp_fields run_figures = {TTP_FIELDS(run_fields)};

/* ---- sweeps ---- */

#define SET struct ttp_bench_set
static const struct ttp_field set_fields[] = {TTP_A_TEXT("name", SET, name),
                                              TTP_A_TEXT("value", SET, value)};
static const struct ttp_fields sets = {TTP_FIELDS(set_fields)};

#define POINT struct ttp_bench_point
static struct ttp_records list_run(const void *context, const void *row)
{
    const POINT *p = row;

    (void)context;
    return (struct ttp_records){&run_figures, p->run, p->run, sizeof(*p->run), 1};
}

static const struct ttp_field point_fields[] = {
    TTP_A_TEXT("point", POINT, name, TTP_SHOWN("Point"), .table_only = true),
    {.id = "set", TTP_ROWS_AT(POINT, set, sets, sets), .help = "parameters of the sweep"},
    TTP_A_WHOLE("runs", POINT, runs, TTP_SHOWN("Runs"), .drop = 3, .table_only = true),
    TTP_A_TEXT("failure", POINT, failure),
    TTP_A_REAL("latency_s", POINT, latency_s, TTP_SHOWN("Latency"), TTP_UNIT_IN(POINT, time_unit)),
    TTP_A_REAL("half_width_pct", POINT, half_pct, TTP_SHOWN("±"), .unit = "%", .digits = 2,
               .drop = 2, .table_only = true),
    TTP_A_REAL("throughput", POINT, throughput, TTP_SHOWN("Throughput"),
               TTP_UNIT_IN(POINT, rate_unit)),
    TTP_A_REAL("gain_pct", POINT, gain, TTP_SHOWN("Gain"), .scale = 100, .unit = "%", .digits = 2,
               .plus = true, .drop = 1, .help = "gain of throughput over the previous point"),
    TTP_A_REAL("roofline_pct", POINT, roof_pct, TTP_SHOWN("Roofline"), .unit = "%", .digits = 1,
               .drop = 4, .table_only = true),
    TTP_A_BOOL("pareto", POINT, pareto, TTP_SHOWN("Pareto"), .drop = 5,
               .help = "no other point is both faster and higher in throughput"),
    TTP_A_BOOL("best", POINT, best),
    TTP_A_TEXT("result", POINT, result, TTP_SHOWN(""), .table_only = true,
               .help = "best, failed or out of memory"),
    TTP_A_LIST("run", TTP_OBJECT, list_run, run_figures),
};
const struct ttp_fields ttp_bench_point_fields = {TTP_FIELDS(point_fields), .hint = hint};

static struct ttp_records list_points(const void *context, const void *row)
{
    (void)context;
    return ((const struct ttp_bench_sweep *)row)->points;
}

#define SWEEP struct ttp_bench_sweep
static const struct ttp_field sweep_fields[] = {
    TTP_A_WHOLE("points_planned", SWEEP, planned),
    TTP_A_TEXT("stopped", SWEEP, stopped, .help = "why points are missing; null if none are"),
    TTP_A_TEXT("throughput_unit", SWEEP, rate_unit),
    TTP_A_LIST("points", TTP_ROWS, list_points, ttp_bench_point_fields),
};
static const struct ttp_fields sweep_figures = {TTP_FIELDS(sweep_fields)};

/* ---- values ---- */

#define VALUE struct ttp_bench_value
static const struct ttp_field value_fields[] = {
    TTP_A_WHOLE("trial", VALUE, number, .help = "from 1, in the order they ran"),
    TTP_A_TEXT("variant", VALUE, variant),
    TTP_A_TEXT("point", VALUE, point, .help = "of a sweep"),
    TTP_A_BOOL("warm_up", VALUE, warm_up, .help = "ignored"),
    TTP_A_MOMENT("start_time", VALUE, start_ns),
    TTP_A_TEXT("metric", VALUE, metric),
    TTP_A_TEXT("unit", VALUE, unit),
    TTP_A_REAL("value", VALUE, value),
    TTP_A_TEXT("failure", VALUE, failure, .help = "why it is ignored"),
    TTP_A_TEXT("taint", VALUE, taint, .help = "why it is doubtful"),
};
static const struct ttp_fields value_figures = {TTP_FIELDS(value_fields), .hint = hint};

static const struct ttp_part_spec parts[] = {
    [TTP_BENCH_PART_VIEW] = {.kind = TTP_PART_DATA, .fields = &view_figures, .json_only = true},
    [TTP_BENCH_PART_RUN] = {.id = "run",
                            .kind = TTP_PART_OBJECT,
                            .fields = &run_figures,
                            .optional = true,
                            .json_only = true,
                            .help = "unless it is a sweep"},
    [TTP_BENCH_PART_SWEEP] = {.id = "sweep",
                              .kind = TTP_PART_OBJECT,
                              .fields = &sweep_figures,
                              .optional = true,
                              .json_only = true},
    [TTP_BENCH_PART_RESULTS] = {.fields = &ttp_bench_row_fields, .table_only = true},
    [TTP_BENCH_PART_POINTS] = {.fields = &ttp_bench_point_fields, .table_only = true},
    [TTP_BENCH_PART_VALUES] = {.fields = &value_figures, .table_only = true},
};
#define DOCUMENT(text, part)                                                                       \
    .schema = "tt-perf.bench/2", .help = (text), TTP_PARTS(parts), .main = (part)
const struct ttp_document_spec ttp_bench_document = {
    DOCUMENT("Results of measurements", TTP_BENCH_PART_RESULTS)};
const struct ttp_document_spec ttp_sweep_document = {
    DOCUMENT("Points of a sweep", TTP_BENCH_PART_POINTS)};
const struct ttp_document_spec ttp_bench_values_document = {
    DOCUMENT("Single values, in CSV", TTP_BENCH_PART_VALUES)};
