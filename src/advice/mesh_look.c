/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_look.c - relates the ops of a report to the times of all devices of the mesh. */
#include <math.h>

#include "advice/mesh_look.h"
#include "base/order.h"

/* The slowest device takes longer than the mean by more than chance explains: so many standard
 * errors of its own executions, which a normal deviate exceeds once in 31,600 times. */
#define UNEVEN_ERRORS 4.0
/* From that many executions on they say how much they vary. */
#define ENOUGH_EXECUTIONS 3
/* What uneven ops must cost together, as a part of the device time: as a straggler. */
#define UNEVEN_PART 0.02

/* ---- ops of one kind ---- */

struct numbered {
    uint64_t signature;
    uint32_t op;
};

TTP_ORDER(by_signature, struct numbered, TTP_UP(signature), TTP_UP(op))

struct looker {
    const struct ttp_report *report;
    const struct ttp_mesh *mesh;
    struct ttp_arena *arena;
    bool *straggler;          /* by device */
    double *sum;              /* scratch, by device */
    double *ratio, *square;   /* scratch, by device: of its time to the mean of the op, sums */
    size_t *count;            /* scratch, by device */
    struct ttp_mesh_look *of; /* by op of the mesh: that of its kind, NULL */
    uint32_t *kind_of;        /* by op of the mesh: index in `of` */
    size_t kinds;
    double device_us; /* time of the devices, mean */
};

/* Each device against the mean of the devices in the same execution: what all have in common, such
 * as a longer sequence, does not count as spread. */
static void add_execution(struct looker *l, const struct ttp_mesh_op *op)
{
    const struct ttp_mesh_cell *cell = &l->mesh->cell[op->cells_at];
    double all = 0;
    size_t n = 0;

    for (uint32_t k = 0; k < op->cells; k++)
        if (cell[k].timed) {
            all += ttp_mesh_took_ns(&cell[k]);
            n++;
        }
    for (uint32_t k = 0; k < op->cells && all > 0; k++) {
        const uint32_t d = cell[k].device;
        const double us = ttp_mesh_took_ns(&cell[k]) / 1000;
        if (!cell[k].timed)
            continue;
        const double ratio = us * 1000 * (double)n / all;
        l->sum[d] += us;
        l->ratio[d] += ratio;
        l->square[d] += ratio * ratio;
        l->count[d]++;
    }
}

/* Is the device slower than the mean of all by more than its executions vary? */
static bool is_slower(const struct looker *l, uint32_t device)
{
    const double n = (double)l->count[device], mean = l->ratio[device] / n;

    if (l->count[device] < ENOUGH_EXECUTIONS)
        return false;
    const double variance = (l->square[device] - n * mean * mean) / (n - 1);
    return mean - 1 > UNEVEN_ERRORS * sqrt(fmax(variance, 0) / n);
}

/* Of the device's excess, how much lies on the critical path of the same ops. Elsewhere others are
 * as late, and what the device does not lose there is no gain. */
static double part_on_path(const struct ttp_mesh *m, uint32_t device)
{
    const struct ttp_mesh_device *d = &m->window.device[device];

    if (m->reference == TTP_MESH_NONE || !(d->excess_us > 0))
        return 1; /* without related clocks the path is not known */
    return fmin(fmax(d->path_excess_us, 0) / d->excess_us, 1);
}

/* Means of the ops [from, to) of one kind by device. */
static void look_at_compute(struct looker *l, struct ttp_mesh_look *out,
                            const struct numbered *from, const struct numbered *to)
{
    const struct ttp_mesh *m = l->mesh;
    double all = 0;
    size_t devices = 0;

    for (size_t d = 0; d < m->devices; d++)
        l->sum[d] = l->ratio[d] = l->square[d] = 0, l->count[d] = 0;
    for (const struct numbered *n = from; n < to; n++)
        add_execution(l, &m->op[n->op]);
    for (uint32_t d = 0; d < m->devices; d++) {
        if (l->count[d] == 0)
            continue;
        const double us = l->sum[d] / (double)l->count[d];
        all += us;
        devices++;
        if (us > out->slow_us) {
            out->slow_us = us;
            out->slowest = d;
        }
        if (!l->straggler[d] && us > out->other_us)
            out->other_us = us;
    }
    out->mean_us = devices ? all / (double)devices : 0;
    out->straggler = devices > 1 && l->straggler[out->slowest];
    out->on_path = devices ? part_on_path(m, out->slowest) : 0;
    out->uneven = devices > 1 && !out->straggler && is_slower(l, out->slowest);
}

struct collected {
    double wait, late;        /* sums */
    double *transfer, *share; /* of each, for their medians: some executions are far off */
    size_t count, aligned, shares;
};

