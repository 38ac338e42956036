/* SPDX-License-Identifier: Apache-2.0 */
#include "compat/compat.h"
#include "device/noc_grids.h"
#include "test.h"

static bool is_eth(const struct ttp_noc_grid *g, int x, int y)
{
    for (int i = 0; i < g->eth_channels; i++)
        if (g->eth[i][0] == x && g->eth[i][1] == y)
            return true;
    return false;
}

static void test_noc_grids__maps_agree_with_the_lists_of_cores(void **state)
{
    (void)state;
    for (size_t i = 0; ttp_device_noc_model_at(i); i++) {
        const struct ttp_noc_model *m = ttp_device_noc_model_at(i);
        const struct ttp_noc_grid *g = m->grid;
        int dram = 0, eth = 0, workers = 0;

        assert_ptr_equal(ttp_device_noc_grid(ttp_str_from(m->name)), g);
        for (int y = 0; y < g->rows; y++) {
            assert_int_equal(strlen(g->map[y]), g->cols);
            for (int x = 0; x < g->cols; x++) {
                const enum ttp_core_kind kind = ttp_device_core_kind(g, x, y);
                assert_int_equal(kind == TTP_CORE_DRAM, ttp_device_dram_channel(g, x, y) >= 0);
                assert_int_equal(kind == TTP_CORE_ETH, is_eth(g, x, y));
                dram += kind == TTP_CORE_DRAM;
                eth += kind == TTP_CORE_ETH;
                workers += kind == TTP_CORE_WORKER;
            }
        }
        assert_int_equal(dram, g->dram_channels * g->dram_ports);
        assert_int_equal(eth, g->eth_channels);
        assert_int_equal(workers, g->worker_cols * g->worker_rows);
        assert_int_equal(ttp_device_core_kind(g, -1, 0), TTP_CORE_OTHER);
        assert_int_equal(ttp_device_core_kind(g, g->cols, 0), TTP_CORE_OTHER);
    }
}

static void test_noc_grids__models_are_found_by_any_spelling(void **state)
{
    (void)state;
    assert_int_equal(ttp_device_noc_model(TTP_STR("t3k"))->chips, 8);
    assert_int_equal(ttp_device_noc_model(TTP_STR("P100"))->dram_controllers, 7);
    assert_null(ttp_device_noc_model(TTP_STR("grayskull")));
    assert_true(ttp_compat_noc.has_model(ttp_device_noc_model(TTP_STR("P150_X8"))));
    assert_false(ttp_compat_noc.has_model(ttp_device_noc_model(TTP_STR("P150_X4"))));
    assert_null(ttp_device_noc_grid(TTP_STR("n1")));
}

static void test_noc_grids__a_line_of_a_whole_grid_is_for_dispatch(void **state)
{
    static const struct {
        const char *arch;
        int all, workers;
    } cases[] = {
        {"wormhole", 72, 64},    {"wormhole", 64, 64},    {"wormhole", 56, 56},
        {"blackhole", 140, 130}, {"blackhole", 120, 110}, {"blackhole", 110, 110},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const ttp_str name = ttp_str_from(cases[i].arch);
        assert_int_equal(ttp_device_worker_cores(ttp_device_find_arch(name, false),
                                                 ttp_device_noc_grid(name), cases[i].all),
                         cases[i].workers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noc_grids__maps_agree_with_the_lists_of_cores),
        cmocka_unit_test(test_noc_grids__models_are_found_by_any_spelling),
        cmocka_unit_test(test_noc_grids__a_line_of_a_whole_grid_is_for_dispatch),
    };
    return cmocka_run_group_tests_name("device/noc_grids", tests, NULL, NULL);
}
