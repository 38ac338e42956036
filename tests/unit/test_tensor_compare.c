/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of expect.txt were made by numpy (tests/data/tensor/make.py); cases of comp_pcc's steps
 * are worked by hand. */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "tensor_files.h"

static const struct ttp_compare_options defaults = {.gate = 0.99,
                                                    .frobenius = -1,
                                                    .rtol = NAN,
                                                    .atol = NAN,
                                                    .fallback_rtol = NAN,
                                                    .fallback_atol = NAN,
                                                    .threads = 1};

static double expected(const char *name)
{
    struct ttp_file file;
    ttp_str rest, line, field[2];
    double v = NAN;

    assert_int_equal(ttp_file_map(&file, TENSOR_DATA "expect.txt", NULL), TTP_OK);
    rest = file.text;
    while (ttp_str_next_line(&rest, &line))
        if (ttp_str_split(line, ' ', field, 2) == 2 && ttp_str_eq(field[0], ttp_str_from(name)))
            assert_true(ttp_str_to_f64(field[1], &v));
    ttp_file_close(&file);
    assert_false(isnan(v));
    return v;
}

static void assert_near(double got, const char *name, double relative)
{
    const double want = expected(name);

    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%s: %.17g, not %.17g", name, got, want);
}

static struct ttp_compare compare_with(const struct ttp_tensor *g, const struct ttp_tensor *c,
                                       const struct ttp_compare_options *o)
{
    struct ttp_compare out;
    struct ttp_err err = {0};

    if (ttp_tensor_compare(&out, g, c, o, &err) != TTP_OK)
        fail_msg("%s", err.text);
    return out;
}

static struct ttp_compare compare(const struct ttp_tensor *g, const struct ttp_tensor *c)
{
    return compare_with(g, c, &defaults);
}

static struct ttp_compare compare_files(const char *golden, const char *actual,
                                        struct ttp_arena *arena)
{
    return compare(open_tensor(golden, NULL, NULL, arena), open_tensor(actual, NULL, NULL, arena));
}

static void test_tensor_compare__f32_gives_numpys_numbers(void **state)
{
    const struct ttp_compare r = compare_files("golden_f32.npy", "actual_f32.npy", *state);

    assert_near(r.pcc, "pcc", 1e-14);
    assert_near(r.frobenius, "frobenius", 1e-7); /* differences are rounded to f32 */
    assert_near(r.max_abs, "max_abs", 0);
    assert_near(r.max_rel, "max_rel", 0);
    assert_near(r.max_ulp, "max_ulp", 0);
    assert_near((double)r.outside, "outside", 0);
    assert_int_equal((r.max_abs_at.index[0] * 40 + r.max_abs_at.index[1]) * 70 +
                         r.max_abs_at.index[2],
                     (uint64_t)expected("max_abs_at"));
    assert_true(r.pass && r.how == TTP_PCC_CORRELATED && !r.allclose);
}

static void test_tensor_compare__order_of_bytes_and_elements_does_not_matter(void **state)
{
    static const char *const files[] = {"actual_fortran.npy", "actual_big.npy",
                                        "actual_rows.tensorbin"};
    const struct ttp_compare want = compare_files("golden_f32.npy", "actual_f32.npy", *state);

    for (size_t i = 0; i < TTP_COUNT(files); i++) {
        const struct ttp_compare r = compare_files("golden_f32.npy", files[i], *state);
        assert_memory_equal(&r, &want, sizeof(r));
    }
}

static void test_tensor_compare__f16_products_are_rounded_to_f16(void **state)
{
    assert_near(compare_files("golden_f16.npy", "actual_f16.npy", *state).pcc, "f16_pcc", 1e-14);
}

static void test_tensor_compare__f64_and_whole_numbers(void **state)
{
    assert_near(compare_files("golden_f64.npy", "actual_f64.npy", *state).pcc, "f64_pcc", 1e-13);
    const struct ttp_compare r = compare_files("golden_i32.npy", "actual_i32.npy", *state);
    assert_near(r.pcc, "i32_pcc", 1e-14);
    assert_false(r.has_ulp);
    assert_true(r.max_abs == 2);
}

