/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that only grow, and who may write them. */
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/append_log.h"
#include "base/file.h"
#include "base/temp_dir.h"

static void test_append_log__grows_line_by_line(void **state)
{
    const char *dir;
    ttp_str got;

    assert_int_equal(ttp_temp_dir_make(&dir, *state, NULL), TTP_OK);
    const char *path = ttp_file_join(dir, "log", *state);
    assert_int_equal(ttp_append_log_read(&got, path, 100, *state, NULL), TTP_OK);
    assert_int_equal(got.len, 0);
    assert_int_equal(ttp_append_log_add(path, TTP_STR("one\n"), NULL), TTP_OK);
    assert_int_equal(ttp_append_log_add(path, TTP_STR("two\n"), NULL), TTP_OK);
    assert_int_equal(ttp_append_log_read(&got, path, 100, *state, NULL), TTP_OK);
    assert_true(ttp_str_eq(got, TTP_STR("one\ntwo\n")));
    assert_int_equal(ttp_append_log_read(&got, path, 7, *state, NULL), TTP_ELIMIT);
    ttp_temp_dir_end(dir);
}

static void test_append_log__a_full_disk_is_told(void **state)
{
    struct ttp_err err = {0};

    (void)state;
    if (!ttp_file_exists("/dev/full"))
        skip();
    assert_int_equal(ttp_append_log_add("/dev/full", TTP_STR("x\n"), &err), TTP_EIO);
}

static void test_append_log__the_lock_is_one_and_names_its_holder(void **state)
{
    const char *dir;
    struct ttp_lock first, second;
    int64_t holder;

    assert_int_equal(ttp_temp_dir_make(&dir, *state, NULL), TTP_OK);
    const char *path = ttp_file_join(dir, "lock", *state);
    assert_int_equal(ttp_lock_take(&first, path, &holder, NULL), TTP_OK);
    assert_int_equal(ttp_lock_take(&second, path, &holder, NULL), TTP_ENOTFOUND);
    assert_int_equal(holder, getpid());
    ttp_lock_release(&first);
    assert_int_equal(ttp_lock_take(&second, path, &holder, NULL), TTP_OK);
    ttp_lock_release(&second);
    ttp_temp_dir_end(dir);
}

static void test_append_log__the_lock_dies_with_its_holder(void **state)
{
    const char *dir;
    struct ttp_lock mine;
    int64_t holder;
    int status;

    assert_int_equal(ttp_temp_dir_make(&dir, *state, NULL), TTP_OK);
    const char *path = ttp_file_join(dir, "lock", *state);
    const pid_t child = fork();
    if (child == 0) {
        const ttp_code rc = ttp_lock_take(&mine, path, &holder, NULL);
        _exit(rc == TTP_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(ttp_lock_take(&mine, path, &holder, NULL), TTP_OK);
    ttp_lock_release(&mine);
    ttp_temp_dir_end(dir);
}

static void test_append_log__a_lock_that_was_removed_is_taken_anew(void **state)
{
    const char *dir;
    struct ttp_lock first, second, third;
    int64_t holder;

    assert_int_equal(ttp_temp_dir_make(&dir, *state, NULL), TTP_OK);
    const char *path = ttp_file_join(dir, "lock", *state);
    assert_int_equal(ttp_lock_take(&first, path, &holder, NULL), TTP_OK);
    ttp_lock_remove(&first, path);
    assert_false(ttp_file_exists(path));
    assert_int_equal(ttp_lock_take(&second, path, &holder, NULL), TTP_OK);
    assert_int_equal(ttp_lock_take(&third, path, &holder, NULL), TTP_ENOTFOUND);
    assert_int_equal(holder, getpid());
    ttp_lock_remove(&second, path);
    ttp_temp_dir_end(dir);
}

static void test_append_log__crc_of_the_usual_check_text(void **state)
{
    (void)state;
    assert_int_equal(ttp_crc32(TTP_STR("123456789")), 0xcbf43926u);
    assert_int_equal(ttp_crc32(TTP_STR("")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_append_log__grows_line_by_line),
        TTP_TEST_ARENA(test_append_log__a_full_disk_is_told),
        TTP_TEST_ARENA(test_append_log__the_lock_is_one_and_names_its_holder),
        TTP_TEST_ARENA(test_append_log__the_lock_dies_with_its_holder),
        TTP_TEST_ARENA(test_append_log__a_lock_that_was_removed_is_taken_anew),
        TTP_TEST_ARENA(test_append_log__crc_of_the_usual_check_text),
    };
    return cmocka_run_group_tests_name("base/append_log", tests, NULL, NULL);
}
