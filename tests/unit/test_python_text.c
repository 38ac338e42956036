/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/python_repr.h"
#include "base/python_text.h"

static ttp_str sunk(struct ttp_arena *arena, void (*put)(struct ttp_sink *, ttp_str), ttp_str s)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    put(&out, s);
    return ttp_sink_text(&out);
}

static void test_python_text__lower_case_knows_latin_greek_and_cyrillic(void **state)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"L1_HEIGHT", "l1_height"}, {"ÄÖÜ×ẞ", "äöü×ẞ"}, {"ĀāĹĺŸŽ", "āāĺĺÿž"},
        {"ΆΑΩΏ", "άαωώ"},           {"ЀЖЯ", "ѐжя"},     {"İ", "i\xCC\x87"},
        {"日本🚀", "日本🚀"},         {"\xC4", "\xC4"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const ttp_str got = sunk(*state, ttp_python_put_lower, ttp_str_from(cases[i].from));
        assert_true(ttp_str_eq(got, ttp_str_from(cases[i].to)));
    }
}

static void test_python_text__repr_escapes_what_does_not_print(void **state)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"a", "'a'"},
        {"it's", "\"it's\""},
        {"'\"", "'\\'\"'"},
        {"a\\b\n\r\t\x01\x7F", "'a\\\\b\\n\\r\\t\\x01\\x7f'"},
        {"\xC2\x85\xC2\xA0", "'\\x85\\xa0'"},
        {"a\xE2\x80\xA8\xEF\xBB\xBF", "'a\\u2028\\ufeff'"},
        {"é日🚀 ", "'é日🚀 '"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_true(ttp_str_eq(sunk(*state, ttp_python_repr, ttp_str_from(cases[i].from)),
                               ttp_str_from(cases[i].to)));
}

static void test_python_text__whole_numbers_of_any_length_print_back(void **state)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"99999999999999999999", "99999999999999999999"},
        {" +007_0 ", "70"},
        {"-0", "0"},
        {"-00012", "-12"},
        {"٣", "3"},
        {"", ""},
        {"-", ""},
        {"1_", ""},
        {"1.5", ""},
    };
    char out[TTP_PYTHON_INT_MAX];

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_true(ttp_str_eq(ttp_python_int_text(ttp_str_from(cases[i].from), out),
                               ttp_str_from(cases[i].to)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_python_text__lower_case_knows_latin_greek_and_cyrillic),
        TTP_TEST_ARENA(test_python_text__repr_escapes_what_does_not_print),
        TTP_TEST_ARENA(test_python_text__whole_numbers_of_any_length_print_back),
    };
    return cmocka_run_group_tests_name("base/python_text", tests, NULL, NULL);
}
