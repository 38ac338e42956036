/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/bench/bench_fields.h"
#include "outputs/host/host_fields.h"

static const char hint[] = "tt-perf bench --columns help lists them";

/* ---- where it was measured ---- */

#define GIT struct ttp_git_state
static const struct ttp_field git_fields[] = {
    TTP_WORDS("repository", TTP_FIGURE(GIT, repository)),
    TTP_WORDS("commit", TTP_FIGURE(GIT, commit)),
    TTP_WORDS("commit_time", TTP_FIGURE(GIT, commit_time)),
    TTP_WORDS("branch", TTP_FIGURE(GIT, branch), .help = "null: detached"),
    TTP_FLAG("dirty", TTP_FIGURE(GIT, dirty), .help = "tracked files differ from the commit"),
};
static const struct ttp_fields git = {TTP_FIELDS(git_fields)};

#define VIEW struct ttp_bench_view
static const struct ttp_field view_fields[] = {
    {.id = "git", TTP_OBJECT_AT(VIEW, git, git), .help = "null: not in a repository"},
    {.id = "machine",
     TTP_OBJECT_AT(VIEW, machine, ttp_machine_fields),
     .help = "null: not checked"},
    TTP_WORDS("roof", TTP_FIGURE(VIEW, roof), .help = "reference of roofline_percent"),
};
static const struct ttp_fields view_figures = {TTP_FIELDS(view_fields)};

/* ---- results ---- */

