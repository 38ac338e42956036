/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics, words of commands, values of sweeps, and the loop itself with real commands. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/sink.h"
#include "base/temp_dir.h"
#include "measure/measure.h"
#include "measure/measure_internal.h"

/* ---- metrics ---- */

static void test_measure__reads_numbers_that_are_printed(void **state)
{
    static const struct {
        const char *spec, *printed, *errors;
        double want;
        const char *name, *unit;
        enum ttp_better better;
    } cases[] = {
        {"latency: ([0-9.]+)", "latency: 12.5\n", "", 12.5, "latency", "", TTP_BETTER_LOWER},
        {"fps=([0-9.]+)", "x fps=1 y\nfps=2\r\n", "", 2, "fps", "", TTP_BETTER_LOWER},
        {"fps=([0-9.]+);take=first", "fps=1 fps=2\nfps=3", "", 1, "fps", "", TTP_BETTER_LOWER},
        {"fps=([0-9.]+);take=min", "fps=4 fps=2\nfps=3", "", 2, "fps", "", TTP_BETTER_LOWER},
        {"fps=([0-9.]+);take=max", "fps=1 fps=5\nfps=3", "", 5, "fps", "", TTP_BETTER_LOWER},
        {"fps=([0-9.]+);take=mean", "fps=1 fps=5\nfps=3", "", 3, "fps", "", TTP_BETTER_LOWER},
        {"fps=([0-9.]+);take=sum", "fps=1 fps=5\nfps=3", "", 9, "fps", "", TTP_BETTER_LOWER},
        {"^t ([0-9.]+) *(tokens/s|ms)", "at 1 ms\nt 7 tokens/s\n", "", 7, "printed value",
         "tokens/s", TTP_BETTER_HIGHER},
        {"t ([0-9.]+) *(ms);better=higher", "t 7 ms", "", 7, "t", "ms", TTP_BETTER_HIGHER},
        {"([0-9]+);name=n;unit=GB/s", "3", "", 3, "n", "GB/s", TTP_BETTER_HIGHER},
        {"[0-9]+$", "a 1 2 34", "", 34, "printed value", "", TTP_BETTER_LOWER},
        {"v ([-0-9.e+]+)", "v -1.5e-3", "", -0.0015, "v", "", TTP_BETTER_LOWER},
        {"total ([0-9,]+)", "total 1,234,567", "", 1234567, "total", "", TTP_BETTER_LOWER},
        {"e ([0-9]+)", "nothing", "e 5", 5, "e", "", TTP_BETTER_LOWER},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_metric m;
        struct ttp_err err = {0};
        double got = NAN;

        assert_int_equal(ttp_measure_metric_parse(&m, cases[i].spec, *state, &err), TTP_OK);
        assert_int_equal(
            ttp_measure_metric_value(&got, &m,
                                     (struct ttp_command_output){ttp_str_from(cases[i].printed),
                                                                 ttp_str_from(cases[i].errors)},
                                     *state, &err),
            TTP_OK);
        assert_true(got == cases[i].want);
        assert_string_equal(m.name, cases[i].name);
        assert_string_equal(m.unit, cases[i].unit);
        assert_int_equal(m.better, cases[i].better);
        ttp_measure_metric_clear(&m);
    }
}

