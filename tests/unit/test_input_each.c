/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <unistd.h>

#include "base/file.h"
#include "base/input.h"
#include "base/sink.h"

struct used {
    size_t blocks, bytes, fails_at;
};

static size_t cut_at_line_end(ttp_str text, bool last, void *arg)
{
    const char *end = memrchr(text.ptr, '\n', text.len);

    assert_non_null(arg);
    return last ? text.len : end ? (size_t)(end - text.ptr) + 1 : 0;
}

static ttp_code use_block(void *arg, ttp_str text, struct ttp_err *err)
{
    struct used *used = arg;

    used->blocks++;
    used->bytes += text.len;
    assert_int_equal(text.ptr[text.len - 1], '\n');
    if (used->blocks != used->fails_at)
        return TTP_OK;
    (void)ttp_fail(err, TTP_EPARSE, "enough");
    ttp_err_where(err, "", 7);
    return TTP_EPARSE;
}

/* Lines of 50 bytes, more than one block of them. */
static size_t make_file(int *fd, const char **path, struct ttp_arena *arena)
{
    struct ttp_arena buffer = {0};
    struct ttp_sink out;

    assert_int_equal(ttp_file_in_memory(fd, path, arena, NULL), TTP_OK);
    ttp_sink_to_fd(&out, *fd, &buffer);
    for (int i = 0; i < 200000; i++) {
        ttp_sink_repeat(&out, 'x', 49);
        ttp_sink_char(&out, '\n');
    }
    assert_int_equal(ttp_sink_finish(&out, NULL), TTP_OK);
    ttp_arena_free(&buffer);
    return (size_t)200000 * 50;
}

static void test_input_each__all_blocks_are_used(void **state)
{
    struct used used = {0};
    const char *path;
    int fd;

    const size_t bytes = make_file(&fd, &path, *state);
    assert_int_equal(ttp_input_each(path, cut_at_line_end, use_block, &used, NULL), TTP_OK);
    assert_int_equal(used.bytes, bytes);
    assert_true(used.blocks > 1);
    close(fd);
}

static void test_input_each__a_failure_ends_it_and_names_the_file(void **state)
{
    struct used used = {.fails_at = 2};
    struct ttp_err err = {0};
    const char *path;
    int fd;

    (void)make_file(&fd, &path, *state);
    assert_int_equal(ttp_input_each(path, cut_at_line_end, use_block, &used, &err), TTP_EPARSE);
    assert_int_equal(used.blocks, 2);
    assert_string_equal(err.text, "enough");
    assert_string_equal(err.path, path);
    assert_int_equal(err.line, 7);
    close(fd);
}

static void test_input_each__what_is_not_there_cannot_be_opened(void **state)
{
    struct used used = {0};
    struct ttp_err err = {0};

    (void)state;
    assert_int_equal(ttp_input_each("nowhere/x", cut_at_line_end, use_block, &used, &err), TTP_EIO);
    assert_int_equal(used.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_input_each__all_blocks_are_used),
        TTP_TEST_ARENA(test_input_each__a_failure_ends_it_and_names_the_file),
        TTP_TEST_ARENA(test_input_each__what_is_not_there_cannot_be_opened),
    };
    return cmocka_run_group_tests_name("base/input_each", tests, NULL, NULL);
}
