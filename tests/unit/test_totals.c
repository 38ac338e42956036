/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/stages.h"
#include "ops_line.h"

#define RUN                                                                                        \
    OPS_HEAD OP("A", 0, 1000, 500) OP("B", 0, 2000, 1000) HOST_OP("(torch) h")                     \
        OP("C", 0, 5000, 2000)

static void test_totals__shares_are_of_time_and_gaps(void **state)
{
    struct ops_line line;

    ops_line_run(&line, RUN, &ops_compat, *state);
    assert_true(line.report.time_us == 8 && line.report.gap_us == 3);
    assert_false(line.report.op[0].has & TTP_HAS_GAP); /* nothing came before */
    assert_true(line.report.op[0].total_pct == 1.0 / 11 * 100);
    assert_true(line.report.op[1].total_pct == 3.0 / 11 * 100);
    assert_false(line.report.op[2].has & (TTP_HAS_TOTAL | TTP_HAS_TIME));
    assert_int_equal(line.report.op[2].bound, TTP_BOUND_HOST);
    assert_true(line.report.op[3].total_pct == 7.0 / 11 * 100);
    assert_int_equal(line.report.device_ops, 3);
    assert_int_equal(line.report.host_ops, 1);
}

static void test_totals__filters_change_the_shares_but_not_the_counts(void **state)
{
    static const struct {
        struct ttp_report_options options;
        const char *codes, *note;
        double total;
    } cases[] = {
        {{.has_id_range = true, .has_id_from = true, .id_from = 3, .id_from_text = {"3", 1}},
         "B (torch) h C",
         "from 3 onwards",
         9},
        {{.has_id_range = true, .has_id_to = true, .id_to = 3, .id_to_text = {"3", 1}},
         "A B",
         "up to 3",
         4},
        {{.has_id_range = true,
          .has_id_from = true,
          .id_from = 3,
          .id_from_text = {"3", 1},
          .has_id_to = true,
          .id_to = 4,
          .id_to_text = {"4", 1}},
         "B (torch) h",
         "from 3 to 4",
         2},
        {{.has_id_range = true, .has_id_from = true, .id_from = 9, .id_from_text = {"9", 1}},
         "",
         "from 9",
         0},
        {{.no_host_ops = true}, "A B C", "No signposts", 11},
        {{.has_id_range = true,
          .has_id_from = true,
          .id_from = 4,
          .id_from_text = {"4", 1},
          .no_host_ops = true},
         "C",
         "from 4",
         7},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_report_options options = cases[i].options;
        struct ops_line line;
        options.rules = &ttp_compat_analysis;
        ops_line_run(&line, RUN, &options, *state);
        assert_codes(&line, cases[i].codes);
        assert_note(&line.report.notes, cases[i].note);
        assert_true(line.report.time_us + line.report.gap_us == cases[i].total);
        assert_int_equal(line.report.device_ops, 3);
        assert_int_equal(line.report.host_ops, 1);
    }
}

static void test_totals__a_range_without_ends_is_refused_when_there_are_rows(void **state)
{
    const struct ttp_report_options options = {.rules = &ttp_compat_analysis, .has_id_range = true};
    struct ops_line line;

    ops_line_try(&line, RUN, &options, *state);
    assert_int_equal(line.code, TTP_EPARSE);
    assert_note(&line.report.notes, "up to None");
    ops_line_run(&line, OPS_HEAD, &options, *state);
}

