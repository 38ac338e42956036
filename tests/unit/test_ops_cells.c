/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "ops/ops_cells.h"

static void test_ops_cells__kinds_are_those_of_pandas(void **state)
{
    static const struct {
        const char *text;
        enum ttp_cell_kind kind;
    } cases[] = {
        {"", TTP_CELL_MISSING},
        {"nan", TTP_CELL_MISSING},
        {"NaN", TTP_CELL_MISSING},
        {"-NaN", TTP_CELL_MISSING},
        {"None", TTP_CELL_MISSING},
        {"NULL", TTP_CELL_MISSING},
        {"null", TTP_CELL_MISSING},
        {"<NA>", TTP_CELL_MISSING},
        {"#N/A N/A", TTP_CELL_MISSING},
        {"1.#QNAN", TTP_CELL_MISSING},
        {"-1.#IND", TTP_CELL_MISSING},
        {"n/a", TTP_CELL_MISSING},
        {"NAN", TTP_CELL_TEXT}, /* the words are case sensitive, */
        {"none", TTP_CELL_TEXT},
        {" NA", TTP_CELL_TEXT}, /* and exact */
        {"N", TTP_CELL_TEXT},
        {"64", TTP_CELL_INT},
        {" 64\t", TTP_CELL_INT},
        {"-5", TTP_CELL_INT},
        {"+5", TTP_CELL_INT},
        {"007", TTP_CELL_INT},
        {"9223372036854775807", TTP_CELL_INT},
        {"64.0", TTP_CELL_FLOAT},
        {"1e3", TTP_CELL_FLOAT},
        {".5", TTP_CELL_FLOAT},
        {"5.", TTP_CELL_FLOAT},
        {"inf", TTP_CELL_FLOAT},
        {"-Infinity", TTP_CELL_FLOAT},
        {" ", TTP_CELL_TEXT},
        {"x", TTP_CELL_TEXT},
        {"1e", TTP_CELL_TEXT},
        {"1_000", TTP_CELL_TEXT},
        {"1,000", TTP_CELL_TEXT},
        {"0x10", TTP_CELL_TEXT},
        {"1 2", TTP_CELL_TEXT},
        {"12[10]", TTP_CELL_TEXT},
        {".", TTP_CELL_TEXT},
        {"-", TTP_CELL_TEXT},
        {"1e400", TTP_CELL_TEXT},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        union ttp_cell_value v;
        const enum ttp_cell_kind got = ttp_ops_classify_cell(ttp_str_from(cases[i].text), &v);
        if (got != cases[i].kind)
            fail_msg("'%s' is of kind %d", cases[i].text, got);
    }
}

static void test_ops_cells__values_come_with_the_kind(void **state)
{
    union ttp_cell_value v;

    (void)state;
    assert_int_equal(ttp_ops_classify_cell(TTP_STR(" -12 "), &v), TTP_CELL_INT);
    assert_int_equal(v.i, -12);
    assert_int_equal(ttp_ops_classify_cell(TTP_STR("-2.5e1"), &v), TTP_CELL_FLOAT);
    assert_true(v.f == -25);
    assert_int_equal(ttp_ops_classify_cell(TTP_STR("-inf"), &v), TTP_CELL_FLOAT);
    assert_true(v.f == -INFINITY);
}

/* Values printed by pandas 2.2.3. */
static void test_ops_cells__decimals_are_converted_as_pandas_does(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0.1", 0.1},
        {"2.675", 2.675},
        {"123456789012345678901234567890", 1.2345678901234568e+29},
        {"0.1234567890123456789", 0.1234567890123456}, /* the nearest ends in 568 */
        {"0.30000000000000004", 0.3},
        {"1e22", 1e22},
        {"1e-300", 1e-300},
        {"-0.0", -0.0},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        double got = 7;
        assert_true(ttp_ops_pandas_f64(ttp_str_from(cases[i].text), &got));
        if (got != cases[i].value)
            fail_msg("'%s' gives %.17g", cases[i].text, got);
    }
}

static void test_ops_cells__short_decimals_are_the_nearest_double(void **state)
{
    char text[64];

    (void)state;
    srand(3);
    for (int i = 0; i < 20000; i++) {
        const int64_t digits = ((int64_t)rand() << 16 ^ rand()) % 1000000000000000;
        const int exponent = rand() % 43 - 21; /* powers up to 10^22 are exact */
        const int n = snprintf(text, sizeof(text), "%lld%s%d", (long long)digits,
                               rand() % 2 ? "e" : ".0E", exponent);
        double got, nearest;
        assert_true(ttp_ops_pandas_f64((ttp_str){text, (size_t)n}, &got));
        assert_true(ttp_str_to_f64((ttp_str){text, (size_t)n}, &nearest));
        if (fabs((double)digits) < 9007199254740992.0 / 10 && got != nearest)
            fail_msg("'%s' gives %.17g", text, got);
    }
}

static void test_ops_cells__whole_numbers_in_a_mixed_column_follow_the_text(void **state)
{
    static const int64_t cases[] = {
        0, 1, -1, 1LL << 53, (1LL << 53) + 1, -(1LL << 53) - 1, INT64_MAX, 1234567890123456789};
    char text[TTP_NUM_MAX];

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        double of_text;
        const size_t n = ttp_num_i64(text, cases[i]);
        assert_true(ttp_ops_pandas_f64((ttp_str){text, n}, &of_text));
        assert_true(ttp_ops_pandas_f64_of_i64(cases[i]) == of_text);
    }
}

static void test_ops_cells__any_bytes_are_of_some_kind(void **state)
{
    static const char letters[] = "0123456789.+-eE infatyNA#/<>xX\t";
    char text[24];

    (void)state;
    srand(4);
    for (int i = 0; i < 100000; i++) {
        union ttp_cell_value v = {0};
        double f;
        const size_t n = (size_t)rand() % sizeof(text);
        for (size_t k = 0; k < n; k++)
            text[k] = letters[(size_t)rand() % (sizeof(letters) - 1)];
        const ttp_str cell = {text, n};
        const enum ttp_cell_kind kind = ttp_ops_classify_cell(cell, &v);
        const bool real = ttp_ops_pandas_f64(cell, &f);
        if (kind == TTP_CELL_INT)
            assert_true(real && f == ttp_ops_pandas_f64_of_i64(v.i));
        else if (kind == TTP_CELL_FLOAT)
            assert_true(real && f == v.f && !signbit(f) == !signbit(v.f));
        else if (kind == TTP_CELL_TEXT)
            assert_false(real);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ops_cells__kinds_are_those_of_pandas),
        cmocka_unit_test(test_ops_cells__values_come_with_the_kind),
        cmocka_unit_test(test_ops_cells__decimals_are_converted_as_pandas_does),
        cmocka_unit_test(test_ops_cells__short_decimals_are_the_nearest_double),
        cmocka_unit_test(test_ops_cells__whole_numbers_in_a_mixed_column_follow_the_text),
        cmocka_unit_test(test_ops_cells__any_bytes_are_of_some_kind),
    };
    return cmocka_run_group_tests_name("ops/ops_cells", tests, NULL, NULL);
}
