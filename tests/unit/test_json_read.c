/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdlib.h>

#include "base/json_read.h"
#include "base/sink.h"

/* Whole, byte by byte, or in random pieces of 0 to `cut` bytes. */
enum { CUT_WHOLE = 0, CUT_BYTES = 1 };

static uint32_t random_state = 1;

static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static size_t piece_size(size_t left, size_t cut)
{
    const size_t n = cut == CUT_WHOLE ? left : cut == CUT_BYTES ? 1 : next_random() % (cut + 1);
    return n < left ? n : left;
}

static void put_event(struct ttp_sink *log, const struct ttp_json_reader *r,
                      enum ttp_json_event event, bool places)
{
    static const char sign[] = "?{}[]ksntfz.";

    ttp_sink_char(log, sign[event]);
    if (event == TTP_JSON_KEY || event == TTP_JSON_STRING || event == TTP_JSON_NUMBER) {
        ttp_sink_put(log, r->text);
        ttp_sink_char(log, ';');
    }
    if (places)
        ttp_sink_printf(log, "@%zu/%u", r->offset, r->depth);
}

/* The events of `text` as one line: "{" "}" "[" "]", k and s and n with text, t f z, "." at the
 * end, "!offset" or "!!offset" (a limit) at a failure. Pieces are copies that die early, so that a
 * slice kept too long is caught. The value of a key "skip" is skipped. */
static ttp_str events(struct ttp_json_reader r, ttp_str text, size_t cut, bool places,
                      struct ttp_arena *arena)
{
    struct ttp_sink log;
    struct ttp_err err = {0};
    enum ttp_json_event event = TTP_JSON_MORE;
    ttp_code rc = TTP_OK;
    char *piece = NULL;
    size_t at = 0;
    bool skip = false;

    ttp_sink_to_arena(&log, arena);
    while (rc == TTP_OK && event != TTP_JSON_END) {
        if (event == TTP_JSON_MORE) {
            const size_t n = piece_size(text.len - at, cut);

            free(piece);
            piece = malloc(n + (n == 0));
            assert_non_null(piece);
            if (n)
                memcpy(piece, text.ptr + at, n);
            at += n;
            ttp_json_feed(&r, (ttp_str){piece, n}, at == text.len && (cut == CUT_WHOLE || n == 0));
        }
        rc = skip ? ttp_json_skip(&event, &r, &err) : ttp_json_next(&event, &r, &err);
        if (rc == TTP_OK && event != TTP_JSON_MORE) {
            put_event(&log, &r, event, places);
            skip = event == TTP_JSON_KEY && ttp_str_eq(r.text, TTP_STR("skip"));
        }
    }
    if (rc != TTP_OK) {
        struct ttp_err again = {0};

        assert_int_equal(err.code, rc);
        assert_int_equal(ttp_json_skip(&event, &r, &again), rc);
        assert_int_equal(again.offset, err.offset);
        ttp_sink_printf(&log, rc == TTP_ELIMIT ? "!!%zu" : "!%zu", err.offset);
    }
    ttp_json_clear(&r);
    free(piece);
    return ttp_sink_text(&log);
}

static void assert_text(ttp_str got, ttp_str want, const char *about)
{
    if (!ttp_str_eq(got, want))
        fail_msg("%s: got '%.*s', want '%.*s'", about, TTP_FMT(got), TTP_FMT(want));
}

/* The same events with the same places, however the text is cut. */
static void assert_cuts_agree(struct ttp_json_reader r, ttp_str text, struct ttp_arena *arena)
{
    const ttp_str whole = events(r, text, CUT_WHOLE, true, arena);

    assert_text(events(r, text, CUT_BYTES, true, arena), whole, "byte by byte");
    for (size_t cut = 2; cut < 20; cut += 5)
        assert_text(events(r, text, cut, true, arena), whole, "random pieces");
}

struct sample {
    const char *text, *events;
};

static void check_samples(const struct sample *sample, size_t n, struct ttp_json_reader r,
                          struct ttp_arena *arena)
{
    for (size_t i = 0; i < n; i++) {
        const ttp_str text = ttp_str_from(sample[i].text);

        assert_text(events(r, text, CUT_WHOLE, false, arena), ttp_str_from(sample[i].events),
                    sample[i].text);
        assert_cuts_agree(r, text, arena);
    }
}

