/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "measure/measure_internal.h"
#include "test.h"

#define ENTRY(run, aggregate, rate)                                                                \
    "{\"run_name\":\"" run "\",\"run_type\":\"aggregate\",\"repetitions\":11,\"aggregate_name\":"  \
    "\"" aggregate "\",\"bytes_per_second\":" rate "}"
#define RW(entries) "{\"context\":{},\"benchmarks\":[" entries "]}"
#define WRITE_2K    "Write/page_size:2048/size:64/type:0/device:0/real_time"
#define WRITE_4K    "Write/page_size:4096/size:64/type:0/device:0/real_time"
#define READ_1      "Read/page_size:2048/size:64/type:0/device:1/real_time"
#define IN_L1       "Write/page_size:2048/size:64/type:1/device:0/real_time"

static void test_transfers__best_page_size_of_each_direction_and_device(void **state)
{
    struct ttp_bandwidth b = {0};

    assert_int_equal(
        ttp_measure_transfers_read_rw(
            &b,
            TTP_STR(RW(ENTRY(WRITE_2K, "median", "4e9") "," ENTRY(WRITE_2K, "min", "3e9") "," ENTRY(
                WRITE_2K, "max",
                "5e9") "," ENTRY(WRITE_4K, "median",
                                 "6e9") "," ENTRY(IN_L1, "median",
                                                  "9e9") "," ENTRY(READ_1, "median", "2e9"))),
            "rw", *state, NULL),
        TTP_OK);
    assert_int_equal(b.count, 2);
    assert_int_equal(b.rate[0].kind, TTP_BANDWIDTH_H2D);
    assert_true(b.rate[0].median == 6e9);
    assert_true(isnan(b.rate[0].min)); /* of the other page size */
    assert_int_equal(b.rate[0].count, 11);
    assert_int_equal(b.rate[1].kind, TTP_BANDWIDTH_D2H);
    assert_int_equal(b.rate[1].device, 1);
}

static void test_transfers__single_repetitions_give_their_median(void **state)
{
    static const char one[] =
        RW("{\"run_name\":\"" WRITE_2K "\",\"bytes_per_second\":1e9},"
           "{\"run_name\":\"" WRITE_2K "\",\"bytes_per_second\":3e9},"
           "{\"run_name\":\"" WRITE_2K "\",\"bytes_per_second\":7e9},"
           "{\"run_name\":\"" WRITE_2K "\",\"error_occurred\":true,\"bytes_per_second\":9e9}");
    struct ttp_bandwidth b = {0};

    assert_int_equal(ttp_measure_transfers_read_rw(&b, ttp_str_from(one), "rw", *state, NULL),
                     TTP_OK);
    assert_int_equal(b.count, 1);
    assert_int_equal(b.rate[0].count, 3);
    assert_true(b.rate[0].median == 3e9 && b.rate[0].min == 1e9 && b.rate[0].max == 7e9);
}

static void test_transfers__other_documents_are_refused(void **state)
{
    static const struct {
        const char *text;
        ttp_code code;
    } cases[] = {
        {"", TTP_ENOTFOUND},
        {"{", TTP_EPARSE},
        {"{}", TTP_ENOTFOUND},
        {RW(""), TTP_ENOTFOUND},
        {RW(ENTRY(IN_L1, "median", "9e9")), TTP_ENOTFOUND},
        {RW(ENTRY(WRITE_2K, "mean", "9e9")), TTP_ENOTFOUND},
        {RW(ENTRY(WRITE_2K, "median", "-1")), TTP_ENOTFOUND},
        {RW(ENTRY("Write/type:0/device:-1", "median", "1e9")), TTP_ENOTFOUND},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_bandwidth b = {0};

        assert_int_equal(
            ttp_measure_transfers_read_rw(&b, ttp_str_from(cases[i].text), "rw", *state, NULL),
            cases[i].code);
        assert_int_equal(b.count, 0);
    }
}

#define LINE(rate) "  Test | INFO     | Time elapsed for DRAM accesses: 1.000ms (" rate "GB/s)\n"

static void test_transfers__dram_lines_are_binary_gigabytes(void **state)
{
    struct ttp_bandwidth b = {0};

    assert_int_equal(ttp_measure_transfers_read_dram(
                         &b,
                         TTP_STR(LINE("100.000") LINE("300.000") LINE("200.000") "Test Passed\n"),
                         "dram", *state, NULL),
                     TTP_OK);
    assert_int_equal(b.rate[0].count, 3);
    assert_true(fabs(b.rate[0].median - 200.0 * 1073741824.0) < 1);
}

static void test_transfers__dram_test_that_failed_has_no_rate(void **state)
{
    struct ttp_bandwidth b = {0};

    assert_int_equal(ttp_measure_transfers_read_dram(&b, TTP_STR(LINE("100.000") "Test Failed\n"),
                                                     "dram", *state, NULL),
                     TTP_EPARSE);
    assert_int_equal(ttp_measure_transfers_read_dram(
                         &b, TTP_STR("Test Passed\n" LINE("x") LINE("-1")), "dram", *state, NULL),
                     TTP_ENOTFOUND);
    assert_int_equal(b.count, 0);
}

static void test_transfers__memory_is_streamed_by_all_threads(void **state)
{
    const struct ttp_stream_options o = {
        .threads = 3, .array_bytes = (uint64_t)1 << 20, .seconds = 0.01};
    struct ttp_bandwidth b = {0};

    assert_int_equal(ttp_measure_stream_memory(&b, &o, *state, NULL), TTP_OK);
    assert_int_equal(b.threads, 3);
    assert_int_equal(b.count, 4);
    for (size_t i = 0; i < b.count; i++) {
        assert_int_equal(b.rate[i].kind, i);
        assert_true(b.rate[i].count >= 5);
        assert_true(b.rate[i].min > 0 && b.rate[i].min <= b.rate[i].median &&
                    b.rate[i].median <= b.rate[i].max && isfinite(b.rate[i].max));
    }
}

static void test_transfers__a_full_machine_is_not_streamed(void **state)
{
    const struct ttp_stream_options o = {.available_bytes = 8 << 20};
    struct ttp_bandwidth b = {0};

    assert_int_equal(ttp_measure_stream_memory(&b, &o, *state, NULL), TTP_EMISSING);
    assert_int_equal(b.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_transfers__best_page_size_of_each_direction_and_device),
        TTP_TEST_ARENA(test_transfers__single_repetitions_give_their_median),
        TTP_TEST_ARENA(test_transfers__other_documents_are_refused),
        TTP_TEST_ARENA(test_transfers__dram_lines_are_binary_gigabytes),
        TTP_TEST_ARENA(test_transfers__dram_test_that_failed_has_no_rate),
        TTP_TEST_ARENA(test_transfers__memory_is_streamed_by_all_threads),
        TTP_TEST_ARENA(test_transfers__a_full_machine_is_not_streamed),
    };
    return cmocka_run_group_tests_name("measure/transfers", tests, NULL, NULL);
}