static void test_measure__metrics_of_recordings_are_told_from_regexes(void **state)
{
    static const struct {
        const char *spec, *name, *unit, *path;
        enum ttp_metric_kind kind;
        enum ttp_better better;
    } cases[] = {
        {"device-time", "device-time", "s", NULL, TTP_METRIC_DEVICE, TTP_BETTER_LOWER},
        {"kernel-cycles", "kernel-cycles", "cycles", NULL, TTP_METRIC_CYCLES, TTP_BETTER_LOWER},
        {"json:data.window.device_us", "device_us", "us", "data.window.device_us", TTP_METRIC_JSON,
         TTP_BETTER_LOWER},
        {"json:data.run.dram_gbs", "dram_gbs", "GB/s", "data.run.dram_gbs", TTP_METRIC_JSON,
         TTP_BETTER_HIGHER},
        {"json:data.ops[2].x;unit=q;better=higher;name=n", "n", "q", "data.ops[2].x",
         TTP_METRIC_JSON, TTP_BETTER_HIGHER},
        {"json: ([0-9.]+)", "json", "", NULL, TTP_METRIC_PRINTED, TTP_BETTER_LOWER},
        {"json:a..b", "json:a", "", NULL, TTP_METRIC_PRINTED, TTP_BETTER_LOWER},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_metric m;

        assert_int_equal(ttp_measure_metric_parse(&m, cases[i].spec, *state, NULL), TTP_OK);
        assert_int_equal(m.kind, cases[i].kind);
        assert_int_equal(ttp_measure_metric_is_recorded(&m), cases[i].kind != TTP_METRIC_PRINTED);
        assert_string_equal(m.name, cases[i].name);
        assert_string_equal(m.unit, cases[i].unit);
        assert_int_equal(m.better, cases[i].better);
        if (cases[i].path)
            assert_string_equal(m.path, cases[i].path);
        ttp_measure_metric_clear(&m);
    }
}

static void test_measure__wall_time_is_a_metric_of_its_own(void **state)
{
    struct ttp_metric m;

    assert_int_equal(ttp_measure_metric_parse(&m, "wall", *state, NULL), TTP_OK);
    assert_int_equal(m.kind, TTP_METRIC_WALL);
    assert_string_equal(m.unit, "s");
}

static void test_measure__refuses_metrics_that_make_no_sense(void **state)
{
    static const char *const specs[] = {
        "",
        "([0-9]+",
        "a;better=up",
        "a;take=all",
        ";unit=ms",
        "(a)\\1",
        "x{1,99}{1,99}",
        "x{1,9999}",
        "[[:nope:]]",
        "v=(.*?)",
        "a???????????????++++",
        "(((((((((((((a?)?)?)?)?)?)?)?)?)?)?)?)?)?",
    };

    for (size_t i = 0; i < TTP_COUNT(specs); i++) {
        struct ttp_err err = {0};
        struct ttp_metric m;

        assert_int_equal(ttp_measure_metric_parse(&m, specs[i], *state, &err), TTP_EUSAGE);
        assert_true(err.text[0] != '\0');
    }
}

static void test_measure__signs_of_repetition_may_stand_in_sets_or_behind_a_backslash(void **state)
{
    static const char *const specs[] = {
        "v=([*+?]+)", "v=([]*+?[]+)",          "v=([^]*+?]+)",
        "v\\*+=(.*)", "v[[:digit:]*+?]+=(.*)", "(a?b?c?)=([0-9.]+)"};

    for (size_t i = 0; i < TTP_COUNT(specs); i++) {
        struct ttp_metric m;

        assert_int_equal(ttp_measure_metric_parse(&m, specs[i], *state, NULL), TTP_OK);
        ttp_measure_metric_clear(&m);
    }
}

static void test_measure__a_match_that_is_no_number_is_told_from_none(void **state)
{
    struct ttp_metric m;
    struct ttp_err err = {0};
    double v = 42;

    assert_int_equal(ttp_measure_metric_parse(&m, "v=(.*)", *state, &err), TTP_OK);
    assert_int_equal(
        ttp_measure_metric_value(&v, &m, (struct ttp_command_output){TTP_STR("w=1"), TTP_STR("")},
                                 *state, &err),
        TTP_ENOTFOUND);
    assert_int_equal(
        ttp_measure_metric_value(
            &v, &m, (struct ttp_command_output){TTP_STR("v=fast"), TTP_STR("")}, *state, &err),
        TTP_EPARSE);
    assert_int_equal(
        ttp_measure_metric_value(&v, &m, (struct ttp_command_output){TTP_STR("v=inf"), TTP_STR("")},
                                 *state, &err),
        TTP_EPARSE);
    assert_int_equal(
        ttp_measure_metric_value(
            &v, &m, (struct ttp_command_output){TTP_STR("v=1e999"), TTP_STR("")}, *state, &err),
        TTP_EPARSE);
    assert_true(v == 42);
    ttp_measure_metric_clear(&m);
}

