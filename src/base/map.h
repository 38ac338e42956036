/* SPDX-License-Identifier: Apache-2.0 */
/* map.h - a hash map from 64-bit keys to positions, usually in an array that its owner holds.
 *
 * Zero-initialise it, with an arena. Other keys go in by their hash, see ttp_hash_u64(): the owner
 * compares what is at the position with what it looks for. Texts are numbered by sym.h. */
#ifndef TTP_BASE_MAP_H
#define TTP_BASE_MAP_H

#include "base/arena.h"

#define TTP_MAP_NONE UINT32_MAX

struct ttp_map {
    struct ttp_arena *arena;
    struct ttp_map_slot {
        uint64_t key;
        uint32_t value; /* plus one; 0: empty */
    } * slot;
    size_t nslots, count;
};

/* Where to look next for a key; see TTP_MAP_EACH(). */
struct ttp_map_walk {
    uint64_t key;
    size_t at;
};

static inline size_t ttp_map_home(const struct ttp_map *m, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 24) & (m->nslots - 1);
}

static inline size_t ttp_map_slot_of(const struct ttp_map *m, uint64_t key)
{
    size_t at = ttp_map_home(m, key);

    while (m->slot[at].value && m->slot[at].key != key)
        at = (at + 1) & (m->nslots - 1);
    return at;
}

/* TTP_MAP_NONE: not there. */
static inline uint32_t ttp_map_get(const struct ttp_map *m, uint64_t key)
{
    return m->nslots ? m->slot[ttp_map_slot_of(m, key)].value - 1 : TTP_MAP_NONE;
}

/* Set the value of a key, below TTP_MAP_NONE. */
void ttp_map_put(struct ttp_map *m, uint64_t key, uint32_t value);

/* For hashes, which different keys may share: add a value after those that `hash` has. */
void ttp_map_add(struct ttp_map *m, uint64_t hash, uint32_t value);

static inline struct ttp_map_walk ttp_map_walk(const struct ttp_map *m, uint64_t hash)
{
    return (struct ttp_map_walk){hash, m->nslots ? ttp_map_home(m, hash) : 0};
}

static inline uint32_t ttp_map_next(const struct ttp_map *m, struct ttp_map_walk *w)
{
    while (m->nslots) {
        const struct ttp_map_slot *slot = &m->slot[w->at];

        if (!slot->value)
            break;
        w->at = (w->at + 1) & (m->nslots - 1);
        if (slot->key == w->key)
            return slot->value - 1;
    }
    return TTP_MAP_NONE;
}

/* Go through the values of a hash: TTP_MAP_EACH(at, &map, hash) if (is_same(&item[at], key)) return
 * at; */
#define TTP_MAP_EACH(at, map, hash)                                                                \
    for (struct ttp_map_walk walk_##at = ttp_map_walk((map), (hash));                              \
         ((at) = ttp_map_next((map), &walk_##at)) != TTP_MAP_NONE;)

/* A hash of what was hashed before (0 at first) and one more number. */
static inline uint64_t ttp_hash_u64(uint64_t hash, uint64_t v)
{
    hash = (hash ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/* The same with the bytes of a text (FNV-1a); TTP_HASH_TEXT at first. */
#define TTP_HASH_TEXT UINT64_C(0xcbf29ce484222325)
static inline uint64_t ttp_hash_text(uint64_t hash, ttp_str text)
{
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
