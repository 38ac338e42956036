/* SPDX-License-Identifier: Apache-2.0 */
/* Two ways to the same blocks. A plain file is mapped: blocks are slices of the map, what `cut`
 * leaves is simply looked at again. All else is streamed through buffers from a free list: what
 * `cut` leaves is copied to the front of the next buffer. Mapping was three times as fast as
 * pread() into warm buffers on a cached 240 MB file (7.2 and 2.3 GB/s, 4 MiB windows), at less
 * memory.
 *
 * A mapped file that someone truncates under us: the size is checked before each window is touched,
 * which turns the usual case into TTP_EIO. A truncation between that check and the last use of the
 * block is a SIGBUS, which a program can tell of (map_guard.h); only copying every byte would avoid
 * it. */
#include "base/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/compress.h"
#include "base/file_kind.h"
#include "base/map_guard.h"
#include "base/sink.h"

#define DEFAULT_WINDOW ((size_t)4 << 20)
#define MAX_BLOCK      ((size_t)1 << 30)
#define RAW_SIZE       ((size_t)128 << 10)
/* The kernel maps up to this many bytes, aligned, around a page fault (fault_around_bytes). */
#define FAULT_AROUND ((uintptr_t)64 << 10)

struct buffer {
    struct ttp_held held; /* first; only the block knows its own buffer */
    struct buffer *next;  /* in the free list */
    size_t len, cap;
    char data[];
};

struct ttp_input {
    struct ttp_held held; /* first */
    char *path;
    int fd;
    size_t window;
    uint64_t base, size;       /* where a file on standard input began; bytes from there, or 0 */
    uint64_t offset;           /* of the next byte to hand out */
    _Atomic uint64_t position; /* in the bytes on disk; progress may ask from another thread */
    atomic_size_t blocks;      /* handed out */

    char *map;      /* NULL: streamed */
    size_t map_len; /* base included */

    struct buffer *cur; /* what comes next; NULL after the last block */
    bool eof;           /* nothing comes after cur */
    struct ttp_decoder *decoder;
    char *raw; /* bytes as they are on disk: all of a compressed input, the first of another */
    ttp_str raw_left;
    bool raw_eof;
    uint64_t raw_taken;

    pthread_mutex_t lock; /* for the list only */
    struct buffer *free;
};

static void *must(void *p)
{
    if (!p)
        ttp_arena_oom();
    return p;
}

/* --- streamed --- */

/* Up to `want` bytes; fewer only at the end, so that results do not depend on how a pipe is cut. */
static ttp_code read_full(struct ttp_input *in, char *to, size_t want, size_t *got,
                          struct ttp_err *err)
{
    *got = 0;
    while (*got < want) {
        const ssize_t n = read(in->fd, to + *got, want - *got);

        if (n == 0)
            break;
        if (n > 0) {
            *got += (size_t)n;
        } else if (errno == EAGAIN) { /* someone made our standard input non-blocking */
            struct pollfd p = {.fd = in->fd, .events = POLLIN};
            (void)poll(&p, 1, -1);
        } else if (errno != EINTR) {
            return ttp_fail_errno(err, "cannot read '%s'", in->path);
        }
    }
    if (!in->size)
        ttp_budget_read(*got);
    return TTP_OK;
}

static ttp_code refill_raw(struct ttp_input *in, size_t want, struct ttp_err *err)
{
    size_t got;

    TTP_TRY(read_full(in, in->raw, want, &got, err));
    in->raw_eof = got < want;
    in->raw_left = (ttp_str){in->raw, got};
    return TTP_OK;
}

/* The decoder says what is wrong, we know where. */
static ttp_code name_the_file(const struct ttp_input *in, ttp_code rc, struct ttp_err *err)
{
    if (!err)
        return rc;
    const struct ttp_err why = *err;
    (void)ttp_fail(err, rc, "cannot read '%s': %s", in->path, why.text);
    ttp_err_hint(err, "%s", why.hint);
    return rc;
}

