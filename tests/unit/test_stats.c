/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics against published tables and against counting all cases one by one. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "stats/stats_internal.h"

#define ASSERT_NEAR(got, want, within) assert_true(fabs((got) - (want)) <= (within))

/* A small generator, so that tests are the same everywhere. */
static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static double next_normal(uint64_t *state)
{
    return ttp_stats_normal_quantile(((double)next_random(state) + 0.5) / 2147483648.0);
}

static void draw_whole(double *v, size_t n, uint64_t *state, unsigned below)
{
    for (size_t i = 0; i < n; i++)
        v[i] = (double)(next_random(state) % below);
}

static void test_stats__mean_and_deviation_keep_their_digits(void **state)
{
    const double far[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    const double wide[] = {1, 1e100, 1, -1e100};

    (void)state;
    assert_true(ttp_stats_mean(far, 4) == 1e9 + 10);
    ASSERT_NEAR(ttp_stats_sd(far, 4), sqrt(30), 1e-12);
    assert_true(ttp_stats_mean(wide, 4) == 0.5);
    assert_true(isnan(ttp_stats_sd(far, 1)));
    assert_true(isnan(ttp_stats_mean(far, 0)));
}

/* numpy.percentile([15, 20, 35, 40, 50], q) */
static void test_stats__quantiles_are_numpys(void **state)
{
    static const double v[] = {15, 20, 35, 40, 50};
    static const double want[][2] = {{0, 15},   {0.05, 16}, {0.25, 20}, {0.4, 29},
                                     {0.5, 35}, {0.95, 48}, {1, 50}};

    for (size_t i = 0; i < TTP_COUNT(want); i++)
        ASSERT_NEAR(ttp_stats_quantile(v, 5, want[i][0]), want[i][1], 1e-12);
    ASSERT_NEAR(ttp_stats_mad(v, 5, *state), 15, 0);
}

/* Ranks and coverage as in tables of the sign test (Dixon and Mood 1946). */
static void test_stats__median_interval_is_the_published_pair_of_order_statistics(void **state)
{
    static const struct {
        size_t n, low, high;
        double covers;
    } want[] = {
        {1, 1, 1, 0},
        {2, 1, 2, 0.5},
        {5, 1, 5, 0.9375},
        {6, 1, 6, 0.96875},
        {8, 1, 8, 0.9921875},
        {9, 2, 8, 0.9609375},
        {10, 2, 9, 0.978515625},
        {15, 4, 12, 0.96484375},
        {20, 6, 15, 0.9586105},
        {25, 8, 18, 0.9567147},
    };
    double v[25];

    (void)state;
    for (size_t i = 0; i < 25; i++)
        v[i] = (double)(i + 1);
    for (size_t i = 0; i < TTP_COUNT(want); i++) {
        const struct ttp_interval got = ttp_stats_median_interval(v, want[i].n, 0.95);

        assert_true(got.low == (double)want[i].low && got.high == (double)want[i].high);
        ASSERT_NEAR(got.confidence, want[i].covers, 1e-7);
    }
}

static void test_stats__outliers_are_counted_and_kept(void **state)
{
    static const double v[] = {10, 11, 12, 13, 14, 19, 100};
    const struct ttp_sample s = ttp_stats_sample(v, 7, 0.95, *state);

    assert_int_equal(s.outliers, 1);
    assert_int_equal(s.far_outliers, 1);
    assert_true(s.max == 100 && s.n == 7);
    ASSERT_NEAR(s.fences.high, 16.5 + 1.5 * 5, 1e-12);
    assert_true(isnan(ttp_stats_sample(v, 0, 0.95, *state).median));
    assert_true(isnan(ttp_stats_sample(v, 1, 0.95, *state).sd));
}

/* --- Mann-Whitney --- */

/* Mann and Whitney 1947, table I: P(U <= u). */
static void test_stats__u_has_the_published_distribution(void **state)
{
    static const struct {
        size_t n, m, u;
        double p;
    } want[] = {
        {3, 3, 0, 0.050}, {3, 3, 2, 0.200},  {4, 4, 0, 0.014},  {4, 4, 3, 0.100}, {5, 3, 2, 0.071},
        {6, 4, 5, 0.086}, {7, 7, 11, 0.049}, {8, 8, 15, 0.041}, {8, 5, 9, 0.064}, {7, 3, 4, 0.092},
    };

    for (size_t i = 0; i < TTP_COUNT(want); i++) {
        const size_t top = want[i].n * want[i].m;
        const double *ways = ttp_stats_u_ways(want[i].n, want[i].m, *state);
        double below = 0, all = 0;

        for (size_t u = 0; u <= top; u++) {
            all += ways[u];
            below += u <= want[i].u ? ways[u] : 0;
        }
        ASSERT_NEAR(below / all, want[i].p, 0.0005);
    }
    assert_true(ttp_stats_sum(ttp_stats_u_ways(20, 20, *state), 401) == 137846528820.0);
}

/* Two samples of different values with a given U. */
static void make_u(double *a, size_t na, double *b, size_t nb, size_t u)
{
    for (size_t i = 0; i < na; i++)
        a[i] = 10 * (double)(i + 1);
    for (size_t j = 0; j < nb; j++) {
        const size_t above = u < na ? u : na;

        b[j] = 10 * (double)above + 5 + (double)j / 100;
        u -= above;
    }
}

/* Critical values of U, two-sided 5 % (Siegel 1956, table K; Milton 1964). */
static void test_stats__critical_values_are_the_published_ones(void **state)
{
    static const size_t want[][3] = {{4, 4, 0},   {5, 5, 2},    {6, 6, 5},
                                     {7, 9, 12},  {8, 12, 22},  {10, 10, 23},
                                     {9, 20, 48}, {15, 15, 64}, {20, 20, 127}};
    double a[20], b[20];

    for (size_t i = 0; i < TTP_COUNT(want); i++) {
        const size_t na = want[i][0], nb = want[i][1];

        for (size_t more = 0; more < 2; more++) {
            make_u(a, na, b, nb, want[i][2] + more);
            const struct ttp_rank_test t = ttp_stats_rank_test(a, na, b, nb, *state);

            assert_true(t.exact);
            assert_true(t.u == (double)(want[i][2] + more));
            assert_true(more ? t.p > 0.05 : t.p <= 0.05);
            assert_true(ttp_stats_rank_test(b, nb, a, na, *state).p == t.p);
        }
    }
}

static void test_stats__few_runs_can_never_be_significant(void **state)
{
    const double a[] = {1, 2, 3, 4, 5}, b[] = {11, 12, 13, 14, 15};

    ASSERT_NEAR(ttp_stats_rank_test(a, 3, b, 3, *state).p, 0.1, 1e-12);
    ASSERT_NEAR(ttp_stats_rank_test(a, 4, b, 4, *state).p, 2.0 / 70, 1e-12);
    ASSERT_NEAR(ttp_stats_rank_test(a, 5, b, 5, *state).p, 2.0 / 252, 1e-12);
    ASSERT_NEAR(ttp_stats_least_p(5, 5), 2.0 / 252, 1e-12);
    assert_true(ttp_stats_rank_test(a, 0, b, 5, *state).p == 1);
}

/* All ways to choose na of the values, one by one. */
static double p_by_counting(const double *all, size_t na, size_t nb, double u)
{
    const size_t n = na + nb;
    const double mean = (double)(na * nb) / 2;
    size_t far = 0, ways = 0;

    for (unsigned set = 0; set < 1u << n; set++) {
        double got = 0;

        if ((size_t)__builtin_popcount(set) != na)
            continue;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if ((set >> i & 1) && !(set >> j & 1))
                    got += all[j] > all[i] ? 1 : all[j] == all[i] ? 0.5 : 0;
        ways++;
        far += fabs(got - mean) >= fabs(u - mean);
    }
    return (double)far / (double)ways;
}

static void test_stats__p_with_ties_is_the_share_of_all_ways(void **state)
{
    uint64_t random = 7;
    double all[12];

    for (size_t round = 0; round < 40; round++) {
        const size_t na = 1 + next_random(&random) % 5, nb = 1 + next_random(&random) % 6;

        draw_whole(all, na + nb, &random, 2 + (unsigned)round % 9);
        const struct ttp_rank_test t = ttp_stats_rank_test(all, na, all + na, nb, *state);
        ASSERT_NEAR(t.p, p_by_counting(all, na, nb, t.u), 1e-12);
    }
}

/* Either side of the limit the two methods must meet. */
static void test_stats__the_approximation_continues_the_exact_test(void **state)
{
    uint64_t random = 11;
    double a[60], b[60];

    for (size_t round = 0; round < 10; round++) {
        draw_whole(a, 60, &random, round < 5 ? 12 : 1000000);
        draw_whole(b, 60, &random, round < 5 ? 14 : 1100000);
        const struct ttp_rank_test exact = ttp_stats_rank_test(a, 50, b, 50, *state);
        assert_true(exact.exact);

        double *all = TTP_NEW(*state, double, 100);
        memcpy(all, a, 50 * sizeof(*a));
        memcpy(all + 50, b, 50 * sizeof(*b));
        const double ties = ttp_stats_tie_sum(ttp_stats_sorted(all, 100, *state), 100);
        const double sd = sqrt(2500.0 / 12 * (101 - ties / (100.0 * 99)));
        ASSERT_NEAR(ttp_stats_normal_p(fabs(exact.u - 1250), 0.5, sd), exact.p, 0.004);
        assert_false(ttp_stats_rank_test(a, 51, b, 51, *state).exact);
    }
    draw_whole(a, 60, &random, 1);
    assert_true(ttp_stats_rank_test(a, 60, a, 60, *state).p == 1);
}

/* --- Hodges-Lehmann --- */

/* Hollander and Wolfe 1973, example 4.1: permeability at term against at 12 to 26 weeks. */
static void test_stats__shift_of_a_published_example(void **state)
{
    static const double term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    static const double early[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    const struct ttp_rank_test t = ttp_stats_rank_test(early, 5, term, 10, *state);
    const struct ttp_shift s = ttp_stats_shift(early, 5, term, 10, 0.95, *state);

    assert_true(t.u == 35);
    ASSERT_NEAR(t.p, 2 * 0.1272, 1e-4);
    ASSERT_NEAR(s.estimate, 0.305, 1e-9);
    ASSERT_NEAR(s.interval.low, -0.15, 1e-9);
    ASSERT_NEAR(s.interval.high, 0.76, 1e-9);
    ASSERT_NEAR(s.interval.confidence, 0.96, 0.001);
}

static void test_stats__shift_is_the_median_of_all_differences(void **state)
{
    uint64_t random = 3;
    double a[12], b[12], *d = TTP_NEW(*state, double, 144);

    for (size_t round = 0; round < 60; round++) {
        const size_t na = 1 + next_random(&random) % 12, nb = 1 + next_random(&random) % 12;
        size_t n = 0;

        draw_whole(a, na, &random, round % 2 ? 9 : 1000);
        draw_whole(b, nb, &random, round % 2 ? 9 : 900);
        for (size_t i = 0; i < na; i++)
            for (size_t j = 0; j < nb; j++)
                d[n++] = b[j] - a[i];
        const double *sorted = ttp_stats_sorted(d, n, *state);
        const double *x = ttp_stats_sorted(a, na, *state), *y = ttp_stats_sorted(b, nb, *state);
        for (size_t k = 1; k <= n; k++)
            assert_true(ttp_stats_kth_difference(x, na, y, nb, k) == sorted[k - 1]);
        ASSERT_NEAR(ttp_stats_shift(a, na, b, nb, 0.95, *state).estimate,
                    ttp_stats_quantile(sorted, n, 0.5), 1e-9);
    }
}

/* The interval leaves 0 out exactly if the test is significant, if there are no ties. */
static void test_stats__interval_and_test_agree(void **state)
{
    uint64_t random = 5;
    size_t significant = 0;
    double a[9], b[9];

    for (size_t round = 0; round < 200; round++) {
        for (size_t i = 0; i < 9; i++) {
            a[i] = next_normal(&random);
            b[i] = next_normal(&random) + (double)(round % 4) * 0.6;
        }
        const struct ttp_shift s = ttp_stats_shift(a, 9, b, 9, 0.95, *state);
        const bool out = s.interval.low > 0 || s.interval.high < 0;

        assert_true(out == (ttp_stats_rank_test(a, 9, b, 9, *state).p <= 0.05));
        significant += out;
    }
    assert_in_range(significant, 30, 120);
}

static void test_stats__ratios_are_shifts_of_logarithms(void **state)
{
    static const double a[] = {100, 101, 102, 99, 98}, b[] = {50, 50.5, 51, 49.5, 49};
    const double none[] = {0};
    struct ttp_shift r;

    assert_true(ttp_stats_ratio(&r, a, 5, b, 5, 0.95, *state));
    ASSERT_NEAR(r.estimate, 0.5, 1e-12);
    assert_true(r.interval.low < 0.5 && r.interval.high > 0.5 && r.interval.low > 0.48);
    assert_false(ttp_stats_ratio(&r, a, 5, none, 1, 0.95, *state));
}

/* --- verdicts --- */

static void test_stats__verdicts(void **state)
{
    static const struct {
        double a[8], b[8];
        size_t n;
        double effect;
        enum ttp_verdict want;
    } cases[] = {
        {{100, 101, 99, 102, 98}, {90, 91, 89, 92, 88}, 5, 0.01, TTP_VERDICT_LESS},
        {{90, 91, 89, 92, 88}, {100, 101, 99, 102, 98}, 5, 0.01, TTP_VERDICT_MORE},
        {{100, 101, 99}, {50, 51, 49}, 3, 0.01, TTP_VERDICT_UNDECIDED}, /* too few to tell */
        {{100, 100.1, 99.9, 100.2, 99.8},
         {100.05, 100.15, 99.95, 100.1, 99.9},
         5,
         0.01,
         TTP_VERDICT_SAME},
        {{7, 7, 7, 7, 7}, {7, 7, 7, 7, 7}, 5, 0, TTP_VERDICT_SAME},
        {{100, 110, 90, 120, 80}, {101, 111, 91, 121, 81}, 5, 0.01, TTP_VERDICT_UNDECIDED},
        /* a change that is certain but too small to matter */
        {{100, 100.01, 99.99, 100.02, 99.98},
         {100.3, 100.31, 100.29, 100.32, 100.28},
         5,
         0.01,
         TTP_VERDICT_SAME},
        {{-1, 0, 1, 0.5, -0.5}, {9, 10, 11, 10.5, 9.5}, 5, 0.01, TTP_VERDICT_UNDECIDED},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct ttp_versus_options o = {.min_effect = cases[i].effect};
        const struct ttp_versus v =
            ttp_stats_versus(cases[i].a, cases[i].n, cases[i].b, cases[i].n, &o, *state);

        assert_int_equal(v.verdict, cases[i].want);
        assert_int_equal(v.more_runs > 0, v.verdict == TTP_VERDICT_UNDECIDED);
    }
}

/* --- drift --- */

/* All orders of the values, one by one (Heap's method). */
static double drift_by_counting(double *v, size_t n, double s)
{
    size_t far = 0, ways = 0, c[8] = {0}, i = 0;

    for (;;) {
        double got = 0;

        for (size_t a = 0; a < n; a++)
            for (size_t b = a + 1; b < n; b++)
                got += (double)((v[b] > v[a]) - (v[b] < v[a]));
        ways++;
        far += fabs(got) >= fabs(s);
        for (i = 0; i < n && c[i] >= i; i++)
            c[i] = 0;
        if (i == n)
            return (double)far / (double)ways;
        const size_t from = i % 2 ? c[i] : 0;
        const double swap = v[from];
        v[from] = v[i];
        v[i] = swap;
        c[i]++;
    }
}

static void test_stats__drift_is_the_share_of_all_orders(void **state)
{
    uint64_t random = 9;
    double v[7];

    for (size_t round = 0; round < 20; round++) {
        const size_t n = 3 + next_random(&random) % 5;

        draw_whole(v, n, &random, 2 + (unsigned)round % 7);
        const struct ttp_drift d = ttp_stats_drift(v, n, *state);
        ASSERT_NEAR(d.p, drift_by_counting(v, n, d.s), 1e-12);
    }
}

/* Kendall 1970, appendix table 1: P(S >= s), one-sided. */
static void test_stats__drift_has_the_published_distribution(void **state)
{
    static const double rising[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const double s21[] = {4, 3, 2, 1, 5, 6, 7, 10, 9, 8}; /* 9 of 45 pairs fall: 27 */
    const struct ttp_drift up = ttp_stats_drift(rising, 4, *state);
    const struct ttp_drift all = ttp_stats_drift(rising, 10, *state);
    const struct ttp_drift some = ttp_stats_drift(s21, 10, *state);

    ASSERT_NEAR(up.p, 2 * 0.042, 0.001);
    assert_true(all.s == 45 && all.slope == 1);
    assert_true(some.s == 27);
    ASSERT_NEAR(some.p, 2 * 0.0083, 0.0003);
    assert_true(ttp_stats_drift(rising, 2, *state).p == 1);
}

static void test_stats__drift_of_a_long_series(void **state)
{
    uint64_t random = 21;
    double *v = TTP_NEW(*state, double, 3000);

    for (size_t i = 0; i < 3000; i++)
        v[i] = next_normal(&random);
    assert_true(ttp_stats_drift(v, 300, *state).p > 0.05);
    for (size_t i = 0; i < 3000; i++)
        v[i] += 0.001 * (double)i;
    const struct ttp_drift d = ttp_stats_drift(v, 3000, *state);
    assert_true(d.p < 1e-6 && !d.exact);
    ASSERT_NEAR(d.slope, 0.001, 0.0002);
}

/* --- planning, many tests --- */

static void test_stats__normal_quantiles_are_the_published_ones(void **state)
{
    (void)state;
    ASSERT_NEAR(ttp_stats_normal_quantile(0.975), 1.959963984540054, 1e-14);
    ASSERT_NEAR(ttp_stats_normal_quantile(0.995), 2.5758293035489004, 1e-14);
    ASSERT_NEAR(ttp_stats_normal_quantile(1e-10), -6.361340902404056, 1e-13);
    ASSERT_NEAR(ttp_stats_normal_quantile(0.5), 0, 0);
    ASSERT_NEAR(ttp_stats_normal_cdf(1.96), 0.9750021048517795, 1e-15);
    assert_true(ttp_stats_normal_quantile(0) == -INFINITY);
    for (int i = 1; i < 1000; i++) {
        const double p = i < 300 ? pow(10, -i) : (i - 299) / 702.0;
        ASSERT_NEAR(ttp_stats_normal_cdf(ttp_stats_normal_quantile(p)) / p, 1, 1e-10);
    }
}

static void test_stats__runs_to_tell_gives_the_power_it_promises(void **state)
{
    const size_t n = ttp_stats_runs_to_tell(0.8, 1, 0.95, 0.8);
    uint64_t random = 17;
    size_t found = 0;
    double a[60], b[60];

    assert_in_range(n, 26, 30); /* a t test takes 26 */
    for (size_t round = 0; round < 400; round++) {
        for (size_t i = 0; i < n; i++) {
            a[i] = next_normal(&random);
            b[i] = next_normal(&random) + 0.8;
        }
        found += ttp_stats_rank_test(a, n, b, n, *state).p <= 0.05;
    }
    assert_in_range(found, 296, 352); /* 74 % to 88 % */
    assert_int_equal(ttp_stats_runs_to_tell(1, 0, 0.95, 0.8), 6);
    assert_int_equal(ttp_stats_runs_to_tell(0.01, 1e9, 0.95, 0.8), 1000000000);
    assert_int_equal(ttp_stats_runs_for_median(1, 0, 0.95), 6);
    assert_in_range(ttp_stats_runs_for_median(0.1, 1, 0.95), 600, 610);
}

/* R: p.adjust(p, "BH") */
static void test_stats__adjusted_p_values_are_rs(void **state)
{
    static const double p[] = {0.04, 0.01, 0.03, 0.005, 0.9};
    static const double bh[] = {0.05, 0.025, 0.05, 0.025, 0.9};
    double got[5];

    memcpy(got, p, sizeof(p));
    ttp_stats_benjamini_hochberg(got, 5, *state);
    for (size_t i = 0; i < 5; i++)
        ASSERT_NEAR(got[i], bh[i], 1e-12);
    ttp_stats_benjamini_hochberg(got, 0, *state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_stats__mean_and_deviation_keep_their_digits),
        TTP_TEST_ARENA(test_stats__quantiles_are_numpys),
        TTP_TEST_ARENA(test_stats__median_interval_is_the_published_pair_of_order_statistics),
        TTP_TEST_ARENA(test_stats__outliers_are_counted_and_kept),
        TTP_TEST_ARENA(test_stats__u_has_the_published_distribution),
        TTP_TEST_ARENA(test_stats__critical_values_are_the_published_ones),
        TTP_TEST_ARENA(test_stats__few_runs_can_never_be_significant),
        TTP_TEST_ARENA(test_stats__p_with_ties_is_the_share_of_all_ways),
        TTP_TEST_ARENA(test_stats__the_approximation_continues_the_exact_test),
        TTP_TEST_ARENA(test_stats__shift_of_a_published_example),
        TTP_TEST_ARENA(test_stats__shift_is_the_median_of_all_differences),
        TTP_TEST_ARENA(test_stats__interval_and_test_agree),
        TTP_TEST_ARENA(test_stats__ratios_are_shifts_of_logarithms),
        TTP_TEST_ARENA(test_stats__verdicts),
        TTP_TEST_ARENA(test_stats__drift_is_the_share_of_all_orders),
        TTP_TEST_ARENA(test_stats__drift_has_the_published_distribution),
        TTP_TEST_ARENA(test_stats__drift_of_a_long_series),
        TTP_TEST_ARENA(test_stats__normal_quantiles_are_the_published_ones),
        TTP_TEST_ARENA(test_stats__runs_to_tell_gives_the_power_it_promises),
        TTP_TEST_ARENA(test_stats__adjusted_p_values_are_rs),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
