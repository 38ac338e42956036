/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/ops_ranks.h"
#include "base/map.h"
#include "base/order.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>

TTP_ORDER(by_rank_and_id, struct ttp_ops_device, TTP_UP(rank), TTP_UP(id))

static bool device_at(const struct ttp_ops *ops, size_t row, struct ttp_ops_device *out)
{
    const struct ttp_cell rank = ttp_ops_cell(ops, TTP_OPS_RANK, row),
                          id = ttp_ops_cell(ops, TTP_OPS_DEVICE, row);
    double r, d;

    if (!ttp_cell_f64(rank, &r) || !ttp_cell_f64(id, &d) || !(r >= 0 && r < 1e9) ||
        !(d >= 0 && d < 1e9))
        return false;
    *out = (struct ttp_ops_device){.rank = (int64_t)r, .id = (int64_t)d};
    return true;
}

static uint64_t key_of(const struct ttp_ops_device *d)
{
    return (uint64_t)d->rank << 32 | (uint64_t)d->id;
}

void ttp_ops_number_ranks(struct ttp_ops *ops, size_t from, int64_t before, struct ttp_arena *arena)
{
    struct ttp_number_column *column = &ops->number[TTP_OPS_DEVICE];
    struct ttp_arena scratch = {0};
    struct ttp_map place = {.arena = &scratch}; /* in found[], by key_of() */
    struct ttp_ops_device *found = NULL, d;
    size_t n = 0;

    for (size_t r = from; r < ops->rows; r++) {
        if (!device_at(ops, r, &d) || ttp_map_get(&place, key_of(&d)) != TTP_MAP_NONE)
            continue;
        ttp_map_put(&place, key_of(&d), (uint32_t)n);
        *TTP_PUSH(&scratch, found, n) = d;
    }
    TTP_SORT(found, n, by_rank_and_id);
    for (size_t i = 0; i < n; i++)
        ttp_map_put(&place, key_of(&found[i]), (uint32_t)i);
    for (size_t r = from; r < ops->rows && n; r++) {
        if (!device_at(ops, r, &d))
            continue;
        column->kind[r] = TTP_CELL_INT;
        column->value[r].i = ttp_map_get(&place, key_of(&d));
    }
    struct ttp_ops_device *all = TTP_NEW(arena, struct ttp_ops_device, (size_t)before + n);
    for (size_t i = 0; i < (size_t)before; i++) /* of files without ranks */
        all[i] = i < ops->devices ? ops->device[i] : (struct ttp_ops_device){.id = (int64_t)i};
    for (size_t i = 0; i < n; i++)
        all[(size_t)before + i] = found[i];
    for (size_t i = 0; i < (size_t)before + n; i++) {
        char name[48];
        const int len =
            snprintf(name, sizeof(name), "%" PRId64 ":%" PRId64, all[i].rank, all[i].id);
        all[i].name = ttp_sym_intern(&ops->syms, (ttp_str){name, (size_t)len});
    }
    ops->device = all;
    ops->devices = (size_t)before + n;
    ttp_arena_free(&scratch);
}