static void test_measure__rates_are_better_higher(void **state)
{
    static const char *const higher[] = {"GB/s",   "fps",   "tokens/s",         "samples/sec",
                                         "TFLOPS", "t/s/u", "images per second"};
    static const char *const lower[] = {"ms", "s", "bytes", "", "W", "s/iter"};

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(higher); i++)
        assert_int_equal(ttp_measure_metric_unit_better(ttp_str_from(higher[i])),
                         TTP_BETTER_HIGHER);
    for (size_t i = 0; i < TTP_COUNT(lower); i++)
        assert_int_equal(ttp_measure_metric_unit_better(ttp_str_from(lower[i])), TTP_BETTER_LOWER);
}

/* ---- words ---- */

static void test_measure__splits_a_command_as_a_shell_would(void **state)
{
    static const struct {
        const char *text, *word[5];
    } cases[] = {
        {"a b  c", {"a", "b", "c"}},
        {" 'a b' \"c d\" ", {"a b", "c d"}},
        {"a\\ b c\\'d", {"a b", "c'd"}},
        {"x='1 2'3", {"x=1 23"}},
        {"\"a\\\"b\\\\c\\n\"", {"a\"b\\c\\n"}},
        {"'' b", {"", "b"}},
        {"'$HOME|*'", {"$HOME|*"}},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const char **argv;
        size_t n = 0;

        assert_int_equal(ttp_measure_command_split(&argv, cases[i].text, *state, NULL), TTP_OK);
        for (; cases[i].word[n]; n++)
            assert_string_equal(argv[n], cases[i].word[n]);
        assert_null(argv[n]);
        /* and back */
        const char **again;
        assert_int_equal(ttp_measure_command_split(
                             &again, ttp_arena_zstr(*state, ttp_measure_command_join(argv, *state)),
                             *state, NULL),
                         TTP_OK);
        for (n = 0; argv[n]; n++)
            assert_string_equal(argv[n], again[n]);
    }
}

static void test_measure__refuses_what_only_a_shell_can_do(void **state)
{
    static const char *const texts[] = {"",       "  ",   "a | b", "a > b", "a $B",
                                        "\"$B\"", "a 'b", "a &",   "ls *",  "a; b"};

    for (size_t i = 0; i < TTP_COUNT(texts); i++) {
        const char **argv;
        assert_int_equal(ttp_measure_command_split(&argv, texts[i], *state, NULL), TTP_EUSAGE);
    }
}

/* ---- sweeps ---- */

static void assert_sweep(const char *text, const char *want, struct ttp_arena *arena)
{
    struct ttp_sweep s;
    struct ttp_sink out;

    assert_int_equal(ttp_measure_sweep_parse(&s, text, arena, NULL), TTP_OK);
    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%s", s.name);
    for (size_t i = 0; i < s.count; i++)
        ttp_sink_printf(&out, " %s", s.value[i]);
    assert_string_equal(ttp_arena_zstr(arena, ttp_sink_text(&out)), want);
}

static void test_measure__values_of_a_sweep(void **state)
{
    static const char *const bad[] = {"",         "BATCH",   "BATCH=",   "=1",       "1A=2",
                                      "B=1,,2",   "B=1..x",  "B=1..4*1", "B=0..4*2", "B=1..4+0",
                                      "B=1..1e9", "B=1..4*", "B=..",     "B=1..inf"};

    assert_sweep("BATCH=8,16,32", "BATCH 8 16 32", *state);
    assert_sweep("BATCH=8..128*2", "BATCH 8 16 32 64 128", *state);
    assert_sweep("B=8..100*2", "B 8 16 32 64", *state);
    assert_sweep("B=1..9+2", "B 1 3 5 7 9", *state);
    assert_sweep("B=3..1", "B 3 2 1", *state);
    assert_sweep("B=16..4*2", "B 16 8 4", *state);
    assert_sweep("B=0.1..0.5+0.1", "B 0.1 0.2 0.3 0.4 0.5", *state);
    assert_sweep("MODE=a, b..c", "MODE a b..c", *state);
    assert_sweep("B=5..5", "B 5", *state);
    for (size_t i = 0; i < TTP_COUNT(bad); i++) {
        struct ttp_sweep s;
        struct ttp_err err = {0};

        assert_int_not_equal(ttp_measure_sweep_parse(&s, bad[i], *state, &err), TTP_OK);
        assert_true(err.text[0] != '\0');
    }
}

