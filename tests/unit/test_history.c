/* SPDX-License-Identifier: Apache-2.0 */
/* Documents as runs, runs as text and back, lines of runs. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "history/run_documents.h"

static void assert_str(ttp_str got, const char *want)
{
    if (!ttp_str_eq(got, ttp_str_from(want)))
        fail_msg("'%.*s' is not '%s'", TTP_FMT(got), want);
}

static struct ttp_history_runs read_json(const char *text, struct ttp_arena *arena)
{
    struct ttp_history_runs runs;
    struct ttp_err err = {0};

    if (ttp_history_runs_from_json(&runs, ttp_str_from(text), "run.json", arena, &err) != TTP_OK)
        fail_msg("%s at %zu", err.text, err.offset);
    return runs;
}

#define COMPLETE(commit, value)                                                                    \
    "{\"run_start_ts\":\"2026-01-02T03:04:05Z\",\"run_type\":\"x\",\"git_repo_name\":\"metal\","   \
    "\"git_commit_hash\":\"" commit "\",\"git_branch_name\":\"main\",\"device_hostname\":\"h\","   \
    "\"device_info\":{\"device_name\":\"n300\"},\"ml_model_name\":\"bert\",\"measurements\":[{"    \
    "\"step_name\":\"inference\",\"name\":\"fps\",\"iteration\":0,\"value\":" value                \
    ",\"target\":100,\"device_power\":75.5,\"step_start_ts\":\"2026-01-02T03:04:06Z\"}]}"

static void test_history__a_complete_benchmark_run_says_all_of_itself(void **state)
{
    const char *text = "\n" COMPLETE("abc", "90.5") "\n";
    const struct ttp_history_runs runs = read_json(text, *state);
    const struct ttp_history_run *r = &runs.run[0];

    assert_int_equal(runs.count, 1);
    assert_str(r->name, "bert");
    assert_str(r->kind, "benchmark-run");
    assert_str(r->project, "metal");
    assert_str(r->commit, "abc");
    assert_str(r->branch, "main");
    assert_str(r->host, "h");
    assert_str(r->board, "n300");
    assert_str(r->machine_key, "host=h;board=n300");
    assert_int_equal(r->time_ns, 1767323045000000000);
    assert_str(r->document, text);
    assert_int_equal(r->measures, 1);
    assert_str(r->measure[0].metric, "inference: fps");
    assert_int_equal(r->measure[0].better, TTP_BETTER_HIGHER);
    assert_true(r->measure[0].sample[0] == 90.5 && r->measure[0].target == 100);
    assert_int_equal(r->samples, 1);
    assert_true(r->sample[0].power_w == 75.5 && isnan(r->sample[0].temperature_c));
    assert_int_equal(r->sample[0].time_ns, 1767323046000000000);
}

static void test_history__each_document_of_a_file_is_a_run(void **state)
{
    static const char *const files[] = {
        COMPLETE("a1", "1") "\n" COMPLETE("a2", "2") "\n",
        "[" COMPLETE("a1", "1") ",\n" COMPLETE("a2", "2") "]",
    };

    for (size_t i = 0; i < TTP_COUNT(files); i++) {
        const struct ttp_history_runs runs = read_json(files[i], *state);

        assert_int_equal(runs.count, 2);
        assert_str(runs.run[1].commit, "a2");
        assert_str(runs.run[1].document, COMPLETE("a2", "2"));
    }
}

static void test_history__hyperfine_and_google_benchmark_are_read(void **state)
{
    struct ttp_history_runs runs =
        read_json("{\"results\":[{\"command\":\"a\",\"times\":[1,2],\"exit_codes\":[0,0]},"
                  "{\"command\":\"b\",\"times\":[3]}]}",
                  *state);

    assert_str(runs.run[0].name, "a");
    assert_int_equal(runs.run[0].measures, 2);
    assert_str(runs.run[0].measure[1].variant, "b");
    runs = read_json("{\"context\":{\"date\":\"2026-01-02T03:04:05+00:00\",\"host_name\":\"h\","
                     "\"executable\":\"./out/bench_it\"},\"benchmarks\":[{\"name\":\"BM_x\","
                     "\"run_type\":\"iteration\",\"real_time\":5,\"time_unit\":\"us\"}]}",
                     *state);
    assert_str(runs.run[0].name, "bench_it");
    assert_str(runs.run[0].measure[0].metric, "BM_x");
    assert_str(runs.run[0].measure[0].variant, "");
    assert_int_equal(runs.run[0].time_ns, 1767323045000000000);
}

static void test_history__what_is_no_run_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *text;
        size_t offset;
    } cases[] = {
        {"", 0},
        {"3", 0},
        {"[]", 0},
        {"{}", 0},
        {"{\"measurements\":3", 17},
        {COMPLETE("a", "1") "\n{\"x\":1}", sizeof(COMPLETE("a", "1"))},
        {"{\"schema\":\"tt-perf.history-run/1\"}", 0},
        {"{\"schema\":\"tt-perf.history-run/1\",\"name\":\"a\",\"document\":{\"size\":3,"
         "\"sha256\":\"00\",\"packing\":\"none\",\"base64\":\"YWJj\"}}",
         56},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_history_runs runs;
        struct ttp_err err = {0};

        assert_int_not_equal(
            ttp_history_runs_from_json(&runs, ttp_str_from(cases[i].text), "x", *state, &err),
            TTP_OK);
        assert_int_equal(err.offset, cases[i].offset);
    }
}

#define TITLES                                                                                     \
    "Model, Setting, Batch, AVG DEVICE KERNEL SAMPLES/S, Lower Threshold AVG DEVICE KERNEL "       \
    "SAMPLES/S, Upper Threshold AVG DEVICE KERNEL SAMPLES/S, AVG DEVICE FW DURATION [ns]\n"

static void test_history__device_perf_csv(void **state)
{
    const ttp_str text = TTP_STR("branch: main\nhash: 0a1b2c\n" TITLES
                                 "bert, B8, 8, 100.5, 98, 102, 5000\nresnet, B16, 16, 7, , , x\n"
                                 "bert, B16, 16, 99, 98, 102, 5001\n");
    struct ttp_history_runs runs;

    assert_true(ttp_history_is_perf_csv(text));
    assert_false(ttp_history_is_perf_csv(TTP_STR("OP CODE,OP TYPE\nx,y\n")));
    assert_int_equal(
        ttp_history_runs_from_perf_csv(&runs, text, "device_perf_all_2026_01_02.csv", *state, NULL),
        TTP_OK);
    assert_int_equal(runs.count, 2);
    const struct ttp_history_run *r = &runs.run[0];
    assert_str(r->name, "bert");
    assert_str(r->branch, "main");
    assert_str(r->commit, "0a1b2c");
    assert_str(r->kind, "device-perf");
    assert_int_equal(r->time_ns, 1767312000000000000);
    assert_true(ttp_str_eq(r->document, text));
    assert_int_equal(r->measures, 4);
    assert_str(r->measure[0].metric, "AVG DEVICE KERNEL SAMPLES/S");
    assert_str(r->measure[0].unit, "samples/s");
    assert_str(r->measure[0].variant, "B8, batch 8");
    assert_str(r->measure[2].variant, "B16, batch 16");
    assert_int_equal(r->measure[0].better, TTP_BETTER_HIGHER);
    assert_true(r->measure[0].target == 100);
    assert_str(r->measure[1].unit, "ns");
    assert_int_equal(r->measure[1].better, TTP_BETTER_LOWER);
    assert_int_equal(runs.run[1].measures, 1);
}

static void test_history__a_bad_perf_csv_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *text;
        size_t offset;
    } cases[] = {
        {"", 0},
        {"Model, Speed\nx, 1\n", 0},
        {TITLES, sizeof(TITLES) - 1},
        {TITLES "bert, B8, 8\n", sizeof(TITLES) - 1},
        {"hash: x\n" TITLES ", B8, 8, 1, 2, 3, 4\n", sizeof(TITLES) + 7},
        {TITLES "bert, B8, 8, x, 2, 3, y\n", 0},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_history_runs runs;
        struct ttp_err err = {0};

        assert_int_equal(ttp_history_runs_from_perf_csv(&runs, ttp_str_from(cases[i].text), "x.csv",
                                                        *state, &err),
                         TTP_EPARSE);
        assert_int_equal(err.offset, cases[i].offset);
    }
}

/* ---- lines ---- */

