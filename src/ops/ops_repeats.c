/* SPDX-License-Identifier: Apache-2.0 */
/* ops_repeats.c - rows of a file that are there twice. One call may run on several devices and in
 * every replay of a trace, but a device starts and ends it at two cycles only once. */
#include "ops/ops_repeats.h"

#include "base/map.h"

static const enum ttp_ops_number keys[] = {TTP_OPS_CALL_COUNT, TTP_OPS_DEVICE,
                                           TTP_OPS_FW_START_CYCLE, TTP_OPS_FW_END_CYCLE};

static uint64_t bits_of(struct ttp_cell c)
{
    uint64_t bits = 0;

    if (c.kind == TTP_CELL_FLOAT)
        memcpy(&bits, &c.v.f, sizeof(bits));
    else
        bits = (uint64_t)c.v.i;
    return bits;
}

/* False: the row does not say which execution it is. */
static bool hash_row(const struct ttp_ops *ops, size_t row, uint64_t *hash)
{
    *hash = 0;
    for (size_t k = 0; k < TTP_COUNT(keys); k++) {
        const struct ttp_cell c = ttp_ops_cell(ops, keys[k], row);
        if (c.kind != TTP_CELL_INT && c.kind != TTP_CELL_FLOAT)
            return false;
        *hash = ttp_hash_u64(*hash, bits_of(c));
    }
    return true;
}

static bool is_same(const struct ttp_ops *ops, size_t a, size_t b)
{
    double x = 0, y = 0;

    for (size_t k = 0; k < TTP_COUNT(keys); k++)
        if (bits_of(ttp_ops_cell(ops, keys[k], a)) != bits_of(ttp_ops_cell(ops, keys[k], b)))
            return false;
    (void)ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_RANK, a), &x);
    (void)ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_RANK, b), &y);
    return x == y;
}

bool ttp_ops_find_repeat(const struct ttp_ops *ops, size_t from, size_t *first, size_t *again)
{
    struct ttp_arena arena = {0};
    struct ttp_map seen = {.arena = &arena};
    bool found = false;

    for (size_t k = 0; k < TTP_COUNT(keys); k++)
        if (!ops->number[keys[k]].kind)
            return false;
    for (size_t r = from; r < ops->rows && !found; r++) {
        uint64_t hash;

        if (!hash_row(ops, r, &hash))
            continue;
        struct ttp_map_walk walk = ttp_map_walk(&seen, hash);
        for (uint32_t at = ttp_map_next(&seen, &walk); at != TTP_MAP_NONE && !found;
             at = ttp_map_next(&seen, &walk))
            if (is_same(ops, at, r)) {
                *first = at;
                *again = r;
                found = true;
            }
        if (!found)
            ttp_map_add(&seen, hash, (uint32_t)r);
    }
    ttp_arena_free(&arena);
    return found;
}
