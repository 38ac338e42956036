/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of every dialect and version: what is read of them, whole, cut and damaged. */
#include <stdio.h>
#include <stdlib.h>

#include "capture/bytes.h"
#include "capture/wire_stream.h"
#include "compat/compat.h"
#include "made_wire.h"
#include "test.h"

static const char *special[] = {"CompileProgram"};
static const struct ttp_trace_reading all_zones = {.zones = TTP_ZONES_ALL};
static const struct ttp_trace_reading op_zones = {.zones = TTP_ZONES_OPS};

static ttp_str zones_csv(const struct ttp_trace *t, bool as_csvexport, struct ttp_arena *arena)
{
    const struct ttp_csv_options o = {.sticky_cells = as_csvexport,
                                      .raw_cells = as_csvexport,
                                      .parent = "TT_",
                                      .special = {special, 1}};
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_capture_trace_write_zones(&out, t, &o, arena);
    return ttp_sink_text(&out);
}

static ttp_str messages_csv(const struct ttp_trace *t, struct ttp_arena *arena)
{
    const struct ttp_csv_options o = {.sep = ";"};
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_capture_trace_write_messages(&out, t, &o, arena);
    return ttp_sink_text(&out);
}

static void assert_text(ttp_str got, const char *want)
{
    if (!ttp_str_eq(got, ttp_str_from(want)))
        printf("got:\n%.*s\nwant:\n%s\n", TTP_FMT(got), want);
    assert_true(ttp_str_eq(got, ttp_str_from(want)));
}

#define HEADER                                                                                     \
    "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"               \
    "special_parent_text\n"

/* ---- wire recordings ---- */

static const char run_messages[] =
    "MessageName;total_ns\n"
    "`TT_DNN_DEVICE_OP: \"Matmul\", 7, 0, false, 1024 ->\n{\"op_code\":\"M\"}`;35086\n"
    "`TT_DNN_DEVICE_OP: \"Matmul\", 7, 0, true, 2048`;70159\n"
    "`TT_SIGNPOST: warm`;70171\n";

/* thread 1 by its message; 2 is the device's lane, 3 the allocation's; 4 is what is left */
static const char run_zones[] =
    HEADER "TT_OUTER,/src/run.cpp,14,,,25,2500070187,1,\n"
           "TT_DNN_DEVICE_OP,/src/run.cpp,11,,\"id:1024\",75,35021,1,\n"
           "TT_DNN_DEVICE_OP,/src/run.cpp,11,,\"id:2048\",35148,35021,1,\n"
           "CompileProgram,/src/run.cpp,12,,,80,35003,1,id:1024\n"
           "CompileProgram,/src/run.cpp,12,,,35153,35003,1,id:2048\n"
           "inner,/src/run.cpp,13,,,81,2,1,\n"
           "inner,/src/run.cpp,13,,,35154,2,1,\n"
           "PY_step,model.py,7,first,,70175,4,4,\n"
           "PY_step,model.py,7,,\"one, \"\"two\"\"\nthree\",70184,4,4,\n"
           "PY_step,model.py,7,,,70192,2500000000,4,\n";

static void test_capture__every_dialect_reads_the_same(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    size_t n;
    const struct ttp_dialect *d = ttp_capture_dialect_all(&n);

    for (size_t i = 0; i < n; i++) {
        const char *path = made_file(made_run(&d[i], NULL, arena), arena);
        struct ttp_trace t;

        assert_int_equal(ttp_capture_trace_detect_file(path), TTP_TRACE_WIRE);
        assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, NULL), TTP_OK);
        assert_int_equal(t.end, TTP_END_NORMAL);
        assert_false(t.inconsistent);
        assert_int_equal(t.lost_bytes, 0);
        assert_int_equal(t.zones_seen, 11);
        assert_int_equal(t.zone.count, 11);
        assert_text(messages_csv(&t, arena), run_messages);
        assert_text(zones_csv(&t, false, arena), run_zones);
        assert_text(t.thread[0].name, "Main thread");
        assert_text(t.program, "made");
        assert_int_equal(t.pid, 4242);
    }
}