static double noise(uint64_t *state)
{
    double s = -6;

    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        s += (double)(*state >> 11) / 9007199254740992.0;
    }
    return s;
}

static struct ttp_series_point *make_line(const double *level, const size_t *count, size_t levels,
                                          double sd, struct ttp_arena *arena)
{
    struct ttp_series_point *p = TTP_NEW(arena, struct ttp_series_point, 500);
    uint64_t seed = 23;
    size_t n = 0;

    for (size_t i = 0; i < levels; i++)
        for (size_t k = 0; k < count[i]; k++, n++)
            p[n] = (struct ttp_series_point){.run = (int64_t)n + 1,
                                             .time_ns = (int64_t)n,
                                             .median = level[i] + sd * noise(&seed),
                                             .count = 1};
    return p;
}

static const struct ttp_line_options options = {{5, 499, 0.01, 1}, 0.02, 0.95};

static void test_history__how_a_line_stands_since_a_moment(void **state)
{
    static const struct {
        double level[3];
        size_t count[3];
        double sd;
        size_t before;
        enum ttp_better better;
        enum ttp_standing want;
        int64_t first; /* run of the present level; 0: not looked at */
    } cases[] = {
        /* plain steps */
        {{100, 110, 0}, {20, 20, 0}, 1, 20, TTP_BETTER_LOWER, TTP_STANDS_WORSE, 21},
        {{100, 110, 0}, {20, 20, 0}, 1, 20, TTP_BETTER_HIGHER, TTP_STANDS_BETTER, 21},
        {{100, 90, 0}, {20, 20, 0}, 1, 20, TTP_BETTER_HIGHER, TTP_STANDS_WORSE, 21},
        /* it changed some runs after the moment */
        {{100, 110, 0}, {20, 20, 0}, 1, 12, TTP_BETTER_LOWER, TTP_STANDS_WORSE, 21},
        /* it had changed before */
        {{100, 110, 0}, {20, 20, 0}, 1, 30, TTP_BETTER_LOWER, TTP_STANDS_SAME, 0},
        {{100, 110, 0}, {20, 20, 0}, 1, 23, TTP_BETTER_LOWER, TTP_STANDS_SAME, 0},
        /* there and back again */
        {{100, 110, 100}, {15, 15, 15}, 1, 15, TTP_BETTER_LOWER, TTP_STANDS_SAME, 31},
        /* significant, but less than 2 % */
        {{100, 101, 0}, {30, 30, 0}, 0.2, 30, TTP_BETTER_LOWER, TTP_STANDS_SAME, 0},
        /* noise only */
        {{100, 100, 0}, {20, 20, 0}, 5, 20, TTP_BETTER_LOWER, TTP_STANDS_SAME, 0},
        /* levels too young for a change point: the slowdown of the last three runs, and the loss
         * of a gain that four of thirty earlier runs had */
        {{100, 110, 0}, {37, 3, 0}, 1, 30, TTP_BETTER_LOWER, TTP_STANDS_WORSE, 38},
        {{110, 100, 110}, {26, 4, 10}, 1, 30, TTP_BETTER_LOWER, TTP_STANDS_WORSE, 31},
        {{110, 100, 110}, {26, 4, 3}, 1, 30, TTP_BETTER_LOWER, TTP_STANDS_WORSE, 31},
        {{100, 103, 0}, {37, 3, 0}, 3, 30, TTP_BETTER_LOWER, TTP_STANDS_SAME, 0},
        /* the base is the last level, not the median of two of the same length */
        {{61, 157, 231}, {5, 5, 1}, 0.1, 10, TTP_BETTER_LOWER, TTP_STANDS_WORSE, 11},
        {{61, 157, 231}, {4, 4, 1}, 0.1, 8, TTP_BETTER_LOWER, TTP_STANDS_WORSE, 9},
        /* few runs: twice the noise, or 5 % blindly */
        {{100, 110, 0}, {10, 1, 0}, 1, 10, TTP_BETTER_LOWER, TTP_STANDS_WORSE, 11},
        {{100, 101, 0}, {10, 1, 0}, 3, 10, TTP_BETTER_LOWER, TTP_STANDS_SAME, 0},
        {{100, 104, 0}, {1, 1, 0}, 0, 1, TTP_BETTER_LOWER, TTP_STANDS_SAME, 0},
        {{100, 106, 0}, {1, 1, 0}, 0, 1, TTP_BETTER_LOWER, TTP_STANDS_WORSE, 2},
        {{0, 1, 0}, {3, 3, 0}, 0, 3, TTP_BETTER_LOWER, TTP_STANDS_WORSE, 4},
        {{0, 0, 0}, {3, 3, 0}, 0, 3, TTP_BETTER_LOWER, TTP_STANDS_SAME, 0},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const size_t all = cases[i].count[0] + cases[i].count[1] + cases[i].count[2];
        struct ttp_series series = {.better = cases[i].better};
        struct ttp_line_comparison c;
        const struct ttp_series_point *p =
            make_line(cases[i].level, cases[i].count, 3, cases[i].sd, *state);

        ttp_history_line_compare(&c, &series,
                                 (struct ttp_line_sides){p, cases[i].before, all - cases[i].before},
                                 &options, *state);
        ttp_history_line_settle(&c, 1, &options, *state);
        if (c.standing != cases[i].want)
            fail_msg("case %zu: %d, not %d (%.3f, p %.4f)", i, (int)c.standing, (int)cases[i].want,
                     c.change, c.p);
        if (cases[i].first && c.first.run != cases[i].first)
            fail_msg("case %zu: since run %lld", i, (long long)c.first.run);
    }
}

