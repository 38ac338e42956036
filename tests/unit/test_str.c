/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdlib.h>

static void test_str__order_is_by_bytes_and_shorter_first(void **state)
{
    static const char *const sorted[] = {
        "", "A", "AB", "B", "a", "a b", "ab", "\xC3\xA9", "\xF0\x9F\x98\x80"};

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(sorted); i++)
        for (size_t k = 0; k < TTP_COUNT(sorted); k++) {
            const int order = ttp_str_cmp(ttp_str_from(sorted[i]), ttp_str_from(sorted[k]));
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
}

static void test_str__finds_the_first_occurrence(void **state)
{
    static const struct {
        const char *text, *what;
        size_t at;
    } cases[] = {
        {"abcabc", "c", 2}, {"abcabc", "bca", 1}, {"abc", "abcd", TTP_NPOS}, {"abc", "", 0},
        {"", "", 0},        {"", "x", TTP_NPOS},  {"aab", "ab", 1},          {"abc", "C", TTP_NPOS},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const ttp_str text = ttp_str_from(cases[i].text), what = ttp_str_from(cases[i].what);
        assert_int_equal(ttp_str_find(text, what), cases[i].at);
        assert_int_equal(ttp_str_has(text, what), cases[i].at != TTP_NPOS);
        if (what.len == 1)
            assert_int_equal(ttp_str_find_char(text, what.ptr[0]), cases[i].at);
    }
}

static void test_str__starts_ends_slice_and_trim(void **state)
{
    (void)state;
    assert_true(ttp_str_starts(TTP_STR("abc"), TTP_STR("ab")));
    assert_true(ttp_str_starts(TTP_STR("abc"), (ttp_str){0}));
    assert_false(ttp_str_starts(TTP_STR("a"), TTP_STR("ab")));
    assert_true(ttp_str_ends(TTP_STR("abc"), TTP_STR("bc")));
    assert_false(ttp_str_ends(TTP_STR("c"), TTP_STR("bc")));
    assert_true(ttp_str_eq(ttp_str_slice(TTP_STR("abc"), 1, 99), TTP_STR("bc")));
    assert_int_equal(ttp_str_slice(TTP_STR("abc"), 7, 9).len, 0);
    assert_int_equal(ttp_str_slice(TTP_STR("abc"), 2, 1).len, 0);
    assert_true(ttp_str_eq(ttp_str_trim(TTP_STR(" \t\r\n\v\fa b ")), TTP_STR("a b")));
    assert_int_equal(ttp_str_trim(TTP_STR(" \n")).len, 0);
}

static void test_str__lines_end_with_or_without_a_carriage_return(void **state)
{
    static const char *const want[] = {"a", "", "b\rc", "d"};
    ttp_str rest = TTP_STR("a\r\n\nb\rc\nd"), line;
    size_t n = 0;

    (void)state;
    for (; ttp_str_next_line(&rest, &line); n++)
        assert_true(ttp_str_eq(line, ttp_str_from(want[n])));
    assert_int_equal(n, TTP_COUNT(want));
}

static void test_str__split_counts_all_fields_and_fills_what_fits(void **state)
{
    ttp_str field[2];

    (void)state;
    assert_int_equal(ttp_str_split(TTP_STR("a,,c"), ',', field, 2), 3);
    assert_true(ttp_str_eq(field[0], TTP_STR("a")));
    assert_int_equal(field[1].len, 0);
    assert_int_equal(ttp_str_split(TTP_STR(""), ',', field, 2), 1);
    assert_int_equal(ttp_str_split((ttp_str){0}, ',', field, 2), 1);
    assert_int_equal(ttp_str_split(TTP_STR("x,"), ',', field, 2), 2);
}

static void test_str__whole_numbers_have_no_blanks_and_do_not_overflow(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"+12", true, 12},
        {"007", true, 7},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775809", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1.0", false, 0},
        {"--1", false, 0},
        {"99999999999999999999999", false, 0},
    };
    uint64_t u;

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        int64_t got = -1;
        assert_int_equal(ttp_str_to_i64(ttp_str_from(cases[i].text), &got), cases[i].ok);
        if (cases[i].ok)
            assert_true(got == cases[i].value);
    }
    assert_true(ttp_str_to_u64(TTP_STR("18446744073709551615"), &u) && u == UINT64_MAX);
    assert_false(ttp_str_to_u64(TTP_STR("18446744073709551616"), &u));
    assert_false(ttp_str_to_u64(TTP_STR("+1"), &u));
}

