/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "analysis/phases.h"

/* A reproducible stream of numbers. */
static uint32_t next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static size_t below(uint64_t *state, size_t limit)
{
    return next_number(state) % limit;
}

struct text {
    uint32_t key[8192];
    size_t count;
};

static void put(struct text *t, uint32_t key)
{
    assert_true(t->count < TTP_COUNT(t->key));
    t->key[t->count++] = key;
}

static void test_repetition__the_smallest_exact_period(void **state)
{
    static const struct {
        const char *ops;
        size_t period;
    } cases[] = {
        {"a", 1},      {"aaaa", 1},   {"abab", 2},        {"ababa", 5},    {"abcabc", 3},
        {"abcabd", 6}, {"aabaab", 3}, {"abaabaabaa", 10}, {"abababab", 2}, {"aaab", 4},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct text t = {0};
        for (const char *c = cases[i].ops; *c; c++)
            put(&t, (uint32_t)*c);
        assert_int_equal(ttp_analysis_exact_period(t.key, t.count, *state), cases[i].period);
    }
    assert_int_equal(ttp_analysis_exact_period(NULL, 0, *state), 0);
}

static void test_repetition__too_little_is_chance(void **state)
{
    static const char *const cases[] = {"", "a", "aaaa", "abcabc", "abcdefghij", "abcdabcd"};

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_repetition r;
        struct text t = {0};
        for (const char *c = cases[i]; *c; c++)
            put(&t, (uint32_t)*c);
        assert_false(ttp_analysis_find_repetition(&r, t.key, t.count, *state));
    }
}

/* Ops of one iteration: some of its own, and a layer that repeats inside. */
static size_t make_iteration(uint32_t *key, uint64_t *seed)
{
    const size_t head = 3 + below(seed, 12), layer = 4 + below(seed, 20), layers = below(seed, 6);
    size_t n = 0;

    for (size_t i = 0; i < head; i++)
        key[n++] = 100 + (uint32_t)below(seed, 1000);
    for (size_t i = 0; i < layer && layers; i++)
        key[n++] = 2000 + (uint32_t)below(seed, 40);
    for (size_t l = 1; l < layers; l++)
        for (size_t i = 0; i < layer; i++)
            key[n++] = key[head + i];
    return n;
}

/* Any iteration that runs several times after something else is found, to the op. */
static void test_repetition__any_iteration_behind_any_warm_up_is_found(void **state)
{
    uint64_t seed = 7;

    for (size_t round = 0; round < 2000; round++) {
        uint32_t iteration[512];
        struct text t = {0};
        struct ttp_repetition r;
        const size_t ops = make_iteration(iteration, &seed);
        const size_t repeats = 2 + below(&seed, 6) + 12 / ops, before = below(&seed, 2 * ops);
        const size_t smallest = ttp_analysis_exact_period(iteration, ops, *state);

        for (size_t i = 0; i < before; i++)
            put(&t, 5000 + (uint32_t)i);
        for (size_t k = 0; k < repeats; k++)
            for (size_t i = 0; i < ops; i++)
                put(&t, iteration[i]);
        assert_true(ttp_analysis_find_repetition(&r, t.key, t.count, *state));
        assert_int_equal(r.period, smallest);
        assert_int_equal(r.start[0], before);
        assert_int_equal(r.end, t.count);
        assert_int_equal(r.parts, repeats * ops / smallest);
        ttp_arena_reset(*state);
    }
}

/* A few ops that differ, or that are there once more or once less, do not hide it. */
static void test_repetition__a_few_ops_may_differ(void **state)
{
    uint64_t seed = 99;

    for (size_t round = 0; round < 1000; round++) {
        const size_t ops = 40 + below(&seed, 80), repeats = 5 + below(&seed, 4);
        const size_t odd = 2 + below(&seed, repeats - 2), at = below(&seed, ops);
        const unsigned how = (unsigned)below(&seed, 3);
        struct text t = {0};
        struct ttp_repetition r;

        for (size_t i = 0; i < 17; i++)
            put(&t, 5000 + (uint32_t)i);
        for (size_t k = 0; k < repeats; k++)
            for (size_t i = 0; i < ops; i++) {
                const bool here = k == odd && i == at;
                if (here && how != 2) /* another one, or one more */
                    put(&t, 9000);
                if (!here || how == 1)
                    put(&t, 1 + (uint32_t)i);
            }
        assert_true(ttp_analysis_find_repetition(&r, t.key, t.count, *state));
        assert_int_equal(r.period, ops);
        /* parts may begin after the odd op instead: then one is cut in two */
        assert_in_range(r.parts, repeats - 1, repeats);
        assert_in_range(r.start[0], 17 - 8, 17 + ops);
        ttp_arena_reset(*state);
    }
}

/* Parts follow one another and lie inside, whatever the sequence is. */
static void test_repetition__parts_are_in_order_for_random_sequences(void **state)
{
    uint64_t seed = 3;

    for (size_t round = 0; round < 3000; round++) {
        const size_t count = below(&seed, 120), kinds = 1 + below(&seed, 6);
        struct text t = {0};
        struct ttp_repetition r;

        for (size_t i = 0; i < count; i++)
            put(&t, (uint32_t)below(&seed, kinds));
        if (!ttp_analysis_find_repetition(&r, t.key, t.count, *state))
            continue;
        assert_true(r.parts >= 2 && r.end <= count);
        for (size_t i = 1; i < r.parts; i++)
            assert_true(r.start[i - 1] < r.start[i]);
        assert_true(r.start[r.parts - 1] < r.end);
        ttp_arena_reset(*state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_repetition__the_smallest_exact_period),
        TTP_TEST_ARENA(test_repetition__too_little_is_chance),
        TTP_TEST_ARENA(test_repetition__any_iteration_behind_any_warm_up_is_found),
        TTP_TEST_ARENA(test_repetition__a_few_ops_may_differ),
        TTP_TEST_ARENA(test_repetition__parts_are_in_order_for_random_sequences),
    };
    return cmocka_run_group_tests_name("analysis/repetition", tests, NULL, NULL);
}
