/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings that were made to cost time or memory. */
#include <stdio.h>

#include "base/clock.h"
#include "capture/capture_limits.h"
#include "capture/wire_stream.h"
#include "made_wire.h"
#include "test.h"

static const struct ttp_trace_reading all_zones = {.zones = TTP_ZONES_ALL};
static const struct ttp_trace_reading op_zones = {.zones = TTP_ZONES_OPS};

/* Blocks end before they are too large. */
static void keep_small(struct made_wire *w)
{
    if (w->block.len > TTP_WIRE_PLAIN_MAX - 4096)
        made_wire_flush(w);
}

static void start(struct made_wire *w, struct ttp_arena *arena)
{
    made_wire_start(w, made_dialect(66, true), arena);
    made_thread(w, 7);
}

static void assert_refused(struct made_wire *w, const char *limit, struct ttp_arena *arena)
{
    const char *path = made_file(made_wire_bytes(w), arena);
    struct ttp_err err = {0};
    struct ttp_trace t;

    assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, &err), TTP_ELIMIT);
    if (!strstr(err.text, limit))
        fail_msg("'%s' does not say '%s'", err.text, limit);
    assert_string_equal(err.path, path);
}

/* Zones that are kept only below one that is missing, each at the bottom of a deep well. */
static void test_capture_limits__an_end_costs_the_same_at_any_depth(void **state)
{
    ttp_test_needs("lz4");
    static const char *names[] = {"CompileProgram", "PY_call", "TT_DNN_DEVICE_OP"};
    static const char *special[] = {"CompileProgram"};
    const struct ttp_csv_options csv = {.parent = "TT_", .special = {special, 1}};
    struct ttp_arena *arena = *state;

    for (size_t k = 0; k < TTP_COUNT(names); k++) {
        struct made_wire w;
        struct ttp_trace t;
        struct ttp_sink out;

        start(&w, arena);
        for (int i = 0; i < 60000; i++) {
            made_begin_inline(&w, 1, i == 0 && k == 2 ? names[2] : names[k % 2], "a.c");
            keep_small(&w);
        }
        for (int i = 0; i < 60000; i++) {
            made_begin_inline(&w, 1, "CompileProgram", "a.c");
            made_end(&w, 1);
            keep_small(&w);
        }
        for (int i = 0; i < 60000; i++) {
            made_end(&w, 1);
            keep_small(&w);
        }
        const char *path = made_file(made_wire_bytes(&w), arena);
        const uint64_t begun = ttp_clock_ns();
        assert_int_equal(ttp_capture_trace_read(&t, path, &op_zones, arena, NULL), TTP_OK);
        assert_int_equal(t.zone.count, k == 2 ? 120000 : 0);
        ttp_sink_to_arena(&out, arena);
        ttp_capture_trace_write_zones(&out, &t, &csv, arena);
        assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, NULL), TTP_OK);
        assert_int_equal(t.zone.count, 120000);
        ttp_sink_to_arena(&out, arena);
        ttp_capture_trace_write_zones(&out, &t, &csv, arena);
        const uint64_t ms = (ttp_clock_ns() - begun) / 1000000;
        if (ms > 5000)
            fail_msg("%s: %llu ms", names[k], (unsigned long long)ms);
    }
}

static void test_capture_limits__more_threads_than_are_kept(void **state)
{
    ttp_test_needs("lz4");
    struct made_wire w;

    start(&w, *state);
    for (uint32_t i = 0; i <= TTP_THREADS_MAX; i++) {
        made_thread(&w, 100 + i);
        made_message(&w, 1, "hello");
        keep_small(&w);
    }
    assert_refused(&w, TTP_LIMIT_THREADS, *state);
}

static void test_capture_limits__more_sources_than_are_kept(void **state)
{
    ttp_test_needs("lz4");
    struct made_wire w;

    start(&w, *state);
    for (uint64_t i = 0; i <= TTP_SOURCES_MAX; i++) {
        made_begin(&w, 1, i);
        made_end(&w, 1);
        keep_small(&w);
    }
    assert_refused(&w, TTP_LIMIT_SOURCES, *state);
    start(&w, *state);
    for (uint64_t i = 0; i <= TTP_SOURCES_MAX; i++) {
        char name[32];

        snprintf(name, sizeof(name), "TT_%llu", (unsigned long long)i);
        made_begin_inline(&w, 1, name, "a.c");
        made_end(&w, 1);
        keep_small(&w);
    }
    assert_refused(&w, TTP_LIMIT_SOURCES, *state);
}

static void test_capture_limits__names_that_nobody_asked_for(void **state)
{
    ttp_test_needs("lz4");
    struct made_wire w;

    start(&w, *state);
    for (uint64_t i = 0; i <= TTP_STRINGS_MAX; i++) {
        made_string(&w, i, "x");
        keep_small(&w);
    }
    assert_refused(&w, TTP_LIMIT_STRINGS, *state);
}

