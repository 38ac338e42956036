/* SPDX-License-Identifier: Apache-2.0 */
/* Planted problems: for each rule a run that has it and one in which it is fixed. The rule finds
 * the first, not the second, and its estimate is within a quarter of what mending really saved. */
#include "plan_rows.h"

struct planted {
    const char *rule, *problem, *mended;
    double saved_us; /* by mending; 0: the rule gives no estimate */
};

#define AFTER_HOST(gap)                                                                            \
    OP("TopKDeviceOperation", "", "", "64", gap, "5000", ",,", "", "True", BIG(L1), NO, BIG(L1))
static const struct planted cases[] = {
    /* 33.5 MB at 85 % of 288 GB/s; half the bytes */
    {"weights-bfp8",
     REST MATMUL(DRAM_SHARDED, "HiFi2", "12", "137000", T(32, 4096, BF16, L1), WEIGHTS(BF16)),
     REST MATMUL(DRAM_SHARDED, "HiFi2", "12", "72800", T(32, 4096, BF16, L1), WEIGHTS(BFP8)), 64.2},
    {"weights-bfp4",
     REST MATMUL(DRAM_SHARDED, "HiFi2", "12", "72800", T(32, 4096, BF16, L1), WEIGHTS(BFP8)),
     REST MATMUL(DRAM_SHARDED, "LoFi", "12", "38500", T(32, 4096, BF16, L1), WEIGHTS(BFP4)), 34.3},
    /* 2 x 2048 x 4096 x 4096 at 70 % of 64 cores' HiFi4; then at that of HiFi2 */
    {"lower-fidelity",
     REST OP("MatmulDeviceOperation", BLOCKS("8", "2", "4"), "HiFi4", "64", "900", "1493000", ",,",
             "", "True", T(2048, 4096, BF16, L1), WEIGHTS(BFP8), T(2048, 4096, BF16, L1)),
     REST OP("MatmulDeviceOperation", BLOCKS("8", "2", "4"), "HiFi2", "64", "900", "747000", ",,",
             "", "True", T(2048, 4096, BF16, L1), WEIGHTS(BFP8), T(2048, 4096, BF16, L1)),
     746},
    {"layout-conversions", REST PLAIN("TilizeDeviceOperation", "30000", BIG(L1), BIG(L1)), REST,
     30},
    {"reshards", REST PLAIN("InterleavedToShardedDeviceOperation", "20000", BIG(DRAM), BIG(L1)),
     REST, 20},
    {"padding",
     REST PLAIN("UnaryDeviceOperation", "64000", USERS(32, 1024, L1), USERS(32, 1024, L1)),
     REST PLAIN("UnaryDeviceOperation", "2000", T(32, 1024, BF16, L1), T(32, 1024, BF16, L1)), 62},
    {"few-cores",
     REST OP("UnaryDeviceOperation", "", "", "8", "900", "80000", ",,", "", "True", BIG(L1), NO,
             BIG(L1)),
     REST OP("UnaryDeviceOperation", "", "", "64", "900", "10000", ",,", "", "True", BIG(L1), NO,
             BIG(L1)),
     70},
    {"imbalance",
     REST OP("UnaryDeviceOperation", "", "", "64", "900", "80000", "80000,20000,", "", "True",
             BIG(L1), NO, BIG(L1)),
     REST OP("UnaryDeviceOperation", "", "", "64", "900", "21000", "21000,20000,", "", "True",
             BIG(L1), NO, BIG(L1)),
     59},
    {"dram-sharding", REST MATMUL("", "HiFi2", "64", "85000", T(32, 4096, BF16, L1), WEIGHTS(BFP8)),
     REST MATMUL(DRAM_SHARDED, "HiFi2", "12", "74600", T(32, 4096, BF16, L1), WEIGHTS(BFP8)), 10.4},
    {"input-sharding",
     REST MATMUL(BLOCKS("8", "1", "4"), "HiFi2", "64", "300000", T(32, 4096, BF16, DRAM),
                 WEIGHTS(BFP8)),
     REST MATMUL(BLOCKS("8", "1", "4"), "HiFi2", "64", "88000", T(32, 4096, BF16, L1),
                 WEIGHTS(BFP8)),
     212},
    {"block-width",
     REST MATMUL(BLOCKS("1", "1", "4"), "HiFi2", "64", "300000", T(32, 4096, BF16, L1),
                 WEIGHTS(BFP8)),
     REST MATMUL(BLOCKS("8", "1", "4"), "HiFi2", "64", "88000", T(32, 4096, BF16, L1),
                 WEIGHTS(BFP8)),
     212},
    {"subblock",
     REST MATMUL(BLOCKS("8", "1", "1"), "HiFi2", "64", "300000", T(32, 4096, BF16, L1),
                 WEIGHTS(BFP8)),
     REST MATMUL(BLOCKS("8", "1", "4"), "HiFi2", "64", "88000", T(32, 4096, BF16, L1),
                 WEIGHTS(BFP8)),
     212},
    {"attention",
     REST MATMUL("", "HiFi4", "64", "60000", T(1024, 64, BF16, L1), T(64, 1024, BF16, L1))
         PLAIN("SoftmaxDeviceOperation", "40000", BIG(L1), BIG(L1))
             MATMUL("", "HiFi4", "64", "60000", T(1024, 1024, BF16, L1), T(1024, 64, BF16, L1)),
     REST PLAIN("ScaledDotProductAttentionDeviceOperation", "18000", BIG(L1), BIG(L1)), 142},
    /* three unary ops in a row: two of three tensors written and read in between */
    {"fusion",
     REST PLAIN("UnaryDeviceOperation", "70000", BIG(DRAM), BIG(DRAM))
         PLAIN("UnaryDeviceOperation", "70000", BIG(DRAM), BIG(DRAM))
             PLAIN("UnaryDeviceOperation", "70000", BIG(DRAM), BIG(DRAM)),
     REST PLAIN("UnaryDeviceOperation", "70000", BIG(DRAM), BIG(DRAM)), 140},
    {"placement", REST PLAIN("UnaryDeviceOperation", "65000", BIG(DRAM), BIG(DRAM)),
     REST PLAIN("UnaryDeviceOperation", "8000", BIG(L1), BIG(L1)), 57},
    {"trace",
     REST OP("UnaryDeviceOperation", "", "", "64", "80000", "5000", ",,", "", "True", BIG(L1), NO,
             BIG(L1)),
     REST OP("UnaryDeviceOperation", "", "", "64", "5000", "5000", ",,", "1", "True", BIG(L1), NO,
             BIG(L1)),
     75},
    {"warm-up",
     REST OP("UnaryDeviceOperation", "", "", "64", "900", "5000", ",,", "", "False", BIG(L1), NO,
             BIG(L1)),
     REST OP("UnaryDeviceOperation", "", "", "64", "900", "5000", ",,", "", "True", BIG(L1), NO,
             BIG(L1)),
     0},
    /* the same op begins each of three iterations */
    {"two-queues",
     REST PLAIN("TopKDeviceOperation", "5000", BIG(L1), BIG(L1))
         OP("PagedUpdateCacheDeviceOperation", "", "", "64", "90000", "100000", ",,", "1", "True",
            T(32, 32, BF16, L1), NO, T(32, 32, BF16, L1))
             OP("PagedUpdateCacheDeviceOperation", "", "", "64", "90000", "100000", ",,", "1",
                "True", T(32, 32, BF16, L1), NO, T(32, 32, BF16, L1)),
     REST PLAIN("TopKDeviceOperation", "5000", BIG(L1), BIG(L1))
         OP("PagedUpdateCacheDeviceOperation", "", "", "64", "5000", "100000", ",,", "1", "True",
            T(32, 32, BF16, L1), NO, T(32, 32, BF16, L1))
             OP("PagedUpdateCacheDeviceOperation", "", "", "64", "5000", "100000", ",,", "1",
                "True", T(32, 32, BF16, L1), NO, T(32, 32, BF16, L1)),
     170},
    {"batch-norm", REST PLAIN("BatchNormOperation", "15000", BIG(L1), BIG(L1)), REST, 15},
    {"conv-moves", REST PLAIN("MoveDeviceOperation", "15000", BIG(L1), BIG(L1)), REST, 15},
    /* 2 x 4096 x 1024 x 256 at 20 % and at 65 % of 64 cores' HiFi2 */
    {"conv-config",
     REST OP("Conv2dDeviceOperation", "{'c': 'S(window_hw=(1;1); stride_hw=(1;1))'}", "HiFi2", "64",
             "900", "81600", ",,", "", "True", T(4096, 1024, BFP8, L1), T(1024, 256, BFP8, DRAM),
             T(4096, 256, BFP8, L1)),
     REST OP("Conv2dDeviceOperation", "{'c': 'S(window_hw=(1;1); stride_hw=(1;1))'}", "HiFi2", "64",
             "900", "25000", ",,", "", "True", T(4096, 1024, BFP8, L1), T(1024, 256, BFP8, DRAM),
             T(4096, 256, BFP8, L1)),
     56},
    /* 14.7 MB over a link: 2 GB/s, then as fast as two thirds of a link */
    {"collective-links",
     REST PLAIN("AllGatherAsync", "7360000", T(1024, 1024, BFP8, DRAM), T(1024, 14336, BFP8, DRAM)),
     REST PLAIN("AllGatherAsync", "1664000", T(1024, 1024, BFP8, DRAM), T(1024, 14336, BFP8, DRAM)),
     5696},
    {"collective-payload",
     REST PLAIN("ReduceScatterAsync", "1000000", T(320, 14336, BF16, DRAM),
                T(320, 1792, BF16, DRAM)),
     REST PLAIN("ReduceScatterAsync", "530000", T(320, 14336, BFP8, DRAM),
                T(320, 1792, BFP8, DRAM)),
     470},
    /* the device waits for the host */
    {"host-ops",
     REST
     "(torch) "
     "aten::argmax,python_fallback,,wormhole_b0,,,,,50000,,,,,,,,,,,,,,,,,,,,,,,,,,,\n" AFTER_HOST(
         "50900"),
     REST PLAIN("ArgMaxDeviceOperation", "2000", T(32, 1024, BF16, L1), T(32, 32, BF16, L1))
         AFTER_HOST("900"),
     48},
    /* a third of the time is waiting for links */
    {"noc-traffic",
     REST OP_NOC("InterleavedToShardedDeviceOperation", "", "", "64", "900", "90000", ",,", "",
                 "True", BIG(L1), NO, BIG(L1), "33.3,4-1 NOC0_EAST 98.0%"),
     REST OP_NOC("InterleavedToShardedDeviceOperation", "", "", "64", "900", "60000", ",,", "",
                 "True", BIG(L1), NO, BIG(L1), "1.2,4-1 NOC0_EAST 60.0%"),
     30},
    /* 32 users read 4096 x 4096 each on its own, then together */
    {"fold-batch",
     REST FULL_OP("MatmulDeviceOperation", ONE_D("2", "2", "2", "0"), "LoFi", "64", "2600000",
                  USERS(32, 4096, DRAM), WEIGHTS(BFP8), USERS(32, 4096, DRAM)),
     REST FULL_OP("MatmulDeviceOperation", ONE_D("2", "2", "2", "1"), "LoFi", "64", "82000",
                  T(32, 4096, BF16, DRAM), WEIGHTS(BFP8), T(32, 4096, BF16, DRAM)),
     2518},
    /* a token chooses 32 of 1024 */
    {"sparse-experts",
     REST PLAIN("TopKDeviceOperation", "5000", T(32, 1024, BF16, DRAM), T(32, 32, BF16, DRAM))
         FULL_OP("MatmulDeviceOperation", ONE_D("2", "1", "1", "0"), "LoFi", "24", "3000000",
                 USERS(128, 2048, DRAM), EXPERTS(128, 2048, 768, BFP8), USERS(128, 768, DRAM)),
     REST PLAIN("TopKDeviceOperation", "5000", T(32, 1024, BF16, DRAM), T(32, 32, BF16, DRAM))
         FULL_OP("SparseMatmulDeviceOperation", ONE_D("2", "1", "1", "0"), "LoFi", "24", "125000",
                 USERS(1, 2048, DRAM), EXPERTS(128, 2048, 768, BFP8), USERS(128, 768, DRAM)),
     2875},
    {"matmul-config",
     REST FULL_OP("MatmulDeviceOperation", ONE_D("1", "1", "2", "1"), "LoFi", "64", "150000",
                  T(32, 4096, BF16, "L1_INTERLEAVED"), WEIGHTS(BFP4),
                  T(32, 4096, BF16, "L1_INTERLEAVED")),
     REST FULL_OP("MatmulDeviceOperation", ONE_D("8", "2", "2", "1"), "LoFi", "64", "52000",
                  T(32, 4096, BF16, "L1_INTERLEAVED"), WEIGHTS(BFP4),
                  T(32, 4096, BF16, "L1_INTERLEAVED")),
     98},
    {"minimal-matmul",
     REST FULL_OP("MatmulDeviceOperation", TWO_D("1", "1", "1"), "LoFi", "64", "4000000",
                  T(2048, 4096, BF16, DRAM), WEIGHTS(BF16), T(2048, 4096, BF16, DRAM)),
     REST FULL_OP("MinimalMatmulDeviceOperation", "{'config': 'std::nullopt'}", "LoFi", "64",
                  "800000", T(2048, 4096, BF16, DRAM), WEIGHTS(BF16), T(2048, 4096, BF16, DRAM)),
     3200},
    {"pack-weights",
     REST FULL_OP("MatmulDeviceOperation", BANKED("4", "8"), "LoFi", "12", "20000",
                  T(32, 512, BF16, L1), T(512, 1024, BFP4, BANKS), T(32, 1024, BF16, L1))
         FULL_OP("MatmulDeviceOperation", BANKED("4", "8"), "LoFi", "12", "20000",
                 T(32, 512, BF16, L1), T(512, 1024, BFP4, BANKS), T(32, 1024, BF16, L1)),
     REST FULL_OP("MatmulDeviceOperation", BANKED("4", "16"), "LoFi", "12", "21000",
                  T(32, 512, BF16, L1), T(512, 2048, BFP4, BANKS), T(32, 2048, BF16, L1)),
     19},
    {"sharded-norm",
     REST FULL_OP("LayerNormDeviceOperation", "", "HiFi4", "1", "100000", T(32, 4096, BF16, DRAM),
                  NO, T(32, 4096, BF16, DRAM)),
     REST FULL_OP("LayerNormDeviceOperation", "", "HiFi4", "32", "10000", T(32, 4096, BF16, L1), NO,
                  T(32, 4096, BF16, L1)),
     90},
    /* 112 tiles on 8 cores and on 56 of 64 */
    {"shard-grid",
     REST FULL_OP("BinaryNgDeviceOperation", SHARDS("448"), "HiFi4", "64", "51000",
                  T(32, 3584, BF16, L1), NO, T(32, 3584, BF16, L1)),
     REST FULL_OP("BinaryNgDeviceOperation", SHARDS("64"), "HiFi4", "64", "8000",
                  T(32, 3584, BF16, L1), NO, T(32, 3584, BF16, L1)),
     43},
    {"sdpa-config",
     REST FULL_OP("SDPAOperation", "{'program_config': 'std::nullopt'}", "HiFi4", "64", "1000000",
                  BIG(DRAM), BIG(DRAM), BIG(DRAM)),
     REST FULL_OP("SDPAOperation", CHUNKS, "HiFi4", "64", "630000", BIG(DRAM), BIG(DRAM),
                  BIG(DRAM)),
     370},
    {"kv-bfp8",
     REST FULL_OP("SdpaDecodeDeviceOperation", CHUNKS, "HiFi2", "64", "500000",
                  T(32, 128, BF16, L1), T(65536, 1024, BF16, DRAM), T(32, 128, BF16, L1)),
     REST FULL_OP("SdpaDecodeDeviceOperation", CHUNKS, "HiFi2", "64", "270000",
                  T(32, 128, BF16, L1), T(65536, 1024, BFP8, DRAM), T(32, 128, BF16, L1)),
     230},
    {"all-reduce",
     REST PLAIN("ReduceScatterAsync", "46000", T(32, 4096, BF16, L1), T(32, 1024, BF16, L1))
         PLAIN("AllGatherAsync", "29000", T(32, 1024, BF16, L1), T(32, 4096, BF16, L1)),
     REST PLAIN("AllReduceAsync", "29000", T(32, 4096, BF16, L1), T(32, 4096, BF16, L1)), 46},
    {"collective-config",
     REST PLAIN("ReduceScatter", "1000000", T(4096, 4096, BFP8, DRAM), T(4096, 1024, BFP8, DRAM)),
     REST PLAIN("ReduceScatterAsync", "800000", T(4096, 4096, BFP8, DRAM),
                T(4096, 1024, BFP8, DRAM)),
     200},
    {"fractured-norm",
     REST PLAIN("AllGatherAsync", "900000", T(2048, 1024, BFP8, DRAM), T(2048, 4096, BFP8, DRAM))
         PLAIN("LayerNormDeviceOperation", "400000", T(2048, 4096, BFP8, DRAM),
               T(2048, 4096, BFP8, DRAM)),
     REST PLAIN("LayerNormPostAllGather", "100000", T(2048, 1024, BFP8, DRAM),
                T(2048, 1024, BFP8, DRAM))
         PLAIN("AllGatherAsync", "900000", T(2048, 1024, BFP8, DRAM), T(2048, 4096, BFP8, DRAM)),
     300},
    {"fused-matmul-rs",
     REST FULL_OP("MatmulDeviceOperation", TWO_D("4", "1", "8"), "LoFi", "64", "1000000",
                  T(2048, 4096, BF16, DRAM), WEIGHTS(BFP8), T(2048, 4096, BF16, DRAM))
         PLAIN("ReduceScatterAsync", "800000", T(2048, 4096, BF16, DRAM),
               T(2048, 1024, BF16, DRAM)),
     REST PLAIN("MatmulReduceScatterAsync", "1560000", T(2048, 4096, BF16, DRAM),
                T(2048, 1024, BF16, DRAM)),
     240},
    {"kernel-cores",
     REST OP("GenericOpDeviceOperation", "", "", "40", "900", "80000", ",,", "", "True", BIG(L1),
             NO, BIG(L1)),
     REST OP("GenericOpDeviceOperation", "", "", "64", "900", "50000", ",,", "", "True", BIG(L1),
             NO, BIG(L1)),
     30},
    {"kernel-traffic",
     REST OP("GenericOpDeviceOperation", "", "", "64", "900", "80000", ",,", "", "True", BIG(DRAM),
             NO, BIG(DRAM)) OP("GenericOpDeviceOperation", "", "", "64", "900", "80000", ",,", "",
                               "True", BIG(DRAM), NO, BIG(DRAM)),
     REST OP("GenericOpDeviceOperation", "", "", "64", "900", "80000", ",,", "", "True", BIG(DRAM),
             NO, BIG(DRAM)),
     80},
    {"kernel-blocks",
     REST OP("GenericOpDeviceOperation", "", "", "64", "900", "80000", ",,3840000", "", "True",
             BIG(L1), NO, BIG(L1)),
     REST OP("GenericOpDeviceOperation", "", "", "64", "900", "21000", ",,64000", "", "True",
             BIG(L1), NO, BIG(L1)),
     59},
};

