/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - the critical path of ops, and collectives by class. */
#include "base/order.h"

#include "mesh/explain.h"

/* ---- classes ---- */

struct keyed {
    const struct ttp_mesh_op *op;
    const struct ttp_mesh_collective *c;
};

static int compare_class(const struct ttp_mesh_op *a, const struct ttp_mesh_op *b)
{
    int order = ttp_str_cmp(a->code, b->code);
    if (order == 0)
        order = (a->axis_at > b->axis_at) - (a->axis_at < b->axis_at);
    return order ? order : ttp_str_cmp(a->shape, b->shape);
}

TTP_ORDER(by_class, struct keyed, compare_class(x->op, y->op), TTP_UP(c))

static int by_wait_and_transfer(const void *pa, const void *pb)
{
    const struct ttp_mesh_class_row *a = pa, *b = pb;
    const double ta = a->wait_us + a->transfer_us, tb = b->wait_us + b->transfer_us;
    if (ta != tb)
        return ta > tb ? -1 : 1;
    const int order = ttp_str_cmp(a->code, b->code);
    return order ? order : ttp_str_cmp(a->shape, b->shape);
}

struct class_room {
    double *skew, *transfer, *share;
    size_t *last; /* by device */
};

static void sum_class(struct ttp_mesh_class_row *row, const struct ttp_mesh *m,
                      const struct keyed *k, size_t n, const struct class_room *room)
{
    const struct ttp_mesh_axis *axis = &m->axis[k->op->axis_at];
    size_t shares = 0;

    *row = (struct ttp_mesh_class_row){.code = k->op->code,
                                       .shape = k->op->shape,
                                       .axis = axis->axis,
                                       .ring = axis->size,
                                       .count = n,
                                       .skew_median_us = NAN,
                                       .skew_p95_us = NAN,
                                       .transfer_median_us = NAN,
                                       .link_share = NAN,
                                       .last = TTP_MESH_NONE};
    memset(room->last, 0, m->devices * sizeof(*room->last));
    for (size_t i = 0; i < n; i++) {
        const struct ttp_mesh_collective *c = k[i].c;
        row->wait_us += c->mean_wait_us;
        if (!c->aligned)
            continue;
        room->skew[row->aligned] = c->skew_us;
        room->transfer[row->aligned++] = c->transfer_us;
        row->transfer_us += c->transfer_us;
        if (isfinite(c->link_share))
            room->share[shares++] = c->link_share;
        if (c->last != TTP_MESH_NONE && ++room->last[c->last] > row->last_count) {
            row->last = c->last;
            row->last_count = room->last[c->last];
        }
    }
    if (row->aligned) {
        row->skew_median_us = ttp_mesh_median(room->skew, row->aligned); /* sorts */
        row->skew_p95_us = room->skew[(row->aligned - 1) * 95 / 100];
        row->transfer_median_us = ttp_mesh_median(room->transfer, row->aligned);
    }
    if (shares)
        row->link_share = ttp_mesh_median(room->share, shares);
}

size_t ttp_mesh_list_classes(struct ttp_mesh_class_row **out, const struct ttp_mesh *m,
                             const struct ttp_mesh_collective *collective, size_t collectives,
                             struct ttp_arena *arena)
{
    struct keyed *key = TTP_NEW(arena, struct keyed, collectives + 1);
    const struct class_room room = {
        TTP_NEW(arena, double, collectives + 1), TTP_NEW(arena, double, collectives + 1),
        TTP_NEW(arena, double, collectives + 1), TTP_NEW(arena, size_t, m->devices + 1)};
    struct ttp_mesh_class_row *row = TTP_NEW(arena, struct ttp_mesh_class_row, collectives + 1);
    size_t rows = 0;

    for (size_t k = 0; k < collectives; k++)
        key[k] = (struct keyed){&m->op[collective[k].op], &collective[k]};
    TTP_SORT(key, collectives, by_class);
    for (size_t i = 0, j; i < collectives; i = j) {
        for (j = i; j < collectives && compare_class(key[i].op, key[j].op) == 0; j++)
            continue;
        sum_class(&row[rows++], m, &key[i], j - i, &room);
    }
    TTP_SORT(row, rows, by_wait_and_transfer);
    *out = row;
    return rows;
}

void ttp_mesh_sum_classes(struct ttp_mesh_build *b)
{
    struct ttp_mesh *m = b->mesh;

    m->class_rows =
        ttp_mesh_list_classes(&m->class_row, m, m->collective, m->collectives, b->arena);
}

