/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes in, plain or compressed: no crash, no leak; one big window, small ones, cuts at line
 * ends and a pipe give the same bytes, or the same error. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "base/input.h"
#include "fuzz.h"

#define ENOUGH ((uint64_t)4 << 20) /* of a bomb */

struct result {
    ttp_code code;
    struct ttp_err err;
    uint64_t len, hash;
    bool stopped;
};

static void must(bool ok)
{
    if (!ok)
        abort();
}

static size_t cut_after_line(ttp_str text, bool last, void *arg)
{
    const char *end = memrchr(text.ptr, '\n', text.len);

    (void)arg;
    return last ? text.len : end ? (size_t)(end + 1 - text.ptr) : 0;
}

static void read_blocks(struct result *r, struct ttp_input *in, ttp_cut_fn *cut)
{
    struct ttp_block block;
    bool more = true, last = false, any = false;

    while ((r->code = ttp_input_next(in, &block, &more, (struct ttp_cutter){cut, NULL}, &r->err)) ==
               TTP_OK &&
           more) {
        must(block.text.len > 0 && !last);
        must(block.offset == r->len || (r->len == 0 && block.offset == 3));
        last = block.last;
        any = true;
        r->len = block.offset;
        for (size_t i = 0; i < block.text.len && r->len < ENOUGH; i++, r->len++)
            r->hash = (r->hash ^ (unsigned char)block.text.ptr[i]) * 0x100000001b3u;
        ttp_input_release(in, &block);
        r->stopped = r->len >= ENOUGH;
        if (r->stopped)
            return;
    }
    must(r->code != TTP_OK || last == any);
}

static struct result read_all(const char *path, size_t window, ttp_cut_fn *cut)
{
    struct result r = {.hash = 0xcbf29ce484222325u};
    struct ttp_input *in;

    r.code = ttp_input_open(&in, path, window, true, &r.err);
    if (r.code == TTP_OK) {
        read_blocks(&r, in, cut);
        must(ttp_input_size(in) == 0 || ttp_input_position(in) <= ttp_input_size(in));
        ttp_input_close(in);
    } else {
        must(in == NULL);
    }
    must(r.code == r.err.code);
    return r;
}

static ttp_code add_block(void *arg, ttp_str text, struct ttp_err *err)
{
    struct result *r = arg;

    r->len += text.len;
    r->stopped = r->len > ENOUGH;
    return r->stopped ? ttp_fail(err, TTP_ELIMIT, "enough") : TTP_OK;
}

/* In one call. */
static void check_each(const char *path, const struct result *whole)
{
    struct result r = {0};

    r.code = ttp_input_each(path, ttp_input_cut_lines, add_block, &r, &r.err);
    must(r.code == r.err.code);
    if (!r.stopped && !whole->stopped)
        must(r.code == whole->code &&
             (r.code != TTP_OK || r.len == whole->len || r.len + 3 == whole->len)); /* a mark */
}

static void must_equal(const struct result *a, const struct result *b)
{
    if (a->stopped || b->stopped) /* how much of a bomb came before its end depends on windows */
        return;
    must(a->code == b->code);
    if (a->code == TTP_OK)
        must(a->len == b->len && a->hash == b->hash);
    else
        must(strcmp(a->err.text, b->err.text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int ends[2];

    const int fd = memfd_create("fuzz_input", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    const struct result whole = read_all(path, 0, NULL);
    const struct result small = read_all(path, 1 + size * 31 % 1000, NULL);
    const struct result lines = read_all(path, 1 + size * 17 % 5000, cut_after_line);
    must_equal(&whole, &small);
    must_equal(&whole, &lines);
    check_each(path, &whole);

    if (size <= 65536) { /* what a pipe holds without a reader */
        must(pipe2(ends, O_CLOEXEC) == 0 && write(ends[1], data, size) == (ssize_t)size);
        close(ends[1]);
        must(dup3(ends[0], fd, O_CLOEXEC) == fd); /* so that errors name the same path */
        close(ends[0]);
        char *const named[] = {path}; /* a pipe is read if the user names it */
        ttp_file_kind_named(named, 1);
        const struct result piped = read_all(path, 1 + size * 13 % 3000, cut_after_line);
        ttp_file_kind_named(NULL, 0);
        must_equal(&whole, &piped);
    }
    close(fd);
    return 0;
}
