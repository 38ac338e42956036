/* SPDX-License-Identifier: Apache-2.0 */
/* Where rules of the plan stay silent, and what bounds their gains: floors of ops, rooflines, cores
 * that have work, and what engineers tried for nothing. */
#include "plan_rows.h"

#define NORM(memory, cores, ns)                                                                    \
    OP("LayerNormDeviceOperation", "", "HiFi4", cores, "900", ns, ",,", "", "True",                \
       T(32, 4096, BF16, memory), NO, T(32, 4096, BF16, memory))
#define BINARY(attrs, ns)                                                                          \
    OP("BinaryNgDeviceOperation", attrs, "", "64", "900", ns, ",,", "", "True",                    \
       T(32, 8192, BF16, L1), T(32, 8192, BF16, L1), T(32, 8192, BF16, L1))
#define SDPA(attrs, ns)                                                                            \
    OP("ScaledDotProductAttentionDecode", attrs, "HiFi2", "64", "900", ns, ",,", "", "True",       \
       T(32, 128, BF16, DRAM), T(2048, 128, BFP8, DRAM), T(32, 128, BF16, DRAM))
#define NO_CONFIG "{'program_config': 'std::nullopt'}"

static void advises(const char *rule, const char *rows, struct ttp_arena *arena)
{
    struct run r;

    make_plan(&r, rows, NULL, arena);
    if (!find(&r.plan, rule))
        fail_msg("%s is not advised", rule);
}

static void is_silent(const char *rule, const char *rows, struct ttp_arena *arena)
{
    struct run r;

    make_plan(&r, rows, NULL, arena);
    if (find(&r.plan, rule))
        fail_msg("%s is advised", rule);
}

static void test_plan_limits__ops_near_their_floor_are_not_tuned(void **state)
{
    /* floors: norm 6 us, element-wise 2 us, attention 7.6 us; 1.5 times that is near */
    advises("sharded-norm", REST NORM(DRAM, "1", "100000"), *state);
    is_silent("sharded-norm", REST NORM(DRAM, "1", "8900"), *state);
    is_silent("few-cores", REST NORM(DRAM, "1", "8900"), *state);
    advises("shard-grid", REST BINARY(SHARDS("1024"), "20000"), *state);
    is_silent("shard-grid", REST BINARY(SHARDS("1024"), "2900"), *state);
    advises("sdpa-config", REST SDPA(NO_CONFIG, "50000"), *state);
    is_silent("sdpa-config", REST SDPA(NO_CONFIG, "11000"), *state);
}

static void test_plan_limits__an_op_at_its_floor_may_still_go(void **state)
{
    struct run r;

    make_plan(&r, REST PLAIN("ReshardDeviceOperation", "1000", BIG(L1), BIG(L1)), NULL, *state);
    const struct ttp_plan_item *item = find(&r.plan, "reshards");
    assert_non_null(item);
    assert_true(fabs(item->gain_us - 1) < 1e-9);
    assert_int_equal(item->confidence, TTP_PLAN_TRY);
}

static void test_plan_limits__a_trace_leaves_a_gap(void **state)
{
    struct run r;

    make_plan(&r,
              REST OP("UnaryDeviceOperation", "", "", "64", "100000", "5000", ",,", "", "True",
                      BIG(L1), NO, BIG(L1)),
              NULL, *state);
    const struct ttp_plan_item *item = find(&r.plan, "trace");
    assert_non_null(item);
    assert_true(fabs(item->gain_us - (100 - 0.77)) < 1e-6); /* of an n150 */
}

static void test_plan_limits__a_run_with_replays_needs_no_trace(void **state)
{
    is_silent("trace",
              REST OP("UnaryDeviceOperation", "", "", "64", "900", "5000", ",,", "7", "True",
                      BIG(L1), NO, BIG(L1)) OP("UnaryDeviceOperation", "", "", "64", "100000",
                                               "5000", ",,", "7", "True", BIG(L1), NO, BIG(L1)),
              *state);
}

#define ON_4_CORES(code)                                                                           \
    REST OP(code, "", "", "4", "900", "400000", ",,", "", "True", BIG(DRAM), NO, BIG(DRAM))

static void test_plan_limits__what_talks_to_other_chips_keeps_its_cores(void **state)
{
    static const char *const rows[] = {
        ON_4_CORES("AllGatherDeviceOperation"),     ON_4_CORES("ReduceScatterDeviceOperation"),
        ON_4_CORES("DispatchDeviceOperation"),      ON_4_CORES("CombineDeviceOperation"),
        ON_4_CORES("RingJointSDPADeviceOperation"),
    };

    advises("few-cores", ON_4_CORES("UnaryDeviceOperation"), *state);
    for (size_t i = 0; i < TTP_COUNT(rows); i++)
        is_silent("few-cores", rows[i], *state);
}