static void test_json_read__accepts_what_rfc_8259_allows(void **state)
{
    static const struct sample samples[] = {
        {"{}", "{}."},
        {"[]", "[]."},
        {" [ ] ", "[]."},
        {"\t\r\n {\t}\n", "{}."},
        {"null", "z."},
        {"true", "t."},
        {" false\n", "f."},
        {"0", "n0;."},
        {"-0", "n-0;."},
        {"10", "n10;."},
        {"1234567890123456789012", "n1234567890123456789012;."},
        {"0.5", "n0.5;."},
        {"-1.25e+10", "n-1.25e+10;."},
        {"1E5", "n1E5;."},
        {"0e-7", "n0e-7;."},
        {"1e00", "n1e00;."},
        {"[0,-1,2.5 ,3e1]", "[n0;n-1;n2.5;n3e1;]."},
        {"\"\"", "s;."},
        {"\"abc\"", "sabc;."},
        {"\"0123456789abcdef 0123456789abcdef\"", "s0123456789abcdef 0123456789abcdef;."},
        {"\"\x7f\"", "s\x7f;."},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "s\"\\/\b\f\n\r\t;."},
        {"\"\\u0041\\u00e9\\u20aC\\uFFFF\"", "sA\xC3\xA9\xE2\x82\xAC\xEF\xBF\xBF;."},
        {"\"\\ud83d\\ude00\\uD834\\uDD1E\"", "s\xF0\x9F\x98\x80\xF0\x9D\x84\x9E;."},
        {"\"\xC2\x80\xDF\xBF\"", "s\xC2\x80\xDF\xBF;."},
        {"\"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\"", "s\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80;."},
        {"\"\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF\"", "s\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF;."},
        {"\"caf\xC3\xA9 \\n caf\xC3\xA9\"", "scaf\xC3\xA9 \n caf\xC3\xA9;."},
        {"[[],{},[[]]]", "[[]{}[[]]]."},
        {"{\"a\":1,\"a\":[true,null],\"\":{\"b\":\"c\"}}", "{ka;n1;ka;[tz]k;{kb;sc;}}."},
        {"{ \"a\" : 1 , \"b\" : 2 }", "{ka;n1;kb;n2;}."},
        {"[\n                    1,\n                            2\n]", "[n1;n2;]."},
        {"[1,2,\"a,b]\",false]", "[n1;n2;sa,b];f]."},
        {"{\"\\u0061\\n\":0}", "{ka\n;n0;}."},
    };
    check_samples(samples, TTP_COUNT(samples), (struct ttp_json_reader){0}, *state);
}