/* Two tensors of 8.4 MB take 58 us at 288 GB/s: 64 cores do not make 10 us of 80. */
static void test_plan__own_kernels_are_not_faster_than_the_dram(void **state)
{
    struct run run;

    make_plan(&run,
              REST OP("GenericOpDeviceOperation", "", "", "8", "900", "80000", ",,", "", "True",
                      BIG(DRAM), NO, BIG(DRAM)),
              NULL, *state);
    const struct ttp_plan_item *item = find(&run.plan, "kernel-cores");
    assert_non_null(item);
    assert_true(item->gain_us > 21 && item->gain_us < 22.5);
}

static void test_plan__each_rule_finds_its_planted_problem(void **state)
{
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct planted *c = &cases[i];
        struct run before, after;

        make_plan(&before, c->problem, NULL, *state);
        make_plan(&after, c->mended, NULL, *state);
        const struct ttp_plan_item *item = find(&before.plan, c->rule);
        if (!item) {
            fail_msg("%s is not found", c->rule);
            return;
        }
        if (find(&after.plan, c->rule))
            fail_msg("%s is found where it is mended", c->rule);
        if (fabs(item->gain_us - c->saved_us) > c->saved_us / 4)
            fail_msg("%s: %.1f us estimated, %.1f saved", c->rule, item->gain_us, c->saved_us);
        assert_true(item->evidence.len > 0);
        if (item->rule->basis == TTP_BASIS_GUESSED && item->confidence == TTP_PLAN_HIGH)
            fail_msg("%s is guessed, with high confidence", c->rule);
    }
}