static void test_capture_limits__zones_that_never_end(void **state)
{
    ttp_test_needs("lz4");
    struct made_wire w;

    start(&w, *state);
    for (size_t i = 0; i <= TTP_DEPTH_MAX; i++) {
        made_begin(&w, 1, 1);
        keep_small(&w);
    }
    assert_refused(&w, TTP_LIMIT_DEPTH, *state);
    start(&w, *state);
    for (uint32_t thread = 0; thread < 40; thread++) {
        made_thread(&w, thread);
        for (size_t i = 0; i < TTP_DEPTH_MAX; i++) {
            made_begin(&w, 1, 1);
            keep_small(&w);
        }
    }
    assert_refused(&w, TTP_LIMIT_FRAMES, *state);
}

static void test_capture_limits__text_of_zones_that_never_end(void **state)
{
    ttp_test_needs("lz4");
    struct made_wire w;
    char text[60000];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    start(&w, *state);
    for (size_t i = 0; i < 2000; i++) {
        made_begin_inline(&w, 1, "TT_DNN_OP", "a.c");
        made_text(&w, text);
        made_wire_flush(&w);
    }
    assert_refused(&w, TTP_LIMIT_TEXTS, *state);
}

static void test_capture_limits__what_is_just_below_is_read(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    struct made_wire w;
    struct ttp_trace t;

    start(&w, arena);
    for (uint32_t i = 1; i < TTP_THREADS_MAX; i++) {
        made_thread(&w, 100 + i);
        made_begin(&w, 1, i);
        made_end(&w, 1);
        keep_small(&w);
    }
    const char *path = made_file(made_wire_bytes(&w), arena);
    assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, NULL), TTP_OK);
    assert_int_equal(t.nthreads, TTP_THREADS_MAX - 1);
    assert_int_equal(t.zone.count, TTP_THREADS_MAX - 1);
}

static void append(void *ctx, ttp_str block)
{
    ttp_sink_put(ctx, block);
}

/* A capture file is believed no more than a stream. */
static void test_capture_limits__positions_of_a_capture_file(void **state)
{
    static const struct {
        struct ttp_entry entry;
        const char *limit;
    } cases[] = {
        {{.kind = TTP_ENTRY_THREAD, .u.thread.position = TTP_THREADS_MAX}, TTP_LIMIT_THREADS},
        {{.kind = TTP_ENTRY_THREAD_NAME, .u.thread_name.position = UINT32_MAX - 1},
         TTP_LIMIT_THREADS},
        {{.kind = TTP_ENTRY_SOURCE, .u.source.position = TTP_SOURCES_MAX}, TTP_LIMIT_SOURCES},
        {{.kind = TTP_ENTRY_MESSAGE, .u.message.thread = 1 << 30}, TTP_LIMIT_THREADS},
    };
    struct ttp_arena *arena = *state;

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_journal journal;
        struct ttp_err err = {0};
        struct ttp_trace t;
        struct ttp_sink out;

        ttp_sink_to_arena(&out, arena);
        ttp_sink_put(&out, TTP_STR(TTP_JOURNAL_MAGIC));
        ttp_capture_journal_init(&journal, append, &out, arena);
        ttp_capture_journal_add(&journal, &cases[i].entry);
        ttp_capture_journal_flush(&journal);
        const char *path = made_file(ttp_sink_text(&out), arena);
        assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, &err), TTP_ELIMIT);
        assert_non_null(strstr(err.text, cases[i].limit));
    }
}

static void test_capture_limits__a_tracy_that_unpacks_to_too_much(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const ttp_str bytes = made_tracy_of_nothing(3000000, arena);
    struct ttp_err err = {0};
    struct ttp_trace t;

    assert_true(bytes.len < 1 << 20);
    assert_int_equal(ttp_capture_trace_read(&t, made_file(bytes, arena), &all_zones, arena, &err),
                     TTP_ELIMIT);
    assert_non_null(strstr(err.text, TTP_LIMIT_PACKED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_capture_limits__an_end_costs_the_same_at_any_depth),
        TTP_TEST_ARENA(test_capture_limits__more_threads_than_are_kept),
        TTP_TEST_ARENA(test_capture_limits__more_sources_than_are_kept),
        TTP_TEST_ARENA(test_capture_limits__names_that_nobody_asked_for),
        TTP_TEST_ARENA(test_capture_limits__zones_that_never_end),
        TTP_TEST_ARENA(test_capture_limits__text_of_zones_that_never_end),
        TTP_TEST_ARENA(test_capture_limits__what_is_just_below_is_read),
        TTP_TEST_ARENA(test_capture_limits__positions_of_a_capture_file),
        TTP_TEST_ARENA(test_capture_limits__a_tracy_that_unpacks_to_too_much),
    };
    return ttp_test_end(cmocka_run_group_tests_name("capture_limits", tests, NULL, NULL));
}