static void test_tensor_compare__actual_is_rounded_to_goldens_type(void **state)
{
    const struct ttp_tensor *g = open_tensor("golden.safetensors", "layer.w", NULL, *state);
    const struct ttp_tensor *f32 = open_tensor("actual.safetensors", "layer.w", NULL, *state);
    const struct ttp_tensor *bf16 = open_tensor("actual_bf16.tensorbin", NULL, NULL, *state);
    const struct ttp_tensor *turned = open_tensor("transposed_bf16.tensorbin", NULL, NULL, *state);
    const struct ttp_tensor *faces = open_tensor("transposed_16.tensorbin", NULL, NULL, *state);
    const struct ttp_compare r = compare(g, f32), tiled = compare(g, bf16);
    const struct ttp_compare whole = compare(g, turned), low = compare(g, faces);

    assert_near(r.pcc, "bf16_pcc", 1e-14);
    assert_near(tiled.max_ulp, "bf16_ulp", 0);
    assert_memory_equal(&r, &tiled, sizeof(r));
    assert_memory_equal(&r, &whole, sizeof(r));
    assert_memory_equal(&r, &low, sizeof(r));
}

static void test_tensor_compare__torch_views_of_one_storage(void **state)
{
    const struct ttp_tensor *w = open_tensor("state.pt", "w", NULL, *state);
    const struct ttp_tensor *v = open_tensor("state.pt", "v", NULL, *state);
    const struct ttp_tensor *g = open_tensor("golden.pt", NULL, NULL, *state);
    struct ttp_tensor turned = *g, half = *g;
    const struct ttp_compare want = compare_files("golden_f32.npy", "actual_f32.npy", *state);

    for (int d = 0; d < 3; d++) { /* golden as w is: its dimensions in reverse */
        turned.shape[d] = g->shape[2 - d];
        turned.stride[d] = g->stride[2 - d];
    }
    assert_true(fabs(compare(&turned, w).pcc - want.pcc) < 1e-14);
    half.ndim = 2;
    half.count = 2800;
    memcpy(half.shape, v->shape, sizeof(half.shape));
    memcpy(half.stride, v->stride, sizeof(half.stride));
    half.data = ttp_str_slice(g->data, (size_t)2800 * 4, g->data.len);
    assert_true(compare(&half, v).pass);
}

static void test_tensor_compare__doubled_output_passes_pcc_and_fails(void **state)
{
    const struct ttp_compare r = compare_files("golden_f32.npy", "doubled.npy", *state);

    assert_true(r.pcc_ok && r.pcc > 0.9999999);
    assert_true(fabs(r.frobenius - 1) < 1e-12);
    assert_true(fabs(r.frobenius_limit - sqrt(0.02)) < 1e-12);
    assert_false(r.frobenius_ok || r.pass);
}

static void test_tensor_compare__nonfinite_values_count_as_zero_and_fail(void **state)
{
    const struct ttp_compare r = compare_files("golden_f32.npy", "actual_nonfinite.npy", *state);

    assert_near(r.pcc, "nonfinite_pcc", 1e-14);
    assert_true(r.pcc_ok && !r.pass);
    assert_int_equal(r.nonfinite_moved, 2);
    assert_int_equal(r.actual_nonfinite.nan, 1);
    assert_int_equal(r.actual_nonfinite.inf, 1);
    assert_int_equal(r.nonfinite_at.index[0], 0); /* the infinity comes first */
    assert_int_equal(r.nonfinite_at.index[1], 39);
    assert_int_equal(r.nonfinite_at.index[2], 69);
}

static void test_tensor_compare__threads_do_not_change_a_bit(void **state)
{
    const uint64_t shape[] = {3, 1000, 700};
    const size_t n = (size_t)3 * 1000 * 700;
    float *g = TTP_NEW(*state, float, n), *c = TTP_NEW(*state, float, n);
    uint64_t x = 88172645463325252;

    for (size_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        g[i] = (float)((double)(x >> 11) * 0x1p-53 - 0.5);
        c[i] = g[i] * (1 + 1e-3f * (float)(x % 7));
    }
    c[1234567] = NAN;
    const struct ttp_tensor *tg = make_tensor(TTP_DTYPE_F32, shape, 3, g, *state);
    const struct ttp_tensor *tc = make_tensor(TTP_DTYPE_F32, shape, 3, c, *state);
    const struct ttp_compare one = compare(tg, tc);
    for (unsigned threads = 2; threads <= 5; threads++) {
        struct ttp_compare_options o = defaults;

        o.threads = threads;
        const struct ttp_compare many = compare_with(tg, tc, &o);
        assert_memory_equal(&one, &many, sizeof(one));
    }
}

