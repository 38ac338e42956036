/* SPDX-License-Identifier: Apache-2.0 */
/* part.c - from the operations table of a rank to its devices and programs. */
#include <stdlib.h>

#include "base/order.h"
#include "base/vec.h"
#include "mesh/build.h"
#include "mesh/describe.h"
#include "mesh/table.h"

/* Low bits of a call count: the device; the rest is the number of the program. */
#define DEVICE_BITS 10
#define HOST_OP     ((int64_t)1 << 31)
/* Ids beyond this are junk. */
#define MAX_DEVICE_ID 999999999

/* A row of a device op on its way to its program. */
struct entry {
    int64_t program, trace, session;
    int64_t sub, id;
    uint32_t occurrence; /* on its device, where the key repeats */
    uint32_t device;     /* index in the mesh */
    uint32_t row;
    uint32_t step;
};

struct reader {
    struct ttp_mesh_build *b;
    const struct ttp_mesh_part *part;
    struct entry *entry;
    size_t entries;
    uint32_t first_device;
    size_t devices;
};

static bool whole(const struct ttp_ops *ops, enum ttp_ops_number column, size_t row, int64_t *out)
{
    const struct ttp_cell c = ttp_ops_cell(ops, column, row);
    double v;

    if (c.kind == TTP_CELL_INT) {
        *out = c.v.i;
        return true;
    }
    if (!ttp_cell_f64(c, &v) || !(v >= -0x1p62 && v <= 0x1p62))
        return false;
    *out = (int64_t)v;
    return true;
}

static int64_t whole_or(const struct ttp_ops *ops, enum ttp_ops_number column, size_t row,
                        int64_t none)
{
    int64_t v;
    return whole(ops, column, row, &v) ? v : none;
}

static bool is_device_row(const struct ttp_ops *ops, size_t row)
{
    return ttp_str_eq(ttp_sym_name(&ops->syms, ttp_ops_sym(ops, TTP_OPS_TYPE, row)),
                      TTP_STR("tt_dnn_device"));
}

/* A call that went into a trace: it did not run, its replays did. */
static bool only_captured(const struct ttp_ops *ops, size_t row)
{
    int64_t v;
    return whole(ops, TTP_OPS_TRACE_ID, row, &v) && !whole(ops, TTP_OPS_REPLAY, row, &v) &&
           !whole(ops, TTP_OPS_FW_START_CYCLE, row, &v);
}

/* The id that a row's device has in its rank; false: it is of another rank. */
static bool id_in_rank(const struct ttp_mesh_part *part, int64_t *id)
{
    const struct ttp_ops *ops = part->ops;

    if (ops->devices == 0)
        return true;
    if (*id < 0 || (size_t)*id >= ops->devices || ops->device[*id].rank != part->rank)
        return false;
    *id = ops->device[*id].id;
    return true;
}

static void list_entries(struct reader *r)
{
    const struct ttp_ops *ops = r->part->ops;
    int64_t id;

    r->entry = TTP_NEW(r->b->arena, struct entry, ops->rows);
    for (size_t row = 0; row < ops->rows; row++) {
        if (!is_device_row(ops, row) || !whole(ops, TTP_OPS_DEVICE, row, &id) ||
            !id_in_rank(r->part, &id) || id < 0 || id > MAX_DEVICE_ID || only_captured(ops, row))
            continue;
        r->entry[r->entries++] = (struct entry){
            .program = whole_or(ops, TTP_OPS_CALL_COUNT, row, -1),
            .trace = whole_or(ops, TTP_OPS_TRACE_ID, row, -1),
            .session = whole_or(ops, TTP_OPS_REPLAY, row, -1),
            .sub = whole_or(ops, TTP_OPS_SUB_DEVICE, row, 0),
            .id = id,
            .row = (uint32_t)row,
        };
    }
}

/* Distinct ids, ascending. */
static int64_t *list_ids(struct reader *r)
{
    int64_t *id = TTP_NEW(r->b->arena, int64_t, r->entries);

    for (size_t i = 0; i < r->entries; i++)
        id[i] = r->entry[i].id;
    TTP_SORT(id, r->entries, ttp_by_i64);
    for (size_t i = 0; i < r->entries; i++)
        if (r->devices == 0 || id[r->devices - 1] != id[i])
            id[r->devices++] = id[i];
    return id;
}

static void number_devices(struct reader *r, const int64_t *id)
{
    for (size_t i = 0; i < r->entries; i++) {
        const int64_t *at = bsearch(&r->entry[i].id, id, r->devices, sizeof(*id), ttp_by_i64);
        r->entry[i].device = r->first_device + (uint32_t)(at - id);
    }
}

