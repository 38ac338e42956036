/* SPDX-License-Identifier: Apache-2.0 */
/* Guarantees of the files of a synthetic run. */
#include "test.h"

#include "base/json_read.h"
#include "synth/kernel_run.h"
#include "synth/synth.h"
#include "synth/writers.h"

enum { COLUMNS = 15 };

static const struct ttp_synth_options small = {
    .seed = 1, .layers = 1, .devices = 2, .cores = 9, .replays = 2, .host_zones = 3};

static ttp_str make(enum ttp_synth_file file, const struct ttp_synth_options *opt,
                    struct ttp_synth_totals *totals, struct ttp_arena *arena)
{
    struct ttp_synth_totals mine;
    struct ttp_err err = {0};
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (ttp_synth_write_file(totals ? totals : &mine, &out, file, opt, &err) != TTP_OK)
        fail_msg("%s", err.text);
    return ttp_sink_text(&out);
}

static uint64_t number(ttp_str s)
{
    uint64_t v = 0;

    if (!ttp_str_to_u64(s, &v))
        fail_msg("'%.*s' is not a number", TTP_FMT(s));
    return v;
}

/* One row of the device log. */
struct marker {
    ttp_str field[COLUMNS];
    uint64_t time, id;
};

/* The next row, or false at the end. */
static bool next_marker(ttp_str *rest, struct marker *m)
{
    ttp_str line;

    if (!ttp_str_next_line(rest, &line))
        return false;
    assert_int_equal(ttp_str_split(line, ',', m->field, COLUMNS), COLUMNS);
    m->time = number(m->field[5]);
    m->id = number(m->field[7]);
    return true;
}

static ttp_str skip_lines(ttp_str text, size_t n)
{
    ttp_str line;

    while (n--)
        assert_true(ttp_str_next_line(&text, &line));
    return text;
}

static size_t count_lines(ttp_str text)
{
    ttp_str line;
    size_t n = 0;

    while (ttp_str_next_line(&text, &line))
        n++;
    return n;
}

static void assert_json(ttp_str text)
{
    struct ttp_json_reader r = {0};
    enum ttp_json_event event = TTP_JSON_MORE;
    struct ttp_err err = {0};

    ttp_json_feed(&r, text, true);
    while (event != TTP_JSON_END)
        if (ttp_json_next(&event, &r, &err) != TTP_OK)
            fail_msg("byte %zu of %.*s: %s", err.offset, TTP_FMT(text), err.text);
    ttp_json_clear(&r);
}

static void test_synth__the_seed_decides_every_byte(void **state)
{
    struct ttp_synth_options other = small;

    other.seed = 2;
    for (int f = TTP_SYNTH_DEVICE_LOG; f <= TTP_SYNTH_COORDINATES; f++) {
        const enum ttp_synth_file file = (enum ttp_synth_file)f;
        assert_true(ttp_str_eq(make(file, &small, NULL, *state), make(file, &small, NULL, *state)));
        if (file <= TTP_SYNTH_OPS_DATA)
            assert_false(
                ttp_str_eq(make(file, &small, NULL, *state), make(file, &other, NULL, *state)));
    }
}

static void test_synth__counts_are_those_asked_for(void **state)
{
    struct ttp_synth_options opt = small;
    struct ttp_synth_totals totals;

    opt.ops = 30;
    const ttp_str log = make(TTP_SYNTH_DEVICE_LOG, &opt, &totals, *state);
    assert_int_equal(totals.ops, 30);
    assert_int_equal(totals.executions, (15 + 2 * 15) * 2); /* half of them in the trace */
    assert_int_equal(totals.markers, count_lines(log) - 2);
    assert_int_equal(count_lines(make(TTP_SYNTH_CPP_REPORT, &opt, NULL, *state)) - 1,
                     totals.executions);
}

