/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/settings.h"

#include "test.h"

static size_t compare(struct ttp_setting_change out[4], const char *before, const char *after)
{
    struct ttp_arena arena = {0};
    const size_t n =
        ttp_diff_settings_compare(out, 4, ttp_str_from(before), ttp_str_from(after), &arena);

    ttp_arena_free(&arena);
    return n;
}

static void test_settings__a_change_inside_a_config_is_found_by_name(void **state)
{
    struct ttp_setting_change c[4];

    (void)state;
    assert_int_equal(compare(c, "{'program_config': 'MatmulConfig(grid=(x=8;y=8);in0_block_w=1)'}",
                             "{'program_config': 'MatmulConfig(grid=(x=8;y=8);in0_block_w=8)'}"),
                     1);
    assert_true(ttp_str_eq(c[0].name, TTP_STR("in0_block_w")));
    assert_true(ttp_str_eq(c[0].from, TTP_STR("1")));
    assert_true(ttp_str_eq(c[0].to, TTP_STR("8")));
}

static void test_settings__a_new_config_is_named_with_its_settings(void **state)
{
    struct ttp_setting_change c[4];

    (void)state;
    assert_int_equal(compare(c, "{'program_config': 'std::nullopt'; 'transpose': 'false'}",
                             "{'program_config': 'DramShardedConfig(in0_block_w=8;per_core_M=1)'; "
                             "'transpose': 'false'}"),
                     3);
    assert_true(ttp_str_eq(c[0].name, TTP_STR("program_config")));
    assert_true(ttp_str_eq(c[0].to, TTP_STR("DramShardedConfig")));
}

static void test_settings__what_only_one_version_lists_is_no_change(void **state)
{
    struct ttp_setting_change c[4];

    (void)state;
    assert_int_equal(compare(c, "{'a': '1'}", "{'a': '1'; 'new_in_this_version': 'x'}"), 0);
    assert_int_equal(compare(c, "", "{'a': '1'}"), 0);
    assert_int_equal(compare(c, "{'a': '1'", "{{{'a': '1'}}}"), 0);
}

static void test_settings__a_flag_is_the_same_as_a_word_and_as_a_number(void **state)
{
    struct ttp_setting_change c[4];

    (void)state;
    assert_int_equal(compare(c, "{'a': 'false'; 'b': '1'}", "{'a': '0'; 'b': 'True'}"), 0);
    assert_int_equal(compare(c, "{'a': 'false'}", "{'a': '1'}"), 1);
    assert_int_equal(compare(c, "{'a': 'true'}", "{'a': '2'}"), 1);
}

static void test_settings__repeated_names_are_compared_in_order(void **state)
{
    struct ttp_setting_change c[4];

    (void)state;
    assert_int_equal(compare(c, "{'p': 'A(x=1;y=2)'; 'q': 'B(x=3;y=4)'}",
                             "{'p': 'A(x=1;y=2)'; 'q': 'B(x=5;y=4)'}"),
                     2); /* the x of q, and q itself, which is short enough to be a value */
}

static void test_settings__a_value_with_settings_is_named_and_a_list_is_not(void **state)
{
    struct ttp_setting_change c[4];

    (void)state;
    assert_int_equal(compare(c, "{'m': 'Memory(spec=std::nullopt)'}",
                             "{'m': 'Memory(spec=ShardSpec{grid=[{\"start\":{\"x\":0;\"y\":0}}];"
                             "shape=[32; 192]})'}"),
                     3);
    assert_true(ttp_str_eq(c[0].name, TTP_STR("spec")));
    assert_true(ttp_str_eq(c[0].to, TTP_STR("ShardSpec")));
    assert_true(ttp_str_eq(c[1].name, TTP_STR("grid")));
    assert_true(ttp_str_eq(c[1].to, TTP_STR("[{\"start\":{\"x\":0;\"y\":0}}]")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings__a_change_inside_a_config_is_found_by_name),
        cmocka_unit_test(test_settings__a_new_config_is_named_with_its_settings),
        cmocka_unit_test(test_settings__what_only_one_version_lists_is_no_change),
        cmocka_unit_test(test_settings__a_flag_is_the_same_as_a_word_and_as_a_number),
        cmocka_unit_test(test_settings__repeated_names_are_compared_in_order),
        cmocka_unit_test(test_settings__a_value_with_settings_is_named_and_a_list_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
