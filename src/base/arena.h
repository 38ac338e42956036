/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h - memory that is released all at once. */
#ifndef TTP_BASE_ARENA_H
#define TTP_BASE_ARENA_H

#include <stdalign.h>
#include <stddef.h>

#include "base/str.h"

struct ttp_arena {
    struct ttp_block *head;
};
struct ttp_mark {
    struct ttp_block *block;
    size_t used;
};

/* Never NULL: out of memory ends the process. Memory is zeroed. */
void *ttp_arena_alloc(struct ttp_arena *a, size_t count, size_t size, size_t align);
ttp_str ttp_arena_copy(struct ttp_arena *a, ttp_str s);
struct ttp_mark ttp_arena_mark(const struct ttp_arena *a);
void ttp_arena_rewind(struct ttp_arena *a, struct ttp_mark mark);
void ttp_arena_free(struct ttp_arena *a);

#define TTP_NEW(a, type, count) ((type *)ttp_arena_alloc((a), (count), sizeof(type), alignof(type)))

#endif