/* Digits are read four, eight or sixteen at a time, so each length has its own way of going wrong.
 */
static void test_str__numbers_of_every_length_end_at_their_last_digit(void **state)
{
    static const char digits[] = "98765432101234567890";

    (void)state;
    for (size_t len = 1; len <= 19; len++) {
        char text[24] = {0};
        uint64_t expected = 0, got = 0;

        text[0] = '7'; /* bytes around it are digits, too, and do not count */
        for (size_t i = 0; i < len; i++)
            expected = expected * 10 + (uint64_t)(digits[i] - '0');
        memcpy(text + 1, digits, len);
        text[len + 1] = '7';
        assert_true(ttp_str_to_u64((ttp_str){text + 1, len}, &got));
        assert_true(got == expected);
        for (size_t i = 1; i <= len; i++) {
            const char kept = text[i];

            for (int byte = 0; byte < 256; byte++) {
                text[i] = (char)byte;
                assert_int_equal(ttp_str_to_u64((ttp_str){text + 1, len}, &got),
                                 byte >= '0' && byte <= '9');
            }
            text[i] = kept;
        }
    }
}

static void test_str__knows_where_utf8_goes_wrong(void **state)
{
    static const struct {
        const char *text;
        size_t valid, points;
    } cases[] = {
        {"", 0, 0},
        {"plain text, longer than eight", 29, 29},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9, 3},
        {"a\x80", 1, 1},
        {"a\xC3", 1, 2},
        {"\xC0\xAF", 0, 1},         /* overlong '/' */
        {"\xE0\x9F\xBF", 0, 1},     /* overlong */
        {"\xED\xA0\x80", 0, 1},     /* surrogate */
        {"\xED\x9F\xBF", 3, 1},     /* the last before them */
        {"\xF4\x90\x80\x80", 0, 1}, /* beyond U+10FFFF */
        {"\xF4\x8F\xBF\xBF", 4, 1},
        {"\xF5\x80\x80\x80", 0, 1},
        {"12345678\xFF", 8, 9},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        assert_int_equal(ttp_str_valid_utf8(ttp_str_from(cases[i].text)), cases[i].valid);
        assert_int_equal(ttp_str_code_points(ttp_str_from(cases[i].text)), cases[i].points);
    }
}

/* One code point as UTF-8. */
static size_t encode(char *out, uint32_t c)
{
    const size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};

    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(lead[n] | c);
    return n;
}

static void test_str__every_code_point_is_valid_and_counts_once(void **state)
{
    char text[32];

    (void)state;
    for (uint32_t c = 1; c <= 0x10FFFF; c += 1 + c / 97) {
        const size_t before = c % 9;
        memset(text, 'x', before);
        const size_t n = before + encode(text + before, c);
        const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
        assert_int_equal(ttp_str_valid_utf8((ttp_str){text, n}), surrogate ? before : n);
        assert_int_equal(ttp_str_code_points((ttp_str){text, n}), before + 1);
    }
}

static void test_str__lines_are_counted_wherever_they_end(void **state)
{
    char text[700];
    uint64_t lines = 0;

    (void)state;
    assert_int_equal(ttp_str_count_lines((ttp_str){0}), 0);
    memset(text, '\n', sizeof(text));
    assert_int_equal(ttp_str_count_lines((ttp_str){text, sizeof(text)}), sizeof(text));
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = i * i % 7 == 2 ? '\n' : '\r';
        lines += text[i] == '\n';
        assert_int_equal(ttp_str_count_lines((ttp_str){text, i + 1}), lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_str__order_is_by_bytes_and_shorter_first),
        cmocka_unit_test(test_str__finds_the_first_occurrence),
        cmocka_unit_test(test_str__starts_ends_slice_and_trim),
        cmocka_unit_test(test_str__lines_end_with_or_without_a_carriage_return),
        cmocka_unit_test(test_str__split_counts_all_fields_and_fills_what_fits),
        cmocka_unit_test(test_str__whole_numbers_have_no_blanks_and_do_not_overflow),
        cmocka_unit_test(test_str__numbers_of_every_length_end_at_their_last_digit),
        cmocka_unit_test(test_str__lines_are_counted_wherever_they_end),
        cmocka_unit_test(test_str__knows_where_utf8_goes_wrong),
        cmocka_unit_test(test_str__every_code_point_is_valid_and_counts_once),
    };
    return cmocka_run_group_tests_name("base/str", tests, NULL, NULL);
}
