/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/message_rows.h"

#include "test.h"

static struct ttp_message_row first_row(const char *text, bool last, bool recover,
                                        struct ttp_arena *arena, size_t *bytes)
{
    struct ttp_message_row row;

    *bytes = ttp_logs_message_next(&row, ttp_str_from(text), last, recover, arena);
    return row;
}

static void test_message_rows__quotes_may_hold_separators_and_line_ends(void **state)
{
    size_t n;
    const struct ttp_message_row row =
        first_row("`a;b\nc``d`;12\nnext;1\n", false, true, *state, &n);

    assert_int_equal(n, 14);
    assert_true(ttp_str_eq(row.name, TTP_STR("a;b\nc`d")));
    assert_true(ttp_str_eq(row.time, TTP_STR("12")));
    assert_int_equal(row.lines, 2);
    assert_false(row.open);
}

static void test_message_rows__an_incomplete_row_asks_for_more(void **state)
{
    size_t n;

    (void)first_row("`a;b\nc", false, true, *state, &n);
    assert_int_equal(n, 0);
    (void)first_row("plain;12", false, true, *state, &n);
    assert_int_equal(n, 0);
    const struct ttp_message_row row = first_row("plain;12", true, true, *state, &n);
    assert_int_equal(n, 8);
    assert_true(ttp_str_eq(row.time, TTP_STR("12")));
}

static void test_message_rows__a_lost_quote_ends_at_the_next_message_or_swallows_it(void **state)
{
    static const char text[] = "`cut {\"a\":1;5\n`TT_DNN_DEVICE_OP: x`;7\n";
    size_t n;
    struct ttp_message_row row = first_row(text, true, true, *state, &n);

    assert_true(row.open);
    assert_int_equal(n, 14);
    row = first_row(text, true, false, *state, &n);
    assert_false(row.open);
    assert_true(ttp_str_ends(row.name, TTP_STR("TT_DNN_DEVICE_OP: x`")));
}

static void test_message_rows__the_tail_is_all_behind_the_first_separator(void **state)
{
    size_t n;
    const struct ttp_message_row row =
        first_row("MLIR_OP_LOCATION;loc(\"a\";3);99\n", true, true, *state, &n);

    assert_true(ttp_str_eq(row.name, TTP_STR("MLIR_OP_LOCATION")));
    assert_true(ttp_str_eq(row.tail, TTP_STR("loc(\"a\";3);99")));
    assert_int_equal(row.nfields, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_message_rows__quotes_may_hold_separators_and_line_ends),
        TTP_TEST_ARENA(test_message_rows__an_incomplete_row_asks_for_more),
        TTP_TEST_ARENA(test_message_rows__a_lost_quote_ends_at_the_next_message_or_swallows_it),
        TTP_TEST_ARENA(test_message_rows__the_tail_is_all_behind_the_first_separator),
    };
    return cmocka_run_group_tests_name("logs/message_rows", tests, NULL, NULL);
}
