/* SPDX-License-Identifier: Apache-2.0 */
#include "base/content.h"
#include "base/shell_lines.h"
#include "base/wrap.h"
#include "outputs/outputs.h"
#include "outputs/show/paint.h"
#include "test.h"
#include <math.h>

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

static void
test_text_lines__a_path_breaks_after_a_slash_and_other_long_words_are_whole(void **state)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, *state);
    ttp_put_wrapped(
        &out, ttp_wrap_squeeze(TTP_STR(" abcd\n\tefghijklmnopqrs  x/yzabcd/efghijkl "), *state),
        (struct ttp_wrap){14, 12, 1});
    assert_lines(ttp_sink_text(&out), "\n abcd\n efghijklmnopqrs\n x/yzabcd/\n efghijkl\n");
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
struct city {
    const char *name;
    double distance_us, share;
};

static const struct ttp_field city_fields[] = {
    TTP_WORDS_COLUMN("name", "Name", 0, TTP_FIGURE(struct city, name)),
    TTP_REAL_COLUMN("distance_us", "Distance", "us", 0, 1, TTP_FIGURE(struct city, distance_us)),
    TTP_REAL_COLUMN("share_percent", "Share", "%", 1, 2, TTP_FIGURE(struct city, share)),
};
static const struct ttp_fields cities = {TTP_FIELDS(city_fields)};

static void test_text_lines__a_table_is_made_to_fit(void **state)
{
    static const struct city row[] = {{"a rather long name of a city", 12, 3.25},
                                      {"b", 1234567, (double)NAN}};
    const struct ttp_records records = {&cities, NULL, row, sizeof(*row), TTP_COUNT(row)};
    struct ttp_sink out;
    struct ttp_show show = {.out = &out, .width = 60, .arena = *state};

    ttp_sink_to_arena(&out, *state);
    ttp_show_table(&show, &(struct ttp_table){.rows = &records});
    /* microseconds, or the short one would have no digit left */
    assert_lines(ttp_sink_text(&out), "Name                          Distance μs  Share %\n"
                                      "a rather long name of a city           12      3.2\n"
                                      "b                               1,234,567\n");
    show.width = 40;
    ttp_sink_to_arena(&out, *state);
    ttp_show_table(&show, &(struct ttp_table){.rows = &records});
    assert_lines(ttp_sink_text(&out), "Name                           Distance\n"
                                      "                                     μs\n"
                                      "a rather long name of a city         12\n"
                                      "b                             1,234,567\n"
                                      "no room in 40 columns for Share % (make\n"
                                      "  the terminal wider, or choose with\n"
                                      "  --columns)\n");
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
        TTP_TEST_ARENA(test_text_lines__a_path_breaks_after_a_slash_and_other_long_words_are_whole),
        TTP_TEST_ARENA(test_text_lines__no_width_is_one_line),
        TTP_TEST_ARENA(test_text_lines__a_command_is_not_cut_in_quotes),
        TTP_TEST_ARENA(test_text_lines__a_table_is_made_to_fit),
        cmocka_unit_test(test_text_lines__files_are_known_by_their_first_bytes),
    };
    return cmocka_run_group_tests_name("text_lines", tests, NULL, NULL);
}
