/* SPDX-License-Identifier: Apache-2.0 */
/* trace_mesh.c - the ops of all ranks on one time line: a group for each rank, a track for each
 * device, arrows from the last to arrive at a collective to those that waited for it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/order.h"

#include "outputs/trace/trace_run.h"

#define ARGS_MAX 10

/* Where a cell is in its collective. */
struct role {
    uint32_t collective; /* index + 1; 0: it is in none */
    uint32_t member;
    int64_t turn;  /* when its wait ends and the transfer begins; 0: it did not wait */
    uint64_t flow; /* the arrow that ends there; 0: none */
};

struct placed {
    int64_t start, end;
    uint32_t device, cell, op;
};

struct meshing {
    const struct ttp_mesh_trace *view;
    const struct ttp_mesh *m;
    struct ttp_trace_writer w;
    struct role *role;     /* by cell */
    uint64_t *first_flow;  /* by collective: of its arrows */
    uint32_t *flows;       /* by collective: how many */
    double *origin;        /* by component: its first start */
    struct placed *placed; /* by device, then by time */
    size_t count;
    size_t next; /* of them to be written */
    struct ttp_arena *arena;
};

static bool is_wanted(const struct meshing *t, uint32_t device)
{
    return !t->view->wanted || t->view->wanted[device];
}

static bool op_wanted(const struct meshing *t, const struct ttp_mesh_op *op)
{
    const struct ttp_mesh_trace *v = t->view;

    if (!v->has_lines)
        return true;
    for (uint32_t k = op->cells_at; k < op->cells_at + op->cells; k++)
        if (v->line[k] >= v->lines.from && v->line[k] <= v->lines.to)
            return true;
    return false;
}

/* Time lines that clocks of hosts relate begin with the first of them. */
static void share_origin(struct meshing *t)
{
    const struct ttp_mesh *m = t->m;
    double first = INFINITY, offset, error;

    for (uint32_t d = 0; d < m->devices; d++)
        if (ttp_mesh_related(m, d, &offset, &error))
            first = fmin(first, t->origin[m->device[d].component] + offset);
    for (uint32_t d = 0; d < m->devices; d++)
        if (ttp_mesh_related(m, d, &offset, &error))
            t->origin[m->device[d].component] = first - offset;
}

static void find_origins(struct meshing *t)
{
    const struct ttp_mesh *m = t->m;

    t->origin = TTP_NEW(t->arena, double, m->components + 1);
    for (size_t c = 0; c <= m->components; c++)
        t->origin[c] = INFINITY;
    for (uint32_t o = 0; o < m->ops; o++)
        for (uint32_t k = m->op[o].cells_at; k < m->op[o].cells_at + m->op[o].cells; k++) {
            const struct ttp_mesh_cell *c = &m->cell[k];
            double *first = &t->origin[m->device[c->device].component];
            if (!c->timed)
                continue;
            const double at = c->start + ttp_mesh_theta_at(m, o, c).estimate;
            *first = at < *first ? at : *first;
        }
    share_origin(t);
}

/* Common time of a moment of the cell's own time, from the first start of its clocks on. */
static int64_t common_ns(const struct meshing *t, uint32_t op, const struct ttp_mesh_cell *c,
                         double own)
{
    const double at = own + ttp_mesh_theta_at(t->m, op, c).estimate -
                      t->origin[t->m->device[c->device].component];

    return at > 0 ? (int64_t)llround(at) : 0;
}

/* When the last arrives, as its own track shows it; -1: unknown. */
static int64_t last_arrival(const struct meshing *t, const struct ttp_mesh_collective *k)
{
    if (!k->aligned || k->last == TTP_MESH_NONE)
        return -1;
    for (size_t i = 0; i < k->members; i++)
        if (k->member[i].device == k->last) {
            const struct ttp_mesh_cell *c = &t->m->cell[k->member[i].cell];
            return common_ns(t, k->op, c, c->start);
        }
    return -1;
}

/* What a member does in a collective: it waits, then takes part in the transfer. An arrow does not
 * run backwards. */
static struct role role_of(const struct meshing *t, const struct ttp_mesh_collective *k, size_t i,
                           int64_t last)
{
    const struct ttp_mesh_cell *c = &t->m->cell[k->member[i].cell];
    const int64_t start = common_ns(t, k->op, c, c->start), end = common_ns(t, k->op, c, c->end);
    const bool pointed = last >= 0 && k->member[i].device != k->last;
    int64_t turn = start + (int64_t)llround(k->member[i].shown_us * 1000);

    if (pointed && turn <= last)
        turn = last + 1;
    if (turn <= start || turn >= end)
        turn = 0;
    const bool arrow = pointed && turn && is_wanted(t, k->last) && is_wanted(t, c->device);
    return (struct role){.member = (uint32_t)i, .turn = turn, .flow = arrow};
}

