/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "base/par.h"

#define CUT(function, arg) ((struct ttp_cutter){function, arg})

#define BOM      "\xef\xbb\xbf"
#define READ_MAX (512 << 10) /* the largest input that read_all() takes */

static char path[64]; /* the scratch file of the running test */

static int make_scratch(void **state)
{
    snprintf(path, sizeof(path), "/tmp/ttp_test_input.XXXXXX");
    const int fd = mkstemp(path);
    close(fd);
    ttp_test_arena_setup(state);
    return fd < 0;
}

static int remove_scratch(void **state)
{
    unlink(path);
    return ttp_test_arena_teardown(state);
}

static void put_file(ttp_str bytes)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.ptr, bytes.len), bytes.len);
    close(fd);
}

/* Lines of uneven length, different everywhere. */
static ttp_str make_lines(struct ttp_arena *arena, size_t size)
{
    char *text = TTP_NEW(arena, char, size + 64);
    size_t n = 0;

    for (unsigned i = 0; n < size; i++)
        n += (size_t)snprintf(text + n, 64, "%u,%*s\n", i * 7919u, (int)(i % 37), "x");
    text[size - 1] = '\n';
    return (ttp_str){text, size};
}

/* A gzip member of stored blocks, as `gzip -0` would write. */
static ttp_str as_gzip(struct ttp_arena *arena, ttp_str text)
{
    char *out = TTP_NEW(arena, char, text.len + text.len / 1000 + 64);
    size_t n = 10;
    uint32_t crc = ~0u;
    const uint32_t size = (uint32_t)text.len;

    memcpy(out, "\x1f\x8b\x08\0\0\0\0\0\0\xff", n);
    for (size_t at = 0; at == 0 || at < text.len; at += 60000) {
        const ttp_str part = ttp_str_slice(text, at, at + 60000);
        const uint16_t len = (uint16_t)part.len, inverse = (uint16_t)~len;

        out[n] = at + 60000 >= text.len ? 1 : 0;
        memcpy(out + n + 1, &len, 2);
        memcpy(out + n + 3, &inverse, 2);
        memcpy(out + n + 5, part.ptr, part.len);
        n += 5 + part.len;
    }
    for (size_t i = 0; i < text.len; i++) {
        crc ^= (unsigned char)text.ptr[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    crc = ~crc;
    memcpy(out + n, &crc, 4);
    memcpy(out + n + 4, &size, 4);
    return (ttp_str){out, n + 8};
}

/* A zstd frame of raw blocks, with a window of 128 KiB and no checksum. */
static ttp_str as_zstd(struct ttp_arena *arena, ttp_str text)
{
    char *out = TTP_NEW(arena, char, text.len + text.len / 1000 + 64);
    size_t n = 6;

    memcpy(out, "\x28\xb5\x2f\xfd\0\x38", n);
    for (size_t at = 0; at == 0 || at < text.len; at += 60000) {
        const ttp_str part = ttp_str_slice(text, at, at + 60000);
        const uint32_t head = (uint32_t)part.len << 3 | (at + 60000 >= text.len);

        memcpy(out + n, &head, 3);
        memcpy(out + n + 3, part.ptr, part.len);
        n += 3 + part.len;
    }
    return (ttp_str){out, n};
}

static ttp_str join(struct ttp_arena *arena, ttp_str a, ttp_str b)
{
    char *out = TTP_NEW(arena, char, a.len + b.len);

    memcpy(out, a.ptr, a.len);
    memcpy(out + a.len, b.ptr, b.len);
    return (ttp_str){out, a.len + b.len};
}

static size_t cut_after_line(ttp_str text, bool last, void *arg)
{
    const char *end = memrchr(text.ptr, '\n', text.len);

    (void)arg;
    return last ? text.len : end ? (size_t)(end + 1 - text.ptr) : 0;
}

/* Everything up to the first ';' alone, to see blocks much larger and much smaller than a window.
 */
static size_t cut_after_semicolon(ttp_str text, bool last, void *arg)
{
    const char *end = memchr(text.ptr, ';', text.len);

    (void)last, (void)arg;
    return end ? (size_t)(end + 1 - text.ptr) : 0;
}

/* Read all of it, checking what holds for every input; the bytes land in the arena. */
static ttp_code read_all(ttp_str *out, const char *from, size_t window, bool skip_bom,
                         ttp_cut_fn *cut, struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_input *in;
    struct ttp_block block;
    bool more = true, seen_last = false;
    char *text = TTP_NEW(arena, char, READ_MAX);

    *out = (ttp_str){text, 0};
    TTP_TRY(ttp_input_open(&in, from, window, skip_bom, err));
    uint64_t start = 0;
    ttp_code rc;
    while ((rc = ttp_input_next(in, &block, &more, CUT(cut, NULL), err)) == TTP_OK && more) {
        assert_false(seen_last);
        assert_true(block.text.len > 0);
        if (out->len == 0)
            start = block.offset;
        assert_int_equal(block.offset, start + out->len);
        assert_in_range(out->len + block.text.len, 1, READ_MAX);
        memcpy(text + out->len, block.text.ptr, block.text.len);
        out->len += block.text.len;
        seen_last = block.last;
        ttp_input_release(in, &block);
    }
    if (rc == TTP_OK) {
        assert_int_equal(seen_last, out->len > 0);
        assert_null(block.text.ptr);
        assert_int_equal(ttp_input_next(in, &block, &more, CUT(cut, NULL), err), TTP_OK);
        assert_false(more);
        if (ttp_input_size(in) && out->len)
            assert_int_equal(ttp_input_position(in), ttp_input_size(in));
    }
    ttp_input_close(in);
    return rc;
}

static void assert_reads(const char *from, ttp_str want, size_t window, bool skip_bom,
                         ttp_cut_fn *cut, struct ttp_arena *arena)
{
    struct ttp_err err = {0};
    ttp_str got;

    if (read_all(&got, from, window, skip_bom, cut, arena, &err) != TTP_OK)
        fail_msg("%s", err.text);
    assert_int_equal(got.len, want.len);
    assert_memory_equal(got.ptr, want.ptr, want.len);
}

static void assert_refuses(const char *from, ttp_code code, const char *text,
                           struct ttp_arena *arena)
{
    static const size_t windows[] = {1, 1000, 0};

    for (size_t w = 0; w < TTP_COUNT(windows); w++) {
        struct ttp_err err = {0};
        ttp_str got;

        assert_int_equal(read_all(&got, from, windows[w], false, NULL, arena, &err), code);
        assert_int_equal(err.code, code);
        assert_string_equal(err.text, text);
    }
}

struct feed {
    int fd;
    ttp_str bytes;
    size_t piece;
};

static void *feed_pipe(void *arg)
{
    const struct feed *f = arg;

    for (size_t at = 0; at < f->bytes.len; at += f->piece) {
        const ttp_str part = ttp_str_slice(f->bytes, at, at + f->piece);
        if (write(f->fd, part.ptr, part.len) != (ssize_t)part.len)
            break;
    }
    close(f->fd);
    return NULL;
}

/* The same through a pipe that is written in odd pieces, under the name the kernel gives it. */
static void assert_pipe_reads(ttp_str bytes, ttp_str want, size_t window, ttp_cut_fn *cut,
                              struct ttp_arena *arena)
{
    int ends[2];
    pthread_t id;
    char name[32];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    struct feed f = {ends[1], bytes, 4099};
    assert_int_equal(pthread_create(&id, NULL, feed_pipe, &f), 0);
    snprintf(name, sizeof(name), "/dev/fd/%d", ends[0]);
    assert_reads(name, want, window, false, cut, arena);
    close(ends[0]);
    pthread_join(id, NULL);
}

static void test_input__all_ways_in_give_the_same_bytes(void **state)
{
    static const size_t sizes[] = {1, 2, 4, 5, 4095, 4096, 4097, 8192, 65536, 300001};
    static const size_t windows[] = {1, 7, 4096, 4097, 100000, 0};

    for (size_t s = 0; s < TTP_COUNT(sizes); s++) {
        for (size_t w = 0; w < TTP_COUNT(windows); w++) {
            if (sizes[s] / (windows[w] ? windows[w] : 4096) > 10000)
                continue; /* slow, and nothing new */
            const struct ttp_mark mark = ttp_arena_mark(*state);
            const ttp_str text = make_lines(*state, sizes[s]);
            ttp_cut_fn *cut = w % 2 ? cut_after_line : NULL;

            put_file(text);
            assert_reads(path, text, windows[w], true, cut, *state);
            assert_pipe_reads(text, text, windows[w], cut, *state);
            if (ttp_input_supports("zlib")) {
                put_file(as_gzip(*state, text));
                assert_reads(path, text, windows[w], true, cut, *state);
                assert_pipe_reads(as_gzip(*state, text), text, windows[w], cut, *state);
            }
            if (ttp_input_supports("zstd")) {
                put_file(as_zstd(*state, text));
                assert_reads(path, text, windows[w], true, cut, *state);
                assert_pipe_reads(as_zstd(*state, text), text, windows[w], cut, *state);
            }
            ttp_arena_rewind(*state, mark);
        }
    }
}

static void test_input__standard_input_is_read_from_where_it_is(void **state)
{
    const ttp_str text = make_lines(*state, 20000);
    const int saved = dup(STDIN_FILENO);

    put_file(text);
    const int fd = open(path, O_RDONLY);
    assert_int_equal(lseek(fd, 5000, SEEK_SET), 5000);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    assert_reads("-", ttp_str_slice(text, 5000, text.len), 4096, false, cut_after_line, *state);
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(fd);
}

static void test_input__empty_inputs_have_no_block(void **state)
{
    put_file(TTP_STR(""));
    assert_reads(path, TTP_STR(""), 0, true, cut_after_line, *state);
    assert_reads("/dev/null", TTP_STR(""), 0, true, NULL, *state);
    assert_pipe_reads(TTP_STR(""), TTP_STR(""), 0, NULL, *state);
    put_file(as_gzip(*state, TTP_STR("")));
    if (ttp_input_supports("zlib"))
        assert_reads(path, TTP_STR(""), 0, true, NULL, *state);
}

/* st_size is 0, yet there is something to read. */
static void test_input__files_of_proc_are_read(void **state)
{
    struct ttp_err err = {0};
    ttp_str got;

    assert_int_equal(read_all(&got, "/proc/self/status", 100, true, NULL, *state, &err), TTP_OK);
    assert_true(ttp_str_starts(got, TTP_STR("Name:")));
}

static void test_input__byte_order_mark_is_skipped_on_request(void **state)
{
    static const char *const cases[] = {BOM,         BOM "a",    BOM "a,b\n1,2\n",
                                        BOM BOM "x", "\xef\xbb", "ab"};

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const ttp_str text = ttp_str_from(cases[i]);
        const bool marked = ttp_str_starts(text, TTP_STR(BOM));
        const ttp_str rest = ttp_str_slice(text, marked ? 3 : 0, text.len);

        for (size_t window = 0; window < 9; window++) {
            put_file(text);
            assert_reads(path, rest, window, true, NULL, *state);
            assert_reads(path, text, window, false, NULL, *state);
            if (!ttp_input_supports("zlib"))
                continue;
            put_file(as_gzip(*state, text));
            assert_reads(path, rest, window, true, NULL, *state);
        }
    }
}

static void test_input__offset_counts_the_byte_order_mark(void **state)
{
    struct ttp_input *in;
    struct ttp_block block;
    bool more;

    (void)state;
    put_file(TTP_STR(BOM "abc"));
    assert_int_equal(ttp_input_open(&in, path, 0, true, NULL), TTP_OK);
    assert_int_equal(ttp_input_next(in, &block, &more, CUT(NULL, NULL), NULL), TTP_OK);
    assert_true(more && block.last && ttp_str_eq(block.text, TTP_STR("abc")));
    assert_int_equal(block.offset, 3);
    ttp_input_release(in, &block);
    ttp_input_close(in);
}

static void test_input__what_cannot_be_read_is_named(void **state)
{
    assert_refuses("/nonexistent/x", TTP_EIO,
                   "cannot open '/nonexistent/x': No such file or directory", *state);
    assert_refuses("/dev/null/x", TTP_EIO, "cannot open '/dev/null/x': Not a directory", *state);
    assert_refuses("/tmp", TTP_EIO, "cannot read '/tmp': Is a directory", *state);
}

static void assert_data_refused(ttp_str bytes, const char *why, struct ttp_arena *arena)
{
    const struct ttp_mark mark = ttp_arena_mark(arena);
    char text[200];

    put_file(bytes);
    snprintf(text, sizeof(text), "cannot read '%s': %s", path, why);
    assert_refuses(path, TTP_EPARSE, text, arena);
    ttp_arena_rewind(arena, mark);
}

static void assert_all_cuts_refused(ttp_str whole, ttp_str first, const char *why,
                                    struct ttp_arena *arena)
{
    for (size_t n = 4; n < whole.len; n++)
        if (n != first.len)
            assert_data_refused(ttp_str_slice(whole, 0, n), why, arena);
    put_file(first);
    assert_reads(path, TTP_STR("some text\n"), 0, false, NULL, arena);
    put_file(whole);
    assert_reads(path, TTP_STR("some text\nmore\n"), 3, false, NULL, arena);
}

static void test_input__concatenated_gzip_is_read_and_truncated_is_refused(void **state)
{
    ttp_test_needs("zlib");
    const ttp_str first = as_gzip(*state, TTP_STR("some text\n"));
    const ttp_str whole = join(*state, first, as_gzip(*state, TTP_STR("more\n")));
    assert_all_cuts_refused(whole, first, "truncated gzip data", *state);

    const ttp_str padded = join(*state, whole, (ttp_str){TTP_NEW(*state, char, 512), 512});
    put_file(padded);
    assert_reads(path, TTP_STR("some text\nmore\n"), 0, false, NULL, *state);
}

static void test_input__concatenated_zstd_is_read_and_truncated_is_refused(void **state)
{
    ttp_test_needs("zstd");
    const ttp_str first = as_zstd(*state, TTP_STR("some text\n"));
    const ttp_str whole = join(*state, first, as_zstd(*state, TTP_STR("more\n")));
    assert_all_cuts_refused(whole, first, "truncated zstd data", *state);

    const ttp_str skippable = TTP_STR("\x5a\x2a\x4d\x18\x03\0\0\0abc");
    put_file(join(*state, skippable, whole));
    assert_reads(path, TTP_STR("some text\nmore\n"), 0, false, NULL, *state);
}

static void test_input__corrupt_compressed_data_is_refused(void **state)
{
    ttp_test_needs("zlib");
    ttp_test_needs("zstd");
    const ttp_str good = as_gzip(*state, make_lines(*state, 5000));
    char *bad = TTP_NEW(*state, char, good.len);
    memcpy(bad, good.ptr, good.len);
    bad[2000] ^= 1;
    assert_data_refused((ttp_str){bad, good.len}, "corrupt gzip data: incorrect data check",
                        *state);
    assert_data_refused(join(*state, good, TTP_STR("junk")),
                        "corrupt gzip data: incorrect header check", *state);
    assert_data_refused(join(*state, as_zstd(*state, TTP_STR("abc")), TTP_STR("junk")),
                        "corrupt zstd data: Unknown frame descriptor", *state);
}

static void test_input__cut_may_want_many_windows_or_little(void **state)
{
    const ttp_str text = make_lines(*state, 100000);
    char *mixed = TTP_NEW(*state, char, text.len);

    memcpy(mixed, text.ptr, text.len);
    mixed[10] = mixed[11] = mixed[13] = mixed[70000] = mixed[70003] = ';';
    put_file((ttp_str){mixed, text.len});
    for (size_t window = 1; window < 200000; window = window * 3 + 1) {
        const struct ttp_mark mark = ttp_arena_mark(*state);

        assert_reads(path, (ttp_str){mixed, text.len}, window, false, cut_after_semicolon, *state);
        assert_pipe_reads((ttp_str){mixed, text.len}, (ttp_str){mixed, text.len}, window,
                          cut_after_semicolon, *state);
        ttp_arena_rewind(*state, mark);
    }
}

static size_t never_cut(ttp_str text, bool last, void *arg)
{
    (void)text, (void)last, (void)arg;
    return 0;
}

static void test_input__more_than_a_gigabyte_at_once_is_refused(void **state)
{
    struct ttp_err err = {0};
    struct ttp_input *in;
    struct ttp_block block;
    bool more;

    (void)state;
    assert_int_equal(truncate(path, ((off_t)1 << 30) + 1), 0); /* a hole: costs nothing */
    assert_int_equal(ttp_input_open(&in, path, 0, false, &err), TTP_OK);
    assert_int_equal(ttp_input_next(in, &block, &more, CUT(never_cut, NULL), &err), TTP_ELIMIT);
    assert_false(more);
    ttp_input_close(in);
}

static void test_input__file_that_shrinks_is_an_error_not_a_signal(void **state)
{
    struct ttp_err err = {0};
    struct ttp_input *in;
    struct ttp_block block;
    bool more;

    put_file(make_lines(*state, 100000));
    assert_int_equal(ttp_input_open(&in, path, 8192, false, &err), TTP_OK);
    assert_int_equal(ttp_input_next(in, &block, &more, CUT(NULL, NULL), &err), TTP_OK);
    ttp_input_release(in, &block);
    assert_int_equal(truncate(path, 10000), 0);
    assert_int_equal(ttp_input_next(in, &block, &more, CUT(NULL, NULL), &err), TTP_EIO);
    assert_non_null(strstr(err.text, "it was truncated while being read"));
    ttp_input_close(in);
}

/* --- blocks held by several threads --- */

struct item {
    struct ttp_block block;
    size_t lines;
};

struct count {
    struct ttp_input *in;
    size_t lines;
};

static ttp_code next_item(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct count *c = ctx;

    return ttp_input_next(c->in, &((struct item *)item)->block, more, CUT(cut_after_line, NULL),
                          err);
}

static ttp_code count_lines(void *ctx, void *item, struct ttp_err *err)
{
    const struct count *c = ctx;
    struct item *it = item;
    const struct ttp_block *b = &it->block;

    (void)err;
    for (size_t i = 0; i < b->text.len; i++)
        it->lines += b->text.ptr[i] == '\n';
    assert_true(ttp_input_position(c->in) > 0);
    if (it->lines % 3 == 0) /* some come back before their turn */
        ttp_input_release(c->in, &it->block);
    return TTP_OK;
}

static ttp_code add_lines(void *ctx, void *item, struct ttp_err *err)
{
    struct count *c = ctx;

    (void)err;
    c->lines += ((struct item *)item)->lines;
    return TTP_OK;
}

static void release_item(void *ctx, void *item)
{
    ttp_input_release(((struct count *)ctx)->in, &((struct item *)item)->block);
}

static size_t count_with(const char *from, unsigned threads)
{
    const struct ttp_pipeline p = {sizeof(struct item), next_item, count_lines, add_lines,
                                   release_item};
    struct count c = {0};

    assert_int_equal(ttp_input_open(&c.in, from, 5000, false, NULL), TTP_OK);
    assert_int_equal(ttp_par_pipeline(&p, &c, threads, NULL), TTP_OK);
    ttp_input_close(c.in);
    return c.lines;
}

static void test_input__blocks_are_held_and_released_by_many_threads(void **state)
{
    const ttp_str text = make_lines(*state, 2000000);

    put_file(text);
    const size_t want = count_with(path, 1);
    assert_true(want > 60000);
    assert_int_equal(count_with(path, 8), want);
    if (ttp_input_supports("zlib")) {
        put_file(as_gzip(*state, text));
        assert_int_equal(count_with(path, 1), want);
        assert_int_equal(count_with(path, 8), want);
    }
}

static void hold_and_release(const char *from, ttp_str text)
{
    struct ttp_input *in;
    struct ttp_block block[64] = {0};
    bool more = true;
    size_t n = 0;

    assert_int_equal(ttp_input_open(&in, from, 8000, false, NULL), TTP_OK);
    for (size_t round = 0; more; round++) {
        struct ttp_block *b = &block[round * 7 % 64];

        ttp_input_release(in, b);
        assert_int_equal(ttp_input_next(in, b, &more, CUT(cut_after_line, NULL), NULL), TTP_OK);
        n += b->text.len;
        for (size_t i = 0; i < 64; i++) /* no block is disturbed by the life of another */
            assert_true(
                ttp_str_eq(block[i].text, ttp_str_slice(text, block[i].offset,
                                                        block[i].offset + block[i].text.len)));
    }
    assert_int_equal(n, text.len);
    for (size_t i = 64; i-- > 0;)
        ttp_input_release(in, &block[i]);
    ttp_input_close(in);
}

static void test_input__blocks_stay_as_they_are_while_held(void **state)
{
    const ttp_str text = make_lines(*state, 1000000);

    put_file(text);
    hold_and_release(path, text);
    put_file(as_zstd(*state, text));
    if (ttp_input_supports("zstd"))
        hold_and_release(path, text);
}

#define INPUT_TEST(fn) cmocka_unit_test_setup_teardown(fn, make_scratch, remove_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        INPUT_TEST(test_input__all_ways_in_give_the_same_bytes),
        INPUT_TEST(test_input__standard_input_is_read_from_where_it_is),
        INPUT_TEST(test_input__empty_inputs_have_no_block),
        INPUT_TEST(test_input__files_of_proc_are_read),
        INPUT_TEST(test_input__byte_order_mark_is_skipped_on_request),
        INPUT_TEST(test_input__offset_counts_the_byte_order_mark),
        INPUT_TEST(test_input__what_cannot_be_read_is_named),
        INPUT_TEST(test_input__concatenated_gzip_is_read_and_truncated_is_refused),
        INPUT_TEST(test_input__concatenated_zstd_is_read_and_truncated_is_refused),
        INPUT_TEST(test_input__corrupt_compressed_data_is_refused),
        INPUT_TEST(test_input__cut_may_want_many_windows_or_little),
        INPUT_TEST(test_input__more_than_a_gigabyte_at_once_is_refused),
        INPUT_TEST(test_input__file_that_shrinks_is_an_error_not_a_signal),
        INPUT_TEST(test_input__blocks_are_held_and_released_by_many_threads),
        INPUT_TEST(test_input__blocks_stay_as_they_are_while_held),
    };
    return ttp_test_end(cmocka_run_group_tests_name("base/input", tests, NULL, NULL));
}