static void test_measure__values_go_where_their_name_stands(void **state)
{
    const char *const argv[] = {"x", "-b{BATCH}", "{BATCH}{SEQ}", "{NONE}", "{", "}{BATCH", NULL};
    const char *set[] = {"BATCH=8", "SEQ=ab"};
    const struct ttp_words words = {set, 2};
    static const char *const want[] = {"x", "-b8", "8ab", "{NONE}", "{", "}{BATCH"};
    const char *const *got = ttp_measure_sweep_fill(argv, &words, *state);

    for (size_t i = 0; i < TTP_COUNT(want); i++)
        assert_string_equal(got[i], want[i]);
    assert_null(got[TTP_COUNT(want)]);
}

static void test_measure__products(void **state)
{
    static const struct {
        const char *text;
        double want; /* negative: refused */
    } cases[] = {{"4096", 4096},  {"2*3*4", 24},
                 {"4k", 4000},    {"4Ki", 4096},
                 {"1.5M", 1.5e6}, {"2GiB", 2147483648.0},
                 {"{B}*2", 16},   {"2 * {B} * 1k", 16000},
                 {"", -1},        {"x", -1},
                 {"2*", -1},      {"{C}", -1},
                 {"4i", -1},      {"-3", -1},
                 {"{B}x", -1},    {"inf", -1},
                 {"1e308k", -1},  {"1e200*1e200*0", -1}};
    const char *set[] = {"B=8"};
    const struct ttp_words words = {set, 1};

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        double got;
        const ttp_code rc = ttp_measure_sweep_product(&got, cases[i].text, &words, NULL);

        assert_int_equal(rc, cases[i].want < 0 ? TTP_EUSAGE : TTP_OK);
        if (rc == TTP_OK)
            assert_true(got == cases[i].want);
    }
}

/* throughput = (in + out) * iterations / elapsed */
static void test_measure__throughput_counts_both_ways(void **state)
{
    const struct ttp_work work = {"3k", "1k", "10", "2M", NULL};
    struct ttp_rates r;

    (void)state;
    assert_int_equal(ttp_measure_work_rates(&r, &work, NULL, 2, NULL), TTP_OK);
    assert_true(r.bytes_s == 20000 && r.flops_s == 1e7 && isnan(r.items_s));
    assert_int_equal(ttp_measure_work_rates(&r, &work, NULL, NAN, NULL), TTP_OK);
    assert_true(isnan(r.bytes_s));
}

/* ---- the loop ---- */

struct loop {
    struct ttp_bench b;
    struct ttp_measure_options o;
    struct ttp_metric metric;
    struct ttp_variant variant[3];
    struct ttp_signals signals;
};

static void open_loop(struct loop *l, const char *metric, struct ttp_arena *arena)
{
    *l = (struct loop){
        .o = {
            .min_runs = 5, .max_runs = 40, .warm_ups = 1, .confidence = 0.95, .min_effect = 0.01}};
    assert_int_equal(ttp_measure_metric_parse(&l->metric, metric, arena, NULL), TTP_OK);
    assert_int_equal(ttp_signals_open(&l->signals, NULL), TTP_OK);
    l->b.metric = &l->metric;
    l->b.nmetrics = 1;
    l->b.variant = l->variant;
}

static void add_script(struct loop *l, const char *script, struct ttp_arena *arena)
{
    const char **argv = TTP_NEW(arena, const char *, 4);

    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = script;
    l->variant[l->b.nvariants++] = (struct ttp_variant){.name = script, .argv = argv};
}

