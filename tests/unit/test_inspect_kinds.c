/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "core/cmd.h"
#include "inspect/inspect.h"
#include "test.h"

static void test_inspect_kinds__each_says_all_of_itself(void **state)
{
    (void)state;
    for (int k = 0; k < TTP_INSPECT_KINDS; k++) {
        const struct ttp_inspect_words *w = ttp_inspect_words((enum ttp_inspect_kind)k);

        assert_true(w->id && w->name && w->what && w->made_by && w->use && w->verbs);
    }
}

static void test_inspect_kinds__verbs_that_take_it_exist(void **state)
{
    (void)state;
    for (int k = 0; k < TTP_INSPECT_KINDS; k++) {
        char verbs[128];

        snprintf(verbs, sizeof(verbs), "%s", ttp_inspect_words((enum ttp_inspect_kind)k)->verbs);
        for (char *rest = verbs, *verb; (verb = strsep(&rest, " "));)
            if (verb[0] && !ttp_cmd_find(verb))
                fail_msg("no verb '%s'", verb);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inspect_kinds__each_says_all_of_itself),
        cmocka_unit_test(test_inspect_kinds__verbs_that_take_it_exist),
    };
    return cmocka_run_group_tests_name("inspect/kinds", tests, NULL, NULL);
}
