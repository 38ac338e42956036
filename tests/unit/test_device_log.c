/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
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

static ttp_code read_log(struct ttp_device_log *log, ttp_str text, unsigned threads, bool strict,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_logs_options options = {.threads = threads, .strict = strict};
    struct test_file file;

    test_file_open(&file, text);
    const ttp_code rc = ttp_logs_read_device(log, file.path, TTP_DEVICE_ALL, &options, arena, err);
    test_file_close(&file);
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

static void test_device_log__a_bad_row_is_skipped_with_its_line(void **state)
{
    const ttp_str text = TTP_STR(PREAMBLE COLUMNS "0,1,1,BRISC,5,100,0,1024,,,BRISC-FW,ZONE_START,"
                                                  "1,f.cc,\n0,1,1,BRISC,5\n");
    struct ttp_device_log log;

    assert_int_equal(read_log(&log, text, 1, false, *state, NULL), TTP_OK);
    assert_int_equal(log.bad_rows.count, 1);
    assert_int_equal(log.bad_rows.line, 4);
    /* the compatible mode reads the log again, as pandas does */
    assert_int_equal(read_log(&log, text, 1, true, *state, NULL), TTP_OK);
    assert_int_equal(log.bad_rows.count, 1);
}

static void test_device_log__needs_places_times_and_zones(void **state)
{
    static const struct {
        const char *columns, *missing;
    } cases[] = {
        {"PCIe slot, core_x, core_y, RISC processor type, timer_id", "'time[cycles since reset]'"},
        {"PCIe slot, core_x, RISC processor type, timer_id, time[cycles since reset]", "'core_y'"},
        {"PCIe slot, core_x, core_y, RISC processor type, time[cycles since reset]", "'timer_id'"},
        {"PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], "
         "zone name",
         "'type'"},
    };
    struct ttp_device_log log;

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_err err = {0};
        struct ttp_sink text;

        ttp_sink_to_arena(&text, *state);
        ttp_sink_printf(&text, "ARCH: grayskull, CHIP_FREQ[MHz]: 1200\n%s\n", cases[i].columns);
        assert_int_equal(read_log(&log, ttp_sink_text(&text), 1, false, *state, &err), TTP_EPARSE);
        assert_non_null(strstr(err.text, cases[i].missing));
    }
    assert_int_equal(read_log(&log, TTP_STR(""), 1, false, *state, NULL), TTP_EPARSE);
}

#define UNTRACED_COLUMNS                                                                           \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "   \
    "run host ID,  zone name, type, source line, source file, meta data\n"
#define TIMER_COLUMNS                                                                              \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset]\n"

/* One RISC runs one op: firmware around a kernel. `skip` leaves that marker out. */
static void put_zone(struct ttp_sink *text, bool timers, unsigned core, const char *risc,
                     unsigned start, unsigned end, unsigned run_id, int skip)
{
    const unsigned cycle[] = {start, start + 10, end - 10, end};

    for (int m = 0; m < 4; m++) {
        if (m == skip)
            continue;
        if (timers)
            ttp_sink_printf(text, "0, %u, 1, %s, %d, %u\n", core, risc, m + 1, cycle[m]);
        else
            ttp_sink_printf(text, "0,%u,1,%s,%d,%u,0,%u,%s-%s,%s,1,f.cc,\n", core, risc, m + 5,
                            cycle[m], run_id, risc, m == 0 || m == 3 ? "FW" : "KERNEL",
                            m < 2 ? "ZONE_START" : "ZONE_END");
    }
}

/* Replay r of op 1024 takes cycles r * 1000 + 100 to + 900, a bit later on the second core, which
 * begins when the first has ended. */
static ttp_str replays(unsigned count, unsigned lost, struct ttp_arena *arena)
{
    static const char *const risc[] = {"BRISC", "NCRISC"};
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    ttp_sink_put(&text, TTP_STR(PREAMBLE UNTRACED_COLUMNS));
    for (unsigned core = 1; core <= 2; core++)
        for (unsigned k = 0; k < 2; k++)
            for (unsigned r = 1; r <= count; r++) {
                const unsigned start = r * 1000 + (core == 1 ? 100 : 500);

                if (core == 2 && k == 0 && r == lost)
                    continue;
                put_zone(&text, false, core, risc[k], start, start + 300, 1024, -1);
            }
    return ttp_sink_text(&text);
}

