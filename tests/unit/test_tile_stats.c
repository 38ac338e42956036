/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels are one another's check: same bits from each, and from the plain loop where order
 * allows. */
#include <math.h>

#include "tensor/tile_stats.h"
#include "test.h"

static uint64_t seed = 88172645463325252;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static float random_float(void)
{
    const uint32_t exponent = 90 + (uint32_t)(next() % 70);
    const uint32_t bits = (uint32_t)(next() & 0x807fffff) | exponent << 23;
    float v;

    memcpy(&v, &bits, sizeof(v));
    return next() % 16 ? v : 0;
}

static void fill(float *g, float *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        g[i] = random_float();
        c[i] = next() % 8 ? g[i] * (1 + (float)(next() % 1000) * 1e-6f) : random_float();
    }
}

static struct ttp_tile_rule rule_of(enum ttp_dtype golden, enum ttp_dtype actual)
{
    struct ttp_tile_rule rule = {.rtol = 1e-5, .atol = 1e-8};

    ttp_tensor_tile_rule_ulp(&rule, golden, actual);
    return rule;
}

static void test_tile_stats__fast_and_slow_agree(void **state)
{
    float g[32 * 40], c[32 * 40];
    double wide_g[32 * 40], wide_c[32 * 40];

    (void)state;
    for (int round = 0; round < 200; round++) {
        const struct ttp_tile tile = {1 + next() % 32, 1 + next() % 32, 40};
        const struct ttp_tile_rule rule = rule_of(TTP_DTYPE_F32, round % 3 == 0   ? TTP_DTYPE_F32
                                                                 : round % 3 == 1 ? TTP_DTYPE_BF16
                                                                                  : TTP_DTYPE_F16);
        struct ttp_tile_stats fast, slow;

        fill(g, c, TTP_COUNT(g));
        for (size_t i = 0; i < TTP_COUNT(g); i++) {
            wide_g[i] = g[i];
            wide_c[i] = c[i];
        }
        assert_true(ttp_tensor_tile_stats_f32(&fast, g, c, &tile, &rule));
        ttp_tensor_tile_stats_f64(&slow, wide_g, wide_c, &tile, &rule);
        assert_true(fast.sum_g == slow.sum_g && fast.sum_c == slow.sum_c);
        /* four squares of a row are added up in f32 */
        assert_true(fabs(fast.sum_d2 - slow.sum_d2) <= 0x1p-22 * slow.sum_d2);
        assert_true(fabs(fast.sum_g2 - slow.sum_g2) <= 0x1p-22 * slow.sum_g2);
        assert_true(fast.max_d == slow.max_d && fast.max_rel == slow.max_rel);
        assert_true(fast.max_ulp == slow.max_ulp);
        assert_true(fast.max_g == slow.max_g && fast.max_c == slow.max_c);
        assert_true(fast.outside == slow.outside && fast.equal == slow.equal);
    }
}

static void test_tile_stats__kernels_give_the_same_bits(void **state)
{
    (void)state;
#if defined(__x86_64__)
    float g[32 * 32], c[32 * 32];
    const float mean[2] = {0.25f, -0.5f};
    const struct ttp_tile_kernel *a = &ttp_tile_kernel_scalar, *b = &ttp_tile_kernel_avx2;

    if (!__builtin_cpu_supports("avx2"))
        skip();
    for (int round = 0; round < 200; round++) {
        const struct ttp_tile tile = {1 + next() % 32, 1 + next() % 32, 32};
        const struct ttp_tile_rule rule = rule_of(TTP_DTYPE_F32, TTP_DTYPE_BF16);
        const struct ttp_tile_rule half_rule = rule_of(TTP_DTYPE_BF16, TTP_DTYPE_BF16);
        struct ttp_tile_stats sa, sb;
        struct ttp_products pa, pb;

        fill(g, c, TTP_COUNT(g));
        assert_true(a->stats(&sa, g, c, &tile, &rule));
        assert_true(b->stats(&sb, g, c, &tile, &rule));
        assert_memory_equal(&sa, &sb, sizeof(sa));
        a->products(&pa, g, c, &tile, mean);
        b->products(&pb, g, c, &tile, mean);
        assert_memory_equal(&pa, &pb, sizeof(pa));
        /* bf16 where it is stored, at any address, and widened first: the same */
        char half_g[2 * 32 * 32 + 1], half_c[2 * 32 * 32 + 1];
        struct ttp_products pc;
        for (size_t i = 0; i < TTP_COUNT(g); i++) {
            memcpy(half_g + 1 + 2 * i, (const char *)&g[i] + 2, 2);
            memcpy(half_c + 1 + 2 * i, (const char *)&c[i] + 2, 2);
        }
        a->widen(g, half_g + 1, TTP_COUNT(g));
        a->widen(c, half_c + 1, TTP_COUNT(c));
        assert_true(a->stats(&sa, g, c, &tile, &half_rule));
        assert_true(a->stats_bf16(&sb, half_g + 1, half_c + 1, &tile, &half_rule));
        assert_memory_equal(&sa, &sb, sizeof(sa));
        assert_true(b->stats_bf16(&sb, half_g + 1, half_c + 1, &tile, &half_rule));
        assert_memory_equal(&sa, &sb, sizeof(sa));
        a->products(&pa, g, c, &tile, mean);
        a->products_bf16(&pb, half_g + 1, half_c + 1, &tile, mean);
        b->products_bf16(&pc, half_g + 1, half_c + 1, &tile, mean);
        assert_memory_equal(&pa, &pb, sizeof(pa));
        assert_memory_equal(&pa, &pc, sizeof(pa));
        float wa[64], wb[64];
        a->widen(wa, (const char *)g + 1, 61);
        b->widen(wb, (const char *)g + 1, 61);
        assert_memory_equal(wa, wb, 61 * sizeof(float));
    }
#endif
}

