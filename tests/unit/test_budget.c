/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets: what is raised anywhere, in any thread, comes out of ttp_budget_run() as a code, with
 * everything released. */
#include "test.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/budget.h"
#include "base/file.h"
#include "base/par.h"
#include "base/sink.h"

#define LIMIT ((uint64_t)4 << 20)

static struct ttp_budget *small(void)
{
    struct ttp_budget *b =
        ttp_budget_new(&(struct ttp_limits){.memory = LIMIT, .output = (uint64_t)1 << 10});

    assert_non_null(b);
    return b;
}

struct job {
    unsigned threads;
    atomic_uint dropped;
    unsigned next;
    size_t bytes; /* for each item */
    struct ttp_arena *kept;
};

static ttp_code produce(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct job *j = ctx;

    (void)item, (void)err;
    *more = j->next++ < 100;
    return TTP_OK;
}

struct item {
    struct ttp_arena arena;
};

static ttp_code work(void *ctx, void *item, struct ttp_err *err)
{
    const struct job *j = ctx;
    struct item *i = item;

    (void)err;
    for (size_t n = 0; n < 8; n++)
        memset(ttp_arena_bytes(&i->arena, j->bytes / 8), 1, j->bytes / 8);
    return TTP_OK;
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    (void)ctx, (void)item, (void)err;
    return TTP_OK;
}

static void drop(void *ctx, void *item)
{
    struct job *j = ctx;

    atomic_fetch_add(&j->dropped, 1);
    ttp_arena_free(&((struct item *)item)->arena);
}

static ttp_code run_pipeline(void *arg, struct ttp_err *err)
{
    static const struct ttp_pipeline p = {.item_size = sizeof(struct item),
                                          .produce = produce,
                                          .work = work,
                                          .merge = merge,
                                          .drop = drop};
    struct job *j = arg;

    return ttp_par_pipeline(&p, j, j->threads, err);
}

static void test_budget__threads_stop_and_leave_nothing(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 5; threads += 2)
        for (size_t bytes = 100000; bytes < 20000000; bytes *= 3) {
            struct ttp_budget *b = small();
            struct job j = {.threads = threads, .bytes = bytes};
            struct ttp_err err = {0};
            const ttp_code rc = ttp_budget_run(b, run_pipeline, &j, NULL, &err);

            if (bytes < 200000)
                assert_int_equal(rc, TTP_OK);
            if (bytes > LIMIT)
                assert_int_equal(rc, TTP_ELIMIT);
            if (rc != TTP_OK)
                assert_non_null(strstr(err.text, "4 MiB"));
            else
                assert_int_equal(j.dropped, 100);
            ttp_budget_free(b); /* the rest would be reported as a leak */
        }
}

static ttp_code fill_kept(void *arg, struct ttp_err *err)
{
    struct job *j = arg;

    for (size_t i = 0; i < LIMIT / 100000; i++) {
        char *p = ttp_arena_bytes(j->kept, 100000);
        memset(p, 'x', 100000);
        void *grown = ttp_arena_resize(j->kept, NULL, 5000);
        (void)ttp_arena_resize(j->kept, grown, 200000);
    }
    return ttp_fail(err, TTP_EUSAGE, "it all fits");
}

static void test_budget__an_arena_from_before_stays_whole(void **state)
{
    struct ttp_budget *b = small();
    struct ttp_arena before = {0};
    struct ttp_arena *const kept[] = {&before, NULL};
    struct job j = {.kept = &before};
    struct ttp_err err = {0};

    (void)state;
    char *first = ttp_arena_bytes(&before, 10);
    memset(first, 'a', 10);
    assert_int_equal(ttp_budget_run(b, fill_kept, &j, kept, &err), TTP_ELIMIT);
    assert_memory_equal(first, "aaaaaaaaaa", 10);
    memset(ttp_arena_bytes(&before, 10), 'b', 10);
    ttp_arena_free(&before);
    /* all of it was released: the same fits again */
    assert_int_equal(ttp_budget_run(b, fill_kept, &j, kept, &err), TTP_ELIMIT);
    ttp_arena_free(&before);
    ttp_budget_free(b);
}

static ttp_code open_and_fail(void *arg, struct ttp_err *err)
{
    struct job *j = arg;
    struct ttp_arena arena = {0};
    struct ttp_file file;
    struct ttp_words names;
    const char *path;
    int fd;

    TTP_TRY(ttp_file_map(&file, TTP_SOURCE_DIR "/tests/data/demo_ops_perf_results.csv", err));
    TTP_TRY(ttp_file_list(&names, TTP_SOURCE_DIR "/tests/data", &arena, err));
    TTP_TRY(ttp_file_in_memory(&fd, &path, &arena, err));
    j->next++;
    (void)ttp_arena_bytes(&arena, LIMIT);
    return TTP_OK;
}