static void test_plan__every_rule_is_planted(void **state)
{
    (void)state;
    for (size_t r = 0; ttp_rule_at(r); r++) {
        static const char *const elsewhere[] = {
            "stale-l1",                                           /* test_spill.c */
            "straggler",     "device-imbalance",    "late-start", /* test_plan_mesh.c */
            "slow-transfer", "overlap-collectives",
        };
        bool planted = false;
        for (size_t i = 0; i < TTP_COUNT(elsewhere); i++)
            planted |= strcmp(ttp_rule_at(r)->id, elsewhere[i]) == 0;
        for (size_t i = 0; i < TTP_COUNT(cases); i++)
            planted |= strcmp(cases[i].rule, ttp_rule_at(r)->id) == 0;
        if (!planted)
            fail_msg("no case for %s", ttp_rule_at(r)->id);
    }
}

static void test_plan__the_hot_link_is_named(void **state)
{
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct run r;

        if (strcmp(cases[i].rule, "noc-traffic") != 0)
            continue;
        make_plan(&r, cases[i].problem, NULL, *state);
        const struct ttp_plan_item *item = find(&r.plan, "noc-traffic");
        assert_non_null(item);
        assert_true(ttp_str_has(item->evidence, TTP_STR("4-1 NOC0_EAST 98.0%")));
        assert_true(ttp_str_has(item->evidence, TTP_STR("congestion costs 33 %")));
    }
}

