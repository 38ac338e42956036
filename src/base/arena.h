/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h - memory that is released all at once. One thread per arena at a time. */
#ifndef TTP_BASE_ARENA_H
#define TTP_BASE_ARENA_H

#include <stdalign.h>
#include <stddef.h>

#include "base/str.h"

/* Zero-initialise it, and free it at the end. */
struct ttp_arena {
    struct ttp_arena_block *head;
    struct ttp_arena_span *spans;
};
struct ttp_mark {
    struct ttp_arena_block *block;
    size_t used;
    size_t spans; /* how many there were: unlike their addresses that does not change */
};

/* Never NULL: lack of memory is raised, see budget.h; the arena is unchanged. Memory is zeroed.
 */
void *ttp_arena_alloc(struct ttp_arena *a, size_t count, size_t size, size_t align);
/* The same without zeroing, for memory that is written before it is read. */
void *ttp_arena_raw(struct ttp_arena *a, size_t count, size_t size, size_t align);
char *ttp_arena_bytes(struct ttp_arena *a, size_t n);
ttp_str ttp_arena_copy(struct ttp_arena *a, ttp_str s);
/* The same with a NUL after it, for system calls. */
char *ttp_arena_zstr(struct ttp_arena *a, ttp_str s);

/* For columns that grow while their length is unknown: resize to `bytes` what an earlier call
 * returned (NULL: a new one). The address may change, the pages are moved rather than copied, the
 * new part is zeroed, and what is never touched costs no memory. */
void *ttp_arena_resize(struct ttp_arena *a, void *old, size_t bytes);

/* Raise lack of memory, see budget.h: for the few places in base that hold memory without an arena.
 */
_Noreturn void ttp_arena_oom(void);

struct ttp_mark ttp_arena_mark(const struct ttp_arena *a);
/* Release everything allocated since the mark; what was resized since then keeps its memory. */
void ttp_arena_rewind(struct ttp_arena *a, struct ttp_mark mark);
void ttp_arena_free(struct ttp_arena *a);
/* Release everything allocated, but keep the newest block for what comes next. */
void ttp_arena_reset(struct ttp_arena *a);

/* For budget.h: what it holds outlives the ttp_budget_run() in which it was allocated. */
void ttp_arena_keep(struct ttp_arena *a);

#define TTP_NEW(a, type, count) ((type *)ttp_arena_alloc((a), (count), sizeof(type), alignof(type)))

/* Append; list->word must come from this function or be NULL. */
void ttp_words_add(struct ttp_words *list, const char *word, struct ttp_arena *arena);

#endif
