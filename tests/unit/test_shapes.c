/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/shapes.h"
#include "ops_line.h"

#define DIMS    "1,1,32,64,1,1,64,32,1,1,32,32"
#define SHARDED "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fabs(want)))
        fail_msg("%.17g instead of %.17g", got, want);
}

static void test_shapes__rates_of_a_matmul(void **state)
{
    struct ops_line line;

    ops_line_run(&line, SHAPE_HEAD SHAPED("Matmul", 1000, 40, "", BF16_TYPES, DIMS), &ops_compat,
                 *state);
    const struct ttp_op *op = &line.report.op[0];
    assert_text(ops_line_code(&line, 0), "Matmul 32 x 64 x 32");
    assert_text(ttp_sym_name(line.report.syms, op->fidelity_text), "HiFi4 BF16 x BF16 => BF16");
    assert_near(op->dram_gbs, 64 * 32 * 2 / 1e-6 / 1e9); /* only input 1 is in DRAM */
    assert_near(op->dram_pct, op->dram_gbs / 288 * 100);
    assert_near(op->tflops, 2.0 * 32 * 64 * 32 / 1e-6 / 1e12);
    assert_near(op->flops_pct, op->tflops / (74.0 / 72 * 40) * 100);
    assert_int_equal(op->cores.v.i, 40);
}

static void test_shapes__names_of_matmuls(void **state)
{
    static const struct {
        const char *row, *name;
    } cases[] = {
        {SHAPED("Matmul", 9, 8, "", BF16_TYPES, "1,8,32,64,1,8,64,32,1,8,32,32"),
         "Matmul b={8} x 32 x 64 x 32"},
        {SHAPED("Matmul", 9, 8, "", BF16_TYPES, "2,3,32,64,1,5,64,32,2,5,32,32"),
         "Matmul b={10} x 32 x 64 x 32"},
        {SHAPED("Matmul", 9, 8, "", BF16_TYPES, "1,1,32[7],64[9],1,1,64,96[65],1,1,32,96"),
         "Matmul 32 x 64 x 96"}, /* the padded sizes */
        {SHAPED("MatmulDeviceOperation", 9, 8, "", BF16_TYPES, DIMS),
         "MatmulDeviceOperation 32 x 64 x 32"},
    };
    char text[2048];

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        for (int compat = 0; compat < 2; compat++) {
            struct ops_line line;
            snprintf(text, sizeof(text), "%s%s", SHAPE_HEAD, cases[i].row);
            ops_line_run(&line, text, compat ? &ops_compat : &ops_ours, *state);
            assert_text(ops_line_code(&line, 0), cases[i].name);
        }
}

static void test_shapes__a_dram_sharded_matmul_uses_a_core_per_bank(void **state)
{
    struct ops_line line;
    static const char text[] = SHAPE_HEAD SHAPED("Matmul", 9, 64, SHARDED, BF16_TYPES, DIMS);

    ops_line_run(&line, text, &ops_compat, *state);
    assert_true(line.report.op[0].has & TTP_DRAM_SHARDED);
    assert_int_equal(line.report.op[0].cores.v.i, 12);
    ops_line_run(&line, text, &ops_ours, *state);
    assert_int_equal(line.report.op[0].cores.v.i, line.report.arch->dram_workers);
}

static void test_shapes__bytes_follow_the_datatype(void **state)
{
    static const struct {
        const char *types;
        double size, ours; /* we count the exponents of block formats */
    } cases[] = {
        {"LoFi,BFLOAT16,BFLOAT16,BFLOAT16", 2, 2},
        {"LoFi,BFLOAT16,BFLOAT8_B,BFLOAT16", 1, 1088.0 / 1024},
        {"LoFi,BFLOAT16,BFLOAT4_B,BFLOAT16", .5, 576.0 / 1024},
        {"LoFi,BFLOAT16,FLOAT32,BFLOAT16", 4, 4},
        {"LoFi,BFLOAT16,UINT16,BFLOAT16", 2, 2},
        {"LoFi,BFLOAT16,WORD,BFLOAT16", 4, 4},
    };
    char text[2048];

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ops_line line;
        snprintf(text, sizeof(text),
                 SHAPE_HEAD "Matmul,tt_dnn_device,0,1000,,8,1,,%s,x_L1,x_DRAM,x_L1," DIMS "\n",
                 cases[i].types);
        ops_line_run(&line, text, &ops_compat, *state);
        assert_near(line.report.op[0].dram_gbs, 64 * 32 * cases[i].size / 1e-6 / 1e9);
        ops_line_run(&line, text, &ops_ours, *state);
        assert_near(line.report.op[0].dram_gbs, 64 * 32 * cases[i].ours / 1e-6 / 1e9);
    }
}

