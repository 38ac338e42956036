/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/map.h"
#include "base/vec.h"

struct item {
    uint64_t number;
    char text[24];
};

static void test_vec__keeps_what_was_pushed(void **state)
{
    struct ttp_arena *arena = *state;
    struct item *list = NULL, *other = NULL;
    size_t count = 0;
    uint32_t others = 0;

    for (size_t i = 0; i < 20000; i++) { /* beyond what is moved by pages */
        struct item *one = TTP_PUSH(arena, list, count);

        assert_int_equal(one->number, 0);
        assert_int_equal((uintptr_t)one % alignof(struct item), 0);
        one->number = i;
        if (i % 3 == 0) /* two that grow in turns */
            *TTP_PUSH(arena, other, others) = (struct item){.number = 2 * i};
    }
    assert_int_equal(count, 20000);
    assert_int_equal(others, 6667);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(list[i].number, i);
    for (size_t i = 0; i < others; i++)
        assert_int_equal(other[i].number, 6 * i);
}

static void test_vec__room_is_made_without_counting(void **state)
{
    struct ttp_arena *arena = *state;
    char *list = NULL;

    for (size_t count = 0; count < 1000; count++) {
        TTP_ROOM(arena, list, count);
        assert_int_equal(list[count], 0);
        list[count] = (char)('a' + count % 26);
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(list[i], 'a' + i % 26);
}

static void test_vec__a_stack_does_not_take_more_and_more_memory(void **state)
{
    struct ttp_arena *arena = *state;
    uint64_t *stack = NULL;
    size_t depth = 0, cap = 0;

    for (size_t i = 0; i < 64; i++)
        *TTP_PUSH_WITHIN(arena, stack, depth, cap) = i;
    const size_t before = cap;
    const uint64_t *place = stack;
    for (size_t i = 0; i < 1000; i++) {
        depth--;
        *TTP_PUSH_WITHIN(arena, stack, depth, cap) = i;
    }
    assert_ptr_equal(stack, place);
    assert_int_equal(cap, before);
    assert_int_equal(stack[62], 62);
    assert_int_equal(stack[63], 999);
}

static void test_vec__reserved_room_outlives_a_rewind(void **state)
{
    struct ttp_arena *arena = *state;
    uint32_t *list = NULL;
    size_t cap = 0;

    TTP_RESERVE(arena, list, 10, cap);
    const struct ttp_mark mark = ttp_arena_mark(arena);
    TTP_RESERVE(arena, list, 100000, cap);
    assert_true(cap >= 100000);
    list[99999] = 7;
    ttp_arena_rewind(arena, mark);
    assert_int_equal(list[99999], 7);
    assert_int_equal(list[50000], 0);
}

static void test_map__finds_what_was_put_in(void **state)
{
    struct ttp_map map = {.arena = *state};

    assert_int_equal(ttp_map_get(&map, 0), TTP_MAP_NONE);
    for (uint32_t i = 0; i < 100000; i++)
        ttp_map_put(&map, (uint64_t)i << 40 | i % 7, i);
    ttp_map_put(&map, 0, 42);
    assert_int_equal(map.count, 100000);
    assert_int_equal(ttp_map_get(&map, 0), 42);
    for (uint32_t i = 1; i < 100000; i++)
        assert_int_equal(ttp_map_get(&map, (uint64_t)i << 40 | i % 7), i);
    assert_int_equal(ttp_map_get(&map, UINT64_MAX), TTP_MAP_NONE);
}

static void test_map__values_of_one_hash_come_in_order(void **state)
{
    struct ttp_map map = {.arena = *state};
    uint32_t at, n[50] = {0};

    for (uint32_t i = 0; i < 5000; i++)
        ttp_map_add(&map, i % 50 * UINT64_C(0x100000001), i);
    for (uint32_t h = 0; h < 50; h++)
        TTP_MAP_EACH (at, &map, h * UINT64_C(0x100000001))
            assert_int_equal(at, h + 50 * n[h]++);
    for (uint32_t h = 0; h < 50; h++)
        assert_int_equal(n[h], 100);
    TTP_MAP_EACH (at, &map, 51)
        fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_vec__keeps_what_was_pushed),
        TTP_TEST_ARENA(test_vec__room_is_made_without_counting),
        TTP_TEST_ARENA(test_vec__a_stack_does_not_take_more_and_more_memory),
        TTP_TEST_ARENA(test_vec__reserved_room_outlives_a_rewind),
        TTP_TEST_ARENA(test_map__finds_what_was_put_in),
        TTP_TEST_ARENA(test_map__values_of_one_hash_come_in_order),
    };
    return cmocka_run_group_tests_name("base/vec", tests, NULL, NULL);
}
