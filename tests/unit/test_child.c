/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that end in every way they can. */
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"

static const struct ttp_words no_words;

/* sh -c `script`, in our environment with `set`. */
static struct ttp_child run_script(const char *script, struct ttp_child_options o,
                                   const struct ttp_words *set, struct ttp_arena *arena)
{
    const char **argv = TTP_NEW(arena, const char *, 4);
    struct ttp_signals signals;
    struct ttp_child c;

    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = script;
    o.argv = argv;
    o.env = ttp_child_environment(set, arena);
    assert_int_equal(ttp_child_find(&o.path, "sh", o.env, arena, NULL), TTP_OK);
    assert_int_equal(ttp_signals_open(&signals, NULL), TTP_OK);
    assert_int_equal(ttp_child_run(&c, &o, &signals, arena, NULL), TTP_OK);
    ttp_signals_close(&signals);
    return c;
}

static struct ttp_child run_plain(const char *script, struct ttp_arena *arena)
{
    return run_script(script, (struct ttp_child_options){0}, &no_words, arena);
}

static void test_child__keeps_both_streams_and_the_status(void **state)
{
    const struct ttp_child c = run_plain("echo one; echo two >&2; exit 3", *state);

    assert_int_equal(c.end, TTP_CHILD_EXITED);
    assert_int_equal(c.code, 3);
    assert_true(ttp_str_eq(c.printed, TTP_STR("one\n")));
    assert_true(ttp_str_eq(c.errors, TTP_STR("two\n")));
    assert_true(c.wall_ns > 0 && c.start_ns > 0);
}

static void test_child__has_no_input_and_a_group_of_its_own(void **state)
{
    const struct ttp_child c = run_plain("cat; ps -o pgid= -p $$ | tr -d ' '; echo $$", *state);
    ttp_str field[3];

    assert_int_equal(c.code, 0);
    assert_int_equal(ttp_str_split(c.printed, '\n', field, 3), 3);
    assert_true(ttp_str_eq(field[0], field[1]) || field[0].len == 0); /* no ps here */
}

static void test_child__a_signal_is_told_from_a_status(void **state)
{
    const struct ttp_child c = run_plain("kill -SEGV $$", *state);

    assert_int_equal(c.end, TTP_CHILD_SIGNALED);
    assert_int_equal(c.code, SIGSEGV);
}

static void test_child__a_timeout_ends_the_whole_group(void **state)
{
    const struct ttp_child_options o = {.timeout_s = 0.2};
    const uint64_t start = ttp_clock_ns();
    /* the shell waits for its child, which would hold the pipe for a minute */
    const struct ttp_child c = run_script("sleep 60 & sleep 60; echo late", o, &no_words, *state);

    assert_int_equal(c.end, TTP_CHILD_TIMED_OUT);
    assert_true(ttp_clock_ns() - start < 20000000000u);
    assert_int_equal(c.printed.len, 0);
}

static void test_child__one_that_ignores_the_first_signal_is_killed(void **state)
{
    const struct ttp_child_options o = {.timeout_s = 0.1};
    const struct ttp_child c =
        run_script("trap '' TERM; while :; do sleep 0.1; done", o, &no_words, *state);

    assert_int_equal(c.end, TTP_CHILD_TIMED_OUT);
    assert_true(c.wall_ns > 1900000000u);
}

static void test_child__what_it_leaves_behind_is_not_waited_for(void **state)
{
    const uint64_t start = ttp_clock_ns();
    const struct ttp_child c = run_plain("sleep 5 & echo done", *state);

    assert_true(ttp_str_eq(c.printed, TTP_STR("done\n")));
    assert_true(ttp_clock_ns() - start < 4000000000u);
}

