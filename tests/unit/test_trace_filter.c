/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "outputs/trace/trace_run.h"

static void test_trace_filter__nothing_asked_for_is_everything(void **state)
{
    const struct ttp_trace_filter f = {0};

    (void)state;
    assert_true(ttp_out_trace_wants_device(&f, 31));
    assert_true(ttp_out_trace_wants_core(&f, 7, 9));
    assert_true(ttp_out_trace_wants_zone(&f, TTP_STR("anything")));
}

static void test_trace_filter__devices_are_numbers_and_ranges(void **state)
{
    struct ttp_trace_filter f = {0};

    assert_int_equal(ttp_out_trace_parse_devices(&f, "0, 3-5,9-", *state, NULL), TTP_OK);
    static const bool want[] = {1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1};
    for (size_t i = 0; i < TTP_COUNT(want); i++)
        assert_int_equal(ttp_out_trace_wants_device(&f, (int64_t)i), want[i]);
}

static void test_trace_filter__cores_are_pairs(void **state)
{
    struct ttp_trace_filter f = {0};

    assert_int_equal(ttp_out_trace_parse_core(&f, "1-2,3", *state, NULL), TTP_OK);
    assert_int_equal(ttp_out_trace_parse_core(&f, "*,7", *state, NULL), TTP_OK);
    assert_true(ttp_out_trace_wants_core(&f, 1, 3));
    assert_true(ttp_out_trace_wants_core(&f, 2, 3));
    assert_false(ttp_out_trace_wants_core(&f, 3, 3));
    assert_true(ttp_out_trace_wants_core(&f, 100, 7));
}

static void test_trace_filter__junk_is_refused(void **state)
{
    static const char *const bad[] = {"",    "x",   "1-x", "-",
                                      "5-3", "1 2", "--1", "99999999999999999999"};
    struct ttp_trace_filter f = {0};

    for (size_t i = 0; i < TTP_COUNT(bad); i++) {
        assert_int_equal(ttp_out_trace_parse_ops(&f, bad[i], NULL), TTP_EUSAGE);
        assert_int_equal(ttp_out_trace_parse_devices(&f, bad[i], *state, NULL), TTP_EUSAGE);
        assert_int_equal(ttp_out_trace_parse_core(&f, bad[i], *state, NULL), TTP_EUSAGE);
    }
    assert_int_equal(ttp_out_trace_parse_core(&f, "1,2,3", *state, NULL), TTP_EUSAGE);
}

static void test_trace_filter__zones_are_patterns(void **state)
{
    static const struct {
        const char *pattern, *name;
        bool fits;
    } cases[] = {
        {"BRISC-FW", "BRISC-FW", true},
        {"BRISC-FW", "NBRISC-FW", false},
        {"*-KERNEL", "TRISC-KERNEL", true},
        {"*-KERNEL", "TRISC-KERNEL2", false},
        {"?RISC*", "BRISC-FW", true},
        {"?RISC*", "NCRISC-FW", false},
        {"*a*b*c*", "xxaxxbxxcxx", true},
        {"*a*b*c*", "xxaxxcxxbxx", false},
        {"a,b*", "bcd", true},
        {"a, b*", "ab", false},
        {"*", "", true},
        {"a*a", "a", false},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_trace_filter f = {0};
        ttp_out_trace_parse_zones(&f, cases[i].pattern, *state);
        assert_int_equal(ttp_out_trace_wants_zone(&f, ttp_str_from(cases[i].name)), cases[i].fits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_filter__nothing_asked_for_is_everything),
        TTP_TEST_ARENA(test_trace_filter__devices_are_numbers_and_ranges),
        TTP_TEST_ARENA(test_trace_filter__cores_are_pairs),
        TTP_TEST_ARENA(test_trace_filter__junk_is_refused),
        TTP_TEST_ARENA(test_trace_filter__zones_are_patterns),
    };
    return cmocka_run_group_tests_name("outputs/trace_filter", tests, NULL, NULL);
}
