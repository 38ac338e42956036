/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/capture_lane.h"

#include "base/order.h"
#include "base/vec.h"

/* --- buffers --- */

/* Position of the first one that is not below `at` in order of address, then number. */
static size_t position(const struct ttp_mem_set *set, const struct ttp_mem_buffer *all, uint32_t at)
{
    const int64_t address = all[at].address;
    size_t lo = 0;

    TTP_BISECT(lo, set->count, mid,
               all[set->item[mid]].address < address ||
                   (all[set->item[mid]].address == address && set->item[mid] < at));
    return lo;
}

static bool has_place(const struct ttp_mem_buffer *b)
{
    return b->has_address && b->address > 0;
}

void ttp_mem_lane_add(struct ttp_mem_lane *lane, const struct ttp_mem_buffer *all, uint32_t at,
                      struct ttp_arena *arena)
{
    struct ttp_mem_set *set = &lane->set[all[at].pool];
    const size_t place = position(set, all, at);

    (void)TTP_PUSH_WITHIN(arena, set->item, set->count, set->cap);
    memmove(set->item + place + 1, set->item + place,
            (set->count - 1 - place) * sizeof(*set->item));
    set->item[place] = at;
    set->bytes += all[at].bytes;
    set->size += all[at].size;
    set->placeless += !has_place(&all[at]);
    lane->gaps_fresh &= all[at].pool != TTP_MEM_L1;
}

bool ttp_mem_lane_remove(struct ttp_mem_lane *lane, const struct ttp_mem_buffer *all, uint32_t at)
{
    struct ttp_mem_set *set = &lane->set[all[at].pool];
    const size_t place = position(set, all, at);

    if (place == set->count || set->item[place] != at)
        return false;
    memmove(set->item + place, set->item + place + 1,
            (set->count - 1 - place) * sizeof(*set->item));
    set->count--;
    set->bytes -= all[at].bytes;
    set->size -= all[at].size;
    set->placeless -= !has_place(&all[at]);
    lane->gaps_fresh &= all[at].pool != TTP_MEM_L1;
    return true;
}

struct ttp_mem_gaps ttp_mem_lane_gaps(struct ttp_mem_lane *lane, const struct ttp_mem_buffer *all,
                                      const struct ttp_mem_device *d)
{
    const struct ttp_mem_set *set = &lane->set[TTP_MEM_L1];
    struct ttp_mem_sweep sweep;

    if (lane->gaps_fresh)
        return lane->gaps;
    ttp_mem_sweep_begin(&sweep, d);
    for (size_t i = 0; i < set->count; i++)
        ttp_mem_sweep_block(&sweep, (uint64_t)all[set->item[i]].address, all[set->item[i]].bytes);
    lane->gaps = set->placeless ? (struct ttp_mem_gaps){0} : ttp_mem_sweep_end(&sweep);
    lane->gaps_fresh = true;
    return lane->gaps;
}

/* --- circular buffers --- */

/* A number after `before`; false: something else is there. */
static bool take_number(ttp_str *rest, ttp_str before, uint64_t *out)
{
    size_t digits = 0;

    if (!ttp_str_starts(*rest, before))
        return false;
    const ttp_str text = ttp_str_slice(*rest, before.len, rest->len);
    while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9')
        digits++;
    *rest = ttp_str_slice(text, digits, text.len);
    return ttp_str_to_u64(ttp_str_slice(text, 0, digits), out);
}

/* "[(x=0,y=0) - (x=7,y=7)]" at the beginning of *rest. */
static bool take_rect(ttp_str *rest, uint64_t corner[4])
{
    ttp_str at = *rest;
    const bool ok = take_number(&at, TTP_STR("[(x="), &corner[0]) &&
                    take_number(&at, TTP_STR(",y="), &corner[1]) &&
                    take_number(&at, TTP_STR(") - (x="), &corner[2]) &&
                    take_number(&at, TTP_STR(",y="), &corner[3]);

    if (ok)
        *rest = at;
    return ok;
}

static ttp_code read_cores(struct ttp_mem_lane *lane, struct ttp_mem_cb *cb, ttp_str text,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    cb->rect = (uint32_t)lane->rects;
    for (size_t at = ttp_str_find_char(text, '['); at != TTP_NPOS;
         at = ttp_str_find_char(text, '[')) {
        uint64_t c[4];

        text = ttp_str_slice(text, at, text.len);
        if (!take_rect(&text, c)) {
            text = ttp_str_slice(text, 1, text.len);
            continue;
        }
        for (int i = 0; i < 4; i++)
            if (c[i] >= TTP_MEM_GRID)
                return ttp_fail(err, TTP_ELIMIT,
                                "a circular buffer is on core %llu of a row or column; the "
                                "maximum is %d",
                                (unsigned long long)c[i], TTP_MEM_GRID - 1);
        *TTP_PUSH_WITHIN(arena, lane->rect, lane->rects, lane->rect_cap) =
            (struct ttp_mem_rect){(uint8_t)c[0], (uint8_t)c[1], (uint8_t)c[2], (uint8_t)c[3]};
    }
    cb->rects = (uint32_t)lane->rects - cb->rect;
    return TTP_OK;
}

