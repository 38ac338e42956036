/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "base/sink.h"
#include "logs/logs.h"
#include "logs/zone_log.h"
#include "test.h"

#define PREAMBLE "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
#define COLUMNS                                                                                    \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "   \
    "run host ID, trace id, trace id counter, zone name, type, source line, source file, meta "    \
    "data\n"
#define ZONES (1u << TTP_MARK_ZONE)

static void assert_same(struct ttp_arena *arena, ttp_str got, ttp_str expected)
{
    assert_string_equal(ttp_arena_zstr(arena, got), ttp_arena_zstr(arena, expected));
}

static void put_lane(struct ttp_sink *out, const struct ttp_zone_log *log,
                     const struct ttp_zone_lane *lane)
{
    const struct ttp_core *core = &log->core[lane->core];

    for (size_t i = 0; i < lane->nmarks; i++) {
        const struct ttp_zone_mark *m = &lane->mark[i];
        const struct ttp_zone_site *site = &log->site[m->site];

        ttp_sink_printf(out,
                        "%d %d,%d %.*s %u %d/%d: %.*s %u..%u depth %u kind %u data %u %.*s:%u\n",
                        (int)log->device[core->device], core->x, core->y,
                        TTP_FMT(ttp_sym_name(&log->names, lane->risc_name)),
                        (unsigned)lane->key.run_id, (int)lane->key.trace_id, (int)lane->key.replay,
                        TTP_FMT(ttp_sym_name(&log->names, site->name)), (unsigned)m->start_cycle,
                        (unsigned)m->end_cycle, m->depth, m->kind, (unsigned)m->data,
                        TTP_FMT(ttp_sym_name(&log->names, site->file)), site->line);
    }
}

static ttp_code take(void *arg, const struct ttp_zone_log *log, const struct ttp_zone_batch *batch,
                     struct ttp_err *err)
{
    (void)err;
    for (size_t i = 0; i < batch->nlanes; i++)
        put_lane(arg, log, &batch->lane[i]);
    return TTP_OK;
}

static ttp_code read_zones(struct ttp_zone_log *log, struct ttp_sink *out, ttp_str text,
                           struct ttp_zone_request request, unsigned threads,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_logs_options options = {.threads = threads};
    struct test_file file;

    ttp_sink_to_arena(out, arena);
    request.take = take;
    request.arg = out;
    test_file_open(&file, text);
    const ttp_code rc = ttp_logs_stream_zones(log, file.path, &request, &options, arena, err);
    test_file_close(&file);
    return rc;
}

/* The zones of these kinds, on one thread, are those wanted. */
static void assert_zones(struct ttp_zone_log *log, const char *text, unsigned kinds,
                         const char *want, struct ttp_arena *arena)
{
    struct ttp_sink out;

    assert_int_equal(read_zones(log, &out, ttp_str_from(text),
                                (struct ttp_zone_request){.kinds = kinds}, 1, arena, NULL),
                     TTP_OK);
    assert_same(arena, ttp_sink_text(&out), ttp_str_from(want));
}

#define ROW(core, risc, time, run, name, type)                                                     \
    "0," core "," risc ",7," time ",0," run ",,," name "," type ",12,k.cpp,\n"

static void test_zone_log__zones_nest_and_come_in_the_order_of_their_ends(void **state)
{
    static const char text[] =
        PREAMBLE COLUMNS ROW("1,2", "BRISC", "100", "1024", "BRISC-FW", "ZONE_START")
            ROW("1,2", "BRISC", "110", "1024", "BRISC-KERNEL", "ZONE_START")
                ROW("1,2", "BRISC", "120", "1024", "read", "ZONE_START")
                    ROW("1,2", "BRISC", "125", "1024", "read", "ZONE_END")
                        ROW("1,2", "BRISC", "130", "1024", "BRISC-KERNEL", "ZONE_END")
                            ROW("1,2", "BRISC", "140", "1024", "BRISC-FW", "ZONE_END");
    struct ttp_zone_log log;

    assert_zones(&log, text, ZONES,
                 "0 1,2 BRISC 1024 -1/-1: read 120..125 depth 2 kind 0 data 0 k.cpp:12\n"
                 "0 1,2 BRISC 1024 -1/-1: BRISC-KERNEL 110..130 depth 1 kind 0 data 0 k.cpp:12\n"
                 "0 1,2 BRISC 1024 -1/-1: BRISC-FW 100..140 depth 0 kind 0 data 0 k.cpp:12\n",
                 *state);
    assert_int_equal(log.zones, 3);
    assert_int_equal(log.clock_mhz, 1000);
    assert_int_equal(log.max_compute_cores, 64);
}

