/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/ops.h"
#include "test.h"

#define HEAD "OP CODE,GLOBAL CALL COUNT,HOST START TS,TIME\n"

static struct ttp_report_difference compare(const char *a, const char *b, struct ttp_arena *arena)
{
    struct ttp_report_difference d;

    assert_int_equal(
        ttp_ops_compare_reports(
            &d, (struct ttp_report_texts){ttp_str_from(a), ttp_str_from(b), "a", "b"}, arena, NULL),
        TTP_OK);
    return d;
}

static void test_compare_reports__order_of_rows_and_columns_does_not_count(void **state)
{
    const struct ttp_report_difference d =
        compare(HEAD "A,1,10,5\nB,2,20,nan\n",
                "TIME,GLOBAL CALL COUNT,HOST START TS,OP CODE\n,2,20,B\n5,1,10,A\n", *state);

    assert_int_equal(d.cells, 8);
    assert_int_equal(d.different, 0);
    assert_int_equal(d.columns, 4);
}

static void test_compare_reports__names_the_first_different_cell(void **state)
{
    const struct ttp_report_difference d =
        compare(HEAD "A,1,10,5\nB,2,20,7\n", HEAD "A,1,10,5\nB,2,20,8\n", *state);

    assert_int_equal(d.different, 1);
    assert_int_equal(d.call, 2);
    assert_true(ttp_str_eq(d.column, TTP_STR("TIME")));
    assert_true(ttp_str_eq(d.first, TTP_STR("7")) && ttp_str_eq(d.second, TTP_STR("8")));
}

static void test_compare_reports__counts_rows_and_columns_of_both(void **state)
{
    const struct ttp_report_difference d =
        compare(HEAD "A,1,10,5\nB,2,20,7\n", "GLOBAL CALL COUNT,OTHER\n1,x\n", *state);

    assert_int_equal(d.first_rows, 2);
    assert_int_equal(d.second_rows, 1);
    assert_int_equal(d.columns, 1);
    assert_int_equal(d.cells, 1);
}

static void test_compare_reports__other_tables_are_refused(void **state)
{
    struct ttp_report_difference d;
    struct ttp_err err;

    assert_int_equal(
        ttp_ops_compare_reports(
            &d, (struct ttp_report_texts){TTP_STR(HEAD), TTP_STR("a,b\n1,2\n"), "a", "b.csv"},
            *state, &err),
        TTP_EPARSE);
    assert_non_null(strstr(err.text, "b.csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_compare_reports__order_of_rows_and_columns_does_not_count),
        TTP_TEST_ARENA(test_compare_reports__names_the_first_different_cell),
        TTP_TEST_ARENA(test_compare_reports__counts_rows_and_columns_of_both),
        TTP_TEST_ARENA(test_compare_reports__other_tables_are_refused),
    };
    return cmocka_run_group_tests_name("ops/compare_reports", tests, NULL, NULL);
}
