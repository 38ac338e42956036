/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/layout.h"

#include "base/order.h"
#include "mesh/ring.h"
#include "mesh/table.h"

size_t ttp_mesh_ring_by_shape(const struct ttp_mesh_op *op)
{
    const uint8_t sends = ttp_op_family_of(op->code).sends;
    double n = 0;

    if (!(op->in_volume > 0) || !(op->out_volume > 0))
        return 0;
    if (sends == TTP_MOVES_GATHERED)
        n = op->out_volume / op->in_volume;
    else if (sends == TTP_MOVES_SCATTERED)
        n = op->in_volume / op->out_volume;
    return n >= 2 && n <= 65536 && n == floor(n) ? (size_t)n : 0;
}

/* ---- sizes of the axes ---- */

struct vote {
    size_t size, count;
    bool told; /* by an attribute, not by shapes */
};

static void cast(struct vote *vote, size_t votes, size_t size, bool told)
{
    size_t i = 0;

    while (i + 1 < votes && vote[i].count && (vote[i].size != size || vote[i].told != told))
        i++;
    if (vote[i].count && (vote[i].size != size || vote[i].told != told))
        return; /* more sizes than any mesh has */
    vote[i].size = size;
    vote[i].told = told;
    vote[i].count++;
}

static size_t elect(const struct vote *vote, size_t votes)
{
    const struct vote *best = NULL;

    for (size_t i = 0; i < votes && vote[i].count; i++)
        if (!best || vote[i].told > best->told ||
            (vote[i].told == best->told && vote[i].count > best->count))
            best = &vote[i];
    return best ? best->size : 0;
}

/* The size that most ops of the axis give. */
static size_t axis_size(const struct ttp_mesh *m, int64_t axis)
{
    struct vote vote[16] = {{0}};

    for (size_t o = 0; o < m->ops; o++) {
        const struct ttp_mesh_op *op = &m->op[o];
        if (op->kind != TTP_MESH_ALL_WAIT || op->axis != axis)
            continue;
        const size_t shape = op->ring ? 0 : ttp_mesh_ring_by_shape(op);
        if (op->ring || shape)
            cast(vote, TTP_COUNT(vote), op->ring ? (size_t)op->ring : shape, op->ring > 0);
    }
    return elect(vote, TTP_COUNT(vote));
}

/* ---- the order of a rank's devices ---- */

struct enqueued {
    double at;
    uint32_t device;
};

TTP_ORDER(by_time, struct enqueued, TTP_UP(at), TTP_UP(device))

/* Devices of a part by when the host enqueued the op for them; false: some did not run it, or it
 * does not say. */
static bool order_of_op(struct enqueued *out, const struct ttp_mesh_build *b,
                        const struct ttp_mesh_op *op, uint32_t part, size_t devices)
{
    const struct ttp_mesh *m = b->mesh;
    size_t n = 0;

    for (uint32_t c = 0; c < op->cells; c++) {
        const struct ttp_mesh_cell *cell = &m->cell[op->cells_at + c];
        if (m->device[cell->device].part != part)
            continue;
        if (n == devices ||
            !ttp_cell_f64(ttp_ops_cell(b->part[part].ops, TTP_OPS_HOST_START, cell->row),
                          &out[n].at))
            return false;
        out[n++].device = cell->device;
    }
    if (n != devices)
        return false;
    TTP_SORT(out, n, by_time);
    for (size_t i = 1; i < n; i++)
        if (out[i].at == out[i - 1].at)
            return false;
    return true;
}

static uint64_t digest(const struct enqueued *e, size_t n)
{
    uint64_t h = 0xcbf29ce484222325;

    for (size_t i = 0; i < n; i++)
        h = (h ^ e[i].device) * 0x100000001b3;
    return h;
}

/* The value that occurs most often; of several the least. */
static uint64_t commonest(uint64_t *v, size_t n)
{
    uint64_t best = 0;
    size_t most = 0;

    TTP_SORT(v, n, ttp_by_u64);
    for (size_t i = 0, run = 0; i < n; i++) {
        run = i && v[i] == v[i - 1] ? run + 1 : 1;
        if (run > most) {
            most = run;
            best = v[i];
        }
    }
    return best;
}

