/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdlib.h>

#include "record/record.h"

static const char *const touched[] = {
    "TT_METAL_DPRINT_CORES",
    "TT_METAL_TRACE_PROFILER",
    "TT_METAL_PROFILER_MID_RUN_DUMP",
    "TT_METAL_PROFILER_ACCUMULATE",
    "TT_METAL_PROFILE_PERF_COUNTERS",
    "TT_METAL_NOC_DEBUG_DUMP",
    "ARCH_NAME",
    "TT_ARCH_NAME",
    "TT_METAL_DEVICE_ARCH",
    "TRACY_NO_EXIT",
};

static int clean(void **state)
{
    for (size_t i = 0; i < TTP_COUNT(touched); i++)
        unsetenv(touched[i]);
    return ttp_test_arena_setup(state);
}

static const char *value_of(const struct ttp_record_environment *env, const char *name)
{
    for (size_t i = 0; i < env->count; i++)
        if (strcmp(env->item[i].name, name) == 0)
            return env->item[i].value ? env->item[i].value : "removed";
    return "as it is";
}

static void test_environment__says_what_and_why(void **state)
{
    const struct ttp_ledger_settings s = {
        .device = true, .ops = true, .cpp_report = true, .report = true, .dir = "/d", .port = 99};
    struct ttp_record_environment env;

    assert_int_equal(ttp_record_make_environment(&env, &s, *state, NULL), TTP_OK);
    for (size_t i = 0; i < env.count; i++)
        assert_true(env.item[i].why && env.item[i].why[0]);
    assert_string_equal(value_of(&env, "TT_METAL_PROFILER_DIR"), "/d");
    assert_string_equal(value_of(&env, "TT_METAL_PROFILER_CPP_POST_PROCESS"), "1");
    assert_string_equal(value_of(&env, "TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY"), "1");
    assert_string_equal(value_of(&env, "TRACY_PORT"), "99");
    assert_string_equal(value_of(&env, "TRACY_NO_EXIT"), "1");
    assert_string_equal(value_of(&env, "TT_METAL_PROFILE_PERF_COUNTERS"), "as it is");
}

static void test_environment__some_wishes_exclude_post_processing(void **state)
{
    const struct ttp_ledger_settings wish[] = {
        {.device = true, .cpp_report = true, .dir = "/d", .sums = true},
        {.device = true, .cpp_report = true, .dir = "/d", .dispatch_cores = true},
        {.device = true, .cpp_report = true, .dir = "/d", .counters = TTP_COUNTERS_FPU},
        {.device = true, .cpp_report = false, .dir = "/d"},
    };
    struct ttp_record_environment env;

    for (size_t i = 0; i < TTP_COUNT(wish); i++) {
        assert_int_equal(ttp_record_make_environment(&env, &wish[i], *state, NULL), TTP_OK);
        assert_string_equal(value_of(&env, "TT_METAL_PROFILER_CPP_POST_PROCESS"), "as it is");
    }
}

static void test_environment__without_the_device_it_is_switched_off(void **state)
{
    const struct ttp_ledger_settings off = {.dir = "/d"}, left = {.dir = "/d", .keep_device = true};
    const struct ttp_ledger_settings alone = {.dir = "/d", .unreceived = true};
    struct ttp_record_environment env;

    assert_int_equal(ttp_record_make_environment(&env, &off, *state, NULL), TTP_OK);
    assert_string_equal(value_of(&env, "TT_METAL_DEVICE_PROFILER"), "removed");
    assert_string_equal(value_of(&env, "TRACY_PORT"), "removed");
    assert_int_equal(ttp_record_make_environment(&env, &left, *state, NULL), TTP_OK);
    assert_string_equal(value_of(&env, "TT_METAL_DEVICE_PROFILER"), "as it is");
    assert_int_equal(ttp_record_make_environment(&env, &alone, *state, NULL), TTP_OK);
    assert_string_equal(value_of(&env, "TRACY_NO_EXIT"), "as it is");
    setenv("TRACY_NO_EXIT", "0", 1);
    assert_int_equal(ttp_record_make_environment(&env, &off, *state, NULL), TTP_OK);
    assert_string_equal(value_of(&env, "TRACY_NO_EXIT"), "as it is");
}

