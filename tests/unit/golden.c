/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Compare with tests/golden/<name>; TTP_UPDATE_GOLDEN=1 rewrites the file instead. */
void assert_golden(ttp_str got, const char *name)
{
    struct ttp_err err;
    char path[512];
    struct ttp_file want;

    snprintf(path, sizeof(path), "%s/tests/golden/%s", TTP_SOURCE_DIR, name);
    if (getenv("TTP_UPDATE_GOLDEN")) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        assert_int_equal(fwrite(got.ptr, 1, got.len, f), got.len);
        assert_int_equal(fclose(f), 0);
        return;
    }
    if (ttp_file_map(&want, path, &err))
        fail_msg("%s", err.text);
    assert_int_equal(got.len, want.text.len);
    assert_memory_equal(got.ptr, want.text.ptr, want.text.len);
    ttp_file_close(&want);
}

void test_file_open(struct test_file *f, ttp_str bytes)
{
    f->fd = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(write(f->fd, bytes.ptr, bytes.len), (ssize_t)bytes.len);
    snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
}

void test_file_close(struct test_file *f)
{
    close(f->fd);
}

static const char *const libraries[] = {
#ifdef TTP_HAVE_ZLIB
    "zlib",
#endif
#ifdef TTP_HAVE_ZSTD
    "zstd",
#endif
#ifdef TTP_HAVE_LZ4
    "lz4",
#endif
#ifdef TTP_HAVE_CAIRO
    "cairo",
#endif
#ifdef TTP_HAVE_MICROHTTPD
    "libmicrohttpd",
#endif
#ifdef TTP_HAVE_SQLITE
    "sqlite",
#endif
#ifdef TTP_HAVE_POSTGRESQL
    "postgresql",
#endif
    NULL,
};
static int lacking; /* tests that were skipped for lack of a library */

void ttp_test_needs(const char *library)
{
    for (size_t i = 0; libraries[i]; i++)
        if (strcmp(libraries[i], library) == 0)
            return;
    lacking++;
    print_message("SKIPPED: this build has no %s\n", library);
    skip();
}

int ttp_test_end(int failures)
{
    return failures == 0 && lacking > 0 ? 77 : failures;
}

static struct ttp_arena test_arena;

int ttp_test_arena_setup(void **state)
{
    *state = &test_arena;
    return 0;
}

int ttp_test_arena_teardown(void **state)
{
    ttp_arena_free(*state);
    return 0;
}
