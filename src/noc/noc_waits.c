/* SPDX-License-Identifier: Apache-2.0 */
/* noc_waits.c - which transfer waits for which.
 *
 * Of those that leave a core by the same link (or stay in it), each waits for the last but one
 * before it: tt-npe's approximation of two virtual channels. The device is not part of that key in
 * tt-npe, so chips hold each other up; ours keeps them apart. A packet of the fabric waits for its
 * parent instead. */
#include "noc/noc_sim.h"

/* Where the two before the next one of a core and direction are kept. */
struct pair {
    uint32_t last, before;
};

/* Stable, by 11 bits at a time. */
#define DIGIT  11
#define DIGITS (1U << DIGIT)

static void sort_by_offset(uint32_t *order, uint32_t *scratch, const uint64_t *offset, size_t n)
{
    uint64_t greatest = 0;

    for (size_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
        greatest = offset[i] > greatest ? offset[i] : greatest;
    }
    for (unsigned shift = 0; shift < 64 && greatest >> shift; shift += DIGIT) {
        uint32_t at[DIGITS] = {0}, sum = 0;
        for (size_t i = 0; i < n; i++)
            at[offset[i] >> shift & (DIGITS - 1)]++;
        for (size_t d = 0; d < DIGITS; d++) {
            const uint32_t count = at[d];
            at[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            scratch[at[offset[order[i]] >> shift & (DIGITS - 1)]++] = order[i];
        memcpy(order, scratch, n * sizeof(*order));
    }
}

/* The direction of multicasts takes long to find and is asked for again and again. */
#define CACHE 256

struct cache {
    struct ttp_noc_transfer key[CACHE];
    uint8_t leaving[CACHE];
};

static unsigned leaving(struct cache *c, const struct ttp_noc_grid *g,
                        const struct ttp_noc_transfer *t)
{
    if (!t->multicast)
        return ttp_noc_leaving(g, t);
    const unsigned mixed = (unsigned)(t->sx * 31 + t->sy * 17 + t->dx * 7 + t->dy * 5 + t->ex * 3 +
                                      t->ey * 11 + t->noc);
    const unsigned at = mixed % CACHE;
    struct ttp_noc_transfer *k = &c->key[at];
    if (!k->multicast || k->sx != t->sx || k->sy != t->sy || k->dx != t->dx || k->dy != t->dy ||
        k->ex != t->ex || k->ey != t->ey || k->noc != t->noc) {
        *k = *t;
        c->leaving[at] = (uint8_t)ttp_noc_leaving(g, t);
    }
    return c->leaving[at];
}

static uint32_t fabric_delay(const struct ttp_noc_model *m, const struct ttp_noc_transfer *t,
                             const struct ttp_noc_transfer *parent)
{
    uint64_t delay =
        (uint64_t)(m->write_base +
                   m->write_hop * ttp_noc_hops(m->grid, (struct ttp_noc_way){t->sx, t->sy, t->dx,
                                                                             t->dy, t->noc}));

    if (t->device != parent->device)
        delay = (uint64_t)((float)delay +
                           ((float)m->eth_hop + m->eth_hop_byte * (float)t->packet_bytes));
    return delay > UINT32_MAX ? UINT32_MAX : (uint32_t)delay;
}

/* Transfers of a group follow each other, index 0 first. */
static void wait_for_parents(struct ttp_noc_waits *w, const struct ttp_noc_load *load,
                             bool first_is_parent, struct ttp_arena *arena)
{
    const size_t n = load->ntransfers;
    size_t first = 0;

    w->delay = TTP_NEW(arena, uint32_t, n);
    for (size_t i = 0; i < n; i++) {
        const struct ttp_noc_transfer *t = &load->transfer[i];
        uint32_t parent = TTP_NOC_NOBODY;

        if (t->group == TTP_NOC_NO_GROUP)
            continue;
        if (i == 0 || load->transfer[i - 1].group != t->group)
            first = i;
        if (t->parent == -1)
            continue;
        for (size_t k = first; k < n && load->transfer[k].group == t->group; k++)
            if (load->transfer[k].index == t->parent)
                parent = (uint32_t)k;
        if (parent == TTP_NOC_NOBODY && first_is_parent)
            parent = 0;
        if (parent == TTP_NOC_NOBODY)
            continue;
        w->delay[i] = fabric_delay(load->model, t, &load->transfer[parent]);
        w->on[i] = parent;
    }
}

static void link_back(struct ttp_noc_waits *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        w->first[i] = TTP_NOC_NOBODY;
    for (size_t i = n; i-- > 0;) {
        const uint32_t on = w->on[i];
        if (on == TTP_NOC_NOBODY)
            continue;
        w->next[i] = w->first[on];
        w->first[on] = (uint32_t)i;
    }
}

static void wait_for_channel(struct ttp_noc_waits *w, const struct ttp_noc_load *load, bool common,
                             struct ttp_arena *scratch)
{
    const struct ttp_noc_grid *g = load->model->grid;
    const size_t cores = (size_t)g->cols * g->rows * (common ? 1 : load->model->chips);
    struct pair *pairs = TTP_NEW(scratch, struct pair, cores * 2 * TTP_NOC_LEAVINGS);
    struct cache *cache = TTP_NEW(scratch, struct cache, 1);

    for (size_t i = 0; i < cores * 2 * TTP_NOC_LEAVINGS; i++)
        pairs[i] = (struct pair){TTP_NOC_NOBODY, TTP_NOC_NOBODY};
    for (size_t i = 0; i < load->ntransfers; i++) {
        const uint32_t id = w->queue[i];
        const struct ttp_noc_transfer *t = &load->transfer[id];
        const size_t device = common ? 0 : t->device;
        const size_t core = (device * g->rows + (size_t)t->sy) * g->cols + (size_t)t->sx;
        struct pair *p = &pairs[(core * 2 + t->noc) * TTP_NOC_LEAVINGS + leaving(cache, g, t)];

        w->on[id] = p->before;
        p->before = p->last;
        p->last = id;
    }
}

void ttp_noc_find_waits(struct ttp_noc_waits *out, const struct ttp_noc_load *load,
                        const uint64_t *offset, const struct ttp_noc_rules *rules,
                        struct ttp_arena *arena)
{
    const size_t n = load->ntransfers;
    struct ttp_arena scratch = {0};

    out->queue = TTP_NEW(arena, uint32_t, n);
    out->on = TTP_NEW(arena, uint32_t, n);
    out->first = TTP_NEW(arena, uint32_t, n);
    out->next = TTP_NEW(arena, uint32_t, n);
    sort_by_offset(out->queue, out->first, offset, n);
    wait_for_channel(out, load, rules->common_channels, &scratch);
    out->delay = NULL;
    if (load->ngroups)
        wait_for_parents(out, load, rules->first_is_parent, arena);
    link_back(out, n);
    for (size_t i = 0; i < n / 2; i++) {
        const uint32_t id = out->queue[i];
        out->queue[i] = out->queue[n - 1 - i];
        out->queue[n - 1 - i] = id;
    }
    ttp_arena_free(&scratch);
}
