/* SPDX-License-Identifier: Apache-2.0 */
/* collectives.c - the last arrival, waits and transfer times of collectives. */
#include "mesh/align.h"

/* Members whose times can be used. */
static size_t usable(const struct ttp_mesh *m, const struct ttp_mesh_op *op,
                     const struct ttp_mesh_group *group, struct ttp_mesh_member *out)
{
    size_t n = 0;

    for (size_t k = 0; k < group->members; k++) {
        const struct ttp_mesh_cell *c = ttp_mesh_cell_of(m, op, group->member[k]);
        if (!c || !c->timed || c->aside)
            continue;
        if (out)
            out[n] = (struct ttp_mesh_member){.device = c->device, .cell = (uint32_t)(c - m->cell)};
        n++;
    }
    return n;
}

void ttp_mesh_list_collectives(struct ttp_mesh_build *b)
{
    struct ttp_mesh *m = b->mesh;
    size_t n = 0;

    for (size_t o = 0; o < m->ops; o++)
        n += m->op[o].axis_at == TTP_MESH_NONE ? 0 : m->axis[m->op[o].axis_at].groups;
    m->collective = TTP_NEW(b->arena, struct ttp_mesh_collective, n);
    for (uint32_t o = 0; o < m->ops; o++) {
        const struct ttp_mesh_op *op = &m->op[o];
        if (op->axis_at == TTP_MESH_NONE)
            continue;
        const struct ttp_mesh_axis *axis = &m->axis[op->axis_at];
        for (uint32_t g = axis->first_group; g < axis->first_group + axis->groups; g++) {
            const size_t members = usable(m, op, &m->group[g], NULL);
            struct ttp_mesh_collective *c = &m->collective[m->collectives];
            if (members == 0)
                continue;
            m->collectives++;
            *c = (struct ttp_mesh_collective){.op = o,
                                              .group = g,
                                              .members = members,
                                              .missing = m->group[g].members - members +
                                                         m->group[g].missing,
                                              .last = TTP_MESH_NONE,
                                              .latest = TTP_MESH_NONE,
                                              .link_share = NAN};
            c->member = TTP_NEW(b->arena, struct ttp_mesh_member, members);
            (void)usable(m, op, &m->group[g], c->member);
        }
    }
}

/* ---- one collective ---- */

struct measure {
    struct ttp_aligner *aligner;
    struct ttp_mesh_collective *collective;
    const struct ttp_mesh_op *op;
    double *theta, *error; /* by member, against the first */
    double bound;
};

