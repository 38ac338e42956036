/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sink.h"
#include "logs/logs.h"
#include "logs/meta_data.h"
#include "test.h"

#define PREAMBLE "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
#define COLUMNS                                                                                    \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "   \
    "run host ID, trace id, trace id counter, zone name, type, source line, source file, meta "    \
    "data\n"

static ttp_code read_log(struct ttp_device_log *log, ttp_str text, unsigned threads, bool compat,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_logs_options options = {.threads = threads, .compat = compat};
    const int fd = memfd_create("log", MFD_CLOEXEC);
    char path[32];

    assert_int_equal(write(fd, text.ptr, text.len), (ssize_t)text.len);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    const ttp_code rc = ttp_logs_read_device(log, path, TTP_DEVICE_ALL, &options, arena, err);
    close(fd);
    return rc;
}

/* Executions on some cores, one RISC after the other as the runtime writes them. */
static ttp_str many_rows(unsigned execs, unsigned cores, struct ttp_arena *arena)
{
    static const char *const risc[][2] = {{"BRISC", "BRISC"}, {"TRISC_1", "TRISC"}};
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    ttp_sink_put(&text, TTP_STR(PREAMBLE COLUMNS));
    for (unsigned c = 0; c < cores; c++)
        for (unsigned r = 0; r < 2; r++)
            for (unsigned e = 1; e <= execs; e++)
                for (unsigned m = 0; m < 4; m++)
                    ttp_sink_printf(&text, "0,%u,1,%s,%u,%u,0,%u,,,%s-%s,%s,1,f.cc,\n", c,
                                    risc[r][0], 5 + m, e * 1000 + c + r * 2 + m * 100, e << 10,
                                    risc[r][1], m == 0 || m == 3 ? "FW" : "KERNEL",
                                    m < 2 ? "ZONE_START" : "ZONE_END");
    return ttp_sink_text(&text);
}

static void test_device_log__an_execution_is_its_first_and_last_markers(void **state)
{
    struct ttp_device_log log;

    assert_int_equal(read_log(&log, many_rows(2, 3, *state), 1, true, *state, NULL), TTP_OK);
    assert_int_equal(log.nexecs, 2);
    assert_int_equal(log.nparts, 6);
    assert_int_equal(log.rows, 48);
    const struct ttp_exec *e = &log.exec[0];
    assert_int_equal(e->run_id, 1024);
    assert_int_equal(e->span[TTP_SPAN_FW].first, 1000);
    assert_int_equal(e->span[TTP_SPAN_FW].last, 1304);
    assert_int_equal(e->span[TTP_SPAN_TRISC1].first, 1102);
    assert_int_equal(e->span[TTP_SPAN_TRISC1].count, 6);
    assert_int_equal(e->span[TTP_SPAN_NCRISC].count, 0);
    assert_int_equal(log.part[0].fw_starts, 1);
    assert_int_equal(log.part[0].fw_ends, 1);
}

static void test_device_log__threads_do_not_change_the_result(void **state)
{
    const ttp_str text = many_rows(200, 60, *state); /* several windows */
    struct ttp_device_log one, many;

    assert_int_equal(read_log(&one, text, 1, false, *state, NULL), TTP_OK);
    assert_int_equal(read_log(&many, text, 8, false, *state, NULL), TTP_OK);
    assert_int_equal(one.nexecs, 200);
    assert_int_equal(many.nexecs, one.nexecs);
    assert_int_equal(many.nparts, one.nparts);
    assert_memory_equal(many.exec, one.exec, one.nexecs * sizeof(*one.exec));
    assert_memory_equal(many.part, one.part, one.nparts * sizeof(*one.part));
}

static void test_device_log__a_bad_row_is_skipped_with_its_line_or_refused(void **state)
{
    const ttp_str text = TTP_STR(PREAMBLE COLUMNS "0,1,1,BRISC,5,100,0,1024,,,BRISC-FW,ZONE_START,"
                                                  "1,f.cc,\n0,1,1,BRISC,5\n");
    struct ttp_device_log log;
    struct ttp_err err = {0};

    assert_int_equal(read_log(&log, text, 1, false, *state, NULL), TTP_OK);
    assert_int_equal(log.bad_rows.count, 1);
    assert_int_equal(log.bad_rows.line, 4);
    assert_int_equal(read_log(&log, text, 1, true, *state, &err), TTP_EPARSE);
    assert_int_equal(err.line, 4);
}

static void test_device_log__logs_that_name_no_op_are_refused(void **state)
{
    struct ttp_device_log log;
    struct ttp_err err = {0};

    assert_int_equal(read_log(&log,
                              TTP_STR("ARCH: grayskull, CHIP_FREQ[MHz]: 1200\nPCIe slot, "
                                      "core_x, core_y, RISC processor type, timer_id, "
                                      "time[cycles since reset]\n"),
                              1, false, *state, &err),
                     TTP_EPARSE);
    assert_non_null(strstr(err.text, "'run host ID'"));
    assert_int_equal(read_log(&log, TTP_STR(""), 1, false, *state, &err), TTP_EPARSE);
}

static void test_device_log__meta_data_is_found_by_whole_keys(void **state)
{
    const ttp_str meta = TTP_STR("{\"a\":\"value\";\"sub_device_id\":3;\"value\": 7}");
    uint64_t number = 0;
    ttp_str text;

    (void)state;
    assert_true(ttp_meta_u64(meta, TTP_STR("value"), &number));
    assert_int_equal(number, 7);
    assert_false(ttp_meta_u64(meta, TTP_STR("device_id"), &number));
    assert_true(ttp_meta_text(meta, TTP_STR("a"), &text));
    assert_true(ttp_str_eq(text, TTP_STR("value")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_device_log__an_execution_is_its_first_and_last_markers),
        TTP_TEST_ARENA(test_device_log__threads_do_not_change_the_result),
        TTP_TEST_ARENA(test_device_log__a_bad_row_is_skipped_with_its_line_or_refused),
        TTP_TEST_ARENA(test_device_log__logs_that_name_no_op_are_refused),
        TTP_TEST_ARENA(test_device_log__meta_data_is_found_by_whole_keys),
    };
    return cmocka_run_group_tests_name("logs/device_log", tests, NULL, NULL);
}
