/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/python_text.h"

#define NBSP    "\xC2\xA0"
#define IDEO    "\xE3\x80\x80" /* U+3000, a wide blank */
#define ARABIC3 "\xD9\xA3"

static void test_python_numbers__strip_takes_blanks_of_all_of_unicode(void **state)
{
    static const struct {
        const char *text, *stripped, *first_word;
    } cases[] = {
        {"", "", ""},
        {"a", "a", "a"},
        {" a b ", "a b", "a"},
        {NBSP "a" IDEO "b" IDEO NBSP, "a" IDEO "b", "a"},
        {"\x1c\x1f.\x1e", ".", "."},
        {"\xC2\x85x\xC2\x85", "x", "x"},
        {"\t\n\v\f\r", "", ""},
        {"\xE2\x80\x8Bx", "\xE2\x80\x8Bx", "\xE2\x80\x8Bx"}, /* zero width space is not blank */
        {"Matmul\n1", "Matmul\n1", "Matmul"},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const ttp_str text = ttp_str_from(cases[i].text);
        assert_true(ttp_str_eq(ttp_python_strip(text), ttp_str_from(cases[i].stripped)));
        assert_true(ttp_str_eq(ttp_python_first_word(text), ttp_str_from(cases[i].first_word)));
    }
}

static void test_python_numbers__whole_numbers_as_int_reads_them(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } cases[] = {
        {"12", true, 12},
        {" 12\n", true, 12},
        {NBSP "12", true, 12},
        {"+7", true, 7},
        {"-0", true, 0},
        {"1_000", true, 1000},
        {"00", true, 0},
        {ARABIC3 "0", true, 30},
        {"1__0", false, 0},
        {"_1", false, 0},
        {"1_", false, 0},
        {"+_1", false, 0},
        {"", false, 0},
        {" ", false, 0},
        {"-", false, 0},
        {"1.0", false, 0},
        {"1e3", false, 0},
        {"0x10", false, 0},
        {"- 1", false, 0},
        {"99999999999999999999", true, INT64_MAX},
        {"-99999999999999999999", true, INT64_MIN},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        int64_t got = -1;
        assert_int_equal(ttp_python_int(ttp_str_from(cases[i].text), &got), cases[i].ok);
        if (cases[i].ok)
            assert_true(got == cases[i].value);
    }
}

static void test_python_numbers__decimals_as_float_reads_them(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        double value;
    } cases[] = {
        {"1.5", true, 1.5},
        {" -1e3 ", true, -1000},
        {".5", true, .5},
        {"5.", true, 5},
        {"1_0.2_5", true, 10.25},
        {"inf", true, INFINITY},
        {"-Infinity", true, -INFINITY},
        {ARABIC3 ".5", true, 3.5},
        {"1e400", true, INFINITY},
        {"", false, 0},
        {".", false, 0},
        {"1_.5", false, 0},
        {"1e", false, 0},
        {"infinit", false, 0},
        {"0x1p3", false, 0},
        {"1 2", false, 0},
        {"Matmul", false, 0},
        {"e5", false, 0},
        {"--1", false, 0},
        {"n", false, 0},
    };
    double got = 0;

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        assert_int_equal(ttp_python_float(ttp_str_from(cases[i].text), &got), cases[i].ok);
        if (cases[i].ok)
            assert_true(got == cases[i].value);
    }
    assert_true(ttp_python_float(TTP_STR("nan"), &got) && isnan(got));
    assert_true(ttp_python_float(TTP_STR("-NaN"), &got) && isnan(got));
}

static void test_python_numbers__int_and_float_agree_on_random_numbers(void **state)
{
    char text[64];

    (void)state;
    srand(2);
    for (int i = 0; i < 5000; i++) {
        const int64_t v = ((int64_t)rand() << 20 ^ rand()) * (rand() % 2 ? 1 : -1);
        const int n =
            snprintf(text, sizeof(text), "%*s%lld%*s", i % 3, "", (long long)v, i % 2, "");
        int64_t whole;
        double real;
        assert_true(ttp_python_int((ttp_str){text, (size_t)n}, &whole));
        assert_true(ttp_python_float((ttp_str){text, (size_t)n}, &real));
        assert_true(whole == v && real == (double)v);
    }
}

static void test_python_numbers__digits_are_taken_from_the_front(void **state)
{
    int64_t v;

    (void)state;
    assert_int_equal(ttp_python_digits(TTP_STR("12ab"), &v), 2);
    assert_int_equal(v, 12);
    assert_int_equal(ttp_python_digits(TTP_STR(ARABIC3 "1_"), &v), 3);
    assert_int_equal(v, 31);
    assert_int_equal(ttp_python_digits(TTP_STR("-1"), &v), 0);
    assert_int_equal(ttp_python_digits(TTP_STR("9223372036854775808123"), &v), 22);
    assert_true(v == INT64_MAX);
}

static void test_python_numbers__escape_sequences_take_no_room(void **state)
{
    static const struct {
        const char *text;
        size_t width;
    } cases[] = {
        {"", 0},
        {"abc", 3},
        {"\xF0\x9F\xAA\xA7 \xC3\xA9", 3},
        {"\x1b[38;5;8mgrey\x1b[0m", 4},
        {"\x1b[m", 0},
        {"\x1bM.", 1},
        {"\x1b", 1},
        {"\x1b[12", 4}, /* no final byte: not a sequence */
        {"\x1b\x1b[0m", 1},
        {"a\x1b[0 qb", 2},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_int_equal(ttp_python_visible(ttp_str_from(cases[i].text)), cases[i].width);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python_numbers__strip_takes_blanks_of_all_of_unicode),
        cmocka_unit_test(test_python_numbers__whole_numbers_as_int_reads_them),
        cmocka_unit_test(test_python_numbers__decimals_as_float_reads_them),
        cmocka_unit_test(test_python_numbers__int_and_float_agree_on_random_numbers),
        cmocka_unit_test(test_python_numbers__digits_are_taken_from_the_front),
        cmocka_unit_test(test_python_numbers__escape_sequences_take_no_room),
    };
    return cmocka_run_group_tests_name("base/python_text numbers", tests, NULL, NULL);
}