static void test_child__a_signal_to_us_ends_it(void **state)
{
    const char *argv[] = {"sleep", "60", NULL};
    const char **env = ttp_child_environment(&no_words, *state);
    struct ttp_child_options o = {.argv = argv, .env = env};
    struct ttp_signals signals;
    struct ttp_child c;

    assert_int_equal(ttp_signals_open(&signals, NULL), TTP_OK);
    assert_int_equal(ttp_child_find(&o.path, "sleep", env, *state, NULL), TTP_OK);
    raise(SIGINT); /* held back, and met as soon as it runs */
    assert_int_equal(ttp_child_run(&c, &o, &signals, *state, NULL), TTP_OK);
    assert_int_equal(c.end, TTP_CHILD_INTERRUPTED);
    assert_int_equal(c.code, SIGINT);
    assert_int_equal(signals.caught, SIGINT);
    ttp_signals_close(&signals);
}

static void test_child__long_output_keeps_its_end(void **state)
{
    const struct ttp_child c =
        run_plain("head -c 40000000 /dev/zero | tr '\\0' 'x'; echo END", *state);

    assert_true(c.cut);
    assert_true(c.printed.len <= TTP_CHILD_KEPT);
    assert_true(ttp_str_ends(c.printed, TTP_STR("xEND\n")));
}

static void test_child__environment_replaces_by_name(void **state)
{
    const char *set[] = {"TTP_A=1", "TTP_B=x=y", "TTP_A=2"};
    const struct ttp_words words = {set, 3};
    const struct ttp_child c =
        run_script("echo $TTP_A $TTP_B $TTP_KEPT", (struct ttp_child_options){0}, &words, *state);

    assert_true(ttp_str_eq(c.printed, TTP_STR("2 x=y kept\n")));
}

static void test_child__finds_what_execvp_would(void **state)
{
    const char *const own[] = {"PATH=/nonexistent:/bin:/usr/bin", NULL};
    const char *const none[] = {NULL};
    struct ttp_err err = {0};
    const char *path;

    assert_int_equal(ttp_child_find(&path, "sh", own, *state, &err), TTP_OK);
    assert_int_equal(ttp_child_find(&path, "sh", none, *state, &err), TTP_OK);
    assert_int_equal(ttp_child_find(&path, "/bin/sh", own, *state, &err), TTP_OK);
    assert_string_equal(path, "/bin/sh");
    assert_int_equal(ttp_child_find(&path, "no-such-command", own, *state, &err), TTP_ENOTFOUND);
    assert_int_equal(ttp_child_find(&path, "", own, *state, &err), TTP_ENOTFOUND);
    assert_int_equal(ttp_child_find(&path, "/etc", own, *state, &err), TTP_EIO);
    assert_int_equal(ttp_child_find(&path, "/etc/passwd", own, *state, &err), TTP_EIO);
}

static void count_tick(void *arg)
{
    ++*(int *)arg;
}

static void test_child__ticks_while_it_runs(void **state)
{
    int ticks = 0;
    const struct ttp_child_options o = {
        .tick = count_tick, .tick_arg = &ticks, .tick_ns = 20000000};

    run_script("sleep 0.5", o, &no_words, *state);
    assert_in_range(ticks, 2, 26);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_child__keeps_both_streams_and_the_status),
        TTP_TEST_ARENA(test_child__has_no_input_and_a_group_of_its_own),
        TTP_TEST_ARENA(test_child__a_signal_is_told_from_a_status),
        TTP_TEST_ARENA(test_child__a_timeout_ends_the_whole_group),
        TTP_TEST_ARENA(test_child__one_that_ignores_the_first_signal_is_killed),
        TTP_TEST_ARENA(test_child__what_it_leaves_behind_is_not_waited_for),
        TTP_TEST_ARENA(test_child__a_signal_to_us_ends_it),
        TTP_TEST_ARENA(test_child__long_output_keeps_its_end),
        TTP_TEST_ARENA(test_child__environment_replaces_by_name),
        TTP_TEST_ARENA(test_child__finds_what_execvp_would),
        TTP_TEST_ARENA(test_child__ticks_while_it_runs),
    };
    setenv("TTP_KEPT", "kept", 1);
    return cmocka_run_group_tests_name("base/child", tests, NULL, NULL);
}