static void close_loop(struct loop *l)
{
    ttp_measure_metric_clear(&l->metric);
    ttp_signals_close(&l->signals);
}

static void test_measure__variants_run_in_turn(void **state)
{
    struct loop l;
    static const uint32_t order[] = {0, 1, 2, 0, 1, 2, 2, 1, 0, 0, 1, 2};

    open_loop(&l, "([0-9]+)", *state);
    add_script(&l, "echo 1", *state);
    add_script(&l, "echo 2", *state);
    add_script(&l, "echo 3", *state);
    l.o.min_runs = l.o.max_runs = 3;
    assert_int_equal(ttp_measure_run(&l.b, &l.o, &l.signals, *state, NULL), TTP_OK);
    assert_int_equal(l.b.ntrials, TTP_COUNT(order));
    for (size_t i = 0; i < TTP_COUNT(order); i++) {
        assert_int_equal(l.b.trial[i].variant, order[i]);
        assert_int_equal(l.b.trial[i].warm_up, i < 3);
        assert_true(l.b.trial[i].value[0] == order[i] + 1);
    }
    close_loop(&l);
}

static void test_measure__each_variant_runs_in_its_own_folder(void **state)
{
    static const char *const here[] = {"./value", NULL};
    struct loop l;
    size_t n;

    open_loop(&l, "([0-9]+)", *state);
    for (size_t i = 0; i < 2; i++) {
        const char *dir;

        assert_int_equal(ttp_temp_dir_make(&dir, *state, NULL), TTP_OK);
        FILE *f = fopen(ttp_file_join(dir, "value", *state), "w");
        assert_non_null(f);
        fprintf(f, "#!/bin/sh\ntest -f value && echo %zu\n", i + 7);
        fclose(f);
        assert_int_equal(chmod(ttp_file_join(dir, "value", *state), 0700), 0);
        l.variant[l.b.nvariants++] = (struct ttp_variant){.name = dir, .argv = here, .dir = dir};
    }
    l.o.min_runs = l.o.max_runs = 2;
    assert_int_equal(ttp_measure_run(&l.b, &l.o, &l.signals, *state, NULL), TTP_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_true(ttp_measure_bench_values(&n, &l.b, i, 0, *state)[0] == (double)(i + 7));
        ttp_temp_dir_remove(l.variant[i].dir, true);
    }
    close_loop(&l);
}

static void test_measure__stops_once_the_answer_is_clear(void **state)
{
    struct loop l;

    open_loop(&l, "([0-9.]+)", *state);
    add_script(&l, "echo 10.$$", *state); /* moves in the last digits only */
    add_script(&l, "echo 20.$$", *state);
    assert_int_equal(ttp_measure_run(&l.b, &l.o, &l.signals, *state, NULL), TTP_OK);
    assert_int_equal(l.b.ntrials, 12);
    assert_string_equal(l.b.stopped, "decided");
    assert_int_equal(l.b.looks_planned, 4);
    assert_true(fabs(l.b.look_confidence - 0.9875) < 1e-12);
    assert_int_equal(ttp_measure_bench_versus(&l.b, 1, 0, *state).verdict, TTP_VERDICT_MORE);
    close_loop(&l);
}

static void test_measure__one_command_stops_when_its_median_is_known(void **state)
{
    struct loop l;

    open_loop(&l, "([0-9.]+)", *state);
    add_script(&l, "echo 5", *state);
    assert_int_equal(ttp_measure_run(&l.b, &l.o, &l.signals, *state, NULL), TTP_OK);
    assert_int_equal(l.b.ntrials, 7); /* five runs cover 93.75 %, six are enough */
    assert_string_equal(l.b.stopped, "the median is precise enough");
    close_loop(&l);
}