static void test_plan__gains_of_one_op_are_not_added_twice(void **state)
{
    struct run r;
    double sum = 0;

    make_plan(&r, cases[8].problem, NULL, *state);
    for (size_t i = 0; i < r.plan.count; i++)
        sum += r.plan.item[i].further_us;
    assert_true(sum < r.plan.total_us);
    for (size_t i = 0; i < r.plan.count; i++) {
        assert_true(r.plan.item[i].further_us <= r.plan.item[i].gain_us);
        assert_true(r.plan.item[i].low_us <= r.plan.item[i].further_us);
    }
}

/* What the cost model proposes and DRAM-sharded weights cure the same time. */
static void test_plan__alternatives_are_not_added(void **state)
{
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct run r;

        if (strcmp(cases[i].rule, "matmul-config") != 0)
            continue;
        make_plan(&r, cases[i].problem, NULL, *state);
        const struct ttp_plan_item *config = find(&r.plan, "matmul-config");
        const struct ttp_plan_item *banks = find(&r.plan, "dram-sharding");
        assert_non_null(config);
        assert_non_null(banks);
        assert_true(config->further_us + banks->further_us <=
                    fmax(config->gain_us, banks->gain_us) * (1 + 1e-9));
        assert_true((config->instead_of != NULL) != (banks->instead_of != NULL));
    }
}