static void test_totals__bounds(void **state)
{
    static const struct {
        double dram, flops;
        enum ttp_bound original, ours;
    } cases[] = {
        {65, 65, TTP_BOUND_BOTH, TTP_BOUND_BOTH},    {65, 64.99, TTP_BOUND_DRAM, TTP_BOUND_DRAM},
        {64.99, 65, TTP_BOUND_FLOP, TTP_BOUND_FLOP}, {1, 1, TTP_BOUND_SLOW, TTP_BOUND_SLOW},
        {NAN, NAN, TTP_BOUND_SLOW, TTP_BOUND_SLOW},  {0, 90, TTP_BOUND_NONE, TTP_BOUND_FLOP},
        {1000, 0, TTP_BOUND_NONE, TTP_BOUND_NONE},
    };
    struct ttp_symtab syms = {.arena = *state};

    ttp_sym_intern(&syms, TTP_STR("Matmul"));
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        for (int original = 0; original < 2; original++) {
            struct ttp_op op = {.has = TTP_HAS_DRAM_PCT | TTP_HAS_FLOPS_PCT,
                                .analysed = TTP_ANALYSED_FULL,
                                .dram_pct = cases[i].dram,
                                .flops_pct = cases[i].flops};
            struct ttp_report report = {
                .syms = &syms, .op = &op, .count = 1, .notes = {.arena = *state}};
            struct ttp_stage s = {.report = &report,
                                  .rules = original ? &ttp_compat_analysis : &ttp_our_rules,
                                  .arena = *state,
                                  .notes = &report.notes};
            ttp_analysis_stage_bounds(&s);
            assert_int_equal(op.bound, original ? cases[i].original : cases[i].ours);
            op.has = TTP_HAS_FLOPS_PCT; /* nothing in DRAM */
            ttp_analysis_stage_bounds(&s);
            assert_int_equal(op.bound, TTP_BOUND_NONE);
        }
    assert_string_equal(ttp_analysis_bound_name(TTP_BOUND_NONE), "");
    assert_string_equal(ttp_analysis_bound_name(TTP_BOUND_HOST), "HOST");
}

static void test_totals__impossible_durations_are_set_aside_by_ours(void **state)
{
    static const char text[] =
        OPS_HEAD OP("A", 0, 1000, ) OP("B", 0, 5000000000, -4999999000) OP("C", 0, -5, 1);
    struct ops_line line;

    ops_line_run(&line, text, &ops_ours, *state);
    assert_int_equal(line.report.invalid_durations, 2);
    assert_note(&line.report.notes, "2 device ops have a missing or impossible");
    assert_true(line.report.time_us == 1);
    ops_line_run(&line, text, &ops_compat, *state);
    assert_int_equal(line.report.invalid_durations, 0);
}

static void test_totals__sums_are_compensated_as_in_python(void **state)
{
    static const struct {
        double item[4], sum;
    } cases[] = {
        {{1e100, 1, -1e100, 1}, 2},
        {{0.1, 0.2, 0.3, 0.4}, 1.0},
        {{1e308, 1e308, -1e308, 0}, INFINITY},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_sum s = {0};
        for (size_t k = 0; k < 4; k++)
            ttp_analysis_sum_add(&s, cases[i].item[k]);
        assert_true(ttp_analysis_sum_value(&s) == cases[i].sum);
    }
}

static void test_totals__random_sums_are_as_good_as_wider_ones(void **state)
{
    (void)state;
    srand(8);
    for (int round = 0; round < 200; round++) {
        struct ttp_sum s = {0};
        __int128 exact = 0; /* in units of 2^-20 */
        for (int i = 0; i < 1000; i++) {
            const int64_t x = ((int64_t)rand() << 20 ^ rand()) * (rand() % 2 ? 1 : -1);
            exact += x;
            ttp_analysis_sum_add(&s, (double)x / (1 << 20));
        }
        assert_true(ttp_analysis_sum_value(&s) == (double)exact / (1 << 20));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_totals__shares_are_of_time_and_gaps),
        TTP_TEST_ARENA(test_totals__filters_change_the_shares_but_not_the_counts),
        TTP_TEST_ARENA(test_totals__a_range_without_ends_is_refused_when_there_are_rows),
        TTP_TEST_ARENA(test_totals__bounds),
        TTP_TEST_ARENA(test_totals__impossible_durations_are_set_aside_by_ours),
        cmocka_unit_test(test_totals__sums_are_compensated_as_in_python),
        cmocka_unit_test(test_totals__random_sums_are_as_good_as_wider_ones),
    };
    return cmocka_run_group_tests_name("analysis/totals", tests, NULL, NULL);
}