static double median(double *v, size_t n)
{
    TTP_SORT(v, n, ttp_by_f64);
    return n ? v[n / 2] : NAN;
}

static void add_collective(struct looker *l, struct collected *sum,
                           const struct ttp_mesh_collective *c)
{
    sum->wait += c->mean_wait_us;
    sum->count++;
    if (!c->aligned)
        return;
    sum->late += c->late_us;
    sum->transfer[sum->aligned++] = c->transfer_us;
    if (isfinite(c->link_share))
        sum->share[sum->shares++] = c->link_share;
    if (c->last != TTP_MESH_NONE)
        l->count[c->last]++;
}

/* Ops of the iterations that the report shows; those before them are not typical, because programs
 * are compiled. */
static bool any_shown(const struct ttp_mesh *m, const struct numbered *from,
                      const struct numbered *to)
{
    while (from < to && !ttp_mesh_in_window(m, from->op))
        from++;
    return from < to;
}

static void look_at_collectives(struct looker *l, struct ttp_mesh_look *out,
                                const struct numbered *from, const struct numbered *to)
{
    const struct ttp_mesh *m = l->mesh;
    const struct ttp_mark mark = ttp_arena_mark(l->arena);
    struct collected sum = {.transfer = TTP_NEW(l->arena, double, m->collectives + 1),
                            .share = TTP_NEW(l->arena, double, m->collectives + 1)};
    const bool shown = any_shown(m, from, to);
    double hidden = 0, took = 0;

    for (size_t d = 0; d < m->devices; d++)
        l->count[d] = 0;
    for (const struct numbered *n = from; n < to; n++) {
        if (shown && !ttp_mesh_in_window(m, n->op))
            continue;
        hidden += m->op[n->op].hidden_us;
        took += m->op[n->op].median_us;
        for (size_t k = ttp_mesh_first_collective(m, n->op);
             k < m->collectives && m->collective[k].op == n->op; k++)
            add_collective(l, &sum, &m->collective[k]);
    }
    out->last = TTP_MESH_NONE;
    for (uint32_t d = 0; d < m->devices; d++)
        if (l->count[d] && (out->last == TTP_MESH_NONE || l->count[d] > l->count[out->last]))
            out->last = d;
    const double aligned = (double)sum.aligned, all = (double)sum.count;
    out->wait_us = sum.count ? sum.wait / all : NAN;
    out->transfer_us = median(sum.transfer, sum.aligned);
    out->late_us = sum.aligned ? sum.late / aligned : NAN;
    out->link_share = median(sum.share, sum.shares);
    out->hidden = took > 0 ? fmin(hidden / took, 1) : 0;
    const double runs = (double)(to - from);
    out->run_transfer = l->device_us > 0 ? out->transfer_us * runs / l->device_us : 0;
    out->run_wait = l->device_us > 0 ? out->wait_us * runs / l->device_us : 0;
    ttp_arena_rewind(l->arena, mark);
}

static void look_at_kind(struct looker *l, const struct numbered *from, const struct numbered *to)
{
    const struct ttp_mesh *m = l->mesh;
    struct ttp_mesh_look *out = &l->of[l->kinds];

    *out = (struct ttp_mesh_look){.mesh = m,
                                  .op = &m->op[from->op],
                                  .last = TTP_MESH_NONE,
                                  .wait_us = NAN,
                                  .transfer_us = NAN,
                                  .late_us = NAN,
                                  .link_share = NAN,
                                  .beside = TTP_NPOS};
    if (out->op->kind == TTP_MESH_COMPUTE)
        look_at_compute(l, out, from, to);
    else if (out->op->axis_at != TTP_MESH_NONE)
        look_at_collectives(l, out, from, to);
    for (const struct numbered *n = from; n < to; n++)
        l->kind_of[n->op] = (uint32_t)l->kinds;
    l->kinds++;
}

static void look_at_kinds(struct looker *l)
{
    const struct ttp_mesh *m = l->mesh;
    struct numbered *op = TTP_NEW(l->arena, struct numbered, m->ops + 1);

    for (uint32_t o = 0; o < m->ops; o++)
        op[o] = (struct numbered){m->op[o].signature, o};
    TTP_SORT(op, m->ops, by_signature);
    for (size_t i = 0, j; i < m->ops; i = j) {
        for (j = i; j < m->ops && op[j].signature == op[i].signature; j++)
            continue;
        look_at_kind(l, &op[i], &op[j]);
    }
}

/* ---- ops of the report ---- */

static bool same_size(const struct ttp_report *r, size_t a, enum ttp_which_tensor of_a, size_t b,
                      enum ttp_which_tensor of_b)
{
    struct ttp_tensor_size x, y;

