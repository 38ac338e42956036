/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/ctx.h"
#include "core/failure.h"
#include "outputs/outputs.h"

static void clear_environment(void)
{
    static const char *const names[] = {"NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "TERM",
                                        "COLUMNS"};

    for (size_t i = 0; i < TTP_COUNT(names); i++)
        unsetenv(names[i]);
}

/* A terminal to ask about; -1 where the machine has none to give. */
static int open_terminal(void)
{
    const int fd = posix_openpt(O_RDWR | O_NOCTTY);

    if (fd >= 0 && isatty(fd))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void test_ctx__colour_follows_option_then_environment_then_terminal(void **state)
{
    static const struct {
        const char *name, *value; /* of the environment */
        enum ttp_color_choice option;
        bool on_terminal, on_file;
    } cases[] = {
        {"TERM", "xterm", TTP_COLOR_AUTO, true, false},
        {"TERM", "dumb", TTP_COLOR_AUTO, false, false},
        {"NO_COLOR", "", TTP_COLOR_AUTO, true, false},
        {"NO_COLOR", "0", TTP_COLOR_AUTO, false, false},
        {"NO_COLOR", "1", TTP_COLOR_ALWAYS, true, true},
        {"CLICOLOR_FORCE", "1", TTP_COLOR_AUTO, true, true},
        {"FORCE_COLOR", "1", TTP_COLOR_AUTO, true, true},
        {"FORCE_COLOR", "0", TTP_COLOR_AUTO, true, false},
        {"FORCE_COLOR", "1", TTP_COLOR_NEVER, false, false},
    };
    const int terminal = open_terminal(), file = open("/dev/null", O_WRONLY | O_CLOEXEC);

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        clear_environment();
        setenv(cases[i].name, cases[i].value, 1);
        assert_int_equal(ttp_color_wanted(cases[i].option, file), cases[i].on_file);
        if (terminal >= 0)
            assert_int_equal(ttp_color_wanted(cases[i].option, terminal), cases[i].on_terminal);
    }
    clear_environment();
    close(file);
    if (terminal >= 0)
        close(terminal);
}

static void test_ctx__width_is_columns_or_unlimited(void **state)
{
    const int file = open("/dev/null", O_WRONLY | O_CLOEXEC);

    (void)state;
    clear_environment();
    assert_int_equal(ttp_columns(file), 0);
    setenv("COLUMNS", "72", 1);
    assert_int_equal(ttp_columns(file), 72);
    setenv("COLUMNS", "wide", 1);
    assert_int_equal(ttp_columns(file), 0);
    clear_environment();
    close(file);
}

static void test_ctx__every_failure_has_its_exit_status(void **state)
{
    (void)state;
    assert_int_equal(ttp_exit_status(TTP_OK), 0);
    assert_int_equal(ttp_exit_status(TTP_EUSAGE), 2);
    assert_int_equal(ttp_exit_status(TTP_EPARSE), 3);
    assert_int_equal(ttp_exit_status(TTP_ELIMIT), 3);
    assert_int_equal(ttp_exit_status(TTP_ENOTFOUND), 3);
    assert_int_equal(ttp_exit_status(TTP_EIO), 5);
}

static void test_ctx__an_envelope_holds_inputs_data_and_warnings(void **state)
{
    const char *words[] = {"a.csv", "b\".csv"};
    const struct ttp_words inputs = {words, 2}, warnings = {words, 1};
    struct ttp_json_writer w;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, *state);
    w = (struct ttp_json_writer){.sink = &out};
    ttp_envelope_begin(&w, "tt-perf.x/1", &inputs);
    ttp_json_put_i64(&w, 5);
    ttp_envelope_end(&w, &warnings, true);
    assert_golden(ttp_sink_text(&out), "envelope.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ctx__colour_follows_option_then_environment_then_terminal),
        cmocka_unit_test(test_ctx__width_is_columns_or_unlimited),
        cmocka_unit_test(test_ctx__every_failure_has_its_exit_status),
        TTP_TEST_ARENA(test_ctx__an_envelope_holds_inputs_data_and_warnings),
    };
    return cmocka_run_group_tests_name("cli/ctx", tests, NULL, NULL);
}
