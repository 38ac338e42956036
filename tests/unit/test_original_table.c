/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "compat/report/original_table.h"
#include "ops_line.h"

#define GREY    "\x1b[38;5;8m"
#define RED     "\x1b[38;5;9m"
#define GREEN   "\x1b[38;5;10m"
#define YELLOW  "\x1b[38;5;11m"
#define BLUE    "\x1b[38;5;12m"
#define MAGENTA "\x1b[38;5;13m"
#define CYAN    "\x1b[38;5;14m"
#define WHITE   "\x1b[38;5;15m"
#define ORANGE  "\x1b[38;5;208m"
#define END     "\x1b[0m"

struct shown {
    struct ttp_symtab syms;
    struct ttp_report report;
    struct ttp_original_style style;
    struct ttp_original_table table;
};

/* Tables of one op; `code` and `fidelity` become its texts. */
static void show(struct shown *s, struct ttp_op *op, const char *code, const char *fidelity,
                 bool color, struct ttp_arena *arena)
{
    *s = (struct shown){.syms = {.arena = arena}, .style = {.color = color, .min_percentage = 0.5}};
    ttp_sym_intern(&s->syms, (ttp_str){0});
    op->code = ttp_sym_intern(&s->syms, ttp_str_from(code));
    op->fidelity_text = ttp_sym_intern(&s->syms, ttp_str_from(fidelity));
    s->report = (struct ttp_report){.syms = &s->syms, .op = op, .count = 1};
    ttp_original_table_init(&s->table, &s->report, &s->style, arena);
}

static ttp_str row_of(struct shown *s, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_original_table_row(&out, &s->table, s->report.op);
    return ttp_sink_text(&out);
}

static void test_original_table__a_full_row(void **state)
{
    struct ttp_op op = {.row = 998,
                        .has = TTP_HAS_TOTAL | TTP_HAS_TIME | TTP_HAS_GAP | TTP_HAS_DRAM |
                               TTP_HAS_DRAM_PCT | TTP_HAS_FLOPS | TTP_HAS_FLOPS_PCT |
                               TTP_HAS_DEVICE,
                        .bound = TTP_BOUND_SLOW,
                        .total_pct = 12.25,
                        .device = 1,
                        .time_us = 1234567.5,
                        .gap_us = -0.4,
                        .cores = {TTP_CELL_INT, {.i = 64}},
                        .dram_gbs = 2.5,
                        .dram_pct = 0.05,
                        .tflops = 0.25,
                        .flops_pct = 1000};
    struct shown s;
    struct ttp_sink out;

    show(&s, &op, "Matmul   32 x 32", "LoFi", false, *state);
    assert_text(
        row_of(&s, *state),
        " 1000   12.2 %   SLOW  Matmul 32 x 32        1  1,234,568 μs         -0 μs     64  "
        "2 GB/s   0.1 %  0.2 TFLOPs  1,000.0 %           LoFi\n");
    ttp_sink_to_arena(&out, *state);
    ttp_original_table_header(&out, &s.table);
    const size_t width = out.len;
    assert_text(
        ttp_sink_text(&out),
        "ID     Total %  Bound  OP Code         Device   Device Time   Op-to-Op Gap  Cores  "
        "DRAM    DRAM %  FLOPs       FLOPs %    Math Fidelity\n");
    ttp_original_table_dashes(&out, &s.table);
    assert_int_equal(out.len, 2 * width);
    assert_int_equal(strspn(out.buf + width, "-"), width - 1);
}

static void test_original_table__what_is_not_there_is_blank(void **state)
{
    struct ttp_op op = {0};
    struct shown s;

    show(&s, &op, "A", "", false, *state);
    assert_text(
        row_of(&s, *state),
        " 2                  A                                                              "
        "                                \n");
}