/* --- comp_pcc's steps, by hand --- */

static struct ttp_compare compare_four(const float *g, const float *c, enum ttp_pcc_version version,
                                       struct ttp_arena *arena)
{
    const uint64_t four[] = {4};
    struct ttp_compare_options o = defaults;

    o.version = version;
    return compare_with(make_tensor(TTP_DTYPE_F32, four, 1, g, arena),
                        make_tensor(TTP_DTYPE_F32, four, 1, c, arena), &o);
}

static void test_tensor_compare__steps_of_comp_pcc_in_all_its_versions(void **state)
{
    static const float nans[4] = {NAN, NAN, NAN, NAN}, zeros[4] = {0, 0, 0, -0.0f},
                       tiny[4] = {1e-5f, 9e-5f, -1e-5f, 0}, some[4] = {1, 2, 3, 4},
                       sevens[4] = {7, 7, 7, 7}, near_sevens[4] = {7.00001f, 7, 7, 7},
                       back[4] = {4, 3, 2, 1}, huge[4] = {1e30f, 2e30f, 3e30f, 4.5e30f},
                       huger[4] = {1e30f, 2e30f, 3e30f, 4e30f};
    static const struct {
        const float *g, *c;
        enum ttp_pcc_version version;
        enum ttp_pcc_how how;
        double pcc;
        bool ok;
    } cases[] = {
        {nans, nans, TTP_PCC_CURRENT, TTP_PCC_BOTH_NAN, 1, true},
        {nans, some, TTP_PCC_CURRENT, TTP_PCC_ONE_NAN, 0, false},
        {some, nans, TTP_PCC_NUMPY, TTP_PCC_ONE_NAN, 0, false},
        /* 9e-5 <= 1e-4 + 1e-5 * |c| */
        {zeros, tiny, TTP_PCC_CURRENT, TTP_PCC_ONE_ZERO, 1, true},
        {tiny, zeros, TTP_PCC_CURRENT, TTP_PCC_ONE_ZERO, 1, true},
        {zeros, tiny, TTP_PCC_2026_06, TTP_PCC_ONE_ZERO, 0, false},
        {zeros, tiny, TTP_PCC_NUMPY, TTP_PCC_ONE_ZERO, 0, false},
        {some, zeros, TTP_PCC_CURRENT, TTP_PCC_ONE_ZERO, 0, false},
        {zeros, zeros, TTP_PCC_CURRENT, TTP_PCC_EQUAL, 1, true},
        {some, some, TTP_PCC_CURRENT, TTP_PCC_EQUAL, 1, true},
        {some, back, TTP_PCC_CURRENT, TTP_PCC_CORRELATED, -1, false},
        {sevens, some, TTP_PCC_CURRENT, TTP_PCC_UNDEFINED, 0, false},
        {sevens, near_sevens, TTP_PCC_CURRENT, TTP_PCC_UNDEFINED, 1, true},
        {sevens, some, TTP_PCC_2026_06, TTP_PCC_UNDEFINED_PASSED, 1, true},
        {sevens, some, TTP_PCC_NUMPY, TTP_PCC_UNDEFINED_PASSED, 1, true},
        /* products overflow f32: done again in f64, or inf / inf */
        {huger, huge, TTP_PCC_CURRENT, TTP_PCC_CORRELATED, 0.994377, true},
        {huger, huge, TTP_PCC_2026_06, TTP_PCC_UNDEFINED_PASSED, 1, true},
        {huger, huge, TTP_PCC_NUMPY, TTP_PCC_CORRELATED, 0.994377, true},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct ttp_compare r = compare_four(cases[i].g, cases[i].c, cases[i].version, *state);

        if (r.how != cases[i].how || fabs(r.pcc - cases[i].pcc) > 1e-5 || r.pcc_ok != cases[i].ok)
            fail_msg("case %zu: how %d pcc %.9g ok %d", i, r.how, r.pcc, r.pcc_ok);
    }
}