/* Values that jump between 1 and 2 will never tell: all runs that are allowed are used. */
static void test_measure__gives_up_when_told_to(void **state)
{
    struct loop l;

    open_loop(&l, "([0-9.]+)", *state);
    add_script(&l, "echo $(( $(date +%s%N) / 1000 % 2 + 1 ))", *state);
    l.o.max_runs = 9;
    assert_int_equal(ttp_measure_run(&l.b, &l.o, &l.signals, *state, NULL), TTP_OK);
    assert_in_range(l.b.ntrials, 7, 10);
    close_loop(&l);
}

static void test_measure__a_failure_ends_it_unless_it_is_to_go_on(void **state)
{
    struct loop l;
    struct ttp_err err = {0};

    open_loop(&l, "([0-9.]+)", *state);
    add_script(&l, "echo no good >&2; exit 7", *state);
    assert_int_equal(ttp_measure_run(&l.b, &l.o, &l.signals, *state, &err), TTP_EPARSE);
    assert_int_equal(l.b.ntrials, 1);
    assert_int_equal(l.b.trial[0].code, 7);
    assert_string_equal(l.b.trial[0].failure, "exit status 7: no good");
    close_loop(&l);

    open_loop(&l, "([0-9.]+)", *state);
    add_script(&l, "exit 7", *state);
    l.o.go_on = true;
    l.o.max_runs = 5;
    assert_int_equal(ttp_measure_run(&l.b, &l.o, &l.signals, *state, &err), TTP_OK);
    size_t n;
    ttp_measure_bench_values(&n, &l.b, 0, 0, *state);
    assert_int_equal(n, 0);
    assert_int_equal(l.b.ntrials, 6);
    close_loop(&l);
}

static void test_measure__a_value_that_is_not_printed_is_a_failure(void **state)
{
    struct loop l;
    struct ttp_err err = {0};

    open_loop(&l, "fps ([0-9.]+)", *state);
    add_script(&l, "echo 1", *state);
    assert_int_equal(ttp_measure_run(&l.b, &l.o, &l.signals, *state, &err), TTP_EPARSE);
    assert_non_null(strstr(err.text, "fps ([0-9.]+)"));
    close_loop(&l);
}

static void test_measure__a_command_that_is_missing_is_told_before_anything_runs(void **state)
{
    static const char *const argv[] = {"/nonexistent/command", NULL};
    struct loop l;

    open_loop(&l, "wall", *state);
    add_script(&l, "echo 1", *state);
    l.variant[l.b.nvariants++] = (struct ttp_variant){.name = "gone", .argv = argv};
    assert_int_equal(ttp_measure_run(&l.b, &l.o, &l.signals, *state, NULL), TTP_ENOTFOUND);
    assert_int_equal(l.b.ntrials, 0);
    close_loop(&l);
}

static void test_measure__memory_that_runs_out_ends_a_sweep_as_a_result(void **state)
{
    struct loop l;
    struct ttp_sweep sweep;
    struct ttp_sweep_result r;

    open_loop(&l, "lat ([0-9.]+) *(ms)", *state);
    add_script(&l,
               "[ $BATCH -lt 8 ] || { echo RuntimeError: Out of Memory >&2; exit 1; }\n"
               "echo lat $((10 + $BATCH)) ms",
               *state);
    l.o.min_runs = l.o.max_runs = 2;
    l.o.warm_ups = 0;
    assert_int_equal(ttp_measure_sweep_parse(&sweep, "BATCH=1..32*2", *state, NULL), TTP_OK);
    const struct ttp_sweep_options o = {.measure = &l.o,
                                        .variant = &l.variant[0],
                                        .metric = &l.metric,
                                        .nmetrics = 1,
                                        .min_gain = 0.05};
    assert_int_equal(ttp_measure_sweep(&r, &sweep, 1, &o, &l.signals, *state, NULL), TTP_OK);
    assert_int_equal(r.npoints, 4);
    assert_int_equal(r.best, 2);
    assert_non_null(strstr(r.point[3].failure, "out of memory"));
    assert_string_equal(r.stopped, "the command failed");
    assert_true(fabs(r.point[2].latency_s - 0.014) < 1e-12);
    assert_true(fabs(r.point[2].throughput - 4 / 0.014) < 1e-9);
    assert_true(r.point[0].pareto && r.point[2].pareto && !r.point[3].pareto);
    close_loop(&l);
}

