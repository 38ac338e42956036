/* SPDX-License-Identifier: Apache-2.0 */
/* Column types: what pandas 2.2.3 makes of the same cells, one column of a file. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sink.h"
#include "ops/ops.h"

#define MAX_CELLS 4

/* A file with these cells below `column`, and a device id. */
static void write_file(char path[32], const char *column, const char *const *cell)
{
    (void)snprintf(path, 32, "/tmp/ttp_settle_XXXXXX");
    const int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");

    fprintf(f, "%s,DEVICE ID,OP CODE,OP TYPE\n", column);
    for (size_t i = 0; i < MAX_CELLS && cell[i]; i++)
        fprintf(f, "%s,0,Op,tt_dnn_device\n", cell[i]);
    assert_int_equal(fclose(f), 0);
}

static void read_cells(struct ttp_ops *ops, const char *column, const char *const *cell, bool frame,
                       struct ttp_arena *arena)
{
    const struct ttp_ops_read_options options = {.rules.data_frame = frame, .threads = 1};
    char path[32];
    const char *const paths[] = {path};

    write_file(path, column, cell);
    assert_int_equal(ttp_ops_read_csv(ops, (struct ttp_paths){paths, 1}, &options, arena, NULL),
                     TTP_OK);
    unlink(path);
}

/* A letter for the kind, and the value: "i5 f5.0 t'5' b1 u9223372036854775808 -". */
static ttp_str described(const struct ttp_ops *ops, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t r = 0; r < ops->rows; r++) {
        const struct ttp_cell c = ttp_ops_cell(ops, TTP_OPS_CALL_COUNT, r);
        if (r)
            ttp_sink_char(&out, ' ');
        ttp_sink_char(&out, "-iftbu"[c.kind]);
        if (c.kind == TTP_CELL_INT || c.kind == TTP_CELL_BOOL)
            ttp_sink_i64(&out, c.v.i);
        else if (c.kind == TTP_CELL_BIG)
            ttp_sink_u64(&out, (uint64_t)c.v.i);
        else if (c.kind == TTP_CELL_FLOAT)
            ttp_sink_f64(&out, c.v.f, TTP_NUM_PYTHON);
        else if (c.kind == TTP_CELL_TEXT)
            ttp_sink_printf(&out, "'%.*s'", TTP_FMT(ttp_sym_name(&ops->syms, c.v.text)));
    }
    return ttp_sink_text(&out);
}

struct column_case {
    const char *cell[MAX_CELLS];
    const char *want;
};

static void check_number_columns(const struct column_case *cases, size_t n, bool frame,
                                 struct ttp_arena *arena)
{
    for (size_t i = 0; i < n; i++) {
        struct ttp_ops ops;
        read_cells(&ops, "GLOBAL CALL COUNT", cases[i].cell, frame, arena);
        const ttp_str got = described(&ops, arena);
        if (!ttp_str_eq(got, ttp_str_from(cases[i].want)))
            fail_msg("case %zu: want %s, got %.*s", i, cases[i].want, TTP_FMT(got));
    }
}

static void test_ops_settle__compatible_columns_are_of_one_type(void **state)
{
    static const struct column_case cases[] = {
        {{"5", "+7", " 007 "}, "i5 i7 i7"},
        {{"5", "", "NA"}, "f5.0 - -"},
        {{"-0", ""}, "f0.0 -"},
        {{"-9223372036854775808", "5", ""}, "- f5.0 -"},
        {{"5", "x", ""}, "t'5' t'x' -"},
        {{"9007199254740993", ""}, "f9007199254740992.0 -"},
        {{"9223372036854775807", "2.5"}, "f9.223372036854778e+18 f2.5"},
        {{"2.5e-310", "4.9e-324", "1e-400"}, "f2.5e-310 f5e-324 f0.0"},
        {{"1e400", "5"}, "t'1e400' t'5'"},
        {{"True", "FALSE", "tRUE"}, "b1 b0 b1"},
        {{"True", ""}, "b1 -"},
        {{"True", "1"}, "t'True' t'1'"},
        {{"9223372036854775808", "5"}, "u9223372036854775808 i5"},
        {{"18446744073709551615", ""}, "t'18446744073709551615' t''"},
        {{"nan", "18446744073709551615"}, "t'nan' t'18446744073709551615'"},
        {{"18446744073709551615", "-5"}, "t'18446744073709551615' t'-5'"},
        {{"18446744073709551615", "5.5"}, "f1.8446744073709552e+19 f5.5"},
        {{"18446744073709551616", "5.5"}, "t'18446744073709551616' t'5.5'"},
        {{"5.5", "18446744073709551616"}, "f5.5 f1.8446744073709552e+19"},
        {{"130", "99999999999999999999.5"}, "t'130' t'99999999999999999999.5'"},
        {{"130", "18446744073709551615.5"}, "f130.0 f1.8446744073709552e+19"},
        {{"-9223372036854775809", ""}, "t'-9223372036854775809' -"},
    };

    check_number_columns(cases, TTP_COUNT(cases), true, *state);
}

