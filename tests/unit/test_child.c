/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that end in every way they can. */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
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

static void test_child__long_output_is_complete(void **state)
{
    const struct ttp_child c =
        run_plain("head -c 40000000 /dev/zero | tr '\\0' 'x'; echo END", *state);

    assert_false(c.cut);
    assert_int_equal(c.printed.len, 40000004);
    assert_true(ttp_str_ends(c.printed, TTP_STR("xEND\n")));
}

static void test_child__only_who_asks_for_the_end_gets_no_more(void **state)
{
    const struct ttp_child_options o = {.tail = true};
    const struct ttp_child c =
        run_script("head -c 40000000 /dev/zero | tr '\\0' 'x'; echo END", o, &no_words, *state);

    assert_true(c.cut);
    assert_in_range(c.printed.len, TTP_CHILD_TAIL, 2 * TTP_CHILD_TAIL);
    assert_true(ttp_str_ends(c.printed, TTP_STR("xEND\n")));
}

/* Prints `bytes` with a limit of 100000 on each stream. */
static ttp_code run_limited(const char *script, struct ttp_err *err, struct ttp_arena *arena)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    const char **env = ttp_child_environment(&no_words, arena);
    struct ttp_child_options o = {.path = "/bin/sh", .argv = argv, .env = env, .limit = 100000};
    struct ttp_signals signals;
    struct ttp_child c;

    assert_int_equal(ttp_signals_open(&signals, NULL), TTP_OK);
    const ttp_code rc = ttp_child_run(&c, &o, &signals, arena, err);
    ttp_signals_close(&signals);
    return rc;
}

static void test_child__more_than_the_limit_is_an_error(void **state)
{
    static const struct {
        const char *script;
        ttp_code rc;
    } cases[] = {
        {"head -c 100000 /dev/zero", TTP_OK},
        {"head -c 100001 /dev/zero", TTP_ELIMIT},
        {"head -c 100001 /dev/zero >&2", TTP_ELIMIT},
        {"trap '' PIPE; yes", TTP_ELIMIT}, /* without end */
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_err err = {0};

        assert_int_equal(run_limited(cases[i].script, &err, *state), cases[i].rc);
        assert_int_equal(strstr(err.text, "printed more than 100000 bytes") != NULL,
                         cases[i].rc != TTP_OK);
    }
}

static void test_child__one_that_prints_without_end_meets_its_deadline(void **state)
{
    const struct ttp_child_options o = {.timeout_s = 0.3, .tail = true};
    const uint64_t start = ttp_clock_ns();
    const struct ttp_child c = run_script("exec yes", o, &no_words, *state);

    assert_int_equal(c.end, TTP_CHILD_TIMED_OUT);
    assert_true(ttp_clock_ns() - start < 10000000000u);
}

/* Is the process that wrote its number into the file still there? */
static bool is_running(int pid)
{
    char path[64], state = 'Z';

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    if (fscanf(f, "%*d %*s %c", &state) != 1)
        state = 'Z';
    fclose(f);
    return state != 'Z' && state != 'X';
}

/* A process that is killed takes a moment to go, on a busy machine a long one. */
static bool lives(const char *file)
{
    FILE *f = fopen(file, "r");
    int pid = 0;

    assert_non_null(f);
    /* what the script wrote. NOLINTNEXTLINE(cert-err34-c) */
    assert_int_equal(fscanf(f, "%d", &pid), 1);
    fclose(f);
    unlink(file);
    for (int i = 0; i < 500 && is_running(pid); i++)
        usleep(10000);
    return is_running(pid);
}

static void test_child__what_ignores_the_signal_in_its_group_is_killed_too(void **state)
{
    const struct ttp_child_options o = {.timeout_s = 1};
    char file[] = "/tmp/ttp_child_XXXXXX", script[256];
    const int fd = mkstemp(file);

    assert_true(fd >= 0);
    close(fd);
    /* the command ends with the first signal, what it started does not */
    snprintf(script, sizeof(script),
             "sh -c 'trap \"\" TERM; echo $$ >%s; while :; do sleep 1; done' & wait", file);
    const struct ttp_child c = run_script(script, o, &no_words, *state);

    assert_int_equal(c.end, TTP_CHILD_TIMED_OUT);
    assert_false(lives(file));
}

static void test_child__inherits_no_descriptor(void **state)
{
    const int fd = open("/etc/passwd", O_RDONLY); /* not closed by exec */

    assert_true(fd >= 3);
    const struct ttp_child c = run_plain("ls /proc/self/fd | wc -l", *state);
    close(fd);
    assert_true(ttp_str_eq(ttp_str_trim(c.printed), TTP_STR("4"))); /* ls has the folder open */
}

static void test_child__streams_of_ours_that_are_closed_are_not_mixed_up(void **state)
{
    const int in = dup(STDIN_FILENO);

    close(STDIN_FILENO);
    const struct ttp_child c = run_plain("cat; echo out; echo err >&2", *state);
    assert_int_equal(dup2(in, STDIN_FILENO), STDIN_FILENO);
    close(in);
    assert_true(ttp_str_eq(c.printed, TTP_STR("out\n")));
    assert_true(ttp_str_eq(c.errors, TTP_STR("err\n")));
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
        TTP_TEST_ARENA(test_child__long_output_is_complete),
        TTP_TEST_ARENA(test_child__only_who_asks_for_the_end_gets_no_more),
        TTP_TEST_ARENA(test_child__more_than_the_limit_is_an_error),
        TTP_TEST_ARENA(test_child__one_that_prints_without_end_meets_its_deadline),
        TTP_TEST_ARENA(test_child__what_ignores_the_signal_in_its_group_is_killed_too),
        TTP_TEST_ARENA(test_child__inherits_no_descriptor),
        TTP_TEST_ARENA(test_child__streams_of_ours_that_are_closed_are_not_mixed_up),
        TTP_TEST_ARENA(test_child__environment_replaces_by_name),
        TTP_TEST_ARENA(test_child__finds_what_execvp_would),
        TTP_TEST_ARENA(test_child__ticks_while_it_runs),
    };
    setenv("TTP_KEPT", "kept", 1);
    return cmocka_run_group_tests_name("base/child", tests, NULL, NULL);
}
