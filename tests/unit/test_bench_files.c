/* SPDX-License-Identifier: Apache-2.0 */
/* Results that others, or we ourselves, have written. */
#include "test.h"

#include "measure/measure.h"

static struct ttp_bench read_text(const char *text, struct ttp_arena *arena)
{
    struct ttp_err err = {0};
    struct ttp_bench b;

    assert_int_equal(ttp_measure_bench_read(&b, ttp_str_from(text), arena, &err), TTP_OK);
    return b;
}

static void test_bench_files__reads_hyperfine(void **state)
{
    const struct ttp_bench b =
        read_text("{\"results\":[{\"command\":\"a\",\"times\":[1,2,3],\"exit_codes\":[0,1,0]},"
                  "{\"command\":\"b\",\"times\":[4]}]}",
                  *state);
    size_t n;

    assert_int_equal(b.nvariants, 2);
    const double *v = ttp_measure_bench_values(&n, &b, 0, 0, *state);
    assert_int_equal(n, 2); /* the one that failed does not count */
    assert_true(v[0] == 1 && v[1] == 3);
    assert_string_equal(b.metric[0].unit, "s");
}

static void test_bench_files__reads_google_benchmark(void **state)
{
    const struct ttp_bench b = read_text(
        "{\"context\":{\"host_name\":\"h\"},\"benchmarks\":["
        "{\"name\":\"X\",\"run_type\":\"iteration\",\"real_time\":1.5,\"time_unit\":\"ms\"},"
        "{\"name\":\"X\",\"run_type\":\"iteration\",\"real_time\":2.5,\"time_unit\":\"ms\","
        "\"items_per_second\":7},"
        "{\"name\":\"X_mean\",\"run_name\":\"X\",\"run_type\":\"aggregate\","
        "\"aggregate_name\":\"mean\",\"real_time\":2}]}",
        *state);
    size_t n;

    assert_int_equal(b.nmetrics, 2);
    assert_string_equal(b.metric[0].unit, "ms");
    ttp_measure_bench_values(&n, &b, 0, 0, *state);
    assert_int_equal(n, 2);
    assert_int_equal(b.metric[1].better, TTP_BETTER_HIGHER);
    assert_string_equal(b.machine_key, "h");
}

static void test_bench_files__reads_aggregates_where_there_is_nothing_else(void **state)
{
    const struct ttp_bench b =
        read_text("{\"context\":{},\"benchmarks\":["
                  "{\"name\":\"X_mean\",\"run_name\":\"X\",\"run_type\":\"aggregate\","
                  "\"aggregate_name\":\"mean\",\"real_time\":2},"
                  "{\"name\":\"X_stddev\",\"run_name\":\"X\",\"run_type\":\"aggregate\","
                  "\"aggregate_name\":\"stddev\",\"real_time\":1}]}",
                  *state);

    assert_int_equal(b.ntrials, 1);
    assert_true(b.trial[0].value[0] == 2);
}

#define MEASUREMENT(step, name, value)                                                             \
    "{\"step_name\":\"" step "\",\"name\":\"" name "\",\"iteration\":0,\"value\":" value "}"
#define COMPLETE(measurements)                                                                     \
    "{\"run_start_ts\":\"t\",\"ml_model_name\":\"m\",\"device_hostname\":\"h\","                   \
    "\"measurements\":[" measurements "]}"

static void test_bench_files__reads_complete_benchmark_runs(void **state)
{
    /* two documents, one a line: two runs of one model */
    const struct ttp_bench b = read_text(
        COMPLETE(MEASUREMENT("s", "tokens_per_sec", "5") "," MEASUREMENT(
            "s", "ttft", "1")) "\n" COMPLETE(MEASUREMENT("s", "tokens_per_sec", "6")) "\n",
        *state);
    size_t n;

    assert_int_equal(b.nvariants, 1);
    assert_int_equal(b.nmetrics, 2);
    assert_string_equal(b.metric[0].name, "s: tokens_per_sec");
    assert_int_equal(b.metric[0].better, TTP_BETTER_HIGHER);
    assert_int_equal(b.metric[1].better, TTP_BETTER_LOWER);
    const double *v = ttp_measure_bench_values(&n, &b, 0, 0, *state);
    assert_true(n == 2 && v[0] == 5 && v[1] == 6);
}

static void test_bench_files__refuses_what_is_no_result(void **state)
{
    static const char *const texts[] = {
        "",
        "1",
        "{}",
        "[]",
        "[1]",
        "{\"results\":[]}",
        "{\"results\":{}}",
        "{\"x\":1}",
        "{",
        "{\"schema\":\"tt-perf.report/1\",\"data\":{},\"tool\":{}}",
        "{\"schema\":\"tt-perf.bench/1\",\"data\":{},\"tool\":{}}",
        "{\"schema\":\"tt-perf.bench/1\",\"tool\":{},\"data\":{\"run\":{\"metrics\":[{\"name\":"
        "\"a\"}],\"variants\":[{\"name\":\"v\"}],\"trials\":[{\"variant\":1,\"values\":[1]}]}}}",
        COMPLETE(MEASUREMENT("s", "", "5")),
        COMPLETE(MEASUREMENT("s", "x", "null")),
        COMPLETE(""),
    };

    for (size_t i = 0; i < TTP_COUNT(texts); i++) {
        struct ttp_err err = {0};
        struct ttp_bench b;

        assert_int_equal(ttp_measure_bench_read(&b, ttp_str_from(texts[i]), *state, &err),
                         TTP_EPARSE);
        assert_true(err.text[0] != '\0' && err.offset <= strlen(texts[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_bench_files__reads_hyperfine),
        TTP_TEST_ARENA(test_bench_files__reads_google_benchmark),
        TTP_TEST_ARENA(test_bench_files__reads_aggregates_where_there_is_nothing_else),
        TTP_TEST_ARENA(test_bench_files__reads_complete_benchmark_runs),
        TTP_TEST_ARENA(test_bench_files__refuses_what_is_no_result),
    };
    return cmocka_run_group_tests_name("measure/bench_files", tests, NULL, NULL);
}