static void test_tensor_compare__numpy_version_is_corrcoef_in_f64(void **state)
{
    struct ttp_compare_options o = defaults;

    o.version = TTP_PCC_NUMPY;
    assert_near(compare_with(open_tensor("golden_f32.npy", NULL, NULL, *state),
                             open_tensor("actual_f32.npy", NULL, NULL, *state), &o)
                    .pcc,
                "numpy_pcc", 1e-14);
}

static void test_tensor_compare__shapes_must_agree(void **state)
{
    static const float v[] = {1, 2, 3, 4, 5, 6};
    const uint64_t flat[] = {6}, square[] = {2, 3}, shorter[] = {5};
    const struct ttp_tensor *g = make_tensor(TTP_DTYPE_F32, flat, 1, v, *state);
    const struct ttp_compare other = compare(g, make_tensor(TTP_DTYPE_F32, square, 2, v, *state)),
                             fewer = compare(g, make_tensor(TTP_DTYPE_F32, shorter, 1, v, *state));

    assert_true(other.compared && !other.same_shape && !other.pass && other.pcc == 1);
    assert_true(!fewer.compared && !fewer.pass);
}

static void test_tensor_compare__empty_and_single_values(void **state)
{
    static const float one[] = {1}, two[] = {2};
    const uint64_t none[] = {2, 0, 3, 4}, single[] = {1};
    const struct ttp_tensor *e = make_tensor(TTP_DTYPE_F32, none, 4, one, *state);

    assert_true(compare(e, e).pass);
    const struct ttp_compare r = compare(make_tensor(TTP_DTYPE_F32, single, 1, one, *state),
                                         make_tensor(TTP_DTYPE_F32, single, 1, two, *state));
    assert_int_equal(r.how, TTP_PCC_UNDEFINED);
    assert_true(r.max_abs == 1 && !r.pass);
}

static void test_tensor_compare__the_worst_tile_has_a_place(void **state)
{
    const uint64_t shape[] = {2, 70, 100};
    float *g = TTP_NEW(*state, float, 14000), *c = TTP_NEW(*state, float, 14000);

    for (size_t i = 0; i < 14000; i++)
        g[i] = c[i] = (float)(i % 97) - 48;
    for (size_t y = 64; y < 70; y++) /* the tile at plane 1, rows 64.., columns 96.. */
        for (size_t x = 96; x < 100; x++)
            c[7000 + y * 100 + x] = 0;
    const struct ttp_compare r = compare(make_tensor(TTP_DTYPE_F32, shape, 3, g, *state),
                                         make_tensor(TTP_DTYPE_F32, shape, 3, c, *state));
    assert_int_equal(r.tile_rows, 6);
    assert_int_equal(r.tile_cols, 4);
    assert_int_equal(r.worst_tile_row, 5);
    assert_int_equal(r.worst_tile_col, 3);
    assert_int_equal(r.worst_origin[0], 1);
    assert_int_equal(r.worst_origin[1], 64);
    assert_int_equal(r.worst_origin[2], 96);
    assert_int_equal(r.worst_height * 10 + r.worst_width, 64);
    assert_true(r.worst_frobenius == 1);
    assert_true(isnan(r.worst_pcc)); /* zeros do not vary */
    assert_true(r.heat_rows == 6 && r.heat_cols == 4 && r.heat[23] == (float)r.worst_rms);
}

/* --- what formats lose --- */

static void test_tensor_loss__predicts_what_packing_does(void **state)
{
    static const struct {
        const char *name;
        enum ttp_dtype type;
    } formats[] = {
        {"bfp8", TTP_DTYPE_BFP8_B}, {"bfp4", TTP_DTYPE_BFP4_B}, {"bfp2", TTP_DTYPE_BFP2_B}};
    const struct ttp_tensor *w = open_tensor("weights.npy", NULL, NULL, *state);

    for (size_t i = 0; i < TTP_COUNT(formats); i++) {
        struct ttp_loss loss;
        char name[64];

        assert_int_equal(ttp_tensor_loss(&loss, w, formats[i].type, &defaults, NULL), TTP_OK);
        snprintf(name, sizeof(name), "%s_pcc", formats[i].name);
        assert_near(loss.compare.pcc, name, 1e-14);
        snprintf(name, sizeof(name), "%s_frobenius", formats[i].name);
        assert_near(loss.compare.frobenius, name, 1e-7);
        snprintf(name, sizeof(name), "%s_flushed", formats[i].name);
        assert_near((double)loss.flushed, name, 0);
    }
}

