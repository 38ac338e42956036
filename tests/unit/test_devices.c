/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "ops_line.h"

/* "code@device:ns" of every op, to compare in one go. */
static void assert_ops(const struct ops_line *line, const char *want, struct ttp_arena *arena)
{
    struct ttp_sink got;

    ttp_sink_to_arena(&got, arena);
    for (size_t i = 0; i < line->report.count; i++) {
        const struct ttp_op *op = &line->report.op[i];
        ttp_sink_printf(&got, "%s%.*s", i ? " " : "", TTP_FMT(ops_line_code(line, i)));
        if (op->has & TTP_HAS_DEVICE)
            ttp_sink_printf(&got, "@%lld", (long long)op->device);
        if ((op->has & TTP_HAS_TIME) && !(op->has & TTP_TIME_IS_INT))
            ttp_sink_printf(&got, ":%g", op->time_us * 1000);
    }
    assert_text(ttp_sink_text(&got), want);
}

static void test_devices__merge_keeps_one_row_per_op(void **state)
{
    static const struct {
        const char *text, *compat, *ours;
    } cases[] = {
        /* the slowest device's row; the first of equal ones */
        {OPS_HEAD OP("A", 0, 10, ) OP("A", 1, 30, 1) OP("A", 2, 30, 1), "A@1:30", "A@1:30"},
        /* collectives: the first device's row with the mean of the durations that are there; ours
           is the shortest, because the rest is waiting for others */
        {OPS_HEAD OP("AllGather", 0, 10, ) OP("AllGather", 1, , 1) OP("AllGather", 2, 30, 1),
         "AllGather@0:20", "AllGather@0:10"},
        {OPS_HEAD OP("xReduceScatter", 0, , ) OP("xReduceScatter", 1, , 1), "xReduceScatter@0",
         "xReduceScatter@0"},
        /* what only has the name of one in its own: the slowest */
        {OPS_HEAD OP("LayerNormPreAllGather", 0, 10, ) OP("LayerNormPreAllGather", 1, 30, 1),
         "LayerNormPreAllGather@0:20", "LayerNormPreAllGather@1:30"},
        /* a missing first duration wins in the original */
        {OPS_HEAD OP("A", 0, , ) OP("A", 1, 5, 1), "A@0", "A@1:5"},
        {OPS_HEAD OP("A", 0, 5, ) OP("A", 1, , 1), "A@0:5", "A@0:5"},
        /* one device and what is not a device op */
        {OPS_HEAD OP("A", 3, 5, ) HOST_OP("(torch) h") OP("A", 3, 6, 1), "A@3:5 (torch) h A@3:6",
         "A@3:5 (torch) h A@3:6"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ops_line line;
        ops_line_run(&line, cases[i].text, &ops_compat, *state);
        assert_ops(&line, cases[i].compat, *state);
        ops_line_run(&line, cases[i].text, &ops_ours, *state);
        assert_ops(&line, cases[i].ours, *state);
    }
}

static void test_devices__what_does_not_match_is_said(void **state)
{
    struct ops_line line;

    ops_line_run(&line,
                 OPS_HEAD OP("A", 0, 1, ) OP("B", 1, 2, 1) OP("A", 2, 3, 1) OP("B", 0, 9, 1)
                     OP("C", 2, 4, 1),
                 &ops_compat, *state);
    assert_note(&line.report.notes, "Detected data from 3 devices. Merging device data...");
    assert_note(&line.report.notes, "Warning: A at index 0 not present in CSV for 1 devices [1] - "
                                    "do not trust data for this op");
    assert_note(&line.report.notes, "Warning: B at index 1 not present in CSV for 1 devices [2]");
    assert_note(&line.report.notes, "Warning: Device 0 is missing operation None at index 2");
    assert_note(&line.report.notes, "Warning: Device 1 is missing operation None at index 2");
    assert_ops(&line, "A@2:3 B@0:9 C@2:4", *state);
}

static void test_devices__kept_apart_they_stay_in_order(void **state)
{
    static const char text[] = OPS_HEAD OP("A", 0, 1, ) OP("A", 1, 2, 1) OP("B", 1, 3, 1);
    const struct ttp_report_options original = {.rules = &ttp_compat_analysis,
                                                .no_merge_devices = true};
    const struct ttp_report_options ours = {.no_merge_devices = true};
    struct ops_line line;

    ops_line_run(&line, text, &original, *state);
    assert_ops(&line, "A@0:1 A@1:2 B@1:3", *state);
    assert_note(&line.report.notes,
                "Detected data from 2 devices. Keeping separate device data...");
    ops_line_run(&line, text, &ours, *state);
    assert_ops(&line, "A@0:1 A@1:2 B@1:3", *state);
}

static void test_devices__a_device_op_without_id_stops_the_original(void **state)
{
    static const char text[] = OPS_HEAD OP("A", 0, 1, ) OP("A", 1, 1, ) OP("B", , 2, 1);
    struct ops_line line;

    ops_line_try(&line, text, &ops_compat, *state);
    assert_int_equal(line.code, TTP_EPARSE);
    ops_line_run(&line, text, &ops_ours, *state);
    assert_note(&line.report.notes, "devices are not merged");
    assert_ops(&line, "A@0:1 A@1:1 B:2", *state);
}

static void test_devices__without_device_ops_the_original_loses_all(void **state)
{
    static const char text[] = OPS_HEAD "A,tt_dnn_cpu,0,1,1,1,1,,\n";
    struct ops_line line;

    ops_line_run(&line, text, &ops_compat, *state);
    assert_int_equal(line.report.count, 0);
    ops_line_run(&line, OPS_HEAD HOST_OP("A"), &ops_compat, *state);
    assert_note(&line.report.notes, "No device operations found in the CSV data.");
    assert_codes(&line, "A");
}

/* Devices that ran the same ops: as many rows as ops, each the slowest, in any order of rows. */
static void test_devices__random_runs_merge_to_the_slowest_rows(void **state)
{
    enum { OPS = 20, DEVICES = 5 };

    srand(6);
    for (int round = 0; round < 50; round++) {
        const int devices = 2 + rand() % (DEVICES - 1);
        int slowest[OPS] = {0}, next[DEVICES] = {0};
        struct ttp_sink text;
        struct ops_line line;

        ttp_sink_to_arena(&text, *state);
        ttp_sink_put(&text, TTP_STR(OPS_HEAD));
        for (int left = OPS * devices; left > 0; left--) {
            int d = rand() % devices;
            while (next[d] == OPS)
                d = (d + 1) % devices;
            const int op = next[d]++, ns = 1 + rand() % 100;
            slowest[op] = ns > slowest[op] ? ns : slowest[op];
            ttp_sink_printf(&text, "op%d,tt_dnn_device,%d,%d,1,64,1,,\n", op, d, ns);
        }
        ttp_sink_char(&text, '\0');
        ops_line_run(&line, ttp_sink_text(&text).ptr, round % 2 ? &ops_compat : &ops_ours, *state);
        assert_int_equal(line.report.count, OPS);
        for (int i = 0; i < OPS; i++) {
            const ttp_str code = ops_line_code(&line, (size_t)i);
            int64_t op;
            assert_true(ttp_str_to_i64(ttp_str_slice(code, 2, code.len), &op));
            assert_int_equal(line.report.op[i].time_us * 1000 + 0.5, slowest[op]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_devices__merge_keeps_one_row_per_op),
        TTP_TEST_ARENA(test_devices__what_does_not_match_is_said),
        TTP_TEST_ARENA(test_devices__kept_apart_they_stay_in_order),
        TTP_TEST_ARENA(test_devices__a_device_op_without_id_stops_the_original),
        TTP_TEST_ARENA(test_devices__without_device_ops_the_original_loses_all),
        TTP_TEST_ARENA(test_devices__random_runs_merge_to_the_slowest_rows),
    };
    return cmocka_run_group_tests_name("analysis/devices", tests, NULL, NULL);
}
