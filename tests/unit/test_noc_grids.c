/* SPDX-License-Identifier: Apache-2.0 */
#include "device/device.h"
#include "test.h"

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
                assert_int_equal(kind == TTP_CORE_ETH, ttp_device_eth_channel(g, x, y) >= 0);
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

static void test_noc_grids__other_coordinates_become_those_of_noc_0(void **state)
{
    static const struct {
        const char *arch;
        enum ttp_coords from;
        uint32_t harvested;
        int x, y, to_x, to_y; /* to_x -1: there is no such core */
    } cases[] = {
        {"n150", TTP_COORDS_NOC0, 0, 9, 11, 9, 11},
        {"n150", TTP_COORDS_NOC0, 0, 10, 0, -1, 0},
        {"n150", TTP_COORDS_NOC1, 0, 0, 0, 9, 11},
        {"n150", TTP_COORDS_TRANSLATED, 0, 18, 18, 1, 1},
        {"n150", TTP_COORDS_TRANSLATED, 0, 22, 23, 6, 7},
        {"n150", TTP_COORDS_TRANSLATED, 0x1, 18, 18, 1, 2},
        {"n150", TTP_COORDS_TRANSLATED, 0x1, 18, 27, -1, 0},
        {"n150", TTP_COORDS_TRANSLATED, 0, 25, 17, 9, 6},
        {"n150", TTP_COORDS_TRANSLATED, 0, 5, 3, 5, 3},
        {"n150", TTP_COORDS_TRANSLATED, 0, 1, 1, -1, 0},
        {"p150a", TTP_COORDS_NOC1, 0, 0, 0, 16, 11},
        {"p150a", TTP_COORDS_TRANSLATED, 0, 18, 12, 9, 0},
        {"p150a", TTP_COORDS_TRANSLATED, 0, 17, 16, 0, 10},
        {"p150a", TTP_COORDS_TRANSLATED, 0, 21, 25, 16, 1},
        {"p150a", TTP_COORDS_TRANSLATED, 0x2, 2, 5, 3, 5},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct ttp_noc_grid *g = ttp_device_noc_grid(ttp_str_from(cases[i].arch));
        int x = cases[i].x, y = cases[i].y;
        const bool there = ttp_device_to_noc0(g, cases[i].from, cases[i].harvested, &x, &y);

        assert_int_equal(there, cases[i].to_x >= 0);
        if (there)
            assert_true(x == cases[i].to_x && y == cases[i].to_y);
    }
}

static void test_noc_grids__models_are_found_by_any_spelling(void **state)
{
    (void)state;
    assert_int_equal(ttp_device_noc_model(TTP_STR("t3k"))->chips, 8);
    assert_int_equal(ttp_device_noc_model(TTP_STR("P100"))->dram_controllers, 7);
    assert_null(ttp_device_noc_model(TTP_STR("grayskull")));
    assert_true(ttp_device_noc_model_is_original(ttp_device_noc_model(TTP_STR("P150_X8"))));
    assert_false(ttp_device_noc_model_is_original(ttp_device_noc_model(TTP_STR("P150_X4"))));
    assert_null(ttp_device_noc_grid(TTP_STR("n1")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noc_grids__maps_agree_with_the_lists_of_cores),
        cmocka_unit_test(test_noc_grids__other_coordinates_become_those_of_noc_0),
        cmocka_unit_test(test_noc_grids__models_are_found_by_any_spelling),
    };
    return cmocka_run_group_tests_name("device/noc_grids", tests, NULL, NULL);
}
