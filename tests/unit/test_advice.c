/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "advice/advice.h"
#include "analysis/stages.h"
#include "ops_line.h"

#define L1   "DEV_0_L1_INTERLEAVED"
#define DRAM "DEV_0_DRAM_INTERLEAVED"
#define SHARD                                                                                      \
    "Try a DRAM-sharded program config (MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig) "   \
    "to improve throughput further"
#define NO_CONFIG                                                                                  \
    "No program_config specified, try using one to override in0_block_w and out_subblock_h/w"
#define USE_HIFI4                                                                                  \
    "If your matmuls are not FLOP-bound use HiFi4 with BF16 activations for full accuracy"
#define USE_LOFI   "LoFi is sufficient with BFP4 weights, use it for much higher throughput"
#define ALL_BLOCKS (TTP_HAS_BLOCK_W | TTP_HAS_SUBBLOCK_H | TTP_HAS_SUBBLOCK_W)

static ttp_sym sym(struct ttp_report *report, const char *text)
{
    return ttp_sym_intern(report->syms, ttp_str_from(text));
}

/* Texts of all findings, joined by '|'. */
static ttp_str advice_of(struct ttp_report *report, const struct ttp_finding_rules *rules,
                         struct ttp_arena *arena)
{
    struct ttp_finding found[TTP_ADVICE_PER_OP];
    const size_t n = ttp_advice_for_op(found, report, 0, rules, arena);
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < n; i++)
        ttp_sink_printf(&out, "%s%.*s", i ? "|" : "", TTP_FMT(found[i].text));
    return ttp_sink_text(&out);
}

enum types { BF16, BFP4_WEIGHTS };

struct advice_case {
    enum ttp_bound bound;
    uint32_t has;
    double flops_pct;
    int64_t cores, width, h, w;
    const char *memory, *fidelity;
    enum types types;
    const char *want;
};

static const struct advice_case cases[] = {
    {TTP_BOUND_NONE, 0, 0, 64, 0, 0, 0, L1, "HiFi4", BF16, ""},
    {TTP_BOUND_DRAM, 0, 10, 64, 0, 0, 0, L1, "HiFi4", BF16, SHARD},
    {TTP_BOUND_BOTH, 0, 70, 64, 0, 0, 0, L1, "HiFi4", BF16, SHARD},
    {TTP_BOUND_DRAM, TTP_DRAM_SHARDED, 10, 64, 0, 0, 0, L1, "HiFi4", BF16, ""},
    {TTP_BOUND_DRAM, TTP_DRAM_SHARDED, 39.9, 64, 0, 0, 0, L1, "HiFi2", BF16, USE_HIFI4},
    {TTP_BOUND_DRAM, TTP_DRAM_SHARDED, 40, 64, 0, 0, 0, L1, "HiFi2", BF16, ""},
    {TTP_BOUND_DRAM, 0, 90, 64, 0, 0, 0, L1, "HiFi2", BFP4_WEIGHTS, SHARD "|" USE_LOFI},
    {TTP_BOUND_FLOP, 0, 90, 64, 0, 0, 0, DRAM, "HiFi4", BF16, ""},
    {TTP_BOUND_FLOP, 0, 90, 63, 0, 0, 0, DRAM, "HiFi4", BF16,
     "Increase grid size (currently using 63)"},
    {TTP_BOUND_FLOP, 0, 90, 64, 0, 0, 0, DRAM, "HiFi2", BF16, ""},
    {TTP_BOUND_FLOP, 0, 90, 64, 0, 0, 0, DRAM, "HiFi4", BFP4_WEIGHTS, USE_LOFI},
    {TTP_BOUND_SLOW, 0, 10, 1, 0, 0, 0, L1, "HiFi4", BFP4_WEIGHTS, NO_CONFIG},
    {TTP_BOUND_SLOW, 0, 10, 1, 0, 0, 0, DRAM, "HiFi4", BF16,
     "If possible place input 0 in L1 (currently in " DRAM ")|" NO_CONFIG},
    {TTP_BOUND_SLOW, 0, 10, 1, 0, 0, 0, "", "HiFi4", BF16, NO_CONFIG},
    {TTP_BOUND_SLOW, ALL_BLOCKS, 10, 1, 2, 1, 2, L1, "LoFi", BFP4_WEIGHTS,
     "in0_block_w=2 and output subblock 1x2 look good 🤷"},
    {TTP_BOUND_SLOW, ALL_BLOCKS, 10, 1, 4, 2, 2, L1, "HiFi2", BF16,
     "in0_block_w=4 and output subblock 2x2 look good 🤷|" USE_HIFI4},
    {TTP_BOUND_SLOW, ALL_BLOCKS, 10, 1, 1, 1, 1, L1, "LoFi", BFP4_WEIGHTS,
     "in0_block_w=1 is small, try in0_block_w=2 or above|Output subblock 1x1 is small, try "
     "out_subblock_h * out_subblock_w >= 2 if possible"},
    {TTP_BOUND_SLOW, TTP_HAS_SUBBLOCK_H | TTP_HAS_SUBBLOCK_W, 10, 1, 0, 4, 4, L1, "LoFi",
     BFP4_WEIGHTS, "No inner dim block size found"},
    {TTP_BOUND_SLOW, TTP_HAS_BLOCK_W | TTP_HAS_SUBBLOCK_H, 10, 1, 4, 4, 0, L1, "LoFi", BFP4_WEIGHTS,
     "No output subblock size found"},
};

