/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "base/sink.h"
#include "kernel/flow_graph.h"
#include "kernel/kernel.h"
#include "kernel/line_text.h"
#include "test.h"

static void assert_text(ttp_str got, const char *expected)
{
    assert_int_equal(got.len, strlen(expected));
    if (got.len)
        assert_memory_equal(got.ptr, expected, got.len);
}

static void test_kernel__names_of_zones(void **state)
{
    static const struct {
        const char *zone, *kernel;
        int64_t line;
        const char *op;
        bool implicit;
    } cases[] = {
        {"dm_read_L41", "dm_read", 41, "", false},
        {"dm_read_L43_cb_reserve", "dm_read", 43, "cb_reserve", false},
        {"dm_write_L55_implicit_cb_pop", "dm_write", 55, "cb_pop", true},
        {"my_L1_norm_L52", "my_L1_norm", 52, "", false},
        {"my_L1_norm_L52_cb_wait", "my_L1_norm", 52, "cb_wait", false},
        {"line_52_cb_wait_before", "", 52, "cb_wait", false},
        {"line_7_after", "", 7, "", false},
        {"k_L52_", "", 0, "", false},
        {"L52_cb_wait", "", 0, "", false},
        {"k_L0", "", 0, "", false},
        {"ttl_math", "", 0, "", false},
        {"my_L1_norm", "", 0, "", false},
        {"k_L99999999999999999999", "", 0, "", false},
        {"", "", 0, "", false},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct ttp_line_name name = ttp_kernel_line_name(ttp_str_from(cases[i].zone));
        assert_int_equal(name.line, cases[i].line);
        if (name.line == 0)
            continue;
        assert_text(name.kernel, cases[i].kernel);
        assert_text(name.op, cases[i].op);
        assert_int_equal(name.implicit, cases[i].implicit);
    }
}

/* As TT-Lang's own tests of names have it; "" is found where None is not. */
static void test_kernel__original_ops(void **state)
{
    static const struct {
        const char *zone, *op;
        bool found, implicit;
    } cases[] = {
        {"compute_L52", "", false, false},
        {"dm_read_L52_cb_wait", "cb_wait", true, false},
        {"dm_write_L52_implicit_cb_pop", "cb_pop", true, true},
        {"my_L1_norm_L52", "norm_L52", true, false},
        {"my_L1_norm_L52_cb_wait", "norm_L52_cb_wait", true, false},
        {"k_L52_", "", true, false},
        {"k_L52_implicit_", "", true, true},
        {"L52_cb_wait", "", false, false},
        {"ttl_math", "", false, false},
        {"line_52_before", "", false, false},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        ttp_str op = {0};
        bool implicit;
        assert_int_equal(ttp_kernel_leftmost_op(ttp_str_from(cases[i].zone), &op, &implicit),
                         cases[i].found);
        assert_int_equal(implicit, cases[i].implicit);
        if (cases[i].found)
            assert_text(op, cases[i].op);
    }
}

/* Two buffers behind one line: TT-Lang keeps the last, we keep both. */
static void test_kernel__waits_of_a_line_with_two_buffers(void **state)
{
    static const char json[] =
        "{\"circular_buffers\":["
        "{\"cb_index\":0,\"consumers\":[{\"kernel\":\"c\",\"line\":9}],"
        "\"wait_ops\":[{\"kernel\":\"r\",\"line\":5,\"direction\":\"read\"}]},"
        "{\"cb_index\":9,\"new\":{\"x\":[1]},\"consumers\":[{\"kernel\":\"c\",\"line\":9}],"
        "\"producers\":[{\"kernel\":\"p\",\"line\":3}],"
        "\"wait_ops\":[{\"kernel\":\"w\",\"line\":6,\"direction\":\"write\"}],"
        "\"dma_ops\":[{\"kernel\":\"w\",\"line\":7,\"direction\":\"write\"}]}]}";
    struct ttp_flow_graph g;
    struct ttp_flow_waits w;

    assert_int_equal(ttp_kernel_parse_flow(&g, TTP_STR(json), *state, NULL), TTP_OK);
    assert_int_equal(g.nbuffers, 2);
    assert_int_equal(g.buffer[1].dfb_id, -1);
    ttp_kernel_flow_waits(&w, &g, false, *state);
    assert_int_equal(w.nsources, 2);
    assert_true(ttp_kernel_find_source(&w, TTP_STR("c"), 9, 0)->dma);
    assert_false(ttp_kernel_find_source(&w, TTP_STR("c"), 9, 1)->dma);
    assert_null(ttp_kernel_find_source(&w, TTP_STR("c"), 9, 2));
    assert_int_equal(w.nbarriers, 2);
    ttp_kernel_flow_waits(&w, &g, true, *state);
    assert_int_equal(w.nsources, 1);
    assert_int_equal(w.source[0].buffer, 9);
    assert_int_equal(w.nbarriers, 1);
}

