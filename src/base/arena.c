/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define REDZONE 16
#else
#define REDZONE                           0
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

struct ttp_block {
    struct ttp_block *prev;
    size_t used, cap;
    alignas(64) unsigned char data[];
};

static _Noreturn void oom(void)
{
    fputs("tt-perf: out of memory\n", stderr);
    abort();
}

void *ttp_arena_alloc(struct ttp_arena *a, size_t count, size_t size, size_t align)
{
    struct ttp_block *b = a->head;
    size_t need, at;
    void *p;

    if (__builtin_mul_overflow(count, size, &need) || need > SIZE_MAX / 2)
        oom();
    at = b ? (b->used + align - 1) & ~(align - 1) : 0;
    if (!b || at > b->cap || need + REDZONE > b->cap - at) {
        size_t cap = b ? b->cap * 2 : (size_t)64 << 10;

        if (cap > (size_t)64 << 20)
            cap = (size_t)64 << 20;
        if (cap < need + REDZONE)
            cap = need + REDZONE;
        if (cap > SIZE_MAX - sizeof(*b) - 64)
            oom();
        b = aligned_alloc(64, (sizeof(*b) + cap + 63) & ~(size_t)63);
        if (!b)
            oom();
        ASAN_POISON_MEMORY_REGION(b->data, cap);
        b->prev = a->head;
        b->used = 0;
        b->cap = cap;
        a->head = b;
        at = 0;
    }
    p = b->data + at;
    b->used = at + need + REDZONE;
    ASAN_UNPOISON_MEMORY_REGION(p, need);
    memset(p, 0, need);
    return p;
}

ttp_str ttp_arena_copy(struct ttp_arena *a, ttp_str s)
{
    char *p = TTP_NEW(a, char, s.len);

    if (s.len)
        memcpy(p, s.ptr, s.len);
    return (ttp_str){p, s.len};
}

struct ttp_mark ttp_arena_mark(const struct ttp_arena *a)
{
    return (struct ttp_mark){a->head, a->head ? a->head->used : 0};
}

void ttp_arena_rewind(struct ttp_arena *a, struct ttp_mark mark)
{
    while (a->head != mark.block) {
        struct ttp_block *prev = a->head->prev;

        ASAN_UNPOISON_MEMORY_REGION(a->head->data, a->head->cap);
        free(a->head);
        a->head = prev;
    }
    if (a->head) {
        ASAN_POISON_MEMORY_REGION(a->head->data + mark.used, a->head->cap - mark.used);
        a->head->used = mark.used;
    }
}

void ttp_arena_free(struct ttp_arena *a)
{
    ttp_arena_rewind(a, (struct ttp_mark){0});
}
