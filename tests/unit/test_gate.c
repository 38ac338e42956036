/* SPDX-License-Identifier: Apache-2.0 */
#include "base/gate.h"

#include "base/json_write.h"
#include "base/sink.h"
#include "test.h"

struct shown {
    const char *from, *to;
};

static void assert_shown(const struct shown *c, size_t n, enum ttp_gate gate,
                         struct ttp_arena *arena)
{
    for (size_t i = 0; i < n; i++) {
        struct ttp_sink out;

        ttp_sink_to_arena(&out, arena);
        out.gate = gate;
        ttp_sink_put(&out, ttp_str_from(c[i].from));
        ttp_sink_char(&out, '\0');
        assert_string_equal(ttp_sink_text(&out).ptr, c[i].to);
    }
}

static void test_gate__control_characters_are_written_out(void **state)
{
    static const struct shown cases[] = {
        {"plain text, ordinary: \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
         "plain text, ordinary: \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\x1b[31mred", "\\x1b[31mred"},
        {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
        {"\x01\x7f", "\\x01\\x7f"},
        {"\xc2\x9b\xc2\x80\xc2\x9f\xc2\xa0", "\\u009b\\u0080\\u009f\xc2\xa0"},
        /* what is tested. NOLINTNEXTLINE(misc-misleading-bidirectional) */
        {"\xe2\x80\xae\xe2\x80\xaa\xe2\x80\x8e\xe2\x80\x8f", "\\u202e\\u202a\\u200e\\u200f"},
        {"\xe2\x81\xa6\xe2\x81\xa9\xd8\x9c", "\\u2066\\u2069\\u061c"},
        {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
        {"\xff\xfe", "\\xff\\xfe"},
        {"\xe2\x82", "\\xe2\\x82"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"\xc0\xaf", "\\xc0\\xaf"},
        {"\\x1b", "\\x1b"}, /* what was written out once stays as it is */
        {"1234567\x1b"
         "12345678\x7f"
         "12345678",
         "1234567\\x1b12345678\\x7f12345678"},
    };

    assert_shown(cases, sizeof(cases) / sizeof(cases[0]), TTP_GATE_TEXT, *state);
}

static void test_gate__markup_is_text(void **state)
{
    static const struct shown cases[] = {
        {"a|b", "a\\|b"},
        {"`x` *y* _z_", "\\`x\\` \\*y\\* \\_z\\_"},
        {"[a](b) <i> & ~~s~~ $m$", "\\[a\\](b) &lt;i&gt; &amp; \\~\\~s\\~\\~ \\$m\\$"},
        {"# h", "\\# h"},
        {"- item", "\\- item"},
        {"+ item", "\\+ item"},
        {"--- rule", "\\--- rule"},
        {"-5.2 %", "-5.2 %"},
        {"-", "-"},
        {"12. item", "12\\. item"},
        {"12) item", "12\\) item"},
        {"12.5 ms", "12.5 ms"},
        {"https://x www.y", "https\\://x www\\.y"},
        {"a\n\x1b", "a\\\\n\\\\x1b"},
    };

    assert_shown(cases, sizeof(cases) / sizeof(cases[0]), TTP_GATE_MARKDOWN, *state);
}

static void test_gate__cells_of_csv_are_no_formulas(void **state)
{
    static const struct shown cases[] = {
        {"plain", "plain"},     {"=1+1", "'=1+1"},          {"+cmd", "'+cmd"},
        {"-cmd", "'-cmd"},      {"@SUM(1)", "'@SUM(1)"},    {" =1", "' =1"},
        {"\t=1", "'\\t=1"},     {"\r=1", "'\\r=1"},         {"-5", "-5"},
        {"+1.5e-3", "+1.5e-3"}, {"a,b\"c", "\"a,b\"\"c\""}, {"=a,b", "\"'=a,b\""},
        {"a\nb", "a\\nb"},      {"\x1b[0m", "\\x1b[0m"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ttp_sink out;

        ttp_sink_to_arena(&out, *state);
        out.gate = TTP_GATE_TEXT;
        ttp_gate_put_csv(&out, ttp_str_from(cases[i].from));
        ttp_sink_char(&out, '\0');
        assert_string_equal(ttp_sink_text(&out).ptr, cases[i].to);
    }
}

static void test_gate__the_format_is_ours_and_its_arguments_are_not(void **state)
{
    struct ttp_sink out, plain;
    const ttp_str name = TTP_STR("n\x1bm");

    for (int gated = 0; gated < 2; gated++) {
        struct ttp_sink *s = gated ? &out : &plain;

        ttp_sink_to_arena(s, *state);
        s->gate = gated ? TTP_GATE_TEXT : TTP_GATE_NONE;
        ttp_sink_printf(s, "\x1b[1m%d|%5d|%-5d|%05d|%+d|%lld|%zu|%x|%#X|%c|%%|", 1, -2, 3, 4, 5,
                        -6000000000LL, (size_t)7, 255u, 255u, 'z');
        ttp_sink_printf(s, "%.2f|%8.3f|%g|%e|%*.*f|", 1.005, 2.5, 1e-7, 3.0, 9, 1, 4.25);
        ttp_sink_printf(s, "%s|%5s|%-5s|%.2s|%*s|\x1b[0m\n", "ab", "cd", "ef", "ghi", 6, "jk");
    }
    ttp_sink_char(&out, '\0');
    ttp_sink_char(&plain, '\0');
    assert_string_equal(ttp_sink_text(&out).ptr, ttp_sink_text(&plain).ptr);

    out.len = 0;
    ttp_sink_printf(&out, "%.*s|%s|%10s|%c\n", TTP_FMT(name), "a\nb", "c\td", '\x1b');
    ttp_sink_char(&out, '\0');
    assert_string_equal(ttp_sink_text(&out).ptr, "n\\x1bm|a\\nb|      c\\td|\\x1b\n");
}

static void test_gate__parts_are_joined_as_they_are(void **state)
{
    struct ttp_sink out, part, other;

    ttp_sink_to_arena(&out, *state);
    out.gate = TTP_GATE_TEXT;
    ttp_sink_beside(&part, &out, *state);
    ttp_sink_own(&part, "\x1b[1m");
    ttp_sink_put(&part, TTP_STR("a\x1b"));
    ttp_sink_join(&out, &part);
    ttp_sink_to_arena(&other, *state); /* whoever forgets the gate is not trusted */
    ttp_sink_own(&other, "\n");
    ttp_sink_join(&out, &other);
    ttp_sink_char(&out, '\0');
    assert_string_equal(ttp_sink_text(&out).ptr, "\x1b[1ma\\x1b\\n");
    assert_int_equal(ttp_sink_columns(&out, TTP_STR("a\x1b\xc3\xa4")), 6);
}

static void test_gate__json_has_no_control_characters(void **state)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, *state);
    out.gate = TTP_GATE_TEXT; /* the writer escapes its text */
    struct ttp_json_writer w = {.sink = &out};
    ttp_json_begin_array(&w);
    ttp_json_put_str(&w, TTP_STR("a\x7f\xc2\x9b\xe2\x80\xae\n\xff\xc3\xa4"));
    ttp_json_put_raw(&w, TTP_STR("{\n\"k\xc2\x85\":\"\xe2\x80\xa8\"}"));
    ttp_json_end_array(&w);
    ttp_sink_char(&out, '\0');
    assert_string_equal(ttp_sink_text(&out).ptr,
                        "[\"a\\u007f\\u009b\\u202e\\n\xEF\xBF\xBD\xc3\xa4\","
                        "{\n\"k\\u0085\":\"\\u2028\"}]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_gate__control_characters_are_written_out),
        TTP_TEST_ARENA(test_gate__markup_is_text),
        TTP_TEST_ARENA(test_gate__cells_of_csv_are_no_formulas),
        TTP_TEST_ARENA(test_gate__the_format_is_ours_and_its_arguments_are_not),
        TTP_TEST_ARENA(test_gate__parts_are_joined_as_they_are),
        TTP_TEST_ARENA(test_gate__json_has_no_control_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
