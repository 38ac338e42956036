/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena_pool.h"

void ttp_arena_pool_init(struct ttp_arena_pool *p)
{
    *p = (struct ttp_arena_pool){.count = 0};
    pthread_mutex_init(&p->lock, NULL);
}

struct ttp_arena ttp_arena_pool_take(struct ttp_arena_pool *p)
{
    struct ttp_arena a = {0};

    pthread_mutex_lock(&p->lock);
    if (p->count)
        a = p->kept[--p->count];
    pthread_mutex_unlock(&p->lock);
    return a;
}

void ttp_arena_pool_give(struct ttp_arena_pool *p, struct ttp_arena *a)
{
    ttp_arena_reset(a);
    pthread_mutex_lock(&p->lock);
    const bool room = p->count < TTP_ARENA_POOL_MAX;
    if (room)
        p->kept[p->count++] = *a;
    pthread_mutex_unlock(&p->lock);
    if (!room)
        ttp_arena_free(a);
    *a = (struct ttp_arena){0};
}

void ttp_arena_pool_clear(struct ttp_arena_pool *p)
{
    while (p->count)
        ttp_arena_free(&p->kept[--p->count]);
    pthread_mutex_destroy(&p->lock);
}