static void test_plan_limits__sharded_norms_keep_their_cores(void **state)
{
    is_silent("few-cores", REST NORM(L1, "8", "25000"), *state);
    is_silent("sharded-norm", REST NORM(L1, "8", "25000"), *state);
}

/* 32 x 128 are four tiles, and one row of them. */
static void test_plan_limits__no_more_cores_than_there_is_work_for(void **state)
{
    is_silent("few-cores",
              REST OP("TopKDeviceOperation", "", "", "1", "900", "24000", ",,", "", "True",
                      T(32, 128, BF16, L1), NO, T(32, 32, BF16, L1)),
              *state);
    struct run r;
    make_plan(&r,
              REST OP("UnaryDeviceOperation", "", "", "1", "900", "24000", ",,", "", "True",
                      T(32, 128, BF16, L1), NO, T(32, 128, BF16, L1)),
              NULL, *state);
    const struct ttp_plan_item *item = find(&r.plan, "few-cores");
    assert_non_null(item);
    assert_true(fabs(item->gain_us - (24 - 24.0 / 4 - 2)) < 1e-6);
}

/* 8192 x 4096 in bfloat16, read and written at 288 GB/s: 466 us. */
static void test_plan_limits__tensors_in_dram_bound_every_op(void **state)
{
    struct run r;

    make_plan(&r,
              REST OP("RepeatDeviceOperation", "", "", "4", "900", "1000000", ",,", "", "True",
                      T(8192, 4096, BF16, DRAM), NO, T(8192, 4096, BF16, DRAM)),
              NULL, *state);
    const struct ttp_plan_item *item = find(&r.plan, "few-cores");
    assert_non_null(item);
    assert_true(item->gain_us <= 1000 - 466 + 1 && item->high_us <= 1000 - 466 + 1);
}

static void test_plan_limits__attention_takes_its_floor(void **state)
{
    struct run r;

    make_plan(
        &r,
        REST PLAIN("MatmulDeviceOperation", "6000", T(32, 128, BF16, L1), T(32, 32, BF16, L1))
            PLAIN("SoftmaxDeviceOperation", "6000", T(32, 32, BF16, L1), T(32, 32, BF16, L1))
                PLAIN("MatmulDeviceOperation", "6000", T(32, 32, BF16, L1), T(32, 128, BF16, L1)),
        NULL, *state);
    const struct ttp_plan_item *item = find(&r.plan, "attention");
    assert_non_null(item);
    assert_true(fabs(item->gain_us - (18 - 7.6)) < 1e-6);
}

/* Moving inputs of prefill matmuls to L1 lost in 6 of 6 trials. */
static void test_plan_limits__prefill_inputs_stay_in_dram(void **state)
{
    const char *const decode = REST MATMUL(BLOCKS("4", "1", "4"), "HiFi2", "64", "400000",
                                           T(32, 4096, BF16, DRAM), WEIGHTS(BFP8));
    const char *const prefill = REST OP(
        "MatmulDeviceOperation", BLOCKS("4", "1", "4"), "HiFi2", "64", "900", "4000000", ",,", "",
        "True", T(640, 4096, BF16, DRAM), WEIGHTS(BFP8), T(640, 4096, BF16, DRAM));

    advises("input-sharding", decode, *state);
    is_silent("input-sharding", prefill, *state);
}

/* A block of one tile has no larger subblock than 1 x 1. */
static void test_plan_limits__the_block_limits_the_subblock(void **state)
{
    is_silent("subblock",
              REST FULL_OP("MatmulDeviceOperation", ONE_D("2", "1", "1", "1"), "LoFi", "64",
                           "200000", T(32, 4096, BF16, L1), T(4096, 2048, BFP4, DRAM),
                           T(32, 2048, BF16, L1)),
              *state);
}

