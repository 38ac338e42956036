/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdlib.h>

#define SPANS 5

static bool all_are(const unsigned char *p, size_t from, size_t to, unsigned char byte)
{
    while (from < to && p[from] == byte)
        from++;
    return from >= to;
}

static void test_arena__memory_is_zeroed_aligned_and_apart(void **state)
{
    struct ttp_arena *arena = *state;
    static const size_t aligns[] = {1, 2, 8, 64};
    unsigned char *before = NULL;
    size_t before_size = 0;

    for (size_t i = 0; i < 2000; i++) {
        const size_t size = i * 37 % 300, align = aligns[i % TTP_COUNT(aligns)];
        unsigned char *p = ttp_arena_alloc(arena, size, 1, align);
        assert_int_equal((uintptr_t)p % align, 0);
        assert_true(all_are(p, 0, size, 0));
        memset(p, 0xAA, size);
        assert_true(all_are(before, 0, before_size, 0xAA));
        before = p;
        before_size = size;
    }
}

static void test_arena__rewind_gives_back_what_came_after_the_mark(void **state)
{
    struct ttp_arena *arena = *state;
    int *kept = TTP_NEW(arena, int, 10);

    kept[9] = 7;
    const struct ttp_mark mark = ttp_arena_mark(arena);
    int *first = TTP_NEW(arena, int, 10);
    first[0] = 1;
    TTP_NEW(arena, char, 1 << 20); /* more blocks */
    ttp_arena_rewind(arena, mark);
    int *again = TTP_NEW(arena, int, 10);
    assert_ptr_equal(again, first);
    assert_int_equal(again[0], 0);
    assert_int_equal(kept[9], 7);
}

static void test_arena__texts_are_copied(void **state)
{
    char text[] = "abc";
    const ttp_str copy = ttp_arena_copy(*state, ttp_str_from(text));
    const char *z = ttp_arena_zstr(*state, (ttp_str){text, 2});

    text[0] = 'x';
    assert_true(ttp_str_eq(copy, TTP_STR("abc")));
    assert_string_equal(z, "ab");
    assert_int_equal(ttp_arena_copy(*state, (ttp_str){0}).len, 0);
    assert_string_equal(ttp_arena_zstr(*state, (ttp_str){0}), "");
}

static void test_arena__resized_memory_keeps_its_bytes_and_grows_zeroed(void **state)
{
    unsigned char *span[SPANS] = {0};
    size_t size[SPANS] = {0};

    srand(1);
    for (size_t i = 0; i < 300; i++) { /* interleaved, so that they must move */
        const size_t s = (size_t)rand() % SPANS, grown = size[s] + (size_t)rand() % 40000;
        span[s] = ttp_arena_resize(*state, span[s], grown);
        assert_true(all_are(span[s], size[s], grown, 0));
        memset(span[s] + size[s], (int)s + 1, grown - size[s]);
        size[s] = grown;
        assert_true(all_are(span[s], 0, grown, (unsigned char)(s + 1)));
    }
}

static void test_arena__what_was_resized_since_the_mark_keeps_its_memory(void **state)
{
    struct ttp_arena *arena = *state;
    int *old = ttp_arena_resize(arena, NULL, 4096);
    int *older = ttp_arena_resize(arena, NULL, 4096);

    old[0] = 1;
    older[0] = 2;
    const struct ttp_mark mark = ttp_arena_mark(arena);
    ttp_arena_resize(arena, NULL, 100000); /* made after the mark: released */
    old = ttp_arena_resize(arena, old, (size_t)4 << 20);
    older = ttp_arena_resize(arena, older, (size_t)4 << 20);
    ttp_arena_rewind(arena, mark);
    assert_int_equal(old[0], 1);
    assert_int_equal(older[0], 2);
    older[((size_t)4 << 20) / sizeof(*older) - 1] = 3;
    old = ttp_arena_resize(arena, old, (size_t)8 << 20);
    assert_int_equal(old[0], 1);
}

static void test_arena__a_freed_arena_can_be_used_again(void **state)
{
    struct ttp_arena *arena = *state;

    ttp_arena_resize(arena, NULL, 10);
    TTP_NEW(arena, char, 10);
    ttp_arena_free(arena);
    assert_null(arena->head);
    assert_null(arena->spans);
    *TTP_NEW(arena, char, 1) = 1;
    *(char *)ttp_arena_resize(arena, NULL, 1) = 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_arena__memory_is_zeroed_aligned_and_apart),
        TTP_TEST_ARENA(test_arena__rewind_gives_back_what_came_after_the_mark),
        TTP_TEST_ARENA(test_arena__texts_are_copied),
        TTP_TEST_ARENA(test_arena__resized_memory_keeps_its_bytes_and_grows_zeroed),
        TTP_TEST_ARENA(test_arena__what_was_resized_since_the_mark_keeps_its_memory),
        TTP_TEST_ARENA(test_arena__a_freed_arena_can_be_used_again),
    };
    return cmocka_run_group_tests_name("base/arena", tests, NULL, NULL);
}