static void index_collectives(struct meshing *t)
{
    const struct ttp_mesh *m = t->m;
    uint64_t flows = 1;

    t->role = TTP_NEW(t->arena, struct role, m->cells + 1);
    t->first_flow = TTP_NEW(t->arena, uint64_t, m->collectives + 1);
    t->flows = TTP_NEW(t->arena, uint32_t, m->collectives + 1);
    for (size_t k = 0; k < m->collectives; k++) {
        const struct ttp_mesh_collective *c = &m->collective[k];
        const int64_t last = last_arrival(t, c);
        if (!op_wanted(t, &m->op[c->op]))
            continue;
        t->first_flow[k] = flows;
        for (size_t i = 0; i < c->members; i++) {
            struct role *role = &t->role[c->member[i].cell];
            *role = role_of(t, c, i, last);
            role->collective = (uint32_t)k + 1;
            if (role->flow)
                role->flow = flows++;
        }
        t->flows[k] = (uint32_t)(flows - t->first_flow[k]);
    }
}

static int by_start(const void *pa, const void *pb)
{
    const struct placed *a = pa, *b = pb;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1; /* the longest first */
    return (a->cell > b->cell) - (a->cell < b->cell);
}

static void place_cells(struct meshing *t)
{
    const struct ttp_mesh *m = t->m;

    t->placed = TTP_NEW(t->arena, struct placed, m->cells + 1);
    for (uint32_t o = 0; o < m->ops; o++) {
        if (!op_wanted(t, &m->op[o]))
            continue;
        for (uint32_t k = m->op[o].cells_at; k < m->op[o].cells_at + m->op[o].cells; k++) {
            const struct ttp_mesh_cell *c = &m->cell[k];
            if (c->timed && is_wanted(t, c->device))
                t->placed[t->count++] = (struct placed){
                    common_ns(t, o, c, c->start), common_ns(t, o, c, c->end), c->device, k, o};
        }
    }
    TTP_SORT(t->placed, t->count, by_start);
}

/* ---- events ---- */

struct args {
    struct ttp_trace_arg arg[ARGS_MAX];
    size_t count;
};

static void add_uint(struct args *a, enum ttp_trace_key key, uint64_t v)
{
    a->arg[a->count++] = (struct ttp_trace_arg){(uint8_t)key, TTP_ARG_UINT, {.u = v}};
}

static void add_ns(struct args *a, enum ttp_trace_key key, double ns)
{
    if (isfinite(ns) && ns >= 0)
        add_uint(a, key, (uint64_t)llround(ns));
}

static void collect_args(struct args *a, const struct meshing *t, const struct placed *p)
{
    const struct ttp_mesh_cell *c = &t->m->cell[p->cell];
    const struct role *role = &t->role[p->cell];
    const struct ttp_mesh_theta theta = ttp_mesh_theta_at(t->m, p->op, c);
    double offset, apart;

    (void)ttp_mesh_related(t->m, c->device, &offset, &apart);
    a->count = 0;
    add_uint(a, TTP_KEY_REPORT_ID, t->view->line[p->cell]);
    add_uint(a, TTP_KEY_ORDINAL, p->op);
    add_uint(a, TTP_KEY_START_CYCLE, (uint64_t)c->start_cycle);
    add_uint(a, TTP_KEY_CYCLES, (uint64_t)(c->end_cycle - c->start_cycle));
    add_ns(a, TTP_KEY_ALIGNMENT_ERROR, ttp_mesh_theta_error(&theta) + apart);
    add_ns(a, TTP_KEY_ESTIMATE_ERROR, theta.error);
    if (!role->collective)
        return;
    const struct ttp_mesh_collective *k = &t->m->collective[role->collective - 1];
    add_ns(a, TTP_KEY_WAIT, k->member[role->member].shown_us * 1000);
    if (!k->aligned)
        return;
    add_ns(a, TTP_KEY_SKEW, k->skew_us * 1000);
    if (k->last != TTP_MESH_NONE)
        a->arg[a->count++] = (struct ttp_trace_arg){
            TTP_KEY_LAST, TTP_ARG_TEXT, {.text = t->m->device[k->last].name}};
}

static void put_inside(struct meshing *t, struct ttp_lanes *lanes, const struct placed *p)
{
    const struct role *role = &t->role[p->cell];

    if (!role->turn)
        return;
    (void)ttp_out_lanes_put(lanes, &(struct ttp_trace_slice){
                                       .start_ns = p->start,
                                       .end_ns = role->turn,
                                       .name = ttp_out_trace_name(&t->w, TTP_STR("wait")),
                                   });
    (void)ttp_out_lanes_put(lanes, &(struct ttp_trace_slice){
                                       .start_ns = role->turn,
                                       .end_ns = p->end,
                                       .name = ttp_out_trace_name(&t->w, TTP_STR("transfer")),
                                       .flow_in = role->flow,
                                   });
}

static void put_op(struct meshing *t, struct ttp_lanes *lanes, const struct placed *p)
{
    const struct role *role = &t->role[p->cell];
    struct ttp_trace_slice s = {.start_ns = p->start,
                                .end_ns = p->end,
                                .name = ttp_out_trace_name(&t->w, t->m->op[p->op].code)};
    struct args args;

    collect_args(&args, t, p);
    s.arg = args.arg;
    s.nargs = args.count;
    if (role->collective && t->flows[role->collective - 1]) {
        const struct ttp_mesh_collective *k = &t->m->collective[role->collective - 1];
        if (k->member[role->member].device == k->last) {
            s.flow_out = t->first_flow[role->collective - 1];
            s.more_out = t->flows[role->collective - 1] - 1;
        }
    }
    if (!ttp_out_lanes_put(lanes, &s)) {
        t->w.counts.lost_zones++;
        return;
    }
    if (role->collective)
        put_inside(t, lanes, p);
}

