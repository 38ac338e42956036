/* SPDX-License-Identifier: Apache-2.0 */
/* test_phases.c - hand-made runs: which part of them is the window, and what is measured there. */
#include "test.h"

#include <math.h>

#include "analysis/phases.h"
#include "ops_line.h"

#define HEAD                                                                                       \
    "OP CODE,OP TYPE,DEVICE ID,HOST START TS,DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns],"   \
    "CORE COUNT,GLOBAL CALL COUNT,ATTRIBUTES,INPUT_0_MEMORY,METAL TRACE ID,"                       \
    "METAL TRACE REPLAY SESSION ID,PROGRAM CACHE HIT\n"
#define ROW(code, device, host, ns, gap, trace, session)                                           \
    code ",tt_dnn_device," #device "," #host "," #ns "," #gap ",64,1,,DRAM," #trace "," #session   \
         ",\n"
#define EAGER(code, ns)                ROW(code, 0, 1, ns, 1000, , )
#define CAPTURED(code, host)           ROW(code, 0, host, , , , )
#define REPLAYED(code, host, ns, t, s) ROW(code, 0, host, ns, 1000, t, s)
#define MARK(name)                     name ",signpost,,2,,,,,,,,,\n"

static const struct ttp_window *window_of(struct ops_line *line, const char *text,
                                          const char *window, struct ttp_arena *arena)
{
    const struct ttp_report_options options = {.window = window};

    ops_line_run(line, text, &options, arena);
    return &line->report.window;
}

static void assert_us(double got, double want)
{
    if (fabs(got - want) > 1e-6)
        fail_msg("%g instead of %g", got, want);
}

static void test_phases__names_of_signposts(void **state)
{
    static const struct {
        const char *name, *base;
        enum ttp_post_role role;
    } cases[] = {
        {"PERF_DECODE", "perf decode", TTP_POST_PLAIN},
        {"PERF_DECODE_END", "perf decode", TTP_POST_END},
        {"X_START", "x", TTP_POST_START},
        {"x started", "x", TTP_POST_START},
        {"x finished", "x", TTP_POST_END},
        {"start", "", TTP_POST_START},
        {"stop", "", TTP_POST_END},
        {"M3_ZONE_START decode", "m3 zone decode", TTP_POST_START},
        {"M3_ZONE_END decode", "m3 zone decode", TTP_POST_END},
        {"forward_layer_3_start", "forward layer 3", TTP_POST_START},
        {"prefillStart", "prefill", TTP_POST_START},
        {"backend", "backend", TTP_POST_PLAIN},
        {"restart", "restart", TTP_POST_PLAIN},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        ttp_str base;
        const enum ttp_post_role role =
            ttp_analysis_post_parse(&base, ttp_str_from(cases[i].name), *state);
        assert_int_equal(role, cases[i].role);
        assert_text(base, cases[i].base);
    }
}

/* Names of ranges with their depth, such as "a0 b1". */
static void assert_ranges(const char *text, const char *want, struct ttp_arena *arena)
{
    const struct ttp_report_options all = {.window = "all"};
    struct ops_line line;
    struct ttp_sink got;

    ops_line_run(&line, text, &all, arena);
    ttp_sink_to_arena(&got, arena);
    for (size_t i = 0; i < line.report.ranges.count; i++)
        ttp_sink_printf(&got, "%s%.*s%u", i ? " " : "", TTP_FMT(line.report.ranges.item[i].name),
                        line.report.ranges.item[i].depth);
    assert_text(ttp_sink_text(&got), want);
}