static void test_budget__files_are_closed(void **state)
{
    struct ttp_budget *b = small();
    struct job j = {.next = 0};
    struct ttp_err err = {0};

    (void)state;
    for (int i = 0; i < 3000; i++) /* more than a process may have open */
        assert_int_equal(ttp_budget_run(b, open_and_fail, &j, NULL, &err), TTP_ELIMIT);
    assert_int_equal(j.next, 3000);
    ttp_budget_free(b);
}

static ttp_code write_much(void *arg, struct ttp_err *err)
{
    const struct job *j = arg;
    struct ttp_arena arena = {0};
    struct ttp_sink out;
    const char *path;
    int fd;

    TTP_TRY(ttp_file_in_memory(&fd, &path, &arena, err));
    if (j->next)
        ttp_sink_to_memory(&out, fd, &arena);
    else
        ttp_sink_to_fd(&out, fd, &arena);
    ttp_sink_repeat(&out, 'x', 2000);
    const ttp_code rc = ttp_sink_finish(&out, err);
    ttp_file_close_memory(path);
    ttp_arena_free(&arena);
    return rc;
}

static void test_budget__output_counts_and_memory_does_not(void **state)
{
    struct ttp_budget *b = small();
    struct job j = {.next = 0};
    struct ttp_err err = {0};

    (void)state;
    assert_int_equal(ttp_budget_run(b, write_much, &j, NULL, &err), TTP_ELIMIT);
    assert_non_null(strstr(err.text, "1 KiB"));
    j.next = 1;
    assert_int_equal(ttp_budget_run(b, write_much, &j, NULL, &err), TTP_OK);
    ttp_budget_free(b);
}

static ttp_code inflate(void *arg, struct ttp_err *err)
{
    const uint64_t *size = arg;

    TTP_TRY(ttp_budget_inflated(size[0], size[1] / 2, err));
    return ttp_budget_inflated(0, size[1] / 2, err);
}

static void test_budget__inflated_bytes_are_in_proportion(void **state)
{
    static const struct {
        uint64_t limit, size[2];
        ttp_code rc;
    } cases[] = {
        {0, {1000, TTP_INFLATE_FREE}, TTP_OK},
        {0, {1000, TTP_INFLATE_FREE + 2}, TTP_ELIMIT},
        {0, {TTP_INFLATE_FREE, TTP_INFLATE_FREE * 200}, TTP_OK},
        {0, {TTP_INFLATE_FREE, TTP_INFLATE_FREE * 201}, TTP_ELIMIT},
        {5000, {4000, 6000}, TTP_ELIMIT},
        {UINT64_MAX, {1, (uint64_t)1 << 60}, TTP_OK},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_budget *b = ttp_budget_new(&(struct ttp_limits){.inflate = cases[i].limit});
        uint64_t size[] = {cases[i].size[0], cases[i].size[1]};
        struct ttp_err err = {0};

        assert_int_equal(ttp_budget_run(b, inflate, size, NULL, &err), cases[i].rc);
        ttp_budget_free(b);
    }
}

static void test_budget__sizes_are_told_in_units(void **state)
{
    (void)state;
    assert_string_equal(ttp_size_text(0).text, "0 bytes");
    assert_string_equal(ttp_size_text(1023).text, "1023 bytes");
    assert_string_equal(ttp_size_text(1536).text, "1.5 KiB");
    assert_string_equal(ttp_size_text((uint64_t)512 << 20).text, "512 MiB");
    assert_string_equal(ttp_size_text((uint64_t)4 << 30).text, "4 GiB");
    const uint64_t memory = ttp_budget_default_memory();
    assert_true(memory > 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget__threads_stop_and_leave_nothing),
        cmocka_unit_test(test_budget__an_arena_from_before_stays_whole),
        cmocka_unit_test(test_budget__files_are_closed),
        cmocka_unit_test(test_budget__output_counts_and_memory_does_not),
        cmocka_unit_test(test_budget__inflated_bytes_are_in_proportion),
        cmocka_unit_test(test_budget__sizes_are_told_in_units),
    };
    return cmocka_run_group_tests_name("base/budget", tests, NULL, NULL);
}