/* Within one RISC time moves on, every zone that starts ends, and the next op comes later. */
static void test_synth__zones_of_a_risc_nest_and_follow_each_other(void **state)
{
    ttp_str rest = skip_lines(make(TTP_SYNTH_DEVICE_LOG, &small, NULL, *state), 2);
    struct marker m, before = {0};
    ttp_str open[8];
    size_t depth = 0;

    while (next_marker(&rest, &m)) {
        bool same = true;
        for (size_t i = 0; i < 4; i++)
            same = same && ttp_str_eq(m.field[i], before.field[i]);
        if (!same)
            assert_int_equal(depth, 0);
        else
            assert_true(m.time > before.time);
        if (ttp_str_eq(m.field[11], TTP_STR("ZONE_START"))) {
            open[depth++] = m.field[10];
            assert_true(depth <= 2);
        } else {
            assert_true(depth > 0 && ttp_str_eq(open[--depth], m.field[10]));
        }
        before = m;
    }
    assert_int_equal(depth, 0);
}

/* First start and last end of the firmware zones of every execution. */
struct seen {
    uint64_t id, replay, first, last;
    uint64_t master_end; /* the last of BRISC and ERISC */
};

static struct seen *look_up(struct seen *all, size_t *n, uint64_t id, uint64_t replay)
{
    for (size_t i = 0; i < *n; i++)
        if (all[i].id == id && all[i].replay == replay)
            return &all[i];
    all[*n] = (struct seen){.id = id, .replay = replay, .first = UINT64_MAX};
    return &all[(*n)++];
}

static size_t read_log(struct seen *all, ttp_str log)
{
    ttp_str rest = skip_lines(log, 2);
    struct marker m;
    size_t n = 0;

    while (next_marker(&rest, &m)) {
        struct seen *s = look_up(all, &n, m.id, m.field[9].len ? number(m.field[9]) : 0);
        if (!ttp_str_ends(m.field[10], TTP_STR("-FW")))
            continue;
        s->first = m.time < s->first ? m.time : s->first;
        s->last = m.time > s->last ? m.time : s->last;
        if (!ttp_str_starts(m.field[3], TTP_STR("TRISC")) &&
            !ttp_str_eq(m.field[3], TTP_STR("NCRISC")) && m.time > s->master_end)
            s->master_end = m.time;
    }
    return n;
}

static void test_synth__the_cpp_report_says_what_the_markers_say(void **state)
{
    static struct seen all[512];
    ttp_str rest = skip_lines(make(TTP_SYNTH_CPP_REPORT, &small, NULL, *state), 1), line;
    size_t n = read_log(all, make(TTP_SYNTH_DEVICE_LOG, &small, NULL, *state));
    const size_t executions = n;
    size_t rows = 0;

    for (; ttp_str_next_line(&rest, &line); rows++) {
        ttp_str cell[40];
        assert_int_equal(ttp_str_split(line, ',', cell, 40), 36);
        const uint64_t replay = cell[2].len ? number(cell[2]) : 0;
        const struct seen *s = look_up(all, &n, number(cell[0]), replay);
        assert_int_equal(number(cell[12]), s->first);
        assert_int_equal(number(cell[13]), s->last);
        assert_int_equal(number(cell[11]), s->last - s->first); /* 1 GHz */
    }
    assert_int_equal(rows, executions);
    assert_int_equal(n, executions); /* none was looked up that is not in the log */
}

/* Readers end an op there: what came later would count for the next. */
static void test_synth__the_firmware_of_brisc_is_last_to_end(void **state)
{
    static struct seen all[512];
    struct ttp_synth_options opt = small;

    for (opt.seed = 3; opt.seed < 6; opt.seed++) {
        const size_t n = read_log(all, make(TTP_SYNTH_DEVICE_LOG, &opt, NULL, *state));
        for (size_t i = 0; i < n; i++)
            assert_int_equal(all[i].master_end, all[i].last);
    }
}

