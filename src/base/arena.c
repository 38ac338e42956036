/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/budget.h"

#ifdef __SANITIZE_ADDRESS__
#define TTP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TTP_ASAN 1
#endif
#endif

#ifdef __SANITIZE_THREAD__
#define TTP_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TTP_TSAN 1
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
/* From here on memory is mapped: it comes zeroed, and is returned immediately when released. */
#define MAPPED_FROM ((size_t)1 << 20)
/* From here on in large pages where the system offers them: hundreds of times fewer page faults. */
#define LARGE_PAGES_FROM ((size_t)8 << 20)

struct ttp_arena_block {
    struct ttp_held held; /* first, so that its address is the block's; likewise for a span */
    struct ttp_arena_block *prev;
    size_t used, cap;
    alignas(64) unsigned char data[];
};

/* A mapping of its own that can be moved; newest first. `number` counts from 1. */
struct ttp_arena_span {
    struct ttp_held held;
    struct ttp_arena_span *older, *newer;
    size_t mapped, number;
    alignas(64) unsigned char data[];
};

_Noreturn void ttp_arena_oom(void)
{
    ttp_budget_refused(0);
}

static void free_block(struct ttp_held *held)
{
    struct ttp_arena_block *b = (struct ttp_arena_block *)(void *)held;

    ASAN_UNPOISON_MEMORY_REGION(b->data, b->cap);
    ttp_held_drop(held);
    free(b);
}

static void unmap_span(struct ttp_held *held)
{
    struct ttp_arena_span *s = (struct ttp_arena_span *)(void *)held;

    ttp_held_drop(held);
    munmap(s, s->mapped);
}

static struct ttp_arena_block *new_block(struct ttp_arena *a, size_t need)
{
    size_t cap = a->head ? a->head->cap * 2 : FIRST_BLOCK;

    if (cap > LARGEST_BLOCK)
        cap = LARGEST_BLOCK;
    if (cap < need)
        cap = need;
    const size_t size = (sizeof(struct ttp_arena_block) + cap + 63) & ~(size_t)63;
    ttp_budget_take_memory(size);
    struct ttp_arena_block *b = aligned_alloc(64, size);
    if (!b)
        ttp_budget_refused(size);
    ttp_held_add(&b->held, size, free_block);
    ASAN_POISON_MEMORY_REGION(b->data, cap);
    b->prev = a->head;
    b->used = 0;
    b->cap = cap;
    a->head = b;
    return b;
}

/* A new mapping, the newest of the arena. */
static void *map_span(struct ttp_arena *a, size_t bytes)
{
    const size_t mapped = (sizeof(struct ttp_arena_span) + bytes + PAGE - 1) & ~(PAGE - 1);
    ttp_budget_take_memory(mapped);
    struct ttp_arena_span *s =
        mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (s == MAP_FAILED)
        ttp_budget_refused(mapped);
    if (mapped >= LARGE_PAGES_FROM)
        (void)madvise(s, mapped, MADV_HUGEPAGE);
    ttp_held_add(&s->held, mapped, unmap_span);
    s->older = a->spans;
    s->mapped = mapped;
    s->number = s->older ? s->older->number + 1 : 1;
    if (s->older)
        s->older->newer = s;
    a->spans = s;
    return s->data;
}

static bool is_mapped(size_t need)
{
    return REDZONE == 0 && need >= MAPPED_FROM;
}

static void *take(struct ttp_arena *a, size_t need, size_t align)
{
    struct ttp_arena_block *b = a->head;

    if (need > SIZE_MAX / 4)
        ttp_arena_oom();
    if (is_mapped(need))
        return map_span(a, need);
    size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;
    if (!b || at > b->cap || need + REDZONE > b->cap - at) {
        b = new_block(a, need + REDZONE);
        at = 0;
    }
    void *p = b->data + at;
    b->used = at + need + REDZONE;
    ASAN_UNPOISON_MEMORY_REGION(p, need);
    return p;
}

void *ttp_arena_raw(struct ttp_arena *a, size_t count, size_t size, size_t align)
{
    size_t need;

    if (__builtin_mul_overflow(count, size, &need))
        ttp_arena_oom();
    return take(a, need, align);
}

void *ttp_arena_alloc(struct ttp_arena *a, size_t count, size_t size, size_t align)
{
    void *p = ttp_arena_raw(a, count, size, align);

    return is_mapped(count * size) ? p : memset(p, 0, count * size);
}

char *ttp_arena_bytes(struct ttp_arena *a, size_t n)
{
    return take(a, n, 1);
}

ttp_str ttp_arena_copy(struct ttp_arena *a, ttp_str s)
{
    char *p = ttp_arena_bytes(a, s.len);

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

static void *move_span(void *old, size_t from, size_t to)
{
#ifdef TTP_TSAN
    /* it does not see mremap(): what moved away it would still count as the other thread's */
    void *moved = mmap(NULL, to, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (moved != MAP_FAILED) {
        memcpy(moved, old, from < to ? from : to);
        munmap(old, from);
    }
    return moved;
#else
    return mremap(old, from, to, MREMAP_MAYMOVE);
#endif
}

void *ttp_arena_resize(struct ttp_arena *a, void *old, size_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        ttp_arena_oom();
    if (!old)
        return map_span(a, bytes);
    const size_t mapped = (sizeof(struct ttp_arena_span) + bytes + PAGE - 1) & ~(PAGE - 1);
    struct ttp_arena_span *s = span_of(old);
    if (s->mapped == mapped)
        return old;
    const size_t before = s->mapped, more = mapped > before ? mapped - before : 0;
    ttp_budget_take_memory(more);
    ttp_held_lock(&s->held);
    struct ttp_arena_span *moved = move_span(s, before, mapped);
    if (moved == MAP_FAILED) {
        ttp_held_moved(&s->held, before);
        ttp_budget_refused(more);
    }
    s = moved;
    ttp_held_moved(&s->held, mapped);
    if (mapped < before)
        ttp_budget_give_memory(before - mapped);
    s->mapped = mapped;
    if (s->older)
        s->older->newer = s;
    if (s->newer)
        s->newer->older = s;
    else
        a->spans = s;
    return s->data;
}

struct ttp_mark ttp_arena_mark(const struct ttp_arena *a)
{
    return (struct ttp_mark){a->head, a->head ? a->head->used : 0, a->spans ? a->spans->number : 0};
}

void ttp_arena_rewind(struct ttp_arena *a, struct ttp_mark mark)
{
    while (a->spans && a->spans->number > mark.spans) {
        struct ttp_arena_span *older = a->spans->older;

        unmap_span(&a->spans->held);
        a->spans = older;
    }
    if (a->spans)
        a->spans->newer = NULL;
    while (a->head != mark.block) {
        struct ttp_arena_block *prev = a->head->prev;

        free_block(&a->head->held);
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

void ttp_arena_reset(struct ttp_arena *a)
{
    struct ttp_arena_block *newest = a->head;

    if (newest)
        a->head = newest->prev;
    ttp_arena_free(a);
    a->head = newest;
    if (!newest)
        return;
    newest->prev = NULL;
    newest->used = 0;
    ASAN_POISON_MEMORY_REGION(newest->data, newest->cap);
}

void ttp_arena_keep(struct ttp_arena *a)
{
    for (struct ttp_arena_block *b = a->head; b; b = b->prev)
        ttp_held_keep(&b->held);
    for (struct ttp_arena_span *s = a->spans; s; s = s->older)
        ttp_held_keep(&s->held);
}
