/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "analysis/stages.h"
#include "ops_line.h"

#define A1 TTP_REASON_HIFI2_MAY_DO
#define A2 TTP_REASON_HIFI4_FOR_BF16
#define A3 TTP_REASON_HIFI_FOR_BF16
#define B1 TTP_REASON_HIFI2_FOR_BFP4_OUT
#define B2 TTP_REASON_LOFI_MAY_DO
#define B3 TTP_REASON_HIFI2_FOR_LARGE
#define C1 TTP_REASON_HIFI2_FOR_BFP8
#define C3 TTP_REASON_HIFI2_FOR_WEIGHTS
#define D3 TTP_REASON_HIFI2_FOR_LARGE_BFP4_OUT
#define E1 TTP_REASON_LOFI_FOR_BFP4
#define NO TTP_REASON_NONE

#define LOW  TTP_FIDELITY_LOW
#define HIGH TTP_FIDELITY_HIGH
#define FINE TTP_FIDELITY_SUFFICIENT

static const char *type_name(char letter)
{
    switch (letter) {
    case 'F':
        return "FLOAT32";
    case 'B':
        return "BFLOAT16";
    case '8':
        return "BFLOAT8_B";
    case '4':
        return "BFLOAT4_B";
    case 'U':
        return "UINT32";
    case 'I':
        return "INT32";
    case 'X':
        return "FLOAT64";
    default:
        return "";
    }
}

struct judged {
    struct ttp_symtab syms;
    struct ttp_report report;
    struct ttp_op op;
};

static void judge(struct judged *j, const char *types, const char *fidelity,
                  struct ttp_arena *arena)
{
    *j = (struct judged){.syms = {.arena = arena}};
    ttp_sym_intern(&j->syms, (ttp_str){0});
    j->report.syms = &j->syms;
    j->op.in0_datatype = ttp_sym_intern(&j->syms, ttp_str_from(type_name(types[0])));
    j->op.in1_datatype = ttp_sym_intern(&j->syms, ttp_str_from(type_name(types[1])));
    j->op.out_datatype = ttp_sym_intern(&j->syms, ttp_str_from(type_name(types[2])));
    ttp_analysis_stage_fidelity(&j->op, &j->syms, ttp_str_from(fidelity));
}

static void test_fidelity__every_cell_of_the_table(void **state)
{
    static const char *const fidelity[] = {"HiFi4", "HiFi2", "LoFi"};
    static const struct {
        const char *types; /* in0, in1, out */
        struct {
            enum ttp_fidelity_verdict verdict;
            enum ttp_fidelity_reason reason;
        } want[3];
    } cases[] = {
        {"BBB", {{FINE, A1}, {LOW, A2}, {LOW, A3}}},
        {"B48", {{FINE, A1}, {LOW, A2}, {LOW, A3}}},
        {"BFF", {{FINE, A1}, {LOW, A2}, {LOW, A3}}},
        {"B84", {{HIGH, B1}, {FINE, B2}, {LOW, B3}}},
        {"B44", {{HIGH, B1}, {FINE, B2}, {LOW, B3}}},
        {"88B", {{HIGH, C1}, {FINE, NO}, {LOW, C3}}},
        {"FFF", {{HIGH, C1}, {FINE, NO}, {LOW, C3}}},
        {"4B8", {{HIGH, C1}, {FINE, NO}, {LOW, C3}}},
        {"884", {{HIGH, C1}, {FINE, B2}, {LOW, D3}}},
        {"848", {{HIGH, E1}, {HIGH, E1}, {FINE, NO}}},
        {"F44", {{HIGH, E1}, {HIGH, E1}, {FINE, NO}}},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        for (size_t f = 0; f < TTP_COUNT(fidelity); f++) {
            struct judged j;
            judge(&j, cases[i].types, fidelity[f], *state);
            assert_int_equal(j.op.verdict, cases[i].want[f].verdict);
            assert_int_equal(j.op.verdict_reason, cases[i].want[f].reason);
            assert_int_equal(ttp_analysis_fidelity_text(&j.report, &j.op, *state).len > 0,
                             cases[i].want[f].reason != NO);
        }
}

static void test_fidelity__some_datatypes_are_not_judged(void **state)
{
    static const char *const cases[][2] = {
        {"UBB", "Math fidelity does not matter for integer types"},
        {"XIB", "Math fidelity does not matter for integer types"}, /* they are looked for first */
        {"BBU", "Math fidelity does not matter for integer types"},
        {"XBB", "Math fidelity of type FLOAT64 is unknown"},
        {"BXX", "Math fidelity of type FLOAT64 is unknown"},
        {"B-B", "Math fidelity of type none is unknown"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct judged j;
        judge(&j, cases[i][0], "HiFi4", *state);
        assert_int_equal(j.op.verdict, TTP_FIDELITY_UNKNOWN);
        assert_text(ttp_analysis_fidelity_text(&j.report, &j.op, *state), cases[i][1]);
    }
}

static void test_fidelity__ours_knows_hifi3_and_names_the_output_it_means(void **state)
{
    struct judged j;

    judge(&j, "884", "HiFi3", *state);
    assert_int_equal(j.op.verdict, TTP_FIDELITY_HIGH);
    assert_text(ttp_analysis_fidelity_text(&j.report, &j.op, *state),
                "Use HiFi2: it suffices for BFP8 inputs and is faster than HiFi3");
    judge(&j, "B84", "HiFi4", *state);
    assert_true(
        ttp_str_has(ttp_analysis_fidelity_text(&j.report, &j.op, *state), TTP_STR("BFP4 output")));
    judge(&j, "BBB", "HiFi9", *state);
    assert_int_equal(j.op.verdict, TTP_FIDELITY_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_fidelity__every_cell_of_the_table),
        TTP_TEST_ARENA(test_fidelity__some_datatypes_are_not_judged),
        TTP_TEST_ARENA(test_fidelity__ours_knows_hifi3_and_names_the_output_it_means),
    };
    return cmocka_run_group_tests_name("analysis/fidelity", tests, NULL, NULL);
}