static void test_kernel__graphs_that_are_none_are_refused(void **state)
{
    static const char *const bad[] = {
        "", "{", "[]", "{}", "{\"circular_buffers\":3}", "{\"pipes\":[]} x"};
    struct ttp_flow_graph flow;
    struct ttp_pipe_graph pipes;

    for (size_t i = 0; i < TTP_COUNT(bad); i++) {
        struct ttp_err err = {0};
        assert_int_equal(ttp_kernel_parse_flow(&flow, ttp_str_from(bad[i]), *state, &err),
                         TTP_EPARSE);
        assert_true(err.text[0] != '\0');
        assert_int_equal(ttp_kernel_parse_pipes(&pipes, ttp_str_from(bad[i]), *state, &err),
                         TTP_EPARSE);
    }
}

/* --- traffic --- */

static const struct ttp_noc_event blank = {.fabric = TTP_NOC_NO_FABRIC,
                                           .name = TTP_SYM_NONE,
                                           .sx = 1,
                                           .sy = 1,
                                           .dx = TTP_NOC_UNSAID,
                                           .dy = TTP_NOC_UNSAID,
                                           .mcast_start_x = TTP_NOC_UNSAID,
                                           .mcast_start_y = TTP_NOC_UNSAID,
                                           .mcast_end_x = TTP_NOC_UNSAID,
                                           .mcast_end_y = TTP_NOC_UNSAID,
                                           .risc = TTP_NOC_RISC_NCRISC};

static struct ttp_noc_event event(enum ttp_noc_type type, int dx, int dy, uint32_t bytes)
{
    struct ttp_noc_event e = blank;

    e.type = (uint8_t)type;
    e.dx = (int16_t)dx;
    e.dy = (int16_t)dy;
    e.bytes = bytes;
    return e;
}

/* Wormhole: (0,0) is DRAM, (1,0) ethernet, (1,1) and (2,2) workers, (0,3) PCIe. */
static void test_kernel__targets_by_the_map_of_the_chip(void **state)
{
    struct ttp_noc_event e[] = {
        event(TTP_NOC_READ, 0, 0, 2048),         event(TTP_NOC_READ, 2, 2, 64),
        event(TTP_NOC_WRITE, 1, 0, 32),          event(TTP_NOC_WRITE, 0, 3, 96),
        event(TTP_NOC_READ, 0, 0, 8160),         event(TTP_NOC_WRITE_FLUSH, -1, -1, 0),
        event(TTP_NOC_READ_SET_TRID, -1, -1, 0),
    };
    const struct ttp_noc_trace trace = {.event = e, .nevents = TTP_COUNT(e)};
    struct ttp_traffic t;

    ttp_kernel_traffic(&t, &trace, ttp_device_noc_grid(TTP_STR("wormhole_b0")), *state);
    assert_int_equal(t.read[TTP_END_DRAM].count, 2);
    assert_int_equal(t.read[TTP_END_DRAM].bytes, 2048 + 8160);
    assert_int_equal(t.read[TTP_END_DRAM].saturated, 1);
    assert_int_equal(t.read[TTP_END_L1].bytes, 64);
    assert_int_equal(t.write[TTP_END_ETH].bytes, 32);
    assert_int_equal(t.write[TTP_END_OTHER].bytes, 96);
    assert_int_equal(__builtin_popcount(t.dram_channels), 1);
    assert_int_equal(t.sizes.count, 5);
}