/* The number of the program, where call counts are made of it and the device. */
static void split_call_counts(struct reader *r)
{
    const int64_t mask = ((int64_t)1 << DEVICE_BITS) - 1;

    for (size_t i = 0; i < r->entries; i++) {
        const struct entry *e = &r->entry[i];
        if (e->program < 0 || (e->program & mask) != (e->id & mask))
            return; /* an older file: the count itself is the number */
    }
    for (size_t i = 0; i < r->entries; i++)
        r->entry[i].program = (r->entry[i].program & ~HOST_OP) >> DEVICE_BITS;
}

static int by_key(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
#define ORDER(member)                                                                              \
    if (a->member != b->member)                                                                    \
    return a->member < b->member ? -1 : 1
    ORDER(program);
    ORDER(trace);
    ORDER(session);
    ORDER(sub);
    ORDER(occurrence);
    ORDER(device);
    ORDER(row);
    return 0;
}

static bool same_program(const struct entry *a, const struct entry *b)
{
    return a->program == b->program && a->trace == b->trace && a->session == b->session &&
           a->sub == b->sub && a->occurrence == b->occurrence;
}

TTP_ORDER(by_row, struct entry, TTP_UP(row))

/* Do both have one key, on one device? */
static bool same_key(const struct entry *a, const struct entry *b)
{
    return a->device == b->device && a->program == b->program && a->trace == b->trace &&
           a->session == b->session && a->sub == b->sub;
}

/* Equal keys on one device are different programs: the first, the second and so on. */
static void count_occurrences(struct reader *r)
{
    bool any = false;

    TTP_SORT(r->entry, r->entries, by_key);
    for (size_t i = 1; i < r->entries && !any; i++)
        any = same_key(&r->entry[i - 1], &r->entry[i]);
    if (!any)
        return;
    for (size_t i = 1; i < r->entries; i++)
        if (same_key(&r->entry[i - 1], &r->entry[i]))
            r->entry[i].occurrence = r->entry[i - 1].occurrence + 1;
    TTP_SORT(r->entry, r->entries, by_key);
}

/* Entries of one program are neighbours now: number the programs. */
static size_t number_programs(struct reader *r)
{
    size_t n = 0;

    count_occurrences(r);
    for (size_t i = 0; i < r->entries; i++) {
        if (i == 0 || !same_program(&r->entry[i - 1], &r->entry[i]))
            n++;
        r->entry[i].step = (uint32_t)(n - 1);
    }
    return n;
}

/* Programs in the order of every device's rows: those of the device with most of them first, what
 * only others ran put after the one that they ran before it. place[program] = position. */
static uint32_t *order_programs(struct reader *r, size_t programs)
{
    struct ttp_arena *arena = r->b->arena;
    const uint32_t end = (uint32_t)programs;
    uint32_t *next = TTP_NEW(arena, uint32_t, programs + 1);
    bool *placed = TTP_NEW(arena, bool, programs + 1);
    size_t *count = TTP_NEW(arena, size_t, r->devices);
    uint32_t *place = TTP_NEW(arena, uint32_t, programs);
    bool *done = TTP_NEW(arena, bool, r->devices);

    for (size_t i = 0; i < r->entries; i++)
        count[r->entry[i].device - r->first_device]++;
    next[end] = end; /* the list is a ring that begins after `end` */
    TTP_SORT(r->entry, r->entries, by_row);
    for (size_t round = 0; round < r->devices; round++) {
        size_t most = TTP_NPOS;
        for (size_t d = 0; d < r->devices; d++)
            if (!done[d] && (most == TTP_NPOS || count[d] > count[most]))
                most = d;
        done[most] = true;
        uint32_t at = end;
        for (size_t i = 0; i < r->entries; i++) {
            const uint32_t p = r->entry[i].step;
            if (r->entry[i].device != r->first_device + most)
                continue;
            if (!placed[p]) {
                next[p] = next[at];
                next[at] = p;
                placed[p] = true;
            }
            at = p;
        }
    }
    uint32_t n = 0;
    for (uint32_t p = next[end]; p != end; p = next[p])
        place[p] = n++;
    return place;
}

TTP_ORDER(by_step, struct entry, TTP_UP(step), TTP_UP(device))

/* ---- cells ---- */

