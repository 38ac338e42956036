/* SPDX-License-Identifier: Apache-2.0 */
/* test_cost_measured.c - what another config of one matmul saves: the model against two measured
 * times of public runs.
 *
 * The constants of the model were fitted to other rows, except where a line states it. Sweep:
 * configs of a 9B model's decode on p150, tt-metal 7fa53b45296, models/demos/gemma2/perf_reports.
 * Campaign: rows of tests/campaigns. */
#include <math.h>
#include <stdio.h>

#include "config/config_parts.h"
#include "test.h"

struct measured {
    const char *what, *board;
    uint64_t m, k, n;
    const char *facts; /* "b=bfp8 fid=LoFi ..." as ttp_config_matmul_set() takes them */
    const char *before, *after;
    double before_us, after_us;
    double least, most; /* of predicted over measured saving */
};

#define SHARDS "bm=dram_ws om=ws"
#define LOFI8  "b=bfp8 fid=LoFi fp32=true "
static const struct measured pairs[] = {
    /* fp32 partial results take longer to pack than the model knows: it promises too little */
    {"sweep, steps of 8 tiles for 1", "p150", 32, 7168, 3584, LOFI8 "am=ws:32x256:28 " SHARDS,
     "dram in0_block_w=1 per_core_M=1 per_core_N=4", "dram in0_block_w=8 per_core_M=1 per_core_N=4",
     196.7, 58.9, 0.8, 1.1},
    {"sweep, steps of 8 tiles for 2", "p150", 32, 7168, 3584, LOFI8 "am=ws:32x256:28 " SHARDS,
     "dram in0_block_w=2 per_core_M=1 per_core_N=4", "dram in0_block_w=8 per_core_M=1 per_core_N=4",
     110.7, 58.9, 0.55, 1.1},
    {"sweep, steps of 4 tiles for 1", "p150", 32, 2048, 3584, LOFI8 "am=ws:32x128:16 " SHARDS,
     "dram in0_block_w=1 per_core_M=1 per_core_N=7", "dram in0_block_w=4 per_core_M=1 per_core_N=7",
     57.1, 21.8, 0.8, 1.1},
    {"sweep, steps of 7 tiles for 1", "p150", 32, 3584, 4096, LOFI8 "am=ws:32x224:16 " SHARDS,
     "dram in0_block_w=1 per_core_M=1 per_core_N=8", "dram in0_block_w=7 per_core_M=1 per_core_N=8",
     99.7, 35.6, 0.8, 1.1},
    {"sweep, bfp4, steps of 4 tiles for 1", "p150", 32, 3584, 7168,
     "b=bfp4 fid=LoFi fp32=true am=ws:32x128:28 " SHARDS,
     "dram in0_block_w=1 per_core_M=1 per_core_N=8", "dram in0_block_w=4 per_core_M=1 per_core_N=8",
     154.7, 54.3, 0.55, 1.1},
    /* these are among the rows of the fit */
    {"campaign, steps of 4 tiles for 1", "n150", 32, 4096, 14336, "b=bfp4 fid=LoFi am=ws " SHARDS,
     "dram in0_block_w=1 per_core_M=1 per_core_N=14",
     "dram in0_block_w=4 per_core_M=1 per_core_N=14", 310.6, 140.1, 0.8, 1.2},
    {"campaign, minimal_matmul", "p150", 8192, 6656, 19968, "b=bf16 fid=HiFi2",
     "2d grid=11x10 in0_block_w=1 out_subblock_h=1 out_subblock_w=1 out_block_h=13 out_block_w=19 "
     "per_core_M=26 "
     "per_core_N=57",
     "minimal grid=11x10 M_block_size=8 K_block_size=8 N_block_size=8 subblock_h=2 subblock_w=4",
     22476, 8795, 0.8, 1.2},
    /* one op for two, of twice the columns: this is why pack-weights is only "try" */
    {"campaign, packed gate and up", "n150", 32, 4096, 14336, "b=bfp4 fid=LoFi am=ws " SHARDS,
     "dram in0_block_w=2 per_core_M=1 per_core_N=7", NULL, 182.1 + 183.7, 340.4, 0.2, 1.2},
};

static void set_facts(struct ttp_matmul *p, const char *facts)
{
    ttp_str rest = ttp_str_from(facts);

    while (rest.len) {
        const size_t end = ttp_str_find_char(rest, ' ');
        const ttp_str word = ttp_str_slice(rest, 0, end == TTP_NPOS ? rest.len : end);
        const size_t sign = ttp_str_find_char(word, '=');
        char name[16];

        (void)snprintf(name, sizeof(name), "%.*s", (int)sign, word.ptr);
        assert_int_equal(
            ttp_config_matmul_set(p, name, ttp_str_slice(word, sign + 1, word.len), NULL), TTP_OK);
        rest = ttp_str_slice(rest, end == TTP_NPOS ? rest.len : end + 1, rest.len);
    }
}