static void test_measure__a_sweep_stops_after_two_weak_gains(void **state)
{
    struct loop l;
    struct ttp_sweep sweep;
    struct ttp_sweep_result r;

    /* items per second: 1, 2, 2.04, 2.06, ... */
    open_loop(&l, "t ([0-9.]+) *(s)", *state);
    add_script(&l,
               "case $B in 1) echo t 1 s;; 2) echo t 1 s;; 4) echo t 1.96 s;;\n"
               "8) echo t 3.88 s;; *) echo t 1 s;; esac",
               *state);
    l.o.min_runs = l.o.max_runs = 1;
    l.o.warm_ups = 0;
    assert_int_equal(ttp_measure_sweep_parse(&sweep, "B=1..64*2", *state, NULL), TTP_OK);
    struct ttp_sweep_options o = {.measure = &l.o,
                                  .variant = &l.variant[0],
                                  .metric = &l.metric,
                                  .nmetrics = 1,
                                  .min_gain = 0.05};
    assert_int_equal(ttp_measure_sweep(&r, &sweep, 1, &o, &l.signals, *state, NULL), TTP_OK);
    assert_int_equal(r.npoints, 4);
    assert_string_equal(r.stopped, "two gains in a row were too small");
    o.exhaustive = true;
    assert_int_equal(ttp_measure_sweep(&r, &sweep, 1, &o, &l.signals, *state, NULL), TTP_OK);
    assert_int_equal(r.npoints, 7);
    assert_int_equal(r.best, 6);
    o.exhaustive = false;
    o.latency_cap_s = 1.5;
    assert_int_equal(ttp_measure_sweep(&r, &sweep, 1, &o, &l.signals, *state, NULL), TTP_OK);
    assert_int_equal(r.npoints, 3);
    assert_int_equal(r.best, 1);
    close_loop(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_measure__reads_numbers_that_are_printed),
        TTP_TEST_ARENA(test_measure__metrics_of_recordings_are_told_from_regexes),
        TTP_TEST_ARENA(test_measure__wall_time_is_a_metric_of_its_own),
        TTP_TEST_ARENA(test_measure__refuses_metrics_that_make_no_sense),
        TTP_TEST_ARENA(test_measure__signs_of_repetition_may_stand_in_sets_or_behind_a_backslash),
        TTP_TEST_ARENA(test_measure__a_match_that_is_no_number_is_told_from_none),
        TTP_TEST_ARENA(test_measure__rates_are_better_higher),
        TTP_TEST_ARENA(test_measure__splits_a_command_as_a_shell_would),
        TTP_TEST_ARENA(test_measure__refuses_what_only_a_shell_can_do),
        TTP_TEST_ARENA(test_measure__values_of_a_sweep),
        TTP_TEST_ARENA(test_measure__values_go_where_their_name_stands),
        TTP_TEST_ARENA(test_measure__products),
        TTP_TEST_ARENA(test_measure__throughput_counts_both_ways),
        TTP_TEST_ARENA(test_measure__variants_run_in_turn),
        TTP_TEST_ARENA(test_measure__each_variant_runs_in_its_own_folder),
        TTP_TEST_ARENA(test_measure__stops_once_the_answer_is_clear),
        TTP_TEST_ARENA(test_measure__one_command_stops_when_its_median_is_known),
        TTP_TEST_ARENA(test_measure__gives_up_when_told_to),
        TTP_TEST_ARENA(test_measure__a_failure_ends_it_unless_it_is_to_go_on),
        TTP_TEST_ARENA(test_measure__a_value_that_is_not_printed_is_a_failure),
        TTP_TEST_ARENA(test_measure__a_command_that_is_missing_is_told_before_anything_runs),
        TTP_TEST_ARENA(test_measure__memory_that_runs_out_ends_a_sweep_as_a_result),
        TTP_TEST_ARENA(test_measure__a_sweep_stops_after_two_weak_gains),
    };
    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
