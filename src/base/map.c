/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#define FIRST_SLOTS ((size_t)64)
/* From here on the slots have pages of their own, which can go when the map has grown. */
#define PAGES_FROM ((size_t)64 << 10)

static void put_into(struct ttp_map *m, struct ttp_map_slot slot)
{
    size_t at = ttp_map_home(m, slot.key);

    while (m->slot[at].value)
        at = (at + 1) & (m->nslots - 1);
    m->slot[at] = slot;
}

static void grow(struct ttp_map *m)
{
    const struct ttp_map old = *m;
    const size_t had = old.nslots * sizeof(*m->slot);

    m->nslots = old.nslots ? old.nslots * 2 : FIRST_SLOTS;
    m->slot = m->nslots * sizeof(*m->slot) >= PAGES_FROM
                  ? ttp_arena_resize(m->arena, NULL, m->nslots * sizeof(*m->slot))
                  : TTP_NEW(m->arena, struct ttp_map_slot, m->nslots);
    /* from an empty slot on, so that values of one hash stay in order */
    size_t first = 0;
    while (first < old.nslots && old.slot[first].value)
        first++;
    for (size_t i = 0; i < old.nslots; i++)
        if (old.slot[(first + i) & (old.nslots - 1)].value)
            put_into(m, old.slot[(first + i) & (old.nslots - 1)]);
    if (had >= PAGES_FROM)
        ttp_arena_resize(m->arena, old.slot, 1);
}

void ttp_map_put(struct ttp_map *m, uint64_t key, uint32_t value)
{
    if (m->count * 2 >= m->nslots)
        grow(m);
    struct ttp_map_slot *slot = &m->slot[ttp_map_slot_of(m, key)];
    m->count += slot->value == 0;
    *slot = (struct ttp_map_slot){key, value + 1};
}

void ttp_map_add(struct ttp_map *m, uint64_t hash, uint32_t value)
{
    if (m->count * 2 >= m->nslots)
        grow(m);
    m->count++;
    put_into(m, (struct ttp_map_slot){hash, value + 1});
}
