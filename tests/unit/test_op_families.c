/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "compat/report/report_rules.h"
#include "device/device.h"

static void test_op_families__category_is_decided_by_the_first_word(void **state)
{
    static const struct {
        const char *code, *original, *ours; /* NULL: unknown, so Other */
    } cases[] = {
        {"Matmul 32 x 32 x 32", "Compute", "Compute"},
        {"MatmulDeviceOperation b={2} x 1 x 1 x 1", "Compute", "Compute"},
        {"AllGatherMatmul", "Compute", "Compute"},
        {"Halo", "DM", "DM"},
        {"HaloDeviceOperation w=x", "DM", "DM"},
        {"PadDeviceOperation", "TM", "TM"},
        {"PadDeviceOperationDeviceOperation", "TM", "TM"},
        {"Pad", NULL, "TM"},
        {"Slice", "TM", "TM"},
        {"SliceWrite", "DM", "TM"},
        {"ReduceScatter", "DM", "CCL"},
        {"AllGather", NULL, "CCL"},
        {"SomeNewAllToAllOp", NULL, "CCL"},
        {"SomeNewAllGatherMatmul", NULL, "Compute"},
        {"AllGatherMinimalMatmulAsync", NULL, "Compute"},
        {"ttnn::prim::ReshapeViewDeviceOperation", NULL, "TM"},
        {"PaddedSlice", "DM", "TM"},
        {"MinimalMatmulDeviceOperation", NULL, "Compute"},
        {"LayerNormPreAllGatherDeviceOperation", NULL, "Compute"},
        {"Conv3d", NULL, "Compute"},
        {"(torch) add", "Host", "Host"},
        {"add (torch)", NULL, "Host"},
        {"Matmuls", NULL, "Compute"},
        {"matmul", NULL, NULL},
        {"  Tilize\tx", "TM", "TM"},
        {"", NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        for (int original = 0; original < 2; original++) {
            const char *want = original ? cases[i].original : cases[i].ours;
            const ttp_str code = ttp_str_from(cases[i].code);
            const enum ttp_category got =
                original ? ttp_compat_category(code) : ttp_op_family_of(code).category;
            assert_string_equal(ttp_device_category_name(got), want ? want : "Other");
        }
}

/* The longest beginning decides what an op moves, and words anywhere what it waits for. */
static void test_op_families__know_traffic_traits_and_collectives(void **state)
{
    static const struct {
        const char *code;
        uint32_t traits; /* all of them */
        enum ttp_op_moves moves, sends;
        enum ttp_op_waits waits;
        bool fused;
        uint8_t work;
    } cases[] = {
        {"MatmulDeviceOperation", TTP_IS_MATMUL | TTP_IS_ANY_MATMUL, 0, 0, 0, false, 0},
        {"SparseMatmulDeviceOperation", TTP_IS_MATMUL | TTP_IS_ANY_MATMUL | TTP_IS_SPARSE, 0, 0, 0,
         false, 0},
        {"Matmuls", TTP_IS_ANY_MATMUL, 0, 0, 0, false, 0},
        {"Conv2dDeviceOperation", TTP_IS_CONV | TTP_IS_CONV2D, 0, 0, 0, false, 0},
        {"Conv3dDeviceOperation", TTP_IS_CONV, 0, 0, 0, false, 0},
        {"OptimizedConvNew", TTP_IS_CONV | TTP_IS_CONV2D | TTP_IS_OPTIMIZED_CONV, 0, 0, 0, false,
         0},
        {"ReduceDeviceOperation", 0, TTP_MOVES_ALL, 0, 0, false, 1},
        {"ReduceScatterMinimalAsync", TTP_IS_COLLECTIVE | TTP_IS_REDUCE_SCATTER,
         TTP_MOVES_SCATTERED, TTP_MOVES_SCATTERED, TTP_WAITS_FOR_ALL, false, 1},
        {"AllGatherMatmul", TTP_IS_COLLECTIVE | TTP_IS_ALL_GATHER | TTP_IS_ANY_MATMUL,
         TTP_MOVES_GATHERED, TTP_MOVES_GATHERED, TTP_WAITS_FOR_ALL, true, 0},
        {"MatmulReduceScatterAsync", TTP_IS_MATMUL | TTP_IS_ANY_MATMUL, 0, TTP_MOVES_SCATTERED,
         TTP_WAITS_FOR_ALL, true, 0},
        {"LayerNormPostAllGatherDeviceOperation", TTP_IS_NORM, TTP_MOVES_ALL, TTP_MOVES_GATHERED,
         TTP_WAITS_NOT, false, 8},
        {"AllToAllDispatchDeviceOperation", 0, 0, 0, TTP_WAITS_UNPROVEN, false, 0},
        {"DispatchDeviceOperation", 0, 0, 0, TTP_WAITS_UNPROVEN, false, 0},
        {"SendAsyncDeviceOperation", 0, 0, 0, TTP_WAITS_FOR_SENDER, false, 0},
        {"EmbeddingsDeviceOperation", 0, TTP_MOVES_ROWS, 0, 0, false, 0},
        {"ttnn::prim::SoftmaxDeviceOperation", TTP_IS_ATTENTION | TTP_IS_SOFTMAX, TTP_MOVES_ALL, 0,
         0, false, 5},
        {"GenericOpDeviceOperation", TTP_IS_OWN, 0, 0, 0, false, 0},
        {"Nothing", 0, 0, 0, 0, false, 0},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct ttp_op_family got = ttp_op_family_of(ttp_str_from(cases[i].code));
        if (got.traits != cases[i].traits || got.moves != cases[i].moves ||
            got.sends != cases[i].sends || got.waits != cases[i].waits ||
            got.fused != cases[i].fused || got.work != cases[i].work)
            fail_msg("%s: traits %x, moves %d, sends %d, waits %d, fused %d, work %d",
                     cases[i].code, got.traits, got.moves, got.sends, got.waits, got.fused,
                     got.work);
    }
}

static void test_op_families__marks_come_from_words_anywhere_in_the_name(void **state)
{
    static const struct {
        const char *code;
        unsigned marks;
    } cases[] = {
        {"MatmulDeviceOperation", 0},
        {"MinimalMatmulDeviceOperation", TTP_OP_MINIMAL},
        {"SparseMatmulDeviceOperation", TTP_OP_BY_VALUES},
        {"ttnn::prim::SdpaDecodeDeviceOperation", TTP_OP_DECODE | TTP_OP_BY_VALUES},
        {"ScaledDotProductAttentionDecode", TTP_OP_DECODE | TTP_OP_BY_VALUES},
        {"NlpCreateHeadsDecode", TTP_OP_DECODE},
        {"AllGatherAsyncDeviceOperation", TTP_OP_ASYNC | TTP_OP_REDUCES},
        {"LlamaReduceScatter", TTP_OP_REDUCES},
        {"AllReduceDeviceOperation", TTP_OP_REDUCES},
        {"AllBroadcastDeviceOperation", 0},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_int_equal(ttp_op_family_of(ttp_str_from(cases[i].code)).marks, cases[i].marks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_op_families__know_traffic_traits_and_collectives),
        cmocka_unit_test(test_op_families__marks_come_from_words_anywhere_in_the_name),
        cmocka_unit_test(test_op_families__category_is_decided_by_the_first_word),
    };
    return cmocka_run_group_tests_name("device/op_families", tests, NULL, NULL);
}
