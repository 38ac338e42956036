/* SPDX-License-Identifier: Apache-2.0 */
/* Expected texts were printed by argparse 3.13.5 with the same options. */
#include "test.h"

#include <math.h>

#include "dropin/argparse.h"
#include "report_table.h"

struct result {
    enum ttp_argparse_result rc;
    struct report_values v;
    struct ttp_words files;
    ttp_str message;
};

#define MAX_WORDS 16

static struct result parse(struct ttp_arena *arena, const char *const *words)
{
    struct result r = {.v = {.min_percentage = 0.5, .group_by = 1}};
    char *argv[MAX_WORDS] = {NULL};
    int argc = 1;

    for (; words[argc - 1]; argc++) {
        const size_t room = strlen(words[argc - 1]) + 1;
        argv[argc] = TTP_NEW(arena, char, room);
        memcpy(argv[argc], words[argc - 1], room);
    }
    r.rc = ttp_argparse_parse(&r.v, &r.files, &r.message, &report_parser, argc, argv, arena);
    return r;
}

#define PARSE(...) parse(*state, (const char *const[]){__VA_ARGS__, NULL})

static void test_argparse__options_before_and_after_the_files(void **state)
{
    const struct result r =
        PARSE("--no-adv", "--csv=out.csv", "a.csv", "b.csv", "--group-by", "op", "--min-p", "3");

    assert_int_equal(r.rc, TTP_ARGPARSE_RUN);
    assert_true(r.v.no_advice);
    assert_string_equal(r.v.csv, "out.csv");
    assert_int_equal(r.v.group_by, 0);
    assert_true(r.v.min_percentage == 3);
    assert_int_equal(r.files.count, 2);
    assert_string_equal(r.files.word[1], "b.csv");
}

static void test_argparse__two_dashes_make_files_of_the_rest(void **state)
{
    const struct result r = PARSE("a", "--", "--color", "--");

    assert_int_equal(r.rc, TTP_ARGPARSE_RUN);
    assert_false(r.v.color);
    assert_int_equal(r.files.count, 3);
    assert_string_equal(r.files.word[1], "--color");
    assert_string_equal(r.files.word[2], "--");
}

static void test_argparse__negative_numbers_are_values(void **state)
{
    assert_string_equal(PARSE("a", "--id-range", "-12").v.id_range, "-12");
    assert_string_equal(PARSE("a", "--id-range=-1,000").v.id_range, "-1,000");
    assert_true(PARSE("a", "--min-percentage", "-.5").v.min_percentage == -0.5);
    assert_string_equal(PARSE("-5").files.word[0], "-5");
}

static void test_argparse__numbers_are_written_as_in_python(void **state)
{
    assert_true(PARSE("a", "--min-percentage", " 1_000.5 ").v.min_percentage == 1000.5);
    assert_true(isinf(PARSE("a", "--min-percentage", "Infinity").v.min_percentage));
    assert_true(isnan(PARSE("a", "--min-percentage=-nan").v.min_percentage));
    assert_true(PARSE("a", "--min-percentage", "1.").v.min_percentage == 1);
}

static void test_argparse__mistakes_in_the_words_of_argparse(void **state)
{
    static const struct {
        const char *words[5], *message;
    } cases[] = {
        {{NULL}, "the following arguments are required: csv_files"},
        {{"--nope"}, "the following arguments are required: csv_files"},
        {{"a", "--nope", "-x"}, "unrecognized arguments: --nope -x"},
        {{"a", "--color", "b", "c"}, "unrecognized arguments: b c"},
        {{"a", "--color", "--", "b"}, "unrecognized arguments: -- b"},
        {{"a", "--no-s"},
         "ambiguous option: --no-s could match --no-summary, --no-stacked-report, "
         "--no-stack-by-in0"},
        {{"a", "--c=1"}, "ambiguous option: --c=1 could match --color, --csv, --classic-colors"},
        {{"a", "--csv"}, "argument --csv: expected one argument"},
        {{"a", "--id-range", "-1,000"}, "argument --id-range: expected one argument"},
        {{"a", "--csv", "--"}, "argument --csv: expected one argument"},
        {{"a", "--color=x"}, "argument --color: ignored explicit argument 'x'"},
        {{"a", "--color="}, "argument --color: ignored explicit argument ''"},
        {{"-h=x"}, "argument -h/--help: ignored explicit argument 'x'"},
        {{"a", "--min-percentage", "x"}, "argument --min-percentage: invalid float value: 'x'"},
        {{"a", "--min-percentage=1__0"}, "argument --min-percentage: invalid float value: '1__0'"},
        {{"a", "--min-percentage=it's\n"},
         "argument --min-percentage: invalid float value: \"it's\\n\""},
        {{"a", "--group-by", "x"},
         "argument --group-by: invalid choice: 'x' (choose from op, memory, category)"},
        {{"a", "--group-by=\xff"},
         "argument --group-by: invalid choice: '\\udcff' (choose from op, memory, category)"},
        {{"a", "--zz\xff"}, "unrecognized arguments: --zz\\udcff"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct result r = parse(*state, cases[i].words);
        assert_int_equal(r.rc, TTP_ARGPARSE_ERROR);
        assert_int_equal(r.message.len, strlen(cases[i].message));
        assert_memory_equal(r.message.ptr, cases[i].message, r.message.len);
    }
}

static void test_argparse__help_wins_over_mistakes_after_it_only(void **state)
{
    assert_int_equal(PARSE("-h", "--csv").rc, TTP_ARGPARSE_HELP);
    assert_int_equal(PARSE("--nope", "--he", "--no-s").rc, TTP_ARGPARSE_HELP);
    assert_int_equal(PARSE("-hx").rc, TTP_ARGPARSE_HELP);
    assert_int_equal(PARSE("--min-percentage", "x", "-h").rc, TTP_ARGPARSE_ERROR);
}

static void test_argparse__a_second_name_works_only_in_full(void **state)
{
    assert_string_equal(PARSE("a", "--signpost", "s").v.start, "s");
    assert_string_equal(PARSE("a", "--signpost=s").v.start, "s");
    assert_int_equal(PARSE("a", "--signpos", "s").rc, TTP_ARGPARSE_ERROR);
}

static void test_argparse__help_is_that_of_the_original(void **state)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, *state);
    ttp_argparse_help(&out, &report_parser, 80, *state);
    assert_golden(ttp_sink_text(&out), "argparse_help_80.txt");
}

static void test_argparse__help_fits_narrow_and_wide_terminals(void **state)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, *state);
    ttp_argparse_help(&out, &report_parser, 24, *state);
    ttp_argparse_usage(&out, &report_parser, 2000, *state);
    assert_golden(ttp_sink_text(&out), "argparse_help_24_2000.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_argparse__options_before_and_after_the_files),
        TTP_TEST_ARENA(test_argparse__two_dashes_make_files_of_the_rest),
        TTP_TEST_ARENA(test_argparse__negative_numbers_are_values),
        TTP_TEST_ARENA(test_argparse__numbers_are_written_as_in_python),
        TTP_TEST_ARENA(test_argparse__mistakes_in_the_words_of_argparse),
        TTP_TEST_ARENA(test_argparse__help_wins_over_mistakes_after_it_only),
        TTP_TEST_ARENA(test_argparse__a_second_name_works_only_in_full),
        TTP_TEST_ARENA(test_argparse__help_is_that_of_the_original),
        TTP_TEST_ARENA(test_argparse__help_fits_narrow_and_wide_terminals),
    };
    return cmocka_run_group_tests_name("cli/argparse", tests, NULL, NULL);
}
