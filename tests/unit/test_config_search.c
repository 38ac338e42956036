/* SPDX-License-Identifier: Apache-2.0 */
/* test_config_search.c - the search checks and predicts its configs in fewer steps than 'config
 * check' and the cost model do for one: both say the same, and the best it finds is the best there
 * is. */
#include <stdlib.h>

#include "config/propose.h"
#include "test.h"

static struct ttp_arena arena;

static bool sharded(const struct ttp_matmul *p)
{
    return ttp_is_sharded(&p->in0);
}

/* Matmul number i: sizes, formats and places in many combinations. */
static void make_problem(struct ttp_matmul *p, size_t i)
{
    static const uint32_t rows[] = {32, 64, 384, 1024, 4096}, depths[] = {64, 1024, 2880, 8192},
                          columns[] = {96, 1280, 4096, 28672};
    static const enum ttp_tile_type weights[] = {TTP_TILE_BF16, TTP_TILE_BFP8, TTP_TILE_BFP4};
    const struct ttp_board *board =
        ttp_board_find(ttp_boards_builtin(), i % 2 ? TTP_STR("n150") : TTP_STR("p150a"));
    struct ttp_cost_chip chip;

    assert_true(ttp_cost_chip_of(&chip, board));
    ttp_cost_matmul_init(p, &chip);
    p->m = rows[i % TTP_COUNT(rows)];
    p->k = p->k1 = depths[i / 5 % TTP_COUNT(depths)];
    p->n = columns[i / 20 % TTP_COUNT(columns)];
    p->b = weights[i % TTP_COUNT(weights)];
    p->fidelity = (enum ttp_fidelity)(i % 4);
    p->fp32_acc = i % 7 == 0;
    p->batch = i % 11 == 0 ? 4 : 1;
    p->batch_b = i % 22 == 0 ? 4 : 1;
    p->bias = i % 9 == 0 ? TTP_TILE_BF16 : TTP_TILE_NONE;
    if (i % 13 == 0)
        p->in0 = p->out_at = (struct ttp_placement){.layout = TTP_LAYOUT_WIDTH, .l1 = true};
    if (i % 26 == 0)
        p->in1 = (struct ttp_placement){.layout = TTP_LAYOUT_WIDTH};
}

static void assert_same(const struct ttp_matmul *p, const struct ttp_matmul_config *c)
{
    struct ttp_config_check full, quick;
    struct ttp_matmul_tiles tiles;
    struct ttp_matmul_time time;
    double ns;

    ttp_cost_matmul_measure(&tiles, p, c);
    ttp_config_check(&full, p, c);
    ttp_config_check_quickly(&quick, p, c, &tiles);
    assert_int_equal(quick.verdict, full.verdict);
    if (full.rule)
        assert_string_equal(quick.rule, full.rule);
    else
        assert_null(quick.rule);
    assert_int_equal(quick.l1_bytes, full.l1_bytes);
    assert_int_equal(quick.l1_limit, full.l1_limit);
    if (full.verdict == TTP_CONFIG_BROKEN)
        return;
    const bool known = ttp_cost_matmul(&time, p, c);
    assert_int_equal(ttp_cost_matmul_ns(&ns, p, c, &tiles), known);
    if (known) {
        assert_memory_equal(&ns, &time.ns, sizeof(ns));
        assert_int_equal(ttp_cost_matmul_confidence(p, c), time.confidence);
    }
}

/* A config next to one that the search found: most such are illegal. */
static void change(struct ttp_matmul_config *c)
{
    uint32_t *const part[] = {&c->per_core_m,  &c->per_core_n,  &c->block_w,
                              &c->out_block_h, &c->out_block_w, &c->grid_x};
    uint32_t *const one = part[(size_t)rand() % TTP_COUNT(part)];

    *one = rand() % 2 ? *one + 1 : *one * 2;
}

static void search(struct ttp_search *s, const struct ttp_matmul *p)
{
    *s = (struct ttp_search){.problem = *p, .scratch = &arena};
    ttp_config_search_all(s);
}

static void test_config_search__agrees_with_check_and_cost(void **state)
{
    size_t legal = 0, changed = 0;

    (void)state;
    srand(1);
    for (size_t i = 0; i < 80; i++) {
        struct ttp_matmul p;
        struct ttp_search s;

        make_problem(&p, i);
        search(&s, &p);
        for (size_t k = 0; k < s.count; k += 1 + s.count / 40) {
            struct ttp_matmul_config c = s.found[k].config;
            struct ttp_matmul_time time;

            if (c.type != TTP_MATMUL_DRAM) { /* whose shards the search chose */
                assert_same(&p, &c);
                assert_true(ttp_cost_matmul(&time, &p, &c));
                assert_memory_equal(&time.ns, &s.found[k].ns, sizeof(time.ns));
                legal++;
            }
            change(&c);
            assert_same(&p, &c);
            changed++;
        }
        ttp_arena_free(&arena);
    }
    assert_in_range(legal, 1000, SIZE_MAX);
    assert_in_range(changed, legal, SIZE_MAX);
}

static void test_config_search__proposes_the_fastest(void **state)
{
    size_t compared = 0;

    (void)state;
    for (size_t i = 0; i < 80; i++) {
        const struct ttp_config_request request = {.top = 3, .keep_placement = true};
        struct ttp_config_proposals found;
        struct ttp_matmul p;
        struct ttp_search s;
        double least = 0, last = 0;

        make_problem(&p, i);
        search(&s, &p);
        for (size_t k = 0; k < s.count; k++)
            least = k == 0 || s.found[k].ns < least ? s.found[k].ns : least;
        ttp_config_propose(&found, &p, &request, &arena);
        assert_int_equal(found.legal, s.legal);
        assert_int_equal(found.tried, s.tried);
        for (size_t k = 0; k < found.count; k++) {
            const struct ttp_config_row *row = &found.row[k];

            if (row->origin != TTP_ORIGIN_PROPOSED || sharded(&p))
                continue;
            assert_true(row->has_time && row->time.ns >= least);
            assert_true(last > 0 || row->time.ns <= 1.02 * least);
            assert_true(row->time.ns >= last);
            last = row->time.ns;
            compared++;
        }
        ttp_arena_free(&arena);
    }
    assert_in_range(compared, 100, SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_config_search__agrees_with_check_and_cost),
        cmocka_unit_test(test_config_search__proposes_the_fastest),
    };
    return cmocka_run_group_tests_name("config/search", tests, NULL, NULL);
}
