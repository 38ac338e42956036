/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "analysis/stages.h"
#include "test.h"

/* Columns of the rows below, in this order. */
static const char header[] =
    "OP CODE,OP TYPE,DEVICE ID,DEVICE ARCH,ATTRIBUTES,MATH FIDELITY,CORE COUNT,AVAILABLE WORKER "
    "CORE "
    "COUNT,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],DEVICE KERNEL DURATION PER CORE MAX "
    "[ns],"
    "DEVICE KERNEL DURATION PER CORE AVG [ns],DEVICE COMPUTE CB WAIT FRONT [ns],DEVICE COMPUTE CB "
    "RESERVE BACK [ns],DEVICE BRISC KERNEL DURATION [ns],DEVICE NCRISC KERNEL DURATION [ns],DEVICE "
    "TRISC1 KERNEL DURATION [ns],NOC UTIL (%),DRAM BW UTIL (%),"
    "INPUT_0_W_PAD[LOGICAL],INPUT_0_Z_PAD[LOGICAL],INPUT_0_Y_PAD[LOGICAL],INPUT_0_X_PAD[LOGICAL],"
    "INPUT_0_DATATYPE,INPUT_0_MEMORY,"
    "OUTPUT_0_W_PAD[LOGICAL],OUTPUT_0_Z_PAD[LOGICAL],OUTPUT_0_Y_PAD[LOGICAL],OUTPUT_0_X_PAD["
    "LOGICAL],"
    "OUTPUT_0_DATATYPE,OUTPUT_0_MEMORY,X\n";

struct run {
    struct ttp_ops ops;
    struct ttp_report report;
};

static void analyse(struct run *r, const char *rows, struct ttp_arena *arena)
{
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_report_options options = {0};
    char path[] = "/tmp/test_limits.XXXXXX";
    const char *name = path;
    struct ttp_err err = {0};

    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    fputs(header, file);
    fputs(rows, file);
    fclose(file);
    assert_int_equal(ttp_ops_read_csv(&r->ops, (struct ttp_paths){&name, 1}, &reading, arena, &err),
                     TTP_OK);
    unlink(path);
    assert_int_equal(ttp_analysis_run(&r->report, &r->ops, &options, arena, &err), TTP_OK);
}

#define TENSOR(y, x, type, memory) "1[1],1[1]," y "," x "," type "," memory
#define ROW(code, cores, gap, ns, numbers, in, out)                                                \
    code ",tt_dnn_device,0,wormhole_b0,,," cores ",64," gap "," ns "," numbers "," in "," out ","  \
         "\n"
#define SMALL     TENSOR("32[32]", "32[32]", "BFLOAT16", "DEV_0_L1_INTERLEAVED")
#define NONE      ",,,,,,,,"
#define NO_TENSOR ",,,,,"