static void test_history__a_trend_has_levels_and_what_changed_them(void **state)
{
    static const double level[] = {100, 120, 90};
    static const size_t count[] = {20, 20, 20};
    const struct ttp_series series = {.better = TTP_BETTER_LOWER};
    struct ttp_trend t;

    ttp_history_trend_make(&t, &series,
                           (struct ttp_series_points){make_line(level, count, 3, 1, *state), 60},
                           &options.changes, *state);
    assert_int_equal(t.changes, 2);
    assert_int_equal(t.change[0].at, 20);
    assert_true(t.change[0].worse && !t.change[1].worse);
    assert_true(fabs(t.change[0].change - 0.2) < 0.02);
    assert_true(fabs(t.change[1].change + 0.25) < 0.02);
}

static void test_history__clean_steps_of_five_runs_are_all_found(void **state)
{
    static const double level[] = {61, 157, 231};
    static const size_t count[] = {5, 5, 5};
    struct ttp_change_options changes = options.changes;

    for (changes.seed = 1; changes.seed <= 20; changes.seed++) {
        struct ttp_trend t;

        ttp_history_trend_make(
            &t, &(struct ttp_series){.better = TTP_BETTER_LOWER},
            (struct ttp_series_points){make_line(level, count, 3, 0.1, *state), 15}, &changes,
            *state);
        assert_int_equal(t.changes, 2);
        assert_int_equal(t.change[0].at, 5);
        assert_int_equal(t.change[1].at, 10);
    }
}

