/* SPDX-License-Identifier: Apache-2.0 */
#include "base/content.h"
#include "base/shell_lines.h"
#include "outputs/cells.h"
#include "outputs/paint.h"
#include "test.h"

static void assert_lines(ttp_str got, const char *want)
{
    assert_int_equal(got.len, strlen(want));
    assert_memory_equal(got.ptr, want, got.len);
}

static void test_text_lines__words_go_on_behind_blanks(void **state)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, *state);
    ttp_paint_wrapped(&out, TTP_STR("aaaa bbbb cccc dddd eeee 55 %"), 24, 3, 3);
    assert_lines(ttp_sink_text(&out), "aaaa bbbb cccc dddd\n   eeee 55 %\n");
}

static void test_text_lines__no_width_is_one_line(void **state)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, *state);
    ttp_paint_wrapped(&out, TTP_STR("aaaa bbbb cccc dddd eeee ffff"), 0, 3, 3);
    assert_lines(ttp_sink_text(&out), "aaaa bbbb cccc dddd eeee ffff\n");
}

static void test_text_lines__a_command_is_not_cut_in_quotes(void **state)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, *state);
    ttp_shell_put_lines(&out, TTP_STR("VAR=1 run 'a b c d e' --more x"), 16, 2, 4);
    assert_lines(ttp_sink_text(&out), "VAR=1 run \\\n    'a b c d e' \\\n    --more x\n");
    ttp_sink_to_arena(&out, *state);
    ttp_shell_put_lines(&out, TTP_STR("VAR=1 run 'a b c d e'"), 0, 2, 4);
    assert_lines(ttp_sink_text(&out), "VAR=1 run 'a b c d e'\n");
}

/* Names are shortened first, then columns go by their rank. */
static void test_text_lines__a_table_is_made_to_fit(void **state)
{
    static const struct ttp_cell_column columns[] = {
        {"name", true, 0}, {"first", false, 1}, {"second", false, 2}};
    static const char *const units[] = {"", "ns", "%"};
    struct ttp_cells c;
    struct ttp_sink out;

    ttp_cells_init(&c, columns, TTP_COUNT(columns), *state);
    c.unit = units;
    c.name_least = 6;
    c.indent = 1;
    ttp_cells_add_row(&c);
    ttp_cells_set(&c, 0, TTP_STR("long name"));
    ttp_cells_set(&c, 1, TTP_STR("1"));
    ttp_cells_set(&c, 2, TTP_STR("22"));
    ttp_sink_to_arena(&out, *state);
    ttp_cells_text(&out, &c, 23, true);
    assert_lines(ttp_sink_text(&out), " name     first  second\n"
                                      "             ns       %\n"
                                      " long n…      1      22\n");
    ttp_sink_to_arena(&out, *state);
    ttp_cells_text(&out, &c, 17, true);
    assert_lines(ttp_sink_text(&out),
                 " name       first\n"
                 "               ns\n"
                 " long name      1\n"
                 " \x1b[2mno room in 17 columns for second (make the terminal wider)\x1b[0m\n");
}

static void test_text_lines__files_are_known_by_their_first_bytes(void **state)
{
    (void)state;
    assert_string_equal(ttp_content_kind(TTP_STR(" {\"a\":1}")), "JSON");
    assert_string_equal(ttp_content_kind(TTP_STR("\x89PNG\r\n")), "a picture (PNG)");
    assert_string_equal(ttp_content_kind(TTP_STR("#!/bin/sh\n")), "a script");
    assert_string_equal(ttp_content_kind(TTP_STR("<svg/>")), "a picture (SVG)");
    assert_string_equal(ttp_content_kind(TTP_STR("ab\0cd")), "binary data");
    assert_null(ttp_content_kind(TTP_STR("a,b\n1,2\n")));
    assert_null(ttp_content_kind(TTP_STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_text_lines__words_go_on_behind_blanks),
        TTP_TEST_ARENA(test_text_lines__no_width_is_one_line),
        TTP_TEST_ARENA(test_text_lines__a_command_is_not_cut_in_quotes),
        TTP_TEST_ARENA(test_text_lines__a_table_is_made_to_fit),
        cmocka_unit_test(test_text_lines__files_are_known_by_their_first_bytes),
    };
    return cmocka_run_group_tests_name("text_lines", tests, NULL, NULL);
}