static void test_synth__dumps_only_change_the_order_of_rows(void **state)
{
    static struct seen one[512], three[512];
    struct ttp_synth_options opt = small;

    opt.dumps = 3;
    const ttp_str whole = make(TTP_SYNTH_DEVICE_LOG, &small, NULL, *state);
    const ttp_str blocks = make(TTP_SYNTH_DEVICE_LOG, &opt, NULL, *state);
    assert_int_equal(whole.len, blocks.len);
    assert_false(ttp_str_eq(whole, blocks));
    size_t n = read_log(one, whole);
    const size_t count = n;
    assert_int_equal(read_log(three, blocks), count);
    for (size_t i = 0; i < count; i++) {
        const struct seen *s = look_up(one, &n, three[i].id, three[i].replay);
        assert_int_equal(s->first, three[i].first);
        assert_int_equal(s->last, three[i].last);
    }
}

/* The text between back-ticks, from the brace on. */
static void test_synth__messages_hold_json(void **state)
{
    ttp_str rest = make(TTP_SYNTH_OPS_DATA, &small, NULL, *state);
    size_t objects = 0;

    for (;;) {
        const size_t from = ttp_str_find(rest, TTP_STR(" ->\n{"));
        if (from == TTP_NPOS)
            break;
        rest = ttp_str_slice(rest, from + 4, rest.len);
        const size_t to = ttp_str_find_char(rest, '`');
        assert_json(ttp_str_slice(rest, 0, to));
        objects++;
    }
    assert_true(objects > 20);
}

static void test_synth__cluster_files_and_noc_traces_are_json(void **state)
{
    struct ttp_synth_options opt = small;
    struct ttp_synth_plan plan;
    struct ttp_sink out;

    opt.noc = true;
    assert_json(make(TTP_SYNTH_TOPOLOGY, &opt, NULL, *state));
    assert_json(make(TTP_SYNTH_COORDINATES, &opt, NULL, *state));
    assert_int_equal(ttp_synth_plan_run(&plan, &opt, *state, NULL), TTP_OK);
    ttp_sink_to_arena(&out, *state);
    ttp_synth_put_noc_trace(&out, &plan, &plan.exec[1], 1);
    assert_json(ttp_sink_text(&out));
    assert_true(ttp_str_has(ttp_sink_text(&out), TTP_STR("\"type\": \"READ\"")));
    assert_true(ttp_str_has(make(TTP_SYNTH_DEVICE_LOG, &opt, NULL, *state), TTP_STR(",12345,")));
}

static void test_synth__noc_events_survive_packing(void **state)
{
    const struct ttp_synth_noc e = {.type = SYNTH_NOC_WRITE_MULTICAST,
                                    .to = {1, 2},
                                    .end = {9, 11},
                                    .has_to = true,
                                    .noc = 1,
                                    .bytes = 8160};
    const struct ttp_synth_noc back = ttp_synth_noc_unpack(ttp_synth_noc_pack(&e, 7).data);

    (void)state;
    assert_int_equal(back.type, e.type);
    assert_int_equal(back.to.x, 1);
    assert_int_equal(back.to.y, 2);
    assert_int_equal(back.end.x, 9);
    assert_int_equal(back.end.y, 11);
    assert_true(back.has_to);
    assert_int_equal(back.noc, 1);
    assert_int_equal(back.bytes, 8160);
}

/* The same rule gave the ids of a real n150's log; its paths are not ours to repeat. */
static void test_synth__zone_ids_are_those_of_the_kernel_profiler(void **state)
{
#define USERS "/home"
    const struct ttp_synth_zone fw = {
        "BRISC-FW", USERS "/user/tt-metal/tt_metal/hw/firmware/src/tt-1xx/brisc.cc", 433};
    const struct ttp_synth_zone kernel = {
        "TRISC-KERNEL", USERS "/user/tt-metal/tt_metal/hw/firmware/src/tt-1xx/trisck.cc", 86};

    (void)state;
    assert_int_equal(ttp_synth_zone_id(&fw), 43095);
    assert_int_equal(ttp_synth_zone_id(&kernel), 43654);
}