static void test_history__runs_of_the_commit_are_the_base(void **state)
{
    static const double level[] = {61, 157, 231};
    static const size_t count[] = {6, 2, 1};
    struct ttp_series_point p[9];
    struct ttp_line_comparison c;

    memcpy(p, make_line(level, count, 3, 0.1, *state), sizeof(p));
    p[6].commit = p[7].commit = TTP_STR("bbbbbb5");
    ttp_history_line_compare(&c, &(struct ttp_series){.better = TTP_BETTER_LOWER},
                             (struct ttp_line_sides){p, 8, 1}, &options, *state);
    assert_int_equal(c.runs_before, 2);
    assert_true(fabs(c.before - 157) < 1);
}

/* The longer the look back, the surer the finding. */
static void test_history__more_runs_before_do_not_hide_a_step(void **state)
{
    static const double level[] = {100, 106};
    enum { LINES = 3, AFTER = 6 };

    for (size_t before = 1; before <= 8; before++) {
        const size_t count[] = {before, AFTER};
        struct ttp_line_comparison c[LINES];

        for (size_t i = 0; i < LINES; i++)
            ttp_history_line_compare(
                &c[i], &(struct ttp_series){.better = TTP_BETTER_LOWER},
                (struct ttp_line_sides){make_line(level,
                                                  i == 1 ? count : (size_t[]){before + AFTER, 0}, 2,
                                                  0.2, *state),
                                        before, AFTER},
                &options, *state);
        ttp_history_line_settle(c, LINES, &options, *state);
        assert_int_equal(c[1].standing, TTP_STANDS_WORSE);
    }
}

static void test_history__many_lines_make_a_chance_finding_unlikely(void **state)
{
    enum { LINES = 200 };
    struct ttp_line_comparison *c = TTP_NEW(*state, struct ttp_line_comparison, LINES);
    struct ttp_line_options o = options;
    uint64_t seed = 99;
    size_t worse = 0;

    o.min_effect = 0;
    o.changes.permutations = 99;
    for (size_t i = 0; i < LINES; i++) {
        struct ttp_series_point *p = TTP_NEW(*state, struct ttp_series_point, 16);

        for (size_t k = 0; k < 16; k++)
            p[k] = (struct ttp_series_point){.run = 1, .median = 100 + noise(&seed), .count = 1};
        ttp_history_line_compare(&c[i], &(struct ttp_series){0}, (struct ttp_line_sides){p, 8, 8},
                                 &o, *state);
    }
    ttp_history_line_settle(c, LINES, &o, *state);
    for (size_t i = 0; i < LINES; i++)
        worse += c[i].standing == TTP_STANDS_WORSE;
    assert_true(worse <= 1); /* of 200 tests at 5 % ten would be */
}

