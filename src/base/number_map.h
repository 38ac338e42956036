/* SPDX-License-Identifier: Apache-2.0 */
/* number_map.h - numbers to positions, and lists that grow. */
#ifndef TTP_BASE_NUMBER_MAP_H
#define TTP_BASE_NUMBER_MAP_H

#include "base/arena.h"

/* Zero-initialise it, with an arena. Positions below UINT32_MAX. */
struct ttp_number_map {
    struct ttp_arena *arena;
    uint64_t *key;
    uint32_t *value; /* position + 1; 0: free slot */
    size_t count, cap;
};

static inline size_t ttp_number_map_slot(const struct ttp_number_map *m, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->cap - 1);

    while (m->value[at] && m->key[at] != key)
        at = (at + 1) & (m->cap - 1);
    return at;
}

/* UINT32_MAX: not there. */
static inline uint32_t ttp_number_map_get(const struct ttp_number_map *m, uint64_t key)
{
    return m->cap ? m->value[ttp_number_map_slot(m, key)] - 1 : UINT32_MAX;
}

static inline void ttp_number_map_grow(struct ttp_number_map *m)
{
    const struct ttp_number_map old = *m;

    m->cap = m->cap ? m->cap * 2 : 256;
    m->key = ttp_arena_raw(m->arena, m->cap, sizeof(*m->key), alignof(uint64_t));
    m->value = TTP_NEW(m->arena, uint32_t, m->cap);
    for (size_t i = 0; i < old.cap; i++)
        if (old.value[i]) {
            const size_t at = ttp_number_map_slot(m, old.key[i]);

            m->key[at] = old.key[i];
            m->value[at] = old.value[i];
        }
}

static inline void ttp_number_map_set(struct ttp_number_map *m, uint64_t key, uint32_t value)
{
    if (2 * (m->count + 1) > m->cap)
        ttp_number_map_grow(m);
    const size_t at = ttp_number_map_slot(m, key);
    m->count += m->value[at] == 0;
    m->key[at] = key;
    m->value[at] = value + 1;
}

/* One more element of a list that came from here or is NULL: its address, zeroed. Evaluates its
 * arguments more than once. */
#define TTP_PUSH(arena, list, count, cap)                                                          \
    (((count) == (cap) ? ((cap) = (cap) ? 2 * (cap) : 64,                                          \
                          (list) = ttp_arena_resize((arena), (list), (cap) * sizeof(*(list))), 0)  \
                       : 0),                                                                       \
     &(list)[(count)++])

#endif