#define ROW     struct ttp_bench_row
#define IN_UNIT TTP_UNIT_IN(ROW, unit)
#define VERSUS  TTP_KNOWN_IF(ROW, compared)
static const struct ttp_field versus_fields[] = {
    TTP_WORDS("verdict", TTP_FIGURE(ROW, verdict), .help = "better, worse, same or undecided"),
    TTP_REAL("p", "", 0, TTP_FIGURE(ROW, versus.test.p)),
    TTP_REAL("u", "", 0, TTP_FIGURE(ROW, versus.test.u)),
    TTP_FLAG("exact", TTP_FIGURE(ROW, versus.test.exact)),
    TTP_REAL("change_percent", "%", 0, TTP_FIGURE(ROW, versus.change.estimate), .scale = 100),
    TTP_REAL("change_low_percent", "%", 0, TTP_FIGURE(ROW, versus.change.interval.low),
             .scale = 100),
    TTP_REAL("change_high_percent", "%", 0, TTP_FIGURE(ROW, versus.change.interval.high),
             .scale = 100),
    TTP_REAL("confidence_percent", "%", 0, TTP_FIGURE(ROW, versus.change.interval.confidence),
             .scale = 100),
    TTP_REAL("shift", "", 0, TTP_FIGURE(ROW, versus.shift.estimate),
             .help = "in the metric's unit"),
    TTP_INT("more_runs", "", TTP_FIGURE(ROW, versus.more_runs),
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
    TTP_WORDS_COLUMN("metric", "Metric", 0, TTP_FIGURE(ROW, metric), .table_only = true),
    TTP_WORDS_COLUMN("label", "", 0, TTP_FIGURE(ROW, label), .table_only = true,
                     .help = "A, B, ... in the order of the command line"),
    TTP_WORDS_COLUMN("variant", "Variant", 0, TTP_FIGURE(ROW, variant), .table_only = true),
    TTP_WORDS("unit", TTP_FIGURE(ROW, unit), .table_only = true),
    TTP_WORDS("name", TTP_FIGURE(ROW, metric), .help = "of the metric"),
    TTP_INT_COLUMN("runs", "Runs", "", 0, TTP_FIGURE(ROW, sample.n)),
    TTP_REAL_COLUMN("median", "Median", "", 0, 0, TTP_FIGURE(ROW, sample.median), IN_UNIT),
    TTP_REAL_COLUMN("half_width_percent", "±", "%", 2, 1, TTP_FIGURE(ROW, half_pct),
                    .table_only = true,
                    .help = "wider half of the median's interval, relative to the median"),
    TTP_REAL("median_low", "", 0, TTP_FIGURE(ROW, sample.median_interval.low), IN_UNIT),
    TTP_REAL("median_high", "", 0, TTP_FIGURE(ROW, sample.median_interval.high), IN_UNIT),
    TTP_REAL("median_confidence_percent", "%", 1,
             TTP_FIGURE(ROW, sample.median_interval.confidence), .scale = 100),
    TTP_REAL_COLUMN("mean", "Mean", "", 0, 3, TTP_FIGURE(ROW, sample.mean), IN_UNIT),
    TTP_REAL_COLUMN("std", "Std", "", 0, 3, TTP_FIGURE(ROW, sample.sd), IN_UNIT),
    TTP_REAL("rsd_percent", "%", 2, TTP_FIGURE(ROW, sample.rsd), .scale = 100),
    TTP_REAL_COLUMN("min", "Min", "", 0, 4, TTP_FIGURE(ROW, sample.min), IN_UNIT),
    TTP_REAL("p25", "", 0, TTP_FIGURE(ROW, sample.p25), IN_UNIT),
    TTP_REAL("p75", "", 0, TTP_FIGURE(ROW, sample.p75), IN_UNIT),
    TTP_REAL_COLUMN("p95", "P95", "", 0, 6, TTP_FIGURE(ROW, sample.p95), IN_UNIT),
    TTP_REAL_COLUMN("max", "Max", "", 0, 5, TTP_FIGURE(ROW, sample.max), IN_UNIT),
    TTP_INT("outliers", "", TTP_FIGURE(ROW, sample.outliers)),
    TTP_INT("far_outliers", "", TTP_FIGURE(ROW, sample.far_outliers)),
    TTP_REAL("drift_p", "", -3, TTP_FIGURE(ROW, drift.p)),
    TTP_REAL("drift_per_run", "", 0, TTP_FIGURE(ROW, drift.slope), IN_UNIT),
    TTP_REAL_COLUMN("change_percent", "Change", "%", 2, 1, TTP_FIGURE(ROW, versus.change.estimate),
                    VERSUS, .scale = 100, .plus = true, .table_only = true, .tone = verdict_tone,
                    .help = "change relative to the first variant: median of all pairs"),
    TTP_REAL("p", "", -3, TTP_FIGURE(ROW, versus.test.p), VERSUS, .table_only = true),
    TTP_WORDS_COLUMN("verdict", "Verdict", 2, TTP_FIGURE(ROW, verdict), VERSUS, .table_only = true,
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
static const char *const kind_words[] = {
    [TTP_METRIC_WALL] = "wall",     [TTP_METRIC_PRINTED] = "printed",
    [TTP_METRIC_DEVICE] = "device", [TTP_METRIC_CYCLES] = "cycles",
    [TTP_METRIC_JSON] = "json",     [TTP_METRIC_OTHER] = "other"};
static const char *const end_words[] = {[TTP_CHILD_EXITED] = "exited",
                                        [TTP_CHILD_SIGNALED] = "signaled",
                                        [TTP_CHILD_TIMED_OUT] = "timed_out",
                                        [TTP_CHILD_INTERRUPTED] = "interrupted"};

#define METRIC struct ttp_metric
static const struct ttp_field metric_fields[] = {
    TTP_WORDS("name", TTP_FIGURE(METRIC, name)),
    TTP_WORDS("unit", TTP_FIGURE(METRIC, unit)),
    {.id = "better", TTP_WORD(METRIC, better, better_words)},
    {.id = "kind", TTP_WORD(METRIC, kind, kind_words)},
    TTP_WORDS("regex", TTP_FIGURE(METRIC, regex)),
};
static const struct ttp_fields metrics = {TTP_FIELDS(metric_fields)};

#define RATES struct ttp_bench_rates
TTP_GET(get_gbs, void, RATES, ttp_value_f64(r->rates.bytes_s / 1e9))
TTP_GET(get_tflops, void, RATES, ttp_value_f64(r->rates.flops_s / 1e12))
static const struct ttp_field rate_fields[] = {
    TTP_REAL("gbs", "GB/s", 3, .get = get_gbs),
    TTP_REAL("tflops", "TFLOPs", 3, .get = get_tflops),
    TTP_REAL("items_per_s", "", 0, TTP_FIGURE(RATES, rates.items_s)),
    TTP_REAL("roofline_percent", "%", 0, TTP_FIGURE(RATES, roof_pct)),
};
static const struct ttp_fields rates = {TTP_FIELDS(rate_fields)};

static struct ttp_records list_results(const void *context, const void *row)
{
    (void)context;
    return ((const struct ttp_bench_variant *)row)->results;
}

#define VARIANT struct ttp_bench_variant
static const struct ttp_field variant_fields[] = {
    TTP_WORDS("label", TTP_FIGURE(VARIANT, label)),
    TTP_WORDS("name", TTP_FIGURE(VARIANT, name)),
    {.id = "command", TTP_ROWS_AT(VARIANT, argv, words, ttp_bare_cstr)},
    {.id = "environment", TTP_ROWS_AT(VARIANT, env.word, env.count, ttp_bare_cstr)},
    {.id = "rates",
     TTP_OBJECT_AT(VARIANT, rates, rates),
     .help = "from the median of the first metric that is a time; null: no work was given"},
    TTP_LISTED("metrics", TTP_ROWS, list_results, ttp_bench_row_fields),
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
    TTP_INT("variant", "", TTP_FIGURE(TRIAL, variant), .help = "position in variants"),
    TTP_FLAG("warm_up", TTP_FIGURE(TRIAL, warm_up)),
    TTP_WHEN("start_time", TTP_FIGURE(TRIAL, start_ns)),
    TTP_REAL("wall_s", "s", 0, TTP_FIGURE(TRIAL, wall_ns), .scale = 1e-9),
    TTP_REAL("user_s", "s", 0, TTP_FIGURE(TRIAL, user_ns), .scale = 1e-9),
    TTP_REAL("system_s", "s", 0, TTP_FIGURE(TRIAL, system_ns), .scale = 1e-9),
    TTP_INT("max_rss_bytes", "bytes", TTP_FIGURE(TRIAL, max_rss_kb), .scale = 1024,
            .help = "at least the memory of tt-perf itself at the start"),
    {.id = "ended", TTP_WORD(TRIAL, end, end_words)},
    TTP_INT("code", "", TTP_FIGURE(TRIAL, code), .help = "exit status or signal"),
    TTP_WORDS("failure", TTP_FIGURE(TRIAL, failure), .help = "why the values are ignored"),
    TTP_WORDS("taint", TTP_FIGURE(TRIAL, taint), .help = "why the values are doubtful"),
    TTP_REAL("aiclk_min_mhz", "MHz", 0, TTP_FIGURE(TRIAL, machine.aiclk_min_mhz)),
    TTP_REAL("aiclk_max_mhz", "MHz", 0, TTP_FIGURE(TRIAL, machine.aiclk_max_mhz)),
    TTP_REAL("temperature_max_c", "C", 0, TTP_FIGURE(TRIAL, machine.temperature_max_c)),
    TTP_REAL("power_w", "W", 0, TTP_FIGURE(TRIAL, machine.power_w)),
    TTP_REAL("load", "", 0, TTP_FIGURE(TRIAL, machine.load)),
    TTP_LISTED("values", TTP_ROWS, list_values, ttp_bare_f64, .help = "of each metric"),
};
static const struct ttp_fields trials = {TTP_FIELDS(trial_fields)};

#define RUN struct ttp_bench_run
static const struct ttp_field run_fields[] = {
    TTP_WHEN("start_time", TTP_FIGURE(RUN, bench.start_ns)),
    TTP_WHEN("end_time", TTP_FIGURE(RUN, bench.end_ns)),
    TTP_REAL("confidence_percent", "%", 0, TTP_FIGURE(RUN, bench.confidence), .scale = 100,
             .help = "confidence of all verdicts together"),
    TTP_REAL("look_confidence_percent", "%", 0, TTP_FIGURE(RUN, bench.look_confidence),
             .scale = 100, .help = "confidence of each test of a pair"),
    TTP_INT("looks_planned", "", TTP_FIGURE(RUN, bench.looks_planned)),
    TTP_REAL("min_effect_percent", "%", 0, TTP_FIGURE(RUN, bench.min_effect), .scale = 100),
    TTP_WORDS("stopped", TTP_FIGURE(RUN, bench.stopped)),
    TTP_INT("interrupted_by", "", TTP_FIGURE(RUN, bench.interrupted), .help = "signal; 0: none"),
    {.id = "metrics", TTP_ROWS_AT(RUN, bench.metric, bench.nmetrics, metrics)},
    {.id = "variants", TTP_ROWS_AT(RUN, variant, variants, variants)},
    {.id = "trials",
     TTP_ROWS_AT(RUN, bench.trial, bench.ntrials, trials),
     .help = "in the order they ran"},
};
static const struct ttp_fields run_figures = {TTP_FIELDS(run_fields)};

/* ---- sweeps ---- */

#define SET struct ttp_bench_set
static const struct ttp_field set_fields[] = {TTP_WORDS("name", TTP_FIGURE(SET, name)),
                                              TTP_WORDS("value", TTP_FIGURE(SET, value))};
static const struct ttp_fields sets = {TTP_FIELDS(set_fields)};

#define POINT struct ttp_bench_point
static struct ttp_records list_run(const void *context, const void *row)
{
    const POINT *p = row;

    (void)context;
    return (struct ttp_records){&run_figures, p->run, p->run, sizeof(*p->run), 1};
}

static const struct ttp_field point_fields[] = {
    TTP_WORDS_COLUMN("point", "Point", 0, TTP_FIGURE(POINT, name), .table_only = true),
    {.id = "set", TTP_ROWS_AT(POINT, set, sets, sets), .help = "parameters of the sweep"},
    TTP_INT_COLUMN("runs", "Runs", "", 3, TTP_FIGURE(POINT, runs), .table_only = true),
    TTP_WORDS("failure", TTP_FIGURE(POINT, failure)),
    TTP_REAL_COLUMN("latency_s", "Latency", "s", 0, 0, TTP_FIGURE(POINT, latency_s),
                    TTP_UNIT_IN(POINT, time_unit)),
    TTP_REAL_COLUMN("half_width_percent", "±", "%", 2, 2, TTP_FIGURE(POINT, half_pct),
                    .table_only = true),
    TTP_REAL_COLUMN("throughput", "Throughput", "", 0, 0, TTP_FIGURE(POINT, throughput),
                    TTP_UNIT_IN(POINT, rate_unit)),
    TTP_REAL_COLUMN("gain_percent", "Gain", "%", 2, 1, TTP_FIGURE(POINT, gain), .scale = 100,
                    .plus = true, .help = "gain of throughput over the previous point"),
    TTP_REAL_COLUMN("roofline_percent", "Roofline", "%", 1, 4, TTP_FIGURE(POINT, roof_pct),
                    .table_only = true),
    {.id = "pareto",
     .title = "Pareto",
     .type = TTP_BOOL,
     .drop = 5,
     .in_table = true,
     TTP_FIGURE(POINT, pareto),
     .help = "no other point is both faster and higher in throughput"},
    TTP_FLAG("best", TTP_FIGURE(POINT, best)),
    TTP_WORDS_COLUMN("result", "", 0, TTP_FIGURE(POINT, result), .table_only = true,
                     .help = "best, failed or out of memory"),
    TTP_LISTED("run", TTP_OBJECT, list_run, run_figures),
};
const struct ttp_fields ttp_bench_point_fields = {TTP_FIELDS(point_fields), .hint = hint};

static struct ttp_records list_points(const void *context, const void *row)
{
    (void)context;
    return ((const struct ttp_bench_sweep *)row)->points;
}

#define SWEEP struct ttp_bench_sweep
static const struct ttp_field sweep_fields[] = {
    TTP_INT("points_planned", "", TTP_FIGURE(SWEEP, planned)),
    TTP_WORDS("stopped", TTP_FIGURE(SWEEP, stopped),
              .help = "why points are missing; null if none are"),
    TTP_WORDS("throughput_unit", TTP_FIGURE(SWEEP, rate_unit)),
    TTP_LISTED("points", TTP_ROWS, list_points, ttp_bench_point_fields),
};
static const struct ttp_fields sweep_figures = {TTP_FIELDS(sweep_fields)};

/* ---- values ---- */

#define VALUE struct ttp_bench_value
static const struct ttp_field value_fields[] = {
    TTP_INT("trial", "", TTP_FIGURE(VALUE, number), .help = "from 1, in the order they ran"),
    TTP_WORDS("variant", TTP_FIGURE(VALUE, variant)),
    TTP_WORDS("point", TTP_FIGURE(VALUE, point), .help = "of a sweep"),
    TTP_FLAG("warm_up", TTP_FIGURE(VALUE, warm_up), .help = "ignored"),
    TTP_WHEN("start_time", TTP_FIGURE(VALUE, start_ns)),
    TTP_WORDS("metric", TTP_FIGURE(VALUE, metric)),
    TTP_WORDS("unit", TTP_FIGURE(VALUE, unit)),
    TTP_REAL("value", "", 0, TTP_FIGURE(VALUE, value)),
    TTP_WORDS("failure", TTP_FIGURE(VALUE, failure), .help = "why it is ignored"),
    TTP_WORDS("taint", TTP_FIGURE(VALUE, taint), .help = "why it is doubtful"),
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
    [TTP_BENCH_PART_RESULTS] = {.id = "results",
                                .fields = &ttp_bench_row_fields,
                                .table_only = true},
    [TTP_BENCH_PART_POINTS] = {.id = "points",
                               .fields = &ttp_bench_point_fields,
                               .table_only = true},
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