static void test_history__a_step_is_found_and_noise_is_not(void **state)
{
    enum { LINES = 300, RUNS = 40, BEFORE = 30 };
    uint64_t seed = 7;
    size_t found[2] = {0};

    for (size_t i = 0; i < (size_t)2 * LINES; i++) {
        const bool planted = i % 2;
        const size_t step = BEFORE + i / 2 % 8; /* the slow runs: the last 10 to 3 */
        struct ttp_series_point *p = TTP_NEW(*state, struct ttp_series_point, RUNS);
        struct ttp_line_comparison c;

        for (size_t k = 0; k < RUNS; k++)
            p[k] = (struct ttp_series_point){.run = (int64_t)k + 1,
                                             .median =
                                                 (planted && k >= step ? 106 : 100) + noise(&seed),
                                             .count = 1};
        ttp_history_line_compare(&c, &(struct ttp_series){.better = TTP_BETTER_LOWER},
                                 (struct ttp_line_sides){p, BEFORE, RUNS - BEFORE}, &options,
                                 *state);
        ttp_history_line_settle(&c, 1, &options, *state);
        found[planted] += c.standing == TTP_STANDS_WORSE;
    }
    if (found[0] > LINES / 50 || found[1] < LINES * 99 / 100)
        fail_msg("%zu of %d steps, %zu of %d lines of noise", found[1], LINES, found[0], LINES);
}

static struct ttp_run_op with_config(const char *config, int64_t cores)
{
    return (struct ttp_run_op){.config = ttp_str_from(config), .cores = cores};
}

static void test_history__says_which_settings_differ(void **state)
{
    struct ttp_run_op a = with_config("1d grid=8x8 in0_block_w=2 per_core_N=7", 64);
    struct ttp_run_op b = with_config("1d grid=8x8 in0_block_w=4 per_core_N=7", 64);

    assert_str(ttp_history_op_settings(&a, &a, *state), "");
    assert_str(ttp_history_op_settings(&a, &b, *state), "in0_block_w=4");
    b.cores = 32;
    b.fidelity = TTP_STR("LoFi");
    a.memory = TTP_STR("DEV_0_DRAM_INTERLEAVED,DEV_0_DRAM_INTERLEAVED,DEV_0_L1_INTERLEAVED");
    b.memory = TTP_STR("DEV_3_L1_WIDTH_SHARDED,DEV_3_DRAM_INTERLEAVED,DEV_3_L1_INTERLEAVED");
    assert_str(ttp_history_op_settings(&a, &b, *state),
               "in0_block_w=4, 32 cores, LoFi, input 0 in L1 width sharded");
    b = with_config("dram in0_block_w=2 per_core_N=7", 64);
    assert_str(ttp_history_op_settings(&a, &b, *state), "dram in0_block_w=2 per_core_N=7");
    assert_str(ttp_history_op_settings(&b, &(struct ttp_run_op){.cores = -1}, *state),
               "no program config");
    a = with_config("Norm(grid=8-4;block_w=4)", 32);
    b = with_config("Norm(grid=8-8;block_w=4)", 32);
    assert_str(ttp_history_op_settings(&a, &b, *state), "grid=8-8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_history__a_complete_benchmark_run_says_all_of_itself),
        TTP_TEST_ARENA(test_history__each_document_of_a_file_is_a_run),
        TTP_TEST_ARENA(test_history__hyperfine_and_google_benchmark_are_read),
        TTP_TEST_ARENA(test_history__what_is_no_run_is_refused_with_its_place),
        TTP_TEST_ARENA(test_history__device_perf_csv),
        TTP_TEST_ARENA(test_history__a_bad_perf_csv_is_refused_with_its_place),
        TTP_TEST_ARENA(test_history__how_a_line_stands_since_a_moment),
        TTP_TEST_ARENA(test_history__a_trend_has_levels_and_what_changed_them),
        TTP_TEST_ARENA(test_history__clean_steps_of_five_runs_are_all_found),
        TTP_TEST_ARENA(test_history__runs_of_the_commit_are_the_base),
        TTP_TEST_ARENA(test_history__says_which_settings_differ),
        TTP_TEST_ARENA(test_history__more_runs_before_do_not_hide_a_step),
        TTP_TEST_ARENA(test_history__many_lines_make_a_chance_finding_unlikely),
        TTP_TEST_ARENA(test_history__a_step_is_found_and_noise_is_not),
    };
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
