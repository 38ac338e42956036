/* SPDX-License-Identifier: Apache-2.0 */
/* Headers as the tools write them, cut to what tells them apart. */
#include "ops/ops_columns.h"
#include "test.h"

#define MAX_NAMES 32

static const struct {
    const char *header;  /* names separated by commas */
    const char *missing; /* the column a reader asked for */
    const char *text;    /* part of the message */
    const char *hint;    /* part of the hint */
} files[] = {
    {"ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64", "DEVICE ID",
     "a raw device log (profile_log_device.csv)", "tt-perf ops FOLDER"},
    {"Chip clock is at 1000 MHz", "DEVICE ID", "raw device log of an old tt-metal", "ops_perf"},
    {"PCIe slot, core_x, core_y, RISC processor type, timer_id", "DEVICE ID",
     "raw device log without its first line", "ops_perf"},
    {"GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,DEVICE ID,DEVICE ARCH,OP "
     "NAME,DEVICE KERNEL START CYCLE",
     "OP CODE", "cpp_device_perf_report.csv", "same run"},
    {"GLOBAL CALL COUNT,OP NAME", "DEVICE ID", "cpp_device_perf_report.csv", "same run"},
    {"GLOBAL CALL COUNT,DEVICE FW START CYCLE,DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns]",
     "DEVICE ID", "made only from the device log, times without op names", "--device-only"},
    {"GLOBAL CALL COUNT,SUB DEVICE ID,DEVICE FW DURATION [ns]", "OP CODE",
     "only from the device log", "tracy_ops_data.csv"},
    {"GLOBAL CALL COUNT", "DEVICE ID", "made from a device log without any op",
     "no op was measured"},
    {"device ID,op2op ID,1; 1 [ns],1; 2 [ns]", "DEVICE ID", "per_core_op_to_op_times.csv",
     "same run"},
    {"name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread", "DEVICE ID",
     "host zones (tracy_ops_times.csv)", "same run"},
    {"name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns", "DEVICE ID",
     "Tracy zone statistics", "same run"},
    {"MessageName;total_ns", "DEVICE ID", "host messages (tracy_ops_data.csv)", "same run"},
    {"There are currently no messages!", "DEVICE ID", "empty list of host messages", "Tracy"},
    {"device id,core_x,core_y,device,host_tracy,host_real", "DEVICE ID", "sync_device_info.csv",
     "same run"},
    {"ID,Total %,Bound,OP Code,Device,Device Time,Op-to-Op Gap", "DEVICE ID", "already a report",
     "made from"},
    {"Total %,OP Code", "DEVICE ID", "already a report", "made from"},
    {"Total % [%],Op Code,Device Time Sum [us],Ops Count", "DEVICE ID", "already a summary",
     "made from"},
    {"%,OP Code Joined,Device_Time_Sum_us", "DEVICE ID", "already a summary", "made from"},
    {"marker,mean(L1_TO_L1),std(L1_TO_L1)", "DEVICE ID", "LLK", "same run"},
    {"OP CODE;OP TYPE;GLOBAL CALL COUNT;DEVICE ID;CORE COUNT", "DEVICE ID",
     "separated by semicolons", "comma-separated"},
    {"OP CODE\tOP TYPE\tGLOBAL CALL COUNT\tDEVICE ID\tCORE COUNT", "DEVICE ID", "separated by tabs",
     "comma-separated"},
    {"op code,op type,device id", "OP CODE", "one called 'op code'", "restore the column names"},
    {"DEVICE ID,OP_CODE,OP TYPE", "OP CODE", "one called 'OP_CODE'", "restore"},
    {" OP CODE ,OP TYPE,DEVICE ID", "OP CODE", "one called ' OP CODE '", "restore"},
    {"OP CODE,DEVICE ID,CORE COUNT", "OP TYPE",
     "no 'OP TYPE' column among 3: the report lost columns", "all of its columns"},
    {"a,b,c,d,e,f", "OP CODE", "not an ops_perf_results CSV", "'a', 'b', 'c', 'd', 'e'"},
    {"", "OP CODE", "not an ops_perf_results CSV", "begins with ''"},
};

static void test_ops_lookalikes__each_known_file_is_named_with_a_next_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < TTP_COUNT(files); i++) {
        ttp_str name[MAX_NAMES];
        const size_t n = ttp_str_split(ttp_str_from(files[i].header), ',', name, MAX_NAMES);
        struct ttp_err err = {0};

        assert_true(n <= MAX_NAMES);
        assert_int_equal(ttp_ops_explain_header(name, n, files[i].missing, &err), TTP_EPARSE);
        if (!strstr(err.text, files[i].text) || !strstr(err.hint, files[i].hint))
            fail_msg("%s: '%s', hint '%s'", files[i].header, err.text, err.hint);
    }
}

static void test_ops_lookalikes__a_long_name_is_cut_not_overrun(void **state)
{
    char *longest = TTP_NEW(*state, char, 5000);
    struct ttp_err err = {0};

    memset(longest, 'x', 5000);
    const ttp_str name[] = {
        {longest, 5000}, {longest, 5000}, {longest, 5000}, {longest, 5000}, {longest, 5000}};
    assert_int_equal(ttp_ops_explain_header(name, TTP_COUNT(name), "OP CODE", &err), TTP_EPARSE);
    assert_true(strlen(err.hint) < 250);
    assert_non_null(strstr(err.hint, "xxx', 'xxx"));
}

static void test_ops_lookalikes__content_that_is_not_text_is_named(void **state)
{
    static const struct {
        ttp_str start;
        const char *text; /* NULL: fine */
    } cases[] = {
        {TTP_STR("OP CODE,OP TYPE\n"), NULL},
        {TTP_STR(""), NULL},
        {TTP_STR(" \n {\"traceEvents\": []}"), "JSON"},
        {TTP_STR("[1]"), "JSON"},
        {TTP_STR("<html>"), "HTML"},
        {TTP_STR("tlZ\x04rest"), "Tracy capture"},
        {TTP_STR("tr\xFDPrest"), "Tracy capture"},
        {TTP_STR("\x7F"
                 "ELF"),
         "a program"},
        {TTP_STR("PK\x03\x04"), "spreadsheet"},
        {TTP_STR("OP CODE\0,"), "binary data"},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_err err = {0};
        const ttp_code rc = ttp_ops_check_content(cases[i].start, &err);

        assert_int_equal(rc, cases[i].text ? TTP_EPARSE : TTP_OK);
        if (cases[i].text && (!strstr(err.text, cases[i].text) || !err.hint[0]))
            fail_msg("case %zu: '%s'", i, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ops_lookalikes__each_known_file_is_named_with_a_next_step),
        TTP_TEST_ARENA(test_ops_lookalikes__a_long_name_is_cut_not_overrun),
        cmocka_unit_test(test_ops_lookalikes__content_that_is_not_text_is_named),
    };
    return cmocka_run_group_tests_name("ops/lookalikes", tests, NULL, NULL);
}