    return !ttp_analysis_tensor(&x, r, &r->op[a], of_a) ||
           !ttp_analysis_tensor(&y, r, &r->op[b], of_b) || x.padded == y.padded;
}

/* Does op `b`, which comes after op `a`, take a tensor of the size that `a` makes? */
static bool uses(const struct ttp_report *r, size_t a, size_t b)
{
    struct ttp_tensor_size second;

    return same_size(r, a, TTP_TENSOR_OUT, b, TTP_TENSOR_IN0) ||
           (ttp_analysis_tensor(&second, r, &r->op[b], TTP_TENSOR_IN1) &&
            same_size(r, a, TTP_TENSOR_OUT, b, TTP_TENSOR_IN1));
}

/* An op next to collective i that could run at the same time, as far as sizes of tensors tell. */
static size_t find_beside(const struct ttp_report *r, const struct ttp_mesh_look *const *look,
                          size_t i)
{
    const bool after = i + 1 < r->count && look[i + 1] &&
                       look[i + 1]->op->kind == TTP_MESH_COMPUTE && !uses(r, i, i + 1);
    const bool before =
        i > 0 && look[i - 1] && look[i - 1]->op->kind == TTP_MESH_COMPUTE && !uses(r, i - 1, i);

    if (after && (!before || r->op[i + 1].time_us >= r->op[i - 1].time_us))
        return i + 1;
    return before ? i - 1 : TTP_NPOS;
}

/* By row of the table: its op of the mesh. */
static uint32_t *map_rows(const struct looker *l, const uint32_t *line)
{
    const struct ttp_mesh *m = l->mesh;
    const size_t rows = l->report->ops->rows;
    uint32_t *op = TTP_NEW(l->arena, uint32_t, rows + 1);

    for (size_t i = 0; i < rows; i++)
        op[i] = TTP_MESH_NONE;
    for (uint32_t o = 0; o < m->ops; o++)
        for (uint32_t k = 0; k < m->op[o].cells; k++) {
            const uint32_t row = line[m->op[o].cells_at + k] - 2;
            if (row < rows)
                op[row] = o;
        }
    return op;
}

/* Uneven ops count only together. */
static void judge_unevenness(const struct looker *l, struct ttp_mesh_look **look)
{
    double cost = 0, all = 0;

    for (size_t i = 0; i < l->report->count; i++) {
        const struct ttp_op *op = &l->report->op[i];
        all += op->has & TTP_HAS_TIME ? op->time_us : 0;
        if (look[i] && look[i]->uneven)
            cost += look[i]->slow_us - look[i]->mean_us;
    }
    for (size_t i = 0; cost <= UNEVEN_PART * all && i < l->report->count; i++)
        if (look[i])
            look[i]->uneven = false;
}

const struct ttp_mesh_look *const *ttp_advice_mesh_look_at(const struct ttp_report *r,
                                                           const struct ttp_mesh *m,
                                                           const uint32_t *line,
                                                           struct ttp_arena *arena)
{
    struct ttp_mesh_look **out = TTP_NEW(arena, struct ttp_mesh_look *, r->count + 1);
    struct looker l = {.report = r, .mesh = m, .arena = arena};

    if (!m || !line || m->devices < 2 || !r->ops)
        return (const struct ttp_mesh_look *const *)out;
    l.straggler = TTP_NEW(arena, bool, m->devices);
    l.sum = TTP_NEW(arena, double, m->devices);
    l.ratio = TTP_NEW(arena, double, m->devices);
    l.square = TTP_NEW(arena, double, m->devices);
    l.count = TTP_NEW(arena, size_t, m->devices);
    l.of = TTP_NEW(arena, struct ttp_mesh_look, m->ops + 1);
    l.kind_of = TTP_NEW(arena, uint32_t, m->ops + 1);
    for (uint32_t d = 0; d < m->devices; d++) {
        l.straggler[d] = ttp_mesh_is_straggler(m, d);
        l.device_us += ttp_mesh_device_time(&m->device[d]) / (double)m->devices;
    }
    look_at_kinds(&l);
    const uint32_t *op_of = map_rows(&l, line);
    for (size_t i = 0; i < r->count; i++) {
        const uint32_t op = r->op[i].row < r->ops->rows ? op_of[r->op[i].row] : TTP_MESH_NONE;
        if (op == TTP_MESH_NONE)
            continue;
        out[i] = TTP_NEW(arena, struct ttp_mesh_look, 1);
        *out[i] = l.of[l.kind_of[op]];
    }
    judge_unevenness(&l, out);
    const struct ttp_mesh_look *const *look = (const struct ttp_mesh_look *const *)out;
    for (size_t i = 0; i < r->count; i++)
        if (out[i] && out[i]->op->kind != TTP_MESH_COMPUTE)
            out[i]->beside = find_beside(r, look, i);
    return look;
}
