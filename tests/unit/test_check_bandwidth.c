/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "host/host.h"
#include "host_tree.h"
#include "test.h"

/* The check of one rate on a machine with an n300 at Gen4 x16. */
static struct ttp_check judge(struct ttp_bandwidth_rate rate, const char *id, const char *dir,
                              struct ttp_arena *arena)
{
    const struct ttp_bandwidth b = {.rate = &rate, .count = 1};
    struct ttp_check found = {0};
    struct ttp_host host;
    struct ttp_host_sample s;
    struct ttp_diagnosis d;

    rate.source = "test";
    assert_int_equal(ttp_host_open(&host, dir, NULL, arena, NULL), TTP_OK);
    ttp_host_sample(&s, &host, &(struct ttp_sample_options){0}, arena);
    ttp_doctor_run(&d, &(struct ttp_doctor_input){.host = &host, .first = &s, .bandwidth = &b},
                   arena);
    for (size_t i = 0; i < d.count; i++)
        if (strcmp(d.check[i].spec->id, id) == 0)
            found = d.check[i];
    ttp_host_close(&host);
    assert_non_null(found.spec);
    return found;
}

static struct ttp_bandwidth_rate rate_of(enum ttp_bandwidth_kind kind, int device, double gb_s)
{
    return (struct ttp_bandwidth_rate){.kind = kind,
                                       .device = device,
                                       .count = 11,
                                       .median = gb_s * 1e9,
                                       .min = gb_s * 0.9e9,
                                       .max = gb_s * 1.1e9};
}

static void test_check_bandwidth__rates_are_compared_with_board_and_link(void **state)
{
    static const struct {
        enum ttp_bandwidth_kind kind;
        int device;
        double gb_s;
        const char *id;
        enum ttp_verdict_level level;
    } cases[] = {
        {TTP_BANDWIDTH_H2D, 0, 12.0, "bw.h2d", TTP_CHECK_PASS}, /* the vendor's has 12.2 */
        {TTP_BANDWIDTH_H2D, 0, 8.6, "bw.h2d", TTP_CHECK_PASS},
        {TTP_BANDWIDTH_H2D, 0, 8.5, "bw.h2d", TTP_CHECK_WARN},  /* below 70 % of it */
        {TTP_BANDWIDTH_H2D, 0, 31.6, "bw.h2d", TTP_CHECK_WARN}, /* more than the link's 31.5 */
        {TTP_BANDWIDTH_H2D, 1, 1.0, "bw.h2d", TTP_CHECK_INFO},  /* which chip that is: unknown */
        {TTP_BANDWIDTH_D2H, 0, 7.1, "bw.d2h", TTP_CHECK_PASS},  /* 10.0 */
        {TTP_BANDWIDTH_D2H, 0, 6.9, "bw.d2h", TTP_CHECK_WARN},
        {TTP_BANDWIDTH_DRAM, 0, 73, "bw.dram", TTP_CHECK_PASS}, /* a quarter of 288 is 72 */
        {TTP_BANDWIDTH_DRAM, 0, 71, "bw.dram", TTP_CHECK_WARN},
        /* the tree is another machine's, the memory this one's */
        {TTP_BANDWIDTH_COPY, -1, 1, "bw.memory", TTP_CHECK_INFO},
    };
    const char *dir = host_tree_make("n300.tree", *state);

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_int_equal(
            judge(rate_of(cases[i].kind, cases[i].device, cases[i].gb_s), cases[i].id, dir, *state)
                .level,
            cases[i].level);
    host_tree_remove(dir);
}

static void test_check_bandwidth__what_was_not_measured_says_why_and_how(void **state)
{
    const char *dir = host_tree_make("n300.tree", *state);
    const struct ttp_check k = judge((struct ttp_bandwidth_rate){.kind = TTP_BANDWIDTH_DRAM,
                                                                 .device = -1,
                                                                 .median = NAN,
                                                                 .skipped = "not built",
                                                                 .todo = "build it"},
                                     "bw.dram", dir, *state);

    assert_int_equal(k.level, TTP_CHECK_SKIP);
    assert_true(ttp_str_eq(k.text, TTP_STR("not built")));
    assert_true(ttp_str_eq(k.fix, TTP_STR("build it")));
    host_tree_remove(dir);
}

/* A line is ticked only if each check that it needs was made. */
static void test_check_bandwidth__guide_line_needs_its_checks(void **state)
{
    static const struct ttp_check_spec a = {"a", "", ""}, b = {"b", "", ""};
    static const char *const ids[] = {"a", "b", "c", NULL};
    struct ttp_check made[2] = {{.spec = &a, .level = TTP_CHECK_PASS},
                                {.spec = &b, .level = TTP_CHECK_PASS}};
    struct ttp_diagnosis d = {.check = made, .count = 2};
    struct ttp_guide_line line = {"", "", ids, 2, TTP_NOTED_OPEN};

    (void)state;
    assert_int_equal(ttp_host_guide_line_state(&d, &line), TTP_GUIDE_TRUE);
    line.needed = 3;
    assert_int_equal(ttp_host_guide_line_state(&d, &line), TTP_GUIDE_PARTLY);
    line.needed = 2;
    made[1].level = TTP_CHECK_INFO;
    assert_int_equal(ttp_host_guide_line_state(&d, &line), TTP_GUIDE_PARTLY);
    line.noted = TTP_NOTED_GOOD;
    assert_int_equal(ttp_host_guide_line_state(&d, &line), TTP_GUIDE_TRUE);
    line.noted = TTP_NOTED_BAD;
    assert_int_equal(ttp_host_guide_line_state(&d, &line), TTP_GUIDE_FALSE);
    made[0].level = made[1].level = TTP_CHECK_SKIP;
    assert_int_equal(ttp_host_guide_line_state(&d, &line), TTP_GUIDE_UNKNOWN);
    made[0].level = TTP_CHECK_WARN;
    assert_int_equal(ttp_host_guide_line_state(&d, &line), TTP_GUIDE_FALSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_check_bandwidth__rates_are_compared_with_board_and_link),
        TTP_TEST_ARENA(test_check_bandwidth__what_was_not_measured_says_why_and_how),
        TTP_TEST_ARENA(test_check_bandwidth__guide_line_needs_its_checks),
    };
    return cmocka_run_group_tests_name("host/check_bandwidth", tests, NULL, NULL);
}
