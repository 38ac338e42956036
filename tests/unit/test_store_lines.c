/* SPDX-License-Identifier: Apache-2.0 */
#include "store_place.h"

#include <math.h>
#include <stdio.h>

#include "store/store.h"

#define DAY_NS (86400LL * 1000000000LL)
#define RUNS   16
#define CHANGE 8 /* the first run that is slower */

static int setup(void **state)
{
    place_make(state, "history.db");
    return 0;
}

static void add_run(struct ttp_store *s, struct place *p, const char *name, int day, double value)
{
    struct ttp_history_run run = {.name = ttp_str_from(name),
                                  .kind = TTP_STR("bench"),
                                  .time_ns = (day + 1) * DAY_NS,
                                  .machine_key = TTP_STR("lab")};
    struct ttp_store_added added;
    double *sample = TTP_NEW(&p->arena, double, 1);
    char commit[41];

    snprintf(commit, sizeof(commit), "%04x%036d", 0xa000 + day, 0);
    run.commit = ttp_arena_copy(&p->arena, ttp_str_from(commit));
    sample[0] = value;
    *ttp_history_run_add_measure(&run, &p->arena) =
        (struct ttp_run_measure){.metric = TTP_STR("wall"),
                                 .unit = TTP_STR("s"),
                                 .better = TTP_BETTER_LOWER,
                                 .sample = sample,
                                 .count = 1,
                                 .target = NAN};
    assert_int_equal(ttp_store_add(&added, s, &run, true, NULL), TTP_OK);
}

/* "steady" stays as it is, "slower" does not, "gone" ends and "new" begins with the change. */
static struct ttp_store *make_history(struct place *p)
{
    struct ttp_store *s = NULL;

    assert_int_equal(ttp_store_open(&s, p->where, TTP_STORE_WRITE, NULL), TTP_OK);
    for (int i = 0; i < RUNS; i++) {
        const double noise = 1 + 0.001 * (i % 3);

        add_run(s, p, "steady", i, noise);
        add_run(s, p, "slower", i, noise * (i < CHANGE ? 1 : 1.5));
        add_run(s, p, i < CHANGE ? "gone" : "new", i, noise);
    }
    return s;
}

static const struct ttp_line_options options = {
    .changes = {.min_segment = 5, .permutations = 199, .significance = 0.01, .seed = 1},
    .min_effect = 0.02,
    .confidence = 0.95};

static void test_store_lines__regressions_since_a_commit_come_worst_first(void **state)
{
    struct place *p = *state;
    struct ttp_store *s = make_history(p);
    const struct ttp_line_query query = {.since = "a007", /* the last good one */
                                         .options = &options};
    struct ttp_regressions found;

    assert_int_equal(ttp_store_regressions(&found, s, &query, &p->arena, NULL), TTP_OK);
    assert_int_equal(found.since_ns, CHANGE * DAY_NS);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.without_before, 1);
    assert_int_equal(found.without_after, 1);
    assert_true(ttp_str_eq(found.line[0].series.name, TTP_STR("slower")));
    assert_int_equal(found.line[0].standing, TTP_STANDS_WORSE);
    assert_true(found.line[0].change > 0.49 && found.line[0].change < 0.51);
    assert_int_equal(found.line[0].first.time_ns, (CHANGE + 1) * DAY_NS);
    assert_int_equal(found.line[1].standing, TTP_STANDS_SAME);
    ttp_store_close(s);
}

static void test_store_lines__a_query_names_lines_and_how_much_of_them(void **state)
{
    struct place *p = *state;
    struct ttp_store *s = make_history(p);
    struct ttp_line_query query = {
        .name = "slower", .metric = "wall", .limit = 10, .options = &options};
    struct ttp_trends trends;
    struct ttp_err err = {0};

    assert_int_equal(ttp_store_trends(&trends, s, &query, &p->arena, NULL), TTP_OK);
    assert_int_equal(trends.count, 1);
    assert_true(trends.more);
    assert_int_equal(trends.trend[0].count, 10);
    query.limit = 0;
    query.since = "1970-01-03";
    assert_int_equal(ttp_store_trends(&trends, s, &query, &p->arena, NULL), TTP_OK);
    assert_false(trends.more);
    assert_int_equal(trends.trend[0].count, RUNS - 2);
    assert_int_equal(trends.trend[0].changes, 1);
    query.metric = "wal";
    assert_int_equal(ttp_store_trends(&trends, s, &query, &p->arena, &err), TTP_ENOTFOUND);
    assert_non_null(strstr(err.hint, "wall"));
    ttp_store_close(s);
}

static void test_store_lines__a_run_has_several_names(void **state)
{
    static const struct {
        const char *ref;
        ttp_code code;
    } cases[] = {{"1", TTP_OK},           {"run:48", TTP_OK},    {"last", TTP_OK},
                 {"a00f", TTP_OK},        {"49", TTP_ENOTFOUND}, {"run:x", TTP_ENOTFOUND},
                 {"b000", TTP_ENOTFOUND}, {"a0", TTP_ENOTFOUND}, {"", TTP_ENOTFOUND}};
    struct place *p = *state;
    struct ttp_store *s = make_history(p);

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        int64_t id = -1;

        if (ttp_store_find_run(&id, s, cases[i].ref, &p->arena, NULL) != cases[i].code)
            fail_msg("'%s'", cases[i].ref);
        assert_true(cases[i].code == TTP_OK ? id > 0 : id == 0);
    }
    ttp_store_close(s);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, place_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_store_lines__regressions_since_a_commit_come_worst_first),
        TEST(test_store_lines__a_query_names_lines_and_how_much_of_them),
        TEST(test_store_lines__a_run_has_several_names),
    };

    if (!ttp_store_supports("sqlite")) {
        puts("SKIPPED: this build has no SQLite");
        return 77;
    }
    return cmocka_run_group_tests_name("store/lines", tests, NULL, NULL);
}
