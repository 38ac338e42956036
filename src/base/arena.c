/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#define TTP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TTP_ASAN 1
#endif
#endif

#ifdef TTP_ASAN
#include <sanitizer/asan_interface.h>
#define REDZONE 16
#else
#define REDZONE                           0
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define FIRST_BLOCK   ((size_t)64 << 10)
#define LARGEST_BLOCK ((size_t)64 << 20)
#define PAGE          ((size_t)4096)

struct ttp_arena_block {
    struct ttp_arena_block *prev;
    size_t used, cap;
    alignas(64) unsigned char data[];
};

/* A mapping of its own that can be moved; newest first. `number` counts from 1. */
struct ttp_arena_span {
    struct ttp_arena_span *older, *newer;
    size_t mapped, number;
    alignas(64) unsigned char data[];
};

_Noreturn void ttp_arena_oom(void)
{
    fputs("tt-perf: out of memory\n", stderr);
    abort();
}

static struct ttp_arena_block *new_block(struct ttp_arena *a, size_t need)
{
    size_t cap = a->head ? a->head->cap * 2 : FIRST_BLOCK;

    if (cap > LARGEST_BLOCK)
        cap = LARGEST_BLOCK;
    if (cap < need)
        cap = need;
    struct ttp_arena_block *b = aligned_alloc(64, (sizeof(*b) + cap + 63) & ~(size_t)63);
    if (!b)
        ttp_arena_oom();
    ASAN_POISON_MEMORY_REGION(b->data, cap);
    b->prev = a->head;
    b->used = 0;
    b->cap = cap;
    a->head = b;
    return b;
}

void *ttp_arena_alloc(struct ttp_arena *a, size_t count, size_t size, size_t align)
{
    struct ttp_arena_block *b = a->head;
    size_t need;

    if (__builtin_mul_overflow(count, size, &need) || need > SIZE_MAX / 4)
        ttp_arena_oom();
    size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;
    if (!b || at > b->cap || need + REDZONE > b->cap - at) {
        b = new_block(a, need + REDZONE);
        at = 0;
    }
    void *p = b->data + at;
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

char *ttp_arena_zstr(struct ttp_arena *a, ttp_str s)
{
    char *p = TTP_NEW(a, char, s.len + 1);

    if (s.len)
        memcpy(p, s.ptr, s.len);
    return p;
}

static struct ttp_arena_span *span_of(void *data)
{
    return (struct ttp_arena_span *)(void *)((unsigned char *)data -
                                             offsetof(struct ttp_arena_span, data));
}

void *ttp_arena_resize(struct ttp_arena *a, void *old, size_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        ttp_arena_oom();
    const size_t mapped = (sizeof(struct ttp_arena_span) + bytes + PAGE - 1) & ~(PAGE - 1);
    struct ttp_arena_span *s = old ? span_of(old) : NULL;

    if (s && s->mapped == mapped)
        return old;
    void *p = s ? mremap(s, s->mapped, mapped, MREMAP_MAYMOVE)
                : mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        ttp_arena_oom();
    struct ttp_arena_span *moved = p;
    moved->mapped = mapped;
    if (!s) {
        moved->older = a->spans;
        moved->newer = NULL;
        moved->number = a->spans ? a->spans->number + 1 : 1;
    }
    if (moved->older)
        moved->older->newer = moved;
    if (moved->newer)
        moved->newer->older = moved;
    else
        a->spans = moved;
    return moved->data;
}

struct ttp_mark ttp_arena_mark(const struct ttp_arena *a)
{
    return (struct ttp_mark){a->head, a->head ? a->head->used : 0, a->spans ? a->spans->number : 0};
}

void ttp_arena_rewind(struct ttp_arena *a, struct ttp_mark mark)
{
    while (a->spans && a->spans->number > mark.spans) {
        struct ttp_arena_span *older = a->spans->older;

        munmap(a->spans, a->spans->mapped);
        a->spans = older;
    }
    if (a->spans)
        a->spans->newer = NULL;
    while (a->head != mark.block) {
        struct ttp_arena_block *prev = a->head->prev;

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
