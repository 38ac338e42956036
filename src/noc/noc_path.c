/* SPDX-License-Identifier: Apache-2.0 */
/* noc_path.c - the way of fabric events over the chips of a mesh.
 *
 * An event names the ethernet channel it leaves by and how far it goes. The topology says where
 * that channel leads: channels belong to planes, and a packet stays in its plane. At the corners of
 * a T3K a line turns. With `slips` two mistakes of tt-npe are made: on the first chip after the
 * sender the plane of the last channel in the file is taken, and branches of a 2D multicast begin
 * where the one before ended. */
#include "base/vec.h"
#include "noc/noc_merge.h"

struct walk {
    struct ttp_noc_trace *trace;
    const struct ttp_topology *topology;
    const struct ttp_noc_event *event;
    const struct ttp_noc_fabric *fabric;
    bool slips;
    struct ttp_arena *arena;
    uint32_t first; /* element of the path, in trace->hop */
    int32_t plane;
    /* where it is: device, and the core it came in by */
    int32_t device;
    int16_t x, y;
    enum ttp_direction direction;
    const char *why; /* it cannot continue */
};

static enum ttp_direction opposite(enum ttp_direction d)
{
    static const enum ttp_direction other[] = {TTP_SOUTH, TTP_NORTH, TTP_WEST, TTP_EAST};

    return other[d];
}

static bool find_place(const struct ttp_topology *t, int32_t channel, int16_t *x, int16_t *y)
{
    for (size_t i = t->nplaces; i-- > 0;)
        if (t->place[i].channel == channel) {
            *x = t->place[i].x;
            *y = t->place[i].y;
            return true;
        }
    return false;
}

static bool find_channel(const struct ttp_topology *t, int32_t device, int32_t plane,
                         enum ttp_direction d, int32_t *channel)
{
    for (size_t i = t->nroutes; i-- > 0;)
        if (t->route[i].device == device && t->route[i].plane == plane &&
            t->route[i].direction == d) {
            *channel = t->route[i].channel;
            return true;
        }
    return false;
}

/* Where a chip leaves in a direction. */
struct outlet {
    int32_t device, plane;
    enum ttp_direction d;
};

/* The core of the channel that leads from a device in a direction. */
static bool find_core(const struct walk *w, struct outlet of, int16_t *x, int16_t *y)
{
    int32_t channel;

    return find_channel(w->topology, of.device, of.plane, of.d, &channel) &&
           find_place(w->topology, channel, x, y);
}

/* Lines along the edge of a T3K turn at its corners. */
static enum ttp_direction turn(const struct ttp_topology *t, int32_t x, int32_t y,
                               enum ttp_direction d)
{
    static const struct {
        bool right, bottom;
        enum ttp_direction from, to;
    } turns[] = {
        {false, false, TTP_WEST, TTP_SOUTH}, {false, false, TTP_NORTH, TTP_EAST},
        {true, false, TTP_EAST, TTP_SOUTH},  {true, false, TTP_NORTH, TTP_WEST},
        {false, true, TTP_WEST, TTP_NORTH},  {false, true, TTP_SOUTH, TTP_EAST},
        {true, true, TTP_EAST, TTP_NORTH},   {true, true, TTP_SOUTH, TTP_WEST},
    };

    if ((t->fabric != TTP_FABRIC_1D && t->fabric != TTP_FABRIC_1D_RING) ||
        !ttp_str_eq(t->cluster_type, TTP_STR("T3K")))
        return d;
    for (size_t i = 0; i < TTP_COUNT(turns); i++)
        if (x == (turns[i].right ? t->ew - 1 : 0) && y == (turns[i].bottom ? t->ns - 1 : 0) &&
            d == turns[i].from)
            d = turns[i].to;
    return d;
}

static bool find_device(const struct ttp_topology *t, int32_t mesh, int32_t node, int32_t *device)
{
    for (size_t i = t->nnodes; i-- > 0;)
        if (t->node[i].mesh == mesh && t->node[i].node == node) {
            *device = t->node[i].device;
            return true;
        }
    return false;
}

/* The neighbour of a device; *d may turn. */
static bool next_device(const struct walk *w, int32_t from, enum ttp_direction *d, int32_t *out)
{
    const struct ttp_topology *t = w->topology;
    const struct ttp_fabric_node *node = NULL;
    static const int step_x[] = {0, 0, 1, -1}, step_y[] = {-1, 1, 0, 0};

    for (size_t i = t->nnodes; i-- > 0 && !node;)
        if (t->node[i].device == from)
            node = &t->node[i];
    if (!node || t->ew <= 0 || t->ns <= 0 || node->node < 0 || node->node >= t->ns * t->ew)
        return false;
    int32_t x = node->node % t->ew, y = node->node / t->ew;
    *d = turn(t, x, y, *d);
    x += step_x[*d];
    y += step_y[*d];
    if (t->fabric == TTP_FABRIC_1D_RING || t->fabric == TTP_FABRIC_2D_TORUS) {
        x = (x + t->ew) % t->ew;
        y = (y + t->ns) % t->ns;
    }
    return x >= 0 && y >= 0 && x < t->ew && y < t->ns &&
           find_device(t, node->mesh, y * t->ew + x, out);
}

