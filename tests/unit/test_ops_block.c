/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/ops_block.h"

#include <stdio.h>

#include "base/sink.h"
#include "test.h"

/* Three text columns and two of numbers, one of them first, one last. */
static const struct ttp_ops_header *header(void)
{
    static struct ttp_ops_header h;

    h.columns = 6;
    for (size_t c = 0; c < TTP_OPS_TEXTS; c++)
        h.text[c] = TTP_NPOS;
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++)
        h.number[c] = TTP_NPOS;
    h.number[TTP_OPS_DEVICE] = 0;
    h.text[TTP_OPS_CODE] = 1;
    h.text[TTP_OPS_TYPE] = 2;
    h.text[TTP_OPS_ATTRIBUTES] = 4;
    h.number[TTP_OPS_CORES] = 5;
    return &h;
}

static struct ttp_ops_block parse(const char *text, bool refuse)
{
    struct ttp_ops_block b = {.body = ttp_str_from(text)};

    ttp_ops_parse_block(&b, header(), refuse);
    return b;
}

/* The symbols' table keeps a pointer to the block's arena: look before it moves. */
static void assert_text(const struct ttp_ops_block *b, enum ttp_ops_text column, size_t row,
                        const char *want)
{
    const ttp_str name = b->syms.name[b->text[column][row]];

    assert_int_equal(name.len, strlen(want));
    assert_memory_equal(name.ptr, want, name.len);
}

static void test_ops_block__cells_of_all_columns_in_file_order(void **state)
{
    struct ttp_ops_block b = parse("0,Matmul,dev,x,\"a, \"\"b\"\"\",64\n1,Matmul,dev,,\"c\",\n"
                                   "2,NA,dev\n",
                                   true);

    (void)state;
    assert_int_equal(b.problem, TTP_ROW_FINE);
    assert_int_equal(b.rows, 3);
    assert_int_equal(b.lines, 3);
    assert_text(&b, TTP_OPS_CODE, 1, "Matmul");
    assert_text(&b, TTP_OPS_CODE, 2, "");
    assert_text(&b, TTP_OPS_ATTRIBUTES, 0, "a, \"b\"");
    assert_text(&b, TTP_OPS_ATTRIBUTES, 1, "c");
    assert_text(&b, TTP_OPS_ATTRIBUTES, 2, "");
    assert_int_equal(b.kind[TTP_OPS_CORES][0], TTP_CELL_INT);
    assert_int_equal(b.value[TTP_OPS_CORES][0].i, 64);
    assert_int_equal(b.kind[TTP_OPS_CORES][1], TTP_CELL_MISSING);
    assert_int_equal(b.kind[TTP_OPS_CORES][2], TTP_CELL_MISSING);
    ttp_arena_free(&b.arena);
}

/* More texts than `recent` has places, and texts that share their length and both ends. */
static void test_ops_block__equal_texts_have_equal_symbols(void **state)
{
    struct ttp_arena *arena = *state;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    for (int i = 0; i < 6000; i++)
        ttp_sink_printf(&text, "0,begin---%04d---end,t%d,,%d,1\n", i % 3000, i % 7, i % 100);
    struct ttp_ops_block b = {.body = ttp_sink_text(&text)};
    ttp_ops_parse_block(&b, header(), true);
    assert_int_equal(b.rows, 6000);
    for (size_t r = 0; r < 6000; r++) {
        char want[32];
        (void)snprintf(want, sizeof(want), "begin---%04zu---end", r % 3000);
        assert_text(&b, TTP_OPS_CODE, r, want);
        assert_int_equal(b.text[TTP_OPS_CODE][r], b.text[TTP_OPS_CODE][r % 3000]);
    }
    ttp_arena_free(&b.arena);
}

static void test_ops_block__bad_utf8_is_repaired_or_refused_with_its_line(void **state)
{
    static const char text[] = "0,\xC3\xA9,d,,,1\n1,\xFF"
                               "b,d,,,2\n";
    struct ttp_ops_block b = parse(text, false);

    (void)state;
    assert_int_equal(b.rows, 2);
    assert_int_equal(b.bad_utf8_cells, 1);
    assert_text(&b, TTP_OPS_CODE, 0, "\xC3\xA9");
    assert_text(&b, TTP_OPS_CODE, 1,
                "\xEF\xBF\xBD"
                "b");
    ttp_arena_free(&b.arena);
    b = parse(text, true);
    assert_int_equal(b.problem, TTP_ROW_BAD_UTF8);
    assert_int_equal(b.problem_line, 1);
    ttp_arena_free(&b.arena);
}

/* Whatever the reader stumbles over first, a block is reported as bad text. */
static void test_ops_block__bad_utf8_behind_a_bad_row_is_noticed(void **state)
{
    struct ttp_ops_block b = parse("0,1,2,3,4,5,6\n1,\xFF,d,,,2\n", true);

    (void)state;
    assert_int_equal(b.problem, TTP_ROW_BAD_UTF8);
    assert_int_equal(b.problem_line, 1);
    ttp_arena_free(&b.arena);
    b = parse("0,1,2,3,4,5,6\n1,x,d,,,2\n", true);
    assert_int_equal(b.problem, TTP_ROW_TOO_LONG);
    assert_int_equal(b.problem_line, 0);
    assert_int_equal(b.problem_fields, 7);
    ttp_arena_free(&b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ops_block__cells_of_all_columns_in_file_order),
        TTP_TEST_ARENA(test_ops_block__equal_texts_have_equal_symbols),
        cmocka_unit_test(test_ops_block__bad_utf8_is_repaired_or_refused_with_its_line),
        cmocka_unit_test(test_ops_block__bad_utf8_behind_a_bad_row_is_noticed),
    };
    return cmocka_run_group_tests_name("ops/ops_block", tests, NULL, NULL);
}
