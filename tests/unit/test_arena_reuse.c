/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena_pool.h"

#include <stdio.h>

#include "base/sink.h"
#include "test.h"

static void dirty(struct ttp_arena *arena, size_t n)
{
    memset(TTP_NEW(arena, char, n), 'x', n);
}

static void assert_zero(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(p[i], 0);
}

static void test_arena_reuse__memory_is_zeroed_after_a_reset(void **state)
{
    struct ttp_arena *arena = *state;

    dirty(arena, 1000);
    dirty(arena, 100000);
    ttp_arena_reset(arena);
    assert_zero(TTP_NEW(arena, char, 90000), 90000);
}

static void test_arena_reuse__reset_keeps_the_newest_block(void **state)
{
    struct ttp_arena *arena = *state;

    dirty(arena, 1000);
    dirty(arena, 200000);
    const void *block = arena->head;
    ttp_arena_reset(arena);
    dirty(arena, 200000);
    assert_ptr_equal(arena->head, block);
}

static void test_arena_reuse__a_new_arena_may_be_reset(void **state)
{
    struct ttp_arena *arena = *state;

    ttp_arena_reset(arena);
    assert_zero(TTP_NEW(arena, char, 10), 10);
}

static void test_arena_reuse__large_memory_is_zeroed_aligned_and_rewound(void **state)
{
    struct ttp_arena *arena = *state;
    const size_t large = (size_t)9 << 20;
    const struct ttp_mark mark = ttp_arena_mark(arena);

    for (int i = 0; i < 3; i++) {
        char *p = ttp_arena_alloc(arena, 1, large, 64);
        assert_int_equal((uintptr_t)p % 64, 0);
        assert_zero(p, large);
        memset(p, 'x', large);
        dirty(arena, 100);
        ttp_arena_rewind(arena, mark);
    }
    assert_null(arena->spans);
}

static void test_arena_reuse__a_pool_hands_on_what_was_given_last(void **state)
{
    struct ttp_arena_pool pool;
    struct ttp_arena a, b;

    (void)state;
    ttp_arena_pool_init(&pool);
    a = ttp_arena_pool_take(&pool);
    assert_null(a.head);
    dirty(&a, 5000);
    const void *block = a.head;
    ttp_arena_pool_give(&pool, &a);
    assert_null(a.head);
    b = ttp_arena_pool_take(&pool);
    assert_ptr_equal(b.head, block);
    assert_zero(TTP_NEW(&b, char, 5000), 5000);
    ttp_arena_pool_give(&pool, &b);
    ttp_arena_pool_clear(&pool);
}

static void test_arena_reuse__a_full_pool_frees_what_it_is_given(void **state)
{
    struct ttp_arena_pool pool;

    (void)state;
    ttp_arena_pool_init(&pool);
    for (size_t i = 0; i < (size_t)2 * TTP_ARENA_POOL_MAX; i++) {
        struct ttp_arena a = {0};
        dirty(&a, 100);
        ttp_arena_pool_give(&pool, &a);
    }
    assert_int_equal(pool.count, TTP_ARENA_POOL_MAX);
    ttp_arena_pool_clear(&pool);
}

/* Pieces around the size of the buffer, some written around it. */
static void test_sink__bytes_come_out_in_order_whatever_their_pieces(void **state)
{
    static const size_t pieces[] = {1, 65535, 65536, 3, 65537, 200000, 0, 7, 65536};
    FILE *file = tmpfile();
    struct ttp_sink sink;
    size_t total = 0;

    assert_non_null(file);
    ttp_sink_to_fd(&sink, fileno(file), *state);
    for (size_t i = 0; i < TTP_COUNT(pieces); i++) {
        char *text = TTP_NEW(*state, char, pieces[i]);
        for (size_t k = 0; k < pieces[i]; k++)
            text[k] = (char)('a' + (total + k) % 23);
        ttp_sink_put(&sink, (ttp_str){text, pieces[i]});
        total += pieces[i];
    }
    assert_int_equal(ttp_sink_finish(&sink, NULL), TTP_OK);
    rewind(file);
    for (size_t i = 0; i < total; i++)
        assert_int_equal(fgetc(file), 'a' + i % 23);
    assert_int_equal(fgetc(file), EOF);
    (void)fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_arena_reuse__memory_is_zeroed_after_a_reset),
        TTP_TEST_ARENA(test_arena_reuse__reset_keeps_the_newest_block),
        TTP_TEST_ARENA(test_arena_reuse__a_new_arena_may_be_reset),
        TTP_TEST_ARENA(test_arena_reuse__large_memory_is_zeroed_aligned_and_rewound),
        cmocka_unit_test(test_arena_reuse__a_pool_hands_on_what_was_given_last),
        cmocka_unit_test(test_arena_reuse__a_full_pool_frees_what_it_is_given),
        TTP_TEST_ARENA(test_sink__bytes_come_out_in_order_whatever_their_pieces),
    };
    return cmocka_run_group_tests_name("base/arena reuse", tests, NULL, NULL);
}