static void test_capture__sizes_of_a_dialect_are_found_by_the_stream(void **state)
{
    ttp_test_needs("lz4");
    static const struct {
        unsigned protocol;
        bool fork;
    } cases[] = {{66, true}, {66, false}, {78, true}, {78, false}, {79, true}, {83, true}};
    struct ttp_arena *arena = *state;

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct ttp_dialect *d = made_dialect(cases[i].protocol, cases[i].fork);
        size_t welcome;
        const struct ttp_dialect *found = ttp_wire_stream_guess(made_run(d, NULL, arena), &welcome);

        assert_non_null(found);
        assert_int_equal(welcome, d->welcome_bytes);
        assert_int_equal(found->wide, cases[i].fork);
        if (cases[i].fork || cases[i].protocol != 79)
            assert_int_equal(found->info.protocol, cases[i].protocol);
    }
}

static void test_capture__compatible_cells_stick(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const char *path = made_file(made_run(made_dialect(66, true), NULL, arena), arena);
    struct ttp_trace t;

    assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, NULL), TTP_OK);
    const ttp_str csv = zones_csv(&t, true, arena);
    assert_true(ttp_str_has(csv, TTP_STR("PY_step,model.py,7,first,\"one, \"two\"\nthree\",70192,"
                                         "2500000000,4,\n")));
}

static void test_capture__zones_of_ops_are_what_tt_metal_reads(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const char *path = made_file(made_run(made_dialect(78, false), NULL, arena), arena);
    struct ttp_trace t;

    assert_int_equal(ttp_capture_trace_read(&t, path, &op_zones, arena, NULL), TTP_OK);
    assert_true(t.zones_dropped);
    assert_text(zones_csv(&t, false, arena),
                HEADER "TT_OUTER,/src/run.cpp,14,,,25,2500070187,1,\n"
                       "TT_DNN_DEVICE_OP,/src/run.cpp,11,,\"id:1024\",75,35021,1,\n"
                       "TT_DNN_DEVICE_OP,/src/run.cpp,11,,\"id:2048\",35148,35021,1,\n"
                       "CompileProgram,/src/run.cpp,12,,,80,35003,1,id:1024\n"
                       "CompileProgram,/src/run.cpp,12,,,35153,35003,1,id:2048\n");
}

/* Whatever is cut off, what is before it is read, and nothing is invented. */
static void test_capture__a_recording_cut_anywhere_gives_what_is_before(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const ttp_str whole = made_run(made_dialect(66, true), NULL, arena);
    size_t messages = 0;

    for (size_t len = 0; len < whole.len; len++) {
        struct ttp_arena scratch = {0};
        const char *path = made_file(ttp_str_slice(whole, 0, len), &scratch);
        struct ttp_trace t;

        if (ttp_capture_trace_read(&t, path, &all_zones, &scratch, NULL) == TTP_OK) {
            assert_true(t.nmessages >= messages);
            assert_true(t.end == TTP_END_CUT || t.nmessages == 3);
            messages = t.nmessages;
        } else {
            assert_true(len < 1 + 1178 + 4);
        }
        ttp_arena_free(&scratch);
    }
    assert_int_equal(messages, 3);
}

static void test_capture__flipped_bits_are_survived(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const ttp_str whole = made_run(made_dialect(78, true), NULL, arena);
    char *copy = TTP_NEW(arena, char, whole.len);

    for (size_t bit = 0; bit < whole.len * 8; bit += 3) {
        struct ttp_arena scratch = {0};
        struct ttp_trace t;

        memcpy(copy, whole.ptr, whole.len);
        copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
        const char *path = made_file((ttp_str){copy, whole.len}, &scratch);
        if (ttp_capture_trace_read(&t, path, &all_zones, &scratch, NULL) == TTP_OK) {
            assert_true(t.zone.count <= t.zones_seen);
            zones_csv(&t, false, &scratch);
            messages_csv(&t, &scratch);
        }
        ttp_arena_free(&scratch);
    }
}

