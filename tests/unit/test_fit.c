/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/fit.h"
#include "fit/tile_bytes.h"
#include "test.h"

static const struct ttp_fit_tile whole = {32, 32};

static void test_fit__tiles_have_the_bytes_of_tt_metal(void **state)
{
    static const struct {
        enum ttp_dtype type;
        struct ttp_fit_tile tile;
        uint64_t bytes;
    } cases[] = {
        {TTP_DTYPE_F32, {32, 32}, 4096},
        {TTP_DTYPE_BF16, {32, 32}, 2048},
        {TTP_DTYPE_BFP8_B, {32, 32}, 1088},
        {TTP_DTYPE_BFP4_B, {32, 32}, 576},
        {TTP_DTYPE_BFP2_B, {32, 32}, 320},
        {TTP_DTYPE_U8, {32, 32}, 1024},
        {TTP_DTYPE_BF16, {16, 32}, 1024},
        {TTP_DTYPE_BFP8_B, {16, 32}, 512 + 32},
        /* tiny: two exponents, padded to the alignment of L1 */
        {TTP_DTYPE_BFP8_B, {1, 32}, 32 + 16},
        {TTP_DTYPE_BFP4_B, {4, 32}, 64 + 16},
        {TTP_DTYPE_NONE, {32, 32}, 0},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_int_equal(ttp_fit_tile_bytes(cases[i].type, cases[i].tile), cases[i].bytes);
}

static struct ttp_fit_core core_of(uint64_t l1, uint64_t reserved)
{
    return (struct ttp_fit_core){
        .board = ttp_board_find(ttp_boards_builtin(), TTP_STR("n150")),
        .tile = whole,
        .l1_bytes = l1,
        .reserved_bytes = reserved,
    };
}

static void test_fit__exactly_full_fits_and_one_byte_less_does_not(void **state)
{
    const uint64_t tensor[2] = {64, 64};
    struct ttp_fit_plan plan;
    struct ttp_fit_buffer b;

    (void)state;
    assert_int_equal(ttp_fit_parse_buffer(&b, "in=2x3:bf16:2", NULL), TTP_OK);
    struct ttp_fit_core core = core_of(2 * 3 * 2048 * 2 + 1000, 1000);
    assert_int_equal(ttp_fit_plan(&plan, &core, (struct ttp_fit_buffers){&b, 1}, tensor, NULL),
                     TTP_OK);
    assert_true(plan.fits);
    assert_int_equal(plan.left_bytes, 0);
    assert_int_equal(plan.scale_all, 1);
    assert_int_equal(b.max_tiles, 6);
    assert_int_equal(b.max_rows, 2);
    assert_int_equal(b.max_cols, 3);
    core.reserved_bytes++;
    assert_int_equal(ttp_fit_plan(&plan, &core, (struct ttp_fit_buffers){&b, 1}, tensor, NULL),
                     TTP_OK);
    assert_false(plan.fits);
    assert_int_equal(plan.over_bytes, 1);
    assert_int_equal(plan.scale_all, 0);
    assert_int_equal(b.max_tiles, 5);
    core.reserved_bytes = UINT32_MAX; /* more than there is */
    assert_int_equal(ttp_fit_plan(&plan, &core, (struct ttp_fit_buffers){&b, 1}, tensor, NULL),
                     TTP_OK);
    assert_int_equal(plan.available_bytes, 0);
    assert_int_equal(b.max_tiles, 0);
}

/* The largest block really is: it fits, and a row or column more does not. */
static void test_fit__the_largest_block_is_the_largest(void **state)
{
    const uint64_t tensor[2] = {1024, 1024};
    const struct ttp_fit_core core = core_of(1499136, 103424);

    (void)state;
    for (unsigned rows = 1; rows < 9; rows++)
        for (unsigned type = TTP_DTYPE_F32; type < TTP_DTYPE_COUNT; type++) {
            struct ttp_fit_buffer b[2] = {
                {.rows = rows, .cols = 3, .count = 2, .type = (enum ttp_dtype)type},
                {.rows = 4, .cols = 4, .count = 2, .type = TTP_DTYPE_BF16}};
            struct ttp_fit_plan plan;

            assert_int_equal(
                ttp_fit_plan(&plan, &core, (struct ttp_fit_buffers){b, 2}, tensor, NULL), TTP_OK);
            assert_true(plan.fits);
            struct ttp_fit_buffer grown[2] = {b[0], b[1]};
            grown[0].rows = (uint32_t)b[0].max_rows;
            assert_int_equal(
                ttp_fit_plan(&plan, &core, (struct ttp_fit_buffers){grown, 2}, tensor, NULL),
                TTP_OK);
            assert_true(plan.fits);
            grown[0].rows++;
            assert_int_equal(
                ttp_fit_plan(&plan, &core, (struct ttp_fit_buffers){grown, 2}, tensor, NULL),
                TTP_OK);
            assert_false(plan.fits);
        }
}

static void test_fit__transfers_count_blocks_that_cover_the_tensor(void **state)
{
    const uint64_t tensor[2] = {100, 33}; /* 4 x 2 tiles */
    const struct ttp_fit_core core = core_of(1 << 20, 0);
    struct ttp_fit_plan plan;
    struct ttp_fit_buffer b;

    (void)state;
    assert_int_equal(ttp_fit_parse_buffer(&b, "1x1:bf16", NULL), TTP_OK);
    assert_int_equal(b.count, 2);
    assert_int_equal(ttp_fit_plan(&plan, &core, (struct ttp_fit_buffers){&b, 1}, tensor, NULL),
                     TTP_OK);
    assert_int_equal(plan.step[0].transfers, 8);
    assert_int_equal(plan.step[1].transfers, 2);
    assert_int_equal(plan.step[2].transfers, 1);
    assert_false(plan.step[plan.steps - 1].fits); /* 32x32 tiles are 2 MiB each */
}

static void test_fit__sizes_beyond_memory_are_refused(void **state)
{
    const uint64_t tensor[2] = {1, 1};
    const struct ttp_fit_core core = core_of(1 << 20, 0);
    struct ttp_fit_plan plan;
    struct ttp_fit_buffer b;
    struct ttp_fit_table t;

    (void)state;
    assert_int_equal(ttp_fit_parse_buffer(&b, "4294967295x4294967295:f32:4294967295", NULL),
                     TTP_OK);
    assert_int_equal(ttp_fit_plan(&plan, &core, (struct ttp_fit_buffers){&b, 1}, tensor, NULL),
                     TTP_ELIMIT);
    assert_int_equal(ttp_fit_parse_buffer(&b, "4294967296x1:f32", NULL), TTP_EUSAGE);
    assert_int_equal(ttp_fit_parse_table(&t, "4294967295x4294967295:f64", NULL), TTP_OK);
    assert_int_equal(ttp_fit_table(&t, &core, NULL), TTP_ELIMIT);
}

static void test_fit__tables_go_where_they_fit(void **state)
{
    static const struct {
        const char *text;
        enum ttp_fit_place place;
    } cases[] = {
        {"1000x128:fp32", TTP_FIT_ONE_CORE},     {"2000x128:fp32", TTP_FIT_ONE_CORE},
        {"3000x128:fp32", TTP_FIT_GRID},         {"100000x512:fp32", TTP_FIT_DRAM},
        {"100000000x512:fp32", TTP_FIT_NOWHERE},
    };
    const struct ttp_fit_core core = core_of(1499136, 103424);

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_fit_table t;

        assert_int_equal(ttp_fit_parse_table(&t, cases[i].text, NULL), TTP_OK);
        assert_int_equal(ttp_fit_table(&t, &core, NULL), TTP_OK);
        assert_int_equal(t.place, cases[i].place);
        if (t.cores_needed) { /* what is promised holds everything, and fits */
            assert_true(t.rows_per_core * t.cores_needed >= t.rows);
            assert_true(t.rows_per_core * t.row_bytes <= t.core_bytes);
        }
    }
}

