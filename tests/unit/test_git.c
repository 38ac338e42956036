/* SPDX-License-Identifier: Apache-2.0 */
/* A git that does not answer, or not as it should. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/git.h"
#include "base/temp_dir.h"

static const char *bin; /* a folder with our own git, the first of PATH */

static void make_git(const char *script)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/git", bin);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", script);
    fclose(f);
    assert_int_equal(chmod(path, 0755), 0);
}

struct asked {
    ttp_code rc;
    struct ttp_words names;
    struct ttp_err err;
};

static struct asked ask_names(const char *script, double timeout_s, struct ttp_arena *arena)
{
    struct ttp_signals signals;
    struct asked a = {0};

    make_git(script);
    assert_int_equal(ttp_signals_open(&signals, NULL), TTP_OK);
    const struct ttp_git git = {.signals = &signals, .arena = arena, .timeout_s = timeout_s};
    a.rc = ttp_git_names(&a.names, &git, &a.err, "names", "-z", NULL);
    ttp_signals_close(&signals);
    return a;
}

static void test_git__names_are_whole(void **state)
{
    const struct asked a = ask_names("printf 'a\\0b c\\0d/e\\nf\\0'", 0, *state);

    assert_int_equal(a.rc, TTP_OK);
    assert_int_equal(a.names.count, 3);
    assert_string_equal(a.names.word[2], "d/e\nf");
}

static void test_git__a_name_that_is_cut_off_is_an_error(void **state)
{
    const struct asked a = ask_names("printf 'keep/file\\0keep'", 0, *state);

    assert_int_equal(a.rc, TTP_EPARSE);
    assert_non_null(strstr(a.err.text, "is truncated: 'keep'"));
}

static void test_git__a_name_that_leads_out_is_an_error(void **state)
{
    static const char *const names[] = {"../x",   "/etc/x",   "a/../../x", "a//b",
                                        ".git/x", "a/.GIT/x", "./a",       ".."};
    char script[64];

    for (size_t i = 0; i < TTP_COUNT(names); i++) {
        snprintf(script, sizeof(script), "printf '%s\\0'", names[i]);
        assert_int_equal(ask_names(script, 0, *state).rc, TTP_EPARSE);
    }
}

static void test_git__one_that_does_not_answer_is_ended(void **state)
{
    const uint64_t start = ttp_clock_ns();
    const struct asked a = ask_names("trap '' TERM; sleep 60 & wait; sleep 60", 0.3, *state);

    assert_int_equal(a.rc, TTP_ETIMEOUT);
    assert_non_null(strstr(a.err.text, "git names took longer than 0.3 s"));
    assert_true(ttp_clock_ns() - start < 20000000000u);
}

static void test_git__what_it_says_is_told(void **state)
{
    const struct asked a = ask_names("echo 'fatal: not here' >&2; exit 128", 0, *state);

    assert_int_equal(a.rc, TTP_EPARSE);
    assert_string_equal(a.err.text, "git names: not here");
}

static void test_git__its_own_variables_do_not_reach_it(void **state)
{
    setenv("GIT_DIR", "/elsewhere", 1);
    setenv("GIT_NEW_LOCAL_THING", "x", 1);
    setenv("GIT_EXTERNAL_DIFF", "x", 1);
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    const struct asked a = ask_names("printf '%s\\0' \"dir:$GIT_DIR\" \"new:$GIT_NEW_LOCAL_THING\" "
                                     "\"diff:$GIT_EXTERNAL_DIFF\" \"${GIT_CONFIG_GLOBAL#/}\"",
                                     0, *state);

    unsetenv("GIT_DIR");
    assert_int_equal(a.rc, TTP_OK);
    assert_string_equal(a.names.word[0], "dir:");
    assert_string_equal(a.names.word[1], "new:");
    assert_string_equal(a.names.word[2], "diff:");
    assert_string_equal(a.names.word[3], "dev/null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_git__names_are_whole),
        TTP_TEST_ARENA(test_git__a_name_that_is_cut_off_is_an_error),
        TTP_TEST_ARENA(test_git__a_name_that_leads_out_is_an_error),
        TTP_TEST_ARENA(test_git__one_that_does_not_answer_is_ended),
        TTP_TEST_ARENA(test_git__what_it_says_is_told),
        TTP_TEST_ARENA(test_git__its_own_variables_do_not_reach_it),
    };
    struct ttp_arena arena = {0};
    char path[4096];

    if (ttp_temp_dir_make(&bin, &arena, NULL) != TTP_OK)
        return 1;
    snprintf(path, sizeof(path), "%s:%s", bin, getenv("PATH"));
    setenv("PATH", path, 1);
    const int failed = cmocka_run_group_tests_name("base/git", tests, NULL, NULL);
    ttp_temp_dir_end(bin);
    ttp_arena_free(&arena);
    return failed;
}