static double clip(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* theta of the members against the first, by what they say of each other; false: some do not. */
static bool relate(struct measure *q)
{
    struct ttp_aligner *a = q->aligner;
    const uint32_t first = q->collective->member[0].device;
    const struct ttp_mesh_theta *global = a->b->mesh->moment[q->collective->op].theta;

    ttp_mesh_closure_row(&a->closure, first, false, a->row[0]);
    ttp_mesh_closure_row(&a->closure, first, true, a->row[1]);
    for (size_t k = 0; k < q->collective->members; k++) {
        const uint32_t d = q->collective->member[k].device;
        const double low = -a->row[1][d], high = a->row[0][d];
        if (!isfinite(low) || !isfinite(high))
            return false;
        q->theta[k] = q->error[k] = 0;
        if (k && !ttp_mesh_aligner_between(a, first, d, &q->theta[k], &q->error[k])) {
            q->theta[k] = global[d].estimate - global[first].estimate;
            q->error[k] = hypot(global[d].error, global[first].error);
        }
        q->theta[k] = clip(q->theta[k], low, high);
    }
    return true;
}

/* How far the difference of any two may be off. */
static double worst_error(struct measure *q)
{
    struct ttp_aligner *a = q->aligner;
    double worst = 0;

    for (size_t k = 0; k < q->collective->members; k++) {
        ttp_mesh_closure_row(&a->closure, q->collective->member[k].device, false, a->row[0]);
        for (size_t l = 0; l < q->collective->members; l++) {
            const double most = a->row[0][q->collective->member[l].device];
            const double over = most - (q->theta[l] - q->theta[k]);
            if (k != l && over > worst)
                worst = over;
        }
    }
    return worst;
}

/* The last, and by how much it was after the one before. */
static void find_last(struct measure *q)
{
    struct ttp_mesh_collective *c = q->collective;
    size_t last = 0, next = TTP_NPOS;

    for (size_t k = 1; k < c->members; k++)
        if (c->member[k].arrival > c->member[last].arrival)
            last = k;
    for (size_t k = 0; k < c->members; k++)
        if (k != last && (next == TTP_NPOS || c->member[k].arrival > c->member[next].arrival))
            next = k;
    c->latest = c->member[last].device;
    if (next == TTP_NPOS)
        return;
    const double lead = c->member[last].arrival - c->member[next].arrival;
    c->lead_us = lead / 1000;
    c->spread_us = hypot(q->error[last], q->error[next]) / 1000;
    if (lead > c->spread_us * 1000)
        c->last = c->latest;
    c->certain = lead > c->error_us * 1000;
}

/* Bytes over the busiest link in one direction. */
static double link_bytes(const struct ttp_mesh_op *op, double n)
{
    double bytes;

    switch (ttp_op_family_of(op->code).sends) {
    case TTP_MOVES_GATHERED:
        bytes = (n - 1) * op->in_bytes;
        break;
    case TTP_MOVES_SCATTERED:
        bytes = (n - 1) * op->in_bytes / n;
        break;
    case TTP_MOVES_REDUCED:
        bytes = 2 * (n - 1) * op->in_bytes / n;
        break;
    default:
        return NAN;
    }
    return bytes > 0 ? (op->ring_topology ? bytes / 2 : bytes) : NAN;
}

static double link_share(const struct measure *q)
{
    const struct ttp_mesh *m = q->aligner->b->mesh;
    const struct ttp_arch *arch = ttp_boards_find_arch(q->aligner->b->options->boards,
                                                       m->device[q->collective->latest].arch, true);
    const double links = q->op->links > 0 ? (double)q->op->links : 1;

    if (!arch || !(arch->link_gbs > 0) || !(q->collective->transfer_us > 0) || q->op->fused)
        return NAN;
    return link_bytes(q->op, (double)m->axis[q->op->axis_at].size) /
           (q->collective->transfer_us * 1000) / (links * arch->link_gbs);
}

/* Waits by duration alone: they need no clock, and are exact where ends coincide. */
static void wait_by_duration(struct measure *q)
{
    const struct ttp_mesh *m = q->aligner->b->mesh;
    double shortest = INFINITY;

    for (size_t k = 0; k < q->collective->members; k++) {
        const struct ttp_mesh_cell *cell = &m->cell[q->collective->member[k].cell];
        shortest = fmin(shortest, ttp_mesh_took_ns(cell));
    }
    for (size_t k = 0; k < q->collective->members; k++) {
        const struct ttp_mesh_cell *cell = &m->cell[q->collective->member[k].cell];
        q->collective->member[k].wait_own_us = (ttp_mesh_took_ns(cell) - shortest) / 1000;
    }
}

static void wait_by_clocks(struct measure *q)
{
    const struct ttp_mesh *m = q->aligner->b->mesh;
    struct ttp_mesh_collective *c = q->collective;
    double first = INFINITY, last = -INFINITY, end = -INFINITY, second = -INFINITY;

    for (size_t k = 0; k < c->members; k++) {
        struct ttp_mesh_member *e = &c->member[k];
        e->arrival = m->cell[e->cell].start + q->theta[k];
        e->end = m->cell[e->cell].end + q->theta[k];
        if (e->arrival < first)
            first = e->arrival;
        if (e->arrival > last) {
            second = last;
            last = e->arrival;
        } else if (e->arrival > second) {
            second = e->arrival;
        }
        if (e->end > end)
            end = e->end;
    }
    c->skew_us = (last - first) / 1000;
    c->error_us = worst_error(q) / 1000;
    c->transfer_us = end > last ? (end - last) / 1000 : 0;
    c->second_us = c->members > 1 ? (last - second) / 1000 : 0;
    for (size_t k = 0; k < c->members; k++)
        c->member[k].wait_us = (last - c->member[k].arrival) / 1000;
    find_last(q);
    c->link_share = link_share(q);
}

static void measure_one(struct measure *q)
{
    struct ttp_mesh *m = q->aligner->b->mesh;
    struct ttp_mesh_collective *c = q->collective;

    wait_by_duration(q);
    c->aligned = c->members > 1 && relate(q);
    if (c->aligned)
        wait_by_clocks(q);
    else if (c->members)
        c->transfer_us = NAN;
    for (size_t k = 0; k < c->members; k++) {
        struct ttp_mesh_member *e = &c->member[k];
        e->shown_us = q->op->fused && c->aligned ? e->wait_us : e->wait_own_us;
        c->mean_wait_us += e->shown_us / (double)c->members;
        if (!c->aligned || q->op->fused)
            continue;
        m->waits++;
        m->waits_differ += fabs(e->wait_us - e->wait_own_us) > c->error_us;
    }
}

void ttp_mesh_measure(struct ttp_aligner *a, uint32_t op)
{
    struct ttp_mesh *m = a->b->mesh;
    const struct ttp_mark mark = ttp_arena_mark(a->b->arena);
    size_t at = ttp_mesh_first_collective(m, op);

    struct measure q = {.aligner = a, .op = &m->op[op]};
    q.theta = TTP_NEW(a->b->arena, double, m->devices);
    q.error = TTP_NEW(a->b->arena, double, m->devices);
    for (; at < m->collectives && m->collective[at].op == op; at++) {
        q.collective = &m->collective[at];
        measure_one(&q);
    }
    ttp_arena_rewind(a->b->arena, mark);
}
