/* SPDX-License-Identifier: Apache-2.0 */
/* .tracy files written from recordings: what our reader finds in them, and the bytes of what it
 * passes over. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/bytes.h"
#include "capture/tracy_container.h"
#include "capture/tracy_nest.h"
#include "compat/compat.h"
#include "made_wire.h"
#include "test.h"

#define AT(n) ((uint64_t)0x7F0000000000 + (n))

static const struct ttp_trace_reading everything = {
    .zones = TTP_ZONES_ALL, .devices = true, .plots = true};

/* In a folder that is removed at the end, with the one file in it. */
static char folder[] = "/tmp/test_tracy_write_XXXXXX";
static const char output[] = "out.tracy";

static int enter_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || chdir(folder);
}

static int leave_folder(void **state)
{
    (void)state;
    (void)unlink(output);
    return chdir("/") || rmdir(folder);
}

static const char *write_tracy(struct ttp_tracy_written *out, const char *recording,
                               enum ttp_tracy_form form, struct ttp_arena *arena)
{
    const struct ttp_tracy_writing what = {.recording = recording, .output = output, .form = form};
    struct ttp_err err = {0};

    if (ttp_tracy_write(out, &what, arena, &err) != TTP_OK)
        fail_msg("%s", err.text);
    return output;
}

static ttp_str csv_of(const struct ttp_trace *t,
                      void (*write)(struct ttp_sink *, const struct ttp_trace *,
                                    const struct ttp_csv_options *, struct ttp_arena *),
                      struct ttp_arena *arena)
{
    static const char *special[] = {"CompileProgram"};
    const struct ttp_csv_options o = {.parent = "TT_", .special = {special, 1}};
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    write(&out, t, &o, arena);
    return ttp_sink_text(&out);
}

static void assert_same(ttp_str got, ttp_str want)
{
    if (!ttp_str_eq(got, want))
        printf("got:\n%.*s\nwant:\n%.*s\n", TTP_FMT(got), TTP_FMT(want));
    assert_true(ttp_str_eq(got, want));
}

/* ---- the whole ---- */

static size_t count_open(const struct ttp_trace *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->zone.count; i++)
        n += t->zone.end_ns[i] == TTP_ZONE_OPEN;
    return n;
}

static void test_tracy_write__the_file_of_every_dialect_reads_as_the_recording(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    size_t n;
    const struct ttp_dialect *d = ttp_capture_dialect_all(&n);

    for (size_t i = 0; i < n; i++)
        for (int form = TTP_TRACY_OWN; form <= TTP_TRACY_0_13; form++) {
            const char *recording = made_file(made_run(&d[i], NULL, arena), arena);
            struct ttp_tracy_written written;
            struct ttp_trace from, t;

            const char *path = write_tracy(&written, recording, (enum ttp_tracy_form)form, arena);
            assert_int_equal(ttp_capture_trace_read(&from, recording, &everything, arena, NULL),
                             TTP_OK);
            assert_int_equal(ttp_capture_trace_read(&t, path, &everything, arena, NULL), TTP_OK);
            const bool old =
                form == TTP_TRACY_0_10 || (form == TTP_TRACY_OWN && d[i].info.protocol < 77);
            assert_int_equal(t.version[1], old ? 10 : 13);
            assert_memory_equal(t.version, written.version, sizeof(t.version));
            assert_int_equal(t.lost_bytes, 0);
            assert_int_equal(t.end, TTP_END_NORMAL);
            assert_true(written.whole);
            assert_int_equal(t.zone.count, from.zone.count);
            assert_int_equal(t.pid, 4242);
            assert_int_equal(t.epoch_s, 1700000000);
            assert_same(t.program, from.program);
            assert_same(csv_of(&t, ttp_capture_trace_write_zones, arena),
                        csv_of(&from, ttp_capture_trace_write_zones, arena));
            assert_same(csv_of(&t, ttp_capture_trace_write_messages, arena),
                        csv_of(&from, ttp_capture_trace_write_messages, arena));
            assert_int_equal(t.nthreads, from.nthreads);
            for (size_t k = 0; k < t.nthreads; k++) {
                assert_int_equal(t.thread[k].tid, from.thread[k].tid);
                assert_int_equal(t.thread[k].index, from.thread[k].index);
                assert_same(t.thread[k].name, from.thread[k].name);
            }
            for (size_t k = 0; k < t.nmessages; k++)
                assert_int_equal(t.message[k].color == UINT32_MAX ? UINT32_MAX : 0xFF030201,
                                 t.message[k].color);
            assert_int_equal(count_open(&t), 1);
            assert_int_equal(count_open(&from), 1);
        }
}

