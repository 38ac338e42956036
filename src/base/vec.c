/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"

/* From here on an array has pages of its own, which move without a copy and cost nothing until they
 * are touched. */
#define PAGES_FROM ((size_t)512 << 10)

static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        ttp_arena_oom();
    return bytes;
}

void *ttp_vec_grow(struct ttp_arena *arena, void *list, size_t count, size_t size)
{
    const size_t had = bytes_of(count, size), kept = list ? had : 0;
    const size_t wanted = bytes_of(count ? count : TTP_VEC_FIRST / 2, 2 * size);
    char *grown;

    if (had >= PAGES_FROM)
        return ttp_arena_resize(arena, list, wanted);
    if (wanted >= PAGES_FROM) {
        grown = ttp_arena_resize(arena, NULL, wanted);
    } else { /* the new part must be zero */
        grown = ttp_arena_raw(arena, wanted, 1, alignof(max_align_t));
        memset(grown + kept, 0, wanted - kept);
    }
    if (kept)
        memcpy(grown, list, kept);
    return grown;
}

void *ttp_vec_reserve(struct ttp_arena *arena, void *list, size_t need, size_t *cap, size_t size)
{
    if (TTP_LIKELY(need <= *cap))
        return list;
    *cap = need < 2 * *cap ? 2 * *cap : need < TTP_VEC_FIRST ? TTP_VEC_FIRST : need;
    return ttp_arena_resize(arena, list, bytes_of(*cap, size));
}

void ttp_words_add(struct ttp_words *list, const char *word, struct ttp_arena *arena)
{
    *TTP_PUSH(arena, list->word, list->count) = word;
}
