/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/input.h"
#include "base/map_guard.h"

#define BYTES 40000

static void put_file(const char *path)
{
    static const char text[BYTES] = {'x'};
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, sizeof(text), f), sizeof(text));
    assert_int_equal(fclose(f), 0);
}

static void cut_short(const char *path)
{
    if (truncate(path, 10) != 0)
        _exit(9);
}

static unsigned touch(ttp_str text)
{
    const volatile char *at = text.ptr;
    unsigned sum = 0;

    for (size_t i = 0; i < text.len; i += 512)
        sum += (unsigned char)at[i];
    return sum;
}

static void leave_word(const char *path)
{
    const int fd = open("told", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const size_t len = strlen(path);

    _exit(fd >= 0 && write(fd, path, len) == (ssize_t)len ? 5 : 8);
}

static void read_input(void)
{
    struct ttp_input *other, *in;
    struct ttp_block block;
    bool more;

    if (ttp_input_open(&other, "other", 0, false, NULL) != TTP_OK ||
        ttp_input_open(&in, "cut", 0, false, NULL) != TTP_OK ||
        ttp_input_next(in, &block, &more, NULL, NULL, NULL) != TTP_OK)
        _exit(7);
    cut_short("cut");
    _exit(touch(block.text) ? 1 : 0);
}

static void read_map(void)
{
    struct ttp_file first, second;

    /* the name of one that is closed is gone, though its addresses may be used again */
    if (ttp_file_map(&first, "other", NULL) != TTP_OK)
        _exit(7);
    ttp_file_close(&first);
    if (ttp_file_map(&second, "cut", NULL) != TTP_OK)
        _exit(7);
    cut_short("cut");
    _exit(touch(second.text) ? 1 : 0);
}

static void be_hit(void)
{
    struct ttp_file file;

    if (ttp_file_map(&file, "other", NULL) != TTP_OK)
        _exit(7);
    (void)kill(getpid(), SIGBUS);
    _exit(0);
}

/* In a process of its own, with a file under way. */
static int run_apart(void (*fn)(void))
{
    int status;

    put_file("cut");
    put_file("other");
    (void)unlink("told");
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct rlimit none = {0, 0};
        struct ttp_outfile file;

        (void)setrlimit(RLIMIT_CORE, &none);
        (void)signal(SIGBUS, SIG_DFL); /* not as cmocka would have it */
        ttp_map_guard_on_signal(leave_word);
        if (ttp_outfile_open(&file, "out", NULL) != TTP_OK)
            _exit(6);
        fn();
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void assert_told(const char *want)
{
    struct ttp_file told;

    assert_int_equal(ttp_file_map(&told, "told", NULL), TTP_OK);
    assert_true(ttp_str_eq(told.text, ttp_str_from(want)));
    ttp_file_close(&told);
}

static void assert_nothing_left(struct ttp_arena *arena)
{
    struct ttp_words names;

    assert_int_equal(ttp_file_list(&names, ".", arena, NULL), TTP_OK);
    for (size_t i = 0; i < names.count; i++)
        assert_null(strstr(names.word[i], ".tt-perf-"));
}

static void test_map_guard__a_file_that_is_cut_short_is_named(void **state)
{
    static void (*const reader[])(void) = {read_input, read_map};

    for (size_t i = 0; i < TTP_COUNT(reader); i++) {
        const int status = run_apart(reader[i]);

        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 5);
        assert_told("cut");
        assert_nothing_left(*state);
    }
}

static void test_map_guard__other_bus_errors_end_the_process_as_ever(void **state)
{
    const int status = run_apart(be_hit);

    (void)state;
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGBUS);
    assert_int_not_equal(access("told", F_OK), 0);
}

static void test_map_guard__says_which_file_and_what_to_do(void **state)
{
    struct ttp_err err = {0};

    (void)state;
    assert_int_equal(ttp_map_guard_fail(&err, "a.csv"), TTP_EIO);
    assert_string_equal(err.text, "cannot read 'a.csv': it was truncated while being read");
    assert_true(err.hint[0] != '\0');
}

static int enter_scratch(void **state)
{
    char dir[] = "/tmp/map_guard_XXXXXX";

    (void)state;
    return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int leave_scratch(void **state)
{
    char here[4096];

    (void)state;
    if (!getcwd(here, sizeof(here)))
        return -1;
    struct ttp_arena arena = {0};
    struct ttp_words left;
    const bool listed = ttp_file_list(&left, ".", &arena, NULL) == TTP_OK;
    for (size_t i = 0; listed && i < left.count; i++)
        (void)unlink(left.word[i]); /* a signal that is not ours leaves what it left before */
    ttp_arena_free(&arena);
    return chdir("/") == 0 ? rmdir(here) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_map_guard__a_file_that_is_cut_short_is_named),
        cmocka_unit_test(test_map_guard__other_bus_errors_end_the_process_as_ever),
        cmocka_unit_test(test_map_guard__says_which_file_and_what_to_do),
    };
    return cmocka_run_group_tests_name("base/map_guard", tests, enter_scratch, leave_scratch);
}
