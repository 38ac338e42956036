/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "logs/logs.h"
#include "test.h"

static ttp_code read_text(struct ttp_noc_trace *t, const char *text, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct test_file file;

    *t = (struct ttp_noc_trace){0};
    test_file_open(&file, ttp_str_from(text));
    const ttp_code rc = ttp_logs_read_noc_trace(t, file.path, 7, arena, err);
    test_file_close(&file);
    return rc;
}

static void test_noc_trace__old_and_new_keys_mean_the_same(void **state)
{
    struct ttp_noc_trace t;

    assert_int_equal(
        read_text(&t,
                  "[{\"proc\":\"BRISC\",\"zone\":\"Z\",\"zone_phase\":\"begin\",\"sx\":1,\"sy\":2,"
                  "\"timestamp\":5},\n"
                  "{\"proc\":\"TRISC_1\",\"zone\":\"Z\",\"zone_phase\":\"ZONE_END\",\"sx\":1,"
                  "\"sy\":2,\"timestamp\":18446744073709551615,\"src_device_id\":3}]",
                  *state, NULL),
        TTP_OK);
    assert_int_equal(t.nevents, 2);
    assert_int_equal(t.event[0].type, TTP_NOC_ZONE_START);
    assert_int_equal(t.event[0].device, 7);
    assert_int_equal(t.event[0].risc, TTP_NOC_RISC_BRISC);
    assert_int_equal(t.event[1].type, TTP_NOC_ZONE_END);
    assert_int_equal(t.event[1].device, 3);
    assert_int_equal(t.event[1].risc, TTP_NOC_RISC_TRISC_1);
    assert_int_equal(t.event[1].name, t.event[0].name);
    assert_true(t.first_cycle == 5 && t.last_cycle == UINT64_MAX);
}

static void test_noc_trace__events_keep_what_they_say_and_no_more(void **state)
{
    struct ttp_noc_trace t;
    const char *text =
        "[{\"proc\":\"NCRISC\",\"noc\":\"NOC_1\",\"vc\":-1,\"sx\":1,\"sy\":1,\"dx\":70000,"
        "\"num_bytes\":4096,\"type\":\"READ\",\"timestamp\":9,\"src_device_id\":2,"
        "\"op_name\":\"Mm\",\"run_host_id\":1026},"
        "{\"noc\":\"NOC_0\",\"type\":\"READ_WITH_STATE\"},"
        "{\"type\":\"WRITE_MULTICAST\",\"mcast_start_x\":1,\"mcast_start_y\":2,\"mcast_end_x\":3,"
        "\"mcast_end_y\":4,\"kernel_start_delta\":{\"a\":[1]}},"
        "{\"type\":\"BRAND_NEW\",\"num_bytes\":\"many\"}, 17, {}]";

    assert_int_equal(read_text(&t, text, *state, NULL), TTP_OK);
    assert_int_equal(t.nevents, 5);
    assert_int_equal(t.event[0].noc, 1);
    assert_int_equal(t.event[0].dx, TTP_NOC_FAR);
    assert_int_equal(t.event[0].dy, TTP_NOC_UNSAID);
    assert_int_equal(t.event[0].dst_device, 2);
    assert_int_equal(t.event[1].type, TTP_NOC_READ_WITH_STATE);
    assert_int_equal(t.event[1].risc, TTP_NOC_RISC_NONE);
    assert_int_equal(t.event[1].sx, TTP_NOC_UNSAID);
    assert_int_equal(t.event[2].mcast_end_y, 4);
    assert_int_equal(t.event[3].type, TTP_NOC_OTHER);
    assert_true(ttp_str_eq(ttp_sym_name(&t.names, t.event[3].name), TTP_STR("BRAND_NEW")));
    assert_int_equal(t.event[4].type, TTP_NOC_NONE);
    assert_int_equal(t.odd_values.count, 1);
    assert_int_equal(t.bad_records.count, 1);
    assert_int_equal(t.run_id, 1026);
    assert_true(ttp_str_eq(t.op, TTP_STR("Mm")));
}

