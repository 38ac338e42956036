/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/par.h"

#define MAX_ITEMS 2000

struct item {
    size_t number;
    size_t square;
};

struct job {
    size_t count;        /* items to produce */
    unsigned max_us;     /* sleep up to this long in each step */
    size_t fail_produce; /* item numbers from 1; 0: none */
    size_t fail_work, fail_work_too, fail_merge;

    size_t produced, merged;
    bool disordered, dirty;
    atomic_int producers, mergers;
    atomic_bool overlapped;
    atomic_int alive, most_alive;
    atomic_int worked[MAX_ITEMS], dropped[MAX_ITEMS];
};

static void nap(const struct job *job, size_t seed)
{
    if (job->max_us)
        usleep((unsigned)((seed * 2654435761u) >> 7) % job->max_us);
}

static ttp_code produce(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct job *job = ctx;
    struct item *it = item;

    if (atomic_fetch_add(&job->producers, 1) != 0)
        atomic_store(&job->overlapped, true);
    job->dirty |= it->number != 0 || it->square != 0;
    nap(job, job->produced);
    if (job->produced == job->count) {
        *more = false;
    } else if (job->produced + 1 == job->fail_produce) {
        atomic_fetch_sub(&job->producers, 1);
        return ttp_fail(err, TTP_EIO, "produce %zu", job->fail_produce);
    } else {
        it->number = job->produced++;
        const int alive = atomic_fetch_add(&job->alive, 1) + 1;
        int most = atomic_load(&job->most_alive);
        while (alive > most && !atomic_compare_exchange_weak(&job->most_alive, &most, alive))
            ;
    }
    atomic_fetch_sub(&job->producers, 1);
    return TTP_OK;
}

static ttp_code work(void *ctx, void *item, struct ttp_err *err)
{
    struct job *job = ctx;
    struct item *it = item;

    nap(job, it->number + 17);
    atomic_fetch_add(&job->worked[it->number], 1);
    it->square = it->number * it->number;
    if (it->number + 1 == job->fail_work || it->number + 1 == job->fail_work_too)
        return ttp_fail_at(err, TTP_EPARSE, it->number, "work %zu", it->number + 1);
    return TTP_OK;
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    struct job *job = ctx;
    const struct item *it = item;

    if (atomic_fetch_add(&job->mergers, 1) != 0)
        atomic_store(&job->overlapped, true);
    nap(job, it->number + 5);
    job->disordered |= it->number != job->merged || it->square != it->number * it->number;
    const bool bad = it->number + 1 == job->fail_merge;
    job->merged += !bad;
    atomic_fetch_sub(&job->mergers, 1);
    return bad ? ttp_fail(err, TTP_ELIMIT, "merge %zu", job->fail_merge) : TTP_OK;
}

static void drop(void *ctx, void *item)
{
    struct job *job = ctx;

    atomic_fetch_add(&job->dropped[((struct item *)item)->number], 1);
    atomic_fetch_sub(&job->alive, 1);
}

static const struct ttp_pipeline pipeline = {sizeof(struct item), produce, work, merge, drop};
static const unsigned thread_counts[] = {1, 2, 3, 8};

static ttp_code run(struct job *job, unsigned threads, struct ttp_err *err)
{
    const ttp_code rc = ttp_par_pipeline(&pipeline, job, threads, err);

    assert_false(job->disordered);
    assert_false(job->dirty);
    assert_false(job->overlapped);
    assert_int_equal(job->alive, 0);
    assert_in_range(job->most_alive, 0, threads == 1 ? 1 : 2 * threads + 2);
    for (size_t i = 0; i < MAX_ITEMS; i++) {
        assert_int_equal(job->dropped[i], i < job->produced);
        assert_in_range(job->worked[i], 0, 1);
    }
    return rc;
}

static void test_par__results_arrive_in_order(void **state)
{
    (void)state;
    for (size_t t = 0; t < TTP_COUNT(thread_counts); t++) {
        struct job job = {.count = MAX_ITEMS};
        assert_int_equal(run(&job, thread_counts[t], NULL), TTP_OK);
        assert_int_equal(job.merged, MAX_ITEMS);
    }
}

static void test_par__results_arrive_in_order_when_steps_take_random_time(void **state)
{
    (void)state;
    for (size_t t = 0; t < TTP_COUNT(thread_counts); t++) {
        struct job job = {.count = 200, .max_us = 300};
        assert_int_equal(run(&job, thread_counts[t], NULL), TTP_OK);
        assert_int_equal(job.merged, 200);
    }
}