/* ---- .tracy files ---- */

#define DEVICE_HEADER "name,src_file,Time from start of program,GPU execution time\n"

static const struct ttp_trace_reading everything = {
    .zones = TTP_ZONES_ALL, .devices = true, .plots = true};

static const char tracy_zones[] =
    HEADER "TT_DNN_DEVICE_OP,/src/run.cpp,11,,\"id:1024\",100,280,1,\n"
           "CompileProgram,/src/run.cpp,12,,,150,200,1,id:1024\n"
           "PY_step,/src/run.cpp,7,shown,,700,9,2,\n";

static void check_tracy(unsigned version, bool sections, enum made_container container,
                        struct ttp_arena *arena)
{
    const char *path = made_file(made_tracy(version, sections, container, arena), arena);
    struct ttp_trace t;
    struct ttp_err err = {0};

    assert_int_equal(ttp_capture_trace_detect_file(path), TTP_TRACE_TRACY);
    if (ttp_capture_trace_read(&t, path, &all_zones, arena, &err) != TTP_OK)
        fail_msg("%s", err.text);
    assert_int_equal(t.lost_bytes, 0);
    assert_int_equal(t.zone.count, 4);
    assert_int_equal(t.version[1], version >> 8 & 0xff);
    assert_text(zones_csv(&t, false, arena), tracy_zones);
    assert_text(messages_csv(&t, arena),
                "MessageName;total_ns\n`TT_SIGNPOST: a`;500\nsecond;1000\n");
    assert_text(t.thread[0].name, "Main thread");
}

/* Devices and plots lie after everything else: that they are right shows that all sections are. */
static void check_devices(unsigned version, bool sections, struct ttp_arena *arena)
{
    const char *path = made_file(made_tracy(version, sections, MADE_NEW_LZ4, arena), arena);
    const struct ttp_csv_options forks = {.generation = TTP_CSV_0_13,
                                          .sticky_cells = true,
                                          .raw_cells = true},
                                 filtered = {.filter = "compile"};
    struct ttp_trace t;
    struct ttp_sink out;

    assert_int_equal(ttp_capture_trace_read(&t, path, &everything, arena, NULL), TTP_OK);
    assert_int_equal(t.lost_bytes, 0);
    ttp_sink_to_arena(&out, arena);
    ttp_original_trace_write_device_zones(&out, &t, &forks, arena);
    assert_text(ttp_sink_text(&out), DEVICE_HEADER "CompileProgram,/src/run.cpp,1010,20\n"
                                                   "PY_step,/src/run.cpp,1000,60\n");
    ttp_sink_to_arena(&out, arena);
    ttp_original_trace_write_device_zones(&out, &t, &filtered, arena);
    assert_text(ttp_sink_text(&out), DEVICE_HEADER "CompileProgram,/src/run.cpp,1010,20\n");
    ttp_sink_to_arena(&out, arena);
    ttp_original_trace_write_plots(&out, &t, &forks, arena);
    assert_text(ttp_sink_text(&out), "second,,,40,,,1.500000,,,\nsecond,,,80,,,-2.250000,,,\n");
}

static void test_capture__statistics_have_a_percentile_if_asked_for(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const char *path =
        made_file(made_tracy(MADE_VERSION(0, 10, 0), false, MADE_OLD_LZ4, arena), arena);
    const struct ttp_csv_options options = {
        .percentile = 50, .filter = "DEVICE", .self_time = true};
    struct ttp_trace t;
    struct ttp_sink out;

    assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, NULL), TTP_OK);
    ttp_sink_to_arena(&out, arena);
    ttp_original_trace_write_statistics(&out, &t, &options, arena);
    assert_text(ttp_sink_text(&out),
                "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns,"
                "percentile_ns,truncated_mean_ns\n"
                "TT_DNN_DEVICE_OP,/src/run.cpp,11,80,0.888889,1,80,80,80,0.000000,80,80\n");
}