static void test_tile_stats__fast_refuses_what_is_not_finite(void **state)
{
    const struct ttp_tile tile = {1, 4, 4};
    const struct ttp_tile_rule rule = rule_of(TTP_DTYPE_F32, TTP_DTYPE_F32);
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    struct ttp_tile_stats s;

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(odd); i++) {
        const float plain[4] = {1, 2, 3, 4};
        float g[4] = {1, 2, 3, 4};

        g[2] = odd[i];
        assert_false(ttp_tensor_tile_stats_f32(&s, g, plain, &tile, &rule));
        assert_false(ttp_tensor_tile_stats_f32(&s, plain, g, &tile, &rule));
        assert_false(ttp_tensor_tile_stats_f32(&s, g, g, &tile, &rule));
    }
}

/* Squares in f32 would be 0 or infinite: these are for the slow way. */
static void test_tile_stats__fast_refuses_what_has_no_square_in_f32(void **state)
{
    const struct ttp_tile tile = {1, 4, 4};
    const struct ttp_tile_rule rule = rule_of(TTP_DTYPE_F32, TTP_DTYPE_F32);
    static const float scale[] = {1e-30f, 1e-20f, 1, 1e10f, 1e25f};
    static const bool fits[] = {false, false, true, true, false};
    struct ttp_tile_stats s;

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(scale); i++) {
        const float k = scale[i], g[4] = {k, 2 * k, 3 * k, 4 * k}, c[4] = {k, k, k, k};
        const float zero[4] = {0};

        assert_int_equal(ttp_tensor_tile_stats_f32(&s, g, c, &tile, &rule), fits[i]);
        assert_int_equal(ttp_tensor_tile_stats_f32(&s, g, g, &tile, &rule), fits[i]);
        assert_int_equal(ttp_tensor_tile_stats_f32(&s, zero, g, &tile, &rule), fits[i]);
    }
    const float g[4] = {1e4f, 1, 0, -1e4f}, c[4] = {1e4f, 1, 1e-18f, -1e4f}; /* a tiny difference */
    assert_false(ttp_tensor_tile_stats_f32(&s, g, c, &tile, &rule));
}

static void test_tile_stats__steps_of_types_by_hand(void **state)
{
    static const struct {
        enum ttp_dtype type;
        double golden, actual, steps;
    } cases[] = {
        {TTP_DTYPE_BF16, 1, 1.0078125, 1},
        {TTP_DTYPE_BF16, 1, 0.99609375, 0.5}, /* the step below a power of two is half as wide */
        {TTP_DTYPE_BF16, 0, 0x1p-133, 1},
        {TTP_DTYPE_BF16, 1.998, 2.998, 64}, /* rounds to 2 in bf16, where the step is 1/64 */
        {TTP_DTYPE_F32, 1, 1 + 0x1p-23, 1},
        {TTP_DTYPE_F16, 0x1p-14, 0x1p-14 + 0x1p-24, 1},
        {TTP_DTYPE_F16, 65504, 65472, 1}, /* the largest */
        {TTP_DTYPE_F8_E4M3, 448, 416, 1},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct ttp_tile_rule rule = rule_of(TTP_DTYPE_F32, cases[i].type);
        const double got = ttp_tensor_pair_ulp(cases[i].golden, cases[i].actual, &rule);

        if (fabs(got - cases[i].steps) > 1e-5 * cases[i].steps)
            fail_msg("case %zu: %g", i, got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tile_stats__fast_and_slow_agree),
        cmocka_unit_test(test_tile_stats__kernels_give_the_same_bits),
        cmocka_unit_test(test_tile_stats__fast_refuses_what_is_not_finite),
        cmocka_unit_test(test_tile_stats__fast_refuses_what_has_no_square_in_f32),
        cmocka_unit_test(test_tile_stats__steps_of_types_by_hand),
    };
    return cmocka_run_group_tests_name("tensor/tile_stats", tests, NULL, NULL);
}