static double predicted_us(const struct ttp_matmul *p, const char *config, bool twice)
{
    struct ttp_config_check check;
    struct ttp_matmul_config c;
    struct ttp_matmul_time time;
    struct ttp_matmul wide = *p;

    assert_int_equal(ttp_config_parse(&c, ttp_str_from(config), NULL), TTP_OK);
    wide.n *= twice ? 2 : 1;
    c.per_core_n *= twice ? 2 : 1;
    ttp_config_check(&check, &wide, &c);
    assert_int_equal(check.verdict, TTP_CONFIG_LEGAL); /* it ran */
    assert_true(ttp_cost_matmul(&time, &wide, &c));
    return time.ns / 1e3;
}

static void test_cost_measured__savings_are_those_that_were_measured(void **state)
{
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(pairs); i++) {
        const struct measured *m = &pairs[i];
        struct ttp_cost_chip chip;
        struct ttp_matmul p;

        assert_true(
            ttp_cost_chip_of(&chip, ttp_board_find(ttp_boards_builtin(), ttp_str_from(m->board))));
        ttp_cost_matmul_init(&p, &chip);
        p.m = m->m;
        p.k = m->k;
        p.n = m->n;
        set_facts(&p, m->facts);
        const double one = predicted_us(&p, m->before, false) * (m->after ? 1 : 2);
        const double then = predicted_us(&p, m->after ? m->after : m->before, !m->after);
        const double ratio = m->before_us * (1 - then / one) / (m->before_us - m->after_us);

        if (ratio >= m->least && ratio <= m->most)
            continue;
        wrong++;
        print_message("%s: predicted %.2f of the %.1f us that were saved\n", m->what, ratio,
                      m->before_us - m->after_us);
    }
    assert_int_equal(wrong, 0);
}

/* sparse_matmul of a token, of two models; the constants are those of dense matmuls. */
static void test_cost_measured__sparse_matmuls_take_what_was_measured(void **state)
{
    static const struct {
        const char *config;
        uint64_t k, n;
        double active, experts, us, error; /* least error in log2 */
    } rows[] = {
        {"1d grid=8x3 in0_block_w=16 out_subblock_h=1 out_subblock_w=1 per_core_M=1 per_core_N=1",
         2048, 768, 8, 128, 139, 0.1},
        {"1d grid=8x8 in0_block_w=12 out_subblock_h=1 out_subblock_w=1 per_core_M=1 per_core_N=1",
         768, 2048, 8, 128, 161, 0.1},
        {"1d grid=5x9 in0_block_w=45 out_subblock_h=1 out_subblock_w=1 per_core_M=1 per_core_N=1",
         2880, 1440, 4, 32, 73, 0.1},
        {"1d grid=9x10 in0_block_w=45 out_subblock_h=1 out_subblock_w=1 per_core_M=1 per_core_N=1",
         1440, 2880, 4, 32, 67, 0.36},
        {"1d grid=9x10 in0_block_w=45 out_subblock_h=1 out_subblock_w=1 per_core_M=1 per_core_N=1",
         2880, 2880, 4, 32, 129, 0.1},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(rows); i++) {
        struct ttp_cost_chip chip;
        struct ttp_matmul p;
        struct ttp_matmul_config c;
        struct ttp_matmul_time time;

        assert_true(ttp_cost_chip_of(&chip, ttp_board_find(ttp_boards_builtin(), TTP_STR("p150"))));
        ttp_cost_matmul_init(&p, &chip);
        p.m = 1;
        p.k = rows[i].k;
        p.n = rows[i].n;
        p.fidelity = TTP_FIDELITY_LOFI;
        p.sparse = true;
        assert_int_equal(ttp_config_parse(&c, ttp_str_from(rows[i].config), NULL), TTP_OK);
        assert_true(ttp_cost_sparse_matmul(&time, &p, &c, rows[i].active, rows[i].experts));
        assert_true(fabs(log2(time.ns / 1e3 / rows[i].us)) <= rows[i].error);
        assert_true(time.low_ns < time.ns && time.ns < time.high_ns);
        /* more rows than a tile are done in turn, in a way that was not measured */
        p.m = 64;
        assert_false(ttp_cost_sparse_matmul(&time, &p, &c, rows[i].active, rows[i].experts));
        p.m = 1;
        assert_false(ttp_cost_sparse_matmul(&time, &p, &c, 0, rows[i].experts));
        assert_false(ttp_cost_sparse_matmul(&time, &p, &c, rows[i].experts + 1, rows[i].experts));
    }
}

