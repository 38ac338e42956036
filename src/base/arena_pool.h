/* SPDX-License-Identifier: Apache-2.0 */
/* arena_pool.h - arenas that pass from one item of a pipeline to the next with their memory, so
 * that its pages are not requested from the system for every item. Thread safe. */
#ifndef TTP_BASE_ARENA_POOL_H
#define TTP_BASE_ARENA_POOL_H

#include <pthread.h>

#include "base/arena.h"

/* More are not kept; a pipeline has few items alive at a time. */
#define TTP_ARENA_POOL_MAX 16

struct ttp_arena_pool {
    pthread_mutex_t lock;
    struct ttp_arena kept[TTP_ARENA_POOL_MAX];
    size_t count;
};

void ttp_arena_pool_init(struct ttp_arena_pool *p);
/* The arena released last, empty, or a new one. It is the caller's until released or freed. */
struct ttp_arena ttp_arena_pool_take(struct ttp_arena_pool *p);
/* All allocations from *a are released; *a is then a new arena. */
void ttp_arena_pool_give(struct ttp_arena_pool *p, struct ttp_arena *a);
void ttp_arena_pool_clear(struct ttp_arena_pool *p);

#endif
