/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/tracy_nest.h"

#include "capture/capture.h"

static void sort_by_group(struct ttp_nest *n, const void *owner, ttp_nest_fn *group_of,
                          struct ttp_arena *arena)
{
    n->first = TTP_NEW(arena, uint32_t, n->groups + 2);
    n->order = ttp_arena_resize(arena, NULL, (n->count + 1) * sizeof(*n->order));
    for (size_t i = 0; i < n->count; i++)
        n->first[group_of(owner, (uint32_t)i) + 2]++;
    for (size_t g = 2; g < n->groups + 2; g++)
        n->first[g] += n->first[g - 1];
    for (size_t i = 0; i < n->count; i++) /* moves each start to that of the next group */
        n->order[n->first[group_of(owner, (uint32_t)i) + 1]++] = (uint32_t)i;
}

/* The zones that are open are the last one and those around it. */
static uint32_t nearest_open(const struct ttp_nest *n, uint32_t last, uint32_t wanted)
{
    while (last != TTP_ZONE_NONE && last != wanted)
        last = n->parent[last];
    return last;
}

static void link_group(struct ttp_nest *n, size_t group, const void *owner, ttp_nest_fn *parent_of)
{
    uint32_t last = TTP_ZONE_NONE;

    for (uint32_t k = n->first[group]; k < n->first[group + 1]; k++) {
        const uint32_t at = n->order[k], wanted = parent_of(owner, at);
        const uint32_t parent =
            wanted == TTP_ZONE_NONE ? TTP_ZONE_NONE : nearest_open(n, last, wanted);

        n->parent[at] = parent;
        if (parent == TTP_ZONE_NONE)
            n->roots[group]++;
        else
            n->parents += n->children[parent]++ == 0;
        last = at;
    }
}

void ttp_capture_nest_build(struct ttp_nest *nest, const void *owner, ttp_nest_fn *group_of,
                            ttp_nest_fn *parent_of, struct ttp_arena *arena)
{
    sort_by_group(nest, owner, group_of, arena);
    nest->parent = ttp_arena_resize(arena, NULL, (nest->count + 1) * sizeof(*nest->parent));
    nest->children = TTP_NEW(arena, uint32_t, nest->count + 1);
    nest->roots = TTP_NEW(arena, uint32_t, nest->groups + 1);
    nest->parents = 0;
    for (size_t g = 0; g < nest->groups; g++)
        link_group(nest, g, owner, parent_of);
}