static void test_environment__what_tt_metal_refuses_is_refused(void **state)
{
    const struct {
        struct ttp_ledger_settings s;
        const char *name, *value, *text;
    } cases[] = {
        {{.device = true}, "TT_METAL_DPRINT_CORES", "0,0", "does not print"},
        {{.mid_run = true, .trace_only = true}, NULL, NULL, "trace profiler"},
        {{.trace_only = true}, "TT_METAL_PROFILER_MID_RUN_DUMP", "1", "trace profiler"},
        {{.mid_run = true, .dispatch_cores = true}, NULL, NULL, "dispatch cores"},
        {{.report = true, .accumulate = true}, NULL, NULL, "lack op IDs"},
        {{.report = true}, "TT_METAL_PROFILER_ACCUMULATE", "1", "lack op IDs"},
        {{.report = true, .device = true, .no_files = true}, NULL, NULL, "requires device files"},
        {{.report = true, .device = true}, "TT_METAL_NOC_DEBUG_DUMP", "1", "no device log"},
        {{.counters = TTP_COUNTERS_L1_0 | TTP_COUNTERS_L1_1}, NULL, NULL, "more than one L1"},
        {{.device = true}, "TT_METAL_PROFILE_PERF_COUNTERS", "24", "more than one L1"},
        {{.counters = TTP_COUNTERS_L1_2}, NULL, NULL, "Blackhole only"},
        {{.counters = TTP_COUNTERS_L1_2}, "ARCH_NAME", "wormhole_b0", "wormhole_b0"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_ledger_settings s = cases[i].s;
        struct ttp_record_environment env;
        struct ttp_err err = {0};

        s.dir = "/d";
        if (cases[i].name)
            setenv(cases[i].name, cases[i].value, 1);
        assert_int_equal(ttp_record_make_environment(&env, &s, *state, &err), TTP_EUSAGE);
        if (!strstr(err.text, cases[i].text))
            fail_msg("case %zu: %s", i, err.text);
        assert_true(err.hint[0] != '\0');
        if (cases[i].name)
            unsetenv(cases[i].name);
        /* and is the reason the refusal has: without it, all is well */
        const struct ttp_ledger_settings plain = {.device = true, .report = true, .dir = "/d"};
        assert_int_equal(ttp_record_make_environment(&env, &plain, *state, NULL), TTP_OK);
    }
    setenv("TT_METAL_DEVICE_ARCH", "Blackhole", 1);
    const struct ttp_ledger_settings fits = {.counters = TTP_COUNTERS_L1_4, .dir = "/d"};
    struct ttp_record_environment env;
    assert_int_equal(ttp_record_make_environment(&env, &fits, *state, NULL), TTP_OK);
    assert_string_equal(value_of(&env, "TT_METAL_PROFILE_PERF_COUNTERS"), "256");
}

static void test_environment__counters_by_name(void **state)
{
    const struct {
        const char *list;
        ttp_code rc;
        uint32_t bits;
    } cases[] = {
        {"fpu", TTP_OK, 1},           {"all", TTP_OK, 47},   {"FPU, l1_1,", TTP_OK, 17},
        {"l1_4,instrn", TTP_OK, 288}, {"", TTP_EUSAGE, 0},   {" , ", TTP_EUSAGE, 0},
        {"fpu l1_1", TTP_EUSAGE, 0},  {"l1", TTP_EUSAGE, 0},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        uint32_t bits = 0;

        assert_int_equal(ttp_record_parse_counters(&bits, cases[i].list, NULL), cases[i].rc);
        if (cases[i].rc == TTP_OK)
            assert_int_equal(bits, cases[i].bits);
    }
}

#define ENV_TEST(fn) cmocka_unit_test_setup_teardown(fn, clean, ttp_test_arena_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENV_TEST(test_environment__says_what_and_why),
        ENV_TEST(test_environment__some_wishes_exclude_post_processing),
        ENV_TEST(test_environment__without_the_device_it_is_switched_off),
        ENV_TEST(test_environment__what_tt_metal_refuses_is_refused),
        ENV_TEST(test_environment__counters_by_name),
    };
    return cmocka_run_group_tests_name("record/environment", tests, NULL, NULL);
}