/* Each row is one op that a limit is known of. */
static void test_limits__each_kind_is_told_by_its_evidence(void **state)
{
    static const struct {
        const char *row;
        enum ttp_limit limit;
        const char *evidence; /* a part of it */
    } cases[] = {
        /* 2 x 8 MiB in 65 us of 288 GB/s */
        {ROW("UnaryDeviceOperation", "64", "900", "65000", NONE,
             TENSOR("4096[4096]", "1024[1024]", "BFLOAT16", "DEV_0_DRAM_INTERLEAVED"),
             TENSOR("4096[4096]", "1024[1024]", "BFLOAT16", "DEV_0_DRAM_INTERLEAVED")),
         TTP_LIMIT_DRAM, "258 GB/s"},
        {ROW("UnaryDeviceOperation", "8", "900", "5000", NONE, SMALL, SMALL), TTP_LIMIT_CORES,
         "8 of 64 cores"},
        {ROW("UnaryDeviceOperation", "64", "900", "5000", "5000,2000,,,,,,,", SMALL, SMALL),
         TTP_LIMIT_IMBALANCE, "2.5 times"},
        {ROW("UnaryDeviceOperation", "64", "900", "5000", NONE,
             TENSOR("32[1]", "32[32]", "BFLOAT16", "DEV_0_L1_INTERLEAVED"),
             TENSOR("32[1]", "32[32]", "BFLOAT16", "DEV_0_L1_INTERLEAVED")),
         TTP_LIMIT_PADDING, "97 %"},
        {ROW("UnaryDeviceOperation", "64", "900", "5000", ",,160000,6400,,,,,", SMALL, SMALL),
         TTP_LIMIT_READER, "waits for input 50 %"},
        {ROW("UnaryDeviceOperation", "64", "900", "5000", ",,6400,160000,,,,,", SMALL, SMALL),
         TTP_LIMIT_WRITER, "waits for free buffers 50 %"},
        {ROW("UnaryDeviceOperation", "64", "900", "5000", ",,,,2000,2000,4900,,", SMALL, SMALL),
         TTP_LIMIT_COMPUTE, "TRISC1 98 %"},
        {ROW("UnaryDeviceOperation", "64", "900", "5000", ",,,,4900,2000,2000,,", SMALL, SMALL),
         TTP_LIMIT_WRITER, "BRISC 98 %"},
        {ROW("UnaryDeviceOperation", "64", "900", "5000", ",,,,,,,80,", SMALL, SMALL),
         TTP_LIMIT_NOC, "80 % busy"},
        {ROW("UnaryDeviceOperation", "64", "900", "5000", ",,,,,,,30,71", SMALL, SMALL),
         TTP_LIMIT_DRAM, "NoC traces show 71 %"},
        {ROW("UnaryDeviceOperation", "64", "900", "5000", ",,,,4900,4800,1000,,", SMALL, SMALL),
         TTP_LIMIT_NOC, "BRISC 98 %"},
        {ROW("AllGatherAsync", "4", "900", "100000", NONE,
             TENSOR("32[32]", "1024[1024]", "BFLOAT16", "DEV_0_DRAM_INTERLEAVED"),
             TENSOR("32[32]", "8192[8192]", "BFLOAT16", "DEV_0_DRAM_INTERLEAVED")),
         TTP_LIMIT_LINK, "4.6 GB/s"},
        {ROW("UnaryDeviceOperation", "64", "90000", "5000", NONE, SMALL, SMALL), TTP_LIMIT_GAP,
         "90 μs"},
        {ROW("UnaryDeviceOperation", "64", "900", "5000", NONE, SMALL, SMALL), TTP_LIMIT_SLOW, ""},
        /* faster than the DRAM can be: the shapes do not tell what was moved */
        {ROW("UnaryDeviceOperation", "64", "900", "5000", NONE,
             TENSOR("4096[4096]", "1024[1024]", "BFLOAT16", "DEV_0_DRAM_INTERLEAVED"),
             TENSOR("4096[4096]", "1024[1024]", "BFLOAT16", "DEV_0_DRAM_INTERLEAVED")),
         TTP_LIMIT_SLOW, ""},
        /* one kernel alone takes longer than no other */
        {ROW("UnaryDeviceOperation", "64", "900", "5000", ",,,,4900,,,,", SMALL, SMALL),
         TTP_LIMIT_SLOW, ""},
        /* what it moves, computes and waits for is unknown: it is not far from a ceiling */
        {ROW("NobodyKnowsThis", "64", "900", "5000", NONE, NO_TENSOR, NO_TENSOR), TTP_LIMIT_NONE,
         ""},
        {ROW("NobodyKnowsThis", "64", "900", "", NONE, SMALL, SMALL), TTP_LIMIT_NONE, ""},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_arena *arena = *state;
        struct ttp_sink rows;
        struct run r;

        /* the first op of a run has no gap */
        ttp_sink_to_arena(&rows, arena);
        ttp_sink_put(&rows, ttp_str_from(cases[i].row));
        ttp_sink_put(&rows, ttp_str_from(cases[i].row));
        analyse(&r, ttp_arena_zstr(arena, ttp_sink_text(&rows)), arena);
        const struct ttp_op *op = &r.report.op[1];
        const ttp_str text = ttp_analysis_limit_text(&r.report, op, arena);
        const struct ttp_ceiling ceiling = ttp_analysis_ceiling(&r.report, op);
        assert_string_equal(ttp_diagnosis_limit_name((enum ttp_limit)op->limit),
                            ttp_diagnosis_limit_name(cases[i].limit));
        if (!ttp_str_has(text, ttp_str_from(cases[i].evidence)))
            fail_msg("'%.*s' lacks '%s'", TTP_FMT(text), cases[i].evidence);
        /* every class names what it is compared with, and why that is there */
        assert_true(cases[i].limit == TTP_LIMIT_NONE || ceiling.cause);
        assert_true(cases[i].limit == TTP_LIMIT_NONE || cases[i].limit == TTP_LIMIT_SLOW ||
                    ceiling.name);
        assert_true(ttp_diagnosis_ceiling_text(&ceiling, arena).len > 0 ||
                    cases[i].limit == TTP_LIMIT_NONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_limits__each_kind_is_told_by_its_evidence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