void ttp_mesh_count_rows(struct ttp_mesh *m)
{
    for (size_t d = 0; d < m->devices; d++)
        m->rows_without_times += m->device[d].rows_without_times;
    for (size_t o = 0; o < m->ops; o++)
        if (m->op[o].axis_at != TTP_MESH_NONE)
            m->collective_rows += m->op[o].cells;
}

/* ---- the critical path ---- */

struct walker {
    struct ttp_mesh_build *b;
    uint32_t **cell, **op; /* by device, in order of time */
    size_t *count;
    struct ttp_mesh_worth *worth;
    size_t worths;
};

struct timed {
    double start;
    uint32_t cell, op;
};

TTP_ORDER(by_start, struct timed, TTP_UP(start), TTP_UP(cell))

static void list_cells(struct walker *w, const bool *inside)
{
    const struct ttp_mesh *m = w->b->mesh;
    struct timed *row = TTP_NEW(w->b->arena, struct timed, m->ops + 1);

    w->cell = TTP_NEW(w->b->arena, uint32_t *, m->devices);
    w->op = TTP_NEW(w->b->arena, uint32_t *, m->devices);
    w->count = TTP_NEW(w->b->arena, size_t, m->devices);
    for (uint32_t d = 0; d < m->devices; d++) {
        size_t n = 0;
        for (uint32_t o = 0; o < m->ops; o++) {
            const struct ttp_mesh_cell *c = ttp_mesh_cell_of(m, &m->op[o], d);
            if (c && c->timed && !c->aside && (!inside || inside[o]))
                row[n++] = (struct timed){c->start, (uint32_t)(c - m->cell), o};
        }
        TTP_SORT(row, n, by_start);
        w->count[d] = n;
        w->cell[d] = TTP_NEW(w->b->arena, uint32_t, n + 1);
        w->op[d] = TTP_NEW(w->b->arena, uint32_t, n + 1);
        for (size_t i = 0; i < n; i++) {
            w->cell[d][i] = row[i].cell;
            w->op[d][i] = row[i].op;
        }
    }
}

static struct ttp_mesh_worth *worth_of(struct walker *w, ttp_str code)
{
    for (size_t i = 0; i < w->worths; i++)
        if (ttp_str_eq(w->worth[i].code, code))
            return &w->worth[i];
    w->worth[w->worths] = (struct ttp_mesh_worth){.code = code};
    return &w->worth[w->worths++];
}

static const struct ttp_mesh_collective *collective_of(const struct ttp_mesh *m, uint32_t op,
                                                       uint32_t device)
{
    size_t low = ttp_mesh_first_collective(m, op);

    for (; low < m->collectives && m->collective[low].op == op; low++)
        for (size_t k = 0; k < m->collective[low].members; k++)
            if (m->collective[low].member[k].device == device)
                return &m->collective[low];
    return NULL;
}

static const struct ttp_mesh_member *member_of(const struct ttp_mesh_collective *c, uint32_t device)
{
    for (size_t k = 0; k < c->members; k++)
        if (c->member[k].device == device)
            return &c->member[k];
    return NULL;
}

/* Where a cell is in its device's line. */
static size_t place_of(const struct walker *w, uint32_t device, uint32_t cell)
{
    size_t i = 0;

    while (i < w->count[device] && w->cell[device][i] != cell)
        i++;
    return i;
}

/* The op before place i that ended when the device reached `now`; TTP_NPOS: there is none. */
static size_t before(const struct walker *w, uint32_t device, size_t i, double now)
{
    const struct ttp_mesh *m = w->b->mesh;

    while (i-- > 0)
        if (m->cell[w->cell[device][i]].end <= now)
            return i;
    return TTP_NPOS;
}

static bool last_end(const struct walker *w, uint32_t *device, size_t *place)
{
    const struct ttp_mesh *m = w->b->mesh;
    double latest = -INFINITY;

    for (uint32_t d = 0; d < m->devices; d++) {
        if (m->reference != TTP_MESH_NONE &&
            m->device[d].component != m->device[m->reference].component)
            continue;
        for (size_t i = 0; i < w->count[d]; i++) {
            const double end =
                m->cell[w->cell[d][i]].end + m->moment[w->op[d][i]].theta[d].estimate;
            if (end > latest) {
                latest = end;
                *device = d;
                *place = i;
            }
        }
    }
    return latest > -INFINITY;
}