/* Ends and starts without their other half; the core tells equal names apart. */
static void test_zone_log__orphans_are_dropped_and_counted(void **state)
{
    static const char text[] =
        PREAMBLE COLUMNS ROW("1,1", "NCRISC", "10", "1024", "lost", "ZONE_END")
            ROW("1,1", "NCRISC", "20", "1024", "outer", "ZONE_START")
                ROW("1,1", "NCRISC", "30", "1024", "cut", "ZONE_START")
                    ROW("1,1", "NCRISC", "40", "1024", "outer", "ZONE_END")
                        ROW("1,1", "NCRISC", "50", "1024", "open", "ZONE_START")
                            ROW("2,1", "NCRISC", "60", "1024", "open", "ZONE_END")
                                ROW("3,1", "NCRISC", "70", "1024", "back", "ZONE_START")
                                    ROW("3,1", "NCRISC", "69", "1024", "back", "ZONE_END");
    struct ttp_zone_log log;

    assert_zones(&log, text, ZONES,
                 "0 1,1 NCRISC 1024 -1/-1: outer 20..40 depth 0 kind 0 data 0 k.cpp:12\n", *state);
    assert_int_equal(log.orphan_ends, 2);
    assert_int_equal(log.orphan_starts, 2);
    assert_int_equal(log.backward_zones, 1);
}

/* The runtime moves the start of a dispatch zone to the op it serves and renames it. */
static void test_zone_log__dispatch_zones_meet_across_run_ids(void **state)
{
    static const char text[] =
        PREAMBLE COLUMNS ROW("8,2", "BRISC", "10", "1024", "CQ-DISPATCH:1:CMD", "ZONE_START")
            ROW("8,2", "BRISC", "30", "0", "CQ-DISPATCH", "ZONE_END");
    struct ttp_zone_log log;

    assert_zones(&log, text, ZONES,
                 "0 8,2 BRISC 0 -1/-1: CQ-DISPATCH:1:CMD 10..30 depth 0 kind 0 data 0 k.cpp:12\n",
                 *state);
}

/* A launch whose markers were lost must not enclose the next. */
static void test_zone_log__firmware_begins_anew(void **state)
{
    static const char text[] =
        PREAMBLE COLUMNS ROW("1,1", "BRISC", "10", "0", "BRISC-FW", "ZONE_START")
            ROW("1,1", "BRISC", "20", "0", "BRISC-FW", "ZONE_START")
                ROW("1,1", "BRISC", "30", "0", "BRISC-FW", "ZONE_END");
    struct ttp_zone_log log;

    assert_zones(&log, text, ZONES,
                 "0 1,1 BRISC 0 -1/-1: BRISC-FW 20..30 depth 0 kind 0 data 0 k.cpp:12\n", *state);
    assert_int_equal(log.orphan_starts, 1);
}

