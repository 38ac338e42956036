/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ops_line.h"

#define HEAD "OP CODE,OP TYPE,DEVICE ID,CORE COUNT,ATTRIBUTES\n"

static void read_ok(struct ttp_ops *ops, const char *text, struct ttp_arena *arena)
{
    const ttp_str file = ttp_str_from(text);
    struct ttp_err err = {0};

    if (ops_read(ops, &file, 1, &ttp_compat_reading, arena, &err) != TTP_OK)
        fail_msg("%s", err.text);
}

static ttp_str cell_text(const struct ttp_ops *ops, enum ttp_ops_text column, size_t row)
{
    return ttp_sym_name(&ops->syms, ttp_ops_sym(ops, column, row));
}

static void test_ops_csv__cells_become_columns(void **state)
{
    struct ttp_ops ops;

    read_ok(&ops, HEAD "a,x,0,8,\"q \"\"1\"\", 2\"\nb,x,1,9,\n", *state);
    assert_int_equal(ops.rows, 2);
    assert_int_equal(ops.files, 1);
    assert_int_equal(ops.first_row[1], 2);
    assert_text(cell_text(&ops, TTP_OPS_CODE, 1), "b");
    assert_text(cell_text(&ops, TTP_OPS_ATTRIBUTES, 0), "q \"1\", 2");
    assert_int_equal(ttp_ops_sym(&ops, TTP_OPS_ATTRIBUTES, 1), TTP_SYM_MISSING);
    assert_int_equal(ttp_ops_sym(&ops, TTP_OPS_FIDELITY, 0), TTP_SYM_MISSING);
    assert_null(ops.text[TTP_OPS_FIDELITY].sym);
    assert_int_equal(ttp_ops_cell(&ops, TTP_OPS_CORES, 1).v.i, 9);
    assert_int_equal(ttp_ops_cell(&ops, TTP_OPS_KERNEL_NS, 0).kind, TTP_CELL_MISSING);
}

static void test_ops_csv__the_type_of_a_column_is_that_of_all_its_cells(void **state)
{
    static const struct {
        const char *a, *b;
        enum ttp_cell_kind kind_a, kind_b;
        bool text;
    } cases[] = {
        {"8", "9", TTP_CELL_INT, TTP_CELL_INT, false},
        {"8", "", TTP_CELL_FLOAT, TTP_CELL_MISSING, false},
        {"8", "9.5", TTP_CELL_FLOAT, TTP_CELL_FLOAT, false},
        {"8", "x", TTP_CELL_TEXT, TTP_CELL_TEXT, true},
        {"x", "NA", TTP_CELL_TEXT, TTP_CELL_MISSING, true},
        {"", "nan", TTP_CELL_MISSING, TTP_CELL_MISSING, false},
        {"+8", "1e1", TTP_CELL_FLOAT, TTP_CELL_FLOAT, false},
    };
    char text[256];

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_ops ops;
        snprintf(text, sizeof(text), HEAD "a,x,0,%s,\nb,x,0,%s,\n", cases[i].a, cases[i].b);
        read_ok(&ops, text, *state);
        assert_int_equal(ttp_ops_cell(&ops, TTP_OPS_CORES, 0).kind, cases[i].kind_a);
        assert_int_equal(ttp_ops_cell(&ops, TTP_OPS_CORES, 1).kind, cases[i].kind_b);
        assert_int_equal(ops.number[TTP_OPS_CORES].text, cases[i].text);
    }
}

static void test_ops_csv__a_text_column_of_numbers_holds_numbers(void **state)
{
    struct ttp_ops ops;

    read_ok(&ops, HEAD "a,x,0,1,016\nb,x,0,1,\n", *state);
    assert_true(ops.text[TTP_OPS_ATTRIBUTES].numeric);
    assert_text(cell_text(&ops, TTP_OPS_ATTRIBUTES, 0), "16.0");
    read_ok(&ops, HEAD "a,x,0,1,016\nb,x,0,1,x\n", *state);
    assert_false(ops.text[TTP_OPS_ATTRIBUTES].numeric);
    assert_text(cell_text(&ops, TTP_OPS_ATTRIBUTES, 0), "016");
}

static void test_ops_csv__short_rows_are_filled_with_missing_cells(void **state)
{
    struct ttp_ops ops;

    read_ok(&ops, HEAD "a\nb,x,0\n", *state);
    assert_int_equal(ops.rows, 2);
    assert_int_equal(ttp_ops_sym(&ops, TTP_OPS_TYPE, 0), TTP_SYM_MISSING);
    assert_int_equal(ttp_ops_cell(&ops, TTP_OPS_CORES, 1).kind, TTP_CELL_MISSING);
    assert_null(ops.damage); /* the original does not mind */
}