static void test_ops_settle__by_default_a_bad_cell_is_bad_alone(void **state)
{
    static const struct column_case cases[] = {
        {{"5", "x", "7.5", ""}, "i5 t'x' f7.5 -"},
        {{"5", "True"}, "i5 t'True'"},
        {{"18446744073709551616", "5"}, "f1.8446744073709552e+19 i5"},
        {{"5", ""}, "f5.0 -"},
    };

    check_number_columns(cases, TTP_COUNT(cases), false, *state);
}

static void test_ops_settle__text_columns_of_numbers_hold_their_plain_text(void **state)
{
    static const struct {
        const char *cell[MAX_CELLS];
        const char *first;
        bool numeric;
    } cases[] = {
        {{"016", "2"}, "16", true},
        {{"016", ""}, "16.0", true},
        {{"TRUE", ""}, "True", true},
        {{"9223372036854775808"}, "9223372036854775808", true},
        {{"18446744073709551616"}, "18446744073709551616", false},
        {{"16", "BFLOAT16"}, "16", false},
        {{"", ""}, "", false},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_ops ops;
        read_cells(&ops, "INPUT_0_DATATYPE", cases[i].cell, true, *state);
        const ttp_sym first = ttp_ops_sym(&ops, TTP_OPS_IN0_DATATYPE, 0);
        assert_true(ttp_str_eq(ttp_sym_name(&ops.syms, first), ttp_str_from(cases[i].first)));
        assert_int_equal(ttp_ops_is_numeric(&ops, TTP_OPS_IN0_DATATYPE, 0), cases[i].numeric);
    }
}

static void test_ops_settle__a_cell_ends_at_a_nul_byte_in_the_compatible_mode(void **state)
{
    const struct ttp_ops_read_options options = {.rules.data_frame = true, .threads = 1};
    static const char text[] = "OP CODE\0x,DEVICE ID\nMat\0mul,0\n\0,1\n";
    char path[] = "/tmp/ttp_settle_XXXXXX";
    const char *const paths[] = {path};
    struct ttp_ops ops;

    const int fd = mkstemp(path);
    assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
    close(fd);
    assert_int_equal(ttp_ops_read_csv(&ops, (struct ttp_paths){paths, 1}, &options, *state, NULL),
                     TTP_OK);
    unlink(path);
    assert_int_equal(ops.rows, 2);
    assert_true(
        ttp_str_eq(ttp_sym_name(&ops.syms, ttp_ops_sym(&ops, TTP_OPS_CODE, 0)), TTP_STR("Mat")));
    assert_int_equal(ttp_ops_sym(&ops, TTP_OPS_CODE, 1), TTP_SYM_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_ops_settle__compatible_columns_are_of_one_type),
        TTP_TEST_ARENA(test_ops_settle__by_default_a_bad_cell_is_bad_alone),
        TTP_TEST_ARENA(test_ops_settle__text_columns_of_numbers_hold_their_plain_text),
        TTP_TEST_ARENA(test_ops_settle__a_cell_ends_at_a_nul_byte_in_the_compatible_mode),
    };
    return cmocka_run_group_tests_name("ops/settle", tests, NULL, NULL);
}