static void test_zone_log__other_markers_on_request(void **state)
{
    static const char text[] =
        PREAMBLE COLUMNS "0,1,1,BRISC,7,10,0,1024,4,2,a,ZONE_START,1,k.cpp,\n"
                         "0,1,1,BRISC,12345,11,99,1024,4,2,,TS_DATA,0,,\n"
                         "0,1,1,BRISC,8,12,0,1024,4,2,tick,TS_EVENT,3,k.cpp,\n"
                         "0,1,1,BRISC,9,12,77,1024,4,2,CB-COMPUTE-WAIT-FRONT,ZONE_TOTAL,0,,\n"
                         "0,1,1,BRISC,7,13,0,1024,4,2,a,ZONE_END,1,k.cpp,\n";
    const unsigned all = ZONES | 1u << TTP_MARK_DATA | 1u << TTP_MARK_EVENT | 1u << TTP_MARK_TOTAL;
    const unsigned bare = 1u << TTP_MARK_START | 1u << TTP_MARK_END;
    struct ttp_zone_log log;

    assert_zones(&log, text, all,
                 "0 1,1 BRISC 1024 4/2:  11..11 depth 1 kind 2 data 99 :0\n"
                 "0 1,1 BRISC 1024 4/2: tick 12..12 depth 1 kind 3 data 0 k.cpp:3\n"
                 "0 1,1 BRISC 1024 4/2: CB-COMPUTE-WAIT-FRONT 12..12 depth 1 kind 1 data 77 :0\n"
                 "0 1,1 BRISC 1024 4/2: a 10..13 depth 0 kind 0 data 0 k.cpp:1\n",
                 *state);
    assert_zones(&log, text, bare,
                 "0 1,1 BRISC 1024 4/2: a 10..10 depth 0 kind 4 data 0 k.cpp:1\n"
                 "0 1,1 BRISC 1024 4/2: a 13..13 depth 0 kind 5 data 0 "
                 "k.cpp:1\n",
                 *state);
}

/* As TT-Lang's scripts read: no header, short rows passed over, any text except for the time. */
static void test_zone_log__columns_by_position(void **state)
{
    static const char text[] = "one line\nx,1,1,BRISC,t, 10 ,0,r,,,a,ZONE_START,1\n"
                               "x,1,1,BRISC,t,ten,0,r,,,a,ZONE_START,1\nshort,row\n"
                               "x,1,1,BRISC,t,12,0,r,,,a,ZONE_END,1\n";
    struct ttp_zone_log log;
    struct ttp_sink out;

    assert_int_equal(
        read_zones(&log, &out, TTP_STR(text),
                   (struct ttp_zone_request){.kinds = 1u << TTP_MARK_START | 1u << TTP_MARK_END,
                                             .by_position = 13,
                                             .header_lines = 1},
                   1, *state, NULL),
        TTP_OK);
    assert_same(*state, ttp_sink_text(&out),
                TTP_STR("0 0,0 BRISC 0 -1/-1: a 10..10 depth 0 kind 4 data 0 :1\n"
                        "0 0,0 BRISC 0 -1/-1: a 12..12 depth 0 kind 5 data 0 :1\n"));
    assert_int_equal(log.bad_rows.count, 2);
    assert_int_equal(log.bad_rows.line, 3);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Rows of few lanes in no order at all: starts and ends of all kinds, some of dispatch. */
static ttp_str random_rows(uint64_t seed, size_t rows, struct ttp_arena *arena)
{
    static const char *const names[] = {"a",          "b", "c", "BRISC-FW", "CQ-DISPATCH:3:X",
                                        "CQ-DISPATCH"};
    struct ttp_sink text;
    unsigned core = 0, run = 0;

    ttp_sink_to_arena(&text, arena);
    for (size_t i = 0; i < rows; i++) {
        if (next_random(&seed) % 4 == 0) {
            core = (unsigned)(next_random(&seed) % 2);
            run = (unsigned)(next_random(&seed) % 2) * 1024;
        }
        ttp_sink_printf(&text, "0,%u,1,BRISC,%u,%u,0,%u,,,%s,%s,1,k.cpp,\n", core, 5,
                        (unsigned)(i + next_random(&seed) % 3), run,
                        names[next_random(&seed) % TTP_COUNT(names)],
                        next_random(&seed) % 2 ? "ZONE_START" : "ZONE_END");
    }
    return ttp_sink_text(&text);
}

/* The zones of `text`, cut into blocks of about `rows` rows. */
static ttp_str pair_in_blocks(struct ttp_zone_log *log, ttp_str text, size_t rows,
                              struct ttp_arena *arena)
{
    struct ttp_device_header header = {.columns = 15};
    struct ttp_zone_merge merge = {0};
    struct ttp_sink *out = TTP_NEW(arena, struct ttp_sink, 1);
    const struct ttp_zone_request request = {.kinds = ZONES, .take = take, .arg = out};
    ttp_str rest = text, line;

    for (size_t c = 0; c < TTP_DEVICE_COLUMNS; c++)
        header.at[c] = c;
    *log = (struct ttp_zone_log){.names = {.arena = arena}};
    ttp_sink_to_arena(out, arena);
    while (rest.len) {
        const char *from = rest.ptr;
        struct ttp_arena own = {0};
        struct ttp_zone_block b = {.arena = &own};
        for (size_t i = 0; i < rows && ttp_str_next_line(&rest, &line); i++)
            ;
        ttp_logs_zone_read_rows(&b, (ttp_str){from, (size_t)(rest.ptr - from)}, &header, &request);
        assert_int_equal(b.bad.count, 0);
        assert_int_equal(ttp_logs_zone_merge_block(
                             &merge, (struct ttp_zone_target){log, &request, arena}, &b, NULL),
                         TTP_OK);
        ttp_arena_free(&own);
    }
    ttp_logs_zone_merge_finish(&merge, log);
    return ttp_sink_text(out);
}

static void test_zone_log__where_blocks_are_cut_does_not_matter(void **state)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const ttp_str text = random_rows(seed, 200, *state);
        struct ttp_zone_log whole, cut;
        const ttp_str expected = pair_in_blocks(&whole, text, 1000, *state);

        assert_true(whole.zones > 0 && whole.orphan_starts > 0 && whole.orphan_ends > 0);
        for (size_t rows = 1; rows < 40; rows += 1 + rows / 2) {
            assert_same(*state, pair_in_blocks(&cut, text, rows, *state), expected);
            assert_int_equal(cut.zones, whole.zones);
            assert_int_equal(cut.orphan_starts, whole.orphan_starts);
            assert_int_equal(cut.orphan_ends, whole.orphan_ends);
            assert_int_equal(cut.backward_zones, whole.backward_zones);
        }
    }
}

