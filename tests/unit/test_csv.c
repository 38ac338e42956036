/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdio.h>

#include "base/csv.h"

/* The text as rows in angle brackets: line number, then the fields, '!' if a quote is left open. */
static void assert_rows(struct ttp_arena *arena, ttp_str text, char sep, const char *want)
{
    struct ttp_csv c = {.text = text, .sep = sep};
    uint32_t end[64];
    struct ttp_csv_row row = {.end = end, .max = TTP_COUNT(end)};
    char got[1024];
    int at = 0;

    got[0] = '\0';
    while (ttp_csv_next(&c, &row)) {
        at += snprintf(got + at, sizeof(got) - (size_t)at, "<%u:", (unsigned)row.line);
        for (size_t i = 0; i < row.nfields; i++) {
            const ttp_str s = ttp_csv_field(&c, &row, i, arena);
            at += snprintf(got + at, sizeof(got) - (size_t)at, "%s%.*s", i ? "|" : "", TTP_FMT(s));
        }
        at += snprintf(got + at, sizeof(got) - (size_t)at, "%s>", row.open_quote ? "!" : "");
    }
    assert_string_equal(got, want);
    assert_false(ttp_csv_next(&c, &row));
}

struct rows_case {
    const char *text, *want;
};

static void assert_cases(struct ttp_arena *arena, char sep, const struct rows_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_rows(arena, ttp_str_from(cases[i].text), sep, cases[i].want);
}

static void test_csv__rows_end_at_any_kind_of_line_end(void **state)
{
    static const struct rows_case cases[] = {
        {"", ""},
        {"a", "<0:a>"},
        {"a,b\nc,d\n", "<0:a|b><1:c|d>"},
        {"a,b\r\nc,d\r\n", "<0:a|b><1:c|d>"},
        {"a,b\rc,d\r", "<0:a|b><1:c|d>"},
        {"a\r\rb\n\rc\r\n", "<0:a><2:b><4:c>"},
        {"a,\n,b", "<0:a|><1:|b>"},
        {"a\r,b", "<0:a><1:|b>"},
        {",", "<0:|>"},
    };
    assert_cases(*state, ',', cases, TTP_COUNT(cases));
}

static void test_csv__blank_lines_are_skipped_but_counted(void **state)
{
    static const struct rows_case cases[] = {
        {"\n\na\n\n\nb", "<2:a><5:b>"},   {"\r\n\r\na\r\n\r\nb", "<2:a><4:b>"},
        {"a\n \t \nb\n  ", "<0:a><2:b>"}, {" \t", ""},
        {" , \n  x\n", "<0: | ><1:  x>"}, {"\"\"\n\" \"\nx", "<0:><1: ><2:x>"},
    };
    assert_cases(*state, ',', cases, TTP_COUNT(cases));
}

static void test_csv__a_blank_separator_makes_a_row(void **state)
{
    static const struct rows_case cases[] = {
        {"\t\n \n \t\n", "<0:|><2: |>"},
        {"a\tb,c", "<0:a|b,c>"},
    };
    assert_cases(*state, '\t', cases, TTP_COUNT(cases));
}

static void test_csv__quotes_count_only_at_the_start_of_a_field(void **state)
{
    static const struct rows_case cases[] = {
        {"\"a,b\",c", "<0:a,b|c>"},
        {"\"a\nb\r\nc\rd\",e\nf", "<0:a\nb\r\nc\rd|e><4:f>"},
        {"\"a\"\"b\"", "<0:a\"b>"},
        {"\"\"\"\"", "<0:\">"},
        {"\"\"\"a\"\"\"", "<0:\"a\">"},
        {"\"\",\"\"", "<0:|>"},
        {"a\"b,\"c", "<0:a\"b|c!>"},
        {"a\"\"b,\"\"", "<0:a\"\"b|>"},
        {" \"a,b\"", "<0: \"a|b\">"},
        {"\"a\"b\"c,d", "<0:ab\"c|d>"},
        {"\"a\" \"\"b\nc", "<0:a \"\"b><1:c>"},
        {"\"\"a\"\n\"b\"", "<0:a\"><1:b>"},
        {"x\r\"a\r\nb\"\r\n\"c\"\n", "<0:x><1:a\r\nb><3:c>"},
    };
    assert_cases(*state, ',', cases, TTP_COUNT(cases));
}

static void test_csv__text_may_end_inside_quotes(void **state)
{
    static const struct rows_case cases[] = {
        {"\"", "<0:!>"},         {"a\n\"b\n", "<0:a><1:b\n!>"},
        {"\"b\"\"", "<0:b\"!>"}, {"\"b\"\"c,", "<0:b\"c,!>"},
        {"a,\"b\"", "<0:a|b>"},
    };
    assert_cases(*state, ',', cases, TTP_COUNT(cases));
}