static struct ttp_noc_hop *add_hop(struct walk *w, int32_t device, int8_t noc, int32_t parent)
{
    struct ttp_noc_trace *trace = w->trace;

    struct ttp_noc_hop *h = TTP_PUSH_WITHIN(w->arena, trace->hop, trace->nhops, trace->cap_hops);
    *h = (struct ttp_noc_hop){.device = device,
                              .parent = parent,
                              .start_x = w->x,
                              .start_y = w->y,
                              .forward_x = TTP_NOC_UNSAID,
                              .forward_y = TTP_NOC_UNSAID,
                              .noc = noc};
    return h;
}

/* From the sending core to the channel, by way of a mux if there is one. */
static bool leave_sender(struct walk *w, int32_t *parent)
{
    const struct ttp_noc_fabric *f = w->fabric;
    int16_t x, y;

    w->device = (int32_t)w->event->device;
    w->x = (int16_t)w->event->sx;
    w->y = (int16_t)w->event->sy;
    w->why = "its ethernet channel is not on the map";
    if (!find_place(w->topology, f->eth_chan, &x, &y))
        return false;
    struct ttp_noc_hop *h = add_hop(w, w->device, w->event->noc, -1);
    h->forward_x = (int16_t)(f->has_mux ? f->mux_x : x);
    h->forward_y = (int16_t)(f->has_mux ? f->mux_y : y);
    *parent = 0;
    if (!f->has_mux)
        return true;
    w->x = f->mux_x;
    w->y = f->mux_y;
    h = add_hop(w, w->device, f->mux_noc, 0);
    h->forward_x = x;
    h->forward_y = y;
    *parent = 1;
    return true;
}

/* Onto the chip that the sender's channel leads to. */
static bool enter_first(struct walk *w)
{
    bool found = false;

    for (size_t i = 0; i < w->topology->nroutes; i++)
        if (w->topology->route[i].device == w->device &&
            w->topology->route[i].channel == w->fabric->eth_chan) {
            w->plane = w->topology->route[i].plane;
            w->direction = (enum ttp_direction)w->topology->route[i].direction;
            found = true;
        }
    w->why = "its ethernet channel belongs to no routing plane";
    if (!found)
        return false;
    w->why = "its channel does not lead to a chip of the mesh";
    if (!next_device(w, w->device, &w->direction, &w->device))
        return false;
    const int32_t plane = w->slips ? w->topology->route[w->topology->nroutes - 1].plane : w->plane;
    w->why = "the next chip has no channel back";
    return find_core(w, (struct outlet){w->device, plane, opposite(w->direction)}, &w->x, &w->y);
}

/* Along one direction over `total` chips; those from `from` on are written to if it ends there. */
static bool go_on(struct walk *w, int32_t from, int32_t total, bool ends, int32_t parent)
{
    for (int32_t hop = 1; hop <= total; hop++) {
        const int32_t device = w->device;
        int16_t x = 0, y = 0;

        struct ttp_noc_hop *h = add_hop(w, device, 1, parent++);
        if (hop < total || !ends) {
            int32_t next;
            w->why = "no chip in that direction";
            if (!next_device(w, device, &w->direction, &next))
                return false;
            w->why = "a chip has no channel in that direction";
            if (!find_core(w, (struct outlet){device, w->plane, w->direction}, &h->forward_x,
                           &h->forward_y) ||
                !find_core(w, (struct outlet){next, w->plane, opposite(w->direction)}, &x, &y))
                return false;
            w->device = next;
        }
        if (hop >= from && ends) {
            h->has_writes = true;
            h->write = w->fabric->write;
            h->count = w->fabric->nwrites;
        }
        if (w->device != device || hop < total || !ends) {
            w->x = x;
            w->y = y;
        }
    }
    return true;
}

