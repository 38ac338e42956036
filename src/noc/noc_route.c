/* SPDX-License-Identifier: Apache-2.0 */
#include "noc/noc_route.h"

const char *const ttp_noc_link_names[4] = {"NOC0_EAST", "NOC0_SOUTH", "NOC1_NORTH", "NOC1_WEST"};
const char *const ttp_noc_port_names[4] = {"NOC0_IN", "NOC0_OUT", "NOC1_IN", "NOC1_OUT"};

static int64_t modulo(int64_t v, int64_t n)
{
    const int64_t r = v % n;

    return r < 0 ? r + n : r;
}

int64_t ttp_noc_hops(const struct ttp_noc_grid *g, struct ttp_noc_way way)
{
    if (way.noc)
        return modulo(way.sx - way.dx, g->cols) + modulo(way.sy - way.dy, g->rows);
    return modulo(way.dx - way.sx, g->cols) + modulo(way.dy - way.sy, g->rows);
}

struct route {
    const struct ttp_noc_grid *grid;
    struct ttp_noc_leg *out;
    size_t n;
};

/* `count` links from place `from` on in line `line`. */
static void add_leg(struct route *r, enum ttp_noc_link k, int line, int64_t from, int64_t count)
{
    const int64_t len = ttp_noc_along_rows(k) ? r->grid->cols : r->grid->rows;

    if (count == 0)
        return;
    r->out[r->n++] = (struct ttp_noc_leg){.link = (uint8_t)k,
                                          .line = (uint8_t)line,
                                          .from = (uint8_t)modulo(from, len),
                                          .count = (uint8_t)count};
}

static void unicast(struct route *r, const struct ttp_noc_transfer *t)
{
    const int cols = r->grid->cols, rows = r->grid->rows;

    if (t->noc == 0) {
        add_leg(r, TTP_LINK_NOC0_EAST, t->sy, t->sx, modulo(t->dx - t->sx, cols));
        add_leg(r, TTP_LINK_NOC0_SOUTH, t->dx, t->sy, modulo(t->dy - t->sy, rows));
    } else {
        add_leg(r, TTP_LINK_NOC1_NORTH, t->sx, t->dy + 1, modulo(t->sy - t->dy, rows));
        add_leg(r, TTP_LINK_NOC1_WEST, t->dy, t->dx + 1, modulo(t->sx - t->dx, cols));
    }
}

/* The branches of a multicast share the way to their line; `edge` is the column (NoC 1) at which
 * they end. */
static void multicast(struct route *r, const struct ttp_noc_transfer *t, int edge)
{
    const int cols = r->grid->cols, rows = r->grid->rows;
    int64_t trunk = 0;

    if (t->noc == 0) {
        for (int x = t->dx; x <= t->ex; x++) {
            const int64_t east = modulo(x - t->sx, cols);
            trunk = east > trunk ? east : trunk;
            add_leg(r, TTP_LINK_NOC0_SOUTH, x, t->sy, modulo(t->ey - t->sy, rows));
        }
        add_leg(r, TTP_LINK_NOC0_EAST, t->sy, t->sx, trunk);
        return;
    }
    for (int y = t->dy; y <= t->ey; y++) {
        const int64_t north = modulo(t->sy - y, rows);
        trunk = north > trunk ? north : trunk;
        add_leg(r, TTP_LINK_NOC1_WEST, y, edge + 1, modulo(t->sx - edge, cols));
    }
    add_leg(r, TTP_LINK_NOC1_NORTH, t->sx, t->sy - trunk + 1, trunk);
}

size_t ttp_noc_legs(struct ttp_noc_leg *out, const struct ttp_noc_grid *g,
                    const struct ttp_noc_transfer *t)
{
    struct route r = {.grid = g, .out = out};

    if (t->multicast)
        multicast(&r, t, t->ex);
    else
        unicast(&r, t);
    return r.n;
}

size_t ttp_noc_true_legs(struct ttp_noc_leg *out, const struct ttp_noc_grid *g,
                         const struct ttp_noc_transfer *t)
{
    struct route r = {.grid = g, .out = out};

    if (t->multicast)
        multicast(&r, t, t->dx);
    else
        unicast(&r, t);
    return r.n;
}

/* ---- tt-npe's order of links ----
 *
 * A unicast's links come in order of travel. Those of a multicast come in the order in which a
 * boost::unordered_flat_set (1.87) of 16-bit link numbers lists them; the first one decides what
 * the transfer waits for, so the set is rebuilt here: groups of 15 slots (the last has 14), the
 * group chosen by the top bits of a multiplicative hash, full groups probed 1, 2, 3.. further. */

#define SET_MAX    1024
#define SET_SLOTS  15
#define SET_GROUPS 128

struct link_set {
    uint32_t groups; /* 0: nothing allocated yet */
    uint32_t size, max_load;
    uint8_t used[SET_GROUPS];
    int16_t slot[SET_GROUPS][SET_SLOTS];
};

static uint32_t group_of(uint32_t groups, int16_t v)
{
    const unsigned __int128 product =
        (unsigned __int128)(uint64_t)(int64_t)v * 0x9E3779B97F4A7C15ULL;
    const uint64_t hash = (uint64_t)product ^ (uint64_t)(product >> 64);

    return groups == 1 ? 0 : (uint32_t)(hash >> (64 - __builtin_ctz(groups)));
}

