/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/diff_align.h"

#include "test.h"

#define MAX_LENGTH 200

/* All levels with the same keys. */
static void align(uint32_t *partner, const ttp_sym *a, size_t n, const ttp_sym *b, size_t m,
                  struct ttp_arena *arena)
{
    const struct ttp_sequence sa = {{a, a, a}, n}, sb = {{b, b, b}, m};
    const uint32_t keys[TTP_ALIGN_LEVELS] = {256, 256, 256};

    ttp_diff_align(partner, &sa, &sb, keys, arena);
}

static void test_align__unique_keys_anchor_the_rest(void **state)
{
    const ttp_sym a[] = {1, 2, 3, 4, 5}, b[] = {9, 1, 2, 8, 4, 5, 7};
    const uint32_t expected[] = {1, 2, UINT32_MAX, 4, 5};
    struct ttp_arena arena = {0};
    uint32_t partner[TTP_COUNT(a)];

    (void)state;
    align(partner, a, TTP_COUNT(a), b, TTP_COUNT(b), &arena);
    assert_memory_equal(partner, expected, sizeof(expected));
    ttp_arena_free(&arena);
}

static void test_align__empty_sides_have_no_pairs(void **state)
{
    const ttp_sym a[] = {1, 2};
    struct ttp_arena arena = {0};
    uint32_t partner[TTP_COUNT(a)];

    (void)state;
    align(partner, a, TTP_COUNT(a), NULL, 0, &arena);
    assert_int_equal(partner[0], UINT32_MAX);
    assert_int_equal(partner[1], UINT32_MAX);
    align(partner, NULL, 0, a, TTP_COUNT(a), &arena);
    ttp_arena_free(&arena);
}

static void test_align__later_levels_fill_what_is_left_between_pairs(void **state)
{
    /* layer by layer: the second key of each layer changed, its looser key did not */
    const ttp_sym strict_a[] = {1, 2, 3, 1, 2, 3}, strict_b[] = {1, 4, 3, 1, 4, 3};
    const ttp_sym loose_a[] = {1, 2, 3, 1, 2, 3}, loose_b[] = {1, 2, 3, 1, 2, 3};
    const struct ttp_sequence a = {{strict_a, loose_a, loose_a}, 6};
    const struct ttp_sequence b = {{strict_b, loose_b, loose_b}, 6};
    const uint32_t keys[TTP_ALIGN_LEVELS] = {8, 8, 8};
    struct ttp_arena arena = {0};
    uint32_t partner[6];

    (void)state;
    ttp_diff_align(partner, &a, &b, keys, &arena);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(partner[i], i);
    ttp_arena_free(&arena);
}

/* The length of the longest common subsequence, the slow and certain way. */
static size_t longest_common(const ttp_sym *a, size_t n, const ttp_sym *b, size_t m)
{
    static size_t best[MAX_LENGTH + 1][MAX_LENGTH + 1];

    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++)
            best[i][j] = a[i - 1] == b[j - 1]              ? best[i - 1][j - 1] + 1
                         : best[i - 1][j] > best[i][j - 1] ? best[i - 1][j]
                                                           : best[i][j - 1];
    return best[n][m];
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state >> 33;
}

/* Few different keys, each several times: no anchors, so that the pairs must be as many as can be.
 */
static void test_align__pairs_as_many_as_possible_without_crossing(void **state)
{
    uint64_t seed = 7;

    (void)state;
    for (int round = 0; round < 300; round++) {
        ttp_sym a[MAX_LENGTH], b[MAX_LENGTH];
        uint32_t partner[MAX_LENGTH];
        const size_t n = next_random(&seed) % MAX_LENGTH, m = next_random(&seed) % MAX_LENGTH;
        const uint64_t kinds = 1 + next_random(&seed) % 4;
        struct ttp_arena arena = {0};
        size_t pairs = 0;
        uint32_t next = 0;

        for (size_t i = 0; i < n; i++)
            a[i] = (ttp_sym)(next_random(&seed) % kinds);
        for (size_t i = 0; i < m; i++)
            b[i] = (ttp_sym)(next_random(&seed) % kinds);
        align(partner, a, n, b, m, &arena);
        for (size_t i = 0; i < n; i++) {
            if (partner[i] == UINT32_MAX)
                continue;
            assert_true(partner[i] >= next && partner[i] < m);
            assert_int_equal(a[i], b[partner[i]]);
            next = partner[i] + 1;
            pairs++;
        }
        if (n > 8 && m > 8) /* short ones may have anchors, which come first */
            assert_int_equal(pairs, longest_common(a, n, b, m));
        ttp_arena_free(&arena);
    }
}

/* Beyond the cost limit the pairs need not be the most, but they must be pairs. */
static void test_align__foreign_streams_end_with_pairs_that_do_not_cross(void **state)
{
    enum { COUNT = 20000 };
    struct ttp_arena arena = {0};
    ttp_sym *a = TTP_NEW(&arena, ttp_sym, COUNT), *b = TTP_NEW(&arena, ttp_sym, COUNT);
    uint32_t *partner = TTP_NEW(&arena, uint32_t, COUNT);
    uint64_t seed = 3;
    uint32_t next = 0;

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        a[i] = (ttp_sym)(next_random(&seed) % 256);
        b[i] = (ttp_sym)(next_random(&seed) % 256);
    }
    align(partner, a, COUNT, b, COUNT, &arena);
    for (size_t i = 0; i < COUNT; i++) {
        if (partner[i] == UINT32_MAX)
            continue;
        assert_true(partner[i] >= next && partner[i] < COUNT);
        assert_int_equal(a[i], b[partner[i]]);
        next = partner[i] + 1;
    }
    assert_true(next > 0);
    ttp_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_align__unique_keys_anchor_the_rest),
        cmocka_unit_test(test_align__empty_sides_have_no_pairs),
        cmocka_unit_test(test_align__later_levels_fill_what_is_left_between_pairs),
        cmocka_unit_test(test_align__pairs_as_many_as_possible_without_crossing),
        cmocka_unit_test(test_align__foreign_streams_end_with_pairs_that_do_not_cross),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