static void test_original_table__texts_that_read_as_numbers_print_as_numbers(void **state)
{
    static const char *const cases[][2] = {
        {"1234", "1,234"},  {"1e3", "1,000"}, {"inf", "inf"},   {"-2.5", "-2"},
        {"1_000", "1,000"}, {"nan", "nan"},   {"0x10", "0x10"}, {"Matmul", "Matmul"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_op op = {0};
        struct shown s;
        show(&s, &op, cases[i][0], "", false, *state);
        const ttp_str row = row_of(&s, *state);
        assert_text(ttp_str_trim(ttp_str_slice(row, 3, row.len)), cases[i][1]);
    }
}

static void test_original_table__signposts_have_their_own_mark(void **state)
{
    struct ttp_op op = {.kind = TTP_OP_SIGNPOST};
    struct shown s;

    show(&s, &op, "begin (signpost)", "", false, *state);
    assert_true(ttp_str_has(row_of(&s, *state), TTP_STR("  🪧 begin   ")));
    show(&s, &op, "begin (signpost)", "", true, *state);
    assert_true(ttp_str_has(row_of(&s, *state), TTP_STR("🪧 " WHITE "begin " END)));
}

static void test_original_table__names_have_colours(void **state)
{
    static const char *const cases[][2] = {
        {"x (torch)", RED "x (torch)" END},
        {"Matmul 1 x 1", MAGENTA "Matmul" END " " MAGENTA "1 x 1" END},
        {"OptimizedConvNew", ORANGE "OptimizedConvNew" END},
        {"Conv2d a", ORANGE "Conv2d a" END},
        {"LayerNorm", CYAN "LayerNorm" END},
        {"AllGather", CYAN "AllGather" END},
        {"AllReduce", CYAN "AllReduce" END},
        {"ScaledDotProductAttentionDecode", BLUE "ScaledDotProductAttentionDecode" END},
        {"UpdateCache", BLUE "UpdateCache" END},
        {"Softmax", WHITE "Softmax" END},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_op op = {0};
        struct shown s;
        show(&s, &op, cases[i][0], "", true, *state);
        if (!ttp_str_has(row_of(&s, *state), ttp_str_from(cases[i][1])))
            fail_msg("%s", cases[i][0]);
    }
}

static void test_original_table__numbers_have_colours_by_rule(void **state)
{
    static const struct {
        struct ttp_op op;
        const char *has;
    } cases[] = {
        {{.cores = {TTP_CELL_INT, {.i = 9}}}, RED "9" END},
        {{.cores = {TTP_CELL_INT, {.i = 10}}}, " 10  "},
        {{.cores = {TTP_CELL_FLOAT, {.f = 64}}}, GREEN "64" END},
        {{.has = TTP_HAS_GAP, .gap_us = 6.51}, RED "7" END " " RED "μs" END},
        {{.has = TTP_HAS_GAP, .gap_us = 6.5}, " 6 μs"},
        {{.bound = TTP_BOUND_DRAM, .has = TTP_HAS_DRAM, .dram_gbs = 3},
         GREEN "3" END " " GREEN "GB/s" END},
        {{.bound = TTP_BOUND_FLOP, .has = TTP_HAS_FLOPS, .tflops = 3}, GREEN "3.0" END},
        {{.bound = TTP_BOUND_SLOW, .has = TTP_HAS_DRAM, .dram_gbs = 3, .dram_pct = 2},
         YELLOW "3" END},
        {{.bound = TTP_BOUND_SLOW, .has = TTP_HAS_FLOPS, .tflops = 3}, YELLOW "3.0" END},
        {{.bound = TTP_BOUND_BOTH}, " BOTH "},
        {{.bound = TTP_BOUND_HOST}, RED "HOST" END},
        {{.verdict = TTP_FIDELITY_SUFFICIENT}, GREEN "LoFi" END},
        {{.verdict = TTP_FIDELITY_HIGH}, RED "LoFi" END},
        {{.verdict = TTP_FIDELITY_LOW}, CYAN "LoFi" END},
        {{.verdict = TTP_FIDELITY_UNKNOWN}, WHITE "LoFi" END},
        {{.has = TTP_HAS_TOTAL, .total_pct = 0.49}, GREY "0.5" END " " GREY "%" END},
        {{.has = TTP_HAS_TOTAL, .total_pct = 0.5}, " 0.5 %"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_op op = cases[i].op;
        struct shown s;
        show(&s, &op, "Matmul", "LoFi", true, *state);
        const ttp_str row = row_of(&s, *state);
        if (!ttp_str_has(row, ttp_str_from(cases[i].has)))
            fail_msg("case %zu: '%.*s'", i, TTP_FMT(row));
    }
}

static void test_original_table__host_ops_are_never_grey(void **state)
{
    struct ttp_op op = {.has = TTP_HAS_TOTAL, .total_pct = 0.1};
    struct shown s;

    show(&s, &op, "(torch) x", "", true, *state);
    assert_false(ttp_original_is_grey(&s.table, &op));
    show(&s, &op, "Softmax", "", true, *state);
    assert_true(ttp_original_is_grey(&s.table, &op));
}

static void test_original_table__totals(void **state)
{
    struct ttp_op op = {0};
    struct ttp_sink out;
    struct shown s;

    show(&s, &op, "Softmax", "", false, *state);
    s.report.device_ops = 3;
    s.report.host_ops = 2;
    s.report.signposts = 1;
    s.report.time_us = 1234.5;
    ttp_sink_to_arena(&out, *state);
    ttp_original_table_totals(&out, &s.table);
    assert_text(
        ttp_sink_text(&out),
        "    100.0 %         3 device ops, 2 host ops, 1 signposts              1,234 μs          "
        "0 μs                                                    \n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_original_table__a_full_row),
        TTP_TEST_ARENA(test_original_table__what_is_not_there_is_blank),
        TTP_TEST_ARENA(test_original_table__texts_that_read_as_numbers_print_as_numbers),
        TTP_TEST_ARENA(test_original_table__signposts_have_their_own_mark),
        TTP_TEST_ARENA(test_original_table__names_have_colours),
        TTP_TEST_ARENA(test_original_table__numbers_have_colours_by_rule),
        TTP_TEST_ARENA(test_original_table__host_ops_are_never_grey),
        TTP_TEST_ARENA(test_original_table__totals),
    };
    return cmocka_run_group_tests_name("outputs/original_table", tests, NULL, NULL);
}