static void test_json_read__refuses_what_is_not_json_and_says_where(void **state)
{
    static const struct sample samples[] = {
        {"", "!0"},
        {"  \n", "!3"},
        {"[", "[!1"},
        {"[1", "[n1;!2"},
        {"[1,", "[n1;!3"},
        {"[1,]", "[n1;!3"},
        {"[,1]", "[!1"},
        {"[1 2]", "[n1;!3"},
        {"[1}", "[n1;!2"},
        {"[}", "[!1"},
        {"]", "!0"},
        {"[]]", "[]!2"},
        {"{", "{!1"},
        {"{]", "{!1"},
        {"{,}", "{!1"},
        {"{1:2}", "{!1"},
        {"{a:2}", "{!1"},
        {"{'a':2}", "{!1"},
        {"{\"a\"}", "{ka;!4"},
        {"{\"a\" 1}", "{ka;!5"},
        {"{\"a\":}", "{ka;!5"},
        {"{\"a\":1,}", "{ka;n1;!7"},
        {"{\"a\":1 \"b\":2}", "{ka;n1;!7"},
        {"{\"a\":1:2}", "{ka;n1;!6"},
        {"{\"a\":1]", "{ka;n1;!6"},
        {"1 2", "n1;!2"},
        {"{}{}", "{}!2"},
        {"nul", "!3"},
        {"nulL", "!3"},
        {"nulll", "z!4"},
        {"True", "!0"},
        {"tRue", "!1"},
        {"NaN", "!0"},
        {"Infinity", "!0"},
        {"-Infinity", "!1"},
        {"-", "!1"},
        {"+1", "!0"},
        {".5", "!0"},
        {"01", "n0;!1"},
        {"-01", "n-0;!2"},
        {"[00]", "[n0;!2"},
        {"1.", "!2"},
        {"[1.]", "[!3"},
        {"1.e5", "!2"},
        {"1e", "!2"},
        {"1e+", "!3"},
        {"1e5.5", "n1e5;!3"},
        {"0x10", "n0;!1"},
        {"1_000", "n1;!1"},
        {"--1", "!1"},
        {"\"", "!1"},
        {"\"abc", "!4"},
        {"\"abc\\", "!5"},
        {"\"\\u12", "!5"},
        {"\"\\q\"", "!1"},
        {"\"a\\u12g4\"", "!2"},
        {"\"\\U0041\"", "!1"},
        {"\"\\x41\"", "!1"},
        {"\"a\nb\"", "!2"},
        {"\"a\tb\"", "!2"},
        {"\"\x1f\"", "!1"},
        {"\"\\n\x01\"", "!3"},
        {"'a'", "!0"},
        {"// no\n1", "!0"},
        {"[1/**/]", "[n1;!2"},
        {"\xEF\xBB\xBF[]", "!0"},
        {"[]\v", "[]!2"},
        {"\f[]", "!0"},
        {"\xC2\xA0[]", "!0"},
        {"\"\\ud800\"", "!1"},
        {"\"x\\ud800y\"", "!2"},
        {"\"\\udc00\"", "!1"},
        {"\"\\ud800\\n\"", "!1"},
        {"\"\\ud800\\ud800\\udc00\"", "!1"},
        {"\"\\ude00\\ud83d\"", "!1"},
        {"\"\\ud83d\\ude00\\ud83d\"", "!13"},
        {"\"\x80\"", "!1"},
        {"\"ab\xBF\"", "!3"},
        {"\"\xC0\x80\"", "!1"},
        {"\"\xC1\xBF\"", "!1"},
        {"\"\xC2\"", "!1"},
        {"\"\xE0\x9F\xBF\"", "!1"},
        {"\"\xED\xA0\x80\"", "!1"},
        {"\"\xE2\x82\"", "!1"},
        {"\"\xE2\x82", "!3"},
        {"\"\xF0\x8F\xBF\xBF\"", "!1"},
        {"\"\xF4\x90\x80\x80\"", "!1"},
        {"\"\xF5\x80\x80\x80\"", "!1"},
        {"\"\xFF\"", "!1"},
        {"\"caf\xC3\xA9 \xC3\"", "!7"},
    };
    check_samples(samples, TTP_COUNT(samples), (struct ttp_json_reader){0}, *state);
}

static void test_json_read__nul_is_a_byte_like_any_other(void **state)
{
    assert_text(events((struct ttp_json_reader){0}, TTP_STR("[\0]"), 0, false, *state),
                TTP_STR("[!1"), "outside strings");
    assert_text(events((struct ttp_json_reader){0}, TTP_STR("\"\0\""), 0, false, *state),
                TTP_STR("!1"), "in a string");
    assert_text(events((struct ttp_json_reader){0}, TTP_STR("\"\\\0\""), 0, false, *state),
                TTP_STR("!1"), "escaped");
    assert_text(events((struct ttp_json_reader){0}, TTP_STR("\"\\u0000\""), 0, false, *state),
                TTP_STR("s\0;."), "as an escape");
}

static void test_json_read__python_dialect_adds_three_numbers(void **state)
{
    static const struct sample samples[] = {
        {"NaN", "nNaN;."},   {"[Infinity,-Infinity, -1,NaN]", "[nInfinity;n-Infinity;n-1;nNaN;]."},
        {"-Inf", "!4"},      {"-NaN", "!1"},
        {"+Infinity", "!0"}, {"nan", "!1"},
        {"NaNa", "nNaN;!3"},
    };
    check_samples(samples, TTP_COUNT(samples), (struct ttp_json_reader){.python = true}, *state);
}

