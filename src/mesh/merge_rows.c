/* SPDX-License-Identifier: Apache-2.0 */
/* merge_rows.c - tables of rows with a key, which add up. */
#include <stdlib.h>

#include "mesh/merge.h"

static int compare(const struct ttp_merge_key *a, const struct ttp_merge_key *b)
{
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->ordinal != b->ordinal)
        return a->ordinal < b->ordinal ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

static int by_key(const void *pa, const void *pb)
{
    struct ttp_merge_key a, b;

    memcpy(&a, pa, sizeof(a));
    memcpy(&b, pb, sizeof(b));
    return compare(&a, &b);
}

/* ---- how rows add up ---- */

static void add_ops(void *pinto, const void *pfrom)
{
    struct ttp_merge_op *into = pinto;
    const struct ttp_merge_op *from = pfrom;
    const bool slower =
        from->max_ns > into->max_ns ||
        (from->max_ns == into->max_ns &&
         (from->rank < into->rank || (from->rank == into->rank && from->device < into->device)));

    into->key.count += from->key.count;
    into->total_ns += from->total_ns;
    if (from->min_ns < into->min_ns)
        into->min_ns = from->min_ns;
    if (!slower)
        return;
    into->max_ns = from->max_ns;
    into->rank = from->rank;
    into->device = from->device;
}

static void add_spreads(void *pinto, const void *pfrom)
{
    struct ttp_merge_spread *into = pinto;
    const struct ttp_merge_spread *from = pfrom;

    into->key.count += from->key.count;
    for (size_t i = 0; i < TTP_MERGE_BINS; i++)
        into->bin[i] += from->bin[i];
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_meetings(void *pinto, const void *pfrom)
{
    struct ttp_merge_meeting *into = pinto;
    const struct ttp_merge_meeting *from = pfrom;
    const bool later =
        from->last_ns > into->last_ns ||
        (from->last_ns == into->last_ns &&
         (from->rank < into->rank || (from->rank == into->rank && from->device < into->device)));

    into->key.count += from->key.count;
    into->aligned += from->aligned;
    into->first_ns = least(into->first_ns, from->first_ns);
    into->second_ns =
        later ? most(into->last_ns, from->second_ns) : most(into->second_ns, from->last_ns);
    into->end_ns = most(into->end_ns, from->end_ns);
    into->shortest_ns = least(into->shortest_ns, from->shortest_ns);
    into->total_ns += from->total_ns;
    if (!later)
        return;
    into->last_ns = from->last_ns;
    into->rank = from->rank;
    into->device = from->device;
}

const struct ttp_merge_sum ttp_merge_ops = {sizeof(struct ttp_merge_op), add_ops};
const struct ttp_merge_sum ttp_merge_spreads = {sizeof(struct ttp_merge_spread), add_spreads};
const struct ttp_merge_sum ttp_merge_meetings = {sizeof(struct ttp_merge_meeting), add_meetings};

/* ---- tables ---- */

void *ttp_mesh_merge_new_row(struct ttp_merge_rows *rows)
{
    if (rows->count == rows->room) {
        rows->room = rows->room ? 2 * rows->room : 256;
        rows->row = ttp_arena_resize(rows->arena, rows->row, rows->room * rows->how->size);
    }
    void *row = rows->row + rows->count++ * rows->how->size;
    memset(row, 0, rows->how->size);
    return row;
}

ttp_str ttp_mesh_merge_settle(struct ttp_merge_rows *rows)
{
    const size_t size = rows->how->size;
    size_t n = 0;

    if (rows->count == 0)
        return TTP_STR("");
    qsort(rows->row, rows->count, size, by_key);
    for (size_t i = 1; i < rows->count; i++)
        if (by_key(rows->row + n * size, rows->row + i * size) == 0)
            rows->how->add(rows->row + n * size, rows->row + i * size);
        else
            memmove(rows->row + ++n * size, rows->row + i * size, size);
    rows->count = n + 1;
    return (ttp_str){rows->row, rows->count * size};
}

ttp_str ttp_mesh_merge_add(ttp_str a, ttp_str b, const struct ttp_merge_sum *how,
                           struct ttp_arena *arena)
{
    struct ttp_merge_rows all = {.how = how, .arena = arena};

    all.room = (a.len + b.len) / how->size;
    all.count = all.room;
    all.row = ttp_arena_alloc(arena, all.room + 1, how->size, alignof(max_align_t));
    memcpy(all.row, a.ptr, a.len - a.len % how->size);
    memcpy(all.row + a.len - a.len % how->size, b.ptr, b.len - b.len % how->size);
    return ttp_mesh_merge_settle(&all);
}

const void *ttp_mesh_merge_find(ttp_str table, const struct ttp_merge_sum *how, uint32_t line,
                                uint32_t ordinal, uint32_t group)
{
    const struct ttp_merge_key key = {line, ordinal, group, 0};

    return table.len ? bsearch(&key, table.ptr, table.len / how->size, how->size, by_key) : NULL;
}
