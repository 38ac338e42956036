/* SPDX-License-Identifier: Apache-2.0 */
/* test.h - cmocka in the order it wants, and what our tests share. */
#ifndef TTP_TEST_H
#define TTP_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"

int ttp_test_arena_setup(void **state);
int ttp_test_arena_teardown(void **state);
void assert_golden(ttp_str got, const char *name);

/* A file with these bytes, for readers that take a path; it exists in memory until it is closed. */
struct test_file {
    int fd;
    char path[32];
};
void test_file_open(struct test_file *f, ttp_str bytes);
void test_file_close(struct test_file *f);

/* Skips the current test if this build lacks the library, named as by `tt-perf version`. */
void ttp_test_needs(const char *library);
/* What main() returns, of a group that has such tests: 77, which ctest counts as skipped, where
 * none failed but some were skipped for lack of a library. */
int ttp_test_end(int failures);

/* A test whose *state is a fresh arena. */
#define TTP_TEST_ARENA(fn)                                                                         \
    cmocka_unit_test_setup_teardown(fn, ttp_test_arena_setup, ttp_test_arena_teardown)

#endif