/* Gate and up in one matmul lost in most trials. A norm on shards never did, but its gain is a
 * guess.
 */
static void test_plan__says_how_sure_it_is(void **state)
{
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct run r;

        make_plan(&r, cases[i].problem, NULL, *state);
        assert_true(r.plan.count <= TTP_PLAN_MOST);
        const struct ttp_plan_item *item = find(&r.plan, cases[i].rule);
        assert_non_null(item);
        assert_true(item->low_us <= item->further_us && item->further_us <= item->high_us);
        if (strcmp(cases[i].rule, "pack-weights") == 0)
            assert_int_equal(item->confidence, TTP_PLAN_TRY);
        if (strcmp(cases[i].rule, "sharded-norm") == 0)
            assert_int_equal(item->confidence, TTP_PLAN_MEDIUM);
    }
}

/* Every entry says how its gain was found, what is at risk, and never promises more than there is.
 */
static void test_plan__every_gain_has_a_formula_and_a_bound(void **state)
{
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        double device = 0, gaps = 0;
        struct run r;

        make_plan(&r, cases[i].problem, NULL, *state);
        for (size_t k = 0; k < r.plan.count; k++) {
            const struct ttp_plan_item *item = &r.plan.item[k];
            double sum = 0;

            assert_true(strlen(item->rule->factor) > 0 && strlen(item->rule->risk) > 0);
            assert_true((item->formula.len > 0) == (item->op_gain_us[0] > 0));
            for (size_t o = 0; o < item->ops; o++)
                sum += item->op_further_us[o];
            assert_true(fabs(sum - item->further_us) <= 1e-6 * (1 + sum));
            *(item->device_pct > 0 ? &device : &gaps) += item->further_us;
        }
        assert_true(device <= r.report.busy_us * (1 + 1e-9));
        assert_true(gaps <= r.report.gap_us * (1 + 1e-9) + 1e-9);
    }
}

