/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/json_read.h"
#include "base/json_write.h"

static void assert_text(ttp_str got, ttp_str want)
{
    if (!ttp_str_eq(got, want))
        fail_msg("got '%.*s', want '%.*s'", TTP_FMT(got), TTP_FMT(want));
}

/* Every kind of value, nested and empty containers. */
static void put_sample(struct ttp_json_writer *w)
{
    ttp_json_begin_object(w);
    ttp_json_put_key(w, TTP_STR("schema"));
    ttp_json_put_str(w, TTP_STR("tt-perf.report/1"));
    ttp_json_put_key(w, TTP_STR("rows"));
    ttp_json_begin_array(w);
    ttp_json_put_i64(w, -3);
    ttp_json_put_f64(w, 0.5);
    ttp_json_begin_object(w);
    ttp_json_end_object(w);
    ttp_json_begin_array(w);
    ttp_json_put_bool(w, true);
    ttp_json_put_null(w);
    ttp_json_end_array(w);
    ttp_json_end_array(w);
    ttp_json_put_key(w, TTP_STR("warnings"));
    ttp_json_begin_array(w);
    ttp_json_end_array(w);
    ttp_json_put_key(w, TTP_STR("share_pct"));
    ttp_json_put_fixed(w, 12.345, 1);
    ttp_json_put_key(w, TTP_STR("raw"));
    ttp_json_put_raw(w, TTP_STR("{\"a\":1}"));
    ttp_json_put_key(w, TTP_STR("truncated"));
    ttp_json_put_bool(w, false);
    ttp_json_end_object(w);
}

static void test_json_write__compact_output_has_no_blanks(void **state)
{
    struct ttp_sink sink;
    struct ttp_json_writer w = {.sink = &sink};

    ttp_sink_to_arena(&sink, *state);
    put_sample(&w);
    assert_text(ttp_sink_text(&sink),
                TTP_STR("{\"schema\":\"tt-perf.report/1\",\"rows\":[-3,0.5,{},[true,null]],"
                        "\"warnings\":[],\"share_pct\":12.3,\"raw\":{\"a\":1},"
                        "\"truncated\":false}"));
}

static void test_json_write__indented_output_has_a_line_per_value(void **state)
{
    struct ttp_sink sink;
    struct ttp_json_writer w = {.sink = &sink, .indent = true};

    ttp_sink_to_arena(&sink, *state);
    put_sample(&w);
    assert_text(ttp_sink_text(&sink), TTP_STR("{\n"
                                              "  \"schema\": \"tt-perf.report/1\",\n"
                                              "  \"rows\": [\n"
                                              "    -3,\n"
                                              "    0.5,\n"
                                              "    {},\n"
                                              "    [\n"
                                              "      true,\n"
                                              "      null\n"
                                              "    ]\n"
                                              "  ],\n"
                                              "  \"warnings\": [],\n"
                                              "  \"share_pct\": 12.3,\n"
                                              "  \"raw\": {\"a\":1},\n"
                                              "  \"truncated\": false\n"
                                              "}"));
}

static void test_json_write__values_at_the_top_are_lines(void **state)
{
    struct ttp_sink sink;
    struct ttp_json_writer w = {.sink = &sink};

    ttp_sink_to_arena(&sink, *state);
    ttp_json_begin_object(&w);
    ttp_json_end_object(&w);
    ttp_json_put_i64(&w, 1);
    ttp_json_begin_array(&w);
    ttp_json_put_i64(&w, 2);
    ttp_json_end_array(&w);
    assert_text(ttp_sink_text(&sink), TTP_STR("{}\n1\n[2]"));
}