/* ---- devices, plots, frames, memory ---- */

static ttp_str rich_run(const struct ttp_dialect *d, struct ttp_arena *arena)
{
    const struct made_buffer l1 = {AT(0x9000), 0x4000, 2048}, dram = {AT(0x9100), 0x4000, 4096};
    struct made_wire w;

    made_wire_start(&w, d, arena);
    made_thread(&w, 10);
    made_begin_inline(&w, 10, "PY_step", "model.py");
    made_color(&w, 0x00AA7744);
    made_end(&w, 20);
    made_context(&w, "Device 0");
    made_device_begin(&w, 3, "BRISC-FW", 1000);
    made_device_begin(&w, 3, "BRISC-KERNEL", 10);
    made_device_begin(&w, 4, "NCRISC-FW", 5);
    made_device_end(&w, 3, 45);
    made_device_end(&w, 3, 40);
    made_device_end(&w, 4, 0);
    made_device_begin(&w, 4, "NCRISC-KERNEL", 7); /* never ends */
    made_plot(&w, 4);
    made_plot(&w, 6);
    made_sys_time(&w, 2, 12.5F);
    made_frame(&w, TTP_ITEM_FRAME, 3, 0);
    made_frame(&w, TTP_ITEM_FRAME_START, 3, AT(0x9200));
    made_frame(&w, TTP_ITEM_FRAME_END, 9, AT(0x9200));
    made_alloc(&w, 1000, l1);
    made_alloc(&w, 100, dram);
    made_free(&w, 100, l1);
    made_free(&w, 100, l1);    /* of what is free already */
    made_alloc(&w, 100, dram); /* of what is taken already */
    made_answer(&w, TTP_ITEM_PLOT_NAME, 0x7000, "queue");
    made_answer(&w, TTP_ITEM_FRAME_NAME, AT(0x9200), "step");
    made_string(&w, AT(0x9000), "Device 0 L1");
    made_string(&w, AT(0x9100), "Device 0 DRAM");
    made_thread_name(&w, 10, "Main thread");
    made_terminate(&w);
    return made_wire_bytes(&w);
}

static ttp_str plain_of(const char *path, struct ttp_arena *arena)
{
    struct ttp_tracy_in in;
    struct ttp_file file;
    struct ttp_sink out;
    char c;

    assert_int_equal(ttp_file_map(&file, path, NULL), TTP_OK);
    assert_int_equal(ttp_tracy_open(&in, &file, arena, NULL), TTP_OK);
    ttp_sink_to_arena(&out, arena);
    while (ttp_tracy_get(&in, &c, 1))
        ttp_sink_char(&out, c);
    ttp_tracy_close(&in);
    ttp_file_close(&file);
    return ttp_sink_text(&out);
}

/* Sections 25 to 37, of which we write counts of 0: 3, dictionary and images, context switches with
 * those of 256 processors, 9 more. */
#define REST_BYTES              ((size_t)(3 * 8 + 12 + 16 + 256 * 8 + 9 * 8))
#define POOL_BYTES(allocations) ((size_t)(4 * 8 + (allocations)*42 + 4 * 8))

static void check_memory(ttp_str plain)
{
    const size_t size = 16 + POOL_BYTES(0) + POOL_BYTES(1) + POOL_BYTES(2);
    const char *p = plain.ptr + plain.len - REST_BYTES - size;

    for (size_t i = plain.len - REST_BYTES; i < plain.len; i++)
        assert_int_equal(plain.ptr[i], 0);
    assert_int_equal(ttp_get64(p), 3); /* pools: the host's, and two with names */
    assert_int_equal(ttp_get64(p + 8), 3);
    p += 16;
    assert_int_equal(ttp_get64(p), 0);
    assert_int_equal(ttp_get64(p + 8), 0);
    p += POOL_BYTES(0);
    assert_int_equal(ttp_get64(p + 8), 1); /* of L1: one, freed */
    assert_int_equal(ttp_get64(p + 16), 0);
    assert_int_equal(ttp_get64(p + 24), 1);
    assert_int_equal(ttp_get64(p + 32), 0x4000);
    assert_int_equal(ttp_get64(p + 40), 2048);
    assert_int_equal(ttp_get64(p + 32 + 22), 3); /* seven items of devices before it: 1,007 ticks */
    assert_int_equal(ttp_get64(p + 32 + 22 + 8), 100); /* for 200 ticks of half a ns */
    assert_int_equal(ttp_get16(p + 32 + 22 + 16), ttp_get16(p + 32 + 22 + 18));
    assert_int_equal(ttp_get64(p + 32 + 42 + 16), 0); /* nothing is in use */
    p += POOL_BYTES(1);
    assert_int_equal(ttp_get64(p + 8), 2); /* of DRAM: the first ends where the second begins */
    assert_int_equal(ttp_get64(p + 16), 1);
    assert_int_equal(ttp_get64(p + 24), 1);
    assert_int_equal(ttp_get64(p + 32 + 22), 53); /* its time */
    assert_int_equal(ttp_get64(p + 32 + 42 + 22), ttp_get64(p + 32 + 22 + 8));
    assert_int_equal(ttp_get64(p + 32 + 42 + 22 + 8), UINT64_MAX);
    assert_int_equal(ttp_get64(p + 32 + 84 + 16), 4096); /* in use */
}