static ttp_code decode(struct ttp_input *in, char *to, size_t want, size_t *got,
                       struct ttp_err *err)
{
    *got = 0;
    while (*got < want) {
        const size_t before = in->raw_left.len;
        struct ttp_decoded out = {to + *got, want - *got, 0};
        ttp_code rc = ttp_decoder_run(in->decoder, &in->raw_left, &out, err);

        if (rc != TTP_OK)
            return name_the_file(in, rc, err);
        in->raw_taken += before - in->raw_left.len;
        *got += out.got;
        if (out.got)
            continue;
        if (in->raw_eof) {
            rc = ttp_decoder_finish(in->decoder, err);
            return rc == TTP_OK ? rc : name_the_file(in, rc, err);
        }
        TTP_TRY(refill_raw(in, RAW_SIZE, err));
    }
    return TTP_OK;
}

/* Plain bytes of the input; fewer than wanted only at its end. */
static ttp_code pull(struct ttp_input *in, char *to, size_t want, size_t *got, struct ttp_err *err)
{
    if (in->decoder)
        return decode(in, to, want, got, err);
    const size_t first = in->raw_left.len < want ? in->raw_left.len : want;
    if (first)
        memcpy(to, in->raw_left.ptr, first);
    in->raw_left = ttp_str_slice(in->raw_left, first, in->raw_left.len);
    TTP_TRY(read_full(in, to + first, want - first, got, err));
    *got += first;
    return TTP_OK;
}

static void free_buffer(struct ttp_held *held)
{
    ttp_held_drop(held);
    free(held);
}

static struct buffer *new_buffer(size_t room)
{
    const size_t size = sizeof(struct buffer) + room;

    ttp_budget_take_memory(size);
    struct buffer *b = malloc(size);
    if (!b)
        ttp_budget_refused(size);
    ttp_held_add(&b->held, size, free_buffer);
    b->len = 0;
    b->cap = room;
    return b;
}

static struct buffer *get_buffer(struct ttp_input *in, size_t room)
{
    struct buffer *b = NULL;

    if (room <= in->window + 1) {
        pthread_mutex_lock(&in->lock);
        b = in->free;
        if (b)
            in->free = b->next;
        pthread_mutex_unlock(&in->lock);
        room = in->window + 1;
    }
    if (!b)
        return new_buffer(room);
    b->len = 0;
    return b;
}

static void put_buffer(struct ttp_input *in, struct buffer *b)
{
    if (b->cap > in->window + 1) { /* for one long record */
        free_buffer(&b->held);
        return;
    }
    pthread_mutex_lock(&in->lock);
    b->next = in->free;
    in->free = b;
    pthread_mutex_unlock(&in->lock);
}

/* Make cur hold `want` bytes if there are as many. */
static ttp_code fill(struct ttp_input *in, size_t want, struct ttp_err *err)
{
    struct buffer *b = in->cur;
    size_t got;

    if (in->eof || want <= b->len)
        return TTP_OK;
    if (want > b->cap) {
        b = new_buffer(want);
        memcpy(b->data, in->cur->data, in->cur->len);
        b->len = in->cur->len;
        free_buffer(&in->cur->held);
        in->cur = b;
    }
    TTP_TRY(pull(in, b->data + b->len, want - b->len, &got, err));
    in->eof = got < want - b->len;
    b->len += got;
    return TTP_OK;
}

/* --- mapped --- */

static ttp_code check_size(const struct ttp_input *in, uint64_t end, struct ttp_err *err)
{
    struct stat st;

    if (fstat(in->fd, &st) < 0)
        return ttp_fail_errno(err, "cannot stat '%s'", in->path);
    if ((uint64_t)st.st_size < end)
        return ttp_map_guard_fail(err, in->path);
    return TTP_OK;
}

