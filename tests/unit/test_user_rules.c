/* SPDX-License-Identifier: Apache-2.0 */
#include "advice/advice.h"
#include "test.h"

static void test_user_rules__bad_rules_are_refused_with_their_line(void **state)
{
    static const struct {
        const char *text;
        unsigned line;
    } bad[] = {
        {"when time>1\n", 1},
        {"rule A b\n", 1},
        {"rule a\nwhen time>\nsay x\n", 2},
        {"rule a\nwhen time>1\nsay x\ngain lots\n", 4},
        {"rule a\nwhen time>1\nsay x\ngain 120%\n", 4},
        {"rule a\nwhen time>1\nsay x\nstep nowhere\n", 4},
        {"rule a\nwhen time>1\nfoo x\n", 3},
        {"rule a\nwhen time>1\n\nrule b\n", 4},
        {"rule a\nsay x\n", 2},
    };

    for (size_t i = 0; i < TTP_COUNT(bad); i++) {
        struct ttp_user_rules rules;
        struct ttp_err err = {0};

        assert_int_equal(
            ttp_advice_user_rules_parse(&rules, ttp_str_from(bad[i].text), "r", *state, &err),
            TTP_EPARSE);
        assert_int_equal(err.line, bad[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_user_rules__bad_rules_are_refused_with_their_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
