/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "analysis/attributes.h"
#include "ops_line.h"

static void test_attributes__block_sizes_need_a_program_config(void **state)
{
    static const struct {
        const char *text;
        int64_t width, h, w; /* -1: not there */
        bool sharded;
    } cases[] = {
        {"", -1, -1, -1, false},
        {"in0_block_w=4", -1, -1, -1, false},
        {"program_config", -1, -1, -1, false},
        {"'program_config': 'X(in0_block_w=4;out_subblock_h=1;out_subblock_w=8)'", 4, 1, 8, false},
        {"in0_block_w=2 program_config", 2, -1, -1, false},
        {"program_config in0_block_w=x in0_block_w=3 in0_block_w=5", 3, -1, -1, false},
        {"program_config in0_block_w= 3", -1, -1, -1, false},
        {"program_config out_subblock_w=\xD9\xA3", -1, -1, 3, false},
        {"MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig", -1, -1, -1, true},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_blocks b;
        ttp_analysis_attributes_blocks(&b, ttp_str_from(cases[i].text));
        assert_int_equal(b.has_width ? b.width : -1, cases[i].width);
        assert_int_equal(b.has_subblock_h ? b.subblock_h : -1, cases[i].h);
        assert_int_equal(b.has_subblock_w ? b.subblock_w : -1, cases[i].w);
        assert_int_equal(b.dram_sharded, cases[i].sharded);
    }
}

static void test_attributes__kernel_window_of_a_convolution(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t h, w;
    } cases[] = {
        {"a=1; window_hw=(7;3); b", true, 7, 3},
        {"window_hw=(1;1)", true, 1, 1},
        {"window_hw=( 5 ;+2)", true, 5, 2},
        {"window_hw=(3;4;9); ", true, 3, 4},
        {"window_hw=(3)", false, 0, 0},
        {"window_hw=(a;b); ", false, 0, 0},
        {"window_hw", false, 0, 0},
        {"window_hw=", false, 0, 0},
        {"", false, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        int64_t window[2] = {0};
        assert_int_equal(ttp_analysis_attributes_window(ttp_str_from(cases[i].text), window),
                         cases[i].ok);
        if (cases[i].ok)
            assert_true(window[0] == cases[i].h && window[1] == cases[i].w);
    }
}

static void check_label(void (*put)(struct ttp_sink *, ttp_str), const char *text, const char *want,
                        struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    put(&out, ttp_str_from(text));
    assert_text(ttp_sink_text(&out), want);
}

static void test_attributes__label_of_a_convolution(void **state)
{
    static const char *const cases[][2] = {
        {"", " [ABH=x|x ADB SR]"},
        {"per_core_out_matrix_height_ntile=4;act_block_h_ntiles=2;", " [ABH=4|2 ADB SR]"},
        {"per_core_out_matrix_height_ntile: 12 ;", " [ABH=12|x ADB SR]"},
        {"act_block_h_ntiles=x;", " [ABH=x|x ADB SR]"},
        {"'enable_act_double_buffer': 'true'", " [ABH=x|x ADB SR]"},
        {"'enable_act_double_buffer': 'false'; 'enable_split_reader': 'no'", " [ABH=x|x]"},
        {"'enable_split_reader': 'false'", " [ABH=x|x ADB]"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        check_label(ttp_analysis_attributes_conv_label, cases[i][0], cases[i][1], *state);
}

static void test_attributes__label_of_a_halo(void **state)
{
    static const char *const cases[][2] = {
        {"", " w=x s=x p=x d=x | x"},
        {"window_hw=(7;7); stride_hw=(2;2); padding=((3; 0); (3; 3)); dilation_hw=(1;1); "
         "memory_layout=TensorMemoryLayout::HEIGHT_SHARDED;",
         " w=(7,7) s=(2,2) p=((3, 0), (3, 3)) d=(1,1) | HEIGHT_SHARDED"},
        {"window_hw=(1", " w=(1 s=x p=x d=x | x"},
        {"memory_layout=A::B::C;", " w=x s=x p=x d=x | B"},
        {"memory_layout=plain", " w=x s=x p=x d=x | x"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        check_label(ttp_analysis_attributes_halo_label, cases[i][0], cases[i][1], *state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attributes__block_sizes_need_a_program_config),
        cmocka_unit_test(test_attributes__kernel_window_of_a_convolution),
        TTP_TEST_ARENA(test_attributes__label_of_a_convolution),
        TTP_TEST_ARENA(test_attributes__label_of_a_halo),
    };
    return cmocka_run_group_tests_name("analysis/attributes", tests, NULL, NULL);
}