/* The text from the current position, up to `want` bytes of it, and whether that is all. */
static ttp_code look(struct ttp_input *in, size_t want, ttp_str *text, bool *last,
                     struct ttp_err *err)
{
    if (in->map) {
        const size_t from = (size_t)(in->base + in->offset), left = in->map_len - from;

        *last = left <= want;
        *text = (ttp_str){in->map + from, *last ? left : want};
        return left ? check_size(in, from + text->len, err) : TTP_OK;
    }
    *text = (ttp_str){NULL, 0};
    *last = true;
    if (!in->cur)
        return TTP_OK;
    /* one byte more tells whether the block is the last */
    TTP_TRY(fill(in, want + 1, err));
    *last = in->eof && in->cur->len <= want;
    *text = (ttp_str){in->cur->data, in->cur->len < want ? in->cur->len : want};
    return TTP_OK;
}

/* Take the first n bytes that look() has shown. */
static void take(struct ttp_input *in, struct ttp_block *out, size_t n)
{
    if (!in->map) {
        struct buffer *b = in->cur;
        const size_t left = b->len - n;

        in->cur = NULL;
        if (left) {
            in->cur = get_buffer(in, left);
            memcpy(in->cur->data, b->data + n, left);
            in->cur->len = left;
        }
        out->owner = b;
    }
    in->offset += n;
    atomic_fetch_add(&in->blocks, 1);
    atomic_store(&in->position, in->decoder ? in->raw_taken : in->offset);
}

ttp_code ttp_input_next(struct ttp_input *in, struct ttp_block *out, bool *more,
                        struct ttp_cutter where, struct ttp_err *err)
{
    size_t want = in->window, n;
    ttp_str text;
    bool last;

    *out = (struct ttp_block){0};
    *more = false;
    for (;; want = want < MAX_BLOCK / 2 ? want * 2 : MAX_BLOCK) {
        TTP_TRY(look(in, want, &text, &last, err));
        if (text.len == 0)
            return TTP_OK;
        n = where.cut ? where.cut(text, last, where.arg) : text.len;
        assert(n <= text.len);
        if (last)
            n = text.len;
        if (n)
            break;
        if (want >= MAX_BLOCK)
            return ttp_fail_at(err, TTP_ELIMIT, (size_t)in->offset,
                               "cannot read '%s': more than %zu MiB without a line end", in->path,
                               MAX_BLOCK >> 20);
    }
    *out = (struct ttp_block){.text = {text.ptr, n}, .offset = in->offset, .last = last};
    *more = true;
    take(in, out, n);
    return TTP_OK;
}

/* Neighbours share their edge pages, and the kernel maps some more around each. Giving back too
 * much is harmless, since a page in use comes back from the file; so a block clears what lies
 * before it, and whatever order blocks come back in, nothing but held blocks stays. */
static void unmap_pages(const struct ttp_input *in, ttp_str text)
{
    const uintptr_t mask = FAULT_AROUND - 1;
    const size_t start = (size_t)(text.ptr - in->map), end = start + text.len;
    const size_t before = (uintptr_t)text.ptr & mask,
                 after = end < in->map_len ? (uintptr_t)(text.ptr + text.len) & mask : 0;
    const size_t from = start > before ? start - before : 0;

    if (from + after < end)
        (void)madvise(in->map + from, end - after - from, MADV_DONTNEED);
}

void ttp_input_release(struct ttp_input *in, struct ttp_block *block)
{
    if (!block->text.ptr)
        return;
    if (block->owner)
        put_buffer(in, block->owner);
    else
        unmap_pages(in, block->text);
    *block = (struct ttp_block){0};
    atomic_fetch_sub(&in->blocks, 1);
}

/* --- open and close --- */