static void test_device_log__replays_are_counted_where_no_column_says_them(void **state)
{
    struct ttp_device_log log;

    /* many: the rows of a core then lie in several blocks */
    assert_int_equal(read_log(&log, replays(3000, 0, *state), 2, false, *state, NULL), TTP_OK);
    assert_false(log.has_replays);
    assert_true(log.has_op_ids);
    assert_string_equal(log.version, "2025-04");
    assert_int_equal(log.nexecs, 3000);
    assert_int_equal(log.nparts, 6000);
    for (unsigned r = 1; r <= 3000; r++) {
        const struct ttp_exec *e = &log.exec[r - 1];
        assert_int_equal(e->replay, r);
        assert_int_equal(e->trace_id, TTP_NO_ID);
        assert_int_equal(e->span[TTP_SPAN_FW].first, r * 1000 + 100);
        assert_int_equal(e->span[TTP_SPAN_FW].last, r * 1000 + 800);
        assert_int_equal(e->span[TTP_SPAN_FW].count, 8);
    }
}

static void test_device_log__a_lost_replay_of_one_risc_shifts_no_other(void **state)
{
    struct ttp_device_log log;

    assert_int_equal(read_log(&log, replays(9, 4, *state), 1, false, *state, NULL), TTP_OK);
    assert_int_equal(log.nexecs, 9);
    for (unsigned r = 1; r <= 9; r++) {
        assert_int_equal(log.exec[r - 1].span[TTP_SPAN_FW].first, r * 1000 + 100);
        assert_int_equal(log.exec[r - 1].span[TTP_SPAN_FW].last, r * 1000 + 800);
        assert_int_equal(log.exec[r - 1].span[TTP_SPAN_FW].count, r == 4 ? 6 : 8);
    }
}

static void test_device_log__one_execution_is_no_replay(void **state)
{
    struct ttp_device_log log;

    assert_int_equal(read_log(&log, replays(1, 0, *state), 1, false, *state, NULL), TTP_OK);
    assert_int_equal(log.nexecs, 1);
    assert_int_equal(log.exec[0].replay, TTP_NO_ID);
}

/* Ops of one, two and one cores; the compute RISC of an op ends after its data movement. */
static void test_device_log__ops_without_ids_are_told_apart_by_time(void **state)
{
    struct ttp_device_log log;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, *state);
    ttp_sink_put(&text, TTP_STR("Chip clock is at 1.2 GHz\n" TIMER_COLUMNS));
    put_zone(&text, true, 2, "BRISC", 2050, 2900, 0, -1);
    put_zone(&text, true, 1, "BRISC", 1000, 1500, 0, -1);
    put_zone(&text, true, 1, "BRISC", 2000, 2500, 0, -1);
    put_zone(&text, true, 1, "BRISC", 4000, 4500, 0, -1);
    put_zone(&text, true, 1, "TRISC_2", 1100, 1900, 0, -1);
    put_zone(&text, true, 1, "TRISC_2", 4100, 4300, 0, -1);
    put_zone(&text, true, 1, "NCRISC", 10, 90, 0, -1); /* before the first op */
    assert_int_equal(read_log(&log, ttp_sink_text(&text), 1, false, *state, NULL), TTP_OK);
    assert_false(log.has_op_ids);
    assert_int_equal(log.clock_mhz, 1200);
    assert_string_equal(log.version, "2023-03");
    assert_int_equal(log.nexecs, 3);
    assert_int_equal(log.exec[0].run_id, 1);
    assert_int_equal(log.exec[0].span[TTP_SPAN_FW].first, 1000);
    assert_int_equal(log.exec[0].span[TTP_SPAN_FW].last, 1900);
    assert_int_equal(log.exec[0].span[TTP_SPAN_TRISC2].last, 1890);
    assert_int_equal(log.exec[1].run_id, 2);
    assert_int_equal(log.exec[1].span[TTP_SPAN_KERNEL].first, 2010);
    assert_int_equal(log.exec[1].span[TTP_SPAN_KERNEL].last, 2890);
    assert_int_equal(log.exec[2].span[TTP_SPAN_FW].first, 4000);
    assert_int_equal(log.nparts, 4);
}

