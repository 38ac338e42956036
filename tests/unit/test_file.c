/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/outsink.h"

static char folder[64];

static int enter_scratch(void **state)
{
    snprintf(folder, sizeof(folder), "/tmp/ttp_test_file.XXXXXX");
    ttp_test_arena_setup(state);
    return !mkdtemp(folder) || chdir(folder);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *level)
{
    (void)st, (void)type, (void)level;
    return remove(path);
}

static int remove_scratch(void **state)
{
    return chdir("/") || nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) ||
           ttp_test_arena_teardown(state);
}

static void put_file(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void assert_content(const char *path, const char *want)
{
    struct ttp_file f;

    assert_int_equal(ttp_file_map(&f, path, NULL), TTP_OK);
    assert_true(ttp_str_eq(f.text, ttp_str_from(want)));
    ttp_file_close(&f);
}

/* Entries of the current folder: temporary files left behind would show. */
static size_t count_entries(void)
{
    DIR *d = opendir(".");
    size_t n = 0;

    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static mode_t mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void replace(const char *path, const char *text)
{
    struct ttp_err err = {0};
    struct ttp_outfile f;

    if (ttp_outfile_open(&f, path, &err) != TTP_OK)
        fail_msg("%s", err.text);
    assert_int_equal(write(f.fd, text, strlen(text)), strlen(text));
    assert_int_equal(ttp_outfile_commit(&f, &err), TTP_OK);
    ttp_outfile_abort(&f); /* after a commit it does nothing */
}

static void test_file__is_replaced_in_one_step(void **state)
{
    struct ttp_outfile f;

    (void)state;
    put_file("a", "old");
    assert_int_equal(ttp_outfile_open(&f, "a", NULL), TTP_OK);
    assert_int_equal(write(f.fd, "new", 3), 3);
    assert_content("a", "old");
    assert_int_equal(ttp_outfile_commit(&f, NULL), TTP_OK);
    assert_content("a", "new");
    assert_int_equal(count_entries(), 1);
}

static void test_file__new_one_obeys_umask_and_an_old_one_keeps_its_mode(void **state)
{
    const mode_t old = umask(027);

    (void)state;
    replace("new", "x");
    assert_int_equal(mode_of("new"), 0640);
    put_file("private", "x");
    assert_int_equal(chmod("private", 0600), 0);
    replace("private", "y");
    assert_int_equal(mode_of("private"), 0600);
    assert_content("private", "y");
    umask(old);
}

static void test_file__abort_leaves_the_old_one(void **state)
{
    struct ttp_outfile f, zero = {0};

    (void)state;
    put_file("a", "old");
    assert_int_equal(ttp_outfile_open(&f, "a", NULL), TTP_OK);
    assert_int_equal(write(f.fd, "new", 3), 3);
    ttp_outfile_abort(&f);
    ttp_outfile_abort(&f);
    ttp_outfile_abort(&zero);
    assert_content("a", "old");
    assert_int_equal(count_entries(), 1);
}

static void test_file__two_writers_do_not_meet(void **state)
{
    struct ttp_outfile f, g;

    (void)state;
    assert_int_equal(ttp_outfile_open(&f, "a", NULL), TTP_OK);
    assert_int_equal(ttp_outfile_open(&g, "a", NULL), TTP_OK);
    assert_int_equal(write(f.fd, "f", 1), 1);
    assert_int_equal(write(g.fd, "g", 1), 1);
    assert_int_equal(ttp_outfile_commit(&g, NULL), TTP_OK);
    assert_int_equal(ttp_outfile_commit(&f, NULL), TTP_OK);
    assert_content("a", "f");
    assert_int_equal(count_entries(), 1);
}

static void test_file__links_stay_links(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(mkdir("d", 0777), 0);
    put_file("d/real", "old");
    assert_int_equal(symlink("real", "d/inner"), 0);
    assert_int_equal(symlink("d/inner", "outer"), 0);
    assert_int_equal(symlink("d/later", "dangling"), 0);
    replace("outer", "new");
    replace("dangling", "made");
    assert_content("d/real", "new");
    assert_content("d/later", "made");
    assert_int_equal(lstat("outer", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat("d/inner", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

static void test_file__devices_and_pipes_are_written_directly(void **state)
{
    (void)state;
    replace("/dev/null", "x");
    assert_int_equal(mkfifo("pipe", 0666), 0);
    const int fd = open("pipe", O_RDONLY | O_NONBLOCK);
    replace("pipe", "hello");
    char got[8] = "";
    assert_int_equal(read(fd, got, sizeof(got)), 5);
    assert_string_equal(got, "hello");
    close(fd);
    assert_int_equal(count_entries(), 1);

    struct ttp_outfile out;
    assert_int_equal(ttp_outfile_open(&out, "-", NULL), TTP_OK);
    assert_int_equal(out.fd, STDOUT_FILENO);
    assert_int_equal(ttp_outfile_commit(&out, NULL), TTP_OK);
    assert_true(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
}

static void test_file__what_cannot_be_written_is_named(void **state)
{
    static const struct {
        const char *path, *text;
    } cases[] = {
        {"no/x", "cannot write 'no/x': No such file or directory"},
        {"/tmp", "cannot write '/tmp': Is a directory"},
        {"new/", "cannot write 'new/': Is a directory"},
        {"", "cannot write '': No such file or directory"},
        {"circle", "cannot write 'circle': Too many levels of symbolic links"},
    };

    (void)state;
    assert_int_equal(symlink("circle", "circle"), 0);
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_err err = {0};
        struct ttp_outfile f;

        assert_int_equal(ttp_outfile_open(&f, cases[i].path, &err), TTP_EIO);
        assert_string_equal(err.text, cases[i].text);
        assert_null(f.path);
        ttp_outfile_abort(&f);
    }
    assert_int_equal(count_entries(), 1);
}

static void test_file__failed_commit_leaves_nothing_behind(void **state)
{
    struct ttp_err err = {0};
    struct ttp_outfile f;

    (void)state;
    assert_int_equal(ttp_outfile_open(&f, "a", NULL), TTP_OK);
    assert_int_equal(mkdir("a", 0777), 0);
    assert_int_equal(ttp_outfile_commit(&f, &err), TTP_EIO);
    assert_string_equal(err.text, "cannot write 'a': Is a directory");
    assert_int_equal(count_entries(), 1);
}

/* --- finding --- */

static void test_file__a_sink_replaces_a_file_only_if_all_went_well(void **state)
{
    struct ttp_outsink out;
    struct ttp_err err = {0};

    (void)state;
    put_file("a", "old");
    assert_int_equal(ttp_outsink_open(&out, "a", NULL), TTP_OK);
    ttp_sink_put(&out.sink, TTP_STR("half"));
    ttp_fail(&err, TTP_EPARSE, "no more of it");
    assert_int_equal(ttp_outsink_close(&out, TTP_EPARSE, &err), TTP_EPARSE);
    assert_string_equal(err.text, "no more of it");
    assert_content("a", "old");

    assert_int_equal(ttp_outsink_open(&out, "a", NULL), TTP_OK);
    ttp_sink_put(&out.sink, TTP_STR("new"));
    assert_int_equal(ttp_outsink_close(&out, TTP_OK, NULL), TTP_OK);
    assert_content("a", "new");
    assert_int_equal(ttp_file_copy("b", "a", NULL), TTP_OK);
    assert_content("b", "new");
    assert_int_equal(ttp_file_copy("b", "none", NULL), TTP_EIO);
    assert_int_equal(count_entries(), 2);
}

static void test_file__a_sink_that_cannot_be_written_names_its_file(void **state)
{
    struct ttp_outsink out;
    struct ttp_err err = {0};

    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(ttp_outsink_open(&out, "/dev/full", NULL), TTP_OK);
    ttp_sink_put(&out.sink, TTP_STR("x"));
    assert_int_equal(ttp_outsink_close(&out, TTP_OK, &err), TTP_EIO);
    assert_string_equal(err.path, "/dev/full");
}

static void put_dated(const char *path, time_t seconds, long nanoseconds)
{
    const struct timespec t[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};

    put_file(path, "");
    assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

static bool ends_with(const char *path, const char *name, void *arg)
{
    assert_true(ttp_str_ends(ttp_str_from(path), ttp_str_from(name)));
    assert_null(strchr(name, '/'));
    return ttp_str_ends(ttp_str_from(name), ttp_str_from(arg));
}

static void assert_newest(const char *dir, const char *suffix, const char *want,
                          struct ttp_arena *arena)
{
    char arg[16];
    const char *got;
    struct ttp_err err = {0};

    snprintf(arg, sizeof(arg), "%s", suffix);
    assert_int_equal(
        ttp_file_find_newest(&got, dir, (struct ttp_file_matcher){ends_with, arg}, arena, &err),
        TTP_OK);
    assert_string_equal(got, want);
}

/* In a process of its own: two outfiles under way and one done, then the signal. Without /proc they
 * have names from the first. */
static int end_by(int number, bool without_proc)
{
    int status;
    const pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        const struct rlimit none = {0, 0};
        struct ttp_outfile a, b, done;

        (void)setrlimit(RLIMIT_CORE, &none);
        if (without_proc && (unshare(CLONE_NEWUSER) < 0 || chroot(".") < 0))
            (void)raise(number); /* not allowed here */
        ttp_outfile_tidy_on_signals();
        if (ttp_outfile_open(&done, "done", NULL) == TTP_OK &&
            ttp_outfile_commit(&done, NULL) == TTP_OK &&
            ttp_outfile_open(&a, "a", NULL) == TTP_OK && ttp_outfile_open(&b, "b", NULL) == TTP_OK)
            (void)raise(number);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_file__a_signal_leaves_nothing_half_written(void **state)
{
    static const int ending[] = {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM};

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(ending); i++) {
        for (int without_proc = 0; without_proc < 2; without_proc++) {
            assert_int_equal(end_by(ending[i], without_proc), ending[i]);
            assert_int_equal(count_entries(), 1);
            assert_content("done", "");
        }
    }
    assert_int_equal(end_by(SIGKILL, false), SIGKILL); /* on file systems that can */
    assert_int_equal(count_entries(), 1);
    (void)signal(SIGTERM, SIG_IGN); /* what the caller ignores stays ignored */
    assert_int_equal(end_by(SIGTERM, false), 0);
    (void)signal(SIGTERM, SIG_DFL);
}

static void test_file__newest_is_found_at_any_depth(void **state)
{
    assert_int_equal(mkdir("r", 0777), 0);
    assert_int_equal(mkdir("r/2024", 0777), 0);
    assert_int_equal(mkdir("r/2025", 0777), 0);
    assert_int_equal(mkdir("r/locked", 0777), 0);
    put_dated("r/a.csv", 1000, 0);
    put_dated("r/2024/b.csv", 2000, 5);
    put_dated("r/2025/c.csv", 2000, 4);
    put_dated("r/2025/d.log", 9000, 0);
    assert_newest("r", ".csv", "r/2024/b.csv", *state);
    assert_newest("r/", ".csv", "r/2024/b.csv", *state);
    assert_newest("r", "", "r/2025/d.log", *state);
    assert_newest(".", ".log", "./r/2025/d.log", *state);

    put_dated("r/2025/c.csv", 2000, 5);
    assert_newest("r", ".csv", "r/2025/c.csv", *state); /* a tie: the greater path */
    put_dated("r/2025/b.csv", 2000, 5);
    assert_newest("r", ".csv", "r/2025/c.csv", *state);
}

static void test_file__links_to_folders_are_not_followed(void **state)
{
    assert_int_equal(mkdir("r", 0777), 0);
    assert_int_equal(mkdir("elsewhere", 0777), 0);
    put_dated("elsewhere/x.csv", 9000, 0);
    put_dated("r/a.csv", 1000, 0);
    assert_int_equal(symlink("../elsewhere", "r/link.csv"), 0);
    assert_int_equal(symlink(".", "r/self.csv"), 0);
    assert_int_equal(symlink("gone", "r/gone.csv"), 0);
    assert_int_equal(mkfifo("r/pipe.csv", 0666), 0);
    assert_newest("r", ".csv", "r/a.csv", *state);
    assert_int_equal(symlink("r", "root"), 0); /* the folder asked for may be a link */
    assert_newest("root", ".csv", "root/a.csv", *state);
    assert_int_equal(symlink("../elsewhere/x.csv", "r/file.csv"), 0);
    assert_newest("r", ".csv", "r/file.csv", *state);
}

static void test_file__unreadable_folders_are_skipped(void **state)
{
    assert_int_equal(mkdir("r", 0777), 0);
    assert_int_equal(mkdir("r/locked", 0777), 0);
    put_dated("r/a.csv", 1000, 0);
    put_dated("r/locked/b.csv", 500, 0); /* older: root reads it all the same */
    assert_int_equal(chmod("r/locked", 0), 0);
    assert_newest("r", ".csv", "r/a.csv", *state);
    assert_int_equal(chmod("r/locked", 0700), 0);
}

static void test_file__search_ends_sixteen_levels_down(void **state)
{
    char path[128] = "1";

    for (size_t depth = 1; depth < 18; depth++) {
        assert_int_equal(mkdir(path, 0777), 0);
        char file[160];
        snprintf(file, sizeof(file), "%s/x.csv", path);
        put_dated(file, (time_t)(1000 + depth), 0);
        memcpy(path + strlen(path), "/1", 3);
    }
    assert_newest("1", ".csv", "1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/x.csv", *state);
}

static void test_file__a_list_of_all_below_is_complete_or_fails(void **state)
{
    char path[128] = "deep";
    struct ttp_err err = {0};
    struct ttp_words list;

    assert_int_equal(mkdir("r", 0777), 0);
    assert_int_equal(mkdir("r/b", 0777), 0);
    put_file("r/z", "");
    put_file("r/b/a", "");
    assert_int_equal(symlink("gone", "r/gone"), 0);
    assert_int_equal(ttp_file_list_below(&list, "r", *state, &err), TTP_OK);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.word[0], "r/b/a");
    assert_string_equal(list.word[1], "r/z");
    for (size_t depth = 1; depth < 18; depth++) {
        assert_int_equal(mkdir(path, 0777), 0);
        memcpy(path + strlen(path), "/1", 3);
    }
    assert_int_equal(ttp_file_list_below(&list, "deep", *state, &err), TTP_EIO);
    assert_non_null(strstr(err.text, "cannot read 'deep/1/1/"));
}

static void test_file__nothing_found_is_told_from_nothing_there(void **state)
{
    struct ttp_err err = {0};
    const char *got;
    char suffix[] = ".csv";

    put_file("a.log", "");
    assert_int_equal(
        ttp_file_find_newest(&got, ".", (struct ttp_file_matcher){ends_with, suffix}, *state, &err),
        TTP_ENOTFOUND);
    assert_null(got);
    assert_int_equal(ttp_file_find_newest(&got, "no", (struct ttp_file_matcher){ends_with, suffix},
                                          *state, &err),
                     TTP_EIO);
    assert_string_equal(err.text, "cannot open 'no': No such file or directory");
    assert_int_equal(ttp_file_find_newest(
                         &got, "a.log", (struct ttp_file_matcher){ends_with, suffix}, *state, &err),
                     TTP_EIO);
}

static void test_file__a_new_folder_never_is_an_old_one(void **state)
{
    struct ttp_err err = {0};
    const char *got;

    for (int i = 1; i <= 3; i++) {
        static const char *const expected[] = {"a/b/c", "a/b/c_2", "a/b/c_3"};

        assert_int_equal(ttp_file_make_new_dir(&got, "a/b/c", *state, &err), TTP_OK);
        assert_string_equal(got, expected[i - 1]);
        assert_true(ttp_file_is_dir(got));
    }
    put_file("file", "");
    assert_int_equal(ttp_file_make_new_dir(&got, "file/c", *state, &err), TTP_EIO);
}

static void test_file__one_folder_has_many_names(void **state)
{
    struct ttp_err err = {0};

    (void)state;
    assert_int_equal(ttp_file_make_dirs("a/b", &err), TTP_OK);
    assert_true(ttp_file_is_same("a/b", "a/../a/b/."));
    assert_false(ttp_file_is_same("a/b", "a"));
    assert_false(ttp_file_is_same("a/b", "no"));
    assert_false(ttp_file_is_same("no", "no"));
}

#define FILE_TEST(fn) cmocka_unit_test_setup_teardown(fn, enter_scratch, remove_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_TEST(test_file__is_replaced_in_one_step),
        FILE_TEST(test_file__new_one_obeys_umask_and_an_old_one_keeps_its_mode),
        FILE_TEST(test_file__abort_leaves_the_old_one),
        FILE_TEST(test_file__two_writers_do_not_meet),
        FILE_TEST(test_file__links_stay_links),
        FILE_TEST(test_file__devices_and_pipes_are_written_directly),
        FILE_TEST(test_file__what_cannot_be_written_is_named),
        FILE_TEST(test_file__failed_commit_leaves_nothing_behind),
        FILE_TEST(test_file__a_sink_replaces_a_file_only_if_all_went_well),
        FILE_TEST(test_file__a_sink_that_cannot_be_written_names_its_file),
        FILE_TEST(test_file__a_signal_leaves_nothing_half_written),
        FILE_TEST(test_file__newest_is_found_at_any_depth),
        FILE_TEST(test_file__links_to_folders_are_not_followed),
        FILE_TEST(test_file__unreadable_folders_are_skipped),
        FILE_TEST(test_file__search_ends_sixteen_levels_down),
        FILE_TEST(test_file__a_list_of_all_below_is_complete_or_fails),
        FILE_TEST(test_file__nothing_found_is_told_from_nothing_there),
        FILE_TEST(test_file__a_new_folder_never_is_an_old_one),
        FILE_TEST(test_file__one_folder_has_many_names),
    };
    return cmocka_run_group_tests_name("base/file", tests, NULL, NULL);
}
