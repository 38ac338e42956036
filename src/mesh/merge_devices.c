/* SPDX-License-Identifier: Apache-2.0 */
/* merge_devices.c - compute and idle time of the devices of a rank between collectives. */
#include <stdlib.h>

#include "mesh/merge.h"

/* Of a device's values, as many are left out on either side, at least one. */
#define OUTER 0.02

struct event {
    int64_t start, end;
    uint32_t step, cell;
};
struct over {
    int64_t ns;
    uint32_t kind;
};

static int by_start(const void *pa, const void *pb)
{
    const struct event *a = pa, *b = pb;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

static int by_ns(const void *pa, const void *pb)
{
    const struct over *a = pa, *b = pb;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

static void copy_text(char *to, size_t room, ttp_str from)
{
    const size_t n = from.len < room ? from.len : room - 1;

    memset(to, 0, room);
    memcpy(to, from.ptr, n);
}

/* Kinds of one code count together: with the first of them. */
static void add_codes(const struct ttp_mesh_reduced *t, int64_t *of_kind, int64_t *all_of_kind)
{
    for (size_t k = 0; k < t->kinds; k++)
        for (size_t j = 0; j < k; j++)
            if (ttp_str_eq(t->kind[j].code, t->kind[k].code)) {
                of_kind[j] += of_kind[k];
                all_of_kind[j] += all_of_kind[k];
                of_kind[k] = INT64_MIN;
                break;
            }
}

/* The inner ones, and the kind of op with most of them: what that comes to with all, as in a mesh.
 */
static void score(struct ttp_merge_device *d, const struct ttp_mesh_reduced *t, struct over *over,
                  size_t n, struct ttp_arena *scratch)
{
    int64_t *of_kind = TTP_NEW(scratch, int64_t, t->kinds + 1);
    int64_t *all_of_kind = TTP_NEW(scratch, int64_t, t->kinds + 1);
    size_t outer = (size_t)(OUTER * (double)n), best = TTP_NPOS;

    outer = outer ? outer : 1;
    if (2 * outer >= n)
        outer = 0;
    qsort(over, n, sizeof(*over), by_ns);
    for (size_t i = 0; i < n; i++)
        all_of_kind[over[i].kind] += over[i].ns;
    for (size_t i = outer; i + outer < n; i++) {
        d->excess_ns += over[i].ns;
        of_kind[over[i].kind] += over[i].ns;
    }
    add_codes(t, of_kind, all_of_kind);
    for (size_t k = 0; k < t->kinds; k++)
        if (t->kind[k].kind == TTP_MESH_COMPUTE && of_kind[k] > 0 && all_of_kind[k] > 0 &&
            (best == TTP_NPOS || of_kind[k] > of_kind[best]))
            best = k;
    if (best == TTP_NPOS || n == 0)
        return;
    d->op_ns = all_of_kind[best];
    copy_text(d->op, sizeof(d->op), t->kind[best].code);
}

static int64_t wait_of(const struct ttp_merge_local *l, const struct event *e, int64_t ns,
                       uint32_t device, ttp_str meetings)
{
    const uint32_t op = l->mesh->op_of_step[l->part][e->step];
    const uint32_t group = ttp_mesh_merge_group(l, op, device);
    const struct ttp_merge_meeting *m =
        group ? ttp_mesh_merge_find(meetings, &ttp_merge_meetings, l->line, op, group) : NULL;

    return m && ns > m->shortest_ns ? ns - m->shortest_ns : 0;
}

/* Ops that follow each other overlap, on other cores: the part of `ns` in which the device did not
 * compute yet, up to *until. */
static int64_t not_before(const struct event *e, int64_t ns, int64_t *until)
{
    const int64_t from = e->start > *until ? e->start : *until;

    if (e->end > *until)
        *until = e->end;
    if (from >= e->end)
        return 0;
    return from == e->start
               ? ns
               : (int64_t)((double)ns * (double)(e->end - from) / (double)(e->end - e->start));
}

struct walk {
    const struct ttp_merge_local *l;
    ttp_str ops, meetings;
    struct ttp_merge_device *out;
    struct over *over;
    size_t overs;
    double idle; /* of the stretch, in cycles */
    bool inside; /* after a collective */
};

static void walk_events(struct walk *w, const struct event *event, size_t n, uint32_t device)
{
    const struct ttp_mesh_reduced *t = w->l->table;
    const double ghz = t->device[device].ghz;
    size_t pending = 0;
    int64_t free_from = 0, computed = INT64_MIN;

    for (size_t i = 0; i < n; i++) {
        const struct event *e = &event[i];
        const uint32_t kind = t->step[e->step].kind;
        const uint32_t op = w->l->mesh->op_of_step[w->l->part][e->step];
        const int64_t ns = ttp_mesh_merge_ns(w->l, &t->cell[e->cell]);
        if (w->inside && e->start > free_from)
            w->idle += (double)(e->start - free_from);
        free_from = e->end > free_from ? e->end : free_from;
        if (t->kind[kind].kind == TTP_MESH_COMPUTE) {
            const struct ttp_merge_op *of_all =
                ttp_mesh_merge_find(w->ops, &ttp_merge_ops, w->l->line, op, 0);
            w->out->compute_ns += not_before(e, ns, &computed);
            if (w->inside && of_all)
                w->over[w->overs + pending++] = (struct over){ns - of_all->median_ns, kind};
            continue;
        }
        w->out->wait_ns += wait_of(w->l, e, ns, device, w->meetings);
        if (w->inside) { /* the stretch is complete */
            w->overs += pending;
            w->out->idle_ns += (int64_t)(w->idle / ghz);
        }
        pending = 0;
        w->idle = 0;
        w->inside = true;
        free_from = e->end;
    }
}

static void typical_errors(struct ttp_merge_device *out, const struct ttp_merge_local *l,
                           uint32_t device)
{
    const struct ttp_mesh *m = l->mesh;
    const struct ttp_mesh_moment *mid = m->grids ? &m->grid[m->grids / 2] : NULL;

    out->bound_us = out->error_us = NAN;
    if (!mid || m->reference == TTP_MESH_NONE ||
        m->device[device].component != m->device[m->reference].component)
        return;
    const struct ttp_mesh_theta *theta = &mid->theta[device];
    if (!isfinite(theta->low) || !isfinite(theta->high))
        return;
    out->bound_us = ttp_mesh_theta_error(theta) / 1000;
    out->error_us = theta->error / 1000;
}

void ttp_mesh_merge_devices(struct ttp_merge_device *out, const struct ttp_merge_local *l,
                            ttp_str ops, ttp_str meetings, struct ttp_arena *scratch)
{
    const struct ttp_mesh_reduced *t = l->table;
    struct event *event = TTP_NEW(scratch, struct event, t->steps + 1);
    struct over *over = TTP_NEW(scratch, struct over, t->steps + 1);

    for (uint32_t d = 0; d < t->devices; d++) {
        const struct ttp_mesh_device *device = &l->mesh->device[l->first_device + d];
        struct ttp_merge_device *to = &out[d];
        struct walk w = {.l = l, .ops = ops, .meetings = meetings, .out = to, .over = over};
        size_t n = 0;

        memset(to, 0, sizeof(*to));
        to->rank = t->rank;
        to->id = t->device[d].id;
        to->row = device->has_place ? device->row : -1;
        to->column = device->has_place ? device->column : -1;
        to->ghz = t->device[d].ghz;
        to->rows = t->device[d].rows;
        to->untimed = t->device[d].untimed;
        copy_text(to->arch, sizeof(to->arch), t->device[d].arch);
        for (uint32_t k = 0; k < t->steps; k++)
            for (uint32_t c = t->step[k].cell; c < t->step[k].cell + t->step[k].cells; c++)
                if (t->cell[c].device == d)
                    event[n++] = (struct event){t->cell[c].start, t->cell[c].end, k, c};
        qsort(event, n, sizeof(*event), by_start);
        walk_events(&w, event, n, d);
        score(to, t, over, w.overs, scratch);
        typical_errors(to, l, l->first_device + d);
    }
}