static void test_kernel__transfers_with_state_go_where_it_was_set(void **state)
{
    struct ttp_noc_event e[] = {
        event(TTP_NOC_READ_WITH_STATE, -1, -1, 0), /* before anything was set */
        event(TTP_NOC_READ_SET_STATE, 0, 0, 512),
        event(TTP_NOC_READ_WITH_STATE, -1, -1, 0),
        event(TTP_NOC_READ_WITH_STATE_AND_TRID, -1, -1, 256),
        event(TTP_NOC_WRITE_WITH_STATE, -1, -1, 32), /* reads set nothing for writes */
        event(TTP_NOC_READ_WITH_STATE, -1, -1, 0),   /* nor one RISC for another */
    };
    const struct ttp_noc_trace trace = {.event = e, .nevents = TTP_COUNT(e)};
    struct ttp_traffic t;

    e[5].risc = TTP_NOC_RISC_BRISC;
    ttp_kernel_traffic(&t, &trace, ttp_device_noc_grid(TTP_STR("wormhole_b0")), *state);
    assert_int_equal(t.with_state, 5);
    assert_int_equal(t.lost_state, 3);
    assert_int_equal(t.read[TTP_END_DRAM].count, 2);
    assert_int_equal(t.read[TTP_END_DRAM].bytes, 512 + 256);
    assert_int_equal(t.read[TTP_END_OTHER].count, 2);
    assert_int_equal(t.write[TTP_END_OTHER].bytes, 32);
}

static void test_kernel__multicasts_and_barriers(void **state)
{
    struct ttp_noc_event e[] = {
        event(TTP_NOC_WRITE_MULTICAST, -1, -1, 100), event(TTP_NOC_READ_BARRIER_START, -1, -1, 0),
        event(TTP_NOC_READ_BARRIER_END, -1, -1, 0),  event(TTP_NOC_READ_BARRIER_END, -1, -1, 0),
        event(TTP_NOC_SEMAPHORE_INC, 2, 2, 4),
    };
    const struct ttp_noc_trace trace = {.event = e, .nevents = TTP_COUNT(e)};
    struct ttp_traffic t;

    /* columns 4 to 6 of which 5 is DRAM, one row */
    e[0].mcast_start_x = 4;
    e[0].mcast_end_x = 6;
    e[0].mcast_start_y = e[0].mcast_end_y = 1;
    e[1].cycle = 1000;
    e[2].cycle = 1500;
    e[3].cycle = 9000;
    ttp_kernel_traffic(&t, &trace, ttp_device_noc_grid(TTP_STR("wormhole_b0")), *state);
    assert_int_equal(t.multicast.bytes, 100);
    assert_int_equal(t.multicast_received, 200);
    assert_int_equal(t.read_barriers, 1);
    assert_int_equal(t.read_barrier_cycles, 500);
    assert_int_equal(t.semaphores, 1);
}

/* --- verdicts --- */

/* A program of `cores` equal cores whose threads waited for these parts of 1000 cycles. */
static void make_program(struct ttp_kernel_program *m, const struct ttp_kernel_core **core,
                         size_t cores, unsigned reader_room, unsigned compute_data,
                         unsigned compute_room, unsigned writer_data)
{
    *m = (struct ttp_kernel_program){.core = core, .ncores = cores};
    m->core_cycles = (struct ttp_cycle_spread){cores, 1000, 1000, 1000, 1000 * cores};
    for (size_t i = 0; i <= TTP_KERNEL_TRISC_2; i++)
        m->thread[i].kernel_cycles = m->core_cycles;
    m->thread[TTP_KERNEL_NCRISC].reserve = reader_room * cores;
    m->thread[TTP_KERNEL_TRISC_0].wait = compute_data * cores;
    m->thread[TTP_KERNEL_TRISC_2].reserve = compute_room * cores;
    m->thread[TTP_KERNEL_BRISC].wait = writer_data * cores;
}

static void test_kernel__who_waits_least_is_the_bottleneck(void **state)
{
    static const struct {
        unsigned reader_room, compute_data, compute_room, writer_data;
        size_t cores;
        uint64_t slowest;
        enum ttp_limit expected;
    } cases[] = {
        {10, 700, 0, 750, 64, 1000, TTP_LIMIT_READER},
        {600, 30, 0, 700, 64, 1000, TTP_LIMIT_COMPUTE},
        {500, 20, 550, 40, 64, 1000, TTP_LIMIT_WRITER},
        {100, 120, 20, 150, 64, 1000, TTP_LIMIT_SLOW},
        {100, 120, 20, 150, 4, 1000, TTP_LIMIT_CORES},
        {10, 700, 0, 750, 4, 1000, TTP_LIMIT_READER},
        {100, 120, 20, 150, 64, 3000, TTP_LIMIT_IMBALANCE},
        {0, 700, 50, 0, 64, 1000, TTP_LIMIT_READER}, /* only compute says it */
        {0, 50, 600, 0, 64, 1000, TTP_LIMIT_WRITER},
        {0, 50, 60, 0, 64, 1000, TTP_LIMIT_COMPUTE},
        {0, 0, 0, 0, 64, 1000, TTP_LIMIT_NONE},
    };
    const struct ttp_kernel_core *core[64] = {NULL};
    const struct ttp_kernel_report report = {
        .arch = TTP_STR("wormhole_b0"), .clock_mhz = 1000, .cores_available = 64};

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_kernel_program m;
        make_program(&m, core, cases[i].cores, cases[i].reader_room, cases[i].compute_data,
                     cases[i].compute_room, cases[i].writer_data);
        m.core_cycles.max = cases[i].slowest;
        m.core_cycles.sum += cases[i].slowest - 1000;
        ttp_kernel_judge(&m, &report, 0);
        assert_int_equal(m.verdict.bottleneck, cases[i].expected);
        assert_true(ttp_kernel_sentence(&m, *state).len > 20);
        assert_int_equal(m.targets.l1_bytes, 1464 * 1024);
    }
}