static void fill_cell(struct reader *r, const struct entry *e, size_t at)
{
    const struct ttp_ops *ops = r->part->ops;
    struct ttp_mesh_build *b = r->b;
    struct ttp_mesh_cell *c = &b->cell[at];
    int64_t start = 0, end = 0;
    double ns = 0;

    (void)ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_KERNEL_NS, e->row), &ns);
    const bool both = whole(ops, TTP_OPS_FW_START_CYCLE, e->row, &start) &&
                      whole(ops, TTP_OPS_FW_END_CYCLE, e->row, &end);
    *c = (struct ttp_mesh_cell){.device = e->device,
                                .row = e->row,
                                .start_cycle = start,
                                .end_cycle = end,
                                .kernel_ns = ns,
                                .sub_device = (int32_t)e->sub,
                                .timed = both && start >= 0 && end > start};
    struct ttp_mesh_device *d = &b->mesh->device[e->device];
    d->rows++;
    if (!c->timed)
        d->rows_without_times++;
    else if (d->base_cycle == 0)
        d->base_cycle = start; /* until there is a better one */
}

/* Steps of the rank, with their cells after those of the ranks before it. */
static void fill_sequence(struct reader *r, size_t programs)
{
    struct ttp_mesh_build *b = r->b;
    struct ttp_mesh_sequence *s = &b->sequence[b->sequences++];
    const uint32_t *place = order_programs(r, programs);

    for (size_t i = 0; i < r->entries; i++)
        r->entry[i].step = place[r->entry[i].step];
    TTP_SORT(r->entry, r->entries, by_step);
    *s = (struct ttp_mesh_sequence){.part = (uint32_t)(r->part - b->part),
                                    .step = TTP_NEW(b->arena, struct ttp_mesh_step, programs),
                                    .steps = programs};
    for (size_t i = 0; i < r->entries; i++) {
        const struct entry *e = &r->entry[i];
        struct ttp_mesh_step *step = &s->step[e->step];
        if (step->cells++ == 0) {
            struct ttp_mesh_op op;
            step->row = e->row;
            step->cell = (uint32_t)b->cells;
            step->signature = ttp_mesh_describe(&op, r->part->ops, e->row);
            step->collective = op.kind == TTP_MESH_ALL_WAIT;
        }
        fill_cell(r, e, b->cells++);
    }
}

/* Cycles for each nanosecond, from what rows say of both; whole megahertz, as the profiler takes
 * them. */
static double measure_ghz(const struct reader *r, uint32_t device, size_t from)
{
    const struct ttp_mesh_build *b = r->b;
    double *ratio = TTP_NEW(b->arena, double, b->mesh->device[device].rows + 1);
    size_t n = 0;
    double ns;

    for (size_t i = from; i < b->cells; i++) {
        if (b->cell[i].device != device || !b->cell[i].timed ||
            !ttp_cell_f64(ttp_ops_cell(r->part->ops, TTP_OPS_FW_NS, b->cell[i].row), &ns) ||
            !(ns >= 1000)) /* rounding to a nanosecond is coarser below */
            continue;
        ratio[n++] = (double)(b->cell[i].end_cycle - b->cell[i].start_cycle) / ns;
    }
    if (n == 0)
        return 0;
    const double ghz = ttp_mesh_median(ratio, n), mhz = round(ghz * 1000);
    return fabs(ghz * 1000 - mhz) < 0.75 && mhz > 0 ? mhz / 1000 : ghz;
}

static ttp_str arch_of(const struct reader *r, size_t from, uint32_t device)
{
    const struct ttp_ops *ops = r->part->ops;

    for (size_t i = from; i < r->b->cells; i++)
        if (r->b->cell[i].device == device) {
            const ttp_sym s = ttp_ops_sym(ops, TTP_OPS_ARCH, r->b->cell[i].row);
            return s == TTP_SYM_MISSING ? TTP_STR("") : ttp_sym_name(&ops->syms, s);
        }
    return TTP_STR("");
}

/* 0: the rank did not note it. */
static double nominal_ghz(const struct ttp_mesh_part *part, int64_t id)
{
    for (size_t i = 0; i < part->nominals; i++)
        if (part->nominal[i].device == id)
            return part->nominal[i].ghz;
    return 0;
}

static void describe_devices(struct reader *r, const int64_t *id, size_t from)
{
    struct ttp_mesh *m = r->b->mesh;

    for (size_t d = 0; d < r->devices; d++) {
        struct ttp_mesh_device *device = &m->device[r->first_device + d];
        device->ghz = measure_ghz(r, r->first_device + (uint32_t)d, from);
        device->arch = arch_of(r, from, r->first_device + (uint32_t)d);
        for (size_t p = 0; p < r->part->places; p++)
            if (r->part->place[p].device == id[d]) {
                device->placed = device->has_place = true;
                device->row = r->part->place[p].row;
                device->column = r->part->place[p].column;
            }
        if (!(device->ghz > 0))
            device->ghz = nominal_ghz(r->part, id[d]);
        if (device->ghz > 0)
            continue;
        device->ghz = 1;
        if (device->rows_without_times == device->rows)
            continue;
        for (size_t i = from; i < r->b->cells; i++)
            if (r->b->cell[i].device == r->first_device + d && r->b->cell[i].timed) {
                r->b->cell[i].timed = false;
                device->rows_without_times++;
            }
        ttp_mesh_note(r->b,
                      "device %lld:%lld: no row relates its cycles to nanoseconds; its times are "
                      "not used",
                      (long long)device->rank, (long long)device->id);
    }
}

