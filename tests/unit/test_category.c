/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "analysis/stages.h"

static void test_category__is_decided_by_the_first_word(void **state)
{
    static const struct {
        const char *code, *compat, *ours; /* NULL: not known, so Other */
    } cases[] = {
        {"Matmul 32 x 32 x 32", "Compute", "Compute"},
        {"MatmulDeviceOperation b={2} x 1 x 1 x 1", "Compute", "Compute"},
        {"AllGatherMatmul", "Compute", "Compute"},
        {"Halo", "DM", "DM"},
        {"HaloDeviceOperation w=x", "DM", "DM"},
        {"PadDeviceOperation", "TM", "TM"},
        {"PadDeviceOperationDeviceOperation", "TM", "TM"},
        {"Pad", NULL, NULL},
        {"Slice", "TM", "TM"},
        {"SliceWrite", "DM", "TM"},
        {"ReduceScatter", "DM", "CCL"},
        {"AllGather", NULL, "CCL"},
        {"SomeNewAllToAllOp", NULL, "CCL"},
        {"SomeNewAllGatherMatmul", NULL, NULL},
        {"(torch) add", "Host", "Host"},
        {"add (torch)", NULL, "Host"},
        {"Matmuls", NULL, NULL},
        {"matmul", NULL, NULL},
        {"  Tilize\tx", "TM", "TM"},
        {"", NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        for (int compat = 0; compat < 2; compat++) {
            const char *want = compat ? cases[i].compat : cases[i].ours;
            bool known;
            const enum ttp_category got =
                ttp_stage_category(ttp_str_from(cases[i].code), compat, &known);
            assert_string_equal(ttp_analysis_category_name(got), want ? want : "Other");
            assert_int_equal(known, want != NULL);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_category__is_decided_by_the_first_word),
    };
    return cmocka_run_group_tests_name("analysis/category", tests, NULL, NULL);
}
