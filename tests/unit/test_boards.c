/* SPDX-License-Identifier: Apache-2.0 */
#include "device/boards_text.h"
#include "test.h"

static void test_boards__every_figure_names_source_and_date(void **state)
{
    const struct ttp_boards *all = ttp_boards_builtin();

    (void)state;
    assert_true(all->count >= 12);
    for (size_t b = 0; b < all->count; b++) {
        size_t known = 0;

        for (size_t f = 0; f < TTP_FACTS; f++) {
            const struct ttp_fact_value *v = &all->board[b].fact[f];

            if (!v->source)
                continue;
            known++;
            assert_true(v->value > 0);
            assert_true(strlen(v->source->name) > 0);
            assert_int_equal(strlen(v->source->date), 10);
        }
        assert_true(known >= 3);
        assert_non_null(all->board[b].chip);
    }
    for (size_t f = 0; f < TTP_FACTS; f++)
        assert_non_null(ttp_fact_specs[f].id);
}

static double fact(const char *board, enum ttp_fact f)
{
    double v = -1;

    (void)ttp_board_fact(ttp_board_find(ttp_boards_builtin(), ttp_str_from(board)), f, &v);
    return v;
}

static void test_boards__names_and_ids_lead_to_the_same_row(void **state)
{
    const struct ttp_boards *all = ttp_boards_builtin();
    static const struct {
        const char *name, *board;
        uint32_t upi;
    } cases[] = {
        {"N150", "n150", 0x18},   {"n300 L", "n300", 0x14},
        {"p150", "p150a", 0x40},  {"tt-galaxy-bh", "galaxy-blackhole", 0x47},
        {"p300c", "p300c", 0x46}, {"e75", "e75", 0x7},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct ttp_board *b = ttp_board_find(all, ttp_str_from(cases[i].name));

        assert_non_null(b);
        assert_string_equal(b->name, cases[i].board);
        assert_ptr_equal(ttp_board_by_upi(all, cases[i].upi), b);
    }
    assert_null(ttp_board_find(all, TTP_STR("n151")));
    assert_null(ttp_board_by_upi(all, 0));
    assert_int_equal(ttp_board_id_upi(0x0100018411727021), 0x18);
}

/* Reports and everything else take their figures from one place. */
static void test_boards__agree_with_the_architectures_of_reports(void **state)
{
    const struct ttp_boards *all = ttp_boards_builtin();

    (void)state;
    for (size_t b = 0; b < all->count; b++) {
        const struct ttp_board *board = &all->board[b];
        const struct ttp_arch *arch = ttp_device_find_arch(ttp_str_from(board->name), true);
        double v;

        assert_true((arch != NULL) == (board->report_arch != NULL));
        if (arch && ttp_board_fact(board, TTP_FACT_DRAM_GBS, &v))
            assert_true(v == arch->dram_gbs);
        if (arch && ttp_board_fact(board, TTP_FACT_DRAM_BANKS, &v))
            assert_int_equal((int)v, arch->dram_workers);
    }
    assert_null(ttp_device_find_arch(TTP_STR("n150"), false));
    assert_string_equal(ttp_device_find_arch(TTP_STR("WORMHOLE_B0"), false)->name, "wormhole");
}

static void test_boards__figures_of_the_vendor(void **state)
{
    (void)state;
    assert_true(fact("n150", TTP_FACT_L1_BYTES) == 1464 * 1024);
    assert_true(fact("p150b", TTP_FACT_L1_BYTES) == 1536 * 1024);
    assert_true(fact("p300a", TTP_FACT_PCIE_WIDTH) == 8);
    assert_true(fact("p100a", TTP_FACT_DRAM_GBS) == 448);
    assert_true(fact("e150", TTP_FACT_PSU_W) == 1000);
    assert_true(fact("n150", TTP_FACT_GDDR_MAX_C) == -1); /* not published */
}

static void test_boards__a_file_overrides_and_adds(void **state)
{
    const ttp_str text = TTP_STR("# ours\n"
                                 "[P150A]\r\n"
                                 "aiclk_max_mhz = 1300 # measured in May\n"
                                 "fw_advised = 19.9.2\n"
                                 "\n"
                                 "[lab-card]\n"
                                 "base = p150a\n"
                                 "upi = 0x99\n"
                                 "dram_gbs = 400.5\n");
    struct ttp_boards all;
    double v = 0;

    assert_int_equal(ttp_boards_read(&all, text, "lab.conf", *state, NULL), TTP_OK);
    assert_int_equal(all.count, ttp_boards_builtin()->count + 1);
    const struct ttp_board *p150 = ttp_board_find(&all, TTP_STR("p150"));
    assert_true(ttp_board_fact(p150, TTP_FACT_AICLK_MAX_MHZ, &v) && v == 1300);
    assert_string_equal(p150->fact[TTP_FACT_AICLK_MAX_MHZ].source->name,
                        "lab.conf: measured in May");
    assert_true(ttp_board_fact(p150, TTP_FACT_FW_ADVISED, &v) && v == 0x13090200);
    const struct ttp_board *lab = ttp_board_by_upi(&all, 0x99);
    assert_string_equal(lab->name, "lab-card");
    assert_true(ttp_board_fact(lab, TTP_FACT_DRAM_GBS, &v) && v == 400.5);
    assert_true(ttp_board_fact(lab, TTP_FACT_AICLK_MAX_MHZ, &v) && v == 1300);
    /* the table we were built with is as it was */
    assert_true(fact("p150a", TTP_FACT_AICLK_MAX_MHZ) == 1350);
}

