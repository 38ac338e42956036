/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "analysis/stages.h"
#include "compat/report/report_rules.h"

static void test_category__is_decided_by_the_first_word(void **state)
{
    static const struct {
        const char *code, *original, *ours; /* NULL: not known, so Other */
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
        for (int original = 0; original < 2; original++) {
            const char *want = original ? cases[i].original : cases[i].ours;
            const ttp_str code = ttp_str_from(cases[i].code);
            const enum ttp_category got =
                original ? ttp_compat_category(code) : ttp_stage_category(code);
            assert_string_equal(ttp_analysis_category_name(got), want ? want : "Other");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_category__is_decided_by_the_first_word),
    };
    return cmocka_run_group_tests_name("analysis/category", tests, NULL, NULL);
}