TTP_ORDER(by_worth, struct ttp_mesh_worth, TTP_DOWN(share_pct), ttp_str_cmp(x->code, y->code))

/* Common time from the first start of the time line to the first op of the path: the device that
 * all wait for began late. */
static double before_first(const struct walker *w, uint32_t device, size_t place)
{
    const struct ttp_mesh *m = w->b->mesh;
    const double began = m->cell[w->cell[device][place]].start +
                         m->moment[w->op[device][place]].theta[device].estimate;
    double first = began;

    for (uint32_t d = 0; d < m->devices; d++)
        for (size_t i = 0; m->device[d].component == m->device[device].component && i < w->count[d];
             i++)
            first = fmin(first,
                         m->cell[w->cell[d][i]].start + m->moment[w->op[d][i]].theta[d].estimate);
    return began - first;
}

/* One op of the path: returns the device from which it continues, and puts the place there. */
static uint32_t step_back(struct walker *w, uint32_t device, size_t *place)
{
    struct ttp_mesh *m = w->b->mesh;
    struct ttp_mesh_path *path = &m->path;
    const uint32_t op = w->op[device][*place];
    const struct ttp_mesh_cell *cell = &m->cell[w->cell[device][*place]];
    struct ttp_mesh_worth *worth = worth_of(w, m->op[op].code);
    const double took = (cell->end - cell->start) / 1000;
    const struct ttp_mesh_collective *c =
        m->op[op].kind == TTP_MESH_COMPUTE ? NULL : collective_of(m, op, device);

    worth->count++;
    if (c && c->aligned) {
        const struct ttp_mesh_member *here = member_of(c, device), *last = member_of(c, c->latest);
        const double us = (here->end - last->arrival) / 1000;
        worth->transfer_us += us;
        path->transfer_us += us;
        path->turns += last->device != device;
        *place = place_of(w, last->device, last->cell);
        return last->device;
    }
    if (m->op[op].kind == TTP_MESH_COMPUTE) {
        worth->compute_us += took;
        path->compute_us += took;
        m->device[device].path_excess_us += took - m->op[op].median_us;
    } else {
        worth->transfer_us += took;
        path->transfer_us += took;
    }
    return device;
}

/* Does the device leave the iterations between two ops of them? That time is of no iteration. */
static bool leaves(const bool *inside, uint32_t from, uint32_t to)
{
    for (uint32_t o = from + 1; inside && o < to; o++)
        if (!inside[o])
            return true;
    return false;
}

/* Idle time before an op of the path, whose predecessor there is `next`. */
static double idle_before(const struct walker *w, uint32_t device, size_t place, size_t next,
                          const bool *inside)
{
    const struct ttp_mesh *m = w->b->mesh;

    if (next == TTP_NPOS)
        return before_first(w, device, place);
    if (leaves(inside, w->op[device][next], w->op[device][place]))
        return 0;
    return m->cell[w->cell[device][place]].start - m->cell[w->cell[device][next]].end;
}

void ttp_mesh_find_path(struct ttp_mesh_build *b, const bool *inside)
{
    struct ttp_mesh *m = b->mesh;
    struct walker w = {.b = b};
    uint32_t device = 0;
    size_t place = TTP_NPOS;

    list_cells(&w, inside);
    w.worth = TTP_NEW(b->arena, struct ttp_mesh_worth, m->ops + 1);
    if (!last_end(&w, &device, &place))
        return;
    bool *seen = TTP_NEW(b->arena, bool, m->cells);
    /* Wrong times may lead in circles. */
    while (place != TTP_NPOS && !seen[w.cell[device][place]]) {
        seen[w.cell[device][place]] = true;
        device = step_back(&w, device, &place);
        const double now = m->cell[w.cell[device][place]].start;
        const size_t next = before(&w, device, place, now);
        m->path.idle_us += idle_before(&w, device, place, next, inside) / 1000;
        place = next;
    }
    m->path.length_us = m->path.compute_us + m->path.idle_us + m->path.transfer_us;
    for (size_t i = 0; i < w.worths; i++)
        w.worth[i].share_pct =
            m->path.length_us > 0
                ? (w.worth[i].compute_us + w.worth[i].transfer_us) / m->path.length_us * 100
                : 0;
    TTP_SORT(w.worth, w.worths, by_worth);
    m->path.worth = w.worth;
    m->path.worths = w.worths;
}
