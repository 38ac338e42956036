/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/vec.h"

/* A sorted part of the file, read through a window of its own. */
struct run {
    uint64_t at, end; /* in the file: what has not been read yet */
    char *window;
    size_t used, len; /* of the window */
};

struct ttp_spill {
    struct ttp_arena arena;
    size_t size; /* of a record */
    ttp_spill_cmp_fn *cmp;
    char *buf;
    size_t count, max; /* records */
    size_t taken;      /* of them, when nothing was put aside */
    int fd;            /* -1: no file */
    struct run *run;
    size_t nruns;
    size_t window; /* bytes for each run */
    uint32_t *heap;
    size_t nheap;
};

ttp_code ttp_spill_open(struct ttp_spill **out, size_t record_size, ttp_spill_cmp_fn *cmp,
                        size_t buffer, struct ttp_err *err)
{
    (void)err;
    struct ttp_spill *s = calloc(1, sizeof(*s));
    if (!s)
        ttp_arena_oom();
    buffer = buffer ? buffer : (size_t)32 << 20;
    s->size = record_size;
    s->cmp = cmp;
    s->max = buffer / record_size ? buffer / record_size : 1;
    s->fd = -1;
    *out = s;
    return TTP_OK;
}

static ttp_code write_all(int fd, const char *buf, size_t n, struct ttp_err *err)
{
    while (n) {
        const ssize_t got = write(fd, buf, n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            ttp_fail_errno(err, "cannot write a temporary file");
            ttp_err_hint(err, "set TMPDIR to a folder with free space");
            return TTP_EIO;
        }
        buf += got;
        n -= (size_t)got;
    }
    return TTP_OK;
}

static void sort_buffer(struct ttp_spill *s)
{
    if (s->count)
        qsort(s->buf, s->count, s->size, s->cmp);
}

static ttp_code put_aside(struct ttp_spill *s, struct ttp_err *err)
{
    const uint64_t at = s->nruns ? s->run[s->nruns - 1].end : 0;

    if (s->fd < 0)
        TTP_TRY(ttp_file_temporary(&s->fd, err));
    sort_buffer(s);
    TTP_TRY(write_all(s->fd, s->buf, s->count * s->size, err));
    *TTP_PUSH(&s->arena, s->run, s->nruns) = (struct run){.at = at, .end = at + s->count * s->size};
    s->count = 0;
    return TTP_OK;
}

ttp_code ttp_spill_add(struct ttp_spill *s, const void *record, struct ttp_err *err)
{
    if (s->count == s->max)
        TTP_TRY(put_aside(s, err));
    if (!s->buf)
        s->buf = ttp_arena_resize(&s->arena, NULL, s->max * s->size);
    memcpy(s->buf + s->count++ * s->size, record, s->size);
    return TTP_OK;
}

/* Read on once the window is used up; a run that is at its end has an empty one. */
static ttp_code refill(struct ttp_spill *s, struct run *r, struct ttp_err *err)
{
    const size_t want = r->end - r->at < s->window ? (size_t)(r->end - r->at) : s->window;
    size_t have = 0;

    r->used = r->len = 0;
    while (have < want) {
        const ssize_t got = pread(s->fd, r->window + have, want - have, (off_t)(r->at + have));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return ttp_fail_errno(err, "cannot read a temporary file");
        have += (size_t)got;
    }
    r->at += have;
    r->len = have;
    return TTP_OK;
}

/* Is run a to be read before run b? Of equals the earlier run. */
static bool before(const struct ttp_spill *s, uint32_t a, uint32_t b)
{
    const struct run *x = &s->run[a], *y = &s->run[b];
    const int order = s->cmp(x->window + x->used, y->window + y->used);

    return order != 0 ? order < 0 : a < b;
}

static void sink_down(struct ttp_spill *s, size_t i)
{
    for (;;) {
        size_t least = i;

        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < s->nheap; child++)
            if (before(s, s->heap[child], s->heap[least]))
                least = child;
        if (least == i)
            return;
        const uint32_t swap = s->heap[i];
        s->heap[i] = s->heap[least];
        s->heap[least] = swap;
        i = least;
    }
}

ttp_code ttp_spill_sort(struct ttp_spill *s, struct ttp_err *err)
{
    s->taken = 0;
    if (s->nruns == 0) {
        sort_buffer(s);
        return TTP_OK;
    }
    if (s->count)
        TTP_TRY(put_aside(s, err));
    /* the buffer becomes the windows */
    s->window = s->max / s->nruns * s->size;
    if (s->window == 0) {
        s->window = s->size;
        s->buf = ttp_arena_resize(&s->arena, s->buf, s->nruns * s->size);
    }
    s->heap = TTP_NEW(&s->arena, uint32_t, s->nruns);
    for (size_t i = 0; i < s->nruns; i++) {
        s->run[i].window = s->buf + i * s->window;
        TTP_TRY(refill(s, &s->run[i], err));
        s->heap[s->nheap++] = (uint32_t)i;
    }
    for (size_t i = s->nheap; i-- > 0;)
        sink_down(s, i);
    return TTP_OK;
}

ttp_code ttp_spill_next(struct ttp_spill *s, void *record, bool *more, struct ttp_err *err)
{
    if (s->nruns == 0) {
        *more = s->taken < s->count;
        if (*more)
            memcpy(record, s->buf + s->taken++ * s->size, s->size);
        return TTP_OK;
    }
    *more = s->nheap > 0;
    if (!*more)
        return TTP_OK;
    struct run *r = &s->run[s->heap[0]];
    memcpy(record, r->window + r->used, s->size);
    r->used += s->size;
    if (r->used == r->len)
        TTP_TRY(refill(s, r, err));
    if (r->len == 0)
        s->heap[0] = s->heap[--s->nheap];
    sink_down(s, 0);
    return TTP_OK;
}

void ttp_spill_close(struct ttp_spill *s)
{
    if (!s)
        return;
    if (s->fd >= 0)
        close(s->fd);
    ttp_arena_free(&s->arena);
    free(s);
}