static void test_phases__signposts_form_a_tree(void **state)
{
    static const struct {
        const char *text, *tree;
    } cases[] = {
        {HEAD MARK("N") EAGER("A", 1) MARK("N_END"), "N0"},
        {HEAD MARK("N") EAGER("A", 1) MARK("N_END") MARK("N") EAGER("A", 1) MARK("N_END"), "N0 N0"},
        {HEAD MARK("same") EAGER("A", 1) MARK("same"), "same0"},
        {HEAD MARK("start") EAGER("A", 1) MARK("stop"), "start0"},
        {HEAD MARK("m started") MARK("b started") EAGER("A", 1) MARK("b finished")
             MARK("m finished"),
         "m started0 b started1"},
        /* what is never closed is not a range where others are */
        {HEAD MARK("lone") MARK("P") EAGER("A", 1) MARK("odd") MARK("P_END"), "P0"},
        /* an end without a beginning is a name like others */
        {HEAD MARK("the_end") EAGER("A", 1), "the_end0"},
        {HEAD MARK("warm") EAGER("A", 1) MARK("go") EAGER("B", 1), "go0"},
        {HEAD MARK("go") EAGER("B", 1) MARK("last"), "go0"},
        {HEAD EAGER("B", 1), ""},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_ranges(cases[i].text, cases[i].tree, *state);
}

/* Replays win over everything else, and their host time says nothing: all of them have that of the
 * capture, before the signpost. */
#define TRACED                                                                                     \
    HEAD EAGER("A", 9000) EAGER("B", 9000) CAPTURED("A", 5) CAPTURED("B", 6)                       \
        REPLAYED("A", 5, 1000, 0, 1) REPLAYED("B", 6, 2000, 0, 1) MARK("DECODE")                   \
            REPLAYED("A", 5, 1100, 0, 2) REPLAYED("B", 6, 2100, 0, 2) REPLAYED("A", 5, 1200, 0, 3) \
                REPLAYED("B", 6, 2400, 0, 3) MARK("DECODE_END")

static void test_phases__replays_between_signposts_are_the_iterations(void **state)
{
    struct ops_line line;
    const struct ttp_window *w = window_of(&line, TRACED, NULL, *state);

    assert_int_equal(w->kind, TTP_WINDOW_REPLAY);
    assert_text(w->name, "trace 0");
    assert_int_equal(w->iterations, 2);
    assert_us(w->device_us, (3.2 + 3.6) / 2);
    assert_us(w->min_us, 3.2);
    assert_us(w->max_us, 3.6);
    assert_us(w->gap_us, 1); /* the first op's gap is outside */
    assert_int_equal(w->ops, 2);
    assert_int_equal(w->first_row + 2, 9);
    assert_int_equal(w->last_row + 2, 12);
    assert_codes(&line, "A B");
    assert_us(line.report.op[0].time_us, 1.15);
    assert_us(line.report.op[0].min_us, 1.1);
    assert_us(line.report.op[0].max_us, 1.2);
    assert_int_equal(w->phase[TTP_PHASE_CAPTURE].ops, 2);
    assert_int_equal(w->phase[TTP_PHASE_COLD].ops, 2);
    assert_int_equal(w->phase[TTP_PHASE_WARMUP].ops, 2);
    assert_int_equal(w->phase[TTP_PHASE_ITERATION].ops, 4);
}

static void test_phases__the_trace_with_most_time_and_any_other(void **state)
{
    static const char text[] =
        HEAD REPLAYED("A", 5, 1000, 0, 1) REPLAYED("A", 5, 1000, 0, 2) REPLAYED("B", 6, 5000, 1, 1);
    struct ops_line line;

    assert_us(window_of(&line, text, NULL, *state)->device_us, 5);
    assert_text(line.report.window.name, "trace 1");
    assert_us(window_of(&line, text, "trace=0", *state)->device_us, 1);
    assert_int_equal(line.report.window.iterations, 2);
}

/* Session 1 of trace 0 occurs twice: the trace was captured again in between. */
static void test_phases__sessions_repeat(void **state)
{
    static const char text[] = HEAD MARK("SHORT") CAPTURED("A", 5) REPLAYED("A", 5, 1000, 0, 1)
        MARK("SHORT_END") MARK("LONG") EAGER("C", 7) CAPTURED("B", 8) REPLAYED("B", 8, 3000, 0, 1)
            REPLAYED("B", 8, 3200, 0, 2) MARK("LONG_END");
    struct ops_line line;

    assert_us(window_of(&line, text, NULL, *state)->device_us, 3.1);
    assert_us(window_of(&line, text, "range=SHORT", *state)->device_us, 1);
    assert_us(window_of(&line, text, "range=LONG", *state)->device_us, 3.1);
    assert_int_equal(line.report.window.kind, TTP_WINDOW_REPLAY);
}

/* A report of the C++ writer has all sessions of an op together. */
static void test_phases__replays_may_be_interleaved(void **state)
{
    static const char text[] = HEAD REPLAYED("A", 5, 1000, 0, 1) REPLAYED("A", 5, 1100, 0, 2)
        REPLAYED("B", 6, 2000, 0, 1) REPLAYED("B", 6, 2100, 0, 2);
    struct ops_line line;
    const struct ttp_window *w = window_of(&line, text, NULL, *state);

    assert_int_equal(w->iterations, 2);
    assert_us(w->device_us, 3.1);
    assert_codes(&line, "A B");
}

static void test_phases__the_first_slow_replays_warm_up(void **state)
{
    static const char text[] = HEAD REPLAYED("A", 5, 5000, 0, 1) REPLAYED("A", 5, 1000, 0, 2)
        REPLAYED("A", 5, 1010, 0, 3) REPLAYED("A", 5, 1020, 0, 4);
    struct ops_line line;
    const struct ttp_window *w = window_of(&line, text, NULL, *state);

    assert_int_equal(w->warmups, 1);
    assert_us(w->device_us, 1.01);
}

#define EAGER_RUN                                                                                  \
    HEAD EAGER("S", 7000) MARK("P") EAGER("A", 1000) EAGER("B", 2000) MARK("P_END") EAGER("Z", 1)

static void test_phases__the_last_range(void **state)
{
    struct ops_line line;
    const struct ttp_window *w = window_of(&line, EAGER_RUN, NULL, *state);

    assert_int_equal(w->kind, TTP_WINDOW_SIGNPOSTS);
    assert_text(w->name, "P");
    assert_int_equal(w->iterations, 1);
    assert_us(w->device_us, 3);
    assert_codes(&line, "A B");
    w = window_of(&line,
                  HEAD MARK("P") EAGER("A", 1000) MARK("P_END") MARK("Q") EAGER("B", 9000)
                      MARK("Q_END") MARK("NONE") MARK("NONE_END"),
                  NULL, *state);
    assert_text(w->name, "Q"); /* one without ops is passed over */
}

/* Exact repetition with nothing left over, or else one iteration. */
static void test_phases__a_range_may_hold_several_iterations(void **state)
{
    struct ops_line line;
    const struct ttp_window *w = window_of(&line,
                                           HEAD MARK("P") EAGER("A", 1000) EAGER("B", 2000)
                                               EAGER("A", 1000) EAGER("B", 3000) MARK("P_END"),
                                           NULL, *state);

    assert_int_equal(w->iterations, 2);
    assert_us(w->device_us, 3.5);
    w = window_of(&line,
                  HEAD MARK("P") EAGER("A", 1000) EAGER("B", 2000) EAGER("A", 1000) EAGER("B", 3000)
                      EAGER("A", 1) MARK("P_END"),
                  NULL, *state);
    assert_int_equal(w->iterations, 1);
    assert_us(w->device_us, 7.001);
    w = window_of(&line,
                  HEAD MARK("P") EAGER("A", 1000) EAGER("B", 2000) EAGER("A", 1000) EAGER("C", 3000)
                      MARK("P_END"),
                  NULL, *state);
    assert_int_equal(w->iterations, 1);
}

static void test_phases__ranges_of_one_name_that_run_alike_are_iterations(void **state)
{
    struct ops_line line;
    const struct ttp_window *w =
        window_of(&line,
                  HEAD MARK("P") EAGER("X", 1) MARK("P_END") MARK("P") EAGER("A", 1000)
                      MARK("P_END") MARK("P") EAGER("A", 3000) MARK("P_END"),
                  NULL, *state);

    assert_int_equal(w->iterations, 2);
    assert_us(w->device_us, 2);
}

static void test_phases__in_a_range_replays_come_first(void **state)
{
    static const char text[] = HEAD MARK("D") EAGER("A", 8000) CAPTURED("A", 5)
        REPLAYED("A", 5, 1000, 0, 1) MARK("D_END") MARK("P") EAGER("B", 4000) MARK("P_END");
    struct ops_line line;

    assert_us(window_of(&line, text, "range=D", *state)->device_us, 1);
    assert_text(line.report.window.name, "D");
    assert_us(window_of(&line, text, "range=P", *state)->device_us, 4);
    assert_int_equal(line.report.window.kind, TTP_WINDOW_SIGNPOSTS);
    assert_us(window_of(&line, text, "range=p", *state)->device_us, 4); /* in any case */
}

#define STEP EAGER("A", 1000) EAGER("B", 2000) EAGER("C", 3000) EAGER("D", 4000)

static void test_phases__repetition_where_there_are_no_signposts(void **state)
{
    struct ops_line line;
    const struct ttp_window *w =
        window_of(&line, HEAD EAGER("S", 500) EAGER("T", 500) STEP STEP STEP, NULL, *state);

    assert_int_equal(w->kind, TTP_WINDOW_REPETITION);
    assert_int_equal(w->iterations, 3);
    assert_us(w->device_us, 10);
    assert_int_equal(w->phase[TTP_PHASE_SETUP].ops, 2);
    assert_codes(&line, "A B C D");
    w = window_of(&line, HEAD EAGER("A", 1) EAGER("B", 2) EAGER("C", 3), NULL, *state);
    assert_int_equal(w->kind, TTP_WINDOW_WHOLE);
}

/* An embedding, three layers and a head are one pass. */
static void test_phases__layers_are_no_iterations(void **state)
{
    struct ops_line line;
    const struct ttp_window *w =
        window_of(&line, HEAD EAGER("E", 500) STEP STEP STEP EAGER("H", 2000), NULL, *state);

    assert_int_equal(w->kind, TTP_WINDOW_WHOLE);
    w = window_of(&line, HEAD EAGER("E", 500) STEP STEP STEP EAGER("H", 100), NULL, *state);
    assert_int_equal(w->kind, TTP_WINDOW_REPETITION); /* a result that is read back */
}

static void test_phases__one_signpost_alone_keeps_its_meaning(void **state)
{
    struct ops_line line;
    const struct ttp_window *w =
        window_of(&line, HEAD EAGER("A", 1000) MARK("go") EAGER("B", 3000), NULL, *state);

    assert_int_equal(w->kind, TTP_WINDOW_SIGNPOSTS);
    assert_text(w->name, "go");
    assert_codes(&line, "B");
}

/* The median over the devices that take part: 1, 2 and 6 us. */
static void test_phases__several_devices(void **state)
{
    static const char text[] = HEAD MARK("P") ROW("A", 0, 1, 1000, , , ) ROW("A", 1, 1, 2000, , , )
        ROW("A", 2, 1, 6000, , , ) MARK("P_END") ROW("Z", 3, 1, 90, , , );
    struct ops_line line;
    const struct ttp_window *w = window_of(&line, text, NULL, *state);

    assert_int_equal(w->devices, 3);
    assert_us(w->device_us, 2);
    assert_int_equal(w->ops, 1);
}

/* Rows that add up to the time of the window: of the device in the middle, or of two. */
static void test_phases__rows_of_the_median_device(void **state)
{
    static const struct ttp_report_options options = {.median_device = true};
    static const char three[] =
        HEAD ROW("A", 0, 1, 1000, , , ) ROW("A", 1, 1, 6000, , , ) ROW("A", 2, 1, 2000, , , );
    static const char four[] = HEAD ROW("A", 0, 1, 9000, , , ) ROW("A", 1, 1, 2000, , , )
        ROW("A", 2, 1, 1000, , , ) ROW("A", 3, 1, 3000, , , );
    struct ops_line line;

    ops_line_run(&line, three, &options, *state);
    assert_int_equal(line.report.count, 1);
    assert_int_equal(line.report.middle.devices, 1);
    assert_int_equal(line.report.middle.device[0], 2);
    assert_us(line.report.time_us, 2);
    assert_us(line.report.window.device_us, 2);
    ops_line_run(&line, four, &options, *state);
    assert_int_equal(line.report.count, 1);
    assert_int_equal(line.report.middle.devices, 2);
    assert_us(line.report.time_us, 2.5);
    assert_us(line.report.window.device_us, 2.5);
    /* the two in the middle ran different ops: one of them represents the run */
    ops_line_run(&line, HEAD ROW("A", 0, 1, 9000, , , ) ROW("B", 1, 1, 2000, , , ), &options,
                 *state);
    assert_int_equal(line.report.middle.devices, 1);
    assert_us(line.report.time_us, 2);
}

/* What the device waits between two iterations, also without a trace. */
static void test_phases__the_wait_between_iterations(void **state)
{
#define PART                                                                                       \
    ROW("A", 0, 1, 5000, 70000, , )                                                                \
    ROW("B", 0, 1, 5000, 100, , ) ROW("C", 0, 1, 5000, 100, , ) ROW("D", 0, 1, 5000, 100, , )
    struct ops_line line;
    const struct ttp_window *w = window_of(&line, HEAD PART PART PART PART, NULL, *state);

    assert_int_equal(w->kind, TTP_WINDOW_REPETITION);
    assert_us(w->between_us, 70);
    assert_us(w->gap_us, 0.3);
    w = window_of(&line, HEAD PART PART PART PART, "all", *state);
    assert_true(isnan(w->between_us));
}

static void test_phases__a_run_without_profiler_tells_its_overhead(void **state)
{
    struct ops_line line;

    (void)window_of(&line, HEAD STEP STEP STEP, NULL, *state);
    const struct ttp_window *w = &line.report.window;
    const double us = w->device_us + w->gap_us + (w->between_us > 0 ? w->between_us : 0);
    const struct ttp_quality_item *item = &line.report.quality.item[TTP_CHECK_OVERHEAD];

    ttp_analysis_set_unprofiled(&line.report,
                                &(struct ttp_unprofiled){us / 1.05, TTP_STR("run 1")});
    assert_int_equal(item->level, TTP_QUALITY_GOOD);
    assert_true(ttp_str_has(item->text, TTP_STR("+5.0 % with the profiler")));
    ttp_analysis_set_unprofiled(&line.report, &(struct ttp_unprofiled){us / 1.5, TTP_STR("run 1")});
    assert_int_equal(item->level, TTP_QUALITY_CAUTION);
    assert_int_equal(line.report.quality.level, TTP_QUALITY_CAUTION);
    assert_non_null(item->to_do);
}

static void test_phases__other_windows(void **state)
{
    struct ops_line line;

    assert_us(window_of(&line, EAGER_RUN, "all", *state)->device_us, 10.001);
    assert_codes(&line, "S A B Z");
    (void)window_of(&line, TRACED, "cold", *state);
    assert_codes(&line, "A B");
    (void)window_of(&line, TRACED, "capture", *state);
    assert_int_equal(line.report.captured_ops, 2);
    assert_us(window_of(&line, TRACED, "iteration=2", *state)->device_us, 3.6);
    assert_int_equal(line.report.window.iterations, 1);
}

static void test_phases__what_cannot_be_chosen(void **state)
{
    static const struct {
        const char *text, *says;
        struct ttp_report_options options;
        ttp_code code;
    } cases[] = {
        {EAGER_RUN, "invalid window", {.window = "some"}, TTP_EUSAGE},
        {EAGER_RUN, "invalid window", {.window = "iteration=0"}, TTP_EUSAGE},
        {EAGER_RUN, "invalid window", {.window = "range="}, TTP_EUSAGE},
        {EAGER_RUN, "invalid window", {.window = "all=1"}, TTP_EUSAGE},
        {EAGER_RUN, "no range 'Q'", {.window = "range=Q"}, TTP_ENOTFOUND},
        {EAGER_RUN, "no replays of trace 7", {.window = "trace=7"}, TTP_ENOTFOUND},
        {EAGER_RUN, "no iteration 2", {.window = "iteration=2"}, TTP_ENOTFOUND},
        {EAGER_RUN, "conflicts with", {.window = "auto", .start_signpost = "P"}, TTP_EUSAGE},
        {EAGER_RUN, "conflicts with", {.window = "all", .ignore_signposts = true}, TTP_EUSAGE},
        {EAGER_RUN, "conflicts with", {.window = "all", .has_id_range = true}, TTP_EUSAGE},
        {EAGER_RUN, "no operations", {.window = "capture"}, TTP_EPARSE},
        {HEAD MARK("P") MARK("P_END") EAGER("A", 1),
         "no operations",
         {.window = "range=P"},
         TTP_EPARSE},
        {HEAD MARK("P") MARK("P_END") EAGER("A", 1),
         "no operations",
         {.start_signpost = "P", .end_signpost = "P_END"},
         TTP_EPARSE},
        {HEAD, "no operations", {0}, TTP_EPARSE},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ops_line line;
        ops_line_try(&line, cases[i].text, &cases[i].options, *state);
        assert_int_equal(line.code, cases[i].code);
        if (!strstr(line.err.text, cases[i].says))
            fail_msg("case %zu: '%s'", i, line.err.text);
    }
}

static void test_phases__a_window_with_little_of_the_time_is_said(void **state)
{
    struct ops_line line;

    (void)window_of(&line, HEAD EAGER("A", 99000) MARK("P") EAGER("B", 1000) MARK("P_END"), NULL,
                    *state);
    assert_note(&line.report.notes, "only 1.0 %");
    (void)window_of(&line, EAGER_RUN, NULL, *state);
    assert_no_note(&line.report.notes, "only");
}

/* Hosts of one run: each is cut by its own signposts. */
static void test_phases__hosts_have_their_own_signposts(void **state)
{
    static const char one[] = HEAD EAGER("S", 50) MARK("P") EAGER("A", 1000) MARK("P_END");
    static const char two[] = HEAD MARK("P") EAGER("A", 3000) MARK("P_END") EAGER("Z", 5);
    const ttp_str text[] = {TTP_STR(one), TTP_STR(two)};
    const struct ttp_report_options options = {.no_merge_devices = true};
    struct ops_line line = {0};

    assert_int_equal(ops_read(&line.ops, text, 2, &ops_read_ours, *state, &line.err), TTP_OK);
    assert_int_equal(ttp_analysis_run(&line.report, &line.ops, &options, *state, &line.err),
                     TTP_OK);
    assert_codes(&line, "A A");
    assert_int_equal(line.report.window.devices, 2);
    assert_us(line.report.window.device_us, 2);
}

#define RANKS_HEAD                                                                                 \
    "RANK,OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns],"            \
    "CORE COUNT,GLOBAL CALL COUNT,ATTRIBUTES,INPUT_0_MEMORY\n"
#define OF_RANK(rank, code, ns) #rank "," code ",tt_dnn_device,0," #ns ",1000,64,1,,DRAM\n"
#define RANK_MARK(rank, name)   #rank "," name ",signpost,,,,,,,\n"

/* Ranks that were merged into one table: the rows of one lie between the signposts of the other. */
static const char two_ranks[] = RANKS_HEAD OF_RANK(0, "S", 50) RANK_MARK(0, "start")
    OF_RANK(1, "S", 70) RANK_MARK(1, "start") OF_RANK(0, "A", 1000) OF_RANK(1, "A", 3000)
        RANK_MARK(0, "stop") RANK_MARK(1, "stop") OF_RANK(0, "Z", 5) OF_RANK(1, "Z", 5);

static void test_phases__ranks_in_one_table_have_their_own_signposts(void **state)
{
    const struct ttp_report_options by_signposts = {.start_signpost = "start",
                                                    .end_signpost = "stop"};
    struct ops_line line;

    const struct ttp_window *w = window_of(&line, two_ranks, NULL, *state);
    assert_codes(&line, "A");
    assert_int_equal(w->kind, TTP_WINDOW_SIGNPOSTS);
    assert_int_equal(w->ops, 1);
    assert_int_equal(w->devices, 2);
    assert_us(w->device_us, 2);
    ops_line_run(&line, two_ranks, &by_signposts, *state);
    assert_codes(&line, "A");
    assert_int_equal(line.report.window.devices, 2);
}

static void test_phases__a_rank_or_device_is_measured_alone(void **state)
{
    static const struct {
        const char *rank, *device;
        double us;
    } cases[] = {{"0", NULL, 1}, {"1", NULL, 3}, {NULL, "1:0", 3}, {NULL, "0", 2}};

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct ttp_report_options options = {.rank = cases[i].rank,
                                                   .device = cases[i].device};
        struct ops_line line;
        ops_line_run(&line, two_ranks, &options, *state);
        assert_codes(&line, "A");
        assert_us(line.report.window.device_us, cases[i].us);
    }
}

