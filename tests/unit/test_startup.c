/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/temp_dir.h"
#include "startup/inspector_log.h"
#include "startup/startup.h"
#include "test.h"

static void put_file(const char *dir, const char *name, const char *text)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* One compilation from 1 to 2 s, `launches` of 1 ms each after it, one more compilation at 100 s.
 */
static void make_run(const char *dir, int launches)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    put_file(dir, "startup.yaml", "startup_time:\n  high_resolution_clock_ns: 0\n");
    put_file(dir, "programs_log.yaml",
             "- program_compile_started:\n    id: 1\n    timestamp_ns: 1000000000\n"
             "- program_compile_finished:\n    id: 1\n    timestamp_ns: 2000000000\n"
             "- program_compile_started:\n    id: 2\n    timestamp_ns: 100000000000\n"
             "- program_compile_finished:\n    id: 2\n    timestamp_ns: 101000000000\n");
    for (int i = 0; i < launches; i++)
        fprintf(f,
                "- mesh_workload_set_program_binary_status:\n    mesh_workload_id: 1\n    status: "
                "Committed\n    timestamp_ns: %lld\n",
                2000000000LL + i * 1000000LL);
    assert_int_equal(fclose(f), 0);
    put_file(dir, "mesh_workloads_log.yaml", text);
    free(text); /* NOLINT: of open_memstream() */
}

static void test_startup__fifty_others_must_follow_a_steady_launch(void **state)
{
    struct ttp_arena arena = {0};
    struct ttp_startup *s;
    const char *dir;
    size_t n;

    (void)state;
    assert_int_equal(ttp_temp_dir_make(&dir, &arena, NULL), TTP_OK);
    make_run(dir, 51);
    assert_int_equal(ttp_startup_read(&s, &n, dir, &arena, NULL), TTP_OK);
    assert_int_equal(s->steady_ns, 2000000000);
    assert_int_equal(s->launches_after_steady, 51);
    assert_int_equal(s->late_compiles, 1);
    assert_int_equal(s->late_compile_ns, 1000000000);
    make_run(dir, 50);
    assert_int_equal(ttp_startup_read(&s, &n, dir, &arena, NULL), TTP_OK);
    assert_true(s->steady_ns == TTP_STARTUP_NONE); /* none after the last compilation either */
    assert_int_equal(s->startup_ns, 101000000000);
    assert_int_equal(s->gaps, 2);
    assert_int_equal(s->compile_wall_ns, 2000000000);
    ttp_temp_dir_end(dir);
    ttp_arena_free(&arena);
}

static void test_startup__labels_come_from_the_place_of_the_source(void **state)
{
    static const struct {
        const char *source, *label;
    } cases[] = {
        {"ttnn/cpp/ttnn/operations/matmul/device/kernels/compute/x.cpp", "operations/matmul"},
        {"/opt/ttnn/cpp/ttnn/operations/a/b/kernels/x.cpp", "operations/a/b"},
        {"tt_metal/impl/dispatch/kernels/cq_prefetch.cpp", "dispatch"},
        {"ttnn/cpp/ttnn/kernel/compute/x.cpp", "ttnn/cpp/ttnn/kernel/compute"},
        {"// made on the fly", "//"},
        {"void kernel_main() {}", "inline source"},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const ttp_str label = ttp_startup_label(ttp_str_from(cases[i].source));

        assert_int_equal(label.len, strlen(cases[i].label));
        assert_memory_equal(label.ptr, cases[i].label, label.len);
    }
}

static void test_startup__names_are_not_guessed_across_a_wrap(void **state)
{
    static const char head[] = "runtime_id,chip_id,start_timestamp,end_timestamp,duration_cycles,"
                               "duration_ns,frequency_ghz,kernel_sources\n";
    static const char entries[] = "- runtime_entry:\n    runtime_id: 5\n    name: A\n"
                                  "- runtime_entry:\n    runtime_id: 65541\n    name: B\n";
    struct ttp_arena arena = {0};
    struct ttp_realtime r;
    char text[1024], path[512];
    const char *dir;

    (void)state;
    assert_int_equal(ttp_temp_dir_make(&dir, &arena, NULL), TTP_OK);
    snprintf(path, sizeof(path), "%s/inspector", dir);
    assert_int_equal(ttp_file_make_dirs(path, NULL), TTP_OK);
    put_file(path, "mesh_workloads_log.yaml", entries);
    /* as many records as entries: in their order */
    snprintf(text, sizeof(text), "%s5,0,10,20,10,1,1,a\n5,0,30,50,20,1,1,a\n", head);
    put_file(dir, "realtime.csv", text);
    snprintf(path, sizeof(path), "%s/realtime.csv", dir);
    assert_int_equal(ttp_startup_realtime_read(&r, path, &arena, NULL), TTP_OK);
    assert_int_equal(r.unnamed, 0);
    assert_int_equal(r.chip[0].ops, 2);
    assert_int_equal(r.chip[0].op[0].cycles, 20);
    assert_memory_equal(r.chip[0].op[0].name.ptr, "B", 1);
    /* one of them is missing: it could be either */
    snprintf(text, sizeof(text), "%s5,0,10,20,10,1,1,a\n", head);
    put_file(dir, "realtime.csv", text);
    assert_int_equal(ttp_startup_realtime_read(&r, path, &arena, NULL), TTP_OK);
    assert_int_equal(r.unnamed, 1);
    ttp_temp_dir_end(dir);
    ttp_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_startup__fifty_others_must_follow_a_steady_launch),
        cmocka_unit_test(test_startup__labels_come_from_the_place_of_the_source),
        cmocka_unit_test(test_startup__names_are_not_guessed_across_a_wrap),
    };
    return cmocka_run_group_tests_name("startup", tests, NULL, NULL);
}