static void test_ops_csv__rows_that_lack_cells_are_named(void **state)
{
    static const struct ttp_ops_rules ours = {0};
    static const struct {
        const char *text, *damage;
        bool truncated;
    } cases[] = {
        {HEAD "a,x,0,1,\nb,x,0,1,\n", NULL, false},
        {HEAD "a,x,0,1,\nb,x", NULL, true},
        {HEAD "a,x,0,1,\nb,x\n", "has 2 of 5 cells", false},
        {HEAD "a\nb,x,0\n", "has 1 of 5 cells, and 1 more line lacks cells", false},
        {HEAD "a\nb,x,0,1,\nc,x,0", "has 1 of 5 cells", true},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const ttp_str file = ttp_str_from(cases[i].text);
        struct ttp_err err = {0};
        struct ttp_ops ops;

        assert_int_equal(ops_read(&ops, &file, 1, &ours, *state, &err), TTP_OK);
        assert_int_equal(ops.truncated, cases[i].truncated);
        assert_int_equal(ops.damage != NULL, cases[i].damage != NULL);
        if (cases[i].damage)
            assert_true(ttp_str_ends(ttp_str_from(ops.damage), ttp_str_from(cases[i].damage)));
    }
}

static void test_ops_csv__blank_lines_and_all_line_ends_are_fine(void **state)
{
    static const char *const files[] = {
        HEAD "a,x,0,1,\nb,x,1,2,\n",
        "OP CODE,OP TYPE,DEVICE ID,CORE COUNT,ATTRIBUTES\r\na,x,0,1,\r\nb,x,1,2,\r\n",
        "OP CODE,OP TYPE,DEVICE ID,CORE COUNT,ATTRIBUTES\ra,x,0,1,\rb,x,1,2,",
        "\n  \n" HEAD "\n\na,x,0,1,\n \t\nb,x,1,2,\n\n",
        "\xEF\xBB\xBF" HEAD "a,x,0,1,\nb,x,1,2,",
        "\"OP CODE\",\"OP TYPE\",\"DEVICE ID\",\"CORE "
        "COUNT\",ATTRIBUTES\n\"a\",x,\"0\",1,\nb,x,1,\"2\"",
    };

    for (size_t i = 0; i < TTP_COUNT(files); i++) {
        struct ttp_ops ops;
        read_ok(&ops, files[i], *state);
        assert_int_equal(ops.rows, 2);
        assert_text(cell_text(&ops, TTP_OPS_CODE, 0), "a");
        assert_int_equal(ttp_ops_cell(&ops, TTP_OPS_CORES, 1).v.i, 2);
    }
}

static void test_ops_csv__of_equal_names_the_first_column_counts(void **state)
{
    struct ttp_ops ops;

    read_ok(&ops, "OP CODE,OP TYPE,DEVICE ID,OP CODE, CORE COUNT\na,x,0,b,7\n", *state);
    assert_text(cell_text(&ops, TTP_OPS_CODE, 0), "a");
    assert_null(ops.number[TTP_OPS_CORES].kind); /* names are not trimmed */
}

static void test_ops_csv__the_header_tells_the_format(void **state)
{
    static const struct {
        const char *header;
        enum ttp_ops_format format;
    } cases[] = {
        {HEAD, TTP_FORMAT_V1},
        {"OP CODE,OP TYPE,DEVICE ID,INPUT_0_W\n", TTP_FORMAT_V1},
        {"OP CODE,OP TYPE,DEVICE ID,INPUT_7_W_PAD[LOGICAL]\n", TTP_FORMAT_V2},
        {"OP CODE,OP TYPE,DEVICE ID,DEVICE ARCH\n", TTP_FORMAT_V21},
        {"OP CODE,OP TYPE,DEVICE ID,AVAILABLE WORKER CORE COUNT\n", TTP_FORMAT_V21},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_ops ops;
        read_ok(&ops, cases[i].header, *state);
        assert_int_equal(ops.rows, 0);
        assert_int_equal(ops.format, cases[i].format);
    }
}

static void test_ops_csv__a_bad_row_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text, *says;
        uint64_t line;
    } cases[] = {
        {HEAD "a,x,0,1,\nb,x,0,1,,\n", "6 fields", 3},
        {HEAD "\n\"two\nlines\",x,0,1,\n\nb,x,0,1,,,\n", "7 fields", 6},
        {"\n\n" HEAD "a,x,0,1,\"open\n\n", "inside a quoted cell", 4},
        {HEAD "a,x,0,1,\nb\xFF,x,0,1,\n", "not UTF-8", 3},
        {"\xFF\xFE" HEAD, "not text", 1},
        {"", "empty", 0},
        {"\n \n\n", "empty", 0},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const ttp_str file = ttp_str_from(cases[i].text);
        struct ttp_err err = {0};
        struct ttp_ops ops;
        assert_int_equal(ops_read(&ops, &file, 1, &ttp_compat_reading, *state, &err), TTP_EPARSE);
        assert_non_null(strstr(err.text, cases[i].says));
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(ops.refusal, TTP_REFUSED_OTHER);
    }
}