static uint32_t grid_of(struct ttp_mem_lane *lane, bool has_chip, int64_t chip,
                        struct ttp_arena *arena)
{
    for (size_t i = 0; i < lane->grids; i++)
        if (lane->grid[i].has_chip == has_chip && lane->grid[i].chip == chip)
            return (uint32_t)i;
    *TTP_PUSH(arena, lane->grid, lane->grids) = (struct ttp_mem_grid){
        has_chip, chip, TTP_NEW(arena, uint64_t, (size_t)TTP_MEM_GRID * TTP_MEM_GRID)};
    return (uint32_t)lane->grids - 1;
}

/* Add (or with `less` take away) the bytes of a circular buffer on its cores; the most that one of
 * them has then. */
static uint64_t spread(const struct ttp_mem_lane *lane, const struct ttp_mem_cb *cb, bool less)
{
    uint64_t *core = lane->grid[cb->grid].core, most = 0;

    for (uint32_t r = 0; r < cb->rects; r++) {
        const struct ttp_mem_rect *rect = &lane->rect[cb->rect + r];

        for (unsigned y = rect->y0; y <= rect->y1; y++)
            for (unsigned x = rect->x0; x <= rect->x1; x++) {
                uint64_t *c = &core[y * TTP_MEM_GRID + x];

                *c = less ? *c - cb->bytes : *c + cb->bytes;
                most = *c > most ? *c : most;
            }
    }
    return most;
}

ttp_code ttp_mem_lane_lay_out(struct ttp_mem_lane *lane, const struct ttp_mem_node *n,
                              uint32_t frame, struct ttp_arena *arena, struct ttp_err *err)
{
    const int64_t bytes = ttp_mem_param(n, TTP_PARAM_SIZE, 0);
    const int64_t address = ttp_mem_param(n, TTP_PARAM_ADDRESS, 0);
    struct ttp_mem_cb cb = {
        .frame = frame,
        .grid = grid_of(lane, ttp_mem_has(n, TTP_PARAM_DEVICE_ID),
                        ttp_mem_param(n, TTP_PARAM_DEVICE_ID, 0), arena),
        .bytes = bytes > 0 && bytes < INT64_C(1) << 48 ? (uint64_t)bytes : 0,
        .address = address > 0 ? (uint64_t)address : 0,
    };

    TTP_TRY(read_cores(lane, &cb, n->cores, arena, err));
    *TTP_PUSH_WITHIN(arena, lane->cb, lane->cbs, lane->cb_cap) = cb;
    const uint64_t most = spread(lane, &cb, false);
    lane->cb_bytes = most > lane->cb_bytes ? most : lane->cb_bytes;
    return TTP_OK;
}

static void find_most(struct ttp_mem_lane *lane)
{
    lane->cb_bytes = 0;
    if (lane->cbs == 0) {
        lane->rects = 0;
        return;
    }
    for (size_t g = 0; g < lane->grids; g++)
        for (size_t i = 0; i < (size_t)TTP_MEM_GRID * TTP_MEM_GRID; i++)
            if (lane->grid[g].core[i] > lane->cb_bytes)
                lane->cb_bytes = lane->grid[g].core[i];
}

static void keep_others(struct ttp_mem_lane *lane, size_t kept)
{
    if (kept == lane->cbs)
        return;
    lane->cbs = kept;
    find_most(lane);
}

void ttp_mem_lane_clear_frame(struct ttp_mem_lane *lane, uint32_t frame)
{
    size_t kept = 0;

    for (size_t i = 0; i < lane->cbs; i++)
        if (lane->cb[i].frame == frame)
            (void)spread(lane, &lane->cb[i], true);
        else
            lane->cb[kept++] = lane->cb[i];
    keep_others(lane, kept);
    if (lane->inferred_frame == frame)
        lane->cb_inferred = 0;
}

void ttp_mem_lane_clear_chip(struct ttp_mem_lane *lane, bool any_chip, int64_t chip)
{
    size_t kept = 0;

    for (size_t i = 0; i < lane->cbs; i++) {
        const struct ttp_mem_grid *g = &lane->grid[lane->cb[i].grid];

        if (any_chip || (g->has_chip && g->chip == chip))
            (void)spread(lane, &lane->cb[i], true);
        else
            lane->cb[kept++] = lane->cb[i];
    }
    keep_others(lane, kept);
    lane->cb_inferred = 0;
}

uint64_t ttp_mem_lane_cb_end(const struct ttp_mem_lane *lane, const struct ttp_mem_device *d)
{
    uint64_t end = 0;

    if (lane->cb_bytes == 0)
        return 0;
    for (size_t i = 0; i < lane->cbs; i++) {
        if (lane->cb[i].address == 0)
            return (uint64_t)d->l1_base + lane->cb_bytes;
        if (lane->cb[i].address + lane->cb[i].bytes > end)
            end = lane->cb[i].address + lane->cb[i].bytes;
    }
    return end;
}

bool ttp_mem_lane_headroom(int64_t *out, const struct ttp_mem_lane *lane,
                           const struct ttp_mem_buffer *all, const struct ttp_mem_device *d)
{
    const struct ttp_mem_set *set = &lane->set[TTP_MEM_L1];
    const uint64_t end = ttp_mem_lane_cb_end(lane, d);

    if (end == 0 || d->l1_bank_bytes == 0 || set->placeless)
        return false;
    *out = (set->count ? all[set->item[0]].address : d->l1_base + d->l1_bank_bytes) - (int64_t)end;
    return true;
}
