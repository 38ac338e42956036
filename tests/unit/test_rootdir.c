/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/rootdir.h"
#include "base/temp_dir.h"

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void assert_reads(const struct ttp_rootdir *root, const char *want)
{
    char buf[16] = "";

    assert_int_equal(ttp_rootdir_read(root, "/clock", buf, sizeof(buf) - 1, true), strlen(want));
    assert_string_equal(buf, want);
}

static void test_rootdir__a_file_that_stays_open_shows_what_is_there_now(void **state)
{
    struct ttp_rootdir root;
    const char *dir;
    char buf[16];

    assert_int_equal(ttp_temp_dir_make(&dir, *state, NULL), TTP_OK);
    assert_int_equal(chdir(dir), 0);
    put_file("clock", "1000");
    assert_int_equal(ttp_rootdir_open(&root, dir, NULL), TTP_OK);
    ttp_rootdir_keep_open(&root);
    assert_reads(&root, "1000");
    assert_reads(&root, "1000");
    put_file("clock", "800"); /* the same file, as sysfs does it */
    assert_reads(&root, "800");
    put_file("new", "1350");
    assert_int_equal(rename("new", "clock"), 0);
    assert_reads(&root, "1350");
    assert_int_equal(unlink("clock"), 0);
    assert_int_equal(ttp_rootdir_read(&root, "/clock", buf, sizeof(buf), true), -ENOENT);
    ttp_rootdir_close(&root);
    assert_int_equal(chdir("/"), 0);
    ttp_temp_dir_end(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_rootdir__a_file_that_stays_open_shows_what_is_there_now, ttp_test_arena_setup,
            ttp_test_arena_teardown),
    };
    return cmocka_run_group_tests_name("base/rootdir", tests, NULL, NULL);
}
