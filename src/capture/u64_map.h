/* SPDX-License-Identifier: Apache-2.0 */
/* u64_map.h - from addresses and thread ids to small numbers. Grows in an arena. */
#ifndef TTP_CAPTURE_U64_MAP_H
#define TTP_CAPTURE_U64_MAP_H

#include "base/arena.h"

#define TTP_U64_NONE UINT32_MAX

struct ttp_u64_map {
    struct ttp_arena *arena; /* set by the caller */
    struct ttp_u64_slot {
        uint64_t key;
        uint32_t value; /* plus one; 0: empty */
    } * slot;
    size_t nslots, count;
};

static inline size_t ttp_u64_at(const struct ttp_u64_map *m, uint64_t key)
{
    size_t at = (size_t)(key * 0x9E3779B97F4A7C15u >> 24) & (m->nslots - 1);

    while (m->slot[at].value && m->slot[at].key != key)
        at = (at + 1) & (m->nslots - 1);
    return at;
}

/* TTP_U64_NONE: not there. */
static inline uint32_t ttp_u64_find(const struct ttp_u64_map *m, uint64_t key)
{
    return m->nslots ? m->slot[ttp_u64_at(m, key)].value - 1 : TTP_U64_NONE;
}

/* Add or replace; value < TTP_U64_NONE. */
void ttp_u64_put(struct ttp_u64_map *m, uint64_t key, uint32_t value);

#endif