static void test_zone_log__threads_do_not_matter(void **state)
{
    struct ttp_sink text, one, four;
    struct ttp_zone_log log;
    const struct ttp_zone_request request = {.kinds = ZONES};

    ttp_sink_to_arena(&text, *state);
    ttp_sink_put(&text, TTP_STR(PREAMBLE COLUMNS));
    ttp_sink_put(&text, random_rows(7, 20000, *state));
    assert_int_equal(read_zones(&log, &one, ttp_sink_text(&text), request, 1, *state, NULL),
                     TTP_OK);
    assert_int_equal(read_zones(&log, &four, ttp_sink_text(&text), request, 4, *state, NULL),
                     TTP_OK);
    assert_true(log.zones > 1000);
    assert_same(*state, ttp_sink_text(&one), ttp_sink_text(&four));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_zone_log__zones_nest_and_come_in_the_order_of_their_ends),
        TTP_TEST_ARENA(test_zone_log__orphans_are_dropped_and_counted),
        TTP_TEST_ARENA(test_zone_log__dispatch_zones_meet_across_run_ids),
        TTP_TEST_ARENA(test_zone_log__firmware_begins_anew),
        TTP_TEST_ARENA(test_zone_log__other_markers_on_request),
        TTP_TEST_ARENA(test_zone_log__columns_by_position),
        TTP_TEST_ARENA(test_zone_log__where_blocks_are_cut_does_not_matter),
        TTP_TEST_ARENA(test_zone_log__threads_do_not_matter),
    };
    return cmocka_run_group_tests_name("logs/zone_log", tests, NULL, NULL);
}