static void test_ops_csv__bad_utf8_is_repaired_where_the_original_gives_up(void **state)
{
    const ttp_str file = TTP_STR(HEAD "a\xFF,x,0,1,\nb,x,0,1,\xC3\n");
    struct ttp_ops ops;
    struct ttp_err err;

    assert_int_equal(ops_read(&ops, &file, 1, &ops_read_ours, *state, &err), TTP_OK);
    assert_int_equal(ops.bad_utf8_cells, 2);
    assert_text(cell_text(&ops, TTP_OPS_CODE, 0), "a\xEF\xBF\xBD");
}

static void test_ops_csv__op_code_and_type_are_needed_at_once_by_ours_only(void **state)
{
    const ttp_str file = TTP_STR("OP CODE,DEVICE ID\na,0\n");
    struct ttp_err err = {0};
    struct ttp_ops ops;

    assert_int_equal(ops_read(&ops, &file, 1, &ttp_compat_reading, *state, &err), TTP_OK);
    assert_int_equal(ops_read(&ops, &file, 1, &ops_read_ours, *state, &err), TTP_EPARSE);
    assert_non_null(strstr(err.text, "OP TYPE"));
}

static void test_ops_csv__device_ids_of_later_hosts_follow(void **state)
{
    const ttp_str files[] = {TTP_STR(HEAD "a,x,0,1,\na,x,3,1,\n"),
                             TTP_STR(HEAD "b,x,1,1,\nb,x,3,1,\nb,y,,1,\n"),
                             TTP_STR(HEAD "c,x,3,1,\n")};
    static const double want[] = {0, 3, 5, 7, NAN, 11};
    struct ttp_err err = {0};
    struct ttp_ops ops;

    assert_int_equal(ops_read(&ops, files, 3, &ttp_compat_reading, *state, &err), TTP_OK);
    assert_int_equal(ops.rows, TTP_COUNT(want));
    assert_int_equal(ops.first_row[2], 5);
    for (size_t i = 0; i < TTP_COUNT(want); i++) {
        double got;
        if (ttp_cell_f64(ttp_ops_cell(&ops, TTP_OPS_DEVICE, i), &got))
            assert_true(got == want[i]);
        else
            assert_true(isnan(want[i]));
    }
}

static void test_ops_csv__text_in_device_ids_is_missing(void **state)
{
    struct ttp_ops ops;

    read_ok(&ops, HEAD "a,x,0,1,\nb,x,host,1,\n", *state);
    assert_int_equal(ttp_ops_cell(&ops, TTP_OPS_DEVICE, 0).kind, TTP_CELL_FLOAT);
    assert_int_equal(ttp_ops_cell(&ops, TTP_OPS_DEVICE, 1).kind, TTP_CELL_MISSING);
}

static void test_ops_csv__hosts_with_other_device_counts_are_refused_by_the_original(void **state)
{
    const ttp_str files[] = {TTP_STR(HEAD "a,x,1,1,\n"), TTP_STR(HEAD "b,x,4,1,\n")};
    struct ttp_err err = {0};
    struct ttp_ops ops;

    assert_int_equal(ops_read(&ops, files, 2, &ttp_compat_reading, *state, &err), TTP_EPARSE);
    assert_int_equal(ops.refusal, TTP_REFUSED_DEVICE_COUNT);
    assert_int_equal(ops.refused_file, 1);
    assert_int_equal(ops.refused_max_device, 4);
    assert_int_equal(ops.expected_max_device, 1);
    assert_int_equal(ops_read(&ops, files, 2, &ops_read_ours, *state, &err), TTP_OK);
    assert_int_equal(ttp_ops_cell(&ops, TTP_OPS_DEVICE, 1).v.i, 6);
}

static void test_ops_csv__a_column_that_one_file_lacks_is_missing_there(void **state)
{
    const ttp_str files[] = {TTP_STR("OP CODE,OP TYPE,DEVICE ID,CORE COUNT\na,x,0,8\n"),
                             TTP_STR("MATH FIDELITY,OP CODE,OP TYPE,DEVICE ID\nLoFi,b,x,0\n")};
    struct ttp_err err = {0};
    struct ttp_ops ops;

    assert_int_equal(ops_read(&ops, files, 2, &ttp_compat_reading, *state, &err), TTP_OK);
    assert_int_equal(ttp_ops_cell(&ops, TTP_OPS_CORES, 0).kind, TTP_CELL_FLOAT);
    assert_int_equal(ttp_ops_cell(&ops, TTP_OPS_CORES, 1).kind, TTP_CELL_MISSING);
    assert_int_equal(ttp_ops_sym(&ops, TTP_OPS_FIDELITY, 0), TTP_SYM_MISSING);
    assert_text(cell_text(&ops, TTP_OPS_FIDELITY, 1), "LoFi");
}