/* Projections of attention in bfloat4_b failed on four of seven models. */
static void test_plan_limits__weights_of_attention_are_a_try(void **state)
{
#define PROJECTION MATMUL(DRAM_SHARDED, "LoFi", "12", "72800", T(32, 4096, BF16, L1), WEIGHTS(BFP8))
    struct run r;

    make_plan(&r, PLAIN("TopKDeviceOperation", "5000", BIG(L1), BIG(L1)) PROJECTION, NULL, *state);
    const struct ttp_plan_item *item = find(&r.plan, "weights-bfp4");
    assert_non_null(item);
    assert_int_equal(item->confidence, TTP_PLAN_MEDIUM);
    make_plan(&r,
              REST PROJECTION PLAIN("NLPCreateQKVHeadsDecodeDeviceOperation", "3000",
                                    T(32, 4096, BF16, L1), T(32, 4096, BF16, L1)),
              NULL, *state);
    item = find(&r.plan, "weights-bfp4");
    assert_non_null(item);
    assert_int_equal(item->confidence, TTP_PLAN_TRY);
    assert_true(strstr(item->rule->risk, "four of seven") != NULL);
}

#define DOWN_PROJECTION(fidelity)                                                                  \
    FULL_OP("MatmulDeviceOperation", ONE_D("2", "1", "4", "1"), fidelity, "64", "200000",          \
            T(32, 4096, BF16, L1), T(4096, 8192, BFP8, DRAM), T(32, 8192, BF16, L1))

/* bfloat4_b weights are at LoFi: one gain, and that of --what-if for both. */
static void test_plan_limits__formats_contain_each_other(void **state)
{
    struct ttp_what_if w;
    struct ttp_what_if_result result;
    struct run r;

    make_plan(&r, REST DOWN_PROJECTION("HiFi2"), NULL, *state);
    const struct ttp_plan_item *item = find(&r.plan, "weights-bfp4");
    const struct ttp_plan_item *lower = find(&r.plan, "lower-fidelity");
    assert_non_null(item);
    assert_true(!lower || lower->further_us < 0.01);
    assert_int_equal(
        ttp_what_if_parse(&w, TTP_STR("weights=bfp4,fidelity=lofi"), &(struct ttp_err){0}), TTP_OK);
    assert_int_equal(ttp_what_if(&result, &w, &r.report, *state, &(struct ttp_err){0}), TTP_OK);
    for (size_t i = 0; i < result.count; i++)
        if (result.row[i].op == item->op[0])
            assert_true(fabs(result.row[i].time_us - result.row[i].predicted_us -
                             item->op_gain_us[0]) < 0.01);
}

/* What is promised for a config is the measured time without its prediction. */
static void test_plan_limits__predictions_are_scaled_to_the_measured_time(void **state)
{
    size_t seen = 0;
    struct run r;

    make_plan(&r, REST DOWN_PROJECTION("HiFi2"), NULL, *state);
    ttp_plan_add_configs(&r.plan, &r.report, *state);
    for (size_t i = 0; i < r.plan.count; i++) {
        const struct ttp_plan_item *item = &r.plan.item[i];

        for (size_t k = 0; k < item->ops && k < TTP_PLAN_CONFIGS; k++) {
            const struct ttp_plan_config *c = &item->config[k];

            if (!c->known)
                continue;
            assert_true(fabs(r.report.op[item->op[k]].time_us - c->predicted_us - c->gain_us) <
                        0.01);
            assert_true(c->low_us <= c->predicted_us && c->predicted_us <= c->high_us);
            seen++;
        }
    }
    assert_true(seen > 0);
}

static bool says(const struct run *r, const char *rule, struct ttp_arena *arena)
{
    struct ttp_finding found[TTP_ADVICE_PER_OP];
    bool is = false;

    for (size_t i = 0; i < r->report.count; i++) {
        const size_t n = ttp_advice_for_op(found, &r->report, i, NULL, arena);
        for (size_t k = 0; k < n; k++)
            is = is || strcmp(found[k].rule, rule) == 0;
    }
    return is;
}

/* What the plan leads to is not called wrong on the row; 1 x 1 is all that a block of one tile has.
 */
