/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sym.h"

/* Eight bytes a step through a 64 x 64 -> 128 bit product whose halves are folded: attribute texts
 * are hundreds of bytes long, so a byte-wise hash would cost more than the scan that found them. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load(const char *p, size_t n)
{
    uint64_t v = 0;
    memcpy(&v, p, n);
    return v;
}

static uint32_t hash_of(ttp_str s)
{
    const uint64_t k0 = 0x9E3779B97F4A7C15u, k1 = 0xC2B2AE3D27D4EB4Fu;
    uint64_t h = k0 ^ s.len;
    const char *p = s.ptr;
    size_t left = s.len;

    for (; left >= 16; left -= 16, p += 16)
        h = fold(load(p, 8) ^ h, load(p + 8, 8) ^ k1);
    if (left >= 8)
        h = fold(load(p, 8) ^ h, load(p + left - 8, 8) ^ k1);
    else if (left)
        h = fold(load(p, left) ^ h, k1);
    h = fold(h, k0);
    return (uint32_t)(h ^ h >> 32);
}

static void grow(struct ttp_symtab *t)
{
    const uint32_t cap = t->cap ? t->cap * 2 : 64, nslots = cap * 2;
    ttp_str *name = TTP_NEW(t->arena, ttp_str, cap);
    uint32_t *hash = TTP_NEW(t->arena, uint32_t, cap);
    uint32_t *slot = TTP_NEW(t->arena, uint32_t, nslots);

    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t at = t->hash[i] & (nslots - 1);

        name[i] = t->name[i];
        hash[i] = t->hash[i];
        while (slot[at])
            at = (at + 1) & (nslots - 1);
        slot[at] = i + 1;
    }
    t->name = name;
    t->hash = hash;
    t->slot = slot;
    t->cap = cap;
    t->nslots = nslots;
}

/* The slot of s, or the empty one where it belongs. */
static uint32_t locate(const struct ttp_symtab *t, ttp_str s, uint32_t h)
{
    uint32_t at = h & (t->nslots - 1);

    for (; t->slot[at]; at = (at + 1) & (t->nslots - 1)) {
        const uint32_t i = t->slot[at] - 1;
        if (t->hash[i] == h && ttp_str_eq(t->name[i], s))
            break;
    }
    return at;
}

static ttp_sym intern_hashed(struct ttp_symtab *t, ttp_str s, uint32_t h, bool borrowed)
{
    if (t->count == t->cap)
        grow(t);
    const uint32_t at = locate(t, s, h);
    if (!t->slot[at]) {
        t->name[t->count] = borrowed ? s : ttp_arena_copy(t->arena, s);
        t->hash[t->count] = h;
        t->slot[at] = ++t->count;
    }
    return t->slot[at] - 1;
}

ttp_sym ttp_sym_intern(struct ttp_symtab *t, ttp_str s)
{
    return intern_hashed(t, s, hash_of(s), false);
}

ttp_sym ttp_sym_intern_borrowed(struct ttp_symtab *t, ttp_str s)
{
    return intern_hashed(t, s, hash_of(s), true);
}

bool ttp_sym_find(const struct ttp_symtab *t, ttp_str s, ttp_sym *out)
{
    if (t->count == 0)
        return false;
    const uint32_t at = locate(t, s, hash_of(s));
    if (!t->slot[at])
        return false;
    *out = t->slot[at] - 1;
    return true;
}

void ttp_sym_merge(struct ttp_symtab *into, const struct ttp_symtab *from, ttp_sym *map)
{
    for (uint32_t i = 0; i < from->count; i++)
        map[i] = intern_hashed(into, from->name[i], from->hash[i], false);
}
