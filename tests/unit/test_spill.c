/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spill.h"

#include <stdlib.h>

#include "test.h"

struct record {
    uint32_t key, payload;
};

static int by_key(const void *a, const void *b)
{
    const struct record *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->payload < y->payload ? -1 : x->payload > y->payload;
}

static void check(size_t n, size_t buffer, uint32_t keys)
{
    struct record *all = calloc(n + 1, sizeof(*all));
    struct ttp_spill *s;
    struct record got;
    uint32_t state = 12345;
    bool more;

    assert_int_equal(ttp_spill_open(&s, sizeof(struct record), by_key, buffer, NULL), TTP_OK);
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        all[i] = (struct record){(state >> 8) % keys, (uint32_t)i};
        assert_int_equal(ttp_spill_add(s, &all[i], NULL), TTP_OK);
    }
    if (n)
        qsort(all, n, sizeof(*all), by_key);
    assert_int_equal(ttp_spill_sort(s, NULL), TTP_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(ttp_spill_next(s, &got, &more, NULL), TTP_OK);
        assert_true(more);
        assert_int_equal(got.key, all[i].key);
        assert_int_equal(got.payload, all[i].payload);
    }
    assert_int_equal(ttp_spill_next(s, &got, &more, NULL), TTP_OK);
    assert_false(more);
    ttp_spill_close(s);
    free(all);
}

static void test_spill__sorts_in_memory_and_on_disk_alike(void **state)
{
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 5000};
    static const size_t buffers[] = {0, 1, 8, 64, 800};

    (void)state;
    for (size_t c = 0; c < TTP_COUNT(counts); c++)
        for (size_t b = 0; b < TTP_COUNT(buffers); b++) {
            check(counts[c], buffers[b], 1000000);
            check(counts[c], buffers[b], 3);
        }
}

static void test_spill__a_folder_that_cannot_be_written_is_an_error(void **state)
{
    const struct record r = {1, 2};
    struct ttp_err err = {0};
    struct ttp_spill *s;

    (void)state;
    setenv("TMPDIR", "/nonexistent", 1);
    assert_int_equal(ttp_spill_open(&s, sizeof(r), by_key, sizeof(r), NULL), TTP_OK);
    assert_int_equal(ttp_spill_add(s, &r, NULL), TTP_OK);
    assert_int_equal(ttp_spill_add(s, &r, &err), TTP_EIO);
    assert_non_null(strstr(err.text, "/nonexistent"));
    ttp_spill_close(s);
    unsetenv("TMPDIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spill__sorts_in_memory_and_on_disk_alike),
        cmocka_unit_test(test_spill__a_folder_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests_name("base/spill", tests, NULL, NULL);
}
