/* SPDX-License-Identifier: Apache-2.0 */
/* vec.h - arrays that grow while they are filled: a pointer and a count that their owner holds,
 * with the memory in an arena.
 *
 * TTP_PUSH() and TTP_ROOM() keep no capacity: the room of an array follows from its count (8, then
 * the next power of two), so the array comes from these macros or is NULL. An array that shrinks
 * again and again, such as a stack, keeps its capacity: TTP_RESERVE(). Arrays move when they grow:
 * keep indices, not pointers. Small ones move within their arena, so do not grow one between
 * ttp_arena_mark() and ttp_arena_rewind() that outlives the rewind; TTP_RESERVE() may be used
 * there. */
#ifndef TTP_BASE_VEC_H
#define TTP_BASE_VEC_H

#include "base/arena.h"
#include "base/compiler.h"

#define TTP_VEC_FIRST 8

/* `list` with room for twice its `count` elements, or for the first ones; the new ones are zeroed.
 */
void *ttp_vec_grow(struct ttp_arena *arena, void *list, size_t count, size_t size);
/* `list` with room for at least `need` elements of `*cap` now; the new ones are zeroed. */
void *ttp_vec_reserve(struct ttp_arena *arena, void *list, size_t need, size_t *cap, size_t size);

static inline void *ttp_vec_room(struct ttp_arena *arena, void *list, size_t count, size_t size)
{
    const bool full = count < TTP_VEC_FIRST ? !list : (count & (count - 1)) == 0;

    return TTP_UNLIKELY(full) ? ttp_vec_grow(arena, list, count, size) : list;
}

/* Make room for one more element of `list` after its first `count`. */
#define TTP_ROOM(arena, list, count)                                                               \
    ((list) = ttp_vec_room((arena), (list), (count), sizeof(*(list))))
/* Count one more element of `list`: its address. In *TTP_PUSH(arena, list, count) = value the value
 * must not depend on `list` or `count`. */
#define TTP_PUSH(arena, list, count) (TTP_ROOM(arena, list, count), &(list)[(count)++])
/* Make room for `need` elements of `list`, whose capacity is in the size_t `cap`. */
#define TTP_RESERVE(arena, list, need, cap)                                                        \
    ((list) = ttp_vec_reserve((arena), (list), (need), &(cap), sizeof(*(list))))
/* TTP_PUSH() for an array that has a capacity. */
#define TTP_PUSH_WITHIN(arena, list, count, cap)                                                   \
    (TTP_RESERVE(arena, list, (count) + 1, cap), &(list)[(count)++])

#endif
