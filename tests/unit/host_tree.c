/* SPDX-License-Identifier: Apache-2.0 */
#include "host_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

static void run(const char *script, const char *manifest, const char *dir)
{
    char line[1024];

    assert_true((size_t)snprintf(
                    line, sizeof(line), "sh '%s/tests/data/host/%s' '%s/tests/data/host/%s' '%s'",
                    TTP_SOURCE_DIR, script, TTP_SOURCE_DIR, manifest, dir) < sizeof(line));
    assert_int_equal(system(line), 0); /* NOLINT(cert-env33-c): our own script */
}

const char *host_tree_make(const char *manifest, struct ttp_arena *arena)
{
    char dir[] = "/tmp/ttp_host_XXXXXX";

    assert_non_null(mkdtemp(dir));
    run("unpack.sh", manifest, dir);
    return ttp_arena_zstr(arena, ttp_str_from(dir));
}

void host_tree_remove(const char *dir)
{
    char line[1024];

    assert_true((size_t)snprintf(line, sizeof(line), "rm -rf '%s'", dir) < sizeof(line));
    assert_int_equal(system(line), 0); /* NOLINT(cert-env33-c) */
}

void host_tree_put(const char *dir, const char *path, const char *text)
{
    char name[1024];

    assert_true((size_t)snprintf(name, sizeof(name), "%s%s", dir, path) < sizeof(name));
    if (!text) {
        assert_int_equal(unlink(name), 0);
        return;
    }
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}