/* How fast its clock moves against the reference's, between the moments of the grid. */
static void put_rate(struct meshing *t, ttp_track group, uint32_t d)
{
    const struct ttp_mesh *m = t->m;
    const struct ttp_mesh_device *device = &m->device[d];
    char name[96];

    if (m->grids < 2 || m->reference == TTP_MESH_NONE || d == m->reference ||
        device->component != m->device[m->reference].component)
        return;
    snprintf(name, sizeof(name), "Rate of %.*s", TTP_FMT(device->name));
    const ttp_track track =
        ttp_out_trace_add_track(&t->w, &(struct ttp_trace_track){.parent = group,
                                                                 .name = ttp_str_from(name),
                                                                 .kind = TTP_TRACK_COUNTER,
                                                                 .rank = (int32_t)(m->devices + d),
                                                                 .unit = "ppm",
                                                                 .real = true});
    for (size_t i = 0; i + 1 < m->grids; i++) {
        const struct ttp_mesh_moment *a = &m->grid[i], *b = &m->grid[i + 1];
        const double at = a->at - t->origin[device->component];
        if (b->at > a->at)
            ttp_out_trace_counter(&t->w, track, at > 0 ? (int64_t)llround(at) : 0,
                                  (b->theta[d].estimate - a->theta[d].estimate) / (b->at - a->at) *
                                      1e6);
    }
}

static void put_device(struct meshing *t, ttp_track group, uint32_t d)
{
    const struct ttp_mesh *m = t->m;
    const struct ttp_mesh_device *device = &m->device[d];
    double offset, error;
    const bool related = ttp_mesh_related(m, d, &offset, &error);
    struct ttp_lanes *lanes = TTP_NEW(t->arena, struct ttp_lanes, 1);
    char name[160];

    snprintf(name, sizeof(name), "Device %.*s%s%.*s%s", TTP_FMT(device->name),
             device->place.len ? " " : "", TTP_FMT(device->place),
             !related    ? " (clock does not relate to the reference's)"
             : error > 0 ? " (placed by clocks of hosts)"
                         : "");
    *lanes = (struct ttp_lanes){.w = &t->w,
                                .spec = {.parent = group,
                                         .name = ttp_arena_copy(t->arena, ttp_str_from(name)),
                                         .kind = TTP_TRACK_SLICES,
                                         .rank = (int32_t)d}};
    for (; t->next < t->count && t->placed[t->next].device == d; t->next++)
        put_op(t, lanes, &t->placed[t->next]);
    ttp_out_lanes_finish(lanes);
    put_rate(t, group, d);
}

static void put_rank(struct meshing *t, uint32_t part)
{
    const struct ttp_mesh_rank *rank = &t->m->rank[part];
    struct ttp_sink name;

    ttp_sink_to_arena(&name, t->arena);
    ttp_sink_printf(&name, "Rank %lld", (long long)rank->rank);
    if (rank->host)
        ttp_sink_printf(&name, " (%s)", rank->host);
    const ttp_track group = ttp_out_trace_add_track(
        &t->w, &(struct ttp_trace_track){
                   .name = ttp_sink_text(&name), .kind = TTP_TRACK_GROUP, .rank = (int32_t)part});
    for (uint32_t d = 0; d < t->m->devices; d++)
        if (t->m->device[d].part == part && is_wanted(t, d))
            put_device(t, group, d);
}

ttp_code ttp_out_mesh_trace(struct ttp_trace_counts *counts, struct ttp_sink *out,
                            const struct ttp_mesh_trace *view, enum ttp_trace_format format,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_mesh *m = view->mesh;
    struct ttp_trace_device *device = TTP_NEW(arena, struct ttp_trace_device, m->devices);
    struct meshing t = {.view = view, .m = m, .arena = arena};

    for (size_t d = 0; d < m->devices; d++)
        device[d] = (struct ttp_trace_device){m->device[d].name, m->device[d].arch};
    find_origins(&t);
    index_collectives(&t);
    place_cells(&t);
    ttp_out_trace_start(&t.w, out, format, (struct ttp_trace_devices){device, m->devices}, arena);
    t.w.arrows = "last arrival";
    for (uint32_t p = 0; p < m->parts; p++)
        put_rank(&t, p);
    ttp_out_trace_finish(&t.w);
    *counts = t.w.counts;
    if (counts->slices)
        return TTP_OK;
    (void)ttp_fail(err, TTP_ENOTFOUND, "nothing to show");
    ttp_err_hint(err, view->wanted || view->has_lines ? "the filters match nothing: use fewer"
                                                      : "no op of the ranks has times of a device");
    return TTP_ENOTFOUND;
}
