/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "outputs/trace/trace_run.h"
#include "trace_decode.h"

struct written {
    struct ttp_trace_writer w;
    struct ttp_sink out;
    struct td_trace t;
};

static void start(struct written *x, struct ttp_arena *arena)
{
    ttp_sink_to_arena(&x->out, arena);
    ttp_out_trace_start(&x->w, &x->out, TTP_TRACE_PERFETTO, (struct ttp_trace_devices){0}, arena);
}

static void finish(struct written *x, struct ttp_arena *arena)
{
    ttp_out_trace_finish(&x->w);
    td_decode(&x->t, ttp_sink_text(&x->out), arena);
    assert_int_equal(td_faults(&x->t), 0);
}

static ttp_track add(struct written *x, ttp_track parent, const char *name,
                     enum ttp_track_kind kind)
{
    return ttp_out_trace_add_track(
        &x->w, &(struct ttp_trace_track){
                   .parent = parent, .name = ttp_str_from(name), .kind = kind, .unit = "GB/s"});
}

static void begin(struct written *x, ttp_track track, int64_t ns, const char *name)
{
    ttp_out_trace_begin(&x->w, track,
                        &(struct ttp_trace_slice){
                            .start_ns = ns, .name = ttp_out_trace_name(&x->w, ttp_str_from(name))});
}

static void assert_str(ttp_str got, const char *want)
{
    if (!ttp_str_eq(got, ttp_str_from(want)))
        fail_msg("'%.*s' is not '%s'", TTP_FMT(got), want);
}

static void test_trace__slices_nest_and_keep_their_times(void **state)
{
    struct written x;
    start(&x, *state);
    const ttp_track device = add(&x, 0, "Device 0", TTP_TRACK_GROUP);
    const ttp_track risc = add(&x, device, "BRISC", TTP_TRACK_SLICES);
    begin(&x, risc, 1000000000000, "FW");
    begin(&x, risc, 1000000000007, "KERNEL");
    ttp_out_trace_end(&x.w, risc, 1000000000107);
    begin(&x, risc, 1000000000107, "KERNEL");
    ttp_out_trace_end(&x.w, risc, 1000000000107);
    ttp_out_trace_end(&x.w, risc, 1000000000200);
    finish(&x, *state);

    static const struct {
        int64_t ts, dur;
        int depth;
        const char *name;
    } want[] = {{1000000000000, 200, 0, "FW"},
                {1000000000007, 100, 1, "KERNEL"},
                {1000000000107, 0, 1, "KERNEL"}};
    assert_int_equal(x.t.nevents, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(x.t.event[i].ts, want[i].ts);
        assert_int_equal(x.t.event[i].dur, want[i].dur);
        assert_int_equal(x.t.event[i].depth, want[i].depth);
        assert_str(x.t.event[i].name, want[i].name);
        assert_str(td_path(&x.t, x.t.event[i].track, *state), "Device 0/BRISC");
    }
    assert_int_equal(x.t.absolute_packets, 0);
    assert_int_equal(x.t.delta_packets, 6);
}

