/* SPDX-License-Identifier: Apache-2.0 */
/* Change points against sums over all pairs and, for the permutation test, against all orders there
 * are. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "stats/stats.h"

static const struct ttp_change_options usual = {5, 499, 0.01, 1};

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Sum of twelve uniform values: close enough to normal. */
static double noise(uint64_t *state)
{
    double s = -6;

    for (int i = 0; i < 12; i++)
        s += uniform(state);
    return s;
}

/* By its definition, pair by pair. */
static double plain_divergence(const double *v, size_t n, size_t at)
{
    double cross = 0, left = 0, right = 0;
    const double t = (double)at, m = (double)(n - at);

    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            const double d = fabs(v[i] - v[k]);
            if (k < at)
                left += d;
            else if (i >= at)
                right += d;
            else
                cross += d;
        }
    return t * m / (t + m) *
           (2 * cross / (t * m) - left / (t * (t - 1) / 2) - right / (m * (m - 1) / 2));
}

/* Of all cuts, and of the rest or the first min, 2 min, 4 min, ... values after them. */
static double plain_best(const double *v, size_t n, size_t min, size_t *at)
{
    double best = -INFINITY;

    for (size_t t = min; t + min <= n; t++)
        for (size_t length = min;; length *= 2) {
            const size_t end = t + length < n && length + min < n ? t + length : n;
            const double q = plain_divergence(v, end, t);

            if (q > best) {
                best = q;
                *at = t;
            }
            if (end == n)
                break;
        }
    return best;
}

static void test_change_points__the_cut_is_the_one_of_all_pairs(void **state)
{
    uint64_t seed = 7;

    for (int round = 0; round < 200; round++) {
        const size_t n = 10 + (size_t)(uniform(&seed) * 40);
        double v[64];
        struct ttp_change_point *point;
        size_t at = 0;

        for (size_t i = 0; i < n; i++)
            v[i] = 1e6 + floor(noise(&seed) * 8) / 4 + (i >= n / 2 ? 5 : 0); /* with ties */
        const double q = plain_best(v, n, 5, &at);
        const struct ttp_change_options o = {5, 99, 0.2, (uint64_t)round};
        const size_t count = ttp_stats_change_points(&point, v, n, &o, *state);
        assert_true(count >= 1);
        bool found = false;
        for (size_t i = 0; i < count; i++)
            found = found || fabs(point[i].q - q) < 1e-6 * q;
        assert_true(found);
    }
}

/* Every order of n values, by Heap's method; how many can be cut as well. */
static double exact_p(const double *v, size_t n, size_t min)
{
    double w[8];
    size_t c[8] = {0}, at, hits = 1, all = 1;

    for (size_t i = 0; i < n; i++)
        w[i] = v[i];
    const double q = plain_best(v, n, min, &at) - 1e-9;
    for (size_t i = 0; i < n;) {
        if (c[i] >= i) {
            c[i++] = 0;
            continue;
        }
        const size_t k = i % 2 ? c[i] : 0;
        const double t = w[k];
        w[k] = w[i];
        w[i] = t;
        hits += plain_best(w, n, min, &at) >= q;
        all++;
        c[i]++;
        i = 0;
    }
    return (double)hits / (double)all;
}

static void test_change_points__p_is_the_share_of_all_orders(void **state)
{
    static const double lines[][8] = {
        {1, 2, 3, 4, 15, 16, 17, 18},
        {1, 4, 2, 6, 5, 9, 8, 7},
        {1, 1, 1, 2, 2, 2, 1, 2},
        {3, 1, 4, 1, 5, 9, 2, 6},
    };

    for (size_t i = 0; i < TTP_COUNT(lines); i++) {
        const struct ttp_change_options o = {2, 4999, 1, 11};
        struct ttp_change_point *point;
        const double want = exact_p(lines[i], 8, 2);
        const double sd = sqrt(want * (1 - want) / 5000);
        size_t at = 0;
        double got = -1;

        (void)plain_best(lines[i], 8, 2, &at);
        const size_t count = ttp_stats_change_points(&point, lines[i], 8, &o, *state);
        for (size_t k = 0; k < count; k++)
            if (point[k].at == at)
                got = point[k].p;
        if (fabs(got - want) > 4 * sd + 0.001)
            fail_msg("line %zu: p %.4f, of all orders %.4f", i, got, want);
    }
}

static void test_change_points__finds_several_levels_in_noise(void **state)
{
    static const struct {
        size_t until;
        double level;
    } levels[] = {{30, 100}, {55, 110}, {80, 103}, {120, 120}};
    struct ttp_change_point *point;
    uint64_t seed = 3;
    double v[120];

    for (size_t i = 0, l = 0; i < TTP_COUNT(v); i++) {
        l += i >= levels[l].until;
        v[i] = levels[l].level + noise(&seed);
    }
    const size_t count = ttp_stats_change_points(&point, v, TTP_COUNT(v), &usual, *state);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++)
        assert_true(point[i].at + 1 >= levels[i].until && point[i].at <= levels[i].until + 1);
}