static void check_rich(const struct ttp_dialect *d, enum ttp_tracy_form form,
                       struct ttp_arena *arena)
{
    const char *recording = made_file(rich_run(d, arena), arena);
    struct ttp_tracy_written written;
    struct ttp_trace t;

    const char *path = write_tracy(&written, recording, form, arena);
    assert_int_equal(ttp_capture_trace_read(&t, path, &everything, arena, NULL), TTP_OK);
    assert_int_equal(t.lost_bytes, 0);
    assert_int_equal(written.devices, 1);
    assert_int_equal(written.device_zones, 4);
    assert_int_equal(written.points, 3);
    assert_int_equal(written.frames, 2);
    assert_int_equal(written.allocations, 3);
    /* the device's clock was 100 when the trace was at 15 ns */
    assert_same(csv_of(&t, ttp_original_trace_write_device_zones, arena),
                TTP_STR("name,src_file,Time from start of program,GPU execution time\n"
                        "BRISC-FW,???,915,100\n"
                        "BRISC-KERNEL,???,925,50\n"
                        "NCRISC-FW,???,930,85\n"));
    assert_int_equal(t.plot.count, 3);
    assert_same(ttp_sym_name(&t.names, t.plot.name[0]), TTP_STR("queue"));
    assert_int_equal(t.plot.ns[0], 17);
    assert_int_equal(t.plot.ns[1], 20);
    assert_true(t.plot.value[0] == 5 && t.plot.value[2] == 12.5);
    const ttp_str plain = plain_of(path, arena);
    assert_true(ttp_str_has(plain, TTP_STR("step")));
    assert_true(ttp_str_has(plain, TTP_STR("Device 0 L1")));
    /* one note: no call stack, text and name, then red in the low byte */
    assert_true(ttp_str_has(plain, TTP_STR("\0\0\0\0\0\0\0\0\0\xAA\x77\x44")));
    check_memory(plain);
}

static void test_tracy_write__devices_plots_frames_and_memory_are_kept(void **state)
{
    ttp_test_needs("lz4");
    size_t n;
    const struct ttp_dialect *d = ttp_capture_dialect_all(&n);

    for (size_t i = 0; i < n; i++) {
        check_rich(&d[i], TTP_TRACY_0_10, *state);
        check_rich(&d[i], TTP_TRACY_0_13, *state);
    }
}

/* ---- limits of the format ---- */

static void test_tracy_write__zones_beyond_the_source_locations_keep_their_names(void **state)
{
    ttp_test_needs("lz4");
    enum { SOURCES = 65600, ROOM = 65534 };
    struct ttp_arena *arena = *state;
    struct ttp_tracy_written written;
    struct made_wire w;
    struct ttp_trace t;
    char name[32];

    made_wire_start(&w, made_dialect(66, true), arena);
    made_thread(&w, 10);
    for (int i = 0; i < SOURCES; i++) {
        snprintf(name, sizeof(name), "zone %d", i);
        made_begin_inline(&w, 2, name, "model.py");
        made_end(&w, 2);
        if (i % 1000 == 0)
            made_wire_flush(&w);
    }
    made_terminate(&w);
    const char *path =
        write_tracy(&written, made_file(made_wire_bytes(&w), arena), TTP_TRACY_OWN, arena);
    assert_int_equal(ttp_capture_trace_read(&t, path, &everything, arena, NULL), TTP_OK);
    assert_int_equal(written.folded, SOURCES - (ROOM - 1));
    assert_int_equal(t.zone.count, SOURCES);
    for (size_t i = 0; i < SOURCES; i++) {
        const uint32_t note = t.zone.extra[i];

        snprintf(name, sizeof(name), "zone %zu", i);
        assert_same(note == TTP_ZONE_NONE ? ttp_sym_name(&t.names, t.source[t.zone.source[i]].name)
                                          : t.zone.note[note].name,
                    ttp_str_from(name));
        assert_int_equal(note != TTP_ZONE_NONE, i >= ROOM - 1);
    }
}