/* A branch of a multicast: out of the chip at element `from` of the path, and over `hops` chips. */
static bool branch(struct walk *w, uint32_t from, enum ttp_direction d, int32_t hops)
{
    const struct ttp_noc_hop start = w->trace->hop[w->first + from];
    int32_t next;

    if (hops <= 0)
        return true;
    w->device = start.device;
    w->x = start.start_x;
    w->y = start.start_y;
    w->direction = d;
    struct ttp_noc_hop *h = add_hop(w, start.device, 1, start.parent);
    w->why = "a branch of the multicast leaves the mesh";
    if (!next_device(w, start.device, &w->direction, &next) ||
        !find_core(w, (struct outlet){start.device, w->plane, w->direction}, &h->forward_x,
                   &h->forward_y) ||
        !find_core(w, (struct outlet){next, w->plane, opposite(w->direction)}, &w->x, &w->y))
        return false;
    w->device = next;
    return go_on(w, 1, hops, true, (int32_t)(w->trace->nhops - w->first) - 1);
}

static bool multicast_2d(struct walk *w, int32_t parent)
{
    const struct ttp_noc_fabric *f = w->fabric;

    if (f->ns_hops <= 0) {
        w->why = "it branches in two directions at once, or in none";
        return (f->e_hops > 0) != (f->w_hops > 0) &&
               go_on(w, 1, f->e_hops > 0 ? f->e_hops : f->w_hops, true, parent);
    }
    const uint32_t trunk = (uint32_t)(w->trace->nhops - w->first);
    if (!go_on(w, 1, f->ns_hops, true, parent))
        return false;
    for (int32_t i = 0; i < f->ns_hops; i++) {
        if (w->slips) {
            parent++;
            w->direction = TTP_EAST;
            if (f->e_hops > 0 && !go_on(w, 1, f->e_hops, true, parent))
                return false;
            w->direction = TTP_WEST;
            if (f->w_hops > 0 && !go_on(w, 1, f->w_hops, true, parent))
                return false;
        } else if (!branch(w, trunk + (uint32_t)i, TTP_EAST, f->e_hops) ||
                   !branch(w, trunk + (uint32_t)i, TTP_WEST, f->w_hops)) {
            return false;
        }
    }
    return true;
}

static bool unicast_2d(struct walk *w, int32_t parent)
{
    const struct ttp_noc_fabric *f = w->fabric;
    const bool east = f->e_hops > 0, west = f->w_hops > 0;

    w->why = "it goes in two directions at once, or in none";
    if ((east && west) || (!east && !west && f->ns_hops <= 0))
        return false;
    if (w->direction == TTP_EAST || w->direction == TTP_WEST) {
        const int32_t hops = w->direction == TTP_EAST ? f->e_hops : f->w_hops;
        return go_on(w, hops, hops, true, parent);
    }
    if (!go_on(w, f->ns_hops, f->ns_hops, !east && !west, parent))
        return false;
    if (!east && !west)
        return true;
    w->direction = east ? TTP_EAST : TTP_WEST;
    const int32_t hops = east ? f->e_hops : f->w_hops;
    /* a packet that turns where the sender's channel led has not moved north or south yet */
    return go_on(w, hops, hops, true, parent + (f->ns_hops > 0 ? f->ns_hops : 0));
}

/* More chips than any mesh has. */
#define MAX_HOPS 4096

static bool is_sane(int32_t hops)
{
    return hops <= MAX_HOPS;
}

static bool find_way(struct walk *w)
{
    const struct ttp_noc_fabric *f = w->fabric;
    int32_t parent;

    w->why = "it lacks a distance";
    if (!is_sane(f->start_distance) || !is_sane(f->range) || !is_sane(f->ns_hops) ||
        !is_sane(f->e_hops) || !is_sane(f->w_hops))
        return false;
    if (!leave_sender(w, &parent) || !enter_first(w))
        return false;
    if (w->topology->fabric == TTP_FABRIC_2D || w->topology->fabric == TTP_FABRIC_2D_TORUS)
        return f->is_mcast ? multicast_2d(w, parent) : unicast_2d(w, parent);
    w->why = "it lacks a distance";
    if (f->start_distance < 0 || f->range < 0)
        return false;
    return go_on(w, f->start_distance, f->start_distance + f->range - 1, true, parent);
}

const char *ttp_noc_find_path(struct ttp_noc_trace *trace, size_t event,
                              const struct ttp_topology *topology, bool slips,
                              struct ttp_arena *arena)
{
    struct ttp_noc_event *e = &trace->event[event];
    struct ttp_noc_fabric *f = &trace->fabric[e->fabric];
    struct walk w = {.trace = trace,
                     .topology = topology,
                     .event = e,
                     .fabric = f,
                     .slips = slips,
                     .arena = arena,
                     .first = (uint32_t)trace->nhops};

    if (topology->fabric == TTP_FABRIC_NONE)
        return "the topology has no fabric";
    if (!find_way(&w)) {
        trace->nhops = w.first;
        return w.why;
    }
    f->has_path = true;
    f->hop = w.first;
    f->nhops = (uint32_t)trace->nhops - w.first;
    e->dst_device = (uint16_t)w.device;
    return NULL;
}
