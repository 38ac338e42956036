/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of devices in a recording: every dialect gives the same peaks, and what is not named is
 * memory of the host and does not count. */
#include "made_wire.h"
#include "mem/mem_parts.h"
#include "test.h"

#define L1      UINT64_C(0x7000)
#define DRAM    UINT64_C(0x7010)
#define OP      UINT64_C(0x7100)
#define AT_NAME UINT64_C(0x7020)
#define START   1000 /* tick at which a trace begins, two ticks are a nanosecond */

static const char *make(const struct ttp_dialect *d, bool answers, struct ttp_arena *arena)
{
    struct made_wire w;

    made_wire_start(&w, d, arena);
    made_thread(&w, 10);
    made_begin(&w, 0, OP);
    made_text(&w, "Matmul ID:1024");
    made_alloc(&w, START + 200, (struct made_buffer){L1, 0x1000, 4096});
    made_alloc(&w, 200, (struct made_buffer){DRAM, 0x1000, (UINT64_C(1) << 33) + 5});
    made_memory(&w, 10); /* of the host; takes a tick */
    made_lock(&w, 99);
    made_alloc(&w, 100, (struct made_buffer){L1, 0x2000, 8192});
    made_end(&w, 1000);
    made_free(&w, 4000, (struct made_buffer){L1, 0x1000, 0});
    made_free(&w, 10, (struct made_buffer){L1, 0x9000, 0}); /* older than the recording */
    made_alloc(&w, 10, (struct made_buffer){L1, 0x1000, 100});
    if (answers) {
        made_source(&w, AT_NAME, AT_NAME, AT_NAME, 1);
        made_string(&w, L1, "Device 0 L1");
        made_string(&w, DRAM, "Device 0 DRAM");
        made_string(&w, AT_NAME, "TT_DNN_DEVICE_OP");
    }
    made_terminate(&w);
    return made_file(made_wire_bytes(&w), arena);
}

static void test_recorded_memory__every_dialect_gives_the_same_peaks(void **state)
{
    struct ttp_arena *arena = *state;
    const unsigned protocols[] = {63, 66, 74, 78};

    ttp_test_needs("lz4");
    for (size_t i = 0; i < TTP_COUNT(protocols); i++) {
        struct ttp_mem_buffer_log log;
        struct ttp_err err = {0};
        const char *path = make(made_dialect(protocols[i], false), true, arena);

        assert_int_equal(ttp_mem_read_recording(&log, path, arena, &err), TTP_OK);
        assert_true(log.recording);
        assert_int_equal(log.pools, 2);
        assert_int_equal(log.allocations, 4);
        assert_int_equal(log.unpaired_frees, 1);
        assert_int_equal(log.live_at_end, 3);
        assert_string_equal(ttp_arena_zstr(arena, log.pool[0].name), "Device 0 DRAM");
        assert_true(log.pool[0].peak_bytes == (UINT64_C(1) << 33) + 5);
        assert_int_equal(log.pool[0].peak_ns, 200);
        assert_string_equal(ttp_arena_zstr(arena, log.pool[1].name), "Device 0 L1");
        assert_int_equal(log.pool[1].peak_bytes, 4096 + 8192);
        assert_int_equal(log.pool[1].peak_ns, 300);
        assert_int_equal(log.pool[1].bytes, 8192 + 100);
    }
}

static void test_recorded_memory__a_pool_without_a_name_still_counts(void **state)
{
    struct ttp_arena *arena = *state;
    struct ttp_mem_buffer_log log;

    ttp_test_needs("lz4");
    const char *path = make(made_dialect(78, false), false, arena);
    assert_int_equal(ttp_mem_read_recording(&log, path, arena, NULL), TTP_OK);
    assert_int_equal(log.pools, 1);
    assert_int_equal(log.allocations, 4);
}

static void test_recorded_memory__a_recording_without_is_refused(void **state)
{
    struct ttp_arena *arena = *state;
    struct ttp_mem_buffer_log log;
    struct ttp_err err = {0};
    size_t blocks;

    ttp_test_needs("lz4");
    const char *path = made_file(made_run(made_dialect(66, true), &blocks, arena), arena);
    assert_int_equal(ttp_mem_read_recording(&log, path, arena, &err), TTP_EPARSE);
    assert_non_null(strstr(err.text, "has no memory data"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_recorded_memory__every_dialect_gives_the_same_peaks),
        TTP_TEST_ARENA(test_recorded_memory__a_pool_without_a_name_still_counts),
        TTP_TEST_ARENA(test_recorded_memory__a_recording_without_is_refused),
    };
    return ttp_test_end(cmocka_run_group_tests_name("recorded_memory", tests, NULL, NULL));
}