static void test_json_read__half_a_surrogate_pair_can_be_replaced(void **state)
{
    static const struct sample samples[] = {
        {"\"\\ud800\"", "s\xEF\xBF\xBD;."},
        {"\"\\udc00x\"", "s\xEF\xBF\xBDx;."},
        {"\"\\ud800x\\n\"", "s\xEF\xBF\xBDx\n;."},
        {"\"\\ud800\\n\"", "s\xEF\xBF\xBD\n;."},
        {"\"\\ud800\xC3\xA9\"", "s\xEF\xBF\xBD\xC3\xA9;."},
        {"\"\\ud800\\ud83d\\ude00\"", "s\xEF\xBF\xBD\xF0\x9F\x98\x80;."},
        {"\"\\ud800\\ud800\"", "s\xEF\xBF\xBD\xEF\xBF\xBD;."},
        {"\"\xED\xA0\x80\"", "!1"},
    };
    check_samples(samples, TTP_COUNT(samples), (struct ttp_json_reader){.replace_surrogate = true},
                  *state);
}

static void test_json_read__many_values_need_blanks_between(void **state)
{
    static const struct sample samples[] = {
        {"", "."},
        {" \n", "."},
        {"{}\n{}\n", "{}{}."},
        {"1 2\t\"a\"\r\n[]", "n1;n2;sa;[]."},
        {"{}{}", "{}!2"},
        {"1-2", "n1;!1"},
        {"{}\n,{}", "{}!3"},
        {"{}\n{", "{}{!4"},
    };
    check_samples(samples, TTP_COUNT(samples), (struct ttp_json_reader){.many = true}, *state);
}

static void test_json_read__depth_is_limited(void **state)
{
    static const struct sample samples[] = {
        {"[[{}]]", "[[{}]]."},
        {"[[{\"a\":[]}]]", "[[{ka;!!7"},
        {"[[[]],[[[]]]]", "[[[]][[!!8"},
        {"{\"skip\":[[[[", "{kskip;!!10"},
    };
    char deep[600];

    check_samples(samples, TTP_COUNT(samples), (struct ttp_json_reader){.max_depth = 3}, *state);
    for (size_t depth = 255; depth <= 257; depth++) {
        memset(deep, '[', depth);
        memset(deep + depth, ']', depth);
        const ttp_str log = events((struct ttp_json_reader){0}, (ttp_str){deep, 2 * depth},
                                   CUT_WHOLE, false, *state);
        const ttp_str ending = depth <= TTP_JSON_DEPTH_DEFAULT ? TTP_STR("].") : TTP_STR("[!!256");
        assert_true(ttp_str_ends(log, ending));
    }
}

static void test_json_read__kinds_of_brackets_are_remembered_at_any_depth(void **state)
{
    const struct ttp_json_reader r = {.max_depth = TTP_JSON_DEPTH_MAX};
    struct ttp_sink text;
    bool object[TTP_JSON_DEPTH_MAX];

    ttp_sink_to_arena(&text, *state);
    for (size_t i = 0; i < TTP_JSON_DEPTH_MAX; i++) {
        object[i] = next_random() >> 7 & 1;
        ttp_sink_put(&text, object[i] ? TTP_STR("{\"\":") : TTP_STR("[   "));
    }
    ttp_sink_char(&text, '0');
    for (size_t i = TTP_JSON_DEPTH_MAX; i-- > 0;)
        ttp_sink_char(&text, object[i] ? '}' : ']');
    assert_true(ttp_str_ends(events(r, ttp_sink_text(&text), 7, false, *state), TTP_STR(".")));
    text.buf[text.len - 1] = object[0] ? ']' : '}';
    const ttp_str log = events(r, ttp_sink_text(&text), 7, false, *state);
    assert_true(ttp_str_ends(log, TTP_STR("!5120")));
}

static void test_json_read__token_length_is_limited(void **state)
{
    static const struct sample samples[] = {
        {"\"12345678\"", "s12345678;."},
        {" \"123456789\"", "!!1"},
        {"\"\\u00e9\\n\\n\\n\\n\\n\\n\"", "s\xC3\xA9\n\n\n\n\n\n;."},
        {"\"1234567\\u00e9\"", "!!0"},
        {"\"1234567\xC3\xA9\"", "!!0"},
        {"\"123456789\x01\"", "!!0"},
        {"\"12345678\x01\"", "!9"},
        {"\"123456789\xFF\"", "!!0"},
        {"12345678", "n12345678;."},
        {"[123456789]", "[!!1"},
        {"1234567.", "!8"},
        {"12345678.", "!!0"},
        {"12345678.x", "!!0"},
        {"{\"123456789\":0}", "{!!1"},
    };
    check_samples(samples, TTP_COUNT(samples), (struct ttp_json_reader){.max_token = 8}, *state);
}