static void test_noc_trace__values_as_tt_npe_takes_them(void **state)
{
    const char *text =
        "[{\"proc\":\"BRISC\",\"proc\":\"ERISC\",\"noc\":\"NOC_2\",\"sx\":65537,\"sy\":1.0,"
        "\"num_bytes\":64.0,\"type\":\"READ\",\"src_device_id\":-65536},"
        "{\"num_bytes\":-64,\"timestamp\":1e3,\"type\":\"READ\"},5,"
        "{\"zone\":\"Z\",\"zone_phase\":\"ZONE_END\",\"type\":\"WRITE_\",\"proc\":\"BRISC\","
        "\"sx\":1,\"sy\":1},{\"zone\":\"Z\",\"zone_phase\":\"begin\",\"timestamp\":7}]";
    struct ttp_noc_trace t = {.cut_values = true};
    struct test_file file;

    test_file_open(&file, ttp_str_from(text));
    assert_int_equal(ttp_logs_read_noc_trace(&t, file.path, 0, *state, NULL), TTP_OK);
    test_file_close(&file);
    assert_int_equal(t.nevents, 6);
    assert_int_equal(t.event[0].risc, TTP_NOC_RISC_BRISC);
    assert_int_equal(t.event[0].noc, TTP_NOC_STRANGE);
    assert_int_equal((int16_t)t.event[0].sx, 1);
    assert_int_equal(t.event[0].sx % 10, 65537 % 10);
    assert_int_equal(t.event[0].sx % 12, 65537 % 12);
    assert_int_equal(t.event[0].sx % 17, 65537 % 17);
    assert_int_equal(t.event[0].sy, TTP_NOC_UNSAID);
    assert_int_equal(t.event[0].bytes, 0);
    assert_int_equal((uint16_t)t.event[0].device, 0);
    assert_true(t.event[0].device > UINT16_MAX);
    assert_true(t.event[1].bytes == -64);
    assert_true(t.event[1].cycle == 0);
    assert_int_equal(t.event[2].type, TTP_NOC_NONE);
    assert_int_equal(t.event[3].type, TTP_NOC_ZONE_END);
    assert_int_equal(t.event[4].type, TTP_NOC_WRITE);
    assert_int_equal(t.event[5].type, TTP_NOC_ZONE_END);
    assert_true(t.event[5].cycle == 7);

    /* the same without: 64.0 is 64 */
    assert_int_equal(read_text(&t, text, *state, NULL), TTP_OK);
    assert_true(t.event[0].bytes == 64 && t.event[1].bytes == 0 && t.event[1].cycle == 1000);
    assert_int_equal(t.event[0].noc, TTP_NOC_UNSAID);
    assert_int_equal(t.event[0].sx, TTP_NOC_FAR);
    assert_int_equal(t.nevents, 5);
}

static void test_noc_trace__numbers_beyond_64_bits_are_refused_with_compat(void **state)
{
    static const char *const numbers[] = {"18446744073709551616", "-9223372036854775809", "1e400"};

    for (size_t i = 0; i < TTP_COUNT(numbers); i++) {
        struct ttp_noc_trace t = {.cut_values = true};
        struct ttp_err err = {0};
        struct test_file file;
        char text[96];

        snprintf(text, sizeof(text), "[{},\n{\"other\":{\"a\":[%s]}}]", numbers[i]);
        test_file_open(&file, ttp_str_from(text));
        assert_int_equal(ttp_logs_read_noc_trace(&t, file.path, 0, *state, &err), TTP_EPARSE);
        test_file_close(&file);
        assert_int_equal(err.line, 2);
        assert_int_equal(read_text(&t, text, *state, NULL), TTP_OK);
    }
}

static void test_noc_trace__fabric_of_both_ages(void **state)
{
    struct ttp_noc_trace t;
    const char *text =
        "[{\"dst\":[{\"dx\":1,\"dy\":2,\"noc\":\"NOC_0\",\"num_bytes\":64},{\"dx\":3}],"
        "\"type\":\"FABRIC_UNICAST_SCATTER_WRITE\",\"fabric_send\":{\"eth_chan\":8,"
        "\"start_distance\":2,\"range\":3,\"fabric_mux\":{\"x\":4,\"y\":5,\"noc\":\"NOC_1\"},"
        "\"path\":[{\"device\":0,\"noc\":\"NOC_0\",\"segment_start_x\":1,\"segment_start_y\":1,"
        "\"forward_x\":9,\"forward_y\":0,\"parent_id\":-1},{\"device\":1,\"local_writes\":"
        "[{\"dx\":6,\"dy\":7,\"num_bytes\":32}]}]}},"
        "{\"type\":\"FABRIC_UNICAST_WRITE\",\"fabric_send\":{\"eth_chan\":1,\"hops\":4,\"path\":"
        "[{\"device\":0,\"segment_end_x\":3,\"segment_end_y\":4}]}},"
        "{\"fabric_send\":{\"ns_hops\":1,\"e_hops\":2,\"w_hops\":0,\"is_mcast\":true}}]";

    assert_int_equal(read_text(&t, text, *state, NULL), TTP_OK);
    assert_int_equal(t.nfabrics, 3);
    assert_int_equal(t.fabric[0].nwrites, 2);
    assert_int_equal(t.write[t.fabric[0].write].bytes, 64);
    assert_int_equal(t.write[t.fabric[0].write + 1].dy, TTP_NOC_UNSAID);
    assert_true(t.fabric[0].has_mux && t.fabric[0].mux_noc == 1 && t.fabric[0].mux_y == 5);
    assert_int_equal(t.fabric[0].nhops, 2);
    assert_int_equal(t.hop[t.fabric[0].hop].forward_x, 9);
    assert_true(t.hop[t.fabric[0].hop + 1].has_writes);
    assert_int_equal(t.write[t.hop[t.fabric[0].hop + 1].write].dx, 6);
    assert_int_equal(t.fabric[1].start_distance, 4);
    assert_int_equal(t.fabric[1].range, 1);
    assert_true(t.hop[t.fabric[1].hop].old);
    assert_int_equal(t.hop[t.fabric[1].hop].forward_y, 4);
    assert_true(t.fabric[2].is_mcast && t.fabric[2].e_hops == 2);
}

