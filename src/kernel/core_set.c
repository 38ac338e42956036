/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"
#include "kernel/kernel.h"

static uint32_t pack(int x, int y)
{
    return (uint32_t)(x & 0xffff) << 16 | (uint32_t)(y & 0xffff);
}

void ttp_kernel_add_core(struct ttp_core_set *s, int x, int y, struct ttp_arena *arena)
{
    const uint32_t core = pack(x, y);

    s->known.arena = arena;
    if (ttp_map_get(&s->known, core) != TTP_MAP_NONE)
        return;
    ttp_map_put(&s->known, core, (uint32_t)s->count);
    *TTP_PUSH(arena, s->core, s->count) = core;
}

bool ttp_kernel_has_core(const struct ttp_core_set *s, int x, int y)
{
    return ttp_map_get(&s->known, pack(x, y)) != TTP_MAP_NONE;
}

/* Bits of 65536 coordinates. */
struct bits {
    uint64_t word[1024];
};

static bool set_bit(struct bits *b, uint32_t at)
{
    const uint64_t bit = UINT64_C(1) << (at & 63);
    const bool fresh = !(b->word[at >> 6] & bit);

    b->word[at >> 6] |= bit;
    return fresh;
}

void ttp_kernel_core_grid(const struct ttp_core_set *s, size_t *cols, size_t *rows)
{
    struct bits x = {{0}}, y = {{0}};

    *cols = *rows = 0;
    for (size_t i = 0; i < s->count; i++) {
        *cols += set_bit(&x, s->core[i] >> 16);
        *rows += set_bit(&y, s->core[i] & 0xffff);
    }
}

void ttp_kernel_add_size(struct ttp_sizes *s, uint64_t bytes, struct ttp_arena *arena)
{
    size_t at = s->count;

    while (at > 0 && s->size[at - 1].bytes > bytes)
        at--;
    if (at > 0 && s->size[at - 1].bytes == bytes) {
        s->size[at - 1].count++;
        return;
    }
    TTP_ROOM(arena, s->size, s->count);
    memmove(&s->size[at + 1], &s->size[at], (s->count - at) * sizeof(*s->size));
    s->size[at] = (struct ttp_size_count){bytes, 1};
    s->count++;
}