/* The commonest order over ops that are the same on all devices; by id if there is none. */
void ttp_mesh_order_of_part(uint32_t *order, const struct ttp_mesh_build *b, uint32_t part,
                            uint32_t first, size_t devices)
{
    if (b->part[part].table) {
        for (size_t d = 0; d < devices; d++)
            order[d] = first + b->part[part].table->order[d];
        return;
    }
    const struct ttp_mesh *m = b->mesh;
    const struct ttp_mark mark = ttp_arena_mark(b->arena);
    uint64_t *seen = TTP_NEW(b->arena, uint64_t, m->ops + 1);
    struct enqueued *e = TTP_NEW(b->arena, struct enqueued, devices + 1);
    size_t n = 0;

    for (uint32_t d = 0; d < devices; d++)
        order[d] = first + d;
    for (size_t o = 0; o < m->ops && devices > 1; o++)
        if (m->op[o].kind == TTP_MESH_COMPUTE && order_of_op(e, b, &m->op[o], part, devices))
            seen[n++] = digest(e, devices);
    const uint64_t wanted = n ? commonest(seen, n) : 0;
    for (size_t o = 0; o < m->ops && n; o++)
        if (m->op[o].kind == TTP_MESH_COMPUTE && order_of_op(e, b, &m->op[o], part, devices) &&
            digest(e, devices) == wanted) {
            for (size_t d = 0; d < devices; d++)
                order[d] = e[d].device;
            break;
        }
    ttp_arena_rewind(b->arena, mark);
}

static void spread_last(uint32_t *place, size_t places, const uint32_t *own, size_t owns)
{
    for (size_t i = 0; i < places; i++)
        place[i] = i < owns ? own[i] : TTP_MESH_NONE;
}

struct orderer {
    struct ttp_mesh_layout *out;
    struct ttp_mesh_build *b;
    size_t each;        /* places of a rank; 0: ranks differ, and each has its own */
    uint32_t *complete; /* order of a rank that has them all; NULL: none has */
};

/* Places of a rank, in the order in which the host enqueues, if no device were absent: equal ids in
 * equal places of a complete rank, or ids from 0 on. False: this is not the case. */
static bool spread_by_ids(uint32_t *place, const struct orderer *o, const uint32_t *own,
                          size_t owns)
{
    const struct ttp_mesh *m = o->b->mesh;
    size_t k = 0;

    for (size_t i = 0; i < o->each; i++) {
        const int64_t id = o->complete ? m->device[o->complete[i]].id : (int64_t)i;
        place[i] = k < owns && m->device[own[k]].id == id ? own[k++] : TTP_MESH_NONE;
    }
    return k == owns;
}

/* How many devices a rank has when none is absent. Ranks that have equally many are complete, and
 * what the rings need beyond them is in ranks that are unknown. */
static void count_places(struct orderer *o)
{
    const struct ttp_mesh *m = o->b->mesh;
    const size_t wanted = o->out->size[0] * o->out->size[1];
    size_t most = 0, ranks = m->missing_ranks;
    bool agree = true;

    for (size_t p = 0; p < m->parts; p++) {
        const size_t n = m->rank[p].devices;
        agree &= n == 0 || most == 0 || n == most;
        most = n > most ? n : most;
        ranks += n > 0;
    }
    o->each = agree ? most : 0;
    if (wanted <= m->devices + m->missing_ranks * o->each || ranks == 0 || wanted % ranks ||
        wanted / ranks < most)
        return;
    if (!agree || (ranks == 1 && wanted - most <= TTP_MESH_MAX_ABSENT)) {
        o->each = wanted / ranks;
        o->b->absent = wanted - m->devices - m->missing_ranks * o->each;
    }
}

static void order_part(struct orderer *o, uint32_t part, uint32_t first, uint32_t *place)
{
    struct ttp_mesh *m = o->b->mesh;
    const size_t owns = m->rank[part].devices;

    if (owns == 0 || o->each <= owns) {
        ttp_mesh_order_of_part(place, o->b, part, first, owns);
        m->orders += owns;
        return;
    }
    uint32_t *own = TTP_NEW(o->b->arena, uint32_t, owns);
    ttp_mesh_order_of_part(own, o->b, part, first, owns);
    if (!spread_by_ids(place, o, own, owns)) {
        spread_last(place, o->each, own, owns);
        o->b->absent_unplaced = true;
        o->out->open = o->out->open_devices ? NULL : own; /* of one rank they can be tried */
        o->out->open_devices += owns;
        o->out->open_from = m->orders;
        o->out->open_places = o->each;
    }
    m->orders += o->each;
}

static void find_complete(struct orderer *o)
{
    const struct ttp_mesh *m = o->b->mesh;

    for (uint32_t p = 0, d = 0; p < m->parts && !o->complete; d += (uint32_t)m->rank[p++].devices)
        if (o->each && m->rank[p].devices == o->each) {
            o->complete = TTP_NEW(o->b->arena, uint32_t, o->each);
            ttp_mesh_order_of_part(o->complete, o->b, p, d, o->each);
        }
}