static void test_boards__constants_of_ops_have_a_source_and_can_be_changed(void **state)
{
    const ttp_str text = TTP_STR("[n150]\nop_floor_norm = 9.5\ncost_t0 = 2100\n");
    struct ttp_boards all;

    for (size_t i = 0; i < TTP_OP_CONSTANTS; i++)
        for (size_t b = 0; b < 2; b++) {
            const struct ttp_cost_value *v = &ttp_board_op_constants(
                ttp_board_find(ttp_boards_builtin(), b ? TTP_STR("n150") : TTP_STR("p150a")))[i];
            assert_non_null(ttp_op_constant_specs[i].id);
            assert_true(v->value > 0 && v->low <= v->high);
            assert_true(strlen(v->source->name) > 0);
            assert_int_equal(strlen(v->source->date), 10);
        }
    assert_int_equal(ttp_boards_read(&all, text, "lab.conf", *state, NULL), TTP_OK);
    const struct ttp_cost_value *own =
        ttp_board_op_constants(ttp_board_find(&all, TTP_STR("n150")));
    assert_true(own[TTP_OPC_FLOOR_NORM].value == 9.5);
    assert_string_equal(own[TTP_OPC_FLOOR_NORM].source->name, "lab.conf");
    assert_true(own[TTP_OPC_TRACED_GAP].value == 0.77);
    assert_true(ttp_board_op_constants(NULL)[TTP_OPC_FLOOR_NORM].value == 6);
    assert_int_equal(
        ttp_boards_read(&all, TTP_STR("[n150]\nop_floor_norm = 0\n"), "lab.conf", *state, NULL),
        TTP_EPARSE);
}

static void test_boards__a_file_changes_what_reports_hold_ops_to(void **state)
{
    const ttp_str text = TTP_STR("[n150]\n"
                                 "dram_gbs = 144\n"
                                 "aiclk_max_mhz = 500\n"
                                 "grid_y = 4\n"
                                 "[p150a]\n"
                                 "dram_gbs = 0\n" /* cannot be: not given */
                                 "[n300]\n"
                                 "dram_banks = 6\n"
                                 "[lab-card]\n"
                                 "base = p100a\n"
                                 "flop_per_cycle = 8192\n"
                                 "[other-card]\n"
                                 "chip = blackhole\n");
    const struct ttp_arch *known = ttp_device_find_arch(TTP_STR("wormhole"), false);
    const struct ttp_arch *p100 = ttp_device_find_arch(TTP_STR("p100a"), true);
    struct ttp_boards all;

    assert_int_equal(ttp_boards_read(&all, text, "lab.conf", *state, NULL), TTP_OK);
    /* the board, and the architecture that represents it */
    for (int named = 0; named < 2; named++) {
        const struct ttp_arch *a =
            ttp_boards_find_arch(&all, named ? TTP_STR("n150") : TTP_STR("wormhole_b0"), true);

        assert_string_equal(a->name, "wormhole");
        assert_true(a->dram_gbs == 144);
        assert_int_equal(a->worker_cores, 32);
        assert_int_equal(a->dram_workers, known->dram_workers);
        assert_true(a->tflops_per_core[TTP_FIDELITY_HIFI4] ==
                    known->tflops_per_core[TTP_FIDELITY_HIFI4] / 2);
    }
    /* another board of that chip has figures of its own */
    const struct ttp_arch *n300 = ttp_boards_find_arch(&all, TTP_STR("n300"), true);
    assert_true(n300->dram_gbs == known->dram_gbs && n300->dram_workers == 6);
    assert_ptr_equal(ttp_boards_find_arch(&all, TTP_STR("p150a"), true),
                     ttp_device_find_arch(TTP_STR("p150a"), true));
    const struct ttp_arch *lab = ttp_boards_find_arch(&all, TTP_STR("Lab-Card"), true);
    assert_true(lab->tflops_per_core[0] == 2 * p100->tflops_per_core[0]);
    assert_true(lab->dram_gbs == p100->dram_gbs);
    assert_string_equal(ttp_boards_find_arch(&all, TTP_STR("other-card"), true)->name, "blackhole");
    assert_null(ttp_boards_find_arch(&all, TTP_STR("other-card"), false));
    /* what was built in is as it was */
    assert_ptr_equal(ttp_boards_find_arch(NULL, TTP_STR("wormhole"), true), known);
    assert_true(known->dram_gbs == 288);
}

