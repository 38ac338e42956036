/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/table.h"

#include "base/sink.h"
#include "mesh/host_clocks.h"
#include "mesh/layout.h"

/* ---- from operations ---- */

static bool same_kind(const struct ttp_mesh_op *a, const struct ttp_mesh_op *b)
{
    return a->signature == b->signature && a->links == b->links && a->in_bytes == b->in_bytes &&
           a->out_bytes == b->out_bytes && a->ring_topology == b->ring_topology;
}

static uint32_t find_kind(struct ttp_mesh_reduced *t, const struct ttp_mesh_op *op, uint32_t *slot,
                          size_t slots)
{
    size_t at = (size_t)(op->signature * 0x9e3779b97f4a7c15 >> 20) % slots;

    for (; slot[at]; at = (at + 1) % slots)
        if (same_kind(&t->kind[slot[at] - 1], op))
            return slot[at] - 1;
    t->kind[t->kinds] = *op;
    t->kind[t->kinds].cells = t->kind[t->kinds].cells_at = 0;
    slot[at] = (uint32_t)++t->kinds;
    return slot[at] - 1;
}

static void take_ops(struct ttp_mesh_reduced *t, const struct ttp_mesh *m, struct ttp_arena *arena)
{
    const size_t slots = 2 * m->ops + 1;
    uint32_t *slot = TTP_NEW(arena, uint32_t, slots);

    t->kind = TTP_NEW(arena, struct ttp_mesh_op, m->ops + 1);
    t->step = TTP_NEW(arena, struct ttp_table_step, m->ops + 1);
    t->cell = TTP_NEW(arena, struct ttp_table_cell, m->cells + 1);
    for (size_t o = 0; o < m->ops; o++) {
        const struct ttp_mesh_op *op = &m->op[o];
        struct ttp_table_step *step = &t->step[t->steps++];
        *step = (struct ttp_table_step){.kind = find_kind(t, op, slot, slots),
                                        .cell = (uint32_t)t->cells};
        for (uint32_t k = op->cells_at; k < op->cells_at + op->cells; k++) {
            const struct ttp_mesh_cell *c = &m->cell[k];
            if (c->timed)
                t->cell[t->cells++] =
                    (struct ttp_table_cell){c->device, c->sub_device, c->start_cycle, c->end_cycle};
        }
        step->cells = (uint32_t)(t->cells - step->cell);
    }
}

/* The mesh of one rank has its steps as ops, in the same order. */
static void take_host_times(struct ttp_mesh_reduced *t, const struct ttp_mesh_build *b,
                            struct ttp_arena *arena)
{
    const struct ttp_mesh_sequence *seq = &b->sequence[0];
    double start;

    t->host_ns = TTP_NEW(arena, int64_t, t->steps + 1);
    for (size_t k = 0; k < t->steps; k++)
        t->host_ns[k] = k < seq->steps && ttp_mesh_host_start(&start, b->part, seq->step[k].row) &&
                                fabs(start) < 0x1p62
                            ? llround(start)
                            : TTP_TABLE_NO_HOST;
}

static void take_devices(struct ttp_mesh_reduced *t, const struct ttp_mesh_build *b,
                         struct ttp_arena *arena)
{
    const struct ttp_mesh *m = b->mesh;

    t->devices = m->devices;
    t->device = TTP_NEW(arena, struct ttp_table_device, m->devices + 1);
    t->order = TTP_NEW(arena, uint32_t, m->devices + 1);
    for (size_t d = 0; d < m->devices; d++)
        t->device[d] =
            (struct ttp_table_device){.id = m->device[d].id,
                                      .ghz = m->device[d].ghz,
                                      .placed = m->device[d].placed,
                                      .row = m->device[d].row,
                                      .column = m->device[d].column,
                                      .arch = ttp_arena_copy(arena, m->device[d].arch),
                                      .rows = (uint32_t)m->device[d].rows,
                                      .untimed = (uint32_t)m->device[d].rows_without_times};
    ttp_mesh_order_of_part(t->order, b, 0, 0, m->devices);
}