/* Ranks one after the other; a missing one has as many devices as the others, if these agree. */
static void order_devices(struct ttp_mesh_layout *out, struct ttp_mesh_build *b)
{
    struct orderer o = {.out = out, .b = b};
    struct ttp_mesh *m = b->mesh;
    size_t missing = 0;

    b->absent = 0;
    b->absent_unplaced = false;
    count_places(&o);
    if (b->absent)
        find_complete(&o);
    m->order = TTP_NEW(b->arena, uint32_t, m->devices + b->absent + m->missing_ranks * o.each + 1);
    m->orders = 0;
    for (size_t p = 0, d = 0; p < m->parts; d += m->rank[p++].devices) {
        for (; missing < m->missing_ranks && m->missing_rank[missing] < m->rank[p].rank; missing++)
            for (size_t k = 0; k < o.each; k++)
                m->order[m->orders++] = TTP_MESH_NONE;
        order_part(&o, (uint32_t)p, (uint32_t)d, m->order + m->orders);
    }
    for (; missing < m->missing_ranks; missing++)
        for (size_t k = 0; k < o.each; k++)
            m->order[m->orders++] = TTP_MESH_NONE;
}

/* ---- spots ---- */

static void spots_from_order(struct ttp_mesh_layout *out, struct ttp_mesh *m)
{
    const size_t width = out->size[1] ? out->size[1] : m->orders ? m->orders : 1;
    const size_t rows = (m->orders + width - 1) / width;
    const size_t height = out->size[0] ? out->size[0] : rows ? rows : 1;

    for (size_t k = 0; k < m->orders; k++) {
        if (m->order[k] == TTP_MESH_NONE)
            continue;
        struct ttp_mesh_spot *s = &out->spot[m->order[k]];
        const size_t in_block = k % (width * height);
        s->block = (int64_t)(k / (width * height));
        s->row = (int64_t)(in_block / width);
        s->column = (int64_t)(in_block % width);
    }
    m->mesh_columns = (int64_t)width;
    m->mesh_rows = (int64_t)((m->orders + width - 1) / width);
}

void ttp_mesh_place_absent(struct ttp_mesh_layout *l, struct ttp_mesh *m, const size_t *absent,
                           size_t absents)
{
    for (size_t i = 0, k = 0, a = 0; i < l->open_places; i++) {
        const bool gap = a < absents && absent[a] == i;
        m->order[l->open_from + i] = gap || k == l->open_devices ? TTP_MESH_NONE : l->open[k++];
        a += gap;
    }
    spots_from_order(l, m);
}

static void spots_from_files(struct ttp_mesh_layout *out, struct ttp_mesh_build *b)
{
    struct ttp_mesh *m = b->mesh;

    out->from_files = true;
    for (size_t d = 0; d < m->devices; d++) {
        const int64_t mesh_id = b->part[m->device[d].part].mesh_id;
        out->spot[d] = (struct ttp_mesh_spot){mesh_id > 0 ? mesh_id : 0, m->device[d].row,
                                              m->device[d].column};
        if (m->device[d].row >= m->mesh_rows)
            m->mesh_rows = m->device[d].row + 1;
        if (m->device[d].column >= m->mesh_columns)
            m->mesh_columns = m->device[d].column + 1;
    }
    out->size[0] = (size_t)m->mesh_rows;
    out->size[1] = (size_t)m->mesh_columns;
}

void ttp_mesh_lay_out(struct ttp_mesh_layout *out, struct ttp_mesh_build *b)
{
    struct ttp_mesh *m = b->mesh;
    bool all_placed = true;

    *out = (struct ttp_mesh_layout){.size = {axis_size(m, 0), axis_size(m, 1)}};
    out->spot = TTP_NEW(b->arena, struct ttp_mesh_spot, m->devices);
    m->mesh_rows = m->mesh_columns = 0;
    order_devices(out, b);
    for (size_t d = 0; d < m->devices; d++)
        all_placed &= m->device[d].placed;
    out->slots = m->orders;
    if (all_placed) {
        b->absent_unplaced = false;
        spots_from_files(out, b);
        return;
    }
    /* Rings that need more devices than there are: the rest is missing after the last. */
    if (out->size[0] * out->size[1] > out->slots)
        out->slots = out->size[0] * out->size[1];
    for (int axis = 0; axis < 2; axis++)
        if (!out->size[axis] && out->size[!axis])
            out->size[axis] = (out->slots + out->size[!axis] - 1) / out->size[!axis];
    spots_from_order(out, m);
}