static void test_change_points__a_level_that_comes_and_goes_is_seen(void **state)
{
    struct ttp_change_point *point;
    uint64_t seed = 23;
    double v[45];

    for (size_t i = 0; i < TTP_COUNT(v); i++)
        v[i] = (i < 15 || i >= 30 ? 100 : 110) + noise(&seed);
    assert_int_equal(ttp_stats_change_points(&point, v, TTP_COUNT(v), &usual, *state), 2);
    assert_int_equal(point[0].at, 15);
    assert_int_equal(point[1].at, 30);
}

static void test_change_points__noise_alone_is_rarely_a_change(void **state)
{
    uint64_t seed = 5;
    size_t found = 0;

    for (size_t round = 0; round < 200; round++) {
        struct ttp_change_point *point;
        double v[40];

        for (size_t i = 0; i < TTP_COUNT(v); i++)
            v[i] = 50 + noise(&seed) + (i == 20 ? 40 : 0); /* one outlier is not a level */
        const struct ttp_change_options o = {5, 199, 0.01, round};
        found += ttp_stats_change_points(&point, v, TTP_COUNT(v), &o, *state) > 0;
    }
    assert_true(found <= 7); /* 2 expected */
}

static void test_change_points__short_and_constant_lines_have_none(void **state)
{
    struct ttp_change_point *point;
    double v[40] = {0};

    assert_int_equal(ttp_stats_change_points(&point, v, 0, &usual, *state), 0);
    assert_int_equal(ttp_stats_change_points(&point, v, 1, &usual, *state), 0);
    assert_int_equal(ttp_stats_change_points(&point, v, 40, &usual, *state), 0);
    for (size_t i = 5; i < 9; i++)
        v[i] = 100;
    assert_int_equal(ttp_stats_change_points(&point, v, 9, &usual, *state), 0);
}

static void test_change_points__same_seed_same_answer(void **state)
{
    struct ttp_change_point *a, *b;
    uint64_t seed = 9;
    double v[200];

    for (size_t i = 0; i < TTP_COUNT(v); i++)
        v[i] = noise(&seed) + (i > 90 ? 0.9 : 0) + (i > 150 ? 2 : 0);
    const size_t n = ttp_stats_change_points(&a, v, TTP_COUNT(v), &usual, *state);
    assert_true(n > 0);
    assert_int_equal(ttp_stats_change_points(&b, v, TTP_COUNT(v), &usual, *state), n);
    assert_memory_equal(a, b, n * sizeof(*a));
}

#define LONG_LINE         60000
#define LONG_LINE_SECONDS 30 /* of a build with sanitizers */

/* The work for a long line grows with its length: these took minutes. */
static void test_change_points__long_lines_take_seconds(void **state)
{
    double *v = TTP_NEW(*state, double, LONG_LINE);
    struct ttp_change_point *p;
    uint64_t seed = 5;

    const clock_t start = clock();
    for (size_t i = 0; i < LONG_LINE; i++)
        v[i] = noise(&seed);
    assert_true(ttp_stats_change_points(&p, v, LONG_LINE, &usual, *state) < 10);
    for (size_t i = 0; i < LONG_LINE; i++)
        v[i] = noise(&seed) + (i >= 20011 ? 3 : 0) + (i >= 50003 ? -5 : 0);
    const size_t n = ttp_stats_change_points(&p, v, LONG_LINE, &usual, *state);
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += (p[i].at > 20005 && p[i].at < 20017) || (p[i].at > 49997 && p[i].at < 50009);
    assert_int_equal(found, 2);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < LONG_LINE_SECONDS);
}

/* A level that lasts for a few values only is seen in a long line too. */
static void test_change_points__long_lines_have_short_levels(void **state)
{
    double *v = TTP_NEW(*state, double, LONG_LINE / 10);
    struct ttp_change_point *p;
    uint64_t seed = 6;

    for (size_t i = 0; i < LONG_LINE / 10; i++)
        v[i] = noise(&seed) + (i >= 3300 && i < 3340 ? 8 : 0);
    const size_t n = ttp_stats_change_points(&p, v, LONG_LINE / 10, &usual, *state);
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += (p[i].at >= 3298 && p[i].at <= 3302) || (p[i].at >= 3338 && p[i].at <= 3342);
    assert_int_equal(found, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_change_points__the_cut_is_the_one_of_all_pairs),
        TTP_TEST_ARENA(test_change_points__p_is_the_share_of_all_orders),
        TTP_TEST_ARENA(test_change_points__finds_several_levels_in_noise),
        TTP_TEST_ARENA(test_change_points__a_level_that_comes_and_goes_is_seen),
        TTP_TEST_ARENA(test_change_points__noise_alone_is_rarely_a_change),
        TTP_TEST_ARENA(test_change_points__short_and_constant_lines_have_none),
        TTP_TEST_ARENA(test_change_points__same_seed_same_answer),
        TTP_TEST_ARENA(test_change_points__long_lines_take_seconds),
        TTP_TEST_ARENA(test_change_points__long_lines_have_short_levels),
    };
    return cmocka_run_group_tests_name("stats/change_points", tests, NULL, NULL);
}
