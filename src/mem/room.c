/* SPDX-License-Identifier: Apache-2.0 */
/* room.c - the free L1 while an op runs, and the buffers to free for more room. */
#include <stdlib.h>

#include "mem/capture_state.h"

static int by_address(const void *a, const void *b, void *arg)
{
    const struct ttp_mem_buffer *all = arg;
    const int64_t x = all[*(const uint32_t *)a].address, y = all[*(const uint32_t *)b].address;

    return (x > y) - (x < y);
}

void ttp_mem_sort_by_address(uint32_t *buffer, size_t count, const struct ttp_mem_capture *c)
{
    qsort_r(buffer, count, sizeof(*buffer), by_address, c->buffer);
}

/* --- runs of neighbours --- */

struct run {
    size_t from, to; /* of the list */
    uint64_t bytes, hole;
};

static bool is_better(const struct run *a, const struct run *b)
{
    if (b->to == b->from)
        return true;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes;
    if (a->to - a->from != b->to - b->from)
        return a->to - a->from < b->to - b->from;
    return a->from < b->from;
}

/* For every first buffer the shortest run that makes a large enough hole: a longer one has more
 * bytes. */
void ttp_mem_find_run(struct ttp_mem_to_free *out, const struct ttp_mem_capture *c,
                      const struct ttp_mem_live *live, uint64_t need)
{
    struct run best = {0};
    uint64_t floor = live->from;

    *out = (struct ttp_mem_to_free){0};
    for (size_t i = 0; i < live->count; i++) {
        struct run r = {.from = i};

        for (size_t k = i; k < live->count && !live->stays[k]; k++) {
            const uint64_t next =
                k + 1 < live->count ? (uint64_t)c->buffer[live->buffer[k + 1]].address : live->to;

            r.to = k + 1;
            r.bytes += c->buffer[live->buffer[k]].bytes;
            r.hole = next > floor ? next - floor : 0;
            if (r.hole >= need || (best.to && r.bytes > best.bytes))
                break;
        }
        if (r.to > r.from && r.hole >= need && is_better(&r, &best))
            best = r;
        const struct ttp_mem_buffer *b = &c->buffer[live->buffer[i]];
        const uint64_t end = (uint64_t)b->address + b->bytes;
        floor = end > floor ? end : floor;
    }
    if (best.to > best.from)
        *out = (struct ttp_mem_to_free){.any = true,
                                        .buffer = live->buffer + best.from,
                                        .count = best.to - best.from,
                                        .bytes = best.bytes,
                                        .hole = best.hole};
}

/* --- one op --- */

enum role { OWN, WAITING, STALE };

static enum role role_of(const struct ttp_mem_capture *c, const struct ttp_mem_buffer *b,
                         const struct ttp_mem_op *op)
{
    if (b->alloc != TTP_MEM_NONE && b->alloc >= op->start && b->alloc <= op->end)
        return OWN;
    const uint32_t use = ttp_mem_next_use(c, b, op->start);
    return use == TTP_MEM_NONE ? STALE : use <= op->end ? OWN : WAITING;
}

/* Live buffers of L1 at the peak of the op; `stays` is set for those that are not stale. False: an
 * address or the size of a bank is unknown. */
static bool list_live(struct ttp_mem_live *out, const struct ttp_mem_capture *c,
                      struct ttp_mem_line at, struct ttp_arena *arena)
{
    const struct ttp_mem_device *d = &c->device[at.device];
    const struct ttp_mem_use *use = &c->use[at.op * c->devices + at.device];

    if (!use->peak.any || d->l1_bank_bytes <= 0 || d->l1_base < 0)
        return false;
    *out = (struct ttp_mem_live){.buffer = TTP_NEW(arena, uint32_t, c->buffers + 1),
                                 .from = (uint64_t)d->l1_base + use->peak.cb,
                                 .to = (uint64_t)(d->l1_base + d->l1_bank_bytes)};
    for (uint32_t i = 0; i < c->buffers; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[i];

        if (b->pool != TTP_MEM_L1 || b->device != at.device || !ttp_mem_is_live(b, use->peak.at))
            continue;
        if (!b->has_address || b->address <= 0)
            return false;
        out->buffer[out->count++] = i;
    }
    ttp_mem_sort_by_address(out->buffer, out->count, c);
    out->stays = TTP_NEW(arena, bool, out->count + 1);
    for (size_t i = 0; i < out->count; i++)
        out->stays[i] = role_of(c, &c->buffer[out->buffer[i]], &c->op[at.op]) != STALE;
    return true;
}

static uint64_t largest_hole(const struct ttp_mem_capture *c, const struct ttp_mem_live *live,
                             bool without_stale)
{
    uint64_t floor = live->from, largest = 0;

    for (size_t i = 0; i <= live->count; i++) {
        const struct ttp_mem_buffer *b = i < live->count ? &c->buffer[live->buffer[i]] : NULL;
        const uint64_t next = b ? (uint64_t)b->address : live->to;

        if (b && without_stale && !live->stays[i])
            continue;
        if (next > floor && next - floor > largest)
            largest = next - floor;
        if (b && next + b->bytes > floor)
            floor = next + b->bytes;
    }
    return largest;
}

void ttp_mem_find_room(struct ttp_mem_room *out, const struct ttp_mem_capture *c,
                       struct ttp_mem_line at, struct ttp_arena *arena)
{
    const struct ttp_mem_device *d = &c->device[at.device];
    const struct ttp_mark mark = ttp_arena_mark(arena);
    struct ttp_mem_live live = {0};

    *out = (struct ttp_mem_room){.known = list_live(&live, c, at, arena)};
    if (!out->known) {
        ttp_arena_rewind(arena, mark);
        return;
    }
    out->banks = d->l1_banks > 0 ? (uint64_t)d->l1_banks : 0;
    out->largest_free = largest_hole(c, &live, false);
    out->without_stale = largest_hole(c, &live, true);
    out->below_tensors = out->below_others = (uint64_t)d->l1_bank_bytes;
    for (size_t i = live.count; i > 0; i--) {
        const struct ttp_mem_buffer *b = &c->buffer[live.buffer[i - 1]];
        const uint64_t room = b->address > d->l1_base ? (uint64_t)(b->address - d->l1_base) : 0;

        out->below_tensors = room;
        if (role_of(c, b, &c->op[at.op]) != OWN)
            out->below_others = room;
    }
    ttp_arena_rewind(arena, mark);
}

void ttp_mem_make_room(struct ttp_mem_to_free *out, const struct ttp_mem_capture *c,
                       struct ttp_mem_line at, uint64_t need, struct ttp_arena *arena)
{
    struct ttp_mem_live live;

    *out = (struct ttp_mem_to_free){0};
    if (list_live(&live, c, at, arena))
        ttp_mem_find_run(out, c, &live, need);
}