static void test_shapes__nothing_in_dram_means_no_dram_rate(void **state)
{
    struct ops_line line;

    ops_line_run(&line,
                 SHAPE_HEAD "Matmul,tt_dnn_device,0,1000,,8,1,," BF16_TYPES ",L1,L1,L1," DIMS "\n",
                 &ops_compat, *state);
    assert_false(line.report.op[0].has & (TTP_HAS_DRAM | TTP_HAS_DRAM_PCT));
    assert_true(line.report.op[0].has & TTP_HAS_FLOPS);
    assert_int_equal(line.report.op[0].bound, TTP_BOUND_NONE);
}

static void test_shapes__a_missing_duration_is_nan_there_and_missing_here(void **state)
{
    static const char text[] = SHAPE_HEAD SHAPED("Matmul", , 8, "", BF16_TYPES, DIMS);
    struct ops_line line;

    ops_line_run(&line, text, &ops_compat, *state);
    assert_true(isnan(line.report.op[0].dram_gbs) && isnan(line.report.op[0].flops_pct));
    assert_true(line.report.op[0].has & TTP_HAS_FLOPS_PCT);
    assert_false(line.report.op[0].has & TTP_HAS_FLOPS);
    ops_line_run(&line, text, &ops_ours, *state);
    assert_false(line.report.op[0].has & (TTP_HAS_DRAM | TTP_HAS_FLOPS | TTP_HAS_FLOPS_PCT));
}

static void test_shapes__what_stops_the_original_is_left_out_by_ours(void **state)
{
    static const char *const rows[] = {
        SHAPED("Matmul", 0, 8, "", BF16_TYPES, DIMS),
        SHAPED("Matmul", 9, 8, "", "HiFi3,BFLOAT16,BFLOAT16,BFLOAT16", DIMS),
        SHAPED("Matmul", 9, 8, "", ",BFLOAT16,BFLOAT16,BFLOAT16", DIMS),
        SHAPED("Matmul", 9, 0, "", BF16_TYPES, DIMS),
        SHAPED("Matmul", 9, 8, "", BF16_TYPES, "1,1,,64,1,1,64,32,1,1,32,32"),
        SHAPED("Matmul", 9, 8, "", BF16_TYPES, "1,1,x,64,1,1,64,32,1,1,32,32"),
        "Matmul,tt_dnn_device,0,9,,8,1,," BF16_TYPES ",,x_DRAM,x_L1," DIMS "\n",
        SHAPED("Conv2d", 9, 8, "", BF16_TYPES, DIMS),
        SHAPED("Conv2d", 0, 8, "window_hw=(1;1); ", BF16_TYPES, DIMS),
        SHAPED("Conv2d", 9, 8, "window_hw=(1;1); ", "HiFi3,BFLOAT16,BFLOAT16,BFLOAT16", DIMS),
    };
    char text[2048];

    for (size_t i = 0; i < TTP_COUNT(rows); i++) {
        struct ops_line line;
        snprintf(text, sizeof(text), "%s%s", SHAPE_HEAD, rows[i]);
        ops_line_try(&line, text, &ops_compat, *state);
        assert_int_equal(line.code, TTP_EPARSE);
        assert_non_null(strstr(line.err.text, "row 2"));
        ops_line_run(&line, text, &ops_ours, *state);
        assert_int_equal(line.report.count, 1);
    }
}

static void test_shapes__a_convolution_is_held_to_the_whole_chip(void **state)
{
    struct ops_line line;

    ops_line_run(&line,
                 SHAPE_HEAD SHAPED("Conv2dDeviceOperation", 1000, 8, "window_hw=(3;2); ",
                                   BF16_TYPES, "1,1,50,16,1,1,96,32,1,1,64,32"),
                 &ops_compat, *state);
    const struct ttp_op *op = &line.report.op[0];
    assert_text(ops_line_code(&line, 0), "Conv2dDeviceOperation 64 x 96 x 32 [ABH=x|x ADB SR]");
    assert_near(op->tflops, 2.0 * 64 * (16 * 3 * 2) * 32 / 1e-6 / 1e12);
    assert_near(op->flops_pct, op->tflops / (74.0 / 72 * 64) * 100);
    assert_int_equal(op->cores.v.i, 8);
    assert_false(op->has & TTP_HAS_DRAM);
}

