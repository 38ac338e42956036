/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/noc/noc_ethernet.h"

#include "base/order.h"
#include "base/vec.h"

TTP_ORDER(by_group, struct ttp_noc_transfer, TTP_UP(group), TTP_UP(index))
TTP_ORDER(by_place, struct ttp_noc_hop_bytes, TTP_UP(from.device), TTP_UP(from.y), TTP_UP(from.x),
          TTP_UP(to.device), TTP_UP(to.y), TTP_UP(to.x))

/* The stretch of that number in the group that begins at `first`; NULL: none. */
static const struct ttp_noc_transfer *stretch(const struct ttp_noc_transfer *first,
                                              const struct ttp_noc_transfer *end, int32_t index)
{
    for (const struct ttp_noc_transfer *t = first; t < end && t->group == first->group; t++)
        if (t->index == index)
            return t;
    return NULL;
}

static void add_hops(struct ttp_noc_ethernet *out, const struct ttp_noc_transfer *first,
                     const struct ttp_noc_transfer *end, struct ttp_arena *arena)
{
    for (const struct ttp_noc_transfer *t = first; t < end && t->group == first->group; t++) {
        const struct ttp_noc_transfer *before =
            t->parent >= 0 ? stretch(first, end, t->parent) : NULL;

        if (before && before->device != t->device)
            *TTP_PUSH(arena, out->hop, out->count) =
                (struct ttp_noc_hop_bytes){{before->device, before->dx, before->dy},
                                           {t->device, t->sx, t->sy},
                                           ttp_noc_bytes(t)};
    }
}

static void add_up(struct ttp_noc_ethernet *e)
{
    size_t n = 0;

    TTP_SORT(e->hop, e->count, by_place);
    for (size_t i = 0; i < e->count; i++)
        if (n && by_place(&e->hop[n - 1], &e->hop[i]) == 0)
            e->hop[n - 1].bytes += e->hop[i].bytes;
        else
            e->hop[n++] = e->hop[i];
    e->count = n;
}

void ttp_out_noc_find_ethernet(struct ttp_noc_ethernet *out, const struct ttp_noc_load *load,
                               struct ttp_arena *arena)
{
    struct ttp_noc_transfer *t = NULL;
    size_t n = 0;

    *out = (struct ttp_noc_ethernet){0};
    for (size_t i = 0; i < load->ntransfers; i++)
        if (load->transfer[i].group != TTP_NOC_NO_GROUP)
            *TTP_PUSH(arena, t, n) = load->transfer[i];
    TTP_SORT(t, n, by_group);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || t[i].group != t[i - 1].group)
            add_hops(out, &t[i], t + n, arena);
    add_up(out);
}

static uint64_t between(const struct ttp_noc_ethernet *e, unsigned a, unsigned b)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < e->count; i++)
        if ((e->hop[i].from.device == a && e->hop[i].to.device == b) ||
            (e->hop[i].from.device == b && e->hop[i].to.device == a))
            bytes += e->hop[i].bytes;
    return bytes;
}

/* Chips that it exchanges data with. */
static size_t neighbours(const unsigned *chip, size_t count, size_t at,
                         const struct ttp_noc_ethernet *e)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += i != at && between(e, chip[at], chip[i]) > 0;
    return n;
}

static void swap(unsigned *a, unsigned *b)
{
    const unsigned c = *a;

    *a = *b;
    *b = c;
}

void ttp_out_noc_order_chips(unsigned *chip, size_t count, const struct ttp_noc_ethernet *ethernet)
{
    size_t end = 0;

    /* a line is best read from one of its ends */
    for (size_t i = 1; i < count; i++)
        if (neighbours(chip, count, end, ethernet) != 1 &&
            neighbours(chip, count, i, ethernet) == 1)
            end = i;
    for (; end > 0; end--)
        swap(&chip[end], &chip[end - 1]);
    for (size_t i = 0; i + 1 < count; i++) {
        size_t next = i + 1;

        for (size_t k = i + 1; k < count; k++)
            if (between(ethernet, chip[i], chip[k]) > between(ethernet, chip[i], chip[next]))
                next = k;
        for (; next > i + 1; next--)
            swap(&chip[next], &chip[next - 1]);
    }
}
