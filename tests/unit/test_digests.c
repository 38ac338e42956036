/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256, base64, ISO 8601, zstd: against published examples and each other. */
#include "test.h"

#include <string.h>

#include "base/base64.h"
#include "base/compress.h"
#include "base/iso_time.h"
#include "base/sha256.h"

static void test_sha256__published_examples(void **state)
{
    static const struct {
        const char *text, *hex;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char hex[TTP_SHA256_HEX + 1];
    char *million = ttp_arena_bytes(*state, 1000000);

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        ttp_sha256_hex(hex, ttp_str_from(cases[i].text));
        assert_string_equal(hex, cases[i].hex);
    }
    memset(million, 'a', 1000000);
    ttp_sha256_hex(hex, (ttp_str){million, 1000000});
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_base64__published_examples_both_ways(void **state)
{
    static const char *const cases[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    static const char *const bad[] = {"Zg=", "Zg", "Z===", "=Zg=", "Zm9v\n", "Zg==Zg==", "Zm8*"};
    ttp_str back;

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_sink out;
        struct ttp_base64 b = {.out = &out};

        ttp_sink_to_arena(&out, *state);
        for (const char *c = cases[i][0]; *c; c++)
            ttp_base64_put(&b, (ttp_str){c, 1});
        ttp_base64_end(&b);
        assert_true(ttp_str_eq(ttp_sink_text(&out), ttp_str_from(cases[i][1])));
        assert_true(ttp_base64_decode(&back, ttp_str_from(cases[i][1]), *state));
        assert_true(ttp_str_eq(back, ttp_str_from(cases[i][0])));
    }
    for (size_t i = 0; i < TTP_COUNT(bad); i++)
        assert_false(ttp_base64_decode(&back, ttp_str_from(bad[i]), *state));
}

static void test_iso_time__is_read_in_all_its_forms(void **state)
{
    static const struct {
        const char *text;
        int64_t s, ns;
    } cases[] = {
        {"1970-01-01", 0, 0},
        {"2026-11-16", 1794787200, 0},
        {"2026-11-16T02:30", 1794796200, 0},
        {"2026-11-16 02:30:05", 1794796205, 0},
        {"2026-11-16T02:30:05Z", 1794796205, 0},
        {"2026-11-16T02:30:05.25Z", 1794796205, 250000000},
        {"2026-11-16T02:30:05.1234567891+01:00", 1794792605, 123456789},
        {"2026-11-16T02:30:05-0130", 1794801605, 0},
        {"2024-02-29", 1709164800, 0},
    };
    static const char *const bad[] = {"",
                                      "2026",
                                      "2026-13-01",
                                      "2026-02-30",
                                      "2023-02-29",
                                      "2026-1-1",
                                      "1969-12-31",
                                      "2026-11-16T",
                                      "2026-11-16T25:00",
                                      "2026-11-16T02:30:05.",
                                      "2026-11-16T02:30X",
                                      "main",
                                      "2026-11-16 ",
                                      "20261116"};
    char text[TTP_ISO_TIME_MAX];
    int64_t ns;

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        assert_true(ttp_iso_parse(&ns, ttp_str_from(cases[i].text)));
        assert_int_equal(ns, cases[i].s * 1000000000 + cases[i].ns);
    }
    for (size_t i = 0; i < TTP_COUNT(bad); i++)
        if (ttp_iso_parse(&ns, ttp_str_from(bad[i])))
            fail_msg("'%s' is no time", bad[i]);
    assert_true(ttp_iso_parse(&ns, TTP_STR("2026-11-16T02:30:05.123456Z")));
    assert_int_equal(ttp_iso_time(text, ns), 27);
    assert_string_equal(text, "2026-11-16T02:30:05.123456Z");
}

static void test_zstd__packs_and_unpacks_exactly(void **state)
{
    ttp_test_needs("zstd");
    const ttp_str text = TTP_STR("the same the same the same the same");
    ttp_str packed, back;
    struct ttp_err err = {0};

    assert_int_equal(ttp_zstd_pack(&packed, text, *state, &err), TTP_OK);
    assert_int_equal(ttp_zstd_unpack(&back, packed, text.len, *state, &err), TTP_OK);
    assert_true(ttp_str_eq(back, text));
    assert_int_equal(ttp_zstd_unpack(&back, packed, text.len - 1, *state, &err), TTP_EPARSE);
    assert_int_equal(ttp_zstd_unpack(&back, packed, text.len + 1, *state, &err), TTP_EPARSE);
    packed.len--;
    assert_int_equal(ttp_zstd_unpack(&back, packed, text.len, *state, &err), TTP_EPARSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_sha256__published_examples),
        TTP_TEST_ARENA(test_base64__published_examples_both_ways),
        TTP_TEST_ARENA(test_iso_time__is_read_in_all_its_forms),
        TTP_TEST_ARENA(test_zstd__packs_and_unpacks_exactly),
    };
    return ttp_test_end(cmocka_run_group_tests_name("base/digests", tests, NULL, NULL));
}