static void read_part(struct ttp_mesh_build *b, const struct ttp_mesh_part *part)
{
    struct reader r = {.b = b, .part = part, .first_device = (uint32_t)b->mesh->devices};
    struct ttp_mesh *m = b->mesh;
    const size_t from = b->cells;

    list_entries(&r);
    const int64_t *id = list_ids(&r);
    m->device =
        ttp_arena_resize(b->arena, m->device, (m->devices + r.devices) * sizeof(*m->device));
    for (size_t d = 0; d < r.devices; d++)
        m->device[m->devices++] = (struct ttp_mesh_device){.part = (uint32_t)(part - b->part),
                                                           .rank = part->rank,
                                                           .id = id[d],
                                                           .host = part->host};
    number_devices(&r, id);
    split_call_counts(&r);
    fill_sequence(&r, number_programs(&r));
    describe_devices(&r, id, from);
}

/* The same of what a rank was reduced to: rows are programs then. */
static void read_table(struct ttp_mesh_build *b, const struct ttp_mesh_part *part)
{
    const struct ttp_mesh_reduced *t = part->table;
    struct ttp_mesh_sequence *s = &b->sequence[b->sequences++];
    struct ttp_mesh *m = b->mesh;
    const uint32_t first = (uint32_t)m->devices, index = (uint32_t)(part - b->part);

    m->device =
        ttp_arena_resize(b->arena, m->device, (m->devices + t->devices) * sizeof(*m->device));
    for (size_t d = 0; d < t->devices; d++)
        m->device[m->devices++] = (struct ttp_mesh_device){.part = index,
                                                           .rank = part->rank,
                                                           .id = t->device[d].id,
                                                           .host = part->host,
                                                           .ghz = t->device[d].ghz,
                                                           .arch = t->device[d].arch,
                                                           .placed = t->device[d].placed,
                                                           .has_place = t->device[d].placed,
                                                           .row = t->device[d].row,
                                                           .column = t->device[d].column};
    *s = (struct ttp_mesh_sequence){.part = index,
                                    .step = TTP_NEW(b->arena, struct ttp_mesh_step, t->steps + 1),
                                    .steps = t->steps};
    for (size_t k = 0; k < t->steps; k++) {
        const struct ttp_mesh_op *kind = &t->kind[t->step[k].kind];
        s->step[k] = (struct ttp_mesh_step){.signature = kind->signature,
                                            .row = t->step[k].kind,
                                            .cell = (uint32_t)b->cells,
                                            .cells = t->step[k].cells,
                                            .collective = kind->kind == TTP_MESH_ALL_WAIT};
        for (uint32_t c = t->step[k].cell; c < t->step[k].cell + t->step[k].cells; c++) {
            struct ttp_mesh_device *d = &m->device[first + t->cell[c].device];
            b->cell[b->cells++] = (struct ttp_mesh_cell){.device = first + t->cell[c].device,
                                                         .row = (uint32_t)k,
                                                         .start_cycle = t->cell[c].start,
                                                         .end_cycle = t->cell[c].end,
                                                         .sub_device = t->cell[c].sub_device,
                                                         .timed = true};
            if (d->rows++ == 0)
                d->base_cycle = t->cell[c].start;
        }
    }
}

ttp_code ttp_mesh_read_parts(struct ttp_mesh_build *b, struct ttp_err *err)
{
    size_t rows = 0;

    for (size_t p = 0; p < b->parts; p++) {
        const struct ttp_mesh_part *part = &b->part[p];
        if (p && part->rank == b->part[p - 1].rank)
            return ttp_fail(err, TTP_EPARSE, "'%s' and '%s' are both rank %lld",
                            b->part[p - 1].name, part->name, (long long)part->rank);
        rows += part->table ? part->table->cells : part->ops->rows;
    }
    b->sequence = TTP_NEW(b->arena, struct ttp_mesh_sequence, b->parts);
    b->cell = TTP_NEW(b->arena, struct ttp_mesh_cell, rows);
    for (size_t p = 0; p < b->parts; p++)
        if (b->part[p].table)
            read_table(b, &b->part[p]);
        else
            read_part(b, &b->part[p]);
    if (b->mesh->devices == 0)
        return ttp_fail(err, TTP_EPARSE, "no op that ran on a device");
    return TTP_OK;
}