static void test_synth__counters_are_rows_of_brisc_and_end_the_cpp_report(void **state)
{
    struct ttp_synth_options opt = small;
    struct ttp_synth_totals totals;
    struct ttp_err err = {0};
    struct ttp_sink out;

    opt.counters = true;
    assert_true(ttp_str_has(make(TTP_SYNTH_DEVICE_LOG, &opt, NULL, *state),
                            TTP_STR("{\"counter type\":\"FPU_COUNTER\";\"ref cnt\":")));
    ttp_sink_to_arena(&out, *state);
    assert_int_equal(ttp_synth_write_file(&totals, &out, TTP_SYNTH_CPP_REPORT, &opt, &err),
                     TTP_EUSAGE);
}

/* Cycles that a RISC spent in zones of a name. */
static uint64_t time_in(ttp_str log, const char *risc, const char *zone)
{
    ttp_str rest = skip_lines(log, 2);
    struct marker m;
    uint64_t sum = 0;

    while (next_marker(&rest, &m))
        if (ttp_str_eq(m.field[3], ttp_str_from(risc)) &&
            ttp_str_eq(m.field[10], ttp_str_from(zone)))
            sum += ttp_str_eq(m.field[11], TTP_STR("ZONE_END")) ? m.time : -m.time;
    return sum;
}

static void test_synth__the_planted_bottleneck_is_what_the_others_wait_for(void **state)
{
    struct ttp_synth_options opt = {
        .seed = 1, .model = TTP_SYNTH_TT_LANG_KERNEL, .devices = 1, .cores = 2};

    opt.bottleneck = TTP_SYNTH_READER;
    ttp_str log = make(TTP_SYNTH_DEVICE_LOG, &opt, NULL, *state);
    assert_true(time_in(log, "TRISC_0", "compute_L38_cb_wait") >
                time_in(log, "TRISC_0", "compute_L40"));
    opt.bottleneck = TTP_SYNTH_COMPUTE;
    log = make(TTP_SYNTH_DEVICE_LOG, &opt, NULL, *state);
    assert_true(time_in(log, "NCRISC", "dm_read_L20_cb_reserve") >
                time_in(log, "NCRISC", "dm_read_L23"));
    assert_true(time_in(log, "BRISC", "dm_write_L30_cb_wait") >
                time_in(log, "BRISC", "dm_write_L32"));
    opt.bottleneck = TTP_SYNTH_WRITER;
    log = make(TTP_SYNTH_DEVICE_LOG, &opt, NULL, *state);
    assert_true(time_in(log, "TRISC_2", "compute_L39_cb_reserve") >
                time_in(log, "BRISC", "dm_write_L30_cb_wait"));
}

static void test_synth__lines_of_the_kernel_are_where_its_zones_say(void **state)
{
    const ttp_str source = ttp_synth_kernel_source();
    ttp_str line, at_20 = skip_lines(source, 19), at_32 = skip_lines(source, 31),
                  at_40 = skip_lines(source, 39);

    (void)state;
    assert_true(ttp_str_next_line(&at_20, &line) && ttp_str_has(line, TTP_STR("a_dfb.reserve()")));
    assert_true(ttp_str_next_line(&at_32, &line) && ttp_str_has(line, TTP_STR("tx.wait()")));
    assert_true(ttp_str_next_line(&at_40, &line) && ttp_str_has(line, TTP_STR("ttl.exp")));
    assert_json(ttp_synth_kernel_flow_graph());
}