static void place(struct link_set *s, int16_t v)
{
    uint32_t g = group_of(s->groups, v);

    for (uint32_t step = 1;; step++) {
        const uint32_t room = g == s->groups - 1 ? SET_SLOTS - 1 : SET_SLOTS;
        if (s->used[g] < room)
            break;
        g = (g + step) & (s->groups - 1);
    }
    s->slot[g][s->used[g]++] = v;
    s->size++;
}

static bool holds(const struct link_set *s, int16_t v)
{
    if (s->groups == 0)
        return false;
    uint32_t g = group_of(s->groups, v);
    for (uint32_t step = 1; step <= s->groups; step++) {
        const uint32_t room = g == s->groups - 1 ? SET_SLOTS - 1 : SET_SLOTS;
        for (uint32_t i = 0; i < s->used[g]; i++)
            if (s->slot[g][i] == v)
                return true;
        if (s->used[g] < room)
            return false;
        g = (g + step) & (s->groups - 1);
    }
    return false;
}

static size_t list_set(const struct link_set *s, int16_t *out)
{
    size_t n = 0;

    for (uint32_t g = 0; g < s->groups; g++)
        for (uint32_t i = 0; i < s->used[g]; i++)
            out[n++] = s->slot[g][i];
    return n;
}

static void insert(struct link_set *s, int16_t v)
{
    int16_t old[SET_MAX];

    if (holds(s, v))
        return;
    if (s->groups && s->size < s->max_load) {
        place(s, v);
        return;
    }
    const size_t n = list_set(s, old);
    const uint32_t spare = s->size / 61;
    const float wanted = (float)(s->size + spare + 1) / 0.875F;
    const uint32_t whole = (uint32_t)wanted, room = whole + ((float)whole < wanted);
    const uint32_t q = room / SET_SLOTS + 1;
    s->groups = q <= 2 ? 2 : 1U << (32 - __builtin_clz(q - 1));
    const uint32_t cap = SET_SLOTS * s->groups - 1;
    s->max_load = cap <= 2 * SET_SLOTS - 1 ? cap : (uint32_t)(0.875F * (float)cap);
    s->size = 0;
    memset(s->used, 0, sizeof(s->used));
    place(s, v); /* the new one goes in first */
    for (size_t i = 0; i < n; i++)
        place(s, old[i]);
}

static int16_t link_number(const struct ttp_noc_grid *g, int x, int y, enum ttp_noc_link k)
{
    return (int16_t)((y * g->cols + x) * 4 + (int)k);
}

/* The links of a unicast on device 0 in order of travel. */
static size_t walk(int16_t *out, const struct ttp_noc_grid *g, struct ttp_noc_way way)
{
    const int dx = (int)way.dx, dy = (int)way.dy;
    int x = (int)way.sx, y = (int)way.sy;
    size_t n = 0;

    while (way.noc == 0 && (x != dx || y != dy)) {
        if (x != dx) {
            out[n++] = link_number(g, x, y, TTP_LINK_NOC0_EAST);
            x = (x + 1) % g->cols;
        } else {
            out[n++] = link_number(g, x, y, TTP_LINK_NOC0_SOUTH);
            y = (y + 1) % g->rows;
        }
    }
    while (way.noc != 0 && (x != dx || y != dy)) {
        if (y != dy) {
            out[n++] = link_number(g, x, y, TTP_LINK_NOC1_NORTH);
            y = (y + g->rows - 1) % g->rows;
        } else {
            out[n++] = link_number(g, x, y, TTP_LINK_NOC1_WEST);
            x = (x + g->cols - 1) % g->cols;
        }
    }
    return n;
}

static void fill_set(struct link_set *s, const struct ttp_noc_grid *g,
                     const struct ttp_noc_transfer *t)
{
    int16_t part[64];
    const int from = t->noc ? t->dy : t->dx, to = t->noc ? t->ey : t->ex;

    *s = (struct link_set){0};
    for (int line = from; line <= to; line++) {
        const size_t n = t->noc ? walk(part, g, (struct ttp_noc_way){t->sx, t->sy, t->ex, line, 1})
                                : walk(part, g, (struct ttp_noc_way){t->sx, t->sy, line, t->ey, 0});
        for (size_t i = 0; i < n; i++)
            insert(s, part[i]);
    }
}

unsigned ttp_noc_leaving(const struct ttp_noc_grid *g, const struct ttp_noc_transfer *t)
{
    struct link_set set;
    int16_t links[SET_MAX];

    if (!t->multicast) {
        if (t->sx == t->dx && t->sy == t->dy)
            return TTP_NOC_LOCAL;
        if (t->noc == 0)
            return t->sx != t->dx ? TTP_LINK_NOC0_EAST : TTP_LINK_NOC0_SOUTH;
        return t->sy != t->dy ? TTP_LINK_NOC1_NORTH : TTP_LINK_NOC1_WEST;
    }
    fill_set(&set, g, t);
    return list_set(&set, links) ? (unsigned)links[0] % 4 : TTP_NOC_LOCAL;
}

size_t ttp_noc_route(uint32_t **out, const struct ttp_noc_model *model,
                     const struct ttp_noc_transfer *t, struct ttp_arena *arena)
{
    const struct ttp_noc_grid *g = model->grid;
    const uint32_t base = (uint32_t)t->device * g->cols * g->rows * 4;
    struct link_set set;
    int16_t links[SET_MAX];
    size_t n;

    if (t->multicast) {
        fill_set(&set, g, t);
        n = list_set(&set, links);
    } else {
        n = walk(links, g, (struct ttp_noc_way){t->sx, t->sy, t->dx, t->dy, t->noc});
    }
    *out = TTP_NEW(arena, uint32_t, n ? n : 1);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = base + (uint32_t)links[i];
    return n;
}
