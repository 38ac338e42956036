/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "ops_line.h"

#define RUN                                                                                        \
    OPS_HEAD OP("A", 0, 1, ) POST("s") OP("B", 0, 1, 1) POST("m") OP("C", 0, 1, 1) POST("s")       \
        OP("D", 0, 1, 1) POST("e") OP("E", 0, 1, 1)

struct window_case {
    struct ttp_report_options options;
    const char *codes;
    const char *note; /* NULL: none is looked for */
};

static void check(const struct window_case *cases, size_t count, struct ttp_arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        struct ops_line line;
        ops_line_run(&line, RUN, &cases[i].options, arena);
        assert_codes(&line, cases[i].codes);
        if (cases[i].note)
            assert_note(&line.report.notes, cases[i].note);
    }
}

static void test_window__of_the_original(void **state)
{
    static const struct window_case cases[] = {
        {{.rules = &ttp_compat_analysis}, "E", "Using last signpost: e for"},
        {{.rules = &ttp_compat_analysis, .print_signposts = true}, "E", NULL},
        {{.rules = &ttp_compat_analysis, .ignore_signposts = true, .start_signpost = "m"},
         "A s (signpost) B m (signpost) C s (signpost) D e (signpost) E",
         "Ignoring all"},
        {{.rules = &ttp_compat_analysis, .start_signpost = "m"},
         "C D E",
         "Using operations after 'm'."},
        {{.rules = &ttp_compat_analysis, .start_signpost = "s"}, "B C D E", NULL},
        {{.rules = &ttp_compat_analysis, .end_signpost = "m"},
         "A B",
         "Using operations until 'm'."},
        {{.rules = &ttp_compat_analysis, .start_signpost = "m", .end_signpost = "e"}, "C D", NULL},
        {{.rules = &ttp_compat_analysis, .start_signpost = "s", .end_signpost = "s"}, "B C", NULL},
        {{.rules = &ttp_compat_analysis,
          .start_signpost = "s",
          .end_signpost = "s",
          .print_signposts = true},
         "B m (signpost) C",
         NULL},
        {{.rules = &ttp_compat_analysis, .start_signpost = "m", .end_signpost = "m"},
         "C D E",
         "Not enough occurrences"},
        {{.rules = &ttp_compat_analysis, .start_signpost = "e", .end_signpost = "m"}, "", NULL},
        {{.rules = &ttp_compat_analysis, .start_signpost = "x"},
         "E",
         "Specified staring signpost 'x' not found."},
        {{.rules = &ttp_compat_analysis, .end_signpost = "x"},
         "E",
         "Specified ending signpost 'x' not found."},
        {{.rules = &ttp_compat_analysis, .start_signpost = "x", .end_signpost = "m"}, "A B", NULL},
        {{.rules = &ttp_compat_analysis, .start_signpost = ""}, "E", NULL},
    };

    check(cases, TTP_COUNT(cases), *state);
}

static void test_window__of_ours(void **state)
{
    static const struct window_case cases[] = {
        {{0}, "B C", NULL}, /* two of one name are a range */
        {{.ignore_signposts = true}, "A B C D E", NULL},
        {{.ignore_signposts = true, .print_signposts = true},
         "A s (signpost) B m (signpost) C s (signpost) D e (signpost) E",
         NULL},
        {{.start_signpost = "s"}, "B C D E", NULL},
        {{.start_signpost = "s", .end_signpost = "s"}, "B C", NULL},
        {{.end_signpost = "s"}, "A", NULL},
        {{.start_signpost = "m", .end_signpost = "s"}, "C", NULL},
    };

    check(cases, TTP_COUNT(cases), *state);
}

static void test_window__an_unknown_signpost_is_an_error_of_ours(void **state)
{
    static const struct {
        const char *text;
        struct ttp_report_options options;
        const char *says, *hint;
    } cases[] = {
        {RUN, {.start_signpost = "x"}, "no signpost 'x'", "s, m, s, e"},
        {RUN, {.start_signpost = "e", .end_signpost = "m"}, "after the start", "s, m, s, e"},
        {OPS_HEAD OP("A", 0, 1, 1),
         {.end_signpost = "x"},
         "no signpost",
         "the run has no signposts"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ops_line line;
        ops_line_try(&line, cases[i].text, &cases[i].options, *state);
        assert_int_equal(line.code, TTP_EUSAGE);
        assert_non_null(strstr(line.err.text, cases[i].says));
        assert_non_null(strstr(line.err.hint, cases[i].hint));
    }
}

/* Rows 2, 3 and 4 of the file ran in the opposite order. */
#define BACKWARDS                                                                                  \
    "OP CODE,OP TYPE,DEVICE ID,HOST START TS,DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns],"   \
    "CORE COUNT,GLOBAL CALL COUNT,ATTRIBUTES,INPUT_0_MEMORY\n"                                     \
    "late,tt_dnn_device,0,30,1,1,1,1,,\n"                                                          \
    "post,signpost,,20,,,,,,\n"                                                                    \
    "early,tt_dnn_device,0,10,1,1,1,1,,\n"

static void test_window__both_cut_by_row(void **state)
{
    const struct ttp_report_options original = {.rules = &ttp_compat_analysis,
                                                .start_signpost = "post"};
    const struct ttp_report_options ours = {.start_signpost = "post"};
    struct ops_line line;

    ops_line_run(&line, BACKWARDS, &original, *state);
    assert_codes(&line, "early");
    ops_line_run(&line, BACKWARDS, &ours, *state); /* replayed ops have the time of their capture */
    assert_codes(&line, "early");
}

static void
test_window__the_last_signpost_begins_at_its_first_namesake_in_the_original(void **state)
{
    static const char text[] =
        OPS_HEAD OP("go", 0, 1, ) OP("A", 0, 1, 1) POST("go") OP("B", 0, 1, 1);
    struct ops_line line;

    ops_line_run(&line, text, &ops_compat, *state); /* an op of that name counts, too */
    assert_codes(&line, "A B");
    ops_line_run(&line, text, &ops_ours, *state);
    assert_codes(&line, "B");
}

static void test_window__without_signposts_it_is_the_whole_file(void **state)
{
    struct ops_line line;

    ops_line_run(&line, OPS_HEAD OP("A", 0, 1, ) OP("B", 0, 1, 1), &ops_compat, *state);
    assert_codes(&line, "A B");
    assert_note(&line.report.notes, "No signposts found in the file.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_window__of_the_original),
        TTP_TEST_ARENA(test_window__of_ours),
        TTP_TEST_ARENA(test_window__an_unknown_signpost_is_an_error_of_ours),
        TTP_TEST_ARENA(test_window__both_cut_by_row),
        TTP_TEST_ARENA(test_window__the_last_signpost_begins_at_its_first_namesake_in_the_original),
        TTP_TEST_ARENA(test_window__without_signposts_it_is_the_whole_file),
    };
    return cmocka_run_group_tests_name("analysis/window", tests, NULL, NULL);
}