static void test_par__few_items_are_fine_with_many_threads(void **state)
{
    (void)state;
    for (size_t count = 0; count < 4; count++) {
        struct job job = {.count = count};
        assert_int_equal(run(&job, 64, NULL), TTP_OK);
        assert_int_equal(job.merged, count);
    }
}

static void test_par__no_thread_is_started_for_one_item(void **state)
{
    (void)state;
    struct job job = {.count = 1};
    assert_int_equal(run(&job, 1u << 31, NULL), TTP_OK); /* far too many: the limit holds */
    assert_int_equal(job.merged, 1);
}

/* What a plain loop would report, whichever failure happens first on the clock. */
static void test_par__the_lowest_item_decides_the_error(void **state)
{
    static const struct {
        size_t produce, work, work_too, merge;
        ttp_code rc;
        const char *text;
        size_t merged;
    } cases[] = {
        {0, 50, 40, 0, TTP_EPARSE, "work 40", 39},   {0, 41, 0, 40, TTP_ELIMIT, "merge 40", 39},
        {0, 40, 0, 40, TTP_EPARSE, "work 40", 39},   {41, 40, 0, 0, TTP_EPARSE, "work 40", 39},
        {40, 41, 0, 43, TTP_EIO, "produce 40", 39},  {1, 1, 1, 1, TTP_EIO, "produce 1", 0},
        {0, 1, 2, 1, TTP_EPARSE, "work 1", 0},       {0, 0, 0, 1, TTP_ELIMIT, "merge 1", 0},
        {0, 100, 0, 0, TTP_EPARSE, "work 100", 99},  {100, 0, 0, 0, TTP_EIO, "produce 100", 99},
        {0, 0, 0, 100, TTP_ELIMIT, "merge 100", 99},
    };

    (void)state;
    for (size_t c = 0; c < TTP_COUNT(cases); c++) {
        for (size_t t = 0; t < TTP_COUNT(thread_counts); t++) {
            struct ttp_err err = {0};
            struct job job = {.count = 100,
                              .max_us = c % 2 ? 100 : 0,
                              .fail_produce = cases[c].produce,
                              .fail_work = cases[c].work,
                              .fail_work_too = cases[c].work_too,
                              .fail_merge = cases[c].merge};

            assert_int_equal(run(&job, thread_counts[t], &err), cases[c].rc);
            assert_int_equal(err.code, cases[c].rc);
            assert_string_equal(err.text, cases[c].text);
            assert_int_equal(job.merged, cases[c].merged);
        }
    }
}

struct meeting {
    size_t produced;
    pthread_barrier_t all;
};

static ttp_code produce_four(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct meeting *m = ctx;

    (void)item, (void)err;
    *more = m->produced < 4;
    m->produced += *more;
    return TTP_OK;
}

static ttp_code wait_for_all(void *ctx, void *item, struct ttp_err *err)
{
    struct meeting *m = ctx;

    (void)item, (void)err;
    pthread_barrier_wait(&m->all);
    return TTP_OK;
}

static ttp_code merge_nothing(void *ctx, void *item, struct ttp_err *err)
{
    (void)ctx, (void)item, (void)err;
    return TTP_OK;
}

/* Would hang if the calling thread did not work too, or if fewer than four ran at once. */
static void test_par__all_threads_work_at_the_same_time(void **state)
{
    const struct ttp_pipeline p = {0, produce_four, wait_for_all, merge_nothing, NULL};
    struct meeting m = {0};

    (void)state;
    assert_int_equal(pthread_barrier_init(&m.all, NULL, 4), 0);
    assert_int_equal(ttp_par_pipeline(&p, &m, 4, NULL), TTP_OK);
    pthread_barrier_destroy(&m.all);
}

static void test_par__there_is_at_least_one_core(void **state)
{
    (void)state;
    assert_in_range(ttp_par_cores(), 1, 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_par__results_arrive_in_order),
        cmocka_unit_test(test_par__results_arrive_in_order_when_steps_take_random_time),
        cmocka_unit_test(test_par__few_items_are_fine_with_many_threads),
        cmocka_unit_test(test_par__no_thread_is_started_for_one_item),
        cmocka_unit_test(test_par__the_lowest_item_decides_the_error),
        cmocka_unit_test(test_par__all_threads_work_at_the_same_time),
        cmocka_unit_test(test_par__there_is_at_least_one_core),
    };
    return cmocka_run_group_tests_name("base/par", tests, NULL, NULL);
}