static void test_advice__sentences_for_matmuls(void **state)
{
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct advice_case *c = &cases[i];
        struct ttp_symtab syms = {.arena = *state};
        struct ttp_op op = {.kind = TTP_OP_DEVICE,
                            .analysed = TTP_ANALYSED_FULL,
                            .bound = (uint8_t)c->bound,
                            .has = c->has,
                            .flops_pct = c->flops_pct,
                            .cores = {TTP_CELL_INT, {.i = c->cores}},
                            .block_w = c->width,
                            .subblock_h = c->h,
                            .subblock_w = c->w};
        struct ttp_report report = {.syms = &syms, .op = &op, .count = 1};

        ttp_sym_intern(&syms, (ttp_str){0});
        op.code = op.raw_code = sym(&report, "Matmul 1 x 1 x 1");
        op.in0_memory = sym(&report, c->memory);
        op.in0_datatype = sym(&report, c->types == BF16 ? "BFLOAT16" : "BFLOAT8_B");
        op.in1_datatype = sym(&report, c->types == BF16 ? "BFLOAT16" : "BFLOAT4_B");
        op.out_datatype = op.in0_datatype;
        ttp_analysis_stage_fidelity(&op, &syms, ttp_str_from(c->fidelity));
        assert_text(advice_of(&report, &ttp_compat_advice, *state), c->want);
    }
}

static void test_advice__cores_print_as_their_column_does(void **state)
{
    struct ttp_symtab syms = {.arena = *state};
    struct ttp_op op = {.bound = TTP_BOUND_FLOP, .cores = {TTP_CELL_FLOAT, {.f = 40}}};
    struct ttp_report report = {.syms = &syms, .op = &op, .count = 1};

    ttp_sym_intern(&syms, (ttp_str){0});
    op.code = sym(&report, "Matmul");
    assert_text(advice_of(&report, &ttp_compat_advice, *state),
                "Increase grid size (currently using 40.0)");
}

static void test_advice__other_ops_get_gap_and_fallback_only(void **state)
{
    static const struct {
        const char *code;
        double gap_us;
        const char *rules;
    } ops[] = {
        {"Softmax", 6.5, ""},
        {"Softmax", 6.51, "op-gap"},
        {"(torch) x", 0, "host-fallback"},
        {"x (torch)", 7, "host-fallback op-gap"},
    };

    for (size_t i = 0; i < TTP_COUNT(ops); i++) {
        struct ttp_symtab syms = {.arena = *state};
        struct ttp_op op = {.has = TTP_HAS_GAP, .gap_us = ops[i].gap_us, .bound = TTP_BOUND_SLOW};
        struct ttp_report report = {.syms = &syms, .op = &op, .count = 1};
        struct ttp_finding found[TTP_ADVICE_PER_OP];
        struct ttp_sink rules;

        op.code = sym(&report, ops[i].code);
        const size_t n = ttp_advice_for_op(found, &report, 0, &ttp_compat_advice, *state);
        ttp_sink_to_arena(&rules, *state);
        for (size_t k = 0; k < n; k++)
            ttp_sink_printf(&rules, "%s%s", k ? " " : "", found[k].rule);
        assert_text(ttp_sink_text(&rules), ops[i].rules);
    }
}

static void test_advice__what_tracing_saves(void **state)
{
    struct ops_line line;
    double gain_us, saving_pct;

    ops_line_run(&line,
                 OPS_HEAD OP("A", 0, 1000, 99000) OP("B", 0, 1000, 6500) OP("C", 0, 1000, 16000),
                 &ops_compat, *state);
    ttp_advice_gap_saving(&line.report, &gain_us, &saving_pct);
    assert_true(gain_us == 10);
    assert_true(saving_pct == 10 / 25.5 * 100);
}

static void test_advice__findings_follow_the_rows_asked_for(void **state)
{
    static const size_t rows[] = {2, 1};
    struct ttp_findings found;
    struct ops_line line;

    ops_line_run(
        &line, OPS_HEAD OP("A", 0, 1, ) OP("B", 0, 1, 7000) OP("C", 0, 1, 8000) OP("D", 0, 1, 9000),
        &ops_compat, *state);
    ttp_advice_run(&found, &line.report, (struct ttp_advice_rows){rows, TTP_COUNT(rows)},
                   &ttp_compat_advice, *state);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.item[0].op, 2);
    assert_true(found.item[0].gain_us == 2);
    assert_int_equal(found.item[1].op, 1);
}

static void test_advice__ours_holds_an_op_to_the_cores_it_was_given(void **state)
{
    struct ttp_symtab syms = {.arena = *state};
    struct ttp_op op = {.analysed = TTP_ANALYSED_FULL,
                        .bound = TTP_BOUND_FLOP,
                        .has = TTP_HAS_AVAILABLE,
                        .available_cores = 110,
                        .cores = {TTP_CELL_INT, {.i = 64}}};
    struct ttp_report report = {.syms = &syms, .op = &op, .count = 1};

    ttp_sym_intern(&syms, (ttp_str){0});
    op.code = op.raw_code = sym(&report, "Matmul");
    assert_text(advice_of(&report, NULL, *state), "Use more cores: 64 of 110 are in use");
    op.available_cores = 64;
    assert_text(advice_of(&report, NULL, *state), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_advice__sentences_for_matmuls),
        TTP_TEST_ARENA(test_advice__cores_print_as_their_column_does),
        TTP_TEST_ARENA(test_advice__other_ops_get_gap_and_fallback_only),
        TTP_TEST_ARENA(test_advice__what_tracing_saves),
        TTP_TEST_ARENA(test_advice__findings_follow_the_rows_asked_for),
        TTP_TEST_ARENA(test_advice__ours_holds_an_op_to_the_cores_it_was_given),
    };
    return cmocka_run_group_tests_name("advice/rules", tests, NULL, NULL);
}