static void test_json_read__skip_passes_over_one_value(void **state)
{
    static const struct sample samples[] = {
        {"{\"skip\":[1,{\"a\":[2]},3],\"b\":4}", "{kskip;]kb;n4;}."},
        {"{\"skip\":{},\"b\":4}", "{kskip;}kb;n4;}."},
        {"{\"skip\":[]}", "{kskip;]}."},
        {"{\"skip\":17,\"skip\":\"x\\n\",\"skip\":null}", "{kskip;n17;kskip;sx\n;kskip;z}."},
        {"{\"skip\":[\"]\",\"\\\"]\",\"\\\\\",\"0123456789[{\\\"\"],\"b\":4}", "{kskip;]kb;n4;}."},
        {"{\"skip\":{\"}\":{\"{\":\"}}}\"}}}", "{kskip;}}."},
        {"{\"skip\":[\"a string of more than 64 bytes, so that a block lies within it: "
         "]]]]]]]]\","
         "[[],[]],{\"and some more, with an escape \\\" and brackets ]]]\":[]}],\"b\":4}",
         "{kskip;]kb;n4;}."},
        {"{\"skip\":[y_Y\x7f junk that fills a block of sixty-four bytes or even more than that]}",
         "{kskip;]}."},
        {"{\"skip\":[junk \xFF],\"b\":4}", "{kskip;]kb;n4;}."},
        {"{\"skip\":[}}", "{kskip;!9"},
        {"{\"skip\":[{]}}", "{kskip;!10"},
        {"{\"skip\":[\"]}", "{kskip;!12"},
        {"{\"skip\":[\"\\", "{kskip;!11"},
        {"{\"skip\":[ \"a\" ", "{kskip;!14"},
        {"{\"skip\":}", "{kskip;!8"},
        {"{\"skip\":[1] 2}", "{kskip;]!12"},
    };
    check_samples(samples, TTP_COUNT(samples), (struct ttp_json_reader){0}, *state);
}

static void test_json_read__skip_stops_at_the_end_of_what_surrounds_it(void **state)
{
    struct ttp_json_reader r = {0};
    enum ttp_json_event event;

    (void)state;
    ttp_json_feed(&r, TTP_STR("[[1],2]"), true);
    assert_int_equal(ttp_json_next(&event, &r, NULL), TTP_OK);
    assert_int_equal(ttp_json_skip(&event, &r, NULL), TTP_OK);
    assert_int_equal(event, TTP_JSON_ARRAY_END);
    assert_int_equal(r.depth, 1);
    assert_int_equal(ttp_json_skip(&event, &r, NULL), TTP_OK);
    assert_int_equal(event, TTP_JSON_NUMBER);
    assert_int_equal(ttp_json_skip(&event, &r, NULL), TTP_OK);
    assert_int_equal(event, TTP_JSON_ARRAY_END);
    assert_int_equal(r.depth, 0);
    assert_int_equal(ttp_json_skip(&event, &r, NULL), TTP_OK);
    assert_int_equal(event, TTP_JSON_END);
    assert_int_equal(ttp_json_next(&event, &r, NULL), TTP_OK);
    assert_int_equal(event, TTP_JSON_END);
    ttp_json_clear(&r);
}

static void test_json_read__text_without_escapes_is_not_copied(void **state)
{
    const ttp_str text = TTP_STR("[\"caf\xC3\xA9\",12.5]");
    struct ttp_json_reader r = {0};
    enum ttp_json_event event = TTP_JSON_MORE;

    (void)state;
    ttp_json_feed(&r, text, true);
    while (event != TTP_JSON_END) {
        assert_int_equal(ttp_json_next(&event, &r, NULL), TTP_OK);
        if (event == TTP_JSON_STRING)
            assert_ptr_equal(r.text.ptr, text.ptr + 2);
        if (event == TTP_JSON_NUMBER)
            assert_ptr_equal(r.text.ptr, text.ptr + 9);
    }
    assert_null(r.arena.head);
    ttp_json_clear(&r);
}