/* One user is one row in a tile: there is nothing to fill it with. */
/* TopK returns whole tiles; what follows it has the columns that the model asked for. */
#define ROUTER(chosen)                                                                             \
    PLAIN("TopKDeviceOperation", "5000", T(32, 128, BF16, DRAM), T(32, 32, BF16, DRAM))            \
    PLAIN("UnaryDeviceOperation", "2000",                                                          \
          "1[1],1[1],32[1],32[" chosen "],BFLOAT16,DEV_0_DRAM_INTERLEAVED",                        \
          "1[1],1[1],32[1],32[" chosen "],BFLOAT16,DEV_0_DRAM_INTERLEAVED")
#define SPARSE(block, type)                                                                        \
    FULL_OP("SparseMatmulDeviceOperation", ONE_D(block, "1", "1", "0"), "HiFi2", "24", "300000",   \
            USERS(1, 2048, DRAM), EXPERTS(128, 2048, 768, type), USERS(128, 768, DRAM))

static double gain_of(const char *rows, const char *rule, struct ttp_arena *arena)
{
    struct run r;

    make_plan(&r, rows, NULL, arena);
    const struct ttp_plan_item *item = find(&r.plan, rule);
    return item ? item->gain_us : 0;
}

static void test_plan__sparse_matmuls_are_advised_as_dense_ones(void **state)
{
    /* the fewer experts are chosen, the more of the time is handshakes, which no format shortens */
    const double few = gain_of(REST ROUTER("8") SPARSE("16", BF16), "weights-bfp8", *state);
    const double many = gain_of(REST ROUTER("31") SPARSE("16", BF16), "weights-bfp8", *state);

    assert_true(few > 0);
    assert_true(many > few);
    /* steps of one tile, against all that the shards allow */
    assert_true(gain_of(REST ROUTER("8") SPARSE("1", BFP8), "matmul-config", *state) > 30);
    /* without a router nothing is known of the experts */
    assert_true(gain_of(REST SPARSE("16", BF16), "weights-bfp8", *state) == 0);
}