static void test_capture__every_version_of_tracy_reads_the_same(void **state)
{
    ttp_test_needs("lz4");
    ttp_test_needs("zstd");
    static const struct {
        unsigned version;
        bool sections;
    } cases[] = {
        {MADE_VERSION(0, 9, 1), false},
        {MADE_VERSION(0, 9, 2), false},
        {MADE_VERSION(0, 10, 0), false},
        {MADE_VERSION(0, 11, 0), false},
        {MADE_VERSION(0, 11, 1), false},
        {MADE_VERSION(0, 11, 2), false},
        {MADE_VERSION(0, 12, 2), false},
        {MADE_VERSION(0, 12, 3), false},
        {MADE_VERSION(0, 13, 1), false},
        {MADE_VERSION(0, 13, 2), false},
        {MADE_VERSION(0, 13, 3), false},
        {MADE_VERSION(0, 13, 4), true},
        {MADE_VERSION(0, 13, 5), true},
        {MADE_VERSION(0, 14, 0), true},
        /* the fork's */
        {MADE_VERSION(0, 13, 4), false},
        {MADE_VERSION(0, 13, 5), false},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        for (int c = MADE_OLD_LZ4; c <= MADE_NEW_ZSTD; c++)
            check_tracy(cases[i].version, cases[i].sections, (enum made_container)c, *state);
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        check_devices(cases[i].version, cases[i].sections, *state);
}

static void test_capture__a_tracy_of_an_unknown_version_is_refused(void **state)
{
    ttp_test_needs("zstd");
    struct ttp_arena *arena = *state;
    const char *path =
        made_file(made_tracy(MADE_VERSION(0, 15, 0), true, MADE_NEW_ZSTD, arena), arena);
    struct ttp_trace t;
    struct ttp_err err = {0};

    assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, &err), TTP_EPARSE);
    assert_non_null(strstr(err.text, "0.15.0"));
}

static void test_capture__a_tracy_cut_anywhere_fails_or_gives_what_is_before(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const ttp_str whole = made_tracy(MADE_VERSION(0, 10, 0), false, MADE_OLD_LZ4, arena);
    size_t partial = 0;

    for (size_t len = 4; len < whole.len; len++) {
        struct ttp_arena scratch = {0};
        struct ttp_trace t;
        struct ttp_err err = {0};
        const char *path = made_file(ttp_str_slice(whole, 0, len), &scratch);

        if (ttp_capture_trace_read(&t, path, &everything, &scratch, &err) == TTP_OK) {
            assert_true(t.lost_bytes > 0);
            partial++;
        } else {
            assert_true(err.text[0] != '\0');
        }
        ttp_arena_free(&scratch);
    }
    assert_true(partial > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_capture__every_dialect_reads_the_same),
        TTP_TEST_ARENA(test_capture__sizes_of_a_dialect_are_found_by_the_stream),
        TTP_TEST_ARENA(test_capture__compatible_cells_stick),
        TTP_TEST_ARENA(test_capture__zones_of_ops_are_what_tt_metal_reads),
        TTP_TEST_ARENA(test_capture__a_recording_cut_anywhere_gives_what_is_before),
        TTP_TEST_ARENA(test_capture__flipped_bits_are_survived),
        TTP_TEST_ARENA(test_capture__every_version_of_tracy_reads_the_same),
        TTP_TEST_ARENA(test_capture__statistics_have_a_percentile_if_asked_for),
        TTP_TEST_ARENA(test_capture__a_tracy_of_an_unknown_version_is_refused),
        TTP_TEST_ARENA(test_capture__a_tracy_cut_anywhere_fails_or_gives_what_is_before),
    };
    return ttp_test_end(cmocka_run_group_tests_name("capture", tests, NULL, NULL));
}
