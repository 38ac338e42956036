/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdio.h>

#include "base/sym.h"

static void test_sym__equal_text_gets_one_number_in_order_of_arrival(void **state)
{
    struct ttp_symtab t = {.arena = *state};

    assert_int_equal(ttp_sym_intern(&t, TTP_STR("Matmul")), 0);
    assert_int_equal(ttp_sym_intern(&t, TTP_STR("")), 1);
    assert_int_equal(ttp_sym_intern(&t, TTP_STR("Matmul")), 0);
    assert_true(ttp_str_eq(ttp_sym_name(&t, 0), TTP_STR("Matmul")));
}

static void test_sym__thousands_of_names_of_all_lengths_stay_apart(void **state)
{
    struct ttp_symtab t = {.arena = *state};
    char text[64];

    for (uint32_t i = 0; i < 5000; i++) {
        const int n = snprintf(text, sizeof(text), "%*u", (int)(i % 40), i);
        assert_int_equal(ttp_sym_intern(&t, (ttp_str){text, (size_t)n}), i);
    }
    for (uint32_t i = 0; i < 5000; i++) {
        ttp_sym got = UINT32_MAX;
        const int n = snprintf(text, sizeof(text), "%*u", (int)(i % 40), i);
        assert_true(ttp_sym_find(&t, (ttp_str){text, (size_t)n}, &got));
        assert_int_equal(got, i);
    }
}

static void test_sym__unknown_text_is_not_found(void **state)
{
    struct ttp_symtab t = {.arena = *state};
    ttp_sym got;

    assert_false(ttp_sym_find(&t, TTP_STR("x"), &got));
    ttp_sym_intern(&t, TTP_STR("y"));
    assert_false(ttp_sym_find(&t, TTP_STR("x"), &got));
}

static void test_sym__merge_maps_every_name(void **state)
{
    struct ttp_symtab a = {.arena = *state}, b = {.arena = *state};
    ttp_sym map[2];

    ttp_sym_intern(&a, TTP_STR("one"));
    ttp_sym_intern(&b, TTP_STR("two"));
    ttp_sym_intern(&b, TTP_STR("one"));
    ttp_sym_merge(&a, &b, map);
    assert_int_equal(map[0], 1);
    assert_int_equal(map[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_sym__equal_text_gets_one_number_in_order_of_arrival),
        TTP_TEST_ARENA(test_sym__thousands_of_names_of_all_lengths_stay_apart),
        TTP_TEST_ARENA(test_sym__unknown_text_is_not_found),
        TTP_TEST_ARENA(test_sym__merge_maps_every_name),
    };
    return cmocka_run_group_tests_name("base/sym", tests, NULL, NULL);
}