static void test_plan__sparse_experts_depend_on_what_tokens_choose(void **state)
{
#define DENSE                                                                                      \
    FULL_OP("MatmulDeviceOperation", ONE_D("2", "1", "1", "0"), "LoFi", "24", "3000000",           \
            USERS(128, 2048, DRAM), EXPERTS(128, 2048, 768, BFP8), USERS(128, 768, DRAM))
    const double few = gain_of(REST ROUTER("8") DENSE, "sparse-experts", *state);
    const double more = gain_of(REST ROUTER("24") DENSE, "sparse-experts", *state);

    assert_true(more > 0);
    assert_true(few > more);
    assert_true(few < 3000);
    assert_true(gain_of(REST DENSE, "sparse-experts", *state) == 0);
}

static void test_plan__padding_of_one_user_is_not_advised(void **state)
{
    struct run r;

    make_plan(&r,
              REST PLAIN("UnaryDeviceOperation", "64000", T1(32, 32768, BF16, L1),
                         T1(32, 32768, BF16, L1)),
              NULL, *state);
    assert_null(find(&r.plan, "padding"));
}

/* 32 users of one row each, in a config that folds them: 32 tiles of rows, of which one would do.
 */
static void test_plan__padding_of_batched_matmuls_is_advised(void **state)
{
    struct run r;

    make_plan(&r,
              REST FULL_OP("MatmulDeviceOperation", ONE_D("2", "2", "2", "1"), "LoFi", "64",
                           "900000", USERS(32, 4096, DRAM), WEIGHTS(BFP8), USERS(32, 4096, DRAM)),
              NULL, *state);
    const struct ttp_plan_item *item = find(&r.plan, "padding");
    assert_non_null(item);
    assert_true(item->gain_us > 400 && item->gain_us < 900 * 31.0 / 32);
    assert_int_equal(item->confidence, TTP_PLAN_TRY);
    make_plan(&r,
              REST FULL_OP("MatmulDeviceOperation", ONE_D("2", "2", "2", "1"), "LoFi", "64",
                           "900000", T(32, 4096, BF16, DRAM), WEIGHTS(BFP8),
                           T(32, 4096, BF16, DRAM)),
              NULL, *state);
    assert_null(find(&r.plan, "padding"));
}