ttp_code ttp_mesh_reduce(struct ttp_mesh_reduced **out, const struct ttp_mesh_part *part,
                         int64_t ranks, struct ttp_arena *arena, struct ttp_err *err)
{
    static const struct ttp_mesh_options none;
    struct ttp_arena scratch = {0};
    struct ttp_mesh_rank rank = {.rank = part->rank};
    struct ttp_mesh mesh = {.arena = &scratch, .parts = 1, .rank = &rank};
    struct ttp_mesh_build b = {
        .mesh = &mesh, .part = part, .parts = 1, .options = &none, .arena = &scratch};
    struct ttp_mesh_reduced *t = TTP_NEW(arena, struct ttp_mesh_reduced, 1);

    ttp_code rc = ttp_mesh_read_parts(&b, err);
    if (rc == TTP_EPARSE && mesh.devices == 0) { /* it drives others: there is nothing to merge */
        ttp_arena_free(&scratch);
        *out = NULL;
        return TTP_OK;
    }
    if (rc == TTP_OK)
        rc = ttp_mesh_match(&b, err);
    if (rc == TTP_OK && (mesh.devices > UINT16_MAX || mesh.ops > UINT32_MAX / 2))
        rc = ttp_fail(err, TTP_ELIMIT, "more than %d devices", UINT16_MAX);
    if (rc == TTP_OK) {
        *t = (struct ttp_mesh_reduced){
            .rank = part->rank,
            .size = ranks,
            .mesh_id = part->mesh_id,
            .host = part->host ? ttp_arena_copy(arena, ttp_str_from(part->host)) : TTP_STR(""),
            .job = ttp_arena_copy(arena, part->job),
            .clock = part->clock};
        t->clock.machine = ttp_arena_copy(arena, part->clock.machine);
        take_ops(t, &mesh, arena);
        if (t->clock.known)
            take_host_times(t, &b, arena);
        for (size_t k = 0; k < t->kinds; k++) {
            t->kind[k].code = ttp_arena_copy(arena, t->kind[k].code);
            t->kind[k].shape = ttp_arena_copy(arena, t->kind[k].shape);
        }
        take_devices(t, &b, arena);
        if (t->kinds > UINT16_MAX)
            rc = ttp_fail(err, TTP_ELIMIT, "more than %d different ops", UINT16_MAX);
    }
    ttp_arena_free(&scratch);
    *out = t;
    return rc;
}

int64_t ttp_mesh_rank_of(const struct ttp_mesh_reduced *table)
{
    return table->rank;
}

/* ---- what is sent for the alignment ---- */

/* All but the cells. */
static size_t fixed_bytes(const struct ttp_mesh_reduced *t, struct ttp_arena *scratch)
{
    struct ttp_mesh_reduced empty = *t;
    struct ttp_sink s;
    const struct ttp_mark mark = ttp_arena_mark(scratch);

    empty.cells = 0;
    ttp_sink_to_arena(&s, scratch);
    ttp_mesh_write_reduced(&s, &empty);
    const size_t n = ttp_sink_text(&s).len;
    ttp_arena_rewind(scratch, mark);
    return n;
}

void ttp_mesh_table_thin(struct ttp_mesh_reduced *out, const struct ttp_mesh_reduced *whole,
                         struct ttp_arena *arena)
{
    const size_t fixed = fixed_bytes(whole, arena),
                 room = fixed < TTP_TABLE_BYTES ? TTP_TABLE_BYTES - fixed : 0,
                 each = (whole->devices ? whole->devices : 1) * TTP_TABLE_CELL_BYTES +
                        (whole->clock.known ? sizeof(*whole->host_ns) : 0);
    size_t count = 0, most = room / each;
    uint32_t *collective = TTP_NEW(arena, uint32_t, whole->steps + 1);
    bool *chosen = TTP_NEW(arena, bool, whole->steps + 1);

    for (uint32_t k = 0; k < whole->steps; k++)
        if (whole->kind[whole->step[k].kind].kind == TTP_MESH_ALL_WAIT)
            collective[count++] = k;
    if (most > TTP_TABLE_COLLECTIVES)
        most = TTP_TABLE_COLLECTIVES;
    if (most > count)
        most = count;
    for (size_t i = 0; i < most; i++)
        chosen[collective[i * count / most]] = true;
    *out = *whole;
    out->step = TTP_NEW(arena, struct ttp_table_step, whole->steps + 1);
    out->cell = TTP_NEW(arena, struct ttp_table_cell, whole->cells + 1);
    out->cells = 0;
    for (size_t k = 0; k < whole->steps; k++) {
        out->step[k] = (struct ttp_table_step){whole->step[k].kind, (uint32_t)out->cells, 0};
        for (uint32_t c = 0; chosen[k] && c < whole->step[k].cells; c++)
            out->cell[out->cells++] = whole->cell[whole->step[k].cell + c];
        out->step[k].cells = (uint32_t)(out->cells - out->step[k].cell);
    }
}