static ttp_code open_file(struct ttp_input *in, struct stat *st, struct ttp_err *err)
{
    if (strcmp(in->path, "-") == 0) {
        in->fd = STDIN_FILENO;
    } else {
        const int wait = ttp_file_kind_is_named(in->path) ? 0 : O_NONBLOCK;
        do
            in->fd = open(in->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | wait);
        while (in->fd < 0 && errno == EINTR); /* a FIFO waits for its writer */
        if (in->fd < 0)
            return ttp_fail_errno(err, "cannot open '%s'", in->path);
    }
    if (fstat(in->fd, st) < 0)
        return ttp_fail_errno(err, "cannot stat '%s'", in->path);
    if (S_ISDIR(st->st_mode)) {
        errno = EISDIR;
        return ttp_fail_errno(err, "cannot read '%s'", in->path);
    }
    if (in->fd != STDIN_FILENO && !ttp_file_kind_accept(in->path, st->st_mode))
        return ttp_fail(err, TTP_EIO, "cannot read '%s': it is %s, not a regular file", in->path,
                        ttp_file_kind_odd(st->st_mode));
    return TTP_OK;
}

/* Files of /proc say 0 bytes and some file systems cannot map: both are streamed. */
static void try_map(struct ttp_input *in, const struct stat *st)
{
    if (!S_ISREG(st->st_mode))
        return;
    const off_t at = lseek(in->fd, 0, SEEK_CUR);
    if (at < 0 || at >= st->st_size)
        return;
    in->base = (uint64_t)at;
    in->size = (uint64_t)(st->st_size - at);
    ttp_budget_read(in->size);

    char head[TTP_COMPRESS_MAGIC];
    const ssize_t n = pread(in->fd, head, sizeof(head), at);
    if (n <= 0 || ttp_compress_detect((ttp_str){head, (size_t)n}) != TTP_COMPRESS_NONE)
        return;
    void *map = mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_PRIVATE, in->fd, 0);
    if (map == MAP_FAILED)
        return;
    (void)madvise(map, (size_t)st->st_size, MADV_SEQUENTIAL);
    in->map = map;
    in->map_len = (size_t)st->st_size;
    ttp_map_guard_add(in->map, in->map_len, in->path);
}

static ttp_code open_stream(struct ttp_input *in, struct ttp_err *err)
{
    in->raw = must(malloc(RAW_SIZE));
    TTP_TRY(refill_raw(in, TTP_COMPRESS_MAGIC, err));
    const enum ttp_compression kind = ttp_compress_detect(in->raw_left);
    if (kind != TTP_COMPRESS_NONE) {
        const ttp_code rc = ttp_decoder_open(&in->decoder, kind, err);
        if (rc != TTP_OK)
            return name_the_file(in, rc, err);
    }
    in->cur = get_buffer(in, in->window + 1);
    return TTP_OK;
}

static ttp_code skip_mark(struct ttp_input *in, struct ttp_err *err)
{
    ttp_str text;
    bool last;

    TTP_TRY(look(in, 3, &text, &last, err));
    if (!ttp_str_starts(text, TTP_STR("\xef\xbb\xbf")))
        return TTP_OK;
    if (!in->map) {
        struct buffer *b = in->cur;

        b->len -= 3;
        memmove(b->data, b->data + 3, b->len); /* the byte that look() read ahead */
    }
    in->offset = 3;
    return TTP_OK;
}

uint64_t ttp_input_size(const struct ttp_input *in)
{
    return in->size;
}

uint64_t ttp_input_position(const struct ttp_input *in)
{
    return atomic_load(&in->position);
}

static void free_input(struct ttp_input *in)
{
    while (in->free) {
        struct buffer *b = in->free;

        in->free = b->next;
        free_buffer(&b->held);
    }
    if (in->cur)
        free_buffer(&in->cur->held);
    free(in->raw);
    ttp_decoder_close(in->decoder);
    if (in->fd >= 0 && strcmp(in->path, "-") != 0)
        close(in->fd);
    pthread_mutex_destroy(&in->lock);
    ttp_held_drop(&in->held);
    free(in->path);
    free(in);
}