static void test_fit__rooflines_are_the_vendor_s(void **state)
{
    struct ttp_fit_roofline r;

    (void)state;
    ttp_fit_roofline(&r, ttp_board_find(ttp_boards_builtin(), TTP_STR("p150a")));
    assert_int_equal((int)(r.tflops[TTP_FIDELITY_LOFI] + 0.5), 608);
    assert_int_equal((int)(r.tflops[TTP_FIDELITY_HIFI2] + 0.5), 304);
    assert_int_equal((int)(r.tflops[TTP_FIDELITY_HIFI4] + 0.5), 152);
    ttp_fit_roofline(&r, ttp_board_find(ttp_boards_builtin(), TTP_STR("n150")));
    assert_int_equal((int)(r.tflops[TTP_FIDELITY_LOFI] + 0.5), 262);
    ttp_fit_roofline(&r, ttp_board_find(ttp_boards_builtin(), TTP_STR("e75")));
    assert_true(r.tflops[0] != r.tflops[0]); /* not published */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit__tiles_have_the_bytes_of_tt_metal),
        cmocka_unit_test(test_fit__exactly_full_fits_and_one_byte_less_does_not),
        cmocka_unit_test(test_fit__the_largest_block_is_the_largest),
        cmocka_unit_test(test_fit__transfers_count_blocks_that_cover_the_tensor),
        cmocka_unit_test(test_fit__sizes_beyond_memory_are_refused),
        cmocka_unit_test(test_fit__tables_go_where_they_fit),
        cmocka_unit_test(test_fit__rooflines_are_the_vendor_s),
    };
    return cmocka_run_group_tests_name("fit", tests, NULL, NULL);
}