static void test_tensor_loss__packed_tiles_hold_those_values(void **state)
{
    static const struct {
        const char *file, *values;
        enum ttp_dtype type;
    } packed[] = {{"bfp8.bin", "bfp8_values.npy", TTP_DTYPE_BFP8_B},
                  {"bfp4.bin", "bfp4_values.npy", TTP_DTYPE_BFP4_B},
                  {"bfp2.bin", "bfp2_values.npy", TTP_DTYPE_BFP2_B},
                  {"weights_bfp8.tensorbin", "bfp8_values.npy", TTP_DTYPE_NONE},
                  {"weights_bfp4.tensorbin", "bfp4_values.npy", TTP_DTYPE_NONE},
                  {"transposed_bfp8.tensorbin", "transposed_bfp8_values.npy", TTP_DTYPE_NONE}};

    for (size_t i = 0; i < TTP_COUNT(packed); i++) {
        const struct ttp_tensor_options o = {
            .dtype = packed[i].type, .ndim = 2, .shape = {64, 96}, .has_shape = packed[i].type};
        const struct ttp_compare r = compare(open_tensor(packed[i].values, NULL, NULL, *state),
                                             open_tensor(packed[i].file, NULL, &o, *state));
        assert_int_equal(r.how, TTP_PCC_EQUAL);
    }
}

static void test_tensor_loss__spread_counts_exponents_of_rows(void **state)
{
    float v[20] = {1, 1.5f, 1e-40f, 0}; /* one row of 16, exponents 0 and 0; one of 4 */
    const uint64_t shape[] = {20};
    struct ttp_exponents s;

    v[16] = 8;
    v[17] = -0.25f;
    assert_int_equal(
        ttp_tensor_spread(&s, make_tensor(TTP_DTYPE_F32, shape, 1, v, *state), 1, NULL), TTP_OK);
    assert_int_equal(s.rows, 2);
    assert_int_equal(s.values, 4);
    assert_int_equal(s.count[0], 1);
    assert_int_equal(s.count[5], 1); /* 2^3 and 2^-2 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_tensor_compare__f32_gives_numpys_numbers),
        TTP_TEST_ARENA(test_tensor_compare__order_of_bytes_and_elements_does_not_matter),
        TTP_TEST_ARENA(test_tensor_compare__f16_products_are_rounded_to_f16),
        TTP_TEST_ARENA(test_tensor_compare__f64_and_whole_numbers),
        TTP_TEST_ARENA(test_tensor_compare__actual_is_rounded_to_goldens_type),
        TTP_TEST_ARENA(test_tensor_compare__torch_views_of_one_storage),
        TTP_TEST_ARENA(test_tensor_compare__doubled_output_passes_pcc_and_fails),
        TTP_TEST_ARENA(test_tensor_compare__nonfinite_values_count_as_zero_and_fail),
        TTP_TEST_ARENA(test_tensor_compare__threads_do_not_change_a_bit),
        TTP_TEST_ARENA(test_tensor_compare__steps_of_comp_pcc_in_all_its_versions),
        TTP_TEST_ARENA(test_tensor_compare__numpy_version_is_corrcoef_in_f64),
        TTP_TEST_ARENA(test_tensor_compare__shapes_must_agree),
        TTP_TEST_ARENA(test_tensor_compare__empty_and_single_values),
        TTP_TEST_ARENA(test_tensor_compare__the_worst_tile_has_a_place),
        TTP_TEST_ARENA(test_tensor_loss__predicts_what_packing_does),
        TTP_TEST_ARENA(test_tensor_loss__packed_tiles_hold_those_values),
        TTP_TEST_ARENA(test_tensor_loss__spread_counts_exponents_of_rows),
    };
    return cmocka_run_group_tests_name("tensor/compare", tests, NULL, NULL);
}