/* Tiles of 16 columns: a shard of 64 columns has four of them. */
static void test_cost_measured__shards_of_weights_are_counted_in_their_tiles(void **state)
{
    struct ttp_cost_chip chip;
    struct ttp_config_check check;
    struct ttp_matmul_config c;
    struct ttp_matmul p;

    (void)state;
    assert_true(ttp_cost_chip_of(&chip, ttp_board_find(ttp_boards_builtin(), TTP_STR("p150"))));
    ttp_cost_matmul_init(&p, &chip);
    p.m = 32;
    p.k = p.n = 512;
    set_facts(&p, "tw=16 bm=ws:512x64:8");
    assert_int_equal(ttp_config_parse(&c,
                                      TTP_STR("1d grid=8x1 in0_block_w=4 out_subblock_h=1 "
                                              "out_subblock_w=4 per_core_M=1 per_core_N=4"),
                                      NULL),
                     TTP_OK);
    ttp_config_check(&check, &p, &c);
    assert_int_equal(check.verdict, TTP_CONFIG_LEGAL);
    set_facts(&p, "bm=ws:512x128:4");
    ttp_config_check(&check, &p, &c);
    assert_string_equal(check.rule, "1-BN");
}

/* Buffers added up by hand from tt-metal e4f9f0bb8de: sharded_layernorm_factory_helpers.cpp and
 * sdpa_program_factory.cpp. */
static void test_cost_measured__l1_of_norms_and_attention_is_that_of_their_buffers(void **state)
{
    static const struct {
        enum ttp_other_kind kind;
        uint64_t size[5];
        const char *memory;
        bool fp32;
        struct ttp_other_config config;
        uint64_t bytes;
    } cases[] = {
        /* 4 tiles of shard, x and x - mean; 1 of partial, own and global squares each; 8 + 4 - 1
         * gathered in two stages, 1 row finished, 3 scalars */
        {TTP_OTHER_LAYERNORM,
         {32, 4096},
         "ws:32x128:32:8x4",
         false,
         {1, 4, 4},
         (3 * 4 + 3 + 11 + 1 + 3) * UINT64_C(2048)},
        /* one row of cores: all 8 at once; in float32 but for the shard and two scalars */
        {TTP_OTHER_LAYERNORM,
         {32, 1024},
         "ws:32x128:8:8x1",
         true,
         {1, 4, 4},
         4 * UINT64_C(2048) + (2 * 4 + 3 + 8 + 1 + 1) * UINT64_C(4096) + 2 * UINT64_C(2048)},
        /* blocks: 8 columns, 2 tile rows of which a core finishes 1 */
        {TTP_OTHER_LAYERNORM,
         {512, 1024},
         "bs:64x128:64:8x8",
         false,
         {2, 4, 4},
         (3 * 8 + 3 * 2 + 8 + 1 + 3) * UINT64_C(2048)},
        /* Q 8 x 4 twice, K and V 8 x 4 twice each, output 2 x 2 rows of 4; 2 scalars, 1 reciprocal;
         * scores 8 x 8, two results 8 x 4, five columns of 8 */
        {TTP_OTHER_SDPA,
         {1, 32, 4096, 4096, 128},
         "dram",
         false,
         {256, 256, 0},
         (64 + 128 + 16 + 3 + 64 + 64 + 40) * UINT64_C(2048)},
        /* with float32: the whole output, no reciprocal, scores and sums of 4096 bytes */
        {TTP_OTHER_SDPA,
         {1, 1, 256, 256, 128},
         "dram",
         true,
         {256, 256, 0},
         (32 + 128 + 32 + 2 + 64 + 24) * UINT64_C(2048) + (64 + 16) * UINT64_C(4096)},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_other p = {
            .kind = cases[i].kind, .type = TTP_TILE_BF16, .fp32_acc = cases[i].fp32};
        struct ttp_other_row row;

        assert_true(
            ttp_cost_chip_of(&p.chip, ttp_board_find(ttp_boards_builtin(), TTP_STR("p150"))));
        memcpy(p.size, cases[i].size, sizeof(p.size));
        assert_int_equal(ttp_config_parse_placement(&p.in0, ttp_str_from(cases[i].memory), NULL),
                         TTP_OK);
        ttp_config_other_check(&row, &p, &cases[i].config);
        assert_int_equal(row.verdict, TTP_CONFIG_LEGAL);
        assert_int_equal(row.l1_bytes, cases[i].bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cost_measured__savings_are_those_that_were_measured),
        cmocka_unit_test(test_cost_measured__sparse_matmuls_take_what_was_measured),
        cmocka_unit_test(test_cost_measured__shards_of_weights_are_counted_in_their_tiles),
        cmocka_unit_test(test_cost_measured__l1_of_norms_and_attention_is_that_of_their_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
