/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/order.h"

struct item {
    int64_t group;
    double time;
    const char *name;
};

TTP_ORDER(by_group_and_time, struct item, TTP_UP(group), TTP_DOWN(time), strcmp(x->name, y->name))
TTP_ORDER(by_pointed_time, struct item *const, TTP_COMPARE((*x)->time, (*y)->time))

static void test_order__keys_count_one_after_the_other(void **state)
{
    struct item item[] = {{2, 1, "e"}, {1, 5, "c"}, {1, 7, "a"}, {-3, 0, "z"}, {1, 5, "b"}};
    static const char *const expected[] = {"z", "a", "b", "c", "e"};

    (void)state;
    TTP_SORT(item, TTP_COUNT(item), by_group_and_time);
    for (size_t i = 0; i < TTP_COUNT(item); i++)
        assert_string_equal(item[i].name, expected[i]);
    assert_int_equal(by_group_and_time(&item[0], &item[0]), 0);
}

static void test_order__pointers_are_sorted_by_what_they_point_to(void **state)
{
    struct item item[] = {{0, 3, "c"}, {0, 1, "a"}, {0, 2, "b"}};
    struct item *list[] = {&item[0], &item[1], &item[2]};

    (void)state;
    /* pointers are sorted. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    TTP_SORT(list, TTP_COUNT(list), by_pointed_time);
    assert_string_equal(list[0]->name, "a");
    assert_string_equal(list[1]->name, "b");
    assert_string_equal(list[2]->name, "c");
}

static void test_order__an_empty_list_may_be_null(void **state)
{
    struct item *none = NULL;
    const size_t count = 0;

    (void)state;
    TTP_SORT(none, count, by_group_and_time);
    assert_null(none);
}

static void test_order__bare_values(void **state)
{
    double f[] = {2.5, -1, 1e300};
    int64_t i[] = {5, INT64_MIN, INT64_MAX};
    uint64_t u[] = {5, UINT64_MAX, 0};
    uint32_t w[] = {UINT32_MAX, 0, 7};
    const char *text[] = {"b", "", "a"};

    (void)state;
    TTP_SORT(f, TTP_COUNT(f), ttp_by_f64);
    TTP_SORT(i, TTP_COUNT(i), ttp_by_i64);
    TTP_SORT(u, TTP_COUNT(u), ttp_by_u64);
    TTP_SORT(w, TTP_COUNT(w), ttp_by_u32);
    TTP_SORT(text, TTP_COUNT(text), ttp_by_text);
    assert_true(f[0] == -1 && f[1] == 2.5 && f[2] == 1e300);
    assert_true(i[0] == INT64_MIN && i[1] == 5 && i[2] == INT64_MAX);
    assert_true(u[0] == 0 && u[1] == 5 && u[2] == UINT64_MAX);
    assert_true(w[0] == 0 && w[1] == 7 && w[2] == UINT32_MAX);
    assert_string_equal(text[0], "");
    assert_string_equal(text[1], "a");
    assert_string_equal(text[2], "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order__keys_count_one_after_the_other),
        cmocka_unit_test(test_order__pointers_are_sorted_by_what_they_point_to),
        cmocka_unit_test(test_order__an_empty_list_may_be_null),
        cmocka_unit_test(test_order__bare_values),
    };
    return cmocka_run_group_tests_name("base/order", tests, NULL, NULL);
}