static void test_noc_trace__refusals_say_where(void **state)
{
    static const struct {
        const char *text;
        size_t offset;
        uint64_t line;
    } cases[] = {
        {"{\"phases\":[]}", 0, 1},
        {"[{\"sx\":1},\n{\"sx\" 2}]", 17, 2},
        {"[\n\n{}", 5, 3},
        {"[] x", 3, 1},
        {"", 0, 1},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_noc_trace t;
        struct ttp_err err = {0};
        assert_int_equal(read_text(&t, cases[i].text, *state, &err), TTP_EPARSE);
        assert_int_equal(err.offset, cases[i].offset);
        assert_int_equal(err.line, cases[i].line);
        assert_true(err.path[0] != '\0');
    }
}

static void make_files(char *dir, const char *const *names)
{
    char path[256];

    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; names[i]; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
        const int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        close(fd);
    }
}

static void remove_files(const char *dir, const char *const *names)
{
    char path[256];

    for (size_t i = 0; names[i]; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
}

static void test_noc_trace__files_are_grouped_into_programs(void **state)
{
    static const char *const names[] = {"noc_trace_dev1_Mat_Mul_ID3073.json",
                                        "noc_trace_dev0_Mat_Mul_ID3072.json.gz",
                                        "noc_trace_dev0_ID2048_traceID4294967297.json",
                                        "noc_trace_dev0_ID2048.json",
                                        "noc_trace_dev0_ID0.json",
                                        "noc_trace_ID3_merged.json",
                                        "noc_trace_devx_ID3.json",
                                        "topology.json",
                                        NULL};
    char dir[] = "/tmp/ttp_noc_XXXXXX";
    struct ttp_noc_folder f;

    make_files(dir, names);
    assert_int_equal(ttp_logs_find_noc_traces(&f, dir, *state, NULL), TTP_OK);
    remove_files(dir, names);
    assert_int_equal(f.nprograms, 3);
    assert_int_equal(f.program[0].op_id, 2);
    assert_true(f.program[0].trace_key == TTP_NO_ID && f.program[0].op.len == 0);
    assert_true(f.program[1].trace_key == 4294967297);
    assert_int_equal(f.program[2].nfiles, 2);
    assert_true(ttp_str_eq(f.program[2].op, TTP_STR("Mat_Mul")));
    assert_int_equal(f.program[2].file[1].device, 1);
    assert_int_equal(f.skipped, 1);
    assert_int_equal(f.unread.count, 1);
    assert_non_null(f.topology);
    assert_false(f.has_sync);
}

static void test_noc_trace__old_run_ids_are_aligned_by_rank(void **state)
{
    static const char *const names[] = {"noc_trace_dev0_A_ID1.json", "noc_trace_dev3_A_ID2.json",
                                        "noc_trace_dev0_B_ID5.json", "noc_trace_dev3_B_ID4.json",
                                        NULL};
    char dir[] = "/tmp/ttp_noc_XXXXXX";
    struct ttp_noc_folder f;

    make_files(dir, names);
    assert_int_equal(ttp_logs_find_noc_traces(&f, dir, *state, NULL), TTP_OK);
    remove_files(dir, names);
    assert_int_equal(f.nprograms, 2);
    assert_int_equal(f.program[0].op_id, 2);
    assert_int_equal(f.program[0].nfiles, 2);
    assert_int_equal(f.program[1].op_id, 5);
    assert_int_equal(f.program[1].file[1].run_id, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_noc_trace__old_and_new_keys_mean_the_same),
        TTP_TEST_ARENA(test_noc_trace__events_keep_what_they_say_and_no_more),
        TTP_TEST_ARENA(test_noc_trace__values_as_tt_npe_takes_them),
        TTP_TEST_ARENA(test_noc_trace__numbers_beyond_64_bits_are_refused_with_compat),
        TTP_TEST_ARENA(test_noc_trace__fabric_of_both_ages),
        TTP_TEST_ARENA(test_noc_trace__refusals_say_where),
        TTP_TEST_ARENA(test_noc_trace__files_are_grouped_into_programs),
        TTP_TEST_ARENA(test_noc_trace__old_run_ids_are_aligned_by_rank),
    };
    return cmocka_run_group_tests_name("logs/noc_trace", tests, NULL, NULL);
}
