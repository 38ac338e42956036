/* SPDX-License-Identifier: Apache-2.0 */
/* test_fold.c - replays and layers that repeat, and what lies in them. */
#include "test.h"

#include "analysis/analysis.h"
#include "ops_line.h"

#define HEAD                                                                                       \
    "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns],CORE COUNT,"      \
    "GLOBAL CALL COUNT,ATTRIBUTES,INPUT_0_MEMORY,METAL TRACE ID,METAL TRACE REPLAY SESSION ID\n"
#define STEP(code, ns, t, s) code ",tt_dnn_device,0," #ns ",1,64,1,,DRAM," #t "," #s "\n"
#define LAYER(ns, t, s)                                                                            \
    STEP("A", ns, t, s)                                                                            \
    STEP("B", 1, t, s)                                                                             \
    STEP("C", 1, t, s)                                                                             \
    STEP("D", 1, t, s) STEP("E", 1, t, s) STEP("F", 1, t, s) STEP("G", 1, t, s) STEP("H", 1, t, s)
#define REPLAY(s) LAYER(1000, 4, s) LAYER(3000, 4, s) LAYER(2000, 4, s) STEP("Z", 7, 4, s)

static void fold(struct ttp_folds *out, struct ops_line *line, const char *text, void *arena)
{
    const struct ttp_report_options options = {.window = "all"};

    ops_line_run(line, text, &options, arena);
    ttp_analysis_fold(out, &line->report, arena);
}

static void test_fold__replays_hold_layers(void **state)
{
    struct ops_line line;
    struct ttp_folds f;

    fold(&f, &line, HEAD STEP("S", 5, , ) REPLAY(1) REPLAY(2), *state);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.item[0].kind, TTP_FOLD_REPLAY);
    assert_int_equal(f.item[0].first, 1);
    assert_int_equal(f.item[0].rows, 25);
    assert_int_equal(f.item[0].repeats, 2);
    assert_int_equal(f.inners, 1);
    assert_int_equal(f.inner[0].kind, TTP_FOLD_LAYER);
    assert_int_equal(f.inner[0].first, 1);
    assert_int_equal(f.inner[0].rows, 8);
    assert_int_equal(f.inner[0].repeats, 3);
    assert_true(f.inner[0].min_us > 1 && f.inner[0].min_us < 1.1);
    assert_true(f.inner[0].max_us > 3 && f.inner[0].max_us < 3.1);
    assert_true(f.inner[0].time_us > 12 && f.inner[0].time_us < 12.1); /* of both replays */
}

/* Replays whose ops differ, or one alone, are not a repetition. */
static void test_fold__only_equal_replays(void **state)
{
    struct ops_line line;
    struct ttp_folds f;

    fold(&f, &line, HEAD REPLAY(1), *state);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.item[0].kind, TTP_FOLD_LAYER);
    fold(&f, &line,
         HEAD STEP("A", 1, 4, 1) STEP("B", 1, 4, 1) STEP("A", 1, 4, 2) STEP("C", 1, 4, 2), *state);
    assert_int_equal(f.count, 0);
}

static void test_fold__a_few_ops_are_no_layer(void **state)
{
    struct ops_line line;
    struct ttp_folds f;

    fold(&f, &line,
         HEAD STEP("A", 1, , ) STEP("A", 2, , ) STEP("A", 1, , ) STEP("A", 1, , ) STEP("B", 1, , ),
         *state);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.item[0].kind, TTP_FOLD_OPS);
    assert_int_equal(f.item[0].rows, 1);
    assert_int_equal(f.item[0].repeats, 4);
    fold(&f, &line, HEAD LAYER(1, , ) LAYER(2, , ), *state);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.item[0].kind, TTP_FOLD_LAYER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_fold__replays_hold_layers),
        TTP_TEST_ARENA(test_fold__only_equal_replays),
        TTP_TEST_ARENA(test_fold__a_few_ops_are_no_layer),
    };
    return cmocka_run_group_tests_name("analysis/fold", tests, NULL, NULL);
}