static void test_plan_limits__rows_agree_with_the_plan(void **state)
{
    struct run r;

    make_plan(&r,
              REST FULL_OP("MatmulDeviceOperation", ONE_D("2", "1", "1", "1"), "LoFi", "64",
                           "200000", T(32, 4096, BF16, L1), T(4096, 2048, BFP4, DRAM),
                           T(32, 2048, BF16, L1)),
              NULL, *state);
    assert_false(says(&r, "fidelity", *state));
    assert_false(says(&r, "subblock", *state));
    make_plan(&r,
              REST FULL_OP("MatmulDeviceOperation", ONE_D("2", "1", "1", "1"), "LoFi", "64",
                           "200000", T(32, 4096, BF16, L1), T(4096, 2048, BF16, DRAM),
                           T(32, 2048, BF16, L1)),
              NULL, *state);
    assert_true(says(&r, "fidelity", *state));
    make_plan(&r,
              REST FULL_OP("MatmulDeviceOperation", ONE_D("2", "1", "4", "1"), "LoFi", "16",
                           "200000", T(32, 4096, BF16, L1), T(4096, 2048, BFP4, DRAM),
                           T(32, 2048, BF16, L1)),
              NULL, *state);
    assert_false(says(&r, "subblock", *state)); /* the plan weighs all configs of such a matmul */
    assert_true(says(&r, "matmul-config", *state));
    /* no sizes of blocks, so that only thresholds judge it: an input that L1 cannot hold stays */
    make_plan(&r,
              REST FULL_OP("MatmulDeviceOperation", "", "LoFi", "64", "900000",
                           T(32, 4096, BF16, DRAM), T(4096, 2048, BFP4, DRAM),
                           T(32, 2048, BF16, DRAM)),
              NULL, *state);
    assert_true(says(&r, "input-sharding", *state));
    make_plan(&r,
              REST FULL_OP("MatmulDeviceOperation", "", "LoFi", "64", "90000000",
                           T(65536, 4096, BF16, DRAM), T(4096, 2048, BFP4, DRAM),
                           T(65536, 2048, BF16, DRAM)),
              NULL, *state);
    assert_false(says(&r, "input-sharding", *state));
}

/* Programs without names may all run for the first time: the device may wait for a compiler. */
static void test_plan_limits__one_long_wait_does_not_promise_a_trace(void **state)
{
    struct run r;

    make_plan(&r,
              OP("Program on 1 core", "", "", "1", "900", "5000", ",,", "", "", NO, NO, NO)
                  OP("Program on 1 core", "", "", "1", "5000000", "5000", ",,", "", "", NO, NO, NO),
              NULL, *state);
    const struct ttp_plan_item *item = find(&r.plan, "trace");
    assert_non_null(item);
    assert_int_equal(item->confidence, TTP_PLAN_TRY);
}

/* A shard of the run is as wide as the config in use writes it, and a multiple of what it reads. */
static void test_plan_limits__other_blocks_may_need_other_shards(void **state)
{
    struct ttp_matmul p = {.in0 = {.layout = TTP_LAYOUT_WIDTH, .l1 = true},
                           .out_at = {.layout = TTP_LAYOUT_WIDTH, .l1 = true}};
    const struct ttp_matmul_config used = {
        .type = TTP_MATMUL_DRAM, .block_w = 4, .per_core_m = 1, .per_core_n = 7};
    struct ttp_matmul_config c = used;

    (void)state;
    assert_false(ttp_config_needs_other_shards(&p, &used, &c));
    c.block_w = 2;
    assert_false(ttp_config_needs_other_shards(&p, &used, &c));
    c.block_w = 8;
    assert_true(ttp_config_needs_other_shards(&p, &used, &c));
    c = used;
    c.per_core_n = 28;
    assert_true(ttp_config_needs_other_shards(&p, &used, &c));
    p.in0.l1 = p.out_at.l1 = false;
    assert_false(ttp_config_needs_other_shards(&p, &used, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_plan_limits__formats_contain_each_other),
        TTP_TEST_ARENA(test_plan_limits__one_long_wait_does_not_promise_a_trace),
        TTP_TEST_ARENA(test_plan_limits__other_blocks_may_need_other_shards),
        TTP_TEST_ARENA(test_plan_limits__predictions_are_scaled_to_the_measured_time),
        TTP_TEST_ARENA(test_plan_limits__rows_agree_with_the_plan),
        TTP_TEST_ARENA(test_plan_limits__ops_near_their_floor_are_not_tuned),
        TTP_TEST_ARENA(test_plan_limits__an_op_at_its_floor_may_still_go),
        TTP_TEST_ARENA(test_plan_limits__a_trace_leaves_a_gap),
        TTP_TEST_ARENA(test_plan_limits__a_run_with_replays_needs_no_trace),
        TTP_TEST_ARENA(test_plan_limits__what_talks_to_other_chips_keeps_its_cores),
        TTP_TEST_ARENA(test_plan_limits__sharded_norms_keep_their_cores),
        TTP_TEST_ARENA(test_plan_limits__no_more_cores_than_there_is_work_for),
        TTP_TEST_ARENA(test_plan_limits__tensors_in_dram_bound_every_op),
        TTP_TEST_ARENA(test_plan_limits__attention_takes_its_floor),
        TTP_TEST_ARENA(test_plan_limits__prefill_inputs_stay_in_dram),
        TTP_TEST_ARENA(test_plan_limits__the_block_limits_the_subblock),
        TTP_TEST_ARENA(test_plan_limits__weights_of_attention_are_a_try),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