/* More than one block of input, so that workers share the file. */
static void test_ops_csv__any_number_of_threads_reads_the_same(void **state)
{
    enum { ROWS = 120000 };
    char path[] = "/tmp/ttp_test_ops_csv.XXXXXX";
    const char *const paths[] = {path};
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    struct ttp_ops one, many;
    struct ttp_err err = {0};

    assert_non_null(file);
    fputs(HEAD, file);
    srand(5);
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "op%d,\"x%s\",%d,%d%s,\"a\n%d\"\n", rand() % 50, i % 7 ? "" : "\n", i % 8, i,
                i % 1000 ? "" : ".5", rand() % 3000);
    assert_int_equal(fclose(file), 0);
    for (unsigned t = 1; t <= 4; t++) {
        const struct ttp_ops_read_options options = {.threads = t, .rules = ttp_compat_reading};
        struct ttp_ops *ops = t == 1 ? &one : &many;
        assert_int_equal(
            ttp_ops_read_csv(ops, (struct ttp_paths){paths, 1}, &options, *state, &err), TTP_OK);
        assert_int_equal(ops->rows, ROWS);
        assert_int_equal(ops->syms.count, one.syms.count);
        bool same = true;
        for (size_t r = 0; r < ROWS; r++)
            same &= ops->text[TTP_OPS_ATTRIBUTES].sym[r] == one.text[TTP_OPS_ATTRIBUTES].sym[r] &&
                    ops->number[TTP_OPS_CORES].value[r].i == one.number[TTP_OPS_CORES].value[r].i;
        assert_true(same);
    }
    unlink(path);
}

/* As many ranks as rows, in falling order: looking through those found would take minutes. */
static void test_ops_csv__devices_are_numbered_by_rank(void **state)
{
    enum { ROWS = 200000, DEVICES = 4 };
    char path[] = "/tmp/ttp_test_ops_csv.XXXXXX";
    const char *const paths[] = {path};
    const struct ttp_ops_read_options options = {0};
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    struct ttp_ops ops;

    assert_non_null(file);
    fputs("OP CODE,OP TYPE,DEVICE ID,RANK\n", file);
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "op,tt_dnn_device,%d,%d\n", i % DEVICES, (ROWS - 1 - i) / DEVICES);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(ttp_ops_read_csv(&ops, (struct ttp_paths){paths, 1}, &options, *state, NULL),
                     TTP_OK);
    unlink(path);
    assert_int_equal(ops.devices, ROWS);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t rank = (ROWS - 1 - r) / DEVICES, id = r % DEVICES;

        assert_int_equal(ops.number[TTP_OPS_DEVICE].value[r].i, rank * DEVICES + id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_ops_csv__cells_become_columns),
        TTP_TEST_ARENA(test_ops_csv__the_type_of_a_column_is_that_of_all_its_cells),
        TTP_TEST_ARENA(test_ops_csv__a_text_column_of_numbers_holds_numbers),
        TTP_TEST_ARENA(test_ops_csv__short_rows_are_filled_with_missing_cells),
        TTP_TEST_ARENA(test_ops_csv__rows_that_lack_cells_are_named),
        TTP_TEST_ARENA(test_ops_csv__blank_lines_and_all_line_ends_are_fine),
        TTP_TEST_ARENA(test_ops_csv__of_equal_names_the_first_column_counts),
        TTP_TEST_ARENA(test_ops_csv__the_header_tells_the_format),
        TTP_TEST_ARENA(test_ops_csv__a_bad_row_is_refused_with_its_line),
        TTP_TEST_ARENA(test_ops_csv__bad_utf8_is_repaired_where_the_original_gives_up),
        TTP_TEST_ARENA(test_ops_csv__op_code_and_type_are_needed_at_once_by_ours_only),
        TTP_TEST_ARENA(test_ops_csv__device_ids_of_later_hosts_follow),
        TTP_TEST_ARENA(test_ops_csv__text_in_device_ids_is_missing),
        TTP_TEST_ARENA(test_ops_csv__hosts_with_other_device_counts_are_refused_by_the_original),
        TTP_TEST_ARENA(test_ops_csv__a_column_that_one_file_lacks_is_missing_there),
        TTP_TEST_ARENA(test_ops_csv__any_number_of_threads_reads_the_same),
        TTP_TEST_ARENA(test_ops_csv__devices_are_numbered_by_rank),
    };
    return cmocka_run_group_tests_name("ops/ops_csv", tests, NULL, NULL);
}