#define CYCLES_HEAD                                                                                \
    "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],DEVICE FW DURATION [ns],"               \
    "DEVICE FW START CYCLE,DEVICE FW END CYCLE,OP TO OP LATENCY [ns],CORE COUNT,"                  \
    "GLOBAL CALL COUNT,ATTRIBUTES,INPUT_0_MEMORY\n"
#define CYCLES(ns, from, to) "A,tt_dnn_device,0," #ns "," #ns "," #from "," #to ",1,1,1,,\n"

static void test_phases__what_spoils_a_run_is_said(void **state)
{
    static const struct {
        const char *text;
        enum ttp_quality_check check;
        enum ttp_quality_level level;
        const char *says;
    } cases[] = {
        {CYCLES_HEAD CYCLES(9000, 1000, 10000) CYCLES(9000, 20000, 29000), TTP_CHECK_CLOCK,
         TTP_QUALITY_GOOD, "1000 MHz"},
        {CYCLES_HEAD CYCLES(9000, 1000, 10000) CYCLES(9000, 20000, 28000), TTP_CHECK_CLOCK,
         TTP_QUALITY_BAD, "between 889 and 1000 MHz"},
        {CYCLES_HEAD CYCLES(9000, 1000, 10000) CYCLES(9000, 20000, 29000), TTP_CHECK_COUNTERS,
         TTP_QUALITY_GOOD, "only increase"},
        {CYCLES_HEAD CYCLES(9000, 90000, 99000) CYCLES(9000, 20000, 29000), TTP_CHECK_COUNTERS,
         TTP_QUALITY_BAD, "backwards at 1 of 2"},
        {CYCLES_HEAD CYCLES(9000, 1000, 10000) CYCLES(, 20000, 29000), TTP_CHECK_TIMES,
         TTP_QUALITY_BAD, "1 of 2 ops"},
        {EAGER_RUN, TTP_CHECK_TIMES, TTP_QUALITY_GOOD, "every op"},
        {EAGER_RUN, TTP_CHECK_CLOCK, TTP_QUALITY_UNKNOWN, "lacks the clock"},
        {EAGER_RUN, TTP_CHECK_ITERATIONS, TTP_QUALITY_CAUTION, "1 iteration"},
        {HEAD STEP STEP STEP, TTP_CHECK_ITERATIONS, TTP_QUALITY_GOOD, "3 iterations within 0.0 %"},
        {HEAD REPLAYED("A", 5, 1000, 0, 1) REPLAYED("A", 5, 1200, 0, 2)
             REPLAYED("A", 5, 1200, 0, 3),
         TTP_CHECK_ITERATIONS, TTP_QUALITY_CAUTION, "20 % apart"},
        /* 18 cycles of an op at 1 GHz */
        {HEAD REPLAYED("A", 5, 1000, 0, 1), TTP_CHECK_OVERHEAD, TTP_QUALITY_GOOD,
         "(1.8 %) to kernels"},
        {HEAD REPLAYED("A", 5, 500, 0, 1), TTP_CHECK_OVERHEAD, TTP_QUALITY_CAUTION,
         "(3.6 %) to kernels"},
        {HEAD REPLAYED("A", 5, , 0, 1), TTP_CHECK_OVERHEAD, TTP_QUALITY_UNKNOWN, "no device time"},
        {HEAD REPLAYED("A", 5, 1000, 0, 1) REPLAYED("B", 5, 1000, 0, 2), TTP_CHECK_WINDOW,
         TTP_QUALITY_CAUTION, "1 of 2 iterations"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ops_line line;
        (void)window_of(&line, cases[i].text, NULL, *state);
        const struct ttp_quality_item *item = &line.report.quality.item[cases[i].check];
        if (item->level != cases[i].level || !ttp_str_has(item->text, ttp_str_from(cases[i].says)))
            fail_msg("case %zu: %s, '%.*s'", i, ttp_analysis_quality_name(item->level),
                     TTP_FMT(item->text));
        assert_true(line.report.quality.level >= item->level || item->level == TTP_QUALITY_UNKNOWN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_phases__names_of_signposts),
        TTP_TEST_ARENA(test_phases__signposts_form_a_tree),
        TTP_TEST_ARENA(test_phases__replays_between_signposts_are_the_iterations),
        TTP_TEST_ARENA(test_phases__rows_of_the_median_device),
        TTP_TEST_ARENA(test_phases__the_wait_between_iterations),
        TTP_TEST_ARENA(test_phases__a_run_without_profiler_tells_its_overhead),
        TTP_TEST_ARENA(test_phases__the_trace_with_most_time_and_any_other),
        TTP_TEST_ARENA(test_phases__sessions_repeat),
        TTP_TEST_ARENA(test_phases__replays_may_be_interleaved),
        TTP_TEST_ARENA(test_phases__the_first_slow_replays_warm_up),
        TTP_TEST_ARENA(test_phases__the_last_range),
        TTP_TEST_ARENA(test_phases__a_range_may_hold_several_iterations),
        TTP_TEST_ARENA(test_phases__ranges_of_one_name_that_run_alike_are_iterations),
        TTP_TEST_ARENA(test_phases__in_a_range_replays_come_first),
        TTP_TEST_ARENA(test_phases__repetition_where_there_are_no_signposts),
        TTP_TEST_ARENA(test_phases__layers_are_no_iterations),
        TTP_TEST_ARENA(test_phases__one_signpost_alone_keeps_its_meaning),
        TTP_TEST_ARENA(test_phases__several_devices),
        TTP_TEST_ARENA(test_phases__other_windows),
        TTP_TEST_ARENA(test_phases__what_cannot_be_chosen),
        TTP_TEST_ARENA(test_phases__a_window_with_little_of_the_time_is_said),
        TTP_TEST_ARENA(test_phases__ranks_in_one_table_have_their_own_signposts),
        TTP_TEST_ARENA(test_phases__a_rank_or_device_is_measured_alone),
        TTP_TEST_ARENA(test_phases__what_spoils_a_run_is_said),
        TTP_TEST_ARENA(test_phases__hosts_have_their_own_signposts),
    };
    return cmocka_run_group_tests_name("analysis/phases", tests, NULL, NULL);
}