/* A text made of fragments that often, but not always, fit together. */
static ttp_str random_text(struct ttp_arena *arena)
{
    static const char *const fragment[] = {
        "{",       "}",
        "[",       "]",
        ",",       ":",
        "\"",      "\"a\":",
        "\\",      "\\n",
        "\\ud83d", "\\ude00",
        "\\u00e9", "0",
        "12",      "-1.5e3",
        "true",    "null",
        "NaN",     "\xC3",
        "\xA9",    "\xE2\x82\xAC",
        " ",       "\n        ",
        "abc",     "0.1",
        "\x01",    "-",
        "{}",      "[]",
        "\"b\"",   "-Infinity",
    };
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    for (uint32_t n = next_random() % 24; n > 0; n--)
        ttp_sink_put(&text, ttp_str_from(fragment[next_random() % TTP_COUNT(fragment)]));
    return ttp_sink_text(&text);
}

/* One well-formed value. */
static void put_random_value(struct ttp_sink *s)
{
    static const char *const scalar[] = {
        "0",
        "-12.5e-3",
        "true",
        "null",
        "\"\"",
        "\"a b\"",
        "\"\\u20ac\\n\"",
        "\"\\ud83d\\ude00\"",
        "\"gr\xC3\xBC\xC3\x9F dich\"",
        "18446744073709551615",
    };
    char closer[6];
    uint32_t left[6]; /* items yet to come */
    size_t depth = 0;

    for (;;) {
        const uint32_t kind = next_random() % 4;
        bool first = false;

        if (depth < TTP_COUNT(left) && kind < 2) {
            ttp_sink_char(s, kind ? '{' : '[');
            closer[depth] = kind ? '}' : ']';
            left[depth++] = next_random() % 5;
            first = true;
        } else {
            ttp_sink_put(s, ttp_str_from(scalar[next_random() % TTP_COUNT(scalar)]));
        }
        for (; depth && left[depth - 1] == 0; first = false)
            ttp_sink_char(s, closer[--depth]);
        if (depth == 0)
            return;
        left[depth - 1]--;
        ttp_sink_put(s, first ? TTP_STR("") : TTP_STR(" , "));
        if (closer[depth - 1] == '}')
            ttp_sink_put(s, next_random() & 1 ? TTP_STR("\"k\\t\":") : TTP_STR("\"skip\" :"));
    }
}

static void test_json_read__cuts_change_nothing_in_random_texts(void **state)
{
    struct ttp_arena *arena = *state;

    for (int i = 0; i < 3000; i++) {
        const struct ttp_mark mark = ttp_arena_mark(arena);
        const uint32_t options = next_random();
        const struct ttp_json_reader r = {.python = options & 1,
                                          .replace_surrogate = options & 2,
                                          .many = options & 4,
                                          .max_depth = options & 8 ? 4 : 0,
                                          .max_token = options & 16 ? 6 : 0};
        struct ttp_sink value;

        assert_cuts_agree(r, random_text(arena), arena);
        ttp_sink_to_arena(&value, arena);
        put_random_value(&value);
        assert_cuts_agree(r, ttp_sink_text(&value), arena);
        const ttp_str log =
            events((struct ttp_json_reader){0}, ttp_sink_text(&value), 9, false, arena);
        assert_true(ttp_str_ends(log, TTP_STR(".")));
        ttp_arena_rewind(arena, mark);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_json_read__accepts_what_rfc_8259_allows),
        TTP_TEST_ARENA(test_json_read__refuses_what_is_not_json_and_says_where),
        TTP_TEST_ARENA(test_json_read__nul_is_a_byte_like_any_other),
        TTP_TEST_ARENA(test_json_read__python_dialect_adds_three_numbers),
        TTP_TEST_ARENA(test_json_read__half_a_surrogate_pair_can_be_replaced),
        TTP_TEST_ARENA(test_json_read__many_values_need_blanks_between),
        TTP_TEST_ARENA(test_json_read__depth_is_limited),
        TTP_TEST_ARENA(test_json_read__kinds_of_brackets_are_remembered_at_any_depth),
        TTP_TEST_ARENA(test_json_read__token_length_is_limited),
        TTP_TEST_ARENA(test_json_read__skip_passes_over_one_value),
        TTP_TEST_ARENA(test_json_read__skip_stops_at_the_end_of_what_surrounds_it),
        TTP_TEST_ARENA(test_json_read__text_without_escapes_is_not_copied),
        TTP_TEST_ARENA(test_json_read__cuts_change_nothing_in_random_texts),
    };
    return cmocka_run_group_tests_name("base/json_read", tests, NULL, NULL);
}