static void test_synth__faults_do_what_they_say(void **state)
{
    struct ttp_synth_options opt = small;
    const size_t rows = count_lines(make(TTP_SYNTH_CPP_REPORT, &opt, NULL, *state));
    const size_t markers = count_lines(make(TTP_SYNTH_DEVICE_LOG, &opt, NULL, *state));
    ttp_str text, line;

    opt.faults = TTP_SYNTH_MISSING_OP;
    assert_true(count_lines(make(TTP_SYNTH_CPP_REPORT, &opt, NULL, *state)) < rows);
    opt.faults = TTP_SYNTH_LOST_MARKERS;
    assert_int_equal(count_lines(make(TTP_SYNTH_CPP_REPORT, &opt, NULL, *state)), rows);
    assert_true(count_lines(make(TTP_SYNTH_DEVICE_LOG, &opt, NULL, *state)) < markers);
    opt.faults = TTP_SYNTH_DUPLICATE_START;
    assert_int_equal(count_lines(make(TTP_SYNTH_DEVICE_LOG, &opt, NULL, *state)), markers + 2);
    opt.faults = TTP_SYNTH_MISSING_DEVICE;
    assert_int_equal(count_lines(make(TTP_SYNTH_CPP_REPORT, &opt, NULL, *state)), rows / 2 + 1);
    opt.faults = TTP_SYNTH_TRUNCATED;
    text = make(TTP_SYNTH_DEVICE_LOG, &opt, NULL, *state);
    assert_true(ttp_str_ends(text, TTP_STR(",BRI")));
    opt.faults = TTP_SYNTH_NO_MESSAGES;
    assert_int_equal(count_lines(make(TTP_SYNTH_OPS_DATA, &opt, NULL, *state)), 1);
    opt.faults = TTP_SYNTH_OLD_COLUMNS;
    text = skip_lines(make(TTP_SYNTH_DEVICE_LOG, &opt, NULL, *state), 2);
    ttp_str cell[COLUMNS];
    assert_true(ttp_str_next_line(&text, &line));
    assert_int_equal(ttp_str_split(line, ',', cell, COLUMNS), 13);
}

static void test_synth__contradictions_are_refused(void **state)
{
    const struct ttp_synth_options bad[] = {
        {.devices = 1, .cores = 65},
        {.devices = 1, .bottleneck = TTP_SYNTH_READER},
        {.devices = 1, .model = TTP_SYNTH_TT_LANG_KERNEL, .replays = 1},
        {.devices = 1, .replays = 1, .faults = TTP_SYNTH_NEVER_REPLAYED},
        {.devices = 1, .faults = TTP_SYNTH_MISSING_DEVICE},
        {.devices = 1, .cores = 4, .sub_devices = true},
    };

    for (size_t i = 0; i < TTP_COUNT(bad); i++) {
        struct ttp_synth_plan plan;
        assert_int_equal(ttp_synth_plan_run(&plan, &bad[i], *state, NULL), TTP_EUSAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_synth__the_seed_decides_every_byte),
        TTP_TEST_ARENA(test_synth__counts_are_those_asked_for),
        TTP_TEST_ARENA(test_synth__zones_of_a_risc_nest_and_follow_each_other),
        TTP_TEST_ARENA(test_synth__the_cpp_report_says_what_the_markers_say),
        TTP_TEST_ARENA(test_synth__the_firmware_of_brisc_is_last_to_end),
        TTP_TEST_ARENA(test_synth__dumps_only_change_the_order_of_rows),
        TTP_TEST_ARENA(test_synth__messages_hold_json),
        TTP_TEST_ARENA(test_synth__cluster_files_and_noc_traces_are_json),
        TTP_TEST_ARENA(test_synth__noc_events_survive_packing),
        TTP_TEST_ARENA(test_synth__zone_ids_are_those_of_the_kernel_profiler),
        TTP_TEST_ARENA(test_synth__counters_are_rows_of_brisc_and_end_the_cpp_report),
        TTP_TEST_ARENA(test_synth__the_planted_bottleneck_is_what_the_others_wait_for),
        TTP_TEST_ARENA(test_synth__lines_of_the_kernel_are_where_its_zones_say),
        TTP_TEST_ARENA(test_synth__faults_do_what_they_say),
        TTP_TEST_ARENA(test_synth__contradictions_are_refused),
    };
    return cmocka_run_group_tests_name("synth", tests, NULL, NULL);
}