static void test_kernel__ideal_bytes_are_tensors_in_dram(void **state)
{
    struct ttp_op_tensor in = {{TTP_STR("1[1]"), TTP_STR("1"), TTP_STR("32[30]"), TTP_STR("64"),
                                TTP_STR("TILE"), TTP_STR("BFLOAT16"),
                                TTP_STR("DEV_1_DRAM_INTERLEAVED")}};
    struct ttp_op_tensor out = in;
    const struct ttp_op_info info = {.input = &in, .ninputs = 1, .output = &out, .noutputs = 1};

    (void)state;
    out.cell[TTP_TENSOR_DTYPE] = TTP_STR("BFLOAT8_B");
    assert_int_equal(ttp_kernel_ideal_bytes(&info), 32 * 64 * 2 + 2 * 1088);
    out.cell[TTP_TENSOR_MEMORY] = TTP_STR("DEV_1_L1_INTERLEAVED");
    assert_int_equal(ttp_kernel_ideal_bytes(&info), 32 * 64 * 2);
    in.cell[TTP_TENSOR_X] = TTP_STR("18446744073709551615");
    assert_int_equal(ttp_kernel_ideal_bytes(&info), 0);
}

/* --- profiles --- */

/* A RISC whose buffer is full, and one that has room for one more zone. */
static void test_kernel__full_marker_buffers_are_counted(void **state)
{
    const struct ttp_profile_options options = {.logs = {.threads = 1}};
    struct ttp_kernel_profile p;
    struct ttp_sink text;
    struct test_file file;

    ttp_sink_to_arena(&text, *state);
    ttp_sink_put(&text, TTP_STR("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
                                "PCIe slot, core_x, core_y, RISC processor type, timer_id, "
                                "time[cycles since reset], data, run host ID, zone name, type, "
                                "source line, source file\n"));
    for (unsigned core = 1; core <= 2; core++)
        for (unsigned i = 0; i < TTP_KERNEL_MAX_PAIRS - 1 + (core == 1); i++)
            ttp_sink_printf(&text,
                            "0,%u,1,BRISC,7,%u,0,1024,k_L5,ZONE_START,1,f.cpp\n"
                            "0,%u,1,BRISC,7,%u,0,1024,k_L5,ZONE_END,1,f.cpp\n",
                            core, i * 10, core, i * 10 + 4);
    test_file_open(&file, ttp_sink_text(&text));
    assert_int_equal(ttp_kernel_read_profile(&p, file.path, &options, *state, NULL), TTP_OK);
    test_file_close(&file);
    assert_int_equal(p.ninvocations, 1);
    assert_int_equal(p.invocation[0].cores, 2);
    assert_int_equal(p.invocation[0].full_buffers, 1);
    assert_int_equal(p.nlines, 1);
    assert_int_equal(p.line[0].count, 2 * TTP_KERNEL_MAX_PAIRS - 1);
    assert_int_equal(p.line[0].sum, 4 * p.line[0].count);
}

#define LOG_HEAD                                                                                   \
    "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"                             \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "   \
    "run host ID, zone name, type, source line, source file\n"
#define LOG_ROW(time, data, zone, type)                                                            \
    "0,1,1,TRISC_0,7," time "," data ",1024," zone "," type ",1,f.cpp\n"