static void test_csv__nul_bytes_are_ordinary(void **state)
{
    static const char text[] = {'a', '\0', ',', '\0', '\n', '\0'};
    struct ttp_csv c = {.text = {text, sizeof(text)}, .sep = ','};
    uint32_t end[4];
    struct ttp_csv_row row = {.end = end, .max = TTP_COUNT(end)};

    assert_true(ttp_csv_next(&c, &row));
    assert_int_equal(row.nfields, 2);
    assert_true(ttp_str_eq(ttp_csv_field(&c, &row, 0, *state), (ttp_str){text, 2}));
    assert_true(ttp_csv_next(&c, &row));
    assert_int_equal(row.nfields, 1);
    assert_false(ttp_csv_next(&c, &row));
}

static void test_csv__surplus_fields_are_counted_not_kept(void **state)
{
    struct ttp_csv c = {.text = TTP_STR("1,2,3,4,5,6,7,8,9,10,11\na,b\n"), .sep = ','};
    uint32_t end[3] = {0, 0, 99};
    struct ttp_csv_row row = {.end = end, .max = 2};
    (void)state;

    assert_true(ttp_csv_next(&c, &row));
    assert_int_equal(row.nfields, 11);
    assert_int_equal(end[0], 1);
    assert_int_equal(end[1], 3);
    assert_int_equal(end[2], 99);
    row = (struct ttp_csv_row){0};
    assert_true(ttp_csv_next(&c, &row));
    assert_int_equal(row.nfields, 2);
    assert_int_equal(row.line, 1);
}

static void test_csv__a_plain_field_is_not_copied(void **state)
{
    struct ttp_csv c = {.text = TTP_STR("ab,\"cd\",\"e\"\"f\""), .sep = ','};
    uint32_t end[3];
    struct ttp_csv_row row = {.end = end, .max = 3};

    assert_true(ttp_csv_next(&c, &row));
    assert_ptr_equal(ttp_csv_field(&c, &row, 0, NULL).ptr, c.text.ptr);
    assert_ptr_equal(ttp_csv_field(&c, &row, 1, NULL).ptr, c.text.ptr + 4);
    assert_true(ttp_str_eq(ttp_csv_field(&c, &row, 2, *state), TTP_STR("e\"f")));
}

static void test_csv__bytes_above_127_are_noticed(void **state)
{
    char text[200];
    (void)state;
    for (size_t at = 0; at <= sizeof(text); at++) {
        uint32_t end[4];
        struct ttp_csv_row row = {.end = end, .max = TTP_COUNT(end)};
        struct ttp_csv c = {.text = {text, sizeof(text)}, .sep = ','};

        memset(text, 'x', sizeof(text));
        if (at < sizeof(text))
            text[at] = '\x80';
        assert_true(ttp_csv_next(&c, &row));
        assert_int_equal(c.high, at < sizeof(text));
    }
}

static void test_csv__lines_are_all_counted_in_the_end(void **state)
{
    struct ttp_csv c = {.text = TTP_STR("a\r\n\r\n\"\n\r\",b\n \n"), .sep = ','};
    uint32_t end[4];
    struct ttp_csv_row row = {.end = end, .max = TTP_COUNT(end)};
    (void)state;

    while (ttp_csv_next(&c, &row))
        ;
    assert_int_equal(c.lines, 6);
}

static void test_csv__whole_rows_cuts_after_the_last_row_end(void **state)
{
    static const struct {
        const char *text;
        size_t whole;
    } cases[] = {
        {"", 0},           {"abc", 0},          {"a\nb", 2},
        {"a\nb\n", 4},     {"a\r\nb\r\nc", 6},  {"a\r", 0}, /* perhaps half of a CRLF */
        {"a\nb\r", 2},     {"a\rb\rc\r", 4},    {"a\rb\rc", 4},
        {"a\r\r", 2},      {"a\n\"b\nc", 2},    {"a\n\"b\nc\"\nd", 8},
        {"a\nx\"b\nc", 6}, {"\"a\n\"\"\nb", 0}, {"\"a\"\r\n\"\n", 5},
        {"\"a\"\r", 0},
    };
    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const ttp_str text = ttp_str_from(cases[i].text);
        assert_int_equal(ttp_csv_whole_rows(text, ',', false), cases[i].whole);
        assert_int_equal(ttp_csv_whole_rows(text, ',', true), text.len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_csv__rows_end_at_any_kind_of_line_end),
        TTP_TEST_ARENA(test_csv__blank_lines_are_skipped_but_counted),
        TTP_TEST_ARENA(test_csv__a_blank_separator_makes_a_row),
        TTP_TEST_ARENA(test_csv__quotes_count_only_at_the_start_of_a_field),
        TTP_TEST_ARENA(test_csv__text_may_end_inside_quotes),
        TTP_TEST_ARENA(test_csv__nul_bytes_are_ordinary),
        TTP_TEST_ARENA(test_csv__surplus_fields_are_counted_not_kept),
        TTP_TEST_ARENA(test_csv__a_plain_field_is_not_copied),
        TTP_TEST_ARENA(test_csv__bytes_above_127_are_noticed),
        TTP_TEST_ARENA(test_csv__lines_are_all_counted_in_the_end),
        TTP_TEST_ARENA(test_csv__whole_rows_cuts_after_the_last_row_end),
    };
    return cmocka_run_group_tests_name("base/csv", tests, NULL, NULL);
}