static void test_json_write__strings_are_escaped_and_repaired(void **state)
{
    static const struct {
        ttp_str text, json;
    } samples[] = {
        {{"", 0}, {"\"\"", 2}},
        {{"plain text, no escapes / at all", 31}, {"\"plain text, no escapes / at all\"", 33}},
        {{"\"\\\b\f\n\r\t", 7}, {"\"\\\"\\\\\\b\\f\\n\\r\\t\"", 16}},
        {{"\0\x01\x1f\x7f", 4}, {"\"\\u0000\\u0001\\u001f\\u007f\"", 26}},
        {{"a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 10},
         {"\"a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"", 12}},
        {{"\x80", 1}, {"\"\xEF\xBF\xBD\"", 5}},
        {{"a\xFF\xFE z", 5}, {"\"a\xEF\xBF\xBD\xEF\xBF\xBD z\"", 11}},
        {{"\xE2\x82z", 3}, {"\"\xEF\xBF\xBDz\"", 6}},
        {{"\xE2\x82", 2}, {"\"\xEF\xBF\xBD\"", 5}},
        {{"\xF0\x9F\x98z", 4}, {"\"\xEF\xBF\xBDz\"", 6}},
        {{"\xF0\x80\x80", 3}, {"\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"", 11}},
        {{"\xED\xA0\x80", 3}, {"\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"", 11}},
        {{"\xC0\xAF", 2}, {"\"\xEF\xBF\xBD\xEF\xBF\xBD\"", 8}},
    };

    for (size_t i = 0; i < TTP_COUNT(samples); i++) {
        struct ttp_sink sink;
        struct ttp_json_writer w = {.sink = &sink};

        ttp_sink_to_arena(&sink, *state);
        ttp_json_put_str(&w, samples[i].text);
        assert_text(ttp_sink_text(&sink), samples[i].json);
    }
}

static void test_json_write__integers_beyond_2_to_the_53_are_strings(void **state)
{
    struct ttp_sink sink;
    struct ttp_json_writer w = {.sink = &sink};

    ttp_sink_to_arena(&sink, *state);
    ttp_json_begin_array(&w);
    ttp_json_put_i64(&w, 9007199254740992);
    ttp_json_put_i64(&w, 9007199254740993);
    ttp_json_put_i64(&w, -9007199254740992);
    ttp_json_put_i64(&w, -9007199254740993);
    ttp_json_put_i64(&w, INT64_MIN);
    ttp_json_put_u64(&w, 0);
    ttp_json_put_u64(&w, 9007199254740992);
    ttp_json_put_u64(&w, 9007199254740993);
    ttp_json_put_u64(&w, UINT64_MAX);
    ttp_json_end_array(&w);
    assert_text(ttp_sink_text(&sink),
                TTP_STR("[9007199254740992,\"9007199254740993\",-9007199254740992,"
                        "\"-9007199254740993\",\"-9223372036854775808\",0,9007199254740992,"
                        "\"9007199254740993\",\"18446744073709551615\"]"));
}

static void test_json_write__what_json_cannot_say_is_null(void **state)
{
    struct ttp_sink sink;
    struct ttp_json_writer w = {.sink = &sink};

    ttp_sink_to_arena(&sink, *state);
    ttp_json_begin_array(&w);
    ttp_json_put_f64(&w, NAN);
    ttp_json_put_f64(&w, -INFINITY);
    ttp_json_put_fixed(&w, INFINITY, 2);
    ttp_json_put_fixed(&w, NAN, 2);
    ttp_json_put_fixed(&w, 2, 0);
    ttp_json_end_array(&w);
    assert_text(ttp_sink_text(&sink), TTP_STR("[null,null,null,null,2]"));
}

static void test_json_write__nests_as_deep_as_the_reader_reads(void **state)
{
    struct ttp_json_reader r = {0};
    enum ttp_json_event event = TTP_JSON_MORE;
    struct ttp_sink sink;
    struct ttp_json_writer w = {.sink = &sink, .indent = true};

    ttp_sink_to_arena(&sink, *state);
    for (int i = 0; i < TTP_JSON_WRITE_DEPTH_MAX; i++) {
        if (i % 3) {
            ttp_json_begin_object(&w);
            ttp_json_put_key(&w, TTP_STR("k"));
        } else {
            ttp_json_begin_array(&w);
        }
    }
    ttp_json_put_null(&w);
    for (int i = TTP_JSON_WRITE_DEPTH_MAX; i-- > 0;)
        (i % 3 ? ttp_json_end_object : ttp_json_end_array)(&w);
    ttp_json_feed(&r, ttp_sink_text(&sink), true);
    while (event != TTP_JSON_END)
        assert_int_equal(ttp_json_next(&event, &r, NULL), TTP_OK);
    ttp_json_clear(&r);
}

/* Round trip. */

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double random_double(void)
{
    const uint64_t bits = next_random();
    double v;

    memcpy(&v, &bits, sizeof(v));
    return isfinite(v) ? v : 0.5;
}

/* Well-formed UTF-8 of up to 15 code points, many of them special. */
static ttp_str random_string(char *buf)
{
    static const char *const part[] = {"a",    "\"",         "\\",           "\n",
                                       "\x01", "\xC3\xA9",   "\xE2\x80\xA8", "\xF0\x9F\x98\x80",
                                       "/",    "plain words"};
    size_t len = 0;

    for (uint64_t n = next_random() % 16; n > 0; n--) {
        const ttp_str s = ttp_str_from(part[next_random() % TTP_COUNT(part)]);
        memcpy(buf + len, s.ptr, s.len);
        len += s.len;
    }
    return (ttp_str){buf, len};
}

struct pulled {
    struct ttp_json_reader r;
    ttp_str rest;
};

/* The next event, the text fed in pieces of 1 to 9 bytes. */
static enum ttp_json_event pull(struct pulled *p)
{
    enum ttp_json_event event;

    for (;;) {
        assert_int_equal(ttp_json_next(&event, &p->r, NULL), TTP_OK);
        if (event != TTP_JSON_MORE)
            return event;
        const size_t n = 1 + next_random() % 9;
        ttp_json_feed(&p->r, ttp_str_slice(p->rest, 0, n), n >= p->rest.len);
        p->rest = ttp_str_slice(p->rest, n, p->rest.len);
    }
}

struct row {
    ttp_str key, text;
    uint64_t u;
    double f;
};

static struct row random_row(struct ttp_arena *arena)
{
    char buf[256];
    struct row row;

    row.key = ttp_arena_copy(arena, random_string(buf));
    row.text = ttp_arena_copy(arena, random_string(buf));
    row.u = next_random();
    row.u >>= next_random() % 64;
    row.f = random_double();
    return row;
}

static void put_row(struct ttp_json_writer *w, const struct row *row)
{
    ttp_json_put_key(w, row->key);
    ttp_json_begin_array(w);
    ttp_json_put_str(w, row->text);
    ttp_json_put_u64(w, row->u);
    ttp_json_put_f64(w, row->f);
    ttp_json_end_array(w);
}

static void check_row(struct pulled *p, const struct row *row)
{
    const bool beyond = row->u > (uint64_t)1 << 53;
    uint64_t u;
    double f;

    assert_int_equal(pull(p), TTP_JSON_KEY);
    assert_text(p->r.text, row->key);
    assert_int_equal(pull(p), TTP_JSON_ARRAY_BEGIN);
    assert_int_equal(pull(p), TTP_JSON_STRING);
    assert_text(p->r.text, row->text);
    assert_int_equal(pull(p), beyond ? TTP_JSON_STRING : TTP_JSON_NUMBER);
    assert_true(ttp_json_to_u64(p->r.text, &u) && u == row->u);
    assert_int_equal(pull(p), TTP_JSON_NUMBER);
    assert_true(ttp_json_to_f64(p->r.text, &f) && f == row->f);
    assert_int_equal(pull(p), TTP_JSON_ARRAY_END);
}

static void test_json_write__what_is_written_reads_back(void **state)
{
    struct ttp_arena *arena = *state;

    for (int round = 0; round < 300; round++) {
        const struct ttp_mark mark = ttp_arena_mark(arena);
        struct row row[8];
        struct ttp_sink sink;
        struct ttp_json_writer w = {.sink = &sink, .indent = round & 1};

        ttp_sink_to_arena(&sink, arena);
        ttp_json_begin_object(&w);
        for (size_t i = 0; i < TTP_COUNT(row); i++) {
            row[i] = random_row(arena);
            put_row(&w, &row[i]);
        }
        ttp_json_end_object(&w);

        struct pulled p = {.rest = ttp_sink_text(&sink)};
        assert_int_equal(pull(&p), TTP_JSON_OBJECT_BEGIN);
        for (size_t i = 0; i < TTP_COUNT(row); i++)
            check_row(&p, &row[i]);
        assert_int_equal(pull(&p), TTP_JSON_OBJECT_END);
        assert_int_equal(pull(&p), TTP_JSON_END);
        ttp_json_clear(&p.r);
        ttp_arena_rewind(arena, mark);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_json_write__compact_output_has_no_blanks),
        TTP_TEST_ARENA(test_json_write__indented_output_has_a_line_per_value),
        TTP_TEST_ARENA(test_json_write__values_at_the_top_are_lines),
        TTP_TEST_ARENA(test_json_write__strings_are_escaped_and_repaired),
        TTP_TEST_ARENA(test_json_write__integers_beyond_2_to_the_53_are_strings),
        TTP_TEST_ARENA(test_json_write__what_json_cannot_say_is_null),
        TTP_TEST_ARENA(test_json_write__nests_as_deep_as_the_reader_reads),
        TTP_TEST_ARENA(test_json_write__what_is_written_reads_back),
    };
    return cmocka_run_group_tests_name("base/json_write", tests, NULL, NULL);
}