/* A kernel with two waits, and a total that has the time of its start. */
static const char *const rows_of_kernel[] = {
    LOG_ROW("100", "0", "TRISC-FW", "ZONE_START"),
    LOG_ROW("110", "0", "TRISC-KERNEL", "ZONE_START"),
    LOG_ROW("120", "0", "k_L5_cb_wait", "ZONE_START"),
    LOG_ROW("130", "0", "k_L5_cb_wait", "ZONE_END"),
    LOG_ROW("140", "0", "k_L5_cb_wait", "ZONE_START"),
    LOG_ROW("160", "0", "k_L5_cb_wait", "ZONE_END"),
    LOG_ROW("200", "0", "TRISC-KERNEL", "ZONE_END"),
    LOG_ROW("210", "0", "TRISC-FW", "ZONE_END"),
    LOG_ROW("110", "7", "CB-COMPUTE-WAIT-FRONT", "ZONE_TOTAL"),
};

static void read_log(struct ttp_kernel_profile *p, ttp_str text, struct ttp_arena *arena)
{
    const struct ttp_profile_options options = {.logs = {.threads = 1}};
    struct test_file file;

    test_file_open(&file, text);
    assert_int_equal(ttp_kernel_read_profile(p, file.path, &options, arena, NULL), TTP_OK);
    test_file_close(&file);
}

/* Row by row, log after log, and not at all. */
static void test_kernel__rows_that_are_there_twice_count_once(void **state)
{
    static const struct {
        unsigned of_row, of_log;
        uint64_t repeated;
    } cases[] = {{1, 1, 0}, {2, 1, 4}, {3, 1, 8}, {1, 2, 4}, {1, 3, 8}};

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_kernel_profile p;
        struct ttp_sink text;

        ttp_sink_to_arena(&text, *state);
        ttp_sink_put(&text, TTP_STR(LOG_HEAD));
        for (unsigned log = 0; log < cases[i].of_log; log++)
            for (size_t row = 0; row < TTP_COUNT(rows_of_kernel); row++)
                for (unsigned n = 0; n < cases[i].of_row; n++)
                    ttp_sink_put(&text, ttp_str_from(rows_of_kernel[row]));
        read_log(&p, ttp_sink_text(&text), *state);
        assert_int_equal(p.repeated, cases[i].repeated);
        assert_int_equal(p.ncores, 1);
        assert_int_equal(p.core[0].kernel[TTP_KERNEL_TRISC_0], 90);
        assert_int_equal(p.core[0].wait[TTP_KERNEL_TRISC_0], 10 + 20 + 7);
        assert_int_equal(p.core[0].pairs[TTP_KERNEL_TRISC_0], 2);
        assert_int_equal(p.line[0].count, 2);
    }
}

/* What is left of two rows around NUL bytes may have as many fields as one. */
static void test_kernel__rows_with_nul_bytes_are_invalid(void **state)
{
    struct ttp_kernel_profile p;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, *state);
    ttp_sink_put(&text, TTP_STR(LOG_HEAD));
    for (size_t row = 0; row < TTP_COUNT(rows_of_kernel); row++)
        if (row == 2)
            ttp_sink_put(&text, TTP_STR("0,1,1,TRISC_0,7,120,0,1024,k_L5_cb_w\0\0\0,ZONE_START,1,"
                                        "f.cpp\n"));
        else
            ttp_sink_put(&text, ttp_str_from(rows_of_kernel[row]));
    read_log(&p, ttp_sink_text(&text), *state);
    assert_int_equal(p.log.bad_rows.count, 1);
    assert_int_equal(p.log.bad_rows.line, 5);
    assert_true(p.log.has_nul);
    assert_int_equal(p.line[0].count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_kernel__names_of_zones),
        TTP_TEST_ARENA(test_kernel__original_ops),
        TTP_TEST_ARENA(test_kernel__waits_of_a_line_with_two_buffers),
        TTP_TEST_ARENA(test_kernel__graphs_that_are_none_are_refused),
        TTP_TEST_ARENA(test_kernel__targets_by_the_map_of_the_chip),
        TTP_TEST_ARENA(test_kernel__transfers_with_state_go_where_it_was_set),
        TTP_TEST_ARENA(test_kernel__multicasts_and_barriers),
        TTP_TEST_ARENA(test_kernel__who_waits_least_is_the_bottleneck),
        TTP_TEST_ARENA(test_kernel__ideal_bytes_are_tensors_in_dram),
        TTP_TEST_ARENA(test_kernel__full_marker_buffers_are_counted),
        TTP_TEST_ARENA(test_kernel__rows_that_are_there_twice_count_once),
        TTP_TEST_ARENA(test_kernel__rows_with_nul_bytes_are_invalid),
    };
    return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
