/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/u64_map.h"

static void grow(struct ttp_u64_map *m)
{
    const struct ttp_u64_map old = *m;

    m->nslots = old.nslots ? old.nslots * 2 : 64;
    m->slot = ttp_arena_resize(m->arena, NULL, m->nslots * sizeof(*m->slot));
    for (size_t i = 0; i < old.nslots; i++)
        if (old.slot[i].value)
            m->slot[ttp_u64_at(m, old.slot[i].key)] = old.slot[i];
    if (old.slot) /* nothing is freed one by one, but its pages can go */
        ttp_arena_resize(m->arena, old.slot, 1);
}

void ttp_u64_put(struct ttp_u64_map *m, uint64_t key, uint32_t value)
{
    if (m->count * 2 >= m->nslots)
        grow(m);
    struct ttp_u64_slot *slot = &m->slot[ttp_u64_at(m, key)];
    m->count += slot->value == 0;
    *slot = (struct ttp_u64_slot){key, value + 1};
}