void ttp_input_close(struct ttp_input *in)
{
    if (!in)
        return;
    assert(atomic_load(&in->blocks) == 0);
    if (in->map) {
        ttp_map_guard_remove(in->map);
        munmap(in->map, in->map_len);
    }
    free_input(in);
}

/* What was acquired after it, its mapping and its decoder and buffers included, is released. */
static void abandon(struct ttp_held *held)
{
    struct ttp_input *in = (struct ttp_input *)(void *)held;

    in->map = NULL;
    in->decoder = NULL;
    in->cur = in->free = NULL;
    free_input(in);
}

ttp_code ttp_input_open(struct ttp_input **out, const char *path, size_t window, bool skip_bom,
                        struct ttp_err *err)
{
    struct stat st = {0};

    *out = NULL;
    ttp_budget_reading(path);
    struct ttp_input *in = must(calloc(1, sizeof(*in)));
    in->fd = -1;
    ttp_held_add(&in->held, 0, abandon);
    in->path = must(strdup(path));
    in->window = window == 0 ? DEFAULT_WINDOW : window < MAX_BLOCK ? window : MAX_BLOCK;
    pthread_mutex_init(&in->lock, NULL);
    ttp_code rc = open_file(in, &st, err);
    if (rc == TTP_OK) {
        try_map(in, &st);
        if (!in->map)
            rc = open_stream(in, err);
    }
    if (rc == TTP_OK && skip_bom)
        rc = skip_mark(in, err);
    if (rc != TTP_OK) {
        ttp_input_close(in);
        return rc;
    }
    *out = in;
    return TTP_OK;
}

bool ttp_input_supports(const char *library)
{
    static const enum ttp_compression kinds[] = {TTP_COMPRESS_GZIP, TTP_COMPRESS_ZSTD};

    for (size_t i = 0; i < TTP_COUNT(kinds); i++)
        if (strcmp(library, ttp_compress_library(kinds[i])) == 0)
            return ttp_compress_supports(kinds[i]);
    return false;
}

size_t ttp_input_cut_lines(ttp_str text, bool last, void *arg)
{
    const char *end = last ? NULL : memrchr(text.ptr, '\n', text.len);

    (void)arg;
    return last ? text.len : end ? (size_t)(end - text.ptr) + 1 : 0;
}

ttp_code ttp_input_each(const char *path, ttp_cut_fn *cut, ttp_block_fn *use, void *arg,
                        struct ttp_err *err)
{
    struct ttp_input *in;
    struct ttp_block block;
    bool more = true;
    ttp_code rc;

    TTP_TRY(ttp_input_open(&in, path, 0, true, err));
    for (;;) {
        rc = ttp_input_next(in, &block, &more, (struct ttp_cutter){cut, arg}, err);
        if (rc != TTP_OK || !more)
            break;
        rc = use(arg, block.text, err);
        ttp_input_release(in, &block);
        if (rc != TTP_OK)
            break;
    }
    ttp_input_close(in);
    if (rc != TTP_OK && err && !err->path[0]) /* `use` may have failed at a file of its own */
        ttp_err_where(err, path, err->line);
    return rc;
}

struct whole {
    struct ttp_sink all;
    const struct ttp_input_bound *bound;
};

static ttp_code add_block(void *arg, ttp_str text, struct ttp_err *err)
{
    struct whole *w = arg;

    if (w->bound && (w->all.len > w->bound->bytes || text.len > w->bound->bytes - w->all.len))
        return ttp_fail(err, TTP_ELIMIT, "%s", w->bound->fault);
    ttp_sink_put(&w->all, text);
    return TTP_OK;
}

ttp_code ttp_input_all(ttp_str *out, const char *path, const struct ttp_input_bound *bound,
                       struct ttp_arena *arena, struct ttp_err *err)
{
    struct whole w = {.bound = bound};

    ttp_sink_to_arena(&w.all, arena);
    TTP_TRY(ttp_input_each(path, NULL, add_block, &w, err));
    *out = ttp_sink_text(&w.all);
    return TTP_OK;
}
