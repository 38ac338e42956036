/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "kernel/kernel.h"

static uint32_t pack(int x, int y)
{
    return (uint32_t)(x & 0xffff) << 16 | (uint32_t)(y & 0xffff);
}

static size_t slot_of(const struct ttp_core_set *s, uint32_t core)
{
    size_t at = (core * 0x9E3779B1u >> 7) & (s->nslots - 1);

    while (s->slot[at] && s->core[s->slot[at] - 1] != core)
        at = (at + 1) & (s->nslots - 1);
    return at;
}

void ttp_kernel_add_core(struct ttp_core_set *s, int x, int y, struct ttp_arena *arena)
{
    const uint32_t core = pack(x, y);

    if (s->count == s->cap) {
        const size_t cap = s->cap ? s->cap * 2 : 64;
        uint32_t *wider = TTP_NEW(arena, uint32_t, cap);
        if (s->count)
            memcpy(wider, s->core, s->count * sizeof(*wider));
        s->core = wider;
        s->cap = cap;
        s->nslots = cap * 2;
        s->slot = TTP_NEW(arena, uint32_t, s->nslots);
        for (size_t i = 0; i < s->count; i++)
            s->slot[slot_of(s, s->core[i])] = (uint32_t)i + 1;
    }
    const size_t at = slot_of(s, core);
    if (s->slot[at])
        return;
    s->core[s->count] = core;
    s->slot[at] = (uint32_t)++s->count;
}

bool ttp_kernel_has_core(const struct ttp_core_set *s, int x, int y)
{
    return s->nslots && s->slot[slot_of(s, pack(x, y))] != 0;
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
    if (s->count == s->cap) {
        const size_t cap = s->cap ? s->cap * 2 : 32;
        struct ttp_size_count *wider = TTP_NEW(arena, struct ttp_size_count, cap);
        if (s->count)
            memcpy(wider, s->size, s->count * sizeof(*wider));
        s->size = wider;
        s->cap = cap;
    }
    memmove(&s->size[at + 1], &s->size[at], (s->count - at) * sizeof(*s->size));
    s->size[at] = (struct ttp_size_count){bytes, 1};
    s->count++;
}
