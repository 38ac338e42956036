/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/one_way.h"

#include "base/vec.h"
#include "mesh/build.h"

static bool is_at(const struct ttp_mesh_device *d, const struct ttp_mesh_coordinate *c)
{
    return c->known && d->has_place && d->row == c->row && d->column == c->column;
}

/* Do they lie on one line of the op's axis? Without an axis all devices take part. */
static bool on_one_line(const struct ttp_mesh_op *op, const struct ttp_mesh_device *a,
                        const struct ttp_mesh_device *b)
{
    return op->axis == 0 ? a->column == b->column : op->axis == 1 ? a->row == b->row : true;
}

static void add(struct ttp_mesh_links *out, struct ttp_mesh_link link, struct ttp_arena *arena)
{
    *TTP_PUSH(arena, out->link, out->count) = link;
}

/* Ends that the attributes of the op name. */
static void links_of_op(struct ttp_mesh_links *out, const struct ttp_mesh *m, uint32_t o,
                        struct ttp_arena *arena)
{
    const struct ttp_mesh_op *op = &m->op[o];

    for (uint32_t a = op->cells_at; a < op->cells_at + op->cells; a++)
        for (uint32_t b = op->cells_at; b < op->cells_at + op->cells; b++) {
            const struct ttp_mesh_device *from = &m->device[m->cell[a].device],
                                         *to = &m->device[m->cell[b].device];
            if (a == b || !on_one_line(op, from, to) ||
                (op->ends.sender.known && !is_at(from, &op->ends.sender)) ||
                (op->ends.receiver.known && !is_at(to, &op->ends.receiver)))
                continue;
            add(out, (struct ttp_mesh_link){o, a, b}, arena);
        }
}

/* ---- sends and receives, which are different ops ---- */

enum { SENDS, RECEIVES, DIRECTIONS };

/* Ops of one direction of a rank. */
struct traffic {
    uint32_t *op;
    size_t count;
};

static int direction_of(const struct ttp_mesh_op *op)
{
    if (op->kind != TTP_MESH_ONE_WAY || op->cells == 0)
        return DIRECTIONS;
    return ttp_str_starts(op->code, TTP_STR("Send"))   ? SENDS
           : ttp_str_starts(op->code, TTP_STR("Recv")) ? RECEIVES
                                                       : DIRECTIONS;
}

/* The only rank that has ops of that direction; TTP_MESH_NONE: none, or several. */
static uint32_t only_rank(const struct ttp_mesh *m, int direction)
{
    uint32_t rank = TTP_MESH_NONE;

    for (size_t o = 0; o < m->ops; o++) {
        const struct ttp_mesh_op *op = &m->op[o];
        for (uint32_t c = 0; direction_of(op) == direction && c < op->cells; c++) {
            const uint32_t part = m->device[m->cell[op->cells_at + c].device].part;
            if (rank != TTP_MESH_NONE && rank != part)
                return TTP_MESH_NONE;
            rank = part;
        }
    }
    return rank;
}

static struct traffic list_ops(const struct ttp_mesh *m, int direction, struct ttp_arena *arena)
{
    struct traffic t = {.op = TTP_NEW(arena, uint32_t, m->ops + 1)};

    for (uint32_t o = 0; o < m->ops; o++)
        if (direction_of(&m->op[o]) == direction && !m->op[o].distrusted)
            t.op[t.count++] = o;
    return t;
}

/* Devices of one id correspond, if both ranks have as many. */
static void links_of_transfer(struct ttp_mesh_links *out, const struct ttp_mesh *m, uint32_t send,
                              uint32_t receive, struct ttp_arena *arena)
{
    const struct ttp_mesh_op *from = &m->op[send], *to = &m->op[receive];

    for (uint32_t a = 0; from->cells == to->cells && a < from->cells; a++)
        for (uint32_t b = 0; b < to->cells; b++)
            if (m->device[m->cell[from->cells_at + a].device].id ==
                m->device[m->cell[to->cells_at + b].device].id)
                add(out, (struct ttp_mesh_link){receive, from->cells_at + a, to->cells_at + b},
                    arena);
}

void ttp_mesh_links_find(struct ttp_mesh_links *out, const struct ttp_mesh *m,
                         struct ttp_arena *arena)
{
    const uint32_t sender = only_rank(m, SENDS), receiver = only_rank(m, RECEIVES);

    *out = (struct ttp_mesh_links){0};
    for (uint32_t o = 0; o < m->ops; o++)
        if (m->op[o].kind == TTP_MESH_ONE_WAY && !m->op[o].distrusted &&
            (m->op[o].ends.sender.known || m->op[o].ends.receiver.known))
            links_of_op(out, m, o, arena);
    if (sender == TTP_MESH_NONE || receiver == TTP_MESH_NONE || sender == receiver)
        return;
    const struct traffic sends = list_ops(m, SENDS, arena), receives = list_ops(m, RECEIVES, arena);
    for (size_t k = 0; sends.count == receives.count && k < sends.count; k++)
        links_of_transfer(out, m, sends.op[k], receives.op[k], arena);
}