static void test_tracy_write__times_beyond_48_bits_are_cut_and_counted(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    struct ttp_tracy_written written;
    struct made_wire w;
    struct ttp_trace t;

    made_wire_start(&w, made_dialect(66, true), arena);
    made_thread(&w, 10);
    made_begin_inline(&w, 10, "long", "model.py");
    made_end(&w, INT64_C(1) << 50);
    made_terminate(&w);
    const char *path =
        write_tracy(&written, made_file(made_wire_bytes(&w), arena), TTP_TRACY_OWN, arena);
    assert_int_equal(ttp_capture_trace_read(&t, path, &everything, arena, NULL), TTP_OK);
    assert_true(written.times_clamped > 0);
    assert_int_equal(t.zone.end_ns[0], (INT64_C(1) << 47) - 1);
    assert_int_equal(t.last_ns, (INT64_C(1) << 47) - 1);
}

/* ---- nesting ---- */

struct made_zones {
    const uint32_t *group, *parent;
};

static uint32_t group_of(const void *owner, uint32_t at)
{
    return ((const struct made_zones *)owner)->group[at];
}

static uint32_t parent_of(const void *owner, uint32_t at)
{
    return ((const struct made_zones *)owner)->parent[at];
}

static void test_tracy_write__parents_that_cannot_be_do_not_count(void **state)
{
    /*                                   0     1  2     3  4  5     6  7 */
    static const uint32_t group[] = {0, 0, 1, 0, 1, 0, 0, 0};
    static const uint32_t parent[] = {
        TTP_ZONE_NONE, 0, TTP_ZONE_NONE, 1, 0 /* of another group */, TTP_ZONE_NONE,
        3 /* over */,  6};
    const struct made_zones zones = {group, parent};
    struct ttp_nest nest = {.count = TTP_COUNT(group), .groups = 3};

    ttp_capture_nest_build(&nest, &zones, group_of, parent_of, *state);
    assert_int_equal(nest.roots[0], 3);
    assert_int_equal(nest.roots[1], 2);
    assert_int_equal(nest.roots[2], 0);
    assert_int_equal(nest.parent[3], 1);
    assert_int_equal(nest.parent[4], TTP_ZONE_NONE);
    assert_int_equal(nest.parent[6], TTP_ZONE_NONE);
    assert_int_equal(nest.parent[7], 6);
    assert_int_equal(nest.children[0], 1);
    assert_int_equal(nest.children[6], 1);
    assert_int_equal(nest.parents, 3);
    assert_int_equal(nest.first[1] - nest.first[0], 6);
    assert_int_equal(nest.first[3], TTP_COUNT(group));
    assert_int_equal(nest.order[nest.first[1]], 2);
}

/* ---- refusals ---- */

static void test_tracy_write__a_tracy_file_is_refused(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const struct ttp_tracy_writing what = {
        .recording =
            made_file(made_tracy(MADE_VERSION(0, 10, 0), false, MADE_OLD_LZ4, arena), arena),
        .output = output};
    struct ttp_tracy_written written;
    struct ttp_err err = {0};

    assert_int_equal(ttp_tracy_write(&written, &what, arena, &err), TTP_EPARSE);
    assert_non_null(strstr(err.text, "already a .tracy file"));
}

static void test_tracy_write__a_full_disk_is_an_error(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const struct ttp_tracy_writing what = {
        .recording = made_file(made_run(made_dialect(66, true), NULL, arena), arena),
        .output = "/dev/full"};
    struct ttp_tracy_written written;
    struct ttp_err err = {0};

    assert_int_equal(ttp_tracy_write(&written, &what, arena, &err), TTP_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_tracy_write__the_file_of_every_dialect_reads_as_the_recording),
        TTP_TEST_ARENA(test_tracy_write__devices_plots_frames_and_memory_are_kept),
        TTP_TEST_ARENA(test_tracy_write__zones_beyond_the_source_locations_keep_their_names),
        TTP_TEST_ARENA(test_tracy_write__times_beyond_48_bits_are_cut_and_counted),
        TTP_TEST_ARENA(test_tracy_write__parents_that_cannot_be_do_not_count),
        TTP_TEST_ARENA(test_tracy_write__a_tracy_file_is_refused),
        TTP_TEST_ARENA(test_tracy_write__a_full_disk_is_an_error),
    };
    return ttp_test_end(
        cmocka_run_group_tests_name("capture/tracy_write", tests, enter_folder, leave_folder));
}