/* A core that begins again has lost the end of what it did before. */
static void test_device_log__a_lost_end_does_not_join_two_ops_without_ids(void **state)
{
    struct ttp_device_log log;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, *state);
    ttp_sink_put(&text, TTP_STR(TIMER_COLUMNS)); /* no preamble either */
    put_zone(&text, true, 1, "BRISC", 1000, 1500, 0, 3);
    put_zone(&text, true, 2, "BRISC", 1000, 3000, 0, -1);
    put_zone(&text, true, 1, "BRISC", 2000, 2500, 0, -1);
    assert_int_equal(read_log(&log, ttp_sink_text(&text), 1, false, *state, NULL), TTP_OK);
    assert_int_equal(log.nexecs, 2);
    assert_int_equal(log.exec[1].span[TTP_SPAN_FW].first, 2000);
    assert_int_equal(log.part[0].fw_ends + log.part[1].fw_ends, 1);
}

static void test_device_log__blocks_do_not_cut_ops_without_ids(void **state)
{
    struct ttp_device_log log;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, *state);
    ttp_sink_put(&text, TTP_STR("Chip clock is at 1.2 GHz\n" TIMER_COLUMNS));
    for (unsigned core = 1; core <= 8; core++)
        for (unsigned op = 1; op <= 2000; op++)
            put_zone(&text, true, core, "BRISC", op * 1000 + core, op * 1000 + 900, 0, -1);
    assert_int_equal(read_log(&log, ttp_sink_text(&text), 2, false, *state, NULL), TTP_OK);
    assert_int_equal(log.nexecs, 2000);
    assert_int_equal(log.nparts, 16000);
    for (size_t i = 0; i < log.nparts; i++) {
        assert_int_equal(log.part[i].fw_starts, 1);
        assert_int_equal(log.part[i].fw_ends, 1);
    }
}

static void test_device_log__meta_data_is_found_by_whole_keys(void **state)
{
    const ttp_str meta = TTP_STR("{\"a\":\"value\";\"sub_device_id\":3;\"value\": 7}");
    uint64_t number = 0;
    ttp_str text;

    (void)state;
    assert_true(ttp_logs_meta_u64(meta, TTP_STR("value"), &number));
    assert_int_equal(number, 7);
    assert_false(ttp_logs_meta_u64(meta, TTP_STR("device_id"), &number));
    assert_true(ttp_logs_meta_text(meta, TTP_STR("a"), &text));
    assert_true(ttp_str_eq(text, TTP_STR("value")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_device_log__an_execution_is_its_first_and_last_markers),
        TTP_TEST_ARENA(test_device_log__threads_do_not_change_the_result),
        TTP_TEST_ARENA(test_device_log__a_bad_row_is_skipped_with_its_line),
        TTP_TEST_ARENA(test_device_log__needs_places_times_and_zones),
        TTP_TEST_ARENA(test_device_log__replays_are_counted_where_no_column_says_them),
        TTP_TEST_ARENA(test_device_log__a_lost_replay_of_one_risc_shifts_no_other),
        TTP_TEST_ARENA(test_device_log__one_execution_is_no_replay),
        TTP_TEST_ARENA(test_device_log__ops_without_ids_are_told_apart_by_time),
        TTP_TEST_ARENA(test_device_log__a_lost_end_does_not_join_two_ops_without_ids),
        TTP_TEST_ARENA(test_device_log__blocks_do_not_cut_ops_without_ids),
        TTP_TEST_ARENA(test_device_log__meta_data_is_found_by_whole_keys),
    };
    return cmocka_run_group_tests_name("logs/device_log", tests, NULL, NULL);
}