static void test_shapes__a_sparse_matmul_counts_its_active_experts(void **state)
{
    static const char known[] =
        SHAPE_HEAD SHAPED("SparseMatmulDeviceOperation", 1000, 8, "'nnz': '4'", BF16_TYPES,
                          "1,1,32,64,1,16,64,32,1,16,32,32");
    static const char unknown[] = SHAPE_HEAD SHAPED("SparseMatmulDeviceOperation", 1000, 8, "",
                                                    BF16_TYPES, "1,1,32,64,1,16,64,32,1,16,32,32");
    const struct ttp_report_options two = {.active_experts = 2};
    struct ops_line line;

    ops_line_run(&line, known, &ops_ours, *state);
    assert_text(ops_line_code(&line, 0), "SparseMatmulDeviceOperation active=4/16 x 32 x 64 x 32");
    assert_near(line.report.op[0].tflops, 4 * 2.0 * 32 * 64 * 32 / 1e-6 / 1e12);
    ops_line_run(&line, unknown, &two, *state);
    assert_near(line.report.op[0].tflops, 2 * 2.0 * 32 * 64 * 32 / 1e-6 / 1e12);
    ops_line_run(&line, unknown, &ops_ours, *state);
    assert_false(line.report.op[0].has & TTP_HAS_FLOPS);
    assert_note(&line.report.notes, "--active-experts");
}

static void test_shapes__products_of_large_sizes_are_exact(void **state)
{
    char text[2048];

    srand(7);
    for (int i = 0; i < 200; i++) {
        struct ops_line line;
        const long m = 1 + rand() % 100000, k = 1 + rand() % 100000, n = 1 + rand() % 100000;
        snprintf(text, sizeof(text),
                 SHAPE_HEAD "Matmul,tt_dnn_device,0,1000000000,,8,1,," BF16_TYPES
                            ",x_L1,x_L1,x_L1,1,1,%ld,%ld,1,1,%ld,%ld,1,1,%ld,%ld\n",
                 m, k, k, n, m, n);
        ops_line_run(&line, text, &ops_compat, *state);
        const __int128 work = (__int128)m * k * n * 2;
        assert_true(line.report.op[0].tflops == (double)work / (1e9 * 1e-9) / 1e12);
    }
}

static void test_shapes__short_names_of_datatypes(void **state)
{
    static const char *const cases[][2] = {{"BFLOAT16", "BF16"},  {"BFLOAT8_B", "BFP8"},
                                           {"BFLOAT4_B", "BFP4"}, {"FLOAT32", "FP32"},
                                           {"UINT32", "UINT32"},  {"", ""}};

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_text(ttp_analysis_shapes_short_type(ttp_str_from(cases[i][0])), cases[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_shapes__rates_of_a_matmul),
        TTP_TEST_ARENA(test_shapes__names_of_matmuls),
        TTP_TEST_ARENA(test_shapes__a_dram_sharded_matmul_uses_a_core_per_bank),
        TTP_TEST_ARENA(test_shapes__bytes_follow_the_datatype),
        TTP_TEST_ARENA(test_shapes__nothing_in_dram_means_no_dram_rate),
        TTP_TEST_ARENA(test_shapes__a_missing_duration_is_nan_there_and_missing_here),
        TTP_TEST_ARENA(test_shapes__what_stops_the_original_is_left_out_by_ours),
        TTP_TEST_ARENA(test_shapes__a_convolution_is_held_to_the_whole_chip),
        TTP_TEST_ARENA(test_shapes__a_sparse_matmul_counts_its_active_experts),
        TTP_TEST_ARENA(test_shapes__products_of_large_sizes_are_exact),
        cmocka_unit_test(test_shapes__short_names_of_datatypes),
    };
    return cmocka_run_group_tests_name("analysis/shapes", tests, NULL, NULL);
}