/* As tt-metal writes it: the column is False everywhere and says nothing. */
#define COLD(gap)                                                                                  \
    OP("UnaryDeviceOperation", "", "", "64", gap, "5000", ",,", "", "False", BIG(L1), NO, BIG(L1))

/* the first op of a run has no gap */
#define BEFORE                                                                                     \
    OP("TopKDeviceOperation", "", "", "64", "900", "5000", ",,", "", "False", BIG(L1), NO, BIG(L1))

static void test_plan__a_long_wait_the_first_time_is_compilation(void **state)
{
    struct run r;

    make_plan(&r, BEFORE COLD("900") COLD("900") COLD("900"), NULL, *state);
    assert_null(find(&r.plan, "warm-up"));
    make_plan(&r, BEFORE COLD("300000") COLD("900") COLD("900"), NULL, *state);
    const struct ttp_plan_item *item = find(&r.plan, "warm-up");
    assert_non_null(item);
    assert_int_equal(item->ops, 1);
    assert_true(fabs(item->gain_us - 294) < 1e-9);
    /* every op waits: the host is slow, nothing was compiled */
    make_plan(&r, BEFORE COLD("300000") COLD("290000") COLD("310000"), NULL, *state);
    assert_null(find(&r.plan, "warm-up"));
}

/* `trace` and `warm-up` would both remove the gap. */
static void test_plan__a_gap_is_saved_once(void **state)
{
    struct run r;
    double sum = 0;

    make_plan(&r, BEFORE COLD("300000") COLD("900") COLD("900"), NULL, *state);
    for (size_t i = 0; i < r.plan.count; i++)
        if (r.plan.item[i].rule->step == TTP_STEP_TRACE)
            sum += r.plan.item[i].further_us;
    assert_true(sum <= 300);
}

static void test_plan__rules_of_the_user_take_part(void **state)
{
    struct ttp_user_rules rules;
    struct ttp_err err = {0};
    struct run r;

    assert_int_equal(
        ttp_advice_user_rules_parse(&rules,
                                    TTP_STR("# ours\nrule slow-cache\n  when op~PagedUpdate "
                                            "and time>50\n  say write less\n  gain 10%\n"
                                            "  step memory-sharding\n"),
                                    "team.rules", *state, &err),
        TTP_OK);
    make_plan(&r, cases[0].mended, &rules, *state);
    const struct ttp_plan_item *item = find(&r.plan, "slow-cache");
    assert_non_null(item);
    assert_true(fabs(item->gain_us - 10) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_plan__each_rule_finds_its_planted_problem),
        TTP_TEST_ARENA(test_plan__own_kernels_are_not_faster_than_the_dram),
        TTP_TEST_ARENA(test_plan__every_rule_is_planted),
        TTP_TEST_ARENA(test_plan__the_hot_link_is_named),
        TTP_TEST_ARENA(test_plan__gains_of_one_op_are_not_added_twice),
        TTP_TEST_ARENA(test_plan__alternatives_are_not_added),
        TTP_TEST_ARENA(test_plan__says_how_sure_it_is),
        TTP_TEST_ARENA(test_plan__every_gain_has_a_formula_and_a_bound),
        TTP_TEST_ARENA(test_plan__sparse_matmuls_are_advised_as_dense_ones),
        TTP_TEST_ARENA(test_plan__sparse_experts_depend_on_what_tokens_choose),
        TTP_TEST_ARENA(test_plan__padding_of_one_user_is_not_advised),
        TTP_TEST_ARENA(test_plan__padding_of_batched_matmuls_is_advised),
        TTP_TEST_ARENA(test_plan__a_long_wait_the_first_time_is_compilation),
        TTP_TEST_ARENA(test_plan__a_gap_is_saved_once),
        TTP_TEST_ARENA(test_plan__rules_of_the_user_take_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