static void test_boards__a_chip_stands_for_a_board(void **state)
{
    const struct ttp_boards *all = ttp_boards_builtin();

    (void)state;
    assert_string_equal(ttp_board_of(all, TTP_STR("Wormhole_B0"))->name, "n150");
    assert_string_equal(ttp_board_of(all, TTP_STR("blackhole"))->name, "p150a");
    assert_string_equal(ttp_board_of(all, TTP_STR("blackhole_p100"))->name, "p100a");
    assert_string_equal(ttp_board_of(all, TTP_STR("grayskull"))->name, "e150");
    assert_string_equal(ttp_board_of(all, TTP_STR("n300"))->name, "n300");
    assert_null(ttp_board_of(all, TTP_STR("quasar")));
    assert_null(ttp_board_of(all, TTP_STR("n1")));
}

static void test_boards__a_bad_file_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text, *why;
        uint64_t line;
    } cases[] = {
        {"aiclk_max_mhz = 1\n", "a [board] must come before its figures", 1},
        {"[n150]\n\naiclk_max_mhz = fast\n", "'fast' is not a number for aiclk_max_mhz", 3},
        {"[n150]\ndram_gbs = -1\n", "'-1' is not a number for dram_gbs", 2},
        {"[n150]\ndram_gbs = inf\n", "'inf' is not a number for dram_gbs", 2},
        {"[n150]\nfw_min = 300.1.1\n", "invalid version '300.1.1': use a form like 1.2.3", 2},
        {"[n150]\ncolour = red\n", "unknown figure 'colour'", 2},
        {"[n150]\nwhat\n", "expected [board] or name = value", 2},
        {"[x]\nbase = y\n", "unknown board 'y'", 2},
        {"[x]\nupi = 99\n", "upi must be a number such as 0xb140", 2},
        {"[x]\n", "board 'x' requires 'base = BOARD' or 'chip = CHIP'", 0},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_boards all;
        struct ttp_err err = {0};

        assert_int_equal(ttp_boards_read(&all, ttp_str_from(cases[i].text), "f.conf", *state, &err),
                         TTP_EPARSE);
        assert_string_equal(err.text, cases[i].why);
        assert_int_equal(err.line, cases[i].line);
    }
}

static void test_boards__versions(void **state)
{
    static const struct {
        const char *text;
        uint32_t version; /* 0: refused */
        const char *back;
    } cases[] = {
        {"2.10.1-pre", 0x020a0100, "2.10.1"},
        {"19.8.1.0", 0x13080100, "19.8.1"},
        {"80.14.0.3", 0x500e0003, "80.14.0.3"},
        {"1.31", 0x011f0000, "1.31.0"},
        {" 2.9.0\n", 0x02090000, "2.9.0"},
        {"2", 0, ""},
        {"2..0", 0, ""},
        {"2.256.0", 0, ""},
        {"1.2.3.4.5", 0, ""},
        {"", 0, ""},
        {"v2.9.0", 0, ""},
        {"2.9.0+g12", 0x02090000, "2.9.0"},
    };
    char text[TTP_VERSION_MAX];

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        uint32_t v = 0;

        assert_int_equal(ttp_device_version_parse(&v, ttp_str_from(cases[i].text)),
                         cases[i].version != 0);
        assert_int_equal(v, cases[i].version);
        if (v)
            assert_true(ttp_str_eq(ttp_device_version_text(text, v), ttp_str_from(cases[i].back)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boards__every_figure_names_source_and_date),
        cmocka_unit_test(test_boards__names_and_ids_lead_to_the_same_row),
        cmocka_unit_test(test_boards__agree_with_the_architectures_of_reports),
        cmocka_unit_test(test_boards__figures_of_the_vendor),
        TTP_TEST_ARENA(test_boards__a_file_overrides_and_adds),
        TTP_TEST_ARENA(test_boards__constants_of_ops_have_a_source_and_can_be_changed),
        TTP_TEST_ARENA(test_boards__a_file_changes_what_reports_hold_ops_to),
        TTP_TEST_ARENA(test_boards__a_chip_stands_for_a_board),
        TTP_TEST_ARENA(test_boards__a_bad_file_is_refused_with_its_line),
        cmocka_unit_test(test_boards__versions),
    };
    return cmocka_run_group_tests_name("device/boards", tests, NULL, NULL);
}
