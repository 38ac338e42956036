/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ops_line.h"

#define WITH_MEMORY(code, device, ns, memory)                                                      \
    code ",tt_dnn_device," #device "," #ns ",1,64,1,," memory "\n"

static void summarise(struct ttp_summary *out, struct ops_line *line, const char *text,
                      enum ttp_group_by by, const struct ttp_report_options *options,
                      struct ttp_arena *arena)
{
    struct ttp_err err = {0};

    ops_line_run(line, text, options, arena);
    if (ttp_analysis_summarise(out, &line->report, by, options, arena, &err) != TTP_OK)
        fail_msg("%s", err.text);
}

/* "key=count:ns" of every group, per device "key@device". */
static void assert_groups(const struct ttp_summary *s, const char *want, struct ttp_arena *arena)
{
    struct ttp_sink got;

    ttp_sink_to_arena(&got, arena);
    for (size_t i = 0; i < s->count; i++) {
        const struct ttp_group *g = &s->group[i];
        ttp_sink_printf(&got, "%s%.*s", i ? "; " : "", TTP_FMT(g->key));
        if (s->per_device)
            ttp_sink_printf(&got, "@%lld", (long long)g->device);
        ttp_sink_printf(&got, "=%zu:%g", g->count, g->time_us * 1000);
    }
    assert_text(ttp_sink_text(&got), want);
}

#define RUN                                                                                        \
    OPS_HEAD WITH_MEMORY("Softmax", 0, 1000, "DEV_0_L1_HEIGHT_SHARDED")                            \
        WITH_MEMORY("Softmax", 0, 2000, "DEV_0_DRAM_INTERLEAVED")                                  \
            WITH_MEMORY("SoftmaxDeviceOperation", 0, 4000, "")                                     \
                WITH_MEMORY("Tilize", 0, 3000, "DEV_0_L1_HEIGHT_SHARDED")                          \
                    WITH_MEMORY("New op", 0, 3000, "A_b") HOST_OP("(torch) h") POST("post")

static void test_summary__groups_by_memory_op_or_category(void **state)
{
    static const struct {
        enum ttp_group_by by;
        const char *groups;
    } cases[] = {
        {TTP_GROUP_MEMORY,
         "SoftmaxDeviceOperation=1:4000; New (in0:a_b)=1:3000; Tilize (in0:height_sharded)=1:3000; "
         "Softmax (in0:dram_interleaved)=1:2000; Softmax (in0:height_sharded)=1:1000; (torch)=1:0"},
        {TTP_GROUP_OP, "SoftmaxDeviceOperation=1:4000; New=1:3000; Softmax=2:3000; Tilize=1:3000; "
                       "(torch)=1:0"},
        {TTP_GROUP_CATEGORY, "Compute=3:7000; Other=1:3000; TM=1:3000; Host=1:0"},
    };
    const struct ttp_report_options options = {.rules = &ttp_compat_analysis,
                                               .ignore_signposts = true};

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_summary s;
        struct ops_line line;
        summarise(&s, &line, RUN, cases[i].by, &options, *state);
        assert_groups(&s, cases[i].groups, *state);
        assert_true(s.group[0].time_pct == s.group[0].time_us / 13 * 100);
    }
}

static void test_summary__each_unknown_word_is_warned_about_once(void **state)
{
    struct ttp_summary s;
    struct ops_line line;

    summarise(&s, &line,
              OPS_HEAD OP("New a", 0, 1, ) OP("New b", 0, 1, 1) OP("N", 0, 1, 1)
                  OP("Newer", 0, 1, 1) OP("New a", 0, 1, 1) OP("C", 0, 1, 1),
              TTP_GROUP_OP, &ops_compat, *state);
    assert_int_equal(s.notes.count, 4);
    assert_note(&s.notes, "Warning: Unclassified operation 'New' found.");
    assert_note(&s.notes, "Warning: Unclassified operation 'N' found.");
    assert_note(&s.notes, "Warning: Unclassified operation 'Newer' found.");
    assert_note(&s.notes, "Warning: Unclassified operation 'C' found.");
}

static void test_summary__a_memory_without_underscore_is_lost_by_the_original(void **state)
{
    static const char some[] =
        OPS_HEAD WITH_MEMORY("Softmax", 0, 1, "L1") WITH_MEMORY("Tilize", 0, 2, "a_b");
    static const char none[] = OPS_HEAD WITH_MEMORY("Softmax", 0, 1, "L1");
    struct ttp_err err = {0};
    struct ttp_summary s;
    struct ops_line line;

    summarise(&s, &line, some, TTP_GROUP_MEMORY, &ops_compat, *state);
    assert_groups(&s, "Tilize (in0:a_b)=1:2", *state);
    summarise(&s, &line, some, TTP_GROUP_MEMORY, &ops_ours, *state);
    assert_int_equal(s.count, 2);
    ops_line_run(&line, none, &ops_compat, *state);
    assert_int_equal(
        ttp_analysis_summarise(&s, &line.report, TTP_GROUP_MEMORY, &ops_compat, *state, &err),
        TTP_EPARSE);
    summarise(&s, &line, none, TTP_GROUP_OP, &ops_compat, *state);
    assert_groups(&s, "Softmax=1:1", *state);
}

