/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/op_json.h"

#include "base/sink.h"
#include "test.h"

static const struct ttp_op_field *field(const struct ttp_op_info *info, const char *key)
{
    for (size_t i = 0; i < info->nfields; i++)
        if (ttp_str_eq(info->field[i].key, ttp_str_from(key)))
            return &info->field[i];
    return NULL;
}

static void test_op_json__values_are_shown_as_python_does(void **state)
{
    static const struct {
        const char *json, *text;
    } cases[] = {
        {"null", "None"},
        {"[true, false, null]", "[True, False, None]"},
        {"[0.5, 12.0, 1e-05, 1e22, -0, 3]", "[0.5, 12.0, 1e-05, 1e+22, 0, 3]"},
        {"{\"a\": \"it's\", \"b\": \"\\\"\", \"c\": {}, \"d\": []}",
         "{'a': \"it's\", 'b': '\"', 'c': {}, 'd': []}"},
        {"{\"a\": [{\"b\": 1}, [2, [3]]], \"e\": \"x\\n\\u00a0\\u00e9\"}",
         "{'a': [{'b': 1}, [2, [3]]], 'e': 'x\\n\\xa0\xc3\xa9'}"},
        {"\"plain, text\"", "plain, text"},
        {"18446744073709551615", "18446744073709551615"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_op_info info;
        struct ttp_sink json;

        ttp_sink_to_arena(&json, *state);
        ttp_sink_printf(&json, "{\"input_tensors\":[],\"global_call_count\":1,\"x\":%s}",
                        cases[i].json);
        assert_int_equal(ttp_logs_op_json_read(&info, ttp_sink_text(&json), *state, NULL), TTP_OK);
        assert_null(info.fault);
        assert_true(ttp_str_eq(field(&info, "x")->text, ttp_str_from(cases[i].text)));
    }
}

static void test_op_json__tensors_become_cells(void **state)
{
    const ttp_str json = TTP_STR(
        "{\"global_call_count\":1,\"optional_input_tensors\":[{\"dtype\":\"B\",\"layout\":\"ROW\","
        "\"shape\":{\"W\":\"1\",\"X\":\"4\",\"Y\":\"3\",\"Z\":\"2\"},\"storage_type\":\"HOST\"}],"
        "\"input_tensors\":[{\"dtype\":\"A\",\"layout\":\"TILE\",\"shape\":{\"W\":\"1[1]\","
        "\"X\":\"2\",\"Y\":\"3\",\"Z\":\"4\"},\"storage_type\":{\"device_id\":3,"
        "\"memory_config\":{\"buffer_type\":\"dram\",\"memory_layout\":\"Interleaved\"}}}]}");
    struct ttp_op_info info;

    assert_int_equal(ttp_logs_op_json_read(&info, json, *state, NULL), TTP_OK);
    assert_null(info.fault);
    assert_int_equal(info.ninputs, 2);
    assert_true(
        ttp_str_eq(info.input[0].cell[TTP_TENSOR_MEMORY], TTP_STR("DEV_3_DRAM_INTERLEAVED")));
    assert_true(ttp_str_eq(info.input[1].cell[TTP_TENSOR_MEMORY], TTP_STR("HOST")));
    assert_true(ttp_str_eq(info.input[1].cell[TTP_TENSOR_X], TTP_STR("4")));
}

static void test_op_json__what_is_missing_is_a_fault_not_a_failure(void **state)
{
    struct ttp_op_info info;

    assert_int_equal(ttp_logs_op_json_read(&info, TTP_STR("{\"op_code\":\"A\"}"), *state, NULL),
                     TTP_OK);
    assert_string_equal(info.fault, "no input_tensors");
    assert_int_equal(
        ttp_logs_op_json_read(&info, TTP_STR("{\"global_call_count\":1,\"input_tensors\":[{}]}"),
                              *state, NULL),
        TTP_OK);
    assert_string_equal(info.fault, "a tensor without shape, layout, dtype or storage_type");
}

static void test_op_json__cut_text_is_refused(void **state)
{
    struct ttp_op_info info;

    assert_int_equal(ttp_logs_op_json_read(&info, TTP_STR("{\"a\": {\"b\""), *state, NULL),
                     TTP_EPARSE);
    assert_int_equal(ttp_logs_op_json_read(&info, TTP_STR("[1]"), *state, NULL), TTP_EPARSE);
    assert_int_equal(ttp_logs_op_json_read(&info, TTP_STR("{} x"), *state, NULL), TTP_EPARSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_op_json__values_are_shown_as_python_does),
        TTP_TEST_ARENA(test_op_json__tensors_become_cells),
        TTP_TEST_ARENA(test_op_json__what_is_missing_is_a_fault_not_a_failure),
        TTP_TEST_ARENA(test_op_json__cut_text_is_refused),
    };
    return cmocka_run_group_tests_name("logs/op_json", tests, NULL, NULL);
}
