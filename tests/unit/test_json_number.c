/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <math.h>

#include "base/json_read.h"

static void test_json_number__whole_numbers_are_exact(void **state)
{
    static const struct {
        const char *text;
        bool is_i64, is_u64;
        uint64_t bits;
    } samples[] = {
        {"0", true, true, 0},
        {"-0", true, true, 0},
        {"0.000e9999999999999999999", true, true, 0},
        {"1.0", true, true, 1},
        {"100", true, true, 100},
        {"1e3", true, true, 1000},
        {"1.50E+1", true, true, 15},
        {"1200e-2", true, true, 12},
        {"-7", true, false, (uint64_t)-7},
        {"9007199254740993", true, true, 9007199254740993u},
        {"9223372036854775807", true, true, INT64_MAX},
        {"9223372036854775808", false, true, (uint64_t)INT64_MAX + 1},
        {"-9223372036854775808", true, false, (uint64_t)INT64_MIN},
        {"-9223372036854775809", false, false, 0},
        {"18446744073709551615", false, true, UINT64_MAX},
        {"18446744073709551615.000", false, true, UINT64_MAX},
        {"1844674407370955161.5e1", false, true, UINT64_MAX},
        {"18446744073709551616", false, false, 0},
        {"1e20", false, false, 0},
        {"1e999999999999999999999", false, false, 0},
        {"1e-999999999999999999999", false, false, 0},
        {"0.5", false, false, 0},
        {"15e-1", false, false, 0},
        {"", false, false, 0},
        {"-", false, false, 0},
        {"+1", false, false, 0},
        {"01", false, false, 0},
        {"1.", false, false, 0},
        {".1", false, false, 0},
        {"1e", false, false, 0},
        {"1e+", false, false, 0},
        {"1x", false, false, 0},
        {"1e1x", false, false, 0},
        {"1.0.0", false, false, 0},
        {"NaN", false, false, 0},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(samples); i++) {
        const ttp_str text = ttp_str_from(samples[i].text);
        int64_t s = 0;
        uint64_t u = 0;

        if (ttp_json_to_i64(text, &s) != samples[i].is_i64 ||
            ttp_json_to_u64(text, &u) != samples[i].is_u64)
            fail_msg("'%s' taken or refused wrongly", samples[i].text);
        if (samples[i].is_i64)
            assert_true(s == (int64_t)samples[i].bits);
        if (samples[i].is_u64)
            assert_true(u == samples[i].bits);
    }
}

static void test_json_number__doubles_are_nearest(void **state)
{
    double v = 0;

    (void)state;
    assert_true(ttp_json_to_f64(TTP_STR("0.1"), &v) && v == 0.1);
    assert_true(ttp_json_to_f64(TTP_STR("-2.5e-3"), &v) && v == -0.0025);
    assert_true(ttp_json_to_f64(TTP_STR("9007199254740993"), &v) && v == 9007199254740992.0);
    assert_true(ttp_json_to_f64(TTP_STR("1e999"), &v) && isinf(v));
    assert_true(ttp_json_to_f64(TTP_STR("-Infinity"), &v) && isinf(v) && v < 0);
    assert_true(ttp_json_to_f64(TTP_STR("NaN"), &v) && isnan(v));
    assert_false(ttp_json_to_f64(TTP_STR("one"), &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_number__whole_numbers_are_exact),
        cmocka_unit_test(test_json_number__doubles_are_nearest),
    };
    return cmocka_run_group_tests_name("base/json_number", tests, NULL, NULL);
}