static void test_summary__per_device_shares_are_of_the_device(void **state)
{
    const struct ttp_report_options options = {.rules = &ttp_compat_analysis,
                                               .no_merge_devices = true};
    struct ttp_summary s;
    struct ops_line line;

    summarise(&s, &line,
              OPS_HEAD OP("Softmax", 0, 3000, ) OP("Softmax", 1, 1000, 1) OP("Tilize", 0, 1000, 1)
                  OP("Tilize", 1, 1000, 1) HOST_OP("(torch) lost"),
              TTP_GROUP_OP, &options, *state);
    assert_groups(&s, "Softmax@0=1:3000; Softmax@1=1:1000; Tilize@0=1:1000; Tilize@1=1:1000",
                  *state);
    assert_true(s.group[0].time_pct == 75 && s.group[1].time_pct == 50);
}

static void test_summary__without_ops_it_is_empty(void **state)
{
    const struct ttp_report_options options = {.rules = &ttp_compat_analysis,
                                               .ignore_signposts = true};
    struct ttp_summary s;
    struct ops_line line;

    summarise(&s, &line, OPS_HEAD POST("a"), TTP_GROUP_MEMORY, &options, *state);
    assert_true(s.empty);
    summarise(&s, &line, OPS_HEAD HOST_OP("(torch) a"), TTP_GROUP_MEMORY, &options, *state);
    assert_false(s.empty);
    assert_true(s.group[0].time_is_int);
    assert_true(s.group[0].time_pct == 0);
}

#define DIMS "1,1,32,64,1,1,64,32,1,1,32,32"

static void test_summary__statistics_of_flops(void **state)
{
    struct ttp_summary s;
    struct ops_line line;

    summarise(&s, &line,
              SHAPE_HEAD SHAPED("Matmul", 1000, 8, "", BF16_TYPES, DIMS)
                  SHAPED("Matmul", 2000, 8, "", BF16_TYPES, DIMS)
                      SHAPED("Matmul", , 8, "", BF16_TYPES, DIMS)
                          SHAPED("MatmulDeviceOperation", 1000, 8, "", BF16_TYPES, DIMS),
              TTP_GROUP_OP, &ops_compat, *state);
    const struct ttp_group *g = &s.group[0];
    const double full = line.report.op[0].flops_pct;
    assert_int_equal(g->count, 3);
    assert_true(g->has_flops && g->has_std && g->has_weighted);
    assert_true(g->flops_max == full && fabs(g->flops_min - full / 2) < 1e-12);
    assert_true(fabs(g->flops_mean - full * .75) < 1e-12);
    assert_true(fabs(g->flops_std - full * .25 * sqrt(2)) < 1e-12);
    assert_true(fabs(g->flops_weighted - full * 2 / 3) < 1e-12);
    assert_false(s.group[1].has_std); /* one value has no deviation */
}

static void test_summary__random_groups_add_up(void **state)
{
    const struct ttp_report_options options = {.rules = &ttp_compat_analysis,
                                               .no_merge_devices = true};

    srand(9);
    for (int round = 0; round < 20; round++) {
        struct ttp_summary s;
        struct ttp_sink text;
        struct ops_line line;
        size_t count = 0;
        double time = 0;

        ttp_sink_to_arena(&text, *state);
        ttp_sink_put(&text, TTP_STR(OPS_HEAD));
        for (int i = 0; i < 500; i++)
            ttp_sink_printf(&text, "op%d,tt_dnn_device,%d,%d,1,64,1,,a_%d\n", rand() % 40,
                            rand() % 4, rand() % 1000, rand() % 3);
        ttp_sink_char(&text, '\0');
        summarise(&s, &line, ttp_sink_text(&text).ptr, TTP_GROUP_MEMORY, &options, *state);
        for (size_t i = 0; i < s.count; i++) {
            count += s.group[i].count;
            time += s.group[i].time_us;
            assert_true(i == 0 || s.group[i - 1].time_us >= s.group[i].time_us);
        }
        assert_int_equal(count, 500);
        assert_true(fabs(time - line.report.time_us) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_summary__groups_by_memory_op_or_category),
        TTP_TEST_ARENA(test_summary__each_unknown_word_is_warned_about_once),
        TTP_TEST_ARENA(test_summary__a_memory_without_underscore_is_lost_by_the_original),
        TTP_TEST_ARENA(test_summary__per_device_shares_are_of_the_device),
        TTP_TEST_ARENA(test_summary__without_ops_it_is_empty),
        TTP_TEST_ARENA(test_summary__statistics_of_flops),
        TTP_TEST_ARENA(test_summary__random_groups_add_up),
    };
    return cmocka_run_group_tests_name("analysis/summary", tests, NULL, NULL);
}
