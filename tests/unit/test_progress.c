/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"

static int saved_stderr, terminal;

/* A pseudo terminal of 60 columns becomes stderr. */
static int open_terminal(void **state)
{
    const struct winsize size = {.ws_col = 60, .ws_row = 25};
    char name[64];

    (void)state;
    setenv("TERM", "xterm", 1);
    terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (terminal < 0 || grantpt(terminal) || unlockpt(terminal) ||
        ptsname_r(terminal, name, sizeof(name)))
        return 1;
    const int side = open(name, O_RDWR | O_NOCTTY);
    if (side < 0 || ioctl(side, TIOCSWINSZ, &size))
        return 1;
    saved_stderr = dup(STDERR_FILENO);
    dup2(side, STDERR_FILENO);
    return close(side);
}

static int close_terminal(void **state)
{
    (void)state;
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    return close(terminal);
}

static const char *shown(void)
{
    static char text[1024];
    const ssize_t n = read(terminal, text, sizeof(text) - 1);

    text[n > 0 ? n : 0] = '\0';
    return text;
}

/* As if it had begun so many seconds ago. */
static void backdate(struct ttp_progress *p, uint64_t seconds)
{
    p->start_ns = ttp_clock_ns() - seconds * 1000000000u;
    p->drawn_ns = 0;
}

static void test_progress__draws_and_clears_on_a_terminal(void **state)
{
    struct ttp_progress p;

    (void)state;
    ttp_progress_init(&p, "reading ops.csv", 10000000000u, true);
    assert_true(p.on);
    backdate(&p, 10);
    ttp_progress_update(&p, 4320000000u); /* 432 MB/s, so 13.1 s are left */
    const char *text = shown();
    assert_non_null(strstr(text, "\r\033[Kreading ops.csv  43%  43"));
    assert_non_null(strstr(text, " MB/s  0:13"));
    ttp_progress_clear(&p);
    assert_string_equal(shown(), "\r\033[K");
    ttp_progress_clear(&p);
    assert_string_equal(shown(), "");
}

static void test_progress__counts_when_the_total_is_unknown(void **state)
{
    struct ttp_progress p;

    (void)state;
    ttp_progress_init(&p, "reading -", 0, true);
    backdate(&p, 3700);
    ttp_progress_update(&p, 740000000);
    assert_non_null(strstr(shown(), "reading -  740 MB  0 MB/s  1:01:4"));
}

static void test_progress__is_quiet_at_first_and_then_ten_times_a_second(void **state)
{
    struct ttp_progress p;

    (void)state;
    ttp_progress_init(&p, "x", 100, true);
    ttp_progress_update(&p, 1);
    ttp_progress_clear(&p);
    assert_string_equal(shown(), "");
    backdate(&p, 1);
    ttp_progress_update(&p, 1);
    assert_string_not_equal(shown(), "");
    p.drawn_ns = ttp_clock_ns();
    ttp_progress_update(&p, 3);
    assert_string_equal(shown(), "");
}

static void test_progress__long_and_nasty_names_fit_the_line(void **state)
{
    struct ttp_progress p;

    (void)state;
    ttp_progress_init(&p,
                      "\033[2J\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251"
                      "\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251"
                      "\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251",
                      100, true);
    backdate(&p, 1);
    ttp_progress_update(&p, 500); /* more than all */
    const ttp_str line = ttp_str_from(shown());
    assert_true(ttp_str_starts(line, TTP_STR("\r\033[K\\x1b[2J\303\251")));
    assert_true(ttp_str_ends(line, TTP_STR("  100%  0 MB/s  0:00")));
    assert_in_range(line.len - 4, 50, 59);
    assert_int_equal(ttp_str_valid_utf8(line), line.len);
}

static void test_progress__is_off_unless_wanted_and_on_a_real_terminal(void **state)
{
    struct ttp_progress p;

    (void)state;
    ttp_progress_init(&p, "x", 100, false);
    assert_false(p.on);
    setenv("TERM", "dumb", 1);
    ttp_progress_init(&p, "x", 100, true);
    assert_false(p.on);
    setenv("TERM", "xterm", 1);

    const int null = open("/dev/null", O_WRONLY), kept = dup(STDERR_FILENO);
    dup2(null, STDERR_FILENO);
    ttp_progress_init(&p, "x", 100, true);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(null);
    assert_false(p.on);
    ttp_progress_update(&p, 50);
    ttp_progress_clear(&p);
    struct ttp_progress zero = {0};
    ttp_progress_update(&zero, 1);
    ttp_progress_clear(&zero);
    assert_string_equal(shown(), "");
}

#define TERMINAL_TEST(fn) cmocka_unit_test_setup_teardown(fn, open_terminal, close_terminal)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TERMINAL_TEST(test_progress__draws_and_clears_on_a_terminal),
        TERMINAL_TEST(test_progress__counts_when_the_total_is_unknown),
        TERMINAL_TEST(test_progress__is_quiet_at_first_and_then_ten_times_a_second),
        TERMINAL_TEST(test_progress__long_and_nasty_names_fit_the_line),
        TERMINAL_TEST(test_progress__is_off_unless_wanted_and_on_a_real_terminal),
    };
    return cmocka_run_group_tests_name("base/progress", tests, NULL, NULL);
}