static void test_trace__what_lies_before_the_last_packet_has_an_absolute_time(void **state)
{
    struct written x;
    start(&x, *state);
    const ttp_track a = add(&x, 0, "a", TTP_TRACK_SLICES), b = add(&x, 0, "b", TTP_TRACK_SLICES);
    begin(&x, a, 500, "late");
    ttp_out_trace_end(&x.w, a, 600);
    begin(&x, b, 10, "other");
    ttp_out_trace_end(&x.w, b, 20);
    begin(&x, a, 100, "early");
    ttp_out_trace_end(&x.w, a, 200);
    begin(&x, a, 700, "last");
    ttp_out_trace_end(&x.w, a, 701);
    finish(&x, *state);

    static const int64_t want[] = {10, 100, 500, 700};
    assert_int_equal(x.t.nevents, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(x.t.event[i].ts, want[i]);
    assert_int_equal(x.t.event[3].dur, 1);
    assert_int_equal(x.t.absolute_packets, 2);
}

static void test_trace__arguments_of_every_type_come_back(void **state)
{
    struct written x;
    char text[700];
    memset(text, 'x', sizeof(text));
    start(&x, *state);
    const ttp_track a = add(&x, 0, "a", TTP_TRACK_SLICES);
    const struct ttp_trace_arg arg[] = {
        {TTP_KEY_START_CYCLE, TTP_ARG_UINT, {.u = UINT64_MAX}},
        {TTP_KEY_SUB_DEVICE, TTP_ARG_INT, {.i = -7}},
        {TTP_KEY_DRAM_PCT, TTP_ARG_REAL, {.f = 12.5}},
        {TTP_KEY_ATTRIBUTES, TTP_ARG_TEXT, {.text = {text, sizeof(text)}}},
        {TTP_KEY_SOURCE, TTP_ARG_NAME, {.name = ttp_out_trace_name(&x.w, TTP_STR("k.cpp:12"))}}};
    for (int i = 0; i < 2; i++) { /* names are reported once */
        ttp_out_trace_begin(
            &x.w, a,
            &(struct ttp_trace_slice){.start_ns = i,
                                      .name = ttp_out_trace_name(&x.w, TTP_STR("z")),
                                      .arg = arg,
                                      .nargs = TTP_COUNT(arg)});
        ttp_out_trace_end(&x.w, a, i + 1);
    }
    finish(&x, *state);
    for (size_t i = 0; i < 2; i++) {
        const struct td_event *e = &x.t.event[i];
        assert_str(td_arg(e, "start cycle"), "18446744073709551615");
        assert_str(td_arg(e, "sub-device"), "-7");
        assert_str(td_arg(e, "DRAM %"), "12.5");
        assert_int_equal(td_arg(e, "attributes").len, sizeof(text));
        assert_str(td_arg(e, "source"), "k.cpp:12");
    }
}

static void test_trace__names_are_told_once_on_each_track(void **state)
{
    struct written x;
    size_t times = 0;
    start(&x, *state);
    const ttp_track a = add(&x, 0, "a", TTP_TRACK_SLICES), b = add(&x, 0, "b", TTP_TRACK_SLICES);
    for (int i = 0; i < 300; i++) {
        begin(&x, i % 2 ? a : b, i, "a-name-that-comes-again");
        ttp_out_trace_end(&x.w, i % 2 ? a : b, i + 1);
    }
    finish(&x, *state);
    ttp_str rest = ttp_sink_text(&x.out);
    for (size_t at; (at = ttp_str_find(rest, TTP_STR("comes-again"))) != TTP_NPOS; times++)
        rest = ttp_str_slice(rest, at + 1, rest.len);
    assert_int_equal(times, 2);
}

static void test_trace__arrows_instants_and_counters_come_back(void **state)
{
    struct written x;
    start(&x, *state);
    const ttp_track host = add(&x, 0, "Host", TTP_TRACK_PROCESS);
    const ttp_track thread = add(&x, host, "Thread 1", TTP_TRACK_THREAD);
    const ttp_track counter = ttp_out_trace_add_track(
        &x.w,
        &(struct ttp_trace_track){
            .name = TTP_STR("DRAM"), .kind = TTP_TRACK_COUNTER, .unit = "GB/s", .real = true});
    const ttp_track whole = add(&x, 0, "Cores", TTP_TRACK_COUNTER);
    ttp_out_trace_instant(
        &x.w, thread,
        &(struct ttp_trace_slice){
            .start_ns = 5, .name = TTP_SYM_NONE, .text = TTP_STR("post"), .flow_out = 77});
    ttp_out_trace_begin(
        &x.w, thread,
        &(struct ttp_trace_slice){
            .start_ns = 9, .name = TTP_SYM_NONE, .text = TTP_STR("op"), .flow_in = 77});
    ttp_out_trace_end(&x.w, thread, 12);
    ttp_out_trace_counter(&x.w, counter, 3, 171.25);
    ttp_out_trace_counter(&x.w, whole, 4, -64);
    finish(&x, *state);
    assert_int_equal(x.t.nevents, 4);
    assert_int_equal(x.t.event[0].kind, TD_COUNTER);
    assert_true(x.t.event[0].value == 171.25);
    assert_true(x.t.event[1].value == -64);
    assert_int_equal(x.t.event[2].kind, TD_INSTANT);
    assert_int_equal(x.t.event[2].flow_out, 77);
    assert_int_equal(x.t.event[3].flow_in, 77);
    assert_str(td_find_track(&x.t, x.t.event[0].track)->unit, "GB/s");
}

static void test_trace__tracks_without_events_are_not_written(void **state)
{
    struct written x;
    start(&x, *state);
    (void)add(&x, 0, "nothing", TTP_TRACK_SLICES);
    finish(&x, *state);
    assert_int_equal(x.t.ntracks, 0);
    assert_int_equal(ttp_sink_text(&x.out).len, 0);
}

/* What overlaps without nesting goes to another track of the same name. */
static void test_trace__lanes_take_what_overlaps(void **state)
{
    static const int64_t span[][2] = {{0, 100}, {10, 50}, {20, 60}, {50, 50}, {60, 70}, {100, 130}};
    struct written x;
    struct ttp_lanes lanes;
    start(&x, *state);
    lanes = (struct ttp_lanes){.w = &x.w, .spec = {.name = TTP_STR("t"), .kind = TTP_TRACK_SLICES}};
    for (size_t i = 0; i < TTP_COUNT(span); i++)
        assert_true(ttp_out_lanes_put(&lanes, &(struct ttp_trace_slice){.start_ns = span[i][0],
                                                                        .end_ns = span[i][1],
                                                                        .name = TTP_SYM_NONE,
                                                                        .text = TTP_STR("s")}));
    ttp_out_lanes_finish(&lanes);
    finish(&x, *state);
    assert_int_equal(x.t.ntracks, 2);
    assert_int_equal(x.t.nevents, TTP_COUNT(span));
    for (size_t i = 0; i < TTP_COUNT(span); i++) {
        assert_int_equal(x.t.event[i].ts, span[i][0]);
        assert_int_equal(x.t.event[i].dur, span[i][1] - span[i][0]);
    }
}

/* Against 128-bit arithmetic, on clocks that do not divide 1000. */
static void test_trace__cycles_become_nanoseconds_exactly(void **state)
{
    static const uint64_t clocks[] = {1, 7, 800, 999, 1000, 1001, 1202, 1350, 1999, 1000000};
    uint64_t random = 88172645463325252u;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const uint64_t cycles = i < 64 ? ((uint64_t)1 << i % 50) - (uint64_t)(i & 1)
                                       : random & (TTP_TRACE_CYCLE_MAX - 1);
        for (size_t c = 0; c < TTP_COUNT(clocks); c++) {
            const unsigned __int128 exact = (unsigned __int128)cycles * 1000 / clocks[c];
            assert_true((unsigned __int128)ttp_trace_cycles_to_ns(cycles, clocks[c]) == exact);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_trace__slices_nest_and_keep_their_times),
        TTP_TEST_ARENA(test_trace__what_lies_before_the_last_packet_has_an_absolute_time),
        TTP_TEST_ARENA(test_trace__arguments_of_every_type_come_back),
        TTP_TEST_ARENA(test_trace__names_are_told_once_on_each_track),
        TTP_TEST_ARENA(test_trace__arrows_instants_and_counters_come_back),
        TTP_TEST_ARENA(test_trace__tracks_without_events_are_not_written),
        TTP_TEST_ARENA(test_trace__lanes_take_what_overlaps),
        cmocka_unit_test(test_trace__cycles_become_nanoseconds_exactly),
    };
    return cmocka_run_group_tests_name("outputs/trace_writer", tests, NULL, NULL);
}
